#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use super::*;
use crate::digest::{self, Digester};
use crate::shingles::{Shingler, Shingling};
use crate::text::Normalisation::{self, Fold};
use crate::text::Normalised;
use crate::tokens::{self, Tokens, Unit};
use crate::utf8;
use ilk_joins::simd::each_level;

const RULE: EvidenceRule = EvidenceRule {
    shingle: 3,
    characters: 3,
    characters_below: 100,
    bounds: [0, u32::MAX],
    large: 2048,
    masks: Masks::NONE,
    base: None,
    shifts: &[],
};

/// The sets of the ids and of the hashes of a text's shingles; the ids of characters are inverted.
fn id_set_and_hash_set(text: Option<&str>, shingling: Shingling) -> (Column<u32>, Column<u64>) {
    let mut shingler = Shingler::default();
    let hash = |text| shingler.hash_shingles(text, shingling).to_vec();
    let mut hashes = text.map_or(Vec::new(), hash);
    hashes.sort_unstable();
    hashes.dedup();
    let id = |&hash: &u64| match shingling.unit {
        Unit::Words => ilk_joins::hash::id_of_hash(hash),
        Unit::Characters => !ilk_joins::hash::id_of_hash(hash),
    };
    let mut ids: Vec<u32> = hashes.iter().map(id).collect();
    ids.sort_unstable();
    ids.dedup();
    (
        Column { offsets: vec![0, ids.len() as i64], values: ids },
        Column { offsets: vec![0, hashes.len() as i64], values: hashes },
    )
}

/// The same evidence from the rooms that define each part of it.
fn by_definition(texts: &[Option<&[u8]>], rule: EvidenceRule) -> Evidence {
    let mut expected = Evidence::default();
    for (row, bytes) in texts.iter().enumerate() {
        let text = bytes.map(utf8::decode_utf8_lossy);
        let shingling_of =
            |unit, width| Shingling { masks: rule.masks, ..Shingling::plain(unit, width, Fold) };
        let digested = |digest: fn(&mut Digester, &str, _) -> _| {
            text.as_deref().and_then(|text| digest(&mut Digester::new(rule.masks), text, Fold))
        };
        expected.bytes_digests.push(bytes.map(digest::digest_bytes));
        expected.lengths.push(bytes.map_or(0, <[u8]>::len) as i64);
        let word = Shingling { masks: rule.masks, ..Shingling::plain(Unit::Words, 1, Fold) };
        let count = |text| Shingler::default().hash_shingles(text, word).len();
        let words = text.as_deref().map_or(0, count);
        let [least, most] = rule.bounds;
        expected.words.push(if words == 0 { 0 } else { (words as u32).clamp(least, most) });
        let none = Column { offsets: vec![0, 0], values: Vec::new() };
        let (mut ids, mut hashes) =
            id_set_and_hash_set(text.as_deref(), shingling_of(Unit::Words, rule.shingle));
        let had_some = !ids.values.is_empty();
        if let Some(base) = rule.base {
            hashes.values.retain(|&hash| !base.has(hash));
            ids.values =
                hashes.values.iter().map(|&hash| ilk_joins::hash::id_of_hash(hash)).collect();
            ids.values.dedup();
            ids.offsets = vec![0, ids.values.len() as i64];
            hashes.offsets = vec![0, hashes.values.len() as i64];
        }
        let is_left = !ids.values.is_empty() || !had_some;
        expected.digests.push(digested(Digester::digest_text).filter(|_| is_left));
        expected
            .masked_digests
            .push(digested(Digester::digest_text_with_figures_as_zero).filter(|_| is_left));
        let large = ids.values.len() > rule.large;
        let none_offsets = none.offsets.clone();
        let rest = text.as_deref().map(|text| text_without_base(text, rule));
        let characters = || {
            let width = rule.characters;
            let bare = Shingling::plain(Unit::Characters, width, Normalisation::None);
            let own = shingling_of(Unit::Characters, width);
            let shingling = if rule.base.is_some() { bare } else { own };
            id_set_and_hash_set(rest.as_deref(), shingling).0
        };
        let mut characters = if words < rule.characters_below { characters() } else { none };
        if let Some(&by) = rule.shifts.get(row) {
            shift_by_definition(&mut ids.values, |id| id.wrapping_add(by));
            shift_by_definition(&mut hashes.values, |hash| hash.wrapping_add(u64::from(by) << 32));
            shift_by_definition(&mut characters.values, |id| id.wrapping_add(by));
            expected.shifts.push(by);
        }
        expected.word_shingles.append(&mut ids).unwrap();
        let mut few = Column { offsets: none_offsets, values: Vec::new() };
        expected.word_hashes.append(if large { &mut hashes } else { &mut few }).unwrap();
        expected.character_shingles.append(&mut characters).unwrap();
    }
    expected
}

