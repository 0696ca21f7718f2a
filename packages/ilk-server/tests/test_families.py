"""Families of plans, and the plan with what was decided of them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from ilk.base.errors import PlanError
from ilk.tasks.apply import file_plan
from ilk.tasks.apply.file_plan import DIFFERENT, SAME
from ilk_server import families
from ilk_server.decisions import KEEPER, Decisions

MEMBERS = {"a": "identical", "b": "exact", "c": "near", "d": "numbers_only", "e": "contained"}


@pytest.fixture
def rows(tmp_path: Path) -> list[dict[str, Any]]:
    """A plan of one cluster, whose keeper is ``a``; ``e`` is no file."""
    members = []
    for at, (name, verdict) in enumerate(MEMBERS.items()):
        if name != "e":
            (tmp_path / name).write_text(name)
        drop = verdict in ("exact", "near")
        members.append(
            {
                "source": name,
                "verdict": verdict,
                "resemblance": 1 - at / 50,
                "contained_in_keeper": 0.9,
                "contains_keeper": 0.8,
                "size": 1,
                "digest": f"{at:032x}",
                "action": "drop" if drop else "keep",
            }
        )
    head = file_plan.make_plan_head(str(tmp_path), [str(tmp_path)])
    return [head, {"family": 7, "keeper": "a", "also_like": {"source": "z"}, "members": members}]


def decided(rows: list[dict[str, Any]], path: Path, *said: tuple[str, str]) -> Any:
    """Return the cluster after decisions, as a plan that ``apply`` reads."""
    decisions = Decisions(path / "r.jsonl")
    for name, word in said:
        decisions.decide_unless_late(
            "Ann",
            cluster="a",
            keeper=decisions.chosen_keeper_if_any("a") or "a",
            members=[name],
            judgement=word,
        )
    to = path / "decided.jsonl"
    _, cluster = lines = list(families.plan_lines_with_decisions(rows, decisions))
    to.write_text("".join(json.dumps(row) + "\n" for row in lines))
    drops = {each["source"] for each in cluster["members"] if each["action"] == "drop"}
    assert {Path(each.path).name for each in file_plan.read_plan(to).dropped} == drops
    return cluster


def others(cluster: Any) -> list[Any]:
    return [each for each in cluster["members"] if each["source"] != cluster["keeper"]]


def of(cluster: Any) -> dict[str, tuple[str, str | None]]:
    return {each["source"]: (each["action"], each.get("label")) for each in others(cluster)}


def test_a_family_has_what_a_page_shows(rows: list[dict[str, Any]], tmp_path: Path) -> None:
    (found,) = families.parse_families_with_members(rows[1:])
    assert (found.number, found.document_count, found.smallest_member_resemblance_or_1) == (
        7,
        5,
        1 - 4 / 50,
    )
    assert found.clusters[0].also == "z"
    decisions = Decisions(tmp_path / "r.jsonl")
    assert found.count_undecided(decisions) == 4
    decisions.decide_unless_late("Ann", cluster="a", keeper="a", members=["c"], judgement=KEEPER)
    assert families.documents_but_the_keeper(found.clusters[0], decisions) == ["a", "b", "d", "e"]
    assert found.count_undecided(decisions) == 3
    decisions.decide_unless_late(
        "Ann", cluster="a", keeper="c", members=["nowhere"], judgement=KEEPER
    )
    assert families.keeper_of_cluster(found.clusters[0], decisions) == "a"


def test_clusters_of_one_family_stand_together(rows: list[dict[str, Any]]) -> None:
    other = {**rows[1], "keeper": "b"}
    later = {**rows[1], "family": 8}
    found = families.parse_families_with_members([rows[1], other, later])
    assert [(one.number, len(one.clusters)) for one in found] == [(7, 2), (8, 1)]


def test_what_nobody_decided_stays_as_it_was(rows: list[dict[str, Any]], tmp_path: Path) -> None:
    assert list(families.plan_lines_with_decisions(rows, Decisions(tmp_path / "r.jsonl"))) == rows


def test_a_decision_is_an_action_and_a_label(rows: list[dict[str, Any]], tmp_path: Path) -> None:
    cluster = decided(rows, tmp_path, ("b", DIFFERENT), ("d", SAME), ("e", SAME))
    assert of(cluster) == {
        "b": ("keep", "different"),
        "c": ("drop", None),
        "d": ("drop", "same"),
        "e": ("keep", "same"),  # It is no file: nothing can give way.
    }


def test_another_keeper_stays_and_the_first_gives_way(
    rows: list[dict[str, Any]], tmp_path: Path
) -> None:
    cluster = decided(rows, tmp_path, ("b", DIFFERENT), ("c", KEEPER), ("d", SAME))
    assert cluster["keeper"] == "c"
    # What was said of b was said beside a: it stays, and is no label beside c.
    assert of(cluster) == {
        "a": ("drop", "same"),
        "b": ("keep", None),
        "d": ("drop", "same"),
        "e": ("keep", None),
    }
    verdicts = {each["source"]: each["verdict"] for each in others(cluster)}
    # Nothing but a was compared with c: no other member may pass for a copy of it.
    assert verdicts == {"a": "near", "b": "connected", "d": "connected", "e": "connected"}


def test_a_copy_that_stays_is_like_all_that_its_keeper_was(
    rows: list[dict[str, Any]], tmp_path: Path
) -> None:
    cluster = decided(rows, tmp_path, ("b", KEEPER))
    verdicts = {each["source"]: each["verdict"] for each in others(cluster)}
    assert verdicts == {"a": "exact", "c": "near", "d": "numbers_only", "e": "contained"}


def test_no_plan_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    path.write_text("{}\n")
    with pytest.raises(PlanError):
        families.check_and_read_plan_lines(path)
    with pytest.raises(PlanError):
        families.parse_families_with_members([{"keeper": "a"}])
