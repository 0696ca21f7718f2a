//! Sets by the sum of what they have in a part, with their bitmaps side by side.

use crate::error::KernelError;
use crate::reserve;
use std::collections::HashMap;
use std::ops::Range;

/// Bits of a sum beyond those of its list, in the table of sums that are there: with a set to a
/// list, one in sixteen sums that are not there seems to be.
const FINER: u32 = 4;

/// A sum of hashes, and the set that it is of.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct ColumnSum {
    pub(super) sum: u32,
    /// The place of the set among those of its cut.
    pub(super) column: u32,
}

/// The bucket of a sum among 2^`bits`: the upper bits of its product with an odd number.
#[inline(always)]
pub(super) fn bucket_of_sum(sum: u32, bits: u32) -> usize {
    (sum.wrapping_mul(0x9E37_79B1) >> (u32::BITS - bits)) as usize
}

/// Lists of sets, each known by its column: sets of one sum are in one list, and a few others.
pub(super) struct Lists<const W: usize> {
    bits: u32,
    /// The beginnings of all lists, and the end of the last.
    starts: Vec<u32>,
    /// The columns, list by list.
    pub(super) columns: Vec<u32>,
    /// The bitmaps of these sets.
    pub(super) bitmaps: Vec<[u64; W]>,
    /// A bit for each sum that is there, and for a few others.
    there: Vec<u64>,
    /// The long lists that are in the order of families, by where they begin.
    pub(super) orders: HashMap<u32, FamilyOrder>,
}

/// The order of a long list by families.
pub(super) struct FamilyOrder {
    /// Sets of one family each.
    pub(super) families: Vec<Range<u32>>,
    /// The beginning of the rest.
    pub(super) rest: u32,
    /// The number of times that sets of the rest were found by their own family.
    pub(super) met: u32,
}

impl<const W: usize> Lists<W> {
    /// Makes room for as many sets.
    ///
    /// # Errors
    /// [`KernelError::NoReserve`].
    pub(super) fn new(sets: usize) -> Result<Self, KernelError> {
        let bits = choose_list_bits(sets);
        Ok(Self {
            bits,
            starts: reserve::repeat_value(0, (1 << bits) + 1)?,
            columns: reserve::repeat_value(0, sets)?,
            bitmaps: reserve::repeat_value([0; W], sets)?,
            there: reserve::repeat_value(0, 1 << (bits + FINER - u64::BITS.ilog2()))?,
            orders: HashMap::new(),
        })
    }

    /// Lists sets by their sums, at most as many as there is room for; `bitmaps` are by column.
    pub(super) fn fill(
        &mut self,
        sets: impl DoubleEndedIterator<Item = ColumnSum> + ExactSizeIterator + Clone,
        bitmaps: &[[u64; W]],
    ) {
        self.orders.clear();
        self.bits = choose_list_bits(sets.len());
        let starts = &mut self.starts[..=1 << self.bits];
        let there = &mut self.there[..1 << (self.bits + FINER - u64::BITS.ilog2())];
        starts.fill(0);
        there.fill(0);
        for ColumnSum { sum, .. } in sets.clone() {
            let fine = bucket_of_sum(sum, self.bits + FINER);
            there[fine / 64] |= 1 << (fine % 64);
            starts[fine >> FINER] += 1;
        }
        let mut end = 0;
        for start in &mut *starts {
            end += *start;
            *start = end;
        }
        // Filled from the back, each list's end moves to its start.
        for ColumnSum { sum, column } in sets.rev() {
            let start = &mut starts[bucket_of_sum(sum, self.bits)];
            *start -= 1;
            self.columns[*start as usize] = column;
            self.bitmaps[*start as usize] = bitmaps[column as usize];
        }
    }

    /// Puts all sets into one list.
    pub(super) fn fill_one(&mut self, bitmaps: &[[u64; W]]) {
        self.orders.clear();
        self.bitmaps[..bitmaps.len()].copy_from_slice(bitmaps);
        for (column, place) in (0..).zip(&mut self.columns[..bitmaps.len()]) {
            *place = column;
        }
    }

    /// Puts the sets of a list, which begins at `start`, in the order of these places, which count
    /// from the first set of all lists.
    ///
    /// # Errors
    /// [`KernelError::NoReserve`].
    pub(super) fn reorder_list(
        &mut self,
        start: u32,
        places_in_all: &[u32],
    ) -> Result<(), KernelError> {
        let (mut columns, mut bitmaps) =
            (reserve::new_list(places_in_all.len())?, reserve::new_list(places_in_all.len())?);
        columns.extend(places_in_all.iter().map(|&place| self.columns[place as usize]));
        bitmaps.extend(places_in_all.iter().map(|&place| self.bitmaps[place as usize]));
        let start = start as usize;
        self.columns[start..start + places_in_all.len()].copy_from_slice(&columns);
        self.bitmaps[start..start + places_in_all.len()].copy_from_slice(&bitmaps);
        Ok(())
    }

    /// The number of lists is two to this power.
    pub(super) fn list_bits(&self) -> u32 {
        self.bits
    }

    /// True if a sum may be there.
    #[inline(always)]
    pub(super) fn may_have(&self, sum: u32) -> bool {
        let fine = bucket_of_sum(sum, self.bits + FINER);
        self.there[fine / 64] >> (fine % 64) & 1 == 1
    }

    /// The places of the sets of a sum.
    #[inline(always)]
    pub(super) fn places_of(&self, sum: u32) -> Range<u32> {
        let list = bucket_of_sum(sum, self.bits);
        self.starts[list]..self.starts[list + 1]
    }
}

/// Makes as many lists as sets, and no fewer than one word of [`Lists::there`] has.
fn choose_list_bits(sets: usize) -> u32 {
    sets.next_power_of_two().ilog2().max(u64::BITS.ilog2() - FINER)
}
