"""The main text of pages in HTML, without navigation and templates: ``--extract``.

Every extractor fails on some page: it takes for ever, takes all memory, crashes, or gives nothing.
So it runs in a child process (``pagework``), which is killed when it takes too long and replaced
when it is gone; and a large page with next to no text is a failure, not an empty document.
"""

from __future__ import annotations

import os
import select
import signal
import subprocess
import sys
import time
from importlib.util import find_spec
from pathlib import Path

from ilk.errors import MissingExtra, OptionError
from ilk.readers.files import Unreadable

#: How text is made of a page: the package that does it ("" for none), and what it gives.
EXTRACTS = {
    "none": ("", "the page as it is, with its tags"),
    "all": ("resiliparse", "all text without tags"),
    "fast": ("resiliparse", "the main text"),
    "quality": ("trafilatura", "the main text with fewer mistakes, at a fifth of the speed"),
}

_HTML = (".htm", ".html", ".xhtml")
_CHILD = Path(__file__).with_name("pagework.py")

#: A page of so many bytes that gives fewer characters than this is not to be trusted.
_LARGE, _LITTLE = 10_000, 20

_HEAD = 9  # A byte that says whether it went well, and eight of the length of what follows.


class Pages:
    """Makes text of pages, in a child process that starts with the first of them."""

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
        self._child: subprocess.Popen[bytes] | None = None

    def reads(self, kind: str) -> bool:
        """Whether a file of this extension is a page of which text is made."""
        return self._extract != "none" and kind in _HTML

    def text(self, html: bytes) -> bytes:
        """The text of a page, both as UTF-8; Unreadable with the reason if there is none."""
        try:
            good, found = self._asked(html)
        except (EOFError, BrokenPipeError):
            self.close()
            raise Unreadable("the extraction of its text crashed") from None
        except TimeoutError:
            self.close()
            raise Unreadable(
                f"the extraction of its text had no end after {self._timeout:g} s"
            ) from None
        except BaseException:
            self.close()  # It may be in the midst of an answer to nobody.
            raise
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
        """End the child."""
        if self._child is not None:
            os.killpg(self._child.pid, signal.SIGKILL)
            self._child.communicate()
            self._child = None

    def _asked(self, html: bytes) -> tuple[bool, bytes]:
        if self._child is None:
            self._child = subprocess.Popen(
                # Without -P the rooms beside it would be modules of the child's libraries.
                [sys.executable, "-P", str(_CHILD), self._extract],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                start_new_session=True,
            )
        page, answer = self._child.stdin, self._child.stdout
        assert page is not None, "the child was started with pipes"
        assert answer is not None, "the child was started with pipes"
        page.write(len(html).to_bytes(8, "big") + html)
        page.flush()
        deadline = time.monotonic() + self._timeout
        head = _read(answer.fileno(), _HEAD, deadline)
        return head[0] == 0, _read(answer.fileno(), int.from_bytes(head[1:], "big"), deadline)


def _read(descriptor: int, size: int, deadline: float) -> bytes:
    """So many bytes of a pipe; TimeoutError or EOFError if they do not come."""
    found = bytearray()
    while len(found) < size:
        left = max(deadline - time.monotonic(), 0)
        if not select.select([descriptor], [], [], left)[0]:
            raise TimeoutError
        read = os.read(descriptor, size - len(found))
        if not read:
            raise EOFError
        found += read
    return bytes(found)
