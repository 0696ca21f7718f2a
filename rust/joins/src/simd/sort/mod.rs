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
    stop::count_work_or_unwind(size_of_val(ids));
    dispatch!(Level::detect(), Avx512 | Avx512F => avx512::sort(ids), _ => portable::sort(ids))
}

/// Reads sorted ids as runs: each distinct id, and how often it occurs (at most `u32::MAX`).
pub fn count_runs(sorted: &[u32], distinct: &mut Vec<u32>, counts: &mut Vec<u32>) {
    distinct.clear();
    counts.clear();
    // The vector path numbers the ids in 32 bits.
    if u32::try_from(sorted.len()).is_err() {
        return portable::append_runs_to_empty(sorted, distinct, counts);
    }
    dispatch!(
        Level::detect(),
        Avx512 | Avx512F => avx512::append_runs_to_empty(sorted, distinct, counts),
        _ => portable::append_runs_to_empty(sorted, distinct, counts),
    );
}

/// Sorts ascending and moves the distinct ids to the front; returns how many there are.
pub fn sort_distinct(ids: &mut [u32]) -> usize {
    sort(ids);
    dispatch!(Level::detect(), Avx512 | Avx512F => avx512::move_distinct_to_front(ids), _ => portable::move_distinct_to_front(ids))
}

/// Appends hashes of 64 bits, sorted ascending and each once.
pub fn push_sorted_set(hashes: &[u64], to: &mut Vec<u64>) {
    stop::count_work_or_unwind(size_of_val(hashes));
    dispatch!(
        Level::detect(),
        Avx512 | Avx512F => avx512_wide::push_sorted_set(hashes, to),
        _ => portable::push_sorted_set(hashes, to)
    )
}
