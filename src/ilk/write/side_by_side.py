"""Two texts side by side as an HTML page: what they share, what differs, what has moved."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from html import escape
from itertools import islice
from typing import NamedTuple

from ilk.search.differences import CHANGED, SAME, Differences, Stretch, letters
from ilk.write.markup import document

#: Equal words to show beside a change; the rest is folded.
_BESIDE = 30

#: A word between white space, or a part of a very long one.
_WORD = re.compile(r"\s*\S{1,40}\s*")

#: Parts of the bar that shows a text.
_BINS = 240

#: The style of rows of differences, in a page with the colour names of ``write.markup``.
ROWS_STYLE = """
.row { display: grid; grid-template-columns: 1fr 1fr; gap: 1.2rem; padding: .25rem 0; }
.row > * { min-width: 0; overflow-wrap: anywhere; white-space: pre-wrap; }
.here, :target { outline: 2px solid; outline-offset: 2px; }
details { border: 1px dashed var(--edge); border-radius: .3rem; margin: .2rem 0; }
summary { cursor: pointer; color: var(--faint); text-align: center; padding: .1rem; }
details .row { padding: .5rem; }
@media (max-width: 40rem) { .row { grid-template-columns: 1fr; gap: .3rem;
  border-bottom: 1px solid var(--edge); } }
"""

_STYLE = f"""
{ROWS_STYLE}
header.sticky {{ position: sticky; top: 0; background: var(--paper); padding: .4rem 0;
  border-bottom: 1px solid var(--edge); z-index: 1; }}
