//! The same with 16 permutations in a register: one id at a time goes to all 64 of them.

#![allow(unsafe_code)]

use std::arch::x86_64::*;

use crate::hash::BIT_FACTORS;
use crate::simd::vector::{load_u32, store_u32};

/// Four registers of 16 lanes.
#[inline]
#[target_feature(enable = "avx512f")]
fn load(from: &[u32; 64]) -> [__m512i; 4] {
    let blocks = from.as_chunks::<16>().0;
    [load_u32(&blocks[0]), load_u32(&blocks[1]), load_u32(&blocks[2]), load_u32(&blocks[3])]
}

#[inline]
#[target_feature(enable = "avx512f")]
fn in_every_lane(x: u32) -> __m512i {
    _mm512_set1_epi32(x.cast_signed())
}

/// See [`super::find_minima`].
#[target_feature(enable = "avx512f")]
pub fn find_minima(ids: &[u32], factors: &[u32; 64], summands: &[u32; 64]) -> [u32; 64] {
    let (factors, summands) = (load(factors), load(summands));
    let mut least = [in_every_lane(u32::MAX); 4];
    for &id in ids {
        let id = in_every_lane(id);
        for j in 0..4 {
            let image = _mm512_add_epi32(_mm512_mullo_epi32(id, factors[j]), summands[j]);
            least[j] = _mm512_min_epu32(least[j], image);
        }
    }
    let mut minima = [0; 64];
    for (minima, least) in minima.as_chunks_mut::<16>().0.iter_mut().zip(least) {
        store_u32(minima, least);
    }
    minima
}

/// See [`super::make_bits_of_minima`].
#[target_feature(enable = "avx512f,avx512dq")]
pub fn make_bits_of_minima(minima: &[u32; 64], factors: &[u32; 64]) -> u64 {
    let [first, second] = BIT_FACTORS.map(|factor| in_every_lane(factor));
    let mut bits = 0;
    for (j, (minimum, factor)) in load(minima).into_iter().zip(load(factors)).enumerate() {
        let x = _mm512_xor_si512(minimum, factor);
        let x = _mm512_mullo_epi32(_mm512_xor_si512(x, _mm512_srli_epi32::<16>(x)), first);
        let x = _mm512_mullo_epi32(_mm512_xor_si512(x, _mm512_srli_epi32::<15>(x)), second);
        bits |= u64::from(_mm512_movepi32_mask(x)) << (16 * j);
    }
    bits
}
