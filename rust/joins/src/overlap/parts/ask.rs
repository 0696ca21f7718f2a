//! Part by part, the sets that ask look into the lists of the members, and where sets are found but
//! for one value, the members into the lists of those that ask.

use super::choice::{Bounds, Choice};
use super::classes::Class;
use super::counts::Counts;
use super::cut::Cut;
use super::judged::{Judged, Sink};
use super::lists::{Lists, top};
use super::{Asks, Side};
use crate::error::KernelError;
use crate::overlap::bitmap::fold_bitmap;
use crate::overlap::ratio::Resemblance;
use crate::overlap::verdict::Verdict;
use crate::parallel::Team;
use crate::progress::Progress;
use crate::reserve;
use crate::sets::as_u32;
use crate::simd::bitmaps::{Question, near};
use crate::simd::prefetch::prefetch;
use std::ops::Range;

/// Questions that are answered together, and about how many bitmaps they look at.
const TOGETHER: usize = 64;
const LISTED: usize = 1 << 16;

/// Pairs that are judged together at the most.
const FOUND: usize = 1 << 20;

/// A longer list is asked family by family.
pub(super) const LONG: usize = 64;

/// Up to two to the power of as many lists are asked in any order. Of more, the questions are sorted
/// by the first bits of their list: one stretch of lists is asked before the next, and stays near.
const NEAR_BITS: u32 = 12;
/// The most stretches, as a power of two.
const MOST_STRETCH_BITS: u32 = 8;

/// The sets that ask, those that they ask for, and what was found.
pub(super) struct Asking<'j, 'c, 'a, S> {
    pub(super) members: &'j Side<'c, 'a>,
    pub(super) askers: &'j Side<'c, 'a>,
    pub(super) asks: Asks,
    rule: Resemblance,
    pub(super) judged: Judged<'j, 'c, 'a, S>,
    /// Pairs of a set that asks and a member.
    pub(super) found: Vec<(u32, u32)>,
    questions: Vec<(u32, u32)>,
    ordered: Vec<(u32, u32)>,
    /// Lists that are reused: the first write to a new page is a page fault, which is expensive.
    levels: Vec<u8>,
    pub(super) sums: [Vec<u32>; 2],
}

/// Room for the lists of a class that one thread makes.
pub(super) struct Room<const W: usize> {
    lists: Lists<W>,
    /// Those of the sets that ask, for members that look back.
    back: Lists<W>,
    /// True if all members are in one list now.
    is_whole: bool,
}

impl<const W: usize> Room<W> {
    /// For lists of `members` sets, and of `askers` that members look for.
    ///
    /// # Errors
    /// [`KernelError::NoReserve`].
    pub(super) fn new(members: usize, askers: usize) -> Result<Self, KernelError> {
        Ok(Self { lists: Lists::new(members)?, back: Lists::new(askers)?, is_whole: false })
    }
}

/// Some sets that look into lists, or are listed.
#[derive(Clone, Copy)]
struct Group<'g, const W: usize> {
    /// The rank of the first.
    first: u32,
    sizes: &'g [u32],
    bitmaps: &'g [[u64; W]],
    /// The most values in which a set of each size may differ from what it looks for.
    differing: &'g [u32],
}

/// Sets that look at all members one after the other.
const LOOKING: usize = 64;

