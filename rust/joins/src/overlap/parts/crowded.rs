//! Long lists, where families are asked for: boilerplate is in one list in almost all parts. Such a
//! list is put in the order of families, and a set asks each family only until one of it is alike.

use super::ask::{ClassJoin, Lookup};
use super::judged::{Judgement, Sink};
use super::lists::{FamilyOrder, Lists};
use crate::error::KernelError;
use crate::overlap::catalogue::Rank;
use crate::progress::Progress;
use crate::reserve;
use crate::simd::bitmaps::{BitmapQuestion, each_near_bitmap};
use std::ops::Range;

/// The fewest sets of one family that are asked together. Asking a family costs a look-up of its
/// root, and saves the bitmaps after the first one that is alike: of a few sets, that is little.
/// The same families are found at any value.
const LEAST_FAMILY: usize = 16;

/// The number of sets of a family that are looked at first, since most often one of them is alike,
/// and the most that are looked at together: those after the first alike one are looked at in vain.
const FIRST_LOOK: u32 = 32;
const MOST_LOOK: u32 = 1 << 12;

impl<S: Sink> ClassJoin<'_, '_, '_, S> {
    /// Connects a set with what is like it in a long list, which comes into the order of families.
    ///
    /// # Errors
    /// Those of the sink, [`KernelError::NoReserve`] and [`KernelError::Interrupted`].
    pub(super) fn ask_families<const W: usize>(
        &mut self,
        lists: &mut Lists<W>,
        question: &BitmapQuestion<W>,
        lookup: Lookup,
        progress: &Progress,
    ) -> Result<(), KernelError> {
        let (looking, first) = (lookup.first_looking + question.key, lookup.first_listed);
        let pair = |listed: Rank| lookup.asker_and_member(looking, listed);
        let list = question.from..question.to;
        // Taken out, since making a new order moves the sets of the lists; put back below.
        let mut order = match lists.orders.remove(&list.start) {
            Some(order) => order,
            None => self.order_by_family(lists, &list, lookup)?,
        };
        let mut near_ranks = Vec::new();
        for family in &order.families {
            let (asker, member) = pair(first + lists.columns[family.start as usize]);
            if self.judged.are_in_one_family(asker, member) {
                continue;
            }
            let (mut from, mut step) = (family.start, FIRST_LOOK);
            while from < family.end {
                let to = family.end.min(from + step);
                progress.spend_values((to - from) as usize)?;
                push_near_ranks_of_columns(
                    lists,
                    BitmapQuestion { from, to, ..*question },
                    first,
                    &mut near_ranks,
                )?;
                if self.judge_until_one_is_newly_alike(near_ranks.drain(..).map(pair), progress)? {
                    break;
                }
                (from, step) = (to, (2 * step).min(MOST_LOOK));
            }
        }
        progress.spend_values((list.end - order.rest) as usize)?;
        push_near_ranks_of_columns(
            lists,
            BitmapQuestion { from: order.rest, ..*question },
            first,
            &mut near_ranks,
        )?;
        let before = near_ranks.len();
        near_ranks.retain(|&other| {
            let (asker, member) = pair(other);
            !self.judged.are_in_one_family(asker, member)
        });
        order.met += (before - near_ranks.len()) as u32;
        for (asker, member) in near_ranks.drain(..).map(pair) {
            self.judge_if_possibly_alike(asker, member, progress)?;
        }
        // Families grow while lists are asked. A new order reads the list once, and so costs no
        // more than the looks that it saves.
        if order.met as usize > list.len() {
            order = self.order_by_family(lists, &list, lookup)?;
        }
        lists.orders.insert(list.start, order);
        Ok(())
    }

    /// Puts the sets of a list in the order of their families.
    fn order_by_family<const W: usize>(
        &mut self,
        lists: &mut Lists<W>,
        list: &Range<u32>,
        lookup: Lookup,
    ) -> Result<FamilyOrder, KernelError> {
        let mut keyed: Vec<(u32, u32)> = reserve::new_list(list.len())?;
        for place in list.clone() {
            let rank = lookup.first_listed + lists.columns[place as usize];
            let sink = &self.judged.sink;
            let node = match lookup.members_look {
                true => sink.node_of_asker(rank),
                false => sink.node_of_member(rank),
            };
            keyed.push((sink.root_of_node(node), place));
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

    /// Judges pairs of a set that asks and a member one after the other; returns whether one was
    /// newly alike, and the rest was left.
    fn judge_until_one_is_newly_alike(
        &mut self,
        pairs: impl Iterator<Item = (Rank, Rank)>,
        progress: &Progress,
    ) -> Result<bool, KernelError> {
        for (asker, member) in pairs {
            let judgement = self.judge_if_possibly_alike(asker, member, progress)?;
            if judgement == Judgement::NewlyAlike {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Judges a pair, unless both are in one family or bitmaps tell them apart.
    fn judge_if_possibly_alike(
        &mut self,
        asker: Rank,
        member: Rank,
        progress: &Progress,
    ) -> Result<Judgement, KernelError> {
        if self.judged.are_in_one_family(asker, member) || !self.judged.may_be_alike(asker, member)
        {
            return Ok(Judgement::UnlikeOrKnown);
        }
        self.judged.judge_once(asker, member, progress)
    }
}

/// Appends the ranks of the listed sets whose bitmaps are near.
fn push_near_ranks_of_columns<const W: usize>(
    lists: &Lists<W>,
    question: BitmapQuestion<W>,
    rank_of_column_0: Rank,
    ranks: &mut Vec<Rank>,
) -> Result<(), KernelError> {
    reserve::make_room(ranks, (question.to - question.from) as usize)?;
    each_near_bitmap(&[question], &lists.bitmaps, &mut |_, place| {
        ranks.push(rank_of_column_0 + lists.columns[place as usize]);
    });
    Ok(())
}
