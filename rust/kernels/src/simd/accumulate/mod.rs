//! Counting, bit by bit, how many 64-bit features have the bit set.

#![allow(unsafe_code)]

#[cfg(target_arch = "x86_64")]
mod avx512;
mod portable;
#[cfg(test)]
mod tests;

use crate::simd::level::Level;

/// Adds to `ones[j]` the number of features that have bit j.
pub fn plain(features: &[u64], ones: &mut [u64; 64]) {
    match Level::detect() {
        // SAFETY: the level says that the machine has the instructions.
        #[cfg(target_arch = "x86_64")]
        Level::Avx512 => unsafe { avx512::plain(features, ones) },
        Level::Portable => portable::plain(features, ones),
    }
}

/// Adds to `ones[j]` the weights of the features that have bit j; there is one weight for each.
pub fn weighted(features: &[u64], weights: &[u32], ones: &mut [u64; 64]) {
    match Level::detect() {
        // SAFETY: the level says that the machine has the instructions.
        #[cfg(target_arch = "x86_64")]
        Level::Avx512 => unsafe { avx512::weighted(features, weights, ones) },
        Level::Portable => portable::weighted(features, weights, ones),
    }
}
