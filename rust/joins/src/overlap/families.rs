//! Families: everything that alike sets connect, whatever clusters are in it.
//!
//! A set that resembles a keeper was taken by it or by an earlier one. So two clusters are
//! connected through a member of the earlier one, which is not its keeper, and a keeper resembles
//! none but members of earlier clusters.

use super::candidates::{Candidates, Question};
use super::catalogue::Catalogue;
use super::indexed::Indexed;
use super::progress::Progress;
use super::ratio::Resemblance;
use crate::components::Forest;
use crate::error::KernelError;
use crate::sets;
use std::collections::HashMap;

/// No cluster.
const NONE: u32 = u32::MAX;

/// Clusters around keepers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Anchored {
    /// The keeper of each row; a keeper's is itself.
    pub keeper: Vec<u32>,
    /// |A n K| of each row and its keeper.
    pub shared: Vec<u32>,
    /// The smallest row of everything that alike rows connect with each row.
    pub family: Vec<u32>,
    /// Of a keeper, the row outside its cluster whose set resembles its own most, of equal ones the
    /// first; `None` where no set there is alike enough, and of all other rows.
    pub also: Vec<Option<u32>>,
}

/// The sets of each cluster, in the order in which clusters were made.
pub(super) struct Groups {
    /// The ranks of the sets, cluster by cluster.
    ranks: Vec<u32>,
    /// Where each cluster begins in `ranks`.
    starts: Vec<usize>,
    /// The set of each cluster's keeper, where it has one.
    keepers: Vec<Option<u32>>,
    /// The cluster of each set.
    of: Vec<u32>,
}

impl Groups {
    /// The clusters of those rows that have a keeper already; `keepers` learns of those.
    pub(super) fn given(catalogue: &Catalogue, given: &[Option<u32>], keepers: &mut [u32]) -> Self {
        let mut groups = Self {
            ranks: Vec::new(),
            starts: Vec::new(),
            keepers: Vec::new(),
            of: vec![NONE; catalogue.len() as usize],
        };
        let keeper_of = |row: u32| given.get(row as usize).copied().flatten();
        for (row, keeper) in given.iter().enumerate().take(keepers.len()) {
            keepers[row] = keeper.unwrap_or(keepers[row]);
        }
        let first = |rank: u32| catalogue.rows(rank).iter().find_map(|&row| keeper_of(row));
        let mut members: Vec<(u32, u32)> =
            (0..catalogue.len()).filter_map(|rank| Some((first(rank)?, rank))).collect();
        members.sort_unstable();
        for cluster in members.chunk_by(|a, b| a.0 == b.0) {
            groups.begin(None);
            for &(keeper, rank) in cluster {
                groups.add(rank);
                for &row in catalogue.rows(rank) {
                    keepers[row as usize] = keeper_of(row).unwrap_or(keeper);
                }
            }
        }
        groups
    }

    /// Begins a cluster.
    pub(super) fn begin(&mut self, keeper: Option<u32>) {
        self.starts.push(self.ranks.len());
        self.keepers.push(keeper);
    }

    /// Adds a set to the last cluster; `false` if it is in one already.
    pub(super) fn add(&mut self, rank: u32) -> bool {
        if self.has(rank) {
            return false;
        }
        self.of[rank as usize] = self.len() - 1;
        self.ranks.push(rank);
        true
    }

    /// Whether a set is in a cluster.
    #[inline]
    pub(super) fn has(&self, rank: u32) -> bool {
        self.of[rank as usize] != NONE
    }

    fn len(&self) -> u32 {
        sets::as_u32(self.starts.len())
    }

    fn sets(&self, cluster: u32) -> &[u32] {
        let place = cluster as usize;
        let end = self.starts.get(place + 1).copied().unwrap_or(self.ranks.len());
        &self.ranks[self.starts[place]..end]
    }
}

impl<'a> Indexed<'a> {
    /// What asks this index; the index itself stays as it is.
    pub(super) fn candidates(&self, rule: Resemblance) -> Candidates<'_, 'a> {
        let (postings, parities) = (self.postings.clone(), self.parities.clone());
        Candidates::new(rule, &self.catalogue, postings, parities)
    }

    /// The question for a set's like.
    pub(super) fn question(&self, rank: u32) -> Question<'_> {
        Question::of(&self.catalogue, &self.prefixes, rank)
    }
}

