"""Results with the names people know, and files that appear whole or not at all."""

from __future__ import annotations

import contextlib
import csv
import io
import json
import os
import stat
import subprocess
import sys
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet
import pytest

import ilk
from ilk import write
from ilk.base.errors import OutputError
from ilk.write import results

LONG = " ".join(f"word{number}" for number in range(60))

TABLE = pa.table(
    {
        "text": [LONG + " more", "a b c d", LONG, "A  b c d", "a b c d", None, LONG.upper() + "."],
        "id": ["l1", "s1", "l2", "s2", "s3", None, "l3"],
    }
)


@pytest.fixture(scope="module")
def found() -> ilk.SearchResult:
    return ilk.find(TABLE)


def test_a_cluster_is_a_record_with_its_members(found: ilk.SearchResult) -> None:
    """DESIGN's shape: ids from 0 in source order, the keeper among its members."""
    named = write.clusters_with_sources(found.documents, found.clusters)
    first, second = write.cluster_records(named)
    assert list(first) == ["family", "cluster", "kind", "keeper", "also_like", "members"]
    assert list(first.values())[:5] == [0, 0, "near", "#0", None]
    assert list(second.values())[:5] == [1, 1, "exact", "#1", None]
    keeper = {
        "source": "#0",
        "id": "l1",
        "verdict": "identical",
        "distance": 0,
        "resemblance": 1.0,
        "contained_in_keeper": 1.0,
        "contains_keeper": 1.0,
    }
    assert first["members"][0] == keeper
    assert [member["source"] for member in first["members"]] == ["#0", "#2", "#6"]
    assert first["members"][1]["resemblance"] == 58 / 59
    assert first["members"][1]["contained_in_keeper"] == 1.0
    assert first["members"][1]["contains_keeper"] == 58 / 59
    assert [member["id"] for member in second["members"]] == ["s1", "s2", "s3"]


def test_a_cluster_is_as_alike_as_its_least_alike_member() -> None:
    for texts, kind in (
        (["a b c", "a b c"], "identical"),
        (["a b c", "a b c", "A b c"], "exact"),
        (["a b c d e f g", "a b c d e f g", "a b c d e f g!"], "near"),
        ([f"{LONG} {LONG} 7", f"{LONG} {LONG} 7", f"{LONG} {LONG} 8"], "numbers_only"),
    ):
        found = ilk.find(texts)
        named = write.clusters_with_sources(found.documents, found.clusters)
        assert [record["kind"] for record in write.cluster_records(named)] == [kind]


def test_members_without_an_id_have_no_such_field() -> None:
    found = ilk.find(["a b c", "a b c"])
    (record,) = write.cluster_records(write.clusters_with_sources(found.documents, found.clusters))
    assert [sorted(member) for member in record["members"]] == [
        ["contained_in_keeper", "contains_keeper", "distance", "resemblance", "source", "verdict"]
    ] * 2


def test_rows_are_sorted_by_their_numbers() -> None:
    found = ilk.find(["a b c"] * 12)
    named = write.clusters_with_sources(found.documents, found.clusters)
    assert named["source"].to_pylist() == [f"#{row}" for row in range(12)]


#: A family of two, one of four in two clusters, and one of three.
_FAMILIES = pa.table(
    {
        "text": [
            "one two three four",
            *(" ".join(f"w{n}" for n in range(at, at + 120)) for at in (0, 10, 20)),
            *["seven eight nine ten"] * 3,
            " ".join(f"w{n}" for n in range(120)),
            "one two three four",
        ]
    }
)


