"""Labelled pairs: whom their lines name, and what is no line."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from unittest import mock

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ilk.base.errors import LabelsError
from ilk.tasks import labels

DOCUMENTS = pa.table(
    {
        "source": ["in/a/x.txt", "in/b/x.txt", "in/b/y.txt", "in/z", "#4", "y.txt"],
        "id": [None, None, None, "mine", "in/z", None],
    }
)


def read(path: Path, content: str | bytes) -> list[tuple[str, str, Fraction]]:
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return [
        (label.left, label.right, label.value) for label in labels.read_tab_separated_labels(path)
    ]


def test_lines_are_two_names_and_perhaps_a_value(tmp_path: Path) -> None:
    content = (
        "\ufeffone\ttwo\tsame\r\n a \t b b \n\n\t\na\tc\t0\tnote\nb\tc\t 0.85\nd\te\t1\n#1\t#2"
    )
    assert read(tmp_path / "l", content) == [
        ("a", "b b", Fraction(1)),
        ("a", "c", Fraction(0)),
        ("b", "c", Fraction(17, 20)),
        ("d", "e", Fraction(1)),
        ("#1", "#2", Fraction(1)),
    ]


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("", "has no labels"),
        ("a\tb\tsame\n", "has no labels"),
        ("a b\n", "line 1: expected two names separated by a tab, got 'a b'"),
        ("a\tb\n\tb\t1", "line 2: expected two names"),
        ("a\tb\na\tc\tyes", "line 2: expected 1 .* got 'yes'"),
        ("a\tb\na\tc\t1.5", "line 2: expected 1 .* got '1.5'"),
        ("a\tb\na\tc\t1e-999999999", "line 2: expected 1 .* got '1e-999999999'"),
        ("a\tb\na\tc\t-1", "got '-1'"),
        ("a\tb\na\tc\tnan", "got 'nan'"),
        ("a\tb\na\tc\t1/0", "got '1/0'"),
        (b"\xff\xfe\x00", "it is not UTF-8"),
    ],
)
def test_what_is_no_label_is_refused(tmp_path: Path, content: str | bytes, said: str) -> None:
    with pytest.raises(LabelsError, match=said):
        read(tmp_path / "l", content)


@pytest.mark.parametrize("name", ["missing", "."])
def test_what_cannot_be_read_is_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(LabelsError, match="cannot read labels from"):
        labels.read_tab_separated_labels(tmp_path / name)


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (OSError("gone"), "gone"),
        (OSError(), "OSError"),
        (ValueError("embedded null byte"), "embedded null byte"),
    ],
)
def test_an_error_of_which_the_system_says_nothing_is_told(
    tmp_path: Path, error: Exception, said: str
) -> None:
    with (
        mock.patch.object(Path, "read_text", side_effect=error),
        pytest.raises(LabelsError, match=f"cannot read labels from .*: {said}."),
    ):
        labels.read_tab_separated_labels(tmp_path / "labels.tsv")


@given(st.binary(max_size=60))
def test_any_bytes_are_labels_or_are_refused(
    tmp_path_factory: pytest.TempPathFactory, raw: bytes
) -> None:
    path = tmp_path_factory.getbasetemp() / "any"
    path.write_bytes(raw)
    try:
        found = labels.read_tab_separated_labels(path)
    except LabelsError:
        return
    assert found
    assert all(label.left and label.right and 0 <= label.value <= 1 for label in found)


def meant(*pairs: tuple[str, str]) -> list[tuple[int, int]]:
    lines = [labels.Label("here", a, b, Fraction(1)) for a, b in pairs]
    found = labels.rows_of_labels_if_both_read(lines, DOCUMENTS)
    assert all(value == 1 for *_, value in found)
    return [(left, right) for left, right, _ in found]


def test_a_document_is_named_by_its_source_its_end_or_its_id() -> None:
    # A whole source is meant before the end of another one, and ids count as whole.
    assert meant(("in/a/x.txt", "b/x.txt"), ("y.txt", "mine"), ("z", "#4")) == [
        (0, 1),
        (5, 3),
        (3, 4),
    ]
    assert meant(("unknown", "mine"), ("mine", "#4"), ("", "#4")) == [(3, 4)]


@pytest.mark.parametrize(
    ("pair", "said"),
    [
        (("x.txt", "mine"), "here: 'x.txt' matches 2 documents"),
        (("mine", "in/z"), "'in/z' matches 2 documents"),
        (("b/y.txt", "in/b/y.txt"), "are the same document"),
    ],
)
def test_whom_no_label_means_is_said(pair: tuple[str, str], said: str) -> None:
    with pytest.raises(LabelsError, match=said):
        meant(pair)
