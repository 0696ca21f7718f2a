//! The grams that may be repeated: all others occur at one place only.
//!
//! Each gram selects the least hash of the short grams inside it, at its rightmost place. That
//! value depends on the words of the gram alone, so that grams whose value was selected at one
//! place only are repeated nowhere.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::ops::Range;

use super::Words;
use super::grams::Rolling;
use super::seeds::Seeds;
use crate::components::Forest;
use crate::error::KernelError;
use crate::parallel::Team;
use crate::progress::Progress;
use crate::reserve;

/// Most words of a short gram.
const MOST_INNER: usize = 32;

/// No range.
const NONE: u32 = u32::MAX;

/// Marks a value that its own document has selected at a second place right after the first.
const AGAIN: u64 = 1;

/// Ranges of positions of grams that may be repeated, ascending, none across documents.
pub(super) type CandidateRanges = Vec<Range<u32>>;

/// Values that the grams of a collection selected, in reading order, each with the first of
/// the grams in a row that selected it.
#[derive(Debug, Clone, Copy)]
pub struct Selected<'a> {
    /// The values.
    pub values: &'a [u64],
    /// The positions of the grams.
    pub positions: &'a [u32],
}

/// The same as lists: values, and the positions of the grams.
pub type Selections = (Vec<u64>, Vec<u32>);

/// One of several parts in which a collection is gone through; equal grams are in one part.
#[derive(Debug, Clone, Copy)]
pub struct ValuePart {
    /// Number of this part, from 0.
    pub number: usize,
    /// Number of parts.
    pub of: usize,
}

impl ValuePart {
    /// All of it.
    pub const WHOLE: Self = Self { number: 0, of: 1 };
}

/// The number of the part of a value, of as many.
fn part_of_value(value: u64, parts: usize) -> usize {
    // The least of many hashes are small numbers: their bits are mixed.
    let mixed = (value >> 1).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 32;
    ((mixed * parts as u64) >> 32) as usize
}

/// The values that were selected at two places, of all values or of one part of them. Some that
/// were selected once are among them.
pub(super) struct PerhapsRepeatedValues {
    /// Filters of consecutive parts, from the one with the number `first`.
    filters: Vec<Seeds>,
    first: usize,
    /// Number of parts of all values.
    of: usize,
}

impl PerhapsRepeatedValues {
    /// The repeated values of one part.
    pub(super) fn of_part(
        selected: Selected,
        part: ValuePart,
        progress: &Progress,
    ) -> Result<Self, KernelError> {
        let filters = vec![make_filter_of_repeated(&[selected], part, progress)?];
        Ok(Self { filters, first: part.number, of: part.of })
    }

    /// All repeated values: each thread goes through all values, and counts those of its part.
    pub(super) fn of_all(
        pieces: &[Selected],
        team: &mut Team<()>,
        progress: &Progress,
    ) -> Result<Self, KernelError> {
        let of = team.jobs();
        let filter = |(): &mut (), number: usize, progress: &Progress| {
            make_filter_of_repeated(pieces, ValuePart { number, of }, progress)
        };
        Ok(Self { filters: team.share_out(of, progress, filter)?, first: 0, of })
    }

    /// `None` also for a value of another part.
    fn filter_and_slot_if_repeated(&self, value: u64) -> Option<(usize, usize)> {
        let number = part_of_value(value, self.of).checked_sub(self.first)?;
        let slot = self.filters.get(number)?.slot_if_repeated(value & !AGAIN)?;
        Some((number, slot))
    }
}

/// A filter of the repeated values of one part.
fn make_filter_of_repeated(
    pieces: &[Selected],
    part: ValuePart,
    progress: &Progress,
) -> Result<Seeds, KernelError> {
    let chunks = || pieces.iter().flat_map(|piece| piece.values.chunks(1 << 16));
    let is_of_part = |&&value: &&u64| part_of_value(value, part.of) == part.number;
    let mut count = 0;
    for chunk in chunks() {
        count += chunk.iter().filter(is_of_part).count();
        progress.ask_watch()?;
    }
    reserve::check_room(Seeds::bytes(count))?;
    let mut seeds = Seeds::with_room_for(count);
    for chunk in chunks() {
        for &value in chunk.iter().filter(is_of_part) {
            seeds.add(value & !AGAIN, value & AGAIN != 0);
        }
        progress.ask_watch()?;
    }
    Ok(seeds)
}

