//! Clusters from pairs of rows that are known to be alike.

use crate::stop;

/// No row: rows are 32-bit numbers below this.
const NONE: u32 = u32::MAX;

/// Bytes that a row counts as for Ctrl-C: it is read out of turn.
const JUMP: usize = 64;

/// Pairs between two looks for Ctrl-C.
const LOOK: usize = 1 << 10;

/// Anchored clusters: the keeper of every row.
///
/// Rows are taken in the order of `ranking` (all rows, best first). A row that no better row has
/// taken keeps itself, and takes every row it is paired with that is not yet taken. So each member
/// is paired with its keeper, and no chain of unrelated texts makes a cluster.
#[must_use]
pub fn cluster_anchored(ranking: &[u32], left: &[u32], right: &[u32]) -> Vec<u32> {
    let neighbours = Neighbours::new(ranking.len(), left, right);
    let mut keeper = vec![NONE; ranking.len()];
    for &row in ranking {
        stop::count_work_or_unwind(JUMP);
        if keeper[row as usize] != NONE {
            continue;
        }
        keeper[row as usize] = row;
        stop::count_work_or_unwind(JUMP * neighbours.of(row).len());
        for &other in neighbours.of(row) {
            if keeper[other as usize] == NONE {
                keeper[other as usize] = row;
            }
        }
    }
    keeper
}

/// Pairs as lists of neighbours.
struct Neighbours {
    starts: Vec<usize>,
    rows: Vec<u32>,
}

impl Neighbours {
    fn new(rows: usize, left: &[u32], right: &[u32]) -> Self {
        let mut starts = vec![0; rows + 1];
        // Each pair both ways, without a list of them: they are gone through twice.
        let directed = || {
            let there = left.chunks(LOOK).zip(right.chunks(LOOK));
            there.chain(right.chunks(LOOK).zip(left.chunks(LOOK)))
        };
        for (from, to) in directed() {
            stop::count_work_or_unwind(JUMP * from.len());
            for (&from, _) in from.iter().zip(to) {
                starts[from as usize + 1] += 1;
            }
        }
        for row in 0..rows {
            starts[row + 1] += starts[row];
        }
        let mut next = starts.clone();
        let mut list = vec![0; 2 * left.len()];
        for (from, to) in directed() {
            stop::count_work_or_unwind(JUMP * from.len());
            for (&from, &to) in from.iter().zip(to) {
                list[next[from as usize]] = to;
                next[from as usize] += 1;
            }
        }
        Self { starts, rows: list }
    }

    fn of(&self, row: u32) -> &[u32] {
        &self.rows[self.starts[row as usize]..self.starts[row as usize + 1]]
    }
}

/// Connected clusters: the best row (in `ranking`) of everything that pairs connect with a row.
#[must_use]
pub fn cluster_connected(ranking: &[u32], left: &[u32], right: &[u32]) -> Vec<u32> {
    let smallest = crate::components::find_components(ranking.len(), left, right);
    let mut best = vec![NONE; ranking.len()];
    for &row in ranking {
        stop::count_work_or_unwind(JUMP);
        let component = smallest[row as usize] as usize;
        if best[component] == NONE {
            best[component] = row;
        }
    }
    // Every row is in the ranking, so that each component has a best one.
    smallest.iter().map(|&component| best[component as usize]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_chain_is_cut_by_anchors_and_kept_by_connection() {
        let (left, right) = ([0, 1, 2], [1, 2, 3]);
        assert_eq!(cluster_anchored(&[0, 1, 2, 3, 4], &left, &right), [0, 0, 2, 2, 4]);
        assert_eq!(cluster_anchored(&[1, 0, 2, 3, 4], &left, &right), [1, 1, 1, 3, 4]);
        assert_eq!(cluster_connected(&[0, 1, 2, 3, 4], &left, &right), [0, 0, 0, 0, 4]);
        assert_eq!(cluster_connected(&[4, 3, 2, 1, 0], &left, &right), [3, 3, 3, 3, 4]);
    }

    #[test]
    fn no_rows_and_no_pairs() {
        assert!(cluster_anchored(&[], &[], &[]).is_empty());
        assert_eq!(cluster_anchored(&[1, 0], &[], &[]), [0, 1]);
        assert_eq!(cluster_connected(&[1, 0], &[], &[]), [0, 1]);
    }
}
