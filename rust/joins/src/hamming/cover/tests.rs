use super::super::cases::{Made, Random, bit, from_repeated_word};
use super::*;

const WIDTHS: [u32; 2] = [64, 128];

/// The bit sets that plans are laid on: all bits, and some of fewer bits, adjacent or scattered.
fn bit_sets<T: Made>() -> Vec<T> {
    let mut random = Random(3);
    let all = !T::default();
    let mut sets = vec![all, all >> 20, from_repeated_word(0x5555_5555_5555_5555), T::from(0xffff)];
    sets.extend((8..64).step_by(9).map(|ones| random.biased_number::<T>(ones)));
    sets
}

/// Every plan for a radius on some bits.
fn plans<T: Made>(covers: &Covers, varying: T) -> impl Iterator<Item = Vec<T>> {
    let fitting = covers.mixes.iter();
    let fitting = fitting
        .filter(move |mix| covers.shared_out_bits_suffice_each_part(mix, varying.one_bits()));
    fitting.map(move |mix| covers.make_masks_of_mix(mix, varying, LONGEST_MASK))
}

/// Return whether some set of at most `errors` more bits hits every mask that `hit` does not; tries
/// every bit of the first mask left, one bit of each kind (bits in the same masks are alike).
fn escapes<T: Made>(masks: &[T], hit: T, errors: u32) -> bool {
    let none = T::default();
    let Some(&mask) = masks.iter().find(|&&mask| mask & hit == none) else {
        return true;
    };
    if errors == 0 {
        return false;
    }
    let mut rest = mask;
    while rest != none {
        let bit = rest ^ rest.without_lowest_one();
        let alike = masks
            .iter()
            .fold(rest, |alike, &mask| alike & if mask & bit != none { mask } else { !mask });
        rest = rest & !alike;
        if escapes(masks, hit | bit, errors - 1) {
            return true;
        }
    }
    false
}

#[test]
fn no_error_set_escapes_a_plan_of_small_radius() {
    no_error_set_escapes_a_plan_on::<u64>(4);
    no_error_set_escapes_a_plan_on::<u128>(4);
}

fn no_error_set_escapes_a_plan_on<T: Made>(largest: u32) {
    let none = T::default();
    for radius in 0..=largest {
        let covers = Covers::new(radius, T::BITS);
        for varying in bit_sets::<T>() {
            for masks in plans(&covers, varying) {
                assert!(!escapes(&masks, none, radius), "{radius}, {varying:?}");
                assert!(masks.iter().all(|&mask| mask != none && mask & !varying == none));
            }
        }
    }
}

#[test]
fn one_error_more_than_the_radius_escapes() {
    // The oracle itself: four blocks match every two errors and three, but not four.
    let masks = [0xff_u64, 0xff00, 0xff_0000, 0xff00_0000];
    assert!(!escapes(&masks, 0, 3));
    assert!(escapes(&masks, 0, 4));
}

#[test]
fn budgets_of_every_plan_sum_to_the_radius_plus_one() {
    for bits in WIDTHS {
        for radius in 0..=largest_radius_worth_tables(bits) {
            let covers = Covers::new(radius, bits);
            assert!(!covers.mixes.is_empty());
            for mix in &covers.mixes {
                let budgets = mix.parts.iter().map(|&part| covers.designs[part].errors + 1);
                assert_eq!(budgets.sum::<u32>(), radius + 1);
            }
        }
        assert!(Covers::new(largest_radius_worth_tables(bits) + 1, bits).mixes.is_empty());
    }
}

/// Tables and bits per matched bit of every mix that spends a budget with designs from `first` on.
fn naive_mixes(designs: &[Design], first: usize, budget: u32) -> Vec<(usize, f64)> {
    if budget == 0 {
        return vec![(0, 0.0)];
    }
    let mut all = Vec::new();
    for (part, design) in designs.iter().enumerate().skip(first) {
        if design.errors < budget {
            let rest = naive_mixes(designs, part, budget - design.errors - 1);
            let longer =
                |(tables, bits)| (tables + design.drops.len(), bits + 1.0 / design.kept_share());
            all.extend(rest.into_iter().map(longer));
        }
    }
    all
}

