"""Which files there are below the given paths, each once, in an order that never varies.

The entries of a folder come in the order of the bytes of their names, a folder's files at the
place of its name. Symbolic links are followed after all else below the same argument, so that a
file is known by its own name where it has one. The folders of version control (`.git`, `.hg`,
`.svn`) are left out, other hidden files are not.

A file that is reached twice, by a link or by overlapping arguments, is found once, under the
first name. What tells it again is its folder and its name there: two hard links are two
documents. A folder is entered once, by the first argument or link that reaches it; so loops end.
"""

import errno
import os
import stat
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, TypeAlias

from ilk.readers.files.content import not_a_file, reason
from ilk.readers.files.globs import Globs
from ilk.readers.files.names import source_name
from ilk.readers.tally import Tally

STDIN = "-"

_VERSION_CONTROL = frozenset({".git", ".hg", ".svn"})
_FolderId: TypeAlias = tuple[int, int]
_Listing: TypeAlias = tuple[str, _FolderId, Iterator["os.DirEntry[str]"]]
_Links: TypeAlias = deque[tuple[str, str]]


class Found(NamedTuple):
    """A file to read: the path to open, and whether a symbolic link may be followed to it."""

    path: str
    follow: bool


@dataclass(slots=True)
class _Walk:
    """What the parts of one walk share.

    entered: the folders entered, each with its path below the argument ("" or "old/letters/").
    single: the files reached by a link or as an argument, by their folder and their name there.
    """

    globs: Globs
    tally: Tally
    entered: dict[_FolderId, str] = field(default_factory=dict)
    single: set[tuple[_FolderId, str]] = field(default_factory=set)

    def fail(self, path: str, reason: str) -> None:
        self.tally.fail(source_name(path), reason)


def find_files(paths: Sequence[str], globs: Globs, tally: Tally) -> Iterator[Found]:
    """Yield the files that are to be read, and tally what is left out and what cannot be read.

    A path is a file, which is found whatever its name; a folder, in which the globs choose; or
    "-", standard input, found as it stands.
    """
    walk = _Walk(globs, tally)
    for path in dict.fromkeys(paths):
        if path == STDIN:
            yield Found(STDIN, follow=False)
            continue
        links: _Links = deque()
        yield from _follow(path, "", walk, links)
        while links:
            yield from _follow(*links.popleft(), walk, links)


def _follow(path: str, below: str, walk: _Walk, links: _Links) -> Iterator[Found]:
    """Find what an argument or a symbolic link leads to.

    `below` is the link's path below the argument, "" for the argument itself.
    """
    mode, failure = 0, None
    try:
        mode = os.stat(path).st_mode
    except OSError as error:
        failure = _dead_link(error)
    if stat.S_ISDIR(mode):
        if below and not walk.globs.enters(below):
            walk.tally.excluded += 1
        else:
            folder = path.rstrip("/") or "/"
            yield from _folder(folder, below + "/" if below else "", walk, links)
    elif below and not walk.globs.takes(below):
        walk.tally.excluded += 1
    elif failure or not stat.S_ISREG(mode):
        walk.fail(path, failure or not_a_file(mode))
    elif _is_new(path, walk):
        yield Found(path, follow=True)


def _folder(path: str, below: str, walk: _Walk, links: _Links) -> Iterator[Found]:
    """Find the files of a folder and of all folders in it; collect the symbolic links."""
    stack = list(_enter(path, below, walk))
    while stack:
        below, folder, entries = stack[-1]
        entry = next(entries, None)
        if entry is None:
            stack.pop()
            continue
        try:
            mode = _mode(entry)
        except OSError as error:
            walk.fail(entry.path, reason(error))
            continue
        place = below + entry.name
        if stat.S_ISLNK(mode):
            links.append((entry.path, place))
        elif stat.S_ISDIR(mode):
            if entry.name in _VERSION_CONTROL:
                continue
            if walk.globs.enters(place):
                stack += _enter(entry.path, place + "/", walk)
            else:
                walk.tally.excluded += 1
        elif not walk.globs.takes(place):
            walk.tally.excluded += 1
        elif not stat.S_ISREG(mode):
            walk.fail(entry.path, not_a_file(mode))
        elif (folder, entry.name) not in walk.single:
            yield Found(entry.path, follow=False)


def _enter(path: str, below: str, walk: _Walk) -> Iterator[_Listing]:
    """Yield the sorted listing of a folder, unless it was entered before or cannot be listed."""
    try:
        folder = _folder_id(path)
        if folder in walk.entered:
            return
        walk.entered[folder] = below
        with os.scandir(path) as entries:
            listing = sorted(entries, key=lambda entry: os.fsencode(entry.name))
    except OSError as error:
        walk.fail(path, reason(error))
        return
    yield below, folder, iter(listing)


def _is_new(path: str, walk: _Walk) -> bool:
    """Tell whether the file an argument or a link leads to was not found before; remember it."""
    parent, name = os.path.split(os.path.realpath(path))
    try:
        folder = _folder_id(parent)
    except OSError:
        return True  # Reading the file will tell what is wrong.
    below = walk.entered.get(folder)
    if (folder, name) in walk.single or (below is not None and walk.globs.takes(below + name)):
        return False
    walk.single.add((folder, name))
    return True


def _folder_id(path: str) -> _FolderId:
    status = os.stat(path)
    return status.st_dev, status.st_ino


def _mode(entry: "os.DirEntry[str]") -> int:
    """Return the type of an entry as mode bits, from the listing itself where it tells."""
    if entry.is_file(follow_symlinks=False):
        return stat.S_IFREG
    if entry.is_dir(follow_symlinks=False):
        return stat.S_IFDIR
    if entry.is_symlink():
        return stat.S_IFLNK
    return entry.stat(follow_symlinks=False).st_mode


def _dead_link(error: OSError) -> str:
    if error.errno == errno.ELOOP:
        return "is a link that leads to itself"
    return "is a dangling link" if error.errno == errno.ENOENT else reason(error)