/// The selections of the grams of `least` words in some documents: values, and the positions of
/// grams; the first word of all documents occurs at `first_position`.
///
/// # Errors
/// [`KernelError::NoReserve`]; [`KernelError::Interrupted`] if the watch asks to stop.
pub(super) fn select_grams_of_documents(
    words: Words,
    documents: Range<usize>,
    least: usize,
    first_position: u32,
    progress: &Progress,
) -> Result<Selections, KernelError> {
    let least = least.max(1);
    let inner = (least / 2).clamp(1, MOST_INNER);
    let longest = documents.clone().map(|document| words.range(document).len()).max();
    let mut window = Window::new(least - inner + 1, longest.unwrap_or(0))?;
    let (mut values, mut positions) = (Vec::new(), Vec::new());
    let mut selected = Selection { values: &mut values, positions: &mut positions };
    for document in documents {
        let range = words.range(document);
        let start = first_position + range.start as u32;
        reserve::make_room(selected.values, range.len())?;
        reserve::make_room(selected.positions, range.len())?;
        select_grams_and_mark_repeats(
            &words.hashes[range.clone()],
            start,
            inner,
            &mut window,
            &mut selected,
        );
        progress.spend_values(range.len())?;
    }
    Ok((values, positions))
}

/// The candidates of consecutive documents, and the values by which they may be equal to others.
pub(super) struct RangesWithValues {
    pub(super) ranges: CandidateRanges,
    /// For each filter the repeated values that the grams of ranges selected; none if they were not
    /// asked for.
    values: Vec<Vec<ValueOfRange>>,
}

/// A repeated value that a gram in a range selected.
struct ValueOfRange {
    /// The lower bits of its slot: two slots with the same ones count as equal values, which only
    /// keeps more ranges together.
    slot: u32,
    /// Number of the range.
    range: u32,
}

/// The grams of `least` words in consecutive documents whose values are repeated; every one that
/// occurs at a second place, in whichever document, is among them.
///
/// `selected`: what the grams of these documents selected. `keeps_values`: whether the candidates
/// will be divided.
///
/// # Errors
/// [`KernelError::NoReserve`]; [`KernelError::Interrupted`] if the watch asks to stop.
pub(super) fn find_candidates(
    words: Words,
    documents: Range<usize>,
    least: usize,
    selected: Selected,
    repeated: &PerhapsRepeatedValues,
    keeps_values: bool,
    progress: &Progress,
) -> Result<RangesWithValues, KernelError> {
    let mut ranges = CandidateRanges::new();
    let mut values: Vec<_> = repeated.filters.iter().map(|_| Vec::new()).collect();
    let mut next = selected.values.iter().zip(selected.positions).peekable();
    for document in documents {
        let range = words.range(document);
        let end = (range.end + 1).saturating_sub(least).max(range.start) as u32;
        progress.spend_values(range.len())?;
        while let Some((&value, &gram)) = next.next_if(|&(_, &gram)| gram < end) {
            // A gram before its document, or across its end, was selected at another length.
            if gram < range.start as u32 {
                continue;
            }
            let Some((filter, slot)) = repeated.filter_and_slot_if_repeated(value) else {
                continue;
            };
            let until = next.peek().map_or(end, |&(_, &gram)| gram.min(end));
            match ranges.last_mut() {
                Some(last) if last.end == gram && gram > range.start as u32 => {
                    last.end = until;
                }
                _ => reserve::push(&mut ranges, gram..until)?,
            }
            if keeps_values {
                let (slot, range) = (slot as u32, ranges.len() as u32 - 1);
                reserve::push(&mut values[filter], ValueOfRange { slot, range })?;
            }
        }
    }
    Ok(RangesWithValues { ranges, values })
}

