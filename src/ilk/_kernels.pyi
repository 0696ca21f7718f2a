"""The compiled kernels: Arrow columns in, Arrow columns out (see ``ilk.columns``)."""

from collections.abc import Callable, Sequence
from typing import Self, TypeAlias, final

import pyarrow as pa

_Progress: TypeAlias = Callable[[float], object]
# The least share that counts: numerator and denominator.
_Threshold: TypeAlias = tuple[int, int]
# Pairs of rows: left, right, and how many ids the two share, or their distance.
_RowPairs: TypeAlias = tuple[pa.Array, pa.Array, pa.Array]
# What texts are joined by: their numbers of words, whole hashes, and shingles of characters.
_SetsToSend: TypeAlias = tuple[pa.Array, pa.Array, pa.Array]
# Runs of words: per run the row of its text, its first word, and the word after the last.
_WordRuns: TypeAlias = tuple[pa.Array, pa.Array, pa.Array]
# Copies of passages: place, place of the first, number of grams.
_Copies: TypeAlias = tuple[pa.Array, pa.Array, pa.Array]
# Sets of words, of characters, the kind of each text, whole hashes, and the threshold that counts.
_SetsByTextKind: TypeAlias = tuple[pa.Array, pa.Array, pa.Array, pa.Array, _Threshold]
# Per row the first row of an equal fingerprint; and pairs of such rows: left, right, distance.
_FirstRowsAndPairs: TypeAlias = tuple[pa.Array, pa.Array, pa.Array, pa.Array]
# Left and right documents, and how many shingles each left and each right one has.
_DocumentEdgesWithSizes: TypeAlias = tuple[pa.Array, pa.Array, pa.Array, pa.Array]
# The number of bare characters of each text, its long shingles, and its short ones.
_BareLengthsAndNoiseSets: TypeAlias = tuple[pa.Array, pa.Array, pa.Array]
# Of each pair its kind and its wrong characters; of each text the number of its bare characters.
_KindsErrorsAndTextLengths: TypeAlias = tuple[pa.Array, pa.Array, pa.Array]
# The keeper of every row, and of a keeper the row outside its cluster that is most alike, or null.
_KeepersAndMostAlikeOutside: TypeAlias = tuple[pa.Array, pa.Array]
# A text as UTF-8, the name of its encoding, and whether U+FFFD stands for some of its bytes.
_DecodedUtf8: TypeAlias = tuple[bytes, str, bool]
# Scheme, host, and path with query.
_SchemeHostPathWithQuery: TypeAlias = tuple[str, str, str]
# Place, number of the verdict, resemblance, containment of the left and of the right one.
_PlacedVerdict: TypeAlias = tuple[int, int, float, float, float]
# The values of three columns of sets: ids of words, their hashes, ids of characters.
_SetValues: TypeAlias = tuple[pa.Array, pa.Array, pa.Array]
# The numbers of a set as bytes, and whether they are whole hashes.
_PackedSet: TypeAlias = tuple[bytes, bool]
# The fields of ilk.search.evidence.TextEvidence, in their order.
_EvidenceRow: TypeAlias = tuple[
    bytes | None, bytes | None, bytes | None, int | None, int, bool, bytes, bytes | None
]
# The fields of ilk.read.rows.delimited.RowCut, in their order.
_BadRows: TypeAlias = tuple[pa.Array, pa.Array, pa.Array, pa.Array]
_FieldColumns: TypeAlias = tuple[pa.Array, pa.Array]
_RowCut: TypeAlias = tuple[
    int,
    int,
    pa.Array,
    pa.Array,
    pa.Array,
    pa.Array,
    int,
    _BadRows,
    list[_FieldColumns],
]

