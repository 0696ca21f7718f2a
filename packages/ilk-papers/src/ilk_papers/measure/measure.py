"""Measurements on a user's own documents: what every radius finds, and what it nominates in vain.

A radius should find near-duplicates of documents drawn at random, edited copies of them, and pairs
that the user labelled; it should not find pairs drawn at random, which are mostly unrelated. All
are measured exactly.
"""

from __future__ import annotations

import hashlib
import itertools
import math
import os
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from ilk import Limits, Recipe, hamming
from ilk.companions import (
    Collection,
    Evidence,
    Query,
    SizeRange,
    Thresholds,
    check_recipe,
    errors,
    evidence_joins,
    find_representatives,
    labelling,
    order_documents_best_first,
    progress_steps_of_reading_sources,
    read,
    read_documents_with_evidence,
    refuse_idle_or_unknown_arguments,
)
from ilk.plugins import (
    NothingRead,
    OptionError,
    Progress,
    Reading,
    ReadReport,
    Running,
    Step,
    accept_true_as_progress,
    arrow,
    expect_steps_if_meter,
)
from ilk_papers.measure import edits
from ilk_papers.measure.calibration import Calibration, LabelCounts, Sample
from ilk_papers.measure.calibration_documents import CalibrationDocuments, measure_pairs
from ilk_papers.measure.synthetic import (
    LARGEST,
    Edit,
    find_copyable_rows,
    make_edited_copies_leaving_out_unchanged,
)
from ilk_papers.options import MEASUREMENT
from ilk_papers.seeded import draw_ascending_sample, draw_below, seeded_draw

#: Steps in which the share of edited words rises, and the least share.
_STEPS = 15
_LEAST_SHARE = 0.001

#: What follows reading, with about the seconds that each takes for 2,400 copies.
_MEASURING = (Step("edited copies", 9.0), Step("measure pairs", 1.0), Step("near-duplicates", 1.0))

#: Documents whose near-duplicates are looked for among all documents.
_DRAWN = 1_000

#: Steps of resemblance in which labelled pairs are counted.
_TWENTIETHS = 20


class _Labels(NamedTuple):
    """Labelled pairs of rows, and how many labels name a document that was not read."""

    pairs: list[labelling.LabelledRows]
    unknown: int


