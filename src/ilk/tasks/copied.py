"""Text that is also in other documents, word for word: how much, from where, and what is quoted.

The runs are those of ``ilk.search.passages``. Words that are in several other documents count for
only one: the first that has the longest run of them.

Documents are in the order of the words that speak for copying: a word counts 1 / (1 + ln n) where n
other places have its run. A run that stands in many places (the words of a task, of a template) is
little evidence between any two.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import groupby
from typing import NamedTuple, TypeAlias

import pyarrow as pa
import pyarrow.compute as pc

from ilk import _kernels, arrow
from ilk.base.run_options import Running
from ilk.search.passage_parts import CollectedWords, PassageRule
from ilk.search.passages import (
    RepeatedWordRuns,
    find_bibliography_entries,
    find_quotations,
    find_runs_shared_by_two,
)
from ilk.write.plagiarism import KINDS, CopiedParts, CopiedPiece, CopySource

#: Returns where the words of a document begin and end, in characters, from its number and its text.
FindWordPlaces: TypeAlias = Callable[[int, str], tuple[list[int], list[int]]]


class _Run(NamedTuple):
    start: int
    end: int
    source: int
    places: int = 2


def find_copied_parts(
    texts: arrow.Texts,
    baseline_size: int,
    min_words: int,
    running: Running,
    *,
    among_own_texts: bool = True,
) -> list[CopiedParts]:
    """Return the parts of documents that are in others, those with most evidence first.

    The first texts, as many as ``baseline_size``, are the others. Runs have at least ``min_words``
    words; with ``among_own_texts``, words also count that are only in another one of the texts
    after these.
    """
    collected = CollectedWords(PassageRule(min_words), running)
    collected.add_words_of(texts)
    shared_runs = collected.find_repeated_and_release_words(
        None, lambda share: running.tell("find what was copied", int(100 * share), 100)
    )
    rows = pa.arange(0, len(texts))
    # Words in one of the others count for that one, even if more documents have them.
    groups = (pc.greater_equal(rows, baseline_size), *((rows,) if among_own_texts else ()))
    return copied_parts_of_runs(
        shared_runs,
        groups,
        baseline_size=baseline_size,
        read_texts=lambda docs: arrow.take_texts(texts, docs).to_pylist(),
    )


def copied_parts_of_runs(
    repeated_runs: RepeatedWordRuns,
    groupings: Sequence[pa.Array],
    *,
    baseline_size: int,
    read_texts: Callable[[pa.Array], Sequence[str | None]],
    max_documents: int | None = None,
    find_word_places: FindWordPlaces | None = None,
) -> list[CopiedParts]:
    """Return the parts of documents that are in others, those with most evidence first.

    Args:
        repeated_runs: what is repeated in the documents.
        groupings: each has a group's number for each document; only words in another group count.
            With several, words count for the first that finds them elsewhere.
        baseline_size: how many documents, the first ones, are others only.
        read_texts: returns the texts of documents, in order.
        max_documents: how many documents to return, those with most words elsewhere.
        find_word_places: for programs, which quote nothing; None for texts.
    """
    by_doc: dict[int, list[_Run]] = {}
    for groups in groupings:
        own = range(baseline_size, len(groups))
        runs = replace(repeated_runs, groups=groups.cast(pa.uint32())).list_runs(own)
        names = ("doc", "start", "end", "other_doc", "occurrences")
        for doc, *run in zip(*(runs[name].to_pylist() for name in names), strict=True):
            by_doc.setdefault(doc, []).append(_Run(*run))
    docs = sorted(by_doc)
    if max_documents is not None and max_documents < len(docs):
        words = {doc: sum(run.end - run.start for run in by_doc[doc]) for doc in docs}
        docs = sorted(sorted(docs, key=lambda doc: (-words[doc], doc))[:max_documents])
    texts = read_texts(pa.array(docs, pa.int64()))
    all_parts = [
        _make_copied_parts_of_text(doc, text or "", by_doc[doc], find_word_places)
        for doc, text in zip(docs, texts, strict=True)
    ]
    return sorted(all_parts, key=lambda one: (-one.evidence / max(one.words, 1), one.doc))


def copied_parts_in_container(
    doc: int, text: str, container_doc: int, container_text: str, *, min_words: int
) -> CopiedParts:
    """Return the parts of one document that are in one other."""
    runs = find_runs_shared_by_two(text, container_text, min_words=min_words)
    return _make_copied_parts_of_text(
        doc, text, [_Run(start, start + words, container_doc) for start, _, words in runs]
    )


def _make_copied_parts_of_text(
    doc: int, text: str, runs: Sequence[_Run], find_word_places: FindWordPlaces | None = None
) -> CopiedParts:
    """Return the parts of a text that are elsewhere; a word counts for the first run with it."""
    places_by_kind: Sequence[list[tuple[int, int]]] = ()
    if find_word_places is not None:
        begins, ends = find_word_places(doc, text)
    else:
        _, begins, ends = (
            each.to_pylist() for each in _kernels.hash_and_locate_words(text, "fold")
        )
        places_by_kind = (find_quotations(text), find_bibliography_entries(text))
    owners: list[int | None] = [None] * len(begins)
    evidence = 0.0
    end_of_last = before = 0
    for run in runs:
        # A smaller start means that the runs of lower-ranked documents begin here.
        end_of_last, before = (0 if run.start < before else end_of_last), run.start
        for word in range(max(run.start, end_of_last), run.end):
            if owners[word] is None:
                owners[word] = run.source
                evidence += 1 / (1 + math.log(run.places - 1))
        end_of_last = max(end_of_last, run.end)
    kinds = bytearray(len(begins))
    for kind, places in enumerate(places_by_kind, 1):
        for start, end in places:
            first, last = bisect_left(begins, start), bisect_left(begins, end)
            kinds[first:last] = bytes([kind]) * (last - first)
    pieces, counts = [], dict[int, list[int]]()
    each = enumerate(zip(owners, kinds, strict=True))
    for (source, kind), group in groupby(each, key=lambda one: one[1]):
        if source is not None:
            words = [word for word, _ in group]
            pieces.append(CopiedPiece(begins[words[0]], ends[words[-1]], source, KINDS[kind]))
            count = counts.setdefault(source, [0, 0, 0])
            count[0] += len(words)
            if kind:
                count[kind] += len(words)
    sources = [CopySource(source, *count) for source, count in counts.items()]
    sources.sort(key=lambda one: (-one.words, one.doc))
    elsewhere, quoted, words_cited = map(sum, zip((0, 0, 0), *counts.values(), strict=True))
    return CopiedParts(
        doc=doc,
        words=len(begins),
        elsewhere=elsewhere,
        quoted=quoted,
        cited=words_cited,
        evidence=evidence,
        sources=tuple(sources),
        pieces=tuple(pieces),
    )
