"""What is known of the documents: tab-separated labels.

Blank lines, spaces around cells, further columns and a head line are no error; lines about
documents that are not there are left out.
"""

from __future__ import annotations

import math
import posixpath
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.accuracy import naming
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


@dataclass(frozen=True, slots=True)
class _Line:
    """The cells of a line, and where it stands."""

    where: str
    cells: Sequence[str]


def pair(left: str, right: str) -> Pair:
    """Two names in the order in which a pair holds them."""
    return (left, right) if left <= right else (right, left)


def read_pairs(path: Path, documents: Documents) -> PairLabels:
    """Lines of ``file <tab> file <tab> resemblance``; without the third, pairs of one kind.

    The scope is every document; but in a folder, those below the deepest folder that holds all the
    labelled ones: it may hold notices and lists beside the documents that were compared.

    Raises:
        LabelError: a line reads otherwise, or no line names two of the documents.
    """
    known = _read_values(path, documents, columns=2)
    for names, value in known.items():
        if not 0 <= value <= 1:
            raise LabelError(
                f"{path} says {value:g} of {names[0]} and {names[1]}; expected a resemblance from "
                "0 to 1. Give grades of another scale to --graded."
            )
    below = _common_folder(name for names in known for name in names)
    within = below if documents.named_by_path else ""
    return PairLabels(frozenset(n for n in documents.files if n.startswith(within)), known)


def read_grades(path: Path, documents: Documents) -> dict[Pair, float]:
    """Lines of ``file <tab> file <tab> grade``: any number, higher for what is more alike.

    Raises:
        LabelError: a line reads otherwise, or no line names two of the documents.
    """
    return _read_values(path, documents, columns=3)


def read_families(path: Path, documents: Documents) -> dict[str, str]:
    """Lines of ``file <tab> family``. A family for every document.

    A document that no line names is alone in a family of its own name.

    Raises:
        LabelError: a line reads otherwise, or no line names a document.
    """
    known = {name: cells[1] for name, cells in _read_cells(path, documents, columns=2).items()}
    return {name: known.get(name, f"alone: {name}") for name in documents.files}


def read_versions(path: Path, documents: Documents) -> dict[str, dict[str, str]]:
    """Lines of ``file <tab> family <tab> version``. By family the version of every document.

    Raises:
        LabelError: a line reads otherwise, or no line names a document.
    """
    families: dict[str, dict[str, str]] = {}
    for name, (_, family, version, *_) in _read_cells(path, documents, columns=3).items():
        families.setdefault(family, {})[name] = version
    return families


def _read_values(path: Path, documents: Documents, columns: int) -> dict[Pair, float]:
    """The number of every pair of two documents; 1 where a line has two cells and may."""
    lines = _lines(path, columns)
    meant = naming.meant((label for line in lines for label in line.cells[:2]), documents)
    known: dict[Pair, float] = {}
    bare = len(lines[-1].cells) == 2
    for line in lines:
        left, right, *rest = line.cells
        if left in meant and right in meant and meant[left] != meant[right]:
            if bare == bool(rest):
                raise LabelError(f"{line.where}: there is a third column in some lines only.")
            names = pair(meant[left], meant[right])
            value = 1.0 if bare else _number(rest[0], line)
            if known.setdefault(names, value) != value:
                raise LabelError(f"{line.where}: {known[names]:g} was said of this pair before.")
    if not known:
        raise LabelError(
            f"no line of {path} names two of the documents; lines read like "
            f"{' and '.join(lines[-1].cells[:2])}, documents like {min(documents.files)}."
        )
    return known


def _read_cells(path: Path, documents: Documents, columns: int) -> dict[str, Sequence[str]]:
    """The cells of the line about every document that a line is about."""
    lines = _lines(path, columns)
    meant = naming.meant((line.cells[0] for line in lines), documents)
    known: dict[str, Sequence[str]] = {}
    for line in lines:
        if (name := meant.get(line.cells[0])) is None:
            continue
        if known.setdefault(name, line.cells)[1:columns] != line.cells[1:columns]:
            raise LabelError(f"{line.where}: another line says otherwise of {name}.")
    if not known:
        raise LabelError(
            f"no line of {path} names a document; lines read like {lines[-1].cells[0]}, documents "
            f"like {min(documents.files)}."
        )
    return known


def _number(cell: str, line: _Line) -> float:
    try:
        value = float(cell)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise LabelError(f"{line.where}: expected a number in the third column, got {cell!r}.")
    return value


def _lines(path: Path, columns: int) -> list[_Line]:
    """Every line that is not blank, of at least this many cells."""
    lines = []
    with path.open("rb") as file:
        for number, row in enumerate(file, 1):
            # Names of files that are not UTF-8 are escaped as the documents' names are.
            text = row.decode("utf-8-sig" if number == 1 else "utf-8", "backslashreplace")
            cells = [cell.strip() for cell in text.split("\t")]
            if not any(cells):
                continue
            if len(cells) < columns:
                raise LabelError(
                    f"{path}, line {number}: expected {columns} cells with tabs between them, got "
                    f"{text.strip()!r}."
                )
            lines.append(_Line(f"{path}, line {number}", cells))
    if not lines:
        raise LabelError(f"{path} is empty.")
    return lines


def _common_folder(names: Iterable[str]) -> str:
    """The deepest folder that holds all the names, with its slash; empty for the top."""
    common = posixpath.commonpath({posixpath.dirname(name) for name in names})
    return f"{common}/" if common else ""
