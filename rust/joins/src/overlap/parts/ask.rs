//! Part by part, the sets that ask look into the lists of the members, and where sets are found but
//! for one value, the members into the lists of those that ask.

use super::choice::{Bounds, PartChoice};
use super::classes::Class;
use super::counts::ListLevels;
use super::cut::CutSets;
use super::judged::{PairJudge, Sink};
use super::lists::{Lists, upper_bits};
use super::{AskedMembers, Comparison, Side};
use crate::error::KernelError;
use crate::overlap::bitmap::xor_fold_bitmap;
use crate::parallel::Team;
use crate::progress::Progress;
use crate::reserve;
use crate::sets::saturate_to_u32;
use crate::simd::bitmaps::{Question, each_near_bitmap};
use crate::simd::prefetch::prefetch;
use std::ops::Range;

/// Questions that are answered together, and about how many bitmaps they look at.
const QUESTIONS_TOGETHER: usize = 64;
const BITMAPS_TOGETHER: usize = 1 << 16;

/// Pairs that are judged together at the most.
const MOST_FOUND: usize = 1 << 20;

/// A longer list is asked family by family.
pub(super) const LONG_LIST: usize = 64;

/// Up to two to the power of as many lists are asked in any order. Of more, the questions are sorted
/// by the first bits of their list: one stretch of lists is asked before the next, and stays near.
const UNSORTED_BITS: u32 = 12;
/// The most stretches, as a power of two.
const MOST_STRETCH_BITS: u32 = 8;

/// The sets that ask, those that they ask for, and what was found.
pub(super) struct ClassJoin<'j, 'c, 'a, S> {
    pub(super) comparison: Comparison<'j, 'c, 'a>,
    pub(super) judged: PairJudge<'j, 'c, 'a, S>,
    /// Pairs of a set that asks and a member.
    pub(super) found: Vec<(u32, u32)>,
    questions: Vec<(u32, u32)>,
    ordered: Vec<(u32, u32)>,
    /// Lists that are reused: the first write to a new page is a page fault, which is expensive.
    levels: Vec<u8>,
    pub(super) sums: [Vec<u32>; 2],
}

/// Room for the lists of a class that one thread makes.
pub(super) struct ThreadLists<const W: usize> {
    member_lists: Lists<W>,
    /// Those of the sets that ask, for members that look back.
    asker_lists: Lists<W>,
    /// True if all members are in one list now.
    has_all_members: bool,
}

impl<const W: usize> ThreadLists<W> {
    /// For lists of `members` sets, and of `askers` that members look for.
    ///
    /// # Errors
    /// [`KernelError::NoReserve`].
    pub(super) fn new(members: usize, askers: usize) -> Result<Self, KernelError> {
        Ok(Self {
            member_lists: Lists::new(members)?,
            asker_lists: Lists::new(askers)?,
            has_all_members: false,
        })
    }
}

/// Some sets that look into lists, or are listed.
#[derive(Clone, Copy)]
struct SetGroup<'g, const W: usize> {
    /// The rank of the first.
    first: u32,
    sizes: &'g [u32],
    bitmaps: &'g [[u64; W]],
    /// The most values in which a set of each size may differ from what it looks for.
    most_differing: &'g [u32],
}

/// Sets that look at all members one after the other.
const SCANNERS_TOGETHER: usize = 64;

