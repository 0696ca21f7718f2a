//! Families of sets without their pairs: small sets are connected through parts, large ones ask an
//! index and leave it once they are found.

use super::catalogue::{Catalogue, CatalogueTail};
use super::flood::visit_family_by_family;
use super::large_sets::{AskerSizes, LargeSets};
use super::parts::{self, AskedMembers, Comparison, FamilySink, Side};
use super::ratio::{Ratio, Resemblance};
use super::resemblance::{ResemblingSizes, join_large};
use super::sets::Sets;
use crate::components::Forest;
use crate::error::{KernelError, Watch};
use crate::progress::Progress;
use crate::reserve;

/// Working memory for each set that is connected, in bytes: its entry in the catalogue, its bitmap,
/// and what it has in lists (`parts::CUT_BYTES` of them).
pub(crate) const SET_BYTES: usize = 320;

/// Shares of the work that are done when sets are listed, and when large ones are connected, as the
/// watch sees them: no answer depends on them.
const LISTED: f64 = 0.1;
const LARGE: f64 = 0.5;

/// Working memory per set that each thread but the first takes: lists, and pairs that are unlike.
pub(crate) const THREAD_BYTES: usize = 96;

/// Connects, in a forest of their rows, the sets of a column that are alike (if `among`), and those
/// that are alike one of `others`, on `jobs` threads (large sets on one); this takes the last part
/// of the work, from `start` to `end`.
///
/// # Errors
/// [`KernelError::NoReserve`] and [`KernelError::Interrupted`].
pub(crate) fn connect_alike_sets(
    [own, others]: [Sets; 2],
    among: bool,
    threshold: Ratio,
    forest: &Forest,
    jobs: usize,
    (watch, start, end): (Watch, f64, f64),
) -> Result<(), KernelError> {
    let rule = Resemblance::of_threshold_or_one(threshold);
    let stage = |from: f64, to: f64| {
        Progress::stage(watch, start + from * (end - start), start + to * (end - start))
    };
    let progress = stage(0.0, LISTED);
    let sizes = ResemblingSizes::of_column(others, rule, &progress)?;
    // At what is not a threshold nothing is alike: then no set is listed.
    let is_threshold = threshold.is_threshold();
    let fits = |size: usize| is_threshold && (among || sizes.contain(size));
    let lefts = Catalogue::of_fitting_sizes(own, fits, jobs, &progress)?;
    // Without others nothing asks them, and the sizes of all own sets need not be read.
    let asked = if others.is_empty() { others } else { own };
    let sizes = ResemblingSizes::of_column(asked, rule, &progress)?;
    let fits = |size: usize| is_threshold && sizes.contain(size);
    let rights = Catalogue::of_fitting_sizes(others, fits, jobs, &progress)?;
    let (least, first, count) =
        (parts::first_large_size(rule), lefts.len(), lefts.len() + rights.len());
    let ranks = Forest::new(count);
    let progress = stage(LISTED, LARGE);
    if among {
        let large = LargeSets::of_one(&lefts, least, rule, AskerSizes::Any, |_| true, &progress)?;
        connect_large(&large, rule, &ranks, &progress)?;
    }
    if rights.len() > 0 {
        let hit = |left: u32, right: u32, _| {
            ranks.unite(left, first + right);
            Ok(())
        };
        join_large([&lefts, &rights], rule, &progress, hit)?;
    }
    let progress = stage(LARGE, 1.0);
    let [left, right] = [&lefts, &rights].map(|of| Side::new(of, rule, least, jobs, &progress));
    let (left, right) = (left?, right?);
    // Of two columns, each asks the other for sets that are not larger.
    let across = rights.len() > 0;
    for (members, askers, asks, wanted) in [
        ((&left, 0), (&left, 0), AskedMembers::Earlier, among),
        ((&left, 0), (&right, first), AskedMembers::NotLarger, across),
        ((&right, first), (&left, 0), AskedMembers::Smaller, across),
    ] {
        let sink =
            FamilySink { forest: &ranks, first_asker_node: askers.1, first_member_node: members.1 };
        if wanted {
            let comparison = Comparison {
                members: members.0,
                askers: askers.0,
                asks,
                rule,
                member_size_end: least,
            };
            parts::join_classes(comparison, jobs, || sink, &progress, |_| Ok(()))?;
        }
    }
    // Equal sets that were not compared are connected by what both are like.
    let mut several = reserve::repeat_value(among, count as usize)?;
    several[first as usize..].fill(false);
    for node in 0..count {
        let root = ranks.root_of(node);
        several[root as usize] |= root != node;
    }
    // Where sets are not compared among themselves, a set that is like none of the others stays
    // apart from its equals, too.
    for (of, first_of) in [(&lefts, 0), (&rights, first)] {
        for rank in 0..of.len() {
            let root = ranks.root_of(first_of + rank);
            if several[root as usize] {
                let rows = if root < first { lefts.rows(root) } else { rights.rows(root - first) };
                of.rows(rank).iter().for_each(|&row| _ = forest.unite(rows[0], row));
            }
        }
    }
    Ok(())
}

/// Connects large sets of one catalogue with those that they resemble, in a forest of all its
/// ranks.
fn connect_large(
    large: &LargeSets,
    rule: Resemblance,
    forest: &Forest,
    progress: &Progress,
) -> Result<(), KernelError> {
    let CatalogueTail { first, catalogue } = large.sets;
    let count = large.sets.len();
    let mut candidates = large.index_candidates(|_| true, progress)?;
    // The flood counts from 0 where ranks count from the first large set.
    visit_family_by_family(
        count,
        |_| true,
        |set, asked, reached, waiting| {
            progress.note_done(asked, count);
            let rank = first + set;
            let near = catalogue.ranks_of_fitting_sizes(rule, rank);
            let within = near.start.max(first)..near.end;
            let removed = |other: u32| reached[(other - first) as usize];
            let question = large.question(rank);
            candidates.each_match(question, within, removed, progress, |other, _| {
                forest.unite(rank, other);
                reserve::push(waiting, other - first)
            })
        },
    )
}
