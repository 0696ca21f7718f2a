//! Clusters at a resemblance, without the pairs.

use super::catalogue::Catalogue;
use super::connect::connect_alike_sets;
use super::groups::{Anchored, SetsByCluster, find_outsiders_most_like_keepers};
use super::kin::{Kin, KinSearch};
use super::ratio::{Ratio, Resemblance};
use super::sets::{HIDDEN, Sets};
use crate::components::Forest;
use crate::error::{KernelError, Watch};
use crate::parallel::{MOST_THREADS, Team};
use crate::progress::{JUMP, Progress};
use crate::reserve;
use crate::sets::saturate_to_u32;
use std::collections::HashMap;

/// Shares of the work that are done when sets are indexed, and when every row has its keeper, as
/// reported to the watch: no answer depends on them.
const INDEXED: f64 = 0.4;
const CLUSTERED: f64 = 0.7;

/// Extra pairs of alike rows that the sets do not imply: texts measured by another kind of set.
#[derive(Debug, Clone, Copy, Default)]
pub struct Bridges<'a> {
    /// The left row of each pair.
    pub left: &'a [u32],
    /// The right row of each pair.
    pub right: &'a [u32],
}

impl Bridges<'_> {
    /// The rows paired with each row that has a pair.
    fn collect_rows_paired_with_each(self) -> HashMap<u32, Vec<u32>> {
        let mut neighbours: HashMap<u32, Vec<u32>> = HashMap::new();
        for (&left, &right) in self.left.iter().zip(self.right) {
            neighbours.entry(left).or_default().push(right);
            neighbours.entry(right).or_default().push(left);
        }
        neighbours
    }
}

/// Rule by which rows make clusters around keepers.
#[derive(Debug, Clone, Copy)]
pub struct Anchoring<'a> {
    /// The family of each row; rows of one may be unlike, but alike rows are of one.
    pub families: &'a [u32],
    /// The rows, best first; those that it does not list come last, ascending.
    pub ranking: &'a [u32],
    /// The least |A n B| / |A u B| of a row and its keeper.
    pub threshold: Ratio,
    /// Pairs that are alike too; both rows of one are of one family.
    pub bridges: Bridges<'a>,
    /// The keepers of rows that have one already, and are members before the first row is taken; it
    /// may be shorter than the column.
    pub known_keepers: &'a [Option<u32>],
}

/// Clusters around keepers: rows are taken in order; a row not yet taken becomes a keeper, and
/// every row not yet taken that resembles it, or is bridged to it, joins it. The result is that of
/// the full join followed by this rule, but no pairs are listed: a keeper is compared only with
/// rows of its family that are not yet taken.
///
/// Bridges are within families, so that no cluster reaches from one family into another. So, unless
/// keepers are given, families are shared out among `jobs` threads: what a family makes does not
/// depend on those beside it, and each row's answer is that of its family.
///
/// # Errors
/// [`KernelError::Interrupted`].
pub fn cluster_sets_anchored(
    sets: Sets,
    anchoring: Anchoring,
    jobs: usize,
    watch: Watch,
) -> Result<Anchored, KernelError> {
    let Anchoring { families, ranking, known_keepers, .. } = anchoring;
    if jobs < 2 || known_keepers.iter().any(Option::is_some) || families.len() != sets.len() {
        return cluster_in_one_thread(sets, anchoring, watch);
    }
    let progress = Progress::begin(watch)?;
    let jobs = jobs.min(MOST_THREADS);
    let shares = choose_share_of_each_root(sets, families, jobs, &progress)?;
    let share_of = |row: usize| shares[families[row] as usize].map(usize::from);
    let parts = Team::new(jobs, || ()).share_out(jobs, &progress, |(), share, progress| {
        let is_own = |row: usize| row < families.len() && share_of(row) == Some(share);
        let mut choice = reserve::new_list(sets.len())?;
        choice.extend((0..sets.len()).map(|row| match is_own(row) {
            true => sets.choice_of(row),
            false => HIDDEN,
        }));
        let own: Vec<u32> = ranking.iter().copied().filter(|&row| is_own(row as usize)).collect();
        cluster_in_one_thread(
            sets.with_choice(&choice),
            Anchoring { ranking: &own, ..anchoring },
            progress.watch(),
        )
    })?;
    let mut clusters = keepers_of_themselves(sets);
    for row in 0..sets.len() {
        if let Some(part) = share_of(row).map(|share| &parts[share]) {
            clusters.keeper[row] = part.keeper[row];
            clusters.shared[row] = part.shared[row];
            clusters.most_alike_outside[row] = part.most_alike_outside[row];
        }
    }
    Ok(clusters)
}

/// Members of a family beyond which a member costs no more: most are found by the first keeper, and
/// above [`super::CROWDED`] a table or an index finds them.
const FEW: u64 = super::CROWDED as u64;

