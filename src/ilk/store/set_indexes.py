"""Set indexes of a store: which documents have a set that shares much with another one.

A document is kept under keys of its sets, and looked up under keys of another set: the rarest
values, or what is in each part of the values (``_kernels.SetKeys``). The file has the keys
(``postings``), so that a question reads what it needs, and nothing is kept in memory but the orders
of values. What is found are candidates: all sets that are alike enough, and few others.
"""

from __future__ import annotations

import sqlite3
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import compress, filterfalse, islice
from typing import ClassVar, Generic, NamedTuple, TypeAlias, TypeVar

import pyarrow as pa

from ilk import _kernels, arrow
from ilk.base.errors import StoreDamaged
from ilk.search import noise_evidence
from ilk.search.evidence import SHORT, TextEvidence
from ilk.search.measures import kernel_ratio_at_most
from ilk.search.noise_evidence import NoiseEvidence, NoiseLimits
from ilk.store.db import contents, document_table, postings
from ilk.store.db.postings import ValueOrder
from ilk.store.db.settings import Settings, is_repetitive_document_recorded_or_unknown, read_counter
from ilk.store.records import DamageIfAny

#: What the file has of a text, to make its sets from.
_Source = TypeVar("_Source")
_T = TypeVar("_T")

#: One document in this number is sampled, to distinguish rare shingles from common ones. The order
#: of values only decides the speed: any fixed order finds the same documents.
_EACH = 8

#: An index is slow once it has this many times the documents that it was made from, if that was
#: less than the largest sample.
_GROWN = 4

#: Sets of characters are looked up by pieces from this resemblance on. There are as many
#: pieces as values in which two sets may differ; below it there are too many, and pieces are single
#: values.
_MIN_RESEMBLANCE_OF_PARTS = Fraction(3, 4)

#: Postings that questions may meet together, 8 bytes each; and questions at most.
_MET, _ROWS = 1 << 24, 1 << 14


def find_damage_in_total_sum(
    index_name: str, sums_in_file: Iterator[int], expected_sums: Iterable[int]
) -> Iterator[DamageIfAny]:
    """Compare sums of what the file has packed with those of what it should have.

    Yield for each of the former None, and what is wrong.
    """
    total = 0
    try:
        for one in sums_in_file:
            total += one
            yield None
    except StoreDamaged as error:
        yield str(error)
    else:
        if (total - sum(expected_sums)) % (1 << 64):
            yield f"the index {index_name} differs from the documents: `ilk store rebuild`."


class PackedSet(NamedTuple):
    """A set in the form for an index.

    Attributes:
        values: numbers of 4 bytes, or of 8 if it is wide; little-endian, ascending, each once.
        wide: whether they are 64-bit hashes, which the index compares by their upper halves.
    """

    values: bytes
    wide: bool = False


#: The sets of texts by id, one for each index; None if a text is not in that index.
_SetsById: TypeAlias = Mapping[int, tuple[PackedSet | None, ...]]


class IndexForm(NamedTuple):
    """How one index is made.

    Attributes:
        name: in the file.
        min_resemblance: the lowest one at which the index finds every match.
        common_values: how many rare values two sets must have in common; None if its keys are
            pieces of the sets.
    """

    name: str
    min_resemblance: Fraction
    common_values: int | None


class _LoadedOrder(NamedTuple):
    """The generation that wrote an order, and the number of documents that the store had then."""

    generation: int
    documents: int


#: The ids of the documents that may be like a text: all that are, and few others.
CandidateIds: TypeAlias = list[int]


class TextsToLookUp(NamedTuple):
    """Sets that one index is asked for.

    Attributes:
        index_place: the place of the index among the forms.
        sets: of each text; None for a text that is not looked up in this index.
        min_share: how much of a set must be shared.
    """

    index_place: int
    sets: Sequence[PackedSet | None]
    min_share: Fraction


