"""The program of the child processes that read pages and documents (``children``).

The question about a page is its UTF-8. That about a document is a line of JSON (``reader``,
the ``module:name`` of a function, ``title``, ``options``; ``path`` and ``follow`` to read a file),
and its bytes.
"""

from __future__ import annotations

import io
import json
import os
import sys
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

#: Kinds of the last answer, as in ``children``, which a child does not load.
_DONE, _FAILED = 0, 1

#: Bytes of memory for a child that extracts text from pages; a page that needs more fails.
_PAGE_MEMORY = 4 << 30


def serve(answers: Callable[[bytes], Iterable[tuple[int, bytes]]], memory: int) -> None:
    """Answer questions until there are no more, with a limit of memory in bytes."""
    from ilk.base.portable import limit_memory

    limit_memory(memory)
    # Output of a library must not be mistaken for an answer.
    out = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    while head := sys.stdin.buffer.read(8):
        question = sys.stdin.buffer.read(int.from_bytes(head, "big"))
        for kind, content in answers(question):
            out.write(bytes([kind]) + len(content).to_bytes(8, "big"))
            out.write(content)
            out.flush()


@cache
def extractor(extract: str) -> Callable[[str], str | None]:
    """Return the extractor of text from pages."""
    if extract == "quality":
        quality = import_module("trafilatura").extract
        return lambda html: quality(html, fast=True, include_comments=False)
    plain = import_module("resiliparse.extract.html2text").extract_plain_text
    return lambda html: plain(html, main_content=extract == "fast")


def of_page(html: bytes, extract: Callable[[str], str | None]) -> Iterator[tuple[int, bytes]]:
    """Yield the answer to one page."""
    try:
        kind, text = _DONE, extract(html.decode("utf-8", "replace")) or ""
    except Exception as error:  # Every extractor has its own errors.
        kind, text = _FAILED, f"{type(error).__name__}: {error}"
    yield kind, text.encode("utf-8", "replace")


def of_document(question: bytes, limits: Any) -> Iterator[tuple[int, bytes]]:
    """Yield the answers to one document: its parts."""
    from ilk.read.files.content import opened
    from ilk.read.formats.parts import Unfit, encoded

    line, _, data = question.partition(b"\n")
    asked = json.loads(line)
    try:
        module, _, name = asked["reader"].partition(":")
        read = getattr(import_module(module), name)
        path, follow = asked["path"], asked["follow"]
        with io.BytesIO(data) if path is None else open(opened(path, follow=follow), "rb") as file:
            for part in read(file, limits, **asked["options"]):
                yield encoded(part, limits)
    except Unfit as error:
        yield _FAILED, str(error).encode("utf-8", "replace")
    except MemoryError:
        os._exit(1)  # Its other memory is used up too, so another process takes its place.
    except Exception as error:  # Every library has its own errors.
        said = " ".join(str(error).split())[:200]
        reason = f"is damaged, or not {asked['title']}: {said or type(error).__name__}"
        yield _FAILED, reason.encode("utf-8", "replace")
    else:
        yield _DONE, b""


def main(what: str, how: str) -> None:
    """Read what the arguments say: pages with an extractor, or documents within limits."""
    if (root := str(Path(__file__).parents[2])) not in sys.path:
        sys.path.append(root)
    if what == "pages":
        serve(lambda html: of_page(html, extractor(how)), _PAGE_MEMORY)
    else:
        from ilk.read.formats.parts import Limits

        limits = Limits(**json.loads(how))
        serve(lambda question: of_document(question, limits), limits.memory)


if __name__ == "__main__":
    main(*sys.argv[1:])
