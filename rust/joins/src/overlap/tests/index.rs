use std::collections::{BTreeMap, BTreeSet};

use super::cases::{Numbers, column, ratio, thresholds};
use super::{OwnedSets, count_shared, patient, reaches};
use crate::error::KernelError;
use crate::overlap::index::{GivenSets, Keys, checksum_in_any_order, find_bucket_ends, merge_runs};
use crate::overlap::{Ratio, Resemblance, Sets};

/// Sets before some of their values fell together: those that differ in the lowest bit.
type WholeSets = BTreeMap<i64, BTreeSet<u32>>;

/// Runs of postings, each cut into two to the power of some bits of buckets.
type Runs = Vec<(u32, Vec<Vec<u64>>)>;

fn given(wholes: &[BTreeSet<u32>]) -> (OwnedSets, Vec<u32>) {
    let column = OwnedSets::new(
        &wholes.iter().map(|set| set.iter().map(|v| v / 2).collect()).collect::<Vec<_>>(),
    );
    let merged = wholes.iter().enumerate();
    let merged =
        merged.map(|(row, set)| (set.len() - column.sets().set_or_empty(row).len()) as u32);
    (column.clone(), merged.collect())
}

fn postings(keys: &Keys, members: &WholeSets, gone: bool) -> Vec<u64> {
    let (sets, merged) = given(&members.values().cloned().collect::<Vec<_>>());
    let ids: Vec<i64> = members.keys().copied().collect();
    let given = GivenSets { sets: sets.sets(), merged: &merged };
    let made = keys.make_postings(given, &ids, gone, &patient).unwrap();
    assert!(made.is_sorted());
    made
}

fn in_buckets(postings: &[u64], bits: u32) -> (u32, Vec<Vec<u64>>) {
    let mut start = 0;
    let ends = find_bucket_ends(postings, bits, 0, 1 << bits);
    let cut = ends.iter().map(|&end| postings[std::mem::replace(&mut start, end)..end].to_vec());
    (bits, cut.collect())
}

fn ask(keys: &Keys, runs: &Runs, asked: &BTreeSet<u32>, threshold: Ratio) -> BTreeSet<i64> {
    let (column, merged) = given(std::slice::from_ref(asked));
    let given = GivenSets { sets: column.sets(), merged: &merged };
    let mut question = keys.make_question(given, threshold, &patient).unwrap().unwrap_or_default();
    for (bits, buckets) in runs {
        for bucket in question.find_buckets(*bits) {
            question.meet_postings(&buckets[bucket]).unwrap();
        }
    }
    let (rows, ids) = question.into_answers();
    assert!(ids.is_sorted_by(|a, b| a < b) && rows.iter().all(|&row| row == 0));
    ids.into_iter().collect()
}

#[test]
fn every_set_that_is_alike_enough_is_found_whatever_came_and_went() {
    let mut numbers = Numbers(2007);
    for round in 0..400 {
        let built = numbers.pick(&thresholds());
        let sample = column(&mut numbers);
        let hits = numbers.pick(&[1, 2, 5]);
        let rare = Keys::of_rare_values(sample.sets(), built, hits, &patient).unwrap();
        let again =
            Keys::with_frequencies_if_size_fits(rare.frequencies().to_vec(), built, hits).unwrap();
        let high = numbers.pick(&[ratio(3, 4), ratio(4, 5), ratio(9, 10), ratio(1, 1)]);
        let parts = Keys::of_parts(high).unwrap();
        let (mut by_value, mut by_part) = (Runs::new(), Runs::new());
        let mut members = WholeSets::new();
        for batch in 0..3 {
            let source = column(&mut numbers);
            let wholes = (0..source.sets().len()).map(|row| {
                let set = source.sets().set_or_empty(row).iter();
                let whole: BTreeSet<u32> = if round % 2 == 0 {
                    set.copied().collect()
                } else {
                    set.map(|v| 2 * (v / 2)).collect()
                };
                (100 * batch + row as i64, whole)
            });
            let fresh: WholeSets = wholes.collect();
            assert_eq!(postings(&again, &fresh, false), postings(&rare, &fresh, false));
            members.extend(fresh.clone());
            let gone: WholeSets = members
                .iter()
                .filter(|_| numbers.below(3) == 0)
                .map(|(&id, set)| (id, set.clone()))
                .collect();
            members.retain(|id, _| !gone.contains_key(id));
            for (keys, runs) in [(&rare, &mut by_value), (&parts, &mut by_part)] {
                let bits = numbers.below(5) as u32;
                runs.push(in_buckets(&postings(keys, &fresh, false), bits));
                runs.push(in_buckets(&postings(keys, &gone, true), bits));
                if numbers.below(2) == 0 {
                    let all: Vec<Vec<u64>> = runs.drain(..).flat_map(|(_, one)| one).collect();
                    let whole = merge_runs(&all, &patient).unwrap();
                    assert_eq!(checksum_in_any_order(&whole), checksum_in_any_order(&all.concat()));
                    assert_eq!(
                        whole,
                        merge_runs(&[postings(keys, &members, false)], &patient).unwrap()
                    );
                    runs.push(in_buckets(&whole, bits));
                }
            }
            for whole in fresh.values().chain(members.values()) {
                let own = |other: &BTreeSet<u32>| {
                    let (column, _) = given(&[whole.clone(), other.clone()]);
                    let sets: Sets = column.sets();
                    let (a, b) = (sets.set_or_empty(0), sets.set_or_empty(1));
                    (count_shared(a, b), a.len() + b.len())
                };
                let by_value = ask(&rare, &by_value, whole, built);
                let by_part = ask(&parts, &by_part, whole, high);
                for (id, other) in &members {
                    let most = whole.len().max(other.len());
                    let alike = whole.intersection(other).count() as u32;
                    let much = alike > 0 && reaches(alike, most, built);
                    assert!(by_value.contains(id) || !much, "{round}: {whole:?} {other:?}");
                    let (alike, sizes) = own(other);
                    assert!(!by_value.contains(id) || alike > 0);
                    let need = Resemblance::of_threshold_or_one(high).values_needed(sizes) as u32;
                    let resembles = alike > 0 && alike >= need;
                    assert!(by_part.contains(id) || !resembles, "{round}: {whole:?} {other:?}");
                }
                assert!(by_value.iter().chain(&by_part).all(|id| members.contains_key(id)));
            }
        }
    }
}

