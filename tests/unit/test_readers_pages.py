"""The text of pages: what is left of them, and pages that no extractor survives."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from ilk.errors import MissingExtra, OptionError
from ilk.readers import pages
from ilk.readers.files import Unreadable
from tests.unit.conftest import Read

ARTICLE = "The main text of this page goes on for a while, sentence after sentence. " * 8
PAGE = (
    "<html><head><title>A page</title></head><body><nav><a href='/'>Home</a> <a href='/s'>Shop</a>"
    f"</nav><article><h1>News</h1><p>{ARTICLE}</p><p>And a second paragraph, naïve as it is.</p>"
    "</article><footer>Imprint and so on</footer></body></html>"
)


@pytest.fixture(autouse=True)
def _inside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    os.mkdir("docs")


def write(name: str, page: str | bytes = PAGE) -> None:
    Path("docs", name).write_bytes(page.encode() if isinstance(page, str) else page)


@pytest.mark.parametrize("extract", ["fast", "quality"])
def test_the_main_text_is_left(read: Read, extract: str) -> None:
    write("a.html")
    write("b.HTM", PAGE.encode("latin-1"))
    write("c.txt")
    rows, tally = read("docs", extract=extract)
    assert tally.failures == []
    for row in rows[:2]:
        assert "The main text of this page" in row["text"]
        assert "naïve" in row["text"]
        assert "Imprint" not in row["text"]
        assert "<" not in row["text"]
    assert rows[0]["size"] == len(PAGE.encode())
    assert rows[2]["text"] == PAGE


def test_all_text_is_left_or_the_page_itself(read: Read) -> None:
    write("a.html")
    (row,), _ = read("docs", extract="all")
    assert "Imprint" in row["text"]
    assert "<" not in row["text"]
    (row,), _ = read("docs")
    assert row["text"] == PAGE


@pytest.mark.parametrize("extract", ["all", "fast", "quality"])
@pytest.mark.parametrize(
    "page",
    [
        b"<p>",
        b"<html><body>",
        b"<p>a &#0; &#xD800; &#x110000; &nosuch; b</p>",
        b"<!DOCTYPE x [<!ENTITY a 'lol'><!ENTITY b '&a;&a;&a;'>]><p>&b;&b;</p>",
        b"<meta charset=utf-16><meta charset=nonsense><p>wrong about itself</p>",
        b"<p>open <b>and <i>never closed <table><tr><td>",
        b"<script>while(1);</script><style>p{}</style>",
    ],
)
def test_a_broken_page_is_a_document(read: Read, extract: str, page: bytes) -> None:
    write("a.html", page)
    rows, tally = read("docs", extract=extract)
    assert len(rows) == 1
    assert tally.failures == []


def test_a_page_that_hides_its_text_is_told_and_the_next_is_read(read: Read) -> None:
    write("a.html", "<div>" * 200_000 + "hidden")
    write("b.html")
    rows, tally = read("docs", extract="quality")
    assert [row["source"] for row in rows] == ["docs/b.html"]
    (failure,) = tally.failures
    assert failure.source == "docs/a.html"
    assert failure.reason.startswith("suspicious extraction: 1,000,006 bytes of HTML gave 0 char")


def test_a_page_that_takes_too_long_is_given_up_and_the_next_is_read(read: Read) -> None:
    """The time that the extractor takes grows with the square of the depth: here it is minutes."""
    write("a.html", "<div>" * 200_000 + "hidden")
    write("b.html")
    rows, tally = read("docs", extract="fast", convert_timeout=5)
    assert [row["source"] for row in rows] == ["docs/b.html"]
    assert [failure.reason for failure in tally.failures] == [
        "the extraction of its text had no end after 5 s"
    ]


def test_a_child_that_dies_is_told_and_replaced(monkeypatch: pytest.MonkeyPatch) -> None:
    child = Path("child.py")
    child.write_text("import sys; sys.stdin.buffer.read(8)")
    with monkeypatch.context() as patched:
        patched.setattr(pages, "_CHILD", child)
        made = pages.Pages("fast", 60)
        with pytest.raises(Unreadable, match="crashed"):
            made.text(b"<p>one</p>")
    assert made.text(b"<p>one</p>") == b"one"
    made.close()
    made.close()


def test_what_an_extractor_raises_is_the_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    child = Path("child.py")
    child.write_text("import sys; sys.stdout.buffer.write(bytes([1, *7 * [0], 4]) + b'oops')")
    monkeypatch.setattr(pages, "_CHILD", child)
    made = pages.Pages("fast", 60)
    with pytest.raises(Unreadable, match="failed: oops"):
        made.text(b"")
    made.close()


def test_what_is_not_there_is_refused_at_once(read: Read, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(OptionError, match="none, all, fast, quality"):
        read("docs", extract="best")
    monkeypatch.setattr(pages, "find_spec", lambda _: None)
    with pytest.raises(MissingExtra, match=r"pip install 'ilk\[pages\]'"):
        read("docs", extract="quality")
    assert read("docs", extract="none")[0] == []
