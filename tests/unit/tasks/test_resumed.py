"""An interrupted deduplication keeps what it read, says so, and gives the same bytes later."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import ilk
from tests.support.families import family_rows, write_rows
from tests.support.interrupting import interrupt_at

ACCOUNTS = ("clusters.parquet", "pairs.parquet", "dropped.parquet")


def content(out: Path) -> list[bytes]:
    """The kept rows, and the accounts beside them."""
    beside = out.with_name(f"{out.name}.ilk")
    return [out.read_bytes(), *((beside / name).read_bytes() for name in ACCOUNTS)]


@pytest.mark.parametrize("options", [{}, {"noise": 0.05}, {"pairing": "fingerprint"}])
def test_what_was_read_is_not_read_again_for_its_evidence(
    tmp_path: Path, options: dict[str, Any]
) -> None:
    source = write_rows(tmp_path / "in.jsonl", family_rows(60))
    whole, out = tmp_path / "whole.jsonl", tmp_path / "out.jsonl"
    ilk.deduplicate(source, whole, **options)
    with pytest.raises(KeyboardInterrupt) as stopped:
        ilk.deduplicate(source, out, progress=interrupt_at("write"), **options)
    work = tmp_path / "out.jsonl.ilk" / "work"
    (said,) = stopped.value.__notes__
    assert said == f"run the same command to resume: what is done is kept in {work}"
    assert (work / "evidence.arrow").exists()
    ilk.deduplicate(source, out, **options)
    assert content(out) == content(whole)
    assert not work.exists()


def test_the_evidence_is_that_of_the_interrupted_run(tmp_path: Path) -> None:
    source = write_rows(tmp_path / "in.jsonl", family_rows(60))
    out = tmp_path / "out.jsonl"
    with pytest.raises(KeyboardInterrupt):
        ilk.deduplicate(source, out, progress=interrupt_at("join sets"))
    file = tmp_path / "out.jsonl.ilk" / "work" / "evidence.arrow"
    with pa.ipc.open_file(file.read_bytes()) as left:
        table = left.read_all()
    # Had the texts been read for it again, this would not make all of them alike.
    alike = table.take(pa.array([0] * len(table)))
    with pa.ipc.new_file(str(file), table.schema) as new:
        new.write_table(alike)
    ilk.deduplicate(source, out, accept_alarm=True)
    assert len(out.read_bytes().splitlines()) == 1


def test_the_same_files_with_another_reference_begin_again(tmp_path: Path) -> None:
    """Clusters are not made of the reference alone, and without a reference they are."""
    first, second = (
        write_rows(tmp_path / f"{name}.jsonl", [{"text": f"both rows of {name} have this"}] * 2)
        for name in ("a", "b")
    )
    runs: list[tuple[dict[str, Any], list[bool]]] = [
        ({"source": second, "against": first}, [True, False]),
        ({"source": [first, second]}, [True, False, True, False]),
    ]
    work = tmp_path / "work"
    for (interrupted, _), (resumed, keeps) in (runs, runs[::-1]):
        with pytest.raises(KeyboardInterrupt):
            ilk.deduplicate(
                **interrupted,
                output=tmp_path / "out.jsonl",
                work=work,
                progress=interrupt_at("write"),
            )
        assert (work / "clusters.arrow").exists()
        assert ilk.deduplicate(**resumed, work=work).keep_mask.to_pylist() == keeps


def test_interrupted_while_reading_nothing_is_kept_and_that_is_said(tmp_path: Path) -> None:
    source = write_rows(tmp_path / "in.jsonl", family_rows(60))
    with pytest.raises(KeyboardInterrupt) as stopped:
        ilk.deduplicate(source, tmp_path / "out.jsonl", progress=interrupt_at("read"))
    said = "nothing was done that could be kept; the same command begins again"
    assert stopped.value.__notes__ == [said]
    assert [each.name for each in tmp_path.iterdir()] == ["in.jsonl"]
    with pytest.raises(KeyboardInterrupt) as stopped:
        ilk.deduplicate(source, progress=interrupt_at("read"))
    assert stopped.value.__notes__ == ["nothing was kept; the same command begins again"]
