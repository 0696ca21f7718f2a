"""Carrying out and undoing plans for files; after a kill, running again resumes."""

from __future__ import annotations

import contextlib
import hashlib
import os
import re
import shlex
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import NamedTuple, TypeAlias

from ilk.base.errors import OptionError, reason_of_error
from ilk.read.files.walk import MOVED_HERE
from ilk.tasks.apply import files, rights, trash
from ilk.tasks.apply.file_plan import FilePlan, FileToDrop
from ilk.tasks.apply.files import Remarks
from ilk.tasks.apply.journal import BEGUN, DONE, UNDOING, UNDONE, Act, FinalState, Journal
from ilk.tasks.apply.places import (
    CannotError,
    hold_parent_folder,
    is_root_or_below_after_resolving_folder,
    random_part_name,
)
from ilk.tasks.apply.rights import FileDescription, make_folders_no_more_open_than

#: What to do with a dropped file: move it, here or to the trash, or replace it with a link.
MOVE, TRASH, HARDLINK, SYMLINK = "move", "trash", "hardlink", "symlink"
LINKS = (HARDLINK, SYMLINK)

#: By the device and the number of a file that had several names, the numbers of the acts on it.
ActNumbersByFile: TypeAlias = Mapping[tuple[int | None, int], Sequence[int]]

#: Acts to log before the first of them is done.
_TOGETHER = 200

#: What stands in the mark of a folder for moved files; undo reads the number.
_MARK = "Files that ilk has moved; a scan does not enter this folder. Folders made for it: "


class PathAndReason(NamedTuple):
    """A file, and why it was left alone, or what it has lost."""

    path: str
    reason: str


class NumberedAct(NamedTuple):
    """An act, and its number in the log."""

    number: int
    act: Act


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
    left: list[PathAndReason] = field(default_factory=list)
    acts: list[tuple[str, str]] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    incomplete: list[PathAndReason] = field(default_factory=list)
    _acts_counted: set[tuple[int | None, int | str]] = field(default_factory=set, repr=False)

    @property
    def act_count(self) -> int:
        """The number of files, each name of one on its own."""
        return len(self.acts)

    def add_act_and_size_once_per_file(
        self, source: str, target: str, *, size: int, status: FileDescription
    ) -> None:
        """Add an act, and the bytes of its file unless another name of it was counted.

        Args:
            source, target: the paths.
            size: the bytes of the file.
            status: it has ``dev`` and ``ino`` of the file, if they are known.
        """
        identity = (status.get("dev"), status.get("ino", source))
        self.acts.append((source, target))
        self.size += 0 if identity in self._acts_counted else size
        self._acts_counted.add(identity)

    def add_note_unless_last(self, line: str) -> None:
        """Add a note, unless it is the last one already."""
        if self.notes[-1:] != [line]:
            self.notes.append(line)

    @contextlib.contextmanager
    def suppress_error_and_list_as_left(self, path: str) -> Iterator[None]:
        """List the file as left if the body raises CannotError or OSError, which ends here."""
        try:
            yield
        except (CannotError, OSError) as error:
            self.left.append(PathAndReason(path, reason_of_error(error)))

    def do_or_list_as_left(
        self,
        path: str,
        do_act: Callable[[], Remarks],
        settle_after_os_error: Callable[[], FinalState],
        *,
        wanted_state: FinalState,
    ) -> Remarks | None:
        """Do an act, or undo one; return what is to be said of it, or None if it was not done.

        An error of the system may come before the act or after it; so what is there decides:
        ``settle_after_os_error`` looks there, and clears up.
        """
        try:
            return do_act()
        except CannotError as error:
            self.left.append(PathAndReason(path, reason_of_error(error)))
        except OSError as error:
            if settle_after_os_error() == wanted_state:
                return Remarks(unconfirmed=reason_of_error(error))
            self.left.append(PathAndReason(path, reason_of_error(error)))
        return None


