"""Which items of evaluation sets are in which sources of training data, and how much of each.

An evaluation set is a file of the reference, and its items are the rows of that file; a source is a
file of the documents that are searched. Each set is compared with each source alone, so an item
that is in several sources counts for each of them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from ilk import arrow
from ilk.arrow import flat
from ilk.search.passages import Repeated, byte_spans_of_runs

#: Items of evaluation sets, each with a source in which words of it are: how many words it has, the
#: share of them that are there, and the longest run of these, as in the item.
ITEMS = pa.schema(
    {
        "set": pa.string(),
        "item": pa.string(),
        "id": pa.string(),
        "source": pa.string(),
        "words": pa.int64(),
        "share": pa.float64(),
        "longest": pa.int64(),
        "place": pa.string(),
        "text": pa.large_string(),
    }
)

#: Every evaluation set with every source: its items, how many of them have words there, and the
#: longest run of these.
SETS = pa.schema(
    {
        "set": pa.string(),
        "source": pa.string(),
        "items": pa.int64(),
        "found": pa.int64(),
        "longest": pa.int64(),
        "example": pa.string(),
    }
)

#: Sources that are compared one by one; more count as one.
MOST_SOURCES = 100

#: Bytes of the text of a run that are kept.
_EXCERPT = 400

_ROW = re.compile(r"#\d+$")


@dataclass(frozen=True, slots=True)
class Contamination:
    """What of evaluation sets is in sources: ``ITEMS``, and ``SETS`` without items that are not."""

    items: pa.Table
    sets: pa.Table


def find_contamination(
    repeated: Repeated, items: pa.Table, texts: arrow.Texts, searched: pa.Table, jobs: int
) -> Contamination:
    """Return which items are in which sources.

    Args:
        repeated: what is repeated in the items and the documents after them.
        items, texts: ``source`` and ``id`` of n items, and their texts.
        searched: ``source`` of the documents.
        jobs: threads.
    """
    sets = [_file_of_row(name) for name in items["source"].to_pylist()]
    files = [_file_of_row(name) for name in searched["source"].to_pylist()]
    sources = list(dict.fromkeys(files))
    if len(sources) > MOST_SOURCES:
        sources = [f"{len(sources):,} sources"]
        files = sources * len(files)
    found: list[dict[str, Any]] = []
    table: list[dict[str, Any]] = []
    words = repeated.words().slice(0, len(items)).to_pylist()
    names, ids = items["source"].to_pylist(), items["id"].to_pylist()
    places = searched["source"]
    for source in sources:
        # All other sources are of the items' own group, so that only this one counts.
        own = pa.array([file == source for file in files], pa.bool_())
        groups = pa.concat_arrays([pa.repeat(False, len(items)), own]).cast(pa.uint32())
        runs = replace(repeated, groups=groups).runs()
        longest = {
            one.doc: one for one in _longest_runs(runs.filter(pc.less(runs["doc"], len(items))))
        }
        docs = sorted(longest)
        starts = [longest[doc].start for doc in docs]
        ends = [longest[doc].end for doc in docs]
        columns = [pa.array(values, pa.int64()) for values in (docs, starts, ends)]
        at = byte_spans_of_runs(texts, pa.table(columns, names=["doc", "start", "end"]), jobs)
        contents = arrow.take_texts(texts, columns[0]).to_pylist()
        rows = []
        for doc, content, start, end in zip(
            docs, contents, at["start_byte"].to_pylist(), at["end_byte"].to_pylist(), strict=True
        ):
            run = longest[doc]
            text = (content or "").encode()[start : min(end, start + _EXCERPT)]
            rows.append(
                {
                    "set": sets[doc],
                    "item": names[doc],
                    "id": ids[doc],
                    "source": source,
                    "words": words[doc],
                    "share": run.covered / words[doc],
                    "longest": run.end - run.start,
                    "place": places[run.other - len(items)].as_py(),
                    "text": text.decode("utf-8", "ignore"),
                }
            )
        found += rows
        for name in dict.fromkeys(sets):
            here = [row for row in rows if row["set"] == name]
            example = max(here, key=lambda row: row["longest"], default=None)
            table.append(
                {
                    "set": name,
                    "source": source,
                    "items": sets.count(name),
                    "found": len(here),
                    "longest": example["longest"] if example else 0,
                    "example": example["text"] if example else None,
                }
            )
    order = {name: number for number, name in enumerate(dict.fromkeys(sets))}
    table.sort(key=lambda row: order[row["set"]])
    return Contamination(pa.Table.from_pylist(found, ITEMS), pa.Table.from_pylist(table, SETS))


@dataclass(slots=True)
class _LongestRun:
    """The longest run of an item, how many of its words are in any, and a document that has it."""

    doc: int
    start: int
    end: int
    other: int
    covered: int


def _longest_runs(runs: pa.Table) -> Iterator[_LongestRun]:
    """Yield for each document its longest run; runs are in reading order."""
    one: _LongestRun | None = None
    reached = 0
    columns = (runs[name].to_pylist() for name in ("doc", "start", "end", "other_doc"))
    for doc, start, end, other in zip(*columns, strict=True):
        if one is None or one.doc != doc:
            if one is not None:
                yield one
            one, reached = _LongestRun(doc, start, end, other, 0), start
        one.covered += max(0, end - max(start, reached))
        reached = max(reached, end)
        if end - start > one.end - one.start:
            one.start, one.end, one.other = start, end, other
    if one is not None:
        yield one


def _file_of_row(source: str | None) -> str:
    """Return the file of a row; for a document that is no row, its own name."""
    return _ROW.sub("", source or "") or "texts"


def has_items(items: pa.Table) -> bool:
    """Return whether a reference consists of rows, which may be items of evaluation sets."""
    names = flat(items["source"])
    return bool(pc.all(pc.match_substring_regex(names.fill_null("#0"), r"#\d+$")).as_py())
