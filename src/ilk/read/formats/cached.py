"""A cache of texts extracted from documents, in a folder.

The key of a text is the bytes of the document, its format, the options of its module and the
versions of the software; so cached texts are never out of date. A damaged file of the cache counts
as missing. The folder is tagged as a cache (https://bford.info/cachedir/), so that its texts are
never read as documents.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from hashlib import blake2b
from importlib import metadata
from pathlib import Path
from typing import Any

from ilk.base.errors import OutputError
from ilk.base.parsed import parsed
from ilk.base.whole import whole_file
from ilk.read.files.walk import CACHE_TAG, OWN_CACHE
from ilk.read.formats.parts import Made
from ilk.read.formats.table import Format

#: Instead of a folder: no cache.
NO_CACHE = "none"

#: Changes whenever a module extracts different texts than before.
_VERSION = 2


class Cache:
    """A folder of texts, which any number of processes may use at once."""

    def __init__(self, folder: str | os.PathLike[str], *, asked_for: bool = True) -> None:
        """Set up the cache; the folder is created with the first text.

        Args:
            folder: the folder for texts.
            asked_for: whether it is an error if they cannot be written.
        """
        self._folder, self._asked_for = Path(folder), asked_for
        self._versions: dict[str, str] = {}

    def key(self, form: Format, data: bytes, options: Mapping[str, Any]) -> str:
        """Return the key of a text."""
        said = json.dumps([_VERSION, form.name, self._version(form), options], sort_keys=True)
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
        """Keep a text.

        Raises:
            OutputError: it cannot be written, and the user asked for a cache.
        """
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
        said = {
            "digest": blake2b(made.utf8).hexdigest(),
            "declared": made.declared,
            "warnings": made.warnings,
            "left": made.left,
            "left_digest": made.left_digest,
        }
        with whole_file(path) as out:
            out.write(json.dumps(said).encode() + b"\n" + made.utf8)

    def _path(self, key: str) -> Path:
        return self._folder / key[:2] / key[2:]

    def _version(self, form: Format) -> str:
        """Return the version of the package that reads a format."""
        if form.package is None:
            return ""
        if form.package not in self._versions:
            self._versions[form.package] = metadata.version(form.package)
        return self._versions[form.package]
