"""The result of every experiment: tables of published and measured figures, and pictures.

``format_lines`` formats an exhibit as text, and ``save_report_as_csv_and_png`` writes a report.
"""

from __future__ import annotations

import itertools
import re
import textwrap
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal, NamedTuple, TypeAlias

import pyarrow as pa

from ilk.companions import errors, write
from ilk.plugins import OutputError
from ilk_papers.measure import plots

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: Columns of a terminal, unless another number is given, and the prefix of each column of a table.
WIDTH, _BETWEEN = 80, "  "

#: Follows a room: what it does, how much of it is done, and of how much.
Progress: TypeAlias = Callable[[str, int, int | None], None]

Value: TypeAlias = str | int | float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Exhibit:
    """A table with a title; ``name`` is that of its file. A long one is saved but not printed.

    Attributes:
        published_column_of: by the name of a column, that of the published one beside it.
        published_row_of: by a row of measured values, the row of published ones above it.
    """

    name: str
    title: str
    table: pa.Table
    note: str = ""
    printed_at_terminal: bool = True
    published_column_of: Mapping[str, str] = field(default_factory=dict)
    published_row_of: Mapping[int, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Picture:
    """A picture, which is drawn when it is saved; ``height`` is in inches."""

    name: str
    draw: Callable[[Axes], None]
    height: float = plots.HEIGHT


@dataclass(frozen=True, slots=True)
class Report:
    """The result of an experiment."""

    exhibits: Sequence[Exhibit]
    pictures: Sequence[Picture] = ()


def make_exhibits(
    room: str, exhibit_makers: Sequence[Callable[[], Exhibit]], progress: Progress
) -> list[Exhibit]:
    """Return the exhibits of a room, made one after the other."""
    made = []
    for at, make in enumerate(exhibit_makers):
        progress(f"{room}: tables", at, len(exhibit_makers))
        made.append(make())
    return made


def make_exhibit(
    name: str,
    title: str,
    columns: Sequence[str],
    rows: Iterable[Sequence[Value]],
    *,
    note: str = "",
    printed_at_terminal: bool = True,
    published_column_of: Mapping[str, str] | Literal["by name"] = "by name",
    published_row_of: Mapping[int, int] | None = None,
) -> Exhibit:
    """Return a table from its rows; the values of a column are of one type, or None.

    Args:
        name, title, columns, rows, note, printed_at_terminal: as of ``Exhibit``.
        published_column_of: as of ``Exhibit``; by name, ``X, published`` stands beside ``X``, and
            ``published`` beside ``here``, ``computed`` and the columns of readings.
        published_row_of: as of ``Exhibit``; by default none.
    """
    values = list(zip(*rows, strict=True)) or [()] * len(columns)
    made = {column: list(of) for column, of in zip(columns, values, strict=True)}
    if published_column_of == "by name":
        published_column_of = _match_columns_by_suffix_published_or_known_name(columns)
    return Exhibit(
        name=name,
        title=title,
        table=pa.table(made),
        note=note,
        printed_at_terminal=printed_at_terminal,
        published_column_of=published_column_of,
        published_row_of=published_row_of or {},
    )


#: Columns of measured values that stand beside a column ``published``.
_MEASURED = ("here", "computed", "hash codes", "exact values", "k-gram", "strings", "numbers")


def _match_columns_by_suffix_published_or_known_name(columns: Sequence[str]) -> dict[str, str]:
    """Return by column the published one that it is compared with, by their names."""
    suffix = ", published"
    printed = [name for name in columns if name.endswith(suffix)]
    pairs = {
        name.removesuffix(suffix): name for name in printed if name.removesuffix(suffix) in columns
    }
    if "published" in columns:
        pairs |= {name: "published" for name in columns if name in _MEASURED}
    return pairs


#: What the cell of a measured value says of the published one: equal in value, within the range
#: that is printed (or the printed value within the range that was measured), or different.
Agreement: TypeAlias = Literal["same", "within", "other"]

SAME: Final = "same"
WITHIN: Final = "within"
OTHER: Final = "other"

_NUMBER = r"-?\d[\d,]*(?:\.\d+)?"


def agreement_with_published_or_none(published_value: Value, own_value: Value) -> Agreement | None:
    """Return whether a value agrees with the published one; None if they cannot be compared.

    Numbers are the same if they are equal to the last digit that is printed, and a number is within
    a range such as ``8 to 11``. A published word, such as ``grows``, is compared with nothing.

    >>> agreement_with_published_or_none(3.5, "3.50")
    'same'
    >>> agreement_with_published_or_none("8 to 11", 9)
    'within'
    >>> agreement_with_published_or_none("grows", "0.94")
    """
    left, right = ("" if each is None else str(each) for each in (published_value, own_value))
    if not left or not right:
        return None
    if left == right:
        return SAME
    printed_range, measured_range = (
        _parse_number_or_range_or_none(left),
        _parse_number_or_range_or_none(right),
    )
    if printed_range is None or measured_range is None:
        return OTHER if any(letter.isdigit() for letter in left) else None
    low, high, unit = printed_range
    measured_low, measured_high, measured_unit = measured_range
    # Half a unit of the last digit that the coarser one of them prints.
    slack = max(unit, measured_unit) / 2
    if low - slack > measured_high or measured_low > high + slack:
        return OTHER
    return SAME if (low, measured_low) == (high, measured_high) else WITHIN


class _PrintedRange(NamedTuple):
    """The ends of a number or a range, and the unit of the last digit; 0 of whole numbers."""

    low: float
    high: float
    last_digit_unit: float


def _parse_number_or_range_or_none(text: str) -> _PrintedRange | None:
    """Return a number, or a range such as ``8 to 11``; None of other texts."""
    match = re.fullmatch(rf"({_NUMBER})(?: to ({_NUMBER}))?(?: (?:%|MB))?", text)
    if match is None:
        return None
    ends = [each.replace(",", "") for each in match.groups() if each]
    digits = max(len(each.partition(".")[2]) for each in ends)
    return _PrintedRange(float(ends[0]), float(ends[-1]), 10.0**-digits if digits else 0.0)


def format_lines(shown_exhibit: Exhibit, width: int = WIDTH) -> Iterator[str]:
    """Yield the exhibit to be read: numbers to the right, texts to the left, two decimals.

    Cells are wrapped if the table would be wider than ``width``, and if even that does not fit,
    every row is written column by column.
    """
    yield from textwrap.wrap(shown_exhibit.title, width)
    yield ""
    columns = [
        [
            name,
            *map(format_value_with_two_decimals_of_floats, shown_exhibit.table[name].to_pylist()),
        ]
        for name in shown_exhibit.table.column_names
    ]
    widths = _fit_column_widths_or_none(columns, width)
    if widths is None:
        yield from _format_row_by_row(columns, width)
    else:
        numeric = [not pa.types.is_string(kind) for kind in shown_exhibit.table.schema.types]
        for row in zip(*columns, strict=True):
            wrapped = [_wrap_cell(cell, width) for cell, width in zip(row, widths, strict=True)]
            for parts in itertools.zip_longest(*wrapped, fillvalue=""):
                cells = (
                    part.rjust(width) if right else part.ljust(width)
                    for part, width, right in zip(parts, widths, numeric, strict=True)
                )
                yield (_BETWEEN + _BETWEEN.join(cells)).rstrip()
    if shown_exhibit.note:
        yield ""
        for line in shown_exhibit.note.splitlines():
            yield from _indent_and_wrap_line(line, later_indent=_BETWEEN, width=width)


def _format_row_by_row(columns: Sequence[Sequence[str]], width: int) -> Iterator[str]:
    """Yield every row of a table column by column, with a blank line between rows."""
    heads = [column[0] for column in columns]
    for at in range(1, len(columns[0])):
        if at > 1:
            yield ""
        for head, column in zip(heads, columns, strict=True):
            yield from _indent_and_wrap_line(
                f"{head}: {column[at]}", later_indent=2 * _BETWEEN, width=width
            )


def _indent_and_wrap_line(line: str, *, later_indent: str, width: int) -> list[str]:
    """Return the lines that a line is wrapped into, the later ones indented further."""
    return textwrap.wrap(line, width, initial_indent=_BETWEEN, subsequent_indent=later_indent) or [
        ""
    ]


def _fit_column_widths_or_none(columns: Sequence[Sequence[str]], width: int) -> list[int] | None:
    """Return widths of columns that fit, narrowing the widest first; None if none do."""
    widths = [max(map(len, column)) for column in columns]
    words = [
        max(len(word) for cell in column for word in cell.split() or [""]) for column in columns
    ]
    while sum(widths) + len(_BETWEEN) * len(widths) > width:
        room = [each if each > word else 0 for each, word in zip(widths, words, strict=True)]
        if not any(room):
            return None
        widths[room.index(max(room))] -= 1
    return widths


def _wrap_cell(cell: str, width: int) -> list[str]:
    """Return a cell as it is if it fits, or else its words in lines."""
    if len(cell) <= width:
        return [cell]
    return textwrap.wrap(cell, width, break_long_words=False, break_on_hyphens=False)


def format_value_with_two_decimals_of_floats(value: Value) -> str:
    """Return a value as it is read: numbers with a fraction have two digits of it."""
    if value is None:
        return ""
    return f"{value:,.2f}" if isinstance(value, float) else str(value)


def create_output_folder(folder: Path) -> None:
    """Create a folder if it does not exist.

    Raises:
        OutputError: the folder cannot be created.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise OutputError(
            f"cannot write into {folder}: {errors.reason_of_error(error)}."
        ) from error


def save_report_as_csv_and_png(report: Report, folder: Path) -> list[Path]:
    """Write every exhibit as CSV and every picture as PNG; return the files written.

    Raises:
        MissingExtra: pictures need Matplotlib, which is not installed.
        OutputError: a file cannot be written.
    """
    plots.refuse_without_matplotlib()
    create_output_folder(folder)
    files = []
    for each in report.exhibits:
        files.append(folder / f"{each.name}.csv")
        with write.whole_file(files[-1]) as out:
            write.write_csv(each.table, out)
    for picture in report.pictures:
        files.append(folder / f"{picture.name}.png")
        plots.save_picture(picture.draw, files[-1], picture.height)
    return files
