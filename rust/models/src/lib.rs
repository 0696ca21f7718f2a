//! The forest that threads share, as loom sees it: it runs a model with every order in which its
//! threads may take turns, and with every value that the memory model lets an atomic read give
//! (Norris and Demsky 2013, "CDSChecker").
//!
//! Run with `RUSTFLAGS="--cfg loom" cargo test --release`; without `--cfg loom` there is nothing.

#![cfg(loom)]

#[path = "../../joins/src/components.rs"]
mod components;

/// The kernels count their work for Ctrl-C, which no model has.
mod stop {
    pub fn count_work_or_unwind(_: usize) {}
}

#[cfg(test)]
mod tests {
    use super::components::Forest;
    use loom::sync::Arc;
    use loom::thread;

    /// Unites the edges of each list in a thread of its own, and looks at the sets at the end.
    fn united_by_threads(nodes: u32, lists: &'static [&'static [(u32, u32)]], expected: &[u32]) {
        let expected = expected.to_vec();
        loom::model(move || {
            let forest = Arc::new(Forest::new(nodes));
            let unite = |forest: &Forest, edges: &[(u32, u32)]| {
                edges.iter().filter(|&&(left, right)| forest.unite(left, right)).count()
            };
            let running: Vec<_> = lists[1..]
                .iter()
                .map(|&edges| {
                    let forest = Arc::clone(&forest);
                    thread::spawn(move || unite(&forest, edges))
                })
                .collect();
            let mut united = unite(&forest, lists[0]);
            united += running.into_iter().map(|one| one.join().unwrap()).sum::<usize>();
            let roots: Vec<u32> = (0..nodes).map(|node| forest.root_of(node)).collect();
            assert_eq!(roots, expected);
            // An edge that made one set of two says so to one thread alone.
            let sets = (0..nodes).filter(|&node| roots[node as usize] == node).count();
            assert_eq!(united, nodes as usize - sets);
        });
    }

    #[test]
    fn two_threads_that_unite_the_same_nodes() {
        united_by_threads(2, &[&[(0, 1)], &[(1, 0)]], &[0, 0]);
    }

    #[test]
    fn two_threads_that_hang_one_root_under_different_ones() {
        united_by_threads(3, &[&[(0, 2)], &[(1, 2)]], &[0, 0, 0]);
    }

    #[test]
    fn a_path_is_halved_while_its_root_gets_a_parent() {
        united_by_threads(4, &[&[(2, 3), (1, 2)], &[(0, 1), (0, 3)]], &[0, 0, 0, 0]);
    }

    #[test]
    fn sets_without_an_edge_between_them_stay_apart() {
        united_by_threads(4, &[&[(0, 2)], &[(1, 3)]], &[0, 1, 0, 1]);
    }
}
