"""Pairing, verifying and clustering of documents that were read, as a plan says."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import pyarrow as pa
import pyarrow.compute as pc

from ilk import columns, steps
from ilk.columns import verdicts
from ilk.pairing import evidence_joins
from ilk.pairing.evidence import Evidence, OneSite, Thresholds
from ilk.search.planning import Plan
from ilk.search.sought import Sought
from ilk.steps.linkage import linked, linked_sets
from ilk.system.running import Running


@dataclass(frozen=True)
class Search:
    """Steps 3 to 5 over the documents that were read, each done when its result is asked for.

    Attributes:
        documents: the documents with their fingerprints and digests.
        evidence: what is kept of their texts.
        representatives: per document the best one with an equal digest.
        plan: what is looked for, and how.
        running: how it runs.
        held: the first ``held`` documents are the baseline: none of them joins the cluster of
            another document, and what is like one of them joins its cluster. Only the exact
            pairing supports it.
        one_site: what is asked of pairs of one site; None asks for no more than of others.
    """

    documents: pa.Table
    evidence: Evidence
    representatives: pa.Array
    plan: Plan
    running: Running
    held: int = 0
    one_site: OneSite | None = None

    def members(self, ranking: pa.Array) -> pa.Table:
        """The documents in clusters, measured against their keepers: ``CLUSTERS``."""
        self.running.tell("cluster", 0, None)
        if self.plan.pairing == "fingerprint" and self._sought.resemblance is None:
            representatives, pairs = steps.pair_groups(
                self.documents,
                self.representatives,
                ranking,
                self.plan.bits,
                max_pairs=self._sought.max_pairs,
                jobs=self.running.jobs,
            )
            left, right = (columns.flat(pairs[side]) for side in ("left", "right"))
            keepers = linked(left, right, ranking, self._sought.linkage)
        else:
            representatives = self.representatives
            keepers = self._keepers(ranking)
        members = steps.cluster(keepers, representatives, self.held)
        against = members.rename_columns(["left", "cluster", "right"])
        found = self._verify(columns.padded(against, columns.CANDIDATES))
        return pa.table([*members.columns, *found.columns[2:]], schema=columns.CLUSTERS)

    def _keepers(self, ranking: pa.Array) -> pa.Array:
        """The keeper of every representative."""
        if self.plan.pairing != "exact":
            pairs = steps.same(self.verified)
            left, right = (columns.flat(pairs[side]) for side in ("left", "right"))
            return linked(left, right, ranking, self._sought.linkage)
        sought, sets, taken = self._sought, self.joined, None
        if self.held:
            pairs = evidence_joins.across(sets, self.held, self.plan.least, sought.max_pairs)
            near = self._alike(pairs)
            taken = steps.best(near["left"], near["right"], near["resemblance"], len(sets))
            sets = sets.only(pc.and_(self._own, taken.is_null()))
        if self.one_site is None:
            keepers = linked_sets(
                sets, self.plan.least, ranking, sought.linkage, max_pairs=sought.max_pairs
            )
        else:
            # No join knows two thresholds at once, so that pairs are listed.
            near = self._alike(evidence_joins.resembling(sets, self.plan.least, sought.max_pairs))
            left, right = (columns.flat(near[side]) for side in ("left", "right"))
            keepers = linked(left, right, ranking, sought.linkage)
        return keepers if taken is None else pc.coalesce(taken, keepers)

    def _alike(self, pairs: evidence_joins.Pairs) -> pa.Table:
        """Return the pairs of one kind among candidates, measured."""
        return evidence_joins.alike(self.evidence, pairs, self._thresholds, self.one_site)

    @property
    def _own(self) -> pa.Array:
        """Per document whether it is of the set that is searched, not of one that is held."""
        return pc.greater_equal(pa.arange(0, len(self.representatives)), self.held)

    def pairs(self) -> pa.Table:
        """Every verified pair of documents, copies of one text included: ``PAIRS``."""
        return steps.expand(
            self.verified, self.documents, self.representatives, max_pairs=self._sought.max_pairs
        )

    def contained(self, members: pa.Table) -> pa.Table:
        """Documents that stand in another, each with one of those: ``PAIRS``, the container right.

        Near-duplicates are not among them: they are in clusters. By radius alone every pair is one
        of near-duplicates.
        """
        by_radius = self.plan.pairing == "fingerprint" and self._sought.resemblance is None
        if self._sought.containment is None or by_radius:
            return columns.PAIRS.empty_table()
        if self.plan.pairing != "exact":
            return steps.contained_left(self.verified)
        largest = self._verify(steps.pair_containers(self.joined, self._sought.containment))
        inside = pc.equal(largest["verdict"], verdicts.CONTAINED)
        # Where the largest container is a near-duplicate, one of another kind may stand behind it.
        again = steps.pair_contained(
            self.joined,
            self._sought.containment,
            largest["left"].filter(pc.invert(inside)),
            members["doc"].filter(pc.not_equal(members["doc"], members["keeper"])),
            max_pairs=self._sought.max_pairs,
        )
        others = steps.contained_left(self._verify(again))
        return pa.concat_tables([largest.filter(inside), others]).sort_by("left")

    @property
    def _sought(self) -> Sought:
        return self.plan.sought

    @property
    def _thresholds(self) -> Thresholds:
        return Thresholds(self._sought.resemblance, self._sought.containment)

    @cached_property
    def joined(self) -> Evidence:
        """The evidence of the representatives, ready to be joined."""
        # Not by way of self: what holds itself is not let go at once.
        tell = self.running.tell
        return replace(
            self.evidence.only(steps.represents(self.representatives)),
            progress=lambda share: tell("join sets, percent", int(100 * share), 100),
        )

    @cached_property
    def verified(self) -> pa.Table:
        """Every verified pair of representatives: ``PAIRS``."""
        self.running.tell("pair", 0, None)
        if self.plan.pairing == "exact":
            found = steps.pair_sets(
                self.joined,
                self.plan.least,
                self._sought.containment,
                max_pairs=self._sought.max_pairs,
            )
        else:
            found = steps.pair(
                self.documents,
                self.representatives,
                self.plan.bits,
                max_pairs=self._sought.max_pairs,
                jobs=self.running.jobs,
            )
        self.running.tell("verify", 0, len(found))
        pairs = self._verify(found)
        return pairs.filter(pc.not_equal(pairs["verdict"], verdicts.DIFFERENT))

    def _verify(self, candidates: pa.Table) -> pa.Table:
        return steps.verify(
            candidates, self.documents, self.evidence, self._thresholds, self.one_site
        )
