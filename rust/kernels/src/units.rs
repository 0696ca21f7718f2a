//! Lines, sentences and paragraphs of a text: what may be compared as a whole.

use unicode_segmentation::UnicodeSegmentation;

use crate::blocks::paragraphs;

/// A kind of unit into which a text is cut without a rest.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TextUnit {
    /// A line, up to and with its line feed.
    Line,
    /// A sentence by the rules of Unicode (UAX 29), which know no abbreviations. The end of a line
    /// ends a sentence.
    Sentence,
    /// Lines up to the next one after a blank line.
    Paragraph,
}

impl TextUnit {
    /// The first bytes of the units of a text, ascending; what comes before the first belongs to it.
    #[must_use]
    pub fn find_starts(self, text: &str) -> Vec<usize> {
        match self {
            Self::Line => {
                let ends = text.split_inclusive('\n').scan(0, |at, line| {
                    let start = *at;
                    *at += line.len();
                    Some(start)
                });
                ends.collect()
            }
            Self::Sentence => text.split_sentence_bound_indices().map(|(at, _)| at).collect(),
            Self::Paragraph => paragraphs(text).map(|place| place.start).collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cut(unit: TextUnit, text: &str) -> Vec<&str> {
        let starts = unit.find_starts(text);
        let ends = starts.iter().skip(1).copied().chain([text.len()]);
        starts.iter().zip(ends).map(|(&start, end)| &text[start..end]).collect()
    }

    #[test]
    fn lines_and_paragraphs_are_whole() {
        let text = "one\r\ntwo\n\n \nthree\nfour";
        assert_eq!(cut(TextUnit::Line, text), ["one\r\n", "two\n", "\n", " \n", "three\n", "four"]);
        assert_eq!(cut(TextUnit::Paragraph, text), ["one\r\ntwo\n\n \n", "three\nfour"]);
        assert!(TextUnit::Line.find_starts("").is_empty());
    }

    #[test]
    fn sentences_end_as_unicode_says() {
        let text =
            "He paid 3.50 at the A.B. shop. \u{201c}Why?\u{201d} she asked. So.\nTitle\nNo more";
        assert_eq!(
            cut(TextUnit::Sentence, text),
            [
                "He paid 3.50 at the A.B. shop. ",
                "\u{201c}Why?\u{201d} ",
                "she asked. ",
                "So.\n",
                "Title\n",
                "No more"
            ]
        );
        assert_eq!(cut(TextUnit::Sentence, "\u{5929}\u{3002}\u{5730}\u{3002}").len(), 2);
    }
}
