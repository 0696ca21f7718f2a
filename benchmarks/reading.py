"""The column of texts of files of rows, against DuckDB, pyarrow and `wc` on the same files.

CPU seconds of all threads, files warm. DuckDB comes with the extra ``bench``.
"""

from __future__ import annotations

import csv
import json
import tempfile
from collections.abc import Callable
from functools import partial
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv
import pyarrow.json
import pyarrow.parquet as pq

from benchmarks import corpus, timing
from benchmarks.rows import Row, WrongAnswerError
from ilk.read.rows.opening import open_rows

#: The longest line that a reader of JSON lines must expect.
_BLOCK = 1 << 26

#: One in this many rows is kept, or read again.
_EVERY = 2
_SOME = 100

#: How DuckDB reads a file. Of CSV with line ends in fields it reads parts at once only by guessing
#: where rows begin, and guesses wrong here.
_QUERIES = {
    "jsonl": "read_json('{}', columns={{text: 'VARCHAR'}}, format='newline_delimited')",
    "csv": "read_csv('{}', columns={{id: 'BIGINT', text: 'VARCHAR'}}, header=true, "
    "auto_detect=false, parallel=false, quote='\"', escape='\"')",
    "parquet": "'{}'",
}


def run() -> list[Row]:
    """MB of text per CPU second, of every format."""
    texts = corpus.load()
    rows: list[Row] = []
    with tempfile.TemporaryDirectory() as folder:
        for kind, write in _WRITERS.items():
            path = Path(folder, f"texts.{kind}")
            write(texts.texts, path)
            rows += _read(texts, kind, path)
            rows += _again(texts, kind, path)
            path.unlink()
    return rows


def _write_lines(texts: pa.Array, path: Path) -> None:
    with path.open("w", encoding="utf-8") as out:
        for row, text in enumerate(texts.to_pylist()):
            out.write(json.dumps({"id": row, "text": text}, ensure_ascii=False) + "\n")


def _write_csv(texts: pa.Array, path: Path) -> None:
    with path.open("w", encoding="utf-8", newline="") as out:
        writer = csv.writer(out, quoting=csv.QUOTE_NONNUMERIC)
        writer.writerow(["id", "text"])
        writer.writerows(enumerate(texts.to_pylist()))


def _write_parquet(texts: pa.Array, path: Path) -> None:
    pq.write_table(pa.table({"id": range(len(texts)), "text": texts}), path, compression="zstd")


_WRITERS = {"jsonl": _write_lines, "csv": _write_csv, "parquet": _write_parquet}


def _read(texts: corpus.Corpus, kind: str, path: Path) -> list[Row]:
    """All texts once."""
    size = pc.sum(pc.binary_length(texts.texts)).as_py()
    ways: dict[str, Callable[[], int]] = {
        "ilk": lambda: _bytes_by_ilk(path),
        "pyarrow": lambda: _bytes_by_pyarrow(kind, path),
    }
    if find_spec("duckdb"):
        ways["DuckDB"] = lambda: _bytes_by_duckdb(kind, path)
    tasks = {name: _checked(name, way, size) for name, way in ways.items()}
    if kind != "parquet":
        for option in ("-l", "-w"):
            tasks[f"`wc {option}`"] = partial(_counted_by_wc, option, path)
    seconds = timing.medians(tasks)
    speed = {name: texts.megabytes / cost for name, cost in seconds.items()}
    targets = {"DuckDB": ">= 1 x"}
    return [
        Row(
            f"reading: {kind}, {texts.name}",
            speed["ilk"],
            "MB/CPU-s",
            speed["ilk"] / speed[name],
            name,
            targets.get(name, ""),
        )
        for name in speed
        if name != "ilk"
    ]


def _counted_by_wc(option: str, path: Path) -> float:
    return timing.command(["wc", option, path]).cpu


def _checked(name: str, way: Callable[[], int], size: int) -> Callable[[], float]:
    def task() -> None:
        if found := way() - size:
            raise WrongAnswerError(f"{name} read {found:+,} bytes of text more than there are.")

    return lambda: timing.cpu(task)


def _bytes_by_ilk(path: Path) -> int:
    lengths = (pc.sum(pc.binary_length(b["text"])).as_py() for b in open_rows(path).batches())
    return sum(lengths)


def _bytes_by_duckdb(kind: str, path: Path) -> int:
    source = _QUERIES[kind].format(path)
    query = f"select sum(strlen(text)) from {source}"
    return int(import_module("duckdb").sql(query).fetchall()[0][0])


def _bytes_by_pyarrow(kind: str, path: Path) -> int:
    texts: Any
    if kind == "jsonl":
        schema = pa.schema([("text", pa.large_string())])
        told = pyarrow.json.ParseOptions(explicit_schema=schema, unexpected_field_behavior="ignore")
        read = pyarrow.json.ReadOptions(use_threads=False, block_size=_BLOCK)
        texts = pyarrow.json.read_json(path, read, told)["text"]
    elif kind == "csv":
        texts = pyarrow.csv.read_csv(
            path,
            pyarrow.csv.ReadOptions(use_threads=False),
            pyarrow.csv.ParseOptions(newlines_in_values=True),
            pyarrow.csv.ConvertOptions(include_columns=["text"]),
        )["text"]
    else:
        texts = pq.read_table(path, columns=["text"], use_threads=False)["text"]
    return int(pc.sum(pc.binary_length(texts)).as_py())


def _again(texts: corpus.Corpus, kind: str, path: Path) -> list[Row]:
    """Some texts read again, and some rows written, once all have been read."""
    data_set = open_rows(path)
    count = data_set.count_rows()
    some, kept = pa.array(range(0, count, _SOME)), pa.array(range(0, count, _EVERY))
    out = path.with_stem("kept")
    seconds = timing.medians(
        {
            "read": lambda: timing.cpu(lambda: _bytes_by_ilk(path)),
            "again": lambda: timing.cpu(lambda: data_set.texts(some)),
            "write": lambda: timing.cpu(lambda: data_set.write(kept, out, force=True)),
        }
    )
    out.unlink()
    title, all_of_them = f"reading: {kind}, {texts.name}", "reading all texts"
    return [
        Row(
            f"{title}: {name}", seconds[task], "CPU-s", seconds[task] / seconds["read"], all_of_them
        )
        for task, name in (
            ("again", f"one text of {_SOME} again"),
            ("write", f"one row of {_EVERY} written"),
        )
    ]
