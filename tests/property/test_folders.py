"""Folders that change while they are cleaned, in any way and by any plan: nothing is lost."""

from __future__ import annotations

import contextlib
import json
import os
import random
import resource
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from unittest import mock

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule

import ilk
from ilk import write
from ilk.base.errors import IlkError, NothingRead
from ilk.read.files.walk import MOVED_HERE
from ilk.tasks.apply import carry
from ilk.tasks.apply import file_plan as plans
from ilk.tasks.apply.carry import DropMethod
from ilk.tasks.apply.places import PART
from tests.property.test_cleaning import DROPPED, covered, entries, every_leaf, text_of
from tests.support.file_trees import tree

#: System calls in which a run may be killed, or meet another run.
_CALLS = ("unlink", "link", "symlink", "fsync", "replace", "mkdir", "rmdir")

WAYS = ("move", "trash", "hardlink", "symlink")


class Killed(BaseException):
    """A kill: nothing of ilk catches it."""


@contextlib.contextmanager
def hooked(at: int, act: Callable[[], object]) -> Iterator[None]:
    """Do something in the system call of that number."""
    count = 0

    def call(original: Callable[..., Any]) -> Callable[..., Any]:
        def counted(*args: Any, **named: Any) -> Any:
            nonlocal count
            count += 1
            if count == at:
                act()
            return original(*args, **named)

        return counted

    with contextlib.ExitStack() as stack:
        for name in _CALLS:
            stack.enter_context(mock.patch.object(os, name, call(getattr(os, name))))
        yield


def kill() -> None:
    raise Killed


def contents(*folders: Path, parts: bool) -> set[bytes]:
    """Return the bytes of all files but ilk's own.

    With ``parts``, those of copies that a kill left behind are among them. They count as what is
    there, since a complete one may be all there is; and not as what must stay, since others are
    half written.
    """
    every = (path for folder in folders for path in folder.rglob("*"))
    paths = (path for path in every if path.name != MOVED_HERE)
    paths = (path for path in paths if parts or path.suffix != PART)
    return {path.read_bytes() for path in paths if path.is_file() and not path.is_symlink()}


