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
//! Threads share each step, by pieces of sets, parts of the values or blocks of meetings, which
//! [`sorted`] hands from one to the next; families are united in any order. Only those that share
//! common values alone are found by one thread.
//!
//! Counts and lists are kept at home ([`home`]): in memory while there is room, and then in files
//! without names. So memory is a formula of texts and of common values ([`memory_of_prefixes`]), and
//! the answer does not depend on it.

mod common;
mod counts;
mod home;
mod meet;
mod portions;
mod prefixes;
mod sorted;
#[cfg(test)]
mod tests;
mod texts;

pub use home::Home;
pub use portions::assign_portions;
pub use texts::Texts;

use crate::components::Forest;
use crate::error::KernelError;
use crate::error::Watch;
use crate::judge::LengthClass;
use crate::overlap::{self, IdSets, Ratio, Resemblance, Verifier};
use crate::parallel::Team;
use crate::progress::{JUMP, Progress};
use counts::{PiecedSets, ValueClasses};
use meet::Meetings;
use prefixes::{CountedSets, HomePrefixes, Prefixed};
use std::ops::Range;
use texts::Node;

/// The share of the work that is done when texts are connected by their characters.
const CHARACTERS_DONE: f64 = 0.5;

/// Bytes of a set: what is known of it, twice, and what was seen of it.
const PREFIXED_BYTES: usize = 2 * size_of::<Prefixed>() + 24;

/// Values of a piece of the sets, at least: what is made of them stays in the cache. And the most
/// pieces, as a power of two: each is read once for each part. Tests have small sets.
const PIECE: u64 = if cfg!(test) { 1 << 9 } else { 1 << 18 };
const PIECES_BITS: u32 = 12;

/// Bytes that a thread may need for its lists and tables; all threads together are given at most a
/// quarter of the memory. Where that is too little for `jobs` threads, fewer run, which costs time
/// alone.
const THREAD_BYTES: usize = 16 << 20;
const THREADS_SHARE: usize = 4;

/// Bytes of a common value: in a prefix, in a copy of it, and in an index.
const COMMON_BYTES: usize = 4 + 4 + 8;

/// Bytes of `sets` sets with `common` common values.
fn memory_of_prefixes(sets: usize, common: usize) -> usize {
    PREFIXED_BYTES * sets + COMMON_BYTES * common
}

