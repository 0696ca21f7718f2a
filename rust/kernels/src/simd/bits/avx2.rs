//! The same, 32 bytes at a time.

#![allow(unsafe_code)]

use std::arch::x86_64::*;

use super::{Block, Rows, portable};
use crate::characters::Class;
use crate::simd::level::recompiled;
use crate::simd::vector::load_32;

/// See [`super::classify`].
#[target_feature(enable = "avx2,bmi1")]
pub fn classify(bytes: &[u8], classes: &[Class], rows: &mut Rows) {
    portable::classify_as_read(bytes, classes, rows, |bytes| {
        let mut padded = [0; 64];
        padded[..bytes.len()].copy_from_slice(bytes);
        read(bytes.first_chunk().unwrap_or(&padded))
    });
}

#[inline]
#[target_feature(enable = "avx2")]
fn read(bytes: &[u8; 64]) -> Block {
    let [first, second] = [0, 1].map(|i| load_32(&bytes.as_chunks().0[i]));
    // As signed numbers, the bytes after a character's first are the least.
    let following = |half| _mm256_cmpgt_epi8(every(0xC0), half);
    Block {
        alphanumeric: mask(is_alphanumeric(first), is_alphanumeric(second)),
        beyond_ascii: mask(first, second),
        following: mask(following(first), following(second)),
    }
}

/// The top bits of 64 bytes.
#[inline]
#[target_feature(enable = "avx2")]
fn mask(first: __m256i, second: __m256i) -> u64 {
    let half = |half| u64::from(_mm256_movemask_epi8(half).cast_unsigned());
    half(first) | half(second) << 32
}

#[inline]
#[target_feature(enable = "avx2")]
fn is_alphanumeric(bytes: __m256i) -> __m256i {
    let below = |bytes, first: u8, count: u8| {
        let from = _mm256_sub_epi8(bytes, every(first));
        _mm256_cmpeq_epi8(_mm256_min_epu8(from, every(count - 1)), from)
    };
    let lower = _mm256_or_si256(bytes, every(0x20));
    _mm256_or_si256(below(lower, b'a', 26), below(bytes, b'0', 10))
}

#[inline]
#[target_feature(enable = "avx2")]
fn every(byte: u8) -> __m256i {
    _mm256_set1_epi8(byte.cast_signed())
}

recompiled! {
    fn cut(rows: &Rows, starts: &mut Vec<usize>, ends: &mut Vec<usize>);
}
