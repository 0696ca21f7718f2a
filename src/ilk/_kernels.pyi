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
    "BOTH_WORDS",
    "CHOICES",
    "RUN_WORDS",
    "SHORT_WORDS",
    "TEXT_KINDS",
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
    "align_pairs",
    "assign_portions",
    "checksum_postings",
    "cluster_anchored",
    "cluster_connected",
    "cluster_sets_anchored",
    "connect_fingerprints",
    "containment_join",
    "containment_self_join",
    "count_equal_minima",
    "count_shared_ids",
    "count_texts_by_cell",
    "count_words",
    "count_wrong_characters",
    "cut_postings_into_buckets",
    "decode_by_label",
    "digest_contents",
    "digest_files",
    "digest_masked_texts",
    "digest_texts",
    "find_block",
    "find_copies",
    "find_families",
    "find_first_rows",
    "find_largest_containers",
    "find_near_fingerprints",
    "find_shingle_cells",
    "find_whole_units",
    "gather_csv_rows",
    "gather_json_rows",
    "hamming_join",
    "hamming_join_equal_groups",
    "hamming_self_join",
    "hash_blocks",
    "is_plain_utf8",
    "is_set",
    "judge_evidence_rows",
    "judge_pairs",
    "list_url_rules",
    "locate_bare_characters",
    "locate_word_runs",
    "locate_words",
    "lower_threshold_for_merged_hashes",
    "make_band_records",
    "make_candidate_forest",
    "make_feature_sets",
    "make_fingerprints",
    "make_noise_sets",
    "make_rarest_shingle_records",
    "make_shingle_hash_sets",
    "make_shingle_id_sets",
    "make_signatures",
    "make_simhashes",
    "make_sketches",
    "measure_cosine",
    "measure_distances",
    "merge_postings",
    "plan_hamming_join",
    "read_csv_header",
    "read_csv_rows",
    "read_file_facts",
    "read_json_rows",
    "read_small_files",
    "resemblance_join",
    "resemblance_self_join",
    "sets_from_bytes",
    "sets_to_bytes",
    "share_out_records",
    "shift_sets_by_group",
    "sort_into_sets",
    "vector_instructions",
    "without_blocks",
]

# Texts of fewer words than the first are measured by characters where the other has fewer than the
# second.
SHORT_WORDS: int
BOTH_WORDS: int
RUN_WORDS: int
WORDLESS_BYTES: int
# What shows no set of a row, that of the first column, that of the second.
CHOICES: tuple[int, int, int]
# A text that is not joined; one measured by characters; one measured so beside a short one alone;
# one measured by words.
TEXT_KINDS: tuple[int, int, int, int]
# Verdicts by their numbers.
VERDICTS: tuple[str, ...]

