//! The count of sets that have each value, part by part of the values, so that a table stays in the
//! cache. The answers come back in the order in which values came.

use super::buckets::Buckets;
use super::home::Home;
use crate::error::KernelError;
use crate::progress::Progress;
use crate::reserve;

/// Bits of a cell of the table of a part: a value waits as its cell, in half the memory.
const CELLS: u32 = u16::BITS;

/// Bits of the least and of the most parts.
const LEAST_BITS: u32 = 3;
const MOST_BITS: u32 = u32::BITS - CELLS;

/// The least and the most values to a piece, and answers; all open pieces take one of this many
/// parts of the memory.
const LEAST_PIECE: usize = 1 << 6;
const MOST_PIECE: usize = 1 << 11;
const SHARES: usize = 32;

/// Classes of frequency: the first has values that no other set has, the last the most common.
pub(super) const CLASSES: usize = 16;

/// Values of classes below this are in fewer than 16 sets.
pub(super) const COMMON: usize = 4;

/// The class of a value, by the number of sets that have it: 0 or 1, 2 or 3, 4 to 7, and so on.
#[inline]
fn class(count: u16) -> u8 {
    (count | 1).ilog2() as u8
}

/// The cells of the values of all sets, by parts.
pub(super) struct Parts<'h> {
    shift: u32,
    piece: usize,
    cells: Buckets<'h, u16>,
    home: &'h Home<'h>,
}

impl<'h> Parts<'h> {
    /// Prepares for as many values, with `most` bytes of memory for the whole search.
    ///
    /// # Errors
    /// [`KernelError::NoReserve`].
    pub(super) fn new(home: &'h Home<'h>, values: u64, most: usize) -> Result<Self, KernelError> {
        // Half as many values to a part as its table has cells.
        let bits = (values >> (CELLS - 1)).max(1).ilog2() + 1;
        let bits = bits.clamp(LEAST_BITS, MOST_BITS);
        let piece = (most / (2 * SHARES)) >> bits;
        let piece = piece.clamp(LEAST_PIECE, MOST_PIECE);
        let cells = Buckets::new(home, 1 << bits, piece)?;
        Ok(Self { shift: u32::BITS - bits, piece, cells, home })
    }

    /// Takes the values of a set.
    ///
    /// # Errors
    /// [`KernelError::Storage`].
    pub(super) fn take(&mut self, set: &[u32]) -> Result<(), KernelError> {
        // The upper bits name the part, those after them the cell.
        let bits = u32::BITS - self.shift;
        set.iter().try_for_each(|&value| {
            let mixed = mixed(value);
            let cell = mixed << bits >> (u32::BITS - CELLS);
            self.cells.push((mixed >> self.shift) as usize, cell as u16)
        })
    }

    /// Counts. Values that fall into one cell are counted together; a count of one is always true.
    ///
    /// # Errors
    /// [`KernelError`].
    pub(super) fn classes(mut self, progress: &Progress) -> Result<Classes<'h>, KernelError> {
        let parts = self.cells.count();
        let mut answers = Buckets::new(self.home, parts, self.piece)?;
        let mut table = reserve::filled(0_u16, 1 << CELLS)?;
        let (mut cells, mut classes) = (Vec::new(), Vec::new());
        for part in 0..parts {
            self.cells.take(part, &mut cells)?;
            progress.at(part, parts);
            progress.tick(table.len() / 8 + 2 * cells.len())?;
            table.fill(0);
            for &cell in &cells {
                let count = &mut table[usize::from(cell)];
                *count = count.saturating_add(1);
            }
            classes.clear();
            reserve::more(&mut classes, cells.len())?;
            classes.extend(cells.iter().map(|&cell| class(table[usize::from(cell)])));
            answers.extend(part, &classes)?;
        }
        let open = reserve::filled(Open::default(), parts)?;
        Ok(Classes { shift: self.shift, answers, open })
    }
}

/// A value, mixed: neither parts nor cells depend on how values are made.
#[inline]
fn mixed(value: u32) -> u32 {
    let value = value.wrapping_mul(0x9E37_79B1);
    (value ^ (value >> 15)).wrapping_mul(0x85EB_CA6B)
}

/// The class of each value, in the order in which values came.
pub(super) struct Classes<'h> {
    shift: u32,
    answers: Buckets<'h, u8>,
    open: Vec<Open>,
}

/// The piece of a part that is read now.
#[derive(Clone, Default)]
struct Open {
    answers: Vec<u8>,
    /// Answers of it that were given.
    given: usize,
    /// Pieces before it, and itself.
    pieces: usize,
}

impl Classes<'_> {
    /// The classes of the values of the next set, in the place of those of `to`.
    ///
    /// # Errors
    /// [`KernelError::Storage`].
    pub(super) fn of(&mut self, set: &[u32], to: &mut Vec<u8>) -> Result<(), KernelError> {
        to.clear();
        to.resize(set.len(), 0);
        for (&value, to) in set.iter().zip(to) {
            let part = (mixed(value) >> self.shift) as usize;
            let open = &mut self.open[part];
            if open.given == open.answers.len() {
                self.answers.take_piece(part, open.pieces, &mut open.answers)?;
                open.given = 0;
                open.pieces += 1;
            }
            *to = open.answers.get(open.given).copied().unwrap_or(0);
            open.given += 1;
        }
        Ok(())
    }
}
