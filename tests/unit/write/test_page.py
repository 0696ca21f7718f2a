"""The report as a page: whole, escaped, bounded, and read by hand, by eye and by machine."""

from __future__ import annotations

import base64
import gzip
import json
import re
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import ilk
from ilk.write import plots, report
from ilk.write.families import Families
from ilk.write.results import named_rows_and_order
from tests.support.demands import package

HOSTILE = "<script>document.title='owned'</script><img src=x onerror=alert(1)>\"'&\x00"
BASE = [f"word{n}" for n in range(120)]


def texts(families: int = 4) -> dict[str, str]:
    """Return per name a text: families of an original, a copy and an edited copy."""
    found = {}
    for family in range(families):
        own = [f"{word}{'abcdefgh'[family]}" for word in BASE]
        edited = [*own[:60], "inserted", HOSTILE, *own[60:]]
        found[f"family{family}/a"] = " ".join(own)
        found[f"family{family}/copy"] = " ".join(own)
        found[f"family{family}/b {HOSTILE}"] = " ".join(edited)
    found["family0/c"] = " ".join([f"{word}a" for word in BASE[:-1]])
    return found


@pytest.fixture(scope="module")
def result() -> ilk.SearchResult:
    return ilk.find(texts())


def sections(page: str) -> list[str]:
    return re.findall('<article class="family".*?</article>', page, re.S)


def held(page: str) -> dict[str, Any]:
    """Return the data of the page."""
    inside = page.split('id="data">')[1].split("</script>")[0]
    found: dict[str, Any] = json.loads(gzip.decompress(base64.b64decode(inside, validate=True)))
    return found


def test_what_the_page_says_of_a_result_is_python(result: ilk.SearchResult) -> None:
    (said,) = re.findall(r"<code>(result\.[^<]*)</code>", result.page())
    assert eval(said) == result.keep_mask


def test_every_family_is_there_the_largest_first(result: ilk.SearchResult) -> None:
    found = sections(result.page())
    assert len(found) == 4
    assert "4 documents" in found[0]
    assert [section.count('<details class="differing">') for section in found] == [2, 1, 1, 1]
    assert all("<ins>inserted" in section for section in found)
    assert "words added in 1 place" in found[1]


def test_families_beyond_the_limit_are_data_without_differences(result: ilk.SearchResult) -> None:
    page = result.page(families=1)
    assert len(sections(page)) == 1
    assert "3 smaller families are not drawn without a script" in page
    data = held(page)
    assert [len(family[4]) for family in data["families"]] == [4, 3, 3, 3]
    names = {member[1] for family in data["families"] for member in family[4]}
    assert {name.rpartition("/")[2] for name in names} == names
    assert all(member[2] == -1 for member in (family[4][0] for family in data["families"]))
    # Their first words can be searched.
    assert data["families"][3][0].startswith("word0d")


def test_a_page_of_no_families_reads_no_text(result: ilk.SearchResult) -> None:
    assert "word5a" not in result.page(families=0)


def test_members_beyond_the_limit_are_named_without_what_differs(result: ilk.SearchResult) -> None:
    page = result.page(members=0)
    assert '<details class="differing">' not in page
    assert "<summary>3 more, without" in page
    assert sections(page)[0].count('class="name"') == 4


def test_a_family_of_many_groups_shows_as_many_differences_as_members_are_allowed() -> None:
    # Each is like its neighbours alone, so that a family has many groups.
    words = [f"word{n}" for n in range(700)]
    chain = [" ".join(words[at : at + 100]) for at in range(0, 600, 5)]
    found = ilk.find(chain)
    assert found.report["families"] == 1
    page = found.page(members=3)
    assert page.count('<details class="differing">') <= 4
    assert "in other groups, without their differences" in page
    assert page.count('<li class="member">') - len(chain) < report._NAMED
    assert len(held(page)["families"][0][4]) == len(chain)


def test_nothing_of_a_document_or_a_name_is_markup(result: ilk.SearchResult) -> None:
    page = result.page(families=2)
    assert page.count("<script") == 2
    assert "<img" not in page
    assert "&lt;img" in page
    inside = page.split("<main")[1].split("</main>")[0]
    assert not re.search(r"<[^>]*\s(on\w+|style)=", inside)