fn shift_by_definition<T: Ord>(set: &mut [T], shifted: impl Fn(&T) -> T) {
    set.iter_mut().for_each(|number| *number = shifted(number));
    set.sort_unstable();
}

/// A text without the words of the base, if there is one, word by word.
fn text_without_base(text: &str, rule: EvidenceRule) -> String {
    let Some(base) = rule.base else { return text.to_owned() };
    let mut normalised = Normalised::default();
    normalised.set_text(text, Fold);
    rule.masks.apply_and_forget_origins(&mut normalised);
    crate::text::collapse_spaces(&mut normalised.bytes);
    let bare = String::from_utf8(normalised.bytes.clone()).unwrap();
    let mut tokens = Tokens::default();
    normalised.set_text(&bare, Normalisation::None);
    tokens::cut_words(&normalised, &mut tokens);
    let word = Shingling::plain(Unit::Words, 1, Normalisation::None);
    let mut shingler = Shingler::default();
    let words: Vec<u64> = shingler.hash_shingles(&bare, word).to_vec();
    let width = rule.shingle.clamp(1, words.len().max(1));
    let wide = Shingling { width, ..word };
    let shingles: Vec<u64> = shingler.hash_shingles(&bare, wide).to_vec();
    let stays = |at: usize| {
        (0..shingles.len())
            .all(|first| !(first..first + width).contains(&at) || !base.has(shingles[first]))
    };
    if (0..words.len()).all(stays) {
        return bare;
    }
    let mut rest = String::new();
    for at in (0..words.len()).filter(|&at| stays(at)) {
        let follows = at > 0 && stays(at - 1);
        let begin = if follows { tokens.ends[at - 1] } else { tokens.starts[at] };
        if !follows && !rest.is_empty() {
            rest.push(' ');
        }
        // Words of scripts without spaces overlap.
        rest.push_str(bare.get(begin..tokens.ends[at]).unwrap_or_default());
    }
    rest
}

/// The evidence of texts that come in two pieces.
fn of_texts<'a>(
    rows: usize,
    bytes: impl Fn(usize) -> Option<&'a [u8]> + Sync,
    rule: EvidenceRule,
    jobs: usize,
) -> Evidence {
    let (mut evidence, first) = (Evidence::default(), rows / 3);
    evidence.add(first, &bytes, rule.of_rows(0..first), jobs).unwrap();
    let rest = rule.of_rows(first..rows);
    evidence.add(rows - first, |row| bytes(first + row), rest, jobs).unwrap();
    evidence
}

/// Checks texts by a rule, and by others that ignore something.
fn check(texts: &[Option<&[u8]>], rule: EvidenceRule) {
    check_by(texts, rule);
    let spaced = Masks { punctuation_as_space: true, ..Masks::NONE };
    check_by(texts, EvidenceRule { masks: spaced, ..rule });
    check_by(
        texts,
        EvidenceRule { masks: Masks { accents: true, digits: true, ..spaced }, ..rule },
    );
    // A base of every second text, and one of nothing.
    let mut hashes = Vec::new();
    for text in texts.iter().flatten().step_by(2) {
        let shingling = Shingling::plain(Unit::Words, rule.shingle, Fold);
        hashes.extend_from_slice(
            Shingler::default().hash_shingles(&utf8::decode_utf8_lossy(text), shingling),
        );
    }
    check_by(texts, EvidenceRule { base: Some(&Base::new(hashes)), ..rule });
    check_by(texts, EvidenceRule { base: Some(&Base::default()), ..rule });
    // Of three groups, so that copies are in different ones.
    let groups =
        (0..texts.len()).map(|row| ilk_joins::sets::mix_group_to_added_offset(row as u32 % 3));
    check_by(texts, EvidenceRule { shifts: &groups.collect::<Vec<_>>(), ..rule });
}

