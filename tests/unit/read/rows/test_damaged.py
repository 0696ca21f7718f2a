"""Files of rows that are cut off, damaged, or compressed in odd ways."""

from __future__ import annotations

import bz2
import gzip
import lzma
import os
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from ilk.read.rows import streams
from ilk.read.rows.opening import open_rows
from tests.support.rows import as_csv, as_json_lines, as_zstandard, documents

#: A mebibyte that no compression makes small.
_NOISE = os.urandom(1 << 19).hex()


def written(tmp_path: Path, name: str, content: bytes) -> Path:
    path = tmp_path / name
    path.write_bytes(content)
    return path


@pytest.mark.parametrize("kind", ["jsonl", "csv"])
@pytest.mark.parametrize("codec", ["gz", "zst", "bz2", "xz"])
@pytest.mark.parametrize("share", [0.2, 0.5, 0.97])
def test_rows_before_the_end_of_a_cut_off_file_are_kept(
    kind: str, codec: str, share: float, tmp_path: Path
) -> None:
    rows = [{"text": _NOISE[at : at + 1000], "id": str(at)} for at in range(0, 1 << 20, 1000)]
    write = as_json_lines if kind == "jsonl" else partial(as_csv, lineterminator="\n")
    content = write(rows)
    packers: dict[str, Callable[[bytes], bytes]] = {
        "gz": partial(gzip.compress, compresslevel=1),
        "zst": as_zstandard,
        "bz2": partial(bz2.compress, compresslevel=1),
        "xz": partial(lzma.compress, preset=0),
    }
    whole = packers[codec](content)
    path = written(tmp_path, f"a.{kind}.{codec}", whole[: int(share * len(whole))])
    data_set = open_rows(path)
    kept = data_set.count_rows()
    assert data_set.texts(range(kept)).to_pylist() == [row["text"] for row in rows[:kept]]
    assert 0.9 * share - 0.15 < kept / len(rows) < share + 0.03
    (failure,) = data_set.counts_and_failures_reading_if_unread()["failures"]
    assert failure["source"] == str(path)
    assert failure["reason"].startswith("is damaged after ")
    # What is left of a row is rejected, and lies behind the last one that can be read.
    cut = list(data_set.read_rejected_rows())
    assert len(cut) == data_set.counts.rejected <= 1
    rest = content[len(write(rows[:kept])) :]
    for row in cut:
        assert row.reason == "is cut off where the file is damaged"
        assert rest.startswith(row.data)
        assert row.at == kept + (1 if kind == "jsonl" else 2)
    out = tmp_path / f"b.{kind}"
    assert data_set.write(range(kept), out) == kept
    assert content.startswith(out.read_bytes())


def test_gzip_is_read_the_same_without_isal(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Which is an extra; whole and cut off."""
    whole = gzip.compress(as_json_lines([{"text": _NOISE[at : at + 1000]} for at in range(500)]))
    for content in (whole, whole[:-4], whole[: len(whole) // 2], whole + b"trailing", whole[:9]):
        path = written(tmp_path, "a.jsonl.gz", content)
        told = []
        for library in ("isal", None):
            monkeypatch.setattr(streams, "find_spec", lambda _, found=library: found)
            data_set = open_rows(path)
            rejected = [row.data for row in data_set.read_rejected_rows()]
            told.append(
                (documents(data_set), rejected, data_set.counts, bool(data_set.sources[0].failure))
            )
        assert told[0] == told[1]


def test_gzip_in_several_members_is_read_to_its_end(tmp_path: Path) -> None:
    members = [
        gzip.compress(b'{"text": "a"}\n{"te'),
        gzip.compress(b'xt": "b"}\n'),
        gzip.compress(b""),
    ]
    data_set = open_rows(written(tmp_path, "a.jsonl.gz", b"".join(members)))
    assert data_set.count_rows() == 2
    assert data_set.texts([0, 1]).to_pylist() == ["a", "b"]
    assert data_set.counts_and_failures_reading_if_unread()["failures"] == []


@pytest.mark.parametrize("name", ["a.jsonl.gz", "a.jsonl.zst"])
def test_a_file_that_is_not_what_its_name_says_is_told(name: str, tmp_path: Path) -> None:
    data_set = open_rows(written(tmp_path, name, b'{"text": "a"}\n'))
    assert data_set.count_rows() == 0
    (failure,) = data_set.counts_and_failures_reading_if_unread()["failures"]
    assert "is damaged after 0 bytes" in failure["reason"]


def test_rows_that_a_group_of_parquet_announces_and_lacks_are_told(tmp_path: Path) -> None:
    """A page that says it holds none, which pyarrow takes for the end of the group."""
    out = pa.BufferOutputStream()
    table = pa.table({"text": ["first", "second", "third"]})
    pq.write_table(table, out, row_group_size=1, use_dictionary=False, compression="none")
    content = bytearray(out.getvalue().to_pybytes())
    page = pq.ParquetFile(pa.BufferReader(bytes(content))).metadata.row_group(1).column(0)
    # The header of the page, in compact Thrift: the number of values stands behind 0x15.
    at = content.index(b"\x15\x02", content.index(b"\x2c", page.data_page_offset))
    content[at + 1] = 0
    path = written(tmp_path, "a.parquet", bytes(content))
    data_set = open_rows(path)
    assert data_set.count_rows() == 1
    assert data_set.texts([0]).to_pylist() == ["first"]
    (failure,) = data_set.counts_and_failures_reading_if_unread()["failures"]
    assert failure["reason"].startswith("is damaged after 1 rows")
