//! A text without what never counts as noise.

use crate::characters::{self, Class};
use crate::text::{self, Normalisation, Normalised};

/// The characters of a text that words are made of, folded: letters, marks and digits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Bare {
    /// Code points below 256.
    Narrow(Vec<u8>),
    /// Code points of any size.
    Wide(Vec<u32>),
}

impl Default for Bare {
    fn default() -> Self {
        Self::Narrow(Vec::new())
    }
}

impl Bare {
    /// Number of characters.
    #[must_use]
    pub fn len(&self) -> usize {
        match self {
            Self::Narrow(characters) => characters.len(),
            Self::Wide(characters) => characters.len(),
        }
    }

    /// Return whether there is no character.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Their code points.
    pub fn code_points(&self) -> impl Iterator<Item = u32> {
        let (narrow, wide): (&[u8], &[u32]) = match self {
            Self::Narrow(characters) => (characters, &[]),
            Self::Wide(characters) => (&[], characters),
        };
        narrow.iter().map(|&c| u32::from(c)).chain(wide.iter().copied())
    }
}

/// Makes texts bare; keeps its buffers from one text to the next.
#[derive(Debug, Default)]
pub struct Barer {
    normalised: Normalised,
}

impl Barer {
    /// A text, bare.
    pub fn make_bare(&mut self, text: &str) -> Bare {
        let mut narrow: Vec<u8> = Vec::with_capacity(text.len());
        let mut wide: Option<Vec<u32>> = None;
        self.each_bare_character(text, |c| match (&mut wide, u8::try_from(c)) {
            (None, Ok(c)) => narrow.push(c),
            (Some(wide), _) => wide.push(u32::from(c)),
            (None, Err(_)) => {
                let before = narrow.iter().map(|&c| u32::from(c));
                wide = Some(before.chain([u32::from(c)]).collect());
            }
        });
        wide.map_or(Bare::Narrow(narrow), Bare::Wide)
    }

    /// Appends a text, bare and in UTF-8.
    pub fn append_bare(&mut self, text: &str, bytes: &mut Vec<u8>) {
        self.each_bare_character(text, |c| match u8::try_from(c).ok().filter(u8::is_ascii) {
            Some(c) => bytes.push(c),
            None => bytes.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes()),
        });
    }

    fn each_bare_character(&mut self, text: &str, mut hand_on: impl FnMut(char)) {
        for piece in text::pieces(text) {
            self.normalised.set_text(piece, Normalisation::Fold);
            let Normalised { bytes, classes, .. } = &self.normalised;
            let mut classes = classes.iter();
            let mut at = 0;
            while let Some(&byte) = bytes.get(at) {
                if byte.is_ascii() {
                    if byte.is_ascii_alphanumeric() {
                        hand_on(char::from(byte));
                    }
                    at += 1;
                    continue;
                }
                let (c, length) = first_character_beyond_ascii(&bytes[at..]);
                // Normalisation noted the class of each character beyond ASCII, in order.
                let class = classes.next().copied().unwrap_or_else(|| characters::class(c));
                if !matches!(class, Class::Separator | Class::Space) {
                    hand_on(c);
                }
                at += length;
            }
        }
    }
}

/// The character that bytes of UTF-8 begin with, and its length; it is not of ASCII.
fn first_character_beyond_ascii(bytes: &[u8]) -> (char, usize) {
    let length = match bytes[0] {
        0xF0.. => 4,
        0xE0.. => 3,
        _ => 2,
    };
    let first = u32::from(bytes[0]) & (0x7F >> length);
    let rest = bytes.iter().take(length).skip(1);
    let code = rest.fold(first, |code, &byte| code << 6 | u32::from(byte & 0x3F));
    (char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER), length)
}
