"""Temporary."""

from pathlib import Path

import pyarrow as pa

from ilk.columns import DOCUMENTS
from ilk.fingerprints.digest import bytes_digests


def read_folders(paths, *, include=(), exclude=(), convert={}, tally, progress=None, **k):
    files = []
    for p in paths:
        p = Path(p)
        files += [p] if p.is_file() else sorted(f for f in p.rglob("*") if f.is_file())
    data = [f.read_bytes() for f in files]
    texts = []
    for d in data:
        try:
            texts.append(d.decode("utf-8-sig"))
        except UnicodeDecodeError:
            texts.append(d.decode("cp1252", "replace"))
    tally.documents += len(files)
    n = len(files)
    yield pa.record_batch(
        [
            pa.array(range(n)),
            pa.array([str(f) for f in files]),
            pa.nulls(n, pa.string()),
            pa.array(texts, pa.large_string()),
            bytes_digests(data),
            pa.array([len(d) for d in data]),
            pa.nulls(n, pa.timestamp("us", tz="UTC")),
        ],
        schema=DOCUMENTS,
    )
