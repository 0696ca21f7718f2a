//! The same, 64 bytes at a time.

#![allow(unsafe_code)]

use std::arch::x86_64::*;

use crate::simd::vector::{append_u8, load_part_u8, load_u8, store_part_u8, store_u8};

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

/// See [`super::collapse`].
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi2,bmi2,popcnt")]
pub fn collapse(bytes: &mut [u8]) -> usize {
    let (mut written, mut after_space) = (0, 1);
    let whole = bytes.len() & !63;
    for at in (0..whole).step_by(64) {
        let (lanes, count) = collapse_block(load_part_u8(&bytes[at..]), 64, &mut after_space);
        // What is written beyond `count` has been read: `written` is never ahead of `at`.
        if let Some(to) = bytes[written..].first_chunk_mut() {
            store_u8(to, lanes);
        }
        written += count;
    }
    let rest = &bytes[whole..];
    let (lanes, count) = collapse_block(load_part_u8(rest), rest.len(), &mut after_space);
    store_part_u8(&mut bytes[written..written + count], lanes);
    written + count
}

/// What is left of the first `length` bytes of a block, and how many; `after_space` is 1 if there
/// was white space in front of the block, else 0.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi2,bmi2,popcnt")]
fn collapse_block(block: __m512i, length: usize, after_space: &mut u64) -> (__m512i, usize) {
    let blank = _mm512_set1_epi8(b' '.cast_signed());
    let from_tab = _mm512_sub_epi8(block, _mm512_set1_epi8(b'\t'.cast_signed()));
    let space = _mm512_cmplt_epu8_mask(from_tab, _mm512_set1_epi8(5))
        | _mm512_cmpeq_epi8_mask(block, blank);
    let kept = !(space & (space << 1 | *after_space)) & _bzhi_u64(u64::MAX, length as u32);
    *after_space = space >> 63;
    let lanes = _mm512_mask_mov_epi8(block, space, blank);
    (_mm512_maskz_compress_epi8(kept, lanes), kept.count_ones() as usize)
}
