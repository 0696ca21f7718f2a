//! Blocks: repeated grams in a row that recur together, at all of their places.

use super::copies::{Copy, PartsOfCopies};
use super::{LEFT_OUT, Words};
use crate::error::KernelError;
use crate::progress::Progress;
use crate::{reserve, stop};

/// Ranges of grams that are held before those that overlap are united: 8 MB of them. In tests so
/// few that small cases unite them more than once.
const HELD: usize = if cfg!(test) { 1 << 3 } else { 1 << 20 };

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
    pub(super) gram_counts: Vec<u32>,
    /// Per class the position of its first gram at its first place.
    pub(super) firsts: Vec<u32>,
    /// Per block whether the one before it touches it, in one document.
    pub(super) joined: Vec<bool>,
    /// The document of each block.
    pub(super) documents: Vec<u32>,
    /// Per document its number of repeated words, if not all that is repeated has blocks.
    pub(super) repeated: Option<Vec<u32>>,
}

impl Blocks {
    /// Takes the copies whose first place is in the reference; without a reference, all. Others
    /// stand in no document of it, since it comes first.
    pub(super) fn cut_copies_of_reference_or_all<P>(
        words: Words,
        least: usize,
        copies: &PartsOfCopies<P>,
        progress: &Progress,
    ) -> Result<Self, KernelError>
    where
        P: Iterator<Item = Copy> + Clone,
    {
        let reference = words.reference_documents.min(words.documents()).checked_sub(1);
        let bound = reference.map_or(u32::MAX, |last| words.range(last).end as u32);
        let (mut starts, mut ends, mut others) = (Vec::new(), Vec::new(), Ranges::default());
        copies.hand_over(progress, |copy| {
            let end = copy.first + copy.gram_count;
            if copy.first >= bound {
                return others.append_and_merge_if_many(copy.first, end);
            }
            reserve::push(&mut starts, copy.first)?;
            reserve::push(&mut ends, end)
        })?;
        others.merge_overlapping();
        let PartsOfFirstPlaces { first_grams: firsts, gram_counts } =
            cut_first_places(starts, ends)?;
        progress.ask_watch()?;

        let mut repeated = RepeatedWords { words, least, counts: Vec::new(), end: 0 };
        let own = firsts.iter().zip(&gram_counts).map(|(&first, &count)| (first, first + count));
        let mut ranges = own.chain(others.list.iter().copied()).peekable();
        let mut blocks = GrowingBlocks::new(words, least);
        let mut class = 0;
        copies.hand_over(progress, |copy| {
            if reference.is_some() {
                while let Some((start, end)) = ranges.next_if(|&(start, _)| start <= copy.place) {
                    repeated.count_words_of_grams(start, end)?;
                }
                repeated.count_words_of_grams(copy.place, copy.place + copy.gram_count)?;
            }
            if copy.first >= bound {
                return Ok(());
            }
            while let Some(&first) = firsts.get(class).filter(|&&first| first < copy.place) {
                blocks.append_block(first, class, gram_counts[class])?;
                class += 1;
            }
            // First places are cut wherever any copy begins or ends, so that this copy begins with
            // a block and consists of whole ones.
            let mut other = firsts.partition_point(|&first| first < copy.first);
            let mut at = copy.place;
            while at < copy.place + copy.gram_count {
                blocks.append_block(at, other, gram_counts[other])?;
                at += gram_counts[other];
                other += 1;
            }
            Ok(())
        })?;
        for class in class..firsts.len() {
            blocks.append_block(firsts[class], class, gram_counts[class])?;
        }
        let repeated = match reference {
            None => None,
            Some(_) => {
                for (start, end) in ranges {
                    repeated.count_words_of_grams(start, end)?;
                }
                repeated.counts.resize(words.documents(), 0);
                Some(repeated.counts)
            }
        };
        Ok(Self { gram_counts, firsts, repeated, ..blocks.blocks })
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
        self.places[block] + self.gram_counts[self.classes[block] as usize]
    }

    /// The position after the last word of a block.
    pub(super) fn end(&self, block: usize) -> u32 {
        self.end_gram(block) - 1 + self.least
    }

    /// Per class its number among those whose words stand in documents of two groups, which are
    /// those of every run that does.
    ///
    /// `groups`: per document a number; [`LEFT_OUT`] is no group.
    pub(super) fn number_shared_classes_or_max(
        &self,
        groups: &[u32],
    ) -> Result<Vec<u32>, KernelError> {
        let mut numbers = reserve::repeat_value(LEFT_OUT, self.gram_counts.len())?;
        let mut shared = reserve::repeat_value(false, self.gram_counts.len())?;
        for (&class, &document) in self.classes.iter().zip(&self.documents) {
            let (group, first) = (groups[document as usize], &mut numbers[class as usize]);
            if *first == LEFT_OUT {
                *first = group;
            } else if group != LEFT_OUT && group != *first {
                shared[class as usize] = true;
            }
        }
        let mut next = 0..;
        for (number, shared) in numbers.iter_mut().zip(shared) {
            *number = if shared { next.next().unwrap_or(u32::MAX) } else { u32::MAX };
        }
        Ok(numbers)
    }

