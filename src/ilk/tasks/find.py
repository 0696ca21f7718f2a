"""Searching for duplicates: families of documents of any kind."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any, Unpack

from ilk.base.errors import OptionError
from ilk.base.options import ORIGINAL, default
from ilk.base.progress import Progress, Timed, followed
from ilk.base.running import Running
from ilk.fingerprints.recipe import SIMILARITY_INDEX, Recipe, checked_recipe
from ilk.read import Reading
from ilk.read.reading import Reads, reads
from ilk.search.planning import planned
from ilk.search.query import Query
from ilk.tasks.pipeline import decide, prepare
from ilk.tasks.request import Request
from ilk.tasks.result import Result
from ilk.tasks.sources import DocumentSource


@followed
@reads
def find(
    source: Any,
    *,
    against: Any = None,
    resemblance: str | float | None = None,
    containment: str | float | None = None,
    radius: int | None = None,
    similarity: str | float | None = None,
    unverified: bool = default("unverified"),
    shingle: int = default("shingle"),
    common_blocks: int | None = None,
    same_site: str | float | None = None,
    noise: str | float | None = None,
    pairing: str | None = None,
    recall: str | float | None = None,
    recipe: Recipe | str | None = None,
    keep: str | Sequence[str] = ORIGINAL,
    linkage: str = default("linkage"),
    max_pairs: int = default("max_pairs"),
    memory: str | int | None = None,
    labels: str | os.PathLike[str] | None = None,
    jobs: int | None = None,
    progress: Progress | bool | None = None,
    **reading: Unpack[Reads],
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
        resemblance: near-duplicates share at least this part of their shingles (default 0.8).
        containment: also find documents if at least this part of them is in another one.
        radius: compare only pairs whose fingerprints differ in at most this many bits, and verify
            them at ``resemblance``.
        similarity: the same, as a share of equal bits: ``"90%"`` is a radius of 6 (Roth 2013).
        unverified: also return the pairs within the radius that are below ``resemblance``, with the
            verdict ``within N bits``.
        shingle: words per shingle. A text below 50 words and one below 100 are compared by
            3 characters.
        common_blocks: ignore paragraphs and lines that recur in more than this many documents
            (copies of one text count once), and report them. Choose a number well above the size of
            the groups that you look for.
        same_site: the least resemblance of two documents of one site, or ``"stricter"`` (0.9). A
            site is the host of an id that is a URL, or else the first folder below the path.
        noise: also find noisy copies (scanned, retyped), in which up to this share of the
            characters is wrong, at most ``"10%"``. They are aligned; their verdict is ``noisy``,
            and they have an ``agreement``.
        pairing: ``exact`` joins the shingle sets and misses nothing (default); ``fingerprint``
            nominates by fingerprint and verifies (default if ``radius`` or ``similarity`` is
            given).
        recall: the share of the near-duplicates that fingerprints should nominate (default 0.99);
            it determines the radius.
        recipe: how to make fingerprints; by default a SimHash of words if ``similarity`` is given,
            or else ``Recipe()``.
        keep: which document of a cluster stays: policies of ``ilk.search.ranking``, most important
            first.
        linkage: ``anchored`` (each member was verified against its keeper) or ``connected``.
        reading: what is read, and how: the arguments of ``Reading.of``.
        max_pairs: the largest number of pairs to find.
        memory: the most memory that the process may use (``"2GB"``; default half of the free
            memory). Shingle sets that do not fit go to temporary files; the result is the same.
        labels: a file of labelled pairs, one per line; documents labelled different are
            never in one cluster.
        jobs: threads; by default one per processor. The result does not depend on them.
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
    query = Query.of(
        checked_recipe(recipe, Recipe() if similarity is None else SIMILARITY_INDEX),
        resemblance=resemblance,
        containment=containment,
        radius=radius,
        similarity=similarity,
        unverified=unverified,
        shingle=shingle,
        common_blocks=common_blocks,
        same_site=same_site,
        pairing=pairing,
        recall=recall,
        linkage=linkage,
        noise=noise,
        keep=keep,
        max_pairs=max_pairs,
    )
    request = Request.of(query, Reading.of(**reading), labels=labels)
    timed = Timed(progress)
    running = Running.of(jobs, memory, timed)
    if against is not None and planned(query).pairing == "fingerprint":
        raise OptionError("`against` joins shingle sets; leave out options for fingerprints.")
    documents = DocumentSource(source, against, request.reading, running)
    result = decide(prepare(documents, request, running), request)
    result.report["seconds"] = timed.seconds()
    return result
