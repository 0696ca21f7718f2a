//! The passages of a collection: every run of at least `least` words that occurs at two places.
//!
//! A *gram* is `least` adjacent words of one document, named by the position of its first word. A
//! gram is *repeated* if it occurs at two places or more; a run of words occurs at two places if
//! and only if its grams do, in a row. The work is done on ever fewer things:
//!
//! 1. [`winnow`] leaves out most grams that occur at one place only, by their least inner hashes.
//! 2. [`copies`] looks the others up in one table of first places ([`firsts`]), all words compared,
//!    and follows a copy in step: every repeated gram gets the first place of its words.
//! 3. [`mod@blocks`] cuts the repeated grams where any of their places ends or begins differently,
//!    so that a block recurs whole or not at all.
//! 4. [`runs`] sorts the suffixes of the sequence of blocks ([`suffixes`]): the longest runs that
//!    recur, how often, and where else. [`cover`] counts words, and says what an earlier place has.
//!
//! Equal grams select equal values in step 1, so that steps 1 and 2 can be done part by part of the
//! values, each in the memory of a part; the copies of all parts, merged, are those of the whole.
//! Where all are in memory, threads share families of grams that have no value in common. Parts of
//! the values would cut a long copy into pieces and look up each: that took twice the time.
//!
//! Steps 1 and 2 are linear in the words, 3 and 4 in the repeated blocks. Nothing lists pairs of
//! places.
//!
//! Sources: Schleimer, Wilkerson and Aiken 2003, section 4 (winnowing; here ties go to the
//! rightmost); Karp and Rabin 1987 (rolling hashes); Nong, Zhang and Chan 2009 (suffix arrays);
//! Kärkkäinen, Manzini and Puglisi 2009 (longest common prefixes); Abouelhoda, Kurtz and Ohlebusch
//! 2004 (the places that have a prefix in common).

mod blocks;
mod copies;
mod cover;
mod firsts;
mod grams;
mod runs;
mod seeds;
mod suffixes;
#[cfg(test)]
mod tests;
mod winnow;

use crate::error::{KernelError, Watch};
use crate::parallel::Team;
use crate::progress::Progress;
use crate::reserve;
pub use blocks::Blocks;
pub use copies::Copy;
use copies::PartsOfCopies;
pub use cover::{Cut, RepeatedWordCounts};
pub use runs::Run;
use std::ops::Range;
use winnow::{CandidateRanges, PerhapsRepeatedValues};
pub use winnow::{Selected, Selections, ValuePart};

/// Most words of a collection: the positions that 32 bits can name, but for one.
pub const MAX_WORDS: u64 = u32::MAX as u64 - 1;

/// The group of documents that are left out where runs are found.
pub const LEFT_OUT: u32 = u32::MAX;

/// Share of the work after which it is known what the grams of all words select.
const SELECTED: f64 = 0.5;

/// Words of a piece of documents, at least. Fewer words in all are no work to share. Tests have
/// few.
const PIECE: usize = if cfg!(test) { 1 << 5 } else { 1 << 20 };

/// Lists of grams for each thread, so that one that another program slows down takes fewer.
const LISTS: usize = 4;

/// Bytes that a block counts as for Ctrl-C, in a pass over all: what belongs to it is read out of
/// turn.
const LOOKED: usize = 64;

/// The words of documents, one after the other.
#[derive(Debug, Clone, Copy)]
pub struct Words<'a> {
    /// One 64-bit hash per word; equal hashes are equal words.
    pub hashes: &'a [u64],
    /// Per document the position after its last word, ascending; the last is the number of words.
    pub ends: &'a [u64],
    /// Number of documents of the base, which come first: a gram that stands in one does not count.
    pub base_documents: usize,
    /// Number of documents of the reference, which come after the base: if there are any, only
    /// what stands in one of them and in a later document counts.
    pub reference_documents: usize,
}

impl<'a> Words<'a> {
    /// The words of documents; what lies beyond the hashes, or steps back, is cut off.
    #[must_use]
    pub fn new(hashes: &'a [u64], ends: &'a [u64]) -> Self {
        Self { hashes, ends, base_documents: 0, reference_documents: 0 }
    }

    /// The same, with a base of the first documents.
    #[must_use]
    pub fn with_base(self, base_documents: usize) -> Self {
        Self { base_documents, ..self }
    }

