"""Web archives: a row is a capture, a page or anything else that was fetched once.

The first pass extracts the texts, and keeps them in a file; the other data of a capture, some
hundred bytes, is held in memory. Later passes read that file, so each text is extracted once.
Captures to keep are copied from the archive itself.
"""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from datetime import datetime
from functools import partial
from typing import IO, Any, NamedTuple, TypeAlias, TypeVar

import pyarrow as pa

from ilk.companions import (
    JSON_LINES,
    PARQUET,
    ArrowRows,
    BytesWriter,
    NumberedBatch,
    Pages,
    PartAndFaultCounts,
    Repeat,
    Revisit,
    Signature,
    SourceRow,
    choose_every_row,
    open_threads,
    split_codec_and_extension,
)
from ilk.plugins import (
    ColumnRequest,
    Counts,
    OptionError,
    Part,
    Rejected,
    RowChoice,
    Source,
    SourceDamaged,
    Stamp,
    TellBytesRead,
    Writer,
)
from ilk_web.pages import PageDeclarations
from ilk_web.warc import captures, cutting, forms
from ilk_web.warc.captures import Capture
from ilk_web.warc.copying import Copier, RecordCopies, read_record
from ilk_web.warc.crawl import Crawl
from ilk_web.warc.cutting import ArchiveRecord, Damage
from ilk_web.warc.entries import Entries
from ilk_web.warc.frames import MAGIC, ArchivePath, Frames, InnerFile, open_archive, size_in_bytes
from ilk_web.warc.heads import Head
from ilk_web.warc.revisits import Payload, make_revisit, payload_of_record_or_none

T = TypeVar("T")

#: The values of a capture in the columns of ``_KNOWN``.
CaptureRow: TypeAlias = tuple[Any, ...]

#: What is known of a capture, and its text.
SCHEMA = pa.schema(
    {
        "id": pa.string(),
        "url": pa.string(),
        "date": pa.timestamp("us", "UTC"),
        "content_type": pa.string(),
        "status": pa.int32(),
        "digest": pa.string(),
        **dict.fromkeys(("title", "link", "language", "published"), pa.string()),
        "offset": pa.int64(),
        "text": pa.large_string(),
    }
)

_KNOWN = SCHEMA.remove(SCHEMA.get_field_index("text"))

#: Captures, and bytes of their texts, per batch.
_BATCH, _BATCH_BYTES = 4096, 4 << 20


class StartedRecord(NamedTuple):
    """A record, and a function that waits for its capture; None if it is no capture."""

    record: ArchiveRecord | Damage
    wait_for_capture: Callable[[], Capture] | None


