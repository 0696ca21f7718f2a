//! Sketches: a few of a text's shingles, chosen by their ids alone, so that texts that share
//! shingles share chosen ones.

/// Rule that chooses shingles.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Choice {
    /// Shingles whose id is 0 modulo this number, at least 1 (Broder 1997, section 4).
    Modulo(u32),
    /// The least of every window of this many adjacent ids (at least 1), the rightmost of equals;
    /// of all, if there are fewer (Schleimer, Wilkerson and Aiken 2003, section 3).
    Winnow(usize),
    /// The least ids, up to this many.
    Lowest(usize),
    /// The greatest ids, up to this many.
    Highest(usize),
}

/// The chosen ids of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sketch {
    /// Ascending and distinct.
    pub ids: Vec<u32>,
    /// For each id the place, among all shingles, of the first one that was chosen for it.
    pub first_places: Vec<u32>,
}

/// `ids`: those of a text's shingles in reading order.
#[must_use]
pub fn choose_sketch(ids: &[u32], choice: Choice) -> Sketch {
    let all = || 0..ids.len();
    let places: Vec<usize> = match choice {
        Choice::Modulo(number) => {
            all().filter(|&at| ids[at].is_multiple_of(number.max(1))).collect()
        }
        Choice::Winnow(window) => winnow(ids, window),
        Choice::Lowest(_) | Choice::Highest(_) => all().collect(),
    };
    let mut chosen: Vec<(u32, u32)> = places.iter().map(|&at| (ids[at], at as u32)).collect();
    chosen.sort_unstable();
    chosen.dedup_by_key(|&mut (id, _)| id);
    match choice {
        Choice::Lowest(count) => chosen.truncate(count),
        Choice::Highest(count) => drop(chosen.drain(..chosen.len().saturating_sub(count))),
        Choice::Modulo(_) | Choice::Winnow(_) => {}
    }
    let (ids, first_places) = chosen.into_iter().unzip();
    Sketch { ids, first_places }
}

/// The places of the rightmost least ids of all windows, each once.
fn winnow(ids: &[u32], window: usize) -> Vec<usize> {
    let window = window.clamp(1, ids.len().max(1));
    let mut chosen = Vec::new();
    // The rightmost least of the window that ends before `end`.
    let mut least = 0;
    for end in 1..=ids.len() {
        let start = end.saturating_sub(window);
        if least < start {
            least = start;
            // The least has left the window: the window is read again. Of random ids this happens
            // once in a window's length, so that an id costs a constant time.
            for at in start..end {
                least = if ids[at] <= ids[least] { at } else { least };
            }
        } else if ids[end - 1] <= ids[least] {
            least = end - 1;
        }
        // Neighbouring windows mostly choose the same place.
        if end >= window && chosen.last() != Some(&least) {
            chosen.push(least);
        }
    }
    chosen
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_choice_chooses_its_own() {
        let ids = [77, 74, 42, 17, 98, 50, 17, 98, 8, 88, 67, 39, 77, 74, 42, 17, 98];
        for (choice, expected, places) in [
            // The example of Schleimer 2003: windows of 4 choose 17 17 8 39 17.
            (Choice::Winnow(4), vec![8, 17, 39], vec![8, 3, 11]),
            (
                Choice::Winnow(1),
                vec![8, 17, 39, 42, 50, 67, 74, 77, 88, 98],
                vec![8, 3, 11, 2, 5, 10, 1, 0, 9, 4],
            ),
            (Choice::Winnow(100), vec![8], vec![8]),
            (Choice::Modulo(4), vec![8, 88], vec![8, 9]),
            (Choice::Lowest(2), vec![8, 17], vec![8, 3]),
            (Choice::Highest(2), vec![88, 98], vec![9, 4]),
            (Choice::Highest(0), vec![], vec![]),
        ] {
            let chosen = Sketch { ids: expected, first_places: places };
            assert_eq!(choose_sketch(&ids, choice), chosen, "{choice:?}");
            let none = Sketch { ids: vec![], first_places: vec![] };
            assert_eq!(choose_sketch(&[], choice), none, "{choice:?}");
        }
        assert_eq!(winnow(&ids, 4), [3, 6, 8, 11, 15]);
    }

    #[test]
    fn every_window_has_a_chosen_one() {
        for window in 1..20 {
            let ids: Vec<u32> = (0..300u32).map(|i| i.wrapping_mul(2_654_435_761) >> 25).collect();
            let chosen = winnow(&ids, window);
            assert!(chosen.is_sorted_by(|a, b| a < b));
            for start in 0..=ids.len() - window {
                let all = start..start + window;
                let least = all.clone().rev().min_by_key(|&at| ids[at]);
                assert!(least.is_some_and(|at| chosen.contains(&at)), "{window} from {start}");
            }
        }
    }
}
