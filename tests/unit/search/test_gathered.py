"""What is kept of documents, in memory or in files that are mapped."""

from __future__ import annotations

from pathlib import Path
from unittest import mock

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ilk import arrow
from ilk.base import mapped
from ilk.base.errors import OutputError
from ilk.base.run_options import Running
from ilk.search.counting import Counting
from ilk.search.evidence import Thresholds
from ilk.search.read_documents import ReadDocuments, read_documents_with_evidence
from tests.support import strategies


def gather_documents(rows: list[str | None], piece: int = mapped.PIECE) -> ReadDocuments:
    """Documents of these texts, three to a batch; sets of more bytes go into files."""
    text = pa.array(rows, pa.large_string())
    table = arrow.fit_columns_to_schema(
        pa.table({"doc": range(len(rows)), "text": text}), arrow.DOCUMENTS
    )
    batches = table.to_batches(max_chunksize=3)
    with mock.patch.object(mapped, "PIECE", piece):
        return read_documents_with_evidence(
            batches,
            arrow.import_texts(table["text"]),
            recipe=None,
            counting=Counting(3),
            running=Running(1, 1),
        )


@given(st.data(), st.lists(st.none() | strategies.texts, min_size=4, max_size=12))
def test_what_is_mapped_is_what_would_be_held(data: st.DataObject, rows: list[str | None]) -> None:
    pieces = st.sampled_from([1, 500, 2000])
    whole, in_files = gather_documents(rows), gather_documents(rows, piece=data.draw(pieces))
    assert whole.evidence.mapped is None
    assert in_files.evidence.rows.equals(whole.evidence.rows)
    assert in_files.documents.equals(whole.documents)
    sides = st.lists(st.integers(0, len(rows) - 1), min_size=5, max_size=5)
    left, right = (pa.array(data.draw(sides), pa.int64()) for _ in range(2))
    expected = whole.evidence.judge_pairs(left, right, Thresholds())
    assert in_files.evidence.judge_pairs(left, right, Thresholds()).equals(expected)


def test_what_is_known_of_texts() -> None:
    found = gather_documents(["one two three four", None, "five six seven eight"], piece=1)
    assert found.evidence.mapped is not None
    assert found.documents["length"].to_pylist() == [18, 0, 20]
    assert found.documents["digest"].null_count == 1


def test_a_folder_that_is_not_there_is_an_error_with_its_name(tmp_path: Path) -> None:
    batch = arrow.fit_columns_to_schema(
        pa.table({"doc": [0], "text": ["one two three"]}), arrow.DOCUMENTS
    )
    running = Running(1, 1, folder=tmp_path / "gone")
    with (
        mock.patch.object(mapped, "PIECE", 1),
        pytest.raises(OutputError, match=r"cannot keep working files in .*gone: No such file"),
    ):
        read_documents_with_evidence(
            [batch],
            arrow.import_texts(batch["text"]),
            recipe=None,
            counting=Counting(3),
            running=running,
        )
