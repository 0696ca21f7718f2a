//! Thresholds as exact fractions: no floating point decides whether a pair is in.

use crate::sets::saturate_to_u32;
use std::cmp::Ordering;

/// A threshold `numerator / denominator`, above 0 and at most 1. Anything else matches nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ratio {
    /// Above 0.
    pub numerator: u64,
    /// At least the numerator.
    pub denominator: u64,
}

impl Ratio {
    /// Returns whether the ratio is above 0 and at most 1.
    pub(crate) fn is_threshold(self) -> bool {
        0 < self.numerator && self.numerator <= self.denominator
    }

    /// Returns whether the ratio is less than another one.
    pub(crate) fn is_below(self, other: Self) -> bool {
        compare_fractions(self.terms(), other.terms()).is_lt()
    }

    /// Returns whether `part / whole` is at least the ratio; 0 of 0 is not.
    pub(crate) fn is_reached(self, part: u64, whole: u64) -> bool {
        whole > 0 && compare_fractions((part, whole), self.terms()).is_ge()
    }

    /// Returns whether `part / whole` is more than the ratio; 0 of 0 is not.
    pub(crate) fn is_exceeded(self, part: u64, whole: u64) -> bool {
        compare_fractions((part, whole), self.terms()).is_gt()
    }

    fn terms(self) -> (u64, u64) {
        (self.numerator, self.denominator)
    }
}

/// Compares two fractions exactly, each a numerator and a denominator.
pub(crate) fn compare_fractions(one: (u64, u64), other: (u64, u64)) -> Ordering {
    // Products of two 64-bit numbers fit in 128 bits.
    let product = |a: u64, b: u64| u128::from(a) * u128::from(b);
    product(one.0, other.1).cmp(&product(other.0, one.1))
}

/// A fraction of a count, rounded up to whole values. Its parts stay below 2^66 and counts below
/// 2^62, so that no product leaves 128 bits.
#[derive(Debug, Clone, Copy)]
struct Share {
    numerator: u128,
    denominator: u128,
}

impl Share {
    /// The smallest whole number of values that is at least this share of `count`.
    fn of(self, count: usize) -> usize {
        let product = self.numerator * count as u128;
        // Nearly always 64 bits hold both, and a processor divides those itself; 128 bits are
        // divided by a function.
        let whole = match (u64::try_from(product), u64::try_from(self.denominator)) {
            (Ok(product), Ok(denominator)) => product.div_ceil(denominator) as u128,
            _ => product.div_ceil(self.denominator),
        };
        usize::try_from(whole).unwrap_or(usize::MAX)
    }
}

/// Demands of a resemblance of at least `t` = |A n B| / |A u B| (Bayardo et al. 2007, section 4;
/// Xiao et al. 2008, section 2.2).
#[derive(Debug, Clone, Copy)]
pub(crate) struct Resemblance {
    threshold: Ratio,
}

impl Resemblance {
    /// The demands of a threshold; what is not one is taken for 1, and then no catalogue may list a
    /// set.
    pub(crate) fn of_threshold_or_one(threshold: Ratio) -> Self {
        let one = Ratio { numerator: 1, denominator: 1 };
        Self { threshold: if threshold.is_threshold() { threshold } else { one } }
    }

    /// t as a share.
    fn share_of_larger(self) -> Share {
        Share {
            numerator: u128::from(self.threshold.numerator),
            denominator: u128::from(self.threshold.denominator),
        }
    }

    /// Returns whether t is below 3/4.
    pub(crate) fn is_below_three_quarters(self) -> bool {
        self.threshold.is_below(Ratio { numerator: 3, denominator: 4 })
    }

    /// The numerator of 1 + t over the denominator of t.
    fn numerator_of_one_more(self) -> u128 {
        u128::from(self.threshold.numerator) + u128::from(self.threshold.denominator)
    }

    /// Values that two sets of `sizes` values in all must share: t / (1 + t) of them.
    pub(crate) fn values_needed(self, sizes: usize) -> usize {
        let share = Share {
            numerator: u128::from(self.threshold.numerator),
            denominator: self.numerator_of_one_more(),
        };
        share.of(sizes)
    }

