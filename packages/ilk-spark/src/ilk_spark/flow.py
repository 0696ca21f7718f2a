"""The common flow of all requests: read rows, connect texts that may be alike."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import count
from typing import TYPE_CHECKING

import pyarrow as pa

from ilk.plugins import OptionError
from ilk_spark import clustering, reading
from ilk_spark.frame_request import FrameRequest
from ilk_spark.grouping import components
from ilk_spark.joining import SHARE, edges, partitions, spread
from ilk_spark.stars import Grouped, find_components

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


@dataclass(frozen=True)
class ReadRows:
    """Rows that were read; Spark holds their evidence until ``close``.

    Attributes:
        asked: the request, with the way to find candidates decided.
        facts: the facts of each row (``reading.facts``).
        sending: what texts send to be joined.
        copies: the rows that have copies (``clustering.Copies``).
        rejected: the rows that are not compared: ``id``, ``held`` and ``reason``.
        numbers: the number of rows, and other counts, by name.
        least: the least number of tasks of a step.
        tasks: the number of those of a step over rows without their sets.
    """

    asked: FrameRequest
    facts: DataFrame
    sending: reading.Sending
    copies: DataFrame
    rejected: DataFrame
    numbers: dict[str, int]
    least: int | None
    tasks: int

    def find_components(self, in_driver: int = IN_DRIVER) -> Grouped:
        """Return the components of texts that may be alike, one text per digest.

        Args:
            in_driver: the most edges to connect in the driver.
        """
        from pyspark.sql import functions as sf

        session, radius = self.facts.sparkSession, self.asked.radius
        others = self.copies.where("doc != best").select("doc")
        others = sf.broadcast(others) if self.numbers["rows"] <= BROADCAST else others
        once = self.facts.select("doc", "text", "records").join(others, "doc", "left_anti")
        once = once.where("text is not null or length(records) > 0")
        # A place needs half as much for a byte as other tasks.
        places = spread(partitions(session, self.numbers["records"] / 2, self.least))
        edge_frame = edges(once, places, self.sending, radius)
        least = partitions(session, 0, self.least)
        if self.numbers["rows"] > min(BROADCAST, in_driver):
            edge_frame = edge_frame.persist()
            if edge_frame.count() > in_driver:
                together = find_components(edge_frame, SHARE, least)
                edge_frame.unpersist()
                return together
        here = components(edge_frame.toArrow(), SHARE, least)
        edge_frame.unpersist()
        buckets = pa.array(spread(max(1, here.count)), pa.int32()).take(here.buckets)
        members = session.createDataFrame(pa.table({"doc": here.docs, "bucket": buckets}))
        return Grouped(members, len(here.docs), here.count, here.largest, here.heaviest)

    def members(self, connected: Grouped) -> DataFrame:
        """Return the evidence of the members of components, with the ``bucket`` of each."""
        from pyspark.sql import functions as sf

        few, members = connected.documents <= BROADCAST, connected.members
        members = sf.broadcast(members) if few else members
        return self.facts.join(members, "doc")

    def close(self) -> None:
        """Free what Spark holds."""
        self.copies.unpersist()
        self.facts.unpersist()


def read(frames: Sequence[DataFrame], asked: FrameRequest, least: int | None) -> ReadRows:
    """Read the rows of frames; all but the last are the baseline.

    Raises:
        OptionError: the ids do not identify rows.
        ColumnTypeError: a column does not exist, or has another type.
    """
    for frame in frames:
        asked.check(frame)
        asked.check_like(frame, frames[-1])
    rows, rows_rejected, total, apart = name_rows(frames, asked)
    asked = asked.with_plan(total)
    counts = b""
    if asked.bands is None:
        counts = reading.count_shingles(rows, asked.query.counting, total)
    sending = reading.Sending(asked.query.counting, asked.ratio, counts, asked.bands)
    facts = reading.facts(rows, sending).persist()
    return of_facts(facts, sending, rows_rejected, apart, asked, least)


def of_facts(
    facts: DataFrame,
    sending: reading.Sending,
    rejected: DataFrame,
    apart: int,
    asked: FrameRequest,
    least: int | None,
) -> ReadRows:
    """Return rows from their stored evidence.

    Args:
        facts: from ``reading.facts``, held by Spark.
        sending: what texts send to be joined.
        rejected: the rows that are not compared.
        apart: whether there are any, or how many ids.
        asked: the request, with the way to find candidates decided.
        least: the least number of tasks of a step.
    """
    from pyspark.sql import functions as sf

    texts = sending.estimate_bytes(sf.length("text"))
    sums = facts.agg(
        sf.count("*").alias("rows"),
        sf.sum(sf.col("held").cast("long")).alias("held"),
        sf.sum(sf.col("digest").isNull().cast("long")).alias("blank"),
        sf.sum((sf.col("held") & sf.col("digest").isNotNull()).cast("long")).alias("held_texts"),
        sf.sum(sf.coalesce(texts, sf.length("records"))).alias("records"),
    ).first()
    numbers = {name: value or 0 for name, value in sums.asDict().items()}
    numbers["rejected"] = apart and rejected.where("not held").count()
    tasks = partitions(facts.sparkSession, numbers["rows"] * _ROW, least)
    copies = clustering.copies(facts, asked, tasks).persist()
    return ReadRows(asked, facts, sending, copies, rejected, numbers, least, tasks)


def name_rows(
    frames: Sequence[DataFrame], asked: FrameRequest
) -> tuple[DataFrame, DataFrame, int, int]:
    """Return rows with their own numbers, rows without, and how many there are of each.

    For those without, it is the number of ids.

    Raises:
        OptionError: the ids do not identify rows.
    """
    from pyspark.sql import functions as sf

    is_baseline = [place < len(frames) - 1 for place in range(len(frames))]
    own = sf.col(reading.quote_column(asked.id))
    rows_rejected = unite_frames(
        frame.where(own.isNull()).select(
            own.alias("id"), sf.lit(one).alias("held"), sf.lit("has no id").alias("reason")
        )
        for frame, one in zip(frames, is_baseline, strict=True)
    )
    for salt in count():
        rows = unite_frames(
            reading.name_rows(frame, asked, held=one, salt=salt)
            for frame, one in zip(frames, is_baseline, strict=True)
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
            return rows, rows_rejected, documents, without
        if twice > _MOST_REJECTED:
            raise OptionError(
                f"`id` is {asked.id!r}, but {twice:,} values of that column are in several rows "
                "each; name a column of unique values."
            )
        same = sf.broadcast(numbers.where(has_number & (rows_ > 1)).select("doc"))
        doubled = rows.join(same, "doc").select("doc", "held", "id")
        if not doubled.distinct().groupBy("doc").count().where("count > 1").isEmpty():
            continue  # Different ids have the same number: other numbers distinguish them.
        said = sf.lit("has the id of another row").alias("reason")
        rows_rejected = rows_rejected.unionByName(doubled.select("id", "held", said))
        return rows.join(same, "doc", "left_anti"), rows_rejected, documents, without + twice
    raise AssertionError("there is always another number")


def unite_frames(frames: Iterable[DataFrame]) -> DataFrame:
    """Return the rows of frames with the same columns."""
    return reduce(lambda first, other: first.unionByName(other), frames)
