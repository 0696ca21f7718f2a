//! Every kernel of this room against its definition, word by word.

#![allow(clippy::unwrap_used)]

use std::collections::BTreeMap;

use super::*;
use crate::hamming::cases::Random;

impl Random {
    fn words(&mut self, count: usize, alphabet: usize) -> Vec<u64> {
        (0..count).map(|_| self.below(alphabet) as u64).collect()
    }
}

/// Words in documents, and what a second place must be in.
struct Case {
    hashes: Vec<u64>,
    ends: Vec<u64>,
    groups: Option<Vec<u32>>,
    /// Documents that only others are compared with; the groups are then these and the others.
    reference: usize,
    least: usize,
}

impl Case {
    fn random(random: &mut Random) -> Self {
        let alphabet = 1 + random.below(4);
        let count = random.below(60);
        let hashes = random.words(count, alphabet);
        let mut ends: Vec<u64> =
            (0..random.below(7)).map(|_| random.below(count + 1) as u64).collect();
        ends.push(count as u64);
        ends.sort_unstable();
        let groups =
            (random.below(2) == 0).then(|| ends.iter().map(|_| random.below(3) as u32).collect());
        let case = Self { hashes, ends, groups, reference: 0, least: 1 + random.below(8) };
        let reference = random.below(3).min(case.ends.len());
        if reference > 0 { case.with_reference(reference) } else { case }
    }

    fn with_reference(self, reference: usize) -> Self {
        let group = |document| u32::from(document >= reference);
        let groups = Some((0..self.ends.len()).map(group).collect());
        Self { groups, reference, ..self }
    }

    fn words(&self) -> Words<'_> {
        Words::new(&self.hashes, &self.ends).with_reference(self.reference)
    }

    fn blocks(&self) -> Blocks {
        find_blocks(self.words(), self.least, 1 + self.hashes.len() % 3, &|_| true).unwrap()
    }

    fn document(&self, word: usize) -> usize {
        self.words().document_of(word)
    }

    /// Return whether two places count as two: any different ones, or those of different groups.
    fn apart(&self, one: usize, other: usize) -> bool {
        match &self.groups {
            None => one != other,
            Some(groups) => groups[self.document(one)] != groups[self.document(other)],
        }
    }

    /// All places of the words from `start` to `end`, in no two documents.
    fn places(&self, start: usize, end: usize) -> Vec<usize> {
        let run = &self.hashes[start..end];
        let whole = |&at: &usize| {
            self.hashes[at..].starts_with(run)
                && (run.is_empty() || self.document(at) == self.document(at + run.len() - 1))
        };
        (0..self.hashes.len()).filter(whole).collect()
    }

    /// The places of the gram at `start`, if its words are of one document.
    fn gram(&self, start: usize) -> Vec<usize> {
        let end = start + self.least;
        let whole = end <= self.hashes.len() && self.document(start) == self.document(end - 1);
        if whole { self.places(start, end) } else { Vec::new() }
    }
}

/// The definition of [`Run`], over all runs of all documents.
fn expected_runs(case: &Case) -> Vec<Run> {
    let mut runs: Vec<(usize, usize, Vec<usize>)> = Vec::new();
    for document in 0..case.ends.len() {
        let range = case.words().range(document);
        let mut last = 0;
        for start in range.clone() {
            let end = (start + case.least..=range.end)
                .rev()
                .find(|&end| case.places(start, end).iter().any(|&at| case.apart(start, at)));
            if let Some(end) = end.filter(|&end| end > last) {
                last = end;
                runs.push((start, end, case.places(start, end)));
            }
        }
    }
    let mut passages: Vec<(usize, usize)> =
        runs.iter().map(|(start, end, places)| (places[0], end - start)).collect();
    passages.sort_unstable();
    passages.dedup();
    let run = |(start, end, places): (usize, usize, Vec<usize>)| Run {
        passage: passages.iter().position(|&p| p == (places[0], end - start)).unwrap() as u32,
        start: start as u32,
        end: end as u32,
        occurrences: places.len() as u32,
        other: *places.iter().find(|&&at| case.apart(start, at)).unwrap() as u32,
    };
    runs.into_iter().map(run).collect()
}

