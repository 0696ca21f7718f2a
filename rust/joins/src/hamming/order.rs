//! Numbers in ascending order, in memory for some of them at a time.

use super::partition::{Buckets, Digit, Source, WIDEST_DIGIT, cut_into_slices};
use super::plan::LEAST_RESERVE;
use super::shared::Worker;
use crate::error::KernelError;
use crate::fingerprint::Fingerprint;
use crate::progress::Progress;

/// Numbers that are sorted together, within the caches of the core.
const CACHED: usize = 1 << 12;
/// Nanoseconds to handle a number of a bucket.
const COST: u64 = 10;

/// Numbers that agree on a digit are not copied together if they are more than one part in this
/// many of the numbers that there is room for: those of a part are copied up to three times more.
const SHARE: usize = 8;

/// They are copied if they are fewer than one part in this many of all numbers: a division takes a
/// pass over all of them.
const FEWEST: usize = 16;

/// Numbers that differ from those of other parts in their upper bits.
#[derive(Debug, Clone, Copy)]
pub(super) enum Stretch<'a, T> {
    /// Some, and the bits that are left to tell them apart.
    Several(&'a [T], u32),
    /// Equal numbers, two or more.
    Equal(T, usize),
}

/// Calls `visit` with parts of the numbers, those of a part below those of the next one.
///
/// `bits`: the numbers are below 2^bits. As many values of their upper bits are taken at a time as
/// have no more than `reserve` numbers; a value with too many is divided by the bits after those.
/// The first of several threads has the lowest numbers.
pub(super) fn visit_stretches<T: Fingerprint>(
    source: Source<T, impl Fn(T) -> T + Copy>,
    bits: u32,
    reserve: usize,
    worker: Worker,
    progress: &Progress,
    mut visit: impl FnMut(Stretch<T>) -> Result<(), KernelError>,
) -> Result<(), KernelError> {
    visit_stretches_of_some(
        source,
        source.len(),
        bits,
        reserve.max(LEAST_RESERVE),
        worker,
        progress,
        &mut visit,
    )
}

/// Does the same for those `count` of the numbers that count in `source`.
fn visit_stretches_of_some<T: Fingerprint>(
    source: Source<T, impl Fn(T) -> T + Copy>,
    count: usize,
    bits: u32,
    reserve: usize,
    worker: Worker,
    progress: &Progress,
    visit: &mut impl FnMut(Stretch<T>) -> Result<(), KernelError>,
) -> Result<(), KernelError> {
    // As many bits as leave parts that fit the caches, if numbers are spread evenly.
    let upper = (count / CACHED.min(reserve)).max(1).ilog2().min(WIDEST_DIGIT).min(bits);
    let digit = Digit::of_first_twelve_places(bits - upper..bits);
    let mut coarse = Buckets::default();
    coarse.count_values(source, &digit, progress)?;
    let own = worker.own_range(coarse.counts());
    let (start, most) = (own.start, (reserve / SHARE).max(source.len() / FEWEST));
    let counts: Vec<usize> = coarse.counts()[own].iter().map(|&count| count as usize).collect();
    for slice in cut_into_slices(counts.iter().copied(), reserve, most) {
        let large = slice.clone().find(|&value| counts[value] > most);
        if let Some(value) = large.filter(|_| upper > 0) {
            // The recursion has the whole room to itself.
            coarse.free_numbers();
            let only = source.only.and_digit(&digit, start + value);
            // No bit is left to tell them apart: they are equal, and need not be copied.
            if upper == bits {
                visit(Stretch::Equal(only.value(), counts[value]))?;
            } else {
                let some = Source { only, ..source };
                visit_stretches_of_some(
                    some,
                    counts[value],
                    bits - upper,
                    reserve,
                    Worker::ALONE,
                    progress,
                    visit,
                )?;
            }
            continue;
        }
        coarse.fill_slice(source, &digit, start + slice.start..start + slice.end, progress)?;
        for part in coarse.iter().filter(|part| !part.is_empty()) {
            visit(Stretch::Several(part, bits - upper))?;
            progress.spend_nanoseconds(part.len() as u64 * COST)?;
        }
    }
    Ok(())
}

/// Calls `visit` with the numbers in ascending order, with equal ones once.
pub(super) fn visit_distinct_ascending<T: Fingerprint>(
    source: Source<T, impl Fn(T) -> T + Copy>,
    bits: u32,
    reserve: usize,
    progress: &Progress,
    mut visit: impl FnMut(T),
) -> Result<(), KernelError> {
    let mut sorted = Buckets::default();
    visit_stretches(source, bits, reserve, Worker::ALONE, progress, |part| {
        match part {
            Stretch::Several(part, bits) => {
                let equal = |one: &T, other: &T| one == other;
                let ascending = sort_stretch(part, bits, &mut sorted, progress)?;
                ascending.chunk_by(equal).for_each(|numbers| visit(numbers[0]));
            }
            Stretch::Equal(number, _) => visit(number),
        }
        Ok(())
    })
}