class ArchiveRows(ArrowRows):
    """The captures of an archive: WARC or ARC, by its first bytes, or else by its name."""

    tabular = False  # They are records.

    def __init__(
        self,
        name: str,
        path: str,
        *,
        request: ColumnRequest,
        crawl: Crawl[Source],
        inner: InnerFile | None = None,
    ) -> None:
        """Read the beginning, which shows the form.

        ``inner``: the archive, if it is inside the file at the path. ColumnTypeError: captures have
        no column of a name that the request has.
        """
        self._stamp = Stamp(name, path)
        self._path: ArchivePath = path if inner is None else inner
        super().__init__(name, size_in_bytes(self._path), SCHEMA, request)
        self._read_names = sorted({*self._read_names, "id"})
        named = forms.ARC if split_codec_and_extension(name, MAGIC)[1] == ".arc" else forms.WARC
        self._kind = forms.recognise_form(self._path) or named
        self.form = self._kind.name
        self._crawl = crawl
        self._complete = False
        self._forget_what_was_read()

    def _refuse_if_changed(self) -> None:
        self._stamp.refuse_if_changed()

    def _forget_what_was_read(self) -> None:
        self._end, self._first, self.failure = 0, 0, None
        self.counts, self._entries = Counts(), Entries()
        self._head_batches: list[pa.RecordBatch] = []
        self._damage: list[Damage] = []
        self._revisits: list[tuple[int, int]] = []
        self._payloads: dict[int, Payload | None] = {}

    def read_and_count(self, tell: TellBytesRead) -> Iterator[Part]:
        """Yield every capture."""
        if self._complete:
            yield from self.read_again(choose_every_row, tell)
            return
        with self._stamp.refuse_changes_before_and_on_error():
            self._forget_what_was_read()
            self._first = self._crawl.begin_archive(self)
            yield from self._read_captures(tell)
            self._refuse_if_changed()
        self._entries.link_records()
        self._complete = True

    def _read_captures(self, tell: TellBytesRead) -> Iterator[Part]:
        batch: list[CaptureRow] = []
        size = 0
        pages, jobs = self._crawl.pages, self._crawl.jobs
        extracts = pages.extracts_from(".html")
        with open_threads(jobs, pages.pool) as threads:
            records = cutting.read_records(self._path, self._kind, _is_capture, tell)
            begun = (
                _start_extraction_if_capture(record, pages, threads if extracts else None)
                for record in records
            )
            for record, capture in _pull_items_ahead(begun, 2 * jobs if extracts else 0):
                if isinstance(record, ArchiveRecord) and record.missing:
                    self.failure = _describe_missing_bytes(record)
                if isinstance(record, Damage):
                    self._damage.append(record)
                    self.counts.rejected += 1
                elif capture is not None:
                    batch.append(self._add_capture_and_make_row(record, capture()))
                    size += self._crawl.text_byte_count(len(self._crawl) - 1)
                else:
                    self._entries.add_record(record, None)
                if len(batch) == _BATCH or size > _BATCH_BYTES:
                    yield self._add_rows_and_make_part(batch)
                    batch, size = [], 0
        if batch:
            yield self._add_rows_and_make_part(batch)

    def _add_capture_and_make_row(self, record: ArchiveRecord, capture: Capture) -> CaptureRow:
        """Keep the text of a capture, and its problems; return the rest, as ``_KNOWN``."""
        row, offset = len(self._crawl) - self._first, record.place.frame
        self._entries.add_record(record, row)
        problems, known_by = list(capture.problems), captures.keys_of_capture(record.head, capture)
        if record.head.kind == "revisit":
            original = self._crawl.number_of_original_or_none(
                captures.keys_of_revisited_original(record.head)
            )
            if original is None:
                problems.append(
                    "revisits a capture that was not read before it, so its text is unknown"
                )
                self._crawl.add_capture(None, ())
            else:
                self._revisits.append((row, original))
                self._crawl.add_revisit(original, known_by)
        else:
            self._crawl.add_capture(capture.text, known_by)
        self._damage += [Damage(offset, f"{capture.id}: {problem}") for problem in problems]
        self.counts.replaced += capture.replaced
        fetched = (capture.id, capture.url, capture.time, capture.content_type, capture.status)
        page = self._declared_page(capture)
        return *fetched, capture.digest, *page, offset

    def _declared_page(self, capture: Capture) -> PageDeclarations:
        """Return what is declared of the page that a capture is."""
        return capture.page

    def _add_rows_and_make_part(self, rows: list[CaptureRow]) -> Part:
        """Keep what is known of captures."""
        pairs = zip(zip(*rows, strict=True), _KNOWN, strict=True)
        arrays = [pa.array(values, field.type) for values, field in pairs]
        known = pa.RecordBatch.from_arrays(arrays, schema=_KNOWN)
        self._head_batches.append(known)
        numbers = pa.arange(self._end, self._end + len(rows))
        self._end += len(rows)
        batch = self._with_columns_read_when_chosen(self._read_names, numbers, known)
        part = self._make_part_and_count_faults(numbers, batch).part
        self.counts.add_rows_of_texts(part.texts)
        return part

    def _read_unfiltered_batches(
        self, column_names: list[str] | None, choice: RowChoice
    ) -> Iterator[NumberedBatch]:
        del column_names, choice
        self._refuse_if_changed()
        first = 0
        for known in self._head_batches:
            yield NumberedBatch(first, known)
            first += len(known)

    def _with_columns_read_when_chosen(
        self, column_names: list[str] | None, row_numbers: pa.Int64Array, batch: pa.RecordBatch
    ) -> pa.RecordBatch:
        if column_names is not None and "text" not in column_names:
            return batch
        texts = self._crawl.read_texts(self._first + row for row in row_numbers.to_pylist())
        return batch.append_column(SCHEMA.field("text"), texts)

    def _make_part_and_count_faults(
        self, row_numbers: pa.Int64Array, batch: pa.RecordBatch
    ) -> PartAndFaultCounts:
        counted = super()._make_part_and_count_faults(row_numbers, batch)
        return counted._replace(part=counted.part._replace(labels=batch["id"]))

    def open_writer(
        self, out: IO[bytes], file_name: str, added_columns: pa.Schema | None = None
    ) -> Writer:
        """Open a writer that copies records, or writes rows if the name says so."""
        kind = split_codec_and_extension(file_name).extension
        if kind in PARQUET:
            return super().open_writer(out, file_name, added_columns)
        if kind in JSON_LINES:
            return _JsonWriter(out, file_name)
        return Copier(out, file_name)

    def write_chosen_rows(
        self,
        choice: RowChoice,
        writer: Writer,
        *,
        tell: TellBytesRead,
        added_columns: pa.Table | None,
        jobs: int,
    ) -> None:
        """Copy the records of the chosen captures, and those that belong to them, or write rows."""
        if not isinstance(writer, Copier):
            super().write_chosen_rows(
                choice, writer, tell=tell, added_columns=added_columns, jobs=jobs
            )
            return
        mask = choice(0, self._end)
        keeps = [False] * self._end if mask is None else mask.to_pylist()
        with self._stamp.refuse_changes_before_and_on_error():
            entries = self._entries.records_to_keep(keeps)
            self._copy_records(RecordCopies(self._path, self._kind, entries), writer)

    def _copy_records(self, records: RecordCopies, copier: Copier) -> None:
        try:
            copier.write(records)
        except EOFError as error:
            raise SourceDamaged(f"{self.name} {error}; run again.") from error
        self._refuse_if_changed()

    def refuse_unwritable_revisits(self, file_name: str) -> None:
        """Raise OptionError if it is ARC, or the file is to hold rows instead of records."""
        if self._kind is not forms.WARC:
            super().refuse_unwritable_revisits(file_name)
        kind = split_codec_and_extension(file_name).extension
        if kind in PARQUET or kind in JSON_LINES:
            raise OptionError(
                f"{file_name} would hold rows, and a revisit is a record of an archive; name a "
                "WARC file, such as once.warc.gz, or leave out `revisits`."
            )

    def write_and_count_revisits(
        self, choice: RowChoice, writer: Writer, tell: TellBytesRead, repeats: Mapping[int, Repeat]
    ) -> int:
        """Copy the chosen captures, and write those that repeat the payload of another one as
        revisit records.
        """
        del tell
        assert isinstance(writer, Copier), "the name of the file was checked"
        originals = _read_originals_with_equal_payloads(repeats)
        mask = choice(0, self._end)
        keeps = [False] * self._end if mask is None else mask.to_pylist()
        for row in originals:
            keeps[row] = True
        with self._stamp.refuse_changes_before_and_on_error():
            entries = (
                entry._replace(rewrite=partial(make_revisit, original=originals[entry.row]))
                if entry.row in originals
                else entry
                for entry in self._entries.records_to_keep(keeps)
            )
            self._copy_records(RecordCopies(self._path, self._kind, entries), writer)
        return len(originals)

    def read_and_keep_payloads(self, rows: Iterable[int]) -> dict[int, Payload | None]:
        """Return what is known of the payloads of some captures; None for one without."""
        missing = sorted(set(rows) - self._payloads.keys())
        with (
            self._stamp.refuse_changes_before_and_on_error(),
            closing(Frames(self._path)) as source,
        ):
            for entry in self._entries.records_of_captures(missing):
                source.go_to(entry.place)
                whole = not entry.is_cut_off and entry.size <= cutting.LARGEST
                record = read_record(source, entry.size) if whole else b""
                self._payloads[entry.row] = payload_of_record_or_none(record) if whole else None
        return self._payloads

    def read_signature(self) -> Signature:
        """Return a signature of this archive, even if other ones are in its file."""
        with open_archive(self._path) as content:
            return self._stamp.read_signature_with_digest_of(content)

    def read_rejected_rows(self) -> Iterator[Rejected]:
        """Yield damage, and problems of captures, by the offset of the record."""
        for offset, reason in self._damage:
            yield Rejected(source=self.name, at=offset, reason=reason, data=b"", unit="offset")

    def revisits(self) -> Iterator[Revisit]:
        for row, original in self._revisits:
            yield Revisit(row, SourceRow(*self._crawl.archive_and_row_of(original)))


