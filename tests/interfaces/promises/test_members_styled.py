"""Families on a terminal: verdicts in colour, folders dimmed, names that lead to files."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import unquote

import pytest

from ilk.cli import styling
from tests.support.command_line import Run

TEXT = " ".join(f"word{n}" for n in range(120))


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "a b.txt").write_text(TEXT)
    (tmp_path / "in" / "c.txt").write_text(TEXT)
    (tmp_path / "in" / "d.txt").write_text(TEXT.replace("word50 ", "other "))
    yield tmp_path
    styling.set_color_option([])


def plain(text: str) -> str:
    return re.sub("\x1b" + r"\[\d*m|" + "\x1b" + r"\]8;;.*?" + "\x1b" + r"\\", "", text)


@pytest.mark.usefixtures("folder")
def test_a_list_in_colour_says_the_same(run: Run) -> None:
    without, with_ = (run("scan", "in", "--color", when)[1] for when in ("never", "always"))
    assert "\x1b" not in without
    assert plain(with_) == without


def test_names_lead_to_files_and_folders_are_dimmed(folder: Path, run: Run) -> None:
    _, out, _ = run("scan", "in", "--color", "always")
    links = [unquote(link) for link in re.findall(r"\x1b\]8;;file://(.+?)\x1b", out)]
    assert sorted(links) == sorted(map(str, (folder / "in").iterdir()))
    assert out.count("\x1b[2min/\x1b[0m") == 2
    assert "\x1b[36midentical\x1b[0m" in out
    assert "\x1b[33mnear\x1b[0m" in out


def test_the_id_of_a_document_is_no_part_of_its_link(folder: Path) -> None:
    styling.set_color_option(["--color", "always"])
    (line,) = styling.style_and_fit_family_lines(["     keep  in/a b.txt  (id 7)"], io.StringIO())
    assert f"file://{folder}/in/a%20b.txt\x1b" in line
    assert plain(line) == "     keep  in/a b.txt  (id 7)"


def test_a_name_that_is_shortened_leads_to_the_whole_file(folder: Path) -> None:
    styling.set_color_option(["--color", "always"])
    name = f"in/{'long name ' * 8}.txt"
    (folder / name).write_text(TEXT)
    (line,) = styling.style_and_fit_family_lines([f"     keep  {name}"], io.StringIO(), 40)
    assert unquote(line).count(f"file://{folder}/{name}\x1b") == 1
    assert len(plain(line)) == 40
    assert plain(line).endswith("long name .txt")


def test_a_file_has_no_colours(folder: Path, run: Run) -> None:
    run("scan", "in", "--color", "always", "-o", "out.txt")
    assert "\x1b" not in (folder / "out.txt").read_text()


@pytest.mark.parametrize(
    "line", ["exact: 2 documents", "", "     keep", "near", "3 documents read."]
)
def test_other_lines_stay_as_they_are(line: str) -> None:
    styling.set_color_option(["--color", "always"])
    assert list(styling.style_and_fit_family_lines([line], io.StringIO())) == [line]
    styling.set_color_option([])
