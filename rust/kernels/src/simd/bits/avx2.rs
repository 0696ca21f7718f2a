//! The same, 32 bytes at a time.

#![allow(unsafe_code)]

use super::{BitRows, ByteBlock, Edges, portable};
use crate::characters::Class;
use crate::simd::halves::Halves;

/// See [`super::classify`].
#[target_feature(enable = "avx2,bmi1")]
pub fn classify(bytes: &[u8], classes_beyond_ascii: &[Class], rows: &mut BitRows) {
    portable::classify_with(bytes, classes_beyond_ascii, rows, |bytes| {
        let mut padded = [0; 64];
        padded[..bytes.len()].copy_from_slice(bytes);
        classes_of_block(bytes.first_chunk().unwrap_or(&padded))
    });
}

#[inline]
#[target_feature(enable = "avx2")]
fn classes_of_block(bytes: &[u8; 64]) -> ByteBlock {
    let block = Halves::load(bytes);
    let letters = block.or_every(0x20).among(b'a', 26);
    ByteBlock {
        alphanumeric: letters.or(block.among(b'0', 10)).tops(),
        beyond_ascii: block.tops(),
        following: block.following().tops(),
    }
}

/// See [`super::cut`].
#[target_feature(enable = "avx2,bmi1,bmi2,popcnt")]
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
#[target_feature(enable = "avx2,bmi1,bmi2,popcnt")]
fn append_places(base: usize, mut bits: u64, places: &mut Vec<usize>) {
    places.reserve(64);
    let count = bits.count_ones() as usize;
    let to = places.spare_capacity_mut();
    // Two times eight without asking: a block of text has some nine words, and to guess wrongly
    // costs more than to write too much.
    for eight in to.as_chunks_mut::<8>().0.iter_mut().take(count.div_ceil(8).max(2)) {
        for place in eight {
            place.write(base + bits.trailing_zeros() as usize);
            bits &= bits.wrapping_sub(1);
        }
    }
    // SAFETY: there is room for 64, and as many have been written, or more.
    unsafe { places.set_len(places.len() + count) };
}
