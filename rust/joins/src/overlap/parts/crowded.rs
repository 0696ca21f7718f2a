//! Long lists, where families are asked for: boilerplate is in one list in almost all parts. Such a
//! list is put in the order of families, and a set asks each family only until one of it is alike.

use super::ask::Asking;
use super::judged::Sink;
use super::lists::{Lists, Order};
use crate::error::KernelError;
use crate::progress::Progress;
use crate::reserve;
use crate::simd::bitmaps::{Question, near};
use std::ops::Range;

/// The fewest sets of one family that are asked together.
const FAMILY: usize = 16;

/// The number of sets of a family that are looked at first, since most often one of them is alike,
/// and the most that are looked at together.
const FIRST: u32 = 32;
const MOST: u32 = 1 << 12;

impl<S: Sink> Asking<'_, '_, '_, S> {
    /// Connects a set with what is like it in a long list, whose column 0 has the rank `first`;
    /// `back` if it is a member, and the list is of sets that ask.
    ///
    /// # Errors
    /// Those of the sink, [`KernelError::NoReserve`] and [`KernelError::Interrupted`].
    pub(super) fn ask_families<const W: usize>(
        &mut self,
        lists: &mut Lists<W>,
        question: &Question<W>,
        (rank, back): (u32, bool),
        first: u32,
        progress: &Progress,
    ) -> Result<(), KernelError> {
        let pair = |other: u32| if back { (other, rank) } else { (rank, other) };
        let list = question.from..question.to;
        let mut order = match lists.orders.remove(&list.start) {
            Some(order) => order,
            None => self.order(lists, &list, (first, back))?,
        };
        let mut near = Vec::new();
        for family in &order.families {
            let (asker, member) = pair(first + lists.columns[family.start as usize]);
            if self.judged.is_settled(asker, member) {
                continue;
            }
            let (mut from, mut step) = (family.start, FIRST);
            while from < family.end {
                let to = family.end.min(from + step);
                progress.tick((to - from) as usize)?;
                alike(lists, Question { from, to, ..*question }, first, &mut near)?;
                if self.judge_each(near.drain(..).map(pair), true, progress)? {
                    break;
                }
                (from, step) = (to, (2 * step).min(MOST));
            }
        }
        progress.tick((list.end - order.rest) as usize)?;
        alike(lists, Question { from: order.rest, ..*question }, first, &mut near)?;
        let before = near.len();
        near.retain(|&other| {
            let (asker, member) = pair(other);
            !self.judged.is_settled(asker, member)
        });
        order.met += (before - near.len()) as u32;
        self.judge_each(near.drain(..).map(pair), false, progress)?;
        if order.met as usize > list.len() {
            order = self.order(lists, &list, (first, back))?;
        }
        lists.orders.insert(list.start, order);
        Ok(())
    }

    /// Puts a list in the order of families.
    fn order<const W: usize>(
        &mut self,
        lists: &mut Lists<W>,
        list: &Range<u32>,
        (first, back): (u32, bool),
    ) -> Result<Order, KernelError> {
        let mut keyed: Vec<(u32, u32)> = reserve::with(list.len())?;
        for place in list.clone() {
            let rank = first + lists.columns[place as usize];
            let (asker, member) = self.judged.sink.names(rank, rank);
            let root = self.judged.sink.root(if back { asker } else { member });
            keyed.push((root, place));
        }
        keyed.sort_unstable();
        let (mut families, mut places, mut rest) = (Vec::new(), Vec::new(), Vec::new());
        reserve::more(&mut places, list.len())?;
        for family in keyed.chunk_by(|a, b| a.0 == b.0) {
            if family.len() < FAMILY {
                rest.extend(family.iter().map(|&(_, place)| place));
                continue;
            }
            let start = list.start + places.len() as u32;
            places.extend(family.iter().map(|&(_, place)| place));
            families.push(start..list.start + places.len() as u32);
        }
        let end = list.start + places.len() as u32;
        places.extend(rest);
        lists.reorder(list.start, &places)?;
        Ok(Order { families, rest: end, met: 0 })
    }

    /// Judges pairs of a set that asks and a member; true if one is alike and one is enough.
    fn judge_each(
        &mut self,
        pairs: impl Iterator<Item = (u32, u32)>,
        one: bool,
        progress: &Progress,
    ) -> Result<bool, KernelError> {
        for (asker, member) in pairs {
            if !self.judged.is_settled(asker, member)
                && self.judged.may(asker, member)
                && self.judged.judge(asker, member, progress)?
                && one
            {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

/// The ranks of the listed sets whose bitmaps are near.
fn alike<const W: usize>(
    lists: &Lists<W>,
    question: Question<W>,
    first: u32,
    ranks: &mut Vec<u32>,
) -> Result<(), KernelError> {
    reserve::more(ranks, (question.to - question.from) as usize)?;
    near(&[question], &lists.bitmaps, &mut |_, place| {
        ranks.push(first + lists.columns[place as usize]);
    });
    Ok(())
}
