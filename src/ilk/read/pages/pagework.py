"""The child process of ``pages``: HTML in, text out, one page after another.

It runs as a separate program, with almost nothing of ilk. A page is sent as eight bytes with its
length, and then its UTF-8; the answer is a byte (0 for success), eight bytes with the length, and
the text or the error.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path

#: Bytes of memory for the child; a page that needs more fails.
MEMORY = 4 << 30


def extractor(extract: str) -> Callable[[str], str | None]:
    """Return the extractor for pages."""
    if extract == "quality":
        quality = import_module("trafilatura").extract
        return lambda html: quality(html, fast=True, include_comments=False)
    plain = import_module("resiliparse.extract.html2text").extract_plain_text
    return lambda html: plain(html, main_content=extract == "fast")


def answer(extract: Callable[[str], str | None], html: bytes) -> bytes:
    """Return the answer to one page."""
    try:
        status, text = 0, extract(html.decode("utf-8", "replace")) or ""
    except Exception as error:  # Every extractor has its own errors.
        status, text = 1, f"{type(error).__name__}: {error}"
    content = text.encode("utf-8", "replace")
    return bytes([status]) + len(content).to_bytes(8, "big") + content


def main(loaded: Callable[[], Callable[[str], str | None]], memory: int = MEMORY) -> None:
    """Answer questions until there are no more; ``loaded`` loads the extractor."""
    if (root := str(Path(__file__).parents[3])) not in sys.path:
        sys.path.append(root)
    from ilk.base.portable import limit_memory

    limit_memory(memory)
    # Output of a library must not be mistaken for an answer.
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    extract = loaded()
    while head := sys.stdin.buffer.read(8):
        html = sys.stdin.buffer.read(int.from_bytes(head, "big"))
        answers.write(answer(extract, html))
        answers.flush()


if __name__ == "__main__":
    main(lambda: extractor(sys.argv[1]))
