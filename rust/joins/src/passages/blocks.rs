//! Blocks: repeated grams in a row that recur together, at all of their places.

use super::Words;
use super::copies::Copy;
use crate::error::KernelError;
use crate::{reserve, stop};

/// The blocks of a collection in reading order. Blocks of one class have the same words; where one
/// of them ends, the words that follow (or precede) differ between some of its places.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Blocks {
    /// Words of a gram.
    pub(super) least: u32,
    /// Position of the first gram of each block, ascending.
    pub(super) places: Vec<u32>,
    /// The class of each block; classes are numbered by their first place.
    pub(super) classes: Vec<u32>,
    /// Per class its number of grams.
    pub(super) grams: Vec<u32>,
    /// Per class the position of its first gram at its first place.
    pub(super) firsts: Vec<u32>,
    /// Per block whether the one before it touches it, in one document.
    pub(super) joined: Vec<bool>,
    /// The document of each block.
    pub(super) documents: Vec<u32>,
}

impl Blocks {
    /// Cuts repeated grams into blocks.
    pub(super) fn new(words: Words, least: usize, copies: &[Copy]) -> Result<Self, KernelError> {
        let (firsts, grams) = cut_first_places(copies)?;
        let (places, classes) = blocks_in_reading_order(copies, &firsts, &grams)?;
        reserve::check_room(6 * places.len())?;
        let mut blocks =
            Self { least: least as u32, places, classes, grams, firsts, ..Self::default() };
        let (mut document, mut end) = (0, 0);
        for (at, &place) in blocks.places.iter().enumerate() {
            let same = (place as usize) < end;
            if !same {
                document = words.document_of(place as usize);
                end = words.range(document).end;
            }
            let before = at.checked_sub(1).map(|before| blocks.end_gram(before));
            blocks.joined.push(same && before == Some(place));
            blocks.documents.push(document as u32);
        }
        Ok(blocks)
    }

    /// Number of blocks.
    #[must_use]
    pub fn len(&self) -> usize {
        self.places.len()
    }

    /// Return whether nothing is repeated.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.places.is_empty()
    }

    /// The position after the last gram of a block.
    pub(super) fn end_gram(&self, block: usize) -> u32 {
        self.places[block] + self.grams[self.classes[block] as usize]
    }

    /// The position after the last word of a block.
    pub(super) fn end(&self, block: usize) -> u32 {
        self.end_gram(block) - 1 + self.least
    }

    /// The blocks whose words stand in documents of two groups: those of every run that does.
    ///
    /// `groups`: per document a number.
    pub(super) fn shared_by_groups(&self, groups: &[u32]) -> Result<Self, KernelError> {
        reserve::check_room((size_of::<u32>() + 1) * self.grams.len())?;
        let group = |block: usize| groups[self.documents[block] as usize];
        let (mut earlier, mut shared) =
            (vec![u32::MAX; self.grams.len()], vec![false; self.grams.len()]);
        for (at, &class) in self.classes.iter().enumerate() {
            let one = &mut earlier[class as usize];
            if *one == u32::MAX {
                *one = at as u32;
            } else if group(*one as usize) != group(at) {
                shared[class as usize] = true;
            }
        }
        // From here on the new number of each class.
        let mut numbers = earlier;
        let mut blocks = Self { least: self.least, ..Self::default() };
        for (class, _) in shared.iter().enumerate().filter(|&(_, &shared)| shared) {
            numbers[class] = blocks.grams.len() as u32;
            reserve::push(&mut blocks.grams, self.grams[class])?;
            reserve::push(&mut blocks.firsts, self.firsts[class])?;
        }
        let mut touches = false;
        for (at, &class) in self.classes.iter().enumerate() {
            let stays = shared[class as usize];
            if stays {
                reserve::push(&mut blocks.places, self.places[at])?;
                reserve::push(&mut blocks.classes, numbers[class as usize])?;
                reserve::push(&mut blocks.joined, touches && self.joined[at])?;
                reserve::push(&mut blocks.documents, self.documents[at])?;
            }
            touches = stays;
        }
        Ok(blocks)
    }

    /// All places of the words from `start` to `end`, ascending; they must be those of a run that
    /// [`Blocks::runs`] gave, or none is found.
    #[must_use]
    pub fn all_places(&self, start: u32, end: u32) -> Vec<u32> {
        let Ok(begin) = self.places.binary_search(&start) else { return Vec::new() };
        let touching = self.joined[begin + 1..].iter().take_while(|&&joined| joined).count();
        let Some(count) = (begin..=begin + touching).position(|block| self.end(block) == end)
        else {
            return Vec::new();
        };
        let run = &self.classes[begin..=begin + count];
        let here = |at: &usize| {
            stop::count_bytes(run.len());
            self.classes[*at..].starts_with(run)
                && self.joined[at + 1..=at + count].iter().all(|&joined| joined)
        };
        (0..self.len()).filter(here).map(|at| self.places[at]).collect()
    }
}

/// Cuts the first places of repeated grams wherever a copy of some of them begins or ends: the
/// first gram of each part, ascending, and how many it has.
fn cut_first_places(copies: &[Copy]) -> Result<(Vec<u32>, Vec<u32>), KernelError> {
    reserve::check_room(2 * size_of::<u32>() * copies.len())?;
    let mut starts: Vec<u32> = copies.iter().map(|copy| copy.first).collect();
    let mut ends: Vec<u32> = copies.iter().map(|copy| copy.first + copy.grams).collect();
    starts.sort_unstable();
    ends.sort_unstable();
    let (mut firsts, mut grams) = (Vec::new(), Vec::new());
    // Copies that have begun and not ended, and the last place where one did either.
    let (mut open, mut from, mut next) = (0usize, 0, 0);
    for end in ends {
        while let Some(&start) = starts.get(next).filter(|&&start| start < end) {
            if open > 0 && from < start {
                reserve::push(&mut firsts, from)?;
                reserve::push(&mut grams, start - from)?;
            }
            from = start;
            open += 1;
            next += 1;
        }
        if from < end {
            reserve::push(&mut firsts, from)?;
            reserve::push(&mut grams, end - from)?;
        }
        from = end;
        open -= 1;
    }
    Ok((firsts, grams))
}

/// The blocks in reading order: the places of their first grams, and their classes.
fn blocks_in_reading_order(
    copies: &[Copy],
    firsts: &[u32],
    grams: &[u32],
) -> Result<(Vec<u32>, Vec<u32>), KernelError> {
    let (mut places, mut classes) = (Vec::new(), Vec::new());
    let mut own = 0;
    for copy in copies {
        while let Some(&first) = firsts.get(own).filter(|&&first| first < copy.place) {
            reserve::push(&mut places, first)?;
            reserve::push(&mut classes, own as u32)?;
            own += 1;
        }
        let mut class = firsts.partition_point(|&first| first < copy.first);
        let mut at = copy.place;
        while at < copy.place + copy.grams {
            reserve::push(&mut places, at)?;
            reserve::push(&mut classes, class as u32)?;
            at += grams[class];
            class += 1;
        }
    }
    reserve::make_room(&mut places, firsts.len() - own)?;
    reserve::make_room(&mut classes, firsts.len() - own)?;
    places.extend(&firsts[own..]);
    classes.extend(own as u32..firsts.len() as u32);
    Ok((places, classes))
}
