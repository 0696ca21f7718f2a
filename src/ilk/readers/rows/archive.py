"""Archives of the web: a row is a capture, a page or anything else that was fetched once.

The first pass makes the texts, and keeps them in a file; what else is known of a capture, some
hundred bytes, is held in memory. Further passes read what was kept, so that no text is made twice.
Captures that are kept are copied from the archive itself.
"""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import IO, Any, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from ilk.readers.pages.extraction import Pages, ahead, extracting
from ilk.readers.rows.archive_writers import Kept, writer
from ilk.readers.rows.chosen import Chosen, everything
from ilk.readers.rows.kinds import ARC, archive_kind
from ilk.readers.rows.schemas import filtered, place, places, value
from ilk.readers.rows.signature import Signature, Stamp
from ilk.readers.rows.sources import (
    Counts,
    Kind,
    Names,
    Part,
    Rejected,
    Source,
    Tell,
    Values,
    Writer,
)
from ilk.readers.warc import captures, cutting, forms
from ilk.readers.warc.captures import Capture
from ilk.readers.warc.crawl import Crawl
from ilk.readers.warc.cutting import Damage, Record
from ilk.readers.warc.entries import Entries, Entry
from ilk.readers.warc.forms import Form
from ilk.readers.warc.heads import Head

#: What is known of a capture, and its text.
SCHEMA = pa.schema(
    [
        pa.field("id", pa.string()),
        pa.field("url", pa.string()),
        pa.field("date", pa.timestamp("us", "UTC")),
        pa.field("content_type", pa.string()),
        pa.field("status", pa.int32()),
        pa.field("digest", pa.string()),
        pa.field("title", pa.string()),
        pa.field("link", pa.string()),
        pa.field("language", pa.string()),
        pa.field("published", pa.string()),
        pa.field("offset", pa.int64()),
        pa.field("text", pa.large_string()),
    ]
)

_TEXT = "text"
_KNOWN = SCHEMA.remove(SCHEMA.get_field_index(_TEXT))

#: Captures, and bytes of their texts, that make a batch.
_BATCH, _BATCH_BYTES = 4096, 4 << 20


class _Piece(NamedTuple):
    """Captures that follow one another: the number of the first, and what is known of them."""

    first: int
    known: pa.RecordBatch