/// Return whether one place comes before another: by the rank of its document, then by itself.
fn is_before(case: &Case, ranks: Option<&[u32]>, one: usize, other: usize) -> bool {
    let order = |at: usize| (ranks.map_or(0, |ranks| ranks[case.document(at)]), at);
    order(one) < order(other)
}

/// Return whether each word is in a gram that a place before has.
fn expected_cuts(case: &Case, ranks: Option<&[u32]>) -> Vec<bool> {
    let mut cut = vec![false; case.hashes.len()];
    for start in 0..case.hashes.len() {
        let earlier = |&at: &usize| {
            let other = case.document(at) != case.document(start);
            let apart = match &case.groups {
                None => other || at + case.least <= start,
                Some(_) => case.apart(start, at),
            };
            apart && is_before(case, ranks, at, start)
        };
        if case.gram(start).iter().any(earlier) {
            cut[start..start + case.least].fill(true);
        }
    }
    cut
}

fn expected_shares(case: &Case) -> Vec<RepeatedWordCounts> {
    let group = |word: usize| {
        let document = case.document(word);
        case.groups.as_ref().map_or(document as u32, |groups| groups[document])
    };
    let mut shares = vec![RepeatedWordCounts::default(); case.ends.len()];
    let mut words = vec![[false; 3]; case.hashes.len()];
    for start in 0..case.hashes.len() {
        let places = case.gram(start);
        let apart = |&&at: &&usize| group(at) != group(start);
        let found = [
            places.len() > 1,
            places.iter().any(|at| apart(&at)),
            places.iter().filter(apart).any(|&at| case.document(at) < case.document(start)),
        ];
        for word in words.iter_mut().skip(start).take(case.least) {
            for (known, found) in word.iter_mut().zip(found) {
                *known |= found;
            }
        }
    }
    for (at, [any, elsewhere, before]) in words.into_iter().enumerate() {
        let share = &mut shares[case.document(at)];
        share.elsewhere += u32::from(elsewhere);
        share.before += u32::from(before);
        share.itself += u32::from(any && !elsewhere);
    }
    shares
}

/// The documents that go, taken one by one in the ranking.
fn expected_dropped(case: &Case, ranking: &[u32], held: usize, share: (u64, u64)) -> Vec<u32> {
    let group = |document: usize| match &case.groups {
        None => document as u32,
        Some(groups) => groups[document],
    };
    let (mut kept, mut dropped) = (Vec::new(), Vec::new());
    for &document in ranking {
        let range = case.words().range(document as usize);
        let mut covered = vec![false; case.hashes.len()];
        for start in range.clone() {
            let stands = |&at: &usize| {
                let other = case.document(at);
                kept.contains(&(other as u32)) && group(other) != group(document as usize)
            };
            if case.gram(start).iter().any(stands) {
                covered[start..start + case.least].fill(true);
            }
        }
        let covered = covered.into_iter().filter(|&covered| covered).count() as u64;
        if document as usize >= held && covered * share.1 > share.0 * range.len() as u64 {
            dropped.push(document);
        } else {
            kept.push(document);
        }
    }
    dropped.sort_unstable();
    dropped
}

