//! The Hamming distance.

use crate::fingerprint::Fingerprint;

/// The number of bits in which two fingerprints differ.
#[must_use]
pub fn distance<T: Fingerprint>(a: T, b: T) -> u8 {
    (a ^ b).ones() as u8
}
