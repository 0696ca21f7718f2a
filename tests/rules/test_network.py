"""Nothing is fetched: no module imports what reaches the network, but those that are asked to.

The client of a service connects to the address that it is given, and a webhook sends to the one of
``--notify``. What serves agents talks to the application in its own process. The annex of a service
passes sockets on between two processes, and opens none. Queries of DuckDB fetch what they name.
"""

from __future__ import annotations

import ast

from tests.support.fixtures import ROOT

_NETWORK = {"aiohttp", "ftplib", "httpx", "requests", "smtplib", "socket", "ssl", "urllib3"}

#: Of packages that can do both, the part that fetches.
_FETCHES = {"http.client", "urllib.request", "trafilatura.fetch_url", "trafilatura.downloads"}

#: The modules of a service that have a connection.
_CONNECTS = {"agents", "annex", "annex_process", "client", "notifying"}


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
    files = sorted((ROOT / "src" / "ilk").rglob("*.py"))
    assert len(files) > 100
    packages = sorted((ROOT / "packages").glob("*/src/**/*.py"))
    assert packages
    for file in (*files, *packages):
        if file.parent.name == "ilk_server" and file.stem in _CONNECTS:
            continue
        names = _imports(ast.parse(file.read_bytes()))
        assert not names & _FETCHES, file
        assert not {name.partition(".")[0] for name in names} & _NETWORK, file


def test_an_import_of_the_network_would_be_seen() -> None:
    tree = ast.parse("import http.client\nfrom urllib import request")
    assert _imports(tree) == {"http.client", "urllib", "urllib.request"}
