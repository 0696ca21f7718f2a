//! The suffixes of a sequence of numbers in order, and what neighbours have in common.

use super::LOOKED;
use crate::stop;

/// No suffix.
const NONE: u32 = u32::MAX;

/// The starts of all suffixes in ascending order; `symbols` are below `alphabet`, and a suffix that
/// begins another one comes before it. Linear in both.
///
/// Source: Nong, Zhang and Chan 2009 (induced sorting).
pub(super) fn sort_suffixes(symbols: &[u32], alphabet: usize) -> Vec<u32> {
    let count = symbols.len();
    if count < 2 {
        return (0..count as u32).collect();
    }
    // A suffix is of kind S if the next one is greater, and leftmost if the one before is not.
    let mut small = vec![false; count];
    for at in (0..count - 1).rev() {
        let (here, next) = (symbols[at], symbols[at + 1]);
        small[at] = here < next || here == next && small[at + 1];
    }
    // The last suffix is of kind L: what follows it, nothing, is less.
    let leftmost = |at: usize| at > 0 && small[at] && !small[at - 1];
    let marks: Vec<u32> = (1..count).filter(|&at| leftmost(at)).map(|at| at as u32).collect();
    let mut bounds = vec![0u32; alphabet + 1];
    for &symbol in symbols {
        stop::count_work_or_unwind(LOOKED);
        bounds[symbol as usize + 1] += 1;
    }
    for symbol in 0..alphabet {
        bounds[symbol + 1] += bounds[symbol];
    }
    let mut order = vec![NONE; count];
    induce_order(symbols, &small, &bounds, &marks, &mut order);
    // One leftmost suffix is in order as it is, and none leaves a sequence that only descends.
    if marks.len() < 2 {
        return order;
    }

    // The leftmost suffixes in order come first, and their names behind them: no two of these
    // suffixes are neighbours, so there is room.
    let mut sorted = 0;
    for place in 0..count {
        if leftmost(order[place] as usize) {
            order[sorted] = order[place];
            sorted += 1;
        }
    }
    let (sorted, names) = order.split_at_mut(sorted);
    // Name what occurs from one leftmost suffix to the next, in order; equal ones get one name.
    let mut name = 0;
    let mut before: Option<usize> = None;
    let ends = |at: usize| marks.get(marks.partition_point(|&mark| mark as usize <= at)).copied();
    for at in sorted.iter().map(|&at| at as usize) {
        stop::count_work_or_unwind(4 * LOOKED);
        let same = before.is_some_and(|before| match (ends(before), ends(at)) {
            (Some(left), Some(right)) => {
                symbols[before..=left as usize] == symbols[at..=right as usize]
            }
            _ => false,
        });
        name += u32::from(before.is_some() && !same);
        // No two leftmost suffixes are neighbours, so that half the place is theirs alone.
        names[at / 2] = name;
        before = Some(at);
    }
    let inner: Vec<u32> = marks.iter().map(|&mark| names[mark as usize / 2]).collect();
    // While the names are sorted, the order is not needed.
    drop(order);
    let marks: Vec<u32> = if (name as usize) + 1 < marks.len() {
        let sorted = sort_suffixes(&inner, name as usize + 1);
        sorted.into_iter().map(|at| marks[at as usize]).collect()
    } else {
        // All differ: the names are the order.
        let mut sorted = vec![NONE; marks.len()];
        for (&mark, &name) in marks.iter().zip(&inner) {
            sorted[name as usize] = mark;
        }
        sorted
    };
    let mut order = vec![NONE; count];
    induce_order(symbols, &small, &bounds, &marks, &mut order);
    order
}

