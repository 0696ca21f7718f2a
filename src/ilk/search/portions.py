"""Documents in portions whose joins fit in memory, with the same result as one join.

Families of documents that pairs connect are found first, in little memory (``families`` of
``ilk.search.evidence_joins``); then portions of whole families are joined, one by one. Pairs at a
resemblance cannot leave a family, and a document without one is not joined.
"""

from __future__ import annotations

import os
from fractions import Fraction

import pyarrow as pa
import pyarrow.compute as pc

from ilk import arrow
from ilk.base.errors import OptionError
from ilk.base.resources import written
from ilk.fingerprints.recipe import Recipe
from ilk.search import evidence_joins
from ilk.search.evidence import Evidence
from ilk.search.gathered import PIECE
from ilk.search.query import Query

#: The recipe of fingerprints that nominate rows: wide enough that almost no two strangers are
#: joined together.
NOMINATING = Recipe(bits=128)

#: The most bytes that a join uses per row, and per shingle besides its prefix: a cell of the table
#: that counts shingles.
_PER_ROW, _PER_SHINGLE = 192, 2

#: Bytes that it uses per shingle of a prefix: in the prefix, and in an index and its copy.
_PER_PREFIX = 22

#: Bytes that a join uses per row of the collection, joined or not: to connect rows, and to cluster
#: them.
_EACH_CONNECTED, _EACH_CLUSTERED = 48, 112


def portions(
    evidence: Evidence, query: Query, room: int, folder: str | os.PathLike[str] | None = None
) -> list[pa.BooleanArray]:
    """Return which rows to join together: all, or portions of whole families.

    Args:
        evidence: of n texts; the visible ones are joined.
        query: what is looked for.
        room: bytes that a join may use.
        folder: the folder of temporary files; None for the system's.

    Raises:
        OptionError: rows that must be joined together do not fit.
    """
    assert query.resemblance is not None, "sets are joined at a resemblance"
    visible = evidence.visible
    needs = pc.if_else(visible, needed(evidence, query.resemblance), 0.0)
    total = pc.sum(needs).as_py() or 0
    # However many rows there are, a little is left for sets.
    clustering = max(min(room, PIECE), room - _EACH_CLUSTERED * len(evidence))
    if total <= clustering:
        return [visible]
    if query.containment is not None:
        # A contained text may have any smaller size, so no portion is complete.
        raise OptionError(_short("a search for containment", total, clustering))
    connecting = max(min(room, PIECE), room - _EACH_CONNECTED * len(evidence))
    roots = evidence_joins.families(evidence, query.resemblance, connecting, folder)
    return within(roots, needs, clustering, visible)


def needed(evidence: Evidence, least: Fraction) -> pa.DoubleArray:
    """Return an estimate of the most bytes that the join of each row uses, besides its sets."""
    names = "character_shingles", "word_shingles"
    sizes = [pc.list_value_length(evidence.field(name)) for name in names]
    sizes = pc.if_else(evidence.short, *sizes)
    per_shingle = _PER_SHINGLE + _PER_PREFIX * (1 - float(least))
    return pc.add(pc.multiply(sizes.cast(pa.float64()), per_shingle), float(_PER_ROW))


def within(
    roots: pa.Array, needs: pa.DoubleArray, room: int, joined: pa.BooleanArray
) -> list[pa.BooleanArray]:
    """Return the rows of components of two or more, in portions that fit in memory.

    Args:
        roots: for each row the smallest row of its component.
        needs: for each row the bytes that its join uses.
        room, joined: the bytes that the join of a portion may use, and which rows to join.

    Raises:
        OptionError: a component does not fit.
    """
    table = pa.table({"root": roots, "need": needs}).filter(joined)
    found = (
        table.group_by("root", use_threads=False)
        .aggregate([("need", "sum"), ([], "count_all")])
        .sort_by("root")
    )
    found = found.filter(pc.greater(found["count_all"], 1))
    numbers, taken, number = [], 0.0, 0
    sums, counts = found["need_sum"].to_pylist(), found["count_all"].to_pylist()
    for need, count in zip(sums, counts, strict=True):
        if need > room:
            raise OptionError(_short(f"a family of {count:,} documents", need, room))
        if taken and taken + need > room:
            taken, number = 0.0, number + 1
        taken += need
        numbers.append(number)
    place = pc.index_in(roots, value_set=arrow.flat(found["root"]))
    portion = pa.array(numbers, pa.int64()).take(place)
    shown = pc.and_(joined, portion.is_valid())
    return [
        pc.and_(shown, pc.fill_null(pc.equal(portion, one), False)) for one in range(number + 1)
    ]


def _short(what: str, need: float, room: int) -> str:
    missing = written(int(need) - room)
    return (
        f"{what} needs about {written(int(need))} of memory in addition to the documents, but only "
        f"{written(room)} is free. Allow about {missing} more: --memory."
    )
