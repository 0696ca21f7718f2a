//! Every pair at the threshold is connected, whatever the places, the order and the sample.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use super::records::{Head, SetSketch, each_sent_set};
use super::{
    DocumentEdges, Frequencies, SetKind, ShuffledTexts, append_bands, append_cells, append_records,
    concatenate_records_by_place, connect_records, count_cells,
};
use crate::components::find_components;
use crate::error::KernelError;
use crate::hash;
use crate::judge::{Evidence, LengthClass};
use crate::minhash;
use crate::overlap::{HashSets, IdSets, Ratio};
use crate::simd::intersect::SetIntersector;

const THRESHOLD: Ratio = Ratio { numerator: 4, denominator: 5 };
/// A pair at the threshold is farther apart with a probability below 10^-9.
const RADIUS: u32 = 40;

/// SplitMix64 (Steele, Lea and Flood 2014, "Fast splittable pseudorandom number generators").
fn random(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
    let mixed = (*state ^ (*state >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    mixed ^ (mixed >> 31)
}

/// Texts with their sets.
#[derive(Default)]
struct Corpus {
    docs: Vec<i64>,
    words: Vec<u32>,
    hashes: (Vec<i64>, Vec<u64>),
    ids: (Vec<i64>, Vec<u32>),
    characters: (Vec<i64>, Vec<u32>),
}

impl Corpus {
    /// `families` of `members` edited copies of a text of some words, common ones among them.
    fn new(seed: u64, families: u64, members: u64) -> Self {
        let mut state = seed;
        let mut corpus = Self::default();
        corpus.hashes.0.push(0);
        corpus.ids.0.push(0);
        corpus.characters.0.push(0);
        for family in 0..families {
            let size = 1 + random(&mut state) % if family % 3 == 0 { 60 } else { 140 };
            let words = size + 2 + random(&mut state) % 20 * (random(&mut state) % 2);
            for _ in 0..members {
                let mut set: Vec<u64> = (0..size)
                    .map(|at| {
                        let strange = random(&mut state).is_multiple_of(12);
                        let common = at % 4 == 0;
                        let value = if common { at } else { at | family << 20 };
                        hash::mix(if strange { random(&mut state) } else { value + 1 })
                            .rotate_left(17)
                    })
                    .collect();
                set.sort_unstable();
                set.dedup();
                let mut ids: Vec<u32> = set.iter().map(|&hash| hash::id_of_hash(hash)).collect();
                ids.dedup();
                let mut characters: Vec<u32> = ids.iter().map(|id| id % 100_000).collect();
                characters.sort_unstable();
                characters.dedup();
                let words = words.max(set.len() as u64) as u32;
                corpus.docs.push(random(&mut state) as i64);
                corpus.words.push(words);
                corpus.hashes.1.extend(&set);
                corpus.ids.1.extend(&ids);
                if words < 100 {
                    corpus.characters.1.extend(&characters);
                }
                corpus.hashes.0.push(corpus.hashes.1.len() as i64);
                corpus.ids.0.push(corpus.ids.1.len() as i64);
                corpus.characters.0.push(corpus.characters.1.len() as i64);
            }
        }
        corpus
    }

    fn texts(&self) -> ShuffledTexts<'_> {
        ShuffledTexts {
            docs: &self.docs,
            words: &self.words,
            word_hashes: HashSets { offsets: &self.hashes.0, values: &self.hashes.1 },
            character_shingles: IdSets { offsets: &self.characters.0, values: &self.characters.1 },
        }
    }

    /// Every pair at the threshold, as the judge measures it.
    fn alike(&self) -> Vec<(usize, usize)> {
        let offsets = vec![0; self.docs.len() + 1];
        let evidence = Evidence {
            words: &self.words,
            word_shingles: IdSets { offsets: &self.ids.0, values: &self.ids.1 },
            word_hashes: HashSets { offsets: &offsets, values: &[] },
            character_shingles: self.texts().character_shingles,
        };
        let near = |a: usize, b: usize| {
            let counts = evidence.count_shingles(SetIntersector::detect(), a, b);
            counts.union() > 0 && 5 * counts.shared >= 4 * counts.union()
        };
        let pairs = (0..self.docs.len()).flat_map(|a| (0..a).map(move |b| (a, b)));
        pairs.filter(|&(a, b)| near(a, b)).collect()
    }

    /// All edges that places of this number grow.
    fn edges(&self, order: Frequencies<&[u8]>, places: u32) -> DocumentEdges {
        self.grown(places, |row, sent| append_records(self.texts(), row, order, THRESHOLD, sent))
    }

    /// All edges that these records make.
    fn grown(&self, places: u32, send: impl Fn(usize, &mut Vec<u8>)) -> DocumentEdges {
        let sent: Vec<Vec<u8>> = (0..self.docs.len())
            .map(|row| {
                let mut bytes = Vec::new();
                send(row, &mut bytes);
                bytes
            })
            .collect();
        let (some, others) = sent.split_at(sent.len() / 3);
        let part = |sent: &[Vec<u8>]| {
            concatenate_records_by_place(sent.iter().map(Vec::as_slice), places).unwrap()
        };
        let (some, others) = (part(some), part(others));
        let mut all = DocumentEdges::default();
        for (one, other) in some.iter().zip(&others) {
            let arrived = [other.as_slice(), one.as_slice()];
            let found = connect_records(arrived.into_iter(), THRESHOLD, RADIUS, &|_| true).unwrap();
            all.left.extend(found.left);
            all.right.extend(found.right);
            all.left_size.extend(found.left_size);
            all.right_size.extend(found.right_size);
        }
        all
    }

    /// Per text the number of the component that edges make.
    fn components(&self, edges: &DocumentEdges) -> Vec<u32> {
        let row = |doc: &i64| self.docs.iter().position(|one| one == doc).unwrap() as u32;
        let rows = |docs: &[i64]| docs.iter().map(row).collect::<Vec<u32>>();
        find_components(self.docs.len(), &rows(&edges.left), &rows(&edges.right))
    }

    fn sample(&self, bits: u32) -> Vec<u8> {
        let mut found = Vec::new();
        (0..self.docs.len()).for_each(|row| append_cells(self.texts(), row, bits, &mut found));
        count_cells(found.into_iter(), bits)
    }
}

#[test]
fn every_pair_at_the_threshold_is_connected() {
    for seed in 0..6 {
        let corpus = Corpus::new(seed, 40, 1 + seed % 5);
        let alike = corpus.alike();
        assert_eq!(alike.is_empty(), seed % 5 == 0, "{} pairs", alike.len());
        for counts in [vec![], corpus.sample(4), corpus.sample(16)] {
            for places in [1, 7, 30] {
                let edges = corpus.edges(Frequencies::of_sample_or_all_equal(&counts), places);
                let found = corpus.components(&edges);
                for &(a, b) in &alike {
                    assert_eq!(found[a], found[b], "seed {seed}, {places} places, {a} and {b}");
                }
            }
        }
    }
}

/// Unrelated texts share a quarter of their shingles, and stay apart; what is connected does not
/// depend on how many places there are by more than an edge now and then.
#[test]
fn unrelated_texts_are_not_connected() {
    let corpus = Corpus::new(9, 60, 3);
    let edges = corpus.edges(Frequencies::of_sample_or_all_equal(&corpus.sample(16)), 3);
    let found = corpus.components(&edges);
    let across = (0..found.len()).filter(|&row| found[row] as usize / 3 != row / 3).count();
    assert!(across < 20, "{across} texts of other families than what they are connected with");
    assert!(edges.left.len() >= 60 && edges.left_size.iter().all(|&size| size > 0));
}

/// More sets than are taken pair by pair.
#[test]
fn large_families_are_connected_without_their_pairs() {
    let corpus = Corpus::new(4, 1, 1_500);
    let edges = corpus.edges(Frequencies::of_sample_or_all_equal(&corpus.sample(12)), 1);
    let found = corpus.components(&edges);
    for (a, b) in corpus.alike() {
        assert_eq!(found[a], found[b]);
    }
    assert!(edges.left.len() < 1_500);
}

/// Families of different sizes among common shingles, more than are taken pair by pair.
#[test]
fn large_groups_of_many_sizes_are_connected() {
    let corpus = Corpus::new(11, 150, 6);
    let edges = corpus.edges(Frequencies::of_sample_or_all_equal(&[]), 2);
    let found = corpus.components(&edges);
    let alike = corpus.alike();
    assert!(alike.len() > 100, "{} pairs", alike.len());
    for (a, b) in alike {
        assert_eq!(found[a], found[b], "{a} and {b}");
    }
}

/// Texts of 50 to 99 words are measured by their words among each other.
#[test]
fn many_sets_of_characters_that_are_not_compared_are_not_connected() {
    let (count, ids) = (600, (0..50).collect::<Vec<u32>>());
    let corpus = |words: u32| Corpus {
        docs: (0..count).collect(),
        words: (0..count).map(|doc| if doc == 0 { words } else { 60 }).collect(),
        hashes: (vec![0; count as usize + 1], vec![]),
        ids: (vec![0; count as usize + 1], vec![]),
        characters: ((0..=count).map(|doc| 50 * doc).collect(), ids.repeat(count as usize)),
    };
    let edges = |words| corpus(words).edges(Frequencies::of_sample_or_all_equal(&[]), 1).left.len();
    assert_eq!((edges(60), edges(40)), (0, count as usize - 1));
}

/// Short texts of one language share many shingles of characters: more than are taken pair by pair
/// meet, and only copies with a few changes are connected.
#[test]
fn unrelated_texts_that_share_many_characters_are_not_connected() {
    const SIZE: u64 = 240;
    let mut state = 21;
    let mut corpus = Corpus::default();
    corpus.characters.0.push(0);
    let mut of_family = Vec::new();
    for family in 0..500_i64 {
        // Low values are common: a third of a set is shared with an unrelated text.
        let mut value = || {
            let wide = random(&mut state) % 900 * (random(&mut state) % 900) / 900;
            (wide as u32, random(&mut state))
        };
        let base: Vec<u32> = (0..SIZE).map(|_| value().0).collect();
        for member in 0..2 {
            let changed = |&one: &u32| if value().1 % 20 == 0 { value().0 } else { one };
            let mut set: Vec<u32> = base.iter().map(changed).collect();
            set.sort_unstable();
            set.dedup();
            corpus.docs.push(2 * family + member);
            corpus.words.push(if family % 2 == 0 { 45 } else { 45 + 10 * member as u32 });
            corpus.characters.1.extend(&set);
            corpus.characters.0.push(corpus.characters.1.len() as i64);
            of_family.push(family);
        }
    }
    corpus.hashes.0 = vec![0; of_family.len() + 1];
    corpus.ids.0 = vec![0; of_family.len() + 1];
    let alike = corpus.alike();
    assert!(alike.len() > 300, "{} pairs", alike.len());
    let edges = corpus.edges(Frequencies::of_sample_or_all_equal(&[]), 1);
    let found = corpus.components(&edges);
    for &(a, b) in &alike {
        assert_eq!(found[a], found[b], "{a} and {b}");
    }
    let across = (0..found.len()).filter(|&row| of_family[found[row] as usize] != of_family[row]);
    assert_eq!(across.count(), 0);
}

/// Sets that are met by one value, by two and both ways, of a size and of the least and the
/// greatest that may resemble it; in one place, and in more than there are ranges.
#[test]
fn sets_of_every_size_are_connected_by_one_value_or_by_two() {
    let mut state = 5;
    let mut corpus = Corpus::default();
    corpus.characters.0.push(0);
    for size in (1..=40).chain([200, 800, 818, 820, 1_000, 1_022, 1_024, 1_026, 1_200]) {
        let of = |share: u64| (size * share).div_ceil(100);
        let set: Vec<u32> = (0..of(125)).map(|_| random(&mut state) as u32).collect();
        for count in [of(80), size, size, of(125) - 1] {
            let mut some = set[..count as usize].to_vec();
            if let Some(last) = some.last_mut().filter(|_| random(&mut state).is_multiple_of(2)) {
                *last = random(&mut state) as u32;
            }
            some.sort_unstable();
            corpus.docs.push(random(&mut state) as i64);
            corpus.words.push(30 + random(&mut state) as u32 % 40);
            corpus.characters.1.extend(&some);
            corpus.characters.0.push(corpus.characters.1.len() as i64);
        }
    }
    corpus.hashes.0 = vec![0; corpus.docs.len() + 1];
    corpus.ids.0 = vec![0; corpus.docs.len() + 1];
    let alike = corpus.alike();
    assert!(alike.len() > 100, "{} pairs", alike.len());
    for places in [1, 8, 9, 100] {
        let edges = corpus.edges(Frequencies::of_sample_or_all_equal(&corpus.sample(16)), places);
        let found = corpus.components(&edges);
        for &(a, b) in &alike {
            assert_eq!(found[a], found[b], "{places} places, {a} and {b}");
        }
    }
}

#[test]
fn rough_counts_ascend() {
    let counts: Vec<u8> =
        (0..400).map(|times| count_cells(std::iter::repeat_n(1, times), 1)[1]).collect();
    assert!((0..32).all(|at| usize::from(counts[at]) == at), "{counts:?}");
    assert!(counts.is_sorted() && counts[399] > counts[300], "{counts:?}");
}

/// Bands that miss less than one pair in 10^7 at the threshold miss none here; few that are wide
/// miss some.
#[test]
fn bands_nominate_as_many_as_they_promise() {
    let corpus = Corpus::new(5, 40, 5);
    let alike = corpus.alike();
    let missed = |count: usize, width: usize| {
        let family = minhash::make_permutations(count * width);
        let send = |row: usize, sent: &mut Vec<u8>| {
            append_bands(corpus.texts(), row, &family, (count, width), sent);
        };
        let found = corpus.components(&corpus.grown(2, send));
        alike.iter().filter(|&&(a, b)| found[a] != found[b]).count()
    };
    assert_eq!(missed(32, 4), 0);
    assert!(missed(2, 32) > alike.len() / 2);
}

#[test]
fn bytes_that_were_not_sent_are_refused() {
    let corpus = Corpus::new(1, 1, 1);
    let mut bytes = Vec::new();
    append_records(
        corpus.texts(),
        0,
        Frequencies::of_sample_or_all_equal(&[]),
        THRESHOLD,
        &mut bytes,
    );
    for cut in [1, 20, bytes.len() - 1] {
        let part = &bytes[..cut];
        assert_eq!(concatenate_records_by_place([part].into_iter(), 2), Err(KernelError::Damaged));
        let found = connect_records([part].into_iter(), THRESHOLD, RADIUS, &|_| true);
        assert_eq!(found, Err(KernelError::Damaged));
    }
    let mut other = bytes.clone();
    other[8] |= 7;
    assert_eq!(
        concatenate_records_by_place([&other[..]].into_iter(), 2),
        Err(KernelError::Damaged)
    );
    assert_eq!(concatenate_records_by_place(std::iter::empty(), 2), Ok(vec![vec![], vec![]]));
}

#[test]
fn a_head_says_its_kind_and_one_of_no_kind_is_refused() {
    let head = |kind: SetKind, by_twos| {
        let (words, bits) = (SetSketch::MinHash([1; 2]), SetSketch::Bitmap([2; 4]));
        let sketch = if kind.is_of_characters { bits } else { words };
        Head { doc: 3, sketch, size: 4, kind, by_twos, count: 0 }
    };
    let sent_and_read = |head: Head| {
        let (mut bytes, mut heads) = (Vec::new(), Vec::new());
        head.write(&mut bytes);
        each_sent_set(&bytes, |head, _| {
            heads.push(head);
            Ok(())
        })?;
        Ok(heads)
    };
    let none = SetKind { is_of_characters: true, length: LengthClass::Long };
    for by_twos in [false, true] {
        for kind in SetKind::ALL.into_iter().filter(|kind| kind.is_of_characters || !by_twos) {
            let head = head(kind, by_twos);
            assert_eq!(sent_and_read(head), Ok(vec![head]));
        }
        assert_eq!(sent_and_read(head(none, by_twos)), Err(KernelError::Damaged));
    }
}
