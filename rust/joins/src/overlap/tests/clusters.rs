use super::cases::{Numbers, column, ratio, thresholds};
use super::{JOBS, OwnedSets, clustered, patient, resembling};
use crate::error::KernelError;
use crate::overlap::parts::first_large_size;
use crate::overlap::ratio::Resemblance;
use crate::overlap::{
    Anchored, Anchoring, Bridges, Ratio, Sets, cluster_sets_anchored, connect_sets,
};

/// The rule, word for word.
fn naive_clustered(sets: Sets, order: &[u32], threshold: Ratio) -> Anchored {
    let mut keepers = vec![None; sets.len()];
    let mut shared: Vec<u32> =
        (0..sets.len()).map(|row| sets.set_or_empty(row).len() as u32).collect();
    for &keeper in order {
        if keepers[keeper as usize].is_some() {
            continue;
        }
        keepers[keeper as usize] = Some(keeper);
        for row in 0..sets.len() {
            let joins =
                resembling(sets.set_or_empty(keeper as usize), sets.set_or_empty(row), threshold);
            if let (None, Some(count)) = (keepers[row], joins) {
                keepers[row] = Some(keeper);
                shared[row] = count;
            }
        }
    }
    let keeper: Vec<u32> = keepers.into_iter().map(Option::unwrap).collect();
    let also = (0..sets.len()).map(|row| naive_also(sets, &keeper, row, threshold)).collect();
    Anchored { keeper, shared, most_alike_outside: also }
}

/// The row outside its cluster that a keeper resembles most, of equal ones the first.
fn naive_also(sets: Sets, keeper: &[u32], row: usize, threshold: Ratio) -> Option<u32> {
    let mut best: Option<(usize, usize, u32)> = None;
    if keeper[row] != row as u32 {
        return None;
    }
    for other in (0..sets.len()).filter(|&other| keeper[other] != row as u32) {
        let Some(shared) = resembling(sets.set_or_empty(row), sets.set_or_empty(other), threshold)
        else {
            continue;
        };
        let shared = shared as usize;
        let union = sets.set_or_empty(row).len() + sets.set_or_empty(other).len() - shared;
        if best.is_none_or(|(most, of, _)| shared * of > most * union) {
            best = Some((shared, union, other as u32));
        }
    }
    best.map(|(_, _, row)| row)
}

/// The smallest row reachable from each row.
fn naive_connected(sets: Sets, threshold: Ratio) -> Vec<u32> {
    let mut components: Vec<u32> = (0..sets.len() as u32).collect();
    loop {
        let before = components.clone();
        for a in 0..sets.len() {
            for b in 0..sets.len() {
                if resembling(sets.set_or_empty(a), sets.set_or_empty(b), threshold).is_some() {
                    components[a] = components[a].min(components[b]);
                }
            }
        }
        if components == before {
            return components;
        }
    }
}

fn shuffled(rows: usize, numbers: &mut Numbers) -> Vec<u32> {
    let mut order: Vec<u32> = (0..rows as u32).collect();
    for place in (1..rows).rev() {
        order.swap(place, numbers.below(place + 1));
    }
    order
}

#[test]
fn anchored_clusters_are_those_of_the_rule() {
    let mut numbers = Numbers(30);
    let (mut members, mut partners) = (0, 0);
    for _ in 0..400 {
        let column = column(&mut numbers);
        let sets = column.sets();
        for threshold in thresholds() {
            let order = shuffled(sets.len(), &mut numbers);
            let expected = naive_clustered(sets, &order, threshold);
            members += (0..sets.len()).filter(|&row| expected.keeper[row] != row as u32).count();
            partners += expected.most_alike_outside.iter().flatten().count();
            let clusters =
                clustered(sets, &order, threshold, Bridges::default(), &patient).unwrap();
            assert_eq!(clusters, expected, "{threshold:?} {order:?} {column:?}");
        }
    }
    assert!(members > 10_000 && partners > 1_000, "{members} {partners}");
}

#[test]
fn components_are_those_of_the_graph() {
    let mut numbers = Numbers(31);
    let mut members = 0;
    for _ in 0..400 {
        let column = column(&mut numbers);
        for threshold in thresholds() {
            let expected = naive_connected(column.sets(), threshold);
            members += (0..expected.len()).filter(|&row| expected[row] != row as u32).count();
            let components = connect_sets(column.sets(), threshold, JOBS, &patient).unwrap();
            assert_eq!(components, expected, "{threshold:?} {column:?}");
        }
    }
    assert!(members > 10_000);
}

