//! Naive oracles: tables of sums, filled cell by cell.

use super::*;
use ilk_joins::error::KernelError;
use ilk_joins::overlap::Ratio;

/// Levenshtein's distance by the table of Wagner and Fischer 1974.
fn naive(one: &[u32], other: &[u32]) -> usize {
    let mut row: Vec<usize> = (0..=other.len()).collect();
    for (i, a) in one.iter().enumerate() {
        let mut next = vec![i + 1];
        for (j, b) in other.iter().enumerate() {
            next.push((row[j] + usize::from(a != b)).min(row[j + 1] + 1).min(next[j] + 1));
        }
        row = next;
    }
    row[other.len()]
}

/// The least of all stretches.
fn naive_within(inner: &[u32], outer: &[u32]) -> usize {
    let ends = |start: usize| (start..=outer.len()).map(move |end| start..end);
    let stretches = (0..=outer.len()).flat_map(ends);
    stretches.map(|stretch| naive(inner, &outer[stretch])).min().unwrap_or(inner.len())
}

/// The least way to lay one text on the other: from every place to every place, all in turn.
fn naive_laid(one: &[u32], other: &[u32]) -> usize {
    let passed = |from: usize, to: usize| {
        if to >= from { (to - from).min(JUMP as usize) } else { JUMP as usize }
    };
    let mut sums = vec![0; other.len() + 1];
    for a in one {
        let reach = |to: usize| {
            let from = sums.iter().enumerate();
            from.map(|(from, sum)| sum + passed(from, to)).min().unwrap_or(0)
        };
        let reached: Vec<usize> = (0..=other.len()).map(reach).collect();
        let lost = reached.iter().map(|sum| sum + 1);
        let mut now: Vec<usize> = lost.collect();
        for (place, b) in other.iter().enumerate() {
            now[place + 1] = now[place + 1].min(reached[place] + usize::from(a != b));
        }
        sums = now;
    }
    sums.into_iter().min().unwrap_or(0)
}

/// Numbers that look random (Marsaglia's xorshift).
struct Draw(u64);

impl Draw {
    fn below(&mut self, most: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % most.max(1) as u64) as usize
    }

    fn text(&mut self, length: usize, letters: usize, wide: bool) -> Vec<u32> {
        let base = if wide { 0x4E00 } else { 97 };
        (0..length).map(|_| base + self.below(letters) as u32).collect()
    }

    /// A copy with some wrong characters.
    fn copied(&mut self, text: &[u32], wrong: usize) -> Vec<u32> {
        let mut copy = text.to_vec();
        for _ in 0..wrong {
            let at = self.below(copy.len());
            match self.below(3) {
                0 if at < copy.len() => copy[at] = 97 + self.below(26) as u32,
                1 if at < copy.len() => drop(copy.remove(at)),
                _ => copy.insert(at, 97 + self.below(26) as u32),
            }
        }
        copy
    }
}

fn bare(text: &[u32]) -> Bare {
    let narrow: Option<Vec<u8>> = text.iter().map(|&c| u8::try_from(c).ok()).collect();
    narrow.map_or_else(|| Bare::Wide(text.to_vec()), Bare::Narrow)
}

#[test]
fn distances_are_those_of_the_table() {
    let (mut draw, mut aligner) = (Draw(28), Aligner::default());
    for case in 0..1500 {
        let letters = [2, 4, 26][draw.below(3)];
        let length = [9, 70, 200, 700][draw.below(4)];
        let length = draw.below(length);
        let one = draw.text(length, letters, case % 5 == 0);
        let other = if case % 3 == 0 {
            let length = draw.below(length + 90);
            draw.text(length, letters, case % 7 == 0)
        } else {
            let wrong = draw.below(1 + length / 3);
            draw.copied(&one, wrong)
        };
        let expected = naive(&one, &other);
        let (a, b) = (bare(&one), bare(&other));
        for most in [expected, expected + 1, expected + 70, 10_000] {
            assert_eq!(
                measure_distance(&mut aligner, &a, &b, most),
                Some(expected),
                "{one:?} {other:?}"
            );
            assert_eq!(
                measure_distance(&mut aligner, &b, &a, most),
                Some(expected),
                "{one:?} {other:?}"
            );
        }
        if expected > 0 {
            for most in [0, expected / 2, expected - 1] {
                assert_eq!(measure_distance(&mut aligner, &a, &b, most), None, "{one:?} {other:?}");
            }
        }
    }
}

