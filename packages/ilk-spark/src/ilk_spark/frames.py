"""Columns of a data frame in, columns out."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from typing import TYPE_CHECKING

from ilk import TooManyPairs
from ilk.companions import NOMINATING, Query, default, verdicts
from ilk.plugins import check_option
from ilk_spark import clustering, flow, joining, reading
from ilk_spark.failing import raise_as_ilk
from ilk_spark.frame_request import FrameRequest

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


def evidence(
    frame: DataFrame,
    *,
    text: str | Sequence[str] = default("text"),
    id: str = "id",
    shingle: int = default("shingle"),
) -> DataFrame:
    """Return the evidence of texts, which judges pairs without the texts.

    Args:
        frame: n rows.
        text: the column of texts; or several, joined with a blank line between them.
        id: the column that names a row.
        shingle: words per shingle.

    Returns:
        n rows: ``id``; the ``digest``, ``bytes_digest`` and ``masked_digest`` (16 bytes each; null
        for a blank text, except for that of the bytes); ``length`` in bytes; ``words``; and the
        sets of shingles as the bytes of ascending numbers, little-endian: ``word_shingles`` (4
        bytes per number), ``word_hashes`` (8; for texts with more than 2,048 shingles),
        ``character_shingles`` (4; for texts of fewer than 100 words).

    Raises:
        OptionError: an option is out of bounds.
        ColumnTypeError: a column does not exist, or has another type.
    """
    request = FrameRequest.check_options_and_read_base_text(
        Query.from_options(NOMINATING, shingle=shingle), text, id=id, order_by=None
    )
    request.refuse_unfit_frame(frame)
    return reading.evidence_columns(frame, request)


def near_pairs(
    frame: DataFrame,
    *,
    text: str | Sequence[str] = default("text"),
    id: str = "id",
    resemblance: str | float = default("resemblance"),
    shingle: int = default("shingle"),
    max_pairs: int = default("max_pairs"),
    pairing: str | None = None,
    recall: str | float | None = None,
    partitions: int | None = None,
) -> DataFrame:
    """Return all pairs of near-duplicates, including copies of the same text, as ``ilk.find``.

    Texts that differ only in numbers are pairs whatever they share, unless bands nominate.

    Args:
        frame: n rows.
        text: the column of texts; or several, joined with a blank line between them.
        id: the column that names a row; rows without an id, or with another row's id, are in no
            pair.
        resemblance: the least share of shingles that two texts have in common.
        shingle: words per shingle.
        max_pairs: the largest number of pairs to find.
        pairing, recall, partitions: as for ``deduplicate``.

    Returns:
        ``left`` and ``right`` (ids, left the lower one), ``resemblance``, ``containment_left``,
        ``containment_right`` and ``verdict``, in no order.

    Raises:
        OptionError: an option is out of bounds, or ``id`` does not identify rows.
        ColumnTypeError: a column does not exist, or has another type.
        TooManyPairs: there are more than ``max_pairs``.
    """
    query = Query.from_options(
        NOMINATING, resemblance=resemblance, shingle=shingle, max_pairs=max_pairs, recall=recall
    )
    request = FrameRequest.check_options_and_read_base_text(
        query, text, id=id, order_by=None, pairing=pairing
    )
    least = check_option("partitions", partitions)
    with raise_as_ilk(), closing(flow.read_frames([frame], request, least)) as read:
        connected = read.find_components(_edges_of_numbers_only_if_shown(read, max_pairs))
        tasks = max(1, connected.task_count)
        alike = clustering.find_pairs_in_components(
            read.join_evidence(connected), read.request, tasks
        )
        found = _expand_pairs_to_copies(read, alike).persist()
        count = found.count()
    if count > max_pairs:
        found.unpersist()
        raise TooManyPairs(count, max_pairs)
    return found


def _edges_of_numbers_only_if_shown(read: flow.ReadRows, max_pairs: int) -> DataFrame | None:
    """Return edges between texts that differ only in numbers; None if bands nominate pairs.

    Raises:
        TooManyPairs: they alone are more pairs than ``max_pairs``.
    """
    if read.request.band_shape_or_none is not None:
        return None
    texts = read.select_once_per_digest(
        "text", "masked_digest", "word_shingles", "character_shingles"
    )
    groups = joining.group_texts_differing_only_in_numbers(texts)
    # Before a task lists them: a group of 10^5 texts is one task with 5 x 10^9 pairs.
    count = groups.selectExpr("sum(texts * (texts - 1) div 2)").first()[0] or 0
    if count > max_pairs:
        raise TooManyPairs(count, max_pairs)
    return joining.connect_texts_differing_only_in_numbers(texts, groups)


def _expand_pairs_to_copies(read: flow.ReadRows, representative_pairs: DataFrame) -> DataFrame:
    """Return pairs of representatives as pairs of all rows by their ids, and pairs of copies."""
    from pyspark.sql import functions as sf

    raw = read.facts.select("doc", "id", "bytes_digest", "measured")
    best = read.copies.where("verdict is not null").select("doc", "best")
    rows = raw.join(best, "doc", "left").withColumn("best", sf.coalesce("best", "doc"))
    left = rows.select(sf.col("best").alias("left"), sf.col("id").alias("one"))
    right = rows.select(sf.col("best").alias("right"), sf.col("id").alias("other"))
    across = representative_pairs.join(left, "left").join(right, "right")
    is_turned = sf.col("one") > sf.col("other")
    sides = {"left": ("one", "other"), "right": ("other", "one")}
    sides |= {
        f"containment_{side}": (f"containment_{side}", f"containment_{other}")
        for side, other in (("left", "right"), ("right", "left"))
    }
    chosen = [
        sf.when(is_turned, sf.col(other)).otherwise(sf.col(own)).alias(name)
        for name, (own, other) in sides.items()
    ]
    names = ["left", "right", "resemblance", "containment_left", "containment_right", "verdict"]
    cross_pairs = across.select("resemblance", "verdict", *chosen).select(*names)
    some = rows.join(best.select("best").distinct(), "best", "left_semi")
    one, other = some.alias("a"), some.alias("b")
    same = one.join(
        other, (sf.col("a.best") == sf.col("b.best")) & (sf.col("a.id") < sf.col("b.id"))
    )
    equal = sf.col("a.bytes_digest") == sf.col("b.bytes_digest")
    verdict = sf.when(equal, verdicts.IDENTICAL).otherwise(verdicts.EXACT)
    measured = [sf.col("a.measured").alias(name) for name in names[2:5]]
    ids = [sf.col("a.id").alias("left"), sf.col("b.id").alias("right")]
    return cross_pairs.unionByName(same.select(*ids, *measured, verdict.alias("verdict")))
