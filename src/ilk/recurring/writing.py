"""Documents with or without their passages, written as rows, with an account beside them."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from ilk import columns, writers
from ilk.errors import OptionError, OutputError, SourceChanged
from ilk.readers import Corpus, Reading, files_of, named_paths
from ilk.readers.rows import DataSet, open_any
from ilk.readers.rows.documents import is_rows
from ilk.readers.rows.kinds import JSON_LINES, PARQUET, is_archive
from ilk.readers.rows.memory import is_table
from ilk.readers.rows.streams import bare
from ilk.system.running import Running
from ilk.writers import accounts


@dataclass(frozen=True, slots=True)
class Read:
    """What passages were looked for in, and how it was read.

    Attributes:
        source, reading, running: as they were asked for.
        documents: ``doc``, ``source``, ``id``, ``modified`` and ``length`` of each.
        texts: their texts, read again when they are asked for.
        against: the texts of the other collection; None where there was no other.
    """

    source: Any
    reading: Reading
    running: Running
    documents: pa.Table
    texts: Corpus
    against: Corpus | None

    def rows(self) -> DataSet | None:
        """Return the rows that the documents are; None where they are files or texts."""
        paths = named_paths(self.source)
        if paths is None:
            known = is_table(self.source)
        else:
            known = all(is_rows(p, self.reading) and not is_archive(str(p)) for p in paths)
        if not known or self.reading.extract != "none":
            return None
        rows = open_any(self.source, self.reading, self.running)
        if rows.rows() != len(self.documents):
            raise SourceChanged("there are other rows than when they were first read; run again.")
        return rows


class Place:
    """A file of rows to write, and the folder of its account."""

    def __init__(self, output: Path, read: Read, *, force: bool) -> None:
        """Refuse what cannot be written, before any work.

        Raises:
            OptionError: its name does not say how rows are written.
            OutputError: it cannot be written there.
        """
        self._output, self._read, self._force = output, read, force
        self._kind = bare(str(output))[1]
        self._rows = read.rows()
        paths = named_paths(read.source) or []
        writers.check(
            output, force=force, read=lambda: writers.files(files_of(paths, read.reading))
        )
        if self._rows is not None:
            self._rows.check(str(output), force=True)
        elif self._kind not in JSON_LINES + PARQUET:
            raise OptionError(
                f"{output} does not say how rows are written; name a .jsonl or .parquet file."
            )

    def rows(self, kept: pa.Array | None, notes: pa.Table | None) -> int:
        """Write documents that are kept (None: all), with columns behind their own."""
        every = pa.repeat(True, len(self._read.documents)) if kept is None else kept
        if self._rows is not None:
            return self._rows.write(every, str(self._output), notes=notes, force=True)
        self._plain(self._read.texts, every, notes)
        return pc.sum(every).as_py() or 0

    def texts(self, texts: columns.Texts) -> int:
        """Write all documents with other texts."""
        every = pa.repeat(True, len(self._read.documents))
        names = self._read.reading.text
        if self._rows is not None and len(names) > 1:
            raise OptionError(
                "a text put together of several columns cannot be cut in its place; name one."
            )
        if self._rows is None:
            self._plain(texts, every, None)
        elif self._kind in PARQUET:
            table = self._rows.table(every)
            if names[0] not in table.column_names:
                raise OptionError(f"texts in {names[0]} cannot be cut in their place.")
            at = table.column_names.index(names[0])
            column = columns.held(texts).cast(table.schema.field(at).type)
            table = table.set_column(at, table.schema.field(at), column)
            with writers.whole_file(self._output) as out:
                writers.write_parquet(table, out, {})
        elif self._kind in JSON_LINES and not bare(str(self._output))[0]:
            self._lines(texts, names[0])
        else:
            raise OptionError(
                f"rows that are cut are written as JSON lines or Parquet; {self._output} is not."
            )
        return len(every)

    def account(
        self,
        report: Mapping[str, Any],
        tables: Mapping[str, pa.Table],
        originals: pa.Array | None = None,
    ) -> None:
        """Write what was done beside the output, and the originals of some documents."""
        folder = accounts.folder(self._output)
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise OutputError(f"cannot make the folder {folder}: {error.strerror}.") from error
        for name, table in tables.items():
            with writers.whole_file(folder / f"{name}.parquet") as out:
                writers.write_parquet(table, out, {})
        with writers.whole_file(folder / accounts.REPORT) as out:
            out.write(json.dumps(report, indent=2, ensure_ascii=False).encode() + b"\n")
        if originals is not None:
            chosen = pc.is_in(self._read.documents["doc"], value_set=columns.flat(originals))
            with writers.whole_file(folder / "originals.jsonl") as out:
                writers.write_jsonl(self._records(self._read.texts, columns.flat(chosen)), out)

    def _lines(self, texts: columns.Texts, name: str) -> None:
        """Write JSON lines with other texts; a row whose text is the same stays as it is."""
        assert self._rows is not None, "lines are those of rows"
        every = pa.repeat(True, len(self._read.documents))
        with tempfile.TemporaryDirectory(dir=self._output.parent) as folder:
            copy = Path(folder) / self._output.name
            self._rows.write(every, str(copy))
            with copy.open("rb") as lines, writers.whole_file(self._output) as out:
                pairs = zip(_each(self._read.texts), _each(texts), lines, strict=True)
                for before, after, line in pairs:
                    out.write(line if before == after else _with_text(line, name, after))

    def _plain(self, texts: columns.Texts, kept: pa.Array, notes: pa.Table | None) -> None:
        records = self._records(texts, kept, notes)
        with writers.whole_file(self._output) as out:
            if self._kind in JSON_LINES:
                writers.write_jsonl(records, out)
            else:
                writers.write_parquet(pa.Table.from_pylist(list(records)), out, {})

    def _records(
        self, texts: columns.Texts, kept: pa.Array, notes: pa.Table | None = None
    ) -> Iterator[dict[str, Any]]:
        """Yield source, id, text and notes of documents."""
        documents = self._read.documents.select(["source", "id"]).to_pylist()
        more = [{}] * len(documents) if notes is None else notes.to_pylist()
        rows = zip(documents, _each(texts), more, kept.to_pylist(), strict=True)
        for known, text, note, wanted in rows:
            if wanted:
                yield {**known, "text": text, **note}


def _each(texts: columns.Texts) -> Iterator[str | None]:
    """Yield texts one by one."""
    for chunk in texts.chunks:
        yield from chunk.to_pylist()


def _with_text(line: bytes, name: str, text: str | None) -> bytes:
    """Return a line of JSON with another text."""
    row = json.loads(line)
    inner, steps = row, name.split(".")
    while len(steps) > 1 and ".".join(steps) not in inner:
        inner = inner[steps.pop(0)]
    inner[".".join(steps)] = text
    return json.dumps(row, ensure_ascii=False).encode("utf-8", "surrogatepass") + b"\n"
