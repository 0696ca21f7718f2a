"""Families of documents, to iterate over and for pages: sums of columns, and members as values."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, groupby, islice, pairwise
from typing import Any, NamedTuple, TypedDict

import pyarrow as pa
import pyarrow.compute as pc

from ilk.arrow import first_rows_with_same_name, flat, greatest_values_with_same_name, verdicts
from ilk.base.arguments import suggest_arguments
from ilk.search.differences import folded_word_changes_and_moves
from ilk.search.measures import count_noun
from ilk.write import notebook, pages, pictures
from ilk.write.gains import FileFate
from ilk.write.results import OrderedRows
from ilk.write.side_by_side import spell_counts_of_changes

#: Verdicts in the order of the page's data, the weakest last.
_VERDICTS = [*verdicts.SAME, verdicts.CONTAINED, verdicts.CONTAINS, verdicts.KEY]
ORDER = {word: at for at, word in enumerate(_VERDICTS)}

#: What a notebook shows: families of a result, members of each, and members of a family alone.
_FAMILIES, _MEMBERS, _ALONE = 10, 5, 20

#: Characters of two texts that are compared for a notebook.
_LONGEST = 200_000

#: Families that are made at once.
_BATCH = 1_000

#: Fates of files that are in a family, or contain a document that is.
Fates = Mapping[str, FileFate]

#: Reads the texts of documents by their rows.
ReadTexts = Callable[[Sequence[int]], Sequence[str | None]]


class Member(NamedTuple):
    """A document of a cluster, measured against the keeper.

    Attributes:
        source: the name a person knows.
        verdict: what it is to the keeper; the keeper is ``identical`` to itself.
        distance: in bits; None if either has no fingerprint.
        resemblance: shared shingles over all shingles, exact; None if only keys were compared.
        contained_in_keeper, contains_keeper: shared shingles over those of the member (the
            keeper), exact.
        id: the user's own; None if the source has no ids.
        agreement: for noisy copies, the share of the characters that are not wrong; else None.
        policy: for a data set, the rule by which it goes; None for a row that stays.
        size: the bytes of a file, or of the text of a row; None if unknown.
        modified: when it was changed; None if unknown.
        doc: its row; None for a row of ``against`` of ``deduplicate``.
        keeps: whether it is the keeper.
        stays: on a page, why its file stays although it is like the keeper; "" if it could go.
        copy: on a page, the file of equal bytes that stays, if that is not the keeper; "" without.
        link: on a page, another name of its file that could go too; "" without.
    """

    source: str
    verdict: str
    distance: int | None
    resemblance: float | None
    contained_in_keeper: float | None
    contains_keeper: float | None
    id: str | None = None
    policy: str | None = None
    agreement: float | None = None
    size: int | None = None
    modified: Any = None
    doc: int | None = None
    keeps: bool = False
    stays: str = ""
    copy: str = ""
    link: str = ""

    def __repr__(self) -> str:
        shared = "" if self.resemblance is None else f", resemblance {self.resemblance:.3g}"
        return f"<Member {self.name!r}: {self.verdict_or_original}{shared}>"

    @property
    def name(self) -> str:
        """The name for people."""
        return name_with_id(self.source, self.id)

    @property
    def verdict_or_original(self) -> str:
        """The verdict for people: the keeper is the ``original``."""
        return "original" if self.keeps else self.verdict

    @property
    def agreement_if_noisy_else_resemblance(self) -> float | None:
        """The share that the verdict is about: of a noisy copy the agreement of characters, and
        otherwise the resemblance.
        """
        return agreement_if_noisy_else_resemblance(self.verdict, self.agreement, self.resemblance)

    @property
    def differs(self) -> bool:
        """Whether there is something to show next to the keeper."""
        return self.verdict_or_original not in (*verdicts.COPIES, "original")


def name_with_id(source: str, own_id: str | None) -> str:
    """Return the name of a document for people: its source, and the id that the user gave it."""
    return source if own_id is None else f"{source} ({own_id})"


def agreement_if_noisy_else_resemblance(
    verdict: str, agreement: float | None, resemblance: float | None
) -> float | None:
    """Return the share that a verdict is about."""
    return agreement if verdict == verdicts.NOISY else resemblance


@dataclass(frozen=True, slots=True)
class AlsoLike:
    """The document outside its cluster that a keeper is most like, and their resemblance."""

    source: str
    resemblance: float


@dataclass(frozen=True, slots=True, repr=False, kw_only=True)
class Cluster:
    """A keeper and its members.

    Attributes:
        family, cluster: their numbers, from 0 in the order of the documents.
        kind: the weakest verdict in it.
        keeper: a source.
        also_like: the document outside that the keeper is most like, or None.
        members: the keeper first.
    """

    family: int
    cluster: int
    kind: str
    keeper: str
    also_like: AlsoLike | None
    members: tuple[Member, ...]

    def __repr__(self) -> str:
        size = count_noun(len(self.members), "member")
        return f"<Cluster {self.cluster}: {self.keeper!r}, {size}, {self.kind}>"


@dataclass(frozen=True, slots=True, repr=False, kw_only=True)
class Family:
    """Documents that verified pairs connect.

    A notebook shows how the original begins, and what differs in the others.

    Attributes:
        family: its number, from 0 in the order of the documents.
        clusters: a keeper and its members each.
        kind: the weakest verdict in it.
        size, spare: the bytes of all documents, and of those that could go.
    """

    family: int
    clusters: tuple[Cluster, ...]
    kind: str
    size: int
    spare: int
    _of: Families = field(compare=False)

    def __repr__(self) -> str:
        size = count_noun(len(self.members), "document")
        parts = count_noun(len(self.clusters), "cluster")
        return f"<Family {self.family}: {size}, {parts}, {self.kind}>"

    @property
    def members(self) -> tuple[Member, ...]:
        """All documents in it."""
        return tuple(member for cluster in self.clusters for member in cluster.members)

    @property
    def original(self) -> Member:
        """The keeper of the first cluster."""
        return self.clusters[0].members[0]

    def __len__(self) -> int:
        return sum(len(cluster.members) for cluster in self.clusters)

    @suggest_arguments
    def plot(self, ax: Any = None) -> Any:
        """Draw how alike the members are to the originals; see ``ilk.write.pictures``."""
        shares = [member.resemblance for member in self.members]
        names = [member.source for member in self.members]
        folder = pages.common_folder_prefix(names)
        return pictures.draw_member_resemblances_none_as_1(
            [name.removeprefix(folder) for name in names], shares, ax
        )

    def _repr_html_(self) -> str:
        groups = _read_table_of_families([self], self._of, _ALONE)
        return notebook.render_notebook_table("", "", numbers=(), **groups)


#: The columns of members, and those that are the same for all members of a cluster.
_OF_MEMBER = Member._fields
_OF_CLUSTER = ("family", "cluster", "kind", "keeper", "also_like", "also_resemblance")
_COLUMNS_OF_LIKE = ["source", "size", "modified", "stays", "verdict", "resemblance"]


class Families:
    """Families of named members.

    Attributes:
        read_texts: reads the texts of documents by their rows.
        like: what sums need of the members that are like a keeper, as a table.
        gone: how many documents could go.
        counts, sizes, spares: per family how many documents it has, their bytes, and those of
            documents that could go.
        kinds: per family the weakest verdict in it.
    """

    def __init__(
        self,
        ordered_rows: OrderedRows,
        documents: pa.Table,
        read_texts: ReadTexts,
        first: int = 0,
        files: Fates | None = None,
        *,
        by_gain: bool = True,
    ) -> None:
        """Add up the columns.

        Args:
            ordered_rows, read_texts: of ``named_rows_and_order``; reads the texts of documents.
            documents: with ``size`` or ``length``, and perhaps ``modified`` and ``file``.
            first: the row of the document that is numbered 0.
            files: what happens to files; None if all that is like a keeper could go.
            by_gain: begin with the families with the most bytes that could go, or else with the
                most documents; without it, the families are in the order of the rows.
        """
        self.read_texts = read_texts
        table, order = ordered_rows
        docs = pc.add(flat(table["doc"]), first)
        rows = {name: flat(table[name]) for name in table.column_names}
        rows["source"] = pc.fill_null(rows["source"], "the table")
        rows["keeps"] = keeps = pc.fill_null(rows.pop("stays"), False)
        sized = "size" if "size" in documents.column_names else "length"
        for name, of in (("size", sized), ("modified", "modified"), ("file", "file")):
            known = of in documents.column_names
            rows[name] = flat(documents[of]).take(docs) if known else pa.nulls(len(docs))
        goes = rows["policy"].is_valid() if "policy" in rows else pc.invert(keeps)
        stays = pc.and_(pc.invert(keeps), pc.invert(goes))
        rows["stays"] = pc.if_else(stays, "is one of those of its cluster that stay", "")
        rows["copy"] = rows["link"] = pa.repeat("", len(docs))
        if files:
            rows |= _size_stays_copy_and_link_columns(rows, files)
        rows |= {name: pa.nulls(len(docs)) for name in _OF_MEMBER if name not in rows}
        others = set(pc.unique(rows["verdict"]).to_pylist()) - {*ORDER, None}
        words = pa.array([*ORDER, *sorted(others, key=lambda word: (len(word), word))])
        family = rows["family"].take(order)
        size = pc.fill_null(rows["size"], 0).cast(pa.int64())
        goes = pc.and_(goes, pc.equal(rows["stays"], ""))
        self.gone: int = pc.sum(goes).as_py() or 0
        gains = pc.if_else(pc.and_(goes, pc.equal(rows["link"], "")), size, 0)
        rank = pc.if_else(keeps, None, pc.index_in(rows["verdict"], value_set=words))
        # Families stand one after the other: where each begins is the first row of its name.
        starts = pc.unique(first_rows_with_same_name(family)).cast(pa.int64())
        ends = pa.concat_arrays([starts, pa.array([len(docs)], pa.int64())]).slice(1)
        columns = pa.table(
            {
                "at": pa.arange(0, len(starts)),
                "count": pc.subtract(ends, starts),
                "size": _sums_of_stretches(size.take(order), starts, ends),
                "spare": _sums_of_stretches(gains.take(order), starts, ends),
                "rank": greatest_values_with_same_name(family, rank.take(order)).take(starts),
            }
        )
        gain = [("spare", "descending"), ("count", "descending")] if by_gain else []
        columns = columns.take(pc.sort_indices(columns, [*gain, ("at", "ascending")]))
        place = pc.sort_indices(flat(columns["at"]))
        at = pc.index_in(family, value_set=family.take(starts))
        # Copies of the members would be most of what a large result needs.
        self._rows, self._order = pa.table(rows), order.take(pc.sort_indices(place.take(at)))
        self.like = self._rows.select(_COLUMNS_OF_LIKE).filter(pc.invert(keeps))
        self.counts, self.sizes, self.spares, rank = (
            flat(columns[name]) for name in ("count", "size", "spare", "rank")
        )
        self._ends: list[int] = [0, *pc.cumulative_sum(self.counts).to_pylist()]
        self.kinds: list[str] = words.take(pc.fill_null(rank, ORDER[verdicts.NEAR])).to_pylist()

    @property
    def resemblances_of_inexact_members(self) -> pa.Array:
        """The resemblances, if known, of all members that are no exact copies."""
        copies = pc.is_in(self.like["verdict"], pa.array(verdicts.COPIES))
        return flat(self.like["resemblance"]).filter(flat(pc.invert(copies))).drop_null()

    def __len__(self) -> int:
        return len(self.kinds)

    def __iter__(self) -> Iterator[Family]:
        for begin in range(0, len(self), _BATCH):
            yield from self[begin : begin + _BATCH]

    def __getitem__(self, some: slice) -> list[Family]:
        """Return consecutive families."""
        begin, end, _ = some.indices(len(self))
        return self.make_families_at(range(begin, end))

    def member_values_by_family(self, columns: Sequence[str]) -> Iterator[list[tuple[Any, ...]]]:
        """Yield for each family a tuple of values of each member, in the order of
        ``Family.members``.

        Hundreds of thousands of members for the data of a page would take most of its time as
        objects.
        """
        for begin in range(0, len(self), _BATCH):
            ends = self._ends[begin : begin + _BATCH + 1]
            rows = self._rows.select(list(dict.fromkeys([*columns, "cluster", "keeps"])))
            rows = rows.take(self._order.slice(ends[0], ends[-1] - ends[0]))
            rows = rows.take(
                _row_order_with_keepers_first(flat(rows["cluster"]), flat(rows["keeps"]))
            )
            values = list(_tuples_of_rows(rows, columns))
            for start, end in pairwise(ends):
                yield values[start - ends[0] : end - ends[0]]

    def make_families_at(self, positions: Sequence[int]) -> list[Family]:
        """Return some families, by their positions among all, from 0."""
        ranges = [range(*self._ends[at : at + 2]) for at in positions]
        rows = self._rows.take(self._order.take(pa.array(chain.from_iterable(ranges), pa.int64())))
        members = (Member(*values) for values in _tuples_of_rows(rows, _OF_MEMBER))
        whole = zip(_tuples_of_rows(rows, _OF_CLUSTER), members, strict=True)
        return [
            self._make_family(at, list(islice(whole, len(rows_of_family))))
            for at, rows_of_family in zip(positions, ranges, strict=True)
        ]

    def originals_at(self, positions: Sequence[int]) -> list[Member]:
        """Return the originals of some families, by their positions among all, from 0."""
        ranges = [(self._ends[at], self._ends[at + 1]) for at in positions]
        rows = [self._order.slice(start, end - start) for start, end in ranges]
        keeps = flat(self._rows["keeps"])
        firsts = [some[max(0, pc.index(keeps.take(some), True).as_py())] for some in rows]
        of_originals = self._rows.take(pa.array(firsts, self._order.type))
        return [Member(*values) for values in _tuples_of_rows(of_originals, _OF_MEMBER)]

    def read_texts_and_render_notebook_html(self, report: Mapping[str, Any]) -> str:
        """Return the numbers of a report, and the largest families, for a notebook."""
        return notebook.render_notebook_table(
            "",
            report["promise"],
            numbers=notebook.named_numbers_for_notebook(report),
            **_read_table_of_families(self[:_FAMILIES], self, _MEMBERS),
            more_families=max(0, len(self) - _FAMILIES),
            alarms=report["alarms"],
        )

    def _make_family(self, position: int, rows: list[tuple[tuple[Any, ...], Member]]) -> Family:
        """Make the family at a position, of the values ``_OF_CLUSTER`` of its rows, and members."""
        clusters = []
        for (family, number, kind, keeper, also, share), group in groupby(rows, lambda row: row[0]):
            members = sorted((one for _, one in group), key=lambda one: not one.keeps)
            like = also and AlsoLike(also, share)
            clusters.append(
                Cluster(
                    family=family,
                    cluster=number,
                    kind=kind,
                    keeper=keeper,
                    also_like=like,
                    members=tuple(members),
                )
            )
        size, spare = self.sizes[position].as_py(), self.spares[position].as_py()
        return Family(
            family=clusters[0].family,
            clusters=tuple(clusters),
            kind=self.kinds[position],
            size=size,
            spare=spare,
            _of=self,
        )


class _TableOfFamilies(TypedDict):
    """Arguments of ``notebook.render_notebook_table``."""

    heads: Sequence[str]
    groups: Sequence[notebook.TableGroup]


def _read_table_of_families(
    families: Sequence[Family], all_families: Families, members_per_family: int
) -> _TableOfFamilies:
    """Return the heads and the groups of rows of a table, and read the texts that it needs."""
    members = [list(one.members)[:members_per_family] for one in families]
    docs = sorted({one.doc for some in members for one in some if one.doc is not None})
    texts: dict[int | None, str | None] = dict(
        zip(docs, all_families.read_texts(docs), strict=True)
    )
    folder = pages.common_folder_prefix([one.source for some in members for one in some])
    groups = list[notebook.TableGroup]()
    for family, some in zip(families, members, strict=True):
        rows, original = list[Sequence[Any]](), None
        for one in some:
            original = texts.get(one.doc) if one.keeps else original
            alike = one.resemblance if one.differs else None
            differs = _beginning_of_original_or_change_counts(
                one.verdict_or_original, original, texts.get(one.doc)
            )
            rows.append((one.verdict_or_original, alike, one.name.removeprefix(folder), differs))
        for also in filter(None, (cluster.also_like for cluster in family.clusters)):
            rows.append(("also like", also.resemblance, also.source.removeprefix(folder), ""))
        name = f"{family.kind}: {count_noun(len(family), 'document')}"
        groups.append(notebook.TableGroup(rows, max(0, len(family) - members_per_family), name))
    where = f"document in {folder}" if folder else "document"
    return {"heads": ("", "alike", where, "begins, or differs"), "groups": groups}


def _beginning_of_original_or_change_counts(
    verdict: str, original: str | None, text: str | None
) -> str:
    """Return how an original begins, or what differs in another member of its cluster."""
    if verdict == "original":
        return pages.first_words(text)
    if verdict in verdicts.COPIES or original is None or text is None:
        return ""
    if len(original) + len(text) > _LONGEST:
        return "too long to compare here"
    return spell_counts_of_changes(folded_word_changes_and_moves(original, text))


def _row_order_with_keepers_first(clusters: pa.Array, is_keeper: pa.Array) -> pa.Array:
    """Return the numbers of rows in their order, except that keepers begin their clusters.

    The rows of a cluster are adjacent.
    """
    keys = {"cluster": first_rows_with_same_name(clusters), "others": pc.invert(is_keeper)}
    order: list[Any] = [(name, "ascending") for name in (*keys, "row")]
    return pc.sort_indices(pa.table(keys | {"row": pa.arange(0, len(is_keeper))}), order)


def _sums_of_stretches(values: pa.Array, starts: pa.Array, ends: pa.Array) -> pa.Array:
    sums = pa.concat_arrays([pa.array([0], pa.int64()), pc.cumulative_sum(values)])
    return pc.subtract(sums.take(ends), sums.take(starts))


def _tuples_of_rows(rows: pa.Table, names: Sequence[str]) -> Iterator[tuple[Any, ...]]:
    return zip(*(rows[name].to_pylist() for name in names), strict=True)


def _size_stays_copy_and_link_columns(
    rows: Mapping[str, pa.Array], files: Fates
) -> dict[str, pa.Array]:
    """Return columns: the bytes of documents on disk, why each stays ("" if it could go), its copy,
    and the first name of its file, if its own is another one.
    """
    fates = dict[str, list[Any]](size=[], stays=[], copy=[], link=[])
    names = (rows[name].to_pylist() for name in ("source", "file", "size", "keeper"))
    for source, file, size, keeper in zip(*names, strict=True):
        fate = files.get(file, FileFate(size))
        if file in files and source != file:
            goes = "stays" if fate.why else "could go"
            fate = FileFate(size, f"is a part of {os.path.basename(file)}, which {goes}")
        fates["size"].append(fate.size)
        fates["stays"].append(fate.why)
        fates["copy"].append("" if fate.copy_that_stays == keeper else fate.copy_that_stays)
        fates["link"].append(fate.counted_link)
    types = {"size": pa.int64()}
    return {name: pa.array(of, types.get(name, pa.string())) for name, of in fates.items()}
