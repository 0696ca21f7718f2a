//! Constants of the kernels that Python takes from them.

use ilk_joins::judge::{
    LONG_FROM_WORDS, LengthClass, RUN, SHORT_BELOW_WORDS, Verdict, WORDLESS_BITS,
};
use ilk_joins::overlap::{self, FIRST, HIDDEN, Ratio, SECOND};
use ilk_joins::simd;
use pyo3::prelude::*;
use pyo3::types::PyTuple;

use crate::options::Threshold;

/// Adds the constants to the module.
pub fn add_constants(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("SHORT_BELOW_WORDS", SHORT_BELOW_WORDS)?;
    module.add("LONG_FROM_WORDS", LONG_FROM_WORDS)?;
    module.add("RUN_WORDS", RUN)?;
    module.add("WORDLESS_BYTES", WORDLESS_BITS / 8)?;
    module.add("CHOICES", (HIDDEN, FIRST, SECOND))?;
    let classes = [LengthClass::Short, LengthClass::Middle, LengthClass::Long];
    module.add("LENGTH_CLASSES", PyTuple::new(module.py(), classes.map(|class| class as u8))?)?;
    module.add("VERDICTS", PyTuple::new(module.py(), Verdict::NAMES)?)
}

/// The threshold at which sets of ids are joined, where of the set that has the most merged hashes
/// for its size that many are merged into `ids`.
#[pyfunction]
pub fn lower_threshold_for_merged_hashes(
    threshold: Threshold,
    ids: u64,
    merged_hashes: u64,
) -> (u64, u64) {
    let Ratio { numerator, denominator } =
        overlap::lower_threshold_for_merged_hashes(threshold.0, ids, merged_hashes);
    (numerator, denominator)
}

/// The vector instructions that the kernels use here: `avx512`, `avx2` or `portable`.
#[pyfunction]
pub fn vector_instructions() -> &'static str {
    simd::instructions()
}