__all__ = [
    "CHOICES",
    "LENGTH_CLASSES",
    "LONG_FROM_WORDS",
    "RUN_WORDS",
    "SHORT_BELOW_WORDS",
    "VERDICTS",
    "WORDLESS_BYTES",
    "AgreementConditions",
    "Anchoring",
    "ArrayLines",
    "BytesDigest",
    "Collection",
    "CsvFields",
    "CsvHeader",
    "DocumentWords",
    "EvidenceBuilder",
    "EvidenceGatherer",
    "EvidencePart",
    "EvidenceRule",
    "HammingIndex",
    "JoinLimits",
    "JoinPlan",
    "JsonFields",
    "NoiseSetRule",
    "PairThresholds",
    "Recipe",
    "RepeatedRuns",
    "SelectedGrams",
    "SetKeys",
    "SetQuestion",
    "SpillRoom",
    "UrlRules",
    "Weights",
    "WrongCharacters",
    "align_pairs_with_text_lengths",
    "assign_portions_or_null_if_alone",
    "checksum_remaining_postings",
    "cluster_anchored",
    "cluster_connected",
    "concatenate_records_by_place",
    "connect_fingerprints",
    "containment_join",
    "containment_self_join",
    "count_equal_flat_minima",
    "count_shared_ids",
    "count_texts_by_cell_rounded",
    "count_words",
    "count_wrong_characters",
    "cut_postings_into_buckets",
    "decode_by_label_keeping_bom",
    "digest_contents",
    "digest_file_beginnings",
    "digest_texts",
    "drop_blocks_by_hash",
    "evidence_rows_to_column",
    "find_block",
    "find_copies",
    "find_families",
    "find_first_equal_rows_or_null",
    "find_keepers_and_most_alike_outside",
    "find_largest_containers",
    "find_near_fingerprints",
    "find_shingle_cells",
    "find_whole_units",
    "gather_csv_rows",
    "gather_json_rows",
    "hamming_join",
    "hamming_self_join",
    "hamming_self_join_of_first_rows",
    "hash_and_locate_words",
    "is_measured_by_characters",
    "is_set",
    "is_utf8_with_only_layout_controls",
    "judge_known_pairs_dropping_different",
    "length_class",
    "length_classes",
    "list_url_rules",
    "locate_existing_runs_in_bytes",
    "lower_threshold_for_merged_hashes",
    "make_band_records",
    "make_bare_lengths_and_noise_sets",
    "make_block_hash_sets",
    "make_candidate_forest_with_sizes",
    "make_feature_id_sets",
    "make_fingerprints",
    "make_flat_signatures_or_zeros",
    "make_rarest_shingle_records",
    "make_sketch_ids_and_places",
    "mark_plain_utf8_texts",
    "measure_and_judge_each_pair",
    "measure_cosine",
    "measure_distances",
    "merge_postings",
    "plan_hamming_join",
    "read_csv_header",
    "read_csv_rows",
    "read_json_rows",
    "read_small_nonempty_files",
    "resemblance_join",
    "resemblance_self_join",
    "sets_as_native_bytes_ignoring_nulls",
    "sets_from_bytes_assumed_ascending",
    "shift_sets_by_group",
    "sort_into_sets",
    "stat_sizes_mtimes_and_identities",
    "vector_instructions",
]

# A text of fewer words than the first is short; one of at least the second is long.
SHORT_BELOW_WORDS: int
LONG_FROM_WORDS: int
# The codes of the classes short, middle and long.
LENGTH_CLASSES: tuple[int, int, int]
RUN_WORDS: int
WORDLESS_BYTES: int
# What shows no set of a row, that of the first column, that of the second.
CHOICES: tuple[int, int, int]
# Verdicts by their numbers.
VERDICTS: tuple[str, ...]

@final
class AgreementConditions:
    def __new__(
        cls,
        *,
        least_agreement: _Threshold,
        least_scatter: float,
        failures_in_a_row: int,
        most_cells_for_moves: int,
    ) -> Self: ...

@final
class Anchoring:
    def __new__(
        cls,
        *,
        families: pa.Array,
        ranking: pa.Array,
        bridge_left: pa.Array,
        bridge_right: pa.Array,
        known_keepers: pa.Array,
    ) -> Self: ...

@final
class ArrayLines:
    def __new__(cls) -> Self: ...
    def rewrite_in_place_unchecked(self, memory: memoryview) -> None: ...

@final
class BytesDigest:
    def __new__(cls) -> Self: ...
    def add(self, piece: pa.Array) -> None: ...
    def value(self) -> bytes: ...

@final
class Collection:
    def __new__(cls, jobs: int, unit: str = "words", least_words: int = 1) -> Self: ...
    def add(self, texts: pa.Array, unmatchable_block_hashes: pa.Array | None = None) -> None: ...
    @property
    def nbytes(self) -> int: ...
    def document_ends(self) -> pa.Array: ...
    def find_repeated_outside_base(
        self,
        least_words: int,
        progress: _Progress | None = None,
        base_document_count: int = 0,
        reference_document_count: int = 0,
    ) -> RepeatedRuns: ...
    def hand_over_new_words_and_grams(
        self, gram_words: int
    ) -> tuple[pa.Array, pa.Array, pa.Array]: ...

