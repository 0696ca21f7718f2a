"""What people decide, beside a plain list: after every kill, by several at a time, taken back."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ilk.base.errors import OutputError, PlanError
from ilk.tasks.apply.file_plan import DIFFERENT, SAME
from ilk_server.decisions import KEEPER, SAYINGS, Decisions

NAMES = ("a", "b", "c", "d\n\u00e9")
CLUSTER = "a"

SAID = st.tuples(
    st.sampled_from(("Ann", "Bob")), st.sampled_from(NAMES[1:]), st.sampled_from(SAYINGS)
)
UNDONE = st.tuples(st.sampled_from(("Ann", "Bob")), st.none() | st.integers(0, 9))


class Plain:
    """The same as a list of what was said, and what of it stands."""

    def __init__(self) -> None:
        self.said: list[tuple[str, str, str, str]] = []
        self.stands: list[bool] = []

    def decide(self, who: str, name: str, said: str) -> None:
        self.said.append((who, self.keeper(), name, said))
        self.stands.append(True)

    def undo(self, who: str, number: int | None) -> int | None:
        own = [at for at, one in enumerate(self.said) if one[0] == who and self.stands[at]]
        if number is None:
            number = own[-1] if own else None
        if number is None or number >= len(self.said) or not self.stands[number]:
            return None
        self.stands[number] = False
        return number

    def standing(self) -> list[tuple[str, str, str, str]]:
        return [one for one, stands in zip(self.said, self.stands, strict=True) if stands]

    def keeper(self) -> str:
        taken = [name for _, _, name, said in self.standing() if said == KEEPER]
        return taken[-1] if taken else CLUSTER

    def of_member(self, name: str) -> str | None:
        found = [
            said
            for _, keeper, member, said in self.standing()
            if name == (keeper if said == KEEPER else member)
        ]
        return found[-1] if found else None

    def labels(self) -> dict[frozenset[str], bool]:
        return {
            frozenset((keeper, member)): said != DIFFERENT
            for _, keeper, member, said in self.standing()
        }


@given(acts=st.lists(SAID | UNDONE, max_size=14), reopened=st.integers(1, 4))
def test_decisions_are_those_of_a_plain_list(
    acts: list[tuple[str, str, str] | tuple[str, int | None]],
    reopened: int,
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    path = tmp_path_factory.mktemp("d") / "review.jsonl"
    plain, several = Plain(), [Decisions(path), Decisions(path)]
    for at, act in enumerate(acts):
        one = several[at % 2]
        one.read_new_decisions()
        if len(act) == 3:
            who, name, said = act
            if name == plain.keeper():
                continue
            one.decide_unless_late(
                who, cluster=CLUSTER, keeper=plain.keeper(), members=[name], judgement=said
            )
            plain.decide(who, name, said)
        else:
            who, number = act
            undone = one.undo(who, number)
            assert (None if undone is None else undone.number) == plain.undo(who, number)
        if at % reopened == 0:
            several[1] = Decisions(path)
    for each in several:
        each.read_new_decisions()
        assert [
            (d.who, d.keeper, *d.members, d.said) for d in each.decisions_in_force()
        ] == plain.standing()
        assert (each.chosen_keeper_if_any(CLUSTER) or CLUSTER) == plain.keeper()
        for name in NAMES:
            found = each.decision_in_force_on(CLUSTER, name)
            assert (None if found is None else found.said) == plain.of_member(name)
        assert {frozenset(pair[:2]): pair[2] for pair in each.pair_labels()} == plain.labels()


def test_a_kill_at_any_byte_loses_no_line_before_it(tmp_path: Path) -> None:
    path = tmp_path / "review.jsonl"
    whole = Decisions(path)
    for name in NAMES[1:]:
        whole.decide_unless_late(
            "Ann", cluster=CLUSTER, keeper=CLUSTER, members=[name], judgement=SAME
        )
    content = path.read_bytes()
    for end in range(len(content)):
        path.write_bytes(content[:end])
        one = Decisions(path)
        kept = max(0, content[:end].count(b"\n") - 1)
        assert [each.members[0] for each in one.decisions_in_force()] == list(NAMES[1 : 1 + kept])
        one.decide_unless_late(
            "Bob", cluster=CLUSTER, keeper=CLUSTER, members=["later"], judgement=DIFFERENT
        )
        again = [each.members[0] for each in Decisions(path).decisions_in_force()]
        assert again == [*NAMES[1 : 1 + kept], "later"]


def test_who_looked_before_another_one_decided_is_late(tmp_path: Path) -> None:
    one, other = (Decisions(tmp_path / "review.jsonl") for _ in range(2))
    assert (
        one.decide_unless_late(
            "Ann", cluster=CLUSTER, keeper=CLUSTER, members=["b"], judgement=SAME, decisions_seen=0
        )
        is not None
    )
    assert (
        other.decide_unless_late(
            "Bob",
            cluster=CLUSTER,
            keeper=CLUSTER,
            members=["b"],
            judgement=DIFFERENT,
            decisions_seen=0,
        )
        is None
    )
    assert (
        other.decide_unless_late(
            "Bob",
            cluster=CLUSTER,
            keeper=CLUSTER,
            members=["c"],
            judgement=DIFFERENT,
            decisions_seen=0,
        )
        is not None
    )
    assert (
        other.decide_unless_late(
            "Bob",
            cluster=CLUSTER,
            keeper=CLUSTER,
            members=["b"],
            judgement=DIFFERENT,
            decisions_seen=1,
        )
        is not None
    )
    assert (
        one.decide_unless_late(
            "Ann",
            cluster=CLUSTER,
            keeper=CLUSTER,
            members=["d"],
            judgement=KEEPER,
            decisions_seen=2,
        )
        is not None
    )
    # The keeper that Bob has before him keeps no more.
    assert (
        other.decide_unless_late(
            "Bob", cluster=CLUSTER, keeper=CLUSTER, members=["e"], judgement=SAME, decisions_seen=2
        )
        is None
    )
    assert [each.said for each in one.decisions_in_force()] == [SAME, DIFFERENT, DIFFERENT, KEEPER]


def test_another_file_is_refused_and_stays(tmp_path: Path) -> None:
    path = tmp_path / "notes.txt"
    path.write_text("of somebody\n")
    with pytest.raises(PlanError, match="not a file of review decisions"):
        Decisions(path)
    assert path.read_text() == "of somebody\n"
    missing = Decisions(tmp_path / "none" / "review.jsonl")
    with pytest.raises(OutputError, match="cannot write"):
        missing.decide_unless_late(
            "Ann", cluster=CLUSTER, keeper=CLUSTER, members=["b"], judgement=SAME
        )


@pytest.mark.parametrize("happens", ["removed", "emptied", "cut", "replaced"])
def test_what_is_decided_when_the_file_was_changed_is_in_a_whole_file(
    tmp_path: Path, happens: str
) -> None:
    decisions = Decisions(tmp_path / "d")
    for name in ("b", "c", "d"):
        decisions.decide_unless_late("Ann", cluster="a", keeper="a", members=[name], judgement=SAME)
    if happens == "removed":
        (tmp_path / "d").unlink()
    elif happens == "emptied":
        (tmp_path / "d").write_bytes(b"")
    elif happens == "cut":
        (tmp_path / "d").write_bytes(b"".join((tmp_path / "d").read_bytes().splitlines(True)[:2]))
    else:
        other = Decisions(tmp_path / "other")
        for number in range(9):
            other.decide_unless_late(
                "Bob", cluster="x", keeper="x", members=[f"y{number}"], judgement=SAME
            )
        other.path.replace(tmp_path / "d")
    assert (
        decisions.decide_unless_late("Ann", cluster="a", keeper="a", members=["e"], judgement=SAME)
        is not None
    )
    again = Decisions(tmp_path / "d")
    assert again.decisions_in_force() == decisions.decisions_in_force()
    assert again.decisions_in_force()[-1].members == ("e",)
    assert len(again) == {"removed": 1, "emptied": 1, "cut": 2, "replaced": 10}[happens]


@pytest.mark.parametrize(
    "line", ['{"said": "same"}', '{"undo": 99}', '{"undo": "x"}', '{"said": 1, "members": 5}']
)
def test_a_line_that_is_no_decision_is_an_error_that_names_the_file(
    tmp_path: Path, line: str
) -> None:
    decisions = Decisions(tmp_path / "d")
    decisions.decide_unless_late("Ann", cluster="a", keeper="a", members=["b"], judgement=SAME)
    whole = (tmp_path / "d").read_text()
    (tmp_path / "d").write_text(f"{whole}{line}\n")
    for _ in range(2):
        with pytest.raises(PlanError, match="no decision"):
            decisions.decide_unless_late(
                "Ann", cluster="a", keeper="a", members=["c"], judgement=SAME
            )
    with pytest.raises(PlanError, match="no decision"):
        Decisions(tmp_path / "d")
    (tmp_path / "d").write_text(whole)
    decisions.read_new_decisions()
    assert [one.members for one in decisions.decisions_in_force()] == [("b",)]
