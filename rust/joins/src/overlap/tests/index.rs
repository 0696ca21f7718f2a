use std::collections::{BTreeMap, BTreeSet};

use super::cases::{Numbers, column, ratio, thresholds};
use super::{Column, patient, reaches, shared};
use crate::error::KernelError;
use crate::overlap::index::{Given, Index};
use crate::overlap::{Ratio, Sets};

/// Sets before some of their values fell together: those that differ in the lowest bit.
type Members = BTreeMap<i64, BTreeSet<u32>>;

fn given(wholes: &[BTreeSet<u32>]) -> (Column, Vec<u32>) {
    let column = Column::new(
        &wholes.iter().map(|set| set.iter().map(|v| v / 2).collect()).collect::<Vec<_>>(),
    );
    let merged = wholes.iter().enumerate();
    let merged = merged.map(|(row, set)| (set.len() - column.sets().get(row).len()) as u32);
    (column.clone(), merged.collect())
}

fn add(index: &mut Index, given: Given, ids: &[i64]) -> Result<(), KernelError> {
    let entries = index.entries(given, &patient)?;
    index.add(&entries, ids, &patient)
}

/// Return whether two sets share that part of the larger one.
fn alike(a: &BTreeSet<u32>, b: &BTreeSet<u32>, threshold: Ratio) -> bool {
    let shared = a.intersection(b).count() as u32;
    shared > 0 && reaches(shared, a.len().max(b.len()), threshold)
}

fn ask(index: &Index, whole: &BTreeSet<u32>, threshold: Ratio) -> BTreeSet<i64> {
    let (column, merged) = given(std::slice::from_ref(whole));
    let found = index.query(column.sets().get(0), merged[0], threshold, &patient).unwrap();
    assert!(found.is_sorted_by(|a, b| a < b));
    found.into_iter().collect()
}

fn check(index: &Index, members: &Members, whole: &BTreeSet<u32>, built: Ratio, asked: Ratio) {
    let found = ask(index, whole, asked);
    for (id, other) in members {
        assert!(found.contains(id) || !alike(whole, other, asked), "{id}: {whole:?} {other:?}");
    }
    let nominates = |id: &i64| {
        let (column, _) = given(&[whole.clone(), members[id].clone()]);
        shared(column.sets().get(0), column.sets().get(1)) > 0
    };
    if built == asked {
        assert!(found.iter().all(nominates));
    }
}

#[test]
fn every_set_that_shares_enough_is_found_whatever_came_and_went() {
    let mut numbers = Numbers(2007);
    for round in 0..400 {
        let thresholds = thresholds();
        let built = numbers.pick(&thresholds);
        let sample = column(&mut numbers);
        let mut index = Index::new(sample.sets(), built, &patient).unwrap();
        let mut members = Members::new();
        for batch in 0..3 {
            let whole = |row, sets: Sets| sets.get(row).iter().copied().collect();
            let source = column(&mut numbers);
            let wholes: Vec<BTreeSet<u32>> =
                (0..source.sets().len()).map(|row| whole(row, source.sets())).collect();
            let (sets, merged) = given(&wholes);
            let ids: Vec<i64> = (0..wholes.len() as i64).map(|row| 100 * batch - 7 * row).collect();
            let fresh = Given { sets: sets.sets(), merged: &merged };
            add(&mut index, fresh, &ids).unwrap();
            let entries = index.entries(fresh, &patient).unwrap();
            let mut again = Index::in_order(index.order().to_vec(), built).unwrap();
            assert_eq!(again.entries(fresh, &patient).unwrap(), entries);
            again.add(&entries, &ids, &patient).unwrap();
            let mut alone = Index::new(sample.sets(), built, &patient).unwrap();
            for (row, id) in ids.iter().enumerate() {
                alone.add(&entries[row..=row], &[*id], &patient).unwrap();
            }
            for whole in &wholes {
                assert_eq!(ask(&again, whole, built), ask(&alone, whole, built));
            }
            members.extend(ids.iter().copied().zip(wholes.iter().cloned()));
            let gone: Vec<i64> =
                members.keys().copied().filter(|_| numbers.below(3) == 0).collect();
            index.remove(&gone).unwrap();
            members.retain(|id, _| !gone.contains(id));
            assert_eq!(index.len(), members.len(), "{round}");
            for whole in &wholes {
                let other = numbers.pick(&thresholds);
                let asked = numbers.pick(&[built, built, other]);
                check(&index, &members, whole, built, asked);
            }
        }
    }
}

#[test]
fn a_call_that_fails_changes_nothing() {
    let column = Column::new(&[vec![1, 2, 3], vec![4, 5, 6], vec![1, 2, 3]]);
    let given = Given { sets: column.sets(), merged: &[] };
    let half = ratio(1, 2);
    let mut index = Index::new(column.sets(), half, &patient).unwrap();
    assert_eq!(add(&mut index, given, &[1, 2, 1]), Err(KernelError::KnownId(1)));
    assert!(index.is_empty());
    assert_eq!(ask(&index, &[2, 4, 6].into(), half), BTreeSet::new());
    add(&mut index, given, &[1, 2, 3]).unwrap();
    assert_eq!(index.remove(&[3, 9]), Err(KernelError::UnknownId(9)));
    assert_eq!(ask(&index, &[2, 4, 6].into(), half), [1, 3].into());
    let one = column.sets().get(0);
    assert!(index.query(one, 0, ratio(2, 1), &patient).unwrap().is_empty());
    assert_eq!(index.query(one, 0, half, &|_| false), Err(KernelError::Interrupted));
    let entries = index.entries(given, &patient).unwrap();
    assert_eq!(index.add(&entries, &[7, 8, 9], &|_| false), Err(KernelError::Interrupted));
    assert_eq!(index.entries(given, &|_| false), Err(KernelError::Interrupted));
    assert_eq!((index.len(), index.contains(7)), (3, false));
}

#[test]
fn what_goes_makes_reserve_for_what_comes() {
    let mut numbers = Numbers(5);
    let sets: Vec<Vec<u32>> =
        (0..300).map(|_| (0..50).map(|_| numbers.next() as u32).collect()).collect();
    let column = Column::new(&sets);
    let given = Given { sets: column.sets(), merged: &[] };
    let mut index = Index::new(column.sets(), ratio(4, 5), &patient).unwrap();
    let ids: Vec<i64> = (0..300).collect();
    add(&mut index, given, &ids).unwrap();
    let full = index.bytes();
    for _ in 0..20 {
        index.remove(&ids).unwrap();
        add(&mut index, given, &ids).unwrap();
    }
    assert!(index.bytes() < 2 * full, "{} {full}", index.bytes());
    for (row, id) in ids.iter().enumerate() {
        let found = index.query(column.sets().get(row), 0, ratio(4, 5), &patient).unwrap();
        assert_eq!(found, [*id]);
    }
}

#[test]
fn an_order_of_another_size_is_none() {
    for cells in [0, 1, 128, 255, 257, 300] {
        assert!(Index::in_order(vec![0; cells], ratio(1, 2)).is_none(), "{cells}");
    }
    assert!(Index::in_order(vec![0; 256], ratio(1, 2)).is_some());
}
