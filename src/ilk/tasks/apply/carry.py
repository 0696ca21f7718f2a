"""Carrying out and undoing plans for files; after a kill, running again resumes."""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from ilk.arrow import verdicts
from ilk.base.errors import OptionError
from ilk.tasks.apply import files, trash
from ilk.tasks.apply.files import CannotError
from ilk.tasks.apply.journal import BEGUN, DONE, UNDONE, Journal
from ilk.tasks.apply.plan import Member, Plan
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


def chosen(plan: Plan, way: Way, only: Sequence[str] = ()) -> list[tuple[Member, Member]]:
    """Return members to drop, each with its keeper.

    Args:
        plan: the plan.
        way: what to do; only files with equal bytes are linked.
        only: verdicts; empty for all.

    Raises:
        OptionError: a verdict is not one that members have.
    """
    known = (*verdicts.SAME, verdicts.NUMBERS_ONLY)
    for verdict in only:
        if verdict not in known:
            names = ", ".join(dict.fromkeys(known))
            raise OptionError(f"only is {verdict!r}; it must be some of {names}.")
    linked = way.kind in LINKS
    return [
        (member, keeper)
        for member, keeper in plan.dropped()
        if (not only or member.verdict in only)
        and not (linked and not (member.verdict == verdicts.IDENTICAL and _same(member, keeper)))
    ]


def _same(member: Member, keeper: Member) -> bool:
    """Return whether two files have the same bytes, and not merely the same compressed text."""
    return (member.size, member.digest) == (keeper.size, keeper.digest)


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
    pairs = chosen(plan, way, only)
    if way.kind == TRASH:
        trash.check()
    journal = Journal(log)
    if dry:
        return _shown(plan, way, pairs, _finished(journal))
    with journal.open():
        _settle(journal)
        before = _finished(journal)
        outcome = Outcome(0, 0, 0, [], [])
        for at in range(0, len(pairs), _TOGETHER):
            part = _carried(plan, way, pairs[at : at + _TOGETHER], journal, before)
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
    yield b"set -eu"
    for member, keeper in chosen(plan, way, only):
        try:
            _check(member, keeper)
        except (CannotError, OSError) as error:
            reason = f"left alone: {member.path!a}: {_why(error)}".encode("ascii", "replace")
            yield b"# " + reason.replace(b"\n", b" ")
            continue
        source, kept = _quoted(member.path), _quoted(keeper.path)
        test = b"[ -f " + kept + b" ] && "
        if way.kind == MOVE:
            to = _target(plan, way, member)
            folder = _quoted(os.path.dirname(to))
            yield b"mkdir -p " + folder
            yield test + b"[ ! -e " + _quoted(to) + b" ] && mv " + source + b" " + _quoted(to)
        else:
            how = {"hardlink": b"ln -f ", "symlink": b"ln -sf ", "reflink": b"cp --reflink=always "}
            yield b"cmp -s " + kept + b" " + source + b" && " + how[way.kind] + kept + b" " + source


def _quoted(path: str) -> bytes:
    """Return a path as one word of the shell; it is absolute, so that no name is an option."""
    return os.fsencode(shlex.quote(path))


def _shown(
    plan: Plan, way: Way, pairs: Iterable[tuple[Member, Member]], before: frozenset[str]
) -> Outcome:
    outcome = Outcome(0, 0, 0, [], [])
    for member, keeper in pairs:
        if member.path in before:
            outcome = outcome._replace(before=outcome.before + 1)
            continue
        try:
            _check(member, keeper)
            if way.kind in LINKS and not files.equal(member.path, keeper.path):
                raise CannotError("its bytes differ from its keeper's")
        except (CannotError, OSError) as error:
            outcome.left.append((member.path, _why(error)))
            continue
        outcome.acts.append((member.path, _leads(way, _target(plan, way, member), keeper)))
        outcome = outcome._replace(done=outcome.done + 1, size=outcome.size + member.size)
    return outcome


def _carried(
    plan: Plan,
    way: Way,
    pairs: Iterable[tuple[Member, Member]],
    journal: Journal,
    before: frozenset[str],
) -> Outcome:
    """Do some acts, after logging them together."""
    outcome, begun = Outcome(0, 0, 0, [], []), []
    for member, keeper in pairs:
        if member.path in before:
            outcome = outcome._replace(before=outcome.before + 1)
            continue
        try:
            status = os.lstat(member.path)
        except OSError as error:
            outcome.left.append((member.path, _why(error)))
            continue
        act: dict[str, Any] = {
            "way": way.kind,
            "source": member.path,
            "keeper": keeper.path,
            "to": _target(plan, way, member),
            "size": member.size,
            "digest": member.digest,
            "status": {
                "mode": status.st_mode & 0o7777,
                "mtime_ns": status.st_mtime_ns,
                "uid": status.st_uid,
                "gid": status.st_gid,
            },
        }
        begun.append((journal.begin(act), member, keeper))
    journal.sync()
    for number, member, keeper in begun:
        act = journal.acts[number]
        try:
            # The keeper, too, is checked just before.
            _check(member, keeper)
            if way.kind == MOVE:
                files.move(member.path, act["to"])
            elif way.kind == TRASH:
                trash.put(member.path)
            else:
                files.link(member.path, keeper.path, way.kind)
        except (CannotError, OSError) as error:
            outcome.left.append((member.path, _why(error)))
            journal.say(number, UNDONE)
            continue
        journal.say(number, DONE)
        outcome.acts.append((member.path, _leads(way, act["to"], keeper)))
        outcome = outcome._replace(done=outcome.done + 1, size=outcome.size + member.size)
    return outcome


def _added(one: Outcome, other: Outcome) -> Outcome:
    return Outcome(
        one.done + other.done,
        one.size + other.size,
        one.before + other.before,
        one.left + other.left,
        one.acts + other.acts,
    )


def _check(member: Member, keeper: Member) -> None:
    files.check(member.path, member.size, member.digest, keeper.path, keeper.size, keeper.digest)


def _leads(way: Way, to: str, keeper: Member) -> str:
    """Return what replaces a file, for people."""
    return "the trash" if way.kind == TRASH else to or keeper.path


def _target(plan: Plan, way: Way, member: Member) -> str:
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
