//! Eight hashes at a time.
//!
//! Each function hashes the first part of its row and returns how many that were; the rest is fewer
//! than eight, or too near to the end of the bytes.

#![allow(unsafe_code)]

use std::arch::x86_64::*;

use crate::hash::{self, Half, K};
use crate::simd::vector::{append_narrow, append_u64, load_u8, load_u64, load_usize, load_wide};

#[inline]
#[target_feature(enable = "avx512f")]
fn in_every_lane(x: u64) -> __m512i {
    _mm512_set1_epi64(x.cast_signed())
}

#[inline]
#[target_feature(enable = "avx512f")]
fn lanes_of(x: [i64; 8]) -> __m512i {
    _mm512_set_epi64(x[7], x[6], x[5], x[4], x[3], x[2], x[1], x[0])
}

#[inline]
#[target_feature(enable = "avx512f,avx512dq")]
fn multiply(x: __m512i, factor: u64) -> __m512i {
    _mm512_mullo_epi64(x, in_every_lane(factor))
}

#[inline]
#[target_feature(enable = "avx512f")]
fn fold<const SHIFT: u32>(x: __m512i) -> __m512i {
    _mm512_xor_si512(x, _mm512_srli_epi64::<SHIFT>(x))
}

/// [`hash::mix`].
#[inline]
#[target_feature(enable = "avx512f,avx512dq")]
fn mix(x: __m512i) -> __m512i {
    fold::<32>(multiply(fold::<32>(x), K[4]))
}

/// The hash of a block of 16 bytes, given as two halves; see [`hash::hash_bytes`].
#[inline]
#[target_feature(enable = "avx512f,avx512dq")]
fn hash_block16(low: __m512i, high: __m512i) -> __m512i {
    let sum = _mm512_add_epi64(multiply(fold::<32>(low), K[0]), multiply(fold::<32>(high), K[1]));
    fold::<29>(sum)
}

/// The lowest `lengths` bytes of each lane, none below 0 and all from 8 on.
#[inline]
#[target_feature(enable = "avx512f")]
fn keep_bytes(lane: __m512i, lengths: __m512i) -> __m512i {
    let eight = in_every_lane(8);
    let missing = _mm512_sub_epi64(eight, _mm512_min_epi64(lengths, eight));
    // A shift by 64 or more leaves nothing.
    let mask = _mm512_srlv_epi64(in_every_lane(u64::MAX), _mm512_slli_epi64::<3>(missing));
    _mm512_and_si512(lane, mask)
}

/// See [`super::hash_tokens`].
#[target_feature(enable = "avx512f,avx512dq")]
pub fn hash_tokens(bytes: &[u8], starts: &[usize], ends: &[usize], hashes: &mut Vec<u64>) -> usize {
    let before = hashes.len();
    for (starts, ends) in starts.as_chunks::<8>().0.iter().zip(ends.as_chunks::<8>().0) {
        let Some([first, second]) = load_blocks(bytes, starts) else { break };
        let low = _mm512_permutex2var_epi64(first, lanes_of([0, 2, 4, 6, 8, 10, 12, 14]), second);
        let high = _mm512_permutex2var_epi64(first, lanes_of([1, 3, 5, 7, 9, 11, 13, 15]), second);
        let lengths = _mm512_sub_epi64(load_usize(ends), load_usize(starts));
        let state = hash_block16(
            keep_bytes(low, lengths),
            keep_bytes(high, _mm512_sub_epi64(lengths, in_every_lane(8))),
        );
        let group = hashes.len();
        append_u64(hashes, mix(_mm512_add_epi64(state, multiply(lengths, K[3]))));
        let mut long = _mm512_cmpgt_epi64_mask(lengths, in_every_lane(16));
        while long != 0 {
            let i = long.trailing_zeros() as usize;
            hashes[group + i] = hash::hash_bytes(&bytes[starts[i]..ends[i]]);
            long &= long - 1;
        }
    }
    hashes.len() - before
}

