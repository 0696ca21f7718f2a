"""Clusters, as on one machine: copies by their digest, and whole components at a time."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.compute as pc

from ilk.companions import (
    HELD,
    Meeting,
    Search,
    SearchPlan,
    clustering,
    deciding_policies,
    find_representatives,
    membership_of_documents,
    order_documents_best_first,
    reasons_to_drop_or_null,
)
from ilk.plugins import Running, arrow
from ilk_spark.frame_request import FrameRequest, count_baseline_rows
from ilk_spark.packed import gather_batches_or_none
from ilk_spark.reading import evidence_of_facts

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

#: The columns of a row in a cluster, besides its id and its keeper's.
_SAID = (
    "verdict string, policy string, distance int, resemblance double, "
    "contained_in_keeper double, contains_keeper double, also_resemblance double, "
    "also_verdict string"
)

#: The columns of a pair.
_PAIR = ("resemblance", "containment_left", "containment_right", "verdict")
PAIRS = (
    "left long, right long, resemblance double, containment_left double, "
    "containment_right double, verdict string"
)

#: Prefixes for the known columns of a row, and of its keeper, if those decide.
_OWN, _BEST = "own", "best"

_MEASURES = ("resemblance", "contained_in_keeper", "contains_keeper")
_ALSO = ("also_resemblance", "also_verdict")


@dataclass(frozen=True)
class CopiesTask:
    """The task that finds the rows with one digest; its input has all of them.

    Attributes:
        request: which of them stays.
    """

    request: FrameRequest

    def __call__(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Yield the rows that have copies, each with the best one, which is among them.

        A copy in a baseline has only its best one, without a verdict; and so has a copy of a row
        with which it is not compared.
        """
        table = gather_batches_or_none(batches)
        if table is None:
            return
        table = self.request.order_rows(table)
        documents, count = _make_documents(table), count_baseline_rows(table)
        column = self.request.policy_column_reader(table)
        ranking = order_documents_best_first(
            documents, self.request.query.keep, read_column=column, baseline_size=count
        )
        if self.request.only_against:
            # Policies do not choose among rows that are not compared: the first stands for them.
            ranking = pa.concat_arrays([ranking[:count], pa.arange(count, len(table))])
        best = find_representatives(documents, ranking)
        members = clustering.make_clusters_of_equal_digests(documents, best, baseline_size=0)
        # The resemblance of copies is 1 if they have a shingle; the judge knows.
        measured = arrow.flat(table["measured"]).take(members["doc"])
        for name in _MEASURES:
            members = _with_column_replaced(members, name, measured)
        # A baseline row that is not the best is not a member of a cluster.
        silent = pc.and_(
            pc.less(members["doc"], count), pc.not_equal(members["doc"], members["keeper"])
        )
        if self.request.only_against:
            silent = pc.or_(silent, pc.greater_equal(members["keeper"], count))
        members = _with_column_replaced(
            members, "verdict", pc.if_else(silent, None, members["verdict"])
        )
        yield from _member_batches_with_ids_and_policies(
            self.request, table, documents=documents, members=members, families=members["keeper"]
        )


