"""The six steps run on one machine: documents in, clusters of one kind out."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from ilk import columns, readers, steps
from ilk.columns import verdicts
from ilk.evaluate import probing
from ilk.evaluate.calibration import Calibration, calibration_of
from ilk.features import blocks
from ilk.options.table import checked, default
from ilk.pairing.evidence import OneSite, Thresholds
from ilk.readers import Corpus, Reading, Tally
from ilk.recipes.recipe import SIMILARITY_INDEX, Recipe
from ilk.search import alarms, planning
from ilk.search.gathered import Gathered, gather, without_common
from ilk.search.planning import Plan
from ilk.search.portions import Portioned, searched
from ilk.search.report import LARGEST, head
from ilk.search.run import Search
from ilk.search.sites import site_numbers
from ilk.search.sought import Sought
from ilk.steps.ranking import ranked
from ilk.system.progress import Progress, Timed
from ilk.system.running import Running


@dataclass(frozen=True)
class Result:
    """What ``find`` found.

    Attributes:
        documents: one row per document: ``doc``, ``source``, ``id``, ``size`` (bytes as
            read), ``modified``, ``length`` (bytes of text), ``fingerprint``, ``digest``,
            ``bytes_digest`` and, where there is no fingerprint, the ``reason``.
        clusters: one row per document of a cluster of two or more: ``doc``, ``cluster``,
            ``keeper``, and its measures against the keeper.
        contained: if containment was asked for, one row per document that stands in another one
            without being near to it: ``left`` in ``right``, with their measures.
        report: counts, thresholds, failures and the largest clusters, as plain values.
    """

    documents: pa.Table
    clusters: pa.Table
    contained: pa.Table
    report: dict[str, Any]
    _search: Search | Portioned = field(repr=False)
    _gathered: Gathered = field(repr=False)
    _texts: columns.Texts = field(repr=False)

    @property
    def running(self) -> Running:
        """How it ran."""
        return self._search.running

    def judge(self, left: pa.Array, right: pa.Array) -> pa.Table:
        """Return pairs of documents, measured: ``resemblance`` and both containments, exact.

        Args:
            left, right: m rows (``doc``, ``int64``) each, a pair in every position.
        """
        return self._gathered.judge(left, right, Thresholds())

    def texts(self, rows: Any) -> pa.Array:
        """Return the texts of some documents, read again; no text is held.

        Args:
            rows: m rows (``doc``); the text of a document may be null.

        Raises:
            SourceChanged: the source has other documents than before.
        """
        wanted = pa.array(rows, pa.int64())
        once = pc.unique(wanted)
        once = once.take(pc.sort_indices(once))
        texts = columns.taken(self._texts, once)
        return texts.take(pc.index_in(wanted, value_set=once))

    @cached_property
    def pairs(self) -> pa.Table:
        """Every verified pair of documents, copies of one text included, sorted by row.

        Raises:
            TooManyPairs: there are more than ``max_pairs``.
        """
        return self._search.pairs()

    @property
    def alarms(self) -> list[str]:
        """Why a person should look before anything is dropped; empty if nothing is suspicious."""
        return list(self.report["alarms"])


def find(
    source: Any,
    *,
    resemblance: str | float | None = None,
    containment: str | float | None = None,
    radius: int | None = None,
    similarity: str | float | None = None,
    shingle: int = default("shingle"),
    common_blocks: int | None = None,
    same_site: str | float | None = None,
    pairing: str | None = None,
    recall: str | float | None = None,
    recipe: Recipe | None = None,
    keep: str | Sequence[str] = default("keep"),
    linkage: str = default("linkage"),
    text: str | Sequence[str] = default("text"),
    id: str | None = None,
    include: Sequence[str] = (),
    exclude: Sequence[str] = (),
    convert: Mapping[str, Sequence[str]] | None = None,
    convert_timeout: float = default("convert_timeout"),
    extract: str = default("extract"),
    max_pairs: int = default("max_pairs"),
    memory: str | int | None = None,
    calibration: Calibration | str | os.PathLike[str] | None = None,
    probe: int | None = None,
    jobs: int | None = None,
    progress: Progress | None = None,
) -> Result:
    """Find the documents of one kind: exact and near-duplicates.

    Args:
        source: a path or a list of paths (folders are read recursively, and files whose names say
            that they hold rows row by row), a list of texts, a column of texts, or a table.
        resemblance: near-duplicates share at least this part of their shingles (default 0.8).
        containment: also find documents of which at least this part stands in another.
        radius: take pairs whose fingerprints differ in at most this many bits; without
            ``resemblance`` every such pair counts.
        similarity: the same as a share of equal bits: ``"90%"`` is a radius of 6 (Roth 2013).
        shingle: words per shingle. A text below 50 words and one below 100 are compared by
            3 characters.
        common_blocks: leave paragraphs and lines out of the features that recur in more than so
            many documents (copies of one text count once), and report them. Choose a number well
            above the size of the groups that you look for.
        same_site: the least resemblance of two documents of one site, or ``"stricter"`` (0.9). A
            site is the host of an id that is a URL, or else the first folder below the path.
        pairing: ``exact`` joins the shingle sets and misses nothing (default); ``fingerprint``
            nominates by fingerprint and verifies (default where ``radius`` or ``similarity`` is
            given).
        recall: the share of the near-duplicates that fingerprints shall nominate (default 0.99);
            the radius follows from it.
        recipe: how fingerprints are made; the default is that of the calibration, or where
            ``similarity`` is given the SimHash of words of which it speaks, or ``Recipe()``.
        keep: which document of a cluster stays: policies of ``ilk.steps.ranking``, most important
            first.
        linkage: ``anchored`` (each member was verified against its keeper) or ``connected``.
        text: the column of texts in rows; or several, put together with a blank line between.
        id: the column of ids in rows; ``id``, where there is one, if nothing is said.
        include, exclude: globs that files in folders must, and must not, match.
        convert: by extension, the program that turns such a file into text on its output.
        convert_timeout: seconds that each of these programs may take for a file.
        extract: how text is made of files, and of texts in rows, in HTML: ``none`` (they are read
            with their tags), ``all``, ``fast`` or ``quality`` (the main text; extra ``pages``).
        max_pairs: the largest number of pairs to find.
        memory: what the shingle sets may take (``"2GB"``; default half of what is free). If they
            need more, candidates are found by fingerprint instead, and the report says so.
        calibration: what ``ilk.calibrate`` measured, or the name or path of its file: candidates
            are found by fingerprint, within the radius that it recommends.
        probe: how many edited copies of the documents are looked for among them, to measure what
            this search finds; the report says it, and nothing else knows of them.
        jobs: threads; by default one per processor. The result does not depend on them.
        progress: follows every step.

    Raises:
        OptionError: an option is out of bounds, or two contradict each other; or no document has
            the site that ``same_site`` asks for.
        CalibrationError, RecipeMismatch: ``calibration`` is not a calibration, or is one
            for another search.
        SourceNotFound: a path does not exist.
        ColumnTypeError: rows have no column of that name.
        NothingRead: there were files, and none could be read.
        TooManyPairs: there are more than ``max_pairs``.
    """
    calibrated = None if calibration is None else calibration_of(calibration)
    recipe = recipe or _recipe(calibrated, similarity)
    measured = None
    if calibrated is not None:
        calibrated.check(
            recipe=str(recipe),
            resemblance=resemblance,
            shingle=shingle,
            pairing=pairing,
            instead={"radius": radius, "similarity": similarity, "recall": recall},
        )
        radius, measured = calibrated.radius, calibrated.promise
        resemblance = calibrated.resemblance if resemblance is None else resemblance
    sought = Sought.of(
        recipe,
        resemblance=resemblance,
        containment=containment,
        radius=radius,
        similarity=similarity,
        shingle=shingle,
        common_blocks=common_blocks,
        same_site=same_site,
        pairing=pairing,
        recall=recall,
        linkage=linkage,
        keep=keep,
        max_pairs=max_pairs,
        measured=measured,
    )
    reading = Reading.of(
        text=text,
        id=id,
        include=include,
        exclude=exclude,
        convert=convert,
        convert_timeout=convert_timeout,
        extract=extract,
    )
    copies = checked("probe", probe)
    timed = Timed(progress or readers.silent)
    running = Running.of(jobs, memory, timed)
    result = _found(source, sought, reading, running)
    if copies is not None:
        result.report["probe"] = probing.probe(result._search, result._gathered, copies, recipe)
    result.report["seconds"] = timed.seconds()
    return result


def _found(source: Any, sought: Sought, reading: Reading, running: Running) -> Result:
    """Return what is found in a source."""
    tally, recipe = Tally(), sought.recipe
    corpus = Corpus(source, reading, running, tally)
    gathered = gather(corpus.batches(), corpus, recipe, sought.shingle, running)
    documents = gathered.documents
    readers.check(documents, tally)
    ranking = ranked(documents, sought.keep)
    representatives = steps.distinct(documents, ranking)
    one_site = None
    if sought.same_site is not None:
        roots = readers.named_paths(source) or ()
        numbers = site_numbers(documents, representatives, roots)
        one_site = OneSite(numbers, sought.same_site)
    common = None
    if sought.common_blocks is not None:
        gathered, common = without_common(gathered, representatives, sought)
        documents = gathered.documents
    search = searched(gathered, representatives, sought, running, one_site=one_site)
    members = search.members(ranking)
    contained = search.contained(members)
    report = _report(tally, documents, members, contained, search.plan, reading)
    report["common_blocks"] = None
    if common is not None:
        listed = blocks.listed(common).select(["documents", "text"])
        report["common_blocks"] = listed.to_pylist()
    return Result(documents, members, contained, report, search, gathered, corpus)


def _recipe(calibrated: Calibration | None, similarity: str | float | None) -> Recipe:
    """Return how fingerprints are made where nothing is said of it."""
    if calibrated is not None:
        return Recipe.parse(calibrated.recipe)
    return Recipe() if similarity is None else SIMILARITY_INDEX


def _report(
    tally: Tally,
    documents: pa.Table,
    members: pa.Table,
    contained: pa.Table,
    plan: Plan,
    reading: Reading,
) -> dict[str, Any]:
    """Return what happened, as plain values."""
    reasons = Counter(reason for reason in documents["reason"].to_pylist() if reason)
    sizes = alarms.by_size(members)
    sources = documents["source"]
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
        "fingerprinted": len(documents) - sum(reasons.values()),
        "without_fingerprint": dict(sorted(reasons.items())),
        "clusters": len(sizes),
        "in_clusters": len(members),
        "numbers_only": pc.sum(pc.equal(members["verdict"], verdicts.NUMBERS_ONLY)).as_py() or 0,
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
    }
