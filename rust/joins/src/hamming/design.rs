//! Covering designs: which blocks of bits to leave out so that no error set escapes every table.
//!
//! A part of the bits is cut into `points` blocks. Each table drops some blocks and matches on the
//! others. If every choice of `errors` blocks lies inside the dropped blocks of some table, then
//! two numbers that differ in at most `errors` bits of the part agree on all that this table
//! matches. Covering designs need fewer tables for the same number of matched bits than the
//! "all b choose k" of Manku, Jain and Das Sarma (2007), section 3.

/// One way to leave blocks out.
#[derive(Debug)]
pub(super) struct Design {
    /// Errors that some table always drops.
    pub(super) errors: u32,
    /// Blocks the part is cut into.
    pub(super) points: u32,
    /// For each table the blocks it drops, one bit per block; all tables drop equally many.
    pub(super) drops: Vec<u32>,
}

impl Design {
    /// The share of the part's bits that a table matches on, above 0.
    pub(super) fn kept_share(&self) -> f64 {
        // All tables of a design drop as many (the tests check this, and that every error set is
        // covered).
        let dropped = self.drops.first().map_or(0, |drop| drop.count_ones());
        1.0 - f64::from(dropped) / f64::from(self.points)
    }
}

/// The designs that plans are made of, from few errors to many.
pub(super) fn designs() -> Vec<Design> {
    vec![
        one_block_design(),
        drop_one_design(3),
        drop_one_design(4),
        // The Fano plane: any two of seven points lie on a line of three.
        cyclic_design(2, 7, &[&[0, 1, 3]]),
        // The projective plane of order three: any two of thirteen points lie on a line of four.
        cyclic_design(2, 13, &[&[0, 1, 3, 9]]),
        // The complement of the Paley biplane on eleven points (the non-residues and zero).
        cyclic_design(3, 11, &[&[0, 2, 6, 7, 8, 10]]),
        steiner_8_design(),
        // The Steiner system S(3,4,10): any three of ten points lie in a block of four.
        cyclic_design(3, 10, &[&[0, 1, 3, 4], &[0, 1, 2, 6], &[0, 2, 4, 7]]),
    ]
}

/// No errors: the whole part is matched.
fn one_block_design() -> Design {
    Design { errors: 0, points: 1, drops: vec![0] }
}

/// One error: each block is dropped in turn.
fn drop_one_design(points: u32) -> Design {
    Design { errors: 1, points, drops: (0..points).map(|point| 1 << point).collect() }
}

/// The translates, modulo the number of points, of some sets of points.
fn cyclic_design(errors: u32, points: u32, bases: &[&[u32]]) -> Design {
    let translate =
        |base: &[u32], by| base.iter().map(|point| 1_u32 << ((point + by) % points)).sum();
    let drops =
        bases.iter().flat_map(|base| (0..points).map(move |by| translate(base, by))).collect();
    Design { errors, points, drops }
}

/// The Steiner system S(3,4,8): the fourteen planes of the affine space of eight points, that is
/// the sets of four numbers below eight whose exclusive or is zero.
fn steiner_8_design() -> Design {
    let sum = |set: u32| (0..8).filter(|p| set >> p & 1 == 1).fold(0, |a, p| a ^ p);
    Design {
        errors: 3,
        points: 8,
        drops: (0_u32..256).filter(|&set| set.count_ones() == 4 && sum(set) == 0).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_error_set_is_dropped_by_some_table() {
        for design in designs() {
            let sets = (0_u32..1 << design.points).filter(|set| set.count_ones() <= design.errors);
            for set in sets {
                assert!(
                    design.drops.iter().any(|drop| drop & set == set),
                    "{design:?} misses {set:b}"
                );
            }
        }
    }

    #[test]
    fn tables_drop_equally_many_blocks_and_keep_some() {
        for design in designs() {
            let size = design.drops[0].count_ones();
            assert!(size < design.points);
            assert!(design.drops.iter().all(|drop| drop.count_ones() == size));
            assert!(design.drops.iter().all(|drop| drop >> design.points == 0));
        }
    }

    #[test]
    fn the_designs_have_their_published_number_of_tables() {
        let tables: Vec<usize> = designs().iter().map(|d| d.drops.len()).collect();
        assert_eq!(tables, [1, 3, 4, 7, 13, 11, 14, 30]);
    }
}
