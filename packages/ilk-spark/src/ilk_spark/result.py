"""The kept rows of a data frame, and the reasons why the others are not kept."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ilk_spark.flow import BROADCAST
from ilk_spark.reading import quote_column

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

#: The columns of a row, in this order.
NAMES = (
    "id",
    "family",
    "keeper",
    "verdict",
    "policy",
    "distance",
    "resemblance",
    "contained_in_keeper",
    "contains_keeper",
    "also_like",
    "also_resemblance",
    "also_verdict",
)


@dataclass(frozen=True, kw_only=True)
class Deduplicated:
    """The kept rows of a data frame, and the reasons why the others are not kept.

    Attributes:
        frame: the rows.
        id: the column that names them.
        found: what Spark holds of ``clusters``.
        rejected: the rows that were not compared, and are kept: ``id`` and ``reason``.
        report: counts, options, alarms and the largest clusters, as plain values.
    """

    frame: DataFrame
    id: str
    found: DataFrame
    rejected: DataFrame
    report: dict[str, Any]

    @property
    def clusters(self) -> DataFrame:
        """One row per row of a family of two or more.

        ``id``; ``family`` (the id of the best row that verified pairs connect it with) and
        ``keeper`` (an id), which name families and clusters; ``verdict``, ``policy`` (which chose
        the keeper; null for keepers), ``distance`` and the measures against the keeper; for
        keepers, ``also_like`` is the row of another cluster that they are most like.
        """
        return self.found.select(*NAMES)

    @property
    def dropped_rows(self) -> DataFrame:
        """The rows of ``clusters`` that are not kept."""
        return self.clusters.where("policy is not null")

    @property
    def kept_rows(self) -> DataFrame:
        """The rows that are kept, with all their columns."""
        from pyspark.sql import functions as sf

        gone = self.dropped_rows.select(sf.col("id").alias(self.id))
        if sum(self.report["dropped"].values()) <= BROADCAST:
            gone = sf.broadcast(gone)
        return self.frame.join(gone, [self.id], "left_anti").select(
            *(quote_column(name) for name in self.frame.columns)
        )

    @property
    def alarms(self) -> list[str]:
        """The reasons to look before anything is dropped; empty if nothing is suspicious."""
        return list(self.report["alarms"])

    def unpersist(self) -> None:
        """Free what Spark holds; it is computed again if needed."""
        self.found.unpersist()
