//! Families, and the like of sets in them: most sets have no like, and one that has some finds them
//! in its family.

use super::candidates::Candidates;
use super::catalogue::Catalogue;
use super::indexed::{Asked, Indexed};
use super::parity::{Crowd, Parity, differ, folded};
use super::parts::{self, Asks, Families, Side};
use super::progress::{JUMP, Progress};
use super::ratio::Resemblance;
use super::verdict::Verdict;
use crate::components::Forest;
use crate::error::{KernelError, Watch};
use crate::room;
use crate::sets::as_u32;
use std::collections::HashMap;
use std::ops::Range;

/// Shares of the search that are done when large sets are indexed, and when they are connected; the
/// rest is for small ones.
const INDEXED: f64 = 0.35;
const LARGE: f64 = 0.5;

/// A family of more sets keeps their pictures side by side.
const CROWDED: usize = 24;

/// The time of a look at a picture, in values read.
const PICTURE: usize = 8;

/// The families of a catalogue: all that alike sets connect.
pub(super) struct Kin<'c, 'a> {
    pub(super) catalogue: &'c Catalogue<'a>,
    rule: Resemblance,
    /// The small sets.
    side: Side<'c, 'a>,
    /// The large ones.
    pub(super) index: Indexed<'c, 'a>,
    /// The first set of each set's family.
    roots: Vec<u32>,
    /// The sets, family by family.
    ranks: Vec<u32>,
    /// The beginning of each family, by its first set, and its end.
    starts: Vec<u32>,
}

impl<'c, 'a> Kin<'c, 'a> {
    /// Connects the alike sets of a catalogue; this takes the work from `share.start` to
    /// `share.end`.
    ///
    /// # Errors
    /// [`KernelError::NoRoom`] and [`KernelError::Interrupted`].
    pub(super) fn connect(
        catalogue: &'c Catalogue<'a>,
        rule: Resemblance,
        watch: Watch,
        share: Range<f64>,
    ) -> Result<Self, KernelError> {
        let at = |part: f64| share.start + part * (share.end - share.start);
        let least = parts::reach(rule);
        let mut forest = Forest::new(catalogue.len());
        let mut progress = Progress::stage(watch, at(0.0), at(INDEXED));
        let index = Indexed::one(catalogue, least, rule, Asked::Any, &mut progress)?;
        let mut progress = Progress::stage(watch, at(INDEXED), at(LARGE));
        connect_large(&index, rule, &mut forest, &mut progress)?;
        let mut progress = Progress::stage(watch, at(LARGE), at(1.0));
        let side = Side::new(catalogue, rule, least, &mut progress)?;
        let families = Families(&mut forest);
        parts::join(&side, &side, Asks::Earlier, (rule, least), families, &mut progress)?;
        let roots = forest.into_smallest();
        let (ranks, starts) = by_root(&roots)?;
        Ok(Self { catalogue, rule, side, index, roots, ranks, starts })
    }

    /// The first set of the family of a set.
    pub(super) fn root(&self, rank: u32) -> u32 {
        self.roots[rank as usize]
    }

    /// The sets of the family of a set, ascending.
    fn family(&self, rank: u32) -> &[u32] {
        let root = self.root(rank) as usize;
        &self.ranks[self.starts[root] as usize..self.starts[root + 1] as usize]
    }
}

/// The places of `roots`, root by root, and where those of each begin.
fn by_root(roots: &[u32]) -> Result<(Vec<u32>, Vec<u32>), KernelError> {
    let mut starts = room::filled(0_u32, roots.len() + 1)?;
    for &root in roots {
        starts[root as usize] += 1;
    }
    let mut end = 0;
    for start in &mut starts {
        end += *start;
        *start = end;
    }
    let mut places = room::filled(0_u32, roots.len())?;
    for (place, &root) in roots.iter().enumerate().rev() {
        let start = &mut starts[root as usize];
        *start -= 1;
        places[*start as usize] = as_u32(place);
    }
    Ok((places, starts))
}

/// Connects large sets. Each asks once, and those that it finds leave the index, so that a family
/// costs as many questions as it has sets.
fn connect_large(
    index: &Indexed,
    rule: Resemblance,
    forest: &mut Forest,
    progress: &mut Progress,
) -> Result<(), KernelError> {
    let (first, catalogue) = (index.first, index.catalogue);
    let count = (catalogue.len() - first) as usize;
    let mut candidates = index.candidates();
    let mut reached = room::filled(false, count)?;
    let mut asking = Vec::new();
    let mut asked = 0;
    for start in first..catalogue.len() {
        if !std::mem::replace(&mut reached[(start - first) as usize], true) {
            asking.push(start);
        }
        while let Some(rank) = asking.pop() {
            progress.at(asked, count);
            asked += 1;
            let near = catalogue.near(rule, rank);
            let within = near.start.max(first)..near.end;
            let begin = asking.len();
            let removed = |other: u32| reached[(other - first) as usize];
            let question = index.question(rank);
            candidates.each_match(question, within, removed, progress, |other, _| {
                room::push(&mut asking, other)
            })?;
            for &other in &asking[begin..] {
                reached[(other - first) as usize] = true;
                forest.union(rank, other);
            }
        }
    }
    Ok(())
}

