//! The same, 64 bytes at a time.

#![allow(unsafe_code)]

use std::arch::x86_64::*;

use super::edges;
use crate::simd::vector::{load_part_u8, load_u8};

/// See [`super::classify`].
#[target_feature(enable = "avx512f,avx512bw,bmi2")]
pub fn classify(bytes: &[u8], alphanumeric: &mut Vec<u64>, beyond_ascii: &mut Vec<u64>) {
    let words = bytes.len().div_ceil(64);
    alphanumeric.resize(words, 0);
    beyond_ascii.resize(words, 0);
    for ((block, word), beyond) in
        bytes.chunks(64).zip(alphanumeric.iter_mut()).zip(beyond_ascii.iter_mut())
    {
        let block = load_part_u8(block);
        let from_a = _mm512_sub_epi8(_mm512_or_si512(block, every(0x20)), every(b'a'));
        let from_0 = _mm512_sub_epi8(block, every(b'0'));
        *word =
            _mm512_cmplt_epu8_mask(from_a, every(26)) | _mm512_cmplt_epu8_mask(from_0, every(10));
        *beyond = _mm512_movepi8_mask(block);
    }
}

#[inline]
#[target_feature(enable = "avx512f")]
fn every(byte: u8) -> __m512i {
    _mm512_set1_epi8(byte.cast_signed())
}

/// See [`super::runs`].
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi2,popcnt,bmi1,bmi2")]
pub fn runs(row: &[u64], starts: &mut Vec<usize>, ends: &mut Vec<usize>) {
    let mut before = 0;
    for (i, &word) in row.iter().enumerate() {
        let (first, after) = edges(word, &mut before);
        append_places(64 * i, first, starts);
        append_places(64 * i, after, ends);
    }
}

/// Appends the places of the ones among 64 bits, the lowest of which has the place `base`.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi2,popcnt,bmi1,bmi2")]
fn append_places(base: usize, bits: u64, places: &mut Vec<usize>) {
    const { assert!(size_of::<usize>() == 8) };
    const LANES: [u8; 64] = {
        let mut lanes = [0; 64];
        let mut i = 0;
        while i < 64 {
            lanes[i] = i as u8;
            i += 1;
        }
        lanes
    };
    places.reserve(64);
    let mut packed = _mm512_maskz_compress_epi8(bits, load_u8(&LANES));
    let base = _mm512_set1_epi64((base as u64).cast_signed());
    let count = bits.count_ones() as usize;
    // Two times eight without asking: a block of text has some nine words, and to guess wrongly
    // costs more than to write too much.
    for written in (0..count.max(16)).step_by(8) {
        let eight = _mm512_cvtepu8_epi64(_mm512_castsi512_si128(packed));
        // SAFETY: there is room for 64, and each time this writes eight of them.
        unsafe {
            let to = places.as_mut_ptr().add(places.len() + written);
            _mm512_storeu_si512(to.cast(), _mm512_add_epi64(base, eight));
        }
        packed = _mm512_alignr_epi64::<1>(packed, packed);
    }
    // SAFETY: as many have been written, or more.
    unsafe { places.set_len(places.len() + count) };
}
