//! The binding: an Arrow column in, an Arrow column out, the GIL released once per call.
//!
//! Nothing is computed here, and only `files` reads files. Arguments become slices, kernels run
//! without the GIL, and their vectors become Arrow arrays without a copy.

use pyo3::prelude::*;

mod blocks;
mod columns;
mod constants;
mod encodings;
mod evidence;
mod evidence_rows;
mod external;
mod files;
mod fingerprints;
mod hamming;
mod index;
mod judge;
mod noise;
mod options;
mod packing;
mod pairs;
mod passages;
mod rows;
mod set_index;
mod shuffled;
mod texts;
mod urls;
mod watch;

/// The compiled kernels of ilk; `ilk` itself is the interface.
#[pymodule]
mod _kernels {
    #[pymodule_init]
    fn add_constants(module: &pyo3::Bound<'_, pyo3::types::PyModule>) -> pyo3::PyResult<()> {
        crate::constants::add_constants(module)
    }

    #[pymodule_export]
    use crate::blocks::{drop_blocks_by_hash, find_block, make_block_hash_sets};
    #[pymodule_export]
    use crate::constants::{lower_threshold_for_merged_hashes, vector_instructions};
    #[pymodule_export]
    use crate::encodings::{
        decode_by_label_keeping_bom, is_utf8_with_only_layout_controls, mark_plain_utf8_texts,
    };
    #[pymodule_export]
    use crate::evidence::{EvidenceBuilder, EvidenceGatherer, EvidencePart, EvidenceRule};
    #[pymodule_export]
    use crate::evidence_rows::{evidence_rows_to_column, judge_known_pairs_dropping_different};
    #[pymodule_export]
    use crate::external::{SpillRoom, assign_portions_or_null_if_alone, find_families};
    #[pymodule_export]
    use crate::files::{
        digest_file_beginnings, read_small_nonempty_files, stat_sizes_mtimes_and_identities,
    };
    #[pymodule_export]
    use crate::fingerprints::{
        Recipe, Weights, count_equal_flat_minima, make_feature_id_sets, make_fingerprints,
        make_flat_signatures_or_zeros, make_sketch_ids_and_places, measure_cosine,
    };
    #[pymodule_export]
    use crate::hamming::{
        JoinLimits, JoinPlan, connect_fingerprints, find_near_fingerprints, hamming_join,
        hamming_self_join, hamming_self_join_of_first_rows, measure_distances, plan_hamming_join,
    };
    #[pymodule_export]
    use crate::index::HammingIndex;
    #[pymodule_export]
    use crate::judge::{
        PairThresholds, is_measured_by_characters, length_class, length_classes,
        measure_and_judge_each_pair,
    };
    #[pymodule_export]
    use crate::noise::{
        AgreementConditions, NoiseSetRule, WrongCharacters, align_pairs_with_text_lengths,
        count_wrong_characters, make_bare_lengths_and_noise_sets,
    };
    #[pymodule_export]
    use crate::packing::{
        is_set, sets_as_native_bytes_ignoring_nulls, sets_from_bytes_assumed_ascending,
    };
    #[pymodule_export]
    use crate::pairs::{
        Anchoring, cluster_anchored, cluster_connected, containment_join, containment_self_join,
        count_shared_ids, find_keepers_and_most_alike_outside, find_largest_containers,
        resemblance_join, resemblance_self_join, shift_sets_by_group, sort_into_sets,
    };
    #[pymodule_export]
    use crate::passages::{
        Collection, DocumentWords, RepeatedRuns, SelectedGrams, find_copies, find_whole_units,
        locate_existing_runs_in_bytes,
    };
    #[pymodule_export]
    use crate::rows::{
        ArrayLines, CsvFields, CsvHeader, JsonFields, gather_csv_rows, gather_json_rows,
        read_csv_header, read_csv_rows, read_json_rows,
    };
    #[pymodule_export]
    use crate::set_index::{
        SetKeys, SetQuestion, checksum_remaining_postings, cut_postings_into_buckets,
        merge_postings,
    };
    #[pymodule_export]
    use crate::shuffled::{
        concatenate_records_by_place, count_texts_by_cell_rounded, find_shingle_cells,
        make_band_records, make_candidate_forest_with_sizes, make_rarest_shingle_records,
    };
    #[pymodule_export]
    use crate::texts::{
        BytesDigest, count_words, digest_contents, digest_texts, find_first_equal_rows_or_null,
        hash_and_locate_words,
    };
    #[pymodule_export]
    use crate::urls::{UrlRules, list_url_rules};
}
