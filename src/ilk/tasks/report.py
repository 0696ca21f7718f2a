"""The report of a search or a deduplication: numbers that add up, and what to look at first."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from ilk import arrow
from ilk.arrow import verdicts
from ilk.fingerprints import blocks
from ilk.read import ReadReport
from ilk.read.formats.table import FORMATS
from ilk.read.rows.dataset import DataSet
from ilk.search import alarms, numbers, ranking, search_plan
from ilk.search.clustering import CannotLink
from ilk.search.programs import describe_sources_compared_as_text
from ilk.search.read_documents import IGNORED_ALONE
from ilk.search.report import (
    LARGEST,
    count_families_clusters_and_verdicts,
    count_rows_by_resemblance_bar,
    noise_report_if_sought,
    report_head,
)
from ilk.search.search_plan import SearchPlan
from ilk.tasks.request import Request
from ilk.tasks.result import DeduplicationResult, SearchResult

#: What is certain about a result if only the bytes of files were compared.
_OF_BYTES = "exact: every file with the bytes of another one is shown; no text was read"

#: The extensions of files that hold others, or one that is packed.
_PACKED = (
    "("
    + "|".join(
        re.escape(end) for form in ("zip", "tar", "compressed") for end in FORMATS[form].extensions
    )
    + ")$"
)


def report_search(
    result: SearchResult,
    request: Request,
    tally: ReadReport,
    *,
    roots: Sequence[str],
    apart: CannotLink | None,
    common_blocks: pa.Table | None,
) -> dict[str, Any]:
    """Return what happened in a search, as plain values.

    Args:
        result: the result, without its report.
        request: what was asked.
        tally: what happened while documents were read.
        roots: the paths below which they are, with those of ``against``.
        apart: the pairs that a person has labelled different.
        common_blocks: those that were left out; None if none were looked for.
    """
    plan = None if request.identical else result.search.plan
    documents, sources = result.documents.slice(result.baseline_size), result.documents["source"]
    reasons = Counter[str]()
    if plan is not None:
        reasons = Counter(reason for reason in documents["reason"].to_pylist() if reason)
    sizes = alarms.summarize_clusters_of_several(result.clusters)
    min_resemblance = float(request.query.resemblance or 0)
    largest = sizes.slice(0, LARGEST).to_pylist()
    idle_policies = ranking.prefer_policies_without_match(
        result.documents, request.query.keep, roots
    )
    as_ = request.query.as_
    plain = [] if as_ is None else as_.list_text_sources_refusing_all(sources.to_pylist())
    return {
        **report_head(
            documents=len(documents),
            failures=tally.failures_as_dicts(),
            advice=[
                *tally.advice(),
                *describe_sources_compared_as_text(plain),
                *request.limits.single_advice_on_clusters_below_alarm_share(
                    sizes, document_count=len(documents)
                ),
            ],
            alarms=request.limits.alarms_about_near_clusters_above_both_limits(
                sizes, document_count=len(documents)
            ),
            largest=[row | {"keeper": sources[row["keeper"]].as_py()} for row in largest],
            promise=_promise_sentence(plan, search_plan.FAMILIES, request),
            options=request.query.plain_values()
            | request.reading.plain()
            | {"identical": request.identical}
            | request.plain_meeting_conditions(),
        ),
        "against": result.baseline_size,
        "not_compared": [
            *_sentences_on_documents_not_compared(tally, reasons),
            *(_sentences_on_empty_and_packed_files(documents) if plan is None else ()),
            *(f"no document matches --keep {policy}" for policy in idle_policies),
        ],
        "promise_of_pairs": _promise_sentence(plan, search_plan.PAIRS, request),
        "fingerprinted": 0 if plan is None else len(documents) - sum(reasons.values()),
        "without_fingerprint": dict(sorted(reasons.items())),
        **count_families_clusters_and_verdicts(result.clusters),
        # As for `documents`, those of the reference do not count.
        "in_families": pc.sum(
            pc.greater_equal(result.clusters["doc"], result.baseline_size)
        ).as_py()
        or 0,
        "resemblances": count_rows_by_resemblance_bar(
            result.dropped_rows["resemblance"], min_resemblance
        ),
        "contained": [
            {
                "source": sources[row["left"]].as_py(),
                "container": sources[row["right"]].as_py(),
                "containment": row["containment_left"],
            }
            for row in result.contained_pairs.to_pylist()
        ],
        **_plain_values_of_reading(
            tally, result, documents_by_bytes=len(documents) if plan is None else None
        ),
        **_plain_values_of_plan(plan, result.clusters),
        "kept_apart": 0 if apart is None else len(apart.left),
        "common_blocks": rank_common_blocks_if_sought(common_blocks),
    }


def _promise_sentence(
    plan: SearchPlan | None, subject: search_plan.PromiseSubject, request: Request
) -> str:
    """Return what is certain about families or pairs; without a plan, bytes were compared."""
    promise = _OF_BYTES if plan is None else search_plan.promise_sentence(plan, subject)
    return promise + _phrase_on_meeting_conditions_or_empty(request)


def _plain_values_of_reading(
    tally: ReadReport, result: SearchResult, *, documents_by_bytes: int | None
) -> dict[str, Any]:
    """Return which files were no documents, and how the texts of others were decoded.

    Args:
        tally: what happened while documents were read.
        result: of the search.
        documents_by_bytes: how many documents there are, if all were compared by their bytes.
    """
    return {
        "skipped": dict(sorted(tally.every_skipped.items())),
        "compared_by_bytes": (
            sum(tally.skipped.values()) * tally.by_bytes
            if documents_by_bytes is None
            else documents_by_bytes
        ),
        # Files that are no documents: no other one has their bytes.
        "without_copy": len(
            result.unread_files_without_copy.difference(
                failure.source for failure in tally.failures
            )
        ),
        "excluded": tally.excluded,
        "replaced": list(tally.replaced),
        "encodings": dict(sorted(tally.encodings.items())),
    }


def _plain_values_of_plan(plan: SearchPlan | None, clusters: pa.Table) -> dict[str, Any]:
    """Return how candidates were found; without a plan, bytes were compared."""
    if plan is None:
        return {"pairing": None, "radius": None, "expected_recall": None}
    return {
        "pairing": plan.pairing,
        "radius": plan.radius,
        "expected_recall": plan.expected_recall.of_all if plan.expected_recall else None,
        **noise_report_if_sought(plan, clusters),
    }


def report_deduplication(
    result: DeduplicationResult,
    request: Request,
    *,
    common_blocks: pa.Table | None,
    reference_tally: ReadReport,
) -> dict[str, Any]:
    """Return what happened to the rows of data sets, as plain values.

    Args:
        result: the result, without its report.
        request: what was asked.
        common_blocks: those that were left out; None if none were looked for.
        reference_tally: what happened while ``against`` was read.
    """
    records, clusters = result.rows, result.clusters
    read = records.counts_and_failures_reading_if_unread()
    brief = clusters.select(["doc", "verdict", "resemblance", "also_like"])
    goes = pc.is_valid(clusters["policy"])
    dropped_rows = brief.filter(goes)
    sizes = alarms.summarize_clusters_of_several(clusters)
    largest = sizes.slice(0, LARGEST)
    first = pc.index_in(largest["cluster"], value_set=arrow.flat(clusters["cluster"]))
    largest = largest.append_column("keeper_source", clusters["keeper_source"].take(first))
    per_source = _count_rows_copies_and_near_per_source(records, dropped_rows)
    also = brief["also_like"].filter(pc.and_not(brief["doc"].is_valid(), goes)).drop_null()
    like = pc.invert(result.keep_mask.take(also))
    limits = request.limits
    if request.compares_only_for_equality:
        equal_values = "text" if request.exact else "key"
        whom = "a row that stays" if request.query.keep_up_to else "another row"
        promise = f"exact: every row with the {equal_values} of {whom} is dropped"
        promise += search_plan.spell_rows_that_stay_unless_one(request.query)
    else:
        promise = search_plan.promise_sentence(result.search.plan, search_plan.ROWS)
    return {
        **report_head(
            documents=read["rows"],
            failures=[*reference_tally.failures_as_dicts(), *read["failures"]],
            advice=[
                *records.tally.advice(),
                *records.describe_null_column_and_other_values(),
                *limits.single_advice_on_clusters_below_alarm_share(
                    sizes, document_count=read["rows"]
                ),
            ],
            alarms=[
                *limits.alarms_about_near_clusters_above_both_limits(
                    sizes, document_count=read["rows"]
                ),
                *limits.alarms_about_near_rows_lost(per_source),
            ],
            largest=[row | {"keeper": row.pop("keeper_source")} for row in largest.to_pylist()],
            promise=promise + _phrase_on_meeting_conditions_or_empty(request),
            options=request.plain_values(),
        ),
        "read": read,
        "kept": read["rows"] - len(dropped_rows),
        "dropped": dict(sorted(arrow.count_values(dropped_rows["verdict"]).items())),
        # Rows that stay although they are like a dropped one.
        "like_dropped": pc.sum(like).as_py() or 0,
        # Where several of a cluster stay, or some may not meet, rows that stay may be equal.
        "numbers_only_kept": 0
        if request.compares_only_for_equality
        or request.query.keep_up_to > 1
        or request.window is not None
        or request.only_against
        else _count_kept_rows_differing_only_in_numbers(result),
        # Rows with nothing but the base text: they stay.
        "ignored_alone": 0
        if request.query.base is None
        else _count_rows_with_only_ignored_text(result),
        "stand_for": None if result.copies is None else pc.sum(result.copies).as_py() or 0,
        "sources": per_source.to_pylist(),
        **count_families_clusters_and_verdicts(clusters),
        "resemblances": count_rows_by_resemblance_bar(
            dropped_rows["resemblance"], float(request.query.resemblance or 0)
        ),
        "dangling": _list_kept_revisits_of_dropped_rows(records, dropped_rows),
        # Rows whose key, or a part of it, is null or empty: they stay.
        "without_key": 0 if request.key is None else _count_rows_with_null_digest(result),
        "against": result.baseline_size,
        "common_blocks": rank_common_blocks_if_sought(common_blocks),
    }


def rank_common_blocks_if_sought(common_blocks: pa.Table | None) -> list[dict[str, Any]] | None:
    """Return the blocks that were left out, with the number of their documents; None if none were
    looked for.
    """
    if common_blocks is None:
        return None
    listed: list[dict[str, Any]] = (
        blocks.rank_blocks_without_inner_lines(common_blocks)
        .select(["documents", "text"])
        .to_pylist()
    )
    return listed


def _count_rows_with_only_ignored_text(result: DeduplicationResult) -> int:
    """Count the rows whose words are all in the ignored text."""
    evidence = result.search.evidence
    emptied = pc.and_(evidence.field("digest").is_null(), pc.greater(evidence.field("words"), 0))
    return pc.sum(emptied.slice(result.baseline_size)).as_py() or 0


def _phrase_on_meeting_conditions_or_empty(request: Request) -> str:
    """Return which documents are compared at all, as the end of a promise; "" if all are."""
    plain, limits = request.plain_meeting_conditions(), list[str]()
    if request.within:
        limits.append(f"with the same {' and '.join(request.within)}")
    if request.window is not None:
        by = "when they were modified" if request.date is None else request.date
        limits.append(f"at most {plain['window']} apart by {by}")
    kind_of_documents = "files" if request.window is not None and request.date is None else "rows"
    phrase = f"; only among {kind_of_documents} {' and '.join(limits)}" if limits else ""
    return phrase + ("; compared with the reference alone" if request.only_against else "")


def _count_rows_with_null_digest(result: DeduplicationResult) -> int:
    """Count the rows of the data set without a digest, which equal no other row."""
    return int(arrow.flat(result.documents["digest"]).slice(result.baseline_size).null_count)


def _count_kept_rows_differing_only_in_numbers(result: DeduplicationResult) -> int:
    """Return how many rows stay although another row that stays differs only in numbers."""
    stay = pa.concat_arrays([pa.repeat(False, result.baseline_size), result.keep_mask])
    first_rows = numbers.first_rows_with_same_masked_text_or_null(
        result.search.evidence.with_joined_limited_to(stay)
    )
    return pc.sum(pc.not_equal(first_rows, pa.arange(0, len(first_rows)))).as_py() or 0


def _sentences_on_documents_not_compared(
    tally: ReadReport, reasons_without_fingerprint: Counter[str]
) -> list[str]:
    reasons = reasons_without_fingerprint
    blank, missing = reasons["blank"], tally.missing
    lines = []
    if count := reasons[IGNORED_ALONE]:
        has = "1 document has" if count == 1 else f"{count:,} documents have"
        them = "it" if count == 1 else "them"
        lines.append(f"{has} nothing but ignored text: only the same bytes make a copy of {them}")
    if blank:
        has = "1 document is blank" if blank == 1 else f"{blank:,} documents are blank"
        them = "it" if blank == 1 else "them"
        lines.append(f"{has}: only the same bytes make a copy of {them}")
    if missing:
        has = "1 row has no text" if missing == 1 else f"{missing:,} rows have no text"
        lines.append(f"{has} in the column of texts: it is missing, null, or not a text")
    return [
        *lines,
        *tally.describe_sources_not_compared(),
        *tally.doubt_text_column_if_mostly_numbers(),
    ]


def _sentences_on_empty_and_packed_files(documents: pa.Table) -> list[str]:
    """Return sentences about empty files, and about archives compared as they are, if any."""
    sentences, count = [], pc.sum(pc.equal(documents["size"], 0)).as_py() or 0
    if count:
        is_empty = "1 file is empty" if count == 1 else f"{count:,} files are empty"
        sentences.append(f"{is_empty}, and like no other")
    packed = pc.match_substring_regex(documents["source"], _PACKED, ignore_case=True)
    if count := pc.sum(packed).as_py() or 0:
        phrase = "1 archive or packed file was compared as it is, and nothing in it"
        if count > 1:
            phrase = (
                f"{count:,} archives or packed files were compared as they are, and nothing in "
            )
            phrase += "them"
        sentences.append(phrase)
    return sentences


def _count_rows_copies_and_near_per_source(records: DataSet, dropped_rows: pa.Table) -> pa.Table:
    """Return for each source its rows, and how many are dropped as copies and as near."""
    names = pa.array([source.name for source in records.sources], pa.string())
    source_numbers = arrow.flat(records.source_name_of_each_document()).indices
    all_source_numbers, dropped_source_numbers = (
        pa.arange(0, len(names)).cast(source_numbers.type),
        source_numbers.take(arrow.flat(dropped_rows["doc"])),
    )
    copies = arrow.flat(pc.is_in(dropped_rows["verdict"], pa.array(verdicts.COPIES)))

    def count_rows_of_each_source(sources: pa.Array) -> pa.Array:
        # Each source is first counted once more, so that those without a row come too, in order.
        return pc.subtract(
            pc.value_counts(pa.concat_arrays([all_source_numbers, sources])).field(1), 1
        )

    numbers_by_column = {
        "rows": source_numbers,
        "copies": dropped_source_numbers.filter(copies),
        "near": dropped_source_numbers.filter(pc.invert(copies)),
    }
    return pa.table(
        {
            "source": names,
            **{name: count_rows_of_each_source(each) for name, each in numbers_by_column.items()},
        }
    )


def _list_kept_revisits_of_dropped_rows(
    records: DataSet, dropped_rows: pa.Table
) -> list[dict[str, str]]:
    """Return the kept rows that only refer to dropped rows, as copies of them."""
    references = list(records.revisits())
    if not references:
        return []
    dropped_docs = arrow.flat(dropped_rows["doc"])
    docs, others = (pa.array([pair[side] for pair in references], pa.int64()) for side in (0, 1))
    stays = pc.and_not(
        pc.is_in(others, value_set=dropped_docs), pc.is_in(docs, value_set=dropped_docs)
    )
    docs, others = docs.filter(stays), others.filter(stays)
    names = {"source": records.row_names(docs), "revisits": records.row_names(others)}
    return list(pa.table(names).to_pylist())