/// Finds what some sets ask a class for, and judges it. The cut of the members, who come first
/// there, may be that of the sets that ask.
///
/// # Errors
/// Those of the sinks, [`KernelError::NoReserve`] and [`KernelError::Interrupted`].
pub(super) fn ask_all_parts<const W: usize, S: Sink>(
    team: &mut Team<(&mut &mut ClassJoin<S>, ThreadLists<W>)>,
    class: &Class,
    member_ranks: &Range<u32>,
    (listed, asking): (&CutSets, &CutSets),
    progress: &Progress,
) -> Result<(), KernelError> {
    let shape = (class.parts, class.but_one);
    let scratch = std::mem::take(&mut team.own_state().0.levels);
    let counts =
        ListLevels::of(team, (listed, member_ranks.len()), asking, shape, scratch, progress)?;
    let size = super::piece_size(asking.count);
    let choices =
        team.share_out(asking.count.div_ceil(size), progress, |(own, _), piece, progress| {
            let columns = piece * size..asking.count.min((piece + 1) * size);
            progress.spend_values(class.parts * columns.len())?;
            PartChoice::of(class, columns, &counts, |column| {
                own.bounds_of(class, member_ranks, asking, column)
            })
        })?;
    let own = &mut *team.own_state().0;
    own.levels = counts.into_scratch();
    let Comparison { members, askers, .. } = own.comparison;
    let (asker_limits, member_limits) = own.make_differing_limits(class);
    let asker_ranks = asking.first..asking.first + saturate_to_u32(asking.count);
    let member_bitmaps =
        make_folded_bitmaps::<W, _>(team, members, member_ranks.clone(), progress)?;
    let asker_bitmaps = make_folded_bitmaps::<W, _>(team, askers, asker_ranks.clone(), progress)?;
    let member_group = SetGroup {
        first: member_ranks.start,
        sizes: &members.catalogue.sizes()[member_ranks.start as usize..member_ranks.end as usize],
        bitmaps: &member_bitmaps,
        most_differing: &member_limits,
    };
    let asker_group = SetGroup {
        first: asking.first,
        sizes: &askers.catalogue.sizes()[asker_ranks.start as usize..asker_ranks.end as usize],
        bitmaps: &asker_bitmaps,
        most_differing: &asker_limits,
    };
    let groups = (&asker_group, &member_group);
    team.states().for_each(|(_, room)| room.has_all_members = false);
    team.share_out(class.parts, progress, |(own, room), part, progress| {
        own.ask_part(class, (listed, asking), (part, &choices), groups, room, progress)
    })?;
    let all: Vec<u32> = choices.iter().flat_map(|choice| choice.scanners.iter().copied()).collect();
    let shares: Vec<&[u32]> = all.chunks(SCANNERS_TOGETHER).collect();
    team.share_out(shares.len(), progress, |(own, room), share, progress| {
        own.compare_without_lists(class, member_ranks, shares[share], groups, room, progress)
    })?;
    Ok(())
}

impl<'j, 'c, 'a, S: Sink> ClassJoin<'j, 'c, 'a, S> {
    pub(super) fn new(comparison: Comparison<'j, 'c, 'a>, sink: S) -> Self {
        let judged = PairJudge::new(comparison, sink);
        let (found, questions, ordered) = (Vec::new(), Vec::new(), Vec::new());
        let (levels, sums) = Default::default();
        Self { comparison, judged, found, questions, ordered, levels, sums }
    }

    /// The members before this rank are those that a set asks for, if their sizes fit.
    #[inline]
    fn end_of_asked(&self, asker: u32) -> u32 {
        let size = self.comparison.askers.catalogue.sizes()[asker as usize] as usize;
        match self.comparison.asks {
            AskedMembers::Earlier => asker,
            AskedMembers::NotLarger => {
                self.comparison.members.catalogue.count_smaller_than(size + 1)
            }
            AskedMembers::Smaller => self.comparison.members.catalogue.count_smaller_than(size),
        }
    }

