"""Parts of documents that are in others, for a page: a strip of each text, coloured by source."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any, NamedTuple, TypeAlias

import pyarrow as pa

from ilk.search.measures import format_percent
from ilk.search.pair_passages import PairPassages
from ilk.search.programs import NameChange
from ilk.write.families import ReadTexts
from ilk.write.pages import common_folder_prefix
from ilk.write.side_by_side import MarkedTexts, cut_at_passages

#: Characters of a text to show, sources to name beside it, and passages of each.
_SHOWN, _SOURCES, _PASSAGES = 40_000, 20, 8

#: Documents that stand side by side with a source.
_PAIRS = 20

#: A share that is always above the line, and the narrowest gap at which one is drawn. A document
#: with a quarter of its words from others is to be looked at however many have more; at a larger
#: share, a gap among those that copied much could put some of them below. Below a hundredth, the
#: widest gap of a class in which nobody copied would be drawn as a line. Nothing is dropped by it.
_SURE, _LEAST_GAP = 0.25, 0.01

#: Documents in the table after those with texts.
_ROWS = 10_000

#: Sources with a colour of their own; all others share the next colour.
_COLOURS = 7

#: How many words are elsewhere: all, and those in quotations and in lists of references.
_COUNTS = ("words", "quoted", "cited")

#: What CSV and Parquet say of words that are elsewhere: a row per document and source.
_SHARES = pa.schema(
    [("source", pa.string())]
    + [(name, pa.int64()) for name in ("words", "elsewhere", "quoted", "cited")]
    + [("share", pa.float64()), ("from", pa.string())]
    + [(f"from_{name}", pa.int64()) for name in _COUNTS]
)

#: What words that are elsewhere are in: the text itself, a quotation, a list of references.
KINDS = ("plain", "quoted", "cited")


class CopiedPiece(NamedTuple):
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


class CopiedParts(NamedTuple):
    """The parts of a document that are in others.

    doc, words: the document, and how many words it has.
    elsewhere, quoted, cited: those that are in another document; of these, those in quotations, and
        those in lists of references.
    evidence: the words elsewhere, each counted the less the more places have it.
    sources: the documents that have its words, most first.
    pieces: where they are in its text, in order.
    """

    doc: int
    words: int
    elsewhere: int
    quoted: int
    cited: int
    evidence: float
    sources: tuple[CopySource, ...]

    def shift_document_numbers(self, step: int) -> CopiedParts:
        """Return the same with other numbers for the documents: ``step`` is added."""
        return self._replace(
            doc=self.doc + step,
            sources=tuple(source._replace(doc=source.doc + step) for source in self.sources),
            pieces=tuple(piece._replace(source=piece.source + step) for piece in self.pieces),
        )

    @property
    def share(self) -> float:
        """The share of its words that are elsewhere."""
        return self.elsewhere / max(self.words, 1)

    pieces: tuple[CopiedPiece, ...]


def copied_word_counts_as_dicts(
    copied_parts: Iterable[CopiedParts], source_names: pa.ChunkedArray
) -> list[dict[str, Any]]:
    """Return as plain values, by document and source, how much is elsewhere."""

    def name_and_word_counts(one: CopiedParts | CopySource) -> dict[str, Any]:
        return {
            "source": source_names[one.doc].as_py(),
            **{name: getattr(one, name) for name in _COUNTS},
        }

    return [
        name_and_word_counts(one)
        | {"share": one.elsewhere / max(one.words, 1), "elsewhere": one.elsewhere}
        | {"sources": [name_and_word_counts(source) for source in one.sources]}
        for one in copied_parts
    ]


def table_of_copied_words_by_source(word_counts: Sequence[Mapping[str, Any]]) -> pa.Table:
    """Return which words of documents are elsewhere, a row for each document and each source."""
    rows = [
        {
            **{name: one[name] for name in _SHARES.names if name in one},
            "from": each["source"],
            **{f"from_{name}": each[name] for name in _COUNTS},
        }
        for one in word_counts
        for each in one["sources"]
    ]
    return pa.Table.from_pylist(rows, _SHARES)


class DividingLine(NamedTuple):
    """Where the shares of documents part: a person should look at those above.

    lowest, highest: the smallest share above the line, and the largest below it.
    above, below: how many documents.
    """

    lowest: float
    highest: float
    above: int
    below: int

    @property
    def lowest_above_as_percent(self) -> str:
        """The smallest share above the line, as it stands beside its document."""
        return format_percent(self.lowest)

    @property
    def highest_below_as_percent(self) -> str:
        """The largest share below the line, as it stands beside its document."""
        return format_percent(self.highest)


def find_dividing_line_if_any(shares: Iterable[float]) -> DividingLine | None:
    """Return where shares part: at the widest gap between two neighbours.

    All shares from a quarter on count as a quarter, so none of them is below the line. Without a
    gap of a hundredth, there is no line.

    >>> find_dividing_line_if_any([0.9, 0.4, 0.31, 0.04, 0.02])
    DividingLine(lowest=0.31, highest=0.04, above=3, below=2)
    """
    shares_highest_first = sorted(shares, reverse=True)
    gaps = [
        (min(upper, _SURE) - lower, number)
        for number, (upper, lower) in enumerate(pairwise(shares_highest_first), 1)
        if lower < _SURE
    ]
    # Of equal gaps the upper one, which leaves fewest documents above it.
    widest, above = max(gaps, key=lambda gap: (gap[0], -gap[1]), default=(0.0, 0))
    if widest < _LEAST_GAP:
        return None
    return DividingLine(
        shares_highest_first[above - 1],
        shares_highest_first[above],
        above,
        len(shares_highest_first) - above,
    )


#: Returns the passages of two documents, of their numbers and texts.
FindPair: TypeAlias = Callable[[tuple[int, int], tuple[str, str]], PairPassages]


class MarkedPair(NamedTuple):
    """Two texts side by side: both in parts, and the names that were changed.

    cut: how many characters of both are not shown.
    """

    marked_texts: MarkedTexts
    name_changes: Sequence[NameChange]
    cut: int


def read_values_of_copied_page(
    copied_parts: Sequence[CopiedParts],
    documents: pa.Table,
    read_texts: ReadTexts,
    *,
    shares_of_all_copied_documents: Sequence[float],
    most_shown: int,
    least_words: int,
    among: bool,
    find_pair: FindPair | None = None,
) -> dict[str, Any]:
    """Read some texts; return what a page shows: ``most_shown`` with their texts, others as rows.

    ``shares_of_all_copied_documents`` are those of all documents with words of others;
    ``copied_parts`` may have fewer documents. ``least_words`` and ``among`` are what was looked
    for, as for ``SearchResult.copied_parts``. With ``find_pair``, the first 20 documents above the
    line stand side by side with the source of most of their words.
    """
    line = find_dividing_line_if_any(shares_of_all_copied_documents)
    if line is not None:
        copied_parts = sorted(copied_parts, key=lambda one: one.share < line.lowest)
    total: Counter[int] = Counter()
    for one in copied_parts:
        total.update({source.doc: source.words for source in one.sources})
    docs = [one.doc for one in copied_parts[:most_shown]]
    texts = dict(zip(docs, read_texts(docs), strict=True))
    named = sorted({one.doc for one in copied_parts} | total.keys())
    rows = documents.select(["source", "id"]).take(pa.array(named, pa.int64())).to_pylist()
    names = {
        doc: row["source"] if row["id"] is None else f"{row['source']} ({row['id']})"
        for doc, row in zip(named, rows, strict=True)
    }
    largest_sources = [source for source, _ in total.most_common(_COLOURS)]
    colours = defaultdict(
        lambda: _COLOURS, {source: at for at, source in enumerate(largest_sources)}
    )
    own = common_folder_prefix([names[one.doc] for one in copied_parts])
    folder = common_folder_prefix([names[source] for source in total])
    short = {doc: name.removeprefix(folder) for doc, name in names.items()}
    short |= {one.doc: names[one.doc].removeprefix(own) for one in copied_parts}
    rest = [one for one in copied_parts if texts.get(one.doc) is None]
    pairs = (
        {}
        if find_pair is None
        else _read_sources_and_mark_first_pairs(
            [
                one
                for one in copied_parts[:most_shown]
                if one.sources and (line is None or one.share >= line.lowest)
            ],
            texts,
            read_texts,
            find_pair,
        )
    )
    return {
        "line": line,
        "pairs": len(pairs),
        "least": least_words,
        "among": among,
        "every": copied_parts,
        "count": len(shares_of_all_copied_documents),
        "is_whole": len(shares_of_all_copied_documents) == len(copied_parts),
        "names": short,
        "folder": folder,
        "colours": colours,
        "ranked": largest_sources,
        "sources": len(total),
        "kinds": {piece.kind for one in copied_parts for piece in one.pieces},
        "shown": [
            _page_values_of_document(one, text) | {"pair": pairs.get(one.doc)}
            for one in copied_parts
            if (text := texts.get(one.doc)) is not None
        ],
        "rest": [
            (
                short[one.doc],
                *(
                    format_percent(n / max(one.words, 1))
                    for n in (one.elsewhere, one.quoted, one.cited)
                ),
                short[one.sources[0].doc] if one.sources else "",
            )
            for one in rest[:_ROWS]
        ],
        "beyond": max(0, len(rest) - _ROWS)
        + len(shares_of_all_copied_documents)
        - len(copied_parts),
    }


def _read_sources_and_mark_first_pairs(
    copied_parts: Sequence[CopiedParts],
    texts: Mapping[int, str | None],
    read_texts: ReadTexts,
    find_pair: FindPair,
) -> dict[int, MarkedPair]:
    """Return, by document, the first ones beside the source of most of their words."""
    first = copied_parts[:_PAIRS]
    sources = read_texts([one.sources[0].doc for one in first])
    pairs = dict[int, MarkedPair]()
    for one, source in zip(first, sources, strict=True):
        both = (texts[one.doc] or "", source or "")
        found = find_pair((one.doc, one.sources[0].doc), both)
        passages = [each for each in found.longest if max(each.left_end, each.right_end) <= _SHOWN]
        left, right = (text[:_SHOWN] for text in both)
        pairs[one.doc] = MarkedPair(
            cut_at_passages(left, right, passages),
            found.name_changes or (),
            sum(max(0, len(text) - _SHOWN) for text in both),
        )
    return pairs


def _page_values_of_document(parts: CopiedParts, text: str) -> dict[str, Any]:
    places_of: dict[int, list[tuple[int, str]]] = defaultdict(list)
    for at, piece in enumerate(parts.pieces):
        places_of[piece.source].append((at, text[piece.start : piece.end]))
    return {
        "one": parts,
        "numbers": {source.doc: number for number, source in enumerate(parts.sources, 1)},
        "size": max(len(text), 1),
        "strip": sorted(parts.pieces, key=lambda piece: piece.kind == "plain"),
        "parts": list(_cut_text_beginning_at_pieces(parts, text)),
        "cut": max(0, len(text) - _SHOWN),
        "sources": [
            (source, sorted(places_of[source.doc], key=lambda row: -len(row[1]))[:_PASSAGES])
            for source in parts.sources[:_SOURCES]
        ],
        "more": max(0, len(parts.sources) - _SOURCES),
    }


class _TextPart(NamedTuple):
    """A part of a text; if it is a copied piece, its number from 0 and itself, else -1 and None."""

    text: str
    number: int
    piece: CopiedPiece | None


def _cut_text_beginning_at_pieces(parts: CopiedParts, text: str) -> Iterator[_TextPart]:
    """Yield the parts of the beginning of a text that a page shows."""
    at, text = 0, text[:_SHOWN]
    for number, piece in enumerate(parts.pieces):
        yield _TextPart(text[at : piece.start], -1, None)
        yield _TextPart(text[piece.start : piece.end], number, piece)
        at = piece.end
        if at >= len(text):
            return
    yield _TextPart(text[at:], -1, None)
