//! The same with a feature as the mask of an addition to all counters at once.

#![allow(unsafe_code)]

use std::arch::x86_64::*;

use super::tree_of_adders;
use crate::hash::Half;
use crate::simd::hash::hash_eight_into_features;
use crate::simd::vector::{
    lanes8, load_part_u64, load_part_widened_to_u64, load_u64, load_wide, store_u64,
};

/// Most that counters of 8 bits hold, and counters of 16 bits for weights up to 255.
const BLOCK: usize = 255;

/// Registers of features that are added up as bits before any counter is.
const HEAP: usize = 16;

/// See [`super::add_unweighted`].
#[target_feature(enable = "avx512f,avx512bw,bmi2")]
pub fn add_unweighted(features: &[u64], ones: &mut [u64; 64]) {
    let (rows, rest) = features.as_chunks();
    sum_up(rows.len(), |i| load_u64(&rows[i]), load_part_u64(rest), ones);
}

/// See [`super::add_ids`].
#[target_feature(enable = "avx512f,avx512bw,avx512dq,bmi2")]
pub fn add_ids(ids: &[u32], half: Half, ones: &mut [u64; 64]) {
    let (rows, rest) = ids.as_chunks();
    let last = hash_eight_into_features(load_part_widened_to_u64(rest), half);
    let last = _mm512_maskz_mov_epi64(lanes8(rest.len()), last);
    sum_up(rows.len(), |i| hash_eight_into_features(load_wide(&rows[i]), half), last, ones);
}

/// Counts the bits of `rows` registers of features, and of `last`.
///
/// Sixteen registers become one that has the bits of worth 16; those left over are counted one by
/// one.
#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
fn sum_up(rows: usize, row: impl Fn(usize) -> __m512i, last: __m512i, ones: &mut [u64; 64]) {
    let heaps = rows / HEAP;
    for first in (0..heaps).step_by(BLOCK / 8) {
        let mut planes = [_mm512_setzero_si512(); 4];
        let mut sixteens = _mm512_setzero_si512();
        for heap in first..heaps.min(first + BLOCK / 8) {
            sixteens = count(sixteens, add_heap(&mut planes, |i| row(HEAP * heap + i)));
        }
        flush_u8(sixteens, 16, ones);
        let [one, two, four, eight] = planes.map(|plane| count(_mm512_setzero_si512(), plane));
        // At most 8 of each worth: 120 in a counter of 8 bits.
        let twice = |counters| _mm512_add_epi8(counters, counters);
        let sum = _mm512_add_epi8(four, twice(eight));
        let sum = _mm512_add_epi8(two, twice(sum));
        flush_u8(_mm512_add_epi8(one, twice(sum)), 1, ones);
    }
    let rest = HEAP * heaps..rows;
    let counters = rest.fold(_mm512_setzero_si512(), |counters, i| count(counters, row(i)));
    flush_u8(count(counters, last), 1, ones);
}

tree_of_adders!(__m512i, "avx512f");

/// Adds two bits of one worth in every place, and gives what they carry.
#[inline]
#[target_feature(enable = "avx512f")]
fn add(sum: &mut __m512i, a: __m512i, b: __m512i) -> __m512i {
    let carry = _mm512_ternarylogic_epi64::<0xE8>(*sum, a, b);
    *sum = _mm512_ternarylogic_epi64::<0x96>(*sum, a, b);
    carry
}

/// Counts the bits of eight features.
#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
fn count(counters: __m512i, features: __m512i) -> __m512i {
    let one = _mm512_set1_epi8(1);
    let mut lanes = [0; 8];
    store_u64(&mut lanes, features);
    lanes
        .iter()
        .fold(counters, |counters, &lane| _mm512_mask_add_epi8(counters, lane, counters, one))
}

/// Adds 64 counters, each worth so much, to as many sums.
#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
fn flush_u8(counters: __m512i, worth: u16, ones: &mut [u64; 64]) {
    let worth = _mm512_set1_epi16(worth.cast_signed());
    let halves = [_mm512_castsi512_si256(counters), _mm512_extracti64x4_epi64::<1>(counters)];
    for (half, ones) in halves.into_iter().zip(ones.as_chunks_mut::<32>().0) {
        flush_u16(_mm512_mullo_epi16(_mm512_cvtepu8_epi16(half), worth), ones);
    }
}

/// See [`super::add_weighted`].
#[target_feature(enable = "avx512f,avx512bw")]
pub fn add_weighted(features: &[u64], weights: &[u32], ones: &mut [u64; 64]) {
    for (features, weights) in features.chunks(BLOCK).zip(weights.chunks(BLOCK)) {
        let mut counters = [_mm512_setzero_si512(); 2];
        for (&feature, &weight) in features.iter().zip(weights) {
            if weight > 255 {
                add_heavy(feature, weight, ones);
                continue;
            }
            let [low, high] = &mut counters;
            let weight = _mm512_set1_epi16(weight as i16);
            *low = _mm512_mask_add_epi16(*low, feature as u32, *low, weight);
            *high = _mm512_mask_add_epi16(*high, (feature >> 32) as u32, *high, weight);
        }
        flush_u16(counters[0], &mut ones[..32]);
        flush_u16(counters[1], &mut ones[32..]);
    }
}

/// Adds one feature of any weight.
#[inline]
#[target_feature(enable = "avx512f")]
fn add_heavy(feature: u64, weight: u32, ones: &mut [u64; 64]) {
    let weight = _mm512_set1_epi64(i64::from(weight));
    for (ones, mask) in ones.as_chunks_mut::<8>().0.iter_mut().zip(feature.to_le_bytes()) {
        let sum = load_u64(ones);
        store_u64(ones, _mm512_mask_add_epi64(sum, mask, sum, weight));
    }
}

/// Adds 32 counters to as many sums.
#[inline]
#[target_feature(enable = "avx512f")]
fn flush_u16(counters: __m512i, ones: &mut [u64]) {
    let quarters = [
        _mm512_extracti32x4_epi32::<0>(counters),
        _mm512_extracti32x4_epi32::<1>(counters),
        _mm512_extracti32x4_epi32::<2>(counters),
        _mm512_extracti32x4_epi32::<3>(counters),
    ];
    for (ones, quarter) in ones.as_chunks_mut::<8>().0.iter_mut().zip(quarters) {
        store_u64(ones, _mm512_add_epi64(load_u64(ones), _mm512_cvtepu16_epi64(quarter)));
    }
}
