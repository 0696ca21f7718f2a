"""Documents in portions whose joins fit in memory, with the same result as one join.

Documents that certainly resemble no other are left out. The components of the others are found
next, some sets at a time; then portions of whole components are joined, one by one. Pairs at a
resemblance cannot leave a component.

Sets of n and m shingles resemble each other by at most the smaller over the larger: only documents
of similar size can be alike (Bayardo et al. 2007, section 3.3), so each group by size is compared
with few others.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

import pyarrow as pa
import pyarrow.compute as pc

from ilk import _kernels, arrow
from ilk.base.errors import OptionError
from ilk.base.resources import written
from ilk.fingerprints.recipe import Recipe
from ilk.search import evidence_joins
from ilk.search.evidence import BOTH_WORDS, Evidence
from ilk.search.gathered import PIECE
from ilk.search.linkage import linked_sets
from ilk.search.sought import Sought

#: The recipe of fingerprints that nominate rows: wide enough that almost no two strangers are
#: joined together.
NOMINATING = Recipe(bits=128)

#: The most bytes that a join uses per row, and per shingle besides its prefix: a cell of the table
#: that counts shingles.
_PER_ROW, _PER_SHINGLE = 192, 2

#: Bytes that it uses per shingle of a prefix: in the prefix, and in an index and its copy; or only
#: in an index, if only components are needed.
_PER_PREFIX, _CONNECTED = 22, 15


#: Bytes that a join uses per row of the collection, joined or not: to connect rows, and to cluster
#: them.
_EACH_CONNECTED, _EACH_CLUSTERED = 48, 112


def portions(evidence: Evidence, sought: Sought, room: int) -> list[pa.BooleanArray]:
    """Return which rows to join together: all, or portions of whole components.

    Args:
        evidence: of n texts; the visible ones are joined.
        sought: what is looked for.
        room: bytes that a join may use.

    Raises:
        OptionError: rows that must be joined together do not fit.
    """
    assert sought.resemblance is not None, "sets are joined at a resemblance"
    visible = evidence.visible
    needs = pc.if_else(visible, needed(evidence, sought.resemblance), 0.0)
    total = pc.sum(needs).as_py() or 0
    clustering = _left(room, evidence, _EACH_CLUSTERED)
    if total <= clustering:
        return [visible]
    if sought.containment is not None:
        # A contained text may have any smaller size, so no portion is complete.
        raise OptionError(_short("a search for containment", total, clustering))
    connecting = _left(room, evidence, _EACH_CONNECTED)
    alone = evidence_joins.strangers(evidence, sought.resemblance, connecting // 2)
    evidence = evidence.only(pc.invert(alone))
    if (pc.sum(needs.filter(evidence.visible)).as_py() or 0) <= clustering:
        return [evidence.visible]
    roots = _connected(evidence, sought.resemblance, connecting, sought.max_pairs)
    return within(roots, needs, clustering, evidence.visible)


def _left(room: int, evidence: Evidence, each: int) -> int:
    """Return how much room is left for sets: always a little, however many rows there are."""
    return max(min(room, PIECE), room - each * len(evidence))


def needed(evidence: Evidence, least: Fraction, per_prefix: int = _PER_PREFIX) -> pa.DoubleArray:
    """Return an estimate of the most bytes that the join of each row uses, besides its sets."""
    sizes = _own_sizes(evidence)
    per_shingle = _PER_SHINGLE + per_prefix * (1 - float(least))
    return pc.add(pc.multiply(sizes.cast(pa.float64()), per_shingle), float(_PER_ROW))


def within(
    roots: pa.Array, needs: pa.DoubleArray, room: int, joined: pa.BooleanArray
) -> list[pa.BooleanArray]:
    """Return the rows of components of two or more, in portions that fit in memory.

    Args:
        roots: for each row the smallest row of its component.
        needs: for each row the bytes that its join uses.
        room: bytes that the join of a portion may use.
        joined: which rows to join.

    Returns:
        For each portion which rows are in it.

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


def _connected(evidence: Evidence, least: Fraction, room: int, max_pairs: int) -> pa.Array:
    """Return for each row the smallest row of its component, two groups at a time."""
    rows, needs = pa.arange(0, len(evidence)), needed(evidence, least, _CONNECTED)
    left, right = [rows], [rows]
    for both in _meeting(evidence, least, needs, room):
        some = evidence.only(both)
        found = linked_sets(some, least, rows, "connected", max_pairs=max_pairs).keepers
        moved = pc.not_equal(found, rows)
        left.append(rows.filter(moved))
        right.append(found.filter(moved))
    return _kernels.connected(rows, pa.concat_arrays(left), pa.concat_arrays(right))


