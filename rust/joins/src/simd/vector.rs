//! Loads and stores on slices, whole or in part, of 512 bits and of 256.

#![allow(unsafe_code)]
#![allow(
    clippy::missing_safety_doc,
    reason = "all of them ask for the instructions that they enable, and for nothing else"
)]

use std::arch::x86_64::*;

/// The lowest `count` of 16 lanes; all of them from 16 on.
#[inline]
#[target_feature(enable = "avx512f,bmi2")]
pub fn lanes16(count: usize) -> __mmask16 {
    _bzhi_u32(0xFFFF, count.min(16) as u32) as u16
}

/// The lowest `count` of 8 lanes; all of them from 8 on.
#[inline]
#[target_feature(enable = "avx512f,bmi2")]
pub fn lanes8(count: usize) -> __mmask8 {
    _bzhi_u32(0xFF, count.min(8) as u32) as u8
}

/// Loads up to 8 hashes; the lanes beyond are 0.
#[inline]
#[target_feature(enable = "avx512f,bmi2")]
pub fn load_part_u64(from: &[u64]) -> __m512i {
    // SAFETY: lanes beyond the slice are masked, and masked lanes are not read.
    unsafe { _mm512_maskz_loadu_epi64(lanes8(from.len()), from.as_ptr().cast()) }
}

/// Loads up to 8 ids into lanes of 64 bits; the lanes beyond are 0.
#[inline]
#[target_feature(enable = "avx512f,bmi2")]
pub fn load_part_widened_to_u64(from: &[u32]) -> __m512i {
    let eight = load_part_u32(&from[..from.len().min(8)], _mm512_setzero_si512());
    _mm512_cvtepu32_epi64(_mm512_castsi512_si256(eight))
}

/// Loads 16 ids.
#[inline]
#[target_feature(enable = "avx512f")]
pub fn load_u32(from: &[u32; 16]) -> __m512i {
    // SAFETY: a reference to 64 bytes; the load asks for no alignment.
    unsafe { _mm512_loadu_si512(from.as_ptr().cast()) }
}

