//! The distinct values of a column, and where among some of them a value is.

use super::order::{Stretch, sort_stretch, visit_distinct_ascending, visit_stretches};
use super::partition::{Buckets, Source};
use super::plan::Reserve;
use super::shared::{Worker, run_on_threads};
use crate::error::KernelError;
use crate::fingerprint::Fingerprint;
use crate::progress::Progress;
use crate::reserve;
use crate::simd::pages;

/// Values between two entries of the directory.
const DIRECTORY_VALUES: usize = 8;
/// Places of the mark of a number, for each number, at least: few numbers share theirs by
/// chance.
const MARKS: usize = 16;

/// Distinct values in the order of [`Fingerprint::mix`], which spreads values that resemble each
/// other, so that each is found at once.
#[derive(Debug)]
pub(super) struct MixOrdered<T> {
    values: Vec<T>,
    /// For each leading part of the mixed value, the first value that has it or a larger one.
    directory: Vec<u32>,
    shift: u32,
}

impl<T: Fingerprint> MixOrdered<T> {
    /// Takes the values of the pieces, each of which may be there several times.
    pub(super) fn of(
        pieces: &[&[T]],
        reserve: usize,
        progress: &Progress,
    ) -> Result<Self, KernelError> {
        let source = Source::all(pieces, T::mix);
        let mut values = Vec::new();
        reserve::check_room(3 * size_of::<T>() * source.len())?; // Two lists, one of which grows.
        visit_distinct_ascending(source, T::BITS, reserve, progress, |mixed| {
            values.push(mixed.unmix());
        })?;
        let bits = (values.len() / DIRECTORY_VALUES).max(1).ilog2();
        let shift = T::BITS - bits;
        let mut directory = Vec::with_capacity((1 << bits) + 1);
        for (place, value) in (0..).zip(&values) {
            let leading = value.mix().bits_above(shift);
            // Leading parts that no value has get the place of the next value: nothing stands
            // between.
            while directory.len() <= leading {
                directory.push(place);
            }
        }
        // Those above the last value, and the end.
        directory.resize((1 << bits) + 1, values.len() as u32);
        Ok(Self { values, directory, shift })
    }

    /// The values, in the order of mixing and not in their own.
    pub(super) fn values(&self) -> &[T] {
        &self.values
    }

    /// The place of a value, if it is there.
    pub(super) fn place_of(&self, value: T) -> Option<usize> {
        let mixed = value.mix();
        let leading = mixed.bits_above(self.shift);
        let start = self.directory[leading] as usize;
        let among = &self.values[start..self.directory[leading + 1] as usize];
        let place = among.partition_point(|other| other.mix() < mixed);
        (among.get(place) == Some(&value)).then_some(start + place)
    }
}

/// The distinct values of a column, and those that several rows hold.
#[derive(Debug)]
pub(super) struct Values<T> {
    /// In an order of no meaning.
    pub(super) distinct: Vec<T>,
    repeated: MixOrdered<T>,
    /// For each repeated value how many rows hold it.
    copies: Vec<u32>,
}

impl<T: Fingerprint> Values<T> {
    /// Looks at as many numbers at a time as there is room for;
    /// [`TooManyRows`](KernelError::TooManyRows) from 2^32.
    pub(super) fn of(
        column: &[T],
        reserve: Reserve,
        progress: &Progress,
    ) -> Result<Self, KernelError> {
        u32::try_from(column.len()).map_err(|_| KernelError::TooManyRows {
            count: column.len() as u64,
            limit: u64::from(u32::MAX),
        })?;
        // The reports of the threads are put together, which needs memory too.
        let threads =
            if reserve.numbers < column.len() { 1 } else { reserve.threads_for(column.len()) };
        let parts = run_on_threads(threads, progress, |worker, progress| {
            ValueReport::of(column, reserve.numbers_per_thread(threads), worker, progress)
        })?;
        if parts.len() > 1 {
            reserve::check_room(size_of_val(column))?;
        }
        if reserve.numbers < column.len() {
            pages::return_freed_memory();
        }
        let report = parts.into_iter().reduce(ValueReport::concatenate).unwrap_or_default();
        // They came in the order of mixing, so that they keep their places.
        let repeated = MixOrdered::of(&[&report.repeated], reserve.numbers, progress)?;
        Ok(Self { distinct: report.distinct, repeated, copies: report.copies })
    }