@final
class CsvFields:
    def __new__(
        cls, *, count: int, texts: list[int], id: int | None, others: list[int] = ...
    ) -> Self: ...

@final
class CsvHeader:
    @property
    def names(self) -> list[str]: ...
    @property
    def start(self) -> int: ...
    @property
    def end(self) -> int: ...

@final
class DocumentWords:
    def __new__(cls, *, hashes: pa.Array, document_ends: pa.Array) -> Self: ...

@final
class EvidenceBuilder:
    def __new__(cls, rule: EvidenceRule, jobs: int) -> Self: ...
    def add(self, texts: pa.Array, groups: pa.Array | None = None) -> None: ...
    def take_and_append_part(
        self, part: EvidencePart, texts: pa.Array, groups: pa.Array | None = None
    ) -> None: ...
    def hand_over_set_values(self) -> _SetValues: ...
    def make_gatherer_sharing_seen_digests(self) -> EvidenceGatherer: ...
    @property
    def nbytes_not_handed_over(self) -> int: ...
    def take_column(self, values: _SetValues | None = None) -> pa.StructArray: ...
    def take_rows(self) -> list[_EvidenceRow]: ...

@final
class EvidenceGatherer:
    def gather_part(
        self, number: int, texts: pa.Array, groups: pa.Array | None = None
    ) -> EvidencePart: ...

@final
class EvidencePart: ...

@final
class EvidenceRule:
    def __new__(
        cls,
        *,
        shingle_words: int,
        shingle_characters: int,
        characters_below: int,
        whole_above: int,
        masks: list[str] = ...,
        base: pa.Array | None = None,
        word_bounds: tuple[int, int] = ...,
    ) -> Self: ...

@final
class HammingIndex:
    def __new__(cls, wide: bool, radius: int) -> Self: ...
    def __len__(self) -> int: ...
    def __contains__(self, key: int, /) -> bool: ...
    def add(self, fingerprints: pa.Array, ids: pa.Array) -> None: ...
    @property
    def nbytes(self) -> int: ...
    def query(self, fingerprint: int | bytes, radius: int) -> list[tuple[int, int]]: ...
    def query_if_u64_and_quick(self, fingerprint: object) -> list[tuple[int, int]] | None: ...
    def query_many(
        self, fingerprints: pa.Array, radius: int, max_pairs: int, progress: _Progress | None = None
    ) -> tuple[pa.Array, pa.Array, pa.Array]: ...
    def remove(self, ids: pa.Array) -> None: ...

@final
class JoinLimits:
    def __new__(cls, *, max_pairs: int, memory: int, threads: int) -> Self: ...

@final
class JoinPlan:
    @property
    def tables(self) -> int: ...
    @property
    def matched_bits(self) -> float: ...
    @property
    def slices(self) -> int: ...
    @property
    def seconds(self) -> float: ...
    @property
    def memory(self) -> int: ...

@final
class JsonFields:
    def __new__(cls, *, texts: list[str], id: str | None, others: list[str] = ...) -> Self: ...

@final
class NoiseSetRule:
    def __new__(
        cls, *, width: int, most_ids: int, least_length: int, short_width: int, short_below: int
    ) -> Self: ...

@final
class PairThresholds:
    def __new__(
        cls,
        *,
        resemblance: _Threshold | None,
        containment: _Threshold | None,
        any_numbers: bool,
        site_resemblance: _Threshold | None = None,
    ) -> Self: ...

@final
class Recipe:
    def __new__(
        cls,
        *,
        kind: str,
        bits: int,
        unit: str,
        width: int,
        weight: str,
        ties: str,
        normalisation: str,
        masks: list[str],
        stop_words: list[str],
        minimum: int,
        hash_name: str,
        key: bytes | None,
        table: Weights | None,
    ) -> Self: ...

