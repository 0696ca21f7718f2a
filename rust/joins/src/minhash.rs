//! Packed 1-bit MinHash: a set becomes one small number (Broder 1997, section 3; Li and Koenig
//! 2010, section 2, with b = 1).
//!
//! Permutation j takes the id x to `x * factors[j] + summands[j]` modulo 2^32, where the factor is
//! odd. Bit j of the fingerprint is a pseudo-random bit of the least of these over the set: the
//! bits of two sets agree where their minima do, and else with probability 1/2. So a share of
//! (1 - R) / 2 of the bits is expected to differ, where R is the resemblance of the sets.

use crate::hash::{self, Half};
use crate::simd::minima;

/// The permutations behind 64 bits of a fingerprint.
#[derive(Debug)]
pub struct Permutations {
    /// Odd.
    pub factors: [u32; 64],
    /// Image of 0: without it an id of many factors of 2 would be small in all permutations.
    pub summands: [u32; 64],
}

impl Permutations {
    /// Permutations `first` to `first + 63`: the upper half of the expansion of their number, its
    /// lowest bit set, and the lower half.
    const fn new(first: u32) -> Self {
        let (mut factors, mut summands) = ([0; 64], [0; 64]);
        let mut i = 0;
        while i < 64 {
            let bits = hash::expand_id(first + i as u32, Half::Low);
            // Only odd factors permute the numbers modulo 2^32.
            factors[i] = (bits >> 32) as u32 | 1;
            summands[i] = bits as u32;
            i += 1;
        }
        Self { factors, summands }
    }

    /// The least image of the ids under each permutation; all ones where there are no ids.
    fn find_minima(&self, ids: &[u32]) -> [u32; 64] {
        minima::find_minima(ids, &self.factors, &self.summands)
    }
}

/// The permutations behind `size` minima: number 0, 1, 2 and so on.
#[must_use]
pub fn make_permutations(size: usize) -> Vec<Permutations> {
    (0..size.div_ceil(64)).map(|block| Permutations::new(64 * block as u32)).collect()
}

/// The classic MinHash signature of a set of ids, which may repeat: its least image under each of
/// the first `size` permutations (Broder 1997, section 3).
#[must_use]
pub fn make_signature(ids: &[u32], family: &[Permutations], size: usize) -> Vec<u32> {
    family.iter().flat_map(|permutations| permutations.find_minima(ids)).take(size).collect()
}

/// The permutations behind the lower and the upper 64 bits.
pub static PERMUTATIONS: [Permutations; 2] = [Permutations::new(0), Permutations::new(64)];

/// The lowest `bits` (1 to 128) of the 1-bit MinHash of a set of ids.
///
/// Ids may repeat. The empty set has one too; whether that means anything is for the caller to say.
#[must_use]
pub fn make_minhash(ids: &[u32], bits: u32) -> u128 {
    let bits = bits.clamp(1, 128);
    let words = PERMUTATIONS.iter().take(bits.div_ceil(64) as usize);
    let word = |family: &Permutations| {
        minima::make_bits_of_minima(&family.find_minima(ids), &family.factors)
    };
    let packed = words
        .enumerate()
        .fold(0, |packed, (i, family)| packed | u128::from(word(family)) << (64 * i));
    // Bit j is the same whatever the width, so that a narrow fingerprint is the beginning of a wide
    // one.
    packed & u128::MAX >> (128 - bits)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A generator of ids for these tests.
    fn random(state: &mut u64) -> u32 {
        *state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        hash::expand_id((*state >> 32) as u32, Half::High) as u32
    }

    #[test]
    fn order_and_repetition_change_nothing() {
        let mut state = 1;
        let ids: Vec<u32> = (0..500).map(|_| random(&mut state)).collect();
        let again: Vec<u32> = ids.iter().rev().chain(&ids[..77]).copied().collect();
        assert_eq!(make_minhash(&ids, 128), make_minhash(&again, 128));
        assert_eq!(make_minhash(&ids, 64), make_minhash(&ids, 128) & u128::from(u64::MAX));
    }

    /// One bit of the input changes the output half of the time, also among numbers that follow
    /// one another, which the minima of large sets do.
    #[test]
    fn every_bit_of_a_minimum_decides() {
        const COUNT: u32 = 1 << 16;
        let mut state = 2;
        let any: Vec<u32> = (0..COUNT).map(|_| random(&mut state)).collect();
        let small: Vec<u32> = (0..COUNT).collect();
        for minima in [any, small] {
            for flipped in 0..32 {
                let changed = |&m: &u32| {
                    hash::bit_of_minimum(m, 1) ^ hash::bit_of_minimum(m ^ 1 << flipped, 1)
                };
                let share = minima.iter().map(changed).sum::<u32>();
                let share = f64::from(share) / f64::from(COUNT);
                // Beside chance (0.002) as much bias as does not show in 128 bits.
                assert!((share - 0.5).abs() < 0.012, "bit {flipped}: {share}");
            }
        }
    }

    #[test]
    fn no_id_is_least_more_often_than_others() {
        let mut state = 3;
        for id in [0, 1, 1 << 31, 3 << 30, u32::MAX] {
            let distances = (0..100).map(|_| {
                let [one, other]: [Vec<u32>; 2] = std::array::from_fn(|_| {
                    (0..100).map(|_| random(&mut state)).chain([id]).collect()
                });
                f64::from((make_minhash(&one, 128) ^ make_minhash(&other, 128)).count_ones())
            });
            // The sets resemble each other by 1/201: of 128 bits 63.7 are expected to differ, and
            // the mean of 100 distances varies by 0.57.
            let mean = distances.sum::<f64>() / 100.0;
            assert!((mean - 63.7).abs() < 5.5 * 0.57, "with the id {id}: {mean}");
        }
    }

    #[test]
    fn the_same_minimum_has_another_bit_in_another_permutation() {
        for minimum in 0..1000 {
            let factors = PERMUTATIONS.iter().flat_map(|permutations| permutations.factors);
            let ones: u32 = factors.map(|factor| hash::bit_of_minimum(minimum, factor)).sum();
            // 5.5 standard deviations of 128 bits.
            assert!(ones.abs_diff(64) < 32, "{ones} of 128 for {minimum}");
        }
    }

    /// Over sets of any size, a single id and a million among them, each bit is set in half of the
    /// sets, and two bits agree in half.
    #[test]
    fn the_bits_of_sets_are_balanced_and_independent_in_pairs() {
        for (sets, size) in [(8192, 1), (8192, 20), (64, 1_000_000)] {
            let mut state = size as u64;
            let prints: Vec<u128> = (0..sets)
                .map(|_| {
                    let ids: Vec<u32> = (0..size).map(|_| random(&mut state)).collect();
                    make_minhash(&ids, 128)
                })
                .collect();
            let deviation =
                |count: u32| (2.0 * f64::from(count) - sets as f64) / (sets as f64).sqrt();
            for i in 0..128 {
                let ones = deviation(prints.iter().map(|x| (x >> i & 1) as u32).sum());
                assert!(ones.abs() < 5.5, "bit {i} of sets of {size} deviates by {ones}");
                for j in 0..i {
                    let agree = prints.iter().map(|x| (!(x >> i ^ x >> j) & 1) as u32).sum();
                    let agree = deviation(agree);
                    assert!(agree.abs() < 5.5, "bits {i} and {j} of sets of {size}: {agree}");
                }
            }
        }
    }
}
