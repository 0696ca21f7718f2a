"""Requests of odd shapes: each is answered, a refusal is a problem, and the log stays JSON."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from hostile_support import connected, head, status
from server_support import TOKENS, Served, Serving, served
from starlette.testclient import TestClient

import ilk_server

#: What a form in parts holds, whose name and text no charset but UTF-8 could read.
FORM = (
    b'--xx\r\nContent-Disposition: form-data; name="text"\r\n\r\n-xn--a \\ud800 \xff\r\n'
    b'--xx\r\nContent-Disposition: form-data; name="file"; filename="a.txt"\r\n\r\na b c\r\n--xx--'
)


@pytest.fixture(scope="module")
def it(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with served(tmp_path_factory.mktemp("served") / "s.ilk", "--texts") as made:
        yield made


@pytest.mark.parametrize("origin", ["http://[", "http://]", "http://[x]", "//", "http://a]b"])
def test_an_origin_that_is_no_address_is_refused(serving: Serving, origin: str) -> None:
    answer = serving(None).post("/login", headers={"Origin": origin})
    assert (answer.status_code, "may not ask" in answer.json()["detail"]) == (403, True)


@pytest.mark.parametrize(
    "charset",
    ["punycode", "undefined", "idna", "'utf-16'", '"unicode_escape"', "utf-8; charset*=x"],
)
def test_a_form_is_read_as_utf_8(serving: Serving, charset: str) -> None:
    kind = {"Content-Type": f"multipart/form-data; boundary=xx; charset={charset}"}
    # Before a login too: some of Python's codecs take the square of the time.
    for service, path in ((serving(None), "/login"), (serving(), "/check"), (serving(), "/ask")):
        answer = service.post(path, content=FORM, headers=kind)
        assert (answer.status_code, "UTF-8" in answer.json()["detail"]) == (415, True)


@pytest.mark.parametrize("charset", ["utf-8", "UTF-8", '"utf8"'])
def test_a_form_that_says_utf_8_is_read(serving: Serving, charset: str) -> None:
    kind = {"Content-Type": f"multipart/form-data; boundary=xx; charset={charset}"}
    assert serving().post("/check", content=FORM, headers=kind).status_code == 200


@pytest.mark.parametrize(
    ("radius", "status"), [("3", 200), ("²", 400), ("9" * 5000, 400), ("x", 400)]
)
def test_a_radius_of_a_form_is_a_number_or_refused(
    service: TestClient, radius: str, status: int
) -> None:
    answer = service.post("/check", data={"text": "a b c", "radius": radius})
    assert answer.status_code == status, answer.text


def test_a_fault_is_a_problem(
    serving: Serving, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    service = serving()
    store = service.app._app.state.answers.store  # type: ignore[attr-defined]
    monkeypatch.setattr(store, "check", lambda *_: 1 / 0)
    answer = service.post("/check", json={"text": "a"})
    assert answer.headers["content-type"] == "application/problem+json"
    assert answer.headers["x-request-id"] in answer.json()["detail"]
    assert '"status": 500' in capsys.readouterr().err


def test_a_client_that_leaves_is_no_fault_of_the_service(tmp_path: Path) -> None:
    with served(tmp_path / "s.ilk") as it:
        kind = {"Content_Type": "application/json", "Content_Length": 100}
        with connected(it) as one:
            one.sendall(head(it, "POST /check", **kind) + b'{"text":')
        with ilk_server.Client(it.url, it.token) as client:
            client.stats()
        log = [json.loads(line) for line in it.end()[1].splitlines()]
    assert [one["status"] for one in log if one.get("path") == "/check"] == [499]


def _broken(it: Served) -> dict[str, bytes]:
    """Return what is no request, by what the answer says of them."""
    json_ = {"Content_Type": "application/json"}
    return {
        "request line": head(it, "GET /documents/ö"),
        "Content-Length": head(it, "POST /check", **json_, Content_Length="+3"),
        "header": head(it, "GET /stats", X="a\0b"),
        "Transfer-Encoding": head(it, "POST /check", Transfer_Encoding="gzip"),
        "too long": head(it, "GET /browse?q=" + "a" * 20_000)[:20_000],
        "chunk": head(it, "POST /check", **json_, Transfer_Encoding="chunked") + b"\r\nzz\r\n",
        "illegal": b"\x16\x03\x01 garbage\r\n\r\n",
    }


def test_what_is_no_request_of_http_is_a_problem_that_says_why(it: Served) -> None:
    for said, request in _broken(it).items():
        with connected(it) as one:
            one.sendall(request)
            answer = b""
            while piece := one.recv(1 << 16):
                answer += piece
        top, _, body = answer.partition(b"\r\n\r\n")
        found = json.loads(body)
        assert b"application/problem+json" in top, said
        assert f" {found['status']} ".encode() in top.split(b"\r\n")[0]
        assert said.lower() in found["detail"].lower()


def test_every_line_of_the_log_is_json(tmp_path: Path) -> None:
    with served(tmp_path / "s.ilk") as it:
        begun = head(it, "POST /batch", Transfer_Encoding="chunked")
        upgrade = head(it, "GET /stats", Connection="Upgrade", Upgrade="websocket")
        kind = {"Content_Type": "multipart/form-data; boundary=xx", "Content_Length": 4}
        form = head(it, "POST /check", **kind) + b"--xy"
        cut = begun + b'f\r\n{"text": "abc"}\n\r\nzz\r\n'
        for request in (*_broken(it).values(), upgrade, form, cut):
            with connected(it) as one:
                one.sendall(request)
                status(one)
        log = it.end()[1]
    found = [json.loads(line) for line in log.splitlines()]
    assert "note" in {one["event"] for one in found}
    assert it.token not in log
    assert not [one for one in found if one.get("status") == 500]


def test_numbers_of_any_length_in_forms_are_no_fault(serving: Serving) -> None:
    ann = serving(None)
    ann.post("/login", data={"token": TOKENS["write"]})
    page = ann.get("/review").text
    csrf = re.search(r'name="csrf" value="([^"]+)"', page)
    assert csrf is not None
    for number in ("9" * 5000, "²", "٣", "-1", ""):
        said = {"csrf": csrf[1], "number": number}
        assert ann.post("/review/undo", data=said).status_code == 303
