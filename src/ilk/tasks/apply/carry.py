"""Carrying out and undoing plans for files; after a kill, running again resumes."""

from __future__ import annotations

import contextlib
import hashlib
import os
import re
import shlex
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from ilk.base.errors import OptionError
from ilk.read.files.walk import MOVED_HERE
from ilk.tasks.apply import files, rights, trash
from ilk.tasks.apply.file_plan import FilePlan, FileToDrop
from ilk.tasks.apply.files import Remarks
from ilk.tasks.apply.journal import BEGUN, DONE, UNDOING, UNDONE, Journal
from ilk.tasks.apply.places import (
    CannotError,
    hold_folder,
    is_inside_with_links_resolved,
    temporary_name,
)
from ilk.tasks.apply.rights import make_folders

#: What to do with a dropped file: move it, here or to the trash, or replace it with a link.
MOVE, TRASH, LINKS = "move", "trash", ("hardlink", "symlink")

#: Acts to log before the first of them is done.
_TOGETHER = 200

#: What stands in the mark of a folder for moved files; undo reads the number.
_MARK = "Files that ilk has moved; a scan does not enter this folder. Folders made for it: "


class DropMethod(NamedTuple):
    """What to do with dropped files.

    kind: one of the above.
    folder: where to move them.
    any_owner: whether to link files of different owners, groups, modes or lists.
    """

    kind: str
    folder: str | None = None
    any_owner: bool = False


@dataclass(slots=True)
class ApplyOutcome:
    """What was done, or would be done.

    Attributes:
        size: the bytes of the files; those of a file with several names count once.
        before: files done in an earlier run.
        left: files left alone, each with the reason.
        acts: source and target of each act.
        notes: what a person must know about the log, and about files that were moved.
        incomplete: files put back without all that they had, each with what is missing.
    """

    size: int = 0
    before: int = 0
    left: list[tuple[str, str]] = field(default_factory=list)
    acts: list[tuple[str, str]] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    incomplete: list[tuple[str, str]] = field(default_factory=list)
    _counted: set[Any] = field(default_factory=set, repr=False)

    @property
    def file_count(self) -> int:
        """The number of files, each name of one on its own."""
        return len(self.acts)

    def count_act(self, source: str, to: str, size: int, status: Mapping[str, Any]) -> None:
        """Count an act; ``status`` has ``dev`` and ``ino`` of the file, if they are known."""
        identity = (status.get("dev"), status.get("ino", source))
        self.acts.append((source, to))
        self.size += 0 if identity in self._counted else size
        self._counted.add(identity)

    def note_unless_last(self, line: str) -> None:
        """Add a note, unless it is the last one already."""
        if self.notes[-1:] != [line]:
            self.notes.append(line)

    @contextlib.contextmanager
    def leave_if_failing(self, path: str) -> Iterator[None]:
        """Leave a file alone if what is to be done to it cannot be done."""
        try:
            yield
        except (CannotError, OSError) as error:
            self.left.append((path, files.reason_of_error(error)))

    def attempt_or_leave(
        self, path: str, act: Callable[[], Remarks], finish_or_revert: Callable[[], bool]
    ) -> Remarks | None:
        """Do an act; return what is to be said of it, or None if it was not done.

        An error of the system may come before the act or after it; so what is there decides.
        """
        try:
            return act()
        except CannotError as error:
            self.left.append((path, files.reason_of_error(error)))
        except OSError as error:
            if finish_or_revert():
                return Remarks(unconfirmed=files.reason_of_error(error))
            self.left.append((path, files.reason_of_error(error)))
        return None


def files_to_drop(plan: FilePlan, method: DropMethod) -> list[FileToDrop]:
    """Return the files to drop; those that are linked have equal bytes."""
    # Only files of equal bytes are linked, and not merely of the same compressed text.
    links = method.kind in LINKS
    return [each for each in plan.dropped if not links or each[1:3] == each.needs[0][1:3]]


