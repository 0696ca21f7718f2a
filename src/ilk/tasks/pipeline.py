"""The one pipeline of ``find`` and ``deduplicate``: read, rank, pair, verify, cluster, report.

A ``SearchPipeline`` reads everything once, and decides as often as asked, at its resemblance or a
higher one.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from dataclasses import replace
from datetime import datetime, timedelta
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any, Generic, TypeVar

import pyarrow as pa
import pyarrow.compute as pc

from ilk import arrow
from ilk.base import resources
from ilk.base.arguments import refuse_idle_or_unknown_arguments
from ilk.base.checkpoints import MakeStep, NoWork, WorkFolder, resumable_work_folder
from ilk.base.errors import AlarmRaised, OptionError
from ilk.base.kinds import SizeRange
from ilk.base.options import OF_NEAR, OF_TEXTS
from ilk.base.progress import Progress, StepTimer, accept_true_as_progress
from ilk.base.run_options import Running
from ilk.fingerprints.digest import digest_of_pieces
from ilk.fingerprints.recipe import SIMILARITY_INDEX, Recipe, check_recipe
from ilk.read import Reading
from ilk.read.collection import open_rows_replacing_paths_if_asked
from ilk.read.formats.parts import Limits
from ilk.search import search_plan
from ilk.search.alarms import AlarmLimits
from ilk.search.base_text import query_with_base_text_if_given
from ilk.search.clustering import make_clusters_of_equal_digests
from ilk.search.evidence import OneSite
from ilk.search.linkage import Clustering, cluster_pairs_with_baseline
from ilk.search.meeting import Meeting, Window, representatives_from_baseline_or_self
from ilk.search.query import NOMINATING, Query
from ilk.search.ranking import CENTRAL
from ilk.search.read_documents import ReadDocuments, without_common_blocks
from ilk.search.search import Search
from ilk.search.sites import site_numbers_or_null_refusing_none
from ilk.search.within import (
    number_groups_by_first_row,
    separate_digests_by_group,
    separate_evidence_by_group,
)
from ilk.tasks import labels as labelling
from ilk.tasks import row_plan
from ilk.tasks.request import Request
from ilk.tasks.result import DeduplicationResult, Result, SearchResult
from ilk.tasks.sources import (
    DocumentSource,
    FileSource,
    PipelineDecision,
    PipelineSource,
    RowSource,
)
from ilk.tasks.steps import (
    progress_steps_of_reading_sources,
    progress_steps_of_search,
    progress_steps_of_writing,
)
from ilk.tasks.stored_reference import (
    StoreOrPath,
    find_or_make_store_removed_if_unused,
    path_of_store,
    read_source_to_ask_store_if_any,
)
from ilk.write import accounts

#: Steps whose results are not kept: each is made when it is asked for.
_NOTHING_KEPT = NoWork()
_MAKE_UNKEPT: MakeStep = _NOTHING_KEPT.load_or_make


R = TypeVar("R", bound=Result)


class SearchPipeline(Generic[R]):
    """Documents that are read and ranked once, and the results for them."""

    def __init__(
        self,
        source: PipelineSource[R],
        request: Request,
        running: Running,
        work: WorkFolder | NoWork = _NOTHING_KEPT,
    ) -> None:
        """Read, rank and group equal documents; ``work`` has what a former run has left."""
        query = request.query
        self._source, self._running = source, running
        documents, documents_read = source.read_facts_and_evidence(request, running, work)
        self._ranking = source.rank_best_keeper_first(documents, query.keep)
        # Digests that differ between groups; results keep the true ones, so that representatives
        # alone see these.
        compared, groups = documents, None
        if request.within:
            groups = number_groups_by_first_row(
                source.read_columns_with_reference_first(request.within)
            )
            compared = separate_digests_by_group(documents, groups)
        representatives = source.representative_of_each_document(compared, self._ranking)
        apart = window = None
        if request.window is not None:
            times = source.read_times_in_microseconds(documents, request.date)
            window = Window(times, request.window // timedelta(microseconds=1), representatives)
            representatives = window.best_copies_at_equal_time(self._ranking)
        if request.labels is not None:
            apart = labelling.cannot_link_of_labels(
                request.labels, source.with_source_names(documents)
            )
            representatives = apart.split_representatives(representatives, self._ranking)
        if request.only_against:
            representatives = representatives_from_baseline_or_self(
                representatives, source.baseline_size
            )
        self._common = None
        if documents_read is not None and query.common_blocks is not None:
            # Groups, times, labels and `only_against` may keep copies apart; they are copies still,
            # and a text is no template of its own copies.
            documents_read, self._common = without_common_blocks(
                documents_read,
                source.representative_of_each_document(documents, self._ranking),
                max_documents_of_block=query.common_blocks,
                recipe=query.recipe,
            )
            changed = {*documents.column_names} & {"fingerprint", "reason"}
            documents = arrow.replace_columns(
                documents, **{name: documents_read.documents[name] for name in changed}
            )
        if documents_read is not None and groups is not None:
            documents_read = separate_evidence_by_group(documents_read, groups, running)
        # What results show of documents, and what a search needs: None if only equal ones count.
        self._documents, self._documents_read = documents, documents_read
        self._meeting = Meeting(
            representatives,
            apart=apart,
            window=window,
            baseline_size=source.baseline_size,
            compares_only_with_baseline=request.only_against,
        )

    def decide(self, request: Request, make_or_load_step: MakeStep = _MAKE_UNKEPT) -> R:
        """Pair, verify, cluster and report.

        Args:
            request: that of this pipeline, or the same at a higher resemblance.
            make_or_load_step: makes the table of a named step, or takes what an interrupted run
                has left.
        """
        documents, ranking = self._documents, self._ranking
        query, baseline_size, search = request.query, self._source.baseline_size, None
        contained_pairs = arrow.PAIRS.empty_table()
        if self._documents_read is None:
            members = make_clusters_of_equal_digests(
                documents,
                self._meeting.representatives,
                baseline_size=baseline_size,
                clustering=self._cluster_copies_if_window(request),
                digests_are_of_keys=request.key is not None,
            )
        else:
            search = self._make_search(self._documents_read, request)
            if CENTRAL in query.keep:
                sums = make_or_load_step(
                    CENTRAL,
                    lambda: pa.table({CENTRAL: search.scaled_resemblance_sums_of_documents()}),
                )
                documents = documents.append_column(CENTRAL, sums[CENTRAL])
                ranking = self._source.rank_best_keeper_first(documents, query.keep)
            members = make_or_load_step("clusters", partial(search.find_members, ranking))
            contained_pairs = search.pair_contained_with_one_container_if_sought(members)
            contained_pairs = contained_pairs.filter(
                pc.greater_equal(contained_pairs["left"], baseline_size)
            )
            search.release_pages_and_freed_memory()
        decision = PipelineDecision(
            documents=documents,
            clusters=members,
            contained_pairs=contained_pairs,
            ranking=ranking,
            search=search,
            apart=self._meeting.apart,
            common=self._common,
            running=self._running,
            again=partial(
                self._decide_at_higher_resemblance, request
            ),  # Not a closure: results are pickled.
        )
        return self._source.make_result(request, decision)

    def _decide_at_higher_resemblance(self, request: Request, resemblance: float) -> R:
        return self.decide(request.with_higher_resemblance(resemblance))

    def _cluster_copies_if_window(self, request: Request) -> Clustering | None:
        """Return the clusters of representatives of equal texts, keys or bytes; None without a
        window: what else keeps equal documents apart does so for good, and leaves nothing to join.
        """
        if self._meeting.window is None:
            return None
        baseline_size, query = self._source.baseline_size, request.query
        pairs = self._meeting.list_equal_representative_pairs_in_window(query.max_pairs)
        pairs = pairs.filter(pc.greater_equal(pairs["right"], baseline_size))
        alike = pairs.append_column("resemblance", pa.repeat(1.0, len(pairs)))
        return cluster_pairs_with_baseline(
            alike, self._ranking, query.linkage, baseline_size=baseline_size
        )

    def _make_search(self, documents_read: ReadDocuments, request: Request) -> Search:
        source, documents, one_site = self._source, self._documents, None
        if request.query.same_site is not None:
            numbers = site_numbers_or_null_refusing_none(
                documents, self._meeting.representatives, source.roots
            )
            one_site = OneSite(numbers, request.query.same_site)
        plan = source.make_search_plan(request.query)
        return Search(
            documents=documents,
            evidence=documents_read.evidence,
            meeting=self._meeting,
            plan=plan,
            running=self._running,
            one_site=one_site,
            nominating_fingerprints=source.nominating_fingerprints_if_any(
                documents_read.documents, plan
            ),
            documents_read=documents_read,
        )


@refuse_idle_or_unknown_arguments(OF_TEXTS)
@accept_true_as_progress
def find(
    source: Any,
    *,
    against: Any = None,
    identical: bool = False,
    recipe: Recipe | str | None = None,
    labels: str | os.PathLike[str] | None = None,
    ignore_text: str | os.PathLike[str] | Sequence[str | os.PathLike[str]] | None = None,
    within: str | Sequence[str] | None = None,
    window: str | timedelta | None = None,
    date: str | None = None,
    only_against: bool = False,
    memory: str | int | None = None,
    jobs: int | None = None,
    progress: Progress | bool | None = None,
    # Parameters find, by scripts/make-signatures.
    resemblance: str | float | None = 0.8,
    noise: str | float | None = None,
    keep: str | Sequence[str] = "original",
    shingle: int | None = 3,
    by: str | None = None,
    as_: str | None = None,
    ignore: str | Sequence[str] | None = None,
    same_site: str | float | None = None,
    pairing: str | None = None,
    recall: str | float | None = None,
    linkage: str | None = "anchored",
    max_pairs: int | None = 100_000_000,
    common_blocks: int | None = None,
    containment: str | float | None = None,
    radius: int | None = None,
    similarity: str | float | None = None,
    unverified: bool = False,
    text: str | Sequence[str] | None = "text",
    id: str | None = None,
    encoding: str | None = None,
    rows: bool = False,
    folder_as_document: bool = False,
    include: Sequence[str] = (),
    exclude: Sequence[str] = (),
    cache: str | os.PathLike[str] | None = None,
    extract: str | None = "none",
    convert: Mapping[str, Sequence[str]] | None = None,
    convert_timeout: float | None = 60.0,
    ocr: str | Sequence[str] | None = None,
    replies: str | None = "keep",
    limits: Limits | None = None,
    links: bool = False,
    gitignore: bool = False,
    no_hidden: bool = False,
    one_file_system: bool = False,
    size: str | SizeRange | None = None,
    newer: str | datetime | None = None,
    older: str | datetime | None = None,
    depth: int | None = None,
    # End of what is written.
) -> SearchResult:
    """Find exact and near-duplicate documents.

    The result contains families: the documents that verified pairs connect. A family consists of
    clusters, each a keeper with members that were verified against it. Iterate over the result to
    get families; ``result.labels()`` has a row per document, ``result.to_arrow()`` (``to_pandas``,
    ``to_polars``) a row per member, ``result.pairs`` every pair, and ``result.report`` what
    happened, as plain values.

    >>> words = "it was the best of times it was the worst of times and nobody knew it then"
    >>> result = find([words, words + " or now", "something else", words])
    >>> for family in result:
    ...     for member in family.members:
    ...         print(member.source, member.verdict, member.resemblance)
    #0 identical 1.0
    #1 near 0.8909090909090909
    #3 identical 1.0
    >>> result.labels()["family"].to_pylist()
    [0, 0, None, 0]

    Args:
        source: a path (``str`` or ``Path``) or a list of ``Path`` (folders are read recursively;
            files with an extension for rows, row by row); a list of ``str``, which are texts
            (refused if every one names a file); a dict that maps ids to texts; a column of texts;
            or a table.
        against: another collection, given like ``source``: also find documents that are like one of
            its documents, or part of one; those become the keepers. Its own duplicates are not
            reported. Files without a text are not compared with it, except by ``identical``.
        identical: find only files of equal bytes, whatever they hold; the source is paths, and no
            text is read.
        recipe: how to make fingerprints; by default a SimHash of words if ``similarity`` is given,
            or else ``Recipe()``.
        progress: a function that follows every step; True draws a line on stderr.

    Options:
        labels: pairs that you have labelled: two names and 1 (the same) or 0 (different), separated
            by tabs; ``scan`` and ``dedup`` never group pairs labelled different.
        ignore_text: leave out of all texts what stands word for word in this file, folder or rows,
            such as a template or a licence; repeatable.
        within: compare only rows that have the same value in this column, such as a language; if
            repeated, in all of these columns; null and empty are one value.
        window: compare only documents that are at most this far apart in time, such as 30m, 12h, 7d
            or 2w, by the column of ``date``, or by when files were modified; a family may be
            longer; documents without a time are compared with each other.
        date: the column of times: dates or times of ISO 8601, or seconds since 1970; only with
            ``window``.
        only_against: compare documents with those of ``against`` alone, and not with each other;
            only with ``against``.
        memory: the most memory that the process may use, such as 2GB (kept to within some 60 MB;
            beyond a million rows, up to 100 bytes a row more); the result is the same (default:
            half of the free memory).
        jobs: threads (default: one per processor).
        resemblance: the least share of shingles that near-duplicates have in common, verified on
            the texts.
        noise: also find scanned, retyped or transcribed copies in which up to this share of the
            characters is wrong; at most 10%.
        keep: which document of a cluster stays (original: fewer marks of a copy in its path, then
            the folder that people use, then the oldest; first: first in source order; last: last in
            source order; longest: most text; shortest: least text; newest: modified last; oldest:
            modified first; central: greatest sum of resemblances in its family; prefer:PATTERN:
            name or path matches the glob, as for ``exclude``); if repeated, the first one that
            decides.
        shingle: words per shingle.
        by: compare all texts by words, or by characters (default: by characters where one text has
            fewer than 50 words and the other fewer than 100, else by words).
        as_: compare programs: a name, a number or a string is one word, whichever it is, and
            comments and layout do not count; ``code`` takes the language from the name of each
            file, ``code:python`` names it; needs the extra ``code`` (default: as they are).
        ignore: do not see these differences, separated by commas (accents: accents of letters;
            digits: which number it is: every run of digits counts as one 0; punctuation:
            punctuation and symbols: they count as spaces, and an apostrophe within a word as
            nothing); texts that differ in nothing else are exact copies; repeatable.
        same_site: the resemblance that two documents of one site need, since both contain its
            template: a share, or ``stricter`` for 0.9; the site is the host of an id that is a URL,
            or else the first folder below the path.
        pairing: exact: join the shingle sets and miss nothing; fingerprint: find candidates by
            fingerprint, then verify them (default: exact).
        recall: the share of the near-duplicates to find by fingerprint; it decides the radius; only
            with ``pairing``.
        linkage: anchored: every member is like its keeper; connected: every member is like some
            other member.
        max_pairs: stop with an error if there are more pairs than this.
        common_blocks: ignore paragraphs and lines that more than N documents share, and list them.
        containment: also report a document if at least this share of it is in another one.
        radius: compare only pairs whose fingerprints differ in at most this many bits.
        similarity: the same as a radius, as a share of equal bits, such as 90%.
        unverified: also show pairs within the radius that are below ``resemblance``, with the
            verdict ``within N bits``.
        text: the column of texts in files of rows; dots reach into objects, and brackets into
            lists: ``messages[].content``, ``messages[role=user].content``, ``turns[0].text``; the
            texts of a list, and of the option repeated, are joined with a blank line between them.
        id: the column of ids in files of rows (default: id, if there is one).
        encoding: the encoding of CSV files, and of plain files that are not UTF-8, such as cp1252;
            kept rows are written in UTF-8 (default: UTF-8 for CSV; other plain files are examined).
        rows: also in folders, read files of rows and web archives row by row.
        folder_as_document: each folder in a given one, and each archive, is one document: the texts
            below it, with a blank line between them.
        include: in folders, read only files whose name or path matches, such as ``*.txt``;
            repeatable.
        exclude: skip files and folders whose name or path matches; repeatable.
        cache: cache the texts of PDF and other formats there; ``none``: no cache (default:
            STORE.texts beside a store, ``texts`` in the folder of ``work``; else none).
        extract: how to get the text of HTML, in files and in rows (none: the page as it is, with
            its tags; all: all text without tags; fast: the main text; quality: the main text with
            fewer mistakes, at a fifth of the speed; needs the extra ``pages``).
        convert: for files with this extension, run a program and read the text it prints, such as
            ``pdf=pdftotext {} -``; repeatable.
        convert_timeout: the time limit for reading one document, by a program or by ilk itself.
        ocr: for PDF pages that are images, run a program and read the text it prints, such as
            ``tesseract {} -``.
        replies: keep or drop the quotations in messages, and signatures.
        limits: what reading one document may use (``ilk.Limits``).
        links: follow symbolic links in folders, also out of them.
        gitignore: leave out what a .gitignore excludes, as an .ilkignore always does.
        no_hidden: leave out files and folders in folders whose names begin with a dot.
        one_file_system: stay on the file system of each given folder.
        size: read only files of this size, such as 1MB..2GB (both included), 1MB.. or ..2GB; a
            reference (``against``) is read whole.
        newer: read only files modified then or since: a date, a time, or an age such as 30d (h, d,
            w, y); a reference (``against``) is read whole.
        older: read only files modified before then: a date, a time, or an age such as 2y (h, d, w,
            y); a reference (``against``) is read whole.
        depth: read files in at most this many folders: 1 does not enter folders in the given one.

    Raises:
        OptionError: an option is out of bounds, or two contradict each other; or no document has a
            site, which ``same_site`` needs.
        LabelsError: the labels cannot be used.
        SourceNotFound: a path does not exist.
        ColumnTypeError: rows have no column of that name.
        NothingRead: there were files, but none could be read.
        TooManyPairs: there are more than ``max_pairs``.
    """
    query = Query.from_options(
        check_recipe(recipe, Recipe() if similarity is None else SIMILARITY_INDEX),
        # Arguments find_query, by scripts/make-signatures.
        resemblance=resemblance,
        noise=noise,
        keep=keep,
        shingle=shingle,
        by=by,
        as_=as_,
        ignore=ignore,
        same_site=same_site,
        pairing=pairing,
        recall=recall,
        linkage=linkage,
        max_pairs=max_pairs,
        common_blocks=common_blocks,
        containment=containment,
        radius=radius,
        similarity=similarity,
        unverified=unverified,
        # End of what is written.
    )
    reading = Reading.of(
        # Arguments find_reading, by scripts/make-signatures.
        text=text,
        id=id,
        encoding=encoding,
        rows=rows,
        folder_as_document=folder_as_document,
        include=include,
        exclude=exclude,
        cache=cache,
        extract=extract,
        convert=convert,
        convert_timeout=convert_timeout,
        ocr=ocr,
        replies=replies,
        limits=limits,
        links=links,
        gitignore=gitignore,
        no_hidden=no_hidden,
        one_file_system=one_file_system,
        size=size,
        newer=newer,
        older=older,
        depth=depth,
        # End of what is written.
    )
    query = query_with_base_text_if_given(query, ignore_text, reading, resources.thread_count(jobs))
    request = Request.from_options(
        query,
        reading,
        labels=labels,
        identical=identical,
        within=within,
        window=window,
        date=date,
        only_against=only_against,
    )
    if recipe is None:
        request = request.with_recipe_ignoring_same_as_counting()
    steps = (
        progress_steps_of_reading_sources(request.reading, against, source),
        progress_steps_of_search(request),
    )
    meter = StepTimer(progress, *chain(*steps))
    running = Running.of(jobs, memory, meter)
    if request.identical:
        files = FileSource(source, against, request.reading)
        result = SearchPipeline(files, request, running).decide(request)
        result.report["seconds"] = meter.seconds()
        return result
    if against is not None and search_plan.make_search_plan(request.query).pairing == "fingerprint":
        raise OptionError("`against` joins shingle sets; leave out options for fingerprints.")
    reference = read_source_to_ask_store_if_any(
        against, source, request, running, rows_are_written_again=False
    )
    documents = DocumentSource(source, reference, request.reading, running)
    result = SearchPipeline(documents, request, running).decide(request)
    result.report["seconds"] = meter.seconds()
    return result


def _identify_batch_by_digest(
    source: Any, output: str | os.PathLike[str] | None, request: Request, running: Running
) -> str:
    """Return what tells a batch from all others: its source, its options and its output."""
    rows = open_rows_replacing_paths_if_asked(source, request.reading, running)
    named = [
        list(map(str, one))
        for one in rows.read_file_stamps_if_all_are_files() or rows.read_signatures()
    ]
    to = "" if output is None else os.path.abspath(os.fsdecode(output))
    words = json.dumps([named, request.plain_values(), to], sort_keys=True, default=str)
    return digest_of_pieces([words.encode("utf-8", "backslashreplace")]).hex()


def _refuse_options_unfit_for_revisits(*, against: Any, keep_up_to: int) -> None:
    """Raise OptionError for options that leave a revisit record no capture to name."""
    if against is not None:
        raise OptionError(
            "`revisits` names captures that stay in the same output, and those of `against` are "
            "not there; leave out one of the two."
        )
    if keep_up_to == 0:
        raise OptionError(
            '`revisits` names the capture that stays, and with `keep="none"` none stays; leave out '
            "one of the two."
        )


def _refuse_options_unfit_for_adding(*, only_against: bool, keep_up_to: int) -> None:
    """Raise OptionError for options with which a cluster keeps more or fewer rows than one."""
    if only_against:
        raise OptionError(
            "`add` keeps one row of a cluster, in this batch or in an earlier one, and with "
            "`only_against` rows of this batch are not compared; leave out one of the two."
        )
    if keep_up_to != 1:
        raise OptionError(
            "`add` keeps one row of a cluster, in this batch or in an earlier one; leave out "
            '`keep_up_to`, and `keep="none"`.'
        )


def _add_kept_rows_to_store(
    store: StoreOrPath,
    result: DeduplicationResult,
    *,
    rows: RowSource,
    batch_key: str,
    generation: int,
    group_columns: Sequence[str],
    jobs: int | None,
) -> int | None:
    """Add the rows that stay to the store of ``against``; return how many, None if it has them.

    Args:
        store: where to add them.
        result: what says which rows stay.
        rows: what they are read from.
        batch_key: what tells this batch from others; one that was added before is left alone.
        generation: that of the store when its documents were compared.
        group_columns: the columns of ``within``, which the store keeps with its documents.
        jobs: threads.
    """
    from ilk.store.reference import BatchToAdd, add_batch_to_unchanged_store_unless_added

    batch = BatchToAdd(
        documents=rows.own_rows.batches(result.keep_mask),
        key=batch_key,
        generation=generation,
        columns=rows.read_own_columns(group_columns),
        counts=result.copies,
        represented=result.represented,
    )
    return add_batch_to_unchanged_store_unless_added(store, batch, jobs=jobs)


@refuse_idle_or_unknown_arguments(OF_NEAR)
@accept_true_as_progress
def deduplicate(
    source: Any,
    output: str | os.PathLike[str] | None = None,
    *,
    exact: bool = False,
    key: str | Sequence[str] | None = None,
    within: str | Sequence[str] | None = None,
    window: str | timedelta | None = None,
    date: str | None = None,
    only_against: bool = False,
    ignore_text: str | os.PathLike[str] | Sequence[str | os.PathLike[str]] | None = None,
    count: str | None = None,
    against: Any = None,
    add: bool = False,
    labels: str | os.PathLike[str] | None = None,
    memory: str | int | None = None,
    work: str | os.PathLike[str] | None = None,
    annotate: bool = False,
    revisits: bool = False,
    accept_alarm: bool = False,
    force: bool = False,
    jobs: int | None = None,
    progress: Progress | bool | None = None,
    # Parameters deduplicate, by scripts/make-signatures.
    resemblance: str | float | None = 0.8,
    noise: str | float | None = None,
    keep: str | Sequence[str] = "first",
    shingle: int | None = 3,
    by: str | None = None,
    as_: str | None = None,
    ignore: str | Sequence[str] | None = None,
    same_site: str | float | None = None,
    pairing: str | None = None,
    recall: str | float | None = None,
    linkage: str | None = "anchored",
    max_pairs: int | None = 100_000_000,
    common_blocks: int | None = None,
    keep_numbers_only: bool = False,
    keep_up_to: int | None = 1,
    alarm_documents: int | None = 1000,
    alarm_share: str | float | None = 0.05,
    alarm_loss: str | float | None = 0.5,
    text: str | Sequence[str] | None = "text",
    id: str | None = None,
    encoding: str | None = None,
    include: Sequence[str] = (),
    exclude: Sequence[str] = (),
    cache: str | os.PathLike[str] | None = None,
    extract: str | None = "none",
    convert: Mapping[str, Sequence[str]] | None = None,
    convert_timeout: float | None = 60.0,
    ocr: str | Sequence[str] | None = None,
    replies: str | None = "keep",
    limits: Limits | None = None,
    files_in: str | None = None,
    # End of what is written.
) -> DeduplicationResult:
    """Decide which rows of a data set to keep, and write them; never change the input.

    Args:
        source: as for ``ilk.find``: a path or a glob, or a list of ``Path`` (JSON lines, CSV,
            Parquet, WARC and ARC; folders of such files); texts; or a table: of pyarrow, pandas,
            Polars, DuckDB or Hugging Face ``datasets``.
        output: where to write the kept rows (see ``DeduplicationResult.write``); None only decides.
        against: another data set, given like ``source``; rows that are like one of its rows are
            dropped. A store (its path, or ``ilk.Store``) that is exact and keeps its texts answers
            at a cost that grows with the source alone.
        add: also add the rows that stay to the store of ``against``, unless an alarm is raised. The
            same source with the same options and output is one batch: it is added once, and gives
            the same rows however often it is run.
        work: a folder for working files, from which an interrupted run resumes; they are removed at
            the end. By default it is in the folder of accounts, if there is an output.
        progress: a function that follows every step; True draws a line on stderr.

    Options:
        exact: find only texts that are equal except for case and white space, and what ``ignore``
            names.
        key: find only rows with equal values in this column; if repeated, in all of these columns;
            a row with an empty or null value stays.
        within: compare only rows that have the same value in this column, such as a language; if
            repeated, in all of these columns; null and empty are one value.
        window: compare only rows that are at most this far apart in time, such as 30m, 12h, 7d or
            2w, by the column of ``date``; a family may be longer; rows without a time are compared
            with each other.
        date: the column of times: dates or times of ISO 8601, or seconds since 1970; only with
            ``window``.
        only_against: compare documents with those of ``against`` alone, and not with each other;
            only with ``against``.
        ignore_text: leave out of all texts what stands word for word in this file, folder or rows,
            such as a template or a licence; repeatable; not with ``exact`` or ``key``.
        count: write into this column how many rows each kept row stands for, itself among them;
            where the input has the column, its numbers are added up.
        labels: pairs that you have labelled: two names and 1 (the same) or 0 (different), separated
            by tabs; ``scan`` and ``dedup`` never group pairs labelled different.
        memory: the most memory that the process may use, such as 2GB (kept to within some 60 MB;
            beyond a million rows, up to 100 bytes a row more); the result is the same (default:
            half of the free memory).
        annotate: write all rows, with columns that name the cluster and the verdict; only with
            ``output``.
        revisits: in a WARC file, write a dropped capture whose payload is that of its keeper as a
            revisit record, so that replay still answers its address; only with ``output``; not with
            ``annotate``.
        accept_alarm: write the output despite an alarm.
        force: replace existing output; only with ``output``.
        jobs: threads (default: one per processor).
        resemblance: the least share of shingles that near-duplicates have in common, verified on
            the texts; not with ``exact`` or ``key``.
        noise: also find scanned, retyped or transcribed copies in which up to this share of the
            characters is wrong; at most 10%.
        keep: which document of a cluster stays (original: fewer marks of a copy in its path, then
            the folder that people use, then the oldest; first: first in source order; last: last in
            source order; longest: most text; shortest: least text; newest: modified last; oldest:
            modified first; central: greatest sum of resemblances in its family; prefer:PATTERN:
            name or path matches the glob, as for ``exclude``); if repeated, the first one that
            decides.
        shingle: words per shingle; not with ``exact`` or ``key``.
        by: compare all texts by words, or by characters (default: by characters where one text has
            fewer than 50 words and the other fewer than 100, else by words); not with ``exact`` or
            ``key``.
        as_: compare programs: a name, a number or a string is one word, whichever it is, and
            comments and layout do not count; ``code`` takes the language from the name of each
            file, ``code:python`` names it; needs the extra ``code`` (default: as they are); not
            with ``exact`` or ``key``.
        ignore: do not see these differences, separated by commas (accents: accents of letters;
            digits: which number it is: every run of digits counts as one 0; punctuation:
            punctuation and symbols: they count as spaces, and an apostrophe within a word as
            nothing); texts that differ in nothing else are exact copies; repeatable; not with
            ``key``.
        same_site: the resemblance that two documents of one site need, since both contain its
            template: a share, or ``stricter`` for 0.9; the site is the host of an id that is a URL,
            or else the first folder below the path.
        pairing: exact: join the shingle sets and miss nothing; fingerprint: find candidates by
            fingerprint, then verify them (default: exact); not with ``exact`` or ``key``.
        recall: the share of the near-duplicates to find by fingerprint; it decides the radius; only
            with ``pairing``; not with ``exact`` or ``key``.
        linkage: anchored: every member is like its keeper; connected: every member is like some
            other member.
        max_pairs: stop with an error if there are more pairs than this.
        common_blocks: ignore paragraphs and lines that more than N documents share, and list them;
            not with ``exact`` or ``key``.
        keep_numbers_only: keep rows that differ from the keeper only in numbers; not with ``exact``
            or ``key``.
        keep_up_to: keep up to N rows of a cluster, the best first as ``keep`` ranks them.
        alarm_documents: raise an alarm if a cluster of near-duplicates has more documents than
            this, and more than ``alarm_share`` of all documents.
        alarm_share: raise that alarm only above this share of all documents.
        alarm_loss: raise an alarm if a source loses more than this share of its rows to
            near-duplicates.
        text: the column of texts in files of rows; dots reach into objects, and brackets into
            lists: ``messages[].content``, ``messages[role=user].content``, ``turns[0].text``; the
            texts of a list, and of the option repeated, are joined with a blank line between them.
        id: the column of ids in files of rows (default: id, if there is one).
        encoding: the encoding of CSV files, and of plain files that are not UTF-8, such as cp1252;
            kept rows are written in UTF-8 (default: UTF-8 for CSV; other plain files are examined).
        include: in folders, read only files whose name or path matches, such as ``*.txt``;
            repeatable.
        exclude: skip files and folders whose name or path matches; repeatable.
        cache: cache the texts of PDF and other formats there; ``none``: no cache (default:
            STORE.texts beside a store, ``texts`` in the folder of ``work``; else none).
        extract: how to get the text of HTML, in files and in rows (none: the page as it is, with
            its tags; all: all text without tags; fast: the main text; quality: the main text with
            fewer mistakes, at a fifth of the speed; needs the extra ``pages``).
        convert: for files with this extension, run a program and read the text it prints, such as
            ``pdf=pdftotext {} -``; repeatable.
        convert_timeout: the time limit for reading one document, by a program or by ilk itself.
        ocr: for PDF pages that are images, run a program and read the text it prints, such as
            ``tesseract {} -``.
        replies: keep or drop the quotations in messages, and signatures.
        limits: what reading one document may use (``ilk.Limits``).
        files_in: the column of paths: compare each row by the text of its file.

    Raises:
        OptionError: an option is out of bounds, or two contradict each other; or no row has a site,
            which ``same_site`` needs.
        SourceNotFound, NothingRead, ColumnTypeError: there is nothing to read, or no such column.
        LabelsError: the labels cannot be used.
        SourceChanged: a file changed while it was read.
        TooManyPairs: there are more than ``max_pairs``.
        AlarmRaised: the output is not written, only the folder of accounts, as a plan to look at.
        OutputError: the output cannot be written.
    """
    alarms = AlarmLimits.from_options_or_defaults(
        documents=alarm_documents, share=alarm_share, loss=alarm_loss
    )
    query = Query.from_options(
        NOMINATING,
        of_rows=True,
        # Arguments deduplicate_query, by scripts/make-signatures.
        resemblance=resemblance,
        noise=noise,
        keep=keep,
        shingle=shingle,
        by=by,
        as_=as_,
        ignore=ignore,
        same_site=same_site,
        pairing=pairing,
        recall=recall,
        linkage=linkage,
        max_pairs=max_pairs,
        common_blocks=common_blocks,
        keep_numbers_only=keep_numbers_only,
        keep_up_to=keep_up_to,
        # End of what is written.
    )
    reading = Reading.of(
        # Arguments deduplicate_reading, by scripts/make-signatures.
        text=text,
        id=id,
        encoding=encoding,
        include=include,
        exclude=exclude,
        cache=cache,
        extract=extract,
        convert=convert,
        convert_timeout=convert_timeout,
        ocr=ocr,
        replies=replies,
        limits=limits,
        files_in=files_in,
        # End of what is written.
    )
    query = query_with_base_text_if_given(query, ignore_text, reading, resources.thread_count(jobs))
    request = Request.from_options(
        query,
        reading,
        limits=alarms,
        labels=labels,
        exact=exact,
        key=key,
        within=within,
        window=window,
        date=date,
        only_against=only_against,
        count=count,
    )
    request = request.with_recipe_ignoring_same_as_counting()
    if work is not None:
        request = replace(request, reading=request.reading.with_default_cache(Path(work) / "texts"))
    steps = [
        *progress_steps_of_reading_sources(request.reading, against, source),
        *progress_steps_of_search(request),
    ]
    meter = StepTimer(progress, *steps, *(() if output is None else progress_steps_of_writing()))
    running = Running.of(jobs, memory, meter)
    if revisits:
        _refuse_options_unfit_for_revisits(against=against, keep_up_to=query.keep_up_to)
    batch = None
    if add:
        _refuse_options_unfit_for_adding(only_against=only_against, keep_up_to=query.keep_up_to)
        batch = _identify_batch_by_digest(source, output, request, running)
    with (
        find_or_make_store_removed_if_unused(against, source, request, running)
        if add
        else nullcontext() as store
    ):
        reference = read_source_to_ask_store_if_any(
            against, source, request, running, rows_are_written_again=True, batch_key=batch
        )
        rows = RowSource(source, reference, request.reading_with_columns_needed_besides(), running)
        read_files = [*rows.every.file_paths(), os.fspath(labels or "")]
        stamps = rows.every.read_file_stamps_if_all_are_files()
        if output is not None:
            notes = annotate or count is not None
            # What even `force` cannot replace. Whether the place may be taken is known once the
            # work folder is open.
            rows.unread_own_rows.refuse_unwritable_output(
                os.fspath(output), force=True, with_added_columns=notes, kept_files=read_files
            )
            if revisits:
                rows.unread_own_rows.refuse_unwritable_revisits(os.fspath(output))
        if accounts_folder := accounts.account_folder_beside_output_or_none(output):
            accounts.refuse_account_over_inputs(accounts_folder, read_files)
            work = accounts_folder / "work" if work is None and stamps is not None else work
        plain = request.plain_values()
        # The sources are one list, those of the reference first: their number tells them apart.
        plain["reference_sources"] = len(rows.every.origins) - len(rows.unread_own_rows.origins)
        if request.labels is not None:
            plain["labels"] = list(map(str, request.labels))
        sources: Any = stamps
        # Tables, and what a store has, may be others by then.
        if stamps is None and work is not None:
            sources = [list(map(str, one)) for one in rows.every.read_signatures()]
        with resumable_work_folder(work, sources=sources, options=plain) as work_folder:
            if output is not None:
                # What is there may be the work of an interrupted run.
                rows.unread_own_rows.refuse_unwritable_output(
                    os.fspath(output), force=force or work_folder.resumes
                )
            run = SearchPipeline(rows, request, replace(running, folder=work), work_folder)
            result = run.decide(request, work_folder.load_or_make)
            result.report["seconds"] = meter.seconds()
            if accounts_folder and result.alarms and not accept_alarm:
                to = None if store is None else path_of_store(store)
                row_plan.write_plan_or_account_if_in_memory(
                    result, accounts_folder, store_to_extend=to
                )
                raise AlarmRaised(result.alarms, result, accounts_folder)
            if store is not None and batch is not None and (accept_alarm or not result.alarms):
                # Before the output: who runs again after a kill finds the batch in the store, and
                # writes the same output.
                result.report["added"] = _add_kept_rows_to_store(
                    store,
                    result,
                    rows=rows,
                    batch_key=batch,
                    generation=reference.generation,
                    group_columns=request.within,
                    jobs=running.jobs,
                )
            if output is not None:
                result.write(
                    output,
                    annotate=annotate,
                    revisits=revisits,
                    accept_alarm=accept_alarm,
                    force=True,  # Decided above.
                )
            if accounts_folder:
                # Without the plan that an alarm left there, what remains is only an account.
                (accounts_folder / row_plan.PLAN).unlink(missing_ok=True)
        return result
