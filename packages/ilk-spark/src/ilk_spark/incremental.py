"""Batches compared with a kept table of evidence, one after the other."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Sequence
from contextlib import closing
from typing import TYPE_CHECKING, Any

from ilk.companions import NOMINATING, AlarmLimits, Query, default, errors
from ilk.plugins import ColumnTypeError, OptionError, Whole, check_option
from ilk_spark import flow, reading
from ilk_spark.deduplicating import decide_rows
from ilk_spark.failing import raise_as_ilk
from ilk_spark.frame_request import FrameRequest
from ilk_spark.result import Deduplicated
from ilk_spark.spelling import check_unicode_name

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

#: The folders of a table: the evidence of rows, by batch, and what all batches share.
_EVIDENCE, _SHARED = "evidence", "shared"

#: The form of the records in it: the joins cannot read others.
_RECORDS = 3

#: The number of a batch, as a column and in the names of folders.
_BATCH = "batch"


class Incremental:
    """A table of evidence of kept rows, to compare new batches with.

    For a stream, ``stream.writeStream.foreachBatch(Incremental(table, each))``: ``each`` is called
    with the result of ``ilk_spark.deduplicate(batch, against=everything kept before)`` for a batch,
    and its number. Texts are not kept. A batch that comes again, for example after a failure, gets
    the same result and replaces what was kept of it; so ``each`` should also replace what it wrote.

    All evidence is read for every batch, so batches should not be small compared with the table.
    """

    def __init__(
        self,
        table: str | os.PathLike[str],
        each: Callable[[Deduplicated, int], object] | None = None,
        *,
        text: str | Sequence[str] = default("text"),
        id: str = "id",
        order_by: str | Sequence[str] | None = None,
        resemblance: str | float = default("resemblance"),
        shingle: int = default("shingle"),
        by: str | None = None,
        ignore: str | Sequence[str] | None = None,
        ignore_text: str | os.PathLike[str] | Sequence[str | os.PathLike[str]] | None = None,
        keep: str | Sequence[str] = default("keep"),
        partitions: int | None = None,
    ) -> None:
        """Open a table, or the place for one.

        Args:
            table: a folder that Spark reads and writes (Parquet).
            each: what to do with the result of a batch.
            text, id, order_by, resemblance, shingle, by, ignore, ignore_text, keep, partitions: as
                for ``deduplicate``. A row whose id was kept before is kept and not compared.

        Raises:
            OptionError: an option is out of bounds, or the name of the table is not Unicode.
        """
        query = Query.from_options(
            NOMINATING,
            resemblance=resemblance,
            shingle=shingle,
            by=by,
            ignore=ignore,
            keep=keep,
            of_rows=True,
        )
        self._request = FrameRequest.check_options_and_read_base_text(
            query, text, id=id, order_by=order_by, pairing="exact", ignore_text=ignore_text
        )
        self._table, self._each = check_unicode_name(os.fspath(table).rstrip("/")), each
        self._least = check_option("partitions", partitions)
        self._limits = AlarmLimits.from_options_or_defaults()

    def __call__(self, batch: DataFrame, number: int) -> None:
        """Decide a batch, keep its evidence, and pass on the result; errors as of ``add``."""
        # As `add` does: what is no data frame cannot be persisted.
        self._refuse_wrong_batch_or_number(batch, number)
        persisted_batch = batch.persist()
        result = self.add(persisted_batch, number)
        if self._each is not None:
            self._each(result, number)
        result.unpersist()
        persisted_batch.unpersist()

    def add(self, batch: DataFrame, number: int) -> Deduplicated:
        """Decide which rows of a batch are kept, and keep their evidence.

        Args:
            batch: n rows, the same in every pass.
            number: of the batch; a known number replaces the former batch.

        Raises:
            OptionError: the table was made with other options; or ``id`` does not identify rows; or
                the number is below 0, or no whole number.
            ColumnTypeError: a column does not exist, or has another type.
            TypeError: the batch is not a data frame.
            StoreDamaged: a run ended while it wrote another batch, which must be added again.
        """
        from pyspark.sql import functions as sf

        self._refuse_wrong_batch_or_number(batch, number)
        session, request = batch.sparkSession, self._request
        with raise_as_ilk():
            rows, rows_rejected, total, has_rejected = flow.number_rows_and_reject_bad_ids(
                [batch], request
            )
            counts = self._check_options_and_read_or_write_counts(session, rows, total)
            self._refuse_unfinished_other_batches(session, number)
            before = self._read_other_batches_or_none(session, number)
            if before is not None:
                known = before.select("doc")
                again = rows.join(known, "doc", "left_semi").select("id", "held")
                reason = sf.lit("has the id of a row kept before").alias("reason")
                rows_rejected = rows_rejected.unionByName(again.select("id", "held", reason))
                rows = rows.join(known, "doc", "left_anti")
                has_rejected = True  # If there are any, they are counted.
            record_maker = reading.RecordMaker(
                request.query.counting, request.resemblance_ratio, counts
            )
            facts = reading.with_evidence_and_records_or_short_text(rows, record_maker)
            if before is not None:
                self._refuse_differing_column_types(facts, before)
            both = facts if before is None else before.unionByName(facts)
            both = both.persist()
            with closing(
                flow.count_facts_and_find_copies(
                    both,
                    record_maker,
                    rejected_rows=rows_rejected,
                    has_rejected=has_rejected,
                    request=request,
                    least_tasks=self._least,
                )
            ) as read:
                result = decide_rows(read, batch, self._limits, has_baseline=before is not None)
                gone = result.found.where("policy is not null and not held").select("doc")
                new = both.where("not held").join(gone, "doc", "left_anti")
                new = reading.replace_texts_by_evidence(new, record_maker)
                new.write.mode("overwrite").parquet(f"{self._evidence_folder}/{_BATCH}={number}")
        return result

    def _refuse_wrong_batch_or_number(self, batch: DataFrame, number: int) -> None:
        """Refuse what is no batch, or no number: that is part of the name of a folder."""
        Whole().check("number", number)
        with raise_as_ilk():
            self._request.refuse_unfit_frame(batch)

    def _refuse_differing_column_types(self, facts: DataFrame, known_facts: DataFrame) -> None:
        """Refuse a batch whose columns have other types than those of the table.

        Raises:
            ColumnTypeError: Spark would convert one of them, and ids would be different rows.
        """
        for place, name in {
            "id": self._request.id,
            **self._request.extra_columns_by_new_name,
        }.items():
            kinds = [one.schema[place].dataType.simpleString() for one in (facts, known_facts)]
            if kinds[0] != kinds[1]:
                raise ColumnTypeError(
                    f"the column {name} holds {kinds[0]}, but {kinds[1]} in the table "
                    f"{self._table}; cast it."
                )

    @property
    def _evidence_folder(self) -> str:
        return f"{self._table}/{_EVIDENCE}"

    def _refuse_unfinished_other_batches(self, session: SparkSession, number: int) -> None:
        """Refuse a table in which a run ended while it wrote another batch.

        Raises:
            StoreDamaged: that batch must be added again.
        """
        cut = [
            name for name in self._find_unfinished_batches(session) if name != f"{_BATCH}={number}"
        ]
        if cut:
            raise errors.StoreDamaged(
                f"the table {self._table} holds a part of {', '.join(cut)}, since a run ended "
                "while it wrote that; add that batch again first."
            )

    def _read_other_batches_or_none(self, session: SparkSession, number: int) -> DataFrame | None:
        """Return the evidence of other batches; None if they left nothing."""
        from pyspark.errors import AnalysisException
        from pyspark.sql import functions as sf

        try:
            found = session.read.parquet(self._evidence_folder)
        except AnalysisException:
            return None
        others = found.where(sf.col(_BATCH) != number).drop(_BATCH)
        # The table holds the evidence and the records of all texts.
        none = sf.lit(None).cast("binary")
        return others.withColumn("held", sf.lit(True)).withColumn("text", none)

    def _find_unfinished_batches(self, session: SparkSession) -> list[str]:
        """Return the folders of batches that were not written whole: Spark marks the others."""
        of = session._jvm.org.apache.hadoop.fs
        files = of.Path(self._table).getFileSystem(session._jsc.hadoopConfiguration())
        found = files.globStatus(of.Path(f"{self._evidence_folder}/{_BATCH}=*")) or ()
        places = [one.getPath() for one in found]
        return [one.getName() for one in places if not files.exists(of.Path(one, "_SUCCESS"))]

    def _check_options_and_read_or_write_counts(
        self, session: SparkSession, rows: DataFrame, row_count: int
    ) -> reading.CellCounts:
        """Return how often shingles occur in the first batch, by which all batches order them.

        Raises:
            OptionError: the table was made with other options.
        """
        from pyspark.errors import AnalysisException

        options = json.dumps(self._options_that_must_match(), sort_keys=True)
        place = f"{self._table}/{_SHARED}"
        try:
            row = session.read.parquet(place).first()
        except AnalysisException:
            row = None
        if row is None:
            counts = reading.count_sampled_shingle_cells(
                rows, self._request.query.counting, row_count
            )
            made = session.createDataFrame([(options, counts)], "options string, counts binary")
            made.coalesce(1).write.mode("overwrite").parquet(place)
            return counts
        if row["options"] != options:
            raise OptionError(
                f"the table {self._table} was made with {row['options']}; use the same options."
            )
        return bytes(row["counts"])

    def _options_that_must_match(self) -> dict[str, Any]:
        request = self._request
        # Tables in which everything counts have been made by former versions too.
        counting = {
            "ignore": list(request.query.ignore),
            "by": request.query.by,
            "base_text": None if request.query.base is None else request.query.base.digest,
        }
        return {name: value for name, value in counting.items() if value} | {
            "resemblance": str(request.resemblance_ratio),
            "shingle": request.query.shingle,
            "columns": sorted(request.extra_columns_by_new_name.values()),
            "records": _RECORDS,
        }
