"""Folders whose contents stand in another folder: twins, and folders that are wholly in others.

What is compared is what a search knows: the digests of files that have a copy. Each folder with
such a file is listed as well, so that links, empty files and empty folders are part of the
comparison, and so that a folder with anything else in it is wholly in no other one.

All files stand in the order of a walk. So a folder, or an archive, is an interval of places, and
whether it has some content is a look into the sorted places of that content.
"""

from __future__ import annotations

import os
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Collection, Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import NamedTuple, TypeAlias

from ilk.read.files.content import source_name, unescape_source_name
from ilk.read.files.walk import VERSION_CONTROL
from ilk.read.formats.complete import HeldContent
from ilk.tasks.apply.staying import Fate, Holdings, SizedDigest
from ilk.write.folder_lines import COMPARED, CONTAINED, RENAMED, SAME, TwinFolder

#: The content of a file: its bytes. Of a symbolic link: what it leads to.
_Content: TypeAlias = SizedDigest | str

#: The names on the way to a file or a folder, from the top.
PathParts: TypeAlias = tuple[str, ...]

#: The content of every empty file.
_NOTHING = SizedDigest(0, "")

#: Suffix that marks an archive's name as a folder.
_ARCHIVE = "!"


class SearchedRoots(NamedTuple):
    """Where folders were searched.

    Attributes:
        roots: the paths that were given; folders below them are looked at.
        reference_roots: those of ``against``; folders below them only contain others.
        compared: by name, the bytes of all files whose bytes, or texts, were compared; None if it
            is not known how many there are.
    """

    roots: Sequence[str]
    reference_roots: Sequence[str]
    compared: Mapping[str, int | None]


@dataclass(slots=True, eq=False)
class _Folder:
    """A folder, or an archive, with all that is known to be in it.

    Attributes:
        name: as a source names it.
        around: the folder that it is in; None at the top of what was searched.
        inner: the folders and archives directly in it, by name.
        contents: what else is directly in it, by name.
        begin, end: the interval of its places.
        digest: of all names and contents; None if not all of them are known.
        mixture: the sum of the hashes of its contents, whatever their names.
        not_compared: what is in it and was not compared.
        is_own: whether it is below a path that was given, and not only in the reference.
        is_archive: whether it is an archive that is a file on disk.
        is_linked: whether a symbolic link leads to it, so that the link is in the folder around it.
        differs: whether a file of it has a content that is nowhere else, or has changed.
        files, full, size, links, empty_folders: what is in it: all files, those with content, and
            the bytes of them.
        goes: how many of its files the plan drops.
        vanishes: whether these are all that are not empty, and at least one.
    """

    name: str
    around: _Folder | None
    inner: dict[str, _Folder] = field(default_factory=dict)
    contents: dict[str, _Content] = field(default_factory=dict)
    begin: int = 0
    end: int = 0
    digest: bytes | None = None
    mixture: int = 0
    not_compared: list[str] = field(default_factory=list)
    is_own: bool = False
    is_archive: bool = False
    is_linked: bool = False
    differs: bool = False
    files: int = 0
    full: int = 0
    size: int = 0
    links: int = 0
    empty_folders: int = 0
    goes: int = 0
    vanishes: bool = False

    @property
    def is_link_or_archive(self) -> bool:
        """Whether it stands beside what is in the folder around it."""
        return self.is_linked or self.is_archive

    @property
    def is_empty(self) -> bool:
        """Whether nothing is in it, and that is known."""
        return not (self.inner or self.contents or self.not_compared or self.differs)

    @property
    def title(self) -> str:
        """Its name for people: a folder's ends with a slash, an archive's is that of its file."""
        return self.name[: -len(_ARCHIVE)] if self.is_archive else f"{self.name}/"


class _Relation(NamedTuple):
    """The folder in which one stands, and how: a word of ``TwinFolder``."""

    other: _Folder
    kind: str


def find_twin_folders(
    holdings: Holdings, fates: Mapping[str, Fate], searched_roots: SearchedRoots
) -> list[TwinFolder]:
    """Return the largest folders whose contents stand in another one, those of most bytes first.

    A folder in a returned one is not returned besides. What is in the returned folders stands
    outside of all of them, too: all can go together.

    Args:
        holdings: the files that have a copy, and what is in archives.
        fates: by file, what the plan does.
        searched_roots: where to look.
    """
    counts = Counter(own for own in holdings.files.values() if own.digest)
    counts.update(part.content for part in holdings.verbatim_parts_in_archives())
    if max(counts.values(), default=0) < 2:
        return []
    differing = set(_folders_with_unique_contents(holdings, searched_roots, counts))
    forest = _Forest(holdings, fates, searched_roots, differing)
    if forest.has_links_or_empty_files:
        # A folder holds what has these only if it has them too, so all folders are listed.
        forest = _Forest(holdings, fates, searched_roots, frozenset())
    return forest.find_twins()


