"""Clusters so large that a person looks first, or should look at some of them."""

from __future__ import annotations

import pyarrow as pa
import pytest

from ilk.search.alarms import AlarmLimits


def sizes(*documents: int, near: bool = True) -> pa.Table:
    """The sizes of clusters, the largest first."""
    rows = range(len(documents))
    columns = {
        "cluster": pa.array(rows, pa.int64()),
        "keeper": pa.array(rows, pa.int64()),
        "documents": pa.array(documents, pa.int64()),
        "near": pa.array([near] * len(rows), pa.bool_()),
    }
    return pa.table(columns)


@pytest.mark.parametrize(
    ("documents", "total", "alarms", "advice"),
    [
        ((4_241, 900), 238_345, 0, ["cluster 0 has 4,241 documents, more than 1,000, and they"]),
        ((4_241, 1_001), 238_345, 0, ["more than 1,000, and so has 1 more, and they are not all"]),
        ((4_241, 1_001, 1_001), 238_345, 0, ["and so have 2 more, and they"]),
        ((30_000, 4_241), 238_345, 1, ["cluster 1 has 4,241 documents"]),
        ((30_000,), 238_345, 1, []),
        ((1_000,), 238_345, 0, []),
        ((), 0, 0, []),
    ],
)
def test_a_large_cluster_below_the_share_is_advice_and_not_an_alarm(
    documents: tuple[int, ...], total: int, alarms: int, advice: list[str]
) -> None:
    limits = AlarmLimits.from_options_or_defaults()
    assert (
        len(
            limits.alarms_about_near_clusters_above_both_limits(
                sizes(*documents), document_count=total
            )
        )
        == alarms
    )
    sentences = limits.single_advice_on_clusters_below_alarm_share(
        sizes(*documents), document_count=total
    )
    assert len(sentences) == len(advice)
    assert all(part in sentence for part, sentence in zip(advice, sentences, strict=True))
    assert not limits.single_advice_on_clusters_below_alarm_share(
        sizes(*documents, near=False), document_count=total
    )


def test_advice_is_as_large_as_the_limit_says() -> None:
    limits = AlarmLimits.from_options_or_defaults(documents=10)
    (sentence,) = limits.single_advice_on_clusters_below_alarm_share(
        sizes(11), document_count=1_000
    )
    assert sentence.startswith("cluster 0 has 11 documents, more than 10, and they are not all")
