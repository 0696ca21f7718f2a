"""What tasks do, without Spark: columns in, columns out."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pytest
from hypothesis import given
from hypothesis import strategies as st
from spark_support import QUIET
from tests.support.strategies import relatives

import ilk
from ilk import _kernels, arrow
from ilk.base.errors import OptionError
from ilk.search.counting import Counting
from ilk.search.evidence import Evidence
from ilk.search.query import NOMINATING, Query
from ilk_spark import packed
from ilk_spark.frame_request import FrameRequest
from ilk_spark.grouping import assign_components_to_tasks_in_driver
from ilk_spark.joining import ConnectTask, ShareOutTask, choose_partition_keys
from ilk_spark.reading import (
    CellsTask,
    EvidenceTask,
    RecordMaker,
    ReplaceTextsTask,
    count_shingles_by_cell,
    evidence_of_facts,
    make_evidence,
)

pytestmark = QUIET

TEXTS = relatives(0, 5, 48, 51, 98, 103, 160)


def make_request(pairing: str = "exact", **options: Any) -> FrameRequest:
    return FrameRequest.check_options_and_read_base_text(
        Query.from_options(NOMINATING, of_rows=True, **options),
        "text",
        id="id",
        order_by=None,
        pairing=pairing,
    )


def batch(texts: list[str | None]) -> pa.RecordBatch:
    docs = pa.array(range(len(texts)), pa.int64())
    return pa.RecordBatch.from_pydict({"doc": docs, "text": pa.array(texts, pa.string())})


def edges(texts: list[str | None], of: FrameRequest, places: int, counts: bytes) -> pa.Table:
    """All edges that are found in some places, where the records come in pieces."""
    record_maker = RecordMaker(Counting(3), of.resemblance_ratio, counts, of.band_shape_or_none)
    task = EvidenceTask(Counting(3), ("doc",), record_maker)
    batches = [batch(texts).slice(at, 3) for at in range(0, len(texts), 3)]
    facts = list(task(batches))
    shared = list(ShareOutTask(tuple(range(places)), record_maker)(facts))
    found = [pa.table({name: pa.array([], pa.int64()) for name in _EDGES})]
    for place in range(places):
        there = [one.filter(pc.equal(one["place"], place)) for one in shared]
        found += map(pa.table, ConnectTask(of.resemblance_ratio, of.sketch_radius)(there))
    return pa.concat_tables(found)


_EDGES = ("left", "right", "left_size", "right_size")


@given(
    TEXTS,
    st.sampled_from(["60%", "0.8", "1"]),
    st.sampled_from([1, 3]),
    st.booleans(),
    st.sampled_from(["exact", "bands"]),
)
def test_every_pair_of_one_machine_is_in_one_component(
    texts: list[str | None], least: str, places: int, sampled: bool, pairing: str
) -> None:
    """Of bands, where they are to lose one pair in 10^10."""
    of = make_request(pairing, resemblance=least, recall=1)
    counts = b""
    if sampled:
        found = [one["cells"] for one in CellsTask(Counting(3), 12)([batch(texts)])]
        cells = pa.concat_arrays([pa.array([], pa.binary()), *found])
        counted = _kernels.count_texts_by_cell_rounded(cells.cast(pa.large_binary()), 12)
        counts = bytes(counted.buffers()[1])
    joined = assign_components_to_tasks_in_driver(edges(texts, of, places, counts), 1 << 20, 1)
    bucket = dict(zip(joined.docs.to_pylist(), joined.buckets.to_pylist(), strict=True))
    near = ilk.find(texts, resemblance=least).pairs.filter(
        pc.is_in(pc.field("verdict"), pa.array(["near", "numbers_only", "exact"]))
    )
    for pair in near.to_pylist():
        if pair["resemblance"]:
            assert bucket[pair["left"]] == bucket[pair["right"]]


@given(TEXTS)
def test_evidence_is_the_same_after_its_way_as_bytes(texts: list[str | None]) -> None:
    rows = make_evidence(pa.array(texts, pa.string()), Counting(3))
    there = pa.table(packed.pack_evidence(rows))
    cut = pa.concat_tables([there.slice(0, 2), there.slice(2)])
    assert packed.unpack_evidence(cut).rows.to_pylist() == rows.to_pylist()
    # The whole hashes are kept of large sets alone, as everywhere.
    made = [pa.table(one) for one in EvidenceTask(Counting(3), ("doc",))([batch(texts)])]
    if made:
        assert packed.unpack_evidence(pa.concat_tables(made)).rows.to_pylist() == rows.to_pylist()


@given(TEXTS, st.sampled_from(["exact", "bands"]))
def test_texts_that_are_kept_say_what_their_evidence_and_records_say(
    texts: list[str | None], pairing: str
) -> None:
    of = make_request(pairing)
    record_maker = RecordMaker(Counting(3), of.resemblance_ratio, b"", of.band_shape_or_none)
    rows = make_evidence(pa.array(texts, pa.string()), Counting(3))
    made = [
        pa.table(one) for one in EvidenceTask(Counting(3), ("doc",), record_maker)([batch(texts)])
    ]
    if not made:
        return
    table = pa.concat_tables(made)
    assert evidence_of_facts(table, Counting(3)).rows.to_pylist() == rows.to_pylist()
    for text, of_text in zip(table["text"].to_pylist(), rows.to_pylist(), strict=True):
        sets = 4 * len(of_text["word_shingles"] + of_text["character_shingles"])
        assert (text is not None) == (of_text["length"] < sets)
        assert text is None or len(text) == of_text["length"]
    # The table of evidence has no texts, and the same records.
    names = tuple(name for name in table.column_names if name != "text")
    settled = pa.concat_tables(
        pa.table(one) for one in ReplaceTextsTask(record_maker, names)(table.to_batches())
    )
    assert packed.unpack_evidence(settled).rows.to_pylist() == rows.to_pylist()
    (whole_batch,) = table.combine_chunks().to_batches()
    assert settled["records"].to_pylist() == record_maker(whole_batch).to_pylist()
    docs, hashes = (
        pa.array(range(len(texts)), pa.int64()),
        make_evidence(batch(texts)["text"], Counting(3), hash_small_sets=True),
    )
    assert (
        settled["records"].to_pylist() == record_maker.make_join_records(docs, hashes).to_pylist()
    )


@given(st.lists(st.lists(st.integers(0, (1 << 25) - 1), max_size=900), max_size=3))
def test_shingles_are_counted_in_as_many_cells_as_were_seen(texts: list[list[int]]) -> None:
    seen = [cell for text in texts for cell in text]
    sent = [b"".join(cell.to_bytes(4, "little") for cell in text) for text in texts]
    counts = count_shingles_by_cell(pa.array(sent, pa.large_binary()))
    bits = max(10, len(seen).bit_length())
    expected = [0] * (1 << bits)
    for cell in seen:
        expected[cell >> (25 - bits)] += 1
    # Roughly above 32: sixteen steps for each power of two.
    halved = (next((16 * by, one >> by) for by in range(32) if one >> by < 32) for one in expected)
    assert list(counts) == [sum(both) for both in halved]


def test_large_sets_keep_their_whole_hashes() -> None:
    texts: list[str | None] = [" ".join(f"w{at}" for at in range(count)) for count in (40, 3_000)]
    rows = packed.unpack_evidence(
        pa.table(next(EvidenceTask(Counting(3), ())([batch(texts)])))
    ).rows
    assert (
        rows.to_pylist()
        == Evidence.from_texts(arrow.import_texts(texts), Counting(3), 1).rows.to_pylist()
    )
    assert pc.list_value_length(rows.field("word_hashes")).to_pylist() == [0, 2_998]


def test_components_are_whole_and_tasks_are_of_some_size() -> None:
    edges_ = pa.table(
        {
            "left": pa.array([5, 9, 70, 3], pa.int64()),
            "right": pa.array([9, 12, 71, 4], pa.int64()),
            "left_size": pa.array([10, 10, 1_000, 5], pa.int64()),
            "right_size": pa.array([10, 10, 1_000, 5], pa.int64()),
        }
    )
    one = assign_components_to_tasks_in_driver(edges_, 1 << 30, 1)
    assert (one.task_count, one.largest, len(one.docs)) == (1, 3, 7)
    many = assign_components_to_tasks_in_driver(edges_, 1, 1)
    groups: dict[int, list[int]] = {}
    for doc, bucket in zip(many.docs.to_pylist(), many.buckets.to_pylist(), strict=True):
        groups.setdefault(bucket, []).append(doc)
    assert sorted(map(sorted, groups.values())) == [[3, 4], [5, 9, 12], [70, 71]]
    assert many.task_count == 3
    assert many.largest_task_bytes > 2_000
    assert assign_components_to_tasks_in_driver(edges_, 1 << 30, 100).task_count == 3
    nothing = assign_components_to_tasks_in_driver(edges_.slice(0, 0), 1 << 30, 2)
    assert (nothing.task_count, len(nothing.docs)) == (0, 0)


def test_the_radius_of_sketches_follows_from_the_resemblance() -> None:
    assert [make_request(resemblance=least).sketch_radius for least in (1, 0.9, 0.8)] == [0, 27, 39]


def test_a_boilerplate_is_a_forest_and_its_pages_are_one_component() -> None:
    """Rules of skew: where pages of one boilerplate meet, their pairs are not listed."""
    words = " ".join(f"w{at}" for at in range(120))
    texts: list[str | None] = [f"{words} {at}" for at in range(3_000)]
    found = edges(texts, make_request(), 1, b"")
    assert len(found) == 2_999
    joined = assign_components_to_tasks_in_driver(found, 1, 1)
    assert (joined.largest, joined.task_count) == (3_000, 1)
    # Short texts of a template are enumerated, and are few enough to be.
    short: list[str | None] = [f"note {at} of the day" for at in range(400)]
    # A search also pairs texts that differ in numbers alone, whatever they share; dedup does not.
    near = ilk.find(short, resemblance=0.8).pairs
    near = near.filter(pc.greater_equal(near["resemblance"], 0.8))
    assert len(near) > 0
    joined = assign_components_to_tasks_in_driver(edges(short, make_request(), 1, b""), 1, 1)
    assert set(joined.docs.to_pylist()) >= {*near["left"].to_pylist(), *near["right"].to_pylist()}


def test_places_lead_to_every_partition(spark: Any) -> None:
    from pyspark.sql import functions as sf

    for count in (1, 2, 7, 64):
        numbers = pa.table({"number": pa.array(choose_partition_keys(count), pa.int32())})
        rows = spark.createDataFrame(numbers).repartition(count, "number")
        there = rows.select("number", sf.spark_partition_id().alias("place")).collect()
        assert {row["place"]: row["number"] for row in there} == dict(
            enumerate(choose_partition_keys(count))
        )


def test_bands_are_as_wide_as_the_recall_allows() -> None:
    assert make_request("exact").band_shape_or_none is None
    assert make_request("exact").promise_sentence.startswith("exact: every ")
    assert make_request("bands").band_shape_or_none == (20, 7)
    assert make_request("bands", recall="50%").band_shape_or_none == (20, 15)
    assert make_request("bands", resemblance=1).band_shape_or_none == (1, 16)
    assert "99.10%" in make_request("bands").promise_sentence
    left_open = FrameRequest.check_options_and_read_base_text(
        Query.from_options(NOMINATING), "text", id="id", order_by=None
    )
    assert left_open.with_chosen_or_default_pairing(10**9).pairing == "exact"
    assert left_open.with_chosen_or_default_pairing(10**9 + 1).pairing == "bands"
    assert make_request("exact").with_chosen_or_default_pairing(10**10).pairing == "exact"


def test_rows_of_a_frame_stand_in_no_file() -> None:
    with pytest.raises(OptionError, match="order_by"):
        make_request(keep="prefer:*.txt")


def test_tasks_do_not_see_what_is_ignored() -> None:
    some = batch(["Hello, world! It's café no 12.", "hello world its cafe no 7"])
    made = EvidenceTask(Counting(3, ignore=("accents", "digits", "punctuation")), ("doc",))([some])
    digests = pa.concat_tables([pa.table(one) for one in made])["digest"].to_pylist()
    assert digests[0] == digests[1]
    made = EvidenceTask(Counting(3, ignore=("accents", "digits")), ("doc",))([some])
    assert len({row["digest"] for one in made for row in one.to_pylist()}) == 2


@pytest.mark.parametrize("options", [{"keep": "none"}, {"keep_up_to": 2}])
def test_one_row_of_a_cluster_stays(options: dict[str, Any]) -> None:
    with pytest.raises(OptionError, match="on Spark, one row of a cluster stays"):
        make_request(**options)