def apply(plan: FilePlan, method: DropMethod, log: Path, *, dry: bool = True) -> ApplyOutcome:
    """Carry a plan out, or show what would be done.

    Every file is compared with the plan before it is touched, and so is its keeper. The log records
    everything, so that ``undo`` can reverse it. A killed run resumes when it is started again with
    the same log.

    Args:
        plan, method: what to do.
        log: the file of the log; an existing log is continued.
        dry: touch nothing and write no log.

    Raises:
        OptionError: an option is not allowed.
        OutputError: the log cannot be written, or another process cleans the same folders.
        PlanError: the log is not one.
    """
    every, outcome = files_to_drop(plan, method), ApplyOutcome()
    if method.kind == TRASH:
        trash.refuse_trash_without_undo()
    journal = Journal(log, plan.roots)
    if method.folder is not None and not dry:
        _refuse_move_among_documents(method.folder, plan.roots)
    with _lock_and_recover(journal, outcome, dry=dry):
        before = {act["source"] for act in journal.acts_to_undo().values()}
        outcome.before = sum(going.path in before for going in every)
        every = [going for going in every if going.path not in before]
        for going in every if dry else ():
            with outcome.leave_if_failing(going.path):
                _refuse_changed_or_uncovered(plan, going)
                if method.kind in LINKS:
                    _refuse_unlike_link(going, method)
                now = os.lstat(going.path)
                status = {"dev": now.st_dev, "ino": now.st_ino}
                outcome.count_act(
                    going.path, _spell_target(plan, method, going), going.size, status
                )
        for at in () if dry else range(0, len(every), _TOGETHER):
            _log_and_drop(plan, method, every[at : at + _TOGETHER], journal, outcome)
    return outcome


def undo(log: Path, *, dry: bool = True) -> ApplyOutcome:
    """Undo what a log records, the last act first, or show what would be undone; as ``apply``."""
    if not log.is_file():
        raise OptionError(f"there is no log {log}; `ilk apply` writes PLAN.log.jsonl.")
    journal, outcome = Journal(log), ApplyOutcome()
    with _lock_and_recover(journal, outcome, dry=dry):
        if journal.lost:
            lines = f"{journal.lost} of its lines are gone or changed"
            outcome.left.append((os.fspath(log), f"{lines}; what they say stays as it is"))
        names = _acts_by_hard_linked_file(journal)
        for number, act in reversed(journal.acts_to_undo().items()):
            place = act["to"] or act["source"]
            if dry:
                with outcome.leave_if_failing(place):
                    _refuse_outside_roots(journal, act)
                    outcome.count_act(place, act["source"], act["size"], act["status"])
                continue
            put_back = partial(_undo_act, journal, number, names)
            remarks = outcome.attempt_or_leave(
                place, put_back, partial(_finish_or_revert_undo, act)
            )
            if remarks is None:
                continue
            outcome.count_act(place, act["source"], act["size"], act["status"])
            journal.log_state(number, UNDONE)
            if remarks.missing:
                said = f"did not get back {', '.join(remarks.missing)}"
                outcome.incomplete.append((act["source"], said))
            _note_unconfirmed(outcome, act["source"], remarks)
        if not dry:
            outcome.incomplete += _remarks_on_lost_names(journal, outcome, names)
            _remove_empty_folders_made_for(journal.acts.values())
    return outcome


def _note_unconfirmed(outcome: ApplyOutcome, place: str, remarks: Remarks) -> None:
    if remarks.unconfirmed:
        folder = os.path.dirname(place)
        outcome.note_unless_last(
            f"what was done in {folder} may not be on the disk: {remarks.unconfirmed}"
        )


@contextlib.contextmanager
def _lock_and_recover(journal: Journal, outcome: ApplyOutcome, *, dry: bool) -> Iterator[None]:
    """Lock the folders and the log, and log what a killed run has done; do nothing if ``dry``."""
    if dry:
        yield
        return
    with journal.open_locked():
        if not journal.ended:
            said = "the log ends early: a run was killed, or lines are gone from its end"
            outcome.notes.append(said)
        acts_reverted = dict[int, dict[str, Any]]()
        for number, state in list(journal.states.items()):
            act = journal.acts[number]
            if state == BEGUN and not _finish_or_revert_act(act):
                acts_reverted[number] = act
            elif state == BEGUN:
                journal.log_state(number, DONE)
            elif state == UNDOING:
                journal.log_state(number, UNDONE if _finish_or_revert_undo(act) else DONE)
        _remove_empty_folders_made_for(
            acts_reverted.values(),
            count_without_mark=max(
                (act.get("made", 0) for act in acts_reverted.values()), default=0
            ),
        )
        # Last: a run that is killed before knows of the folders from acts that only began.
        for number in acts_reverted:
            journal.log_state(number, UNDONE)
        yield


