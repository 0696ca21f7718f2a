"""The passages that two texts or a whole collection share, with their places."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from ilk import _kernels, arrow
from ilk.base.errors import SourceChanged
from ilk.search.programs import CharacterSpan, ProgramTexts

#: The groups of two texts, each searched only in the other.
TWO = pa.array([0, 1], pa.uint32())

#: Between quotation marks, within a paragraph, and lines after ``>``.
_QUOTED = re.compile(
    r"^[ \t]*>.*$|“(?:(?!\n\s*\n)[^”])*”|„(?:(?!\n\s*\n)[^“”])*[“”]|«(?:(?!\n\s*\n)[^»])*»"
    r'|"(?:(?!\n\s*\n)[^"])*"',
    re.MULTILINE,
)

#: The head of a list of references, alone in a line; or that of what follows such a list.
_HEAD = re.compile(
    r"^(?:[ \t#*_\d.]*(?P<list>references|bibliography|works cited|literature(?: cited)?|literatur"
    r"(?:verzeichnis)?|quellen(?:verzeichnis)?|bibliographie|références|bibliograf[íi]a|referencias"
    r"|riferimenti|referências|litteratur|список литературы|литература|参考文献|引用文献"
    r"|참고문헌|المراجع)[ \t:*_.]*$|[ \t]*(?:#+[ \t]|appendix|anhang|annexe|附录))",
    re.MULTILINE | re.IGNORECASE,
)

#: What a reference has: the year of a work, or its address.
_DATED = re.compile(r"\b(?:1[5-9]|20)\d\d\b|\bdoi\b|https?://", re.IGNORECASE)

#: Words of a reference at most; a paragraph of more is prose.
_LONG_REFERENCE = 60

#: Characters of a passage that are shown at most.
_LONGEST = 100_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Passage:
    """A run of words that is in both texts; places are character offsets, the end excluded.

    ``text`` is the passage as in the left text, or its first 100,000 characters.
    """

    words: int
    left_start: int
    left_end: int
    right_start: int
    right_end: int
    text: str


class SharedPassages(NamedTuple):
    """The longest passages that two texts share; how many there are, and of how many words."""

    longest: list[Passage]
    number: int
    words: int


def longest_shared_passages(
    two_texts: pa.ChunkedArray, repeated_runs: RepeatedWordRuns, *, max_shown: int
) -> SharedPassages:
    """Return the runs of words that are in both of two texts, the longest first.

    Words are compared folded, so case, punctuation and white space do not count. Every word of the
    left text in such a run is in exactly one passage: if two runs overlap, the earlier one has the
    words, and the rest of the later one may be shorter than the least number. If a run is at
    several places of the right text, the first is returned.

    Args:
        two_texts: the left and the right one.
        repeated_runs: what is repeated in them, with ``TWO`` as groups.
        max_shown: how many to return.
    """
    runs = repeated_runs.list_runs(range(1))
    begins, ends, others = (arrow.flat(runs[name]) for name in ("start", "end", "other_start"))
    # Where the words that earlier runs have end: a later run has only those after them.
    before = pa.concat_arrays([pa.array([0], pa.int64()), pc.cumulative_max(ends)])[: len(ends)]
    starts = pc.max_element_wise(begins, before)
    there = pc.add(others, pc.subtract(starts, begins))
    words = pc.subtract(ends, starts)
    names = ("start", "there", "words")
    every = pa.table([starts, there, words], names=list(names)).filter(pc.greater(words, 0))
    order = [("words", "descending"), ("start", "ascending")]
    rows = every.take(pc.select_k_unstable(every, min(max_shown, len(every)), order)).to_pylist()
    left, right = (
        _character_spans_of_word_runs(
            two_texts, side, [(row[name], row[name] + row["words"]) for row in rows]
        )
        for side, name in enumerate(("start", "there"))
    )
    text = two_texts[0].as_py() or ""
    longest = [
        Passage(
            words=row["words"],
            left_start=left_start,
            left_end=left_end,
            right_start=right_start,
            right_end=right_end,
            text=text[left_start : min(left_end, left_start + _LONGEST)],
        )
        for row, (left_start, left_end), (right_start, right_end) in zip(
            rows, left, right, strict=True
        )
    ]
    return SharedPassages(longest, len(every), pc.sum(every["words"]).as_py() or 0)


def _character_spans_of_word_runs(
    texts: pa.ChunkedArray, doc: int, word_runs: list[tuple[int, int]]
) -> list[CharacterSpan]:
    word_numbers = sorted({word for start, end in word_runs for word in (start, end - 1)})
    docs, words = (
        pa.repeat(pa.scalar(doc, pa.int64()), len(word_numbers)),
        pa.array(word_numbers, pa.int64()),
    )
    at = byte_spans_of_runs(
        texts, pa.table({"doc": docs, "start": words, "end": pc.add(words, 1)}), 1
    )
    content = memoryview((texts[doc].as_buffer() or b"") if word_numbers else b"")
    begins, ends = (column.to_pylist() for column in at)
    places, done, character = dict[int, int](), 0, 0
    # Words of some scripts overlap, so that places do not ascend by themselves.
    for place in sorted({*begins, *ends}):
        character += len(str(content[done:place], "utf-8"))
        places[place], done = character, place
    number = {word: row for row, word in enumerate(word_numbers)}
    return [(places[begins[number[a]]], places[ends[number[b - 1]]]) for a, b in word_runs]


class RunOfTwo(NamedTuple):
    """Where a run of words begins in each of two texts, and its length, in words."""

    left: int
    right: int
    words: int


def find_runs_shared_by_two(left: str, right: str, *, min_words: int) -> Iterator[RunOfTwo]:
    """Yield runs of words that are in both texts, in the order of the left one.

    Args:
        left, right: two texts.
        min_words: the least number of words in a run; if it overlaps the one before, fewer may
            be left.

    Yields:
        Where it begins in the left and in the right text, and its length, in words.
    """
    collection = _kernels.Collection(1)
    for piece in arrow.kernel_chunks(arrow.import_texts([left, right])):
        collection.add(piece)
    repeated_runs = RepeatedWordRuns(collection.find_repeated_outside_base(min_words), TWO)
    runs = repeated_runs.list_runs(range(1))
    columns = (runs[name].to_pylist() for name in ("start", "end", "other_start"))
    end_of_last = 0
    for begin, end, other in zip(*columns, strict=True):
        start = max(begin, end_of_last)
        if start < end:
            yield RunOfTwo(start, other + start - begin, end - start)
            end_of_last = end


@dataclass(frozen=True, slots=True)
class RepeatedWordRuns:
    """Repeated runs of at least some words in a collection of n documents.

    ``groups`` are numbers, one per document (``uint32``): with groups, only runs in documents of
    different groups count. ``list_runs`` leaves out documents whose group is null.
    """

    kernel_runs: _kernels.RepeatedRuns
    groups: pa.Array | None = None

    def count_words_of_documents(self) -> pa.Array:
        """Return the number of words of each document."""
        return self.kernel_runs.count_words()

    def list_runs(self, documents: range | None = None) -> pa.Table:
        """Return the longest runs: ``RUNS`` without bytes, in reading order.

        ``other_doc`` and ``other_start`` are the first other place of the same words (with groups,
        in a document of another group).

        Args:
            documents: the ones whose runs are wanted; None: all. Their passages have numbers of
                their own, and other runs take no memory.
        """
        names = ["passage", "doc", "start", "end", "occurrences", "other_doc", "other_start"]
        wanted = () if documents is None else (documents.start, documents.stop)
        return pa.table(
            self.kernel_runs.find_longest_runs_with_other_place(self.groups, *wanted), names=names
        )

    def list_repeated_words_to_cut(self, ranking: pa.Array | None = None) -> pa.Table:
        """Return the stretches of words that a place before has, in order, without overlaps.

        Without groups, a run that overlaps its own first place is not at a later one.

        Args:
            ranking: all documents (``int64``), each before those after it; by default they are in
                reading order. Within a document, places are in reading order.

        Returns:
            ``doc``, ``start`` and ``end``, and the first place of the words, ``kept_doc`` and
            ``kept_start``; positions in words.
        """
        names = ["doc", "start", "end", "kept_doc", "kept_start"]
        return pa.table(self.kernel_runs.find_words_to_cut(self.groups, ranking), names=names)

    def count_repeated_words_elsewhere_before_itself(self) -> pa.Table:
        """Return for each document how many of its words are in runs, counted in three ways.

        Returns:
            ``elsewhere`` (in another document; with groups, of another one), ``before`` (in such a
            document that comes before this one), ``itself`` (only in the document, or its group).
        """
        return pa.table(
            self.kernel_runs.count_words_elsewhere_before_inside(self.groups),
            names=["elsewhere", "before", "itself"],
        )


def byte_spans_of_runs(texts: arrow.Texts | pa.ChunkedArray, runs: pa.Table, jobs: int) -> pa.Table:
    """Return the places of runs of words in their texts, in bytes of UTF-8, the end excluded.

    Args:
        texts: n texts; those of documents without a run are not read.
        runs: ``doc`` ascending, and ``start`` and ``end`` (words), both ascending in a document.
        jobs: threads.

    Returns:
        ``start_byte`` and ``end_byte``.

    Raises:
        SourceChanged: a text lacks such words, so it is not the one that was read.
    """
    names = ("start_byte", "end_byte")
    if isinstance(texts, ProgramTexts):
        spans = [pa.array(places, pa.int64()) for places in texts.byte_spans_of_runs(runs)]
        return pa.table(spans, names=list(names))
    parts: list[tuple[pa.Array, pa.Array]] = []
    for piece, runs_of_piece in _kernel_pieces_with_their_runs(texts, runs):
        parts.append(_kernels.locate_existing_runs_in_bytes(piece, runs_of_piece, jobs))
        # The kernel leaves out words that a text does not have.
        if len(parts[-1][0]) < len(runs_of_piece[0]):
            raise SourceChanged("a text has fewer words than when it was first read; run again.")
    pieces = [pa.array([], pa.int64())]
    joined = (pa.concat_arrays([*pieces, *(pair[side] for pair in parts)]) for side in (0, 1))
    return pa.table(list(joined), names=list(names))


def narrow_runs_to_whole_units_or_empty(
    texts: arrow.Texts, runs: pa.Table, unit: str, jobs: int
) -> pa.Table:
    """Return the units of texts that are whole inside runs of words.

    Args:
        texts: n texts; those of documents without a run are not read.
        runs: ``doc`` ascending, and ``start`` and ``end`` (words).
        unit: ``line``, ``sentence`` or ``paragraph``.
        jobs: threads.

    Returns:
        ``start`` and ``end`` for each run: from its first whole unit to its last; equal if no unit
        is whole.
    """
    parts: list[list[pa.Array]] = [[pa.array([], pa.int64())], [pa.array([], pa.int64())]]
    for piece, runs_of_piece in _kernel_pieces_with_their_runs(texts, runs):
        bounds = _kernels.find_whole_units(piece, runs_of_piece, unit, jobs)
        for part, column in zip(parts, bounds, strict=True):
            part.append(column)
    return pa.table([pa.concat_arrays(part) for part in parts], names=["start", "end"])


class _PieceWithRuns(NamedTuple):
    """Texts as the kernels take them, and runs of words in them.

    Attributes:
        texts: the texts.
        runs: per run the row of its text, its first word, and the word after the last.
    """

    texts: pa.Array
    runs: tuple[pa.Array, pa.Array, pa.Array]


def _kernel_pieces_with_their_runs(texts: arrow.Texts, runs: pa.Table) -> Iterator[_PieceWithRuns]:
    """Yield pieces of some texts as the kernels take them, and the runs of words in each.

    The documents of the runs are numbered within their piece; texts without a run are not read.
    """
    docs, starts, ends = (arrow.flat(runs[name]) for name in ("doc", "start", "end"))
    begin = at = 0
    rows = pc.is_in(pa.arange(0, len(texts)), value_set=docs)
    for piece in arrow.kernel_chunks(arrow.null_except(texts, rows)):
        end = begin + len(piece)
        # Documents ascend, so that those of this piece come next.
        count = pc.sum(pc.less(docs.slice(at), end)).as_py() or 0
        if count:
            numbers = pc.subtract(docs.slice(at, count), begin)
            yield _PieceWithRuns(piece, (numbers, starts.slice(at, count), ends.slice(at, count)))
        begin, at = end, at + count


def find_quotations(text: str) -> list[CharacterSpan]:
    """Return where quotations begin and end, in characters, marks included; in order.

    >>> [text[a:b] for text in ['He said "so be it".'] for a, b in find_quotations(text)]
    ['"so be it"']
    """
    return [match.span() for match in _QUOTED.finditer(text)]


def find_bibliography_entries(text: str) -> list[CharacterSpan]:
    r"""Return where the references of lists of references are, in characters; in order.

    A list follows its head, up to the next head. Paragraphs of prose in it are no references:
    a head does not excuse what is copied after it.

    >>> text = "So be it.\n\nReferences\nDoe: On it, 1999.\n"
    >>> [text[a:b] for a, b in find_bibliography_entries(text)]
    ['Doe: On it, 1999.\n']
    """
    spans_found = []
    for head, after in pairwise([*_HEAD.finditer(text), None]):
        if head is None or not head["list"]:
            continue
        start = at = head.end()
        words, has_date = 0, False
        for line in [*text[at : after.start() if after else None].splitlines(keepends=True), ""]:
            end, line_text = at + len(line), line.rstrip()
            words, has_date = (
                words + len(line_text.split()),
                has_date or _DATED.search(line_text) is not None,
            )
            # A reference may take several lines; its last one ends like a sentence or an address.
            if not line_text or (
                has_date and not line_text[-1].isalpha() and line_text[-1] not in ",;:"
            ):
                if has_date and words <= _LONG_REFERENCE:
                    spans_found.append((start, end if line_text else at))
                start, words, has_date = end, 0, False
            at = end
    return spans_found
