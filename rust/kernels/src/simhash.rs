//! SimHash: features and weights become one small number (Charikar 2002, section 3).
//!
//! Bit j of the fingerprint says whether the features that have bit j outweigh those that have
//! not. All sums are of integers, so the answer does not depend on the order of the features, on
//! threads or on the instruction set.

use std::sync::LazyLock;

use crate::hash;
use crate::simd::accumulate;

/// How much a feature counts that occurs `tf` times.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Weight {
    /// 1.
    Binary,
    /// `tf`.
    Frequency,
    /// 1 + ln `tf`, in eighths, rounded.
    Logarithm,
}

impl Weight {
    /// The weight as an integer.
    #[must_use]
    pub fn of(self, tf: u32) -> u32 {
        match self {
            Self::Binary => 1,
            Self::Frequency => tf,
            Self::Logarithm => match LOGARITHMS.get(tf as usize) {
                Some(&weight) => weight,
                None => logarithm(tf),
            },
        }
    }
}

/// The logarithmic weights of the frequencies that are common, kept, since to compute one takes
/// longer than to hash a word.
static LOGARITHMS: LazyLock<[u32; 256]> =
    LazyLock::new(|| std::array::from_fn(|tf| logarithm(tf as u32)));

/// No integer below 2^32 comes near enough to a boundary for rounding to differ.
fn logarithm(tf: u32) -> u32 {
    (8.0 * (1.0 + f64::from(tf).ln())).round() as u32
}

/// What a bit becomes on which the features tie.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ties {
    /// 0, as in Roth 2013; rare bits of short texts then lean to 0.
    Zero,
    /// 1.
    One,
    /// A fixed pseudo-random bit of its position, so that no text leans either way.
    Fixed,
}

impl Ties {
    /// What the lower and the upper 64 bits become.
    fn bits(self) -> [u64; 2] {
        match self {
            Self::Zero => [0; 2],
            Self::One => [u64::MAX; 2],
            Self::Fixed => [hash::K[1], hash::K[3]],
        }
    }
}

/// The SimHash of feature hashes, of which the lowest `bits` are used (1 to 128).
///
/// `features` are the lower and the upper 64 bits of each; the upper ones are not looked at unless
/// `bits` is above 64. `weights` has one entry per feature; none at all means that each counts 1.
#[must_use]
pub fn simhash(features: [&[u64]; 2], weights: Option<&[u32]>, bits: u32, ties: Ties) -> u128 {
    let bits = bits.clamp(1, 128);
    let [low, high] = ties.bits();
    let mut packed = u128::from(word(features[0], weights, low));
    if bits > 64 {
        packed |= u128::from(word(features[1], weights, high)) << 64;
    }
    packed & u128::MAX >> (128 - bits)
}

/// 64 bits of a SimHash; `ties` says what each becomes in a tie.
fn word(features: &[u64], weights: Option<&[u32]>, ties: u64) -> u64 {
    let mut ones = [0u64; 64];
    let total = match weights {
        Some(weights) => {
            accumulate::weighted(features, weights, &mut ones);
            weights.iter().map(|&w| u64::from(w)).sum()
        }
        None => {
            accumulate::plain(features, &mut ones);
            features.len() as u64
        }
    };
    let bits = |is_set: fn(u64, u64) -> bool| {
        let set = |(j, &ones): (usize, &u64)| u64::from(is_set(ones, total - ones)) << j;
        ones.iter().enumerate().map(set).fold(0, |bits, bit| bits | bit)
    };
    bits(|ones, zeros| ones > zeros) | bits(|ones, zeros| ones == zeros) & ties
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ties_go_where_they_are_told() {
        let opposite = [0u64, u64::MAX];
        let of = |bits, ties| simhash([&opposite; 2], None, bits, ties);
        assert_eq!(of(128, Ties::Zero), 0);
        assert_eq!(of(128, Ties::One), u128::MAX);
        assert_eq!(of(128, Ties::Fixed), u128::from(hash::K[3]) << 64 | u128::from(hash::K[1]));
        assert_eq!(of(64, Ties::Fixed), u128::from(hash::K[1]));
        assert_eq!(of(16, Ties::One), 0xFFFF);
    }

    #[test]
    fn weights_decide() {
        let of = |weights: &[u32]| simhash([&[0b01, 0b10]; 2], Some(weights), 128, Ties::Zero);
        assert_eq!(of(&[3, 2]), 1 << 64 | 1);
        assert_eq!(of(&[u32::MAX, u32::MAX]), 0);
    }

    #[test]
    fn logarithms_in_eighths() {
        let weights: Vec<u32> =
            [1, 2, 3, 10, 1000, u32::MAX].map(|tf| Weight::Logarithm.of(tf)).into();
        assert_eq!(weights, [8, 14, 17, 26, 63, 185]);
    }
}
