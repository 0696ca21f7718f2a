//! Ids of 32 bits that are equal by chance, in sets so large that their whole hashes are kept.

use super::ratio::Ratio;

/// Units of a lowered threshold: 2^-32.
const UNITS: u128 = 1 << 32;

/// Threshold at which ids are joined, so that no pair is lost that is at `threshold` by whole
/// hashes.
///
/// The hashes that two sets share have fewer ids than hashes, by at most the number of merged
/// hashes of either set, and so has the union. So a ratio of t is one of at least t - (1 - t) d / n
/// of ids, where d hashes are merged in the set of n ids that has the most of them for its size.
/// Ids that are equal in two sets by chance only lift a pair, and a ratio without merged hashes
/// does not fall. The same holds for containment.
#[must_use]
pub fn lower_threshold_for_merged_hashes(
    threshold: Ratio,
    ids_of_set: u64,
    merged_hashes_of_set: u64,
) -> Ratio {
    let Ratio { numerator, denominator } = threshold;
    let [numerator, denominator, ids, merged] =
        [numerator, denominator, ids_of_set, merged_hashes_of_set].map(u128::from);
    if merged == 0 || !threshold.is_threshold() {
        return threshold;
    }
    // Rounded down: the join may nominate a pair too many, and none too few.
    let left = (numerator * ids).saturating_sub((denominator - numerator) * merged);
    let units = left * UNITS / (denominator * ids.max(1));
    // Never 0: that would be no threshold, and match nothing where it should match nearly all.
    Ratio { numerator: u64::try_from(units.max(1)).unwrap_or(u64::MAX), denominator: 1 << 32 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_threshold_falls_by_the_share_of_merged_hashes() {
        let nine_tenths = Ratio { numerator: 9, denominator: 10 };
        assert_eq!(lower_threshold_for_merged_hashes(nine_tenths, 3000, 0), nine_tenths);
        for (ids, merged, expected) in [(1000, 1, 0.9 - 0.0001), (10, 3, 0.87), (1, 20, 0.0)] {
            let Ratio { numerator, denominator } =
                lower_threshold_for_merged_hashes(nine_tenths, ids, merged);
            assert!((numerator as f64 / denominator as f64 - expected).abs() < 1e-9);
        }
        let one = Ratio { numerator: 7, denominator: 7 };
        assert_eq!(
            lower_threshold_for_merged_hashes(one, 10, 3),
            Ratio { numerator: 1 << 32, denominator: 1 << 32 }
        );
    }
}