/// Stores 16 ids.
#[inline]
#[target_feature(enable = "avx512f")]
pub fn store_u32(to: &mut [u32; 16], lanes: __m512i) {
    // SAFETY: a unique reference to 64 bytes; the store asks for no alignment.
    unsafe { _mm512_storeu_si512(to.as_mut_ptr().cast(), lanes) }
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

/// Loads up to 64 bytes; the lanes beyond are 0.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,bmi2")]
pub fn load_part_u8(from: &[u8]) -> __m512i {
    // Masked loads wait for memory, while whole ones let the machine read ahead.
    if let Some(block) = from.first_chunk() {
        return load_u8(block);
    }
    let present = _bzhi_u64(u64::MAX, from.len() as u32);
    // SAFETY: lanes beyond the slice are masked, and masked lanes are not read.
    unsafe { _mm512_maskz_loadu_epi8(present, from.as_ptr().cast()) }
}

/// Loads 64 bytes.
#[inline]
#[target_feature(enable = "avx512f")]
pub fn load_u8(from: &[u8; 64]) -> __m512i {
    // SAFETY: a reference to 64 bytes; the load asks for no alignment.
    unsafe { _mm512_loadu_si512(from.as_ptr().cast()) }
}

/// Loads 8 hashes.
#[inline]
#[target_feature(enable = "avx512f")]
pub fn load_u64(from: &[u64; 8]) -> __m512i {
    // SAFETY: a reference to 64 bytes; the load asks for no alignment.
    unsafe { _mm512_loadu_si512(from.as_ptr().cast()) }
}

/// Loads 8 places.
#[inline]
#[target_feature(enable = "avx512f")]
pub fn load_usize(from: &[usize; 8]) -> __m512i {
    const { assert!(size_of::<usize>() == 8) };
    // SAFETY: a reference to 64 bytes; the load asks for no alignment.
    unsafe { _mm512_loadu_si512(from.as_ptr().cast()) }
}

/// Loads 8 ids into lanes of 64 bits.
#[inline]
#[target_feature(enable = "avx512f")]
pub fn load_wide(from: &[u32; 8]) -> __m512i {
    // SAFETY: a reference to 32 bytes; the load asks for no alignment.
    _mm512_cvtepu32_epi64(unsafe { _mm256_loadu_si256(from.as_ptr().cast()) })
}

/// Appends the lowest `count` of 16 lanes.
#[inline]
#[target_feature(enable = "avx512f")]
pub fn append_u32(to: &mut Vec<u32>, lanes: __m512i, count: usize) {
    to.reserve(16);
    // SAFETY: there is room for all 16 lanes, which initialises those that are kept.
    unsafe {
        _mm512_storeu_si512(to.as_mut_ptr().add(to.len()).cast(), lanes);
        to.set_len(to.len() + count.min(16));
    }
}

/// Appends 8 hashes.
#[inline]
#[target_feature(enable = "avx512f")]
pub fn append_u64(to: &mut Vec<u64>, lanes: __m512i) {
    to.reserve(8);
    // SAFETY: there is room for 8 lanes, and all are initialised.
    unsafe {
        _mm512_storeu_si512(to.as_mut_ptr().add(to.len()).cast(), lanes);
        to.set_len(to.len() + 8);
    }
}

/// Appends the lowest `count` of 8 lanes.
#[inline]
#[target_feature(enable = "avx512f")]
pub fn append_some_u64(to: &mut Vec<u64>, lanes: __m512i, count: usize) {
    to.reserve(8);
    // SAFETY: there is room for all 8 lanes, which initialises those that are kept.
    unsafe {
        _mm512_storeu_si512(to.as_mut_ptr().add(to.len()).cast(), lanes);
        to.set_len(to.len() + count.min(8));
    }
}

/// Appends the lower halves of 8 lanes.
#[inline]
#[target_feature(enable = "avx512f")]
pub fn append_narrow(to: &mut Vec<u32>, lanes: __m512i) {
    to.reserve(8);
    // SAFETY: there is room for 8 lanes, and all are initialised.
    unsafe {
        let narrow = _mm512_cvtepi64_epi32(lanes);
        _mm256_storeu_si256(to.as_mut_ptr().add(to.len()).cast(), narrow);
        to.set_len(to.len() + 8);
    }
}

/// Appends the lowest `count` of 64 lanes.
#[inline]
#[target_feature(enable = "avx512f")]
pub fn append_u8(to: &mut Vec<u8>, lanes: __m512i, count: usize) {
    to.reserve(64);
    // SAFETY: there is room for all 64 lanes, which initialises those that are kept.
    unsafe {
        _mm512_storeu_si512(to.as_mut_ptr().add(to.len()).cast(), lanes);
        to.set_len(to.len() + count.min(64));
    }
}

/// Stores 8 sums.
#[inline]
#[target_feature(enable = "avx512f")]
pub fn store_u64(to: &mut [u64; 8], lanes: __m512i) {
    // SAFETY: a unique reference to 64 bytes; the store asks for no alignment.
    unsafe { _mm512_storeu_si512(to.as_mut_ptr().cast(), lanes) }
}

/// Stores 64 bytes.
#[inline]
#[target_feature(enable = "avx512f")]
pub fn store_u8(to: &mut [u8; 64], lanes: __m512i) {
    // SAFETY: a unique reference to 64 bytes; the store asks for no alignment.
    unsafe { _mm512_storeu_si512(to.as_mut_ptr().cast(), lanes) }
}

/// Stores as many bytes as `to` holds, up to 64.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,bmi2")]
pub fn store_part_u8(to: &mut [u8], lanes: __m512i) {
    let present = _bzhi_u64(u64::MAX, to.len().min(64) as u32);
    // SAFETY: lanes beyond the slice are masked, and masked lanes are not written.
    unsafe { _mm512_mask_storeu_epi8(to.as_mut_ptr().cast(), present, lanes) }
}

/// Loads 4 hashes.
#[inline]
#[target_feature(enable = "avx2")]
pub fn load_four_u64(from: &[u64; 4]) -> __m256i {
    // SAFETY: a reference to 32 bytes; the load asks for no alignment.
    unsafe { _mm256_loadu_si256(from.as_ptr().cast()) }
}

/// Stores 32 bytes.
#[inline]
#[target_feature(enable = "avx2")]
pub fn store_32_u8(to: &mut [u8; 32], lanes: __m256i) {
    // SAFETY: a unique reference to 32 bytes; the store asks for no alignment.
    unsafe { _mm256_storeu_si256(to.as_mut_ptr().cast(), lanes) }
}

/// Loads 32 bytes.
#[inline]
#[target_feature(enable = "avx2")]
pub fn load_32(from: &[u8; 32]) -> __m256i {
    // SAFETY: a reference to 32 bytes; the load asks for no alignment.
    unsafe { _mm256_loadu_si256(from.as_ptr().cast()) }
}
