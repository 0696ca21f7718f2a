//! Connected components by union-find.
//!
//! Paths are halved (Tarjan and van Leeuwen 1984, "Worst-case analysis of set union algorithms").
//! The smaller of two roots becomes the root of both, whatever their sizes, so that the name of a
//! component depends on its nodes alone and not on the order of the edges. That holds where many
//! threads unite at once, so that they need no order among them.

#[cfg(loom)] // rust/models: every order of the steps of several threads.
use loom::sync::atomic::{AtomicU32, Ordering};
#[cfg(not(loom))]
use std::sync::atomic::{AtomicU32, Ordering};

use crate::stop;

/// Bytes that an edge counts as for Ctrl-C: two paths are followed.
const EDGE: usize = 128;

/// Edges between two looks for Ctrl-C.
const LOOK: usize = 1 << 10;

/// Disjoint sets of the nodes 0 to n - 1, four bytes a node, which threads may share. It panics at
/// another node.
#[derive(Debug)]
pub struct Forest {
    /// For each node one of its own set that is not greater; a root's is itself. A root that has
    /// got a parent never is a root again, so that a parent that was read stays one of the set: a
    /// path that a thread shortens may come out longer than another had made it, and is right.
    parents: Vec<AtomicU32>,
}

impl Forest {
    /// Sets of one node each.
    pub fn new(nodes: u32) -> Self {
        Self { parents: (0..nodes).map(AtomicU32::new).collect() }
    }

    /// The smallest node of the set of `node`, as far as sets are united by now.
    pub fn root_of(&self, mut node: u32) -> u32 {
        loop {
            let parent = self.parent(node);
            let grandparent = self.parent(parent);
            if parent == grandparent {
                return parent;
            }
            // Halves the path: every other node of it skips its parent from now on.
            // A plain store: no other memory is read by way of a parent, and any parent ever read
            // is of the set and not above its node (the models in `rust/models` try every order).
            self.parents[node as usize].store(grandparent, Ordering::Relaxed);
            node = grandparent;
        }
    }

    #[inline]
    fn parent(&self, node: u32) -> u32 {
        self.parents[node as usize].load(Ordering::Relaxed)
    }

    /// Makes one set of the sets of two nodes; `true` if they were two.
    pub fn unite(&self, left: u32, right: u32) -> bool {
        loop {
            let (left, right) = (self.root_of(left), self.root_of(right));
            if left == right {
                return false;
            }
            // It is still a root, unless another thread has united it in the meantime.
            let root = &self.parents[left.max(right) as usize];
            let (own, lower) = (left.max(right), left.min(right));
            // Only a root may get a parent here: with a plain store, two threads that unite one
            // root with two others would lose one of the unions.
            if root.compare_exchange(own, lower, Ordering::Relaxed, Ordering::Relaxed).is_ok() {
                return true;
            }
        }
    }

    /// Return whether two nodes are in one set by now.
    pub fn is_connected(&self, left: u32, right: u32) -> bool {
        self.root_of(left) == self.root_of(right)
    }

    /// For each node the smallest of its set.
    pub fn into_smallest_nodes(self) -> Vec<u32> {
        let mut parents: Vec<u32> = self.parents.into_iter().map(AtomicU32::into_inner).collect();
        // A parent is not greater than its node, so it has its answer already.
        for node in 0..parents.len() {
            parents[node] = parents[parents[node] as usize];
        }
        parents
    }
}

/// For each of `nodes` nodes the smallest node of its connected component.
///
/// `left`, `right`: the ends of the edges, in step. An edge is left out if one of its ends is not
/// below `nodes` or is missing. Nodes past 2^32 - 1 get no answer, since a
/// `u32` cannot name them.
pub fn find_components(nodes: usize, left: &[u32], right: &[u32]) -> Vec<u32> {
    let count = u32::try_from(nodes).unwrap_or(u32::MAX);
    let forest = Forest::new(count);
    for (left, right) in left.chunks(LOOK).zip(right.chunks(LOOK)) {
        stop::count_work_or_unwind(EDGE * left.len());
        for (&left, &right) in left.iter().zip(right) {
            if left.max(right) < count {
                forest.unite(left, right);
            }
        }
    }
    forest.into_smallest_nodes()
}