@final
class RepeatedRuns:
    @staticmethod
    def from_copies(
        words: DocumentWords,
        least_words: int,
        copies_by_part: list[_Copies],
        progress: _Progress | None = None,
        base_document_count: int = 0,
        reference_document_count: int = 0,
    ) -> RepeatedRuns: ...
    def count_words_elsewhere_before_inside(
        self, groups: pa.Array | None = None
    ) -> list[pa.Array]: ...
    def count_words(self) -> pa.Array: ...
    def find_documents_to_drop(
        self,
        ranking: pa.Array,
        baseline_size: int,
        most_repeated_share: _Threshold,
        groups: pa.Array | None = None,
    ) -> list[int]: ...
    def find_all_places_of_run(
        self, document: int, first_word: int, end_word: int
    ) -> tuple[pa.Array, pa.Array]: ...
    def find_longest_runs_with_other_place(
        self, groups: pa.Array | None = None, first_document: int = 0, end_document: int = ...
    ) -> list[pa.Array]: ...
    def find_words_to_cut(
        self, groups: pa.Array | None = None, ranking: pa.Array | None = None
    ) -> list[pa.Array]: ...

@final
class SelectedGrams:
    def __new__(cls, *, values: pa.Array, positions: pa.Array) -> Self: ...

@final
class SetKeys:
    @staticmethod
    def of_parts(threshold: _Threshold) -> SetKeys: ...
    @staticmethod
    def of_rare_values(
        sample: Sequence[_PackedSet], threshold: _Threshold, hits: int
    ) -> SetKeys: ...
    @staticmethod
    def with_frequencies(frequencies: bytes, threshold: _Threshold, hits: int) -> SetKeys: ...
    def frequencies(self) -> bytes: ...
    def make_postings(
        self, sets: Sequence[_PackedSet], ids: Sequence[int], take_back: bool
    ) -> bytes: ...
    def make_question_empty_if_below_threshold(
        self, sets: Sequence[_PackedSet], threshold: _Threshold
    ) -> SetQuestion: ...

@final
class SetQuestion:
    def find_buckets(self, bits: int) -> list[int]: ...
    def meet_postings_and_count_all_hits(self, postings: bytes) -> int: ...
    def take_answers(self) -> tuple[list[int], list[int]]: ...

@final
class SpillRoom:
    def __new__(cls, *, reserve: int, folder: str) -> Self: ...

@final
class UrlRules:
    def __new__(cls, names: list[str], dropped_parameters: list[str]) -> Self: ...
    def canonicalise_if_absolute(self, url: str) -> str | None: ...
    def canonicalise_all(self, urls: pa.Array) -> pa.Array: ...
    def explain(self, url: str) -> list[tuple[str, str, str]] | None: ...
    def split_canonical_web_url(self, url: str) -> _SchemeHostPathWithQuery | None: ...
    def to_surt(self, url: str) -> str | None: ...

@final
class Weights:
    def __new__(cls, ids: pa.Array, weights: pa.Array, default: int) -> Self: ...

@final
class WrongCharacters:
    @property
    def whole(self) -> int: ...
    @property
    def within(self) -> int: ...
    @property
    def left_length(self) -> int: ...
    @property
    def right_length(self) -> int: ...
    @property
    def scatter(self) -> float: ...