    /// Finds what the sets that have chosen a part find in it, and judges it.
    fn ask_part<const W: usize>(
        &mut self,
        class: &Class,
        (listed, asking): (&CutSets, &CutSets),
        (part, choices): (usize, &[PartChoice]),
        (askers, members): (&SetGroup<W>, &SetGroup<W>),
        room: &mut ThreadLists<W>,
        progress: &Progress,
    ) -> Result<(), KernelError> {
        let ThreadLists { member_lists: lists, asker_lists, .. } = room;
        let member_count = members.bitmaps.len();
        progress.spend_values(member_count + asking.count)?;
        let sums = &listed.sums(part)[..member_count];
        let each = sums.iter().enumerate().map(|(column, &sum)| (sum, column as u32));
        lists.fill(each, members.bitmaps);
        self.note_questions(choices, asking, lists, part)?;
        self.look_into_lists(lists, askers, members, false, progress)?;
        if class.but_one {
            let sums = asking.sums(part);
            let off_by_one = choices.iter().flat_map(|choice| choice.columns_for_off_by_one(part));
            let off_by_one: Vec<(u32, u32)> =
                off_by_one.map(|column| (sums[column], column as u32)).collect();
            asker_lists.fill(off_by_one.iter().copied(), askers.bitmaps);
            self.questions.clear();
            let columns = listed.sums(part)[..member_count].iter().zip(listed.hashes(part));
            for (column, (sum, hashes)) in (0..).zip(columns) {
                for hash in hashes {
                    // The member has the value more: less its hash it is the sum of the asker.
                    let sum = sum.wrapping_sub(*hash);
                    if asker_lists.may_have(sum) {
                        reserve::push(&mut self.questions, (sum, column))?;
                    }
                }
            }
            self.look_into_lists(asker_lists, members, askers, true, progress)?;
        }
        self.judged.judge_found(&mut self.found, progress)
    }

    /// The bounds on what a set may find in a class.
    fn bounds_of(
        &self,
        class: &Class,
        member_ranks: &Range<u32>,
        asking: &CutSets,
        column: usize,
    ) -> Bounds {
        let rank = asking.first + column as u32;
        let fitting = self.members_of_fitting_sizes(class, member_ranks, rank);
        let size = self.comparison.askers.catalogue.sizes()[rank as usize] as usize;
        let differing = self.comparison.rule.most_differing(size, size.min(class.sizes.end - 1));
        // Equal sets of one catalogue are one set.
        let none = differing == 0 && self.comparison.asks == AskedMembers::Earlier;
        Bounds { differing, sets: if none { 0 } else { fitting.len() } }
    }

    /// The members of fitting sizes that a set asks for.
    fn members_of_fitting_sizes(
        &self,
        class: &Class,
        member_ranks: &Range<u32>,
        rank: u32,
    ) -> Range<u32> {
        let size = self.comparison.askers.catalogue.sizes()[rank as usize] as usize;
        let smallest = self.comparison.rule.smallest_partner(size).max(class.sizes.start);
        let start = self.comparison.members.catalogue.count_smaller_than(smallest);
        start..self.end_of_asked(rank).min(member_ranks.end).max(start)
    }

    /// The most values in which a set of each size may differ from members, and a member from sets
    /// that ask.
    fn make_differing_limits(&self, class: &Class) -> (Vec<u32>, Vec<u32>) {
        let last = class.sizes.end - 1;
        let limit = |size: usize, other: usize| {
            saturate_to_u32(self.comparison.rule.most_differing(size, other))
        };
        let asker = (0..=class.largest).map(|size| limit(size, size.min(last))).collect();
        let member = (0..=last)
            .map(|size| limit(size, self.comparison.rule.largest_partner(size)))
            .collect();
        (asker, member)
    }

    /// Notes the sums that sets look for in a part, those but for one value only where they may be
    /// there.
    fn note_questions<const W: usize>(
        &mut self,
        choices: &[PartChoice],
        asking: &CutSets,
        lists: &Lists<W>,
        part: usize,
    ) -> Result<(), KernelError> {
        self.questions.clear();
        let sums = asking.sums(part);
        reserve::make_room(&mut self.questions, asking.count)?;
        let equal = choices.iter().flat_map(|choice| choice.columns_for_equal(part));
        let equal = equal.map(|column| (sums[column], column as u32));
        self.questions.extend(equal.filter(|&(sum, _)| lists.may_have(sum)));
        // Columns ascend here as they do in the cut, so that one pass meets all of them.
        let mut off_by_one =
            choices.iter().flat_map(|choice| choice.columns_for_off_by_one(part)).peekable();
        for (column, hashes) in asking.hashes(part).enumerate() {
            if off_by_one.next_if_eq(&column).is_none() {
                continue;
            }
            for hash in hashes {
                // Sums are without order: less one hash, it is the sum of a member that lacks this
                // value.
                let sum = sums[column].wrapping_sub(*hash);
                if lists.may_have(sum) {
                    reserve::push(&mut self.questions, (sum, column as u32))?;
                }
            }
        }
        Ok(())
    }

