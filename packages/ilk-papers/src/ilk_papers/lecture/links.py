"""In-links of mirrored pages, added up: a map from every page to the one that stands for it.

The lecture's motive for finding mirrors: a page on three hosts has its links counted three times
too few, and links out of its copies three times too often.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import TypeAlias

from ilk_papers.lecture.crawling import Address

#: The addresses of a page and of one that it links to.
Link: TypeAlias = tuple[Address, Address]


def first_addresses_with_same_page(
    page_of_address: Mapping[Address, str],
) -> dict[Address, Address]:
    """Return, for every address, the first address that has the same page.

    >>> first_addresses_with_same_page({"a/x": "one", "b/x": "one", "b/y": "two"})
    {'a/x': 'a/x', 'b/x': 'a/x', 'b/y': 'b/y'}
    """
    first: dict[str, str] = {}
    return {address: first.setdefault(page, address) for address, page in page_of_address.items()}


def count_distinct_in_links(
    links: Iterable[Link], canonical_of: Mapping[Address, Address]
) -> Counter[Address]:
    """Count the links to every canonical page; links out of copies of a page count once.

    >>> sorted(count_distinct_in_links([("c", "a/x"), ("d", "b/x")], {"b/x": "a/x"}).items())
    [('a/x', 2)]
    """
    distinct = {
        (canonical_of.get(source, source), canonical_of.get(target, target))
        for source, target in links
    }
    return Counter(target for _, target in distinct)
