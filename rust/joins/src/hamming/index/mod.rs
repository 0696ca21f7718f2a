//! An index: fingerprints with ids that come and go, and the search for those near another one.
//!
//! Equal fingerprints are put together ([`members`]), so that copies cost little; the distinct
//! values are in tables ([`tables`], cut by [`layout`]). Answers are those of a look at every
//! fingerprint.

mod layout;
mod members;
mod slots;
mod tables;

use super::distance::distance;
use crate::error::{KernelError, Watch};
use crate::fingerprint::Fingerprint;
use crate::progress::{Nanoseconds, Progress};
use members::Members;
use tables::Tables;

/// Nanoseconds to add or to remove a member, for the progress.
const MEMBER_COST: u64 = 200;

/// Queries answered together: what all of them read next is prefetched together, so that they wait
/// for memory once and not sixteen times. More queries would evict from the cache what was
/// prefetched for the first.
const BLOCK: usize = 16;
/// The most buckets of a query that is answered without releasing Python's lock: looking at them
/// takes a microsecond or two, no longer than releasing the lock and taking it again (on Cascade
/// Lake, such a query took 2.4 to 3.0 microseconds with that, and takes 1.9 without).
const FEW_VISITS: usize = 16;
/// Number of members by which the prefetching of buckets is ahead of the member that is added; that
/// of heads of buckets is twice as far ahead. Nearer, they would not have arrived; farther, they
/// would have left the cache again.
const AHEAD: usize = 8;

/// Fingerprints by id, searched up to a radius.
#[derive(Debug)]
pub struct Index<T> {
    radius: u32,
    members: Members<T>,
    tables: Tables<T>,
}

/// Answers to many queries, sorted by query, distance and id.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct Answers {
    /// The place of the query among all.
    pub query: Vec<u32>,
    /// The id of what was found.
    pub id: Vec<i64>,
    /// The bits in which it differs from the query.
    pub distance: Vec<u8>,
}

impl<T: Fingerprint> Index<T> {
    /// Returns an empty index for searches up to a radius.
    ///
    /// # Errors
    /// [`KernelError::Interrupted`] by the watch.
    pub fn new(radius: u32, watch: Watch) -> Result<Self, KernelError> {
        let radius = radius.min(T::BITS);
        let tables = Tables::new(&[], radius, &Progress::begin(watch)?)?;
        Ok(Self { radius, members: Members::default(), tables })
    }

    /// Number of fingerprints.
    pub fn len(&self) -> usize {
        self.members.len()
    }

    /// Return whether it is empty.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Return whether it holds a fingerprint of this id.
    pub fn contains(&self, id: i64) -> bool {
        self.members.contains(id)
    }

    /// Bytes of memory that it takes.
    pub fn bytes(&self) -> usize {
        self.members.bytes() + self.tables.bytes()
    }

    /// Adds fingerprints, each with an id that it has alone; all of them, or none if it fails.
    ///
    /// # Errors
    /// [`KernelError::KnownId`] if an id is there already, or given twice;
    /// [`KernelError::TooManyRows`] from 2^32 fingerprints, and [`KernelError::Interrupted`] by
    /// the watch.
    pub fn add_all_or_none(
        &mut self,
        values: &[T],
        new_ids: &[i64],
        watch: Watch,
    ) -> Result<(), KernelError> {
        let progress = Progress::begin(watch)?;
        let mut added = 0;
        let outcome = self.add_and_count(values, new_ids, &mut added, &progress);
        if outcome.is_err() {
            for &id in &new_ids[..added] {
                self.take_out(id);
            }
        }
        outcome
    }

    /// Removes the fingerprints of these ids; all of them, or none if it fails.
    ///
    /// # Errors
    /// [`KernelError::UnknownId`] if an id is not there, or given twice;
    /// [`KernelError::Interrupted`] by the watch.
    pub fn remove(&mut self, ids: &[i64], watch: Watch) -> Result<(), KernelError> {
        let progress = Progress::begin(watch)?;
        let mut taken = Vec::with_capacity(ids.len());
        let outcome = ids.iter().try_for_each(|&id| {
            taken.push((self.take_out(id).ok_or(KernelError::UnknownId(id))?, id));
            progress.spend_nanoseconds(MEMBER_COST)
        });
        if outcome.is_err() {
            // There is room: the lists did not shrink. Ids were there, so none is known twice.
            taken
                .into_iter()
                .try_for_each(|(value, id)| self.insert_where_room_was_made(value, id))?;
        }
        outcome
    }

    /// Members within a radius of a fingerprint: distances and ids, sorted by both. Beyond the
    /// radius of the index every fingerprint is looked at.
    pub fn query(&self, query: T, radius: u32) -> Vec<(u8, i64)> {
        let mut all = Vec::new();
        self.hand_on_found(&[query], radius, &mut Vec::new(), &mut |_, found| all.extend(found));
        all
    }

    /// The same within the radius of the index, where that takes about as long as to hand the work
    /// to another thread.
    pub fn query_if_quick(&self, query: T) -> Option<Vec<(u8, i64)>> {
        (self.tables.buckets_per_query() <= FEW_VISITS).then(|| self.query(query, self.radius))
    }

