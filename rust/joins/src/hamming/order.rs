//! Numbers in ascending order, in memory for some of them at a time.

use std::sync::Mutex;

use super::partition::{
    BitCondition, Buckets, Digit, Source, WIDEST_DIGIT, check_countable, cut_into_slices,
};
use super::plan::{LEAST_RESERVE, Reserve};
use super::shared::{Worker, run_on_threads};
use crate::error::KernelError;
use crate::fingerprint::Fingerprint;
use crate::parallel::lock;
use crate::progress::Progress;

/// Numbers that are sorted together, within the caches of the core; tests have few numbers.
const CACHED: usize = if cfg!(test) { 1 << 6 } else { 1 << 12 };
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
    /// Some, in pieces, and the bits that are left to tell them apart.
    Several(&'a [&'a [T]], u32),
    /// Equal numbers, two or more.
    Equal(T, usize),
}

/// Calls `visit` with parts of the numbers, those of a part below those of the next one.
///
/// `bits`: the numbers are below 2^bits. As many values of their upper bits are taken at a time as
/// have no more than `reserve` numbers; a value with too many is divided by the bits after those.
fn visit_stretches<T: Fingerprint>(
    source: Source<T, impl Fn(T) -> T + Copy>,
    bits: u32,
    reserve: usize,
    progress: &Progress,
    mut visit: impl FnMut(Stretch<T>) -> Result<(), KernelError>,
) -> Result<(), KernelError> {
    let (count, reserve) = (source.len(), reserve.max(LEAST_RESERVE));
    visit_stretches_of_some(source, count, bits, reserve, progress, &mut visit)
}

/// Does the same for those `count` of the numbers that count in `source`.
fn visit_stretches_of_some<T: Fingerprint>(
    source: Source<T, impl Fn(T) -> T + Copy>,
    count: usize,
    bits: u32,
    reserve: usize,
    progress: &Progress,
    visit: &mut impl FnMut(Stretch<T>) -> Result<(), KernelError>,
) -> Result<(), KernelError> {
    let digit = choose_upper_digit(count, bits, reserve);
    let upper = digit.bits;
    let mut coarse = Buckets::default();
    coarse.count_values(source, &digit, progress)?;
    let most = (reserve / SHARE).max(source.len() / FEWEST);
    let counts: Vec<usize> = coarse.counts().iter().map(|&count| count as usize).collect();
    for slice in cut_into_slices(counts.iter().copied(), reserve, most) {
        let large = slice.clone().find(|&value| counts[value] > most);
        if let Some(value) = large.filter(|_| upper > 0) {
            // The recursion has the whole room to itself.
            coarse.free_numbers();
            let only = source.only.and_digit(&digit, value);
            // No bit is left to tell them apart: they are equal, and need not be copied.
            if upper == bits {
                visit(Stretch::Equal(only.value(), counts[value]))?;
            } else {
                let some = Source { only, ..source };
                let (count, bits) = (counts[value], bits - upper);
                visit_stretches_of_some(some, count, bits, reserve, progress, visit)?;
            }
            continue;
        }
        coarse.fill_slice(source, &digit, slice, progress)?;
        for part in coarse.iter().filter(|part| !part.is_empty()) {
            visit(Stretch::Several(&[part], bits - upper))?;
            progress.spend_nanoseconds(part.len() as u64 * COST)?;
        }
    }
    Ok(())
}

/// The upper bits by whose values numbers fall into parts that fit the caches, if they are spread
/// evenly.
fn choose_upper_digit(count: usize, bits: u32, reserve: usize) -> Digit {
    let upper = (count / CACHED.min(reserve)).max(1).ilog2().min(WIDEST_DIGIT).min(bits);
    Digit::of_first_twelve_places(bits - upper..bits)
}

/// Numbers in the parts of [`visit_stretches`], for several threads: each thread sorts a range of
/// the numbers by their upper bits, and then visits, from all ranges, the numbers with some values
/// of those bits.
struct SharedStretches<T> {
    sorted_ranges: Vec<Buckets<T>>,
    /// The upper bits.
    digit: Digit,
    /// Number of numbers with each value of it.
    counts: Vec<u32>,
    /// The bits below those.
    lower_bits: u32,
    /// Numbers that each thread may copy at a time besides.
    reserve: usize,
}

impl<T: Fingerprint> SharedStretches<T> {
    /// Sorts all numbers at once; they are below 2^`bits`.
    fn of(
        source: Source<T, impl Fn(T) -> T + Copy + Sync>,
        bits: u32,
        threads: usize,
        reserve: Reserve,
        progress: &Progress,
    ) -> Result<Self, KernelError> {
        let count = source.len();
        let digit = choose_upper_digit(count, bits, usize::MAX);
        let sorted_ranges = run_on_threads(threads, progress, |worker, progress| {
            let pieces = source.cut_pieces(worker.own_range_of(count));
            let mut sorted = Buckets::default();
            sorted.fill(Source { pieces: &pieces, ..source }, &digit, progress)?;
            Ok(sorted)
        })?;
        let mut counts = vec![0; 1 << digit.bits];
        for sorted in &sorted_ranges {
            counts.iter_mut().zip(sorted.counts()).for_each(|(all, own)| *all += own);
        }
        let rest = Reserve { numbers: reserve.numbers_beside(count), ..reserve };
        let reserve = rest.numbers_per_thread(threads).max(LEAST_RESERVE);
        Ok(Self { sorted_ranges, counts, lower_bits: bits - digit.bits, digit, reserve })
    }

