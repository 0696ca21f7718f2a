"""The one pipeline of ``find`` and ``deduplicate``: read, rank, pair, verify, cluster, report.

``prepare`` reads everything once. ``decide`` does the rest, and can do it again for another
resemblance without reading again.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import pyarrow as pa
import pyarrow.compute as pc

from ilk import arrow
from ilk.base.checkpoints import NoWork, Step
from ilk.base.running import Running
from ilk.fingerprints.digest import distinct
from ilk.search import planning
from ilk.search.cannot_link import CannotLink
from ilk.search.clustering import copies
from ilk.search.evidence import OneSite
from ilk.search.gathered import ReadDocuments, without_common
from ilk.search.ranking import CENTRAL, ranked, unmatched
from ilk.search.run import Search
from ilk.search.sites import site_numbers
from ilk.tasks import labels as labelling
from ilk.tasks import report
from ilk.tasks.request import Request
from ilk.tasks.result import Result
from ilk.tasks.sources import DocumentSource, RowSource

#: Steps whose results are not kept.
_AT_ONCE: Step = NoWork().step


@dataclass(frozen=True)
class Prepared:
    """Documents that were read, and what holds at every resemblance.

    Attributes:
        source: where they are from.
        running: how it runs.
        documents: what is known of each.
        ranking: all of them, best first.
        representatives: per document the best one with an equal digest.
        gathered: the evidence kept of their texts; None if only equal texts or keys count.
        apart: documents that are never in one cluster; None if no labels were given.
        common: blocks that were left out; None if none were looked for.
    """

    source: DocumentSource | RowSource
    running: Running
    documents: pa.Table
    ranking: pa.Array
    representatives: pa.Array
    gathered: ReadDocuments | None
    apart: CannotLink | None
    common: pa.Table | None


def prepare(
    source: DocumentSource | RowSource, request: Request, running: Running, step: Step = _AT_ONCE
) -> Prepared:
    """Read a source once, rank its documents and group equal ones.

    Args:
        source: what to read.
        request: what counts.
        running: how it runs.
        step: continues what an interrupted run has left.
    """
    query = request.query
    documents, gathered = source.read(request, running, step)
    held = source.held
    ranking = ranked(documents, query.keep, source.column, held, source.roots)
    representatives = distinct(documents, ranking, files=source.files)
    apart = None
    if request.labels is not None:
        apart = labelling.apart(request.labels, source.named(documents))
        representatives = apart.representatives(representatives, ranking)
    common = None
    if gathered is None and not request.equal:
        gathered = source.gathered(request, running)
    if gathered is not None and query.common_blocks is not None:
        gathered, common = without_common(gathered, representatives, query)
        documents = gathered.documents
    return Prepared(source, running, documents, ranking, representatives, gathered, apart, common)


def decide(prepared: Prepared, request: Request, step: Step = _AT_ONCE) -> Result:
    """Pair, verify, cluster and report documents that were read; arguments as for ``prepare``."""
    source, documents, ranking = prepared.source, prepared.documents, prepared.ranking
    query, held, search = request.query, prepared.source.held, None
    contained = arrow.PAIRS.empty_table()
    if prepared.gathered is None:
        members = copies(documents, prepared.representatives, held, key=request.key is not None)
    else:
        search = _search(prepared, prepared.gathered, request)
        if CENTRAL in query.keep:
            sums = step(CENTRAL, lambda: pa.table({CENTRAL: search.centrality()}))
            documents = documents.append_column(CENTRAL, sums[CENTRAL])
            ranking = ranked(documents, query.keep, source.column, held, source.roots)
        members = step("clusters", partial(search.members, ranking))
        contained = search.contained(members)
        contained = contained.filter(pc.greater_equal(contained["left"], held))
    clusters = source.clusters(documents, members, request)
    found = report.Decision(documents, clusters, contained, search, prepared.apart, prepared.common)
    account = report.account(source, request, found)
    for policy in unmatched(documents, query.keep, source.roots) if source.files else ():
        account["not_compared"].append(f"no document matches --keep {policy}")
    return Result(
        documents,
        clusters,
        contained,
        account,
        source.records,
        held,
        source.texts,
        prepared.running,
        search,
        partial(_again, prepared, request),
        source.own_roots,
        source.inside,
    )


def _again(prepared: Prepared, request: Request, resemblance: str | float) -> Result:
    return decide(prepared, request.at(resemblance))


def _search(prepared: Prepared, gathered: ReadDocuments, request: Request) -> Search:
    source, documents, one_site = prepared.source, prepared.documents, None
    if request.query.same_site is not None:
        numbers = site_numbers(documents, prepared.representatives, source.roots)
        one_site = OneSite(numbers, request.query.same_site)
    plan = planning.planned(request.query)
    prints = None
    if source.joins_nominated and plan.pairing == "fingerprint":
        prints = arrow.flat(gathered.documents["fingerprint"])
    return Search(
        documents,
        gathered.evidence,
        prepared.representatives,
        plan,
        prepared.running,
        source.held,
        one_site,
        prints,
        prepared.apart,
        gathered,
    )