def _remove_empty_folders_made_for(
    acts: Iterable[Mapping[str, Any]], *, count_without_mark: int = 0
) -> None:
    """Remove the folders that were made for moved files, and their mark, if nothing is there.

    Args:
        acts: the acts that they were made for.
        count_without_mark: how many folders there were to make, where no mark says it.
    """
    every = list(acts)
    for act in reversed(every):
        folder, mark = os.path.dirname(act["to"]), act["mark"]
        with contextlib.suppress(OSError):  # It holds something, such as files of another plan.
            while mark and folder != os.path.dirname(mark):
                with contextlib.suppress(FileNotFoundError):  # A kill left those around it.
                    os.rmdir(folder)
                folder = os.path.dirname(folder)
    for mark in dict.fromkeys(act["mark"] for act in every if act["mark"]):
        folder = os.path.dirname(mark)
        with contextlib.suppress(OSError):
            if os.path.isdir(folder) and set(os.listdir(folder)) <= {MOVED_HERE}:
                _remove_folder_and_parents(
                    folder, _remove_mark_and_count_folders(mark, count_without_mark)
                )
            elif not os.path.lexists(folder):
                missing = 0
                while not os.path.lexists(folder):
                    missing, folder = missing + 1, os.path.dirname(folder)
                _remove_folder_and_parents(folder, count_without_mark - missing)


def _remove_folder_and_parents(folder: str, count: int) -> None:
    for _ in range(count):
        os.rmdir(folder)
        folder = os.path.dirname(folder)


def _write_mark_unless_there(mark: str, folders_made: int) -> None:
    """Write the mark of a folder for moved files, unless it has one."""
    with hold_folder(mark) as place, contextlib.suppress(FileExistsError):
        handle = place.create()
        with open(handle, "w", encoding="utf-8") as file:
            file.write(f"{_MARK}{folders_made}\n")


def _remove_mark_and_count_folders(mark: str, count_without_mark: int) -> int:
    """Remove the mark of a folder; return how many folders were made for it.

    A mark that someone else has written is not believed. That of a script is empty, and so is one
    whose writer was killed.
    """
    with hold_folder(mark) as place:
        if not place.exists():
            return count_without_mark
        count = 0
        with contextlib.suppress(CannotError), place.open_file() as handle:
            written = os.read(handle, 1 << 10)
            number = re.search(rb"(\d+)\s*$", written)
            if not hasattr(os, "geteuid") or os.fstat(handle).st_uid == os.geteuid():
                count = int(number[1]) if number else 0 if written else count_without_mark
        place.remove()
    return count


#: What a script does before it touches a file. It compares bytes, by whichever program the system
#: has; refuses links, and a file that is its own keeper; and a folder that is now another one.
#: What it makes is for its user alone, and replaces nothing. ``ls`` marks a list by a character.
_TESTS = b"""umask 077
set -C
sum() { if command -v sha256sum > /dev/null; then sha256sum; else shasum -a 256; fi; }
same() { [ -f "$2" ] && [ ! -L "$2" ] && [ "$(sum < "$2" | cut -c 1-64)" = "$1" ]; }
apart() { [ ! "$1" -ef "$2" ]; }
rights() { ls -lnd "$1" | awk 'NR == 1 { print $1, $3, $4 }'; }
alike() { [ "$(rights "$1")" = "$(rights "$2")" ]; }
in_place() { [ "$(cd "$(dirname "$1")" && pwd -P)" = "$2" ]; }"""


def make_script_of_unchanged_files(plan: FilePlan, method: DropMethod) -> Iterator[bytes]:
    """Yield the lines of a shell script (POSIX sh) that does the same to the files as they are."""
    if method.kind == TRASH:
        raise OptionError(
            "a script cannot put files into the trash on every system; use `move_to`."
        )
    yield b"#!/bin/sh"
    yield b"# Written by ilk apply. Read it before you run it. What has changed is left alone."
    yield _TESTS
    for going in files_to_drop(plan, method):
        source = _quote_path(going.path)
        try:
            _refuse_changed_or_uncovered(plan, going)
            if method.kind in LINKS:
                _refuse_unlike_link(going, method)
            folder = os.path.realpath(os.path.dirname(going.path))
            tests = [
                b"in_place " + source + b" " + _quote_path(folder),
                _read_file_and_make_test(going.path),
            ]
            for need in going.needs:
                tests += [
                    b"apart " + source + b" " + _quote_path(need.path),
                    _read_file_and_make_test(need.path),
                ]
        except (CannotError, OSError) as error:
            reason = f"left alone: {going.path!a}: {files.reason_of_error(error)}".encode(
                "ascii", "replace"
            )
            yield b"# " + reason.replace(b"\n", b" ")
            continue
        if method.kind == MOVE:
            to, mark = _move_target(plan, method, going), _quote_path(_mark_path(method))
            yield b"mkdir -p " + _quote_path(os.path.dirname(to))
            yield b"[ -e " + mark + b" ] || : > " + mark
            free = b"[ ! -e " + _quote_path(to) + b" ] && [ ! -L " + _quote_path(to) + b" ]"
            act = free + b" && mv " + source + b" " + _quote_path(to)
        else:
            kept = _quote_path(going.needs[0].path)
            how = b"ln -f " if method.kind == "hardlink" else b"ln -sf "
            if not method.any_owner:
                tests.append(b"alike " + kept + b" " + source)
            act = b"cmp -s " + kept + b" " + source + b" && " + how + kept + b" " + source
        yield b" && ".join([*tests, act]) + b" || echo " + source + b": left alone >&2"


