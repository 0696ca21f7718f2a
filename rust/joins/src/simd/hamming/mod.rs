//! Fingerprints within a radius of each other: the innermost loop of every join.
//!
//! Lists are compared as whole slices, so that one call serves thousands of short lists. With
//! AVX-512 eight queries meet eight targets at a time: the eight distances of each
//! lane are folded to their minimum and compared once, and only a block that holds a hit is looked
//! at again. The portable path compares one pair at a time; the hits are the same, in any order.

#![allow(unsafe_code)]

#[cfg(target_arch = "x86_64")]
mod avx512;
#[cfg(target_arch = "x86_64")]
mod avx512_without_popcount;
#[cfg(target_arch = "x86_64")]
mod eight;
mod portable;
#[cfg(test)]
mod tests;

use crate::dispatch;
use crate::fingerprint::Fingerprint;
use crate::simd::Level;

/// The portable loops with the processor's own bit count.
#[cfg(target_arch = "x86_64")]
mod avx2 {
    use super::Fingerprint;

    crate::recompiled! {
        fn each_pair_within['a, T: Fingerprint + 'a](
            lists: impl Iterator<Item = &'a [T]>,
            radius: u32,
            hit: &mut impl FnMut(T, T),
        );
        fn each_pair_across['a, T: Fingerprint + 'a](
            lists: impl Iterator<Item = (&'a [T], &'a [T])>,
            radius: u32,
            hit: &mut impl FnMut(T, T),
        );
        fn each_near['a, T: Fingerprint + 'a](
            query: T,
            lists: impl Iterator<Item = &'a [T]>,
            radius: u32,
            hit: &mut impl FnMut(T),
        );
        fn each_near_place[const N: usize](
            queries: [u64; N],
            lists: [&[u64]; N],
            radius: u32,
            hit: &mut impl FnMut(usize),
        );
    }
}

/// Calls `hit(a, b)` once for every two entries of the same list at most `radius` bits apart.
pub fn each_pair_within<'a, T: Fingerprint + 'a>(
    lists: impl Iterator<Item = &'a [T]>,
    radius: u32,
    hit: &mut impl FnMut(T, T),
) {
    dispatch!(
        Level::detect(),
        Avx512 => avx512::each_pair_within(lists, radius, hit),
        Avx512F => avx512_without_popcount::each_pair_within(lists, radius, hit),
        Avx2 => avx2::each_pair_within(lists, radius, hit),
        _ => portable::each_pair_within(lists, radius, hit),
    );
}

/// Calls `hit(a, b)` once for every entry `a` of the left and `b` of the right list of a pair of
/// lists that are at most `radius` bits apart.
pub fn each_pair_across<'a, T: Fingerprint + 'a>(
    lists: impl Iterator<Item = (&'a [T], &'a [T])>,
    radius: u32,
    hit: &mut impl FnMut(T, T),
) {
    dispatch!(
        Level::detect(),
        Avx512 => avx512::each_pair_across(lists, radius, hit),
        Avx512F => avx512_without_popcount::each_pair_across(lists, radius, hit),
        Avx2 => avx2::each_pair_across(lists, radius, hit),
        _ => portable::each_pair_across(lists, radius, hit),
    );
}

/// Calls `hit(b)` for every entry `b` of the lists that is at most `radius` bits from the query.
pub fn each_near<'a, T: Fingerprint + 'a>(
    query: T,
    lists: impl Iterator<Item = &'a [T]>,
    radius: u32,
    hit: &mut impl FnMut(T),
) {
    dispatch!(
        Level::detect(),
        Avx512 => avx512::each_near(query, lists, radius, hit),
        Avx512F => avx512_without_popcount::each_near(query, lists, radius, hit),
        Avx2 => avx2::each_near(query, lists, radius, hit),
        _ => portable::each_near(query, lists, radius, hit),
    );
}

/// Calls `hit(place)` for every place of some lists of one length at which the distances from the
/// queries, each to its list, are at most `radius` bits together, in order.
pub fn each_near_place<const N: usize>(
    queries: [u64; N],
    lists: [&[u64]; N],
    radius: u32,
    hit: &mut impl FnMut(usize),
) {
    dispatch!(
        Level::detect(),
        Avx512 => avx512::each_near_place(queries, lists, radius, hit),
        Avx512F => avx512_without_popcount::each_near_place(queries, lists, radius, hit),
        Avx2 => avx2::each_near_place(queries, lists, radius, hit),
        _ => portable::each_near_place(queries, lists, radius, hit),
    );
}

/// Nanoseconds one comparison costs in a long list on this processor (measured, rounded).
pub fn comparison_cost<T: Fingerprint>() -> f64 {
    f64::from(T::BITS / u64::BITS) * cost_of_a_word()
}

fn cost_of_a_word() -> f64 {
    match Level::detect() {
        #[cfg(target_arch = "x86_64")]
        Level::Avx512 => 0.05,
        #[cfg(target_arch = "x86_64")]
        Level::Avx512F => 0.2,
        #[cfg(target_arch = "x86_64")]
        Level::Avx2 => 0.4,
        Level::Portable => 1.5,
    }
}
