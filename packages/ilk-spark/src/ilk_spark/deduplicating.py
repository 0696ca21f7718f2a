"""A data frame without its duplicates: the same steps as on one machine, on Spark."""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import closing
from typing import TYPE_CHECKING

from ilk.companions import NOMINATING, AlarmLimits, Query, default
from ilk.plugins import NothingRead, OptionError, check_option
from ilk_spark import clustering, flow
from ilk_spark.failing import raise_as_ilk
from ilk_spark.frame_request import FrameRequest
from ilk_spark.report import make_report
from ilk_spark.result import Deduplicated

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

#: The most rows in clusters, of some 250 bytes, to send to every executor.
_FEW = 200_000


def deduplicate(
    frame: DataFrame,
    *,
    text: str | Sequence[str] = default("text"),
    id: str = "id",
    order_by: str | Sequence[str] | None = None,
    resemblance: str | float = default("resemblance"),
    shingle: int = default("shingle"),
    by: str | None = None,
    as_: str | None = None,
    ignore: str | Sequence[str] | None = None,
    ignore_text: str | os.PathLike[str] | Sequence[str | os.PathLike[str]] | None = None,
    against: DataFrame | None = None,
    only_against: bool = False,
    keep: str | Sequence[str] = default("keep"),
    keep_numbers_only: bool = default("keep_numbers_only"),
    linkage: str = default("linkage"),
    pairing: str | None = None,
    recall: str | float | None = None,
    alarm_documents: int = default("alarm_documents"),
    alarm_share: str | float = default("alarm_share"),
    alarm_loss: str | float = default("alarm_loss"),
    max_pairs: int = default("max_pairs"),
    partitions: int | None = None,
) -> Deduplicated:
    """Decide which rows of a data frame to keep, like ``ilk.deduplicate``.

    Args:
        frame: n rows. The result is that of ``ilk.deduplicate`` for the same rows in the same
            order, whatever the partitions, executors and failures.
        text: the column of texts; or several, joined with a blank line between them.
        id: the column that names a row. A row without an id, or with another row's id, is kept and
            not compared; ``rejected`` lists them.
        order_by: the columns that decide which row comes ``first``; ties are broken by id, which is
            also the default order.
        resemblance: near-duplicates share at least this part of their shingles.
        shingle: words per shingle. A text below 50 words and one below 100 are compared by
            3 characters.
        by: compare all texts by ``words``, or by ``characters``.
        as_: compare programs: ``code:`` and their language, as for ``ilk.deduplicate``.
        ignore: the differences that are not seen: accents, digits, punctuation.
        ignore_text: files or folders that the driver reads; what stands in them word for word is
            left out of all texts.
        against: a data frame with the same columns; rows that are like one of its rows are dropped.
        only_against: compare rows with those of ``against`` alone, and not with each other.
        keep: which row of a cluster stays: policies of ``ilk.search.ranking``, the most
            important first.
        keep_numbers_only: keep rows that differ from others only in numbers.
        linkage: ``anchored`` (each row was verified against its keeper) or ``connected``.
        pairing: ``exact`` joins the shingle sets and misses nothing (default up to 10^9 rows);
            ``bands`` nominates by bands of least images, shuffles a quarter as much, and verifies.
        recall: the share of the near-duplicates just at the resemblance that bands should nominate
            (default 0.99).
        alarm_documents, alarm_share: a cluster of near-duplicates that exceeds both raises the
            alarm.
        alarm_loss: a frame that loses more than this share of its rows to near-duplicates also
            raises it.
        max_pairs: the largest number of pairs of a short and a longer text in one component.
        partitions: the least number of tasks per step; by default one per processor. There are more
            if their share would not fit into about half a gigabyte.

    Returns:
        The kept and dropped rows, as frames that are computed when they are read.

    Raises:
        OptionError: an option is out of bounds, or two contradict each other; or ``id`` does not
            identify rows.
        ColumnTypeError: a column does not exist, or has another type.
        NothingRead: no row of ``against`` has a text.
    """
    request = FrameRequest.check_options_and_read_base_text(
        Query.from_options(
            NOMINATING,
            resemblance=resemblance,
            shingle=shingle,
            by=by,
            as_=as_,
            ignore=ignore,
            keep=keep,
            keep_numbers_only=keep_numbers_only,
            linkage=linkage,
            max_pairs=max_pairs,
            recall=recall,
            of_rows=True,
        ),
        text,
        id=id,
        order_by=order_by,
        pairing=pairing,
        ignore_text=ignore_text,
        only_against=check_option("only_against", only_against),
    )
    if request.only_against and against is None:
        raise OptionError(
            "`only_against` has no effect without `against`; add it, or leave it out."
        )
    limits = AlarmLimits.from_options_or_defaults(
        documents=alarm_documents, share=alarm_share, loss=alarm_loss
    )
    least = check_option("partitions", partitions)
    frames = [frame] if against is None else [against, frame]
    with raise_as_ilk(), closing(flow.read_frames(frames, request, least)) as read:
        if against is not None and not read.numbers["held_texts"]:
            raise NothingRead(
                f"no row of the reference (`against`), of {read.numbers['held']:,} that have an id "
                "of their own, has a text; name one with texts (`text`), or leave it out."
            )
        return decide_rows(read, frame, limits, has_baseline=against is not None)


def decide_rows(
    rows_read: flow.ReadRows, frame: DataFrame, limits: AlarmLimits, *, has_baseline: bool
) -> Deduplicated:
    """Return which of the rows that were read are kept, and why the others are not.

    Args:
        rows_read: the rows.
        frame: the same with all their columns.
        limits: what raises the alarm.
        has_baseline: whether some of the rows are a baseline.
    """
    components = rows_read.find_components()
    tasks = max(1, components.task_count)
    evidence = rows_read.join_evidence(components)
    # It is read twice, and computed once.
    cluster_rows = clustering.cluster_components(evidence, rows_read.request, tasks).persist()
    clusters = clustering.clusters_with_copies(
        rows_read.copies,
        cluster_rows,
        rows_read.request,
        rows_read.tasks,
        broadcast_cluster_rows=components.documents <= _FEW,
        has_baseline=has_baseline,
    ).persist()
    report = make_report(
        clusters, rows_read.numbers, components=components, request=rows_read.request, limits=limits
    )
    cluster_rows.unpersist()
    rejected = rows_read.rejected.where("not held").select("id", "reason")
    return Deduplicated(
        frame=frame, id=rows_read.request.id, found=clusters, rejected=rejected, report=report
    )
