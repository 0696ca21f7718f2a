"""An index of sets in memory, to find all that share much with another one."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import NamedTuple

from ilk import _kernels
from ilk.search import measures


class Packed(NamedTuple):
    """A set in the form in which it is kept.

    Attributes:
        values: numbers of 4 bytes, or of 8 if it is wide; little-endian, ascending, each once.
        wide: whether they are 64-bit hashes, which the index compares by their upper halves.
    """

    values: bytes
    wide: bool = False


class SetIndex:
    """A changing collection of sets, searched for those that share a part with another set.

    It holds the rarest values of each, about a fifth of them at a resemblance of 0.8, so a result
    is a list of candidates: all sets that share that part of the larger of the two, which are more
    than those that resemble it, and few others. Any number of threads may query at the same time
    while one adds or removes.

    What it keeps of a set, its *entry*, depends only on the set and on the order of values, which
    is fixed when the index is made: both can be saved and used by another index.

    Method: prefix filtering (Bayardo, Ma and Srikant 2007, section 3) with positional bounds (Xiao
    et al. 2008, section 3).

    Args:
        resemblance: the least part at which it is fast; below it, every set of a suitable size is a
            candidate.
        sample: some of the sets to hold, to distinguish rare values from common ones; or the order
            of another index. No set is missed, whatever they are.

    >>> few = [Packed(bytes([1, 0, 0, 0, 2, 0, 0, 0])), Packed(bytes([7, 0, 0, 0, 8, 0, 0, 0]))]
    >>> index = SetIndex(Fraction(2, 3), few)
    >>> index.add(index.entries(few), [10, 20])
    >>> index.query(few[1], Fraction(2, 3))
    [20]
    """

    def __init__(self, resemblance: Fraction, sample: Sequence[Packed] | bytes) -> None:
        """Return an empty index."""
        least = measures.kernel_ratio(resemblance)
        if isinstance(sample, bytes):
            self._kernel = _kernels.SetIndex.in_order(sample, *least)
        else:
            self._kernel = _kernels.SetIndex(sample, *least)

    @property
    def order(self) -> bytes:
        """The order of its values."""
        return self._kernel.order()

    @property
    def nbytes(self) -> int:
        """Bytes of memory that it uses."""
        return self._kernel.bytes()

    def __len__(self) -> int:
        """Return how many sets it holds."""
        return len(self._kernel)

    def __contains__(self, id_: int) -> bool:
        """Return whether it holds a set with this id."""
        return id_ in self._kernel

    def entries(self, sets: Sequence[Packed]) -> list[bytes]:
        """Return the entries of n sets."""
        return self._kernel.entries(sets)

    def add(self, entries: Sequence[bytes], ids: Sequence[int]) -> None:
        """Add the entries of n sets with their n ids, all of them or none.

        Raises:
            IdError: an id is in the index already, or given twice.
            ValueError: an entry is not from an index.
        """
        self._kernel.add(entries, ids)

    def remove(self, ids: Sequence[int]) -> None:
        """Remove the sets with these ids, all of them or none.

        Raises:
            IdError: an id is not in the index.
        """
        self._kernel.remove(ids)

    def query(self, one: Packed, resemblance: Fraction) -> list[int]:
        """Return the ids of sets that may share this part of the larger set, ascending."""
        return self._kernel.query(one, *measures.kernel_ratio(resemblance))
