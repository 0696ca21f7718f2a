"""Every page of the service with hostile names, texts, labels and guests: nothing runs."""

from __future__ import annotations

from collections.abc import Iterator
from importlib import resources
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest
from server_support import Served, served
from tests.support.demands import package
from tests.support.payloads import PAYLOADS, check

import ilk_server

WORDS = [f"word{n}" for n in range(160)]
BASE = "\n".join(f"{' '.join(WORDS[4 * at : 4 * at + 4])} {one}" for at, one in enumerate(PAYLOADS))


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    documents = [
        {
            "id": "".join(filter(str.isprintable, f"{at} {one}")),
            "text": f"{BASE} {one} {at}",
            "title": f"{one} {at}",
            "source": f"{one}/{at}",
            "metadata": {one: one},
        }
        for at, one in enumerate(PAYLOADS)
    ]
    with served(tmp_path_factory.mktemp("hostile") / "library.ilk", "--texts", "--exact") as it:
        with ilk_server.Client(it.url, it.token) as client:
            client.add_many(documents)
        yield it


@pytest.mark.parametrize(
    "width",
    [320, pytest.param(1280, marks=pytest.mark.long), pytest.param(1920, marks=pytest.mark.long)],
)
def test_nothing_that_people_enter_runs(hostile: Served, browser: Any, width: int) -> None:
    axe = package("axe_playwright_python.sync_playwright").Axe()
    # Without the policy of the answers, so that the templates alone keep everything from running.
    context = browser.new_context(bypass_csp=True, viewport={"width": width, "height": 900})
    tab = context.new_page()
    met: list[str] = []
    tab.on("dialog", lambda dialog: met.append(dialog.message))
    tab.on("pageerror", lambda error: met.append(str(error)))
    tab.on("request", lambda request: met.append(request.url))
    seen: set[str] = set()

    def look(template: str) -> None:
        seen.add(template)
        check(tab)
        assert tab.evaluate("document.documentElement.scrollWidth") <= width
        found = axe.run(tab)
        assert found.violations_count == 0, found.generate_report()

    for at in (15, 34, 35):
        tab.goto(f"{hostile.url}/login?{urlencode({'then': PAYLOADS[at]})}")
        tab.get_by_label("Token").fill(PAYLOADS[at])
        tab.keyboard.press("Enter")
        tab.get_by_role("alert").wait_for()
        look("login")
    tab.goto(f"{hostile.url}/review")
    tab.get_by_label("Your name").fill(PAYLOADS[12])
    tab.get_by_label("Token").fill(hostile.token)
    tab.keyboard.press("Enter")
    tab.get_by_role("heading", name="Review", exact=True).wait_for()

    look("review")
    tab.goto(f"{hostile.url}/review/next")
    look("family")
    tab.get_by_role("button", name="Different").click()
    look("family")  # Now with who has decided: the name of a guest.
    for address, template in (
        ("/overview", "overview"),
        ("/nowhere<script>", "problem"),
        ("/browse?text=yes&q=%3Cscript%3E", "browse"),
        ("/browse", "browse"),
    ):
        tab.goto(hostile.url + address)
        look(template)
    tab.locator("tbody th a").nth(5).click()
    look("document")
    tab.get_by_role("link", name="side by side").first.click()
    look("beside")
    tab.goto(f"{hostile.url}/")
    tab.get_by_label("Text", exact=True).fill(BASE)
    tab.get_by_role("button", name="Ask").click()
    tab.locator("#found").wait_for()
    look("ask")
    # A page that is added is added here too; all of them extend the template of the service.
    templates = resources.files("ilk_server") / "templates"
    assert {f"{name}.html" for name in (*seen, "service")} == {
        one.name for one in templates.iterdir()
    }
    assert not [said for said in met if not said.startswith(hostile.url)]
    context.close()


def test_a_file_with_a_hostile_name_is_asked_about(
    hostile: Served, browser: Any, tmp_path: Path
) -> None:
    context = browser.new_context(bypass_csp=True)
    tab = context.new_page()
    tab.goto(f"{hostile.url}/")
    tab.get_by_label("Token").fill(hostile.token)
    tab.keyboard.press("Enter")
    file = tmp_path / "<img src=x onerror=window.hit=1>.txt"
    file.write_text(BASE)
    tab.get_by_label("Choose a file").set_input_files(file)
    tab.get_by_role("button", name="Ask").click()
    tab.locator("#found").wait_for()
    check(tab)
    assert tab.get_by_text(f"Asked about {file.name}").count() == 1
    context.close()
