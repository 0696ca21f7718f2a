"""The tools for agents, asked by the protocol's own client over standard input and output."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from tests.support.command_line import Run
from tests.support.demands import package
from tests.support.stores import LONG, OTHER

from ilk.store import Store
from ilk_server.tokens import add_token_creating_file_if_missing, tokens_path

package("mcp")

from mcp import Client, StdioServerParameters

NEAR = LONG.replace("word100", "changed")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A store of two documents, with their texts."""
    path = tmp_path / "store.ilk"
    with Store(path, texts=True) as store:
        store.add(LONG, source="long.txt")
        store.add(OTHER, source="other.txt")
    return path


async def _asked(path: Path, token: str, calls: list[tuple[str, dict[str, Any]]]) -> list[Any]:
    """The answers to calls of tools: values, or the text of an error."""
    words = ["-m", "ilk", "serve", str(path), "--mcp", "--limit", "body=100k"]
    started = StdioServerParameters(
        command=sys.executable, args=words, env={**os.environ, "ILK_TOKEN": token}
    )
    answers = []
    async with Client(started) as client:
        names = {tool.name for tool in (await client.list_tools()).tools}
        assert names == {"check", "similar", "explain", "add"}
        for name, arguments in calls:
            result = await client.call_tool(name, arguments)
            said: Any = result.content[0]
            answers.append(said.text if result.is_error else json.loads(said.text))
    return answers


def _ask(path: Path, token: str, calls: list[tuple[str, dict[str, Any]]]) -> list[Any]:
    """The answers, from a thread of its own: a browser of other tests has a loop in this one."""
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(lambda: asyncio.run(_asked(path, token, calls))).result()


def test_an_agent_checks_adds_and_compares(path: Path) -> None:
    token = add_token_creating_file_if_missing(tokens_path(path), "write")
    calls: list[tuple[str, dict[str, Any]]] = [
        ("check", {"text": NEAR}),
        ("check", {"text": NEAR, "nearest": 1}),
        ("add", {"text": NEAR, "id": "a/near", "source": "n.txt"}),
        ("similar", {"id": "a/near"}),
        ("explain", {"left": "a/near", "right": "0"}),
        ("similar", {"id": "unknown"}),
        ("add", {"text": "x" * 200_000}),
    ]
    asked = _ask(path, token, calls)
    checked, nearest, added, similar, explained, unknown, large = asked
    assert [match["verdict"] for match in checked["matches"]] == ["near"]
    assert len(nearest["matches"]) == 1
    assert added["id"] == "a/near"
    assert similar["matches"][0]["verdict"] == "near"
    assert explained["resemblance"] == similar["matches"][0]["resemblance"]
    assert "unknown" in unknown
    assert "bytes" in large


def test_a_token_that_may_only_read_adds_nothing(path: Path) -> None:
    token = add_token_creating_file_if_missing(tokens_path(path), "read")
    calls: list[tuple[str, dict[str, Any]]] = [("add", {"text": NEAR}), ("check", {"text": NEAR})]
    refused, checked = _ask(path, token, calls)
    assert "write" in refused
    assert len(checked["matches"]) == 1
    with Store(path, create=False) as store:
        assert len(store) == 2


def test_without_a_token_it_does_not_begin(
    path: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    for token in ("", "wrong"):
        monkeypatch.setenv("ILK_TOKEN", token)
        code, out, err = run("serve", path, "--mcp")
        assert (code, out) == (2, "")
        assert "is no token of" in err
