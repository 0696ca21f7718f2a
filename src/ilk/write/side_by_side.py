"""Two texts side by side: rows of what they share, what differs and what has moved."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Any, NamedTuple

from ilk.search.differences import CHANGED, Differences, letter_differences_if_short_and_alike
from ilk.search.measures import count_noun
from ilk.search.passages import Passage
from ilk.search.programs import NameChange
from ilk.write import pages

#: Equal words to show around a change, some three lines; the rest is folded.
_BESIDE = 30

#: A word between white space, or a part of a very long one.
_WORD = re.compile(r"\s*\S{1,40}\s*")

#: White space to the last line end in it, or all of it.
_BLANK = re.compile(r"\s*\n|\s+")

#: Where a row may end: after a line, and in a long row after a sentence too.
_LINE, _SENTENCE = re.compile(r"[^\S\n]*\n\s*"), re.compile(r"[^\S\n]*\n\s*|(?<=[.!?]) +")

#: Characters after which a row is long.
_LONG = 600


class ChangePart(NamedTuple):
    """A part of a change.

    Attributes:
        role: ``gone``, ``new``, ``moved``; ``was`` for what a single column shows of the left text;
            empty for text that both have.
        text: the characters.
        own, other: link targets of a moved passage, here and in the other text.
    """

    role: str
    text: str
    own: str = ""
    other: str = ""


class Change(NamedTuple):
    """One side of a difference; both sides have the same number, from 1.

    ``within``: whether its parts are single characters within words.
    """

    number: int
    parts: list[ChangePart]
    within: bool = False


@dataclass(slots=True)
class StretchPair:
    """Stretches of both texts that belong together.

    Attributes:
        left, right: text that both have, and changes, in order.
        folded: how many equal words it has, if they are folded; else 0.
        size: how many characters it has, at most.
    """

    left: list[str | Change] = field(default_factory=list)
    right: list[str | Change] = field(default_factory=list)
    folded: int = 0
    size: int = 0

    def add(self, left: str | Change, right: str | Change) -> None:
        """Add a stretch of both."""
        self.left.append(left)
        self.right.append(right)
        self.size += max(_count_characters(left), _count_characters(right))


def _count_characters(item: str | Change) -> int:
    return len(item) if isinstance(item, str) else sum(len(part.text) for part in item.parts)


class MarkedPart(NamedTuple):
    """A part of a text, and the number of the passage that it is in; 0 if it is in none."""

    text: str
    number: int


class MarkedTexts(NamedTuple):
    """The parts of two texts."""

    left: Sequence[MarkedPart]
    right: Sequence[MarkedPart]


class _NumberedStretch(NamedTuple):
    """Characters of a text, the end excluded, and the number of what is there."""

    start: int
    end: int
    number: int


def cut_at_passages(left: str, right: str, passages: Sequence[Passage]) -> MarkedTexts:
    """Return both texts in parts; the same passage has the same number, from 1, in both.

    The numbers are in the order of the left text. Where passages overlap, the first one has the
    characters.

    >>> b = Passage(words=1, left_start=2, left_end=3, right_start=0, right_end=1, text="b")
    >>> here, there = cut_at_passages("a b", "b a", [b])
    >>> here == [("a ", 0), ("b", 1)], there == [("b", 1), (" a", 0)]
    (True, True)
    """
    ordered = sorted(passages, key=lambda one: (one.left_start, one.right_start))
    numbered = [*enumerate(ordered, 1)]
    here = [_NumberedStretch(one.left_start, one.left_end, number) for number, one in numbered]
    there = [_NumberedStretch(one.right_start, one.right_end, number) for number, one in numbered]
    return MarkedTexts(_cut_at_stretches(left, here), _cut_at_stretches(right, there))


def _cut_at_stretches(text: str, stretches: Sequence[_NumberedStretch]) -> list[MarkedPart]:
    """Return a text in parts; where stretches overlap, the first one has the characters."""
    parts, done = list[MarkedPart](), 0
    for start, end, number in sorted(stretches):
        start = max(start, done)
        if start < end:
            parts += [MarkedPart(text[done:start], 0), MarkedPart(text[start:end], number)]
            done = end
    parts.append(MarkedPart(text[done:], 0))
    return [part for part in parts if part.text]


def render_comparison_page(
    left: str,
    right: str,
    differences: Differences,
    *,
    mark_wrong: bool = False,
    program: MarkedTexts | None = None,
    name_changes: Sequence[NameChange] | None = None,
    **page_values: Any,
) -> str:
    """Return both texts on a page; arguments as for ``align_side_by_side_and_fold_equal``.

    ``page_values`` says what is beside them: their names (``sides``), the ``meaning``, the
    ``measures`` (names and values) and the ``verdict``. Of programs, ``program`` is
    what ``cut_at_passages`` returns, and ``name_changes`` are those of the comparison.
    """
    return pages.render_page(
        "comparison.html",
        "mapped.js",
        "comparison.js",
        rows=align_side_by_side_and_fold_equal(left, right, differences, mark_wrong=mark_wrong),
        count=differences.count_stretches(CHANGED),
        differs=spell_counts_of_changes(differences),
        program=program,
        name_changes=name_changes,
        **page_values,
    )


def spell_counts_of_changes(differences: Differences) -> str:
    """Return what differs in a sentence, such as "3 words added in 2 places"."""
    changes = [stretch for stretch in differences.stretches if stretch.kind == CHANGED]
    moved_words = sum(move.words for move in differences.moves)
    gone = sum(stretch.left_words for stretch in changes) - moved_words
    new = sum(stretch.right_words for stretch in changes) - moved_words
    both = ((gone, "removed"), (new, "added"))
    phrases = [f"{count_noun(count, 'word')} {how}" for count, how in both if count > 0]
    if phrases:
        phrases = [f"{', '.join(phrases)} in {count_noun(len(changes), 'place')}"]
    if differences.moves:
        passages = count_noun(len(differences.moves), "passage")
        phrases.append(f"{passages} of {count_noun(moved_words, 'word')} moved")
    return "; ".join(phrases) or "the same words; case, punctuation or white space may differ"


def align_side_by_side_and_fold_equal(
    left: str,
    right: str,
    differences: Differences,
    link_prefix: str = "",
    *,
    mark_wrong: bool = False,
) -> Iterator[StretchPair]:
    """Yield rows of the two columns; long equal stretches are folded.

    Args:
        left, right: the texts.
        differences: how the left one becomes the right one.
        link_prefix: what link targets begin with, if a page has several such tables.
        mark_wrong: whether to mark wrong characters within words.
    """
    # Where moved passages begin and end, and their numbers, per text in its order.
    moves = [
        sorted(
            _NumberedStretch(move[at], move[at + 1], number)
            for number, move in enumerate(differences.moves)
        )
        for at in (0, 2)
    ]
    row, number = StretchPair(), 0
    here, there = f"{link_prefix}l", f"{link_prefix}r"
    for at, stretch in enumerate(differences.stretches):
        ours = left[stretch.left_start : stretch.left_end]
        theirs = right[stretch.right_start : stretch.right_end]
        if stretch.kind == CHANGED:
            number += 1
            letter_pairs = (
                letter_differences_if_short_and_alike(ours, theirs) if mark_wrong else None
            )
            if letter_pairs is not None:
                spans_gone = [
                    p
                    for a, b, _ in letter_pairs
                    for p in (ChangePart("", a), ChangePart("gone", b))
                ]
                new = [
                    ChangePart(*one)
                    for a, b, c in letter_pairs
                    for one in (("", a), ("was", b), ("new", c))
                ]
            else:
                spans_gone = _changed_parts(
                    ours,
                    offset=stretch.left_start,
                    moves=moves[0],
                    role="gone",
                    own_link_prefix=here,
                    other_link_prefix=there,
                )
                was = [part._replace(role="was") for part in spans_gone if part.role == "gone"]
                new = was + _changed_parts(
                    theirs,
                    offset=stretch.right_start,
                    moves=moves[1],
                    role="new",
                    own_link_prefix=there,
                    other_link_prefix=here,
                )
            whole = not row.size and all(not text or text.endswith("\n") for text in (ours, theirs))
            within = letter_pairs is not None
            row.add(
                *(Change(number, [p for p in side if p.text], within) for side in (spans_gone, new))
            )
            if whole:  # Whole lines; nothing stands next to them.
                yield row
                row = StretchPair()
            continue
        ends = (at == 0, at == len(differences.stretches) - 1)
        around = [0 if end else _BESIDE for end in ends]
        middle = between = ""
        if stretch.left_words > 2 * _BESIDE + 10:
            head, middle, tail = _split_off_middle(ours, *around)
            begin, between, end = _split_off_middle(theirs, *around)
        if not (middle and between):
            pieces = _split_after_first_last_line(
                ours, theirs, may_end_at_sentences=row.size > _LONG
            )
            for piece in pieces:
                row.add(piece.left, piece.right)
                if piece.ends_row:
                    yield row
                    row = StretchPair()
            continue
        row.add(head, begin)
        if row.size:
            yield row
        yield StretchPair(
            [middle], [between], stretch.left_words - sum(around), max(len(middle), len(between))
        )
        row = StretchPair()
        row.add(tail, end)
    if row.size:
        yield row


class _EqualPieces(NamedTuple):
    """Pieces of both texts with the same words, and whether a row of the two columns ends there."""

    left: str
    right: str
    ends_row: bool


def _split_after_first_last_line(
    ours: str, theirs: str, *, may_end_at_sentences: bool
) -> Iterator[_EqualPieces]:
    """Yield pieces with the same words; rows end after the first and the last line."""
    pattern = _SENTENCE if may_end_at_sentences else _LINE
    ends = [[match.end() for match in pattern.finditer(text)] for text in (ours, theirs)]
    left = right = 0
    for at in (0, -1) if all(ends) else ():
        a, b = ends[0][at], ends[1][at]
        if a > left and b > right and len(ours[left:a].split()) == len(theirs[right:b].split()):
            yield _EqualPieces(ours[left:a], theirs[right:b], ends_row=True)
            left, right = a, b
    yield _EqualPieces(ours[left:], theirs[right:], ends_row=False)


class _SplitText(NamedTuple):
    """The first words of a text, the middle, and the last words."""

    head: str
    middle: str
    tail: str


def _split_off_middle(text: str, head_words: int, tail_words: int) -> _SplitText:
    """Split a text into its first words, the middle and its last words.

    Without a middle, all of it is the head.

    Words here are separated by white space: they differ from those of a recipe, and may be fewer.
    To fold texts without spaces too, no word is longer than 40 characters.
    """
    begin = _end_of_first_words(text, head_words)
    end = len(text) - _end_of_first_words(text[::-1], tail_words)
    # Blank lines at both ends, and the space after a fold, belong to the middle.
    begin -= len(text[:begin]) - len(text[:begin].rstrip("\n"))
    blank = _BLANK.match(text, end)
    end = blank.end() if blank else end
    if begin >= end:
        return _SplitText(text, "", "")
    return _SplitText(text[:begin], text[begin:end], text[end:])


def _end_of_first_words(text: str, word_count: int) -> int:
    """Return at which character the first words of a text end; a long text is not read further."""
    at = 0
    for match in islice(_WORD.finditer(text), word_count):
        at = match.end()
    return at


def _changed_parts(
    text: str,
    *,
    offset: int,
    moves: Sequence[_NumberedStretch],
    role: str,
    own_link_prefix: str,
    other_link_prefix: str,
) -> list[ChangePart]:
    """Return a changed text in parts; the moved ones name their other places.

    A piece without a word next to a moved part is unmarked: the words after it have moved too.
    """
    parts, at = list[ChangePart](), 0
    for start, stop, number in moves:
        begin, end = start - offset, stop - offset
        if at <= begin and end <= len(text):
            parts.append(ChangePart(role, text[at:begin]))
            parts.append(
                ChangePart(
                    "moved",
                    text[begin:end],
                    f"{own_link_prefix}{number}",
                    f"{other_link_prefix}{number}",
                )
            )
            at = end
    parts.append(ChangePart(role, text[at:]))
    marked = ("moved", role if len(parts) == 1 else "moved")
    return [
        part
        if part.role in marked or any(map(str.isalnum, part.text))
        else ChangePart("", part.text)
        for part in parts
    ]


class TerminalPiece(NamedTuple):
    """A text on a terminal, and what it is.

    role: ``same``, ``faint`` (a note instead of equal words), ``gone`` (only in the left), ``new``
        (only in the right), ``wrong`` (alike but for the characters that are marked within words),
        and ``away`` and ``moved`` (in the left and in the right one, but elsewhere in the other).
    """

    role: str
    text: str


def pieces_for_terminal(
    left: str, right: str, differences: Differences, *, mark_wrong: bool = False
) -> Iterator[TerminalPiece]:
    """Yield both texts and their differences as pieces for a terminal.

    Only with ``mark_wrong`` are stretches ``wrong``.
    """
    marks = {"": "{}", "was": "[-{}-]", "new": "{{+{}+}}"}
    for row in align_side_by_side_and_fold_equal(left, right, differences, mark_wrong=mark_wrong):
        if row.folded:
            yield TerminalPiece("faint", f"[... {row.folded:,} equal words ...] ")
            continue
        for ours, theirs in zip(row.left, row.right, strict=True):
            if isinstance(ours, str) or isinstance(theirs, str):
                yield TerminalPiece("same", str(ours))
            elif ours.within:
                marked = (marks[part.role].format(part.text) for part in theirs.parts)
                yield TerminalPiece("wrong", "".join(marked))
            else:
                for part in ours.parts:
                    yield TerminalPiece("away" if part.role == "moved" else "gone", part.text)
                for part in theirs.parts:
                    if part.role != "was":
                        yield TerminalPiece("moved" if part.role == "moved" else "new", part.text)
