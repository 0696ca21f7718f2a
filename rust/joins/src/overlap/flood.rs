//! Families by flooding: each set asks once for those that it resembles, and what it finds is not
//! offered again, so that a family costs as many questions as it has sets, however many pairs.

use crate::error::KernelError;
use crate::reserve;

/// Asks for the neighbours of each of `count` sets once, family by family.
///
/// `begins`: whether a set starts a family; others ask once a neighbour has found them.
/// `find_alike(set, asked, reached, waiting)` appends to `waiting` the sets that resemble `set` and
/// are not `reached`, each once; `asked` sets have asked before.
///
/// # Errors
/// [`KernelError::NoReserve`], or what `find_alike` returns.
pub(crate) fn visit_family_by_family(
    count: usize,
    begins: impl Fn(u32) -> bool,
    mut find_alike: impl FnMut(u32, usize, &[bool], &mut Vec<u32>) -> Result<(), KernelError>,
) -> Result<(), KernelError> {
    let mut reached = reserve::repeat_value(false, count)?;
    let mut waiting = Vec::new();
    let mut asked = 0;
    for first in 0..count as u32 {
        if reached[first as usize] || !begins(first) {
            continue;
        }
        reached[first as usize] = true;
        waiting.push(first);
        while let Some(set) = waiting.pop() {
            let begin = waiting.len();
            find_alike(set, asked, &reached, &mut waiting)?;
            asked += 1;
            // Not before: `find_alike` reads the marks, and names each set once as it is.
            for &other in &waiting[begin..] {
                reached[other as usize] = true;
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::visit_family_by_family;

    /// The questions of a flood over neighbours in a line, where some sets do not begin.
    fn questions(edges: &[(u32, u32)], count: usize, begins: impl Fn(u32) -> bool) -> Vec<u32> {
        let mut asking = Vec::new();
        visit_family_by_family(count, begins, |set, asked, reached, waiting| {
            assert_eq!(asked, asking.len());
            asking.push(set);
            let near = edges.iter().flat_map(|&(a, b)| [(a, b), (b, a)]);
            let new = near.filter(|&(one, other)| one == set && !reached[other as usize]);
            waiting.extend(new.map(|(_, other)| other));
            Ok(())
        })
        .unwrap();
        asking
    }

    #[test]
    fn each_set_asks_once_after_one_that_found_it() {
        let asking = questions(&[(0, 3), (3, 1), (0, 1)], 5, |_| true);
        assert_eq!(asking, [0, 1, 3, 2, 4]);
    }

    #[test]
    fn a_set_that_does_not_begin_asks_only_where_it_is_found() {
        assert_eq!(questions(&[(0, 1)], 3, |set| set == 0), [0, 1]);
    }
}
