"""Pages in HTML: their main text, and what they declare in their head.

The main text is without navigation and templates. Every extractor fails on some page: it hangs,
uses all memory, crashes, or returns nothing. So ilk calls it in a child process; and a large page
with almost no text is a failure, not an empty document.

The head of a page is taken at its word: what is missing, or makes no sense, is None. Only the first
part of the page is examined, in one pass, so no page takes long.

Source: the names of HTML (title, ``rel=canonical``, ``lang``), of Open Graph, of Dublin Core and of
schema.org for the date.
"""

from __future__ import annotations

import datetime
import re
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import cache, partial
from html import unescape
from importlib import import_module
from typing import Any, BinaryIO, NamedTuple, TypeAlias

from ilk import Limits
from ilk.companions import add_embedded_and_typed_to
from ilk.plugins import DocumentPart, DocumentText, Left, Unfit

#: The deepest nesting of tags: the time of some extractors grows with the square of the depth (2 s
#: at 8,000), and others return nothing.
_DEEPEST = 5_000

#: Words in the class or the id of an advertisement; "header" and "shadow" have none.
_ADVERTISEMENTS = frozenset(("ad", "ads", "advert", "banner", "promo", "sponsored"))
_WORD = re.compile(r"[a-z0-9]+")
_NAMED = re.compile(
    r"\s(class|id)\s*=\s*(?:\"([\w \t-]{1,200})\"|'([\w \t-]{1,200})'|([\w-]{1,200}))",
    re.IGNORECASE,
)
_ARTICLE = re.compile(r"<article[\s>]", re.IGNORECASE)

#: A page of at least these bytes is not trusted with less than these characters of text.
_LARGE, _LITTLE = 10_000, 20

_TAG = re.compile(rb"<(/?)([A-Za-z][A-Za-z0-9]*)")

#: Elements without content, or that end where the next one begins.
_FLAT = frozenset(
    b"area base br col embed hr img input link meta param source track wbr "
    b"body colgroup dd dt head html li option optgroup p rp rt tbody td tfoot th thead tr".split()
)


#: Returns the text of a page.
Extractor: TypeAlias = Callable[[str], str | None]


def read_page(file: BinaryIO, _: Limits, *, extract: str) -> Iterator[DocumentPart]:
    """Yield the text of a page in UTF-8, and what it declares."""
    yield from read_page_with(file.read(), partial(_load_extractor, extract))


def read_page_with(html: bytes, load_extractor: Callable[[], Extractor]) -> Iterator[DocumentPart]:
    """Yield the text of a page in UTF-8, as an extractor finds it, and what the page declares.

    Raises:
        Unfit: it is nested too deep, the extractor fails, or a large page has almost no text.
    """
    if is_nested_deeper(html, _DEEPEST):
        raise Unfit(
            f"its tags are nested more than {_DEEPEST:,} deep, at which extractors fail; look at "
            "the page, or read it without extraction"
        )
    try:
        page = html.decode("utf-8", "replace")
        text = load_extractor()(page) or ""
    except MemoryError:
        raise
    except Exception as error:  # Every extractor has its own errors.
        reason = f"{type(error).__name__}: {error}"
        raise Unfit(f"the extraction of its text failed: {reason}") from error
    count = len(text.strip())
    if len(html) >= _LARGE and count < _LITTLE:
        raise Unfit(
            f"suspicious extraction: {len(html):,} bytes of HTML gave {count} characters of text; "
            "look at the page, or read it without extraction"
        )
    left = Left()
    add_embedded_and_typed_to(left, page, text_areas=True)
    yield DocumentText(text, parse_declarations(html)._asdict(), left=left)


@cache
def _load_extractor(extract: str) -> Extractor:
    """Return the extractor of text from pages."""
    if extract == "quality":
        quality = import_module("trafilatura").extract
        return lambda html: quality(html, fast=True, include_comments=False)
    plain = import_module("resiliparse.extract.html2text").extract_plain_text
    if extract == "all":
        return lambda html: plain(html)
    parse = import_module("resiliparse.parse.html").HTMLTree.parse
    return lambda html: plain(
        _html_of_main_element_or_page(html, parse(html)),
        main_content=True,
        skip_elements=_advertisement_selectors(html),
    )


def _html_of_main_element_or_page(html: str, parsed_page: Any) -> str:
    """Return the HTML of the element that holds the main text, or else of the page."""
    body = parsed_page.body
    main = body and (body.query_selector("main") or body.query_selector("[role~=main]"))
    if body and not main and len(_ARTICLE.findall(html)) == 1:
        main = body.query_selector("article")
    return str(main.html) if main and main.text.strip() else html


def _advertisement_selectors(html: str) -> list[str]:
    """Return selectors of the elements that a word of their class or id calls advertisements."""
    values = {value for _, quoted, *bare in _NAMED.findall(html) for value in (quoted, *bare)}
    return [
        f':not(body, main, article)[{name}="{value}"]'
        for value in sorted(values)
        if not _ADVERTISEMENTS.isdisjoint(_WORD.findall(value.lower()))
        for name in ("class", "id")
    ]


def is_nested_deeper(html: bytes, max_depth: int) -> bool:
    """Return whether tags of a page are nested more than ``max_depth`` deep, without a parser."""
    if html.count(b"<") - html.count(b"</") <= max_depth:
        return False  # Not even that many are opened.
    depth = 0
    for tag in _TAG.finditer(html):
        if tag[2].lower() not in _FLAT:
            depth = max(depth - 1, 0) if tag[1] else depth + 1
            if depth > max_depth:
                return True
    return False


#: Bytes at the start of a page to examine.
_START = 1 << 18

_ELEMENT = re.compile(
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


class PageDeclarations(NamedTuple):
    """What a page declares; its link is its canonical address, its date a day: ``2026-11-21``."""

    title: str | None = None
    link: str | None = None
    language: str | None = None
    date: str | None = None


class _HeadElement(NamedTuple):
    """An element of the head of a page; its content is "" unless it is not HTML."""

    name: str
    attributes: dict[str, str]
    content: str


def parse_declarations(html: bytes) -> PageDeclarations:
    """Return what a page, as UTF-8, declares in its head."""
    title = link = language = date = None
    dates: dict[str, str] = {}
    for name, attributes, content in _head_elements(html[:_START].decode("utf-8", "replace")):
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
            date = date or (match and match[1])
    written = [*(dates[name] for name in _DATES if name in dates), date or ""]
    return PageDeclarations(
        " ".join(unescape(title or "").split()) or None,
        link if link and link.lower().startswith(("http://", "https://")) else None,
        language.strip() if language and _LANGUAGE.fullmatch(language.strip()) else None,
        next(filter(None, map(_parse_day_or_none, written)), None),
    )


def _head_elements(html: str) -> Iterator[_HeadElement]:
    """Yield the elements of a head that may declare something, in order."""
    at = 0
    while match := _ELEMENT.search(html, at):
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
        attributes: dict[str, str] = {}  # Of equal ones, the first counts.
        for key, *values in _ATTRIBUTE.findall(match["attributes"]):
            attributes.setdefault(key.lower(), unescape("".join(values)).strip())
        yield _HeadElement(name, attributes, html[at:end])
        at = end


def _parse_day_or_none(date: str) -> str | None:
    """Return the day at the beginning of a date; None if it does not begin with a valid one."""
    day = date.strip()[:10]
    with suppress(ValueError):
        return datetime.date.fromisoformat(day).isoformat() if _DAY.fullmatch(day) else None
    return None
