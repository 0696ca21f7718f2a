"""Carrying out and undoing plans for files; after a kill, running again resumes."""

from __future__ import annotations

import contextlib
import hashlib
import os
import re
import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from ilk.arrow import verdicts
from ilk.base.errors import OptionError
from ilk.read.files.walk import MOVED_HERE
from ilk.tasks.apply import files, trash
from ilk.tasks.apply.files import CannotError, is_inside
from ilk.tasks.apply.journal import BEGUN, DONE, UNDONE, Journal
from ilk.tasks.apply.plan import Going, Plan

#: What to do with a dropped file: move it, here or to the trash, or replace it with a link.
MOVE, TRASH, LINKS = "move", "trash", ("hardlink", "symlink")

#: Acts to log before the first of them is done.
_TOGETHER = 200

#: What stands in the mark of a folder for moved files; undo reads the number.
_MARK = "Files that ilk has moved; a scan does not enter this folder. Folders made for it: "


class Way(NamedTuple):
    """What to do with dropped files: one of the above, and the folder to move them to."""

    kind: str
    folder: str | None = None


@dataclass(slots=True)
class Outcome:
    """What was done, or would be done.

    Attributes:
        size: the bytes of the files.
        before: files done in an earlier run.
        left: files left alone, each with the reason.
        acts: source and target of each act.
        notes: what a person must know about the log.
    """

    size: int = 0
    before: int = 0
    left: list[tuple[str, str]] = field(default_factory=list)
    acts: list[tuple[str, str]] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    @property
    def done(self) -> int:
        """The number of files."""
        return len(self.acts)

    def add(self, source: str, to: str, size: int) -> None:
        """Count an act."""
        self.acts.append((source, to))
        self.size += size

    @contextlib.contextmanager
    def leaving(self, path: str) -> Iterator[None]:
        """Leave a file alone if what is to be done to it cannot be done."""
        try:
            yield
        except (CannotError, OSError) as error:
            self.left.append((path, _why(error)))


def chosen(plan: Plan, way: Way, only: Sequence[str] = ()) -> list[Going]:
    """Return the files to drop; those that are linked have equal bytes.

    Args:
        plan, way: what to do.
        only: verdicts that everything in a file must have; empty for all.
    """
    known = (*verdicts.SAME, verdicts.NUMBERS_ONLY)
    for verdict in only:
        if verdict not in known:
            names = ", ".join(dict.fromkeys(known))
            raise OptionError(f"only is {verdict!r}; it must be some of {names}.")
    return [
        going
        for going in plan.dropped
        if (not only or going.verdicts <= set(only))
        # Only files of equal bytes are linked, and not merely of the same compressed text.
        and (way.kind not in LINKS or going[1:3] == going.needs[0][1:3])
    ]


def apply(
    plan: Plan, way: Way, log: Path, *, only: Sequence[str] = (), dry: bool = True
) -> Outcome:
    """Carry a plan out, or show what would be done.

    Every file is compared with the plan before it is touched, and so is its keeper. The log records
    everything, so that ``undo`` can reverse it. A killed run resumes when it is started again with
    the same log.

    Args:
        plan, way, only: as for ``chosen``.
        log: the file of the log; an existing log is continued.
        dry: touch nothing and write no log.

    Raises:
        OptionError: an option is not allowed.
        OutputError: the log cannot be written, or another process cleans the same folders.
        PlanError: the log is not one.
    """
    every, outcome = chosen(plan, way, only), Outcome()
    if way.kind == TRASH:
        trash.check()
    journal = Journal(log, plan.roots)
    if way.folder is not None and not dry:
        _check_aside(way.folder, plan.roots)
    with _writing(journal, outcome, dry=dry):
        before = {act["source"] for act in journal.finished().values()}
        outcome.before = sum(going.path in before for going in every)
        every = [going for going in every if going.path not in before]
        for going in every if dry else ():
            with outcome.leaving(going.path):
                _check(plan, going)
                if way.kind in LINKS and not files.equal(going.path, going.needs[0].path):
                    raise CannotError("its bytes differ from its keeper's")
                outcome.add(going.path, _leads(plan, way, going), going.size)
        for at in () if dry else range(0, len(every), _TOGETHER):
            _carry(plan, way, every[at : at + _TOGETHER], journal, outcome)
    return outcome


def undo(log: Path, *, dry: bool = True) -> Outcome:
    """Undo what a log records, the last act first, or show what would be undone; as ``apply``."""
    if not log.is_file():
        raise OptionError(f"there is no log {log}; `ilk apply` writes PLAN.log.jsonl.")
    journal, outcome = Journal(log), Outcome()
    with _writing(journal, outcome, dry=dry):
        if journal.lost:
            lines = f"{journal.lost} of its lines are gone or changed"
            outcome.left.append((os.fspath(log), f"{lines}; what they say stays as it is"))
        for number, act in reversed(journal.finished().items()):
            place, back = act["to"] or act["source"], False
            with outcome.leaving(place):
                if not is_inside(act["source"], journal.roots):
                    raise CannotError("was outside of what was scanned")
                if not dry:
                    _put_back(act)
                outcome.add(place, act["source"], act["size"])
                back = not dry
            if back:
                journal.say(number, UNDONE)
        if not dry:
            _remove_empty(journal)
    return outcome