/// The candidates of consecutive pieces in lists, each in the order of their places, so that equal
/// grams are in one list.
///
/// Ranges with a value in common are connected, and what is connected stays together: the largest
/// such family first, to the list that has the least. A range stays whole, so that a long copy is
/// followed in step, where parts by values would cut it into pieces that are each looked up.
///
/// # Errors
/// [`KernelError::NoReserve`]; [`KernelError::Interrupted`] if the watch asks to stop.
pub(super) fn divide_candidates(
    mut pieces: Vec<RangesWithValues>,
    repeated: &PerhapsRepeatedValues,
    lists: usize,
    team: &mut Team<()>,
    progress: &Progress,
) -> Result<Vec<CandidateRanges>, KernelError> {
    let count = pieces.iter().map(|piece| piece.ranges.len()).sum();
    let connected = Forest::new(count as u32);
    let connect = |(): &mut (), number: usize, progress: &Progress| {
        let slots = repeated.filters[number].slots().min(1 << u32::BITS);
        let mut first_ranges = reserve::repeat_value(NONE, slots)?;
        let mut ranges_before = 0;
        for piece in &pieces {
            for value in &piece.values[number] {
                progress.spend_values(1)?;
                let (range, first) =
                    (ranges_before + value.range, &mut first_ranges[value.slot as usize]);
                if *first == NONE {
                    *first = range;
                } else {
                    // Equal grams have equal values: ranges that share none have no gram in common.
                    connected.unite(*first, range);
                }
            }
            ranges_before += piece.ranges.len() as u32;
        }
        Ok(())
    };
    team.share_out(repeated.filters.len(), progress, connect)?;

    let mut candidates: CandidateRanges = reserve::new_list(count)?;
    for piece in &mut pieces {
        candidates.append(&mut piece.ranges);
    }
    drop(pieces);
    let families = connected.into_smallest_nodes();
    let mut gram_counts = reserve::repeat_value(0u64, candidates.len())?;
    for (&family, range) in families.iter().zip(&candidates) {
        gram_counts[family as usize] += range.len() as u64;
    }
    let mut largest: Vec<u32> =
        (0..).zip(&families).filter(|&(a, &b)| a == b).map(|(a, _)| a).collect();
    largest.sort_by_key(|&family| Reverse(gram_counts[family as usize]));
    let mut room: BinaryHeap<_> = (0..lists.max(1)).map(|list| Reverse((0, list))).collect();
    let mut list_of_family = reserve::repeat_value(0, candidates.len())?;
    for family in largest {
        let Some(mut least) = room.peek_mut() else { break };
        list_of_family[family as usize] = least.0.1;
        least.0.0 += gram_counts[family as usize];
    }
    let mut divided = vec![CandidateRanges::new(); lists.max(1)];
    for (&family, range) in families.iter().zip(candidates) {
        reserve::push(&mut divided[list_of_family[family as usize]], range)?;
    }
    Ok(divided)
}

/// Selection of a text, as it grows.
struct Selection<'a> {
    values: &'a mut Vec<u64>,
    positions: &'a mut Vec<u32>,
}

/// The last hashes of short grams, and the least of them.
struct Window {
    /// Number of hashes in a window.
    width: usize,
    /// A power of two of them, by their position.
    hashes: Vec<u64>,
}

impl Window {
    /// A window that is wider than the `longest` document is never full, so it holds nothing.
    fn new(width: usize, longest: usize) -> Result<Self, KernelError> {
        let slots = if width > longest { 1 } else { width.next_power_of_two() };
        Ok(Self { width, hashes: reserve::repeat_value(0, slots)? })
    }

    fn put_hash(&mut self, at: usize, hash: u64) {
        let mask = self.hashes.len() - 1;
        self.hashes[at & mask] = hash;
    }

    /// The least of the hashes up to the one at `last`, at the rightmost of its places.
    fn least_hash(&self, last: usize) -> (u64, usize) {
        let mask = self.hashes.len() - 1;
        let mut least = (u64::MAX, 0);
        for at in last + 1 - self.width..=last {
            let hash = self.hashes[at & mask];
            if hash <= least.0 {
                least = (hash, at);
            }
        }
        least
    }
}

/// Appends what the grams of one document select; nothing if the window is wider than it. What is
/// selected again right after is marked with [`AGAIN`].
fn select_grams_and_mark_repeats(
    words: &[u64],
    start: u32,
    inner: usize,
    window: &mut Window,
    selected: &mut Selection,
) {
    let width = window.width;
    let Some(count) = (words.len() + 1).checked_sub(inner).filter(|&count| count >= width) else {
        return;
    };
    let mut rolling = Rolling::new(words, inner, 0);
    let mut least = (u64::MAX, 0);
    let mut pushed = u64::MAX;
    for at in 0..count {
        let hash = rolling.hash() & !AGAIN;
        rolling.advance();
        window.put_hash(at, hash);
        let before = least;
        if hash <= least.0 {
            least = (hash, at);
        }
        let Some(gram) = (at + 1).checked_sub(width) else { continue };
        if least.1 < gram {
            least = window.least_hash(at);
        }
        if gram == 0 || least.0 != pushed {
            pushed = least.0;
            selected.values.push(least.0);
            selected.positions.push(start + gram as u32);
        } else if least != before
            && let Some(last) = selected.values.last_mut()
        {
            // The same value at another place: it is repeated, and needs no more entries.
            *last |= AGAIN;
        }
    }
}
