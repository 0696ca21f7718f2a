//! Places of each character in a pattern, sixty-four to a word.

/// Multiplies a code point into the upper bits of a slot.
const SPREAD: u32 = 0x9E37_79B1;

/// The places of every character of a pattern, as rows of bits. Row 0 is of characters that the
/// pattern does not have.
#[derive(Debug)]
pub struct Matches {
    narrow: [u32; 256],
    /// Slots of code points from 256 on, each with its row; a row of 0 is a free slot. The number
    /// of slots is a power of two.
    slots: Vec<(u32, u32)>,
    bits: Vec<u64>,
    words: usize,
    rows: u32,
}

impl Default for Matches {
    fn default() -> Self {
        Self { narrow: [0; 256], slots: Vec::new(), bits: Vec::new(), words: 0, rows: 1 }
    }
}

impl Matches {
    /// Takes another pattern.
    pub fn set_pattern(&mut self, pattern: impl ExactSizeIterator<Item = u32>) {
        let length = pattern.len();
        self.words = length.div_ceil(64);
        self.narrow = [0; 256];
        self.slots.clear();
        self.bits.clear();
        self.bits.resize(self.words, 0);
        self.rows = 1;
        for (place, code) in pattern.enumerate() {
            let row = self.row_for(code, length);
            self.bits[row * self.words + place / 64] |= 1 << (place % 64);
        }
    }

    /// Number of words of a row.
    pub fn words(&self) -> usize {
        self.words
    }

    /// The row of a character; a new one where it has none.
    fn row_for(&mut self, code: u32, length: usize) -> usize {
        if code >= 256 && self.slots.is_empty() {
            // Twice as many slots as the pattern has characters: a search for one that it has not
            // ends soon.
            self.slots.resize((2 * length).next_power_of_two(), (0, 0));
        }
        let next = self.rows;
        let row = if let Some(row) = self.narrow.get_mut(code as usize) {
            row
        } else {
            let slot = self.slot(code);
            self.slots[slot].0 = code;
            &mut self.slots[slot].1
        };
        if *row == 0 {
            *row = next;
            self.rows += 1;
            self.bits.resize(self.bits.len() + self.words, 0);
            return next as usize;
        }
        *row as usize
    }

    /// The slot that a code point has, or would have.
    #[inline]
    fn slot(&self, code: u32) -> usize {
        let last = self.slots.len() - 1;
        // Not the lowest bits of the product, which depend on those of the code point alone.
        let mut slot = (code.wrapping_mul(SPREAD) >> 7) as usize & last;
        while self.slots[slot].1 != 0 && self.slots[slot].0 != code {
            slot = (slot + 1) & last;
        }
        slot
    }

    /// Places of a character.
    #[inline]
    pub fn places_of(&self, code: u32) -> &[u64] {
        let row = match self.narrow.get(code as usize) {
            Some(&row) => row,
            None if self.slots.is_empty() => 0,
            None => self.slots[self.slot(code)].1,
        };
        let start = row as usize * self.words;
        &self.bits[start..start + self.words]
    }
}
