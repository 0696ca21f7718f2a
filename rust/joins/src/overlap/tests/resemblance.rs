use super::cases::{Numbers, column, ratio, thresholds};
use super::{JOBS, OwnedSets, Triples, patient, resembling, triples};
use crate::error::KernelError;
use crate::overlap::{IdSets, Ratio, Sets, resemblance_join, resemblance_self_join};

fn naive_join(
    left: Sets,
    right: Sets,
    threshold: Ratio,
    keep: impl Fn(usize, usize) -> bool,
) -> Triples {
    let mut pairs = Vec::new();
    for a in 0..left.len() {
        for b in (0..right.len()).filter(|&b| keep(a, b)) {
            if let Some(shared) = resembling(left.set_or_empty(a), right.set_or_empty(b), threshold)
            {
                pairs.push((a as u32, b as u32, shared));
            }
        }
    }
    pairs
}

fn self_join(column: &OwnedSets, threshold: Ratio) -> Triples {
    triples(&resemblance_self_join(column.sets(), threshold, u64::MAX, JOBS, &patient).unwrap())
}

#[test]
fn the_self_join_is_brute_force() {
    let mut numbers = Numbers(10);
    let mut found = 0;
    for _ in 0..400 {
        let column = column(&mut numbers);
        for threshold in thresholds() {
            let expected = naive_join(column.sets(), column.sets(), threshold, |a, b| a < b);
            found += expected.len();
            assert_eq!(self_join(&column, threshold), expected, "{threshold:?} {column:?}");
        }
    }
    assert!(found > 10_000);
}

#[test]
fn the_two_sided_join_is_brute_force() {
    let mut numbers = Numbers(11);
    let mut found = 0;
    for round in 0..400 {
        let left = column(&mut numbers);
        let right = if round % 4 == 0 { left.clone() } else { column(&mut numbers) };
        for threshold in thresholds() {
            let expected = naive_join(left.sets(), right.sets(), threshold, |_, _| true);
            found += expected.len();
            let pairs =
                resemblance_join(left.sets(), right.sets(), threshold, u64::MAX, JOBS, &patient)
                    .unwrap();
            assert_eq!(triples(&pairs), expected, "{threshold:?} {left:?} {right:?}");
        }
    }
    assert!(found > 10_000);
}

/// Sets like the characters of short texts: every value is in many, and unrelated texts share most.
#[test]
fn the_joins_of_common_values_are_brute_force() {
    let mut numbers = Numbers(12);
    let mut sets: Vec<Vec<u32>> = Vec::new();
    for row in 0..300 {
        let mut set = match row % 3 {
            0 if row > 0 => sets[numbers.below(row)].clone(),
            _ => (0..numbers.pick(&[60, 150, 400])).map(|_| numbers.below(500) as u32).collect(),
        };
        let changed = numbers.below(set.len() / 4);
        for value in &mut set[..changed] {
            *value = numbers.below(500) as u32;
        }
        sets.push(set);
    }
    let column = OwnedSets::new(&sets);
    for threshold in [ratio(1, 3), ratio(1, 2), ratio(4, 5), ratio(19, 20)] {
        let expected = naive_join(column.sets(), column.sets(), threshold, |a, b| a < b);
        assert!(expected.len() > 10, "{threshold:?}");
        assert_eq!(self_join(&column, threshold), expected, "{threshold:?}");
        let both = naive_join(column.sets(), column.sets(), threshold, |_, _| true);
        let pairs =
            resemblance_join(column.sets(), column.sets(), threshold, u64::MAX, JOBS, &patient);
        assert_eq!(triples(&pairs.unwrap()), both, "{threshold:?}");
    }
}

/// Sets of `only_left + shared` and `shared + only_right` values.
fn two(only_left: u32, shared: u32, only_right: u32) -> OwnedSets {
    let end = only_left + shared;
    OwnedSets::new(&[(0..end).collect(), (only_left..end + only_right).collect()])
}

#[test]
fn a_pair_exactly_at_the_threshold_is_in_and_one_value_below_is_out() {
    for union in (2..=32_u32).chain([48, 64]) {
        for shared in 1..=union {
            for only_left in [0, (union - shared) / 2, union - shared] {
                let column = two(only_left, shared, union - shared - only_left);
                for scale in [1, 7, u64::from(u32::MAX), u64::MAX / 64] {
                    let at = ratio(u64::from(shared) * scale, u64::from(union) * scale);
                    assert_eq!(self_join(&column, at), [(0, 1, shared)]);
                    if shared < union && scale > 1 {
                        let above = ratio(at.numerator + 1, at.denominator);
                        assert_eq!(self_join(&column, above), []);
                    }
                }
            }
        }
    }
}

