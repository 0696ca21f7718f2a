"""Data sets of Hugging Face: the answers of ilk itself, by ``select`` and through a store."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import ilk
from ilk.base.errors import AlarmRaised, ColumnTypeError, OptionError
from tests.support.demands import package
from tests.support.table_texts import KEPT, TEXTS, without

hf = package("datasets")
import ilk.tables.datasets


@pytest.fixture
def dataset() -> Any:
    return hf.Dataset.from_dict({"number": list(range(len(TEXTS))), "body": TEXTS})


def test_a_data_set_keeps_the_rows_that_ilk_keeps(dataset: Any) -> None:
    kept = ilk.tables.deduplicate(dataset, text="body")
    assert isinstance(kept, hf.Dataset)
    assert kept.column_names == dataset.column_names
    assert kept["number"][:] == [row for row, stays in enumerate(KEPT) if stays]
    assert kept.data.table is dataset.data.table or kept.data.table.equals(dataset.data.table)


def test_rows_that_were_filtered_and_sorted_stay_in_their_order(dataset: Any) -> None:
    turned = dataset.select(range(len(TEXTS) - 1, -1, -1))
    kept = ilk.tables.deduplicate(turned, text="body")
    expected = ilk.deduplicate(TEXTS[::-1]).keep_mask.to_pylist()
    rows = range(len(TEXTS) - 1, -1, -1)
    assert kept["number"][:] == [row for row, stays in zip(rows, expected, strict=True) if stays]


def test_options_are_those_of_ilk(dataset: Any) -> None:
    held, own = dataset.select(range(100)), dataset.select(range(100, len(TEXTS)))
    kept = ilk.tables.deduplicate(own, text="body", against=held, keep="max:number")
    expected = ilk.deduplicate(
        own, text="body", against=held, keep="max:number"
    ).keep_mask.to_pylist()
    assert kept["number"][:] == [100 + row for row, stays in enumerate(expected) if stays]


def test_a_stream_gives_what_a_store_has_not_seen(dataset: Any, tmp_path: Path) -> None:
    stream = dataset.to_iterable_dataset(num_shards=3)
    with ilk.Store(tmp_path / "seen.ilk") as store:
        seen = [row["number"] for row in ilk.tables.datasets.add_unseen(stream, store, text="body")]
    with ilk.Store(tmp_path / "one.ilk") as store:
        added = [store.add([text], on_duplicate="refuse").id for text in map(_written, TEXTS)]
    expected = [row for row, id_ in enumerate(added) if id_ is not None]
    assert seen == expected
    assert 0 < len(seen) < len(TEXTS) - 50
    with ilk.Store(tmp_path / "seen.ilk") as store:
        again = list(ilk.tables.datasets.add_unseen(stream, store, text="body"))
    assert not [row for row in again if (row["body"] or "").strip()]


def _written(text: str | None) -> str:
    return text or ""


def test_the_card_says_what_was_removed(dataset: Any) -> None:
    result = ilk.deduplicate(dataset, text="body")
    card = ilk.tables.datasets.card(result)
    assert card.startswith("## Deduplication\n")
    assert f"Of {len(TEXTS)} rows, ilk keeps {sum(KEPT)}" in card
    counts = [int(line.split("|")[2]) for line in card.splitlines()[6:] if line]
    assert sum(counts) == KEPT.count(False)


def test_what_is_wrong_is_said_in_a_line(dataset: Any, tmp_path: Path) -> None:
    with pytest.raises(ColumnTypeError, match=r"no column named text \(it has number, body\)"):
        ilk.tables.deduplicate(dataset)
    with pytest.raises(ColumnTypeError, match="give one split"):
        ilk.tables.deduplicate(hf.DatasetDict(train=dataset))
    with (
        ilk.Store(tmp_path / "s.ilk") as store,
        pytest.raises(ColumnTypeError, match="deduplicate takes a Dataset"),
    ):
        ilk.tables.datasets.add_unseen(dataset, store)
    with pytest.raises(OptionError, match=r"open one: ilk.Store\(path\)"):
        ilk.tables.datasets.add_unseen(dataset.to_iterable_dataset(), "s.ilk")  # type: ignore[arg-type]
    near = hf.Dataset.from_dict({"text": [f"the same words over and over {n}" for n in range(30)]})
    with pytest.raises(AlarmRaised):
        ilk.tables.deduplicate(near, alarm_documents=5, alarm_share=0.1)


def test_without_datasets_the_extra_is_named() -> None:
    assert "pip install 'ilk[datasets]'" in without("datasets")