def test_every_member_is_counted_in_the_plots(result: ilk.SearchResult) -> None:
    named = named_rows_and_order(result.documents, result.clusters)
    every = Families(
        ordered_rows=named, documents=result.documents, read_texts=lambda docs: [None] * len(docs)
    )
    spare = [member for family in every for member in family.members if member.resemblance != 1]
    plot = plots.resemblance_histogram(pa.array(member.resemblance or 0.0 for member in spare), 0.8)
    assert sum(count for _, count in plot.columns) == len(spare) == 5
    assert dict(plots.count_size_classes([len(family) for family in every])) == {"3": 3, "4": 1}


@given(st.lists(st.floats(0.001, 1000), min_size=1, max_size=60), st.floats(0.3, 5))
def test_a_treemap_fills_its_plot_in_proportion(weights: list[float], across: float) -> None:
    weights = sorted(weights, reverse=True)
    boxes = plots.make_treemap(weights, across)
    for weight, box in zip(weights, boxes, strict=True):
        assert box.width * box.height == pytest.approx(1e4 * weight / sum(weights), rel=1e-6)
        assert -1e-6 <= box.x <= box.x + box.width <= 100 + 1e-6
        assert -1e-6 <= box.y <= box.y + box.height <= 100 + 1e-6
    for at, one in enumerate(boxes):
        for other in boxes[at + 1 :]:
            across_both = min(one.x + one.width, other.x + other.width) - max(one.x, other.x)
            down_both = min(one.y + one.height, other.y + other.height) - max(one.y, other.y)
            assert min(across_both, down_both) <= 1e-6


def test_the_first_screen_says_what_could_go(tmp_path: Path) -> None:
    for name, text in texts(3).items():
        path = tmp_path / name.split(" ")[0]
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
    result = ilk.find(tmp_path)
    page = result.page(files=result.files(drop="exact,near"))
    assert re.search(r"<h1>7 files could go, \d\.\d kB</h1>", page)
    folders = re.findall(r"<tr><td><bdi>(family.)</bdi>.*?<td class=\"n\">(.*?)</td>", page, re.S)
    assert folders == [("family0", "3 of 4"), ("family1", "2 of 3"), ("family2", "2 of 3")]
    # Files are links; what differs from the defaults is all that is said of the options.
    assert f'href="file://{tmp_path}/family0/a"' in page
    assert "With the defaults of all options." in page
    chosen = ilk.find(tmp_path, resemblance=0.9).page().split("All options")[0]
    assert "<bdi>--resemblance</bdi></td>" in chosen
    assert "<bdi>--keep</bdi></td>" not in chosen


def test_the_page_counts_what_a_plan_would_drop_and_says_why_the_rest_stays(tmp_path: Path) -> None:
    text = " ".join(BASE)
    for name, content in {
        "a.txt": f"{text} 1999",
        "a copy.txt": f"{text} 1999",
        "b.txt": f"{text} 2001",
        "empty": "",
        "empty too": "",
    }.items():
        (tmp_path / name).write_text(content)
    result = ilk.find(tmp_path)
    assert len(result.files().size_by_dropped_file()) == 1
    page = result.page()
    assert re.search(r"<h1>1 file could go, \d+ B</h1>", page)
    numbers = "differs from its keeper only in numbers, but for 1 run of 3 words"
    assert f"stays: it {numbers}; <code>--drop numbers_only</code> lets it go" in page
    assert "stays: it is empty; <code>--drop empty</code> lets it go" in page
    reasons = held(page)["reasons"]
    assert {reasons[one[6]] for family in held(page)["families"] for one in family[4]} == {
        "stays",
        "could go",
        f"stays: it {numbers}; --drop numbers_only lets it go",
        "stays: it is empty; --drop empty lets it go",
    }
    more = result.page(files=result.files(drop="empty"))
    assert "<h1>2 files could go" in more


def test_a_member_of_another_data_set_has_no_text_to_show() -> None:
    rows = [text for name, text in texts(1).items() if "copy" not in name]
    page = ilk.deduplicate(rows[1:], against=rows[:1]).page()
    assert "not available" in page
    assert len(sections(page)) == 1


