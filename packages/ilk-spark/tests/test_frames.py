"""Columns that Spark answers are those of one machine."""

from __future__ import annotations

from typing import Any, cast

import pyarrow as pa
import pyarrow.compute as pc
import pytest
from spark_support import QUIET, rows
from tests.support.demands import package

import ilk
import ilk_spark
from ilk.arrow import reinterpret_as_signed
from ilk.base.errors import (
    ColumnTypeError,
    MissingExtra,
    OptionError,
    OutputError,
    SourceNotFound,
    TooManyPairs,
)
from ilk.search.counting import Counting
from ilk.search.evidence import Evidence
from ilk_spark import files
from ilk_spark.packed import unpack_evidence

functions = package("pyspark.sql.functions")
pytestmark = QUIET

PAIR = ("left", "right", "resemblance", "containment_left", "containment_right", "verdict")


@pytest.mark.parametrize("count", [80, pytest.param(200, marks=pytest.mark.long)])
def test_every_pair(spark: Any, count: int) -> None:
    table = rows(count, 3).sort_by("id")
    ids = table["id"].to_pylist()
    found = ilk.find(table["text"], resemblance=0.7).pairs.to_pylist()
    expected = {
        (ids[pair["left"]], ids[pair["right"]], *(pair[name] for name in PAIR[2:]))
        for pair in found
        if pair["verdict"] != "identical" or table["text"][pair["left"]].as_py()
    }
    frame = spark.createDataFrame(table).repartition(2)
    pairs = ilk_spark.near_pairs(frame, resemblance=0.7)
    said = [tuple(row[name] for name in PAIR) for row in pairs.toArrow().to_pylist()]
    assert len(said) == len(set(said))
    assert set(said) == expected
    assert {pair[-1] for pair in said} == {"identical", "exact", "numbers_only", "near"}
    with pytest.raises(TooManyPairs, match="3"):
        ilk_spark.near_pairs(frame, resemblance=0.7, max_pairs=3)


def test_fingerprints_and_distances(spark: Any) -> None:
    texts = rows(60, 4)["text"].to_pylist()
    frame = spark.createDataFrame(pa.table({"id": range(60), "text": texts}))
    if not hasattr(functions, "arrow_udf"):  # Spark 4.0.
        with pytest.raises(MissingExtra, match=r"pyspark 4\.1 or newer"):
            ilk_spark.register(spark)
        return
    ilk_spark.register(spark)
    frame.createOrReplaceTempView("documents")
    in_sql = spark.sql(
        "SELECT id, ilk_fingerprint(text) AS a, "
        "hamming_distance(ilk_fingerprint(text), 5) AS bits FROM documents"
    )
    other = ilk.Recipe(bits=128)
    both = in_sql.join(frame, "id").select(
        "id",
        "a",
        "bits",
        ilk_spark.fingerprint("text", other).alias("wide"),
        ilk_spark.hamming_distance("a", "a").alias("same"),
    )
    found = both.toArrow().sort_by("id")
    expected = reinterpret_as_signed(ilk.fingerprint(texts))
    assert found["a"].to_pylist() == expected.to_pylist()
    wide = ilk.fingerprint(texts, other).cast(pa.binary())
    assert found["wide"].to_pylist() == wide.to_pylist()
    bits = [
        None if one is None else ((one ^ 5) & (2**64 - 1)).bit_count()
        for one in expected.to_pylist()
    ]
    assert found["bits"].to_pylist() == bits
    assert pc.max(found["same"]).as_py() == 0


def test_evidence(spark: Any) -> None:

    table = rows(50, 5)
    frame = spark.createDataFrame(table)
    found = ilk_spark.evidence(frame).toArrow().sort_by("id")
    texts = table.sort_by("id")["text"].cast(pa.large_string())
    expected = Evidence.from_texts(texts, Counting(3), 1)
    assert unpack_evidence(found.drop(["id"])).rows.to_pylist() == expected.rows.to_pylist()


def test_columns_that_are_not_there(spark: Any) -> None:
    frame = spark.createDataFrame(rows(40))
    with pytest.raises(ColumnTypeError, match="no column body; the columns are id"):
        ilk_spark.evidence(frame, text="body")
    with pytest.raises(ColumnTypeError, match="score holds bigint"):
        ilk_spark.deduplicate(frame, text="score")
    with pytest.raises(OptionError, match="partitions"):
        ilk_spark.deduplicate(frame, partitions=0)
    with pytest.raises(OptionError, match="the column id holds string; it must hold numbers"):
        ilk_spark.deduplicate(frame, keep="max:id")
    with pytest.raises(OptionError, match="pairing"):
        ilk_spark.near_pairs(frame, pairing="fingerprint")


def test_names_that_are_not_unicode_are_refused(spark: Any) -> None:
    """Such as a path in another encoding; the connection to Spark would break at it."""
    odd, frame = "a\udcffb", spark.createDataFrame(rows(10))
    for use in (ilk_spark.fingerprint, ilk_spark.Incremental, files.get_or_open_session):
        with pytest.raises(OptionError, match=r"'a\\udcffb' is not Unicode"):
            use(odd)
    for left, right in ((odd, "id"), ("id", odd)):
        with pytest.raises(OptionError, match="is not Unicode"):
            ilk_spark.hamming_distance(left, right)
    for path in (f"{odd}.jsonl", f"/{odd}/t.parquet", odd):
        with pytest.raises(SourceNotFound, match="is not Unicode"):
            files.read_and_unite_tables(spark, [path])
    for name in ("text", "id", "order_by"):
        with pytest.raises(ColumnTypeError, match="there is no column"):
            ilk_spark.deduplicate(frame, **cast(Any, {name: odd}))
    with pytest.raises(OutputError, match="is not Unicode"):
        files.write_result(ilk_spark.deduplicate(frame), odd)