def _folders_with_unique_contents(
    holdings: Holdings, searched_roots: SearchedRoots, counts: Mapping[SizedDigest, int]
) -> Iterator[str]:
    """Yield the folders that have a file, at any depth, whose bytes are nowhere else.

    They are in no other folder; there are many, and what else is in them need not be looked at.
    """
    folders_seen, files = set[str](), holdings.files
    for name, size in searched_roots.compared.items():
        is_known = name in files and files[name].digest
        if counts[files[name]] > 1 if is_known else not size:
            continue
        folder = name.rpartition("/")[0]
        while folder not in folders_seen:
            folders_seen.add(folder)
            yield folder
            folder = folder.rpartition("/")[0]


class _Forest:
    """The folders below all roots, and the places of what is in them.

    Attributes:
        has_links_or_empty_files: whether a folder that was listed has some.
    """

    def __init__(
        self,
        holdings: Holdings,
        fates: Mapping[str, Fate],
        searched_roots: SearchedRoots,
        differing: Container[str],
    ) -> None:
        """List the folders that hold something that is known, and number its places.

        Args:
            holdings, fates, searched_roots: as for ``find_twin_folders``.
            differing: the names of folders that are known to be in no other one, which are not
                listed; with them, those around each.
        """
        self._holdings, self._fates, self._searched_roots = holdings, fates, searched_roots
        self._differing, self.has_links_or_empty_files = differing, False
        roots = (*searched_roots.roots, *searched_roots.reference_roots)
        self._tops = {
            parts for root in roots for parts in _names_of_root_as_folder_and_archive(root)
        }
        self._own_tops = {
            parts
            for root in searched_roots.roots
            for parts in _names_of_root_as_folder_and_archive(root)
        }
        self._folders: dict[tuple[str, ...], _Folder] = {}
        #: By place, what is there and in which folder; by content, its places in their order.
        self._contents: list[tuple[_Content, _Folder]] = []
        self._places: dict[_Content, list[int]] = defaultdict(list)
        digested_files = [(name, own) for name, own in holdings.files.items() if own.digest]
        # What is in no folder that may be in another one, nor in an archive, is not looked for.
        wanted = {own for name, own in digested_files if name.rpartition("/")[0] not in differing}
        wanted.update(part.content for part in holdings.verbatim_parts_in_archives())
        for name, own in digested_files:
            if own in wanted:
                self._put_content_if_below_root(tuple(name.split("/")), own)
        for part in holdings.verbatim_parts_in_archives():
            if self._put_content_if_below_root(tuple(part.source.split("/")), part.content):
                archive = f"{part.file}{_ARCHIVE}"
                self._folders[tuple(archive.split("/"))].is_archive = True
        tops = [self._folders[parts] for parts in sorted(self._tops) if parts in self._folders]
        self._trees = [folder for folder in tops if folder.around is None]
        for tree in self._trees:
            if not tree.is_archive:
                self._update_folders_from_disk(tree)
        for tree in self._trees:
            for folder in _walk_folders(tree):
                self._assign_places_to_contents(folder)
        for tree in self._trees:
            for folder in reversed([*_walk_folders(tree)]):
                self._sum_counts_and_digests(folder)
        self._is_taken = bytearray(len(self._contents))

    def _put_content_if_below_root(self, path_parts: PathParts, content: _Content) -> bool:
        """Put something that is known into its folder; return whether that is below a root."""
        folder = self._find_or_add_folder_if_below_root(path_parts[:-1])
        if folder is not None:
            folder.contents[path_parts[-1]] = content
        return folder is not None

    def _find_or_add_folder_if_below_root(self, path_parts: PathParts) -> _Folder | None:
        """Return the folder of that path, with those around it; None if it is below no root."""
        missing = list[PathParts]()
        around: _Folder | None = None
        for length in range(len(path_parts), -1, -1):
            around = self._folders.get(path_parts[:length])
            if around is not None:
                break
            missing.append(path_parts[:length])
        if around is None:
            # The outermost root is the top of the tree.
            tops = [one for one in missing if one in self._tops]
            if not tops:
                return None
            missing = missing[: missing.index(tops[-1]) + 1]
        for one in reversed(missing):
            folder = _Folder("/".join(one), around)
            folder.differs = folder.name in self._differing
            folder.is_own = one in self._own_tops or (around is not None and around.is_own)
            self._folders[one] = folder
            if around is not None:
                around.inner[one[-1]] = folder
            around = folder
        return around

    def _update_folders_from_disk(self, top: _Folder) -> None:
        """Compare a folder, and those in it, with the disk.

        Links, empty files and folders there are added; a folder with anything else that was not
        compared, or has changed, is marked.
        """
        waiting = [(top, True)]
        while waiting:
            folder, holds_copies = waiting.pop()
            if folder.differs and holds_copies:
                waiting += [
                    (inner, True)
                    for inner in self._mark_links_and_archives_and_yield_others(folder)
                ]
                continue
            try:
                with os.scandir(unescape_source_name(folder.name or "/")) as listing:
                    entries = sorted(listing, key=lambda entry: entry.name)
            except OSError:
                folder.not_compared.append(folder.name)
                continue
            names_on_disk = set[str]()
            below = list[tuple[_Folder, bool]]()
            for entry in entries:
                name = source_name(entry.name)
                names_on_disk.add(name)
                if entry.is_symlink():
                    self.has_links_or_empty_files = True
                    folder.contents[name] = f"link to {source_name(os.readlink(entry.path))}"
                    if name in folder.inner:
                        folder.inner[name].is_linked = True
                elif entry.is_dir(follow_symlinks=False):
                    is_known = name in folder.inner
                    if name in VERSION_CONTROL and not is_known:
                        folder.not_compared.append(f"{folder.name}/{name}")
                        continue
                    if not is_known:
                        inner = _Folder(f"{folder.name}/{name}", folder, is_own=folder.is_own)
                        folder.inner[name] = inner
                    if folder.inner[name].is_archive:  # The folder has the name of its contents.
                        folder.inner[name].differs = True
                        continue
                    below.append((folder.inner[name], is_known))
                else:
                    self._update_folder_from_entry(folder, name, entry)
            if len(names_on_disk & folder.contents.keys()) < len(folder.contents):
                folder.differs = True  # A file has gone since it was read.
            if holds_copies or not (folder.not_compared or folder.differs):
                waiting += below

    def _mark_links_and_archives_and_yield_others(self, folder: _Folder) -> Iterator[_Folder]:
        """Mark which known folders in one are links, or archives that differ; yield the others."""
        for inner in folder.inner.values():
            path = unescape_source_name(inner.name)
            if inner.is_archive:
                inner.differs |= os.path.isdir(path)  # A folder has the name of its contents.
                continue
            inner.is_linked = os.path.islink(path)
            if not inner.is_linked:
                yield inner

    def _update_folder_from_entry(
        self, folder: _Folder, name: str, entry: os.DirEntry[str]
    ) -> None:
        """Mark a folder by what an entry of it is on the disk: changed, empty or not compared."""
        content, source = folder.contents.get(name), f"{folder.name}/{name}"
        try:
            size = entry.stat(follow_symlinks=False).st_size if entry.is_file() else None
        except OSError:
            size = None
        if isinstance(content, SizedDigest) and content.size == size:
            return
        compared = source in self._searched_roots.compared and os.access(entry.path, os.R_OK)
        if size == 0:
            self.has_links_or_empty_files = True
            folder.contents[name] = _NOTHING
        elif size is not None and (content is not None or compared):
            folder.differs = True
        else:
            folder.not_compared.append(source)

    def _assign_places_to_contents(self, folder: _Folder) -> None:
        """Give places to what is directly in a folder, after all that comes before it in a walk."""
        folder.begin = folder.end = len(self._contents)
        for _, content in sorted(folder.contents.items()):
            self._places[content].append(folder.end)
            self._contents.append((content, folder))
            folder.end += 1

    def _sum_counts_and_digests(self, folder: _Folder) -> None:
        """Set the counts and digest of a folder from its files and its subfolders."""
        goes = full = 0
        hasher = blake2b(digest_size=16)
        for name, content in sorted(folder.contents.items()):
            hasher.update(f"{len(name)} {name} {content!r} ".encode("utf-8", "surrogatepass"))
            folder.mixture += _hash_of(content)
            if isinstance(content, str):
                folder.links += 1
                continue
            folder.files += 1
            folder.size += content.size
            full += content.size > 0
            fate = self._fates.get(f"{folder.name}/{name}")
            goes += fate is not None and not fate.why
        has_digest = not folder.not_compared
        for name, inner in sorted(folder.inner.items()):
            folder.end = max(folder.end, inner.end)
            if inner.is_link_or_archive:
                continue
            has_digest &= inner.digest is not None
            hasher.update(f"{len(name)} {name}/".encode("utf-8", "surrogatepass"))
            hasher.update(inner.digest or b"")
            folder.mixture += inner.mixture
            folder.differs |= inner.differs
            folder.not_compared += inner.not_compared
            folder.files, folder.size = folder.files + inner.files, folder.size + inner.size
            folder.links += inner.links
            folder.empty_folders += inner.empty_folders + inner.is_empty
            goes += inner.goes
            full += inner.full
        folder.goes, folder.full = goes, full
        folder.vanishes = 0 < full == goes and not folder.differs
        if folder.is_archive:
            self._mark_archive_that_differs_or_goes(folder)
        folder.digest = hasher.digest() if has_digest and not folder.differs else None

    def _mark_archive_that_differs_or_goes(self, archive: _Folder) -> None:
        """Set whether an archive holds something else than the files known, and whether it goes."""
        file = archive.name.removesuffix(_ARCHIVE)
        contents = self._holdings.contents.get(file, ())
        inside = Counter(content for content, _ in self._contents[archive.begin : archive.end])
        archive.differs = Counter(_innermost_contents(contents)) != inside
        fate = self._fates.get(file)
        archive.goes = archive.files if fate is not None and not fate.why else 0
        archive.vanishes = archive.goes > 0

    def find_twins(self) -> list[TwinFolder]:
        """Return the folders; those that the plan empties are looked at first."""
        digests, mixtures = defaultdict[bytes, list[_Folder]](list), defaultdict(list)
        all_folders = [folder for tree in self._trees for folder in _walk_folders(tree)]
        for folder in all_folders:
            if folder.full and folder.digest is not None:
                digests[folder.digest].append(folder)
                mixtures[folder.mixture].append(folder)
        relations = dict[_Folder, _Relation]()
        for only_emptied in (True, False):
            for tree in self._trees:
                self._add_relations_and_take_places(
                    tree, digests, mixtures, relations, only_emptied=only_emptied
                )
        lines = list[TwinFolder]()
        for folder, (other, kind) in relations.items():
            if any(around in relations for around in _folders_around(folder)):
                continue
            lines.append(
                TwinFolder(
                    folder.title,
                    other.title,
                    kind,
                    files=folder.files,
                    bytes=folder.size,
                    goes=folder.goes,
                    links=folder.links,
                    empty_folders=folder.empty_folders,
                    not_compared=tuple(folder.not_compared),
                )
            )
        return sorted(lines, key=lambda line: (-line.bytes, line.folder))

    def _add_relations_and_take_places(
        self,
        tree: _Folder,
        digests: Mapping[bytes, Sequence[_Folder]],
        mixtures: Mapping[int, Sequence[_Folder]],
        relations: dict[_Folder, _Relation],
        *,
        only_emptied: bool,
    ) -> None:
        """Add the largest twins in a tree to ``relations``, and mark their places as taken.

        With ``only_emptied``, those alone of which the plan drops all that is not empty.
        """
        waiting = [tree]
        while waiting:
            folder = waiting.pop()
            if folder in relations:
                continue
            relation = None
            if self._may_be_twin_if_mostly_compared(folder) and (
                folder.vanishes or not only_emptied
            ):
                relation = self._find_relation_or_none(folder, digests, mixtures)
            if relation is None:
                below = sorted(folder.inner.items(), reverse=True)
                # A part of an archive cannot go by itself, nor what a link leads to.
                waiting += [one for _, one in below if not (folder.is_archive or one.is_linked)]
                continue
            other, kind = relation
            swaps = kind in (SAME, RENAMED) and other.goes > folder.goes
            swaps = swaps and self._may_be_twin_if_mostly_compared(other) and other not in relations
            # Some of the folder may be in a smaller one that goes, and the other is whole.
            if swaps and self._holds_all_outside_taken_places(
                folder, Counter(_contents_outside_archives_and_links(other))
            ):
                folder, other = other, folder
            relations[folder] = _Relation(other, kind)
            self._is_taken[folder.begin : folder.end] = b"\1" * (folder.end - folder.begin)

    def _may_be_twin_if_mostly_compared(self, folder: _Folder) -> bool:
        """Return whether a folder may stand in another one: all in it has a copy, or nearly all of
        what has none was not compared.
        """
        if folder.is_archive and len(self._holdings.all_files_with_bytes_of(folder.title)) > 1:
            return False  # It has a copy as a file.
        mostly = len(folder.not_compared) < max(folder.full, 1)
        return folder.is_own and folder.full > 0 and mostly and not folder.differs

    def _find_relation_or_none(
        self,
        folder: _Folder,
        digests: Mapping[bytes, Sequence[_Folder]],
        mixtures: Mapping[int, Sequence[_Folder]],
    ) -> _Relation | None:
        """Return the folder in which one stands, and how; None without one.

        What is in a folder that goes does not count.
        """
        outside = {folder, *_folders_around(folder)}
        own_contents = Counter(_contents_outside_archives_and_links(folder))

        def is_elsewhere_and_holds_all(other: _Folder) -> bool:
            beside = other not in outside and folder not in _folders_around(other)
            return beside and self._holds_all_outside_taken_places(other, own_contents)

        def rank_staying_then_smallest(other: _Folder) -> tuple[bool, int, int]:
            return other.vanishes, other.end - other.begin, other.begin

        candidates = list[_Folder]()
        if folder.digest is not None:
            candidates = [one for one in digests[folder.digest] if is_elsewhere_and_holds_all(one)]
            if candidates:
                return _Relation(min(candidates, key=rank_staying_then_smallest), SAME)
            candidates = [
                one
                for one in mixtures[folder.mixture]
                if is_elsewhere_and_holds_all(one)
                and Counter(_contents_outside_archives_and_links(one)) == own_contents
            ]
            if candidates:
                return _Relation(min(candidates, key=rank_staying_then_smallest), RENAMED)
        rarest = min(own_contents, key=lambda content: len(self._places[content]))
        tried = set(outside)
        for place in self._places[rarest]:
            other: _Folder | None = self._contents[place][1]
            if folder.begin <= place < folder.end:
                continue
            while other is not None and other not in tried:
                tried.add(other)
                if self._holds_all_outside_taken_places(other, own_contents):
                    candidates.append(other)
                    break
                other = other.around
        kind = COMPARED if folder.not_compared else CONTAINED
        return (
            _Relation(min(candidates, key=rank_staying_then_smallest), kind) if candidates else None
        )

    def _holds_all_outside_taken_places(
        self, folder: _Folder, contents: Collection[_Content]
    ) -> bool:
        """Return whether all contents are in a folder, outside of what is in twins already."""
        for content in contents:
            places = self._places[content]
            at = bisect_left(places, folder.begin)
            while at < len(places) and places[at] < folder.end and self._is_taken[places[at]]:
                at += 1
            if at == len(places) or places[at] >= folder.end:
                return False
        return True


