"""Data sets as they come: malformed, cut off, mixed, empty; every row is accounted for."""

from __future__ import annotations

import gzip
import json
import os
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from ilk.base.errors import ColumnTypeError, NothingRead, OptionError, SourceNotFound
from ilk.read import Reading
from ilk.read.report import ReadReport
from ilk.read.rows.dataset import DataSet
from ilk.read.rows.opening import open_rows, open_table_or_scan
from tests.support.rows import as_csv, as_json_lines, as_zstandard, documents


def counted(data_set: DataSet) -> tuple[int, int, int, int, int]:
    """Rows with a text, without one, with null, with something else, rejected; they add up."""
    data_set.count_rows()
    counts = data_set.counts
    kinds = (counts.with_text, counts.missing, counts.null, counts.other)
    assert sum(kinds) == counts.rows == sum(len(batch) for batch in data_set.batches())
    assert counts.rejected == len(list(data_set.read_rejected_rows()))
    assert data_set.texts(range(counts.rows)).null_count == counts.rows - counts.with_text
    return (*kinds, counts.rejected)


def written(tmp_path: Path, name: str, content: bytes) -> Path:
    path = tmp_path / name
    path.write_bytes(content)
    return path


def test_a_row_without_a_text_is_a_row(tmp_path: Path) -> None:
    lines = [
        b'{"text": "a"}',
        b"{}",
        b'{"text": null}',
        b'{"text": 12}',
        b'{"text": ["a"]}',
        b'{"text": true}',
        b'{"text": {"text": "a"}}',
        b'{"text": ""}',
    ]
    data_set = open_rows(written(tmp_path, "a.jsonl", b"\n".join(lines)))
    assert counted(data_set) == (2, 1, 1, 4, 0)
    assert data_set.texts(range(8)).to_pylist() == ["a", *[None] * 6, ""]
    out = tmp_path / "b.jsonl"
    data_set.write(range(8), out)
    assert out.read_bytes() == b"\n".join(lines)


def test_malformed_lines_are_listed_with_their_numbers(tmp_path: Path) -> None:
    bad = {
        2: b'{"text": "never closed\n',
        4: b'{"text": "a"} and more\n',
        7: b"[1, 2]\r\n",
        8: b"\xff\xfe\n",
        9: b'{"text": NaN}\n',
    }
    lines = [
        bad.get(number, b'{"text": "a"}\n' if number != 5 else b"\n") for number in range(1, 11)
    ]
    path = written(tmp_path, "a.jsonl", b"".join(lines))
    data_set = open_rows(path)
    assert data_set.count_rows() == 4
    assert counted(data_set) == (4, 0, 0, 0, 5)
    found = list(data_set.read_rejected_rows())
    assert {row.at: row.data for row in found} == bad
    assert {row.source for row in found} == {str(path)}
    reasons = {row.at: row.reason for row in found}
    assert reasons[2].startswith("control character")
    assert reasons[2].endswith("found while parsing a string at column 22")
    assert reasons[4] == "trailing characters at column 15"
    assert reasons[7].startswith("invalid type: sequence, expected an object")
    # Documents are numbered without them, and so are their sources.
    assert [row["source"] for row in documents(data_set)] == [f"{path}#{row}" for row in range(4)]


def test_lines_are_counted_through_the_blocks_of_a_large_file(tmp_path: Path) -> None:
    """Blocks of 4 MB, with something malformed in each, quoted line ends in between."""
    size = 9 << 20
    row, count = b'"' + b"x\n" * 500 + b'",1\n', 0
    content, bad = [b"text,id\n"], []
    line = 2
    while count < size:
        if len(content) % 1000 == 7:
            bad.append(line)
            content.append(b"too few\n")
            line += 1
        content.append(row)
        line += 501
        count += len(row)
    path = written(tmp_path, "a.csv.gz", gzip.compress(b"".join(content), 1))
    data_set = open_rows(path)
    assert data_set.count_rows() == len(content) - 1 - len(bad)
    assert [row.at for row in data_set.read_rejected_rows()] == bad
    assert len(bad) > 5
    last = data_set.count_rows() - 1
    (found,) = documents(data_set, [last])
    assert (found["doc"], found["text"]) == (last, "x\n" * 500)


@pytest.mark.parametrize("name", ["a.parquet", "a.csv", "b.csv", "wide.csv", "wide.jsonl"])
def test_a_file_that_cannot_be_opened_is_told_and_the_others_are_read(
    name: str, tmp_path: Path
) -> None:
    contents = {"b.csv": b"\xef\xbb\xbf\n\n", "a.csv": b"", "a.parquet": b"PAR1"}
    path = written(tmp_path, name, contents.get(name, "text\na\n".encode("utf-16")))
    good = written(tmp_path, "good.jsonl", b'{"text": "a"}')
    tally = ReadReport()
    data_set = open_rows([path, good], tally=tally)
    assert data_set.texts([0]).to_pylist() == ["a"]
    (failure,) = tally.failures
    assert failure.source == str(path)
    assert failure.reason.split(":")[0] in (
        "has no header",
        "is not Parquet",
        "is UTF-16; convert it to UTF-8 first",
    )
    with pytest.raises(NothingRead, match=r"there is no file of rows to read\. .*" + name):
        open_rows(path)


