"""Searching for duplicates: families of documents of any kind."""

from __future__ import annotations

import os
from typing import Any, Unpack

from ilk.base.arguments import described
from ilk.base.errors import OptionError
from ilk.base.options import ORIGINAL
from ilk.base.progress import Progress, Timed
from ilk.base.running import Running
from ilk.fingerprints.recipe import SIMILARITY_INDEX, Recipe, checked_recipe
from ilk.search.planning import planned
from ilk.tasks.pipeline import Run
from ilk.tasks.request import Finds, Request
from ilk.tasks.result import Result
from ilk.tasks.sources import DocumentSource


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
    timed = Timed(progress)
    running = Running.of(jobs, memory, timed)
    if against is not None and planned(request.query).pairing == "fingerprint":
        raise OptionError("`against` joins shingle sets; leave out options for fingerprints.")
    documents = DocumentSource(source, against, request.reading, running)
    result = Run(documents, request, running).result(request)
    result.report["seconds"] = timed.seconds()
    return result
