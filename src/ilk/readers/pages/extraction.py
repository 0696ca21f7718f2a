"""The main text of pages in HTML, without navigation and templates: ``--extract``.

Every extractor fails on some page: it takes for ever, takes all memory, crashes, or gives nothing.
So it runs in child processes (``pagework``), which are killed when they take too long and replaced
when they are gone; and a large page with next to no text is a failure, not an empty document.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import TypeVar

from ilk.errors import MissingExtra, OptionError
from ilk.readers.files.content import Unreadable
from ilk.readers.pages.children import Child
from ilk.readers.pages.nesting import is_deeper

#: How text is made of a page: the package that does it ("" for none), and what it gives.
EXTRACTS = {
    "none": ("", "the page as it is, with its tags"),
    "all": ("resiliparse", "all text without tags"),
    "fast": ("resiliparse", "the main text"),
    "quality": ("trafilatura", "the main text with fewer mistakes, at a fifth of the speed"),
}

#: Work that was begun.
T = TypeVar("T")

_HTML = (".htm", ".html", ".xhtml")
_CHILD = Path(__file__).with_name("pagework.py")

#: Tags that may be open at once: the time of some extractors grows with the square of the depth
#: (2 s at 8,000), and others give nothing.
_DEEPEST = 5_000

#: A page of so many bytes that gives fewer characters than this is not to be trusted.
_LARGE, _LITTLE = 10_000, 20


class Pages:
    """Makes text of pages, in one child process for every thread that asks at a time."""

    def __init__(self, extract: str, timeout: float) -> None:
        """Start nothing yet.

        Args:
            extract: a name of ``EXTRACTS``.
            timeout: seconds that a page may take.

        Raises:
            OptionError: there is no such way.
            MissingExtra: its package is not installed.
        """
        if extract not in EXTRACTS:
            raise OptionError(f"extract is {extract!r}; it must be one of {', '.join(EXTRACTS)}.")
        package = EXTRACTS[extract][0]
        if package and find_spec(package) is None:
            raise MissingExtra(package, "pages")
        self._extract, self._timeout = extract, timeout
        self._lock = threading.Lock()
        self._idle: list[Child] = []
        self._busy: set[Child] = set()

    def reads(self, kind: str) -> bool:
        """Whether a file of this extension is a page of which text is made."""
        return self._extract != "none" and is_page(kind)

    def text(self, html: bytes) -> bytes:
        """The text of a page, both as UTF-8; Unreadable with the reason if there is none."""
        if is_deeper(html, _DEEPEST):
            raise Unreadable(
                f"more than {_DEEPEST:,} of its tags are open at once, at which extractors fail; "
                "look at the page, or read it with --extract none"
            )
        good, found = self._asked(html)
        if not good:
            raise Unreadable(f"the extraction of its text failed: {found.decode()}")
        count = len(found.decode().strip())
        if len(html) >= _LARGE and count < _LITTLE:
            raise Unreadable(
                f"suspicious extraction: {len(html):,} bytes of HTML gave {count} characters of "
                "text; look at the page, or read it with --extract none"
            )
        return found

    def close(self) -> None:
        """End the children; a thread that asks one gets no answer. Another page starts another."""
        with self._lock:
            for child in self._busy:
                child.kill()  # Its thread ends it.
            while self._idle:
                self._idle.pop().end()

    def _asked(self, html: bytes) -> tuple[bool, bytes]:
        """What a child answers."""
        child = self._taken()
        answered = False
        try:
            answer = child.ask(html, self._timeout)
            answered = True
        except (EOFError, BrokenPipeError):
            raise Unreadable("the extraction of its text crashed") from None
        except TimeoutError:
            raise Unreadable(
                f"the extraction of its text had no end after {self._timeout:g} s"
            ) from None
        finally:
            # Without an answer it is gone, or in the midst of an answer to nobody.
            self._given_back(child, whole=answered)
        return answer

    def _taken(self) -> Child:
        """A child that nobody else asks."""
        with self._lock:
            child = self._idle.pop() if self._idle else Child(str(_CHILD), [self._extract])
            self._busy.add(child)
            return child

    def _given_back(self, child: Child, *, whole: bool) -> None:
        with self._lock:
            self._busy.discard(child)
            if whole:
                self._idle.append(child)
                return
        child.end()


@contextmanager
def extracting(pages: Pages, jobs: int) -> Iterator[ThreadPoolExecutor | None]:
    """Threads in which text is made of pages; None if it is made of none.

    At the end, or when it is given up, no child and no thread is left.
    """
    if not pages.reads(".html"):
        yield None
        return
    threads = ThreadPoolExecutor(jobs)
    try:
        yield threads
    finally:
        threads.shutdown(wait=False, cancel_futures=True)
        pages.close()
        threads.shutdown()
        pages.close()  # A thread may just have begun a page.


def ahead(begun: Iterable[T], count: int) -> Iterator[T]:
    """The same in their order; so many more are begun before one is asked for."""
    waiting: deque[T] = deque()
    for one in begun:
        waiting.append(one)
        if len(waiting) > count:
            yield waiting.popleft()
    yield from waiting


def is_page(kind: str) -> bool:
    """Whether files of this extension are in HTML."""
    return kind in _HTML
