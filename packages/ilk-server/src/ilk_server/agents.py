"""A store for agents, by the Model Context Protocol: four tools over standard input and output.

A tool is a request to the application in this process, with the client's token. So roles, limits
and refusals are those of the service.

Source: modelcontextprotocol.io, revision 2025-06-18 and later, as the package ``mcp`` speaks it.
"""

from __future__ import annotations

from typing import Any
from urllib.parse import quote

import httpx

import ilk
from ilk.plugins import MissingExtra
from ilk_server.guard import Guard

try:
    from mcp.server import MCPServer
    from mcp.server.mcpserver.exceptions import ToolError
except ImportError as error:
    raise MissingExtra("mcp", "mcp") from error

_INSTRUCTIONS = (
    "A store of documents. Ask it whether it has a document like a text before you add one. "
    "Verdicts: identical, exact, numbers_only, near, contained, contains."
)


def make_mcp_server(app: Guard, token: str) -> MCPServer:
    """Return a server whose tools ask an application with a token."""
    server = MCPServer(
        "ilk", version=ilk.__version__, instructions=_INSTRUCTIONS, log_level="ERROR"
    )
    client = httpx.AsyncClient(
        transport=httpx.ASGITransport(app=app),
        base_url="http://localhost",
        headers={"Authorization": f"Bearer {token}"},
        timeout=None,  # The application has limits of its own.
    )

    async def ask(method: str, path: str, **fields: Any) -> dict[str, Any]:
        """Return an answer; ToolError with the reason of a refusal."""
        body = {name: value for name, value in fields.items() if value is not None}
        answer = await client.request(method, path, json=body or None)
        values: dict[str, Any] = answer.json()
        if answer.is_error:
            raise ToolError(str(values.get("detail") or values))
        return values

    async def check(text: str, nearest: int | None = None) -> dict[str, Any]:
        """Find which stored documents a text is like; nothing is stored.

        Each match has the id of a document, a verdict and shares. `nearest`: that many documents,
        like it or not.
        """
        return await ask("POST", "/check", text=text, nearest=nearest)

    async def similar(id: str) -> dict[str, Any]:
        """Find which other documents a stored document is like."""
        return await ask("GET", f"/documents/{quote(id, safe='')}/similar")

    async def explain(left: str, right: str) -> dict[str, Any]:
        """Compare two stored documents by their ids: every measure, shared passages, what differs.

        The store must keep texts.
        """
        return await ask("GET", f"/compare/{quote(left, safe='')}/{quote(right, safe='')}")

    async def add(
        text: str, id: str | None = None, source: str | None = None, title: str | None = None
    ) -> dict[str, Any]:
        """Add a document, and return its id and what it is like. Needs a token that may write.

        With an id that is taken, nothing is added.
        """
        return await ask("POST", "/documents", text=text, id=id, source=source, title=title)

    for tool in (check, similar, explain, add):
        server.add_tool(tool)
    return server
