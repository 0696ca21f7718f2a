"""Documents of any format, read in child processes that isolate hostile ones."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import AbstractContextManager
from dataclasses import asdict
from pathlib import Path
from typing import Any

from ilk.base.parsed import parsed
from ilk.read.children import DONE, FAILED, Child, Pool
from ilk.read.files.content import Unreadable
from ilk.read.formats import work
from ilk.read.formats.cached import Cache
from ilk.read.formats.limits import Limits
from ilk.read.formats.parts import Made, Member, Unread
from ilk.read.formats.table import Format

#: The program that reads documents.
PROGRAM = Path(__file__).with_name("work.py")


class Formats:
    """A reader of documents: one child process for every thread that uses it at the same time."""

    def __init__(
        self, limits: Limits, timeout: float, cache: Cache | None = None, **said: Any
    ) -> None:
        """Start nothing yet.

        Args:
            limits: what reading a document may use.
            timeout: the time limit for a part of it, in seconds.
            said: the options of reading that some formats use.
            cache: the cache of extracted texts; None for no cache.
        """
        self._cache = cache
        arguments = [json.dumps(asdict(limits))]
        self.limits, self._said = limits, said
        self._pool = Pool(lambda: Child(str(PROGRAM), arguments), timeout, "reading it")

    def parts(
        self, form: Format, data: bytes = b"", path: str | None = None, *, follow: bool = False
    ) -> Iterator[Made | Member | Unread]:
        """Yield the parts of a document: of its bytes, or of the file at a path.

        Unreadable has the reason why there are no more.
        """
        said = {name: self._said[name] for name in form.takes if name in self._said}
        if self._cache is None or form.many:
            yield from self._asked(form, said, data, path, follow)
            return
        key = self._cache.key(form, data, said)
        found = self._cache.get(key)
        if found is not None and len(found.utf8) <= self.limits.text:
            yield found
            return
        alone: list[Made | Member | Unread] = []
        for part in self._asked(form, said, data, path, follow):
            alone.append(part._replace(data=b"") if isinstance(part, Member) else part)
            yield part
        if len(alone) == 1 and isinstance(alone[0], Made):
            self._cache.put(key, alone[0])

    def _asked(
        self, form: Format, said: dict[str, Any], data: bytes, path: str | None, follow: bool
    ) -> Iterator[Made | Member | Unread]:
        """Yield the parts from a child."""
        asked: dict[str, Any] = {"module": form.module, "title": form.title, "options": said}
        asked |= {"path": path, "follow": follow}
        for kind, answer in self._pool.answers(json.dumps(asked).encode() + b"\n" + data):
            if kind == FAILED:
                raise Unreadable(answer.decode())
            if kind not in (DONE, work.WORKING):
                yield _part(kind, answer)

    def closed(self) -> AbstractContextManager[None]:
        """End the children, and start no others until this ends."""
        return self._pool.closed()


def _part(kind: int, answer: bytes) -> Made | Member | Unread:
    line, _, content = answer.partition(b"\n")
    said = parsed(line)
    if kind == work.TEXT:
        return Made(content, **{name: _tuple(value) for name, value in said.items()})
    return Member(data=content, **said) if kind == work.MEMBER else Unread(**said)


def _tuple(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value
