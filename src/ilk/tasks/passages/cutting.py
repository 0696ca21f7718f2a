"""Passages cut out of texts: each stays at one place or at none; every cut is recorded.

The marks and the white space that go with a passage are decided in ``edges``.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from ilk import arrow
from ilk.base.run_options import Running
from ilk.search.passage_parts import CollectedWords, PassageRule
from ilk.search.passages import (
    RepeatedWordRuns,
    byte_spans_of_runs,
    narrow_runs_to_whole_units_or_empty,
)
from ilk.tasks.passages.edges import Gaps, mark_gap_characters_to_cut

#: Cuts, in reading order: bytes of the text before (``start_byte``, ``end_byte``) and after
#: (``at``), the space that is there now, what was there, and the document that still has it; null
#: if every place is cut.
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
        "kept_doc": pa.int64(),
    }
)


#: Runs that are cut at a time, and documents whose cuts are listed at a time.
_PORTION, _DOCUMENTS = 100_000, 1_000


class Removed(NamedTuple):
    """A stretch to take out of a text: its bytes, and the document that keeps its words."""

    start: int
    end: int
    kept_doc: int | None


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
            docs_changed = [doc for doc in self.removed if doc in inside]
            texts = chunk.to_pylist() if docs_changed else []
            for doc in docs_changed:
                text = texts[doc - inside.start]
                if text is not None:
                    texts[doc - inside.start] = cut_stretches_and_list_replacements(
                        text, self.removed[doc]
                    ).text
            yield pa.array(texts, chunk.type) if docs_changed else chunk

    def null_except(self, kept_mask: pa.Array) -> CutTexts:
        """Return the texts with only some left, the others null."""
        return CutTexts(arrow.null_except(self.texts, kept_mask), self.removed)


@dataclass(frozen=True, slots=True)
class Cut:
    """A collection without its passages.

    Attributes:
        texts: the remaining texts, to read as often as needed.
        documents: ``source`` and ``id`` of each document.
        emptied: ascending ``doc`` of the documents that were left without a word.
        stayed: how many words of what was to be cut stay: those of sentences that are not whole in
            a passage.
    """

    texts: CutTexts = field(repr=False)
    documents: pa.Table = field(repr=False)
    emptied: pa.Array
    stayed: int

    def __len__(self) -> int:
        """Return how many stretches were taken out."""
        return sum(map(len, self.texts.removed.values()))

    @property
    def cuts(self) -> pa.Table:
        """``CUTS``, every stretch that was taken out."""
        return self.read_cuts().read_all()

    def read_cuts(self) -> pa.RecordBatchReader:
        """Return ``CUTS`` in pieces, since they hold all the text that was taken out."""
        pieces = batches_of_cuts(self.texts, self.documents)
        return pa.RecordBatchReader.from_batches(CUTS, pieces)

    def changed_documents(self) -> pa.Array:
        """Return the ascending ``doc`` of the documents that were changed."""
        return pa.array(sorted(self.texts.removed), pa.int64())


class CutText(NamedTuple):
    """What is left of a text, and where each stretch was, with what is there instead."""

    text: str
    replacements: list[tuple[int, str]]


def cut_stretches_and_list_replacements(text: str, stretches: list[Removed]) -> CutText:
    """Return a text without some stretches, and for each stretch what is there instead, and where.

    That is nothing, or a space where two words that were apart would become one.
    """

    def is_in_word(character: str) -> bool:
        folded = unicodedata.normalize("NFKC", character)
        return any(unicodedata.category(c)[0] in "LMN" for c in folded)

    content = text.encode()
    pieces: list[bytes] = []
    spaces: list[tuple[int, str]] = []
    end_of_last = size = 0
    for start, end, _ in stretches:
        # A character takes at most four bytes.
        before = content[max(0, start - 4) : start].decode(errors="ignore")
        after = content[end : end + 4].decode(errors="ignore")
        own = " " if is_in_word(before[-1:]) and is_in_word(after[:1]) else ""
        pieces += [content[end_of_last:start], own.encode()]
        size += start - end_of_last
        spaces.append((size, own))
        size += len(own)
        end_of_last = end
    pieces.append(content[end_of_last:])
    return CutText(b"".join(pieces).decode(), spaces)


def cut_passages(
    texts: arrow.Texts,
    documents: pa.Table,
    repeated_runs: RepeatedWordRuns,
    rule: PassageRule,
    *,
    mid_sentence: bool,
    every_place: bool,
    ranking: pa.Array | None,
    reference_texts: arrow.Texts | None,
    running: Running,
) -> Cut:
    """Cut from texts what a place before has, or another place, until no passage is left to cut.

    A cut may join two parts into a new passage; so the texts are searched again until nothing is
    cut any more, and cutting the result cuts nothing.

    Args:
        texts, documents: n texts, and their ``doc``, ``source`` and ``id``.
        repeated_runs, rule: the passages in them and in the reference, and what counts as one.
        mid_sentence: whether to cut parts of sentences too.
        every_place: whether to cut the first place of a passage too.
        ranking: the texts of the reference and the n texts, in the order of their places; None if
            in their own.
        reference_texts, running: texts that come before them, and stay; threads and memory.

    Raises:
        SourceChanged: a text has changed since it was read.
    """
    reference_size = 0 if reference_texts is None else len(reference_texts)
    removals: dict[int, list[Removed]] = {}
    unit = rule.unit
    if unit == "words":
        unit = "words" if mid_sentence else "sentence"
    while True:
        left = CutTexts(texts, removals)
        words_that_stay, new_removals = 0, dict[int, list[Removed]]()
        for runs in portions_of_runs_to_cut(
            repeated_runs, reference_size, ranking, every_place=every_place
        ):
            words_that_stay += sum(run.end - run.start for run in runs)
            whole_runs = _narrow_runs_to_whole_units(left, runs, unit, running.jobs)
            new_stretches = _stretches_removed_with_runs(
                left,
                repeated_runs,
                reference_size=reference_size,
                runs=whole_runs,
                jobs=running.jobs,
            )
            again = pa.array(sorted(new_stretches.keys() & removals.keys()), pa.int64())
            whole = dict(
                zip(again.to_pylist(), arrow.take_texts(texts, again).to_pylist(), strict=True)
            )
            for doc, stretches in new_stretches.items():
                former = removals.get(doc, [])
                merged = _merge_removed_with_later_cuts(former, stretches, whole.get(doc, ""))
                if merged != former:
                    new_removals[doc] = merged
        # Each round takes out words, so that this ends.
        if not new_removals:
            break
        removals |= new_removals
        collected = CollectedWords(rule, running)
        for column in [left] if reference_texts is None else [reference_texts, left]:
            collected.add_words_of(column)
        repeated_runs = collected.find_repeated_and_release_words(
            repeated_runs.groups, reference_size=reference_size
        )
    # After the last search, these are the words that are left.
    wordless = pc.equal(repeated_runs.count_words_of_documents().slice(reference_size), 0)
    emptied = [doc for doc in sorted(removals) if wordless[doc].as_py()]
    return Cut(left, documents, pa.array(emptied, pa.int64()), words_that_stay)


class _RunToCut(NamedTuple):
    """Words of a document that another place has, in the document that keeps them, if one does.

    That document may be one of the reference, with a number below 0.
    """

    doc: int
    start: int
    end: int
    kept_doc: int | None


def portions_of_runs_to_cut(
    passages: RepeatedWordRuns,
    reference_size: int,
    ranking: pa.Array | None,
    *,
    every_place: bool,
    min_runs: int = _PORTION,
) -> Iterator[list[_RunToCut]]:
    """Yield the words that places before have, or other places, in order, without overlaps.

    They come in portions of whole documents, of at least ``min_runs`` runs but for the last, since
    each run takes much memory. Documents are numbered without the ``reference_size`` first ones.
    """
    runs = passages.list_runs() if every_place else passages.list_repeated_words_to_cut(ranking)
    runs = runs.select(["doc", "start", "end", *([] if every_place else ["kept_doc"])])
    runs = runs.filter(pc.greater_equal(runs["doc"], reference_size))
    rows: list[_RunToCut] = []
    for batch in runs.to_batches(max_chunksize=min_runs):
        for doc, start, end, *kept_doc_if_asked in zip(
            *(each.to_pylist() for each in batch), strict=True
        ):
            own = doc - reference_size
            if rows and rows[-1].doc == own and rows[-1].end >= start:
                rows[-1] = rows[-1]._replace(end=max(rows[-1].end, end))
                continue
            if len(rows) >= min_runs and rows[-1].doc != own:
                yield rows
                rows = []
            rows.append(
                _RunToCut(
                    own,
                    start,
                    end,
                    kept_doc_if_asked[0] - reference_size if kept_doc_if_asked else None,
                )
            )
    if rows:
        yield rows


def _narrow_runs_to_whole_units(
    texts: CutTexts, rows: list[_RunToCut], unit: str, jobs: int
) -> list[_RunToCut]:
    """Return the whole units in runs of words, if the unit is not words."""
    if unit == "words":
        return rows
    names = ("doc", "start", "end")
    columns = [pa.array([getattr(row, name) for row in rows], pa.int64()) for name in names]
    whole = narrow_runs_to_whole_units_or_empty(
        texts, pa.table(columns, names=list(names)), unit, jobs
    )
    starts, ends = whole["start"].to_pylist(), whole["end"].to_pylist()
    return [
        row._replace(start=start, end=end)
        for row, start, end in zip(rows, starts, ends, strict=True)
        if start < end
    ]


def _stretches_removed_with_runs(
    texts: CutTexts,
    passages: RepeatedWordRuns,
    *,
    reference_size: int,
    runs: list[_RunToCut],
    jobs: int,
) -> dict[int, list[Removed]]:
    """Return for each document what goes with these runs, in bytes of its present text."""
    counts = passages.count_words_of_documents().to_pylist()
    # The words around a stretch say which characters belong to none; and they stay whole if a
    # character belongs to two words.
    places: dict[str, list[int]] = {"doc": [], "start": [], "end": []}
    for doc, start, end, _ in runs:
        last = counts[doc + reference_size] - 1
        first, behind = max(start - 1, 0), min(end, last)
        for begin, stop in ((first, first + 1), (start, end), (behind, behind + 1)):
            places["doc"].append(doc)
            places["start"].append(begin)
            places["end"].append(max(stop, end) if begin == behind else stop)
    table = pa.table({name: pa.array(values, pa.int64()) for name, values in places.items()})
    at = byte_spans_of_runs(texts, table, jobs)
    starts, ends = at["start_byte"].to_pylist(), at["end_byte"].to_pylist()
    docs = pa.array(sorted({run.doc for run in runs}), pa.int64())
    contents = iter(arrow.take_texts(texts, docs).to_pylist())
    stretches: dict[int, list[Removed]] = {}
    content = b""
    for number, (doc, start, end, kept_doc) in enumerate(runs):
        if doc not in stretches:
            content = (next(contents) or "").encode()
        own_stretches = stretches.setdefault(doc, [])
        one, own, other = range(3 * number, 3 * number + 3)
        first, last = start == 0, end == counts[doc + reference_size]
        # In scripts without spaces, neighbouring words share a character: it stays with the word
        # that stays.
        begin = starts[own] if first else max(starts[own], ends[one])
        stop = ends[own] if last else min(ends[own], starts[other])
        if begin < stop:
            before, after = 0 if first else ends[one], len(content) if last else starts[other]
            # A character may belong to two words, and two runs may have one gap between them.
            before = min(max(before, own_stretches[-1].end if own_stretches else 0), begin)
            own_stretches += [
                Removed(place.start, place.end, kept_doc)
                for place in _byte_spans_to_cut(
                    content,
                    word_before_end=before,
                    passage_start=begin,
                    passage_end=stop,
                    word_after_start=max(after, stop),
                    is_first=first,
                    is_last=last,
                )
            ]
    return {doc: rows for doc, rows in stretches.items() if rows}


class _ByteSpan(NamedTuple):
    """Where something begins and ends in a text."""

    start: int
    end: int


def _byte_spans_to_cut(
    content: bytes,
    *,
    word_before_end: int,
    passage_start: int,
    passage_end: int,
    word_after_start: int,
    is_first: bool,
    is_last: bool,
) -> Iterator[_ByteSpan]:
    """Yield where a passage and what goes with it begins and ends, in bytes of its text.

    Args:
        content: the text.
        word_before_end, word_after_start: where the words around the passage end and begin.
        passage_start, passage_end: where it begins and ends itself.
        is_first, is_last: whether there is no word before, or after.
    """
    gaps = Gaps(
        before=content[word_before_end:passage_start].decode(),
        passage=content[passage_start:passage_end].decode(),
        after=content[passage_end:word_after_start].decode(),
        first=is_first,
        last=is_last,
    )
    goes_before, goes_after = mark_gap_characters_to_cut(gaps)
    start = at = word_before_end
    characters = zip(gaps.before, goes_before, strict=True)
    following = zip(gaps.after, goes_after, strict=True)
    for character, goes in [*characters, (gaps.passage, True), *following]:
        size = len(character.encode())
        if not goes:
            if start < at:
                yield _ByteSpan(start, at)
            start = at + size
        at += size
    if start < at:
        yield _ByteSpan(start, at)


def _merge_removed_with_later_cuts(
    removals_before: list[Removed], added_in_remaining_text: list[Removed], whole_text: str
) -> list[Removed]:
    """Return stretches taken out, merged with more, whose bytes refer to the remaining text."""
    spaces = cut_stretches_and_list_replacements(whole_text, removals_before).replacements

    def place_before_cuts(place: int) -> int:
        """Return where a byte of the remaining text was in the whole text."""
        cuts = zip(spaces, removals_before, strict=True)
        return place + sum(
            cut.end - cut.start - len(own) for (at, own), cut in cuts if at + len(own) <= place
        )

    fresh = [
        Removed(place_before_cuts(one.start), place_before_cuts(one.end), one.kept_doc)
        for one in added_in_remaining_text
    ]
    removals: list[Removed] = []
    for one in sorted([*removals_before, *fresh], key=lambda one: (one.start, one.end)):
        if removals and one.start <= removals[-1].end:
            last = removals[-1]
            removals[-1] = Removed(last.start, max(last.end, one.end), last.kept_doc)
        else:
            removals.append(one)
    return removals


def batches_of_cuts(
    texts: CutTexts, documents: pa.Table, documents_at_once: int = _DOCUMENTS
) -> Iterator[pa.RecordBatch]:
    """Yield ``CUTS`` in batches, each of as many documents as ``documents_at_once``."""
    docs_cut = sorted(texts.removed)
    for begin in range(0, len(docs_cut), documents_at_once):
        docs = pa.array(docs_cut[begin : begin + documents_at_once], pa.int64())
        sources_and_ids = documents.select(["source", "id"]).take(docs).to_pylist()
        contents = arrow.pick_texts(texts.texts, docs).chunks
        originals = (text for chunk in contents for text in chunk.to_pylist())
        rows = []
        for doc, names, text in zip(docs.to_pylist(), sources_and_ids, originals, strict=True):
            content, stretches = text.encode(), texts.removed[doc]
            for stretch, (at, own) in zip(
                stretches,
                cut_stretches_and_list_replacements(text, stretches).replacements,
                strict=True,
            ):
                rows.append(
                    {
                        "doc": doc,
                        **names,
                        "start_byte": stretch.start,
                        "end_byte": stretch.end,
                        "at": at,
                        "space": own,
                        "text": content[stretch.start : stretch.end].decode(),
                        "kept_doc": stretch.kept_doc,
                    }
                )
        yield pa.RecordBatch.from_pylist(rows, CUTS)
