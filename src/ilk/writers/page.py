"""A report as one page of HTML that needs neither network nor script."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from html import escape
from typing import Any

_STYLE = """
body { font: 15px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 60rem; color: #222; }
h1 { font-size: 1.5rem; } h2 { font-size: 1.1rem; margin-top: 2rem; }
table { border-collapse: collapse; }
td, th { padding: .15rem .8rem .15rem 0; text-align: left; vertical-align: top; }
td.n { text-align: right; font-variant-numeric: tabular-nums; }
.bar { background: #3a6ea5; height: .8rem; } .alarm { color: #a00; font-weight: bold; }
pre { white-space: pre-wrap; background: #f4f4f4; padding: .6rem; max-height: 12rem;
      overflow: auto; }
"""


def html(report: Mapping[str, Any], excerpts: Mapping[int, str]) -> str:
    """Return the whole page.

    Args:
        report: of a deduplication.
        excerpts: per cluster, as the report numbers them, the beginning of its keeper.
    """
    return (
        "<!DOCTYPE html>\n<html lang='en'><head><meta charset='utf-8'><title>ilk: duplicates"
        f"</title><style>{_STYLE}</style></head><body>\n<h1>Duplicates</h1>\n"
        + "".join(f"<p class='alarm'>{escape(reason)}</p>\n" for reason in report["alarms"])
        + "\n".join(_sections(report, excerpts))
        + "\n</body></html>\n"
    )


def summary(report: Mapping[str, Any]) -> str:
    """Return the numbers alone, as a table."""
    rows = [("rows read", report["documents"]), ("kept", report["kept"])]
    rows += [(f"dropped: {verdict}", count) for verdict, count in report["dropped"].items()]
    rows += [("clusters", report["clusters"]), ("could not be read", report["read"]["rejected"])]
    return _table((), rows)


def _sections(report: Mapping[str, Any], excerpts: Mapping[int, str]) -> Iterable[str]:
    yield summary(report)
    yield f"<p>{escape(report['promise'])}</p>"
    yield "<h2>Sources</h2>"
    sources = [(s["source"], s["rows"], s["copies"], s["near"]) for s in report["sources"]]
    yield _table(("source", "rows", "dropped as copies", "dropped as near"), sources)
    yield "<h2>How much the dropped rows resemble what is kept</h2>"
    yield _bars([(f"{bar['from']:.3f}", bar["rows"]) for bar in report["resemblances"]])
    yield "<h2>Largest clusters</h2>"
    for row in report["largest"]:
        kind = "near" if row["near"] else "copies"
        yield f"<h3>Cluster {row['cluster']}: {row['documents']:,} documents ({kind})</h3>"
        yield f"<pre>{escape(excerpts.get(row['cluster'], ''))}</pre>"
    yield "<h2>How it was done</h2>"
    options = [(name, str(value)) for name, value in report["options"].items()]
    yield _table((), [*options, *((f"seconds: {n}", s) for n, s in report["seconds"].items())])


def _table(heads: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    head = "".join(f"<th>{escape(name)}</th>" for name in heads)
    body = "".join("<tr>" + "".join(map(_cell, row)) + "</tr>\n" for row in rows)
    return f"<table>{f'<tr>{head}</tr>' if heads else ''}\n{body}</table>"


def _cell(value: Any) -> str:
    if isinstance(value, int | float):
        return f"<td class='n'>{value:,}</td>"
    return f"<td>{escape(str(value))}</td>"


def _bars(bars: Sequence[tuple[str, int]]) -> str:
    most = max((count for _, count in bars), default=0) or 1
    rows = "".join(
        f"<tr><td class='n'>{name}</td><td class='n'>{count:,}</td><td style='width:30rem'>"
        f"<div class='bar' style='width:{100 * count / most:.1f}%'></div></td></tr>\n"
        for name, count in bars
    )
    return f"<table>\n{rows}</table>"
