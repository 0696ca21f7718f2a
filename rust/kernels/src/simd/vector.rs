//! 512-bit loads and stores on slices, whole or in part.

#![allow(unsafe_code)]

use std::arch::x86_64::*;

/// The lowest `count` of 16 lanes; all of them from 16 on.
#[inline]
#[target_feature(enable = "avx512f,bmi2")]
pub fn lanes16(count: usize) -> __mmask16 {
    _bzhi_u32(0xFFFF, count.min(16) as u32) as u16
}

/// Loads 16 ids.
#[inline]
#[target_feature(enable = "avx512f")]
pub fn load_u32(from: &[u32; 16]) -> __m512i {
    // SAFETY: a reference to 64 bytes; the load asks for no alignment.
    unsafe { _mm512_loadu_si512(from.as_ptr().cast()) }
}

/// Loads up to 16 ids; the lanes beyond take those of `rest`.
#[inline]
#[target_feature(enable = "avx512f,bmi2")]
pub fn load_part_u32(from: &[u32], rest: __m512i) -> __m512i {
    // SAFETY: lanes beyond the slice are masked, and masked lanes are not read.
    unsafe { _mm512_mask_loadu_epi32(rest, lanes16(from.len()), from.as_ptr().cast()) }
}

/// Stores as many ids as `to` holds, up to 16.
#[inline]
#[target_feature(enable = "avx512f,bmi2")]
pub fn store_part_u32(to: &mut [u32], ids: __m512i) {
    // SAFETY: lanes beyond the slice are masked, and masked lanes are not written.
    unsafe { _mm512_mask_storeu_epi32(to.as_mut_ptr().cast(), lanes16(to.len()), ids) }
}