@dataclass(frozen=True)
class ClusterTask:
    """The task that clusters whole components as one machine does.

    Attributes:
        request: what near-duplicates are, and which of them stays.
    """

    request: FrameRequest

    def __call__(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Yield the rows of clusters, the keepers among them."""
        table = gather_batches_or_none(batches)
        if table is None:
            return
        table = self.request.order_rows(table)
        search = _make_search(self.request, table, baseline_rows=count_baseline_rows(table))
        rows = pa.arange(0, len(table))
        documents, policies = search.documents, self.request.query.keep
        ranking = order_documents_best_first(
            documents,
            policies,
            read_column=self.request.policy_column_reader(table),
            baseline_size=search.baseline_size,
        )
        everyone = membership_of_documents(
            search.cluster_representatives_by_resemblance(ranking), rows, rows
        )
        # A family has the name of its best row, which no copy of one of its rows precedes.
        places = pc.scatter(rows, ranking)
        family = pa.table({"family": everyone["family"], "place": places}).group_by("family")
        first = family.aggregate([("place", "min")])
        at = pc.index_in(everyone["family"], value_set=arrow.flat(first["family"]))
        families = ranking.take(arrow.flat(first["place_min"]).take(arrow.flat(at)))
        # Rows that were connected in vain are in no family.
        several = clustering.are_repeated(families)
        members = search.judge_against_keeper_and_also_like(everyone.filter(several))
        yield from _member_batches_with_ids_and_policies(
            self.request,
            table,
            documents=documents,
            members=members,
            families=families.filter(several),
        )


@dataclass(frozen=True)
class PairTask:
    """The task that finds every pair of whole components.

    Attributes:
        request: what near-duplicates are.
    """

    request: FrameRequest

    def __call__(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Yield the pairs, measured."""
        table = gather_batches_or_none(batches)
        if table is None:
            return
        table = self.request.order_rows(table)
        # As in ``ilk.find``: what is shown, and not dropped, is alike whatever numbers it has.
        shows_numbers_only = self.request.band_shape_or_none is None
        found = _make_search(
            self.request, table, numbers_only_is_alike=shows_numbers_only
        ).verified_pairs
        docs = arrow.flat(table["doc"])
        sides = {side: docs.take(arrow.flat(found[side])) for side in ("left", "right")}
        yield from pa.table(sides | {name: found[name] for name in _PAIR}).to_batches()


def find_pairs_in_components(members: DataFrame, request: FrameRequest, tasks: int) -> DataFrame:
    """Return the pairs among the members of components, by their ``bucket``."""
    some = members.drop("records", "measured").repartition(tasks, "bucket")
    return some.mapInArrow(PairTask(request), PAIRS)


def cluster_row_schema(facts: DataFrame, request: FrameRequest) -> str:
    """Return the columns of rows in clusters."""
    kinds = {field.name: field.dataType.simpleString() for field in facts.schema.fields}
    weighed = "".join(
        f", {side}_{name} {kinds[name]}"
        for side in (_OWN, _BEST)
        for name in request.keeper_ranking_columns_unless_by_order
    )
    names = ", ".join(f"{name} {kinds['id']}" for name in ("id", "keeper", "family", "also_like"))
    return f"doc long, held boolean, best long, first long, {names}, {_SAID}{weighed}"


def find_copies(facts: DataFrame, request: FrameRequest, tasks: int) -> DataFrame:
    """Return the rows that have copies, by the digest."""
    names = (
        "doc",
        "held",
        "id",
        *request.extra_columns_by_new_name,
        "length",
        "digest",
        "bytes_digest",
        "measured",
    )
    some = facts.select(*names).where("digest is not null").repartition(tasks, "digest")
    return some.mapInArrow(CopiesTask(request), cluster_row_schema(facts, request))


def cluster_components(members: DataFrame, request: FrameRequest, tasks: int) -> DataFrame:
    """Return the rows of clusters among the members of components, by their ``bucket``."""
    some = members.drop("records", "measured").repartition(tasks, "bucket")
    return some.mapInArrow(ClusterTask(request), cluster_row_schema(members, request))


@dataclass(frozen=True)
class ExplainTask:
    """The task that finds the reasons why copies that follow the best of them do not stay.

    Attributes:
        request: the policies.
        names: the columns to return.
    """

    request: FrameRequest
    names: tuple[str, ...]

    def __call__(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Yield the rows; if one has no reason yet, find it from its values and its keeper's."""
        for batch in batches:
            table, rows = pa.Table.from_batches([batch]), pa.arange(0, len(batch))
            sides = [
                pa.table(
                    {
                        name: table[f"{side}_{name}"]
                        for name in self.request.keeper_ranking_columns_unless_by_order
                    }
                )
                for side in (_OWN, _BEST)
            ]
            both = pa.concat_tables(sides).append_column("doc", pa.arange(0, 2 * len(batch)))
            keepers, column = pc.add(rows, len(batch)), self.request.policy_column_reader(both)
            policy = deciding_policies(
                both,
                self.request.query.keep,
                better_rows=keepers,
                worse_rows=rows,
                read_column=column,
            )
            deciding_policy = pc.if_else(
                table["moved"], pc.coalesce(table["policy"], policy), table["policy"]
            )
            at = table.schema.get_field_index("policy")
            yield from (
                table.set_column(at, "policy", deciding_policy).select(self.names).to_batches()
            )


def clusters_with_copies(
    copies: DataFrame,
    cluster_rows: DataFrame,
    request: FrameRequest,
    tasks: int,
    *,
    broadcast_cluster_rows: bool,
    has_baseline: bool,
) -> DataFrame:
    """Return the rows of clusters with the copies of each, as columns of ``cluster_row_schema``.

    They are those of ``find_copies`` and of ``cluster_components``. A copy follows the best of its
    copies: what is true for that one is true for it. ``broadcast_cluster_rows`` says whether all
    of ``cluster_rows`` fits into every executor; ``has_baseline``, whether there is one. Spark
    would join them in 200 tasks, few rows in each; this takes ``tasks``.
    """
    from pyspark.sql import functions as sf

    one = copies.alias("one")
    other = (sf.broadcast(cluster_rows) if broadcast_cluster_rows else cluster_rows).alias("other")
    joined_rows = one.join(other, sf.col("one.best") == sf.col("other.doc"), "left").coalesce(tasks)
    is_member, itself = sf.col("other.doc").isNotNull(), sf.col("one.doc") == sf.col("one.best")
    has_moved = is_member & (sf.col("other.doc") != sf.col("other.best"))
    # The best one is already in ``cluster_components``.
    is_shown = sf.col("one.verdict").isNotNull()
    if request.only_against:
        is_shown |= has_moved
    rows = joined_rows.where(~(is_member & itself) & is_shown)
    keeper = (f"{_BEST}_{name}" for name in request.keeper_ranking_columns_unless_by_order)
    theirs = ("best", "keeper", "verdict", "policy", "distance", *_MEASURES, *keeper)
    columns = {
        name: sf.when(has_moved, sf.col(f"other.{name}")).otherwise(sf.col(f"one.{name}"))
        for name in theirs
    }
    for name in ("first", "family"):
        columns[name] = sf.when(is_member, sf.col(f"other.{name}")).otherwise(sf.col(f"one.{name}"))
    if request.keeper_ranking_columns_unless_by_order:
        # Which of the two stays may have another reason.
        against = has_moved & (sf.col("other.policy") != HELD)
        columns["policy"] = sf.when(against, None).otherwise(columns["policy"])
    ordered = [columns.get(name, sf.col(f"one.{name}")).alias(name) for name in copies.columns]
    inherited = rows.select(*ordered, has_moved.alias("moved"))
    whole = cluster_rows.withColumn("moved", sf.lit(False)).unionByName(inherited)
    names = tuple(name for name in copies.columns if not name.startswith((_OWN, f"{_BEST}_")))
    if request.keeper_ranking_columns_unless_by_order:
        kinds = {field.name: field.dataType.simpleString() for field in copies.schema.fields}
        schema = ", ".join(f"{name} {kinds[name]}" for name in names)
        whole = whole.mapInArrow(ExplainTask(request, names), schema)
    whole = whole.select(*names)
    if not has_baseline:
        return whole
    # It is there as the keeper of others.
    shown_rows = _rows_sharing_value_or_kept_alone(whole, "best", ~sf.col("held"))
    return _rows_sharing_value_or_kept_alone(shown_rows, "first", sf.lit(False))


def _rows_sharing_value_or_kept_alone(
    rows: DataFrame, column: str, is_kept_alone: Column
) -> DataFrame:
    """Return the rows that share the value of a column with another, and those kept alone."""
    from pyspark.sql import Window
    from pyspark.sql import functions as sf

    counts = sf.count("*").over(Window.partitionBy(column))
    return rows.withColumn("rows", counts).where((sf.col("rows") > 1) | is_kept_alone).drop("rows")


def _make_search(
    request: FrameRequest,
    table: pa.Table,
    *,
    baseline_rows: int = 0,
    numbers_only_is_alike: bool = False,
) -> Search:
    """Return the steps of one machine over rows in their order; the first ones are the baseline."""
    rows = pa.arange(0, len(table))
    plan = SearchPlan(
        query=request.query, pairing="exact", numbers_only_is_alike=numbers_only_is_alike
    )
    found = evidence_of_facts(table, request.query.counting)
    return Search(
        documents=_make_documents(table),
        evidence=found,
        meeting=Meeting(
            rows,
            baseline_size=baseline_rows,
            compares_only_with_baseline=request.only_against,
        ),
        plan=plan,
        running=Running(1, 0),
    )


def _make_documents(table: pa.Table) -> pa.Table:
    """Return rows in their order, as documents for the steps."""
    known = {name: arrow.flat(table[name]) for name in ("length", "digest", "bytes_digest")}
    known |= {name: known[name].cast(arrow.DIGEST) for name in ("digest", "bytes_digest")}
    return pa.table({"doc": pa.arange(0, len(table)), **known})


def _with_column_replaced(
    table: pa.Table, name: str, values: pa.Array | pa.ChunkedArray
) -> pa.Table:
    return table.set_column(table.schema.get_field_index(name), name, values)


def _member_batches_with_ids_and_policies(
    request: FrameRequest,
    table: pa.Table,
    *,
    documents: pa.Table,
    members: pa.Table,
    families: pa.Array | pa.ChunkedArray,
) -> Iterator[pa.RecordBatch]:
    """Yield the members of clusters, by the names that the user knows.

    Args:
        request: the policies.
        table: all rows, in their order.
        documents: the same, as documents for the steps.
        members: ``CLUSTERS``.
        families: for each member the first row of its family.
    """
    docs, keepers, first = (
        arrow.flat(members["doc"]),
        arrow.flat(members["keeper"]),
        arrow.flat(families),
    )
    numbers, ids = arrow.flat(table["doc"]), arrow.flat(table["id"])
    column = request.policy_column_reader(table)
    columns = {
        "doc": numbers.take(docs),
        "held": arrow.flat(table["held"]).take(docs),
        "best": numbers.take(keepers),
        "first": numbers.take(first),
        "id": ids.take(docs),
        "keeper": ids.take(keepers),
        "family": ids.take(first),
        "also_like": ids.take(arrow.flat(members["also_like"])),
        "verdict": arrow.flat(members["verdict"]),
        "policy": reasons_to_drop_or_null(
            documents,
            request.query.keep,
            docs=docs,
            keepers=keepers,
            read_column=column,
            baseline_size=count_baseline_rows(table),
        ),
        "distance": arrow.flat(members["distance"]).cast(pa.int32()),
        **{name: arrow.flat(members[name]) for name in (*_MEASURES, *_ALSO)},
    }
    for side, rows in ((_OWN, docs), (_BEST, keepers)):
        columns |= {
            f"{side}_{name}": arrow.flat(table[name]).take(rows)
            for name in request.keeper_ranking_columns_unless_by_order
        }
    yield from pa.table(columns).to_batches()
