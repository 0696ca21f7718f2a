//! The count of sets that have each value, part by part of the values, so that a table stays in the
//! cache. The answers come back in the order in which values came.
//!
//! Threads share it twice: first by pieces of sets, whose values are sorted by part, then by parts,
//! each of which counts what all pieces have sorted to it.

use super::home::{Home, HomeLists, HomeNumber, List, U24};
use super::sorted::{NumbersByReceiver, Pieces};
use crate::error::KernelError;
use crate::parallel::Team;
use crate::progress::{JUMP, Progress};
use crate::reserve;
use std::ops::Range;

/// Bits of a cell of the table of a part, where one of two bytes is enough, and the most.
const CELL_BITS: u32 = u16::BITS;
const MOST_CELL_BITS: u32 = u32::BITS - MOST_BITS;

/// Bits of the least and of the most parts. With more, what is written to all of them at once would
/// not stay in the cache.
const LEAST_BITS: u32 = 3;
const MOST_BITS: u32 = 10;

/// Classes of frequency: the first has values that no other set has, the last the most common.
pub(super) const CLASSES: usize = 16;

/// Values of classes below this are in fewer than 16 sets.
pub(super) const COMMON: usize = 4;

/// The class of a value, by the number of sets that have it: 0 or 1, 2 or 3, 4 to 7, and so on.
#[inline]
fn floor_log2_class(count: u16) -> u8 {
    (count | 1).ilog2() as u8
}

/// The place of a value: the upper bits of what it is mixed to name the part, those after them the
/// cell.
#[derive(Debug, Clone, Copy, Default)]
struct CellLayout {
    bits: u32,
    cell_bits: u32,
}

impl CellLayout {
    /// For as many values.
    fn new(values: u64) -> Self {
        // Half as many values to a part as its table has cells.
        let all = (values >> (CELL_BITS - 1)).max(1).ilog2() + 1;
        let bits = all.clamp(LEAST_BITS, MOST_BITS);
        let cell_bits = (CELL_BITS + all.saturating_sub(bits)).min(MOST_CELL_BITS);
        Self { bits, cell_bits }
    }

    fn parts(self) -> usize {
        1 << self.bits
    }

    #[inline]
    fn part(self, mixed: u32) -> usize {
        (mixed >> (u32::BITS - self.bits)) as usize
    }

    #[inline]
    fn cell_in_part(self, mixed: u32) -> u32 {
        // The first shift drops the bits of the part.
        mixed << self.bits >> (u32::BITS - self.cell_bits)
    }
}

/// Sets cut into pieces.
pub(super) struct PiecedSets<'p, F> {
    /// The set at a place.
    pub(super) set: F,
    /// The places of each piece.
    pub(super) pieces: &'p [Range<usize>],
    /// Values of all of them.
    pub(super) values: u64,
}

/// The class of each value of each piece of sets.
pub(super) struct ValueClasses<'h> {
    layout: CellLayout,
    lists: HomeLists<'h>,
    /// The classes of the values of each part, in the order in which they came.
    classes: Vec<List<u8>>,
    /// The places where the values of each piece begin in those of each part, piece by piece, and
    /// the ends.
    begins: Vec<u32>,
}

impl<'h> ValueClasses<'h> {
    /// Counts. Values that fall into one cell are counted together; a count of one is always true.
    ///
    /// # Errors
    /// [`KernelError`].
    pub(super) fn new<'s, F: Fn(usize) -> &'s [u32] + Sync>(
        sets: &PiecedSets<F>,
        home: &'h Home<'h>,
        team: &mut Team<()>,
        stages: [&Progress; 2],
    ) -> Result<Self, KernelError> {
        let layout = CellLayout::new(sets.values);
        if layout.cell_bits > CELL_BITS {
            let (to_cell, place) = (U24 as fn(u32) -> U24, |cell: U24| cell.0 as usize);
            Self::count(sets, layout, home, team, (to_cell, place), stages)
        } else {
            let cells = (|cell: u32| cell as u16, usize::from as fn(u16) -> usize);
            Self::count(sets, layout, home, team, cells, stages)
        }
    }

