//! One pair at a time, on any machine.

use super::Fingerprint;

/// See [`super::within`].
#[inline(always)]
pub fn within<'a, T: Fingerprint + 'a>(
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

/// See [`super::across`].
#[inline(always)]
pub fn across<'a, T: Fingerprint + 'a>(
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

/// See [`super::near`].
#[inline(always)]
pub fn near<'a, T: Fingerprint + 'a>(
    query: T,
    lists: impl Iterator<Item = &'a [T]>,
    radius: u32,
    hit: &mut impl FnMut(T),
) {
    for list in lists {
        one_to_many(query, list, radius, &mut |_, b| hit(b));
    }
}

#[inline(always)]
fn one_to_many<T: Fingerprint>(a: T, targets: &[T], radius: u32, hit: &mut impl FnMut(T, T)) {
    for &b in targets {
        if (a ^ b).ones() <= radius {
            hit(a, b);
        }
    }
}
