//! Counting, bit by bit, how many 64-bit features have the bit set.

#![allow(unsafe_code)]

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
mod portable;
#[cfg(test)]
mod tests;

use crate::hash::Half;
use crate::simd::level::Level;

/// Adds to `ones[j]` the number of features that have bit j.
pub fn plain(features: &[u64], ones: &mut [u64; 64]) {
    match Level::detect() {
        // SAFETY: the level says that the machine has the instructions.
        #[cfg(target_arch = "x86_64")]
        Level::Avx512 => unsafe { avx512::plain(features, ones) },
        // SAFETY: so it does here.
        #[cfg(target_arch = "x86_64")]
        Level::Avx2 => unsafe { avx2::plain(features, ones) },
        Level::Portable => portable::plain(features, ones),
    }
}

/// Adds to `ones[j]` the number of ids whose features have bit j.
pub fn expanded(ids: &[u32], half: Half, ones: &mut [u64; 64]) {
    match Level::detect() {
        // SAFETY: the level says that the machine has the instructions.
        #[cfg(target_arch = "x86_64")]
        Level::Avx512 => unsafe { avx512::expanded(ids, half, ones) },
        // SAFETY: so it does here.
        #[cfg(target_arch = "x86_64")]
        Level::Avx2 => unsafe { avx2::expanded(ids, half, ones) },
        Level::Portable => portable::expanded(ids, half, ones),
    }
}

/// Adds to `ones[j]` the weights of the features that have bit j; there is one weight for each.
pub fn weighted(features: &[u64], weights: &[u32], ones: &mut [u64; 64]) {
    match Level::detect() {
        // SAFETY: the level says that the machine has the instructions.
        #[cfg(target_arch = "x86_64")]
        Level::Avx512 => unsafe { avx512::weighted(features, weights, ones) },
        // SAFETY: so it does here.
        #[cfg(target_arch = "x86_64")]
        Level::Avx2 => unsafe { avx2::weighted(features, weights, ones) },
        Level::Portable => portable::weighted(features, weights, ones),
    }
}
