"""What is kept of single texts, and its judging, equal the columns and theirs."""

from __future__ import annotations

from fractions import Fraction

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ilk import _kernels, arrow
from ilk.arrow import verdicts
from ilk.search.counting import Counting
from ilk.search.evidence import (
    Evidence,
    JudgedPair,
    TextEvidence,
    Thresholds,
    make_evidence_builder,
    make_text_evidence,
    select_pairs_not_different,
)
from tests.support import strategies

TEXTS = st.lists(
    st.one_of(st.none(), strategies.relative(), strategies.relative((0, 2, 48, 90, 400))),
    max_size=6,
)
SHARES = st.none() | st.sampled_from([Fraction(1, 3), Fraction(4, 5), Fraction(1)])


def ids(kept: TextEvidence) -> list[int]:
    """Word shingles as ids, whatever they are kept as."""
    width = 8 if kept.wide else 4
    values = kept.word_shingles
    numbers = [
        int.from_bytes(values[at : at + width], "little") for at in range(0, len(values), width)
    ]
    return sorted({number >> 32 for number in numbers}) if kept.wide else numbers


@given(texts=TEXTS, shingle=st.integers(1, 4), large=st.sampled_from([0, 20, 2048]))
def test_a_row_is_what_the_columns_hold(texts: list[str | None], shingle: int, large: int) -> None:
    def built() -> _kernels.EvidenceBuilder:
        rule = _kernels.EvidenceRule(
            shingle_words=shingle, shingle_characters=3, characters_below=100, whole_above=large
        )
        builder = _kernels.EvidenceBuilder(rule, 1)
        for chunk in arrow.kernel_chunks(arrow.import_texts(texts)):
            builder.add(chunk)
        return builder

    expected = built().take_column().to_pylist()
    found = [TextEvidence._make(row) for row in built().take_rows()]
    assert len(found) == len(expected) == len(texts)
    for row, one in zip(expected, found, strict=True):
        for name in ("digest", "bytes_digest", "masked_digest", "length", "words"):
            assert getattr(one, name) == row[name]
        assert ids(one) == row["word_shingles"]
        assert one.wide == bool(row["word_hashes"])
        assert (one.character_shingles is None) == (one.words >= 100)
        characters = pa.array(row["character_shingles"], pa.uint32())
        assert (one.character_shingles or b"") == characters.to_numpy().tobytes()


@given(texts=TEXTS, resemblance=SHARES, containment=SHARES, unknown=st.sets(st.integers(0, 5)))
def test_rows_are_judged_as_columns_are(
    texts: list[str | None],
    resemblance: Fraction | None,
    containment: Fraction | None,
    unknown: set[int],
) -> None:
    thresholds = Thresholds(resemblance, containment)
    rows = range(len(texts))
    pairs = [(a, b) for a in rows for b in rows if a != b]
    left, right = [a for a, _ in pairs], [b for _, b in pairs]
    column = arrow.import_texts(texts)
    one, other = (pa.array(side, pa.int64()) for side in (left, right))
    judged = (
        Evidence.from_texts(column, Counting(3), 1).judge_pairs(one, other, thresholds).to_pylist()
    )
    shares = ("resemblance", "containment_left", "containment_right")
    expected = [
        JudgedPair(place, row["verdict"], *(row[name] for name in shares))
        for place, row in enumerate(judged)
        if row["verdict"] != verdicts.DIFFERENT and not unknown & {*pairs[place]}
    ]
    kept = [
        None if row in unknown else one
        for row, one in enumerate(make_text_evidence(column, Counting(3), 1))
    ]
    assert select_pairs_not_different(kept, left, right, thresholds) == expected


def test_large_sets_are_judged_on_their_hashes() -> None:
    words = [f"w{number}" for number in range(3000)]
    column = arrow.import_texts([" ".join(words), " ".join(words[100:])])
    kept = make_text_evidence(column, Counting(3), 1)
    assert all(one.wide for one in kept)
    (found,) = select_pairs_not_different(kept, [0], [1], Thresholds(Fraction(4, 5)))
    evidence = Evidence.from_texts(column, Counting(3), 1)
    (row,) = evidence.judge_pairs(
        pa.array([0]), pa.array([1]), Thresholds(Fraction(4, 5))
    ).to_pylist()
    assert found.resemblance == row["resemblance"] == 2898 / 2998


def test_a_pair_of_texts_that_are_not_there_is_refused() -> None:
    for left, right in (([0], [1]), ([1], [0]), ([0], []), ([], [0])):
        with pytest.raises(ValueError, match="names no text"):
            select_pairs_not_different([None], left, right, Thresholds())
    assert make_evidence_builder(Counting(3), 1).take_rows() == []