    /// Looks into the lists for the questions that were noted; `members_ask` if it is the members
    /// that look.
    fn look_into_lists<const W: usize>(
        &mut self,
        lists: &mut Lists<W>,
        own: &SetGroup<W>,
        listed: &SetGroup<W>,
        members_ask: bool,
        progress: &Progress,
    ) -> Result<(), KernelError> {
        sort_by_stretch(&self.questions, lists.list_bits(), &mut self.ordered)?;
        let ordered = std::mem::take(&mut self.ordered);
        let mut batch: Vec<Question<W>> = Vec::with_capacity(QUESTIONS_TOGETHER);
        let mut length = 0;
        for (place, &(sum, column)) in ordered.iter().enumerate() {
            // All that this batch reads is asked for first, and is read when the batch is full: the
            // bitmap of the question is filled in then.
            let list = lists.places_of(sum);
            prefetch(&lists.bitmaps[list.start as usize..]);
            prefetch(&own.bitmaps[column as usize..]);
            length += list.len();
            let (from, to) = (list.start, list.end);
            batch.push(Question { key: column, most: 0, from, to, bitmap: [0; W] });
            if batch.len() < QUESTIONS_TOGETHER
                && length < BITMAPS_TOGETHER
                && place + 1 < ordered.len()
            {
                continue;
            }
            for question in &mut batch {
                *question = own.question(question.key, question.from..question.to);
            }
            progress.spend_values(length / 2 + batch.len())?;
            if S::FAMILIES {
                self.ask_long_lists(
                    lists,
                    &mut batch,
                    (own.first, listed.first, members_ask),
                    progress,
                )?;
            }
            self.compare_bitmaps(lists, &batch, own.first, listed.first, members_ask)?;
            if self.found.len() > MOST_FOUND {
                self.judged.judge_found(&mut self.found, progress)?;
            }
            batch.clear();
            length = 0;
        }
        self.ordered = ordered;
        Ok(())
    }

    /// Compares bitmaps; what is near is found.
    fn compare_bitmaps<const W: usize>(
        &mut self,
        lists: &Lists<W>,
        batch: &[Question<W>],
        own: u32,
        listed: u32,
        members_ask: bool,
    ) -> Result<(), KernelError> {
        let length: usize = batch.iter().map(|one| (one.to - one.from) as usize).sum();
        let mut found = std::mem::take(&mut self.found);
        reserve::make_room(&mut found, length)?;
        each_near_bitmap(batch, &lists.bitmaps, &mut |column, place| {
            let (own, other) = (own + column, listed + lists.columns[place as usize]);
            let (asker, member) = if members_ask { (other, own) } else { (own, other) };
            if member < self.end_of_asked(asker) {
                found.push((asker, member));
            }
        });
        self.found = found;
        Ok(())
    }

    /// Asks the lists that are long family by family, and drops those questions.
    fn ask_long_lists<const W: usize>(
        &mut self,
        lists: &mut Lists<W>,
        batch: &mut Vec<Question<W>>,
        (own, listed, members_ask): (u32, u32, bool),
        progress: &Progress,
    ) -> Result<(), KernelError> {
        let is_long = |one: &Question<W>| (one.to - one.from) as usize >= LONG_LIST;
        for question in batch.iter().filter(|one| is_long(one)) {
            self.ask_families(
                lists,
                question,
                (own + question.key, members_ask),
                listed,
                progress,
            )?;
        }
        batch.retain(|one| !is_long(one));
        Ok(())
    }

