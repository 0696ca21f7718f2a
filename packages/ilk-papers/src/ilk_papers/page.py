"""All experiments as one page: tables with names and colours, pictures, notes."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterable, Iterator, Mapping
from html import escape
from pathlib import Path

import pyarrow as pa

from ilk.plugins import pages, write
from ilk_papers import ROOMS, frame
from ilk_papers.frame import Exhibit, Report

_TITLE = "The papers, published and measured"

_STYLE = """
section { margin-top: 3rem; } h3 { margin-top: 2rem; } figure { margin: 1rem 0; }
td, th { padding: .1rem .6rem .1rem 0; text-align: start; vertical-align: top; }
td.same { background: var(--new); } td.other { background: var(--moved); }
img { max-width: 100%; background: #fff; } nav a { margin-inline-end: 1rem; }
.scroll { overflow-x: auto; }
"""

#: Rows of a table that are shown; all are in its file.
_ROWS = 400


def save(reports: Mapping[str, Report], folder: Path) -> Path:
    """Write every exhibit and picture below a folder, and one page of all of them; return it.

    Args:
        reports: by the name of their room.
        folder: new or old; files of the same names are replaced.

    Raises:
        MissingExtra, OutputError: as ``frame.check``.
    """
    for room, report in reports.items():
        frame.save(report, folder / room)
    page = folder / "index.html"
    with write.whole_file(page) as out:
        out.write(_document(_body(reports, folder)).encode())
    return page


def _document(body: Iterable[str]) -> str:
    """Return a page in the style of ilk's others; it needs no network, and runs no script."""
    style = pages.file("style.css") + _STYLE
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    policy = f"default-src 'none'; img-src data:; style-src 'sha256-{digest}'"
    return "".join(
        (
            "<!doctype html>\n<html lang='en'><head><meta charset='utf-8'>\n",
            "<meta name='viewport' content='width=device-width, initial-scale=1'>\n",
            f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n',
            f"<title>{_TITLE}</title><style>{style}</style></head>\n<body>\n",
            "<header class='top'><div class='wide'><span class='brand'>ilk</span> ",
            "<span class='what'>papers</span></div></header>\n<main class='wide'>\n",
            *body,
            "</main></body></html>\n",
        )
    )


def _body(reports: Mapping[str, Report], folder: Path) -> Iterator[str]:
    yield f"<h1>{_TITLE}</h1>\n<nav>"
    yield from (
        f"<a href='#{room}'>{escape(ROOMS[room].partition(':')[0])}</a>" for room in reports
    )
    yield "</nav>\n<p class='soft'>A green cell agrees with the published value beside it: "
    yield "equal to the last printed digit, or within the printed range. A blue one "
    yield "differs.</p>\n"
    for room, report in reports.items():
        yield f"<section id='{room}'><h2>{escape(ROOMS[room])}</h2>\n"
        for each in report.exhibits:
            yield from _exhibit(each, room)
        for picture in report.pictures:
            data = base64.b64encode((folder / room / f"{picture.name}.png").read_bytes()).decode()
            name = escape(f"{room}: {picture.name}", quote=True)
            yield f"<figure><img alt='{name}' src='data:image/png;base64,{data}'></figure>\n"
        yield "</section>\n"


def _exhibit(of: Exhibit, room: str) -> Iterator[str]:
    place = f"<a href='{room}/{of.name}.csv'>{of.name}.csv</a>"
    yield f"<h3>{escape(of.title)}</h3>\n"
    if not of.printed:
        yield f"<p>{of.table.num_rows:,} rows: {place}</p>\n"
        return
    yield f"<div class='scroll'><table><tr>{''.join(map(_head, of.table.column_names))}</tr>\n"
    numeric = [not pa.types.is_string(kind) for kind in of.table.schema.types]
    for row in of.table.slice(0, _ROWS).to_pylist():
        values = list(row.items())
        kinds = zip(values, numeric, strict=True)
        cells = (_cell(of, name, value, row, right) for (name, value), right in kinds)
        yield f"<tr>{''.join(cells)}</tr>\n"
    more = f"{of.table.num_rows - _ROWS:,} more rows in " if of.table.num_rows > _ROWS else ""
    yield f"</table></div>\n<p class='soft'>{more}{place}</p>\n"
    yield from (f"<p>{escape(line)}</p>\n" for line in of.note.splitlines())


def _head(name: str) -> str:
    return f"<th>{escape(name)}</th>"


def _cell(
    of: Exhibit, name: str, value: frame.Value, row: Mapping[str, frame.Value], right: bool
) -> str:
    kinds = ["n"] if right else []
    if name in of.compared:
        agreement = frame.agreement(row[of.compared[name]], value)
        kinds += [agreement] if agreement else []
    text = escape(frame.format_value(value))
    return f"<td class='{' '.join(kinds)}'>{text}</td>" if kinds else f"<td>{text}</td>"
