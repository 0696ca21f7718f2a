//! The minima of a set under 64 permutations at a time, and their bits; see [`crate::minhash`].

#![allow(unsafe_code)]

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
mod portable;
#[cfg(test)]
mod tests;

use crate::minhash::Permutations;
use crate::simd::level::Level;

/// The least image of the ids under each permutation; all ones where there are no ids.
#[must_use]
pub fn minima(ids: &[u32], permutations: &Permutations) -> [u32; 64] {
    match Level::detect() {
        // SAFETY: the level says that the machine has the instructions.
        #[cfg(target_arch = "x86_64")]
        Level::Avx512 => unsafe { avx512::minima(ids, permutations) },
        // SAFETY: so it does here.
        #[cfg(target_arch = "x86_64")]
        Level::Avx2 => unsafe { avx2::minima(ids, permutations) },
        Level::Portable => portable::minima(ids, permutations),
    }
}

/// A bit of each minimum, packed: that of permutation j is bit j.
#[must_use]
pub fn bits(minima: &[u32; 64], permutations: &Permutations) -> u64 {
    match Level::detect() {
        // SAFETY: the level says that the machine has the instructions.
        #[cfg(target_arch = "x86_64")]
        Level::Avx512 => unsafe { avx512::bits(minima, permutations) },
        // SAFETY: so it does here.
        #[cfg(target_arch = "x86_64")]
        Level::Avx2 => unsafe { avx2::bits(minima, permutations) },
        Level::Portable => portable::bits(minima, permutations),
    }
}
