"""Parts of documents that are in others, for a page: a strip of each text, coloured by source."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from ilk.search.measures import percent
from ilk.write import pages
from ilk.write.pages import common
from ilk.write.report import Page

#: Characters of a text to show, sources to name beside it, passages of each, and characters of one.
_SHOWN, _SOURCES, _PASSAGES, _PASSAGE = 40_000, 20, 8, 220

#: Documents in the table after those with texts.
_ROWS = 10_000

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
    facts += [(f"source{'s' * (len(total) != 1)} of them", len(total))]
    has = "has" if len(every) == 1 else "have"
    head = f"{len(every):,} of {pages.counted(of, 'document')} {has} words of others"
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
    found: dict[int, list[tuple[int, str]]] = defaultdict(list)
    for at, piece in enumerate(one.pieces):
        words = " ".join(text[piece.start : piece.end].split())
        found[piece.source].append((at, words))
    sources = [
        (source, sorted(found[source.doc], key=lambda row: -len(row[1]))[:_PASSAGES])
        for source in one.sources[:_SOURCES]
    ]
    return {
        "one": one,
        "names": names,
        "colours": colours,
        "numbers": {source.doc: number for number, source in enumerate(one.sources, 1)},
        "size": max(len(text), 1),
        "strip": sorted(one.pieces, key=lambda piece: piece.kind == "plain"),
        "parts": list(_parts(one, text)),
        "cut": max(0, len(text) - _SHOWN),
        "sources": sources,
        "most": _PASSAGE,
        "more": max(0, len(one.sources) - _SOURCES),
    }


def _parts(one: Copied, text: str) -> Iterator[tuple[str, int, Piece | None]]:
    """Yield a text in parts: characters, and for a copied piece its number and itself."""
    at, text = 0, text[:_SHOWN]
    for number, piece in enumerate(one.pieces):
        yield text[at : piece.start], -1, None
        yield text[piece.start : piece.end], number, piece
        at = piece.end
        if at >= len(text):
            return
    yield text[at:], -1, None