def _read_file_and_make_test(path: str) -> bytes:
    with open(path, "rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    return b"same " + digest.encode() + b" " + _quote_path(path)


def _quote_path(path: str) -> bytes:
    """Return a path as one word of the shell; it is absolute, so that no name is an option."""
    return os.fsencode(shlex.quote(path))


def _log_and_drop(
    plan: FilePlan,
    method: DropMethod,
    dropped: Sequence[FileToDrop],
    journal: Journal,
    outcome: ApplyOutcome,
) -> None:
    """Move or link some files, after their acts are logged together."""
    acts, names_taken = list[tuple[FileToDrop, dict[str, Any]]](), set[str]()
    for going in dropped:
        with outcome.leave_if_failing(going.path):
            to, note = _move_target(plan, method, going), ""
            if method.kind == TRASH:
                to, note = trash.choose_place_and_note(going.path, names_taken)
            names_taken.add(to)
            with hold_folder(going.path) as place, place.open_file() as handle:
                status = rights.describe_file(handle)
            act: dict[str, Any] = {
                "way": method.kind,
                "source": going.path,
                "keeper": going.needs[0].path,
                "to": to,
                "note": note,
                "mark": _mark_path(method),
                "made": _count_missing_folders(os.path.dirname(_mark_path(method))),
                "part": temporary_name(),
                "size": going.size,
                "digest": going.digest,
                "status": status,
            }
            acts.append((going, act))
    begun = [(journal.log_begin_of_act(act), going, act) for going, act in acts]
    journal.sync()
    for number, going, act in begun:
        do = partial(_do_act, plan, method, going, act)
        remarks = outcome.attempt_or_leave(going.path, do, partial(_finish_or_revert_act, act))
        if remarks is None:
            if act["note"]:
                trash.remove_own_note(act["to"], act["note"])
            journal.log_state(number, UNDONE)
            continue
        journal.log_state(number, DONE)
        target = _spell_target(plan, method, going)
        outcome.count_act(going.path, target, going.size, act["status"])
        place_of = act["to"] or act["source"]
        if remarks.missing:
            lacking = ", ".join(remarks.missing)
            outcome.note_unless_last(
                f"{place_of} did not get {lacking}; the log has it, for `ilk undo`"
            )
        _note_unconfirmed(outcome, place_of, remarks)


def _count_missing_folders(folder: str) -> int:
    """Return how many folders there are to make, for one and those above it."""
    count = 0
    while folder and not os.path.lexists(folder):
        count, folder = count + 1, os.path.dirname(folder)
    return count


def _do_act(
    plan: FilePlan, method: DropMethod, going: FileToDrop, act: Mapping[str, Any]
) -> Remarks:
    """Move or link a file, after a look at it and at what must stay for it."""
    _refuse_changed_or_uncovered(plan, going)
    to, status, tops = act["to"], act["status"], tuple[str, ...]()
    with hold_folder(act["source"], plan.roots) as source:
        files.refuse_other_file(source, status)
        if act["way"] in LINKS:
            with hold_folder(act["keeper"]) as keeper:
                return files.replace_with_link(
                    source, keeper, act["way"], part=act["part"], any_owner=method.any_owner
                )
        if act["note"]:
            trash.write_note_in_folders(to, act["note"])
        else:
            tops = (os.path.realpath(method.folder or ""),)
            if not is_inside_with_links_resolved(to, tops):
                raise CannotError("its place there is below a link to elsewhere")
        folder = os.path.dirname(to)
        make_folders(folder, like=os.path.dirname(act["source"]), levels=_levels_below_mark(act))
        if act["mark"]:
            _write_mark_unless_there(act["mark"], act["made"])
        with hold_folder(to, tops) as place:
            return files.move(
                source, place, part=act["part"], digest=act["digest"], described=status
            )


def _levels_below_mark(act: Mapping[str, Any]) -> int:
    """Return how many folders there are between a moved file's own and that of all moved files."""
    if not act["mark"]:
        return 0
    below = os.path.relpath(os.path.dirname(act["to"]), os.path.dirname(act["mark"]))
    return 0 if below == os.curdir else below.count(os.sep) + 1


def _refuse_unlike_link(going: FileToDrop, method: DropMethod) -> None:
    """Raise CannotError if a file may not become a link to its keeper."""
    with contextlib.ExitStack() as stack:
        paths = going.path, going.needs[0].path
        places = [stack.enter_context(hold_folder(path)) for path in paths]
        ours, theirs = (stack.enter_context(place.open_file()) for place in places)
        files.refuse_unlike_link(ours, theirs, any_owner=method.any_owner)


def _refuse_move_among_documents(folder: str, roots: Sequence[str]) -> None:
    """Refuse to move files to a place with documents, which later scans would not enter."""
    if os.path.lexists(folder) and not os.path.isdir(folder):
        raise OptionError(f"move_to is {folder!r}, which is not a folder.")
    top = os.path.realpath(folder)
    if not os.path.isdir(top) or os.path.lexists(os.path.join(top, MOVED_HERE)):
        return
    if (is_inside_with_links_resolved(top, roots) and os.listdir(top)) or any(
        is_inside_with_links_resolved(one, [top]) for one in roots
    ):
        raise OptionError(
            f"move_to is {folder!r}, which holds files that were scanned; choose a new folder."
        )


def _refuse_changed_or_uncovered(plan: FilePlan, going: FileToDrop) -> None:
    """Refuse to touch a file that has changed, is elsewhere, or lacks what must stay for it."""
    if not is_inside_with_links_resolved(going.path, plan.roots):
        raise CannotError("is outside of what was scanned")
    for need in going.needs:
        files.refuse_changed_file_or_keeper(
            going.path,
            size=going.size,
            digest=going.digest,
            keeper=need.path,
            keeper_size=need.size,
            keeper_digest=need.digest,
        )


def _spell_target(plan: FilePlan, method: DropMethod, going: FileToDrop) -> str:
    """Return where a file goes, or the keeper that it will be a link to."""
    trashed = method.kind == TRASH
    return "the trash" if trashed else _move_target(plan, method, going) or going.needs[0].path


def _mark_path(method: DropMethod) -> str:
    """Return the path of the mark in a folder for moved files; "" without one."""
    return os.path.join(os.path.abspath(method.folder), MOVED_HERE) if method.folder else ""


def _move_target(plan: FilePlan, method: DropMethod, going: FileToDrop) -> str:
    """Return where to move a file, with its folders; "" if it is not moved to a folder."""
    if method.folder is None:
        return ""
    path, folder = os.path.abspath(going.path), os.path.abspath(plan.folder)
    below = os.path.relpath(path, folder)
    if below.startswith(os.pardir + os.sep):
        below = path.lstrip(os.sep)
    return os.path.join(os.path.abspath(method.folder), below)


def _finish_or_revert_act(act: Mapping[str, Any]) -> bool:
    """Return whether an act was done that was interrupted, or ended with an error; clear up."""
    part, known = act.get("part", ""), {"size": act["size"], "digest": act["digest"]}
    if act["way"] in LINKS:
        _remove_file_in_progress(act["source"], part)
        return files.is_link(act["source"], act["keeper"], act["way"])
    done = files.finish_or_revert_move(act["source"], act["to"], part=part, **known)
    if act["note"] and not done:
        trash.remove_own_note(act["to"], act["note"])
    return done


def _finish_or_revert_undo(act: Mapping[str, Any]) -> bool:
    """Return whether an act was undone, in the same way."""
    source, part = act["source"], act.get("part", "")
    known = {"size": act["size"], "digest": act["digest"]}
    if act["way"] in LINKS:
        _remove_file_in_progress(source, part)
        linked = files.is_link(source, act["keeper"], act["way"])
        return not linked and files.has_content(source, **known)
    undone = files.finish_or_revert_move(act["to"], source, part=part, **known)
    if act["note"] and undone:
        trash.remove_own_note(act["to"], act["note"])
    return undone


def _remove_file_in_progress(path: str, part: str) -> None:
    """Remove the file in progress beside another one, if there is one."""
    if part:
        with contextlib.suppress(FileNotFoundError, NotADirectoryError), hold_folder(path) as place:
            place.beside(part).remove_if_there()


def _refuse_outside_roots(journal: Journal, act: Mapping[str, Any]) -> None:
    if not is_inside_with_links_resolved(act["source"], journal.roots):
        raise CannotError("was outside of what was scanned")


def _undo_act(journal: Journal, number: int, acts_by_file: Mapping[Any, Sequence[int]]) -> Remarks:
    """Undo an act."""
    act, part = journal.acts[number], temporary_name()
    source, to, digest, status = act["source"], act["to"], act["digest"], act["status"]
    _refuse_outside_roots(journal, act)
    with contextlib.ExitStack() as stack:
        if act["way"] in LINKS:
            if not files.is_link(source, act["keeper"], act["way"]):
                if files.has_content(source, act["size"], digest):
                    return Remarks()
                raise CannotError("is no longer a link to its keeper")
            if not files.has_content(act["keeper"], act["size"], digest):
                raise CannotError("its keeper has changed since it was linked, or is gone")
        elif not os.path.lexists(to) and files.has_content(source, act["size"], digest):
            return Remarks()  # A person has put it back.
        elif not files.has_content(to, act["size"], digest):
            raise CannotError("has changed since it was moved, or is gone")
        else:
            folder = os.path.dirname(source)
            make_folders(folder, like=os.path.dirname(to), levels=_levels_below_mark(act))
        journal.log_begin_of_undo(number, part)
        twin = None
        if other := _find_other_name(journal, number, acts_by_file):
            twin = stack.enter_context(hold_folder(other, journal.roots))
        old = stack.enter_context(hold_folder(to if to else act["keeper"]))
        new = stack.enter_context(hold_folder(source, journal.roots))
        if act["way"] in LINKS:
            return files.replace_link_with_copy(
                new, old, act["way"], part=part, digest=digest, described=status, twin=twin
            )
        remarks = files.move(old, new, part=part, digest=digest, described=status, twin=twin)
    if act["note"]:
        trash.remove_own_note(to, act["note"])
    return remarks


def _acts_by_hard_linked_file(journal: Journal) -> dict[Any, list[int]]:
    """Return the acts on files with several names, together by file."""
    names = defaultdict[Any, list[int]](list)
    for number, act in journal.acts.items():
        if "ino" in act["status"]:
            names[act["status"].get("dev"), act["status"]["ino"]].append(number)
    return {key: numbers for key, numbers in names.items() if len(numbers) > 1}


def _other_acts_on_file(
    journal: Journal, number: int, acts_by_file: Mapping[Any, Sequence[int]]
) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield the other acts on the same file, which had several names."""
    act = journal.acts[number]
    status = act["status"]
    for other in acts_by_file.get((status.get("dev"), status.get("ino")), ()):
        its = journal.acts[other]
        same = its["source"] != act["source"] and its["digest"] == act["digest"]
        if same and rights.was_one_file(status, its["status"]):
            yield other, its


def _find_other_name(
    journal: Journal, number: int, acts_by_file: Mapping[Any, Sequence[int]]
) -> str:
    """Return another name of the file that an act took away, or ""."""
    for other, its in _other_acts_on_file(journal, number, acts_by_file):
        path, status = its["source"], its["status"]
        with contextlib.suppress(OSError):
            now = os.lstat(path)
            there = (now.st_dev, now.st_ino) == (status["dev"], status["ino"])
            there = there or journal.states.get(other) == UNDONE
            if there and files.has_content(path, its["size"], its["digest"]):
                return str(path)
    return ""


def _remarks_on_lost_names(
    journal: Journal, outcome: ApplyOutcome, acts_by_file: Mapping[Any, Sequence[int]]
) -> Iterator[tuple[str, str]]:
    """Yield the files put back that had more names, with what they have now."""
    back = {source for _, source in outcome.acts}
    for number, act in journal.acts.items():
        status = act["status"]
        if act["source"] not in back or journal.states.get(number) != UNDONE:
            continue
        several = [
            its["status"]["nlink"] for _, its in _other_acts_on_file(journal, number, acts_by_file)
        ]
        had = max([status.get("nlink", 1), *several])
        with contextlib.suppress(OSError):
            now = os.lstat(act["source"])
            # A file that was only renamed has the names that it has.
            if now.st_nlink < had and now.st_ino != status.get("ino"):
                yield act["source"], f"was one file with {had} names, and has {now.st_nlink} now"
