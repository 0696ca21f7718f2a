"""Polars: the answers of ilk itself, in frames of the same kind, eager or lazy."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import ilk
import ilk.tables.polars
from ilk.base.errors import AlarmRaised, ColumnTypeError, OptionError, SourceChanged
from ilk.fingerprints.digest import text_digests_null_if_blank
from tests.support.table_texts import KEPT, PAIRS, TEXTS, without

FRAME = pl.DataFrame({"row": range(len(TEXTS)), "text": TEXTS})
ROWS = [row for row, stays in enumerate(KEPT) if stays]


def prints(column: str) -> Any:
    return pl.col(column).ilk  # type: ignore[attr-defined]


def test_the_texts_have_duplicates() -> None:
    assert 50 < len(ROWS) < len(TEXTS) - 50
    assert len(PAIRS) > 50


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("door", [ilk.find, ilk.deduplicate, ilk.fingerprint, ilk.sets.pairs])
def test_a_lazy_frame_is_to_be_collected_and_its_schema_is_not_resolved(door: Any) -> None:
    with pytest.raises(ColumnTypeError, match=r"got LazyFrame\. Collect it first"):
        door(FRAME.lazy())


def test_a_frame_keeps_the_rows_that_ilk_keeps() -> None:
    kept = ilk.tables.deduplicate(FRAME)
    assert kept.columns == FRAME.columns
    assert kept["row"].to_list() == ROWS


def test_a_lazy_frame_keeps_the_same_and_stays_lazy(tmp_path: Path) -> None:
    FRAME.write_parquet(tmp_path / "texts.parquet", row_group_size=37)
    scan = pl.scan_parquet(tmp_path / "texts.parquet")
    kept = ilk.tables.deduplicate(scan)
    assert isinstance(kept, pl.LazyFrame)
    assert kept.collect().equals(FRAME.filter(pl.Series(KEPT)))


def test_a_lazy_frame_that_loses_nothing_is_as_it_was() -> None:
    frame = pl.DataFrame({"row": [1, 2], "text": ["one two three", "four five six"]}).lazy()
    assert ilk.tables.deduplicate(frame).collect().equals(frame.collect())


def test_a_lazy_frame_is_asked_for_the_columns_that_are_needed_alone() -> None:
    wrong = pl.col("row").map_batches(lambda rows: len(rows) // 0, return_dtype=pl.Int64)
    kept = ilk.tables.deduplicate(FRAME.lazy().with_columns(wrong=wrong))
    assert kept.select("row").collect()["row"].to_list() == ROWS


def test_a_query_whose_rows_change_is_refused() -> None:
    count = iter(range(100, 0, -1))
    frame = FRAME.with_columns(text=pl.concat_str("text", "row", separator=" ")).lazy()
    changing = frame.map_batches(lambda piece: piece.head(next(count)), schema=FRAME.schema)
    with pytest.raises(SourceChanged, match="100 rows the first time, and 99"):
        ilk.tables.deduplicate(changing, keep="max:row")


@pytest.mark.parametrize("lazy", [False, True])
def test_options_are_those_of_ilk(lazy: bool) -> None:
    """With a column of its own to choose by, and a set that is held."""
    held, own = FRAME[:100], FRAME[100:]
    given: Any = own.lazy() if lazy else own
    kept = ilk.tables.deduplicate(given, against=held, keep="max:row", resemblance=0.6)
    expected = ilk.deduplicate(own, against=held, keep="max:row", resemblance=0.6)
    assert (
        kept.lazy().collect()["row"].to_list()
        == own.filter(pl.Series(expected.keep_mask))["row"].to_list()
    )


def test_pairs_are_those_of_ilk() -> None:
    pairs = ilk.tables.near_pairs(FRAME)
    assert list(zip(pairs["left"], pairs["right"], strict=True)) == PAIRS
    assert ilk.tables.near_pairs(FRAME.lazy()).equals(pairs)


def test_clusters_stand_beside_the_rows() -> None:
    clusters = ilk.tables.clusters(FRAME)
    assert clusters["verdict"].is_in(["unique", "keeper"]).to_list() == KEPT
    assert clusters.filter(pl.col("verdict") == "unique")["cluster"].is_null().all()
    for keeper, near in (
        clusters.filter(pl.col("resemblance") < 1).select("keeper", "resemblance").iter_rows()
    ):
        assert clusters["verdict"][keeper] == "keeper"
        assert near >= 0.8


def test_expressions_give_fingerprints_digests_and_distances() -> None:
    wide = ilk.Recipe(bits=128)
    made = FRAME.select(
        print=prints("text").fingerprint(),
        wide=prints("text").fingerprint(wide),
        digest=prints("text").digest(),
    )
    expected = ilk.fingerprint(FRAME["text"])
    assert made["print"].to_list() == expected.to_pylist()
    assert made["wide"].to_list() == ilk.fingerprint(FRAME["text"], wide).to_pylist()
    assert (
        made["digest"].to_list()
        == text_digests_null_if_blank(ilk.arrow.import_texts(TEXTS)).to_pylist()
    )
    distances = made.select(prints("print").hamming_distance(pl.lit(0, pl.UInt64)))
    assert distances["print"].to_list() == [
        None if one is None else one.bit_count() for one in expected.to_pylist()
    ]


def test_expressions_run_in_groups_and_in_lazy_frames() -> None:
    lazy = FRAME.lazy().with_columns(fp=prints("text").fingerprint())
    assert lazy.collect_schema()["fp"] == pl.UInt64
    assert lazy.collect(engine="streaming")["fp"].to_list() == (
        ilk.fingerprint(FRAME["text"]).to_pylist()
    )


@given(st.lists(st.text(max_size=40) | st.none(), max_size=60), st.integers(1, 7))
def test_any_texts_in_any_chunks_have_the_fingerprints_of_ilk(
    texts: list[str | None], size: int
) -> None:
    clean = [None if one is None else one.encode(errors="ignore").decode() for one in texts]
    pieces = [
        pl.DataFrame({"t": clean[i : i + size]}, {"t": pl.String}) for i in range(0, 60, size)
    ]
    made = pl.concat(pieces, rechunk=False).select(prints("t").fingerprint())
    assert made["t"].to_list() == ilk.fingerprint(clean).to_pylist()


def test_more_texts_than_are_copied_at_once() -> None:
    texts = [f"a text of its own that has the number {number}" for number in range(3000)]
    frame = pl.DataFrame({"text": [*texts, *texts[::-1]]}).rechunk()
    assert ilk.tables.deduplicate(frame, exact=True)["text"].to_list() == texts
    expected = ilk.fingerprint(texts).to_pylist()
    assert frame.select(prints("text").fingerprint())["text"].to_list() == (
        expected + expected[::-1]
    )


def test_an_alarm_is_raised_before_rows_are_lost() -> None:
    frame = pl.DataFrame({"text": ["the same words over and over again"] * 30})
    near = frame.with_columns(pl.concat_str("text", pl.lit(" "), pl.int_range(30)))
    with pytest.raises(AlarmRaised) as caught:
        ilk.tables.deduplicate(near, alarm_documents=5, alarm_share=0.1)
    assert isinstance(caught.value.result, ilk.Result)
    with pytest.raises(AlarmRaised):
        ilk.tables.deduplicate(near.lazy(), alarm_documents=5, alarm_share=0.1)
    kept = ilk.tables.deduplicate(near, alarm_documents=5, alarm_share=0.1, accept_alarm=True)
    assert len(kept) < 30


def test_what_is_wrong_is_said_in_a_line() -> None:
    with pytest.raises(ColumnTypeError, match=r"no column named body \(it has row, text\)"):
        ilk.tables.deduplicate(FRAME, text="body")
    with pytest.raises(ColumnTypeError, match="got DataFrame|got list"):
        ilk.tables.deduplicate([1])
    with pytest.raises(OptionError, match="`output` is for files"):
        ilk.tables.deduplicate(FRAME, output="x")  # type: ignore[call-arg]
    with pytest.raises(ColumnTypeError, match="Int64|int64"):
        ilk.tables.deduplicate(FRAME, text="row")


def test_without_polars_the_extra_is_named() -> None:
    assert "pip install 'ilk[polars]'" in without("polars")