def _meeting(
    evidence: Evidence, least: Fraction, needs: pa.Array, room: int
) -> Iterator[pa.BooleanArray]:
    """Yield which rows to join together: every two groups that may have a pair of one kind."""
    group = _groups(evidence, needs, room)
    count = pc.max(group).as_py() + 1
    ratio = float(evidence_joins.lowered(evidence, least))
    ranges = [_ranges(evidence, group, number) for number in range(count)]
    for one in range(count):
        others = [
            other for other in range(one + 1, count) if _may_meet(ranges[one], ranges[other], ratio)
        ]
        for other in others or [one]:
            both = pc.or_(pc.equal(group, one), pc.equal(group, other))
            yield pc.fill_null(both, False)


def _groups(evidence: Evidence, needs: pa.Array, room: int) -> pa.Array:
    """Return for each row the number of its group, of documents of similar size; null for others.

    Two groups fit in memory together.
    """
    rows = pa.arange(0, len(evidence))
    keys = {"long": pc.invert(evidence.short), "size": _own_sizes(evidence)}
    table = pa.table({**keys, "need": needs, "row": rows}).filter(evidence.visible)
    table = table.sort_by([("long", "ascending"), ("size", "ascending"), ("row", "ascending")])
    largest = 2 * pc.max(table["need"]).as_py()
    if largest > room:
        raise OptionError(_short("one document beside another", largest, room))
    # A row more or less than half of the room does not matter: needs are an upper bound.
    number = pc.floor(pc.divide(pc.cumulative_sum(table["need"]), room / 2)).cast(pa.int64())
    return arrow.flat(number).take(pc.index_in(rows, value_set=arrow.flat(table["row"])))


def _sizes(evidence: Evidence) -> tuple[pa.Array, pa.Array]:
    """Return the sizes of the sets of words and of those of characters."""
    words, characters = evidence.field("word_shingles"), evidence.field("character_shingles")
    return pc.list_value_length(words), pc.list_value_length(characters)


def _own_sizes(evidence: Evidence) -> pa.Array:
    """Return the sizes of the sets by which rows are measured within their kind."""
    words, characters = _sizes(evidence)
    return pc.if_else(evidence.short, characters, words)


def _ranges(evidence: Evidence, group: pa.Array, number: int) -> dict[str, tuple[int, int]]:
    """Return the least and the greatest size of each kind of set in a group."""
    rows = pc.indices_nonzero(pc.fill_null(pc.equal(group, number), False))
    words, characters, counts, short = (
        column.take(rows)
        for column in (
            *_sizes(evidence),
            evidence.field("words"),
            evidence.short,
        )
    )
    other = pc.invert(short)
    middle = pc.and_(other, pc.less(counts, BOTH_WORDS))
    long = pc.greater_equal(counts, BOTH_WORDS)
    kinds = {
        "short characters": characters.filter(short),
        "middle characters": characters.filter(middle),
        "short words": words.filter(short),
        "long words": words.filter(long),
        "other words": words.filter(other),
    }
    ends = {kind: pc.min_max(sizes).as_py() for kind, sizes in kinds.items() if len(sizes)}
    return {kind: (both["min"], both["max"]) for kind, both in ends.items()}


#: The kinds of sets that are joined with each other.
_JOINED = (
    ("short characters", "short characters"),
    ("other words", "other words"),
    ("short characters", "middle characters"),
    ("middle characters", "short characters"),
    ("short words", "long words"),
    ("long words", "short words"),
)


def _may_meet(
    one: dict[str, tuple[int, int]], other: dict[str, tuple[int, int]], ratio: float
) -> bool:
    """Return whether sets of two groups may be of one kind, judging by their sizes."""
    return any(
        left in one
        and right in other
        and one[left][0] * ratio <= other[right][1]
        and other[right][0] * ratio <= one[left][1]
        for left, right in _JOINED
    )


def _short(what: str, need: float, room: int) -> str:
    missing = written(int(need) - room)
    return (
        f"{what} needs about {written(int(need))} of memory in addition to the documents, but only "
        f"{written(room)} is free. Allow about {missing} more: --memory."
    )