@refuse_idle_or_unknown_arguments()
@accept_true_as_progress
def calibrate(
    source: Any,
    *,
    recipe: Recipe | str | None = None,
    labels: str | os.PathLike[str] | None = None,
    jobs: int | None = None,
    tally: ReadReport | None = None,
    progress: Progress | bool | None = None,
    # Parameters calibrate, by scripts/make-signatures.
    resemblance: str | float | None = 0.8,
    recall: str | float | None = 0.99,
    shingle: int | None = 3,
    copies: int | None = 2400,
    pairs_sample: int | None = 100_000,
    seed: int | None = 0,
    text: str | Sequence[str] | None = "text",
    id: str | None = None,
    encoding: str | None = None,
    rows: bool = False,
    folder_as_document: bool = False,
    include: Sequence[str] = (),
    exclude: Sequence[str] = (),
    cache: str | os.PathLike[str] | None = None,
    extract: str | None = "none",
    convert: Mapping[str, Sequence[str]] | None = None,
    convert_timeout: float | None = 60.0,
    ocr: str | Sequence[str] | None = None,
    replies: str | None = "keep",
    limits: Limits | None = None,
    links: bool = False,
    gitignore: bool = False,
    no_hidden: bool = False,
    one_file_system: bool = False,
    size: str | SizeRange | None = None,
    newer: str | datetime | None = None,
    older: str | datetime | None = None,
    depth: int | None = None,
    # End of what is written.
) -> Calibration:
    """Measure on these documents what every radius finds, and what it nominates in vain.

    Args:
        source: the documents, as for ``ilk.find``.
        recipe: how to make fingerprints; ``Recipe()`` by default.
        resemblance: near-duplicates share at least this part of their shingles.
        recall: the share of them to find.
        shingle: words per shingle. A text below 50 words and one below 100 are compared by
            3 characters.
        labels: a file of labelled pairs: lines of ``a <tab> b``, perhaps followed by 1 (the same),
            0 (different) or a resemblance.
        copies: how many edited copies to make.
        pairs_sample: how many pairs to draw at random.
        seed: the seed of random choices.
        text, id, encoding, rows, include, exclude, convert, convert_timeout, extract, limits,
            cache, ocr, replies, jobs, progress: as for ``ilk.find``.
        tally: filled with what could not be read.

    Raises:
        OptionError: an option is out of bounds.
        SourceNotFound: a path does not exist.
        NothingRead: there is no document with text.
        LabelsError: the labels cannot be used.
    """
    query = Query.from_options(
        check_recipe(recipe), resemblance=resemblance, recall=recall, shingle=shingle
    )
    counts = {
        "copies": MEASUREMENT["copies"].check("copies", copies),
        "pairs_sample": MEASUREMENT["pairs_sample"].check("pairs_sample", pairs_sample),
    }
    number = MEASUREMENT["seed"].check("seed", seed)
    label_list = None if labels is None else labelling.read_tab_separated_labels(labels)
    if tally is not None and not isinstance(tally, ReadReport):
        raise OptionError(f"tally is {tally!r}; it must be an ilk.read.ReadReport.")
    tally = tally or ReadReport()
    reading = Reading.of(
        # Arguments find_reading, by scripts/make-signatures.
        text=text,
        id=id,
        encoding=encoding,
        rows=rows,
        folder_as_document=folder_as_document,
        include=include,
        exclude=exclude,
        cache=cache,
        extract=extract,
        convert=convert,
        convert_timeout=convert_timeout,
        ocr=ocr,
        replies=replies,
        limits=limits,
        links=links,
        gitignore=gitignore,
        no_hidden=no_hidden,
        one_file_system=one_file_system,
        size=size,
        newer=newer,
        older=older,
        depth=depth,
        # End of what is written.
    )
    expect_steps_if_meter(
        progress, *progress_steps_of_reading_sources(reading, source), *_MEASURING
    )
    running = Running.of(jobs, progress=progress)
    texts = Collection.of(source, reading, running, tally)
    documents_read = read_documents_with_evidence(
        texts.batches(), texts, recipe=query.recipe, counting=query.counting, running=running
    )
    documents, evidence = documents_read.documents, documents_read.evidence
    read.refuse_if_no_readable_document(documents, tally)
    labelled_pairs = (
        None if label_list is None else _match_labels_and_count_unknown(label_list, documents)
    )
    calibration_documents = CalibrationDocuments(
        documents=documents,
        texts=texts,
        evidence=evidence,
        originals=_find_copyable_rows_or_refuse(documents),
        query=query,
        seed=number,
        running=running,
    )
    return measure_calibration(calibration_documents, labelled_pairs, **counts)


def measure_calibration(
    source: CalibrationDocuments, labels: _Labels | None, *, copies: int, pairs_sample: int
) -> Calibration:
    """Measure documents drawn at random, edited copies of them, and labelled pairs."""
    query = source.query
    edited_copies = _measure_edited_copies(source, copies)
    random_pairs = _measure_unrelated_pairs(source, pairs_sample)
    return Calibration(
        recipe=str(query.recipe),
        resemblance=float(source.min_resemblance),
        shingle=query.shingle,
        recall=float(query.recall),
        seed=source.seed,
        documents=len(source.documents),
        drawn_from=len(source.originals),
        fingerprints=_digest_fingerprints(source.documents),
        copies=edited_copies.copies,
        kinds=edited_copies.by_kind,
        edge=edited_copies.edge,
        natural=_measure_one_near_duplicate_per_document(source),
        labelled=None if labels is None else _measure_labels(source, labels),
        background=random_pairs.distances,
        related=random_pairs.near_duplicates,
    )


