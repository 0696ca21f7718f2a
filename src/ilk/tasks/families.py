"""Families to iterate over: the names of JSON lines, as attributes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import groupby
from typing import Any

import pyarrow as pa

from ilk.write import figures, notebook
from ilk.write.pages import counted
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
    """The document outside its cluster that a keeper is most like.

    Attributes:
        source: its name.
        resemblance: of the two, exact.
    """

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
        clusters: its clusters.
    """

    family: int
    clusters: tuple[Cluster, ...]
    _texts: Callable[[], Sequence[str | None]] | None = field(
        default=None, repr=False, compare=False
    )

    @property
    def members(self) -> tuple[Member, ...]:
        """All documents in it."""
        return tuple(member for cluster in self.clusters for member in cluster.members)

    def __len__(self) -> int:
        """Return how many documents are in it."""
        return sum(len(cluster.members) for cluster in self.clusters)

    def plot(self, ax: Any = None) -> Any:
        """Draw how alike the members are to the originals of their clusters (extra ``plot``).

        Args:
            ax: the axes of matplotlib to draw on; new ones by default.

        Returns:
            The axes.

        Raises:
            MissingExtra: matplotlib is not installed.
        """
        members = self.members
        return figures.members([m.source for m in members], [m.resemblance for m in members], ax)

    def _repr_html_(self) -> str:
        """Return the members as a table, for a notebook."""
        texts = list(self._texts()) if self._texts else [None] * len(self)
        rows: list[tuple[Any, ...]] = []
        for cluster in self.clusters:
            at = next(n for n, m in enumerate(cluster.members) if m.source == cluster.keeper)
            own = [*texts[len(rows) :], *[None] * len(self)]
            for place, member in enumerate(cluster.members):
                verdict = "original" if place == at else member.verdict
                said = notebook.said(verdict, own[at], own[place])
                rows.append((verdict, member.resemblance, member.source, said))
        return notebook.table(
            "Family",
            counted(len(self), "document"),
            (),
            notebook.HEADS,
            rows[:_SHOWN],
            max(0, len(rows) - _SHOWN),
            "document",
        )


def families(named: pa.Table, texts: Callable[[Any], pa.Array] | None = None) -> Iterator[Family]:
    """Yield families, in the order of the rows.

    Args:
        named: members with the names people know (``ilk.write.results``), numbered.
        texts: reads the texts of documents; None if nobody wants to see them.
    """
    records = cluster_records(named)
    for number, group in groupby(records, key=lambda record: record["family"]):
        clusters = list(group)
        docs = [_unnumbered(member) for cluster in clusters for member in cluster["members"]]
        read = None if texts is None else partial(_read, texts, docs[:_SHOWN])
        yield Family(number, tuple(map(_cluster, clusters)), read)


def _unnumbered(member: dict[str, Any]) -> int | None:
    """Take the numbers out of a record; return the document, None for a row of another set."""
    del member["stays"]
    doc: int | None = member.pop("doc")
    return doc


def _read(texts: Callable[[Any], pa.Array], docs: list[int | None]) -> Sequence[str | None]:
    known = [doc for doc in docs if doc is not None]
    read = dict(zip(known, texts(known).to_pylist(), strict=True)) if known else {}
    return [None if doc is None else read[doc] for doc in docs]


def _cluster(record: dict[str, object]) -> Cluster:
    fields: dict[str, object] = dict(record)
    also, members = fields.pop("also_like"), fields.pop("members")
    assert isinstance(members, list)
    return Cluster(
        also_like=Also(**also) if isinstance(also, dict) else None,
        members=tuple(Member(**member) for member in members),
        **fields,  # type: ignore[arg-type]
    )
