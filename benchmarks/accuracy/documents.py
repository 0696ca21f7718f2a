"""The documents that are scored, read and measured independently of the product."""

from __future__ import annotations

import re
from functools import lru_cache
from pathlib import Path

_TOKEN = re.compile(r"\w+")

Shingles = frozenset[tuple[str, ...]]


class Documents:
    """The files below a folder, named by their path below it."""

    def __init__(self, folder: Path) -> None:
        """Find every file; their texts are read when they are asked for."""
        self.folder = folder.resolve()
        files = (path for path in self.folder.rglob("*") if path.is_file())
        self.names = frozenset(path.relative_to(self.folder).as_posix() for path in files)
        if not self.names:
            raise FileNotFoundError(f"there are no documents in {folder}.")
        self.tokens = lru_cache(maxsize=64)(self._tokens)

    def _tokens(self, name: str) -> list[str]:
        r"""The lower-cased ``\w+`` tokens of a document; what is not UTF-8 is replaced."""
        text = (self.folder / name).read_bytes().decode("utf-8", "replace")
        return _TOKEN.findall(text.lower())

    def shingles(self, name: str, width: int) -> Shingles:
        """The distinct runs of ``width`` adjacent tokens."""
        tokens = self.tokens(name)
        return frozenset(zip(*(tokens[at:] for at in range(width)), strict=False))

    def resemblance(self, left: str, right: str, width: int) -> float:
        """The shingles that two documents share, divided by all they have (Broder 1997)."""
        a, b = self.shingles(left, width), self.shingles(right, width)
        return len(a & b) / max(1, len(a | b))

    def named_by(self, label: str) -> str | None:
        """The document that a label means, or None where it means a file elsewhere or none.

        A label is a path below the folder or below the nearest folder above it where there is such
        a file.
        """
        for above in (self.folder, *self.folder.parents):
            path = above / label
            if path.is_file():
                below = path.is_relative_to(self.folder)
                return path.relative_to(self.folder).as_posix() if below else None
        return None
