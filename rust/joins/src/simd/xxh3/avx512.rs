//! The long loop of XXH3, its eight sums in a register.

#![allow(unsafe_code)]

use std::arch::x86_64::*;

use super::{PRIME32, SECRET, START, finish};
use crate::simd::vector::{load_u8, load_u64, store_u64};

/// Stripes of 64 bytes between two scrambles.
const STRIPES: usize = (SECRET.len() - 64) / 8;

/// The hash of more than 240 bytes.
#[target_feature(enable = "avx512f,avx512dq")]
pub fn long(bytes: &[u8]) -> u128 {
    finish(sums(bytes), bytes.len())
}

/// The sums of more than 64 bytes.
#[target_feature(enable = "avx512f,avx512dq")]
fn sums(bytes: &[u8]) -> [u64; 8] {
    let mut sums = load_u64(&START);
    // The last stripe, whole or not, is not one of these.
    let stripes = &bytes[..bytes.len().saturating_sub(1) & !63];
    for block in stripes.chunks(64 * STRIPES) {
        let stripes = block.as_chunks::<64>().0;
        for (i, stripe) in stripes.iter().enumerate() {
            sums = add(sums, stripe, secret(8 * i));
        }
        if stripes.len() == STRIPES {
            sums = scramble(sums);
        }
    }
    if let Some(last) = bytes.last_chunk() {
        sums = add(sums, last, secret(SECRET.len() - 64 - 7));
    }
    let mut found = [0; 8];
    store_u64(&mut found, sums);
    found
}

/// The secret from a place on.
#[inline]
#[target_feature(enable = "avx512f")]
fn secret(at: usize) -> __m512i {
    SECRET[at..].first_chunk().map_or(_mm512_setzero_si512(), |from| load_u8(from))
}

#[inline]
#[target_feature(enable = "avx512f")]
fn add(sums: __m512i, stripe: &[u8; 64], secret: __m512i) -> __m512i {
    let data = load_u8(stripe);
    let key = _mm512_xor_si512(data, secret);
    let product = _mm512_mul_epu32(key, _mm512_srli_epi64::<32>(key));
    // Each lane is added to its neighbour.
    let turned = _mm512_shuffle_epi32::<0b01_00_11_10>(data);
    _mm512_add_epi64(sums, _mm512_add_epi64(product, turned))
}

#[inline]
#[target_feature(enable = "avx512f,avx512dq")]
fn scramble(sums: __m512i) -> __m512i {
    let folded = _mm512_xor_si512(sums, _mm512_srli_epi64::<47>(sums));
    let key = _mm512_xor_si512(folded, secret(SECRET.len() - 64));
    _mm512_mullo_epi64(key, _mm512_set1_epi64(PRIME32[0].cast_signed()))
}
