//! Sorting and run-reading sixteen ids at a time.
//!
//! The sort halves the range of values, not the row of ids: ids are hashes, so the middle of the
//! range is near enough to their median, and no choice of ids makes it more than 32 halvings deep.
//! Ids that fit into registers are sorted by a bitonic network (Batcher 1968).

#![allow(unsafe_code)]

use std::arch::x86_64::*;
use std::mem::MaybeUninit;

use super::network;
use crate::simd::vector::{append_u32, lanes16, load_part_u32, load_u32, store_part_u32};

/// Ids whose halves are parted without asking for memory: 16 KB of the stack.
const SMALL: usize = 4096;

type Scratch = [MaybeUninit<u32>];

/// Sorts ascending.
#[target_feature(enable = "avx512f,avx512dq,bmi2,popcnt")]
pub fn sort(ids: &mut [u32]) {
    if ids.len() <= network::MOST {
        network::sort(ids);
    } else if ids.len() <= SMALL {
        sort_between(ids, &mut [MaybeUninit::uninit(); SMALL + 16], 0, u32::MAX);
    } else {
        let mut scratch = Vec::with_capacity(ids.len() + 16);
        sort_between(ids, scratch.spare_capacity_mut(), 0, u32::MAX);
    }
}

/// Sorts ids that all lie in `low..=high`.
#[target_feature(enable = "avx512f,avx512dq,bmi2,popcnt")]
fn sort_between(mut ids: &mut [u32], scratch: &mut Scratch, mut low: u32, mut high: u32) {
    while ids.len() > network::MOST {
        let middle = low + (high - low).div_ceil(2);
        let below = partition(ids, scratch, middle);
        if below == 0 || below == ids.len() {
            (low, high) = find_bounds(ids);
            if low == high {
                return;
            }
            continue;
        }
        let (left, right) = ids.split_at_mut(below);
        sort_between(left, scratch, low, middle - 1);
        (ids, low) = (right, middle);
    }
    network::sort(ids);
}

/// Moves the ids below `middle` to the front; returns how many there are.
#[target_feature(enable = "avx512f,bmi2,popcnt")]
fn partition(ids: &mut [u32], scratch: &mut Scratch, middle: u32) -> usize {
    assert!(scratch.len() >= ids.len() + 16);
    let pivot = _mm512_set1_epi32(middle.cast_signed());
    let (mut below, mut above) = (0, 0);
    let start: *mut u32 = ids.as_mut_ptr();
    let spare: *mut u32 = scratch.as_mut_ptr().cast();
    let whole = ids.len() & !15;
    for at in (0..whole).step_by(16) {
        // SAFETY: reads ids at..at + 16 and writes ids below..below + 16, where below <= at: all
        // inside `ids`, and nothing unread is overwritten. The scratch has room for 16 more than
        // there are ids.
        unsafe {
            let block = _mm512_loadu_si512(start.add(at).cast());
            let less = _mm512_cmplt_epu32_mask(block, pivot);
            let count = less.count_ones() as usize;
            _mm512_storeu_si512(start.add(below).cast(), _mm512_maskz_compress_epi32(less, block));
            _mm512_storeu_si512(spare.add(above).cast(), _mm512_maskz_compress_epi32(!less, block));
            below += count;
            above += 16 - count;
        }
    }
    let present = lanes16(ids.len() - whole);
    let block = load_part_u32(&ids[whole..], pivot);
    let less = _mm512_mask_cmplt_epu32_mask(present, block, pivot);
    let more = present & !less;
    store_part_u32(
        &mut ids[below..below + less.count_ones() as usize],
        _mm512_maskz_compress_epi32(less, block),
    );
    below += less.count_ones() as usize;
    // SAFETY: the scratch has room for 16 more; the ids not below fill exactly the rest of `ids`,
    // and were all written to the scratch.
    unsafe {
        _mm512_storeu_si512(spare.add(above).cast(), _mm512_maskz_compress_epi32(more, block));
        std::ptr::copy_nonoverlapping(spare, ids.as_mut_ptr().add(below), ids.len() - below);
    }
    below
}

/// The least and the greatest id; there are at least 16.
#[target_feature(enable = "avx512f")]
fn find_bounds(ids: &[u32]) -> (u32, u32) {
    let (blocks, rest) = ids.as_chunks();
    let (mut low, mut high) = (_mm512_set1_epi32(-1), _mm512_setzero_si512());
    for block in blocks {
        low = _mm512_min_epu32(low, load_u32(block));
        high = _mm512_max_epu32(high, load_u32(block));
    }
    rest.iter()
        .fold((_mm512_reduce_min_epu32(low), _mm512_reduce_max_epu32(high)), |(low, high), &id| {
            (low.min(id), high.max(id))
        })
}

/// Lanes of `ids[at_1_or_later..]` (16 of them, or to the end) that differ from the id before them.
#[inline]
#[target_feature(enable = "avx512f,bmi2")]
fn first_of_equal(sorted: &[u32], at_1_or_later: usize) -> (__m512i, __mmask16) {
    let zero = _mm512_setzero_si512();
    let ids = load_part_u32(&sorted[at_1_or_later..], zero);
    let before = load_part_u32(&sorted[at_1_or_later - 1..], zero);
    (ids, _mm512_mask_cmpneq_epu32_mask(lanes16(sorted.len() - at_1_or_later), ids, before))
}

/// Moves the distinct ids of a sorted slice to its front; returns how many there are.
#[target_feature(enable = "avx512f,bmi2,popcnt")]
pub fn move_distinct_to_front(sorted: &mut [u32]) -> usize {
    let mut kept = sorted.len().min(1);
    let mut at = 1;
    while at < sorted.len() {
        let (ids, first) = first_of_equal(sorted, at);
        let count = first.count_ones() as usize;
        store_part_u32(&mut sorted[kept..kept + count], _mm512_maskz_compress_epi32(first, ids));
        kept += count;
        at += 16;
    }
    kept
}

/// The path for fewer than 2^32 sorted ids.
#[target_feature(enable = "avx512f,bmi2,popcnt")]
pub fn append_runs_to_empty(sorted: &[u32], distinct: &mut Vec<u32>, counts: &mut Vec<u32>) {
    let Some(&first) = sorted.first() else { return };
    distinct.push(first);
    counts.push(0);
    let lane = _mm512_set_epi32(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0);
    // First `counts` holds where each run begins.
    for at in (1..sorted.len()).step_by(16) {
        let (ids, first) = first_of_equal(sorted, at);
        let places = _mm512_add_epi32(_mm512_set1_epi32((at as u32).cast_signed()), lane);
        let count = first.count_ones() as usize;
        append_u32(distinct, _mm512_maskz_compress_epi32(first, ids), count);
        append_u32(counts, _mm512_maskz_compress_epi32(first, places), count);
    }
    for i in 1..counts.len() {
        counts[i - 1] = counts[i] - counts[i - 1];
    }
    if let Some(last) = counts.last_mut() {
        *last = sorted.len() as u32 - *last;
    }
}
