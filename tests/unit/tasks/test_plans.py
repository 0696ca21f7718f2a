"""Plans: decided now, applied later, refused if the input has changed."""

from __future__ import annotations

import json
from pathlib import Path

import pyarrow as pa
import pytest

import ilk
from ilk.base.errors import AlarmRaised, OptionError, OutputError, PlanError, SourceChanged
from ilk.tasks import row_plan
from tests.support.families import family_rows, write_rows


@pytest.fixture
def source(tmp_path: Path) -> Path:
    return write_rows(tmp_path / "in.jsonl", family_rows())


def test_a_plan_applied_gives_what_a_run_at_once_gives(source: Path, tmp_path: Path) -> None:
    at_once, later = tmp_path / "a.jsonl", tmp_path / "b.jsonl"
    result = ilk.deduplicate(source, at_once)
    row_plan.save_plan(ilk.deduplicate(source), tmp_path / "plan")
    assert not later.exists()
    assert (
        row_plan.apply_rows_only_plan_and_count_rows(tmp_path / "plan", later)
        == result.report["kept"]
    )
    assert later.read_bytes() == at_once.read_bytes()
    for name in ("clusters.parquet", "pairs.parquet", "dropped.parquet"):
        beside = [path.with_name(f"{path.name}.ilk") / name for path in (at_once, later)]
        assert beside[0].read_bytes() == beside[1].read_bytes()
    log = (tmp_path / "b.jsonl.ilk" / "applied.jsonl").read_text().splitlines()
    assert [json.loads(line)["output"] for line in log] == [str(later)]


def test_a_plan_is_refused_if_the_input_has_changed_or_is_gone(
    source: Path, tmp_path: Path
) -> None:
    plan, output = tmp_path / "plan", tmp_path / "out.jsonl"
    row_plan.save_plan(ilk.deduplicate(source), plan)
    content = source.read_bytes()
    source.write_bytes(content.replace(b"w1", b"w2", 1))
    with pytest.raises(PlanError, match="has changed since the plan was made; nothing was written"):
        row_plan.apply_rows_only_plan_and_count_rows(plan, output)
    source.write_text("rows no more", encoding="utf-16")
    with pytest.raises(SourceChanged, match="has changed, and is UTF-16; .* decide again"):
        row_plan.apply_rows_only_plan_and_count_rows(plan, output)
    source.unlink()
    with pytest.raises(FileNotFoundError, match="decide again"):
        row_plan.apply_rows_only_plan_and_count_rows(plan, output)
    assert not output.exists()
    # The same bytes under the same name are the same input, whenever they were written.
    source.write_bytes(content)
    assert row_plan.apply_rows_only_plan_and_count_rows(plan, output) > 0
    with pytest.raises(OutputError, match="already exists"):
        row_plan.apply_rows_only_plan_and_count_rows(plan, output)


def test_what_is_no_plan_is_refused(tmp_path: Path) -> None:
    with pytest.raises(PlanError, match="holds no plan"):
        row_plan.apply_rows_only_plan_and_count_rows(tmp_path, tmp_path / "out.jsonl")
    (tmp_path / "plan.json").write_text('{"inputs": []}')
    with pytest.raises(PlanError, match="part of it is missing"):
        row_plan.apply_rows_only_plan_and_count_rows(tmp_path, tmp_path / "out.jsonl")
    (tmp_path / "plan.json").write_text("[1")
    with pytest.raises(PlanError, match="holds no plan"):
        row_plan.apply_rows_only_plan_and_count_rows(tmp_path, tmp_path / "out.jsonl")


def test_an_alarm_is_part_of_the_plan(source: Path, tmp_path: Path) -> None:
    row_plan.save_plan(ilk.deduplicate(source, alarm_loss=0.1), tmp_path / "plan")
    with pytest.raises(AlarmRaised, match="Nothing was written"):
        row_plan.apply_rows_only_plan_and_count_rows(tmp_path / "plan", tmp_path / "out.jsonl")
    assert (
        row_plan.apply_rows_only_plan_and_count_rows(
            tmp_path / "plan", tmp_path / "out.jsonl", accept_alarm=True
        )
        > 0
    )


def test_a_table_cannot_be_planned_for_and_a_plan_is_not_overwritten(
    source: Path, tmp_path: Path
) -> None:
    with pytest.raises(OptionError, match="a table in memory"):
        row_plan.save_plan(ilk.deduplicate(pa.table({"text": ["a"]})), tmp_path / "plan")
    row_plan.save_plan(ilk.deduplicate(source), tmp_path / "plan")
    with pytest.raises(OutputError, match="already holds a plan"):
        row_plan.save_plan(ilk.deduplicate(source), tmp_path / "plan")
    row_plan.save_plan(ilk.deduplicate(source), tmp_path / "plan", force=True)
