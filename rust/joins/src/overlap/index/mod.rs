//! An index of sets that come and go: the keys under which a set is kept, and those under which
//! sets that share much with it are looked up.
//!
//! Keys are either the rarest values of a set (prefix filtering: Bayardo et al. 2007, section 3),
//! in an order that is fixed when the index is made: any order is exact, and one by the frequencies
//! of a sample is fast. Or, where most values are common ones, as of short shingles of characters,
//! what a set has in each part of the universe ([`super::parts`]). Either way two sets that are
//! alike enough have several keys in common, which rules out nearly all others. A key of a set is a
//! *posting* ([`mod@postings`]); where postings are is not known here.

mod postings;

use postings::append_postings;
pub use postings::{KeyQuestion, checksum_in_any_order, find_bucket_ends, merge_runs};

use super::catalogue::{Catalogue, CatalogueTail};
use super::frequency::{Frequencies, spread_bits};
use super::parts::{Class, endless_classes, part_and_hash};
use super::prefix::sort_rarest;
use super::ratio::{Ratio, Resemblance};
use super::sets::Sets;
use crate::error::{KernelError, Watch};
use crate::progress::Progress;
use crate::sets::saturate_to_u32;

/// Keys of parts that two like sets must have in common, if there are enough: with one more,
/// strangers share fewer, and each question has one more key in each class.
const EQUAL_PARTS: usize = 3;

/// The most cells, as a power of two, that distinguish rare values from common ones: two bytes
/// each, which are stored with the index.
const CELLS: u32 = 20;

/// Way from sets to their keys.
#[derive(Debug)]
pub struct Keys {
    threshold: Ratio,
    kind: Kind,
}

#[derive(Debug)]
enum Kind {
    /// The rarest values, and how many of them two like sets must have in common.
    Rare { order: Frequencies, hits: usize },
    /// The parts of the values, by the size of the set.
    Parts(Vec<Class>),
}

/// Sets to be kept, or asked for.
#[derive(Debug, Clone, Copy)]
pub struct GivenSets<'a> {
    /// Sets as the index compares them.
    pub sets: Sets<'a>,
    /// Per set, the values that it lost because their ids were equal; empty means none were lost.
    pub merged: &'a [u32],
}

impl GivenSets<'_> {
    /// The number of values that the set in a row lost.
    fn count_merged(self, row: usize) -> usize {
        self.merged.get(row).copied().unwrap_or(0) as usize
    }
}

impl Keys {
    /// Rare values, of an index that finds all sets that share `threshold` of the larger of two, by
    /// `hits` of them. The sets of `sample` tell rare values from common ones; no answer depends on
    /// them.
    ///
    /// # Errors
    /// [`KernelError::Interrupted`] by the watch.
    pub fn of_rare_values(
        sample: Sets,
        threshold: Ratio,
        hits: usize,
        watch: Watch,
    ) -> Result<Self, KernelError> {
        let progress = Progress::stage(watch, 0.0, 0.5);
        // At what is not a threshold no set is asked for: any order will do.
        let listed = |_| threshold.is_threshold();
        let catalogue = Catalogue::of_fitting_sizes(sample, listed, 1, &progress)?;
        let progress = Progress::stage(watch, 0.5, 1.0);
        let all = CatalogueTail { catalogue: &catalogue, first: 0 };
        let order = Frequencies::count(&[all], |_| true, &progress)?.fold_to(CELLS);
        Ok(Self { threshold, kind: Kind::Rare { order, hits } })
    }

    /// Rare values by frequencies that were counted before ([`Self::frequencies`]); `None` if no
    /// table of them has as many cells.
    #[must_use]
    pub fn with_frequencies_if_size_fits(
        frequencies: Vec<u16>,
        threshold: Ratio,
        hits: usize,
    ) -> Option<Self> {
        let order = Frequencies::from_counts_if_size_fits(frequencies)?;
        Some(Self { threshold, kind: Kind::Rare { order, hits } })
    }

    /// Parts, of an index that finds all sets that resemble another one at `threshold`; `None`
    /// below 3/4, where parts have hardly more than one value.
    #[must_use]
    pub fn of_parts(threshold: Ratio) -> Option<Self> {
        let rule = Resemblance::of_threshold_or_one(threshold);
        let most = u32::MAX as usize;
        let classes =
            || endless_classes(rule).take_while(|class| class.sizes.start < most).collect();
        (!rule.is_below_three_quarters()).then(|| Self { threshold, kind: Kind::Parts(classes()) })
    }

    /// Frequencies, which tell rare values from common ones.
    #[must_use]
    pub fn frequencies(&self) -> &[u16] {
        match &self.kind {
            Kind::Rare { order, .. } => order.counts(),
            Kind::Parts(_) => &[],
        }
    }

    /// Postings of sets, each with its id, ascending; `take_back` if they are to take back those
    /// that are there.
    ///
    /// # Errors
    /// [`KernelError::TooManyRows`] if an id does not fit into a posting, and
    /// [`KernelError::Interrupted`] by the watch.
    pub fn make_postings(
        &self,
        given: GivenSets,
        ids: &[i64],
        take_back: bool,
        watch: Watch,
    ) -> Result<Vec<u64>, KernelError> {
        let progress = Progress::stage(watch, 0.0, 1.0);
        let (mut keys, mut made) = (Vec::new(), Vec::new());
        for (row, &id) in ids.iter().enumerate().take(given.sets.len()) {
            let set = given.sets.set_or_empty(row);
            progress.note_done(row, ids.len());
            progress.spend_values(2 * set.len())?;
            keys.clear();
            match &self.kind {
                Kind::Rare { order, hits } => {
                    let need = count_shared_values_needed(
                        self.threshold,
                        set.len(),
                        given.count_merged(row),
                    );
                    push_rarest(order, set, need, *hits, &mut keys);
                }
                Kind::Parts(classes) => {
                    let class = classes.iter().find(|class| set.len() < class.sizes.end);
                    if let Some(class) = class.filter(|_| !set.is_empty()) {
                        keys.extend(make_keys_of_parts(set, class).iter().map(|part| part.key));
                    }
                }
            }
            append_postings(&keys, id, take_back, &mut made)?;
        }
        made.sort_unstable();
        Ok(made)
    }

