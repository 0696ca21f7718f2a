//! SimHash: features and weights become one small number (Charikar 2002, section 3).
//!
//! Bit j of the fingerprint says whether the features that have bit j outweigh those that have
//! not. All sums are of integers, so the answer does not depend on the order of the features, on
//! threads or on the instruction set.

use std::sync::LazyLock;

use crate::hash::{self, Half};
use crate::simd::{self, accumulate};

/// Weight of a feature that occurs `tf` times.
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
                None => logarithmic_weight_in_eighths(tf),
            },
        }
    }
}

/// The logarithmic weights of the frequencies that are common, kept, since to compute one takes
/// longer than to hash a word.
static LOGARITHMS: LazyLock<[u32; 256]> =
    LazyLock::new(|| std::array::from_fn(|tf| logarithmic_weight_in_eighths(tf as u32)));

/// No integer below 2^32 comes near enough to a boundary for rounding to differ.
fn logarithmic_weight_in_eighths(tf: u32) -> u32 {
    (8.0 * (1.0 + f64::from(tf).ln())).round() as u32
}

/// Value of a bit on which the features tie.
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
    /// Values of the lower and the upper 64 bits.
    fn bits(self) -> [u64; 2] {
        match self {
            Self::Zero => [0; 2],
            Self::One => [u64::MAX; 2],
            Self::Fixed => [hash::K[1], hash::K[3]],
        }
    }
}

/// The SimHash of feature hashes; the lowest `bits` are used (1 to 128).
///
/// `features` are the lower and the upper 64 bits of each; the upper ones are not looked at unless
/// `bits` is above 64. `weights` has one entry per feature; none at all means that each counts 1.
#[must_use]
pub fn make_simhash(features: [&[u64]; 2], weights: Option<&[u32]>, bits: u32, ties: Ties) -> u128 {
    pack_bits(bits, ties, |half, sums| sums.add(features[half as usize], weights))
}

/// Features that are made of their ids at once, so that they stay in the nearest cache.
const BLOCK: usize = 1024;

/// The SimHash of the features that ids stand for.
#[must_use]
pub fn make_simhash_of_ids(ids: &[u32], weights: Option<&[u32]>, bits: u32, ties: Ties) -> u128 {
    let mut features = Vec::with_capacity(BLOCK.min(ids.len()));
    pack_bits(bits, ties, |half, sums| {
        let Some(weights) = weights else { return sums.add_ids(ids, half) };
        for (i, block) in ids.chunks(BLOCK).enumerate() {
            features.clear();
            simd::hash::expand_ids(block, half, &mut features);
            sums.add(&features, Some(&weights[BLOCK * i..][..block.len()]));
        }
    })
}

/// The lowest `bits` of a SimHash whose halves are added up by `add`.
fn pack_bits(bits: u32, ties: Ties, mut add: impl FnMut(Half, &mut Sums)) -> u128 {
    let bits = bits.clamp(1, 128);
    let halves = [Half::Low, Half::High].into_iter().zip(ties.bits());
    let words = halves.take(bits.div_ceil(64) as usize).map(|(half, ties)| {
        let mut sums = Sums { ones: [0; 64], total: 0 };
        add(half, &mut sums);
        u128::from(sums.word(ties)) << (64 * half as u32)
    });
    words.fold(0, |packed, word| packed | word) & u128::MAX >> (128 - bits)
}

/// Weight of the features with each of 64 bits, and of all features.
struct Sums {
    ones: [u64; 64],
    total: u64,
}

impl Sums {
    fn add(&mut self, features: &[u64], weights: Option<&[u32]>) {
        match weights {
            Some(weights) => {
                accumulate::add_weighted(features, weights, &mut self.ones);
                self.total += weights.iter().map(|&w| u64::from(w)).sum::<u64>();
            }
            None => {
                accumulate::add_unweighted(features, &mut self.ones);
                self.total += features.len() as u64;
            }
        }
    }

    fn add_ids(&mut self, ids: &[u32], half: Half) {
        accumulate::add_ids(ids, half, &mut self.ones);
        self.total += ids.len() as u64;
    }

