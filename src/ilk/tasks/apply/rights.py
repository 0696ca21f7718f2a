"""What a file has besides its bytes: owner, group, mode, times, extended attributes, names.

Access control lists of POSIX, and capabilities, are extended attributes.
"""

from __future__ import annotations

import base64
import contextlib
import errno
import os
import stat
from collections.abc import Mapping
from typing import NamedTuple, TypedDict

from ilk.base import portable
from ilk.tasks.apply.places import CannotError, HeldName

#: Extended attributes that hold a file's access list and a folder's default list.
_ACL, _INHERITED = "system.posix_acl_access", "system.posix_acl_default"

#: Names, for messages, of the attributes that say who may do what.
_POWERS = {_ACL: "access control list", "security.capability": "capabilities"}


class FileDescription(TypedDict, total=False):
    """What a file has besides its bytes, as a log holds it; values of attributes in base64."""

    dev: int
    ino: int
    nlink: int
    mode: int
    uid: int
    gid: int
    atime_ns: int
    mtime_ns: int
    xattrs: dict[str, str]


#: Whether the system has extended attributes (macOS has them, but Python not for macOS).
_HAS_ATTRIBUTES = hasattr(os, "listxattr")


def describe_file(handle: int) -> FileDescription:
    """Return what an open file has besides its bytes, as a log holds it."""
    status = os.fstat(handle)
    attributes = _read_extended_attributes(handle)
    return {
        "dev": status.st_dev,
        "ino": status.st_ino,
        "nlink": status.st_nlink,
        "mode": status.st_mode,
        "uid": status.st_uid,
        "gid": status.st_gid,
        "atime_ns": status.st_atime_ns,
        "mtime_ns": status.st_mtime_ns,
        "xattrs": {name: base64.b64encode(each).decode() for name, each in attributes.items()},
    }


def describe_difference_of_rights_or_empty(ours: FileDescription, theirs: FileDescription) -> str:
    """Return in what the rights to a file differ from those to its keeper, or ""."""
    for word, own, other in (
        ("owner", ours["uid"], theirs["uid"]),
        ("group", ours["gid"], theirs["gid"]),
    ):
        if own != other:
            return f"its {word} is {own}, but that of its keeper is {other}"
    modes = [stat.S_IMODE(each["mode"]) for each in (ours, theirs)]
    if modes[0] != modes[1]:
        return f"its mode is {modes[0]:o}, but that of its keeper is {modes[1]:o}"
    for name, word in _POWERS.items():
        if ours["xattrs"].get(name) != theirs["xattrs"].get(name):
            return f"its {word} and that of its keeper differ"
    return ""


def were_hard_links_with_equal_metadata(
    description: FileDescription, other_description: FileDescription
) -> bool:
    """Return whether two files were two names of one when they were described."""
    several = max(description.get("nlink", 1), other_description.get("nlink", 1)) > 1
    same = ("dev", "ino", "mode", "uid", "gid", "mtime_ns", "xattrs")
    left: Mapping[str, object] = description
    right: Mapping[str, object] = other_description
    return several and all(left.get(name) == right.get(name) for name in same)


def restore_rights_and_times_and_list_failures(
    handle: int, description: FileDescription
) -> list[str]:
    """Give an open file what was described; return what it could not be given.

    A right that was given to an owner, a group or a list is not given to another one instead.
    """
    missing, mode = list[str](), stat.S_IMODE(description["mode"])
    _try_to_give_owner_and_group(handle, description["uid"], description["gid"])
    status = os.fstat(handle)
    if status.st_uid != description["uid"]:
        missing.append(f"its owner ({description['uid']})")
        mode &= ~stat.S_ISUID
    if status.st_gid != description["gid"]:
        missing.append(f"its group ({description['gid']})")
        mode &= ~(stat.S_ISGID | stat.S_IRWXG)
    if (attributes := description.get("xattrs")) is not None:
        lost = _replace_extended_attributes_and_list_failures(handle, attributes)
        missing += [f"its {_POWERS.get(name, f'attribute {name}')}" for name in lost]
        if _ACL in lost:  # The bits of the group are what the list allows at most.
            mode &= ~stat.S_IRWXG
    if hasattr(os, "fchmod"):
        with contextlib.suppress(OSError):
            os.fchmod(handle, mode)
    if stat.S_IMODE(os.fstat(handle).st_mode) != stat.S_IMODE(description["mode"]):
        missing.append(f"its mode ({stat.S_IMODE(description['mode']):o})")
    times = description.get("atime_ns", description["mtime_ns"]), description["mtime_ns"]
    try:
        os.utime(handle, ns=times)
    except (OSError, TypeError, NotImplementedError):  # Windows cannot set them by a handle.
        missing.append("its times")
    return missing


def _try_to_give_owner_and_group(handle: int, uid: int, gid: int) -> None:
    """Give an open file this owner and group; the group alone, if that is all that is allowed."""
    if not hasattr(os, "fchown"):  # Windows has no owners by number.
        return
    # The owner of a file may give it to a group of theirs, but to nobody else.
    for owner in (uid, -1):
        with contextlib.suppress(OSError):
            os.fchown(handle, owner, gid)
            return


