"""The steps between reading and writing: evidence, joins, ranking, the judge, Arrow columns."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ilk.base.lazy import loader

if TYPE_CHECKING:
    from ilk import _kernels as kernels
    from ilk import arrow as arrow
    from ilk.arrow import flat
    from ilk.arrow import verdicts as verdicts
    from ilk.fingerprints import hamming as hamming
    from ilk.fingerprints import hashes as hashes
    from ilk.fingerprints import rabin as rabin
    from ilk.fingerprints import weighting as weighting
    from ilk.fingerprints.digest import digests
    from ilk.fingerprints.fingerprinting import distinct, fingerprint_texts, represents
    from ilk.fingerprints.recipe import SIMILARITY_INDEX, checked_recipe
    from ilk.search import clustering as clustering
    from ilk.search import evidence_joins as evidence_joins
    from ilk.search import measures as measures
    from ilk.search import noise as noise
    from ilk.search import planning as planning
    from ilk.search.alarms import AlarmLimits
    from ilk.search.clustering import assigned
    from ilk.search.differences import differences
    from ilk.search.evidence import LARGE, Evidence, Thresholds, evidence_builder
    from ilk.search.gathered import ReadDocuments, gather
    from ilk.search.judging import verify
    from ilk.search.measures import kernel_ratio, percent, tail
    from ilk.search.noisy import NoisyCopies
    from ilk.search.planning import SearchPlan
    from ilk.search.portions import NOMINATING
    from ilk.search.query import Query
    from ilk.search.ranking import CENTRAL, HELD, deciding, ranked, reasons
    from ilk.search.report import LARGEST, head
    from ilk.search.run import Search
    from ilk.search.sites import addresses

__all__ = [
    "CENTRAL",
    "HELD",
    "LARGE",
    "LARGEST",
    "NOMINATING",
    "SIMILARITY_INDEX",
    "AlarmLimits",
    "Evidence",
    "NoisyCopies",
    "Query",
    "ReadDocuments",
    "Search",
    "SearchPlan",
    "Thresholds",
    "addresses",
    "arrow",
    "assigned",
    "checked_recipe",
    "clustering",
    "deciding",
    "differences",
    "digests",
    "distinct",
    "evidence_builder",
    "evidence_joins",
    "fingerprint_texts",
    "flat",
    "gather",
    "hamming",
    "hashes",
    "head",
    "kernel_ratio",
    "kernels",
    "measures",
    "noise",
    "percent",
    "planning",
    "rabin",
    "ranked",
    "reasons",
    "represents",
    "tail",
    "verdicts",
    "verify",
    "weighting",
]

if not TYPE_CHECKING:
    __getattr__ = loader(
        __name__,
        {
            "ilk.arrow": ("flat",),
            "ilk.fingerprints.digest": ("digests",),
            "ilk.fingerprints.fingerprinting": (
                "distinct",
                "fingerprint_texts",
                "represents",
            ),
            "ilk.fingerprints.recipe": (
                "SIMILARITY_INDEX",
                "checked_recipe",
            ),
            "ilk.search.alarms": ("AlarmLimits",),
            "ilk.search.clustering": ("assigned",),
            "ilk.search.differences": ("differences",),
            "ilk.search.evidence": (
                "Evidence",
                "LARGE",
                "Thresholds",
                "evidence_builder",
            ),
            "ilk.search.gathered": (
                "ReadDocuments",
                "gather",
            ),
            "ilk.search.judging": ("verify",),
            "ilk.search.measures": (
                "kernel_ratio",
                "percent",
                "tail",
            ),
            "ilk.search.noisy": ("NoisyCopies",),
            "ilk.search.planning": ("SearchPlan",),
            "ilk.search.portions": ("NOMINATING",),
            "ilk.search.query": ("Query",),
            "ilk.search.ranking": (
                "CENTRAL",
                "HELD",
                "deciding",
                "ranked",
                "reasons",
            ),
            "ilk.search.report": (
                "LARGEST",
                "head",
            ),
            "ilk.search.run": ("Search",),
            "ilk.search.sites": ("addresses",),
            "ilk.arrow:": ("arrow",),
            "ilk.search.clustering:": ("clustering",),
            "ilk.search.evidence_joins:": ("evidence_joins",),
            "ilk.fingerprints.hamming:": ("hamming",),
            "ilk.fingerprints.hashes:": ("hashes",),
            "ilk._kernels:": ("kernels",),
            "ilk.search.measures:": ("measures",),
            "ilk.search.noise:": ("noise",),
            "ilk.search.planning:": ("planning",),
            "ilk.fingerprints.rabin:": ("rabin",),
            "ilk.arrow.verdicts:": ("verdicts",),
            "ilk.fingerprints.weighting:": ("weighting",),
        },
    )
