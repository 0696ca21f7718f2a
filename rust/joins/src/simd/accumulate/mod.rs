//! Counting, bit by bit, how many 64-bit features have the bit set.

#![allow(unsafe_code)]

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
mod portable;
#[cfg(test)]
mod tests;

use crate::dispatch;
use crate::hash::Half;
use crate::simd::Level;

#[cfg(target_arch = "x86_64")]
/// Writes `add_heap` for registers whose bits `add` adds up: sixteen of them become one (Muła, Kurz
/// and Lemire 2018, section 4, after Harley and Seal).
macro_rules! tree_of_adders {
    ($register:ty, $features:literal) => {
        /// Adds sixteen registers to the bits of worth 1, 2, 4 and 8; what they carry is worth 16.
        #[inline]
        #[target_feature(enable = $features)]
        fn add_heap(planes: &mut [$register; 4], row: impl Fn(usize) -> $register) -> $register {
            let [one, two, four, eight] = planes;
            let mut add_two = |i| add(one, row(i), row(i + 1));
            let mut add_four = |i| {
                let (first, second) = (add_two(i), add_two(i + 2));
                add(two, first, second)
            };
            let mut add_eight = |i| {
                let (first, second) = (add_four(i), add_four(i + 4));
                add(four, first, second)
            };
            let (first, second) = (add_eight(0), add_eight(8));
            add(eight, first, second)
        }
    };
}
#[cfg(target_arch = "x86_64")]
use tree_of_adders;

/// Adds to `ones[j]` the number of features that have bit j.
pub fn add_unweighted(features: &[u64], ones: &mut [u64; 64]) {
    dispatch!(
        Level::detect(),
        Avx512 | Avx512F => avx512::add_unweighted(features, ones),
        Avx2 => avx2::add_unweighted(features, ones),
        _ => portable::add_unweighted(features, ones),
    );
}

/// Adds to `ones[j]` the number of ids whose features have bit j.
pub fn add_ids(ids: &[u32], half: Half, ones: &mut [u64; 64]) {
    dispatch!(
        Level::detect(),
        Avx512 | Avx512F => avx512::add_ids(ids, half, ones),
        Avx2 => avx2::add_ids(ids, half, ones),
        _ => portable::add_ids(ids, half, ones),
    );
}

/// Adds to `ones[j]` the weights of the features that have bit j; there is one weight for each.
pub fn add_weighted(features: &[u64], weights: &[u32], ones: &mut [u64; 64]) {
    dispatch!(
        Level::detect(),
        Avx512 | Avx512F => avx512::add_weighted(features, weights, ones),
        Avx2 => avx2::add_weighted(features, weights, ones),
        _ => portable::add_weighted(features, weights, ones),
    );
}
