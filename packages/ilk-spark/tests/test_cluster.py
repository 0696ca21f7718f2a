"""Any number of partitions, and families of any size."""

from __future__ import annotations

import random
from typing import Any

import pyarrow as pa
import pytest
from spark_support import QUIET, rows
from test_run import Said, on_spark, one_machine

import ilk_spark

pytestmark = [QUIET, pytest.mark.long]


def same(said: Said, expected: Said) -> None:
    assert said.rows == expected.rows
    assert said.families == expected.families
    assert said.kept == expected.kept


@pytest.mark.parametrize("partitions", [1, 7, 64])
def test_any_number_of_partitions_and_any_order(spark: Any, partitions: int) -> None:
    table = rows(600, 7)
    expected = one_machine(table, keep=["longest"])
    order = list(range(600))
    random.Random(partitions).shuffle(order)
    frame = spark.createDataFrame(table.take(order)).repartition(partitions)
    same(on_spark(frame, partitions=partitions, keep=["longest"])[0], expected)


def test_a_family_of_one_boilerplate_and_copies(spark: Any) -> None:
    """Every page has a number of its own; as many rows have one text, or a short one."""
    words = [f"w{at}" for at in range(120)]
    pages = [" ".join([*words, str(at)]) for at in range(5_000)]
    copies = ["one text that stands here many times " * 9] * 5_000
    short = [f"note {at} of the day" for at in range(2_000)]
    texts = pages + copies + short
    table = pa.table({"id": range(len(texts)), "text": texts})
    ids = pa.array([f"{at:06}" for at in range(len(texts))])
    table = table.set_column(0, "id", ids)
    said, found = on_spark(spark.createDataFrame(table))
    same(said, one_machine(table))
    assert found.alarms
    assert found.report["largest"][0]["documents"] == 5_000


def test_bands_find_what_they_promise(spark: Any) -> None:
    table = rows(600, 9)
    expected = one_machine(table)
    said, found = on_spark(spark.createDataFrame(table), pairing="bands", recall=0.9999)
    assert "bands" in found.report["promise"]
    dropped = {row for row, one in expected.rows.items() if one[0] != row[0]}
    missed = dropped - {row for row, one in said.rows.items() if one[0] != row[0]}
    assert len(missed) <= 2
    assert ilk_spark.deduplicate(spark.createDataFrame(table.slice(0, 0))).report["kept"] == 0