nav button {{ font: inherit; padding: .2rem .7rem; }}
.names {{ display: grid; grid-template-columns: 1fr 1fr; gap: 1.2rem; font-weight: 600; }}
.names > * {{ min-width: 0; overflow-wrap: anywhere; white-space: pre-wrap; }}
svg.bar {{ width: 100%; height: 1.1rem; display: block; border: 1px solid var(--edge); }}
.key {{ display: flex; flex-wrap: wrap; gap: 1rem; color: var(--faint); font-size: .9rem; }}
.key svg {{ width: 1.2rem; height: .9rem; vertical-align: middle; border: 1px solid var(--edge); }}
@media (max-width: 40rem) {{ .names {{ grid-template-columns: 1fr; gap: .3rem; }} }}
@media print {{ header.sticky {{ position: static; }} nav {{ display: none; }} }}
"""

_SCRIPT = """
"use strict";
(() => {
  const changes = [...document.querySelectorAll("[data-change]")];
  const place = document.getElementById("place");
  let at = -1;
  const go = (step) => {
    if (!changes.length) return;
    if (at >= 0) changes[at].classList.remove("here");
    at = at < 0 && step < 0 ? changes.length - 1 : (at + step + changes.length) % changes.length;
    const row = changes[at];
    row.classList.add("here");
    row.scrollIntoView({block: "center"});
    row.focus({preventScroll: true});
    place.textContent = `${at + 1} of ${changes.length}`;
  };
  document.getElementById("next").addEventListener("click", () => go(1));
  document.getElementById("previous").addEventListener("click", () => go(-1));
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "n" || event.key === "j") go(1);
    if (event.key === "p" || event.key === "k") go(-1);
  });
})();
"""

#: Patterns that distinguish parts of a bar even in black and white.
_PATTERNS = """
<svg width="0" height="0" aria-hidden="true" style="position:absolute"><defs>
<pattern id="changed" width="9" height="3" patternUnits="userSpaceOnUse">
<rect width="9" height="3" fill="#c0392b"/><rect width="9" height="1" fill="var(--paper)"/>
</pattern><pattern id="moved" width="9" height="9" patternUnits="userSpaceOnUse">
<rect width="9" height="9" fill="#2e6fd8"/></pattern></defs></svg>
"""


class Side(NamedTuple):
    """A text and its name for people."""

    name: str
    text: str


def html(
    left: Side,
    right: Side,
    found: Differences,
    meaning: str,
    measures: Iterable[tuple[str, str]],
    *,
    wrong: bool = False,
) -> str:
    """Return the page.

    Args:
        left, right: the texts.
        found: how the left one becomes the right one.
        meaning: the measures in a sentence.
        measures: names and values, one row each.
        wrong: whether to mark wrong characters within words.
    """
    lines = list(rows(left.text, right.text, found, wrong=wrong))
    count = sum("data-change" in row for row in lines)
    title = f"{left.name} and {right.name}"
    parts = (
        _PATTERNS,
        f"<h1>{escape(title)}</h1><p>{escape(meaning)}</p>",
        "<table>",
        *(f"<tr><th>{escape(a)}</th><td>{escape(b)}</td></tr>" for a, b in measures),
        "</table>",
        _key(),
        "<header class='sticky'><div class='names'>",
        f"<div>{escape(left.name)}</div><div>{escape(right.name)}</div></div>",
        "<div class='row'>",
        _bar(left, found, 0),
        _bar(right, found, 1),
        "</div><nav><button id='previous' title='key p'>previous</button> ",
        "<button id='next' title='key n'>next difference</button> ",
        f"<span id='place' role='status'>{count:,} differences</span></nav></header>\n",
        "\n".join(lines),
    )
    return document(title, _STYLE, parts, _SCRIPT)


def _key() -> str:
    """Return the key to the marks."""

    def sample(fill: str) -> str:
        return f"<svg aria-hidden='true'><rect width='100%' height='100%' fill='{fill}'/></svg>"

    return (
        f"<p class='key'><span>{sample('none')} equal words</span>"
        f"<span>{sample('url(#changed)')} <del>only here</del> / <ins>only there</ins></span>"
        f"<span>{sample('url(#moved)')} <a class='moved'>elsewhere in the other</a></span>"
        "<span>keys: n next, p previous</span></p>"
    )


def _bar(side: Side, found: Differences, which: int) -> str:
    """Return a bar that shows where a text differs, from its beginning to its end."""
    size = max(1, len(side.text))
    kinds = [""] * _BINS

    def mark(spans: Iterable[tuple[int, int]], kind: str) -> None:
        for start, end in spans:
            for at in range(start * _BINS // size, min(_BINS - 1, end * _BINS // size) + 1):
                kinds[at] = kind

    changed = (stretch for stretch in found.stretches if stretch.kind == CHANGED)
    mark((span for span in (_side(each, which) for each in changed) if span[0] < span[1]), CHANGED)
    mark(((each[2 * which], each[2 * which + 1]) for each in found.moves), "moved")
    rects = "".join(
        f"<rect x='{at}' width='1.02' height='12' fill='url(#{kind})'/>"
        for at, kind in enumerate(kinds)
        if kind
    )
    share = sum(map(bool, kinds)) / _BINS
    label = f"{escape(side.name, quote=True)}: {share:.0%} of its length differs or has moved"
    return (
        f'<svg class="bar" role="img" aria-label="{label}" viewBox="0 0 {_BINS} 12" '
        f'preserveAspectRatio="none">{rects}</svg>'
    )


def _side(stretch: Stretch, which: int) -> tuple[int, int]:
    return (stretch[1], stretch[2]) if which == 0 else (stretch[3], stretch[4])


def rows(
    left: str, right: str, found: Differences, place: str = "", *, wrong: bool = False
) -> Iterator[str]:
    """Yield rows of the two columns, as HTML; long equal stretches are folded.

    Args:
        left, right: the texts.
        found: how the left one becomes the right one.
        place: a prefix for link targets, if a page has several such tables.
        wrong: whether to mark wrong characters within words.
    """
    moves = [
        sorted((move[2 * w], move[2 * w + 1], n) for n, move in enumerate(found.moves))
        for w in (0, 1)
    ]
    cells: tuple[list[str], list[str]] = ([], [])
    changed = False
    here, there = f"{place}l", f"{place}r"

    def row() -> str:
        attributes = " data-change tabindex='-1'" if changed else ""
        text = f"<div class='row'{attributes}><div dir='auto'>{''.join(cells[0])}</div>"
        text += f"<div dir='auto'>{''.join(cells[1])}</div></div>"
        cells[0].clear()
        cells[1].clear()
        return text

    for at, stretch in enumerate(found.stretches):
        ours = left[stretch.left_start : stretch.left_end]
        theirs = right[stretch.right_start : stretch.right_end]
        if stretch.kind == CHANGED:
            changed = True
            spelled = letters(ours, theirs) if wrong else None
            if spelled is not None:
                cells[0].extend(escape(a) + _tagged("del", b) for a, b, _ in spelled)
                cells[1].extend(escape(a) + _tagged("ins", c) for a, _, c in spelled)
                continue
            cells[0].append(_marked(ours, stretch.left_start, moves[0], "del", here, there))
            cells[1].append(_marked(theirs, stretch.right_start, moves[1], "ins", there, here))
            continue
        first, last = at == 0, at == len(found.stretches) - 1
        around = 0 if first else _BESIDE, 0 if last else _BESIDE
        head, middle, tail = _folded(ours, *around)
        begin, between, end = _folded(theirs, *around)
        if stretch.left_words <= 2 * _BESIDE + 10 or not (middle and between):
            cells[0].append(escape(ours))
            cells[1].append(escape(theirs))
            continue
        cells[0].append(escape(head))
        cells[1].append(escape(begin))
        if cells[0] != [""]:
            yield row()
        words = stretch.left_words - (not first) * _BESIDE - (not last) * _BESIDE
        yield (
            f"<details><summary>{words:,} equal words</summary><div class='row'>"
            f"<div dir='auto'>{escape(middle)}</div>"
            f"<div dir='auto'>{escape(between)}</div></div></details>"
        )
        cells[0].clear()
        cells[1].clear()
        cells[0].append(escape(tail))
        cells[1].append(escape(end))
        changed = False
    if any(map("".join, cells)):
        yield row()


def _folded(text: str, head: int, tail: int) -> tuple[str, str, str]:
    """Return the first words of a text, the middle, and the last words.

    Words here are separated by white space: they differ from those of a recipe, and may be fewer.
    To fold texts without spaces too, no word is longer than 40 characters.
    """
    begin = _reach(text, head)
    end = len(text) - _reach(text[::-1], tail)
    return (text[:begin], text[begin:end], text[end:]) if begin < end else (text, "", "")


def _reach(text: str, words: int) -> int:
    """Return where the first words of a text end, without reading a long text to its end."""
    at = 0
    for match in islice(_WORD.finditer(text), words):
        at = match.end()
    return at


def _marked(
    text: str, offset: int, moves: Sequence[tuple[int, int, int]], tag: str, own: str, other: str
) -> str:
    """Return a changed text in which moved parts are linked to their other places."""
    marked, at = [], 0

    def plain(end: int) -> None:
        marked.append(_tagged(tag, text[at:end]))

    for start, stop, number in moves:
        begin, end = start - offset, stop - offset
        if begin < at or end > len(text):
            continue
        plain(begin)
        inner = escape(text[begin:end])
        link = f"id='{own}{number}' href='#{other}{number}' title='elsewhere in the other'"
        marked.append(f"<a class='moved' {link}>{inner}</a>")
        at = end
    plain(len(text))
    return "".join(marked)


def _tagged(tag: str, text: str) -> str:
    """Return a text in a tag, or mere white space without one."""
    return f"<{tag}>{escape(text)}</{tag}>" if text.strip() else escape(text)


def pieces(
    left: str, right: str, found: Differences, *, wrong: bool = False
) -> Iterator[tuple[str, str]]:
    """Yield the differences as pieces for a terminal: a role, and a text.

    Roles are ``same``, ``faint`` (a note instead of equal words), ``gone`` (only in the left),
    ``new`` (only in the right), and ``away`` and ``moved`` (in the left and in the right one, but
    elsewhere in the other). With ``wrong``, stretches that are alike except for some characters are
    ``wrong``, with marks within their words.
    """
    moved = sorted((move.right_start, move.right_end) for move in found.moves)
    away = sorted((move.left_start, move.left_end) for move in found.moves)
    for at, stretch in enumerate(found.stretches):
        ours = left[stretch.left_start : stretch.left_end]
        if stretch.kind == SAME:
            first, last = at == 0, at == len(found.stretches) - 1
            if stretch.left_words > 2 * _BESIDE:
                near = _BESIDE // 2
                head, middle, tail = _folded(ours, 0 if first else near, 0 if last else near)
                yield "same", head
                if middle:
                    hidden = stretch.left_words - (not first) * near - (not last) * near
                    yield "faint", f"[... {hidden:,} equal words ...] "
                    yield "same", tail
            else:
                yield "same", ours
            continue
        theirs = right[stretch.right_start : stretch.right_end]
        spelled = letters(ours, theirs) if wrong else None
        if spelled is not None:
            yield "wrong", "".join(map(_spelled, spelled))
            continue
        yield from _cut(ours, stretch.left_start, away, "gone", "away")
        yield from _cut(theirs, stretch.right_start, moved, "new", "moved")


def _spelled(letters: tuple[str, str, str]) -> str:
    """Return characters with marks around those of only one text."""
    same, gone, new = letters
    return same + (f"[-{gone}-]" if gone else "") + (f"{{+{new}+}}" if new else "")


def _cut(
    text: str, offset: int, spans: Sequence[tuple[int, int]], role: str, moved: str
) -> Iterator[tuple[str, str]]:
    at = 0
    for start, end in spans:
        if at <= start - offset and end - offset <= len(text):
            yield role, text[at : start - offset]
            yield moved, text[start - offset : end - offset]
            at = end - offset
    yield role, text[at:]
