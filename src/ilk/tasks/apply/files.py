"""Moving, linking and restoring files: each act is verified first, and atomic.

An act that ends with an error of the system may have been done all the same;
``finish_move_or_remove_part``, ``is_link_to_keeper`` and ``has_content`` look at what is there.
"""

from __future__ import annotations

import contextlib
import errno
import os
import shutil
import stat
import time
from collections.abc import Mapping
from functools import lru_cache, partial
from itertools import zip_longest
from typing import IO, NamedTuple, cast

from ilk.base import portable
from ilk.base.errors import reason_of_error
from ilk.fingerprints.digest import digest_of_rest_of_file
from ilk.tasks.apply import rights
from ilk.tasks.apply.places import CannotError, HeldName, hold_parent_folder
from ilk.tasks.apply.rights import FileDescription

#: Bytes to compare at once.
_STEP = 1 << 20

#: Nanoseconds after which the times of a file show whether it has changed; FAT counts two seconds.
_SETTLED = 3 * 10**9

#: Errors of a process or a system that has too many open files; they say nothing of a file.
NO_HANDLES = (errno.EMFILE, errno.ENFILE)

#: The facts that identify a file, and its rights.
_IDENTITY = ("dev", "ino", "mode", "uid", "gid")

#: Errors of a file system that has no way to flush a file.
CANNOT_FLUSH = (errno.EINVAL, errno.ENOTSUP, errno.ENOSYS)


class Remarks(NamedTuple):
    """What a person must know of an act that was done.

    missing: what the file has not got that it had.
    unconfirmed: why it is not sure that the act is on the disk; "" if it is.
    """

    missing: tuple[str, ...] = ()
    unconfirmed: str = ""


def digest_file_keeping_access_time(path: str) -> str:
    """Return the digest of a file's bytes, in hex."""
    with open(
        path,
        "rb",
        buffering=0,
        opener=lambda name, _: portable.open_refusing_link_keeping_access_time(name),
    ) as file:
        return digest_of_rest_of_file(file).hex()


@lru_cache(1 << 12)
def _read_or_recall_digest(status_fields: tuple[int, ...], path: str) -> str:
    """Return the digest of a file; it is read once, as long as its status is the same."""
    del status_fields
    return digest_file_keeping_access_time(path)


def has_content(path: str, size: int, digest: str) -> bool:
    """Return whether this is a regular file with that size and digest.

    The keeper of many members is digested only once.
    """
    try:
        status = os.lstat(path)
        if not stat.S_ISREG(status.st_mode) or status.st_size != size:
            return False
        # A file that changed just now may change again without a later time.
        if time.time_ns() - status.st_ctime_ns < _SETTLED:
            return digest_file_keeping_access_time(path) == digest
        times = size, status.st_mtime_ns, status.st_ctime_ns
        return _read_or_recall_digest((status.st_dev, status.st_ino, *times), path) == digest
    except OSError as error:
        if error.errno in NO_HANDLES:
            raise
        return False


def refuse_changed_file_or_keeper(
    path: str, *, size: int, digest: str, keeper: str, keeper_size: int, keeper_digest: str
) -> None:
    """Raise CannotError if a file or its keeper has changed."""
    try:
        status = os.lstat(path)
    except OSError as error:
        raise CannotError(f"cannot be examined ({reason_of_error(error)})") from None
    if not stat.S_ISREG(status.st_mode):
        raise CannotError("is not a regular file")
    if not os.path.isfile(keeper):
        raise CannotError("its keeper is gone, so this last copy stays")
    if os.path.samefile(path, keeper):
        raise CannotError("is the same file as its keeper")
    if not has_content(path, size, digest):
        raise CannotError("has changed since the plan was made")
    if not has_content(keeper, keeper_size, keeper_digest):
        raise CannotError("its keeper has changed since the plan was made")


def refuse_if_replaced_or_rights_changed(place: HeldName, description: FileDescription) -> None:
    """Raise CannotError if another file has this name now, or someone else may do things with it.

    What a log says of a file is given back to it; so it must be of this file.
    """
    status, before = place.lstat(), cast("Mapping[str, object]", description)
    if any(getattr(status, f"st_{name}") != before[name] for name in _IDENTITY):
        raise CannotError("has changed since the plan was made")


