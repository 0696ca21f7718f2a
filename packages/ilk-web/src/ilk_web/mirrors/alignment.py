"""Two folders compared: which paths both have, how alike the pages are, and what that means.

Source: the levels are those of Bharat and Broder 1999, "Mirror, mirror on the Web: a study of host
pairs with replicated content", distinguished by shares instead of by judgement.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from ilk_web.mirrors.candidates import FolderPair, NominatedFolders
from ilk_web.urls.sites import Sites, path_from_slash_below_or_none

#: The level of hosts that share paths but no content, and so are not mirrors.
OTHER_CONTENT = 5

#: The share of all shared paths that "most" means; of identical pages for level 1; and of shared
#: pages in one folder for that folder to be the mirror.
_MOST, _IDENTICAL, _INSIDE = 0.5, 0.9, 0.9

#: The least resemblance of similar pages.
SIMILAR = 0.3

#: Two sites share fewer paths merely by custom (/about, /contact, ...).
_STRUCTURE = 10


class SharedFolders(NamedTuple):
    """Two folders, and the rows of the pages with the same path below both."""

    folders: FolderPair
    left_pages: int
    right_pages: int
    rows: list[tuple[int, int]]

    def shares_most_of(self, page_count: int) -> bool:
        """Return whether most of that many pages are shared."""
        return len(self.rows) >= _MOST * page_count


class Mirror(NamedTuple):
    """Two folders that mirror one another, and the evidence.

    Attributes:
        left, right: host and folder, such as ``example.org/pub``.
        level: 1 to 5, see ``LEVELS``.
        common: paths that both have; of them, pages that are ``identical`` (except for case and
            white space), ``near`` (at the requested resemblance) and ``similar``; the others
            differ.
        left_pages, right_pages: pages below the folders.
    """

    left: str
    right: str
    level: int
    common: int
    identical: int
    near: int
    similar: int
    left_pages: int
    right_pages: int


def match_folders_that_may_mirror(
    sites: Sites, nominations: NominatedFolders
) -> Iterator[SharedFolders]:
    """Yield what nominated folders share, if it may be enough for a mirror.

    If the contents indicate a mirror, and the shared pages are in one folder below, yield that
    folder too.
    """
    for folders in nominations.by_path:
        whole = _match_pages(sites, folders)
        if whole.shares_most_of(max(whole.left_pages, whole.right_pages)):
            yield whole
    for folders in nominations.by_content:
        whole = _match_pages(sites, folders)
        for pair in (whole, _match_inner_folder_or_none(sites, whole)):
            if pair is not None and pair.shares_most_of(min(pair.left_pages, pair.right_pages)):
                yield pair


def _match_inner_folder_or_none(sites: Sites, whole: SharedFolders) -> SharedFolders | None:
    """Return what two folders share in the one folder below that has nearly all of it.

    None means that no folder below has nearly all of it.
    """
    left, left_root, right, right_root = whole.folders
    paths = {row: path for path, row in _rows_by_path_below(sites, left, left_root).items()}
    inner = _deepest_folder_of_nearly_all([paths[row] for row, _ in whole.rows])
    if not inner:
        return None
    return _match_pages(sites, FolderPair(left, left_root + inner, right, right_root + inner))


def _match_pages(sites: Sites, folders: FolderPair) -> SharedFolders:
    left = _rows_by_path_below(sites, folders.left, folders.left_root)
    right = _rows_by_path_below(sites, folders.right, folders.right_root)
    rows = [(row, right[path]) for path, row in left.items() if path in right]
    return SharedFolders(folders, len(left), len(right), rows)


def _rows_by_path_below(sites: Sites, host: str, root: str) -> dict[str, int]:
    """Return the rows of the pages below a folder, by the rest of their paths."""
    pages = sites.paths[host]
    if not root:
        return pages
    rests = ((path_from_slash_below_or_none(path, root), row) for path, row in pages.items())
    return {rest: row for rest, row in rests if rest is not None}


def _deepest_folder_of_nearly_all(paths: Sequence[str]) -> str:
    """Return the deepest folder that has nearly all of some paths; "" if that is the root."""
    inner: list[str] = []
    folders = [path.split("/")[1:-1] for path in paths]
    while True:
        depth = len(inner)
        names = Counter(f[depth] for f in folders if len(f) > depth and f[:depth] == inner)
        name, count = max(names.items(), key=lambda item: item[1], default=("", 0))
        if not count or count < _INSIDE * len(paths):
            return "".join(f"/{name}" for name in inner)
        inner.append(name)


def judge_mirror_or_none(
    pair: SharedFolders,
    contents: Sequence[object],
    resemblances: Mapping[tuple[int, int], float],
    *,
    resemblance: float,
    least_contents: int,
) -> Mirror | None:
    """Return how two folders mirror one another; None if they do not.

    Args:
        pair: the folders and what they share.
        contents: for each row something that is equal if contents are; None if unknown.
        resemblances: of pairs of rows whose contents differ.
        resemblance: the least resemblance of near-identical pages.
        least_contents: the least number of different contents that prove anything; so an error page
            under a hundred paths counts only once.
    """
    pair = pair._replace(
        rows=[(i, j) for i, j in pair.rows if None not in (contents[i], contents[j])]
    )
    alike = {row: resemblances.get(row, 1.0) for row in pair.rows}
    identical = sum(row not in resemblances for row in pair.rows)
    near = sum(share >= resemblance for share in alike.values()) - identical
    similar = sum(share >= SIMILAR for share in alike.values()) - identical - near
    proved = len({contents[row[0]] for row in pair.rows if alike[row] >= min(SIMILAR, resemblance)})
    level = _mirror_level_or_none(
        pair, identical, near=near, similar=similar, has_enough_contents=proved >= least_contents
    )
    if level is None:
        return None
    left, left_root, right, right_root = pair.folders
    return Mirror(
        left=left + left_root,
        right=right + right_root,
        level=level,
        common=len(pair.rows),
        identical=identical,
        near=near,
        similar=similar,
        left_pages=pair.left_pages,
        right_pages=pair.right_pages,
    )


def _mirror_level_or_none(
    pair: SharedFolders, identical: int, *, near: int, similar: int, has_enough_contents: bool
) -> int | None:
    common = len(pair.rows)
    roots = pair.folders.left_root or pair.folders.right_root
    whole = not roots and pair.shares_most_of(max(pair.left_pages, pair.right_pages))
    if has_enough_contents and identical + near >= _MOST * common:
        if whole:
            return 1 if identical >= _IDENTICAL * common else 2
        return 4 if pair.shares_most_of(min(pair.left_pages, pair.right_pages)) else None
    if has_enough_contents and whole and identical + near + similar >= _MOST * common:
        return 3
    return 5 if whole and common >= _STRUCTURE else None