/// Finds what some sets ask a class for, and judges it. The cut of the members, who come first
/// there, may be that of the sets that ask.
///
/// # Errors
/// Those of the sinks, [`KernelError::NoReserve`] and [`KernelError::Interrupted`].
pub(super) fn ask<const W: usize, S: Sink>(
    team: &mut Team<(&mut &mut Asking<S>, Room<W>)>,
    class: &Class,
    within: &Range<u32>,
    (listed, asking): (&Cut, &Cut),
    progress: &Progress,
) -> Result<(), KernelError> {
    let shape = (class.parts, class.but_one);
    let scratch = std::mem::take(&mut team.own().0.levels);
    let counts = Counts::of(team, (listed, within.len()), asking, shape, scratch, progress)?;
    let size = super::piece(asking.count);
    let choices =
        team.share(asking.count.div_ceil(size), progress, |(own, _), piece, progress| {
            let columns = piece * size..asking.count.min((piece + 1) * size);
            progress.tick(class.parts * columns.len())?;
            Choice::of(class, columns, &counts, |column| own.bounds(class, within, asking, column))
        })?;
    let own = &mut *team.own().0;
    own.levels = counts.into_scratch();
    let (members, askers) = (own.members, own.askers);
    let (asker_limits, member_limits) = own.limits(class);
    let asker_ranks = asking.first..asking.first + as_u32(asking.count);
    let member_bitmaps = bitmaps::<W, _>(team, members, within.clone(), progress)?;
    let asker_bitmaps = bitmaps::<W, _>(team, askers, asker_ranks.clone(), progress)?;
    let member_group = Group {
        first: within.start,
        sizes: &members.catalogue.sizes()[within.start as usize..within.end as usize],
        bitmaps: &member_bitmaps,
        differing: &member_limits,
    };
    let asker_group = Group {
        first: asking.first,
        sizes: &askers.catalogue.sizes()[asker_ranks.start as usize..asker_ranks.end as usize],
        bitmaps: &asker_bitmaps,
        differing: &asker_limits,
    };
    let groups = (&asker_group, &member_group);
    team.states().for_each(|(_, room)| room.is_whole = false);
    team.share(class.parts, progress, |(own, room), part, progress| {
        own.ask_part(class, (listed, asking), (part, &choices), groups, room, progress)
    })?;
    let all: Vec<u32> = choices.iter().flat_map(|choice| choice.all.iter().copied()).collect();
    let shares: Vec<&[u32]> = all.chunks(LOOKING).collect();
    team.share(shares.len(), progress, |(own, room), share, progress| {
        own.look_at_all(class, within, shares[share], groups, room, progress)
    })?;
    Ok(())
}

impl<'j, 'c, 'a, S: Sink> Asking<'j, 'c, 'a, S> {
    pub(super) fn new(
        members: &'j Side<'c, 'a>,
        askers: &'j Side<'c, 'a>,
        asks: Asks,
        (rule, verdict): (Resemblance, Verdict),
        sink: S,
    ) -> Self {
        let judged = Judged::new(members, askers, (rule, verdict), sink);
        let (found, questions, ordered) = (Vec::new(), Vec::new(), Vec::new());
        let (levels, sums) = Default::default();
        Self { members, askers, asks, rule, judged, found, questions, ordered, levels, sums }
    }

    /// The members before this rank are those that a set asks for, if their sizes fit.
    #[inline]
    fn end(&self, asker: u32) -> u32 {
        let size = self.askers.catalogue.sizes()[asker as usize] as usize;
        match self.asks {
            Asks::Earlier => asker,
            Asks::NotLarger => self.members.catalogue.smaller_than(size + 1),
            Asks::Smaller => self.members.catalogue.smaller_than(size),
        }
    }

    /// Finds what the sets that have chosen a part find in it, and judges it.
    fn ask_part<const W: usize>(
        &mut self,
        class: &Class,
        (listed, asking): (&Cut, &Cut),
        (part, choices): (usize, &[Choice]),
        (askers, members): (&Group<W>, &Group<W>),
        room: &mut Room<W>,
        progress: &Progress,
    ) -> Result<(), KernelError> {
        let Room { lists, back, .. } = room;
        let within = members.bitmaps.len();
        progress.tick(within + asking.count)?;
        let sums = &listed.sums(part)[..within];
        let each = sums.iter().enumerate().map(|(column, &sum)| (sum, column as u32));
        lists.fill(each, members.bitmaps);
        self.note_questions(choices, asking, lists, part)?;
        self.look(lists, askers, members, false, progress)?;
        if class.but_one {
            let sums = asking.sums(part);
            let near = choices.iter().flat_map(|choice| choice.near(part));
            let near: Vec<(u32, u32)> = near.map(|column| (sums[column], column as u32)).collect();
            back.fill(near.iter().copied(), askers.bitmaps);
            self.questions.clear();
            let columns = listed.sums(part)[..within].iter().zip(listed.hashes(part));
            for (column, (sum, hashes)) in (0..).zip(columns) {
                for hash in hashes {
                    let sum = sum.wrapping_sub(*hash);
                    if back.has(sum) {
                        reserve::push(&mut self.questions, (sum, column))?;
                    }
                }
            }
            self.look(back, members, askers, true, progress)?;
        }
        self.judged.take(&mut self.found, progress)
    }