    /// The same with cells of a kind: how a number becomes one, and its place in a table.
    fn count<'s, F: Fn(usize) -> &'s [u32] + Sync, T: HomeNumber + Send + Sync>(
        sets: &PiecedSets<F>,
        layout: CellLayout,
        home: &'h Home<'h>,
        team: &mut Team<()>,
        (to_cell, place): (impl Fn(u32) -> T + Copy + Sync, impl Fn(T) -> usize + Sync),
        [sorting, counting]: [&Progress; 2],
    ) -> Result<Self, KernelError> {
        let (pieces, parts) = (sets.pieces, layout.parts());
        let mut cells = Pieces::new(home);
        let lists = &cells.lists;
        let sort = |(): &mut (), piece: usize, progress: &Progress| {
            progress.note_done(piece, pieces.len());
            for place in pieces[piece].clone() {
                // Sets are read in the order in which they lie: an eighth of a jump.
                progress.spend_values(2 * (sets.set)(place).len() + JUMP / 8)?;
            }
            let values = pieces[piece].clone().flat_map(|place| (sets.set)(place));
            let cells = values.map(|&value| {
                let mixed = mix_bits(value);
                (layout.part(mixed), to_cell(layout.cell_in_part(mixed)))
            });
            NumbersByReceiver::sort_and_store(lists, parts, cells)
        };
        cells.pieces = team.share_out(pieces.len(), sorting, sort)?;

        // Sums over the pieces: in a part, values lie in the order of pieces, so that a piece finds
        // its own again.
        let mut begins = reserve::repeat_value(0_u32, (pieces.len() + 1) * parts)?;
        for (piece, sorted) in cells.pieces.iter().enumerate() {
            for part in 0..parts {
                let end = begins[piece * parts + part] + sorted.count_numbers_of(part) as u32;
                begins[(piece + 1) * parts + part] = end;
            }
        }
        let lists = HomeLists::new(home);
        let table = || Ok((reserve::repeat_value(0_u16, 1 << layout.cell_bits)?, Vec::new()));
        let mut team = team.pair_each_state_with(table)?;
        let count =
            |state: &mut (&mut (), (Vec<u16>, Vec<T>)), part: usize, progress: &Progress| {
                let (_, (table, own)) = state;
                cells.read_all_of(part, own)?;
                progress.note_done(part, parts);
                progress.spend_values(table.len() / 8 + 2 * own.len())?;
                table.fill(0);
                for &cell in &*own {
                    let count = &mut table[place(cell)];
                    *count = count.saturating_add(1);
                }
                let mut classes = reserve::new_list(own.len())?;
                classes.extend(own.iter().map(|&cell| floor_log2_class(table[place(cell)])));
                lists.store(classes)
            };
        let classes = team.share_out(parts, counting, count)?;
        Ok(Self { layout, lists, classes, begins })
    }

    /// Puts the classes of the values of a piece in the place of those of `to`.
    ///
    /// # Errors
    /// [`KernelError::Storage`] and [`KernelError::NoReserve`].
    pub(super) fn read_piece(&self, piece: usize, to: &mut Classes) -> Result<(), KernelError> {
        let parts = self.layout.parts();
        let [begins, ends] = [piece, piece + 1].map(|piece| &self.begins[piece * parts..][..parts]);
        to.layout = self.layout;
        to.next.clear();
        to.classes.clear();
        for (part, (&begin, &end)) in begins.iter().zip(ends).enumerate() {
            to.next.push(to.classes.len() as u32);
            let places = begin as usize..end as usize;
            self.lists.append_numbers_at(&self.classes[part], places, &mut to.classes)?;
        }
        Ok(())
    }
}

/// The classes of the values of a piece, which are given in the order in which its values came.
#[derive(Default)]
pub(super) struct Classes {
    layout: CellLayout,
    /// Part by part.
    classes: Vec<u8>,
    /// The place of the next class of each part.
    next: Vec<u32>,
}

impl Classes {
    /// Puts the classes of the values of the next set in the place of those of `to`.
    pub(super) fn read_next_set(&mut self, set: &[u32], to: &mut Vec<u8>) {
        to.clear();
        to.extend(set.iter().map(|&value| {
            let next = &mut self.next[self.layout.part(mix_bits(value))];
            // Sorting kept the order within a part: the set is gone through as before, and takes
            // the next class of the part of each value.
            *next += 1;
            self.classes[*next as usize - 1]
        }));
    }
}

/// A value, mixed: neither parts nor cells depend on how values are made.
#[inline]
fn mix_bits(value: u32) -> u32 {
    let value = value.wrapping_mul(0x9E37_79B1);
    (value ^ (value >> 15)).wrapping_mul(0x85EB_CA6B)
}
