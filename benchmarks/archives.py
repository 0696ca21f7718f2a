"""The captures of an archive, against FastWARC and warcio, which give records and no more.

CPU seconds, file warm. All three read every record to its end; ilk also checks what stands behind
it, undoes its encodings, compares the digest of its payload, tells its charset, and keeps its text.
"""

from __future__ import annotations

import base64
import gzip
import hashlib
import tempfile
from collections.abc import Callable
from importlib import import_module
from pathlib import Path

import pyarrow.compute as pc

from benchmarks import corpus, timing
from benchmarks.rows import Row, WrongAnswerError
from ilk.read.rows.opening import open_rows

#: Texts in the archive, and how many of them make a page: what a record costs, and what its bytes.
_TEXTS = 10_000
_TOGETHER = (1, 10)

#: One in this many captures is kept.
_EVERY = 2

_HEAD = (
    "WARC/1.1\r\nWARC-Type: response\r\nWARC-Record-ID: <urn:uuid:{at:032x}>\r\n"
    "WARC-Date: 2020-01-02T03:04:05Z\r\nWARC-Target-URI: https://example.org/{at}\r\n"
    "WARC-Payload-Digest: sha1:{digest}\r\nContent-Type: application/http; msgtype=response\r\n"
    "Content-Length: {length}\r\n\r\n"
)
_ANSWER = b"HTTP/1.1 200 OK\r\nContent-Type: text/plain; charset=utf-8\r\n\r\n"


def run() -> list[Row]:
    """MB of payload per CPU second, read and copied."""
    texts = corpus.load()
    # A byte order mark is no text.
    parts = pc.utf8_ltrim(texts.texts[:_TEXTS], "\ufeff").to_pylist()
    return [row for together in _TOGETHER for row in _measured(texts.name, parts, together)]


def _measured(name: str, parts: list[str], together: int) -> list[Row]:
    """An archive whose pages are this many texts each."""
    pages = ["\n".join(parts[at : at + together]).encode() for at in range(0, len(parts), together)]
    size = sum(map(len, pages))
    with tempfile.TemporaryDirectory() as folder:
        path, out = Path(folder, "crawl.warc.gz"), Path(folder, "kept.warc.gz")
        _write(pages, path)
        ways = {"ilk": _by_ilk, "FastWARC": _by_fastwarc, "warcio": _by_warcio}
        tasks = {way: _checked(way, read, path, size) for way, read in ways.items()}
        data_set = open_rows(path)
        kept = range(0, data_set.count_rows(), _EVERY)
        tasks["copy"] = lambda: timing.cpu(lambda: data_set.write(kept, out, force=True))
        seconds = timing.medians(tasks)
    speed = {way: size / 1e6 / cost for way, cost in seconds.items()}
    title = f"archives: {len(pages):,} pages of {size / 1e3 / len(pages):.0f} kB, {name}"
    found = [
        Row(title, speed["ilk"], "MB/CPU-s", speed["ilk"] / speed[way], way)
        for way in ("FastWARC", "warcio")
    ]
    copied = seconds["copy"] / seconds["ilk"]
    name = f"{title}: one capture of {_EVERY} copied"
    return [*found, Row(name, seconds["copy"], "CPU-s", copied, "reading all captures")]


def _write(pages: list[bytes], path: Path) -> None:
    with path.open("wb") as out:
        for at, payload in enumerate(pages):
            sha1 = hashlib.sha1(payload, usedforsecurity=False).digest()
            length = len(_ANSWER) + len(payload)
            head = _HEAD.format(at=at, digest=base64.b32encode(sha1).decode(), length=length)
            record = head.encode() + _ANSWER + payload + b"\r\n\r\n"
            out.write(gzip.compress(record, mtime=0))


def _checked(name: str, way: Callable[[Path], int], path: Path, size: int) -> Callable[[], float]:
    def task() -> None:
        if found := way(path) - size:
            raise WrongAnswerError(f"{name} read {found:+,} bytes of payload more than there are.")

    return lambda: timing.cpu(task)


def _by_ilk(path: Path) -> int:
    lengths = (pc.sum(pc.binary_length(b["text"])).as_py() for b in open_rows(path).batches())
    return sum(lengths)


def _by_fastwarc(path: Path) -> int:
    read = import_module("fastwarc.warc").ArchiveIterator(str(path), fsspec_args=False)
    return sum(len(record.reader.read()) for record in read)


def _by_warcio(path: Path) -> int:
    iterator = import_module("warcio.archiveiterator").ArchiveIterator
    with path.open("rb") as file:
        return sum(len(record.content_stream().read()) for record in iterator(file))
