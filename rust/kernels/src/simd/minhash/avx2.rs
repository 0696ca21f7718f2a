//! The same, compiled for registers of eight lanes.

#![allow(unsafe_code)]

use super::portable;
use crate::minhash::Permutations;

/// See [`super::minima`].
#[target_feature(enable = "avx2")]
pub fn minima(ids: &[u32], permutations: &Permutations) -> [u32; 64] {
    portable::minima(ids, permutations)
}

/// See [`super::bits`].
#[target_feature(enable = "avx2")]
pub fn bits(minima: &[u32; 64], permutations: &Permutations) -> u64 {
    portable::bits(minima, permutations)
}
