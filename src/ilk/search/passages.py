"""The passages that two texts or a whole collection share, with their places."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

import pyarrow as pa
import pyarrow.compute as pc

from ilk import _kernels, arrow
from ilk.base.errors import SourceChanged
from ilk.base.options import checked, default

#: The groups of two texts, each searched only in the other.
_TWO = pa.array([0, 1], pa.uint32())

#: Between quotation marks, within a paragraph, and lines after ``>``.
_QUOTED = re.compile(
    r"^[ \t]*>.*$|“(?:(?!\n\s*\n)[^”])*”|„(?:(?!\n\s*\n)[^“”])*[“”]|«(?:(?!\n\s*\n)[^»])*»"
    r'|"(?:(?!\n\s*\n)[^"])*"',
    re.MULTILINE,
)

#: The head of a list of references, alone in a line; and what may follow such a list.
_REFERENCES = re.compile(
    r"^[\s#*_\d.]*(?:references|bibliography|works cited|literature(?: cited)?|literatur"
    r"(?:verzeichnis)?|quellen(?:verzeichnis)?|bibliographie|références|bibliograf[íi]a|referencias"
    r"|riferimenti|referências|litteratur|список литературы|литература|参考文献|引用文献"
    r"|참고문헌|المراجع)"
    r"[\s:*_.]*$",
    re.MULTILINE | re.IGNORECASE,
)
_AFTER = re.compile(r"^\s*(?:#+\s|appendix|anhang|annexe|附录)", re.MULTILINE | re.IGNORECASE)

#: Words of a paragraph that is too long to be one of the references.
_LONG_REFERENCE = 60


@dataclass(frozen=True, slots=True)
class Passage:
    """A run of words that is in both texts; places are character offsets, the end excluded.

    ``text`` is the passage as in the left text.
    """

    words: int
    left_start: int
    left_end: int
    right_start: int
    right_end: int
    text: str


def shared(left: str, right: str, *, min_words: int = default("min_words")) -> list[Passage]:
    """Return the runs of at least ``min_words`` words that are in both texts, the longest first.

    Words are compared folded, so case, punctuation and white space do not count. Every word of
    ``left`` in such a run is in exactly one passage: if two runs overlap, the earlier one has the
    words, and the rest of the later one may be shorter than ``min_words``. If a run is at several
    places of ``right``, the first is returned.

    Raises:
        OptionError: ``min_words`` is not a whole number of at least 1.
    """
    least = checked("min_words", min_words)
    _, left_starts, left_ends = _kernels.word_places(left, "fold")
    _, right_starts, right_ends = _kernels.word_places(right, "fold")
    found = []
    for start, there, words in runs_of_two(left, right, least):
        here = (left_starts[start].as_py(), left_ends[start + words - 1].as_py())
        place = (right_starts[there].as_py(), right_ends[there + words - 1].as_py())
        found.append(Passage(words, *here, *place, left[slice(*here)]))
    return sorted(found, key=lambda passage: (-passage.words, passage.left_start))


def runs_of_two(left: str, right: str, least: int) -> Iterator[tuple[int, int, int]]:
    """Yield runs of words that are in both texts, in the order of the left one.

    Args:
        left, right: two texts.
        least: the least number of words in a run; if it overlaps the one before, less may be left.

    Yields:
        Where it begins in the left and in the right text, and its length, in words.
    """
    collection = _kernels.Collection(1)
    for piece in arrow.kernel_chunks(arrow.texts([left, right])):
        collection.add(piece)
    _, docs, starts, ends, _, _, others = collection.finish(least).runs(_TWO)
    done = 0
    runs = zip(*(each.to_pylist() for each in (docs, starts, ends, others)), strict=True)
    for doc, begin, end, other in runs:
        start = max(begin, done)
        if doc == 0 and start < end:
            yield start, other + start - begin, end - start
            done = end


@dataclass(frozen=True, slots=True)
class Repeated:
    """Repeated runs of at least some words in a collection of n documents.

    ``groups`` are numbers, one per document (``uint32``): with groups, only runs in documents of
    different groups count.
    """

    found: _kernels.Repeated
    groups: pa.Array | None = None

    def words(self) -> pa.Array:
        """Return the number of words of each document."""
        return self.found.words()

    def runs(self) -> pa.Table:
        """Return the longest runs: ``RUNS`` without bytes, in reading order.

        ``other_doc`` and ``other_start`` are the first other place of the same words (with groups,
        in a document of another group).
        """
        names = ["passage", "doc", "start", "end", "occurrences", "other_doc", "other_start"]
        return pa.table(self.found.runs(self.groups), names=names)

    def cuts(self) -> pa.Table:
        """Return the stretches of words that an earlier place has, in order, without overlaps.

        Without groups, a run that overlaps its own first place is not at an earlier one.

        Returns:
            ``doc``, ``start``, ``end``, ``earlier_doc`` and ``earlier_start``; positions in words.
        """
        names = ["doc", "start", "end", "earlier_doc", "earlier_start"]
        return pa.table(self.found.cuts(self.groups), names=names)

    def shares(self) -> pa.Table:
        """Return for each document how many of its words are in runs, counted in three ways.

        Returns:
            ``elsewhere`` (in another document; with groups, of another one), ``before`` (in such a
            document that comes before this one), ``itself`` (only in the document, or its group).
        """
        return pa.table(self.found.shares(self.groups), names=["elsewhere", "before", "itself"])


def spans(texts: arrow.Texts | pa.ChunkedArray, runs: pa.Table, jobs: int) -> pa.Table:
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
    docs, starts, ends = (arrow.flat(runs[name]) for name in ("doc", "start", "end"))
    found: list[tuple[pa.Array, pa.Array]] = []
    begin = at = 0
    rows = pc.is_in(pa.arange(0, len(texts)), value_set=docs)
    for piece in arrow.kernel_chunks(arrow.only(texts, rows)):
        end = begin + len(piece)
        count = pc.sum(pc.less(docs.slice(at), end)).as_py() or 0
        if count:
            numbers = pc.subtract(docs.slice(at, count), begin)
            first, last = starts.slice(at, count), ends.slice(at, count)
            found.append(_kernels.word_spans(piece, numbers, first, last, jobs))
            if len(found[-1][0]) < count:
                raise SourceChanged(
                    "a text has fewer words than when it was first read; run again."
                )
        begin, at = end, at + count
    names = ("start_byte", "end_byte")
    pieces = [pa.array([], pa.int64())]
    joined = (pa.concat_arrays([*pieces, *(pair[side] for pair in found)]) for side in (0, 1))
    return pa.table(list(joined), names=list(names))


def quotations(text: str) -> list[tuple[int, int]]:
    """Return where quotations begin and end, in characters, marks included; in order.

    >>> [text[a:b] for text in ['He said "so be it".'] for a, b in quotations(text)]
    ['"so be it"']
    """
    return [match.span() for match in _QUOTED.finditer(text)]


def references(text: str) -> list[tuple[int, int]]:
    r"""Return where lists of references are, in characters; in order.

    Such a list follows its head, up to the next head. Long lines in it are no references: a head
    does not excuse what is copied after it.

    >>> text = "So be it.\n\nReferences\nDoe: On it, 1999.\n"
    >>> [text[a:b] for a, b in references(text)]
    ['Doe: On it, 1999.\n']
    """
    found = []
    for head in _REFERENCES.finditer(text):
        after = _AFTER.search(text, head.end())
        at = head.end()
        for line in text[at : after.start() if after else None].splitlines(keepends=True):
            if line.strip() and len(line.split()) <= _LONG_REFERENCE:
                found.append((at, at + len(line)))
            at += len(line)
    return sorted(set(found))
