//! The same with a feature as the mask of an addition to all counters at once.

#![allow(unsafe_code)]

use std::arch::x86_64::*;

use crate::simd::vector::{load_u64, store_u64};

/// Features counted before counters of 8 bits, or of 16 for weights up to 255, could overflow.
const BLOCK: usize = 255;

/// See [`super::plain`].
#[target_feature(enable = "avx512f,avx512bw")]
pub fn plain(features: &[u64], ones: &mut [u64; 64]) {
    let one = _mm512_set1_epi8(1);
    for block in features.chunks(BLOCK) {
        // Two counters, so that an addition need not wait for the one before.
        let mut counters = [_mm512_setzero_si512(); 2];
        let (pairs, rest) = block.as_chunks::<2>();
        for pair in pairs {
            for (counter, &feature) in counters.iter_mut().zip(pair) {
                *counter = _mm512_mask_add_epi8(*counter, feature, *counter, one);
            }
        }
        for &feature in rest {
            counters[0] = _mm512_mask_add_epi8(counters[0], feature, counters[0], one);
        }
        let counts = _mm512_add_epi8(counters[0], counters[1]);
        flush_u16(_mm512_cvtepu8_epi16(_mm512_castsi512_si256(counts)), &mut ones[..32]);
        let upper = _mm512_extracti64x4_epi64::<1>(counts);
        flush_u16(_mm512_cvtepu8_epi16(upper), &mut ones[32..]);
    }
}

/// See [`super::weighted`].
#[target_feature(enable = "avx512f,avx512bw")]
pub fn weighted(features: &[u64], weights: &[u32], ones: &mut [u64; 64]) {
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