    /// The same, with a reference of as many documents after the base.
    #[must_use]
    pub fn with_reference(self, reference_documents: usize) -> Self {
        Self { reference_documents, ..self }
    }

    /// Number of words of the base.
    fn base_words(&self) -> u64 {
        self.base_documents
            .checked_sub(1)
            .and_then(|last| self.ends.get(last))
            .copied()
            .unwrap_or(0)
    }

    /// The ends of the documents after the base, as if it were not there.
    #[must_use]
    pub fn ends_after_base(&self) -> Vec<u64> {
        let own = self.ends.iter().skip(self.base_documents);
        own.map(|end| end.saturating_sub(self.base_words())).collect()
    }

    /// # Errors
    /// [`KernelError::TooManyRows`] for more than [`MAX_WORDS`] words.
    fn check_count(&self) -> Result<(), KernelError> {
        let (count, limit) = (self.hashes.len() as u64, MAX_WORDS);
        if count > limit { Err(KernelError::TooManyRows { count, limit }) } else { Ok(()) }
    }

    /// Number of documents.
    #[must_use]
    pub fn documents(&self) -> usize {
        self.ends.len()
    }

    /// The positions of a document's words.
    fn range(&self, document: usize) -> std::ops::Range<usize> {
        let bounded = |end: u64| (end as usize).min(self.hashes.len());
        let start = document.checked_sub(1).map_or(0, |before| bounded(self.ends[before]));
        start..bounded(self.ends[document]).max(start)
    }

    /// Consecutive documents in pieces of at least as many words but for the last, at least one.
    fn cut_into_pieces(&self, size: usize) -> Vec<Range<usize>> {
        let (mut pieces, mut start, mut words) = (Vec::new(), 0, 0);
        for document in 0..self.documents() {
            words += self.range(document).len();
            if words >= size {
                pieces.push(start..document + 1);
                (start, words) = (document + 1, 0);
            }
        }
        if start < self.documents() || pieces.is_empty() {
            pieces.push(start..self.documents());
        }
        pieces
    }

    /// The position after the last word of the document that holds a word.
    fn end_of(&self, word: usize) -> usize {
        self.range(self.document_of(word)).end
    }

    /// The document that holds a word.
    fn document_of(&self, word: usize) -> usize {
        self.ends.partition_point(|&end| end as usize <= word)
    }
}

/// Find what a collection repeats, as blocks; `least` counts words (0 counts as 1).
///
/// `jobs`: threads, which share documents first, and then the grams that may be repeated, where
/// equal ones stay together. That changes nothing in what is found.
///
/// # Errors
/// [`KernelError::TooManyRows`] for more than [`MAX_WORDS`] words; [`KernelError::Interrupted`] if
/// `watch` asks to stop.
pub fn find_blocks(
    words: Words,
    least: usize,
    jobs: usize,
    watch: Watch,
) -> Result<Blocks, KernelError> {
    words.check_count()?;
    let least = least.max(1);
    let jobs = if words.hashes.len() < PIECE { 1 } else { jobs };
    let progress = Progress::stage(watch, 0.0, SELECTED);
    // One thread needs no pieces, which are put together at the cost of a copy.
    let pieces = words.cut_into_pieces(if jobs > 1 { PIECE } else { usize::MAX });
    let selected = select_grams_of_pieces(words, &pieces, least, 0, jobs, &progress)?;
    let progress = Progress::stage(watch, SELECTED, 1.0);
    let lists = share_candidates(words, least, &pieces, selected, jobs, &progress)?;
    let find = |(): &mut (), list: usize, progress: &Progress| {
        copies::find_copies_among(words, least, &lists[list], progress)
    };
    let copies = Team::new(jobs, || ()).share_out(lists.len(), &progress, find)?;
    drop(lists);
    let parts = copies.iter().map(|part| part.iter().copied()).collect();
    make_blocks(words, least, parts, watch)
}

/// The grams that may be repeated, in lists, so that equal ones are in one list.
///
/// `selected`: what the grams of each piece of the documents selected.
fn share_candidates(
    words: Words,
    least: usize,
    pieces: &[Range<usize>],
    selected: Vec<Selections>,
    jobs: usize,
    progress: &Progress,
) -> Result<Vec<CandidateRanges>, KernelError> {
    let views: Vec<_> =
        selected.iter().map(|(values, positions)| Selected { values, positions }).collect();
    let mut team = Team::new(jobs, || ());
    let repeated = PerhapsRepeatedValues::of_all(&views, &mut team, progress)?;
    let find = |(): &mut (), piece: usize, progress: &Progress| {
        let (documents, selected) = (pieces[piece].clone(), views[piece]);
        winnow::find_candidates(words, documents, least, selected, &repeated, jobs > 1, progress)
    };
    let candidates = team.share_out(pieces.len(), progress, find)?;
    // Before copies are found, which take as much memory again.
    drop(selected);
    if jobs <= 1 {
        return Ok(candidates.into_iter().map(|piece| piece.ranges).collect());
    }
    winnow::divide_candidates(candidates, &repeated, LISTS * jobs, &mut team, progress)
}

