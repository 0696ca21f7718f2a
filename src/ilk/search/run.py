"""Pairing, verifying and clustering of documents that were read, as a plan says."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import pyarrow as pa
import pyarrow.compute as pc

from ilk import columns, steps
from ilk.columns import verdicts
from ilk.pairing.measured import Measured
from ilk.pairing.verify import Counts
from ilk.search.planning import Plan
from ilk.search.sought import Sought
from ilk.steps.linkage import linked, linked_sets
from ilk.system.running import Running


@dataclass(frozen=True)
class Search:
    """Steps 3 to 5 over the documents that were read, each done when its result is asked for.

    Attributes:
        documents: the documents with their fingerprints and digests.
        texts: their texts.
        representatives: per document the best one with an equal digest.
        plan: what is looked for, and how.
        running: how it runs.
        held: so many documents, the first ones, are of a set that stays as it is: none of them is
            in a cluster of another's, and what is like one of them is in its cluster. Only the
            exact pairing knows it.
        portion: per document whether it is searched; of the others there are no texts. None
            searches all.
        one_site: what is asked of pairs of one site; None asks for no more than of others.
    """

    documents: pa.Table
    texts: columns.Texts
    representatives: pa.Array
    plan: Plan
    running: Running
    held: int = 0
    portion: pa.Array | None = None
    one_site: steps.OneSite | None = None

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
        if self.portion is not None:
            members = members.filter(self.portion.take(columns.flat(members["doc"])))
        against = members.rename_columns(["left", "cluster", "right"])
        found = self._verify(columns.padded(against, columns.CANDIDATES))
        return pa.table([*members.columns, *found.columns[2:]], schema=columns.CLUSTERS)

    def _keepers(self, ranking: pa.Array) -> pa.Array:
        """The keeper of every representative."""
        if self.plan.pairing != "exact":
            pairs = steps.same(self._verified)
            left, right = (columns.flat(pairs[side]) for side in ("left", "right"))
            return linked(left, right, ranking, self._sought.linkage)
        sets, taken = self.sets, None
        if self.held:
            left, right, counts = self._admitted(
                *sets.across(self.held, self.plan.least, self._sought.max_pairs)
            )
            taken = steps.best(left, right, counts.columns()["resemblance"], len(sets.sets))
            sets = sets.only(pc.and_(self._own, taken.is_null()))
        if self.one_site is None:
            keepers = linked_sets(
                sets,
                self.plan.least,
                ranking,
                self._sought.linkage,
                max_pairs=self._sought.max_pairs,
            )
        else:
            # Two thresholds at once are told pair by pair.
            left, right, _ = self._admitted(
                *sets.resembling(self.plan.least, self._sought.max_pairs)
            )
            keepers = linked(left, right, ranking, self._sought.linkage)
        return keepers if taken is None else pc.coalesce(taken, keepers)

    def _admitted(
        self, left: pa.Array, right: pa.Array, counts: Counts
    ) -> tuple[pa.Array, pa.Array, Counts]:
        """The pairs without those of one site that are not alike enough for it."""
        if self.one_site is None:
            return left, right, counts
        fine = self.one_site.admits(left, right, counts)
        return left.filter(fine), right.filter(fine), counts.only(fine)

    @property
    def _own(self) -> pa.Array:
        """Per document whether it is of the set that is searched, not of one that is held."""
        return pc.greater_equal(pa.arange(0, len(self.representatives)), self.held)

    def pairs(self) -> pa.Table:
        """Every verified pair of documents, copies of one text included: ``PAIRS``."""
        return steps.expand(
            self._verified, self.documents, self.representatives, max_pairs=self._sought.max_pairs
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
            return steps.contained_left(self._verified)
        largest = self._verify(steps.pair_containers(self.sets, self._sought.containment))
        inside = pc.equal(largest["verdict"], verdicts.CONTAINED)
        # Where the largest container is a near-duplicate, one of another kind may stand behind it.
        again = steps.pair_contained(
            self.sets,
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

    @cached_property
    def sets(self) -> Measured:
        """The shingle sets of the documents, ready to be joined."""
        self.running.tell("shingle", 0, None)
        # Not by way of self: what holds itself is not let go at once.
        tell = self.running.tell
        return steps.measured(
            self.texts,
            self.representatives,
            shingle=self._sought.shingle,
            jobs=self.running.jobs,
            progress=lambda share: tell("join sets, percent", int(100 * share), 100),
        )

    @cached_property
    def _verified(self) -> pa.Table:
        self.running.tell("pair", 0, None)
        if self.plan.pairing == "exact":
            found = steps.pair_sets(
                self.sets,
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
        if self.plan.pairing == "exact" and candidates["shared"].null_count:
            candidates = steps.counted(candidates, self.sets, self.representatives)
        return steps.verify(
            candidates,
            self.documents,
            self.texts,
            resemblance=self._sought.resemblance,
            containment=self._sought.containment,
            shingle=self._sought.shingle,
            jobs=self.running.jobs,
            one_site=self.one_site,
        )
