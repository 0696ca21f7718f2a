#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use super::counts::Classes;
use super::home::{HomeLists, List};
use super::*;
use crate::components::find_components;
use crate::overlap::{HIDDEN, HashSets, IdSets};
use crate::sets::Column;
use std::collections::{BTreeSet, HashMap};
use std::env::temp_dir;

const SHORT: u8 = LengthClass::Short as u8;
const MIDDLE: u8 = LengthClass::Middle as u8;
const LONG: u8 = LengthClass::Long as u8;

/// More memory than the searches of these tests take.
const ENOUGH: usize = 1 << 30;

/// SplitMix64 (Steele, Lea and Flood 2014, "Fast splittable pseudorandom number generators").
fn random(state: &mut u64, bound: usize) -> usize {
    *state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
    let mixed = (*state ^ (*state >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    ((mixed ^ (mixed >> 31)) % bound as u64) as usize
}

/// The sets of texts, and the numbers of their length classes.
#[derive(Default, Debug)]
struct MadeTexts {
    words: Vec<Vec<u32>>,
    characters: Vec<Vec<u32>>,
    length_classes: Vec<u8>,
    baseline: usize,
}

/// No large sets.
const NO_HASHES: HashSets = HashSets { offsets: &[], values: &[] };

fn column(sets: &[Vec<u32>]) -> Column<u32> {
    let mut offsets = vec![0];
    for set in sets {
        offsets.push(offsets[offsets.len() - 1] + set.len() as i64);
    }
    Column { offsets, values: sets.concat() }
}

fn plain(column: &Column<u32>) -> IdSets<'_> {
    IdSets { offsets: &column.offsets, values: &column.values }
}

impl MadeTexts {
    fn push(&mut self, length_class: u8, mut words: Vec<u32>, mut characters: Vec<u32>) {
        for set in [&mut words, &mut characters] {
            set.sort_unstable();
            set.dedup();
        }
        self.words.push(words);
        self.characters.push(characters);
        self.length_classes.push(length_class);
    }

    fn find_families(
        &self,
        threshold: Ratio,
        reserve: usize,
        most: usize,
    ) -> Result<Vec<u32>, KernelError> {
        let (words, characters) = (column(&self.words), column(&self.characters));
        let (words, characters) = (plain(&words), plain(&characters));
        let (length_classes, baseline) = (&self.length_classes[..], self.baseline);
        let texts = Texts {
            words,
            characters,
            length_classes,
            baseline,
            hashes: NO_HASHES,
            exact: threshold,
        };
        let folder = temp_dir();
        find_families(&texts, threshold, &Home::new(&folder, reserve), most, 3, &|_| true)
    }

    /// The definition: every two texts are compared.
    fn oracle(&self, threshold: Ratio) -> Vec<u32> {
        let (mut left, mut right) = (Vec::new(), Vec::new());
        for one in 0..self.length_classes.len() {
            for other in 0..one {
                if one < self.baseline && other < self.baseline {
                    continue;
                }
                let by_characters = match (self.length_classes[one], self.length_classes[other]) {
                    (HIDDEN, _) | (_, HIDDEN) => continue,
                    (SHORT, SHORT | MIDDLE) | (MIDDLE, SHORT) => true,
                    _ => false,
                };
                let sets = if by_characters { &self.characters } else { &self.words };
                let (a, b) = (&sets[one], &sets[other]);
                let shared = a.iter().filter(|value| b.contains(value)).count() as u64;
                let union = (a.len() + b.len()) as u64 - shared;
                if union > 0 && shared * threshold.denominator >= union * threshold.numerator {
                    left.push(one as u32);
                    right.push(other as u32);
                }
            }
        }
        find_components(self.length_classes.len(), &left, &right)
    }

    fn check(&self, threshold: Ratio) {
        let expected = self.oracle(threshold);
        for (reserve, most) in [(0, 1 << 20), (1 << 14, 1 << 22), (ENOUGH, ENOUGH)] {
            let found = self.find_families(threshold, reserve, most).unwrap();
            assert_eq!(found, expected, "{threshold:?} in {reserve} and {most} bytes: {self:?}");
        }
    }
}

fn threshold(state: &mut u64) -> Ratio {
    Ratio { numerator: 1 + random(state, 20) as u64, denominator: 20 }
}

#[test]
fn families_of_small_sets_equal_brute_force() {
    let mut state = 1;
    for _ in 0..300 {
        let mut made = MadeTexts::default();
        let universe = [3, 8, 40, 1000][random(&mut state, 4)];
        let classes = [1, 4][random(&mut state, 2)];
        for _ in 0..random(&mut state, 70) {
            let class = if classes == 1 { LONG } else { random(&mut state, classes) as u8 };
            let mut set = || -> Vec<u32> {
                let size = random(&mut state, 12);
                (0..size).map(|_| random(&mut state, universe) as u32).collect()
            };
            let (words, characters) = (set(), set());
            made.push(class, words, characters);
        }
        made.baseline = random(&mut state, 2) * random(&mut state, 1 + made.length_classes.len());
        made.check(threshold(&mut state));
    }
}

#[test]
fn families_of_edited_sets_equal_brute_force() {
    let mut state = 2;
    for _ in 0..40 {
        let mut made = MadeTexts::default();
        let (families, edits) = (1 + random(&mut state, 5), 1 + random(&mut state, 20));
        let bases: Vec<Vec<u32>> = (0..families)
            .map(|_| {
                let size = 20 + random(&mut state, 120);
                (0..size).map(|_| random(&mut state, 1 << 32) as u32).collect()
            })
            .collect();
        // More than 16 of one family have common values alone.
        for _ in 0..100 {
            let mut edited = || -> Vec<u32> {
                let mut set = bases[random(&mut state, families)].clone();
                for _ in 0..random(&mut state, edits) {
                    let place = random(&mut state, set.len());
                    set[place] = random(&mut state, 1 << 32) as u32;
                }
                set
            };
            let (words, characters) = (edited(), edited());
            made.push(random(&mut state, 4) as u8, words, characters);
        }
        made.check(Ratio { numerator: 8, denominator: 10 });
        made.baseline = random(&mut state, 100);
        made.check(threshold(&mut state));
    }
}

#[test]
fn one_template_costs_as_many_comparisons_as_it_has_texts() {
    let mut made = MadeTexts::default();
    for text in 0..4_000_u32 {
        made.push(LONG, (0..200).chain([1_000 + text, 10_000 + text]).collect(), Vec::new());
    }
    let found = made.find_families(Ratio { numerator: 4, denominator: 5 }, 0, ENOUGH).unwrap();
    assert!(found.iter().all(|&family| family == 0));
}

#[test]
fn what_matches_nothing_and_what_is_too_little_are_said() {
    let mut made = MadeTexts::default();
    for _ in 0..3 {
        made.push(LONG, vec![1, 2, 3], Vec::new());
    }
    for numerator in [0, 2] {
        let none = made.find_families(Ratio { numerator, denominator: 1 }, 0, ENOUGH);
        assert_eq!(none, Ok(vec![0, 1, 2]));
    }
    let one = Ratio { numerator: 1, denominator: 1 };
    assert_eq!(made.find_families(one, 0, ENOUGH), Ok(vec![0, 0, 0]));
    let refused = made.find_families(one, 0, 1);
    assert!(matches!(refused, Err(KernelError::NotEnough { bytes, most: 1 }) if bytes > 1));
    assert_eq!(MadeTexts::default().find_families(one, 0, ENOUGH), Ok(Vec::new()));
}

#[test]
fn a_folder_that_is_gone_and_a_stop_end_the_search() {
    let mut made = MadeTexts::default();
    for text in 0..20_000_u32 {
        made.push(LONG, (0..200).map(|value| value * 7 + text).collect(), Vec::new());
    }
    let words = column(&made.words);
    let threshold = Ratio { numerator: 4, denominator: 5 };
    let (length_classes, words, exact) = (&made.length_classes[..], plain(&words), threshold);
    let texts =
        Texts { words, characters: words, length_classes, baseline: 0, hashes: NO_HASHES, exact };
    let gone = temp_dir().join("no such folder");
    let found = find_families(&texts, threshold, &Home::new(&gone, 0), ENOUGH, 1, &|_| true);
    assert!(matches!(found, Err(KernelError::Storage(_))), "{found:?}");
    let folder = temp_dir();
    for share in [0.0, 0.3, 0.5, 0.65, 0.75, 0.9] {
        let found =
            find_families(&texts, threshold, &Home::new(&folder, 0), ENOUGH, 1, &|at| at < share);
        assert_eq!(found, Err(KernelError::Interrupted));
    }
}

#[test]
fn threads_share_a_file_and_each_reads_what_it_stored() {
    let folder = temp_dir();
    let home = Home::new(&folder, 0);
    let lists = HomeLists::new(&home);
    let store_and_read = |thread: u32| {
        for count in 0..200 {
            let numbers: Vec<u32> = (0..count).map(|number| thread << 16 | number).collect();
            let stored = lists.store(numbers.clone()).unwrap();
            assert!(matches!(stored, List::InFile(_)) || numbers.is_empty());
            let (places, mut read) = (count as usize / 3..count as usize, vec![7]);
            lists.append_numbers_at(&stored, places.clone(), &mut read).unwrap();
            assert_eq!((read[0], &read[1..]), (7, &numbers[places]));
        }
    };
    std::thread::scope(|scope| {
        for thread in 0..4 {
            let work = &store_and_read;
            scope.spawn(move || work(thread));
        }
    });
}

#[test]
fn portions_hold_whole_families_of_two_or_more_texts() {
    let mut state = 3;
    for _ in 0..200 {
        let mut made = MadeTexts::default();
        for _ in 0..random(&mut state, 60) {
            let size = random(&mut state, 40) as u32;
            made.push(random(&mut state, 4) as u8, (0..size).collect(), (0..size).collect());
        }
        let count = made.length_classes.len();
        let shown = |text: usize| made.length_classes[text] != HIDDEN;
        let ends = |state: &mut u64| (0..count).map(|_| random(state, count) as u32).collect();
        let (left, right): (Vec<u32>, Vec<u32>) = (ends(&mut state), ends(&mut state));
        let edges = left.into_iter().zip(right).take(count / 2);
        let both = edges.filter(|&(a, b)| shown(a as usize) && shown(b as usize));
        let (left, right): (Vec<u32>, Vec<u32>) = both.unzip();
        let families = find_components(count, &left, &right);
        let column = column(&made.words);
        let threshold = Ratio { numerator: 4, denominator: 5 };
        let (length_classes, words, exact) = (&made.length_classes[..], plain(&column), threshold);
        let texts = Texts {
            words,
            characters: words,
            length_classes,
            baseline: 0,
            hashes: NO_HASHES,
            exact,
        };
        // By formula: 192 bytes a text, and 2 + 13 (1 - t) a value in a family of more than 24.
        let each = 2.0 + 13.0 * (1.0 - 4.0 / 5.0);
        let value_bytes = |text: usize| (made.words[text].len() as f64 * each) as usize;
        let of = |family: u32| -> Vec<usize> {
            (0..count).filter(|&text| families[text] == family).collect()
        };
        let sums = |rows: &[usize]| -> usize {
            let crowded = |&&row: &&usize| of(families[row]).len() > 24;
            let looked_up = rows.iter().filter(crowded).map(|&row| value_bytes(row));
            192 * rows.len() + looked_up.sum::<usize>()
        };
        let has_several = |&text: &usize| shown(text) && of(families[text]).len() > 1;
        let several: Vec<usize> = (0..count).filter(has_several).collect();
        let largest = several.iter().map(|&text| sums(&of(families[text]))).max();
        let most = largest.unwrap_or(0) + random(&mut state, 1000);
        let found = assign_portions(&texts, &families, threshold, most).unwrap();
        for text in 0..count {
            assert_eq!(found[text].is_some(), several.contains(&text));
            assert_eq!(found[text], found[families[text] as usize]);
        }
        let last = found.iter().flatten().max().map_or(0, |&last| last + 1);
        for one in 0..last {
            let rows: Vec<usize> = (0..count).filter(|&text| found[text] == Some(one)).collect();
            assert!(!rows.is_empty() && sums(&rows) <= most);
        }
        if let Some(largest) = largest {
            let refused = assign_portions(&texts, &families, threshold, largest - 1);
            assert_eq!(refused, Err(KernelError::NotEnough { bytes: largest, most: largest - 1 }));
        }
    }
}

#[test]
fn values_are_counted_in_tables_of_every_width() {
    let mut state = 5;
    let sets: Vec<Vec<u32>> = (0..300)
        .map(|_| {
            let mut skewed = || {
                let most = 1 + random(&mut state, 3000);
                random(&mut state, most) as u32
            };
            let some: BTreeSet<u32> = (0..200).map(|_| skewed()).collect();
            some.into_iter().collect()
        })
        .collect();
    let mut counts: HashMap<u32, u32> = HashMap::new();
    sets.iter().flatten().for_each(|&value| *counts.entry(value).or_default() += 1);
    let (folder, watch) = (temp_dir(), |_| true);
    let progress = Progress::stage(&watch, 0.0, 1.0);
    let pieces: Vec<_> = [0, 1, 20, 170, 300].windows(2).map(|ends| ends[0]..ends[1]).collect();
    let cases = [(0, 0), (1 << 20, ENOUGH), (1 << 26, 0), (1 << 26, ENOUGH)];
    for ((values, reserve), jobs) in cases.into_iter().zip([1, 3, 2, 8]) {
        let home = Home::new(&folder, reserve);
        let pieced = PiecedSets { set: |place: usize| &sets[place][..], pieces: &pieces, values };
        let mut team = Team::new(jobs, || ());
        let counted = ValueClasses::new(&pieced, &home, &mut team, [&progress; 2]).unwrap();
        let (mut classes, mut found) = (Classes::default(), Vec::new());
        let (mut equal, mut all) = (0, 0);
        for (place, set) in sets.iter().enumerate() {
            if let Some(piece) = pieces.iter().position(|piece| piece.start == place) {
                counted.read_piece(piece, &mut classes).unwrap();
            }
            classes.read_next_set(set, &mut found);
            for (value, &class) in set.iter().zip(&found) {
                let own = (counts[value] | 1).ilog2();
                // Values of one cell are counted together, and few are.
                assert!(u32::from(class) >= own);
                equal += usize::from(u32::from(class) == own);
                all += 1;
            }
        }
        assert!(equal * 100 >= all * 98, "{equal} of {all}");
    }
}
