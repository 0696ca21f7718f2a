//! The grams of a text (its runs of `length` adjacent words) and where each of them stands.

use std::cell::Cell;

use super::meter::{Meter, STEPS_PER_LOOK};
use crate::error::KernelError;

/// Odd constants without structure (the first digits of pi and of e in base 16).
pub(super) const LEFT_KEY: u64 = 0x243F_6A88_85A3_08D3;
const RIGHT_KEY: u64 = 0xB7E1_5162_8AED_2A6B;

/// The 64-bit hash of every gram of `length` words (at least 1), in text order; none if the text is
/// shorter.
///
/// Hashes of adjacent grams are joined into those of grams twice as long, so the time is
/// `words.len()` x log2 of `length`.
///
/// # Errors
/// [`KernelError::Interrupted`] if the meter's watch asks to stop.
pub(super) fn gram_hashes(
    words: &[u64],
    length: usize,
    meter: &mut Meter,
) -> Result<Vec<u64>, KernelError> {
    if words.len() < length {
        return Ok(Vec::new());
    }
    let mut hashes = words.to_vec();
    let mut width = 1;
    while width < length {
        let step = width.min(length - width);
        let count = hashes.len() - step;
        // Read ahead of what is written, in one slice: hence the cells.
        let cells = Cell::from_mut(&mut hashes[..]).as_slice_of_cells();
        let nears = cells.chunks(STEPS_PER_LOOK);
        let fars = cells[step..].chunks(STEPS_PER_LOOK);
        for (nears, fars) in nears.zip(fars) {
            for (near, far) in nears.iter().zip(fars) {
                near.set(join(near.get(), far.get()));
            }
            meter.look()?;
        }
        hashes.truncate(count);
        width += step;
    }
    Ok(hashes)
}

/// One hash from two, order kept: both halves of their 128-bit product.
fn join(left: u64, right: u64) -> u64 {
    let product = u128::from(left ^ LEFT_KEY) * u128::from(right ^ RIGHT_KEY);
    (product >> 64) as u64 ^ product as u64
}

/// One place of a gram in its text.
#[derive(Clone, Copy)]
struct Place {
    /// Position of the next place of the same gram; means nothing where `later` is 0.
    next: u32,
    /// Number of places of the same gram after this one.
    later: u32,
}

/// The places of every gram of one text, found by the gram's hash.
///
/// An open-addressed table holds each distinct hash once, with its first place; the further
/// places hang on it in text order, so a gram that stands everywhere slows down no other gram.
pub(super) struct Places {
    hashes: Vec<u64>,
    places: Vec<Place>,
    /// One more than the first place of a gram; 0 is a free slot. A power of two of them.
    slots: Vec<u32>,
}

impl Places {
    /// Enters the grams of a text of fewer than 2^32 words, given by their hashes.
    ///
    /// # Errors
    /// [`KernelError::Interrupted`] if the meter's watch asks to stop.
    pub(super) fn new(hashes: Vec<u64>, meter: &mut Meter) -> Result<Self, KernelError> {
        let mut places = vec![Place { next: 0, later: 0 }; hashes.len()];
        let mut slots = vec![0; (2 * hashes.len()).next_power_of_two().max(2)];
        // From the end, since a slot holds the last place that was entered.
        for (at, &hash) in hashes.iter().enumerate().rev() {
            let slot = find_slot(&slots, &hashes, hash);
            if let Some(next) = slots[slot].checked_sub(1) {
                let later = places[next as usize].later + 1;
                places[at] = Place { next, later };
            }
            slots[slot] = at as u32 + 1;
            meter.reach(hashes.len() - at)?;
        }
        Ok(Self { hashes, places, slots })
    }

    /// The first place of the gram with this hash.
    pub(super) fn first(&self, hash: u64) -> Option<usize> {
        let slot = find_slot(&self.slots, &self.hashes, hash);
        self.slots[slot].checked_sub(1).map(|place| place as usize)
    }

    /// `place` and the further places of its gram, in text order.
    pub(super) fn starting_at(&self, place: usize) -> impl Iterator<Item = usize> {
        std::iter::successors(Some(place), |&place| {
            let Place { next, later } = self.places[place];
            (later > 0).then_some(next as usize)
        })
    }

    /// How many places of the same gram stand after `place`.
    pub(super) fn later(&self, place: usize) -> u32 {
        self.places[place].later
    }

    /// Whether the gram at `place`, if there is one, has this hash.
    pub(super) fn holds(&self, place: usize, hash: u64) -> bool {
        self.hashes.get(place) == Some(&hash)
    }
}

/// The slot that holds `hash`, or the free one where it belongs.
fn find_slot(slots: &[u32], hashes: &[u64], hash: u64) -> usize {
    let mask = slots.len() - 1;
    // The high bits of a product depend on all bits of the hash, which for a gram of one word is
    // the caller's own number.
    let high_bits = u64::BITS - slots.len().trailing_zeros();
    let mut slot = (hash.wrapping_mul(LEFT_KEY) >> high_bits) as usize;
    while let Some(place) = slots[slot].checked_sub(1) {
        if hashes[place as usize] == hash {
            break;
        }
        slot = (slot + 1) & mask;
    }
    slot
}
