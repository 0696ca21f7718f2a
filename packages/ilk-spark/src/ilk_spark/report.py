"""The report of a deduplication of a data frame: numbers that add up.

They are aggregates of computed frames: a task that ran twice counts once.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pyarrow as pa

from ilk.companions import LARGEST, AlarmLimits, report_head, verdicts
from ilk_spark.frame_request import FrameRequest
from ilk_spark.stars import ConnectedDocuments

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


def make_report(
    clusters: DataFrame,
    numbers: dict[str, int],
    *,
    components: ConnectedDocuments,
    request: FrameRequest,
    limits: AlarmLimits,
) -> dict[str, Any]:
    """Return what happened, as plain values.

    Args:
        clusters: all rows of clusters.
        numbers: of the rows that were read.
        components: what was clustered together.
        request: the request.
        limits: what raises the alarm.
    """
    from pyspark.sql import functions as sf

    near = ~sf.col("verdict").isin(*verdicts.COPIES)
    sizes = clusters.groupBy("best").agg(
        sf.min("keeper").alias("keeper"),
        sf.count("*").alias("documents"),
        sf.max(near).alias("near"),
    )
    # It is read twice, and shuffled once.
    parallel = clusters.sparkSession.sparkContext.defaultParallelism
    several = sizes.where("documents > 1").coalesce(parallel).persist()
    largest = several.orderBy(sf.desc("documents"), "keeper").limit(LARGEST).drop("best").toArrow()
    count = several.count()
    several.unpersist()
    verdict_counts = clusters.where("policy is not null").groupBy("verdict").count().collect()
    count_of = {row["verdict"]: row["count"] for row in verdict_counts}
    rows = numbers["rows"] - numbers["held"] + numbers["rejected"]
    by_size = largest.append_column("cluster", largest["keeper"])
    lost = sum(count for verdict, count in count_of.items() if verdict not in verdicts.COPIES)
    source = pa.table({"source": ["the data frame"], "rows": [rows], "near": [lost]})
    options = request.query.plain_values() | {
        "text": request.text,
        "id": request.id,
        "order_by": request.order_by,
        "pairing": request.pairing,
        "only_against": request.only_against,
        "alarm_documents": limits.documents,
        "alarm_share": float(limits.share),
        "alarm_loss": float(limits.loss),
    }
    return {
        **report_head(
            documents=rows,
            failures=(),
            advice=limits.single_advice_on_clusters_below_alarm_share(by_size, document_count=rows),
            alarms=[
                *limits.alarms_about_near_clusters_above_both_limits(by_size, document_count=rows),
                *limits.alarms_about_near_rows_lost(source),
            ],
            largest=largest.to_pylist(),
            promise=request.promise_sentence,
            options=options,
        ),
        "kept": rows - sum(count_of.values()),
        "dropped": dict(sorted(count_of.items())),
        "rejected": numbers["rejected"],
        "without_text": numbers["blank"],
        "against": numbers["held"],
        "clusters": count,
        "connected": {
            "documents": components.documents,
            "largest": components.largest,
            "tasks": components.task_count,
            "bytes": components.largest_task_bytes,
        },
    }
