//! The same on any machine: a table spreads eight bits over eight counters in one word.

use crate::hash::{self, Half};

/// One byte per bit: 0 or 1, the lowest bit in the lowest byte.
const SPREAD: [u64; 256] = {
    let mut table = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        let mut bit = 0;
        while bit < 8 {
            table[byte] |= ((byte >> bit & 1) as u64) << (8 * bit);
            bit += 1;
        }
        byte += 1;
    }
    table
};

/// Features that a counter of eight bits holds.
const BLOCK: usize = 255;

/// See [`super::add_unweighted`].
pub fn add_unweighted(features: &[u64], ones: &mut [u64; 64]) {
    for block in features.chunks(BLOCK) {
        let mut counters = [0u64; 8];
        for feature in block {
            for (counter, byte) in counters.iter_mut().zip(feature.to_le_bytes()) {
                *counter += SPREAD[byte as usize];
            }
        }
        flush(&counters, 1, ones);
    }
}

/// See [`super::add_ids`].
pub fn add_ids(ids: &[u32], half: Half, ones: &mut [u64; 64]) {
    each_block::<BLOCK>(ids, half, |features| add_unweighted(features, ones));
}

/// Hands on the features of `SIZE` ids at a time.
#[inline(always)]
pub fn each_block<const SIZE: usize>(ids: &[u32], half: Half, mut hand_on: impl FnMut(&[u64])) {
    let mut features = [0; SIZE];
    for block in ids.chunks(SIZE) {
        let features = &mut features[..block.len()];
        for (feature, &id) in features.iter_mut().zip(block) {
            *feature = hash::expand_id(id, half);
        }
        hand_on(features);
    }
}

/// See [`super::add_weighted`]. A weight is the sum of its binary digits: one round of byte counters
/// for each digit that any weight of the block has.
#[inline(always)]
pub fn add_weighted(features: &[u64], weights: &[u32], ones: &mut [u64; 64]) {
    for (features, weights) in features.chunks(BLOCK).zip(weights.chunks(BLOCK)) {
        let mut digits = weights.iter().fold(0, |digits, weight| digits | weight);
        while digits != 0 {
            let digit = digits.trailing_zeros();
            digits &= digits - 1;
            let mut counters = [0u64; 8];
            for (feature, weight) in features.iter().zip(weights) {
                let feature = feature & u64::from(weight >> digit & 1).wrapping_neg();
                for (counter, byte) in counters.iter_mut().zip(feature.to_le_bytes()) {
                    *counter += SPREAD[byte as usize];
                }
            }
            flush(&counters, 1 << digit, ones);
        }
    }
}

fn flush(counters: &[u64; 8], weight: u64, ones: &mut [u64; 64]) {
    for (one, count) in ones.iter_mut().zip(counters.iter().flat_map(|c| c.to_le_bytes())) {
        *one += weight * u64::from(count);
    }
}
