"""Kept rows: written as they were read, to files that appear whole or not at all."""

from __future__ import annotations

import bz2
import csv
import gzip
import io
import lzma
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from ilk.base.errors import OptionError, OutputError
from ilk.read import Reading
from ilk.read.rows.opening import open_rows
from tests.support.rows import FORMATS, ROWS, as_csv, as_json_lines, as_zstandard

#: How what a compressed file holds is read by others than ilk.
PLAIN: dict[str, Callable[[bytes], bytes]] = {
    ".gz": gzip.decompress,
    ".zst": lambda content: pa.input_stream(io.BytesIO(content), compression="zstd").read(),
    ".bz2": bz2.decompress,
    ".xz": lzma.decompress,
}


#: Lines as people write them: spaces, other fields, escapes that need not be, ends of two kinds.
LINES = [
    b'{"text": "one", "id": 1}\n',
    b'  {"id":2.50,\t"other": {"a": [1, 2]}, "text":"tw\\u006f"}  \r\n',
    b'{"text": null}\n',
    b'{"id": "three", "text": "caf\xe9"}\n',
    b'{"text": "\\ud800", "text": "last"}',
]


def plain(path: Path) -> bytes:
    """What a file holds."""
    return PLAIN.get(path.suffix, bytes)(path.read_bytes())


@pytest.mark.parametrize("codec", ["", *PLAIN])
@pytest.mark.parametrize("to", ["", *PLAIN])
@pytest.mark.parametrize("kept", [[], [0], [1, 3], [4], [0, 1, 2, 3, 4], [0, 4]])
def test_json_lines_are_the_bytes_that_were_read(
    codec: str, to: str, kept: list[int], tmp_path: Path
) -> None:
    source, out = tmp_path / f"in.jsonl{codec}", tmp_path / f"out.jsonl{to}"
    content = b"\n \n" + b"".join(LINES[:2]) + b"\nmalformed\n" + b"".join(LINES[2:])
    codecs: dict[str, Callable[[bytes], bytes]] = {
        "": bytes,
        ".gz": gzip.compress,
        ".zst": as_zstandard,
        ".bz2": bz2.compress,
        ".xz": lzma.compress,
    }
    source.write_bytes(codecs[codec](content))
    data_set = open_rows(source)
    assert data_set.write(kept, out) == len(kept)
    assert plain(out) == b"".join(LINES[row] for row in kept)
    assert data_set.counts.rows + data_set.counts.rejected == 6


@pytest.mark.parametrize("name", [name for name in FORMATS if ".json" in name.lower()])
def test_a_file_of_which_all_is_kept_is_the_same(name: str, tmp_path: Path) -> None:
    (tmp_path / name).write_bytes(FORMATS[name](ROWS))
    data_set = open_rows(tmp_path / name)
    out = tmp_path / "out.jsonl"
    assert data_set.write([True] * len(ROWS), out) == len(ROWS)
    assert out.read_bytes() == as_json_lines(ROWS)


@pytest.mark.parametrize("end", [b"\n", b"\r\n", b"\r"])
@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"])
def test_rows_of_csv_are_the_bytes_that_were_read(end: bytes, mark: bytes, tmp_path: Path) -> None:
    header = mark + b'"id", text ,"a, b"' + end
    rows = [
        b'1,"two\r\nlines, ""quoted""",x' + end,
        b"2,plain,'y'" + end,
        b'"3",caf\xe9,"\n\r\n"' + end,
        b",,",
    ]
    bad = b"4,too few" + end
    source, out = tmp_path / "in.csv", tmp_path / "out.csv"
    source.write_bytes(header + rows[0] + bad + rows[1] + end + rows[2] + rows[3])
    data_set = open_rows(source, Reading.of(text=" text ", id="id"))
    for kept in ([], [0], [1, 2], [3], [0, 3], [0, 1, 2, 3]):
        assert data_set.write(kept, out, force=True) == len(kept)
        assert out.read_bytes() == header + b"".join(rows[row] for row in kept)
    assert data_set.texts([0, 1, 2, 3]).to_pylist() == [
        'two\r\nlines, "quoted"',
        "plain",
        "caf\ufffd",
        "",
    ]
    assert (data_set.counts.rejected, data_set.counts.replaced) == (1, 1)


def test_a_last_row_may_end_in_any_byte(tmp_path: Path) -> None:
    source, out = tmp_path / "a.csv", tmp_path / "b.csv"
    for end in ("é", "\ud800", "x"):
        source.write_bytes(f"text\nfirst\nlast {end}".encode("utf-8", "surrogatepass"))
        open_rows([source]).write([0, 1], out, force=True)
        assert out.read_bytes() == source.read_bytes()


