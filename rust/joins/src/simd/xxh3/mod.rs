//! XXH3 with 128 bits and seed 0, of bytes of any number.

#![allow(unsafe_code)]

#[cfg(target_arch = "x86_64")]
mod avx512;
#[cfg(test)]
mod tests;

/// The same hash of bytes that come in pieces.
pub use xxhash_rust::xxh3::Xxh3 as Pieces;

use crate::dispatch;
use crate::simd::Level;

/// The most bytes that XXH3 takes without its long loop.
const MOST_BYTES_WITHOUT_LOOP: usize = 240;

/// The hash of some bytes.
#[must_use]
pub fn xxh3_128(bytes: &[u8]) -> u128 {
    if bytes.len() <= MOST_BYTES_WITHOUT_LOOP {
        return xxhash_rust::xxh3::xxh3_128(bytes);
    }
    dispatch!(
        Level::detect(),
        Avx512 | Avx512F => avx512::xxh3_128_long(bytes),
        _ => xxhash_rust::xxh3::xxh3_128(bytes)
    )
}