    /// The bits; `ties` says what each becomes in a tie.
    fn word(&self, ties: u64) -> u64 {
        let (mut more, mut equal) = (0, 0);
        for (j, &ones) in self.ones.iter().enumerate() {
            let zeros = self.total - ones;
            more |= u64::from(ones > zeros) << j;
            equal |= u64::from(ones == zeros) << j;
        }
        more | equal & ties
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hamming::cases::Random;

    #[test]
    fn ties_go_where_they_are_told() {
        let opposite = [0u64, u64::MAX];
        let of = |bits, ties| make_simhash([&opposite; 2], None, bits, ties);
        assert_eq!(of(128, Ties::Zero), 0);
        assert_eq!(of(128, Ties::One), u128::MAX);
        assert_eq!(of(128, Ties::Fixed), u128::from(hash::K[3]) << 64 | u128::from(hash::K[1]));
        assert_eq!(of(64, Ties::Fixed), u128::from(hash::K[1]));
        assert_eq!(of(16, Ties::One), 0xFFFF);
    }

    #[test]
    fn ids_stand_for_their_features() {
        let ids: Vec<u32> = (0..3000u32).map(|i| i.wrapping_mul(0x9E37_79B9)).collect();
        let weights: Vec<u32> = (0..3000).map(|i| i % 300).collect();
        let features = [Half::Low, Half::High]
            .map(|half| ids.iter().map(|&id| hash::expand_id(id, half)).collect::<Vec<_>>());
        let features = [features[0].as_slice(), features[1].as_slice()];
        for weights in [None, Some(weights.as_slice())] {
            for bits in [32, 64, 128] {
                let found = make_simhash_of_ids(&ids, weights, bits, Ties::Fixed);
                assert_eq!(found, make_simhash(features, weights, bits, Ties::Fixed));
            }
        }
    }

    /// The definition, bit by bit.
    fn by_definition(features: &[u128], weights: Option<&[u32]>, bits: u32, ties: Ties) -> u128 {
        let weight = |place: usize| weights.map_or(1, |weights| u64::from(weights[place]));
        let total: u64 = (0..features.len()).map(weight).sum();
        let tied = ties.bits();
        let bit = |at: u32| {
            let with = (0..features.len()).filter(|&place| features[place] >> at & 1 == 1);
            let ones: u64 = with.map(weight).sum();
            let tie = tied[at as usize / 64] >> (at % 64) & 1 == 1;
            u128::from(2 * ones > total || 2 * ones == total && tie) << at
        };
        (0..bits).map(bit).sum()
    }

    #[test]
    fn features_of_any_number_and_weight_are_added_up() {
        let mut random = Random(1);
        let mut draw = || random.word();
        for count in [0, 1, 2, 3, 7, 8, 9, 31, 64, 100, 300] {
            let lower: Vec<u64> = (0..count).map(|_| draw()).collect();
            // Few of them are different, so that weights tie.
            let upper: Vec<u64> = (0..count).map(|at| if at % 2 == 0 { 5 } else { !5 }).collect();
            let features: Vec<u128> = lower
                .iter()
                .zip(&upper)
                .map(|(&l, &u)| u128::from(u) << 64 | u128::from(l))
                .collect();
            let small: Vec<u32> = (0..count).map(|_| draw() as u32 % 4).collect();
            let large: Vec<u32> = (0..count).map(|_| u32::MAX - draw() as u32 % 2).collect();
            for weights in [None, Some(&small[..]), Some(&large[..])] {
                for bits in [1, 16, 63, 64, 65, 127, 128] {
                    for ties in [Ties::Zero, Ties::One, Ties::Fixed] {
                        let expected = by_definition(&features, weights, bits, ties);
                        let make = || make_simhash([&lower, &upper], weights, bits, ties);
                        for found in simd::each_level(make) {
                            assert_eq!(found, expected, "{count} features, {bits} bits, {ties:?}");
                        }
                    }
                }
            }
        }
    }

    /// Roth 2013, Table 1: "Hello world", 16 bits, 3-grams hashed by the sum of their ASCII codes.
    /// The table leaves out 327, the hash of "llo".
    #[test]
    fn roth_2013_table_1() {
        let of = |hashes: &[u64]| make_simhash([hashes, &[]], None, 16, Ties::Zero);
        assert_eq!(of(&[281, 317, 251, 262, 262, 344, 333, 322]), 0b0000_0001_0000_1000);
        assert_eq!(of(&[281, 317, 327, 251, 262, 262, 344, 333, 322]), 335);
    }

    #[test]
    fn weights_decide() {
        let of = |weights: &[u32]| make_simhash([&[0b01, 0b10]; 2], Some(weights), 128, Ties::Zero);
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