def test_rows_of_several_files_follow_one_another(tmp_path: Path) -> None:
    """A last row without an end gets one where another follows; CSV has one header."""
    (tmp_path / "a.jsonl").write_bytes(b'{"text": "a"}')
    (tmp_path / "b.jsonl.gz").write_bytes(
        gzip.compress(b'\xef\xbb\xbf{"text": "b"}\r\n{"text": 1}')
    )
    (tmp_path / "c.jsonl").write_bytes(b"\n")
    out = tmp_path / "out.jsonl"
    data_set = open_rows(sorted(tmp_path.glob("*.jsonl*")))
    assert data_set.write([0, 1, 2], out) == 3
    assert out.read_bytes() == b'{"text": "a"}\n{"text": "b"}\r\n{"text": 1}'
    for name in ("a", "b"):
        (tmp_path / f"{name}.csv").write_bytes(f"text,id\n{name},1".encode())
    out = tmp_path / "out.csv.zst"
    open_rows([tmp_path / "a.csv", tmp_path / "b.csv"]).write([0, 1], out)
    assert plain(out) == b"text,id\na,1\nb,1"


def test_a_folder_of_files_becomes_a_folder_of_files(tmp_path: Path) -> None:
    source, out = tmp_path / "in", tmp_path / "out"
    (source / "deep").mkdir(parents=True)
    for name in FORMATS:
        (source / "deep" / name).write_bytes(FORMATS[name](ROWS))
    (source / "notes.txt").write_text("no rows")
    data_set = open_rows(source)
    read = sorted(FORMATS, key=os.fsencode)
    assert [source.name for source in data_set.sources] == [f"{tmp_path}/in/deep/{n}" for n in read]
    kept = [5 * file + row for file in range(len(read)) for row in (0, 2)]
    assert data_set.write(kept, f"{out}/") == 2 * len(read)
    assert [path.name for path in sorted(out.rglob("*.*"), key=os.fsencode)] == read
    again = open_rows(out)
    texts = again.texts(range(again.count_rows())).to_pylist()
    assert texts == [ROWS[row]["text"] for _ in read for row in (0, 2)]
    with (out / "deep" / "semicolons.csv").open(newline="") as file:
        assert list(csv.DictReader(file, delimiter=";")) == [ROWS[0], ROWS[2]]


def test_rows_that_do_not_fit_into_one_file_are_refused_before_any_work(tmp_path: Path) -> None:
    def made(name: str, content: bytes) -> Path:
        (tmp_path / name).write_bytes(content)
        return tmp_path / name

    lines, table = made("a.jsonl", as_json_lines(ROWS)), made("a.csv", as_csv(ROWS))
    fewer = made("b.csv", as_csv([{"text": "a", "id": "1"}]))
    tabs = made("c.tsv", as_csv(ROWS, delimiter="\t"))
    for name, column in (("a.pq", pa.array(["x"])), ("b.pq", pa.array(["x"], pa.large_string()))):
        pq.write_table(pa.table({"text": column}), tmp_path / name)
    for paths, to, reason in (
        ([lines, table], "out.jsonl", "is JSON lines, .* is CSV"),
        ([table, fewer], "out.csv", "its columns are text, id, not id, text, n"),
        ([table, tabs], "out.csv", "do not fit after"),
        (
            [tmp_path / "a.pq", tmp_path / "b.pq"],
            "out.pq",
            "text is large_string, not text is string",
        ),
        ([lines], "out.csv", "another format"),
        ([lines], "out.parquet", "another format"),
        ([table], "out.jsonl.gz", "another format"),
    ):
        with pytest.raises(OptionError, match=reason):
            open_rows(paths).refuse_unwritable_output(tmp_path / to)
    assert open_rows([lines, table]).write([0, 5], f"{tmp_path}/both/") == 2