#[test]
fn a_base_has_its_hashes_and_no_others() {
    let mut state = 9u64;
    for count in [0, 1, 3, 1000, 70_000] {
        let mut hashes: Vec<u64> = (0..2 * count)
            .map(|_| {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                state ^ state >> 33
            })
            .collect();
        let others = hashes.split_off(count);
        hashes.sort_unstable();
        let base = Base::new(hashes.iter().rev().chain(&hashes).copied().collect());
        assert!(hashes.iter().all(|&hash| base.has(hash)));
        assert!(others.iter().all(|hash| base.has(*hash) == hashes.binary_search(hash).is_ok()));
        let mut mixed: Vec<u64> =
            others.iter().zip(&hashes).flat_map(|(a, b)| [*a, *b, *a]).collect();
        let left: Vec<u64> = mixed.iter().copied().filter(|&hash| !base.has(hash)).collect();
        base.take_out(&mut mixed);
        assert_eq!(mixed, left);
    }
}

fn check_by(texts: &[Option<&[u8]>], rule: EvidenceRule) {
    let expected = by_definition(texts, rule);
    for jobs in [1, 2] {
        for found in each_level(|| of_texts(texts.len(), |row| texts[row], rule, jobs)) {
            // Part by part, since to show all of it would show nothing.
            assert_eq!(found.lengths, expected.lengths);
            assert_eq!(found.words, expected.words);
            let of = |digests: &Digests| digests.clone();
            for (found, expected, name) in [
                (of(&found.bytes_digests), of(&expected.bytes_digests), "bytes"),
                (of(&found.digests), of(&expected.digests), "digest"),
                (of(&found.masked_digests), of(&expected.masked_digests), "masked"),
            ] {
                let rows = 0..texts.len();
                let differs = rows.into_iter().find(|&row| {
                    found.values[row] != expected.values[row]
                        || found.known[row] != expected.known[row]
                });
                assert_eq!(differs, None, "{name} of {:?}", differs.map(|row| head(texts[row])));
            }
            assert!(found.word_shingles == expected.word_shingles, "word shingles");
            assert!(found.word_hashes == expected.word_hashes, "word hashes");
            assert!(found.character_shingles == expected.character_shingles, "characters");
            assert!(found == expected);
        }
    }
}

/// The beginning of a text, to tell which one it is.
fn head(text: Option<&[u8]>) -> String {
    let text = utf8::decode_utf8_lossy(text.unwrap_or_default()).into_owned();
    text.chars().take(200).collect()
}

/// A generator of numbers for these tests.
fn below(state: &mut u64, count: usize) -> usize {
    *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    (*state >> 33) as usize % count
}

#[test]
fn copies_of_long_texts_have_the_evidence_of_their_firsts() {
    let long = ["A  Word, 12 ", "other words 7", "x", "\u{A0}"].map(|part| part.repeat(120));
    let large: Vec<String> = (0..3000).map(|number| format!("word{number}")).collect();
    let large = large.join(" ");
    let mut state = 5;
    for count in [1, 2, 7, 40] {
        let any = |_| match below(&mut state, 7) {
            0 => None,
            1 => Some(&b"short"[..]),
            2 => Some(large.as_bytes()),
            other => Some(long[other - 3].as_bytes()),
        };
        let texts: Vec<Option<&[u8]>> = (0..count).map(any).collect();
        check(&texts, RULE);
        let (mut evidence, mut done) = (Evidence::default(), Evidence::default());
        for jobs in [1, 2] {
            evidence.add(count, |row| texts[row], RULE, jobs).unwrap();
            let handed = evidence.hand_over(&mut done).unwrap();
            assert_eq!(handed.word_hashes, by_definition(&texts, RULE).word_hashes.values);
        }
    }
}

