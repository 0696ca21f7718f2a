//! Properties of characters: class and normal form.
//!
//! The answers come from the Unicode tables of the ICU4X crates, looked up once per code point and
//! kept. The classes are defined by general category and, for scripts written
//! without spaces, by the code point ranges of [`UNSPACED`], so that the definition can be
//! reimplemented from this file alone.

use std::sync::atomic::{AtomicU32, Ordering};

use icu_casemap::CaseMapper;
use icu_normalizer::{
    ComposingNormalizer, ComposingNormalizerBorrowed, DecomposingNormalizer,
    DecomposingNormalizerBorrowed,
};
use icu_properties::props::{CanonicalCombiningClass, GeneralCategory, WhiteSpace};
use icu_properties::{CodePointMapData, CodePointSetData};

/// Role of a character in a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum Class {
    /// Ends a word: punctuation, symbols, controls, unassigned.
    Separator,
    /// Ends a word, and counts as a space (Unicode White_Space).
    Space,
    /// Belongs to a word: general categories L and N.
    Word,
    /// Continues the word it is in: general category M.
    Mark,
    /// A letter or number of a script written without spaces between words.
    Unspaced,
}

/// Code points of scripts written without spaces: Thai, Lao, Myanmar, Khmer, Hiragana, Katakana,
/// Han (with radicals, Bopomofo excluded). Inclusive; after compatibility normalisation.
pub const UNSPACED: [(u32, u32); 17] = [
    (0x0E00, 0x0EFF),   // Thai, Lao.
    (0x1000, 0x109F),   // Myanmar.
    (0x1780, 0x17FF),   // Khmer.
    (0x2E80, 0x2FDF),   // CJK and Kangxi radicals.
    (0x3005, 0x3007),   // Ideographic iteration mark, closing mark, zero.
    (0x3021, 0x302F),   // Hangzhou numerals and tone marks.
    (0x3031, 0x303C),   // Kana repeat marks, Hangzhou numerals.
    (0x3040, 0x30FF),   // Hiragana, Katakana.
    (0x31F0, 0x31FF),   // Katakana phonetic extensions.
    (0x3400, 0x4DBF),   // CJK extension A.
    (0x4E00, 0x9FFF),   // CJK unified ideographs.
    (0xA9E0, 0xA9FF),   // Myanmar extended B.
    (0xAA60, 0xAA7F),   // Myanmar extended A.
    (0xF900, 0xFAFF),   // CJK compatibility ideographs.
    (0x116D0, 0x116FF), // Myanmar extended C.
    (0x1AFF0, 0x1B16F), // Kana extensions and supplement.
    (0x20000, 0x3FFFF), // The ideographic planes.
];

/// Normal form of a character: by NFKC, case folding, and white space as plain spaces.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rewrite {
    /// Stays as it is.
    Keep,
    /// Becomes this one character.
    To(char),
    /// Its normal form is longer: ask the tables.
    Slow,
    /// It may combine with what is before it: ask the tables, about both.
    Joins,
}

/// One code point: low 21 bits the character it becomes, then two bits of rewrite, three of its
/// class, three of the class of what it becomes, one that says that it was looked up, and one for a
/// numeral.
type Entry = u32;
const REWRITE_SHIFT: u32 = 21;
const CLASS_SHIFT: u32 = 23;
const NEW_CLASS_SHIFT: u32 = 26;
const KNOWN: Entry = 1 << 29;
const NUMERAL: Entry = 1 << 30;

/// Entries of the code points that were looked up. Pages of others are never touched.
static TABLE: [AtomicU32; 0x11_0000] = [const { AtomicU32::new(0) }; 0x11_0000];

#[inline]
fn entry_of(c: char) -> Entry {
    let slot = &TABLE[c as usize];
    let known = slot.load(Ordering::Relaxed);
    if known != 0 {
        return known;
    }
    // Threads that look it up at the same time find the same.
    let entry = compute_entry(c) | KNOWN;
    slot.store(entry, Ordering::Relaxed);
    entry
}

/// The class of a character.
#[inline]
pub fn class(c: char) -> Class {
    class_from(entry_of(c) >> CLASS_SHIFT)
}

#[inline]
fn class_from(bits: u32) -> Class {
    match bits & 7 {
        0 => Class::Separator,
        1 => Class::Space,
        2 => Class::Word,
        3 => Class::Mark,
        _ => Class::Unspaced,
    }
}

/// Return whether an ASCII byte is white space (Unicode White_Space below U+0080).
#[inline]
pub fn is_ascii_space(byte: u8) -> bool {
    matches!(byte, b'\t'..=b'\r' | b' ')
}

/// Return whether a character is a decimal digit: general category Nd.
pub fn is_digit(c: char) -> bool {
    CodePointMapData::<GeneralCategory>::new().get(c) == GeneralCategory::DecimalNumber
}

