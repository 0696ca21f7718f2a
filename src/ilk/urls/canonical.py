"""The canonical form of a URL: what all spellings of a page's address have in common.

The URL that was given is never lost: these functions return another one beside it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, TypeVar

import pyarrow as pa

from ilk import columns
from ilk.errors import UrlError
from ilk.urls.rules import PROFILE, rules

_Answer = TypeVar("_Answer")

#: Characters of a URL that a message shows.
_SHOWN = 80


class Fired(NamedTuple):
    """A rule that changed a URL; ``standard`` is the spelling of the WHATWG standard."""

    rule: str
    before: str
    after: str


class Place(NamedTuple):
    """Where a page of the web is: host with its port, path with its query."""

    scheme: str
    host: str
    path: str


def canonical(url: str, profile: str = PROFILE) -> str:
    """The canonical form of a URL; its own canonical form is itself.

    Args:
        url: an absolute URL. Of schemes other than http and https, only what the WHATWG standard
            makes equal is made equal.
        profile: which rules are used (``ilk.urls.rules``).

    Raises:
        UrlError: it is no absolute URL.
        OptionError: there is no such profile.

    >>> canonical("HTTP://Example.ORG:80/a/../%7Eb/index.html?utm_source=x&b=2&a=1#top")
    'http://example.org/~b/?a=1&b=2'
    """
    return told(rules(profile).canonical, url)


def canonical_many(urls: Any, profile: str = PROFILE) -> pa.Array:
    """A column of n URLs as n canonical ones (``large_string``); null where there is no URL.

    Raises:
        OptionError: there is no such profile.
        ColumnTypeError: it is no column of texts.
    """
    chosen = rules(profile)
    found = map(chosen.canonical_many, columns.kernel_chunks(columns.texts(urls)))
    return columns.joined((chunk.view(pa.large_string()) for chunk in found), pa.large_string())


def same_page(left: str, right: str, profile: str = PROFILE) -> bool:
    """Whether two URLs have one canonical form.

    Raises:
        UrlError, OptionError: as ``canonical``.

    >>> same_page("http://example.org/?b=1&a=2", "http://example.org/?a=2&b=1")
    True
    """
    return canonical(left, profile) == canonical(right, profile)


def explain(url: str, profile: str = PROFILE) -> list[Fired]:
    """Which rules change a URL, in their order, on its way to the canonical form.

    Raises:
        UrlError, OptionError: as ``canonical``.

    >>> [fired.rule for fired in explain("http://EXAMPLE.org/%7Ea#b")]
    ['standard', 'escapes', 'fragment']
    """
    return [Fired(*fired) for fired in told(rules(profile).explain, url)]


def surt(url: str, profile: str = PROFILE) -> str:
    """A URL in the order in which sites lie together: the parts of the host from the last one.

    The scheme and the user are left out. The case of the path is kept, since two pages may differ
    in it. A URL that is not of the web stays as it is.

    Source: the sort-friendly URI reordering transform of the Internet Archive, as its indexes of
    captures write it.

    Raises:
        UrlError, OptionError: as ``canonical``.

    >>> surt("https://www.Example.co.uk/Page?x=1", "aggressive")
    'uk,co,example)/Page?x=1'
    """
    return told(rules(profile).surt, url)


def place(url: str, profile: str = PROFILE) -> Place | None:
    """Where the canonical form of a URL is; None if it is no URL of the web.

    Raises:
        OptionError: there is no such profile.

    >>> place("https://Example.org:8080/a/../b?c#d")
    Place(scheme='https', host='example.org:8080', path='/b?c')
    """
    found = rules(profile).place(columns.scalar_values(url))
    return None if found is None else Place(*found)


def told(ask: Callable[[str], _Answer | None], url: str) -> _Answer:
    """What a kernel answers of a URL.

    Raises:
        UrlError: it is no absolute URL.
    """
    if not isinstance(url, str):
        raise UrlError(f"a URL is a str, got {type(url).__name__}.")
    answer = ask(columns.scalar_values(url))
    if answer is None:
        raise UrlError(
            f"{url[:_SHOWN]!r} is no absolute URL; give one like 'https://example.org/page'."
        )
    return answer
