"""Browsing a store: documents by words in the address, each with its kin, and links that log in."""

from __future__ import annotations

import re
import subprocess
import sys
from html import unescape
from pathlib import Path
from types import SimpleNamespace

import pytest
from server_support import TOKENS, Served, make_app
from starlette.testclient import TestClient
from tests.support.stores import LONG, OTHER

from ilk.store import Store, StoreRecord

HOSTILE = "<script>document.title='hit'</script>\"'&{{7*7}}"
NEAR = LONG.replace("word100", "changed")


@pytest.fixture
def person(store: Store) -> TestClient:
    store.add(LONG, source="letters/first.txt", metadata={"id": "a/b?c"})
    store.add(NEAR, source="letters/second.txt", title="The second")
    store.add(OTHER, source=HOSTILE, metadata={"id": "other"})
    app = make_app(store)
    made = TestClient(app, "http://127.0.0.1:8017", follow_redirects=True)
    made.post("/login", data={"token": TOKENS["read"]})
    return made


def links(page: str) -> list[tuple[str, str]]:
    found = re.findall(r'<a href="(/browse/[^"]*)"><bdi>(.*?)</bdi></a>', page)
    return [(address, unescape(name)) for address, name in found]


def rows(page: str) -> list[str]:
    return [unescape(name) for name in re.findall(r'<th scope="row">.*?<bdi>(.*?)</bdi>', page)]


def test_documents_are_listed_and_filtered_by_the_address(person: TestClient) -> None:
    page = person.get("/browse").text
    assert rows(page) == ["first.txt", "The second", HOSTILE.rpartition("/")[2]]
    assert "<h1>3 documents</h1>" in page
    assert rows(person.get("/browse", params={"q": "LETTERS second"}).text) == ["The second"]
    page = person.get("/browse", params={"only": "like"}).text
    assert rows(page) == ["The second"]
    assert "<h1>1 of 3 documents</h1>" in page
    assert rows(person.get("/browse", params={"q": "changed"}).text) == []
    inside = person.get("/browse", params={"q": "changed letters", "text": "yes"}).text
    assert rows(inside) == ["The second"]


def test_pages_of_a_list_lose_no_document(person: TestClient, store: Store) -> None:
    for number in range(120):
        store.add(f"text {number}", source=f"file {number}")
    found, address = [], "/browse?q=file"
    while address:
        page = person.get(address).text
        found += rows(page)
        following = re.search(r'<a href="([^"]*)">Next</a>', page)
        address = "" if following is None else unescape(following[1])
    assert found == [f"file {number}" for number in range(120)]


def test_a_document_leads_to_its_kin_and_side_by_side(person: TestClient) -> None:
    page = person.get("/browse/a%2Fb%3Fc").text
    assert "<h1><bdi>letters/<wbr>first.txt</bdi></h1>" in page
    assert ("/browse/1", "The second") in links(page)
    assert LONG[:40] in page
    beside = re.search(r'<a href="([^"]*)">side by side</a>', page)
    assert beside is not None
    assert beside[1] == "/browse/a%2Fb%3Fc/beside/1"
    shown = person.get(beside[1]).text
    assert "<ins>changed" in shown
    other = person.get("/browse/1").text
    assert re.search('original of its family</dt><dd><a href="/browse/a%2Fb%3Fc"', other)
    assert "No other document is like it" in person.get("/browse/other").text


