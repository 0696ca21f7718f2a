"""Files that appear under their names whole or not at all."""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import IO

from ilk.errors import OutputError


def check(path: Path | None) -> None:
    """Refuse a place where no file can be written, before any work.

    Raises:
        OutputError: the folder does not exist, or a folder has that name.
    """
    if path is None:
        return
    if path.is_dir():
        raise OutputError(f"cannot write {path}: it is a folder. Name a file in it.")
    if not path.parent.is_dir():
        raise OutputError(f"cannot write {path}: there is no folder {path.parent}. Make it first.")


@contextlib.contextmanager
def whole_file(path: Path) -> Iterator[IO[bytes]]:
    """Open a file that takes its name only when everything is written and on disk.

    Raises:
        OutputError: it cannot be written; what stood there before still stands.
    """
    path = path.resolve()  # A link stays a link: what it leads to is written.
    if path.exists() and not path.is_file():
        # A device or a pipe is written to, never replaced by a file.
        try:
            with path.open("wb") as out:
                yield out
        except OSError as error:
            raise OutputError(f"cannot write {path}: {error.strerror or error}.") from error
        return
    try:
        handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    except OSError as error:
        raise OutputError(f"cannot write {path}: {error.strerror or error}.") from error
    try:
        try:
            with os.fdopen(handle, "wb") as out:
                yield out
                out.flush()
                os.fsync(out.fileno())
            umask = os.umask(0)
            os.umask(umask)
            Path(temporary).chmod(0o666 & ~umask)
            Path(temporary).replace(path)
        except BaseException:
            Path(temporary).unlink(missing_ok=True)
            raise
    except OSError as error:
        raise OutputError(
            f"cannot write {path}: {error.strerror or error}. Nothing was left half-written."
        ) from error
