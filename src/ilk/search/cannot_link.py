"""Documents labelled different, which are never in one cluster."""

from __future__ import annotations

from dataclasses import dataclass

import pyarrow as pa
import pyarrow.compute as pc

from ilk.arrow import flat
from ilk.search.linkage import Clustering


@dataclass(frozen=True, slots=True)
class CannotLink:
    """Pairs of documents that stay apart.

    Attributes:
        left, right: n rows each.
    """

    left: list[int]
    right: list[int]

    def representatives(self, representatives: pa.Array, ranking: pa.Array) -> pa.Array:
        """Return representatives, none of which represents two documents that stay apart.

        Args:
            representatives: for each document, the best one with an equal digest.
            ranking: all documents, best first.
        """
        return _parted(representatives, ranking, self.left, self.right)

    def may_meet(self, left: pa.Array, right: pa.Array, representatives: pa.Array) -> pa.Array:
        """Return which pairs of representatives do not stay apart; arguments as above."""
        pairs = pa.table({"left": left, "right": right, "row": pa.arange(0, len(left))})
        stay = self.without(pairs, representatives)["row"]
        return pc.is_in(pairs["row"].combine_chunks(), value_set=flat(stay))

    def without(self, pairs: pa.Table, representatives: pa.Array) -> pa.Table:
        """Return pairs of representatives without those that stay apart; arguments as above."""
        count, rows = len(representatives), representatives.to_pylist()
        both = zip(self.left, self.right, strict=True)
        ours = ((rows[one], rows[other]) for one, other in both)
        keys = pa.array([min(pair) * count + max(pair) for pair in ours], pa.int64())
        left, right = flat(pairs["left"]), flat(pairs["right"])
        least, most = pc.min_element_wise(left, right), pc.max_element_wise(left, right)
        found = pc.add(pc.multiply(least, count), most)
        return pairs.filter(pc.invert(pc.is_in(found, value_set=keys)))

    def linked(self, found: Clustering, representatives: pa.Array, ranking: pa.Array) -> Clustering:
        """Return clusters, none of which has two documents that stay apart. Arguments as above.

        Two members of one keeper may be labelled different: then the lower-ranked one is alone.
        """
        rows = representatives.to_pylist()
        left, right = ([rows[each] for each in side] for side in (self.left, self.right))
        return found._replace(keepers=_parted(found.keepers, ranking, left, right))


def _parted(heads: pa.Array, ranking: pa.Array, left: list[int], right: list[int]) -> pa.Array:
    """Return heads in which the lower-ranked row of a pair with the same head is its own head."""
    own, place = heads.to_pylist(), pc.sort_indices(ranking).to_pylist()
    for one, other in zip(left, right, strict=True):
        if own[one] == own[other]:
            lesser = max((each for each in (one, other) if each != own[one]), key=place.__getitem__)
            own[lesser] = lesser
    return pa.array(own, pa.int64())
