"""Files and tables that Spark reads, and folders that it writes."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

from ilk.companions import errors
from ilk.plugins import MissingExtra, OutputError, SourceNotFound
from ilk_spark.flow import unite_frames
from ilk_spark.result import Deduplicated
from ilk_spark.spelling import check_unicode_name

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

#: The suffix of the output's name for the folder of accounts, as everywhere.
_ACCOUNTS = ".ilk"

#: Formats by extension.
_FORMATS = {
    ".parquet": "parquet",
    ".pq": "parquet",
    ".jsonl": "json",
    ".ndjson": "json",
    ".json": "json",
    ".csv": "csv",
    ".orc": "orc",
}
_OPTIONS = {"csv": {"header": "true", "multiLine": "true", "escape": '"', "inferSchema": "true"}}


def get_or_open_session(master: str | None) -> SparkSession:
    """Return the session of ``spark-submit``, or a new one.

    Args:
        master: where Spark runs; None for Spark's configuration, or all processors here.

    Raises:
        MissingExtra: pyspark is not installed.
        OptionError: ``master`` is not Unicode.
    """
    if master is not None:
        check_unicode_name(master)
    try:
        from pyspark.sql import SparkSession
    except ImportError:
        raise MissingExtra("pyspark", "spark") from None
    # Tasks run in this Python, by default.
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    builder = SparkSession.builder.appName("ilk")
    return (builder if master is None else builder.master(master)).getOrCreate()


def read_and_unite_tables(session: SparkSession, names: Sequence[str]) -> DataFrame:
    """Return the rows of files or tables, which must have the same columns.

    Args:
        session: the session that reads them.
        names: paths that end in .parquet, .jsonl, .json, .csv or .orc (also of folders, and also
            with .gz or .zst after that), or tables of the catalogue.

    Raises:
        SourceNotFound: there is no such path or table, or its name is not Unicode.
    """
    from pyspark.errors import AnalysisException

    frames = []
    for name in names:
        form = _format_by_extension_or_none(check_unicode_name(name, SourceNotFound))
        try:
            if form is None:
                frames.append(session.table(name))
            else:
                options = _OPTIONS.get(form, {})
                frames.append(session.read.options(**options).format(form).load(name))
        except AnalysisException as error:
            first_line = str(error).splitlines()[0]
            raise SourceNotFound(f"{name} cannot be read: {first_line}") from error
    return unite_frames(frames)


def write_result(
    result: Deduplicated, output: str, *, accept_alarm: bool = False, force: bool = False
) -> None:
    """Write the kept rows into a folder, and the folder of accounts beside it.

    Args:
        result: the result to write.
        output: a path that Spark writes, in the format of its extension (Parquet without one).
        accept_alarm: write despite an alarm.
        force: replace existing output.

    Raises:
        AlarmRaised: there is an alarm; nothing is written.
        OutputError: it already exists, or cannot be written.
    """
    from pyspark.errors import AnalysisException

    check_unicode_name(output, OutputError)
    if result.alarms and not accept_alarm:
        raise errors.AlarmRaised(result.alarms, result)
    mode = "overwrite" if force else "error"
    folder = output.rstrip("/") + _ACCOUNTS
    spark = result.frame.sparkSession
    report = spark.createDataFrame([(json.dumps(result.report, indent=2),)], "value string")
    try:
        form = _format_by_extension_or_none(output) or "parquet"
        options = {"header": "true", "escape": '"'} if form == "csv" else {}
        result.kept_rows.write.mode(mode).options(**options).format(form).save(output)
        accounts = {
            "clusters": result.clusters,
            "dropped": result.dropped_rows,
            "rejected": result.rejected,
        }
        for name, frame in accounts.items():
            frame.write.mode(mode).parquet(f"{folder}/{name}.parquet")
        report.coalesce(1).write.mode(mode).text(f"{folder}/report")
    except AnalysisException as error:
        first_line = str(error).splitlines()[0]
        raise OutputError(
            f"{output} cannot be written: {first_line} (`force` replaces it)"
        ) from error


def _format_by_extension_or_none(name: str) -> str | None:
    """Return the format that a name ends in; None for a table of the catalogue."""
    bare = name.rstrip("/")
    for packed in (".gz", ".zst", ".bz2"):
        bare = bare.removesuffix(packed)
    return _FORMATS.get(os.path.splitext(bare)[1].lower())