#[test]
fn families_whose_taken_members_leave_the_index_are_clustered_as_well() {
    let mut numbers = Numbers(32);
    let sets: Vec<Vec<u32>> = (0..120)
        .map(|row| {
            let family = row % 3 * 40;
            let own = (0..numbers.below(30)).map(|_| 1000 + numbers.below(5000) as u32);
            (family..family + 80).chain(own.collect::<Vec<_>>()).collect()
        })
        .collect();
    let column = OwnedSets::new(&sets);
    for threshold in [ratio(3, 4), ratio(4, 5), ratio(9, 10), ratio(1, 2)] {
        for _ in 0..3 {
            let order = shuffled(sets.len(), &mut numbers);
            let expected = naive_clustered(column.sets(), &order, threshold);
            assert_eq!(
                clustered(column.sets(), &order, threshold, Bridges::default(), &patient).unwrap(),
                expected
            );
        }
        let expected = naive_connected(column.sets(), threshold);
        assert_eq!(connect_sets(column.sets(), threshold, JOBS, &patient).unwrap(), expected);
    }
}

#[test]
fn large_sets_are_clustered_in_families_of_few_and_of_many() {
    let mut numbers = Numbers(34);
    let threshold = ratio(1, 2);
    assert!(
        first_large_size(Resemblance::of_threshold_or_one(threshold)) < 1500,
        "the index is asked"
    );
    // A family slides, so that its ends are not alike, and many keepers are.
    let sets: Vec<Vec<u32>> = (0..72)
        .map(|row| {
            let (family, place) = if row < 60 { (0, row) } else { (1 + row % 2, row - 60) };
            let start = family * 100_000 + place * 60;
            let own = (0..numbers.below(300)).map(|_| 400_000 + numbers.below(90_000) as u32);
            (start..start + 1500).chain(own.collect::<std::collections::BTreeSet<_>>()).collect()
        })
        .collect();
    let column = OwnedSets::new(&sets);
    let mut partners = 0;
    for _ in 0..6 {
        let order = shuffled(sets.len(), &mut numbers);
        let expected = naive_clustered(column.sets(), &order, threshold);
        partners += expected.most_alike_outside.iter().flatten().count();
        let found =
            clustered(column.sets(), &order, threshold, Bridges::default(), &patient).unwrap();
        assert_eq!(found, expected);
    }
    assert!(partners > 12, "{partners}");
}

#[test]
fn equal_sets_are_one_cluster_around_the_first_in_order() {
    let column = OwnedSets::new(&vec![vec![5, 6, 7]; 100_000]);
    let clusters =
        clustered(column.sets(), &[77], ratio(1, 1), Bridges::default(), &patient).unwrap();
    assert_eq!(clusters.keeper, vec![77; 100_000]);
    assert_eq!(clusters.shared, vec![3; 100_000]);
    let components = connect_sets(column.sets(), ratio(1, 1), JOBS, &patient).unwrap();
    assert_eq!(components, vec![0; 100_000]);
}

#[test]
fn rows_that_the_order_repeats_invents_or_leaves_out_do_no_harm() {
    let column = OwnedSets::new(&[vec![1, 2], vec![], vec![1, 2, 3], vec![9], vec![9]]);
    let clusters =
        clustered(column.sets(), &[2, 2, 99, u32::MAX], ratio(1, 2), Bridges::default(), &patient)
            .unwrap();
    assert_eq!(clusters.keeper, [2, 1, 2, 3, 3]);
    assert_eq!(clusters.shared, [2, 0, 3, 1, 1]);
}

#[test]
fn the_watch_stops_it() {
    let column = OwnedSets::new(&[vec![1, 2], vec![1, 2, 3]]);
    for last in [-1.0, 0.06] {
        let stop = |share: f64| share < last;
        let stopped = clustered(column.sets(), &[0, 1], ratio(1, 2), Bridges::default(), &stop);
        assert_eq!(stopped, Err(KernelError::Interrupted));
        let stopped = connect_sets(column.sets(), ratio(1, 2), JOBS, &stop);
        assert_eq!(stopped, Err(KernelError::Interrupted));
    }
}