#[test]
fn positions_and_counts_beyond_the_widths_of_the_index_are_joined_as_well() {
    // 17 bits of rank leave 15 for the position; the first shared value is at 60,000.
    let mut sets: Vec<Vec<u32>> = vec![(0..140_000).collect(), (60_000..200_000).collect()];
    sets.extend((0..70_000).map(|row| vec![1_000_000 + row]));
    let column = OwnedSets::new(&sets);
    assert_eq!(self_join(&column, ratio(2, 5)), [(0, 1, 80_000)]);
    assert_eq!(self_join(&column, ratio(80_001, 200_000)), []);
}

#[test]
fn a_value_that_every_set_has_nominates_no_false_pair() {
    let row = |row: u32| vec![7, 100_000 + row, 200_000 + row / 2, 300_000];
    let column = OwnedSets::new(&(0..3000).map(row).collect::<Vec<_>>());
    let near: Triples = (0..1500).map(|pair| (2 * pair, 2 * pair + 1, 3)).collect();
    assert_eq!(self_join(&column, ratio(3, 5)), near);
}

#[test]
fn equal_sets_cost_nothing_until_they_are_listed() {
    let column = OwnedSets::new(&vec![vec![1, 2, 3]; 100_000]);
    let pairs = 100_000 * 99_999 / 2;
    assert_eq!(
        resemblance_self_join(column.sets(), ratio(1, 2), pairs - 1, JOBS, &patient),
        Err(KernelError::TooManyPairs { count: pairs, limit: pairs - 1 })
    );
}

#[test]
fn more_pairs_than_allowed_are_an_error_and_as_many_are_not() {
    let mut numbers = Numbers(12);
    let mut refused = 0;
    for _ in 0..200 {
        let column = column(&mut numbers);
        let sets = column.sets();
        let threshold = ratio(1, 2);
        let pairs = self_join(&column, threshold).len() as u64;
        assert!(resemblance_self_join(sets, threshold, pairs, JOBS, &patient).is_ok());
        assert!(resemblance_join(sets, sets, threshold, u64::MAX, JOBS, &patient).is_ok());
        for limit in 0..pairs.min(5) {
            let error = resemblance_self_join(sets, threshold, limit, JOBS, &patient).unwrap_err();
            let KernelError::TooManyPairs { count, limit: named } = error else {
                panic!("{error:?}");
            };
            assert_eq!(named, limit);
            assert!(limit < count && count <= pairs);
            let error = resemblance_join(sets, sets, threshold, limit, JOBS, &patient).unwrap_err();
            assert!(matches!(error, KernelError::TooManyPairs { count, .. } if count > limit));
            refused += 1;
        }
    }
    assert!(refused > 100);
}

#[test]
fn the_watch_stops_a_join() {
    let column = OwnedSets::new(&[vec![1, 2], vec![1, 2, 3]]);
    let sets = column.sets();
    let stop = |_: f64| false;
    let stopped = Err(KernelError::Interrupted);
    assert_eq!(resemblance_self_join(sets, ratio(1, 2), 9, JOBS, &stop), stopped);
    assert_eq!(resemblance_join(sets, sets, ratio(1, 2), 9, JOBS, &stop), stopped);
    let late = |share: f64| share < 0.65;
    assert_eq!(resemblance_self_join(sets, ratio(1, 2), 9, JOBS, &late), stopped);
    assert_eq!(resemblance_join(sets, sets, ratio(1, 2), 9, JOBS, &late), stopped);
}

#[test]
fn what_is_no_threshold_matches_nothing() {
    let column = OwnedSets::new(&[vec![1], vec![1], vec![1, 2]]);
    for threshold in [ratio(0, 1), ratio(2, 1), ratio(0, 0), ratio(1, 0)] {
        assert_eq!(self_join(&column, threshold), []);
    }
}

#[test]
fn broken_offsets_are_empty_rows() {
    let offsets = [0, 2, 1, 99, -5, 3, 5];
    let sets = Sets::of(IdSets { offsets: &offsets, values: &[1, 2, 3, 1, 2] });
    let pairs = resemblance_self_join(sets, ratio(1, 1), 9, JOBS, &patient).unwrap();
    assert_eq!(triples(&pairs), [(0, 5, 2)]);
    let none = Sets::of(IdSets { offsets: &[], values: &[] });
    assert_eq!(none.len(), 0);
    assert_eq!(triples(&resemblance_self_join(none, ratio(1, 1), 9, JOBS, &patient).unwrap()), []);
}