def move(
    source: HeldName,
    to: HeldName,
    *,
    part_name: str,
    digest: str,
    description: FileDescription,
    other_name: HeldName | None = None,
) -> Remarks:
    """Move a file; to another device, by a copy that is compared before the original is removed.

    Args:
        source, to: where it is, and where it goes; nothing may be there.
        part_name: the name of the copy while it is made, in the folder of ``to``.
        digest: what the bytes of the copy must have.
        description: what the copy gets besides its bytes.
        other_name: another name of the same file on the other device, which gets a hard link
            instead of a copy.
    """
    if to.exists():
        raise CannotError(f"{to.path} already exists")
    remarks = Remarks()
    try:
        source.rename_replacing(to)
    except OSError as error:
        if error.errno != errno.EXDEV:
            raise
        with source.open_regular_file() as handle:
            remarks = _copy_or_add_hard_link(
                handle,
                to.name_beside(part_name),
                digest=digest,
                description=description,
                other_name=other_name,
            )
            _finish_move_of_copy(source, handle, to, part_name)
    return _flush_folder_and_note_failure(to, remarks)


def _finish_move_of_copy(source: HeldName, handle: int, to: HeldName, part_name: str) -> None:
    """Remove a file that has a complete copy, which gets its name."""
    temporary = to.name_beside(part_name)
    # After a power failure the copy must be there, since the original is not.
    failure = temporary.sync_folder_or_return_error()
    failed = failure is not None and failure.errno == errno.EIO
    if failed or not os.path.samestat(source.lstat(), os.fstat(handle)):
        temporary.remove()
        raise CannotError("its copy cannot be written" if failed else "changed while it was copied")
    # In this order, a kill leaves one of the two, and ``to`` is never ambiguous.
    source.remove()
    temporary.rename_replacing(to)


def finish_move_or_remove_part(
    source: str, to: str, *, part_name: str, size: int, digest: str
) -> bool:
    """Complete or revert a move that was interrupted; return whether it was done.

    Args:
        source, to: the paths.
        part_name: the name of the copy in the folder of ``to``; "" if there was none.
        size, digest: of the file.
    """
    temporary = os.path.join(os.path.dirname(to), part_name)
    there = has_content(source, size, digest)
    if not there and part_name and has_content(temporary, size, digest):
        # The copy is all there is. Where its name is taken, it stays for a person to find.
        if not os.path.lexists(to):
            with hold_parent_folder(to) as place:
                place.name_beside(part_name).rename_replacing(place)
    elif part_name:
        with (
            contextlib.suppress(FileNotFoundError, NotADirectoryError),
            hold_parent_folder(to) as place,
        ):
            place.name_beside(part_name).remove_if_there()
    return not there and has_content(to, size, digest)


def refuse_if_bytes_or_rights_differ(handle: int, keeper_handle: int, *, any_owner: bool) -> None:
    """Raise CannotError if a file may not become one with its keeper; both are open.

    With ``any_owner``, their rights may differ.
    """
    if not any_owner:
        difference = rights.describe_difference_of_rights_or_empty(
            rights.describe_file(handle), rights.describe_file(keeper_handle)
        )
        if difference:
            raise CannotError(f"{difference}; --any-owner links it all the same")
    if not have_equal_bytes(handle, keeper_handle):
        raise CannotError("its bytes differ from its keeper's")


def replace_with_link(
    source: HeldName, keeper: HeldName, *, symbolic: bool, part_name: str, any_owner: bool
) -> Remarks:
    """Replace a file with a hard or symbolic link to its keeper, whose bytes are equal.

    Args:
        source, keeper: the file, and the one that stays.
        symbolic: whether the link is a symbolic one.
        part_name: the name of the link while it is made, in the folder of ``source``.
        any_owner: whether the two may have different owners, groups, modes or lists.
    """
    temporary = source.name_beside(part_name)
    with source.open_regular_file() as ours, keeper.open_regular_file() as theirs:
        refuse_if_bytes_or_rights_differ(ours, theirs, any_owner=any_owner)
        try:
            if symbolic:
                target = os.path.abspath(keeper.path)
                os.symlink(target, temporary.name, dir_fd=temporary.folder)
            else:
                keeper.add_hard_link(temporary)
        except OSError as error:
            temporary.remove_if_there()
            kind = "symlink" if symbolic else "hardlink"
            raise CannotError(f"cannot make a {kind} ({reason_of_error(error)})") from None
        pairs = [(source, ours)] if symbolic else [(source, ours), (temporary, theirs)]
        if not all(os.path.samestat(at.lstat(), os.fstat(handle)) for at, handle in pairs):
            temporary.remove_if_there()
            raise CannotError("has changed since the plan was made")
        temporary.rename_replacing(source)
    return _flush_folder_and_note_failure(source, Remarks())