def test_a_place_where_nothing_can_be_written_is_refused_before_any_work(tmp_path: Path) -> None:
    source = tmp_path / "a.jsonl"
    source.write_bytes(as_json_lines(ROWS))
    (tmp_path / "there.jsonl").write_bytes(b"mine")
    (tmp_path / "link.jsonl").symlink_to(source)
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep" / "a.jsonl").write_bytes(b"mine")
    data_set = open_rows(source)
    for to, force, reason in (
        ("there.jsonl", False, "already exists. .* `force`"),
        ("a.jsonl", True, "which are never overwritten"),
        ("link.jsonl", True, "which are never overwritten"),
        ("nowhere/out.jsonl", False, "there is no folder"),
        ("deep", False, "already exists"),
    ):
        for call in (
            data_set.refuse_unwritable_output,
            lambda *args, **named: data_set.write([], *args, **named),
        ):
            with pytest.raises(OutputError, match=reason):
                call(tmp_path / to, force=force)
    with pytest.raises(OutputError, match="both be written to"):
        open_rows([source, tmp_path / "deep" / "a.jsonl"]).refuse_unwritable_output(
            f"{tmp_path}/out/"
        )
    assert data_set.write([0], tmp_path / "there.jsonl", force=True) == 1
    assert (tmp_path / "there.jsonl").read_bytes() == as_json_lines(ROWS[:1])
    assert source.read_bytes() == as_json_lines(ROWS)


_WRITE = """
import resource, signal, sys
from ilk.base.errors import OutputError
from ilk.read.rows.opening import open_rows

signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000))
data_set = open_rows(sys.argv[1])
try:
    data_set.write(range(data_set.count_rows()), sys.argv[2])
except OutputError as error:
    print(error)
"""


@pytest.mark.parametrize(
    "name", ["rows.jsonl", "rows.JSONL.GZ", "rows.jsonl.zst", "rows.csv", "rows.parquet"]
)
def test_a_disk_that_is_full_is_told_and_leaves_nothing(name: str, tmp_path: Path) -> None:
    """As a limit on the size of files has it, which fails in the same calls."""
    noise = [{"text": os.urandom(40).hex(), "id": str(row), "n": "1"} for row in range(5_000)]
    folder = tmp_path / "out"
    folder.mkdir()
    (tmp_path / name).write_bytes(FORMATS[name](noise))
    child = subprocess.run(
        [sys.executable, "-c", _WRITE, tmp_path / name, folder / name],
        capture_output=True,
        text=True,
        check=True,
    )
    assert "cannot write" in child.stdout
    assert "File too large" in child.stdout
    assert "No partial file was left" in child.stdout
    assert child.stderr == ""
    assert list(folder.iterdir()) == []


def test_rows_that_cannot_be_meant_are_refused(tmp_path: Path) -> None:
    """Rows are numbered ascending, each once; what is not so is refused."""
    source = tmp_path / "a.jsonl"
    source.write_bytes(as_json_lines(ROWS))
    data_set = open_rows(source)
    wrong: list[tuple[Any, str]] = [
        ([1, 1], "do not ascend"),
        ([2, 1], "do not ascend"),
        ([5], "there are only 5 rows, counted from 0"),
        (pa.array([2**63], pa.uint64()), "there are only 5 rows, counted from 0"),
        ([-1, 2], "there are only 5 rows, counted from 0"),
        ([True], "1 Booleans for 5 rows"),
        (pa.array([True, None, True, True, True]), "are null"),
        (["1"], "given as string"),
    ]
    for rows, reason in wrong:
        for call in (data_set.texts, lambda named: data_set.write(named, tmp_path / "out.jsonl")):
            with pytest.raises(OptionError, match=reason):
                call(rows)
    assert not (tmp_path / "out.jsonl").exists()


def test_what_must_stand_beside_rows_is_there_before_their_first_file(tmp_path: Path) -> None:
    names = ["a.jsonl", "b.jsonl"]
    for name in names:
        (tmp_path / name).write_bytes(b"".join(LINES))
    rows, out = open_rows(tmp_path), tmp_path / "out"
    seen: list[bool] = []
    rows.write(
        range(3), f"{out}/", before_first_file_ends=lambda: seen.append((out / "a.jsonl").exists())
    )
    assert (seen, sorted(os.listdir(out))) == ([False], names)

    def fail() -> None:
        raise KeyError

    with pytest.raises(KeyError):
        rows.write(range(3), tmp_path / "again.jsonl", before_first_file_ends=fail)
    assert not (tmp_path / "again.jsonl").exists()


def test_rows_are_on_disk_before_what_must_stand_beside_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "in.jsonl").write_bytes(b"".join(LINES))
    events: list[int | str] = []
    sync = os.fsync

    def note_size_and_sync(descriptor: int) -> None:
        events.append(os.fstat(descriptor).st_size)
        sync(descriptor)

    monkeypatch.setattr(os, "fsync", note_size_and_sync)
    rows = open_rows(tmp_path / "in.jsonl")
    output = tmp_path / "out.jsonl"
    rows.write(range(3), output, before_first_file_ends=lambda: events.append("beside"))
    assert events[:2] == [output.stat().st_size, "beside"]