#[test]
fn what_is_no_threshold_joins_nothing() {
    let column = OwnedSets::new(&[vec![1], vec![1], vec![1, 2]]);
    for threshold in [ratio(0, 1), ratio(2, 1), ratio(0, 0), ratio(1, 0)] {
        let clusters =
            clustered(column.sets(), &[2, 1, 0], threshold, Bridges::default(), &patient).unwrap();
        assert_eq!((clusters.keeper, clusters.shared), (vec![0, 1, 2], vec![1, 1, 2]));
        assert_eq!(connect_sets(column.sets(), threshold, JOBS, &patient).unwrap(), [0, 1, 2]);
    }
}

#[test]
fn bridges_bring_rows_of_other_sets_to_their_keeper() {
    let column = OwnedSets::new(&[vec![1, 2], vec![1, 2, 3], vec![9], vec![9], vec![]]);
    let bridges = Bridges { left: &[0, 2, 4], right: &[2, 1, 0] };
    let keepers = |order: &[u32], bridges| {
        clustered(column.sets(), order, ratio(2, 3), bridges, &patient).unwrap().keeper
    };
    assert_eq!(keepers(&[0, 1, 2, 3, 4], Bridges::default()), [0, 0, 2, 2, 4]);
    assert_eq!(keepers(&[0, 1, 2, 3, 4], bridges), [0, 0, 0, 0, 0]);
    assert_eq!(keepers(&[3, 2, 1, 0, 4], bridges), [1, 1, 3, 3, 4]);
    assert_eq!(keepers(&[4, 1, 2, 3, 0], bridges), [4, 1, 1, 1, 4]);
}

#[test]
fn a_family_holds_keepers_that_are_not_alike() {
    let window = |start: u32| (start..start + 20).collect::<Vec<u32>>();
    let column = OwnedSets::new(&[window(0), window(2), window(4), window(90), window(6), vec![]]);
    let found =
        clustered(column.sets(), &[0, 1, 2, 3, 4], ratio(4, 5), Bridges::default(), &patient)
            .unwrap();
    assert_eq!(found.keeper, [0, 0, 2, 3, 2, 5]);
    assert_eq!(found.most_alike_outside, [None, None, Some(1), None, None, None]);
}

#[test]
fn rows_that_have_a_keeper_are_members_of_it() {
    let window = |start: u32| (start..start + 20).collect::<Vec<u32>>();
    let column =
        OwnedSets::new(&[vec![], window(0), window(2), window(4), window(2), vec![], vec![]]);
    let given = [None, Some(0), None, Some(5), None, None, Some(5)];
    let (order, bridges) = ([0, 1, 2, 3, 4, 5, 6], Bridges::default());
    let found = cluster_sets_anchored(
        column.sets(),
        Anchoring {
            families: &[0; 7],
            ranking: &order,
            threshold: ratio(4, 5),
            bridges,
            known_keepers: &given,
        },
        3,
        &patient,
    )
    .unwrap();
    assert_eq!(found.keeper, [0, 0, 2, 5, 2, 5, 5]);
    assert_eq!(found.most_alike_outside, [None, None, Some(1), None, None, None, None]);
}

#[test]
fn lines_of_one_template_whose_values_are_all_common_are_clustered_as_well() {
    let mut numbers = Numbers(33);
    for (template, own) in [(30, 50), (60, 25), (10, 20), (40, 6)] {
        let sets: Vec<Vec<u32>> = (0..400)
            .map(|_| {
                let any = (0..own).map(|_| 1000 + numbers.below(250) as u32).collect::<Vec<_>>();
                (0..template).chain(any).collect()
            })
            .collect();
        let column = OwnedSets::new(&sets);
        for threshold in [ratio(3, 5), ratio(1, 2), ratio(3, 4), ratio(2, 5)] {
            let order = shuffled(sets.len(), &mut numbers);
            let expected = naive_clustered(column.sets(), &order, threshold);
            let clusters =
                clustered(column.sets(), &order, threshold, Bridges::default(), &patient).unwrap();
            assert_eq!(clusters, expected);
            let expected = naive_connected(column.sets(), threshold);
            assert_eq!(connect_sets(column.sets(), threshold, JOBS, &patient).unwrap(), expected);
        }
    }
}
