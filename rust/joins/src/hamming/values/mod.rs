//! The distinct values of a column, and where among some of them a value is.

use super::order::{Stretch, list_distinct_ascending, sort_stretch, visit_stretches_on_threads};
use super::partition::{Buckets, check_countable};
use super::plan::Reserve;
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
        reserve: Reserve,
        progress: &Progress,
    ) -> Result<Self, KernelError> {
        let count = pieces.iter().map(|piece| piece.len()).sum::<usize>();
        // A sorted copy, the lists of the threads, and the list that these are put together in.
        reserve::check_room(3 * size_of::<T>() * count)?;
        let lists = list_distinct_ascending(
            pieces.to_vec(),
            T::mix,
            T::BITS,
            reserve,
            progress,
            reserve::new_list,
            |values: &mut Vec<T>, mixed| values.push(mixed.unmix()),
        )?;
        let values = reserve::concatenate(lists)?;
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
        check_countable(column.len() as u64)?;
        let mut distinct = reserve::repeat_value(T::default(), column.len())?;
        let mut rest = &mut distinct[..];
        let collectors = visit_stretches_on_threads(
            vec![column],
            T::mix,
            T::BITS,
            reserve,
            progress,
            |count| Ok(ValueCollector::new(rest.split_off_mut(..count).unwrap_or_default())),
            ValueCollector::take,
        )?;
        let reports: Vec<_> = collectors.into_iter().map(|collector| collector.report).collect();
        if reserve.numbers < column.len() {
            pages::return_freed_memory();
        }
        let (mut repeated, mut copies) = (Vec::new(), Vec::new());
        let (mut start, mut count) = (0, 0);
        for report in reports {
            // Where values repeat, a thread has left a part of its room empty.
            distinct.copy_within(start..start + report.distinct_count, count);
            start += report.places;
            count += report.distinct_count;
            repeated.push(report.repeated);
            copies.push(report.copies);
        }
        distinct.truncate(count);
        let (repeated, copies) = (reserve::concatenate(repeated)?, reserve::concatenate(copies)?);
        // They came in the order of mixing, so that they keep their places.
        let repeated = MixOrdered::of(&[&repeated], reserve, progress)?;
        Ok(Self { distinct, repeated, copies })
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

/// The findings of one thread, in the order of mixing.
#[derive(Default)]
struct ValueReport<T> {
    /// Places of its room: one for each number that it gets.
    places: usize,
    /// The number of distinct ones, which stand at the start of its room.
    distinct_count: usize,
    repeated: Vec<T>,
    copies: Vec<u32>,
}

/// Collects the distinct values of numbers in a room that has a place for each number.
struct ValueCollector<'r, T> {
    room: &'r mut [T],
    report: ValueReport<T>,
    marks: Marks,
    /// Numbers that share a mark.
    crowd: Vec<T>,
    sorted: Buckets<T>,
}

impl<'r, T: Fingerprint> ValueCollector<'r, T> {
    fn new(room: &'r mut [T]) -> Self {
        let report = ValueReport { places: room.len(), ..ValueReport::default() };
        let marks = Marks::default();
        Self { room, report, marks, crowd: Vec::new(), sorted: Buckets::default() }
    }

    /// Takes the numbers of a stretch; no earlier stretch had any of them.
    fn take(&mut self, stretch: Stretch<T>, progress: &Progress) -> Result<(), KernelError> {
        let Self { room, report, marks, crowd, sorted } = self;
        let room = &mut room[report.distinct_count..];
        let mut distinct_count = 0;
        let mut add = |number: T| {
            room[distinct_count] = number.unmix();
            distinct_count += 1;
        };
        match stretch {
            Stretch::Equal(number, count) => {
                add(number);
                reserve::push(&mut report.repeated, number.unmix())?;
                reserve::push(&mut report.copies, count as u32)?;
            }
            Stretch::Several(pieces, bits) => {
                // Nearly all values occur once. Two bits for each find those without sorting: only
                // numbers that share a mark are sorted.
                marks.mark_all(pieces, bits);
                crowd.clear();
                for piece in pieces {
                    for &number in *piece {
                        if marks.has_shared_mark(number) {
                            crowd.push(number);
                        } else {
                            add(number);
                        }
                    }
                }
                let ascending = sort_stretch(&[crowd], bits, sorted, progress)?;
                for equal in ascending.chunk_by(|one, two| one == two) {
                    add(equal[0]);
                    if equal.len() > 1 {
                        reserve::push(&mut report.repeated, equal[0].unmix())?;
                        reserve::push(&mut report.copies, equal.len() as u32)?;
                    }
                }
            }
        }
        report.distinct_count += distinct_count;
        Ok(())
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
    /// Notes which marks one of the numbers has, and which several have.
    fn mark_all<T: Fingerprint>(&mut self, pieces: &[&[T]], bits: u32) {
        let count: usize = pieces.iter().map(|numbers| numbers.len()).sum();
        let width = (count * MARKS).next_power_of_two().ilog2().max(u64::BITS.ilog2());
        self.shift = bits.saturating_sub(width);
        for noted in [&mut self.once, &mut self.twice] {
            noted.clear();
            noted.resize(1 << (width - u64::BITS.ilog2()), 0);
        }
        for numbers in pieces {
            for &number in *numbers {
                let (word, bit) = self.word_and_bit(number);
                if self.once[word] & bit != 0 {
                    self.twice[word] |= bit;
                }
                self.once[word] |= bit;
            }
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
