//! The grams that may be repeated: all others stand at one place only.
//!
//! Of the hashes of the short grams inside a gram the least, at its rightmost place, depends on the
//! words of the gram alone. If a value was selected at one place only, the grams that selected it
//! are repeated nowhere.

use std::ops::Range;

use super::Words;
use super::grams::Rolling;
use super::meter::Meter;
use super::seeds::Seeds;
use crate::error::KernelError;

/// Most words of a short gram.
const MOST_INNER: usize = 32;

/// Marks a value that its own document has selected at a second place right behind the first.
const AGAIN: u64 = 1;

/// Ranges of positions of grams that may be repeated, ascending, none across documents.
pub(super) type Candidates = Vec<Range<u32>>;

/// A value, and the first of the grams in a row that selected it.
struct Selected {
    value: u64,
    gram: u32,
}

/// The grams of `least` words that may be repeated; every one that is repeated is among them.
///
/// # Errors
/// [`KernelError::Interrupted`] if the meter's watch asks to stop.
pub(super) fn candidates(
    words: Words,
    least: usize,
    meter: &mut Meter,
) -> Result<Candidates, KernelError> {
    let inner = (least / 2).clamp(1, MOST_INNER);
    let mut selected = Vec::new();
    let mut window = Window::new(least - inner + 1);
    for document in 0..words.documents() {
        let range = words.range(document);
        select(&words.hashes[range.clone()], range.start, inner, &mut window, &mut selected);
        meter.reach(range.end)?;
    }
    let mut seeds = Seeds::with_room_for(selected.len());
    for chunk in selected.chunks(1 << 16) {
        for one in chunk {
            seeds.add(one.value & !AGAIN, one.value & AGAIN != 0);
        }
        meter.look()?;
    }

    let mut found = Candidates::new();
    let mut next = 0;
    for document in 0..words.documents() {
        let range = words.range(document);
        let end = (range.end + 1).saturating_sub(least).max(range.start) as u32;
        while let Some(one) = selected.get(next).filter(|one| one.gram < end) {
            next += 1;
            if !seeds.repeated(one.value & !AGAIN) {
                continue;
            }
            let until = selected.get(next).map_or(end, |one| one.gram.min(end));
            match found.last_mut() {
                Some(last) if last.end == one.gram && one.gram > range.start as u32 => {
                    last.end = until;
                }
                _ => found.push(one.gram..until),
            }
        }
    }
    Ok(found)
}

/// The last hashes of short grams, and the least of them.
struct Window {
    /// How many count.
    width: usize,
    /// A power of two of them, by their position.
    hashes: Vec<u64>,
}

impl Window {
    fn new(width: usize) -> Self {
        Self { width, hashes: vec![0; width.next_power_of_two()] }
    }

    fn set(&mut self, at: usize, hash: u64) {
        let mask = self.hashes.len() - 1;
        self.hashes[at & mask] = hash;
    }

    /// The least of the hashes up to the one at `last`, at the rightmost of its places.
    fn least(&self, last: usize) -> (u64, usize) {
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

/// Appends what the grams of one document select.
fn select(
    words: &[u64],
    start: usize,
    inner: usize,
    window: &mut Window,
    selected: &mut Vec<Selected>,
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
        window.set(at, hash);
        let before = least;
        if hash <= least.0 {
            least = (hash, at);
        }
        let Some(gram) = (at + 1).checked_sub(width) else { continue };
        if least.1 < gram {
            least = window.least(at);
        }
        if gram == 0 || least.0 != pushed {
            pushed = least.0;
            selected.push(Selected { value: least.0, gram: (start + gram) as u32 });
        } else if least != before
            && let Some(last) = selected.last_mut()
        {
            // The same value at another place: it is repeated, and needs no more entries.
            last.value |= AGAIN;
        }
    }
}
