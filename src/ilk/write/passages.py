"""The passages of a collection as a page: where the same words stand, and a strip per document."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import chain
from typing import Any

from ilk.write import pages

#: A passage in at least this many documents is a notice that comes with documents of a kind.
_NOTICE = 10


def html(
    report: Mapping[str, Any],
    frequent: Sequence[Mapping[str, Any]],
    documents: Sequence[Mapping[str, Any]],
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
    sources = [*chain(*(one["sources"] for one in frequent)), *(one["source"] for one in documents)]
    return pages.page(
        "passages.html",
        report=report,
        common=pages.common(sources),
        groups=[(name, found) for name, is_ in kinds if (found := list(filter(is_, frequent)))],
        documents=documents,
        within={None: "document", "folder": "folder", "source": "source"}.get(across, "group"),
    )
