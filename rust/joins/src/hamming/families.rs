//! Components of the pairs, without a list of them: a family with quadratic pairs costs less.

use super::plan::Reserve;
use super::rows_by_value::RowsByValue;
use super::search::{PairReceiver, Search, Sides};
use super::shared::Worker;
use super::values::MixOrdered;
use crate::components::Forest;
use crate::error::{KernelError, Watch};
use crate::fingerprint::Fingerprint;
use crate::progress::Progress;
use crate::reserve;

/// For each row the first row that pairs at most `radius` bits apart connect it with.
///
/// No pair is stored, so that their number does not matter.
///
/// # Errors
/// [`KernelError::TooManyRows`] from 2^32 rows, and [`KernelError::Interrupted`] by the watch.
pub fn connect_fingerprints<T: Fingerprint>(
    fingerprints: &[T],
    radius: u32,
    watch: Watch,
) -> Result<Vec<u32>, KernelError> {
    let progress = Progress::begin(watch)?;
    let reserve = Reserve { numbers: usize::MAX, threads: 1 };
    let values = MixOrdered::of(&[fingerprints], reserve, &progress)?;
    // The forest of values, and two numbers a row.
    reserve::check_room(16 * values.values().len() + 12 * fingerprints.len())?;
    let mut families = Families::new(&values, radius);
    Search::new(radius, reserve.numbers, &progress, Worker::ALONE, &mut families)
        .search_sides(Sides::Within(values.values()))?;
    let roots = families.forest.into_smallest_nodes();
    let rows_by_value = RowsByValue::of(&values, fingerprints, reserve, &progress)?;
    // The root is the first value in the order of mixing, which means nothing to a caller: the
    // first row of the family does.
    let mut firsts = vec![u32::MAX; roots.len()];
    for (&root, rows) in roots.iter().zip(rows_by_value.iter()) {
        let first = &mut firsts[root as usize];
        *first = rows.first().map_or(*first, |&row| row.min(*first));
    }
    let mut connected = vec![0; fingerprints.len()];
    for (&root, rows) in roots.iter().zip(rows_by_value.iter()) {
        for &row in rows {
            connected[row as usize] = firsts[root as usize];
        }
    }
    Ok(connected)
}

/// Values whose nodes are remembered: more than two tiles of the search hold.
const RECENT: u32 = 13;

/// Values that the pairs found so far connect.
struct Families<'a, T> {
    values: &'a MixOrdered<T>,
    radius: u32,
    forest: Forest,
    /// Values that were looked up, by their first bits, with their nodes. In a family each comes
    /// in thousands of pairs one after the other.
    recent: Vec<Option<(T, u32)>>,
}

impl<'a, T: Fingerprint> Families<'a, T> {
    fn new(values: &'a MixOrdered<T>, radius: u32) -> Self {
        let forest = Forest::new(values.values().len() as u32);
        Self { values, radius, forest, recent: vec![None; 1 << RECENT] }
    }

    /// The node of a value that is among them.
    fn node_of(&mut self, value: T) -> u32 {
        let recent = &mut self.recent[value.mix().bits_above(T::BITS - RECENT)];
        if let &mut Some((known, node)) = recent
            && known == value
        {
            return node;
        }
        let node = self.values.place_of(value).map_or(u32::MAX, |place| place as u32);
        *recent = Some((value, node));
        node
    }
}

impl<T: Fingerprint> PairReceiver<T> for &mut Families<'_, T> {
    fn take_pair(&mut self, a: T, b: T) {
        let (a, b) = (self.node_of(a), self.node_of(b));
        self.forest.unite(a, b);
    }

    /// Connects those near the first one. In a family most are near any other one; elsewhere the
    /// second number shows that they are not connected.
    fn try_to_connect_all(&mut self, numbers: &[T], others: &[T]) -> bool {
        let Some(&first) = numbers.first() else {
            return true;
        };
        let family = self.node_of(first);
        for &number in numbers.iter().chain(others) {
            if (first ^ number).one_bits() <= self.radius {
                let node = self.node_of(number);
                self.forest.unite(family, node);
            }
        }
        let family = self.forest.root_of(family);
        numbers.iter().chain(others).all(|&number| {
            let node = self.node_of(number);
            self.forest.root_of(node) == family
        })
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::super::cases::{Made, Random};
    use super::*;

    /// Counts the pairs that it receives.
    struct Counted<'a, T> {
        families: Families<'a, T>,
        pairs: usize,
    }

    impl<T: Fingerprint> PairReceiver<T> for &mut Counted<'_, T> {
        fn take_pair(&mut self, a: T, b: T) {
            self.pairs += 1;
            (&mut self.families).take_pair(a, b);
        }

        fn try_to_connect_all(&mut self, numbers: &[T], others: &[T]) -> bool {
            (&mut self.families).try_to_connect_all(numbers, others)
        }
    }

    #[test]
    fn a_family_is_joined_by_few_of_its_pairs() {
        a_family_is_joined_by_few_of_its_pairs_on::<u64>();
        a_family_is_joined_by_few_of_its_pairs_on::<u128>();
    }

    fn a_family_is_joined_by_few_of_its_pairs_on<T: Made>() {
        let mut random = Random(3);
        let centre: T = random.next();
        let family: Vec<T> = (0..20_000).map(|_| random.near(centre, 3)).collect();
        let others: Vec<T> = (0..20_000).map(|_| random.next()).collect();
        let progress = Progress::begin(&|_| true).unwrap();
        for (column, groups) in [(&[&family[..]][..], 1), (&[&family, &others], 20_001)] {
            let reserve = Reserve { numbers: usize::MAX, threads: 1 };
            let values = MixOrdered::of(column, reserve, &progress).unwrap();
            let mut counted = Counted { families: Families::new(&values, 6), pairs: 0 };
            let sides = Sides::Within(values.values());
            Search::new(6, usize::MAX, &progress, Worker::ALONE, &mut counted)
                .search_sides(sides)
                .unwrap();
            let roots = counted.families.forest.into_smallest_nodes();
            let count = (0..).zip(&roots).filter(|&(node, &root)| node == root).count();
            assert_eq!(count, groups);
            // All pairs would be two hundred million.
            assert!(counted.pairs < 10_000_000, "{} pairs", counted.pairs);
        }
    }
}
