"""All experiments as one page: tables with names and colours, pictures, notes, and its words."""

from __future__ import annotations

import base64
from collections.abc import Iterable, Iterator, Mapping
from html import escape
from pathlib import Path

import pyarrow as pa

from ilk.companions import pages, write
from ilk_papers import ROOMS, frame
from ilk_papers.frame import Exhibit, Report
from ilk_papers.measure import plots
from ilk_papers.summaries import SUMMARIES, WORDS, Summary

_TITLE = "The papers, published and measured"

_STYLE = """
main.papers { display: grid; grid-template-columns: minmax(0, 1fr); gap: 0 3rem; }
@media (min-width: 75rem) {
  main.papers { grid-template-columns: 17rem minmax(0, 1fr); }
  main.papers > nav { position: sticky; inset-block-start: 0; max-height: 100vh;
    overflow-y: auto; padding-block: 1rem; }
}
nav ol, nav ul { list-style: none; padding: 0; margin: 0; font-size: var(--s1); }
nav ol { margin-inline-start: 1rem; } nav li { margin: .25rem 0; }
section { margin-top: 3rem; } h2 { margin-top: 0; } figure { margin: 1rem 0; }
.exhibit { background: var(--surface); border: 1px solid var(--edge); border-radius: 10px;
  padding: 1rem; margin: 1.25rem 0; }
td, th { padding: .2rem .8rem .2rem 0; text-align: start; vertical-align: top; }
th { border-block-end: 1px solid var(--edge); } td.n, th.n { text-align: end; }
td.n { font-variant-numeric: tabular-nums; }
td.same { background: var(--new); } td.within { background: var(--sunk); }
td.other { background: var(--moved); }
.key span { padding: 0 .4rem; border-radius: 3px; } .key .same { background: var(--new); }
.key .within { background: var(--sunk); border: 1px solid var(--edge); }
.key .other { background: var(--moved); }
.pictures { display: grid; gap: 1rem;
  grid-template-columns: repeat(auto-fit, minmax(min(26rem, 100%), 1fr)); }
.pictures figure { margin: 0; }
img { width: 100%; background: #fff; border-radius: 6px; }
@media (prefers-color-scheme: dark) { img { filter: invert(.9) hue-rotate(180deg); } }
.words dt { font-weight: 600; } .words dd { margin: 0 0 .5rem 1rem; }
.scroll { overflow-x: auto; }
.claim { font-size: var(--s3); } .claim::before { content: "It claims: "; color: var(--soft); }
.findings::before { content: "What came out: "; color: var(--soft); }
.method ol { display: flex; flex-wrap: wrap; gap: .5rem 1.4rem; list-style: none; margin: 0;
  padding-inline-start: 1.2rem; }
.method li { flex: 1 1 11rem; background: var(--surface); border: 1px solid var(--edge);
  border-radius: 8px; padding: .6rem .75rem; position: relative; }
.method li + li::before { content: "\\2192"; position: absolute; inset-inline-start: -1.2rem;
  color: var(--soft); }
.method code { display: block; font: var(--s0)/1.4 ui-monospace, monospace; color: var(--accent);
  overflow-wrap: anywhere; margin-top: .3rem; }
details { margin: .5rem 0; } summary { cursor: pointer; }
details.question { border-inline-start: 3px solid var(--accent); padding-inline-start: .75rem; }
.try textarea { width: 100%; box-sizing: border-box; font: inherit; color: inherit;
  background: transparent; }
.try select, .try input { font: inherit; max-width: 100%; } .try input[type=range] { width: 100%; }
.cells { display: flex; flex-wrap: wrap; gap: 1px; font-family: monospace; margin: .3rem 0; }
.cells span { padding: 0 .15rem; min-width: 1ch; text-align: center; }
.cells .same { background: var(--new); } .cells .other { background: var(--moved); }
#try-votes span { min-width: 3.5ch; }
@media print { main.papers { display: block; } .exhibit { break-inside: avoid; } }
"""

#: The families of the page's type, for its pictures; they are those of its style sheet.
_FONTS = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', sans-serif"

