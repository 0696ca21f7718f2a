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
        fn minima(ids: &[u32], factors: &[u32; 64], summands: &[u32; 64]) -> [u32; 64];
        fn bits(minima: &[u32; 64], factors: &[u32; 64]) -> u64;
    }
}

/// The least image of the ids under each permutation; all ones where there are no ids.
#[must_use]
pub fn minima(ids: &[u32], factors: &[u32; 64], summands: &[u32; 64]) -> [u32; 64] {
    dispatch!(
        Level::detect(),
        Avx512 | Avx512F => avx512::minima(ids, factors, summands),
        Avx2 => avx2::minima(ids, factors, summands),
        _ => portable::minima(ids, factors, summands),
    )
}

/// A bit of each minimum ([`crate::hash::bit_of_minimum`]), packed: that of permutation j is bit j.
#[must_use]
pub fn bits(minima: &[u32; 64], factors: &[u32; 64]) -> u64 {
    dispatch!(
        Level::detect(),
        Avx512 | Avx512F => avx512::bits(minima, factors),
        Avx2 => avx2::bits(minima, factors),
        _ => portable::bits(minima, factors),
    )
}
