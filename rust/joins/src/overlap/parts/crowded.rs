//! Long lists, where families are asked for: boilerplate is in one list in almost all parts. Such a
//! list is put in the order of families, and a set asks each family only until one of it is alike.

use super::ask::Asking;
use super::judged::Sink;
use super::lists::{Lists, Order};
use crate::error::KernelError;
use crate::overlap::progress::Progress;
use crate::room;
use crate::simd::pictures::{Question, near};
use std::ops::Range;

/// The fewest sets of one family that are asked together.
const FAMILY: usize = 16;

/// The number of sets of a family that are looked at first, since most often one of them is alike,
/// and the most that are looked at together.
const FIRST: u32 = 32;
const MOST: u32 = 1 << 12;

impl<S: Sink> Asking<'_, '_, '_, S> {
    /// Connects a set with what is like it in a long list, whose column 0 has the rank `first`.
    ///
    /// # Errors
    /// Those of the sink, [`KernelError::NoRoom`] and [`KernelError::Interrupted`].
    pub(super) fn ask_families<const W: usize>(
        &mut self,
        lists: &mut Lists<W>,
        question: &Question<W>,
        rank: u32,
        first: u32,
        progress: &mut Progress,
    ) -> Result<(), KernelError> {
        let list = question.from..question.to;
        let mut order = match lists.orders.remove(&list.start) {
            Some(order) => order,
            None => self.order(lists, &list, first)?,
        };
        let mut near = Vec::new();
        for family in &order.families {
            if self.judged.is_settled(rank, first + lists.columns[family.start as usize]) {
                continue;
            }
            let (mut from, mut step) = (family.start, FIRST);
            while from < family.end {
                let to = family.end.min(from + step);
                progress.tick((to - from) as usize)?;
                alike(lists, Question { from, to, ..*question }, first, &mut near)?;
                if self.judge_each(rank, &mut near, true, progress)? {
                    break;
                }
                (from, step) = (to, (2 * step).min(MOST));
            }
        }
        progress.tick((list.end - order.rest) as usize)?;
        alike(lists, Question { from: order.rest, ..*question }, first, &mut near)?;
        let before = near.len();
        near.retain(|&other| !self.judged.is_settled(rank, other));
        order.met += (before - near.len()) as u32;
        self.judge_each(rank, &mut near, false, progress)?;
        if order.met as usize > list.len() {
            order = self.order(lists, &list, first)?;
        }
        lists.orders.insert(list.start, order);
        Ok(())
    }

    /// Puts a list in the order of families.
    fn order<const W: usize>(
        &mut self,
        lists: &mut Lists<W>,
        list: &Range<u32>,
        first: u32,
    ) -> Result<Order, KernelError> {
        let mut keyed: Vec<(u32, u32)> = room::with(list.len())?;
        for place in list.clone() {
            let root = self.judged.sink.root(first + lists.columns[place as usize]);
            keyed.push((root, place));
        }
        keyed.sort_unstable();
        let (mut families, mut places, mut rest) = (Vec::new(), Vec::new(), Vec::new());
        room::more(&mut places, list.len())?;
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

    /// Judges a set with others, which are then forgotten; true if one is alike and one is enough.
    fn judge_each(
        &mut self,
        rank: u32,
        others: &mut Vec<u32>,
        one: bool,
        progress: &mut Progress,
    ) -> Result<bool, KernelError> {
        for &other in &*others {
            if other != rank
                && !self.judged.is_settled(rank, other)
                && self.judged.may(rank, other)
                && self.judged.judge(rank, other, progress)?
                && one
            {
                others.clear();
                return Ok(true);
            }
        }
        others.clear();
        Ok(false)
    }
}

/// The ranks of the listed sets whose pictures are near.
fn alike<const W: usize>(
    lists: &Lists<W>,
    question: Question<W>,
    first: u32,
    ranks: &mut Vec<u32>,
) -> Result<(), KernelError> {
    room::more(ranks, (question.to - question.from) as usize)?;
    near(&[question], &lists.pictures, &mut |_, place| {
        ranks.push(first + lists.columns[place as usize]);
    });
    Ok(())
}
