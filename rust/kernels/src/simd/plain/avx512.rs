//! The same, 64 bytes at a time.

#![allow(unsafe_code)]

use std::arch::x86_64::*;

use ilk_joins::simd::vector::{append_u8, load_part_u8};

/// See [`super::push_plain`].
#[target_feature(enable = "avx512f,avx512bw,bmi1,bmi2")]
pub fn push_plain(bytes: &[u8], to: &mut Vec<u8>) -> usize {
    let every = |byte: u8| _mm512_set1_epi8(byte.cast_signed());
    let mut at = 0;
    loop {
        let rest = &bytes[at..];
        let block = load_part_u8(rest);
        let odd = _mm512_cmplt_epu8_mask(block, every(b' '))
            | _mm512_cmpeq_epi8_mask(block, every(b'"'))
            | _mm512_cmpeq_epi8_mask(block, every(b'\\'));
        // What is beyond the end is 0, a control character.
        let count = odd.trailing_zeros() as usize;
        append_u8(to, block, count);
        at += count;
        if count < 64 {
            return at;
        }
    }
}
