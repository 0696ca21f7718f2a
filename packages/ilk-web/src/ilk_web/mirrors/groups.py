"""Folders that have the same pages, as groups: mirrors of mirrors are mirrors."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from typing import NamedTuple, TypeVar

from ilk_web.mirrors.alignment import Mirror

#: Levels at which a page may be expected on the other host.
SAME_CONTENT = (1, 2, 4)


_T = TypeVar("_T", int, str)


class Group(NamedTuple):
    """Folders that mirror one another, directly or by others.

    Attributes:
        canonical: the folder with the most pages; of equal ones a whole host, without ``www.``,
            and with the shortest name.
        mirrors: the others, by name.
        pairs: the evidence, for each two that were compared.
    """

    canonical: str
    mirrors: list[str]
    pairs: list[Mirror]


def group_mirrors_of_same_content(mirrors: Iterable[Mirror]) -> list[Group]:
    """Return the groups of mirrors with the same content, in the order of their first pairs."""
    leaders: dict[str, str] = {}
    pages: dict[str, int] = {}
    same = [mirror for mirror in mirrors if mirror.level in SAME_CONTENT]
    for mirror in same:
        pages |= {mirror.left: mirror.left_pages, mirror.right: mirror.right_pages}
        leaders[add_or_find_leader(leaders, mirror.left)] = add_or_find_leader(
            leaders, mirror.right
        )
    pairs: defaultdict[str, list[Mirror]] = defaultdict(list)
    for mirror in same:
        pairs[add_or_find_leader(leaders, mirror.left)].append(mirror)
    groups = []
    for some in pairs.values():
        folders = {folder for mirror in some for folder in (mirror.left, mirror.right)}
        canonical = min(
            folders,
            key=lambda name: (-pages[name], "/" in name, name.startswith("www."), len(name), name),
        )
        groups.append(Group(canonical, sorted(folders - {canonical}), some))
    return groups


def add_or_find_leader(leaders: dict[_T, _T], member: _T) -> _T:
    """Return the member that stands for the group of one; a new one stands for itself."""
    while leaders.setdefault(member, member) != member:
        leaders[member] = leaders[leaders[member]]
        member = leaders[member]
    return member
