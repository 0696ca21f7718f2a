"""A data set without its duplicates: which rows to keep, and where to write them."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from typing import Any, Unpack

from ilk.base import resources
from ilk.base.arguments import described
from ilk.base.checkpoints import working
from ilk.base.errors import AlarmRaised
from ilk.base.options import default
from ilk.base.progress import Progress, Timed
from ilk.base.running import Running
from ilk.search.alarms import AlarmLimits
from ilk.search.query import NOMINATING
from ilk.tasks import plans
from ilk.tasks.pipeline import Run
from ilk.tasks.request import Decides, Request
from ilk.tasks.result import Result
from ilk.tasks.sources import RowSource
from ilk.write import accounts


@described(Decides)
def deduplicate(
    source: Any,
    output: str | os.PathLike[str] | None = None,
    *,
    exact: bool = False,
    key: str | None = None,
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
    timed = Timed(progress)
    running = Running.of(jobs, memory, timed)
    rows = RowSource(source, against, request.reading, running)
    read, stamps = rows.every.paths(), rows.every.stamps()
    if output is not None:
        rows.own.check(os.fspath(output), force=True, notes=annotate, read=read)
        accounts.check(accounts.folder(output), read)
    if work is None and output is not None and stamps is not None:
        work = accounts.folder(output) / "work"
    plain = request.plain()
    if request.labels is not None:
        plain["labels"] = list(map(str, request.labels))
    with working(work, {"sources": stamps, "options": plain}) as done:
        if output is not None:
            # What is there may be the work of an interrupted run.
            rows.own.check(os.fspath(output), force=force or done.resumes)
        run = Run(rows, request, replace(running, folder=work), done.step)
        result = run.result(request, done.step)
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
