//! Which 64-bit numbers lie within a radius of each other: the innermost loop of every join.
//!
//! Lists are compared as whole slices, so that one call serves thousands of short lists. With
//! AVX-512 (`VPOPCNTDQ`) eight queries meet eight targets at a time: the eight distances of each
//! lane are folded to their minimum and compared once, and only a block that holds a hit is looked
//! at again. The portable path compares one pair at a time; the hits are the same, in any order.

#![allow(unsafe_code)]

/// Calls `hit(a, b)` once for every two entries of the same list at most `radius` bits apart.
pub fn within<'a>(
    lists: impl Iterator<Item = &'a [u64]>,
    radius: u32,
    hit: &mut impl FnMut(u64, u64),
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
pub fn across<'a>(
    lists: impl Iterator<Item = (&'a [u64], &'a [u64])>,
    radius: u32,
    hit: &mut impl FnMut(u64, u64),
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

/// Nanoseconds one comparison costs in a long list on this processor (measured, rounded).
pub fn comparison_cost() -> f64 {
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
    #[inline(always)]
    pub(super) fn within<'a>(
        lists: impl Iterator<Item = &'a [u64]>,
        radius: u32,
        hit: &mut impl FnMut(u64, u64),
    ) {
        for list in lists {
            for (i, &a) in list.iter().enumerate() {
                one_to_many(a, &list[i + 1..], radius, hit);
            }
        }
    }

    #[inline(always)]
    pub(super) fn across<'a>(
        lists: impl Iterator<Item = (&'a [u64], &'a [u64])>,
        radius: u32,
        hit: &mut impl FnMut(u64, u64),
    ) {
        for (left, right) in lists {
            for &a in left {
                one_to_many(a, right, radius, hit);
            }
        }
    }

    #[inline(always)]
    fn one_to_many(a: u64, targets: &[u64], radius: u32, hit: &mut impl FnMut(u64, u64)) {
        for &b in targets {
            if (a ^ b).count_ones() <= radius {
                hit(a, b);
            }
        }
    }
}

/// The portable loops with the processor's own bit count.
#[cfg(target_arch = "x86_64")]
mod popcnt {
    use super::portable;

    #[target_feature(enable = "popcnt")]
    pub(super) fn within<'a>(
        lists: impl Iterator<Item = &'a [u64]>,
        radius: u32,
        hit: &mut impl FnMut(u64, u64),
    ) {
        portable::within(lists, radius, hit);
    }

    #[target_feature(enable = "popcnt")]
    pub(super) fn across<'a>(
        lists: impl Iterator<Item = (&'a [u64], &'a [u64])>,
        radius: u32,
        hit: &mut impl FnMut(u64, u64),
    ) {
        portable::across(lists, radius, hit);
    }
}

#[cfg(target_arch = "x86_64")]
mod avx512 {
    use std::arch::x86_64::*;

    const LANES: usize = 8;

    /// What fills unused lanes: words 32 bits from each other and, negated, from each other again,
    /// so that an unused lane seldom raises an alarm (rows of a Hadamard matrix, repeated).
    const FILL: [u64; LANES] = [
        0x0000_0000_0000_0000,
        0x5555_5555_5555_5555,
        0x3333_3333_3333_3333,
        0x6666_6666_6666_6666,
        0x0f0f_0f0f_0f0f_0f0f,
        0x5a5a_5a5a_5a5a_5a5a,
        0x3c3c_3c3c_3c3c_3c3c,
        0x6969_6969_6969_6969,
    ];

    /// Up to eight numbers; lanes beyond `used` hold the fill.
    #[derive(Clone, Copy)]
    struct Block {
        lanes: __m512i,
        used: usize,
    }

    impl Block {
        #[inline]
        #[target_feature(enable = "avx512f,avx512vpopcntdq")]
        fn load(numbers: &[u64], fill: __m512i) -> Self {
            let used = numbers.len().min(LANES);
            // SAFETY: the mask selects the first `used` lanes only, all inside `numbers`, and
            // lanes that are not selected are not read.
            let lanes =
                unsafe { _mm512_mask_loadu_epi64(fill, mask(used), numbers.as_ptr().cast()) };
            Self { lanes, used }
        }
    }

    /// The first `used` (at most eight) of eight lanes.
    fn mask(used: usize) -> u8 {
        (0xff_u16 >> (LANES - used)) as u8
    }

    #[inline]
    #[target_feature(enable = "avx512f,avx512vpopcntdq")]
    fn fill() -> __m512i {
        // SAFETY: eight words are read from an array of eight words.
        unsafe { _mm512_loadu_si512(FILL.as_ptr().cast()) }
    }

