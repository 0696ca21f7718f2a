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

from ilk.search.differences import folded_word_changes_and_moves
from ilk.write import side_by_side
from ilk.write.side_by_side import pieces_for_terminal
from tests.support.demands import package

HOSTILE = "<script>document.title='owned'</script><img src=x onerror=alert(1)>\"'&"
LEFT = " ".join(f"word{n}" for n in range(300)) + f" {HOSTILE} end"
RIGHT = LEFT.replace("word50 ", "other ").replace("word250 ", "") + " <b>new</b>"


def page(left: str = LEFT, right: str = RIGHT) -> str:
    return side_by_side.render_comparison_page(
        left,
        right,
        folded_word_changes_and_moves(left, right),
        sides=(f"a {HOSTILE}", "b"),
        meaning=f"They are near. {HOSTILE}",
        measures=[("resemblance", "0.9")],
        verdict="",
    )


def shown(text: str) -> list[str]:
    """Return the words of both columns of a page, without what a single column would show."""
    cell = '<div dir="auto">(.*?)</div>'
    text = re.sub('<(del|span) class="was">.*?</\\1>', "", text, flags=re.S)
    cells = re.findall(f'<div class="row">{cell}{cell}', text, re.S)
    return ["".join(unescape(re.sub("<[^>]+>", "", both[at])) for both in cells) for at in (0, 1)]


def test_the_page_holds_both_texts_whole() -> None:
    assert shown(page()) == [LEFT, RIGHT]


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
    # A cell begins and ends where words do: white space around a text is not part of any.
    assert [text.split() for text in shown(page(left, right))] == [left.split(), right.split()]
    found = folded_word_changes_and_moves(left, right)
    told = [
        text
        for role, text in pieces_for_terminal(left, right, found)
        if role in ("same", "gone", "away")
    ]
    rest = iter(left)
    assert all(character in rest for character in "".join(told))


def test_nothing_of_a_document_is_markup() -> None:
    text = page()
    assert text.count("<script>") == 1
    assert "<img" not in text
    assert "<b>new" not in text
    policy = unescape(text.split('Policy" content="')[1].split('"')[0])
    assert policy.startswith("default-src 'none'; base-uri 'none'; form-action 'none'; ")
    for name, kind in (("script", "script-src"), ("style", "style-src")):
        inside = text.split(f"<{name}>")[1].split(f"</{name}>")[0]
        digest = base64.b64encode(hashlib.sha256(inside.encode()).digest()).decode()
        assert f"{kind} 'sha256-{digest}'" in policy
    assert not re.search(r"<[^>]*\s(on\w+|style)=", text.split("<main")[1].split("</main>")[0])


def test_moved_passages_are_linked_both_ways() -> None:
    words = [f"word{n}" for n in range(200)]
    moved = [*words[:50], *words[80:], *words[50:80]]
    text = page(" ".join(words), " ".join(moved))
    assert 'id="l0" href="#r0"' in text
    assert 'id="r0" href="#l0"' in text
    assert "1 passage of 30 words moved" in text


def test_a_single_column_holds_what_both_have_and_what_differs() -> None:
    left, right = "one two three four five", "one 2 three 4 five six"
    rows = list(
        side_by_side.align_side_by_side_and_fold_equal(
            left, right, folded_word_changes_and_moves(left, right)
        )
    )
    parts = [
        part
        for row in rows
        for item in row.right
        for part in ([("", item)] if isinstance(item, str) else [part[:2] for part in item.parts])
    ]
    assert "".join(text for role, text in parts if role != "new").split() == left.split()
    assert "".join(text for role, text in parts if role != "was").split() == right.split()


def test_lines_of_both_texts_stand_beside_each_other() -> None:
    left = "\n".join(f"line {n} has five words" for n in range(8)) + "\n"
    right = left.replace("line 3 has", "line 3 had").replace("line 6", "an added line\nline 6")
    rows = list(
        side_by_side.align_side_by_side_and_fold_equal(
            left, right, folded_word_changes_and_moves(left, right)
        )
    )
    starts = [(first.strip()[:6], second.strip()[:6]) for first, second in map(_texts, rows)]
    assert ("", "an add") in starts
    assert all(first == second for first, second in starts if first)


def _texts(row: side_by_side.StretchPair) -> list[str]:
    return [
        "".join(
            item
            if isinstance(item, str)
            else "".join(part.text for part in item.parts if part.role != "was")
            for item in side
        )
        for side in (row.left, row.right)
    ]


@pytest.mark.parametrize(
    ("right", "said"),
    [
        ("a b c d", "the same words; case, punctuation or white space may differ"),
        ("a b c d e", "1 word added in 1 place"),
        ("b c", "2 words removed in 2 places"),
        ("a x y d e", "2 words removed, 3 words added in 2 places"),
    ],
)
def test_what_differs_is_said_in_words(right: str, said: str) -> None:
    assert (
        side_by_side.spell_counts_of_changes(folded_word_changes_and_moves("A b, c d", right))
        == said
    )


def test_pieces_hold_the_left_text_and_what_is_new() -> None:
    found = folded_word_changes_and_moves("one two three four", "one 2 three four five")
    assert list(pieces_for_terminal("one two three four", "one 2 three four five", found)) == [
        ("same", "one "),
        ("gone", "two "),
        ("new", "2 "),
        ("same", "three four"),
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
    count = folded_word_changes_and_moves(LEFT, RIGHT).count_stretches("changed")
    assert tab.locator("#place").inner_text() == f"{count} differences"
    assert tab.locator(".diff .c[id]").count() == count >= 3
    tab.keyboard.press("n")
    assert tab.locator("#place").inner_text() == f"1 of {count}"
    tab.keyboard.press("p")
    assert tab.locator("#place").inner_text() == f"{count} of {count}"
    tab.click("#next")
    assert tab.locator("#place").inner_text() == f"1 of {count}"
    assert tab.evaluate("document.activeElement.id") == "c1"
    tab.locator("summary").first.click()
    assert tab.locator("details").first.get_attribute("open") is not None
    tab.keyboard.press("a")
    assert tab.locator("details:not([open])").count() == 0
    narrow = width < 640
    assert tab.locator("del.was:visible").count() == (narrow and tab.locator("del.was").count())
    if not narrow:
        tab.get_by_label("one column").check()
        assert tab.locator("del.was:visible").count() == tab.locator("del.was").count() > 0
        assert not tab.locator(".row > div:first-child").first.is_visible()
    assert tab.evaluate("document.documentElement.scrollWidth") <= width
    assert said == []
    tab.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_page_passes_the_checks_of_axe(scheme: str, tmp_path: Path, browser: Any) -> None:
    axe = package("axe_playwright_python.sync_playwright").Axe()
    (tmp_path / "page.html").write_text(page())
    # Its own script may run for the check alone.
    context = browser.new_context(bypass_csp=True, color_scheme=scheme)
    tab = context.new_page()
    tab.goto((tmp_path / "page.html").as_uri())
    tab.keyboard.press("a")
    found = axe.run(tab)
    assert found.violations_count == 0, found.generate_report()
    context.close()
