"""Passages with changed words: exact runs, followed over interruptions of a few words.

A pair of places is found exactly, by a run of at least ``words`` equal words. From there both texts
are followed in both directions: over at most K words on each side, if at least K equal words
follow, and at least ``LEAST``. So a passage without an exact run is not found, and an interruption
of more than K words ends a passage.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import pyarrow as pa
import pyarrow.compute as pc

from ilk import _kernels, arrow
from ilk.search.passages import spans

#: The least number of equal words after an interruption.
LEAST = 4

#: Texts whose words are held as Python numbers at a time.
_HELD = 256

#: Passages with changed words: their place, the first place, and the share of equal words of the
#: longer side.
JOINED = pa.schema(
    {
        "doc": pa.int64(),
        "start": pa.int64(),
        "end": pa.int64(),
        "start_byte": pa.int64(),
        "end_byte": pa.int64(),
        "earlier_doc": pa.int64(),
        "earlier_start": pa.int64(),
        "earlier_end": pa.int64(),
        "equal": pa.float64(),
    }
)


@dataclass(frozen=True, slots=True)
class Aligned:
    """Two stretches of words, and how many words are equal in step."""

    start: int
    end: int
    other_start: int
    other_end: int
    equal: int


def followed(
    here: Sequence[int], there: Sequence[int], run: Aligned, most: int, least: int
) -> Aligned:
    """Return a run of equal words, followed in both directions.

    Args:
        here, there: the words of both texts.
        run: words in both.
        most: the most words of an interruption, on either side.
        least: the least number of equal words after one.
    """
    right = _follow(here, there, run.end, run.other_end, most, least, 1)
    left = _follow(here, there, run.start - 1, run.other_start - 1, most, least, -1)
    equal = run.equal + right[2] + left[2]
    return Aligned(left[0] + 1, right[0], left[1] + 1, right[1], equal)


def _follow(
    here: Sequence[int],
    there: Sequence[int],
    at: int,
    other: int,
    most: int,
    least: int,
    step: int,
) -> tuple[int, int, int]:
    """Follow both texts from a place; return where the next words would be, and the equal words.

    Of several ways over an interruption, take the shortest; of equally short ones, the one in step.
    """
    equal = 0
    gaps = sorted(
        ((a, b) for a in range(most + 1) for b in range(most + 1)),
        key=lambda gap: (max(gap), abs(gap[0] - gap[1]), gap),
    )
    while True:
        for a, b in gaps:
            count = _common(here, there, at + step * a, other + step * b, step)
            if count >= least or (count > 0 and (a, b) == (0, 0)):
                at, other = at + step * (a + count), other + step * (b + count)
                equal += count
                break
        else:
            return at, other, equal


def _common(here: Sequence[int], there: Sequence[int], at: int, other: int, step: int) -> int:
    """Return how many words in a row are equal, starting at two places."""
    count = 0
    while 0 <= at < len(here) and 0 <= other < len(there) and here[at] == there[other]:
        at, other, count = at + step, other + step, count + 1
    return count


def joined(
    table: pa.Table,
    texts: arrow.Texts,
    against: arrow.Texts | None,
    most: int,
    jobs: int,
) -> pa.Table:
    """Return passages with changed words as ``JOINED``, by ``doc`` and ``start``.

    Args:
        table: ``PASSAGES``; each row with an earlier place is followed.
        texts: the texts.
        against: the texts of the earlier places; None if they are the same.
        most: words of an interruption.
        jobs: threads.
    """
    rows = table.filter(pc.is_valid(table["earlier_doc"])).to_pylist()
    other = texts if against is None else against

    own = _words(texts, {row["doc"] for row in rows})
    others = _words(other, {row["earlier_doc"] for row in rows})

    @lru_cache(_HELD)
    def words(of_other: bool, doc: int) -> list[int]:
        return list((others if of_other else own)[doc].to_pylist())

    found: list[tuple[int, int, Aligned]] = []
    for row in rows:
        doc, earlier, begin = row["doc"], row["earlier_doc"], row["earlier_start"]
        if found and found[-1][:2] == (doc, earlier):
            last = found[-1][2]
            if row["end"] <= last.end and last.other_start <= begin < last.other_end:
                continue
        length = row["end"] - row["start"]
        run = Aligned(row["start"], row["end"], begin, begin + length, length)
        least = max(most, LEAST)
        whole = followed(words(False, doc), words(True, earlier), run, most, least)
        found.append((doc, earlier, whole))
    found.sort(key=lambda one: (one[0], one[2].start, one[2].end))
    places = pa.table(
        {
            "doc": pa.array([doc for doc, _, _ in found], pa.int64()),
            "start": pa.array([one.start for _, _, one in found], pa.int64()),
            "end": pa.array([one.end for _, _, one in found], pa.int64()),
        }
    )
    starts = spans(texts, _ends(places, "start"), jobs)["start_byte"]
    order = pc.sort_indices(places, [("doc", "ascending"), ("end", "ascending")])
    ends = spans(texts, _ends(places.take(order), "end"), jobs)["end_byte"]
    ends = arrow.flat(ends).take(pc.sort_indices(order))
    more = {
        "start_byte": starts,
        "end_byte": ends,
        "earlier_doc": [earlier for _, earlier, _ in found],
        "earlier_start": [one.other_start for _, _, one in found],
        "earlier_end": [one.other_end for _, _, one in found],
        "equal": [
            one.equal / max(one.end - one.start, one.other_end - one.other_start)
            for _, _, one in found
        ],
    }
    columns_of = {name: places[name] for name in places.column_names} | more
    return pa.table([columns_of[name] for name in JOINED.names], schema=JOINED)


def _words(texts: arrow.Texts, docs: set[int]) -> dict[int, pa.Array]:
    """Return the words of some documents, as hashes; read the texts once."""
    wanted = sorted(docs)
    chosen = arrow.picked(texts, pa.array(wanted, pa.int64()))
    read = (text for chunk in chosen.chunks for text in chunk.to_pylist())
    return {
        doc: _kernels.word_places(text or "", "fold")[0]
        for doc, text in zip(wanted, read, strict=True)
    }


def _ends(places: pa.Table, side: str) -> pa.Table:
    """Return only the first or only the last words, as runs of one word."""
    start = places["start"] if side == "start" else pc.subtract(places["end"], 1)
    return pa.table({"doc": places["doc"], "start": start, "end": pc.add(start, 1)})
