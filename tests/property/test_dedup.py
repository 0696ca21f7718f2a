"""Families of data sets equal brute force: with a baseline, whatever the linkage."""

from __future__ import annotations

from fractions import Fraction

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import ilk
from tests.reference import overlap, pairing
from tests.support import strategies
from tests.support.fixtures import examples
from tests.support.table_texts import text_table

T = Fraction("0.7")


def _near(texts: list[str | None]) -> set[tuple[int, int]]:
    count = overlap.counts_of_texts(texts)
    return {(a, b) for a, b, *_ in overlap.resembling(count, len(texts), T)}


@pytest.mark.parametrize("linkage", ["anchored", "connected"])
@examples(60)
@given(st.one_of(strategies.relatives(), strategies.relatives(2, 3, 9)), st.integers(0, 4))
def test_rows_that_stay_and_are_like_a_dropped_one_are_counted(
    linkage: str, texts: list[str | None], held: int
) -> None:
    held = max(0, min(held, len(texts) - 1))
    if not any((text or "").strip() for text in texts[:held]):
        held = 0  # A reference without a text is refused.
    others = text_table(texts[:held]) if held else None
    own = text_table(texts[held:])
    found = ilk.deduplicate(own, resemblance=0.7, linkage=linkage, against=others)
    pairs = _near(texts)
    stays = {row + held for row, kept in enumerate(found.keep_mask.to_pylist()) if kept}
    gone = set(range(held, len(texts))) - stays
    rows = [row for row in found.clusters.to_pylist() if row["doc"] is not None]
    keeper = {row["doc"] + held: row["keeper"] for row in rows}
    both = pairs | {(b, a) for a, b in pairs}
    like = {a for a, b in both if a in stays and b in gone and keeper[b] != a - held}
    assert found.report["like_dropped"] == len(like)
    assert not any(a in stays and b in stays for a, b in pairs)
    families = pairing.connected(range(len(texts)), pairs)
    several = [row for row in range(held, len(texts)) if families.count(families[row]) > 1]
    numbers = {row["doc"] + held: row["family"] for row in rows}
    assert sorted(numbers) == several
    for row in several:
        for other in several:
            same = families[row] == families[other]
            assert (numbers[row] == numbers[other]) == same


@examples(60)
@given(st.one_of(strategies.relatives(), strategies.relatives(2, 3, 9)))
def test_the_most_central_document_of_a_family_stays(texts: list[str | None]) -> None:
    count = overlap.counts_of_texts(texts)
    sums = [0.0] * len(texts)
    pairs = overlap.resembling(count, len(texts), T)
    for a, b, *_ in pairs:
        shared, left, right = count(a, b)
        share = round(shared / (left + right - shared) * (1 << 32))
        sums[a] += share
        sums[b] += share
    ranking = sorted(range(len(texts)), key=lambda row: (-sums[row], row))
    expected = pairing.anchored(ranking, {(a, b) for a, b, *_ in pairs})
    for radius in (None, 64):
        column = pa.array(texts, pa.string())
        found = ilk.find(column, resemblance=0.7, keep="central", radius=radius)
        if radius is not None and found.report["without_fingerprint"]:
            continue  # A text of very few words is nominated by no radius.
        for row in found.clusters.to_pylist():
            assert row["keeper"] == expected[row["doc"]]
