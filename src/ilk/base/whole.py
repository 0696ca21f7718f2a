"""Files that appear under their names complete or not at all."""

from __future__ import annotations

import contextlib
import io
import os
import re
import secrets
import tempfile
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import IO, Any, NamedTuple, TypeAlias

from ilk.base.errors import OutputError, reason_of_error
from ilk.base.portable import FileHandle

#: Files by device and inode, whatever their names.
FileIdentities: TypeAlias = frozenset[tuple[int, int]]

#: After this many bytes of a file, the system is asked to write them to disk.
_BYTES_BETWEEN_REQUESTS = 32_000_000

_NUMBERED = re.compile(r"/(?:dev|proc/self)/fd/(\d+)")
_STANDARD = {"/dev/stdout": 1, "/dev/stderr": 2}


def identify_existing_files(names: Iterable[str | os.PathLike[str]]) -> FileIdentities:
    """Return the existing files with these names."""
    there = []
    for name in names:
        with contextlib.suppress(OSError, ValueError):
            status = os.stat(name)
            there.append((status.st_dev, status.st_ino))
    return frozenset(there)


def descriptor_if_path_names_one(path: str | os.PathLike[str]) -> FileHandle | None:
    """Return the number in a path such as /dev/fd/3 or /dev/stdout; None for other paths."""
    found = _NUMBERED.fullmatch(os.fspath(path))
    return int(found[1]) if found else _STANDARD.get(os.fspath(path))


def is_stream_or_device(path: str | os.PathLike[str]) -> bool:
    """Return whether a path names an open file, a pipe or a device, which cannot be replaced."""
    other = os.path.exists(path) and not os.path.isfile(path) and not os.path.isdir(path)
    return other or descriptor_if_path_names_one(path) is not None


def refuse_unwritable(
    path: Path | None, *, force: bool = False, inputs: Callable[[], FileIdentities] = frozenset
) -> None:
    """Refuse a place where no file can be written, before any work.

    The arguments are those of ``refuse_overwriting``.

    Raises:
        OutputError: the folder does not exist, a folder has that name, no file is open under
            that number, or as for ``refuse_overwriting``.
    """
    if path is None:
        return
    if descriptor_if_path_names_one(path) is not None and not os.path.exists(path):
        raise OutputError(f"cannot write {path}: no file is open under this number.")
    if os.path.isdir(path):  # Path.is_dir raises if a name is too long.
        raise OutputError(f"cannot write {path}: it is a folder. Name a file in it.")
    if not os.path.isdir(path.parent):
        raise OutputError(f"cannot write {path}: there is no folder {path.parent}. Make it first.")
    refuse_overwriting(path, force=force, inputs=inputs)


def refuse_overwriting(
    path: Path, *, force: bool = False, inputs: Callable[[], FileIdentities] = frozenset
) -> None:
    """Refuse to overwrite a file: an input file always, any other file unless ``force``.

    Args:
        path: the file to write.
        force: replace existing output.
        inputs: a function that returns the input files; called only if the file exists.

    Raises:
        OutputError: the file exists and must stay.
    """
    if not os.path.isfile(path):
        return
    if identify_existing_files([path]) & inputs():
        raise OutputError(
            f"cannot write {path}: it is one of the input files, which are never overwritten. "
            "Choose another name."
        )
    if not force and descriptor_if_path_names_one(path) is None:
        raise OutputError(
            f"cannot write {path}: it already exists. Choose another name, or replace it: `force`."
        )


@contextlib.contextmanager
def whole_file(path: Path) -> Iterator[IO[bytes]]:
    """Open a file that takes its name only when everything is written and on disk.

    Raises:
        OutputError: it cannot be written; the previous file is still there.
    """
    remark = " No partial file was left."
    try:
        if is_stream_or_device(path):
            remark, number = "", descriptor_if_path_names_one(path)
            # Opened by its name, a file would be emptied.
            with open(path if number is None else os.dup(number), "wb") as out:
                yield out
            return
        path = path.resolve()  # Not a link: its target is written.
        handle, temporary = _open_unnamed_or_temporary_file(path)
        try:
            with io.BufferedWriter(_FileWrittenToDiskEarly(handle, "wb")) as out:
                yield out
                write_through_to_disk(out)
                if temporary is None:
                    temporary = _link_to_temporary_name(out.fileno(), path)
            temporary.replace(path)
        except BaseException:
            if temporary is not None:
                temporary.unlink(missing_ok=True)
            raise
    except OSError as error:
        raise OutputError(f"cannot write {path}: {reason_of_error(error)}.{remark}") from error


class _FileWrittenToDiskEarly(io.FileIO):
    """A new file. The system writes each piece to disk while the next one is made, so that the wait
    at the end is short.
    """

    _requested_end = 0

    def write(self, content: Any, /) -> int:
        byte_count = super().write(content)
        end = self.tell()
        if end - self._requested_end >= _BYTES_BETWEEN_REQUESTS:
            # Linux begins to write what nobody needs in memory any more, and does not wait.
            with contextlib.suppress(AttributeError, OSError):
                os.posix_fadvise(
                    self.fileno(),
                    self._requested_end,
                    end - self._requested_end,
                    os.POSIX_FADV_DONTNEED,
                )
            self._requested_end = end
        return byte_count


def write_through_to_disk(file: IO[bytes]) -> None:
    """Write what is buffered of a regular file, and wait until the disk has it."""
    file.flush()
    os.fsync(file.fileno())


class _FileToWrite(NamedTuple):
    """The handle of a file that is open to write, and its name; None if it has none yet."""

    handle: FileHandle
    path_if_named: Path | None


def _open_unnamed_or_temporary_file(path: Path) -> _FileToWrite:
    """Open a file beside ``path``, without a name if the system can, so that a kill leaves nothing.

    Once it is written, such a file is linked to a temporary name, just before it takes ``path``.
    """
    with contextlib.suppress(AttributeError, OSError):
        handle = os.open(path.parent, os.O_TMPFILE | os.O_WRONLY | os.O_CLOEXEC, 0o666)
        return _FileToWrite(handle, None)
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=_temporary_prefix(path))
    umask = os.umask(0)
    os.umask(umask)
    Path(name).chmod(0o666 & ~umask)
    return _FileToWrite(handle, Path(name))


def _temporary_prefix(path: Path) -> str:
    """Return what a temporary name begins with; the longest names leave no room for more."""
    return f".{path.name[:60]}."


def _link_to_temporary_name(handle: FileHandle, path: Path) -> Path:
    """Give a file without a name one beside ``path``, and return it."""
    while True:
        name = path.with_name(_temporary_prefix(path) + secrets.token_hex(4))
        with contextlib.suppress(FileExistsError):
            # Without a folder, link() would link the link in /proc.
            os.link(f"/proc/self/fd/{handle}", name, src_dir_fd=handle)
            return name
