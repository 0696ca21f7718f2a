//! The count of sets that have each value, part by part of the values, so that a table stays in the
//! cache. The answers come back in the order in which values came.

use super::buckets::Buckets;
use super::home::{Home, Number, U24};
use crate::error::KernelError;
use crate::progress::Progress;
use crate::reserve;

/// Bits of a cell of the table of a part, where one of two bytes is enough, and the most.
const CELL_BITS: u32 = u16::BITS;
const MOST_CELL_BITS: u32 = u32::BITS - MOST_BITS;

/// Bits of the least and of the most parts. With more, what is written to all of them at once would
/// not stay in the cache, and pieces would be small.
const LEAST_BITS: u32 = 3;
const MOST_BITS: u32 = 10;

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

/// The cells of the values of all sets, by parts: a value waits as its cell, which takes less memory.
pub(super) struct Parts<'h> {
    layout: Layout,
    cells: Cells<'h>,
    home: &'h Home<'h>,
}

/// Cells by parts, as narrow as their number allows.
enum Cells<'h> {
    Narrow(Buckets<'h, u16>),
    Wide(Buckets<'h, U24>),
}

/// The place of a value: the upper bits of what it is mixed to name the part, those after them the
/// cell.
#[derive(Clone, Copy)]
struct Layout {
    bits: u32,
    cell_bits: u32,
    piece: usize,
}

impl Layout {
    /// For as many values, with `most` bytes of memory for the whole search.
    fn new(values: u64, most: usize) -> Self {
        // Half as many values to a part as its table has cells.
        let all = (values >> (CELL_BITS - 1)).max(1).ilog2() + 1;
        let bits = all.clamp(LEAST_BITS, MOST_BITS);
        let cell_bits = (CELL_BITS + all.saturating_sub(bits)).min(MOST_CELL_BITS);
        let bytes = if cell_bits > CELL_BITS { size_of::<U24>() } else { size_of::<u16>() };
        let piece = (most / (bytes * SHARES)) >> bits;
        Self { bits, cell_bits, piece: piece.clamp(LEAST_PIECE, MOST_PIECE) }
    }

    #[inline]
    fn part(self, mixed: u32) -> usize {
        (mixed >> (u32::BITS - self.bits)) as usize
    }

    #[inline]
    fn cell(self, mixed: u32) -> u32 {
        mixed << self.bits >> (u32::BITS - self.cell_bits)
    }
}

impl<'h> Parts<'h> {
    /// Prepares for as many values, with `most` bytes of memory for the whole search.
    ///
    /// # Errors
    /// [`KernelError::NoReserve`].
    pub(super) fn new(home: &'h Home<'h>, values: u64, most: usize) -> Result<Self, KernelError> {
        let layout = Layout::new(values, most);
        let (parts, piece) = (1 << layout.bits, layout.piece);
        let cells = if layout.cell_bits > CELL_BITS {
            Cells::Wide(Buckets::new(home, parts, piece)?)
        } else {
            Cells::Narrow(Buckets::new(home, parts, piece)?)
        };
        Ok(Self { layout, cells, home })
    }

    /// Takes the values of a set.
    ///
    /// # Errors
    /// [`KernelError::Storage`].
    pub(super) fn take(&mut self, set: &[u32]) -> Result<(), KernelError> {
        let layout = self.layout;
        let mut mixed = set.iter().map(|&value| mix_bits(value));
        match &mut self.cells {
            Cells::Narrow(cells) => mixed
                .try_for_each(|mixed| cells.push(layout.part(mixed), layout.cell(mixed) as u16)),
            Cells::Wide(cells) => {
                mixed.try_for_each(|mixed| cells.push(layout.part(mixed), U24(layout.cell(mixed))))
            }
        }
    }

    /// Counts. Values that fall into one cell are counted together; a count of one is always true.
    ///
    /// # Errors
    /// [`KernelError`].
    pub(super) fn classes(self, progress: &Progress) -> Result<Classes<'h>, KernelError> {
        let Self { layout, cells, home } = self;
        let answers = match cells {
            Cells::Narrow(cells) => count_classes(cells, layout, home, progress, usize::from)?,
            Cells::Wide(cells) => {
                count_classes(cells, layout, home, progress, |cell| cell.0 as usize)?
            }
        };
        let open = reserve::repeat_value(Open::default(), 1 << layout.bits)?;
        Ok(Classes { layout, answers, open })
    }
}

/// The class of each value, in the order of the cells of its part.
fn count_classes<'h, T: Number>(
    mut cells: Buckets<T>,
    layout: Layout,
    home: &'h Home<'h>,
    progress: &Progress,
    place: impl Fn(T) -> usize,
) -> Result<Buckets<'h, u8>, KernelError> {
    let parts = cells.count();
    let mut answers = Buckets::new(home, parts, layout.piece)?;
    let mut table = reserve::repeat_value(0_u16, 1 << layout.cell_bits)?;
    let (mut of_part, mut classes) = (Vec::new(), Vec::new());
    for part in 0..parts {
        cells.take(part, &mut of_part)?;
        progress.at(part, parts);
        progress.tick(table.len() / 8 + 2 * of_part.len())?;
        table.fill(0);
        for &cell in &of_part {
            let count = &mut table[place(cell)];
            *count = count.saturating_add(1);
        }
        classes.clear();
        reserve::more(&mut classes, of_part.len())?;
        classes.extend(of_part.iter().map(|&cell| class(table[place(cell)])));
        answers.extend(part, &classes)?;
    }
    Ok(answers)
}

/// A value, mixed: neither parts nor cells depend on how values are made.
#[inline]
fn mix_bits(value: u32) -> u32 {
    let value = value.wrapping_mul(0x9E37_79B1);
    (value ^ (value >> 15)).wrapping_mul(0x85EB_CA6B)
}

/// The class of each value, in the order in which values came.
pub(super) struct Classes<'h> {
    layout: Layout,
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
            let part = self.layout.part(mix_bits(value));
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