def _read_originals_with_equal_payloads(repeats: Mapping[int, Repeat]) -> dict[int, Payload]:
    """Return for each capture that has the payload of its original what is known of that."""
    wanted: dict[ArchiveRows, set[int]] = {}
    for one in repeats.values():
        for source, row in one:
            assert isinstance(source, ArchiveRows), "the sources of a data set were checked"
            wanted.setdefault(source, set()).add(row)
    known = {source: source.read_and_keep_payloads(rows) for source, rows in wanted.items()}
    originals = {}
    for row, ((source, kept), (other, own)) in repeats.items():
        original, content = known[source][kept], known[other][own]  # type: ignore[index]
        if original is not None and content is not None and original.sha256 == content.sha256:
            originals[row] = original
    return originals


class _JsonWriter:
    """A file of JSON lines that captures are written to."""

    def __init__(self, out: IO[bytes], name: str) -> None:
        self._lines = BytesWriter(out, name, b"")
        self.close = self._lines.close

    def write(self, rows: pa.RecordBatch) -> None:
        lines = (
            json.dumps(row, ensure_ascii=False, default=_spell_iso_time) for row in rows.to_pylist()
        )
        self._lines.write("".join(f"{line}\n" for line in lines).encode("utf-8", "replace"))


def _spell_iso_time(time: datetime) -> str:
    return time.isoformat().replace("+00:00", "Z")


