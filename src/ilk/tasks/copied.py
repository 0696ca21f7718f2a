"""Text that is also in other documents, word for word: how much, from where, and what is quoted.

The runs are those of ``ilk.search.passages``. Words that are in several other documents count for
only one: the first that has the longest run of them.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import replace
from itertools import groupby
from typing import NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from ilk import _kernels, arrow
from ilk.base.run_options import Running
from ilk.search.passage_parts import Collected
from ilk.search.passages import quotations, references, runs_of_two
from ilk.write.plagiarism import KINDS, Copied, CopySource, Piece


class _Run(NamedTuple):
    start: int
    end: int
    source: int


def find_copied_parts(
    texts: arrow.Texts, held: int, least: int, running: Running, *, among: bool = True
) -> list[Copied]:
    """Return the parts of documents that are in others, the largest share first.

    The first ``held`` texts are the others. Runs have at least ``least`` words; with ``among``,
    words also count that are only in another one of the texts that are not held.
    """
    collected = Collected(least, running)
    collected.add(texts)
    found = collected.finish(
        None, lambda share: running.tell("find what was copied", int(100 * share), 100)
    )
    rows = pa.arange(0, len(texts))
    by_doc: dict[int, list[_Run]] = {}
    # Words in one of the others count for that one, even if more documents have them.
    for groups in (pc.greater_equal(rows, held), *((rows,) if among else ())):
        runs = replace(found, groups=groups.cast(pa.uint32())).runs()
        runs = runs.filter(pc.greater_equal(runs["doc"], held))
        names = ("doc", "start", "end", "other_doc")
        for doc, *run in zip(*(runs[name].to_pylist() for name in names), strict=True):
            by_doc.setdefault(doc, []).append(_Run(*run))
    docs = sorted(by_doc)
    some = arrow.pick_texts(texts, pa.array(docs, pa.int64()))
    read = (text for chunk in some.chunks for text in chunk.to_pylist())
    every = [_of(doc, text or "", by_doc[doc]) for doc, text in zip(docs, read, strict=True)]
    return sorted(every, key=lambda one: (-one.elsewhere / max(one.words, 1), one.doc))


def proof(doc: int, text: str, other: int, container: str, least: int) -> Copied:
    """Return the parts of one document that are in one other."""
    runs = runs_of_two(text, container, least)
    return _of(doc, text, [_Run(start, start + words, other) for start, _, words in runs])


def _of(doc: int, text: str, runs: Sequence[_Run]) -> Copied:
    """Return the parts of a text that are elsewhere; a word counts for the first run with it."""
    _, begins, ends = (each.to_pylist() for each in _kernels.word_places(text, "fold"))
    owners: list[int | None] = [None] * len(begins)
    done = before = 0
    for run in runs:
        # A smaller start means that the runs of lower-ranked documents begin here.
        done, before = (0 if run.start < before else done), run.start
        for word in range(max(run.start, done), run.end):
            if owners[word] is None:
                owners[word] = run.source
        done = max(done, run.end)
    kinds = bytearray(len(begins))
    for kind, places in enumerate((quotations(text), references(text)), 1):
        for start, end in places:
            first, last = bisect_left(begins, start), bisect_left(begins, end)
            kinds[first:last] = bytes([kind]) * (last - first)
    pieces, counts = [], dict[int, list[int]]()
    each = enumerate(zip(owners, kinds, strict=True))
    for (source, kind), group in groupby(each, key=lambda one: one[1]):
        if source is not None:
            words = [word for word, _ in group]
            pieces.append(Piece(begins[words[0]], ends[words[-1]], source, KINDS[kind]))
            count = counts.setdefault(source, [0, 0, 0])
            count[0] += len(words)
            if kind:
                count[kind] += len(words)
    sources = [CopySource(source, *count) for source, count in counts.items()]
    sources.sort(key=lambda one: (-one.words, one.doc))
    elsewhere, quoted, cited = map(sum, zip((0, 0, 0), *counts.values(), strict=True))
    return Copied(
        doc=doc,
        words=len(begins),
        elsewhere=elsewhere,
        quoted=quoted,
        cited=cited,
        sources=tuple(sources),
        pieces=tuple(pieces),
    )
