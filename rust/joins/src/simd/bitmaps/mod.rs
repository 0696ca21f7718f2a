//! Bitmaps that differ in few bits from another, looked for in very many short lists.
//!
//! The words of a bitmap lie side by side, so that a list is read from one place, and one call
//! serves many questions. To compare two or four bitmaps at a time with AVX-512 made joins no faster
//! (6 x 10^4 sets of 60 values, AMD EPYC of Zen 5).

#![allow(unsafe_code)]

mod portable;
#[cfg(test)]
mod tests;

use crate::dispatch;
use crate::simd::Level;

/// A bitmap, and the places of those that it is compared with.
#[derive(Debug, Clone, Copy)]
pub struct BitmapQuestion<const W: usize> {
    /// The name of the question.
    pub key: u32,
    /// The most bits in which bitmaps may differ from this one.
    pub most: u32,
    /// The place of the first.
    pub from: u32,
    /// The place after the last.
    pub to: u32,
    /// The bitmap.
    pub bitmap: [u64; W],
}

impl<const W: usize> BitmapQuestion<W> {
    /// The bitmaps of the list; none where they lie outside.
    fn list<'p>(&self, bitmaps: &'p [[u64; W]]) -> &'p [[u64; W]] {
        bitmaps.get(self.from as usize..self.to as usize).unwrap_or(&[])
    }
}

/// The portable loop with the processor's own bit count.
#[cfg(target_arch = "x86_64")]
mod avx2 {
    use super::BitmapQuestion;

    crate::recompiled! {
        fn each_near_bitmap[const W: usize](
            questions: &[BitmapQuestion<W>],
            bitmaps: &[[u64; W]],
            hit: &mut impl FnMut(u32, u32),
        );
    }
}

/// Calls `hit` with the key of each question and the place of each bitmap of its list that differs
/// in at most as many bits as it says; question by question, in order. Bitmaps have two or four
/// words.
pub fn each_near_bitmap<const W: usize>(
    questions: &[BitmapQuestion<W>],
    bitmaps: &[[u64; W]],
    hit: &mut impl FnMut(u32, u32),
) {
    const { assert!(W == 2 || W == 4) };
    dispatch!(
        Level::detect(),
        Avx512 | Avx512F | Avx2 => avx2::each_near_bitmap(questions, bitmaps, hit),
        _ => portable::each_near_bitmap(questions, bitmaps, hit),
    );
}
