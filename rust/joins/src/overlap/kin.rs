//! Neighbours of a set, searched within its family alone: most sets have none, and a set that has
//! some finds them all there.

use super::bitmap::{Bitmap, BitmapTable, count_differing_bits, xor_fold_bitmap};
use super::candidates::Candidates;
use super::catalogue::{Catalogue, Rank};
use super::large_sets::{AskerSizes, LargeSets};
use super::parts::{self, Side};
use super::ratio::Resemblance;
use super::verifier::Verifier;
use crate::error::KernelError;
use crate::progress::{JUMP, Progress};
use crate::reserve;
use crate::sets::saturate_to_u32;
use std::collections::HashMap;
use std::ops::Range;

/// No set.
const NONE: u32 = u32::MAX;

/// A family of more sets keeps their bitmaps side by side, and its large sets in the index: its
/// members share the values of their template, so that lists of values would be as long as the
/// family. In smaller families, which are nearly all, a set is compared with each other one; every
/// answer is the same at any value.
pub(crate) const CROWDED: usize = 24;

/// The time of a look at a bitmap, in values read: it has eight words, which one pass reads.
const BITMAP: usize = 8;

/// The sets of a catalogue by families: all that alike sets connect.
pub(super) struct Kin<'c, 'a> {
    pub(super) catalogue: &'c Catalogue<'a>,
    rule: Resemblance,
    families: SetsByFamily,
    /// The small sets.
    side: Side<'c, 'a>,
    /// The large ones of crowded families.
    large: LargeSets<'c, 'a>,
}

impl<'c, 'a> Kin<'c, 'a> {
    /// Prepares to look in families: `roots` names that of each row.
    ///
    /// # Errors
    /// [`KernelError::NoReserve`] and [`KernelError::Interrupted`].
    pub(super) fn of(
        catalogue: &'c Catalogue<'a>,
        rule: Resemblance,
        roots: &[u32],
        progress: &Progress,
    ) -> Result<Self, KernelError> {
        let families = SetsByFamily::of(catalogue, roots)?;
        let (least, crowded) = (parts::first_large_size(rule), |rank| families.is_crowded(rank));
        let large = LargeSets::of_one(catalogue, least, rule, AskerSizes::Any, crowded, progress)?;
        let side = Side::new(catalogue, rule, least, 1, progress)?;
        Ok(Self { catalogue, rule, families, side, large })
    }

    /// The first set of the family of a set.
    pub(super) fn root_of(&self, rank: Rank) -> Rank {
        self.families.roots[rank as usize]
    }
}

struct SetsByFamily {
    /// The first set of each set's family.
    roots: Vec<Rank>,
    /// The sets, family by family.
    ranks: PlacesByRoot,
}

impl SetsByFamily {
    fn of(catalogue: &Catalogue, families: &[u32]) -> Result<Self, KernelError> {
        let mut first = reserve::repeat_value(NONE, families.len())?;
        let mut roots = reserve::new_list(catalogue.len() as usize)?;
        for rank in 0..catalogue.len() {
            // Equal sets are alike, so that all rows of a set are of one family, and the first
            // names it.
            let root = &mut first[families[catalogue.rows(rank)[0] as usize] as usize];
            *root = rank.min(*root);
            roots.push(*root);
        }
        let ranks = PlacesByRoot::group(&roots)?;
        Ok(Self { roots, ranks })
    }

    /// The sets of the family of a set, ascending.
    fn family_of(&self, rank: Rank) -> &[Rank] {
        let (root, starts) = (self.roots[rank as usize] as usize, &self.ranks.starts);
        &self.ranks.places[starts[root] as usize..starts[root + 1] as usize]
    }

    /// Returns whether the family of a set has too many sets to look at each.
    fn is_crowded(&self, rank: Rank) -> bool {
        self.family_of(rank).len() > CROWDED
    }
}

/// Places of a list of roots, those of one root side by side and ascending.
struct PlacesByRoot {
    places: Vec<u32>,
    /// The beginning of the places of each root, and their end.
    starts: Vec<u32>,
}

impl PlacesByRoot {
    fn group(roots: &[u32]) -> Result<Self, KernelError> {
        let mut starts = reserve::repeat_value(0_u32, roots.len() + 1)?;
        for &root in roots {
            starts[root as usize] += 1;
        }
        let mut end = 0;
        // Sums make each start the end of its root; filling from the back moves it down to the
        // start, and keeps the places of a root ascending.
        for start in &mut starts {
            end += *start;
            *start = end;
        }
        let mut places = reserve::repeat_value(0_u32, roots.len())?;
        for (place, &root) in roots.iter().enumerate().rev() {
            let start = &mut starts[root as usize];
            *start -= 1;
            places[*start as usize] = saturate_to_u32(place);
        }
        Ok(Self { places, starts })
    }
}

/// Finds the neighbours of sets in their families.
pub(super) struct KinSearch<'k, 'c, 'a> {
    kin: &'k Kin<'c, 'a>,
    large_candidates: Candidates<'c, 'a>,
    /// The bitmaps of large families, by their first sets.
    tables: HashMap<Rank, BitmapTable>,
    verifier: Verifier,
    found: Vec<Rank>,
}

