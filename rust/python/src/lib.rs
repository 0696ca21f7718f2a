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
mod files;
mod fingerprints;
mod hamming;
mod index;
mod judge;
mod kept;
mod noise;
mod options;
mod packing;
mod pairs;
mod passages;
mod rows;
mod set_index;
mod shuffled;
mod spilled;
mod texts;
mod urls;
mod watch;

/// The compiled kernels of ilk; `ilk` itself is the interface.
#[pymodule]
mod _kernels {
    #[pymodule_init]
    fn add_constants(module: &pyo3::Bound<'_, pyo3::types::PyModule>) -> pyo3::PyResult<()> {
        crate::constants::add(module)
    }

    #[pymodule_export]
    use crate::blocks::{block_hashes, find_block, without_blocks};
    #[pymodule_export]
    use crate::constants::{instructions, lower_threshold};
    #[pymodule_export]
    use crate::encodings::{decode_label, is_plain_utf8};
    #[pymodule_export]
    use crate::evidence::{EvidenceBuilder, EvidenceGatherer, EvidencePart};
    #[pymodule_export]
    use crate::files::{file_digests, file_facts, read_small_files};
    #[pymodule_export]
    use crate::fingerprints::{
        Recipe, Weights, accumulate_features, cosine, equal_minima, feature_sets, fingerprints,
        signatures, sketches,
    };
    #[pymodule_export]
    use crate::hamming::{
        distances, hamming_connected, hamming_groups, hamming_join, hamming_near, hamming_plan,
        hamming_self_join,
    };
    #[pymodule_export]
    use crate::index::HammingIndex;
    #[pymodule_export]
    use crate::judge::judge_pairs;
    #[pymodule_export]
    use crate::kept::judge_kept;
    #[pymodule_export]
    use crate::noise::{align_pairs, bare_places, noise_sets, wrong_characters};
    #[pymodule_export]
    use crate::packing::{is_set, sets_from_bytes, sets_to_bytes};
    #[pymodule_export]
    use crate::pairs::{
        cluster_anchored, cluster_connected, containers, containment_join, containment_self_join,
        intersect_pairs, resemblance_join, resemblance_self_join, sets_anchored, shift_sets,
        sorted_sets,
    };
    #[pymodule_export]
    use crate::passages::{Collection, Repeated, passage_copies, whole_units, word_spans};
    #[pymodule_export]
    use crate::rows::{ArrayLines, csv_bytes, csv_header, csv_rows, json_bytes, json_rows};
    #[pymodule_export]
    use crate::set_index::{SetKeys, SetQuestion, cut_postings, merge_postings, postings_sum};
    #[pymodule_export]
    use crate::shuffled::{
        band_records, candidate_forest, count_cells, records_of_rarest_shingles, share_out_records,
        shingle_cells,
    };
    #[pymodule_export]
    use crate::spilled::{text_families, text_portions};
    #[pymodule_export]
    use crate::texts::{
        BytesDigest, bytes_digests, digests, first_rows, masked_digests, shingle_hashes,
        shingle_ids, word_counts, word_places,
    };
    #[pymodule_export]
    use crate::urls::{UrlRules, url_rules};
}
