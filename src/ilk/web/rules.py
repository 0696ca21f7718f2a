"""What may be changed in a URL: every rule has a name, and a profile is a choice of rules.

``safe`` keeps to what RFC 3986 and the WHATWG standard call the same URL; ``crawl`` adds what
almost always names the same page; ``aggressive`` what often does. A profile with changes is written
``crawl-order+www``. The standard's own spelling is not a rule: it is where all of them begin.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache
from typing import TypeAlias

from ilk.errors import OptionError
from ilk.web import parameters
from ilk.web.addresses import Address, named_host

#: Changes with any rule and any list; canonical URLs of two versions may differ.
VERSION = 1

#: Changes an address in place.
Rule: TypeAlias = Callable[[Address], None]

_ESCAPE = re.compile(r"%(?:([0-9A-Fa-f]{2}))?")
_UNRESERVED = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")

#: Pages that servers give for a folder.
_INDEX = re.compile(
    r"(?:index|home|default)\.(?:html?|shtml|xhtml|php[345]?|aspx?|jspx?|cgi|pl|cfm)", re.IGNORECASE
)

#: What may stand before the name of a site.
WWW = re.compile(r"www\d{0,2}\.(?=[^.]+\.)")


def _unescaped(part: str) -> str:
    return _ESCAPE.sub(_escape, part)


def _escape(match: re.Match[str]) -> str:
    if match[1] is None:
        return "%25"  # It stands for itself, as decoders read it; bare, it would take part later.
    character = chr(int(match[1], 16))
    return character if character in _UNRESERVED else match[0].upper()


def _escapes(url: Address) -> None:
    if "%" in url.path:
        url.path = _unescaped(url.path)
    if url.query is not None and "%" in url.query:
        url.query = _unescaped(url.query)
    if url.fragment is not None and "%" in url.fragment:
        url.fragment = _unescaped(url.fragment)


def _fragment(url: Address) -> None:
    # Some sites choose the page there.
    if url.fragment is not None and not url.fragment.startswith(("!", "/")):
        url.fragment = None


def _dot(url: Address) -> None:
    if url.host.endswith(".") or ".:" in url.host:
        name, port = named_host(url)
        url.host = (name.rstrip(".") or name) + port


def _session(url: Address) -> None:
    if ";" in url.path or "(" in url.path:
        url.path = parameters.SESSION_IN_PATH.sub("", url.path)
    if url.query:
        url.query = parameters.without(url.query, parameters.is_session)


def _tracking(url: Address) -> None:
    if url.query:
        url.query = parameters.without(url.query, parameters.is_tracking)


def _index(url: Address) -> None:
    if not url.path.endswith("/"):
        folder, slash, page = url.path.rpartition("/")
        if _INDEX.fullmatch(page):
            url.path = folder + slash


def _order(url: Address) -> None:
    if url.query and "&" in url.query:
        # Stable: the order of those that share a name may mean something.
        url.query = "&".join(sorted(url.query.split("&"), key=parameters.name))


def _empty(url: Address) -> None:
    if url.query is not None and (not url.query or "&" in url.query):
        url.query = "&".join(filter(None, url.query.split("&"))) or None


def _scheme(url: Address) -> None:
    url.scheme = "http"


def _www(url: Address) -> None:
    if url.host.startswith("www"):
        url.host = WWW.sub("", url.host, count=1)


def _slash(url: Address) -> None:
    if url.path.endswith("/"):
        url.path = url.path.rstrip("/") or "/"


#: Every rule in the order in which they are used, and what it does.
RULES: dict[str, tuple[Rule, str]] = {
    "escapes": (_escapes, "%-escapes of letters, digits and -._~ undone, the others in capitals"),
    "fragment": (_fragment, "no #fragment, unless it is a route (#!page, #/page)"),
    "dot": (_dot, "no dot at the end of the host"),
    "session": (_session, "no session ids"),
    "tracking": (_tracking, "no parameters that measure campaigns"),
    "empty": (_empty, "no empty query and no empty parameters"),
    "order": (_order, "parameters in the order of their names"),
    "scheme": (_scheme, "http for https"),
    "www": (_www, "no www before the host"),
    "index": (_index, "no index page"),
    "slash": (_slash, "no slash at the end of the path"),
}

SAFE = ("escapes",)
CRAWL = (*SAFE, "fragment", "dot", "session", "tracking", "empty", "order", "index")

#: The rules of every profile.
PROFILES = {"safe": SAFE, "crawl": CRAWL, "aggressive": tuple(RULES)}


@lru_cache
def rules(profile: str) -> tuple[tuple[str, Rule], ...]:
    """The rules of a profile such as ``crawl`` or ``crawl-order+www``, in the order of their use.

    Raises:
        OptionError: it names a profile or a rule that there is not.
    """
    base, *changes = re.split(r"(?=[+-])", profile)
    chosen = set(PROFILES.get(base, ()))
    if base not in PROFILES or any(change[1:] not in RULES for change in changes):
        raise OptionError(
            f"profile is {profile!r}; it must be one of {', '.join(PROFILES)}, with +RULE or -RULE "
            f"behind it for each rule to add or leave out: {', '.join(RULES)}."
        )
    for change in changes:
        (chosen.add if change[0] == "+" else chosen.discard)(change[1:])
    return tuple((name, rule) for name, (rule, _) in RULES.items() if name in chosen)
