"""The Arrow contract: every flavour of a column comes in, and 64 bits stay 64 bits."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import ilk
from ilk import arrow
from ilk.base.errors import ColumnTypeError, RecipeMismatch
from ilk.base.options import FORMS
from tests.support import strategies

ROWS = ["one two three", None, "", "漢字 😀", "one two three", "\0", "a\nb"]

#: One column in every flavour of Arrow that strings have.
FLAVOURS: dict[str, Callable[[], Any]] = {
    "list": lambda: ROWS,
    "tuple": lambda: tuple(ROWS),
    "generator": lambda: (row for row in ROWS),
    "numpy": lambda: np.array(ROWS, dtype=object),
    "string": lambda: pa.array(ROWS, pa.string()),
    "large_string": lambda: pa.array(ROWS, pa.large_string()),
    "string_view": lambda: pa.array(ROWS, pa.string_view()),
    "dictionary": lambda: pa.array(ROWS, pa.string()).dictionary_encode(),
    "dictionary of large_string": lambda: pa.array(ROWS, pa.large_string()).dictionary_encode(),
    "dictionary of string_view": lambda: pa.DictionaryArray.from_arrays(
        pa.array([0, None, 1, 2, 0, 3, 4], pa.uint32()),
        pa.array([ROWS[0], *ROWS[2:4], *ROWS[5:]], pa.string_view()),
    ),
    "dictionary with a null value": lambda: pa.DictionaryArray.from_arrays(
        pa.array([0, 1, 2, 3, 0, 4, 5], pa.int8()), pa.array([ROWS[0], *ROWS[1:4], *ROWS[5:]])
    ),
    "chunked": lambda: pa.chunked_array([ROWS[:2], [], ROWS[2:]], pa.string()),
    "chunked dictionaries": lambda: pa.chunked_array(
        [pa.array(part, pa.string()).dictionary_encode() for part in (ROWS[:3], ROWS[3:])]
    ),
    "sliced": lambda: pa.array(["x", "y", "z", *ROWS, "z"], pa.string()).slice(3, len(ROWS)),
    "sliced large": lambda: pa.array(["x", *ROWS, "z"], pa.large_string()).slice(1, len(ROWS)),
    "sliced view": lambda: pa.array(["x", *ROWS, "z"], pa.string_view()).slice(1, len(ROWS)),
    "sliced dictionary": lambda: pa.array(["x", *ROWS]).dictionary_encode().slice(1),
    "capsule of an array": lambda: _Capsule(pa.array(ROWS, pa.string())),
    "capsule of a stream": lambda: _Stream(pa.chunked_array([ROWS[:4], ROWS[4:]], pa.string())),
}


class _Capsule:
    """An array of another library, known by its PyCapsule interface alone."""

    def __init__(self, array: pa.Array) -> None:
        self._array = array

    def __arrow_c_array__(self, requested_schema: object = None) -> Any:
        return self._array.__arrow_c_array__(requested_schema)


class _Stream:
    """A column in pieces of another library, known by its PyCapsule interface alone."""

    def __init__(self, column: pa.ChunkedArray | pa.Table | pa.RecordBatchReader) -> None:
        self._column = column

    def __arrow_c_stream__(self, requested_schema: object = None) -> Any:
        return self._column.__arrow_c_stream__(requested_schema)


@pytest.mark.parametrize("flavour", FLAVOURS)
def test_every_flavour_of_strings_is_the_same_column(flavour: str) -> None:
    column = arrow.import_texts(FLAVOURS[flavour]())
    assert column.type == pa.large_string()
    assert column.to_pylist() == ROWS
    assert ilk.fingerprint(FLAVOURS[flavour]()).equals(ilk.fingerprint(ROWS))
    found = ilk.sets.pairs(FLAVOURS[flavour](), 1)
    assert [(p["left"], p["right"]) for p in found.to_pylist()] == [(0, 4)]


@pytest.mark.parametrize("flavour", FLAVOURS)
def test_every_flavour_is_found_in_a_table(flavour: str) -> None:
    column = arrow.import_texts(FLAVOURS[flavour]())
    found = ilk.find(pa.table({"id": range(len(ROWS)), "text": column}))
    assert found.texts(range(len(ROWS))).to_pylist() == ROWS
    assert found.documents["id"].to_pylist() == [str(row) for row in range(len(ROWS))]
    assert found.clusters["doc"].to_pylist() == [0, 4]


@pytest.mark.parametrize("package", ["pandas", "polars"])
def test_columns_of_data_frames_are_texts(package: str) -> None:
    library = import_module(package)
    forms = [library.Series(ROWS)]
    if package == "pandas":
        forms += [library.Series(ROWS, dtype=kind) for kind in ("string", "object")]
    else:
        forms += [library.Series(ROWS, dtype=library.Categorical)]
    expected = ilk.fingerprint(ROWS)
    for column in forms:
        assert arrow.import_texts(column).to_pylist() == ROWS
        assert ilk.fingerprint(column).equals(expected)
    frame = library.DataFrame({"number": range(len(ROWS)), "text": ROWS})
    assert ilk.find(frame).clusters["doc"].to_pylist() == [0, 4]
    assert ilk.fingerprint(frame).equals(expected)


@pytest.mark.parametrize("package", ["pandas", "polars"])
def test_columns_of_data_frames_are_sets(package: str) -> None:
    sets = [[1, 2, 3], [2, 3, 4], [7, 8]]
    column = import_module(package).Series(sets)
    for found in (ilk.sets.pairs, ilk.sets.containment):
        assert found(column, 0.5).equals(found(sets, 0.5))
    for left, right in ((column, column), (column, sets), (sets, column)):
        assert ilk.sets.join(left, right, 0.5).equals(ilk.sets.join(sets, sets, 0.5))


@pytest.mark.parametrize("kind", ["object", "<U16", "T"])
def test_arrays_of_numpy_are_texts(kind: str) -> None:
    rows = ["one two three", "", "漢字 😀"]
    assert (
        arrow.import_texts(
            np.array(rows, np.dtypes.StringDType() if kind == "T" else kind)
        ).to_pylist()
        == rows
    )


BATCHES = pa.table({"id": range(len(ROWS)), "text": ROWS, "title": ["x"] * len(ROWS)})

#: The same record batches in every form.
STREAMS: dict[str, Callable[[], Any]] = {
    "reader": lambda: BATCHES.to_reader(3),
    "capsule of a reader": lambda: _Stream(BATCHES.to_reader(3)),
    "capsule of a table": lambda: _Stream(BATCHES),
    "table": lambda: BATCHES,
    "batch": lambda: BATCHES.combine_chunks().to_batches()[0],
    "dictionaries": lambda: BATCHES.set_column(
        1, "text", BATCHES["text"].dictionary_encode()
    ).to_reader(2),
}


@pytest.mark.parametrize("form", STREAMS)
def test_record_batches_have_a_column_of_texts(form: str) -> None:
    assert ilk.fingerprint(STREAMS[form]()).equals(ilk.fingerprint(ROWS))
    assert ilk.fingerprint(STREAMS[form](), text="text").equals(ilk.fingerprint(ROWS))
    titles = ilk.fingerprint(STREAMS[form](), ilk.Recipe(minimum=1), text="title")
    assert titles.equals(ilk.fingerprint(BATCHES["title"], ilk.Recipe(minimum=1)))
    assert ilk.minhash.sketches(STREAMS[form](), "lowest", 2).equals(
        ilk.minhash.sketches(ROWS, "lowest", 2)
    )


def test_the_only_column_of_texts_needs_no_name() -> None:
    only = BATCHES.select(["id", "title"]).rename_columns(["id", "body"])
    assert ilk.fingerprint(only.to_reader()).equals(ilk.fingerprint(BATCHES["title"]))


@pytest.mark.parametrize(
    ("batches", "name", "seen"),
    [
        (BATCHES, "body", r"named 'body', got id \(int64\), text \(string\)"),
        (BATCHES, "id", "named 'id'"),
        (BATCHES.rename_columns(["id", "a", "b"]), None, "named 'text'"),
        (BATCHES.rename_columns(["text", "title", "title"]), "title", "named 'title'"),
        (BATCHES["text"], "text", r"but a ChunkedArray has no named columns"),
        (ROWS, "text", r"but a list has no named columns"),
    ],
)
def test_a_column_that_is_not_there_is_told(batches: Any, name: str | None, seen: str) -> None:
    with pytest.raises(ColumnTypeError, match=seen):
        ilk.fingerprint(batches, text=name)


def test_of_a_stream_no_more_than_two_batches_are_in_memory() -> None:
    size, before = 1 << 20, pa.total_allocated_bytes()
    schema, held = pa.schema([("text", pa.large_string())]), []

    def batches() -> Iterator[pa.RecordBatch]:
        for _ in range(20):
            held.append(pa.total_allocated_bytes() - before)
            yield pa.record_batch(
                [pa.array(["some words " * (size // 11)], schema[0].type)], schema
            )

    found = ilk.fingerprint(pa.RecordBatchReader.from_batches(schema, batches()))
    assert len(found) == len(held) == 20
    # Whoever makes a batch holds one, and whoever reads it another.
    assert max(held) < 2.5 * size


def test_a_column_of_nulls_has_no_text() -> None:
    for values in ([None, None], pa.nulls(2), pa.nulls(2, pa.string())):
        assert arrow.import_texts(values).to_pylist() == [None, None]
    assert arrow.import_texts([]).type == pa.large_string()


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("a\ud800b", "a\ufffdb"),
        ("\udfff", "\ufffd"),
        ("\udc80\udc80", "\ufffd\ufffd"),
        ("\ud83d\ude00", "😀"),  # A pair of surrogates is a character.
        ("漢\udcff字", "漢\ufffd字"),
    ],
)
def test_a_lone_surrogate_is_read_as_a_replacement(text: str, read: str) -> None:
    assert arrow.import_texts(["x", text, None]).to_pylist() == ["x", read, None]
    assert ilk.compare([text], [read], min_words=1).verdict == "identical"


@pytest.mark.parametrize(
    "wrong",
    [
        "one text",
        b"bytes",
        5,
        None,
        [b"bytes"],
        ["text", 5],
        [["nested"]],
        pa.array([1, 2]),
        pa.array([b"bytes"]),
        pa.array([["nested"]]),
        pa.array([1, 2]).dictionary_encode(),
        np.array([1.5]),
    ],
)
def test_what_is_no_column_of_texts_is_refused(wrong: Any) -> None:
    with pytest.raises(ColumnTypeError, match="expected"):
        arrow.import_texts(wrong)
    if not isinstance(wrong, str):  # That is a path.
        with pytest.raises(TypeError):
            ilk.fingerprint(wrong)


def test_what_pandas_puts_for_a_missing_text_is_null() -> None:
    text, nan = "the quick brown fox jumps over the lazy dog", float("nan")
    series = pd.Series([text, None, text])
    for missing in (nan, np.float64("nan"), pd.NA):
        for values in ([text, missing, text], np.array([text, missing, text], dtype=object)):
            assert arrow.import_texts(values).to_pylist() == [text, None, text]
    for values in (series.tolist(), series.to_numpy(), series.astype(object).tolist()):
        assert ilk.find(values).labels()["family"].to_pylist() == [0, None, 0]
        assert ilk.fingerprint(values).null_count == 1
        assert ilk.deduplicate(values).keep_mask.to_pylist() == [True, True, False]
    assert ilk.find({"a": text, "b": nan}).documents["digest"].null_count == 1
    with pytest.raises(ColumnTypeError, match="expected texts, got float in the list"):
        arrow.import_texts([text, float("inf")])


def test_a_table_without_texts_is_refused_with_its_columns() -> None:
    with pytest.raises(ColumnTypeError, match="body, id"):
        ilk.find(pa.table({"body": ["a"], "id": [1]}))


@pytest.mark.parametrize("kind", ["<u8", "<i8", ">u8", "<u4"])
@pytest.mark.parametrize("step", [1, 2, -1])
def test_numbers_of_numpy_are_read_however_they_stand(kind: str, step: int) -> None:
    values = np.arange(-9, 9).astype(kind)[::step]
    expected = [int(value) % 2**64 for value in values]
    assert arrow.import_fingerprints(values).to_pylist() == expected
    odd = np.frombuffer(b"x" + values.tobytes(), kind, offset=1)
    assert arrow.import_fingerprints(odd).to_pylist() == expected
    assert len(ilk.hamming.pairs(odd, 64)) == len(values) * (len(values) - 1) // 2


def test_a_mapped_file_of_fingerprints_is_not_copied(tmp_path: Path) -> None:
    path = tmp_path / "fingerprints"
    np.arange(1000, dtype=np.uint64).tofile(path)
    mapped = np.memmap(path, np.uint64, "r")
    column = arrow.import_fingerprints(mapped)
    assert column.buffers()[1].address == mapped.ctypes.data
    assert ilk.hamming.pairs(mapped, 1) == ilk.hamming.pairs(list(range(1000)), 1)


def test_an_array_that_may_be_written_is_copied() -> None:
    """Another thread could change it while a kernel reads it."""
    array = np.arange(1000, dtype=np.uint64)
    column = arrow.import_fingerprints(array)
    array[:] = 0
    assert column.to_pylist() == list(range(1000))


@given(st.lists(st.one_of(st.none(), strategies.fingerprints)))
def test_signed_and_unsigned_are_views_of_the_same_bits(values: list[int | None]) -> None:
    array = pa.array(values, pa.uint64())
    written = arrow.reinterpret_as_signed(array)
    assert written.type == pa.int64()
    assert arrow.reinterpret_as_unsigned(written).equals(array)
    for form in (values, array, written, pa.chunked_array([written]), tuple(written.to_pylist())):
        assert arrow.import_fingerprints(form).equals(array)
    expected = [None if v is None else v - (v >> 63 << 64) for v in values]
    assert written.to_pylist() == expected


def test_sliced_fingerprints_keep_their_bits() -> None:
    array = pa.array([1, None, 2**64 - 1, 3], pa.uint64()).slice(1, 2)
    assert arrow.reinterpret_as_signed(array).to_pylist() == [None, -1]
    assert arrow.import_fingerprints(arrow.reinterpret_as_signed(array)).to_pylist() == [
        None,
        2**64 - 1,
    ]


@given(st.sampled_from([32, 64, 128]), st.data())
def test_every_form_of_a_fingerprint_names_the_same_bits(bits: int, data: st.DataObject) -> None:
    values = data.draw(st.lists(st.one_of(st.none(), st.integers(0, 2**bits - 1))))
    held = values if bits <= 64 else [v if v is None else v.to_bytes(16, "big") for v in values]
    table = pa.table({"fingerprint": pa.array(held, arrow.fingerprint_type(bits))})
    forms = {
        form: arrow.with_formatted_fingerprints(table, form, bits)["fingerprint"] for form in FORMS
    }
    for row, value in enumerate(values):
        written = {form: column[row].as_py() for form, column in forms.items()}
        if value is None:
            assert set(written.values()) == {None}
            continue
        assert len(written["hex"]) == bits // 4
        assert len(written["bits"]) == bits
        assert int(written["hex"], 16) == int(written["bits"], 2) == int(written["unsigned"])
        assert int(written["unsigned"]) == value
        width = max(bits, 64)
        assert int(written["signed"]) == value - (value >> (width - 1) << width)


def test_numbers_of_128_bits_are_stored_as_bytes_and_others_signed() -> None:
    recipe, wide = ilk.Recipe(), ilk.Recipe(bits=128)
    for chosen, held in ((recipe, pa.int64()), (wide, pa.binary(16))):
        table = arrow.with_fingerprint_field_of_recipe(
            arrow.FINGERPRINTS, str(chosen), chosen.bits
        ).empty_table()
        field = arrow.with_signed_fingerprints_unless_wide(table).schema.field("fingerprint")
        assert (field.type, arrow.recipe_of_field_or_none(field)) == (held, str(chosen))


@given(
    st.lists(st.lists(st.one_of(st.none(), strategies.texts), max_size=9), max_size=4), st.data()
)
def test_only_some_rows_of_a_column_are_left(
    chunks: list[list[str | None]], data: st.DataObject
) -> None:
    """Slices begin at any bit of a validity byte."""
    parts = []
    for rows in chunks:
        before = data.draw(st.integers(0, 9))
        padded = pa.array([*[None] * before, *rows, "after"], pa.large_string())
        parts.append(padded.slice(before, len(rows)))
    column = pa.chunked_array(parts, pa.large_string())
    values = column.to_pylist()
    kept = data.draw(st.lists(st.booleans(), min_size=len(values), max_size=len(values)))
    found = arrow.null_except(column, pa.array(kept, pa.bool_()))
    assert isinstance(found, pa.ChunkedArray)
    found.validate(full=True)
    assert found.to_pylist() == [v if keep else None for v, keep in zip(values, kept, strict=True)]
    assert column.to_pylist() == values


def test_fingerprints_carry_their_recipe_and_two_recipes_do_not_meet() -> None:
    schema = arrow.with_fingerprint_field_of_recipe(arrow.FINGERPRINTS, str(ilk.Recipe()), 64)
    assert arrow.recipe_of_field_or_none(schema.field("fingerprint")) == str(ilk.Recipe())
    assert arrow.recipe_of_field_or_none(arrow.FINGERPRINTS.field("fingerprint")) is None
    arrow.refuse_other_recipe("a", "a")
    arrow.refuse_other_recipe(None, "a")
    with pytest.raises(RecipeMismatch, match="'a' cannot be compared with fingerprints of 'b'"):
        arrow.refuse_other_recipe("a", "b")


@pytest.mark.parametrize("jobs", [1, 2, 8])
@pytest.mark.parametrize("kind", [pa.string(), pa.large_string()])
def test_invalid_utf8_is_found_in_whichever_piece_it_is(kind: pa.DataType, jobs: int) -> None:
    """Threads look at some megabytes each."""
    rows = [b"caf\xc3\xa9", None, b"", b"a" * 200_000] * 30
    whole = pa.array(rows, pa.binary() if kind == pa.string() else pa.large_binary())
    valid = whole.view(kind)[3:]
    assert arrow.replace_invalid_utf8(valid, jobs) == (valid, 0)
    for place in (3, 60, len(rows) - 1):
        damaged = pa.array([*rows[:place], b"a\xffb", *rows[place + 1 :]], whole.type)
        strings, count = arrow.replace_invalid_utf8(damaged.view(kind)[3:], jobs)
        assert count == 1
        assert strings[place - 3].as_py() == "a\ufffdb"
        assert strings[: place - 3] == valid[: place - 3]
    nothing = pa.array([], kind)
    assert arrow.replace_invalid_utf8(nothing, jobs) == (nothing, 0)