def test_families_stand_in_the_order_that_was_asked_for() -> None:
    found = ilk.find(_FAMILIES)
    documents = found.documents
    names = pa.array([f"{name}.txt" for name in ("z", "a10", "b", "c", "a9", "d", "e", "f", "g")])
    at = documents.schema.get_field_index("source")
    documents = documents.set_column(at, "source", names)

    def order(**options: Any) -> list[tuple[int, int]]:
        named = write.clusters_with_sources(documents, found.clusters, **options)
        records = write.cluster_records(named)
        return [(record["family"], record["cluster"]) for record in records]

    assert order() == [(0, 0), (1, 1), (1, 2), (2, 3)]
    assert order(sort="size") == [(1, 1), (1, 2), (2, 3), (0, 0)]
    assert order(sort="name") == [(2, 3), (1, 1), (1, 2), (0, 0)]
    assert order(sort="size", top=2) == [(1, 1), (1, 2), (2, 3)]
    assert order(top=0) == []
    named = write.clusters_with_sources(documents, found.clusters)
    alone = [row for row in write.cluster_records(named) if row["cluster"] == 2]
    assert alone[0]["also_like"] == {"source": "b.txt", "resemblance": 108 / 128}
    assert [(row["kind"], len(row["members"])) for row in alone] == [("numbers_only", 1)]


def test_a_pair_is_a_record_with_sources(found: ilk.SearchResult) -> None:
    records = list(write.plain_rows(write.pairs_with_sources(found.documents, found.pairs)))
    assert list(records[0]) == [
        "left",
        "right",
        "distance",
        "resemblance",
        "containment_left",
        "containment_right",
        "verdict",
    ]
    assert [(r["left"], r["right"], r["verdict"]) for r in records] == [
        ("#0", "#2", "near"),
        ("#0", "#6", "near"),
        ("#1", "#3", "exact"),
        ("#1", "#4", "identical"),
        ("#2", "#6", "near"),
        ("#3", "#4", "exact"),
    ]


def test_lines_of_json_are_utf_8_and_hold_any_name() -> None:
    out = io.BytesIO()
    rows: list[dict[str, Any]] = [{"source": "漢\n\u2028😀"}, {"source": "\udcff", "number": 0.1}]
    write.write_jsonl(iter(rows), out)
    lines = out.getvalue().decode().split("\n")
    assert len(lines) == 3
    assert lines[2] == ""
    assert json.loads(lines[0]) == rows[0]
    assert "漢" in lines[0]


def test_comma_separated_values_are_read_back(found: ilk.SearchResult) -> None:
    named = write.clusters_with_sources(found.documents, found.clusters)
    at = named.column_names.index("source")
    odd = pa.array([f'a,"{row}"\n;é' for row in range(len(named))])
    named = named.set_column(at, "source", odd)
    out = io.BytesIO()
    write.write_csv(named, out)
    options = pyarrow.csv.ParseOptions(newlines_in_values=True)
    read = pyarrow.csv.read_csv(io.BytesIO(out.getvalue()), parse_options=options)
    assert read.column_names == named.column_names
    assert read.to_pylist() == named.to_pylist()


def test_parquet_is_read_back_and_carries_the_report(found: ilk.SearchResult) -> None:
    named = write.pairs_with_sources(found.documents, found.pairs)
    out = io.BytesIO()
    write.write_parquet(named, out, found.report)
    read = pyarrow.parquet.read_table(io.BytesIO(out.getvalue()))
    assert read.equals(named.cast(read.schema))
    assert json.loads(read.schema.metadata[b"ilk.report"]) == found.report


def _left(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


class _CountedWrites(io.BytesIO):
    """Bytes in memory, and how many times some were written."""

    def __init__(self) -> None:
        super().__init__()
        self.count = 0

    def write(self, content: Any, /) -> int:
        self.count += 1
        return super().write(content)


def test_parquet_is_written_in_few_large_pieces_and_its_file_stays_open() -> None:
    rows = pa.table({"number": pa.arange(0, 300_000), "text": map(str, range(300_000))})
    for source in (rows, rows.to_reader(max_chunksize=50_000)):
        out = _CountedWrites()
        write.write_parquet(source, out, {})
        size = out.tell()  # An error if the file were closed.
        assert out.count <= 2 + size // 500_000
        assert pyarrow.parquet.read_table(io.BytesIO(out.getvalue())).equals(rows)


def test_a_file_that_takes_no_more_of_parquet_is_an_error() -> None:
    class Full(io.BytesIO):
        def write(self, _content: Any, /) -> int:
            raise OSError(28, "No space left on device")

    with pytest.raises(OSError, match="No space left"):
        write.write_parquet(pa.table({"number": pa.arange(0, 9)}), Full(), {})


def test_a_file_takes_its_name_when_it_is_whole(tmp_path: Path) -> None:
    path = tmp_path / "out.jsonl"
    path.write_text("before")
    with write.whole_file(path) as out:
        out.write(b"after")
        out.flush()
        assert path.read_text() == "before"
    assert path.read_text() == "after"
    assert _left(tmp_path) == ["out.jsonl"]


def test_a_new_file_has_the_rights_that_others_have(tmp_path: Path) -> None:
    before = os.umask(0o027)
    try:
        with write.whole_file(tmp_path / "out") as out:
            out.write(b"x")
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "out").stat().st_mode) == 0o640


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt, SystemExit])
def test_an_error_leaves_what_stood_there(tmp_path: Path, error: type[BaseException]) -> None:
    path = tmp_path / "out"
    path.write_text("before")

    def fail() -> None:
        with write.whole_file(path) as out:
            out.write(b"half")
            raise error

    with pytest.raises(error):
        fail()
    assert path.read_text() == "before"
    assert _left(tmp_path) == ["out"]