def _names_of_root_as_folder_and_archive(root: str) -> Iterator[PathParts]:
    """Yield the name of a root as a folder, and its name as an archive, each in its parts."""
    name = source_name(root)
    yield tuple((name.rstrip("/")).split("/"))
    yield tuple(f"{name}{_ARCHIVE}".split("/"))


def _walk_folders(top: _Folder) -> Iterator[_Folder]:
    """Yield a folder and all in it, each before those in it, in the order of names."""
    waiting = [top]
    while waiting:
        folder = waiting.pop()
        yield folder
        waiting += [one for _, one in sorted(folder.inner.items(), reverse=True)]


def _folders_around(folder: _Folder) -> Iterator[_Folder]:
    """Yield the folders that a folder is in, the nearest first."""
    around = folder.around
    while around is not None:
        yield around
        around = around.around


def _contents_outside_archives_and_links(top: _Folder) -> Iterator[_Content]:
    """Yield what is in a folder, without what is in the archives in it, or behind links."""
    waiting = [top]
    while waiting:
        folder = waiting.pop()
        yield from folder.contents.values()
        waiting += [one for one in folder.inner.values() if not one.is_link_or_archive]


def _innermost_contents(contents: Sequence[HeldContent]) -> Iterator[SizedDigest]:
    """Yield the contents of an archive, and of each archive in it instead of itself."""
    for content in contents:
        if content.inside:
            yield from _innermost_contents(content.inside)
        else:
            yield SizedDigest(content.size, content.digest)


def _hash_of(content: _Content) -> int:
    """Return a number that stands for a content."""
    encoded = repr(content).encode("utf-8", "surrogatepass")
    return int.from_bytes(blake2b(encoded, digest_size=16).digest())
