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
from ilk.search.measures import format_percent


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
    def from_options_or_defaults(
        cls,
        *,
        documents: int | None = None,
        share: str | float | None = None,
        loss: str | float | None = None,
    ) -> AlarmLimits:
        """Check options; None means the default."""
        given = {"alarm_documents": documents, "alarm_share": share, "alarm_loss": loss}
        return cls(*(check_option(name, value) for name, value in given.items()))

    def alarms_about_near_clusters_above_both_limits(
        self, clusters: pa.Table, *, document_count: int
    ) -> list[str]:
        """Return why clusters of a run raise the alarm, one sentence each.

        Args:
            clusters: of ``summarize_clusters_of_several``.
            document_count: the documents of the run.
        """
        large = pc.and_(
            clusters["near"],
            pc.greater(clusters["documents"], self._largest_cluster_without_alarm(document_count)),
        )
        share = format_percent(float(self.share), min_digits=0)
        return [
            f"cluster {row['cluster']} has {row['documents']:,} documents, more than "
            f"{self.documents:,} and {share} of the run, and they are not all copies; "
            "such a cluster is mostly boilerplate"
            for row in clusters.filter(large).to_pylist()
        ]

    def _largest_cluster_without_alarm(self, document_count: int) -> int:
        """Return the most documents of a cluster that raises no alarm."""
        return max(self.documents, int(self.share * document_count))

    def single_advice_on_clusters_below_alarm_share(
        self, clusters: pa.Table, *, document_count: int
    ) -> list[str]:
        """Return at most one sentence, about clusters to look at although they raise no alarm.

        These are clusters of more than ``documents`` that are at most ``share`` of the run: in a
        large run, a template may have thousands of pages.
        """
        many = pc.and_(clusters["near"], pc.greater(clusters["documents"], self.documents))
        limit = self._largest_cluster_without_alarm(document_count)
        large = clusters.filter(pc.and_not(many, pc.greater(clusters["documents"], limit)))
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

    def alarms_about_near_rows_lost(self, sources_with_losses: pa.Table) -> list[str]:
        """Return why sources raise the alarm, one sentence each.

        Args:
            sources_with_losses: ``source``, its ``rows``, and how many are dropped as ``near``.
        """
        return [
            f"{row['source'] or 'the table'} loses {row['near']:,} of {row['rows']:,} rows to "
            f"near-duplicates, more than {format_percent(float(self.loss), min_digits=0)}"
            for row in sources_with_losses.to_pylist()
            if row["near"] > self.loss * row["rows"]
        ]


def summarize_clusters_of_several(members: pa.Table) -> pa.Table:
    """Return for each cluster ``cluster``, ``keeper``, ``documents``, whether it is ``near``, and
    its ``kind``, the weakest verdict in it.

    The largest comes first; clusters of one document are left out.

    Args:
        members: members of clusters, with ``cluster``, ``keeper`` and ``verdict``.
    """
    cluster_of_member = arrow.flat(members["cluster"])
    clusters, documents = pc.value_counts(cluster_of_member).flatten()
    first_rows = pc.index_in(clusters, value_set=cluster_of_member)
    keepers = arrow.flat(members["keeper"]).take(first_rows)
    copies = pc.is_in(members["verdict"], pa.array(verdicts.COPIES))
    near = pc.is_in(clusters, value_set=cluster_of_member.filter(arrow.flat(pc.invert(copies))))
    words = [*verdicts.COPIES, verdicts.NUMBERS_ONLY, verdicts.NEAR, verdicts.NOISY]
    others = set(pc.unique(members["verdict"]).to_pylist()) - {*words, None}
    by_weakness = pa.array([*words, *sorted(others, key=lambda word: (len(word), word))])
    rank = pc.index_in(arrow.flat(members["verdict"]), value_set=by_weakness)
    weakest = arrow.greatest_values_with_same_name(cluster_of_member, rank).take(first_rows)
    kinds = by_weakness.take(weakest)
    columns = [clusters, keepers, documents, near, kinds]
    sizes = pa.table(columns, names=["cluster", "keeper", "documents", "near", "kind"])
    order = [("documents", "descending"), ("cluster", "ascending")]
    return sizes.filter(pc.greater(documents, 1)).sort_by(order)
