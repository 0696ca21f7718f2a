"""The one pipeline of ``find`` and ``deduplicate``: read, rank, pair, verify, cluster, report.

A ``Run`` reads everything once, and decides, as often as asked, at any resemblance.
"""

from __future__ import annotations

from functools import partial

import pyarrow as pa
import pyarrow.compute as pc

from ilk import arrow
from ilk.base.checkpoints import NoWork, Step
from ilk.base.running import Running
from ilk.fingerprints.digest import distinct
from ilk.search import planning
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


class Run:
    """Documents that are read and ranked once, and the results for them."""

    def __init__(
        self,
        source: DocumentSource | RowSource,
        request: Request,
        running: Running,
        step: Step = _AT_ONCE,
    ) -> None:
        """Read a source, rank its documents and group equal ones.

        Args:
            source: what to read.
            request: what counts.
            running: how it runs.
            step: continues what an interrupted run has left.
        """
        query = request.query
        self._source, self._running = source, running
        documents, gathered = source.read(request, running, step)
        self._ranking = ranked(documents, query.keep, source.column, source.held, source.roots)
        representatives = distinct(documents, self._ranking, files=source.files)
        self._apart = None
        if request.labels is not None:
            self._apart = labelling.apart(request.labels, source.named(documents))
            representatives = self._apart.representatives(representatives, self._ranking)
        if gathered is None and not request.equal:
            gathered = source.gathered(request, running)
        self._common = None
        if gathered is not None and query.common_blocks is not None:
            gathered, self._common = without_common(gathered, representatives, query)
            documents = gathered.documents
        self._documents, self._gathered = documents, gathered
        self._representatives = representatives

    def result(self, request: Request, step: Step = _AT_ONCE) -> Result:
        """Pair, verify, cluster and report; arguments as for the class."""
        source, documents, ranking = self._source, self._documents, self._ranking
        query, held, search = request.query, source.held, None
        contained = arrow.PAIRS.empty_table()
        if self._gathered is None:
            members = copies(documents, self._representatives, held, key=request.key is not None)
        else:
            search = self._search(self._gathered, request)
            if CENTRAL in query.keep:
                sums = step(CENTRAL, lambda: pa.table({CENTRAL: search.centrality()}))
                documents = documents.append_column(CENTRAL, sums[CENTRAL])
                ranking = ranked(documents, query.keep, source.column, held, source.roots)
            members = step("clusters", partial(search.members, ranking))
            contained = search.contained(members)
            contained = contained.filter(pc.greater_equal(contained["left"], held))
        clusters = source.clusters(documents, members, request)
        found = report.Decision(documents, clusters, contained, search, self._apart, self._common)
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
            self._running,
            search,
            partial(self._again, request),
            source.own_roots,
            source.inside,
        )

    def _again(self, request: Request, resemblance: str | float) -> Result:
        return self.result(request.at(resemblance))

    def _search(self, gathered: ReadDocuments, request: Request) -> Search:
        source, documents, one_site = self._source, self._documents, None
        if request.query.same_site is not None:
            numbers = site_numbers(documents, self._representatives, source.roots)
            one_site = OneSite(numbers, request.query.same_site)
        plan, prints = planning.planned(request.query), None
        if source.joins_nominated and plan.pairing == "fingerprint":
            prints = arrow.flat(gathered.documents["fingerprint"])
        evidence, known = gathered.evidence, (plan, self._running, source.held, one_site, prints)
        return Search(documents, evidence, self._representatives, *known, self._apart, gathered)
