"""The files below some paths, each once, in a fixed order.

The entries of a folder come in the order of the bytes of their names, a folder's files at the
place of its name. A walk stays below its arguments: symbolic links in folders are only followed if
that is asked for, and then after everything else below the same argument, so that a file is known
by its own name if it has one. Left out, unless they are arguments, are folders of version control,
what ilk wrote (folders into which it moved files, `OUT.ilk` beside an output, caches of texts), and
what an `.ilkignore` excludes. Other hidden files are not, unless that is asked for.

A file that is reached twice, by a link or by overlapping arguments, is found once, under the
first name. It is known by its folder and its name there: two hard links are two documents. A
folder is entered once, by the first argument or link that reaches it; so loops end.
"""

import errno
import os
import stat
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import suppress
from operator import attrgetter
from typing import NamedTuple, TypeAlias

from ilk.read.files.content import source_name, spell_not_a_regular_file, spell_os_error
from ilk.read.files.file_filters import (
    EVERY_FILE,
    IGNORE,
    FileFilter,
    Globs,
    IgnoreRules,
    LeftOutKind,
    matches_pattern,
)
from ilk.read.report import (
    DEEPER,
    ELSEWHERE,
    HIDDEN,
    IGNORED,
    LINKS,
    MOVED,
    OWN_FILES,
    VERSIONS,
    ReadReport,
)

STDIN = "-"

VERSION_CONTROL = frozenset({".git", ".hg", ".svn"})

#: The file that marks a folder as a cache, and its content in ilk's own caches.
CACHE_TAG = "CACHEDIR.TAG"
OWN_CACHE = (
    b"Signature: 8a477f597d28d172789f06886806bc55\n"
    b"# Texts that ilk has made of documents. This folder may be removed at any time.\n"
)

#: The file that marks a folder into which ilk moved files.
MOVED_HERE = ".ilk-moved"

#: Links that lead nowhere.
_BROKEN = {errno.ELOOP: "is a link that leads to itself", errno.ENOENT: "is a dangling link"}

_FolderId: TypeAlias = tuple[int, int]


class FoundFile(NamedTuple):
    """A file to read: its path, whether to follow a link there, and whether it was named itself."""

    path: str
    follow: bool
    named: bool = False


class _Listing(NamedTuple):
    """A folder that is being walked: its path below the argument ("" or "old/letters/"), its id,
    its entries in order that are still to come, and the rules of files to ignore in it.
    """

    relative_folder: str
    folder_id: _FolderId
    entries: Iterator["os.DirEntry[str]"]
    ignore_rules: IgnoreRules


class WalkRules(NamedTuple):
    """How folders are walked.

    links: whether symbolic links in them are followed. gitignore: whether each ``.gitignore`` is
    obeyed. no_hidden: whether what is hidden in a folder is left out. one_file_system: whether a
    walk stays on the file system of its argument. depth: in how many folders a file may be at
    most, the argument included; None for any.
    """

    links: bool = False
    gitignore: bool = False
    no_hidden: bool = False
    one_file_system: bool = False
    depth: int | None = None


#: The rules by default.
PLAIN_WALK = WalkRules()


def find_files_and_tally_others(
    paths: Sequence[str],
    globs: Globs,
    tally: ReadReport,
    *,
    walk_rules: WalkRules = PLAIN_WALK,
    file_filter: FileFilter = EVERY_FILE,
) -> Iterator[FoundFile]:
    """Yield the files to read, and tally what is left out and what cannot be read.

    A path is a file, found whatever its name; a folder, in which the globs choose; or "-". All but
    the last are found only if the filter wants them. A path that does not exist is a failure.
    """
    walk = _Walk(globs, tally, walk_rules, file_filter)
    for path in dict.fromkeys(paths):
        if path == STDIN:
            yield FoundFile(STDIN, follow=False, named=True)
            continue
        before = walk.entry_count
        yield from walk.find_files_at(path, "")
        while walk.links:
            yield from walk.find_files_at(*walk.links.popleft())
        if walk.entry_count == before:
            tally.empty.append(source_name(path))
    tally.unhit += walk.unhit


