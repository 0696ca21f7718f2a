//! The join of texts that are on many machines: what each sends, and what is made of all that
//! arrives in one place.
//!
//! Prefix filtering (Bayardo, Ma and Srikant 2007) across a shuffle: a text sends a record for each
//! of the rarest shingles of a set ([`mod@records`]) to the place of that shingle
//! ([`concatenate_records_by_place`]). There, texts that may resemble each other are connected
//! ([`mod@forest`]). No set travels. All places together connect every pair at the threshold, and
//! few others; one machine then clusters what is connected, so that a connection too many changes
//! nothing. Sets of characters share many single shingles with unrelated ones, so they meet where
//! they share two (`twos`).
//!
//! If that is too much to send, a text sends [bands](`append_bands`) of least images instead, which
//! miss some.
//!
//! The frequencies of shingles come from a sample ([`append_cells`], [`count_cells`]): any order
//! gives the same result, a rough one only a little later.

mod forest;
mod ranges;
mod records;
#[cfg(test)]
mod tests;
mod texts;
mod twos;

pub use forest::{DocumentEdges, connect_records};
pub use records::{append_bands, append_records, concatenate_records_by_place};
pub use texts::{ShuffledTexts, append_cells, count_cells};

use super::Ratio;
pub use super::frequency::Frequencies;
use super::ratio::Resemblance;
use crate::judge::LengthClass;
use crate::sets::saturate_to_u32;
use std::ops::Range;

/// Kind of a set, which decides with what kinds it is compared; those of words come first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct SetKind {
    is_of_characters: bool,
    /// That of the text of the set.
    length: LengthClass,
}

impl SetKind {
    /// All kinds, in order; a long text has no set of characters.
    const ALL: [Self; 5] = [
        Self { is_of_characters: false, length: LengthClass::Short },
        Self { is_of_characters: false, length: LengthClass::Middle },
        Self { is_of_characters: false, length: LengthClass::Long },
        Self { is_of_characters: true, length: LengthClass::Short },
        Self { is_of_characters: true, length: LengthClass::Middle },
    ];

    /// The number of the kind in [`Self::ALL`]; none for characters of a long text.
    fn number(self) -> Option<u8> {
        Self::ALL.iter().position(|&kind| kind == self).map(|place| place as u8)
    }

    /// Return whether two texts are measured by sets of these kinds.
    fn meets(self, other: Self) -> bool {
        let by_characters = self.length.is_measured_by_characters_with(other.length);
        [self, other].iter().all(|kind| kind.is_of_characters == by_characters)
    }
}

/// Bounds on the shingles that two sets must share. Sets of words are known by 48 bits here, and
/// judged by 32 where they are not large, so that ids which meet by chance may lift a pair above
/// the threshold: one pair in 1,000 at 2,048 shingles. [`Self::slack`] allows for one such id, and
/// for two in larger sets. A pair with more of them is lost: one in 5 x 10^9 at either size.
#[derive(Debug, Clone, Copy)]
struct Demand(Resemblance);

impl Demand {
    /// `threshold` must be one.
    fn new(threshold: Ratio) -> Self {
        Self(Resemblance::of_threshold_or_one(threshold))
    }

    fn slack(kind: SetKind, size: usize) -> usize {
        match (kind.is_of_characters, size) {
            (true, _) => 0,
            (false, ..256) => 1,
            (false, _) => 2,
        }
    }

    /// Least that a set of `size` shares with any that resembles it.
    fn least_shared(self, kind: SetKind, size: usize) -> usize {
        self.0.smallest_partner(size).saturating_sub(Self::slack(kind, size)).max(1)
    }

    /// The sizes of the sets of characters that may resemble one of `size`.
    fn partner_sizes(self, size: usize) -> Range<u32> {
        saturate_to_u32(self.0.smallest_partner(size))
            ..saturate_to_u32(self.0.largest_partner(size)).saturating_add(1)
    }

    /// Least that two sets share that resemble each other.
    fn least_shared_by(self, kind: SetKind, size: usize, other: usize) -> usize {
        let shared = self.0.values_needed(size + other);
        shared.saturating_sub(Self::slack(kind, size.min(other))).max(1)
    }

    /// Number of the rarest shingles of a set to send: any set that resembles it sends one of
    /// them too.
    fn prefix_length(self, kind: SetKind, size: usize) -> usize {
        (size + 1).saturating_sub(self.least_shared(kind, size)).min(size)
    }
}