#[cfg(all(test, not(loom)))]
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
            let names = find_components(n, &left, &right);
            assert_eq!(names, oracle(n, &left, &right), "{left:?} {right:?}");
            left.reverse();
            right.reverse();
            assert_eq!(find_components(n, &right, &left), names);
        }
    }

    #[test]
    fn forest_answers_between_unions() {
        let mut state = 2;
        for _ in 0..200 {
            let n = 1 + random(&mut state, 30) as usize;
            let (mut left, mut right) = (Vec::new(), Vec::new());
            let forest = Forest::new(n as u32);
            for _ in 0..2 * n {
                let before = oracle(n, &left, &right);
                let (a, b) = (random(&mut state, n), random(&mut state, n));
                let apart = before[a as usize] != before[b as usize];
                assert_eq!(forest.is_connected(a, b), !apart);
                assert_eq!(forest.unite(a, b), apart);
                left.push(a);
                right.push(b);
                let after = oracle(n, &left, &right);
                let node = random(&mut state, n);
                assert_eq!(forest.root_of(node), after[node as usize]);
            }
            assert_eq!(forest.into_smallest_nodes(), oracle(n, &left, &right));
        }
    }

    #[test]
    fn threads_that_unite_at_once_make_the_same_sets() {
        let mut state = 3;
        for round in 0..60 {
            let n = 1 + random(&mut state, 3000) as usize;
            // Chains, stars, and edges of any ends.
            let edges: Vec<(u32, u32)> = (0..2 * n)
                .map(|at| match round % 3 {
                    0 => (at as u32 % n as u32, (at as u32 + 1) % n as u32),
                    1 => (random(&mut state, n), 1 % n as u32),
                    _ => (random(&mut state, n), random(&mut state, n)),
                })
                .collect();
            let (left, right): (Vec<u32>, Vec<u32>) = edges.iter().copied().unzip();
            let expected = find_components(n, &left, &right);
            for threads in [2, 3, 8] {
                let forest = Forest::new(n as u32);
                let share = |first: usize| {
                    let own = edges.iter().skip(first).step_by(threads);
                    own.filter(|&&(left, right)| forest.unite(left, right)).count()
                };
                let united: usize = std::thread::scope(|scope| {
                    let share = &share;
                    let running: Vec<_> =
                        (0..threads).map(|first| scope.spawn(move || share(first))).collect();
                    running.into_iter().map(|one| one.join().unwrap()).sum()
                });
                let found = forest.into_smallest_nodes();
                let roots = (0..n as u32).filter(|&node| found[node as usize] == node).count();
                assert_eq!(found, expected);
                assert_eq!(united, n - roots);
            }
        }
    }

    #[test]
    fn long_chains_in_any_order_are_one_component() {
        let n = 1_000_000;
        let (low, high): (Vec<u32>, Vec<u32>) = (0..n - 1).map(|node| (node, node + 1)).unzip();
        let reversed = |nodes: &[u32]| -> Vec<u32> { nodes.iter().rev().copied().collect() };
        let one = vec![0; n as usize];
        assert!(find_components(n as usize, &low, &high) == one);
        assert!(find_components(n as usize, &high, &low) == one);
        assert!(find_components(n as usize, &reversed(&low), &reversed(&high)) == one);
        let star = vec![n - 1; low.len()];
        assert!(find_components(n as usize, &low, &star) == one);
    }

    #[test]
    fn unknown_nodes_and_lone_ends_join_nothing() {
        assert!(find_components(0, &[], &[]).is_empty());
        assert!(find_components(0, &[0], &[0]).is_empty());
        assert_eq!(find_components(3, &[0, 2, u32::MAX, 1], &[3, u32::MAX, 1, 1]), [0, 1, 2]);
        assert_eq!(find_components(3, &[1, 0], &[2]), [0, 1, 1]);
    }
}
