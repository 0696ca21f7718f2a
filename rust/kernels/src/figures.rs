//! Figures: numbers with all that belongs to how they are written, as one sign.
//!
//! A text in which every number is written as 0 ([`crate::simd::numbers`]) still shows whether a
//! number was negative, an amount, a range, or cut into thousands by spaces. Here that goes too. A
//! figure is
//!
//! - one number, or several between which only characters stand that join numbers: spaces,
//!   apostrophes, points, commas, colons, slashes, dashes, signs, brackets and currencies, so that
//!   `1 000,00`, `1'000.00`, `5-7`, `2024-01-05` and `10:30` are figures;
//! - with the currencies and signs before it, and currencies and one minus after it, each perhaps
//!   after a space: `-5`, `$ 5`, `5 €`, `EUR 5`, `100.00-`;
//! - with brackets around it, and what is before and after them in turn: `(100.00)`, `$(5)`.
//!
//! A sign or bracket after a letter belongs to a word: `covid-19`, `f(5)`.

use crate::characters::{self, Class};

/// The digit that stands for every number.
const NUMBER: u8 = b'0';

/// Codes of currencies (ISO 4217), folded; those that are also words of English are left out.
const CODES: [&[u8; 3]; 40] = [
    b"aed", b"ars", b"aud", b"bgn", b"brl", b"cad", b"chf", b"clp", b"cny", b"czk", b"dkk", b"egp",
    b"eur", b"gbp", b"hkd", b"huf", b"idr", b"ils", b"inr", b"isk", b"jpy", b"krw", b"kzt", b"mxn",
    b"myr", b"ngn", b"nok", b"nzd", b"pkr", b"pln", b"qar", b"rub", b"sar", b"sek", b"sgd", b"thb",
    b"twd", b"uah", b"usd", b"zar",
];

/// Writes every figure of a text whose numbers are 0 as one 0. In place.
pub fn write_each_figure_as_zero(text: &mut Vec<u8>) {
    // The bytes that are written, and from where on the text is not read yet.
    let (mut written, mut read) = (0, 0);
    while let Some(before) = memchr::memchr(NUMBER, &text[read..]) {
        let first = read + before;
        if written < read {
            text.copy_within(read..first, written);
        }
        written += before;
        let last = start_of_last_number_in_figure(text, first);
        // What stands before is where it was written, what comes after where it is still to be
        // read.
        let (start, end) = figure_around(text, written, last + 1);
        text[start] = NUMBER;
        (written, read) = (start + 1, end);
    }
    if written < read {
        text.copy_within(read.., written);
        text.truncate(text.len() - (read - written));
    }
}

/// Return whether a text whose numbers are 0 has a word without a number in it.
#[must_use]
pub fn has_word_without_number(text: &[u8]) -> bool {
    // Nearly always the first word has no number: nothing beyond it is looked at.
    let (mut at, mut in_word, mut number) = (0, false, false);
    while let Some(&byte) = text.get(at) {
        let (length, word) = match byte {
            0..128 => (1, byte.is_ascii_alphanumeric()),
            _ => character_after(text, at)
                .map_or((1, false), |c| (c.len_utf8(), is_letter_or_mark(c))),
        };
        if in_word && !word {
            if !number {
                return true;
            }
            number = false;
        }
        in_word = word;
        number |= byte == NUMBER;
        at += length;
    }
    in_word && !number
}

/// The last number of the figure whose first one is at a place.
fn start_of_last_number_in_figure(text: &[u8], first: usize) -> usize {
    let mut last = first;
    while let Some(next) = next_number_if_joined(text, last + 1) {
        last = next;
    }
    last
}

/// Only what joins numbers may stand before it.
fn next_number_if_joined(text: &[u8], mut at: usize) -> Option<usize> {
    loop {
        at += match *text.get(at)? {
            NUMBER => return Some(at),
            b' ' | b'\'' | b'.' | b',' | b':' | b'/' | b'-' | b'+' | b'(' | b')' | b'$' => 1,
            byte if byte.is_ascii() => length_of_code_after(text, at)?,
            _ => {
                let c = character_after(text, at)?;
                let joins = matches!(c, '’' | '⁄' | '‐' | '‒' | '–' | '—' | '−');
                (joins || characters::is_currency(c)).then_some(c.len_utf8())?
            }
        };
    }
}

