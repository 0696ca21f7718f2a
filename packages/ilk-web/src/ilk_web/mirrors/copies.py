"""Pages of a crawl with their copies on mirrors: which one stands for all, and which is freshest.

Source: Horowitz's lecture on web search: the in-links of mirrored pages add up, and a page is
fetched from the server whose copy is the freshest.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Any
from urllib.parse import urljoin

import pyarrow as pa

from ilk_web.mirrors.groups import add_or_find_leader
from ilk_web.urls.canonicalising import page_address
from ilk_web.urls.sites import Sites

#: The columns of a table of pages.
SCHEMA = pa.schema(
    [
        ("page", pa.string()),
        ("canonical", pa.string()),
        ("freshest", pa.string()),
        ("fetched", pa.timestamp("us", "UTC")),
        ("in_links", pa.int64()),
    ]
)


class Copies:
    """The pages of a crawl, by what they are copies of.

    Args:
        sites: the pages.
        pairs: rows of two pages with the same content, at one path below two mirrors.
        canonical_folders: the folders whose pages stand for their copies.
    """

    def __init__(
        self,
        sites: Sites,
        pairs: Iterable[tuple[int, int]],
        canonical_folders: Collection[str],
    ) -> None:
        self._sites, self._folders = sites, canonical_folders
        self._addresses = {
            row: host + path for host, paths in sites.paths.items() for path, row in paths.items()
        }
        leaders: dict[int, int] = {}
        for left, right in pairs:
            leaders[add_or_find_leader(leaders, left)] = add_or_find_leader(leaders, right)
        members: defaultdict[int, list[int]] = defaultdict(list)
        for row in sorted(self._addresses):
            members[add_or_find_leader(leaders, row) if row in leaders else row].append(row)
        self._members = {
            min(rows, key=self._sort_key_canonical_first): rows for rows in members.values()
        }
        self._canonical = {row: best for best, rows in self._members.items() for row in rows}

    def make_page_table(
        self,
        fetch_times: Sequence[int | None],
        links_of_rows: Iterable[tuple[int, str]] | None,
    ) -> pa.Table:
        """Return a row for each page, in the order of reading.

        Args:
            fetch_times: by row, when it was fetched, in microseconds since 1970; None if unknown.
            links_of_rows: rows, and what each links to; None if links are not known.

        Returns:
            ``page`` and its ``canonical`` page, addresses as they were given; ``freshest``, the
            one of all copies that was fetched last, the canonical one of several, and when it was
            ``fetched``, both null if no time is known; ``in_links``, the number of pages that
            link to it or to a copy, where copies of a page are one page, and a page's links to
            itself do not count; null if links are not known.
        """
        counts = None
        if links_of_rows is not None:
            counts = self._count_in_links_by_canonical_row(links_of_rows)
        of_canonical = {
            best: {
                "canonical": self._sites.urls[best],
                **self._fields_of_freshest_copy(best, rows, fetch_times),
            }
            for best, rows in self._members.items()
        }
        return pa.Table.from_pylist(
            [
                {
                    "page": self._sites.urls[row],
                    **of_canonical[best],
                    "in_links": None if counts is None else counts[best],
                }
                for row, best in sorted(self._canonical.items())
            ],
            SCHEMA,
        )

    def _sort_key_canonical_first(self, row: int) -> tuple[bool, int, str]:
        """Return a key by which the page that stands for its copies sorts first."""
        address, url = self._addresses[row], self._sites.urls[row] or ""
        return (
            not any(folder in self._folders for folder in _folders_above_outermost_first(address)),
            len(url),
            url,
        )

    def _fields_of_freshest_copy(
        self, canonical_row: int, rows: Sequence[int], fetch_times: Sequence[int | None]
    ) -> dict[str, Any]:
        """Return ``freshest``, the URL of the copy fetched last, and when it was ``fetched``."""
        candidates = [
            (time, row == canonical_row, -row)
            for row in rows
            if (time := fetch_times[row]) is not None
        ]
        if not candidates:
            return {"freshest": None, "fetched": None}
        time, _, row = max(candidates)
        return {"freshest": self._sites.urls[-row], "fetched": time}

    def _count_in_links_by_canonical_row(
        self, links_of_rows: Iterable[tuple[int, str]]
    ) -> Counter[int]:
        again = {
            row: self._row_of_url_or_none(self._sites.urls[row] or "") for row in self._sites.again
        }
        pairs = set()
        for row, link in links_of_rows:
            page = again.get(row) or row
            target = self._row_of_url_or_none(_resolve_link_or_empty(self._sites.urls[row], link))
            if target is not None:
                pairs.add((self._canonical.get(page, page), self._canonical[target]))
        return Counter(target for source, target in pairs if source != target)

    def _row_of_url_or_none(self, url: str) -> int | None:
        """Return the row of a page; None if it was not read."""
        placed = page_address(url)
        return None if placed is None else self._sites.paths.get(placed.host, {}).get(placed.path)


def _folders_above_outermost_first(address: str) -> Iterator[str]:
    """Yield the folders that a page is in, from the host on, without their last slash."""
    at = address.find("/")
    while at >= 0:
        yield address[:at]
        at = address.find("/", at + 1)


def _resolve_link_or_empty(page: str | None, link: str) -> str:
    """Return the address of a link that a page has; "" if it makes no sense."""
    try:
        return urljoin(page or "", link)
    except ValueError:
        return ""
