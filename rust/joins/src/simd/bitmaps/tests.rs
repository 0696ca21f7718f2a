use super::{BitmapQuestion, each_near_bitmap};
use crate::simd::each_level;

/// SplitMix64 (Steele, Lea and Flood 2014).
fn random(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
    let mixed = (*state ^ (*state >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    mixed ^ (mixed >> 31)
}

/// Bitmaps around one, and questions to stretches of them of every length and at every place.
fn each_level_is_the_definition<const W: usize>() {
    let mut state = W as u64;
    let first: [u64; W] = std::array::from_fn(|_| random(&mut state));
    let bitmaps: Vec<[u64; W]> = (0..41)
        .map(|_| first.map(|word| word ^ (random(&mut state) & random(&mut state))))
        .collect();
    let mut questions = Vec::new();
    for from in 0..41_u32 {
        for to in from..=41 {
            let bitmap = bitmaps[random(&mut state) as usize % 41];
            let most = (random(&mut state) % (32 * W as u64)) as u32;
            questions.push(BitmapQuestion { key: questions.len() as u32, most, from, to, bitmap });
        }
    }
    // What lies outside has no bitmaps.
    questions.push(BitmapQuestion { key: 9_999, most: 999, from: 40, to: 42, bitmap: first });
    let mut expected = Vec::new();
    for question in &questions[..questions.len() - 1] {
        for place in question.from..question.to {
            let words = question.bitmap.iter().zip(&bitmaps[place as usize]);
            if words.map(|(a, b)| (a ^ b).count_ones()).sum::<u32>() <= question.most {
                expected.push((question.key, place));
            }
        }
    }
    assert!(expected.len() > 1_000);
    for found in each_level(|| {
        let mut found = Vec::new();
        each_near_bitmap(&questions, &bitmaps, &mut |key, place| found.push((key, place)));
        found
    }) {
        assert_eq!(found, expected);
    }
}

#[test]
fn bitmaps_of_two_words_are_compared_at_every_level() {
    each_level_is_the_definition::<2>();
}

#[test]
fn bitmaps_of_four_words_are_compared_at_every_level() {
    each_level_is_the_definition::<4>();
}
