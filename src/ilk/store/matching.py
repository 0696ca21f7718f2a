"""What texts are like the stored ones: nominated by fingerprint, verified on shingle sets."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from ilk import columns
from ilk.columns import verdicts
from ilk.errors import TooManyPairs
from ilk.pairing import hamming
from ilk.pairing.evidence import Thresholds as Alike
from ilk.search.planning import radius_for
from ilk.search.sought import Sought
from ilk.store.db import contents, tables
from ilk.store.db.evidence import Packed, unpacked
from ilk.store.db.file import RECALL, Settings
from ilk.store.opened import Opened
from ilk.store.records import Row
from ilk.store.resembling import distinct

#: What pairs have that are not measured, or are not alike.
_ZERO, _NO_DISTANCE = (pa.scalar(bits, pa.uint8()) for bits in (0, None))
_SHARES, _NO_SHARE = columns.PAIRS.names[3:6], pa.scalar(None, pa.float64())

#: What a text is like: ``query`` is its row, ``id`` a stored document, the rest as in ``PAIRS``.
FOUND = pa.schema(
    [
        pa.field("query", pa.int64(), nullable=False),
        pa.field("id", pa.int64(), nullable=False),
        *(columns.PAIRS.field(name) for name in columns.PAIRS.names[2:]),
    ]
)


class Thresholds(NamedTuple):
    """What counts as like, and how it is looked for.

    Attributes:
        resemblance: of near-duplicates; None takes any.
        containment: that makes one contained in the other; None looks for no such pairs.
        radius: the bits within which candidates are looked for; None looks for all that share so
            much of their shingles as they must to resemble each other.
    """

    resemblance: Fraction | None
    containment: Fraction | None
    radius: int | None

    @property
    def of_pairs(self) -> Alike:
        """What counts as alike, as the judge takes it."""
        return Alike(self.resemblance, self.containment)

    @classmethod
    def asked(
        cls,
        settings: Settings,
        resemblance: str | float | None,
        containment: str | float | None,
        radius: int | None,
        similarity: str | float | None,
    ) -> Thresholds:
        """Return what a question means to a store; ``Store.check`` explains the options.

        Raises:
            OptionError: one is out of bounds, or two contradict each other.
        """
        if resemblance is None and radius is None and similarity is None:
            resemblance = str(settings.resemblance)
        sought = Sought.of(
            settings.recipe,
            resemblance=resemblance,
            containment=containment,
            radius=radius,
            similarity=similarity,
        )
        least, within = sought.resemblance, sought.radius
        if within is None and least is not None:
            within = settings.within
            if not settings.exact and least < settings.resemblance:
                within = radius_for(settings.recipe, float(least), settings.shingle, RECALL)
        return cls(least, sought.containment, within)


@dataclass(frozen=True, slots=True)
class Match:
    """A stored document that is like the text asked about, which is the left one of the pair.

    Attributes:
        id, source, title: of the stored document.
        verdict: ``identical``, ``exact``, ``numbers_only``, ``near``, ``contained`` (the text asked
            about stands in the document) or ``contains``; ``unverified`` where only the fingerprint
            of either is known.
        distance: bits in which the fingerprints differ; None if either has none.
        resemblance, containment_left, containment_right: exact; None if unverified.
    """

    id: int
    source: str | None
    title: str | None
    verdict: str
    distance: int | None
    resemblance: float | None
    containment_left: float | None
    containment_right: float | None

    @property
    def same(self) -> bool:
        """Whether the two are of one kind."""
        return self.verdict in verdicts.SAME


@dataclass(frozen=True, slots=True)
class Subjects:
    """n texts, stored or not, as they are compared.

    Attributes:
        fingerprints: null where a text has none.
        digests, bytes_digests: of the normalised texts, and of their bytes; null where unknown.
        evidence: what each is measured by; None where only the fingerprint is known.
    """

    fingerprints: pa.Array
    digests: pa.Array
    bytes_digests: pa.Array
    evidence: Sequence[Packed | None]

    def __len__(self) -> int:
        """How many texts."""
        return len(self.evidence)

    def take(self, rows: Sequence[int]) -> Subjects:
        """Some of them."""
        at = pa.array(rows, pa.int64())
        return Subjects(
            self.fingerprints.take(at),
            self.digests.take(at),
            self.bytes_digests.take(at),
            [self.evidence[row] for row in rows],
        )

    def of_bytes(self, digest: bytes | None) -> Subjects:
        """The same text, which is the only one, in other bytes."""
        return replace(self, bytes_digests=pa.array([digest], columns.DIGEST))

    def followed_by(self, other: Subjects) -> Subjects:
        """These texts, and others behind them."""
        return Subjects(
            pa.concat_arrays([self.fingerprints, other.fingerprints]),
            pa.concat_arrays([self.digests, other.digests]),
            pa.concat_arrays([self.bytes_digests, other.bytes_digests]),
            [*self.evidence, *other.evidence],
        )


def stored(opened: Opened, ids: Sequence[int]) -> Subjects:
    """Stored documents as they are compared; all of them stand for a text."""
    evidence = contents.evidence(opened.connection, ids)
    return replace(_without_evidence(opened, ids), evidence=[evidence.get(id_) for id_ in ids])


def to_nominate(opened: Opened, ids: Sequence[int], thresholds: Thresholds) -> Subjects:
    """The same, with their evidence only if they are nominated by that."""
    if thresholds.radius is None:
        return stored(opened, ids)
    return _without_evidence(opened, ids)


def _without_evidence(opened: Opened, ids: Sequence[int]) -> Subjects:
    prints = tables.prints(opened.connection, ids)
    values, digests, raw = zip(*(prints[id_] for id_ in ids), strict=True)
    return Subjects(
        columns.fingerprints_of(values, opened.settings.recipe.bits),
        pa.array(digests, columns.DIGEST),
        pa.array(raw, columns.DIGEST),
        [None] * len(ids),
    )


def nominated(opened: Opened, subjects: Subjects, thresholds: Thresholds) -> Iterator[pa.Table]:
    """Yield every stored text that may be like one of the subjects, piece by piece.

    A piece has ``query`` and ``id`` of as many pairs as fit in memory, or of one subject.
    """
    waiting = [range(len(subjects))]
    while waiting:
        rows = waiting.pop()
        try:
            pairs = _candidates(opened, subjects.take(rows), thresholds)
        except TooManyPairs:
            middle = len(rows) // 2
            waiting += [rows[middle:], rows[:middle]]
        else:
            query = pc.add(columns.flat(pairs["query"]), rows.start)
            yield pairs.set_column(0, FOUND.field("query"), query)


def _candidates(opened: Opened, subjects: Subjects, thresholds: Thresholds) -> pa.Table:
    """The same at once.

    Raises:
        TooManyPairs: there are several subjects, and more pairs than are held at once.
    """
    most = opened.nominator.sizes.held if len(subjects) > 1 else None
    if thresholds.radius is None:
        least = _nominating(thresholds, opened.settings.resemblance)
        near = opened.nominator.resembling(subjects.evidence, least, most)
    else:
        near = opened.nominator.near(subjects.fingerprints, thresholds.radius, most)
    near = near.select(["query", "id"])
    lone = pc.and_(subjects.fingerprints.is_null(), subjects.digests.is_valid())
    equal = [
        (row, id_)
        for row in pc.indices_nonzero(lone).to_pylist()
        for id_ in tables.without_fingerprint(opened.connection, subjects.digests[row].as_py())
    ]
    if not equal:
        return near
    rows, ids = (pa.array(side, pa.int64()) for side in zip(*equal, strict=True))
    others = pa.table([rows, ids], schema=near.schema)
    return distinct(pa.concat_tables([near, others]))


def _nominating(thresholds: Thresholds, own: Fraction) -> Fraction:
    """The part of the larger set that must be shared; ``own`` is what the store was made for."""
    least = thresholds.resemblance or own
    # A higher resemblance that is asked for shall not hide what contains the text.
    return least if thresholds.containment is None else min(least, own)


def verified(
    opened: Opened, subjects: Subjects, found: pa.Table, thresholds: Thresholds
) -> pa.Table:
    """The candidates that are like their subject, as ``FOUND``, in their order."""
    count = opened.nominator.sizes.measured
    parts = [
        _verified(opened, subjects, found.slice(start, count), thresholds)
        for start in range(0, len(found), count)
    ]
    return pa.concat_tables(parts) if parts else FOUND.empty_table()


def _verified(
    opened: Opened, subjects: Subjects, found: pa.Table, thresholds: Thresholds
) -> pa.Table:
    query, id_ = (columns.flat(column) for column in found.columns)
    ids = pc.unique(id_)
    both = subjects.followed_by(stored(opened, ids.to_pylist()))
    right = pc.add(pc.index_in(id_, value_set=ids).cast(pa.int64()), len(subjects))
    judged = _judged(both, query, right, thresholds)
    table = pa.table({"query": query, "id": id_, **judged}, schema=FOUND)
    return table.filter(pc.not_equal(table["verdict"], verdicts.DIFFERENT))


def _judged(
    subjects: Subjects, left: pa.Array, right: pa.Array, thresholds: Thresholds
) -> dict[str, pa.Array]:
    """How the left one of each pair is like the right one, measured exactly."""
    evidence = unpacked(subjects.evidence, subjects.digests, subjects.bytes_digests)
    judged = evidence.judge(left, right, thresholds.of_pairs)
    known = pa.array([one is not None for one in subjects.evidence], pa.bool_())
    measured = pc.and_(known.take(left), known.take(right))
    # Texts of an equal digest have equal features, also where they are too few for a fingerprint.
    prints = subjects.fingerprints
    distance = hamming.distance(prints.take(left), prints.take(right))
    same = pc.equal(subjects.digests.take(left), subjects.digests.take(right))
    zero = pc.if_else(pc.fill_null(same, False), _ZERO, _NO_DISTANCE)
    shares = {name: pc.if_else(measured, columns.flat(judged[name]), _NO_SHARE) for name in _SHARES}
    verdict = pc.if_else(measured, columns.flat(judged["verdict"]), verdicts.UNVERIFIED)
    return {"distance": pc.coalesce(distance, zero), **shares, "verdict": verdict}


def matches(rows: Mapping[int, Row], found: pa.Table) -> Iterator[tuple[int, Match]]:
    """Per row of ``FOUND`` its query and the match, which those rows name."""
    for one in found.to_pylist():
        query, row = one.pop("query"), rows[one.pop("id")]
        yield query, Match(row.id, row.source, row.title, **one)


def like(opened: Opened, subject: Subjects, thresholds: Thresholds) -> list[Match]:
    """Every stored document that one text is like, copies of one text too, the most alike first."""
    (pairs,) = nominated(opened, subject, thresholds)
    found = verified(opened, subject, pairs, thresholds)
    rows = tables.rows(opened.connection, found["id"].to_pylist())
    firsts = {match.id: match for _, match in matches(rows, found)}
    raw = subject.bytes_digests[0].as_py()
    others = [
        _of_copy(firsts[row.first], row, raw) for row in tables.copies(opened.connection, firsts)
    ]
    return ranked([*firsts.values(), *others])


def near(opened: Opened, fingerprint: int | bytes, radius: int) -> list[Match]:
    """Every stored document whose fingerprint is within the radius of one, the nearest first."""
    distances = dict(opened.nominator.near_one(fingerprint, radius))
    rows = tables.rows(opened.connection, distances)
    found = [
        Match(
            row.id,
            row.source,
            row.title,
            verdicts.UNVERIFIED,
            distances[row.first],
            None,
            None,
            None,
        )
        for row in [*rows.values(), *tables.copies(opened.connection, rows)]
    ]
    return ranked(found)


def _of_copy(match: Match, copy: Row, raw: bytes | None) -> Match:
    """What is known of a text, told of another document of the same text."""
    verdict = match.verdict
    if verdict in (verdicts.IDENTICAL, verdicts.EXACT):
        verdict = verdicts.IDENTICAL if copy.bytes_digest == raw else verdicts.EXACT
    return replace(match, id=copy.id, source=copy.source, title=copy.title, verdict=verdict)


_ORDER = {verdict: place for place, verdict in enumerate(verdicts.SAME[:2])}


def ranked(found: Iterable[Match]) -> list[Match]:
    """The matches, the most alike first."""
    return sorted(
        found,
        key=lambda one: (
            _ORDER.get(one.verdict, len(_ORDER)),
            -(one.resemblance or 0.0),
            one.distance or 0,
            one.id,
        ),
    )
