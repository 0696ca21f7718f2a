"""Which items of evaluation sets are in which sources of training data, and how much of each.

An evaluation set is a file of the reference, and its items are the rows of that file; a source is a
file of the documents that are searched. Each set is compared with each source alone, so an item
that is in several sources counts for each of them. It counts if a run of its words is there, or, if
that is asked, if it is contained in a document there to a degree (``evidence_joins``).
"""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from ilk import arrow
from ilk.arrow import flat
from ilk.base.errors import ColumnTypeError, RowTooLong
from ilk.base.options import default
from ilk.base.run_options import Running
from ilk.read import Reading, ReadReport
from ilk.read.documents import is_file_of_rows, read_documents
from ilk.search.counting import Counting
from ilk.search.evidence import Evidence
from ilk.search.evidence_joins import (
    join_rows_with_their_containers,
    verify_containment_whole_if_short,
)
from ilk.search.passages import RepeatedWordRuns, byte_spans_of_runs

#: Items of evaluation sets, each with a source in which it is: how many words it has, the share of
#: them in runs that are there, the longest of these runs, as in the item, and the greatest
#: containment in a document there; null if it is less than was asked for.
ITEMS = pa.schema(
    {
        "set": pa.string(),
        "item": pa.string(),
        "id": pa.string(),
        "source": pa.string(),
        "words": pa.int64(),
        "share": pa.float64(),
        "longest": pa.int64(),
        "containment": pa.float64(),
        "place": pa.string(),
        "text": pa.large_string(),
    }
)

#: Every evaluation set that was read with every source: its items, how many of these have fewer
#: words than a run and are not found, how many are found there, and the longest run of these.
SETS = pa.schema(
    {
        "set": pa.string(),
        "source": pa.string(),
        "items": pa.int64(),
        "short": pa.int64(),
        "found": pa.int64(),
        "longest": pa.int64(),
        "example": pa.string(),
    }
)

#: What ``find_contained_items_of_each_file`` returns.
_CONTAINED = pa.schema(
    {"item": pa.int64(), "file": pa.int64(), "containment": pa.float64(), "doc": pa.int64()}
)

#: Sources that are compared one by one; more count as one.
MOST_SOURCES = 100

#: Bytes of the text of a run that are kept.
_EXCERPT = 400

#: Bytes of texts whose evidence is held at once.
_PORTION = 32_000_000

#: No limit of pairs: the items are few.
_ANY_NUMBER = (1 << 53) - 1

#: What follows the name of a file in the name of a row, for RE2.
_ROW = r"#\d+$"

#: What follows the name of a file in the name of a row that could not be read.
_LINE = re.compile(r":\d+$")


@dataclass(frozen=True, slots=True)
class Contamination:
    """What of evaluation sets is in sources: ``ITEMS``, and ``SETS`` without items that are not."""

    items: pa.Table
    sets: pa.Table


def find_contamination(
    repeated_runs: RepeatedWordRuns,
    items: pa.Table,
    item_texts: arrow.Texts,
    documents: pa.Table,
    *,
    min_words: int,
    contained_items: pa.Table | None = None,
    unread_sets: Container[str] = (),
    jobs: int,
) -> Contamination:
    """Return which items are in which sources.

    Args:
        repeated_runs: what is repeated in the items and the documents after them.
        items, item_texts: ``source`` and ``id`` of n items, and their texts.
        documents: their ``source``.
        min_words: in a run.
        contained_items: of ``find_contained_items_of_each_file``; None if only runs count.
        unread_sets: sets to leave out, since nothing is known of their items.
        jobs: threads.
    """
    sets = _file_names_of_rows_or_texts(items["source"]).to_pylist()
    files = _encode_files_or_one_if_many(documents)
    words = repeated_runs.count_words_of_documents().slice(0, len(items)).to_pylist()
    item_rows: list[dict[str, Any]] = []
    table: list[dict[str, Any]] = []
    for number, source in enumerate(files.dictionary.to_pylist()):
        # Without their group, all other sources are left out, so that all take the time of one.
        own = pc.if_else(pc.equal(files.indices, number), pa.scalar(1, pa.uint32()), None)
        groups = pa.concat_arrays([pa.repeat(pa.scalar(0, pa.uint32()), len(items)), own])
        runs = replace(repeated_runs, groups=groups).list_runs(range(len(items)))
        whole = None
        if contained_items is not None:
            whole = contained_items.filter(pc.equal(contained_items["file"], number))
        rows = [
            {
                "set": sets[one.doc],
                "item": items["source"][one.doc].as_py(),
                "id": items["id"][one.doc].as_py(),
                "source": source,
                "words": words[one.doc],
                "share": one.words_covered / max(words[one.doc], 1),
                "longest": one.end - one.start,
                "containment": one.containment,
                "place": documents["source"][one.other - len(items)].as_py(),
                "text": text,
            }
            for one, text in _items_with_run_excerpts(
                _merge_runs_and_contained(runs, whole, len(items)), item_texts, jobs
            )
        ]
        item_rows += rows
        found_items = {row["item"] for row in rows}
        short = Counter(
            name
            for name, item, count in zip(sets, items["source"].to_pylist(), words, strict=True)
            if count < min_words and item not in found_items
        )
        for name, item_count in Counter(sets).items():
            if name in unread_sets:
                continue
            here = [row for row in rows if row["set"] == name]
            example = max(here, key=lambda row: row["longest"], default=None)
            table.append(
                {
                    "set": name,
                    "source": source,
                    "items": item_count,
                    "short": short[name],
                    "found": len(here),
                    "longest": example["longest"] if example else 0,
                    "example": example["text"] if example else None,
                }
            )
    order = {name: number for number, name in enumerate(dict.fromkeys(sets))}
    table.sort(key=lambda row: order[row["set"]])
    return Contamination(pa.Table.from_pylist(item_rows, ITEMS), pa.Table.from_pylist(table, SETS))


