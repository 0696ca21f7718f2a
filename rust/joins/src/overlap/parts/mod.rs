//! The join of small sets, as those of the characters of short texts are: parts of the universe
//! that two like sets must share whole, or but for one value.
//!
//! Values of small sets are common, so that lists of single values are long and tell little. But
//! two sets that may differ in H values at the most, in a universe that is cut into more than H
//! parts, are equal in at least one part (Deng, Li, Wen and Feng, "An Efficient Partition Based
//! Method for Exact Set Similarity Joins", PVLDB 9(4), 2015). What a set has in a part is known by
//! one number, the sum of the hashes of its values there ([`cut`]), and sets with equal sums are a
//! list ([`lists`]). At low thresholds there are fewer parts, and a set finds also those that have
//! one value more or less in a part.
//!
//! Sets are joined class by class ([`classes`]): a class has *members* of like sizes, and is *asked*
//! by each set of a size that may resemble a member and is not smaller. With m parts, any H + 1 of
//! them have one in which two like sets agree, so that a set that asks looks into the H + 1 parts
//! with the shortest lists ([`choice`], counted before in [`counts`]). Sets that are found are
//! compared by bitmaps, and those that are left by their values ([`judged`]). Where families are
//! asked for, and not pairs, a long list is asked family by family ([`crowded`]).
//!
//! A class is shared out among threads step by step: sets are cut and choose by ranges of them,
//! lists are counted and asked part by part, and sets that look at all members by shares. Each
//! thread has lists, and a memory of judged pairs, of its own, so that two of them may judge the
//! same pair. A pair that is alike is found whoever judges it, so the pairs and the families are
//! the same.
//!
//! Every stage asks for memory by formula: [`CUT_BYTES`] for each set that is held at a time, and a
//! few for each set there is.

mod ask;
mod choice;
mod classes;
mod counts;
mod crowded;
mod cut;
mod judged;
mod lists;

pub(super) use classes::{Class, endless_classes, first_large_size};
pub(super) use cut::part_and_hash;
pub(super) use judged::{FamilySink, PairSink, Sink};

use super::bitmap::{Bitmap, FOLDED, make_bitmap};
use super::catalogue::{Catalogue, Rank};
use super::ratio::Resemblance;
use crate::error::KernelError;
use crate::parallel::Team;
use crate::progress::{JUMP, Progress};
use crate::reserve;
use crate::sets::saturate_to_u32;
use ask::{ClassJoin, ThreadLists};
use cut::CutSets;
use std::ops::Range;

/// Words of the bitmap of a set: one line of the cache.
const BITMAP_WIDTH: usize = 8;

/// Bytes, for each set of the catalogue, that cut sets may take at a time, and the least number of
/// sets that are cut together; tests cut few.
const CUT_BYTES: usize = 120;
const LEAST_AT_ONCE: usize = if cfg!(test) { 1 << 5 } else { 1 << 12 };

/// A class that is less than one of this many parts of the work is joined by one thread: shared
/// out, it would be done before the last thread had begun.
const SMALL_SHARE: usize = 1 << 10;

/// A catalogue with bitmaps of the sets that take part.
pub(super) struct Side<'c, 'a> {
    pub(super) catalogue: &'c Catalogue<'a>,
    /// Those of the sets of the smallest ranks.
    pub(super) bitmaps: Vec<Bitmap<BITMAP_WIDTH>>,
}

/// The members that a set asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum AskedMembers {
    /// Those of a smaller rank: members and sets that ask are of one catalogue.
    Earlier,
    /// Those that are not larger.
    NotLarger,
    /// Those that are smaller.
    Smaller,
}

/// The two sides of a join through parts, and which pairs of them it compares.
#[derive(Clone, Copy)]
pub(super) struct Comparison<'j, 'c, 'a> {
    pub(super) members: &'j Side<'c, 'a>,
    /// The sets that ask, each for some of the members.
    pub(super) askers: &'j Side<'c, 'a>,
    pub(super) asks: AskedMembers,
    pub(super) rule: Resemblance,
    /// Members have fewer values than this.
    pub(super) member_size_end: usize,
}

