"""Passages cut out of texts: each stays at its first place, and every cut is recorded."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from ilk import arrow
from ilk.arrow import flat
from ilk.base.run_options import Running
from ilk.search.passage_parts import Collected
from ilk.search.passages import Repeated, spans

#: Cuts, in reading order: bytes of the text before (``start_byte``, ``end_byte``) and after
#: (``at``), the space that is there now, what was there, and the document that still has it.
CUTS = pa.schema(
    {
        "doc": pa.int64(),
        "source": pa.string(),
        "id": pa.string(),
        "start_byte": pa.int64(),
        "end_byte": pa.int64(),
        "at": pa.int64(),
        "space": pa.string(),
        "text": pa.large_string(),
        "earlier_doc": pa.int64(),
    }
)


class Removed(NamedTuple):
    """A stretch to take out of a text: its bytes, and the document that has its words."""

    start: int
    end: int
    earlier: int


@dataclass(frozen=True, slots=True)
class CutTexts:
    """Texts without the stretches cut out of them, as ``arrow.Texts``.

    Attributes:
        texts: the texts as they were.
        removed: for each document that is cut, what is taken out, in order.
    """

    texts: arrow.Texts
    removed: Mapping[int, list[Removed]]

    def __len__(self) -> int:
        return len(self.texts)

    @property
    def chunks(self) -> Iterator[pa.Array]:
        """Yield the texts in order."""
        begin = 0
        for chunk in self.texts.chunks:
            inside = range(begin, begin + len(chunk))
            begin = inside.stop
            changed = [doc for doc in self.removed if doc in inside]
            texts = chunk.to_pylist() if changed else []
            for doc in changed:
                text = texts[doc - inside.start]
                if text is not None:
                    texts[doc - inside.start] = without(text, self.removed[doc])[0]
            yield pa.array(texts, chunk.type) if changed else chunk

    def only(self, rows: pa.Array) -> CutTexts:
        """Return the texts with only some left, the others null."""
        return CutTexts(arrow.only(self.texts, rows), self.removed)


@dataclass(frozen=True, slots=True)
class Cut:
    """A collection without its passages.

    Attributes:
        texts: the remaining texts, to read as often as needed.
        cuts: ``CUTS``, every stretch that was taken out.
    """

    texts: CutTexts = field(repr=False)
    cuts: pa.Table


def without(text: str, stretches: list[Removed]) -> tuple[str, list[tuple[int, str]]]:
    """Return a text without some stretches, and for each stretch what is there instead, and where.

    That is nothing, or a space where two words that were apart would become one.
    """

    def in_word(character: str) -> bool:
        folded = unicodedata.normalize("NFKC", character)
        return any(unicodedata.category(c)[0] in "LMN" for c in folded)

    content = text.encode()
    pieces: list[bytes] = []
    spaces: list[tuple[int, str]] = []
    done = size = 0
    for start, end, _ in stretches:
        # A character takes at most four bytes.
        before = content[max(0, start - 4) : start].decode(errors="ignore")
        after = content[end : end + 4].decode(errors="ignore")
        own = " " if in_word(before[-1:]) and in_word(after[:1]) else ""
        pieces += [content[done:start], own.encode()]
        size += start - done
        spaces.append((size, own))
        size += len(own)
        done = end
    pieces.append(content[done:])
    return b"".join(pieces).decode(), spaces


def cut(
    texts: arrow.Texts,
    documents: pa.Table,
    repeated: Repeated,
    least: int,
    *,
    held: arrow.Texts | None,
    running: Running,
) -> Cut:
    """Cut from texts what occurs at an earlier place, until no passage is left to cut.

    A cut may join two parts into a new passage; so the texts are searched again until nothing is
    cut any more, and cutting the result cuts nothing.

    Args:
        texts, documents: n texts, and their ``doc``, ``source`` and ``id``.
        repeated, least: the passages in them and in the held texts, and their least number of
            words.
        held, running: texts that come before them, and stay; threads and memory.

    Raises:
        SourceChanged: a text has changed since it was read.
    """
    before = 0 if held is None else len(held)
    removed: dict[int, list[Removed]] = {}
    while True:
        left = CutTexts(texts, removed)
        added = _stretches(left, repeated, before, running.jobs)
        changed, again = False, pa.array(sorted(added.keys() & removed.keys()), pa.int64())
        whole = dict(
            zip(again.to_pylist(), arrow.take_texts(texts, again).to_pylist(), strict=True)
        )
        for doc, stretches in added.items():
            former = removed.get(doc, [])
            merged = _merge_removed(former, stretches, whole.get(doc, ""))
            if merged != former:
                removed[doc], changed = merged, True
        if not changed:
            break
        collected = Collected(least, running)
        for column in [left] if held is None else [held, left]:
            collected.add(column)
        repeated = collected.finish(repeated.groups)
    return Cut(left, _cuts(texts, documents, removed))


def _stretches(
    texts: CutTexts, passages: Repeated, held_count: int, jobs: int
) -> dict[int, list[Removed]]:
    """Return for each document what an earlier place has, in bytes of its present text."""
    runs = passages.cuts()
    runs = runs.filter(pc.greater_equal(runs["doc"], held_count))
    counts = passages.words().to_pylist()
    rows: list[tuple[int, int, int, int]] = []
    for row in runs.to_pylist():
        doc, start, end = row["doc"] - held_count, row["start"], row["end"]
        if rows and rows[-1][0] == doc and rows[-1][2] == start:
            rows[-1] = (doc, rows[-1][1], end, rows[-1][3])
        else:
            rows.append((doc, start, end, row["earlier_doc"] - held_count))
    # Keep the words around a stretch whole if a character belongs to two words.
    places: dict[str, list[int]] = {"doc": [], "start": [], "end": []}
    for doc, start, end, _ in rows:
        last = counts[doc + held_count] - 1
        first, behind = max(start - 1, 0), min(end, last)
        for begin, stop in ((first, first + 1), (start, end), (behind, behind + 1)):
            places["doc"].append(doc)
            places["start"].append(begin)
            places["end"].append(max(stop, end) if begin == behind else stop)
    table = pa.table({name: pa.array(values, pa.int64()) for name, values in places.items()})
    at = spans(texts, table, jobs)
    starts, ends = at["start_byte"].to_pylist(), at["end_byte"].to_pylist()
    found_stretches: dict[int, list[Removed]] = {}
    for number, (doc, start, end, earlier) in enumerate(rows):
        one, own, other = range(3 * number, 3 * number + 3)
        begin = max(starts[own], ends[one]) if start else starts[own]
        stop = ends[own] if end == counts[doc + held_count] else min(ends[own], starts[other])
        if begin < stop:
            found_stretches.setdefault(doc, []).append(Removed(begin, stop, earlier))
    return found_stretches


def _merge_removed(removed: list[Removed], added: list[Removed], text: str) -> list[Removed]:
    """Return stretches taken out, merged with more, whose bytes refer to the remaining text."""
    spaces = without(text, removed)[1]

    def origin(place: int) -> int:
        """Return where a byte of the remaining text was in the whole text."""
        cuts = zip(spaces, removed, strict=True)
        return place + sum(
            cut.end - cut.start - len(own) for (at, own), cut in cuts if at + len(own) <= place
        )

    fresh = [Removed(origin(one.start), origin(one.end), one.earlier) for one in added]
    merged: list[Removed] = []
    for one in sorted([*removed, *fresh], key=lambda one: (one.start, one.end)):
        if merged and one.start <= merged[-1].end:
            last = merged[-1]
            merged[-1] = Removed(last.start, max(last.end, one.end), last.earlier)
        else:
            merged.append(one)
    return merged


def _cuts(
    texts: arrow.Texts, documents: pa.Table, removed: Mapping[int, list[Removed]]
) -> pa.Table:
    docs = pa.array(sorted(removed), pa.int64())
    sources, ids = (flat(documents[name]).take(docs).to_pylist() for name in ("source", "id"))
    rows = []
    originals = arrow.take_texts(texts, docs).to_pylist()
    for doc, source, id, text in zip(docs.to_pylist(), sources, ids, originals, strict=True):
        content = text.encode()
        for stretch, (at, own) in zip(removed[doc], without(text, removed[doc])[1], strict=True):
            taken = content[stretch.start : stretch.end].decode()
            place = (stretch.start, stretch.end, at, own, taken)
            rows.append((doc, source, id, *place, stretch.earlier))
    return pa.Table.from_pylist([dict(zip(CUTS.names, row, strict=True)) for row in rows], CUTS)
