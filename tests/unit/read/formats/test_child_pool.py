"""Child processes: they answer, and when they do not, others take their place."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from ilk.read.files.content import Unreadable
from ilk.read.formats.child_pool import Child, Pool
from ilk.read.formats.parts import DONE, FAILED

#: A child that does what a question says, and answers it with three answers.
OBEYING = """
import os, sys, time
while head := sys.stdin.buffer.read(8):
    question = sys.stdin.buffer.read(int.from_bytes(head, "big"))
    for kind in (2, 3, 1 if question == b"fail" else 0):
        if question == b"die" and kind == 3:
            os.abort()
        if question == b"sleep" and kind == 3:
            time.sleep(1000)
        content = b"%d: %s" % (os.getpid(), question)
        sys.stdout.buffer.write(bytes([kind]) + len(content).to_bytes(8, "big") + content)
        sys.stdout.flush()
"""


@pytest.fixture
def started(tmp_path: Path) -> list[Child]:
    del tmp_path
    return []


@pytest.fixture
def start(tmp_path: Path, started: list[Child]) -> Callable[[], Child]:
    (tmp_path / "child.py").write_text(OBEYING)

    def start() -> Child:
        started.append(Child(str(tmp_path / "child.py"), []))
        return started[-1]

    return start


def test_one_child_answers_all_questions_with_several_answers_each(
    start: Callable[[], Child], started: list[Child]
) -> None:
    pool = Pool(start, 60, "it")
    for last, question in ((DONE, b"one"), (FAILED, b"fail"), (DONE, b"x" * 1_000_000)):
        kinds, contents = zip(*pool.ask(question), strict=True)
        assert kinds == (2, 3, last)
        assert {content.partition(b": ")[2] for content in contents} == {question}
    assert len(started) == 1
    pool.end_children()
    assert started[0]._process.returncode is not None


@pytest.mark.parametrize(
    ("question", "reason"), [(b"die", "it crashed"), (b"sleep", r"it did not end within 0\.5 s")]
)
def test_a_child_that_dies_or_sleeps_harms_one_question_alone(
    start: Callable[[], Child], started: list[Child], question: bytes, reason: str
) -> None:
    pool = Pool(start, 0.5, "it")
    with pytest.raises(Unreadable, match=reason):
        list(pool.ask(question))
    assert len(list(pool.ask(b"next"))) == 3
    assert len(started) == 2
    pool.end_children()


def test_whoever_stops_listening_leaves_no_child(
    start: Callable[[], Child], started: list[Child]
) -> None:
    answers = Pool(start, 60, "it").ask(b"sleep")
    assert next(answers)[0] == 2
    answers.close()  # type: ignore[attr-defined]
    assert started[0]._process.returncode is not None


def test_a_failure_is_an_answer_and_costs_no_child(
    start: Callable[[], Child], started: list[Child]
) -> None:
    pool = Pool(start, 60, "it")
    for _ in range(3):
        answers = pool.ask(b"fail")
        assert FAILED in (kind for kind, _ in answers)
        answers.close()  # type: ignore[attr-defined]
    assert len(started) == 1
    pool.end_children()


def test_a_child_that_others_have_spent_is_replaced_and_the_question_is_answered(
    tmp_path: Path,
) -> None:
    """Each child here answers one question, and ends at the next one."""
    (tmp_path / "child.py").write_text(OBEYING.replace("while head :=", "if head :="))
    pool = Pool(lambda: Child(str(tmp_path / "child.py"), []), 60, "it")
    for _ in range(3):
        assert [kind for kind, _ in pool.ask(b"one")] == [2, 3, DONE]
    pool.end_children()


def test_a_pool_that_is_closed_answers_nothing(start: Callable[[], Child]) -> None:
    pool = Pool(start, 60, "it")
    with (
        pool.children_ended_and_none_started(),
        pytest.raises(Unreadable, match="it was abandoned"),
    ):
        next(pool.ask(b"one"))
    assert len(list(pool.ask(b"one"))) == 3
    pool.end_children()
