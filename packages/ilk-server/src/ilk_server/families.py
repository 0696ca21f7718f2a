"""Families for review: of a plan or a store, with the decisions on them."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from itertools import groupby
from typing import Any, NamedTuple

from ilk.companions import (
    errors,
    parse_json,
    unescape_source_name,
    verdicts,
)
from ilk.companions import file_plans as plan
from ilk_server.decisions import KEEPER, Decisions

#: The missing measures of a member against a keeper that it was never compared with.
_UNKNOWN = ("distance", "resemblance", "contained_in_keeper", "contains_keeper")


class Relative(NamedTuple):
    """A document measured against the keeper that was found; the names are those of
    ``CLUSTERS``.
    """

    name: str
    verdict: str
    resemblance: float | None


class ReviewCluster(NamedTuple):
    """A cluster: the keeper that was found, and its other members.

    name: what decisions call the cluster; of a plan, that keeper. A store calls it after its first
        document, since another keeper may be found when files come or go.
    also: the document outside the cluster that the keeper is most like.
    """

    name: str
    keeper: str
    members: tuple[Relative, ...]
    also: str | None = None


class ReviewFamily(NamedTuple):
    """Clusters that belong together, with a number that identifies the family."""

    number: int
    clusters: tuple[ReviewCluster, ...]

    @property
    def document_count(self) -> int:
        """The number of its documents."""
        return sum(1 + len(cluster.members) for cluster in self.clusters)

    @property
    def names(self) -> list[str]:
        """The names of its documents."""
        return [name for cluster in self.clusters for name in document_names(cluster)]

    @property
    def smallest_member_resemblance_or_1(self) -> float:
        """The least resemblance of a member to its keeper, of those measured; 1 without any."""
        shares = (each.resemblance for cluster in self.clusters for each in cluster.members)
        return min((share for share in shares if share is not None), default=1.0)

    def count_undecided(self, decisions: Decisions) -> int:
        """Return how many members are undecided."""
        return sum(
            decisions.decision_in_force_on(cluster.name, name) is None
            for cluster in self.clusters
            for name in documents_but_the_keeper(cluster, decisions)
        )


def documents_but_the_keeper(cluster: ReviewCluster, decisions: Decisions) -> list[str]:
    """Return the documents of a cluster other than the one that stays, in their order."""
    stays = keeper_of_cluster(cluster, decisions)
    return [name for name in document_names(cluster) if name != stays]


def keeper_of_cluster(cluster: ReviewCluster, decisions: Decisions) -> str:
    """Return the document of a cluster that stays."""
    stays = decisions.chosen_keeper_if_any(cluster.name)
    # Decisions made before this plan may be on documents that are elsewhere now.
    return stays if stays is not None and stays in document_names(cluster) else cluster.keeper


def document_names(cluster: ReviewCluster) -> list[str]:
    """Return the documents of a cluster, the keeper that was found first."""
    return [cluster.keeper, *(each.name for each in cluster.members)]


def parse_families_with_members(records: Iterable[Mapping[str, Any]]) -> list[ReviewFamily]:
    """Return families from clusters as in JSON lines, which are grouped by family.

    Families without members, in which nothing is to be decided, are left out.

    Raises:
        PlanError: a record is not a cluster.
    """
    families = []
    try:
        numbered = ((row.get("family", -at), row) for at, row in enumerate(records, 1))
        for number, rows in groupby(numbered, key=lambda each: each[0]):
            clusters = tuple(_parse_cluster(row) for _, row in rows)
            if any(cluster.members for cluster in clusters):
                families.append(ReviewFamily(int(number), clusters))
    except (KeyError, TypeError, ValueError) as error:
        raise errors.PlanError(
            f"this plan cannot be reviewed: {error!r} is missing or wrong."
        ) from None
    return families


def _parse_cluster(row: Mapping[str, Any]) -> ReviewCluster:
    also = row.get("also_like")
    members = (
        Relative(each["source"], each["verdict"], each.get("resemblance"))
        for each in row["members"]
        if each["source"] != row["keeper"]
    )
    keeper = row["keeper"]
    return ReviewCluster(keeper, keeper, tuple(members), None if also is None else also["source"])


def plan_lines_with_decisions(
    plan_lines: Iterable[Mapping[str, Any]], decisions: Decisions
) -> Iterator[dict[str, Any]]:
    """Yield the lines of a plan for files with the decisions, for ``ilk apply``.

    A document that is the same is dropped if it is a file, and if all that ilk reads in it is like
    something that stays; one that is different stays. A decision on a former keeper is not a label
    in the plan: it is only in the labels.

    Args:
        plan_lines: the lines of the plan, its head first; they stay as they are.
        decisions: the decisions on its documents.
    """
    every = list(plan_lines)
    folder = every[0]["plan"]["folder"] if every else "."
    done = [
        dict(row) if "members" not in row else _cluster_line_with_decisions(row, folder, decisions)
        for row in every
    ]
    lines = plan.PlanLines(list(enumerate(done, 1))[1:])
    lost = {name: fate.why for name, _, fate in lines.files_to_drop_even_if_uncovered()}
    for row in done:
        for one in (row, *row.get("members", ())):
            name = one.get("source") or one.get("file")
            if lost.get(name) and one.get("action") == plan.DROP:
                one |= {"action": plan.KEEP, "why": lost[name]}
        yield row


def _cluster_line_with_decisions(
    row: Mapping[str, Any], folder: str, decisions: Decisions
) -> dict[str, Any]:
    """Return the line of a cluster with the decisions on it.

    The line of a store has the name of the cluster in the review, and that of each member, besides
    the paths of files.
    """
    cluster, stays = row.get("name", row["keeper"]), row["keeper"]
    wanted = decisions.chosen_keeper_if_any(cluster)
    # None is, if nobody has decided, or the decision is of another plan.
    taking = next((each for each in row["members"] if _name_in_review(each) == wanted), None)
    if taking is not None:
        stays = taking["source"]
    keeper_name = next(_name_in_review(each) for each in row["members"] if each["source"] == stays)
    members = []
    for member in row["members"]:
        one = dict(member)
        if stays != row["keeper"] and taking is not None:
            _relate_to_new_keeper(one, row, taking)
        if one["source"] == stays:
            if one.get("action") != plan.KEEP:
                one |= {"action": plan.KEEP, "why": "is the keeper"}
            one.pop("label", None)
        else:
            _apply_decision_to_member(
                one, cluster, keeper_name=keeper_name, folder=folder, decisions=decisions
            )
        members.append(one)
    return {**row, "keeper": stays, "members": members}


def _name_in_review(member: Mapping[str, Any]) -> str:
    """Return what a review calls a member of a line."""
    name: str = member.get("name", member["source"])
    return name


def _apply_decision_to_member(
    member: dict[str, Any], cluster: str, *, keeper_name: str, folder: str, decisions: Decisions
) -> None:
    """Record the decision on a member; ``keeper_name`` is the name of the document that stays."""
    decision = decisions.decision_in_force_on(cluster, _name_in_review(member))
    if decision is None:
        return
    different = decision.said == plan.DIFFERENT
    path = os.path.join(folder, unescape_source_name(member["source"]))
    is_file = "file" not in member and bool(member["digest"]) and os.path.isfile(path)
    member["action"] = plan.DROP if is_file and not different else plan.KEEP
    member.pop("label", None)
    if keeper_name in (decision.keeper, *(decision.members if decision.said == KEEPER else ())):
        member["label"] = plan.DIFFERENT if different else plan.SAME


def _relate_to_new_keeper(
    member: dict[str, Any], row: Mapping[str, Any], new_keeper: Mapping[str, Any]
) -> None:
    """Change the verdict and the measures of a member to those against its new keeper.

    A document that was not compared with that one is ``connected`` to it, unless one of the two is
    a copy of the keeper.
    """
    copies = (verdicts.IDENTICAL, verdicts.EXACT)
    if member["source"] == row["keeper"]:
        other = {verdicts.CONTAINED: verdicts.CONTAINS, verdicts.CONTAINS: verdicts.CONTAINED}
        if new_keeper.get("contained_in_keeper") == new_keeper.get("contains_keeper"):
            other = {}  # Of two texts in each other by equal parts, the one in question is inside.
        member["verdict"] = other.get(new_keeper["verdict"], new_keeper["verdict"])
        member |= {name: new_keeper.get(name) for name in _UNKNOWN[:2]}
        member["contained_in_keeper"] = new_keeper.get("contains_keeper")
        member["contains_keeper"] = new_keeper.get("contained_in_keeper")
    elif new_keeper["verdict"] not in copies and member["source"] != new_keeper["source"]:
        member["verdict"] = verdicts.CONNECTED
        member |= dict.fromkeys(_UNKNOWN)
    elif new_keeper["verdict"] == verdicts.EXACT and member["verdict"] == verdicts.IDENTICAL:
        member["verdict"] = verdicts.EXACT


def check_and_read_plan_lines(path: str | os.PathLike[str]) -> list[dict[str, Any]]:
    """Read the lines of a plan for files.

    Raises:
        PlanError: it is not one.
    """
    plan.read_plan(path)
    with open(path, "rb") as file:
        return [parse_json(line) for line in file if line.strip()]
