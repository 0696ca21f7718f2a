"""Fingerprints that other packages make, in an environment of their own.

It is not that of the other questions, since two packages there are called ``simhash``.
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

ENVIRONMENT = Path(__file__).with_name(".venv")
REQUIREMENTS = Path(__file__).with_name("requirements.txt")

_SCRIPT = Path(__file__).with_name("answer.py")

#: Ways of packages by the name that ``answer.py`` knows them by.
NAMES = (
    "rensa MinHash",
    "gaoya MinHash",
    "datasketch MinHash",
    "gaoya SimHash",
    "simhash",
    "ClickHouse SimHash",
)


@dataclass(frozen=True, slots=True)
class Prints:
    """For n texts k numbers each, and the CPU seconds from ``str`` to them."""

    numbers: np.ndarray[Any, Any]
    cpu: float


def missing() -> str | None:
    """Why there is nobody to compare with, or None where the environment is there."""
    if (ENVIRONMENT / "bin" / "python").is_file():
        return None
    return f"there is no {ENVIRONMENT.name} in peers/prints/: run python -m benchmarks.peers"


def prints(name: str, texts: pa.Array) -> Prints:
    """The fingerprints of a package: numbers; similar texts have many in common.

    Args:
        name: one of ``NAMES``.
        texts: n texts.
    """
    with tempfile.TemporaryDirectory() as folder:
        asked, found = Path(folder, "asked"), Path(folder, "found")
        feather.write_feather(pa.table({"text": texts}), asked, "uncompressed")
        python: str | Path = ENVIRONMENT / "bin" / "python"
        done = subprocess.run([python, _SCRIPT, name, asked, found], check=True, stdout=-1)
        numbers = feather.read_table(found, memory_map=False).column("print").combine_chunks()
        shaped = np.asarray(numbers.flatten()).reshape(len(texts), -1)
        return Prints(shaped, json.loads(done.stdout)["cpu"])
