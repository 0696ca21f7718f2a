//! The same, 64 bytes at a time.

#![allow(unsafe_code)]

use std::arch::x86_64::*;

use super::{Before, BitRows, ByteBlock, Edges, Firsts};
use crate::characters::Class;
use ilk_joins::simd::vector::{load_part_u8, load_u8};

/// Loads up to 64 classes, each as its number; the lanes beyond are 0.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,bmi2")]
fn load_part_classes(from: &[Class]) -> __m512i {
    const { assert!(size_of::<Class>() == 1) };
    let count = from.len().min(64);
    // SAFETY: each class is one byte, and as many are read as there are.
    load_part_u8(unsafe { std::slice::from_raw_parts(from.as_ptr().cast(), count) })
}

/// See [`super::classify`].
#[target_feature(enable = "avx512f,avx512bw,bmi2,popcnt")]
pub fn classify(bytes: &[u8], mut classes_beyond_ascii: &[Class], rows: &mut BitRows) {
    let mut before = Before::default();
    let words = rows.in_word.iter_mut().zip(&mut rows.in_unspaced).zip(&mut rows.following);
    for (bytes, ((in_word, in_unspaced), following)) in bytes.chunks(64).zip(words) {
        let block = classes_of_block(load_part_u8(bytes));
        if block.beyond_ascii == 0 {
            *in_word = block.alphanumeric;
            before = Before::default();
            continue;
        }
        let first = block.beyond_ascii & !block.following;
        let lanes = load_part_classes(classes_beyond_ascii);
        let of =
            |class| _pdep_u64(_mm512_cmpeq_epi8_mask(lanes, in_every_lane(class as u8)), first);
        let firsts =
            Firsts { word: of(Class::Word), mark: of(Class::Mark), unspaced: of(Class::Unspaced) };
        classes_beyond_ascii =
            classes_beyond_ascii.get(first.count_ones() as usize..).unwrap_or_default();
        *following = block.following;
        (*in_word, *in_unspaced) = before.settle(block, firsts);
    }
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
fn classes_of_block(bytes: __m512i) -> ByteBlock {
    let from_a = _mm512_sub_epi8(_mm512_or_si512(bytes, in_every_lane(0x20)), in_every_lane(b'a'));
    let from_0 = _mm512_sub_epi8(bytes, in_every_lane(b'0'));
    ByteBlock {
        alphanumeric: _mm512_cmplt_epu8_mask(from_a, in_every_lane(26))
            | _mm512_cmplt_epu8_mask(from_0, in_every_lane(10)),
        beyond_ascii: _mm512_movepi8_mask(bytes),
        // As signed numbers, these bytes are the least.
        following: _mm512_cmplt_epi8_mask(bytes, in_every_lane(0xC0)),
    }
}

#[inline]
#[target_feature(enable = "avx512f")]
fn in_every_lane(byte: u8) -> __m512i {
    _mm512_set1_epi8(byte.cast_signed())
}

/// See [`super::cut`].
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi2,popcnt,bmi1,bmi2")]
pub fn cut(rows: &BitRows, starts: &mut Vec<usize>, ends: &mut Vec<usize>) {
    let mut edges = Edges::default();
    for i in 0..rows.in_word.len() {
        let (first, after) = edges.of(rows, i);
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
