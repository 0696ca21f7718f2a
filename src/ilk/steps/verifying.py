"""Step 4: candidates measured on the texts, and what is said of them."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from ilk import columns
from ilk.columns import verdicts
from ilk.fingerprints import digest
from ilk.pairing import hamming
from ilk.pairing.measured import Measured
from ilk.pairing.verify import Counts, count


class OneSite(NamedTuple):
    """What is asked of pairs of one site.

    Attributes:
        sites: per document the number of its site, or null.
        least: the least resemblance of a pair of one site.
    """

    sites: pa.Array
    least: Fraction

    def admits(self, left: pa.Array, right: pa.Array, counts: Counts) -> pa.Array:
        """Per pair whether it is of two sites, or alike enough for one."""
        same = pc.equal(self.sites.take(left), self.sites.take(right))
        return pc.or_(pc.invert(pc.fill_null(same, False)), counts.resembling(self.least))


def verify(
    candidates: pa.Table,
    documents: pa.Table,
    texts: columns.Texts,
    *,
    resemblance: Fraction | None,
    containment: Fraction | None,
    shingle: int,
    jobs: int,
    any_numbers: bool = False,
    one_site: OneSite | None = None,
) -> pa.Table:
    """Step 4, row by row: measures on the texts what is not measured yet, and gives the verdict.

    Args:
        candidates: ``CANDIDATES``; distances and counts that are null are filled.
        documents: what the candidates' rows number, with digests and fingerprints.
        texts: the documents' texts.
        resemblance: the least resemblance of ``near``; None takes any.
        containment: the least containment of ``contained`` and ``contains``; None knows neither.
        shingle: words per shingle.
        jobs: threads.
        any_numbers: ``numbers_only`` for all texts that differ in numbers alone; else only for
            those at the least resemblance, so that a search finds what it promises and no more.
        one_site: what is asked of pairs of one site; None asks for no more than of others.

    Returns:
        ``PAIRS``, one row per candidate in their order.
    """
    left, right = (columns.flat(candidates[side]) for side in ("left", "right"))
    counts = _counts(candidates, texts, left, right, shingle, jobs)

    def equal(name: str) -> pa.Array:
        column = documents[name]
        return columns.flat(pc.fill_null(pc.equal(column.take(left), column.take(right)), False))

    always, never = pa.repeat(True, len(left)), pa.repeat(False, len(left))
    near = always if resemblance is None else counts.resembling(resemblance)
    if one_site is not None:
        near = pc.and_(near, one_site.admits(left, right, counts))
    inside, around = (never, never) if containment is None else counts.contained(containment)
    copies = equal("digest")
    altered = pc.and_(pc.invert(copies), always if any_numbers else near)
    rules = {
        verdicts.IDENTICAL: equal("bytes_digest"),
        verdicts.EXACT: copies,
        verdicts.NUMBERS_ONLY: _numbers_only(texts, left, right, altered, jobs),
        verdicts.NEAR: near,
        verdicts.CONTAINED: inside,
        verdicts.CONTAINS: around,
    }
    verdict = first_verdict(rules)
    # Texts of an equal digest have equal features, also where they are too few for a fingerprint.
    nothing = pc.if_else(copies, pa.scalar(0, pa.uint8()), pa.scalar(None, pa.uint8()))
    distance = pc.coalesce(candidates["distance"], nothing, _distances(documents, left, right))
    found = {"left": left, "right": right, "distance": distance, **counts.columns()}
    return pa.table({**found, "verdict": verdict}, schema=columns.PAIRS)


def first_verdict(rules: Mapping[str, pa.Array]) -> pa.Array:
    """Per pair the first verdict that holds; ``different`` where none does.

    Args:
        rules: by verdict, in order, per pair whether it holds.
    """
    held = pa.StructArray.from_arrays(list(rules.values()), list(rules))
    return pc.case_when(held, *rules, verdicts.DIFFERENT)


def _counts(
    candidates: pa.Table,
    texts: columns.Texts,
    left: pa.Array,
    right: pa.Array,
    shingle: int,
    jobs: int,
) -> Counts:
    names = ("shared", "left_shingles", "right_shingles")
    known = Counts(*(columns.flat(candidates[name]) for name in names))
    unknown = known.shared.is_null()
    if not pc.any(unknown).as_py():
        return known
    counted = count(texts, left.filter(unknown), right.filter(unknown), shingle=shingle, jobs=jobs)
    filled = zip(known.arrays, counted.arrays, strict=True)
    return Counts(*(pc.replace_with_mask(column, unknown, new) for column, new in filled))


def _numbers_only(
    texts: columns.Texts, left: pa.Array, right: pa.Array, asked: pa.Array, jobs: int
) -> pa.Array:
    """Per pair that is asked about whether the texts differ in numbers alone; the others: no."""
    rows = pc.unique(pa.concat_arrays([left.filter(asked), right.filter(asked)]))
    if not len(rows):
        return asked
    some = columns.only(texts, pc.is_in(pa.arange(0, len(texts)), value_set=rows))
    masked = digest.masked_digests(some, jobs=jobs)
    same = pc.fill_null(pc.equal(masked.take(left), masked.take(right)), False)
    return pc.and_(asked, same)


def _distances(documents: pa.Table, left: pa.Array, right: pa.Array) -> pa.Array:
    values = columns.flat(documents["fingerprint"])
    return hamming.distance(values.take(left), values.take(right))


def counted(candidates: pa.Table, sets: Measured, representatives: pa.Array) -> pa.Table:
    """``CANDIDATES`` of which each pair is counted on the sets of its representatives."""
    left, right = (
        representatives.take(columns.flat(candidates[side])) for side in ("left", "right")
    )
    names = ("shared", "left_shingles", "right_shingles")
    known = dict(zip(names, sets.count(left, right).arrays, strict=True))
    arrays = [known.get(name, candidates[name]) for name in candidates.column_names]
    return pa.table(arrays, schema=columns.CANDIDATES)


def same(pairs: pa.Table) -> pa.Table:
    """The pairs whose documents are of one kind."""
    return pairs.filter(pc.is_in(pairs["verdict"], pa.array(verdicts.SAME)))


def contained_left(pairs: pa.Table) -> pa.Table:
    """Per contained document one of the pairs in which it is, turned so that it is the left one."""
    inside = pairs.filter(pc.equal(pairs["verdict"], verdicts.CONTAINED))
    around = turned(pairs.filter(pc.equal(pairs["verdict"], verdicts.CONTAINS)))
    both = pa.concat_tables([inside, around]).sort_by(
        [("left", "ascending"), ("right", "ascending")]
    )
    first = both.append_column("row", pa.arange(0, len(both))).group_by("left")
    rows = first.aggregate([("row", "min")]).sort_by("row_min")
    return both.take(rows["row_min"])


def turned(pairs: pa.Table) -> pa.Table:
    """The pairs with left and right exchanged."""
    verdict = pairs["verdict"]
    other = pc.if_else(pc.equal(verdict, verdicts.CONTAINED), verdicts.CONTAINS, verdicts.CONTAINED)
    sided = pc.is_in(verdict, pa.array([verdicts.CONTAINED, verdicts.CONTAINS]))
    columns_ = {
        "left": pairs["right"],
        "right": pairs["left"],
        "containment_left": pairs["containment_right"],
        "containment_right": pairs["containment_left"],
        "verdict": pc.if_else(sided, other, verdict),
    }
    arrays = [columns_.get(name, pairs[name]) for name in columns.PAIRS.names]
    return pa.table(arrays, schema=columns.PAIRS)
