"""Rows of data sets against what others say of them: json, csv, and the rows they were made of."""

from __future__ import annotations

import csv
import gzip
import io
import json
import math
import tempfile
from itertools import pairwise
from pathlib import Path
from typing import Any, Literal

import pyarrow as pa
from hypothesis import assume, given
from hypothesis import strategies as st

from ilk import _kernels
from ilk.base.errors import IlkError, SourceDamaged
from ilk.read.rows.dataset import DataSet
from ilk.read.rows.delimited import RowCut
from ilk.read.rows.opening import open_rows, open_table_or_scan
from tests.support import strategies
from tests.support.fixtures import examples
from tests.support.rows import ROWS, as_csv, as_json_lines, as_parquet, as_zstandard

#: Any string of Python's, lone surrogates among them.
_strings = st.one_of(strategies.texts, st.text(st.characters(), max_size=20))
_keys = st.one_of(st.sampled_from(["text", "id", "a", "a.b", "b", ""]), _strings)
_numbers = st.one_of(st.integers(), st.floats(allow_nan=False, allow_infinity=False))
_values = st.recursive(
    st.one_of(st.none(), st.booleans(), _numbers, _strings),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(_keys, inner, max_size=3)),
    max_leaves=8,
)
_objects = st.dictionaries(_keys, _values, max_size=5)
_paths = st.sampled_from(["text", "a", "a.b", "a.b.b", "id", "b"])


def opened(content: bytes, name: str, **options: Any) -> tuple[DataSet, list[dict[str, Any]]]:
    """A data set of one file, and its documents; the file may vanish, it is read here."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, name)
        path.write_bytes(content)
        data_set = open_rows(path, **options)
        return data_set, [row for batch in data_set.batches() for row in batch.to_pylist()]


def at(value: Any, path: str) -> Any:
    """The value at a path by definition: of the keys that it begins with the longest counts."""
    if not isinstance(value, dict):
        return None
    keys = [key for key in value if path == key or path.startswith(key + ".")]
    if not keys:
        return None
    key = max(keys, key=len)
    return value[key] if key == path else at(value[key], path[len(key) + 1 :])


def unicode(text: str) -> str:
    """A text with U+FFFD for every lone surrogate."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def lines_of(objects: list[dict[str, Any]], escaped: bool) -> bytes:
    """JSON lines; a lone surrogate is written as an escape, since UTF-8 has none."""
    lines = [json.dumps(one, ensure_ascii=escaped) for one in objects]
    return "".join(line + "\n" for line in lines).encode("utf-8", "backslashreplace")


@given(st.lists(_objects, min_size=1, max_size=5), st.booleans(), _paths, _paths)
def test_a_line_holds_what_json_says(
    objects: list[dict[str, Any]], escaped: bool, text: str, row_id: str
) -> None:
    """Whatever else stands in it; numbers and truth values are ids as they are spelled."""
    piece = pa.array(memoryview(lines_of(objects, escaped)).tolist(), pa.uint8())
    fields = _kernels.JsonFields(texts=[text], id=row_id)
    cut = RowCut(*_kernels.read_json_rows(piece, True, fields, None))
    texts, ids = (column.view(pa.large_string()).to_pylist() for column in (cut.texts, cut.ids))
    for one, got_text, got_id in zip(objects, texts, ids, strict=True):
        wanted, spelled = at(one, text), at(one, row_id)
        assert got_text == (unicode(wanted) if isinstance(wanted, str) else None)
        if isinstance(spelled, str):
            assert got_id == unicode(spelled)
        elif spelled is None:
            assert got_id is None
        else:
            assert json.loads(got_id) == json.loads(json.dumps(spelled))


