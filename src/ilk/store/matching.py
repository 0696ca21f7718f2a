"""Which stored documents texts are like: nominated, verified on shingle sets, aligned for noise."""

from __future__ import annotations

import heapq
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from fractions import Fraction
from typing import Any, NamedTuple, TypeAlias

import pyarrow as pa

from ilk import arrow
from ilk.arrow import verdicts
from ilk.base.errors import OptionError
from ilk.base.options import OF_LIKE, check_option, refuse_idle_options
from ilk.search.evidence import JudgedPair, TextEvidence, Thresholds, select_pairs_not_different
from ilk.search.noise_evidence import NoiseLimits
from ilk.search.noise_judge import judge_noisy_copies
from ilk.search.query import Query
from ilk.search.recall_model import radius_for_recall_or_widest
from ilk.store.db import contents, document_table
from ilk.store.db.contents import RowWithEvidence
from ilk.store.db.settings import RECALL, Settings
from ilk.store.opened import OpenedStore
from ilk.store.records import StoredRow

#: The verdicts of a pair in which one text contains the other.
_INSIDE = (verdicts.CONTAINED, verdicts.CONTAINS)


class Bounds(NamedTuple):
    """The thresholds, and how candidates are found.

    Attributes:
        resemblance: of near-duplicates; None accepts any.
        containment: that makes one contained in the other; None if not looked for.
        radius: the radius for candidates, in bits; if None, candidates are all that share enough
            shingles to resemble each other.
        noise: the limits for noisy copies; None if not looked for.
        equal_only: whether only stored documents with the same text are candidates.
    """

    resemblance: Fraction | None
    containment: Fraction | None
    radius: int | None
    noise: NoiseLimits | None = None
    equal_only: bool = False

    @classmethod
    def of_query(
        cls,
        settings: Settings,
        *,
        resemblance: str | float | None = None,
        containment: str | float | None = None,
        radius: int | None = None,
        similarity: str | float | None = None,
        nearest: int | None = None,
    ) -> Bounds:
        """Return the thresholds of a query to a store; ``Store.check`` explains the options."""
        if settings.within and (radius is not None or similarity is not None):
            raise OptionError(
                "`radius` and `similarity` find documents by bits alone, which know of no `within`,"
                " and this store has one. Leave them out."
            )
        if nearest is not None:
            given = {"resemblance": resemblance, "radius": radius, "similarity": similarity}
            refuse_idle_options(given | {"nearest": nearest}, given, OF_LIKE)
            inside = check_option("containment", containment)
            return cls(settings.resemblance, inside, settings.fingerprint_pairing_radius)
        if resemblance is None and radius is None and similarity is None:
            inside = check_option("containment", containment)
            return cls(
                settings.resemblance,
                inside,
                settings.fingerprint_pairing_radius,
                settings.noise_limits,
            )
        query = Query.from_options(
            settings.recipe,
            resemblance=resemblance,
            containment=containment,
            radius=radius,
            similarity=similarity,
        )
        least, within = query.resemblance, query.radius
        if within is not None:
            # A radius without more means everything within it.
            return cls(None if resemblance is None else least, query.containment, within)
        within = settings.fingerprint_pairing_radius
        if not settings.exact and least < settings.resemblance:
            within = radius_for_recall_or_widest(
                settings.recipe, float(least), settings.shingle, RECALL
            )
        return cls(least, query.containment, within, settings.noise_limits)


