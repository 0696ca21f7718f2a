"""The compiled kernels: Arrow columns in, Arrow columns out (see ``ilk.columns``)."""

from collections.abc import Callable, Sequence
from typing import Self, TypeAlias, final

import pyarrow as pa

# A method of the index has this name too.
_Bytes: TypeAlias = bytes
_Progress: TypeAlias = Callable[[float], object]
_Bad: TypeAlias = tuple[pa.Array, pa.Array, pa.Array, pa.Array]
_Kept: TypeAlias = tuple[
    bytes | None, bytes | None, bytes | None, int | None, int, bool, bytes, bytes | None
]
_Columns: TypeAlias = list[tuple[pa.Array, pa.Array]]
_Rows: TypeAlias = tuple[int, int, pa.Array, pa.Array, pa.Array, pa.Array, int, _Bad, _Columns]

__all__ = [
    "BOTH_WORDS",
    "CHOICES",
    "RUN_WORDS",
    "SHORT_WORDS",
    "TEXT_KINDS",
    "VERDICTS",
    "WORDLESS_BYTES",
    "ArrayLines",
    "BytesDigest",
    "Collection",
    "EvidenceBuilder",
    "EvidenceGatherer",
    "EvidencePart",
    "HammingIndex",
    "Recipe",
    "Repeated",
    "SetKeys",
    "SetQuestion",
    "UrlRules",
    "Weights",
    "accumulate_features",
    "align_pairs",
    "band_records",
    "bare_places",
    "block_hashes",
    "bytes_digests",
    "candidate_forest",
    "cluster_anchored",
    "cluster_connected",
    "containers",
    "containment_join",
    "containment_self_join",
    "cosine",
    "count_cells",
    "csv_bytes",
    "csv_header",
    "csv_rows",
    "cut_postings",
    "decode_label",
    "digests",
    "distances",
    "equal_minima",
    "feature_sets",
    "file_digests",
    "file_facts",
    "find_block",
    "fingerprints",
    "first_rows",
    "hamming_connected",
    "hamming_groups",
    "hamming_join",
    "hamming_near",
    "hamming_plan",
    "hamming_self_join",
    "instructions",
    "intersect_pairs",
    "is_plain_utf8",
    "is_set",
    "json_bytes",
    "json_rows",
    "judge_kept",
    "judge_pairs",
    "lower_threshold",
    "masked_digests",
    "merge_postings",
    "noise_sets",
    "passage_copies",
    "postings_sum",
    "read_small_files",
    "records_of_rarest_shingles",
    "resemblance_join",
    "resemblance_self_join",
    "sets_anchored",
    "sets_from_bytes",
    "sets_to_bytes",
    "share_out_records",
    "shift_sets",
    "shingle_cells",
    "shingle_hashes",
    "shingle_ids",
    "signatures",
    "sketches",
    "sorted_sets",
    "text_families",
    "text_portions",
    "url_rules",
    "whole_units",
    "without_blocks",
    "word_counts",
    "word_places",
    "word_spans",
    "wrong_characters",
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
class ArrayLines:
    def __new__(cls) -> Self: ...
    def rewrite(self, memory: memoryview) -> None: ...

@final
class BytesDigest:
    def __new__(cls) -> Self: ...
    def add(self, piece: pa.Array) -> None: ...
    def value(self) -> bytes: ...

@final
class Collection:
    def __new__(cls, jobs: int, unit: str = "words", least: int = 1) -> Self: ...
    def add(self, texts: pa.Array, common: pa.Array | None = None) -> None: ...
    @property
    def nbytes(self) -> int: ...
    def ends(self) -> pa.Array: ...
    def hand_over(self, least: int) -> tuple[pa.Array, pa.Array, pa.Array]: ...
    def finish(
        self,
        least: int,
        progress: _Progress | None = None,
        base: int = 0,
        reference: int = 0,
    ) -> Repeated: ...

@final
class Repeated:
    @staticmethod
    def of_copies(
        hashes: pa.Array,
        ends: pa.Array,
        least: int,
        copies: list[tuple[pa.Array, pa.Array, pa.Array]],
        progress: _Progress | None = None,
        base: int = 0,
        reference: int = 0,
    ) -> Repeated: ...
    def cuts(
        self, groups: pa.Array | None = None, ranking: pa.Array | None = None
    ) -> list[pa.Array]: ...
    def dropped(
        self,
        ranking: pa.Array,
        held: int,
        numerator: int,
        denominator: int,
        groups: pa.Array | None = None,
    ) -> list[int]: ...
    def places(self, document: int, start: int, end: int) -> tuple[pa.Array, pa.Array]: ...
    def runs(
        self, groups: pa.Array | None = None, begin: int = 0, end: int = ...
    ) -> list[pa.Array]: ...
    def shares(self, groups: pa.Array | None = None) -> list[pa.Array]: ...
    def words(self) -> pa.Array: ...

@final
class EvidenceBuilder:
    def __new__(
        cls,
        shingle: int,
        characters: int,
        both: int,
        large: int,
        jobs: int,
        masks: list[str] = ...,
        base: pa.Array | None = None,
        bounds: tuple[int, int] = ...,
    ) -> Self: ...
    def add(self, texts: pa.Array, groups: pa.Array | None = None) -> None: ...
    def gatherer(self) -> EvidenceGatherer: ...
    def append(
        self, part: EvidencePart, texts: pa.Array, groups: pa.Array | None = None
    ) -> None: ...
    @property
    def nbytes(self) -> int: ...
    def hand_over(self) -> tuple[pa.Array, pa.Array, pa.Array]: ...
    def finish(
        self, values: tuple[pa.Array, pa.Array, pa.Array] | None = None
    ) -> pa.StructArray: ...
    def take_rows(self) -> list[_Kept]: ...

@final
class EvidenceGatherer:
    def gather(
        self, number: int, texts: pa.Array, groups: pa.Array | None = None
    ) -> EvidencePart: ...

@final
class EvidencePart: ...

@final
class HammingIndex:
    def __new__(cls, wide: bool, radius: int) -> Self: ...
    def __len__(self) -> int: ...
    def __contains__(self, key: int, /) -> bool: ...
    def add(self, fingerprints: pa.Array, ids: pa.Array) -> None: ...
    def bytes(self) -> int: ...
    def query(self, fingerprint: int | _Bytes, radius: int) -> list[tuple[int, int]]: ...
    def query_quickly(self, fingerprint: object) -> list[tuple[int, int]] | None: ...
    def query_many(
        self, fingerprints: pa.Array, radius: int, max_pairs: int, progress: _Progress | None = None
    ) -> tuple[pa.Array, pa.Array, pa.Array]: ...
    def remove(self, ids: pa.Array) -> None: ...

@final
class SetKeys:
    @staticmethod
    def rare(
        sample: Sequence[tuple[_Bytes, bool]], numerator: int, denominator: int, hits: int
    ) -> SetKeys: ...
    @staticmethod
    def in_order(order: _Bytes, numerator: int, denominator: int, hits: int) -> SetKeys: ...
    @staticmethod
    def parts(numerator: int, denominator: int) -> SetKeys: ...
    def asked(
        self, sets: Sequence[tuple[_Bytes, bool]], numerator: int, denominator: int
    ) -> SetQuestion: ...
    def order(self) -> bytes: ...
    def postings(
        self, sets: Sequence[tuple[_Bytes, bool]], ids: Sequence[int], gone: bool
    ) -> bytes: ...

@final
class SetQuestion:
    def buckets(self, bits: int) -> list[int]: ...
    def found(self) -> tuple[list[int], list[int]]: ...
    def meet(self, postings: _Bytes) -> int: ...

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
class Weights:
    def __new__(cls, ids: pa.Array, weights: pa.Array, default: int) -> Self: ...

@final
class UrlRules:
    def __new__(cls, names: list[str], without: list[str]) -> Self: ...
    def canonical(self, url: str) -> str | None: ...
    def canonical_many(self, urls: pa.Array) -> pa.Array: ...
    def explain(self, url: str) -> list[tuple[str, str, str]] | None: ...
    def place(self, url: str) -> tuple[str, str, str] | None: ...
    def surt(self, url: str) -> str | None: ...

def accumulate_features(
    offsets: pa.Array, features: pa.Array, weights: pa.Array | None, bits: int, ties: str
) -> pa.Array: ...
def cluster_anchored(ranking: pa.Array, left: pa.Array, right: pa.Array) -> pa.Array: ...
def band_records(
    docs: pa.Array,
    words: pa.Array,
    word_hashes: pa.Array,
    character_shingles: pa.Array,
    bands: int,
    width: int,
) -> pa.Array: ...
def block_hashes(texts: pa.Array, normalisation: str, jobs: int) -> pa.Array: ...
def bytes_digests(contents: pa.Array) -> pa.Array: ...
def candidate_forest(
    records: pa.Array, numerator: int, denominator: int, radius: int
) -> tuple[pa.Array, pa.Array, pa.Array, pa.Array]: ...
def cluster_connected(ranking: pa.Array, left: pa.Array, right: pa.Array) -> pa.Array: ...
def containers(
    sets: pa.Array, numerator: int, denominator: int, progress: _Progress | None = None
) -> pa.Array: ...
def containment_join(
    left: pa.Array,
    right: pa.Array,
    numerator: int,
    denominator: int,
    max_pairs: int,
    progress: _Progress | None = None,
) -> tuple[pa.Array, pa.Array, pa.Array]: ...
def containment_self_join(
    sets: pa.Array,
    numerator: int,
    denominator: int,
    max_pairs: int,
    progress: _Progress | None = None,
) -> tuple[pa.Array, pa.Array, pa.Array]: ...
def cosine(left: str, right: str, recipe: Recipe) -> float | None: ...
def count_cells(cells: pa.Array, bits: int) -> pa.Array: ...
def csv_bytes(
    piece: pa.Array, delimiter: int, wanted: pa.Array, notes: pa.Array | None = None
) -> pa.Array: ...
def csv_header(
    piece: pa.Array, last: bool, delimiter: int
) -> tuple[list[str], int, int] | None: ...
def csv_rows(
    piece: pa.Array,
    last: bool,
    delimiter: int,
    count: int,
    texts: list[int],
    id: int | None,
    wanted: pa.Array | None,
    others: list[int] = ...,
) -> _Rows: ...
def cut_postings(postings: _Bytes, bits: int, first: int, count: int) -> list[bytes]: ...
def decode_label(label: str, data: _Bytes) -> tuple[_Bytes, str, bool] | None: ...
def digests(texts: pa.Array, normalisation: str, jobs: int, masks: list[str] = ...) -> pa.Array: ...
def distances(left: pa.Array, right: pa.Array) -> pa.Array: ...
def equal_minima(left: pa.Array, right: pa.Array, size: int) -> pa.Array: ...
def feature_sets(texts: pa.Array, recipe: Recipe, jobs: int) -> pa.Array: ...
def file_digests(paths: pa.Array, flags: pa.Array, sizes: pa.Array, most: int) -> pa.Array: ...
def file_facts(paths: pa.Array, follow: pa.Array) -> tuple[pa.Array, pa.Array, pa.Array]: ...
def find_block(text: str, normalisation: str, digest: int) -> str | None: ...
def fingerprints(texts: pa.Array, recipe: Recipe, jobs: int) -> tuple[pa.Array, pa.Array]: ...
def first_rows(digests: pa.Array) -> pa.Array: ...
def hamming_connected(
    fingerprints: pa.Array, radius: int, progress: _Progress | None = None
) -> pa.Array: ...
def hamming_groups(
    fingerprints: pa.Array,
    radius: int,
    max_pairs: int,
    memory: int,
    threads: int,
    progress: _Progress | None = None,
) -> tuple[pa.Array, pa.Array, pa.Array, pa.Array]: ...
def hamming_join(
    left: pa.Array,
    right: pa.Array,
    radius: int,
    max_pairs: int,
    memory: int,
    threads: int,
    progress: _Progress | None = None,
) -> tuple[pa.Array, pa.Array, pa.Array]: ...
def hamming_near(fingerprint: _Bytes, packed: _Bytes, radius: int) -> list[tuple[int, int]]: ...
def hamming_plan(
    rows: int, bits: int, radius: int, memory: int
) -> tuple[int, float, int, float, int]: ...
def hamming_self_join(
    fingerprints: pa.Array,
    radius: int,
    max_pairs: int,
    memory: int,
    threads: int,
    progress: _Progress | None = None,
) -> tuple[pa.Array, pa.Array, pa.Array]: ...
def instructions() -> str: ...
def intersect_pairs(sets: pa.Array, left: pa.Array, right: pa.Array) -> pa.Array: ...
def is_plain_utf8(data: _Bytes) -> bool: ...
def is_set(packed: _Bytes, wide: bool) -> bool: ...
def judge_kept(
    texts: Sequence[_Kept | None],
    left: Sequence[int],
    right: Sequence[int],
    resemblance: tuple[int, int] | None,
    containment: tuple[int, int] | None,
    any_numbers: bool,
) -> list[tuple[int, int, float, float, float]]: ...
def judge_pairs(
    evidence: pa.StructArray,
    left: pa.Array,
    right: pa.Array,
    shared: pa.Array | None,
    resemblance: tuple[int, int] | None,
    containment: tuple[int, int] | None,
    any_numbers: bool,
    sites: pa.Array | None,
    site_least: tuple[int, int] | None,
    jobs: int,
    progress: _Progress | None = None,
) -> list[pa.Array]: ...
def json_bytes(piece: pa.Array, wanted: pa.Array, notes: pa.Array | None = None) -> pa.Array: ...
def json_rows(
    piece: pa.Array,
    last: bool,
    texts: list[str],
    id: str | None,
    wanted: pa.Array | None,
    others: list[str] = ...,
) -> _Rows: ...
def lower_threshold(numerator: int, denominator: int, ids: int, merged: int) -> tuple[int, int]: ...
def masked_digests(texts: pa.Array, normalisation: str, jobs: int) -> pa.Array: ...
def merge_postings(runs: Sequence[_Bytes]) -> bytes: ...
def postings_sum(postings: _Bytes) -> int: ...
def read_small_files(
    paths: pa.Array, flags: pa.Array, most: int, together: int
) -> tuple[pa.Array, pa.Array]: ...
def records_of_rarest_shingles(
    docs: pa.Array,
    words: pa.Array,
    word_hashes: pa.Array,
    character_shingles: pa.Array,
    frequencies: pa.Array,
    numerator: int,
    denominator: int,
) -> pa.Array: ...
def resemblance_join(
    left: pa.Array,
    right: pa.Array,
    numerator: int,
    denominator: int,
    max_pairs: int,
    jobs: int,
    progress: _Progress | None = None,
) -> tuple[pa.Array, pa.Array, pa.Array]: ...
def resemblance_self_join(
    sets: pa.Array,
    numerator: int,
    denominator: int,
    max_pairs: int,
    jobs: int,
    progress: _Progress | None = None,
) -> tuple[pa.Array, pa.Array, pa.Array]: ...
def sets_anchored(
    sets: pa.Array,
    families: pa.Array,
    ranking: pa.Array,
    numerator: int,
    denominator: int,
    left: pa.Array,
    right: pa.Array,
    given: pa.Array,
    jobs: int,
    progress: _Progress | None = None,
) -> tuple[pa.Array, pa.Array]: ...
def sets_from_bytes(packed: pa.Array, wide: bool) -> pa.Array: ...
def sets_to_bytes(sets: pa.Array) -> pa.Array: ...
def share_out_records(records: pa.Array, places: int) -> pa.Array: ...
def shingle_cells(
    words: pa.Array, word_hashes: pa.Array, character_shingles: pa.Array, bits: int
) -> pa.Array: ...
def shingle_hashes(
    texts: pa.Array, unit: str, width: int, normalisation: str, jobs: int
) -> pa.Array: ...
def shingle_ids(
    texts: pa.Array, unit: str, width: int, normalisation: str, most: int, jobs: int
) -> pa.Array: ...
def signatures(
    texts: pa.Array, recipe: Recipe, size: int, jobs: int
) -> tuple[pa.Array, pa.Array]: ...
def sketches(
    texts: pa.Array, recipe: Recipe, method: str, number: int, jobs: int
) -> tuple[pa.Array, pa.Array]: ...
def shift_sets(lists: pa.Array, groups: pa.Array) -> pa.Array: ...
def sorted_sets(lists: pa.Array) -> pa.Array: ...
def text_families(
    texts: tuple[object, ...],
    held: int,
    numerator: int,
    denominator: int,
    reserve: int,
    folder: str,
    jobs: int,
    progress: _Progress | None = None,
) -> pa.Array: ...
def text_portions(texts: tuple[object, ...], families: pa.Array, reserve: int) -> pa.Array: ...
def url_rules() -> list[tuple[str, str]]: ...
def without_blocks(
    texts: pa.Array, normalisation: str, common: pa.Array, jobs: int
) -> pa.Array: ...
def word_counts(texts: pa.Array, normalisation: str, jobs: int) -> pa.Array: ...
def word_places(text: str, normalisation: str) -> tuple[pa.Array, pa.Array, pa.Array]: ...
def passage_copies(
    hashes: pa.Array,
    ends: pa.Array,
    values: pa.Array,
    grams: pa.Array,
    least: int,
    part: int,
    parts: int,
    progress: _Progress | None = None,
) -> tuple[pa.Array, pa.Array, pa.Array]: ...
def whole_units(
    texts: pa.Array, rows: pa.Array, starts: pa.Array, ends: pa.Array, unit: str, jobs: int
) -> tuple[pa.Array, pa.Array]: ...
def word_spans(
    texts: pa.Array, rows: pa.Array, starts: pa.Array, ends: pa.Array, jobs: int
) -> tuple[pa.Array, pa.Array]: ...
def align_pairs(
    texts: pa.Array,
    left: pa.Array,
    right: pa.Array,
    may_have_moved: pa.Array,
    least: tuple[int, int],
    scatter: float,
    patience: int,
    moves: int,
    jobs: int,
    progress: _Progress | None = None,
) -> tuple[pa.Array, pa.Array, pa.Array]: ...
def bare_places(text: str) -> tuple[pa.Array, pa.Array, pa.Array]: ...
def noise_sets(
    texts: pa.Array, width: int, most: int, least: int, short_width: int, both: int, jobs: int
) -> tuple[pa.Array, pa.Array, pa.Array]: ...
def wrong_characters(left: str, right: str) -> tuple[int, int, int, int, float]: ...
