"""The passages of a collection as a page: where the same words stand, and a strip per document."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ilk.write import pages

#: A passage in at least this many documents is a notice that comes with documents of a kind.
_NOTICE = 10


def html(
    report: Mapping[str, Any],
    frequent: Sequence[Mapping[str, Any]],
    documents: Iterable[Mapping[str, Any]],
) -> str:
    """Return the whole page.

    Args:
        report: of a search for passages.
        frequent: passages with ``words``, ``occurrences``, ``excerpt``, whether it is ``cut``,
            ``sources``, and in how many ``documents`` it is.
        documents: each with ``source``, ``words``, the share ``before`` and ``runs``, per run its
            first word, the word after the last, and whether it is at an earlier place too.
    """
    kinds = [
        ("Shared by documents", lambda one: 1 < one["documents"] < _NOTICE),
        ("Notices that stand in many documents", lambda one: one["documents"] >= _NOTICE),
        ("Repeated in one document", lambda one: one["documents"] <= 1),
    ]
    across = report["options"].get("across")
    return pages.page(
        "passages.html",
        report=report,
        groups=[(name, found) for name, is_ in kinds if (found := list(filter(is_, frequent)))],
        documents=[_strip(one) for one in documents],
        within="document" if across is None else across if across in _GROUPS else "group",
    )


#: Groups that have a word of their own.
_GROUPS = ("folder", "source")


def _strip(document: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return a document with the places of its runs in percent."""
    whole = max(document["words"], 1) / 100
    runs = [(start / whole, (end - start) / whole, again) for start, end, again in document["runs"]]
    return {**document, "runs": runs}
