"""The common flow of all requests: read rows, connect texts that may be alike."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import count
from typing import TYPE_CHECKING, NamedTuple

import pyarrow as pa

from ilk.plugins import OptionError
from ilk_spark import clustering, reading
from ilk_spark.frame_request import FrameRequest
from ilk_spark.grouping import assign_components_to_tasks_in_driver
from ilk_spark.joining import (
    SHARE,
    choose_partition_count,
    choose_partition_keys,
    find_candidate_edges,
)
from ilk_spark.stars import ConnectedDocuments, assign_components_to_tasks_in_cluster

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

#: The most rows of a few numbers to send to every executor, so that texts need not travel.
BROADCAST = 5_000_000

#: The most edges to connect in the driver, 32 bytes each; more are connected in the cluster.
IN_DRIVER = 50_000_000

#: Bytes of a row without its sets in a task.
_ROW = 200

#: The most repeated ids to list; with more, the column does not hold ids.
_MOST_REJECTED = 100_000


class IdentifiedRows(NamedTuple):
    """Rows by their own numbers, and those that have none.

    Attributes:
        rows: the rows to compare, as ``reading.number_rows_by_hashed_id``.
        rejected: the rows that are not compared: ``id``, ``held`` and ``reason``.
        row_count: the number of rows with a number, before repeated ids are taken out.
        has_rejected: whether any row is rejected.
    """

    rows: DataFrame
    rejected: DataFrame
    row_count: int
    has_rejected: bool


@dataclass(frozen=True, kw_only=True)
class ReadRows:
    """Rows that were read; Spark holds their evidence until ``close``.

    Attributes:
        request: the request, with the way to find candidates decided.
        facts: the facts of each row (``reading.with_evidence_and_records_or_short_text``).
        record_maker: what texts send to be joined.
        copies: the rows that have copies (``clustering.find_copies``).
        rejected: the rows that are not compared: ``id``, ``held`` and ``reason``.
        numbers: the number of rows, and other counts, by name.
        least_tasks: the least number of tasks of a step.
        tasks: the number of those of a step over rows without their sets.
    """

    request: FrameRequest
    facts: DataFrame
    record_maker: reading.RecordMaker
    copies: DataFrame
    rejected: DataFrame
    numbers: dict[str, int]
    least_tasks: int | None
    tasks: int

    def select_once_per_digest(self, *columns: str) -> DataFrame:
        """Return columns of the facts, of the best row of each digest, and of blank texts."""
        from pyspark.sql import functions as sf

        others = self.copies.where("doc != best").select("doc")
        others = sf.broadcast(others) if self.numbers["rows"] <= BROADCAST else others
        return self.facts.select("doc", *columns).join(others, "doc", "left_anti")

    def find_components(
        self,
        other_edges: DataFrame | None = None,
        *,
        most_edges_in_driver: int = IN_DRIVER,
    ) -> ConnectedDocuments:
        """Return the components of texts that may be alike, one text per digest.

        Args:
            other_edges: edges that connect more texts than a resemblance does, as ``EDGES``.
            most_edges_in_driver: the most edges to connect in the driver.
        """
        session, radius = self.facts.sparkSession, self.request.sketch_radius
        once = self.select_once_per_digest("text", "records")
        once = once.where("text is not null or length(records) > 0")
        # A place needs half as much for a byte as other tasks.
        places = choose_partition_keys(
            choose_partition_count(session, self.numbers["records"] / 2, self.least_tasks)
        )
        edge_frame = find_candidate_edges(once, places, self.record_maker, radius)
        if other_edges is not None:
            edge_frame = edge_frame.unionByName(other_edges)
        least = choose_partition_count(session, 0, self.least_tasks)
        if self.numbers["rows"] > min(BROADCAST, most_edges_in_driver):
            edge_frame = edge_frame.persist()
            if edge_frame.count() > most_edges_in_driver:
                together = assign_components_to_tasks_in_cluster(edge_frame, SHARE, least)
                edge_frame.unpersist()
                return together
        here = assign_components_to_tasks_in_driver(edge_frame.toArrow(), SHARE, least)
        edge_frame.unpersist()
        buckets = pa.array(choose_partition_keys(max(1, here.task_count)), pa.int32()).take(
            here.buckets
        )
        members = session.createDataFrame(pa.table({"doc": here.docs, "bucket": buckets}))
        return ConnectedDocuments(
            members=members,
            documents=len(here.docs),
            task_count=here.task_count,
            largest=here.largest,
            largest_task_bytes=here.largest_task_bytes,
        )

    def join_evidence(self, components: ConnectedDocuments) -> DataFrame:
        """Return the evidence of the members of components, with the ``bucket`` of each."""
        from pyspark.sql import functions as sf

        few, members = components.documents <= BROADCAST, components.members
        members = sf.broadcast(members) if few else members
        return self.facts.join(members, "doc")

    def close(self) -> None:
        """Free what Spark holds."""
        self.copies.unpersist()
        self.facts.unpersist()


def read_frames(
    frames_baseline_first: Sequence[DataFrame], request: FrameRequest, least_tasks: int | None
) -> ReadRows:
    """Read the rows of frames: first those of the baseline, last the one to deduplicate.

    Raises:
        OptionError: the ids do not identify rows.
        ColumnTypeError: a column does not exist, or has another type.
    """
    for frame in frames_baseline_first:
        request.refuse_unfit_frame(frame)
        request.refuse_differing_column_types(frame, frames_baseline_first[-1])
    identified_rows = number_rows_and_reject_bad_ids(frames_baseline_first, request)
    rows = identified_rows.rows
    request = request.with_chosen_or_default_pairing(identified_rows.row_count)
    counts = b""
    if request.band_shape_or_none is None:
        counts = reading.count_sampled_shingle_cells(
            rows, request.query.counting, identified_rows.row_count
        )
    record_maker = reading.RecordMaker(
        request.query.counting, request.resemblance_ratio, counts, request.band_shape_or_none
    )
    facts = reading.with_evidence_and_records_or_short_text(rows, record_maker).persist()
    return count_facts_and_find_copies(
        facts,
        record_maker,
        rejected_rows=identified_rows.rejected,
        has_rejected=identified_rows.has_rejected,
        request=request,
        least_tasks=least_tasks,
    )


def count_facts_and_find_copies(
    facts: DataFrame,
    record_maker: reading.RecordMaker,
    *,
    rejected_rows: DataFrame,
    has_rejected: bool,
    request: FrameRequest,
    least_tasks: int | None,
) -> ReadRows:
    """Count rows by their stored evidence, find which have copies, and let Spark hold those.

    Args:
        facts: from ``reading.with_evidence_and_records_or_short_text``, held by Spark.
        record_maker: what texts send to be joined.
        rejected_rows: the rows that are not compared.
        has_rejected: whether there are any.
        request: the request, with the way to find candidates decided.
        least_tasks: the least number of tasks of a step.
    """
    from pyspark.sql import functions as sf

    texts = record_maker.estimate_record_bytes(sf.length("text"))
    sums = facts.agg(
        sf.count("*").alias("rows"),
        sf.sum(sf.col("held").cast("long")).alias("held"),
        sf.sum(sf.col("digest").isNull().cast("long")).alias("blank"),
        sf.sum((sf.col("held") & sf.col("digest").isNotNull()).cast("long")).alias("held_texts"),
        sf.sum(sf.coalesce(texts, sf.length("records"))).alias("records"),
    ).first()
    numbers = {name: value or 0 for name, value in sums.asDict().items()}
    numbers["rejected"] = rejected_rows.where("not held").count() if has_rejected else 0
    tasks = choose_partition_count(facts.sparkSession, numbers["rows"] * _ROW, least_tasks)
    copies = clustering.find_copies(facts, request, tasks).persist()
    return ReadRows(
        request=request,
        facts=facts,
        record_maker=record_maker,
        copies=copies,
        rejected=rejected_rows,
        numbers=numbers,
        least_tasks=least_tasks,
        tasks=tasks,
    )


def number_rows_and_reject_bad_ids(
    frames_baseline_first: Sequence[DataFrame], request: FrameRequest
) -> IdentifiedRows:
    """Give rows numbers of their own, and reject those without an id, or with another row's.

    Raises:
        OptionError: the ids do not identify rows.
    """
    from pyspark.sql import functions as sf

    frames = frames_baseline_first
    is_baseline = [place < len(frames) - 1 for place in range(len(frames))]
    own = sf.col(reading.quote_column(request.id))
    rows_rejected = unite_frames(
        frame.where(own.isNull()).select(
            own.alias("id"), sf.lit(is_held).alias("held"), sf.lit("has no id").alias("reason")
        )
        for frame, is_held in zip(frames, is_baseline, strict=True)
    )
    for salt in count():
        rows = unite_frames(
            reading.number_rows_by_hashed_id(frame, request, is_baseline=is_held, salt=salt)
            for frame, is_held in zip(frames, is_baseline, strict=True)
        )
        # A pass over only the ids: how many there are, and which are not unique.
        numbers = rows.groupBy("doc").agg(sf.count("*").alias("rows"))
        has_number, rows_ = sf.col("doc").isNotNull(), sf.col("rows")
        documents, twice, without = numbers.agg(
            sf.coalesce(sf.sum(sf.when(has_number, rows_)), sf.lit(0)),
            sf.count(sf.when(has_number & (rows_ > 1), rows_)),
            sf.coalesce(sf.sum(sf.when(~has_number, rows_)), sf.lit(0)),
        ).first()
        rows = rows.where(has_number)
        if not twice:
            return IdentifiedRows(rows, rows_rejected, documents, without > 0)
        if twice > _MOST_REJECTED:
            raise OptionError(
                f"`id` is {request.id!r}, but {twice:,} values of that column are in several rows "
                "each; name a column of unique values."
            )
        same = sf.broadcast(numbers.where(has_number & (rows_ > 1)).select("doc"))
        doubled = rows.join(same, "doc").select("doc", "held", "id")
        if not doubled.distinct().groupBy("doc").count().where("count > 1").isEmpty():
            continue  # Different ids have the same number: other numbers distinguish them.
        reason = sf.lit("has the id of another row").alias("reason")
        rows_rejected = rows_rejected.unionByName(doubled.select("id", "held", reason))
        once = rows.join(same, "doc", "left_anti")
        return IdentifiedRows(once, rows_rejected, documents, has_rejected=True)
    raise AssertionError("there is always another number")


def unite_frames(frames: Iterable[DataFrame]) -> DataFrame:
    """Return the rows of frames with the same columns."""
    return reduce(lambda first, other: first.unionByName(other), frames)
