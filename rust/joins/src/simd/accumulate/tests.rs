use super::*;
use crate::hash::{self, Half};
use crate::simd::each_level;

/// Around what counters and heaps hold.
const LENGTHS: [usize; 18] =
    [0, 1, 7, 8, 63, 64, 127, 128, 129, 254, 255, 256, 510, 511, 3967, 3968, 3969, 9000];

/// The definition.
fn sums(features: &[u64], weights: &[u32]) -> Vec<u64> {
    let weight = |j: usize| {
        let with_bit = features.iter().zip(weights).filter(|(feature, _)| **feature >> j & 1 == 1);
        with_bit.map(|(_, &weight)| u64::from(weight)).sum()
    };
    (0..64).map(weight).collect()
}

#[test]
fn every_level_counts_by_the_definition() {
    for feature in
        [|i| hash::expand_id(i as u32, Half::Low), |_| u64::MAX, |_| 0, |i| 1u64 << (i % 64)]
    {
        let features: Vec<u64> = (0..9000u64).map(feature).collect();
        for length in LENGTHS {
            let features = &features[..length];
            let expected = sums(features, &vec![1; length]);
            for found in each_level(|| {
                let mut ones = [3; 64];
                add_unweighted(features, &mut ones);
                ones.map(|one| one - 3)
            }) {
                assert_eq!(found.as_slice(), expected, "{length} features");
            }
        }
    }
}

#[test]
fn every_level_counts_the_features_of_ids() {
    let ids: Vec<u32> = (0..9000u32).map(|i| i.wrapping_mul(0x9E37_79B9)).collect();
    for half in [Half::Low, Half::High] {
        let features: Vec<u64> = ids.iter().map(|&id| hash::expand_id(id, half)).collect();
        for length in LENGTHS {
            let expected = sums(&features[..length], &vec![1; length]);
            for found in each_level(|| {
                let mut ones = [3; 64];
                add_ids(&ids[..length], half, &mut ones);
                ones.map(|one| one - 3)
            }) {
                assert_eq!(found.as_slice(), expected, "{length} features");
            }
        }
    }
}

#[test]
fn every_level_weighs_by_the_definition() {
    for feature in [|i| hash::expand_id(i as u32, Half::Low), |_| u64::MAX, |i| 1u64 << (i % 64)] {
        let features: Vec<u64> = (0..1100u64).map(feature).collect();
        for weight in [
            |_| 0,
            |_| 255,
            |_| 256,
            |_| u32::MAX,
            |i| i % 190,
            |i| if i % 100 == 9 { 70_000 + i } else { 8 },
            |i| hash::expand_id(i, Half::Low) as u32,
        ] {
            let weights: Vec<u32> = (0..1100).map(weight).collect();
            for length in [0, 1, 7, 254, 255, 256, 511, 1100] {
                let (features, weights) = (&features[..length], &weights[..length]);
                let expected = sums(features, weights);
                for found in each_level(|| {
                    let mut ones = [3; 64];
                    add_weighted(features, weights, &mut ones);
                    ones.map(|one| one - 3)
                }) {
                    assert_eq!(found.as_slice(), expected, "{length} features");
                }
            }
        }
    }
}