fn check(case: &Case) {
    let blocks = case.blocks();
    let groups = case.groups.as_deref();
    let context = || format!("{:?} {:?} {:?} {}", case.hashes, case.ends, case.groups, case.least);
    let runs = blocks.find_runs(groups, &|_| true).unwrap();
    assert_eq!(runs, expected_runs(case), "{}", context());
    let places_of = |runs: &[Run]| -> Vec<_> {
        runs.iter().map(|run| (run.start, run.end, run.occurrences, run.other)).collect()
    };
    for documents in [0..0, 0..1, 1..3, 2..usize::MAX] {
        let is_in = |run: &Run| documents.contains(&case.document(run.start as usize));
        let expected: Vec<Run> = runs.iter().filter(|run| is_in(run)).copied().collect();
        let some = blocks.find_runs_in(documents.clone(), groups, &|_| true).unwrap();
        assert_eq!(places_of(&some), places_of(&expected), "{} {documents:?}", context());
    }
    for run in &runs {
        let places: Vec<usize> =
            blocks.find_places_of_run(run.start, run.end).iter().map(|&at| at as usize).collect();
        assert_eq!(places, case.places(run.start as usize, run.end as usize), "{}", context());
    }

    let count = case.ends.len() as u32;
    let backwards: Vec<u32> = (0..count).rev().collect();
    let turned: Vec<u32> = (0..count).map(|document| (document + count / 2) % count).collect();
    for ranks in [None, Some(&backwards[..]), Some(&turned[..])] {
        let mut cut = vec![false; case.hashes.len()];
        for one in blocks.find_words_with_earlier_place(groups, ranks) {
            let (start, end, earlier) =
                (one.start as usize, one.end as usize, one.earlier as usize);
            assert!(start < end && !cut[start..end].contains(&true), "{}", context());
            assert!(is_before(case, ranks, earlier, start), "{}", context());
            cut[start..end].fill(true);
            assert_eq!(case.hashes[start..end], case.hashes[earlier..earlier + end - start]);
        }
        assert_eq!(cut, expected_cuts(case, ranks), "{} {ranks:?}", context());
    }
    let shares = blocks.count_repeated_words(case.ends.len(), groups);
    assert_eq!(shares, expected_shares(case), "{}", context());

    let ranking: Vec<u32> = (0..case.ends.len() as u32).rev().collect();
    for (held, share) in [(0, (1, 2)), (1, (0, 1))] {
        let limit = crate::Ratio { numerator: share.0, denominator: share.1 };
        let dropped =
            blocks.find_documents_to_drop_above(case.words(), &ranking, held, limit, groups);
        assert_eq!(dropped, expected_dropped(case, &ranking, held, share), "{}", context());
    }
}

#[test]
fn all_of_it_is_as_defined() {
    let mut random = Random(1);
    for _ in 0..6_000 {
        check(&Case::random(&mut random));
    }
}

#[test]
fn documents_that_are_left_out_are_like_no_others() {
    let mut random = Random(5);
    for _ in 0..3_000 {
        let mut case = Case::random(&mut random);
        let Some(mut groups) = case.groups.clone() else { continue };
        let blocks = case.blocks();
        for (document, group) in groups.iter_mut().enumerate() {
            if random.below(3) == 0 {
                *group = LEFT_OUT;
                for word in case.words().range(document) {
                    case.hashes[word] = 1_000 + word as u64;
                }
            }
        }
        let found = blocks.find_runs(Some(&groups), &|_| true).unwrap();
        assert_eq!(found, expected_runs(&case), "{:?} {groups:?} {}", case.hashes, case.least);
    }
}

#[test]
fn longer_texts_that_share_parts_are_as_defined() {
    let mut random = Random(2);
    for _ in 0..100 {
        let alphabet = [2, 4, 30, 10_000][random.below(4)];
        let source = random.words(120, alphabet);
        let (mut hashes, mut ends) = (Vec::new(), Vec::new());
        for _ in 0..4 {
            for _ in 0..random.below(4) {
                let start = random.below(100);
                hashes.extend(&source[start..start + random.below(20)]);
                let own = random.below(8);
                hashes.extend(random.words(own, alphabet));
            }
            ends.push(hashes.len() as u64);
        }
        let case = Case { hashes, ends, groups: None, reference: 0, least: 1 + random.below(20) };
        check(&case);
        check(&case.with_reference(1));
    }
}

/// The blocks of a case that is gone through in parts, its words added some documents at a time.
fn in_parts(case: &Case, parts: usize, together: usize) -> Blocks {
    let (mut values, mut positions) = (Vec::new(), Vec::new());
    let mut base = 0;
    for ends in case.ends.chunks(together) {
        let end = ends[ends.len() - 1];
        let hashes = &case.hashes[base as usize..end as usize];
        let own: Vec<u64> = ends.iter().map(|end| end - base).collect();
        let words = Words::new(hashes, &own);
        let progress = Progress::stage(&|_| true, 0.0, 1.0);
        let (some, at) = select_grams(words, case.least, base as u32, 2, &progress).unwrap();
        values.extend(some);
        positions.extend(at);
        base = end;
    }
    let selected = Selected { values: &values, positions: &positions };
    let part = |number| {
        let part = ValuePart { number, of: parts };
        find_copies_of_part(case.words(), case.least, selected, part, &|_| true).unwrap()
    };
    // In any order.
    let parts = (0..parts).rev().map(|number| part(number).into_iter()).collect();
    make_blocks(case.words(), case.least, parts, &|_| true).unwrap()
}

