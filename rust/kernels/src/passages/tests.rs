#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::collections::HashSet;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::grams::LEFT_KEY;
use super::*;

/// SplitMix64 (Steele, Lea and Flood 2014, "Fast splittable pseudorandom number generators"): the
/// same numbers on every machine.
pub(super) struct Random(pub(super) u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    pub(super) fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound as u64) as usize
    }

    pub(super) fn text(&mut self, words: usize, alphabet: usize) -> Vec<u64> {
        (0..words).map(|_| self.below(alphabet) as u64).collect()
    }
}

pub(super) fn shared(left: &[u64], right: &[u64], min_words: usize) -> Vec<Passage> {
    shared_passages(left, right, min_words, &|_| true).unwrap()
}

fn covered(passages: &[Passage], words: usize) -> Vec<bool> {
    let mut covered = vec![false; words];
    for passage in passages {
        let start = passage.left as usize;
        covered[start..start + passage.words as usize].fill(true);
    }
    covered
}

/// The definition: the words of every gram of `left` that `right` has too.
fn oracle_covered(left: &[u64], right: &[u64], length: usize) -> Vec<bool> {
    let grams: HashSet<&[u64]> = right.windows(length).collect();
    let mut covered = vec![false; left.len()];
    for (at, gram) in left.windows(length).enumerate() {
        if grams.contains(gram) {
            covered[at..at + length].fill(true);
        }
    }
    covered
}

/// Checks all that the documentation of [`shared_passages`] promises.
fn check(left: &[u64], right: &[u64], min_words: usize) -> Vec<Passage> {
    let length = min_words.max(1);
    let passages = shared(left, right, min_words);
    let found = covered(&passages, left.len());
    let context = format!("{left:?} {right:?} {min_words}");
    assert_eq!(found, oracle_covered(left, right, length), "{context}");

    let mut ends = vec![0];
    for passage in &passages {
        let (start, words) = (passage.left as usize, passage.words as usize);
        let end = start + words;
        let previous = ends[ends.len() - 1];
        assert!(start >= previous && words > 0, "out of order: {context}");
        assert_eq!(common(&left[start..], &right[passage.right as usize..]), words);

        // The seed begins the passage, or in the one before if that ends where this begins.
        let most = if start == previous { length - 1 } else { 0 };
        let seeded = (0..=most.min(start)).any(|before| {
            end - start + before >= length && is_run(left, right, length, passage, before)
        });
        assert!(seeded, "{passage:?} is not the run of a seed: {context}");
        ends.push(end);
    }
    assert!(ends.windows(3).all(|ends| ends[2] - ends[0] >= length), "slow: {context}");
    passages
}

/// Whether the passage is the longest run of the seed that begins `before` words before it.
fn is_run(left: &[u64], right: &[u64], length: usize, passage: &Passage, before: usize) -> bool {
    let at = passage.left as usize - before;
    let seed = &left[at..at + length];
    let is_place = |&place: &usize| right[place..].starts_with(seed);
    let places: Vec<usize> = (0..right.len()).filter(is_place).collect();
    let here = (passage.right as usize).checked_sub(before);
    let longest = places.iter().map(|&place| common(&left[at..], &right[place..])).max();
    here.is_some_and(|here| places.contains(&here))
        && places.len() == passage.elsewhere as usize + 1
        && (longest == Some(passage.words as usize + before) || places.len() >= 64)
}

fn common(left: &[u64], right: &[u64]) -> usize {
    left.iter().zip(right).take_while(|(left, right)| left == right).count()
}

#[test]
fn covers_what_the_definition_covers() {
    let mut random = Random(1);
    for _ in 0..20_000 {
        let alphabet = 1 + random.below(5);
        let words = random.below(60);
        let left = random.text(words, alphabet);
        let words = random.below(60);
        let right = random.text(words, alphabet);
        check(&left, &right, random.below(9));
    }
}

