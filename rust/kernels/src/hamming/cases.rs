//! Inputs and the naive oracle of the tests.

/// A repeatable stream of numbers (SplitMix64: Steele, Lea and Flood 2014).
pub(super) struct Random(pub(super) u64);

impl Random {
    pub(super) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ z >> 31
    }

    pub(super) fn below(&mut self, end: usize) -> usize {
        (self.next() % end as u64) as usize
    }

    /// A number with `errors` bits of another flipped; fewer if a bit is drawn twice.
    pub(super) fn near(&mut self, number: u64, errors: usize) -> u64 {
        (0..errors).fold(number, |n, _| n ^ 1 << self.below(64))
    }

    /// A number whose bits are ones with a probability of `ones` in 64.
    pub(super) fn biased(&mut self, ones: usize) -> u64 {
        (0..64).fold(0, |n, bit| n | u64::from(self.below(64) < ones) << bit)
    }
}

/// Columns of about `size` fingerprints, each with what it is called in a failure.
pub(super) fn columns(size: usize, seed: u64) -> Vec<(&'static str, Vec<u64>)> {
    let mut random = Random(seed);
    let mut make = |make: &dyn Fn(&mut Random, usize) -> u64| -> Vec<u64> {
        (0..size).map(|row| make(&mut random, row)).collect()
    };
    let centres = make(&|r, _| r.next());
    let centre = |row: usize| centres[row % (size / 10 + 1) % size];
    vec![
        ("random", make(&|r, _| r.next())),
        ("all zero", make(&|_, _| 0)),
        ("all one", make(&|_, _| u64::MAX)),
        ("two values", make(&|r, _| r.next() % 2 * 7)),
        ("counting", make(&|_, row| row as u64)),
        ("ladder", make(&|_, row| u64::MAX >> (row % 65).min(63))),
        ("single bits", make(&|_, row| 1 << (row % 64))),
        ("copies", make(&|r, _| centre(r.below(size)))),
        ("families", make(&|r, row| r.near(centre(row), row % 9))),
        ("wide families", make(&|r, row| r.near(centre(row), row % 19))),
        ("same upper half", make(&|r, _| r.next() >> 32)),
        ("same lower half", make(&|r, _| r.next() << 32)),
        ("every other bit", make(&|r, _| r.next() & 0x5555_5555_5555_5555)),
        ("few bits vary", make(&|r, _| r.next() & 0x0001_0010_0301_8421)),
        ("mostly zeros", make(&|r, _| r.biased(5))),
        ("half skewed", make(&|r, row| r.next() >> (row % 2 * 40))),
    ]
}

/// All pairs within the radius as (left, right, distance), sorted.
pub(super) fn naive_self_join(column: &[u64], radius: u32) -> Vec<(u32, u32, u8)> {
    let mut pairs = naive_join(column, column, radius);
    pairs.retain(|pair| pair.0 < pair.1);
    pairs
}

/// All pairs within the radius as (left, right, distance), sorted.
pub(super) fn naive_join(left: &[u64], right: &[u64], radius: u32) -> Vec<(u32, u32, u8)> {
    let mut pairs = Vec::new();
    for (i, a) in left.iter().enumerate() {
        for (j, b) in right.iter().enumerate() {
            let distance = (a ^ b).count_ones();
            if distance <= radius {
                pairs.push((i as u32, j as u32, distance as u8));
            }
        }
    }
    pairs
}