/// The 16 bytes from each start on, as eight pairs of lanes; `None` if they reach beyond the end.
#[inline]
#[target_feature(enable = "avx512f,avx512dq")]
fn load_blocks(bytes: &[u8], starts: &[usize; 8]) -> Option<[__m512i; 2]> {
    let last = in_every_lane((bytes.len() as u64).checked_sub(16)?);
    if _mm512_cmpgt_epu64_mask(load_usize(starts), last) != 0 {
        return None;
    }
    // SAFETY: each start is at least 16 bytes before the end.
    let block = |i: usize| unsafe { _mm_loadu_si128(bytes.as_ptr().add(starts[i]).cast()) };
    let four = |i: usize| {
        let blocks = _mm512_castsi128_si512(block(i));
        let blocks = _mm512_inserti64x2::<1>(blocks, block(i + 1));
        let blocks = _mm512_inserti64x2::<2>(blocks, block(i + 2));
        _mm512_inserti64x2::<3>(blocks, block(i + 3))
    };
    Some([four(0), four(4)])
}

/// See [`super::hash_windows`].
#[target_feature(enable = "avx512f,avx512bw,avx512dq")]
pub fn hash_windows(bytes: &[u8], width: usize, hashes: &mut Vec<u64>) -> usize {
    hashes.reserve(bytes.len());
    each_eight_windows(bytes, width, |state| append_u64(hashes, mix(state)))
}

/// See [`super::make_window_ids`].
#[target_feature(enable = "avx512f,avx512bw,avx512dq")]
pub fn make_window_ids(bytes: &[u8], width: usize, ids: &mut Vec<u32>) -> usize {
    ids.reserve(bytes.len());
    each_eight_windows(bytes, width, |state| {
        // The last step of a hash changes nothing in its upper half.
        let hashes = multiply(fold::<32>(state), K[4]);
        append_narrow(ids, _mm512_srli_epi64::<32>(hashes));
    })
}

/// Hands on what is mixed to the hashes of eight windows at a time, and returns of how many.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512dq")]
fn each_eight_windows(bytes: &[u8], width: usize, hand_on: impl FnMut(__m512i)) -> usize {
    match width {
        1..=8 => eight_windows::<0, false>(bytes, width, hand_on),
        9..=16 => eight_windows::<0, true>(bytes, width, hand_on),
        17..=32 => eight_windows::<1, true>(bytes, width, hand_on),
        33..=48 => eight_windows::<2, true>(bytes, width, hand_on),
        49..=64 => eight_windows::<3, true>(bytes, width, hand_on),
        _ => 0,
    }
}

/// The same of windows of `WHOLE` blocks of 16 bytes and up to 16 bytes more, `LONG` if these may
/// be more than 8.
///
/// A block of one window is one of the window 16 bytes further too, so each is made once.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512dq")]
fn eight_windows<const WHOLE: usize, const LONG: bool>(
    bytes: &[u8],
    width: usize,
    mut hand_on: impl FnMut(__m512i),
) -> usize {
    let last = 16 * WHOLE;
    let in_last = in_every_lane((width - last) as u64);
    let beyond_eight = _mm512_sub_epi64(in_last, in_every_lane(8));
    let length = multiply(in_every_lane(width as u64), K[3]);
    let whole =
        |at: usize| load_sliding_blocks(bytes, at).map(|(low, high)| hash_block16(low, high));
    let part = |at: usize| {
        let (low, high) = load_sliding_blocks(bytes, at)?;
        let low = keep_bytes(low, in_last);
        if !LONG {
            return Some(fold::<29>(multiply(fold::<32>(low), K[0])));
        }
        Some(hash_block16(low, keep_bytes(high, beyond_eight)))
    };
    // The whole blocks of these windows, and of those that come 8 bytes further and so on.
    let mut blocks = [_mm512_setzero_si512(); 5];
    let ahead = (2 * WHOLE).saturating_sub(1);
    for (i, block) in blocks.iter_mut().enumerate().take(ahead) {
        let Some(made) = whole(8 * i) else { return 0 };
        *block = made;
    }
    let mut at = 0;
    while let Some(part) = part(at + last) {
        let mut state = _mm512_setzero_si512();
        for i in 0..WHOLE {
            state = _mm512_add_epi64(multiply(state, K[2]), blocks[2 * i]);
        }
        if WHOLE > 0 {
            state = multiply(state, K[2]);
        }
        hand_on(_mm512_add_epi64(_mm512_add_epi64(state, part), length));
        at += 8;
        if WHOLE > 0 {
            let [_, later @ ..] = blocks;
            blocks[..4].copy_from_slice(&later);
            let Some(made) = whole(at + 8 * (ahead - 1)) else { break };
            blocks[ahead - 1] = made;
        }
    }
    at
}

