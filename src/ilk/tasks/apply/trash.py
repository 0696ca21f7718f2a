"""The desktop's trash: a package moves files there, and ilk finds them to restore them.

The package does not report where a file went, so ilk searches like the desktop: in every trash that
the file may be in, ``info/NAME.trashinfo`` names the original place of ``files/NAME``.

Source: freedesktop.org, Trash specification 1.0.
"""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Iterable
from configparser import ConfigParser, Error
from typing import NamedTuple
from urllib.parse import unquote_to_bytes

from ilk.base.errors import MissingExtra, OptionError
from ilk.tasks.apply import files
from ilk.tasks.apply.files import CannotError

_INFO = ".trashinfo"


class Held(NamedTuple):
    """A file in a trash, and the note beside it with its original place."""

    file: str
    note: str


def check() -> None:
    """Refuse a trash to which files cannot be moved, or from which they cannot be restored.

    Raises:
        MissingExtra: the package is not installed.
        OptionError: the desktop does not follow freedesktop.org.
    """
    if sys.platform in ("darwin", "win32"):
        raise OptionError(
            "here ilk cannot find a file again in the trash, so it could not be put back; use "
            "`move_to`."
        )
    try:
        import send2trash  # noqa: F401
    except ImportError:
        raise MissingExtra("send2trash", "trash") from None


def put(path: str) -> None:
    """Move a file to the trash.

    Raises:
        OSError: it cannot be done.
    """
    from send2trash import send2trash

    send2trash(path)


class Trash:
    """Which of some files are in the trash, by their original places."""

    def __init__(self, paths: Iterable[str]) -> None:
        """Read every trash that may hold one of these files once."""
        self._held: dict[str, list[Held]] = {}
        for folder, top in _folders({os.path.dirname(os.path.abspath(path)) for path in paths}):
            with contextlib.suppress(OSError):
                for name in sorted(os.listdir(os.path.join(folder, "info"))):
                    if name.endswith(_INFO):
                        self._read(folder, top, name)

    def _read(self, folder: str, top: str, name: str) -> None:
        note = os.path.join(folder, "info", name)
        stood = _stood(note)
        if stood is not None:
            file = os.path.join(folder, "files", name.removesuffix(_INFO))
            self._held.setdefault(_real(os.path.join(top, stood)), []).append(Held(file, note))

    def take_back(self, path: str, size: int, digest: str) -> None:
        """Restore a file to its place; finish what a kill left half-done.

        Raises:
            CannotError: it is no longer in the trash, or something else is in its place.
        """
        held = self._held.get(_real(path), [])
        found = [each for each in held if files.is_same(each.file, size, digest)]
        if found:
            files.forget(path + files.PART)
            files.move(found[-1].file, path)
            files.forget(found[-1].note)
        elif not files.finish(path, size, digest):
            raise CannotError("is gone from the trash, or has changed")
        for each in held:
            if not os.path.lexists(each.file):
                files.forget(each.note)


def _stood(note: str) -> str | None:
    """Return the original place of a file, from its note; None if the note lacks it."""
    parser = ConfigParser(interpolation=None, strict=False)
    try:
        with open(note, encoding="utf-8", errors="surrogateescape") as file:
            parser.read_file(file)
        return os.fsdecode(unquote_to_bytes(parser["Trash Info"]["Path"]))
    except (OSError, KeyError, Error):
        return None


def _folders(places: Iterable[str]) -> set[tuple[str, str]]:
    """Return every trash for files of these folders, each with the base of its paths."""
    uid = os.getuid()
    home = os.environ.get("XDG_DATA_HOME") or os.path.expanduser("~/.local/share")
    found = {(os.path.join(home, "Trash"), home)}
    for place in places:
        top = os.path.realpath(place)
        while not os.path.ismount(top):
            top = os.path.dirname(top)
        found.add((os.path.join(top, ".Trash", str(uid)), top))
        found.add((os.path.join(top, f".Trash-{uid}"), top))
    return found


def _real(path: str) -> str:
    """Return a path with links in its folders resolved; its last part may not exist."""
    folder, name = os.path.split(os.path.abspath(path))
    return os.path.join(os.path.realpath(folder), name)
