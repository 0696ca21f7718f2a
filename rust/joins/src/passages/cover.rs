//! Words of documents that occur elsewhere: counted, cut at later places, or a reason to drop.

use super::{Blocks, LOOKED, Words};
use crate::overlap::Ratio;
use crate::stop;

/// Words that a place before has, in step with it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cut {
    /// Position of the first word.
    pub start: u32,
    /// Position after the last word.
    pub end: u32,
    /// The place of these words that stays.
    pub earlier: u32,
}

/// Numbers of words of a document in repeated runs.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct RepeatedWordCounts {
    /// In runs that occur in another document (with groups: of another one).
    pub elsewhere: u32,
    /// In runs that occur in such a document before this one.
    pub before: u32,
    /// In no such run, but in one that occurs twice in the document (in its group) itself.
    pub itself: u32,
}

/// The first blocks of each class, by the groups of their documents.
struct FirstBlocks {
    /// The first block.
    first: Vec<u32>,
    /// The first block of another group than that; else `NONE`.
    apart: Vec<u32>,
}

const NONE: u32 = u32::MAX;

impl FirstBlocks {
    /// `order`: of the blocks; equal for none.
    fn new(blocks: &Blocks, group: impl Fn(u32) -> u32, order: impl Fn(u32) -> u64) -> Self {
        let classes = blocks.gram_counts.len();
        let mut firsts = Self { first: vec![NONE; classes], apart: vec![NONE; classes] };
        let is_before = |block: u32, other: u32| other == NONE || order(block) < order(other);
        for (block, &class) in (0..).zip(&blocks.classes) {
            stop::count_work_or_unwind(LOOKED);
            let (first, apart) =
                (&mut firsts.first[class as usize], &mut firsts.apart[class as usize]);
            let differs = *first != NONE && group(block) != group(*first);
            if is_before(block, *first) {
                if differs {
                    *apart = *first;
                }
                *first = block;
            } else if differs && is_before(block, *apart) {
                *apart = block;
            }
        }
        firsts
    }

    fn first_block_of_another_group(
        &self,
        class: u32,
        group: u32,
        group_of: impl Fn(u32) -> u32,
    ) -> Option<u32> {
        let first = self.first[class as usize];
        let other = if group_of(first) == group { self.apart[class as usize] } else { first };
        (other != NONE).then_some(other)
    }
}

impl Blocks {
    /// Each word at most once, in reading order; in groups, a place in a
    /// document of another one.
    ///
    /// `ranks`: per document a number, no two equal: documents with less come before; without them,
    /// documents are in reading order, as places in a document always are.
    ///
    /// Without groups a gram that overlaps its own first place is not at a later place: of one
    /// word repeated, the first gram stays. Where two stretches overlap, the one that begins first
    /// has the words; the other may then be shorter than a gram.
    #[must_use]
    pub fn find_words_with_earlier_place(
        &self,
        groups: Option<&[u32]>,
        ranks: Option<&[u32]>,
    ) -> Vec<Cut> {
        let document = |block: u32| self.documents[block as usize];
        let group = |block: u32| groups.map_or(0, |groups| groups[document(block) as usize]);
        let order = |block: u32| {
            let rank = ranks.map_or(0, |ranks| ranks[document(block) as usize]);
            u64::from(rank) << 32 | u64::from(block)
        };
        let firsts =
            (groups.is_some() || ranks.is_some()).then(|| FirstBlocks::new(self, group, order));
        let mut cuts: Vec<Cut> = Vec::new();
        for (block, (&place, &class)) in (0..).zip(self.places.iter().zip(&self.classes)) {
            stop::count_work_or_unwind(LOOKED);
            let earlier = match &firsts {
                None => self.firsts[class as usize],
                Some(firsts) => {
                    let first = match groups {
                        None => Some(firsts.first[class as usize]),
                        Some(_) => firsts.first_block_of_another_group(class, group(block), group),
                    };
                    match first.filter(|&first| order(first) < order(block)) {
                        Some(first) => self.places[first as usize],
                        None => continue,
                    }
                }
            };
            // Only places in one document overlap, and there the one before is at the left.
            if groups.is_none() && earlier <= place && place - earlier < self.least {
                continue;
            }
            let end = self.end(block as usize);
            match cuts.last_mut() {
                // In step with what is cut already, or overlapping it.
                Some(last) if last.end > place => {
                    if place.wrapping_sub(last.start) == earlier.wrapping_sub(last.earlier) {
                        last.end = end;
                    } else if last.end < end {
                        let start = last.end;
                        cuts.push(Cut { start, end, earlier: earlier + (start - place) });
                    }
                }
                _ => cuts.push(Cut { start: place, end, earlier }),
            }
        }
        cuts
    }
}