@given(st.text(st.sampled_from('{}[]",:\\ u0dce8tnrafl-+.1e\t\n\x00é\ud800'), max_size=30))
def test_a_line_is_rejected_if_and_only_if_json_rejects_it(text: str) -> None:
    """But for NaN and infinities, which Python's reader takes and RFC 8259 does not."""
    line = text.replace("\n", " ").encode("utf-8", "surrogatepass")
    if not line.strip():
        return
    piece = pa.array(list(line), pa.uint8())
    fields = _kernels.JsonFields(texts=["text"], id="id")
    bad = RowCut(*_kernels.read_json_rows(piece, True, fields, None)).bad
    decoded = line.decode("utf-8", "replace")
    try:
        value = json.loads(decoded, parse_constant=lambda _: math.nan)
    except (json.JSONDecodeError, RecursionError):
        value = None
    assert (not len(bad[0])) == isinstance(value, dict)


@given(st.data())
def test_kept_lines_are_the_bytes_that_were_read(data: st.DataObject) -> None:
    """Among malformed and blank ones, with ends of either kind and without one."""
    good = st.builds(lambda one: lines_of([one], True).strip(), _objects)
    odd = st.sampled_from([b"", b" \t", b"{", b"[]", b'{"a":1}}', b"\xff", b"null"])
    lines = data.draw(st.lists(st.tuples(st.one_of(good, odd), st.sampled_from([b"\n", b"\r\n"]))))
    content = b"".join(map(b"".join, lines))
    assume(not content.lstrip().startswith(b"["))  # That would be an array.
    end = data.draw(st.sampled_from([b"\n", b""]))
    with tempfile.TemporaryDirectory() as folder:
        path, out = Path(folder, "a.jsonl"), Path(folder, "b.jsonl")
        path.write_bytes(content + b'{"text": "one there must be"}' + end)
        data_set = open_rows(path)
        total = data_set.count_rows()
        kept = data.draw(st.lists(st.booleans(), min_size=total, max_size=total))
        assert data_set.write(kept, out) == sum(kept)
        read = [line for line in io.BytesIO(path.read_bytes()) if line.strip()]
        whole = [line for line in read if _sound(line)]
        assert out.read_bytes() == b"".join(
            line for line, keep in zip(whole, kept, strict=True) if keep
        )
        rejected = [row.data for row in data_set.read_rejected_rows()]
        assert rejected == [line for line in read if not _sound(line)]


def _sound(line: bytes) -> bool:
    try:
        return isinstance(json.loads(line.decode("utf-8", "replace")), dict)
    except json.JSONDecodeError:
        return False


_fields = st.text(
    st.one_of(st.sampled_from("\",;\t\n\r '\\"), st.characters(exclude_categories=["Cs"])),
    max_size=12,
)
_delimiters = st.sampled_from([",", ";", "\t"])
#: With an end of "\n", the csv module of Python 3.11 leaves a bare "\r" unquoted where it may.
_ends = st.sampled_from(
    [("\n", csv.QUOTE_ALL), ("\n", csv.QUOTE_NONNUMERIC), ("\r\n", csv.QUOTE_MINIMAL)]
)


@given(st.data(), st.integers(2, 4), _delimiters, _ends)
def test_csv_holds_what_its_writer_was_given(
    data: st.DataObject, width: int, delimiter: str, end: tuple[str, Literal[0, 1, 2]]
) -> None:
    """Line ends in fields among it; and kept rows are the bytes that were read."""
    row = st.lists(_fields, min_size=width, max_size=width)
    rows = data.draw(st.lists(row, min_size=1, max_size=8))
    out = io.StringIO(newline="")
    writer = csv.writer(out, delimiter=delimiter, lineterminator=end[0], quoting=end[1])
    ends = []
    for values in [["text", "id", "c", "d"][:width], *rows]:
        writer.writerow(values)
        ends.append(len(out.getvalue().encode()))
    content = out.getvalue().encode()
    with tempfile.TemporaryDirectory() as folder:
        path, kept_path = Path(folder, "a.csv"), Path(folder, "b.csv")
        path.write_bytes(content)
        data_set = open_rows(path)
        found = [row for batch in data_set.batches() for row in batch.to_pylist()]
        assert [[row["text"], row["id"]] for row in found] == [values[:2] for values in rows]
        assert data_set.counts.rejected == 0
        kept = data.draw(st.lists(st.booleans(), min_size=len(rows), max_size=len(rows)))
        data_set.write(kept, kept_path)
        pieces = [content[begin:end] for begin, end in pairwise(ends)]
        chosen = [piece for piece, keep in zip(pieces, kept, strict=True) if keep]
        assert kept_path.read_bytes() == content[: ends[0]] + b"".join(chosen)


