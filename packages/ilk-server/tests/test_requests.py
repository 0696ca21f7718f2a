"""What the addresses answer: the words of the command line, over HTTP."""

from __future__ import annotations

import json

import pytest
from server_support import Serving
from starlette.testclient import TestClient
from tests.support.command_line import Run
from tests.support.demands import package
from tests.support.stores import LONG, OTHER

from ilk.store import Store
from ilk.tasks.compare import compare

NEAR = LONG.replace("word100", "changed")


def test_a_document_is_checked_in_found_changed_and_removed(service: TestClient) -> None:
    added = service.post(
        "/documents", json={"id": "a/b?c", "text": LONG, "source": "s", "title": "t"}
    )
    assert (added.status_code, added.json()) == (201, {"id": "a/b?c", "source": "s", "matches": []})
    (match,) = service.post("/check", json={"text": NEAR}).json()["matches"]
    assert (match["id"], match["source"], match["verdict"]) == ("a/b?c", "s", "near")
    path = "/documents/a%2Fb%3Fc"
    record = service.get(path).json()
    assert (record["id"], record["title"], record["metadata"]) == ("a/b?c", "t", {})
    assert service.get(f"{path}/text").json() == {"text": LONG}
    assert service.put(path, json={"metadata": {"year": 2011}}).status_code == 200
    changed = service.get(path).json()
    assert (changed["id"], changed["metadata"], changed["source"]) == ("a/b?c", {"year": 2011}, "s")
    service.put(path, json={"text": OTHER})
    assert service.post("/check", json={"text": NEAR}).json()["matches"] == []
    assert service.delete(path).status_code == 204
    assert service.get(path).status_code == 404
    assert service.delete(path).status_code == 404


def test_put_of_an_unknown_id_checks_a_document_in(service: TestClient) -> None:
    new = service.put("/documents/new", json={"text": LONG})
    assert (new.status_code, new.json()["id"]) == (201, "new")
    assert service.put("/documents/new", json={"text": OTHER}).status_code == 200
    assert service.get("/documents/new/text").json()["text"] == OTHER
    assert service.put("/documents/17", json={"text": LONG}).status_code == 422
    assert service.put("/documents/x", json={"id": "y", "text": LONG}).status_code == 422


def test_documents_without_an_id_go_by_their_numbers(service: TestClient) -> None:
    assert service.post("/documents", json={"text": LONG}).json()["id"] == 0
    (match,) = service.post("/documents", json={"text": NEAR, "id": "near"}).json()["matches"]
    assert match["id"] == 0
    assert [one["id"] for one in service.get("/documents/0/similar").json()["matches"]] == ["near"]
    assert service.get("/documents/near").json()["keeper"] == 0
    (cluster,) = service.get("/clusters").json()["clusters"]
    assert cluster["keeper"] == 0
    assert [one["id"] for one in cluster["members"]] == [0, "near"]
    # A document that has an id is still found by its number.
    assert service.get("/documents/1").json()["id"] == "near"


def test_answers_are_those_of_the_command_line(service: TestClient, store: Store, run: Run) -> None:
    for text in (LONG, NEAR, OTHER):
        service.post("/documents", json={"text": text, "source": text[:6]})
    _, out, _ = run("store", "similar", store.path, 0, "--format", "jsonl")
    said = [json.loads(line) for line in out.splitlines()]
    assert said == service.get("/documents/0/similar").json()["matches"] != []
    _, out, _ = run("store", "similar", store.path, 0, "--nearest", 5, "--format", "jsonl")
    said = [json.loads(line) for line in out.splitlines()]
    assert said == service.get("/documents/0/similar?nearest=5").json()["matches"] != []
    _, out, _ = run("store", "clusters", store.path, "--format", "jsonl")
    assert [json.loads(out)] == service.get("/clusters").json()["clusters"]
    _, out, _ = run("store", "list", store.path, "--format", "jsonl")
    said = [json.loads(line) for line in out.splitlines()]
    assert said == service.get("/documents").json()["documents"]
    _, out, _ = run("store", "stats", store.path, "--format", "jsonl")
    known = ("documents", "clusters", "recipe", "resemblance", "transactions", "format")
    stats = service.get("/stats").json()
    assert {name: json.loads(out)[name] for name in known} == {name: stats[name] for name in known}


