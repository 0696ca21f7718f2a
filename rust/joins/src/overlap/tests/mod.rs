//! Every function against the definition, on small cases of every shape.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod cases;
mod clusters;
mod containment;
mod index;
mod intersect;
mod parts;
mod resemblance;

use super::{
    Anchored, Anchoring, Bridges, IdSets, Ratio, Sets, cluster_sets_anchored, connect_sets,
};
use crate::components::find_components;
use crate::error::KernelError;
use std::collections::BTreeSet;

/// Threads of what is tested with one number of them.
pub(super) const JOBS: usize = 3;

/// A column that owns its sets.
#[derive(Debug, Clone)]
pub(super) struct OwnedSets {
    offsets: Vec<i64>,
    values: Vec<u32>,
}

impl OwnedSets {
    pub(super) fn new(sets: &[Vec<u32>]) -> Self {
        let mut column = Self { offsets: vec![0], values: Vec::new() };
        for set in sets {
            let sorted: BTreeSet<u32> = set.iter().copied().collect();
            column.values.extend(sorted);
            column.offsets.push(column.values.len() as i64);
        }
        column
    }

    pub(super) fn sets(&self) -> Sets<'_> {
        Sets::of(IdSets { offsets: &self.offsets, values: &self.values })
    }
}

/// The clusters of families that the sets and the bridges connect.
pub(super) fn clustered(
    sets: Sets,
    order: &[u32],
    threshold: Ratio,
    bridges: Bridges,
    watch: &(dyn Fn(f64) -> bool + Sync),
) -> Result<Anchored, KernelError> {
    let families = connect_sets(sets, threshold, JOBS, watch)?;
    let rows: Vec<u32> = (0..sets.len() as u32).collect();
    let (left, right) =
        ([&rows[..], bridges.left].concat(), [&families[..], bridges.right].concat());
    let families = find_components(sets.len(), &left, &right);
    let anchoring =
        Anchoring { families: &families, ranking: order, threshold, bridges, known_keepers: &[] };
    let alone = cluster_sets_anchored(sets, anchoring, 1, watch)?;
    for jobs in [2, 3, 8] {
        let found = cluster_sets_anchored(sets, anchoring, jobs, watch)?;
        assert_eq!(found, alone, "{jobs} jobs");
    }
    Ok(alone)
}

/// (left, right, shared) of each pair.
pub(super) type Triples = Vec<(u32, u32, u32)>;

pub(super) fn triples(pairs: &super::Overlaps) -> Triples {
    assert_eq!(pairs.left.len(), pairs.right.len());
    assert_eq!(pairs.left.len(), pairs.shared.len());
    let rows = pairs.left.iter().zip(&pairs.right).zip(&pairs.shared);
    rows.map(|((&left, &right), &shared)| (left, right, shared)).collect()
}

/// |A n B|, by definition.
pub(super) fn count_shared(a: &[u32], b: &[u32]) -> u32 {
    b.iter().filter(|value| a.binary_search(value).is_ok()).count() as u32
}

/// Returns whether `part / whole` is at least `threshold`, by cross multiplication.
pub(super) fn reaches(part: u32, whole: usize, threshold: Ratio) -> bool {
    u128::from(part) * u128::from(threshold.denominator)
        >= whole as u128 * u128::from(threshold.numerator)
}

/// |A n B| if both sets have values and resemble each other.
pub(super) fn resembling(a: &[u32], b: &[u32], threshold: Ratio) -> Option<u32> {
    let shared = count_shared(a, b);
    let union = a.len() + b.len() - shared as usize;
    (!a.is_empty() && !b.is_empty() && reaches(shared, union, threshold)).then_some(shared)
}

/// |A n B| if A has values and is contained in B.
pub(super) fn contained(a: &[u32], b: &[u32], threshold: Ratio) -> Option<u32> {
    let shared = count_shared(a, b);
    (!a.is_empty() && reaches(shared, a.len(), threshold)).then_some(shared)
}

/// A watch that never stops anything.
pub(super) fn patient(share: f64) -> bool {
    assert!((0.0..=1.0).contains(&share));
    true
}