    /// Asks for many fingerprints at once.
    ///
    /// # Errors
    /// [`KernelError::TooManyPairs`] with the exact number of answers if it is above `max_pairs`;
    /// [`KernelError::TooManyRows`] from 2^32 queries, and [`KernelError::Interrupted`] by the
    /// watch.
    pub fn query_many(
        &self,
        queries: &[T],
        radius: u32,
        max_pairs: u64,
        watch: Watch,
    ) -> Result<Answers, KernelError> {
        let progress = Progress::begin(watch)?;
        u32::try_from(queries.len()).map_err(|_| KernelError::TooManyRows {
            count: queries.len() as u64,
            limit: u64::from(u32::MAX),
        })?;
        let mut answers = Answers::default();
        let mut count = 0;
        let mut values = Vec::new();
        for (block, first) in queries.chunks(BLOCK).zip((0..).step_by(BLOCK)) {
            let cost = self.hand_on_found(block, radius, &mut values, &mut |at, found| {
                count += found.len() as u64;
                if count > max_pairs {
                    // Their memory is given back; the queries go on, since the error names the
                    // exact number.
                    answers = Answers::default();
                    return;
                }
                answers.query.resize(count as usize, first + at as u32);
                answers.distance.extend(found.iter().map(|&(distance, _)| distance));
                answers.id.extend(found.iter().map(|&(_, id)| id));
            });
            progress.raise_share_to(f64::from(first) / queries.len() as f64);
            progress.spend_nanoseconds(cost)?;
        }
        if count > max_pairs {
            return Err(KernelError::TooManyPairs { count, limit: max_pairs });
        }
        Ok(answers)
    }

    /// Hands on what each of at most [`BLOCK`] queries finds, sorted; `values` is scratch. Each
    /// step asks for the memory that the next one reads, for all queries, so that they wait together.
    ///
    /// Returns the estimated time that it has taken.
    fn hand_on_found(
        &self,
        queries: &[T],
        radius: u32,
        values: &mut Vec<T>,
        hand: &mut impl FnMut(usize, &[(u8, i64)]),
    ) -> Nanoseconds {
        debug_assert!(queries.len() <= BLOCK, "queries beyond a block would be lost");
        queries.iter().for_each(|&query| self.tables.prefetch_heads(query));
        queries.iter().for_each(|&query| self.tables.prefetch_buckets(query));
        let mut ends = [0; BLOCK];
        let mut cost = 0;
        values.clear();
        for (&query, end) in queries.iter().zip(&mut ends) {
            let first = values.len();
            cost += self.tables.append_near_values(query, radius, values);
            drop_equal_from(values, first);
            values[first..].iter().for_each(|&value| self.members.prefetch_value(value));
            *end = values.len();
        }
        let mut found = Vec::new();
        let mut first = 0;
        for (at, (&query, &end)) in queries.iter().zip(&ends).enumerate() {
            found.clear();
            for &value in &values[first..end] {
                let distance = distance(query, value);
                found.extend(self.members.ids_of(value).map(|id| (distance, id)));
            }
            found.sort_unstable();
            hand(at, &found);
            cost += found.len() as u64 * MEMBER_COST;
            first = end;
        }
        cost
    }

    /// Adds fingerprints and counts those that are in.
    fn add_and_count(
        &mut self,
        values: &[T],
        ids: &[i64],
        added: &mut usize,
        progress: &Progress,
    ) -> Result<(), KernelError> {
        self.members.reserve(values.len())?;
        // If so, tables are made anew from all values at the end, and adding to the old ones is no
        // use.
        let outgrown =
            self.members.count_distinct() + values.len() > self.tables.most_values_for_layout();
        for (at, (&value, &id)) in values.iter().zip(ids).enumerate() {
            if let (Some(&value), Some(&id)) = (values.get(at + 2 * AHEAD), ids.get(at + 2 * AHEAD))
            {
                self.members.prefetch(id, value);
                self.tables.prefetch_heads(value);
            }
            if let Some(&value) = values.get(at + AHEAD) {
                self.tables.prefetch_buckets(value);
            }
            let fresh = self.members.insert(id, value)?;
            *added += 1;
            if fresh && !outgrown {
                self.tables.insert(value);
            }
            progress.spend_nanoseconds(MEMBER_COST)?;
        }
        if outgrown {
            self.tables = Tables::new(&self.members.distinct_values(), self.radius, progress)?;
        }
        Ok(())
    }

    /// Adds a member for which there was room before.
    fn insert_where_room_was_made(&mut self, value: T, id: i64) -> Result<(), KernelError> {
        if self.members.insert(id, value)? {
            self.tables.insert(value);
        }
        Ok(())
    }

    /// Takes a member out if it is there: its value.
    fn take_out(&mut self, id: i64) -> Option<T> {
        let (value, last) = self.members.remove(id)?;
        if last {
            self.tables.remove(value);
        }
        Some(value)
    }
}

/// Leaves one of equal values from a place on: a value is found in every table in which it is
/// near enough.
fn drop_equal_from<T: Ord + Copy>(values: &mut Vec<T>, first: usize) {
    values[first..].sort_unstable();
    let mut kept = first;
    for at in first..values.len() {
        if at == first || values[at] != values[kept - 1] {
            values[kept] = values[at];
            kept += 1;
        }
    }
    values.truncate(kept);
}

#[cfg(test)]
mod tests;
