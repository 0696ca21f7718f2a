"""URLs that were fetched several times: what changed from one time to the next.

Captures of an archive with equal payload digests are unchanged, pictures and fonts among them; so
is every revisit. Others are compared by their texts, so a new menu or advertisement counts as a
change only if the extraction leaves it in.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from ilk.companions import (
    Collection,
    Counting,
    DataSet,
    ReadDocuments,
    StepTimer,
    Thresholds,
    default,
    open_data_set,
    progress_steps_of_reading_sources,
    read_documents_with_evidence,
    report_head,
    verdicts,
)
from ilk.plugins import (
    ColumnTypeError,
    NothingRead,
    Progress,
    Reading,
    Running,
    accept_true_as_progress,
    arrow,
    check_option,
)
from ilk_web.changes.crawl_order import AddressSummary, rows_in_crawl_order, summarise_addresses
from ilk_web.changes.words import DATE, DIGEST, VERDICTS

_WORDS, _UNKNOWN = pa.array(list(VERDICTS)[:3]), "unknown"


@dataclass(frozen=True, repr=False)
class Changes:
    """The result of ``find``.

    Attributes:
        table: a row for every two consecutive captures of one URL: ``url``, ``before`` and
            ``after`` (sources), their times ``from`` and ``to`` (null for a capture without one),
            ``verdict`` and ``resemblance`` (null if it is unknown), by URL and time.
        report: counts and failures, as plain values.
        addresses: of every URL, the last capture and the last change.
    """

    table: pa.Table
    report: dict[str, Any]
    addresses: dict[str, AddressSummary]

    def crawl_order(self, urls: Iterable[str]) -> pa.Table:
        """Return addresses in the order in which a crawler should fetch them, each once.

        Returns:
            ``url``; ``group``: ``new`` (not fetched yet), ``changed`` (the latest change first) or
            ``other`` (the longest not fetched first); ``fetched`` and ``changed``: when it was
            fetched last, and when a change was seen last, null if unknown.
        """
        time = self.table.schema.field("to").type
        schema = {"url": pa.string(), "group": pa.string(), "fetched": time, "changed": time}
        return pa.Table.from_pylist(rows_in_crawl_order(urls, self.addresses), pa.schema(schema))

    def __repr__(self) -> str:
        """Return the numbers, in a few lines."""
        read, urls = self.report["documents"], self.report["urls"]
        pairs = ", ".join(f"{name} {count:,}" for name, count in self.report["pairs"].items())
        return f"Changes: {read:,} captures, {urls:,} fetched more than once\n  {pairs}"


@accept_true_as_progress
def find(
    source: Any,
    *,
    url: str = default("url"),
    date: str | None = None,
    text: str | Sequence[str] = default("text"),
    resemblance: str | float = default("resemblance"),
    shingle: int = default("shingle"),
    extract: str = default("extract"),
    convert_timeout: float = default("convert_timeout"),
    jobs: int | None = None,
    progress: Progress | bool | None = None,
) -> Changes:
    """Find what changed between captures.

    Args:
        source: archives or files of rows (paths or globs), or a table.
        url: the column of URLs; those spelled the same are one URL.
        date: the column of times, which order the captures; by default ``date``, if it exists, or
            else the order of reading.
        text: the column of texts, or several.
        resemblance: captures that share at least this part of their shingles have changed a little.
        shingle: words per shingle. A text below 50 words and one below 100 are compared by
            3 characters.
        extract: how to get the text of pages in archives: ``none``, ``all``, ``fast`` or
            ``quality``.
        convert_timeout: the time limit in seconds for the text of a page.
        jobs: threads.
        progress: a function that follows every step; True draws a line on stderr.

    Raises:
        OptionError: an option is out of bounds.
        SourceNotFound, ColumnTypeError: as for ``ilk.deduplicate``.
        NothingRead: as there; or no capture has a URL.
    """
    least, width = check_option("resemblance", resemblance), check_option("shingle", shingle)
    url, date = check_option("url", url), check_option("date", date)
    reading = Reading.of(text=text, extract=extract, convert_timeout=convert_timeout)
    meter = StepTimer(progress, *progress_steps_of_reading_sources(reading, source))
    running = Running.of(jobs, progress=meter)
    data_set = open_data_set(source, reading, running)
    documents_read = read_documents_with_evidence(
        data_set.batches(),
        Collection(data_set),
        recipe=None,
        counting=Counting(width),
        running=running,
    )
    data_set.refuse_if_all_rows_unreadable()
    captures = _read_captures_in_order(data_set, url, date)
    pairs = _pair_consecutive_captures(captures)
    words, resemblances = _judge_pairs(documents_read, pairs, Thresholds(least))
    before, after = (arrow.flat(pairs[side]) for side in ("before", "after"))
    words = pc.if_else(
        _have_equal_labelled_payload_digests(data_set, before, after), _WORDS[0], words
    )
    table = pa.table(
        {
            "url": pairs["url"],
            "before": data_set.row_names(before),
            "after": data_set.row_names(after),
            "from": pairs["from"],
            "to": pairs["to"],
            "verdict": words,
            "resemblance": resemblances,
        }
    )
    options = reading.plain() | {"resemblance": float(least), "shingle": width}
    report = _make_report(data_set, table, options | {"url": url, "date": date})
    summaries = summarise_addresses(captures, pairs, words)
    return Changes(table, report | {"seconds": meter.seconds()}, summaries)


def _read_captures_in_order(data_set: DataSet, url: str, date: str | None) -> pa.Table:
    """Return ``url``, ``time`` and ``doc`` of every capture with a URL, by URL and time."""
    rows = data_set.count_rows()
    urls = (
        arrow.flat(data_set.read_column(url)).cast(pa.string())
        if rows
        else pa.nulls(0, pa.string())
    )
    if urls.null_count == len(urls):
        raise NothingRead(
            f"no capture of {rows:,} has a URL (`url` is {url!r}), so none can be compared with "
            "another; name an archive, or rows with a column of URLs."
        )
    times = _read_capture_times(data_set, date)
    docs = pa.arange(0, len(urls))
    captures = pa.table({"url": urls, "time": times, "doc": docs})
    order = [("url", "ascending"), ("time", "ascending"), ("doc", "ascending")]
    return captures.filter(captures["url"].is_valid()).sort_by(order).combine_chunks()


def _pair_consecutive_captures(captures: pa.Table) -> pa.Table:
    """Return every two consecutive captures of one URL, by URL and time.

    Returns:
        ``url``; ``before`` and ``after`` (rows); ``from`` and ``to`` (times).
    """
    first, second = captures[:-1], captures[1:]
    same = pc.equal(first["url"], second["url"])
    pairs = {"url": first["url"], "before": first["doc"], "after": second["doc"]}
    pairs |= {"from": first["time"], "to": second["time"]}
    return pa.table(pairs).filter(same)


def _read_capture_times(data_set: DataSet, date: str | None) -> pa.Array:
    """Return the times of all captures; null if there is no column of them by default."""
    try:
        return arrow.flat(data_set.read_column(date or DATE))
    except ColumnTypeError:
        if date is not None:
            raise
        return pa.nulls(data_set.count_rows(), pa.timestamp("us"))


def _have_equal_labelled_payload_digests(
    data_set: DataSet, before: pa.Array, after: pa.Array
) -> pa.Array:
    """Return for each pair whether both have a digest of their payload, and the same one."""
    try:
        digests = arrow.flat(data_set.read_column(DIGEST))
    except ColumnTypeError:
        return pa.repeat(False, len(before))
    if not pa.types.is_string(digests.type):  # A column of rows that means something else.
        return pa.repeat(False, len(before))
    one, other = digests.take(before), digests.take(after)
    labelled = pc.match_substring_regex(one, r"^[A-Za-z0-9-]+:.")
    return pc.fill_null(pc.and_(labelled, pc.equal(one, other)), False)


class _JudgedCaptures(NamedTuple):
    """The verdict and the resemblance of every pair; null if a side has no text."""

    verdicts: pa.Array
    resemblances: pa.Array


def _judge_pairs(
    documents_read: ReadDocuments, pairs: pa.Table, thresholds: Thresholds
) -> _JudgedCaptures:
    """Return the verdict and the resemblance of every pair; null if a side has no text."""
    left, right = (arrow.flat(pairs[side]) for side in ("before", "after"))
    digests = arrow.flat(documents_read.documents["digest"])
    both_have_text = pc.and_(digests.take(left).is_valid(), digests.take(right).is_valid())
    pair_rows = documents_read.evidence.judge_pairs(
        left.filter(both_have_text), right.filter(both_have_text), thresholds
    )
    words = pc.replace_with_mask(
        pa.repeat(_UNKNOWN, len(left)),
        both_have_text,
        _change_words_of_verdicts(pair_rows["verdict"]),
    )
    nothing = pa.nulls(len(left), pa.float64())
    return _JudgedCaptures(
        words, pc.replace_with_mask(nothing, both_have_text, arrow.flat(pair_rows["resemblance"]))
    )


def _change_words_of_verdicts(pair_verdicts: pa.ChunkedArray) -> pa.Array:
    """Return the first of ``_WORDS`` for copies, the second for near ones, else the third."""
    copies = pa.array([verdicts.IDENTICAL, verdicts.EXACT])
    near = pc.if_else(pc.is_in(pair_verdicts, pa.array(verdicts.SAME)), 1, 2)
    return _WORDS.take(arrow.flat(pc.if_else(pc.is_in(pair_verdicts, copies), 0, near)))


def _make_report(data_set: DataSet, table: pa.Table, options: dict[str, Any]) -> dict[str, Any]:
    """Return what happened, as plain values."""
    counts = Counter(table["verdict"].to_pylist())
    rows_rejected = [
        {"source": f"{row.source}:{row.at}", "reason": row.reason}
        for row in data_set.read_rejected_rows()
    ]
    return {
        **report_head(
            documents=data_set.count_rows(),
            failures=[
                *data_set.counts_and_failures_reading_if_unread()["failures"],
                *rows_rejected,
            ],
            advice=data_set.tally.advice(),
            options=options,
        ),
        "urls": len(pc.unique(table["url"])),
        "pairs": {verdict: counts[verdict] for verdict in VERDICTS},
    }
