//! Edges between distinct values, counted by the pairs of rows they stand for.

use super::meter::Meter;
use super::search::{Search, Sides};
use super::values::Values;
use crate::error::KernelError;
use crate::fingerprint::Fingerprint;

/// What an edge counts for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Weight {
    /// One.
    Edge,
    /// Every row of the one value with every row of the other.
    Rows,
}

/// Edges as places of values, kept while they are not too many and then only counted.
#[derive(Debug)]
pub(super) struct Edges {
    list: Vec<(u32, u32)>,
    count: u64,
    limit: u64,
}

impl Edges {
    /// Starts from pairs counted already (those of rows with equal values).
    pub(super) fn after(count: u64, limit: u64) -> Self {
        Self { list: Vec::new(), count, limit }
    }

    /// Adds the edges within the values, or from them to the others, and returns all edges.
    pub(super) fn search<T: Fingerprint>(
        mut self,
        left: &Values<T>,
        right: Option<&Values<T>>,
        radius: u32,
        weight: Weight,
        meter: &Meter,
    ) -> Result<Vec<(u32, u32)>, KernelError> {
        let (sides, right) = match right {
            None => (Sides::Within(&left.distinct), left),
            Some(right) => (Sides::Across(&left.distinct, &right.distinct), right),
        };
        let alike = weight == Weight::Edge || (left.all_differ() && right.all_differ());
        let found = |a, b| {
            if alike && self.count >= self.limit {
                self.count += 1;
                return;
            }
            let (a, b) = (left.place(a), right.place(b));
            let rows = (left.rows(a).len() as u64).saturating_mul(right.rows(b).len() as u64);
            self.add(a, b, if alike { 1 } else { rows });
        };
        Search::new(radius, meter, found).run(sides)?;
        if self.count > self.limit {
            return Err(KernelError::TooManyPairs { count: self.count, limit: self.limit });
        }
        Ok(self.list)
    }

    fn add(&mut self, a: usize, b: usize, pairs: u64) {
        self.count = self.count.saturating_add(pairs);
        if self.count <= self.limit {
            self.list.push((a as u32, b as u32));
        } else {
            self.list = Vec::new();
        }
    }
}
