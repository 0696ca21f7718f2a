//! Sets that surely resemble no other, known by how many of their values no other set has.
//!
//! Where a collection is larger than memory, most of its sets need not be joined at all: one look
//! at each value finds those, in the order in which they are.

use super::frequency::{AHEAD, spread};
use super::progress::Progress;
use super::ratio::{Ratio, Resemblance};
use super::sets::Sets;
use crate::error::{KernelError, Watch};
use crate::room;
use crate::simd::prefetch::prefetch;

/// Bits of a cell, which counts to two, and cells in a byte.
const CELL: u32 = 2;
const CELLS: usize = (u8::BITS / CELL) as usize;

/// The table has at least two to the power of as many cells, and no more values than there are.
const LEAST_BITS: u32 = 8;

/// The collection is read two to the power of as many times at the most, each time for a part of
/// the values.
const MOST_PARTS: u32 = 3;

/// Find rows that surely resemble no other to the degree of `threshold`. No row that resembles
/// another is among them; a row that does not may be missing, the more so the less `room` there is.
///
/// A set of n values shares at least t n of them with any set that it resembles (Bayardo et al.
/// 2007, section 4), so that one with fewer values that another set may have is alone. Values
/// are counted in cells; where several values fall into one, none of them counts as alone.
///
/// # Errors
/// [`KernelError::NoRoom`] and [`KernelError::Interrupted`].
pub fn strangers(
    sets: Sets,
    threshold: Ratio,
    room: usize,
    watch: Watch,
) -> Result<Vec<bool>, KernelError> {
    let mut lone = room::filled(0_u32, sets.len())?;
    if !threshold.is_threshold() {
        return Ok(vec![true; lone.len()]);
    }
    let rule = Resemblance::new(threshold);
    let values: usize = (0..sets.len()).map(|row| sets.get(row).len()).sum();
    let wanted = (values | 1).next_power_of_two().ilog2().clamp(LEAST_BITS, u32::BITS);
    let fitting = (room.saturating_mul(CELLS) | 1).ilog2().clamp(LEAST_BITS, u32::BITS);
    let parts = wanted.saturating_sub(fitting).min(MOST_PARTS);
    let bits = wanted.min(fitting);
    let mut progress = Progress::stage(watch, 0.0, 1.0);
    let steps = (2 * sets.len()) << parts;
    let mut done = 0;
    for part in 0..1_u32 << parts {
        let mut cells = Cells::new(bits, parts, part)?;
        for row in 0..sets.len() {
            progress.at(done + row, steps);
            progress.tick(sets.get(row).len())?;
            cells.note(sets.get(row));
        }
        done += sets.len();
        for (row, lone) in lone.iter_mut().enumerate() {
            progress.at(done + row, steps);
            progress.tick(sets.get(row).len())?;
            *lone += cells.lone(sets.get(row));
        }
        done += sets.len();
    }
    let alone = |(row, &lone): (usize, &u32)| {
        let size = sets.get(row).len();
        size - (lone as usize) < rule.smallest(size).max(1)
    };
    Ok(lone.iter().enumerate().map(alone).collect())
}

/// Number of sets that have each value of one part, up to two.
struct Cells {
    counts: Vec<u8>,
    shift: u32,
    parts: u32,
    part: u32,
}

impl Cells {
    fn new(bits: u32, parts: u32, part: u32) -> Result<Self, KernelError> {
        let counts = room::filled(0_u8, (1 << bits) / CELLS)?;
        Ok(Self { counts, shift: u32::BITS - bits, parts, part })
    }

    /// Counts the values of a set.
    fn note(&mut self, set: &[u32]) {
        for (at, &value) in set.iter().enumerate() {
            self.fetch(set, at);
            if let Some((byte, place)) = self.cell(value) {
                let count = &mut self.counts[byte];
                let more = u8::from((*count >> place) & 3 < 2);
                *count += more << place;
            }
        }
    }

    /// Number of values of a set in cells that count no other set.
    fn lone(&self, set: &[u32]) -> u32 {
        let mut lone = 0;
        for (at, &value) in set.iter().enumerate() {
            self.fetch(set, at);
            if let Some((byte, place)) = self.cell(value) {
                lone += u32::from((self.counts[byte] >> place) & 3 == 1);
            }
        }
        lone
    }

    /// Cell of a value; `None` for a value of another part.
    #[inline]
    fn cell(&self, value: u32) -> Option<(usize, u32)> {
        let token = spread(value);
        if self.parts > 0 && token & ((1 << self.parts) - 1) != self.part {
            return None;
        }
        let cell = (u64::from(token) >> self.shift) as usize;
        Some((cell / CELLS, CELL * (cell % CELLS) as u32))
    }

    #[inline]
    fn fetch(&self, set: &[u32], at: usize) {
        if let Some((byte, _)) = set.get(at + AHEAD).and_then(|&next| self.cell(next)) {
            prefetch(&self.counts[byte..]);
        }
    }
}
