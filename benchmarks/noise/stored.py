"""What a store made with noise costs: bytes a document, and time to add and to ask.

Documents are of the corpus of the other benchmarks; noisy copies of some are asked about.
"""

from __future__ import annotations

import random
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import ilk
from benchmarks import corpus, kept
from benchmarks.rows import Row
from ilk_papers.measure.noising import make_noisy

#: What figures are about.
_ABOUT = "a store made with noise"

#: Documents, and how many of them are asked about.
DOCUMENTS, ASKED = 3_000, 200

#: Settings of a store, by what they are called.
STORES: dict[str, dict[str, Any]] = {
    "plain": {},
    "with texts": {"texts": True},
    "noise=2%": {"noise": "2%"},
    "noise=5%": {"noise": "5%"},
    "noise=10%": {"noise": "10%"},
}


def rows() -> Iterator[Row]:
    """Yield the figures of every kind of store."""
    texts = random.Random(28).sample(corpus.distinct().texts.to_pylist(), DOCUMENTS)
    copies = [make_noisy(text, 0.03, at) for at, text in enumerate(texts[:ASKED])]
    for name, options in STORES.items():
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "s.ilk")
            begin = time.process_time()
            with ilk.Store(path, jobs=1, **options) as store:
                store.add_many(texts)
            yield Row(
                f"{name}: add", 1e3 * (time.process_time() - begin) / DOCUMENTS, "CPU-ms each"
            )
            yield Row(f"{_ABOUT}: {name}, file", path.stat().st_size / DOCUMENTS, "bytes each")
            begin = time.process_time()
            with ilk.Store(path, create=False, jobs=1) as store:
                store.check(copies[0])
                yield Row(f"{_ABOUT}: {name}, open", time.process_time() - begin, "CPU-s")
                begin = time.process_time()
                found = sum(
                    any(match.id == at for match in store.check(copy))
                    for at, copy in enumerate(copies)
                )
                yield Row(
                    f"{_ABOUT}: {name}, check",
                    1e3 * (time.process_time() - begin) / ASKED,
                    "CPU-ms",
                )
                yield Row(
                    f"{_ABOUT}: {name}, memory",
                    store.stats()["index_bytes"] / DOCUMENTS,
                    "bytes each",
                )
            yield Row(f"{_ABOUT}: {name}, found at 3 %", found / ASKED, "")


if __name__ == "__main__":
    kept.shown(rows(), "noise-stored-")