    /// A question for all sets that share `threshold` of the larger of two with a given one, or
    /// resemble it, where keys are parts; `None` below the threshold of the index, whose prefixes
    /// are too short for it, and where `threshold` is not one.
    ///
    /// # Errors
    /// [`KernelError::Interrupted`] by the watch.
    pub fn make_question(
        &self,
        given: GivenSets,
        threshold: Ratio,
        watch: Watch,
    ) -> Result<Option<KeyQuestion>, KernelError> {
        let progress = Progress::stage(watch, 0.0, 1.0);
        if !threshold.is_threshold() || threshold.is_below(self.threshold) {
            return Ok(None);
        }
        let (mut keys, mut asked) = (Vec::new(), KeyQuestion::default());
        for row in 0..given.sets.len() {
            let set = given.sets.set_or_empty(row);
            progress.spend_values(4 * set.len())?;
            keys.clear();
            let need = match &self.kind {
                Kind::Rare { order, hits } => {
                    let need =
                        count_shared_values_needed(threshold, set.len(), given.count_merged(row));
                    push_rarest(order, set, need, *hits, &mut keys);
                    need.min(*hits)
                }
                Kind::Parts(classes) => push_fullest_parts_and_count_keys_needed(
                    classes,
                    set,
                    Resemblance::of_threshold_or_one(threshold),
                    &mut keys,
                ),
            };
            asked.add_row(&keys, need)?;
        }
        Ok(Some(asked.into_sorted()))
    }
}

/// Appends the rarest values of a set, spread, in the common order: of any other set that shares
/// `need` values with it, at least `hits` of them are among its own.
fn push_rarest(order: &Frequencies, set: &[u32], need: usize, hits: usize, to: &mut Vec<u32>) {
    let tokens = set.iter().map(|&value| spread_bits(value));
    let mut keys: Vec<u64> =
        tokens.map(|token| u64::from(order.sets_with(token)) << 32 | u64::from(token)).collect();
    let length = (set.len() + need.min(hits)).saturating_sub(need);
    to.extend(sort_rarest(&mut keys, length).iter().map(|&key| key as u32));
}

/// Appends the keys of the parts that have most values of a set, of each class whose members may
/// resemble it, one more than may differ, or a few. Returns how many keys it has in common with any
/// that does.
fn push_fullest_parts_and_count_keys_needed(
    classes: &[Class],
    set: &[u32],
    rule: Resemblance,
    to: &mut Vec<u32>,
) -> usize {
    let (smallest, largest) = (rule.smallest_partner(set.len()), rule.largest_partner(set.len()));
    let fits = |class: &&Class| smallest < class.sizes.end && class.sizes.start <= largest;
    let mut need = EQUAL_PARTS;
    for class in classes.iter().filter(fits).filter(|_| !set.is_empty()) {
        let mut parts = make_keys_of_parts(set, class);
        let differing = rule.most_differing_up_to_size(set.len(), largest.min(class.sizes.end - 1));
        // Of these at most `differing` differ, so that the rest is equal; a class has more parts
        // than that, so that one is left.
        let count = parts.len().min(differing + EQUAL_PARTS);
        need = need.min(count.saturating_sub(differing));
        // An empty part, or one of a single value, is equal in many sets that are not alike.
        parts.sort_by_key(|part| std::cmp::Reverse(part.values));
        to.extend(parts[..count].iter().map(|part| part.key));
    }
    need
}

/// The values of a set in a part.
#[derive(Clone, Copy, Default)]
struct PartKey {
    /// The number of values.
    values: u32,
    /// The key of those.
    key: u32,
}

/// The key of each part of a class.
fn make_keys_of_parts(set: &[u32], class: &Class) -> Vec<PartKey> {
    let mut parts = vec![PartKey::default(); class.parts];
    for &value in set {
        let (part, hash) = part_and_hash(value, class.parts);
        parts[part].values += 1;
        parts[part].key = parts[part].key.wrapping_add(hash);
    }
    for (part, PartKey { key, .. }) in (0..).zip(&mut parts) {
        // A part is that of a class: sums of other ones mean nothing here.
        let own = u64::from(saturate_to_u32(class.sizes.start)) << 32 | part;
        let mixed = (own.wrapping_mul(0xD6E8_FEB8_6659_FD93) ^ u64::from(*key))
            .wrapping_mul(0x9E37_79B9_7F4A_7C15);
        *key = ((mixed ^ mixed >> 29).wrapping_mul(0xBF58_476D_1CE4_E5B9) >> 32) as u32;
    }
    parts
}

/// Number of values that a set of `size`, the larger of two, must share; fewer where values fell
/// together. It cannot be none: sets that share nothing before share nothing after.
fn count_shared_values_needed(threshold: Ratio, size: usize, merged: usize) -> usize {
    Resemblance::of_threshold_or_one(threshold).smallest_partner(size).saturating_sub(merged).max(1)
}
