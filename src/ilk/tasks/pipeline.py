"""The one pipeline of ``find`` and ``deduplicate``: read, rank, pair, verify, cluster, report.

A ``Pipeline`` reads everything once, and decides, as often as asked, at any resemblance.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any, Unpack

import pyarrow as pa
import pyarrow.compute as pc

from ilk import arrow
from ilk.base.arguments import described
from ilk.base.checkpoints import NoWork, Step, WorkFolder, working
from ilk.base.errors import AlarmRaised, OptionError
from ilk.base.options import OF_NEAR, ORIGINAL, default
from ilk.base.progress import Progress, Timed
from ilk.base.run_options import Running
from ilk.fingerprints.digest import distinct
from ilk.fingerprints.recipe import SIMILARITY_INDEX, Recipe, checked_recipe
from ilk.search import search_plan
from ilk.search.alarms import AlarmLimits
from ilk.search.clustering import copies
from ilk.search.evidence import OneSite
from ilk.search.query import NOMINATING
from ilk.search.ranking import CENTRAL, rank_documents
from ilk.search.read_documents import ReadDocuments, without_common
from ilk.search.search import Search
from ilk.search.sites import site_numbers
from ilk.tasks import labels as labelling
from ilk.tasks import report, row_plan
from ilk.tasks.request import Decides, Finds, Request
from ilk.tasks.result import Result
from ilk.tasks.sources import DocumentSource, RowSource
from ilk.tasks.steps import expect_reading, expect_search, expect_writing
from ilk.tasks.stored_reference import read_reference
from ilk.write import accounts

#: Steps whose results are not kept.
_NOTHING_KEPT = NoWork()
_AT_ONCE: Step = _NOTHING_KEPT.step


class Pipeline:
    """Documents that are read and ranked once, and the results for them."""

    def __init__(
        self,
        source: DocumentSource | RowSource,
        request: Request,
        running: Running,
        work: WorkFolder | NoWork = _NOTHING_KEPT,
    ) -> None:
        """Read, rank and group equal documents; ``work`` has what a former run has left."""
        query = request.query
        self._source, self._running = source, running
        documents, gathered = source.read(request, running, work)
        self._ranking = rank_documents(
            documents, query.keep, source.column, source.baseline_size, source.roots
        )
        representatives = distinct(documents, self._ranking, files=source.files)
        self._apart = None
        if request.labels is not None:
            self._apart = labelling.apart(request.labels, source.with_sources(documents))
            representatives = self._apart.representatives(representatives, self._ranking)
        self._common = None
        if gathered is not None and query.common_blocks is not None:
            gathered, self._common = without_common(gathered, representatives, query)
            documents = gathered.documents
        self._documents, self._gathered = documents, gathered
        self._representatives = representatives

    def result(self, request: Request, step: Step = _AT_ONCE) -> Result:
        """Pair, verify, cluster and report; arguments as for the class."""
        source, documents, ranking = self._source, self._documents, self._ranking
        query, held, search = request.query, source.baseline_size, None
        contained = arrow.PAIRS.empty_table()
        if self._gathered is None:
            members = copies(documents, self._representatives, held, key=request.key is not None)
        else:
            search = self._search(self._gathered, request)
            if CENTRAL in query.keep:
                sums = step(CENTRAL, lambda: pa.table({CENTRAL: search.centrality()}))
                documents = documents.append_column(CENTRAL, sums[CENTRAL])
                ranking = rank_documents(documents, query.keep, source.column, held, source.roots)
            members = step("clusters", partial(search.members, ranking))
            contained = search.contained_documents(members)
            contained = contained.filter(pc.greater_equal(contained["left"], held))
            search.release()
        clusters = source.clusters(documents, members, request)
        result = Result(
            documents=documents,
            clusters=clusters,
            contained=contained,
            report={},
            records=source.records,
            held=held,
            _texts=source.texts,
            _running=self._running,
            _search=search,
            _again=partial(self._again, request),  # Not a closure: results are pickled.
            roots=source.own_roots,
            inside=source.inside,
            ranking=ranking,
        )
        if isinstance(source, RowSource):
            result.report.update(report.of_rows(source, request, result))
        else:
            result.report.update(
                report.of_documents(source, request, result, apart=self._apart, common=self._common)
            )
        return result

    def _again(self, request: Request, resemblance: float) -> Result:
        return self.result(request.at(resemblance))

    def _search(self, gathered: ReadDocuments, request: Request) -> Search:
        source, documents, one_site = self._source, self._documents, None
        if request.query.same_site is not None:
            numbers = site_numbers(documents, self._representatives, source.roots)
            one_site = OneSite(numbers, request.query.same_site)
        shown = isinstance(source, DocumentSource)
        plan, prints = search_plan.make_search_plan(request.query, any_numbers=shown), None
        if source.joins_nominated and plan.pairing == "fingerprint":
            prints = arrow.flat(gathered.documents["fingerprint"])
        return Search(
            documents=documents,
            evidence=gathered.evidence,
            representatives=self._representatives,
            plan=plan,
            running=self._running,
            held=source.baseline_size,
            one_site=one_site,
            prints=prints,
            apart=self._apart,
            gathered=gathered,
        )


@described(Finds, keep=ORIGINAL)
def find(
    source: Any,
    *,
    against: Any = None,
    recipe: Recipe | str | None = None,
    labels: str | os.PathLike[str] | None = None,
    memory: str | int | None = None,
    jobs: int | None = None,
    progress: Progress | bool | None = None,
    **options: Unpack[Finds],
) -> Result:
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
            reported. Files without a text are not compared with it.
        recipe: how to make fingerprints; by default a SimHash of words if ``similarity`` is given,
            or else ``Recipe()``.
        options: what is alike, and what is read.
        progress: a function that follows every step; True draws a line on stderr.

    Raises:
        OptionError: an option is out of bounds, or two contradict each other; or no document has a
            site, which ``same_site`` needs.
        LabelsError: the labels cannot be used.
        SourceNotFound: a path does not exist.
        ColumnTypeError: rows have no column of that name.
        NothingRead: there were files, but none could be read.
        TooManyPairs: there are more than ``max_pairs``.
    """
    usual = Recipe() if options.get("similarity") is None else SIMILARITY_INDEX
    chosen = {"keep": ORIGINAL, **options}
    request = Request.of(checked_recipe(recipe, usual), chosen, labels=labels)
    steps = expect_reading(request.reading, against, source), expect_search(request)
    timed = Timed(progress, *chain(*steps))
    running = Running.of(jobs, memory, timed)
    if against is not None and search_plan.make_search_plan(request.query).pairing == "fingerprint":
        raise OptionError("`against` joins shingle sets; leave out options for fingerprints.")
    against = read_reference(against, source, request, running, rows=False)
    documents = DocumentSource(source, against, request.reading, running)
    result = Pipeline(documents, request, running).result(request)
    result.report["seconds"] = timed.seconds()
    return result


