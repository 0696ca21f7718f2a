//! The same, 64 bytes at a time.

#![allow(unsafe_code)]

use std::arch::x86_64::*;

use crate::simd::vector::{append_u8, load_part_u8, load_u8};

/// See [`super::push_lowercase`].
#[target_feature(enable = "avx512f,avx512bw,bmi1,bmi2")]
pub fn push_lowercase(bytes: &[u8], to: &mut Vec<u8>) -> usize {
    let (blocks, rest) = bytes.as_chunks::<64>();
    for (i, block) in blocks.iter().enumerate() {
        let (lower, beyond) = lowercase(load_u8(block));
        // Asks, rather than counts, so that the next block need not wait for the answer.
        if beyond != 0 {
            let run = beyond.trailing_zeros() as usize;
            append_u8(to, lower, run);
            return 64 * i + run;
        }
        append_u8(to, lower, 64);
    }
    let (lower, beyond) = lowercase(load_part_u8(rest));
    let run = rest.len().min(beyond.trailing_zeros() as usize);
    append_u8(to, lower, run);
    bytes.len() - rest.len() + run
}

/// The bytes in lower case, and which of them are not ASCII.
#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
fn lowercase(block: __m512i) -> (__m512i, u64) {
    let from_a = _mm512_sub_epi8(block, _mm512_set1_epi8(b'A'.cast_signed()));
    let upper = _mm512_cmplt_epu8_mask(from_a, _mm512_set1_epi8(26));
    let lower = _mm512_mask_add_epi8(block, upper, block, _mm512_set1_epi8(0x20));
    (lower, _mm512_movepi8_mask(block))
}
