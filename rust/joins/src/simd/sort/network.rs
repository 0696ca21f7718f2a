//! Sorting up to 128 ids in registers, by a bitonic network (Batcher 1968).
//!
//! The ids lie in rows of 16 lanes, and are put in order column by column: what is compared then
//! is mostly in the same lane of two rows, which costs two instructions for 32 ids; only in
//! the end are columns made rows.

#![allow(unsafe_code)]

use std::arch::x86_64::*;

use crate::simd::vector::{load_part_u32, store_part_u32};

/// Ids that the widest network sorts: eight registers of sixteen.
pub const MOST: usize = 128;

/// Sorts up to [`MOST`] ids.
#[target_feature(enable = "avx512f,avx512dq,bmi2")]
pub fn sort(ids: &mut [u32]) {
    match ids.len() {
        0..=1 => {}
        2..=16 => sort_rows::<1>(ids),
        17..=32 => sort_rows::<2>(ids),
        33..=64 => sort_rows::<4>(ids),
        _ => sort_rows::<8>(ids),
    }
}

/// Sorts up to 16 `ROWS` ids, filled up with the greatest id.
#[target_feature(enable = "avx512f,avx512dq,bmi2")]
fn sort_rows<const ROWS: usize>(ids: &mut [u32]) {
    let mut rows = [_mm512_set1_epi32(-1); ROWS];
    for (i, row) in rows.iter_mut().enumerate() {
        *row = load_part_u32(&ids[ids.len().min(16 * i)..], *row);
    }
    sort_columns(&mut rows);
    merge_columns::<ROWS, 1>(&mut rows);
    merge_columns::<ROWS, 2>(&mut rows);
    merge_columns::<ROWS, 4>(&mut rows);
    merge_columns::<ROWS, 8>(&mut rows);
    turn(&mut rows);
    for (i, row) in rows.iter().enumerate() {
        let start = ids.len().min(16 * i);
        store_part_u32(&mut ids[start..], *row);
    }
}

/// Sorts each column: blocks of 1 row, 2 and 4 are merged with the next.
#[inline]
#[target_feature(enable = "avx512f")]
fn sort_columns<const ROWS: usize>(rows: &mut [__m512i; ROWS]) {
    merge_blocks::<ROWS, 1>(rows);
    merge_blocks::<ROWS, 2>(rows);
    merge_blocks::<ROWS, 4>(rows);
}

/// Merges, in each column, every sorted block of `HEIGHT` rows with the next.
#[inline]
#[target_feature(enable = "avx512f")]
fn merge_blocks<const ROWS: usize, const HEIGHT: usize>(rows: &mut [__m512i; ROWS]) {
    if HEIGHT < ROWS {
        // The second block read backwards makes the two bitonic.
        for i in 0..ROWS {
            if i & HEIGHT == 0 {
                order(rows, i, i ^ (2 * HEIGHT - 1));
            }
        }
        sort_bitonic::<ROWS, HEIGHT>(rows);
    }
}

/// Sorts, in each column, bitonic blocks of `HEIGHT` rows.
#[inline]
#[target_feature(enable = "avx512f")]
fn sort_bitonic<const ROWS: usize, const HEIGHT: usize>(rows: &mut [__m512i; ROWS]) {
    if HEIGHT > 4 {
        order_apart::<ROWS, 4>(rows);
    }
    if HEIGHT > 2 {
        order_apart::<ROWS, 2>(rows);
    }
    if HEIGHT > 1 {
        order_apart::<ROWS, 1>(rows);
    }
}

/// Orders the rows whose numbers differ in the bit `STRIDE`.
#[inline]
#[target_feature(enable = "avx512f")]
fn order_apart<const ROWS: usize, const STRIDE: usize>(rows: &mut [__m512i; ROWS]) {
    for i in 0..ROWS {
        if i & STRIDE == 0 {
            order(rows, i, i | STRIDE);
        }
    }
}

