"""The pages of a crawl, by host and path."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from ilk_web.urls.canonicalising import page_address

#: The rules for the name of a site.
_SITE = "safe+dot+www"


@dataclass(frozen=True)
class Sites:
    """The pages of a crawl.

    Attributes:
        paths: the row of each page, by host (with its port) and path (with its query).
        urls: of each row, as it was given.
        schemes: by host, the scheme under which it was first seen.
        without: rows without a web URL.
        again: rows of a page that had already appeared.
    """

    paths: dict[str, dict[str, int]] = field(default_factory=dict)
    urls: Sequence[str | None] = ()
    schemes: dict[str, str] = field(default_factory=dict)
    without: list[int] = field(default_factory=list)
    again: list[int] = field(default_factory=list)

    @classmethod
    def from_urls(cls, urls: Sequence[str | None]) -> Sites:
        """Group pages by URL, one per row; the canonical forms (``crawl``) count."""
        sites = cls(urls=urls)
        for row, url in enumerate(urls):
            placed = None if url is None else page_address(url)
            if placed is None:
                sites.without.append(row)
                continue
            scheme, host, path = placed
            sites.schemes.setdefault(host, scheme)
            if sites.paths.setdefault(host, {}).setdefault(path, row) != row:
                sites.again.append(row)
        return sites

    def url_as_given(self, address: str) -> str | None:
        """Return the URL of a page as it was given, by its host and path; None without the page."""
        host, slash, rest = address.partition("/")
        row = self.paths.get(host, {}).get(slash + rest)
        return None if row is None else self.urls[row]


def site_of_url(url: str) -> str | None:
    """Return the host of a URL after the rules; None if it is not a web URL.

    >>> site_of_url("https://www.Example.org:8080/page")
    'example.org:8080'
    """
    placed = page_address(url, _SITE)
    return None if placed is None else placed.host


def path_from_slash_below_or_none(path: str, root_without_slash: str) -> str | None:
    """Return the part of a path below a folder, from the slash on; None if it is elsewhere, as the
    folder itself is. A host's root is "".
    """
    if not path.startswith(f"{root_without_slash}/"):
        return None
    return path[len(root_without_slash) :]
