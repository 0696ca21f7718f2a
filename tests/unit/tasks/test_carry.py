"""Plans for files: carried out, taken back, killed, and refused where something has changed."""

from __future__ import annotations

import gzip
import json
import os
import random
import subprocess
import sys
import tempfile
import time
import tracemalloc
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeAlias

import pytest

import ilk
from ilk import write
from ilk.base.errors import OptionError, OutputError, PlanError
from ilk.fingerprints.digest import digest_of_pieces
from ilk.read.files.walk import MOVED_HERE
from ilk.tasks.apply import carry, files, trash
from ilk.tasks.apply import file_plan as plans
from ilk.tasks.apply.carry import DropMethod
from ilk.tasks.apply.places import PART, hold_parent_folder
from ilk.tasks.apply.rights import make_folders_no_more_open_than
from tests.support.file_trees import tree

TEXT = " ".join(f"word{n}" for n in range(100))

Rows: TypeAlias = list[dict[str, Any]]
Edit: TypeAlias = Callable[[Rows], object]

#: Names that shells, terminals and JSON take for something else.
NAMES = (
    b"a.txt",
    b"sub/-rf",
    b"sub/new\nline",
    b'it\'s "q" $(x) `y` *',
    b"bad\xff\xfe",
    b"back\\x41",
    b"long" * 63 + b"est",
)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    place = tmp_path / "in"
    (place / "sub").mkdir(parents=True)
    for name in NAMES:
        Path(os.fsdecode(bytes(place) + b"/" + name)).write_text(TEXT)
    (place / "near.txt").write_text(TEXT + " and a little more at the end")
    (place / "other.txt").write_text("nothing of this stands anywhere else in that folder")
    return place


@pytest.fixture
def plan(folder: Path) -> plans.FilePlan:
    return made(folder)


