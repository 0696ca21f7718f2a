"""Pairs of documents that a person has labelled: tab-separated lines."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import NamedTuple

import pyarrow as pa

from ilk.base.errors import LabelsError, OptionError, reason_of_error
from ilk.base.kinds import Share
from ilk.base.whole import whole_file
from ilk.search.clustering import CannotLink


@dataclass(frozen=True, slots=True)
class Label:
    """A labelled pair of documents; ``value`` is a resemblance, 1 for the same, 0 for different."""

    where: str
    left: str
    right: str
    value: Fraction


def read_tab_separated_labels(path: str | os.PathLike[str]) -> list[Label]:
    """Read lines of ``a <tab> b``, or ``a <tab> b <tab> value``; the value is 1 if left out.

    Blank lines, a header line and further columns are allowed.

    Raises:
        LabelsError: the file cannot be read, a line has another form, or there is no line.
    """
    try:
        text = Path(path).read_text(encoding="utf-8-sig")
    except (OSError, ValueError) as error:
        is_other_text = isinstance(error, UnicodeDecodeError)
        reason = "it is not UTF-8" if is_other_text else reason_of_error(error)
        raise LabelsError(f"cannot read labels from {path}: {reason}.") from error
    labels: list[Label] = []
    for number, line in enumerate(text.splitlines(), 1):
        left, right, cell, *_ = [*(cell.strip() for cell in line.split("\t")), "", "", ""]
        where = f"{path}, line {number}"
        if not left and not right:
            continue
        if not left or not right:
            raise LabelsError(f"{where}: expected two names separated by a tab, got {line!r}.")
        with contextlib.suppress(OptionError):
            labels.append(
                Label(where, left, right, Share(above_zero=False).check("value", cell or "1"))
            )
            continue
        if number > 1:
            raise LabelsError(
                f"{where}: expected 1 (the same), 0 (different) or a resemblance between, got "
                f"{cell!r}."
            )
    if not labels:
        raise LabelsError(f"{path} has no labels; write lines of two names separated by a tab.")
    return labels


def merge_labels_and_count_changes(
    path: str | os.PathLike[str], labelled_pairs: Iterable[tuple[str, str, bool]]
) -> int:
    """Add pairs of names, and whether they are the same, to a file; return how many are new, or
    have another label than before.

    The file is created if missing. Of two lines with the same names, the later one counts: a pair
    with another label is replaced.

    Raises:
        LabelsError: the file cannot be read, or a name has a tab or a line break.
    """
    to = Path(path)
    if there := to.exists() and to.stat().st_size > 0:
        read_tab_separated_labels(to)
    lines = to.read_text(encoding="utf-8-sig").splitlines() if there else []
    places = {frozenset(line.split("\t")[:2]): at for at, line in enumerate(lines)}
    change_count = 0
    for left, right, same in labelled_pairs:
        for name in (left, right):
            if name != name.strip() or len(name.splitlines()) != 1 or "\t" in name:
                raise LabelsError(
                    f"{name!r} cannot be written to a file of labels; rename the document"
                )
        line, at = f"{left}\t{right}\t{int(same)}", places.get(frozenset((left, right)))
        if at is None:
            places[frozenset((left, right))] = len(lines)
            lines.append(line)
        elif lines[at].split("\t")[2:3] != [str(int(same))]:
            lines[at] = line
        else:
            continue
        change_count += 1
    if change_count:
        with whole_file(to) as out:
            out.write("".join(f"{line}\n" for line in lines).encode())
    return change_count


class LabelledRows(NamedTuple):
    """The rows of two documents, and the value of their label."""

    left: int
    right: int
    value: Fraction


def rows_of_labels_if_both_read(labels: list[Label], documents: pa.Table) -> list[LabelledRows]:
    """Return the rows of the documents that labels name, and the values; labels that name a
    document that was not read are left out.

    Args:
        labels: they name documents by source, by the last parts of it, or by id.
        documents: what was read, with ``source`` and ``id``.

    Raises:
        LabelsError: a name matches several documents, or both names of a label the same one.
    """
    rows = _rows_by_name_or_end_of_path(
        {name for label in labels for name in (label.left, label.right)}, documents
    )
    known_pairs = list[LabelledRows]()
    for label in labels:
        sides = [rows.get(name, []) for name in (label.left, label.right)]
        for name, named in zip((label.left, label.right), sides, strict=True):
            if len(named) > 1:
                raise LabelsError(
                    f"{label.where}: {name!r} matches {len(named)} documents. Write more of the "
                    "path."
                )
        if all(sides) and sides[0] == sides[1]:
            raise LabelsError(
                f"{label.where}: {label.left!r} and {label.right!r} are the same document."
            )
        if all(sides):
            known_pairs.append(LabelledRows(sides[0][0], sides[1][0], label.value))
    return known_pairs


def cannot_link_of_labels(labels: list[Label], documents: pa.Table) -> CannotLink:
    """Return the documents labelled different, as ``rows_of_labels_if_both_read``."""
    different = [
        (left, right)
        for left, right, value in rows_of_labels_if_both_read(labels, documents)
        if value == 0
    ]
    return CannotLink([left for left, _ in different], [right for _, right in different])


def _rows_by_name_or_end_of_path(names: set[str], documents: pa.Table) -> dict[str, list[int]]:
    """Return the rows that each name matches; a whole source or id counts before the end of one."""
    whole: dict[str, list[int]] = {}
    ends: dict[str, list[int]] = {}
    columns = (documents[name].to_pylist() for name in ("source", "id"))
    for row, (source, own) in enumerate(zip(*columns, strict=True)):
        for name in {source, own} & names:
            whole.setdefault(name, []).append(row)
        parts = source.split("/")
        for end in {"/".join(parts[at:]) for at in range(1, len(parts))} & names:
            ends.setdefault(end, []).append(row)
    return ends | whole