def _compressed(content: bytes, codec: str) -> bytes:
    return gzip.compress(content, 1) if codec == ".gz" else as_zstandard(content)


#: Files that are sound, by name.
_SOUND = {
    "a.jsonl": as_json_lines(ROWS),
    "a.csv": as_csv(ROWS),
    "a.parquet": as_parquet(ROWS),
    **{f"a.jsonl{codec}": _compressed(as_json_lines(ROWS), codec) for codec in (".gz", ".zst")},
    **{f"a.csv{codec}": _compressed(as_csv(ROWS), codec) for codec in (".gz", ".zst")},
}


#: Where the footer of that file begins: its length stands before the last four bytes.
_FOOTER = len(_SOUND["a.parquet"]) - 8 - int.from_bytes(_SOUND["a.parquet"][-8:-4], "little")


@examples(300)
@given(st.data(), st.sampled_from(sorted(_SOUND)))
def test_whatever_a_file_holds_is_read_or_told(data: st.DataObject, name: str) -> None:
    """Any bytes, and a sound file with some bytes changed or missing.

    But for the footer of Parquet: pyarrow ends the process over some that make no sense.
    """
    content = bytearray(_SOUND[name])
    end = _FOOTER if name == "a.parquet" else len(content)
    if data.draw(st.booleans()):
        content = bytearray(data.draw(st.binary(max_size=100)))
        end = len(content)
    places = data.draw(st.lists(st.integers(0, max(0, end - 1)), max_size=3))
    for at in sorted(places, reverse=True):
        content[at : at + 1] = data.draw(st.binary(max_size=2))
    with tempfile.TemporaryDirectory() as folder:
        path, out = Path(folder, name), Path(folder, f"out-{name}")
        path.write_bytes(content)
        try:
            data_set = open_rows(path)
            total = data_set.count_rows()
        except IlkError:
            return
        counts = data_set.counts
        assert counts.with_text + counts.missing + counts.null + counts.other == total
        assert len(list(data_set.read_rejected_rows())) == counts.rejected
        assert len(data_set.texts(range(total))) == total
        try:
            assert data_set.write(range(total), out) == total
        except SourceDamaged:  # In a column that was not read before.
            assert not out.exists()


@examples(30)
@given(st.lists(st.one_of(st.none(), strategies.texts), min_size=1, max_size=40), st.data())
def test_any_choice_of_rows_of_any_table_is_what_it_was(
    texts: list[str | None], data: st.DataObject
) -> None:
    """However it is cut into batches, and whatever the type of its strings."""
    kind = data.draw(st.sampled_from([pa.string(), pa.large_string(), pa.string_view()]))
    if all(text is None for text in texts):
        texts = [*texts, "one there must be"]
    cuts = sorted(data.draw(st.lists(st.integers(0, len(texts)), max_size=4)))
    edges = [0, *cuts, len(texts)]
    pieces = [pa.array(texts[a:b], kind) for a, b in pairwise(edges)]
    table = pa.table({"text": pa.chunked_array(pieces, kind), "n": range(len(texts))})
    data_set = open_table_or_scan(table)
    rows = sorted(data.draw(st.sets(st.integers(0, len(texts) - 1))))
    assert data_set.texts(rows).to_pylist() == [texts[row] for row in rows]
    assert data_set.counts.null == texts.count(None)