def dropped_files_equal_if_linking(plan: FilePlan, method: DropMethod) -> list[FileToDrop]:
    """Return the files that a plan drops; to be linked, only those with the bytes of the keeper."""
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
    files_to_drop, outcome = dropped_files_equal_if_linking(plan, method), ApplyOutcome()
    if method.kind == TRASH:
        trash.refuse_trash_on_macos_and_windows()
    journal = Journal(log, plan.roots)
    if method.folder is not None and not dry:
        if os.path.lexists(method.folder) and not os.path.isdir(method.folder):
            raise OptionError(f"move_to is {method.folder!r}, which is not a folder.")
        _refuse_unmarked_folder_holding_searched_files(method.folder, plan.roots)
    with contextlib.nullcontext() if dry else _lock_and_settle_interrupted(journal, outcome):
        before = {act["source"] for act in journal.acts_done_and_not_undone().values()}
        outcome.before = sum(file.path in before for file in files_to_drop)
        files_to_drop = [file for file in files_to_drop if file.path not in before]
        for file in files_to_drop if dry else ():
            with outcome.suppress_error_and_list_as_left(file.path):
                _refuse_if_changed_since_plan(plan, file)
                if method.kind in LINKS:
                    _refuse_link_if_bytes_or_rights_differ(file, method)
                now = os.lstat(file.path)
                outcome.add_act_and_size_once_per_file(
                    file.path,
                    _spell_destination(plan, method, file),
                    size=file.size,
                    status={"dev": now.st_dev, "ino": now.st_ino},
                )
        for at in () if dry else range(0, len(files_to_drop), _TOGETHER):
            _log_and_do_acts(
                plan,
                method,
                to_drop=files_to_drop[at : at + _TOGETHER],
                journal=journal,
                outcome=outcome,
            )
    return outcome


def undo(log: Path, *, dry: bool = True) -> ApplyOutcome:
    """Undo what a log records, the last act first, or show what would be undone; as ``apply``."""
    if not log.is_file():
        raise OptionError(f"there is no log {log}; `ilk apply` writes PLAN.log.jsonl.")
    journal, outcome = Journal(log), ApplyOutcome()
    with contextlib.nullcontext() if dry else _lock_and_settle_interrupted(journal, outcome):
        if journal.lines_lost:
            lines = f"{journal.lines_lost} of its lines are gone or changed"
            reason = f"{lines}; what they say stays as it is"
            outcome.left.append(PathAndReason(os.fspath(log), reason))
        numbers_by_file = _act_numbers_by_file_with_several(journal)
        acts = journal.acts_done_and_not_undone()
        sources_away = {act["source"] for act in acts.values()}
        for number, act in reversed(acts.items()):
            place = act["to"] or act["source"]
            if dry:
                with outcome.suppress_error_and_list_as_left(place):
                    _refuse_source_outside_roots(journal, act)
                    outcome.add_act_and_size_once_per_file(
                        place, act["source"], size=act["size"], status=act["status"]
                    )
                continue
            put_back = partial(
                _undo_act_unless_put_back, journal, number, numbers_by_file, sources_away
            )
            clear_up = partial(_finish_or_revert_interrupted_undo, journal, number)
            remarks = outcome.do_or_list_as_left(place, put_back, clear_up, wanted_state=UNDONE)
            if remarks is None:
                continue
            outcome.add_act_and_size_once_per_file(
                place, act["source"], size=act["size"], status=act["status"]
            )
            journal.append_state_without_sync(number, UNDONE)
            sources_away.discard(act["source"])
            if remarks.missing:
                phrase = f"did not get back {', '.join(remarks.missing)}"
                outcome.incomplete.append(PathAndReason(act["source"], phrase))
            _add_note_if_not_surely_on_disk(outcome, act["source"], remarks)
        if not dry:
            outcome.incomplete += _find_files_that_lost_hard_links(
                journal, outcome, numbers_by_file
            )
            _remove_empty_folders_and_marks_of(journal.acts.values())
    return outcome


def _add_note_if_not_surely_on_disk(outcome: ApplyOutcome, path: str, remarks: Remarks) -> None:
    """Note that an act in the folder of a file may not be on the disk, if the remarks say so."""
    if remarks.unconfirmed:
        folder = os.path.dirname(path)
        outcome.add_note_unless_last(
            f"what was done in {folder} may not be on the disk: {remarks.unconfirmed}"
        )