class Folders(RuleBasedStateMachine):
    """A folder, plans for it, and people, programs and disks that get in the way."""

    def __init__(self) -> None:
        super().__init__()
        self.before = os.getcwd()
        self.place = Path(tempfile.mkdtemp())
        os.chdir(self.place)
        home = mock.patch.dict(os.environ, XDG_DATA_HOME=str(self.place / "home"))
        home.start()
        self.home = home
        self.top, self.aside = Path("in"), Path("in/aside")
        # Another device, if there is one.
        memory = "/dev/shm" if Path("/dev/shm").is_dir() else None
        self.device = Path(tempfile.mkdtemp(dir=memory))
        for folder in ("in", "far", "home"):
            Path(folder).mkdir()
        Path("far/x.txt").write_bytes(text_of(0))
        Path("far/y.txt").write_bytes(text_of(3))
        self.far = tree(Path("far"))
        self.plan: plans.FilePlan | None = None
        self.edited = self.damaged = False
        self.logs = 0

    def teardown(self) -> None:
        self.home.stop()
        os.chdir(self.before)
        shutil.rmtree(self.place)
        shutil.rmtree(self.device)

    @initialize(made=entries, links=st.booleans())
    def folder(self, made: list[tuple[str, tuple[str, bytes]]], links: bool) -> None:
        for at, (folder, (kind, content)) in enumerate(made):
            path = self.top / folder / f"{at}{kind}"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
        (self.top / "alone.txt").write_text("something else that is like nothing in here at all")
        if links:
            (self.top / "link").symlink_to("../far")
            first = min(path for path in self.top.rglob("*") if path.is_file())
            os.link(first, self.top / f"hard{first.suffix}")
        self.scan([])

    def some(self, number: int) -> Path | None:
        """Return one of the files that stay."""
        paths = sorted(path for path in self.top.rglob("*") if path.is_file())
        paths = [path for path in paths if "aside" not in path.parts and not path.is_symlink()]
        return paths[number % len(paths)] if paths else None

    @property
    def log(self) -> Path:
        return Path(f"log{self.logs}")

    @rule(drop=DROPPED)
    def scan_again(self, drop: list[str]) -> None:
        self.scan(drop)

    def scan(self, drop: list[str]) -> None:
        try:
            result = ilk.find(self.top, jobs=1)
        except NothingRead:
            self.plan = None
            return
        with Path("plan").open("wb") as out:
            write.write_jsonl(result.files(drop=drop).lines(), out)
        self.plan, self.edited = plans.read_plan("plan"), False
        self.logs += 1
        self.damaged = False

    @precondition(lambda self: self.plan is not None)
    @rule(seed=st.integers(0, 10**6))
    def edit_the_plan(self, seed: int) -> None:
        """Let someone else write something into the plan."""
        draw = random.Random(seed)
        rows = [json.loads(line) for line in Path("plan").read_text().splitlines()]
        outside = draw.choice(["../far/x.txt", "far/x.txt", os.path.abspath("far/y.txt"), "/"])
        members = [member for row in rows for member in row.get("members", [row])]
        one, other = draw.choice(members), draw.choice(members)
        edits: list[Callable[[], object]] = [
            lambda: one.update(action="drop"),
            lambda: one.update(source=outside, file=outside),
            lambda: one.update(source=outside, action="drop"),
            lambda: one.update({k: other[k] for k in ("size", "digest") if k in other}),
            lambda: draw.choice(rows).update(keeper=outside),
            lambda: draw.choice(rows).update(keeper=one.get("source")),
            lambda: rows[0].get("plan", {}).update(roots=["/"]),
            lambda: rows[0].get("plan", {}).update(folder=os.path.abspath("far")),
            lambda: rows.pop(draw.randrange(1, len(rows))) if len(rows) > 1 else None,
            lambda: one.update(verdict="identical"),
        ]
        for edit in draw.sample(edits, 2):
            edit()
        Path("plan").write_text("".join(json.dumps(row) + "\n" for row in rows))
        try:
            self.plan, self.edited = plans.read_plan("plan"), True
        except IlkError:
            self.plan = None

    @rule(
        number=st.integers(0, 50),
        other=st.integers(0, 50),
        how=st.sampled_from(
            ["replace", "grow", "link", "link outside", "folder", "hard link", "gone", "above"]
        ),
    )
    def change(self, number: int, other: int, how: str) -> None:
        """Let a person or a program change a file between the plan and the act."""
        path, second = self.some(number), self.some(other)
        if path is None or second is None or path == second:
            return
        content, name = path.read_bytes(), os.path.relpath(second, path.parent)
        if how == "above":
            if path.parent == self.top or second.is_relative_to(path.parent):
                return
            shutil.rmtree(path.parent)
            path.parent.symlink_to(os.path.relpath(second.parent, path.parent.parent))
            return
        path.unlink()
        if how == "replace":
            path.write_bytes(content[:-1] + b"?")
        elif how == "grow":
            path.write_bytes(content + b" and more")
        elif how == "link":
            path.symlink_to(name)
        elif how == "link outside":
            path.symlink_to(os.path.abspath("far/x.txt"))
        elif how == "folder":
            path.mkdir()
        elif how == "hard link":
            os.link(second, path)

    def everything(self) -> set[Any]:
        """Return what a person would miss if no file that stays in the folder had it."""
        return set(every_leaf(self.top))

    def lost(self, had: set[Any]) -> list[Any]:
        """Return what was in the folder, and is in no file that stays there."""
        stays = every_leaf(self.top)
        return [leaf for leaf in had if not covered(leaf, stays)]

    def kept(self, had: set[Any], was: set[bytes]) -> None:
        """Check that nothing is lost, and nothing outside touched."""
        assert tree(Path("far")) == self.far
        now = contents(self.top, Path("home/Trash/files"), self.device, parts=True)
        assert [(len(one), one[:40]) for one in was - now] == [], "bytes are gone"
        if not self.edited:
            assert self.lost(had) == []

    @contextlib.contextmanager
    def checked(self) -> Iterator[None]:
        had = self.everything()
        was = contents(self.top, Path("home/Trash/files"), self.device, parts=False)
        try:
            yield
        except Killed:
            pass
        except (IlkError, OSError):
            assert self.edited or self.damaged or self.full, "refused without a reason"
        self.kept(had, was)

    full = False

    @precondition(lambda self: self.plan is not None)
    @rule(
        kind=st.sampled_from(WAYS),
        at=st.integers(0, 40),
        across=st.booleans(),
        trouble=st.sampled_from(["none", "none", "kill", "twice", "full", "read-only", "script"]),
    )
    def apply(self, kind: str, at: int, across: bool, trouble: str) -> None:
        assert self.plan is not None
        aside = self.device / "aside" if across else self.aside
        plan, way = self.plan, DropMethod(kind, str(aside) if kind == "move" else None)
        if trouble == "script" and kind != "trash":
            with self.checked():
                text = b"\n".join(carry.script_lines_for_unchanged_files(plan, way)) + b"\n"
                subprocess.run(["sh"], input=text, check=False, capture_output=True)
            self.damaged = True
            return

        def act() -> None:
            if trouble == "kill":
                kill()
            if trouble == "twice":
                with contextlib.suppress(IlkError):
                    carry.apply(plan, way, Path("another"), dry=False)

        self.full = trouble in ("full", "read-only")
        _, most = resource.getrlimit(resource.RLIMIT_FSIZE)
        with self.checked(), hooked(at, act):
            try:
                if trouble == "full":
                    resource.setrlimit(resource.RLIMIT_FSIZE, (at * 100, most))
                if trouble == "read-only":
                    self.top.chmod(0o500)
                carry.apply(plan, way, self.log, dry=False)
            finally:
                resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))
                self.top.chmod(0o755)
        self.full = False

    @rule(seed=st.integers(0, 10**6), how=st.sampled_from(["cut", "edit", "drop"]))
    def damage_the_log(self, seed: int, how: str) -> None:
        if not self.log.exists() or not self.log.stat().st_size:
            return
        draw, content = random.Random(seed), self.log.read_bytes()
        at, lines = draw.randrange(len(content)), content.splitlines(keepends=True)
        if how == "cut":
            content = content[:at]
        elif how == "edit":
            content = content[:at] + bytes([draw.randrange(32, 127)]) + content[at + 1 :]
        else:
            lines.pop(draw.randrange(len(lines)))
            content = b"".join(lines)
        self.log.write_bytes(content)
        self.damaged = True

    @rule(at=st.integers(0, 60), killed=st.booleans())
    def undo(self, at: int, killed: bool) -> None:
        if not self.log.exists():
            return
        with self.checked(), hooked(at if killed else -1, kill):
            carry.undo(self.log, dry=False)


class ManyFolders(Folders):
    """The same, for long."""


_HEALTH = list(HealthCheck)
_PHASES = [
    Phase.explicit,
    Phase.reuse,
    Phase.generate,
]  # What fails is read as it is: steps are slow.


def in_steps(folders: int, steps: int) -> settings:
    """Return the settings of a machine for that many folders and steps in each."""
    return settings(
        max_examples=folders,
        stateful_step_count=steps,
        deadline=None,
        phases=_PHASES,
        suppress_health_check=_HEALTH,
    )


TestFolders = Folders.TestCase
TestFolders.settings = in_steps(20, 12)
TestManyFolders = pytest.mark.long(ManyFolders.TestCase)
TestManyFolders.settings = in_steps(1_000, 25)
