"""Which folders of two hosts may mirror one another, from what they share.

A page that two hosts share votes for a pair of folders: its two paths without their common end. The
pages of a mirror vote for one pair, whatever the name of the root; pages shared by chance vote for
many.

Source: the inverted index of shared content is that of Bharat, Broder, Dean and Henzinger 2000,
"A comparison of techniques to find mirrored hosts on the WWW".
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations, product
from typing import NamedTuple, TypeAlias

from ilk_web.urls.sites import Sites

#: The most pages of one host that are of one kind; more are a template or an error page.
_REPEATS = 4

#: The host and the path of a page.
_HostAndPath: TypeAlias = tuple[str, str]


class _TwoRoots(NamedTuple):
    """The paths of two folders, on a left and a right host."""

    left: str
    right: str


class FolderPair(NamedTuple):
    """Two folders, each a host and a path without its last slash; the left host comes first."""

    left: str
    left_root: str
    right: str
    right_root: str


class NominatedFolders(NamedTuple):
    """Folders that may mirror one another.

    Attributes:
        by_content: pairs with enough votes from pages that both have.
        by_path: of the others, pairs of whole hosts with enough votes from paths that both have.
        ubiquitous: kinds of content, and paths, on too many hosts to vote.
        repeated: kinds of content on several hosts, and too often on one of them to vote.
    """

    by_content: list[FolderPair]
    by_path: list[FolderPair]
    ubiquitous: int
    repeated: int


def nominate_folders(
    sites: Sites, content_kinds: Sequence[object], *, least_votes: int, max_hosts: int
) -> NominatedFolders:
    """Return the pairs of folders that at least ``least_votes`` pages vote for.

    Args:
        sites: the pages.
        content_kinds: for each row something that is equal if contents are of one kind; None if
            unknown.
        least_votes: the least number of votes.
        max_hosts: contents and paths that are on more hosts do not vote. A pair of hosts gets its
            votes from each of them, so this bounds the work to its square per page.
    """
    by_kind: dict[object, list[_HostAndPath]] = defaultdict(list)
    by_path: dict[str, list[_HostAndPath]] = defaultdict(list)
    for host, paths in sorted(sites.paths.items()):
        for path, row in paths.items():
            by_path[path].append((host, path))
            if content_kinds[row] is not None:
                by_kind[content_kinds[row]].append((host, path))
    ubiquitous = repetitions = 0
    chosen_pairs: list[set[FolderPair]] = []
    for index in (by_kind, by_path):
        votes: Counter[FolderPair] = Counter()
        for spots in index.values():
            hosts = Counter(host for host, _ in spots)
            if len(hosts) > max_hosts:
                ubiquitous += 1
            elif len(hosts) > 1 and max(hosts.values()) > _REPEATS:
                repetitions += 1
            elif len(hosts) > 1:
                votes.update(set(_votes_of_longest_common_ends(spots)))
        chosen_pairs.append({pair for pair, count in votes.items() if count >= least_votes})
    contents, paths_alone = chosen_pairs
    return NominatedFolders(
        sorted(contents), sorted(paths_alone - contents), ubiquitous, repetitions
    )


def _votes_of_longest_common_ends(spots: Iterable[_HostAndPath]) -> Iterator[FolderPair]:
    """Yield the votes of pages of one kind: for the same path on two hosts, or else for two paths,
    if neither has more of its end in common with another path of the other host.

    So pages of one template vote only for their own copies, where each host has several.
    """
    by_host: dict[str, set[str]] = defaultdict(set)
    for host, path in spots:
        by_host[host].add(path)
    for left, right in combinations(sorted(by_host), 2):
        if by_host[left] & by_host[right]:
            yield FolderPair(left, "", right, "")
            continue
        roots = {
            pair: split
            for pair in product(by_host[left], by_host[right])
            if (split := _folders_above_common_end_or_none(*pair)) is not None
        }
        longest: defaultdict[tuple[int, str], int] = defaultdict(int)
        for pair, split in roots.items():
            for side in (0, 1):
                common = len(pair[side]) - len(split[side])
                longest[side, pair[side]] = max(common, longest[side, pair[side]])
        for pair, split in roots.items():
            if all(
                len(pair[side]) - len(split[side]) == longest[side, pair[side]] for side in (0, 1)
            ):
                yield FolderPair(left, split.left, right, split.right)


def _folders_above_common_end_or_none(left: str, right: str) -> _TwoRoots | None:
    """Return two paths without their common final segments; None if their last ones differ."""
    ours, theirs = left.split("/"), right.split("/")
    if ours[-1] != theirs[-1]:
        return None
    while ours and theirs and ours[-1] == theirs[-1]:
        ours.pop()
        theirs.pop()
    return _TwoRoots("/".join(ours), "/".join(theirs))
