//! The clusters of sets while they are made, and what connects them.

use super::catalogue::{Catalogue, Rank};
use super::kin::{Kin, KinSearch};
use super::ratio::compare_fractions;
use crate::error::KernelError;
use crate::progress::Progress;
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
    /// Row outside the cluster of a keeper whose set resembles the keeper's most, of equal ones the
    /// first; `None` where no set there is alike enough, and of all other rows.
    pub most_alike_outside: Vec<Option<u32>>,
}

/// A keeper, and the row outside its cluster whose set resembles the keeper's most.
pub(super) struct KeeperAndOutsider {
    pub(super) keeper_row: u32,
    pub(super) outsider_row: u32,
}

/// The sets of each cluster, in the order in which clusters were made.
pub(super) struct SetsByCluster {
    /// The ranks of the sets, cluster by cluster.
    ranks: Vec<Rank>,
    /// Starts of the clusters in `ranks`.
    starts: Vec<usize>,
    /// The set of each cluster's keeper, where it has one.
    keepers: Vec<Option<Rank>>,
    /// The cluster of each set.
    cluster_of: Vec<u32>,
}

impl SetsByCluster {
    /// The clusters of those rows that have a keeper already; `keepers` learns of those.
    pub(super) fn with_known_keepers(
        catalogue: &Catalogue,
        known_keepers: &[Option<u32>],
        keepers: &mut [u32],
    ) -> Self {
        let mut groups = Self {
            ranks: Vec::new(),
            starts: Vec::new(),
            keepers: Vec::new(),
            cluster_of: vec![NONE; catalogue.len() as usize],
        };
        let keeper_of = |row: u32| known_keepers.get(row as usize).copied().flatten();
        for (row, keeper) in known_keepers.iter().enumerate().take(keepers.len()) {
            keepers[row] = keeper.unwrap_or(keepers[row]);
        }
        // Equal sets are one set here, and it is in one cluster: that of the first of its rows that
        // has a keeper. Rows of it with another keeper keep that.
        let first = |rank: u32| catalogue.rows(rank).iter().find_map(|&row| keeper_of(row));
        let mut members: Vec<(u32, u32)> =
            (0..catalogue.len()).filter_map(|rank| Some((first(rank)?, rank))).collect();
        members.sort_unstable();
        for cluster in members.chunk_by(|a, b| a.0 == b.0) {
            // Its keeper was chosen before. [`find_outsiders_most_like_keepers`] asks for keepers
            // that are chosen here.
            groups.begin_empty_cluster(None);
            for &(keeper, rank) in cluster {
                groups.add_to_last_cluster(rank);
                for &row in catalogue.rows(rank) {
                    keepers[row as usize] = keeper_of(row).unwrap_or(keeper);
                }
            }
        }
        groups
    }

    /// Begins a cluster without sets; that of its keeper is added as the others are.
    pub(super) fn begin_empty_cluster(&mut self, keeper: Option<Rank>) {
        self.starts.push(self.ranks.len());
        self.keepers.push(keeper);
    }

    /// Adds a set to the last cluster; `false` if it is in one already.
    pub(super) fn add_to_last_cluster(&mut self, rank: Rank) -> bool {
        if self.has(rank) {
            return false;
        }
        self.cluster_of[rank as usize] = self.count_clusters() - 1;
        self.ranks.push(rank);
        true
    }

    /// Returns whether a set is in a cluster.
    #[inline]
    pub(super) fn has(&self, rank: Rank) -> bool {
        self.cluster_of[rank as usize] != NONE
    }

    fn count_clusters(&self) -> u32 {
        sets::saturate_to_u32(self.starts.len())
    }

    fn sets(&self, cluster: u32) -> &[Rank] {
        let place = cluster as usize;
        let end = self.starts.get(place + 1).copied().unwrap_or(self.ranks.len());
        &self.ranks[self.starts[place]..end]
    }
}

/// Finds for each keeper in a family of several clusters the row outside its cluster that it
/// resembles most, if any.
///
/// # Errors
/// [`KernelError::Interrupted`].
pub(super) fn find_outsiders_most_like_keepers(
    kin: &Kin,
    groups: &SetsByCluster,
    clusters: &Anchored,
    progress: &Progress,
) -> Result<Vec<KeeperAndOutsider>, KernelError> {
    let catalogue = kin.catalogue;
    let rows = |rank: u32| catalogue.rows(rank);
    let family = |cluster: u32| groups.sets(cluster).first().map(|&rank| kin.root_of(rank));
    let mut sizes: HashMap<u32, u32> = HashMap::new();
    for family in (0..groups.count_clusters()).filter_map(family) {
        *sizes.entry(family).or_default() += 1;
    }
    // Whatever resembles a keeper is of its family: where that is one cluster, nothing is outside.
    let several = |&cluster: &u32| family(cluster).is_some_and(|family| sizes[&family] > 1);
    let asking: Vec<u32> = (0..groups.count_clusters()).filter(several).collect();
    let mut found = Vec::new();
    if asking.is_empty() {
        return Ok(found);
    }
    let mut near =
        KinSearch::new(kin, |root| sizes.get(&root).is_some_and(|&of| of > 1), progress)?;
    for (place, &cluster) in asking.iter().enumerate() {
        progress.note_done(place, asking.len());
        let Some(own) = groups.keepers[cluster as usize] else { continue };
        let mut most: Option<Alike> = None;
        let in_cluster = |other: u32| groups.cluster_of[other as usize] == cluster;
        near.each_alike(
            own,
            |_| false,
            in_cluster,
            progress,
            |other, shared| {
                let alike = Alike::of(catalogue, own, other, shared);
                most = Some(most.map_or(alike, |best| best.more_alike(alike)));
            },
        )?;
        let keeper_row = clusters.keeper[rows(own)[0] as usize];
        let outsider = |most: Alike| KeeperAndOutsider { keeper_row, outsider_row: most.row };
        found.extend(most.map(outsider));
    }
    Ok(found)
}

/// Resemblance of a set to another one.
#[derive(Clone, Copy)]
struct Alike {
    shared: u64,
    union: u64,
    /// The first row of the other one.
    row: u32,
}

impl Alike {
    /// Measures two sets as the judge does: by their whole hashes, where both have them.
    fn of(catalogue: &Catalogue, one: Rank, other: Rank, shared_ids: u32) -> Self {
        let whole = |rank: Rank| catalogue.whole_hashes_if_large(rank);
        let (shared, sizes) = if let (Some(left), Some(right)) = (whole(one), whole(other)) {
            (sets::count_shared(left, right), left.len() + right.len())
        } else {
            let sizes = catalogue.set(one).len() + catalogue.set(other).len();
            (shared_ids as usize, sizes)
        };
        let row = catalogue.rows(other)[0];
        Self { shared: shared as u64, union: (sizes - shared) as u64, row }
    }

    /// The more alike of two; of equals the earlier row.
    fn more_alike(self, other: Self) -> Self {
        let order = compare_fractions((self.shared, self.union), (other.shared, other.union));
        if order.then(other.row.cmp(&self.row)).is_gt() { self } else { other }
    }
}
