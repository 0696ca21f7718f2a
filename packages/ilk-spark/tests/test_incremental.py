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

import ilk
import ilk_spark
from ilk.base.errors import OptionError, StoreDamaged

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


def test_a_table_and_a_store_are_exchanged(spark: Any, tmp_path: Path) -> None:
    """What a cluster kept is asked on one machine, and what a store has is known to a cluster."""
    table = rows(150, 12)
    batches = [table.slice(0, 100), table.slice(100)]
    seen, answers = tmp_path / "seen", list[list[Any]]()
    incremental = ilk_spark.Incremental(str(seen))
    kept = list[pa.Table]()
    for number, part in enumerate(batches):
        own = ids(incremental.add(spark.createDataFrame(part), number).kept_rows)
        stay = part.filter(pc.is_in(part["id"], value_set=pa.array(own))).sort_by("id")
        texts = pc.utf8_trim_whitespace(pc.fill_null(stay["text"], ""))
        kept.append(stay.filter(pc.not_equal(texts, "")))
    same = pa.concat_tables(kept)
    with (
        ilk.Store(tmp_path / "asked.ilk", exact=True) as asked,
        ilk.Store(tmp_path / "made.ilk", exact=True, texts=True) as made,
    ):
        assert asked.add_evidence(seen) == len(same)
        made.add_many(same.select(["text"]))
        for store in (asked, made):
            found = [
                store.check([text or ""], resemblance=0.5) for text in table["text"].to_pylist()
            ]
            answers.append(
                # Of equally alike ones, fingerprints decide the order, and a cluster makes none.
                [
                    sorted((match.id, match.verdict, match.resemblance) for match in one)
                    for one in found
                ]
            )
        assert [one.metadata["row"] for one in asked] == same["id"].to_pylist()
        assert asked[0].source == f"{seen}#{same['id'][0]}"
        assert asked.validate().problems == []
        with made.to_arrow() as documents:
            pq.write_table(documents.read_all(), tmp_path / "stored.parquet")
    assert answers[0] == answers[1]
    # Back: a store with texts goes into a table as any rows do.
    stored = spark.read.parquet(str(tmp_path / "stored.parquet"))
    other = ilk_spark.Incremental(str(tmp_path / "other"))
    other.add(stored.selectExpr("concat('s', id) AS id", "text"), 0)
    again = other.add(spark.createDataFrame(table), 1)
    expected = one_machine(table, against=pq.read_table(tmp_path / "stored.parquet"))
    assert ids(again.kept_rows) == sorted(expected.kept)
    (seen / "evidence/batch=1/_SUCCESS").unlink()
    with (
        ilk.Store(tmp_path / "part.ilk", exact=True) as store,
        pytest.raises(StoreDamaged, match="a part of batch=1"),
    ):
        store.add_evidence(seen)
    (seen / "evidence/batch=1/_SUCCESS").touch()
    with ilk.Store(tmp_path / "fast.ilk") as fast, pytest.raises(OptionError, match="--exact"):
        fast.add_evidence(seen)


def ids(frame: Any) -> list[str]:
    return sorted(frame.toArrow()["id"].to_pylist())
