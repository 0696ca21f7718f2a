//! The same on any machine.

use super::{FIRSTS, digit_length_beyond_ascii};

/// See [`super::push_with_numbers_as_zero`].
pub fn push_with_numbers_as_zero(mut text: &[u8], to: &mut Vec<u8>) -> bool {
    let mut any = false;
    loop {
        let plain = text.chunks(64).take_while(|block| !block.iter().any(may_be_digit)).count();
        let plain = (64 * plain).min(text.len());
        let rest = (plain..text.len()).find(|&at| digit_length_at(text, at).is_some());
        let (before, number) = text.split_at(rest.unwrap_or(text.len()));
        to.extend_from_slice(before);
        if number.is_empty() {
            return any;
        }
        to.push(b'0');
        any = true;
        text = &number[number_length(number)..];
    }
}

/// Return whether a byte begins a digit, or perhaps one beyond ASCII.
fn may_be_digit(byte: &u8) -> bool {
    FIRSTS.iter().fold(byte.is_ascii_digit(), |may, first| may | (byte == first))
}

/// The bytes of the digit at a place, if there is one.
fn digit_length_at(text: &[u8], at: usize) -> Option<usize> {
    match text.get(at)? {
        b'0'..=b'9' => Some(1),
        first if FIRSTS.contains(first) => digit_length_beyond_ascii(text, at),
        _ => None,
    }
}

/// The bytes of the number that a text begins with.
fn number_length(text: &[u8]) -> usize {
    let mut end = 0;
    loop {
        if let Some(length) = digit_length_at(text, end) {
            end += length;
        } else if matches!(text.get(end), Some(b'.' | b','))
            && digit_length_at(text, end + 1).is_some()
        {
            end += 1;
        } else {
            return end;
        }
    }
}
