//! One pair at a time, on any machine.

use super::Fingerprint;

/// See [`super::each_pair_within`].
#[inline(always)]
pub fn each_pair_within<'a, T: Fingerprint + 'a>(
    lists: impl Iterator<Item = &'a [T]>,
    radius: u32,
    hit: &mut impl FnMut(T, T),
) {
    for list in lists {
        for (i, &a) in list.iter().enumerate() {
            one_to_many(a, &list[i + 1..], radius, hit);
        }
    }
}

/// See [`super::each_pair_across`].
#[inline(always)]
pub fn each_pair_across<'a, T: Fingerprint + 'a>(
    lists: impl Iterator<Item = (&'a [T], &'a [T])>,
    radius: u32,
    hit: &mut impl FnMut(T, T),
) {
    for (left, right) in lists {
        for &a in left {
            one_to_many(a, right, radius, hit);
        }
    }
}

/// See [`super::each_near`].
#[inline(always)]
pub fn each_near<'a, T: Fingerprint + 'a>(
    query: T,
    lists: impl Iterator<Item = &'a [T]>,
    radius: u32,
    hit: &mut impl FnMut(T),
) {
    for list in lists {
        one_to_many(query, list, radius, &mut |_, b| hit(b));
    }
}

/// See [`super::each_near_place`].
#[inline(always)]
pub fn each_near_place<const N: usize>(
    queries: [u64; N],
    lists: [&[u64]; N],
    radius: u32,
    hit: &mut impl FnMut(usize),
) {
    let length = lists.iter().map(|list| list.len()).min().unwrap_or(0);
    for place in 0..length {
        let words = queries.iter().zip(lists);
        let distance: u32 = words.map(|(query, list)| (query ^ list[place]).count_ones()).sum();
        if distance <= radius {
            hit(place);
        }
    }
}

#[inline(always)]
fn one_to_many<T: Fingerprint>(a: T, targets: &[T], radius: u32, hit: &mut impl FnMut(T, T)) {
    for &b in targets {
        if (a ^ b).one_bits() <= radius {
            hit(a, b);
        }
    }
}