def test_the_nearest_are_shown_though_nothing_is_like_the_text(service: TestClient) -> None:
    service.post("/documents", json={"text": LONG, "id": "long"})
    half = " ".join(LONG.split()[:90])
    other = f"{half} {OTHER}"
    assert service.post("/check", json={"text": other}).json()["matches"] == []
    (match,) = service.post("/check", json={"text": other, "nearest": 3}).json()["matches"]
    assert (match["id"], match["verdict"]) == ("long", "different")
    refused = service.post("/check", json={"text": other, "nearest": 3, "radius": 5})
    assert refused.status_code == 422
    assert "`radius` has no effect with `nearest`" in refused.json()["detail"]
    refused = service.post("/check", json={"fingerprint": 5, "nearest": 3})
    assert "`nearest` has no effect on a fingerprint" in refused.json()["detail"]
    line = json.dumps({"text": other})
    answer = service.post("/batch?nearest=1", content=line)
    assert [one["id"] for one in answer.json()["matches"]] == ["long"]


def test_what_is_refused_as_a_duplicate_is_not_there(service: TestClient) -> None:
    service.post("/documents", json={"text": LONG, "id": "first"})
    refused = service.post(
        "/documents", json={"text": NEAR, "id": "second", "on_duplicate": "refuse"}
    )
    assert refused.status_code == 409
    assert refused.headers["content-type"] == "application/problem+json"
    assert refused.json()["id"] is None
    assert [one["id"] for one in refused.json()["matches"]] == ["first"]
    assert service.get("/documents/second").status_code == 404
    linked = {"text": NEAR, "id": "second", "on_duplicate": "link"}
    assert service.post("/documents", json=linked).status_code == 201
    assert service.get("/documents/second").json()["duplicate_of"] == "first"


def test_an_id_is_taken_once(service: TestClient) -> None:
    assert service.post("/documents", json={"text": LONG, "id": "one"}).status_code == 201
    again = service.post("/documents", json={"text": OTHER, "id": "one"})
    assert (again.status_code, again.json()["error"]) == (409, "IdTaken")
    assert len(service.get("/documents").json()["documents"]) == 1


def test_a_file_of_any_format_is_read(service: TestClient) -> None:
    page = b"{\\rtf1 " + LONG.encode() + b"}"
    package("striprtf")
    added = service.post("/documents", files={"file": ("../a b.rtf", page)}, data={"id": "rtf"})
    assert (added.status_code, added.json()["source"]) == (201, "../a b.rtf")
    assert service.get("/documents/rtf/text").json()["text"].split() == LONG.split()
    (match,) = service.post("/check", files={"file": ("x.txt", LONG)}).json()["matches"]
    assert match["id"] == "rtf"
    broken = service.post("/check", files={"file": ("broken.pdf", b"%PDF-1.4 nothing")})
    assert broken.status_code in (422, 501)
    assert "broken.pdf" in broken.json()["detail"] or broken.status_code == 501
    assert "ilk-serve" not in broken.text


def test_a_fingerprint_is_checked(service: TestClient) -> None:
    service.post("/documents", json={"text": LONG})
    fingerprint = service.get("/documents/0").json()["fingerprint"]
    (match,) = service.post("/check", json={"fingerprint": fingerprint, "radius": 0}).json()[
        "matches"
    ]
    assert (match["id"], match["verdict"], match["distance"]) == (0, "unverified", 0)
    assert service.post("/check", json={"fingerprint": "xyz"}).status_code == 422


def test_two_documents_are_compared(service: TestClient) -> None:
    for text in (LONG, NEAR):
        service.post("/documents", json={"text": text})
    found = service.get("/compare/0/1").json()
    expected = compare([LONG], [NEAR], resemblance=0.8)
    assert found["verdict"] == expected.verdict == "near"
    assert found["resemblance"] == expected.resemblance
    assert [one["words"] for one in found["passages"]] == [one.words for one in expected.passages]
    assert found["differences"] == expected.differences().to_dict()


def test_pages_of_documents_and_clusters_lose_none(service: TestClient) -> None:
    for number in range(6):
        service.post("/documents", json={"text": f"{LONG} {number // 2}", "id": f"d{number}"})
    found, after = [], -1
    while after is not None:
        page = service.get("/documents", params={"after": after, "limit": 4}).json()
        found += [one["id"] for one in page["documents"]]
        after = page["next"]
    assert found == [f"d{number}" for number in range(6)]


