"""Parts of documents that are in others, for a page: a strip of each text, coloured by source."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any, NamedTuple

from ilk.search.measures import percent
from ilk.write import pages
from ilk.write.pages import common
from ilk.write.report import Page

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

#: What words that are elsewhere are in: the text itself, a quotation, a list of references.
KINDS = ("plain", "quoted", "cited")


class Piece(NamedTuple):
    """A stretch of a text that is in another document: characters, the end excluded."""

    start: int
    end: int
    source: int
    kind: str


class CopySource(NamedTuple):
    """A document that has words of another one: some in quotations, some in references."""

    doc: int
    words: int
    quoted: int
    cited: int


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

    @property
    def cited(self) -> int:
        """Those of them that are in lists of references."""
        return sum(source.cited for source in self.sources)


def page(
    title: str,
    meaning: str,
    every: Sequence[Copied],
    of: int,
    names: Mapping[int, str],
    texts: Mapping[int, str | None],
) -> Page:
    """Return the beginning of a page, and a part of it: documents with their texts, then a table.

    Args:
        title, meaning: the heading of the part, and a sentence about what is counted.
        every: what each document shares with others, in the order to show.
        of: how many documents were looked at.
        names: of the documents, and of their sources.
        texts: of the documents whose texts are shown.
    """
    total: Counter[int] = Counter()
    for one in every:
        total.update({source.doc: source.words for source in one.sources})
    ranked = [source for source, _ in total.most_common(_COLOURS)]
    colours = defaultdict(lambda: _COLOURS, {source: at for at, source in enumerate(ranked)})
    own = common([names[one.doc] for one in every])
    others = common([names[source] for source in total])
    named = {doc: name.removeprefix(others) for doc, name in names.items()}
    named |= {one.doc: names[one.doc].removeprefix(own) for one in every}
    shown = [one for one in every if texts.get(one.doc) is not None]
    rest = [one for one in every if texts.get(one.doc) is None]
    part = pages.part(
        "plagiarism.html",
        title=title,
        own=own,
        others_folder=others,
        legend=[(colours[source], named[source]) for source in ranked],
        others=len(total) - len(ranked),
        kinds={piece.kind for one in every for piece in one.pieces},
        shown=[_shown(one, named, texts[one.doc] or "", colours) for one in shown],
        none=of - len(every),
        rest=[
            (
                named[one.doc],
                *(percent(n / max(one.words, 1)) for n in (one.elsewhere, one.quoted, one.cited)),
                named[one.sources[0].doc] if one.sources else "",
            )
            for one in rest[:_ROWS]
        ],
        beyond=max(0, len(rest) - _ROWS),
    )
    words = sum(one.elsewhere for one in every)
    apart = sum(one.quoted + one.cited for one in every)
    facts = [("with words of others", len(every)), ("words of others", words)]
    facts += [("of these in quotations or references", apart)] if apart else []
    facts += [("sources of them", len(total))]
    head = f"{len(every):,} of {pages.counted(of, 'document')} have words of others"
    return Page(
        head if every else f"No words of others in {pages.counted(of, 'document')}",
        meaning,
        facts,
        part,
    )


def _shown(
    one: Copied, names: Mapping[int, str], text: str, colours: Mapping[int, int]
) -> dict[str, Any]:
    """Return what the template shows of a document."""
    numbers = {source.doc: number for number, source in enumerate(one.sources, 1)}
    found: dict[int, list[tuple[int, str]]] = defaultdict(list)
    for at, piece in enumerate(one.pieces):
        words = " ".join(text[piece.start : piece.end].split())
        found[piece.source].append((at, words))
    return {
        "one": one,
        "name": names[one.doc],
        "names": names,
        "colours": colours,
        "numbers": numbers,
        "strip": _strip(one, len(text), colours),
        "parts": list(_parts(one, text)),
        "sources": [
            (source, sorted(found[source.doc], key=lambda row: -len(row[1]))[:_PASSAGES])
            for source in one.sources[:_SOURCES]
        ],
        "most": _PASSAGE,
        "more": max(0, len(one.sources) - _SOURCES),
    }


def _parts(one: Copied, text: str) -> Iterator[tuple[str, int, Piece | None]]:
    """Yield a text in parts: characters, the number of a copied piece, and the piece.

    The number is -1 for the document's own words, which are shortened, and -2 for a note.
    """
    at, room = 0, _SHOWN
    for index, piece in enumerate(one.pieces):
        yield from _own(text[at : piece.start])
        if room <= 0:
            yield " [and so on: ilk compare --html]", -2, None
            return
        yield text[piece.start : min(piece.end, piece.start + room)], index, piece
        room -= piece.end - piece.start
        at = piece.end
    yield from _own(text[at:])


def _own(text: str) -> Iterator[tuple[str, int, None]]:
    if len(text) <= 3 * _OWN:
        yield text, -1, None
        return
    yield text[:_OWN], -1, None
    yield f" [… {len(text) - 2 * _OWN:,} characters found only here …] ", -2, None
    yield text[-_OWN:], -1, None


def _strip(
    one: Copied, size: int, colours: Mapping[int, int]
) -> list[tuple[float, float, int, str]]:
    """Return the copied stretches of a text: place and width in percent, colour, and kind."""
    bins: list[tuple[int, str] | None] = [None] * _BINS
    for piece in sorted(one.pieces, key=lambda piece: piece.kind == "plain"):
        first = piece.start * _BINS // max(size, 1)
        last = max(first, (piece.end - 1) * _BINS // max(size, 1))
        bins[first : last + 1] = [(colours[piece.source], piece.kind)] * (last + 1 - first)
    found, at = [], 0
    for kind, group in groupby(bins):
        width = len(list(group))
        if kind is not None:
            found.append((100 * at / _BINS, 100 * width / _BINS, *kind))
        at += width
    return found
