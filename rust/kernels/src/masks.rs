//! Differences that a recipe or a comparison ignores: accents, digits, punctuation, white space.

use crate::characters::{self, Class};
use crate::text::{self, Normalisation, Normalised};

/// Parts that a normalised text loses before it is cut into tokens.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Masks {
    /// Letters lose their accents.
    pub accents: bool,
    /// Every run of decimal digits becomes one 0.
    pub digits: bool,
    /// All goes that is neither letter, mark, number nor white space.
    pub punctuation: bool,
    /// White space goes.
    pub spaces: bool,
    /// Puts white space in the place of punctuation, but for an apostrophe within a word: so words
    /// stay apart that only punctuation parts.
    pub punctuation_as_space: bool,
}

/// An apostrophe; normalisation leaves two of them.
const APOSTROPHES: [char; 2] = ['\'', '\u{2019}'];

impl Masks {
    /// No mask.
    pub const NONE: Self = Self {
        accents: false,
        digits: false,
        punctuation: false,
        spaces: false,
        punctuation_as_space: false,
    };

    /// Without a mask, where each byte came from is still known.
    pub fn apply_and_forget_origins(self, normalised: &mut Normalised) {
        if self != Self::NONE {
            let text = String::from_utf8_lossy(&normalised.bytes);
            let masked = self.apply_to_text(&text);
            // The second pass folds nothing, and so would say that there were none.
            let numerals = normalised.numerals;
            normalised.set_text(&masked, Normalisation::None);
            normalised.numerals = numerals;
        }
    }

    /// The pieces of a text that masks may be applied to one by one: nothing that they change
    /// depends on what is beyond white space.
    pub fn cut_into_independent_pieces(self, text: &str) -> impl Iterator<Item = &str> {
        let all = self == Self::NONE;
        text::pieces_before(text, move |byte| {
            if all { !byte.is_ascii_alphanumeric() } else { byte.is_ascii_whitespace() }
        })
    }

    fn apply_to_text(self, text: &str) -> String {
        let text = if self.accents { characters::without_accents(text) } else { text.to_owned() };
        let text = if self.punctuation_as_space {
            punctuation_to_space_without_apostrophes(&text)
        } else {
            text
        };
        let kept = text.chars().filter(|&c| match characters::class(c) {
            Class::Separator => !self.punctuation,
            Class::Space => !self.spaces,
            _ => true,
        });
        if !self.digits {
            return kept.collect();
        }
        let mut in_number = false;
        kept.filter_map(|c| {
            let digit = characters::is_digit(c);
            let again = digit && in_number;
            in_number = digit;
            (!again).then_some(if digit { '0' } else { c })
        })
        .collect()
    }
}

/// A text with white space instead of punctuation and symbols, and without apostrophes in words.
fn punctuation_to_space_without_apostrophes(text: &str) -> String {
    let in_word =
        |c: char| matches!(characters::class(c), Class::Word | Class::Mark | Class::Unspaced);
    let mut after_word = false;
    let mut chars = text.chars().peekable();
    let mut spaced = String::with_capacity(text.len());
    while let Some(c) = chars.next() {
        if after_word && APOSTROPHES.contains(&c) && chars.peek().is_some_and(|&c| in_word(c)) {
            continue;
        }
        after_word = in_word(c);
        spaced.push(if characters::class(c) == Class::Separator { ' ' } else { c });
    }
    spaced
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_mask_takes_its_own() {
        let none = Masks::default();
        for (masks, text, expected) in [
            (none, "é 12\u{A0}, x", "é 12 , x"),
            (Masks { accents: true, ..none }, "Ça e\u{301}té, Ä한 कि क़ が", "Ca ete, A한 कि क़ が"),
            (Masks { digits: true, ..none }, "a12 3.45 ٣٤x", "a0 0.0 0x"),
            (Masks { punctuation: true, ..none }, "it's 4 €—x\u{0}_!", "its 4 x"),
            (Masks { spaces: true, ..none }, " a\tb\u{3000}c\n", "abc"),
            (Masks { digits: true, punctuation: true, ..none }, "1,2 3", "0 0"),
            (
                Masks { punctuation_as_space: true, ..none },
                "it's a—b ’c’ d' 漢。字",
                "its a b  c  d  漢 字",
            ),
        ] {
            let mut normalised = Normalised::default();
            normalised.set_text(text, Normalisation::None);
            masks.apply_and_forget_origins(&mut normalised);
            let found = String::from_utf8_lossy(&normalised.bytes);
            assert_eq!(found, expected, "{masks:?}");
        }
    }
}