def replace_link_with_copy(
    source: HeldName,
    keeper: HeldName,
    *,
    symbolic: bool,
    part_name: str,
    digest: str,
    description: FileDescription,
    other_name: HeldName | None = None,
) -> Remarks:
    """Replace a link to its keeper with the file that it was; arguments as for ``move``."""
    temporary = source.name_beside(part_name)
    with keeper.open_regular_file() as handle:
        remarks = _copy_or_add_hard_link(
            handle, temporary, digest=digest, description=description, other_name=other_name
        )
    if not is_link_to_keeper(source.path, keeper.path, symbolic=symbolic):
        temporary.remove()
        raise CannotError("is no longer a link to its keeper")
    temporary.rename_replacing(source)
    return _flush_folder_and_note_failure(source, remarks)


def is_link_to_keeper(source: str, keeper: str, *, symbolic: bool) -> bool:
    """Return whether a file is a symbolic link to its keeper, or else a hard one."""
    try:
        if symbolic:
            return os.path.islink(source) and os.readlink(source) == os.path.abspath(keeper)
        return os.path.samestat(os.lstat(source), os.stat(keeper))
    except OSError:
        return False


def have_equal_bytes(left_handle: int, right_handle: int) -> bool:
    """Return whether two open files have equal bytes."""
    with _open_reader_at_start(left_handle) as one, _open_reader_at_start(right_handle) as other:
        pieces = (iter(partial(file.read, _STEP), b"") for file in (one, other))
        return all(ours == theirs for ours, theirs in zip_longest(*pieces))


def _open_reader_at_start(handle: int) -> IO[bytes]:
    """Return a reader of an open file, from its start; the handle stays open."""
    os.lseek(handle, 0, os.SEEK_SET)
    return open(handle, "rb", closefd=False)


def _copy_or_add_hard_link(
    handle: int,
    to: HeldName,
    *,
    digest: str,
    description: FileDescription,
    other_name: HeldName | None,
) -> Remarks:
    """Make a copy of an open file with all that was described, or a hard link to its other name.

    Nobody else can read it before it is complete.
    """
    if other_name is not None and _add_hard_link_if_as_described(
        other_name, to, digest, description
    ):
        return Remarks()
    reason = ""
    try:
        with (
            open(to.create_private_file(), "w+b") as copy,
            _open_reader_at_start(handle) as original,
        ):
            shutil.copyfileobj(original, copy, _STEP)
            copy.seek(0)
            if digest_of_rest_of_file(copy).hex() != digest:
                raise CannotError("its copy differs from it")
            missing = rights.restore_rights_and_times_and_list_failures(copy.fileno(), description)
            try:
                os.fsync(copy.fileno())
            except OSError as error:
                if error.errno not in CANNOT_FLUSH:
                    raise
                reason = reason_of_error(error)
    except (CannotError, OSError):  # The disk is full.
        to.remove_if_there()
        raise
    return Remarks(tuple(missing), reason)


def _add_hard_link_if_as_described(
    other_name: HeldName, to: HeldName, digest: str, description: FileDescription
) -> bool:
    """Give a file another name, if it is what was described; return whether it is."""
    try:
        other_name.add_hard_link(to)
    except OSError:  # It is on another device, or gone.
        return False
    try:
        with to.open_regular_file() as handle, _open_reader_at_start(handle) as file:
            same = digest_of_rest_of_file(file).hex() == digest
            if same and not rights.describe_difference_of_rights_or_empty(
                rights.describe_file(handle), description
            ):
                return True
    except CannotError:
        pass
    to.remove_if_there()
    return False


def _flush_folder_and_note_failure(place: HeldName, remarks: Remarks) -> Remarks:
    """Return the remarks on an act whose names are flushed to the disk, or why they are not."""
    failure = place.sync_folder_or_return_error()
    if failure is None:
        return remarks
    return remarks._replace(unconfirmed=reason_of_error(failure))