class SetIndexes(ABC, Generic[_Source]):
    """The indexes of one kind of sets, each with the sets of some texts.

    Attributes:
        name: the kind of sets, for messages.
        forms: how its indexes are made.
    """

    name: ClassVar[str]

    def __init__(self, connection: sqlite3.Connection, settings: Settings) -> None:
        """Use the indexes in the file of ``connection``."""
        self._connection = connection
        # The first portion is small: how much it meets tells the size of the next.
        self._texts_per_portion = 1 << 10
        self.forms = self.index_forms(settings)
        self.drop_cached_orders()

    def drop_cached_orders(self) -> None:
        """Read the orders again when they are next needed."""
        self._keys: list[_kernels.SetKeys] = []
        self._loaded_order: _LoadedOrder | None = None

    @abstractmethod
    def index_forms(self, settings: Settings) -> tuple[IndexForm, ...]:
        """Return the indexes; the first has an order."""

    @abstractmethod
    def sets_of(self, source: _Source) -> tuple[PackedSet | None, ...]:
        """Return the sets of a text, one for each index; None if it is not in that index."""

    @abstractmethod
    def read_sources_of_sets(self, ids: Iterable[int]) -> Mapping[int, _Source]:
        """Return what the file has of texts, by id; those without evidence are left out."""

    @abstractmethod
    def make_or_read_sources_of_sets(
        self, evidence_by_id: Mapping[int, TextEvidence]
    ) -> Mapping[int, _Source]:
        """Return the same of texts with this evidence, which is not read again."""

    def read_all_sources_of_sets(
        self, known_sources: Mapping[int, _Source]
    ) -> Iterator[Mapping[int, _Source]]:
        """Yield the same of all texts: what is known, and of the others, many at a time."""
        if known_sources:
            yield known_sources
        ids = filterfalse(
            known_sources.__contains__, contents.read_ids_with_evidence(self._connection)
        )
        while page := list(islice(ids, contents.TEXTS)):
            yield self.read_sources_of_sets(page)

    def add(self, source_by_id: Mapping[int, _Source]) -> None:
        """Add documents, none of them there yet."""
        self._load_orders_if_any()
        self._write_postings(source_by_id, removed=False)

    def is_build_or_rebuild_due(self, *, max_sampled: int, few_documents: int) -> bool:
        """Return whether they should be made again, from at most that many documents as a sample;
        those made from few soon should.
        """
        if not self._load_orders_if_any():
            return True
        made_of = 0 if self._loaded_order is None else self._loaded_order.documents
        documents = read_counter(self._connection, "documents")
        return made_of < _EACH * max_sampled and documents > _GROWN * max(made_of, few_documents)

    def remove(self, ids: Iterable[int]) -> None:
        """Remove documents, whose sets are still in the file."""
        if self._load_orders_if_any():
            self._write_postings(self.read_sources_of_sets(ids), removed=True)

    def build_in_file_without_postings(
        self, generation: int, known_sources: Mapping[int, _Source], *, max_sampled: int
    ) -> None:
        """Make them from what the texts left in the file, which has none of them; the orders from
        at most that many documents. What is known of some texts is not read.
        """
        last, documents = (
            read_counter(self._connection, name) for name in ("next_id", "documents")
        )
        sampled_ids = range(0, last, max(_EACH, -(-last // max_sampled)))
        sample = [known_sources[id_] for id_ in sampled_ids if id_ in known_sources]
        sample += self.read_sources_of_sets(
            id_ for id_ in sampled_ids if id_ not in known_sources
        ).values()
        sample_sets = list(map(self.sets_of, sample))
        self._keys = []
        for place, form in enumerate(self.forms):
            if form.common_values is None:
                self._keys.append(
                    _kernels.SetKeys.of_parts(kernel_ratio_at_most(form.min_resemblance))
                )
                continue
            sampled = [packed for sets in sample_sets if (packed := sets[place]) is not None]
            keys = _kernels.SetKeys.of_rare_values(
                sampled, kernel_ratio_at_most(form.min_resemblance), form.common_values
            )
            order = ValueOrder(generation, documents, keys.frequencies())
            postings.write_order(self._connection, form.name, order)
            self._keys.append(keys)
        self._loaded_order = _LoadedOrder(generation, documents)
        for sources in self.read_all_sources_of_sets(known_sources):
            self._write_postings(sources, removed=False)

    def find_damage_of_each_piece(self) -> Iterator[DamageIfAny]:
        """Compare them with what they are made from; yield for each bucket None, and what is
        wrong.
        """
        try:
            forms = enumerate(self.forms if self._load_orders_if_any() else ())
        except StoreDamaged as error:
            yield str(error)
            return
        for place, form in forms:
            expected = (
                self._make_postings(place, self._make_sets(sources), removed=False)
                for sources in self.read_all_sources_of_sets({})
            )
            sums_in_file = postings.checksum_each_bucket_of_each_run(self._connection, form.name)
            yield from find_damage_in_total_sum(
                form.name, sums_in_file, map(_kernels.checksum_remaining_postings, expected)
            )

    def find_documents_for_each(
        self, lookups: Sequence[TextsToLookUp], text_count: int
    ) -> list[set[int]]:
        """Return for each of n texts the ids of the documents that any of its sets has found."""
        ids_by_text: list[set[int]] = [set() for _ in range(text_count)]
        if not self._load_orders_if_any():
            return ids_by_text
        for place, sets, min_share in lookups:
            texts = [text for text, packed in enumerate(sets) if packed is not None]
            packed_sets = [packed for packed in sets if packed is not None]
            question = self._keys[place].make_question_empty_if_below_threshold(
                packed_sets, kernel_ratio_at_most(min_share)
            )
            posting_count = postings.feed_question_and_count_postings(
                self._connection, self.forms[place].name, question
            )
            for row, id_ in zip(*question.take_answers(), strict=True):
                ids_by_text[texts[row]].add(id_)
            # The next questions are like these; at most eight times as many, since one portion
            # tells little.
            as_many = _MET * text_count // max(posting_count, 1)
            self._texts_per_portion = min(_ROWS, 8 * text_count, as_many) or 1
        return ids_by_text

    def split_into_portions(self, texts: Sequence[_T]) -> Iterator[Sequence[_T]]:
        """Yield texts to look up together, as many as the last lookup lets expect to fit."""
        start = 0
        while start < len(texts):
            portion = texts[start : start + self._texts_per_portion]
            yield portion
            start += len(portion)

    def _load_orders_if_any(self) -> bool:
        """Read the orders, if they are new; return whether the file has any.

        Raises:
            StoreDamaged: one is missing or damaged.
        """
        first = self.forms[0].name
        generation = postings.find_generation_of_order_or_none(self._connection, first)
        if generation is None:
            if any(
                postings.read_runs_by_number(self._connection, form.name) for form in self.forms
            ):
                raise StoreDamaged(f"the order {first} is missing: `ilk store rebuild`.")
            return False
        loaded = self._loaded_order
        if not self._keys or loaded is None or generation != loaded.generation:
            # Without keys, what is damaged is read again, and found again.
            self._keys = []
            self._keys = list(map(self._make_keys_and_keep_any_order, self.forms))
        return True

    def _make_keys_and_keep_any_order(self, form: IndexForm) -> _kernels.SetKeys:
        resemblance = kernel_ratio_at_most(form.min_resemblance)
        if form.common_values is None:
            return _kernels.SetKeys.of_parts(resemblance)
        order = postings.read_order(self._connection, form.name)
        self._loaded_order = _LoadedOrder(order.generation, order.documents)
        return _kernels.SetKeys.with_frequencies(order.counts, resemblance, form.common_values)

    def _write_postings(self, sources: Mapping[int, _Source], *, removed: bool) -> None:
        sets_by_id = self._make_sets(sources)
        for place, form in enumerate(self.forms):
            postings.add_postings_and_merge_some_runs(
                self._connection, form.name, self._make_postings(place, sets_by_id, removed=removed)
            )

    def _make_sets(self, sources: Mapping[int, _Source]) -> _SetsById:
        return {id_: self.sets_of(source) for id_, source in sources.items()}

    def _make_postings(self, index_place: int, sets_by_id: _SetsById, *, removed: bool) -> bytes:
        set_by_id = {
            id_: packed for id_, sets in sets_by_id.items() if (packed := sets[index_place])
        }
        keys = self._keys[index_place]
        return keys.make_postings(list(set_by_id.values()), list(set_by_id), removed)


#: The sets of a text in an exact store: of words, and of characters, in one of two indexes by
#: whether the text is short; None in the other, or in both if it is not compared by characters.
_WordSet: TypeAlias = PackedSet
_SetIfShort: TypeAlias = PackedSet | None
_SetIfNotShort: TypeAlias = PackedSet | None


class Shingles(SetIndexes[TextEvidence]):
    """Those of an exact store: of word shingles of every text; and two of character shingles, for
    short texts, and for others that may be paired with one.
    """

    name = "shingles"

    def index_forms(self, settings: Settings) -> tuple[IndexForm, ...]:
        resemblance = settings.resemblance
        common_values = None if resemblance >= _MIN_RESEMBLANCE_OF_PARTS else 8
        return (
            IndexForm("words", resemblance, 2),
            IndexForm("short", resemblance, common_values),
            IndexForm("others", resemblance, common_values),
        )

    def read_sources_of_sets(self, ids: Iterable[int]) -> Mapping[int, TextEvidence]:
        return contents.read_evidence_if_any(self._connection, ids)

    def make_or_read_sources_of_sets(
        self, evidence_by_id: Mapping[int, TextEvidence]
    ) -> Mapping[int, TextEvidence]:
        return evidence_by_id

    def sets_of(self, source: TextEvidence) -> tuple[_WordSet, _SetIfShort, _SetIfNotShort]:
        words = PackedSet(source.word_shingles, source.wide)
        if source.character_shingles is None:
            return words, None, None
        characters = PackedSet(source.character_shingles)
        if source.length_class == SHORT:
            return words, characters, None
        return words, None, characters

    def nominate_for_each(
        self, evidence: Sequence[TextEvidence], resemblance: Fraction, *, include_contained: bool
    ) -> Iterator[CandidateIds]:
        """Yield for each text the ids of all documents that share this much of the larger set of
        words with it, or resemble it by their characters, and few others.

        Below the resemblance of the store, these are all documents.

        Args:
            include_contained: whether it is enough to share that much; else only those are found
                that resemble the text by what the two are measured by.
        """
        if resemblance < self.forms[0].min_resemblance:
            all_ids = list(contents.read_ids_with_evidence(self._connection))
            yield from (all_ids for _ in evidence)
            return
        # A short text is measured by words only against a long one, which has too many of them
        # for it, unless it repeats itself. Of the documents that 10^4 short texts met among
        # 3 x 10^5, a quarter were there by words alone.
        yield from self._look_up_each(
            evidence,
            resemblance,
            equal_only=False,
            short_by_characters_only=(
                not include_contained and self._finds_short_by_characters_alone()
            ),
        )

    def nominate_equal_for_each(self, evidence: Sequence[TextEvidence]) -> Iterator[CandidateIds]:
        """Yield for each text the ids of all documents with the same text, and few others."""
        yield from self._look_up_each(
            evidence, Fraction(1), equal_only=True, short_by_characters_only=False
        )

    def _finds_short_by_characters_alone(self) -> bool:
        """Return whether no long document has so few different words that a short text may be
        like it by its words.
        """
        return (
            self.forms[0].min_resemblance >= contents.LEAST_APART
            and not is_repetitive_document_recorded_or_unknown(self._connection)
        )

    def _look_up_each(
        self,
        evidence: Sequence[TextEvidence],
        resemblance: Fraction,
        *,
        equal_only: bool,
        short_by_characters_only: bool,
    ) -> Iterator[CandidateIds]:
        if not self._load_orders_if_any():  # There is nothing to find yet.
            yield from ([] for _ in evidence)
            return
        for portion in self.split_into_portions(evidence):
            sets = list(map(self.sets_of, portion))
            words = [None if short_by_characters_only and one[1] else one[0] for one in sets]
            # Sets of words find equal texts, unless these have no words.
            rest = [None if equal_only and one[0].values else one for one in sets]
            characters = [one and (one[1] or one[2]) for one in rest]
            of_short_texts = [one and one[1] for one in rest]
            lookups = [
                TextsToLookUp(place, packed, resemblance)
                for place, packed in enumerate((words, characters, of_short_texts))
            ]
            yield from map(sorted, self.find_documents_for_each(lookups, len(portion)))


#: The second sets of a text: of long shingles, and of those of short texts.
_NoiseSetsOfText = tuple[PackedSet | None, PackedSet | None]


class NoiseSets(SetIndexes[_NoiseSetsOfText]):
    """Those of a store that finds noisy copies, of second sets: of long shingles, and of those of
    short texts.
    """

    name = "noise"

    def index_forms(self, settings: Settings) -> tuple[IndexForm, ...]:
        limits = settings.noise_limits_if_sought
        assert limits is not None, "the store finds noisy copies"
        return IndexForm("noise-long", limits.long, 4), IndexForm("noise-short", limits.short, 8)

    def read_sources_of_sets(self, ids: Iterable[int]) -> Mapping[int, _NoiseSetsOfText]:
        text_by_id = contents.read_texts_except_of_copies(self._connection, ids)
        return dict(zip(text_by_id, _make_noise_sets(text_by_id.values()), strict=True))

    def make_or_read_sources_of_sets(
        self, evidence_by_id: Mapping[int, TextEvidence]
    ) -> Mapping[int, _NoiseSetsOfText]:
        return self.read_sources_of_sets(evidence_by_id)

    def sets_of(self, source: _NoiseSetsOfText) -> _NoiseSetsOfText:
        return source

    def nominate_for_each(
        self, texts: Sequence[str], limits: NoiseLimits
    ) -> Iterator[CandidateIds]:
        """Yield for each text the ids of the documents that the second sets nominate with it."""
        for portion in self.split_into_portions(texts):
            long, short = zip(*_make_noise_sets(portion), strict=True)
            ids_by_text = self.find_documents_for_each(
                [TextsToLookUp(0, long, limits.long), TextsToLookUp(1, short, limits.short)],
                len(portion),
            )
            ids = set().union(*ids_by_text)
            stored = document_table.check_that_none_is_missing(
                ids, contents.read_texts_except_of_copies(self._connection, ids)
            )
            rows = {id_: len(portion) + at for at, id_ in enumerate(stored)}
            pairs = [(text, id_) for text, ids in enumerate(ids_by_text) for id_ in sorted(ids)]
            both = NoiseEvidence.from_texts(arrow.import_texts([*portion, *stored.values()]), 1)
            left = pa.array([text for text, _ in pairs], pa.int64())
            right = pa.array([rows[id_] for _, id_ in pairs], pa.int64())
            nominated: list[list[int]] = [[] for _ in portion]
            for text, id_ in compress(
                pairs, noise_evidence.are_nominated(both, left, right, limits).to_pylist()
            ):
                nominated[text].append(id_)
            yield from nominated


def _make_noise_sets(texts: Iterable[str]) -> list[_NoiseSetsOfText]:
    evidence = NoiseEvidence.from_texts(arrow.import_texts(list(texts)), 1)
    sets = (
        _kernels.sets_as_native_bytes_ignoring_nulls(ids).to_pylist()
        for ids in (evidence.long, evidence.short)
    )
    return list(
        zip(*([PackedSet(ids) if ids else None for ids in one] for one in sets), strict=True)
    )
