"""Archives of the web that tests make, record by record."""

from __future__ import annotations

import base64
import gzip
import hashlib
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pyarrow as pa

from ilk.base.run_options import Running
from ilk.read import Reading
from ilk.read.rows.dataset import DataSet
from ilk.read.rows.opening import open_rows

DATE = "2020-01-02T03:04:05Z"

#: How records are put into files, by the end of their names.
CODECS: dict[str, Callable[[bytes], bytes]] = {
    "": lambda content: content,
    ".gz": lambda content: gzip.compress(content, mtime=0),
    ".zst": lambda content: bytes(pa.compress(content, "zstd", asbytes=True)),
    ".lz4": lambda content: bytes(pa.compress(content, "lz4", asbytes=True)),
}


def record(kind: str, body: bytes, *, length: int | str | None = None, **fields: str) -> bytes:
    """A record of WARC; ``length`` tells a lie. Names of fields have _ in the place of -."""
    lines = {"WARC-Type": kind, "WARC-Date": DATE}
    lines |= {name.replace("_", "-"): value for name, value in fields.items()}
    lines["Content-Length"] = str(len(body) if length is None else length)
    head = "".join(f"{name}: {value}\r\n" for name, value in lines.items() if value)
    return b"WARC/1.1\r\n" + head.encode() + b"\r\n" + body + b"\r\n\r\n"


def answer(payload: bytes, status: str = "200 OK", **fields: str) -> bytes:
    """An answer over HTTP."""
    lines = {"Content-Type": "text/html", **{k.replace("_", "-"): v for k, v in fields.items()}}
    head = "".join(f"{name}: {value}\r\n" for name, value in lines.items() if value)
    return f"HTTP/1.1 {status}\r\n{head}\r\n".encode() + payload


def sha1(payload: bytes) -> str:
    """The digest of a payload as recorders write it."""
    return "sha1:" + base64.b32encode(hashlib.sha1(payload).digest()).decode()


def response(url: str, payload: bytes, date: str = DATE, **http: str) -> bytes:
    """An answer that was recorded, with the digest of its payload and an id of its own."""
    return record(
        "response",
        answer(payload, **http),
        WARC_Record_ID=f"<id:{url}:{date}>",
        WARC_Target_URI=url,
        WARC_Date=date,
        WARC_Payload_Digest=sha1(payload),
        Content_Type="application/http; msgtype=response",
    )


def request(url: str, to: str, date: str = DATE) -> bytes:
    """The request of an answer."""
    return record(
        "request",
        b"GET / HTTP/1.1\r\n\r\n",
        WARC_Target_URI=url,
        WARC_Concurrent_To=f"<id:{to}:{date}>",
        Content_Type="application/http; msgtype=request",
    )


def framed(records: Iterable[bytes], codec: str) -> bytes:
    """Records, each in a frame of its own."""
    return b"".join(CODECS[codec](each) for each in records)


def page(*words: str, count: int = 60) -> bytes:
    """A page of words that hardly any other has."""
    text = " ".join(f"{word}{number}" for word in words for number in range(count))
    return f"<!DOCTYPE html><html><body><p>{text}</p></body></html>".encode()


LATER = "2021-01-02T03:04:05Z"


PAGES = {
    "http://a.org/": page("alpha"),
    "http://a.org/b": page("beta"),
    "http://b.org/": page("alpha"),
}


def crawl() -> list[bytes]:
    """A note, three pages (two of them equal) with their requests, and an image."""
    parts = [record("warcinfo", b"software: a test", WARC_Record_ID="<id:note>")]
    for url, payload in PAGES.items():
        parts += [response(url, payload), request(url, url)]
    return [*parts, response("http://a.org/i", b"\x89PNG", Content_Type="image/png")]


def revisit(url: str, date: str = LATER, **fields: str) -> bytes:
    """That a page has not changed."""
    given = {"WARC_Target_URI": url, "WARC_Date": date, "Content_Type": "application/http"}
    return record("revisit", answer(b"", "304 Not Modified"), **given, **fields)


def opened(
    folder: Path, parts: list[bytes], name: str = "a.warc", jobs: int = 1, **options: Any
) -> DataSet:
    """The rows of an archive of these records."""
    path = folder / name
    path.write_bytes(framed(parts, path.suffix if path.suffix in CODECS else ""))
    return open_rows(path, Reading.of(**options), Running(jobs, 0))