@dataclass(frozen=True, slots=True)
class Match:
    """A stored document that is like the text asked about, which is the left one of the pair.

    Attributes:
        id, source, title: of the stored document.
        verdict: ``identical``, ``exact``, ``numbers_only``, ``near``, ``noisy`` (in a store made
            with a rate of noise), ``contained`` (the text asked about is in the document) or
            ``contains``; ``unverified`` if only the fingerprint of either is known; ``different``
            only among the nearest, for one that is not like it.
        distance: bits in which the fingerprints differ; None if either has none.
        resemblance, containment_left, containment_right: exact; None if unverified.
        agreement: of the characters, if the verdict is ``noisy``.
    """

    id: int
    source: str | None
    title: str | None
    verdict: str
    distance: int | None
    resemblance: float | None
    containment_left: float | None
    containment_right: float | None
    agreement: float | None = None

    @property
    def same(self) -> bool:
        """Whether the two are of one kind."""
        return self.verdict in verdicts.SAME

    def to_dict(self) -> dict[str, Any]:
        """Return the match as plain values, for JSON; only a noisy copy has an agreement."""
        plain = {one.name: getattr(self, one.name) for one in fields(self)}
        if self.agreement is None:
            del plain["agreement"]
        return plain


class Subject(NamedTuple):
    """A text, stored or not, in the form for comparison.

    Attributes:
        fingerprint: as it is stored; None if it has none.
        digest, bytes_digest: of the normalised text, and of the bytes that were read; None if they
            are unknown, or the text is blank.
        evidence: of the text; None for a mere fingerprint.
        text: the text; None if no noisy copies are looked for.
    """

    fingerprint: int | bytes | None
    digest: bytes | None
    bytes_digest: bytes | None
    evidence: TextEvidence | None
    text: str | None = None

    def with_bytes_digest(self, digest: bytes | None) -> Subject:
        """Return the same text with other bytes."""
        evidence = None if self.evidence is None else self.evidence._replace(bytes_digest=digest)
        return self._replace(bytes_digest=digest, evidence=evidence)


class AskedText(NamedTuple):
    """A text, and the stored documents that it may be like.

    Attributes:
        query: its number among those asked together.
        subject: the text.
        ids: the documents.
    """

    query: int
    subject: Subject
    ids: Sequence[int]


class VerifiedMatch(NamedTuple):
    """The match of a text, by its number among those asked together."""

    query: int
    match: Match


def read_stored_subjects(opened: OpenedStore, ids: Collection[int]) -> dict[int, Subject]:
    """Return stored documents in the form for comparison; all of them represent a text."""
    looked_for = opened.settings.noise is not None
    texts = contents.read_texts_of_representatives(opened.connection, ids) if looked_for else {}
    return {
        id_: Subject(row.fingerprint, row.digest, row.bytes_digest, kept, texts.get(id_))
        for id_, (row, kept) in contents.read_rows_with_evidence(opened.connection, ids).items()
    }


def nominate_stored(
    opened: OpenedStore, subjects: Sequence[Subject], bounds: Bounds
) -> Iterator[list[int]]:
    """Yield for each text every stored one that may be like it."""
    index, radius, least = opened.index, bounds.radius, _least_share(opened, bounds)
    prints = [one.fingerprint for one in subjects if one.fingerprint is not None]
    if radius is None and bounds.equal_only:
        near = index.find_each_equal([one.evidence for one in subjects])
    elif radius is None:
        contained = bounds.containment is not None
        evidence = [one.evidence for one in subjects]
        near = index.find_each_alike(index.shingles, evidence, least, contained=contained)
    else:
        near = index.find_each_near(prints, radius)
    copies = None
    if bounds.noise is not None:
        texts = [one.text for one in subjects]
        copies = index.find_each_alike(index.noise, texts, opened.settings.noise_limits)
    for one in subjects:
        found = [] if radius is not None and one.fingerprint is None else next(near)
        if one.fingerprint is None and one.digest is not None:
            found = [
                *found,
                *document_table.read_ids_without_fingerprint(opened.connection, one.digest),
            ]
        if copies is not None:
            found = [*found, *next(copies)]
        # Once each, in the order in which indexes found them.
        yield list(dict.fromkeys(found)) if found else []


def _least_share(opened: OpenedStore, bounds: Bounds) -> Fraction:
    """Return the lowest share of the larger set of words at which an exact store finds every
    match.
    """
    own = opened.settings.resemblance
    least = bounds.resemblance or own
    # A higher requested resemblance must not hide documents that contain the text.
    return least if bounds.containment is None else min(least, own)


