//! Size of the intersection of two sorted sets, a block of each at a time.
//!
//! Every value of one block is compared with every value of the other by rotating both (Díez-Cañas,
//! "Faster-Than-Native Alternatives for x86 VP2INTERSECT Instructions", 2021, section 2: rotate one
//! by whole lanes and the other inside its lanes, so that few shuffles serve many comparisons).
//! Then the block with the smaller last value is left behind, both if they are equal.

#![allow(unsafe_code)]

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(test)]
mod tests;

use crate::dispatch;
use crate::simd::Level;

/// Compares sets block by block, at a level that is looked up once for all of them.
#[derive(Debug, Clone, Copy)]
pub struct SetIntersector(Level);

impl SetIntersector {
    /// That of this machine.
    #[must_use]
    pub fn detect() -> Self {
        Self(Level::detect())
    }

    /// |A n B| of two sets, each sorted ascending and distinct, if it is at least `need`; a pair
    /// that cannot reach it is left early.
    #[inline]
    #[must_use]
    pub fn count_shared(self, a: &[u32], b: &[u32], need: usize) -> Option<usize> {
        let at = self.match_whole_blocks(a, b, need);
        let (a, b) = (&a[at.left..], &b[at.right..]);
        if at.shared + a.len().min(b.len()) < need {
            return None;
        }
        let shared = at.shared + count_by_merge(a, b);
        (shared >= need).then_some(shared)
    }

    /// Compares whole blocks, as [`Reached`] says; without vector instructions it does nothing.
    fn match_whole_blocks(self, a: &[u32], b: &[u32], need: usize) -> Reached {
        dispatch!(
            self.0,
            Avx512 | Avx512F | Avx2 => avx2::match_whole_blocks(a, b, need),
            _ => NOTHING,
        )
    }
}

/// State after comparing whole blocks: until one set has no whole block left, or until fewer than
/// `need` values can be shared in all. The sets then share the values found and those that the
/// rest of both shares.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Reached {
    /// Values of the left set that are done with.
    left: usize,
    /// Values of the right set that are done with.
    right: usize,
    /// Shared values found.
    shared: usize,
}

const NOTHING: Reached = Reached { left: 0, right: 0, shared: 0 };

/// Reads both sets side by side, without a branch on their values.
fn count_by_merge(a: &[u32], b: &[u32]) -> usize {
    let (mut i, mut j, mut shared) = (0, 0, 0);
    while i < a.len() && j < b.len() {
        let (x, y) = (a[i], b[j]);
        shared += usize::from(x == y);
        i += usize::from(x <= y);
        j += usize::from(y <= x);
    }
    shared
}
