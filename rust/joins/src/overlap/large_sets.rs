//! The large sets of a catalogue, made ready for questions of resemblance: those that are not
//! joined through parts ([`super::parts`]).

use super::candidates::{Candidates, Question};
use super::catalogue::{Catalogue, CatalogueTail, Rank};
use super::frequency::Frequencies;
use super::postings::{ASKING_BYTES, Postings};
use super::prefix::Prefixes;
use super::ratio::Resemblance;
use crate::error::KernelError;
use crate::progress::Progress;
use crate::reserve;

/// Sizes of the sets that will ask for the indexed ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum AskerSizes {
    /// Only sets at least as large as the indexed ones they resemble, which makes it smaller.
    Larger,
    /// Any.
    Any,
}

/// The large sets of a catalogue, and their prefixes.
pub(super) struct LargeSets<'c, 'a> {
    pub(super) sets: CatalogueTail<'c, 'a>,
    rule: Resemblance,
    asker_sizes: AskerSizes,
    prefixes: Prefixes,
}

impl<'c, 'a> LargeSets<'c, 'a> {
    /// Selects the prefixes of the sets of at least `least_size` values that are `chosen` by their
    /// ranks.
    ///
    /// # Errors
    /// [`KernelError::NoReserve`] and [`KernelError::Interrupted`].
    pub(super) fn of_one(
        catalogue: &'c Catalogue<'a>,
        least_size: usize,
        rule: Resemblance,
        asker_sizes: AskerSizes,
        chosen: impl Fn(Rank) -> bool,
        progress: &Progress,
    ) -> Result<Self, KernelError> {
        let sets = CatalogueTail { catalogue, first: catalogue.count_smaller_than(least_size) };
        let frequencies = Frequencies::count(&[sets], &chosen, progress)?;
        Self::select_prefixes(sets, &frequencies, rule, asker_sizes, &chosen, progress)
    }

    /// Selects the prefixes of those of two columns in one order of values, each to be asked for by
    /// the larger sets of the other.
    ///
    /// # Errors
    /// As [`Self::of_one`].
    pub(super) fn of_two(
        catalogues: [&'c Catalogue<'a>; 2],
        least_size: usize,
        rule: Resemblance,
        progress: &Progress,
    ) -> Result<[Self; 2], KernelError> {
        let both = catalogues.map(|catalogue| CatalogueTail {
            catalogue,
            first: catalogue.count_smaller_than(least_size),
        });
        let frequencies = Frequencies::count(&both, |_| true, progress)?;
        let [left, right] = both.map(|sets| {
            let askers = AskerSizes::Larger;
            Self::select_prefixes(sets, &frequencies, rule, askers, |_| true, progress)
        });
        Ok([left?, right?])
    }

    fn select_prefixes(
        sets: CatalogueTail<'c, 'a>,
        frequencies: &Frequencies,
        rule: Resemblance,
        asker_sizes: AskerSizes,
        chosen: impl Fn(Rank) -> bool,
        progress: &Progress,
    ) -> Result<Self, KernelError> {
        reserve::check_room(ASKING_BYTES * sets.len())?;
        let length = |size| rule.prefix_length(size);
        let prefixes = Prefixes::select(sets, frequencies, chosen, length, progress)?;
        Ok(Self { sets, rule, asker_sizes, prefixes })
    }

    /// Indexes the sets that are `chosen` by their ranks, to be asked for.
    ///
    /// # Errors
    /// As [`Self::of_one`].
    pub(super) fn index_candidates(
        &self,
        chosen: impl Fn(Rank) -> bool,
        progress: &Progress,
    ) -> Result<Candidates<'c, 'a>, KernelError> {
        let sizes = self.sets.catalogue.sizes();
        // Prefixes are as long as questions need; of the indexed ones a part is enough where larger
        // sets ask.
        let limit = |rank: Rank| match self.asker_sizes {
            _ if !chosen(rank) => 0,
            AskerSizes::Larger => {
                self.rule.two_hit_prefix_length_among_larger(sizes[rank as usize] as usize)
            }
            AskerSizes::Any => usize::MAX,
        };
        let postings = Postings::index(&self.prefixes, limit, progress)?;
        Ok(Candidates::new(self.rule, self.sets, postings))
    }

    /// The question for the neighbours of a set.
    pub(super) fn question(&self, rank: Rank) -> Question<'_> {
        Question::of(self.sets.catalogue, &self.prefixes, rank)
    }
}
