"""Hostile files of every kind that ilk reads, made from a seed and never stored."""

from __future__ import annotations

import gzip
import io
import json
import random
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from ilk.store import Store
from tests.support import archives, samples
from tests.support import hostile_documents as hostile
from tests.support.damage import damaged

#: The end of a file's name, and its bytes.
Made = tuple[str, bytes]

_ROWS = [
    {"id": f"http://a.example/{at % 5}", "url": f"http://a.example/{at % 5}", "text": text}
    for at, text in enumerate([*samples.SENTENCES, *samples.SENTENCES])
]
_LINES = b"".join(json.dumps(row).encode() + b"\n" for row in _ROWS)
_CSV = b"id,url,text\n" + b"".join(
    f'{row["id"]},{row["url"]},"{row["text"]}"\n'.encode() for row in _ROWS
)


def _parquet() -> bytes:
    out = io.BytesIO()
    pq.write_table(pa.Table.from_pylist(_ROWS), out)
    return out.getvalue()


def _store(exact: bool) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "s.ilk")
        with Store(path, texts=True, exact=exact, jobs=1) as store:
            store.add_many([" ".join(samples.SENTENCES), *samples.SENTENCES])
        return path.read_bytes()


#: Whole files, which are then damaged.
WHOLE: Mapping[str, bytes] = {
    ".jsonl": _LINES,
    ".json": json.dumps(_ROWS).encode(),
    ".csv": _CSV,
    ".tsv": _CSV.replace(b",", b"\t"),
    ".parquet": _parquet(),
    ".jsonl.gz": gzip.compress(_LINES, mtime=0),
    ".csv.zst": archives.CODECS[".zst"](_CSV),
    ".warc": archives.framed(archives.crawl(), ""),
    ".warc.gz": archives.framed(archives.crawl(), ".gz"),
    ".html": samples.page().encode(),
}
_STORES = {exact: _store(exact) for exact in (False, True)}


def document(draw: random.Random) -> Made:
    """A damaged document, mostly under its own name."""
    extension = draw.choice(list(samples.SAMPLES))
    content = samples.SAMPLES[extension]()
    if draw.random() < 0.2:
        extension = draw.choice(list(samples.SAMPLES))
    return extension, damaged(content, draw)


def rows(draw: random.Random) -> Made:
    """A damaged file of rows, or an archive of the web, or a page."""
    extension = draw.choice(list(WHOLE))
    content = damaged(WHOLE[extension], draw)
    return (draw.choice(list(WHOLE)) if draw.random() < 0.1 else extension), content


def odd_rows(draw: random.Random) -> Made:
    """A file of rows that is odd in itself."""
    deep = draw.choice((100, 200_000))
    lines = [
        b'{"text": ' + b"[" * deep + b"]" * deep + b"}",
        b'{"text": "\\ud800 lone"}',
        b'{"text": 1e999999, "id": -0.0}',
        b'{"text": "a", "text": "b", "id": null}',
        b'{"text": "' + b"x" * draw.choice((10, 3_000_000)) + b'"}',
        b'{"text": "\\u0000' + "\U0010ffff".encode() + b'"}',
        b"\xff\xfe\x00{}",
        b"[" * deep,
        b'"' * 99_999,
        b"\0" * draw.choice((1, 100_000)),
        b'{"id": "' + b"i" * 100_000 + b'", "url": "' + b"http://[" * 999 + b'"}',
    ]
    ends = draw.choice((b"\n", b"\r", b"\r\n", b"\n\n\0\n"))
    chosen = draw.sample(lines, draw.randrange(1, len(lines)))
    return draw.choice((".jsonl", ".json", ".csv", ".tsv")), ends.join(chosen)


def page(draw: random.Random) -> Made:
    """A page whose tags, attributes or comments have no end."""
    count = draw.choice((10, 1_000, 200_000))
    pieces = ("<div>", "<meta a", "<!--", "&amp", "<![CDATA[", " a='b'", "<title>", "<a href=x ")
    head = draw.choice(("", "<html><head>", "<meta ", "<!DOCTYPE html><body>"))
    return ".html", (head + draw.choice(pieces) * count).encode()


def text(draw: random.Random) -> Made:
    """A text of one kind of character, or of none that is a text."""
    kinds = ("a", "a ", "\u0301", "\ufdfa", "\u202e", "漢", "\u1100\u1161", "\ufeff", "7 ", "\n")
    length = draw.choice((1, 1_000, 300_000))
    made = (draw.choice(kinds) * length).encode()
    encoded = draw.choice(("utf-8", "utf-16", "utf-32-be", "shift_jis"))
    if encoded != "utf-8":
        made = made.decode().encode(encoded, "ignore")
    return draw.choice((".txt", ".md", "")), draw.choice((made, draw.randbytes(length), b""))


def bomb(draw: random.Random) -> Made:
    """A file that unpacks to more than it has."""
    size = draw.choice((100_000, 20_000_000))
    made: dict[str, Callable[[], bytes]] = {
        ".gz": lambda: hostile.gzip_bomb(size),
        ".zip": lambda: hostile.zip_of_zips(draw.randrange(1, 12), 2, size // 100),
        ".docx": lambda: hostile.docx_bomb(size),
        ".pdf": lambda: hostile.pdf_bomb(size),
        ".xlsx": hostile.far_cell,
        ".jsonl.gz": lambda: gzip.compress(_LINES + b'{"text": "' + b"a " * (size // 2), 9),
        ".tar": lambda: samples.tarred({"../../up": b"x", "/etc/passwd": b"y", "a" * 300: b"z"}),
        ".warc": lambda: b"WARC/1.1\n" * (size // 500),
        ".warc.gz": lambda: gzip.compress(b"WARC/1.1\r\n\r\n", mtime=0) * (size // 5_000),
    }
    extension = draw.choice(list(made))
    return extension, made[extension]()


def store(draw: random.Random) -> Made:
    """A damaged store."""
    return ".ilk", damaged(_STORES[draw.random() < 0.5], draw)


def settings(draw: random.Random) -> Made:
    """What commands follow: plans, labels, calibrations, lists, damaged or of nonsense."""
    plan = {"cluster": 0, "keeper": "a.txt", "members": [{"source": "b.txt", "verdict": "near"}]}
    whole = [
        json.dumps({"ilk_plan": 1, **plan}).encode() + b"\n",
        json.dumps({"format": "ilk-calibration/1", "recipe": "minhash64", "radius": -1}).encode(),
        b"a.txt\tb.txt\t1\n" * 3,
        b"\0".join([b"a.txt", b"/dev/zero", b"", b"\xff" * 5_000]),
        b"{" * 100_000,
    ]
    chosen = draw.choice(whole)
    return ".ilk-calibration.json", draw.choice((chosen, damaged(chosen, draw)))


#: Generators by the kind of what they make.
KINDS: Mapping[str, Callable[[random.Random], Made]] = {
    one.__name__: one for one in (document, rows, odd_rows, page, text, bomb, store, settings)
}
