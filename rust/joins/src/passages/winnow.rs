//! The grams that may be repeated: all others occur at one place only.
//!
//! Each gram selects the least hash of the short grams inside it, at its rightmost place. That
//! value depends on the words of the gram alone, so that grams whose value was selected at one
//! place only are repeated nowhere.

use std::ops::Range;

use super::Words;
use super::grams::Rolling;
use super::seeds::Seeds;
use crate::error::KernelError;
use crate::progress::Progress;
use crate::reserve;

/// Most words of a short gram.
const MOST_INNER: usize = 32;

/// Marks a value that its own document has selected at a second place right after the first.
const AGAIN: u64 = 1;

/// Ranges of positions of grams that may be repeated, ascending, none across documents.
pub(super) type Candidates = Vec<Range<u32>>;

/// Values that the grams of a collection selected, in reading order, each with the first of
/// the grams in a row that selected it.
#[derive(Debug, Clone, Copy)]
pub struct Selected<'a> {
    /// The values.
    pub values: &'a [u64],
    /// The positions of the grams.
    pub grams: &'a [u32],
}

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

    /// Return whether grams that selected a value are of this part.
    fn has_value(self, value: u64) -> bool {
        // The least of many hashes are small numbers: their bits are mixed.
        let mixed = (value >> 1).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 32;
        ((mixed * self.of as u64) >> 32) as usize == self.number
    }
}

/// The selections of the grams of `least` words in some documents: values, and the positions of
/// grams; the first word of all documents occurs at `base`.
///
/// # Errors
/// [`KernelError::NoReserve`]; [`KernelError::Interrupted`] if the watch asks to stop.
pub(super) fn select_of_documents(
    words: Words,
    documents: Range<usize>,
    least: usize,
    base: u32,
    progress: &Progress,
) -> Result<(Vec<u64>, Vec<u32>), KernelError> {
    let least = least.max(1);
    let inner = (least / 2).clamp(1, MOST_INNER);
    let longest = documents.clone().map(|document| words.range(document).len()).max();
    let mut window = Window::new(least - inner + 1, longest.unwrap_or(0))?;
    let (mut values, mut grams) = (Vec::new(), Vec::new());
    let mut selected = Selection { values: &mut values, grams: &mut grams };
    for document in documents {
        let range = words.range(document);
        let start = base + range.start as u32;
        reserve::make_room(selected.values, range.len())?;
        reserve::make_room(selected.grams, range.len())?;
        select_of_document(&words.hashes[range.clone()], start, inner, &mut window, &mut selected);
        progress.tick(range.len())?;
    }
    Ok((values, grams))
}

/// The grams of `least` words of a part that may be repeated; every one that is repeated is among
/// them.
///
/// # Errors
/// [`KernelError::Interrupted`] if the watch asks to stop.
pub(super) fn find_candidates(
    words: Words,
    least: usize,
    selected: Selected,
    part: ValuePart,
    progress: &Progress,
) -> Result<Candidates, KernelError> {
    let count = selected.values.iter().filter(|&&value| part.has_value(value)).count();
    reserve::check_room(Seeds::bytes(count))?;
    let mut seeds = Seeds::with_reserve_for(count);
    for chunk in selected.values.chunks(1 << 16) {
        for &value in chunk.iter().filter(|&&value| part.has_value(value)) {
            seeds.add(value & !AGAIN, value & AGAIN != 0);
        }
        progress.ask()?;
    }

    let both = || selected.values.iter().zip(selected.grams);
    let mut found = Candidates::new();
    let mut next = both().peekable();
    for document in 0..words.documents() {
        let range = words.range(document);
        let end = (range.end + 1).saturating_sub(least).max(range.start) as u32;
        while let Some((&value, &gram)) = next.next_if(|&(_, &gram)| gram < end) {
            // A gram before its document, or across its end, was selected at another length.
            let within = gram >= range.start as u32;
            if !within || !part.has_value(value) || !seeds.may_be_repeated(value & !AGAIN) {
                continue;
            }
            let until = next.peek().map_or(end, |&(_, &gram)| gram.min(end));
            match found.last_mut() {
                Some(last) if last.end == gram && gram > range.start as u32 => {
                    last.end = until;
                }
                _ => reserve::push(&mut found, gram..until)?,
            }
        }
    }
    Ok(found)
}

/// Selection of a text, as it grows.
struct Selection<'a> {
    values: &'a mut Vec<u64>,
    grams: &'a mut Vec<u32>,
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

/// Appends what the grams of one document select; nothing if the window is wider than it.
fn select_of_document(
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
            selected.grams.push(start + gram as u32);
        } else if least != before
            && let Some(last) = selected.values.last_mut()
        {
            // The same value at another place: it is repeated, and needs no more entries.
            *last |= AGAIN;
        }
    }
}