def _share_of_larger(pair: JudgedPair) -> float:
    """Return what two texts share of the larger set of words."""
    return min(pair.containment_left or 0.0, pair.containment_right or 0.0)


#: Rows of documents with their evidence, by id.
RowsWithEvidence: TypeAlias = Mapping[int, RowWithEvidence]


def verify_candidates(
    opened: OpenedStore, asked: Iterable[AskedText], bounds: Bounds, known_rows: RowsWithEvidence
) -> list[VerifiedMatch]:
    """Return which of their candidates texts are like, in the same order.

    Args:
        known_rows: of some stored documents, which are not read again.
    """
    verified: list[VerifiedMatch] = []
    for some in split_by_candidates(asked, opened.index.sizes.measured):
        verified += _verify_batch(opened, some, bounds, known_rows)
    return verified


def split_by_candidates(
    asked: Iterable[AskedText], most_candidates: int
) -> Iterator[list[AskedText]]:
    """Yield the same with at most that many candidates together, without texts that have none."""
    portion: list[AskedText] = []
    count = 0
    for one in asked:
        # One text may have more candidates than fit: it is asked in several portions.
        for start in range(0, len(one.ids), most_candidates):
            ids = one.ids[start : start + most_candidates]
            if portion and count + len(ids) > most_candidates:
                yield portion
                portion, count = [], 0
            portion.append(one._replace(ids=ids))
            count += len(ids)
    if portion:
        yield portion


def _make_match(
    subject: Subject, row: StoredRow, judged: JudgedPair, agreement: float | None = None
) -> Match:
    """Return what a text is to the stored one in a row, as it was judged."""
    ours, theirs = subject.fingerprint, row.fingerprint
    if ours is not None and theirs is not None:
        distance: int | None = arrow.differing_bits(ours, theirs)
    else:  # Texts with equal digests have equal features, even if too few.
        distance = 0 if None is not subject.digest == row.digest else None
    return Match(
        id=row.id,
        source=row.source,
        title=row.title,
        verdict=judged.verdict,
        distance=distance,
        resemblance=judged.resemblance,
        containment_left=judged.containment_left,
        containment_right=judged.containment_right,
        agreement=agreement,
    )


def _verify_batch(
    opened: OpenedStore, texts: Sequence[AskedText], bounds: Bounds, known_rows: RowsWithEvidence
) -> list[VerifiedMatch]:
    pairs = [(place, id_) for place, one in enumerate(texts) for id_ in one.ids]
    ids = dict.fromkeys(id_ for _, id_ in pairs)
    stored_rows = {id_: known_rows[id_] for id_ in ids if id_ in known_rows}
    if others := [id_ for id_ in ids if id_ not in known_rows]:
        stored_rows |= contents.read_rows_with_evidence(opened.connection, others)
    places = {id_: len(texts) + place for place, id_ in enumerate(stored_rows)}
    both = [(place, places[id_]) for place, id_ in pairs]
    left, right = [one for one, _ in both], [other for _, other in both]
    evidence = [*(one.subject.evidence for one in texts), *(one for _, one in stored_rows.values())]
    judgements = select_pairs_not_different(
        evidence, left, right, Thresholds(bounds.resemblance, bounds.containment)
    )
    if bounds.radius is None and bounds.noise is None:
        # Of those that share less, the index finds some, by chance.
        least = float(_least_share(opened, bounds))
        judgements = [
            one
            for one in judgements
            if one.verdict not in _INSIDE or _share_of_larger(one) >= least
        ]
    agreements: dict[int, float] = {}
    if bounds.noise is not None:
        stored_texts = contents.read_texts_of_representatives(opened.connection, stored_rows)
        sides = [(one.subject.evidence, one.subject.text) for one in texts]
        sides += [(one, stored_texts.get(id_)) for id_, (_, one) in stored_rows.items()]
        agreements = _find_noisy_agreements(sides, both, judgements, bounds.noise)
        # What is noisy is measured too.
        agree = sorted(agreements)
        some, others = ([side[at] for at in agree] for side in (left, right))
        agreed = select_pairs_not_different(evidence, some, others, Thresholds(None, None))
        judgements = [one for one in judgements if one.place not in agreements]
        judgements += [
            one._replace(place=agree[one.place], verdict=verdicts.NOISY) for one in agreed
        ]
    judgements += [
        JudgedPair(at, verdicts.UNVERIFIED, None, None, None)
        for at, (one, other) in enumerate(both)
        if evidence[one] is None or evidence[other] is None
    ]
    verified = []
    # In the order of their places, which is that of the question.
    for one in sorted(judgements):
        query, (row, _) = texts[left[one.place]], stored_rows[pairs[one.place][1]]
        match = _make_match(query.subject, row, one, agreements.get(one.place))
        verified.append(VerifiedMatch(query.query, match))
    return verified


