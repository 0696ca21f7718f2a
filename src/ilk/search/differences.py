"""What two texts share and where they differ, word by word, and what has moved.

The kernel of passages finds long shared runs; those in the same order in both texts align the two
(the heaviest chain). Between them, words that occur once on each side are matched in order (Cohen's
patience diff), and what is left is short enough for Ratcliff and Obershelp's matching in
``difflib``. A few equal words between two long differences are dropped again: any two sentences of
a language share some. A run outside the chain has moved.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Any, Literal, NamedTuple, TypeAlias

from ilk import _kernels, arrow
from ilk.search.passages import find_runs_shared_by_two
from ilk.search.programs import CharacterSpan

#: Kinds of a stretch: the words are equal; they differ, or one side has none.
StretchKind: TypeAlias = Literal["same", "changed"]
SAME: Literal["same"] = "same"
CHANGED: Literal["changed"] = "changed"

#: The least number of words in a run to align two texts, or to count as moved: shorter runs recur
#: in any two texts of a language.
_MIN_RUN_WORDS = 6

#: How many times as long as a few equal words the differences around them are if these words are
#: equal by chance.
_CHANCE_FACTOR = 3

#: The share of its characters that a stretch must have in common with another one to be a copy of
#: it: the documentation of ``difflib`` takes a ratio above it for a close match. It decides only
#: whether letters are compared, or the whole words are shown as replaced.
_MIN_COMMON_SHARE = 0.6

#: The largest product of word counts at which the text between two runs is matched word by word.
_MAX_MATCHED_PRODUCT = 100_000


class Stretch(NamedTuple):
    """Places of both texts that belong together: characters, the end excluded.

    Stretches cover both texts, in the order of both. ``kind`` is ``same`` or ``changed``.
    """

    kind: StretchKind
    left_start: int
    left_end: int
    right_start: int
    right_end: int
    left_words: int
    right_words: int


class Move(NamedTuple):
    """A run of words that is in both texts, in another order: characters, end excluded."""

    left_start: int
    left_end: int
    right_start: int
    right_end: int
    words: int


@dataclass(frozen=True, slots=True)
class Differences:
    """The differences between two texts.

    Attributes:
        stretches: cover both texts from the beginning to the end.
        moves: runs that are elsewhere in the other text; they are in ``changed`` stretches.
    """

    stretches: tuple[Stretch, ...]
    moves: tuple[Move, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return the same as plain values, for JSON."""
        return {
            "stretches": [stretch._asdict() for stretch in self.stretches],
            "moves": [move._asdict() for move in self.moves],
        }

    def count_stretches(self, kind: StretchKind) -> int:
        """Return how many stretches are of a kind."""
        return sum(stretch.kind == kind for stretch in self.stretches)


class _WordCounts(NamedTuple):
    """Numbers of words in the left and in the right text."""

    left: int
    right: int


class _Block(NamedTuple):
    """Equal words: where they begin on either side, and how many."""

    left: int
    right: int
    words: int


def folded_word_changes_and_moves(left: str, right: str) -> Differences:
    """Return what two texts share, and where they differ.

    Words are compared folded: case, punctuation and white space do not count.

    >>> found = folded_word_changes_and_moves("one two three", "One, two and three")
    >>> [(stretch.kind, stretch.right_words) for stretch in found.stretches]
    [('same', 2), ('changed', 1), ('same', 1)]
    """
    ours, theirs = _WordSpans.locate_in(left), _WordSpans.locate_in(right)
    runs = [_Block(*run) for run in find_runs_shared_by_two(left, right, min_words=_MIN_RUN_WORDS)]
    chain = _heaviest_chain(runs)
    in_order = set(chain)
    every = _chain_with_matches_between(chain, ours.ids, theirs.ids)
    blocks = _drop_chance_matches(
        _join_adjacent_blocks(every), _Block(len(ours.ids), len(theirs.ids), 0)
    )
    moves = []
    for run in _long_parts_outside_blocks([run for run in runs if run not in in_order], blocks):
        left_start, left_end = ours.character_span(run.left, run.words)
        right_start, right_end = theirs.character_span(run.right, run.words)
        moves.append(
            Move(
                left_start=left_start,
                left_end=left_end,
                right_start=right_start,
                right_end=right_end,
                words=run.words,
            )
        )
    return Differences(tuple(_make_same_and_changed_stretches(blocks, ours, theirs)), tuple(moves))


