"""The main text of pages in HTML, without navigation and templates: ``--extract``.

Every extractor fails on some page: it takes for ever, takes all memory, crashes, or gives nothing.
So it runs in child processes (``pagework``), which are killed when they take too long and replaced
when they are gone; and a large page with next to no text is a failure, not an empty document.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, ExitStack, contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Generic, Protocol, TypeVar

from ilk.errors import MissingExtra
from ilk.readers.children import FAILED, Child, Pool
from ilk.readers.files.content import Unreadable

#: The package that makes text of pages in each way but ``none``.
_PACKAGES = {"all": "resiliparse", "fast": "resiliparse", "quality": "trafilatura"}

T = TypeVar("T")
Given = TypeVar("Given", covariant=True)

_HTML = (".htm", ".html", ".xhtml")

#: The program that makes text of pages.
PROGRAM = Path(__file__).with_name("pagework.py")

#: Tags that may be open at once: the time of some extractors grows with the square of the depth
#: (2 s at 8,000), and others give nothing.
_DEEPEST = 5_000

#: The bytes of a page, and the characters of text below which such a page is not trusted.
_LARGE, _LITTLE = 10_000, 20

_TAG = re.compile(rb"<(/?)([A-Za-z][A-Za-z0-9]*)")

#: Elements that hold nothing, or end by themselves where the next one begins.
_FLAT = frozenset(
    b"area base br col embed hr img input link meta param source track wbr "
    b"body colgroup dd dt head html li option optgroup p rp rt tbody td tfoot th thead tr".split()
)


def _child(extract: str) -> Child:
    return Child(str(PROGRAM), [extract])


class Pages:
    """An extractor of text from pages: one child process for every thread that asks at a time."""

    def __init__(
        self, extract: str, timeout: float, start: Callable[[str], Child] = _child
    ) -> None:
        """Start nothing yet; MissingExtra if the package is not installed.

        Args:
            extract: how, as ``options.table.EXTRACTS`` explains.
            timeout: seconds that a page may take.
            start: starts a child for it.
        """
        package = _PACKAGES.get(extract)
        if package is not None and find_spec(package) is None:
            raise MissingExtra(package, "pages")
        self._extract = extract
        self._pool = Pool(lambda: start(extract), timeout, "the extraction of its text")

    def reads(self, kind: str) -> bool:
        """Return whether text is made of files with this extension."""
        return self._extract != "none" and is_page(kind)

    def text(self, html: bytes) -> bytes:
        """Return the text of a page, both as UTF-8; Unreadable with the reason if none is made."""
        if is_deeper(html, _DEEPEST):
            raise Unreadable(
                f"its tags are nested more than {_DEEPEST:,} deep, at which extractors fail; look "
                "at the page, or read it without extraction"
            )
        ((kind, answer),) = self._pool.answers(html)
        if kind == FAILED:
            raise Unreadable(f"the extraction of its text failed: {answer.decode()}")
        count = len(answer.decode().strip())
        if len(html) >= _LARGE and count < _LITTLE:
            raise Unreadable(
                f"suspicious extraction: {len(html):,} bytes of HTML gave {count} characters of "
                "text; look at the page, or read it without extraction"
            )
        return answer

    def close(self) -> None:
        """End the children; a thread that asks one gets no answer. Another page starts another."""
        self._pool.close()

    def closed(self) -> AbstractContextManager[None]:
        """End the children, and start no other until this ends."""
        return self._pool.closed()


class Closable(Protocol):
    """What has children."""

    def closed(self) -> AbstractContextManager[None]:
        """End the children, and start no other until this ends."""


@contextmanager
def extracting(pages: Pages, jobs: int) -> Iterator[ThreadPoolExecutor | None]:
    """Start threads in which text is made of pages; None if ``pages`` reads none.

    At the end, or when it is given up, no child and no thread is left.
    """
    if not pages.reads(".html"):
        yield None
        return
    with working(jobs, pages) as threads:
        yield threads


@contextmanager
def working(jobs: int, *closables: Closable) -> Iterator[ThreadPoolExecutor]:
    """Start threads that ask children; at the end, or when it is given up, none of both is left."""
    threads = ThreadPoolExecutor(jobs)
    try:
        yield threads
    finally:
        with ExitStack() as stack:
            for one in closables:  # Else a thread that just began would wait for an answer.
                stack.enter_context(one.closed())
            threads.shutdown(cancel_futures=True)


class Begun(Protocol[Given]):
    """Work that was begun, here or in a thread."""

    def done(self) -> bool:
        """Return whether it has ended."""

    def result(self) -> Given:
        """Return what it gave, or raise its error, once it has ended."""


class _Ended(Generic[T]):
    """Work that has ended. A future for it would take longer than most files."""

    __slots__ = ("_error", "_given")

    def __init__(self, work: Callable[..., T], args: tuple[object, ...]) -> None:
        self._error: Exception | None = None
        try:
            self._given = work(*args)
        except Exception as error:  # Whoever asks for the result gets it.
            self._error = error

    def done(self) -> bool:
        return True

    def result(self) -> T:
        if self._error is not None:
            raise self._error
        return self._given


def begin(threads: ThreadPoolExecutor | None, work: Callable[..., T], *args: object) -> Begun[T]:
    """Begin work in a thread; without threads, do it now."""
    return _Ended(work, args) if threads is None else threads.submit(work, *args)


def ahead(begun: Iterable[T], count: int) -> Iterator[T]:
    """Yield the same in their order, with ``count`` more begun before one is yielded."""
    waiting: deque[T] = deque()
    for work in begun:
        waiting.append(work)
        if len(waiting) > count:
            yield waiting.popleft()
    yield from waiting


def is_page(kind: str) -> bool:
    """Return whether files with this extension are in HTML."""
    return kind in _HTML


def is_deeper(html: bytes, most: int) -> bool:
    """Return whether more than ``most`` tags of a page are open at once, without a parser."""
    if html.count(b"<") - html.count(b"</") <= most:
        return False  # Not even opened are more.
    depth = 0
    for tag in _TAG.finditer(html):
        if tag[2].lower() not in _FLAT:
            depth = max(depth - 1, 0) if tag[1] else depth + 1
            if depth > most:
                return True
    return False