def _is_capture(head: Head) -> bool:
    return head.kind in captures.KINDS


def _start_extraction_if_capture(
    record: ArchiveRecord | Damage, pages: Pages, threads: ThreadPoolExecutor | None
) -> StartedRecord:
    """Start to read a record, if it is a capture; without threads, when it is asked for."""
    if isinstance(record, Damage) or not _is_capture(record.head):
        return StartedRecord(record, None)
    work = partial(captures.extract_capture, record, pages)
    return StartedRecord(record, work if threads is None else threads.submit(work).result)


def _describe_missing_bytes(record: ArchiveRecord) -> str:
    """Return a message that an archive ends before its last record does."""
    head = record.head
    name = " ".join(
        filter(None, (head.kind, head.first_value_or_empty("warc-target-uri").strip("<>")))
    )
    return (
        f"ends before its last record does, at byte {record.place.frame:,} ({name}): "
        f"{record.missing:,} of {head.length:,} bytes are missing, and the others were read"
    )


def _pull_items_ahead(items: Iterable[T], ahead_count: int) -> Iterator[T]:
    """Yield the same in order; that many more are taken before each one is yielded."""
    waiting: deque[T] = deque()
    for item in items:
        waiting.append(item)
        if len(waiting) > ahead_count:
            yield waiting.popleft()
    yield from waiting