class _Walk:
    """One walk below all arguments.

    links: symbolic links to follow, each with its path below the argument.
    entry_count: how many files, links, and folders that were left out or entered before. unhit: the
    include patterns that no file has matched so far.
    """

    def __init__(
        self, globs: Globs, tally: ReadReport, rules: WalkRules, files: FileFilter
    ) -> None:
        self._globs, self._tally, self._rules, self._files = globs, tally, rules, files
        self._ignores = [IGNORE] + [".gitignore"] * rules.gitignore
        self._special_names = {CACHE_TAG, MOVED_HERE, *self._ignores}
        # Whether neither a name nor what a file is leaves one out.
        chosen = globs.include is not None or globs.exclude is not None or bool(files)
        self._wants_all = not (chosen or rules.no_hidden)
        # The file system of the argument that is being walked.
        self._system: int | None = None
        self.links: deque[tuple[str, str]] = deque()
        self.entry_count = 0
        self.unhit = list(globs.patterns)
        # The folders entered, each with its path below the argument ("" or "old/letters/").
        self._folder_by_id: dict[_FolderId, str] = {}
        # The files reached by a link or as an argument, by their folder and their name there.
        self._single: set[tuple[_FolderId, str]] = set()

    def _match_globs_and_record_hits(self, relative_path: str, *, is_folder: bool) -> bool:
        """Return whether the globs want a file or a folder.

        It counts as seen, or as excluded, and a file strikes off the patterns that it matches.
        """
        wants = self._globs.enters(relative_path) if is_folder else self._globs.takes(relative_path)
        self.entry_count += not (is_folder and wants)
        self._tally.excluded += not wants
        if wants and self.unhit and not is_folder:
            self.unhit = [
                pattern for pattern in self.unhit if not matches_pattern(pattern, relative_path)
            ]
        return wants

    def _count_failure(self, path: str, reason: str) -> None:
        self.entry_count += 1
        self._tally.fail(source_name(path), reason)

    def _count_left_out(self, kind: str, path: str) -> None:
        self.entry_count += 1
        self._tally.leave_out(kind, source_name(path))

    def _count_filtered_out(self, kind: str) -> None:
        self.entry_count += 1
        self._tally.filter_out(kind)

    def _kind_if_hidden_or_too_deep(
        self, relative_path: str, *, is_folder: bool
    ) -> LeftOutKind | None:
        """Return the kind under which the rules of the walk leave out a file or a folder."""
        if self._rules.no_hidden and relative_path.rpartition("/")[2].startswith("."):
            return HIDDEN
        depth = self._rules.depth
        too_deep = is_folder and depth is not None and relative_path.count("/") + 1 >= depth
        return DEEPER if too_deep else None

    def find_files_at(self, path: str, relative_path: str) -> Iterator[FoundFile]:
        """Find the file, or all files in the folder, at an argument or a symbolic link.

        ``relative_path`` is the path of the link below the argument; "" for the argument itself.
        """
        mode, failure, status = 0, None, None
        try:
            status = os.stat(path)
            mode = status.st_mode
        except OSError as error:
            failure = _BROKEN.get(error.errno or 0) or spell_os_error(error)
        if not relative_path:
            self._system = None if status is None else status.st_dev
        is_folder = stat.S_ISDIR(mode)
        if relative_path and not self._match_globs_and_record_hits(
            relative_path, is_folder=is_folder
        ):
            return
        if relative_path and (
            kind := self._kind_if_hidden_or_too_deep(relative_path, is_folder=is_folder)
        ):
            self._count_filtered_out(kind)
        elif relative_path and status is not None and self._is_on_excluded_file_system(status):
            self._count_filtered_out(ELSEWHERE)
        elif is_folder:
            yield from self._find_in_folder_and_collect_links(
                path.rstrip("/") or "/", relative_path + "/" if relative_path else ""
            )
        elif failure or not stat.S_ISREG(mode):
            self._count_failure(path, failure or spell_not_a_regular_file(mode))
        elif status is not None and (kind := self._files.kind_if_filtered_out(status)):
            self._count_filtered_out(kind)
        elif self._remember_file_unless_listed_or_seen(path):
            self.entry_count += 1
            # A link that was found is not followed to a file that ilk wrote.
            yield FoundFile(path, follow=True, named=not relative_path)
        else:
            self.entry_count += 1
            self._tally.links += bool(relative_path)

    def _is_on_excluded_file_system(self, status: os.stat_result) -> bool:
        """Return whether something is on another file system than the argument, and so not read."""
        return self._rules.one_file_system and status.st_dev != self._system

    def _find_in_folder_and_collect_links(
        self, path: str, relative_folder: str
    ) -> Iterator[FoundFile]:
        """Find the files of a folder and of all folders in it; collect the symbolic links."""
        first = self._list_folder_unless_known_own_or_unreadable(
            path, relative_folder, IgnoreRules(), named=not relative_folder
        )
        stack = [] if first is None else [first]
        while stack:
            relative_folder, folder, entries, ignoring = stack[-1]
            # Most files match no rule: skip the checks.
            wants_all = self._wants_all and not ignoring.rules
            for entry in entries:
                if wants_all and entry.is_file(follow_symlinks=False):
                    self.entry_count += 1
                    if (folder, entry.name) not in self._single:
                        yield FoundFile(entry.path, False)
                    continue
                try:
                    mode, status = _file_type_of_entry(entry), None
                    if (stat.S_ISREG(mode) and self._files) or (
                        stat.S_ISDIR(mode) and self._rules.one_file_system
                    ):
                        status = entry.stat(follow_symlinks=False)
                except OSError as error:
                    self._count_failure(entry.path, spell_os_error(error))
                    continue
                relative_path, is_folder = relative_folder + entry.name, stat.S_ISDIR(mode)
                if is_folder and entry.name in VERSION_CONTROL:
                    self._count_left_out(VERSIONS, entry.path)
                elif is_folder and entry.name.endswith(".ilk"):
                    self._count_left_out(OWN_FILES, entry.path)
                elif ignoring.ignores(relative_path, is_folder=is_folder):
                    self._count_left_out(IGNORED, entry.path)
                elif kind := self._kind_if_hidden_or_too_deep(relative_path, is_folder=is_folder):
                    self._count_filtered_out(kind)
                elif stat.S_ISLNK(mode):
                    if self._rules.links:
                        self.links.append((entry.path, relative_path))
                    else:
                        self._count_left_out(LINKS, entry.path)
                elif not self._match_globs_and_record_hits(relative_path, is_folder=is_folder):
                    continue
                elif is_folder and status is not None and self._is_on_excluded_file_system(status):
                    self._count_filtered_out(ELSEWHERE)
                elif is_folder:
                    inner = self._list_folder_unless_known_own_or_unreadable(
                        entry.path, relative_path + "/", ignoring
                    )
                    if inner is not None:
                        stack.append(inner)
                        break
                elif not stat.S_ISREG(mode):
                    self._count_failure(entry.path, spell_not_a_regular_file(mode))
                elif status is not None and (kind := self._files.kind_if_filtered_out(status)):
                    self._count_filtered_out(kind)
                elif (folder, entry.name) not in self._single:
                    yield FoundFile(entry.path, False)
            else:
                stack.pop()

    def _list_folder_unless_known_own_or_unreadable(
        self, path: str, relative_folder: str, ignoring: IgnoreRules, *, named: bool = False
    ) -> _Listing | None:
        """Return the sorted listing of a folder.

        It is None, and the tally has the reason, if the folder was entered before, is one of ilk's
        own, or cannot be listed.
        """
        try:
            folder = _folder_id(path)
            if folder in self._folder_by_id:
                self.entry_count += 1
                self._tally.links += os.path.islink(path)
                return None
            self._folder_by_id[folder] = relative_folder
            with os.scandir(path) as entries:
                listing = sorted(entries, key=attrgetter("name"))
            names = [entry.name for entry in listing]
            if not "".join(names).isascii():
                listing.sort(key=lambda entry: os.fsencode(entry.name))
        except OSError as error:
            self._count_failure(path, spell_os_error(error))
            return None
        special = {
            name: os.path.join(path, name) for name in self._special_names.intersection(names)
        }
        if CACHE_TAG in special and _is_tag_of_own_cache(special[CACHE_TAG]):
            self.entry_count += 1
            return None
        if MOVED_HERE in special and not named:
            self._count_left_out(MOVED, path)
            return None
        for name in filter(special.__contains__, self._ignores):
            ignoring = ignoring.with_rules_read_from(special[name], relative_folder)
        if special:
            listing = [e for e in listing if e.name not in (MOVED_HERE, IGNORE)]
        return _Listing(relative_folder, folder, iter(listing), ignoring)

    def _remember_file_unless_listed_or_seen(self, path: str) -> bool:
        """Return whether a file that is no entry of a walked folder is new, and remember it."""
        parent, name = os.path.split(os.path.realpath(path))
        try:
            folder = _folder_id(parent)
        except OSError:
            return True  # Reading the file will show what is wrong.
        relative_folder = self._folder_by_id.get(folder)
        listed = relative_folder is not None and self._globs.takes(relative_folder + name)
        if listed or (folder, name) in self._single:
            return False
        self._single.add((folder, name))
        return True


def _is_tag_of_own_cache(tag_path: str) -> bool:
    with suppress(OSError), open(tag_path, "rb") as file:
        return file.read(len(OWN_CACHE) + 1) == OWN_CACHE
    return False


def _folder_id(path: str) -> _FolderId:
    status = os.stat(path)
    return status.st_dev, status.st_ino


def _file_type_of_entry(entry: "os.DirEntry[str]") -> int:
    """Return the type of an entry as mode bits, from the listing itself where it has it."""
    if entry.is_file(follow_symlinks=False):
        return stat.S_IFREG
    if entry.is_dir(follow_symlinks=False):
        return stat.S_IFDIR
    if entry.is_symlink():
        return stat.S_IFLNK
    return entry.stat(follow_symlinks=False).st_mode