    /// In how many values at the most two sets of `sizes` values in all may differ.
    pub(crate) fn most_differing_together(self, sizes: usize) -> usize {
        sizes - (2 * self.values_needed(sizes)).min(sizes)
    }

    /// The size of the smallest set that can resemble one of `size` values, which is also what it
    /// must share with any set.
    pub(crate) fn smallest_partner(self, size: usize) -> usize {
        self.share_of_larger().of(size)
    }

    /// The size of the largest set that can resemble one of `size` values.
    pub(crate) fn largest_partner(self, size: usize) -> usize {
        let Share { numerator, denominator } = self.share_of_larger();
        let largest = denominator * size as u128 / numerator.max(1);
        // No set has more values than 32 bits count.
        u32::try_from(largest).unwrap_or(u32::MAX) as usize
    }

    /// In how many values at the most a set of `size` values may differ from one of at most
    /// `largest`, which may resemble it: of sums of one parity the greatest differ most.
    pub(crate) fn most_differing_up_to_size(self, size: usize, largest: usize) -> usize {
        let sizes = size + largest;
        self.most_differing_together(sizes)
            .max(self.most_differing_together(sizes.saturating_sub(1)))
    }

    /// Number of values that two prefixes must share if the sets must share `shared`: two rule out
    /// nearly all sets that have one rare value in common by chance, and lengthen the prefix by one
    /// (the 2-prefix scheme of Wang, Li and Feng 2012, "Can we beat the prefix filtering?").
    #[inline]
    pub(crate) fn prefix_hits(self, shared: u32) -> u32 {
        shared.min(2)
    }

    /// Number of the rarest values of a set to look up: any set that resembles it has
    /// [`Self::prefix_hits`] of them.
    pub(crate) fn prefix_length(self, size: usize) -> usize {
        self.prefix_length_to_share(size, self.smallest_partner(size))
    }

    /// The same for sets that are at least as large, which share at least 2t / (1 + t) of it.
    pub(crate) fn two_hit_prefix_length_among_larger(self, size: usize) -> usize {
        let share = Share {
            numerator: 2 * u128::from(self.threshold.numerator),
            denominator: self.numerator_of_one_more(),
        };
        self.prefix_length_to_share(size, share.of(size))
    }

    /// The length of the prefix of a set of `size` that must share `shared`: all values that it may
    /// lack, and the hits.
    fn prefix_length_to_share(self, size: usize, shared: usize) -> usize {
        let shared = shared.min(size);
        size - shared + self.prefix_hits(saturate_to_u32(shared)) as usize
    }
}

/// Demands of a containment of at least `c` = |A n B| / |A| on A.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Containment {
    threshold: Ratio,
}

impl Containment {
    /// `threshold` must be one ([`Ratio::is_threshold`]).
    pub(crate) fn new(threshold: Ratio) -> Self {
        Self { threshold }
    }

    /// Number of its `size` values that a set must share with another to be contained in it.
    pub(crate) fn values_needed(self, size: usize) -> usize {
        let share = Share {
            numerator: u128::from(self.threshold.numerator),
            denominator: u128::from(self.threshold.denominator),
        };
        share.of(size)
    }

    /// Number of values of a set's prefix that its container must have: more than one, which rules
    /// out most false candidates and lengthens the prefix by little (measured best: two at high
    /// thresholds, five below 0.9).
    pub(crate) fn prefix_hits(self, size: usize) -> usize {
        let Ratio { numerator, denominator } = self.threshold;
        let high = u128::from(numerator) * 10 >= u128::from(denominator) * 9;
        self.values_needed(size).min(if high { 2 } else { 5 })
    }

    /// Number of values of a set to look up: all it may lack, and [`Self::prefix_hits`] more.
    pub(crate) fn prefix_length(self, size: usize) -> usize {
        size - self.values_needed(size).min(size) + self.prefix_hits(size)
    }
}
