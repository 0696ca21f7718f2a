use super::super::cases::Random;
use super::*;

/// The bit sets that plans are laid on: all bits, and some of fewer bits, adjacent or scattered.
fn bit_sets() -> Vec<u64> {
    let mut random = Random(3);
    let mut sets = vec![u64::MAX, u64::MAX >> 20, 0x5555_5555_5555_5555, 0xffff];
    sets.extend((8..64).step_by(9).map(|ones| random.biased(ones)));
    sets
}

/// Every plan for a radius on some bits.
fn plans(covers: &Covers, varying: u64) -> impl Iterator<Item = Vec<u64>> {
    let fitting = covers.mixes.iter();
    let fitting = fitting.filter(move |mix| covers.fits(mix, varying.count_ones()));
    fitting.map(move |mix| covers.masks(mix, varying, LONGEST_MASK))
}

/// Whether some set of at most `errors` more bits hits every mask that `hit` does not; tries every
/// bit of the first mask left, one bit of each kind (bits in the same masks are alike).
fn escapes(masks: &[u64], hit: u64, errors: u32) -> bool {
    let Some(mask) = masks.iter().find(|&mask| mask & hit == 0) else {
        return true;
    };
    if errors == 0 {
        return false;
    }
    let mut rest = *mask;
    while rest != 0 {
        let bit = rest & rest.wrapping_neg();
        let alike = masks
            .iter()
            .fold(rest, |alike, &mask| alike & if mask & bit != 0 { mask } else { !mask });
        rest &= !alike;
        if escapes(masks, hit | bit, errors - 1) {
            return true;
        }
    }
    false
}

#[test]
fn no_error_set_escapes_a_plan_of_small_radius() {
    for radius in 0..=4 {
        let covers = Covers::new(radius);
        for varying in bit_sets() {
            for masks in plans(&covers, varying) {
                assert!(!escapes(&masks, 0, radius), "{radius}, {varying:x}");
                assert!(masks.iter().all(|&mask| mask != 0 && mask & !varying == 0));
            }
        }
    }
}

#[test]
fn one_error_more_than_the_radius_escapes() {
    // The oracle itself: four blocks match every two errors and three, but not four.
    let masks = [0xff, 0xff00, 0xff_0000, 0xff00_0000];
    assert!(!escapes(&masks, 0, 3));
    assert!(escapes(&masks, 0, 4));
}

#[test]
fn budgets_of_every_plan_sum_to_the_radius_plus_one() {
    for radius in 0..=LARGEST_RADIUS {
        let covers = Covers::new(radius);
        assert!(!covers.mixes.is_empty());
        for mix in &covers.mixes {
            let budgets = mix.parts.iter().map(|&part| covers.designs[part].errors + 1);
            assert_eq!(budgets.sum::<u32>(), radius + 1);
        }
        for pair in covers.mixes.windows(2) {
            assert!(pair[0].tables < pair[1].tables);
            assert!(pair[0].bits_per_matched_bit > pair[1].bits_per_matched_bit);
        }
    }
    assert!(Covers::new(LARGEST_RADIUS + 1).mixes.is_empty());
}

/// With the budgets' sum, disjoint parts and the designs' own proof this proves every plan.
#[test]
fn masks_keep_the_blocks_their_design_keeps_on_disjoint_parts() {
    for radius in 0..=LARGEST_RADIUS {
        let covers = Covers::new(radius);
        for varying in bit_sets() {
            let bits = varying.count_ones();
            for mix in covers.mixes.iter().filter(|mix| covers.fits(mix, bits)) {
                assert_eq!(covers.widths(mix, bits).sum::<u32>(), bits);
                let masks = covers.masks(mix, varying, 64);
                assert_eq!(masks.len(), mix.tables);
                let mut masks = masks.as_slice();
                let mut seen = 0;
                for &part in &mix.parts {
                    let design = &covers.designs[part];
                    let (own, others) = masks.split_at(design.drops.len());
                    masks = others;
                    let all = own.iter().fold(0, |all, mask| all | mask);
                    assert_eq!(all & seen, 0);
                    seen |= all;
                    assert_blocks(design, own, all);
                }
                assert_eq!(seen, varying);
            }
        }
    }
}

/// Every bit of a part belongs to some block: it is in the masks that keep the block, in no other.
fn assert_blocks(design: &Design, masks: &[u64], part: u64) {
    for bit in (0..64).filter(|bit| part >> bit & 1 == 1) {
        let keeps = |block: u32| {
            let mut tables = masks.iter().zip(&design.drops);
            tables.all(|(mask, drop)| (mask >> bit & 1 == 1) == (drop >> block & 1 == 0))
        };
        assert!((0..design.points).any(keeps), "{design:?}, bit {bit}");
    }
}

#[test]
fn random_error_sets_miss_a_mask_of_every_plan() {
    let mut random = Random(5);
    for radius in 0..=LARGEST_RADIUS {
        let covers = Covers::new(radius);
        for masks in plans(&covers, u64::MAX) {
            for _ in 0..200 {
                let errors = random.near(0, radius as usize);
                assert!(masks.iter().any(|mask| mask & errors == 0), "{radius}");
            }
        }
    }
}

#[test]
fn the_cost_model_chooses_the_plans_measured_to_be_best() {
    let tables = |elements: usize, radius| {
        let work = Work {
            elements,
            comparisons: elements as f64 * elements as f64 / 2.0,
            comparison_cost: 0.05,
        };
        let plan = Covers::new(radius).choose(work, u64::MAX);
        plan.map_or(0, |masks| masks.len())
    };
    assert_eq!(tables(500, 3), 0);
    assert_eq!(tables(1_000_000, 3), 4);
    assert_eq!(tables(10_000_000, 3), 5);
    assert_eq!(tables(100_000_000, 3), 6);
    assert_eq!(tables(1_000_000_000, 3), 8);
    assert_eq!(tables(1_000_000, 40), 0);
}

#[test]
fn blocks_share_out_the_bits() {
    for bits in bit_sets() {
        for count in 1..=13 {
            let blocks = cut(bits, count);
            assert_eq!(blocks.iter().map(|b| b.count_ones()).sum::<u32>(), bits.count_ones());
            assert_eq!(blocks.iter().fold(0, |all, block| all | block), bits);
            let sizes = blocks.iter().map(|block| block.count_ones());
            assert!(sizes.clone().max() <= sizes.min().map(|size| size + 1));
        }
    }
}
