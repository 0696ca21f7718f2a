"""The six steps run on one machine: documents in, clusters of one kind out."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from ilk import clusters, columns, readers, steps
from ilk import keep as keeping
from ilk.errors import NothingRead, OptionError
from ilk.pairing.hamming import MAX_PAIRS, checked_max_pairs
from ilk.planning import Plan, plan
from ilk.recipe import Recipe

#: Told of every step: its name, units done, and units in all where that is known.
Progress = Callable[[str, int, int | None], None]

#: A near cluster larger than both raises the alarm: such clusters are mostly boilerplate.
ALARM_DOCUMENTS = 1_000
ALARM_SHARE = 0.05

#: Clusters that the report names by their size.
_LARGEST = 10


@dataclass(frozen=True)
class Result:
    """What ``find`` found.

    Attributes:
        documents: one row per document: ``doc``, ``source``, ``id``, ``size``, ``modified``,
            ``length`` (bytes of text), ``fingerprint``, ``digest``, ``bytes_digest``, ``reason``.
        clusters: one row per document of a cluster of two or more: ``doc``, ``cluster``,
            ``keeper``, and its measures against the keeper.
        report: counts, thresholds, failures and the largest clusters, as plain values.
    """

    documents: pa.Table
    clusters: pa.Table
    report: dict[str, Any]
    _representative_pairs: pa.Table = field(repr=False)
    _representatives: pa.Array = field(repr=False)
    _max_pairs: int = field(repr=False)

    @cached_property
    def pairs(self) -> pa.Table:
        """Every verified pair of documents, copies of one text included.

        Raises:
            TooManyPairs: there are more than ``max_pairs``.
        """
        return steps.expand(
            self._representative_pairs,
            self.documents,
            self._representatives,
            max_pairs=self._max_pairs,
        )

    @property
    def alarm(self) -> bool:
        """Whether a cluster is suspiciously large."""
        return bool(self.report["alarm"])


def find(
    source: Any,
    *,
    resemblance: float | None = None,
    containment: float | None = None,
    radius: int | None = None,
    similarity: str | float | None = None,
    shingle: int = 3,
    pairing: str | None = None,
    recipe: Recipe | None = None,
    keep: str | Sequence[str] = "first",
    linkage: str = "anchored",
    include: Sequence[str] = (),
    exclude: Sequence[str] = (),
    convert: Mapping[str, Sequence[str]] | None = None,
    max_pairs: int = MAX_PAIRS,
    jobs: int | None = None,
    progress: Progress | None = None,
) -> Result:
    """Find the documents of one kind: exact and near-duplicates.

    Args:
        source: a path or a list of paths (folders are read recursively), a list of texts, a column
            of texts, or a table with the column ``text`` and perhaps ``id``.
        resemblance: near-duplicates share at least this part of their shingles (default 0.8).
        containment: also find documents of which at least this part stands in another.
        radius: take pairs whose fingerprints differ in at most this many bits; without
            ``resemblance`` every such pair counts.
        similarity: the same as a share of equal bits: ``"90%"`` is a radius of 6.
        shingle: words per shingle; texts below 50 words are compared by 3 characters.
        pairing: how candidates are found.
        recipe: how fingerprints are made; the default is ``Recipe()``.
        keep: which document of a cluster stays: policies of ``ilk.keep``, the weightiest
            first.
        linkage: ``anchored`` (each member was verified against its keeper) or ``connected``.
        include, exclude: globs that files in folders must, and must not, match.
        convert: by extension, the program that turns such a file into text on its output.
        max_pairs: the largest number of pairs to find.
        jobs: threads; by default one per processor. The result does not depend on them.
        progress: told of every step.

    Raises:
        OptionError: an option is out of bounds, or two contradict each other.
        SourceNotFound: a path does not exist.
        NothingRead: there were files, and none could be read.
        TooManyPairs: there are more than ``max_pairs``.
    """
    recipe = recipe or Recipe()
    policies = [keep] if isinstance(keep, str) else list(keep)
    keeping.check(policies)
    clusters.check(linkage)
    checked_max_pairs(max_pairs)
    jobs = threads(jobs)
    chosen = plan(
        resemblance=resemblance,
        containment=containment,
        radius=radius,
        similarity=similarity,
        shingle=shingle,
        pairing=pairing,
        bits=recipe.bits,
    )
    tell = progress or (lambda *_: None)
    tally = readers.Tally()
    batches = readers.read(
        source, include=include, exclude=exclude, convert=convert or {}, tally=tally, progress=tell
    )
    documents = steps.fingerprinted(batches, recipe, jobs=jobs)
    if not len(documents) and tally.failures:
        first = tally.failures[0]
        raise NothingRead(
            f"none of {len(tally.failures)} files could be read; the first: "
            f"{first.source}: {first.reason}."
        )
    tell("pair", 0, None)
    ranking = keeping.ranking(documents, policies)
    representatives = steps.distinct(documents, ranking)
    candidates = steps.pair(documents, representatives, chosen.radius, max_pairs=max_pairs)
    tell("verify", 0, len(candidates))
    verified = steps.verify(
        candidates,
        documents,
        resemblance=chosen.resemblance,
        containment=chosen.containment,
        shingle=chosen.shingle,
        jobs=jobs,
    )
    verified = verified.filter(pc.not_equal(verified["verdict"], "different"))
    tell("cluster", 0, None)
    members = steps.cluster(steps.same(verified), representatives, ranking, linkage=linkage)
    measured = _measured(members, documents, chosen, jobs)
    report = _report(tally, documents, measured, verified, chosen, recipe, linkage)
    return Result(documents.drop_columns("text"), measured, report, verified, representatives, max_pairs)


def threads(jobs: int | None) -> int:
    """The number of threads: as many as asked for, or one per processor.

    Raises:
        OptionError: it is not a whole number of at least 1.
    """
    if jobs is None:
        affinity = getattr(os, "sched_getaffinity", None)
        return len(affinity(0)) if affinity else os.cpu_count() or 1
    if type(jobs) is not int or jobs < 1:
        raise OptionError(f"jobs is {jobs!r}; it must be a whole number of threads, 1 or more.")
    return jobs


def _measured(
    members: pa.Table, documents: pa.Table, chosen: Plan, jobs: int
) -> pa.Table:
    """The members of clusters with their measures against their keeper: ``CLUSTERS``."""
    against = members.rename_columns(["left", "cluster", "right"])
    found = steps.verify(
        steps.unmeasured(against),
        documents,
        resemblance=chosen.resemblance,
        containment=chosen.containment,
        shingle=chosen.shingle,
        jobs=jobs,
    )
    return pa.table(
        [
            *members.columns,
            found["distance"],
            found["resemblance"],
            found["containment_left"],
            found["containment_right"],
            found["verdict"],
        ],
        schema=columns.CLUSTERS,
    )


def _report(
    tally: readers.Tally,
    documents: pa.Table,
    members: pa.Table,
    verified: pa.Table,
    chosen: Plan,
    recipe: Recipe,
    linkage: str,
) -> dict[str, Any]:
    """What happened, as plain values."""
    reasons = Counter(reason for reason in documents["reason"].to_pylist() if reason)
    sizes = members.group_by(["cluster", "keeper"]).aggregate([("doc", "count")])
    sizes = sizes.sort_by([("doc_count", "descending"), ("cluster", "ascending")])
    largest = [
        {
            "cluster": row["cluster"],
            "documents": row["doc_count"],
            "keeper": documents["source"][row["keeper"]].as_py(),
        }
        for row in sizes.slice(0, _LARGEST).to_pylist()
    ]
    near = Counter(members.filter(pc.equal(members["verdict"], "near"))["cluster"].to_pylist())
    alarm = [
        {"cluster": cluster, "documents": size}
        for cluster, size in near.most_common(_LARGEST)
        if size > ALARM_DOCUMENTS and size > ALARM_SHARE * len(documents)
    ]
    return {
        "documents": len(documents),
        "fingerprinted": len(documents) - sum(reasons.values()),
        "without_fingerprint": dict(sorted(reasons.items())),
        "clusters": len(sizes),
        "in_clusters": len(members),
        "contained": verified.filter(pc.is_in(verified["verdict"], pa.array(["contained", "contains"]))).num_rows,
        "skipped": dict(sorted(tally.skipped.items())),
        "excluded": tally.excluded,
        "failed": len(tally.failures),
        "failures": [{"source": f.source, "reason": f.reason} for f in tally.failures],
        "replaced": list(tally.replaced),
        "encodings": dict(sorted(tally.encodings.items())),
        "advice": tally.advice(),
        "recipe": str(recipe),
        "pairing": chosen.pairing,
        "radius": chosen.radius,
        "resemblance": None if chosen.resemblance is None else float(chosen.resemblance),
        "containment": None if chosen.containment is None else float(chosen.containment),
        "shingle": chosen.shingle,
        "linkage": linkage,
        "largest": largest,
        "alarm": alarm,
    }
