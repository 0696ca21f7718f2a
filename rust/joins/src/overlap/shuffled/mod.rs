//! The join of texts that are on many machines: what each sends, and what is made of all that
//! arrives in one place.
//!
//! Prefix filtering (Bayardo, Ma and Srikant 2007) across a shuffle: a text sends a record for each
//! of the rarest shingles of a set ([`mod@records`]) to the place of that shingle
//! ([`share_out_records`]). There, texts that may resemble each other are connected
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
pub use records::{append_bands, append_records, share_out_records};
pub use texts::{ShuffledTexts, append_cells, count_cells};

use super::Ratio;
pub use super::frequency::Frequencies;
use super::ratio::Resemblance;
use crate::judge::{BOTH, SHORT};
use crate::sets::saturate_to_u32;
use std::ops::Range;

/// Kind of a set, which decides with what kinds it is compared (see [`crate::judge`]).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Class {
    /// Words of a text that is measured by its characters, unless the other one is long.
    WordsOfShort,
    /// Words of a text that is neither short nor long.
    WordsOfMiddle,
    /// Words of a long text.
    WordsOfLong,
    /// Characters of a short text.
    CharactersOfShort,
    /// Characters of a text that is neither short nor long.
    CharactersOfMiddle,
}

impl Class {
    const ALL: [Self; 5] = [
        Self::WordsOfShort,
        Self::WordsOfMiddle,
        Self::WordsOfLong,
        Self::CharactersOfShort,
        Self::CharactersOfMiddle,
    ];

    /// Class of the words of a text, by their number.
    fn of_words(words: u32) -> Self {
        match words {
            ..SHORT => Self::WordsOfShort,
            SHORT..BOTH => Self::WordsOfMiddle,
            _ => Self::WordsOfLong,
        }
    }

    /// Class of the characters of a text; `None` for a long one.
    fn of_characters(words: u32) -> Option<Self> {
        match words {
            ..SHORT => Some(Self::CharactersOfShort),
            SHORT..BOTH => Some(Self::CharactersOfMiddle),
            _ => None,
        }
    }

    fn is_of_words(self) -> bool {
        !matches!(self, Self::CharactersOfShort | Self::CharactersOfMiddle)
    }

    /// Return whether two texts are measured by sets of these classes.
    fn meets(self, other: Self) -> bool {
        let (low, high) = if (self as u8) <= other as u8 { (self, other) } else { (other, self) };
        match low {
            Self::WordsOfShort => high == Self::WordsOfLong,
            Self::WordsOfMiddle | Self::WordsOfLong => high.is_of_words(),
            Self::CharactersOfShort => true,
            Self::CharactersOfMiddle => false,
        }
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

    fn slack(class: Class, size: usize) -> usize {
        match (class.is_of_words(), size) {
            (false, _) => 0,
            (true, ..256) => 1,
            (true, _) => 2,
        }
    }

    /// Least that a set of `size` shares with any that resembles it.
    fn least_shared(self, class: Class, size: usize) -> usize {
        self.0.smallest_partner(size).saturating_sub(Self::slack(class, size)).max(1)
    }

    /// The sizes of the sets of characters that may resemble one of `size`.
    fn partner_sizes(self, size: usize) -> Range<u32> {
        saturate_to_u32(self.0.smallest_partner(size))
            ..saturate_to_u32(self.0.largest_partner(size)).saturating_add(1)
    }

    /// Least that two sets share that resemble each other.
    fn least_shared_by(self, class: Class, size: usize, other: usize) -> usize {
        let shared = self.0.values_needed(size + other);
        shared.saturating_sub(Self::slack(class, size.min(other))).max(1)
    }

    /// Number of the rarest shingles of a set to send: any set that resembles it sends one of
    /// them too.
    fn prefix_length(self, class: Class, size: usize) -> usize {
        (size + 1).saturating_sub(self.least_shared(class, size)).min(size)
    }
}