def _read_extended_attributes(handle: int) -> dict[str, bytes]:
    """Return the extended attributes of an open file, as far as this user may read them."""
    values = dict[str, bytes]()
    if _HAS_ATTRIBUTES:
        with contextlib.suppress(OSError):  # The file system has none.
            for name in os.listxattr(handle):
                with contextlib.suppress(OSError):
                    values[name] = os.getxattr(handle, name)
    return values


def _replace_extended_attributes_and_list_failures(
    handle: int, base64_by_name: Mapping[str, str]
) -> list[str]:
    """Give a file these extended attributes and no others; return which it could not be given."""
    names_lost, present = list[str](), _read_extended_attributes(handle)
    for name, text in base64_by_name.items():
        value = base64.b64decode(text)
        try:
            if present.get(name) != value:
                os.setxattr(handle, name, value)
        except (OSError, AttributeError):
            names_lost.append(name)
    for name in present.keys() - base64_by_name.keys():  # A new file may have a list of its folder.
        with contextlib.suppress(OSError):
            os.removexattr(handle, name)
    return names_lost


class Access(NamedTuple):
    """A folder's owner and group, and the mode of a folder that lets nobody else in than it."""

    uid: int
    gid: int
    mode: int


def accesses_limited_by_parents_from_top(folder: str) -> list[Access]:
    """Return who can enter a folder, and each one above it, topmost first.

    Whoever cannot enter one of the folders above a folder cannot enter it either.
    """
    everyone, never, accesses = True, set[int](), list[Access]()
    only: set[int] | None = None
    # ``parents`` of pathlib calls itself for each folder.
    above = [folder]
    while (parent := os.path.dirname(above[-1])) != above[-1]:
        above.append(parent)
    for path in reversed(above):
        status = os.stat(path)
        # With a list, the bits of the group are what any of the list may do at most.
        group = 0 if _may_have_access_list(path) else status.st_mode & 0o050
        other = status.st_mode & 0o005
        allowed = (only is None or status.st_gid in only) and status.st_gid not in never
        mode = 0o700 | (group if allowed else 0) | (other if everyone else 0)
        accesses.append(Access(status.st_uid, status.st_gid, mode))
        if not group & 0o010:
            never.add(status.st_gid)
        if not other & 0o001:
            everyone = False
            only = {status.st_gid} if only is None else only & {status.st_gid}
    return accesses


def _may_have_access_list(path: str) -> bool:
    if not _HAS_ATTRIBUTES:
        return False
    try:
        return bool(os.getxattr(path, _ACL))
    except OSError as error:
        # What cannot be read may be there.
        return error.errno not in (errno.ENODATA, errno.ENOTSUP)


def grant_access_to_own_empty_folder(place: HeldName, access: Access) -> None:
    """Let those enter a new folder who can enter another one; it is its owner's alone so far."""
    if not hasattr(os, "fchmod"):  # Windows has other rights.
        return
    flags = os.O_RDONLY | getattr(os, "O_DIRECTORY", 0) | portable.NO_FOLLOW
    handle = os.open(place.name, flags, dir_fd=place.folder)
    try:
        # Whoever may write the folder above can put another one there that is not theirs.
        if os.fstat(handle).st_uid != os.geteuid() or os.listdir(handle):
            raise CannotError(f"{place.path} was replaced by another folder")
        if _HAS_ATTRIBUTES:
            for name in (_ACL, _INHERITED):
                with contextlib.suppress(OSError):
                    os.removexattr(handle, name)
        _try_to_give_owner_and_group(handle, access.uid, access.gid)
        group_given = os.fstat(handle).st_gid == access.gid
        os.fchmod(handle, access.mode if group_given else access.mode & ~0o070)
    finally:
        os.close(handle)


def make_folders_no_more_open_than(folder: str, model: str, *, model_parents: int) -> None:
    """Make a folder and those above it that are missing, no more open than others are.

    Args:
        folder: the folder to make.
        model: the folder whose owner and mode it gets, as far as that lets nobody in who cannot
            enter that one.
        model_parents: how many folders above ``folder`` get those of the folders above ``model``;
            all that are further up get those of the last one.
    """
    missing = list[tuple[str, int]]()
    while folder and not os.path.isdir(folder):
        folder, name = os.path.split(folder)
        missing.append((name, min(len(missing), model_parents)))
    if not missing:
        return
    access = accesses_limited_by_parents_from_top(os.path.realpath(model))
    handle = portable.open_folder_refusing_links(os.path.realpath(folder))
    try:
        for name, above in reversed(missing):
            place = HeldName(handle, name, os.path.join(folder, name))
            folder = place.path
            if handle is None:
                place = HeldName(None, folder, folder)
            # Another process may have made it.
            with contextlib.suppress(FileExistsError):
                os.mkdir(place.name, 0o700, dir_fd=handle)
                grant_access_to_own_empty_folder(place, access[max(0, len(access) - 1 - above)])
            if handle is not None:
                deeper = portable.open_folder_refusing_links(name, parent=handle)
                os.close(handle)
                handle = deeper
    finally:
        if handle is not None:
            os.close(handle)
