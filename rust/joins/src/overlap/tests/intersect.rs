use super::cases::Numbers;
use super::{OwnedSets, count_shared, patient};
use crate::error::KernelError;
use crate::overlap::count_shared_ids;
use crate::overlap::intersect::count_shared_if_enough;
use crate::simd::each_level;
use crate::simd::intersect::SetIntersector;

/// Sets of sizes around the blocks of the vector paths and around where searching begins.
fn random_set(numbers: &mut Numbers) -> Vec<u32> {
    let size = numbers.pick(&[0, 1, 2, 7, 15, 17, 40, 100, 300, 3000]);
    let alphabet = numbers.pick(&[10, 50, 400, 4000, usize::MAX]);
    let values = (0..size).map(|_| numbers.below(alphabet) as u32).collect();
    OwnedSets::new(&[values]).sets().set_or_empty(0).to_vec()
}

#[test]
fn intersecting_is_counting_common_values() {
    let mut numbers = Numbers(40);
    for _ in 0..5000 {
        let (a, b) = (random_set(&mut numbers), random_set(&mut numbers));
        let expected = count_shared(&a, &b) as usize;
        for need in [0, 1, expected, expected + 1, a.len(), b.len() + 1] {
            let answer = (expected >= need).then_some(expected);
            for found in
                each_level(|| count_shared_if_enough(SetIntersector::detect(), &a, &b, need))
            {
                assert_eq!(found, answer);
            }
        }
    }
}

#[test]
fn pairs_are_counted_in_the_order_given() {
    let mut numbers = Numbers(41);
    let left: Vec<Vec<u32>> = (0..40).map(|_| random_set(&mut numbers)).collect();
    let right: Vec<Vec<u32>> = (0..30).map(|_| random_set(&mut numbers)).collect();
    let pairs: Vec<(u32, u32)> =
        (0..500).map(|_| (numbers.below(40) as u32, numbers.below(30) as u32)).collect();
    let expected: Vec<u32> =
        pairs.iter().map(|&(a, b)| count_shared(&left[a as usize], &right[b as usize])).collect();
    let (a, b): (Vec<u32>, Vec<u32>) = pairs.into_iter().unzip();
    let (left, right) = (OwnedSets::new(&left), OwnedSets::new(&right));
    let counts = count_shared_ids(left.sets(), right.sets(), &a, &b, &patient);
    assert_eq!(counts, Ok(expected));
}

#[test]
fn rows_that_do_not_exist_share_nothing_and_the_watch_stops() {
    let column = OwnedSets::new(&[vec![1, 2], vec![2]]);
    let sets = column.sets();
    let counts = count_shared_ids(sets, sets, &[0, 7, u32::MAX], &[1, 0, 0], &patient);
    assert_eq!(counts, Ok(vec![1, 0, 0]));
    let stopped = count_shared_ids(sets, sets, &[0], &[1], &|_| false);
    assert_eq!(stopped, Err(KernelError::Interrupted));
}
