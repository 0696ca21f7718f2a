"""A data set without its duplicates: which rows to keep, and where to write them."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from ilk.base import resources
from ilk.base.checkpoints import working
from ilk.base.errors import AlarmRaised
from ilk.base.options import default
from ilk.base.progress import Progress, Timed, followed
from ilk.base.running import Running
from ilk.read import Reading
from ilk.read.formats.limits import Limits as ReadingLimits
from ilk.search.alarms import AlarmLimits
from ilk.search.portions import NOMINATING
from ilk.search.query import Query
from ilk.tasks import plans
from ilk.tasks.pipeline import decide, prepare
from ilk.tasks.request import Request
from ilk.tasks.result import Result
from ilk.tasks.sources import RowSource
from ilk.write import accounts

#: The default place of working files in the folder of accounts.
_WORK = "work"

#: The place of cached texts in a given folder for working files.
_TEXTS = "texts"


@followed
def deduplicate(
    source: Any,
    output: str | os.PathLike[str] | None = None,
    *,
    text: str | Sequence[str] = default("text"),
    id: str | None = None,
    encoding: str | None = None,
    resemblance: str | float = default("resemblance"),
    shingle: int = default("shingle"),
    same_site: str | float | None = None,
    noise: str | float | None = None,
    exact: bool = False,
    key: str | None = None,
    against: Any = None,
    labels: str | os.PathLike[str] | None = None,
    keep: str | Sequence[str] = default("keep"),
    keep_numbers_only: bool = default("keep_numbers_only"),
    linkage: str = default("linkage"),
    pairing: str | None = None,
    recall: str | float | None = None,
    alarm_documents: int = default("alarm_documents"),
    alarm_share: str | float = default("alarm_share"),
    alarm_loss: str | float = default("alarm_loss"),
    include: Sequence[str] = (),
    exclude: Sequence[str] = (),
    extract: str = default("extract"),
    convert: Mapping[str, Sequence[str]] | None = None,
    convert_timeout: float = default("convert_timeout"),
    files_in: str | None = None,
    limits: ReadingLimits | None = None,
    cache: str | os.PathLike[str] | None = None,
    ocr: str | Sequence[str] | None = None,
    replies: str = default("replies"),
    memory: str | int | None = None,
    work: str | os.PathLike[str] | None = None,
    max_pairs: int = default("max_pairs"),
    annotate: bool = False,
    accept_alarm: bool = False,
    force: bool = False,
    jobs: int | None = None,
    progress: Progress | bool | None = None,
) -> Result:
    """Decide which rows of a data set to keep, and write them; never change the input.

    Args:
        source: as for ``ilk.find``: a path or a glob, or a list of ``Path`` (JSON lines, CSV,
            Parquet, WARC and ARC; folders of such files); texts; or a table: of pyarrow, pandas,
            Polars, DuckDB or Hugging Face ``datasets``.
        output: where to write the kept rows (see ``Result.write``); None only decides.
        text: the column of texts; or several, joined with a blank line between them.
        id: the column of ids; by default ``id``, if it exists.
        encoding: the encoding of CSV files, such as ``cp1252``; kept rows are written in UTF-8.
        resemblance: near-duplicates share at least this part of their shingles.
        shingle: words per shingle. A text below 50 words and one below 100 are compared by
            3 characters.
        same_site: the least resemblance of two rows of one site, or ``"stricter"`` (0.9); the site
            is the host of the id, which must be a URL.
        noise: also drop noisy copies, in which up to this share of the characters is wrong, as
            ``ilk.find`` finds them.
        exact: find only texts that are equal except for case and white space.
        key: find rows with equal values in this column, instead of texts.
        against: another data set, given like ``source``; rows that are like one of its rows are
            dropped.
        labels: a file of labelled pairs; rows labelled different are never in one cluster.
        keep: which row of a cluster stays: policies of ``ilk.search.ranking``, the most
            important first.
        keep_numbers_only: keep rows that differ from the keeper only in numbers.
        linkage: ``anchored`` (each row was verified against its keeper) or ``connected``.
        pairing: ``exact`` joins the shingle sets and misses nothing (default while they fit in
            memory); ``fingerprint`` nominates by fingerprint and verifies.
        recall: the share of the near-duplicates that fingerprints should nominate (default 0.99).
        alarm_documents, alarm_share: a cluster of near-duplicates that exceeds both raises the
            alarm.
        alarm_loss: a source that loses more than this share of its rows to near-duplicates also
            raises it.
        include, exclude: globs that files in folders must, and must not, match.
        extract: how to get the text of pages in archives: ``none``, ``all``, ``fast`` or
            ``quality``.
        convert_timeout: the time limit in seconds for the text of a page, or of a file.
        files_in: a column of file paths, relative to the working folder; the text of each row is
            that of its file. If a file cannot be read, that is a failure, and its row stays.
        convert, limits, ocr, replies: how to get the texts of those files, as for ``ilk.find``.
        cache: a folder for the extracted texts, so that each is extracted only once; by default
            ``texts`` in the folder ``work``, if given. ``none`` turns it off.
        memory: the most memory that the process may use (``"2GB"``; default half of the free
            memory).
        work: a folder for working files, from which an interrupted run resumes; they are removed at
            the end. By default it is in the folder of accounts, if there is an output.
        max_pairs: the largest number of pairs to find.
        annotate, accept_alarm, force: as for ``Result.write``.
        jobs: threads; by default one per processor. The result does not depend on them.
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
    query = Query.of(
        NOMINATING,
        resemblance=resemblance,
        shingle=shingle,
        same_site=same_site,
        keep=keep,
        keep_numbers_only=keep_numbers_only,
        linkage=linkage,
        noise=noise,
        pairing=pairing,
        recall=recall,
        max_pairs=max_pairs,
        columns=True,
    )
    reading = Reading.of(
        text=text,
        id=id,
        encoding=encoding,
        include=include,
        exclude=exclude,
        extract=extract,
        convert=convert,
        convert_timeout=convert_timeout,
        files_in=files_in,
        limits=limits,
        cache=cache,
        ocr=ocr,
        replies=replies,
    )
    if work is not None:
        reading = reading.keeping(Path(work) / _TEXTS)
    alarms = AlarmLimits.of(alarm_documents, alarm_share, alarm_loss)
    request = Request.of(query, reading, limits=alarms, labels=labels, exact=exact, key=key)
    timed = Timed(progress)
    running = Running.of(jobs, memory, timed)
    rows = RowSource(source, against, request.reading, running)
    read, stamps = rows.every.paths(), rows.every.stamps()
    if output is not None:
        rows.own.check(os.fspath(output), force=True, notes=annotate, read=read)
        accounts.check(accounts.folder(output), read)
    if work is None and output is not None and stamps is not None:
        work = accounts.folder(output) / _WORK
    running = replace(running, folder=work)
    options = request.plain()
    if request.labels is not None:
        options["labels"] = list(map(str, request.labels))
    with working(work, {"sources": stamps, "options": options}) as done:
        if output is not None:
            # What is there may be the work of an interrupted run.
            rows.own.check(os.fspath(output), force=force or done.resumes)
        result = decide(prepare(rows, request, running, done.step), request, done.step)
        if memory is not None:
            resources.give_back()
        result.report["seconds"] = timed.seconds()
        if output is not None and result.alarms and not accept_alarm:
            folder = accounts.folder(output)
            plans.review(result, folder)
            raise AlarmRaised(result.alarms, result, folder)
        if output is not None:
            result.write(output, annotate=annotate, accept_alarm=accept_alarm, force=True)
            plans.withdraw(accounts.folder(output))
    return result
