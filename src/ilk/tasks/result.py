"""The result of a search: its families and pairs, what stays and what is dropped, its report."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field
from functools import cached_property, partial
from pathlib import Path
from typing import Any, NamedTuple, Self

import pyarrow as pa
import pyarrow.compute as pc

from ilk import arrow
from ilk.arrow import flat
from ilk.base import resources
from ilk.base.ahead import start_in_background
from ilk.base.arguments import suggest_arguments
from ilk.base.errors import AlarmRaised, ColumnTypeError, OptionError
from ilk.base.kinds import Share, Text
from ilk.base.options import check_option, default
from ilk.base.packages import import_optional
from ilk.base.run_options import Running
from ilk.read import Collection
from ilk.read.report import Held
from ilk.read.rows.dataset import DataSet, do_nothing
from ilk.read.rows.sources import (
    Repeat,
    make_replacing_column,
    table_with_replaced_or_more_columns,
)
from ilk.read.rows.text_path import has_list_selector
from ilk.read.rows.writing import Output
from ilk.search.clustering import CannotLink
from ilk.search.evidence import Thresholds
from ilk.search.measures import count_noun
from ilk.search.originals import Folders
from ilk.search.search import Search
from ilk.search.shared_runs import count_long_documents_sharing_rare_shingles
from ilk.tasks.apply.file_plan import PlanFiles
from ilk.tasks.apply.staying import check_drop_words
from ilk.tasks.copied import copied_parts_in_container, find_copied_parts
from ilk.write import accounts, pictures, plagiarism
from ilk.write import report as writing
from ilk.write.families import Families, Family, Fates
from ilk.write.folder_lines import TwinFolder
from ilk.write.plagiarism import CopiedParts
from ilk.write.results import (
    OrderedRows,
    clusters_with_sources,
    make_named_member_table,
    row_order_by_family_and_cluster,
    rows_for_account,
)

#: The page among accounts is a preview, with few families and members of each.
_FEW_FAMILIES, _FEW_MEMBERS = 20, 3

#: Memory to make that page while the other accounts are written: the texts of its families, and
#: 400,000 characters of names as Python's objects.
_BYTES_TO_MAKE_PAGE = 32_000_000


class _LabelColumns(NamedTuple):
    """Columns with a row for each document: its source, that of its keeper, null without one, and
    whether it is a keeper itself.
    """

    sources: pa.Array
    keeper_sources: pa.Array
    is_keeper: pa.Array


class WrittenRows(NamedTuple):
    """Which rows are written as they are, and by its number, each that is written as a mere
    reference.
    """

    whole_mask: pa.BooleanArray
    repeats: dict[int, Repeat]


@dataclass(frozen=True, repr=False, kw_only=True)
class Result(ABC):
    """What the results of ``find`` and of ``deduplicate`` have in common: families of documents.

    Iterate over it to get families (``ilk.write.families.Family``), the largest first, with the
    sources and verdicts of their members; ``len`` counts them. ``labels`` returns a row per
    document, in their order.

    Attributes:
        documents: one row per document: ``doc``, ``source``, ``id``, ``length`` (bytes of text),
            ``digest`` and ``bytes_digest``; from ``find`` also ``size`` (bytes as read),
            ``modified``, ``fingerprint`` or else the ``reason`` why it is missing. Those of
            ``against`` come first.
        clusters: one row per document of a family of two or more: ``doc``, ``family``,
            ``cluster``, ``keeper``, its measures against the keeper and the ``verdict``; for a
            keeper, ``also_like`` is the document outside its cluster that it is most like, with
            ``also_resemblance`` and ``also_verdict``. Those of ``deduplicate`` also have ``source``
            and ``id``, and the ``policy`` that chose the keeper; rows of ``against`` have no
            number.
        contained_pairs: if containment was requested, one row per document that is contained in
            another one without being near it: ``left`` in ``right``, with their measures.
        report: counts, options, failures, timings and the largest clusters, as plain values.
        baseline_size: how many documents, the first ones, are from ``against``.
        ranking: the rows of ``documents``, best keeper first.
    """

    documents: pa.Table
    clusters: pa.Table
    contained_pairs: pa.Table
    report: dict[str, Any]
    baseline_size: int
    ranking: pa.Array = field(repr=False)
    _texts: arrow.Texts = field(repr=False)
    _running: Running = field(repr=False)
    _search: Search | None = field(repr=False)
    _again: Callable[[str | float], Any] = field(repr=False)

    def at(self, resemblance: str | float) -> Self:
        """Return the result at a higher resemblance: that of a new search, without reading again.

        Raises:
            OptionError: it is lower; or only equal texts or keys were compared.
        """
        higher: Self = self._again(resemblance)
        return higher

    @property
    @abstractmethod
    def _doc_numbered_zero(self) -> int:
        """The document that is numbered 0."""

    @property
    def _first_number_after_baseline(self) -> int:
        """The number of the first document that is not from the baseline."""
        return self.baseline_size - self._doc_numbered_zero

    @property
    @abstractmethod
    def _dropped_mask_of_clusters(self) -> pa.ChunkedArray:
        """Whether each row of ``clusters`` is of a document that does not stay."""

    @abstractmethod
    def _label_columns_of_documents(self, cluster_rows: pa.Table) -> _LabelColumns:
        """Return what ``labels`` says of each document besides its row of ``clusters``.

        ``cluster_rows`` has the document's row of ``clusters`` at each position, or nulls.
        """

    @abstractmethod
    def to_arrow(self) -> pa.Table:
        """Return a table; each kind of result says which."""

    @property
    def search(self) -> Search:
        """The search that found it; an OptionError if texts were not compared, or only if equal."""
        if self._search is None:
            raise OptionError(
                "only equal texts, keys or bytes were compared, and nothing was measured."
            )
        return self._search

    @property
    def apart(self) -> CannotLink | None:
        """The pairs of documents that a person has labelled different; None without labels."""
        return None if self._search is None else self._search.meeting.apart

    def judge(self, left: pa.Array, right: pa.Array) -> pa.Table:
        """Measure pairs of documents; return their ``resemblance`` and both containments, exact.

        If the search was ``within`` columns, rows with other values there have nothing in common.

        Args:
            left, right: m rows (``doc``, ``int64``) each; a pair at each position.
        """
        return self.search.evidence.judge_pairs(
            self._check_and_convert_to_reading_order(left),
            self._check_and_convert_to_reading_order(right),
            Thresholds(),
        )

    def texts(self, rows: Any) -> pa.Array:
        """Return the texts of some documents, read again; no texts are held.

        Args:
            rows: m rows (``doc``); the text of a document may be null.

        Raises:
            SourceChanged: the source's documents have changed.
        """
        wanted = self._check_and_convert_to_reading_order(rows)
        once = pc.unique(wanted).sort()
        return arrow.take_texts(self._texts, once).take(pc.index_in(wanted, value_set=once))

    def _read_texts(self, docs: Sequence[int]) -> list[str | None]:
        return list(self.texts(docs).to_pylist()) if docs else []

    def _check_and_convert_to_reading_order(self, docs: Any) -> pa.Array:
        """Return where documents stand in the order of reading, those of ``against`` first."""
        first = -self._doc_numbered_zero
        return pc.subtract(
            arrow.check_row_numbers(docs, first, first + len(self.documents) - 1), first
        )

    @cached_property
    def pairs(self) -> pa.Table:
        """Every verified pair of documents, copies of one text included, sorted by row.

        In a result of ``deduplicate``, a row below 0 is from ``against``; the last one is -1.

        Raises:
            TooManyPairs: there are more than ``max_pairs``.
        """
        pairs = self.search.list_document_pairs()
        if self.baseline_size:
            pairs = pairs.filter(pc.greater_equal(pairs["right"], self.baseline_size))
        sides = (pc.subtract(pairs[side], self._doc_numbered_zero) for side in ("left", "right"))
        return arrow.replace_columns(pairs, **dict(zip(("left", "right"), sides, strict=True)))

    @property
    def alarms(self) -> list[str]:
        """The reasons to look before anything is dropped."""
        return list(self.report["alarms"])

    @property
    def families(self) -> list[Family]:
        """The families, the largest first."""
        return list(self)

    def __iter__(self) -> Iterator[Family]:
        return iter(self._families_by_gain_or_size(by_gain=False))

    def __len__(self) -> int:
        return int(self.report["families"])

    def __bool__(self) -> bool:
        """Return True: without families too, it is a result."""
        return True

    @property
    def dropped_rows(self) -> pa.Table:
        """The rows of ``clusters`` that are like a keeper: the documents that do not stay."""
        return self.clusters.filter(self._dropped_mask_of_clusters)

    @cached_property
    def keep_mask(self) -> pa.BooleanArray:
        """Whether each document stays; documents of ``against`` are not among them."""
        places = pc.subtract(
            self.clusters["doc"].filter(self._dropped_mask_of_clusters),
            self._first_number_after_baseline,
        )
        dropped_places, last = arrow.flat(places), len(self.documents) - self.baseline_size - 1
        return pc.scatter(
            pa.repeat(True, len(dropped_places)), dropped_places, max_index=last
        ).is_null()

    @property
    def _docs_after_baseline(self) -> pa.Array:
        """The documents that are not from ``against``."""
        begin = self._first_number_after_baseline
        return pa.arange(begin, begin + len(self.documents) - self.baseline_size)

    def labels(self) -> pa.Table:
        """Return one row per document, in their order, without an index.

        Documents of ``against`` have no row. For rows with the index of a data frame of pandas,
        take ``frame.ilk.clusters()``.

        Returns:
            ``source`` and ``id``; ``family``, ``cluster`` and ``keeper`` (a source), null for a
            document in no family; ``verdict``: ``unique``, ``keeper``, or the verdict against the
            keeper; its ``resemblance`` to the keeper; and ``keeper_doc``, the row of that.
        """
        at = arrow.flat(
            pc.index_in(self._docs_after_baseline, value_set=arrow.flat(self.clusters["doc"]))
        )
        rows = self.clusters.take(at)
        sources, keepers, is_keeper = self._label_columns_of_documents(rows)
        verdict = pc.coalesce(pc.if_else(is_keeper, "keeper", rows["verdict"]), pa.scalar("unique"))
        columns = {
            "source": sources,
            "id": self.documents["id"].slice(self.baseline_size),
            "family": rows["family"],
            "cluster": rows["cluster"],
            "keeper": keepers,
            "verdict": verdict,
            "resemblance": rows["resemblance"],
            "keeper_doc": rows["keeper"],
        }
        return pa.table({name: arrow.flat(column) for name, column in columns.items()})

    def weights(self) -> pa.Array:
        """Return a weight for each document, for those who weigh copies instead of dropping them.

        It is 1 / n for a document in a cluster of n, and 1 for one in none, so those of a cluster
        add up to 1. Documents of ``against`` do not count, and have no weight.

        Returns:
            n weights (``float64``), above 0, in the order of the documents.
        """
        own = self.clusters.filter(
            pc.fill_null(
                pc.greater_equal(self.clusters["doc"], self._first_number_after_baseline), False
            )
        )
        sizes = (
            arrow.count_rows_with_same_name(own["cluster"])
            if len(own)
            else pa.array([], pa.int64())
        )
        at = pc.index_in(self._docs_after_baseline, value_set=arrow.flat(own["doc"]))
        return pc.divide(1.0, pc.fill_null(sizes.take(at), 1).cast(pa.float64()))

    def to_pandas(self) -> Any:
        """Return the table of ``to_arrow`` as a pandas data frame; MissingExtra without pandas."""
        import_optional("pandas", "pandas")
        return self.to_arrow().to_pandas()

    def to_polars(self) -> Any:
        """Return the table of ``to_arrow`` as a Polars data frame; MissingExtra without Polars."""
        return import_optional("polars", "polars").from_arrow(self.to_arrow())

    def _families_by_gain_or_size(
        self,
        fates: Fates | None = None,
        *,
        by_gain: bool = True,
        named_members: pa.Table | None = None,
    ) -> Families:
        """Return the families, those with the most to gain first, or else the largest.

        ``named_members``: from ``make_named_member_table``, if they are there already.
        """
        if named_members is None:
            named_members = make_named_member_table(self.documents, self.clusters)
        order = row_order_by_family_and_cluster(named_members, "size")
        resources.release_freed_memory()
        return Families(
            ordered_rows=OrderedRows(named_members, order),
            documents=self.documents,
            read_texts=self._read_texts,
            first=self._doc_numbered_zero,
            files=fates,
            by_gain=by_gain,
        )

    @suggest_arguments
    def plot(self, ax: Any = None) -> Any:
        """Draw how alike near documents are to their keepers; see ``ilk.write.pictures``."""
        min_resemblance = float(self.report["options"]["resemblance"] or default("resemblance"))
        return pictures.draw_resemblance_histogram(
            self._families_by_gain_or_size().resemblances_of_inexact_members, min_resemblance, ax
        )

    def _repr_html_(self) -> str:
        return self._families_by_gain_or_size().read_texts_and_render_notebook_html(self.report)

    def _report_for_terminal(self, first_line: str) -> str:
        """Return what stands in a terminal: that line, what is certain, and the alarms."""
        alarms = (f"alarm: {reason}" for reason in self.alarms)
        return "\n  ".join([first_line, self.report["promise"], *alarms])

    def _read_and_prepare_page(
        self,
        families: int | None,
        members: int | None,
        *,
        fates: Fates | None = None,
        folders: Sequence[TwinFolder] = (),
        without_copy: frozenset[str] = frozenset(),
        shares: dict[str, Any] | None = None,
        brief: bool = False,
        done: bool = False,
        named_members: pa.Table | None = None,
    ) -> Callable[[], str]:
        """Read the texts that a page shows, and return what makes the page of them."""
        all_families = self._families_by_gain_or_size(fates, named_members=named_members)
        families_and_texts = writing.choose_families_and_read_page_texts(
            all_families,
            families_shown=check_option("report_families", families),
            members_shown=check_option("report_members", members),
            brief=brief,
        )
        return partial(
            writing.render_report_page,
            self.report,
            all_families,
            self.documents.slice(self.baseline_size),
            families_and_texts,
            files=fates,
            folders=folders,
            files_without_copy=without_copy,
            copied_words=shares,
            brief=brief,
            already_dropped=done,
        )


@dataclass(frozen=True, repr=False, kw_only=True)
class SearchResult(Result):
    """The result of ``find``: documents of any kind, which are shown and not written.

    Attributes:
        roots: the paths that were given, if they are paths.
        reference_roots: those of ``against``, if they are paths.
        folders: where the documents are, ranked, if that decided which stay.
        inside: by file, what is in it without a text.
        unread: the names of files without a text whose bytes were compared.
        reference_unread: those of ``against``, which were compared with no other.
    """

    roots: Sequence[str] = ()
    reference_roots: Sequence[str] = ()
    folders: Folders | None = field(default=None, repr=False)
    inside: Mapping[str, Sequence[Held]] = field(default_factory=dict, repr=False)
    unread: frozenset[str] = field(default=frozenset(), repr=False)
    reference_unread: frozenset[str] = field(default=frozenset(), repr=False)
    _copied_parts: dict[tuple[int, bool], list[CopiedParts]] = field(
        init=False, repr=False, compare=False, default_factory=dict
    )

    @property
    def _doc_numbered_zero(self) -> int:
        return 0

    @property
    def unread_files_without_copy(self) -> frozenset[str]:
        """The names of files without a text of whose bytes there is no copy: no documents."""
        if not self.unread:
            return self.unread
        return self.unread.difference(self.documents["file"].to_pylist())

    @property
    def _dropped_mask_of_clusters(self) -> pa.ChunkedArray:
        return pc.not_equal(self.clusters["doc"], self.clusters["keeper"])

    def _label_columns_of_documents(self, cluster_rows: pa.Table) -> _LabelColumns:
        sources = arrow.flat(self.documents["source"])
        keepers = sources.take(arrow.flat(cluster_rows["keeper"]))
        return _LabelColumns(
            sources.slice(self.baseline_size),
            keepers,
            pc.equal(cluster_rows["doc"], cluster_rows["keeper"]),
        )

    def to_arrow(self) -> pa.Table:
        """Return one row per member of a family, with the columns of CSV."""
        return clusters_with_sources(self.documents, self.clusters)

    def column(self, name: str) -> pa.Array:
        """Return another column of the rows that were searched, a value for each document.

        The rows are read again. Numbers, times or strings are returned, whichever all values are.
        A path with brackets, such as ``links[].href``, leads into lists; then the texts there are
        joined, with a blank line between them.

        Raises:
            OptionError: the name is no text; or documents are not rows, or come from a store or
                from what can be read only once.
            ColumnTypeError: the rows have no such column, or it holds several kinds of values.
        """
        name = Text().check("name", name)
        if not isinstance(self._texts, Collection):
            raise OptionError(f"these documents have no column {name}; name files of rows.")
        if has_list_selector(name):
            return pa.concat_arrays(self._texts.read_other_texts_of_parts_not_stored(name))
        parts = self._texts.read_column_of_each_part(name, as_written=False)
        if len({part.type for part in parts}) > 1:
            types = " and ".join(str(part.type) for part in parts)
            raise ColumnTypeError(f"the column {name} has the types {types}; cast one.")
        return pa.concat_arrays(parts)

    def files(self, *, drop: str | Iterable[str] = ()) -> PlanFiles:
        """Decide which files go: those whose bytes stay, and what a person lets go besides.

        Args:
            drop: verdicts at which a document may go for its keeper, as far as ilk reads both:
                ``exact``, ``near``, ``numbers_only``, ``noisy``, ``contained``; ``formats`` also
                for one of another format; ``empty`` lets empty files go.

        Raises:
            OptionError: a word of drop is unknown.
        """
        return PlanFiles(self, check_drop_words(drop))

    def copied_parts(
        self, min_words: int = default("min_words"), *, among: bool = default("among")
    ) -> list[CopiedParts]:
        """Return which parts of documents are in others, word for word, the largest share first.

        With ``against``, for all documents except those of ``against``: runs of words that are in
        one of those; the first that has them counts. With ``among``, for all documents: those that
        are in another one. Otherwise, for the ``contained`` documents, what is in the document that
        contains them.

        Args:
            min_words: the least number of words in a run.
            among: count words that are in another document; with ``against``, those that no
                document of ``against`` has.
        """
        checked_min_words = check_option("min_words", min_words)
        limit = _name_within_or_window_or_none(self.report["options"])
        if (self.baseline_size or among) and limit:
            raise OptionError(
                f"shares of words are counted in all documents, whatever `{limit}` says; search "
                f"again without `{limit}`."
            )
        if self.baseline_size or among:
            all_parts = self._copied_parts.get((checked_min_words, among))
            if all_parts is None:
                running = self._running
                all_parts = find_copied_parts(
                    self._texts,
                    self.baseline_size,
                    checked_min_words,
                    running,
                    among_own_texts=among,
                )
                self._copied_parts[checked_min_words, among] = all_parts
            return list(all_parts)
        left, right = (self.contained_pairs[side].to_pylist() for side in ("left", "right"))
        both = zip(left, right, self.texts(left), self.texts(right), strict=True)
        return [
            copied_parts_in_container(a, one.as_py(), b, other.as_py(), min_words=checked_min_words)
            for a, b, one, other in both
        ]

    def shares(
        self, min_words: int = default("min_words"), *, among: bool = default("among")
    ) -> list[dict[str, Any]]:
        """Return ``copied_parts`` as plain values: how much of each document is in each source."""
        return plagiarism.copied_word_counts_as_dicts(
            self.copied_parts(min_words, among=among), self.documents["source"]
        )

    def page(
        self,
        families: int | None = None,
        members: int | None = None,
        min_words: int = default("min_words"),
        *,
        among: bool = default("among"),
        files: PlanFiles | None = None,
        brief: bool = False,
        done: bool = False,
    ) -> str:
        """Return the report as one page of HTML that needs no network.

        Args:
            families: how many to show with texts, the largest first, and how many documents with
                words that are elsewhere; the others are in a table.
            members: how many members of a family to show with their differences from the keeper.
            min_words, among: as for ``copied_parts``.
            files: what happens to files, of ``files``; by default, with its defaults.
            brief: whether the page holds fewer of the other families, and no texts of them.
            done: whether rows are dropped already: they have gone, and not only could go.
        """
        if files is not None and not isinstance(files, PlanFiles):
            raise OptionError(f"files is {files!r}; it must be what `files` returns.")
        if files is None and self.roots:
            files = self.files()
        make_page = self._read_and_prepare_page(
            families,
            members,
            fates=None if files is None else files.file_fates(),
            folders=() if files is None else files.twin_folders,
            without_copy=self.unread_files_without_copy,
            shares=self._page_values_of_shares_or_none(families, min_words, among=among),
            brief=brief,
            done=done,
        )
        return make_page()

    def _page_values_of_shares_or_none(
        self, families: int | None, min_words: int, *, among: bool
    ) -> dict[str, Any] | None:
        """Return the shares of words that are elsewhere; None if the search was not for them."""
        options = self.report["options"]
        counted = options["containment"] is not None
        if not among and (
            not counted or (self.baseline_size and _name_within_or_window_or_none(options))
        ):
            return None
        all_parts = self.copied_parts(min_words, among=among)
        return plagiarism.read_values_of_copied_page(
            all_parts,
            self.documents,
            self._read_texts,
            shares_of_all_copied_documents=[one.share for one in all_parts],
            most_shown=check_option("report_families", families),
            least_words=check_option("min_words", min_words),
            among=among,
        )

    def count_documents_sharing_runs(self, share: float = 0.2) -> int:
        """Return how many documents without a family have runs of words that few others have.

        Args:
            share: the share of a document's word shingles that must also be in other documents,
                each in at most a tenth of the documents, or in three of them.

        Raises:
            OptionError: texts were not compared, or the share is not above 0 and at most 1.
        """
        min_share = float(Share().check("share", share))
        rows = pc.invert(pc.is_in(self.documents["doc"], value_set=pc.unique(self.clusters["doc"])))
        return count_long_documents_sharing_rare_shingles(
            self.search.evidence, flat(rows), min_share=min_share
        )

    def __repr__(self) -> str:
        count = count_noun(len(self), "family", "families")
        inside = f"{self.report['in_families']:,} of them in {count}"
        return self._report_for_terminal(
            f"SearchResult: {self.report['documents']:,} documents, {inside}"
        )


@dataclass(frozen=True, repr=False, kw_only=True)
class DeduplicationResult(Result):
    """The result of ``deduplicate``: rows; those that stay can be written.

    Its documents are numbered without those of ``against``; a row below 0 is from there.

    Attributes:
        rows: the rows that were deduplicated.
        copies: for how many rows each of them stands, null for those that go; None unless
            ``count`` asks for it.
        represented: how many rows went for each of some documents of a store (``against``), by
            their numbers; empty unless ``count`` asks for it.
    """

    rows: DataSet = field(repr=False)
    copies: pa.Array | None = field(default=None, repr=False)
    represented: Mapping[int, int] = field(default_factory=dict, repr=False)

    @property
    def _doc_numbered_zero(self) -> int:
        return self.baseline_size

    @property
    def _dropped_mask_of_clusters(self) -> pa.ChunkedArray:
        # Only a keeper has no policy; ``doc != keeper`` would be null for a keeper of the baseline,
        # which has no number.
        return pc.is_valid(self.clusters["policy"])

    def _label_columns_of_documents(self, cluster_rows: pa.Table) -> _LabelColumns:
        stays = pc.if_else(cluster_rows["doc"].is_valid(), cluster_rows["policy"].is_null(), None)
        names = self.rows.row_names(self._docs_after_baseline)
        return _LabelColumns(names, cluster_rows["keeper_source"], stays)

    def to_arrow(self) -> pa.Table:
        """Return the kept rows.

        They have all columns for tables and Parquet; source, id and text for other files.
        """
        return self.rows.read_table_of_all_or_document_columns(
            self.keep_mask, self._copies_column_if_counted()
        )

    def _copies_column_if_counted(self) -> pa.Table | None:
        """Return a column of ``copies`` to put beside the rows; None unless it was asked for."""
        if self.copies is None:
            return None
        return make_replacing_column(self.report["options"]["count"], self.copies)

    def page(
        self,
        families: int | None = None,
        members: int | None = None,
        *,
        brief: bool = False,
        done: bool = False,
    ) -> str:
        """Return the report as one page of HTML that needs no network.

        Args:
            families: how many to show with texts, the largest first; the others are in a table.
            members: how many members of a family to show with their differences from the keeper.
            brief: whether the page holds fewer of the other families, and no texts of them.
            done: whether rows are dropped already: they have gone, and not only could go.
        """
        return self._read_and_prepare_page(families, members, brief=brief, done=done)()

    def write(
        self,
        output: Output,
        *,
        annotate: bool = False,
        revisits: bool = False,
        accept_alarm: bool = False,
        force: bool = False,
    ) -> None:
        """Write the kept rows, unchanged, and the folder of accounts beside them.

        Args:
            output: a file; or a folder, for one file per source. The accounts go to
                ``output.ilk/``. An open file, a pipe or a device gets only the rows.
            annotate: write all rows, with columns after their own: ``ilk_cluster``,
                ``ilk_verdict`` (``unique``, ``keeper``, or why it would be dropped),
                ``ilk_keeper`` (a source) and ``ilk_resemblance``.
            revisits: also write each dropped capture of a WARC file whose payload is that of its
                keeper, as a revisit record. ``report["revisits"]`` counts them, and
                ``report["whole"]`` dropped captures that are written whole, because a revisit
                record refers to them, or because they are one.
            accept_alarm: write despite an alarm.
            force: replace existing output.

        Raises:
            AlarmRaised: there is an alarm; nothing is written.
            OutputError, OptionError: it cannot be written there
                (``DataSet.refuse_unwritable_output``).
            SourceChanged: a file has changed since it was read.
        """
        self.refuse_alarm(accept_alarm)
        self.rows.refuse_unwritable_output(
            output, force=force, with_added_columns=annotate or self.copies is not None
        )
        if revisits:
            self.rows.refuse_unwritable_revisits(output)
        rows = pa.repeat(True, len(self.keep_mask)) if annotate else self.keep_mask
        names = {name: f"ilk_{name}" for name in ("cluster", "verdict", "keeper", "resemblance")}
        added_columns = self._copies_column_if_counted()
        if annotate:
            labels = self.labels().select([*names]).rename_columns(names)
            added_columns = (
                labels
                if added_columns is None
                else table_with_replaced_or_more_columns(labels, added_columns)
            )
        repeats = None
        if revisits:
            rows, repeats = self._split_whole_rows_and_revisits()
        beside = accounts.account_folder_beside_output_or_none(output)
        # Who finds the rows finds the accounts of them.
        with (
            nullcontext(do_nothing)
            if beside is None
            else self._write_account_and_yield_page_writer(beside, done=True) as finish
        ):
            count = self.rows.write(
                rows,
                output,
                added_columns=added_columns,
                repeats=repeats,
                force=force,
                before_first_file_ends=finish,
            )
        if revisits:
            self.report["whole"] = rows.true_count - self.keep_mask.true_count
            self.report["revisits"] = count - rows.true_count

    def _split_whole_rows_and_revisits(self) -> WrittenRows:
        """Return which rows are written as they are, and which as revisits of these."""
        references = dict(self.rows.revisits())
        whole = self.keep_mask.to_pylist()
        for row, original in references.items():
            if whole[row]:
                whole[original] = True
        for row, original in references.items():
            # A reference to what is there is right already.
            whole[row] = whole[row] or whole[original]
        repeats = {}
        dropped = self.dropped_rows
        pairs = zip(dropped["doc"].to_pylist(), dropped["keeper"].to_pylist(), strict=True)
        for row, keeper in pairs:
            if not whole[row]:
                repeats[row] = Repeat(
                    original=self.rows.source_row_of(references.get(keeper, keeper)),
                    content=self.rows.source_row_of(references.get(row, row)),
                )
        return WrittenRows(pa.array(whole, pa.bool_()), repeats)

    def refuse_alarm(self, accepted: bool) -> None:
        """Raise AlarmRaised if there is an alarm that was not accepted."""
        if self.alarms and not accepted:
            raise AlarmRaised(self.alarms, self)

    def write_account(self, folder: Path) -> None:
        """Write what was found, and what would be dropped and why, into a folder."""
        with self._write_account_and_yield_page_writer(Path(folder), done=False) as finish:
            finish()

    @contextmanager
    def _write_account_and_yield_page_writer(
        self, folder: Path, *, done: bool
    ) -> Iterator[Callable[[], None]]:
        """Begin to write the accounts into a folder; the function that it yields ends that, and
        writes the page. Where threads and memory allow, a thread writes them while the texts of
        the page are read, and another makes the page until the function is called.

        ``done``: whether the kept rows are written too, so that the others have gone.
        """
        if self._search is not None:
            self._search.release_pages_and_freed_memory()
        named_members = make_named_member_table(self.documents, self.clusters)
        write_account = partial(
            accounts.write_clusters_dropped_pairs_report_rejected,
            folder,
            rows_for_account(named_members, self.clusters),
            self.rows.read_rejected_rows(),
            self.report,
        )
        threads = self._running.thread_count_that_fits(bytes_per_helper=_BYTES_TO_MAKE_PAGE)
        with start_in_background(write_account, threads) as wait_for_account:
            del write_account
            make_page = self._read_and_prepare_page(
                _FEW_FAMILIES, _FEW_MEMBERS, brief=True, done=done, named_members=named_members
            )
            del named_members
            with start_in_background(make_page, threads) as wait_for_page:
                del make_page
                resources.release_freed_memory()

                def finish() -> None:
                    wait_for_account()
                    accounts.write_report_page(folder, wait_for_page())

                yield finish

    def __repr__(self) -> str:
        report = self.report
        line = f"DeduplicationResult: {report['documents']:,} rows, {report['kept']:,} of them kept"
        dropped = ", ".join(f"{count:,} {verdict}" for verdict, count in report["dropped"].items())
        return self._report_for_terminal(f"{line}\n  dropped: {dropped}" if dropped else line)


def _name_within_or_window_or_none(options: dict[str, Any]) -> str | None:
    """Return the option by which only some documents were compared; None without one."""
    return next((name for name in ("within", "window") if options.get(name)), None)