#[test]
fn no_mix_is_better_than_those_kept() {
    for radius in 0..=12 {
        let covers = Covers::new(radius, 64);
        for pair in covers.mixes.windows(2) {
            assert!(pair[0].tables < pair[1].tables);
            assert!(pair[0].bits_per_matched_bit > pair[1].bits_per_matched_bit);
        }
        for (tables, bits) in naive_mixes(&covers.designs, 0, radius + 1) {
            let as_good =
                |mix: &Mix| mix.tables <= tables && mix.bits_per_matched_bit <= bits + 1e-9;
            assert!(covers.mixes.iter().any(as_good), "{radius}: {tables} tables");
        }
    }
}

/// With the budgets' sum, disjoint parts and the designs' own proof this proves every plan.
#[test]
fn masks_keep_the_blocks_their_design_keeps_on_disjoint_parts() {
    masks_keep_the_blocks_their_design_keeps::<u64>();
    masks_keep_the_blocks_their_design_keeps::<u128>();
}

fn masks_keep_the_blocks_their_design_keeps<T: Made>() {
    for radius in 0..=largest_radius_worth_tables(T::BITS) {
        let covers = Covers::new(radius, T::BITS);
        for varying in bit_sets::<T>() {
            let bits = varying.one_bits();
            for mix in covers
                .mixes
                .iter()
                .filter(|mix| covers.shared_out_bits_suffice_each_part(mix, bits))
            {
                assert_eq!(
                    covers.share_bits_so_that_tables_match_equally(mix, bits).sum::<u32>(),
                    bits
                );
                let masks = covers.make_masks_of_mix(mix, varying, T::BITS);
                assert_eq!(masks.len(), mix.tables);
                let mut masks = masks.as_slice();
                let mut seen = T::default();
                for &part in &mix.parts {
                    let design = &covers.designs[part];
                    let (own, others) = masks.split_at(design.drops.len());
                    masks = others;
                    let all = own.iter().fold(T::default(), |all, &mask| all | mask);
                    assert_eq!(all & seen, T::default());
                    seen = seen | all;
                    assert_blocks(design, own, all);
                }
                assert_eq!(seen, varying);
            }
        }
    }
}

/// Every bit of a part belongs to some block: it is in the masks that keep the block, in no other.
fn assert_blocks<T: Made>(design: &Design, masks: &[T], part: T) {
    let holds = |mask: T, place: usize| mask & bit(place) != T::default();
    for place in (0..T::BITS as usize).filter(|&place| holds(part, place)) {
        let keeps = |block: u32| {
            let mut tables = masks.iter().zip(&design.drops);
            tables.all(|(&mask, drop)| holds(mask, place) == (drop >> block & 1 == 0))
        };
        assert!((0..design.points).any(keeps), "{design:?}, bit {place}");
    }
}

#[test]
fn random_error_sets_miss_a_mask_of_every_plan() {
    random_error_sets_miss_a_mask::<u64>();
    random_error_sets_miss_a_mask::<u128>();
}

fn random_error_sets_miss_a_mask<T: Made>() {
    let mut random = Random(5);
    for radius in 0..=largest_radius_worth_tables(T::BITS) {
        let covers = Covers::new(radius, T::BITS);
        for masks in plans(&covers, !T::default()) {
            for _ in 0..200 {
                let errors = random.near(T::default(), radius as usize);
                assert!(masks.iter().any(|&mask| mask & errors == T::default()), "{radius}");
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
        let plan = Covers::new(radius, 64).choose_masks(work, u64::MAX);
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
    blocks_share_out_the_bits_of::<u64>();
    blocks_share_out_the_bits_of::<u128>();
}

fn blocks_share_out_the_bits_of<T: Made>() {
    for bits in bit_sets::<T>() {
        for count in 1..=13 {
            let blocks = cut_into_blocks(bits, count);
            assert_eq!(blocks.iter().map(|b| b.one_bits()).sum::<u32>(), bits.one_bits());
            assert_eq!(blocks.iter().fold(T::default(), |all, &block| all | block), bits);
            let sizes = blocks.iter().map(|block| block.one_bits());
            assert!(sizes.clone().max() <= sizes.min().map(|size| size + 1));
        }
    }
}
