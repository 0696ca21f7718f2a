//! The same in registers of four features, added up as bits before any counter is.

#![allow(unsafe_code)]

use std::arch::x86_64::*;

use super::{portable, tree_of_adders};
use crate::hash::Half;
use crate::recompiled;
use crate::simd::vector::{load_four_u64, store_32_u8};

/// Features that become one register of bits of worth 16.
const HEAP: usize = 64;

/// Heaps whose four features of worth 16 a counter of 8 bits holds.
const HEAPS: usize = 63;

/// See [`super::add_unweighted`].
#[target_feature(enable = "avx2")]
pub fn add_unweighted(features: &[u64], ones: &mut [u64; 64]) {
    let (heaps, rest) = features.as_chunks::<HEAP>();
    for heaps in heaps.chunks(HEAPS) {
        let mut planes = [_mm256_setzero_si256(); 4];
        let mut sixteens = [_mm256_setzero_si256(); 2];
        for heap in heaps {
            let rows = heap.as_chunks::<4>().0;
            sixteens = count(sixteens, add_heap(&mut planes, |i| load_four_u64(&rows[i])));
        }
        flush(sixteens, 16, ones);
        for (i, plane) in planes.into_iter().enumerate() {
            flush(count([_mm256_setzero_si256(); 2], plane), 1 << i, ones);
        }
    }
    portable::add_unweighted(rest, ones);
}

/// See [`super::add_ids`].
#[target_feature(enable = "avx2")]
pub fn add_ids(ids: &[u32], half: Half, ones: &mut [u64; 64]) {
    portable::each_block::<{ 4 * HEAP }>(ids, half, |features| add_unweighted(features, ones));
}

recompiled! {
    fn add_weighted(features: &[u64], weights: &[u32], ones: &mut [u64; 64]);
}

tree_of_adders!(__m256i, "avx2");

/// Adds two bits of one worth in every place, and gives what they carry.
#[inline]
#[target_feature(enable = "avx2")]
fn add(sum: &mut __m256i, a: __m256i, b: __m256i) -> __m256i {
    let odd = _mm256_xor_si256(*sum, a);
    let carry = _mm256_or_si256(_mm256_and_si256(*sum, a), _mm256_and_si256(odd, b));
    *sum = _mm256_xor_si256(odd, b);
    carry
}

/// Counts the bits of four features in bytes, those of bits 0 to 31 and those of the others.
#[inline]
#[target_feature(enable = "avx2")]
fn count(mut counters: [__m256i; 2], features: __m256i) -> [__m256i; 2] {
    let lanes = [
        _mm256_permute4x64_epi64::<0b00_00_00_00>(features),
        _mm256_permute4x64_epi64::<0b01_01_01_01>(features),
        _mm256_permute4x64_epi64::<0b10_10_10_10>(features),
        _mm256_permute4x64_epi64::<0b11_11_11_11>(features),
    ];
    // Byte i of a counter is that of bit i: it takes byte i / 8 of the feature, and of that one
    // bit.
    let low =
        _mm256_setr_epi64x(0, 0x0101_0101_0101_0101, 0x0202_0202_0202_0202, 0x0303_0303_0303_0303);
    let high = _mm256_add_epi8(low, _mm256_set1_epi8(4));
    let bits = _mm256_set1_epi64x(0x8040_2010_0804_0201u64.cast_signed());
    for lane in lanes {
        for (counter, places) in counters.iter_mut().zip([low, high]) {
            let bytes = _mm256_and_si256(_mm256_shuffle_epi8(lane, places), bits);
            // All ones, where the bit is set, are -1.
            *counter = _mm256_sub_epi8(*counter, _mm256_cmpeq_epi8(bytes, bits));
        }
    }
    counters
}

/// Adds 64 counters, each worth so much, to as many sums.
#[inline]
#[target_feature(enable = "avx2")]
fn flush(counters: [__m256i; 2], worth: u64, ones: &mut [u64; 64]) {
    for (counters, ones) in counters.into_iter().zip(ones.as_chunks_mut::<32>().0) {
        let mut bytes = [0; 32];
        store_32_u8(&mut bytes, counters);
        for (one, count) in ones.iter_mut().zip(bytes) {
            *one += worth * u64::from(count);
        }
    }
}
