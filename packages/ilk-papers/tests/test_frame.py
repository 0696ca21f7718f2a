"""The frame of the papers' rooms: tables to be read, files, and what is missing."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from matplotlib.axes import Axes

from ilk.base.errors import MissingExtra, OutputError
from ilk_papers import frame
from ilk_papers.frame import Picture, Report, make_exhibit
from ilk_papers.measure import plots
from ilk_papers.stopwords import STOP_WORDS


def test_numbers_stand_right_and_texts_left() -> None:
    rows = [("a", 1, 0.5), ("bcd", None, 1234.0)]
    found = list(
        frame.format_lines(
            make_exhibit("x", "Title", ("name", "n", "share"), rows, note="so\nit is")
        )
    )
    assert found == [
        "Title",
        "",
        "  name  n     share",
        "  a     1      0.50",
        "  bcd      1,234.00",
        "",
        "  so",
        "  it is",
    ]


@given(
    st.lists(
        st.tuples(st.text("ab ", max_size=90), st.integers(), st.text("cd ", max_size=90)),
        min_size=1,
        max_size=9,
    )
)
def test_a_table_fits_the_terminal_and_loses_no_word(rows: list[tuple[str, int, str]]) -> None:
    rows = [(" ".join(a[:70].split()), n % 10**9, " ".join(c[:70].split())) for a, n, c in rows]
    longest = max(len(word) for a, _, c in rows for word in [*a.split(), *c.split(), ""])
    assume(longest <= 20)
    _, _, *lines = frame.format_lines(make_exhibit("x", "Title", ("left", "n", "right"), rows))
    assert max(map(len, lines)) <= 80
    words = sorted(word for line in lines[1:] for word in line.split())
    cells = (str(cell) for row in rows for cell in row)
    assert words == sorted(word for cell in cells for word in cell.split())


def _line(axes: Axes) -> None:
    axes.plot([1, 2])


def test_a_report_is_saved_as_tables_and_pictures(tmp_path: Path) -> None:
    made = Report(
        [make_exhibit("t", "T", ("a", "b"), [("x", 1)])],
        [Picture("p", _line)],
    )
    folder = tmp_path / "new" / "out"
    written = frame.save_report_as_csv_and_png(made, folder)
    assert [path.name for path in written] == ["t.csv", "p.png"]
    assert (folder / "t.csv").read_text() == '"a","b"\n"x",1\n'
    picture = (folder / "p.png").read_bytes()
    assert picture.startswith(b"\x89PNG")
    frame.save_report_as_csv_and_png(made, folder)
    assert (folder / "p.png").read_bytes() == picture


def test_what_is_missing_is_said_before_any_work(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(OutputError, match="cannot write into"):
        frame.create_output_folder(tmp_path / "file")
    monkeypatch.setattr(plots, "find_spec", lambda _: None)
    with pytest.raises(MissingExtra, match=r"needs matplotlib.*pip install 'ilk\[plots\]'"):
        frame.save_report_as_csv_and_png(frame.Report([]), tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_the_stop_list_is_lower_cased_words() -> None:
    assert {"the", "of", "and"} <= STOP_WORDS
    assert all(word.isascii() and word.isalpha() and word.islower() for word in STOP_WORDS)
    assert len(STOP_WORDS) == 160


@pytest.mark.parametrize(
    ("published", "value", "agrees"),
    [
        ("0.5", "0.5", "same"),
        (3.5, "3.50", "same"),
        ("160", "0.05", "other"),
        ("12 to 14", 13, "within"),
        (13, "12 to 14", "within"),
        ("8 to 11", 12, "other"),
        ("some", "4", None),
        ("grows", "0.94", None),
        ("", "4", None),
        ("4 2 3", "4 2 3", "same"),
        ("4 2 3", "4 3 2", "other"),
        ("3.3", "3.34", "same"),
        ("20476", "16413", "other"),
    ],
)
def test_values_are_compared_by_what_they_mean(
    published: object, value: object, agrees: str | None
) -> None:
    assert frame.agreement_with_published_or_none(published, value) == agrees  # type: ignore[arg-type]


def test_columns_stand_beside_the_published_ones_of_their_names() -> None:
    columns = ("numbers", "order, published", "order", "wrap")
    shown = frame.make_exhibit("sorted", "Sorted", columns, [("a", "1 2", "1 2", 3)])
    assert shown.published_column_of == {"order": "order, published"}
    shown = frame.make_exhibit(
        "x", "X", ("what", "published", "here", "seed"), [("a", "1", "2", 3)]
    )
    assert shown.published_column_of == {"here": "published"}
