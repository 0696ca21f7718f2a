"""Kept rows in Parquet: written with all that the file says of itself."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from ilk.base.errors import OptionError, SourceDamaged
from ilk.read import Reading
from ilk.read.rows.opening import open_rows, open_table_or_scan
from tests.support.rows import ROWS


def parquet_of_all_kinds(path: Path) -> pa.Table:
    """A file with nested columns, metadata, groups of rows and several compressions."""
    schema = pa.schema(
        [
            pa.field("text", pa.string(), metadata={"unit": "words"}),
            pa.field("id", pa.int64(), nullable=False),
            pa.field("meta", pa.struct([("url", pa.string()), ("tags", pa.list_(pa.string()))])),
            pa.field("when", pa.timestamp("ns", tz="Europe/Paris")),
            pa.field("price", pa.decimal128(9, 2)),
            pa.field("kind", pa.dictionary(pa.int8(), pa.string())),
            pa.field("map", pa.map_(pa.string(), pa.int32())),
            pa.field("bytes", pa.binary(3)),
        ],
        metadata={"origin": "a test"},
    )
    rows = [
        {
            "text": None if row % 5 == 4 else f"text {row}",
            "id": row,
            "meta": None if row % 7 == 6 else {"url": f"https://{row}", "tags": ["a", None]},
            "when": row * 10**9,
            "price": None,
            "kind": "even" if row % 2 == 0 else "odd",
            "map": [("key", row)],
            "bytes": b"abc",
        }
        for row in range(100)
    ]
    table = pa.Table.from_pylist(rows, schema=schema)
    pq.write_table(
        table,
        path,
        row_group_size=30,
        compression={"text": "gzip", "id": "none"},
        use_dictionary=["kind"],
    )
    return table


@pytest.mark.parametrize("kept", [[], [0], [29, 30], list(range(0, 100, 3)), list(range(100))])
def test_parquet_keeps_all_that_it_says_of_itself(kept: list[int], tmp_path: Path) -> None:
    source, out = tmp_path / "in.parquet", tmp_path / "out.parquet"
    parquet_of_all_kinds(source)
    data_set = open_rows(source)
    assert data_set.write(kept, out) == len(kept)
    before, after = pq.ParquetFile(source), pq.ParquetFile(out)
    assert after.read().equals(before.read().take(pa.array(kept, pa.int64())), check_metadata=True)
    assert after.schema_arrow.equals(before.schema_arrow, check_metadata=True)
    assert after.schema.equals(before.schema)
    groups = [after.metadata.row_group(at) for at in range(after.num_row_groups)]
    sizes = [group.num_rows for group in groups]
    assert sizes == [30] * (len(kept) // 30) + ([len(kept) % 30] if len(kept) % 30 else [])
    first = before.metadata.row_group(0)
    for group in groups:
        for at in range(group.num_columns):
            assert group.column(at).compression == first.column(at).compression


def test_parquet_is_read_back_as_texts_with_their_rows(tmp_path: Path) -> None:
    table = parquet_of_all_kinds(tmp_path / "in.parquet")
    data_set = open_rows(tmp_path / "in.parquet", Reading.of(text=["text", "meta.url"]))
    urls = [row and row["url"] for row in table["meta"].to_pylist()]
    pieces = zip(table["text"].to_pylist(), urls, strict=True)
    expected = ["\n\n".join(filter(None, both)) or None for both in pieces]
    assert data_set.texts(range(100)).to_pylist() == expected
    assert data_set.read_column("meta.url").to_pylist() == urls
    assert data_set.read_column("when").type == table["when"].type
    assert data_set.counts.null == expected.count(None) == 2


def test_a_table_is_written_as_parquet(tmp_path: Path) -> None:
    table = pa.Table.from_pylist(ROWS).replace_schema_metadata({"origin": "memory"})
    out = tmp_path / "out.parquet"
    assert open_table_or_scan(table).write([1, 2], out) == 2
    assert pq.read_table(out).equals(table.slice(1, 2), check_metadata=True)
    for name in ("out.jsonl", "out.csv", "out.parquet.gz", "folder/"):
        with pytest.raises(OptionError, match="name"):
            open_table_or_scan(table).write([1], str(tmp_path / name))


def test_a_column_that_is_damaged_is_told_when_it_is_needed(tmp_path: Path) -> None:
    """The texts can be read; the rows as a whole cannot, and no part of them is written."""
    path = tmp_path / "a.parquet"
    table = pa.table({"text": ["a", "b"], "other": ["x" * 1000, "y" * 1000]})
    pq.write_table(table, path, use_dictionary=False)
    chunk = pq.ParquetFile(path).metadata.row_group(0).column(1)
    content = bytearray(path.read_bytes())
    begin = chunk.data_page_offset
    content[begin : begin + chunk.total_compressed_size] = b"\xff" * chunk.total_compressed_size
    path.write_bytes(content)
    data_set = open_rows(path)
    assert data_set.texts([0, 1]).to_pylist() == ["a", "b"]
    with pytest.raises(SourceDamaged, match="a.parquet is damaged"):
        data_set.write([0], tmp_path / "out.parquet")
    assert not (tmp_path / "out.parquet").exists()


def test_strings_that_are_no_unicode_are_read_as_in_other_rows(tmp_path: Path) -> None:
    """Parquet does not check what it calls a string; the rows themselves stay as they are."""

    def strings(values: list[bytes | None]) -> pa.Array:
        return pa.Array.from_buffers(pa.string(), 3, pa.array(values, pa.binary()).buffers())

    path, out = tmp_path / "a.parquet", tmp_path / "b.parquet"
    table = pa.table(
        {
            "text": strings([b"plain", b"odd \xff here", None]),
            "id": strings([b"a", b"b", b"c\xfe"]),
            "url": strings([b"\xc3", None, "é".encode()]),
        }
    )
    pq.write_table(table, path)
    data_set = open_rows(path)
    assert data_set.texts(range(3)).to_pylist() == ["plain", "odd \ufffd here", None]
    assert data_set.read_column("id").to_pylist() == ["a", "b", "c\ufffd"]
    assert data_set.read_column("url").to_pylist() == ["\ufffd", None, "é"]
    ids = [name for batch in data_set.batches() for name in batch["id"].to_pylist()]
    assert ids == ["a", "b", "c\ufffd"]
    assert data_set.counts.replaced == 1
    assert data_set.write([0, 1, 2], out) == 3
    assert pq.read_table(out).equals(table)


def test_a_footer_that_contradicts_itself_is_damage(tmp_path: Path) -> None:
    """Arrow's view of a column in such a footer would end the process."""
    path = tmp_path / "a.parquet"
    pq.write_table(pa.table({"text": ["a", "b"]}), path)
    content = path.read_bytes()
    # The column is optional, and says so behind 0x25; its sizes have levels of an optional one.
    optional = b"\x25\x02\x18\x04text"
    assert optional in content
    path.write_bytes(content.replace(optional, b"\x25\x00\x18\x04text"))
    data_set = open_rows(path)
    assert data_set.count_rows() == 0
    (failure,) = data_set.counts_and_failures_reading_if_unread()["failures"]
    assert "is damaged after 0 rows" in failure["reason"]
    with pytest.raises(SourceDamaged, match=r"a\.parquet is damaged"):
        data_set.write([], tmp_path / "b.parquet")