@contextlib.contextmanager
def _writing(journal: Journal, outcome: Outcome, *, dry: bool) -> Iterator[None]:
    """Lock the folders and the log, and settle what a killed run began; do nothing if ``dry``."""
    if dry:
        yield
        return
    with journal.open():
        if not journal.ended:
            said = "the log ends early: a run was killed, or lines are gone from its end"
            outcome.notes.append(said)
        for number, state in list(journal.states.items()):
            if state == BEGUN:
                journal.say(number, DONE if _was_done(journal.acts[number]) else UNDONE)
        yield


def _remove_empty(journal: Journal) -> None:
    """Remove the folders that were made for moved files, and their mark, if nothing is there."""
    for act in reversed(journal.acts.values()):
        folder, mark = os.path.dirname(act["to"]), act["mark"]
        with contextlib.suppress(OSError):  # It holds something, such as files of another plan.
            while mark and folder != os.path.dirname(mark):
                os.rmdir(folder)
                folder = os.path.dirname(folder)
    for mark in {act["mark"] for act in journal.acts.values()} - {""}:
        folder = os.path.dirname(mark)
        with contextlib.suppress(OSError, ValueError):
            if os.listdir(folder) == [MOVED_HERE]:
                found = re.search(rb"(\d+)\s*$", Path(mark).read_bytes())
                made = int(found[1]) if found else 0  # That of a script is empty.
                files.forget(mark)
                for _ in range(made):
                    os.rmdir(folder)
                    folder = os.path.dirname(folder)


#: What a script does before it touches a file. It compares bytes, by whichever program the system
#: has; refuses links, and a file that is its own keeper; and a folder that is now another one.
_TESTS = b"""sum() { if command -v sha256sum > /dev/null; then sha256sum; else shasum -a 256; fi; }
same() { [ -f "$2" ] && [ ! -L "$2" ] && [ "$(sum < "$2" | cut -c 1-64)" = "$1" ]; }
apart() { [ ! "$1" -ef "$2" ]; }
in_place() { [ "$(cd "$(dirname "$1")" && pwd -P)" = "$2" ]; }"""


def script(plan: Plan, way: Way, only: Sequence[str] = ()) -> Iterator[bytes]:
    """Yield the lines of a shell script (POSIX sh) that does the same to the files as they are."""
    if way.kind == TRASH:
        raise OptionError(
            "a script cannot put files into the trash on every system; use `move_to`."
        )
    yield b"#!/bin/sh"
    yield b"# Written by ilk apply. Read it before you run it. What has changed is left alone."
    yield _TESTS
    for going in chosen(plan, way, only):
        source = _quoted(going.path)
        try:
            _check(plan, going)
            folder = os.path.realpath(os.path.dirname(going.path))
            tests = [b"in_place " + source + b" " + _quoted(folder), _unchanged(going.path)]
            for need in going.needs:
                tests += [b"apart " + source + b" " + _quoted(need.path), _unchanged(need.path)]
        except (CannotError, OSError) as error:
            reason = f"left alone: {going.path!a}: {_why(error)}".encode("ascii", "replace")
            yield b"# " + reason.replace(b"\n", b" ")
            continue
        if way.kind == MOVE:
            to, mark = _target(plan, way, going), _quoted(_mark(way))
            yield b"mkdir -p " + _quoted(os.path.dirname(to))
            yield b"[ -e " + mark + b" ] || : > " + mark
            act = b"[ ! -e " + _quoted(to) + b" ] && mv " + source + b" " + _quoted(to)
        else:
            kept = _quoted(going.needs[0].path)
            how = b"ln -f " if way.kind == "hardlink" else b"ln -sf "
            act = b"cmp -s " + kept + b" " + source + b" && " + how + kept + b" " + source
        yield b" && ".join([*tests, act]) + b" || echo " + source + b": left alone >&2"


