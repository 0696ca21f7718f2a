"""What the tests of the service share: an application in this process, and one of its own."""

from __future__ import annotations

import contextlib
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from tests.support.demands import package

package("fastapi")

from starlette.testclient import TestClient

from ilk.store import Store
from ilk_server.additions import AdditionLog
from ilk_server.application import make_store_application
from ilk_server.guard import Guard
from ilk_server.limits import RequestLimits
from ilk_server.tokens import LoadedTokens

TOKENS = {role: f"{role}-token-of-a-test" for role in ("read", "write", "admin")}


def make_app(
    store: Store,
    *,
    hosts: Sequence[str] = (),
    additions: AdditionLog | None = None,
    **limits: Any,
) -> Guard:
    """Return the application of a store, with the tokens of the tests."""
    return make_store_application(
        store,
        LoadedTokens(tuple(TOKENS.items())),
        limits=RequestLimits(**limits),
        hosts=hosts,
        additions=additions,
    )


#: Makes what asks an application with these limits.
Serving = Callable[..., TestClient]


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store(tmp_path / "store.ilk", texts=True, exact=True) as made:
        yield made


@pytest.fixture
def serving(store: Store) -> Serving:
    def made(role: str | None = "admin", **limits: Any) -> TestClient:
        app = make_app(store, hosts=["ilk.example"], **limits)
        headers = {} if role is None else {"Authorization": f"Bearer {TOKENS[role]}"}
        return TestClient(app, "http://127.0.0.1:8017", headers=headers, follow_redirects=False)

    return made


@pytest.fixture
def service(serving: Serving) -> TestClient:
    return serving()


class Served:
    """A process that serves a store, or a review of a plan.

    Attributes:
        url, token: where it is, and who may ask.
        child: the process.
    """

    def __init__(self, store: Path, *options: object, verb: str = "serve") -> None:
        words = [sys.executable, "-m", "ilk", verb, str(store), "--port", "0"]
        # A pipe that nobody reads would fill.
        self._log = tempfile.TemporaryFile("w+")  # noqa: SIM115 - close() closes it
        self.child = subprocess.Popen(
            [*words, *map(str, options)],
            stdout=subprocess.PIPE,
            stderr=self._log,
            text=True,
        )
        assert self.child.stdout is not None
        self.said: list[str] = []
        while not self.said or not self.said[-1].startswith("http://"):
            line = self.child.stdout.readline()
            assert line, self.end()[1]
            self.said.append(line.strip())
        self.url = self.said[-1]
        self.token = Path(f"{store}.token").read_text().split()[-1]

    def end(self, number: int = signal.SIGTERM) -> tuple[int, str]:
        """Send a signal, and return the exit code and what was logged."""
        if self.child.poll() is None:
            self.child.send_signal(number)
        self.child.wait()
        if self.child.stdout is not None:
            self.child.stdout.close()
        self._log.seek(0)
        return self.child.returncode, self._log.read()

    def close(self) -> None:
        """Kill it, and forget its log."""
        self.end(signal.SIGKILL)
        self._log.close()


@contextlib.contextmanager
def served(store: Path, *options: object) -> Iterator[Served]:
    """Serve a store as long as this lasts."""
    it = Served(store, *options)
    try:
        yield it
    finally:
        it.close()
