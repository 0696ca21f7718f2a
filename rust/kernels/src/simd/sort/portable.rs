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

/// Sorts ascending.
pub fn sort(ids: &mut [u32]) {
    if ids.len() <= FEW {
        insert(ids);
        return;
    }
    let bits = (ids.len() * 2).min(MOST_BUCKETS).ilog2();
    let bucket = |id: u32| (id >> (32 - bits)) as usize;
    // First how many ids each bucket gets, then where its next id goes, at last where it ends.
    let mut places = vec![0usize; 1 << bits];
    for &id in &*ids {
        places[bucket(id)] += 1;
    }
    let mut next = 0;
    for place in &mut places {
        next += std::mem::replace(place, next);
    }
    let shared = ids.to_vec();
    for id in shared {
        let place = &mut places[bucket(id)];
        ids[*place] = id;
        *place += 1;
    }
    let mut start = 0;
    for end in places {
        if end - start > HANDFUL {
            ids[start..end].sort_unstable();
        }
        start = end;
    }
    insert(ids);
}

/// Sorts ids that are few, or near their places, by insertion.
fn insert(ids: &mut [u32]) {
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

/// Reads sorted ids as runs, into empty vectors.
pub fn runs(sorted: &[u32], distinct: &mut Vec<u32>, counts: &mut Vec<u32>) {
    for run in sorted.chunk_by(|a, b| a == b) {
        distinct.push(run[0]);
        counts.push(u32::try_from(run.len()).unwrap_or(u32::MAX));
    }
}

/// Moves the distinct ids of a sorted slice to its front; returns how many there are.
pub fn distinct(sorted: &mut [u32]) -> usize {
    let mut kept = 0;
    for read in 0..sorted.len() {
        if read == 0 || sorted[read] != sorted[kept - 1] {
            sorted[kept] = sorted[read];
            kept += 1;
        }
    }
    kept
}