def _find_copyable_rows_or_refuse(documents: pa.Table) -> pa.Array:
    """Return the documents that can be copied.

    Raises:
        NothingRead: there is no such document.
    """
    rows = find_copyable_rows(
        documents,
        find_representatives(documents, order_documents_best_first(documents, [])),
    )
    if not len(rows):
        raise NothingRead(
            f"{len(documents)} documents were read, but none has a text of at most {LARGEST:,} "
            "bytes, which a calibration needs. Name other documents."
        )
    return rows


def _digest_fingerprints(documents: pa.Table) -> str:
    """Return 32 hexadecimal digits that identify all fingerprints in their order."""
    values = documents["fingerprint"].to_pylist()
    return hashlib.sha256("\n".join(map(str, values)).encode()).hexdigest()[:32]


class _MeasuredCopies(NamedTuple):
    """How many copies were made, and the distances of those that are near-duplicates: by kind of
    edit, and of those just alike enough.
    """

    copies: int
    by_kind: dict[str, Sample]
    edge: Sample


def _measure_edited_copies(source: CalibrationDocuments, count: int) -> _MeasuredCopies:
    """Return the number of edited copies, and the distances of those that are near-duplicates.

    The latter by kind of edit, and again for those just alike enough.
    """
    bits = source.recipe.bits
    kinds = {kind: Sample.from_distances([], bits) for kind in edits.KINDS}
    edge = Sample.from_distances([], bits)
    edge_ends = float(source.min_resemblance + (1 - source.min_resemblance) / 4)
    copy_count = 0
    for copies in make_edited_copies_leaving_out_unchanged(
        source.documents,
        source.texts,
        originals=source.originals,
        edits_to_make=_plan_edits_from_slight_to_threshold(
            count,
            min_resemblance=float(source.min_resemblance),
            shingle=source.query.shingle,
        ),
        recipe=source.recipe,
        seed=source.seed,
        shingle=source.query.shingle,
        running=source.running,
    ):
        copy_count += len(copies.edits)
        source.running.tell("edited copies", copy_count, count)
        pairs = copies.judge_against_originals(source.evidence, Thresholds(source.min_resemblance))
        rows = zip(copies.edits, *measure_pairs(pairs), strict=True)
        near = [(edit, distance, value) for edit, alike, distance, value in rows if alike]
        for kind in kinds:
            kinds[kind] += Sample.from_distances(
                [d for edit, d, _ in near if edit.kind == kind], bits
            )
        edge += Sample.from_distances(
            [distance for _, distance, value in near if value < edge_ends], bits
        )
    return _MeasuredCopies(copy_count, kinds, edge)


def _plan_edits_from_slight_to_threshold(
    count: int, *, min_resemblance: float, shingle: int
) -> Iterator[Edit]:
    """Yield edits of every kind and spread, up to those that leave a copy just alike enough.

    Resemblances should be spread evenly from the threshold to 1: if most copies hardly differ, any
    radius finds most. An inserted block of a share s leaves 1 / (1 + s) of them; a scattered word
    is in as many shingles as a shingle has words.
    """
    kinds, spreads = tuple(edits.KINDS), edits.SPREADS
    for number in range(count):
        kind, rest = kinds[number % len(kinds)], number // len(kinds)
        spread, step = spreads[rest % len(spreads)], rest // len(spreads) % _STEPS
        largest_share = (
            (1 - min_resemblance) / min_resemblance / (shingle if spread == "scattered" else 1)
        )
        yield Edit(kind, min(1.0, max(_LEAST_SHARE, largest_share * (step + 0.5) / _STEPS)), spread)


