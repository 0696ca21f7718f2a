"""Documents of any format, read in child processes that isolate hostile ones, and kept in a cache.

The key of a text in the cache is the bytes of the document, its format, the options of its reader
and the versions of the software; so cached texts are never out of date. A damaged file of the cache
counts as missing. The folder is tagged as a cache (https://bford.info/cachedir/).
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict
from functools import partial
from hashlib import blake2b
from pathlib import Path
from typing import Any

from ilk.base.errors import OutputError, reason_of_error
from ilk.base.whole import whole_file
from ilk.read.files.content import Unreadable
from ilk.read.files.walk import CACHE_TAG, OWN_CACHE
from ilk.read.formats.child_pool import PROGRAM, Child, Pool
from ilk.read.formats.parts import (
    DONE,
    FAILED,
    MADE,
    Answer,
    Limits,
    MemberPart,
    Received,
    StillWorking,
    TextPart,
    decode_part,
    encode_part,
)
from ilk.read.formats.table import Format

#: Instead of a folder: no cache.
NO_CACHE = "none"

#: Changes whenever a reader extracts different texts than before.
_VERSION = 5


class Cache:
    """A folder of texts, which any number of processes may use at once."""

    def __init__(self, folder: str | os.PathLike[str], *, asked_for: bool = True) -> None:
        """Set up the cache; it is an error if it cannot be written, if it was asked for."""
        self._folder, self._asked_for = Path(folder), asked_for
        self._versions: dict[Format, list[str]] = {}

    def make_key(self, form: Format, data: bytes, options: Mapping[str, Any]) -> str:
        """Return the key of a text."""
        if form not in self._versions:
            self._versions[form] = form.reader_versions()
        settings = json.dumps([_VERSION, form.name, self._versions[form], options], sort_keys=True)
        return blake2b(data, digest_size=20, key=blake2b(settings.encode()).digest()).hexdigest()

    def get_text_if_cached(self, key: str) -> TextPart | None:
        """Return a cached text; None if it is missing or damaged."""
        with suppress(OSError, ValueError):
            digest, _, content = self._path(key).read_bytes().partition(b"\n")
            if blake2b(content).hexdigest().encode() == digest:
                part = decode_part(Answer(MADE, content))
                return part if isinstance(part, TextPart) else None
        return None

    def write_or_raise_if_asked_for(self, key: str, encoded_text: bytes) -> None:
        """Write a text; OutputError if that fails, and the user asked for a cache."""
        path = self._path(key)
        try:
            new = not self._folder.exists()
            path.parent.mkdir(parents=True, exist_ok=True)
            if new:
                with whole_file(self._folder / CACHE_TAG) as out:
                    out.write(OWN_CACHE)
            with whole_file(path) as out:
                out.write(blake2b(encoded_text).hexdigest().encode() + b"\n" + encoded_text)
        except (OSError, OutputError) as error:
            if not self._asked_for:
                return
            if isinstance(error, OutputError):
                raise
            raise OutputError(f"cannot write {path.parent}: {reason_of_error(error)}.") from error

    def _path(self, key: str) -> Path:
        return self._folder / key[:2] / key[2:]


#: Starts a child process that reads documents, with its arguments.
start_child = partial(Child, str(PROGRAM))


class FormatReader:
    """A reader of documents: one child process for every thread that uses it."""

    def __init__(
        self,
        limits: Limits,
        seconds_per_part: float,
        cache: Cache | None = None,
        task: str = "reading it",
        start: Callable[[Sequence[str]], Child] = start_child,
        **options: Any,
    ) -> None:
        """Start nothing yet; ``options`` are those of some formats."""
        self.limits, self._options, self._cache = limits, options, cache
        self.pool = Pool(lambda: start([json.dumps(asdict(limits))]), seconds_per_part, task)

    def read_parts(
        self, form: Format, data: bytes = b"", path: str | None = None, *, follow: bool = False
    ) -> Iterator[Received]:
        """Yield the parts of a document: of its bytes, or of the file at a path; Unreadable has the
        reason why there are no more.
        """
        settings = {name: self._options[name] for name in form.takes if name in self._options}
        asked = {"reader": form.reader_entry_point_if_any, "title": form.title, "options": settings}
        question = json.dumps(asked | {"path": path, "follow": follow}).encode() + b"\n" + data
        if self._cache is None or form.many:
            yield from self._ask_child(question)
            return
        key = self._cache.make_key(form, data, settings)
        cached = self._cache.get_text_if_cached(key)
        if cached is not None and len(cached.data) <= self.limits.text:
            yield cached
            return
        alone: list[Received] = []
        for part in self._ask_child(question):
            alone.append(part._replace(data=b"") if isinstance(part, MemberPart) else part)
            yield part
        if len(alone) == 1 and isinstance(alone[0], TextPart):
            self._cache.write_or_raise_if_asked_for(key, encode_part(alone[0]).content)

    def _ask_child(self, question: bytes) -> Iterator[Received]:
        for answer in self.pool.ask(question):
            if answer.kind == FAILED:
                raise Unreadable(answer.content.decode())
            if answer.kind != DONE and not isinstance(part := decode_part(answer), StillWorking):
                yield part
