"""Families to iterate over: the names of JSON lines, as attributes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby

import pyarrow as pa

from ilk.write.results import cluster_records


@dataclass(frozen=True, slots=True)
class Member:
    """A document of a cluster, measured against the keeper.

    Attributes:
        source: the name a person knows.
        verdict: what it is to the keeper; the keeper is ``identical`` to itself.
        distance: in bits; None if either has no fingerprint.
        resemblance: shared shingles over all shingles, exact; None if only keys were compared.
        contained_in_keeper, contains_keeper: shared shingles over those of the member (the keeper),
            exact.
        id: the user's own; None if the source has no ids.
        agreement: for noisy copies, the share of the characters that are not wrong; else None.
        policy: for a data set, the policy that preferred the keeper; None for the keeper.
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

    Attributes:
        family: its number, from 0 in the order of the documents.
        clusters: its clusters.
    """

    family: int
    clusters: tuple[Cluster, ...]

    @property
    def members(self) -> tuple[Member, ...]:
        """All documents in it."""
        return tuple(member for cluster in self.clusters for member in cluster.members)

    def __len__(self) -> int:
        """Return how many documents are in it."""
        return sum(len(cluster.members) for cluster in self.clusters)


def families(named: pa.Table) -> Iterator[Family]:
    """Yield families, in the order of the rows.

    Args:
        named: members with the names people know (``ilk.write.results``).
    """
    records = cluster_records(named)
    for number, group in groupby(records, key=lambda record: record["family"]):
        yield Family(number, tuple(_cluster(record) for record in group))


def _cluster(record: dict[str, object]) -> Cluster:
    fields: dict[str, object] = dict(record)
    also, members = fields.pop("also_like"), fields.pop("members")
    assert isinstance(members, list)
    return Cluster(
        also_like=Also(**also) if isinstance(also, dict) else None,
        members=tuple(Member(**member) for member in members),
        **fields,  # type: ignore[arg-type]
    )
