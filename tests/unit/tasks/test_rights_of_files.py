"""Owners, modes, lists, attributes and names of files: given to nobody else, and given back."""

from __future__ import annotations

import base64
import contextlib
import errno
import hashlib
import json
import os
import struct
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import ilk
from ilk import write
from ilk.base import portable
from ilk.base.errors import PlanError
from ilk.read.files.walk import MOVED_HERE
from ilk.tasks.apply import carry, files, rights, trash
from ilk.tasks.apply import file_plan as plans
from ilk.tasks.apply.carry import DropMethod
from ilk.tasks.apply.journal import Journal
from ilk.tasks.apply.places import PART, CannotError, hold_parent_folder

pytestmark = pytest.mark.skipif(
    not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root can be several users"
)

TEXT = " ".join(f"word{n}" for n in range(100))

ALICE, BOB, NOBODY = 4001, 4002, 65534

ACL = "system.posix_acl_access"


def acl(user: int) -> bytes:
    """Return a list by which a user may read and write, and whose owner and group may too."""
    everyone = 0xFFFFFFFF
    entries = [(1, 6, everyone), (2, 6, user), (4, 4, everyone), (16, 6, everyone)]
    rows = [struct.pack("<HHI", *entry) for entry in [*entries, (32, 0, everyone)]]
    return struct.pack("<I", 2) + b"".join(rows)


