"""The canonical form of a URL: what all spellings of a page's address have in common.

The URL that was given is never lost: these functions return another one beside it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import pyarrow as pa

from ilk import columns
from ilk.errors import UrlError
from ilk.web.addresses import address, named_host, standard
from ilk.web.rules import Rule, rules

#: What is asked where nothing is said.
PROFILE = "crawl"


class Fired(NamedTuple):
    """A rule that changed a URL; ``standard`` is the spelling of the WHATWG standard."""

    rule: str
    before: str
    after: str


def canonical(url: str, profile: str = PROFILE) -> str:
    """The canonical form of a URL; its own canonical form is itself.

    Args:
        url: an absolute URL. Of schemes other than http and https, only what the WHATWG standard
            makes equal is made equal.
        profile: which rules are used (``ilk.web.rules``).

    Raises:
        UrlError: it is no absolute URL.
        OptionError: there is no such profile.

    >>> canonical("HTTP://Example.ORG:80/a/../%7Eb/index.html?utm_source=x&b=2&a=1#top")
    'http://example.org/~b/?a=1&b=2'
    """
    return settled(url, [rule for _, rule in rules(profile)])


def settled(url: str, chosen: Sequence[Rule]) -> str:
    """A URL to which rules are applied until nothing changes: one may make room for another.

    Raises:
        UrlError: it is no absolute URL.
    """
    found = standard(url)
    while (parts := address(found)) is not None:
        for rule in chosen:
            rule(parts)
        after = str(parts)
        if after == found:
            break
        found = standard(after)
    return found


def canonical_many(urls: Any, profile: str = PROFILE) -> pa.Array:
    """A column of n URLs as n canonical ones (``large_string``); null where there is no URL.

    Raises:
        OptionError: there is no such profile.
        ColumnTypeError: it is no column of texts.
    """
    chosen = [rule for _, rule in rules(profile)]
    found = [_or_none(url, chosen) for url in columns.texts(urls).to_pylist()]
    return pa.array(found, pa.large_string())


def _or_none(url: str | None, chosen: Sequence[Rule]) -> str | None:
    try:
        return None if url is None else settled(url, chosen)
    except UrlError:
        return None


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
    fired = []
    while True:
        steps = list(_steps(url, profile))
        fired += steps
        if not steps:
            return fired
        url = steps[-1].after


def _steps(url: str, profile: str) -> list[Fired]:
    """What one round of the rules changes."""
    found = standard(url)
    fired = [Fired("standard", url, found)] if found != url else []
    parts = address(found)
    if parts is None:
        return fired
    for name, rule in rules(profile):
        before = str(parts)
        rule(parts)
        if str(parts) != before:
            fired.append(Fired(name, before, str(parts)))
    return fired


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
    found = canonical(url, profile)
    parts = address(found)
    if parts is None:
        return found
    name, port = named_host(parts)
    # Numbers of hosts lie together as they are.
    if not name.endswith("]") and not name.rpartition(".")[2].isdigit():
        name = ",".join(reversed(name.split(".")))
    parts.scheme, parts.user, parts.host = "", "", f"{name}{port})"
    return str(parts).removeprefix("://")
