"""The page that shows two texts: whole, escaped, and closed to whatever a document holds."""

from __future__ import annotations

import base64
import hashlib
import re
from html import unescape
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ilk.search.differences import differences
from ilk.write.side_by_side import Side, html, pieces

HOSTILE = "<script>document.title='owned'</script><img src=x onerror=alert(1)>\"'&"
LEFT = " ".join(f"word{n}" for n in range(300)) + f" {HOSTILE} end"
RIGHT = LEFT.replace("word50 ", "other ").replace("word250 ", "") + " <b>new</b>"


def page(left: str = LEFT, right: str = RIGHT) -> str:
    rows = [("resemblance", "0.9")]
    sides = Side(f"a {HOSTILE}", left), Side("b", right)
    return html(*sides, differences(left, right), f"They are near. {HOSTILE}", rows)


def shown(text: str) -> list[str]:
    """Return the words of both columns of a page."""
    columns = []
    for at in (0, 1):
        cell = r"<div dir='auto'>(.*?)</div>"
        cells = re.findall(rf"<div class='row'[^>]*>{cell}{cell}", text, re.S)
        columns.append("".join(unescape(re.sub(r"<[^>]+>", "", cell[at])) for cell in cells))
    return columns


def test_the_page_holds_both_texts_whole() -> None:
    body = page().split("</header>")[1]
    assert shown(body) == [LEFT, RIGHT]


#: Words that white space parts elsewhere than a recipe does, or not at all.
_RUNS = st.sampled_from(["a.b,c;d ", "x y ", "漢字かな", "\n", "-1/2-", "é", "&lt;<b> "])


@given(
    st.lists(st.tuples(_RUNS, st.integers(1, 90)), max_size=4),
    st.lists(st.tuples(_RUNS, st.integers(1, 90)), max_size=4),
    st.text(max_size=20),
)
def test_any_text_is_shown_whole(
    before: list[tuple[str, int]], behind: list[tuple[str, int]], new: str
) -> None:
    head, tail = ("".join(run * count for run, count in runs) for runs in (before, behind))
    left, right = f"{head}old {tail}", f"{head}{new} {tail}"
    body = page(left, right).split("</header>")[1]
    # A cell begins and ends where words do: white space around a text is not part of any.
    assert [text.split() for text in shown(body)] == [left.split(), right.split()]
    found = differences(left, right)
    told = [text for role, text in pieces(left, right, found) if role in ("same", "gone", "away")]
    rest = iter(left)
    assert all(character in rest for character in "".join(told))


def test_nothing_of_a_document_is_markup() -> None:
    text = page()
    assert text.count("<script>") == 1
    assert "<img" not in text
    assert "<b>new" not in text
    script = text.split("<script>")[1].split("</script>")[0]
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    assert f"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{digest}'" in text


def test_moved_passages_are_linked_both_ways() -> None:
    words = [f"word{n}" for n in range(200)]
    moved = [*words[:50], *words[80:], *words[50:80]]
    text = page(" ".join(words), " ".join(moved))
    assert "id='l0' href='#r0'" in text
    assert "id='r0' href='#l0'" in text


def test_pieces_hold_the_left_text_and_what_is_new() -> None:
    found = differences("one two three four", "one 2 three four five")
    assert list(pieces("one two three four", "one 2 three four five", found)) == [
        ("same", "one "),
        ("gone", "two "),
        ("new", "2 "),
        ("same", "three four"),
        ("gone", ""),
        ("new", "five"),
    ]


@pytest.mark.parametrize("width", [390, 1200])
def test_the_page_works_in_a_browser(width: int, tmp_path: Path, browser: Any) -> None:
    """By keyboard and by click, without a word in the console, and no wider than the window."""
    (tmp_path / "page.html").write_text(page())
    tab = browser.new_page(viewport={"width": width, "height": 800})
    said: list[str] = []
    tab.on("console", lambda message: said.append(message.text))
    tab.on("pageerror", lambda error: said.append(str(error)))
    tab.goto((tmp_path / "page.html").as_uri())
    assert tab.title() != "owned"
    count = tab.locator("[data-change]").count()
    assert count >= 2
    tab.keyboard.press("n")
    assert tab.locator("#place").inner_text() == f"1 of {count}"
    tab.keyboard.press("p")
    assert tab.locator("#place").inner_text() == f"{count} of {count}"
    tab.click("#next")
    assert tab.locator("#place").inner_text() == f"1 of {count}"
    tab.locator("summary").first.click()
    assert tab.locator("details").first.get_attribute("open") is not None
    assert tab.evaluate("document.documentElement.scrollWidth") <= width
    assert said == []
    tab.close()
