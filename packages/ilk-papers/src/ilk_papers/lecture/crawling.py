"""What a crawler makes of duplicates: which copy it keeps, and which address it fetches next."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple, TypeAlias

from ilk_papers.frame import Exhibit, make_exhibit

#: A URL without its scheme, such as ``host/path``.
Address: TypeAlias = str


class FetchedPage(NamedTuple):
    """A page as it was fetched.

    Attributes:
        address: its address.
        day: when it was fetched.
        page: its text.
    """

    address: Address
    day: int
    page: str


def freshest_copy_addresses(captures: Iterable[FetchedPage]) -> dict[Address, Address]:
    """Return by address the address of the copy of its page that was fetched last.

    >>> freshest_copy_addresses([FetchedPage("a/x", 1, "one"), FetchedPage("b/x", 2, "one")])
    {'a/x': 'b/x', 'b/x': 'b/x'}
    """
    every = [*captures]
    last: dict[str, FetchedPage] = {}
    for each in every:
        if each.page not in last or each.day > last[each.page].day:
            last[each.page] = each
    return {each.address: last[each.page].address for each in every}


def addresses_unseen_then_lately_changed_first(
    addresses: Sequence[Address], captures: Iterable[FetchedPage]
) -> list[Address]:
    """Return addresses in the order in which to fetch them: unseen ones, then lately changed ones.

    A page that was seen once may have changed since, or not: it comes after those that did change,
    and before those that did not. Equal ones keep their order.

    >>> history = [FetchedPage("a", 1, "old"), FetchedPage("a", 5, "new")]
    >>> history += [FetchedPage("b", 1, "same")]
    >>> addresses_unseen_then_lately_changed_first(["b", "a", "c"], history)
    ['c', 'a', 'b']
    """
    by_address: dict[str, list[FetchedPage]] = {}
    for each in sorted(captures, key=lambda each: each.day):
        by_address.setdefault(each.address, []).append(each)
    return sorted(
        addresses, key=lambda address: _group_and_day_to_sort_by(by_address.get(address, []))
    )


class _GroupAndDay(NamedTuple):
    """What pages are sorted by: the smaller, the sooner a page is fetched.

    Attributes:
        group: 0 unseen, 1 changed, 2 seen once, 3 never changed.
        day: of changed pages minus the day of the last change; of others the day last seen.
    """

    group: int
    day: int


def _group_and_day_to_sort_by(history: Sequence[FetchedPage]) -> _GroupAndDay:
    """Return what a page with these captures, the oldest first, is sorted by."""
    if not history:
        return _GroupAndDay(0, 0)
    changed = day_of_last_change_or_none(history)
    if changed is not None:
        return _GroupAndDay(1, -changed)
    return _GroupAndDay(2 if len(history) == 1 else 3, history[-1].day)


def day_of_last_change_or_none(history: Sequence[FetchedPage]) -> int | None:
    """Return the day of the last capture whose page is not that of the one before; None if none."""
    changes = [later.day for earlier, later in pairwise(history) if later.page != earlier.page]
    return changes[-1] if changes else None


#: A small crawl: addresses of three hosts that mirror one another, and what was fetched when.
_CRAWL = (
    FetchedPage("north/a", 1, "page a"),
    FetchedPage("south/a", 4, "page a"),
    FetchedPage("west/a", 2, "page a"),
    FetchedPage("north/news", 1, "news of day 1"),
    FetchedPage("north/news", 5, "news of day 5"),
    FetchedPage("south/about", 1, "about us"),
    FetchedPage("south/about", 5, "about us"),
    FetchedPage("west/prices", 1, "prices of last year"),
    FetchedPage("west/prices", 3, "prices of this year"),
)
_UNSEEN = ("west/new",)


def crawl_table() -> Exhibit:
    """Show the copy that stands for each page, and the order in which a crawl goes on."""
    copies = freshest_copy_addresses(_CRAWL)
    histories: Mapping[str, list[FetchedPage]] = {
        address: [each for each in _CRAWL if each.address == address]
        for address in dict.fromkeys(each.address for each in _CRAWL)
    }
    order = addresses_unseen_then_lately_changed_first([*histories, *_UNSEEN], _CRAWL)
    rows = []
    for place, address in enumerate(order, start=1):
        history = histories.get(address, [])
        days = ", ".join(str(each.day) for each in history)
        changed = day_of_last_change_or_none(history)
        state = (
            "unseen"
            if not history
            else f"changed by day {changed}"
            if changed is not None
            else "seen once"
            if len(history) == 1
            else "never changed"
        )
        rows.append((place, address, days, state, copies.get(address)))
    note = (
        "Order: unseen pages, those that changed lately, those seen once, those that never "
        "changed. Freshest copy: where its last text was fetched last. `ilk changes` says of two "
        "captures what changed, and `ilk mirrors` which hosts have the same pages."
    )
    columns = ("order", "address", "fetched on day", "what is known", "freshest copy")
    title = "A crawl: what to fetch next, and which copy is the freshest"
    return make_exhibit("crawl", title, columns, rows, note=note)
