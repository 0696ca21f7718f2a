"""Excel and OpenDocument spreadsheets by calamine: sheet by sheet, row by row, cells separated by
tabs.
"""

from __future__ import annotations

import datetime
import zipfile
from collections.abc import Iterator
from typing import Any, BinaryIO

from ilk.read.formats import office
from ilk.read.formats.limits import Limits
from ilk.read.formats.parts import Part, Text
from ilk.read.formats.zipped import opened


def read(file: BinaryIO, limits: Limits) -> Iterator[Part]:
    """Yield the text."""
    from python_calamine import CalamineWorkbook

    declared: dict[str, Any] = {}
    if zipfile.is_zipfile(file):
        with opened(file, limits) as archive:
            names = archive.namelist()
            declared = office.declared(archive, "meta.xml" if "meta.xml" in names else office.CORE)
    file.seek(0)
    book = CalamineWorkbook.from_filelike(file)
    lines = []
    for name in book.sheet_names:
        lines.append(name)
        for row in book.get_sheet_by_name(name).iter_rows():
            cells = [_shown(cell) for cell in row]
            if any(cells):
                lines.append("\t".join(cells).rstrip("\t"))
    yield Text("\n".join(lines), declared)


def _shown(cell: Any) -> str:
    """Return a cell as people see it: whole numbers without a decimal point."""
    if isinstance(cell, float) and cell.is_integer() and abs(cell) < 1e15:
        return str(int(cell))
    if isinstance(cell, datetime.datetime) and cell.time() == datetime.time():
        return cell.date().isoformat()
    return str(cell)
