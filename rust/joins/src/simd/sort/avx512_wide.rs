//! Sets of hashes of 64 bits: what is in a bucket is sorted in registers, by a bitonic network
//! (Batcher 1968).

#![allow(unsafe_code)]

use std::arch::x86_64::*;

use super::portable;
use crate::simd::vector::{append_some_u64, lanes8, load_u64};

/// Hashes of one bucket that the network sorts: two registers of eight.
const MOST: usize = 16;

/// See [`super::push_sorted_set`].
#[target_feature(enable = "avx512f,bmi2,popcnt")]
pub fn push_sorted_set(hashes: &[u64], to: &mut Vec<u64>) {
    to.reserve(hashes.len() + 8);
    // A read of a bucket may reach over its end.
    let mut shared = vec![0; hashes.len() + MOST];
    let bits = (hashes.len() / 3).clamp(2, 1 << 16).ilog2();
    let mut start = 0;
    for end in portable::share_out_into_buckets(hashes, bits, &mut shared) {
        if let Some(bucket) = shared[start..].first_chunk()
            && end - start <= MOST
        {
            push_set_of_few(bucket, end - start, to);
        } else {
            shared[start..end].sort_unstable();
            to.extend(shared[start..end].chunk_by(|a, b| a == b).map(|run| run[0]));
        }
        start = end;
    }
}

/// Appends the set of the first `count` of these hashes.
#[inline]
#[target_feature(enable = "avx512f,bmi2,popcnt")]
fn push_set_of_few(hashes: &[u64; MOST], count: usize, to: &mut Vec<u64>) {
    let [low, high] = hashes.as_chunks::<8>().0 else { return };
    let mut low = sort_eight(load_first(low, count));
    let none = _mm512_setzero_si512();
    if count > 8 {
        // The second read backwards makes the two bitonic.
        let high = reverse_lanes(sort_eight(load_first(high, count - 8)));
        let greater = sort_bitonic(_mm512_max_epu64(low, high));
        low = sort_bitonic(_mm512_min_epu64(low, high));
        push_distinct(low, none, 1, 8, to);
        push_distinct(greater, low, 0, count - 8, to);
    } else {
        push_distinct(low, none, 1, count, to);
    }
}

/// The first `count` hashes, filled up with the greatest.
#[inline]
#[target_feature(enable = "avx512f,bmi2")]
fn load_first(hashes: &[u64; 8], count: usize) -> __m512i {
    _mm512_mask_mov_epi64(_mm512_set1_epi64(-1), lanes8(count), load_u64(hashes))
}

/// Appends those of the first `count` lanes that differ from the previous lane, which for the first
/// lane is the last of `before`; and in any case those of the mask `kept_anyway`.
#[inline]
#[target_feature(enable = "avx512f,bmi2,popcnt")]
fn push_distinct(
    lanes: __m512i,
    before: __m512i,
    kept_anyway: u8,
    count: usize,
    to: &mut Vec<u64>,
) {
    let before = _mm512_alignr_epi64::<7>(lanes, before);
    let kept = (_mm512_cmpneq_epu64_mask(lanes, before) | kept_anyway) & lanes8(count);
    append_some_u64(to, _mm512_maskz_compress_epi64(kept, lanes), kept.count_ones() as usize);
}

#[inline]
#[target_feature(enable = "avx512f")]
fn sort_eight(lanes: __m512i) -> __m512i {
    let lanes = exchange::<0xAA>(lanes, _mm512_permutex_epi64::<0b10_11_00_01>(lanes));
    let lanes = exchange::<0xCC>(lanes, _mm512_permutex_epi64::<0b00_01_10_11>(lanes));
    let lanes = exchange::<0xAA>(lanes, _mm512_permutex_epi64::<0b10_11_00_01>(lanes));
    let lanes = exchange::<0xF0>(lanes, reverse_lanes(lanes));
    sort_fours(lanes)
}

/// Sorts bitonic lanes.
#[inline]
#[target_feature(enable = "avx512f")]
fn sort_bitonic(lanes: __m512i) -> __m512i {
    sort_fours(exchange::<0xF0>(lanes, _mm512_shuffle_i64x2::<0b01_00_11_10>(lanes, lanes)))
}

/// Sorts each half, which is bitonic.
#[inline]
#[target_feature(enable = "avx512f")]
fn sort_fours(lanes: __m512i) -> __m512i {
    let lanes = exchange::<0xCC>(lanes, _mm512_permutex_epi64::<0b01_00_11_10>(lanes));
    exchange::<0xAA>(lanes, _mm512_permutex_epi64::<0b10_11_00_01>(lanes))
}

/// Reads the lanes backwards.
#[inline]
#[target_feature(enable = "avx512f")]
fn reverse_lanes(lanes: __m512i) -> __m512i {
    _mm512_permutexvar_epi64(_mm512_set_epi64(0, 1, 2, 3, 4, 5, 6, 7), lanes)
}

/// Keeps the lesser hash of each lane and its partner, in the `UPPER` lanes the greater.
#[inline]
#[target_feature(enable = "avx512f")]
fn exchange<const UPPER: u8>(lanes: __m512i, partners: __m512i) -> __m512i {
    _mm512_mask_max_epu64(_mm512_min_epu64(lanes, partners), UPPER, lanes, partners)
}