impl AskedMembers {
    /// The end of the members that a set asks for, if their sizes fit: all of lower ranks.
    #[inline]
    fn end_of_asked(self, asker: Rank, askers: &Catalogue, members: &Catalogue) -> Rank {
        let size = askers.sizes()[asker as usize] as usize;
        match self {
            Self::Earlier => asker,
            Self::NotLarger => members.count_smaller_than(size + 1),
            Self::Smaller => members.count_smaller_than(size),
        }
    }
}

impl<'c, 'a> Side<'c, 'a> {
    /// Draws the bitmaps of all sets that may resemble one of fewer values than `member_size_end`:
    /// of those alone, since no larger one takes part in a join of such members.
    ///
    /// # Errors
    /// [`KernelError::NoReserve`] and [`KernelError::Interrupted`].
    pub(super) fn new(
        catalogue: &'c Catalogue<'a>,
        rule: Resemblance,
        member_size_end: usize,
        jobs: usize,
        progress: &Progress,
    ) -> Result<Self, KernelError> {
        let largest = rule.largest_partner(member_size_end.saturating_sub(1));
        let count = catalogue.count_smaller_than(largest + 1) as usize;
        let mut bitmaps = reserve::repeat_value([0; BITMAP_WIDTH], count)?;
        let size = piece_size(count);
        let mut team = Team::new(jobs, || ());
        team.fill_pieces_of_list(&mut bitmaps, size, progress, |(), piece, bitmaps, progress| {
            for (rank, drawn) in (saturate_to_u32(piece * size)..).zip(bitmaps) {
                let set = catalogue.set(rank);
                progress.spend_values(set.len() + JUMP)?;
                *drawn = make_bitmap(set);
            }
            Ok(())
        })?;
        Ok(Self { catalogue, bitmaps })
    }

    /// The ranks of the sets of these sizes.
    fn ranks_of_sizes(&self, sizes: Range<usize>) -> Range<Rank> {
        self.catalogue.count_smaller_than(sizes.start)..self.catalogue.count_smaller_than(sizes.end)
    }
}

/// Sets of a piece of work on `count` of them: they fill whole words of bits, and there are many
/// pieces.
fn piece_size(count: usize) -> usize {
    const WORD: usize = u64::BITS as usize;
    (count / WORD).next_multiple_of(WORD).clamp(WORD, 1 << 12)
}

/// Tells sinks, one of each of `jobs` threads, of every pair of a set that asks and a member that
/// it asks for, if they are alike. `take` takes what a sink has, each time some classes are done.
///
/// # Errors
/// [`KernelError::NoReserve`], [`KernelError::Interrupted`], or what a sink or `take` answers.
pub(super) fn join_classes<S: Sink>(
    comparison: Comparison,
    jobs: usize,
    sink: impl Fn() -> S,
    progress: &Progress,
    mut take: impl FnMut(&mut S) -> Result<(), KernelError>,
) -> Result<(), KernelError> {
    let Comparison { members, askers, rule, member_size_end, .. } = comparison;
    let mut team = Team::new(jobs, || ClassJoin::new(comparison, sink()));
    // A set is cut and counted once for each part, whether anything is found there or not.
    let work = |class: &Class| {
        let member_count = members.ranks_of_sizes(class.sizes.clone()).len();
        let asking = askers.ranks_of_sizes(class.sizes.start..class.largest + 1).len();
        if member_count == 0 { 0 } else { (member_count + asking) * class.parts }
    };
    let sizes = members.catalogue.sizes();
    let end = member_size_end.min(sizes.last().map_or(0, |&size| size as usize + 1));
    let classes = || endless_classes(rule).take_while(|class| class.sizes.start < end);
    let all: usize = classes().map(|class| work(&class)).sum();
    let mut small = Vec::new();
    for class in classes() {
        progress.note_done(members.ranks_of_sizes(0..class.sizes.start).len(), sizes.len());
        let work = work(&class);
        if work <= all / SMALL_SHARE {
            small.push((work, class));
            continue;
        }
        join_class_and_forget_its_pairs(&mut team.borrow(), &class, progress)?;
        team.states().try_for_each(|asking| take(&mut asking.judged.sink))?;
    }
    // The largest first, so that no thread is left with one at the end.
    small.sort_by_key(|&(work, _)| std::cmp::Reverse(work));
    team.share_out(small.len(), progress, |asking, at, progress| {
        join_class_and_forget_its_pairs(&mut Team::of_one(asking), &small[at].1, progress)
    })?;
    team.states().try_for_each(|asking| take(&mut asking.judged.sink))
}

