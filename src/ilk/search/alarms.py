"""Signs that something went wrong: clusters or losses so large that a person must look.

The best-known accident in this field is one boilerplate cluster that wipes out a corpus.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import pyarrow as pa
import pyarrow.compute as pc

from ilk import arrow
from ilk.arrow import verdicts
from ilk.base.options import check_option
from ilk.search.measures import percent


@dataclass(frozen=True, slots=True)
class AlarmLimits:
    """The limits beyond which the alarm is raised.

    Attributes:
        documents, share: a cluster of near-duplicates must exceed both.
        loss: the share of its rows that a source may lose to near-duplicates.
    """

    documents: int
    share: Fraction
    loss: Fraction

    @classmethod
    def of(
        cls,
        documents: int | None = None,
        share: str | float | None = None,
        loss: str | float | None = None,
    ) -> AlarmLimits:
        """Check keyword arguments; None means the default."""
        given = {"alarm_documents": documents, "alarm_share": share, "alarm_loss": loss}
        return cls(*(check_option(name, value) for name, value in given.items()))

    def cluster_alarms(self, sizes: pa.Table, total: int) -> list[str]:
        """Return why clusters of a run of ``total`` documents raise the alarm, as sentences."""
        large = pc.and_(
            sizes["near"], pc.greater(sizes["documents"], self._largest_without_alarm(total))
        )
        share = percent(float(self.share), digits=0)
        return [
            f"cluster {row['cluster']} has {row['documents']:,} documents, more than "
            f"{self.documents:,} and {share} of the run, and they are not all copies; "
            "such a cluster is mostly boilerplate"
            for row in sizes.filter(large).to_pylist()
        ]

    def _largest_without_alarm(self, total: int) -> int:
        """Return the most documents of a cluster that raises no alarm."""
        return max(self.documents, int(self.share * total))

    def cluster_advice(self, sizes: pa.Table, total: int) -> list[str]:
        """Return what to look at although it raises no alarm, as sentences.

        These are clusters of more than ``documents`` that are at most ``share`` of the run: in a
        large run, a template may have thousands of pages.
        """
        many = pc.and_(sizes["near"], pc.greater(sizes["documents"], self.documents))
        large = sizes.filter(
            pc.and_not(many, pc.greater(sizes["documents"], self._largest_without_alarm(total)))
        )
        if not len(large):
            return []
        first, others = large.slice(0, 1).to_pylist()[0], len(large) - 1
        more = "" if not others else f", and so have {others:,} more"
        more = more if others != 1 else ", and so has 1 more"
        sentence = (
            f"cluster {first['cluster']} has {first['documents']:,} documents, more than "
            f"{self.documents:,}{more}, and they are not all copies; look at some of them: what "
            "such a cluster shares may be a template"
        )
        return [sentence]

    def source_alarms(self, sources: pa.Table) -> list[str]:
        """Return why sources raise the alarm, one sentence each.

        Args:
            sources: ``source``, its ``rows``, and how many of them are dropped as ``near``.
        """
        return [
            f"{row['source'] or 'the table'} loses {row['near']:,} of {row['rows']:,} rows to "
            f"near-duplicates, more than {percent(float(self.loss), digits=0)}"
            for row in sources.to_pylist()
            if row["near"] > self.loss * row["rows"]
        ]


def cluster_sizes(members: pa.Table) -> pa.Table:
    """Return for each cluster ``cluster``, ``keeper``, ``documents``, whether it is ``near``, and
    its ``kind``, the weakest verdict in it.

    The largest comes first; clusters of one document are left out.

    Args:
        members: members of clusters, with ``cluster``, ``keeper`` and ``verdict``.
    """
    of = arrow.flat(members["cluster"])
    clusters, documents = pc.value_counts(of).flatten()
    keepers = arrow.flat(members["keeper"]).take(pc.index_in(clusters, value_set=of))
    copies = pc.is_in(members["verdict"], pa.array(verdicts.COPIES))
    near = pc.is_in(clusters, value_set=of.filter(arrow.flat(pc.invert(copies))))
    words = [*verdicts.COPIES, verdicts.NUMBERS_ONLY, verdicts.NEAR, verdicts.NOISY]
    others = set(pc.unique(members["verdict"]).to_pylist()) - {*words, None}
    by_weakness = pa.array([*words, *sorted(others, key=lambda word: (len(word), word))])
    rank = pc.index_in(arrow.flat(members["verdict"]), value_set=by_weakness)
    ranks = pa.table({"cluster": of, "rank": rank}).group_by("cluster", use_threads=False)
    weakest = ranks.aggregate([("rank", "max")])
    at = pc.index_in(clusters, value_set=arrow.flat(weakest["cluster"]))
    kinds = by_weakness.take(arrow.flat(weakest["rank_max"]).take(at))
    columns = [clusters, keepers, documents, near, kinds]
    sizes = pa.table(columns, names=["cluster", "keeper", "documents", "near", "kind"])
    order = [("documents", "descending"), ("cluster", "ascending")]
    return sizes.filter(pc.greater(documents, 1)).sort_by(order)
