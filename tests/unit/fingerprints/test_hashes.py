"""Hashes of other tools give their published numbers; fingerprints by them are right or refused."""

from __future__ import annotations

import hashlib
from dataclasses import replace

import pytest

import ilk
from ilk.fingerprints.recipe import SIMILARITY_INDEX, Recipe
from ilk.fingerprints.recipe_options import OTHER_HASHES
from tests.reference import hashing

FOX = "The quick brown fox jumps over the lazy dog"

#: Hash, text, number.
PUBLISHED = [
    # RFC 1321, appendix A.5.
    ("md5", "", 0xD41D8CD98F00B204E9800998ECF8427E),
    ("md5", "abc", 0x900150983CD24FB0D6963F7D28E17F72),
    # FIPS 180-4, the example of SHA-1, without its first 32 bits.
    ("sha1", "abc", 0x4706816ABA3E25717850C26C9CD0D89D),
    # RFC 9923, appendix of test vectors.
    ("fnv1a32", "", 0x811C9DC5),
    ("fnv1a32", "a", 0xE40C292C),
    ("fnv1a32", "foobar", 0xBF9CF968),
    ("fnv1a64", "", 0xCBF29CE484222325),
    ("fnv1a64", "a", 0xAF63DC4C8601EC8C),
    ("fnv1a64", "foobar", 0x85944171F73967E8),
    # Appleby's MurmurHash3: Wikipedia, "MurmurHash"; 128 bits: the page of the package mmh3.
    ("murmur32", "", 0),
    ("murmur128", "foo", 0x7EAF87E42BBA7D87E271865701F54561),
    ("murmur32", FOX, 0x2E4FF723),
    # Jenkins's one-at-a-time, as Wikipedia's article "Jenkins hash function" lists it.
    ("oaat", "a", 0xCA2E9442),
    ("oaat", FOX, 0x519E91F5),
    # No author prints these two: 64 bits of one-at-a-time are the same steps, and 32 bits of
    # lookup2 are those of the package jenkins.
    ("oaat64", "hello world", 0xD354DB7F295BF971),
    ("lookup2", "hello world", 0x53FC7FBC << 32 | 447289830),
    # lookup3.c, driver5: seeds 0 and 0; the first result is the lower half.
    ("lookup3", "", 0xDEADBEEFDEADBEEF),
    ("lookup3", "Four score and seven years ago", 0xCE7226E617770551),
    # The Java language's String.hashCode: s[0] * 31^(n-1) + ... + s[n-1].
    ("java", "", 0),
    ("java", "hello", 99162322),
    ("java", "\U0001f600", 0xD83D * 31 + 0xDE00),
]


def hash_text(name: str, text: str) -> int:
    """The kernels' hash of a text: a SimHash of one feature is the hash of this feature."""
    bits = OTHER_HASHES[name]
    recipe = Recipe(
        kind="simhash",
        bits=bits,
        unit="chars",
        width=64,
        weight="tf",
        normalisation="none",
        minimum=1,
        hash=name,
        ties="zero",
    )
    (value,) = ilk.fingerprint([text], recipe).to_pylist()
    return int.from_bytes(value, "big") if bits == 128 else int(value)


@pytest.mark.parametrize(("name", "text", "number"), PUBLISHED)
def test_published_numbers(name: str, text: str, number: int) -> None:
    assert hashing.TOOL_HASHES[name](text.encode()) == number
    if text:
        assert hash_text(name, text) == number


def test_every_hash_has_a_published_number_and_its_width() -> None:
    assert {name for name, _, _ in PUBLISHED} == set(OTHER_HASHES) == set(hashing.TOOL_HASHES)
    for name, bits in OTHER_HASHES.items():
        numbers = [hash_text(name, f"word{i}") for i in range(300)]
        assert len(set(numbers)) > 250
        if name not in ("java", "oaat64"):  # These two do not fill their bits with a short word.
            assert max(numbers).bit_length() == bits


@pytest.mark.parametrize("name", OTHER_HASHES)
def test_texts_of_every_length_have_the_hash_of_the_definition(name: str) -> None:
    # Every length up to a shingle's, so that each way to end a block is taken.
    for length in range(1, 64):
        text = "".join(chr(97 + at * at % 26) for at in range(length - 1)) + "\u00e9"
        assert hash_text(name, text) == hashing.TOOL_HASHES[name](text.encode()), length


def test_a_fingerprint_by_the_hash_of_another_tool_is_that_of_its_features() -> None:
    recipe = Recipe("simhash", 64, "words", 1, "tf", hash="md5", ties="one", minimum=1)
    found = ilk.fingerprint(["to be or not to be", " ", None], recipe)
    weights = {"to": 2, "be": 2, "or": 1, "not": 1}
    features = [
        (int(hashlib.md5(word.encode()).hexdigest(), 16), weight)
        for word, weight in weights.items()
    ]
    expected = hashing.accumulate(features, 64, hashing.TIES["one"])
    assert found.to_pylist() == [expected, None, None]


def test_one_word_a_million_times_does_not_decide_but_where_asked() -> None:
    """1 + ln(10^6) is as much as 15 words that occur once."""
    texts = [" ".join(f"{kind}{i}" for i in range(1000)) + " x" * 1_000_000 for kind in "ab"]
    for recipe in (Recipe(), SIMILARITY_INDEX, replace(SIMILARITY_INDEX, weight="binary")):
        assert ilk.hamming.distance(*ilk.fingerprint(texts, recipe).to_pylist()) > 16
    counted = replace(SIMILARITY_INDEX, weight="tf")
    assert ilk.hamming.distance(*ilk.fingerprint(texts, counted).to_pylist()) == 0
