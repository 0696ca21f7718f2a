//! The same, 32 bytes at a time.

#![allow(unsafe_code)]

use super::{Block, Rows, portable};
use crate::characters::Class;
use crate::simd::halves::Halves;
use ilk_joins::recompiled;

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
    let block = Halves::load(bytes);
    let letters = block.or_every(0x20).among(b'a', 26);
    Block {
        alphanumeric: letters.or(block.among(b'0', 10)).tops(),
        beyond_ascii: block.tops(),
        following: block.following().tops(),
    }
}

recompiled! {
    fn cut(rows: &Rows, starts: &mut Vec<usize>, ends: &mut Vec<usize>);
}