def _measure_one_near_duplicate_per_document(source: CalibrationDocuments) -> Sample:
    """Return documents drawn at random, each with one of its near-duplicates, drawn too.

    So every document counts once, and no large family outweighs the others. Copies of one text are
    not near-duplicates here: they are found by their digests.
    """
    draw = seeded_draw(f"{source.seed}/near-duplicates")
    count = min(_DRAWN, len(source.originals))
    rows = source.originals.take(
        pa.array(draw_ascending_sample(draw, len(source.originals), count), pa.int64())
    )
    source.running.tell("near-duplicates", 0, len(source.originals))
    drawn, others = (Evidence(source.evidence.rows.take(of)) for of in (rows, source.originals))
    both = drawn.concatenate(others)
    pairs = evidence_joins.join_across_row_split(
        both, count, source.min_resemblance, source.query.max_pairs
    )
    near = evidence_joins.judge_and_sort_pairs_of_one_kind(
        both, pairs, Thresholds(source.min_resemblance)
    )
    left = rows.take(arrow.flat(near["left"]))
    right = source.originals.take(pc.subtract(arrow.flat(near["right"]), count))
    other = pc.not_equal(left, right)
    left, right = left.filter(other), right.filter(other)
    partners: dict[int, int] = {}
    first = 0
    for row, times in _distinct_rows_with_counts(left):
        partners[row] = right[first + draw_below(draw, times)].as_py()
        first += times
    prints = source.documents["fingerprint"]
    sides = (prints.take(pa.array(side, pa.int64())) for side in (partners, partners.values()))
    return Sample.from_distances(hamming.distance(*sides).to_pylist(), source.recipe.bits)


class _RowCount(NamedTuple):
    """A row, and how often it occurs."""

    row: int
    occurrences: int


def _distinct_rows_with_counts(rows: pa.Array) -> Iterator[_RowCount]:
    """Yield every different row in its order, and how often it occurs."""
    counts = rows.value_counts()
    columns = (counts.field(name).to_pylist() for name in ("values", "counts"))
    return itertools.starmap(_RowCount, zip(*columns, strict=True))


class _UnrelatedPairs(NamedTuple):
    """The distances of unrelated pairs, and how many drawn pairs were near-duplicates."""

    distances: Sample
    near_duplicates: int


def _measure_unrelated_pairs(source: CalibrationDocuments, count: int) -> _UnrelatedPairs:
    """Return the unrelated pairs among those drawn at random, and the number of the others."""
    rows = len(source.originals)
    every = rows * (rows - 1) // 2
    left, right = [], []
    for number in draw_ascending_sample(
        seeded_draw(f"{source.seed}/pairs"), every, min(count, every)
    ):
        # Pairs are numbered in the order (0, 1), (0, 2), (1, 2), (0, 3), ...
        higher = (1 + math.isqrt(1 + 8 * number)) // 2
        left.append(number - higher * (higher - 1) // 2)
        right.append(higher)
    sides = (source.originals.take(pa.array(side, pa.int64())) for side in (left, right))
    alike, distances, _ = measure_pairs(source.judge_pairs(*sides))
    apart = (d for d, same in zip(distances, alike, strict=True) if not same)
    return _UnrelatedPairs(Sample.from_distances(apart, source.recipe.bits), sum(alike))


def _match_labels_and_count_unknown(labels: list[labelling.Label], documents: pa.Table) -> _Labels:
    """Return what labels mean; LabelsError if none names two documents that were read."""
    label_rows = labelling.rows_of_labels_if_both_read(labels, documents)
    if not label_rows:
        example = documents["source"][0].as_py() if len(documents) else ""
        raise errors.LabelsError(
            f"{labels[0].where}: no line names two documents that were read; this one names "
            f"{labels[0].left!r}, but documents have names like {example!r}."
        )
    return _Labels(label_rows, len(labels) - len(label_rows))


def _measure_labels(source: CalibrationDocuments, labels: _Labels) -> LabelCounts:
    """Measure the labelled pairs; a label that is a resemblance means the same if it reaches the
    threshold.
    """
    bits = source.recipe.bits
    counts = {same: [0] * (_TWENTIETHS + 1) for same in (True, False)}
    distances: list[int | None] = []
    left, right = (pa.array([pair[side] for pair in labels.pairs], pa.int64()) for side in (0, 1))
    judged = zip(*measure_pairs(source.judge_pairs(left, right)), labels.pairs, strict=True)
    for alike, distance, resemblance, (*_, value) in judged:
        same = value >= source.min_resemblance
        counts[same][int(_TWENTIETHS * resemblance)] += 1
        if same and alike:
            distances.append(distance)
    return LabelCounts(
        Sample.from_distances(distances, bits),
        tuple(counts[True]),
        tuple(counts[False]),
        labels.unknown,
    )
