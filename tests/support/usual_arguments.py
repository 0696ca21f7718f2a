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
    builder = _kernels.EvidenceBuilder(3, 3, 60, 2048, 1)
    builder.add(BYTES)
    rows = builder.finish()
    evidence = companions.Evidence(rows)
    search = _search()
    documents = search.documents
    kept = companions.noise_evidence.NoiseEvidence.of(plugins.arrow.texts(TEXTS), 1)
    limits = noise_model.limits_at_rate(Fraction(1, 50))
    order, left, right = pa.arange(0, 4), pa.array([0, 2]), pa.array([1, 3])
    sets = plugins.arrow.flat(rows.field("word_shingles"))
    wide = rows.field("word_hashes")
    ids = pa.array([0, 0, 2, 2])
    pairs = pa.table({"left": left, "right": right, "distance": pa.array([1, 0], pa.uint8())})
    measured = companions.judge_candidates(
        pairs, documents, evidence, companions.Thresholds(Fraction(4, 5))
    )
    found = companions.differences(TEXTS[0], TEXTS[1])
    recipe = companions.SIMILARITY_INDEX
    reading = plugins.Reading()
    names = plugins.Names(("text",), None)
    kinds = pa.array([3, 3, 1, 1], pa.uint8())
    shown = (sets, rows.field("character_shingles"), kinds, wide, (4, 5))
    records = _kernels.records_of_rarest_shingles(
        order,
        rows.field("words"),
        wide,
        rows.field("character_shingles"),
        pa.array([1] * 16, pa.uint8()),
        4,
        5,
    )
    fingerprints = pa.array([1, 2, 3], pa.uint64())
    order_of_keys = _kernels.SetKeys.rare([(b"\1\0\0\0", False)] * 9, 4, 5, 1).order()
    postings = b"".join(number.to_bytes(8, "little") for number in (1, 2, 3))
    result = ilk.deduplicate(TEXTS)
    clustering = Clustering(order, ids, pa.nulls(4, pa.int64()))
    label = companions.labelling.Label("here", "#0", "#1", Fraction(0))
    parser = options.make_parser("scan")
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
        "numerator": 4,
        "denominator": 5,
        "max_pairs": 100,
        "radius": 3,
        "memory": 1 << 20,
        "threads": 1,
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
        "first": 0,
        "runs": [postings, postings],
        "docs": order,
        "words": rows.field("words"),
        "word_hashes": wide,
        "character_shingles": rows.field("character_shingles"),
        "frequencies": pa.array([1] * 16, pa.uint8()),
        "bands": 2,
        "width": 3,
        "cells": pa.array([b"\0\0\0\0"], pa.large_binary()),
        "records": records,
        "places": 2,
        "held": 0,
        "reserve": 1 << 20,
        "folder": ".",
        "families": ids,
        "unit": "words",
        "most": 9,
        "digests": rows.field("digest"),
        "contents": BYTES,
        "names": ["fragment"],
        "without": [],
        "lists": sets,
        "packed": pa.array([b"\1\0\0\0"], pa.large_binary()),
        "wide": False,
        "label": "utf-8",
        "data": b"abc",
        "merged": 1,
        "ids": pa.array([1], pa.uint64()),
        "weights": pa.array([1], pa.uint32()),
        "default": 1,
        "digest": 1,
        "common": fingerprints,
        "offsets": pa.array([0, 1], pa.int64()),
        "features": pa.array([1], pa.uint64()),
        "ties": "fixed",
        "size": 1,
        "recipe": companions.make_fingerprint_way(recipe).kernel,
        "method": "lowest",
        "number": 4,
        "evidence": rows,
        "shared": None,
        "resemblance": (4, 5),
        "containment": None,
        "any_numbers": True,
        "sites": None,
        "site_least": None,
        "may_have_moved": pa.array([True, True]),
        "least": 2,
        "scatter": 0.1,
        "patience": 16,
        "moves": 3,
        "short_width": 3,
        "both": 60,
        "shingle": 3,
        "characters": 3,
        "large": 2048,
        "given": pa.array([], pa.int64()),
        "hashes": pa.array([1, 2, 3, 1, 2, 3], pa.uint64()),
        "ends": pa.array([3, 6]),
        "values": pa.array([1, 2, 3], pa.uint64()),
        "grams": pa.array([1], pa.uint64()),
        "part": 0,
        "parts": 1,
        "starts": pa.array([0]),
        "rows": pa.array([0]),
        "groups": None,
        "copies": [],
        "sample": [(b"\1\0\0\0", False)],
        "order": b"\0\0" * 16,
        "hits": 1,
        "kernels.SetKeys.in_order.order": order_of_keys,
        "kernels.SetKeys().asked.sets": [(b"\1\0\0\0", False)],
        "kernels.SetKeys().postings.sets": [(b"\1\0\0\0", False)],
        "kernels.SetKeys().postings.ids": [1],
        "gone": False,
        "kernels.ArrayLines().rewrite.memory": bytearray(b"[1]"),
        "kernels.HammingIndex().add.ids": left,
        "kernels.HammingIndex().add.fingerprints": pa.array([1, 2], pa.uint64()),
        "kernels.HammingIndex().remove.ids": pa.array([], pa.int64()),
        "kernels.HammingIndex().query.fingerprint": 1,
        "kernels.UrlRules().canonical_many.urls": BYTES,
        "kernels.Repeated().places.document": 0,
        "kernels.Repeated().places.start": 0,
        "kernels.Repeated().places.end": 1,
        "kernels.Repeated().dropped.ranking": order,
        "kernels.BytesDigest().add.piece": pa.array([1], pa.uint8()),
        "kernels.hamming_near.fingerprint": bytes(8),
        "kernels.hamming_near.packed": bytes(16),
        "kernels.is_set.packed": b"\1\0\0\0",
        "kernels.hamming_plan.rows": 1000,
        "kernels.hamming_plan.bits": 64,
        "kernels.lower_threshold_by_merged_hashes.ids": 9,
        "kernels.cosine.left": TEXTS[0],
        "kernels.cosine.right": TEXTS[1],
        "kernels.wrong_characters.left": TEXTS[0],
        "kernels.wrong_characters.right": TEXTS[1],
        "kernels.align_pairs.least": (9, 10),
        "kernels.csv_rows.texts": [0],
        "kernels.json_rows.texts": ["a"],
        "kernels.judge_kept.texts": [None, None],
        "kernels.judge_kept.left": [0],
        "kernels.judge_kept.right": [1],
        "kernels.text_families.texts": shown,
        "kernels.text_portions.texts": shown,
        "kernels.text_portions.reserve": 1 << 20,
        "kernels.distances.left": fingerprints,
        "kernels.distances.right": fingerprints,
        "kernels.hamming_join.left": fingerprints,
        "kernels.hamming_join.right": fingerprints,
        "kernels.containment_join.left": sets,
        "kernels.containment_join.right": sets,
        "kernels.resemblance_join.left": sets,
        "kernels.resemblance_join.right": sets,
        "kernels.equal_minima.left": pa.array([1], pa.uint32()),
        "kernels.equal_minima.right": pa.array([1], pa.uint32()),
        "kernels.word_spans.ends": pa.array([2]),
        "kernels.accumulate_features.weights": None,
        "kernels.accumulate_features.bits": 64,
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
        "kernels.passage_copies.values": pa.array([1], pa.uint64()),
        "kernels.Weights.weights": pa.array([1], pa.uint16()),
        "kernels.passage_copies.grams": pa.array([1], pa.uint32()),
        "kernels.Weights.ids": pa.array([1], pa.uint32()),
        "kernels.align_pairs.may_have_moved": pa.array([1, 1], pa.uint8()),
        "kernels.Repeated.of_copies.ends": pa.array([3, 6], pa.uint64()),
        "kernels.passage_copies.ends": pa.array([3, 6], pa.uint64()),
        "kernels.count_cells.bits": 4,
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
        "arrow.Texts": plugins.arrow.texts(TEXTS),
        "Chunks": plugins.arrow.texts(TEXTS),
        "arrow.Chunks": plugins.arrow.texts(TEXTS),
        "Texts | pa.ChunkedArray": plugins.arrow.texts(TEXTS),
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
        "Names": names,
        "Way": companions.make_fingerprint_way(recipe),
        "Clustering": clustering,
        "SearchResult": result,
        "Limits": ilk.Limits(),
        "ReadDocuments": search.gathered,
        "JoinedPairs": pairs,
        "Differences": found,
        "list[Label]": [label],
        "argparse.Namespace": argparse.Namespace(quiet=True),
        "Meter": companions.Meter(False),
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
        "make_copy_clusters.documents": documents,
        "measured": measured,
        "pairs": pairs,
        "clustering.pick_one_container_each.pairs": measured,
        "clustering.turned.pairs": measured,
        "side_by_side.left": TEXTS[0],
        "side_by_side.right": TEXTS[1],
    }
