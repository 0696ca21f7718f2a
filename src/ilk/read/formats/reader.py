"""Documents of any format, read in child processes that isolate hostile ones, and kept in a cache.

The key of a text in the cache is the bytes of the document, its format, the options of its module
and the versions of the software; so cached texts are never out of date. A damaged file of the cache
counts as missing. The folder is tagged as a cache (https://bford.info/cachedir/).
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from hashlib import blake2b
from importlib import metadata
from pathlib import Path
from typing import Any, TypeAlias

from ilk.base.errors import OutputError
from ilk.base.parsed import parsed
from ilk.base.whole import whole_file
from ilk.read.children import FAILED, PROGRAM, Child, Pool
from ilk.read.files.content import Unreadable
from ilk.read.files.walk import CACHE_TAG, OWN_CACHE
from ilk.read.formats.parts import MEMBER, TEXT, UNREAD, Limits, Made, Member, Unread
from ilk.read.formats.table import Format

#: Instead of a folder: no cache.
NO_CACHE = "none"

#: Changes whenever a module extracts different texts than before.
_VERSION = 2

_Received: TypeAlias = Made | Member | Unread


class Cache:
    """A folder of texts, which any number of processes may use at once."""

    def __init__(self, folder: str | os.PathLike[str], *, asked_for: bool = True) -> None:
        """Set up the cache; it is an error if it cannot be written, if it was asked for."""
        self._folder, self._asked_for = Path(folder), asked_for
        self._versions: dict[str | None, str] = {None: ""}

    def key(self, form: Format, data: bytes, options: Mapping[str, Any]) -> str:
        """Return the key of a text."""
        if form.package not in self._versions and form.package is not None:
            self._versions[form.package] = metadata.version(form.package)
        version = self._versions[form.package]
        said = json.dumps([_VERSION, form.name, version, options], sort_keys=True)
        return blake2b(data, digest_size=20, key=blake2b(said.encode()).digest()).hexdigest()

    def get(self, key: str) -> Made | None:
        """Return a cached text; None if it is missing."""
        try:
            head, _, text = self._path(key).read_bytes().partition(b"\n")
            said = parsed(head)
            if blake2b(text).hexdigest() != said["digest"]:
                return None
            warnings, left = tuple(said["warnings"]), tuple(said["left"])
            return Made(text, said["declared"], warnings, left, said["left_digest"])
        except (OSError, ValueError, KeyError, TypeError):
            return None

    def put(self, key: str, made: Made) -> None:
        """Keep a text; OutputError if it cannot be written, and the user asked for a cache."""
        try:
            self._write(self._path(key), made)
        except OutputError:
            if self._asked_for:
                raise

    def _write(self, path: Path, made: Made) -> None:
        try:
            new = not self._folder.exists()
            path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise OutputError(f"cannot write {path.parent}: {error.strerror}.") from error
        if new:
            with whole_file(self._folder / CACHE_TAG) as out:
                out.write(OWN_CACHE)
        said = made._asdict()
        text = said.pop("utf8")
        said["digest"] = blake2b(text).hexdigest()
        with whole_file(path) as out:
            out.write(json.dumps(said).encode() + b"\n" + text)

    def _path(self, key: str) -> Path:
        return self._folder / key[:2] / key[2:]


class FormatReader:
    """A reader of documents: one child process for every thread that uses it."""

    def __init__(
        self, limits: Limits, timeout: float, cache: Cache | None = None, **said: Any
    ) -> None:
        """Start nothing yet; ``timeout`` is for a part of a document, ``said`` for some formats."""
        self.limits, self._said, self._cache = limits, said, cache
        arguments = ["documents", json.dumps(asdict(limits))]
        self.pool = Pool(lambda: Child(str(PROGRAM), arguments), timeout, "reading it")

    def parts(
        self, form: Format, data: bytes = b"", path: str | None = None, *, follow: bool = False
    ) -> Iterator[_Received]:
        """Yield the parts of a document: of its bytes, or of the file at a path; Unreadable has the
        reason why there are no more.
        """
        said = {name: self._said[name] for name in form.takes if name in self._said}
        asked = {"format": form.name, "module": form.module, "title": form.title, "options": said}
        question = json.dumps(asked | {"path": path, "follow": follow}).encode() + b"\n" + data
        if self._cache is None or form.many:
            yield from self._asked(question)
            return
        key = self._cache.key(form, data, said)
        found = self._cache.get(key)
        if found is not None and len(found.utf8) <= self.limits.text:
            yield found
            return
        alone: list[_Received] = []
        for part in self._asked(question):
            alone.append(part._replace(data=b"") if isinstance(part, Member) else part)
            yield part
        if len(alone) == 1 and isinstance(alone[0], Made):
            self._cache.put(key, alone[0])

    def _asked(self, question: bytes) -> Iterator[_Received]:
        for kind, answer in self.pool.answers(question):
            if kind == FAILED:
                raise Unreadable(answer.decode())
            line, _, content = answer.partition(b"\n")
            if kind == TEXT:
                said: dict[str, Any] = parsed(line)
                for name in said.keys() & {"warnings", "left"}:
                    said[name] = tuple(said[name])
                yield Made(content, **said)
            elif kind == MEMBER:
                yield Member(data=content, **parsed(line))
            elif kind == UNREAD:
                yield Unread(**parsed(line))
