//! The large sets of a catalogue, made ready for questions of resemblance: those that are not
//! joined through parts ([`super::parts`]).

use super::candidates::{Candidates, Question};
use super::catalogue::Catalogue;
use super::frequency::Frequencies;
use super::postings::{ASKING_BYTES, Postings};
use super::prefix::Prefixes;
use super::ratio::Resemblance;
use crate::error::KernelError;
use crate::progress::Progress;
use crate::reserve;

/// Choice of the sets asked for that an index must find.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum AskerSizes {
    /// Only sets at least as large as the indexed ones they resemble, which makes it smaller.
    Larger,
    /// Any.
    Any,
}

/// The sets of a catalogue from a rank on, and their prefixes.
pub(super) struct Indexed<'c, 'a> {
    pub(super) catalogue: &'c Catalogue<'a>,
    pub(super) first: u32,
    rule: Resemblance,
    asked: AskerSizes,
    prefixes: Prefixes,
}

impl<'c, 'a> Indexed<'c, 'a> {
    /// Indexes the sets of at least `least` values that are `chosen` by their ranks.
    ///
    /// # Errors
    /// [`KernelError::NoReserve`] and [`KernelError::Interrupted`].
    pub(super) fn index_one(
        catalogue: &'c Catalogue<'a>,
        least: usize,
        rule: Resemblance,
        (asked, chosen): (AskerSizes, impl Fn(u32) -> bool),
        progress: &Progress,
    ) -> Result<Self, KernelError> {
        let first = catalogue.count_smaller_than(least);
        let frequencies = Frequencies::count(&[(catalogue, first)], &chosen, progress)?;
        Self::new((catalogue, first), &frequencies, rule, (asked, &chosen), progress)
    }

    /// Indexes those of two columns in one order of values, each to be asked about the larger sets
    /// of the other.
    ///
    /// # Errors
    /// As [`Self::one`].
    pub(super) fn index_two(
        catalogues: [&'c Catalogue<'a>; 2],
        least: usize,
        rule: Resemblance,
        progress: &Progress,
    ) -> Result<[Self; 2], KernelError> {
        let counted = catalogues.map(|catalogue| (catalogue, catalogue.count_smaller_than(least)));
        let frequencies = Frequencies::count(&counted, |_| true, progress)?;
        let [left, right] = counted;
        let of = |one| Self::new(one, &frequencies, rule, (AskerSizes::Larger, |_| true), progress);
        Ok([of(left)?, of(right)?])
    }

    fn new(
        (catalogue, first): (&'c Catalogue<'a>, u32),
        frequencies: &Frequencies,
        rule: Resemblance,
        (asked, chosen): (AskerSizes, impl Fn(u32) -> bool),
        progress: &Progress,
    ) -> Result<Self, KernelError> {
        reserve::check_room(ASKING_BYTES * (catalogue.len() - first) as usize)?;
        let length = |size| rule.prefix_length(size);
        let which = (chosen, length);
        let prefixes = Prefixes::select((catalogue, first), frequencies, which, progress)?;
        Ok(Self { catalogue, first, rule, asked, prefixes })
    }

    /// The sets that are `chosen`, by their ranks, to be asked for.
    ///
    /// # Errors
    /// As [`Self::one`].
    pub(super) fn make_candidates(
        &self,
        chosen: impl Fn(u32) -> bool,
        progress: &Progress,
    ) -> Result<Candidates<'c, 'a>, KernelError> {
        let sizes = self.catalogue.sizes();
        // Prefixes are as long as questions need; of the indexed ones a part is enough where larger
        // sets ask.
        let limit = |rank: u32| match self.asked {
            _ if !chosen(rank) => 0,
            AskerSizes::Larger => {
                self.rule.prefix_length_among_larger(sizes[rank as usize] as usize)
            }
            AskerSizes::Any => usize::MAX,
        };
        let postings = Postings::index(&self.prefixes, limit, progress)?;
        Ok(Candidates::new(self.rule, (self.catalogue, self.first), postings))
    }

    /// The question for the neighbours of a set.
    pub(super) fn question(&self, rank: u32) -> Question<'_> {
        Question::of(self.catalogue, &self.prefixes, rank)
    }
}
