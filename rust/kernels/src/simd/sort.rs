//! Sorting ids, and counting equal ones.

/// Sorts ascending.
pub fn sort(ids: &mut [u32]) {
    ids.sort_unstable();
}

/// Reads sorted ids as runs: each distinct id, and how often it occurs (at most `u32::MAX`).
pub fn runs(sorted: &[u32], distinct: &mut Vec<u32>, counts: &mut Vec<u32>) {
    distinct.clear();
    counts.clear();
    for run in sorted.chunk_by(|a, b| a == b) {
        distinct.push(run[0]);
        counts.push(u32::try_from(run.len()).unwrap_or(u32::MAX));
    }
}

/// Sorts ascending and moves the distinct ids to the front; returns how many there are.
pub fn sort_distinct(ids: &mut [u32]) -> usize {
    sort(ids);
    let mut kept = 0;
    for read in 0..ids.len() {
        if read == 0 || ids[read] != ids[kept - 1] {
            ids[kept] = ids[read];
            kept += 1;
        }
    }
    kept
}
