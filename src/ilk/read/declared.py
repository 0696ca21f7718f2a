"""What a page declares in its head: title, canonical link, language and date.

Nothing is guessed: whatever is missing, or makes no sense, is None. Only the first part of the page
is examined, in one pass, so no page takes long.

Source: the names of HTML (title, ``rel=canonical``, ``lang``), of Open Graph, of Dublin Core and of
schema.org for the date.
"""

from __future__ import annotations

import datetime
import re
from collections.abc import Iterator
from html import unescape
from typing import NamedTuple

#: Bytes at the start of a page to examine.
_HEAD = 1 << 18

_TAG = re.compile(
    r"<(?:(?P<comment>!--)|(?P<name>html|meta|link|title|script|style|noscript|body)(?=[\s/>])"
    r"(?P<attributes>(?:[^<>\"']++|\"[^\"<]{0,4000}+\"|'[^'<]{0,4000}+')*+)>)",
    re.IGNORECASE,
)
# It matches only at the start of a name and does not backtrack, so its time is linear.
_ATTRIBUTE = re.compile(r"(?<![\w:-])([\w:-]++)\s*+=\s*+(?:\"([^\"]*+)\"|'([^']*+)'|([^\s\"'>]++))")
_LANGUAGE = re.compile(r"[A-Za-z]{2,3}(?:[-_][A-Za-z0-9]{2,8})*")
_DAY = re.compile(r"\d{4}-\d{2}-\d{2}")
_PUBLISHED = re.compile(r"\"datePublished\"\s*:\s*\"([^\"]{0,40})")

#: Elements whose content is not HTML.
_RAW = ("script", "style", "noscript", "title")

#: Names of ``meta`` with the date when a page was written, the most reliable first.
_DATES = (
    *("article:published_time", "datepublished", "dc.date.issued", "dcterms.issued"),
    *("dcterms.created", "dc.date", "dcterms.date", "date", "pubdate", "publish_date"),
)


class Declared(NamedTuple):
    """What a page declares; its link is its canonical address, its date a day: ``2026-11-21``."""

    title: str | None = None
    link: str | None = None
    language: str | None = None
    date: str | None = None


def declared(html: bytes) -> Declared:
    """Return what a page, as UTF-8, declares."""
    title = link = language = published = None
    dates: dict[str, str] = {}
    for name, attributes, content in _elements(html[:_HEAD].decode("utf-8", "replace")):
        if name == "title":
            title = title or content
        elif name == "html":
            language = language or attributes.get("lang") or attributes.get("xml:lang")
        elif name == "link" and "canonical" in attributes.get("rel", "").lower().split():
            link = link or attributes.get("href")
        elif name == "meta":
            keys = (attributes.get(key, "").lower() for key in ("property", "name", "itemprop"))
            dates |= {key: attributes.get("content", "") for key in keys if key in _DATES}
        elif name == "script":
            match = _PUBLISHED.search(content)
            published = published or (match and match[1])
    written = [*(dates[name] for name in _DATES if name in dates), published or ""]
    return Declared(
        " ".join(unescape(title or "").split()) or None,
        link if link and link.lower().startswith(("http://", "https://")) else None,
        language.strip() if language and _LANGUAGE.fullmatch(language.strip()) else None,
        next(filter(None, map(_day, written)), None),
    )


def _elements(html: str) -> Iterator[tuple[str, dict[str, str], str]]:
    """Yield the elements of a head: name, attributes, and content that is not HTML."""
    at = 0
    while match := _TAG.search(html, at):
        at = match.end()
        if match["comment"]:
            at = html.find("-->", at)
            if at < 0:
                return
            continue
        name = match["name"].lower()
        if name == "body":
            return
        end = html.find("</", at) if name in _RAW else at
        while name in _RAW and end >= 0 and html[end + 2 : end + 2 + len(name)].lower() != name:
            end = html.find("</", end + 2)
        if end < 0:
            return
        yield name, _attributes(match["attributes"]), html[at:end]
        at = end


def _attributes(tag: str) -> dict[str, str]:
    """Return the attributes of a tag; of equal ones, the first counts."""
    attributes: dict[str, str] = {}
    for name, *values in _ATTRIBUTE.findall(tag):
        attributes.setdefault(name.lower(), unescape("".join(values)).strip())
    return attributes


def _day(written: str) -> str | None:
    """Return the day at the beginning of a date."""
    day = written.strip()[:10]
    try:
        return datetime.date.fromisoformat(day).isoformat() if _DAY.fullmatch(day) else None
    except ValueError:
        return None