/// Joins one class, with bitmaps as wide as its sets differ; no other class has one of its pairs.
fn join_class_and_forget_its_pairs<S: Sink>(
    team: &mut Team<&mut ClassJoin<S>>,
    class: &Class,
    progress: &Progress,
) -> Result<(), KernelError> {
    if class.differing <= FOLDED {
        join_class_by_bitmaps::<2, S>(team, class, progress)?;
    } else {
        join_class_by_bitmaps::<4, S>(team, class, progress)?;
    }
    team.states().for_each(|asking| asking.judged.forget_pairs());
    Ok(())
}

/// Joins one class, some of the sets that ask at a time. Those of one catalogue with the members
/// are cut together with them, as far as there is room.
fn join_class_by_bitmaps<const W: usize, S: Sink>(
    team: &mut Team<&mut ClassJoin<S>>,
    class: &Class,
    progress: &Progress,
) -> Result<(), KernelError> {
    let Comparison { members, askers, asks, .. } = team.own_state().comparison;
    let member_ranks = members.ranks_of_sizes(class.sizes.clone());
    let mut left = askers.ranks_of_sizes(class.sizes.start..class.largest + 1);
    if member_ranks.is_empty() || left.is_empty() {
        return Ok(());
    }
    let reserve =
        CUT_BYTES * (members.catalogue.len() as usize).max(askers.catalogue.len() as usize);
    let at_once = (reserve / class.bytes_per_cut_set()).saturating_sub(member_ranks.len());
    // The members are listed again, part by part, for each batch that asks: half as many as they
    // are, lest most of the time go to lists, even where that takes more room.
    let at_once = saturate_to_u32(at_once.max(member_ranks.len() / 2).max(LEAST_AT_ONCE));
    let first = match asks {
        AskedMembers::Earlier => {
            member_ranks.start..left.end.min(member_ranks.end.saturating_add(at_once))
        }
        _ => member_ranks.clone(),
    };
    let most = first.len().max(left.len().min(at_once as usize));
    // Only where sets are found but for one value do members look into lists of askers.
    let asker_count = if class.but_one { most } else { 0 };
    let [scratch, mut other] = std::mem::take(&mut team.own_state().sums);
    let mut team =
        team.pair_each_state_with(|| ThreadLists::<W>::new(member_ranks.len(), asker_count))?;
    let catalogue = members.catalogue;
    let member_sums = CutSets::of(&mut team, catalogue, first.clone(), class, scratch, progress)?;
    if asks == AskedMembers::Earlier {
        let sums = &member_sums;
        ask::ask_all_parts(&mut team, class, &member_ranks, sums, sums, progress)?;
        left.start = first.end;
    }
    while !left.is_empty() {
        let some = left.start..left.end.min(left.start.saturating_add(at_once));
        let sums = CutSets::of(&mut team, askers.catalogue, some.clone(), class, other, progress)?;
        ask::ask_all_parts(&mut team, class, &member_ranks, &member_sums, &sums, progress)?;
        other = sums.into_scratch();
        left.start = some.end;
    }
    team.own_state().0.sums = [member_sums.into_scratch(), other];
    Ok(())
}
