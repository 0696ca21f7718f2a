"""The passages of a collection as one page of HTML that needs neither network nor script."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from html import escape
from typing import Any

from ilk.write import markup
from ilk.write.markup import table

_STYLE = """
svg { display: block; width: 100%; height: .9rem; background: var(--edge); }
.first { fill: #3a6ea5; } .again { fill: #b5533c; }
"""


def html(
    report: Mapping[str, Any],
    frequent: Sequence[Mapping[str, Any]],
    documents: Iterable[Mapping[str, Any]],
) -> str:
    """Return the whole page.

    Args:
        report: of a search for passages.
        frequent: passages with ``words``, ``occurrences``, ``excerpt`` and ``sources``.
        documents: each with ``source``, ``words``, the share ``before`` and ``runs``, per run its
            first word, the word after the last, and whether it is at an earlier place too.
    """
    counts = [
        ("documents", report["documents"]),
        ("words", report["words"]),
        ("passages", report["passages"]),
        ("words that are in another document too", report["elsewhere"]),
        ("words that are in an earlier document", report["before"]),
        ("words that are twice in their own document only", report["itself"]),
    ]
    body = [table((), counts), f"<p>{escape(report['promise'])}</p>"]
    body.append("<h2>Passages that take the most words</h2>")
    for row in frequent:
        body.append(f"<h3>{row['words']:,} words, {row['occurrences']:,} places</h3>")
        body.append(f"<pre>{escape(row['excerpt'])}</pre>")
        body.append(f"<p>{'<br>'.join(map(escape, row['sources']))}</p>")
    body.append("<h2>Where they are in documents</h2>")
    body.append("<p>Blue: the first place of a passage. Red: it is at an earlier place too.</p>")
    for document in documents:
        title = f"{document['source']}: {document['words']:,} words"
        body.append(f"<p>{escape(title)}, {document['before']:.1%} of them in earlier ones</p>")
        body.append(_bar(document["words"], document["runs"]))
    return markup.document("ilk: passages", _STYLE, ["<h1>Passages</h1>\n", "\n".join(body)])


def _bar(words: int, runs: Iterable[tuple[int, int, bool]]) -> str:
    """Return a document as a bar, with its runs in their places."""
    shapes = "".join(
        f"<rect class='{'again' if again else 'first'}' x='{start}' y='0' "
        f"width='{end - start}' height='1'/>"
        for start, end, again in runs
    )
    return (
        f"<svg viewBox='0 0 {max(words, 1)} 1' preserveAspectRatio='none' role='img' "
        f"aria-label='where passages are'>{shapes}</svg>"
    )
