"""Texts with the sets by which they are measured, and every pair of them at a threshold.

Texts of at least 50 words are measured on their word shingles, and a pair with a shorter text on
character 3-shingles. Sets are of 32-bit ids; pairs so large that ids would meet by chance are
counted again on 64-bit hashes before they are judged, and are looked for a little below the
threshold, so that none is lost.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction

import pyarrow as pa
import pyarrow.compute as pc

from ilk import _kernels, columns
from ilk.errors import TooManyPairs
from ilk.features import shingles
from ilk.pairing import measures, verify
from ilk.pairing.verify import Counts

#: More shingles than any text has.
_MANY = 1 << 62


@dataclass(frozen=True, slots=True)
class Measured:
    """Texts with the sets by which each is measured among its like.

    Attributes:
        texts: n texts.
        sets: n sets: of word shingles, or of character shingles where a text is short.
        words: how many words each text has.
        characters: at least how many distinct shingles of characters it has.
        shingle: words per shingle.
        jobs: threads.
        progress: told of every long join the share that is done, 0 to 1.
    """

    texts: columns.Texts
    sets: pa.Array
    words: pa.Array
    characters: pa.Array
    shingle: int
    jobs: int
    progress: Callable[[float], object] | None = None

    @classmethod
    def of(
        cls,
        texts: columns.Texts,
        shingle: int,
        jobs: int,
        progress: Callable[[float], object] | None = None,
    ) -> Measured:
        """Cut the texts into the sets by which they are measured."""
        found = shingles.measured(
            texts, shingle, measures.SHORT_WIDTH, measures.SHORT_WORDS, jobs=jobs
        )
        return cls(texts, *found, shingle, jobs, progress)

    def followed_by(self, texts: pa.ChunkedArray) -> Measured:
        """These texts, and others behind them."""
        others = Measured.of(texts, self.shingle, self.jobs)
        return replace(
            self,
            texts=pa.chunked_array([*self.texts.chunks, *others.texts.chunks], pa.large_string()),
            sets=pa.concat_arrays([self.sets, others.sets]),
            words=pa.concat_arrays([self.words, others.words]),
            characters=pa.concat_arrays([self.characters, others.characters]),
        )

    def only(self, rows: pa.Array) -> Measured:
        """The same of which only some rows are left; the others are like none."""
        texts = columns.only(self.texts, rows)
        return replace(self, texts=texts, sets=emptied(self.sets, pc.invert(rows)))

    @property
    def short(self) -> pa.Array:
        """Per text whether it is measured by its characters."""
        return pc.less(self.words, measures.SHORT_WORDS)

    def count(self, left: pa.Array, right: pa.Array) -> Counts:
        """Pairs of rows measured, from the sets where they tell and else from the texts."""
        counts = counted(self.sets, left, right, _kernels.intersect_pairs(self.sets, left, right))
        short = self.short
        apart = pc.not_equal(short.take(left), short.take(right))
        return self._again(left, right, counts, pc.or_(apart, _wide(counts)))

    def resembling(self, least: Fraction, max_pairs: int) -> tuple[pa.Array, pa.Array, Counts]:
        """Every pair that resembles each other to that degree, left < right, sorted; measured."""
        ratio = measures.kernel_ratio(least)
        own = _kernels.resemblance_self_join(self.ordinary(), *ratio, max_pairs, self.progress)
        bridging = self._recounted(*self._bridging(least, max_pairs))
        left, right, counts = _concatenated([self._alike(*own), bridging])
        return judged(left, right, counts, counts.resembling(least), max_pairs)

    def across(
        self, split: int, least: Fraction, max_pairs: int
    ) -> tuple[pa.Array, pa.Array, Counts]:
        """The same of a row below ``split`` and one from there on."""
        lower = self.lowered(least)
        ratio = measures.kernel_ratio(lower)
        first, rest = sides(pa.arange(0, len(self.sets)), split)
        joins = [(self.sets, self.sets)]
        shorter, longer = self._short_and_longer(lower)
        if shorter is not None:
            joins += [(shorter, longer), (longer, shorter)]
        found = []
        for some, others in joins:
            pair = emptied(some, first), emptied(others, rest)
            left, right, shared = _kernels.resemblance_join(*pair, *ratio, max_pairs)
            sizes = pc.list_value_length(some), pc.list_value_length(others)
            found.append((left, right, Counts(shared, sizes[0].take(left), sizes[1].take(right))))
        left, right, counts = self._recounted(*_concatenated(found))
        return judged(left, right, counts, counts.resembling(least), max_pairs)

    def ordinary(self) -> pa.Array:
        """The sets that 32-bit ids can judge; a larger one is empty, and met through bridges."""
        large = self._large
        return self.sets if large is None else emptied(self.sets, large)

    @property
    def _large(self) -> pa.Array | None:
        """Per text whether its set is so large that ids meet by chance; None if none is."""
        large = pc.greater(pc.list_value_length(self.sets), verify.LARGE)
        return large if pc.any(large).as_py() else None

    def contained(self, least: Fraction, max_pairs: int) -> tuple[pa.Array, pa.Array, Counts]:
        """Every ordered pair of which left stands in right to that degree, sorted; measured."""
        lower = self.lowered(least)
        ratio = measures.kernel_ratio(lower)
        found = [
            self._alike(
                *_kernels.containment_self_join(self.sets, *ratio, max_pairs, self.progress)
            )
        ]
        found += self._contained_across(lower, max_pairs)
        left, right, counts = self._recounted(*_concatenated(found))
        return judged(left, right, counts, counts.contained(least)[0], max_pairs)

    def _contained_across(
        self, least: Fraction, max_pairs: int
    ) -> list[tuple[pa.Array, pa.Array, Counts]]:
        """The same pairs of a short and a longer text, both ways."""
        found = []
        for inner, outer in self._mixed(least):
            left, right, shared = _kernels.containment_join(
                inner, outer, *measures.kernel_ratio(least), max_pairs
            )
            sizes = (pc.list_value_length(side) for side in (inner, outer))
            counts = (size.take(rows) for size, rows in zip(sizes, (left, right), strict=True))
            found.append((left, right, Counts(shared, *counts)))
        return found

    def _mixed(self, least: Fraction) -> list[tuple[pa.Array, pa.Array]]:
        """Sets of characters of short texts and longer ones: which may be contained in which."""
        short = self.short
        largest = pc.max(pc.list_value_length(self.sets).filter(short)).as_py() or 0
        if not largest or pc.all(short).as_py():
            return []
        longer = shingles.sets(
            columns.only(self.texts, pc.invert(short)),
            "chars",
            measures.SHORT_WIDTH,
            jobs=self.jobs,
        )
        # A longer text stands in none of them if it has too many shingles.
        most = min(int(largest / least), _MANY)
        fitting = emptied(longer, pc.greater(pc.list_value_length(longer), most))
        return [(self._of_short, longer), (fitting, self._of_short)]

    def containers(self, least: Fraction) -> pa.Array:
        """Per text one other text that contains it to that degree, or null.

        Among texts of one kind a container is larger, so that no two contain each other.
        """
        ratio = measures.kernel_ratio(self.lowered(least))
        found = _kernels.containers(self.sets, *ratio, self.progress)
        for inner, outer in self._mixed(least):
            found = pc.coalesce(found, _kernels.containers_among(inner, outer, *ratio))
        return found

    def contained_among(
        self, least: Fraction, inner: pa.Array, without: pa.Array, max_pairs: int
    ) -> tuple[pa.Array, pa.Array]:
        """Every pair of a row of ``inner`` and another row of its kind in which it stands.

        Rows of ``without`` are no containers.
        """
        rows = pa.arange(0, len(self.sets))
        some = emptied(self.sets, pc.invert(pc.is_in(rows, value_set=inner)))
        others = emptied(self.sets, pc.is_in(rows, value_set=without))
        ratio = measures.kernel_ratio(self.lowered(least))
        left, right, _ = _kernels.containment_join(some, others, *ratio, max_pairs, self.progress)
        different = pc.not_equal(left, right)
        return left.filter(different), right.filter(different)

    def bridges(self, least: Fraction, max_pairs: int) -> tuple[pa.Array, pa.Array]:
        """Every pair at that resemblance that ``ordinary`` sets do not tell of."""
        left, right, counts = self._bridging(least, max_pairs)
        counts = self._again(left, right, counts, pc.and_(_wide(counts), _open(counts, least)))
        chosen = counts.resembling(least)
        return left.filter(chosen), right.filter(chosen)

    def _bridging(self, least: Fraction, max_pairs: int) -> tuple[pa.Array, pa.Array, Counts]:
        """Candidates for such pairs, counted on 32 bits.

        They are pairs of a short and a longer text, and those with a large set.
        """
        lower = self.lowered(least)
        ratio = measures.kernel_ratio(lower)
        found = []
        for some, others in (self._short_and_longer(lower), self._large_and_all(lower)):
            if some is None:
                continue
            left, right, shared = _kernels.resemblance_join(some, others, *ratio, max_pairs)
            sizes = pc.list_value_length(some), pc.list_value_length(others)
            counts = Counts(shared, sizes[0].take(left), sizes[1].take(right))
            found.append(_ascending(left, right, counts))
        if not found:
            return _nothing()
        return _distinct(*_concatenated(found))

    def _short_and_longer(self, least: Fraction) -> tuple[pa.Array | None, pa.Array | None]:
        """Sets of characters of the short texts, and of the longer ones that may resemble them."""
        short = self.short
        largest = pc.max(pc.list_value_length(self.sets).filter(short)).as_py() or 0
        if not largest or pc.all(short).as_py():
            return None, None
        # A longer text resembles none of them if it has too many shingles.
        most = min(int(largest / least), _MANY)
        longer = pc.and_(pc.invert(short), pc.less_equal(self.characters, most))
        if not pc.any(longer).as_py():
            return None, None
        some = columns.only(self.texts, longer)
        sets = shingles.sets(some, "chars", measures.SHORT_WIDTH, most=most, jobs=self.jobs)
        return self._of_short, sets

    def _large_and_all(self, least: Fraction) -> tuple[pa.Array | None, pa.Array | None]:
        """The large sets, and those that may resemble one of them."""
        large = self._large
        if large is None:
            return None, None
        # A few less: in a set that is counted on 32 bits, two shingles may be one.
        fewest = int(verify.LARGE * least) - 8
        small = pc.less(pc.list_value_length(self.sets), fewest)
        return emptied(self.sets, pc.invert(large)), emptied(self.sets, small)

    def lowered(self, least: Fraction) -> Fraction:
        """The threshold, less what chance meetings of 32-bit ids can change in the largest set."""
        largest = pc.max(pc.list_value_length(self.sets)).as_py() or 0
        if largest * largest <= verify.WIDE:
            return least
        return max(least - Fraction(4 * largest, 1 << 32), least / 2)

    @property
    def _of_short(self) -> pa.Array:
        """The sets of the short texts, which are of characters; the others are empty."""
        return emptied(self.sets, pc.invert(self.short))

    def _alike(
        self, left: pa.Array, right: pa.Array, shared: pa.Array
    ) -> tuple[pa.Array, pa.Array, Counts]:
        """Pairs of the joined column, but for those that meet by chance across its two kinds."""
        counts = counted(self.sets, left, right, shared)
        short = self.short
        same = pc.equal(short.take(left), short.take(right))
        return left.filter(same), right.filter(same), counts.only(same)

    def _recounted(
        self, left: pa.Array, right: pa.Array, counts: Counts
    ) -> tuple[pa.Array, pa.Array, Counts]:
        """The pairs, those of large sets counted on 64-bit hashes."""
        return left, right, self._again(left, right, counts, _wide(counts))

    def _again(self, left: pa.Array, right: pa.Array, counts: Counts, rows: pa.Array) -> Counts:
        """The counts, some of them counted on the texts."""
        if not pc.any(rows).as_py():
            return counts
        sides = left.filter(rows), right.filter(rows)
        exact = verify.count(self.texts, *sides, shingle=self.shingle, jobs=self.jobs)
        better = zip(counts.arrays, exact.arrays, strict=True)
        return Counts(*(pc.replace_with_mask(a, rows, b) for a, b in better))


def _wide(counts: Counts) -> pa.Array:
    """Per pair whether its sets are so large that 32-bit ids meet by chance."""
    return pc.greater(pc.multiply(counts.left, counts.right), verify.WIDE)


def _open(counts: Counts, least: Fraction) -> pa.Array:
    """Per pair whether chance meetings of its ids could decide if it reaches the resemblance.

    Two sets of n and m shingles have n m / 2^32 such meetings on average; sixteen more than sixteen
    times as many have a probability below e^-40.
    """
    product = pc.multiply(counts.left, counts.right)
    slack = pc.add(pc.shift_right(product, pa.scalar(28, pa.int64())), 16)
    more = Counts(pc.add(counts.shared, slack), counts.left, counts.right)
    sizes = (pc.add(side, slack) for side in (counts.left, counts.right))
    less = Counts(pc.subtract(counts.shared, slack), *sizes)
    return pc.xor(more.resembling(least), less.resembling(least))


def sides(rows: pa.Array, split: int) -> tuple[pa.Array, pa.Array]:
    """Per side of a join the rows that are not on it: first those from ``split`` on."""
    return pc.greater_equal(rows, split), pc.less(rows, split)


def emptied(sets: pa.Array, rows: pa.Array) -> pa.Array:
    """The sets, those of some rows empty."""
    return pc.if_else(rows, pa.scalar([], sets.type), sets)


def _ascending(
    left: pa.Array, right: pa.Array, counts: Counts
) -> tuple[pa.Array, pa.Array, Counts]:
    """The pairs with the lower row on the left, without those of a row and itself."""
    turned = pc.greater(left, right)
    counts = Counts(
        counts.shared,
        pc.if_else(turned, counts.right, counts.left),
        pc.if_else(turned, counts.left, counts.right),
    )
    left, right = pc.if_else(turned, right, left), pc.if_else(turned, left, right)
    other = pc.less(left, right)
    return left.filter(other), right.filter(other), counts.only(other)


def _distinct(left: pa.Array, right: pa.Array, counts: Counts) -> tuple[pa.Array, pa.Array, Counts]:
    """The pairs, each once: two large sets find each other both ways."""
    pairs = pa.table({"left": left, "right": right, "row": pa.arange(0, len(left))})
    rows = pairs.group_by(["left", "right"]).aggregate([("row", "min")])["row_min"]
    rows = columns.flat(rows).sort()
    return left.take(rows), right.take(rows), Counts(*(a.take(rows) for a in counts.arrays))


def counted(sets: pa.Array, left: pa.Array, right: pa.Array, shared: pa.Array) -> Counts:
    """The counts of pairs of sets, of which the shared ones are known."""
    sizes = pc.list_value_length(sets)
    return Counts(shared, sizes.take(left), sizes.take(right))


def _nothing() -> tuple[pa.Array, pa.Array, Counts]:
    none = pa.array([], pa.int64())
    return none, none, Counts(none, none, none)


def _concatenated(
    parts: list[tuple[pa.Array, pa.Array, Counts]],
) -> tuple[pa.Array, pa.Array, Counts]:
    left, right = (pa.concat_arrays([part[side] for part in parts]) for side in (0, 1))
    arrays = zip(*(part[2].arrays for part in parts), strict=True)
    return left, right, Counts(*(pa.concat_arrays(array) for array in arrays))


def judged(
    left: pa.Array, right: pa.Array, counts: Counts, chosen: pa.Array, max_pairs: int
) -> tuple[pa.Array, pa.Array, Counts]:
    """The chosen pairs, by row.

    Raises:
        TooManyPairs: they are more than ``max_pairs``, though no single join had so many.
    """
    left, right, counts = left.filter(chosen), right.filter(chosen), counts.only(chosen)
    if len(left) > max_pairs:
        raise TooManyPairs(len(left), max_pairs)
    if _is_sorted(left, right):
        return left, right, counts
    keys = [("left", "ascending"), ("right", "ascending")]
    order = pc.sort_indices(pa.table({"left": left, "right": right}), sort_keys=keys)
    return left.take(order), right.take(order), Counts(*(a.take(order) for a in counts.arrays))


def _is_sorted(left: pa.Array, right: pa.Array) -> bool:
    """Whether pairs are in order already, as those of a single join are."""
    last = max(0, len(left) - 1)
    (a, c), (b, d) = ((side.slice(0, last), side.slice(1)) for side in (left, right))
    back = pc.or_(pc.less(c, a), pc.and_(pc.equal(c, a), pc.less(d, b)))
    return not pc.any(back).as_py()