def test_the_original_of_a_family_is_the_one_that_a_scan_keeps(
    tmp_path: Path, store: Store
) -> None:
    first = LONG.split()
    for name, words in {
        "Letter - Copy.txt": first,
        "Letter.txt": [*first[:-30], *(f"more{at}" for at in range(10))],
        "Letter final (2).txt": first,
        "Letter old.txt": [*(f"new{at}" for at in range(20)), *first[20:]],
    }.items():
        (tmp_path / name).write_text(" ".join(words))
        store.sync(tmp_path / name)
    assert store.clusters() == [[0, 1, 2, 3]]
    app = make_app(store)
    made = TestClient(app, "http://127.0.0.1:8017", follow_redirects=True)
    made.post("/login", data={"token": TOKENS["read"]})
    page = made.get("/browse").text
    assert [name for _, name in links(page)] == [
        *("Letter - Copy.txt", "Letter.txt"),
        "Letter.txt",  # Which is beside nothing.
        *("Letter final (2).txt", "Letter.txt"),
        *("Letter old.txt", "Letter.txt"),
    ]
    cells = re.findall(r"</i>([\w ]+)</span> <a", page)
    assert cells == ["like", "like", "in the family of"]
    assert rows(made.get("/browse", params={"only": "like"}).text) == [
        "Letter - Copy.txt",
        "Letter final (2).txt",
        "Letter old.txt",
    ]
    assert "original of its family" not in made.get("/browse/1").text
    assert 'original of its family</dt><dd><a href="/browse/1"' in made.get("/browse/0").text


def test_a_document_that_just_came_is_beside_its_stored_keeper(
    person: TestClient, store: Store
) -> None:
    assert "same text as" not in person.get("/browse").text
    store.add(LONG, source="letters/third.txt")
    assert "same text as" in person.get("/browse").text


def test_a_browser_gets_errors_as_pages_and_a_program_as_values(person: TestClient) -> None:
    for address, said in (
        ("/browse/nothing", "No document has the id &#39;nothing&#39;."),
        ("/nowhere", "There is no page at this address."),
        ("/browse?after=x", "After: Input should be a valid integer"),
    ):
        as_page = person.get(address, headers={"Accept": "text/html,*/*"})
        assert as_page.status_code in (404, 422)
        assert f'role="alert">{said}' in as_page.text
        assert "openapi" not in as_page.text
        assert person.get(address).json()["status"] == as_page.status_code


def test_nothing_of_a_document_is_markup(person: TestClient) -> None:
    for path in ("/browse", "/browse/other", "/browse?q=" + HOSTILE):
        page = person.get(path).text
        assert "<script>document" not in page
        assert "{{7*7}}" in page


def test_only_who_has_logged_in_browses(store: Store) -> None:
    app = make_app(store)
    nobody = TestClient(app, "http://127.0.0.1:8017", follow_redirects=False)
    for path in ("/browse", "/browse/0", "/browse/0/beside/1"):
        assert nobody.get(path).status_code == 401


