"""An index of sets in memory: which of them share much with another one, and none missed."""

from __future__ import annotations

from fractions import Fraction
from typing import NamedTuple

import pyarrow as pa

from ilk import _kernels
from ilk.options.table import default
from ilk.pairing import measures

SCHEMA = pa.schema(
    [
        pa.field("query", pa.int64(), nullable=False),
        pa.field("id", pa.int64(), nullable=False),
    ]
)


class Sets(NamedTuple):
    """n sets, as an index takes them.

    Attributes:
        values: lists of ``uint32``, ascending, each number once.
        merged: how many values each had more before some fell together (``uint32``), as 64-bit
            hashes do that are cut to 32 bits.
    """

    values: pa.Array
    merged: pa.Array


class SetIndex:
    """Sets that come and go, searched for those with which another one shares a part.

    It holds the rarest values of each, about a fifth of them at a resemblance of 0.8, so that an
    answer is a list of candidates: every set that shares so much of the larger of the two, which
    are more than those that resemble it, and few others. Any number of threads may ask at the same
    time, while one adds or removes.

    Method: prefix filtering (Bayardo, Ma and Srikant 2007, section 3) with positional bounds (Xiao
    et al. 2008, section 3), in an order of values that is fixed when the index is made.

    Args:
        resemblance: the least part at which it is fast; for a lesser one every set of a size that
            fits is a candidate.
        sample: some of the sets that will be held, which tell rare values from common ones. No set
            is missed whatever they are.

    >>> few = pa.array([[1, 2, 3], [7, 8, 9]], pa.large_list(pa.field("item", pa.uint32(), False)))
    >>> index = SetIndex(Fraction(2, 3), few)
    >>> index.add(Sets(few, pa.array([0, 0], pa.uint32())), pa.array([10, 20]))
    >>> index.query(Sets(few[1:], pa.array([0], pa.uint32())), Fraction(2, 3)).to_pylist()
    [{'query': 0, 'id': 20}]
    """

    def __init__(self, resemblance: Fraction, sample: pa.Array) -> None:
        """An empty index."""
        self._kernel = _kernels.SetIndex(sample, *measures.kernel_ratio(resemblance))

    @property
    def nbytes(self) -> int:
        """Bytes of memory that it takes."""
        return self._kernel.bytes()

    def __len__(self) -> int:
        """How many sets it holds."""
        return len(self._kernel)

    def __contains__(self, id_: int) -> bool:
        """Whether it holds a set of this id."""
        return id_ in self._kernel

    def add(self, sets: Sets, ids: pa.Array) -> None:
        """Add n sets, all of them or none.

        Args:
            sets: n of them.
            ids: n numbers (``int64``).

        Raises:
            IdError: an id is in the index already, or given twice.
        """
        self._kernel.add(sets.values, sets.merged, ids)

    def remove(self, ids: pa.Array) -> None:
        """Remove the sets of these ids, all of them or none.

        Raises:
            IdError: an id is not in the index.
        """
        self._kernel.remove(ids)

    def query(
        self, sets: Sets, resemblance: Fraction, max_pairs: int = default("max_pairs")
    ) -> pa.Table:
        """The sets that may share this part of the larger set with each of n sets.

        Returns:
            ``query`` (the row) and ``id``, sorted; an empty set has none.

        Raises:
            TooManyPairs: there are more than ``max_pairs``.
        """
        ratio = measures.kernel_ratio(resemblance)
        found = self._kernel.query(sets.values, sets.merged, *ratio, max_pairs)
        return pa.table(found, schema=SCHEMA)