/// Sorts all suffixes from the leftmost ones of kind S, in order.
fn induce_order(symbols: &[u32], small: &[bool], bounds: &[u32], marks: &[u32], order: &mut [u32]) {
    let symbol = |at: u32| symbols[at as usize] as usize;
    order.fill(NONE);
    // Per symbol the end of its free places, then the first of them, then the end again.
    let mut free = bounds[1..].to_vec();
    for &mark in marks.iter().rev() {
        stop::count_work_or_unwind(LOOKED);
        let tail = &mut free[symbol(mark)];
        *tail -= 1;
        order[*tail as usize] = mark;
    }
    free.copy_from_slice(&bounds[..bounds.len() - 1]);
    let mut enter = |order: &mut [u32], at: u32| {
        let head = &mut free[symbol(at)];
        order[*head as usize] = at;
        *head += 1;
    };
    // The last suffix is followed by nothing, which is less than anything.
    enter(order, symbols.len() as u32 - 1);
    for place in 0..order.len() {
        stop::count_work_or_unwind(LOOKED);
        if let Some(before) = order[place].checked_sub(1).filter(|_| order[place] != NONE)
            && !small[before as usize]
        {
            enter(order, before);
        }
    }
    free.copy_from_slice(&bounds[1..]);
    for place in (0..order.len()).rev() {
        stop::count_work_or_unwind(LOOKED);
        if let Some(before) = order[place].checked_sub(1).filter(|_| order[place] != NONE)
            && small[before as usize]
        {
            let tail = &mut free[symbol(before)];
            *tail -= 1;
            order[*tail as usize] = before;
        }
    }
}

/// Per place in the order how many symbols its suffix has in common with the one before it, up to
/// the first `end`, which no symbol exceeds; 0 for the first. Linear.
///
/// Source: Kärkkäinen, Manzini and Puglisi 2009. What a suffix has in common up to an end shrinks
/// by one at most from a suffix to the next, as what it has in common does.
pub(super) fn measure_common_prefixes(symbols: &[u32], end: u32, order: &[u32]) -> Vec<u32> {
    // Per suffix the one before it in order, then what it has in common with that one.
    let mut common = vec![NONE; symbols.len()];
    for pair in order.windows(2) {
        common[pair[1] as usize] = pair[0];
    }
    let mut length = 0usize;
    for (at, common) in common.iter_mut().enumerate() {
        stop::count_work_or_unwind(LOOKED);
        let other = *common as usize;
        length = match symbols.get(other + length..) {
            None => 0,
            Some(there) => {
                let both = symbols[at + length..].iter().zip(there);
                length + both.take_while(|&(&left, &right)| left == right && left != end).count()
            }
        };
        *common = length as u32;
        length = length.saturating_sub(1);
    }
    order.iter().map(|&at| common[at as usize]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hamming::cases::Random;

    #[test]
    fn suffixes_are_sorted_as_slices_are() {
        let mut random = Random(7);
        for round in 0..20_000 {
            let alphabet = 1 + random.below(5);
            let length = random.below(40);
            let symbols: Vec<u32> =
                (0..length).map(|_| random.below(alphabet) as u32 * (1 + round % 2)).collect();
            let mut expected: Vec<u32> = (0..length as u32).collect();
            expected.sort_by_key(|&at| &symbols[at as usize..]);
            let order = sort_suffixes(&symbols, 2 * alphabet);
            assert_eq!(order, expected, "{symbols:?}");
            let greatest = symbols.iter().copied().max().unwrap_or(0);
            for end in [greatest, u32::MAX] {
                let shared = |(left, right): (&u32, &u32)| {
                    let (left, right) = (&symbols[*left as usize..], &symbols[*right as usize..]);
                    let both = left.iter().zip(right);
                    both.take_while(|&(left, right)| left == right && *left != end).count() as u32
                };
                let first = order.first().map(|_| 0);
                let expected: Vec<u32> = first
                    .into_iter()
                    .chain(order.iter().zip(order.iter().skip(1)).map(shared))
                    .collect();
                assert_eq!(
                    measure_common_prefixes(&symbols, end, &order),
                    expected,
                    "{symbols:?} {end}"
                );
            }
        }
    }
}
