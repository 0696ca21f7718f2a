//! Edges between distinct values, counted by the pairs of rows they stand for.

use super::plan::Reserve;
use super::search::{Search, Sides};
use super::shared::{Worker, run_on_threads};
use super::values::Values;
use crate::error::KernelError;
use crate::fingerprint::Fingerprint;
use crate::progress::Progress;
use crate::reserve;

/// Count of an edge.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum EdgeCount {
    /// One.
    Edge,
    /// Every row of the one value with every row of the other.
    Rows,
}

/// Edges as values, kept while they are not too many and then only counted.
#[derive(Debug)]
pub(super) struct Edges<T> {
    list: Vec<[T; 2]>,
    /// The pairs they stand for, and those counted before.
    pub(super) count: u64,
    limit: u64,
    /// Why some could not be kept.
    failed: Option<KernelError>,
}

impl<T: Fingerprint> Edges<T> {
    /// Starts from pairs counted already (those of rows with equal values).
    pub(super) fn starting_at_count(count: u64, limit: u64) -> Self {
        Self { list: Vec::new(), count, limit, failed: None }
    }

    /// Adds the edges within the values, or from them to the others.
    pub(super) fn find_edges(
        mut self,
        left: &Values<T>,
        right: Option<&Values<T>>,
        edge_count: EdgeCount,
        radius: u32,
        reserve: Reserve,
        progress: &Progress,
    ) -> Result<Self, KernelError> {
        let (sides, right) = match right {
            None => (Sides::Within(&left.distinct), left),
            Some(right) => (Sides::Across(&left.distinct, &right.distinct), right),
        };
        let threads = reserve.threads_for(sides.count_elements());
        let parts = run_on_threads(threads, progress, |worker, progress| {
            let mut part = Self::starting_at_count(0, self.limit);
            let found = |a, b| {
                let pairs = match edge_count {
                    EdgeCount::Edge => 1,
                    EdgeCount::Rows => left.count_rows_of(a).saturating_mul(right.count_rows_of(b)),
                };
                part.add_or_only_count(&[[a, b]], pairs);
            };
            Search::new(radius, reserve.numbers_per_thread(threads), progress, worker, found)
                .search_sides(sides)?;
            // The receiver of pairs returns nothing, since it is called in the hot loop: its error
            // waits here.
            part.failed.take().map_or(Ok(part), Err)
        })?;
        for part in parts {
            self.add_or_only_count(&part.list, part.count);
        }
        if let Some(error) = self.failed {
            return Err(error);
        }
        if self.count > self.limit {
            return Err(KernelError::TooManyPairs { count: self.count, limit: self.limit });
        }
        Ok(self)
    }

    /// The values at their ends; each several times.
    pub(super) fn end_values(&self) -> &[T] {
        self.list.as_flattened()
    }

    /// The edges that are a thread's to look at.
    pub(super) fn share_of(&self, worker: Worker) -> &[[T; 2]] {
        &self.list[worker.own_range_of(self.list.len())]
    }

    /// Adds edges that stand for some pairs; over the limit, or once memory has failed, drops all
    /// that were kept and only counts the pairs.
    fn add_or_only_count(&mut self, edges: &[[T; 2]], pairs: u64) {
        self.count = self.count.saturating_add(pairs);
        if self.count > self.limit || self.failed.is_some() {
            // The list cannot be given any more; the exact number is still part of the error.
            self.list = Vec::new();
            return;
        }
        match reserve::make_room(&mut self.list, edges.len()) {
            Ok(()) => self.list.extend_from_slice(edges),
            Err(error) => self.failed = Some(error),
        }
    }
}