/// Joins in `forest` what alike sets of different clusters connect.
///
/// One family after the other is followed to its end. A cluster that was reached leaves the index
/// whole, and each of its sets asks for what was not reached yet, so that a family is walked once,
/// however many pairs it has.
///
/// # Errors
/// [`KernelError::Interrupted`].
pub(super) fn connect(
    index: &Indexed,
    rule: Resemblance,
    groups: &Groups,
    forest: &mut Forest,
    progress: &mut Progress,
) -> Result<(), KernelError> {
    let row = |rank: u32| index.catalogue.rows(rank)[0];
    let members = |cluster: u32| {
        let keeper = groups.keepers[cluster as usize];
        groups.sets(cluster).iter().copied().filter(move |&rank| Some(rank) != keeper)
    };
    if (0..groups.len()).all(|cluster| members(cluster).next().is_none()) {
        return Ok(());
    }
    let mut candidates = index.candidates(rule);
    let mut reached = vec![false; groups.len() as usize];
    let mut asking = Vec::new();
    for first in 0..groups.len() {
        if std::mem::replace(&mut reached[first as usize], true) {
            continue;
        }
        progress.at(first as usize, 2 * groups.len() as usize);
        // All that its keeper resembles outside has been reached before.
        asking.extend(members(first));
        while let Some(rank) = asking.pop() {
            let (question, near) = (index.question(rank), index.catalogue.near(rule, rank));
            let cluster = |other: u32| groups.of[other as usize];
            let removed = |other: u32| reached[cluster(other) as usize];
            candidates.find(question, near, removed, progress)?;
            for &other in candidates.found() {
                let cluster = cluster(other);
                if !reached[cluster as usize]
                    && candidates.verify(question, other, progress)?.is_some()
                {
                    reached[cluster as usize] = true;
                    forest.union(row(rank), row(other));
                    asking.extend(groups.sets(cluster));
                }
            }
        }
    }
    Ok(())
}

/// Of each keeper in a family of several clusters, the row outside its cluster that it resembles
/// most, if any.
///
/// # Errors
/// [`KernelError::Interrupted`].
pub(super) fn most_alike(
    index: Indexed,
    rule: Resemblance,
    groups: &Groups,
    clusters: &Anchored,
    progress: &mut Progress,
) -> Result<Vec<(u32, u32)>, KernelError> {
    let rows = |rank: u32| index.catalogue.rows(rank);
    let family = |cluster: u32| {
        groups.sets(cluster).first().map(|&rank| clusters.family[rows(rank)[0] as usize])
    };
    let mut sizes: HashMap<u32, u32> = HashMap::new();
    for family in (0..groups.len()).filter_map(family) {
        *sizes.entry(family).or_default() += 1;
    }
    let several = |&cluster: &u32| family(cluster).is_some_and(|family| sizes[&family] > 1);
    let asking: Vec<u32> = (0..groups.len()).filter(several).collect();
    let mut found = Vec::new();
    if asking.is_empty() {
        return Ok(found);
    }
    let mut candidates = index.candidates(rule);
    for (place, &cluster) in asking.iter().enumerate() {
        progress.at(asking.len() + place, 2 * asking.len());
        let Some(own) = groups.keepers[cluster as usize] else { continue };
        let (question, near) = (index.question(own), index.catalogue.near(rule, own));
        candidates.find(question, near, |_| false, progress)?;
        let mut most: Option<Alike> = None;
        for &other in candidates.found() {
            if groups.of[other as usize] == cluster {
                continue;
            }
            if let Some(shared) = candidates.verify(question, other, progress)? {
                let alike = Alike::of(&question, &index.question(other), shared, rows(other)[0]);
                most = Some(most.map_or(alike, |best| best.better(alike)));
            }
        }
        let keeper = clusters.keeper[rows(own)[0] as usize];
        found.extend(most.map(|most| (keeper, most.row)));
    }
    Ok(found)
}

/// How a set resembles another one, and the first row of that one.
#[derive(Clone, Copy)]
struct Alike {
    shared: u64,
    union: u64,
    row: u32,
}

impl Alike {
    /// Measures two sets as the judge does: by their whole hashes, where both have them.
    fn of(one: &Question, other: &Question, shared: u32, row: u32) -> Self {
        let (shared, sizes) = if one.whole.is_empty() || other.whole.is_empty() {
            (shared as usize, one.set.len() + other.set.len())
        } else {
            (sets::shared(one.whole, other.whole), one.whole.len() + other.whole.len())
        };
        Self { shared: shared as u64, union: (sizes - shared) as u64, row }
    }

    /// The more alike of two; of equals the earlier row.
    fn better(self, other: Self) -> Self {
        let product = |a: u64, b: u64| u128::from(a) * u128::from(b);
        let (own, its) = (product(self.shared, other.union), product(other.shared, self.union));
        if own > its || (own == its && self.row < other.row) { self } else { other }
    }
}
