//! Equal fingerprints put together: the distinct values and the rows that hold each.

use super::meter::Meter;
use crate::error::KernelError;
use crate::fingerprint::Fingerprint;

/// Bits of the first sort: few enough that a write stream for each bucket stays in the address cache.
const FIRST_BITS: u32 = 9;
/// Bits of the second sort: a bucket's places stay in the second-level cache.
const SECOND_BITS: u32 = 14;
/// Rows in a bucket that the second sort handles well.
const BUCKET_ROWS: usize = 256;
/// Values between two entries of the directory.
const DIRECTORY_VALUES: usize = 8;
/// Rows handled between two looks at the meter, and the nanoseconds one costs.
const CHUNK: usize = 1 << 20;
const COST: u64 = 10;

/// Distinct values in the order of [`Fingerprint::mix`], which spreads values that resemble each other; so every
/// bucket and every stretch of the directory holds about the same number of them.
#[derive(Debug)]
pub(super) struct Values<T> {
    pub(super) distinct: Vec<T>,
    /// Where the rows of each value start, and the end of the last.
    starts: Vec<u32>,
    /// Rows by value, ascending for each.
    rows: Vec<u32>,
    /// For each leading part of the mixed value, the first value that has it or a larger one.
    directory: Vec<u32>,
    directory_shift: u32,
}

impl<T: Fingerprint> Values<T> {
    pub(super) fn new(fingerprints: &[T], meter: &Meter) -> Result<Self, KernelError> {
        u32::try_from(fingerprints.len()).map_err(|_| KernelError::TooManyRows {
            count: fingerprints.len() as u64,
            limit: u64::from(u32::MAX),
        })?;
        let bits = (fingerprints.len() / BUCKET_ROWS).max(1).ilog2();
        let shift = T::BITS - bits.min(FIRST_BITS);
        let Scattered { mixed, rows, ends } = scatter(fingerprints, shift, meter)?;
        let mut values =
            Self { distinct: mixed, starts: vec![], rows, directory: vec![], directory_shift: 0 };
        values.group(&ends, shift, meter)?;
        values.index();
        Ok(values)
    }

    /// The rows that hold a value, ascending.
    pub(super) fn rows(&self, value: usize) -> &[u32] {
        &self.rows[self.starts[value] as usize..self.starts[value + 1] as usize]
    }

    /// Whether no value has two rows.
    pub(super) fn all_differ(&self) -> bool {
        self.distinct.len() == self.rows.len()
    }

    /// The place of a value that is among the distinct ones.
    pub(super) fn place(&self, value: T) -> usize {
        let mixed = value.mix();
        let leading = mixed.leading(self.directory_shift);
        let start = self.directory[leading] as usize;
        let next = self.directory.get(leading + 1);
        let end = next.map_or(self.distinct.len(), |&next| next as usize);
        start + self.distinct[start..end].partition_point(|&other| other.mix() < mixed)
    }

    /// For each row the number of its value, numbered in order of first rows; and those first rows.
    pub(super) fn numbered(&self) -> (Vec<u32>, Vec<u32>) {
        let mut number = vec![0; self.rows.len()];
        for value in 0..self.distinct.len() {
            for &row in self.rows(value) {
                number[row as usize] = value as u32;
            }
        }
        let mut first = Vec::with_capacity(self.distinct.len());
        let mut renumbered = vec![u32::MAX; self.distinct.len()];
        for (row, number) in (0..).zip(&mut number) {
            let renumbered = &mut renumbered[*number as usize];
            if *renumbered == u32::MAX {
                *renumbered = first.len() as u32;
                first.push(row);
            }
            *number = *renumbered;
        }
        (number, first)
    }

