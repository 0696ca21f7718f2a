"""WACZ files that tests make: archives in a ZIP, with an index, pages and digests."""

from __future__ import annotations

import gzip
import hashlib
import json
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from tests.support.archives import DATE

#: A list of pages begins with it.
PAGES_HEAD = {"format": "json-pages-1.0", "id": "pages", "title": "All Pages"}


def json_lines(values: Sequence[Any]) -> bytes:
    """Values, one a line."""
    return b"".join(json.dumps(value).encode() + b"\n" for value in values)


def index_line(url: str, archive: str, offset: int) -> bytes:
    """A line of an index."""
    said = {"url": url, "mime": "text/html", "offset": str(offset), "filename": archive}
    return f"org,a)/ 20200102030405 {json.dumps(said)}\n".encode()


def write_wacz(
    path: Path,
    archives: Mapping[str, Sequence[bytes]],
    titles: Mapping[str, str] | None = None,
    *,
    packing: int = zipfile.ZIP_STORED,
    more: Mapping[str, bytes] | None = None,
    described: Mapping[str, Any] | None = None,
) -> Path:
    """Write a WACZ of records by the name of their archive, as recorders do, and return its path.

    Args:
        path: where.
        archives: per name in ``archive/``, its frames.
        titles: of pages, by address.
        packing: how the archives are in the ZIP.
        more: further files, or others instead of those that are made.
        described: per name, what the description says of a file instead of what is true.
    """
    files = {f"archive/{name}": b"".join(frames) for name, frames in archives.items()}
    index = b""
    for name, frames in archives.items():
        for number in range(len(frames)):
            offset = sum(map(len, frames[:number]))
            index += index_line("http://a.org/", name, offset)
    pages = [{"url": url, "ts": DATE, "title": title} for url, title in (titles or {}).items()]
    files["pages/pages.jsonl"] = json_lines([PAGES_HEAD, *pages])
    files["indexes/index.cdx.gz"] = gzip.compress(index, mtime=0)
    true = dict(files)
    files |= more or {}
    resources = [
        {
            "name": name.rpartition("/")[2],
            "path": name,
            "bytes": len(content),
            "hash": f"sha256:{hashlib.sha256(content).hexdigest()}",
            **(described or {}).get(name, {}),
        }
        for name, content in (true | files).items()
        if name not in ("datapackage.json", "datapackage-digest.json")
    ]
    package = json.dumps(
        {"profile": "data-package", "wacz_version": "1.1.1", "resources": resources}
    ).encode()
    digest = f"sha256:{hashlib.sha256(package).hexdigest()}"
    files = {
        "datapackage.json": package,
        "datapackage-digest.json": json.dumps(
            {"path": "datapackage.json", "hash": digest}
        ).encode(),
        **files,
    }
    with zipfile.ZipFile(path, "w") as out:
        for name, content in files.items():
            out.writestr(name, content, packing if name.startswith("archive/") else None)
    return path
