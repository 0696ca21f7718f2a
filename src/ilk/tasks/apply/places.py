"""Files by their open folder, so that nothing that others rename or link leads elsewhere.

A path is read once, when its folder is opened, and no link is followed on the way. Everything after
that names the file in that folder. Systems without such calls (Windows) use the path again.
"""

from __future__ import annotations

import contextlib
import os
import secrets
import stat
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from ilk.base import portable

#: Whether a new name of a symbolic link can only be one of what it leads to.
_MUST_FOLLOW = os.link not in os.supports_follow_symlinks

#: The suffix of a file in progress.
PART = ".ilk-part"


class CannotError(Exception):
    """Why a file is left alone; whoever raises it has changed nothing."""


def is_root_or_below_after_resolving_folder(path: str, roots: Sequence[str]) -> bool:
    """Return whether a file is a root or below one, once links in its folder's path are followed.

    A link that has the name of the file itself is not followed.
    """
    place = os.path.join(os.path.realpath(os.path.dirname(path)), os.path.basename(path))
    return _is_root_or_below(place, roots)


def _is_root_or_below(place: str, roots: Sequence[str]) -> bool:
    return any(place == root or place.startswith(os.path.join(root, "")) for root in roots)


class HeldName(NamedTuple):
    """The name of a file in a folder that is held open.

    folder: the handle of the folder; None where the system has none, and then ``name`` is a path.
    name: the name in that folder.
    path: the path, for messages and for what a symbolic link says.
    """

    folder: int | None
    name: str
    path: str

    def name_beside(self, name: str) -> HeldName:
        """Return the place of another name in the same folder."""
        path = os.path.join(os.path.dirname(self.path), name)
        return HeldName(self.folder, path if self.folder is None else name, path)

    def exists(self) -> bool:
        """Return whether anything has this name, a broken link too."""
        try:
            self.lstat()
        except FileNotFoundError:
            return False
        return True

    def lstat(self) -> os.stat_result:
        """Return the status of the file, or of the link itself."""
        return os.stat(self.name, dir_fd=self.folder, follow_symlinks=False)

    @contextlib.contextmanager
    def open_regular_file(self) -> Iterator[int]:
        """Open a regular file for reading; yield its handle. Its time of access stays."""
        if not stat.S_ISREG(self.lstat().st_mode):
            raise CannotError("is not a regular file")
        handle = portable.open_refusing_link_keeping_access_time(self.name, parent=self.folder)
        try:
            if not stat.S_ISREG(os.fstat(handle).st_mode):
                raise CannotError("is not a regular file")
            yield handle
        finally:
            os.close(handle)

    def create_private_file(self) -> int:
        """Make a new file that only its owner may read; return its handle."""
        flags = os.O_RDWR | os.O_CREAT | os.O_EXCL | portable.NO_FOLLOW | portable.BARE
        return os.open(self.name, flags, 0o600, dir_fd=self.folder)

    def rename_replacing(self, to: HeldName) -> None:
        """Rename it; what has that name is replaced."""
        os.replace(self.name, to.name, src_dir_fd=self.folder, dst_dir_fd=to.folder)

    def add_hard_link(self, to: HeldName) -> None:
        """Give the file another name."""
        folders = {"src_dir_fd": self.folder, "dst_dir_fd": to.folder}
        os.link(self.name, to.name, follow_symlinks=_MUST_FOLLOW, **folders)

    def remove(self) -> None:
        """Remove the name."""
        os.unlink(self.name, dir_fd=self.folder)

    def remove_if_there(self) -> None:
        """Remove the name, if anything has it."""
        with contextlib.suppress(FileNotFoundError):
            self.remove()

    def sync_folder_or_return_error(self) -> OSError | None:
        """Flush the names of the folder to the disk; return the error if that failed."""
        where = os.path.dirname(self.path) or "." if self.folder is None else "."
        try:
            portable.sync_folder_unless_windows(where, parent=self.folder)
        except OSError as error:
            return error
        return None


@contextlib.contextmanager
def hold_parent_folder(path: str, roots: Sequence[str] = ()) -> Iterator[HeldName]:
    """Open the folder of a file; with ``roots``, only if the file is below one of them."""
    folder, name = os.path.realpath(os.path.dirname(path)), os.path.basename(path)
    if roots and not _is_root_or_below(os.path.join(folder, name), roots):
        raise CannotError("its folder is elsewhere now")
    handle = portable.open_folder_refusing_links(folder)
    try:
        yield HeldName(handle, path if handle is None else name, path)
    finally:
        if handle is not None:
            os.close(handle)


def random_part_name() -> str:
    """Return a name for a file in progress that nobody can guess."""
    return f".{secrets.token_hex(12)}{PART}"
