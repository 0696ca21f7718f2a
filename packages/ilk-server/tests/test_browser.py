"""A person at a real browser: ask, add, decide of ten families by keyboard, take back, export."""

from __future__ import annotations

import json
import re
import sysconfig
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from server_support import Served
from tests.support.demands import package

import ilk_server
from ilk.tasks.labels import read_tab_separated_labels

#: Real documents that every machine has: modules of Python's own library.
MODULES = (
    *("argparse", "ast", "bdb", "calendar", "cmd", "code", "configparser"),
    *("csv", "difflib", "doctest", "fractions", "ftplib"),
)

ARABIC = [f"كلمة{number}" for number in range(120)]

#: Pages by their addresses.
PAGES = (
    *("/", "/browse", "/browse/csv", "/browse/csv/beside/csv%2C%20later", "/review"),
    *("/review?order=doubtful", "/review/next", "/overview"),
)

#: Whether the two texts of a page stand beside each other, the one that stays on the left; or
#: whether only what differs is shown.
SIDE_BY_SIDE, ONE_COLUMN = (
    "() => { const [left, right] = [...document.querySelectorAll('.differs .row:not(.key) > div')]"
    f".map((each) => each.getBoundingClientRect()); return {said}; }}"
    for said in ("left.x < right.x", "left.width === 0")
)


def documents() -> dict[str, str]:
    """Per name a text: modules, each with a later edition, and one from right to left."""
    library = Path(sysconfig.get_path("stdlib"))
    found = {}
    for module in MODULES:
        text = (library / f"{module}.py").read_text(errors="replace")
        words = text.split(" ")
        found[module] = text
        found[f"{module}, later"] = " ".join([*words[:40], "corrected", *words[44:]])
    found["رسالة"] = " ".join(ARABIC)
    found["رسالة ثانية"] = " ".join([*ARABIC[:60], "مختلف", *ARABIC[61:]])
    return found


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    it = Served(tmp_path_factory.mktemp("served") / "library.ilk", "--texts", "--exact")
    with ilk_server.Client(it.url, it.token) as client:
        client.add_many([{"id": name, "text": text} for name, text in documents().items()])
    yield it
    it.close()


class Person:
    """Somebody at a browser, whose console is read and whose requests are noted."""

    def __init__(self, browser: Any, it: Served, who: str, **options: Any) -> None:
        self.context = browser.new_context(**options)
        self.tab = self.context.new_page()
        self.said: list[str] = []
        self.asked: list[str] = []
        self.tab.on("console", lambda message: self.said.append(message.text))
        self.tab.on("pageerror", lambda error: self.said.append(str(error)))
        self.tab.on("request", lambda request: self.asked.append(request.url))
        self.it = it
        self.log_in(who)

    def log_in(self, who: str) -> None:
        self.tab.goto(f"{self.it.url}/review")
        self.tab.get_by_label("Your name").fill(who)
        self.tab.get_by_label("Token").fill(self.it.token)
        self.tab.keyboard.press("Enter")
        self.tab.get_by_role("heading", name="Review", exact=True).wait_for()

    def press(self, key: str) -> None:
        """Press a key that leads to another page, once the script that knows it has run."""
        self.tab.wait_for_load_state()
        with self.tab.expect_navigation():
            self.tab.keyboard.press(key)

    def go(self, path: str) -> None:
        self.tab.goto(self.it.url + path)

    def progress(self) -> tuple[int, int]:
        """How many documents are decided, and how many families are done."""
        text = self.tab.locator("main").inner_text()
        found = re.search(r"(\d+) of \d+ (?:documents )?decided,\s+(\d+) of", text)
        assert found is not None, text
        return int(found[1]), int(found[2])

    def width(self) -> int:
        """How wide the page is, with what is cut off at its edges."""
        parts = "['html', 'main'].map((each) => document.querySelector(each).scrollWidth)"
        return int(self.tab.evaluate(f"Math.max(...{parts})"))

    def close(self) -> None:
        self.context.close()
        assert self.said == []
        hosts = {url.split("/")[2] for url in self.asked}
        assert hosts == {self.it.url.split("/")[2]}


def test_ten_families_are_decided_by_keyboard(served: Served, browser: Any, tmp_path: Path) -> None:
    ann = Person(browser, served, "Ann", accept_downloads=True)
    tab = ann.tab
    # Ask, and add.
    ann.go("/")
    text = documents()["csv"].replace("import", "export", 3)
    tab.get_by_label("Text", exact=True).fill(text)
    ann.press("Control+Enter")
    assert tab.locator("article h3").first.inner_text() in ("csv", "csv, later")
    assert tab.locator("del").first.is_visible()
    tab.get_by_label("Id of its own").fill("csv, exported")
    ann.press("Enter")
    assert tab.get_by_role("status").inner_text() == "Added as csv, exported."
    # The list, by keyboard alone: to the link that begins, and in.
    ann.go("/review?order=largest")
    tab.locator("#begin").focus()
    ann.press("Enter")
    before = ann.progress()
    expected: list[tuple[str, str, int]] = []
    for at in range(10):
        keeper = tab.locator("#decide input[name=keeper]").input_value()
        name = tab.locator("#decide input[name=name]").input_value()
        key = "sdksdskssd"[at]  # "a" is there for two or more.
        ann.press(key)
        expected.append((json.loads(keeper), json.loads(name), int(key != "d")))
    decided, done = ann.progress()
    assert (decided - before[0], done >= 9) == (10, True)
    # Take back the last one, and say it again.
    ann.press("u")
    assert ann.progress()[0] == decided - 1
    assert tab.get_by_text("Undone.").is_visible()
    ann.press("s")
    expected[-1] = (*expected[-1][:2], 1)
    assert ann.progress()[0] == decided
    # A reload changes nothing.
    tab.reload()
    assert ann.progress()[0] == decided
    ann.press("l")
    with tab.expect_download() as labels:
        tab.get_by_role("link", name="Labels").click()
    labels.value.save_as(tmp_path / "labels.tsv")
    read = read_tab_separated_labels(tmp_path / "labels.tsv")
    assert sorted((one.left, one.right, int(one.value)) for one in read) == sorted(expected)
    ann.close()


