"""What other packages answer, run in an environment of their own.

``python -m benchmarks.peers`` makes the environment; benchmarks that compare skip without it, and
say so.
"""

from __future__ import annotations

import json
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.feather as feather

from benchmarks import timing

ENVIRONMENT = Path(__file__).with_name(".venv")
REQUIREMENTS = Path(__file__).with_name("requirements.txt")

_SCRIPT = Path(__file__).with_name("answer.py")
_DOCUMENTED_SCRIPT = Path(__file__).with_name("documented.py")
_NEAR = Path(__file__).with_name("near.py")
_WHOLE = Path(__file__).with_name("whole.py")

#: Packages by the name that ``answer.py`` knows them by.
NAMES = ("SetSimilaritySearch", "datasketch", "gaoya")

#: Ways of packages by the name that ``documented.py`` knows them by.
DOCUMENTED = (
    "gaoya MinHash",
    "gaoya SimHash",
    "datasketch MinHash LSH",
    "text-dedup MinHash",
    "text-dedup SimHash",
)

#: Packages by the name that ``near.py`` knows them by.
NEAR_NAMES = ("hammingbird", "FAISS", "simhash-pybind", "DuckDB")


@dataclass(frozen=True, slots=True)
class Answer:
    """What a package found, and the CPU seconds it took from what it was given to the pairs."""

    pairs: pa.Table
    cpu: float


def missing() -> str | None:
    """Why there is nobody to compare with, or None where the environment is there."""
    if (ENVIRONMENT / "bin" / "python").is_file():
        return None
    return (
        f"there is no {ENVIRONMENT.name} in {_SCRIPT.parent.name}/: run python -m benchmarks.peers"
    )


def answer(name: str, texts: pa.Array, sets: pa.Array, resemblance: float) -> Answer:
    """The pairs (``left < right``, sorted) that a package finds at a resemblance.

    Args:
        name: one of ``NAMES``.
        texts: n texts, for packages that cut shingles themselves.
        sets: the n sets of shingles, for the others, and to verify on.
        resemblance: the threshold.
    """
    return _told(_SCRIPT, (name, str(resemblance)), pa.table({"text": texts, "set": sets}))


def near(name: str, fingerprints: pa.Array, radius: int) -> Answer:
    """The pairs (``left < right``, sorted) that a package finds within a radius.

    Args:
        name: one of ``NEAR_NAMES``.
        fingerprints: n distinct fingerprints of 64 bits, ascending.
        radius: in bits.
    """
    return _told(_NEAR, (name, str(radius)), pa.table({"fingerprint": fingerprints}))


def whole(source: Path) -> tuple[timing.Cost, int]:
    """What Daft uses to deduplicate a file of JSON lines, and how many rows it keeps."""
    with tempfile.TemporaryDirectory() as folder:
        cost = timing.command([ENVIRONMENT / "bin" / "python", _WHOLE, source, Path(folder, "out")])
        return cost, sum(path.read_bytes().count(b"\n") for path in Path(folder, "out").iterdir())


def _told(script: Path, question: tuple[str, ...], table: pa.Table) -> Answer:
    """The answer of a script to a question about a table."""
    with tempfile.TemporaryDirectory() as folder:
        asked, found = Path(folder, "asked"), Path(folder, "found")
        feather.write_feather(table, asked, "uncompressed")
        python: str | Path = ENVIRONMENT / "bin" / "python"
        arguments = [python, script, *question, asked, found]
        done = subprocess.run(arguments, check=True, stdout=subprocess.PIPE)
        return Answer(feather.read_table(found), json.loads(done.stdout)["cpu"])


def documented_pairs(name: str, texts: pa.Array, resemblance: float, words: int) -> pa.Table:
    """The pairs (``left < right``, sorted) that a package takes to be near-duplicates.

    Args:
        name: one of ``DOCUMENTED``.
        texts: n texts.
        resemblance: the threshold, for packages that have one.
        words: per shingle, for packages that ask for it.
    """
    question = {"resemblance": str(resemblance), "words": str(words)}
    return _documented(name, pa.table({"text": texts}).replace_schema_metadata(question))


def documented_prints(name: str, texts: pa.Array) -> np.ndarray[Any, np.dtype[np.uint32]]:
    """For n texts the k numbers of a package's fingerprints: bits, or hashes of 32 bits.

    Args:
        name: one of ``DOCUMENTED``.
        texts: n texts.
    """
    column = _documented(name, pa.table({"text": texts})).column("print").combine_chunks()
    return np.asarray(column.flatten()).reshape(len(texts), -1)


def _documented(name: str, asked: pa.Table) -> pa.Table:
    with tempfile.TemporaryDirectory() as folder:
        question, found = Path(folder, "asked"), Path(folder, "found")
        feather.write_feather(asked, question, "uncompressed")
        python: str | Path = ENVIRONMENT / "bin" / "python"
        command = [python, _DOCUMENTED_SCRIPT, name, question, found]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode:
            raise SystemExit(f"{name} ended with {done.returncode}: {done.stderr.strip()}")
        return feather.read_table(found, memory_map=False)
