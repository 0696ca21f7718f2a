//! The least of some ids under 64 permutations at a time, and a bit of each.
//!
//! Permutation j takes the id x to `x * factors[j] + summands[j]` modulo 2^32.

#![allow(unsafe_code)]

#[cfg(target_arch = "x86_64")]
mod avx512;
mod portable;
#[cfg(test)]
mod tests;

use crate::dispatch;
use crate::simd::Level;

#[cfg(target_arch = "x86_64")]
mod avx2 {
    crate::recompiled! {
        fn find_minima(ids: &[u32], factors: &[u32; 64], summands: &[u32; 64]) -> [u32; 64];
        fn make_bits_of_minima(minima: &[u32; 64], factors: &[u32; 64]) -> u64;
    }
}

/// The least image of the ids under each permutation; all ones where there are no ids.
#[must_use]
pub fn find_minima(ids: &[u32], factors: &[u32; 64], summands: &[u32; 64]) -> [u32; 64] {
    dispatch!(
        Level::detect(),
        Avx512 | Avx512F => avx512::find_minima(ids, factors, summands),
        Avx2 => avx2::find_minima(ids, factors, summands),
        _ => portable::find_minima(ids, factors, summands),
    )
}

/// A bit of each minimum ([`crate::hash::bit_of_minimum`]), packed: that of permutation j is bit j.
#[must_use]
pub fn make_bits_of_minima(minima: &[u32; 64], factors: &[u32; 64]) -> u64 {
    dispatch!(
        Level::detect(),
        Avx512 | Avx512F => avx512::make_bits_of_minima(minima, factors),
        Avx2 => avx2::make_bits_of_minima(minima, factors),
        _ => portable::make_bits_of_minima(minima, factors),
    )
}
