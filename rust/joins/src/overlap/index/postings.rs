//! Postings: which sets have a key, 8 bytes each, ascending, wherever they are kept.

use crate::error::{KernelError, Watch};
use crate::progress::Progress;
use crate::reserve;

/// The key in the upper 32 bits, then the id of the set, then a bit that says that this one takes
/// another one back.
const ID_BITS: u32 = 31;
const GONE: u64 = 1;

/// Appends a posting of a set for each of its keys, or one that takes it back.
pub(super) fn append_postings(
    keys: &[u32],
    id: i64,
    take_back: bool,
    to: &mut Vec<u64>,
) -> Result<(), KernelError> {
    let limit = 1 << ID_BITS;
    let known = u64::try_from(id).ok().filter(|&id| id < limit);
    let id = known.ok_or(KernelError::TooManyRows { count: id.unsigned_abs(), limit })?;
    reserve::make_room(to, keys.len())?;
    // Below the id, so that what takes a posting back sorts right after it.
    let low = id << 1 | u64::from(take_back);
    to.extend(keys.iter().map(|&key| u64::from(key) << 32 | low));
    Ok(())
}

/// All of some postings, without those that were taken back, and what took them back. What takes
/// back others, which are elsewhere, stays.
///
/// # Errors
/// [`KernelError::NoReserve`], and [`KernelError::Interrupted`] by the watch.
pub fn merge_runs(runs: &[Vec<u64>], watch: Watch) -> Result<Vec<u64>, KernelError> {
    let progress = Progress::begin(watch)?;
    let mut all = reserve::new_list(runs.iter().map(Vec::len).sum())?;
    runs.iter().for_each(|run| all.extend_from_slice(run));
    progress.spend_values(2 * all.len())?;
    // A stable sort knows runs, and merges them.
    all.sort();
    let mut kept = 0;
    for at in 0..all.len() {
        let one = all[at];
        // Those that take back come after the others of their key and id.
        if kept > 0 && one & GONE == GONE && all[kept - 1] == one ^ GONE {
            kept -= 1;
        } else {
            all[kept] = one;
            kept += 1;
        }
    }
    all.truncate(kept);
    Ok(all)
}

/// Cuts ascending postings into `bucket_count` buckets of 2^`bits`, from `first_bucket` on: where
/// each ends.
#[must_use]
pub fn find_bucket_ends(
    postings: &[u64],
    bits: u32,
    first_bucket: usize,
    bucket_count: usize,
) -> Vec<usize> {
    let end = |bucket: usize| postings.partition_point(|&one| bucket_of(one, bits) <= bucket);
    (first_bucket..first_bucket + bucket_count).map(end).collect()
}

/// The bucket of a posting among 2^`bits`.
fn bucket_of(posting: u64, bits: u32) -> usize {
    // The key is in the lower half after the first shift: its first bits leave that half upwards,
    // and are what is left.
    (posting >> 32 << bits >> 32) as usize
}

/// A sum over postings, in which those that were taken back cancel out: equal for equal contents,
/// in whatever buckets and runs they are.
#[must_use]
pub fn checksum_in_any_order(postings: &[u64]) -> u64 {
    postings.iter().fold(0, |sum: u64, one| {
        let wide = (one | GONE).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        let hash = (wide ^ wide >> 29).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let hash = hash ^ hash >> 32;
        if one & GONE == GONE { sum.wrapping_sub(hash) } else { sum.wrapping_add(hash) }
    })
}

/// A query for the neighbours of some sets: their keys, and the postings met so far.
#[derive(Debug, Default)]
pub struct KeyQuestion {
    /// Each with its row in the lower 32 bits, ascending.
    keys: Vec<u64>,
    /// For each row how many keys another set must have in common with it.
    needs: Vec<u32>,
    /// The row, and the id of a set that has a key of it.
    hits: Vec<u64>,
}

impl KeyQuestion {
    /// Adds the keys of the next row, and how many of them another set must have.
    pub(super) fn add_row(&mut self, keys: &[u32], need: usize) -> Result<(), KernelError> {
        let row = self.needs.len() as u64;
        reserve::make_room(&mut self.keys, keys.len())?;
        self.keys.extend(keys.iter().map(|&key| u64::from(key) << 32 | row));
        reserve::push(&mut self.needs, need as u32)
    }

    pub(super) fn into_sorted(mut self) -> Self {
        self.keys.sort_unstable();
        self
    }

    /// The buckets, of 2^`bits`, in which its keys are, ascending.
    #[must_use]
    pub fn find_buckets(&self, bits: u32) -> Vec<usize> {
        let mut buckets: Vec<usize> = self.keys.iter().map(|&key| bucket_of(key, bits)).collect();
        buckets.dedup();
        buckets
    }

    /// Meets postings, ascending.
    ///
    /// # Errors
    /// [`KernelError::NoReserve`].
    pub fn meet_postings(&mut self, postings: &[u64]) -> Result<(), KernelError> {
        let (Some(&first), Some(&last)) = (postings.first(), postings.last()) else {
            return Ok(());
        };
        let start = self.keys.partition_point(|key| key >> 32 < first >> 32);
        let mut rest = postings;
        for &asked in self.keys[start..].iter().take_while(|&&key| key >> 32 <= last >> 32) {
            let key = asked >> 32;
            // Other rows may ask for the same key: its postings stay.
            rest = &rest[count_before_key(rest, key)..];
            let here = rest.iter().take_while(|&&one| one >> 32 == key).count();
            reserve::make_room(&mut self.hits, here)?;
            self.hits
                // The key has done its work: the row takes its place above the id.
                .extend(rest[..here].iter().map(|&one| asked << 32 | one & u64::from(u32::MAX)));
        }
        Ok(())
    }

    /// The number of postings that have been met in all.
    #[must_use]
    pub fn count_met(&self) -> usize {
        self.hits.len()
    }

    /// The rows, and the ids of sets that have enough keys in common with them, ascending.
    #[must_use]
    pub fn into_answers(mut self) -> (Vec<i64>, Vec<i64>) {
        self.hits.sort_unstable();
        let (mut rows, mut ids) = (Vec::new(), Vec::new());
        for hits in self.hits.chunk_by(|a, b| a >> 1 == b >> 1) {
            let row = (hits[0] >> 32) as usize;
            let gone = hits.iter().filter(|&hit| hit & GONE == GONE).count();
            // A posting and what takes it back may be met in two runs, in any order: each of the
            // second cancels one of the first.
            if (hits.len() - gone).saturating_sub(gone) >= self.needs[row].max(1) as usize {
                rows.push(row as i64);
                ids.push((hits[0] >> 1 & ((1 << ID_BITS) - 1)) as i64);
            }
        }
        (rows, ids)
    }
}

/// Number of postings before those of a key, found in steps that double.
fn count_before_key(postings: &[u64], key: u64) -> usize {
    let before = |one: &u64| one >> 32 < key;
    let mut step = 1;
    while postings.get(step).is_some_and(before) {
        step *= 2;
    }
    let from = step / 2;
    let to = (step + 1).min(postings.len());
    from.min(to) + postings[from.min(to)..to].partition_point(before)
}
