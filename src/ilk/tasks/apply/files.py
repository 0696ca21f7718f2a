"""Moving, linking and restoring files: each act is verified first, and atomic."""

from __future__ import annotations

import contextlib
import errno
import hashlib
import os
import shutil
import stat
import time
from collections.abc import Sequence
from functools import lru_cache, partial
from itertools import zip_longest
from typing import Any

from ilk.base import portable
from ilk.fingerprints.digest import digest_of_file

#: The suffix of a file in progress.
PART = ".ilk-part"

#: Bytes in a name that all systems allow.
_LONGEST = 255

#: Bytes to compare at once.
_STEP = 1 << 20

#: Nanoseconds after which the times of a file show whether it has changed; FAT counts two seconds.
_SETTLED = 3 * 10**9

#: What a file gets back with its bytes.
STATUS = ("mode", "mtime_ns", "uid", "gid")

#: Errors of a process or a system that has too many open files; they say nothing of a file.
NO_HANDLES = (errno.EMFILE, errno.ENFILE)


class CannotError(Exception):
    """Why a file is left alone."""


def is_inside(path: str, roots: Sequence[str]) -> bool:
    """Return whether a file is one of some places or below one, links in its folders followed."""
    place = os.path.join(os.path.realpath(os.path.dirname(path)), os.path.basename(path))
    return any(place == root or place.startswith(os.path.join(root, "")) for root in roots)


def digest_of(path: str) -> str:
    """Return the digest of a file's bytes, in hex."""
    with open(path, "rb", buffering=0) as file:
        return digest_of_file(file).hex()


@lru_cache(1 << 12)
def _remembered(seen: tuple[int, ...], path: str) -> str:
    """Return the digest of a file, as long as nothing in ``seen`` changes."""
    del seen
    return digest_of(path)


def is_same(path: str, size: int, digest: str) -> bool:
    """Return whether this is a regular file with that size and digest.

    The keeper of many members is digested only once.
    """
    try:
        status = os.lstat(path)
        if not stat.S_ISREG(status.st_mode) or status.st_size != size:
            return False
        # A file that changed just now may change again without a later time.
        if time.time_ns() - status.st_ctime_ns < _SETTLED:
            return digest_of(path) == digest
        times = size, status.st_mtime_ns, status.st_ctime_ns
        return _remembered((status.st_dev, status.st_ino, *times), path) == digest
    except OSError as error:
        if error.errno in NO_HANDLES:
            raise
        return False


def check(path: str, size: int, digest: str, keeper: str, keeper_size: int, kept: str) -> None:
    """Raise CannotError if a file or its keeper has changed."""
    try:
        status = os.lstat(path)
    except OSError as error:
        raise CannotError(f"cannot be examined ({error.strerror})") from None
    if not stat.S_ISREG(status.st_mode):
        raise CannotError("is not a regular file")
    if not os.path.isfile(keeper):
        raise CannotError("its keeper is gone, so this last copy stays")
    if os.path.samefile(path, keeper):
        raise CannotError("is the same file as its keeper")
    if not is_same(path, size, digest):
        raise CannotError("has changed since the plan was made")
    if not is_same(keeper, keeper_size, kept):
        raise CannotError("its keeper has changed since the plan was made")


def move(source: str, to: str) -> None:
    """Move a file; to another device, by a copy that is compared before the original is removed."""
    if os.path.lexists(to):
        raise CannotError(f"{to} already exists")
    make_folders(os.path.dirname(to))
    try:
        os.rename(source, to)
    except OSError as error:
        if error.errno != errno.EXDEV:
            raise
        part = part_of(to)
        _copy(source, part)
        # In this order, a kill leaves one of the two, and ``to`` is never ambiguous.
        os.unlink(source)
        os.rename(part, to)
    portable.sync_names(os.path.dirname(to))


def make_folders(folder: str) -> None:
    """Make a folder and those above it, at any depth: ``os.makedirs`` calls itself."""
    missing = list[str]()
    while folder and not os.path.isdir(folder):
        missing.append(folder)
        folder = os.path.dirname(folder)
    for one in reversed(missing):
        with contextlib.suppress(FileExistsError):  # Another process may have made it.
            os.mkdir(one)


def part_of(path: str) -> str:
    """Return the name of what becomes a file, beside it; the longest names get a short one."""
    folder, name = os.path.split(path)
    if len(os.fsencode(name)) > _LONGEST - len(PART):
        name = hashlib.blake2b(os.fsencode(name), digest_size=16).hexdigest()
    return os.path.join(folder, name + PART)


def settle(source: str, to: str, size: int, digest: str) -> bool:
    """Complete or revert a move that a kill interrupted; return whether it was done."""
    if os.path.lexists(source):
        forget(part_of(to))
        return False
    if is_same(part_of(to), size, digest) and not os.path.lexists(to):
        os.rename(part_of(to), to)
    return is_same(to, size, digest)


def link(source: str, keeper: str, way: str) -> None:
    """Replace a file with a ``hardlink`` or ``symlink`` to its keeper, whose bytes are equal."""
    if not equal(source, keeper):
        raise CannotError("its bytes differ from its keeper's")
    part = part_of(source)
    forget(part)
    try:
        if way == "symlink":
            os.symlink(os.path.abspath(keeper), part)
        else:
            os.link(keeper, part, follow_symlinks=True)
    except OSError as error:
        raise CannotError(f"cannot make a {way} ({error.strerror})") from None
    os.replace(part, source)
    portable.sync_names(os.path.dirname(source))


def unlink(source: str, keeper: str, status: dict[str, Any]) -> None:
    """Replace a link to its keeper with a separate file, with the status that it had."""
    part = part_of(source)
    _copy(keeper, part)
    with contextlib.suppress(PermissionError):
        if hasattr(os, "chown"):  # Windows has no owners by number.
            os.chown(part, status["uid"], status["gid"])
    os.chmod(part, stat.S_IMODE(status["mode"]))
    os.utime(part, ns=(status["mtime_ns"], status["mtime_ns"]))
    os.replace(part, source)
    portable.sync_names(os.path.dirname(source))


def is_link(source: str, keeper: str, way: str) -> bool:
    """Return whether a file is a link to its keeper."""
    try:
        if way == "symlink":
            return os.path.islink(source) and os.readlink(source) == os.path.abspath(keeper)
        return os.path.samestat(os.lstat(source), os.stat(keeper))
    except OSError:
        return False


def equal(left: str, right: str) -> bool:
    """Compare two files byte by byte."""
    with open(left, "rb") as one, open(right, "rb") as other:
        pieces = (iter(partial(file.read, _STEP), b"") for file in (one, other))
        return all(ours == theirs for ours, theirs in zip_longest(*pieces))


def forget(part: str) -> None:
    """Remove an unfinished file, or a note, if it is there."""
    with contextlib.suppress(FileNotFoundError):
        os.unlink(part)


def _copy(source: str, part: str) -> None:
    """Copy a file with its times and modes, and compare the copy."""
    forget(part)
    try:
        shutil.copy2(source, part)
        with open(part, "rb") as file:
            os.fsync(file.fileno())
    except OSError:  # The disk is full.
        forget(part)
        raise
    if not equal(source, part):
        os.unlink(part)
        raise CannotError("its copy differs from it")