def _unchanged(path: str) -> bytes:
    with open(path, "rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    return b"same " + digest.encode() + b" " + _quoted(path)


def _quoted(path: str) -> bytes:
    """Return a path as one word of the shell; it is absolute, so that no name is an option."""
    return os.fsencode(shlex.quote(path))


def _carry(
    plan: Plan, way: Way, every: Sequence[Going], journal: Journal, outcome: Outcome
) -> None:
    """Do some acts, after logging them together."""
    acts, taken = list[tuple[Going, dict[str, Any]]](), set[str]()
    for going in every:
        with outcome.leaving(going.path):
            status, to, note = os.lstat(going.path), _target(plan, way, going), ""
            if way.kind == TRASH:
                to, note = trash.place(going.path, taken)
            taken.add(to)
            act: dict[str, Any] = {
                "way": way.kind,
                "source": going.path,
                "keeper": going.needs[0].path,
                "to": to,
                "note": note,
                "mark": _mark(way),
                "size": going.size,
                "digest": going.digest,
                "status": {name: getattr(status, f"st_{name}") for name in files.STATUS},
            }
            acts.append((going, act))
    begun = [(journal.begin(act), going, act) for going, act in acts]
    journal.sync()
    for number, going, act in begun:
        state = UNDONE
        with outcome.leaving(going.path):
            # What must stay for it, too, is looked at just before.
            _check(plan, going)
            _do(act, way)
            state = DONE
            outcome.add(going.path, _leads(plan, way, going), going.size)
        if state == UNDONE and act["note"]:
            trash.drop_note(act["to"], act["note"])
        journal.say(number, state)


def _do(act: dict[str, Any], way: Way) -> None:
    if act["way"] in LINKS:
        files.link(act["source"], act["keeper"], act["way"])
        return
    if act["note"]:
        trash.put_note(act["to"], act["note"])
    elif not is_inside(act["to"], [os.path.realpath(way.folder or "")]):
        raise CannotError("its place there is below a link to elsewhere")
    else:
        made, folder = 0, os.path.dirname(act["mark"])
        while not os.path.lexists(folder):
            made, folder = made + 1, os.path.dirname(folder)
        os.makedirs(os.path.dirname(act["mark"]), exist_ok=True)
        if not os.path.lexists(act["mark"]):
            with open(act["mark"], "w", encoding="utf-8") as mark:
                mark.write(f"{_MARK}{made}\n")
    files.move(act["source"], act["to"])


def _check_aside(folder: str, roots: Sequence[str]) -> None:
    """Refuse to move files to a place with documents, which later scans would not enter."""
    if os.path.lexists(folder) and not os.path.isdir(folder):
        raise OptionError(f"move_to is {folder!r}, which is not a folder.")
    top = os.path.realpath(folder)
    if not os.path.isdir(top) or os.path.lexists(os.path.join(top, MOVED_HERE)):
        return
    if (is_inside(top, roots) and os.listdir(top)) or any(is_inside(one, [top]) for one in roots):
        raise OptionError(
            f"move_to is {folder!r}, which holds files that were scanned; choose a new folder."
        )


def _check(plan: Plan, going: Going) -> None:
    """Refuse to touch a file that has changed, is elsewhere, or lacks what must stay for it."""
    if not is_inside(going.path, plan.roots):
        raise CannotError("is outside of what was scanned")
    for need in going.needs:
        files.check(going.path, going.size, going.digest, *need)


def _leads(plan: Plan, way: Way, going: Going) -> str:
    """Return where a file goes, or the keeper that it will be a link to."""
    trashed = way.kind == TRASH
    return "the trash" if trashed else _target(plan, way, going) or going.needs[0].path


def _mark(way: Way) -> str:
    """Return the path of the mark in a folder for moved files; "" without one."""
    return os.path.join(os.path.abspath(way.folder), MOVED_HERE) if way.folder else ""


def _target(plan: Plan, way: Way, going: Going) -> str:
    """Return where to move a file, with its folders; "" if it is not moved to a folder."""
    if way.folder is None:
        return ""
    path, folder = os.path.abspath(going.path), os.path.abspath(plan.folder)
    below = os.path.relpath(path, folder)
    if below.startswith(os.pardir + os.sep):
        below = path.lstrip(os.sep)
    return os.path.join(os.path.abspath(way.folder), below)


def _was_done(act: dict[str, Any]) -> bool:
    """Return whether an act was done during which a run was killed; clear up after it."""
    if act["way"] in LINKS:
        files.forget(files.part_of(act["source"]))
        return files.is_link(act["source"], act["keeper"], act["way"])
    done = files.settle(act["source"], act["to"], act["size"], act["digest"])
    if act["note"] and not done:
        trash.drop_note(act["to"], act["note"])
    return done


def _put_back(act: dict[str, Any]) -> None:
    source, to, known = act["source"], act["to"], (act["size"], act["digest"])
    if act["way"] in LINKS:
        if not files.is_link(source, act["keeper"], act["way"]):
            if files.is_same(source, *known):
                return
            raise CannotError("is no longer a link to its keeper")
        if not files.is_same(act["keeper"], *known):
            raise CannotError("its keeper has changed since it was linked, or is gone")
        files.unlink(source, act["keeper"], act["status"])
        return
    if not files.settle(to, source, *known):
        if not files.is_same(to, *known):
            raise CannotError("has changed since it was moved, or is gone")
        files.move(to, source)
    if act["note"]:
        trash.drop_note(to, act["note"])


def _why(error: Exception) -> str:
    return str(getattr(error, "strerror", None) or error)