@contextlib.contextmanager
def _lock_and_settle_interrupted(journal: Journal, outcome: ApplyOutcome) -> Iterator[None]:
    """Lock the folders and the log; finish or revert what a killed run has begun, and log that."""
    with journal.lock_folders_reload_and_log_end():
        if not journal.has_end:
            message = "the log ends early: a run was killed, or lines are gone from its end"
            outcome.notes.append(message)
        reverted_acts = list[int]()
        for number, state in list(journal.states.items()):
            act = journal.acts[number]
            if state == BEGUN and _finish_or_revert_interrupted_act(act) == UNDONE:
                reverted_acts.append(number)
            elif state == BEGUN:
                journal.append_state_without_sync(number, DONE)
            elif state == UNDOING:
                journal.append_state_without_sync(
                    number, _finish_or_revert_interrupted_undo(journal, number)
                )
        if not journal.has_end:  # A kill may have left folders of acts that are undone, too.
            _remove_empty_folders_and_marks_of(journal.acts.values())
        # Last: a run that is killed before knows of the folders from acts that only began.
        for number in reverted_acts:
            journal.append_state_without_sync(number, UNDONE)
        yield


def _remove_empty_folders_and_marks_of(acts: Iterable[Act]) -> None:
    """Remove the folders that were made for moved files, and their mark, if nothing is there.

    The mark says how many there are; where a kill came before it was written, or after it was
    removed, the log does.

    Args:
        acts: the acts that they were made for.
    """
    all_acts = list(acts)
    folders_made_if_unmarked = max((act.get("made", 0) for act in all_acts), default=0)
    for act in reversed(all_acts):
        folder, mark = os.path.dirname(act["to"]), act["mark"]
        with contextlib.suppress(OSError):  # It holds something, such as files of another plan.
            while mark and folder != os.path.dirname(mark):
                with contextlib.suppress(FileNotFoundError):  # A kill left those around it.
                    os.rmdir(folder)
                folder = os.path.dirname(folder)
    for mark in dict.fromkeys(act["mark"] for act in all_acts if act["mark"]):
        folder = os.path.dirname(mark)
        with contextlib.suppress(OSError):
            if os.path.isdir(folder) and set(os.listdir(folder)) <= {MOVED_HERE}:
                _remove_empty_folder_and_parents(
                    folder, _remove_mark_returning_trusted_count(mark, folders_made_if_unmarked)
                )
            elif not os.path.lexists(folder):
                missing = 0
                while not os.path.lexists(folder):
                    missing, folder = missing + 1, os.path.dirname(folder)
                _remove_empty_folder_and_parents(folder, folders_made_if_unmarked - missing)


def _remove_empty_folder_and_parents(folder: str, folder_count: int) -> None:
    """Remove a folder and those above it, as many as that, up to the first that is not empty."""
    with contextlib.suppress(OSError):
        for _ in range(folder_count):
            os.rmdir(folder)
            folder = os.path.dirname(folder)


def _write_mark_unless_there(mark_path: str, folder_count: int) -> None:
    """Write the mark of a folder for moved files, with how many folders were made for it, unless
    it has one.
    """
    with hold_parent_folder(mark_path) as place, contextlib.suppress(FileExistsError):
        handle = place.create_private_file()
        with open(handle, "w", encoding="utf-8") as file:
            file.write(f"{_MARK}{folder_count}\n")


def _remove_mark_returning_trusted_count(mark_path: str, folders_made_if_unmarked: int) -> int:
    """Remove the mark of a folder; return how many folders were made for it.

    A mark that someone else has written is not believed. That of a script is empty, and so is one
    whose writer was killed.
    """
    with hold_parent_folder(mark_path) as place:
        if not place.exists():
            return folders_made_if_unmarked
        count = 0
        with contextlib.suppress(CannotError), place.open_regular_file() as handle:
            written = os.read(handle, 1 << 10)
            number = re.search(rb"(\d+)\s*$", written)
            if not hasattr(os, "geteuid") or os.fstat(handle).st_uid == os.geteuid():
                count = int(number[1]) if number else 0 if written else folders_made_if_unmarked
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


