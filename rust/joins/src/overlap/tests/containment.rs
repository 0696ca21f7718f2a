use super::cases::{Numbers, column, ratio, thresholds};
use super::{OwnedSets, Triples, contained, patient, triples};
use crate::error::KernelError;
use crate::overlap::{
    Ratio, Sets, containment_join, containment_self_join, find_last_containers_by_size_and_row,
};

fn naive_join(sets: Sets, threshold: Ratio) -> Triples {
    let mut pairs = Vec::new();
    for a in 0..sets.len() {
        for b in (0..sets.len()).filter(|&b| b != a) {
            if let Some(shared) = contained(sets.set_or_empty(a), sets.set_or_empty(b), threshold) {
                pairs.push((a as u32, b as u32, shared));
            }
        }
    }
    pairs
}

/// The largest row, by (size, row), that contains each row and is larger.
fn naive_containers(sets: Sets, threshold: Ratio) -> Vec<Option<u32>> {
    let key = |row: usize| (sets.set_or_empty(row).len(), row);
    let holds = |a: usize, b: usize| {
        key(b) > key(a)
            && contained(sets.set_or_empty(a), sets.set_or_empty(b), threshold).is_some()
    };
    let rows = 0..sets.len();
    let largest = |a: usize| rows.clone().filter(|&b| holds(a, b)).max_by_key(|&b| key(b));
    rows.clone().map(|a| largest(a).map(|row| row as u32)).collect()
}

fn self_join(column: &OwnedSets, threshold: Ratio) -> Triples {
    triples(&containment_self_join(column.sets(), threshold, u64::MAX, &patient).unwrap())
}

#[test]
fn the_self_join_is_brute_force() {
    let mut numbers = Numbers(20);
    let mut found = 0;
    for _ in 0..400 {
        let column = column(&mut numbers);
        for threshold in thresholds() {
            let expected = naive_join(column.sets(), threshold);
            found += expected.len();
            assert_eq!(self_join(&column, threshold), expected, "{threshold:?} {column:?}");
        }
    }
    assert!(found > 10_000);
}

#[test]
fn the_join_of_two_columns_is_brute_force() {
    let mut numbers = Numbers(22);
    let mut found = 0;
    for _ in 0..300 {
        let (left, right) = (column(&mut numbers), column(&mut numbers));
        for threshold in thresholds() {
            let mut expected = Vec::new();
            for a in 0..left.sets().len() {
                for b in 0..right.sets().len() {
                    let shared = contained(
                        left.sets().set_or_empty(a),
                        right.sets().set_or_empty(b),
                        threshold,
                    );
                    expected.extend(shared.map(|shared| (a as u32, b as u32, shared)));
                }
            }
            found += expected.len();
            let pairs = containment_join(left.sets(), right.sets(), threshold, u64::MAX, &patient);
            assert_eq!(triples(&pairs.unwrap()), expected, "{threshold:?} {left:?} {right:?}");
        }
    }
    assert!(found > 5_000);
}

#[test]
fn the_container_is_the_largest_of_brute_force() {
    let mut numbers = Numbers(21);
    let mut found = 0;
    for _ in 0..400 {
        let column = column(&mut numbers);
        for threshold in thresholds() {
            let expected = naive_containers(column.sets(), threshold);
            found += expected.iter().flatten().count();
            let answers =
                find_last_containers_by_size_and_row(column.sets(), threshold, &patient).unwrap();
            assert_eq!(answers, expected, "{threshold:?} {column:?}");
        }
    }
    assert!(found > 10_000);
}

#[test]
fn a_set_exactly_at_the_threshold_is_in_and_one_value_below_is_out() {
    for size in 1..=40_u32 {
        for shared in 1..=size {
            let huge = (size - shared..1000).collect();
            let column = OwnedSets::new(&[(0..size).collect(), huge]);
            let scale = u64::MAX / 40;
            let at = ratio(u64::from(shared) * scale, u64::from(size) * scale);
            assert_eq!(self_join(&column, at).first(), Some(&(0, 1, shared)));
            assert_eq!(
                find_last_containers_by_size_and_row(column.sets(), at, &patient).unwrap(),
                [Some(1), None]
            );
            if shared < size {
                let above = ratio(at.numerator + 1, at.denominator);
                assert_eq!(self_join(&column, above).first(), None);
                assert_eq!(
                    find_last_containers_by_size_and_row(column.sets(), above, &patient).unwrap(),
                    [None, None]
                );
            }
        }
    }
}

#[test]
fn removed_sets_leave_the_index_and_change_nothing() {
    // One family whose every member is in the largest: the rest meets the removed members' values.
    let family = |row: u32| (0..200).chain([10_000 + row, 20_000 + row]);
    let mut sets: Vec<Vec<u32>> = (0..150).map(|row| family(row).collect()).collect();
    sets.push((0..250).collect());
    sets.extend((0..150).map(|row| (row..row + 30).collect()));
    let column = OwnedSets::new(&sets);
    for threshold in [ratio(9, 10), ratio(1, 2), ratio(1, 1)] {
        let expected = naive_containers(column.sets(), threshold);
        assert_eq!(
            find_last_containers_by_size_and_row(column.sets(), threshold, &patient).unwrap(),
            expected
        );
    }
}

#[test]
fn more_pairs_than_allowed_are_an_error_and_as_many_are_not() {
    let mut numbers = Numbers(22);
    let mut refused = 0;
    for _ in 0..200 {
        let column = column(&mut numbers);
        let sets = column.sets();
        let pairs = self_join(&column, ratio(1, 2)).len() as u64;
        assert!(containment_self_join(sets, ratio(1, 2), pairs, &patient).is_ok());
        for limit in 0..pairs.min(5) {
            let error = containment_self_join(sets, ratio(1, 2), limit, &patient).unwrap_err();
            let KernelError::TooManyPairs { count, .. } = error else {
                panic!("{error:?}");
            };
            assert!(limit < count && count <= pairs);
            refused += 1;
        }
    }
    assert!(refused > 100);
}

#[test]
fn equal_sets_are_counted_both_ways() {
    let column = OwnedSets::new(&vec![vec![1, 2, 3]; 50_000]);
    let count = 50_000 * 49_999;
    assert_eq!(
        containment_self_join(column.sets(), ratio(1, 2), 10, &patient),
        Err(KernelError::TooManyPairs { count, limit: 10 })
    );
    let mut expected = vec![Some(49_999); 50_000];
    expected[49_999] = None;
    assert_eq!(
        find_last_containers_by_size_and_row(column.sets(), ratio(1, 2), &patient).unwrap(),
        expected
    );
}

#[test]
fn the_watch_stops_it() {
    let column = OwnedSets::new(&[vec![1, 2], vec![1, 2, 3]]);
    for last in [-1.0, 0.04, 0.5] {
        let stop = |share: f64| share < last;
        let stopped = containment_self_join(column.sets(), ratio(1, 2), 9, &stop);
        assert_eq!(stopped, Err(KernelError::Interrupted));
        let stopped = find_last_containers_by_size_and_row(column.sets(), ratio(1, 2), &stop);
        assert_eq!(stopped, Err(KernelError::Interrupted));
    }
}

#[test]
fn what_is_no_threshold_contains_nothing() {
    let column = OwnedSets::new(&[vec![1], vec![1], vec![1, 2]]);
    for threshold in [ratio(0, 1), ratio(2, 1), ratio(0, 0), ratio(1, 0)] {
        assert_eq!(self_join(&column, threshold), []);
        assert_eq!(
            find_last_containers_by_size_and_row(column.sets(), threshold, &patient).unwrap(),
            [None, None, None]
        );
    }
}