/// Returns the start of the figure in the text before `start`, and its end in the text from `end`.
fn figure_around(text: &[u8], start: usize, end: usize) -> (usize, usize) {
    let (mut start, mut end) = (start_of_prefix(text, start), end_of_suffix(text, end));
    while text[..start].ends_with(b"(")
        && text.get(end) == Some(&b')')
        && !is_after_letter_or_mark(text, start - 1)
    {
        (start, end) = (start_of_prefix(text, start - 1), end_of_suffix(text, end + 1));
    }
    (start, end)
}

/// Returns the start of the signs and currencies that stand before a place.
fn start_of_prefix(text: &[u8], mut start: usize) -> usize {
    loop {
        let end = start - usize::from(text[..start].ends_with(b" "));
        match length_of_currency_before(text, end).or_else(|| length_of_sign_before(text, end)) {
            Some(length) => start = end - length,
            None => return start,
        }
    }
}

/// Returns the end of the currencies, and of a minus, that stand from a place on.
fn end_of_suffix(text: &[u8], mut end: usize) -> usize {
    loop {
        let at = end + usize::from(text.get(end) == Some(&b' '));
        match length_of_currency_after(text, at) {
            Some(length) => end = at + length,
            None => return end + length_of_minus_after(text, end).unwrap_or(0),
        }
    }
}

fn length_of_currency_before(text: &[u8], end: usize) -> Option<usize> {
    match *text[..end].last()? {
        b'$' => Some(1),
        byte if byte.is_ascii() => {
            let start = end.checked_sub(3)?;
            (!is_after_letter_or_mark(text, start) && is_code(&text[start..end])).then_some(3)
        }
        _ => {
            let c = character_before(text, end)?;
            characters::is_currency(c).then_some(c.len_utf8())
        }
    }
}

fn length_of_sign_before(text: &[u8], end: usize) -> Option<usize> {
    let length = match *text[..end].last()? {
        b'-' | b'+' => 1,
        byte if byte.is_ascii() => return None,
        _ => {
            let c = character_before(text, end)?;
            matches!(c, '−' | '–' | '‐').then_some(c.len_utf8())?
        }
    };
    (!is_after_letter_or_mark(text, end - length)).then_some(length)
}

fn length_of_currency_after(text: &[u8], at: usize) -> Option<usize> {
    match *text.get(at)? {
        b'$' => Some(1),
        byte if byte.is_ascii() => length_of_code_after(text, at),
        _ => {
            let c = character_after(text, at)?;
            characters::is_currency(c).then_some(c.len_utf8())
        }
    }
}

/// The bytes of a minus at a place, where no word goes on: accounts write `100.00-`.
fn length_of_minus_after(text: &[u8], at: usize) -> Option<usize> {
    let c = match *text.get(at)? {
        b'-' => '-',
        byte if byte.is_ascii() => return None,
        _ => character_after(text, at).filter(|&c| c == '−')?,
    };
    let end = at + c.len_utf8();
    matches!(text.get(end), None | Some(b' ' | b')')).then_some(c.len_utf8())
}

/// The bytes of a code at a place, where no word goes on.
fn length_of_code_after(text: &[u8], at: usize) -> Option<usize> {
    let end = at + 3;
    let ends = match text.get(end) {
        None | Some(&NUMBER) => true,
        Some(byte) if byte.is_ascii() => !byte.is_ascii_alphanumeric(),
        Some(_) => character_after(text, end).is_none_or(|c| !is_letter_or_mark(c)),
    };
    (ends && !is_after_letter_or_mark(text, at) && is_code(text.get(at..end)?)).then_some(3)
}

fn is_code(bytes: &[u8]) -> bool {
    let order = |code: &[u8; 3]| u32::from_be_bytes([0, code[0], code[1], code[2]]);
    let Ok(bytes) = bytes.try_into() else { return false };
    CODES.binary_search_by_key(&order(bytes), |code| order(code)).is_ok()
}