    /// Sorts each bucket and keeps one of equal values, in place.
    fn group(&mut self, ends: &[u32], shift: u32, meter: &Meter) -> Result<(), KernelError> {
        let mut sorter = Sorter::default();
        let (mut start, mut kept) = (0, 0);
        self.starts = Vec::with_capacity(self.rows.len() + 1);
        for end in ends.iter().map(|&end| end as usize) {
            let sorted = sorter.sort(&self.distinct[start..end], &self.rows[start..end], shift);
            let mut last = None;
            for (place, &(value, row)) in (start..).zip(sorted) {
                self.rows[place] = row;
                if last != Some(value) {
                    last = Some(value);
                    self.distinct[kept] = value;
                    self.starts.push(place as u32);
                    kept += 1;
                }
            }
            meter.spend((end - start) as u64 * COST)?;
            start = end;
        }
        self.starts.push(self.rows.len() as u32);
        self.distinct.truncate(kept);
        Ok(())
    }

    /// Builds the directory and brings the values back to what they were before mixing.
    fn index(&mut self) {
        let bits = (self.distinct.len() / DIRECTORY_VALUES).max(1).ilog2();
        self.directory_shift = T::BITS - bits;
        self.directory = Vec::with_capacity(1 << bits);
        for (place, value) in (0..).zip(&mut self.distinct) {
            while self.directory.len() <= value.leading(self.directory_shift) {
                self.directory.push(place);
            }
            *value = value.unmix();
        }
    }
}

/// Sorts buckets, each by the bits below those that all of it share: mixed values are spread
/// evenly, so a counting sort leaves few places with more than one value to be sorted.
#[derive(Default)]
struct Sorter<T> {
    entries: Vec<(T, u32)>,
    ends: Vec<u32>,
}

impl<T: Fingerprint> Sorter<T> {
    /// The values, whose bits above `shift` agree, and their rows, sorted by both.
    fn sort(&mut self, values: &[T], rows: &[u32], shift: u32) -> &[(T, u32)] {
        let bits = values.len().max(1).ilog2().min(SECOND_BITS);
        let digit = |value: T| value.leading(shift - bits) & ((1 << bits) - 1);
        // While scattering, `ends[d]` is the next free place of digit `d`.
        self.ends.clear();
        self.ends.resize((1 << bits) + 1, 0);
        for &value in values {
            self.ends[digit(value) + 1] += 1;
        }
        sum_up(&mut self.ends);
        self.entries.resize(values.len(), (T::default(), 0));
        for (&value, &row) in values.iter().zip(rows) {
            let end = &mut self.ends[digit(value)];
            self.entries[*end as usize] = (value, row);
            *end += 1;
        }
        let mut start = 0;
        for &end in &self.ends[..1 << bits] {
            let end = end as usize;
            if end - start > 1 {
                self.entries[start..end].sort_unstable();
            }
            start = end;
        }
        &self.entries
    }
}

/// Replaces each number by the sum up to it.
fn sum_up(numbers: &mut [u32]) {
    let mut sum = 0;
    for number in numbers {
        sum += *number;
        *number = sum;
    }
}

/// Mixed values and their rows in buckets, and where each bucket ends.
struct Scattered<T> {
    mixed: Vec<T>,
    rows: Vec<u32>,
    ends: Vec<u32>,
}

/// Puts values together whose mixed bits above `shift` agree.
fn scatter<T: Fingerprint>(
    fingerprints: &[T],
    shift: u32,
    meter: &Meter,
) -> Result<Scattered<T>, KernelError> {
    let buckets = 1 << (T::BITS - shift);
    // While scattering, `ends[b]` is the next free place of bucket `b`.
    let mut ends = vec![0_u32; buckets + 1];
    for chunk in fingerprints.chunks(CHUNK) {
        for &value in chunk {
            ends[value.mix().leading(shift) + 1] += 1;
        }
        meter.spend(chunk.len() as u64)?;
    }
    sum_up(&mut ends);
    ends.pop();
    let mut mixed = vec![T::default(); fingerprints.len()];
    let mut rows = vec![0_u32; fingerprints.len()];
    for (chunk, first) in fingerprints.chunks(CHUNK).zip((0..).step_by(CHUNK)) {
        for (&value, row) in chunk.iter().zip(first..) {
            let value = value.mix();
            let end = &mut ends[value.leading(shift)];
            mixed[*end as usize] = value;
            rows[*end as usize] = row;
            *end += 1;
        }
        meter.spend(chunk.len() as u64 * COST)?;
    }
    Ok(Scattered { mixed, rows, ends })
}

#[cfg(test)]
mod tests;