/// The share of the work that each family is in, at the row that names it; `None` for other rows,
/// and for families of one row. The most costly families go first, each to the share that has
/// least.
fn choose_share_of_each_root(
    sets: Sets,
    families: &[u32],
    shares: usize,
    progress: &Progress,
) -> Result<Vec<Option<u16>>, KernelError> {
    let mut sizes = reserve::repeat_value((0_u64, 0_u64), families.len())?;
    for (row, &family) in families.iter().enumerate() {
        progress.spend_values(1)?;
        let (rows, values) = &mut sizes[family as usize];
        *rows += 1;
        *values += (sets.set_or_empty(row).len() + JUMP) as u64;
    }
    let cost = |&(rows, values): &(u64, u64)| values * rows.min(FEW);
    let mut several: Vec<u32> = (0..saturate_to_u32(families.len()))
        .filter(|&family| sizes[family as usize].0 > 1)
        .collect();
    several.sort_by_key(|&family| std::cmp::Reverse(cost(&sizes[family as usize])));
    let (mut loads, mut share_of) =
        (vec![0_u64; shares], reserve::repeat_value(None, families.len())?);
    for family in several {
        let least = (0..shares).min_by_key(|&share| loads[share]).unwrap_or(0);
        loads[least] += cost(&sizes[family as usize]);
        // There are at most [`MOST_THREADS`].
        share_of[family as usize] = Some(least as u16);
    }
    Ok(share_of)
}

/// The clusters of the sets that are chosen.
///
/// # Errors
/// As [`cluster_sets_anchored`].
fn cluster_in_one_thread(
    sets: Sets,
    anchoring: Anchoring,
    watch: Watch,
) -> Result<Anchored, KernelError> {
    let Anchoring { families, ranking, threshold, bridges, known_keepers } = anchoring;
    let rule = Resemblance::of_threshold_or_one(threshold);
    let progress = Progress::stage(watch, 0.0, 0.05);
    // At what is not a threshold nothing is alike: then no set is listed.
    let listed = |_| threshold.is_threshold();
    let catalogue = Catalogue::of_fitting_sizes(sets, listed, 1, &progress)?;
    let progress = Progress::stage(watch, 0.05, INDEXED);
    let kin = Kin::of(&catalogue, rule, families, &progress)?;
    let mut clusters = keepers_of_themselves(sets);
    let mut groups =
        SetsByCluster::with_known_keepers(&catalogue, known_keepers, &mut clusters.keeper);
    let progress = Progress::stage(watch, INDEXED, CLUSTERED);
    cluster_around_keepers(&kin, ranking, bridges, &mut groups, &mut clusters, &progress)?;
    let progress = Progress::stage(watch, CLUSTERED, 1.0);
    for found in find_outsiders_most_like_keepers(&kin, &groups, &clusters, &progress)? {
        clusters.most_alike_outside[found.keeper_row as usize] = Some(found.outsider_row);
    }
    Ok(clusters)
}

/// Takes rows in the order of `ranking`, those it does not list last, and gives every row its
/// keeper.
fn cluster_around_keepers(
    kin: &Kin,
    ranking: &[u32],
    bridges: Bridges,
    groups: &mut SetsByCluster,
    clusters: &mut Anchored,
    progress: &Progress,
) -> Result<(), KernelError> {
    let catalogue = kin.catalogue;
    let mut near = KinSearch::new(kin, |_| true, progress)?;
    let ranks = catalogue.make_ranks_of_rows();
    // Rows without a set here, which only bridges can join.
    let mut without = vec![false; ranks.len()];
    let bridges = bridges.collect_rows_paired_with_each();
    let mut members = Vec::new();
    for (place, row) in ranking.iter().copied().chain(0..saturate_to_u32(ranks.len())).enumerate() {
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
        progress.note_done(place, ranking.len() + ranks.len());
        if let Some(rank) = own {
            members.push((rank, saturate_to_u32(catalogue.set(rank).len())));
            let removed = |other: u32| groups.has(other);
            near.each_alike(
                rank,
                removed,
                |_| false,
                progress,
                |other, shared| {
                    members.push((other, shared));
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
        groups.begin_empty_cluster(own);
        for (member, shared) in members.drain(..) {
            if !groups.add_to_last_cluster(member) {
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
fn keepers_of_themselves(sets: Sets) -> Anchored {
    let rows = 0..sets.len();
    Anchored {
        keeper: rows.clone().map(saturate_to_u32).collect(),
        shared: rows.map(|row| saturate_to_u32(sets.set_or_empty(row).len())).collect(),
        most_alike_outside: vec![None; sets.len()],
    }
}

/// The connected components of the graph of rows with |A n B| / |A u B| of at least `threshold`:
/// of each row, the smallest row of its component. No pairs are listed. `jobs`: threads.
///
/// # Errors
/// [`KernelError::NoReserve`] and [`KernelError::Interrupted`].
pub fn connect_sets(
    sets: Sets,
    threshold: Ratio,
    jobs: usize,
    watch: Watch,
) -> Result<Vec<u32>, KernelError> {
    let forest = Forest::new(saturate_to_u32(sets.len()));
    connect_alike_sets([sets, Sets::empty()], true, threshold, &forest, jobs, (watch, 0.0, 1.0))?;
    Ok(forest.into_smallest_nodes())
}