def script_lines_for_unchanged_files(plan: FilePlan, method: DropMethod) -> Iterator[bytes]:
    """Yield the lines of a shell script (POSIX sh) that does the same to the files as they are."""
    if method.kind == TRASH:
        raise OptionError(
            "a script cannot put files into the trash on every system; use `move_to`."
        )
    yield b"#!/bin/sh"
    yield b"# Written by ilk apply. Read it before you run it. What has changed is left alone."
    yield _TESTS
    for file in dropped_files_equal_if_linking(plan, method):
        source = _quote_for_shell(file.path)
        try:
            _refuse_if_changed_since_plan(plan, file)
            if method.kind in LINKS:
                _refuse_link_if_bytes_or_rights_differ(file, method)
            folder = os.path.realpath(os.path.dirname(file.path))
            tests = [
                b"in_place " + source + b" " + _quote_for_shell(folder),
                _read_file_and_make_digest_test(file.path),
            ]
            for need in file.needs:
                tests += [
                    b"apart " + source + b" " + _quote_for_shell(need.path),
                    _read_file_and_make_digest_test(need.path),
                ]
        except (CannotError, OSError) as error:
            reason = f"left alone: {file.path!a}: {reason_of_error(error)}".encode(
                "ascii", "replace"
            )
            yield b"# " + reason.replace(b"\n", b" ")
            continue
        if method.folder is not None:
            to = _path_in_move_folder(file.path, plan.folder, method.folder)
            mark = _quote_for_shell(_path_of_mark(method.folder))
            yield b"mkdir -p " + _quote_for_shell(os.path.dirname(to))
            yield b"[ -e " + mark + b" ] || : > " + mark
            free = (
                b"[ ! -e " + _quote_for_shell(to) + b" ] && [ ! -L " + _quote_for_shell(to) + b" ]"
            )
            act = free + b" && mv " + source + b" " + _quote_for_shell(to)
        else:
            kept = _quote_for_shell(file.needs[0].path)
            how = b"ln -f " if method.kind == HARDLINK else b"ln -sf "
            if not method.any_owner:
                tests.append(b"alike " + kept + b" " + source)
            act = b"cmp -s " + kept + b" " + source + b" && " + how + kept + b" " + source
        yield b" && ".join([*tests, act]) + b" || echo " + source + b": left alone >&2"


