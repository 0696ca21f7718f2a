//! Inputs and the naive oracle of the tests, for fingerprints of every width.

use std::ops::{Shl, Shr};

use crate::fingerprint::Fingerprint;

/// A fingerprint that tests can make.
pub(super) trait Made:
    Fingerprint + From<u64> + Shl<u32, Output = Self> + Shr<u32, Output = Self>
{
    /// One whose words are drawn, the lowest first.
    fn from_words(word: impl FnMut() -> u64) -> Self;
}

impl Made for u64 {
    fn from_words(mut word: impl FnMut() -> u64) -> Self {
        word()
    }
}

impl Made for u128 {
    fn from_words(mut word: impl FnMut() -> u64) -> Self {
        Self::from(word()) | Self::from(word()) << 64
    }
}

/// A repeatable stream of numbers (SplitMix64: Steele, Lea and Flood 2014).
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(super) fn next<T: Made>(&mut self) -> T {
        T::from_words(|| self.word())
    }

    pub(crate) fn word(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ z >> 31
    }

    pub(crate) fn below(&mut self, end: usize) -> usize {
        (self.word() % end as u64) as usize
    }

    /// A number with `errors` bits of another flipped; fewer if a bit is drawn twice.
    pub(super) fn near<T: Made>(&mut self, number: T, errors: usize) -> T {
        (0..errors).fold(number, |n, _| n ^ bit(self.below(T::BITS as usize)))
    }

    /// A number whose bits are ones with a probability of `chance_in_64`.
    pub(super) fn biased_number<T: Made>(&mut self, chance_in_64: usize) -> T {
        let set = |place| if self.below(64) < chance_in_64 { bit(place) } else { T::default() };
        (0..T::BITS as usize).map(set).fold(T::default(), |n, bit| n | bit)
    }
}

/// The number whose only one is the bit at a place.
pub(super) fn bit<T: Made>(place: usize) -> T {
    T::from(1) << place as u32
}

/// The number whose words are all the same.
pub(super) fn from_repeated_word<T: Made>(word: u64) -> T {
    T::from_words(|| word)
}

/// Columns of about `size` fingerprints, each with what it is called in a failure.
pub(super) fn columns<T: Made>(size: usize, seed: u64) -> Vec<(&'static str, Vec<T>)> {
    let mut random = Random(seed);
    let mut make = |make: &dyn Fn(&mut Random, usize) -> T| -> Vec<T> {
        (0..size).map(|row| make(&mut random, row)).collect()
    };
    let (bits, half) = (T::BITS as usize, T::BITS / 2);
    let centres = make(&|r, _| r.next());
    let centre = |row: usize| centres[row % (size / 10 + 1) % size];
    let ladder = |row: usize| !T::default() >> (row % (bits + 1)).min(bits - 1) as u32;
    let sparse: T = from_repeated_word(0x0001_0010_0301_8421);
    vec![
        ("random", make(&|r, _| r.next())),
        ("all zero", make(&|_, _| T::default())),
        ("all one", make(&|_, _| !T::default())),
        ("two values", make(&|r, _| T::from(r.next::<u64>() % 2 * 7))),
        ("counting", make(&|_, row| T::from(row as u64))),
        ("ladder", make(&|_, row| ladder(row))),
        ("single bits", make(&|_, row| bit(row % bits))),
        ("copies", make(&|r, _| centre(r.below(size)))),
        ("families", make(&|r, row| r.near(centre(row), row % 9))),
        ("wide families", make(&|r, row| r.near(centre(row), row % 31))),
        ("same upper half", make(&|r, _| r.next::<T>() >> half)),
        ("same lower half", make(&|r, _| r.next::<T>() << half)),
        (
            "every other bit",
            make(&|r, _| r.next::<T>() & from_repeated_word(0x5555_5555_5555_5555)),
        ),
        ("few bits vary", make(&|r, _| r.next::<T>() & sparse)),
        ("mostly zeros", make(&|r, _| r.biased_number(5))),
        ("half skewed", make(&|r, row| r.next::<T>() >> (row as u32 % 2 * (T::BITS * 5 / 8)))),
    ]
}

/// All pairs within the radius as (left, right, distance), sorted.
pub(super) fn naive_self_join<T: Made>(column: &[T], radius: u32) -> Vec<(u32, u32, u8)> {
    let mut pairs = naive_join(column, column, radius);
    pairs.retain(|pair| pair.0 < pair.1);
    pairs
}

/// All pairs within the radius as (left, right, distance), sorted.
pub(super) fn naive_join<T: Made>(left: &[T], right: &[T], radius: u32) -> Vec<(u32, u32, u8)> {
    let mut pairs = Vec::new();
    for (i, &a) in left.iter().enumerate() {
        for (j, &b) in right.iter().enumerate() {
            let distance = (a ^ b).one_bits();
            if distance <= radius {
                pairs.push((i as u32, j as u32, distance as u8));
            }
        }
    }
    pairs
}