class LetterStretch(NamedTuple):
    """The text in both, then the text that only the left has, then that of the right."""

    common: str
    left: str
    right: str


def letter_differences_if_short_and_alike(left: str, right: str) -> list[LetterStretch] | None:
    """Return how the characters of two short stretches differ; None if they are hardly alike.

    Returns:
        In order, the text in both, then text only in the left, then only in the right one.

    >>> letter_differences_if_short_and_alike("modern", "modem")
    [LetterStretch(common='mode', left='rn', right='m')]
    """
    if len(left) * len(right) > _MAX_MATCHED_PRODUCT:
        return None
    matcher = SequenceMatcher(None, left, right, autojunk=False)
    if matcher.ratio() < _MIN_COMMON_SHARE:
        return None
    stretches, same = list[LetterStretch](), ""
    for kind, l0, l1, r0, r1 in matcher.get_opcodes():
        if kind == "equal":
            same = left[l0:l1]
            continue
        stretches.append(LetterStretch(same, left[l0:l1], right[r0:r1]))
        same = ""
    return [*stretches, LetterStretch(same, "", "")] if same else stretches


class _WordSpans(NamedTuple):
    """The words of a text: what they are, and where they begin and end."""

    ids: Sequence[int]
    starts: Sequence[int]
    ends: Sequence[int]
    length: int

    @classmethod
    def locate_in(cls, text: str) -> _WordSpans:
        # Views: of a long text few numbers are looked at, where it differs.
        ids, starts, ends = map(arrow.raw_bytes, _kernels.hash_and_locate_words(text, "fold"))
        return cls(ids.cast("Q"), starts.cast("q"), ends.cast("q"), len(text))

    def span_with_gaps_around(self, words: range) -> CharacterSpan:
        """Return where a stretch of words begins and ends, including what follows each word.

        Anything before the first word of the text belongs to that word too.
        """
        count = len(self.starts)
        if words.start == 0:
            begin = 0
        else:
            begin = self.starts[words.start] if words.start < count else self.length
        if words.stop == count:
            return begin, self.length
        return begin, self.starts[words.stop] if words.stop else 0

    def character_span(self, first_word: int, word_count: int) -> CharacterSpan:
        return self.starts[first_word], self.ends[first_word + word_count - 1]


def _heaviest_chain(runs: Sequence[_Block]) -> list[_Block]:
    """Return the heaviest runs that follow each other on both sides without overlapping.

    Runs do not overlap on the left; the best chain that ends before each is looked up in a tree of
    maxima (Fenwick 1994) over where runs end on the right.
    """
    ends = sorted({run.right + run.words for run in runs})
    tree = [_ChainEnd(0, -1)] * (len(ends) + 1)
    before: list[int] = []
    best = _ChainEnd(0, -1)
    for at, run in enumerate(runs):
        weight, last = _heaviest_chain_among_first(tree, bisect_left(ends, run.right + 1))
        before.append(last)
        entry = _ChainEnd(weight + run.words, at)
        best = max(best, entry, key=lambda one: one.words)
        place = bisect_left(ends, run.right + run.words) + 1
        while place < len(tree):
            if tree[place].words < entry.words:
                tree[place] = entry
            place += place & -place
    chain, at = [], best.run
    while at >= 0:
        chain.append(runs[at])
        at = before[at]
    return chain[::-1]