#[test]
fn a_lower_threshold_than_that_of_the_index_finds_nothing_and_a_higher_one_less() {
    let sets: Vec<Vec<u32>> = vec![(0..40).collect(), (3..40).collect(), (20..60).collect()];
    let column = OwnedSets::new(&sets);
    let given = GivenSets { sets: column.sets(), merged: &[] };
    let rare = Keys::of_rare_values(column.sets(), ratio(4, 5), 2, &patient).unwrap();
    for keys in [rare, Keys::of_parts(ratio(4, 5)).unwrap()] {
        let all = keys.make_postings(given, &[7, 8, 9], false, &patient).unwrap();
        let found = |threshold| {
            let mut question =
                keys.make_question(given, threshold, &patient).unwrap().unwrap_or_default();
            question.meet_postings(&all).unwrap();
            let met = question.count_met();
            question.meet_postings(&[]).unwrap();
            assert_eq!(met, question.count_met());
            question.into_answers()
        };
        let (rows, ids) = found(ratio(4, 5));
        let pairs: Vec<_> = rows.into_iter().zip(ids).collect();
        assert_eq!(pairs, [(0, 7), (0, 8), (1, 7), (1, 8), (2, 9)]);
        let (rows, ids) = found(ratio(1, 1));
        assert!(rows.iter().zip(&ids).all(|one| pairs.contains(&(*one.0, *one.1))));
        assert!((0..3).all(|row| rows.iter().zip(&ids).any(|one| one == (&row, &(row + 7)))));
        assert_eq!(found(ratio(1, 2)), (vec![], vec![]));
        assert_eq!(found(ratio(2, 1)), (vec![], vec![]));
        let question = keys.make_question(given, ratio(4, 5), &|_| false);
        assert_eq!(question.err(), Some(KernelError::Interrupted));
        let made = keys.make_postings(given, &[7, 8, 9], false, &|_| false);
        assert_eq!(made, Err(KernelError::Interrupted));
        assert_eq!(merge_runs(&[all], &|_| false), Err(KernelError::Interrupted));
        for id in [-1, 1 << 31] {
            let made = keys.make_postings(given, &[7, id, 9], false, &patient);
            assert!(matches!(made, Err(KernelError::TooManyRows { .. })));
        }
    }
}

#[test]
fn an_order_of_many_values_is_folded_and_an_odd_one_is_none() {
    assert!(Keys::of_parts(ratio(2, 3)).is_none());
    assert!(Keys::with_frequencies_if_size_fits(vec![0; 300], ratio(1, 2), 1).is_none());
    let sets: Vec<Vec<u32>> =
        (0..3_u32).map(|row| (0..1 << 20).map(|v| 3 * v + row).collect()).collect();
    let column = OwnedSets::new(&sets);
    let keys = Keys::of_rare_values(column.sets(), ratio(4, 5), 2, &patient).unwrap();
    assert_eq!(keys.frequencies().len(), 1 << 20);
    let folded: u64 = keys.frequencies().iter().map(|&count| u64::from(count)).sum();
    assert_eq!(folded, 3 << 20);
}
