//! Clusters at a resemblance, without the pairs.

use super::candidates::{Candidates, Question};
use super::indexed::{Asked, INDEXED, Indexed};
use super::intersect::as_u32;
use super::progress::Progress;
use super::ratio::{Ratio, Resemblance};
use super::sets::Sets;
use crate::components::Forest;
use crate::error::{KernelError, Watch};
use std::collections::HashMap;

/// Clusters around keepers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Anchored {
    /// The keeper of each row; a keeper's is itself.
    pub keeper: Vec<u32>,
    /// |A n K| of each row and its keeper.
    pub shared: Vec<u32>,
}

/// Pairs of rows known to be alike beside those that their sets tell of.
#[derive(Debug, Clone, Copy, Default)]
pub struct Bridges<'a> {
    /// The left row of each pair.
    pub left: &'a [u32],
    /// The right row of each pair.
    pub right: &'a [u32],
}

impl Bridges<'_> {
    /// The rows paired with each row.
    fn neighbours(self) -> HashMap<u32, Vec<u32>> {
        let mut neighbours: HashMap<u32, Vec<u32>> = HashMap::new();
        for (&left, &right) in self.left.iter().zip(self.right) {
            neighbours.entry(left).or_default().push(right);
            neighbours.entry(right).or_default().push(left);
        }
        neighbours
    }
}

/// Clusters around keepers: rows are taken in `order` (best first; rows it does not list come last,
/// ascending); a row not yet taken becomes a keeper, and every row not yet taken with |A n B| /
/// |A u B| of at least `threshold` to it, or bridged to it, joins it. The result is that of the
/// full join followed by this rule, but a keeper is compared only with rows not yet taken, and rows
/// taken leave the index.
///
/// # Errors
/// [`KernelError::Interrupted`].
pub fn anchored(
    sets: Sets,
    order: &[u32],
    threshold: Ratio,
    bridges: Bridges,
    watch: Watch,
) -> Result<Anchored, KernelError> {
    let rule = Resemblance::new(threshold);
    let index = Indexed::one(sets, threshold, Asked::Any, watch)?;
    let (catalogue, prefixes) = (&index.catalogue, &index.prefixes);
    let mut progress = Progress::stage(watch, INDEXED, 1.0);
    let mut candidates = Candidates::new(rule, catalogue, index.postings, index.parities);
    let ranks = catalogue.rank_of_rows();
    let mut clusters = alone(sets);
    let mut taken = vec![false; catalogue.len() as usize];
    // Rows without a set here, which only bridges can join.
    let mut without = vec![false; sets.len()];
    let bridges = bridges.neighbours();
    let mut members = Vec::new();
    for (place, row) in order.iter().copied().chain(0..as_u32(sets.len())).enumerate() {
        let Some(&own) = ranks.get(row as usize) else {
            continue;
        };
        let gone = own.map_or(&mut without[row as usize], |rank| &mut taken[rank as usize]);
        if std::mem::replace(gone, true) {
            continue;
        }
        progress.at(place, order.len() + sets.len());
        if let Some(rank) = own {
            let (set, prefix) = (catalogue.set(rank), prefixes.get(rank));
            members.push((rank, as_u32(set.len())));
            let near = catalogue.smaller_than(rule.smallest(set.len()))
                ..catalogue.count_while(|size| rule.smallest(size) <= set.len());
            let question = Question { set, prefix, whole: catalogue.whole(rank) };
            let removed = |other: u32| taken[other as usize];
            candidates.each_match(question, near, removed, &mut progress, |other, shared| {
                members.push((other, shared));
                Ok(())
            })?;
        }
        // Bridged rows are measured otherwise: they share nothing here.
        for &other in bridges.get(&row).map_or(&[][..], Vec::as_slice) {
            match ranks.get(other as usize) {
                Some(&Some(rank)) => members.push((rank, 0)),
                Some(None) if !std::mem::replace(&mut without[other as usize], true) => {
                    clusters.keeper[other as usize] = row;
                    clusters.shared[other as usize] = 0;
                }
                _ => {}
            }
        }
        members.retain(|&(member, _)| !taken[member as usize] || Some(member) == own);
        for (member, shared) in members.drain(..) {
            taken[member as usize] = true;
            for &member in catalogue.rows(member) {
                clusters.keeper[member as usize] = row;
                clusters.shared[member as usize] = shared;
            }
        }
    }
    Ok(clusters)
}

/// Every row its own keeper.
fn alone(sets: Sets) -> Anchored {
    let rows = 0..sets.len();
    Anchored {
        keeper: rows.clone().map(as_u32).collect(),
        shared: rows.map(|row| as_u32(sets.get(row).len())).collect(),
    }
}

/// The connected components of the graph of rows with |A n B| / |A u B| of at least `threshold`:
/// of each row, the smallest row of its component. A pair of candidates that are connected already
/// is not verified, since it cannot change the components.
///
/// # Errors
/// [`KernelError::Interrupted`].
pub fn connected(sets: Sets, threshold: Ratio, watch: Watch) -> Result<Vec<u32>, KernelError> {
    let rule = Resemblance::new(threshold);
    let index = Indexed::one(sets, threshold, Asked::Larger, watch)?;
    let (catalogue, prefixes) = (&index.catalogue, &index.prefixes);
    let mut progress = Progress::stage(watch, INDEXED, 1.0);
    let mut candidates = Candidates::new(rule, catalogue, index.postings, index.parities);
    let mut forest = Forest::new(as_u32(sets.len()));
    for rank in 0..catalogue.len() {
        let equal = catalogue.rows(rank);
        for &row in equal {
            forest.union(equal[0], row);
        }
    }
    for rank in 0..catalogue.len() {
        progress.at(rank as usize, catalogue.len() as usize);
        let (set, prefix) = (catalogue.set(rank), prefixes.get(rank));
        let low = catalogue.smaller_than(rule.smallest(set.len()));
        let question = Question { set, prefix, whole: catalogue.whole(rank) };
        candidates.find(question, low..rank, |_| false, &mut progress)?;
        for &other in candidates.found() {
            let rows = (catalogue.rows(rank)[0], catalogue.rows(other)[0]);
            if !forest.connected(rows.0, rows.1)
                && candidates.verify(question, other, &mut progress)?.is_some()
            {
                forest.union(rows.0, rows.1);
            }
        }
    }
    Ok(forest.into_smallest())
}