@pytest.mark.parametrize(
    ("body", "status", "said"),
    [
        (b"{", 400, "not JSON"),
        (b"[" * 10_000, 400, "not JSON"),
        (b"[]", 422, "object"),
        (b'{"txt": "a"}', 422, "txt"),
        (b"{}", 422, "text"),
        (b'{"text": 3}', 422, "text"),
        (b'{"text": "a", "id": 3}', 422, "id"),
        (b'{"text": "a", "id": ""}', 422, "id"),
        (b'{"text": "a", "id": "17"}', 422, "number"),
        (b'{"text": "a", "id": ".."}', 422, "address"),
        (b'{"text": "a", "title": 3}', 422, "title"),
        (b'{"text": "a", "metadata": 3}', 422, "metadata"),
        (b'{"text": "a", "metadata": {"id": "x"}}', 422, "metadata"),
        (b'{"text": "a", "on_duplicate": "x"}', 422, "on_duplicate"),
        (b"\xff\xfe\xfd", 400, "not JSON"),
    ],
)
def test_a_broken_body_is_a_problem_in_a_line(
    service: TestClient, store: Store, body: bytes, status: int, said: str
) -> None:
    answer = service.post("/documents", content=body, headers={"Content-Type": "application/json"})
    assert (answer.status_code, answer.headers["content-type"]) == (
        status,
        "application/problem+json",
    )
    assert said in answer.json()["detail"]
    assert len(store) == 0


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("/documents/none", 404),
        ("/documents/99", 404),
        ("/documents/" + "9" * 6000, 404),
        ("/documents/none/similar", 404),
        ("/documents/0/similar?resemblance=2", 422),
        ("/documents/0/similar?resemblance=1e-999999999", 422),
        ("/documents/0/similar?radius=x", 422),
        ("/compare/0/none", 404),
        ("/documents?limit=0", 422),
        ("/nothing", 404),
    ],
)
def test_what_is_not_there_or_not_allowed_is_a_problem(
    service: TestClient, path: str, status: int
) -> None:
    service.post("/documents", json={"text": LONG})
    answer = service.get(path)
    assert (answer.status_code, answer.json()["status"]) == (status, status)


@pytest.mark.parametrize("text", ["", " ", "\0", "\ud800 a", "😀", "語" * 500, "a\r\nb" * 300])
def test_odd_texts_are_ordinary_documents(service: TestClient, text: str) -> None:
    for path in ("/documents", "/check", "/batch?do=add"):
        names = {} if path == "/check" else {"title": text[:9]}
        body = json.dumps({"text": text, "source": text[:9], **names})
        answer = service.post(path, content=body, headers={"Content-Type": "application/json"})
        assert answer.status_code in (200, 201), answer.text
        assert "status" not in answer.json()
    assert len(service.get("/documents").json()["documents"]) == 2


def test_a_batch_is_answered_line_by_line(service: TestClient) -> None:
    lines = [
        json.dumps({"text": LONG, "id": "a"}),
        "{",
        "",
        json.dumps({"text": NEAR, "id": "a"}),
        json.dumps({"text": OTHER, "id": "b"}),
    ]
    out = service.post("/batch?do=add", content="\n".join(lines)).text.splitlines()
    found = [json.loads(line) for line in out]
    assert [(one["line"], one.get("id"), one.get("status")) for one in found] == [
        (1, "a", None),
        (2, None, 400),
        (4, None, 409),
        (5, "b", None),
    ]
    texts = "\n".join(json.dumps({"text": f"{LONG} {number}"}) for number in range(600))
    out = service.post("/batch", content=texts).text.splitlines()
    assert [json.loads(line)["matches"][0]["id"] for line in out] == ["a"] * 600


def test_what_is_counted_is_told(service: TestClient) -> None:
    service.post("/documents", json={"text": LONG})
    service.get("/documents/none")
    lines = service.get("/metrics").text.splitlines()
    assert "ilk_documents 1.0" in lines
    assert 'ilk_requests_total{method="POST",path="/documents",status="201"} 1.0' in lines
    assert 'ilk_requests_total{method="GET",path="/documents/{id}",status="404"} 1.0' in lines
    assert "ilk_request_seconds_count 2.0" in lines


def test_the_description_names_every_address(serving: Serving) -> None:
    described = serving("read").get("/openapi.json").json()
    methods = {(method, path) for path, item in described["paths"].items() for method in item}
    assert {
        ("post", "/check"),
        ("post", "/documents"),
        ("put", "/documents/{id}"),
        ("get", "/documents/{id}"),
        ("delete", "/documents/{id}"),
        ("get", "/documents/{id}/similar"),
        ("get", "/clusters"),
        ("get", "/compare/{a}/{b}"),
        ("post", "/batch"),
        ("get", "/stats"),
        ("get", "/health"),
        ("get", "/metrics"),
    } <= methods


def test_a_text_that_names_a_file_of_the_server_is_a_text(
    service: TestClient, store: Store
) -> None:
    path = str(store.path)
    assert service.post("/documents", json={"text": path, "id": "a"}).status_code == 201
    lines = "\n".join(json.dumps({"text": text}) for text in (path, "\ud800 odd"))
    for do in ("add", "check"):
        out = service.post(f"/batch?do={do}", content=lines).text.splitlines()
        assert ["status" in json.loads(line) for line in out] == [False, False]
    assert service.put("/documents/a", json={"text": path}).status_code == 200
    assert service.post("/check", json={"text": path}).status_code == 200
    assert [store.text(0), store.text(1)] == [path, path]
