"""Rows whose texts are HTML pages, replaced by the extracted text."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from concurrent.futures import Future

import pyarrow as pa

from ilk import arrow
from ilk.fingerprints.digest import bytes_digests
from ilk.read.files.content import Unreadable
from ilk.read.pages.declared import declared
from ilk.read.pages.extraction import Pages, extracting
from ilk.read.tally import Tally

#: A page begins with a tag, a comment or a declaration; other texts stay as they are.
_BEGINS = re.compile(r"[\s\ufeff]*<(?:[A-Za-z][A-Za-z0-9-]*[\s/>]|!--|!doctype\b|\?xml\b)", re.I)


def read_pages(
    batches: Iterable[pa.RecordBatch], pages: Pages, jobs: int, tally: Tally
) -> Iterator[pa.RecordBatch]:
    """Yield the documents; pages with their extracted text, and what they declare.

    The digest of their bytes stays that of the page. A page without text keeps its row, without a
    text; the tally has the reason. ``jobs`` pages are extracted at a time.
    """
    with extracting(pages, jobs) as threads:
        for batch in batches:
            if threads is None:
                yield batch
                continue
            texts = batch["text"].to_pylist()
            begun = {
                at: threads.submit(pages.text, text.encode())
                for at, text in enumerate(texts)
                if text is not None and _BEGINS.match(text)
            }
            yield _with_texts(batch, texts, begun, tally) if begun else batch


def _with_texts(
    batch: pa.RecordBatch,
    texts: list[str | None],
    begun: dict[int, Future[bytes]],
    tally: Tally,
) -> pa.RecordBatch:
    said: list[dict[str, str | None] | None] = [None] * len(texts)
    for at, text in begun.items():
        html = texts[at] or ""
        try:
            texts[at] = text.result().decode()
            said[at] = declared(html.encode())._asdict()
        except Unreadable as error:
            texts[at] = None
            tally.fail(batch["source"][at].as_py(), str(error))
    changed = {
        "text": pa.array(texts, pa.large_string()),
        "bytes_digest": bytes_digests(arrow.texts(batch["text"])),
        "declared": pa.array(said, arrow.DECLARED),
    }
    arrays = [changed.get(name, batch[name]) for name in batch.schema.names]
    return pa.RecordBatch.from_arrays(arrays, schema=batch.schema)
