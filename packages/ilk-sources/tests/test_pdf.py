"""PDF: pages put together, without what only pages need."""

from __future__ import annotations

import io
import shutil
from pathlib import Path

import pytest
from tests.support import samples
from tests.support.readers import Read

from ilk.base.errors import OptionError
from ilk.read.formats.parts import DocumentText, Limits, Unfit
from ilk_sources.documents import pdf


def text(*pages: list[str]) -> str:
    (part,) = pdf.read_pdf(io.BytesIO(samples.pdf(pages)), Limits())
    assert isinstance(part, DocumentText)
    return part.text


BODY = [f"Line of {word} in the body" for word in samples.THINGS[:12]]


def test_a_head_that_pages_share_stands_once_and_their_numbers_nowhere() -> None:
    pages = [["A Report 2026", *BODY[3 * at : 3 * at + 3], f"- {at + 7} -"] for at in range(3)]
    lines = text(*pages).splitlines()
    assert lines.count("A Report 2026") == 1
    assert not [line for line in lines if line.startswith("-")]
    assert [line for line in lines if line in BODY] == BODY[:9]


@pytest.mark.parametrize("foot", ["Page {} of 3", "{}", "{} / 3", "[{}]", "Seite {}"])
def test_a_number_of_the_page_is_left_out(foot: str) -> None:
    pages = [[*BODY[3 * at : 3 * at + 3], foot.format(at + 1)] for at in range(3)]
    assert text(*pages).splitlines() == BODY[:9]


def test_a_head_with_the_number_of_the_page_stands_once() -> None:
    pages = [[f"Chapter 4 Rivers {at + 11}", *BODY[3 * at : 3 * at + 3]] for at in range(3)]
    assert [line for line in text(*pages).splitlines() if "Rivers" in line] == [
        "Chapter 4 Rivers 11"
    ]


def test_lines_at_the_edge_that_differ_in_other_numbers_stay() -> None:
    pages = [
        [f"Total {1000 * at + 17}", *BODY[3 * at : 3 * at + 3], f"{at**2 + 5} and {at**3} more"]
        for at in range(4)
    ]
    lines = text(*pages).splitlines()
    assert [line for line in lines if line.startswith("Total")] == [page[0] for page in pages]
    assert [line for line in lines if line.endswith("more")] == [page[-1] for page in pages]


def test_lines_of_one_page_stay_however_alike() -> None:
    lines = ["A line", "A line", "Another one", "A line", "A line"]
    assert text(lines).splitlines() == lines


def test_a_word_that_a_line_end_has_cut_is_joined() -> None:
    found = text(["an incompre-", "hensible thing, by Jean-", "Paul, in 1990-", "1999"])
    assert " ".join(found.split()) == "an incomprehensible thing, by Jean-Paul, in 1990- 1999"


def test_a_word_that_a_page_has_cut_is_joined_across_head_and_number() -> None:
    pages = [
        ["The Head", *BODY[:3], "an incompre-", "1"],
        ["The Head", "hensible thing", *BODY[3:], "2"],
    ]
    assert "an incomprehensible thing" in text(*pages)


def test_a_scan_is_a_failure_of_its_own_and_a_blank_page_is_not() -> None:
    scanned = samples.pdf([[], []], image=True)
    with pytest.raises(Unfit, match=r"is scanned: its pages are images"):
        list(pdf.read_pdf(io.BytesIO(scanned), Limits()))
    assert text([], []) == ""


def test_pages_that_are_images_are_read_by_a_program_of_the_users_own(
    read: Read, tmp_path: Path
) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "a.pdf").write_bytes(samples.pdf([["first"], [], []], image=True))
    (row,), tally = read(tmp_path / "docs", ocr="head -c 2 {}")
    assert row["text"].splitlines() == ["first", "P5", "P5"]
    assert (tally.failures, tally.warnings) == ([], [])
    for command, reason in (("false", "exit code 1"), ("no-such-program", "No such file")):
        rows, tally = read(tmp_path / "docs", ocr=[command])
        assert rows == []
        assert f"{command}: {reason}" in tally.failures[0].reason
    with pytest.raises(OptionError, match="ocr is ''; give a program"):
        read(tmp_path, ocr="")


@pytest.mark.skipif(shutil.which("tesseract") is None, reason="tesseract is not installed")
@pytest.mark.long
def test_tesseract_reads_a_scan(read: Read, tmp_path: Path) -> None:
    from PIL import Image, ImageDraw

    image = Image.new("L", (800, 200), 255)
    ImageDraw.Draw(image).text((40, 40), "HARBOURS AND LETTERS", 0, font_size=48)
    image.save(tmp_path / "a.pdf")
    (row,), tally = read(tmp_path, ocr="tesseract {} -")
    assert tally.failures == []
    assert row["text"].split() == ["HARBOURS", "AND", "LETTERS"]


def test_pages_without_text_among_others_are_reported(read: Read, tmp_path: Path) -> None:
    (tmp_path / "a.pdf").write_bytes(samples.pdf([["some words"], []], image=True))
    (row,), tally = read(tmp_path)
    assert row["text"] == "some words"
    assert tally.warnings[0].reason == "has 1 page that is an image without text"
    assert tally.advice()[-1].startswith("1 document was read in part, the first of them ")