/// A digit is neither here: all numbers are 0.
fn is_after_letter_or_mark(text: &[u8], at: usize) -> bool {
    match text[..at].last() {
        None | Some(&NUMBER) => false,
        Some(byte) if byte.is_ascii() => byte.is_ascii_alphanumeric(),
        Some(_) => character_before(text, at).is_some_and(is_letter_or_mark),
    }
}

fn is_letter_or_mark(c: char) -> bool {
    matches!(characters::class(c), Class::Word | Class::Unspaced | Class::Mark)
}

/// The character at a place.
fn character_after(text: &[u8], at: usize) -> Option<char> {
    let length = (text.get(at)?.leading_ones() as usize).max(1);
    first_character_if_utf8(text.get(at..at + length)?)
}

/// The character that ends before a place.
fn character_before(text: &[u8], end: usize) -> Option<char> {
    let back = text[..end].iter().rev().take(4).position(|&byte| byte & 0xC0 != 0x80)?;
    first_character_if_utf8(&text[end - back - 1..end])
}

fn first_character_if_utf8(bytes: &[u8]) -> Option<char> {
    str::from_utf8(bytes).ok()?.chars().next()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mask_with_kernel(text: &str) -> String {
        let mut bytes = text.as_bytes().to_vec();
        write_each_figure_as_zero(&mut bytes);
        String::from_utf8_lossy(&bytes).into_owned()
    }

    #[test]
    fn what_belongs_to_a_number_goes() {
        for text in [
            "0",
            "0 0",
            "0'0",
            "0’0",
            "0-0",
            "0–0",
            "0 - 0",
            "0.0.0",
            "0/0/0",
            "0:0:0",
            "0⁄0",
            "-0",
            "+0",
            "−0",
            "–0",
            "- 0",
            "(0)",
            "($0)",
            "$(0)",
            "-$0",
            "$-0",
            "- $ 0",
            "€0",
            "0€",
            "0 €",
            "0 eur",
            "eur 0",
            "0eur",
            "eur0",
            "0 € - 0 €",
            "$0-$0",
            "(0-0)",
            "((0))",
            "0-",
            "0−",
            "(0 eur)",
            "eur (0)",
            "0, 0, 0",
            "₹ 0",
            "0 usd-0 usd",
        ] {
            for (before, after) in [("", ""), ("due: ", ""), ("", " in all"), ("é ", " é.")] {
                let expected = format!("{before}0{after}");
                assert_eq!(
                    mask_with_kernel(&format!("{before}{text}{after}")),
                    expected,
                    "{text:?}"
                );
            }
        }
    }

    #[test]
    fn what_belongs_to_a_word_stays() {
        for text in [
            "", "a", "covid-0", "f(0)", "é-0", "0 % of 0", "0) a", "(0 a", "(a 0)", "0.", "0; 0",
            "euro 0", "0 euros", "neur 0", "0 eura", "0 a 0", "0-year", "0,-", "0 -a", "漢(0)",
            "a$", "x 0 all", "0 é",
        ] {
            assert_eq!(mask_with_kernel(text), text, "{text:?}");
        }
    }

    #[test]
    fn a_word_of_ascii_is_one_of_unicode() {
        for byte in 0..128u8 {
            assert_eq!(byte.is_ascii_alphanumeric(), is_letter_or_mark(char::from(byte)), "{byte}");
        }
    }

    #[test]
    fn codes_are_in_order_so_that_they_are_found() {
        assert!(CODES.is_sorted());
        assert!(CODES.iter().all(|code| is_code(&code[..])));
        assert!(!is_code(b"all") && !is_code(b"eu"));
    }

    #[test]
    fn a_number_in_a_word_makes_none_of_it() {
        for text in ["0 a", "é", "0 漢", "§ x", "a0 b", "a 0", "0é漢;é", "漢;0"] {
            assert!(has_word_without_number(text.as_bytes()), "{text}");
        }
        for text in ["", "0", "0; 0 % — €", "♥ 0", "a0 0b é0", "word0"] {
            assert!(!has_word_without_number(text.as_bytes()), "{text}");
        }
    }
}
