"""Batches against a kept table: what is said of each is what one machine says of it."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest
from spark_support import QUIET, rows
from test_run import one_machine

import ilk_spark
from ilk.base.errors import OptionError

pytestmark = QUIET


@pytest.mark.long
def test_a_stream_keeps_what_one_machine_keeps_batch_by_batch(spark: Any, tmp_path: Path) -> None:
    """Files of a folder, one a batch; the last batch comes again, with rows that are known."""
    table = rows(360, 11)
    source, kept = tmp_path / "in", dict[int, list[str]]()
    frame = spark.createDataFrame(table)
    batches = [table.slice(0, 200), table.slice(200, 100), table.slice(300)]
    incremental = ilk_spark.Incremental(
        str(tmp_path / "seen"), lambda result, number: kept.update({number: ids(result.kept_rows)})
    )
    source.mkdir()
    for number, part in enumerate(batches[:2]):
        pq.write_table(part, source / f"{number}.parquet")
        os.utime(source / f"{number}.parquet", (1e9 + number, 1e9 + number))
    stream = spark.readStream.schema(frame.schema).option("maxFilesPerTrigger", 1)
    stream = stream.parquet(str(source)).writeStream.trigger(availableNow=True)
    stream = stream.foreachBatch(incremental)
    query = stream.option("checkpointLocation", str(tmp_path / "log")).start()
    assert query.awaitTermination(300)
    assert len(kept) == 2
    # A row that was kept is kept again, and not compared.
    known = batches[0].filter(pc.equal(batches[0]["id"], kept[0][0]))
    last = spark.createDataFrame(pa.concat_tables([batches[2], known]))
    result = incremental.add(last, 2)
    kept[2] = ids(result.kept_rows)
    assert [row["reason"] for row in result.rejected.collect()] == [
        "has the id of a row kept before"
    ]
    before: list[pa.Table] = []
    for number, part in enumerate(batches):
        against = {"against": pa.concat_tables(before)} if before else {}
        expected = one_machine(part, **against).kept
        again = kept[0][:1] if number == 2 else []
        assert kept[number] == sorted(expected + again)
        before.append(part.filter(pc.is_in(part["id"], value_set=pa.array(expected))))
    assert result.report["against"] == len(kept[0]) + len(kept[1])
    assert any(len(kept[number]) < len(part) for number, part in enumerate(batches[1:], 1))
    # A batch that comes again finds nothing of itself.
    assert ids(incremental.add(last, 2).kept_rows) == kept[2]
    with pytest.raises(OptionError, match="was made with"):
        ilk_spark.Incremental(str(tmp_path / "seen"), resemblance=0.9).add(last, 4)


def ids(frame: Any) -> list[str]:
    return sorted(frame.toArrow()["id"].to_pylist())
