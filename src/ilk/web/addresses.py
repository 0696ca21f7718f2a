"""A URL and its parts, as the WHATWG URL standard reads and writes them."""

from __future__ import annotations

from dataclasses import dataclass

import can_ada

from ilk.errors import UrlError

#: Schemes whose URLs have more than one spelling beyond those that the standard makes equal.
_WEB = ("http", "https")

#: Characters of a URL that a message shows.
_SHOWN = 80


@dataclass(slots=True)
class Address:
    """The parts of a URL of the web.

    Attributes:
        scheme: ``http`` or ``https``.
        user: what stands before ``@``, which is part of it; or "".
        host: with the port, where it is not that of the scheme.
        path: from its first slash on.
        query: what follows ``?``; None if there is none.
        fragment: what follows ``#``; None if there is none.
    """

    scheme: str
    user: str
    host: str
    path: str
    query: str | None
    fragment: str | None

    def __str__(self) -> str:
        """The URL."""
        query = "" if self.query is None else f"?{self.query}"
        fragment = "" if self.fragment is None else f"#{self.fragment}"
        return f"{self.scheme}://{self.user}{self.host}{self.path}{query}{fragment}"


def standard(url: str) -> str:
    """A URL as the standard writes it.

    It makes equal the case of scheme and host, names and numbers of hosts in all their forms,
    ports that are the scheme's own, dot segments, and white space around the URL.

    Raises:
        UrlError: it is no absolute URL.
    """
    try:
        return str(can_ada.parse(url).href)
    except ValueError:
        raise UrlError(
            f"{url[:_SHOWN]!r} is no absolute URL; give one like 'https://example.org/page'."
        ) from None
    except TypeError:  # A lone surrogate has no form in UTF-8; the standard has U+FFFD for it.
        if not isinstance(url, str):
            raise UrlError(f"a URL is a str, got {type(url).__name__}.") from None
        return standard(url.encode("utf-16", "surrogatepass").decode("utf-16", "replace"))


def address(href: str) -> Address | None:
    """The parts of a URL that is written as the standard does; None if it is not of the web."""
    scheme, colon, rest = href.partition("://")
    if not colon or scheme not in _WEB:
        return None
    rest, hash_, fragment = rest.partition("#")
    rest, mark, query = rest.partition("?")
    authority, slash, path = rest.partition("/")
    user, at, host = authority.rpartition("@")
    return Address(
        scheme, user + at, host, slash + path, query if mark else None, fragment if hash_ else None
    )


def named_host(url: Address) -> tuple[str, str]:
    """The host without its port; and the port with its colon, or ""."""
    name, colon, port = url.host.rpartition(":")
    # The colons of an address of version 6 stand in brackets.
    return (name, colon + port) if colon and port.isdigit() else (url.host, "")
