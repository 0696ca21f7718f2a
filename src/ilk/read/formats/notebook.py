"""Jupyter notebooks: the source of their cells, without output.

Source: nbformat 4, "Cell Types".
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, BinaryIO

from ilk.read.formats.limits import Limits
from ilk.read.formats.parts import Left, Part, Text, Unfit


def read(file: BinaryIO, limits: Limits) -> Iterator[Part]:
    """Yield the text."""
    del limits  # The calling code enforces them.
    notebook = json.load(file)
    if not isinstance(notebook, dict):
        raise Unfit("is not a notebook: its JSON is not an object")
    sheets = notebook.get("worksheets") or [notebook]  # Version 3 has sheets of cells.
    cells = [cell for sheet in sheets for cell in sheet.get("cells", ())]
    rest = Left()
    for cell in cells:
        more = {name: cell[name] for name in ("outputs", "attachments") if cell.get(name)}
        for kind, content in more.items():
            rest.add(kind, json.dumps(content, sort_keys=True).encode())
    text = "\n\n".join(filter(None, map(_source, cells)))
    yield Text(text, _declared(notebook), left=rest)


def _source(cell: dict[str, Any]) -> str:
    source = cell.get("source", cell.get("input", ""))
    return "".join(source) if isinstance(source, list) else str(source)


def _declared(notebook: dict[str, Any]) -> dict[str, Any]:
    title = notebook.get("metadata", {}).get("title")
    return {"title": title} if isinstance(title, str) and title else {}
