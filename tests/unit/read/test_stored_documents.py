"""The documents of a store that are the reference of a search."""

from __future__ import annotations

import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

from ilk.read.collection import StoredDocuments
from ilk.read.reference import StoredTexts


@given(st.lists(st.tuples(st.none() | st.text(max_size=5), st.booleans())), st.integers(0, 3))
def test_texts_that_are_not_wanted_are_null(
    texts_and_wanted: list[tuple[str | None, bool]], start: int
) -> None:
    """In a copy where few are wanted, and in a view where most are."""
    rows = texts_and_wanted[start:]
    column = pa.array([text for text, _ in texts_and_wanted], pa.large_string())[start:]
    empty = pa.nulls(len(rows), pa.string())
    documents = StoredDocuments(
        StoredTexts(
            names=empty,
            table=pa.table({"id": empty, "text": column}),
            bytes_digests=empty,
            numbers=range(len(rows)),
            generation=1,
        )
    )
    mask = pa.array([is_wanted for _, is_wanted in texts_and_wanted], pa.bool_())[start:]
    (texts,) = documents.read_texts_null_if_unwanted(mask)
    texts.validate(full=True)
    assert texts.to_pylist() == [text if is_wanted else None for text, is_wanted in rows]
