//! The runs of words that two texts share, found from a seed in the left text.

use super::grams::{Places, gram_hashes};
use super::meter::Meter;
use crate::error::KernelError;

/// Places of one seed that are compared. More would find longer runs in texts that repeat
/// themselves, at a cost: a word repeated n times has n places at each of its n positions.
const PLACES_TRIED: usize = 64;

/// A run of words that stands in both texts; positions count words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Passage {
    /// Where it begins in the left text.
    pub left: u32,
    /// Where it begins in the right text.
    pub right: u32,
    /// Its length.
    pub words: u32,
    /// Further places in the right text that hold the passage's seed (by the seed's 64-bit hash).
    pub elsewhere: u32,
}

/// A run of words that stands in both texts, in words.
pub(super) struct Run {
    left: usize,
    right: usize,
    words: usize,
    elsewhere: u32,
}

impl Run {
    /// Where it ends in the left text.
    pub(super) fn left_end(&self) -> usize {
        self.left + self.words
    }

    /// Where it ends in the right text.
    pub(super) fn right_end(&self) -> usize {
        self.right + self.words
    }

    /// The run without its words before `start` (a position in the left text before its end).
    pub(super) fn passage_from(&self, start: usize) -> Passage {
        let covered = start.saturating_sub(self.left);
        Passage {
            left: (self.left + covered) as u32,
            right: (self.right + covered) as u32,
            words: (self.words - covered) as u32,
            elsewhere: self.elsewhere,
        }
    }
}

/// Two texts, and where the grams of one stand in the other.
pub(super) struct Runs<'a> {
    left: &'a [u64],
    right: &'a [u64],
    /// Words of a gram, at least 1.
    length: usize,
    /// The hashes of the left text's grams.
    seeds: Vec<u64>,
    /// The right text's grams.
    places: Places,
}

impl<'a> Runs<'a> {
    /// Prepares the search for runs of at least `length` words (at least 1).
    ///
    /// # Errors
    /// [`KernelError::Interrupted`] if the meter's watch asks to stop.
    pub(super) fn new(
        left: &'a [u64],
        right: &'a [u64],
        length: usize,
        meter: &mut Meter,
    ) -> Result<Self, KernelError> {
        let seeds = gram_hashes(left, length, meter)?;
        let places = Places::new(gram_hashes(right, length, meter)?, meter)?;
        Ok(Self { left, right, length, seeds, places })
    }

    /// Number of positions in the left text from which a run can begin.
    pub(super) fn seeds(&self) -> usize {
        self.seeds.len()
    }

    /// The first seed of the left text that does not end by `end` (at least a gram's length).
    pub(super) fn first_seed_past(&self, end: usize) -> usize {
        end + 1 - self.length
    }

    /// The longest run that begins at the seed `at` of the left text, the first of equals; `None`
    /// if the seed stands nowhere in the right text. The place `in_step` is compared first.
    ///
    /// At most [`PLACES_TRIED`] places are compared, and more only while none of them holds the
    /// seed, which takes different seeds of one hash.
    #[inline] // At most positions it ends at the look-up.
    pub(super) fn longest(&self, at: usize, in_step: Option<usize>) -> Option<Run> {
        let seed = self.seeds[at];
        let first = self.places.first(seed)?;
        let in_step = in_step.filter(|&place| self.places.holds(place, seed));
        let candidates = in_step.into_iter().chain(self.places.starting_at(first));

        let here = &self.left[at..];
        let mut words = self.length - 1;
        let mut best = None;
        for (tried, place) in candidates.enumerate() {
            if words == here.len() || (tried >= PLACES_TRIED && best.is_some()) {
                break;
            }
            let there = &self.right[place..];
            // A longer run has the next word too; most places are ruled out by it.
            if here.get(words) != there.get(words) {
                continue;
            }
            let common = common_prefix(here, there);
            if common > words {
                words = common;
                best = Some(place);
            }
        }
        best.map(|right| Run { left: at, right, words, elsewhere: self.places.later(first) })
    }
}

/// How many words two texts have in common from their start.
fn common_prefix(left: &[u64], right: &[u64]) -> usize {
    // Eight at a time, which are compared without a branch for each.
    let blocks = left.as_chunks::<8>().0.iter().zip(right.as_chunks::<8>().0);
    let same = 8 * blocks.take_while(|(left, right)| left == right).count();
    let rest = left[same..].iter().zip(&right[same..]);
    same + rest.take_while(|(left, right)| left == right).count()
}
