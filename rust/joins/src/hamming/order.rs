//! Numbers in ascending order, in memory for some of them at a time.

use super::meter::Meter;
use super::partition::{Buckets, Digit, Source, WIDEST_DIGIT, slices};
use super::shared::Turn;
use crate::error::KernelError;
use crate::fingerprint::Fingerprint;

/// Numbers that are sorted together, within the caches of the core.
const CACHED: usize = 1 << 12;
/// Nanoseconds to handle a number of a bucket.
const COST: u64 = 10;

/// Calls `visit` with parts of the numbers, those of a part below those of the next one, and with
/// the bits that are left to tell the numbers of the part apart.
///
/// `bits`: the numbers are below 2^bits. Of their upper bits as many values are taken at a time as
/// have no more than `room` numbers. Of several threads the first has the lowest numbers.
pub(super) fn parts<T: Fingerprint>(
    source: Source<T, impl Fn(T) -> T + Copy>,
    bits: u32,
    room: usize,
    turn: Turn,
    meter: &Meter,
    mut visit: impl FnMut(&[T], u32) -> Result<(), KernelError>,
) -> Result<(), KernelError> {
    let upper = levels(source.len() / CACHED.min(room)).min(WIDEST_DIGIT).min(bits);
    let digit = Digit::of(bits - upper..bits);
    let mut coarse = Buckets::default();
    coarse.measure(source, &digit, meter)?;
    let own = turn.range(coarse.counts());
    let counts = coarse.counts()[own.clone()].iter().map(|&count| count as usize);
    for slice in slices(counts, room) {
        coarse.take(source, &digit, own.start + slice.start..own.start + slice.end, meter)?;
        for part in coarse.iter().filter(|part| !part.is_empty()) {
            visit(part, bits - upper)?;
            meter.spend(part.len() as u64 * COST)?;
        }
    }
    Ok(())
}

/// Calls `visit` with the numbers in ascending order, those of a part at a time.
pub(super) fn ascending<T: Fingerprint>(
    source: Source<T, impl Fn(T) -> T + Copy>,
    bits: u32,
    room: usize,
    meter: &Meter,
    mut visit: impl FnMut(&[T]),
) -> Result<(), KernelError> {
    let mut sorted = Buckets::default();
    parts(source, bits, room, Turn::ALONE, meter, |part, bits| {
        visit(sort(part, bits, &mut sorted, meter)?);
        Ok(())
    })
}

/// The numbers of a part, ascending; they differ in the lowest `bits` alone. Numbers that are not
/// spread evenly are slower to sort.
pub(super) fn sort<'a, T: Fingerprint>(
    part: &[T],
    bits: u32,
    sorted: &'a mut Buckets<T>,
    meter: &Meter,
) -> Result<&'a [T], KernelError> {
    let lower = levels(part.len()).min(WIDEST_DIGIT).min(bits);
    sorted.fill(part, &Digit::of(bits - lower..bits), meter)?;
    Ok(sorted.sort_each())
}

/// How often numbers are halved until there is one.
fn levels(numbers: usize) -> u32 {
    numbers.max(1).ilog2()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::super::cases::{Made, columns};
    use super::*;

    #[test]
    fn stretches_make_up_the_sorted_numbers() {
        stretches_make_up_the_sorted_numbers_on::<u64>();
        stretches_make_up_the_sorted_numbers_on::<u128>();
    }

    fn stretches_make_up_the_sorted_numbers_on<T: Made>() {
        let meter = Meter::start(&|_| true).unwrap();
        for size in [1, 9, 700, 5000] {
            for (name, column) in columns::<T>(size, 4) {
                let mut sorted: Vec<T> = column.iter().map(|number| number.mix()).collect();
                sorted.sort_unstable();
                for room in [size.div_ceil(64), size.div_ceil(3), usize::MAX] {
                    let (one, other) = column.split_at(size / 3);
                    let source = Source { pieces: &[one, other], read: T::mix };
                    let mut seen: Vec<T> = Vec::new();
                    ascending(source, T::BITS, room, &meter, |stretch| {
                        assert!(seen.last() < stretch.first());
                        seen.extend(stretch);
                    })
                    .unwrap();
                    assert!(seen == sorted, "{name}, {size}, {room}");
                }
            }
        }
    }

    #[test]
    fn small_numbers_are_sorted_by_the_bits_that_they_have() {
        let meter = Meter::start(&|_| true).unwrap();
        let numbers: Vec<u64> = (0..5000).map(|n| n * 7919 % 5000).collect();
        let source = Source { pieces: &[&numbers], read: |number| number };
        let mut seen: Vec<u64> = Vec::new();
        ascending(source, 13, usize::MAX, &meter, |stretch| seen.extend(stretch)).unwrap();
        assert!(seen.iter().copied().eq(0..5000));
        let none = Source { pieces: &[], read: |number: u64| number };
        ascending(none, 0, 1, &meter, |stretch| seen.extend(stretch)).unwrap();
        assert_eq!(seen.len(), 5000);
    }
}
