"""Carrying out and undoing plans for files; after a kill, running again resumes."""

from __future__ import annotations

import hashlib
import os
import shlex
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from ilk.arrow import verdicts
from ilk.base.errors import OptionError
from ilk.read.files.walk import MOVED_HERE
from ilk.tasks.apply import files, trash
from ilk.tasks.apply.files import CannotError
from ilk.tasks.apply.journal import BEGUN, DONE, UNDONE, Journal
from ilk.tasks.apply.plan import Going, Plan
from ilk.tasks.apply.trash import Trash

#: What to do with a dropped file: move it, here or to the trash, or replace it with a link.
MOVE, TRASH, LINKS = "move", "trash", ("hardlink", "reflink", "symlink")

#: Acts to log before the first of them is done.
_TOGETHER = 200


class Way(NamedTuple):
    """What to do with dropped files.

    kind: ``move``, ``trash``, ``hardlink``, ``reflink`` or ``symlink``.
    folder: where to move files.
    """

    kind: str
    folder: str | None = None


class Outcome(NamedTuple):
    """What was done, or would be done.

    done: the number of files.
    size: their bytes.
    before: files done in an earlier run.
    left: files left alone, each with the reason.
    acts: source and target of each act.
    """

    done: int
    size: int
    before: int
    left: list[tuple[str, str]]
    acts: list[tuple[str, str]]


def chosen(plan: Plan, way: Way, only: Sequence[str] = ()) -> list[Going]:
    """Return the files to drop.

    Args:
        plan: the plan.
        way: what to do; only files with equal bytes are linked.
        only: verdicts that everything in a file must have; empty for all.

    Raises:
        OptionError: a verdict is not one that members have.
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
        plan: the plan.
        way: what to do with dropped files.
        log: the file of the log; an existing log is continued.
        only: verdicts; empty for all.
        dry: touch nothing and write no log.

    Raises:
        OptionError: as of ``chosen``, and of ``trash.check``.
        MissingExtra: the package for the trash is not installed.
        OutputError: the log cannot be written.
        PlanError: the log is not one.
    """
    going = chosen(plan, way, only)
    if way.kind == TRASH:
        trash.check()
    journal = Journal(log)
    if dry:
        return _shown(plan, way, going, _finished(journal))
    if way.folder is not None:
        _check_aside(way.folder, plan.roots)
    with journal.open():
        _settle(journal)
        before = _finished(journal)
        outcome = Outcome(0, 0, 0, [], [])
        for at in range(0, len(going), _TOGETHER):
            part = _carried(plan, way, going[at : at + _TOGETHER], journal, before)
            outcome = _added(outcome, part)
        return outcome


def undo(log: Path, *, dry: bool = True) -> Outcome:
    """Undo what a log records, the last act first, or show what would be undone.

    Raises:
        OutputError: the log cannot be written.
        PlanError: the file is not a log.
    """
    if not log.is_file():
        raise OptionError(f"there is no log {log}; `ilk apply` writes PLAN.log.jsonl.")
    journal = Journal(log)
    if dry:
        acts = [journal.acts[number] for number in _finished_numbers(journal)]
        size = sum(act["size"] for act in acts)
        return Outcome(len(acts), size, 0, [], [(_place(act), act["source"]) for act in acts])
    outcome = Outcome(0, 0, 0, [], [])
    with journal.open():
        _settle(journal)
        numbers = _finished_numbers(journal)
        acts = [journal.acts[number] for number in numbers]
        held = Trash(act["source"] for act in acts if act["way"] == TRASH)
        for number, act in zip(reversed(numbers), reversed(acts), strict=True):
            try:
                _put_back(act, held)
            except (CannotError, OSError) as error:
                outcome.left.append((_place(act), _why(error)))
                continue
            journal.say(number, UNDONE)
            outcome.acts.append((_place(act), act["source"]))
            outcome = outcome._replace(done=outcome.done + 1, size=outcome.size + act["size"])
        for act in () if outcome.left else reversed(journal.acts.values()):
            files.forget(act["marked"])
            for folder in reversed(act["made"]):
                files.remove_empty(folder)
    return outcome


