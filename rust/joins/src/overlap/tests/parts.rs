//! The join through parts, on sets that are made to be hard for it: every door against all pairs
//! compared.

use super::cases::{Numbers, ratio};
use super::{OwnedSets, Triples, clustered, count_shared, patient, reaches, triples};
use crate::components::{Forest, find_components};
use crate::error::{KernelError, Watch};
use crate::overlap::{
    Bridges, FIRST, HIDDEN, IdSets, Ratio, Sets, connect_alike_sets, connect_sets,
    resemblance_join, resemblance_self_join,
};

const THRESHOLDS: [(u64, u64); 8] =
    [(1, 2), (3, 5), (2, 3), (7, 10), (3, 4), (4, 5), (9, 10), (19, 20)];

/// A value below `most`, small ones far more often.
fn skewed(numbers: &mut Numbers, most: usize) -> u32 {
    let mut value = numbers.below(most);
    for _ in 0..3 {
        value = numbers.below(value + 1).max(usize::from(value > 0));
    }
    value as u32
}

/// A set with some of its values left out, and others put in.
fn edited(numbers: &mut Numbers, set: &[u32], edits: usize) -> Vec<u32> {
    let mut edited = set.to_vec();
    for _ in 0..edits {
        let at = numbers.below(edited.len().max(1));
        match numbers.below(3) {
            0 if edited.len() > 1 => drop(edited.swap_remove(at)),
            1 if !edited.is_empty() => edited[at] = numbers.below(30_000) as u32,
            _ => edited.push(numbers.below(30_000) as u32),
        }
    }
    edited
}

/// Collections of each kind.
fn collections(numbers: &mut Numbers, count: usize) -> Vec<(&'static str, Vec<Vec<u32>>)> {
    let mut some = |name, make: &mut dyn FnMut(&mut Numbers, usize) -> Vec<u32>| {
        (name, (0..count).map(|row| make(numbers, row)).collect::<Vec<_>>())
    };
    let tiny = some("tiny", &mut |numbers, _| {
        (0..=numbers.below(10)).map(|_| numbers.below(14) as u32).collect()
    });
    let tiny_skewed = some("tiny and skewed", &mut |numbers, _| {
        (0..=numbers.below(10)).map(|_| skewed(numbers, 60)).collect()
    });
    let common = some("skewed", &mut |numbers, _| {
        (0..40 + numbers.below(80)).map(|_| skewed(numbers, 300)).collect()
    });
    let one_size = some("of one size", &mut |numbers, _| {
        let mut set: Vec<u32> = (0..60).collect();
        for _ in 0..numbers.below(9) {
            set[numbers.below(60)] = 100 + numbers.below(30) as u32;
        }
        set.sort_unstable();
        set.dedup();
        let missing = 60 - set.len() as u32;
        set.extend(1000..1000 + missing);
        set
    });
    let boilerplate: Vec<u32> = (0..120).map(|value| value * 211).collect();
    let near_equal = some("near equal", &mut |numbers, _| {
        let edits = numbers.below(12);
        edited(numbers, &boilerplate, edits)
    });
    let families = some("families and singletons", &mut |numbers, row| {
        let base: Vec<u32> = match row % 3 {
            0 => (0..10 + numbers.below(150)).map(|_| skewed(numbers, 20_000)).collect(),
            _ => (0..90).map(|value| (row % 7 * 1000 + value) as u32).collect(),
        };
        let edits = numbers.below(30);
        edited(numbers, &base, edits)
    });
    let chain = some("a chain", &mut |_, row| {
        (0..40 + row as u32 % 3).map(|value| 3 * row as u32 + value).collect()
    });
    let nested = some("each within the next", &mut |_, row| (0..=row as u32).collect());
    let template = some("one template", &mut |numbers, _| {
        let own = 10 + numbers.below(8);
        (0..60 + numbers.below(35) as u32)
            .chain((0..own).map(|_| 1000 + numbers.below(5000) as u32))
            .collect()
    });
    let copies = some("copies", &mut |numbers, _| {
        let which = numbers.below(20) as u32;
        (0..which % 7).map(|value| which * 3 + value).collect()
    });
    let large = some("large among small", &mut |numbers, row| {
        let most = if row % 40 == 0 { 3000 + numbers.below(3000) } else { 3 + numbers.below(90) };
        let set: Vec<u32> = (0..most as u32).collect();
        edited(numbers, &set, most / 14)
    });
    vec![
        tiny,
        tiny_skewed,
        common,
        one_size,
        near_equal,
        families,
        chain,
        nested,
        template,
        copies,
        large,
    ]
}