def find_contained_items_of_each_file(
    item_texts: arrow.Texts,
    documents: pa.Table,
    document_texts: arrow.Texts,
    min_containment: Fraction,
    *,
    jobs: int,
    portion_bytes: int = _PORTION,
) -> pa.Table:
    """Return the items that documents contain to this degree, and in which sources these are.

    Args:
        item_texts: those of n items.
        documents, document_texts: their ``source``, and their texts, which are read once.
        min_containment: of an item in a document; an item of few words must be contained whole.
        jobs: threads.
        portion_bytes: bytes of documents that are compared at a time, at least.

    Returns:
        ``item``; ``file``, the number of the source; the greatest ``containment`` in a document of
        it, and ``doc``, the first that has it.
    """
    counting = Counting(default("shingle"))
    own = Evidence.from_texts(item_texts, counting, jobs)
    rows, files = pa.arange(0, len(own)), _encode_files_or_one_if_many(documents)
    best = _CONTAINED.empty_table()
    begin = 0
    for portion in _portions_of_bytes(document_texts, portion_bytes):
        # The items with each portion again: they are few, and the documents are read once.
        both = own.concatenate(Evidence.from_texts(portion, counting, jobs))
        pairs = join_rows_with_their_containers(
            both,
            min_containment,
            contained_rows=rows,
            excluded_container_rows=rows,
            max_pairs=_ANY_NUMBER,
        )
        judged = verify_containment_whole_if_short(both, pairs, min_containment)
        docs = pc.add(judged["right"], begin - len(own))
        columns = (judged["left"], files.indices.take(flat(docs)), judged["containment_left"], docs)
        more = pa.table(list(columns), names=_CONTAINED.names).cast(_CONTAINED)
        order = [("containment", "descending"), ("doc", "ascending")]
        both_best = pa.concat_tables([best, more]).sort_by(order)
        best = (
            both_best.group_by(["item", "file"], use_threads=False)
            .aggregate([("containment", "first"), ("doc", "first")])
            .rename_columns(_CONTAINED.names)
        )
        begin += sum(map(len, portion.chunks))
    return best.sort_by([("file", "ascending"), ("item", "ascending")])


def _encode_files_or_one_if_many(documents: pa.Table) -> pa.DictionaryArray:
    """Return the file of each document; more than ``MOST_SOURCES`` count as one."""
    files = _file_names_of_rows_or_texts(documents["source"]).dictionary_encode()
    if len(files.dictionary) <= MOST_SOURCES:
        return files
    every = pa.array([f"{len(files.dictionary):,} sources"])
    return pa.DictionaryArray.from_arrays(pa.repeat(pa.scalar(0, pa.int32()), len(files)), every)


def _portions_of_bytes(texts: arrow.Texts, min_bytes: int) -> Iterator[pa.ChunkedArray]:
    """Yield texts in portions of that many bytes, whose evidence fits into little memory."""
    chunks: list[pa.Array] = []
    size = 0
    for chunk in texts.chunks:
        chunks.append(chunk)
        size += chunk.nbytes
        if size >= min_bytes:
            yield pa.chunked_array(chunks)
            chunks, size = [], 0
    if chunks:
        yield pa.chunked_array(chunks)


@dataclass(slots=True, kw_only=True)
class _FoundItem:
    """The longest run of an item, how many of its words are in any, and a document that has it.

    An item without a run has one of no words, and is contained in the document.
    """

    doc: int
    start: int
    end: int
    other: int
    words_covered: int
    containment: float | None = None


def _merge_runs_and_contained(
    runs: pa.Table, contained_items: pa.Table | None, item_count: int
) -> list[_FoundItem]:
    """Return the items with a run, and those that are contained, in their order."""
    items_by_number = {one.doc: one for one in _longest_run_of_each_item(runs)}
    for row in [] if contained_items is None else contained_items.to_pylist():
        one = items_by_number.setdefault(
            row["item"],
            _FoundItem(
                doc=row["item"], start=0, end=0, other=row["doc"] + item_count, words_covered=0
            ),
        )
        one.containment = row["containment"]
    return [items_by_number[doc] for doc in sorted(items_by_number)]


