"""Pages in HTML: what they declare in their head, and their main text (``--extract``).

Of what a page declares, nothing is guessed: whatever is missing, or makes no sense, is None. Only
its first part is examined, in one pass, so no page takes long.

The main text is without navigation and templates. Every extractor fails on some page: it hangs,
uses all memory, crashes, or returns nothing. So it runs in child processes; and a large page with
almost no text is a failure, not an empty document.

Source: the names of HTML (title, ``rel=canonical``, ``lang``), of Open Graph, of Dublin Core and of
schema.org for the date.
"""

from __future__ import annotations

import datetime
import re
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from html import unescape
from importlib.util import find_spec
from typing import NamedTuple

import pyarrow as pa

from ilk import arrow
from ilk.base.errors import MissingExtra
from ilk.base.running import Running
from ilk.fingerprints.digest import bytes_digests
from ilk.read.children import FAILED, PROGRAM, Child, Pool, working
from ilk.read.files.content import Unreadable
from ilk.read.reading import Reading
from ilk.read.report import ReadReport

#: The package for each way of extraction except ``none``.
_PACKAGES = {"all": "resiliparse", "fast": "resiliparse", "quality": "trafilatura"}

_HTML = (".htm", ".html", ".xhtml")

#: The deepest nesting of tags: the time of some extractors grows with the square of the depth (2 s
#: at 8,000), and others return nothing.
_DEEPEST = 5_000

#: A page of at least these bytes is not trusted with less than these characters of text.
_LARGE, _LITTLE = 10_000, 20

_TAG = re.compile(rb"<(/?)([A-Za-z][A-Za-z0-9]*)")

#: Elements without content, or that end where the next one begins.
_FLAT = frozenset(
    b"area base br col embed hr img input link meta param source track wbr "
    b"body colgroup dd dt head html li option optgroup p rp rt tbody td tfoot th thead tr".split()
)

#: A text in rows that is a page: it begins with a tag, a comment or a declaration.
_BEGINS = re.compile(r"[\s\ufeff]*<(?:[A-Za-z][A-Za-z0-9-]*[\s/>]|!--|!doctype\b|\?xml\b)", re.I)


class Pages:
    """An extractor of text from pages: one child process for every thread that uses it."""

    def __init__(
        self,
        extract: str,
        timeout: float,
        start: Callable[[str], Child] = lambda extract: Child(str(PROGRAM), ["pages", extract]),
    ) -> None:
        """Start nothing yet; MissingExtra if the package is not installed.

        ``extract`` is one of ``ilk.base.options.EXTRACTS``, ``timeout`` the seconds for a page, and
        ``start`` starts a child for it.
        """
        package = _PACKAGES.get(extract)
        if package is not None and find_spec(package) is None:
            raise MissingExtra(package, "pages")
        self._extract = extract
        self.pool = Pool(lambda: start(extract), timeout, "the extraction of its text")

    def reads(self, kind: str) -> bool:
        """Return whether text is extracted from files with this extension."""
        return self._extract != "none" and is_page(kind)

    def text(self, html: bytes) -> bytes:
        """Return the text of a page, both as UTF-8; Unreadable with the reason if that fails."""
        if is_deeper(html, _DEEPEST):
            raise Unreadable(
                f"its tags are nested more than {_DEEPEST:,} deep, at which extractors fail; look "
                "at the page, or read it without extraction"
            )
        ((kind, answer),) = self.pool.answers(html)
        if kind == FAILED:
            raise Unreadable(f"the extraction of its text failed: {answer.decode()}")
        count = len(answer.decode().strip())
        if len(html) >= _LARGE and count < _LITTLE:
            raise Unreadable(
                f"suspicious extraction: {len(html):,} bytes of HTML gave {count} characters of "
                "text; look at the page, or read it without extraction"
            )
        return answer


def is_page(kind: str) -> bool:
    """Return whether files with this extension are HTML."""
    return kind in _HTML


def is_deeper(html: bytes, most: int) -> bool:
    """Return whether tags of a page are nested more than ``most`` deep, without a parser."""
    if html.count(b"<") - html.count(b"</") <= most:
        return False  # Not even that many are opened.
    depth = 0
    for tag in _TAG.finditer(html):
        if tag[2].lower() not in _FLAT:
            depth = max(depth - 1, 0) if tag[1] else depth + 1
            if depth > most:
                return True
    return False


@contextmanager
def extracting(pages: Pages, jobs: int) -> Iterator[ThreadPoolExecutor | None]:
    """Start threads that extract text from pages; None if ``pages`` reads none.

    At the end, or if it is abandoned, no child and no thread is left.
    """
    if not pages.reads(".html"):
        yield None
        return
    with working(jobs, pages.pool) as threads:
        yield threads


def read_pages(
    batches: Iterable[pa.RecordBatch], reading: Reading, running: Running, tally: ReadReport
) -> Iterator[pa.RecordBatch]:
    """Yield documents of rows; pages with their extracted text, and what they declare.

    The digest of their bytes stays that of the page. A page without text keeps its row, without a
    text; the tally has the reason.
    """
    pages = Pages(reading.extract, reading.convert_timeout)
    with extracting(pages, running.jobs) as threads:
        for batch in batches:
            if threads is None:
                yield batch
                continue
            texts = batch["text"].to_pylist()
            begun = {
                at: threads.submit(pages.text, text.encode())
                for at, text in enumerate(texts)
                if text is not None and _BEGINS.match(text)
            }
            said: list[dict[str, str | None] | None] = [None] * len(texts)
            for at, text in begun.items():
                html = (texts[at] or "").encode()
                try:
                    texts[at], said[at] = text.result().decode(), declared(html)._asdict()
                except Unreadable as error:
                    texts[at] = None
                    tally.fail(batch["source"][at].as_py(), str(error))
            if begun:
                columns = {name: batch[name] for name in batch.schema.names} | {
                    "text": pa.array(texts, pa.large_string()),
                    "bytes_digest": bytes_digests(arrow.texts(batch["text"])),
                    "declared": pa.array(said, arrow.DECLARED),
                }
                batch = pa.RecordBatch.from_pydict(columns, schema=batch.schema)
            yield batch


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
    for name, attributes, content in _elements(html[:_START].decode("utf-8", "replace")):
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
        yield name, attributes, html[at:end]
        at = end


def _day(written: str) -> str | None:
    """Return the day at the beginning of a date."""
    day = written.strip()[:10]
    with suppress(ValueError):
        return datetime.date.fromisoformat(day).isoformat() if _DAY.fullmatch(day) else None
    return None
