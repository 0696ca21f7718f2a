"""The program of the child processes that read documents (``child_pool``).

The question is a line of JSON (``reader``, the ``module:name`` of a function, ``title``,
``options``; ``path`` and ``follow`` to read a file), and the bytes of a document.
"""

from __future__ import annotations

import io
import json
import os
import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ilk.read.formats.parts import Answer, Limits


def answer_with_parts(question: bytes, limits: Limits) -> Iterator[Answer]:
    """Read one document, and yield its parts; the last answer is ``DONE`` or ``FAILED``."""
    from ilk.read.files.content import open_regular_file
    from ilk.read.formats.parts import (
        DONE,
        FAILED,
        Answer,
        DocumentText,
        Unfit,
        encode_part,
        make_text_part_within_limit,
    )

    line, _, data = question.partition(b"\n")
    request = json.loads(line)
    try:
        module, _, name = request["reader"].partition(":")
        read = getattr(import_module(module), name)
        path, follow = request["path"], request["follow"]
        with (
            io.BytesIO(data)
            if path is None
            else open(open_regular_file(path, follow=follow), "rb") as file
        ):
            for part in read(file, limits, **request["options"]):
                if isinstance(part, DocumentText):
                    part = make_text_part_within_limit(part, limits.text)
                yield encode_part(part)
    except Unfit as error:
        yield Answer(FAILED, str(error).encode("utf-8", "replace"))
    except MemoryError:
        os._exit(1)  # Its other memory is used up too, so another process takes its place.
    except Exception as error:  # Every library has its own errors.
        message = " ".join(str(error).split())[:200]
        reason = f"is damaged, or not {request['title']}: {message or type(error).__name__}"
        yield Answer(FAILED, reason.encode("utf-8", "replace"))
    else:
        yield Answer(DONE, b"")


def answer_questions_from_stdin(limits_as_json: str) -> None:
    """Answer questions on standard output until there are no more, within limits in JSON."""
    if (root := str(Path(__file__).parents[3])) not in sys.path:
        sys.path.append(root)
    from ilk.base.portable import disable_core_dumps_if_possible, limit_own_memory_if_possible
    from ilk.read.formats.parts import Limits

    limits = Limits(**json.loads(limits_as_json))
    limit_own_memory_if_possible(limits.memory)
    disable_core_dumps_if_possible()
    # Output of a library must not be mistaken for an answer.
    out = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    while head := sys.stdin.buffer.read(8):
        for kind, content in answer_with_parts(
            sys.stdin.buffer.read(int.from_bytes(head, "big")), limits
        ):
            out.write(bytes([kind]) + len(content).to_bytes(8, "big"))
            out.write(content)
            out.flush()


if __name__ == "__main__":
    answer_questions_from_stdin(*sys.argv[1:])
