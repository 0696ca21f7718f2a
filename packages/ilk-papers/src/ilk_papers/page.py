"""All experiments as one page: tables with names and colours, pictures, notes."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterable, Iterator, Mapping
from html import escape
from pathlib import Path

import pyarrow as pa

from ilk.companions import pages, write
from ilk_papers import ROOMS, frame
from ilk_papers.frame import Exhibit, Report

_TITLE = "The papers, published and measured"

_STYLE = """
section { margin-top: 3rem; } h3 { margin-top: 2rem; } figure { margin: 1rem 0; }
td, th { padding: .1rem .6rem .1rem 0; text-align: start; vertical-align: top; }
td.same { background: var(--new); } td.other { background: var(--moved); }
img { max-width: 100%; background: #fff; } nav a { margin-inline-end: 1rem; }
.scroll { overflow-x: auto; }
nav ol { columns: 22rem; } nav ul { list-style: none; padding: 0; }
details { margin: .5rem 0; } summary { cursor: pointer; }
.try textarea { width: 100%; box-sizing: border-box; font: inherit; color: inherit;
  background: transparent; }
.try select, .try input { font: inherit; max-width: 100%; } .try input[type=range] { width: 100%; }
.cells { display: flex; flex-wrap: wrap; gap: 1px; font-family: monospace; margin: .3rem 0; }
.cells span { padding: 0 .15rem; min-width: 1ch; text-align: center; }
.cells .same { background: var(--new); } .cells .other { background: var(--moved); }
#try-votes span { min-width: 3.5ch; }
"""

#: Where an exhibit stands in the lecture, by its name.
SLIDES = {
    "in-links": "10",
    "digest-properties": "13",
    "digest-sizes": "14",
    "exact": "15",
    "distances": "19",
    "shingles": "21 to 23",
    "phrases": "31",
    "hashes": "31 and 32",
    "hamming-jaccard": "32",
    "numbers": "33",
    "sorted-0": "34",
    "sorted": "33 to 35",
    "sorted-2": "35",
    "walk": "36",
    "rotations": "36",
}

#: A question of each room for a class, and its answer, which its tables show.
QUESTIONS = {
    "roth2011": (
        "Which score has a method that says exactly what the author expects of every pair?",
        (
            "35 / 10 = 3.50, the published best: he expects low similarity or none in ten of the "
            "45 cells that count."
        ),
    ),
    "roth2013": (
        "Has a text the same fingerprint if its line ends are those of Unix and not of DOS?",
        (
            "No: the method takes white space as it stands. 11 bits of the Gettysburg Address "
            "differ, and 7 of the Constitution."
        ),
    ),
    "lecture": (
        (
            "Eight numbers are sorted and neighbours compared. Which of the three near pairs is "
            "missed, and what finds it?"
        ),
        "2 and 4: they differ in the two highest bits. Rotated by two, they are neighbours.",
    ),
    "simhash-page": (
        "How many sorted tables find all pairs within 3 bits, if one of four blocks must agree?",
        "4: three bits that differ touch at most three of the four blocks.",
    ),
    "holub": (
        "Do the hashes of two texts differ if both have the same tokens in another order?",
        "No, with single tokens; with tuples of tokens (super-tokens) they do.",
    ),
}

#: The box that computes: what its script, ``try_it.js``, fills.
_BOX = """<section class='try' id='try'><h2>Try it</h2>
<p>Type two texts. The page computes both fingerprints as you type; nothing leaves it.</p>
<p><label>Method <select id='try-method'>
<option value='2013'>2013: runs of four characters, 64 bits (recipe roth2013)</option>
<option value='lecture'>Lecture: pairs of characters, 32 bits</option></select></label></p>
<p><label>First text<textarea id='try-one' rows='2'>the cat sat on the mat</textarea></label></p>
<p><label>Second text<textarea id='try-other' rows='2'>the cat sat on a mat</textarea></label></p>
<table><tr><th>fingerprint of the first</th><td id='try-print-0'></td></tr>
<tr><th>fingerprint of the second</th><td id='try-print-1'></td></tr>
<tr><th>Hamming distance</th><td id='try-distance'></td></tr>
<tr><th>Jaccard similarity</th><td id='try-jaccard'></td></tr></table>
<p>The bits of both; those that differ have the other colour.</p>
<div class='cells' id='try-bits-0'></div><div class='cells' id='try-bits-1'></div>
<p><label>V of the first text, feature by feature; it is above zero where a bit is 1
<input type='range' id='try-step' min='0' value='0'></label></p>
<p id='try-feature'></p><div class='cells' id='try-votes'></div></section>
"""

#: The only script of the page.
_SCRIPT = Path(__file__).parent / "try_it.js"

#: Rows of a table that are shown; all are in its file.
_ROWS = 400


def save(reports: Mapping[str, Report], folder: Path, titles: Mapping[str, str] = ROOMS) -> Path:
    """Write every exhibit and picture below a folder, and one page of all of them; return it.

    Args:
        reports: by the name of their room.
        folder: new or old; files of the same names are replaced.
        titles: of the reports; before a colon, as the list of contents has them.

    Raises:
        MissingExtra, OutputError: as ``frame.check``.
    """
    for room, report in reports.items():
        frame.save(report, folder / room)
    page = folder / "index.html"
    with write.whole_file(page) as out:
        out.write(_document(_body(reports, folder, titles)).encode())
    return page


def _document(body: Iterable[str]) -> str:
    """Return a page in the style of ilk's others; it needs no network, and runs its own script."""
    style, script = pages.file("style.css") + _STYLE, _SCRIPT.read_text()
    policy = (
        f"default-src 'none'; img-src data:; style-src {_digest(style)}; "
        f"script-src {_digest(script)}"
    )
    return "".join(
        (
            "<!doctype html>\n<html lang='en'><head><meta charset='utf-8'>\n",
            "<meta name='viewport' content='width=device-width, initial-scale=1'>\n",
            f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n',
            f"<title>{_TITLE}</title><style>{style}</style></head>\n<body>\n",
            "<header class='top'><div class='wide'><span class='brand'>ilk</span> ",
            "<span class='what'>papers</span></div></header>\n<main class='wide'>\n",
            *body,
            f"</main><script>{script}</script></body></html>\n",
        )
    )


def _digest(text: str) -> str:
    """Return a style sheet or script as the policy of a page names it."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def _body(reports: Mapping[str, Report], folder: Path, titles: Mapping[str, str]) -> Iterator[str]:
    yield f"<h1>{_TITLE}</h1>\n<p class='soft'>A green cell agrees with the published value beside "
    yield "it: equal to the last printed digit, or within the printed range. A blue one differs."
    yield "</p>\n"
    yield from _contents(reports, titles)
    yield _BOX
    for room, report in reports.items():
        yield f"<section id='{room}'><h2>{escape(titles[room])}</h2>\n"
        if room in QUESTIONS:
            question, answer = map(escape, QUESTIONS[room])
            yield f"<details><summary>{question}</summary><p>{answer}</p></details>\n"
        for each in report.exhibits:
            yield from _exhibit(each, room)
        for picture in report.pictures:
            data = base64.b64encode((folder / room / f"{picture.name}.png").read_bytes()).decode()
            name = escape(f"{room}: {picture.name}", quote=True)
            yield f"<figure><img alt='{name}' src='data:image/png;base64,{data}'></figure>\n"
        yield "</section>\n"


def _contents(reports: Mapping[str, Report], titles: Mapping[str, str]) -> Iterator[str]:
    """Yield the list of contents: every paper, and its exhibits folded in."""
    yield "<nav aria-label='Contents'><ul><li><a href='#try'>Try it: two texts of your own</a></li>"
    for room, report in reports.items():
        title = escape(titles[room].partition(":")[0])
        yield f"<li><details><summary><a href='#{room}'>{title}</a></summary><ol>"
        for each in report.exhibits:
            yield f"<li><a href='#{room}-{each.name}'>{escape(_placed_title(each, room))}</a></li>"
        yield "</ol></details></li>\n"
    yield "</ul></nav>\n"


def _placed_title(of: Exhibit, room: str) -> str:
    """Return the title of an exhibit, after its slide if it has one."""
    slide = SLIDES.get(of.name) if room == "lecture" else None
    return f"Slide {slide}: {of.title}" if slide else of.title


def _exhibit(of: Exhibit, room: str) -> Iterator[str]:
    place = f"<a href='{room}/{of.name}.csv'>{of.name}.csv</a>"
    yield f"<h3 id='{room}-{of.name}'>{escape(_placed_title(of, room))}</h3>\n"
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
