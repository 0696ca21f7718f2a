"""The overview: documents over time, sizes of families, refused requests, response times."""

from __future__ import annotations

import datetime
from collections import Counter
from collections.abc import Sequence
from typing import Any, NamedTuple

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import Response

from ilk import Store
from ilk.companions import plots
from ilk_server.frame import render_page
from ilk_server.metrics import Metrics

#: The most columns of a plot; and their names, by the hours per column.
_COLUMNS = 60
_SPANS = {1: "%Y-%m-%d %H:00", 24: "%Y-%m-%d", 24 * 7: "%Y-%m-%d", 24 * 28: "%Y-%m-%d"}
_CALLED = {1: "hour", 24: "day", 24 * 7: "seven days", 24 * 28: "four weeks"}

#: The most columns to draw: ten years; a wrong clock may have recorded 1970.
_OLDEST = 130

router = APIRouter(include_in_schema=False)


@router.get("/overview")
async def show_overview(request: Request) -> Response:
    """Show how the store grows, and how it is used."""
    state = request.app.state
    values = await state.work(_store_statistics, state.answers.store)
    return await render_page(
        request, "overview.html", **values, **_request_statistics(state.metrics)
    )


def _store_statistics(store: Store) -> dict[str, Any]:
    hours = store.arrivals()
    span, counts = count_documents_by_column(hours)
    sizes = [len(cluster) for cluster in store.clusters()]
    documents = sum(count for _, count in hours)
    what = f"Documents added, by {_CALLED[span]}: {documents:,} in all."
    return {
        "documents": documents,
        "families": len(sizes),
        "in_families": sum(sizes),
        "arrived": counts,
        "span": _CALLED[span],
        "what": what,
        "sizes": list(plots.count_size_classes(sizes)),
    }


def _request_statistics(metrics: Metrics) -> dict[str, Any]:
    """Return the counts since the start."""
    since = datetime.datetime.fromtimestamp(metrics.since, datetime.UTC)
    return {
        "since": since.strftime("%Y-%m-%d %H:%M UTC"),
        "happened": metrics.document_event_counts(),
        "refused": metrics.refusal_counts_by_reason(),
        "lasted": metrics.request_counts_by_duration(),
        "median": metrics.spell_time_for_share_of_requests(0.5),
        "slowest": metrics.spell_time_for_share_of_requests(0.99),
    }


class DocumentColumns(NamedTuple):
    """The hours that a column stands for, and the columns: their starts, and the counts."""

    hours_per_column: int
    columns: list[tuple[str, int]]


def count_documents_by_column(
    counts_by_hour: Sequence[tuple[int, int]],
) -> DocumentColumns:
    """Count documents by columns of equal time, as many as a plot has room for.

    Args:
        counts_by_hour: hours since 1970, ascending, and how many documents were added in each.
    """
    if not counts_by_hour:
        return DocumentColumns(1, [])
    first, last = counts_by_hour[0][0], counts_by_hour[-1][0]
    fitting = (each for each in _SPANS if last // each - first // each < _COLUMNS)
    span = next(fitting, max(_SPANS))
    counts: Counter[int] = Counter()
    for hour, count in counts_by_hour:
        counts[hour // span] += count
    every = range(max(first // span, last // span - _OLDEST), last // span + 1)
    columns = [(_time_of_hour(at * span).strftime(_SPANS[span]), counts[at]) for at in every]
    return DocumentColumns(span, columns)


def _time_of_hour(hours_since_1970: int) -> datetime.datetime:
    return datetime.datetime.fromtimestamp(hours_since_1970 * 3600, datetime.UTC)