@final
class AgreementConditions:
    def __new__(
        cls, *, agreement: _Threshold, scatter: float, patience: int, moves: int
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
    def rewrite_in_place(self, memory: memoryview) -> None: ...

@final
class BytesDigest:
    def __new__(cls) -> Self: ...
    def add(self, piece: pa.Array) -> None: ...
    def value(self) -> bytes: ...

@final
class Collection:
    def __new__(cls, jobs: int, unit: str = "words", least_words: int = 1) -> Self: ...
    def add(self, texts: pa.Array, common: pa.Array | None = None) -> None: ...
    @property
    def nbytes(self) -> int: ...
    def document_ends(self) -> pa.Array: ...
    def find_repeated(
        self,
        least_words: int,
        progress: _Progress | None = None,
        base_size: int = 0,
        reference_size: int = 0,
    ) -> RepeatedRuns: ...
    def hand_over_words(self, gram_words: int) -> tuple[pa.Array, pa.Array, pa.Array]: ...

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
    def append_part(
        self, part: EvidencePart, texts: pa.Array, groups: pa.Array | None = None
    ) -> None: ...
    def hand_over_set_values(self) -> _SetValues: ...
    def make_gatherer(self) -> EvidenceGatherer: ...
    @property
    def nbytes(self) -> int: ...
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
        both_below: int,
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
    def query_if_quick(self, fingerprint: object) -> list[tuple[int, int]] | None: ...
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
        base_size: int = 0,
        reference_size: int = 0,
    ) -> RepeatedRuns: ...
    def count_shared_words(self, groups: pa.Array | None = None) -> list[pa.Array]: ...
    def count_words(self) -> pa.Array: ...
    def find_documents_to_drop(
        self,
        ranking: pa.Array,
        baseline_size: int,
        limit: _Threshold,
        groups: pa.Array | None = None,
    ) -> list[int]: ...
    def find_places(
        self, document: int, first_word: int, end_word: int
    ) -> tuple[pa.Array, pa.Array]: ...
    def find_runs(
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
    def make_question(self, sets: Sequence[_PackedSet], threshold: _Threshold) -> SetQuestion: ...

@final
class SetQuestion:
    def find_buckets(self, bits: int) -> list[int]: ...
    def meet_postings(self, postings: bytes) -> int: ...
    def take_answers(self) -> tuple[list[int], list[int]]: ...

@final
class SpillRoom:
    def __new__(cls, *, reserve: int, folder: str) -> Self: ...

@final
class UrlRules:
    def __new__(cls, names: list[str], dropped_parameters: list[str]) -> Self: ...
    def canonicalise(self, url: str) -> str | None: ...
    def canonicalise_all(self, urls: pa.Array) -> pa.Array: ...
    def explain(self, url: str) -> list[tuple[str, str, str]] | None: ...
    def split_canonical(self, url: str) -> tuple[str, str, str] | None: ...
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

def align_pairs(
    texts: pa.Array,
    pairs: tuple[pa.Array, pa.Array, pa.Array],
    conditions: AgreementConditions,
    jobs: int,
    progress: _Progress | None = None,
) -> tuple[pa.Array, pa.Array, pa.Array]: ...
def assign_portions(texts: tuple[object, ...], families: pa.Array, reserve: int) -> pa.Array: ...
def checksum_postings(postings: bytes) -> int: ...
def cluster_anchored(ranking: pa.Array, left: pa.Array, right: pa.Array) -> pa.Array: ...
def cluster_connected(ranking: pa.Array, left: pa.Array, right: pa.Array) -> pa.Array: ...
def cluster_sets_anchored(
    sets: pa.Array,
    threshold: _Threshold,
    anchoring: Anchoring,
    jobs: int,
    progress: _Progress | None = None,
) -> tuple[pa.Array, pa.Array]: ...
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
def count_equal_minima(left: pa.Array, right: pa.Array, minima: int) -> pa.Array: ...
def count_shared_ids(sets: pa.Array, left: pa.Array, right: pa.Array) -> pa.Array: ...
def count_texts_by_cell(cells: pa.Array, bits: int) -> pa.Array: ...
def count_words(texts: pa.Array, normalisation: str, jobs: int) -> pa.Array: ...
def count_wrong_characters(left: str, right: str) -> WrongCharacters: ...
def cut_postings_into_buckets(
    postings: bytes, bits: int, first_bucket: int, bucket_count: int
) -> list[bytes]: ...
def decode_by_label(label: str, data: bytes) -> tuple[bytes, str, bool] | None: ...
def digest_contents(contents: pa.Array) -> pa.Array: ...
def digest_files(
    paths: pa.Array, open_flags: pa.Array, sizes: pa.Array, most_bytes: int
) -> pa.Array: ...
def digest_masked_texts(texts: pa.Array, normalisation: str, jobs: int) -> pa.Array: ...
def digest_texts(
    texts: pa.Array, normalisation: str, jobs: int, masks: list[str] = ...
) -> pa.Array: ...
def find_block(text: str, normalisation: str, block_hash: int) -> str | None: ...
def find_largest_containers(
    sets: pa.Array, threshold: _Threshold, progress: _Progress | None = None
) -> pa.Array: ...
def find_copies(
    words: DocumentWords,
    selected: SelectedGrams,
    gram_words: int,
    part: int,
    parts: int,
    progress: _Progress | None = None,
) -> _Copies: ...
def find_families(
    texts: tuple[object, ...],
    threshold: _Threshold,
    baseline_size: int,
    room: SpillRoom,
    jobs: int,
    progress: _Progress | None = None,
) -> pa.Array: ...
def find_first_rows(digests: pa.Array) -> pa.Array: ...
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
def hamming_join_equal_groups(
    fingerprints: pa.Array,
    radius: int,
    limits: JoinLimits,
    progress: _Progress | None = None,
) -> tuple[pa.Array, pa.Array, pa.Array, pa.Array]: ...
def hamming_self_join(
    fingerprints: pa.Array,
    radius: int,
    limits: JoinLimits,
    progress: _Progress | None = None,
) -> _RowPairs: ...
def hash_blocks(texts: pa.Array, normalisation: str, jobs: int) -> pa.Array: ...
def is_plain_utf8(data: bytes) -> bool: ...
def is_set(packed: bytes, wide: bool) -> bool: ...
def judge_evidence_rows(
    texts: Sequence[_EvidenceRow | None],
    left: Sequence[int],
    right: Sequence[int],
    thresholds: PairThresholds,
) -> list[tuple[int, int, float, float, float]]: ...
def judge_pairs(
    evidence: pa.StructArray,
    pairs: tuple[pa.Array, pa.Array, pa.Array | None],
    thresholds: PairThresholds,
    sites: pa.Array | None,
    jobs: int,
    progress: _Progress | None = None,
) -> list[pa.Array]: ...
def list_url_rules() -> list[tuple[str, str]]: ...
def locate_bare_characters(text: str) -> tuple[pa.Array, pa.Array, pa.Array]: ...
def locate_word_runs(texts: pa.Array, runs: _WordRuns, jobs: int) -> tuple[pa.Array, pa.Array]: ...
def locate_words(text: str, normalisation: str) -> tuple[pa.Array, pa.Array, pa.Array]: ...
def lower_threshold_for_merged_hashes(
    threshold: _Threshold, ids: int, merged_hashes: int
) -> _Threshold: ...
def make_band_records(
    docs: pa.Array, sets: _SetsToSend, bands: int, band_width: int
) -> pa.Array: ...
def make_candidate_forest(
    records: pa.Array, threshold: _Threshold, radius: int
) -> tuple[pa.Array, pa.Array, pa.Array, pa.Array]: ...
def make_feature_sets(texts: pa.Array, recipe: Recipe, jobs: int) -> pa.Array: ...
def make_fingerprints(texts: pa.Array, recipe: Recipe, jobs: int) -> tuple[pa.Array, pa.Array]: ...
def make_noise_sets(
    texts: pa.Array, rule: NoiseSetRule, jobs: int
) -> tuple[pa.Array, pa.Array, pa.Array]: ...
def make_rarest_shingle_records(
    docs: pa.Array, sets: _SetsToSend, frequencies: pa.Array, threshold: _Threshold
) -> pa.Array: ...
def make_shingle_hash_sets(
    texts: pa.Array, unit: str, width: int, normalisation: str, jobs: int
) -> pa.Array: ...
def make_shingle_id_sets(
    texts: pa.Array, unit: str, width: int, normalisation: str, most_shingles: int, jobs: int
) -> pa.Array: ...
def make_signatures(
    texts: pa.Array, recipe: Recipe, minima: int, jobs: int
) -> tuple[pa.Array, pa.Array]: ...
def make_simhashes(
    offsets: pa.Array, features: pa.Array, weights: pa.Array | None, bits: int, ties: str
) -> pa.Array: ...
def make_sketches(
    texts: pa.Array, recipe: Recipe, method: str, number: int, jobs: int
) -> tuple[pa.Array, pa.Array]: ...
def measure_cosine(left: str, right: str, recipe: Recipe) -> float | None: ...
def measure_distances(left: pa.Array, right: pa.Array) -> pa.Array: ...
def merge_postings(runs: Sequence[bytes]) -> bytes: ...
def plan_hamming_join(rows: int, bits: int, radius: int, memory: int) -> JoinPlan: ...
def read_csv_header(piece: pa.Array, last: bool, delimiter: int) -> CsvHeader | None: ...
def read_csv_rows(
    piece: pa.Array, last: bool, delimiter: int, fields: CsvFields, wanted: pa.Array | None
) -> _RowCut: ...
def read_file_facts(
    paths: pa.Array, follow_links: pa.Array
) -> tuple[pa.Array, pa.Array, pa.Array]: ...
def read_json_rows(
    piece: pa.Array, last: bool, fields: JsonFields, wanted: pa.Array | None
) -> _RowCut: ...
def read_small_files(
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
def sets_from_bytes(packed: pa.Array, wide: bool) -> pa.Array: ...
def sets_to_bytes(sets: pa.Array) -> pa.Array: ...
def share_out_records(records: pa.Array, places: int) -> pa.Array: ...
def shift_sets_by_group(sets: pa.Array, groups: pa.Array) -> pa.Array: ...
def sort_into_sets(lists: pa.Array) -> pa.Array: ...
def vector_instructions() -> str: ...
def without_blocks(
    texts: pa.Array, normalisation: str, common: pa.Array, jobs: int
) -> pa.Array: ...
