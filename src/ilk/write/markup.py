"""The common parts of all pages: the frame with its policy, colours, tables, bars.

No page needs a network. A policy in it allows only its own script, so nothing in a document can
run; in addition, every text is escaped.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterable, Sequence
from html import escape
from typing import Any

_STYLE = """
:root { color-scheme: light dark; --edge: #8888; --gone: #ffd9d6; --new: #d3f3d8; --moved: #d9e6ff;
  --ink: #1b1b1b; --paper: #fff; --faint: #666; --bar: #3a6ea5; --alarm: #a00; }
@media (prefers-color-scheme: dark) { :root { --gone: #5c2320; --new: #1d4a26; --moved: #23406f;
  --ink: #e8e8e8; --paper: #161616; --faint: #a5a5a5; --bar: #5b93cf; --alarm: #ff8a80; } }
* { box-sizing: border-box; }
body { font: 16px/1.55 system-ui, sans-serif; color: var(--ink); background: var(--paper);
  margin: 0 auto; max-width: 80rem; padding: 1rem; }
h1 { font-size: 1.3rem; margin: .2rem 0; overflow-wrap: anywhere; }
h2 { font-size: 1.1rem; margin: 2rem 0 .4rem; } h3 { font-size: 1rem; margin: 1.2rem 0 .2rem; }
p, td, h3, summary { overflow-wrap: anywhere; }
table { border-collapse: collapse; }
td, th { text-align: left; padding: .1rem 1rem .1rem 0; vertical-align: top; }
td.n { text-align: right; font-variant-numeric: tabular-nums; overflow-wrap: normal; }
table.bars { width: 100%; max-width: 40rem; } table.bars td:last-child { width: 70%; padding: 0; }
table.bars svg { width: 100%; height: .8rem; fill: var(--bar); print-color-adjust: exact; }
.alarm { color: var(--alarm); font-weight: 600; }
pre { white-space: pre-wrap; overflow-wrap: anywhere; margin: .2rem 0; }
del { background: var(--gone); text-decoration: line-through; text-decoration-thickness: 1px; }
ins { background: var(--new); text-decoration: underline; text-underline-offset: .2em; }
.moved { background: var(--moved); color: inherit; text-decoration: underline dotted; }
summary { cursor: pointer; }
.faint { color: var(--faint); }
"""


def document(title: str, style: str, body: Iterable[str], script: str = "") -> str:
    """Return a whole page.

    Args:
        title: of the page.
        style: rules after those that all pages share.
        body: parts of the page, escaped.
        script: the only one that may run.
    """
    runs = f"; script-src 'sha256-{_hash(script)}'" if script else ""
    return "".join(
        (
            "<!DOCTYPE html>\n<html lang='en'><head><meta charset='utf-8'>",
            "<meta name='viewport' content='width=device-width, initial-scale=1'>",
            '<meta http-equiv="Content-Security-Policy" content="default-src \'none\'; ',
            f"style-src 'unsafe-inline'{runs}\">",
            f"<title>{escape(title)}</title><style>{_STYLE}{style}</style></head><body>\n<main>",
            *body,
            "</main>",
            f"<script>{script}</script>" if script else "",
            "</body></html>\n",
        )
    )


def _hash(script: str) -> str:
    return base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()


def table(heads: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    """Return rows as an HTML table, with numbers right-aligned."""
    head = "".join(f"<th>{escape(name)}</th>" for name in heads)
    body = "".join("<tr>" + "".join(map(_cell, row)) + "</tr>\n" for row in rows)
    return f"<table>{f'<tr>{head}</tr>' if heads else ''}\n{body}</table>"


def _cell(value: Any) -> str:
    if isinstance(value, int | float):
        return f"<td class='n'>{value:,}</td>"
    return f"<td>{escape(str(value))}</td>"


def bars(counts: Sequence[tuple[str, int]]) -> str:
    """Return names with their counts, as bars."""
    most = max((count for _, count in counts), default=0) or 1
    rows = "".join(
        f"<tr><td class='n'>{escape(name)}</td><td class='n'>{count:,}</td><td>"
        + (_bar(count / most) if count else "")
        + "</td></tr>\n"
        for name, count in counts
    )
    return f"<table class='bars'>\n{rows}</table>"


def _bar(share: float) -> str:
    """Return a bar, which is allowed even by a policy that forbids inline styles."""
    return (
        f"<svg aria-hidden='true'><rect width='{max(0.2, 100 * share):.1f}%' height='100%'/></svg>"
    )