#[test]
fn covers_edited_and_moved_texts() {
    let mut random = Random(2);
    for _ in 0..1_000 {
        let alphabet = [2, 4, 30, 10_000][random.below(4)];
        let words = random.below(400);
        let left = random.text(words, alphabet);
        let mut right = Vec::new();
        for _ in 0..random.below(12) {
            let start = random.below(left.len() + 1);
            let end = start + random.below(left.len() + 1 - start);
            right.extend_from_slice(&left[start..end]);
            let inserted = random.below(3);
            right.extend(random.text(inserted, alphabet));
        }
        check(&left, &right, 1 + random.below(20));
        check(&right, &left, 1 + random.below(20));
    }
}

/// Numbers that a weak hash would confuse: multiples of powers of two, neighbours.
#[test]
fn covers_words_of_any_numbers() {
    let mut random = Random(3);
    let vocabularies = [[0, 1, u64::MAX, u64::MAX - 1], [0, 1 << 62, 1 << 63, 3 << 62]];
    for case in 0..2_000 {
        let mut word = |_| vocabularies[case % 2][random.below(4)];
        let left: Vec<u64> = (0..40).map(&mut word).collect();
        let right: Vec<u64> = (0..40).map(&mut word).collect();
        check(&left, &right, 1 + random.below(7));
    }
}

/// A gram of two words that begins with the key has the same hash whatever follows.
#[test]
fn seeds_of_one_hash_do_not_hide_a_place() {
    let left = [LEFT_KEY, 7];
    let mut right: Vec<u64> = (100..300).flat_map(|word| [LEFT_KEY, word]).collect();
    assert_eq!(shared(&left, &right, 2), []);
    right.extend(left);
    let expected = Passage { left: 0, right: 400, words: 2, elsewhere: 200 };
    assert_eq!(shared(&left, &right, 2), [expected]);

    let mut random = Random(4);
    for _ in 0..1_000 {
        let mut word = |_| [LEFT_KEY, LEFT_KEY ^ 1, 0, 1, 2][random.below(5)];
        let left: Vec<u64> = (0..40).map(&mut word).collect();
        let right: Vec<u64> = (0..40).map(&mut word).collect();
        let min_words = 2 + random.below(4);
        let found = covered(&shared(&left, &right, min_words), left.len());
        assert_eq!(found, oracle_covered(&left, &right, min_words));
    }
}

#[test]
fn identical_texts_are_one_passage() {
    let mut random = Random(5);
    for alphabet in [1, 2, 1_000] {
        for words in 1..50 {
            let text = random.text(words, alphabet);
            for min_words in 1..=words {
                let passages = check(&text, &text, min_words);
                assert_eq!(passages.len(), 1);
                assert_eq!((passages[0].right, passages[0].words), (0, words as u32));
            }
        }
    }
}

#[test]
fn moved_blocks_are_found_where_they_went() {
    let text: Vec<u64> = (0..30).collect();
    let moved = [&text[20..], &text[..10], &text[10..20]].concat();
    let at = |left, right, words| Passage { left, right, words, elsewhere: 0 };
    assert_eq!(check(&text, &moved, 5), [at(0, 10, 20), at(20, 0, 10)]);
    assert_eq!(check(&moved, &text, 5), [at(0, 20, 10), at(10, 0, 20)]);
}

#[test]
fn overlapping_runs_are_cut_where_the_first_ends() {
    let left = [1, 2, 3, 4, 5];
    let right = [2, 3, 4, 5, 0, 1, 2, 3, 4];
    let at = |left, right, words| Passage { left, right, words, elsewhere: 0 };
    assert_eq!(check(&left, &right, 3), [at(0, 5, 4), at(4, 3, 1)]);
}

#[test]
fn too_little_text_has_no_passages() {
    let text = [1, 2, 3];
    for min_words in 0..5 {
        assert_eq!(check(&[], &text, min_words), []);
        assert_eq!(check(&text, &[], min_words), []);
        assert_eq!(check(&[], &[], min_words), []);
    }
    assert_eq!(check(&text, &text, 4), []);
    assert_eq!(shared(&text, &text, usize::MAX), []);
}

#[test]
fn no_least_length_is_a_word() {
    let (left, right) = ([1, 2, 3], [3, 9, 1]);
    let at = |left, right| Passage { left, right, words: 1, elsewhere: 0 };
    assert_eq!(check(&left, &right, 0), [at(0, 2), at(2, 0)]);
    assert_eq!(check(&left, &right, 1), check(&left, &right, 0));
}