impl<'k, 'c, 'a> KinSearch<'k, 'c, 'a> {
    /// Prepares to find sets of families that are `chosen` by their roots.
    ///
    /// # Errors
    /// As [`Kin::of`].
    pub(super) fn new(
        kin: &'k Kin<'c, 'a>,
        chosen: impl Fn(Rank) -> bool,
        progress: &Progress,
    ) -> Result<Self, KernelError> {
        let verifier = Verifier::new(kin.rule, kin.catalogue.exact_threshold());
        let large_candidates =
            kin.large.index_candidates(|rank| chosen(kin.root_of(rank)), progress)?;
        Ok(Self { kin, large_candidates, tables: HashMap::new(), verifier, found: Vec::new() })
    }

    /// Calls `hit` with the rank of each other set that resembles one, and how many values they
    /// share. It leaves out removed sets, and a removed set must stay removed; it leaves out
    /// skipped sets this time only.
    ///
    /// # Errors
    /// [`KernelError::NoReserve`] and [`KernelError::Interrupted`].
    pub(super) fn each_alike(
        &mut self,
        rank: Rank,
        removed: impl Fn(Rank) -> bool,
        skipped: impl Fn(Rank) -> bool,
        progress: &Progress,
        mut hit: impl FnMut(Rank, u32),
    ) -> Result<(), KernelError> {
        let kin = self.kin;
        // Most sets are alone in their family, and alike sets are never of two.
        if kin.families.family_of(rank).len() < 2 {
            return Ok(());
        }
        // A pair of large sets is found by their index, where there are many, any other in the
        // family.
        let near = kin.catalogue.ranks_of_fitting_sizes(kin.rule, rank);
        let first = kin.large.sets.first;
        let indexed = rank >= first && kin.families.is_crowded(rank);
        let small = if indexed { near.start..near.end.min(first) } else { near.clone() };
        self.found.clear();
        if !small.is_empty() {
            self.find_possibly_alike(rank, &small, &removed, progress)?;
        }
        let (set, whole) = (kin.catalogue.set(rank), || kin.catalogue.whole_hashes_if_large(rank));
        for &other in self.found.iter().filter(|&&other| other != rank && !skipped(other)) {
            let its = kin.catalogue.set(other);
            progress.spend_values(set.len() + its.len() + JUMP)?;
            let both = || (whole(), kin.catalogue.whole_hashes_if_large(other));
            if let Some(shared) = self.verifier.count_if_alike(set, its, both) {
                hit(other, shared);
            }
        }
        let large = near.start.max(first)..near.end;
        if !indexed || large.is_empty() {
            return Ok(());
        }
        let (question, candidates) = (kin.large.question(rank), &mut self.large_candidates);
        candidates.find_candidates(question, large, removed, progress)?;
        for &other in candidates.ranks_found() {
            if other != rank
                && !skipped(other)
                && let Some(shared) = candidates.count_shared_if_alike(question, other, progress)?
            {
                hit(other, shared);
            }
        }
        Ok(())
    }

    /// Finds the sets of some ranks in the family of a set whose bitmaps let them resemble it,
    /// itself among them.
    fn find_possibly_alike(
        &mut self,
        rank: Rank,
        ranks: &Range<Rank>,
        removed: impl Fn(Rank) -> bool,
        progress: &Progress,
    ) -> Result<(), KernelError> {
        let Self { kin, tables, found, .. } = self;
        let (family, sizes) = (kin.families.family_of(rank), kin.catalogue.sizes());
        let bitmap = |rank: u32| &kin.side.bitmaps[rank as usize];
        let size = sizes[rank as usize] as usize;
        // Two large sets may have no bitmaps, and are not told apart here.
        let may = |other: u32| {
            let sizes = size + sizes[other as usize] as usize;
            rank.min(other) >= kin.large.sets.first
                || count_differing_bits(bitmap(rank), bitmap(other))
                    <= kin.rule.most_differing_together(sizes)
        };
        if !kin.families.is_crowded(rank) {
            let there = |&other: &u32| ranks.contains(&other) && !removed(other) && may(other);
            progress.spend_values(BITMAP * family.len())?;
            found.extend(family.iter().copied().filter(there));
            return Ok(());
        }
        // Made when a family is asked for the first time. Sets beyond the bitmaps are too large to
        // resemble a small one, and the index finds those that resemble each other. Tables hold
        // four words, bitmaps eight: folding lets a few more sets through, whom `may` stops.
        let table = tables.entry(kin.root_of(rank)).or_insert_with(|| {
            let small =
                &family[..family.partition_point(|&rank| (rank as usize) < kin.side.bitmaps.len())];
            BitmapTable::of(small.iter().map(|&rank| (rank, xor_fold_bitmap::<_, 4>(bitmap(rank)))))
        });
        let largest = sizes[ranks.end as usize - 1] as usize;
        let mut met = 0;
        reserve::make_room(found, table.count_bitmaps_of_ranks(ranks))?;
        let folded: Bitmap = xor_fold_bitmap(bitmap(rank));
        // One bound for all sizes that are asked, the widest; `may` applies that of each set.
        let most_differing = kin.rule.most_differing_up_to_size(size, largest);
        table.each_possibly_near(&folded, ranks, most_differing, |other| {
            if removed(other) {
                met += 1;
            } else if may(other) {
                found.push(other);
            }
        });
        progress.spend_values(
            table.count_bitmaps_of_ranks(ranks) / BITMAP + BITMAP * found.len() + JUMP,
        )?;
        table.sweep_if_due(met, removed);
        Ok(())
    }
}
