//! The parts that each set looks into: those with the shortest lists, as many as it takes.
//!
//! A part that is looked into whole is a step, and one that is looked into but for one value is a
//! second one. Two sets that differ in d values at the most differ, in some part, in fewer values
//! than that part has steps, wherever d + 1 steps were taken: had every part as many differences as
//! steps, there would be more than d.

use super::classes::Class;
use super::counts::{Counts, LEVELS, level, number};
use crate::error::KernelError;
use crate::reserve;
use std::ops::Range;

/// Sets whose levels are read together, and whose choices are one word for each part.
const BLOCK: usize = u64::BITS as usize;

/// The cost of the second step into a part, without that of the sets it lists, in listed sets.
const SECOND: u32 = 8;

/// A set that would list this many more sets than it may find looks at all of those instead.
const MORE: u64 = 256;

/// The numbers of the levels.
const NUMBERS: [u32; LEVELS] = {
    let mut numbers = [0; LEVELS];
    let mut at = 0;
    while at < LEVELS {
        numbers[at] = number(at);
        at += 1;
    }
    numbers
};

/// The sets that a set may find.
#[derive(Debug, Clone, Copy)]
pub(super) struct Bounds {
    /// The most values in which it may differ from them.
    pub(super) differing: usize,
    /// The number of sets of fitting sizes.
    pub(super) sets: usize,
}

/// The parts that some sets look into.
pub(super) struct Choice {
    /// The column of the first of them.
    first: usize,
    /// Words for the sets, for each part.
    words: usize,
    whole: Vec<u64>,
    near: Vec<u64>,
    /// The sets that look at all members instead.
    pub(super) all: Vec<u32>,
}

impl Choice {
    /// Chooses for the sets of some columns, which may find what `bounds` says.
    ///
    /// # Errors
    /// [`KernelError::NoReserve`].
    pub(super) fn of(
        class: &Class,
        columns: Range<usize>,
        counts: &Counts,
        bounds: impl Fn(usize) -> Bounds,
    ) -> Result<Self, KernelError> {
        let parts = class.parts;
        let words = columns.len().div_ceil(BLOCK);
        let mut choice = Self {
            first: columns.start,
            words,
            whole: reserve::repeat_value(0, parts * words)?,
            near: reserve::repeat_value(0, if class.but_one { parts * words } else { 0 })?,
            all: Vec::new(),
        };
        let (mut whole, mut near) = (vec![0; BLOCK * parts], vec![0; BLOCK * parts]);
        let mut steps = Steps::default();
        for (block, start) in columns.clone().step_by(BLOCK).enumerate() {
            let some = start..columns.end.min(start + BLOCK);
            turn(|part| &counts.whole(part)[some.clone()], &mut whole, parts);
            if class.but_one {
                turn(|part| &counts.near(part)[some.clone()], &mut near, parts);
            }
            for place in 0..some.len() {
                let bounds = bounds(start + place);
                if bounds.sets == 0 {
                    continue;
                }
                let whole = &whole[place * parts..][..parts];
                let near = if class.but_one { &near[place * parts..][..parts] } else { &[][..] };
                steps.list(whole, near);
                if steps.choose(bounds.differing + 1) > bounds.sets as u64 + MORE {
                    choice.all.push((start + place) as u32);
                    continue;
                }
                for (part, &taken) in steps.taken.iter().enumerate() {
                    let word = part * words + block;
                    choice.whole[word] |= u64::from(taken > 0 && whole[part] > 0) << place;
                    if taken > 1 && near[part] > 0 {
                        choice.near[word] |= 1 << place;
                    }
                }
            }
        }
        Ok(choice)
    }

    /// The sets that look for equal ones in a part.
    pub(super) fn whole(&self, part: usize) -> impl Iterator<Item = usize> {
        ones(&self.whole[part * self.words..][..self.words]).map(|column| self.first + column)
    }

    /// The sets that look for those that have one value more or less there; they look for equal
    /// ones too.
    pub(super) fn near(&self, part: usize) -> impl Iterator<Item = usize> {
        let near = self.near.get(part * self.words..).unwrap_or(&[]);
        ones(&near[..self.words.min(near.len())]).map(|column| self.first + column)
    }
}

/// The places of the bits that are set.
fn ones(words: &[u64]) -> impl Iterator<Item = usize> {
    words.iter().enumerate().flat_map(|(place, &word)| {
        let next = |&left: &u64| Some(left & (left - 1)).filter(|&left| left != 0);
        std::iter::successors(Some(word).filter(|&word| word != 0), next)
            .map(move |left| place * BLOCK + left.trailing_zeros() as usize)
    })
}

/// Puts levels that lie part by part set by set, for a block of sets.
fn turn<'l>(levels: impl Fn(usize) -> &'l [u8], block: &mut [u8], parts: usize) {
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
    each: usize,
}

impl Steps {
    fn list(&mut self, whole: &[u8], near: &[u8]) {
        self.levels.clear();
        self.taken.clear();
        self.taken.resize(whole.len(), 0);
        self.each = if near.is_empty() { 1 } else { 2 };
        if near.is_empty() {
            self.levels.extend_from_slice(whole);
        }
        for (&whole, &near) in whole.iter().zip(near) {
            let first = NUMBERS[usize::from(whole)];
            let second = (NUMBERS[usize::from(near)] + SECOND).saturating_sub(first);
            // The second cannot be taken alone: where it is the shorter one, both are as long as
            // their mean.
            let steps = if first <= second {
                [first, second]
            } else {
                [(first + second) / 2, (first + second).div_ceil(2)]
            };
            self.levels.extend(steps.map(level));
        }
    }

    /// Takes the shortest steps, as many as are needed; answers how many sets they list.
    fn choose(&mut self, needed: usize) -> u64 {
        let mut counts = [0_usize; LEVELS];
        for &level in &self.levels {
            counts[usize::from(level)] += 1;
        }
        let (mut left, mut last, mut listed) = (needed, 0, 0);
        while last + 1 < LEVELS && counts[last] < left {
            listed += counts[last] as u64 * u64::from(NUMBERS[last]);
            left -= counts[last];
            last += 1;
        }
        listed += left as u64 * u64::from(NUMBERS[last]);
        for (place, &level) in self.levels.iter().enumerate() {
            let level = usize::from(level);
            let takes = level < last || level == last && left > 0;
            left -= usize::from(takes && level == last);
            self.taken[place / self.each] += u8::from(takes);
        }
        listed
    }
}
