//! Clusters at a resemblance, without the pairs.

use super::candidates::{Candidates, Question};
use super::families::{self, Anchored, Groups};
use super::indexed::{Asked, INDEXED, Indexed};
use super::progress::Progress;
use super::ratio::{Ratio, Resemblance};
use super::sets::Sets;
use crate::components::Forest;
use crate::error::{KernelError, Watch};
use crate::sets::as_u32;
use std::collections::HashMap;

/// How much of the work is done when every row has its keeper.
const CLUSTERED: f64 = 0.85;

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
/// `given` holds, for rows that have one already, their keepers; it may be shorter than the column.
/// They are members before the first row is taken.
///
/// # Errors
/// [`KernelError::Interrupted`].
pub fn anchored(
    sets: Sets,
    order: &[u32],
    threshold: Ratio,
    bridges: Bridges,
    given: &[Option<u32>],
    watch: Watch,
) -> Result<Anchored, KernelError> {
    let index = Indexed::one(sets, threshold, Asked::Any, watch)?;
    let rule = Resemblance::new(threshold);
    let mut clusters = alone(sets);
    let mut groups = Groups::given(&index.catalogue, given, &mut clusters.keeper);
    let mut progress = Progress::stage(watch, INDEXED, CLUSTERED);
    around_keepers(&index, rule, order, bridges, &mut groups, &mut clusters, &mut progress)?;
    let mut forest = Forest::new(as_u32(sets.len()));
    let left = bridges.left.iter().chain(&clusters.keeper);
    for (&left, right) in left.zip(bridges.right.iter().copied().chain(0..as_u32(sets.len()))) {
        forest.union(left, right);
    }
    let mut progress = Progress::stage(watch, CLUSTERED, 1.0);
    families::connect(&index, rule, &groups, &mut forest, &mut progress)?;
    clusters.family = forest.into_smallest();
    for (keeper, other) in families::most_alike(index, rule, &groups, &clusters, &mut progress)? {
        clusters.also[keeper as usize] = Some(other);
    }
    Ok(clusters)
}

/// Takes rows in `order`, those it does not list last, and gives every row its keeper.
fn around_keepers(
    index: &Indexed,
    rule: Resemblance,
    order: &[u32],
    bridges: Bridges,
    groups: &mut Groups,
    clusters: &mut Anchored,
    progress: &mut Progress,
) -> Result<(), KernelError> {
    let catalogue = &index.catalogue;
    let mut candidates = index.candidates(rule);
    let ranks = catalogue.rank_of_rows();
    // Rows without a set here, which only bridges can join.
    let mut without = vec![false; ranks.len()];
    let bridges = bridges.neighbours();
    let mut members = Vec::new();
    for (place, row) in order.iter().copied().chain(0..as_u32(ranks.len())).enumerate() {
        let Some(&own) = ranks.get(row as usize) else {
            continue;
        };
        let gone = match own {
            Some(rank) => groups.has(rank),
            None => std::mem::replace(&mut without[row as usize], true),
        };
        if gone {
            continue;
        }
        progress.at(place, order.len() + ranks.len());
        if let Some(rank) = own {
            members.push((rank, as_u32(catalogue.set(rank).len())));
            let near = index.catalogue.near(rule, rank);
            let removed = |other: u32| groups.has(other);
            candidates.each_match(
                index.question(rank),
                near,
                removed,
                progress,
                |other, shared| {
                    members.push((other, shared));
                    Ok(())
                },
            )?;
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
        groups.begin(own);
        for (member, shared) in members.drain(..) {
            if !groups.add(member) {
                continue;
            }
            for &member in catalogue.rows(member) {
                clusters.keeper[member as usize] = row;
                clusters.shared[member as usize] = shared;
            }
        }
    }
    Ok(())
}

/// Every row its own keeper.
fn alone(sets: Sets) -> Anchored {
    let rows = 0..sets.len();
    Anchored {
        keeper: rows.clone().map(as_u32).collect(),
        shared: rows.map(|row| as_u32(sets.get(row).len())).collect(),
        family: Vec::new(),
        also: vec![None; sets.len()],
    }
}

/// The connected components of the graph of rows with |A n B| / |A u B| of at least `threshold`:
/// of each row, the smallest row of its component. Every row asks once, and those that it finds
/// leave the index, so that a family costs as many comparisons as it has rows.
///
/// # Errors
/// [`KernelError::Interrupted`].
pub fn connected(sets: Sets, threshold: Ratio, watch: Watch) -> Result<Vec<u32>, KernelError> {
    let rule = Resemblance::new(threshold);
    let index = Indexed::one(sets, threshold, Asked::Any, watch)?;
    let (catalogue, prefixes) = (&index.catalogue, &index.prefixes);
    let mut progress = Progress::stage(watch, INDEXED, 1.0);
    let mut candidates = Candidates::new(rule, catalogue, index.postings, index.parities);
    let mut forest = Forest::new(as_u32(sets.len()));
    let mut taken = vec![false; catalogue.len() as usize];
    let mut reached = Vec::new();
    let mut asked = 0;
    for first in 0..catalogue.len() {
        if !std::mem::replace(&mut taken[first as usize], true) {
            reached.push(first);
        }
        while let Some(rank) = reached.pop() {
            progress.at(asked, catalogue.len() as usize);
            asked += 1;
            let rows = catalogue.rows(rank);
            for &row in rows {
                forest.union(rows[0], row);
            }
            let near = catalogue.near(rule, rank);
            let question = Question::of(catalogue, prefixes, rank);
            let removed = |other: u32| taken[other as usize];
            let before = reached.len();
            candidates.each_match(question, near, removed, &mut progress, |other, _| {
                reached.push(other);
                Ok(())
            })?;
            for &other in &reached[before..] {
                taken[other as usize] = true;
                forest.union(rows[0], catalogue.rows(other)[0]);
            }
        }
    }
    Ok(forest.into_smallest())
}
