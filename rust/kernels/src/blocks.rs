//! Blocks of a text: its paragraphs and its lines, so that those which many documents share (a
//! template, a licence, a signature) can be recognised and left out.

use std::borrow::Cow;
use std::ops::Range;

use crate::digest::Digester;
use crate::text::Normalisation;

/// Finds blocks; keeps its buffers from one text to the next.
#[derive(Debug, Default)]
pub struct Blocks {
    digester: Digester,
}

impl Blocks {
    /// The distinct hashes of the text's paragraphs and lines, ascending.
    ///
    /// A hash is of the normalised text with white space collapsed: a paragraph that is wrapped
    /// otherwise is the same one. Blank lines are no blocks; they end paragraphs.
    pub fn hash_blocks_into_set(&mut self, text: &str, normalisation: Normalisation) -> Vec<u64> {
        let mut hashes = Vec::new();
        for paragraph in paragraphs(text) {
            let lines = lines(text, paragraph.clone());
            hashes.extend(lines.filter_map(|line| self.hash_block(&text[line], normalisation)));
            hashes.extend(self.hash_block(&text[paragraph], normalisation));
        }
        hashes.sort_unstable();
        hashes.dedup();
        hashes
    }

    /// The places of the paragraphs and lines whose hashes are among `common`, ascending: bytes of
    /// the text, in order and apart.
    pub fn places_of_blocks(
        &mut self,
        text: &str,
        normalisation: Normalisation,
        common: &[u64],
    ) -> Vec<Range<usize>> {
        let mut is_common = |place: &Range<usize>| {
            let hash = self.hash_block(&text[place.clone()], normalisation);
            hash.is_some_and(|hash| common.binary_search(&hash).is_ok())
        };
        let mut places = Vec::new();
        for paragraph in paragraphs(text) {
            if is_common(&paragraph) {
                places.push(paragraph);
            } else {
                places.extend(lines(text, paragraph).filter(&mut is_common));
            }
        }
        places
    }

    /// The text without the paragraphs and lines whose hashes are among `common`, ascending.
    pub fn without_blocks<'a>(
        &mut self,
        text: &'a str,
        normalisation: Normalisation,
        common: &[u64],
    ) -> Cow<'a, str> {
        let places = self.places_of_blocks(text, normalisation, common);
        if places.is_empty() {
            return Cow::Borrowed(text);
        }
        let mut kept = String::new();
        let mut from = 0;
        for place in places {
            kept.push_str(&text[from..place.start]);
            from = place.end;
        }
        kept.push_str(&text[from..]);
        Cow::Owned(kept)
    }

    /// The first paragraph or line of the text that has this hash.
    pub fn find_block<'a>(
        &mut self,
        text: &'a str,
        normalisation: Normalisation,
        hash: u64,
    ) -> Option<&'a str> {
        paragraphs(text)
            .flat_map(|paragraph| std::iter::once(paragraph.clone()).chain(lines(text, paragraph)))
            .map(|place| &text[place])
            .find(|block| self.hash_block(block, normalisation) == Some(hash))
    }

    fn hash_block(&mut self, block: &str, normalisation: Normalisation) -> Option<u64> {
        self.digester.digest_text(block, normalisation).map(|digest| digest as u64)
    }
}

/// Lines of a part of the text, without their ends.
fn lines(text: &str, part: Range<usize>) -> impl Iterator<Item = Range<usize>> {
    let mut at = part.start;
    text[part].split_inclusive('\n').map(move |line| {
        let place = at..at + line.trim_end_matches(['\n', '\r']).len();
        at += line.len();
        place
    })
}

/// Runs of non-blank lines.
pub(crate) fn paragraphs(text: &str) -> impl Iterator<Item = Range<usize>> {
    let mut all = lines(text, 0..text.len());
    let is_blank = |line: &Range<usize>| text[line.clone()].trim().is_empty();
    std::iter::from_fn(move || {
        let first = all.find(|line| !is_blank(line))?;
        // This takes the blank line too, which belongs to no paragraph.
        let last = all.by_ref().take_while(|line| !is_blank(line)).last();
        Some(first.start..last.map_or(first.end, |line| line.end))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "Head\r\n\r\n  one two\r\nthree\n\n \nfour\nHead\n";

    #[test]
    fn paragraphs_end_at_blank_lines() {
        let found: Vec<&str> = paragraphs(TEXT).map(|place| &TEXT[place]).collect();
        assert_eq!(found, ["Head", "  one two\r\nthree", "four\nHead"]);
        assert_eq!(paragraphs("").count() + paragraphs("\n \r\n").count(), 0);
    }

    #[test]
    fn blocks_are_hashed_once_and_however_they_are_wrapped() {
        let mut blocks = Blocks::default();
        let mut hashes = |text| blocks.hash_blocks_into_set(text, Normalisation::Fold);
        // Three paragraphs; of five lines one is a paragraph, and occurs twice.
        assert_eq!(hashes(TEXT).len(), 6);
        assert_eq!(hashes("ONE TWO THREE"), hashes("One  two three\n"));
        let wrapped = hashes("one two three")[0];
        assert!(hashes(TEXT).contains(&wrapped));
    }

    #[test]
    fn common_blocks_are_left_out_and_found() {
        let mut blocks = Blocks::default();
        let fold = Normalisation::Fold;
        let mut common = blocks.hash_blocks_into_set("head", fold);
        assert_eq!(
            blocks.without_blocks(TEXT, fold, &common),
            "\r\n\r\n  one two\r\nthree\n\n \nfour\n\n"
        );
        common.extend(blocks.hash_blocks_into_set("one two three", fold));
        common.sort_unstable();
        assert_eq!(blocks.without_blocks(TEXT, fold, &common), "\r\n\r\n\n\n \nfour\n\n");
        assert!(matches!(blocks.without_blocks("other", fold, &common), Cow::Borrowed("other")));
        let hash = blocks.hash_blocks_into_set("THREE", fold)[0];
        assert_eq!(blocks.find_block(TEXT, fold, hash), Some("three"));
        assert_eq!(blocks.find_block("other", fold, hash), None);
    }
}
