//! The parts that each set looks into: those with the shortest lists, as many as it takes.
//!
//! A part that is looked into whole is a step, and one that is looked into but for one value is a
//! second one. Two sets that differ in d values at the most differ, in some part, in fewer values
//! than that part has steps, wherever d + 1 steps were taken: had every part as many differences as
//! steps, there would be more than d.

use super::classes::Class;
use super::counts::{LEVELS, ListLevels, least_of_level, level_of};
use crate::error::KernelError;
use crate::reserve;
use std::ops::Range;

/// Sets whose levels are read together, and whose choices are one word for each part.
const BLOCK: usize = u64::BITS as usize;

/// The cost of the second step into a part, without that of the sets it lists, in listed sets: for
/// each value that a set has there, a sum is looked for, whether a list has it or not.
const SECOND_STEP_COST: u32 = 8;

/// A set that would list this many more sets than it may find looks at all of those instead: that
/// takes a list of all members, which a few sets more do not pay for.
const SPARE_SETS: u64 = 256;

/// The numbers of the levels.
const LEAST_OF_LEVELS: [u32; LEVELS] = {
    let mut numbers = [0; LEVELS];
    let mut at = 0;
    while at < LEVELS {
        numbers[at] = least_of_level(at);
        at += 1;
    }
    numbers
};

/// The members that a set may find.
#[derive(Debug, Clone, Copy)]
pub(super) struct Findable {
    /// The most values in which it may differ from them.
    pub(super) most_differing: usize,
    /// Their number, by sizes alone; 0 if it cannot find any.
    pub(super) count: usize,
}

/// The parts that some sets look into.
pub(super) struct PartChoice {
    /// The column of the first of them.
    first: usize,
    /// Numbers of 64 bits for each part, one for each block of sets.
    blocks: usize,
    equal: Vec<u64>,
    off_by_one: Vec<u64>,
    /// The sets that look at all members instead.
    pub(super) scanners: Vec<u32>,
}

impl PartChoice {
    /// Chooses for the sets of some columns, each of which may find what `findable(column)` says.
    ///
    /// # Errors
    /// [`KernelError::NoReserve`].
    pub(super) fn of(
        class: &Class,
        columns: Range<usize>,
        counts: &ListLevels,
        findable: impl Fn(usize) -> Findable,
    ) -> Result<Self, KernelError> {
        let parts = class.parts;
        let words = columns.len().div_ceil(BLOCK);
        let mut choice = Self {
            first: columns.start,
            blocks: words,
            equal: reserve::repeat_value(0, parts * words)?,
            off_by_one: reserve::repeat_value(0, if class.but_one { parts * words } else { 0 })?,
            scanners: Vec::new(),
        };
        let (mut equal, mut off_by_one) = (vec![0; BLOCK * parts], vec![0; BLOCK * parts]);
        let mut steps = Steps::default();
        for (block, start) in columns.clone().step_by(BLOCK).enumerate() {
            let some = start..columns.end.min(start + BLOCK);
            transpose_levels(|part| &counts.levels_of_equal(part)[some.clone()], &mut equal, parts);
            if class.but_one {
                transpose_levels(
                    |part| &counts.levels_of_off_by_one(part)[some.clone()],
                    &mut off_by_one,
                    parts,
                );
            }
            for place in 0..some.len() {
                let findable = findable(start + place);
                if findable.count == 0 {
                    continue;
                }
                let equal = &equal[place * parts..][..parts];
                let off_by_one =
                    if class.but_one { &off_by_one[place * parts..][..parts] } else { &[][..] };
                steps.set_levels(equal, off_by_one);
                let listed = steps.take_shortest(findable.most_differing + 1);
                if listed > findable.count as u64 + SPARE_SETS {
                    choice.scanners.push((start + place) as u32);
                    continue;
                }
                for (part, &taken) in steps.taken.iter().enumerate() {
                    let word = part * words + block;
                    // An empty list is taken, since it is the shortest, but nothing is there to be
                    // read.
                    choice.equal[word] |= u64::from(taken > 0 && equal[part] > 0) << place;
                    if taken > 1 && off_by_one[part] > 0 {
                        choice.off_by_one[word] |= 1 << place;
                    }
                }
            }
        }
        Ok(choice)
    }