impl Blocks {
    /// A row for each document; without groups every document is one of its own.
    #[must_use]
    pub fn count_repeated_words(
        &self,
        documents: usize,
        groups: Option<&[u32]>,
    ) -> Vec<RepeatedWordCounts> {
        let of = |document: u32| groups.map_or(document, |groups| groups[document as usize]);
        let group = |block: u32| of(self.documents[block as usize]);
        let firsts = FirstBlocks::new(self, group, u64::from);
        let mut shares = vec![RepeatedWordCounts::default(); documents];
        // Ends of the words that are counted: of all, of those elsewhere, and of those before.
        let mut ends = [0u32; 3];
        for (block, (&place, &class)) in self.places.iter().zip(&self.classes).enumerate() {
            stop::count_work_or_unwind(LOOKED);
            let document = self.documents[block];
            let other = firsts.first_block_of_another_group(class, of(document), group);
            let before = other.is_some_and(|other| self.documents[other as usize] < document);
            let end = self.end(block);
            let mut count = |which: usize| {
                let counted = end.saturating_sub(place.max(ends[which]));
                ends[which] = ends[which].max(end);
                counted
            };
            let share = &mut shares[document as usize];
            // Until the end, `itself` counts all.
            share.itself += count(0);
            if other.is_some() {
                share.elsewhere += count(1);
                if before {
                    share.before += count(2);
                }
            }
        }
        for (document, share) in shares.iter_mut().enumerate() {
            if let Some(repeated) = &self.repeated {
                share.itself = repeated.get(document).copied().unwrap_or_default();
            }
            share.itself -= share.elsewhere;
        }
        shares
    }
}

/// The first two groups that a class was seen in.
#[derive(Clone, Copy)]
struct FirstTwoGroups {
    groups: [u32; 2],
}

impl FirstTwoGroups {
    /// Return whether it was seen in another group.
    fn is_in_another(self, group: u32) -> bool {
        self.groups.iter().any(|&known| known != NONE && known != group)
    }

    fn add_group(&mut self, group: u32) {
        if self.groups[0] == NONE {
            self.groups[0] = group;
        } else if self.groups[0] != group && self.groups[1] == NONE {
            self.groups[1] = group;
        }
    }
}

impl Blocks {
    /// The documents with more than the share `most_repeated` of their words in documents that come
    /// before them in `ranking` and are not dropped themselves, ascending.
    ///
    /// `words`: those of the collection; their hashes are not needed. `ranking`: all documents,
    /// once each. The first `never_dropped` documents are a baseline.
    #[must_use]
    pub fn find_documents_to_drop_above(
        &self,
        words: Words,
        ranking: &[u32],
        never_dropped: usize,
        most_repeated: Ratio,
        groups: Option<&[u32]>,
    ) -> Vec<u32> {
        let of = |document: u32| groups.map_or(document, |groups| groups[document as usize]);
        let mut seen = vec![FirstTwoGroups { groups: [NONE; 2] }; self.gram_counts.len()];
        let mut dropped = Vec::new();
        for &document in ranking {
            let begin = self.documents.partition_point(|&other| other < document);
            let own =
                begin..begin + self.documents[begin..].partition_point(|&one| one == document);
            stop::count_work_or_unwind(LOOKED * (own.len() + 1));
            let group = of(document);
            let (mut covered, mut end) = (0u64, 0);
            for block in own.clone() {
                if seen[self.classes[block] as usize].is_in_another(group) {
                    let start = self.places[block].max(end);
                    end = self.end(block);
                    covered += u64::from(end.saturating_sub(start));
                }
            }
            let start = (document as usize).checked_sub(1).map_or(0, |before| words.ends[before]);
            let count = words.ends[document as usize] - start;
            if document as usize >= never_dropped && most_repeated.is_exceeded(covered, count) {
                // A dropped document is no reason to drop others: its words count as seen nowhere.
                dropped.push(document);
                continue;
            }
            for block in own {
                seen[self.classes[block] as usize].add_group(group);
            }
        }
        dropped.sort_unstable();
        dropped
    }
}
