"""What was acknowledged is there, whatever the machine does."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hostile_support import MB, named
from server_support import TOKENS, Serving
from tests.support.stores import LONG, OTHER

import ilk
import ilk_server
from ilk.base.errors import OptionError
from ilk.store import Store
from ilk_server.tokens import LoadedTokens

if sys.platform != "linux":
    pytest.skip("memory and limits of a process are measured on Linux", allow_module_level=True)


def _begun(store: Path, before: Callable[[], None], **how: Any) -> subprocess.Popen[str]:
    words = [sys.executable, "-m", "ilk", "serve", str(store), "--port", "0", "--texts"]
    return subprocess.Popen(words, stdout=subprocess.PIPE, text=True, preexec_fn=before, **how)


def _url(child: subprocess.Popen[str]) -> str:
    assert child.stdout is not None
    return next(line.strip() for line in child.stdout if line.startswith("http://"))


def test_a_log_that_cannot_be_written_stops_no_answer(tmp_path: Path) -> None:
    with open("/dev/full", "w") as full:
        child = _begun(tmp_path / "s.ilk", lambda: None, stderr=full)
    try:
        token = LoadedTokens.read_or_create(_token(tmp_path / "s.ilk", child))[0].roles[0][1]
        with ilk_server.Client(_url(child), token) as client:
            client.add(LONG, id="one")
            assert client.check(LONG)[0].verdict == "identical"
            with pytest.raises(OptionError):
                client.check(LONG, resemblance=2)
        child.terminate()
        assert child.wait() == 0
    finally:
        child.kill()
        child.wait()
        if child.stdout is not None:
            child.stdout.close()


def _token(store: Path, child: subprocess.Popen[str]) -> Path:
    """Wait for the first line of a server, which has made its token; return its file."""
    assert child.stdout is not None
    assert child.stdout.readline().startswith("token: ")
    return Path(f"{store}.token")


def test_on_a_full_disk_what_was_acknowledged_is_there(tmp_path: Path) -> None:
    import resource

    path, most = tmp_path / "s.ilk", 2 * MB
    child = _begun(
        path,
        lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (most, most)),
        stderr=subprocess.DEVNULL,
    )
    known: dict[str, str] = {}
    try:
        token = LoadedTokens.read_or_create(_token(path, child))[0].roles[0][1]
        with ilk_server.Client(_url(child), token) as client:
            for number in range(1000):
                text = " ".join(f"{number}w{word}" for word in range(5000))
                try:
                    client.add(text, id=f"d{number}")
                except ilk.IlkError as error:
                    refused = error
                    break
                known[f"d{number}"] = text
            assert "full" in str(refused) or "large" in str(refused), refused
            # It still answers what needs no room.
            for id_, text in known.items():
                assert named(client.check(text)) == [id_]
    finally:
        child.kill()
        child.wait()
        if child.stdout is not None:
            child.stdout.close()
    assert len(known) > 3
    with Store(path, create=False) as store:
        assert {record.metadata["id"] for record in store} == known.keys()
        assert store.validate().problems == []
        assert all(store.text(store.id_of(id_)) == text for id_, text in known.items())
        store.add(LONG)


def test_clocks_set_back_lose_nothing(
    serving: Serving, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = [time.time_ns()]
    monkeypatch.setattr("ilk.store.records.time.time_ns", lambda: now[0])
    service = serving(None)
    entered = service.post("/login", data={"token": TOKENS["admin"]})
    assert entered.status_code == 303
    admin = serving()
    for number, text in enumerate((LONG, OTHER, f"{LONG} more")):
        assert admin.post("/documents", json={"text": text, "id": f"d{number}"}).status_code == 201
        now[0] -= 10 * 365 * 86400 * 10**9
    assert admin.put("/documents/d0", json={"title": "later"}).status_code == 200
    listed = admin.get("/documents").json()["documents"]
    assert [one["id"] for one in listed] == ["d0", "d1", "d2"]
    assert listed[0]["title"] == "later"
    assert {one["id"] for one in admin.post("/check", json={"text": LONG}).json()["matches"]} == {
        "d0",
        "d2",
    }
    # Who had logged in still is, and every page shows all of it.
    for path in ("/", "/browse", "/review", "/overview"):
        assert service.get(path).status_code == 200
    assert store.validate().problems == []