def test_a_folder_of_documents_has_no_rows(tmp_path: Path) -> None:
    written(tmp_path, "a.txt", b"a text")
    with pytest.raises(NothingRead, match=r"Files that are documents: ilk scan\."):
        open_rows(tmp_path)


def test_a_file_that_may_not_be_read_is_told(tmp_path: Path) -> None:
    path = written(tmp_path, "a.jsonl", b"")
    path.unlink()
    os.mkfifo(path)
    tally = ReadReport()
    with pytest.raises(NothingRead, match="is a FIFO, not a file"):
        open_rows(path, tally=tally)


def test_zero_rows_are_no_error(tmp_path: Path) -> None:
    schema = pa.schema([("text", pa.string())])
    paths = [
        written(tmp_path, "a.jsonl", b""),
        written(tmp_path, "b.jsonl.gz", gzip.compress(b"\n \n")),
        written(tmp_path, "c.csv", b"text,id"),
        tmp_path / "d.parquet",
    ]
    pq.write_table(schema.empty_table(), paths[3])
    for path in paths:
        data_set = open_rows(path)
        assert (data_set.count_rows(), list(data_set.batches())) == (0, [])
        assert len(data_set.texts([])) == len(data_set.rows_with_earlier_id) == 0
        out = tmp_path / f"out-{path.name}"
        assert (
            data_set.write([], out)
            == data_set.write(pa.array([], pa.bool_()), out, force=True)
            == 0
        )
        assert open_rows(out).count_rows() == 0
    assert open_rows(paths).count_rows() == 0
    assert open_table_or_scan(schema.empty_table()).count_rows() == 0


def test_ids_that_occur_again_are_told_across_files(tmp_path: Path) -> None:
    """An id is what it is spelled as: 1 and "1" are one id, 1.0 another; null is no id."""
    a = written(tmp_path, "a.jsonl", b'{"text":"","id":1}\n{"text":"","id":null}\n{"text":""}\n')
    b = written(tmp_path, "b.csv", b'text,id\n"",1\n"",1.0\n"",\n"",\n')
    data_set = open_rows([a, b])
    ids = [row["id"] for row in documents(data_set)]
    assert ids == ["1", None, None, "1", "1.0", "", ""]
    assert data_set.rows_with_earlier_id.to_pylist() == [
        {"doc": 3, "first": 0},
        {"doc": 6, "first": 5},
    ]
    assert data_set.counts_and_failures_reading_if_unread()["same_ids"] == 2


def test_files_of_other_columns_are_refused_with_what_they_have(tmp_path: Path) -> None:
    csv_file = written(tmp_path, "a.csv", b"title,body\n1,2\n")
    with pytest.raises(
        ColumnTypeError, match=r"a.csv has no column named text \(it has title, body\)"
    ):
        open_rows(csv_file)
    twice = written(tmp_path, "b.csv", b"text,text\n1,2\n")
    with pytest.raises(ColumnTypeError, match="2 columns named text; rename all but one"):
        open_rows(twice)
    pq.write_table(pa.table({"text": [1, 2]}), tmp_path / "a.parquet")
    with pytest.raises(ColumnTypeError, match="the column text is of int64, not of texts"):
        open_rows(tmp_path / "a.parquet").count_rows()
    nested = pa.table({"text": ["a"], "id": [[1]]})
    pq.write_table(nested, tmp_path / "b.parquet")
    with pytest.raises(ColumnTypeError, match="id is of type list.* cannot be an id.*`id`"):
        open_rows(tmp_path / "b.parquet").count_rows()
    # Lines of JSON need not have the same fields; one that has them is enough.
    lines = written(tmp_path, "a.jsonl", b'{"other": 1}\n{"text": "a"}\n{"body": "b"}\n')
    assert counted(open_rows(lines)) == (1, 2, 0, 0, 0)
    both = open_rows(lines, Reading.of(text=["text", "body"]))
    assert both.texts([0, 1, 2]).to_pylist() == [None, "a", "b"]


