//! Ids of 32 bits that are equal by chance, in sets so large that their whole hashes are kept.

use super::ratio::Ratio;

/// Bound on the chance meetings of two sets of ids. There are n m / 2^32 on average; sixteen more
/// than sixteen times as many have a probability below e^-40.
pub(super) fn slack(size: usize, other: usize) -> usize {
    ((size * other) >> 28) + 16
}

/// Threshold at which ids are joined, so that no pair at `threshold` is lost whose whole hashes
/// decide: lower by four times the share of ids of the largest set that meet by chance, but never
/// below a half of the threshold.
///
/// `largest`: values of the largest set with whole hashes; 0 without any.
#[must_use]
pub fn lowered(threshold: Ratio, largest: u64) -> Ratio {
    if largest == 0 {
        return threshold;
    }
    let Ratio { numerator, denominator } = threshold;
    // In units of 2^-32, rounded down: the join may nominate a pair too many, and none too few.
    let exact = u128::from(numerator) * (1 << 32) / u128::from(denominator.max(1));
    match exact.saturating_sub(4 * u128::from(largest)).max(exact / 2) {
        0 => Ratio { numerator, denominator: denominator.saturating_mul(2) },
        less => Ratio { numerator: u64::try_from(less).unwrap_or(u64::MAX), denominator: 1 << 32 },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_threshold_falls_by_the_share_of_ids_that_meet_and_never_below_its_half() {
        let nine_tenths = Ratio { numerator: 9, denominator: 10 };
        assert_eq!(lowered(nine_tenths, 0), nine_tenths);
        for (largest, expected) in [(1 << 12, 0.9 - 4.0 / f64::from(1 << 20)), (1 << 40, 0.45)] {
            let Ratio { numerator, denominator } = lowered(nine_tenths, largest);
            assert!((numerator as f64 / denominator as f64 - expected).abs() < 1e-9);
        }
        let tiny = Ratio { numerator: 1, denominator: 1 << 40 };
        assert_eq!(lowered(tiny, 5), Ratio { numerator: 1, denominator: 1 << 41 });
    }

    #[test]
    fn chance_meetings_are_few_in_small_sets() {
        assert_eq!([slack(100, 100), slack(1 << 14, 1 << 15)], [16, 18]);
    }
}