#[test]
fn a_text_within_another_is_where_it_fits_best() {
    let (mut draw, mut aligner) = (Draw(5), Aligner::default());
    for case in 0..150 {
        let letters = [2, 8][case % 2];
        let (inner, outer) = (draw.below(90), draw.below(30));
        let (inner, outer) =
            (draw.text(inner, letters, false), draw.text(outer, letters, case % 3 == 0));
        let found = measure_distance_within(&mut aligner, &bare(&inner), &bare(&outer));
        assert_eq!(found, naive_within(&inner, &outer), "{inner:?} {outer:?}");
    }
}

#[test]
fn parts_may_stand_in_any_order() {
    let (mut draw, mut aligner) = (Draw(7), Aligner::default());
    for case in 0..200 {
        let letters = [2, 26][case % 2];
        let length = draw.below(60);
        let one = draw.text(length, letters, false);
        let mut other = draw.copied(&one, case % 4);
        let turn = draw.below(other.len()).min(other.len());
        other.rotate_left(turn);
        let expected = naive_laid(&one, &other).max(naive_laid(&other, &one));
        let (a, b) = (bare(&one), bare(&other));
        assert_eq!(
            count_wrong_characters_with_moves(&mut aligner, &a, &b, expected),
            Some(expected),
            "{one:?} {other:?}"
        );
        if expected > 0 {
            assert_eq!(
                count_wrong_characters_with_moves(&mut aligner, &a, &b, expected - 1),
                None,
                "{one:?} {other:?}"
            );
        }
    }
}

#[test]
fn two_columns_in_another_order_are_one_text() {
    let (mut draw, mut aligner) = (Draw(3), Aligner::default());
    let text = draw.text(1200, 26, false);
    let other = [&text[700..], &text[..700]].concat();
    let (a, b) = (bare(&text), bare(&other));
    assert_eq!(count_wrong_characters_with_moves(&mut aligner, &a, &b, 100), Some(JUMP as usize));
    assert_eq!(measure_distance(&mut aligner, &a, &b, 100), None);
    let half = bare(&text[..700]);
    assert_eq!(
        count_wrong_characters_with_moves(&mut aligner, &half, &a, 100),
        None,
        "nothing may be missing"
    );
}

#[test]
fn bare_texts_have_no_case_punctuation_hyphens_or_spaces() {
    let mut barer = Barer::default();
    let cases = [
        ("Line-\nend hy\u{AD}phens, and SPACES!", "lineendhyphensandspaces"),
        ("ﬁne Straße №5", "finestrasseno5"),
        ("日本 語。", "日本語"),
        (" _-—…\u{0}", ""),
        ("e\u{301}te\u{301}", "été"),
    ];
    for (text, expected) in cases {
        let points: Vec<u32> = expected.chars().map(u32::from).collect();
        let found: Vec<u32> = barer.make_bare(text).code_points().collect();
        assert_eq!(found, points, "{text:?}");
        assert_eq!(barer.make_bare(text).is_empty(), expected.is_empty());
        let mut bytes = Vec::new();
        barer.append_bare(text, &mut bytes);
        assert_eq!(bytes, expected.as_bytes());
    }
}

#[test]
fn a_row_that_fails_again_and_again_is_passed_over() {
    let mut draw = Draw(11);
    let texts: Vec<Bare> = (0..6).map(|_| bare(&draw.text(100, 26, false))).collect();
    let (left, right) = ([0, 0, 0, 0, 1, 5], [1, 2, 3, 4, 2, 5]);
    let least = Ratio { numerator: 9, denominator: 10 };
    let asked = Conditions { least, scatter: 0.4, patience: 1, moves: u64::MAX };
    let found =
        align_pairs_in_order_with_patience(&texts, &left, &right, |_| true, asked, &|_| true);
    let (differ, over) = (Aligned::Differ, Aligned::PassedOver);
    assert_eq!(found, Ok(vec![differ, differ, differ, differ, over, Aligned::Agree(0)]));
    let stopped =
        align_pairs_in_order_with_patience(&texts, &left, &right, |_| true, asked, &|_| false);
    assert_eq!(stopped, Err(KernelError::Interrupted));
}
