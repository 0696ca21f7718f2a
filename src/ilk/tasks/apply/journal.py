"""The log of acts on files: written before and after each act, and read to resume.

Every line has its number and a checksum, so that a line that is gone or changed is missed.
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import json
import os
import re
import stat
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import IO, Any, Final, Literal, TypeAlias, TypedDict, cast

from ilk.base import portable
from ilk.base.errors import OutputError, PlanError, reason_of_error
from ilk.base.json_text import parse_json
from ilk.tasks.apply.files import CANNOT_FLUSH, NO_HANDLES
from ilk.tasks.apply.rights import FileDescription

#: The version of the format.
VERSION = 2

#: What a line records: an act begins, was done, begins to be undone, or was undone.
ActState: TypeAlias = Literal["begun", "done", "undoing", "undone"]
FinalState: TypeAlias = Literal["done", "undone"]
BEGUN: Final = "begun"
DONE: Final = "done"
UNDOING: Final = "undoing"
UNDONE: Final = "undone"


class Act(TypedDict, total=False):
    """What is done to a file.

    way: the kind of the method.
    source, keeper, to: its path, that of its keeper, and where it goes; "" for a link.
    note: the text of its note in the trash, or "".
    mark: the path of the mark in the folder for moved files, or "".
    made: how many folders there were to make for moved files.
    part: the name of the file in progress.
    size, digest, status: the file's, as it was before.
    """

    way: str
    source: str
    keeper: str
    to: str
    note: str
    mark: str
    made: int
    part: str
    size: int
    digest: str
    status: FileDescription


#: What the line of an act says, and the type of each.
_OF_ACT = {
    "act": int, "way": str, "source": str, "keeper": str, "to": str, "note": str, "mark": str,
    "size": int, "digest": str, "status": dict,
}  # fmt: skip

#: What it says of a file, at least.
_OF_FILE = ("mode", "mtime_ns", "uid", "gid")

#: How a log begins.
_START = b'{"line": 0, "log": %d, ' % VERSION

_CHECKED = re.compile(rb'(\{.*), "check": "([0-9a-f]{16})"\}')


class Journal:
    """The acts of a log, in order, and the state of each.

    acts: by number.
    states: by number: its last state.
    roots: what was scanned, for all plans of this log; nothing outside of it is touched.
    lines_lost: how many lines are gone or changed.
    has_end: whether the last run came to its end.
    """

    def __init__(self, path: Path, roots: Sequence[str] = ()) -> None:
        """Read the existing log, or else begin one for these folders; write nothing."""
        self.path, self._own = path, list(roots)
        self._file: Any = None
        content = b""
        with contextlib.suppress(FileNotFoundError), self._open_trusted_log(os.O_RDONLY) as file:
            content = file.read()
        self._load_log_counting_lost_lines(content)

    def _open_trusted_log(self, flags: int) -> IO[bytes]:
        """Open the file of the log, which nobody else may have made or may write.

        What it says is done with the rights of whoever undoes it.
        """
        flags |= portable.READ | portable.NO_FOLLOW | os.O_APPEND
        try:
            handle = os.open(self.path, flags, 0o600)
        except FileNotFoundError:
            raise
        except OSError as error:
            reason = reason_of_error(error)
            if error.errno in NO_HANDLES:
                message = f"cannot open {self.path}: {reason}; raise the limit (ulimit -n)."
                raise OutputError(message) from None
            if error.errno == errno.ELOOP:
                message = f"{self.path} is a symbolic link; name the file that it leads to."
                raise PlanError(message) from None
            raise OutputError(f"cannot open {self.path}: {reason}.") from None
        status = os.fstat(handle)
        reason = "" if flags & os.O_EXCL else _reason_to_distrust_or_empty(status)
        if reason:
            os.close(handle)
            raise PlanError(f"{self.path} {reason}")
        return open(handle, "ab+" if flags & os.O_RDWR else "rb")

    def _load_log_counting_lost_lines(self, log_content: bytes) -> None:
        """Replace the acts, the states and all else that is known with what the lines say."""
        self.acts: dict[int, Act] = {}
        self.states: dict[int, ActState] = {}
        self.lines_lost, self.has_end, self._lines, self._next = 0, True, 0, 0
        rows = [
            row
            for line in log_content.splitlines()
            if (row := _parse_line_or_none_if_damaged(line)) is not None
        ]
        # A run ends with the roots too: they are known if the first line is changed.
        heads = [row for row in rows if "log" in row]
        # A kill may leave only a part of the first one, or nothing.
        half = b"\n" not in log_content
        half = half and log_content[: len(_START)] == _START[: len(log_content)]
        if {row["log"] for row in heads} != {VERSION} and not half:
            raise PlanError(f"{self.path} is not a log of `ilk apply`, or was cut")
        for row in rows:
            number = row["line"]
            if number < self._lines:
                continue
            self.lines_lost += number - self._lines
            self._lines, self.has_end = number + 1, "end" in row
            self._next = max(self._next, row.get("act", -1) + 1)
            if row.get("state") == BEGUN:
                self.acts[row["act"]] = cast("Act", row)
            if row.get("act") in self.acts:
                self.states[row["act"]] = row["state"]
                if "part" in row:
                    self.acts[row["act"]] = {**self.acts[row["act"]], "part": row["part"]}
        logged_roots = dict.fromkeys(root for row in heads for root in row["roots"])
        self.roots = [*logged_roots, *(root for root in self._own if root not in logged_roots)]
        self._wider = len(self.roots) > len(logged_roots)

    @contextlib.contextmanager
    def lock_folders_reload_and_log_end(self) -> Iterator[None]:
        """Lock the log and its folders, read it again, and log the begin and the end of a run.

        Raises:
            OutputError: it cannot be written, or another process has it, or cleans these folders.
        """
        with contextlib.ExitStack() as stack:
            stack.enter_context(_lock_folders_and_share_lock_parents(self.roots))
            file = stack.enter_context(self._open_log_or_create_file())
            try:
                portable.lock_file(file.fileno())
            except OSError:
                raise OutputError(
                    f"{self.path} is being written by another process; wait for it to end."
                ) from None
            file.seek(0)
            content = file.read()
            self._load_log_counting_lost_lines(content)
            self._file = file
            if content and not content.endswith(b"\n"):
                file.write(b"\n")  # A kill left half a line.
            if not self._lines or self._wider:
                self._append_line_or_close_log({"log": VERSION, "roots": self.roots})
            yield
            self._append_line_or_close_log({"log": VERSION, "roots": self.roots, "end": True})
            self.sync_to_disk()

    def _open_log_or_create_file(self) -> IO[bytes]:
        with contextlib.suppress(FileNotFoundError):
            return self._open_trusted_log(os.O_RDWR)
        try:
            return self._open_trusted_log(os.O_RDWR | os.O_CREAT | os.O_EXCL)
        except FileNotFoundError as error:
            raise OutputError(f"cannot write {self.path}: {reason_of_error(error)}.") from None

    def append_begin_of_act_without_sync(self, act: Act) -> int:
        """Log an act before it is done; return its number. It counts after ``sync_to_disk``."""
        number, self._next = self._next, self._next + 1
        self.acts[number] = act
        self._append_line_or_close_log({"act": number, "state": BEGUN, **act})
        return number

    def append_begin_of_undo_without_sync(self, number: int, part_name: str) -> None:
        """Log that an act begins to be undone, with the name of the file in progress."""
        self.acts[number] = {**self.acts[number], "part": part_name}
        self.states[number] = UNDOING
        self._append_line_or_close_log({"act": number, "state": UNDOING, "part": part_name})

    def append_state_without_sync(self, number: int, state: ActState) -> None:
        """Log the new state of an act."""
        self.states[number] = state
        self._append_line_or_close_log({"act": number, "state": state})

    def acts_done_and_not_undone(self) -> dict[int, Act]:
        """Return the acts that were done and not undone, by number."""
        return {at: act for at, act in self.acts.items() if self.states.get(at) in (DONE, UNDOING)}

    def sync_to_disk(self) -> None:
        """Flush the log to disk, where the file system can."""
        try:
            os.fsync(self._file.fileno())
        except OSError as error:
            if error.errno not in CANNOT_FLUSH:
                raise self._unwritable_error(error) from None

    def _append_line_or_close_log(self, row: dict[str, Any]) -> None:
        body = json.dumps({"line": self._lines, **row}).encode()[:-1]
        try:
            self._file.write(b'%b, "check": "%b"}\n' % (body, _line_checksum(body)))
            self._file.flush()
        except OSError as error:
            with contextlib.suppress(OSError):  # What it still holds would fail again.
                self._file.close()
            raise self._unwritable_error(error) from None
        self._lines += 1

    def _unwritable_error(self, error: OSError) -> OutputError:
        return OutputError(
            f"cannot write {self.path}: {reason_of_error(error)}; run the same command again."
        )


@contextlib.contextmanager
def _lock_folders_and_share_lock_parents(roots: Sequence[str]) -> Iterator[None]:
    """Keep other processes from cleaning the same folders, where the system can lock folders.

    Two plans may keep what the other one drops; so each must see what the other has done.
    A shared lock on each folder above keeps them from cleaning that one.
    """
    portable.raise_open_file_limit_if_possible()
    tops = list[str]()
    places = {root if os.path.isdir(root) else os.path.dirname(root) for root in roots}
    for place in sorted({os.path.join(os.path.realpath(place), "") for place in places}):
        # What is inside of a folder is sorted right after it.
        if not tops or not place.startswith(tops[-1]):
            tops.append(place)
    above = {str(folder) for top in tops for folder in Path(top).parents}
    with contextlib.ExitStack() as stack:
        for folder in (*tops, *sorted(above)):
            try:
                handle = os.open(folder, os.O_RDONLY | getattr(os, "O_DIRECTORY", 0))
            except OSError as error:
                if error.errno in NO_HANDLES:
                    reason = reason_of_error(error)
                    raise OutputError(
                        f"cannot lock {folder}: {reason}; raise the limit (ulimit -n)."
                    ) from None
                continue
            stack.callback(os.close, handle)
            try:
                portable.lock_file(handle, shared=folder in above)
            except BlockingIOError:
                raise OutputError(
                    f"another process is cleaning {folder}, or a folder in it; wait for it to end."
                ) from None
            except OSError:
                continue
        yield


def _reason_to_distrust_or_empty(log_status: os.stat_result) -> str:
    """Return why the log of that status is not to be trusted, or ""."""
    if not stat.S_ISREG(log_status.st_mode):
        return "is not a log of `ilk apply`: it is not a file"
    if not hasattr(os, "geteuid"):  # Windows has no owners by number.
        return ""
    if log_status.st_uid not in (0, os.geteuid()):
        return (
            f"belongs to user {log_status.st_uid}, who could have written anything into it, and "
            "ilk would do it with your rights; read it, and use a copy that is your own."
        )
    if log_status.st_mode & 0o022:
        return (
            f"may be written by others (its mode is {stat.S_IMODE(log_status.st_mode):o}), and ilk "
            "would do with your rights what they write; read it, and then: chmod go-w"
        )
    return ""


def _has_all_fields(row: dict[str, Any]) -> bool:
    """Return whether a line has all that it needs; its checksum says only that it was not cut."""
    if not isinstance(row.get("line"), int) or not isinstance(row.get("act", 0), int):
        return False
    if "log" in row:
        return isinstance(row.get("roots"), list)
    if row.get("state") != BEGUN:
        return isinstance(row.get("state"), str) and isinstance(row.get("part", ""), str)
    if not all(isinstance(row.get(name), kind) for name, kind in _OF_ACT.items()):
        return False
    return all(isinstance(row["status"].get(name), int) for name in _OF_FILE)


def _line_checksum(body: bytes) -> bytes:
    """Return a checksum of a line without its end, in hex."""
    return hashlib.blake2b(body, digest_size=8).hexdigest().encode()


def _parse_line_or_none_if_damaged(line: bytes) -> dict[str, Any] | None:
    """Return a line; None if it is not as it was written."""
    matched = _CHECKED.fullmatch(line)
    if matched is None or _line_checksum(matched[1]) != matched[2]:
        return None
    row = parse_json_object_or_none(line)
    return row if row is not None and _has_all_fields(row) else None


def parse_json_object_or_none(line: bytes) -> dict[str, Any] | None:
    """Return a line; None if a kill left only half of it."""
    try:
        row = parse_json(line)
    except ValueError:
        return None
    return row if isinstance(row, dict) else None
