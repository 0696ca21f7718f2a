//! From a text to its fingerprint, all the way, by a recipe.

use crate::hash::Half;
use crate::minhash::minhash;
use crate::shingles::{Shingler, Shingling};
use crate::simd::{self, sort};
use crate::simhash::{Ties, Weight, simhash};

/// How the features of a text become one number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// SimHash of features that weigh so much.
    SimHash(Weight),
    /// Packed 1-bit MinHash; features are in the set or not.
    MinHash,
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

/// The complete way from a text to its fingerprint.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Recipe {
    /// What is hashed.
    pub shingling: Shingling,
    /// How it becomes a number.
    pub kind: Kind,
    /// Width of the fingerprint in bits, 1 to 128.
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
    low: Vec<u64>,
    high: Vec<u64>,
    weights: Vec<u32>,
}

impl Fingerprinter {
    /// The fingerprint of a text.
    ///
    /// # Errors
    /// Says why there is none.
    pub fn fingerprint(&mut self, text: Option<&str>, recipe: &Recipe) -> Result<u128, Lack> {
        let text = text.ok_or(Lack::Null)?;
        self.ids.clear();
        self.shingler.ids(text, recipe.shingling, &mut self.ids);
        if self.ids.is_empty() && text.chars().all(char::is_whitespace) {
            return Err(Lack::Blank);
        }
        let minimum = recipe.minimum.max(1);
        match recipe.kind {
            Kind::SimHash(weight) => self.simhash(weight, recipe.bits, minimum),
            Kind::MinHash => self.minhash(recipe.bits, minimum),
        }
    }

    fn simhash(&mut self, weight: Weight, bits: u32, minimum: usize) -> Result<u128, Lack> {
        sort::sort(&mut self.ids);
        sort::runs(&self.ids, &mut self.distinct, &mut self.counts);
        if self.distinct.len() < minimum {
            return Err(Lack::TooFew);
        }
        self.low.clear();
        simd::hash::expand(&self.distinct, Half::Low, &mut self.low);
        self.high.clear();
        if bits > 64 {
            simd::hash::expand(&self.distinct, Half::High, &mut self.high);
        }
        let weights = match weight {
            Weight::Binary => None,
            weight => {
                self.weights.clear();
                self.weights.extend(self.counts.iter().map(|&tf| weight.of(tf)));
                Some(self.weights.as_slice())
            }
        };
        Ok(simhash([&self.low, &self.high], weights, bits, Ties::Fixed))
    }

    fn minhash(&mut self, bits: u32, minimum: usize) -> Result<u128, Lack> {
        if !self.has_distinct(minimum) {
            return Err(Lack::TooFew);
        }
        // An id that comes again changes no minimum, and to find out costs more than to take it.
        Ok(minhash(&self.ids, bits))
    }

    /// Whether there are so many distinct ids; looks at no more of them than it must.
    fn has_distinct(&mut self, count: usize) -> bool {
        let mut looked = count;
        loop {
            self.distinct.clear();
            self.distinct.extend(self.ids.iter().take(looked));
            if sort::sort_distinct(&mut self.distinct) >= count {
                return true;
            }
            if looked >= self.ids.len() {
                return false;
            }
            looked = looked.saturating_mul(4);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::Normalisation;
    use crate::tokens::Unit;

    const KINDS: [Kind; 2] = [Kind::SimHash(Weight::Logarithm), Kind::MinHash];

    fn recipe(kind: Kind, bits: u32, minimum: usize) -> Recipe {
        let shingling =
            Shingling { unit: Unit::Words, width: 1, normalisation: Normalisation::Fold };
        Recipe { shingling, kind, bits, minimum }
    }

    #[test]
    fn a_text_with_too_little_says_so() {
        for kind in KINDS {
            let recipe = recipe(kind, 64, 3);
            let mut fingerprinter = Fingerprinter::default();
            let mut of = |text| fingerprinter.fingerprint(text, &recipe);
            assert_eq!(of(None), Err(Lack::Null));
            assert_eq!(of(Some(" \n")), Err(Lack::Blank));
            assert_eq!(of(Some("!")), Err(Lack::TooFew));
            assert_eq!(of(Some("no no no yes")), Err(Lack::TooFew));
            assert!(of(Some("one two three")).is_ok());
        }
    }

    #[test]
    fn distinct_features_are_counted_to_the_end() {
        let mut fingerprinter = Fingerprinter::default();
        let text = "a ".repeat(10_000) + "b " + &"a ".repeat(100) + "c";
        for kind in KINDS {
            for (minimum, enough) in [(0, true), (1, true), (3, true), (4, false)] {
                let found = fingerprinter.fingerprint(Some(&text), &recipe(kind, 64, minimum));
                assert_eq!(found.is_ok(), enough, "{kind:?} of at least {minimum}");
            }
        }
    }

    #[test]
    fn a_narrow_fingerprint_is_the_lower_part_of_a_wide_one() {
        let mut fingerprinter = Fingerprinter::default();
        let text = Some("to be or not to be that is the question");
        for kind in KINDS {
            let mut of = |bits| fingerprinter.fingerprint(text, &recipe(kind, bits, 1));
            let widest = of(128);
            for bits in [32, 64] {
                assert_eq!(of(bits), widest.map(|wide| wide & ((1 << bits) - 1)), "{bits} bits");
            }
        }
    }
}
