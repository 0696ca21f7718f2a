#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use super::*;
use ilk_joins::simd::each_level;

/// The definition, one character after the other.
fn by_definition(text: &str) -> (String, bool) {
    let (mut masked, mut any, mut in_number) = (String::new(), false, false);
    let mut rest = text.chars();
    while let Some(c) = rest.next() {
        let next_is_digit = rest.clone().next().is_some_and(characters::is_digit);
        if characters::is_digit(c) {
            if !in_number {
                masked.push('0');
            }
            (in_number, any) = (true, true);
        } else if !(in_number && (c == '.' || c == ',') && next_is_digit) {
            masked.push(c);
            in_number = false;
        }
    }
    (masked, any)
}

fn check(text: &str) {
    let (expected, some) = by_definition(text);
    for (found, any) in each_level(|| {
        let mut to = b"before".to_vec();
        let any = push_with_numbers_as_zero(text.as_bytes(), &mut to);
        (to, any)
    }) {
        assert_eq!(found.strip_prefix(b"before"), Some(expected.as_bytes()), "{text:?}");
        assert_eq!(any, some, "{text:?}");
    }
}

#[test]
fn numbers_and_what_is_none() {
    for text in
        ["", "7", "1.2", "1..2", ".1.", "1,2,3.4", "1.,2", "a1b22c", "1. 2", ",", "٣.٤,x", "½²"]
    {
        check(text);
    }
}

#[test]
fn every_character_between_numbers() {
    for c in '\0'..'\u{20000}' {
        check(&format!("x{c}1.{c},{c}{c}y"));
    }
    assert!(!('\u{20000}'..=char::MAX).any(characters::is_digit));
}

#[test]
fn numbers_at_every_place_of_a_block() {
    for number in [
        "1", "1.2", "1,234.5", ".5", "5.", "1..2", "٣", "٣,٤", "६.७", "𝟘1", "๑", "꘠", "é", "漢",
        "عا",
    ] {
        for place in 0..140 {
            for behind in ["", "x", ".", " 1 ", &"y".repeat(70)] {
                check(&format!("{}{number}{behind}", "x".repeat(place)));
                check(&format!("{}{number}{behind}", "1".repeat(place)));
                check(&format!("{}{number}{behind}", "é".repeat(place)));
            }
        }
    }
}
