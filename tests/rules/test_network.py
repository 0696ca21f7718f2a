"""Nothing is fetched: no module of ilk imports what reaches the network.

A client of a service is one that is asked to; the service itself answers, and asks nobody.
"""

from __future__ import annotations

import ast
from pathlib import Path

import ilk

_NETWORK = {"aiohttp", "ftplib", "httpx", "requests", "smtplib", "socket", "ssl", "urllib3"}

#: Of packages that can do both, the part that fetches.
_FETCHES = {"http.client", "urllib.request", "trafilatura.fetch_url", "trafilatura.downloads"}


def _imports(tree: ast.AST) -> set[str]:
    """What a module imports, names of modules in full."""
    found: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            found |= {node.module} | {f"{node.module}.{alias.name}" for alias in node.names}
    return found


def test_no_module_reaches_the_network() -> None:
    files = sorted(Path(ilk.__file__).parent.rglob("*.py"))
    assert len(files) > 100
    for file in files:
        if file.name == "client.py":
            continue
        names = _imports(ast.parse(file.read_bytes()))
        assert not names & _FETCHES, file
        assert not {name.partition(".")[0] for name in names} & _NETWORK, file


def test_an_import_of_the_network_would_be_seen() -> None:
    tree = ast.parse("import http.client\nfrom urllib import request")
    assert _imports(tree) == {"http.client", "urllib", "urllib.request"}