def align_pairs_with_text_lengths(
    texts: pa.Array,
    pairs: tuple[pa.Array, pa.Array, pa.Array],
    conditions: AgreementConditions,
    jobs: int,
    progress: _Progress | None = None,
) -> _KindsErrorsAndTextLengths: ...
def assign_portions_or_null_if_alone(
    texts: _SetsByTextKind, families: pa.Array, reserve: int
) -> pa.Array: ...
def checksum_remaining_postings(postings: bytes) -> int: ...
def cluster_anchored(ranking: pa.Array, left: pa.Array, right: pa.Array) -> pa.Array: ...
def cluster_connected(ranking: pa.Array, left: pa.Array, right: pa.Array) -> pa.Array: ...
def concatenate_records_by_place(records: pa.Array, places: int) -> pa.Array: ...
def connect_fingerprints(
    fingerprints: pa.Array, radius: int, progress: _Progress | None = None
) -> pa.Array: ...
def containment_join(
    left: pa.Array,
    right: pa.Array,
    threshold: _Threshold,
    max_pairs: int,
    progress: _Progress | None = None,
) -> _RowPairs: ...
def containment_self_join(
    sets: pa.Array,
    threshold: _Threshold,
    max_pairs: int,
    progress: _Progress | None = None,
) -> _RowPairs: ...
def count_equal_flat_minima(left: pa.Array, right: pa.Array, minima_per_text: int) -> pa.Array: ...
def count_shared_ids(sets: pa.Array, left: pa.Array, right: pa.Array) -> pa.Array: ...
def count_texts_by_cell_rounded(cells: pa.Array, bits: int) -> pa.Array: ...
def count_words(texts: pa.Array, normalisation: str, jobs: int) -> pa.Array: ...
def count_wrong_characters(left: str, right: str) -> WrongCharacters: ...
def cut_postings_into_buckets(
    postings: bytes, bits: int, first_bucket: int, bucket_count: int
) -> list[bytes]: ...
def decode_by_label_keeping_bom(label: str, data: bytes) -> _DecodedUtf8 | None: ...
def digest_contents(contents: pa.Array) -> pa.Array: ...
def digest_file_beginnings(
    paths: pa.Array, open_flags: pa.Array, expected_sizes: pa.Array, most_bytes: int
) -> pa.Array: ...
def digest_texts(
    texts: pa.Array, normalisation: str, jobs: int, masks: list[str] = ...
) -> pa.Array: ...
def drop_blocks_by_hash(
    texts: pa.Array, normalisation: str, ascending_block_hashes: pa.Array, jobs: int
) -> pa.Array: ...
def evidence_rows_to_column(rows: Sequence[_EvidenceRow]) -> pa.StructArray: ...
def find_block(text: str, normalisation: str, block_hash: int) -> str | None: ...
def find_copies(
    words: DocumentWords,
    selected: SelectedGrams,
    gram_words: int,
    part: int,
    parts: int,
    progress: _Progress | None = None,
) -> _Copies: ...
def find_families(
    texts: _SetsByTextKind,
    threshold: _Threshold,
    baseline_size: int,
    room: SpillRoom,
    jobs: int,
    progress: _Progress | None = None,
) -> pa.Array: ...
def find_first_equal_rows_or_null(digests: pa.Array) -> pa.Array: ...
def find_keepers_and_most_alike_outside(
    sets: pa.Array,
    threshold: _Threshold,
    anchoring: Anchoring,
    jobs: int,
    progress: _Progress | None = None,
) -> _KeepersAndMostAlikeOutside: ...
def find_largest_containers(
    sets: pa.Array, threshold: _Threshold, progress: _Progress | None = None
) -> pa.Array: ...
def find_near_fingerprints(
    fingerprint: bytes, packed: bytes, radius: int
) -> list[tuple[int, int]]: ...
def find_shingle_cells(sets: _SetsToSend, bits: int) -> pa.Array: ...
def find_whole_units(
    texts: pa.Array, runs: _WordRuns, unit: str, jobs: int
) -> tuple[pa.Array, pa.Array]: ...
def gather_csv_rows(
    piece: pa.Array, delimiter: int, wanted: pa.Array, notes: pa.Array | None = None
) -> pa.Array: ...
def gather_json_rows(
    piece: pa.Array, wanted: pa.Array, notes: pa.Array | None = None
) -> pa.Array: ...
def hamming_join(
    left: pa.Array,
    right: pa.Array,
    radius: int,
    limits: JoinLimits,
    progress: _Progress | None = None,
) -> _RowPairs: ...
def hamming_self_join(
    fingerprints: pa.Array,
    radius: int,
    limits: JoinLimits,
    progress: _Progress | None = None,
) -> _RowPairs: ...
def hamming_self_join_of_first_rows(
    fingerprints: pa.Array,
    radius: int,
    limits: JoinLimits,
    progress: _Progress | None = None,
) -> _FirstRowsAndPairs: ...
def hash_and_locate_words(text: str, normalisation: str) -> tuple[pa.Array, pa.Array, pa.Array]: ...
def is_measured_by_characters(words: int, other_words: int) -> bool: ...
def is_set(packed: bytes, wide: bool) -> bool: ...
def is_utf8_with_only_layout_controls(data: bytes) -> bool: ...
def judge_known_pairs_dropping_different(
    texts: Sequence[_EvidenceRow | None],
    left: Sequence[int],
    right: Sequence[int],
    thresholds: PairThresholds,
) -> list[_PlacedVerdict]: ...
def list_url_rules() -> list[tuple[str, str]]: ...
def length_class(words: int) -> int: ...
def length_classes(words: pa.Array) -> pa.UInt8Array: ...
def locate_existing_runs_in_bytes(
    texts: pa.Array, runs: _WordRuns, jobs: int
) -> tuple[pa.Array, pa.Array]: ...
def lower_threshold_for_merged_hashes(
    threshold: _Threshold, ids: int, merged_hashes: int
) -> _Threshold: ...
def make_band_records(
    docs: pa.Array, sets: _SetsToSend, bands: int, band_width: int
) -> pa.Array: ...
def make_bare_lengths_and_noise_sets(
    texts: pa.Array, rule: NoiseSetRule, jobs: int
) -> _BareLengthsAndNoiseSets: ...
def make_block_hash_sets(texts: pa.Array, normalisation: str, jobs: int) -> pa.Array: ...
def make_candidate_forest_with_sizes(
    records: pa.Array, threshold: _Threshold, radius: int
) -> _DocumentEdgesWithSizes: ...
def make_feature_id_sets(texts: pa.Array, recipe: Recipe, jobs: int) -> pa.Array: ...
def make_fingerprints(texts: pa.Array, recipe: Recipe, jobs: int) -> tuple[pa.Array, pa.Array]: ...
def make_flat_signatures_or_zeros(
    texts: pa.Array, recipe: Recipe, minima_per_text: int, jobs: int
) -> tuple[pa.Array, pa.Array]: ...
def make_rarest_shingle_records(
    docs: pa.Array, sets: _SetsToSend, frequencies: pa.Array, threshold: _Threshold
) -> pa.Array: ...
def make_sketch_ids_and_places(
    texts: pa.Array, recipe: Recipe, method: str, number: int, jobs: int
) -> tuple[pa.Array, pa.Array]: ...
def mark_plain_utf8_texts(
    contents: pa.Array,
    beginnings_of_formats: Sequence[bytes],
    early_marks_of_formats: Sequence[bytes],
) -> list[bool]: ...
def measure_and_judge_each_pair(
    evidence: pa.StructArray,
    pairs: tuple[pa.Array, pa.Array, pa.Array | None],
    thresholds: PairThresholds,
    sites: pa.Array | None,
    jobs: int,
    progress: _Progress | None = None,
) -> list[pa.Array]: ...
def measure_cosine(left: str, right: str, recipe: Recipe) -> float | None: ...
def measure_distances(left: pa.Array, right: pa.Array) -> pa.Array: ...
def merge_postings(runs: Sequence[bytes]) -> bytes: ...
def plan_hamming_join(rows: int, bits: int, radius: int, memory: int) -> JoinPlan: ...
def read_csv_header(piece: pa.Array, last: bool, delimiter: int) -> CsvHeader | None: ...
def read_csv_rows(
    piece: pa.Array, last: bool, delimiter: int, fields: CsvFields, wanted: pa.Array | None
) -> _RowCut: ...
def read_json_rows(
    piece: pa.Array, last: bool, fields: JsonFields, wanted: pa.Array | None
) -> _RowCut: ...
def read_small_nonempty_files(
    paths: pa.Array, open_flags: pa.Array, bytes_below: int, bytes_together: int
) -> tuple[pa.Array, pa.Array]: ...
def resemblance_join(
    left: pa.Array,
    right: pa.Array,
    threshold: _Threshold,
    max_pairs: int,
    jobs: int,
    progress: _Progress | None = None,
) -> _RowPairs: ...
def resemblance_self_join(
    sets: pa.Array,
    threshold: _Threshold,
    max_pairs: int,
    jobs: int,
    progress: _Progress | None = None,
) -> _RowPairs: ...
def sets_as_native_bytes_ignoring_nulls(sets: pa.Array) -> pa.Array: ...
def sets_from_bytes_assumed_ascending(packed: pa.Array, wide: bool) -> pa.Array: ...
def shift_sets_by_group(sets: pa.Array, groups: pa.Array) -> pa.Array: ...
def sort_into_sets(lists: pa.Array) -> pa.Array: ...
def stat_sizes_mtimes_and_identities(
    paths: pa.Array, follow_links: pa.Array
) -> tuple[pa.Array, pa.Array, pa.Array]: ...
def vector_instructions() -> str: ...
