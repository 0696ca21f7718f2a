//! The same on any machine: eight bytes in a word at a time.

use super::{Before, BitRows, ByteBlock, Edges, Firsts};
use crate::characters::Class;

const ONES: u64 = 0x0101_0101_0101_0101;
const TOPS: u64 = 0x80 * ONES;

/// See [`super::classify`].
pub fn classify(bytes: &[u8], classes_beyond_ascii: &[Class], rows: &mut BitRows) {
    classify_with(bytes, classes_beyond_ascii, rows, classes_of_block);
}

/// The same, where up to 64 bytes are classified by a function of the machine.
#[inline(always)]
pub fn classify_with(
    bytes: &[u8],
    classes_beyond_ascii: &[Class],
    rows: &mut BitRows,
    classes_of_block: impl Fn(&[u8]) -> ByteBlock,
) {
    let mut classes = classes_beyond_ascii.iter();
    let mut before = Before::default();
    for (i, bytes) in bytes.chunks(64).enumerate() {
        let block = classes_of_block(bytes);
        let mut firsts = Firsts { word: 0, mark: 0, unspaced: 0 };
        let mut left = block.beyond_ascii & !block.following;
        while left != 0 {
            let first = left & left.wrapping_neg();
            match classes.next() {
                Some(Class::Word) => firsts.word |= first,
                Some(Class::Mark) => firsts.mark |= first,
                Some(Class::Unspaced) => firsts.unspaced |= first,
                _ => {}
            }
            left ^= first;
        }
        rows.following[i] = block.following;
        (rows.in_word[i], rows.in_unspaced[i]) = before.settle(block, firsts);
    }
}

fn classes_of_block(bytes: &[u8]) -> ByteBlock {
    let mut block = ByteBlock { alphanumeric: 0, beyond_ascii: 0, following: 0 };
    for (i, bytes) in bytes.chunks(8).enumerate() {
        let mut padded = [0; 8];
        padded[..bytes.len()].copy_from_slice(bytes);
        let bytes = u64::from_le_bytes(padded);
        block.alphanumeric |= gather(is_alphanumeric(bytes)) << (8 * i);
        block.beyond_ascii |= gather(bytes & TOPS) << (8 * i);
        block.following |= gather(bytes & !(bytes << 1) & TOPS) << (8 * i);
    }
    block
}

/// Sets the top bit of each byte that is an ASCII letter or digit, and no other.
fn is_alphanumeric(bytes: u64) -> u64 {
    let low = bytes & !TOPS;
    // Bytes below 128: the sum reaches the top bit from `least` on, and never the next byte.
    let from = |bytes: u64, least: u8| bytes + ONES * u64::from(0x80 - least);
    let lower = low | (0x20 * ONES);
    let letters = from(lower, b'a') & !from(lower, b'z' + 1);
    let digits = from(low, b'0') & !from(low, b'9' + 1);
    (letters | digits) & !bytes & TOPS
}

/// The top bits of eight bytes, side by side.
fn gather(tops: u64) -> u64 {
    (tops >> 7).wrapping_mul(0x0102_0408_1020_4080) >> 56
}

/// See [`super::cut`].
#[inline(always)]
pub fn cut(rows: &BitRows, starts: &mut Vec<usize>, ends: &mut Vec<usize>) {
    let mut edges = Edges::default();
    for i in 0..rows.in_word.len() {
        let (first, after) = edges.of(rows, i);
        push_places(64 * i, first, starts);
        push_places(64 * i, after, ends);
    }
}

#[inline(always)]
fn push_places(base: usize, mut bits: u64, places: &mut Vec<usize>) {
    while bits != 0 {
        places.push(base + bits.trailing_zeros() as usize);
        bits &= bits - 1;
    }
}
