//! Families of texts in little memory: which texts are connected by pairs that are alike, however
//! many there are.
//!
//! Sets of characters are connected through parts (`overlap`) if there is room. Sets of words have
//! rare values. They stay where they are, in memory or in a mapped file, and are read in the order
//! in which they lie. How many sets have a value is counted part by part of the values
//! ([`counts`]), so that a table stays in the cache. The rarest values of each set, its prefix,
//! tell which others it may resemble ([`prefixes`]; `overlap` says why). A value that few sets have
//! is rare: every two sets that have it are listed ([`meet`]), and few pairs of them share enough.
//! Sets that share common values alone ask an index ([`common`]). What is left is verified on the
//! sets.
//!
//! Whole families then make portions whose clusters or pairs fit in memory (`portions`).
//!
//! Counts and lists are kept at home ([`home`]): in memory while there is room, and then
//! in files without names. So memory is a formula of texts and of common values ([`bytes`]), and
//! the answer does not depend on it.

mod buckets;
mod common;
mod counts;
mod home;
mod meet;
mod portions;
mod prefixes;
#[cfg(test)]
mod tests;
mod texts;

pub use home::Home;
pub use portions::portions;
pub use texts::{HIDDEN, LONG, MIDDLE, SHORT, Texts};

use crate::components::Forest;
use crate::error::KernelError;
use crate::error::Watch;
use crate::overlap::{self, IdSets, Ratio, Resemblance, Verdict};
use crate::progress::{JUMP, Progress};
use counts::Parts;
use meet::Meetings;
use prefixes::{Prefixed, Prefixes};

/// The share of the work that is done when texts are connected by their characters.
const PARTS: f64 = 0.5;

/// Bytes of a set: what is known of it, twice, and what was seen of it.
const SET_BYTES: usize = 2 * size_of::<Prefixed>() + 24;

/// Bytes of a common value: in a prefix, in a copy of it, and in an index.
const COMMON_BYTES: usize = 4 + 4 + 8;

/// Bytes of `sets` sets with `common` common values.
fn bytes(sets: usize, common: usize) -> usize {
    SET_BYTES * sets + COMMON_BYTES * common
}

/// The smallest text of everything that texts connect which resemble each other to the degree of
/// `threshold`, each pair measured by the sets that its kinds name.
///
/// `jobs`: threads that connect texts by their characters, as far as there is room for them. `most`: bytes of memory that this may take, besides the sets, what is at home, and buffers of some
/// 20 MB, or less where `most` is less.
///
/// # Errors
/// [`KernelError::NotEnough`] if `most` is not enough, [`KernelError::Storage`] if a file cannot be
/// written, [`KernelError::TooManyRows`] and [`KernelError::Interrupted`].
pub fn families(
    texts: &Texts,
    threshold: Ratio,
    home: &Home,
    most: usize,
    jobs: usize,
    watch: Watch,
) -> Result<Vec<u32>, KernelError> {
    let (count, limit) = (texts.kinds.len() as u64, u64::from(u32::MAX) / 2);
    if count > limit {
        return Err(KernelError::TooManyRows { count, limit });
    }
    let forest = Forest::new(count as u32);
    if !threshold.is_threshold() {
        return Ok(forest.into_smallest());
    }
    // Characters are common to all texts, so that few are rare; parts of their sets are the better
    // way, as long as there is room.
    let (mut start, none) = (0.0, IdSets { offsets: &[], values: &[] });
    let characters = texts.kinds.iter().filter(|&&kind| matches!(kind, SHORT | MIDDLE));
    let characters = characters.count();
    let by_parts = characters * overlap::BYTES <= most;
    if by_parts {
        start = PARTS;
        let free = most - characters * overlap::BYTES;
        let helpers = free / (overlap::THREAD_BYTES * characters.max(1));
        connect_characters(texts, threshold, &forest, jobs.min(1 + helpers), watch)?;
    }
    let texts = &Texts { characters: if by_parts { none } else { texts.characters }, ..*texts };
    let at = |share: f64| start + share * (1.0 - start);
    let stage = |from: f64, to: f64| Progress::stage(watch, at(from), at(to));
    let rule = Resemblance::new(threshold);
    let progress = stage(0.0, 0.2);
    let values = texts.nodes(rule).map(|node| texts.set(node).len() as u64).sum();
    let mut parts = Parts::new(home, values, most)?;
    for node in texts.nodes(rule) {
        let set = texts.set(node);
        progress.at(node as usize, 2 * texts.kinds.len());
        progress.tick(2 * set.len() + JUMP / 8)?;
        parts.take(set)?;
    }
    let classes = parts.classes(&stage(0.2, 0.4))?;
    let progress = stage(0.4, 0.6);
    let mut prefixes = Prefixes::select(texts, rule, classes, home, most, &progress)?;
    let progress = stage(0.6, 0.7);
    let meetings = Meetings::list(texts, rule, &mut prefixes, home, &progress)?;
    let verdict = Verdict::new(rule, Some(texts.exact));
    // Whether two sets are alike; no two of one family are compared.
    let alike = |left: usize, right: usize, progress: &Progress| {
        let nodes = [left, right].map(|place| prefixes.sets[place].node);
        let [one, other] = nodes.map(Texts::text);
        if forest.is_connected(one, other) {
            return Ok(true);
        }
        let [left, right] = nodes.map(|node| texts.set(node));
        progress.tick(left.len() + right.len() + JUMP)?;
        let whole = || (texts.whole(nodes[0]), texts.whole(nodes[1]));
        Ok(verdict.count_if_alike(left, right, whole).is_some() && forest.union(one, other))
    };
    let progress = stage(0.7, 0.85);
    meetings.each(&prefixes, rule, &progress, |met, progress| {
        alike(met.left, met.right, progress).map(drop)
    })?;
    let progress = stage(0.85, 1.0);
    common::connect(texts, &prefixes, rule, &progress, alike)?;
    Ok(forest.into_smallest())
}

/// Connects texts by their sets of characters: short ones, and those with texts of middle length.
fn connect_characters(
    texts: &Texts,
    threshold: Ratio,
    forest: &Forest,
    jobs: usize,
    watch: Watch,
) -> Result<(), KernelError> {
    let held = texts.held;
    let (mut own, mut others) = (Vec::new(), Vec::new());
    let sides = [
        texts.characters_of(&mut own, |text, kind| text >= held && kind == SHORT),
        texts.characters_of(&mut others, |text, kind| {
            kind == MIDDLE || text < held && kind == SHORT
        }),
    ];
    let whole = if held > 0 { PARTS / 2.0 } else { PARTS };
    overlap::connect(sides, true, threshold, forest, jobs, (watch, 0.0, whole))?;
    if held == 0 {
        return Ok(());
    }
    let sides = [
        texts.characters_of(&mut own, |text, kind| text < held && kind == SHORT),
        texts.characters_of(&mut others, |text, kind| text >= held && kind == MIDDLE),
    ];
    overlap::connect(sides, false, threshold, forest, jobs, (watch, whole, PARTS))
}
