//! The same, 64 bytes at a time.

#![allow(unsafe_code)]

use std::arch::x86_64::*;

use crate::characters::is_ascii_space;
use ilk_joins::simd::vector::{append_u8, load_part_u8, store_part_u8, store_u8};

/// See [`super::push_collapsed`].
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi2,bmi2,popcnt")]
pub fn push_collapsed(part: &[u8], after_space: &mut bool, to: &mut Vec<u8>) {
    let mut after = u64::from(*after_space);
    for at in (0..part.len()).step_by(64) {
        let rest = &part[at..];
        let length = rest.len().min(64);
        let (lanes, count) = collapse_block(load_part_u8(rest), length, &mut after);
        append_u8(to, lanes, count);
        *after_space = is_ascii_space(rest[length - 1]);
    }
}

/// See [`super::collapse`].
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi2,bmi2,popcnt")]
pub fn collapse(bytes: &mut [u8]) -> usize {
    let (mut written, mut after_space) = (0, 1);
    let whole = bytes.len() & !63;
    for at in (0..whole).step_by(64) {
        let (lanes, count) = collapse_block(load_part_u8(&bytes[at..]), 64, &mut after_space);
        // Bytes written beyond `count` have been read: `written` is never ahead of `at`.
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

/// Collapse the first `length` bytes of a block; return what is left, and its length; `after_space`
/// is 1 if there was white space before the block, else 0.
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
