"""Classes of family sizes, for bars."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

#: The least family sizes of the bars.
_SIZES = (2, 3, 4, 5, 6, 11, 21, 51, 101, 1_001)


def classes(sizes: Sequence[int]) -> Iterator[tuple[str, int]]:
    """Yield classes of sizes, and how many families are in each, up to the largest family.

    >>> list(classes([2, 2, 4]))
    [('2', 2), ('3', 0), ('4', 1)]
    """
    for at, least in enumerate(_SIZES):
        end = _SIZES[at + 1] if at + 1 < len(_SIZES) else None
        if least > max(sizes, default=0):
            return
        name = f"{least:,}" if end == least + 1 else f"{least:,} to {end - 1:,}" if end else ""
        counted = sum(least <= size and (end is None or size < end) for size in sizes)
        yield name or f"{least:,} and more", counted