    /// The sets that look for equal ones in a part.
    pub(super) fn columns_for_equal(&self, part: usize) -> impl Iterator<Item = usize> {
        places_of_ones(&self.equal[part * self.blocks..][..self.blocks])
            .map(|column| self.first + column)
    }

    /// The sets that look for those that have one value more or less there; they look for equal
    /// ones too.
    pub(super) fn columns_for_off_by_one(&self, part: usize) -> impl Iterator<Item = usize> {
        let off_by_one = self.off_by_one.get(part * self.blocks..).unwrap_or(&[]);
        places_of_ones(&off_by_one[..self.blocks.min(off_by_one.len())])
            .map(|column| self.first + column)
    }
}

/// The places of the bits that are set.
fn places_of_ones(words: &[u64]) -> impl Iterator<Item = usize> {
    words.iter().enumerate().flat_map(|(place, &word)| {
        let next = |&left: &u64| Some(left & (left - 1)).filter(|&left| left != 0);
        std::iter::successors(Some(word).filter(|&word| word != 0), next)
            .map(move |left| place * BLOCK + left.trailing_zeros() as usize)
    })
}

/// Puts levels that lie part by part set by set, for a block of sets.
fn transpose_levels<'l>(levels: impl Fn(usize) -> &'l [u8], block: &mut [u8], parts: usize) {
    for part in 0..parts {
        for (place, &level) in levels(part).iter().enumerate() {
            block[place * parts + part] = level;
        }
    }
}

/// The steps that one set may take.
#[derive(Default)]
struct Steps {
    /// The level of each, one or two to a part.
    levels: Vec<u8>,
    /// The number taken into each part.
    taken: Vec<u8>,
    /// The number there is into each.
    per_part: usize,
}

impl Steps {
    fn set_levels(&mut self, equal: &[u8], off_by_one: &[u8]) {
        self.levels.clear();
        self.taken.clear();
        self.taken.resize(equal.len(), 0);
        self.per_part = if off_by_one.is_empty() { 1 } else { 2 };
        if off_by_one.is_empty() {
            self.levels.extend_from_slice(equal);
        }
        for (&equal, &off_by_one) in equal.iter().zip(off_by_one) {
            let first = LEAST_OF_LEVELS[usize::from(equal)];
            let second =
                (LEAST_OF_LEVELS[usize::from(off_by_one)] + SECOND_STEP_COST).saturating_sub(first);
            // The second cannot be taken alone: where it is the shorter one, both are as long as
            // their mean.
            let steps = if first <= second {
                [first, second]
            } else {
                [(first + second) / 2, (first + second).div_ceil(2)]
            };
            self.levels.extend(steps.map(level_of));
        }
    }

    /// Takes the shortest steps, as many as are needed; answers how many sets they list.
    fn take_shortest(&mut self, needed: usize) -> u64 {
        let mut counts = [0_usize; LEVELS];
        for &level in &self.levels {
            counts[usize::from(level)] += 1;
        }
        let (mut left, mut last, mut listed) = (needed, 0, 0);
        // A counting sort up to the level at which enough steps are taken; of that one, the first
        // ones.
        while last + 1 < LEVELS && counts[last] < left {
            listed += counts[last] as u64 * u64::from(LEAST_OF_LEVELS[last]);
            left -= counts[last];
            last += 1;
        }
        listed += left as u64 * u64::from(LEAST_OF_LEVELS[last]);
        for (place, &level) in self.levels.iter().enumerate() {
            let level = usize::from(level);
            let takes = level < last || level == last && left > 0;
            left -= usize::from(takes && level == last);
            self.taken[place / self.per_part] += u8::from(takes);
        }
        listed
    }
}
