//! Connected components by union-find.
//!
//! Paths are halved (Tarjan and van Leeuwen 1984, "Worst-case analysis of set union algorithms").
//! The smaller of two roots becomes the root of both, whatever their sizes, so that the name
//! of a component depends on its nodes alone and not on the order of the edges.

use crate::stop;

/// Bytes that an edge counts as for Ctrl-C: two paths are followed.
const EDGE: usize = 128;

/// Edges between two looks for Ctrl-C.
const LOOK: usize = 1 << 10;

/// Disjoint sets of the nodes 0 to n - 1, four bytes a node.
///
/// A node that is not among them is a set of its own and joins nothing.
#[derive(Debug, Clone)]
pub struct Forest {
    /// For each node one of its own set that is not greater; a root's is itself.
    parents: Vec<u32>,
}

impl Forest {
    /// Sets of one node each.
    pub fn new(nodes: u32) -> Self {
        Self { parents: (0..nodes).collect() }
    }

    /// The smallest node of the set of `node`.
    pub fn find(&mut self, mut node: u32) -> u32 {
        if !self.holds(node) {
            return node;
        }
        loop {
            let parent = self.parents[node as usize];
            let grandparent = self.parents[parent as usize];
            if parent == grandparent {
                return parent;
            }
            // Halves the path: every other node of it skips its parent from now on.
            self.parents[node as usize] = grandparent;
            node = grandparent;
        }
    }

    /// Makes one set of the sets of two nodes; `true` if they were two.
    pub fn union(&mut self, left: u32, right: u32) -> bool {
        if !(self.holds(left) && self.holds(right)) {
            return false;
        }
        let (left, right) = (self.find(left), self.find(right));
        self.parents[left.max(right) as usize] = left.min(right);
        left != right
    }

    /// Return whether two nodes are in one set.
    pub fn is_connected(&mut self, left: u32, right: u32) -> bool {
        self.find(left) == self.find(right)
    }

    /// For each node the smallest of its set.
    pub fn into_smallest(mut self) -> Vec<u32> {
        // A parent is not greater than its node, so it has its answer already.
        for node in 0..self.parents.len() {
            self.parents[node] = self.parents[self.parents[node] as usize];
        }
        self.parents
    }

    fn holds(&self, node: u32) -> bool {
        (node as usize) < self.parents.len()
    }
}

/// For each of `n` nodes the smallest node of its connected component.
///
/// `left`, `right`: the ends of the edges, in step. An edge is left out if one of its ends is not
/// below `n` or is missing. Nodes past 2^32 - 1 get no answer, since a
/// `u32` cannot name them.
pub fn components(n: usize, left: &[u32], right: &[u32]) -> Vec<u32> {
    let mut forest = Forest::new(u32::try_from(n).unwrap_or(u32::MAX));
    for (left, right) in left.chunks(LOOK).zip(right.chunks(LOOK)) {
        stop::look(EDGE * left.len());
        for (&left, &right) in left.iter().zip(right) {
            forest.union(left, right);
        }
    }
    forest.into_smallest()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

    use super::*;

    /// SplitMix64 (Steele, Lea and Flood 2014, "Fast splittable pseudorandom number generators").
    fn random(state: &mut u64, bound: usize) -> u32 {
        *state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (*state ^ (*state >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((mixed ^ (mixed >> 31)) % bound as u64) as u32
    }

    /// The definition: the smallest node that can be reached, by carrying names over edges until
    /// none changes.
    fn oracle(n: usize, left: &[u32], right: &[u32]) -> Vec<u32> {
        let mut names: Vec<u32> = (0..n as u32).collect();
        loop {
            let before = names.clone();
            for (&left, &right) in left.iter().zip(right) {
                let (left, right) = (left as usize, right as usize);
                let name = names[left].min(names[right]);
                (names[left], names[right]) = (name, name);
            }
            if names == before {
                return names;
            }
        }
    }

    #[test]
    fn components_are_what_can_be_reached() {
        let mut state = 1;
        for _ in 0..5_000 {
            let n = 1 + random(&mut state, 40) as usize;
            let edges = random(&mut state, 2 * n);
            let mut ends = || -> Vec<u32> { (0..edges).map(|_| random(&mut state, n)).collect() };
            let (mut left, mut right) = (ends(), ends());
            let names = components(n, &left, &right);
            assert_eq!(names, oracle(n, &left, &right), "{left:?} {right:?}");
            left.reverse();
            right.reverse();
            assert_eq!(components(n, &right, &left), names);
        }
    }

    #[test]
    fn forest_answers_between_unions() {
        let mut state = 2;
        for _ in 0..200 {
            let n = 1 + random(&mut state, 30) as usize;
            let (mut left, mut right) = (Vec::new(), Vec::new());
            let mut forest = Forest::new(n as u32);
            for _ in 0..2 * n {
                let before = oracle(n, &left, &right);
                let (a, b) = (random(&mut state, n), random(&mut state, n));
                let apart = before[a as usize] != before[b as usize];
                assert_eq!(forest.is_connected(a, b), !apart);
                assert_eq!(forest.union(a, b), apart);
                left.push(a);
                right.push(b);
                let after = oracle(n, &left, &right);
                let node = random(&mut state, n);
                assert_eq!(forest.find(node), after[node as usize]);
            }
            assert_eq!(forest.into_smallest(), oracle(n, &left, &right));
        }
    }

    #[test]
    fn long_chains_in_any_order_are_one_component() {
        let n = 1_000_000;
        let (low, high): (Vec<u32>, Vec<u32>) = (0..n - 1).map(|node| (node, node + 1)).unzip();
        let reversed = |nodes: &[u32]| -> Vec<u32> { nodes.iter().rev().copied().collect() };
        let one = vec![0; n as usize];
        assert!(components(n as usize, &low, &high) == one);
        assert!(components(n as usize, &high, &low) == one);
        assert!(components(n as usize, &reversed(&low), &reversed(&high)) == one);
        let star = vec![n - 1; low.len()];
        assert!(components(n as usize, &low, &star) == one);
    }

    #[test]
    fn unknown_nodes_and_lone_ends_join_nothing() {
        assert!(components(0, &[], &[]).is_empty());
        assert!(components(0, &[0], &[0]).is_empty());
        assert_eq!(components(3, &[0, 2, u32::MAX, 1], &[3, u32::MAX, 1, 1]), [0, 1, 2]);
        assert_eq!(components(3, &[1, 0], &[2]), [0, 1, 1]);
        let mut forest = Forest::new(2);
        assert_eq!(forest.find(7), 7);
        assert!(forest.is_connected(7, 7) && !forest.is_connected(7, 0));
        assert!(!forest.union(7, 0) && !forest.union(0, 7));
        assert_eq!(forest.into_smallest(), [0, 1]);
    }
}