    /// The bounds on what a set may find in a class.
    fn bounds(&self, class: &Class, within: &Range<u32>, asking: &Cut, column: usize) -> Bounds {
        let rank = asking.first + column as u32;
        let fitting = self.fitting(class, within, rank);
        let size = self.askers.catalogue.sizes()[rank as usize] as usize;
        let differing = self.rule.most_differing(size, size.min(class.sizes.end - 1));
        // Equal sets of one catalogue are one set.
        let none = differing == 0 && self.asks == Asks::Earlier;
        Bounds { differing, sets: if none { 0 } else { fitting.len() } }
    }

    /// The members of fitting sizes that a set asks for.
    fn fitting(&self, class: &Class, within: &Range<u32>, rank: u32) -> Range<u32> {
        let size = self.askers.catalogue.sizes()[rank as usize] as usize;
        let smallest = self.rule.smallest(size).max(class.sizes.start);
        let start = self.members.catalogue.smaller_than(smallest);
        start..self.end(rank).min(within.end).max(start)
    }

    /// The most values in which a set of each size may differ from members, and a member from sets
    /// that ask.
    fn limits(&self, class: &Class) -> (Vec<u32>, Vec<u32>) {
        let last = class.sizes.end - 1;
        let limit = |size: usize, other: usize| as_u32(self.rule.most_differing(size, other));
        let asker = (0..=class.largest).map(|size| limit(size, size.min(last))).collect();
        let member = (0..=last).map(|size| limit(size, self.rule.largest(size))).collect();
        (asker, member)
    }

    /// Notes the sums that sets look for in a part, those but for one value only where they may be
    /// there.
    fn note_questions<const W: usize>(
        &mut self,
        choices: &[Choice],
        asking: &Cut,
        lists: &Lists<W>,
        part: usize,
    ) -> Result<(), KernelError> {
        self.questions.clear();
        let sums = asking.sums(part);
        reserve::more(&mut self.questions, asking.count)?;
        let whole = choices.iter().flat_map(|choice| choice.whole(part));
        let whole = whole.map(|column| (sums[column], column as u32));
        self.questions.extend(whole.filter(|&(sum, _)| lists.has(sum)));
        let mut near = choices.iter().flat_map(|choice| choice.near(part)).peekable();
        for (column, hashes) in asking.hashes(part).enumerate() {
            if near.next_if_eq(&column).is_none() {
                continue;
            }
            for hash in hashes {
                let sum = sums[column].wrapping_sub(*hash);
                if lists.has(sum) {
                    reserve::push(&mut self.questions, (sum, column as u32))?;
                }
            }
        }
        Ok(())
    }

    /// Looks into the lists for the questions that were noted; `back` if it is the members that
    /// look.
    fn look<const W: usize>(
        &mut self,
        lists: &mut Lists<W>,
        own: &Group<W>,
        listed: &Group<W>,
        back: bool,
        progress: &Progress,
    ) -> Result<(), KernelError> {
        put_in_order(&self.questions, lists.bits(), &mut self.ordered)?;
        let ordered = std::mem::take(&mut self.ordered);
        let mut batch: Vec<Question<W>> = Vec::with_capacity(TOGETHER);
        let mut length = 0;
        for (place, &(sum, column)) in ordered.iter().enumerate() {
            let list = lists.list(sum);
            prefetch(&lists.bitmaps[list.start as usize..]);
            prefetch(&own.bitmaps[column as usize..]);
            length += list.len();
            let (from, to) = (list.start, list.end);
            batch.push(Question { key: column, most: 0, from, to, bitmap: [0; W] });
            if batch.len() < TOGETHER && length < LISTED && place + 1 < ordered.len() {
                continue;
            }
            for question in &mut batch {
                *question = own.question(question.key, question.from..question.to);
            }
            progress.tick(length / 2 + batch.len())?;
            if S::FAMILIES {
                self.ask_long(lists, &mut batch, (own.first, listed.first, back), progress)?;
            }
            self.compare(lists, &batch, own.first, listed.first, back)?;
            if self.found.len() > FOUND {
                self.judged.take(&mut self.found, progress)?;
            }
            batch.clear();
            length = 0;
        }
        self.ordered = ordered;
        Ok(())
    }

    /// Compares bitmaps; what is near is found.
    fn compare<const W: usize>(
        &mut self,
        lists: &Lists<W>,
        batch: &[Question<W>],
        own: u32,
        listed: u32,
        back: bool,
    ) -> Result<(), KernelError> {
        let length: usize = batch.iter().map(|one| (one.to - one.from) as usize).sum();
        let mut found = std::mem::take(&mut self.found);
        reserve::more(&mut found, length)?;
        near(batch, &lists.bitmaps, &mut |column, place| {
            let (own, other) = (own + column, listed + lists.columns[place as usize]);
            let (asker, member) = if back { (other, own) } else { (own, other) };
            if member < self.end(asker) {
                found.push((asker, member));
            }
        });
        self.found = found;
        Ok(())
    }

