"""A row that is longer than it may be is refused with its number, before it fills the memory."""

from __future__ import annotations

import json
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import ilk
from ilk.base.errors import RowTooLong
from ilk.base.run_options import ALONE, Running
from ilk.read import Reading
from ilk.read.formats.parts import Limits
from ilk.read.rows.opening import open_rows, open_table_or_scan
from ilk.read.rows.sources import PIECE, RowLimits
from tests.support.command_line import Run

FORMS = ["jsonl", "jsonl.zst", "jsonl.gz", "json", "csv", "csv.zst", "tsv", "parquet"]


def rows_of(path: Path, long: str) -> Path:
    """Write two rows, the second of them with a long text, in the format of a path."""
    texts = ["one two three", long]
    kind = path.name.split(".")[1]
    if kind == "parquet":
        pq.write_table(pa.table({"id": ["1", "2"], "text": texts}), path)
        return path
    rows = [{"id": str(at), "text": text} for at, text in enumerate(texts, 1)]
    if kind == "jsonl":
        content = "\n".join(map(json.dumps, rows))
    elif kind == "json":
        content = json.dumps(rows)
    else:
        comma = "," if kind == "csv" else "\t"
        content = "\n".join(comma.join(row) for row in (["id", "text"], *map(dict.values, rows)))
    codec = {".zst": "zstd", ".gz": "gzip"}.get(path.suffix)
    with pa.output_stream(str(path), compression=codec) as out:
        out.write(content.encode())
    return path


def read(path: Path, running: Running = ALONE, **limits: int) -> int:
    """The rows of a file, all of them read."""
    return open_rows(path, Reading.of(limits=Limits.of(**limits)), running).count_rows()


@pytest.mark.parametrize("form", FORMS)
def test_a_text_beyond_the_limit_is_refused_with_its_row(tmp_path: Path, form: str) -> None:
    path = rows_of(tmp_path / f"in.{form}", "x" * 6_000_000)
    said = r"row 1 of .*in\..*, counted from 0, is longer than 5,000,000 bytes, .*`limit_text`"
    with pytest.raises(RowTooLong, match=said):
        read(path, text=5_000_000)
    assert read(path, text=6_000_100) == 2


@pytest.mark.parametrize("form", FORMS)
def test_a_limit_below_a_piece_holds_for_the_text(tmp_path: Path, form: str) -> None:
    path = rows_of(tmp_path / f"in.{form}", "x" * 2_000)
    with pytest.raises(RowTooLong, match="row 1 of .* is longer than 1,999 bytes"):
        read(path, text=1_999)
    assert read(path, text=2_000) == 2


@pytest.mark.parametrize("form", FORMS)
def test_the_memory_is_a_limit_of_a_row(tmp_path: Path, form: str) -> None:
    path = rows_of(tmp_path / f"in.{form}", "x" * (PIECE + 1))
    with pytest.raises(RowTooLong, match="row 1 of .* `memory` allows"):
        read(path, Running(1, 1))
    assert read(path, Running(1, 1 << 40)) == 2


@pytest.mark.parametrize("form", ["jsonl.zst", "csv.zst", "jsonl.gz"])
def test_what_a_row_may_unpack_to_is_a_multiple_of_the_file(tmp_path: Path, form: str) -> None:
    path = rows_of(tmp_path / f"in.{form}", "x" * 17_000_000)
    with pytest.raises(RowTooLong, match=r"longer than 16,000,000 bytes, .*`limit_ratio`"):
        read(path, ratio=200)
    assert read(path, ratio=1_000_000) == 2


def test_a_quotation_mark_that_is_not_closed_is_named(tmp_path: Path) -> None:
    path = tmp_path / "in.csv"
    path.write_text('id,text\n1,a b c\n2,"' + "3,d e f\n" * 1_000_000)
    with pytest.raises(RowTooLong, match=r"row 1 of .*quotation mark is not closed\); nothing"):
        read(path, text=5_000_000)
    path.write_text('"id,text\n' + "3,d e f\n" * 1_000_000)
    with pytest.raises(ilk.IlkError, match=r"header longer than 5,000,000 bytes .*not closed"):
        read(path, text=5_000_000)


def test_a_row_of_a_table_is_refused_too() -> None:
    table = pa.table({"text": ["a", "x" * 2_000]})
    with pytest.raises(RowTooLong, match="row 1 of the table"):
        open_table_or_scan(table, Reading.of(limits=Limits.of(text=1_999))).count_rows()


def test_the_smallest_limit_counts() -> None:
    assert RowLimits(5, 1, 0).byte_limit_now() == (5, "limit_text")
    assert RowLimits(1 << 40, 1, 1).byte_limit_now() == (PIECE, "memory")
    assert RowLimits(1 << 40, 2, 0).byte_limit_now(compressed_size=10_000_000) == (
        20_000_000,
        "limit_ratio",
    )
    assert RowLimits(1 << 40, 2, 0).byte_limit_now() == (1 << 40, "limit_text")


def test_nothing_is_written_and_the_option_is_named(run: Run, tmp_path: Path) -> None:
    path = rows_of(tmp_path / "in.jsonl", "x" * 2_000)
    out = tmp_path / "out.jsonl"
    code, _, err = run("dedup", str(path), "-o", str(out), "--limit", "text=1kB")
    assert code == 2
    assert "row 1 of" in err
    assert "the most that --limit text allows; nothing was written" in err
    assert sorted(each.name for each in tmp_path.iterdir()) == ["in.jsonl"]


def test_in_a_folder_such_a_file_fails_and_the_others_are_read(run: Run, tmp_path: Path) -> None:
    rows_of(tmp_path / "long.jsonl", "x" * 2_000)
    rows_of(tmp_path / "short.jsonl", "one two three")
    words = ("--walk", "rows", "--limit", "text=1kB", "--format", "jsonl")
    code, out, err = run("scan", str(tmp_path), *words)
    assert code == 0
    assert "not read" in err
    assert "row 1 of" in err
    assert json.loads(out.splitlines()[-1])["summary"]["families"] == 1