#: Where an exhibit stands in the lecture, by its name.
SLIDES = {
    "in-links": "10",
    "crawl": "10",
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

#: The box that computes: what its script, ``try_it.js``, fills.
_BOX = """<section class='try' id='try'><h2>Try it</h2>
<p>Type two texts. The page computes both fingerprints as you type; nothing leaves it. Texts are
similar by the paper of 2013 if at most 6 of 64 bits differ; short ones seldom are.</p>
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
<p><label>V of the first text, feature by feature, the highest bit first: a bit is 1 where its sum
is above zero
<input type='range' id='try-step' min='0' value='0'></label></p>
<p id='try-feature'></p><div class='cells' id='try-votes'></div></section>
"""

#: The only script of the page.
_SCRIPT = Path(__file__).parent / "try_it.js"

#: Rows of a table that are shown; all are in its file.
_ROWS = 400


def save_reports_with_page(
    reports: Mapping[str, Report], folder: Path, titles: Mapping[str, str] = ROOMS
) -> Path:
    """Write every exhibit and picture below a folder, and one page of all of them; return it.

    Args:
        reports: by the name of their room.
        folder: new or old; files of the same names are replaced.
        titles: of the reports; before a colon, as the list of contents has them.

    Raises:
        MissingExtra, OutputError: as ``frame.save_report_as_csv_and_png``.
    """
    for room, report in reports.items():
        frame.save_report_as_csv_and_png(report, folder / room)
    page = folder / "index.html"
    with write.whole_file(page) as out:
        out.write(_html_document(_body_parts(reports, titles)).encode())
    return page


def _html_document(body: Iterable[str]) -> str:
    """Return a page in the style of ilk's others; it needs no network, and runs its own script."""
    style, script = pages.read_template_file("style.css") + _STYLE, _SCRIPT.read_text()
    policy = (
        f"default-src 'none'; img-src data:; style-src {pages.content_policy_hash(style)}; "
        f"script-src {pages.content_policy_hash(script)}"
    )
    return "".join(
        (
            "<!doctype html>\n<html lang='en'><head><meta charset='utf-8'>\n",
            "<meta name='viewport' content='width=device-width, initial-scale=1'>\n",
            f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n',
            f"<title>{_TITLE}</title><style>{style}</style></head>\n<body>\n",
            "<header class='top'><div class='wide'><span class='brand'>ilk</span> ",
            "<span class='what'>papers</span></div></header>\n<main class='wide papers'>\n",
            *body,
            f"</main><script>{script}</script></body></html>\n",
        )
    )


def _body_parts(reports: Mapping[str, Report], titles: Mapping[str, str]) -> Iterator[str]:
    yield from _contents_parts(reports, titles)
    yield f"<div><h1>{_TITLE}</h1>\n"
    yield "<p class='soft key'>Cells with a published value beside them: <span class='same'>equal"
    yield "</span> to the last printed digit, <span class='within'>within</span> the range that is "
    yield "printed or measured, <span class='other'>different</span>: the text below says why. "
    yield "Others have none to compare with.</p>\n"
    yield from _words_parts()
    yield _BOX
    for room, report in reports.items():
        yield f"<section id='{room}'><h2>{escape(titles[room])}</h2>\n"
        if room in SUMMARIES:
            yield from _summary_parts(SUMMARIES[room])
        for each in report.exhibits:
            make_parts = _shown_exhibit_parts if each.printed_at_terminal else _linked_exhibit_parts
            yield from make_parts(each, room)
        if report.pictures:
            yield f"<h3 id='{room}-pictures'>Pictures</h3>\n<div class='pictures'>"
        for picture in report.pictures:
            drawn = plots.draw_svg(picture.draw, _FONTS, picture.height)
            data = base64.b64encode(drawn.encode()).decode()
            name = escape(f"{room}: {picture.name}", quote=True)
            yield f"<figure><img alt='{name}' src='data:image/svg+xml;base64,{data}'></figure>\n"
        yield "</div></section>\n" if report.pictures else "</section>\n"
    yield "</div>"


def _words_parts() -> Iterator[str]:
    """Yield the words that the page uses without telling what they mean, folded in."""
    yield "<details class='words' id='words'><summary>The words of this page</summary><dl>"
    for word, meaning in WORDS.items():
        yield f"<dt>{escape(word)}</dt><dd>{escape(meaning)}</dd>"
    yield "</dl></details>\n"


def _summary_parts(summary: Summary) -> Iterator[str]:
    """Yield what a source claims, its method, what came out, and questions before their answers."""
    yield f"<p class='claim'>{escape(summary.claim)}</p>\n<figure class='method'><ol>"
    for step in summary.steps():
        yield f"<li>{escape(step.does)}<code>{escape(step.makes)}</code></li>"
    yield f"</ol></figure>\n<p class='findings'>{escape(summary.findings)}</p>\n"
    for question in summary.questions:
        yield f"<details class='question'><summary>{escape(question.asks)}</summary>"
        yield f"<p>{escape(question.answer)}</p></details>\n"


def _contents_parts(reports: Mapping[str, Report], titles: Mapping[str, str]) -> Iterator[str]:
    """Yield the list of contents: every paper, and its exhibits folded in."""
    yield "<nav aria-label='Contents'><ul><li><a href='#words'>The words of this page</a></li>"
    yield "<li><a href='#try'>Try it: two texts of your own</a></li>"
    for room, report in reports.items():
        title = escape(titles[room].partition(":")[0])
        yield f"<li><details><summary><a href='#{room}'>{title}</a></summary><ol>"
        for each in report.exhibits:
            item = escape(_title_with_slide(each, room))
            yield f"<li><a href='#{room}-{each.name}'>{item}</a></li>"
        if report.pictures:
            yield f"<li><a href='#{room}-pictures'>Pictures</a></li>"
        yield "</ol></details></li>\n"
    yield "</ul></nav>\n"


def _title_with_slide(exhibit: Exhibit, room: str) -> str:
    """Return the title of an exhibit, after its slide if it has one."""
    slide = SLIDES.get(exhibit.name) if room == "lecture" else None
    if slide is None:
        return exhibit.title
    return f"{'Slides' if ' ' in slide else 'Slide'} {slide}: {exhibit.title}"


def _heading_and_file_link(exhibit: Exhibit, room: str) -> tuple[str, str]:
    title = escape(_title_with_slide(exhibit, room))
    heading = f"<div class='exhibit'><h3 id='{room}-{exhibit.name}'>{title}</h3>\n"
    return heading, f"<a href='{room}/{exhibit.name}.csv'>{exhibit.name}.csv</a>"


def _linked_exhibit_parts(exhibit: Exhibit, room: str) -> Iterator[str]:
    heading, link = _heading_and_file_link(exhibit, room)
    yield f"{heading}<p>{exhibit.table.num_rows:,} rows: {link}</p></div>\n"


def _shown_exhibit_parts(exhibit: Exhibit, room: str) -> Iterator[str]:
    heading, link = _heading_and_file_link(exhibit, room)
    yield heading
    numeric = [not pa.types.is_string(kind) for kind in exhibit.table.schema.types]
    heads = map(_heading_cell, exhibit.table.column_names, numeric)
    yield f"<div class='scroll'><table><tr>{''.join(heads)}</tr>\n"
    every = exhibit.table.slice(0, _ROWS).to_pylist()
    for at, row in enumerate(every):
        beside = exhibit.published_row_of.get(at)
        above = row if beside is None else every[beside]
        names = (
            [*row]
            if beside is not None
            else [exhibit.published_column_of.get(name, "") for name in row]
        )
        cells = (
            _value_cell(value, above.get(name), right)
            for value, name, right in zip(row.values(), names, numeric, strict=True)
        )
        yield f"<tr>{''.join(cells)}</tr>\n"
    more = (
        f"{exhibit.table.num_rows - _ROWS:,} more rows in "
        if exhibit.table.num_rows > _ROWS
        else ""
    )
    yield "</table></div>\n"
    yield from (f"<p>{escape(line)}</p>\n" for line in exhibit.note.splitlines())
    yield f"<p class='soft'><small>{more}{link}</small></p></div>\n"


def _heading_cell(name: str, align_right: bool) -> str:
    return f"<th class='n'>{escape(name)}</th>" if align_right else f"<th>{escape(name)}</th>"


def _value_cell(value: frame.Value, published_value: frame.Value, align_right: bool) -> str:
    """Return a cell, coloured by what its value says of the published one, if there is one."""
    kinds = ["n"] if align_right else []
    agreement = frame.agreement_with_published_or_none(published_value, value)
    kinds += [agreement] if agreement else []
    text = escape(frame.format_value_with_two_decimals_of_floats(value))
    return f"<td class='{' '.join(kinds)}'>{text}</td>" if kinds else f"<td>{text}</td>"
