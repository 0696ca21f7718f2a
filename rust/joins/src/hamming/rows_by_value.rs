//! The rows that hold some values: found by one look at every row of the column.

use std::ops::Range;

use super::plan::Reserve;
use super::shared::run_on_threads;
use super::values::MixOrdered;
use crate::error::KernelError;
use crate::filter::Filter;
use crate::fingerprint::Fingerprint;
use crate::progress::Progress;
use crate::reserve;

/// Bits of the filter for each value, at least: few rows that hold none of them pass it.
const FILTER_BITS: usize = 16;
/// Rows handled between two looks at the progress, and the nanoseconds that a row and a hit cost.
const CHUNK: usize = 1 << 18;
const COST: u64 = 2;
const HIT_COST: u64 = 50;

/// For each of some values the rows of a column that hold it.
#[derive(Debug)]
pub(super) struct RowsByValue<'a, T> {
    values: &'a MixOrdered<T>,
    /// Start of the rows of each value, and the end of the last.
    starts: Vec<u32>,
    /// Rows by value, ascending for each.
    rows: Vec<u32>,
}

impl<'a, T: Fingerprint> RowsByValue<'a, T> {
    pub(super) fn of(
        values: &'a MixOrdered<T>,
        column: &[T],
        reserve: Reserve,
        progress: &Progress,
    ) -> Result<Self, KernelError> {
        // Rows come in their order, so that those of a value ascend without a sort.
        let found = find_places(values, column, reserve, progress)?;
        // While scattering, `starts[v + 1]` is the next free place of value `v`.
        let mut starts = reserve::repeat_value(0, values.values().len() + 2)?;
        for &(value, _) in found.iter().flatten() {
            starts[value as usize + 2] += 1;
        }
        let mut sum = 0;
        for start in &mut starts {
            sum += *start;
            *start = sum;
        }
        let mut rows = reserve::repeat_value(0, found.iter().map(Vec::len).sum())?;
        for (value, row) in found.into_iter().flatten() {
            let place = &mut starts[value as usize + 1];
            rows[*place as usize] = row;
            *place += 1;
        }
        starts.pop();
        Ok(Self { values, starts, rows })
    }

    /// The rows that hold a value, ascending; none for a value that was not asked for.
    pub(super) fn rows(&self, value: T) -> &[u32] {
        self.values.place_of(value).map_or(&[], |place| self.rows_at(place))
    }

    /// The number of values.
    pub(super) fn len(&self) -> usize {
        self.values.values().len()
    }

    /// The rows of each value.
    pub(super) fn iter(&self) -> impl Iterator<Item = &[u32]> {
        self.iter_places(0..self.len())
    }

    /// The rows of each value at some places of the list of values.
    pub(super) fn iter_places(&self, places: Range<usize>) -> impl Iterator<Item = &[u32]> {
        places.map(|place| self.rows_at(place))
    }

    fn rows_at(&self, place: usize) -> &[u32] {
        &self.rows[self.starts[place] as usize..self.starts[place + 1] as usize]
    }
}

/// The places of the values that rows hold, and those rows, ascending; a list from each thread,
/// those of the first rows first.
fn find_places<T: Fingerprint>(
    values: &MixOrdered<T>,
    column: &[T],
    reserve: Reserve,
    progress: &Progress,
) -> Result<Vec<Vec<(u32, u32)>>, KernelError> {
    if values.values().is_empty() {
        return Ok(Vec::new());
    }
    reserve::check_room(values.values().len() * FILTER_BITS / 4)?;
    // The filter takes the upper bits, which must be spread evenly; a fingerprint's own are not.
    let spread = |value: T| value.mix().bits_above(T::BITS - u64::BITS) as u64;
    let bits = Filter::choose_filter_exponent(values.values().len(), FILTER_BITS);
    let filter = Filter::new(bits, values.values().iter().map(|&value| spread(value)));
    run_on_threads(reserve.threads_for(column.len()), progress, |worker, progress| {
        let own = worker.own_range_of(column.len());
        let mut found = Vec::new();
        for (chunk, first) in column[own.clone()].chunks(CHUNK).zip((own.start..).step_by(CHUNK)) {
            let before = found.len();
            reserve::make_room(&mut found, chunk.len())?;
            for (&value, row) in chunk.iter().zip(first as u32..) {
                if filter.may_hold(spread(value))
                    && let Some(place) = values.place_of(value)
                {
                    found.push((place as u32, row));
                }
            }
            let hits = (found.len() - before) as u64;
            progress.spend_nanoseconds(chunk.len() as u64 * COST + hits * HIT_COST)?;
        }
        Ok(found)
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use std::collections::BTreeMap;

    use super::super::cases::{Made, columns};
    use super::*;

    #[test]
    fn rows_are_those_that_hold_the_value() {
        rows_are_those_that_hold_the_value_on::<u64>();
        rows_are_those_that_hold_the_value_on::<u128>();
    }

    fn rows_are_those_that_hold_the_value_on<T: Made>() {
        let progress = Progress::begin(&|_| true).unwrap();
        for size in [1, 7, 64, 5000] {
            // Values that mixing does not spread are slower, not wrong.
            let crowded = ("crowded", (0..size as u64).map(|row| T::from(row).unmix()).collect());
            for (name, column) in columns::<T>(size, 6).into_iter().chain([crowded]) {
                let mut naive: BTreeMap<T, Vec<u32>> = BTreeMap::new();
                for (row, &value) in (0..).zip(&column) {
                    naive.entry(value).or_default().push(row);
                }
                for (part, threads) in [(1, 1), (1, 2), (3, 1), (3, 8)] {
                    let reserve = Reserve { numbers: usize::MAX, threads };
                    let asked: Vec<T> = naive.keys().copied().step_by(part).collect();
                    let values = MixOrdered::of(&[&asked], reserve, &progress).unwrap();
                    let rows_by_value =
                        RowsByValue::of(&values, &column, reserve, &progress).unwrap();
                    assert_eq!(rows_by_value.iter().count(), values.values().len());
                    for (&value, rows) in values.values().iter().zip(rows_by_value.iter()) {
                        assert_eq!(rows, naive[&value], "{name}");
                    }
                    for (&value, rows) in &naive {
                        let asked = values.values().contains(&value);
                        assert_eq!(rows_by_value.rows(value), if asked { &rows[..] } else { &[] });
                    }
                }
            }
        }
    }

    #[test]
    fn no_values_have_no_rows() {
        let progress = Progress::begin(&|_| true).unwrap();
        let reserve = Reserve { numbers: 1, threads: 1 };
        let values = MixOrdered::of(&[], reserve, &progress).unwrap();
        let rows_by_value = RowsByValue::of(&values, &[1_u64, 2], reserve, &progress).unwrap();
        assert!(rows_by_value.rows(1).is_empty() && rows_by_value.iter().next().is_none());
    }
}