/// Return whether a character is the sign of a currency: general category Sc.
pub fn is_currency(c: char) -> bool {
    CodePointMapData::<GeneralCategory>::new().get(c) == GeneralCategory::CurrencySymbol
}

/// Return whether NFKC does so: to superscripts, fractions, numbers in circles, squares of units.
/// Digits of another width or font are digits still.
#[inline]
pub fn loses_number_in_nfkc(c: char) -> bool {
    entry_of(c) & NUMERAL != 0
}

/// Normal form of a character, and the class of the one character that it stays or becomes.
#[inline]
pub fn rewrite(c: char) -> (Rewrite, Class) {
    let entry = entry_of(c);
    let rewrite = match (entry >> REWRITE_SHIFT) & 3 {
        0 => Rewrite::Keep,
        1 => char::from_u32(entry & 0x1F_FFFF).map_or(Rewrite::Slow, Rewrite::To),
        2 => Rewrite::Slow,
        _ => Rewrite::Joins,
    };
    (rewrite, class_from(entry >> NEW_CLASS_SHIFT))
}

/// The class of the character of a code point, if folding keeps it as it is. It is known once the
/// character was looked up.
#[inline]
pub fn class_if_known_and_kept(code: u32) -> Option<Class> {
    let entry = TABLE.get(code as usize)?.load(Ordering::Relaxed);
    let keep = entry & (KNOWN | 3 << REWRITE_SHIFT) == KNOWN;
    keep.then(|| class_from(entry >> CLASS_SHIFT))
}

/// The NFKC form of a text.
pub fn nfkc(text: &str) -> std::borrow::Cow<'_, str> {
    const NFKC: ComposingNormalizerBorrowed<'static> = ComposingNormalizer::new_nfkc();
    NFKC.normalize(text)
}

/// The NFC form of a text.
pub fn nfc(text: &str) -> std::borrow::Cow<'_, str> {
    const NFC: ComposingNormalizerBorrowed<'static> = ComposingNormalizer::new_nfc();
    NFC.normalize(text)
}

/// The text without its accents, in NFC: once it is decomposed, without the marks that are above,
/// below or beside a letter of any script (combining class 200, which is `AttachedBelowLeft`, or
/// more).
pub fn without_accents(text: &str) -> String {
    const NFD: DecomposingNormalizerBorrowed<'static> = DecomposingNormalizer::new_nfd();
    let classes = CodePointMapData::<CanonicalCombiningClass>::new();
    let letters = NFD.normalize(text);
    let kept =
        letters.chars().filter(|&c| classes.get(c) < CanonicalCombiningClass::AttachedBelowLeft);
    nfc(&kept.collect::<String>()).into_owned()
}

/// The full case folding of a text.
pub fn fold(text: &str) -> std::borrow::Cow<'_, str> {
    CaseMapper::new().fold_string(text)
}

fn compute_entry(c: char) -> Entry {
    let class = class_of(c);
    let mut buffer = [0; 4];
    let text = c.encode_utf8(&mut buffer);
    let normal = nfkc(text);
    let folded = fold(&normal);
    let (kind, becomes) = match (only_char(&normal), only_char(&folded)) {
        _ if is_restless(c) || normal.chars().next().is_some_and(is_restless) => (3, 0),
        (Some(_), Some(f)) if class_of(f) == Class::Space => (1, ' ' as u32),
        (Some(_), Some(f)) if f == c => (0, c as u32),
        (Some(_), Some(f)) => (1, f as u32),
        _ => (2, 0),
    };
    let new_class = char::from_u32(becomes).map_or(class, class_of);
    let numeral = if *normal != *text && loses_number(c, &normal) { NUMERAL } else { 0 };
    becomes
        | kind << REWRITE_SHIFT
        | (class as u32) << CLASS_SHIFT
        | (new_class as u32) << NEW_CLASS_SHIFT
        | numeral
}

/// Return whether a character that NFKC writes otherwise stands for a number, or has one in it.
fn loses_number(c: char, normal: &str) -> bool {
    use GeneralCategory as G;
    match CodePointMapData::<GeneralCategory>::new().get(c) {
        G::DecimalNumber => false,
        G::LetterNumber | G::OtherNumber => true,
        _ => normal.chars().any(is_digit),
    }
}

fn only_char(text: &str) -> Option<char> {
    let mut chars = text.chars();
    chars.next().filter(|_| chars.next().is_none())
}

fn class_of(c: char) -> Class {
    use GeneralCategory as G;
    let unspaced = UNSPACED.iter().any(|&(low, high)| (low..=high).contains(&(c as u32)));
    match CodePointMapData::<GeneralCategory>::new().get(c) {
        _ if CodePointSetData::new::<WhiteSpace>().contains(c) => Class::Space,
        G::NonspacingMark | G::SpacingMark | G::EnclosingMark => Class::Mark,
        G::UppercaseLetter
        | G::LowercaseLetter
        | G::TitlecaseLetter
        | G::ModifierLetter
        | G::OtherLetter
        | G::DecimalNumber
        | G::LetterNumber
        | G::OtherNumber => {
            if unspaced {
                Class::Unspaced
            } else {
                Class::Word
            }
        }
        _ => Class::Separator,
    }
}

