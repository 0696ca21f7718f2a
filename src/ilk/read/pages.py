"""Pages in HTML: which documents are pages, and their main text (``--extract``).

A registered reader extracts it (``ilk.formats``, as ``page``), in child processes.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import pyarrow as pa

from ilk import arrow
from ilk.base.errors import MissingExtra
from ilk.base.run_options import Running
from ilk.fingerprints.digest import bytes_digests
from ilk.read.files.content import Unreadable
from ilk.read.formats.child_pool import Child, open_threads
from ilk.read.formats.parts import Limits, TextPart
from ilk.read.formats.reader import FormatReader, start_child
from ilk.read.formats.table import Format
from ilk.read.reading import Reading
from ilk.read.report import ReadReport

#: The format of pages, and the package for each way of extraction except ``none``.
PAGE = Format("page", "a page", (".htm", ".html", ".xhtml"), extra="pages", takes=("extract",))
_PACKAGES = {"all": "resiliparse", "fast": "resiliparse", "quality": "trafilatura"}

#: For the extraction of a page, which is within the limits as a file: bytes of memory, and of text.
_LIMITS = Limits(memory=4 << 30, text=1 << 40)

#: A text in rows that is a page: it begins with a tag, a comment or a declaration.
_BEGINS = re.compile(r"[\s\ufeff]*<(?:[A-Za-z][A-Za-z0-9-]*[\s/>]|!--|!doctype\b|\?xml\b)", re.I)


class Pages(FormatReader):
    """An extractor of text from pages: one child process for every thread that uses it."""

    def __init__(
        self,
        extract: str,
        seconds_per_page: float,
        start: Callable[[Sequence[str]], Child] = start_child,
    ) -> None:
        """Start nothing yet; MissingExtra if a package is not installed.

        ``extract`` is the option, and ``start`` starts a child for it.
        """
        self._form = PAGE._replace(package=_PACKAGES.get(extract))
        if extract != "none" and (missing := self._form.missing_package_if_any):
            raise MissingExtra(missing, "pages")
        self._extract = extract
        task = "the extraction of its text"
        super().__init__(_LIMITS, seconds_per_page, task=task, start=start, extract=extract)

    def extracts_from(self, extension: str) -> bool:
        """Return whether text is extracted from files with this extension, such as ".html"."""
        return self._extract != "none" and extension in PAGE.extensions

    def extract_text(self, html: bytes) -> TextPart:
        """Return the text of a page in UTF-8, and what it declares; Unreadable with the reason."""
        (made,) = self.read_parts(self._form, html)
        assert isinstance(made, TextPart), "a page holds no others"
        return made


def extract_texts_of_pages(
    batches: Iterable[pa.RecordBatch], reading: Reading, running: Running, tally: ReadReport
) -> Iterator[pa.RecordBatch]:
    """Yield documents of rows; pages with their extracted text, and what they declare.

    The digest of their bytes stays that of the page. A page without text keeps its row, without a
    text; the tally has the reason.
    """
    pages = Pages(reading.extract, reading.convert_timeout)
    if not pages.extracts_from(".html"):
        yield from batches
        return
    with open_threads(running.jobs, pages.pool) as threads:
        for batch in batches:
            texts = batch["text"].to_pylist()
            pending = {
                at: threads.submit(pages.extract_text, text.encode())
                for at, text in enumerate(texts)
                if text is not None and _BEGINS.match(text)
            }
            declarations: list[dict[str, Any] | None] = [None] * len(texts)
            for at, made in pending.items():
                try:
                    texts[at], declarations[at] = (
                        made.result().data.decode(),
                        made.result().declared,
                    )
                except Unreadable as error:
                    texts[at] = None
                    tally.fail(batch["source"][at].as_py(), str(error))
            if pending:
                columns = {name: batch[name] for name in batch.schema.names} | {
                    "text": pa.array(texts, pa.large_string()),
                    "bytes_digest": bytes_digests(arrow.import_texts(batch["text"])),
                    "declared": pa.array(declarations, arrow.DECLARED),
                }
                batch = pa.RecordBatch.from_pydict(columns, schema=batch.schema)
            yield batch