/// Finds the like of sets in their families.
pub(super) struct Near<'k, 'c, 'a> {
    kin: &'k Kin<'c, 'a>,
    large: Candidates<'c, 'a>,
    /// The pictures of large families, by their first sets.
    crowds: HashMap<u32, Crowd>,
    verdict: Verdict,
    found: Vec<u32>,
}

impl<'k, 'c, 'a> Near<'k, 'c, 'a> {
    pub(super) fn new(kin: &'k Kin<'c, 'a>) -> Self {
        let verdict = Verdict::new(kin.rule, kin.catalogue);
        let large = kin.index.candidates();
        Self { kin, large, crowds: HashMap::new(), verdict, found: Vec::new() }
    }

    /// Calls `hit` with the rank of each other set that resembles one, and how many values they
    /// share. Removed sets are left out, and must be ever after; sets that are skipped are left out
    /// this time.
    ///
    /// # Errors
    /// [`KernelError::NoRoom`] and [`KernelError::Interrupted`].
    pub(super) fn each(
        &mut self,
        rank: u32,
        removed: impl Fn(u32) -> bool,
        skipped: impl Fn(u32) -> bool,
        progress: &mut Progress,
        mut hit: impl FnMut(u32, u32),
    ) -> Result<(), KernelError> {
        let kin = self.kin;
        if kin.family(rank).len() < 2 {
            return Ok(());
        }
        // A pair of large sets is found by their index, any other in the family.
        let (near, first) = (kin.catalogue.near(kin.rule, rank), kin.index.first);
        let small = if rank < first { near.clone() } else { near.start..near.end.min(first) };
        self.found.clear();
        if !small.is_empty() {
            self.look(rank, &small, &removed, progress)?;
        }
        let (set, whole) = (kin.catalogue.set(rank), || kin.catalogue.whole(rank));
        for &other in self.found.iter().filter(|&&other| other != rank && !skipped(other)) {
            let its = kin.catalogue.set(other);
            progress.tick(set.len() + its.len() + JUMP)?;
            let both = || (whole(), kin.catalogue.whole(other));
            if let Some(shared) = self.verdict.shared(set, its, both) {
                hit(other, shared);
            }
        }
        let large = near.start.max(first)..near.end;
        if rank < first || large.is_empty() {
            return Ok(());
        }
        let question = kin.index.question(rank);
        self.large.find(question, large, removed, progress)?;
        for &other in self.large.found() {
            if other != rank
                && !skipped(other)
                && let Some(shared) = self.large.verify(question, other, progress)?
            {
                hit(other, shared);
            }
        }
        Ok(())
    }

    /// Finds the sets of some ranks in the family of a set whose pictures let them resemble it.
    fn look(
        &mut self,
        rank: u32,
        ranks: &Range<u32>,
        removed: impl Fn(u32) -> bool,
        progress: &mut Progress,
    ) -> Result<(), KernelError> {
        let Self { kin, crowds, found, .. } = self;
        let (family, sizes) = (kin.family(rank), kin.catalogue.sizes());
        let picture = |rank: u32| &kin.side.pictures[rank as usize];
        let (size, own) = (sizes[rank as usize] as usize, picture(rank));
        let may = |other: u32| {
            let sizes = size + sizes[other as usize] as usize;
            differ(own, picture(other)) <= kin.rule.differing(sizes)
        };
        if family.len() <= CROWDED {
            let there = |&other: &u32| ranks.contains(&other) && !removed(other) && may(other);
            progress.tick(PICTURE * family.len())?;
            found.extend(family.iter().copied().filter(there));
            return Ok(());
        }
        let crowd = crowds.entry(kin.root(rank)).or_insert_with(|| {
            let small = &family
                [..family.partition_point(|&rank| (rank as usize) < kin.side.pictures.len())];
            Crowd::of(small.iter().map(|&rank| (rank, folded::<_, 4>(picture(rank)))))
        });
        let largest = sizes[ranks.end as usize - 1] as usize;
        let mut met = 0;
        room::more(found, crowd.count(ranks))?;
        let folded: Parity = folded(own);
        crowd.each_near(&folded, ranks, kin.rule.most_differing(size, largest), |other| {
            if removed(other) {
                met += 1;
            } else if may(other) {
                found.push(other);
            }
        });
        progress.tick(crowd.count(ranks) / PICTURE + PICTURE * found.len() + JUMP)?;
        crowd.sweep(met, removed);
        Ok(())
    }
}
