//! The same on any machine.
//!
//! Ids are hashes, so their top bits share them out evenly among about as many buckets as there
//! are ids; all are then near their places, and insertion puts them in order.

/// Ids beyond which sharing out pays.
const FEW: usize = 48;

/// Buckets at most, so that their counters stay in the nearest caches.
const MOST_BUCKETS: usize = 8192;

/// Ids of one bucket that are left to insertion; more, by chance or malice, are sorted before it.
const HANDFUL: usize = 24;

/// Ids, or hashes.
pub trait Number: Copy + Ord {
    /// The top bits, at most 32.
    fn top(self, bits: u32) -> usize;
}

impl Number for u32 {
    #[inline(always)]
    fn top(self, bits: u32) -> usize {
        (self >> (32 - bits)) as usize
    }
}

impl Number for u64 {
    #[inline(always)]
    fn top(self, bits: u32) -> usize {
        (self >> (64 - bits)) as usize
    }
}

/// Sorts ascending.
pub fn sort<T: Number>(ids: &mut [T]) {
    if ids.len() > FEW {
        let bits = (ids.len() * 2).min(MOST_BUCKETS).ilog2();
        let mut start = 0;
        let unsorted = ids.to_vec();
        for end in share_out_into_buckets(&unsorted, bits, ids) {
            if end - start > HANDFUL {
                ids[start..end].sort_unstable();
            }
            start = end;
        }
    }
    sort_by_insertion(ids);
}

/// Place after the last number of a bucket.
pub type BucketEnd = usize;

/// Puts numbers into buckets by their top `bits`, one bucket after the other in `to`.
pub fn share_out_into_buckets<T: Number>(ids: &[T], bits: u32, to: &mut [T]) -> Vec<BucketEnd> {
    // First how many ids each bucket gets, then where its next id goes, at last where it ends.
    let mut places = vec![0usize; 1 << bits];
    for id in ids {
        places[id.top(bits)] += 1;
    }
    let mut next = 0;
    for place in &mut places {
        next += std::mem::replace(place, next);
    }
    for &id in ids {
        let place = &mut places[id.top(bits)];
        to[*place] = id;
        *place += 1;
    }
    places
}

/// Sorts ids that are few, or near their places, by insertion.
fn sort_by_insertion<T: Number>(ids: &mut [T]) {
    for i in 1..ids.len() {
        let id = ids[i];
        let mut hole = i;
        while hole > 0 && ids[hole - 1] > id {
            ids[hole] = ids[hole - 1];
            hole -= 1;
        }
        ids[hole] = id;
    }
}

/// Appends hashes, sorted ascending and each once.
pub fn push_sorted_set(hashes: &[u64], to: &mut Vec<u64>) {
    let start = to.len();
    to.extend_from_slice(hashes);
    sort(&mut to[start..]);
    let left = move_distinct_to_front(&mut to[start..]);
    to.truncate(start + left);
}

pub fn append_runs_to_empty(sorted: &[u32], distinct: &mut Vec<u32>, counts: &mut Vec<u32>) {
    for run in sorted.chunk_by(|a, b| a == b) {
        distinct.push(run[0]);
        counts.push(u32::try_from(run.len()).unwrap_or(u32::MAX));
    }
}

/// Moves the distinct numbers of a sorted slice to its front; returns how many there are.
pub fn move_distinct_to_front<T: Copy + PartialEq>(sorted: &mut [T]) -> usize {
    let Some(&first) = sorted.first() else { return 0 };
    // The last number kept stays in a register: what was just written is slow to read again.
    let (mut last, mut kept) = (first, 1);
    for read in 1..sorted.len() {
        let number = sorted[read];
        if number != last {
            sorted[kept] = number;
            kept += 1;
            last = number;
        }
    }
    kept
}