/// Parts of texts that have gone wrong somewhere, or may: numbers and white space of any kind,
/// characters that join, grow or shrink, scripts with spaces and without.
const PARTS: [&str; 44] = [
    "a",
    "Word",
    "the",
    " ",
    "  ",
    "\n",
    "\t\r\n",
    "\u{A0}",
    "\u{2003}\u{3000}",
    "\u{85}",
    "\0",
    ".",
    ",",
    "..",
    ",.",
    "-",
    "7",
    "0",
    "12",
    "1,234.50",
    "3.",
    ".5",
    "٣",
    "٤٥",
    "६",
    "๗",
    "１２",
    "𝟘",
    "½",
    "²",
    "é",
    "e\u{301}",
    "\u{301}",
    "\u{327}",
    "ß",
    "ﬁ",
    "…",
    "Ж",
    "漢字",
    "ｶﾞ",
    "한국",
    "कि",
    "ก็ำ",
    "😀",
];

#[test]
fn short_texts_of_every_kind() {
    let mut state = 1;
    let texts: Vec<String> = (0..3000)
        .map(|length| {
            let parts = if length % 3 == 0 { PARTS.len() } else { 25 };
            (0..length % 60).map(|_| PARTS[below(&mut state, parts)]).collect()
        })
        .collect();
    let texts: Vec<_> = texts.iter().map(|text| Some(text.as_bytes())).collect();
    check(&texts, RULE);
    check(
        &texts,
        EvidenceRule { shingle: 1, characters: 1, characters_below: 3, large: 5, ..RULE },
    );
    check(
        &texts,
        EvidenceRule { shingle: 9, characters: 20, characters_below: usize::MAX, large: 0, ..RULE },
    );
    check(&texts, EvidenceRule { characters_below: 1, bounds: [100, u32::MAX], ..RULE });
}

#[test]
fn texts_that_are_none_or_no_utf_8() {
    let texts = [
        None,
        Some(&b""[..]),
        Some(b" \n\t"),
        Some(b"\0"),
        Some(b"caf\xe9 1,\xff2"),
        Some(b"\xed\xa0\x80"),
        Some(b"7"),
        None,
    ];
    check(&texts, RULE);
    check(&[], RULE);
}

#[test]
fn numbers_and_white_space_across_cuts() {
    let mut texts = Vec::new();
    // The text around a cut, from well before it to well after.
    for middle in [
        "1,234.5",
        "12",
        ",",
        ".",
        "  ",
        "\n\n",
        "\u{A0} \u{A0}",
        "٣,٤",
        "e\u{301}",
        "漢字",
        "1.",
        ".1",
    ] {
        for before in (1 << 14) - 9..(1 << 14) + 2 {
            for after in [" x", "1", ",5 6", "   ", ""] {
                let mut text = "w1 ".repeat(before / 3);
                text.push_str(&"7".repeat(before % 3));
                text.push_str(middle);
                text.push_str(after);
                texts.push(text);
            }
        }
    }
    let texts: Vec<_> = texts.iter().map(|text| Some(text.as_bytes())).collect();
    check(&texts, RULE);
}

#[test]
fn long_texts() {
    let mut state = 7;
    let mut any = |count: usize, parts: usize| -> String {
        (0..count).map(|_| PARTS[below(&mut state, parts)]).collect()
    };
    let mixed = [any(30_000, PARTS.len()), any(30_000, 25), any(60_000, 3), any(40_000, 20)];
    let words: String = (0..100_000u64).map(|i| format!("w{} ", i * i % 70_001)).collect();
    let distinct = |count: u32| (0..count).map(|i| format!("w{i} ")).collect::<String>();
    let texts = [
        words,
        distinct(2049),
        distinct(2050),
        distinct(2051),
        distinct(2052),
        "x".repeat(1 << 20),
        "漢".repeat(20_000),
        "7".repeat(100_000),
        "1,".repeat(50_000),
        " ".repeat(100_000),
        format!("{}a{}", "\n".repeat(40_000), " ".repeat(40_000)),
        "!?".repeat(50_000),
        "e\u{301}".repeat(30_000),
        "\u{301}".repeat(30_000),
        "ﷺ ".repeat(9_000),
    ];
    let texts: Vec<_> = texts.iter().chain(&mixed).map(|text| Some(text.as_bytes())).collect();
    check(&texts, RULE);
}

