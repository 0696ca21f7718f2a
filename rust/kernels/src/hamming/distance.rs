//! The Hamming distance.

/// The number of bits in which two fingerprints differ.
#[must_use]
pub fn distance(a: u64, b: u64) -> u8 {
    (a ^ b).count_ones() as u8
}
