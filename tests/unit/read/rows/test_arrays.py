"""Arrays of JSON, read as lines: bytes stay where they are, and elements what they are."""

from __future__ import annotations

import json
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ilk.read.rows.jsonl import ArrayStream
from ilk.read.rows.opening import open_rows

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text() | st.text('[]{},"\\\n\r :'),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=6,
)
ROWS = st.lists(st.dictionaries(st.text(max_size=3), VALUES, max_size=3), max_size=6)


def turned(path: Path, steps: int) -> bytes:
    """What a stream gives, a number of bytes at a time."""
    stream, content = ArrayStream(str(path)), b""
    memory = bytearray(steps)
    while read := stream.readinto(memoryview(memory)):
        content += memory[:read]
    stream.close()
    return content


@given(ROWS, st.sampled_from([None, 0, 2, "\t"]), st.booleans(), st.integers(1, 40))
def test_every_element_is_a_line_of_the_same_json(
    rows: list[dict[str, Any]], indent: int | str | None, ascii_only: bool, steps: int
) -> None:
    written = json.dumps(rows, indent=indent, ensure_ascii=ascii_only).encode(
        "utf-8", "surrogatepass"
    )
    with TemporaryDirectory() as folder:
        path = Path(folder) / "a.json"
        path.write_bytes(written)
        content = turned(path, steps)
        assert len(content) == len(written)
        lines = [line for line in content.split(b"\n") if line.strip(b" \t\r")]
        assert [json.loads(line.decode("utf-8", "surrogatepass")) for line in lines] == rows
        assert content == turned(path, 1 << 16)


def test_texts_are_read_again_and_again(tmp_path: Path) -> None:
    texts = [f'a, [b] {{c}} \\"{number}\n' * 1000 for number in range(1200)]
    path = tmp_path / "a.json"
    path.write_text(json.dumps([{"text": text, "id": text[:9]} for text in texts], indent=1))
    data_set = open_rows(path)
    assert data_set.count_rows() == len(texts)
    assert data_set.texts([3, 900]).to_pylist() == [texts[3], texts[900]]
    assert data_set.read_column("id").to_pylist() == [text[:9] for text in texts]


@pytest.mark.parametrize("cut", [1, 20, 60, -1])
def test_an_array_that_is_cut_off_gives_the_rows_before(cut: int, tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    written = json.dumps([{"text": "one"}, {"text": "two"}, {"text": "three"}])
    path.write_bytes(written[:cut].encode())
    data_set = open_rows(path)
    whole = {1: 0, 20: 1, 60: 3, -1: 3}[cut]
    assert data_set.count_rows() == whole
