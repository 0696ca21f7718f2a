"""The child process of ``pages``: HTML in, text out, one page after another.

It is run as a program of its own, with next to nothing of ilk. A page comes as eight bytes that
hold its length, and then its UTF-8; the answer is a byte (0: it went well), eight bytes that hold
the length, and the text or what went wrong.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path

#: Bytes that the child may take; a page that needs more fails.
MEMORY = 4 << 30


def extractor(extract: str) -> Callable[[str], str | None]:
    """Return what makes text of a page."""
    if extract == "quality":
        quality = import_module("trafilatura").extract
        return lambda html: quality(html, fast=True, include_comments=False)
    plain = import_module("resiliparse.extract.html2text").extract_plain_text
    return lambda html: plain(html, main_content=extract == "fast")


def answer(extract: Callable[[str], str | None], html: bytes) -> bytes:
    """Return the answer to one page."""
    try:
        status, text = 0, extract(html.decode("utf-8", "replace")) or ""
    except Exception as error:  # Every extractor has errors of its own.
        status, text = 1, f"{type(error).__name__}: {error}"
    content = text.encode("utf-8", "replace")
    return bytes([status]) + len(content).to_bytes(8, "big") + content


def main(loaded: Callable[[], Callable[[str], str | None]], memory: int = MEMORY) -> None:
    """Answer until nothing more is asked; ``loaded`` loads what makes text of a page."""
    if (root := str(Path(__file__).parents[3])) not in sys.path:
        sys.path.append(root)
    from ilk.system.portable import limit_memory

    limit_memory(memory)
    # What a library prints must not be taken for an answer.
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    extract = loaded()
    while head := sys.stdin.buffer.read(8):
        html = sys.stdin.buffer.read(int.from_bytes(head, "big"))
        answers.write(answer(extract, html))
        answers.flush()


if __name__ == "__main__":
    main(lambda: extractor(sys.argv[1]))
