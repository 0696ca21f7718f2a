//! A column of sets made ready for questions of resemblance.

use super::catalogue::Catalogue;
use super::frequency::Frequencies;
use super::parity::Parities;
use super::postings::Postings;
use super::prefix::Prefixes;
use super::progress::Progress;
use super::ratio::{Ratio, Resemblance};
use super::sets::Sets;
use crate::error::{KernelError, Watch};
use crate::room;

/// How much of the work is done when a column is indexed; the rest is asking.
pub(super) const INDEXED: f64 = 0.65;

/// What a set takes while others are asked for: its pictures, twice, and what was seen of it.
const SET_BYTES: usize = 96;

/// Which of the sets asked for an index must find.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Asked {
    /// Only sets at least as large as the indexed ones they resemble, which makes it smaller.
    Larger,
    /// Any.
    Any,
}

/// The distinct sets of a column, their prefixes, the index of those, and their pictures.
pub(super) struct Indexed<'a> {
    pub(super) catalogue: Catalogue<'a>,
    pub(super) prefixes: Prefixes,
    pub(super) postings: Postings,
    pub(super) parities: Parities,
}

impl<'a> Indexed<'a> {
    /// Indexes one column, to be asked about its own sets.
    ///
    /// # Errors
    /// [`KernelError::Interrupted`].
    pub(super) fn one(
        column: Sets<'a>,
        threshold: Ratio,
        asked: Asked,
        watch: Watch,
    ) -> Result<Self, KernelError> {
        let mut progress = Progress::stage(watch, 0.0, 0.05);
        let catalogue = Catalogue::new(column, threshold, &mut progress)?;
        let mut progress = Progress::stage(watch, 0.05, 0.2);
        let frequencies = Frequencies::count(&[&catalogue], &mut progress)?;
        let mut progress = Progress::stage(watch, 0.2, INDEXED);
        Self::new(catalogue, &frequencies, threshold, asked, &mut progress)
    }

    /// Indexes two columns in one order of values, each to be asked about the larger sets of the
    /// other.
    ///
    /// # Errors
    /// [`KernelError::Interrupted`].
    pub(super) fn two(
        columns: [Sets<'a>; 2],
        threshold: Ratio,
        watch: Watch,
    ) -> Result<(Self, Self), KernelError> {
        let mut progress = Progress::stage(watch, 0.0, 0.05);
        let left = Catalogue::new(columns[0], threshold, &mut progress)?;
        let right = Catalogue::new(columns[1], threshold, &mut progress)?;
        let mut progress = Progress::stage(watch, 0.05, 0.2);
        let frequencies = Frequencies::count(&[&left, &right], &mut progress)?;
        let mut progress = Progress::stage(watch, 0.2, 0.4);
        let left = Self::new(left, &frequencies, threshold, Asked::Larger, &mut progress)?;
        let mut progress = Progress::stage(watch, 0.4, INDEXED);
        let right = Self::new(right, &frequencies, threshold, Asked::Larger, &mut progress)?;
        Ok((left, right))
    }

    fn new(
        catalogue: Catalogue<'a>,
        frequencies: &Frequencies,
        threshold: Ratio,
        asked: Asked,
        progress: &mut Progress,
    ) -> Result<Self, KernelError> {
        let rule = Resemblance::new(threshold);
        room::ask(SET_BYTES * catalogue.len() as usize)?;
        let prefixes =
            Prefixes::select(&catalogue, frequencies, |size| rule.prefix(size), progress)?;
        let limit = |rank: u32| match asked {
            Asked::Larger => rule.prefix_among_larger(catalogue.sizes()[rank as usize] as usize),
            Asked::Any => usize::MAX,
        };
        let postings = Postings::index(&prefixes, catalogue.len(), limit, progress)?;
        let parities = Parities::of(&catalogue, rule, progress)?;
        Ok(Self { catalogue, prefixes, postings, parities })
    }
}