class ArchiveRows:
    """The captures of an archive. A ``Source``."""

    def __init__(
        self, name: str, path: str, form: Form, names: Names, crawl: Crawl[Source]
    ) -> None:
        """Read nothing yet.

        Raises:
            OSError: there is no such file.
            ColumnTypeError: captures have no column of such a name.
        """
        self.name, self.form = name, form.name
        self.failure: str | None = None
        self._path, self._kind, self._crawl = path, form, crawl
        self._places = places(name, SCHEMA, names)
        self._wanted = sorted({*self._places.paths(), "id"})
        self._stamp = Stamp(name, path)
        self.size = self._stamp.size
        self._begin()

    def _begin(self) -> None:
        """Know nothing: of no captures, of nothing that is wrong, of no revisits."""
        self._first = 0
        self.counts, self._entries = Counts(), Entries()
        self._pieces: list[_Piece] = []
        self._wrong: list[Damage] = []
        self._copies: list[tuple[int, int]] = []
        self._complete = False

    def read(self, tell: Tell) -> Iterator[Part]:
        """Every capture."""
        if self._complete:
            yield from self.again(everything, tell)
            return
        self._stamp.check()
        self._begin()
        self._first = self._crawl.enter(self)
        held: list[dict[str, Any]] = []
        size = 0
        pages, jobs = self._crawl.pages, self._crawl.jobs
        with extracting(pages, jobs) as threads:
            cut = cutting.records(self._path, self._kind, _is_capture, tell)
            begun = (_begun(found, pages, threads) for found in cut)
            for found, capture in ahead(begun, 2 * jobs if threads else 0):
                if isinstance(found, Damage):
                    self._wrong.append(found)
                    self.counts.rejected += 1
                elif capture is not None:
                    held.append(self._taken(found, capture.result()))
                    size += self._crawl.size(len(self._crawl) - 1)
                else:
                    self._entries.add(found, None)
                if len(held) == _BATCH or size > _BATCH_BYTES:
                    yield self._part(held)
                    held, size = [], 0
        if held:
            yield self._part(held)
        self._entries.close()
        self._complete = True

    def _taken(self, record: Record, capture: Capture) -> dict[str, Any]:
        """What is known of a capture; its text is kept, and what is wrong with it noted."""
        row, offset = len(self._crawl) - self._first, record.place.frame
        self._entries.add(record, row)
        problems, known_by = list(capture.problems), captures.known_by(record.head, capture)
        if record.head.kind == "revisit":
            original = self._crawl.original(captures.refers(record.head))
            if original is None:
                problems.append("revisits what was not read before it, so its text is not known")
                self._crawl.add(None, ())
            else:
                self._copies.append((row, original))
                self._crawl.repeat(original, known_by)
        else:
            self._crawl.add(capture.text, known_by)
        self._wrong += [Damage(offset, f"{capture.id}: {problem}") for problem in problems]
        self.counts.replaced += capture.replaced
        return {
            "id": capture.id,
            "url": capture.url,
            "date": capture.time,
            "content_type": capture.content_type,
            "status": capture.status,
            "digest": capture.digest,
            "title": capture.page.title,
            "link": capture.page.link,
            "language": capture.page.language,
            "published": capture.page.date,
            "offset": offset,
        }

    def _part(self, held: list[dict[str, Any]]) -> Part:
        """Captures that were just taken; what is known of them is kept."""
        piece = _Piece(self.counts.rows, pa.RecordBatch.from_pylist(held, _KNOWN))
        self._pieces.append(piece)
        rows = pa.arange(piece.first, piece.first + len(held))
        part = self._places.part(rows, self._columns(self._wanted, rows, piece.known))
        self.counts.add(Kind.NULL, part.texts.null_count)
        self.counts.add(Kind.STRING, len(rows) - part.texts.null_count)
        return part._replace(labels=piece.known["id"])

    def again(self, chosen: Chosen, tell: Tell) -> Iterator[Part]:
        """The chosen captures."""
        for rows, batch in self.rows(chosen, tell, self._wanted):
            yield self._places.part(rows, batch)._replace(labels=batch["id"])

    def column(self, name: str, tell: Tell) -> Iterator[Values]:
        """Another column, of the type that it has."""
        steps = place(self.name, SCHEMA, name)
        for _, batch in self.rows(everything, tell, list(steps)):
            yield Values(value(batch, steps), None)

    def rows(
        self, chosen: Chosen, tell: Tell, names: list[str]
    ) -> Iterator[tuple[pa.Int64Array, pa.RecordBatch]]:
        """The chosen captures with these columns, and their numbers."""
        self._stamp.check()
        for piece in self._pieces:
            mask = chosen(piece.first, len(piece.known))
            if mask is not None:
                rows = pc.add(pc.indices_nonzero(mask).cast(pa.int64()), piece.first)
                yield rows, self._columns(names, rows, filtered(piece.known, mask))
        tell(self.size)

    def _columns(
        self, names: list[str], rows: pa.Int64Array, known: pa.RecordBatch
    ) -> pa.RecordBatch:
        """What is known of some captures, with their texts if those are wanted."""
        if _TEXT in names:
            texts = [self._crawl.text(self._first + row) for row in rows.to_pylist()]
            known = known.append_column(SCHEMA.field(_TEXT), pa.array(texts, pa.large_string()))
        return known.select(names)

    def kept(self, chosen: Chosen, tell: Tell, notes: pa.Table | None = None) -> Iterator[Kept]:
        """The chosen captures, to be copied as records or written as rows."""
        yield Kept(
            self.name,
            lambda: self.rows(chosen, tell, SCHEMA.names),
            lambda copier: copier.copy(self._path, self._kind, self._chosen(chosen)),
            notes,
        )

    def _chosen(self, chosen: Chosen) -> Iterator[Entry]:
        """The records of the chosen captures, and what belongs to them or to none."""
        self._stamp.check()
        mask = chosen(0, self.counts.rows)
        keeps = [False] * self.counts.rows if mask is None else mask.to_pylist()
        return self._entries.kept(keeps)

    def writer(self, out: IO[bytes], name: str, notes: pa.Schema | None = None) -> Writer:
        """What writes records, or rows if the name says so."""
        return writer(out, name, SCHEMA, notes)

    def rejected(self) -> Iterator[Rejected]:
        """What is damaged, and what is wrong with captures, by the offset of the record."""
        for offset, reason in self._wrong:
            yield Rejected(self.name, offset, reason, b"", "offset")

    def references(self) -> Iterator[tuple[int, Source, int]]:
        """Revisits: their rows, and source and row of what they revisit."""
        for row, original in self._copies:
            yield (row, *self._crawl.where(original))

    def unlike(self, other: Source) -> str | None:
        """Captures fit behind captures."""
        del other
        return None

    def signature(self) -> Signature:
        """Size, last change, and a digest of the file's bytes."""
        return self._stamp.signature()


def _is_capture(head: Head) -> bool:
    return head.kind in captures.KINDS


def _begun(
    found: Record | Damage, pages: Pages, threads: ThreadPoolExecutor | None
) -> tuple[Record | Damage, Future[Capture] | None]:
    """What was cut, and if it is a capture, what becomes known of it."""
    if isinstance(found, Damage) or not _is_capture(found.head):
        return found, None
    if threads is not None:
        return found, threads.submit(captures.captured, found, pages)
    capture = Future[Capture]()
    capture.set_result(captures.captured(found, pages))
    return found, capture


def archive(name: str, path: str, names: Names, crawl: Crawl[Source]) -> ArchiveRows:
    """The captures of an archive: WARC or ARC, as its first bytes say, or else its name.

    Raises:
        OSError: it cannot be opened.
        ColumnTypeError: captures have no column of such a name.
    """
    named = forms.ARC if archive_kind(path) in ARC else forms.WARC
    return ArchiveRows(name, path, forms.form(path) or named, names, crawl)
