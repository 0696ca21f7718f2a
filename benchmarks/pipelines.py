"""A deduplication in datatrove by ilk, against datatrove's own MinHash on the same documents.

Recall is the share of all near-duplicate pairs that lose a document. MinHash takes its
usual 14 buckets of 8 hashes, shingles of as many words as ilk's, and words that are cut at white
space, which costs less than the tokenisers that it would load.
"""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc

import ilk
from benchmarks import corpus, timing
from benchmarks.rows import Row
from ilk import arrow

#: Rows of the corpus that are compared; MinHash takes minutes for all.
_DOCUMENTS = 12_000

_HEAD = """
import sys
from datatrove.executor import LocalPipelineExecutor
from datatrove.pipeline.readers import JsonlReader
from datatrove.pipeline.writers import JsonlWriter
folder = sys.argv[1]
def run(*steps, tasks=1):
    logs = folder + "/logs/" + steps[-1].name
    LocalPipelineExecutor(
        list(steps), tasks=tasks, workers=1, logging_dir=logs, skip_completed=False
    ).run()
read = JsonlReader(folder + "/in")
"""

_ILK = """
from ilk_web.datatrove import IlkDedup
run(read, IlkDedup(accept_alarm=True), JsonlWriter(folder + "/ilk", compression=None))
"""

_MINHASH = """
from datatrove.pipeline.dedup import (
    MinhashDedupBuckets, MinhashDedupCluster, MinhashDedupFilter, MinhashDedupSignature)
from datatrove.pipeline.dedup.minhash import MinhashConfig
from datatrove.utils.word_tokenizers import WordTokenizer
class Words(WordTokenizer):
    def word_tokenize(self, text): return text.split()
    def sent_tokenize(self, text): return [text]
    def span_tokenize(self, text): return [(0, len(text))]
from datatrove.utils.hashing import HashConfig
config = MinhashConfig(n_grams=3, hash_config=HashConfig(hash_fc="sha1"))
places = [folder + "/" + name for name in ("signatures", "buckets", "clusters")]
run(read, MinhashDedupSignature(places[0], config=config, language=Words()))
run(MinhashDedupBuckets(places[0], places[1], config=config), tasks=config.num_buckets)
run(MinhashDedupCluster(places[1], places[2], config=config))
run(read, MinhashDedupFilter(places[2]), JsonlWriter(folder + "/minhash", compression=None))
"""

_PROGRAMS = {"start": "", "ilk": _ILK, "minhash": _MINHASH}


def run() -> list[Row]:
    """CPU seconds, with and without those of the start, and recall."""
    texts = corpus.load()
    # Neighbours, among which the near-duplicates of a document stand.
    some = texts.texts.slice(0, _DOCUMENTS)
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "in"
        source.mkdir()
        with (source / "texts.jsonl").open("w", encoding="utf-8") as file:
            for row, text in enumerate(some.to_pylist()):
                file.write(json.dumps({"id": str(row), "text": text}) + "\n")
        costs = timing.medians(
            {name: _task(program, folder) for name, program in _PROGRAMS.items()}
        )
        kept = {name: _kept(Path(folder) / name) for name in ("ilk", "minhash")}
    pairs = ilk.find(some).pairs
    name = f"datatrove: {{}}, {len(some):,} documents of the {texts.name}"
    own, other = (costs[way] - costs["start"] for way in ("ilk", "minhash"))
    found = [
        Row(name.format("IlkDedup"), own, "CPU-s", own / other, "its MinHash"),
        Row(name.format("its MinHash"), other, "CPU-s"),
        Row(name.format("its start and imports"), costs["start"], "CPU-s"),
    ]
    for way, label in (("ilk", "IlkDedup"), ("minhash", "its MinHash")):
        left, right = (pc.is_in(pairs[side], kept[way]) for side in ("left", "right"))
        lost = pc.sum(pc.and_(left, right)).as_py() or 0
        recall = 100 * (1 - lost / max(1, len(pairs)))
        found.append(Row(name.format(f"{label}, recall of {len(pairs):,} pairs"), recall, "%"))
        vain = float(_vain(pairs, kept[way], len(some)))
        found.append(Row(name.format(f"{label}, dropped and like no kept one"), vain, "documents"))
    return found


def _task(program: str, folder: str) -> Callable[[], float]:
    return lambda: timing.command([sys.executable, "-c", _HEAD + program, folder]).cpu


def _kept(folder: Path) -> pa.Array:
    """Return the documents that a pipeline wrote."""
    lines = (line for path in sorted(folder.glob("*.jsonl")) for line in path.open())
    return pa.array([int(json.loads(line)["id"]) for line in lines], pa.int64())


def _vain(pairs: pa.Table, kept: pa.Array, count: int) -> int:
    """Return how many documents were dropped that resemble none of those that stay."""
    left, right = arrow.flat(pairs["left"]), arrow.flat(pairs["right"])
    sides = ((left, right), (right, left))
    covered = pa.concat_arrays([one.filter(pc.is_in(other, kept)) for one, other in sides])
    stays = pc.is_in(pa.arange(0, count), value_set=pa.concat_arrays([kept, covered]))
    return count - int(pc.sum(stays).as_py())