/// Return whether a character may combine with what is before it, or change places with it.
fn is_restless(c: char) -> bool {
    let class = CodePointMapData::<CanonicalCombiningClass>::new().get(c);
    let composes = SECONDS.iter().any(|&(low, high)| (low..=high).contains(&(c as u32)));
    class != CanonicalCombiningClass::NotReordered || composes
}

/// Starters (combining class 0) that compose with a starter before them: the conjoining jamo of
/// Hangul, and vowel signs of Indic scripts. Inclusive.
const SECONDS: [(u32, u32); 32] = [
    (0x09BE, 0x09BE),
    (0x09D7, 0x09D7),
    (0x0B3E, 0x0B3E),
    (0x0B56, 0x0B57),
    (0x0BBE, 0x0BBE),
    (0x0BD7, 0x0BD7),
    (0x0CC2, 0x0CC2),
    (0x0CD5, 0x0CD6),
    (0x0D3E, 0x0D3E),
    (0x0D57, 0x0D57),
    (0x0DCF, 0x0DCF),
    (0x0DDF, 0x0DDF),
    (0x0FB5, 0x0FB5),
    (0x0FB7, 0x0FB7),
    (0x102E, 0x102E),
    (0x1100, 0x11FF),
    (0x1B35, 0x1B35),
    (0x11127, 0x11127),
    (0x1133E, 0x1133E),
    (0x11357, 0x11357),
    (0x113B8, 0x113B8),
    (0x113BB, 0x113BB),
    (0x113C2, 0x113C2),
    (0x113C9, 0x113C9),
    (0x114B0, 0x114B0),
    (0x114BA, 0x114BA),
    (0x114BD, 0x114BD),
    (0x115AF, 0x115AF),
    (0x11930, 0x11930),
    (0x1611E, 0x16120),
    (0x16129, 0x16129),
    (0x16D67, 0x16D67),
];

#[cfg(test)]
mod tests {
    use icu_normalizer::properties::{CanonicalDecomposition, Decomposed};

    use super::*;

    #[test]
    fn classes_of_well_known_characters() {
        for (c, expected) in [
            ('a', Class::Word),
            ('7', Class::Word),
            ('é', Class::Word),
            ('½', Class::Word),
            ('\u{301}', Class::Mark),
            ('漢', Class::Unspaced),
            ('ー', Class::Unspaced),
            ('ก', Class::Unspaced),
            ('한', Class::Word),
            (' ', Class::Space),
            ('\u{2028}', Class::Space),
            ('_', Class::Separator),
            ('\0', Class::Separator),
            ('—', Class::Separator),
            ('\u{10FFFF}', Class::Separator),
        ] {
            assert_eq!(class(c), expected, "{c:?}");
        }
    }

    #[test]
    fn all_that_composes_with_what_stands_before_it_is_restless() {
        let decomposition = CanonicalDecomposition::new();
        let mut missing = Vec::new();
        for c in '\0'..=char::MAX {
            if let Decomposed::Expansion(_, second) = decomposition.decompose(c)
                && !is_restless(second)
            {
                missing.push(second as u32);
            }
        }
        assert!(missing.is_empty(), "{missing:X?}");
    }

    #[test]
    fn numerals_are_what_folding_takes_a_number_from() {
        for c in ['²', '₂', '½', '①', '⑴', '⒈', 'Ⅳ', '㊀', '㎡', '㋀', '🄁'] {
            assert!(loses_number_in_nfkc(c), "{c}");
        }
        for c in ['2', '２', '𝟐', '٣', '❶', '一', '〇', 'a', 'ª', 'é', 'ﬁ', '％', '™', '\u{F9D1}']
        {
            assert!(!loses_number_in_nfkc(c), "{c}");
        }
    }

    #[test]
    fn rewrites_of_well_known_characters() {
        assert_eq!(rewrite('a').0, Rewrite::Keep);
        assert_eq!(rewrite('A').0, Rewrite::To('a'));
        assert_eq!(rewrite('Ж').0, Rewrite::To('ж'));
        assert_eq!(rewrite('，').0, Rewrite::To(','));
        assert_eq!(rewrite('\u{A0}').0, Rewrite::To(' '));
        assert_eq!(rewrite('\u{2028}').0, Rewrite::To(' '));
        assert_eq!(rewrite('ß').0, Rewrite::Slow);
        assert_eq!(rewrite('ﬁ').0, Rewrite::Slow);
        assert_eq!(rewrite('\u{301}').0, Rewrite::Joins);
        assert_eq!(rewrite('ﾞ').0, Rewrite::Joins);
    }
}
