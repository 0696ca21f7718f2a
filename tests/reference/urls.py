"""The rules of canonical URLs by their definitions, on parts cut by the standard library.

The spelling of the WHATWG standard is given: a function that makes it of any URL.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from urllib.parse import SplitResult, urlsplit

_UNRESERVED = re.compile(r"[A-Za-z0-9._~-]")
_INDEX = re.compile(
    r"(index|home|default)\.(html?|shtml|xhtml|php[345]?|aspx?|jspx?|cgi|pl|cfm)", re.IGNORECASE
)
_WWW = re.compile(r"www\d{0,2}\.(?=[^.]+\.)")
_SESSION_IN_PATH = re.compile(
    r";jsessionid=[^/;]*|/\(([0-9a-z]{24}|([a-z]\([0-9a-z]{24}\))+)\)(?=/)", re.IGNORECASE
)
_SESSION = re.compile(
    r"(asp\.net_sessionid|cfid|cftoken|jsessionid|oscsid|phpsessid|session_?id|zenid)(=.*)?"
    r"|aspsessionid.*|sid=[0-9a-z]{32,}",
    re.IGNORECASE,
)
_TRACKING = re.compile(
    r"(utm_|mtm_|piwik_|hsa_|gad_|vero_|oly_).*"
    r"|(pk_(campaign|cid|content|keyword|kwd|medium|source)|itm_(campaign|content|medium|source|term)"
    r"|mc_[ce]id|_hsenc|_hsmi|wt_mc|wt\.mc_id|gclid|gclsrc|dclid|[gw]braid|srsltid|_ga|_gl|fbclid"
    r"|igsh(id)?|msclkid|twclid|ttclid|li_fat_id|ys?clid|_openstat|epik|rdt_cid|mkt_tok|_kx|s_cid"
    r"|s_kwcid|ef_id|wickedid|_branch_match_id|irclickid)(=.*)?",
    re.IGNORECASE,
)

Url = SplitResult


def canonical(url: str, chosen: Sequence[str], standard: Callable[[str], str | None]) -> str | None:
    """The form that rules give a URL; None if it is not a URL."""
    found = standard(url)
    while found is not None and found.startswith(("http://", "https://")):
        parts = _cut(found)
        for name in RULES:
            if name in chosen:
                parts = RULES[name](parts)
        after = _written(parts)
        if after == found:
            return found
        found = standard(after)
    return found


# The mark stays with an empty query or fragment: without it there is no such part.


def _cut(url: str) -> Url:
    rest, hash_, fragment = url.partition("#")
    rest, mark, query = rest.partition("?")
    parts = urlsplit(rest)
    return parts._replace(query=mark + query, fragment=hash_ + fragment)


def _written(parts: Url) -> str:
    return f"{parts.scheme}://{parts.netloc}{parts.path}{parts.query}{parts.fragment}"


def _host(parts: Url) -> tuple[str, str, str]:
    """What stands before the host, the host, and its port."""
    found = re.fullmatch(r"(.*@)?(\[.*\]|[^:]*)(:\d+)?", parts.netloc)
    assert found is not None
    return found[1] or "", found[2], found[3] or ""


def _parameters(parts: Url, change: Callable[[list[str]], list[str]]) -> Url:
    """The URL with other parameters; without a query, if none is left."""
    if not parts.query:
        return parts
    kept = change(parts.query[1:].split("&"))
    return parts._replace(query="?" + "&".join(kept) if kept else "")


def _escape(match: re.Match[str]) -> str:
    if match[1] is None:
        return "%25"
    character = chr(int(match[1], 16))
    return character if _UNRESERVED.fullmatch(character) else match[0].upper()


def _escapes(parts: Url) -> Url:
    some = (re.sub("%([0-9A-Fa-f]{2})?", _escape, part) for part in parts[2:])
    return Url(parts.scheme, parts.netloc, *some)


def _fragment(parts: Url) -> Url:
    route = parts.fragment.startswith(("#!", "#/"))
    return parts if route else parts._replace(fragment="")


def _dot(parts: Url) -> Url:
    user, host, port = _host(parts)
    return parts._replace(netloc=user + (host.rstrip(".") or host) + port)


def _session(parts: Url) -> Url:
    parts = parts._replace(path=_SESSION_IN_PATH.sub("", parts.path))
    return _parameters(parts, lambda all_: [one for one in all_ if not _SESSION.fullmatch(one)])


def _tracking(parts: Url) -> Url:
    return _parameters(parts, lambda all_: [one for one in all_ if not _TRACKING.fullmatch(one)])


def _empty(parts: Url) -> Url:
    return _parameters(parts, lambda all_: [one for one in all_ if one])


def _order(parts: Url) -> Url:
    return _parameters(parts, lambda all_: sorted(all_, key=lambda one: one.split("=")[0]))


def _scheme(parts: Url) -> Url:
    return parts._replace(scheme="http")


def _www(parts: Url) -> Url:
    user, host, port = _host(parts)
    found = _WWW.match(host)
    return parts if found is None else parts._replace(netloc=user + host[found.end() :] + port)


def _index(parts: Url) -> Url:
    folder, slash, page = parts.path.rpartition("/")
    return parts._replace(path=folder + slash) if _INDEX.fullmatch(page) else parts


def _slash(parts: Url) -> Url:
    return parts._replace(path=parts.path.rstrip("/") or "/")


RULES: dict[str, Callable[[Url], Url]] = {
    "escapes": _escapes,
    "fragment": _fragment,
    "dot": _dot,
    "session": _session,
    "tracking": _tracking,
    "empty": _empty,
    "order": _order,
    "scheme": _scheme,
    "www": _www,
    "index": _index,
    "slash": _slash,
}