def made(folder: Path, edit: Edit = lambda _: None) -> plans.FilePlan:
    result = ilk.find(folder)
    rows = list(result.files(drop="near").lines())
    edit(rows)
    path = folder.parent / "plan.jsonl"
    with path.open("wb") as out:
        write.write_jsonl(iter(rows), out)
    return plans.read_plan(path)


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Give the desktop of this test a trash of its own, on the device of the files."""
    place = tmp_path / "home"
    (place / "share").mkdir(parents=True)
    monkeypatch.setenv("HOME", str(place))
    monkeypatch.setenv("XDG_DATA_HOME", str(place / "share"))
    return place


@pytest.fixture
def other_device(tmp_path: Path) -> Iterator[Path]:
    """Give a folder on another device than that of the files."""
    memory = Path("/dev/shm")
    if not memory.is_dir() or memory.stat().st_dev == tmp_path.stat().st_dev:
        pytest.skip("there is no other device")
    with tempfile.TemporaryDirectory(dir=memory) as place:
        yield Path(place)


@pytest.mark.parametrize("kind", ["move", "hardlink", "symlink", "trash"])
@pytest.mark.usefixtures("home")
def test_what_is_done_is_taken_back(kind: str, folder: Path, plan: plans.FilePlan) -> None:
    before, log = tree(folder), folder.parent / "log"
    way = DropMethod(kind, str(folder.parent / "aside") if kind == "move" else None)
    shown = carry.apply(plan, way, log)
    assert tree(folder) == before
    assert not log.exists()
    done = carry.apply(plan, way, log, dry=False)
    assert (done.act_count, done.left, done.acts) == (shown.act_count, [], shown.acts)
    assert done.act_count == len(NAMES) - 1 + (kind not in carry.LINKS)
    assert tree(folder) != before
    if kind in carry.LINKS:
        assert (folder / "near.txt").read_text().endswith("end")
        assert all((folder / os.fsdecode(name)).read_text() == TEXT for name in NAMES)
    again = carry.apply(plan, way, log, dry=False)
    assert (again.act_count, again.before) == (0, done.act_count)
    assert carry.undo(log).act_count == done.act_count
    assert tree(folder) != before
    assert carry.undo(log, dry=False).left == []
    assert tree(folder) == before
    assert carry.undo(log, dry=False).act_count == 0


def test_a_script_does_the_same(folder: Path, plan: plans.FilePlan) -> None:
    way = DropMethod("move", str(folder.parent / "aside"))
    text = b"\n".join(carry.script_lines_for_unchanged_files(plan, way)) + b"\n"
    copy = folder.parent / "copy"
    subprocess.run(["cp", "-a", folder, copy], check=True)
    carry.apply(plan, way, folder.parent / "log", dry=False)
    moved = tree(folder), tree(folder.parent / "aside")
    carry.undo(folder.parent / "log", dry=False)
    assert tree(folder) == tree(copy)
    assert not (folder.parent / "aside").exists()  # Nothing is left of it.
    subprocess.run(["sh"], input=text, check=True)
    again = tree(folder.parent / "aside")
    marks = [found[1].pop(MOVED_HERE.encode()) for found in (moved, (0, again))]
    assert (tree(folder), again) == moved
    assert all(marks)


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (lambda _, member: member.write_text("changed"), "has changed"),
        (lambda keeper, _: keeper.write_text("changed"), "its keeper has changed"),
        (lambda keeper, _: keeper.unlink(), "its keeper is gone"),
        (lambda _, member: member.unlink(), "No such file"),
        (lambda keeper, member: (member.unlink(), member.hardlink_to(keeper)), "the same file"),
        (lambda keeper, member: (member.unlink(), member.symlink_to(keeper)), "not a regular file"),
    ],
)
def test_what_has_changed_is_left_alone(
    change: Callable[[Path, Path], object], reason: str, tmp_path: Path
) -> None:
    folder = tmp_path / "in"
    folder.mkdir()
    for name in ("a", "b"):
        (folder / name).write_text(TEXT)
    plan = made(folder)
    change(folder / "a", folder / "b")
    before = tree(folder)
    for way in (DropMethod("move", str(tmp_path / "aside")), DropMethod("hardlink")):
        done = carry.apply(plan, way, tmp_path / way.kind, dry=False)
        assert done.act_count == 0
        assert reason in done.left[0][1]
        assert tree(folder) == before


def test_only_files_of_equal_bytes_are_linked_and_others_go_by_a_word(plan: plans.FilePlan) -> None:
    near, result = plan, ilk.find("in")
    with Path("plan.jsonl").open("wb") as out:
        write.write_jsonl(result.files().lines(), out)
    default = plans.read_plan("plan.jsonl")
    assert set(plans.read_plan("plan.jsonl", ["near"]).dropped) == set(near.dropped)
    more = {going.path for going in near.dropped} - {going.path for going in default.dropped}
    assert [Path(path).name for path in more] == ["near.txt"]
    linked = carry.dropped_files_equal_if_linking(near, DropMethod("hardlink"))
    assert [going.path for going in linked] == [going.path for going in default.dropped]


def test_compressed_files_are_compared_with_their_own_bytes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They are moved like others, and never linked to a file that is not compressed."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "a.txt").write_text(TEXT)
    for name in ("b.txt.gz", "c.txt.gz"):
        (tmp_path / "in" / name).write_bytes(gzip.compress(TEXT.encode(), mtime=0))
    found = ilk.find(tmp_path / "in")
    with write.whole_file(tmp_path / "plan") as out:
        write.write_jsonl(found.files().lines(), out)
    plan = plans.read_plan(tmp_path / "plan")
    log = tmp_path / "log"
    assert carry.apply(plan, DropMethod("hardlink"), log).acts == []
    moved = carry.apply(plan, DropMethod("move", str(tmp_path / "aside")), log, dry=False)
    assert (moved.act_count, moved.left) == (2, [])
    assert moved.size == sum(path.stat().st_size for path in (tmp_path / "aside").rglob("*.gz"))


def test_a_file_that_stands_where_one_is_moved_to_is_not_replaced(
    folder: Path, plan: plans.FilePlan
) -> None:
    aside = folder.parent / "aside"
    (aside / "in").mkdir(parents=True)
    (aside / "in" / "near.txt").write_text("mine")
    done = carry.apply(plan, DropMethod("move", str(aside)), folder.parent / "log", dry=False)
    assert [Path(path).name for path, _ in done.left] == ["near.txt"]
    assert (aside / "in" / "near.txt").read_text() == "mine"
    assert (folder / "near.txt").exists()


def test_a_move_to_another_device_is_a_copy_that_is_compared(
    folder: Path, plan: plans.FilePlan, other_device: Path
) -> None:
    before = tree(folder)
    log = folder.parent / "log"
    done = carry.apply(plan, DropMethod("move", str(other_device / "aside")), log, dry=False)
    assert (done.act_count, done.left, done.notes) == (len(NAMES), [], [])
    assert carry.undo(log, dry=False).left == []
    assert tree(folder) == before
    assert list(other_device.iterdir()) == []


@pytest.mark.skipif(sys.platform == "win32", reason="RLIMIT_FSIZE is of POSIX")
def test_a_full_disk_loses_nothing(folder: Path, other_device: Path) -> None:
    """Files are moved to another disk, which is full in the middle of one."""
    import resource

    for name in ("large", "large copy"):
        (folder / f"{name}.txt").write_text("\n".join(f"line {n} of it" for n in range(10_000)))
    plan, before, log = made(folder), tree(folder), folder.parent / "log"
    least, most = resource.getrlimit(resource.RLIMIT_FSIZE)
    try:
        resource.setrlimit(resource.RLIMIT_FSIZE, (50_000, most))
        done = carry.apply(plan, DropMethod("move", str(other_device / "aside")), log, dry=False)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (least, most))
    assert done.left == [(str(folder / "large copy.txt"), "File too large")]
    assert done.act_count == len(NAMES)
    assert (folder / "large copy.txt").exists()
    assert not list(other_device.rglob(f"*{PART}"))
    assert carry.undo(log, dry=False).left == []
    assert tree(folder) == before


def test_what_is_in_the_trash_no_longer_is_left_alone(
    folder: Path, plan: plans.FilePlan, home: Path
) -> None:
    carry.apply(plan, DropMethod("trash"), Path("log"), dry=False)
    held = home / "share" / "Trash"
    (held / "files" / "near.txt").unlink()
    (held / "info" / "old.trashinfo").write_bytes(b"Path=\xff\n[x")
    (folder / os.fsdecode(NAMES[1])).write_text("mine")
    left = dict(carry.undo(Path("log"), dry=False).left)
    reasons = {Path(path).name: reason for path, reason in left.items()}
    assert reasons == {
        "near.txt": "has changed since it was moved, or is gone",
        "-rf": f"{folder / 'sub' / '-rf'} already exists",
    }
    assert (folder / "sub" / "-rf").read_text() == "mine"
    assert (held / "files" / "-rf").read_text() == TEXT


@pytest.mark.skipif(sys.platform == "win32", reason="RLIMIT_FSIZE is of POSIX")
def test_a_note_that_does_not_fit_on_the_disk_is_not_left_in_the_trash(home: Path) -> None:
    import resource

    file = home / "share" / "Trash" / "files" / "a.txt"
    least, most = resource.getrlimit(resource.RLIMIT_FSIZE)
    try:
        resource.setrlimit(resource.RLIMIT_FSIZE, (10, most))
        with pytest.raises(OSError, match="File too large"):
            trash.make_trash_folders_and_write_note(str(file), "[Trash Info]\nPath=a.txt\n")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (least, most))
    assert list((home / "share" / "Trash" / "info").iterdir()) == []


@pytest.mark.usefixtures("folder")
def test_the_trash_is_for_its_owner_only_and_at_an_absolute_place(
    plan: plans.FilePlan, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", "share")
    log = Path("log").absolute()
    assert carry.apply(plan, DropMethod("trash"), log, dry=False).left == []
    trash = home / ".local" / "share" / "Trash"
    for folder in (trash, trash / "files", trash / "info"):
        assert folder.stat().st_mode & 0o777 == 0o700
    monkeypatch.chdir(home)
    assert carry.undo(log, dry=False).left == []


@pytest.mark.usefixtures("home")
def test_a_name_that_is_taken_thousands_of_times_is_found_soon(tmp_path: Path) -> None:
    first, _ = trash.choose_trash_place_and_note_text(str(tmp_path / "a.txt"), ())
    held = Path(first).parent
    taken = {first} | {str(held / f"a.{number}.txt") for number in range(2, 5000)}
    tried: list[str] = []

    class Taken(set[str]):
        def __contains__(self, file: object) -> bool:
            tried.append(str(file))
            return super().__contains__(file)

    file, _ = trash.choose_trash_place_and_note_text(str(tmp_path / "a.txt"), Taken(taken))
    assert file == str(held / "a.5000.txt")
    assert len(tried) < 50


def test_folders_are_made_at_any_depth(tmp_path: Path) -> None:
    deep = os.path.join(tmp_path, *["d"] * 1500)
    make_folders_no_more_open_than(deep, str(tmp_path), model_parents=0)
    (Path(deep) / "a.txt").write_text(TEXT)
    aside = os.path.join(tmp_path, "aside", *["d"] * 1500)
    make_folders_no_more_open_than(aside, deep, model_parents=1500)
    with (
        hold_parent_folder(os.path.join(deep, "a.txt")) as source,
        hold_parent_folder(os.path.join(aside, "a.txt")) as to,
    ):
        files.move(source, to, part_name="part", digest="", description={})
    assert os.listdir(aside) == ["a.txt"]
    assert not os.listdir(deep)
    subprocess.run(["rm", "-r", str(tmp_path / "d"), str(tmp_path / "aside")], check=True)


def test_a_large_file_is_not_held_while_it_is_digested(tmp_path: Path) -> None:
    file = tmp_path / "large"
    with file.open("wb") as out:
        out.truncate(100 << 20)
    digest = digest_of_pieces([bytes(1 << 20)] * 100).hex()
    tracemalloc.start()
    assert files.has_content(str(file), 100 << 20, digest)
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert most < 10 << 20


def test_what_cannot_be_taken_back_is_not_put_into_the_trash(
    plan: plans.FilePlan, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(OptionError, match="a script cannot"):
        list(carry.script_lines_for_unchanged_files(plan, DropMethod("trash")))
    monkeypatch.setattr(sys, "platform", "darwin")
    with pytest.raises(OptionError, match="could not be put back"):
        carry.apply(plan, DropMethod("trash"), Path("log"))


def test_a_keeper_is_digested_once(plan: plans.FilePlan, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[str] = []
    digest = files.digest_file_keeping_access_time

    def noted(path: str) -> str:
        seen.append(path)
        return digest(path)

    monkeypatch.setattr(files, "digest_file_keeping_access_time", noted)
    keeper = plan.dropped[0].needs[0].path
    carry.apply(plan, DropMethod("move", "aside"), Path("log"))
    assert seen.count(keeper) == len(NAMES)  # It was written just now, and may change again.
    seen.clear()
    later = time.time_ns() + 10**10
    monkeypatch.setattr(time, "time_ns", lambda: later)
    carry.apply(plan, DropMethod("move", "aside"), Path("log"))
    assert seen.count(keeper) == 1
    Path(keeper).write_text(TEXT.upper())
    left = carry.apply(plan, DropMethod("move", "aside"), Path("log")).left
    assert {reason for _, reason in left} == {"its keeper has changed since the plan was made"}


_KILLED = """
import os, sys
from pathlib import Path
from ilk.tasks.apply import carry, file_plan
at, calls = int(sys.argv[1]), 0
def counted(original):
    def call(*args, **kwargs):
        global calls
        calls += 1
        if calls == at:
            os.kill(os.getpid(), 9)
        return original(*args, **kwargs)
    return call