def _read_file_and_make_digest_test(path: str) -> bytes:
    """Return a test in the shell of whether a file still has the bytes that it has now."""
    with open(path, "rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    return b"same " + digest.encode() + b" " + _quote_for_shell(path)


def _quote_for_shell(path: str) -> bytes:
    """Return a path as one word of the shell; it is absolute, so that no name is an option."""
    return os.fsencode(shlex.quote(path))


def _log_and_do_acts(
    plan: FilePlan,
    method: DropMethod,
    *,
    to_drop: Sequence[FileToDrop],
    journal: Journal,
    outcome: ApplyOutcome,
) -> None:
    """Move or link some files, after their acts are logged together."""
    acts, names_taken = list[tuple[FileToDrop, Act]](), set[str]()
    for file in to_drop:
        with outcome.suppress_error_and_list_as_left(file.path):
            to = note = mark = ""
            if method.kind == TRASH:
                to, note = trash.choose_trash_place_and_note_text(file.path, names_taken)
            elif method.folder is not None:
                to = _path_in_move_folder(file.path, plan.folder, method.folder)
                mark = _path_of_mark(method.folder)
            names_taken.add(to)
            with hold_parent_folder(file.path) as place, place.open_regular_file() as handle:
                status = rights.describe_file(handle)
            act: Act = {
                "way": method.kind,
                "source": file.path,
                "keeper": file.needs[0].path,
                "to": to,
                "note": note,
                "mark": mark,
                "made": _count_missing_folders(os.path.dirname(mark)),
                "part": random_part_name(),
                "size": file.size,
                "digest": file.digest,
                "status": status,
            }
            acts.append((file, act))
    begun_acts = [(journal.append_begin_of_act_without_sync(act), file, act) for file, act in acts]
    journal.sync_to_disk()
    for number, file, act in begun_acts:
        do = partial(_move_or_link_if_unchanged, plan, method, file, act)
        clear_up = partial(_finish_or_revert_interrupted_act, act)
        remarks = outcome.do_or_list_as_left(file.path, do, clear_up, wanted_state=DONE)
        if remarks is None:
            if act["note"]:
                trash.remove_own_note_unless_trashed(act["to"], act["note"])
            journal.append_state_without_sync(number, UNDONE)
            continue
        journal.append_state_without_sync(number, DONE)
        target = _spell_destination(plan, method, file)
        outcome.add_act_and_size_once_per_file(
            file.path, target, size=file.size, status=act["status"]
        )
        place_of = act["to"] or act["source"]
        if remarks.missing:
            lacking = ", ".join(remarks.missing)
            outcome.add_note_unless_last(
                f"{place_of} did not get {lacking}; the log has it, for `ilk undo`"
            )
        _add_note_if_not_surely_on_disk(outcome, place_of, remarks)


def _count_missing_folders(folder: str) -> int:
    """Return how many folders there are to make, for one and those above it."""
    count = 0
    while folder and not os.path.lexists(folder):
        count, folder = count + 1, os.path.dirname(folder)
    return count


def _move_or_link_if_unchanged(
    plan: FilePlan, method: DropMethod, file: FileToDrop, act: Act
) -> Remarks:
    """Move or link a file, after a look at it and at what must stay for it."""
    _refuse_if_changed_since_plan(plan, file)
    to, status, tops = act["to"], act["status"], tuple[str, ...]()
    with hold_parent_folder(act["source"], plan.roots) as source:
        files.refuse_if_replaced_or_rights_changed(source, status)
        if act["way"] in LINKS:
            with hold_parent_folder(act["keeper"]) as keeper:
                return files.replace_with_link(
                    source,
                    keeper,
                    symbolic=act["way"] == SYMLINK,
                    part_name=act["part"],
                    any_owner=method.any_owner,
                )
        if act["note"]:
            trash.make_trash_folders_and_write_note(to, act["note"])
        else:
            tops = (os.path.realpath(method.folder or ""),)
            if not is_root_or_below_after_resolving_folder(to, tops):
                raise CannotError("its place there is below a link to elsewhere")
        folder = os.path.dirname(to)
        make_folders_no_more_open_than(
            folder,
            os.path.dirname(act["source"]),
            model_parents=_count_folders_below_mark(folder, act["mark"]) if act["mark"] else 0,
        )
        if act["mark"]:
            _write_mark_unless_there(act["mark"], act["made"])
        with hold_parent_folder(to, tops) as place:
            return files.move(
                source, place, part_name=act["part"], digest=act["digest"], description=status
            )


def _count_folders_below_mark(folder: str, mark_path: str) -> int:
    """Return how deep the folder of a moved file is below that of all moved files."""
    below = os.path.relpath(folder, os.path.dirname(mark_path))
    return 0 if below == os.curdir else below.count(os.sep) + 1


def _refuse_link_if_bytes_or_rights_differ(file: FileToDrop, method: DropMethod) -> None:
    """Raise CannotError if a file may not become a link to its keeper."""
    with contextlib.ExitStack() as stack:
        paths = file.path, file.needs[0].path
        places = [stack.enter_context(hold_parent_folder(path)) for path in paths]
        ours, theirs = (stack.enter_context(place.open_regular_file()) for place in places)
        files.refuse_if_bytes_or_rights_differ(ours, theirs, any_owner=method.any_owner)


def _refuse_unmarked_folder_holding_searched_files(folder: str, roots: Sequence[str]) -> None:
    """Refuse to move files to a place with documents, which later scans would not enter.

    An empty folder, or one where moved files are already, may be below a root.
    """
    top = os.path.realpath(folder)
    if not os.path.isdir(top) or os.path.lexists(os.path.join(top, MOVED_HERE)):
        return
    if (is_root_or_below_after_resolving_folder(top, roots) and os.listdir(top)) or any(
        is_root_or_below_after_resolving_folder(one, [top]) for one in roots
    ):
        raise OptionError(
            f"move_to is {folder!r}, which holds files that were scanned; choose a new folder."
        )


def _refuse_if_changed_since_plan(plan: FilePlan, file_and_keepers: FileToDrop) -> None:
    """Refuse to touch a file that has changed, is elsewhere, or lacks what must stay for it."""
    if not is_root_or_below_after_resolving_folder(file_and_keepers.path, plan.roots):
        raise CannotError("is outside of what was scanned")
    for need in file_and_keepers.needs:
        files.refuse_changed_file_or_keeper(
            file_and_keepers.path,
            size=file_and_keepers.size,
            digest=file_and_keepers.digest,
            keeper=need.path,
            keeper_size=need.size,
            keeper_digest=need.digest,
        )


def _spell_destination(plan: FilePlan, method: DropMethod, file: FileToDrop) -> str:
    """Return where a file goes, for people: to the trash, or a path; or the keeper to link to."""
    if method.kind == TRASH:
        return "the trash"
    if method.folder is None:
        return file.needs[0].path
    return _path_in_move_folder(file.path, plan.folder, method.folder)


def _path_of_mark(move_folder: str) -> str:
    """Return the path of the mark in a folder for moved files."""
    return os.path.join(os.path.abspath(move_folder), MOVED_HERE)


def _path_in_move_folder(path: str, plan_folder: str, move_folder: str) -> str:
    """Return where to move a file: its folders below that of the plan, or else all, are kept."""
    path = os.path.abspath(path)
    below = os.path.relpath(path, os.path.abspath(plan_folder))
    if below.startswith(os.pardir + os.sep):
        below = path.lstrip(os.sep)
    return os.path.join(os.path.abspath(move_folder), below)


def _finish_or_revert_interrupted_act(act: Act) -> FinalState:
    """Clear up after an act that was interrupted, or ended with an error; return its state."""
    part_name, size, digest = act.get("part", ""), act["size"], act["digest"]
    if act["way"] in LINKS:
        _remove_part_if_there(act["source"], part_name)
        linked = _is_link_to_keeper(act)
        return DONE if linked else UNDONE
    done = files.finish_move_or_remove_part(
        act["source"], act["to"], part_name=part_name, size=size, digest=digest
    )
    if act["note"] and not done:
        trash.remove_own_note_unless_trashed(act["to"], act["note"])
    return DONE if done else UNDONE


def _finish_or_revert_interrupted_undo(journal: Journal, number: int) -> FinalState:
    """Clear up after the undo of an act, in the same way; return the state of the act."""
    act = journal.acts[number]  # With the file in progress of the undo, and not of the act.
    source, part_name, size, digest = act["source"], act.get("part", ""), act["size"], act["digest"]
    if act["way"] in LINKS:
        _remove_part_if_there(source, part_name)
        linked = _is_link_to_keeper(act)
        is_undone = not linked and files.has_content(source, size, digest)
        return UNDONE if is_undone else DONE
    is_undone = files.finish_move_or_remove_part(
        act["to"], source, part_name=part_name, size=size, digest=digest
    )
    if act["note"] and is_undone:
        trash.remove_own_note_unless_trashed(act["to"], act["note"])
    return UNDONE if is_undone else DONE


def _is_link_to_keeper(act: Act) -> bool:
    """Return whether the file of an act that links is a link to its keeper, of the act's kind."""
    return files.is_link_to_keeper(act["source"], act["keeper"], symbolic=act["way"] == SYMLINK)


def _remove_part_if_there(beside: str, part_name: str) -> None:
    """Remove the file in progress beside another one, if there is one."""
    if part_name:
        with (
            contextlib.suppress(FileNotFoundError, NotADirectoryError),
            hold_parent_folder(beside) as place,
        ):
            place.name_beside(part_name).remove_if_there()


def _refuse_source_outside_roots(journal: Journal, act: Act) -> None:
    if not is_root_or_below_after_resolving_folder(act["source"], journal.roots):
        raise CannotError("was outside of what was scanned")


def _undo_act_unless_put_back(
    journal: Journal, number: int, numbers_by_file: ActNumbersByFile, sources_away: Set[str]
) -> Remarks:
    """Undo an act, after its begin is logged; nothing is done if a person has put the file back.

    ``sources_away``: the files whose last act is not undone yet.
    """
    act, part_name = journal.acts[number], random_part_name()
    source, to, digest, status = act["source"], act["to"], act["digest"], act["status"]
    _refuse_source_outside_roots(journal, act)
    with contextlib.ExitStack() as stack:
        if act["way"] in LINKS:
            if not _is_link_to_keeper(act):
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
            model, mark = os.path.dirname(to), act["mark"]
            make_folders_no_more_open_than(
                os.path.dirname(source),
                model,
                model_parents=_count_folders_below_mark(model, mark) if mark else 0,
            )
        journal.append_begin_of_undo_without_sync(number, part_name)
        other_name = None
        other = _find_put_back_hard_link_or_none(journal, number, numbers_by_file, sources_away)
        if other is not None:
            other_name = stack.enter_context(hold_parent_folder(other, journal.roots))
        old = stack.enter_context(hold_parent_folder(to if to else act["keeper"]))
        new = stack.enter_context(hold_parent_folder(source, journal.roots))
        if act["way"] in LINKS:
            return files.replace_link_with_copy(
                new,
                old,
                symbolic=act["way"] == SYMLINK,
                part_name=part_name,
                digest=digest,
                description=status,
                other_name=other_name,
            )
        remarks = files.move(
            old, new, part_name=part_name, digest=digest, description=status, other_name=other_name
        )
    if act["note"]:
        trash.remove_own_note_unless_trashed(to, act["note"])
    return remarks


def _act_numbers_by_file_with_several(journal: Journal) -> ActNumbersByFile:
    """Return the numbers of the acts on each file that has several, under its several names."""
    names = defaultdict[tuple[int | None, int], list[int]](list)
    for number, act in journal.acts.items():
        if "ino" in act["status"]:
            names[act["status"].get("dev"), act["status"]["ino"]].append(number)
    return {key: numbers for key, numbers in names.items() if len(numbers) > 1}


def _other_acts_on_same_file(
    journal: Journal, number: int, numbers_by_file: ActNumbersByFile
) -> Iterator[NumberedAct]:
    """Yield the other acts on the same file, which had several names."""
    act = journal.acts[number]
    status = act["status"]
    if "ino" not in status:
        return
    for other in numbers_by_file.get((status.get("dev"), status["ino"]), ()):
        its = journal.acts[other]
        same = its["source"] != act["source"] and its["digest"] == act["digest"]
        if same and rights.were_hard_links_with_equal_metadata(status, its["status"]):
            yield NumberedAct(other, its)


def _find_put_back_hard_link_or_none(
    journal: Journal, number: int, numbers_by_file: ActNumbersByFile, sources_away: Set[str]
) -> str | None:
    """Return another name of the file that an act took away, if the file has it, or has it back."""
    for other, its in _other_acts_on_same_file(journal, number, numbers_by_file):
        path, status = its["source"], its["status"]
        if path in sources_away:  # An earlier act on it was undone; what is there now is a link.
            continue
        with contextlib.suppress(OSError):
            now = os.lstat(path)
            there = (now.st_dev, now.st_ino) == (status["dev"], status["ino"])
            there = there or journal.states.get(other) == UNDONE
            if there and files.has_content(path, its["size"], its["digest"]):
                return path
    return None


def _find_files_that_lost_hard_links(
    journal: Journal, outcome: ApplyOutcome, numbers_by_file: ActNumbersByFile
) -> Iterator[PathAndReason]:
    """Yield the files put back that had more names, with what they have now."""
    back = {source for _, source in outcome.acts}
    for number, act in journal.acts.items():
        status = act["status"]
        if act["source"] not in back or journal.states.get(number) != UNDONE:
            continue
        several = [
            its["status"]["nlink"]
            for _, its in _other_acts_on_same_file(journal, number, numbers_by_file)
        ]
        had = max([status.get("nlink", 1), *several])
        with contextlib.suppress(OSError):
            now = os.lstat(act["source"])
            # A file that was only renamed has the names that it has.
            if now.st_nlink < had and now.st_ino != status.get("ino"):
                phrase = f"was one file with {had} names, and has {now.st_nlink} now"
                yield PathAndReason(act["source"], phrase)
