use super::*;
use crate::simd::each_level;

/// Lists of many lengths whose entries are often near each other, and often near nothing but the
/// words that fill unused lanes; `made` puts the words of an entry together.
fn lists<T>(seed: u64, made: impl Fn(u64, u64) -> T) -> Vec<Vec<T>> {
    let mut state = seed;
    let mut next = move || {
        state = state.wrapping_mul(0xd134_2543_de82_ef95).wrapping_add(1);
        (state ^ state >> 32).wrapping_mul(0x9e37_79b9_7f4a_7c15)
    };
    let fills = [0, u64::MAX, 0x5555_5555_5555_5555, 0x9999_9999_9999_9999];
    let lengths = (0..40).chain([63, 64, 65, 100]);
    lengths
        .map(|length| {
            let centre = next();
            let mut word = |i: usize| match next() >> 60 {
                0..6 => next(),
                6..9 => fills[i % 4] ^ 1 << (next() >> 58),
                _ => centre ^ (next() & next() & next() & next()),
            };
            (0..length).map(|i| made(word(i), word(i))).collect()
        })
        .collect()
}

fn narrow(low: u64, _: u64) -> u64 {
    low
}

fn wide(low: u64, high: u64) -> u128 {
    u128::from(high) << 64 | u128::from(low)
}

fn hits<T: Ord>(run: impl FnOnce(&mut dyn FnMut(T, T))) -> Vec<(T, T)> {
    let mut hits = Vec::new();
    run(&mut |a, b| hits.push((a, b)));
    hits.sort_unstable();
    hits
}

const RADII: [u32; 14] = [0, 1, 3, 6, 10, 20, 28, 31, 33, 63, 64, 65, 127, 128];

#[test]
fn within_equals_the_naive_loop_at_every_level() {
    within_equals_the_naive_loop(&lists(1, narrow));
    within_equals_the_naive_loop(&lists(1, wide));
}

fn within_equals_the_naive_loop<T: Fingerprint>(lists: &[Vec<T>]) {
    let ordered = |a: T, b: T| (a.min(b), a.max(b));
    for radius in RADII {
        let mut naive = Vec::new();
        for list in lists {
            for (i, &a) in list.iter().enumerate() {
                let near = list[i + 1..].iter().filter(|&&b| (a ^ b).one_bits() <= radius);
                naive.extend(near.map(|&b| ordered(a, b)));
            }
        }
        naive.sort_unstable();
        let slices = || lists.iter().map(Vec::as_slice);
        let sorted = |pairs: Vec<(T, T)>| {
            let mut pairs: Vec<_> = pairs.into_iter().map(|(a, b)| ordered(a, b)).collect();
            pairs.sort_unstable();
            pairs
        };
        for found in
            each_level(|| hits(|hit| each_pair_within(slices(), radius, &mut |a, b| hit(a, b))))
        {
            assert!(sorted(found) == naive, "{radius}");
        }
    }
}

#[test]
fn across_equals_the_naive_loop_at_every_level() {
    across_equals_the_naive_loop(|seed| lists(seed, narrow));
    across_equals_the_naive_loop(|seed| lists(seed, wide));
}

fn across_equals_the_naive_loop<T: Fingerprint>(lists: impl Fn(u64) -> Vec<Vec<T>>) {
    let (lefts, mut rights) = (lists(1), lists(1));
    rights.rotate_left(13);
    rights.extend(lists(2));
    for radius in RADII {
        let mut naive = Vec::new();
        for (left, right) in lefts.iter().zip(&rights) {
            for &a in left {
                let near = right.iter().filter(|&&b| (a ^ b).one_bits() <= radius);
                naive.extend(near.map(|&b| (a, b)));
            }
        }
        naive.sort_unstable();
        let slices = || {
            let pairs = lefts.iter().zip(&rights);
            pairs.map(|(left, right)| (left.as_slice(), right.as_slice()))
        };
        for found in
            each_level(|| hits(|hit| each_pair_across(slices(), radius, &mut |a, b| hit(a, b))))
        {
            assert!(found == naive, "{radius}");
        }
    }
}

#[test]
fn near_equals_the_naive_loop_at_every_level() {
    near_equals_the_naive_loop(&lists(3, narrow));
    near_equals_the_naive_loop(&lists(3, wide));
}

fn near_equals_the_naive_loop<T: Fingerprint>(lists: &[Vec<T>]) {
    let slices = || lists.iter().map(Vec::as_slice);
    for radius in RADII {
        for &query in lists.iter().flatten().step_by(37) {
            let entries = lists.iter().flatten().copied();
            let naive: Vec<T> = entries.filter(|&b| (query ^ b).one_bits() <= radius).collect();
            for found in each_level(|| {
                let mut found = Vec::new();
                each_near(query, slices(), radius, &mut |b| found.push(b));
                found
            }) {
                assert!(found == naive, "{radius}");
            }
        }
    }
}

#[test]
fn places_are_those_of_the_naive_loop_at_every_level() {
    let (first, second) = (lists(3, narrow), lists(4, narrow));
    for radius in RADII {
        for (a, b) in first.iter().zip(&second) {
            let Some((&q, &r)) = a.first().zip(b.last()) else { continue };
            let one = |place: usize| (q ^ a[place]).one_bits();
            let both = |place: usize| one(place) + (r ^ b[place]).one_bits();
            let naive = |distance: &dyn Fn(usize) -> u32| -> Vec<usize> {
                (0..a.len()).filter(|&place| distance(place) <= radius).collect()
            };
            let run = || {
                let mut found = [Vec::new(), Vec::new()];
                each_near_place([q], [a.as_slice()], radius, &mut |place| found[0].push(place));
                each_near_place([q, r], [a.as_slice(), b], radius, &mut |place| {
                    found[1].push(place)
                });
                found
            };
            for found in each_level(run) {
                assert_eq!(found, [naive(&one), naive(&both)]);
            }
        }
    }
}