    /// The number of numbers that a thread visits.
    fn count_of(&self, worker: Worker) -> usize {
        self.counts[worker.own_parts(&self.counts)].iter().map(|&count| count as usize).sum()
    }

    /// Calls `visit` with the parts of one of the threads, ascending; the first thread has the
    /// lowest.
    fn visit(
        &self,
        worker: Worker,
        progress: &Progress,
        mut visit: impl FnMut(Stretch<T>) -> Result<(), KernelError>,
    ) -> Result<(), KernelError> {
        let all: usize = self.sorted_ranges.iter().map(Buckets::len).sum();
        // Up to twice the share of the caches is not divided.
        let most = (all / FEWEST).max(2 * CACHED);
        let mut pieces = Vec::with_capacity(self.sorted_ranges.len());
        for value in worker.own_parts(&self.counts) {
            let count = self.counts[value] as usize;
            pieces.clear();
            pieces.extend(self.sorted_ranges.iter().map(|sorted| sorted.get(value)));
            if count > most {
                // The upper bits are part of the condition, so that it is the whole number once no
                // bit is left (`BitCondition::value`).
                let only = BitCondition::default().and_digit(&self.digit, value);
                let source = Source { only, ..Source::all(&pieces, |number| number) };
                let (bits, reserve) = (self.lower_bits, self.reserve);
                visit_stretches_of_some(source, count, bits, reserve, progress, &mut visit)?;
            } else if count > 0 {
                visit(Stretch::Several(&pieces, self.lower_bits))?;
                progress.spend_nanoseconds(count as u64 * COST)?;
            }
        }
        Ok(())
    }
}

/// Calls `take` with all parts of what `read` makes of numbers, on as many threads as there is room
/// for. Each thread has a state, made by `begin` for as many numbers as it gets; those of the
/// lowest numbers come first.
///
/// Several threads copy all numbers at once; where `numbers` owns them, they are freed then.
///
/// # Errors
/// [`KernelError::TooManyRows`] from 2^32 numbers, and those of `begin` and `take`.
pub(super) fn visit_stretches_on_threads<T: Fingerprint, N: AsRef<[T]>, S: Send>(
    numbers: Vec<N>,
    read: impl Fn(T) -> T + Copy + Sync,
    bits: u32,
    reserve: Reserve,
    progress: &Progress,
    mut begin: impl FnMut(usize) -> Result<S, KernelError>,
    take: impl Fn(&mut S, Stretch<T>, &Progress) -> Result<(), KernelError> + Sync,
) -> Result<Vec<S>, KernelError> {
    let pieces: Vec<&[T]> = numbers.iter().map(AsRef::as_ref).collect();
    let source = Source::all(&pieces, read);
    let count = source.len();
    check_countable(count as u64)?;
    let threads = reserve.threads_to_copy_all(count);
    if threads == 1 {
        let mut state = begin(count)?;
        visit_stretches(source, bits, reserve.numbers, progress, |part| {
            take(&mut state, part, progress)
        })?;
        return Ok(vec![state]);
    }
    let stretches = SharedStretches::of(source, bits, threads, reserve, progress)?;
    // What is made of them needs the memory.
    drop(numbers);
    let count_of = |thread| stretches.count_of(Worker { thread, threads });
    let states = (0..threads).map(|thread| Ok(Mutex::new(Some(begin(count_of(thread))?))));
    let states = states.collect::<Result<Vec<_>, KernelError>>()?;
    let states = run_on_threads(threads, progress, |worker, progress| {
        // Moved to this thread: two states in one line of the cache would slow each other down.
        let mut state = lock(&states[worker.thread]).take();
        if let Some(state) = &mut state {
            stretches.visit(worker, progress, |part| take(state, part, progress))?;
        }
        Ok(state)
    })?;
    Ok(states.into_iter().flatten().collect())
}

/// Calls `add` with each distinct number, in ascending order. Each thread adds to its own list,
/// which `new_list` makes for as many numbers as the thread gets; the first lists have the lowest
/// numbers.
///
/// # Errors
/// Those of [`visit_stretches_on_threads`], and of `new_list`.
pub(super) fn list_distinct_ascending<T: Fingerprint, N: AsRef<[T]>, L: Send>(
    numbers: Vec<N>,
    read: impl Fn(T) -> T + Copy + Sync,
    bits: u32,
    reserve: Reserve,
    progress: &Progress,
    new_list: impl Fn(usize) -> Result<L, KernelError>,
    add: impl Fn(&mut L, T) + Sync,
) -> Result<Vec<L>, KernelError> {
    let begin = |count| Ok((new_list(count)?, Buckets::default()));
    let take = |(list, sorted): &mut (L, Buckets<T>), part: Stretch<T>, progress: &Progress| {
        match part {
            Stretch::Several(pieces, bits) => {
                let equal = |one: &T, other: &T| one == other;
                let ascending = sort_stretch(pieces, bits, sorted, progress)?;
                ascending.chunk_by(equal).for_each(|numbers| add(list, numbers[0]));
            }
            Stretch::Equal(number, _) => add(list, number),
        }
        Ok(())
    };
    let states = visit_stretches_on_threads(numbers, read, bits, reserve, progress, begin, take)?;
    Ok(states.into_iter().map(|(list, _)| list).collect())
}