/// Texts in which every seed stands at very many places: the cap is met, the cover is whole.
#[test]
fn covers_texts_that_repeat_themselves() {
    let mut random = Random(6);
    let one = vec![7; 9_000];
    let runs: Vec<u64> = (0..1_000).flat_map(|run| [7, 7, 7, 7, 7, 7, 7, 7, 100 + run]).collect();
    let two = random.text(9_000, 2);
    let mut line = |_| [1, 2, random.next() % 50, 3, 4, random.next() % 50];
    let log: Vec<u64> = (0..1_500).flat_map(&mut line).collect();
    let other_log: Vec<u64> = (0..1_500).flat_map(&mut line).collect();
    let texts = [&one, &runs, &two, &log, &other_log];
    for left in texts {
        for right in texts {
            for min_words in [1, 4, 8, 100] {
                let passages = shared(left, right, min_words);
                let found = covered(&passages, left.len());
                assert!(found == oracle_covered(left, right, min_words));
            }
        }
    }
    assert_eq!(shared(&one, &runs, 8).len(), 1_125);
}

/// Work that is not linear would keep these from ending.
#[test]
fn a_huge_repeated_word_is_soon_covered() {
    let one = vec![7; 1_000_000];
    let whole = Passage { left: 0, right: 0, words: 1_000_000, elsewhere: 999_992 };
    assert_eq!(shared(&one, &one, 8), [whole]);
    for (right, min_words, passages) in [(9, 8, 111_112), (600_010, 500_000, 2), (100, 99, 10_000)]
    {
        let found = shared(&one, &one[..right], min_words);
        assert_eq!(found.len(), passages);
        assert!(covered(&found, one.len()).iter().all(|&covered| covered));
    }
}

#[test]
fn the_cap_cuts_but_loses_nothing() {
    let left = vec![7; 200];
    let separated = |runs| (0..runs).flat_map(|run| [7, 7, 7, 7, 100 + run]);
    let long_after = |runs| -> Vec<u64> { separated(runs).chain(left.clone()).collect() };
    // At the first seed one of the 64 places compared is the one in step, here also the first one.
    assert_eq!(check(&left, &long_after(62), 4).len(), 1);
    assert_eq!(check(&left, &long_after(64), 4).len(), 50);
}

#[test]
fn repeated_lines_stay_in_step() {
    let right: Vec<u64> = (0..1_000).map(|at| at % 10).collect();
    let mut left = right.clone();
    left[777] = 55;
    let passages = shared(&left, &right, 8);
    let places: Vec<_> = passages.iter().map(|p| (p.left, p.right, p.words)).collect();
    assert_eq!(places, [(0, 0, 777), (778, 778, 222)]);
}

#[test]
fn stops_at_every_look_of_the_watch() {
    let mut random = Random(7);
    let (left, right) = (random.text(200_000, 1_000), random.text(200_000, 1_000));
    let shares = Mutex::new(Vec::new());
    let watch = |share| {
        shares.lock().unwrap().push(share);
        true
    };
    shared_passages(&left, &right, 5, &watch).unwrap();
    let shares = shares.into_inner().unwrap();
    assert!(shares.is_sorted() && shares.iter().all(|share| (0.0..=1.0).contains(share)));
    // Grams of 2, 4 and 5 words in four blocks each, for two texts; then the right, then the left.
    assert_eq!(shares.iter().filter(|&&share| share == 0.0).count(), 24);
    assert_eq!(shares.iter().filter(|&&share| 0.0 < share && share <= 0.5).count(), 3);
    assert_eq!(shares.iter().filter(|&&share| share > 0.5).count(), 3);

    for stop in 0..shares.len() {
        let looks = AtomicUsize::new(0);
        let watch = |_| looks.fetch_add(1, Ordering::Relaxed) < stop;
        let answer = shared_passages(&left, &right, 5, &watch);
        assert_eq!(answer, Err(KernelError::Interrupted));
        assert_eq!(looks.into_inner(), stop + 1);
    }
}