/// Leaves the lesser ids of two rows in the first.
#[inline]
#[target_feature(enable = "avx512f")]
fn order<const ROWS: usize>(rows: &mut [__m512i; ROWS], first: usize, second: usize) {
    let (low, high) = (rows[first], rows[second]);
    rows[first] = _mm512_min_epu32(low, high);
    rows[second] = _mm512_max_epu32(low, high);
}

/// Merges each `WIDTH` sorted columns with the next as many.
#[inline]
#[target_feature(enable = "avx512f,avx512dq")]
fn merge_columns<const ROWS: usize, const WIDTH: i32>(rows: &mut [__m512i; ROWS]) {
    // The second half read backwards, lanes and rows, makes the whole bitonic.
    let before = *rows;
    for i in 0..ROWS {
        rows[i] = exchange::<WIDTH>(rows[i], reverse_lanes::<WIDTH>(before[ROWS - 1 - i]));
    }
    if WIDTH > 4 {
        exchange_apart::<ROWS, 4>(rows);
    }
    if WIDTH > 2 {
        exchange_apart::<ROWS, 2>(rows);
    }
    if WIDTH > 1 {
        exchange_apart::<ROWS, 1>(rows);
    }
    sort_bitonic::<ROWS, ROWS>(rows);
}

/// Orders the lanes whose numbers differ in the bit `STRIDE`, in every row.
#[inline]
#[target_feature(enable = "avx512f")]
fn exchange_apart<const ROWS: usize, const STRIDE: i32>(rows: &mut [__m512i; ROWS]) {
    for row in rows {
        let partners = match STRIDE {
            1 => _mm512_shuffle_epi32::<0b10_11_00_01>(*row),
            2 => _mm512_shuffle_epi32::<0b01_00_11_10>(*row),
            _ => _mm512_shuffle_i64x2::<0b10_11_00_01>(*row, *row),
        };
        *row = exchange::<STRIDE>(*row, partners);
    }
}

/// Reads each pair of halves backwards.
#[inline]
#[target_feature(enable = "avx512f")]
fn reverse_lanes<const HALF_WIDTH: i32>(row: __m512i) -> __m512i {
    let lanes = _mm512_set_epi32(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0);
    let flip = _mm512_set1_epi32(2 * HALF_WIDTH - 1);
    _mm512_permutexvar_epi32(_mm512_xor_si512(lanes, flip), row)
}

/// Keeps the lesser id of each lane and its partner, in lanes with bit `BIT` the greater.
#[inline]
#[target_feature(enable = "avx512f")]
fn exchange<const BIT: i32>(row: __m512i, partners: __m512i) -> __m512i {
    let upper = match BIT {
        1 => 0xAAAA,
        2 => 0xCCCC,
        4 => 0xF0F0,
        _ => 0xFF00,
    };
    _mm512_mask_max_epu32(_mm512_min_epu32(row, partners), upper, row, partners)
}

/// Makes columns rows: interleaves the rows that differ in one bit of their number, for every bit.
#[inline]
#[target_feature(enable = "avx512f")]
fn turn<const ROWS: usize>(rows: &mut [__m512i; ROWS]) {
    interleave_apart::<ROWS, 4>(rows);
    interleave_apart::<ROWS, 2>(rows);
    interleave_apart::<ROWS, 1>(rows);
}

#[inline]
#[target_feature(enable = "avx512f")]
fn interleave_apart<const ROWS: usize, const STRIDE: usize>(rows: &mut [__m512i; ROWS]) {
    let low = _mm512_set_epi32(23, 7, 22, 6, 21, 5, 20, 4, 19, 3, 18, 2, 17, 1, 16, 0);
    let high = _mm512_add_epi32(low, _mm512_set1_epi32(8));
    if STRIDE < ROWS {
        for i in 0..ROWS {
            if i & STRIDE == 0 {
                let (first, second) = (rows[i], rows[i | STRIDE]);
                rows[i] = _mm512_permutex2var_epi32(first, low, second);
                rows[i | STRIDE] = _mm512_permutex2var_epi32(first, high, second);
            }
        }
    }
}
