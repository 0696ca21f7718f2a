//! The long loop of XXH3, its eight sums in a register.

#![allow(unsafe_code)]

use std::arch::x86_64::*;

use crate::simd::vector::{load_u8, load_u64, store_u64};

/// Stripes of 64 bytes between two scrambles.
const STRIPES: usize = (SECRET.len() - 64) / 8;

/// The hash of more than 240 bytes.
#[target_feature(enable = "avx512f,avx512dq")]
pub fn xxh3_128_long(bytes: &[u8]) -> u128 {
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

/// Multipliers of XXH32 and XXH64, by the names that their author gives them.
const PRIME32: [u64; 3] = [0x9E37_79B1, 0x85EB_CA77, 0xC2B2_AE3D];
const PRIME64: [u64; 5] = [
    0x9E37_79B1_85EB_CA87,
    0xC2B2_AE3D_27D4_EB4F,
    0x1656_67B1_9E37_79F9,
    0x85EB_CA77_C2B2_AE63,
    0x27D4_EB2F_1656_67C5,
];

/// First value of the sums.
const START: [u64; 8] = [
    PRIME32[2], PRIME64[0], PRIME64[1], PRIME64[2], PRIME64[3], PRIME32[1], PRIME64[4], PRIME32[0],
];

/// The hash of `length` bytes from their sums.
fn finish(sums: [u64; 8], length: usize) -> u128 {
    let length = length as u64;
    let low = merge(sums, 11, length.wrapping_mul(PRIME64[0]));
    let high = merge(sums, SECRET.len() - 64 - 11, !length.wrapping_mul(PRIME64[1]));
    u128::from(high) << 64 | u128::from(low)
}

fn merge(sums: [u64; 8], secret: usize, start: u64) -> u64 {
    let word = |at: usize| {
        let bytes = SECRET[secret + 8 * at..].first_chunk();
        bytes.map_or(0, |bytes| u64::from_le_bytes(*bytes))
    };
    let fold = |i: usize| {
        let product = u128::from(sums[i] ^ word(i)) * u128::from(sums[i + 1] ^ word(i + 1));
        product as u64 ^ (product >> 64) as u64
    };
    let hash = [0, 2, 4, 6].map(fold).into_iter().fold(start, u64::wrapping_add);
    let hash = (hash ^ hash >> 37).wrapping_mul(0x1656_6791_9E37_79F9);
    hash ^ hash >> 32
}

/// The default secret (XXH3 specification, "kSecret").
#[rustfmt::skip]
const SECRET: [u8; 192] = [
    0xb8, 0xfe, 0x6c, 0x39, 0x23, 0xa4, 0x4b, 0xbe, 0x7c, 0x01, 0x81, 0x2c, 0xf7, 0x21, 0xad, 0x1c,
    0xde, 0xd4, 0x6d, 0xe9, 0x83, 0x90, 0x97, 0xdb, 0x72, 0x40, 0xa4, 0xa4, 0xb7, 0xb3, 0x67, 0x1f,
    0xcb, 0x79, 0xe6, 0x4e, 0xcc, 0xc0, 0xe5, 0x78, 0x82, 0x5a, 0xd0, 0x7d, 0xcc, 0xff, 0x72, 0x21,
    0xb8, 0x08, 0x46, 0x74, 0xf7, 0x43, 0x24, 0x8e, 0xe0, 0x35, 0x90, 0xe6, 0x81, 0x3a, 0x26, 0x4c,
    0x3c, 0x28, 0x52, 0xbb, 0x91, 0xc3, 0x00, 0xcb, 0x88, 0xd0, 0x65, 0x8b, 0x1b, 0x53, 0x2e, 0xa3,
    0x71, 0x64, 0x48, 0x97, 0xa2, 0x0d, 0xf9, 0x4e, 0x38, 0x19, 0xef, 0x46, 0xa9, 0xde, 0xac, 0xd8,
    0xa8, 0xfa, 0x76, 0x3f, 0xe3, 0x9c, 0x34, 0x3f, 0xf9, 0xdc, 0xbb, 0xc7, 0xc7, 0x0b, 0x4f, 0x1d,
    0x8a, 0x51, 0xe0, 0x4b, 0xcd, 0xb4, 0x59, 0x31, 0xc8, 0x9f, 0x7e, 0xc9, 0xd9, 0x78, 0x73, 0x64,
    0xea, 0xc5, 0xac, 0x83, 0x34, 0xd3, 0xeb, 0xc3, 0xc5, 0x81, 0xa0, 0xff, 0xfa, 0x13, 0x63, 0xeb,
    0x17, 0x0d, 0xdd, 0x51, 0xb7, 0xf0, 0xda, 0x49, 0xd3, 0x16, 0x55, 0x26, 0x29, 0xd4, 0x68, 0x9e,
    0x2b, 0x16, 0xbe, 0x58, 0x7d, 0x47, 0xa1, 0xfc, 0x8f, 0xf8, 0xb8, 0xd1, 0x7a, 0xd0, 0x31, 0xce,
    0x45, 0xcb, 0x3a, 0x8f, 0x95, 0x16, 0x04, 0x28, 0xaf, 0xd7, 0xfb, 0xca, 0xbb, 0x4b, 0x40, 0x7e,
];