def script(plan: Plan, way: Way, only: Sequence[str] = ()) -> Iterator[bytes]:
    """Yield the lines of a shell script (POSIX sh) that does the same to the files as they are now.

    Raises:
        OptionError: as of ``chosen``; or a script would have to move files to the trash.
    """
    if way.kind == TRASH:
        raise OptionError(
            "a script cannot put files into the trash on every system; use `move_to`."
        )
    yield b"#!/bin/sh"
    yield b"# Written by ilk apply. Read it before you run it. What has changed is left alone."
    yield _DIGEST
    for going in chosen(plan, way, only):
        try:
            _check(plan, going)
            tests = [_unchanged(going.path), *(_unchanged(one.path) for one in going.needs)]
        except (CannotError, OSError) as error:
            reason = f"left alone: {going.path!a}: {_why(error)}".encode("ascii", "replace")
            yield b"# " + reason.replace(b"\n", b" ")
            continue
        source = _quoted(going.path)
        if way.kind == MOVE:
            to = _quoted(_target(plan, way, going))
            assert way.folder is not None, "files are moved to a folder"
            mark = _quoted(os.path.join(os.path.abspath(way.folder), MOVED_HERE))
            yield b"mkdir -p " + _quoted(os.path.dirname(_target(plan, way, going)))
            yield b"[ -e " + mark + b" ] || : > " + mark
            act = b"[ ! -e " + to + b" ] && mv " + source + b" " + to
        else:
            kept = _quoted(going.needs[0].path)
            how = {"hardlink": b"ln -f ", "symlink": b"ln -sf ", "reflink": b"cp --reflink=always "}
            act = b"cmp -s " + kept + b" " + source + b" && " + how[way.kind] + kept + b" " + source
        yield b" && ".join([*tests, act]) + b" || echo " + source + b": left alone >&2"


#: The digest of a file in a script, by whichever program the system has.
_DIGEST = b"""sum() { if command -v sha256sum > /dev/null; then sha256sum; else shasum -a 256; fi; }
same() { [ -f "$2" ] && [ "$(sum < "$2" | cut -c 1-64)" = "$1" ]; }"""