/// The numbers of a part, ascending; they differ in the lowest `bits` alone. Numbers that are not
/// spread evenly are slower to sort.
pub(super) fn sort_stretch<'a, T: Fingerprint>(
    part: &[T],
    bits: u32,
    sorted: &'a mut Buckets<T>,
    progress: &Progress,
) -> Result<&'a [T], KernelError> {
    // As many bits as leave one number to a bucket, if numbers are spread evenly.
    let lower = part.len().max(1).ilog2().min(WIDEST_DIGIT).min(bits);
    sorted.fill(part, &Digit::of_first_twelve_places(bits - lower..bits), progress)?;
    Ok(sorted.sort_each())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::super::cases::{Made, Random, columns};
    use super::*;

    #[test]
    fn stretches_make_up_the_sorted_numbers() {
        stretches_make_up_the_sorted_numbers_on::<u64>();
        stretches_make_up_the_sorted_numbers_on::<u128>();
    }

    fn stretches_make_up_the_sorted_numbers_on<T: Made>() {
        let progress = Progress::begin(&|_| true).unwrap();
        for size in [1, 9, 700, 5000] {
            for (name, column) in columns::<T>(size, 4) {
                let mut sorted: Vec<T> = column.iter().map(|number| number.mix()).collect();
                sorted.sort_unstable();
                sorted.dedup();
                for reserve in [usize::MAX, size.div_ceil(3), size.div_ceil(64)] {
                    let (one, other) = column.split_at(size / 3);
                    let pieces = [one, other];
                    let source = Source::all(&pieces, T::mix);
                    let mut seen: Vec<T> = Vec::new();
                    visit_distinct_ascending(source, T::BITS, reserve, &progress, |number| {
                        seen.push(number)
                    })
                    .unwrap();
                    assert!(seen == sorted, "{name}, {size}, {reserve}");
                }
            }
        }
    }

    /// Numbers that there is no room to copy together come in parts, and equal ones as a count.
    #[test]
    fn no_part_is_larger_than_its_share() {
        let progress = Progress::begin(&|_| true).unwrap();
        let mut random = Random(8);
        let common = 0x0123_4567_89ab_cdef_u64;
        let alike = |random: &mut Random| common ^ random.next::<u64>() >> 40;
        let mut numbers: Vec<u64> = (0..20_000).map(|_| alike(&mut random)).collect();
        numbers.extend(std::iter::repeat_n(common, 30_000));
        numbers.extend((0..10_000).map(|_| random.next::<u64>()));
        let pieces = [&numbers[..]];
        let source = Source::all(&pieces, |number| number);
        let reserve = 8_192;
        let (mut seen, mut equal) = (Vec::new(), Vec::new());
        visit_stretches(source, 64, reserve, Worker::ALONE, &progress, |part| {
            match part {
                Stretch::Several(part, _) => {
                    // Up to twice the share of the caches is not divided.
                    assert!(
                        part.len() <= reserve / SHARE || part.len() < 2 * CACHED,
                        "{}",
                        part.len()
                    );
                    seen.extend_from_slice(part);
                }
                Stretch::Equal(number, count) => {
                    equal.push((number, count));
                    seen.extend(std::iter::repeat_n(number, count));
                }
            }
            Ok(())
        })
        .unwrap();
        assert_eq!(equal, [(common, numbers.iter().filter(|&&n| n == common).count())]);
        seen.sort_unstable();
        numbers.sort_unstable();
        assert!(seen == numbers);
    }

    #[test]
    fn small_numbers_are_sorted_by_the_bits_that_they_have() {
        let progress = Progress::begin(&|_| true).unwrap();
        let numbers: Vec<u64> = (0..5000).map(|n| n * 7919 % 5000).collect();
        let pieces = [&numbers[..]];
        let source = Source::all(&pieces, |number| number);
        let mut seen: Vec<u64> = Vec::new();
        visit_distinct_ascending(source, 13, usize::MAX, &progress, |number| seen.push(number))
            .unwrap();
        assert!(seen.iter().copied().eq(0..5000));
        let none = Source::all(&[], |number: u64| number);
        visit_distinct_ascending(none, 0, 1, &progress, |number| seen.push(number)).unwrap();
        assert_eq!(seen.len(), 5000);
    }
}
