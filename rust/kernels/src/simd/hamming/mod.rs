//! Which fingerprints lie within a radius of each other: the innermost loop of every join.
//!
//! Lists are compared as whole slices, so that one call serves thousands of short lists. With
//! AVX-512 (`VPOPCNTDQ`) eight queries meet eight targets at a time: the eight distances of each
//! lane are folded to their minimum and compared once, and only a block that holds a hit is looked
//! at again. The portable path compares one pair at a time; the hits are the same, in any order.

#![allow(unsafe_code)]

use crate::fingerprint::Fingerprint;

/// Calls `hit(a, b)` once for every two entries of the same list at most `radius` bits apart.
pub fn within<'a, T: Fingerprint + 'a>(
    lists: impl Iterator<Item = &'a [T]>,
    radius: u32,
    hit: &mut impl FnMut(T, T),
) {
    #[cfg(target_arch = "x86_64")]
    {
        if has_avx512() {
            // SAFETY: the processor has the features the function is compiled for.
            unsafe { avx512::within(lists, radius, hit) };
            return;
        }
        if std::arch::is_x86_feature_detected!("popcnt") {
            // SAFETY: the processor has the feature the function is compiled for.
            unsafe { popcnt::within(lists, radius, hit) };
            return;
        }
    }
    portable::within(lists, radius, hit);
}

/// Calls `hit(a, b)` once for every entry `a` of the left and `b` of the right list of a pair of
/// lists that are at most `radius` bits apart.
pub fn across<'a, T: Fingerprint + 'a>(
    lists: impl Iterator<Item = (&'a [T], &'a [T])>,
    radius: u32,
    hit: &mut impl FnMut(T, T),
) {
    #[cfg(target_arch = "x86_64")]
    {
        if has_avx512() {
            // SAFETY: the processor has the features the function is compiled for.
            unsafe { avx512::across(lists, radius, hit) };
            return;
        }
        if std::arch::is_x86_feature_detected!("popcnt") {
            // SAFETY: the processor has the feature the function is compiled for.
            unsafe { popcnt::across(lists, radius, hit) };
            return;
        }
    }
    portable::across(lists, radius, hit);
}

/// Calls `hit(b)` for every entry `b` of the lists that is at most `radius` bits from the query.
pub fn near<'a, T: Fingerprint + 'a>(
    query: T,
    lists: impl Iterator<Item = &'a [T]>,
    radius: u32,
    hit: &mut impl FnMut(T),
) {
    #[cfg(target_arch = "x86_64")]
    {
        if has_avx512() {
            // SAFETY: the processor has the features the function is compiled for.
            unsafe { avx512::near(query, lists, radius, hit) };
            return;
        }
        if std::arch::is_x86_feature_detected!("popcnt") {
            // SAFETY: the processor has the feature the function is compiled for.
            unsafe { popcnt::near(query, lists, radius, hit) };
            return;
        }
    }
    portable::near(query, lists, radius, hit);
}

/// Nanoseconds one comparison costs in a long list on this processor (measured, rounded).
pub fn comparison_cost<T: Fingerprint>() -> f64 {
    f64::from(T::BITS / u64::BITS) * cost_of_a_word()
}

fn cost_of_a_word() -> f64 {
    #[cfg(target_arch = "x86_64")]
    {
        if has_avx512() {
            return 0.05;
        }
        if std::arch::is_x86_feature_detected!("popcnt") {
            return 0.4;
        }
    }
    1.5
}

#[cfg(target_arch = "x86_64")]
fn has_avx512() -> bool {
    std::arch::is_x86_feature_detected!("avx512f")
        && std::arch::is_x86_feature_detected!("avx512vpopcntdq")
}

mod portable {
    use super::Fingerprint;

    #[inline(always)]
    pub(super) fn within<'a, T: Fingerprint + 'a>(
        lists: impl Iterator<Item = &'a [T]>,
        radius: u32,
        hit: &mut impl FnMut(T, T),
    ) {
        for list in lists {
            for (i, &a) in list.iter().enumerate() {
                one_to_many(a, &list[i + 1..], radius, hit);
            }
        }
    }

    #[inline(always)]
    pub(super) fn across<'a, T: Fingerprint + 'a>(
        lists: impl Iterator<Item = (&'a [T], &'a [T])>,
        radius: u32,
        hit: &mut impl FnMut(T, T),
    ) {
        for (left, right) in lists {
            for &a in left {
                one_to_many(a, right, radius, hit);
            }
        }
    }

    #[inline(always)]
    pub(super) fn near<'a, T: Fingerprint + 'a>(
        query: T,
        lists: impl Iterator<Item = &'a [T]>,
        radius: u32,
        hit: &mut impl FnMut(T),
    ) {
        for list in lists {
            one_to_many(query, list, radius, &mut |_, b| hit(b));
        }
    }

    #[inline(always)]
    fn one_to_many<T: Fingerprint>(a: T, targets: &[T], radius: u32, hit: &mut impl FnMut(T, T)) {
        for &b in targets {
            if (a ^ b).ones() <= radius {
                hit(a, b);
            }
        }
    }
}

/// The portable loops with the processor's own bit count.
#[cfg(target_arch = "x86_64")]
mod popcnt {
    use super::{Fingerprint, portable};

    #[target_feature(enable = "popcnt")]
    pub(super) fn within<'a, T: Fingerprint + 'a>(
        lists: impl Iterator<Item = &'a [T]>,
        radius: u32,
        hit: &mut impl FnMut(T, T),
    ) {
        portable::within(lists, radius, hit);
    }

    #[target_feature(enable = "popcnt")]
    pub(super) fn across<'a, T: Fingerprint + 'a>(
        lists: impl Iterator<Item = (&'a [T], &'a [T])>,
        radius: u32,
        hit: &mut impl FnMut(T, T),
    ) {
        portable::across(lists, radius, hit);
    }

    #[target_feature(enable = "popcnt")]
    pub(super) fn near<'a, T: Fingerprint + 'a>(
        query: T,
        lists: impl Iterator<Item = &'a [T]>,
        radius: u32,
        hit: &mut impl FnMut(T),
    ) {
        portable::near(query, lists, radius, hit);
    }
}

#[cfg(target_arch = "x86_64")]
mod avx512;

#[cfg(test)]
mod tests;
