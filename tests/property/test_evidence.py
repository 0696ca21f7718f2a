"""The evidence of texts equals what is made of them part by part, and the definitions."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pyarrow as pa
import pytest
import xxhash
from hypothesis import given
from hypothesis import strategies as st

from ilk import _kernels, arrow
from ilk.fingerprints import digest
from tests.reference import hashing
from tests.reference import text as reference
from tests.support import strategies
from tests.support.word_counts import count_words

#: Words per shingle, characters per shingle, words below which there are characters too, shingles
#: above which there are hashes too.
RULE = (3, 3, 100, 2048)

_word = st.text(strategies.characters, min_size=1, max_size=8)
_between = st.sampled_from([" ", "  ", "\n", ", ", "\xa0", ".", "1", "-", ""])

#: Texts of 0 to 400 words, or what passes for words; many are drawn from few, to be drawn fast.
long_texts = st.builds(
    lambda words, between, rows: "".join(
        words[row % len(words)] + between[row % len(between)] for row in rows
    ),
    st.lists(_word, min_size=1, max_size=30),
    st.lists(_between, min_size=1, max_size=4),
    st.lists(st.integers(0, 400), max_size=400),
)

numbers = st.text(st.sampled_from("0127.,٣६ａ x-"), max_size=40)

#: Numbers as people write them, and what stands beside them and belongs to words.
figures = st.lists(
    st.sampled_from(
        [*"012.,:/'()-+$€₹−–— xé漢²½①Ⅳ㎡２𝟐", "eur", "usd", "EUR", "all", "\u202f", " - ", "\n"]
    ),
    max_size=25,
).map("".join)

texts = st.one_of(strategies.texts, strategies.prose, numbers, figures, long_texts)

rules = st.tuples(
    st.integers(1, 6), st.integers(1, 6), st.integers(0, 200), st.sampled_from([0, 3, 50, 2048])
)


def _builder(
    rule: tuple[int, int, int, int], jobs: int, masks: Iterable[str] = ()
) -> _kernels.EvidenceBuilder:
    words, characters, both, whole = rule
    made = _kernels.EvidenceRule(
        shingle_words=words,
        shingle_characters=characters,
        characters_below=both,
        whole_above=whole,
        masks=sorted(masks),
    )
    return _kernels.EvidenceBuilder(made, jobs)


def _evidence(column: pa.Array, rule: tuple[int, int, int, int] = RULE, jobs: int = 1) -> pa.Array:
    builder = _builder(rule, jobs)
    for start in range(0, max(len(column), 1), 3):
        builder.add(column.slice(start, 3))
    found = builder.take_column()
    found.validate(full=True)
    return found


def _chunk(texts: list[str | None]) -> pa.Array:
    return pa.array([text if text is None else text.encode() for text in texts], pa.large_binary())


def _by_definition(text: str | None, rule: tuple[int, int, int, int]) -> dict[str, Any]:
    """The evidence of a text, each part from its definition."""
    width, characters, both, large = rule
    normal = reference.collapsed(reference.normalised(text or ""))
    masked = reference.without_numbers(normal)
    digest = xxhash.xxh3_128_digest(reference.digested(text or ""))
    without = xxhash.xxh3_128_digest(masked.encode())
    if "0" not in masked:
        without = digest
    elif not reference.has_word(masked):
        without = bytes(4) + without[:12]
    words = reference.words(reference.normalised(text or ""))
    hashes = set(map(hashing.shingle, reference.shingles(words, width)))
    ids = {value >> 32 for value in hashes}
    turned = {v ^ 0xFFFFFFFF for v in hashing.feature_ids(text or "", "chars", characters)}
    return {
        "digest": digest if normal else None,
        "bytes_digest": None if text is None else xxhash.xxh3_128_digest(text.encode()),
        "masked_digest": without if normal else None,
        "length": len((text or "").encode()),
        "words": len(words),
        "word_shingles": sorted(ids),
        "word_hashes": sorted(hashes) if len(ids) > large else [],
        "character_shingles": sorted(turned) if len(words) < both else [],
    }


@given(text=texts)
def test_evidence_equals_the_definitions(text: str) -> None:
    assert _evidence(_chunk([text])).to_pylist() == [_by_definition(text, RULE)]


@given(rows=st.lists(st.none() | texts, max_size=8), rule=rules, jobs=st.sampled_from([1, 2]))
def test_evidence_of_columns_equals_the_definitions_and_its_parts_made_alone(
    rows: list[str | None], rule: tuple[int, int, int, int], jobs: int
) -> None:
    found = _evidence(_chunk(rows), rule, jobs)
    assert found.to_pylist() == [_by_definition(text, rule) for text in rows]
    column = arrow.import_texts(rows)
    alone = {
        "digest": digest.text_digests_null_if_blank(column),
        "bytes_digest": digest.bytes_digests(column),
        "words": count_words(column).cast(pa.uint32()),
    }
    for name, values in alone.items():
        assert found.field(name).equals(values), name


@given(
    text=texts,
    masks=st.sets(st.sampled_from(["accents", "digits", "punctuation_as_space"]), min_size=1),
    jobs=st.sampled_from([1, 2]),
)
def test_evidence_does_not_see_what_is_ignored(text: str, masks: set[str], jobs: int) -> None:
    builder = _builder(RULE, jobs, masks)
    builder.add(_chunk([text]))
    found = builder.take_column()[0].as_py()
    normal = reference.masked(reference.normalised(text), masks)
    words = reference.words(normal)
    assert found["bytes_digest"] == xxhash.xxh3_128_digest(text.encode())
    assert found["length"] == len(text.encode())
    assert found["words"] == len(words)
    assert found["word_shingles"] == sorted(set(hashing.feature_ids(text, "words", 3, masks)))
    turned = {value ^ 0xFFFFFFFF for value in hashing.feature_ids(text, "chars", 3, masks)}
    assert found["character_shingles"] == (sorted(turned) if len(words) < 100 else [])
    if "digits" in masks or not any(map(reference.is_numeral, text)):
        collapsed = reference.collapsed(normal).encode()
        assert found["digest"] == (xxhash.xxh3_128_digest(collapsed) if collapsed else None)
    (alone,) = digest.text_digests_null_if_blank(
        arrow.import_texts([text]), masks=sorted(masks), jobs=jobs
    ).to_pylist()
    assert found["digest"] == alone


def test_large_texts_have_hashes_whose_ids_are_the_set() -> None:
    text = " ".join(f"w{number}" for number in range(5000))
    found = _evidence(_chunk([text, "a b"]))
    hashes = found.field("word_hashes")[0].as_py()
    assert [value >> 32 for value in hashes] == found.field("word_shingles")[0].as_py()
    assert found.field("word_hashes")[1].as_py() == []


def test_bytes_that_are_no_utf_8_are_read_with_the_sign_for_it() -> None:
    data = b"caf\xe9 12 o'clock"
    found = _evidence(pa.array([data], pa.large_binary()))[0].as_py()
    read = _evidence(_chunk([data.decode(errors="replace")]))[0].as_py()
    assert found["bytes_digest"] == xxhash.xxh3_128_digest(data)
    assert found["length"] == len(data)
    for name in ("digest", "masked_digest", "words", "word_shingles", "character_shingles"):
        assert found[name] == read[name]


def test_the_schema_of_evidence() -> None:
    expected = pa.struct(
        [
            pa.field("digest", pa.binary(16)),
            pa.field("bytes_digest", pa.binary(16)),
            pa.field("masked_digest", pa.binary(16)),
            pa.field("length", pa.int64(), nullable=False),
            pa.field("words", pa.uint32(), nullable=False),
            pa.field("word_shingles", arrow.SETS, nullable=False),
            pa.field("word_hashes", arrow.WIDE_SETS, nullable=False),
            pa.field("character_shingles", arrow.SETS, nullable=False),
        ]
    )
    assert _evidence(_chunk([])).type == expected
    with pytest.raises(ValueError, match="at least 1"):
        _builder((0, 3, 100, 2048), 1)


@given(rows=st.lists(st.none() | texts, max_size=8), first=st.integers(0, 8))
def test_values_that_were_handed_over_are_given_back_whole(
    rows: list[str | None], first: int
) -> None:
    builder, column = _builder(RULE, 1), _chunk(rows)
    builder.add(column.slice(0, first))
    parts = [builder.hand_over_set_values()]
    assert builder.nbytes_not_handed_over == 0
    builder.add(column.slice(first))
    parts.append(builder.hand_over_set_values())
    words, hashes, characters = (pa.concat_arrays(both) for both in zip(*parts, strict=True))
    found = builder.take_column((words, hashes, characters))
    found.validate(full=True)
    assert found.equals(_evidence(column))
    if len(words):
        builder.add(column)
        builder.hand_over_set_values()
        with pytest.raises(ValueError, match="values"):
            builder.take_column((words[1:], hashes, characters))