    /// The values that several rows hold.
    pub(super) fn into_repeated(self) -> MixOrdered<T> {
        self.repeated
    }

    /// Number of rows that hold a value; it must be there.
    pub(super) fn count_rows_of(&self, value: T) -> u64 {
        if self.copies.is_empty() {
            return 1;
        }
        self.repeated.place_of(value).map_or(1, |place| u64::from(self.copies[place]))
    }

    /// Pairs of two rows that hold the same value.
    pub(super) fn count_equal_pairs(&self) -> u64 {
        self.copies.iter().map(|&rows| u64::from(rows) * u64::from(rows - 1) / 2).sum()
    }
}

/// Report of one share on its numbers, in the order of mixing.
#[derive(Default)]
struct ValueReport<T> {
    distinct: Vec<T>,
    repeated: Vec<T>,
    copies: Vec<u32>,
}

impl<T: Fingerprint> ValueReport<T> {
    fn of(
        column: &[T],
        reserve: usize,
        worker: Worker,
        progress: &Progress,
    ) -> Result<Self, KernelError> {
        let mut report = Self::default();
        reserve::make_room(&mut report.distinct, column.len() / worker.threads)?;
        let (mut marks, mut crowd, mut sorted) = (Marks::default(), Vec::new(), Buckets::default());
        let pieces = [column];
        let source = Source::all(&pieces, T::mix);
        visit_stretches(source, T::BITS, reserve, worker, progress, |part| {
            let (part, bits) = match part {
                Stretch::Several(part, bits) => (part, bits),
                Stretch::Equal(number, count) => {
                    report.distinct.push(number.unmix());
                    report.repeated.push(number.unmix());
                    report.copies.push(count as u32);
                    return Ok(());
                }
            };
            // Nearly all values occur once. Two bits for each find those without sorting: only
            // numbers that share a mark are sorted.
            marks.mark_all(part, bits);
            crowd.clear();
            for &number in part {
                if marks.has_shared_mark(number) {
                    crowd.push(number);
                } else {
                    report.distinct.push(number.unmix());
                }
            }
            for equal in
                sort_stretch(&crowd, bits, &mut sorted, progress)?.chunk_by(|one, two| one == two)
            {
                report.distinct.push(equal[0].unmix());
                if equal.len() > 1 {
                    report.repeated.push(equal[0].unmix());
                    report.copies.push(equal.len() as u32);
                }
            }
            Ok(())
        })?;
        Ok(report)
    }

    fn concatenate(mut self, other: Self) -> Self {
        self.distinct.extend(other.distinct);
        self.repeated.extend(other.repeated);
        self.copies.extend(other.copies);
        self
    }
}

/// Marks of numbers, as many bits as are left to tell them apart or fewer: equal numbers have the
/// same mark, and few others do.
#[derive(Default)]
struct Marks {
    once: Vec<u64>,
    twice: Vec<u64>,
    shift: u32,
}

impl Marks {
    /// Notes which marks one number has, and which several have.
    fn mark_all<T: Fingerprint>(&mut self, numbers: &[T], bits: u32) {
        let width = (numbers.len() * MARKS).next_power_of_two().ilog2().max(u64::BITS.ilog2());
        self.shift = bits.saturating_sub(width);
        for noted in [&mut self.once, &mut self.twice] {
            noted.clear();
            noted.resize(1 << (width - u64::BITS.ilog2()), 0);
        }
        for &number in numbers {
            let (word, bit) = self.word_and_bit(number);
            if self.once[word] & bit != 0 {
                self.twice[word] |= bit;
            }
            self.once[word] |= bit;
        }
    }

    /// Return whether several of the numbers have the mark of a number.
    fn has_shared_mark<T: Fingerprint>(&self, number: T) -> bool {
        let (word, bit) = self.word_and_bit(number);
        self.twice[word] & bit != 0
    }

    fn word_and_bit<T: Fingerprint>(&self, number: T) -> (usize, u64) {
        let mark = number.bits_above(self.shift);
        let words = self.once.len() - 1;
        // Numbers of one stretch have their upper bits in common; the mask takes these away.
        ((mark / u64::BITS as usize) & words, 1 << (mark % u64::BITS as usize))
    }
}

#[cfg(test)]
mod tests;