@pytest.fixture(autouse=True)
def place(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Give a folder that all users may enter, with two equal files."""
    with tempfile.TemporaryDirectory() as name:
        os.chmod(name, 0o755)
        monkeypatch.chdir(name)
        old = os.umask(0o022)
        Path("in").mkdir()
        for file in ("in/a.txt", "in/b.txt"):
            Path(file).write_text(TEXT)
        yield Path(name)
        os.umask(old)


@pytest.fixture
def other_device() -> Iterator[Path]:
    memory = Path("/dev/shm")
    if not memory.is_dir() or memory.stat().st_dev == Path().stat().st_dev:
        pytest.skip("there is no other device")
    with tempfile.TemporaryDirectory(dir=memory) as name:
        os.chmod(name, 0o755)
        yield Path(name)


@contextlib.contextmanager
def acting_as(user: int) -> Iterator[None]:
    """Have the rights of another user for a while."""
    groups = os.getgroups()
    os.setgroups([])
    os.setegid(user)
    os.seteuid(user)
    try:
        yield
    finally:
        os.seteuid(0)
        os.setegid(0)
        os.setgroups(groups)


def write_and_read_plan() -> plans.FilePlan:
    with Path("plan.jsonl").open("wb") as out:
        write.write_jsonl(ilk.find("in").files().lines(), out)
    return plans.read_plan("plan.jsonl")


def state(folder: str = "in") -> dict[str, Any]:
    """Return all that files have, and which of them are one."""
    every = dict[str, Any]()
    for path in sorted(Path(folder).rglob("*")):
        if path.is_symlink():
            every[str(path)] = os.readlink(path)
        elif path.is_file():
            status = path.stat()
            values = {name: os.getxattr(path, name) for name in os.listxattr(path)}
            times = status.st_atime_ns, status.st_mtime_ns
            names = [
                str(other) for other in sorted(Path(folder).rglob("*")) if other.samefile(path)
            ]
            owners = status.st_uid, status.st_gid, status.st_mode
            every[str(path)] = (path.read_bytes(), *owners, times, values, names)
            os.utime(path, ns=times)
    return every


def dress(path: str, user: int = ALICE, mode: int = 0o640) -> None:
    """Give a file an owner, a mode, attributes and times of its own."""
    os.chown(path, user, user + 10)
    os.setxattr(path, "user.tag", b"of " + path.encode())
    os.chmod(path, mode)
    os.utime(path, ns=(2 * 10**18, 2 * 10**18 + 5))  # The keeper is the oldest.


def give_list_and_its_mode(path: str) -> None:
    os.setxattr(path, ACL, acl(BOB))
    os.chmod("in/b.txt", 0o660)


KINDS = ["move", "trash", "hardlink", "symlink"]


@pytest.mark.parametrize("kind", ["move", "hardlink", "symlink"])
def test_undo_gives_back_owner_mode_times_attributes_lists_and_names(
    kind: str, other_device: Path
) -> None:
    dress("in/b.txt")
    os.setxattr("in/b.txt", ACL, acl(BOB))
    os.link("in/b.txt", "in/c.txt")
    os.setxattr("in/a.txt", "user.tag", b"of the keeper")
    plan, before = write_and_read_plan(), state()
    way = DropMethod(kind, str(other_device / "aside") if kind == "move" else None, any_owner=True)
    done = carry.apply(plan, way, Path("log"), dry=False)
    assert (done.act_count, done.left, done.notes) == (2, [], [])
    if kind == "move":
        moved = (other_device / "aside/in/b.txt").stat()
        assert (moved.st_uid, moved.st_gid, moved.st_mode & 0o777) == (ALICE, ALICE + 10, 0o660)
    back = carry.undo(Path("log"), dry=False)
    assert (back.act_count, back.left, back.notes, back.incomplete) == (2, [], [], [])
    assert state() == before


def test_what_undo_may_not_give_back_is_named_and_no_right_goes_to_others(
    other_device: Path,
) -> None:
    os.chown("in/b.txt", ALICE, ALICE)
    os.chmod("in/b.txt", 0o6750)
    done = carry.apply(
        write_and_read_plan(),
        DropMethod("move", str(other_device / "aside")),
        Path("log"),
        dry=False,
    )
    assert done.act_count == 1
    for path in (Path(), Path("in"), Path("log"), *other_device.rglob("*")):
        os.chown(path, NOBODY, NOBODY)
    with acting_as(NOBODY):
        back = carry.undo(Path("log"), dry=False)
    assert (back.act_count, back.left) == (1, [])
    missing = f"did not get back its owner ({ALICE}), its group ({ALICE}), its mode (6750)"
    assert back.incomplete == [(os.path.abspath("in/b.txt"), missing)]
    assert Path("in/b.txt").stat().st_mode & 0o7777 == 0o700


def test_a_name_that_is_in_no_plan_is_missed_by_name() -> None:
    Path("far").mkdir()
    os.link("in/b.txt", "far/b.txt")
    carry.apply(write_and_read_plan(), DropMethod("hardlink"), Path("log"), dry=False)
    back = carry.undo(Path("log"), dry=False)
    said = [(os.path.abspath("in/b.txt"), "was one file with 2 names, and has 1 now")]
    assert back.incomplete == said


@pytest.mark.parametrize("number", [errno.EIO, errno.EINVAL])
@pytest.mark.parametrize("kind", KINDS)
def test_an_act_that_cannot_be_flushed_is_done_and_can_be_undone(
    kind: str, number: int, monkeypatch: pytest.MonkeyPatch, place: Path
) -> None:
    """An error of the folder comes after the act; the log says what is there."""
    monkeypatch.setenv("XDG_DATA_HOME", str(place / "home"))
    plan, before = write_and_read_plan(), state()

    def refused(*_: object, **__: object) -> None:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(portable, "sync_folder_unless_windows", refused)
    done = carry.apply(
        plan, DropMethod(kind, "aside" if kind == "move" else None), Path("log"), dry=False
    )
    assert (done.act_count, done.left) == (1, [])
    assert [os.strerror(number) in note for note in done.notes] == [True]
    assert state() != before
    back = carry.undo(Path("log"), dry=False)
    assert (back.act_count, back.left) == (1, [])
    assert state() == before
    assert carry.undo(Path("log"), dry=False).act_count == 0


@pytest.mark.parametrize("kind", KINDS)
def test_an_error_of_the_act_itself_says_nothing_about_what_is_there(
    kind: str, monkeypatch: pytest.MonkeyPatch, place: Path
) -> None:
    """A network may lose the answer after the act."""
    monkeypatch.setenv("XDG_DATA_HOME", str(place / "home"))
    plan, before, replace = write_and_read_plan(), state(), os.replace

    def lost(*names: Any, **folders: Any) -> None:
        replace(*names, **folders)
        raise OSError(errno.EIO, os.strerror(errno.EIO))

    monkeypatch.setattr(os, "replace", lost)
    done = carry.apply(
        plan, DropMethod(kind, "aside" if kind == "move" else None), Path("log"), dry=False
    )
    assert (done.act_count, done.left) == (1, [])
    back = carry.undo(Path("log"), dry=False)
    assert (back.act_count, back.left) == (1, [])
    assert state() == before


def test_an_undo_that_fails_leaves_no_file_in_progress(monkeypatch: pytest.MonkeyPatch) -> None:
    plan, before, replace = write_and_read_plan(), state(), os.replace
    carry.apply(plan, DropMethod("symlink"), Path("log"), dry=False)
    linked = state()

    def refused(*_names: Any, **_folders: Any) -> None:
        raise OSError(errno.EIO, os.strerror(errno.EIO))

    monkeypatch.setattr(os, "replace", refused)
    back = carry.undo(Path("log"), dry=False)
    assert [why for _, why in back.left] == [os.strerror(errno.EIO)]
    assert state() == linked
    assert not [path for path in Path("in").iterdir() if path.name.endswith(PART)]
    monkeypatch.setattr(os, "replace", replace)
    assert carry.undo(Path("log"), dry=False).left == []
    assert state() == before


def test_a_folder_that_may_be_written_and_not_read_is_cleaned_and_taken_back() -> None:
    for path in (".", "in", "in/a.txt", "in/b.txt"):
        os.chown(path, NOBODY, NOBODY)
    plan, before = write_and_read_plan(), state()
    Path("in").chmod(0o333)
    with acting_as(NOBODY):
        done = carry.apply(plan, DropMethod("symlink"), Path("log"), dry=False)
        assert (done.act_count, done.left) == (1, [])
        assert "may not be on the disk: Permission denied" in done.notes[0]
        assert Path("in/b.txt").is_symlink()
        assert carry.undo(Path("log"), dry=False).act_count == 1
    Path("in").chmod(0o755)
    assert state() == before


def test_a_link_that_someone_puts_where_a_file_is_made_is_not_followed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    secret = Path("secret")
    secret.write_text("of root")
    secret.chmod(0o600)
    dress("in/b.txt")
    dress("in/a.txt")
    carry.apply(write_and_read_plan(), DropMethod("hardlink"), Path("log"), dry=False)
    for name in (f"b.txt{PART}", "guessed"):
        Path("in", name).symlink_to(secret.absolute())
    monkeypatch.setattr(carry, "random_part_name", lambda: "guessed")
    left = carry.undo(Path("log"), dry=False).left
    assert [why for _, why in left] == ["File exists"]
    status = secret.stat()
    assert (status.st_uid, status.st_mode & 0o777, secret.read_text()) == (0, 0o600, "of root")
    monkeypatch.setattr(carry, "random_part_name", lambda: "free")
    assert carry.undo(Path("log"), dry=False).left == []
    assert Path("in/b.txt").stat().st_uid == ALICE


def test_names_of_files_in_progress_cannot_be_guessed_and_are_in_the_log() -> None:
    carry.apply(write_and_read_plan(), DropMethod("hardlink"), Path("log"), dry=False)
    carry.undo(Path("log"), dry=False)
    rows = [json.loads(line) for line in Path("log").read_text().splitlines()]
    parts = [row["part"] for row in rows if "part" in row]
    assert len(parts) == len(set(parts)) == 2
    assert all(len(part) > 24 for part in parts)


@pytest.mark.parametrize("kind", ["hardlink", "symlink"])
@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (lambda path: os.chown(path, ALICE, 0), "its owner is"),
        (lambda path: os.chown(path, 0, ALICE), "its group is"),
        (lambda path: os.chmod(path, 0o600), "its mode is"),
        (lambda path: os.setxattr(path, ACL, acl(BOB)), "its mode is"),
        (
            give_list_and_its_mode,
            "its access control list and that of its keeper differ",
        ),
    ],
)
def test_files_of_different_rights_are_not_made_one(
    kind: str, change: Callable[[str], object], reason: str
) -> None:
    change("in/a.txt")
    plan, before = write_and_read_plan(), state()
    for dry in (True, False):
        (path, why), *others = carry.apply(plan, DropMethod(kind), Path("log"), dry=dry).left
        assert (path, others) == (os.path.abspath("in/b.txt"), [])
        assert why.startswith(reason)
        assert why.endswith("; --any-owner links it all the same")
    lines = b"\n".join(carry.script_lines_for_unchanged_files(plan, DropMethod(kind)))
    assert reason.encode() in lines
    assert state() == before
    assert (
        carry.apply(plan, DropMethod(kind, any_owner=True), Path("log"), dry=False).act_count == 1
    )
    carry.undo(Path("log"), dry=False)
    assert state() == before


def test_a_script_links_no_file_whose_rights_have_changed() -> None:
    script = b"\n".join(
        carry.script_lines_for_unchanged_files(write_and_read_plan(), DropMethod("hardlink"))
    )
    Path("in/b.txt").chmod(0o600)
    done = subprocess.run(["sh"], input=script, capture_output=True, check=False)
    assert b"left alone" in done.stderr
    assert not Path("in/b.txt").samefile("in/a.txt")
    Path("in/b.txt").chmod(0o644)
    subprocess.run(["sh"], input=script, check=True)
    assert Path("in/b.txt").samefile("in/a.txt")


def test_folders_for_moved_files_let_nobody_in_who_could_not_enter_theirs(place: Path) -> None:
    modes = {"private": 0o700, "group": 0o750, "public": 0o1777, "listed": 0o750}
    for number, (name, mode) in enumerate(modes.items()):
        Path("in", name, "sub").mkdir(parents=True)
        for file in ("a.txt", "b.txt"):
            Path("in", name, "sub", file).write_text(f"{name} {number} {TEXT[number * 60 :]}")
        os.chown(f"in/{name}", ALICE, BOB)
        os.chmod(f"in/{name}", mode)
    os.setxattr("in/listed", ACL, acl(BOB))
    carry.apply(write_and_read_plan(), DropMethod("move", "new/aside"), Path("log"), dry=False)
    made = {path.name: path.stat() for path in Path("new/aside/in").iterdir() if path.is_dir()}
    assert {name: status.st_mode & 0o7777 for name, status in made.items()} == {
        "private": 0o700,
        "group": 0o750,
        "public": 0o755,
        "listed": 0o700,
    }
    assert {(status.st_uid, status.st_gid) for status in made.values()} == {(ALICE, BOB)}
    # Below a folder that only its owner enters, others need nothing.
    assert Path("new/aside/in/private/sub").stat().st_mode & 0o777 == 0o700
    assert Path("new/aside/in/public/sub").stat().st_mode & 0o777 == 0o755
    carry.undo(Path("log"), dry=False)
    assert not Path("new").exists()
    place.chmod(0o700)
    carry.apply(write_and_read_plan(), DropMethod("move", "new/aside"), Path("log"), dry=False)
    assert all(path.stat().st_mode & 0o077 == 0 for path in Path("new").rglob("*") if path.is_dir())
    place.chmod(0o755)


def test_a_script_makes_folders_for_its_user_alone() -> None:
    script = b"\n".join(
        carry.script_lines_for_unchanged_files(write_and_read_plan(), DropMethod("move", "aside"))
    )
    subprocess.run(["sh"], input=script, check=True)
    assert Path("aside/in/b.txt").exists()
    assert {path.stat().st_mode & 0o777 for path in (Path("aside"), Path("aside/in"))} == {0o700}


def test_a_copy_is_its_owners_alone_until_it_is_complete(
    other_device: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen, restore = list[tuple[int, int]](), rights.restore_rights_and_times_and_list_failures

    def noted(handle: int, described: Any) -> list[str]:
        status = os.fstat(handle)
        seen.append((status.st_mode & 0o777, status.st_size))
        return restore(handle, described)

    monkeypatch.setattr(rights, "restore_rights_and_times_and_list_failures", noted)
    carry.apply(
        write_and_read_plan(),
        DropMethod("move", str(other_device / "aside")),
        Path("log"),
        dry=False,
    )
    assert seen == [(0o600, len(TEXT))]
    assert (other_device / "aside/in/b.txt").stat().st_mode & 0o777 == 0o644


def test_a_file_that_may_not_be_removed_leaves_no_copy_on_the_other_device(
    other_device: Path,
) -> None:
    Path("in").chmod(0o1777)
    plan = write_and_read_plan()
    for path in (".", other_device):
        os.chown(path, NOBODY, NOBODY)
    with acting_as(NOBODY):
        way = DropMethod("move", str(other_device / "aside"))
        left = carry.apply(plan, way, Path("log"), dry=False).left
    assert [why for _, why in left] == ["Operation not permitted"]
    assert [path.name for path in other_device.rglob("*") if path.is_file()] == [MOVED_HERE]
    with acting_as(NOBODY):
        carry.undo(Path("log"), dry=False)
    assert list(other_device.iterdir()) == []


class Killed(BaseException):
    """A kill: nothing of ilk catches it."""


@pytest.mark.parametrize("at", [1, 2, 3])
def test_a_kill_while_folders_are_made_leaves_none(
    at: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan, mkdir, calls = write_and_read_plan(), os.mkdir, list[object]()

    def killed(*names: Any, **folders: Any) -> None:
        calls.append(names)
        mkdir(*names, **folders)
        if len(calls) == at:
            raise Killed

    with monkeypatch.context() as patch:
        patch.setattr(os, "mkdir", killed)
        with pytest.raises(Killed):
            carry.apply(plan, DropMethod("move", "in/d/aside"), Path("log"), dry=False)
    assert Path("in/d").exists()
    carry.undo(Path("log"), dry=False)
    assert not Path("in/d").exists()


def test_a_mark_that_someone_else_has_written_removes_no_folder() -> None:
    Path("mine/aside").mkdir(parents=True)
    mark = Path("mine/aside", MOVED_HERE)
    mark.write_text("Folders made for it: 2\n")
    os.chown(mark, ALICE, ALICE)
    carry.apply(write_and_read_plan(), DropMethod("move", "mine/aside"), Path("log"), dry=False)
    assert carry.undo(Path("log"), dry=False).act_count == 1
    assert list(Path("mine").iterdir()) == [Path("mine/aside")]


def test_a_log_is_its_users_alone_and_no_other_is_believed() -> None:
    plan, way = write_and_read_plan(), DropMethod("hardlink")
    carry.apply(plan, way, Path("log"), dry=False)
    assert Path("log").stat().st_mode & 0o777 == 0o600
    for mode, owner, said in ((0o620, 0, "written by others"), (0o600, ALICE, "belongs to user")):
        os.chown("log", owner, owner)
        Path("log").chmod(mode)
        with pytest.raises(PlanError, match=said):
            carry.undo(Path("log"))
        with pytest.raises(PlanError, match=said):
            carry.apply(plan, way, Path("log"))
    os.chown("log", 0, 0)
    Path("link").symlink_to("log")
    with pytest.raises(PlanError, match="is a symbolic link"):
        carry.apply(plan, way, Path("link"), dry=False)
    with acting_as(NOBODY), pytest.raises(ilk.IlkError, match="Permission denied"):
        Journal(Path("log"))
    assert carry.undo(Path("log"), dry=False).act_count == 1


@pytest.mark.parametrize(
    "change",
    [
        {"status": {"mode": "x"}},
        {"status": None},
        {"source": None},
        {"to": 5},
        {"act": "1"},
        {"line": None},
        {"size": "9"},
    ],
)
def test_a_line_of_a_log_that_makes_no_sense_is_missed_and_others_are_undone(
    change: dict[str, Any],
) -> None:
    Path("in/c.txt").write_text(TEXT)
    assert (
        carry.apply(
            write_and_read_plan(), DropMethod("move", "aside"), Path("log"), dry=False
        ).act_count
        == 2
    )
    lines = Path("log").read_text().splitlines()
    at = next(at for at, line in enumerate(lines) if '"begun"' in line)
    row = json.loads(lines[at]) | change
    del row["check"]
    body = json.dumps(row)[:-1]
    check = hashlib.blake2b(body.encode(), digest_size=8).hexdigest()
    lines[at] = f'{body}, "check": "{check}"}}'
    Path("log").write_text("\n".join(lines) + "\n")
    back = carry.undo(Path("log"), dry=False)
    assert back.act_count == 1
    assert "1 of its lines are gone or changed" in back.left[0][1]


def test_a_trash_that_someone_else_has_made_is_not_used(
    other_device: Path, monkeypatch: pytest.MonkeyPatch, place: Path
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(place / "home"))
    planted = Path("/dev/shm/.Trash-0")
    if os.path.lexists(planted) or os.path.lexists("/dev/shm/.Trash"):
        pytest.skip("there is a trash on the other device")
    assert trash.choose_trash_place_and_note_text(str(other_device / "b.txt"), ())[0].startswith(
        str(planted)
    )
    planted.symlink_to(place)
    try:
        to = trash.choose_trash_place_and_note_text(str(other_device / "b.txt"), ())[0]
    finally:
        planted.unlink()
    assert to.startswith(str(place / "home"))


def test_a_file_that_another_one_has_replaced_is_not_touched() -> None:
    with hold_parent_folder("in/b.txt") as found, found.open_regular_file() as handle:
        described = rights.describe_file(handle)
        files.refuse_if_replaced_or_rights_changed(found, described)
        Path("in/b.txt").chmod(0o4755)
        with pytest.raises(CannotError, match="has changed"):
            files.refuse_if_replaced_or_rights_changed(found, described)


def test_a_folder_that_becomes_a_link_leads_nowhere() -> None:
    Path("far").mkdir()
    Path("far/b.txt").write_text(TEXT)
    with hold_parent_folder("in/b.txt") as found:
        Path("in").rename("was")
        Path("in").symlink_to("far")
        found.remove()
    assert Path("far/b.txt").exists()
    assert not Path("was/b.txt").exists()
    with (
        pytest.raises(CannotError, match="elsewhere"),
        hold_parent_folder("in/b.txt", [os.path.abspath("in")]),
    ):
        pass


def test_a_copy_whose_original_was_changed_in_the_middle_of_a_move_is_kept() -> None:
    digest, size = files.digest_file_keeping_access_time("in/b.txt"), len(TEXT)
    Path("aside").mkdir()
    Path("aside/part").write_text(TEXT)
    Path("in/b.txt").write_text("changed")
    assert files.finish_move_or_remove_part(
        "in/b.txt", "aside/b.txt", part_name="part", size=size, digest=digest
    )
    assert Path("aside/b.txt").read_text() == TEXT
    assert Path("in/b.txt").read_text() == "changed"


def test_attributes_are_described_as_they_are() -> None:
    os.setxattr("in/b.txt", "user.odd", b"\xff\0")
    with hold_parent_folder("in/b.txt") as found, found.open_regular_file() as handle:
        described = rights.describe_file(handle)
    assert base64.b64decode(described["xattrs"]["user.odd"]) == b"\xff\0"