    /// Asks the lists that are long family by family, and drops those questions.
    fn ask_long<const W: usize>(
        &mut self,
        lists: &mut Lists<W>,
        batch: &mut Vec<Question<W>>,
        (own, listed, back): (u32, u32, bool),
        progress: &Progress,
    ) -> Result<(), KernelError> {
        let is_long = |one: &Question<W>| (one.to - one.from) as usize >= LONG;
        for question in batch.iter().filter(|one| is_long(one)) {
            self.ask_families(lists, question, (own + question.key, back), listed, progress)?;
        }
        batch.retain(|one| !is_long(one));
        Ok(())
    }

    /// Compares sets whose lists are too long with all members of fitting sizes.
    fn look_at_all<const W: usize>(
        &mut self,
        class: &Class,
        within: &Range<u32>,
        all: &[u32],
        (own, listed): (&Group<W>, &Group<W>),
        room: &mut Room<W>,
        progress: &Progress,
    ) -> Result<(), KernelError> {
        let lists = &mut room.lists;
        let whole = 0..listed.bitmaps.len() as u32;
        if !room.is_whole {
            lists.fill_one(listed.bitmaps);
            room.is_whole = true;
        }
        for &column in all {
            let fitting = self.fitting(class, within, own.first + column);
            progress.tick(fitting.len() / 2 + TOGETHER)?;
            if S::FAMILIES && whole.len() >= LONG {
                let question = own.question(column, whole.clone());
                let asker = (own.first + column, false);
                self.ask_families(lists, &question, asker, listed.first, progress)?;
                continue;
            }
            let list = fitting.start - within.start..fitting.end - within.start;
            self.compare(lists, &[own.question(column, list)], own.first, listed.first, false)?;
            if self.found.len() > LISTED {
                self.judged.take(&mut self.found, progress)?;
            }
        }
        self.judged.take(&mut self.found, progress)
    }
}

impl<const W: usize> Group<'_, W> {
    fn question(&self, column: u32, list: Range<u32>) -> Question<W> {
        let place = column as usize;
        Question {
            key: column,
            most: self.differing[self.sizes[place] as usize],
            from: list.start,
            to: list.end,
            bitmap: self.bitmaps[place],
        }
    }
}

/// The folded bitmaps of some sets.
fn bitmaps<const W: usize, T: Send>(
    team: &mut Team<T>,
    side: &Side,
    ranks: Range<u32>,
    progress: &Progress,
) -> Result<Vec<[u64; W]>, KernelError> {
    let mut bitmaps = reserve::repeat_value([0; W], ranks.len())?;
    let of = &side.bitmaps[ranks.start as usize..ranks.end as usize];
    let size = super::piece(ranks.len());
    team.fill(&mut bitmaps, size, progress, |_, piece, bitmaps, _| {
        for (bitmap, of) in bitmaps.iter_mut().zip(&of[piece * size..]) {
            *bitmap = fold_bitmap::<{ super::WORDS }, W>(of);
        }
        Ok(())
    })?;
    Ok(bitmaps)
}

/// Puts questions in the order of the stretch of the lists that they look at.
fn put_in_order(
    questions: &[(u32, u32)],
    bits: u32,
    ordered: &mut Vec<(u32, u32)>,
) -> Result<(), KernelError> {
    ordered.clear();
    reserve::more(ordered, questions.len())?;
    let bits = bits.saturating_sub(NEAR_BITS).min(MOST_STRETCH_BITS);
    if bits == 0 {
        ordered.extend_from_slice(questions);
        return Ok(());
    }
    let mut starts = [0; (1 << MOST_STRETCH_BITS) + 1];
    for &(sum, _) in questions {
        starts[top(sum, bits) + 1] += 1;
    }
    for stretch in 0..1 << MOST_STRETCH_BITS {
        starts[stretch + 1] += starts[stretch];
    }
    ordered.resize(questions.len(), (0, 0));
    for &question in questions {
        let start = &mut starts[top(question.0, bits)];
        ordered[*start] = question;
        *start += 1;
    }
    Ok(())
}