/// The selections of the grams of `least` words in documents whose first word occurs at `first_position`:
/// values, and the positions of grams.
///
/// # Errors
/// [`KernelError::NoReserve`]; [`KernelError::Interrupted`] if the watch asks to stop.
pub fn select_grams(
    words: Words,
    least: usize,
    first_position: u32,
    jobs: usize,
    progress: &Progress,
) -> Result<Selections, KernelError> {
    let pieces = words.cut_into_pieces(if jobs > 1 { PIECE } else { usize::MAX });
    let mut made = select_grams_of_pieces(words, &pieces, least, first_position, jobs, progress)?;
    if made.len() == 1 {
        return Ok(made.remove(0));
    }
    let count = made.iter().map(|(values, _)| values.len()).sum();
    let (mut values, mut positions) = (reserve::new_list(count)?, reserve::new_list(count)?);
    for (some_values, some_positions) in made {
        values.extend_from_slice(&some_values);
        positions.extend_from_slice(&some_positions);
    }
    Ok((values, positions))
}

/// The same for each of some pieces of the documents.
fn select_grams_of_pieces(
    words: Words,
    pieces: &[Range<usize>],
    least: usize,
    first_position: u32,
    jobs: usize,
    progress: &Progress,
) -> Result<Vec<Selections>, KernelError> {
    let select = |(): &mut (), piece: usize, progress: &Progress| {
        let documents = pieces[piece].clone();
        progress.note_done(piece, pieces.len());
        winnow::select_grams_of_documents(words, documents, least, first_position, progress)
    };
    Team::new(jobs, || ()).share_out(pieces.len(), progress, select)
}

/// The copies of one part of a collection, which [`mod@blocks`] takes with those of all others.
///
/// # Errors
/// As of [`find_blocks`].
pub fn find_copies_of_part(
    words: Words,
    least: usize,
    selected: Selected,
    part: ValuePart,
    watch: Watch,
) -> Result<Vec<Copy>, KernelError> {
    words.check_count()?;
    let least = least.max(1);
    let progress = Progress::stage(watch, 0.0, 1.0);
    let repeated = PerhapsRepeatedValues::of_part(selected, part, &progress)?;
    let all = 0..words.documents();
    let candidates =
        winnow::find_candidates(words, all, least, selected, &repeated, false, &progress)?;
    drop(repeated);
    copies::find_copies_among(words, least, &candidates.ranges, &progress)
}

/// The blocks of a collection whose parts have these copies, each part as [`find_copies_of_part`]
/// gave them; of the words only their number counts. Positions are those in the words after the
/// base.
///
/// # Errors
/// [`KernelError::NoReserve`]; [`KernelError::Interrupted`] if `watch` asks to stop.
pub fn make_blocks<P>(
    words: Words,
    least: usize,
    parts: Vec<P>,
    watch: Watch,
) -> Result<Blocks, KernelError>
where
    P: Iterator<Item = Copy> + Clone,
{
    let least = least.max(1);
    let progress = Progress::stage(watch, 1.0, 1.0);
    // The first place of a gram of the base is in the base, which comes first.
    let (base_words, ends) = (words.base_words(), words.ends_after_base());
    let words = Words::new(words.hashes.get(base_words as usize..).unwrap_or_default(), &ends)
        .with_reference(words.reference_documents);
    let after_base = |copy: Copy| {
        let place = |word: u32| word.checked_sub(base_words as u32);
        Some(Copy { place: place(copy.place)?, first: place(copy.first)?, ..copy })
    };
    let parts = parts.into_iter().map(|part| part.filter_map(after_base)).collect();
    let blocks = Blocks::cut_copies_of_reference_or_all(
        words,
        least,
        &PartsOfCopies { words, least, parts },
        &progress,
    )?;
    progress.ask_watch()?;
    Ok(blocks)
}
