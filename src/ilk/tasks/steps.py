"""The steps of a run that are to come, with their shares of its time, for its line of progress.

The shares are CPU times of some runs: files of many formats take long to read, rows take little.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from typing import TYPE_CHECKING, Any

from ilk.base.progress import Step
from ilk.read import Reading, paths_or_none_if_texts
from ilk.read.documents import is_file_of_rows

if TYPE_CHECKING:
    from ilk.tasks.request import Request

#: How long each step takes where joins of sets take 10: reading files, extracting the texts of
#: pages in rows, reading rows, writing kept rows, looking for noisy copies, and deciding which
#: texts are such. They only place the steps on the bar, and no answer depends on them: too large a
#: figure for a step keeps the bar low before it, and lets it jump when the step is over.
_FILES, _PAGES, _ROWS, _WRITING, _NOMINATING, _ALIGNING = 100.0, 60.0, 6.0, 5.0, 200.0, 100.0
_JOINING = 10.0


def progress_steps_of_reading_sources(reading: Reading, *sources: Any) -> Iterator[Step]:
    """Yield the steps of reading sources; None is no source."""
    for source in sources:
        if source is None:
            continue
        rows = _ROWS if reading.extract == "none" else _PAGES
        paths = paths_or_none_if_texts(source)
        if paths is None:
            yield Step("read", rows)
            continue
        for of_rows, _ in groupby(paths, lambda path: is_file_of_rows(path, reading.text)):
            yield Step("read", rows if of_rows else _FILES)


def progress_steps_of_search(request: Request) -> Iterator[Step]:
    """Yield the steps from texts to families."""
    if request.compares_only_for_equality:
        return
    yield Step("join sets", _JOINING, repeats=True)
    if request.query.noise is not None:
        yield Step("nominate noisy copies", _NOMINATING, repeats=True)
        yield Step("align", _ALIGNING, repeats=True)


def progress_steps_of_writing() -> Iterator[Step]:
    """Yield the steps that write the rows that are kept."""
    yield Step("read again", _WRITING / 10, repeats=True)
    yield Step("write", _WRITING)
