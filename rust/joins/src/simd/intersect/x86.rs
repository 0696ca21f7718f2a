//! The loops over blocks: 16 values of each set at a time, or 8.

#![allow(unsafe_code)]

use std::arch::x86_64::*;

use super::{NOTHING, Reached};

/// Rotations of the four values of each 128-bit lane, and of four lanes, by one, two and three.
const BY_1: i32 = 0b00_11_10_01;
const BY_2: i32 = 0b01_00_11_10;
const BY_3: i32 = 0b10_01_00_11;

/// Writes the loop over blocks of `$width` values, whose matches `$count_matches` counts.
macro_rules! block_loop {
    ($width:literal, $a:ident, $b:ident, $need:ident, $count_matches:ident) => {{
        let mut at = NOTHING;
        while at.left + $width <= $a.len() && at.right + $width <= $b.len() {
            let (left, right) = (&$a[at.left..][..$width], &$b[at.right..][..$width]);
            // SAFETY: both slices hold `$width` values, all that is read of them; the features
            // are those of this function.
            at.shared += unsafe { $count_matches(left.as_ptr(), right.as_ptr()) } as usize;
            let (last, other) = (left[$width - 1], right[$width - 1]);
            // Written unevenly on purpose: as a symmetric pair the compiler moves the two steps
            // into a vector register, which doubles the latency of the loop.
            let behind = usize::from(last > other);
            at.left += $width - $width * behind;
            at.right += $width * (behind + usize::from(last == other));
            if at.shared + ($a.len() - at.left).min($b.len() - at.right) < $need {
                break;
            }
        }
        at
    }};
}

/// See [`Reached`].
#[target_feature(enable = "avx512f,popcnt")]
pub fn match_whole_blocks_avx512(a: &[u32], b: &[u32], need: usize) -> Reached {
    block_loop!(16, a, b, need, count_matches_avx512)
}

/// See [`Reached`].
#[target_feature(enable = "avx2,popcnt")]
pub fn match_whole_blocks_avx2(a: &[u32], b: &[u32], need: usize) -> Reached {
    block_loop!(8, a, b, need, count_matches_avx2)
}

/// Equal pairs among 16 values at `a` and 16 at `b`; both must be readable.
#[target_feature(enable = "avx512f,popcnt")]
unsafe fn count_matches_avx512(a: *const u32, b: *const u32) -> u32 {
    // SAFETY: the caller gives 16 readable values on each side; loads need no alignment.
    let (a, b) = unsafe { (_mm512_loadu_si512(a.cast()), _mm512_loadu_si512(b.cast())) };
    let (b1, b2, b3) = (
        _mm512_shuffle_epi32::<BY_1>(b),
        _mm512_shuffle_epi32::<BY_2>(b),
        _mm512_shuffle_epi32::<BY_3>(b),
    );
    let row = |a| {
        _mm512_cmpeq_epi32_mask(a, b)
            | _mm512_cmpeq_epi32_mask(a, b1)
            | _mm512_cmpeq_epi32_mask(a, b2)
            | _mm512_cmpeq_epi32_mask(a, b3)
    };
    let low = u32::from(row(a)) << 16 | u32::from(row(_mm512_shuffle_i32x4::<BY_1>(a, a)));
    let high = u32::from(row(_mm512_shuffle_i32x4::<BY_2>(a, a))) << 16
        | u32::from(row(_mm512_shuffle_i32x4::<BY_3>(a, a)));
    (u64::from(high) << 32 | u64::from(low)).count_ones()
}

/// Equal pairs among 8 values at `a` and 8 at `b`; both must be readable.
#[target_feature(enable = "avx2,popcnt")]
unsafe fn count_matches_avx2(a: *const u32, b: *const u32) -> u32 {
    // SAFETY: the caller gives 8 readable values on each side; loads need no alignment.
    let (a, b) = unsafe { (_mm256_loadu_si256(a.cast()), _mm256_loadu_si256(b.cast())) };
    let (b1, b2, b3) = (
        _mm256_shuffle_epi32::<BY_1>(b),
        _mm256_shuffle_epi32::<BY_2>(b),
        _mm256_shuffle_epi32::<BY_3>(b),
    );
    let row = |a| {
        let (near, far) = (
            _mm256_or_si256(_mm256_cmpeq_epi32(a, b), _mm256_cmpeq_epi32(a, b1)),
            _mm256_or_si256(_mm256_cmpeq_epi32(a, b2), _mm256_cmpeq_epi32(a, b3)),
        );
        _mm256_movemask_ps(_mm256_castsi256_ps(_mm256_or_si256(near, far))).count_ones()
    };
    row(a) + row(_mm256_permute2x128_si256::<1>(a, a))
}
