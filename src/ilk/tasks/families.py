"""Families to iterate over: the names of JSON lines, as attributes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import groupby
from typing import Any

import pyarrow as pa

from ilk.write import notebook
from ilk.write.pages import common, counted
from ilk.write.results import cluster_records

#: Members that a notebook shows.
_SHOWN = 20


@dataclass(frozen=True, slots=True)
class Member:
    """A document of a cluster, measured against the keeper.

    Attributes:
        source: the name a person knows.
        verdict: what it is to the keeper; the keeper is ``identical`` to itself.
        distance: in bits; None if either has no fingerprint.
        resemblance: shared shingles over all shingles, exact; None if only keys were compared.
        contained_in_keeper, contains_keeper: shared word shingles over those of the member (the
            keeper), exact.
        id: the user's own; None if the source has no ids.
        agreement: for noisy copies, the share of the characters that are not wrong; else None.
        policy: for a data set, the policy that preferred the keeper; None for the keeper.
        size: the bytes of a file; None for a row or a text.
    """

    source: str
    verdict: str
    distance: int | None
    resemblance: float | None
    contained_in_keeper: float | None
    contains_keeper: float | None
    id: str | None = None
    policy: str | None = None
    agreement: float | None = None
    size: int | None = None


@dataclass(frozen=True, slots=True)
class Also:
    """The document outside its cluster that a keeper is most like, and their resemblance."""

    source: str
    resemblance: float


@dataclass(frozen=True, slots=True)
class Cluster:
    """A keeper and its members.

    Attributes:
        family, cluster: their numbers, from 0 in the order of the documents.
        kind: the weakest verdict in it.
        keeper: a source.
        also_like: the document outside that the keeper is most like, or None.
        members: the keeper among them.
    """

    family: int
    cluster: int
    kind: str
    keeper: str
    also_like: Also | None
    members: tuple[Member, ...]


@dataclass(frozen=True, slots=True)
class Family:
    """Documents that verified pairs connect.

    A notebook shows how the original begins, and what differs in the others.

    Attributes:
        family: its number, from 0 in the order of the documents.
        clusters: a keeper and its members each.
    """

    family: int
    clusters: tuple[Cluster, ...]
    _texts: Callable[[], Sequence[str | None]] = field(repr=False, compare=False)

    @property
    def members(self) -> tuple[Member, ...]:
        """All documents in it."""
        return tuple(member for cluster in self.clusters for member in cluster.members)

    def __len__(self) -> int:
        """Return how many documents are in it."""
        return sum(len(cluster.members) for cluster in self.clusters)

    def plot(self, ax: Any = None) -> Any:
        """Draw how alike the members are to the originals, on axes of matplotlib or new ones."""
        members = self.members
        return notebook.members([m.source for m in members], [m.resemblance for m in members], ax)

    def _repr_html_(self) -> str:
        """Return the members as a table, for a notebook."""
        # The texts of the first members alone are read.
        texts = [*self._texts(), *[None] * len(self)]
        folder = common([member.source for member in self.members])
        rows: list[tuple[Any, ...]] = []
        for cluster in self.clusters:
            begin = len(rows)
            at = begin + [member.source for member in cluster.members].index(cluster.keeper)
            for place, member in enumerate(cluster.members, begin):
                verdict = "original" if place == at else member.verdict
                said = notebook.said(verdict, texts[at], texts[place])
                rows.append((verdict, member.resemblance, member.source[len(folder) :], said))
        return notebook.table(
            "Family",
            counted(len(self), "document"),
            (),
            notebook.heads(folder),
            rows[:_SHOWN],
            max(0, len(rows) - _SHOWN),
            "document",
        )


def families(named: pa.Table, texts: Callable[[Any], pa.Array]) -> Iterator[Family]:
    """Yield families, in the order of the rows.

    Args:
        named: members with the names people know (``ilk.write.results``), numbered.
        texts: reads the texts of documents.
    """
    for number, group in groupby(cluster_records(named), key=lambda record: record["family"]):
        clusters, docs = list[Cluster](), list[int | None]()
        for record in group:
            also, members = record.pop("also_like"), record.pop("members")
            for member in members:
                del member["stays"]
                docs.append(member.pop("doc"))
            known = tuple(Member(**member) for member in members)
            clusters.append(Cluster(also_like=also and Also(**also), members=known, **record))
        yield Family(number, tuple(clusters), partial(_read, texts, docs[:_SHOWN]))


def _read(texts: Callable[[Any], pa.Array], docs: list[int | None]) -> Sequence[str | None]:
    """Return texts; None for a row of another set."""
    known = [doc for doc in docs if doc is not None]
    read = dict(zip(known, texts(known).to_pylist(), strict=True)) if known else {}
    return [None if doc is None else read[doc] for doc in docs]
