//! Sorting ids and hashes, and counting equal ones.

#![allow(unsafe_code)]

#[cfg(target_arch = "x86_64")]
mod avx512;
#[cfg(target_arch = "x86_64")]
mod avx512_wide;
#[cfg(target_arch = "x86_64")]
mod network;
mod portable;
#[cfg(test)]
mod tests;

use crate::simd::Level;
use crate::{dispatch, stop};

/// Sorts ascending.
pub fn sort(ids: &mut [u32]) {
    stop::count_bytes(size_of_val(ids));
    dispatch!(Level::detect(), Avx512 | Avx512F => avx512::sort(ids), _ => portable::sort(ids))
}

/// Reads sorted ids as runs: each distinct id, and how often it occurs (at most `u32::MAX`).
pub fn runs(sorted: &[u32], distinct: &mut Vec<u32>, counts: &mut Vec<u32>) {
    distinct.clear();
    counts.clear();
    // The vector path numbers the ids in 32 bits.
    if u32::try_from(sorted.len()).is_err() {
        return portable::runs(sorted, distinct, counts);
    }
    dispatch!(
        Level::detect(),
        Avx512 | Avx512F => avx512::runs(sorted, distinct, counts),
        _ => portable::runs(sorted, distinct, counts),
    );
}

/// Sorts ascending and moves the distinct ids to the front; returns how many there are.
pub fn sort_distinct(ids: &mut [u32]) -> usize {
    sort(ids);
    dispatch!(Level::detect(), Avx512 | Avx512F => avx512::distinct(ids), _ => portable::distinct(ids))
}

/// Appends hashes of 64 bits, sorted ascending and each once.
pub fn push_set(hashes: &[u64], to: &mut Vec<u64>) {
    stop::count_bytes(size_of_val(hashes));
    dispatch!(
        Level::detect(),
        Avx512 | Avx512F => avx512_wide::push_set(hashes, to),
        _ => portable::push_set(hashes, to)
    )
}