def test_a_link_logs_in_once(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    app = make_app(store)
    code = app.make_invitation_code("admin")
    first, second = (
        TestClient(app, "http://127.0.0.1:8017", follow_redirects=False) for _ in range(2)
    )
    answer = first.get("/enter", params={"code": code})
    assert (answer.status_code, answer.headers["location"]) == (303, "/")
    assert first.get("/").status_code == 200
    again = second.get("/enter", params={"code": code})
    assert (again.status_code, "set-cookie" in again.headers) == (401, False)
    assert "has been used" in again.text
    assert second.get("/").status_code == 401
    for wrong in ("", "x"):
        assert second.get("/enter", params={"code": wrong}).status_code == 401
    late = app.make_invitation_code("admin")
    monkeypatch.setattr("ilk_server.sessions.time", SimpleNamespace(monotonic=lambda: 1e12))
    assert second.get("/enter", params={"code": late}).status_code == 401


def test_a_store_is_opened_in_a_browser_without_a_token(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # A browser of this test: it writes the address that it is given.
    browser = tmp_path / "browser"
    program = f'import sys\nopen("{tmp_path}/seen", "w").write(sys.argv[1])'
    browser.write_text(f"#!{sys.executable}\n{program}")
    browser.chmod(0o755)
    monkeypatch.setenv("BROWSER", str(browser))
    it = Served(tmp_path / "s.ilk", "--open")
    assert it.child.stdout is not None
    said = it.child.stdout.readline()
    link = said.removeprefix("open: ").strip()
    assert link.startswith(f"{it.url}/enter?code=")
    for _ in range(200):
        if (tmp_path / "seen").exists() and (tmp_path / "seen").read_text():
            break
        subprocess.run(["sleep", "0.05"], check=True)
    assert (tmp_path / "seen").read_text() == link
    it.close()


def test_a_question_without_a_text_is_answered_for_a_person(person: TestClient) -> None:
    page = person.get("/").text
    csrf = re.search(r'name="csrf" value="([^"]+)"', page)
    assert csrf is not None
    answer = person.post("/ask", data={"csrf": csrf[1], "text": " "})
    assert (answer.status_code, "Type a text, or choose a file." in answer.text) == (422, True)
    named = {"file": ("my letter.txt", LONG.encode())}
    answer = person.post("/ask", data={"csrf": csrf[1]}, files=named)
    assert "Asked about <bdi>my letter.txt</bdi>" in answer.text
    assert ("/browse/a%2Fb%3Fc", "first.txt") in links(answer.text)


def test_every_module_is_imported_where_there_are_no_locks_of_unix() -> None:
    program = """
import contextlib, importlib, pkgutil, sys
with contextlib.suppress(ImportError):
    import mcp.server  # It asks which system this is, and needs fcntl here.
for name in ("fcntl", "resource"):
    sys.modules[name] = None
for root in ("ilk", "ilk_server"):
    package = importlib.import_module(root)
    for found in pkgutil.walk_packages(package.__path__, f"{root}."):
        if not found.name.endswith("__main__"):
            try:
                importlib.import_module(found.name)
            except ModuleNotFoundError as error:
                if error.name in ("fcntl", "resource"):
                    print(found.name)
"""
    child = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert (child.stdout, child.returncode) == ("", 0), child.stderr


def test_a_document_shows_what_happened_to_it(person: TestClient, store: Store) -> None:
    number = store.add(LONG, source="note.txt", metadata={"id": "note"}).id
    assert number is not None
    assert "What happened to it" not in person.get("/browse/note").text
    store.update(number, [f"{LONG} and more"])
    store.update(number, [" ".join(f"other{at}" for at in range(200))])
    page = person.get("/browse/note").text
    said = re.findall(r"<td>(added|changed)", page)
    assert said == ["changed", "changed", "added"]
    (event,) = (one for one in store.history(number) if (one.resemblance or 0) > 0.5)
    assert f"{100 * (event.resemblance or 0):.1f}%" in page
    store.remove(number)
    store.add(LONG, source="note.txt", metadata={"id": "note"})
    page = person.get("/browse/note").text
    assert re.findall(r"<td>(\w+)", page)[:5] == ["added", "removed", "changed", "changed", "added"]
    assert page.count("a former document of this name") == 4


def test_a_page_shows_the_last_of_many_changes(person: TestClient, store: Store) -> None:
    number = store.add(LONG).id
    assert number is not None
    for at in range(60):
        store.update(number, [f"{LONG} and more {at}"])
    page = person.get(f"/browse/{number}").text
    assert re.findall(r"<td>(added|changed)", page) == ["changed"] * 50
    assert "and 11 earlier" in page


@pytest.mark.parametrize("asked", ["/browse", "/browse?q=word7&text=yes"])
def test_a_document_that_is_removed_while_they_are_listed_is_passed_over(
    person: TestClient, store: Store, monkeypatch: pytest.MonkeyPatch, asked: str
) -> None:
    whole = Store.records

    def removed_since(self: Store, after: int, most: int) -> list[StoreRecord]:
        found = whole(self, after, most)
        if 0 in store:
            store.remove(0)
        return found

    monkeypatch.setattr(Store, "records", removed_since)
    answer = person.get(asked)
    assert answer.status_code == 200
    assert "The second" in rows(answer.text)
