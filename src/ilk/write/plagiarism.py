"""Parts of documents that are in others, for a page: a strip of each text, coloured by source."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any, NamedTuple

from ilk.search.measures import percent
from ilk.write import pages

#: Characters of a text to show, and of original text between two copied stretches.
_SHOWN, _OWN = 40_000, 400

#: Sources to name beside a text, passages of each, and characters of a passage.
_SOURCES, _PASSAGES, _PASSAGE = 20, 8, 220

#: Documents in the table after those with texts.
_ROWS = 10_000

#: Parts of a strip.
_BINS = 240

#: Sources with a colour of their own; all others share the next colour.
_COLOURS = 7


class Piece(NamedTuple):
    """A stretch of a text that is in another document: characters, the end excluded."""

    start: int
    end: int
    source: int
    quoted: bool


class CopySource(NamedTuple):
    """A document that has words of another one; ``quoted`` of them are in quotations."""

    doc: int
    words: int
    quoted: int


class Copied(NamedTuple):
    """The parts of a document that are in others.

    doc, words: the document, and how many words it has.
    sources: the documents that have its words, most first.
    pieces: where they are in its text, in order.
    """

    doc: int
    words: int
    sources: tuple[CopySource, ...]
    pieces: tuple[Piece, ...]

    @property
    def elsewhere(self) -> int:
        """Words that are in another document."""
        return sum(source.words for source in self.sources)

    @property
    def quoted(self) -> int:
        """Those of them that are in quotations."""
        return sum(source.quoted for source in self.sources)


def section(
    title: str,
    meaning: str,
    every: Sequence[Copied],
    names: Mapping[int, str],
    texts: Mapping[int, str | None],
) -> str:
    """Return a section of a page: documents with their texts, and the others as rows of a table.

    Args:
        title, meaning: its heading, and a sentence about what is counted.
        every: what each document shares with others, in the order to show.
        names: of the documents, and of their sources.
        texts: of the documents whose texts are shown.
    """
    total: Counter[int] = Counter()
    for one in every:
        for source in one.sources:
            total[source.doc] += source.words
    ranked = [source for source, _ in total.most_common(_COLOURS)]
    colours = defaultdict(lambda: _COLOURS, {source: at for at, source in enumerate(ranked)})
    shown = [one for one in every if texts.get(one.doc) is not None]
    rest = [one for one in every if texts.get(one.doc) is None]
    return pages.part(
        "plagiarism.html",
        title=title,
        meaning=meaning,
        legend=[(colours[source], names[source]) for source in ranked],
        others=len(total) - len(ranked),
        shown=[_shown(one, names, texts[one.doc] or "", colours) for one in shown],
        rest=[
            (
                names[one.doc],
                _share(one.elsewhere, one),
                _share(one.quoted, one),
                names[one.sources[0].doc] if one.sources else "",
            )
            for one in rest[:_ROWS]
        ],
        beyond=max(0, len(rest) - _ROWS),
    )


def _shown(
    one: Copied, names: Mapping[int, str], text: str, colours: Mapping[int, int]
) -> dict[str, Any]:
    """Return what the template shows of a document."""
    numbers = {source.doc: number for number, source in enumerate(one.sources, 1)}
    found: dict[int, list[tuple[int, str]]] = defaultdict(list)
    for at, piece in enumerate(one.pieces):
        found[piece.source].append((at, " ".join(text[piece.start : piece.end].split())))
    return {
        "doc": one.doc,
        "name": names[one.doc],
        "share": _share(one.elsewhere, one),
        "quoted": _share(one.quoted, one) if one.quoted else "",
        "words": one.words,
        "strip": _strip(one, len(text), colours),
        "parts": list(_parts(one, text, numbers, colours)),
        "sources": [
            {
                "number": numbers[source.doc],
                "colour": colours[source.doc],
                "name": names[source.doc],
                "share": _share(source.words, one),
                "words": source.words,
                "quoted": source.quoted,
                "passages": [
                    (at, words[:_PASSAGE] + (" …" if len(words) > _PASSAGE else ""))
                    for at, words in sorted(found[source.doc], key=lambda row: -len(row[1]))[
                        :_PASSAGES
                    ]
                ],
            }
            for source in one.sources[:_SOURCES]
        ],
        "more": max(0, len(one.sources) - _SOURCES),
    }


class Part(NamedTuple):
    """A part of a text: copied from a source by number, the document's own, or a note."""

    text: str
    at: int = -1
    number: int = 0
    colour: int = 0
    quoted: bool = False
    note: bool = False


def _parts(
    one: Copied, text: str, numbers: Mapping[int, int], colours: Mapping[int, int]
) -> Iterator[Part]:
    """Yield a text with copied parts marked, and long original stretches shortened."""
    at, room = 0, _SHOWN
    for index, piece in enumerate(one.pieces):
        yield from _own(text[at : piece.start])
        if room <= 0:
            yield Part(" [and so on: ilk compare --html]", note=True)
            return
        words = text[piece.start : min(piece.end, piece.start + room)]
        source = piece.source
        yield Part(words, index, numbers[source], colours[source], piece.quoted)
        room -= piece.end - piece.start
        at = piece.end
    yield from _own(text[at:])


def _own(text: str) -> Iterator[Part]:
    if len(text) <= 3 * _OWN:
        yield Part(text)
        return
    yield Part(text[:_OWN])
    yield Part(f" [… {len(text) - 2 * _OWN:,} characters found only here …] ", note=True)
    yield Part(text[-_OWN:])


def _strip(
    one: Copied, size: int, colours: Mapping[int, int]
) -> list[tuple[float, float, int, bool]]:
    """Return the copied stretches of a text: place and width in percent, colour, and quotation."""
    bins: list[tuple[int, bool] | None] = [None] * _BINS
    for quoted in (True, False):
        for piece in one.pieces:
            if piece.quoted == quoted:
                first = piece.start * _BINS // max(size, 1)
                last = max(first, (piece.end - 1) * _BINS // max(size, 1))
                bins[first : last + 1] = [(colours[piece.source], quoted)] * (last + 1 - first)
    found, at = [], 0
    for kind, group in groupby(bins):
        width = len(list(group))
        if kind is not None:
            found.append((100 * at / _BINS, 100 * width / _BINS, *kind))
        at += width
    return found


def _share(words: int, one: Copied) -> str:
    return percent(words / max(one.words, 1))
