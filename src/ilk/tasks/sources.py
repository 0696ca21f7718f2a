"""Where the pipeline's documents come from: sources of any kind, or rows that are written again."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, Protocol, TypeVar

import pyarrow as pa
import pyarrow.compute as pc

from ilk import arrow, read
from ilk.base.checkpoints import NoWork, WorkFolder
from ilk.base.errors import NothingRead, OptionError
from ilk.base.options import ORIGINAL
from ilk.base.run_options import Running
from ilk.fingerprints import digest
from ilk.fingerprints.digest import find_representatives
from ilk.read import Collection, Reading, ReadReport, paths_or_none_if_texts
from ilk.read.collection import StoredDocuments, open_rows_replacing_paths_if_asked
from ilk.read.files.content import source_name
from ilk.read.files.identical import read_facts_with_copy_digests
from ilk.read.files.walk import STDIN
from ilk.read.folders import find_files_below_existing_paths
from ilk.read.reference import ReferenceCheck, StoredTexts
from ilk.read.rows.dataset import DataSet
from ilk.read.rows.opening import open_table_or_scan
from ilk.search.clustering import CannotLink
from ilk.search.meeting import parse_times_in_microseconds
from ilk.search.originals import Folders, rank_folders_if_any_file
from ilk.search.query import Query
from ilk.search.ranking import (
    deciding_policies,
    order_documents_best_first,
    reasons_to_drop_or_null,
)
from ilk.search.read_documents import (
    CHECKPOINT_TABLES,
    ReadDocuments,
    checkpoint_tables_if_in_memory,
    read_documents_with_evidence,
    restore_from_tables_if_complete,
)
from ilk.search.search import Search
from ilk.search.search_plan import SearchPlan, make_search_plan
from ilk.search.staying import (
    reasons_to_drop_all_outside_baseline,
    reasons_to_drop_beyond_limit,
    sum_weights_onto_keepers_null_if_dropped,
)
from ilk.tasks.report import report_deduplication, report_search
from ilk.tasks.request import Request
from ilk.tasks.result import DeduplicationResult, Result, SearchResult
from ilk.write.results import with_cluster_kinds_as_verdicts_of_dropped_keepers

#: What is known of every row once it has been read.
FACTS = pa.schema(
    [
        pa.field("doc", pa.int64()),
        pa.field("id", pa.string()),
        pa.field("length", pa.int64()),
        pa.field("digest", arrow.DIGEST),
        pa.field("bytes_digest", arrow.DIGEST),
    ]
)


#: How the documents of a store are read: as ``StoredTexts.table`` has them.
_STORED = Reading(text=("text",), id="id")


R_co = TypeVar("R_co", bound=Result, covariant=True)


@dataclass(frozen=True, kw_only=True)
class PipelineDecision:
    """What a pipeline has decided about documents; a source makes a result of it.

    Attributes:
        documents: one row per document; those of ``against`` come first.
        clusters: the members of clusters, as ``Search.find_members`` returns them.
        contained_pairs: the pairs of a document and another one that contains it.
        ranking: the rows of ``documents``, best keeper first.
        search: the search that measured them; None if only equal ones were compared.
        apart: the pairs that a person has labelled different; None without labels.
        common: the blocks that were left out; None if none were looked for.
        running: the means of the run.
        again: decides once more, at a higher resemblance.
    """

    documents: pa.Table
    clusters: pa.Table
    contained_pairs: pa.Table
    ranking: pa.Array
    search: Search | None
    apart: CannotLink | None
    common: pa.Table | None
    running: Running
    again: Callable[[str | float], Any]


class ReadFacts(NamedTuple):
    """What a source has read.

    Attributes:
        documents: a row for each document, with what results show of it.
        documents_read: what a search needs of them; None if only equal ones are looked for.
    """

    documents: pa.Table
    documents_read: ReadDocuments | None


class PipelineSource(Protocol[R_co]):
    """Documents that a pipeline reads, compares and returns as a result."""

    @property
    def baseline_size(self) -> int:
        """Return how many documents, the first ones, are from ``against``, once they are read."""

    @property
    def roots(self) -> Sequence[str]:
        """Return the paths below which they are, with those of ``against``."""

    def read_facts_and_evidence(
        self, request: Request, running: Running, work: WorkFolder | NoWork
    ) -> ReadFacts:
        """Read them; return what is known of every document, and the evidence kept of them."""

    def rank_best_keeper_first(self, documents: pa.Table, policies: Sequence[str]) -> pa.Array:
        """Return the rows of ``documents``, best keeper first."""

    def representative_of_each_document(self, documents: pa.Table, ranking: pa.Array) -> pa.Array:
        """Return for each document the best one that is equal to it."""

    def make_search_plan(self, query: Query) -> SearchPlan:
        """Return how pairs of these documents are found."""

    def nominating_fingerprints_if_any(
        self, documents: pa.Table, plan: SearchPlan
    ) -> pa.Array | None:
        """Return the fingerprints that nominate pairs whose sets are then joined; None if the sets
        of all documents are.
        """

    def with_source_names(self, documents: pa.Table) -> pa.Table:
        """Return documents with the names that people know in ``source``."""

    def read_columns_with_reference_first(self, names: Sequence[str]) -> list[pa.Array]:
        """Return columns as they are written, each with the rows of ``against`` first."""

    def read_times_in_microseconds(self, documents: pa.Table, date: str | None) -> pa.Array:
        """Return when documents were written, in microseconds since 1970; null if not known.

        Args:
            documents: what is known of them.
            date: the column of times; None if files are meant, which have times of their own.
        """

    def make_result(self, request: Request, decision: PipelineDecision) -> R_co:
        """Return the result, with its report."""


class DocumentSource:
    """Documents of any kind, which are only searched.

    Attributes:
        tally: what happened while they were read.
        texts: their texts.
        own_roots, reference_roots, roots: the paths below which they are, if they are in files:
            those of the source, of ``against``, and of both.
    """

    def __init__(self, source: Any, against: Any, reading: Reading, running: Running) -> None:
        """Read nothing yet."""
        self._folders: Folders | None = None
        self.tally = ReadReport()
        own = Collection.of(source, reading, running, self.tally, with_textless_byte_copies=True)
        self._against: Collection | None = None
        self.texts = own
        others: Sequence[str | os.PathLike[str]] = ()
        if isinstance(against, StoredTexts):
            self._against = Collection(StoredDocuments(against))
        elif against is not None:
            reference = ReferenceCheck(against, source, reading)
            self._against = Collection.of(
                against,
                reading.without_size_and_time_filters(),
                running,
                self.tally,
                reference_check=reference,
            )
            others = paths_or_none_if_texts(against) or ()
        if self._against is not None:
            self.texts = Collection(*self._against.parts, *own.parts)
        self.own_roots = [os.fsdecode(path) for path in paths_or_none_if_texts(source) or ()]
        self.reference_roots = [os.fsdecode(path) for path in others]
        self.roots = [*self.own_roots, *self.reference_roots]

    @property
    def baseline_size(self) -> int:
        """How many documents, the first ones, are from ``against``; known once they are read."""
        return 0 if self._against is None else len(self._against)

    def read_facts_and_evidence(
        self, request: Request, running: Running, work: WorkFolder | NoWork
    ) -> ReadFacts:
        """Read them; return what is known of every document, and the evidence kept of them."""
        del work
        documents_read = self.read_and_gather_evidence(request, running)
        read.refuse_if_no_readable_document(documents_read.documents, self.tally)
        if (as_ := request.query.as_) is not None:
            as_.list_text_sources_refusing_all(documents_read.documents["source"].to_pylist())
        return ReadFacts(documents_read.documents, documents_read)

    def read_and_gather_evidence(self, request: Request, running: Running) -> ReadDocuments:
        """Read the documents; return what is known of each, and the evidence of all."""
        query = request.query
        return read_documents_with_evidence(
            self.texts.batches(),
            self.texts,
            recipe=query.recipe,
            counting=query.counting,
            running=running,
            with_noise_evidence=query.noise is not None,
        )

    def with_source_names(self, documents: pa.Table) -> pa.Table:
        """Return documents with the names that people know in ``source``."""
        return documents

    def rank_best_keeper_first(self, documents: pa.Table, policies: Sequence[str]) -> pa.Array:
        """Return the rows of ``documents``, best keeper first."""
        if self._folders is None and ORIGINAL in policies:
            self._folders = rank_folders_if_any_file(documents)
        return order_documents_best_first(
            documents,
            policies,
            read_column=None,
            baseline_size=self.baseline_size,
            roots=self.roots,
            folders=self._folders,
        )

    def representative_of_each_document(self, documents: pa.Table, ranking: pa.Array) -> pa.Array:
        """Return for each document the best one of equal text; of a file, also of equal bytes."""
        return find_representatives(documents, ranking, use_bytes_of_blank_files=True)

    def make_search_plan(self, query: Query) -> SearchPlan:
        """Return how pairs are found; texts that differ only in numbers are always shown."""
        return make_search_plan(query, numbers_only_is_alike=True)

    def nominating_fingerprints_if_any(self, documents: pa.Table, plan: SearchPlan) -> None:
        """Return None: pairs that fingerprints nominate are verified one by one."""
        del documents, plan

    def read_columns_with_reference_first(self, names: Sequence[str]) -> list[pa.Array]:
        """Return columns as they are written, each with the rows of ``against`` first.

        They are read once more, by themselves.

        Raises:
            OptionError: documents are not rows, or come from what can be read only once.
            ColumnTypeError: rows have no such column.
        """
        columns = (self.texts.read_column_of_each_part(name, as_written=True) for name in names)
        return [
            pa.concat_arrays([part.cast(pa.large_string()) for part in parts]) for parts in columns
        ]

    def read_times_in_microseconds(self, documents: pa.Table, date: str | None) -> pa.Array:
        """Return when documents were written, or modified; null if not known.

        Raises:
            OptionError: no document has a time; or, with ``date``, as for
                ``read_columns_with_reference_first``.
            ColumnTypeError: rows have no such column, or it holds something else than times.
        """
        if date is not None:
            parts = self.texts.read_column_of_each_part(date, as_written=False)
            return _parse_times_of_parts(date, parts, lambda row: documents["source"][row].as_py())
        times = arrow.flat(documents["modified"]).cast(pa.int64())
        if len(times) and times.null_count == len(times):
            raise OptionError(
                "`window` needs a time for each document, and none has one, since only files on "
                "disk do; name the column of dates of rows with `date`."
            )
        return times

    def make_result(self, request: Request, decision: PipelineDecision) -> SearchResult:
        """Return the result, with its report."""
        unread = reference_unread = list[str]()
        if self.tally.by_bytes:
            unread, reference_unread = self.tally.unread, self.tally.unread_in_reference
        result = SearchResult(
            documents=decision.documents,
            clusters=decision.clusters,
            contained_pairs=decision.contained_pairs,
            report={},
            baseline_size=self.baseline_size,
            ranking=decision.ranking,
            roots=self.own_roots,
            reference_roots=self.reference_roots,
            folders=self._folders,
            inside=self.tally.held,
            unread=frozenset(map(source_name, unread)),
            reference_unread=frozenset(map(source_name, reference_unread)),
            _texts=self.texts,
            _running=decision.running,
            _search=decision.search,
            _again=decision.again,
        )
        result.report.update(
            report_search(
                result,
                request,
                self.tally,
                roots=self.roots,
                apart=decision.apart,
                common_blocks=decision.common,
            )
        )
        return result


#: What is known of a file whose bytes alone are compared.
_FILE_FACTS = pa.schema(
    [
        *(field for field in arrow.DOCUMENTS if field.name != "text"),
        pa.field("length", pa.int64()),
        pa.field("digest", arrow.DIGEST),
        pa.field("fingerprint", pa.uint64()),
        pa.field("reason", pa.string()),
    ]
)


class FileSource(DocumentSource):
    """Files of any kind, whose bytes alone are compared; ``length`` is that in bytes."""

    def __init__(self, source: Any, against: Any, reading: Reading) -> None:
        """Read nothing yet.

        Raises:
            OptionError: a source is not paths, or a file is in both.
        """
        self._folders = None
        self.tally, self._reading = ReadReport(), reading
        own, others = _paths_or_refuse(source), []
        self._reference, self._reference_size = None, 0
        if against is not None:
            others = _paths_or_refuse(against)
            self._reference = ReferenceCheck(against, source, reading)
        self.own_roots, self.reference_roots = own, others
        self.roots = [*own, *others]
        self.texts = arrow.import_texts(pa.array([], pa.large_string()))

    @property
    def baseline_size(self) -> int:
        return self._reference_size

    def read_facts_and_evidence(
        self, request: Request, running: Running, work: WorkFolder | NoWork
    ) -> ReadFacts:
        """Compare the files; return what is known of each, and no evidence."""
        del request, work
        every = self._reading.without_size_and_time_filters()
        others = self.reference_roots
        reference_files = (
            list(find_files_below_existing_paths(others, every, self.tally)) if others else []
        )
        files = [
            *reference_files,
            *find_files_below_existing_paths(self.own_roots, self._reading, self.tally),
        ]
        file_facts = read_facts_with_copy_digests(files, running.jobs, running.tell)
        names = pa.array([source_name(file.path) for file in files], pa.string())
        has_failed = file_facts["failure"].is_valid()
        for name, failure in zip(
            names.filter(has_failed).to_pylist(),
            file_facts["failure"].drop_null().to_pylist(),
            strict=True,
        ):
            self.tally.fail(name, failure)
        read_well = pc.invert(has_failed)
        self._reference_size = pc.sum(read_well.slice(0, len(reference_files))).as_py() or 0
        file_facts = file_facts.append_column("source", names).filter(read_well)
        columns = {
            "doc": pa.arange(0, len(file_facts)),
            "file": file_facts["source"],
            "length": file_facts["size"],
            **{name: file_facts[name] for name in ("source", "size", "modified", "bytes_digest")},
        }
        kinds = [_FILE_FACTS.field(name) for name in columns]
        documents = arrow.fit_columns_to_schema(pa.table(columns, pa.schema(kinds)), _FILE_FACTS)
        if self._reference is not None:
            self._reference.record_sources_with_text(
                self._reference_size, documents["source"].slice(0, self._reference_size)
            )
            self._reference.end_reference_or_refuse_silent_paths(self.tally)
        self.texts = arrow.import_texts(pa.nulls(len(documents), pa.large_string()))
        self.tally.documents = len(documents)
        read.refuse_if_no_readable_document(documents, self.tally)
        return ReadFacts(documents, None)


def _paths_or_refuse(source: Any) -> list[str]:
    """Return the paths of a source of files.

    Raises:
        OptionError: it is texts or a table, or standard input.
    """
    empty = isinstance(source, list | tuple) and not source
    paths = [] if empty else paths_or_none_if_texts(source)
    if paths is None or STDIN in map(os.fsdecode, paths):
        raise OptionError(
            "`identical` compares the bytes of files, and the source is no file; give the paths of "
            "files and folders, or leave out `identical`."
        )
    return [os.fsdecode(path) for path in paths]


class RowSource:
    """Rows of data sets; those that stay are written again.

    Attributes:
        every: the rows of ``against``, and then those to deduplicate.
        texts: their texts.
        unread_own_rows: those to deduplicate, as they were opened, to refuse an output before
            anything is read.
        roots: none, since rows have no paths of their own.
    """

    roots: Sequence[str] = ()

    def __init__(self, source: Any, against: Any, reading: Reading, running: Running) -> None:
        """Open the rows, and read nothing yet."""
        self._reference_sources, self._reference = 0, None
        #: What could not be read of ``against``, its rows too; known once all rows are read.
        self._reference_tally = ReadReport()
        self._store_texts = against if isinstance(against, StoredTexts) else None
        if against is not None and self._store_texts is None:
            self._reference = ReferenceCheck(against, source, reading)
        self.unread_own_rows = open_rows_replacing_paths_if_asked(source, reading, running)
        self.every = self.unread_own_rows
        if self._store_texts is not None:
            others = open_table_or_scan(self._store_texts.table, _STORED, running)
            self._reference_sources = len(others.sources)
            self.every = self.unread_own_rows.preceded_by(others)
        elif self._reference is not None:
            try:
                with self._reference.named_in_column_errors():
                    others = open_rows_replacing_paths_if_asked(against, reading, running)
            except NothingRead as error:
                names = ", ".join(map(os.fsdecode, paths_or_none_if_texts(against) or ()))
                message = f"nothing was read of the reference {names} (`against`): {error}"
                raise NothingRead(message) from error
            self._reference_tally = others.tally
            self._reference_sources = len(others.sources)
            self.every = self.unread_own_rows.preceded_by(others)
        self.texts = Collection(self.every)
        self._columns: dict[str, pa.ChunkedArray] = {}

    @property
    def baseline_size(self) -> int:
        """How many rows, the first ones, are from ``against``; known once they are read."""
        return sum(source.counts.rows for source in self.every.sources[: self._reference_sources])

    def read_or_recall_column_with_reference(self, name: str) -> pa.ChunkedArray:
        """Return another column, of ``against`` too; it is read once, and needed twice: to rank,
        and to say why.
        """
        if name not in self._columns:
            self._columns[name] = self.every.read_column(name)
        return self._columns[name]

    @property
    def own_rows(self) -> DataSet:
        """The rows to deduplicate, numbered from 0, with what the first pass has counted."""
        return self.every.without_first_sources_once_counted(self._reference_sources)

    def read_facts_and_evidence(
        self, request: Request, running: Running, work: WorkFolder | NoWork
    ) -> ReadFacts:
        """Return what is known of every row, and the evidence kept of its text.

        No evidence is kept if only equal keys or texts count. What an interrupted run has left is
        not made again.
        """
        documents_read: ReadDocuments | None = None
        if request.compares_only_for_equality:
            facts = work.load_or_make(
                "rows", lambda: self._read_and_digest_texts_or_keys(request, running.jobs)
            )
        else:
            tables = [work.load_table_or_none(name) for name in CHECKPOINT_TABLES]
            documents_read = restore_from_tables_if_complete(
                tables,
                self.texts,
                request.query.counting,
                running,
                separates_groups=self.every.batches_have_group_digests,
            )
            if documents_read is None:
                documents_read = self.read_and_gather_evidence(request, running)
            facts = documents_read.documents.select(FACTS.names)
            work.register_for_interruption(*checkpoint_tables_if_in_memory(documents_read))
        # Where an interrupted run has left what it read, this counts the rows of each source.
        facts = facts.append_column("source", self.every.source_name_of_each_document())
        if self._reference is not None:
            self._refuse_reference_without_texts(
                self._reference, facts["digest"].slice(0, self.baseline_size)
            )
        self.own_rows.refuse_if_all_rows_unreadable()
        return ReadFacts(facts, documents_read)

    def _refuse_reference_without_texts(
        self, reference: ReferenceCheck, digests: pa.ChunkedArray
    ) -> None:
        """Refuse a reference without texts, by the digests of its rows, null for blank texts."""
        filled = (
            self.every.source_name_of_each_document()
            .slice(0, len(digests))
            .filter(arrow.flat(digests).is_valid())
        )
        reference.record_sources_with_text(len(digests), pc.unique(filled).cast(pa.string()))
        for source in self.every.sources[: self._reference_sources]:
            if source.failure:
                self._reference_tally.fail(source.name, source.failure)
            for row in source.read_rejected_rows():
                self._reference_tally.fail(f"{row.source}:{row.at}", row.reason)
        # A file without the column is read, and only explains why there is no text.
        tally = replace(self._reference_tally, failures=[*self._reference_tally.failures])
        for name, phrase in self.every.phrase_by_source_lacking_text_columns(
            self._reference_sources
        ).items():
            tally.fail(
                name,
                f"{phrase}. Both sides are read by the same names: rename the column of one, or, "
                "if both are lines of JSON, repeat `text`",
            )
        reference.end_reference_or_refuse_silent_paths(tally)

    def read_and_gather_evidence(self, request: Request, running: Running) -> ReadDocuments:
        """Read the rows; only nominations need fingerprints."""
        query = request.query
        recipe = query.recipe if query.pairing == "fingerprint" else None
        return read_documents_with_evidence(
            self.every.batches(),
            self.texts,
            recipe=recipe,
            counting=query.counting,
            running=running,
            with_noise_evidence=query.noise is not None,
            document_schema=FACTS,
            separates_groups=self.every.batches_have_group_digests,
        )

    def _read_and_digest_texts_or_keys(self, request: Request, jobs: int) -> pa.Table:
        """Return ``FACTS``, if only equal texts or keys count."""
        parts = [FACTS.empty_table()]
        for batch in self.every.batches():
            texts = arrow.import_texts(batch.column("text"))
            raw = digest.bytes_digests(texts)
            # If keys are compared, the texts do not matter.
            masks = request.query.counting.kernel_mask_names
            same = (
                raw
                if request.key
                else digest.text_digests_null_if_blank(texts, masks=masks, jobs=jobs)
            )
            lengths = pc.binary_length(batch.column("text")).cast(pa.int64())
            arrays = [batch.column("doc"), batch.column("id"), lengths, same, raw]
            parts.append(pa.table(arrays, schema=FACTS))
        facts = pa.concat_tables(parts).combine_chunks()
        if request.key is None:
            return facts
        return arrow.replace_columns(
            facts, digest=self._read_key_digests_null_if_any_missing(request.key)
        )

    def _read_key_digests_null_if_any_missing(self, columns: tuple[str, ...]) -> pa.Array:
        """Return the digest of the values of every row in some columns.

        It is null if one of them is null or empty: such a row has no key.
        """
        values = (_read_column_as_written_strings(self.every, name) for name in columns)
        return digest.row_digests([pc.if_else(pc.equal(of, ""), None, of) for of in values])

    def read_columns_with_reference_first(self, names: Sequence[str]) -> list[pa.Array]:
        """Return columns as they are written, each with the rows of ``against`` first.

        Raises:
            ColumnTypeError: no row of the data set, or none of ``against``, has such a column.
        """
        sides = self._reference_and_own_rows()
        return [
            pa.concat_arrays([_read_column_as_written_strings(side, name) for side in sides])
            for name in names
        ]

    def read_times_in_microseconds(self, documents: pa.Table, date: str | None) -> pa.Array:
        """Return when rows were written; null if not known.

        Raises:
            OptionError: no column is named.
            ColumnTypeError: no row of the data set, or none of ``against``, has such a column, or
                it holds something else than times.
        """
        del documents
        if date is None:
            raise OptionError(
                "`window` is about times, and rows have none of their own; name the column of "
                "dates with `date`."
            )
        parts = [arrow.flat(side.read_column(date)) for side in self._reference_and_own_rows()]
        return _parse_times_of_parts(
            date, parts, lambda row: self._row_names(pa.array([row], pa.int64()))[0].as_py()
        )

    def _reference_and_own_rows(self) -> list[DataSet]:
        """Return the rows of ``against``, if there is one, and those to deduplicate."""
        sides = list[DataSet]()
        if self._reference_sources:
            sides = [self.every.with_first_sources_only(self._reference_sources)]
        return [*sides, self.own_rows]

    def _row_names(self, docs: pa.Array) -> pa.Array:
        """Return the names of rows: their files with their numbers, or as a store has them."""
        names = self.every.row_names(docs)
        if self._store_texts is None or not len(self._store_texts.names):
            return names
        last = pa.scalar(len(self._store_texts.names) - 1, pa.int64())
        stored = self._store_texts.names.take(pc.min_element_wise(docs, last))
        return pc.if_else(pc.less_equal(docs, last), stored, names)

    def with_source_names(self, documents: pa.Table) -> pa.Table:
        """Return rows with the names that people know, with their numbers, in ``source``."""
        return arrow.replace_columns(
            documents, source=self._row_names(pa.arange(0, len(documents)))
        )

    def rank_best_keeper_first(self, documents: pa.Table, policies: Sequence[str]) -> pa.Array:
        """Return the rows of ``documents``, best keeper first; policies may name columns."""
        return order_documents_best_first(
            documents,
            policies,
            read_column=self.read_or_recall_column_with_reference,
            baseline_size=self.baseline_size,
        )

    def representative_of_each_document(self, documents: pa.Table, ranking: pa.Array) -> pa.Array:
        """Return for each row the best one of equal text, or of an equal key."""
        return find_representatives(documents, ranking)

    def make_search_plan(self, query: Query) -> SearchPlan:
        """Return how pairs are found: only those that share enough, since rows are dropped."""
        return make_search_plan(query)

    def nominating_fingerprints_if_any(
        self, documents: pa.Table, plan: SearchPlan
    ) -> pa.Array | None:
        """Return the fingerprints, if they nominate the rows whose sets are joined."""
        return arrow.flat(documents["fingerprint"]) if plan.pairing == "fingerprint" else None

    def make_result(self, request: Request, decision: PipelineDecision) -> DeduplicationResult:
        """Return the result, with its report."""
        result = DeduplicationResult(
            documents=decision.documents,
            clusters=self._with_names_policies_and_own_numbers(
                decision.documents, decision.clusters, request
            ),
            contained_pairs=decision.contained_pairs,
            report={},
            baseline_size=self.baseline_size,
            ranking=decision.ranking,
            rows=self.own_rows,
            _texts=self.texts,
            _running=decision.running,
            _search=decision.search,
            _again=decision.again,
        )
        if request.count is not None:
            row_counts = result.rows.read_count_column_default_1(request.count)
            dropped_rows = result.dropped_rows
            copies = sum_weights_onto_keepers_null_if_dropped(
                row_counts, arrow.flat(dropped_rows["doc"]), arrow.flat(dropped_rows["keeper"])
            )
            represented = self._count_dropped_rows_per_stored_document(
                decision.clusters,
                dropped_docs=arrow.flat(dropped_rows["doc"]),
                row_counts=row_counts,
            )
            result = replace(result, copies=copies, represented=represented)
        result.report.update(
            report_deduplication(
                result,
                request,
                common_blocks=decision.common,
                reference_tally=self._reference_tally,
            )
        )
        return result

    def _count_dropped_rows_per_stored_document(
        self, members: pa.Table, *, dropped_docs: pa.Array, row_counts: pa.Array
    ) -> dict[int, int]:
        """Return for how many rows that go each stored document stands, by its number; nothing if
        no store is the reference.

        Args:
            members: those of clusters, with rows as they were read: stored ones first.
            dropped_docs: the rows that go, numbered without the stored ones.
            row_counts: for how many rows each stood before.
        """
        if self._store_texts is None:
            return {}
        docs, keepers = (arrow.flat(members[name]) for name in ("doc", "keeper"))
        own = pc.subtract(docs, self.baseline_size)
        goes = pc.and_(
            pc.less(keepers, self.baseline_size),
            pc.is_in(own, value_set=dropped_docs.cast(own.type)),
        )
        numbers = pa.array(self._store_texts.numbers, pa.int64())
        of = {
            "stored": numbers.take(keepers.filter(goes)),
            "rows": row_counts.take(own.filter(goes)),
        }
        sums = pa.table(of).group_by("stored", use_threads=False).aggregate([("rows", "sum")])
        columns = (sums[name].to_pylist() for name in ("stored", "rows_sum"))
        return dict(zip(*columns, strict=True))

    def read_own_columns(self, names: Sequence[str]) -> dict[str, pa.Array]:
        """Return columns of the rows as they are written, without those of ``against``."""
        return {name: _read_column_as_written_strings(self.own_rows, name) for name in names}

    def _with_names_policies_and_own_numbers(
        self, documents: pa.Table, members: pa.Table, request: Request
    ) -> pa.Table:
        """Return the members of clusters as results have them: with names and policies.

        ``policy`` is null for keepers. Rows of ``against`` have no number: the others are numbered
        from 0.
        """
        baseline_size, ids = self.baseline_size, arrow.flat(documents["id"])
        names = ("doc", "keeper", "also_like")
        docs, keepers, also = (arrow.flat(members[name]) for name in names)

        def number_in_data_set_or_null(rows: pa.Array) -> pa.Array:
            return pc.if_else(pc.less(rows, baseline_size), None, pc.subtract(rows, baseline_size))

        numbers = map(number_in_data_set_or_null, (docs, keepers, also))
        policy = self._policies_deciding_drop_or_null(documents, docs, keepers, request.query)
        if request.query.keep_up_to == 0:
            members = with_cluster_kinds_as_verdicts_of_dropped_keepers(members, arrow.flat(policy))
        columns = {
            **dict(zip(members.column_names, members.columns, strict=True)),
            **dict(zip(names, numbers, strict=True)),
            "source": self._row_names(docs),
            "id": ids.take(docs),
            "keeper_source": self._row_names(keepers),
            "keeper_id": ids.take(keepers),
            "also_like_source": self._row_names(also),
            "policy": policy,
        }
        return pa.table(columns)

    def _policies_deciding_drop_or_null(
        self, documents: pa.Table, docs: pa.Array, keepers: pa.Array, query: Query
    ) -> pa.Array:
        """Return why each member of a cluster goes; null for those that stay."""
        baseline_size = self.baseline_size
        if query.keep_up_to == 0:
            return reasons_to_drop_all_outside_baseline(docs, keepers, baseline_size)
        policies = reasons_to_drop_or_null(
            documents,
            query.keep,
            docs=docs,
            keepers=keepers,
            read_column=self.read_or_recall_column_with_reference,
            baseline_size=baseline_size,
        )
        if query.keep_up_to == 1:
            return policies
        return reasons_to_drop_beyond_limit(
            policies,
            docs,
            keepers,
            ranking=self.rank_best_keeper_first(documents, query.keep),
            baseline_size=baseline_size,
            max_staying=query.keep_up_to,
            find_deciding_policies=lambda better, worse: deciding_policies(
                documents,
                query.keep,
                better_rows=better,
                worse_rows=worse,
                read_column=self.read_or_recall_column_with_reference,
            ),
        )


def _read_column_as_written_strings(rows: DataSet, name: str) -> pa.Array:
    """Return a column as texts, as it is written."""
    return arrow.flat(rows.read_column(name, as_written=True)).cast(pa.large_string())


def _parse_times_of_parts(
    column_name: str, parts: Sequence[pa.Array], name_row: Callable[[int], str]
) -> pa.Array:
    """Return the times of a column read in parts, as ``parse_times_in_microseconds`` does."""
    times, begin = list[pa.Array](), 0
    for part in parts:
        times.append(
            parse_times_in_microseconds(column_name, part, name_row, first_row_number=begin)
        )
        begin += len(part)
    return pa.concat_arrays(times)