class _ChainEnd(NamedTuple):
    """How many words a chain has, and its last run; -1 without one."""

    words: int
    run: int


def _heaviest_chain_among_first(fenwick_tree: Sequence[_ChainEnd], end_count: int) -> _ChainEnd:
    """Return the heaviest chain among the first ``end_count`` ends."""
    best, place = _ChainEnd(0, -1), end_count
    while place > 0:
        if fenwick_tree[place].words > best.words:
            best = fenwick_tree[place]
        place -= place & -place
    return best


def _chain_with_matches_between(
    chain: Sequence[_Block], left_ids: Sequence[int], right_ids: Sequence[int]
) -> Iterator[_Block]:
    """Yield the runs of a chain and the equal words between them, in their order."""
    left_start = right_start = 0
    for run in (*chain, _Block(len(left_ids), len(right_ids), 0)):
        yield from _match_words_in_ranges(
            left_ids,
            right_ids,
            left_start=left_start,
            right_start=right_start,
            left_end=run.left,
            right_end=run.right,
        )
        if run.words:
            yield run
        left_start, right_start = run.left + run.words, run.right + run.words


def _match_words_in_ranges(
    left_ids: Sequence[int],
    right_ids: Sequence[int],
    *,
    left_start: int,
    right_start: int,
    left_end: int,
    right_end: int,
) -> Iterator[_Block]:
    """Yield equal words of two stretches, in their order."""
    pending = [(left_start, right_start, left_end, right_end)]
    while pending:
        l0, r0, l1, r1 = pending.pop()
        head = 0
        while l0 + head < l1 and r0 + head < r1 and left_ids[l0 + head] == right_ids[r0 + head]:
            head += 1
        if head:
            yield _Block(l0, r0, head)
            l0, r0 = l0 + head, r0 + head
        if l0 == l1 or r0 == r1:
            continue
        # Its time grows with the product of both lengths.
        if (l1 - l0) * (r1 - r0) <= _MAX_MATCHED_PRODUCT:
            matcher = SequenceMatcher(None, left_ids[l0:l1], right_ids[r0:r1], autojunk=False)
            for match in matcher.get_matching_blocks():
                if match.size:
                    yield _Block(l0 + match.a, r0 + match.b, match.size)
            continue
        once = _align_unique_words(left_ids[l0:l1], right_ids[r0:r1])
        if not once:
            continue  # Too long to match word by word, and nothing aligns it.
        # The last comes off first.
        stops = [(l0 + a, r0 + b) for a, b in once]
        for (a, b), (c, d) in zip(reversed(stops), reversed([*stops[1:], (l1, r1)]), strict=True):
            pending.append((a, b, c, d))
        pending.append((l0, r0, *stops[0]))


def _align_unique_words(left_ids: Sequence[int], right_ids: Sequence[int]) -> list[tuple[int, int]]:
    """Return the places of words that occur once on either side, in the order of both."""
    ours, theirs = Counter(left_ids), Counter(right_ids)
    places = {word: at for at, word in enumerate(right_ids) if theirs[word] == 1}
    pairs = [
        (at, places[word]) for at, word in enumerate(left_ids) if ours[word] == 1 and word in places
    ]
    # The longest ascending run of the right places (Fredman 1975).
    tails: list[int] = []
    ends: list[int] = []
    before: list[int] = []
    for at, (_, there) in enumerate(pairs):
        place = bisect_left(tails, there)
        before.append(ends[place - 1] if place else -1)
        tails[place : place + 1] = [there]
        ends[place : place + 1] = [at]
    chain, at = [], ends[-1] if ends else -1
    while at >= 0:
        chain.append(pairs[at])
        at = before[at]
    return chain[::-1]


def _join_adjacent_blocks(blocks: Iterable[_Block]) -> Iterator[_Block]:
    """Yield blocks in order, those that follow one another on both sides as one."""
    last: _Block | None = None
    for block in blocks:
        if last is None:
            last = block
        elif (block.left, block.right) == (last.left + last.words, last.right + last.words):
            last = last._replace(words=last.words + block.words)
        else:
            yield last
            last = block
    if last is not None:
        yield last