/// All pairs that share at least a third of what they have in all.
fn compared(sets: &OwnedSets) -> Triples {
    let sets = sets.sets();
    let mut pairs = Vec::new();
    for left in 0..sets.len() {
        for right in left + 1..sets.len() {
            let (a, b) = (sets.set_or_empty(left), sets.set_or_empty(right));
            if a.is_empty() || b.is_empty() || a.len().max(b.len()) > 2 * a.len().min(b.len()) {
                continue;
            }
            let shared = count_shared(a, b);
            if 3 * shared as usize >= a.len() + b.len() {
                pairs.push((left as u32, right as u32, shared));
            }
        }
    }
    pairs
}

/// Those of them that reach a threshold.
fn reaching(sets: &OwnedSets, pairs: &Triples, threshold: Ratio) -> Triples {
    let size = |row: u32| sets.sets().set_or_empty(row as usize).len();
    let reaches = |&&(left, right, shared): &&(u32, u32, u32)| {
        reaches(shared, size(left) + size(right) - shared as usize, threshold)
    };
    pairs.iter().filter(reaches).copied().collect()
}

/// Finds the keeper of each row by the rule, where the rows are taken in their order.
fn kept(rows: usize, pairs: &Triples) -> Vec<u32> {
    let mut keepers: Vec<Option<u32>> = vec![None; rows];
    for row in 0..rows as u32 {
        if keepers[row as usize].is_some() {
            continue;
        }
        keepers[row as usize] = Some(row);
        for &(_, right, _) in pairs.iter().filter(|pair| pair.0 == row) {
            keepers[right as usize] = keepers[right as usize].or(Some(row));
        }
    }
    keepers.into_iter().flatten().collect()
}

#[test]
fn every_door_is_all_pairs_compared() {
    let mut numbers = Numbers(40);
    for (name, sets) in collections(&mut numbers, 240) {
        let column = OwnedSets::new(&sets);
        let (some, others) = (OwnedSets::new(&sets[..160]), OwnedSets::new(&sets[80..]));
        let pairs = compared(&column);
        assert!(!pairs.is_empty(), "{name}");
        for (numerator, denominator) in THRESHOLDS {
            let threshold = ratio(numerator, denominator);
            let expected = reaching(&column, &pairs, threshold);
            let (left, right): (Vec<u32>, Vec<u32>) =
                expected.iter().map(|&(left, right, _)| (left, right)).unzip();
            let families = find_components(240, &left, &right);
            let found =
                clustered(column.sets(), &[], threshold, Bridges::default(), &patient).unwrap();
            assert_eq!(found.keeper, kept(240, &expected), "{name} {threshold:?}");
            let mut crossing: Triples = Vec::new();
            for &(a, b, shared) in &expected {
                for (left, right) in [(a, b), (b, a)] {
                    if left < 160 && right >= 80 {
                        crossing.push((left, right - 80, shared));
                    }
                }
            }
            let size = |row: u32| column.sets().set_or_empty(row as usize).len() as u32;
            let themselves = (80..160).filter(|&row| size(row) > 0);
            crossing.extend(themselves.map(|row| (row, row - 80, size(row))));
            crossing.sort_unstable();
            for jobs in [1, 2, 3, 8] {
                let (context, sets) = (format!("{name} {threshold:?} {jobs}"), column.sets());
                let found = resemblance_self_join(sets, threshold, u64::MAX, jobs, &patient);
                assert_eq!(triples(&found.unwrap()), expected, "{context}");
                let found = connect_sets(sets, threshold, jobs, &patient).unwrap();
                assert_eq!(found, families, "{context}");
                let (some, others) = (some.sets(), others.sets());
                let found = resemblance_join(some, others, threshold, u64::MAX, jobs, &patient);
                assert_eq!(triples(&found.unwrap()), crossing, "{context}");
                // As many pairs as there are is no error, whoever finds them twice.
                let count = expected.len() as u64;
                let found = resemblance_self_join(sets, threshold, count, jobs, &patient);
                assert_eq!(triples(&found.unwrap()), expected, "{context}");
                if let Some(limit) = count.checked_sub(1) {
                    let refused = resemblance_self_join(sets, threshold, limit, jobs, &patient);
                    assert_eq!(refused, Err(KernelError::TooManyPairs { count, limit }));
                }
            }
        }
    }
}