@described(Decides, OF_NEAR)
def deduplicate(
    source: Any,
    output: str | os.PathLike[str] | None = None,
    *,
    exact: bool = False,
    key: str | Sequence[str] | None = None,
    against: Any = None,
    labels: str | os.PathLike[str] | None = None,
    alarm_documents: int = default("alarm_documents"),
    alarm_share: str | float = default("alarm_share"),
    alarm_loss: str | float = default("alarm_loss"),
    memory: str | int | None = None,
    work: str | os.PathLike[str] | None = None,
    annotate: bool = False,
    accept_alarm: bool = False,
    force: bool = False,
    jobs: int | None = None,
    progress: Progress | bool | None = None,
    **options: Unpack[Decides],
) -> Result:
    """Decide which rows of a data set to keep, and write them; never change the input.

    Args:
        source: as for ``ilk.find``: a path or a glob, or a list of ``Path`` (JSON lines, CSV,
            Parquet, WARC and ARC; folders of such files); texts; or a table: of pyarrow, pandas,
            Polars, DuckDB or Hugging Face ``datasets``.
        output: where to write the kept rows (see ``Result.write``); None only decides.
        against: another data set, given like ``source``; rows that are like one of its rows are
            dropped.
        options: what is alike, and what is read.
        work: a folder for working files, from which an interrupted run resumes; they are removed at
            the end. By default it is in the folder of accounts, if there is an output.
        progress: a function that follows every step; True draws a line on stderr.

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
    alarms = AlarmLimits.of(alarm_documents, alarm_share, alarm_loss)
    request = Request.of(
        NOMINATING, options, limits=alarms, labels=labels, exact=exact, key=key, columns=True
    )
    if work is not None:
        request = replace(request, reading=request.reading.keeping(Path(work) / "texts"))
    steps = [*expect_reading(request.reading, against, source), *expect_search(request)]
    timed = Timed(progress, *steps, *(() if output is None else expect_writing()))
    running = Running.of(jobs, memory, timed)
    against = read_reference(against, source, request, running, rows=True)
    rows = RowSource(source, against, request.reading, running)
    read, stamps = [*rows.every.paths(), os.fspath(labels or "")], rows.every.stamps()
    if output is not None:
        rows.own.check(os.fspath(output), force=True, notes=annotate, read=read)
    if beside := accounts.folder(output):
        accounts.check(beside, read)
        work = beside / "work" if work is None and stamps is not None else work
    plain = request.plain()
    if request.labels is not None:
        plain["labels"] = list(map(str, request.labels))
    with working(work, {"sources": stamps, "options": plain}) as done:
        if output is not None:
            # What is there may be the work of an interrupted run.
            rows.own.check(os.fspath(output), force=force or done.resumes)
        run = Pipeline(rows, request, replace(running, folder=work), done)
        result = run.result(request, done.step)
        result.report["seconds"] = timed.seconds()
        if beside and result.alarms and not accept_alarm:
            row_plan.review(result, beside)
            raise AlarmRaised(result.alarms, result, beside)
        if output is not None:
            result.write(output, annotate=annotate, accept_alarm=accept_alarm, force=True)
        if beside:  # The plan that an alarm left becomes mere accounts.
            (beside / row_plan.PLAN).unlink(missing_ok=True)
    return result
