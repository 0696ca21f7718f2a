"""Hashes of other tools give their published numbers; fingerprints by them are right or refused."""

from __future__ import annotations

import hashlib
from dataclasses import replace

import pytest

import ilk
from ilk.base import packages
from ilk.base.errors import MissingExtra
from ilk.fingerprints.recipe import SIMILARITY_INDEX, Recipe
from ilk.fingerprints.recipe_options import OTHER_HASHES
from ilk.fingerprints.texts import hash_elsewhere
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
    # lookup3.c, driver5: seeds 0 and 0; the first result is the lower half.
    ("lookup3", "", 0xDEADBEEFDEADBEEF),
    ("lookup3", "Four score and seven years ago", 0xCE7226E617770551),
    # The Java language's String.hashCode: s[0] * 31^(n-1) + ... + s[n-1].
    ("java", "", 0),
    ("java", "hello", 99162322),
    ("java", "\U0001f600", 0xD83D * 31 + 0xDE00),
]


@pytest.mark.parametrize(("name", "text", "number"), PUBLISHED)
def test_published_numbers(name: str, text: str, number: int) -> None:
    others = ["", "some", "Zürich 漢字 " * 20, "other lengths"]
    assert hash_elsewhere(name)([*others, text])[-1] == number


def test_every_hash_has_a_published_number_and_its_width() -> None:
    assert {name for name, _, _ in PUBLISHED} == set(OTHER_HASHES)
    for name, bits in OTHER_HASHES.items():
        numbers = hash_elsewhere(name)([f"word{i}" for i in range(300)])
        assert len(set(numbers)) > 250
        assert all(0 <= number < 2**bits for number in numbers)
        if name != "java":
            assert max(numbers).bit_length() == bits


@pytest.mark.parametrize("name", ["lookup3", "rabin64"])
def test_a_hash_whose_package_is_missing_names_it_when_it_is_needed(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(packages, "entry_points_of", lambda _: {})
    recipe = Recipe.parse("roth2013") if name == "rabin64" else Recipe.parse("holub")
    assert recipe == Recipe.parse(str(recipe))
    with pytest.raises(MissingExtra, match=r"needs ilk-papers.*ilk\[papers\]"):
        ilk.fingerprint(["a text"], recipe)


def test_a_fingerprint_by_a_hash_elsewhere_is_that_of_its_features() -> None:
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
