"""By words or by characters: the class of a text says by which sets it is compared."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import ilk
from ilk.base.errors import OptionError
from tests.support.fixtures import examples

_WORDS = ["this", "is", "the", "first", "second", "document", "and", "one"]
_TEXT = st.lists(st.sampled_from(_WORDS), min_size=1, max_size=8).map(" ".join)
_LONG = st.lists(st.sampled_from(_WORDS), min_size=51, max_size=130).map(" ".join)
TEXTS = st.lists(st.one_of(_TEXT, _TEXT, _LONG), min_size=2, max_size=7)


def shingles(text: str, by: str, width: int) -> set[str]:
    """The shingles of a text of plain words; a text of fewer words is one shingle."""
    parts = text.split() if by == "words" else list(text)
    width = min(width, len(parts)) if by == "words" else min(3, len(parts))
    between = " " if by == "words" else ""
    return {between.join(parts[at : at + width]) for at in range(len(parts) + 1 - width)}


@examples(12)
@given(
    texts=TEXTS,
    by=st.sampled_from(["words", "characters"]),
    width=st.integers(1, 3),
    least=st.sampled_from([0.3, 0.5, 0.8]),
)
def test_all_texts_are_compared_by_one_kind_of_shingles(
    texts: list[str], by: str, width: int, least: float
) -> None:
    sets = [shingles(text, by, width) for text in texts]
    expected = {}
    for one, other in combinations(range(len(texts)), 2):
        left, right = sets[one], sets[other]
        share = len(left & right) / len(left | right)
        if share >= least:
            expected[one, other] = share
    found = ilk.find(texts, by=by, shingle=width, resemblance=least)
    rows = found.pairs.to_pylist()
    assert {(row["left"], row["right"]): row["resemblance"] for row in rows} == expected
    result = ilk.deduplicate(pa.table({"text": texts}), by=by, shingle=width, resemblance=least)
    kept: list[int] = []
    for row in range(len(texts)):
        if not any((one, row) in expected for one in kept):
            kept.append(row)
    assert result.keep_mask.to_pylist() == [row in kept for row in range(len(texts))]
    compared = ilk.compare(texts[:1], texts[1:2], by=by, shingle=width)
    left, right = sets[:2]
    if by == "words" or compared.verdict not in ("contained", "contains"):  # By words always.
        assert compared.resemblance == len(left & right) / len(left | right)


@pytest.mark.parametrize("by", ["words", "characters"])
def test_a_store_compares_by_it_too(tmp_path: Path, by: str) -> None:
    texts = ["this is the first document", "the first document is this", " ".join(_WORDS * 8)]
    sets = [shingles(text, by, 2) for text in texts]
    with ilk.Store(tmp_path / "s.ilk", exact=True, by=by, shingle=2, resemblance=0.1) as store:
        store.add_many(texts)
        found = {match.id: match.resemblance for match in store.check([texts[0]])}
    shares = [len(sets[0] & other) / len(sets[0] | other) for other in sets]
    assert found == {at: share for at, share in enumerate(shares) if share >= 0.1}


def test_words_of_short_texts() -> None:
    """gaoya's own test: two sentences with six words, four of them in both."""
    texts = ["This is the first document.", "This document is the second document."]
    assert not ilk.find(texts, resemblance=0.5, shingle=1).pairs.num_rows
    (pair,) = ilk.find(texts, resemblance=0.5, shingle=1, by="words").pairs.to_pylist()
    assert pair["resemblance"] == 4 / 6
    assert ilk.compare(texts[:1], texts[1:], by="words", shingle=1).shingles == "1 word"
    assert ilk.compare(texts[:1], texts[1:], by="characters").shingles == "3 characters"


def test_texts_without_a_word_are_still_compared_by_characters() -> None:
    texts = ["!?!?!?!?", "!?!?!?!?.", "word", ""]
    found = ilk.find(texts, by="words", resemblance=0.6).pairs.to_pylist()
    plain = ilk.find(texts, resemblance=0.6).pairs.to_pylist()
    assert found == plain
    assert len(found) == 1


def test_a_store_refuses_the_other_kind(tmp_path: Path) -> None:
    with ilk.Store(tmp_path / "s.ilk", by="words", exact=True, texts=True) as store:
        assert store.stats()["by"] == "words"
        store.add(["This is the first document."])
    with ilk.Store(tmp_path / "s.ilk", by="words"):
        pass
    with pytest.raises(OptionError, match="made with by=words, not with by=characters"):
        ilk.Store(tmp_path / "s.ilk", by="characters")
    rows = pa.table({"text": ["This is the first document"]})
    with pytest.raises(OptionError, match=r"compares texts by words\. .*\(`by`\)"):
        ilk.deduplicate(rows, against=tmp_path / "s.ilk")
    assert ilk.deduplicate(rows, against=tmp_path / "s.ilk", by="words").report["kept"] == 0
    with pytest.raises(OptionError, match="by is 'lines'; it must be one of words, characters"):
        ilk.find(["a"], by="lines")