/// The smallest text of everything that texts connect which resemble each other to the degree of
/// `threshold`, each pair measured by the sets that its length classes name.
///
/// `jobs`: threads, as far as there is room for them. `most`: bytes of memory that this may take,
/// besides the sets, four bytes for each, what is at home, buffers of some 20 MB, and those of the
/// threads: up to a quarter of `most`.
///
/// # Errors
/// [`KernelError::NotEnough`] if `most` is not enough, [`KernelError::Storage`] if a file cannot be
/// written, [`KernelError::TooManyRows`] and [`KernelError::Interrupted`].
pub fn find_families(
    texts: &Texts,
    threshold: Ratio,
    home: &Home,
    most: usize,
    jobs: usize,
    watch: Watch,
) -> Result<Vec<u32>, KernelError> {
    let (count, limit) = (texts.length_classes.len() as u64, u64::from(u32::MAX) / 2);
    if count > limit {
        return Err(KernelError::TooManyRows { count, limit });
    }
    let forest = Forest::new(count as u32);
    if !threshold.is_threshold() {
        return Ok(forest.into_smallest_nodes());
    }
    // Characters are common to all texts, so that few are rare; parts of their sets are the better
    // way, as long as there is room.
    let (mut start, none) = (0.0, IdSets { offsets: &[], values: &[] });
    let characters = texts.all_length_classes().flatten();
    let characters = characters.filter(|&class| class != LengthClass::Long).count();
    let by_parts = characters * overlap::SET_BYTES <= most;
    if by_parts {
        start = CHARACTERS_DONE;
        let free = most - characters * overlap::SET_BYTES;
        // Each further thread has lists of all these sets: as many as still fit.
        let helpers = free / (overlap::THREAD_BYTES * characters.max(1));
        connect_characters(texts, threshold, &forest, jobs.min(1 + helpers), watch)?;
    }
    // What is connected by characters is done: from here on only sets of words are left.
    let texts = &Texts { characters: if by_parts { none } else { texts.characters }, ..*texts };
    let at = |share: f64| start + share * (1.0 - start);
    let stage = |from: f64, to: f64| Progress::stage(watch, at(from), at(to));
    let rule = Resemblance::of_threshold_or_one(threshold);
    let nodes: Vec<Node> = texts.nodes(rule).collect();
    let values = nodes.iter().map(|&node| texts.set(node).len() as u64).sum();
    let pieces = cut_into_pieces(texts, &nodes, values);
    let mut team = Team::new(jobs.min(1 + most / THREADS_SHARE / THREAD_BYTES), || ());
    let sets = PiecedSets { set: |place: usize| texts.set(nodes[place]), pieces: &pieces, values };
    let counts = ValueClasses::new(&sets, home, &mut team, [&stage(0.0, 0.2), &stage(0.2, 0.4)])?;
    let counted = CountedSets { texts, nodes: &nodes, pieces: &pieces, counts: &counts };
    let progress = stage(0.4, 0.6);
    let prefixes = HomePrefixes::select_where_partners_may_exist(
        &counted, rule, home, most, &mut team, &progress,
    )?;
    drop((counts, nodes));
    let progress = stage(0.6, 0.7);
    let meetings = Meetings::list(texts, rule, &prefixes, home, &mut team, &progress)?;
    let verifier = Verifier::new(rule, Some(texts.exact));
    // Returns whether two sets are alike, and connects them then; no two of one family are
    // compared.
    let connect_if_alike = |left: usize, right: usize, progress: &Progress| {
        let nodes = [left, right].map(|place| prefixes.sets[place].node);
        let [one, other] = nodes.map(Texts::text);
        // It counts as alike: a set that is reached by a family need not be compared with all of
        // it.
        if forest.is_connected(one, other) {
            return Ok(true);
        }
        let [left, right] = nodes.map(|node| texts.set(node));
        progress.spend_values(left.len() + right.len() + JUMP)?;
        let whole =
            || (texts.whole_hashes_if_large(nodes[0]), texts.whole_hashes_if_large(nodes[1]));
        let is_alike = verifier.count_if_alike(left, right, whole).is_some();
        if is_alike {
            forest.unite(one, other);
        }
        Ok(is_alike)
    };
    meetings.each_candidate(&prefixes, rule, &mut team, &stage(0.7, 0.85), |met, progress| {
        connect_if_alike(met.left, met.right, progress).map(drop)
    })?;
    drop(meetings);
    let progress = stage(0.85, 1.0);
    common::connect_by_common_values(texts, &prefixes, rule, &progress, connect_if_alike)?;
    Ok(forest.into_smallest_nodes())
}

/// Cuts sets into pieces of about as many values, whatever the number of threads.
fn cut_into_pieces(texts: &Texts, nodes: &[Node], values: u64) -> Vec<Range<usize>> {
    let size = PIECE.max(values >> PIECES_BITS);
    let (mut pieces, mut start, mut own) = (Vec::new(), 0, 0);
    for (place, &node) in nodes.iter().enumerate() {
        own += texts.set(node).len() as u64;
        if own >= size || place + 1 == nodes.len() {
            pieces.push(start..place + 1);
            (start, own) = (place + 1, 0);
        }
    }
    pieces
}

/// Connects texts by their sets of characters: short ones, and those with texts of middle length.
fn connect_characters(
    texts: &Texts,
    threshold: Ratio,
    forest: &Forest,
    jobs: usize,
    watch: Watch,
) -> Result<(), KernelError> {
    let baseline = texts.baseline;
    let (mut own, mut others) = (Vec::new(), Vec::new());
    // The new short texts: with one another, with all middle ones, and with the short ones of the
    // baseline.
    let sides = [
        texts
            .characters_of(&mut own, |text, class| text >= baseline && class == LengthClass::Short),
        texts.characters_of(&mut others, |text, class| {
            class == LengthClass::Middle || text < baseline && class == LengthClass::Short
        }),
    ];
    let whole = if baseline > 0 { CHARACTERS_DONE / 2.0 } else { CHARACTERS_DONE };
    overlap::connect_alike_sets(sides, true, threshold, forest, jobs, (watch, 0.0, whole))?;
    if baseline == 0 {
        return Ok(());
    }
    // The short texts of the baseline with the new middle ones; texts of the baseline are not
    // compared with one another.
    let sides = [
        texts.characters_of(&mut own, |text, class| text < baseline && class == LengthClass::Short),
        texts.characters_of(&mut others, |text, class| {
            text >= baseline && class == LengthClass::Middle
        }),
    ];
    overlap::connect_alike_sets(
        sides,
        false,
        threshold,
        forest,
        jobs,
        (watch, whole, CHARACTERS_DONE),
    )
}
