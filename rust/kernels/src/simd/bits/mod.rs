//! Texts as rows of bits, one per byte, 64 in a word of the machine, the first byte lowest.

#![allow(unsafe_code)]

#[cfg(target_arch = "x86_64")]
mod avx512;
mod portable;
#[cfg(test)]
mod tests;

use crate::simd::level::Level;

/// Finds the ASCII letters and digits among `bytes`, and what is not ASCII: one bit each, in rows
/// of one word per 64 bytes begun. Bits beyond the end are 0.
pub fn classify(bytes: &[u8], alphanumeric: &mut Vec<u64>, beyond_ascii: &mut Vec<u64>) {
    alphanumeric.clear();
    beyond_ascii.clear();
    match Level::detect() {
        // SAFETY: the level says that the machine has the instructions.
        #[cfg(target_arch = "x86_64")]
        Level::Avx512 => unsafe { avx512::classify(bytes, alphanumeric, beyond_ascii) },
        Level::Portable => portable::classify(bytes, alphanumeric, beyond_ascii),
    }
}

/// Where each run of ones begins, and the place after its last.
pub fn runs(row: &[u64], starts: &mut Vec<usize>, ends: &mut Vec<usize>) {
    starts.clear();
    ends.clear();
    match Level::detect() {
        // SAFETY: the level says that the machine has the instructions.
        #[cfg(target_arch = "x86_64")]
        Level::Avx512 => unsafe { avx512::runs(row, starts, ends) },
        Level::Portable => portable::runs(row, starts, ends),
    }
    if row.last().is_some_and(|word| word >> 63 == 1) {
        ends.push(64 * row.len());
    }
}

/// The first bits of the runs in a word, and the first bits after runs; `before` is the bit in
/// front of the word, and becomes its last bit.
#[inline]
fn edges(word: u64, before: &mut u64) -> (u64, u64) {
    let shifted = word << 1 | *before;
    *before = word >> 63;
    (word & !shifted, !word & shifted)
}