def _unchanged(path: str) -> bytes:
    """Return a test that a file is as it is now, in a script."""
    with open(path, "rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    return b"same " + digest.encode() + b" " + _quoted(path)


def _quoted(path: str) -> bytes:
    """Return a path as one word of the shell; it is absolute, so that no name is an option."""
    return os.fsencode(shlex.quote(path))


def _shown(plan: Plan, way: Way, every: Iterable[Going], before: frozenset[str]) -> Outcome:
    outcome = Outcome(0, 0, 0, [], [])
    for going in every:
        if going.path in before:
            outcome = outcome._replace(before=outcome.before + 1)
            continue
        try:
            _check(plan, going)
            if way.kind in LINKS and not files.equal(going.path, going.needs[0].path):
                raise CannotError("its bytes differ from its keeper's")
        except (CannotError, OSError) as error:
            outcome.left.append((going.path, _why(error)))
            continue
        outcome.acts.append((going.path, _leads(way, _target(plan, way, going), going)))
        outcome = outcome._replace(done=outcome.done + 1, size=outcome.size + going.size)
    return outcome


def _carried(
    plan: Plan,
    way: Way,
    every: Iterable[Going],
    journal: Journal,
    before: frozenset[str],
) -> Outcome:
    """Do some acts, after logging them together."""
    outcome, begun = Outcome(0, 0, 0, [], []), list[tuple[int, Going]]()
    made = set[str]()
    for going in every:
        if going.path in before:
            outcome = outcome._replace(before=outcome.before + 1)
            continue
        try:
            status = os.lstat(going.path)
        except OSError as error:
            outcome.left.append((going.path, _why(error)))
            continue
        to = _target(plan, way, going)
        folders = [each for each in files.missing_folders(to) if each not in made] if to else []
        made.update(folders)
        mark = "" if begun else files.mark_of(way.folder)
        act: dict[str, Any] = {
            "way": way.kind,
            "source": going.path,
            "keeper": going.needs[0].path,
            "to": to,
            "made": folders,
            "marked": mark,
            "size": going.size,
            "digest": going.digest,
            "status": {
                "mode": status.st_mode & 0o7777,
                "mtime_ns": status.st_mtime_ns,
                "uid": status.st_uid,
                "gid": status.st_gid,
            },
        }
        begun.append((journal.begin(act), going))
    journal.sync()
    if begun and (mark := journal.acts[begun[0][0]]["marked"]):
        files.mark(mark)
    for number, going in begun:
        act = journal.acts[number]
        try:
            # What must stay for it, too, is looked at just before.
            _check(plan, going)
            if way.kind == MOVE:
                files.move(going.path, act["to"])
            elif way.kind == TRASH:
                trash.put(going.path)
            else:
                files.link(going.path, act["keeper"], way.kind)
        except (CannotError, OSError) as error:
            outcome.left.append((going.path, _why(error)))
            journal.say(number, UNDONE)
            continue
        journal.say(number, DONE)
        outcome.acts.append((going.path, _leads(way, act["to"], going)))
        outcome = outcome._replace(done=outcome.done + 1, size=outcome.size + going.size)
    return outcome


def _check_aside(folder: str, roots: Sequence[str]) -> None:
    """Refuse to move files to a place with documents, which later scans would not enter.

    Raises:
        OptionError: it is not a folder; or it holds documents that were scanned.
    """
    if os.path.lexists(folder) and not os.path.isdir(folder):
        raise OptionError(f"move_to is {folder!r}, which is not a folder.")
    top = os.path.join(os.path.realpath(folder), "")
    if not os.path.isdir(top) or os.path.lexists(os.path.join(top, MOVED_HERE)):
        return
    inside = any(top.startswith(os.path.join(root, "")) for root in roots) and os.listdir(top)
    if inside or any(os.path.join(root, "").startswith(top) for root in roots):
        raise OptionError(
            f"move_to is {folder!r}, which holds files that were scanned; choose a new folder."
        )


def _added(one: Outcome, other: Outcome) -> Outcome:
    return Outcome(
        one.done + other.done,
        one.size + other.size,
        one.before + other.before,
        one.left + other.left,
        one.acts + other.acts,
    )


def _check(plan: Plan, going: Going) -> None:
    """Refuse to touch a file that has changed, is elsewhere, or lacks what must stay for it.

    Raises:
        CannotError: the reason.
    """
    place = os.path.realpath(os.path.dirname(going.path))
    tops = (os.path.join(root, "") for root in plan.roots)
    if os.path.realpath(going.path) not in plan.roots and not os.path.join(place, "").startswith(
        tuple(tops)
    ):
        raise CannotError("is outside of what was scanned")
    for need in going.needs:
        files.check(going.path, going.size, going.digest, *need)


def _leads(way: Way, to: str, going: Going) -> str:
    """Return what replaces a file, for people."""
    return "the trash" if way.kind == TRASH else to or going.needs[0].path


def _target(plan: Plan, way: Way, member: Going) -> str:
    """Return where to move a file, with its folders; else ""."""
    if way.folder is None:
        return ""
    path, folder = os.path.abspath(member.path), os.path.abspath(plan.folder)
    below = os.path.relpath(path, folder)
    if below.startswith(os.pardir + os.sep):
        below = path.lstrip(os.sep)
    return os.path.join(os.path.abspath(way.folder), below)


def _finished_numbers(journal: Journal) -> list[int]:
    return [number for number, state in journal.states.items() if state == DONE]


def _finished(journal: Journal) -> frozenset[str]:
    return frozenset(journal.acts[number]["source"] for number in _finished_numbers(journal))


def _settle(journal: Journal) -> None:
    """Find out what happened to acts during which a run was killed."""
    for number, state in list(journal.states.items()):
        if state == BEGUN:
            act = journal.acts[number]
            journal.say(number, DONE if _was_done(act) else UNDONE)


def _was_done(act: dict[str, Any]) -> bool:
    if act["way"] == MOVE:
        return files.settle(act["source"], act["to"], act["size"], act["digest"])
    if act["way"] == TRASH:
        return not os.path.lexists(act["source"])
    files.forget(act["source"] + files.PART)
    return files.is_link(act["source"], act["keeper"], act["way"])


def _put_back(act: dict[str, Any], held: Trash) -> None:
    """Undo an act.

    Raises:
        CannotError: the moved file has changed, or something else is where it was.
    """
    source = act["source"]
    if act["way"] == TRASH:
        held.take_back(source, act["size"], act["digest"])
        return
    if act["way"] == MOVE:
        if files.settle(act["to"], source, act["size"], act["digest"]):
            return
        if not files.is_same(act["to"], act["size"], act["digest"]):
            raise CannotError("has changed since it was moved, or is gone")
        files.move(act["to"], source)
        return
    if act["way"] != "reflink" and not files.is_link(source, act["keeper"], act["way"]):
        if files.is_same(source, act["size"], act["digest"]):
            return
        raise CannotError("is no longer a link to its keeper")
    if not files.is_same(act["keeper"], act["size"], act["digest"]):
        raise CannotError("its keeper has changed since it was linked, or is gone")
    files.unlink(source, act["keeper"], act["status"])


def _place(act: dict[str, Any]) -> str:
    return str(act["to"] or act["source"])


def _why(error: Exception) -> str:
    return str(getattr(error, "strerror", None) or error)
