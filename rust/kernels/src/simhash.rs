//! SimHash: features and weights become one small number (Charikar 2002, section 3).
//!
//! Bit j of the fingerprint says whether the features that have bit j outweigh those that have
//! not. All sums are of integers, so the answer does not depend on the order of the features, on
//! threads or on the instruction set.

use std::collections::BTreeMap;

use crate::hash;
use crate::shingles::{Shingler, Shingling};
use crate::simd::{accumulate, sort};

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
            // No integer tf below 2^32 comes near enough to a boundary for rounding to differ.
            Self::Logarithm => (8.0 * (1.0 + f64::from(tf).ln())).round() as u32,
        }
    }
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
    fn bits(self) -> u64 {
        match self {
            Self::Zero => 0,
            Self::One => u64::MAX,
            Self::Fixed => hash::K[1],
        }
    }
}

/// The SimHash of 64-bit feature hashes, of which the lowest `bits` are used (1 to 64).
///
/// `weights` has one entry per feature; none at all means that each counts 1.
#[must_use]
pub fn simhash(features: &[u64], weights: Option<&[u32]>, bits: u32, ties: Ties) -> u64 {
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
    decide(&ones, total, ties) & (u64::MAX >> (64 - bits.clamp(1, 64)))
}

/// Sets the bits whose ones weigh more than half of the total.
fn decide(ones: &[u64; 64], total: u64, ties: Ties) -> u64 {
    let tie = ties.bits();
    (0..64).fold(0, |bits, j| {
        let bit = match (2 * u128::from(ones[j])).cmp(&u128::from(total)) {
            std::cmp::Ordering::Greater => 1,
            std::cmp::Ordering::Equal => tie >> j & 1,
            std::cmp::Ordering::Less => 0,
        };
        bits | bit << j
    })
}

/// Why a text has no fingerprint.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lack {
    /// The text is null.
    Null,
    /// The text has nothing but white space.
    Blank,
    /// The text has fewer distinct features than the recipe's minimum.
    TooFew,
}

/// The complete way from a text to its SimHash.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Recipe {
    /// What is hashed.
    pub shingling: Shingling,
    /// How much it counts.
    pub weight: Weight,
    /// Width of the fingerprint in bits, 1 to 64.
    pub bits: u32,
    /// Fewest distinct features that make a fingerprint.
    pub minimum: usize,
}

/// Fingerprints texts; keeps its buffers from one text to the next.
#[derive(Debug, Default)]
pub struct Fingerprinter {
    shingler: Shingler,
    ids: Vec<u32>,
    distinct: Vec<u32>,
    counts: Vec<u32>,
    features: Vec<u64>,
    weights: Vec<u32>,
}

impl Fingerprinter {
    /// The fingerprint of a text.
    ///
    /// # Errors
    /// Says why there is none.
    pub fn fingerprint(&mut self, text: Option<&str>, recipe: &Recipe) -> Result<u64, Lack> {
        let text = text.ok_or(Lack::Null)?;
        let hashes = self.shingler.shingles(text, recipe.shingling);
        if hashes.is_empty() && text.chars().all(char::is_whitespace) {
            return Err(Lack::Blank);
        }
        self.ids.clear();
        self.ids.extend(hashes.iter().map(|&hash| hash::id(hash)));
        sort::sort(&mut self.ids);
        sort::runs(&self.ids, &mut self.distinct, &mut self.counts);
        if self.distinct.len() < recipe.minimum.max(1) {
            return Err(Lack::TooFew);
        }
        self.features.clear();
        self.features.extend(self.distinct.iter().map(|&id| hash::expand(id)));
        let weights = match recipe.weight {
            Weight::Binary => None,
            weight => {
                self.weights.clear();
                self.weights.extend(self.counts.iter().map(|&tf| weight.of(tf)));
                Some(self.weights.as_slice())
            }
        };
        Ok(simhash(&self.features, weights, recipe.bits, Ties::Fixed))
    }
}

/// The cosine of the weighted feature vectors of two texts; none if either has no feature.
#[must_use]
pub fn cosine(left: &str, right: &str, shingling: Shingling, weight: Weight) -> Option<f64> {
    let (left, right) = (vector(left, shingling, weight), vector(right, shingling, weight));
    let norm = |vector: &BTreeMap<u32, f64>| vector.values().map(|w| w * w).sum::<f64>().sqrt();
    let dot: f64 = left.iter().filter_map(|(id, w)| right.get(id).map(|v| w * v)).sum();
    let norms = norm(&left) * norm(&right);
    (norms > 0.0).then(|| (dot / norms).min(1.0))
}

fn vector(text: &str, shingling: Shingling, weight: Weight) -> BTreeMap<u32, f64> {
    let mut counts = BTreeMap::new();
    for &hash in Shingler::default().shingles(text, shingling) {
        *counts.entry(hash::id(hash)).or_insert(0) += 1;
    }
    counts.into_iter().map(|(id, tf)| (id, f64::from(weight.of(tf)))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ties_go_where_they_are_told() {
        let opposite = [0u64, u64::MAX];
        assert_eq!(simhash(&opposite, None, 64, Ties::Zero), 0);
        assert_eq!(simhash(&opposite, None, 64, Ties::One), u64::MAX);
        assert_eq!(simhash(&opposite, None, 64, Ties::Fixed), hash::K[1]);
        assert_eq!(simhash(&opposite, None, 16, Ties::One), 0xFFFF);
    }

    #[test]
    fn weights_decide() {
        assert_eq!(simhash(&[0b01, 0b10], Some(&[3, 2]), 64, Ties::Zero), 0b01);
        assert_eq!(simhash(&[0b01, 0b10], Some(&[u32::MAX, u32::MAX]), 64, Ties::Zero), 0);
    }

    #[test]
    fn cosines() {
        let shingling = Shingling {
            unit: crate::tokens::Unit::Words,
            width: 1,
            normalisation: crate::text::Normalisation::Fold,
        };
        let of = |left, right| cosine(left, right, shingling, Weight::Frequency);
        assert!(of("a b", "B a").is_some_and(|cosine| (cosine - 1.0).abs() < 1e-12));
        assert_eq!(of("a", "b"), Some(0.0));
        assert_eq!(of("a", " "), None);
        // (2, 1) and (1, 2): 4 / 5.
        assert!(of("a a b", "a b b").is_some_and(|cosine| (cosine - 0.8).abs() < 1e-12));
    }

    #[test]
    fn logarithms_in_eighths() {
        let weights: Vec<u32> =
            [1, 2, 3, 10, 1000, u32::MAX].map(|tf| Weight::Logarithm.of(tf)).into();
        assert_eq!(weights, [8, 14, 17, 26, 63, 185]);
    }

    #[test]
    fn a_text_with_too_little_says_so() {
        let recipe = Recipe {
            shingling: Shingling {
                unit: crate::tokens::Unit::Words,
                width: 1,
                normalisation: crate::text::Normalisation::Fold,
            },
            weight: Weight::Logarithm,
            bits: 64,
            minimum: 3,
        };
        let mut fingerprinter = Fingerprinter::default();
        assert_eq!(fingerprinter.fingerprint(None, &recipe), Err(Lack::Null));
        assert_eq!(fingerprinter.fingerprint(Some(" \n"), &recipe), Err(Lack::Blank));
        assert_eq!(fingerprinter.fingerprint(Some("!"), &recipe), Err(Lack::TooFew));
        assert_eq!(fingerprinter.fingerprint(Some("no no no yes"), &recipe), Err(Lack::TooFew));
        assert!(fingerprinter.fingerprint(Some("one two three"), &recipe).is_ok());
    }
}
