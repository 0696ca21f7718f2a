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
//! Every stage asks for memory by formula: [`BYTES`] for each set that is held at a time, and a
//! few for each set there is.

mod ask;
mod choice;
mod classes;
mod counts;
mod crowded;
mod cut;
mod judged;
mod lists;

pub(super) use classes::{Class, every, reach};
pub(super) use cut::place;
pub(super) use judged::{Families, Pairs, Sink};

use super::bitmap::{Bitmap, FOLDED, bitmap};
use super::catalogue::Catalogue;
use super::ratio::Resemblance;
use super::verdict::Verdict;
use crate::error::KernelError;
use crate::progress::{JUMP, Progress};
use crate::reserve;
use crate::sets::as_u32;
use ask::Asking;
use classes::classes;
use cut::Cut;
use std::ops::Range;

/// Words of the bitmap of a set.
const WORDS: usize = 8;

/// Bytes, for each set of the catalogue, that cut sets may take at a time, and the least number of
/// sets that are cut together; tests cut few.
const BYTES: usize = 120;
const LEAST: usize = if cfg!(test) { 1 << 5 } else { 1 << 12 };

/// A catalogue with bitmaps of the sets that take part.
pub(super) struct Side<'c, 'a> {
    pub(super) catalogue: &'c Catalogue<'a>,
    /// Those of the sets of the smallest ranks.
    pub(super) bitmaps: Vec<Bitmap<WORDS>>,
}

/// The members that a set asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Asks {
    /// Those of a smaller rank: members and sets that ask are of one catalogue.
    Earlier,
    /// Those that are not larger.
    NotLarger,
    /// Those that are smaller.
    Smaller,
}

impl<'c, 'a> Side<'c, 'a> {
    /// Draws the bitmaps of all sets that take part in a join where classes reach to `reach`.
    ///
    /// # Errors
    /// [`KernelError::NoReserve`] and [`KernelError::Interrupted`].
    pub(super) fn new(
        catalogue: &'c Catalogue<'a>,
        rule: Resemblance,
        reach: usize,
        progress: &Progress,
    ) -> Result<Self, KernelError> {
        let largest = rule.largest(reach.saturating_sub(1));
        let count = catalogue.smaller_than(largest + 1);
        let mut bitmaps = reserve::with(count as usize)?;
        for rank in 0..count {
            let set = catalogue.set(rank);
            progress.tick(set.len() + JUMP)?;
            bitmaps.push(bitmap(set));
        }
        Ok(Self { catalogue, bitmaps })
    }
}

/// Passes to `sink` each alike pair of an asker and a member that it [`Asks`] for, if the member has
/// fewer than `reach` values.
///
/// # Errors
/// [`KernelError::NoReserve`], [`KernelError::Interrupted`], or what `sink` answers.
pub(super) fn join<S: Sink>(
    members: &Side,
    askers: &Side,
    asks: Asks,
    (rule, reach): (Resemblance, usize),
    sink: S,
    progress: &Progress,
) -> Result<(), KernelError> {
    let verdict = Verdict::new(rule, members.catalogue.exact());
    let mut asking = Asking::new(members, askers, asks, (rule, verdict), sink);
    for class in classes(rule, reach, members.catalogue.sizes()) {
        progress.at(
            members.catalogue.smaller_than(class.sizes.start) as usize,
            members.catalogue.len() as usize,
        );
        if class.differing <= FOLDED {
            join_class::<2, S>(&mut asking, &class, progress)?;
        } else {
            join_class::<4, S>(&mut asking, &class, progress)?;
        }
        asking.judged.forget();
    }
    Ok(())
}

/// Joins one class, some of the sets that ask at a time. Those of one catalogue with the members
/// are cut together with them, as far as there is room.
fn join_class<const W: usize, S: Sink>(
    asking: &mut Asking<S>,
    class: &Class,
    progress: &Progress,
) -> Result<(), KernelError> {
    let (members, askers) = (asking.members, asking.askers);
    let own = |side: &Side, sizes: Range<usize>| {
        side.catalogue.smaller_than(sizes.start)..side.catalogue.smaller_than(sizes.end)
    };
    let within = own(members, class.sizes.clone());
    let mut left = own(askers, class.sizes.start..class.largest + 1);
    if within.is_empty() || left.is_empty() {
        return Ok(());
    }
    let reserve = BYTES * (members.catalogue.len() as usize).max(askers.catalogue.len() as usize);
    let at_once = (reserve / class.bytes()).saturating_sub(within.len());
    let at_once = as_u32(at_once.max(within.len() / 2).max(LEAST));
    let mut lists = lists::Lists::<W>::new(within.len())?;
    let first = match asking.asks {
        Asks::Earlier => within.start..left.end.min(within.end.saturating_add(at_once)),
        _ => within.clone(),
    };
    let [scratch, mut other] = std::mem::take(&mut asking.sums);
    let member_sums = Cut::of(members.catalogue, first.clone(), class, scratch, progress)?;
    if asking.asks == Asks::Earlier {
        asking.ask(class, &within, (&member_sums, &member_sums), &mut lists, progress)?;
        left.start = first.end;
    }
    while !left.is_empty() {
        let some = left.start..left.end.min(left.start.saturating_add(at_once));
        let sums = Cut::of(askers.catalogue, some.clone(), class, other, progress)?;
        asking.ask(class, &within, (&member_sums, &sums), &mut lists, progress)?;
        other = sums.into_scratch();
        left.start = some.end;
    }
    asking.sums = [member_sums.into_scratch(), other];
    Ok(())
}
