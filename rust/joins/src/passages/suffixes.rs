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
    let leftmost = |at: usize| at > 0 && small[at] && !small[at - 1];
    let marks: Vec<u32> = (1..count).filter(|&at| leftmost(at)).map(|at| at as u32).collect();
    let mut bounds = vec![0u32; alphabet + 1];
    for &symbol in symbols {
        stop::count_bytes(LOOKED);
        bounds[symbol as usize + 1] += 1;
    }
    for symbol in 0..alphabet {
        bounds[symbol + 1] += bounds[symbol];
    }
    let mut order = vec![NONE; count];
    induce_order(symbols, &small, &bounds, &marks, &mut order);
    if marks.len() < 2 {
        return order;
    }

    // Name what occurs from one leftmost suffix to the next, in order; equal ones get one name.
    let mut names = vec![NONE; count / 2 + 1];
    let mut name = 0;
    let mut before: Option<usize> = None;
    let ends = |at: usize| marks.get(marks.partition_point(|&mark| mark as usize <= at)).copied();
    for at in order.iter().map(|&at| at as usize).filter(|&at| leftmost(at)) {
        stop::count_bytes(4 * LOOKED);
        let same = before.is_some_and(|before| match (ends(before), ends(at)) {
            (Some(left), Some(right)) => {
                symbols[before..=left as usize] == symbols[at..=right as usize]
            }
            _ => false,
        });
        name += u32::from(before.is_some() && !same);
        names[at / 2] = name;
        before = Some(at);
    }
    let inner: Vec<u32> = marks.iter().map(|&mark| names[mark as usize / 2]).collect();
    drop(names);
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
    induce_order(symbols, &small, &bounds, &marks, &mut order);
    order
}

/// Sorts all suffixes from the leftmost ones of kind S, in order.
fn induce_order(symbols: &[u32], small: &[bool], bounds: &[u32], marks: &[u32], order: &mut [u32]) {
    let symbol = |at: u32| symbols[at as usize] as usize;
    order.fill(NONE);
    let mut tails = bounds[1..].to_vec();
    for &mark in marks.iter().rev() {
        stop::count_bytes(LOOKED);
        let tail = &mut tails[symbol(mark)];
        *tail -= 1;
        order[*tail as usize] = mark;
    }
    let mut heads = bounds[..bounds.len() - 1].to_vec();
    let mut enter = |order: &mut [u32], at: u32| {
        let head = &mut heads[symbol(at)];
        order[*head as usize] = at;
        *head += 1;
    };
    // The last suffix is followed by nothing, which is less than anything.
    enter(order, symbols.len() as u32 - 1);
    for place in 0..order.len() {
        stop::count_bytes(LOOKED);
        if let Some(before) = order[place].checked_sub(1).filter(|_| order[place] != NONE)
            && !small[before as usize]
        {
            enter(order, before);
        }
    }
    tails.copy_from_slice(&bounds[1..]);
    for place in (0..order.len()).rev() {
        stop::count_bytes(LOOKED);
        if let Some(before) = order[place].checked_sub(1).filter(|_| order[place] != NONE)
            && small[before as usize]
        {
            let tail = &mut tails[symbol(before)];
            *tail -= 1;
            order[*tail as usize] = before;
        }
    }
}

/// Per place in the order how many symbols its suffix has in common with the one before it; 0 for
/// the first. Linear.
///
/// Source: Kasai et al. 2001.
pub(super) fn common_prefixes(symbols: &[u32], order: &[u32], places: &[u32]) -> Vec<u32> {
    let mut common = vec![0; symbols.len()];
    let mut length = 0usize;
    for (at, &place) in places.iter().enumerate() {
        stop::count_bytes(LOOKED);
        if place == 0 {
            length = 0;
            continue;
        }
        let other = order[place as usize - 1] as usize;
        let rest = symbols[at + length..].iter().zip(&symbols[other + length..]);
        length += rest.take_while(|(left, right)| left == right).count();
        common[place as usize] = length as u32;
        length = length.saturating_sub(1);
    }
    common
}

#[cfg(test)]
mod tests {
    use super::super::tests::Random;
    use super::*;

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
            let mut places = vec![0; length];
            for (place, &at) in order.iter().enumerate() {
                places[at as usize] = place as u32;
            }
            let shared = |(left, right): (&u32, &u32)| {
                let (left, right) = (&symbols[*left as usize..], &symbols[*right as usize..]);
                left.iter().zip(right).take_while(|(left, right)| left == right).count() as u32
            };
            let expected: Vec<u32> = (0..length.min(1) as u32)
                .chain(order.iter().zip(&order[1.min(length)..]).map(shared))
                .collect();
            assert_eq!(common_prefixes(&symbols, &order, &places), expected, "{symbols:?}");
        }
    }
}
