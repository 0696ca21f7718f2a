//! Part by part, the sets that ask look into the lists of the members, and where sets are found but
//! for one value, the members into the lists of those that ask.

use super::choice::{Findable, PartChoice};
use super::classes::Class;
use super::counts::ListLevels;
use super::cut::CutSets;
use super::judged::{PairJudge, Sink};
use super::lists::{ColumnSum, Lists, bucket_of_sum};
use super::{AskedMembers, Comparison, Side};
use crate::error::KernelError;
use crate::overlap::bitmap::xor_fold_bitmap;
use crate::overlap::catalogue::Rank;
use crate::parallel::Team;
use crate::progress::Progress;
use crate::reserve;
use crate::sets::saturate_to_u32;
use crate::simd::bitmaps::{BitmapQuestion, each_near_bitmap};
use crate::simd::prefetch::prefetch;
use std::ops::Range;

/// Questions that are answered together, and about how many bitmaps they look at: what all of them
/// read is asked of the memory before the first is answered, so that they wait together, and room
/// is made for as many hits.
const QUESTIONS_TOGETHER: usize = 64;
const BITMAPS_TOGETHER: usize = 1 << 16;

/// Pairs that are judged together at the most, of eight bytes each.
const MOST_FOUND: usize = 1 << 20;

/// A list of as many sets is asked family by family: to look up the roots of its families costs as
/// much as some bitmaps, and is done once for many questions.
pub(super) const LONG_LIST: usize = 64;

/// Up to two to the power of as many lists are asked in any order: with about a set to a list, all
/// their bitmaps are some 100 KB, and stay near. Of more, the questions are sorted by the first bits
/// of their list: one stretch of lists is asked before the next, and stays near.
const UNSORTED_BITS: u32 = 12;
/// The most stretches, as a power of two: as many places are written at once, and should be in the
/// cache.
const MOST_STRETCH_BITS: u32 = 8;

/// The sets that ask, those that they ask for, and what was found.
pub(super) struct ClassJoin<'j, 'c, 'a, S> {
    pub(super) comparison: Comparison<'j, 'c, 'a>,
    pub(super) judged: PairJudge<'j, 'c, 'a, S>,
    /// Pairs of a set that asks and a member.
    pub(super) found: Vec<(Rank, Rank)>,
    /// The sums whose lists are looked into, each with the set that looks for it.
    questions: Vec<ColumnSum>,
    ordered: Vec<ColumnSum>,
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
    first: Rank,
    sizes: &'g [u32],
    bitmaps: &'g [[u64; W]],
    /// The most values in which a set of each size may differ from what it looks for.
    most_differing: &'g [u32],
}

/// A class, its members and some sets that ask, with what threads need to find who is near whom.
struct ClassRound<'r, const W: usize> {
    class: &'r Class,
    member_ranks: &'r Range<Rank>,
    /// The cut of the members, which come first there; it may be that of the sets that ask.
    listed: &'r CutSets,
    asking: &'r CutSets,
    choices: &'r [PartChoice],
    askers: SetGroup<'r, W>,
    members: SetGroup<'r, W>,
}

/// The sets that look into lists, and those that are listed.
#[derive(Clone, Copy)]
pub(super) struct Lookup {
    /// The rank of the first set that looks: its column is 0.
    pub(super) first_looking: Rank,
    /// The rank of the first listed set.
    pub(super) first_listed: Rank,
    /// True if members look into the lists of the sets that ask.
    pub(super) members_look: bool,
}

impl Lookup {
    /// The set that asks, and the member, of a set that looks and a listed one.
    #[inline]
    pub(super) fn asker_and_member(self, looking: Rank, listed: Rank) -> (Rank, Rank) {
        if self.members_look { (listed, looking) } else { (looking, listed) }
    }
}

/// Sets that look at all members, given to a thread together: a share must be worth its hand-over,
/// and there should be more of them than threads.
const SCANNERS_TOGETHER: usize = 64;