def test_columns_of_several_kinds_are_refused(tmp_path: Path) -> None:
    lines = written(
        tmp_path,
        "a.jsonl",
        b'{"text":"a","mixed":1,"time":"2024-02-29","float":1,"deep":{"n":1},"b":true}\n'
        b'{"text":"b","mixed":"1","time":"2024-02-29T12:00:01","float":2.5,"deep":{"n":null}}\n'
        b'{"text":"c"}\n',
    )
    data_set = open_rows(lines)
    with pytest.raises(ColumnTypeError, match="mixed holds numbers and strings"):
        data_set.read_column("mixed")
    with pytest.raises(ColumnTypeError, match=r"objects or lists.*deep\.field"):
        data_set.read_column("deep")
    with pytest.raises(ColumnTypeError, match="no row has the column nothing"):
        data_set.read_column("nothing")
    assert data_set.read_column("float").to_pylist() == [1.0, 2.5, None]
    assert data_set.read_column("deep.n").to_pylist() == [1, None, None]
    assert data_set.read_column("b").to_pylist() == [True, None, None]
    times = data_set.read_column("time")
    assert times.type == pa.timestamp("us")
    assert [str(time) for time in times.to_pylist()] == [
        "2024-02-29 00:00:00",
        "2024-02-29 12:00:01",
        "None",
    ]
    csv_file = written(tmp_path, "a.csv", b"text,n\na,1\nb,\n")
    numbers = open_rows(csv_file).read_column("n")
    assert (numbers.type, numbers.to_pylist()) == (pa.int64(), [1, None])
    pq.write_table(pa.table({"text": ["a"], "n": [1]}), tmp_path / "a.parquet")
    with pytest.raises(ColumnTypeError, match="different formats, .* Convert them to one format"):
        open_rows([csv_file, tmp_path / "a.parquet"]).read_column("n")


def test_names_that_say_no_format_are_refused_and_skipped_in_folders(tmp_path: Path) -> None:
    written(tmp_path, "a.jsonl", b'{"text": "a"}')
    for name in ("a.txt", "a.jsonl.lz4", "a.parquet.gz", "plain", "a.gz"):
        path = written(tmp_path, name, b"")
        with pytest.raises(OptionError, match=r"does not say how its rows are written.*\.jsonl"):
            open_rows(path)
    tally = ReadReport()
    assert open_rows(tmp_path, tally=tally).count_rows() == 1
    assert tally.without_rows == {".txt": 1, ".lz4": 1, ".gz": 2, "": 1}


def test_globs_folders_and_files_are_read_once_each_in_the_order_given(tmp_path: Path) -> None:
    for name in ("b.jsonl", "a.jsonl", "deep/c.jsonl", "deep/d.csv"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        content = (
            as_csv([{"text": name}]) if name.endswith("csv") else as_json_lines([{"text": name}])
        )
        written(tmp_path, name, content)

    def read(*names: str, **options: list[str]) -> list[str]:
        include, exclude = options.get("include", []), options.get("exclude", [])
        paths = [f"{tmp_path}/{name}" for name in names]
        data_set = open_rows(paths, Reading.of(include=include, exclude=exclude))
        return [str(text) for text in data_set.texts(range(data_set.count_rows())).to_pylist()]

    assert read("*.jsonl") == ["a.jsonl", "b.jsonl"]
    assert read("b.jsonl", "*.jsonl") == ["b.jsonl", "a.jsonl"]
    assert read("") == ["a.jsonl", "b.jsonl", "deep/c.jsonl", "deep/d.csv"]
    assert read("", exclude=["deep"]) == ["a.jsonl", "b.jsonl"]
    assert read("", include=["*.csv"]) == ["deep/d.csv"]
    assert read("**/*.jsonl") == ["a.jsonl", "b.jsonl", "deep/c.jsonl"]
    for name in ("nothing.jsonl", "*.parquet"):
        with pytest.raises(SourceNotFound, match="give the path of a file or a folder that exists"):
            read(name)
    with pytest.raises(OptionError, match="standard input can be read only once"):
        open_rows("-")
    with pytest.raises(OptionError, match="no column of texts is named"):
        Reading.of(text=[])


def test_rows_longer_than_a_block_are_rows(tmp_path: Path) -> None:
    long = "long " * 2_000_000
    rows = [{"text": text, "id": str(at)} for at, text in enumerate(["a", long, "b", long + "c"])]
    for path in (
        written(tmp_path, "a.jsonl", as_json_lines(rows)),
        written(tmp_path, "b.csv.zst", as_zstandard(as_csv(rows))),
    ):
        data_set = open_rows(path)
        assert [len(row["text"]) for row in documents(data_set)] == [1, len(long), 1, len(long) + 1]
        assert [row["doc"] for row in documents(data_set, [2, 3])] == [2, 3]


def test_nul_is_a_character_like_others(tmp_path: Path) -> None:
    path = written(tmp_path, "a.jsonl", json.dumps({"text": "a\0b"}).encode() + b"\n")
    assert open_rows(path).texts([0]).to_pylist() == ["a\0b"]
    path = written(tmp_path, "a.csv", b"text\na\0b\n")
    assert open_rows(path).texts([0]).to_pylist() == ["a\0b"]