    /// Compares sets whose lists are too long with all members of fitting sizes.
    fn compare_without_lists<const W: usize>(
        &mut self,
        class: &Class,
        member_ranks: &Range<u32>,
        askers: &[u32],
        (own, listed): (&SetGroup<W>, &SetGroup<W>),
        room: &mut ThreadLists<W>,
        progress: &Progress,
    ) -> Result<(), KernelError> {
        let lists = &mut room.member_lists;
        let all_members = 0..listed.bitmaps.len() as u32;
        if !room.has_all_members {
            // The lists of parts are overwritten: all parts are done by now.
            lists.fill_one(listed.bitmaps);
            room.has_all_members = true;
        }
        for &column in askers {
            let fitting = self.members_of_fitting_sizes(class, member_ranks, own.first + column);
            progress.spend_values(fitting.len() / 2 + QUESTIONS_TOGETHER)?;
            if S::FAMILIES && all_members.len() >= LONG_LIST {
                let question = own.question(column, all_members.clone());
                let asker = (own.first + column, false);
                self.ask_families(lists, &question, asker, listed.first, progress)?;
                continue;
            }
            let list = fitting.start - member_ranks.start..fitting.end - member_ranks.start;
            self.compare_bitmaps(
                lists,
                &[own.question(column, list)],
                own.first,
                listed.first,
                false,
            )?;
            if self.found.len() > BITMAPS_TOGETHER {
                self.judged.judge_found(&mut self.found, progress)?;
            }
        }
        self.judged.judge_found(&mut self.found, progress)
    }
}

impl<const W: usize> SetGroup<'_, W> {
    fn question(&self, column: u32, list: Range<u32>) -> Question<W> {
        let place = column as usize;
        Question {
            key: column,
            most: self.most_differing[self.sizes[place] as usize],
            from: list.start,
            to: list.end,
            bitmap: self.bitmaps[place],
        }
    }
}

/// The folded bitmaps of some sets.
fn make_folded_bitmaps<const W: usize, T: Send>(
    team: &mut Team<T>,
    side: &Side,
    ranks: Range<u32>,
    progress: &Progress,
) -> Result<Vec<[u64; W]>, KernelError> {
    let mut bitmaps = reserve::repeat_value([0; W], ranks.len())?;
    let of = &side.bitmaps[ranks.start as usize..ranks.end as usize];
    let size = super::piece_size(ranks.len());
    team.fill_pieces_of_list(&mut bitmaps, size, progress, |_, piece, bitmaps, _| {
        for (bitmap, of) in bitmaps.iter_mut().zip(&of[piece * size..]) {
            *bitmap = xor_fold_bitmap::<{ super::BITMAP_WIDTH }, W>(of);
        }
        Ok(())
    })?;
    Ok(bitmaps)
}

/// Puts questions in the order of the stretch of the lists that they look at.
fn sort_by_stretch(
    questions: &[(u32, u32)],
    bits: u32,
    ordered: &mut Vec<(u32, u32)>,
) -> Result<(), KernelError> {
    ordered.clear();
    reserve::make_room(ordered, questions.len())?;
    let bits = bits.saturating_sub(UNSORTED_BITS).min(MOST_STRETCH_BITS);
    if bits == 0 {
        ordered.extend_from_slice(questions);
        return Ok(());
    }
    let mut starts = [0; (1 << MOST_STRETCH_BITS) + 1];
    for &(sum, _) in questions {
        starts[upper_bits(sum, bits) + 1] += 1;
    }
    for stretch in 0..1 << MOST_STRETCH_BITS {
        starts[stretch + 1] += starts[stretch];
    }
    ordered.resize(questions.len(), (0, 0));
    for &question in questions {
        let start = &mut starts[upper_bits(question.0, bits)];
        ordered[*start] = question;
        *start += 1;
    }
    Ok(())
}