def _drop_chance_matches(blocks: Iterable[_Block], end_of_texts: _Block) -> list[_Block]:
    """Return the blocks, none adjacent to the next, without those that are equal by chance.

    Whatever is dropped makes the differences around others longer, and never shorter: so each block
    is looked at when a neighbour of it goes, and their order decides nothing.
    """
    # The beginning and the end are blocks without words, for the differences beside them.
    kept = [_Block(0, 0, 0)]
    for block in (*blocks, end_of_texts):
        kept.append(block)
        while len(kept) > 2 and _is_chance_match(*kept[-3:]):
            del kept[-2]
    return [block for block in kept if block.words]


def _is_chance_match(before: _Block, block: _Block, after: _Block) -> bool:
    """Return whether few words are equal between two long differences, long in both texts."""
    if block.words >= _MIN_RUN_WORDS:
        return False
    ahead, behind = _count_words_between(before, block), _count_words_between(block, after)
    in_each_text = map(sum, zip(ahead, behind, strict=True))
    return min(max(ahead), max(behind), *in_each_text) >= _CHANCE_FACTOR * block.words


def _count_words_between(block: _Block, next_block: _Block) -> _WordCounts:
    return _WordCounts(
        next_block.left - block.left - block.words, next_block.right - block.right - block.words
    )


def _long_parts_outside_blocks(
    runs: Sequence[_Block], blocks: Sequence[_Block]
) -> Iterator[_Block]:
    """Yield the parts of runs that are in no block on either side, if enough is left to show."""
    if not runs:
        return
    ours = _covered_positions((block.left, block.left + block.words) for block in blocks)
    theirs = _covered_positions((block.right, block.right + block.words) for block in blocks)
    for run in runs:
        start = None
        for at in range(run.words + 1):
            free = at < run.words and run.left + at not in ours and run.right + at not in theirs
            if free and start is None:
                start = at
            elif not free and start is not None:
                if at - start >= _MIN_RUN_WORDS:
                    yield _Block(run.left + start, run.right + start, at - start)
                start = None


def _covered_positions(spans: Iterator[tuple[int, int]]) -> set[int]:
    return {at for start, end in spans for at in range(start, end)}


def _make_same_and_changed_stretches(
    blocks: Sequence[_Block], ours: _WordSpans, theirs: _WordSpans
) -> Iterator[Stretch]:
    """Yield stretches that cover both texts; adjacent blocks are one."""
    left = right = same = 0
    for block in (*blocks, _Block(len(ours.ids), len(theirs.ids), 0)):
        if (block.left, block.right) != (left, right):
            if same:
                yield _make_stretch(
                    SAME,
                    ours,
                    theirs,
                    left_words=range(left - same, left),
                    right_words=range(right - same, right),
                )
                same = 0
            yield _make_stretch(
                CHANGED,
                ours,
                theirs,
                left_words=range(left, block.left),
                right_words=range(right, block.right),
            )
        left, right = block.left + block.words, block.right + block.words
        same += block.words
    if same or not (ours.ids or theirs.ids):
        yield _make_stretch(
            SAME,
            ours,
            theirs,
            left_words=range(left - same, left),
            right_words=range(right - same, right),
        )


def _make_stretch(
    kind: StretchKind,
    ours: _WordSpans,
    theirs: _WordSpans,
    *,
    left_words: range,
    right_words: range,
) -> Stretch:
    left_start, left_end = ours.span_with_gaps_around(left_words)
    right_start, right_end = theirs.span_with_gaps_around(right_words)
    return Stretch(
        kind=kind,
        left_start=left_start,
        left_end=left_end,
        right_start=right_start,
        right_end=right_end,
        left_words=len(left_words),
        right_words=len(right_words),
    )