def _find_noisy_agreements(
    sides: Sequence[tuple[TextEvidence | None, str | None]],
    pairs: Sequence[tuple[int, int]],
    judged: Sequence[JudgedPair],
    limits: NoiseLimits,
) -> dict[int, float]:
    """Return which pairs are noisy copies: the agreement of each, by its place.

    Args:
        sides: the evidence of n texts, and the texts; one without either is no noisy copy.
        pairs: m pairs of them.
        judged: those that are not different, by their shingle sets.
        limits: what makes a noisy copy.
    """
    words = {one.place: one.verdict for one in judged}
    # Columns of no pair would take 0.4 ms, and most texts are like documents of one kind.
    places = [at for at in range(len(pairs)) if words.get(at) not in verdicts.SAME]
    if not places:
        return {}
    checked = judge_noisy_copies(
        pa.table(
            {
                "left": pa.array([pairs[at][0] for at in places], pa.int64()),
                "right": pa.array([pairs[at][1] for at in places], pa.int64()),
                "verdict": pa.array(
                    [words.get(at, verdicts.DIFFERENT) for at in places], pa.string()
                ),
            }
        ),
        arrow.import_texts([None if one is None else text for one, text in sides]),
        limits,
        masked_digests=pa.array(
            [None if one is None else one.masked_digest for one, _ in sides], arrow.DIGEST
        ),
        only_nominated=True,
    )
    agreements = zip(places, checked["agreement"].to_pylist(), strict=True)
    return {place: agreement for place, agreement in agreements if agreement is not None}


def find_matches(
    opened: OpenedStore, subject: Subject, bounds: Bounds, nearest: int | None = None
) -> list[Match]:
    """Return all stored documents that a text is like, or this many that are nearest to it."""
    if nearest is None:
        return find_alike(opened, subject, bounds)
    return find_nearest(opened, subject, nearest, bounds)


def find_alike(opened: OpenedStore, subject: Subject, bounds: Bounds) -> list[Match]:
    """Return all stored documents that a text is like, including copies, the most alike first."""
    (ids,) = nominate_stored(opened, [subject], bounds)
    asked = AskedText(0, subject, ids)
    firsts = {one.match.id: one.match for one in verify_candidates(opened, [asked], bounds, {})}
    if not firsts:
        return []
    return rank_matches([*firsts.values(), *_read_matches_of_copies(opened, subject, firsts)])


def _read_matches_of_copies(
    opened: OpenedStore, subject: Subject, firsts: Mapping[int, Match]
) -> Iterator[Match]:
    """Yield what a text is to the copies of stored ones, by what it is to the first of each."""
    for row in document_table.read_rows_of_copies(opened.connection, firsts):
        match = firsts[row.representative_id]
        verdict = match.verdict
        if verdict in (verdicts.IDENTICAL, verdicts.EXACT):
            same = row.bytes_digest == subject.bytes_digest
            verdict = verdicts.IDENTICAL if same else verdicts.EXACT
        yield replace(match, id=row.id, source=row.source, title=row.title, verdict=verdict)