/// Finds what some sets ask a class for, and judges it. The cut `listed` of the members, who come
/// first there, may be that of the sets that ask.
///
/// # Errors
/// Those of the sinks, [`KernelError::NoReserve`] and [`KernelError::Interrupted`].
pub(super) fn ask_all_parts<const W: usize, S: Sink>(
    team: &mut Team<(&mut &mut ClassJoin<S>, ThreadLists<W>)>,
    class: &Class,
    member_ranks: &Range<Rank>,
    listed: &CutSets,
    asking: &CutSets,
    progress: &Progress,
) -> Result<(), KernelError> {
    let scratch = std::mem::take(&mut team.own_state().0.levels);
    let counts =
        ListLevels::of(team, listed, member_ranks.len(), asking, class, scratch, progress)?;
    let size = super::piece_size(asking.count);
    let choices =
        team.share_out(asking.count.div_ceil(size), progress, |(own, _), piece, progress| {
            let columns = piece * size..asking.count.min((piece + 1) * size);
            progress.spend_values(class.parts * columns.len())?;
            PartChoice::of(class, columns, &counts, |column| {
                own.count_findable_members(class, member_ranks, asking.first + column as u32)
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
    let round = ClassRound {
        class,
        member_ranks,
        listed,
        asking,
        choices: &choices,
        askers: asker_group,
        members: member_group,
    };
    team.states().for_each(|(_, room)| room.has_all_members = false);
    team.share_out(class.parts, progress, |(own, room), part, progress| {
        own.ask_part(&round, part, room, progress)
    })?;
    let all: Vec<u32> = choices.iter().flat_map(|choice| choice.scanners.iter().copied()).collect();
    let shares: Vec<&[u32]> = all.chunks(SCANNERS_TOGETHER).collect();
    team.share_out(shares.len(), progress, |(own, room), share, progress| {
        own.compare_with_all_members(&round, shares[share], room, progress)
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
    fn end_of_asked(&self, asker: Rank) -> Rank {
        let Comparison { members, askers, asks, .. } = self.comparison;
        asks.end_of_asked(asker, askers.catalogue, members.catalogue)
    }

    /// Finds what the sets that have chosen a part find in it, and judges it.
    fn ask_part<const W: usize>(
        &mut self,
        round: &ClassRound<W>,
        part: usize,
        room: &mut ThreadLists<W>,
        progress: &Progress,
    ) -> Result<(), KernelError> {
        let &ClassRound { class, listed, asking, choices, askers, members, .. } = round;
        let ThreadLists { member_lists: lists, asker_lists, .. } = room;
        let member_count = members.bitmaps.len();
        progress.spend_values(member_count + asking.count)?;
        let sums = &listed.sums(part)[..member_count];
        let each = sums.iter().enumerate();
        let each = each.map(|(column, &sum)| ColumnSum { sum, column: column as u32 });
        lists.fill(each, members.bitmaps);
        self.note_questions(choices, asking, lists, part)?;
        self.look_into_lists(lists, &askers, &members, false, progress)?;
        if class.but_one {
            let sums = asking.sums(part);
            let off_by_one = choices.iter().flat_map(|choice| choice.columns_for_off_by_one(part));
            let off_by_one: Vec<ColumnSum> = off_by_one
                .map(|column| ColumnSum { sum: sums[column], column: column as u32 })
                .collect();
            asker_lists.fill(off_by_one.iter().copied(), askers.bitmaps);
            self.questions.clear();
            let columns = listed.sums(part)[..member_count].iter().zip(listed.hashes(part));
            for (column, (sum, hashes)) in (0..).zip(columns) {
                for hash in hashes {
                    // The member has the value more: less its hash it is the sum of the asker.
                    let sum = sum.wrapping_sub(*hash);
                    if asker_lists.may_have(sum) {
                        reserve::push(&mut self.questions, ColumnSum { sum, column })?;
                    }
                }
            }
            self.look_into_lists(asker_lists, &members, &askers, true, progress)?;
        }
        self.judged.judge_and_clear_found(&mut self.found, progress)
    }

    /// The members that a set may find by their sizes, counted.
    fn count_findable_members(
        &self,
        class: &Class,
        member_ranks: &Range<Rank>,
        asker: Rank,
    ) -> Findable {
        let fitting = self.members_of_fitting_sizes(class, member_ranks, asker);
        let size = self.comparison.askers.catalogue.sizes()[asker as usize] as usize;
        let largest = size.min(class.sizes.end - 1);
        let most_differing = self.comparison.rule.most_differing_up_to_size(size, largest);
        // Equal sets of one catalogue are one set.
        let none = most_differing == 0 && self.comparison.asks == AskedMembers::Earlier;
        Findable { most_differing, count: if none { 0 } else { fitting.len() } }
    }

    /// The members of fitting sizes that a set asks for.
    fn members_of_fitting_sizes(
        &self,
        class: &Class,
        member_ranks: &Range<Rank>,
        asker: Rank,
    ) -> Range<Rank> {
        let size = self.comparison.askers.catalogue.sizes()[asker as usize] as usize;
        let smallest = self.comparison.rule.smallest_partner(size).max(class.sizes.start);
        let start = self.comparison.members.catalogue.count_smaller_than(smallest);
        start..self.end_of_asked(asker).min(member_ranks.end).max(start)
    }

    /// The most values in which a set of each size may differ from members, and a member from sets
    /// that ask.
    fn make_differing_limits(&self, class: &Class) -> (Vec<u32>, Vec<u32>) {
        let last = class.sizes.end - 1;
        let rule = self.comparison.rule;
        let limit = |size: usize, largest: usize| {
            saturate_to_u32(rule.most_differing_up_to_size(size, largest))
        };
        let asker = (0..=class.largest).map(|size| limit(size, size.min(last))).collect();
        let member = (0..=last).map(|size| limit(size, rule.largest_partner(size))).collect();
        (asker, member)
    }

    /// Notes the sums that sets look for in a part, as far as they may be there, in the place of
    /// the questions before.
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
        let equal = equal.map(|column| ColumnSum { sum: sums[column], column: column as u32 });
        self.questions.extend(equal.filter(|asked| lists.may_have(asked.sum)));
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
                    let column = column as u32;
                    reserve::push(&mut self.questions, ColumnSum { sum, column })?;
                }
            }
        }
        Ok(())
    }

    /// Looks into the lists for the questions that were noted; `members_look` if it is the members
    /// that do.
    fn look_into_lists<const W: usize>(
        &mut self,
        lists: &mut Lists<W>,
        looking: &SetGroup<W>,
        listed: &SetGroup<W>,
        members_look: bool,
        progress: &Progress,
    ) -> Result<(), KernelError> {
        let lookup =
            Lookup { first_looking: looking.first, first_listed: listed.first, members_look };
        sort_by_stretch(&self.questions, lists.list_bits(), &mut self.ordered)?;
        let ordered = std::mem::take(&mut self.ordered);
        let mut batch: Vec<BitmapQuestion<W>> = Vec::with_capacity(QUESTIONS_TOGETHER);
        let mut length = 0;
        for (place, &ColumnSum { sum, column }) in ordered.iter().enumerate() {
            // All that this batch reads is asked for first, and is read when the batch is full: the
            // bitmap of the question is filled in then.
            let list = lists.places_of(sum);
            prefetch(&lists.bitmaps[list.start as usize..]);
            prefetch(&looking.bitmaps[column as usize..]);
            length += list.len();
            let (from, to) = (list.start, list.end);
            batch.push(BitmapQuestion { key: column, most: 0, from, to, bitmap: [0; W] });
            if batch.len() < QUESTIONS_TOGETHER
                && length < BITMAPS_TOGETHER
                && place + 1 < ordered.len()
            {
                continue;
            }
            for question in &mut batch {
                *question = looking.question(question.key, question.from..question.to);
            }
            progress.spend_values(length / 2 + batch.len())?;
            if S::FAMILIES {
                self.ask_and_drop_long_lists(lists, &mut batch, lookup, progress)?;
            }
            self.find_near_bitmaps(lists, &batch, lookup)?;
            if self.found.len() > MOST_FOUND {
                self.judged.judge_and_clear_found(&mut self.found, progress)?;
            }
            batch.clear();
            length = 0;
        }
        self.ordered = ordered;
        Ok(())
    }

    /// Adds to what was found the pairs whose bitmaps are near, as far as the one asks for the
    /// other.
    fn find_near_bitmaps<const W: usize>(
        &mut self,
        lists: &Lists<W>,
        batch: &[BitmapQuestion<W>],
        lookup: Lookup,
    ) -> Result<(), KernelError> {
        let length: usize = batch.iter().map(|one| (one.to - one.from) as usize).sum();
        let mut found = std::mem::take(&mut self.found);
        reserve::make_room(&mut found, length)?;
        each_near_bitmap(batch, &lists.bitmaps, &mut |column, place| {
            let listed = lookup.first_listed + lists.columns[place as usize];
            let (asker, member) = lookup.asker_and_member(lookup.first_looking + column, listed);
            if member < self.end_of_asked(asker) {
                found.push((asker, member));
            }
        });
        self.found = found;
        Ok(())
    }

    /// Asks the lists that are long family by family, and drops those questions.
    fn ask_and_drop_long_lists<const W: usize>(
        &mut self,
        lists: &mut Lists<W>,
        batch: &mut Vec<BitmapQuestion<W>>,
        lookup: Lookup,
        progress: &Progress,
    ) -> Result<(), KernelError> {
        let is_long = |one: &BitmapQuestion<W>| (one.to - one.from) as usize >= LONG_LIST;
        for question in batch.iter().filter(|one| is_long(one)) {
            self.ask_families(lists, question, lookup, progress)?;
        }
        batch.retain(|one| !is_long(one));
        Ok(())
    }

    /// Compares the sets of some columns, whose lists are too long, with all members of fitting
    /// sizes, and judges what is near; where families are asked for, family by family.
    fn compare_with_all_members<const W: usize>(
        &mut self,
        round: &ClassRound<W>,
        columns: &[u32],
        room: &mut ThreadLists<W>,
        progress: &Progress,
    ) -> Result<(), KernelError> {
        let ClassRound { class, member_ranks, askers, members, .. } = round;
        let lookup = Lookup {
            first_looking: askers.first,
            first_listed: members.first,
            members_look: false,
        };
        let lists = &mut room.member_lists;
        let all_members = 0..members.bitmaps.len() as u32;
        if !room.has_all_members {
            // The lists of parts are overwritten: all parts are done by now.
            lists.fill_one(members.bitmaps);
            room.has_all_members = true;
        }
        for &column in columns {
            let fitting = self.members_of_fitting_sizes(class, member_ranks, askers.first + column);
            progress.spend_values(fitting.len() / 2 + QUESTIONS_TOGETHER)?;
            if S::FAMILIES && all_members.len() >= LONG_LIST {
                let question = askers.question(column, all_members.clone());
                self.ask_families(lists, &question, lookup, progress)?;
                continue;
            }
            let list = fitting.start - member_ranks.start..fitting.end - member_ranks.start;
            self.find_near_bitmaps(lists, &[askers.question(column, list)], lookup)?;
            if self.found.len() > BITMAPS_TOGETHER {
                self.judged.judge_and_clear_found(&mut self.found, progress)?;
            }
        }
        self.judged.judge_and_clear_found(&mut self.found, progress)
    }
}

impl<const W: usize> SetGroup<'_, W> {
    fn question(&self, column: u32, list: Range<u32>) -> BitmapQuestion<W> {
        let place = column as usize;
        BitmapQuestion {
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

/// Puts questions in the order of the stretches of lists that they look at; of a few lists, as they
/// are.
fn sort_by_stretch(
    questions: &[ColumnSum],
    bits: u32,
    ordered: &mut Vec<ColumnSum>,
) -> Result<(), KernelError> {
    ordered.clear();
    reserve::make_room(ordered, questions.len())?;
    let bits = bits.saturating_sub(UNSORTED_BITS).min(MOST_STRETCH_BITS);
    if bits == 0 {
        ordered.extend_from_slice(questions);
        return Ok(());
    }
    let mut starts = [0; (1 << MOST_STRETCH_BITS) + 1];
    for question in questions {
        starts[bucket_of_sum(question.sum, bits) + 1] += 1;
    }
    for stretch in 0..1 << MOST_STRETCH_BITS {
        starts[stretch + 1] += starts[stretch];
    }
    ordered.resize(questions.len(), ColumnSum::default());
    for &question in questions {
        let start = &mut starts[bucket_of_sum(question.sum, bits)];
        ordered[*start] = question;
        *start += 1;
    }
    Ok(())
}
