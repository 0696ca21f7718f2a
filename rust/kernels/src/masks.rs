//! Differences that a recipe ignores: accents, digits, punctuation, white space.

use crate::characters::{self, Class};
use crate::text::{Normalisation, Normalised};

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
}

impl Masks {
    /// Applies the masks. If any mask is set, the map to where each byte came from is lost.
    pub fn apply(self, normalised: &mut Normalised) {
        if self != Self::default() {
            let text = String::from_utf8_lossy(&normalised.bytes);
            let masked = self.masked(&text);
            normalised.set(&masked, Normalisation::None);
        }
    }

    fn masked(self, text: &str) -> String {
        let text = if self.accents { characters::without_accents(text) } else { text.to_owned() };
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
        ] {
            let mut normalised = Normalised::default();
            normalised.set(text, Normalisation::None);
            masks.apply(&mut normalised);
            let found = String::from_utf8_lossy(&normalised.bytes);
            assert_eq!(found, expected, "{masks:?}");
        }
    }
}
