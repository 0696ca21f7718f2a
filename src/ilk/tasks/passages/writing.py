"""Documents with or without their passages, written as rows, with an account beside them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from ilk import arrow, write
from ilk.base.errors import OptionError, SourceChanged
from ilk.base.run_options import Running
from ilk.read import Collection, Reading, find_existing_files, paths_or_none_if_texts
from ilk.read.documents import is_file_of_rows
from ilk.read.rows.dataset import DataSet
from ilk.read.rows.kinds import JSON_LINES, PARQUET, find_registered_reader_or_none
from ilk.read.rows.opening import open_data_set
from ilk.read.rows.sources import Source
from ilk.read.rows.streams import split_codec_and_extension
from ilk.read.rows.table_sources import is_table
from ilk.read.rows.text_path import has_list_selector
from ilk.read.rows.writing import output_path_or_default_if_stream
from ilk.search.passage_parts import PassageRule
from ilk.search.programs import ProgramTexts
from ilk.tasks.passages.cutting import CutTexts
from ilk.write import accounts

#: Documents whose names are turned into Python values at a time.
_AT_ONCE = 10_000


@dataclass(frozen=True, slots=True)
class ReadCollection:
    """The documents in which passages were sought, and how they were read.

    Attributes:
        source, reference_source, reading, running: as in the request; the second is its
            ``against``, or the path of a store.
        documents: ``doc``, ``source``, ``id``, ``modified`` and ``length`` of each.
        texts: their texts, read again when needed.
        reference_texts: those of the reference; None if there was none.
        rule: what counts as a passage.
    """

    source: Any
    reference_source: Any
    reading: Reading
    running: Running
    documents: pa.Table
    texts: Collection | ProgramTexts
    reference_texts: Collection | ProgramTexts | None
    rule: PassageRule

    @property
    def is_of_rows(self) -> bool:
        """Return whether the documents are rows, with columns of their own."""
        paths = paths_or_none_if_texts(self.source)
        if paths is None:
            has_rows = is_table(self.source)
        else:
            has_rows = all(
                is_file_of_rows(p, self.reading.text)
                and find_registered_reader_or_none(str(p)) is None
                for p in paths
            )
        return has_rows and self.reading.extract == "none"

    def open_rows_refusing_changed_count(self) -> DataSet:
        """Return the documents as rows, if they are.

        Raises:
            SourceChanged: there are more or fewer of them now.
        """
        rows = open_data_set(self.source, self.reading, self.running)
        if rows.count_rows() != len(self.documents):
            raise SourceChanged("the rows are not those that were first read; run again.")
        return rows


class PassagesOutput:
    """A file of rows to write, and the folder of its account."""

    def __init__(self, output: Path, read: ReadCollection, *, force: bool) -> None:
        """Refuse an output that cannot be written, before any work."""
        self._output, self._read = output, read
        self._rows = rows = read.open_rows_refusing_changed_count() if read.is_of_rows else None
        self._kind = split_codec_and_extension(
            str(output_path_or_default_if_stream(rows.sources, output) if rows else output)
        )[1]
        given = (paths_or_none_if_texts(one) or () for one in (read.source, read.reference_source))
        inputs = [*find_existing_files([*chain(*given)], read.reading)]
        write.refuse_unwritable(
            output, force=force, inputs=lambda: write.identify_existing_files(inputs)
        )
        if beside := accounts.account_folder_beside_output_or_none(output):
            accounts.refuse_account_over_inputs(beside, inputs)
        if rows is not None:
            rows.refuse_unwritable_output(output, force=True)
        elif self._kind not in JSON_LINES + PARQUET:
            raise OptionError(f"{output} does not name a format; choose a .jsonl or .parquet file.")

    @property
    def text_column_to_cut(self) -> str:
        """The column of texts in the output; OptionError if texts cannot be cut in it."""
        names = self._read.reading.text
        if self._rows is not None and len(names) > 1:
            raise OptionError(
                "a text joined from several columns cannot be cut in place; name one column."
            )
        if self._rows is not None and has_list_selector(names[0]):
            raise OptionError(
                f"texts in {names[0]} may be joined from a list, and cannot be cut in place; use "
                "`drop_above`, or name a column of texts."
            )
        return "text" if self._rows is None else names[0]

    def write_and_count(self, kept_mask: pa.Array, cut_texts: CutTexts | None = None) -> int:
        """Write the documents to keep, with their texts or with what is left of these; return how
        many these are.
        """
        if self._rows is None:
            records = self._records_of_kept_documents(cut_texts or self._read.texts, kept_mask)
            with write.whole_file_compressed_by_name(self._output) as out:
                if self._kind in JSON_LINES:
                    write.write_jsonl(records, out)
                else:
                    write.write_parquet(pa.Table.from_pylist(list(records)), out, {})
        elif cut_texts is None:
            self._rows.write(kept_mask, str(self._output), force=True)
        elif self._kind in PARQUET:
            table = self._rows.read_table_of_all_or_document_columns(kept_mask)
            if self.text_column_to_cut not in table.column_names:
                raise OptionError(f"texts in {self.text_column_to_cut} cannot be cut in place.")
            texts = arrow.take_texts(cut_texts, pc.indices_nonzero(kept_mask).cast(pa.int64()))
            texts = texts.cast(table.schema.field(self.text_column_to_cut).type)
            with write.whole_file(self._output) as out:
                write.write_parquet(
                    arrow.replace_columns(table, **{self.text_column_to_cut: texts}), out, {}
                )
        else:
            removed, column = cut_texts.removed, self.text_column_to_cut
            docs = pa.array(sorted(removed), pa.int64())
            changed = _each_text(arrow.pick_texts(cut_texts, docs.filter(kept_mask.take(docs))))

            def edit_row(source: Source, doc: int, row: bytes) -> bytes:
                if doc not in removed:
                    return row
                return source.row_with_text(row, column, next(changed) or "")

            self._rows.write(kept_mask, str(self._output), edit=edit_row, force=True)
        return pc.sum(kept_mask).as_py() or 0

    def write_account_unless_stream(
        self,
        report: Mapping[str, Any],
        tables: Mapping[str, pa.Table | pa.RecordBatchReader],
        docs_to_write_as_they_were: pa.Array | None = None,
    ) -> None:
        """Write the account beside a file, and some documents as they were; nothing for a stream.

        Args:
            report: what was done.
            tables: by the name of its file, what was cut or dropped.
            docs_to_write_as_they_were: the ``doc`` of those documents.
        """
        if not (folder := accounts.account_folder_beside_output_or_none(self._output)):
            return
        accounts.write_parquet_tables_and_report(folder, tables, report)
        if docs_to_write_as_they_were is not None:
            chosen = pc.is_in(
                self._read.documents["doc"], value_set=arrow.flat(docs_to_write_as_they_were)
            )
            with write.whole_file(folder / accounts.ORIGINALS) as out:
                write.write_jsonl(
                    self._records_of_kept_documents(self._read.texts, arrow.flat(chosen)), out
                )

    def _records_of_kept_documents(
        self, texts: arrow.Texts, kept_mask: pa.Array
    ) -> Iterator[dict[str, Any]]:
        documents = self._read.documents.select(["source", "id"]).append_column("kept", kept_mask)
        each = (row for batch in documents.to_batches(_AT_ONCE) for row in batch.to_pylist())
        for known, text in zip(each, _each_text(texts), strict=True):
            if known.pop("kept"):
                yield {**known, "text": text}


def _each_text(texts: arrow.Chunks) -> Iterator[str | None]:
    for chunk in texts.chunks:
        yield from chunk.to_pylist()