#[test]
fn the_parts_make_the_whole_however_many_there_are() {
    let mut random = Random(4);
    for _ in 0..3_000 {
        let case = Case::random(&mut random);
        let (parts, together) = (1 + random.below(9), 1 + random.below(4));
        assert_eq!(in_parts(&case, parts, together), case.blocks());
    }
    for alphabet in [1, 2, 50] {
        let hashes = random.words(30_000, alphabet);
        let ends = vec![9_000, 9_000, 20_000, 30_000];
        let case = Case { hashes, ends, groups: None, reference: 0, least: 4 };
        assert_eq!(in_parts(&case, 5, 2), case.blocks());
    }
}

#[test]
fn a_passage_inside_a_longer_one_has_a_row_where_it_is_the_longest() {
    let text: Vec<u64> = (0..80).collect();
    let hashes = [&text[..], &text, &text[10..70]].concat();
    let case = Case { hashes, ends: vec![80, 160, 220], groups: None, reference: 0, least: 50 };
    let found = case.blocks().find_runs(None, &|_| true).unwrap();
    let run =
        |passage, start, end, occurrences, other| Run { passage, start, end, occurrences, other };
    let expected = [run(0, 0, 80, 2, 80), run(0, 80, 160, 2, 0), run(1, 160, 220, 3, 10)];
    assert_eq!(found, expected);
}

#[test]
fn runs_of_as_many_words_count_and_shorter_ones_do_not() {
    for (words, runs) in [(49, 0), (50, 2), (51, 2)] {
        let planted: Vec<u64> = (0..words).collect();
        let apart = |from: u64| from..from + 40;
        let hashes: Vec<u64> = apart(100)
            .chain(planted.iter().copied())
            .chain(apart(200))
            .chain(apart(300))
            .chain(planted.iter().copied())
            .collect();
        let ends = vec![80 + words, hashes.len() as u64];
        let case = Case { hashes, ends, groups: None, reference: 0, least: 50 };
        let found = case.blocks().find_runs(None, &|_| true).unwrap();
        assert_eq!(found.len(), runs);
        assert!(found.iter().all(|run| u64::from(run.end - run.start) == words));
    }
}

#[test]
fn a_word_repeated_keeps_its_first_gram_and_costs_no_square() {
    let count = 1_000_000;
    let case = Case {
        hashes: vec![7; count],
        ends: vec![count as u64],
        groups: None,
        reference: 0,
        least: 50,
    };
    let blocks = case.blocks();
    let end = count as u32;
    let runs = blocks.find_runs(None, &|_| true).unwrap();
    let spans: Vec<_> = runs.iter().map(|run| (run.start, run.end, run.occurrences)).collect();
    assert_eq!(spans, [(0, end - 1, 2), (1, end, 2)]);
    let cuts = blocks.find_words_with_earlier_place(None, None);
    let cut: u32 = cuts.iter().map(|cut| cut.end - cut.start).sum();
    assert_eq!((cuts[0].start, cut), (50, end - 50));
}

#[test]
fn however_words_are_cut_into_documents_nothing_crosses_an_end() {
    let mut counts = BTreeMap::new();
    let text: Vec<u64> = (0..30).chain(0..30).collect();
    for end in 0..=60u64 {
        let case = Case {
            hashes: text.clone(),
            ends: vec![end, 60],
            groups: None,
            reference: 0,
            least: 20,
        };
        check(&case);
        *counts.entry(case.blocks().find_runs(None, &|_| true).unwrap().len()).or_insert(0) += 1;
    }
    // The end cuts one of the two places off while fewer than 20 words are left on both sides.
    assert!(counts.len() > 1, "{counts:?}");
}

#[test]
fn a_watch_that_says_no_stops_the_work() {
    let mut random = Random(3);
    let hashes = random.words(200_000, 100_000);
    let ends = vec![hashes.len() as u64];
    let stopped = find_blocks(Words::new(&hashes, &ends), 5, 2, &|_| false);
    assert_eq!(stopped.err(), Some(KernelError::Interrupted));
}