#[test]
fn copies_of_one_text_and_boilerplate_are_few_questions() {
    let mut numbers = Numbers(41);
    let boilerplate: Vec<u32> = (0..100).collect();
    let mut sets = vec![boilerplate.clone(); 20_000];
    sets.extend((0..4_000).map(|_| {
        let edits = numbers.below(4);
        edited(&mut numbers, &boilerplate, edits)
    }));
    let column = OwnedSets::new(&sets);
    let families = connect_sets(column.sets(), ratio(4, 5), 3, &patient).unwrap();
    assert!(families.iter().all(|&family| family == 0));
}

#[test]
fn sets_are_connected_with_those_of_another_column() {
    let mut numbers = Numbers(42);
    let mut several = 0;
    for (name, mut sets) in collections(&mut numbers, 240) {
        // Long lists, on both sides.
        sets.extend((0..150).map(|_| {
            let edits = numbers.below(6);
            edited(&mut numbers, &(0..60).collect::<Vec<u32>>(), edits)
        }));
        let column = OwnedSets::new(&sets);
        let pairs = compared(&column);
        let sides: Vec<usize> = (0..sets.len()).map(|_| numbers.below(3)).collect();
        let choice = |side| {
            let chosen = |&of: &usize| if of == side { FIRST } else { HIDDEN };
            sides.iter().map(chosen).collect::<Vec<u8>>()
        };
        let (own, others) = (choice(0), choice(1));
        let plain = IdSets { offsets: &column.offsets, values: &column.values };
        let columns = [Sets::by_choice([plain; 2], &own), Sets::by_choice([plain; 2], &others)];
        for (numerator, denominator) in THRESHOLDS {
            let threshold = ratio(numerator, denominator);
            for among in [true, false] {
                let wanted = |a: u32, b: u32| match (sides[a as usize], sides[b as usize]) {
                    (0, 1) | (1, 0) => true,
                    (0, 0) => among,
                    _ => false,
                };
                let expected = reaching(&column, &pairs, threshold);
                let (left, right): (Vec<u32>, Vec<u32>) = expected
                    .iter()
                    .filter(|&&(a, b, _)| wanted(a, b))
                    .map(|&(a, b, _)| (a, b))
                    .unzip();
                let families = find_components(sets.len(), &left, &right);
                several += families.iter().enumerate().filter(|&(a, &b)| a as u32 != b).count();
                for jobs in [1, 2, 3, 8] {
                    let forest = Forest::new(sets.len() as u32);
                    let watch = (&patient as Watch, 0.0, 1.0);
                    connect_alike_sets(columns, among, threshold, &forest, jobs, watch).unwrap();
                    let found = forest.into_smallest_nodes();
                    assert_eq!(found, families, "{name} {threshold:?} {among} {jobs}");
                }
            }
        }
    }
    assert!(several > 1000);
}
