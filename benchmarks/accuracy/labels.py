"""What is known of the documents: tab-separated labels."""

from __future__ import annotations

import posixpath
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from benchmarks.accuracy.documents import Documents

#: Two documents, by name, the lesser name first.
Pair = tuple[str, str]


class LabelError(Exception):
    """A file of labels cannot be used."""


@dataclass(frozen=True, slots=True)
class PairLabels:
    """Known resemblances; a pair of ``scope`` that is not listed is known to be far apart."""

    scope: frozenset[str]
    resemblance: dict[Pair, float]


def pair(left: str, right: str) -> Pair:
    """Two names in the order in which a pair holds them."""
    return (left, right) if left <= right else (right, left)


def read_pairs(path: Path, documents: Documents) -> PairLabels:
    """Lines of ``file <tab> file <tab> resemblance``.

    The scope is every document below the deepest folder that holds all the labelled ones: the
    folder may hold notices and lists beside the documents that were compared.

    Raises:
        LabelError: a line reads otherwise, or no line names two of the documents.
    """
    known: dict[Pair, float] = {}
    for left, right, value, *_ in _lines(path, 3):
        names = documents.named_by(left), documents.named_by(right)
        if names[0] is not None and names[1] is not None:
            known[pair(names[0], names[1])] = float(value)
    if not known:
        raise LabelError(f"no line of {path} names two documents of {documents.folder}.")
    below = _common_folder(name for names in known for name in names)
    return PairLabels(frozenset(n for n in documents.names if n.startswith(below)), known)


def read_families(path: Path, documents: Documents) -> dict[str, str]:
    """Lines of ``file <tab> family``; more columns are notes. A family for every document.

    A document that no line names is alone in a family of its own name.

    Raises:
        LabelError: a line reads otherwise, or no line names a document.
    """
    known = {documents.named_by(name): family for name, family, *_ in _lines(path, 2)}
    if not known.keys() & documents.names:
        raise LabelError(f"no line of {path} names a document of {documents.folder}.")
    return {name: known.get(name, f"alone: {name}") for name in documents.names}


def _lines(path: Path, columns: int) -> Iterator[list[str]]:
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        cells = line.split("\t")
        if len(cells) < columns:
            raise LabelError(f"{path}, line {number}: expected {columns} columns, got {line!r}.")
        yield cells


def _common_folder(names: Iterable[str]) -> str:
    """The deepest folder that holds all the names, with its slash; empty for the top."""
    common = posixpath.commonpath({posixpath.dirname(name) for name in names})
    return f"{common}/" if common else ""