for name in ("replace", "unlink", "link", "fsync", "symlink", "mkdir", "fchown", "utime"):
    setattr(os, name, counted(getattr(os, name)))
way = carry.DropMethod(sys.argv[2], sys.argv[3] or None)
if sys.argv[4] == "undo":
    carry.undo(Path("log"), dry=False)
else:
    carry.apply(file_plan.read_plan("plan.jsonl"), way, Path("log"), dry=False)
"""


def run(at: int, *arguments: str) -> int:
    command = [sys.executable, "-c", _KILLED, str(at), *arguments]
    return subprocess.run(command, check=False).returncode


@pytest.mark.parametrize(
    ("kind", "across"),
    [
        ("move", False),
        ("trash", False),
        pytest.param("move", True, marks=pytest.mark.long),
        pytest.param("hardlink", False, marks=pytest.mark.long),
    ],
)
def test_a_run_that_was_killed_goes_on(
    kind: str, across: bool, folder: Path, plan: plans.FilePlan, home: Path, other_device: Path
) -> None:
    aside = "" if kind != "move" else str(other_device / "aside") if across else "new/aside"
    before, way = tree(folder), DropMethod(kind, aside or None)
    carry.apply(plan, way, Path("other"), dry=False)
    after = tree(folder)
    carry.undo(Path("other"), dry=False)
    draw = random.Random(f"{kind}{across}")
    for at in draw.sample(range(1, 8 if kind == "trash" else 16), 3):
        assert run(at, kind, aside, "apply") == -9
        assert run(0, kind, aside, "apply") == 0
        assert tree(folder) == after
        assert run(at, kind, aside, "undo") in (-9, 0)
        assert run(0, kind, aside, "undo") == 0
        assert tree(folder) == before
        assert list(other_device.iterdir()) == []
        assert not (folder.parent / "new").exists()
    assert not list(folder.parent.rglob(f"*{PART}"))
    assert not [path for path in home.rglob("*") if path.is_file()]


@pytest.mark.parametrize(
    ("edit", "message"),
    [
        (lambda rows: rows.clear(), "its first line is not a head"),
        (lambda rows: rows[0]["plan"].update(version=9), "version 9"),
        (lambda rows: rows[1].update(keeper="x"), "line 2 of the plan: the keeper"),
        (lambda rows: rows[1]["members"][1].update(action="burn"), "it must be keep or drop"),
        (lambda rows: rows[1].pop("members"), "'members' is missing"),
        (lambda rows: rows.append(rows[1]), "and so does line 2"),
        (
            lambda rows: [m.update(action="drop") for m in rows[1]["members"]],
            "line 2 of the plan drops .*, but it is the keeper",
        ),
    ],
)
def test_a_plan_that_makes_no_sense_is_refused(
    edit: Edit,
    message: str,
    folder: Path,
) -> None:
    with pytest.raises(PlanError, match=message):
        made(folder, edit)


def test_a_person_may_choose_another_keeper(folder: Path) -> None:
    def edit(rows: Rows) -> None:
        members = rows[1]["members"]
        old = next(m for m in members if m["source"] == rows[1]["keeper"])
        new = next(m for m in members if m["source"].endswith("near.txt"))
        old["action"], new["action"] = "drop", "keep"
        rows[1]["keeper"] = new["source"]

    plan = made(folder, edit)
    carry.apply(plan, DropMethod("move", "aside"), Path("log"), dry=False)
    left = sorted(path.name for path in folder.rglob("*") if path.is_file())
    assert left == ["near.txt", "other.txt"]


def test_two_do_not_write_one_log(plan: plans.FilePlan) -> None:
    from ilk.tasks.apply.journal import Journal

    with (
        Journal(Path("log")).lock_folders_reload_and_log_end(),
        pytest.raises(OutputError, match="another process"),
    ):
        carry.apply(plan, DropMethod("move", "aside"), Path("log"), dry=False)


def test_another_file_is_no_log(tmp_path: Path) -> None:
    (tmp_path / "log").write_text(json.dumps({"a": 1}) + "\n")
    with pytest.raises(PlanError, match="is not a log"):
        carry.undo(tmp_path / "log")
