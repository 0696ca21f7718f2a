"""Excel and OpenDocument spreadsheets by calamine: sheet by sheet, row by row, cells separated by
tabs.
"""

from __future__ import annotations

import datetime
import re
import zipfile
from collections.abc import Iterator
from typing import Any, BinaryIO

from ilk.read.formats import office
from ilk.read.formats.limits import Limits
from ilk.read.formats.parts import Left, Part, Text
from ilk.read.formats.zipped import left, opened, part, spans


def read(file: BinaryIO, limits: Limits) -> Iterator[Part]:
    """Yield the text."""
    from python_calamine import CalamineWorkbook

    declared: dict[str, Any] = {}
    rest = Left()
    if zipfile.is_zipfile(file):
        with opened(file, limits) as archive:
            names = archive.namelist()
            declared = office.declared(archive, "meta.xml" if "meta.xml" in names else office.CORE)
            rest = _left(archive, names)
    else:
        rest.add("formulas, pictures and macros", None)  # calamine does not give them.
    file.seek(0)
    book = CalamineWorkbook.from_filelike(file)
    lines = []
    for name in book.sheet_names:
        lines.append(name)
        for row in book.get_sheet_by_name(name).iter_rows():
            cells = [_shown(cell) for cell in row]
            if any(cells):
                lines.append("\t".join(cells).rstrip("\t"))
    yield Text("\n".join(lines), declared, left=rest)


def _left(archive: zipfile.ZipFile, names: list[str]) -> Left:
    """Return the formulas, and the parts that are not cells."""
    sheets = [name for name in names if re.fullmatch(r"xl/worksheets/[^/]+\.(?:xml|bin)", name)]
    if any(name.endswith(".bin") for name in sheets):
        return left(archive, (), [("formulas", b"")])  # All of the sheets, as they are.
    formulas = [each for name in sheets for each in spans(part(archive, name), "formulas", "f")]
    told = re.findall(rb' table:formula="[^"]*"', part(archive, "content.xml"))
    return left(archive, sheets, [*formulas, *(("formulas", one) for one in told)])


def _shown(cell: Any) -> str:
    """Return a cell as people see it: whole numbers without a decimal point."""
    if isinstance(cell, float) and cell.is_integer() and abs(cell) < 1e15:
        return str(int(cell))
    if isinstance(cell, datetime.datetime) and cell.time() == datetime.time():
        return cell.date().isoformat()
    return str(cell)
