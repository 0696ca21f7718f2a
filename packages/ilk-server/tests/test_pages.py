"""The pages: forms of a session, and nothing in a document that runs; in a real browser too."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from server_support import TOKENS, Serving, served
from starlette.testclient import TestClient
from tests.support.stores import LONG

import ilk_server

NEAR = LONG.replace("word100", "changed")
HOSTILE = (
    "<script>document.title='hit'</script><img src=x onerror=\"document.title='hit'\">'\"&{{7*7}}"
)


def _logged_in(serving: Serving, role: str = "admin") -> tuple[TestClient, str]:
    service = serving(None)
    answer = service.post("/login", data={"token": TOKENS[role]})
    assert (answer.status_code, answer.headers["location"]) == (303, "/")
    said = answer.headers["set-cookie"].lower()
    assert "httponly" in said
    assert "samesite=strict" in said
    csrf = re.search(r'name="csrf" value="([^"]+)"', service.get("/").text)
    assert csrf is not None
    return service, csrf[1]


def test_a_browser_without_a_session_is_sent_to_log_in(serving: Serving) -> None:
    service = serving(None)
    answer = service.get("/", headers={"Accept": "text/html,*/*"})
    assert (answer.status_code, answer.headers["location"]) == (303, "/login")
    assert service.get("/login").status_code == 200
    wrong = service.post("/login", data={"token": "wrong"})
    assert (wrong.status_code, "set-cookie" in wrong.headers) == (401, False)


def test_a_form_must_be_of_its_session(serving: Serving) -> None:
    service, csrf = _logged_in(serving)
    for path in ("/ask", "/add", "/logout"):
        for said in ({}, {"csrf": "wrong"}):
            assert service.post(path, data={"text": LONG, **said}).status_code == 403
    body = {"text": LONG}
    assert service.post("/documents", json=body).status_code == 403
    assert service.post("/documents", json=body, headers={"X-CSRF-Token": csrf}).status_code == 201
    assert service.post("/logout", data={"csrf": csrf}).status_code == 303
    assert service.get("/").status_code == 401


def test_a_text_is_asked_about_and_added(serving: Serving) -> None:
    service, csrf = _logged_in(serving)
    none = service.post("/ask", data={"csrf": csrf, "text": LONG}).text
    assert "No\n document is like it" in none
    added = service.post(
        "/add", data={"csrf": csrf, "text": LONG, "id": "a", "on_duplicate": "report"}
    )
    half = {"csrf": csrf, "text": " ".join([*LONG.split()[:50], *map(str, range(90))])}
    assert "No\n document is like it" in service.post("/ask", data=half).text
    nearest = service.post("/ask", data={**half, "nearest": "3"}).text
    assert "Nearest to it" in nearest
    assert 'value="link"' not in nearest
    assert 'Added as <a href="/browse/a"><bdi>a</bdi></a>' in added.text
    page = service.post("/ask", data={"csrf": csrf}, files={"file": ("n.txt", NEAR)}).text
    assert re.search(r"<del>\s*changed\s*</del>", page)
    assert re.search(r"<ins>\s*word100\s*</ins>", page)
    again = service.post("/add", data={"csrf": csrf, "text": LONG, "id": "a"})
    assert (again.status_code, "already" in again.text) == (409, True)


def test_who_may_only_read_is_offered_no_more(serving: Serving) -> None:
    service, csrf = _logged_in(serving, "read")
    page = service.post("/ask", data={"csrf": csrf, "text": LONG})
    assert (page.status_code, "/add" in page.text) == (200, False)
    assert service.post("/add", data={"csrf": csrf, "text": LONG}).status_code == 403


def test_nothing_in_a_document_is_markup(serving: Serving) -> None:
    service, csrf = _logged_in(serving)
    text = f"{HOSTILE} {LONG}"
    names = {"id": HOSTILE, "title": HOSTILE, "source": HOSTILE}
    added = service.post("/add", data={"csrf": csrf, "text": text, **names})
    page = service.post("/ask", data={"csrf": csrf, "text": text.replace("word9 ", "x ")})
    for answer in (added, page):
        assert answer.status_code == 200
        assert "<script>document" not in answer.text
        assert "<img" not in answer.text
        assert "&lt;script&gt;" in answer.text
        assert "{{7*7}}" in answer.text
        assert "unsafe" not in answer.headers["content-security-policy"]


def test_a_browser_asks_adds_and_finds(tmp_path: Path, browser: Any) -> None:
    with served(tmp_path / "s.ilk", "--texts") as it:
        with ilk_server.Client(it.url, it.token) as client:
            client.add(f"{HOSTILE} {LONG}", id=HOSTILE, title=HOSTILE, source=HOSTILE)
        for width, scheme in ((1000, "light"), (380, "dark")):
            context = browser.new_context(
                viewport={"width": width, "height": 800}, color_scheme=scheme
            )
            tab = context.new_page()
            said: list[str] = []
            asked: list[str] = []
            tab.on("console", lambda message, said=said: said.append(message.text))
            tab.on("pageerror", lambda error, said=said: said.append(str(error)))
            tab.on("request", lambda request, asked=asked: asked.append(request.url))
            tab.goto(it.url)
            tab.get_by_label("Token").fill(it.token)
            tab.keyboard.press("Enter")
            tab.get_by_label("Text", exact=True).fill(f"{HOSTILE} {NEAR}")
            # The script of the page, which knows the key, runs once all has been parsed.
            tab.wait_for_load_state()
            tab.keyboard.press("Control+Enter")
            tab.locator("article").wait_for()
            tab.wait_for_load_state()
            assert tab.locator("article h3").first.inner_text() == HOSTILE
            assert tab.locator("del").first.inner_text().strip() == "changed"
            assert tab.evaluate("document.activeElement.id") == "found"
            assert tab.evaluate("document.documentElement.scrollWidth") <= width
            tab.screenshot(path=str(tmp_path / f"{scheme}.png"), full_page=True)
            tab.get_by_label("Id of its own").fill(f"n-{scheme}")
            tab.get_by_role("button", name="Add", exact=True).click()
            assert tab.get_by_role("status").inner_text() == f"Added as n-{scheme}."
            assert tab.title() == "Ask · ilk"
            assert said == []
            assert all(url.startswith(it.url) for url in asked)
            tab.get_by_role("button", name="Log out").click()
            tab.wait_for_url(f"{it.url}/login")
            context.close()
            with ilk_server.Client(it.url, it.token) as client:
                client.remove(f"n-{scheme}")
