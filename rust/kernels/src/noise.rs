//! Sets that nominate noisy copies: shingles of the characters of
//! the bare text, all of a short one, and the lowest of a long one.
//!
//! Source: Broder 1997, section 4 (the lowest ids stand for the set); Ukkonen 1992 (shingles of
//! characters and errors: one wrong character changes at most as many shingles as a shingle is
//! long).

use std::borrow::Cow;

use crate::alignment::Barer;
use crate::shingles;
use crate::tokens::Tokens;
use ilk_joins::error::KernelError;
use ilk_joins::hash::Function;
use ilk_joins::parallel;
use ilk_joins::sets::{Column, sort_into_set_from};

/// Parameters of the sets of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NoiseRule {
    /// Characters per shingle of a text that is not short.
    pub width: usize,
    /// Number of ids that are kept: the lowest.
    pub most: usize,
    /// A text of fewer characters has none of these.
    pub least: usize,
    /// Characters per shingle of a short text.
    pub short_width: usize,
    /// A text of fewer characters is short; it may have both.
    pub short_below: usize,
}

/// Sets of texts, a row each.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Noise {
    /// Number of characters of the bare text.
    pub lengths: Vec<u32>,
    /// Ids of texts that are not short.
    pub long: Column<u32>,
    /// Ids of short texts.
    pub short: Column<u32>,
}

/// Make the sets of `rows` texts; those of a null one are empty.
///
/// # Errors
/// [`KernelError::NoReserve`].
pub fn make_noise_sets<'a>(
    rows: usize,
    text: impl Fn(usize) -> Option<Cow<'a, str>> + Sync,
    rule: NoiseRule,
    jobs: usize,
) -> Result<Noise, KernelError> {
    let parts = parallel::map_ranges(rows, jobs, |range| {
        let (mut part, mut keeper) = (Noise::default(), NoiseMaker::default());
        for row in range {
            keeper.append_sets(&text(row).unwrap_or_default(), rule, &mut part);
        }
        part
    });
    let mut all = Noise::default();
    for mut part in parts {
        all.lengths.append(&mut part.lengths);
        all.long.append(&mut part.long)?;
        all.short.append(&mut part.short)?;
    }
    Ok(all)
}

/// Buffers from one text to the next.
#[derive(Default)]
struct NoiseMaker {
    barer: Barer,
    bytes: Vec<u8>,
    tokens: Tokens,
    hashes: Vec<u64>,
}

impl NoiseMaker {
    fn append_sets(&mut self, text: &str, rule: NoiseRule, to: &mut Noise) {
        let Self { barer, bytes, tokens, hashes } = self;
        bytes.clear();
        barer.append_bare(text, bytes);
        // Characters, not bytes: bytes that follow the first of a character begin with the bits 10.
        let length = bytes.iter().filter(|&&byte| byte & 0xC0 != 0x80).count();
        to.lengths.push(u32::try_from(length).unwrap_or(u32::MAX));
        let mut ids = |width: usize, values: &mut Vec<u32>| {
            let buffers = (&mut *tokens, &mut *hashes);
            shingles::push_character_ids(bytes, width, Function::Ilk, buffers, values);
        };
        if length >= rule.least {
            let start = to.long.values.len();
            ids(rule.width, &mut to.long.values);
            keep_lowest(&mut to.long.values, start, rule.most);
        }
        if 0 < length && length < rule.short_below {
            let start = to.short.values.len();
            ids(rule.short_width, &mut to.short.values);
            sort_into_set_from(&mut to.short.values, start);
        }
        to.long.offsets.push(to.long.values.len() as i64);
        to.short.offsets.push(to.short.values.len() as i64);
    }
}

/// Turns what follows `start` into a set, and keeps its lowest values.
fn keep_lowest(values: &mut Vec<u32>, start: usize, most: usize) {
    let count = values.len() - start;
    if count / 8 > most {
        // Ids are spread evenly: twice as many as are kept are nearly always enough.
        let bound = (u64::from(u32::MAX) * 2 * most as u64 / count as u64) as u32;
        let mut set: Vec<u32> = values[start..].iter().copied().filter(|&id| id <= bound).collect();
        sort_into_set_from(&mut set, 0);
        // Enough distinct ones are the lowest of all; ids that recur may leave fewer.
        if set.len() >= most {
            values.truncate(start);
            values.extend_from_slice(&set[..most]);
            return;
        }
    }
    sort_into_set_from(values, start);
    values.truncate(start.saturating_add(most));
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    const RULE: NoiseRule =
        NoiseRule { width: 5, most: 16, least: 30, short_width: 3, short_below: 40 };

    fn noise_of(texts: &[Option<&str>], jobs: usize) -> Noise {
        make_noise_sets(texts.len(), |row| texts[row].map(Cow::Borrowed), RULE, jobs).unwrap()
    }

    fn row(column: &Column<u32>, row: usize) -> Vec<u32> {
        column.values[column.offsets[row] as usize..column.offsets[row + 1] as usize].to_vec()
    }

    #[test]
    fn spaces_case_hyphens_and_punctuation_are_not_kept() {
        let texts = [Some("The quick, brown fox; jumps-over THE lazy dog"), None, Some("... !")];
        let same = [Some("thequickbrownfoxjumpsoverthelazydog"), Some(""), Some("\n-\n")];
        assert_eq!(noise_of(&texts, 1), noise_of(&same, 1));
        assert_eq!(noise_of(&texts, 1).lengths, [35, 0, 0]);
    }

    #[test]
    fn short_texts_keep_all_and_long_ones_the_lowest() {
        let words = |count: u64| -> String {
            (0..count).map(|n| format!("{:x} ", n.wrapping_mul(0x9E37_79B9_7F4A_7C15))).collect()
        };
        for count in [1, 2, 3, 40, 2000] {
            let text = words(count);
            let found = noise_of(&[Some(&text)], 2);
            let length = found.lengths[0] as usize;
            let all = NoiseRule { most: usize::MAX, least: 0, ..RULE };
            let whole = make_noise_sets(1, |_| Some(Cow::Borrowed(text.as_str())), all, 1).unwrap();
            let mut lowest = row(&whole.long, 0);
            lowest.truncate(RULE.most);
            let expected = if length < RULE.least { Vec::new() } else { lowest };
            assert_eq!(row(&found.long, 0), expected, "{count}");
            assert_eq!(row(&found.short, 0).is_empty(), length >= RULE.short_below, "{count}");
        }
    }

    #[test]
    fn a_text_of_one_shingle_again_and_again() {
        let found = noise_of(&[Some(&"a".repeat(5000))], 1);
        assert_eq!((found.lengths[0], found.long.values.len()), (5000, 1));
    }
}
