"""Measures on a user's own documents what every radius finds, and what it nominates in vain.

What shall be found are near-duplicates of documents drawn at random, edited copies of them, and
pairs that the user has labelled; what shall not are pairs drawn at random, which are mostly
unrelated. All are measured exactly.
"""

from __future__ import annotations

import hashlib
import math
import os
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from ilk import columns, readers, steps
from ilk.columns import verdicts
from ilk.errors import NothingRead, OptionError
from ilk.evaluate import edits
from ilk.evaluate import labels as labelling
from ilk.evaluate.calibration import Calibration, Labelled, Sample
from ilk.evaluate.synthetic import LARGEST, Edit, drawable, made
from ilk.pairing import hamming, measures
from ilk.pairing.hamming import MAX_PAIRS
from ilk.pairing.measured import Measured
from ilk.recipes.recipe import Recipe
from ilk.search import planning
from ilk.steps.ranking import ranked
from ilk.system import resources
from ilk.system.seeded import below, draws, sample

#: Edited copies that are made, and pairs that are drawn at random, if nothing else is said.
COPIES = 2_400
PAIRS_SAMPLE = 100_000

#: Steps in which the share of the words that edits touch rises, and the least share.
_STEPS = 15
_LEAST_SHARE = 0.001

#: Documents whose near-duplicates are looked for, among all of them.
_DRAWN = 1_000

#: Bytes of text that are measured at a time.
_TOGETHER = 1 << 27

#: Steps of a resemblance in which labelled pairs are counted.
_TWENTIETHS = 20


@dataclass(frozen=True, slots=True)
class _Source:
    """The documents of a calibration, and what is asked of them.

    Attributes:
        documents: with their fingerprints.
        texts: their texts.
        originals: rows of documents with text, each text once.
        recipe: how the fingerprints are made.
        least: the resemblance of near-duplicates.
        shingle: words per shingle.
        seed: what decides what is drawn.
        jobs: threads.
        tell: told of the progress.
    """

    documents: pa.Table
    texts: pa.ChunkedArray
    originals: pa.Array
    recipe: Recipe
    least: Fraction
    shingle: int
    seed: int
    jobs: int
    tell: readers.Progress

    def lengths(self, rows: pa.Array) -> pa.Array:
        """How many bytes they have."""
        return columns.flat(pc.fill_null(self.documents["length"].take(rows), 0))


def calibrate(
    source: Any,
    *,
    recipe: Recipe | None = None,
    resemblance: float = planning.RESEMBLANCE,
    recall: float = planning.RECALL,
    shingle: int = 3,
    labels: str | os.PathLike[str] | None = None,
    copies: int = COPIES,
    pairs_sample: int = PAIRS_SAMPLE,
    seed: int = 0,
    text: str | Sequence[str] = readers.TEXT,
    id: str | None = None,
    include: Sequence[str] = (),
    exclude: Sequence[str] = (),
    convert: Mapping[str, Sequence[str]] | None = None,
    convert_timeout: float = readers.CONVERT_TIMEOUT,
    extract: str = "none",
    jobs: int | None = None,
    tally: readers.Tally | None = None,
    progress: readers.Progress | None = None,
) -> Calibration:
    """What every radius finds, and what it nominates in vain, measured on these documents.

    Args:
        source: the documents, as ``ilk.find`` takes them.
        recipe: how fingerprints are made; the default is ``Recipe()``.
        resemblance: near-duplicates share at least this part of their shingles.
        recall: the share of them that is to be found.
        shingle: words per shingle; texts below 50 words are compared by 3 characters.
        labels: a file of labelled pairs: lines of ``a <tab> b``, perhaps followed by 1 (the same),
            0 (different) or a resemblance.
        copies: how many edited copies are made.
        pairs_sample: how many pairs are drawn at random.
        seed: decides what is drawn.
        text, id, include, exclude, convert, convert_timeout, extract, jobs, progress: as for
            ``ilk.find``.
        tally: filled with what could not be read.

    Raises:
        OptionError: an option is out of bounds.
        SourceNotFound: a path does not exist.
        NothingRead: there is no document with text.
        LabelsError: the labels cannot be used.
    """
    recipe = recipe or Recipe()
    least = measures.threshold("resemblance", resemblance)
    asked = measures.threshold("recall", recall)
    shingle, jobs = measures.shingle_width(shingle), resources.threads(jobs)
    _check_numbers(copies=copies, pairs_sample=pairs_sample, seed=seed)
    written = None if labels is None else labelling.read_labels(labels)
    tally, tell = tally or readers.Tally(), progress or readers.silent
    batches = readers.read(
        source,
        text=text,
        id=id,
        include=include,
        exclude=exclude,
        convert=convert or {},
        convert_timeout=convert_timeout,
        extract=extract,
        jobs=jobs,
        tally=tally,
        progress=tell,
    )
    documents = steps.fingerprinted(batches, recipe, jobs=jobs)
    readers.check(documents, tally)
    known = None if written is None else labelling.meant(written, documents)
    texts, rows = columns.texts(documents["text"]), _originals(documents)
    drawn = _Source(documents, texts, rows, recipe, least, shingle, seed, jobs, tell)
    count, kinds, edge = _planted(drawn, copies)
    background, related = _background(drawn, pairs_sample)
    return Calibration(
        recipe=str(recipe),
        resemblance=float(least),
        shingle=shingle,
        recall=float(asked),
        seed=seed,
        documents=len(documents),
        drawn_from=len(drawn.originals),
        fingerprints=_digest(documents),
        copies=count,
        kinds=kinds,
        edge=edge,
        natural=_natural(drawn),
        labelled=None if known is None else _labelled(drawn, known),
        background=background,
        related=related,
    )


