"""Evidence: what is stored of each text, to find and judge pairs without the texts.

Source: Broder 1997, section 2 (resemblance and containment of shingle sets).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from ilk import _kernels, arrow
from ilk.arrow import verdicts
from ilk.base.mapped import MappedColumns
from ilk.search.counting import Counting
from ilk.search.measures import kernel_ratio_at_most

#: Classes of texts by their numbers of words: a pair is measured by characters where one text is
#: short and neither is long, and by words otherwise (``LengthClass`` in Rust).
SHORT, MIDDLE, LONG = _kernels.LENGTH_CLASSES

#: A text of fewer words stands in another one as a whole or not at all.
RUN_WORDS = _kernels.RUN_WORDS

#: Characters per shingle.
CHARACTERS = 3

#: A set of more shingles keeps their whole hashes: sets of n and m shingles share n * m / 2^32 ids
#: by chance, which is one id for one pair in a thousand at this size.
LARGE = 1 << 11

#: The columns of judged pairs.
_JUDGED = [
    "left",
    "right",
    "shared",
    "left_shingles",
    "right_shingles",
    "resemblance",
    "containment_left",
    "containment_right",
    "verdict",
]

#: Verdicts by their numbers in the kernel.
_VERDICTS = pa.array(verdicts.JUDGED)


class Thresholds(NamedTuple):
    """What counts as alike.

    Attributes:
        resemblance: the least of near texts; None takes any.
        containment: the least part of one that makes it contained in the other; None knows none.
        numbers_only_is_alike: ``numbers_only`` for all texts with words that differ only in
            numbers; else only for those at the least resemblance.
    """

    resemblance: Fraction | None = None
    containment: Fraction | None = None
    numbers_only_is_alike: bool = False


class OneSite(NamedTuple):
    """The rule for pairs of documents of one site.

    Attributes:
        sites: per text the number of its site, or null.
        min_resemblance: that of a pair of one site.
    """

    sites: pa.Array
    min_resemblance: Fraction


@dataclass(frozen=True, slots=True)
class Evidence:
    """The evidence of n texts.

    Attributes:
        rows: ``arrow.EVIDENCE``, a text a row.
        joined_rows: the rows that are joined; None joins all.
        progress: follows the share of every long join that is done, 0 to 1.
        mapped: the files in which the sets stand; None if they are in memory.
        jobs: threads of the joins; the result does not depend on them.
    """

    rows: pa.StructArray
    joined_rows: pa.BooleanArray | None = None
    progress: Callable[[float], object] | None = None
    mapped: MappedColumns | None = None
    jobs: int = 1

    def __reduce__(self) -> tuple[type[Evidence], tuple[object, ...]]:
        """Pickle the columns alone: files without names stay in this process."""
        return Evidence, (self.rows, self.joined_rows)

    @property
    def are_short(self) -> pa.BooleanArray:
        """Return per text whether it is short: two short texts are measured by characters."""
        return self.are_of_length(SHORT)

    def are_of_length(self, length_class: int) -> pa.BooleanArray:
        """Return per text whether it is ``SHORT``, ``MIDDLE`` or ``LONG``, as asked."""
        return pc.equal(
            _kernels.length_classes(self.field("words")), pa.scalar(length_class, pa.uint8())
        )

    @property
    def joined_texts_mask(self) -> pa.BooleanArray:
        """Return per text whether it is joined."""
        return pa.repeat(True, len(self)) if self.joined_rows is None else self.joined_rows

    @property
    def kernel_callback_if_mapped_or_followed(self) -> Callable[[float], object] | None:
        """Return what kernels call while they read the sets: it keeps what is mapped in bounds.

        None if nothing is mapped and nobody follows.
        """
        mapped, progress = self.mapped, self.progress
        if mapped is None:
            return progress

        def drop_pages_over_limit_and_follow(share: float) -> None:
            mapped.drop_pages_if_over_limit()
            if progress is not None:
                progress(share)

        return drop_pages_over_limit_and_follow

    @classmethod
    def from_texts(
        cls,
        texts: pa.ChunkedArray,
        counting: Counting,
        jobs: int,
        *,
        sources: pa.Array | None = None,
        whole_hashes_above_shingles: int = LARGE,
    ) -> Evidence:
        """Return the evidence of texts, of what counts of them, in one pass.

        Args:
            texts: n texts.
            counting: what counts of a text.
            jobs: threads.
            sources: the names of the documents, if they have any.
            whole_hashes_above_shingles: sets of more shingles keep their whole hashes.
        """
        builder = make_evidence_builder(counting, jobs, whole_hashes_above_shingles)
        for chunk in arrow.kernel_chunks(
            counting.replace_programs_by_words_if_as_code(texts, sources)
        ):
            builder.add(chunk)
        evidence = cls(builder.take_column(), jobs=jobs)
        if counting.as_ is None:
            return evidence
        return evidence.with_lengths_and_unemptied_digests_of(
            lengths_and_digests_as_written(texts, shingle_words=counting.shingle, jobs=jobs)
        )

    @classmethod
    def from_rows(cls, rows: Sequence[TextEvidence], jobs: int) -> Evidence:
        """Return evidence in plain rows as a column, which joins take."""
        return cls(_kernels.evidence_rows_to_column(rows), jobs=jobs)

    def __len__(self) -> int:
        return len(self.rows)

    def field(self, name: str) -> pa.Array:
        """Return a field of all rows."""
        return self.rows.field(name)

    def with_joined_limited_to(self, joined_mask: pa.BooleanArray) -> Evidence:
        """Return the same with some rows alone to be joined."""
        return replace(
            self,
            joined_rows=joined_mask
            if self.joined_rows is None
            else pc.and_(self.joined_rows, joined_mask),
        )

    def replace_fields(self, **fields: pa.Array) -> Evidence:
        """Return the same with other fields, such as the digests of the bytes that were read."""
        arrays = [fields.get(field.name, self.field(field.name)) for field in arrow.EVIDENCE]
        rows = pa.StructArray.from_arrays(arrays, fields=list(arrow.EVIDENCE))
        return replace(self, rows=rows)

    def with_lengths_and_unemptied_digests_of(self, as_written: Mapping[str, pa.Array]) -> Evidence:
        """Return the same sets, with the lengths and digests of the texts as they are written.

        So programs that differ in their names alone are near, and not equal.

        Args:
            as_written: of ``lengths_and_digests_as_written``.
        """
        # Everything that counts in such a text belongs to the base text.
        is_emptied = pc.and_(self.field("digest").is_null(), pc.greater(self.field("length"), 0))
        nothing = pa.scalar(None, arrow.DIGEST)
        digests = {
            name: pc.if_else(is_emptied, nothing, as_written[name])
            for name in ("digest", "masked_digest")
        }
        return self.replace_fields(**{**as_written, **digests})

    def with_all_measured_by_words(self) -> Evidence:
        """Return the same, with every pair measured by words, which decide what is contained.

        Any two texts of a language share most of their characters' shingles.
        """
        long = pa.scalar(_kernels.LONG_FROM_WORDS, pa.uint32())
        return self.replace_fields(words=pa.repeat(long, len(self)))

    def concatenate(self, other: Evidence) -> Evidence:
        """Return these texts, and others after them."""
        joined_rows = pa.concat_arrays([self.joined_texts_mask, other.joined_texts_mask])
        rows = pa.concat_arrays([self.rows, other.rows])
        return Evidence(rows, joined_rows, self.progress, jobs=self.jobs)

    def judge_pairs(
        self,
        left: pa.Array,
        right: pa.Array,
        thresholds: Thresholds,
        *,
        one_site: OneSite | None = None,
    ) -> pa.Table:
        """Measure pairs of rows, and say what each is.

        Args:
            left, right: m rows each (``int64``), a pair in every position.
            one_site: what pairs of one site must share besides.

        Returns:
            ``left``, ``right``, ``shared``, ``left_shingles``, ``right_shingles``,
            ``resemblance``, ``containment_left``, ``containment_right`` and ``verdict``.
        """
        return spell_verdicts(
            self.judge_pairs_by_number(left, right, thresholds, one_site=one_site)
        )

    def judge_pairs_by_number(
        self,
        left: pa.Array,
        right: pa.Array,
        thresholds: Thresholds,
        *,
        one_site: OneSite | None = None,
        shared_id_counts: pa.Array | None = None,
    ) -> pa.Table:
        """Return the same table with the number of each verdict in ``verdicts.JUDGED``.

        Args:
            shared_id_counts: how many ids the two have in common, if a join has counted them.
        """
        sites = None if one_site is None else pc.fill_null(one_site.sites, -1)
        columns = _kernels.measure_and_judge_each_pair(
            self.rows,
            (left, right, shared_id_counts),
            _kernel_thresholds(thresholds, one_site),
            sites,
            self.jobs,
            None
            if self.mapped is None
            else replace(self, progress=None).kernel_callback_if_mapped_or_followed,
        )
        return pa.table([left, right, *columns], names=_JUDGED)


def spell_verdicts(pairs: pa.Table) -> pa.Table:
    """Return pairs of ``Evidence.judge_pairs_by_number`` with the words of their verdicts."""
    numbers = arrow.flat(pairs["verdict"])
    return pairs.set_column(len(_JUDGED) - 1, "verdict", _VERDICTS.take(numbers))


def lengths_and_digests_as_written(
    texts: pa.ChunkedArray, *, shingle_words: int, jobs: int
) -> dict[str, pa.Array]:
    """Return digests and lengths of texts as they are written, not of what counts of them."""
    plain = Evidence.from_texts(texts, Counting(shingle_words), jobs)
    names = ("length", "digest", "bytes_digest", "masked_digest")
    return {name: plain.field(name) for name in names}


def make_evidence_builder(
    counting: Counting, jobs: int, whole_hashes_above_shingles: int = LARGE
) -> _kernels.EvidenceBuilder:
    """Return what makes evidence of texts that come as ``arrow.kernel_chunks`` gives them.

    Sets of more than ``whole_hashes_above_shingles`` shingles keep their whole hashes.
    """
    limits, base = counting.word_count_limits, counting.base
    rule = _kernels.EvidenceRule(
        shingle_words=counting.shingle,
        shingle_characters=CHARACTERS,
        characters_below=limits.characters_below,
        whole_above=whole_hashes_above_shingles,
        masks=counting.kernel_mask_names,
        base=None if base is None else base.hashes,
        word_bounds=(limits.min_words, limits.max_words),
    )
    return _kernels.EvidenceBuilder(rule, jobs)


def _kernel_thresholds(
    thresholds: Thresholds, one_site: OneSite | None = None
) -> _kernels.PairThresholds:
    """Return what counts as alike, as the kernels take it."""
    resemblance, containment, of_one_site = (
        None if least is None else kernel_ratio_at_most(least)
        for least in (
            thresholds.resemblance,
            thresholds.containment,
            None if one_site is None else one_site.min_resemblance,
        )
    )
    return _kernels.PairThresholds(
        resemblance=resemblance,
        containment=containment,
        any_numbers=thresholds.numbers_only_is_alike,
        site_resemblance=of_one_site,
    )


class TextEvidence(NamedTuple):
    """The evidence of one text: a row of ``arrow.EVIDENCE`` as plain values.

    A store measures one text against a few others: on rows that takes 20 us, and on columns some
    250 us (making the columns 56, judging and reading them 190), in a check of 800 us.
    Both forms are judged by the same function of the kernel.

    Attributes:
        digest, bytes_digest, masked_digest: 16 bytes each; None if a text has none.
        length: bytes of the text; None if it is not known.
        words: how many words it has.
        wide: whether its word shingles are 64-bit hashes, as those of a large set are.
        word_shingles: its set of word shingles: hashes, or ids, which are their upper halves;
            little-endian, ascending.
        character_shingles: its set of character shingles, as ids; None if no pair needs it.
    """

    digest: bytes | None
    bytes_digest: bytes | None
    masked_digest: bytes | None
    length: int | None
    words: int
    wide: bool
    word_shingles: bytes
    character_shingles: bytes | None

    @property
    def length_class(self) -> int:
        """Whether it is ``SHORT``, ``MIDDLE`` or ``LONG``."""
        return _kernels.length_class(self.words)

    def with_lengths_and_unemptied_digests_of(self, as_written: TextEvidence) -> TextEvidence:
        """Return the same sets, as the method of ``Evidence`` of that name does."""
        is_emptied = self.digest is None and bool(self.length)
        return self._replace(
            digest=None if is_emptied else as_written.digest,
            bytes_digest=as_written.bytes_digest,
            masked_digest=None if is_emptied else as_written.masked_digest,
            length=as_written.length,
        )


class JudgedPair(NamedTuple):
    """What the left text of a pair is to the right one.

    Attributes:
        place: of the pair.
        verdict: its name.
        resemblance, containment_left, containment_right: exact shares; None if the pair was not
            measured.
    """

    place: int
    verdict: str
    resemblance: float | None
    containment_left: float | None
    containment_right: float | None


def make_text_evidence(
    texts: pa.ChunkedArray,
    counting: Counting,
    jobs: int,
    group_numbers: pa.Array | None = None,
) -> list[TextEvidence]:
    """Return the evidence of each text; with the numbers of their groups (``uint32``), the sets of
    two groups share nothing. Other arguments as for ``Evidence.from_texts``.
    """
    builder, begin = make_evidence_builder(counting, jobs), 0
    for chunk in arrow.kernel_chunks(counting.replace_programs_by_words_if_as_code(texts, None)):
        builder.add(
            chunk, None if group_numbers is None else group_numbers.slice(begin, len(chunk))
        )
        begin += len(chunk)
    every = list(map(TextEvidence._make, builder.take_rows()))
    if counting.as_ is None:
        return every
    plain = make_text_evidence(texts, Counting(counting.shingle), jobs)
    return [
        one.with_lengths_and_unemptied_digests_of(original)
        for one, original in zip(every, plain, strict=True)
    ]


def select_pairs_not_different(
    evidence: Sequence[TextEvidence | None],
    left: Sequence[int],
    right: Sequence[int],
    thresholds: Thresholds,
) -> list[JudgedPair]:
    """Judge pairs of rows as ``Evidence.judge_pairs`` does, and leave out those that are different.

    A pair with a row that has no evidence is left out too.
    """
    columns = _kernels.judge_known_pairs_dropping_different(
        evidence, left, right, _kernel_thresholds(thresholds)
    )
    return [
        JudgedPair(
            place=place,
            verdict=verdicts.JUDGED[verdict],
            resemblance=resemblance,
            containment_left=containment_left,
            containment_right=containment_right,
        )
        for place, verdict, resemblance, containment_left, containment_right in columns
    ]
