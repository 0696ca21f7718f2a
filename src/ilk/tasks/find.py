"""The six steps on one machine, from documents to clusters."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, Unpack

import pyarrow as pa
import pyarrow.compute as pc

from ilk import read
from ilk.base.errors import OptionError
from ilk.base.options import default
from ilk.base.progress import Progress, Timed, followed
from ilk.base.running import Running
from ilk.fingerprints import blocks
from ilk.fingerprints.recipe import SIMILARITY_INDEX, Recipe, checked_recipe
from ilk.read import Collection, Reading, Tally
from ilk.read.reading import Reads, reads
from ilk.search import alarms, planning, steps
from ilk.search.evidence import OneSite
from ilk.search.gathered import gather, without_common
from ilk.search.planning import Plan
from ilk.search.ranking import CENTRAL, ranked
from ilk.search.report import LARGEST, counted, head, histogram, noise_report
from ilk.search.run import Search
from ilk.search.sites import site_numbers
from ilk.search.sought import Sought
from ilk.tasks import labels as labelling
from ilk.tasks.result import Result


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
    keep: str | Sequence[str] = default("keep"),
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
        text: the column of texts in rows; or several, joined with a blank line between them.
        id: the column of ids in rows; by default ``id``, if it exists.
        encoding: the encoding of CSV files, such as ``cp1252``; UTF-8 by default.
        rows: whether to read files of rows, and archives, in folders row by row.
        include, exclude: globs that files in folders must, and must not, match.
        convert: by extension, the program that turns such a file into text on its output.
        convert_timeout: the time limit in seconds for each of these programs, per file.
        extract: how to get the text of HTML, in files and in rows: ``none`` (read with tags),
            ``all``, ``fast`` or ``quality`` (the main text; extra ``pages``).
        limits: what reading one document may use (``ilk.Limits``).
        cache: a folder for the extracted texts of documents, so that each is extracted only once.
        ocr: a program that reads PDF pages that are images: a command line, or a list of words.
        replies: ``keep``, or ``drop`` to read messages without quotations and signatures.
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
    recipe = checked_recipe(recipe, Recipe() if similarity is None else SIMILARITY_INDEX)
    sought = Sought.of(
        recipe,
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
    asked = Reading.of(**reading)
    if labels is not None and sought.unverified:
        raise OptionError("`labels` are for verified pairs; leave out `labels` or `unverified`.")
    labelled = None if labels is None else labelling.read_labels(labels)
    timed = Timed(progress)
    running = Running.of(jobs, memory, timed)
    nominates = planning.planned(sought).pairing == "fingerprint"
    if against is not None and nominates:
        raise OptionError("`against` joins shingle sets; leave out options for fingerprints.")
    result = _found(source, against, sought, asked, running, labelled)
    result.report["seconds"] = timed.seconds()
    return result


def _found(
    source: Any,
    against: Any,
    sought: Sought,
    reading: Reading,
    running: Running,
    labels: list[labelling.Label] | None,
) -> Result:
    """Return what is found in a source."""
    tally, recipe = Tally(), sought.recipe
    own = Collection.of(source, reading, running, tally, copies=True)
    others = None if against is None else Collection.of(against, reading, running, tally)
    corpus = own if others is None else Collection(*others.parts, *own.parts)
    gathered = gather(
        corpus.batches(), corpus, recipe, sought.shingle, running, noisy=sought.noise is not None
    )
    documents = gathered.documents
    held = 0 if others is None else len(others)
    read.check(documents, tally)
    ranking = ranked(documents, sought.keep, held=held)
    representatives = steps.distinct(documents, ranking, files=True)
    apart = None if labels is None else labelling.apart(labels, documents)
    if apart is not None:
        representatives = apart.representatives(representatives, ranking)
    one_site = None
    if sought.same_site is not None:
        roots = [*(read.named_paths(source) or ()), *(read.named_paths(against) or ())]
        numbers = site_numbers(documents, representatives, roots)
        one_site = OneSite(numbers, sought.same_site)
    common = None
    if sought.common_blocks is not None:
        gathered, common = without_common(gathered, representatives, sought)
        documents = gathered.documents
    plan = planning.planned(sought)
    search = Search(
        documents,
        gathered.evidence,
        representatives,
        plan,
        running,
        held,
        one_site=one_site,
        apart=apart,
        gathered=gathered,
    )
    if CENTRAL in sought.keep:
        central = documents.append_column(CENTRAL, search.centrality())
        ranking = ranked(central, sought.keep, held=held)
    members = search.members(ranking)
    contained = search.contained(members)
    contained = contained.filter(pc.greater_equal(contained["left"], held))
    report = _report(tally, documents, held, members, contained, search.plan, reading)
    report["kept_apart"] = 0 if apart is None else len(apart.left)
    report["common_blocks"] = None
    if common is not None:
        listed = blocks.listed(common).select(["documents", "text"])
        report["common_blocks"] = listed.to_pylist()
    return Result(documents, members, contained, report, search, gathered, corpus)


def _not_compared(tally: Tally, reasons: Mapping[str, int]) -> list[str]:
    """Return sentences about what was not compared, or not as expected."""
    blank, missing = reasons.get("blank", 0), tally.missing
    lines = []
    if blank:
        has = "1 document is blank" if blank == 1 else f"{blank:,} documents are blank"
        lines.append(f"{has}, and only like files with the same bytes")
    if missing:
        has = "1 row has no text" if missing == 1 else f"{missing:,} rows have no text"
        lines.append(f"{has} in the column of texts: it is missing, null, or not a text")
    return [*lines, *tally.passed_over()]


def _report(
    tally: Tally,
    documents: pa.Table,
    held: int,
    members: pa.Table,
    contained: pa.Table,
    plan: Plan,
    reading: Reading,
) -> dict[str, Any]:
    """Return what happened, as plain values."""
    sources, documents = documents["source"], documents.slice(held)
    reasons = Counter(reason for reason in documents["reason"].to_pylist() if reason)
    sizes = alarms.by_size(members)
    return {
        **head(
            documents=len(documents),
            failures=tally.reasons(),
            advice=tally.advice(),
            alarms=alarms.Limits.of().of_clusters(sizes, len(documents)),
            largest=[
                row | {"keeper": sources[row["keeper"]].as_py()}
                for row in sizes.slice(0, LARGEST).to_pylist()
            ],
            promise=planning.promise(plan),
            options=plan.sought.plain() | reading.plain(),
        ),
        "against": held,
        "not_compared": _not_compared(tally, reasons),
        "promise_of_pairs": planning.promise(plan, planning.PAIRS),
        "fingerprinted": len(documents) - sum(reasons.values()),
        "without_fingerprint": dict(sorted(reasons.items())),
        **counted(members),
        "resemblances": histogram(
            members.filter(pc.not_equal(members["doc"], members["keeper"]))["resemblance"],
            float(plan.sought.resemblance or 0),
        ),
        "contained": [
            {
                "source": sources[row["left"]].as_py(),
                "container": sources[row["right"]].as_py(),
                "containment": row["containment_left"],
            }
            for row in contained.to_pylist()
        ],
        "skipped": dict(sorted(tally.skipped.items())),
        "excluded": tally.excluded,
        "replaced": list(tally.replaced),
        "encodings": dict(sorted(tally.encodings.items())),
        "pairing": plan.pairing,
        "radius": plan.radius,
        "expected_recall": plan.expected and plan.expected[0],
        **noise_report(plan, members),
    }
