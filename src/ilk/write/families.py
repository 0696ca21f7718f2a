"""Families for pages: sums of columns, and values for those that a page shows."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import chain, groupby, pairwise
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from ilk.arrow import flat, verdicts

#: Verdicts in the order of the page's data, the weakest last.
_VERDICTS = [*verdicts.SAME, verdicts.CONTAINED, verdicts.CONTAINS, verdicts.KEY]
ORDER = {word: at for at, word in enumerate(_VERDICTS)}

#: Families that are made at once.
_BATCH = 1_000

#: Files that are in a family or hold something that is: their bytes, and why they stay, "" if they
#: could go.
Fates = Mapping[str, tuple[int, str]]


class ShownMember(NamedTuple):
    """A document of a family.

    Attributes:
        doc: its row; None if its text cannot be read again.
        source: its name.
        own: its own id, if it has one.
        verdict: what it is to the original of its cluster; ``original`` for that one.
        alike: its resemblance to it.
        size, modified: bytes, and when it was changed; None if unknown.
        stays: why it stays, although it is like an original; "" if it could go.
    """

    doc: int | None
    source: str
    own: str | None
    verdict: str
    alike: float | None
    size: int | None
    modified: Any
    stays: str

    @property
    def name(self) -> str:
        """Return the name for people."""
        return self.source if self.own is None else f"{self.source} ({self.own})"

    @property
    def differs(self) -> bool:
        """Return whether there is something to show beside the original."""
        return self.verdict not in (*verdicts.COPIES, "original")


#: Columns with what is known of a member.
_OF_MEMBER = ("doc", "source", "id", "said", "resemblance", "size", "modified", "why")


@dataclass
class ShownFamily:
    """Documents that belong together.

    Attributes:
        number: from 1, the largest first.
        clusters: each with its original first.
        also: per cluster the document outside that its original is most like, and how much.
        kind: the weakest verdict in it.
        size, spare: bytes of all documents, and of those that could go.
    """

    number: int
    clusters: list[list[ShownMember]]
    also: list[tuple[str, float] | None]
    kind: str
    size: int
    spare: int

    @property
    def members(self) -> Iterator[ShownMember]:
        """Return all documents in it."""
        return chain.from_iterable(self.clusters)

    @property
    def original(self) -> ShownMember:
        """Return the original of the first cluster."""
        return self.clusters[0][0]

    def __len__(self) -> int:
        """Return how many documents it has."""
        return sum(map(len, self.clusters))


class Families:
    """Families of named members, those with the most bytes that could go first.

    Where no bytes are known, those with the most documents come first.

    Attributes:
        like: the members that are like an original, as a table.
        counts, sizes, spares: per family how many documents it has, their bytes, and those of
            documents that could go.
        kinds: per family the weakest verdict in it.
    """

    def __init__(
        self, named: pa.Table, documents: pa.Table, first: int = 0, files: Fates | None = None
    ) -> None:
        """Add up the columns.

        Args:
            named: of ``named_clusters``, numbered.
            documents: with ``size`` or ``length``, and perhaps ``modified`` and ``file``.
            first: the row of the document that is numbered 0.
            files: what happens to files; None if all that is like an original could go.
        """
        docs = pc.add(flat(named["doc"]), first)
        names = ("cluster", "doc", "source", "id", "verdict", "resemblance")
        rows = {name: flat(named[name]) for name in (*names, "also_like", "also_resemblance")}
        rows["source"] = pc.fill_null(rows["source"], "the table")
        sized = "size" if "size" in documents.column_names else "length"
        for name, of in (("size", sized), ("modified", "modified"), ("file", "file")):
            known = of in documents.column_names
            rows[name] = flat(documents[of]).take(docs) if known else pa.nulls(len(docs))
        rows["why"] = pa.repeat("", len(docs))
        if files:
            rows["size"], rows["why"] = _fates(rows, files)
        keeps = rows["keeps"] = pc.fill_null(flat(named["stays"]), False)
        rows["said"] = pc.if_else(keeps, "original", rows["verdict"])
        others = set(pc.unique(rows["verdict"]).to_pylist()) - {*ORDER, None}
        words = pa.array([*ORDER, *sorted(others, key=lambda word: (len(word), word))])
        family = flat(named["family"])
        other = pc.not_equal(family.slice(1), family.slice(0, max(0, len(family) - 1)))
        other = pa.concat_arrays([pa.array([False][: len(family)], pa.bool_()), other])
        size = pc.fill_null(rows["size"], 0).cast(pa.int64())
        goes = pc.and_(pc.invert(keeps), pc.equal(rows["why"], ""))
        of_family = {
            "at": pc.cumulative_sum(other.cast(pa.int64())),
            "size": size,
            "rank": pc.if_else(keeps, None, pc.index_in(rows["verdict"], value_set=words)),
            "spare": pc.if_else(goes, size, 0),
        }
        sums = [("at", "count"), ("size", "sum"), ("spare", "sum"), ("rank", "max")]
        found = pa.table(of_family).group_by("at", use_threads=False).aggregate(sums)
        order = pc.sort_indices(
            found, [("spare_sum", "descending"), ("at_count", "descending"), ("at", "ascending")]
        )
        place = pc.sort_indices(order)
        found = found.take(order)
        self._rows = pa.table(rows).take(pc.sort_indices(place.take(of_family["at"])))
        self.like = self._rows.filter(pc.invert(self._rows["keeps"]))
        self.counts, self.sizes, self.spares = (
            flat(found[name]) for name in ("at_count", "size_sum", "spare_sum")
        )
        self._ends: list[int] = [0, *pc.cumulative_sum(self.counts).to_pylist()]
        rank = pc.fill_null(flat(found["rank_max"]), ORDER[verdicts.NEAR])
        self.kinds: list[str] = words.take(rank).to_pylist()

    @property
    def unlike(self) -> list[float]:
        """The resemblances of all members that are no exact copies."""
        copies = pc.is_in(self.like["verdict"], pa.array(verdicts.COPIES))
        return list(self.like["resemblance"].filter(pc.invert(copies)).drop_null().to_pylist())

    def __len__(self) -> int:
        """Return how many families there are."""
        return len(self.kinds)

    def __iter__(self) -> Iterator[ShownFamily]:
        """Return the families."""
        for begin in range(0, len(self), _BATCH):
            yield from self[begin : begin + _BATCH]

    def __getitem__(self, some: slice) -> list[ShownFamily]:
        """Return consecutive families."""
        begin, end, _ = some.indices(len(self))
        ends = self._ends[begin : max(begin, end) + 1]
        rows = self._rows.slice(ends[0], ends[-1] - ends[0]).to_pylist()
        parts = (rows[start - ends[0] : stop - ends[0]] for start, stop in pairwise(ends))
        return [self._family(number, some) for number, some in enumerate(parts, begin)]

    def _family(self, at: int, rows: list[dict[str, Any]]) -> ShownFamily:
        clusters: list[list[ShownMember]] = []
        also: list[tuple[str, float] | None] = []
        for _, some in groupby(rows, key=lambda row: row["cluster"]):
            members = sorted(some, key=lambda row: not row["keeps"])
            clusters.append([ShownMember(*(row[name] for name in _OF_MEMBER)) for row in members])
            other = members[0]["also_like"]
            also.append(None if other is None else (other, members[0]["also_resemblance"]))
        size, spare = self.sizes[at].as_py(), self.spares[at].as_py()
        return ShownFamily(at + 1, clusters, also, self.kinds[at], size, spare)


def _fates(rows: Mapping[str, pa.Array], files: Fates) -> tuple[pa.Array, pa.Array]:
    """Return the bytes of documents on disk, and why each stays ("" if it could go)."""
    sizes, reasons = [], []
    names = (rows[name].to_pylist() for name in ("source", "file", "size"))
    for source, file, size in zip(*names, strict=True):
        whole, why = files.get(file, (size, ""))
        if file not in files or source == file:
            sizes.append(whole)
            reasons.append(why)
        else:
            fate = "stays" if why else "could go"
            sizes.append(size)
            reasons.append(f"is a part of {os.path.basename(file)}, which {fate}")
    return pa.array(sizes, pa.int64()), pa.array(reasons, pa.string())
