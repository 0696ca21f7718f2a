//! The cases: columns of every shape, and thresholds.

use super::OwnedSets;
use crate::overlap::Ratio;

/// A deterministic stream of numbers (splitmix64).
pub(in crate::overlap) struct Numbers(pub(in crate::overlap) u64);

impl Numbers {
    pub(super) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    /// Below `end`, which is above 0.
    pub(super) fn below(&mut self, end: usize) -> usize {
        (self.next() % end as u64) as usize
    }

    pub(super) fn pick<T: Copy>(&mut self, choices: &[T]) -> T {
        choices[self.below(choices.len())]
    }
}

pub(super) fn ratio(numerator: u64, denominator: u64) -> Ratio {
    Ratio { numerator, denominator }
}

/// The usual thresholds, odd ones, and ones that need 128 bits.
pub(super) fn thresholds() -> Vec<Ratio> {
    vec![
        ratio(1, 2),
        ratio(2, 3),
        ratio(3, 4),
        ratio(4, 5),
        ratio(9, 10),
        ratio(19, 20),
        ratio(1, 1),
        ratio(8, 10),
        ratio(17, 29),
        ratio(1, 3),
        ratio(1, 7),
        ratio(99, 100),
        ratio(333_333_333_333, 499_999_999_999),
        ratio(u64::MAX / 3 * 2, u64::MAX),
        ratio(u64::MAX - 1, u64::MAX),
        ratio(u64::MAX, u64::MAX),
        ratio(1, u64::MAX),
    ]
}

/// Values of a set, spread over an alphabet in one of several ways.
fn random_set(numbers: &mut Numbers, size: usize, alphabet: usize, skewed: bool) -> Vec<u32> {
    let value = |numbers: &mut Numbers| {
        let place = numbers.below(alphabet);
        if skewed { numbers.below(place + 1) } else { place }
    };
    (0..size).map(|_| value(numbers) as u32).collect()
}

/// A random column: tiny or large alphabets, even or skewed frequencies, sizes all equal or not,
/// with equal sets, near copies, parts of others, empty and single sets, now and then a huge one.
pub(super) fn column(numbers: &mut Numbers) -> OwnedSets {
    let rows = numbers.pick(&[1, 2, 5, 12, 30]);
    let alphabet = numbers.pick(&[3, 8, 20, 60, 1000]);
    let largest = numbers.pick(&[2, 6, 15, 40]);
    let (skewed, equal_sizes) = (numbers.below(2) == 0, numbers.below(3) == 0);
    let mut sets: Vec<Vec<u32>> = Vec::new();
    for _ in 0..rows {
        let size = if equal_sizes { largest } else { numbers.below(largest + 1) };
        let set = match numbers.below(8) {
            0 if !sets.is_empty() => sets[numbers.below(sets.len())].clone(),
            1 | 2 if !sets.is_empty() => {
                let mut copy = sets[numbers.below(sets.len())].clone();
                for _ in 0..=numbers.below(3) {
                    let place = numbers.below(copy.len() + 1);
                    copy.truncate(if numbers.below(2) == 0 { place } else { copy.len() });
                    copy.push(numbers.below(alphabet) as u32);
                }
                copy
            }
            3 if numbers.below(20) == 0 => (0..500).collect(),
            4 if numbers.below(5) == 0 => Vec::new(),
            _ => random_set(numbers, size, alphabet, skewed),
        };
        sets.push(set);
    }
    // Half the columns are of values as hashes are: anywhere in 32 bits.
    if numbers.below(2) == 0 {
        for value in sets.iter_mut().flatten() {
            *value = value.wrapping_mul(0x85EB_CA6B).wrapping_sub(1);
        }
    }
    OwnedSets::new(&sets)
}
