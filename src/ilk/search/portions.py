"""Documents in portions whose sets fit in memory."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TypeAlias

import pyarrow as pa
import pyarrow.compute as pc

from ilk import columns, steps
from ilk.fingerprints.texts import fingerprints
from ilk.pairing import hamming
from ilk.pairing.evidence import OneSite
from ilk.recipes.recipe import Recipe
from ilk.search import planning
from ilk.search.gathered import Gathered
from ilk.search.planning import Plan
from ilk.search.run import Search
from ilk.search.sought import Sought
from ilk.steps.fingerprinting import represents
from ilk.system import resources
from ilk.system.running import Running

#: By what documents are nominated where their sets do not fit in memory: wide enough that next to
#: no pair of strangers is read again.
NOMINATING = Recipe(bits=128)

#: The part of the memory that a portion may take: what the portion before it took is freed, but not
#: all of it given back at once.
_SHARE = 0.6

#: Makes a table, or takes over what an interrupted run has made of it.
Step: TypeAlias = Callable[[str, Callable[[], pa.Table]], pa.Table]


def made(name: str, make: Callable[[], pa.Table]) -> pa.Table:
    """Make a table; nothing is kept of it."""
    del name
    return make()


@dataclass(frozen=True)
class Portioned:
    """A search of documents whose sets do not fit in memory together; as ``Search``.

    What fingerprints connect is joined exactly, a portion of whole components at a time.

    Attributes:
        gathered: the documents.
        representatives: per document the best one with an equal digest.
        plan: by fingerprint, with the radius that connects documents.
        running: how it runs.
        held: the number of documents, the first ones, that stay as they are.
        one_site: what is asked of pairs of one site.
        step: keeps what is made of each portion.
    """

    gathered: Gathered
    representatives: pa.Array
    plan: Plan
    running: Running
    held: int = 0
    one_site: OneSite | None = None
    step: Step = made

    @cached_property
    def documents(self) -> pa.Table:
        """What is known of the documents; they have the fingerprints that were asked for."""
        return self.gathered.documents

    def members(self, ranking: pa.Array) -> pa.Table:
        """The documents in clusters, measured against their keepers: ``CLUSTERS``."""
        parts = [steps.copies(self.documents, self.representatives, self.held)]
        for number, rows in enumerate(self._portions):

            def clustered(rows: pa.Array = rows) -> pa.Table:
                order = pc.index_in(ranking, value_set=rows).drop_null().cast(pa.int64())
                found = self._search(rows).members(order)
                return _placed(found, rows, "doc", "keeper")

            parts.append(self.step(f"clusters-{number}", clustered))
            alone = pc.invert(pc.is_in(parts[0]["doc"], value_set=rows))
            parts[0] = parts[0].filter(alone)
        return steps.numbered(pa.concat_tables(parts))

    def pairs(self) -> pa.Table:
        """Every verified pair of documents, copies of one text included: ``PAIRS``.

        Raises:
            TooManyPairs: there are more than ``max_pairs``.
        """
        alike = [columns.PAIRS.empty_table()]
        for rows in self._portions:
            alike.append(_placed(self._search(rows).verified, rows, "left", "right"))
        return steps.expand(
            pa.concat_tables(alike),
            self.documents,
            self.representatives,
            max_pairs=self.plan.sought.max_pairs,
        )

    def contained(self, members: pa.Table) -> pa.Table:
        """Documents that stand in another, each with one of those, of one portion: ``PAIRS``."""
        if self.plan.sought.containment is None:
            return columns.PAIRS.empty_table()
        parts = [columns.PAIRS.empty_table()]
        for rows in self._portions:
            own = members.filter(pc.is_in(members["doc"], value_set=rows))
            found = self._search(rows).contained(_local(own, rows, "doc", "keeper"))
            parts.append(_placed(found, rows, "left", "right"))
        return pa.concat_tables(parts).sort_by("left")

    def _search(self, rows: pa.Array) -> Search:
        """Return the exact search of a portion."""
        site = self.one_site
        return Search(
            self.documents.take(rows),
            self.gathered.evidence(rows),
            pc.index_in(self.representatives.take(rows), value_set=rows).cast(pa.int64()),
            Plan(self.plan.sought, "exact"),
            self.running,
            pc.sum(pc.less(rows, self.held)).as_py() or 0,
            None if site is None else site._replace(sites=site.sites.take(rows)),
        )

    @cached_property
    def _portions(self) -> list[pa.Array]:
        """The rows of each portion, copies of one text among them; ascending."""
        tell = self.running.tell
        tell("pair", 0, None)
        once = represents(self.representatives)
        texts = columns.only(self.gathered.texts, once)
        values, _ = fingerprints(texts, NOMINATING.way(), jobs=self.running.jobs)
        room = max(0, self.running.memory - resources.resident())
        lengths = columns.flat(self.documents["length"])
        return portions_within(
            values, lengths, self.representatives, self.plan.bits, int(_SHARE * room)
        )


def portions_within(
    values: pa.Array, lengths: pa.Array, representatives: pa.Array, radius: int, memory: int
) -> list[pa.Array]:
    """Return the documents that pairs within the radius connect, in portions that fit in memory.

    What is connected stays together, so that the exact join of each portion finds all of it; a
    portion that takes too much alone stands alone.

    Args:
        values: the fingerprints of n documents; null for those that stand for no other.
        lengths: bytes of their texts.
        representatives: per document the best one with an equal digest.
        radius: in bits.
        memory: bytes that the sets of a portion may take.

    Returns:
        Rows (``int64``), ascending: the documents of each portion, copies of one text among them.
    """
    roots = hamming.connected(values, radius)
    sizes = planning.sets_size(lengths)
    table = pa.table({"root": roots, "size": sizes}).filter(represents(representatives))
    found = table.group_by("root").aggregate([("size", "sum"), ([], "count_all")]).sort_by("root")
    found = found.filter(pc.greater(found["count_all"], 1))
    numbers, taken, number = [], 0.0, 0
    for size in found["size_sum"].to_pylist():
        if taken and taken + size > memory:
            taken, number = 0.0, number + 1
        taken += size
        numbers.append(number)
    place = pc.index_in(roots.take(representatives), value_set=columns.flat(found["root"]))
    portion = pa.array(numbers, pa.int64()).take(place)
    rows = pa.arange(0, len(portion))
    return [
        rows.filter(pc.fill_null(pc.equal(portion, one), False)) for one in sorted(set(numbers))
    ]


def _placed(table: pa.Table, rows: pa.Array, *names: str) -> pa.Table:
    """Return a table of a portion with the rows of all documents."""
    return _mapped(table, names, lambda column: rows.take(column))


def _local(table: pa.Table, rows: pa.Array, *names: str) -> pa.Table:
    """Return a table of all documents with the rows of a portion."""
    return _mapped(table, names, lambda c: pc.index_in(c, value_set=rows).cast(pa.int64()))


def _mapped(
    table: pa.Table, names: Iterable[str], mapped: Callable[[pa.Array], pa.Array]
) -> pa.Table:
    for name in names:
        at = table.schema.get_field_index(name)
        table = table.set_column(at, table.schema.field(at), mapped(columns.flat(table[name])))
    return table


def searched(
    gathered: Gathered,
    representatives: pa.Array,
    sought: Sought,
    running: Running,
    held: int = 0,
    one_site: OneSite | None = None,
    step: Step = made,
    resident: Callable[[], int] = resources.resident,
) -> Search | Portioned:
    """Return the search of documents that were read: of all at once, or in portions.

    Raises:
        OptionError: the sets do not fit in memory, and the user chose the exact pairing.
    """
    documents = gathered.documents
    lengths = columns.flat(documents["length"]).take(pc.unique(representatives))
    plan = planning.planned(sought)
    room = max(0, running.memory - resident())
    fitting = planning.fitted(plan, lengths, room, NOMINATING)
    if plan.pairing == "fingerprint" and "fingerprint" not in documents.column_names:
        fitting = planning.nominating(replace(sought, recipe=NOMINATING))
    if fitting is not plan:
        return Portioned(gathered, representatives, fitting, running, held, one_site, step)
    return Search(documents, gathered.evidence(), representatives, plan, running, held, one_site)
