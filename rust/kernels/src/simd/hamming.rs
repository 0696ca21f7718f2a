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

    /// Up to eight numbers, and the same in lanes; lanes beyond them hold the fill.
    #[derive(Clone, Copy)]
    struct Block<'a> {
        numbers: &'a [u64],
        lanes: __m512i,
    }

    impl<'a> Block<'a> {
        /// The first eight numbers of a list, and the rest of it.
        #[inline]
        #[target_feature(enable = "avx512f,avx512vpopcntdq")]
        fn load(list: &'a [u64], fill: __m512i) -> (Self, &'a [u64]) {
            let (numbers, rest) = list.split_at(list.len().min(LANES));
            // SAFETY: only the lanes in the mask are read, as many as there are numbers.
            let lanes =
                unsafe { _mm512_mask_loadu_epi64(fill, mask(numbers), numbers.as_ptr().cast()) };
            (Self { numbers, lanes }, rest)
        }
    }

    /// The lanes that at most eight numbers take.
    fn mask(numbers: &[u64]) -> u8 {
        (0xff_u16 >> (LANES - numbers.len())) as u8
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
        for mut list in lists {
            while list.len() > 1 {
                let (block, rest) = Block::load(list, fill);
                inside(block, radius, hit);
                if !rest.is_empty() {
                    against(block, rest, radius, hit);
                }
                list = rest;
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
        for (mut left, right) in lists {
            while !left.is_empty() {
                let (block, rest) = Block::load(left, fill);
                against(block, right, radius, hit);
                left = rest;
            }
        }
    }

    /// Compares a block with itself: rotations by one to four lanes meet every two lanes.
    #[inline]
    #[target_feature(enable = "avx512f,avx512vpopcntdq")]
    fn inside(block: Block, radius: u32, hit: &mut impl FnMut(u64, u64)) {
        let lanes = block.lanes;
        let nearest = _mm512_min_epu64(
            _mm512_min_epu64(
                distances(lanes, _mm512_alignr_epi64::<1>(lanes, lanes)),
                distances(lanes, _mm512_alignr_epi64::<2>(lanes, lanes)),
            ),
            _mm512_min_epu64(
                distances(lanes, _mm512_alignr_epi64::<3>(lanes, lanes)),
                distances(lanes, _mm512_alignr_epi64::<4>(lanes, lanes)),
            ),
        );
        let limit = _mm512_set1_epi64(i64::from(radius));
        let mut alarms = _mm512_cmple_epu64_mask(nearest, limit) & mask(block.numbers);
        // One end at least of every near pair is alarmed; the pair is reported with the first.
        let mut among = mask(block.numbers);
        while alarms != 0 {
            let lane = alarms.trailing_zeros();
            alarms &= alarms - 1;
            among &= !(1 << lane);
            report(block, among, block.numbers[lane as usize], limit, hit);
        }
    }

    /// Compares a block with a list.
    #[inline]
    #[target_feature(enable = "avx512f,avx512vpopcntdq")]
    fn against(block: Block, list: &[u64], radius: u32, hit: &mut impl FnMut(u64, u64)) {
        let limit = _mm512_set1_epi64(i64::from(radius));
        let other_fill = _mm512_xor_si512(fill(), _mm512_set1_epi64(-1));
        let queries = spread(block.lanes);
        let mut list = list;
        while !list.is_empty() {
            let (targets, rest) = Block::load(list, other_fill);
            list = rest;
            let mut nearest = distances(queries[0], targets.lanes);
            for &query in &queries[1..] {
                nearest = _mm512_min_epu64(nearest, distances(query, targets.lanes));
            }
            let mut alarms = _mm512_cmple_epu64_mask(nearest, limit) & mask(targets.numbers);
            while alarms != 0 {
                let target = targets.numbers[alarms.trailing_zeros() as usize];
                alarms &= alarms - 1;
                report(block, mask(block.numbers), target, limit, hit);
            }
        }
    }

    /// Reports the numbers of a block, those in the lanes `among`, that are near another number.
    #[inline]
    #[target_feature(enable = "avx512f,avx512vpopcntdq")]
    fn report(block: Block, among: u8, other: u64, limit: __m512i, hit: &mut impl FnMut(u64, u64)) {
        let others = _mm512_set1_epi64(other.cast_signed());
        let mut near = _mm512_mask_cmple_epu64_mask(among, distances(block.lanes, others), limit);
        while near != 0 {
            hit(block.numbers[near.trailing_zeros() as usize], other);
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