/// The numbers of a part, ascending; they differ in the lowest `bits` alone. Numbers that are not
/// spread evenly are slower to sort.
pub(super) fn sort_stretch<'a, T: Fingerprint>(
    pieces: &[&[T]],
    bits: u32,
    sorted: &'a mut Buckets<T>,
    progress: &Progress,
) -> Result<&'a [T], KernelError> {
    let source = Source::all(pieces, |number| number);
    // As many bits as leave one number to a bucket, if numbers are spread evenly.
    let lower = source.len().max(1).ilog2().min(WIDEST_DIGIT).min(bits);
    sorted.fill(source, &Digit::of_first_twelve_places(bits - lower..bits), progress)?;
    Ok(sorted.sort_each())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::super::cases::{Made, Random, columns};
    use super::*;
    use crate::reserve;

    fn list<T: Made>(
        pieces: &[&[T]],
        read: impl Fn(T) -> T + Copy + Sync,
        bits: u32,
        reserve: Reserve,
        progress: &Progress,
    ) -> Vec<T> {
        let new_list = |count| Ok(Vec::with_capacity(count));
        list_distinct_ascending(pieces.to_vec(), read, bits, reserve, progress, new_list, Vec::push)
            .unwrap()
            .concat()
    }

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
                for (numbers, threads) in [
                    (usize::MAX, 1),
                    (size.div_ceil(3), 1),
                    (size.div_ceil(64), 1),
                    (size, 2),
                    (usize::MAX, 3),
                    (usize::MAX, 8),
                ] {
                    let (one, other) = column.split_at(size / 3);
                    let reserve = Reserve { numbers, threads };
                    let seen = list(&[one, other], T::mix, T::BITS, reserve, &progress);
                    assert!(seen == sorted, "{name}, {size}, {reserve:?}");
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
        visit_stretches(source, 64, reserve, &progress, |part| {
            match part {
                Stretch::Several(pieces, _) => {
                    let part = pieces.concat();
                    // Up to twice the share of the caches is not divided.
                    assert!(
                        part.len() <= reserve / SHARE || part.len() < 2 * CACHED,
                        "{}",
                        part.len()
                    );
                    seen.extend(part);
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
        let alone = Reserve { numbers: usize::MAX, threads: 1 };
        let seen = list(&[&numbers[..]], |number| number, 13, alone, &progress);
        assert!(seen.into_iter().eq(0..5000));
        for threads in [1, 3] {
            let reserve = Reserve { numbers: 1, threads };
            assert!(list(&[], |number: u64| number, 0, reserve, &progress).is_empty());
        }
    }

    #[test]
    fn more_numbers_than_32_bits_count_are_an_error() {
        let progress = Progress::begin(&|_| true).unwrap();
        let (limit, numbers) = (u64::from(u32::MAX), vec![0_u64; 1 << 20]);
        let pieces = vec![&numbers[..]; 1 << 12];
        for threads in [1, 3] {
            let reserve = Reserve { numbers: usize::MAX, threads };
            let new_list = reserve::new_list::<u64>;
            let made = list_distinct_ascending(
                pieces.clone(),
                |number| number,
                64,
                reserve,
                &progress,
                new_list,
                Vec::push,
            );
            assert_eq!(made, Err(KernelError::TooManyRows { count: 1 << 32, limit }));
        }
    }

    /// Some numbers, and how many of these lists were freed.
    struct Freed<'a>(Vec<u64>, &'a AtomicUsize);

    impl AsRef<[u64]> for Freed<'_> {
        fn as_ref(&self) -> &[u64] {
            &self.0
        }
    }

    impl Drop for Freed<'_> {
        fn drop(&mut self) {
            self.1.fetch_add(1, Ordering::Relaxed);
        }
    }

    #[test]
    fn threads_free_numbers_that_were_given_away_before_they_list_them() {
        let progress = Progress::begin(&|_| true).unwrap();
        let freed = AtomicUsize::new(0);
        let numbers: Vec<_> = (0..4).map(|_| Freed((0..1000).collect(), &freed)).collect();
        let new_list = |count| {
            assert_eq!(freed.load(Ordering::Relaxed), 4);
            reserve::new_list(count)
        };
        let reserve = Reserve { numbers: usize::MAX, threads: 3 };
        let read = |number: u64| number;
        let lists =
            list_distinct_ascending(numbers, read, 10, reserve, &progress, new_list, Vec::push);
        assert!(lists.unwrap().concat().into_iter().eq(0..1000));
    }
}
