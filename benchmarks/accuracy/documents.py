"""The documents that are scored, read and measured independently of the product."""

from __future__ import annotations

import json
import os
import re
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path

_TOKEN = re.compile(r"\w+")

Shingles = frozenset[tuple[str, ...]]


class DocumentError(Exception):
    """The documents cannot be used."""


class Documents:
    """Files below a folder, each a document with a name.

    Attributes:
        root: the folder.
        files: the file of every name.
        named_by_path: whether a name is the path of its file below the folder.
    """

    def __init__(self, root: Path, files: Mapping[str, Path], *, named_by_path: bool) -> None:
        """Take note of the files; their texts are read when they are asked for."""
        self.root = root
        self.files = files
        self.named_by_path = named_by_path
        self._names = {shown(path.relative_to(root)): name for name, path in files.items()}
        self.tokens = lru_cache(maxsize=64)(self._tokens)

    def name_of(self, below: str) -> str:
        """The name of the document at a path below the root; of any other file, the path."""
        return self._names.get(below, below)

    def _tokens(self, name: str) -> list[str]:
        r"""The lower-cased ``\w+`` tokens of a document; what is not UTF-8 is replaced."""
        return _TOKEN.findall(self.files[name].read_bytes().decode("utf-8", "replace").lower())

    def shingles(self, name: str, width: int) -> Shingles:
        """The distinct runs of ``width`` adjacent tokens."""
        tokens = self.tokens(name)
        return frozenset(zip(*(tokens[at:] for at in range(width)), strict=False))

    def resemblance(self, left: str, right: str, width: int) -> float:
        """The shingles that two documents share, divided by all they have (Broder 1997)."""
        a, b = self.shingles(left, width), self.shingles(right, width)
        return len(a & b) / max(1, len(a | b))


@contextmanager
def opened(path: Path, *labels: Path) -> Iterator[Documents]:
    """The documents at a path, for as long as the context lasts.

    Args:
        path: a folder, whose files are documents named by their path below it; or a JSONL file of
            ``{"id": ..., "text": ...}``, whose lines become files of a temporary folder.
        labels: files that are no documents, should they lie in the folder.

    Raises:
        DocumentError: there is no document, or a line reads otherwise.
    """
    if path.is_dir():
        yield _below(path.resolve(), {label.resolve() for label in labels})
    elif path.is_file():
        with tempfile.TemporaryDirectory() as folder:
            yield _unpacked(path, Path(folder).resolve())
    else:
        raise DocumentError(f"there is no {path}; name a folder of documents or a JSONL file.")


def shown(path: Path) -> str:
    """A path as the product prints it: what is not UTF-8 in it is escaped."""
    return os.fsencode(path.as_posix()).decode("utf-8", "backslashreplace")


def _below(root: Path, labels: set[Path]) -> Documents:
    found = (path for path in root.rglob("*") if path.is_file() and path not in labels)
    files = {shown(path.relative_to(root)): path for path in found}
    if not files:
        raise DocumentError(f"there are no documents in {root}.")
    return Documents(root, files, named_by_path=True)


def _unpacked(path: Path, root: Path) -> Documents:
    """The documents of a JSONL file, written into an empty folder one by one."""
    files: dict[str, Path] = {}
    with path.open(encoding="utf-8-sig", errors="replace") as lines:
        for number, line in enumerate(lines, 1):
            if not line.strip():
                continue
            name, text = _document(line, f"{path}, line {number}")
            if name in files:
                raise DocumentError(f"{path}, line {number}: there is a document {name!r} already.")
            files[name] = root / f"{number:09}.txt"
            files[name].write_bytes(text.encode("utf-8", "replace"))
    if not files:
        raise DocumentError(f"there are no documents in {path}.")
    return Documents(root, files, named_by_path=False)


def _document(line: str, where: str) -> tuple[str, str]:
    """The id and the text of one line; numbers are ids too, and null is an empty text."""
    try:
        row = json.loads(line)
    except ValueError as error:
        raise DocumentError(f"{where}: not JSON: {error}.") from error
    if not isinstance(row, dict) or row.get("id") is None or "text" not in row:
        raise DocumentError(f'{where}: expected {{"id": ..., "text": ...}}, got {line[:60]!r}.')
    text = "" if row["text"] is None else row["text"]
    if not isinstance(text, str):
        raise DocumentError(f"{where}: the text is {type(text).__name__}, not a string.")
    return str(row["id"]), text
