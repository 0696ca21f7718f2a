"""Which stored documents texts are like: nominated, verified on shingle sets, aligned for noise."""

from __future__ import annotations

import heapq
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from fractions import Fraction
from typing import Any, NamedTuple, TypeAlias

import pyarrow as pa
import pyarrow.compute as pc

from ilk import arrow
from ilk.arrow import verdicts
from ilk.base.errors import OptionError
from ilk.base.options import CONTAINMENT, OF_LIKE, check_option, refuse_idle_options
from ilk.search import evidence_joins
from ilk.search.evidence import (
    Evidence,
    JudgedPair,
    TextEvidence,
    Thresholds,
    select_pairs_not_different,
)
from ilk.search.noise_evidence import NoiseLimits
from ilk.search.noise_judge import with_agreement_marking_noisy_pairs
from ilk.search.query import Query
from ilk.search.recall_model import radius_for_recall_or_widest
from ilk.store.db import contents, document_table
from ilk.store.db.contents import RowWithEvidence
from ilk.store.db.settings import RECALL, Settings
from ilk.store.opened import OpenedStore
from ilk.store.records import StoredRow
from ilk.store.set_indexes import CandidateIds

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
    def of_store(cls, settings: Settings, containment: str | float | None = CONTAINMENT) -> Bounds:
        """Return the thresholds of a store; what is only contained is a match, and joins no
        cluster.
        """
        return cls(
            settings.resemblance,
            check_option("containment", containment),
            settings.fingerprint_pairing_radius_unless_exact,
            settings.noise_limits_if_sought,
        )

    @classmethod
    def from_options(
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
        given = {"resemblance": resemblance, "radius": radius, "similarity": similarity}
        if nearest is not None:
            refuse_idle_options(given | {"nearest": nearest}, given, OF_LIKE)
            return cls.of_store(settings, containment)._replace(noise=None)
        if all(value is None for value in given.values()):
            return cls.of_store(settings, containment)
        query = Query.from_options(
            settings.recipe,
            resemblance=resemblance,
            containment=containment,
            radius=radius,
            similarity=similarity,
        )
        threshold = query.resemblance
        if query.radius is not None:
            # A radius without more means everything within it.
            given_threshold = None if resemblance is None else threshold
            return cls(given_threshold, query.containment, query.radius)
        pairing_radius = settings.fingerprint_pairing_radius_unless_exact
        if not settings.exact and threshold < settings.resemblance:
            pairing_radius = radius_for_recall_or_widest(
                settings.recipe, float(threshold), settings.shingle, RECALL
            )
        return cls(threshold, query.containment, pairing_radius, settings.noise_limits_if_sought)


@dataclass(frozen=True, slots=True, kw_only=True)
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


class TextToCompare(NamedTuple):
    """A text, stored or not, in the form for comparison.

    Attributes:
        fingerprint: as it is stored; None if it has none.
        digest, bytes_digest: of the normalised text, and of the bytes that were read; None if they
            are unknown, or the text is blank.
        evidence: of the text; None for a document known only by its fingerprint, which the format
            allows and this version does not write.
        text: the text; None if no noisy copies are looked for.
    """

    fingerprint: int | bytes | None
    digest: bytes | None
    bytes_digest: bytes | None
    evidence: TextEvidence | None
    text: str | None = None

    def with_bytes_digest(self, digest: bytes | None) -> TextToCompare:
        """Return the same text with other bytes."""
        evidence = None if self.evidence is None else self.evidence._replace(bytes_digest=digest)
        return self._replace(bytes_digest=digest, evidence=evidence)


def read_representatives_to_compare(
    open_store: OpenedStore, representative_ids: Collection[int]
) -> dict[int, TextToCompare]:
    """Return stored documents in the form for comparison, by id."""
    texts = {}
    if open_store.settings.noise is not None:
        texts = contents.read_texts_except_of_copies(open_store.connection, representative_ids)
    rows = contents.read_rows_with_evidence(open_store.connection, representative_ids)
    return {
        id_: TextToCompare(
            fingerprint=row.fingerprint,
            digest=row.digest,
            bytes_digest=row.bytes_digest,
            evidence=evidence,
            text=texts.get(id_),
        )
        for id_, (row, evidence) in rows.items()
    }


def nominate_for_each(
    open_store: OpenedStore, subjects: Sequence[TextToCompare], bounds: Bounds
) -> Iterator[CandidateIds]:
    """Yield for each text the ids of all stored ones that may be like it, and of a few others."""
    index, radius = open_store.index, bounds.radius
    evidence = [subject.evidence for subject in subjects]
    if radius is None and bounds.equal_only:
        nominated_ids = index.nominate_equal_texts(evidence)
    elif radius is None:
        nominated_ids = index.nominate_by_shingles(
            evidence,
            _min_share_of_larger_set(open_store, bounds),
            include_contained=bounds.containment is not None,
        )
    else:
        fingerprints = [one.fingerprint for one in subjects if one.fingerprint is not None]
        nominated_ids = index.find_ids_within_radius_of_each(fingerprints, radius)
    noisy_copies = None
    if bounds.noise is not None:
        noisy_copies = index.nominate_noisy_copies([one.text for one in subjects], bounds.noise)
    for subject in subjects:
        without_print = subject.fingerprint is None
        ids = [] if radius is not None and without_print else next(nominated_ids)
        if without_print and subject.digest is not None:
            ids = [
                *ids,
                *document_table.read_representative_ids_without_fingerprint(
                    open_store.connection, subject.digest
                ),
            ]
        if noisy_copies is not None:
            ids = [*ids, *next(noisy_copies)]
        # Once each, in the order in which indexes found them.
        yield list(dict.fromkeys(ids)) if ids else []


def nominate_among_each_other(
    open_store: OpenedStore, evidence_by_id: Mapping[int, TextEvidence], bounds: Bounds
) -> dict[int, CandidateIds]:
    """Return by the id of each text the ids of those others among them that it may be like,
    ascending; a text that is like none is left out.

    An exact store that held the texts would nominate the same, and more of those that turn out to
    be different.

    Raises:
        TooManyPairs: more pairs are alike than are held in memory.
    """
    column = Evidence.from_rows(list(evidence_by_id.values()), open_store.jobs)
    max_pairs = open_store.index.sizes.max_held_pairs
    assert bounds.resemblance is not None, "a store has a resemblance"
    alike = evidence_joins.join_candidates_by_resemblance(column, bounds.resemblance, max_pairs)
    sides = [(alike.left, alike.right)]
    if bounds.containment is not None:
        inside = evidence_joins.join_by_word_containment(column, bounds.containment, max_pairs)
        # What is inside a text can share no more of it than it is itself. Pairs are measured by
        # hashes or by ids, and a set has no more ids than hashes, so the bound holds for both.
        id_counts = pc.list_value_length(column.field("word_shingles"))
        hash_counts = pc.max_element_wise(
            id_counts, pc.list_value_length(column.field("word_hashes"))
        )
        smaller = pc.min_element_wise(*(hash_counts.take(side) for side in inside))
        larger = pc.max_element_wise(*(id_counts.take(side) for side in inside))
        share = pc.divide(smaller.cast(pa.float64()), larger.cast(pa.float64()))
        large = pc.greater_equal(share, float(_min_share_of_larger_set(open_store, bounds)))
        sides.append((inside.left.filter(large), inside.right.filter(large)))
    ids = pa.array(list(evidence_by_id), pa.int64())
    lefts, rights = (ids.take(pa.concat_arrays(side)) for side in zip(*sides, strict=True))
    both_ways = pa.table(
        {"one": pa.concat_arrays([lefts, rights]), "other": pa.concat_arrays([rights, lefts])}
    )
    pairs = both_ways.group_by(both_ways.column_names, use_threads=False).aggregate([])
    pairs = pairs.sort_by([(name, "ascending") for name in ("one", "other")])
    runs = pc.run_end_encode(arrow.flat(pairs["one"]))
    others, start = pairs["other"].to_pylist(), 0
    nominated = {}
    for one, end in zip(runs.values.to_pylist(), runs.run_ends.to_pylist(), strict=True):
        nominated[one] = others[start:end]
        start = end
    return nominated


def _min_share_of_larger_set(open_store: OpenedStore, bounds: Bounds) -> Fraction:
    """Return the lowest share of the larger set of words at which an exact store finds every
    match.
    """
    of_store = open_store.settings.resemblance
    requested = bounds.resemblance or of_store
    # A higher requested resemblance must not hide documents that contain the text.
    return requested if bounds.containment is None else min(requested, of_store)


def _share_of_larger_set(pair: JudgedPair) -> float:
    """Return what two texts share of the larger set of words."""
    return min(pair.containment_left or 0.0, pair.containment_right or 0.0)


#: Rows of documents with their evidence, by id.
RowsWithEvidence: TypeAlias = Mapping[int, RowWithEvidence]

#: Stored documents that a text may be like, by the number by which the caller knows the text: in
#: ``keepers`` its id.
CandidateIdsByText: TypeAlias = Mapping[int, Sequence[int]]


def verify_candidates(
    open_store: OpenedStore,
    subjects: Mapping[int, TextToCompare],
    candidate_ids_by_text: CandidateIdsByText,
    *,
    bounds: Bounds,
    known_rows: RowsWithEvidence,
) -> defaultdict[int, list[Match]]:
    """Return what texts are among their candidates, in the order of these, by the number of each
    text; one that is like none is left out.

    Args:
        subjects: the texts, and perhaps others, by the numbers by which the caller knows them.
        candidate_ids_by_text: the candidates, by the same numbers.
        known_rows: of some stored documents, which are not read again.
    """
    matches: defaultdict[int, list[Match]] = defaultdict(list)
    for portion in split_by_candidate_count(
        candidate_ids_by_text.items(), open_store.index.sizes.max_pairs
    ):
        verified = _verify_portion(
            open_store, subjects, portion, bounds=bounds, known_rows=known_rows
        )
        for number, match in verified:
            matches[number].append(match)
    return matches


def split_by_candidate_count(
    candidate_ids_by_text: Iterable[tuple[int, Sequence[int]]], max_candidates: int
) -> Iterator[CandidateIdsByText]:
    """Yield portions with at most that many candidates together; a text with more is in several
    portions, one without any in none.
    """
    portion: dict[int, Sequence[int]] = {}
    count = 0
    for number, candidate_ids in candidate_ids_by_text:
        for start in range(0, len(candidate_ids), max_candidates):
            ids = candidate_ids[start : start + max_candidates]
            if portion and count + len(ids) > max_candidates:
                yield portion
                portion, count = {}, 0
            portion[number] = ids
            count += len(ids)
    if portion:
        yield portion


def _make_match(
    subject: TextToCompare, row: StoredRow, judged_pair: JudgedPair, agreement: float | None = None
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
        verdict=judged_pair.verdict,
        distance=distance,
        resemblance=judged_pair.resemblance,
        containment_left=judged_pair.containment_left,
        containment_right=judged_pair.containment_right,
        agreement=agreement,
    )


def _verify_portion(
    open_store: OpenedStore,
    subjects: Mapping[int, TextToCompare],
    candidate_ids_by_text: CandidateIdsByText,
    *,
    bounds: Bounds,
    known_rows: RowsWithEvidence,
) -> Iterator[tuple[int, Match]]:
    """Yield what texts are among their candidates, with the number of the text; arguments as for
    ``verify_candidates``.
    """
    numbers = list(candidate_ids_by_text)
    texts = [subjects[number] for number in numbers]
    pairs = [
        (place, id_)
        for place, candidate_ids in enumerate(candidate_ids_by_text.values())
        for id_ in candidate_ids
    ]
    ids = dict.fromkeys(id_ for _, id_ in pairs)
    stored_rows = {id_: known_rows[id_] for id_ in ids if id_ in known_rows}
    if others := [id_ for id_ in ids if id_ not in known_rows]:
        stored_rows |= contents.read_rows_with_evidence(open_store.connection, others)
    places = {id_: len(texts) + place for place, id_ in enumerate(stored_rows)}
    both = [(place, places[id_]) for place, id_ in pairs]
    left, right = [one for one, _ in both], [other for _, other in both]
    evidence = [text.evidence for text in texts]
    evidence += [row.own_evidence for row in stored_rows.values()]
    judgements = select_pairs_not_different(
        evidence, left, right, Thresholds(bounds.resemblance, bounds.containment)
    )
    if bounds.radius is None and bounds.noise is None:
        # Of those that share less, the index finds some, by chance.
        min_share = float(_min_share_of_larger_set(open_store, bounds))
        judgements = [
            one
            for one in judgements
            if one.verdict not in _INSIDE or _share_of_larger_set(one) >= min_share
        ]
    agreements: dict[int, float] = {}
    if bounds.noise is not None:
        stored_texts = contents.read_texts_except_of_copies(open_store.connection, stored_rows)
        agreements = _find_agreement_of_noisy_pairs(
            evidence,
            [text.text for text in texts] + [stored_texts.get(id_) for id_ in stored_rows],
            both,
            judged_pairs=judgements,
            limits=bounds.noise,
        )
        # What is noisy is measured too.
        noisy_places = sorted(agreements)
        noisy_left, noisy_right = ([side[at] for at in noisy_places] for side in (left, right))
        measured = select_pairs_not_different(
            evidence, noisy_left, noisy_right, Thresholds(None, None)
        )
        judgements = [one for one in judgements if one.place not in agreements]
        judgements += [
            one._replace(place=noisy_places[one.place], verdict=verdicts.NOISY) for one in measured
        ]
    judgements += [
        JudgedPair(
            place=at,
            verdict=verdicts.UNVERIFIED,
            resemblance=None,
            containment_left=None,
            containment_right=None,
        )
        for at, (one, other) in enumerate(both)
        if evidence[one] is None or evidence[other] is None
    ]
    # In the order of their places, which is that of the question.
    for judged in sorted(judgements):
        place, id_ = pairs[judged.place]
        row = stored_rows[id_].row
        yield numbers[place], _make_match(texts[place], row, judged, agreements.get(judged.place))


#: The place of a pair among those that are judged together.
_PairPlace: TypeAlias = int


def _find_agreement_of_noisy_pairs(
    evidence: Sequence[TextEvidence | None],
    texts: Sequence[str | None],
    pairs: Sequence[tuple[int, int]],
    *,
    judged_pairs: Sequence[JudgedPair],
    limits: NoiseLimits,
) -> dict[_PairPlace, float]:
    """Return which pairs are noisy copies: the agreement of each, by its place.

    Args:
        evidence, texts: n texts; one without either is no noisy copy.
        pairs: m pairs of them.
        judged_pairs: those that are not different, by their shingle sets.
        limits: what makes a noisy copy.
    """
    verdict_of = {one.place: one.verdict for one in judged_pairs}
    # Columns of no pair would take 0.4 ms, and most texts are like documents of one kind.
    places = [at for at in range(len(pairs)) if verdict_of.get(at) not in verdicts.SAME]
    if not places:
        return {}
    pair_rows = with_agreement_marking_noisy_pairs(
        pa.table(
            {
                "left": pa.array([pairs[at][0] for at in places], pa.int64()),
                "right": pa.array([pairs[at][1] for at in places], pa.int64()),
                "verdict": pa.array(
                    [verdict_of.get(at, verdicts.DIFFERENT) for at in places], pa.string()
                ),
            }
        ),
        arrow.import_texts(
            [None if one is None else text for one, text in zip(evidence, texts, strict=True)]
        ),
        limits,
        masked_digests=pa.array(
            [None if one is None else one.masked_digest for one in evidence], arrow.DIGEST
        ),
        align_only_nominated=True,
    )
    agreements = zip(places, pair_rows["agreement"].to_pylist(), strict=True)
    return {place: agreement for place, agreement in agreements if agreement is not None}


def find_matches_for_each(
    open_store: OpenedStore,
    subjects: Sequence[TextToCompare],
    bounds: Bounds,
    *,
    nearest_count: int | None,
) -> list[list[Match]]:
    """Return for each text all stored documents that it is like, or this many that are nearest."""
    if nearest_count is None:
        return find_alike_for_each(open_store, subjects, bounds)
    return [find_nearest(open_store, subject, nearest_count, bounds) for subject in subjects]


def find_alike_for_each(
    open_store: OpenedStore, subjects: Sequence[TextToCompare], bounds: Bounds
) -> list[list[Match]]:
    """Return for each text all stored documents that it is like, itself and copies included, the
    most alike first.
    """
    subject_by_number = dict(enumerate(subjects))
    nominated = nominate_for_each(open_store, subjects, bounds)
    match_by_id: list[dict[int, Match]] = [{} for _ in subjects]
    for portion in split_by_candidate_count(
        zip(subject_by_number, nominated, strict=True), open_store.index.sizes.max_candidates
    ):
        verified = verify_candidates(
            open_store, subject_by_number, portion, bounds=bounds, known_rows={}
        )
        for number, matches in verified.items():
            match_by_id[number] |= {match.id: match for match in matches}
    return [
        rank_matches([*own.values(), *_read_matches_of_copies(open_store, subject, own)])
        if own
        else []
        for subject, own in zip(subjects, match_by_id, strict=True)
    ]


def _read_matches_of_copies(
    open_store: OpenedStore, subject: TextToCompare, match_by_representative: Mapping[int, Match]
) -> Iterator[Match]:
    """Yield what a text is to the copies of stored ones, by what it is to these."""
    for row in document_table.read_rows_of_copies(open_store.connection, match_by_representative):
        match = match_by_representative[row.representative_id]
        verdict = match.verdict
        if verdict in (verdicts.IDENTICAL, verdicts.EXACT):
            same = row.bytes_digest == subject.bytes_digest
            verdict = verdicts.IDENTICAL if same else verdicts.EXACT
        yield replace(match, id=row.id, source=row.source, title=row.title, verdict=verdict)


def find_nearest(
    open_store: OpenedStore, subject: TextToCompare, max_count: int, bounds: Bounds
) -> list[Match]:
    """Return at most this many stored documents, those with the greatest resemblance to a text.

    Documents that share nothing with it are left out. One that shares less than the thresholds ask
    for is ``different``.
    """
    if subject.evidence is None or subject.digest is None:
        return []
    if open_store.settings.exact:
        # All that share as much as the store looks for: if they are enough, no other is nearer.
        (nominated,) = nominate_for_each(open_store, [subject], bounds)
        threshold = float(open_store.settings.resemblance)
        nearest = _pick_nearest_with_copies(
            open_store, subject, ids=nominated, max_count=max_count, bounds=bounds
        )
        alike = [
            match
            for match in nearest
            if match.resemblance is not None and match.resemblance >= threshold
        ]
        if len(alike) == max_count:
            return alike
    all_ids = list(contents.read_ids_with_evidence(open_store.connection))
    return _pick_nearest_with_copies(
        open_store, subject, ids=all_ids, max_count=max_count, bounds=bounds
    )


def _pick_nearest_with_copies(
    open_store: OpenedStore,
    subject: TextToCompare,
    *,
    ids: Sequence[int],
    max_count: int,
    bounds: Bounds,
) -> list[Match]:
    """Return those of some documents and their copies that a text shares most with."""
    nearest: list[Match] = []
    size = open_store.index.sizes.max_pairs
    for start in range(0, len(ids), size):
        measured_pairs = _measure_candidates_sharing_shingles(
            open_store, subject, ids[start : start + size], bounds
        )
        shares = [match.resemblance or 0.0 for match in nearest]
        shares += [pair.resemblance or 0.0 for pair in measured_pairs.values()]
        # Of equal ones, distances and numbers decide, which are read for these alone.
        least = (
            min(heapq.nlargest(max_count, shares), default=0.0) if len(shares) > max_count else 0.0
        )
        near = {
            id_: pair for id_, pair in measured_pairs.items() if (pair.resemblance or 0.0) >= least
        }
        rows = document_table.check_that_none_is_missing(
            near, document_table.read_rows_unless_removed(open_store.connection, near)
        )
        match_by_id = {id_: _make_match(subject, row, near[id_]) for id_, row in rows.items()}
        copies = _read_matches_of_copies(open_store, subject, match_by_id)
        nearest = rank_matches([*nearest, *match_by_id.values(), *copies])[:max_count]
    return nearest


def _measure_candidates_sharing_shingles(
    open_store: OpenedStore, subject: TextToCompare, ids: Sequence[int], bounds: Bounds
) -> dict[int, JudgedPair]:
    """Return what a text is to documents, by id; those that share nothing with it are left out."""
    stored_evidence = contents.read_evidence_if_any(open_store.connection, ids)
    evidence = [subject.evidence, *stored_evidence.values()]
    left, right = [0] * len(stored_evidence), range(1, len(evidence))
    # Without thresholds every pair is measured, and none is different; the second pass gives the
    # verdicts.
    measured_by_place = {
        pair.place: pair._replace(verdict=verdicts.DIFFERENT)
        for pair in select_pairs_not_different(evidence, left, right, Thresholds(None, None))
        if pair.resemblance
    }
    alike = select_pairs_not_different(
        evidence, left, right, Thresholds(bounds.resemblance, bounds.containment)
    )
    measured_by_place |= {pair.place: pair for pair in alike}
    measured_ids = list(stored_evidence)
    return {measured_ids[place]: pair for place, pair in measured_by_place.items()}


def find_matches_within_radius(
    open_store: OpenedStore, fingerprint: int | bytes, radius: int
) -> list[Match]:
    """Return all stored documents whose fingerprint is within the radius, the nearest first."""
    distances = dict(open_store.index.find_ids_within_radius(fingerprint, radius))
    rows = document_table.check_that_none_is_missing(
        distances, document_table.read_rows_unless_removed(open_store.connection, distances)
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
        for row in [
            *rows.values(),
            *document_table.read_rows_of_copies(open_store.connection, rows),
        ]
    ]
    return rank_matches(matches)


_ORDER = {verdict: place for place, verdict in enumerate(verdicts.SAME[:2])}


def rank_matches(matches: Iterable[Match]) -> list[Match]:
    """Return the matches, the most alike first."""

    def sort_key(one: Match) -> tuple[int, float, int, int]:
        alike = one.agreement or one.resemblance or 0.0
        return _ORDER.get(one.verdict, len(_ORDER)), -alike, one.distance or 0, one.id

    return sorted(matches, key=sort_key)
