#![allow(clippy::unwrap_used)]

use super::super::cases::Random;
use super::*;

/// The bits of a mask one by one, lowest first.
fn naive_gather(number: u64, mask: u64, most: u32) -> usize {
    let bits = (0..64).filter(|bit| mask >> bit & 1 == 1);
    let bits = bits.take(most as usize).enumerate();
    bits.fold(0, |sum, (place, bit)| sum | ((number >> bit & 1) as usize) << place)
}

#[test]
fn buckets_hold_the_numbers_of_their_digit_in_order() {
    let mut random = Random(1);
    let meter = Meter::start(&|_| true).unwrap();
    let mut buckets = Buckets::default();
    let masks = [0, 1, 1 << 63, 0xfff, 0xfff << 52, 0xf00f, 0x8421_1248, u64::MAX];
    let others: Vec<u64> = (0..40).map(|ones| random.biased(ones)).collect();
    for mask in masks.into_iter().chain(others) {
        for size in [0, 1, 2, 1000] {
            let numbers: Vec<u64> = (0..size).map(|_| random.next()).collect();
            let digit = Digit::new(mask);
            buckets.fill(&numbers, &digit, &meter).unwrap();
            assert_eq!(digit.bits, mask.count_ones().min(WIDEST_DIGIT));
            assert_eq!(buckets.count(), 1 << digit.bits);
            let mut sorted = numbers.clone();
            sorted.sort_by_key(|&number| naive_gather(number, mask, WIDEST_DIGIT));
            assert_eq!(buckets.iter().collect::<Vec<_>>().concat(), sorted);
            for (bucket, held) in buckets.iter().enumerate() {
                let digits = held.iter().map(|&n| naive_gather(n, mask, WIDEST_DIGIT));
                assert!(digits.into_iter().all(|digit| digit == bucket));
                assert_eq!(held, buckets.get(bucket));
            }
        }
    }
}
