"""What a deduplication did, in numbers that add up, and what a person should look at first."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict, dataclass
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from ilk import __version__, columns
from ilk.columns import verdicts
from ilk.readers.rows import Records
from ilk.search import alarms

#: Clusters that the report names by their size, and the bars of its histogram.
_LARGEST = 10
_BARS = 20


@dataclass(frozen=True, slots=True)
class Options:
    """What decides which rows are kept; ``deduplicate`` explains them."""

    text: tuple[str, ...]
    id: str | None
    resemblance: float
    shingle: int
    same_site: str | float | None
    exact: bool
    key: str | None
    keep: tuple[str, ...]
    linkage: str
    pairing: str | None
    recall: float | None
    alarm_documents: int
    alarm_share: float
    alarm_loss: float
    extract: str
    convert_timeout: float


def report(records: Records, named: pa.Table, options: Options, promise: str) -> dict[str, Any]:
    """What happened, as plain values; the numbers of rows add up."""
    read = records.statistics
    dropped = named.filter(pc.is_valid(named["policy"]))
    sizes = alarms.by_size(named)
    largest = sizes.slice(0, _LARGEST)
    names = dict(zip(named["cluster"].to_pylist(), named["keeper_source"].to_pylist(), strict=True))
    per_source = _per_source(records, dropped)
    return {
        "ilk": __version__,
        "promise": promise,
        "options": asdict(options),
        "read": read,
        "rows": read["rows"],
        "kept": read["rows"] - len(dropped),
        "dropped": dict(sorted(Counter(dropped["verdict"].to_pylist()).items())),
        "sources": per_source.to_pylist(),
        "clusters": len(sizes),
        "largest": [row | {"keeper_source": names[row["cluster"]]} for row in largest.to_pylist()],
        "resemblances": _histogram(dropped["resemblance"], options.resemblance),
        "dangling": _dangling(records, dropped),
        "alarm": [*_large(sizes, read["rows"], options), *_losing(per_source, options)],
    }


def _per_source(records: Records, dropped: pa.Table) -> pa.Table:
    """Per source its rows, and how many of them are dropped as copies and as near-duplicates."""
    names = pa.array([source.name for source in records.sources], pa.string())
    encoded = columns.flat(records.names())
    at = encoded.indices.take(columns.flat(dropped["doc"]))
    near = pc.invert(pc.is_in(dropped["verdict"], pa.array(verdicts.COPIES)))

    def counted(sources: pa.Array) -> pa.Array:
        found = pc.value_counts(sources)
        place = pc.index_in(pa.arange(0, len(names)).cast(pa.int32()), value_set=found.field(0))
        return pc.fill_null(found.field(1).take(place), 0)

    return pa.table(
        {
            "source": names,
            "rows": counted(encoded.indices),
            "copies": counted(at.filter(pc.invert(columns.flat(near)))),
            "near": counted(at.filter(columns.flat(near))),
        }
    )


def _dangling(records: Records, dropped: pa.Table) -> list[dict[str, str]]:
    """The kept rows that say no more than that they are copies of rows which are dropped."""
    gone = set(dropped["doc"].to_pylist())
    found = [pair for pair in records.references() if pair[0] not in gone and pair[1] in gone]
    docs, others = (pa.array([pair[side] for pair in found], pa.int64()) for side in (0, 1))
    names = {"source": records.numbered(docs), "revisits": records.numbered(others)}
    return list(pa.table(names).to_pylist())


def _large(sizes: pa.Table, total: int, options: Options) -> list[str]:
    """The clusters that raise the alarm, a sentence each."""
    found = alarms.clusters(sizes, total, options.alarm_documents, options.alarm_share)
    return [
        f"cluster {row['cluster']} has {row['documents']:,} documents, more than "
        f"{options.alarm_documents:,} and {options.alarm_share:.0%} of the run, and they are not "
        "all copies; such a cluster is mostly boilerplate"
        for row in found
    ]


def _losing(sources: pa.Table, options: Options) -> list[str]:
    """The sources that raise the alarm, a sentence each."""
    found = sources.filter(alarms.losses(sources["rows"], sources["near"], options.alarm_loss))
    return [
        f"{row['source'] or 'the table'} loses {row['near']:,} of {row['rows']:,} rows to "
        f"near-duplicates, more than {options.alarm_loss:.0%}"
        for row in found.to_pylist()
    ]


def _histogram(values: pa.ChunkedArray, least: float) -> list[dict[str, Any]]:
    """How many dropped rows resemble their keeper how much, in bars of equal width."""
    width = (1 - least) / _BARS or 1.0
    bar = pc.floor(pc.divide(pc.subtract(values.drop_null(), least), width))
    bars = Counter(pc.min_element_wise(bar.cast(pa.int64()), _BARS - 1).to_pylist())
    return [{"from": round(least + at * width, 6), "rows": bars.get(at, 0)} for at in range(_BARS)]
