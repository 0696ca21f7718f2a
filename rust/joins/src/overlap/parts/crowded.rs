//! Long lists, where families are asked for: boilerplate is in one list in almost all parts. Such a
//! list is put in the order of families, and a set asks each family only until one of it is alike.

use super::ask::ClassJoin;
use super::judged::Sink;
use super::lists::{FamilyOrder, Lists};
use crate::error::KernelError;
use crate::progress::Progress;
use crate::reserve;
use crate::simd::bitmaps::{Question, each_near_bitmap};
use std::ops::Range;

/// The fewest sets of one family that are asked together.
const LEAST_FAMILY: usize = 16;

/// The number of sets of a family that are looked at first, since most often one of them is alike,
/// and the most that are looked at together.
const FIRST_LOOK: u32 = 32;
const MOST_LOOK: u32 = 1 << 12;

impl<S: Sink> ClassJoin<'_, '_, '_, S> {
    /// Connects a set with what is like it in a long list, whose column 0 has the rank `first`;
    /// `members_ask` if it is a member, and the list is of sets that ask.
    ///
    /// # Errors
    /// Those of the sink, [`KernelError::NoReserve`] and [`KernelError::Interrupted`].
    pub(super) fn ask_families<const W: usize>(
        &mut self,
        lists: &mut Lists<W>,
        question: &Question<W>,
        (rank, members_ask): (u32, bool),
        first: u32,
        progress: &Progress,
    ) -> Result<(), KernelError> {
        let pair = |other: u32| if members_ask { (other, rank) } else { (rank, other) };
        let list = question.from..question.to;
        // Taken out, since making a new order moves the sets of the lists; put back below.
        let mut order = match lists.orders.remove(&list.start) {
            Some(order) => order,
            None => self.order_by_family(lists, &list, (first, members_ask))?,
        };
        let mut near_ranks = Vec::new();
        for family in &order.families {
            let (asker, member) = pair(first + lists.columns[family.start as usize]);
            if self.judged.is_settled(asker, member) {
                continue;
            }
            let (mut from, mut step) = (family.start, FIRST_LOOK);
            while from < family.end {
                let to = family.end.min(from + step);
                progress.spend_values((to - from) as usize)?;
                push_near_ranks(lists, Question { from, to, ..*question }, first, &mut near_ranks)?;
                if self.judge_each(near_ranks.drain(..).map(pair), true, progress)? {
                    break;
                }
                (from, step) = (to, (2 * step).min(MOST_LOOK));
            }
        }
        progress.spend_values((list.end - order.rest) as usize)?;
        push_near_ranks(lists, Question { from: order.rest, ..*question }, first, &mut near_ranks)?;
        let before = near_ranks.len();
        near_ranks.retain(|&other| {
            let (asker, member) = pair(other);
            !self.judged.is_settled(asker, member)
        });
        order.met += (before - near_ranks.len()) as u32;
        self.judge_each(near_ranks.drain(..).map(pair), false, progress)?;
        // Families grow while lists are asked. A new order reads the list once, and so costs no
        // more than the looks that it saves.
        if order.met as usize > list.len() {
            order = self.order_by_family(lists, &list, (first, members_ask))?;
        }
        lists.orders.insert(list.start, order);
        Ok(())
    }

    /// Puts a list in the order of families.
    fn order_by_family<const W: usize>(
        &mut self,
        lists: &mut Lists<W>,
        list: &Range<u32>,
        (first, members_ask): (u32, bool),
    ) -> Result<FamilyOrder, KernelError> {
        let mut keyed: Vec<(u32, u32)> = reserve::new_list(list.len())?;
        for place in list.clone() {
            let rank = first + lists.columns[place as usize];
            // The list is of one side: its name on the other one is not used.
            let (asker, member) = self.judged.sink.names_of_pair(rank, rank);
            let root = self.judged.sink.root_of_name(if members_ask { asker } else { member });
            keyed.push((root, place));
        }
        keyed.sort_unstable();
        let (mut families, mut places, mut rest) = (Vec::new(), Vec::new(), Vec::new());
        reserve::make_room(&mut places, list.len())?;
        for family in keyed.chunk_by(|a, b| a.0 == b.0) {
            // Asking a family takes a look-up of its root, which a few bitmaps do not pay for.
            if family.len() < LEAST_FAMILY {
                rest.extend(family.iter().map(|&(_, place)| place));
                continue;
            }
            let start = list.start + places.len() as u32;
            places.extend(family.iter().map(|&(_, place)| place));
            families.push(start..list.start + places.len() as u32);
        }
        let end = list.start + places.len() as u32;
        places.extend(rest);
        lists.reorder_list(list.start, &places)?;
        Ok(FamilyOrder { families, rest: end, met: 0 })
    }

    /// Judges pairs of a set that asks and a member; true if one is alike and one is enough.
    fn judge_each(
        &mut self,
        pairs: impl Iterator<Item = (u32, u32)>,
        one_is_enough: bool,
        progress: &Progress,
    ) -> Result<bool, KernelError> {
        for (asker, member) in pairs {
            if !self.judged.is_settled(asker, member)
                && self.judged.may_be_alike(asker, member)
                && self.judged.judge_if_new(asker, member, progress)?
                && one_is_enough
            {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

/// The ranks of the listed sets whose bitmaps are near.
fn push_near_ranks<const W: usize>(
    lists: &Lists<W>,
    question: Question<W>,
    first: u32,
    ranks: &mut Vec<u32>,
) -> Result<(), KernelError> {
    reserve::make_room(ranks, (question.to - question.from) as usize)?;
    each_near_bitmap(&[question], &lists.bitmaps, &mut |_, place| {
        ranks.push(first + lists.columns[place as usize]);
    });
    Ok(())
}