    /// The places of the first words, ascending; none where the words from `start` to `end` are no
    /// run that [`Blocks::find_runs`] gave.
    #[must_use]
    pub fn find_places_of_run(&self, start: u32, end: u32) -> Vec<u32> {
        let Ok(begin) = self.places.binary_search(&start) else { return Vec::new() };
        let touching = self.joined[begin + 1..].iter().take_while(|&&joined| joined).count();
        let Some(count) = (begin..=begin + touching).position(|block| self.end(block) == end)
        else {
            return Vec::new();
        };
        let run = &self.classes[begin..=begin + count];
        let here = |at: &usize| {
            stop::count_work_or_unwind(run.len());
            self.classes[*at..].starts_with(run)
                && self.joined[at + 1..=at + count].iter().all(|&joined| joined)
        };
        (0..self.len()).filter(here).map(|at| self.places[at]).collect()
    }
}

/// Blocks that are added in reading order.
struct GrowingBlocks<'a> {
    words: Words<'a>,
    blocks: Blocks,
    /// The document of the last block, and the position after the last word of it.
    document: u32,
    document_end: usize,
    /// The position after the last gram of the last block.
    end: u32,
}

impl<'a> GrowingBlocks<'a> {
    fn new(words: Words<'a>, least: usize) -> Self {
        let blocks = Blocks { least: least as u32, ..Blocks::default() };
        Self { words, blocks, document: 0, document_end: 0, end: 0 }
    }

    fn append_block(
        &mut self,
        place: u32,
        class: usize,
        gram_count: u32,
    ) -> Result<(), KernelError> {
        let same = (place as usize) < self.document_end;
        if !same {
            let document = self.words.document_of(place as usize);
            self.document = document as u32;
            self.document_end = self.words.range(document).end;
        }
        reserve::push(&mut self.blocks.places, place)?;
        reserve::push(&mut self.blocks.classes, class as u32)?;
        reserve::push(&mut self.blocks.joined, same && self.end == place)?;
        reserve::push(&mut self.blocks.documents, self.document)?;
        self.end = place + gram_count;
        Ok(())
    }
}

/// Ranges of grams, each in one document; those that overlap are united now and then.
#[derive(Default)]
struct Ranges {
    list: Vec<(u32, u32)>,
    united: usize,
}

impl Ranges {
    fn append_and_merge_if_many(&mut self, start: u32, end: u32) -> Result<(), KernelError> {
        // Twice what the last union left: a union that finds nothing to unite must not come back at
        // once.
        if self.list.len() >= HELD.max(2 * self.united) {
            self.merge_overlapping();
        }
        reserve::push(&mut self.list, (start, end))
    }

    /// Sorts the ranges and unites those that overlap. Those that only touch may be of two
    /// documents.
    fn merge_overlapping(&mut self) {
        self.list.sort_unstable();
        self.list.dedup_by(|next, last| {
            let overlaps = next.0 < last.1;
            if overlaps {
                last.1 = last.1.max(next.1);
            }
            overlaps
        });
        self.united = self.list.len();
    }
}

/// Counts of the words of repeated grams, which are added in the order of their first ones.
struct RepeatedWords<'a> {
    words: Words<'a>,
    least: usize,
    /// Per document, up to the one that was added last.
    counts: Vec<u32>,
    /// The position after the last word that was counted.
    end: usize,
}

impl RepeatedWords<'_> {
    /// Counts the words of the grams from one position to another, of one document.
    fn count_words_of_grams(&mut self, start: u32, end: u32) -> Result<(), KernelError> {
        let start = start as usize;
        while self.counts.is_empty() || self.words.range(self.counts.len() - 1).end <= start {
            reserve::push(&mut self.counts, 0)?;
        }
        let end = end as usize - 1 + self.least;
        if let Some(count) = self.counts.last_mut() {
            *count += end.saturating_sub(start.max(self.end)) as u32;
        }
        self.end = self.end.max(end);
        Ok(())
    }
}

/// Parts of the first places of repeated grams, ascending.
#[derive(Default)]
struct PartsOfFirstPlaces {
    first_grams: Vec<u32>,
    gram_counts: Vec<u32>,
}

/// Cuts the first places of repeated grams wherever a copy of some of them begins or ends.
///
/// `starts`, `ends`: of the first places of all copies, in any order.
fn cut_first_places(
    mut starts: Vec<u32>,
    mut ends: Vec<u32>,
) -> Result<PartsOfFirstPlaces, KernelError> {
    starts.sort_unstable();
    ends.sort_unstable();
    let mut parts = PartsOfFirstPlaces::default();
    // Copies that have begun and not ended, and the last place where one did either.
    let (mut open, mut from, mut next) = (0usize, 0, 0);
    for end in ends {
        while let Some(&start) = starts.get(next).filter(|&&start| start < end) {
            if open > 0 && from < start {
                reserve::push(&mut parts.first_grams, from)?;
                reserve::push(&mut parts.gram_counts, start - from)?;
            }
            from = start;
            open += 1;
            next += 1;
        }
        if from < end {
            reserve::push(&mut parts.first_grams, from)?;
            reserve::push(&mut parts.gram_counts, end - from)?;
        }
        from = end;
        open -= 1;
    }
    Ok(parts)
}
