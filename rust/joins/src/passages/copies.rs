//! Every repeated gram but the first of its words, with the place of that first one.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::ops::Range;

use super::Words;
use super::firsts::Firsts;
use super::grams::Rolling;
use super::winnow::CandidateRanges;
use crate::error::KernelError;
use crate::progress::Progress;
use crate::reserve;

/// Grams that are looked up together, so that the table is in the cache when it is needed.
const AHEAD: usize = 24;

/// The time of looking up as many, in values read: sixteen each.
const STEP: usize = 16 * AHEAD;

/// Grams in a row; none is the first of its words, though those at `first` are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Copy {
    /// Position of the first gram.
    pub place: u32,
    /// First place of its words; the grams after it follow in step.
    pub first: u32,
    /// Number of grams.
    pub gram_count: u32,
}

/// Copies of all parts, each in the order of their places.
pub(super) struct PartsOfCopies<'a, P> {
    pub(super) words: Words<'a>,
    pub(super) least: usize,
    pub(super) parts: Vec<P>,
}

impl<P> PartsOfCopies<'_, P>
where
    P: Iterator<Item = Copy> + Clone,
{
    /// Hands over the copies as if there were one part: in the order of their places, and those
    /// that follow each other in step as one. So they depend on the words alone.
    ///
    /// They are merged anew each time: they may stand in files, and take more memory than what is
    /// made of them.
    ///
    /// # Errors
    /// Those of `take`; [`KernelError::Interrupted`] if the watch asks to stop.
    pub(super) fn hand_over(
        &self,
        progress: &Progress,
        mut take: impl FnMut(Copy) -> Result<(), KernelError>,
    ) -> Result<(), KernelError> {
        let (words, least) = (self.words, self.least);
        let within = |start: u32, gram: u32| gram as usize + least <= words.end_of(start as usize);
        let mut parts: Vec<_> = self.parts.iter().cloned().map(Iterator::peekable).collect();
        let first = |part: &mut std::iter::Peekable<P>| part.peek().map(|copy| copy.place);
        let mut next: BinaryHeap<_> = (0..parts.len())
            .filter_map(|part| Some(Reverse((first(&mut parts[part])?, part))))
            .collect();
        let mut open: Option<Copy> = None;
        while let Some(Reverse((_, part))) = next.pop() {
            // One part is read as long as it is first: a step of the heap for each stretch, not for
            // each copy.
            let until = next.peek().map_or(u32::MAX, |&Reverse((place, _))| place);
            while let Some(copy) = parts[part].next_if(|copy| copy.place <= until) {
                progress.spend_values(1)?;
                if let Some(last) = &mut open {
                    let (place, first) =
                        (last.place + last.gram_count, last.first + last.gram_count);
                    let follows = (copy.place, copy.first) == (place, first);
                    // In step, but not across the end of a document at either place.
                    if follows && within(last.place, place) && within(last.first, first) {
                        last.gram_count += copy.gram_count;
                        continue;
                    }
                }
                if let Some(last) = open.replace(copy) {
                    take(last)?;
                }
            }
            next.extend(first(&mut parts[part]).map(|place| Reverse((place, part))));
        }
        open.map_or(Ok(()), take)
    }
}

/// All copies, in the order of their places.
///
/// Every gram that is looked up and not found is entered, and a gram is passed over only in step
/// with an equal one before it. So a gram that is not found occurs nowhere before.
///
/// # Errors
/// [`KernelError::Interrupted`] if the watch asks to stop.
pub(super) fn find_copies_among(
    words: Words,
    least: usize,
    candidates: &CandidateRanges,
    progress: &Progress,
) -> Result<Vec<Copy>, KernelError> {
    let gram_count: usize = candidates.iter().map(Range::len).sum();
    reserve::check_room(Firsts::most_bytes(gram_count))?;
    let mut firsts = Firsts::new();
    let mut copies = Vec::new();
    let Some(begin) = candidates.first() else { return Ok(copies) };
    let hashes = words.hashes;
    let mut rolling = Rolling::new(hashes, least, begin.start as usize);
    let mut ahead = [0u64; AHEAD];
    for range in candidates {
        let end = range.end as usize;
        let mut at = range.start as usize;
        while at < end {
            progress.note_done(at, hashes.len());
            progress.spend_values(STEP)?;
            if rolling.at() != at {
                rolling.seek(at);
            }
            let count = AHEAD.min(end - at);
            reserve::make_room(&mut copies, AHEAD)?;
            for hash in &mut ahead[..count] {
                *hash = rolling.hash();
                firsts.prefetch(*hash);
                rolling.advance();
            }
            at = look_up_grams_until_copy(
                words,
                least,
                &ahead[..count],
                at..end,
                &mut firsts,
                &mut copies,
            );
        }
    }
    Ok(copies)
}

/// Looks some grams up, from the one where `range` begins, and returns the next to look up. A copy
/// is followed up to the end of the range.
fn look_up_grams_until_copy(
    words: Words,
    least: usize,
    gram_hashes: &[u64],
    range: Range<usize>,
    firsts: &mut Firsts,
    copies: &mut Vec<Copy>,
) -> usize {
    let hashes = words.hashes;
    for (place, &gram) in range.clone().zip(gram_hashes) {
        let here = &hashes[place..place + least];
        let same = |other: u32| hashes[other as usize..].starts_with(here);
        let Some(source) = firsts.find_or_enter(gram, place as u32, same) else { continue };
        let source = source as usize;
        let rest = &hashes[place..range.end - 1 + least];
        let step = &hashes[source..words.end_of(source)];
        let gram_count = measure_common_prefix(rest, step) + 1 - least;
        append_copies_with_first_places(copies, place as u32, source as u32, gram_count as u32);
        return place + gram_count;
    }
    range.start + gram_hashes.len()
}

/// Length of the common prefix of two texts, in words.
fn measure_common_prefix(left: &[u64], right: &[u64]) -> usize {
    // Eight at a time, which are compared without a branch for each.
    let blocks = left.as_chunks::<8>().0.iter().zip(right.as_chunks::<8>().0);
    let same = 8 * blocks.take_while(|(left, right)| left == right).count();
    let rest = left[same..].iter().zip(&right[same..]);
    same + rest.take_while(|(left, right)| left == right).count()
}

/// Appends grams that occur at `source` too: what is a copy at the source already, perhaps of these
/// very grams, leads on to where that one occurs first.
fn append_copies_with_first_places(
    copies: &mut Vec<Copy>,
    place: u32,
    source: u32,
    gram_count: u32,
) {
    let end = place + gram_count;
    let mut next = copies.partition_point(|copy| copy.place + copy.gram_count <= source);
    let mut at = place;
    while at < end {
        let from = source + (at - place);
        while copies.get(next).is_some_and(|copy| copy.place + copy.gram_count <= from) {
            next += 1;
        }
        let (first, count) = match copies.get(next) {
            Some(copy) if copy.place <= from => {
                (copy.first + (from - copy.place), copy.place + copy.gram_count - from)
            }
            // These grams are the first of their words, up to the next copy.
            next => (from, next.map_or(place, |copy| copy.place.min(place)) - from),
        };
        let gram_count = count.min(end - at);
        copies.push(Copy { place: at, first, gram_count });
        at += gram_count;
    }
}
