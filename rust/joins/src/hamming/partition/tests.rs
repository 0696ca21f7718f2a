#![allow(clippy::unwrap_used)]

use super::super::cases::{Made, Random, bit, from_repeated_word};
use super::*;

/// The bits of a mask one by one, lowest first.
fn naive_gather<T: Made>(number: T, mask: T, most: u32) -> usize {
    let one = |place: &usize, of: T| of & bit(*place) != T::default();
    let bits = (0..T::BITS as usize).filter(|place| one(place, mask));
    let bits = bits.take(most as usize).enumerate();
    bits.fold(0, |sum, (place, from)| sum | usize::from(one(&from, number)) << place)
}

#[test]
fn buckets_hold_the_numbers_of_their_digit_in_order() {
    let masks = [0, 1, 1 << 63, 0xfff, 0xfff << 52, 0xf00f, 0x8421_1248, u64::MAX];
    buckets_hold_the_numbers_of_their_digit(&masks);
    let wide = masks.map(|mask| u128::from(mask) << 52);
    buckets_hold_the_numbers_of_their_digit(&wide);
    buckets_hold_the_numbers_of_their_digit(&masks.map(from_repeated_word::<u128>));
}

fn buckets_hold_the_numbers_of_their_digit<T: Made>(masks: &[T]) {
    let mut random = Random(1);
    let progress = Progress::begin(&|_| true).unwrap();
    let mut buckets = Buckets::default();
    let others: Vec<T> = (0..40).map(|ones| random.biased_number(ones)).collect();
    for mask in masks.iter().copied().chain(others) {
        for size in [0, 1, 2, 1000] {
            let numbers: Vec<T> = (0..size).map(|_| random.next()).collect();
            let digit = Digit::of_lowest_twelve_bits(mask);
            buckets.fill(Source::all(&[&numbers], |number| number), &digit, &progress).unwrap();
            assert_eq!(digit.bits, mask.one_bits().min(WIDEST_DIGIT));
            assert_eq!(buckets.count_buckets(), 1 << digit.bits);
            let mut sorted = numbers.clone();
            sorted.sort_by_key(|&number| naive_gather(number, mask, WIDEST_DIGIT));
            assert_eq!(buckets.iter().collect::<Vec<_>>().concat(), sorted);
            for (bucket, held) in buckets.iter().enumerate() {
                let digits = held.iter().map(|&n| naive_gather(n, mask, WIDEST_DIGIT));
                assert!(digits.into_iter().all(|digit| digit == bucket));
                assert_eq!(held, buckets.get(bucket));
            }
            let middle = 1 << digit.bits >> 1;
            let pieces = [&numbers[..]];
            let source = Source::all(&pieces, |number| number);
            for slice in [0..middle, middle..1 << digit.bits, middle..middle] {
                let expected: Vec<Vec<T>> =
                    slice.clone().map(|digit| buckets.get(digit).to_vec()).collect();
                let mut some = Buckets::default();
                some.count_values(source, &digit, &progress).unwrap();
                some.fill_slice(source, &digit, slice, &progress).unwrap();
                assert_eq!(some.iter().collect::<Vec<_>>(), expected);
            }
            let other = Digit::of_lowest_twelve_bits(bit::<T>(3) | bit(60));
            for value in 0..4 {
                let only = BitCondition::default().and_digit(&other, value);
                let few: Vec<T> = numbers
                    .iter()
                    .copied()
                    .filter(|&n| naive_gather(n, bit::<T>(3) | bit(60), 2) == value)
                    .collect();
                assert!(numbers.iter().all(|&n| only.admits(n) == few.contains(&n)));
                let mut some = Buckets::default();
                let source = Source { only, ..source };
                some.count_values(source, &digit, &progress).unwrap();
                some.fill_slice(source, &digit, 0..1 << digit.bits, &progress).unwrap();
                buckets.fill(Source::all(&[&few], |number| number), &digit, &progress).unwrap();
                assert!(some.iter().eq(buckets.iter()));
            }
        }
    }
}

#[test]
fn slices_have_reserve_for_their_numbers() {
    const ALL: usize = usize::MAX;
    for (counts, reserve, most, ends) in [
        (&[3, 4, 0, 9, 1, 1][..], ALL, ALL, &[6][..]),
        (&[3, 4, 0, 9, 1, 1], 7, ALL, &[3, 4, 6]),
        (&[0, 8, 0, 8], 1, ALL, &[2, 4]),
        (&[0, 0], 1, ALL, &[2]),
        (&[5], 1, ALL, &[1]),
        (&[3, 4, 0, 9, 1, 1], ALL, 4, &[3, 4, 6]),
        (&[3, 4, 0, 9, 0, 5], 20, 4, &[3, 5, 6]),
        (&[0, 9, 8], ALL, 0, &[2, 3]),
        (&[3, 3, 3, 3], 20, 4, &[4]),
    ] {
        let cut = cut_into_slices(counts.iter().copied(), reserve, most);
        let starts = std::iter::once(0).chain(ends.iter().copied());
        let expected: Vec<_> = starts.zip(ends).map(|(start, &end)| start..end).collect();
        assert_eq!(cut, expected, "{counts:?}, {reserve}");
    }
}
