"""The canonical form of a URL: what all spellings of a page's address have in common.

The given URL is never lost: these functions return another one beside it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, TypeVar

import pyarrow as pa

from ilk.plugins import arrow
from ilk_web.errors import UrlError
from ilk_web.urls.rules import PROFILE, rules_of_profile

_Answer = TypeVar("_Answer")

#: Characters of a URL to show in a message.
_SHOWN = 80


class Fired(NamedTuple):
    """A rule that changed a URL; ``standard`` is the spelling of the WHATWG standard."""

    rule: str
    before: str
    after: str


class PageAddress(NamedTuple):
    """The place of a web page: host with its port, path with its query."""

    scheme: str
    host: str
    path: str


def canonical(url: str, profile: str = PROFILE) -> str:
    """Return the canonical form of a URL; its own canonical form is itself.

    Args:
        url: an absolute URL. For schemes other than http and https, only the WHATWG standard
            applies.
        profile: which rules are used (``ilk_web.urls.rules``).

    Raises:
        UrlError: it is not an absolute URL.
        OptionError: there is no such profile.

    >>> canonical("HTTP://Example.ORG:80/a/../%7Eb/index.html?utm_source=x&b=2&a=1#top")
    'http://example.org/~b/?a=1&b=2'
    """
    return ask_kernel_or_refuse(rules_of_profile(profile).canonicalise_if_absolute, url)


def canonical_many(urls: Any, profile: str = PROFILE) -> pa.Array:
    """Return a column of n URLs as n canonical ones (``large_string``); null if it is not a URL.

    Raises:
        OptionError: there is no such profile.
        ColumnTypeError: it is not a column of texts.
    """
    chunks = map(
        rules_of_profile(profile).canonicalise_all, arrow.kernel_chunks(arrow.import_texts(urls))
    )
    return arrow.join_pieces((chunk.view(pa.large_string()) for chunk in chunks), pa.large_string())


def same_page(left: str, right: str, profile: str = PROFILE) -> bool:
    """Return whether two URLs have the same canonical form.

    Raises:
        UrlError, OptionError: as ``canonical``.

    >>> same_page("http://example.org/?b=1&a=2", "http://example.org/?a=2&b=1")
    True
    """
    return canonical(left, profile) == canonical(right, profile)


def explain(url: str, profile: str = PROFILE) -> list[Fired]:
    """Return the rules that change a URL on its way to the canonical form, in their order.

    Raises:
        UrlError, OptionError: as ``canonical``.

    >>> [fired.rule for fired in explain("http://EXAMPLE.org/%7Ea#b")]
    ['standard', 'escapes', 'fragment']
    """
    return [Fired(*fired) for fired in ask_kernel_or_refuse(rules_of_profile(profile).explain, url)]


def surt(url: str, profile: str = PROFILE) -> str:
    """Return a URL spelled so that sites sort together: the parts of the host in reverse order.

    The scheme and the user are left out. The case of the path is kept, since two pages may differ
    in it. A URL that is not a web URL stays as it is.

    Source: the sort-friendly URI reordering transform of the Internet Archive, as in its indexes of
    captures.

    Raises:
        UrlError, OptionError: as ``canonical``.

    >>> surt("https://www.Example.co.uk/Page?x=1", "aggressive")
    'uk,co,example)/Page?x=1'
    """
    return ask_kernel_or_refuse(rules_of_profile(profile).to_surt, url)


def page_address(url: str, profile: str = PROFILE) -> PageAddress | None:
    """Return the place of the canonical form of a URL; None if it is not a web URL.

    Raises:
        OptionError: there is no such profile.

    >>> page_address("https://Example.org:8080/a/../b?c#d")
    PageAddress(scheme='https', host='example.org:8080', path='/b?c')
    """
    parts = rules_of_profile(profile).split_canonical_web_url(arrow.replace_lone_surrogates(url))
    return None if parts is None else PageAddress(*parts)


def ask_kernel_or_refuse(ask: Callable[[str], _Answer | None], url: str) -> _Answer:
    """Call a kernel with a URL; UrlError if it is not an absolute one."""
    if not isinstance(url, str):
        raise UrlError(f"a URL is a str, got {type(url).__name__}.")
    answered = ask(arrow.replace_lone_surrogates(url))
    if answered is None:
        raise UrlError(
            f"{url[:_SHOWN]!r} is not an absolute URL; give one like 'https://example.org/page'."
        )
    return answered
