"""pandas: the answers of ilk itself, under the index of the frame."""

from __future__ import annotations

from typing import Any

import pandas as pd
import pyarrow as pa
import pytest

import ilk
import ilk.tables.pandas
from ilk.base.errors import AlarmRaised, ColumnTypeError, OptionError
from ilk.fingerprints.digest import text_digests_null_if_blank
from tests.support.table_texts import KEPT, PAIRS, TEXTS, without

LABELS = [f"label {number}" for number in range(len(TEXTS))]
FRAME = pd.DataFrame({"number": range(len(TEXTS)), "body": TEXTS}, index=LABELS)


@pytest.fixture(params=["object", "string", "category"])
def frame(request: pytest.FixtureRequest) -> Any:
    made = FRAME.copy()
    made["body"] = pd.Series(TEXTS, index=LABELS, dtype="object").astype(request.param)
    return made


def test_a_frame_keeps_the_rows_that_ilk_keeps_and_its_index(frame: Any) -> None:
    kept = frame.ilk.deduplicate(text="body")
    assert list(kept.index) == [label for label, stays in zip(LABELS, KEPT, strict=True) if stays]
    assert list(kept.columns) == ["number", "body"]
    assert len(frame) == len(TEXTS)


def test_a_kept_row_says_how_many_rows_it_stands_for(frame: Any) -> None:
    counted = frame.ilk.deduplicate(text="body", count="rows")
    assert counted["rows"].sum() == len(TEXTS)
    assert counted.drop(columns="rows").equals(frame.ilk.deduplicate(text="body"))


def test_clusters_have_the_index_and_name_keepers_by_it(frame: Any) -> None:
    clusters = frame.ilk.clusters(text="body")
    assert list(clusters.index) == LABELS
    assert clusters["verdict"].isin(["unique", "keeper"]).tolist() == KEPT
    named = clusters[clusters["keeper"].notna()]
    assert len(named) > 50
    assert (clusters.loc[named["keeper"], "verdict"] == "keeper").all()
    assert clusters["cluster"].isna().tolist() == (clusters["verdict"] == "unique").tolist()


def test_pairs_are_named_by_the_index(frame: Any) -> None:
    pairs = frame.ilk.near_pairs(text="body")
    named = [(LABELS[left], LABELS[right]) for left, right in PAIRS]
    assert list(zip(pairs["left"], pairs["right"], strict=True)) == named


def test_an_index_of_several_levels_and_one_with_repetitions_are_kept() -> None:
    levels = FRAME.set_index([[number // 7 for number in range(len(FRAME))], FRAME.index])
    kept = levels.ilk.deduplicate(text="body")
    assert kept.index.equals(levels.index[KEPT])
    assert levels.ilk.clusters(text="body").index.equals(levels.index)
    repeated = FRAME.set_axis([1] * len(FRAME))
    assert len(repeated.ilk.deduplicate(text="body")) == sum(KEPT)


def test_series_give_fingerprints_and_digests(frame: Any) -> None:
    made = frame["body"].ilk.fingerprint()
    assert list(made.index) == LABELS
    expected = ilk.fingerprint(TEXTS)
    assert [None if pd.isna(one) else int(one) for one in made] == expected.to_pylist()
    found = frame["body"].ilk.digest()
    assert [None if pd.isna(one) else one for one in found] == (
        text_digests_null_if_blank(ilk.arrow.import_texts(TEXTS)).to_pylist()
    )


def test_options_are_those_of_ilk() -> None:
    held, own = FRAME[:100], FRAME[100:]
    kept = own.ilk.deduplicate(text="body", against=held, keep="max:number", resemblance=0.6)
    expected = ilk.deduplicate(own, text="body", against=held, keep="max:number", resemblance=0.6)
    assert list(kept["number"]) == list(
        own[expected.keep_mask.to_numpy(zero_copy_only=False)]["number"]
    )


def test_only_columns_that_are_needed_are_converted() -> None:
    """A column of any objects stands beside the texts."""
    frame = FRAME.assign(anything=[object()] * len(FRAME), id=[{"a": object()}] * len(FRAME))
    assert len(frame.ilk.deduplicate(text="body")) == sum(KEPT)


def test_lone_surrogates_and_missing_values_of_every_kind_are_texts_too() -> None:
    values = ["a \ud800 text", None, float("nan"), pd.NA, "a \ud800 text"]
    frame = pd.DataFrame({"text": pd.Series(values, dtype="object")})
    assert list(frame.ilk.deduplicate().index) == [0, 1, 2, 3]


def test_columns_of_every_kind_are_those_of_the_rows_that_are_kept() -> None:
    """As pandas itself takes rows, whichever columns filter by themselves."""
    count = len(TEXTS)
    columns = {
        "body": pd.Series(TEXTS),
        "number": range(count),
        "arrow": pd.Series(TEXTS, dtype=pd.ArrowDtype(pa.large_string())),
        "kind": pd.Categorical([f"k{row % 3}" for row in range(count)]),
        "when": pd.date_range("2026-01-01", periods=count, tz="UTC"),
        "perhaps": pd.array([row if row % 2 else None for row in range(count)], dtype="Int64"),
        "any": [{"row": row} for row in range(count)],
    }
    for frame in (
        pd.DataFrame(columns).set_axis([f"r{row % 7}" for row in range(count)]),
        pd.DataFrame(columns).rename(columns={"kind": "arrow", "any": "number"}),
        pd.DataFrame({"body": pd.Series(TEXTS)}),
    ):
        frame.attrs["from"] = "a test"
        found = frame.ilk.deduplicate(text="body")
        pd.testing.assert_frame_equal(found, frame[KEPT])
        assert found.attrs == frame.attrs
        found.insert(0, "row", 1)
        assert "row" not in frame.columns


def test_an_alarm_is_raised_before_rows_are_lost() -> None:
    near = [f"the same words over and over again {number}" for number in range(30)]
    frame = pd.DataFrame({"text": near})
    with pytest.raises(AlarmRaised):
        frame.ilk.deduplicate(alarm_documents=5, alarm_share=0.1)
    kept = frame.ilk.deduplicate(alarm_documents=5, alarm_share=0.1, accept_alarm=True)
    assert len(kept) < 30


def test_what_is_wrong_is_said_in_a_line() -> None:
    with pytest.raises(ColumnTypeError, match=r"no column named text \(it has number, body\)"):
        FRAME.ilk.deduplicate()
    with pytest.raises(ColumnTypeError, match="several kinds"):
        pd.DataFrame({"text": ["a", 1]}).ilk.deduplicate()
    with pytest.raises(ColumnTypeError, match="two columns with the same name"):
        pd.DataFrame([["a", "b"]], columns=["text", "text"]).ilk.deduplicate()
    with pytest.raises(OptionError, match="`output` is for files"):
        FRAME.ilk.deduplicate(text="body", output="x")
    with pytest.raises(ColumnTypeError, match="expected a column of texts"):
        FRAME["number"].ilk.fingerprint()


def test_without_pandas_the_extra_is_named() -> None:
    assert "pip install 'ilk[pandas]'" in without("pandas")
