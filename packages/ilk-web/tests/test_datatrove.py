"""datatrove: the answers of ilk itself, in its own executor."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.support.demands import package
from tests.support.table_texts import KEPT, TEXTS, without

import ilk
from ilk.base.errors import OptionError
from ilk.store import ClientDocument

package("datatrove")
package("orjson")  # datatrove reads JSON lines by it
from datatrove.data import Document
from datatrove.executor import LocalPipelineExecutor
from datatrove.pipeline.readers import JsonlReader
from datatrove.pipeline.writers import JsonlWriter

import ilk_web.datatrove

WITH_TEXT = [row for row, text in enumerate(TEXTS) if text]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with the texts; datatrove itself leaves out documents without one."""
    made = tmp_path / "in"
    made.mkdir()
    lines = (json.dumps({"id": str(row), "text": TEXTS[row]}) + "\n" for row in WITH_TEXT)
    (made / "texts.jsonl").write_text("".join(lines))
    return made


def run(folder: Path, step: Any, tasks: int = 1) -> tuple[list[int], Any]:
    """Run a pipeline with a step; the numbers of the texts that it writes, and its statistics."""
    out = folder.parent / "out"
    steps = [JsonlReader(str(folder)), step, JsonlWriter(str(out), compression=None)]
    done = LocalPipelineExecutor(
        steps, tasks=tasks, workers=1, logging_dir=str(folder.parent / "logs")
    )
    statistics = done.run()
    lines = "".join(path.read_text() for path in sorted(out.glob("*.jsonl"))).splitlines()
    return [int(json.loads(line)["id"]) for line in lines], statistics


def expected() -> list[int]:
    kept = ilk.deduplicate([TEXTS[row] for row in WITH_TEXT]).keep_mask.to_pylist()
    return [row for row, stays in zip(WITH_TEXT, kept, strict=True) if stays]


def test_a_pipeline_is_compared_with_a_store(folder: Path) -> None:
    first = next(row for row in WITH_TEXT if KEPT[row])
    with ilk.Store(folder.parent / "past.ilk", exact=True, texts=True) as store:
        store.enter([ClientDocument(TEXTS[first] or "", id="stored")])
    gone = JsonlWriter(str(folder.parent / "gone"), compression=None)
    step = ilk_web.datatrove.IlkDedup(gone, against=str(folder.parent / "past.ilk"))
    kept, _ = run(folder, step)
    assert first not in kept
    lines = "".join(path.read_text() for path in (folder.parent / "gone").glob("*.jsonl"))
    dropped = {one["id"]: one["metadata"] for one in map(json.loads, lines.splitlines())}
    assert dropped[str(first)]["ilk_keeper"] == "stored"


def test_a_pipeline_keeps_what_ilk_keeps_and_counts(folder: Path) -> None:
    excluded = JsonlWriter(str(folder.parent / "gone"), compression=None)
    kept, statistics = run(folder, ilk_web.datatrove.IlkDedup(excluded))
    assert kept == expected()
    assert set(kept) == {row for row in WITH_TEXT if KEPT[row]}
    counts = next(one.to_dict() for one in statistics.stats if "ilk" in one.name)["stats"]
    number = {name: one["total"] if isinstance(one, dict) else one for name, one in counts.items()}
    assert number["total"] == len(WITH_TEXT)
    assert number["forwarded"] == len(kept)
    assert (
        number["dropped"]
        == len(WITH_TEXT) - len(kept)
        == sum(count for name, count in number.items() if name.startswith("dropped_"))
    )
    (gone,) = (folder.parent / "gone").glob("*.jsonl")
    rows = [json.loads(line) for line in gone.read_text().splitlines()]
    assert {int(row["id"]) for row in rows} == set(WITH_TEXT) - set(kept)
    assert all(int(row["metadata"]["ilk_keeper"]) in kept for row in rows)


def test_several_tasks_are_refused() -> None:
    step = ilk_web.datatrove.IlkDedup()
    with pytest.raises(OptionError, match=r"tasks=1, or use IlkFilter"):
        list(step.run([], 0, 2))


def test_a_filter_drops_what_a_store_has(folder: Path, tmp_path: Path) -> None:
    kept, _ = run(folder, ilk_web.datatrove.IlkFilter(str(tmp_path / "seen.ilk"), batch_size=7))
    with ilk.Store(tmp_path / "one.ilk") as store:
        added = [store.add([TEXTS[row] or ""], on_duplicate="refuse").id for row in WITH_TEXT]
    assert kept == [row for row, id_ in zip(WITH_TEXT, added, strict=True) if id_ is not None]
    again = ilk_web.datatrove.IlkFilter(str(tmp_path / "seen.ilk"))
    documents = [Document(text=TEXTS[row] or "", id=str(row)) for row in WITH_TEXT]
    assert [int(one.id) for one in again.run(documents)] == [
        row for row in kept if not (TEXTS[row] or "").strip()
    ]


def test_without_datatrove_the_extra_is_named() -> None:
    assert "pip install 'ilk[datatrove]'" in without("datatrove", "ilk_web.datatrove")
