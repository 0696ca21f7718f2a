"""What every room hands back: tables of published beside measured, and pictures.

A room computes; ``lines`` makes an exhibit readable, ``save`` writes all of them as files.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

import pyarrow as pa

from ilk import writers
from ilk.errors import OutputError
from ilk.evaluate import plots

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Value: TypeAlias = str | int | float | None


@dataclass(frozen=True, slots=True)
class Exhibit:
    """A table with a title; ``name`` is that of its file. A long one is saved but not printed."""

    name: str
    title: str
    table: pa.Table
    note: str = ""
    printed: bool = True


@dataclass(frozen=True, slots=True)
class Picture:
    """A picture that is drawn when it is saved."""

    name: str
    draw: Callable[[Axes], None]


@dataclass(frozen=True, slots=True)
class Report:
    """What a room found out."""

    exhibits: Sequence[Exhibit]
    pictures: Sequence[Picture] = ()


def exhibit(
    name: str,
    title: str,
    columns: Sequence[str],
    rows: Iterable[Sequence[Value]],
    *,
    note: str = "",
    printed: bool = True,
) -> Exhibit:
    """Return a table from its rows; the values of a column are of one type, or None."""
    values = list(zip(*rows, strict=True)) or [()] * len(columns)
    made = {column: list(of) for column, of in zip(columns, values, strict=True)}
    return Exhibit(name, title, pa.table(made), note, printed)


def lines(of: Exhibit) -> Iterator[str]:
    """Yield the exhibit to be read: numbers to the right, texts to the left, two decimals."""
    yield of.title
    yield ""
    columns = [[name, *map(_shown, of.table[name].to_pylist())] for name in of.table.column_names]
    widths = [max(map(len, column)) for column in columns]
    numeric = [not pa.types.is_string(kind) for kind in of.table.schema.types]
    for row in zip(*columns, strict=True):
        cells = (
            cell.rjust(width) if right else cell.ljust(width)
            for cell, width, right in zip(row, widths, numeric, strict=True)
        )
        yield ("  " + "  ".join(cells)).rstrip()
    if of.note:
        yield ""
        yield from (f"  {line}" for line in of.note.splitlines())


def _shown(value: Value) -> str:
    if value is None:
        return ""
    return f"{value:,.2f}" if isinstance(value, float) else str(value)


def check(folder: Path | None) -> None:
    """Refuse, before any work, a folder into which nothing can be saved.

    Raises:
        MissingExtra: pictures need Matplotlib, and it is not there.
        OutputError: the folder cannot be made.
    """
    if folder is None:
        return
    plots.check()
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise OutputError(f"cannot write into {folder}: {error.strerror or error}.") from error


def save(report: Report, folder: Path) -> list[Path]:
    """Write every exhibit as CSV and every picture as PNG; gives the files written.

    Raises:
        MissingExtra, OutputError: as ``check``.
    """
    check(folder)
    written = []
    for each in report.exhibits:
        written.append(folder / f"{each.name}.csv")
        with writers.whole_file(written[-1]) as out:
            writers.write_csv(each.table, out)
    for picture in report.pictures:
        written.append(folder / f"{picture.name}.png")
        plots.save(picture.draw, written[-1])
    return written
