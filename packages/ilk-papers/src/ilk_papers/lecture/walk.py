"""Slides 33 to 36 as a walk: eight numbers are sorted, rotated by one bit, sorted again, and so on.

After each sorting only neighbours are compared. A pair that was found before is found again and
ignored; a new one is kept.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations, pairwise
from typing import NamedTuple

from ilk_papers.frame import Exhibit, Value, make_exhibit
from ilk_papers.lecture import published, sorting
from ilk_papers.simhash import distance

#: Bits of the numbers, rotations that are shown, and within how many bits a pair is near.
BITS, TURNS, NEAR = 16, 16, 3

#: A pair of places, from 1 as the slides count, the smaller one first.
PlacePair = tuple[int, int]


class WalkStep(NamedTuple):
    """One sorting.

    Attributes:
        turn: by how many bits the numbers are rotated to the left.
        order: the places of the numbers, ascending after rotation.
        distances: of each to the next.
        new: near pairs of neighbours that no earlier sorting had.
        again: near pairs of neighbours that one had.
        ends: the distance of the top-most to the bottom-most.
    """

    turn: int
    order: list[int]
    distances: list[int]
    new: list[PlacePair]
    again: list[PlacePair]
    ends: int


def walk_rotations(
    numbers: Sequence[int], sortings: int = TURNS, radius: int = NEAR
) -> Iterator[WalkStep]:
    """Yield what each sorting finds: as the numbers are, then rotated by 1, 2, 3, ... bits."""
    pairs_seen: set[PlacePair] = set()
    for turn in range(sortings):
        order = sorting.sorted_places(numbers, turn, BITS)
        apart = sorting.neighbour_distances(numbers, order)
        close = [
            (min(a, b) + 1, max(a, b) + 1)
            for (a, b), bits in zip(pairwise(order), apart, strict=True)
            if bits <= radius
        ]
        new = [pair for pair in close if pair not in pairs_seen]
        again = [pair for pair in close if pair in pairs_seen]
        pairs_seen.update(new)
        ends = distance(numbers[order[0]], numbers[order[-1]])
        yield WalkStep(
            turn=turn,
            order=[at + 1 for at in order],
            distances=apart,
            new=new,
            again=again,
            ends=ends,
        )


def near_pairs(numbers: Sequence[int], radius: int = NEAR) -> list[PlacePair]:
    """Return all near pairs, by comparing every two numbers."""
    return [
        (a + 1, b + 1)
        for a, b in combinations(range(len(numbers)), 2)
        if distance(numbers[a], numbers[b]) <= radius
    ]


def walk_table() -> Exhibit:
    """Show the walk over the eight numbers: order, distances, pairs new and again, and the ends."""
    rows: list[tuple[Value, ...]] = [
        (
            step.turn,
            join_numbers_by_blanks(step.order),
            join_numbers_by_blanks(step.distances),
            join_pairs_by_commas(step.new),
            join_pairs_by_commas(step.again),
            step.ends,
        )
        for step in walk_rotations(published.NUMBERS)
    ]
    every = near_pairs(published.NUMBERS)
    found = {pair for step in walk_rotations(published.NUMBERS) for pair in step.new}
    note = (
        f"Near: within {NEAR} bits. Ends: the distance of the top-most number to the bottom-most. "
        f"Of the {len(every)} near pairs ({join_pairs_by_commas(every)}) the walk finds "
        f"{len(found)}."
    )
    columns = ("rotated by", "order", "distances", "new", "again", "ends")
    title = "Slides 33 to 36, rotation by rotation"
    return make_exhibit("walk", title, columns, rows, note=note)


def sorted_bits_table(turn: int) -> Exhibit:
    """Show the eight numbers with their bits, sorted after a rotation, as slides 34 and 35 do."""
    rows: list[tuple[Value, ...]] = []
    order = sorting.sorted_places(published.NUMBERS, turn, BITS)
    apart = [None, *sorting.neighbour_distances(published.NUMBERS, order)]
    for at, bits in zip(order, apart, strict=True):
        value = sorting.rotate_bits(published.NUMBERS[at], turn, BITS)
        rows.append((at + 1, value, f"{value:0{BITS}b}", bits))
    columns = ("number", "value", "bits", "bits from the one above")
    title = f"The eight numbers rotated left by {turn}, sorted" if turn else "The numbers, sorted"
    return make_exhibit(f"sorted-{turn}", title, columns, rows)


def join_numbers_by_blanks(numbers: Iterable[int]) -> str:
    """Return numbers as a cell shows them."""
    return " ".join(map(str, numbers))


def join_pairs_by_commas(pairs: Iterable[PlacePair]) -> str:
    """Return pairs as a cell shows them, each with a hyphen."""
    return ", ".join(f"{a}-{b}" for a, b in pairs)
