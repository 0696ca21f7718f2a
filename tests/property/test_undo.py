"""Any owners, modes, attributes and names of files, and kills: undo gives all of it back."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

import ilk
from ilk import write
from ilk.tasks.apply import carry
from ilk.tasks.apply import file_plan as plans
from ilk.tasks.apply.carry import DropMethod
from tests.property.test_folders import Killed, hooked, kill
from tests.support.fixtures import examples

pytestmark = pytest.mark.skipif(
    not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root can be several users"
)

_PHASES = (Phase.generate,)
_TEXTS = [" ".join(f"word{start + n}" for n in range(80)) for start in (0, 500)]

files = st.lists(
    st.tuples(
        st.sampled_from(["", "a/", "b/c/"]),
        st.integers(0, 1),
        st.sampled_from([0, 4001, 4002]),
        st.sampled_from([0o600, 0o640, 0o755, 0o4711]),
        st.sampled_from([None, b"one", b"\xff\0"]),
        st.booleans(),
    ),
    min_size=3,
    max_size=7,
)


def state() -> dict[str, Any]:
    """Return all that files have, and which of them are one."""
    every, ones = dict[str, Any](), dict[int, list[str]]()
    for path in sorted(Path("in").rglob("*")):
        if not path.is_symlink() and path.is_file():
            status = path.stat()
            ones.setdefault(status.st_ino, []).append(str(path))
            values = {name: os.getxattr(path, name) for name in os.listxattr(path)}
            owners = status.st_uid, status.st_gid, status.st_mode
            times = status.st_atime_ns, status.st_mtime_ns
            every[str(path)] = (path.read_bytes(), owners, times, values, ones[status.st_ino])
            os.utime(path, ns=times)
    return every


def check(made: list[Any], kind: str, across: bool, kills: list[int]) -> None:
    before_here, memory = os.getcwd(), "/dev/shm" if Path("/dev/shm").is_dir() else None
    with tempfile.TemporaryDirectory() as place, tempfile.TemporaryDirectory(dir=memory) as far:
        os.chdir(place)
        try:
            for at, (folder, text, owner, mode, value, linked) in enumerate(made):
                path = Path("in", folder, f"{at}.txt")
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(_TEXTS[text])
                if value is not None:
                    os.setxattr(path, "user.tag", value)
                os.chown(path, owner, owner + 1)
                path.chmod(mode)
                os.utime(path, ns=(10**18 + at, 10**18 + at))
                if linked:
                    os.link(path, path.with_name(f"{at} too.txt"))
            with Path("plan").open("wb") as out:
                write.write_jsonl(ilk.find("in", jobs=1).files().lines(), out)
            plan, was = plans.read_plan("plan"), state()
            aside = (f"{far}/aside" if across else "new/aside") if kind == "move" else None
            way = DropMethod(kind, aside, any_owner=True)
            for at in kills:
                try:
                    with hooked(at, kill):
                        carry.apply(plan, way, Path("log"), dry=False)
                except Killed:
                    pass
                try:
                    with hooked(at // 2, kill):
                        carry.undo(Path("log"), dry=False)
                except Killed:
                    pass
            assert carry.undo(Path("log"), dry=False).left == []
            assert state() == was
            assert not Path("new").exists()
            assert list(Path(far).iterdir()) == []
        finally:
            os.chdir(before_here)


runs = given(
    made=files,
    kind=st.sampled_from(["move", "hardlink", "symlink"]),
    across=st.booleans(),
    kills=st.lists(st.integers(1, 60), min_size=1, max_size=4),
)


@runs
@examples(5, deadline=None, phases=_PHASES, suppress_health_check=list(HealthCheck))
def test_undo_gives_all_of_it_back(
    made: list[Any], kind: str, across: bool, kills: list[int]
) -> None:
    check(made, kind, across, kills)


@pytest.mark.parametrize("kills", [[3], [4], [8], [4, 54]])
def test_undo_leaves_no_folder_of_a_move_that_was_killed(kills: list[int]) -> None:
    made = [("a/", 1, 4001, 0o600, None, True), ("a/", 1, 4001, 0o640, b"one", True)]
    check(made, "move", True, kills)


def test_a_name_whose_act_was_reverted_and_then_done_is_not_back_yet() -> None:
    """It is a link to its keeper, which has the same bytes, and no name of the file of before."""
    made = [
        ("a/", 0, 4002, 0o755, None, False),
        ("a/", 0, 4001, 0o4711, b"\xff\0", False),
        ("b/c/", 1, 0, 0o600, b"\xff\0", False),
        ("a/", 0, 4002, 0o640, b"\xff\0", True),
        ("a/", 1, 0, 0o4711, b"\xff\0", False),
        ("b/c/", 1, 0, 0o4711, b"one", True),
        ("b/c/", 1, 4001, 0o600, b"one", True),
    ]
    check(made, "hardlink", False, [9, 33])


@pytest.mark.parametrize("kills", [[26, 22], [16, 16], [58, 19, 49, 30]])
def test_undo_leaves_no_folder_if_it_was_killed_while_it_removed_them(kills: list[int]) -> None:
    made = [
        ("", 1, 0, 0o755, b"one", False),
        ("b/c/", 1, 0, 0o755, b"one", False),
        ("", 1, 4002, 0o640, b"\xff\0", True),
    ]
    check(made, "move", False, kills)


@pytest.mark.long
@runs
@settings(max_examples=500, deadline=None, phases=_PHASES, suppress_health_check=list(HealthCheck))
def test_undo_gives_all_of_it_back_for_long(
    made: list[Any], kind: str, across: bool, kills: list[int]
) -> None:
    check(made, kind, across, kills)
