"""Every page with hostile names and texts: nothing runs, all fits, axe is silent."""

from __future__ import annotations

from importlib import resources
from pathlib import Path
from typing import Any

import pytest

import ilk
from tests.support.demands import package
from tests.support.payloads import PAYLOADS, check

#: Every text has each payload once, and words enough to be alike.
WORDS = [f"word{n}" for n in range(160)]
BASE = "\n".join(f"{' '.join(WORDS[4 * at : 4 * at + 4])} {one}" for at, one in enumerate(PAYLOADS))


def edited(at: int) -> str:
    """Return the text with a payload more, and another one at another place."""
    lines = BASE.split("\n")
    return "\n".join([*lines[:at], f"new {PAYLOADS[at]}", *lines[at + 1 :], lines[at]])


def made(kind: str) -> str:
    """Return a page."""
    if kind == "report":
        texts = {f"{one}/{at} {one}": edited(at) for at, one in enumerate(PAYLOADS)}
        return ilk.find(texts | {"base": BASE}).page(families=1, members=20)
    if kind == "data":  # All families are in the data, which the script draws.
        texts = {
            f"{one}/{at}": f"{one} {' '.join(WORDS[at : at + 60])}"
            for at, one in enumerate(PAYLOADS)
        }
        copies = {f"{name} copy": text for name, text in texts.items()}
        return ilk.find(texts | copies).page(families=1)
    if kind == "comparison":
        compared = ilk.compare([BASE], [edited(3)])
        return compared.html(PAYLOADS[15], PAYLOADS[4])
    if kind == "plagiarism":
        essays = {one: f"{one} of mine. {BASE[40:900]} “{BASE[900:1200]}”" for one in PAYLOADS[:9]}
        return ilk.find(essays, against={PAYLOADS[12]: BASE}, containment=0.5).page()
    if kind == "passages":
        return ilk.passages([BASE, edited(5), edited(9)], words=8).page()
    found = ilk.find([BASE, edited(1)])
    parts = (found, found.families[0], ilk.compare([BASE], [edited(2)]), ilk.passages([BASE, BASE]))
    inside = "".join(one._repr_html_() for one in parts)
    return f'<!doctype html><html lang="en"><title>n</title><main><h1>n</h1>{inside}</main></html>'


KINDS = ("report", "data", "comparison", "plagiarism", "passages", "notebook")


def test_every_template_has_a_hostile_page() -> None:
    """The data of a report are drawn by its script; the others hold parts of pages."""
    found = {one.name for one in (resources.files("ilk.write") / "templates").iterdir()}
    made = {f"{kind}.html" for kind in {*KINDS, "frame", "parts"} - {"data"}}
    assert {name for name in found if name.endswith(".html")} == made


@pytest.mark.parametrize("widths", [(320,), pytest.param((1280, 1920), marks=pytest.mark.long)])
@pytest.mark.parametrize("kind", KINDS)
def test_nothing_of_a_document_runs_and_every_page_fits(
    kind: str, widths: tuple[int, ...], tmp_path: Path, browser: Any
) -> None:
    axe = package("axe_playwright_python.sync_playwright").Axe()
    file = tmp_path / "page.html"
    file.write_text(made(kind), encoding="utf-8", errors="backslashreplace")
    # Without the policy of the page, so that its templates alone keep everything from running.
    context = browser.new_context(bypass_csp=True)
    tab = context.new_page()
    asked: list[str] = []
    tab.on("request", lambda request: asked.append(request.url))
    tab.on("dialog", lambda dialog: asked.append(dialog.message))
    tab.goto(file.as_uri())
    for width in widths:
        tab.set_viewport_size({"width": width, "height": 900})
        check(tab)
        if kind != "notebook":
            assert tab.evaluate("document.documentElement.scrollWidth") <= width
            found = axe.run(tab)
            assert found.violations_count == 0, found.generate_report()
    if kind in ("report", "data"):
        tab.evaluate("window.scrollTo(0, document.body.scrollHeight)")
        for order in ("name", "alike"):
            tab.get_by_label("Order").select_option(order)
            check(tab)
        tab.fill("#filter", PAYLOADS[0])
        tab.wait_for_timeout(50)
        check(tab)
    assert asked == [file.as_uri()]
    context.close()
