"""Plans for files: one line per cluster, which a person may edit before it is carried out."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any, NamedTuple

import pyarrow as pa

from ilk import __version__
from ilk.arrow import flat, verdicts
from ilk.base.errors import PlanError
from ilk.base.parsed import parsed
from ilk.read.files.names import path_of
from ilk.read.rows.streams import bare
from ilk.tasks.apply.files import digest_of
from ilk.write.results import cluster_records, named_clusters

#: The version of the format.
VERSION = 1

#: What happens to a member: it stays or is dropped.
KEEP, DROP = "keep", "drop"

#: Labels that a person may give to a member, relative to its keeper.
SAME, DIFFERENT = "same", "different"

#: Verdicts of members that a plan proposes to drop.
_DROPPED = (verdicts.IDENTICAL, verdicts.EXACT, verdicts.NEAR)


class Member(NamedTuple):
    """A file of a cluster.

    path: absolute.
    size, digest: of its bytes when it was read; the digest in hex.
    label: a person's label relative to its keeper: ``same`` or ``different``; or None.
    """

    path: str
    size: int
    digest: str
    verdict: str
    action: str
    label: str | None = None


class Cluster(NamedTuple):
    """A keeper and the other members of its cluster, with the line of the plan."""

    line: int
    keeper: Member
    members: tuple[Member, ...]


class Plan(NamedTuple):
    """What to do with files; their names in the plan are relative to ``folder``.

    labels: sources of a keeper and a member, and whether they are labelled the same.
    """

    folder: str
    clusters: tuple[Cluster, ...]
    labels: tuple[tuple[str, str, bool], ...] = ()

    def dropped(self) -> Iterator[tuple[Member, Member]]:
        """Yield members to drop, each with its keeper."""
        for cluster in self.clusters:
            for member in cluster.members:
                if member.action == DROP and member.label != DIFFERENT:
                    yield member, cluster.keeper


def lines(documents: pa.Table, members: pa.Table) -> Iterator[dict[str, Any]]:
    """Yield the lines of a plan for the result of a search: a head, then one per cluster.

    Args:
        documents: with ``source``, ``size`` and ``bytes_digest``.
        members: ``CLUSTERS`` of those documents.
    """
    yield {"plan": {"version": VERSION, "ilk": __version__, "folder": os.getcwd()}}
    named = documents.select(["source", "size", "bytes_digest"]).take(flat(members["doc"]))
    bytes_of = {row.pop("source"): row for row in named.to_pylist()}
    for record in cluster_records(named_clusters(documents, members)):
        for member in record["members"]:
            kept = bytes_of[member["source"]]
            digest = kept["bytes_digest"]
            member["size"] = kept["size"]
            member["digest"] = None if digest is None else digest.hex()
            drops = member["verdict"] in _DROPPED and member["source"] != record["keeper"]
            # A row, or a member of an archive, is not a separate file.
            path = path_of(member["source"])
            is_file = digest is not None and os.path.isfile(path)
            if is_file and bare(path)[0]:
                # The text was compared, but the file's own bytes are moved, and compared again.
                member["size"], member["digest"] = os.path.getsize(path), digest_of(path)
            member["action"] = DROP if drops and is_file else KEEP
        yield record


def dropped(documents: pa.Table, members: pa.Table) -> Iterator[str]:
    """Yield the paths of the files that a plan proposes to drop; arguments as of ``lines``."""
    for line in lines(documents, members):
        for member in line.get("members", ()):
            if member["action"] == DROP:
                yield path_of(member["source"])


def read(path: str | os.PathLike[str]) -> Plan:
    """Read a plan.

    Raises:
        PlanError: it is not a plan, a line is invalid, or two lines contradict each other.
    """
    try:
        with open(path, "rb") as file:
            rows = [(at, parsed(line)) for at, line in enumerate(file, 1) if line.strip()]
    except (OSError, ValueError) as error:
        raise PlanError(f"{os.fspath(path)} is not a plan ({error}); {_HOW}") from None
    head = rows[0][1].get("plan") if rows and isinstance(rows[0][1], dict) else None
    if not isinstance(head, dict) or not isinstance(head.get("folder"), str):
        raise PlanError(f"{os.fspath(path)} is not a plan (its first line is not a head); {_HOW}")
    if head.get("version") != VERSION:
        raise PlanError(
            f"{os.fspath(path)} is a plan of version {head.get('version')!r}, but this ilk reads "
            f"version {VERSION}; {_HOW}"
        )
    folder = head["folder"]
    lines = [(at, row) for at, row in rows[1:] if "summary" not in row]
    clusters = tuple(_cluster(at, row, folder) for at, row in lines)
    _check(clusters)
    labels = [
        (row["keeper"], member["source"], member["label"] == SAME)
        for _, row in lines
        for member in row["members"]
        if member.get("label") is not None
    ]
    return Plan(folder, clusters, tuple(labels))


_HOW = "make one: ilk scan FOLDER --plan plan.jsonl"


def _cluster(at: int, row: Any, folder: str) -> Cluster:
    try:
        members = [(member["source"], _member(folder, member)) for member in row["members"]]
        keeper = row["keeper"]
    except (KeyError, TypeError) as error:
        raise PlanError(f"line {at} of the plan is not a cluster: {error} is missing") from None
    for source, member in members:
        if member.action not in (KEEP, DROP):
            raise PlanError(
                f"line {at} of the plan: the action of {source} is {member.action!r}; it must be "
                f"{KEEP} or {DROP}"
            )
        if member.label not in (None, SAME, DIFFERENT):
            raise PlanError(
                f"line {at} of the plan: the label of {source} is {member.label!r}; it must be "
                f"{SAME} or {DIFFERENT}"
            )
        if member.label is not None and source == keeper:
            raise PlanError(
                f"line {at} of the plan: the keeper has a label; only other members can"
            )
        if member.action == DROP and not member.digest:
            raise PlanError(f"line {at} of the plan: {source} has no digest and cannot be dropped")
    stays = [member for source, member in members if source == keeper and member.action == KEEP]
    if len(stays) != 1:
        raise PlanError(f"line {at} of the plan: the keeper must be one member, with action {KEEP}")
    others = tuple(member for _, member in members if member is not stays[0])
    return Cluster(at, stays[0], others)


def _member(folder: str, row: dict[str, Any]) -> Member:
    path = os.path.join(folder, path_of(row["source"]))
    facts = row["size"], row["digest"] or "", row["verdict"], row["action"]
    return Member(path, *facts, row.get("label"))


def _check(clusters: tuple[Cluster, ...]) -> None:
    """Refuse a plan in which a file both stays and is dropped, or is dropped twice."""
    dropped: dict[str, int] = {}
    for cluster in clusters:
        for member in cluster.members:
            if member.action == DROP:
                path = os.path.normpath(member.path)
                if path in dropped:
                    raise PlanError(
                        f"line {cluster.line} of the plan drops {member.path}, and so does line "
                        f"{dropped[path]}"
                    )
                dropped[path] = cluster.line
    for cluster in clusters:
        at = dropped.get(os.path.normpath(cluster.keeper.path))
        if at is not None:
            raise PlanError(
                f"line {at} of the plan drops {cluster.keeper.path}, the keeper of line "
                f"{cluster.line}"
            )