def _check_numbers(**numbers: object) -> None:
    for name, value in numbers.items():
        if type(value) is not int or not 0 <= value < 1 << 53:
            raise OptionError(f"{name} is {value!r}; it must be a whole number, 0 or more.")


def _originals(documents: pa.Table) -> pa.Array:
    """The documents of which copies can be made.

    Raises:
        NothingRead: there are none.
    """
    rows = drawable(documents, steps.distinct(documents, ranked(documents, [])))
    if not len(rows):
        raise NothingRead(
            f"{len(documents)} documents were read, and none has text of at most "
            f"{LARGEST:,} bytes; a calibration is made of such. Name other documents."
        )
    return rows


def _digest(documents: pa.Table) -> str:
    """32 hexadecimal digits that stand for all fingerprints in their order."""
    values = documents["fingerprint"].to_pylist()
    return hashlib.sha256("\n".join(map(str, values)).encode()).hexdigest()[:32]


def _planted(source: _Source, count: int) -> tuple[int, dict[str, Sample], Sample]:
    """Edited copies: how many there are, and the distances of those that are near-duplicates.

    The latter by kind of edit, and once more of those that are just so.
    """
    bits = source.recipe.bits
    kinds = {kind: Sample.of([], bits) for kind in edits.KINDS}
    edge = Sample.of([], bits)
    edge_ends = float(source.least + (1 - source.least) / 4)
    done = 0
    for some in made(
        source.documents,
        source.texts,
        source.originals,
        _edits(count, float(source.least), source.shingle),
        source.recipe,
        seed=source.seed,
        jobs=source.jobs,
    ):
        done += len(some.edits)
        source.tell("edited copies", done, count)
        pairs = some.against_originals(
            resemblance=source.least, shingle=source.shingle, jobs=source.jobs
        )
        rows = zip(some.edits, *_measured(pairs), strict=True)
        near = [(edit, distance, value) for edit, alike, distance, value in rows if alike]
        for kind in kinds:
            kinds[kind] += Sample.of([d for edit, d, _ in near if edit.kind == kind], bits)
        edge += Sample.of([distance for _, distance, value in near if value < edge_ends], bits)
    return done, kinds, edge


def _edits(count: int, least: float, shingle: int) -> Iterator[Edit]:
    """So many edits: of every kind, everywhere, and so heavy that some copies are just alike.

    Resemblances are to be spread evenly from the threshold to 1: where most copies hardly differ,
    any radius finds most. A block of a share s that is inserted leaves 1 / (1 + s) of them; words
    that are scattered are in as many shingles as those have words.
    """
    kinds, spreads = tuple(edits.KINDS), edits.SPREADS
    for number in range(count):
        kind, rest = kinds[number % len(kinds)], number // len(kinds)
        spread, step = spreads[rest % len(spreads)], rest // len(spreads) % _STEPS
        most = (1 - least) / least / (shingle if spread == "scattered" else 1)
        yield Edit(kind, min(1.0, max(_LEAST_SHARE, most * (step + 0.5) / _STEPS)), spread)


def _measured(pairs: pa.Table) -> tuple[list[bool], list[int | None], list[float]]:
    """Per pair whether the two are near-duplicates, their distance and their resemblance."""
    alike = pc.is_in(pairs["verdict"], pa.array(verdicts.SAME))
    return alike.to_pylist(), pairs["distance"].to_pylist(), pairs["resemblance"].to_pylist()


