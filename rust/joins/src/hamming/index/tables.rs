//! Distinct values in tables of buckets, so that a query looks at few of them.

use super::layout::Layout;
use super::members::reserve_a_little;
use crate::error::KernelError;
use crate::fingerprint::Fingerprint;
use crate::progress::{Nanoseconds, Progress};
use crate::reserve;
use crate::simd::hamming::each_near;
use crate::simd::prefetch::prefetch;

/// Values handled between two looks at the progress, and the nanoseconds one costs.
const CHUNK: usize = 1 << 16;
const COST: u64 = 20;
/// Nanoseconds to look at a bucket, for the progress.
const BUCKET_COST: u64 = 20;

/// Tables of one layout.
#[derive(Debug)]
pub(super) struct Tables<T> {
    radius: u32,
    layout: Layout,
    tables: Vec<Vec<Vec<T>>>,
    most: usize,
    /// Buckets that a query within the radius looks at.
    visits: usize,
}

impl<T: Fingerprint> Tables<T> {
    /// Tables of distinct values, searched up to a radius.
    pub(super) fn new(values: &[T], radius: u32, progress: &Progress) -> Result<Self, KernelError> {
        // Fingerprints of fewer bits leave the upper ones at 0, and those would waste a table.
        let all = values.iter().fold(T::default(), |bits, &value| bits | value);
        // Between as many values and four times as many, where the next layout is made.
        let (count, most) = (values.len() * 2, values.len() * 4);
        let layout = Layout::choose::<T>(count, all.bit_length().max(1), radius);
        let tables = 0..layout.shifts.len();
        let visits = tables.map(|table| layout.address_flips_within(table, radius).len()).sum();
        let mut made = Self { radius, layout, tables: Vec::new(), most, visits };
        for table in 0..made.layout.shifts.len() {
            let filled = made.fill_buckets(table, values, progress)?;
            made.tables.push(filled);
        }
        Ok(made)
    }

    /// The number of values beyond which another layout is likely to be better.
    pub(super) fn most_values_for_layout(&self) -> usize {
        self.most
    }

    /// The number of buckets that a query within the radius looks at.
    pub(super) fn buckets_per_query(&self) -> usize {
        self.visits
    }

    /// Adds a value that is not there.
    pub(super) fn insert(&mut self, value: T) {
        for table in 0..self.tables.len() {
            let address = self.address(table, value);
            let bucket = &mut self.tables[table][address];
            reserve_a_little(bucket, 1);
            bucket.push(value);
        }
    }

    /// Removes a value if it is there.
    pub(super) fn remove(&mut self, value: T) {
        for table in 0..self.tables.len() {
            let address = self.address(table, value);
            let bucket = &mut self.tables[table][address];
            if let Some(place) = bucket.iter().position(|&other| other == value) {
                bucket.swap_remove(place);
            }
        }
    }

    /// Asks for the heads of the buckets that have a query's own addresses.
    pub(super) fn prefetch_heads(&self, query: T) {
        for (at, table) in self.tables.iter().enumerate() {
            prefetch(&table[self.address(at, query)..]);
        }
    }

    /// Asks for those buckets, their beginning and their end.
    pub(super) fn prefetch_buckets(&self, query: T) {
        for (at, table) in self.tables.iter().enumerate() {
            let bucket = &table[self.address(at, query)];
            prefetch(bucket);
            prefetch(&bucket[bucket.len().saturating_sub(1)..]);
        }
    }

    /// Appends all values within a radius of a query, some of them more than once; returns the
    /// estimated time that it has taken. Beyond the radius of the tables every value is looked at.
    pub(super) fn append_near_values<'a>(
        &'a self,
        query: T,
        radius: u32,
        found: &mut Vec<T>,
    ) -> Nanoseconds {
        let mut buckets: Vec<&'a [T]> = Vec::with_capacity(self.visits);
        let mut cost = 0;
        let mut visit = |bucket: &'a [T]| {
            prefetch(bucket);
            cost += BUCKET_COST + bucket.len() as u64;
            buckets.push(bucket);
        };
        if radius > self.radius {
            // Every table has every value: one of them is enough.
            self.tables[0].iter().for_each(|bucket| visit(bucket));
        } else {
            for (at, table) in self.tables.iter().enumerate() {
                let address = self.address(at, query);
                let flips = self.layout.address_flips_within(at, radius).iter();
                flips.for_each(|&flip| visit(&table[address ^ flip as usize]));
            }
        }
        each_near(query, buckets.into_iter(), radius, &mut |value| found.push(value));
        cost
    }

    /// Bytes of memory taken.
    pub(super) fn bytes(&self) -> usize {
        let buckets = self.tables.iter().flatten();
        let values: usize = buckets.map(Vec::capacity).sum();
        let heads: usize = self.tables.iter().map(Vec::capacity).sum();
        values * size_of::<T>() + heads * size_of::<Vec<T>>()
    }

    fn address(&self, table: usize, value: T) -> usize {
        value.bits_above(self.layout.shifts[table]) & ((1 << self.layout.bits) - 1)
    }

    /// The buckets of one table, each as large as it needs to be.
    fn fill_buckets(
        &self,
        table: usize,
        values: &[T],
        progress: &Progress,
    ) -> Result<Vec<Vec<T>>, KernelError> {
        // A small list has some bytes of its own.
        let bucket = size_of::<usize>() + size_of::<Vec<T>>() + 32;
        reserve::check_room((bucket << self.layout.bits) + 2 * size_of_val(values))?;
        let mut lengths = vec![0_usize; 1 << self.layout.bits];
        for chunk in values.chunks(CHUNK) {
            chunk.iter().for_each(|&value| lengths[self.address(table, value)] += 1);
            progress.spend_nanoseconds(chunk.len() as u64 * COST)?;
        }
        let mut buckets: Vec<Vec<T>> = lengths.into_iter().map(Vec::with_capacity).collect();
        for chunk in values.chunks(CHUNK) {
            chunk.iter().for_each(|&value| buckets[self.address(table, value)].push(value));
            progress.spend_nanoseconds(chunk.len() as u64 * COST)?;
        }
        Ok(buckets)
    }
}
