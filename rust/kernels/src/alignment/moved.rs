//! The wrong characters that are left where parts of a text may be in any order.
//!
//! Columns and pages that were read in another order move whole lines. Every character of one text
//! is put on a place of the other; where the next place is not the next one, that costs [`JUMP`]
//! wrong characters, however far the leap. Both texts are laid on each other, so that neither may
//! have parts that the other lacks.

use super::{Aligner, Bare};

/// Cost of a leap to another place, in wrong characters; so does a stretch that is left out.
pub const JUMP: i16 = 8;

/// The most that is counted: a column of sums never leaves 16 bits.
const MOST: i16 = i16::MAX / 2;

/// Two columns of sums.
#[derive(Debug, Default)]
pub struct SumColumns {
    before: Vec<i16>,
    now: Vec<i16>,
    text: Vec<u32>,
}

/// The wrong characters of the best way to lay each text on places of the other, the greater of the
/// two; `None` where it is above `most`.
#[must_use]
pub fn count_wrong_characters_with_moves(
    aligner: &mut Aligner,
    one: &Bare,
    other: &Bare,
    most: usize,
) -> Option<usize> {
    let most = i16::try_from(most).unwrap_or(MOST).min(MOST);
    let there = aligner.sum_columns.count_wrong_characters(one, other, most)?;
    let back = aligner.sum_columns.count_wrong_characters(other, one, most)?;
    Some(there.max(back) as usize)
}

impl SumColumns {
    /// The wrong characters of the best way to lay `one` on `other`; it may begin and end anywhere.
    fn count_wrong_characters(&mut self, one: &Bare, other: &Bare, most: i16) -> Option<i16> {
        let Self { before, now, text } = self;
        text.clear();
        text.extend(other.code_points());
        // A sum is after each character of the text, and before the first.
        before.clear();
        before.resize(text.len() + 1, 0);
        now.clear();
        now.resize(text.len() + 1, 0);
        let mut least = 0;
        for c in one.code_points() {
            let leap = least + JUMP;
            // The character is on an equal one, or a wrong one, or on none.
            now[0] = before[0].min(leap) + 1;
            let steps = before.iter().zip(&before[1..]).zip(text.iter());
            for (sum, ((&diagonal, &above), &there)) in now[1..].iter_mut().zip(steps) {
                let differs = i16::from(there != c);
                *sum = (diagonal.min(leap) + differs).min(above.min(leap) + 1);
            }
            // Characters of the text that are passed over, up to the cost of a leap.
            // Steps of 1, 2 and 4 make every number up to 7 by passing over some or none of each; 8
            // is a leap. Each step is a loop without a chain from place to place, which a minimum
            // along the row would be.
            for shift in [1, 2, 4] {
                before.copy_from_slice(now);
                let earlier = before.iter().map(|&sum| sum + shift);
                for (sum, passed) in
                    now.get_mut(shift as usize..).unwrap_or_default().iter_mut().zip(earlier)
                {
                    *sum = (*sum).min(passed);
                }
            }
            least = now.iter().copied().fold(MOST, i16::min);
            if least > most {
                return None;
            }
            std::mem::swap(before, now);
        }
        Some(least)
    }
}
