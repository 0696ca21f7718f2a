"""The main text of pages in HTML, without navigation and templates: ``--extract``.

Every extractor fails on some page: it hangs, uses all memory, crashes, or returns nothing. So it
runs in child processes (``pagework``), which are killed when they take too long and replaced when
they are gone; and a large page with almost no text is a failure, not an empty document.
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

from ilk.base.errors import MissingExtra
from ilk.read.children import FAILED, Child, Pool
from ilk.read.files.content import Unreadable

#: The package for each way of extraction except ``none``.
_PACKAGES = {"all": "resiliparse", "fast": "resiliparse", "quality": "trafilatura"}

T = TypeVar("T")
Given = TypeVar("Given", covariant=True)

_HTML = (".htm", ".html", ".xhtml")

#: The program that extracts text from pages.
PROGRAM = Path(__file__).with_name("pagework.py")

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


def _child(extract: str) -> Child:
    return Child(str(PROGRAM), [extract])


class Pages:
    """An extractor of text from pages: one child process for every thread that uses it at the same
    time.
    """

    def __init__(
        self, extract: str, timeout: float, start: Callable[[str], Child] = _child
    ) -> None:
        """Start nothing yet; MissingExtra if the package is not installed.

        Args:
            extract: how, as ``options.table.EXTRACTS`` explains.
            timeout: the time limit for a page, in seconds.
            start: a function that starts a child for it.
        """
        package = _PACKAGES.get(extract)
        if package is not None and find_spec(package) is None:
            raise MissingExtra(package, "pages")
        self._extract = extract
        self._pool = Pool(lambda: start(extract), timeout, "the extraction of its text")

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
        """End the children; threads waiting for one get no answer. The next page starts a new
        one.
        """
        self._pool.close()

    def closed(self) -> AbstractContextManager[None]:
        """End the children, and start no others until this ends."""
        return self._pool.closed()


class Closable(Protocol):
    """Something with child processes."""

    def closed(self) -> AbstractContextManager[None]:
        """End the children, and start no others until this ends."""


@contextmanager
def extracting(pages: Pages, jobs: int) -> Iterator[ThreadPoolExecutor | None]:
    """Start threads that extract text from pages; None if ``pages`` reads none.

    At the end, or if it is abandoned, no child and no thread is left.
    """
    if not pages.reads(".html"):
        yield None
        return
    with working(jobs, pages) as threads:
        yield threads


@contextmanager
def working(jobs: int, *closables: Closable) -> Iterator[ThreadPoolExecutor]:
    """Start threads that use children; at the end, or if it is abandoned, neither is left."""
    threads = ThreadPoolExecutor(jobs)
    try:
        yield threads
    finally:
        with ExitStack() as stack:
            for one in closables:  # Otherwise a thread that just began would wait for an answer.
                stack.enter_context(one.closed())
            threads.shutdown(cancel_futures=True)


class Begun(Protocol[Given]):
    """Work that was started, here or in a thread."""

    def done(self) -> bool:
        """Return whether it has ended."""

    def result(self) -> Given:
        """Return its result, or raise its error, once it has ended."""


class _Ended(Generic[T]):
    """Finished work. A future for it would take longer than most files."""

    __slots__ = ("_error", "_given")

    def __init__(self, work: Callable[..., T], args: tuple[object, ...]) -> None:
        self._error: Exception | None = None
        try:
            self._given = work(*args)
        except Exception as error:  # ``result`` raises it.
            self._error = error

    def done(self) -> bool:
        return True

    def result(self) -> T:
        if self._error is not None:
            raise self._error
        return self._given


def begin(threads: ThreadPoolExecutor | None, work: Callable[..., T], *args: object) -> Begun[T]:
    """Start work in a thread; without threads, do it now."""
    return _Ended(work, args) if threads is None else threads.submit(work, *args)


def ahead(begun: Iterable[T], count: int) -> Iterator[T]:
    """Yield the same in order, with ``count`` more started before one is yielded."""
    waiting: deque[T] = deque()
    for work in begun:
        waiting.append(work)
        if len(waiting) > count:
            yield waiting.popleft()
    yield from waiting


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
