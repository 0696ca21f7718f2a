"""Noisy copies: texts that were scanned, retyped or transcribed, nominated and aligned.

Texts are compared bare: the letters, marks and digits alone, folded, so that case, punctuation,
hyphens and spaces never count as noise. Shingles of characters nominate pairs; an alignment decides
each on its ``agreement``.

Source: Levenshtein 1965 (wrong characters); Myers 1999 (counting them); Broder 1997, section 4 (the
lowest ids of a set stand for it); Ukkonen 1992 (shingles that a wrong character changes).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from ilk import _kernels, arrow
from ilk.search.measures import kernel_ratio_at_most, ratio_or_zero

#: Characters per shingle of a text, and of a short one. One wrong character destroys as many
#: shingles as they have characters, and at 5 % wrong ones few shingles of words are left.
WIDTH, SHORT_WIDTH = 5, 3

#: How many ids are kept of a text: the lowest. They estimate the resemblance of two bare texts of
#: any length (bottom-k sketches, Broder 1997, section 4), at a fixed size.
LOWEST = 256

#: A text of at least the first number of characters is nominated by the ids kept; one of fewer
#: than the second by all its shorter shingles. Between the two it has both, since a copy may be a
#: quarter shorter.
LONG_FROM_CHARACTERS, SHORT_BELOW_CHARACTERS = 300, 400

#: A text of fewer characters is no noisy copy: of a few characters nothing is certain. Of 1.1
#: million pairs of stretches of English of one length, 530 of 6 letters and 151 of 8 agree as much
#: as copies at a rate of 10 %; from 16 letters on, 20 do, and these overlap. What it costs: 8.8 %
#: of lines of 5 words are shorter, and never found (docs/explanation/noise.md).
SHORTEST = 20

#: A longer text is not aligned: the time of an alignment grows with the product of the lengths.
LONGEST = 1 << 20

#: The least scatter of wrong characters: noise has about 1, edits of words and lines a quarter.
#: Of 162 scanned pages 157 had more than 0.5. At 0.4, 467 more pairs of template pages were taken
#: for copies; 0.6 would begin to lose scans (docs/explanation/noise.md).
SCATTER = 0.5

#: A text that has failed so often in a row is only aligned with others that have not: one that
#: shares its template with thousands would be aligned with all of them. Pairs come the most alike
#: first, so a copy is missed only behind as many texts that share more shingles with it.
PATIENCE = 16

#: Products of lengths up to which parts of a text may stand in another order. That alignment
#: computes the whole table of the two texts, whereas one in order stays in a band.
MOVES = 1 << 26

#: What a share may be less by rounding; the alignment itself is decided on whole numbers.
_ROUNDED = 1e-9


class NoiseEvidence(NamedTuple):
    """The evidence of n texts that nominates their noisy copies.

    Attributes:
        lengths: characters of the bare text (``uint32``).
        long: the lowest ids of the shingles of texts that are not short.
        short: the ids of shorter shingles of short texts.
    """

    lengths: pa.Array
    long: pa.Array
    short: pa.Array

    @classmethod
    def from_texts(cls, texts: arrow.Chunks, jobs: int) -> NoiseEvidence:
        """Return the noise evidence of texts, in one pass over them."""
        rule = _kernels.NoiseSetRule(
            width=WIDTH,
            most_ids=LOWEST,
            least_length=LONG_FROM_CHARACTERS,
            short_width=SHORT_WIDTH,
            short_below=SHORT_BELOW_CHARACTERS,
        )
        return cls.concatenate(
            [
                cls(*_kernels.make_bare_lengths_and_noise_sets(chunk, rule, jobs))
                for chunk in arrow.kernel_chunks(texts)
            ]
        )

    @classmethod
    def concatenate(cls, parts: list[NoiseEvidence]) -> NoiseEvidence:
        """Return the rows of several, one after the other."""
        kinds = (pa.uint32(), arrow.SETS, arrow.SETS)
        return cls(
            *(
                arrow.join_pieces((part[at] for part in parts), kind)
                for at, kind in enumerate(kinds)
            )
        )

    def take(self, rows: pa.Array) -> NoiseEvidence:
        """Return some rows."""
        return NoiseEvidence(*(field.take(rows) for field in self))


class NoiseLimits(NamedTuple):
    """What makes a noisy copy.

    Attributes:
        agreement: the least of a pair.
        long, short: the least resemblance of the sets that are kept, of a pair that is nominated.
        usual: the resemblance that copies usually have: from there on, parts may have moved.
    """

    agreement: Fraction
    long: Fraction
    short: Fraction
    usual: float


def nominate_noisy_pairs_most_alike_first(
    evidence: NoiseEvidence,
    rows: pa.Array,
    limits: NoiseLimits,
    *,
    max_pairs: int,
    jobs: int = 1,
    follow_share: Callable[[float], object] | None = None,
) -> pa.Table:
    """Return every pair of some rows at the resemblances, the most alike first.

    Returns:
        ``left``, ``right`` (left < right) and ``resemblance``.
    """
    some = evidence.take(rows)
    parts = []
    for sets, min_resemblance in ((some.long, limits.long), (some.short, limits.short)):
        left, right, shared = _kernels.resemblance_self_join(
            sets, kernel_ratio_at_most(min_resemblance), max_pairs, jobs, follow_share
        )
        share = _resemblance_from_shared_counts(sets, left, right, shared)
        pairs = pa.table({"left": left, "right": right, "resemblance": share})
        fits = have_lengths_that_allow_agreement(some, left, right, limits=limits)
        if sets is some.short:
            # Two texts that are not short were paired by their longer shingles.
            shorter = _shorter_and_longer_lengths(some, left, right).shorter
            fits = pc.and_(fits, pc.less(shorter, LONG_FROM_CHARACTERS))
        parts.append(pairs.filter(fits))
    found = pa.concat_tables(parts)
    sides = {side: rows.take(arrow.flat(found[side])) for side in ("left", "right")}
    order = [("resemblance", "descending"), ("left", "ascending"), ("right", "ascending")]
    return arrow.replace_columns(found, **sides).sort_by(order)


class SetResemblances(NamedTuple):
    """How much two kinds of sets of each pair resemble each other: long and short shingles."""

    long: pa.DoubleArray
    short: pa.DoubleArray


def measure_set_resemblances(
    evidence: NoiseEvidence, left: pa.Array, right: pa.Array
) -> SetResemblances:
    """Return the resemblances of pairs of rows; a pair is nominated by the larger one."""
    return SetResemblances(
        *(_resemblance_of_sets(sets, left, right) for sets in (evidence.long, evidence.short))
    )


def are_nominated(
    evidence: NoiseEvidence, left: pa.Array, right: pa.Array, limits: NoiseLimits
) -> pa.BooleanArray:
    """Return which pairs of rows ``nominate_noisy_pairs_most_alike_first`` finds among all."""
    return pc.and_(
        have_resemblances_at_limits(
            evidence,
            left,
            right,
            resemblances=measure_set_resemblances(evidence, left, right),
            limits=limits,
        ),
        have_lengths_that_allow_agreement(evidence, left, right, limits=limits),
    )


def have_resemblances_at_limits(
    evidence: NoiseEvidence,
    left: pa.Array,
    right: pa.Array,
    *,
    resemblances: SetResemblances,
    limits: NoiseLimits,
) -> pa.BooleanArray:
    """Return which pairs of rows have sets that resemble each other enough."""
    long = pc.greater_equal(resemblances.long, float(limits.long) - _ROUNDED)
    short = pc.greater_equal(resemblances.short, float(limits.short) - _ROUNDED)
    # The longer shingles of a short text do not represent it.
    shorter = _shorter_and_longer_lengths(evidence, left, right).shorter
    return pc.or_(long, pc.and_(short, pc.less(shorter, LONG_FROM_CHARACTERS)))


def _resemblance_of_sets(sets: pa.Array, left: pa.Array, right: pa.Array) -> pa.DoubleArray:
    return _resemblance_from_shared_counts(
        sets, left, right, _kernels.count_shared_ids(sets, left, right)
    )


def _resemblance_from_shared_counts(
    sets: pa.Array, left: pa.Array, right: pa.Array, shared_counts: pa.Array
) -> pa.DoubleArray:
    sizes = pc.list_value_length(sets)
    both = pc.add(sizes.take(left), sizes.take(right))
    return ratio_or_zero(shared_counts, pc.subtract(both, shared_counts))


def have_lengths_that_allow_agreement(
    evidence: NoiseEvidence, left: pa.Array, right: pa.Array, *, limits: NoiseLimits
) -> pa.BooleanArray:
    """Return which pairs may agree by their lengths."""
    shorter, longer = _shorter_and_longer_lengths(evidence, left, right)
    min_length = pc.multiply(longer.cast(pa.float64()), float(limits.agreement) - _ROUNDED)
    near = pc.greater_equal(shorter.cast(pa.float64()), min_length)
    bounded = pc.and_(pc.greater_equal(shorter, SHORTEST), pc.less_equal(longer, LONGEST))
    return pc.and_(near, bounded)


class _PairLengths(NamedTuple):
    """Of each pair, the lengths of the shorter and of the longer bare text, in characters."""

    shorter: pa.Array
    longer: pa.Array


def _shorter_and_longer_lengths(
    evidence: NoiseEvidence, left: pa.Array, right: pa.Array
) -> _PairLengths:
    both = [evidence.lengths.take(side).cast(pa.int64()) for side in (left, right)]
    return _PairLengths(pc.min_element_wise(*both), pc.max_element_wise(*both))


def find_rows_of_agreeing_pairs(
    texts: arrow.Texts,
    pairs: pa.Table,
    limits: NoiseLimits,
    *,
    jobs: int,
    max_failures_in_a_row: int | None = PATIENCE,
    follow_share: Callable[[float], object] | None = None,
) -> pa.Table:
    """Return the pairs that agree, with their ``agreement`` and whether parts have ``moved``.

    Args:
        texts: of all rows; those of the pairs are read again.
        pairs: ``left``, ``right`` and ``resemblance`` (null: nothing is known), in the order in
            which they are aligned.
        max_failures_in_a_row: pairs of two texts that have failed so often are passed over; None
            aligns every pair.
        follow_share: takes the share of an alignment that is done.

    Returns:
        Rows of ``pairs`` (``row``), ``agreement``, ``moved``.
    """
    schema = pa.schema([("row", pa.int64()), ("agreement", pa.float64()), ("moved", pa.bool_())])
    parts = [schema.empty_table()]
    conditions = _kernels.AgreementConditions(
        least_agreement=kernel_ratio_at_most(limits.agreement),
        least_scatter=SCATTER,
        failures_in_a_row=(
            (1 << 32) - 1 if max_failures_in_a_row is None else max_failures_in_a_row
        ),
        most_cells_for_moves=MOVES,
    )
    for rows in _pair_rows_in_portions_of_components(len(texts), pairs):
        some = pairs.take(rows)
        sides = [arrow.flat(some[side]) for side in ("left", "right")]
        used = pc.unique(pa.concat_arrays(sides)).sort()
        one, other = (pc.index_in(side, value_set=used).cast(pa.int64()) for side in sides)
        held: Any = arrow.take_texts(texts, used)
        may_have_moved = pc.fill_null(pc.greater_equal(some["resemblance"], limits.usual), True)
        kinds, errors, lengths = _kernels.align_pairs_with_text_lengths(
            held.view(pa.large_binary()),
            (one, other, arrow.flat(may_have_moved).cast(pa.uint8())),
            conditions,
            jobs,
            follow_share,
        )
        longest = pc.max_element_wise(lengths.take(one), lengths.take(other), 1)
        wrong = pc.divide(errors.cast(pa.float64()), longest.cast(pa.float64()))
        found = {"row": rows, "agreement": pc.subtract(1.0, wrong), "moved": pc.equal(kinds, 1)}
        parts.append(pa.table(found).filter(pc.less(kinds, 2)))
    return pa.concat_tables(parts).sort_by("row")


def _pair_rows_in_portions_of_components(text_count: int, pairs: pa.Table) -> Iterator[pa.Array]:
    """Yield rows of pairs to align together: whole components, so that no text is read twice."""
    if not len(pairs):
        return
    left, right = (arrow.flat(pairs[side]) for side in ("left", "right"))
    rows = pa.arange(0, text_count)
    roots = _kernels.cluster_connected(rows, left, right).take(left)
    counts = pc.value_counts(roots)
    order = pc.sort_indices(counts.field(0))
    numbers, held, number = [], 0, 0
    # Components in the order of their first rows, as many as fit: none is cut.
    for count in counts.field(1).take(order).to_pylist():
        if held and held + count > _PAIRS:
            held, number = 0, number + 1
        held += count
        numbers.append(number)
    place = pc.index_in(roots, value_set=counts.field(0).take(order))
    portion = pa.array(numbers, pa.int64()).take(place)
    for one in range(number + 1):
        yield pc.indices_nonzero(pc.equal(portion, one)).cast(pa.int64())


#: Pairs that are aligned together, where no component has more.
_PAIRS = 1 << 21


class Agreements(NamedTuple):
    """The agreement of two texts, and that of the shorter one with a stretch of the other."""

    whole: float
    within: float


def measure_whole_and_within_agreement(left: str, right: str) -> Agreements:
    """Return the agreement of two texts, and that of the shorter one with a stretch of the other.

    >>> measure_whole_and_within_agreement("Noisy copies", "N0isy-copies")
    Agreements(whole=0.9090909090909091, within=0.9090909090909091)
    """
    wrong = _kernels.count_wrong_characters(left, right)
    lengths = wrong.left_length, wrong.right_length
    return Agreements(1 - wrong.whole / max(1, *lengths), 1 - wrong.within / max(1, min(lengths)))