def test_what_was_decided_survives_a_kill(browser: Any, tmp_path: Path) -> None:
    path = tmp_path / "s.ilk"
    first = Served(path, "--texts", "--exact")
    with ilk_server.Client(first.url, first.token) as client:
        some = list(documents().items())[:4]
        client.add_many([{"id": name, "text": text} for name, text in some])
    ann = Person(browser, first, "Ann")
    ann.go("/review/next")
    ann.press("d")
    ann.close()
    first.close()  # By a signal that nobody can handle.
    again = Served(path)
    later = Person(browser, again, "Ann")
    assert later.progress() == (1, 1)
    later.go("/review/next")
    later.press("u")
    assert later.progress() == (0, 0)
    later.close()
    again.close()


def test_several_people_see_one_another(served: Served, browser: Any) -> None:
    ann, bob = (Person(browser, served, who) for who in ("Ann", "Bob"))
    ann.tab.clock.install()
    ann.go("/review")
    ann.tab.get_by_role("link", name="رسالة", exact=True).click()
    ann.tab.locator("#decide").wait_for()
    bob.tab.goto(ann.tab.url)
    assert bob.tab.locator("#looking").inner_text() == "Also looking at this family: Ann."
    # Ann's page gives a sign by itself now and then, and shows who else is there.
    ann.tab.clock.run_for(60_000)
    ann.tab.get_by_text("Also looking at this family: Bob.").wait_for(timeout=30_000)
    ann.close()
    bob.close()


@pytest.mark.parametrize("scheme", ["light", pytest.param("dark", marks=pytest.mark.long)])
def test_every_page_passes_the_checks_of_axe(served: Served, browser: Any, scheme: str) -> None:
    axe = package("axe_playwright_python.sync_playwright").Axe()
    # Its own script may run for the check alone.
    ann = Person(browser, served, "Ann", bypass_csp=True, color_scheme=scheme)
    tab = ann.tab
    for path in PAGES:
        ann.go(path)
        if path == "/":
            tab.get_by_label("Text", exact=True).fill(documents()["csv"])
            ann.press("Control+Enter")
        opened = "document.querySelectorAll('details').forEach((each) => { each.open = true; })"
        tab.evaluate(opened)
        found = axe.run(tab)
        assert found.violations_count == 0, f"{path}: {found.generate_report()}"
    tab.get_by_role("button", name="Log out").click()
    found = axe.run(tab)
    assert found.violations_count == 0, found.generate_report()
    ann.close()


@pytest.mark.parametrize(("width", "scheme"), [(1200, "light"), (390, "dark"), (320, "light")])
def test_every_page_fits_its_window(
    served: Served, browser: Any, width: int, scheme: str, tmp_path: Path
) -> None:
    size = {"width": width, "height": 800}
    ann = Person(browser, served, "Ann", viewport=size, color_scheme=scheme)
    for at, path in enumerate(PAGES):
        ann.go(path)
        assert ann.width() <= width, path
        ann.tab.screenshot(path=str(tmp_path / f"{at}-{scheme}-{width}.png"), full_page=True)
    ann.go("/review")
    ann.tab.get_by_role("link", name="رسالة", exact=True).click()
    cells = ann.tab.locator(".differs .row:not(.key) > div")
    cells.nth(1).wait_for()
    # Texts run from right to left; the one that stays is on the left all the same. Where there is
    # no room for two columns, one shows what both have and what differs.
    assert cells.nth(1).evaluate("(each) => getComputedStyle(each).direction") == "rtl"
    ann.tab.wait_for_function(SIDE_BY_SIDE if width > 640 else ONE_COLUMN)
    assert ann.tab.locator(".differs .diff del:visible").count() == 1
    assert ann.width() <= width
    ann.tab.screenshot(path=str(tmp_path / f"rtl-{scheme}-{width}.png"), full_page=True)
    ann.close()


def test_the_pages_work_without_their_script(served: Served, browser: Any) -> None:
    ann = Person(browser, served, "Eve", java_script_enabled=False)
    ann.go("/review/next")
    before = ann.progress()[0]
    ann.tab.get_by_role("button", name="Different").click()
    assert ann.progress()[0] == before + 1
    ann.tab.get_by_role("button", name="Undo").click()
    assert ann.progress()[0] == before
    ann.go("/")
    ann.tab.get_by_label("Text", exact=True).fill(documents()["cmd"])
    ann.tab.get_by_role("button", name="Ask").click()
    assert ann.tab.locator("article").count() >= 1
    ann.close()


def test_a_letter_with_a_thousand_marks_makes_no_page_wider(browser: Any, tmp_path: Path) -> None:
    it = Served(tmp_path / "marks.ilk", "--texts")
    name = "Z" + "\u0301" * 1000 + "a" + "\u0489" * 500
    with ilk_server.Client(it.url, it.token) as client:
        for at in (0, 1):
            client.add(f"{documents()['csv']} {name} {at}", id=f"m{at}", title=name, source=name)
    ann = Person(browser, it, "Ann", viewport={"width": 320, "height": 800})
    for path in ("/browse", "/browse/m0", "/browse/m0/beside/m1", "/review", "/review/next"):
        ann.go(path)
        assert ann.tab.evaluate("document.documentElement.scrollWidth") <= 320, path
    ann.close()
    it.close()