def find_nearest(opened: OpenedStore, subject: Subject, count: int, bounds: Bounds) -> list[Match]:
    """Return at most this many stored documents, those with the greatest resemblance to a text.

    Documents that share nothing with it are left out. One that shares less than the thresholds ask
    for is ``different``.
    """
    if subject.evidence is None or subject.digest is None:
        return []
    if opened.settings.exact:
        # All that share as much as the store looks for: if they are enough, no other is nearer.
        (nominated,) = nominate_stored(opened, [subject], bounds)
        least = float(opened.settings.resemblance)
        best = _find_nearest_of(opened, subject, nominated, count, bounds)
        alike = [one for one in best if one.resemblance is not None and one.resemblance >= least]
        if len(alike) == count:
            return alike
    every = list(contents.read_ids_with_evidence(opened.connection))
    return _find_nearest_of(opened, subject, every, count, bounds)


def _find_nearest_of(
    opened: OpenedStore, subject: Subject, ids: Sequence[int], count: int, bounds: Bounds
) -> list[Match]:
    """Return those of some documents and their copies that a text shares most with."""
    best: list[Match] = []
    most = opened.index.sizes.measured
    for start in range(0, len(ids), most):
        measured = _measure_candidates(opened, subject, ids[start : start + most], bounds)
        shares = [one.resemblance or 0.0 for one in best]
        shares += [one.resemblance or 0.0 for one in measured.values()]
        # Of equal ones, distances and numbers decide, which are read for these alone.
        least = min(heapq.nlargest(count, shares), default=0.0) if len(shares) > count else 0.0
        near = {id_: one for id_, one in measured.items() if (one.resemblance or 0.0) >= least}
        rows = document_table.check_that_none_is_missing(
            near, document_table.read_rows_that_exist(opened.connection, near)
        )
        firsts = {id_: _make_match(subject, row, near[id_]) for id_, row in rows.items()}
        best = rank_matches(
            [*best, *firsts.values(), *_read_matches_of_copies(opened, subject, firsts)]
        )[:count]
    return best


def _measure_candidates(
    opened: OpenedStore, subject: Subject, ids: Sequence[int], bounds: Bounds
) -> dict[int, JudgedPair]:
    """Return what a text is to those of some documents that it shares anything with."""
    stored_evidence = contents.read_evidence_if_any(opened.connection, ids)
    evidence = [subject.evidence, *stored_evidence.values()]
    left, right = [0] * len(stored_evidence), range(1, len(evidence))
    shared_counts = {
        one.place: one._replace(verdict=verdicts.DIFFERENT)
        for one in select_pairs_not_different(evidence, left, right, Thresholds(None, None))
        if one.resemblance
    }
    like = select_pairs_not_different(
        evidence, left, right, Thresholds(bounds.resemblance, bounds.containment)
    )
    measured = shared_counts | {one.place: one for one in like}
    numbers = list(stored_evidence)
    return {numbers[place]: one for place, one in measured.items()}


def find_within_radius(opened: OpenedStore, fingerprint: int | bytes, radius: int) -> list[Match]:
    """Return all stored documents whose fingerprint is within the radius, the nearest first."""
    distances = dict(opened.index.find_near(fingerprint, radius))
    rows = document_table.check_that_none_is_missing(
        distances, document_table.read_rows_that_exist(opened.connection, distances)
    )
    matches = [
        Match(
            id=row.id,
            source=row.source,
            title=row.title,
            verdict=verdicts.UNVERIFIED,
            distance=distances[row.representative_id],
            resemblance=None,
            containment_left=None,
            containment_right=None,
        )
        for row in [*rows.values(), *document_table.read_rows_of_copies(opened.connection, rows)]
    ]
    return rank_matches(matches)


_ORDER = {verdict: place for place, verdict in enumerate(verdicts.SAME[:2])}


def rank_matches(matches: Iterable[Match]) -> list[Match]:
    """Return the matches, the most alike first."""

    def sort_key(one: Match) -> tuple[int, float, int, int]:
        alike = one.agreement or one.resemblance or 0.0
        return _ORDER.get(one.verdict, len(_ORDER)), -alike, one.distance or 0, one.id

    return sorted(matches, key=sort_key)
