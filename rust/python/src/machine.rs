//! What the kernels run on.

use ilk_joins::simd;
use pyo3::prelude::*;

/// The vector instructions that the kernels use here: `avx512`, `avx2` or `portable`.
#[pyfunction]
pub fn instructions() -> &'static str {
    simd::instructions()
}