@pytest.fixture
def page(result: ilk.SearchResult, tmp_path: Path) -> str:
    path = tmp_path / "report.html"
    path.write_text(result.page(families=3), encoding="utf-8", errors="backslashreplace")
    return path.as_uri()


@pytest.mark.parametrize("width", [390, pytest.param(1200, marks=pytest.mark.long)])
def test_the_report_works_in_a_browser(width: int, page: str, browser: Any) -> None:
    """By click, keyboard and filter, silent in the console, and no wider than the window."""
    tab = browser.new_page(viewport={"width": width, "height": 800})
    said: list[str] = []
    tab.on("console", lambda message: said.append(message.text))
    tab.on("pageerror", lambda error: said.append(str(error)))
    tab.goto(page)
    assert tab.title() == "ilk: duplicates"
    member = tab.locator("details.differing").first
    assert not member.locator("ins").first.is_visible()
    member.locator("summary").click()
    assert member.locator("ins").first.is_visible()
    # In an opened member, the keys lead from change to change.
    changes = member.locator(".c[id]")
    for at in range(changes.count()):
        tab.keyboard.press("n")
        assert tab.evaluate("document.activeElement.id") == changes.nth(at).get_attribute("id")
    tab.keyboard.press("/")
    tab.keyboard.type("FAMILY1/")
    families = tab.locator("article.family")
    families.nth(1).wait_for(state="detached")
    assert tab.locator("#status").inner_text() == "1 of 4 families"
    tab.keyboard.press("Escape")
    families.nth(3).wait_for()
    # The last one is drawn from the data of the page, and the map leads to it.
    assert families.count() == 4
    assert families.nth(3).locator("li.member").count() == 3
    tab.get_by_label("Order").select_option("name")
    assert families.first.get_attribute("id") == "f1"
    tab.get_by_label("Order").select_option("")
    tab.get_by_label("Search in names and first words").fill("WORD3C word4")
    families.nth(1).wait_for(state="detached")
    assert families.first.get_attribute("id") == "f3"
    tab.keyboard.press("Escape")
    families.nth(3).wait_for()
    tab.keyboard.press("n")
    tab.keyboard.press("n")
    focused = "document.activeElement.id"
    first = tab.evaluate(focused)
    tab.keyboard.press("p")
    assert (first, tab.evaluate(focused)) == ("f2", "f1")
    assert tab.evaluate("document.documentElement.scrollWidth") <= width
    tab.evaluate("window.dispatchEvent(new Event('beforeprint'))")
    assert tab.locator("article.family details:not([open])").count() == 0
    assert said == []
    tab.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [320, 1280])
def test_an_opened_member_has_a_map_of_changes_and_lines_of_moves(
    width: int, scheme: str, tmp_path: Path, browser: Any
) -> None:
    axe = package("axe_playwright_python.sync_playwright").Axe()
    own = [f"word{n}" for n in range(300)]
    moved = ["new", HOSTILE, *own[:40], *own[80:200], *own[40:80], *own[200:250], *own[251:]]
    pages = {"report": ilk.find([" ".join(own), " ".join(moved)], resemblance=0.5).page()}
    pages["comparison"] = ilk.compare([" ".join(own)], [" ".join(moved)]).html()
    context = browser.new_context(
        bypass_csp=True, color_scheme=scheme, viewport={"width": width, "height": 800}
    )
    said: list[str] = []
    for name, page in pages.items():
        (tmp_path / f"{name}.html").write_text(page)
        tab = context.new_page()
        tab.on("console", lambda message: said.append(message.text))
        tab.on("pageerror", lambda error: said.append(str(error)))
        tab.goto((tmp_path / f"{name}.html").as_uri())
        marks, lines = tab.locator(".map a"), tab.locator(".lines path")
        if name == "report":
            # Nothing is drawn before the member is opened, and nothing twice.
            assert marks.count() == lines.count() == 0
            for _ in range(3):
                tab.locator("details.differing > summary").click()
        changes = tab.locator(".c[id]").evaluate_all("(all) => all.map((each) => '#' + each.id)")
        marks.first.wait_for()
        assert (
            marks.evaluate_all("(all) => all.map((each) => each.getAttribute('href'))") == changes
        )
        roles = marks.evaluate_all("(all) => all.map((each) => each.firstChild.classList[0])")
        # The words before, both places of the passage, and a word less.
        assert roles == ["m-new", "m-gone", "m-new", "m-gone"]
        assert tab.locator(".map").bounding_box()["height"] <= 800
        # Tab leads to the first mark, arrows to the others, and Enter to the change.
        assert tab.locator(".map a[tabindex='0']").count() == 1
        tab.locator(".map a[tabindex='0']").focus()
        tab.keyboard.press("ArrowDown")
        tab.keyboard.press("ArrowDown")
        tab.keyboard.press("ArrowUp")
        tab.keyboard.press("Enter")
        tab.wait_for_function(f"'#' + document.activeElement.id === '{changes[1]}'")
        marks.nth(2).click()
        tab.wait_for_function(f"'#' + document.activeElement.id === '{changes[2]}'")
        if width > 640:
            lines.first.wait_for(state="attached")
            assert lines.count() == 1
            tab.locator("a.moved").first.focus()
            assert tab.locator(".lines .here").count() == 1
            tab.get_by_label("one column").check()
            assert lines.count() == 0
        assert tab.evaluate("document.documentElement.scrollWidth") <= width
        assert tab.title() != "owned"
        found = axe.run(tab)
        assert found.violations_count == 0, found.generate_report()
    assert said == []
    context.close()