class _ItemExcerpt(NamedTuple):
    """An item, and how its longest run begins; None without a run."""

    item: _FoundItem
    excerpt: str | None


def _items_with_run_excerpts(
    found_items: list[_FoundItem], item_texts: arrow.Texts, jobs: int
) -> Iterator[_ItemExcerpt]:
    """Yield the items, each with the begin of its longest run."""
    with_runs = [one for one in found_items if one.start < one.end]
    columns = [
        pa.array([getattr(one, name) for one in with_runs], pa.int64())
        for name in ("doc", "start", "end")
    ]
    at = byte_spans_of_runs(item_texts, pa.table(columns, names=["doc", "start", "end"]), jobs)
    contents = arrow.take_texts(item_texts, columns[0]).to_pylist()
    spans = zip(contents, at["start_byte"].to_pylist(), at["end_byte"].to_pylist(), strict=True)
    for one in found_items:
        if one.start == one.end:
            yield _ItemExcerpt(one, None)
            continue
        content, start, end = next(spans)
        text = (content or "").encode()[start : min(end, start + _EXCERPT)]
        yield _ItemExcerpt(one, text.decode("utf-8", "ignore"))


def _longest_run_of_each_item(runs: pa.Table) -> Iterator[_FoundItem]:
    """Yield each item with a run, with its longest run; ``runs`` are in reading order."""
    one: _FoundItem | None = None
    end_of_last = 0
    columns = (runs[name].to_pylist() for name in ("doc", "start", "end", "other_doc"))
    for doc, start, end, other in zip(*columns, strict=True):
        if one is None or one.doc != doc:
            if one is not None:
                yield one
            one, end_of_last = (
                _FoundItem(doc=doc, start=start, end=end, other=other, words_covered=0),
                start,
            )
        one.words_covered += max(0, end - max(start, end_of_last))
        end_of_last = max(end_of_last, end)
        if end - start > one.end - one.start:
            one.start, one.end, one.other = start, end, other
    if one is not None:
        yield one


def _file_names_of_rows_or_texts(sources: pa.ChunkedArray) -> pa.Array:
    """Return the file of each row; for a document that is no row, its own name."""
    names = pc.replace_substring_regex(flat(sources).fill_null(""), _ROW, "")
    return pc.if_else(pc.equal(names, ""), "texts", names)


def all_sources_name_rows(items: pa.Table) -> bool:
    """Return whether a reference consists of rows, which may be items of evaluation sets."""
    names = flat(items["source"])
    return bool(pc.all(pc.match_substring_regex(names.fill_null("#0"), _ROW)).as_py())


def find_sets_without_text_and_reasons(
    items: pa.Table, failures: Sequence[Mapping[str, str]], columns: Sequence[str]
) -> dict[str, str]:
    """Return the evaluation sets in which no item has a text, and why.

    Args:
        items: ``source``, and ``length`` of the text, of each item.
        failures: ``source`` and ``reason`` of what could not be read of the reference.
        columns: those of texts.
    """
    sets = _file_names_of_rows_or_texts(items["source"])
    filled = flat(pc.fill_null(pc.greater(items["length"], 0), False))
    with_text = set(pc.unique(sets.filter(filled)).to_pylist())
    reasons = {failure["source"]: failure["reason"] for failure in failures}
    # What failed in a set with texts is a row, or what follows the rows that were read.
    unread = {
        name: reason
        for name, reason in reasons.items()
        if name not in with_text and _LINE.sub("", name) not in with_text
    }
    why = f"no row has a text in {' or '.join(columns)}"
    unread |= {
        name: why
        for name in pc.unique(sets).to_pylist()
        if name not in with_text and name not in unread
    }
    return unread


def sentences_on_sets_without_column(
    items: pa.Table, unread_sets: Container[str], reading: Reading
) -> list[str]:
    """Return sentences about sets in which no row has one of several columns of texts."""
    sentences = list[str]()
    if len(reading.text) == 1:
        return sentences
    for name in pc.unique(_file_names_of_rows_or_texts(items["source"])).to_pylist():
        if (
            name in unread_sets
            or not os.path.isfile(name)
            or not is_file_of_rows(name, reading.text)
        ):
            continue
        lacking = [each for each in reading.text if not _has_text_in_column(name, each, reading)]
        if lacking:
            sentences.append(
                f"no row of {name} has a text in {' or '.join(lacking)}, so it is compared without"
            )
    return sentences


def _has_text_in_column(path: str, column: str, reading: Reading) -> bool:
    """Return whether some row of a file has a text in a column; reads up to the first that has."""
    one = replace(reading, text=(column,))
    try:
        return any(
            batch.column("text").null_count < len(batch)
            for batch in read_documents([Path(path)], one, Running.of(), ReadReport())
        )
    except ColumnTypeError:
        return False
    except RowTooLong:
        return True  # The rows before it were read, so this is not known.
