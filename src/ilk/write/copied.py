"""Parts of documents that are in others, for a page: a heat bar and the text of each, by source."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from html import escape
from itertools import groupby
from typing import Protocol

from ilk.search.measures import percent
from ilk.write.markup import table

#: Characters of a text to show, and of original text between two copied stretches.
_SHOWN, _OWN = 40_000, 400

#: Sources to name beside a text, and documents in the table after those with texts.
_SOURCES, _ROWS = 20, 10_000

#: Parts of a heat bar.
_BINS = 240

STYLE = """
.heat { width: 100%; height: 1.1rem; display: block; border: 1px solid var(--edge); }
.copied { background: var(--gone); color: inherit; }
.quoted { background: none; color: inherit; text-decoration: underline dotted; }
.copied sup, .quoted sup { font-size: .7rem; }
details.heated { border-bottom: 1px solid var(--edge); padding: .4rem 0; }
"""

_PATTERNS = """
<svg width="0" height="0" aria-hidden="true" style="position:absolute"><defs>
<pattern id="quoted" width="4" height="12" patternUnits="userSpaceOnUse">
<rect width="1.3" height="12" fill="#2e6fd8"/></pattern></defs></svg>
"""


class Stretch(Protocol):
    """As ``ilk.tasks.copied.Piece``."""

    @property
    def start(self) -> int:
        """First character."""

    @property
    def end(self) -> int:
        """The character after the last."""

    @property
    def source(self) -> int:
        """The document that has its words."""

    @property
    def quoted(self) -> bool:
        """Whether it is in a quotation."""


class Shown(Protocol):
    """As ``ilk.tasks.copied.Copied``."""

    @property
    def doc(self) -> int:
        """The document."""

    @property
    def words(self) -> int:
        """Its words."""

    @property
    def elsewhere(self) -> int:
        """Those that are elsewhere."""

    @property
    def quoted(self) -> int:
        """Those of them that are in quotations."""

    @property
    def sources(self) -> Sequence[tuple[int, int, int]]:
        """Documents that have its words, how many words, and how many of these in quotations."""

    @property
    def pieces(self) -> Sequence[Stretch]:
        """Where they are in its text."""


def section(
    title: str,
    meaning: str,
    every: Sequence[Shown],
    names: Mapping[int, str],
    texts: Mapping[int, str | None],
) -> Iterator[str]:
    """Yield a section of a page: documents with their texts, and the others as rows of a table.

    Args:
        title, meaning: its heading, and a sentence about what is counted.
        every: what each document shares with others, in the order to show.
        names: of the documents, and of their sources.
        texts: of the documents whose texts are shown.
    """
    yield f"{_PATTERNS}<h2 id='copied'>{escape(title)}</h2><p>{escape(meaning)}</p>\n"
    yield (
        "<p>In the bar of a text, from beginning to end: <mark class='copied'>filled</mark> "
        "where its words are also elsewhere, <mark class='quoted'>striped</mark> where they are in "
        "quotation marks or after &gt;. Click it to read.</p>\n"
    )
    shown = [one for one in every if texts.get(one.doc) is not None]
    for one in shown:
        yield from _heated(one, names, texts[one.doc] or "")
    rest = [one for one in every if texts.get(one.doc) is None]
    if rest:
        heads = ("document", "elsewhere", "in quotations", "most in")
        rows = [
            (
                names[one.doc],
                _share(one.elsewhere, one),
                _share(one.quoted, one),
                _first(one, names),
            )
            for one in rest[:_ROWS]
        ]
        yield f"<details><summary>{len(rest):,} more, without their texts</summary>"
        yield table(heads, rows)
        if len(rest) > _ROWS:
            yield f"<p class='faint'>and {len(rest) - _ROWS:,} with less</p>"
        yield "</details>\n"


def _heated(one: Shown, names: Mapping[int, str], text: str) -> Iterator[str]:
    quoted = f", {_share(one.quoted, one)} in quotations" if one.quoted else ""
    summary = f"{_share(one.elsewhere, one)} elsewhere{quoted}"
    yield (
        f"<details class='heated'><summary><span class='name'>{escape(names[one.doc])}</span>: "
        f"{summary}{_bar(one, len(text), summary)}</summary>"
    )
    numbers = {source: number for number, (source, _, _) in enumerate(one.sources, 1)}
    rows = [
        (f"[{numbers[source]}] {names[source]}", _share(words, one), words, among)
        for source, words, among in one.sources[:_SOURCES]
    ]
    yield table(("stands in", "share", "words", "quoted"), rows)
    if len(one.sources) > _SOURCES:
        yield f"<p class='faint'>and {len(one.sources) - _SOURCES:,} more with less</p>"
    yield f"<div class='text'>{''.join(_marked(one, text, numbers))}</div></details>\n"


def _marked(one: Shown, text: str, numbers: Mapping[int, int]) -> Iterator[str]:
    """Yield a text with copied parts marked, and long original stretches shortened."""
    at, room = 0, _SHOWN
    for piece in one.pieces:
        yield _own(text[at : piece.start])
        if room <= 0:
            yield "<span class='faint'>[... and so on: ilk compare --html]</span>"
            return
        kind = "quoted" if piece.quoted else "copied"
        words = escape(text[piece.start : min(piece.end, piece.start + room)])
        yield f"<mark class='{kind}'>{words}<sup>[{numbers[piece.source]}]</sup></mark>"
        room -= piece.end - piece.start
        at = piece.end
    yield _own(text[at:])


def _own(text: str) -> str:
    if len(text) <= 3 * _OWN:
        return escape(text)
    left = len(text) - 2 * _OWN
    between = f"<span class='faint'> [... {left:,} characters found only here ...] </span>"
    return f"{escape(text[:_OWN])}{between}{escape(text[-_OWN:])}"


def _bar(one: Shown, size: int, label: str) -> str:
    """Return a bar in which the copied parts of a text are filled."""
    kinds = [""] * _BINS
    for kind in ("quoted", "copied"):
        for piece in one.pieces:
            if piece.quoted == (kind == "quoted"):
                first = piece.start * _BINS // max(size, 1)
                last = max(first, (piece.end - 1) * _BINS // max(size, 1))
                kinds[first : last + 1] = [kind] * (last + 1 - first)
    fills = {"quoted": "url(#quoted)", "copied": "#c0392b"}
    rects, at = "", 0
    for kind, bins in groupby(kinds):
        width = len(list(bins))
        if kind:
            rects += f"<rect x='{at}' width='{width}' height='12' fill='{fills[kind]}'/>"
        at += width
    return (
        f"<svg class='heat' role='img' aria-label='{label}' viewBox='0 0 {_BINS} 12' "
        f"preserveAspectRatio='none'>{rects}</svg>"
    )


def _share(words: int, one: Shown) -> str:
    return percent(words / max(one.words, 1))


def _first(one: Shown, names: Mapping[int, str]) -> str:
    return names[one.sources[0][0]] if one.sources else ""