def plain(kind: str, folder: Path) -> str:
    """Return a page of another kind."""
    if kind == "empty":
        return ilk.find(["one text", "and another one"]).page()
    notice, own = " ".join(BASE[:30]), " ".join(BASE[60:])
    if kind == "passages":
        some = [f"{' '.join(f'{kind}{n}x{m}' for m in range(9))} {notice}" for n in range(12)]
        return ilk.passages([*some, f"{own} {HOSTILE} {own}", own], words=20).page()
    if kind == "sets":
        train, evals = folder / f"{'train' * 20}.jsonl", folder / f"{'evals' * 20}.jsonl"
        train.write_text(json.dumps({"text": " ".join(BASE)}))
        items = [HOSTILE, own, notice, f"{'w' * 200} {own}"]
        evals.write_text("".join(json.dumps({"text": text}) + "\n" for text in items))
        return ilk.passages(train, against=evals, words=9).page()
    essay = f"{HOSTILE} own words {' '.join(BASE[:40])} of mine “{' '.join(BASE[90:99])}”"
    against = {f"source {HOSTILE}": " ".join(BASE)}
    return ilk.find({"essay": essay}, against=against, containment=0.5).page()


@pytest.mark.parametrize("width", [320, 1280])
@pytest.mark.parametrize("kind", ["empty", "passages", "copied", "sets"])
def test_other_pages_fit_and_pass_the_checks_of_axe(
    kind: str, width: int, tmp_path: Path, browser: Any
) -> None:
    axe = package("axe_playwright_python.sync_playwright").Axe()
    (tmp_path / "page.html").write_text(plain(kind, tmp_path))
    scheme = "dark" if width == 320 else "light"
    size = {"width": width, "height": 800}
    context = browser.new_context(bypass_csp=True, color_scheme=scheme, viewport=size)
    tab = context.new_page()
    said: list[str] = []
    tab.on("console", lambda message: said.append(message.text))
    tab.on("pageerror", lambda error: said.append(str(error)))
    tab.goto((tmp_path / "page.html").as_uri())
    tab.evaluate("document.querySelectorAll('details').forEach((each) => { each.open = true; })")
    assert tab.evaluate("document.documentElement.scrollWidth") <= width
    # No column of the sets is out of sight.
    cells = "Array.from(document.querySelectorAll('.sets td'))"
    ends = tab.evaluate(f"{cells}.map((cell) => cell.getBoundingClientRect().right)")
    assert all(end <= width for end in ends)
    assert bool(ends) == (kind == "sets")
    found = axe.run(tab)
    assert found.violations_count == 0, found.generate_report()
    assert said == []
    context.close()


def test_passages_stand_once_and_by_kind(tmp_path: Path) -> None:
    page = plain("passages", tmp_path)
    heads = re.findall("<h2[^>]*>(.*?)</h2>", page)
    assert heads[:3] == [
        "What is also elsewhere, word for word",
        "Shared by documents",
        "Notices that stand in many documents",
    ]
    assert "this notice stands in 12 documents" in page


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
