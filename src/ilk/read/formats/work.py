"""The child process of ``asking``: documents in, their parts out, one document after another.

A question is a line of JSON (``module``, ``title``, ``options``; ``path`` and ``follow`` if the
file is to be read from there) and the bytes of the document. The answers are those of
``ilk.read.children``.
"""

from __future__ import annotations

import io
import json
import os
import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any, BinaryIO

#: Kinds of answers, besides the last one.
TEXT, MEMBER, UNREAD, WORKING = 2, 3, 4, 5

_DONE, _FAILED = 0, 1


def main() -> None:
    """Answer questions until there are no more."""
    if (root := str(Path(__file__).parents[3])) not in sys.path:
        sys.path.append(root)
    from ilk.base.portable import limit_memory
    from ilk.read.formats.limits import Limits

    limits = Limits(**json.loads(sys.argv[1]))
    limit_memory(limits.memory)
    # Output of a library must not be mistaken for an answer.
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    while head := sys.stdin.buffer.read(8):
        question = sys.stdin.buffer.read(int.from_bytes(head, "big"))
        for kind, content in _answers(question, limits):
            answers.write(bytes([kind]) + len(content).to_bytes(8, "big"))
            answers.write(content)
            answers.flush()


def _answers(question: bytes, limits: Any) -> Iterator[tuple[int, bytes]]:
    """Yield the answers to one question."""
    from ilk.read.formats.parts import Unfit

    line, _, data = question.partition(b"\n")
    asked = json.loads(line)
    try:
        module = import_module(f"ilk.read.formats.{asked['module']}")
        with _opened(asked, data) as file:
            for part in module.read(file, limits, **asked["options"]):
                yield _answer(part, limits)
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


def _opened(asked: dict[str, Any], data: bytes) -> BinaryIO:
    if asked["path"] is None:
        return io.BytesIO(data)
    from ilk.read.files.content import opened

    return os.fdopen(opened(asked["path"], follow=asked["follow"]), "rb")


def _answer(part: Any, limits: Any) -> tuple[int, bytes]:
    """Return a part as an answer: a line of JSON, and its bytes."""
    from ilk.read.formats.parts import Member, Text, Unfit, Working

    if isinstance(part, Text):
        text = part.text.encode("utf-8", "replace")
        if len(text) > limits.text:
            raise Unfit(
                f"has {len(text):,} bytes of text, more than --limit text allows ({limits.text:,})"
            )
        said: dict[str, Any] = {"declared": part.declared, "warnings": part.warnings}
        if part.left is not None:
            said |= {"left": part.left.kinds, "left_digest": part.left.digest}
        return TEXT, json.dumps(said).encode() + b"\n" + text
    if isinstance(part, Member):
        said = {"name": part.name, "format": part.format}
        return MEMBER, json.dumps(said).encode() + b"\n" + part.data
    if isinstance(part, Working):
        return WORKING, b""
    return UNREAD, json.dumps(part._asdict()).encode() + b"\n"


if __name__ == "__main__":
    main()