#[test]
fn rows_handed_over_are_those_that_would_have_been_kept() {
    let long: String = (0..3000u64).map(|i| format!("w{} ", i * i % 70_001)).collect();
    let texts = ["one two three four", &long, "", "five six seven eight nine", &long];
    for split in 0..=texts.len() {
        let (mut whole, mut part, mut done) = Default::default();
        let mut handed = Vec::new();
        let add = |to: &mut Evidence, texts: &[&str]| {
            to.add(texts.len(), |row| Some(texts[row].as_bytes()), RULE, 1).unwrap();
        };
        add(&mut whole, &texts);
        for texts in [&texts[..split], &texts[split..]] {
            add(&mut part, texts);
            handed.push(part.hand_over(&mut done).unwrap());
            assert_eq!(part, Evidence::default());
        }
        for Handed { word_shingles, word_hashes, character_shingles } in handed {
            done.word_shingles.values.extend(word_shingles);
            done.word_hashes.values.extend(word_hashes);
            done.character_shingles.values.extend(character_shingles);
        }
        assert_eq!(done, whole);
    }
}

#[test]
fn parts_that_are_gathered_in_any_order_give_the_same_rows() {
    let long = |name: &str| format!("{name} {}", "words of a text that is worth a look ".repeat(9));
    let texts: Vec<String> = (0..24).map(|at| long(&format!("text{}", at * at % 7))).collect();
    let of = |range: &Range<usize>, row: usize| Some(texts[range.start + row].as_bytes());
    let mut whole = Evidence::default();
    whole.add(texts.len(), |row| Some(texts[row].as_bytes()), RULE, 1).unwrap();
    let ranges: Vec<_> = [0, 1, 5, 6, 13, 24].windows(2).map(|ends| ends[0]..ends[1]).collect();
    for order in [[0, 1, 2, 3, 4], [4, 3, 2, 1, 0], [2, 4, 0, 3, 1]] {
        // After this many parts, those that are there are handed over.
        for handed in 0..=ranges.len() {
            let (mut evidence, mut done) = (Evidence::default(), Evidence::default());
            let originals = evidence.places_by_digest();
            let mut parts: Vec<_> = order
                .map(|number| {
                    let range = &ranges[number];
                    let part =
                        originals.gather_part(number, range.len(), |row| of(range, row), RULE);
                    (number, part.unwrap())
                })
                .into();
            parts.sort_by_key(|&(number, _)| number);
            for (number, part) in parts {
                if number == handed {
                    done = recycle_memory_of(&mut evidence, done);
                }
                evidence.append_part(part, |row| of(&ranges[number], row), RULE).unwrap();
            }
            assert!(
                recycle_memory_of(&mut evidence, done) == whole,
                "{order:?}, {handed} handed over"
            );
        }
    }
}

/// All rows, those that were handed over before and those that are handed over now.
fn recycle_memory_of(evidence: &mut Evidence, mut done: Evidence) -> Evidence {
    let handed = evidence.hand_over(&mut done).unwrap();
    done.word_shingles.values.extend(handed.word_shingles);
    done.word_hashes.values.extend(handed.word_hashes);
    done.character_shingles.values.extend(handed.character_shingles);
    done
}

#[test]
fn a_part_that_does_not_come_next_is_refused() {
    let mut evidence = Evidence::default();
    let part =
        evidence.places_by_digest().gather_part(1, 1, |_| Some(b"text".as_slice()), RULE).unwrap();
    assert_eq!(evidence.append_part(part, |_| None, RULE), Err(KernelError::UnorderedParts));
}