def test_a_missing_folder_is_an_error_with_the_path(tmp_path: Path) -> None:
    path = tmp_path / "missing" / "out"
    with pytest.raises(OutputError, match="No such file") as refused, write.whole_file(path):
        pytest.fail("nothing can be written there")
    assert str(path) in str(refused.value)


def test_a_folder_is_not_replaced(tmp_path: Path) -> None:
    path = tmp_path / "folder"
    path.mkdir()
    with pytest.raises(OutputError, match="cannot write"), write.whole_file(path) as out:
        out.write(b"x")
    assert path.is_dir()
    assert _left(tmp_path) == ["folder"]


def test_what_is_no_file_is_not_replaced_by_one(tmp_path: Path) -> None:
    """`-o /dev/null` must never put a file in the place of a device; a pipe stands for it here."""
    path = tmp_path / "pipe"
    os.mkfifo(path)
    reader = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    try:
        with contextlib.suppress(OutputError), write.whole_file(path) as out:
            out.write(b"x")
        assert stat.S_ISFIFO(path.stat().st_mode)
        assert _left(tmp_path) == ["pipe"]
    finally:
        os.close(reader)


def test_a_full_disk_leaves_what_stood_there(tmp_path: Path) -> None:
    """A limit on the size of files stands for the disk."""
    path = tmp_path / "out"
    path.write_text("before")
    program = f"""
import resource, signal
from pathlib import Path
from ilk import write as writers
from ilk.base.errors import OutputError
from ilk.write import results
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (10_000, 10_000))
try:
    with writers.whole_file(Path({str(path)!r})) as out:
        out.write(b"x" * 100_000)
except OutputError as error:
    print(error)
"""
    child = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert child.stderr == ""
    assert "File too large" in child.stdout
    assert str(path) in child.stdout
    assert path.read_text() == "before"
    assert _left(tmp_path) == ["out"]


def test_no_text_in_comma_separated_values_is_a_formula() -> None:
    texts = [
        "=1+1",
        "+A1",
        "-A1",
        "@SUM(1)",
        "\t=1",
        "\r=1",
        "＝1",
        "a=1",
        "-1.5",
        "+7",
        "-",
        "",
        None,
    ]
    safe = [f"'{text}" for text in texts[:7]] + ["a=1", "-1.5", "+7", "'-", "", None]
    named = {"source": pa.array(texts), "kind": pa.array(texts).dictionary_encode()}
    table = pa.table({**named, "number": pa.array(range(-6, len(texts) - 6))})
    out = io.BytesIO()
    write.write_csv(table, out)
    rows = [*csv.reader(io.StringIO(out.getvalue().decode(), newline=""))]
    assert [row[0] or None for row in rows[1:]] == [text or None for text in safe]
    assert [row[1] for row in rows[1:]] == [row[0] for row in rows[1:]]
    assert [int(row[2]) for row in rows[1:]] == table["number"].to_pylist()


def test_lines_in_a_list_are_written_once() -> None:
    out = io.BytesIO()
    results.write_lines(["a", "b"], out)
    assert out.getvalue() == b"a\nb\n"