    #[target_feature(enable = "avx512f,avx512vpopcntdq")]
    pub(super) fn within<'a>(
        lists: impl Iterator<Item = &'a [u64]>,
        radius: u32,
        hit: &mut impl FnMut(u64, u64),
    ) {
        let fill = fill();
        for list in lists {
            let mut rest = list;
            while rest.len() > 1 {
                let block = Block::load(rest, fill);
                rest = &rest[block.used..];
                inside(block, radius, hit);
                if !rest.is_empty() {
                    against(block, rest, radius, hit);
                }
            }
        }
    }

    #[target_feature(enable = "avx512f,avx512vpopcntdq")]
    pub(super) fn across<'a>(
        lists: impl Iterator<Item = (&'a [u64], &'a [u64])>,
        radius: u32,
        hit: &mut impl FnMut(u64, u64),
    ) {
        let fill = fill();
        for (left, right) in lists {
            for queries in left.chunks(LANES) {
                against(Block::load(queries, fill), right, radius, hit);
            }
        }
    }

    /// Compares a block with itself: rotations by one to four lanes meet every two lanes.
    #[inline]
    #[target_feature(enable = "avx512f,avx512vpopcntdq")]
    fn inside(block: Block, radius: u32, hit: &mut impl FnMut(u64, u64)) {
        let lanes = block.lanes;
        let near = _mm512_min_epu64(
            _mm512_min_epu64(
                distances(lanes, _mm512_alignr_epi64::<1>(lanes, lanes)),
                distances(lanes, _mm512_alignr_epi64::<2>(lanes, lanes)),
            ),
            _mm512_min_epu64(
                distances(lanes, _mm512_alignr_epi64::<3>(lanes, lanes)),
                distances(lanes, _mm512_alignr_epi64::<4>(lanes, lanes)),
            ),
        );
        if _mm512_cmple_epu64_mask(near, _mm512_set1_epi64(i64::from(radius))) != 0 {
            for (i, query) in spread(lanes).into_iter().enumerate().take(block.used) {
                let later = mask(block.used) & (0xfe_u8 << i);
                report(query, lanes, later, radius, hit);
            }
        }
    }

    /// Compares a block with a list.
    #[inline]
    #[target_feature(enable = "avx512f,avx512vpopcntdq")]
    fn against(block: Block, list: &[u64], radius: u32, hit: &mut impl FnMut(u64, u64)) {
        let limit = _mm512_set1_epi64(i64::from(radius));
        let other_fill = _mm512_xor_si512(fill(), _mm512_set1_epi64(-1));
        let queries = spread(block.lanes);
        let mut rest = list;
        while !rest.is_empty() {
            let targets = Block::load(rest, other_fill);
            rest = &rest[targets.used..];
            let mut near = distances(queries[0], targets.lanes);
            for &query in &queries[1..] {
                near = _mm512_min_epu64(near, distances(query, targets.lanes));
            }
            if _mm512_cmple_epu64_mask(near, limit) != 0 {
                for &query in queries.iter().take(block.used) {
                    report(query, targets.lanes, mask(targets.used), radius, hit);
                }
            }
        }
    }

    /// Reports the lanes of `targets` in `among` that are near a query (the same in all lanes).
    #[inline]
    #[target_feature(enable = "avx512f,avx512vpopcntdq")]
    fn report(
        query: __m512i,
        targets: __m512i,
        among: u8,
        radius: u32,
        hit: &mut impl FnMut(u64, u64),
    ) {
        let limit = _mm512_set1_epi64(i64::from(radius));
        let mut near = _mm512_mask_cmple_epu64_mask(among, distances(query, targets), limit);
        if near == 0 {
            return;
        }
        let mut numbers = [0_u64; LANES];
        // SAFETY: eight words are written to an array of eight words.
        unsafe { _mm512_storeu_si512(numbers.as_mut_ptr().cast(), targets) };
        let query = _mm_cvtsi128_si64(_mm512_castsi512_si128(query)).cast_unsigned();
        while near != 0 {
            hit(query, numbers[near.trailing_zeros() as usize]);
            near &= near - 1;
        }
    }

    #[inline]
    #[target_feature(enable = "avx512f,avx512vpopcntdq")]
    fn distances(a: __m512i, b: __m512i) -> __m512i {
        _mm512_popcnt_epi64(_mm512_xor_si512(a, b))
    }

    /// Every lane, repeated in all lanes of its own vector.
    #[inline]
    #[target_feature(enable = "avx512f,avx512vpopcntdq")]
    fn spread(lanes: __m512i) -> [__m512i; LANES] {
        let mut queries = [lanes; LANES];
        for (lane, query) in (0_i64..).zip(&mut queries) {
            *query = _mm512_permutexvar_epi64(_mm512_set1_epi64(lane), lanes);
        }
        queries
    }
}

#[cfg(test)]
mod tests;
