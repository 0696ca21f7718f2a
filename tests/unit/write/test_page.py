"""The report as a page: whole, escaped, bounded, and read by hand, by eye and by machine."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

import ilk
from tests.demands import package

HOSTILE = "<script>document.title='owned'</script><img src=x onerror=alert(1)>\"'&\x00"
BASE = [f"word{n}" for n in range(120)]


def texts(families: int = 4) -> dict[str, str]:
    """Return per name a text: families of an original, a copy and an edited copy."""
    found = {}
    for family in range(families):
        own = [f"{word}f{family}" for word in BASE]
        edited = [*own[:60], "inserted", HOSTILE, *own[60:]]
        found[f"family{family}/a"] = " ".join(own)
        found[f"family{family}/copy"] = " ".join(own)
        found[f"family{family}/b {HOSTILE}"] = " ".join(edited)
    found["family0/c"] = " ".join([f"{word}f0" for word in BASE[:-1]])
    return found


@pytest.fixture(scope="module")
def result() -> ilk.Result:
    return ilk.find(texts())


def sections(page: str) -> list[str]:
    return re.findall(r"<section class='family'.*?</section>", page, re.S)


def test_every_family_is_there_the_largest_first(result: ilk.Result) -> None:
    found = sections(result.page())
    assert len(found) == 4
    assert "Family 1: 4 documents" in found[0]
    assert [section.count("<details class='member'>") for section in found] == [2, 1, 1, 1]
    assert all("<ins>inserted" in section for section in found)


def test_families_beyond_the_limit_are_rows_without_texts(result: ilk.Result) -> None:
    page = result.page(families=1)
    assert len(sections(page)) == 1
    assert page.count("<tr data-row>") == 3
    assert "3 smaller families" in page
    assert "word5f1" not in page
    assert "word5f0" in page


def test_members_beyond_the_limit_are_named_without_what_differs(result: ilk.Result) -> None:
    page = result.page(members=0)
    assert "<details class='member'>" not in page
    assert "and 3 more" in page
    assert sections(page)[0].count("class='name'") == 4


def test_nothing_of_a_document_or_a_name_is_markup(result: ilk.Result) -> None:
    page = result.page(families=2)
    assert page.count("<script") == 1
    assert "<img" not in page
    assert "&lt;img" in page


def test_the_histograms_count_every_member_and_family(result: ilk.Result) -> None:
    bars = result.report["resemblances"]
    assert sum(bar["rows"] for bar in bars) == len(result.clusters) - 4
    assert bars[-1]["rows"] >= 4
    page = result.page()
    sizes = page.split("Families by number of documents</h2>")[1].split("</table>")[0]
    assert re.findall(r"<td class='n'>(\S+)</td><td class='n'>(\d+)</td>", sizes) == [
        ("2", "0"),
        ("3", "3"),
        ("4", "1"),
    ]


def test_folders_stand_with_what_they_lose(tmp_path: Path) -> None:
    for name, text in texts(2).items():
        path = tmp_path / name.split(" ")[0]
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
    page = ilk.find(tmp_path).page()
    row = f"<td>{tmp_path}/family0</td><td class='n'>4</td><td class='n'>3</td>"
    assert row in page
    assert page.index("family0</td>") < page.index("family1</td>")


def test_a_member_of_another_data_set_has_no_text_to_show() -> None:
    rows = [text for name, text in texts(1).items() if "copy" not in name]
    page = ilk.deduplicate(rows[1:], against=rows[:1]).page()
    assert "not available" in page
    assert "Family 1" in page


@pytest.fixture
def page(result: ilk.Result, tmp_path: Path) -> str:
    path = tmp_path / "report.html"
    path.write_text(result.page(families=3), encoding="utf-8", errors="backslashreplace")
    return path.as_uri()


@pytest.mark.parametrize("width", [390, 1200])
def test_the_report_works_in_a_browser(width: int, page: str, browser: Any) -> None:
    """By click, keyboard and filter, silent in the console, and no wider than the window."""
    tab = browser.new_page(viewport={"width": width, "height": 800})
    said: list[str] = []
    tab.on("console", lambda message: said.append(message.text))
    tab.on("pageerror", lambda error: said.append(str(error)))
    tab.goto(page)
    assert tab.title() == "ilk: duplicates"
    member = tab.locator("details.member").first
    assert not member.locator("ins").first.is_visible()
    member.locator("summary").click()
    assert member.locator("ins").first.is_visible()
    tab.keyboard.press("/")
    tab.keyboard.type("FAMILY1/")
    assert tab.locator("section.family:visible").count() == 1
    assert tab.locator("#status").inner_text() == "1 of 4 families"
    tab.keyboard.press("Escape")
    assert tab.locator("section.family:visible").count() == 3
    tab.keyboard.press("n")
    tab.keyboard.press("n")
    focused = "document.activeElement.getAttribute('aria-labelledby')"
    first = tab.evaluate(focused)
    tab.keyboard.press("p")
    assert (first, tab.evaluate(focused)) == ("f2", "f1")
    assert tab.evaluate("document.documentElement.scrollWidth") <= width
    tab.evaluate("window.dispatchEvent(new Event('beforeprint'))")
    assert tab.locator("section.family details:not([open])").count() == 0
    assert said == []
    tab.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_report_passes_the_checks_of_axe(scheme: str, page: str, browser: Any) -> None:
    axe = package("axe_playwright_python.sync_playwright").Axe()
    # Its own script may run for the check alone.
    context = browser.new_context(bypass_csp=True, color_scheme=scheme)
    tab = context.new_page()
    tab.goto(page)
    tab.evaluate("document.querySelectorAll('details').forEach((each) => { each.open = true; })")
    found = axe.run(tab)
    assert found.violations_count == 0, found.generate_report()
    context.close()
