"""The desktop's trash: where a file goes there, and the note from which it can be restored.

``files/NAME`` is the file, and ``info/NAME.trashinfo`` says where it was.

Source: freedesktop.org, Trash specification 1.0.
"""

from __future__ import annotations

import os
import stat
import sys
import time
from bisect import bisect_left
from collections.abc import Container
from pathlib import Path
from typing import NamedTuple
from urllib.parse import quote

from ilk.base.errors import OptionError
from ilk.tasks.apply.places import CannotError


def refuse_trash_on_macos_and_windows() -> None:
    """Refuse the trash of a desktop that does not follow freedesktop.org."""
    if sys.platform in ("darwin", "win32"):
        raise OptionError(
            "here ilk cannot find a file again in the trash, so it could not be put back; use "
            "`move_to`."
        )


class TrashedFile(NamedTuple):
    """Where a file goes in the trash, and the text of its note."""

    path: str
    note_text: str


def choose_trash_place_and_note_text(path: str, paths_taken: Container[str]) -> TrashedFile:
    """Return a free path in the trash for a file, and the text of its note; write nothing."""
    folder, top = _find_trash_on_device_else_in_home(path)
    parts = os.path.splitext(os.fsencode(os.path.basename(path)))
    # A number and ".trashinfo" need room in the 255 bytes of a name.
    name, ending = os.fsdecode(parts[0][:190]), os.fsdecode(parts[1][:40])

    def path_with_number(number: int) -> str:
        own = name + ("" if number == 1 else f".{number}") + ending
        return os.path.join(folder, "files", own)

    def is_free(number: int) -> bool:
        file = path_with_number(number)
        return not (
            file in paths_taken or os.path.lexists(file) or os.path.lexists(_note_path(file))
        )

    # A hundred thousand files may have one name, so not every number is tried.
    upper_number = 1
    while not is_free(upper_number):
        upper_number *= 2
    number = (
        bisect_left(range(upper_number), True, upper_number // 2 + 1, key=is_free)
        if upper_number > 1
        else 1
    )
    stood = os.path.relpath(path, top) if top else path
    return TrashedFile(
        path_with_number(number), f"[Trash Info]\nPath={quote(os.fsencode(stood))}\n"
    )


def make_trash_folders_and_write_note(trashed_path: str, note_text: str) -> None:
    """Write the note of a file that is about to go to the trash."""
    note = Path(_note_path(trashed_path))
    for made in (Path(trashed_path).parent, note.parent):
        for folder in reversed((made, *made.parents)):  # ``parents=True`` has another mode.
            if not folder.exists():
                folder.mkdir(0o700, exist_ok=True)
    try:
        with note.open("x", encoding="ascii") as out:
            out.write(note_text + time.strftime("DeletionDate=%Y-%m-%dT%H:%M:%S\n"))
    except FileExistsError:
        raise CannotError("another file has its name in the trash") from None
    except OSError:
        note.unlink(missing_ok=True)
        raise


def remove_own_note_unless_trashed(trashed_path: str, note_text: str) -> None:
    """Remove the note of a file that is not in the trash."""
    note = Path(_note_path(trashed_path))
    # Another program may have written one of the same name.
    if (
        not os.path.lexists(trashed_path)
        and note.is_file()
        and note.read_bytes().startswith(note_text.encode())
    ):
        note.unlink(missing_ok=True)


def _note_path(trashed_path: str) -> str:
    folder, name = os.path.split(trashed_path)
    return os.path.join(os.path.dirname(folder), "info", f"{name}.trashinfo")


class _Trash(NamedTuple):
    """A trash, and the folder that paths in its notes start from, or "" if they are absolute."""

    folder: str
    top: str


def _find_trash_on_device_else_in_home(path: str) -> _Trash:
    """Return the trash on the device of a file, and what paths in its notes are relative to."""
    home = os.environ.get("XDG_DATA_HOME", "")
    if not os.path.isabs(home):  # The specification says to ignore such a path.
        home = os.path.expanduser("~/.local/share")
    existing_folder = os.path.realpath(home)
    while not os.path.lexists(existing_folder):
        existing_folder = os.path.dirname(existing_folder)
    top = os.path.realpath(os.path.dirname(path))
    if os.stat(top).st_dev != os.stat(existing_folder).st_dev:
        while not os.path.ismount(top):
            top = os.path.dirname(top)
        shared, uid = os.path.join(top, ".Trash"), os.getuid()
        sticky = _is_folder_and_no_link(shared) and os.lstat(shared).st_mode & stat.S_ISVTX
        if sticky and _is_own_folder_or_missing(os.path.join(shared, str(uid))):
            return _Trash(os.path.join(shared, str(uid)), top)
        own = os.path.join(top, f".Trash-{uid}")
        if os.access(top, os.W_OK) and _is_own_folder_or_missing(own):
            return _Trash(own, top)
    return _Trash(os.path.join(home, "Trash"), "")


def _is_folder_and_no_link(path: str) -> bool:
    return os.path.isdir(path) and not os.path.islink(path)


def _is_own_folder_or_missing(folder: str) -> bool:
    """Return whether a folder is this user's, or nobody has made it yet.

    Another user could make it first, or a link in its place, and read what is put there.
    """
    if not os.path.lexists(folder):
        return True
    return _is_folder_and_no_link(folder) and os.lstat(folder).st_uid == os.getuid()
