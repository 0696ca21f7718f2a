use super::*;
use ilk_joins::simd::each_level;

#[test]
fn every_level_keeps_what_folding_keeps() {
    let kept: Vec<char> = "aZ9 _\0éßя漢ー한\u{20000}😀—".chars().filter(|&c| keeps(c)).collect();
    assert_eq!(kept.len(), 14);
    let mut state = 1u64;
    let mut next = |below: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (state >> 33) as usize % below
    };
    for length in (0..200).chain([3000]) {
        for ascii in [0, 3, 50] {
            for stop in [None, Some('\u{301}'), Some('Я'), Some('\u{A0}'), Some('ﬁ')] {
                let mut text: Vec<char> = Vec::new();
                text.resize_with(length, || match next(ascii + 1) {
                    0 => kept[next(kept.len())],
                    _ => char::from(next(128) as u8),
                });
                let run: String = text.iter().collect();
                let text = run.clone() + &stop.map_or(String::new(), |c| format!("{c}x{run}"));
                let mut expected = b"Before".to_vec();
                expected.extend(run.to_ascii_lowercase().bytes());
                let beyond = run.chars().filter(|c| !c.is_ascii());
                let classes: Vec<Class> = beyond.map(characters::class).collect();
                for found in each_level(|| {
                    let (mut to, mut classes) = (b"Before".to_vec(), vec![]);
                    (push_prefix_kept_by_folding(&text, &mut to, &mut classes), to, classes)
                }) {
                    assert_eq!(found, (run.len(), expected.clone(), classes.clone()), "{text:?}");
                }
            }
        }
    }
}

fn keeps(c: char) -> bool {
    c.is_ascii() || characters::rewrite(c).0 == Rewrite::Keep
}

#[test]
fn every_level_collapses_white_space() {
    let mut state = 1u64;
    for length in (0..300).chain([5000]) {
        for alphabet in ["a \n", " ", "\t\u{b}\u{c}\r\u{8}\u{e} ", "word word", "é\u{a0}  "] {
            let bytes: Vec<u8> = (0..length)
                .map(|_| {
                    state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                    alphabet.as_bytes()[(state >> 33) as usize % alphabet.len()]
                })
                .collect();
            let mut expected = Vec::new();
            for (i, &byte) in bytes.iter().enumerate() {
                if !is_ascii_space(byte) {
                    expected.push(byte);
                } else if i > 0 && !is_ascii_space(bytes[i - 1]) {
                    expected.push(b' ');
                }
            }
            for found in each_level(|| {
                let mut bytes = bytes.clone();
                let left = collapse(&mut bytes);
                bytes.truncate(left);
                bytes
            }) {
                assert_eq!(found, expected);
            }
        }
    }
}
