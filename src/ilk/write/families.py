"""Families for pages: sums of columns, and values for those that a page shows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any, NamedTuple, overload

import pyarrow as pa
import pyarrow.compute as pc

from ilk.arrow import flat, verdicts

#: Verdicts in the order of the page's data, the weakest last.
_VERDICTS = [*verdicts.SAME, verdicts.CONTAINED, verdicts.CONTAINS, verdicts.KEY]
ORDER = {word: at for at, word in enumerate(_VERDICTS)}

#: Families that are made at once.
_BATCH = 1_000


class Member(NamedTuple):
    """A document of a family.

    Attributes:
        doc: its row; None if its text cannot be read again.
        source: its name.
        own: its own id, if it has one.
        verdict: what it is to the original of its cluster; ``original`` for that one.
        alike: its resemblance to it.
        size, modified: bytes, and when it was changed; None if unknown.
    """

    doc: int | None
    source: str
    own: str | None
    verdict: str
    alike: float | None
    size: int | None
    modified: Any

    @property
    def name(self) -> str:
        """Return the name for people."""
        return self.source if self.own is None else f"{self.source} ({self.own})"

    @property
    def differs(self) -> bool:
        """Return whether there is something to show beside the original."""
        return self.verdict not in (*verdicts.COPIES, "original")


@dataclass
class Family:
    """Documents that belong together.

    Attributes:
        number: from 1, the largest first.
        clusters: each with its original first.
        also: per cluster the document outside that its original is most like, and how much.
        kind: the weakest verdict in it.
        size, spare: bytes of all documents, and of those that are like an original.
        count: how many documents it has.
    """

    number: int
    clusters: list[list[Member]]
    also: list[tuple[str, float] | None]
    kind: str
    size: int
    spare: int
    count: int

    @property
    def members(self) -> Iterator[Member]:
        """Return all documents in it."""
        return chain.from_iterable(self.clusters)

    @property
    def original(self) -> Member:
        """Return the original of the first cluster."""
        return self.clusters[0][0]

    def __len__(self) -> int:
        """Return how many documents it has."""
        return self.count


class Families(Sequence[Family]):
    """Families of named members, those with the most bytes that could go first.

    Where no bytes are known, those with the most documents come first.

    Args:
        named: of ``named_clusters`` or ``named_rows``, numbered.
        about: per document ``size``, and perhaps ``modified``.
        first: the row of ``about`` for the document that is numbered 0.
    """

    def __init__(self, named: pa.Table, about: pa.Table, first: int = 0) -> None:
        """Add up the columns."""
        docs = pc.add(flat(named["doc"]), first)
        modified = pa.nulls(len(named))
        if "modified" in about.column_names:
            modified = flat(about["modified"]).take(docs)
        stays = pc.fill_null(flat(named["stays"]), False)
        names = ("cluster", "doc", "source", "id", "verdict", "resemblance")
        rows = {name: flat(named[name]) for name in (*names, "also_like", "also_resemblance")}
        rows["source"] = pc.fill_null(rows["source"], "the table")
        rows |= {"size": flat(about["size"]).take(docs), "modified": modified, "stays": stays}
        others = set(pc.unique(rows["verdict"]).to_pylist()) - {*ORDER, None}
        words = pa.array([*ORDER, *sorted(others, key=lambda word: (len(word), word))])
        family = flat(named["family"])
        other = pc.not_equal(family.slice(1), family.slice(0, max(0, len(family) - 1)))
        other = pa.concat_arrays([pa.array([False][: len(family)], pa.bool_()), other])
        of_family = {
            "at": pc.cumulative_sum(other.cast(pa.int64())),
            "size": pc.fill_null(rows["size"], 0).cast(pa.int64()),
            "rank": pc.if_else(stays, None, pc.index_in(rows["verdict"], value_set=words)),
        }
        of_family["spare"] = pc.if_else(stays, 0, of_family["size"])
        sums = [("at", "count"), ("size", "sum"), ("spare", "sum"), ("rank", "max")]
        found = pa.table(of_family).group_by("at", use_threads=False).aggregate(sums)
        order = pc.sort_indices(
            found, [("spare_sum", "descending"), ("at_count", "descending"), ("at", "ascending")]
        )
        place = pc.sort_indices(order)
        rank = pc.fill_null(found["rank_max"], ORDER[verdicts.NEAR])
        found = found.take(order)
        self._rows = pa.table(rows).take(pc.sort_indices(place.take(of_family["at"])))
        self.counts, self.sizes, self._spare = (
            flat(found[name]) for name in ("at_count", "size_sum", "spare_sum")
        )
        self._ends: list[int] = [0, *pc.cumulative_sum(self.counts).to_pylist()]
        self.kinds: list[str] = words.take(flat(rank)).take(order).to_pylist()

    @property
    def spare(self) -> pa.Table:
        """The members that are like an original."""
        return self._rows.filter(pc.invert(self._rows["stays"]))

    @property
    def unlike(self) -> list[float]:
        """The resemblances of all members that are no exact copies."""
        spare = self.spare
        copies = pc.is_in(spare["verdict"], pa.array(verdicts.COPIES))
        shares: list[float] = spare["resemblance"].filter(pc.invert(copies)).drop_null().to_pylist()
        return shares

    def __len__(self) -> int:
        """Return how many families there are."""
        return len(self.kinds)

    def __iter__(self) -> Iterator[Family]:
        """Return the families."""
        for begin in range(0, len(self), _BATCH):
            yield from self._made(begin, min(len(self), begin + _BATCH))

    @overload
    def __getitem__(self, at: int) -> Family: ...

    @overload
    def __getitem__(self, at: slice) -> list[Family]: ...

    def __getitem__(self, at: int | slice) -> Family | list[Family]:
        """Return a family, or consecutive ones."""
        if isinstance(at, slice):
            begin, end, _ = at.indices(len(self))
            return self._made(begin, end)
        return self._made(at, at + 1)[0]

    def _made(self, begin: int, end: int) -> list[Family]:
        first = self._ends[begin]
        rows = self._rows.slice(first, self._ends[max(begin, end)] - first).to_pylist()
        return [self._family(at, rows, self._ends[at] - first) for at in range(begin, end)]

    def _family(self, at: int, rows: list[dict[str, Any]], begin: int) -> Family:
        clusters: list[list[Member]] = []
        also: list[tuple[str, float] | None] = []
        count, last = self._ends[at + 1] - self._ends[at], None
        for row in rows[begin : begin + count]:
            if row["cluster"] != last:
                last = row["cluster"]
                clusters.append([])
                other = row["also_like"]
                also.append(None if other is None else (other, row["also_resemblance"]))
            verdict = "original" if row["stays"] else row["verdict"]
            member = Member(
                row["doc"],
                row["source"],
                row["id"],
                verdict,
                row["resemblance"],
                row["size"],
                row["modified"],
            )
            clusters[-1].insert(0 if row["stays"] else len(clusters[-1]), member)
        size, spare = self.sizes[at].as_py(), self._spare[at].as_py()
        return Family(at + 1, clusters, also, self.kinds[at], size, spare, count)