/// The 16 bytes from `at` on, and from each of the seven places after it, as two halves; `None` if
/// too few are left.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512dq")]
fn load_sliding_blocks(bytes: &[u8], at: usize) -> Option<(__m512i, __m512i)> {
    // Eight windows of eight bytes, each one byte further than the one before: all of them begin
    // in the first eight bytes of 16, and so does what a quarter of the register shuffles.
    const SLIDE: [u8; 64] = {
        let mut places = [0; 64];
        let mut i = 0;
        while i < 64 {
            places[i] = (i / 8 + i % 8) as u8;
            i += 1;
        }
        places
    };
    let source = bytes.get(at..)?.first_chunk::<32>()?;
    let places = load_u8(&SLIDE);
    // SAFETY: 16 bytes are read from the first and from the ninth of 32.
    let of = |from: usize| unsafe {
        let sixteen = _mm_loadu_si128(source.as_ptr().add(from).cast());
        _mm512_shuffle_epi8(_mm512_broadcast_i64x2(sixteen), places)
    };
    Some((of(0), of(8)))
}

/// See [`super::hash_shingles`].
#[target_feature(enable = "avx512f,avx512dq")]
pub fn hash_shingles(words: &[u64], width: usize, hashes: &mut Vec<u64>) -> usize {
    let before = hashes.len();
    while let Some(eight) = eight_shingles(&words[hashes.len() - before..], width) {
        append_u64(hashes, eight);
    }
    hashes.len() - before
}

/// See [`super::make_shingle_ids`].
#[target_feature(enable = "avx512f,avx512dq")]
pub fn make_shingle_ids(words: &[u64], width: usize, ids: &mut Vec<u32>) -> usize {
    let before = ids.len();
    while let Some(eight) = eight_shingles(&words[ids.len() - before..], width) {
        append_narrow(ids, _mm512_srli_epi64::<32>(eight));
    }
    ids.len() - before
}

/// The hashes of the first eight shingles; `None` if there are fewer.
#[inline]
#[target_feature(enable = "avx512f,avx512dq")]
fn eight_shingles(words: &[u64], width: usize) -> Option<__m512i> {
    let words = words.get(..width + 7)?;
    let mut rows = words.windows(8).filter_map(|eight| eight.first_chunk());
    let mut state = load_u64(rows.next()?);
    if width == 1 {
        return Some(state);
    }
    for row in rows {
        state = _mm512_add_epi64(multiply(state, K[2]), load_u64(row));
    }
    Some(mix(state))
}

/// See [`super::expand_ids`].
#[target_feature(enable = "avx512f,avx512dq")]
pub fn expand_ids(ids: &[u32], half: Half, features: &mut Vec<u64>) -> usize {
    let blocks = ids.as_chunks::<8>().0;
    for block in blocks {
        append_u64(features, hash_eight_into_features(load_wide(block), half));
    }
    8 * blocks.len()
}

/// The features of eight ids.
#[inline]
#[target_feature(enable = "avx512f,avx512dq")]
pub fn hash_eight_into_features(ids: __m512i, half: Half) -> __m512i {
    let [factor, summand] = half.factor_and_summand();
    let x = _mm512_add_epi64(multiply(ids, factor), in_every_lane(summand));
    let x = fold::<29>(multiply(fold::<32>(x), K[5]));
    fold::<32>(multiply(x, K[4]))
}