def _natural(source: _Source) -> Sample:
    """Documents drawn at random beside a near-duplicate, drawn too, of those that have any.

    So every document counts once, and no large family outweighs the others. Copies of one text are
    no near-duplicates here: they are found by their digests.
    """
    draw = draws(f"{source.seed}/near-duplicates")
    count = min(_DRAWN, len(source.originals))
    rows = source.originals.take(pa.array(sample(draw, len(source.originals), count), pa.int64()))
    drawn = Measured.of(source.texts.take(rows), source.shingle, source.jobs)
    partners: dict[int, int] = {}
    seen: Counter[int] = Counter()
    for start, end in _parts(source.lengths(source.originals)):
        source.tell("near-duplicates", start, len(source.originals))
        some = source.originals[start:end]
        both = drawn.followed_by(source.texts.take(some))
        left, right, _ = both.across(count, source.least, MAX_PAIRS)
        left, right = rows.take(left), some.take(pc.subtract(right, count))
        others = pc.not_equal(left, right)
        left, right = left.filter(others), right.filter(others)
        first = 0
        for row, times in _counts(left):
            seen[row] += times
            # Of all that were seen each is drawn with the same probability.
            if below(draw, seen[row]) < times:
                partners[row] = right[first + below(draw, times)].as_py()
            first += times
    prints = source.documents["fingerprint"]
    sides = (prints.take(pa.array(side, pa.int64())) for side in (partners, partners.values()))
    return Sample.of(hamming.distance(*sides).to_pylist(), source.recipe.bits)


def _counts(rows: pa.Array) -> Iterator[tuple[int, int]]:
    """Every different row in its order, and how many times it is there."""
    counts = rows.value_counts()
    return zip(*(counts.field(name).to_pylist() for name in ("values", "counts")), strict=True)


def _background(source: _Source, count: int) -> tuple[Sample, int]:
    """Pairs drawn at random: those that are no near-duplicates, and how many others there were."""
    rows = len(source.originals)
    every = rows * (rows - 1) // 2
    left, right = [], []
    for number in sample(draws(f"{source.seed}/pairs"), every, min(count, every)):
        # Pairs are numbered in the order (0, 1), (0, 2), (1, 2), (0, 3), ...
        higher = (1 + math.isqrt(1 + 8 * number)) // 2
        left.append(number - higher * (higher - 1) // 2)
        right.append(higher)
    unrelated, related = Sample.of([], source.recipe.bits), 0
    sides = (source.originals.take(pa.array(side, pa.int64())) for side in (left, right))
    for pairs in _pairs(source, *sides):
        alike, distances, _ = _measured(pairs)
        related += sum(alike)
        apart = (d for d, same in zip(distances, alike, strict=True) if not same)
        unrelated += Sample.of(apart, source.recipe.bits)
    return unrelated, related


def _labelled(source: _Source, labels: labelling.Matched) -> Labelled:
    """The labelled pairs, measured; a resemblance as a label means the same at the threshold."""
    bits = source.recipe.bits
    counts = {same: [0] * (_TWENTIETHS + 1) for same in (True, False)}
    distances: list[int | None] = []
    values = iter(labels.values)
    left, right = (pa.array(side, pa.int64()) for side in (labels.left, labels.right))
    for pairs in _pairs(source, left, right):
        for alike, distance, resemblance in zip(*_measured(pairs), strict=True):
            same = next(values) >= source.least
            counts[same][int(_TWENTIETHS * resemblance)] += 1
            if same and alike:
                distances.append(distance)
    return Labelled(
        Sample.of(distances, bits), tuple(counts[True]), tuple(counts[False]), labels.unknown
    )


def _pairs(source: _Source, left: pa.Array, right: pa.Array) -> Iterator[pa.Table]:
    """Pairs of documents, measured: ``PAIRS`` in their order, some at a time."""
    for start, end in _parts(pc.add(source.lengths(left), source.lengths(right))):
        source.tell("measure pairs", start, len(left))
        rows = pa.table({"left": left[start:end], "right": right[start:end]})
        yield steps.verify(
            columns.padded(rows, columns.CANDIDATES),
            source.documents,
            source.texts,
            resemblance=source.least,
            containment=None,
            shingle=source.shingle,
            jobs=source.jobs,
        )


def _parts(sizes: pa.Array) -> Iterator[tuple[int, int]]:
    """The rows in parts that are measured at a time: first row, and the one behind the last."""
    part = pc.divide(pc.cumulative_sum(sizes), _TOGETHER)
    changes = pc.indices_nonzero(pc.not_equal(part.slice(1), part.slice(0, max(0, len(part) - 1))))
    return pairwise([0, *(row + 1 for row in changes.to_pylist()), len(sizes)])
