"""Arguments that names of ``ilk.plugins`` can use, by the name of an argument or its annotation."""

from __future__ import annotations

import argparse
import functools
import io
from fractions import Fraction
from pathlib import Path
from typing import Any

import pyarrow as pa

import ilk
from ilk import _kernels, companions, plugins
from ilk.base.progress import Meter
from ilk.cli import options
from ilk.read.report import ReadReport
from ilk.search import noise_model
from ilk.search.evidence import OneSite
from ilk.search.linkage import Clustering

#: Two near texts, and two that are equal and short.
_LONG = " ".join(f"word{at} and more" for at in range(20))
TEXTS = [_LONG, f"{_LONG} again", "aa bb", "aa bb"]
BYTES = pa.array([text.encode() for text in TEXTS], pa.large_binary())


@functools.cache
def _search() -> Any:
    return ilk.find(TEXTS, noise="0.02")._search


@functools.cache
def samples() -> dict[str, Any]:
    """Return arguments by ``function.name``, by name, and by annotation."""
    evidence_rule = _kernels.EvidenceRule(
        shingle_words=3, shingle_characters=3, characters_below=60, whole_above=2048
    )
    builder = _kernels.EvidenceBuilder(evidence_rule, 1)
    builder.add(BYTES)
    rows = builder.take_column()
    evidence = companions.Evidence(rows)
    search = _search()
    documents = search.documents
    kept = companions.noise_evidence.NoiseEvidence.from_texts(plugins.arrow.import_texts(TEXTS), 1)
    limits = noise_model.limits_at_rate(Fraction(1, 50))
    order, left, right = pa.arange(0, 4), pa.array([0, 2]), pa.array([1, 3])
    sets = plugins.arrow.flat(rows.field("word_shingles"))
    wide = rows.field("word_hashes")
    ids = pa.array([0, 0, 2, 2])
    pairs = pa.table({"left": left, "right": right, "distance": pa.array([1, 0], pa.uint8())})
    measured = companions.judge_every_candidate_by_sets(
        pairs,
        documents,
        evidence=evidence,
        thresholds=companions.Thresholds(Fraction(4, 5)),
    )
    found = companions.folded_word_changes_and_moves(TEXTS[0], TEXTS[1])
    recipe = companions.SIMILARITY_INDEX
    reading = plugins.Reading()
    names = plugins.ColumnRequest(("text",), None)
    kinds = pa.array([3, 3, 1, 1], pa.uint8())
    shown = (sets, rows.field("character_shingles"), kinds, wide, (4, 5))
    sent = rows.field("words"), wide, rows.field("character_shingles")
    records = _kernels.make_rarest_shingle_records(
        order, sent, pa.array([1] * 16, pa.uint8()), (4, 5)
    )
    fingerprints = pa.array([1, 2, 3], pa.uint64())
    packed_sets = [(b"\1\0\0\0", False)]
    frequencies = _kernels.SetKeys.of_rare_values(packed_sets * 9, (4, 5), 1).frequencies()
    hashes, word_ends = pa.array([1, 2, 3, 1, 2, 3], pa.uint64()), pa.array([3, 6], pa.uint64())
    postings = b"".join(number.to_bytes(8, "little") for number in (1, 2, 3))
    pair_thresholds = _kernels.PairThresholds(
        resemblance=(4, 5), containment=None, any_numbers=True
    )
    result = ilk.deduplicate(TEXTS)
    clustering = Clustering(order, ids, pa.nulls(4, pa.int64()))
    label = companions.labelling.Label("here", "#0", "#1", Fraction(0))
    parser = options.make_parser_with_help_file("scan")
    return {
        # Of kernels: by name.
        "a": TEXTS[0],
        "at": 0,
        "bits": 4,
        "texts": BYTES,
        "text": TEXTS[0],
        "normalisation": "fold",
        "jobs": 1,
        "left": left,
        "right": right,
        "ranking": order,
        "sets": sets,
        "threshold": (4, 5),
        "most_repeated_share": (4, 5),
        "max_pairs": 100,
        "radius": 3,
        "memory": 1 << 20,
        "threads": 1,
        "limits": _kernels.JoinLimits(max_pairs=100, memory=1 << 20, threads=1),
        "fingerprints": fingerprints,
        "progress": None,
        "piece": pa.array(b'{"a":"b"}\n', pa.uint8()),
        "last": True,
        "wanted": pa.array([True]),
        "notes": pa.array([b',"x":1'], pa.large_binary()),
        "delimiter": 44,
        "count": 1,
        "id": None,
        "postings": postings,
        "first_bucket": 0,
        "bucket_count": 1,
        "runs": [postings, postings],
        "docs": order,
        "frequencies": pa.array([1] * 16, pa.uint8()),
        "bands": 2,
        "band_width": 3,
        "width": 3,
        "cells": pa.array([b"\0\0\0\0"], pa.large_binary()),
        "records": records,
        "places": 2,
        "baseline_size": 0,
        "reserve": 1 << 20,
        "room": _kernels.SpillRoom(reserve=1 << 20, folder="."),
        "folder": ".",
        "families": ids,
        "unit": "words",
        "most_shingles_per_text": 9,
        "most_bytes": 9,
        "digests": rows.field("digest"),
        "contents": BYTES,
        "names": ["fragment"],
        "dropped_parameters": [],
        "lists": sets,
        "packed": pa.array([b"\1\0\0\0"], pa.large_binary()),
        "wide": False,
        "label": "utf-8",
        "data": b"abc",
        "merged_hashes": 1,
        "ids": pa.array([1], pa.uint64()),
        "weights": pa.array([1], pa.uint32()),
        "default": 1,
        "block_hash": 1,
        "ascending_block_hashes": fingerprints,
        "unmatchable_block_hashes": None,
        "offsets": pa.array([0, 1], pa.int64()),
        "features": pa.array([1], pa.uint64()),
        "ties": "fixed",
        "minima_per_text": 1,
        "recipe": companions.make_fingerprint_way(recipe).kernel,
        "method": "lowest",
        "number": 4,
        "evidence": rows,
        "resemblance": (4, 5),
        "containment": None,
        "any_numbers": True,
        "sites": None,
        "least_agreement": (9, 10),
        "least_scatter": 0.1,
        "failures_in_a_row": 16,
        "most_cells_for_moves": 3,
        "most_ids": 9,
        "least_length": 2,
        "short_width": 3,
        "short_below": 60,
        "shingle_words": 3,
        "shingle_characters": 3,
        "characters_below": 60,
        "whole_above": 2048,
        "known_keepers": pa.nulls(4, pa.int64()),
        "bridge_left": left,
        "bridge_right": right,
        "hashes": hashes,
        "document_ends": word_ends,
        "values": pa.array([1], pa.uint64()),
        "positions": pa.array([1], pa.uint32()),
        "least_words": 2,
        "gram_words": 2,
        "part": 0,
        "parts": 1,
        "groups": None,
        "copies_by_part": [],
        "sample": [(b"\1\0\0\0", False)],
        "hits": 1,
        "kernels.SetKeys.with_frequencies.frequencies": frequencies,
        "kernels.SetKeys().make_question_empty_if_below_threshold.sets": packed_sets,
        "kernels.SetKeys().make_postings.sets": packed_sets,
        "kernels.SetKeys().make_postings.ids": [1],
        "take_back": False,
        "kernels.ArrayLines().rewrite_in_place_unchecked.memory": bytearray(b"[1]"),
        "kernels.HammingIndex().add.ids": left,
        "kernels.HammingIndex().add.fingerprints": pa.array([1, 2], pa.uint64()),
        "kernels.HammingIndex().remove.ids": pa.array([], pa.int64()),
        "kernels.HammingIndex().query.fingerprint": 1,
        "kernels.UrlRules().canonicalise_all.urls": BYTES,
        "kernels.RepeatedRuns().find_all_places_of_run.document": 0,
        "kernels.RepeatedRuns().find_all_places_of_run.first_word": 0,
        "kernels.RepeatedRuns().find_all_places_of_run.end_word": 1,
        "kernels.RepeatedRuns().find_documents_to_drop.ranking": order,
        "kernels.RepeatedRuns.from_copies.words": _kernels.DocumentWords(
            hashes=hashes, document_ends=word_ends
        ),
        "kernels.find_copies.words": _kernels.DocumentWords(hashes=hashes, document_ends=word_ends),
        "kernels.find_copies.selected": _kernels.SelectedGrams(
            values=pa.array([1], pa.uint64()), positions=pa.array([1], pa.uint32())
        ),
        "kernels.EvidenceBuilder.rule": evidence_rule,
        "kernels.BytesDigest().add.piece": pa.array([1], pa.uint8()),
        "kernels.find_near_fingerprints.fingerprint": bytes(8),
        "kernels.find_near_fingerprints.packed": bytes(16),
        "kernels.is_measured_by_characters.words": 49,
        "kernels.is_measured_by_characters.other_words": 99,
        "kernels.length_class.words": 49,
        "kernels.length_classes.words": pa.array([49, 50], pa.uint32()),
        "kernels.is_set.packed": b"\1\0\0\0",
        "kernels.plan_hamming_join.rows": 1000,
        "kernels.plan_hamming_join.bits": 64,
        "kernels.lower_threshold_for_merged_hashes.ids": 9,
        "kernels.measure_cosine.left": TEXTS[0],
        "kernels.measure_cosine.right": TEXTS[1],
        "kernels.count_wrong_characters.left": TEXTS[0],
        "kernels.count_wrong_characters.right": TEXTS[1],
        "kernels.make_bare_lengths_and_noise_sets.rule": _kernels.NoiseSetRule(
            width=3, most_ids=9, least_length=2, short_width=3, short_below=60
        ),
        "kernels.align_pairs_with_text_lengths.pairs": (left, right, pa.array([1, 1], pa.uint8())),
        "kernels.align_pairs_with_text_lengths.conditions": _kernels.AgreementConditions(
            least_agreement=(9, 10),
            least_scatter=0.1,
            failures_in_a_row=16,
            most_cells_for_moves=3,
        ),
        "kernels.CsvFields.texts": [0],
        "kernels.JsonFields.texts": ["a"],
        "kernels.read_csv_rows.fields": _kernels.CsvFields(count=1, texts=[0], id=None),
        "kernels.read_json_rows.fields": _kernels.JsonFields(texts=["a"], id=None),
        "kernels.measure_and_judge_each_pair.pairs": (left, right, None),
        "kernels.measure_and_judge_each_pair.thresholds": pair_thresholds,
        "kernels.judge_known_pairs_dropping_different.texts": [None, None],
        "kernels.judge_known_pairs_dropping_different.left": [0],
        "kernels.judge_known_pairs_dropping_different.right": [1],
        "kernels.judge_known_pairs_dropping_different.thresholds": pair_thresholds,
        "kernels.find_keepers_and_most_alike_outside.anchoring": _kernels.Anchoring(
            families=ids,
            ranking=order,
            bridge_left=left,
            bridge_right=right,
            known_keepers=pa.nulls(4, pa.int64()),
        ),
        "kernels.make_band_records.sets": sent,
        "kernels.make_rarest_shingle_records.sets": sent,
        "kernels.find_shingle_cells.sets": sent,
        "kernels.find_families.texts": shown,
        "kernels.assign_portions_or_null_if_alone.texts": shown,
        "kernels.assign_portions_or_null_if_alone.reserve": 1 << 20,
        "kernels.measure_distances.left": fingerprints,
        "kernels.measure_distances.right": fingerprints,
        "kernels.hamming_join.left": fingerprints,
        "kernels.hamming_join.right": fingerprints,
        "kernels.containment_join.left": sets,
        "kernels.containment_join.right": sets,
        "kernels.resemblance_join.left": sets,
        "kernels.resemblance_join.right": sets,
        "kernels.count_equal_flat_minima.left": pa.array([1], pa.uint32()),
        "kernels.count_equal_flat_minima.right": pa.array([1], pa.uint32()),
        "kernels.locate_existing_runs_in_bytes.runs": (pa.array([0]), pa.array([0]), pa.array([2])),
        "kernels.find_whole_units.runs": (pa.array([0]), pa.array([0]), pa.array([6])),
        "kernels.find_whole_units.unit": "line",
        "kernels.Recipe.kind": "simhash",
        "kernels.Recipe.bits": 64,
        "kernels.Recipe.unit": "words",
        "kernels.Recipe.weight": "binary",
        "kernels.Recipe.masks": [],
        "stop_words": [],
        "minimum": 1,
        "hash_name": "ilk64",
        "key": None,
        "table": None,
        "kernels.Weights.weights": pa.array([1], pa.uint16()),
        "kernels.Weights.ids": pa.array([1], pa.uint32()),
        "kernels.count_texts_by_cell_rounded.bits": 4,
        # By annotation.
        "str": "a.txt",
        "int": 2,
        "float": 0.5,
        "bool": False,
        "Fraction": Fraction(4, 5),
        "bytes": b"abc",
        "Path": Path("out.txt"),
        "object": "x",
        "Any": TEXTS,
        "str | os.PathLike[str]": "a.jsonl",
        "str | None": None,
        "int | None": 2,
        "Sequence[str]": ["a"],
        "tuple[str, ...]": ("text",),
        "Mapping[str, Any]": {"a": 1},
        "Iterable[str]": ["a"],
        "Iterator[str]": iter(["a"]),
        "Mapping[str, str]": {"a": "b"},
        "Callable[[], Files]": list,
        "pa.Array": order,
        "pa.Table": documents,
        "pa.Array | pa.ChunkedArray": order,
        "pa.BooleanArray": pa.array([True] * 4),
        "pa.Schema": plugins.arrow.DOCUMENTS,
        "pa.DataType": pa.int64(),
        "pa.Field": pa.field("a", pa.int64()),
        "arrow.Texts": plugins.arrow.import_texts(TEXTS),
        "Chunks": plugins.arrow.import_texts(TEXTS),
        "arrow.Chunks": plugins.arrow.import_texts(TEXTS),
        "Texts | pa.ChunkedArray": plugins.arrow.import_texts(TEXTS),
        "Recipe": recipe,
        "Recipe | None": recipe,
        "Evidence": evidence,
        "NoiseEvidence": kept,
        "NoiseLimits": limits,
        "Running": companions.ALONE,
        "Reading": reading,
        "ReadReport": ReadReport(),
        "Query": search.plan.query,
        "SearchPlan": search.plan,
        "Thresholds": companions.Thresholds(Fraction(4, 5)),
        "ColumnRequest": names,
        "Way": companions.make_fingerprint_way(recipe),
        "Clustering": clustering,
        "SearchResult": result,
        "Limits": ilk.Limits(),
        "ReadDocuments": search.documents_read,
        "JoinCandidates": companions.evidence_joins.JoinCandidates(
            left, right, pa.array([1] * len(left), pa.int64())
        ),
        "ContainmentCandidates": companions.evidence_joins.ContainmentCandidates(left, right),
        "arrow.PairTable": measured,
        "Differences": found,
        "list[Label]": [label],
        "argparse.Namespace": argparse.Namespace(quiet=True),
        "Meter": Meter(False),
        "Parser": parser,
        "IO[bytes]": io.BytesIO(),
        "BinaryIO": io.BytesIO(),
        "Kind": plugins.Text(),
        "Iterable[pa.RecordBatch | pa.Table]": [pa.table({"text": TEXTS})],
        "Iterable[pa.Array]": [order],
        "Iterable[Source]": [],
        "Sequence[Origin]": [],
        "Progress": companions.ignore_progress,
        "Sequence[float]": [1.0, 2.0],
        "Sequence[int]": [1, 2],
        "Iterable[tuple[str, str, bool]]": [("a", "b", True)],
        "Iterable[Mapping[str, Any]]": [{"a": 1}],
        "Sequence[Mapping[str, Any]]": [{"a": 1}],
        "Iterator[Mapping[str, Any]]": iter([{"a": 1}]),
        "list[NoiseEvidence]": [kept],
        "Sequence[tuple[int, Any]]": [(1, {})],
        "Sequence[str | os.PathLike[str]]": ["a.txt"],
        "OneSite": OneSite(order, Fraction(9, 10)),
        "Sequence[Found]": [],
        # Of functions in Python: by name.
        "make_clusters_of_equal_digests.documents": documents,
        "measured": measured,
        "pairs": pairs,
        "clustering.pick_first_container_of_each.pairs": measured,
        "clustering.turned.pairs": measured,
        "side_by_side.left": TEXTS[0],
        "side_by_side.right": TEXTS[1],
    }
