//! Columns of texts in, columns of their passages out.

use arrow_array::PrimitiveArray;
use arrow_array::types::{Int64Type, UInt32Type, UInt64Type};
use ilk_joins::error::{KernelError, Watch};
use ilk_joins::parallel;
use ilk_joins::passages::{self, Blocks, Copy, Selected, ValuePart, Words};
use ilk_joins::progress::Progress;
use ilk_joins::reserve;
use ilk_kernels::TextUnit;
use ilk_kernels::blocks::Blocks as TextBlocks;
use ilk_kernels::shingles::Shingler;
use ilk_kernels::text::Normalisation;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use std::ops::Range;
use std::sync::Mutex;

use crate::columns::{self, Column, Texts, from_numbers};
use crate::options::Threshold;
use crate::watch::{OptionError, run_infallible, run_unwatched, run_watched};

/// Normalisation of texts before their words are compared.
const NORMALISATION: Normalisation = Normalisation::Fold;

/// Words of a piece, at most, that takes those of the next too: documents may come one by one.
const SMALL: usize = 1 << 16;

/// Bytes of the texts of a piece, at most but for the last text. Their words take some five
/// megabytes: in smaller lists, which come in small pages, two threads took a quarter more
/// processor time than one.
const PIECE_BYTES: usize = 8 << 20;

/// Pieces for each thread of the texts that come at once, so that all have work until the end.
const PIECES: usize = 4;

/// Consecutive rows, and the bytes of their texts.
#[derive(Clone)]
struct TextPiece {
    rows: Range<usize>,
    bytes: usize,
}

/// The rows of a column in pieces to share among as many threads.
fn cut_into_pieces(texts: &Texts, jobs: usize) -> Vec<TextPiece> {
    let length = |row: usize| texts.bytes(row).map_or(0, <[u8]>::len);
    let most = ((0..texts.len()).map(length).sum::<usize>() / (PIECES * jobs)).min(PIECE_BYTES);
    let mut pieces = Vec::new();
    let mut piece = TextPiece { rows: 0..0, bytes: 0 };
    for row in 0..texts.len() {
        piece.rows.end = row + 1;
        piece.bytes += length(row);
        if piece.bytes > most {
            let next = TextPiece { rows: row + 1..row + 1, bytes: 0 };
            pieces.push(std::mem::replace(&mut piece, next));
        }
    }
    if !piece.rows.is_empty() {
        pieces.push(piece);
    }
    pieces
}

/// The words of documents, which come piece by piece, each read once.
#[pyclass(module = "ilk._kernels")]
pub struct Collection {
    jobs: usize,
    /// The units that are compared as a whole, and their least number of words; None: words alone.
    unit: Option<(TextUnit, usize)>,
    /// The words of consecutive documents, piece by piece, as threads have made them.
    pieces: Vec<Vec<u64>>,
    ends: Vec<u64>,
    /// Words that were handed over.
    handed: u64,
}

impl Collection {
    /// The words of all pieces as one list; the pieces are let go, each when it is copied.
    fn concat_and_clear_pieces(&mut self) -> Result<Vec<u64>, KernelError> {
        let mut pieces = std::mem::take(&mut self.pieces);
        if pieces.len() <= 1 {
            return Ok(pieces.pop().unwrap_or_default());
        }
        let mut words = reserve::repeat_value(0, pieces.iter().map(Vec::len).sum())?;
        let mut places = Vec::with_capacity(pieces.len());
        let mut rest = &mut words[..];
        for piece in pieces {
            let (place, after) = rest.split_at_mut(piece.len());
            places.push(Mutex::new((place, piece)));
            rest = after;
        }
        parallel::map_pieces(places.len(), self.jobs, |number| {
            let (place, piece) = &mut *parallel::lock(&places[number]);
            place.copy_from_slice(&std::mem::take(piece));
        });
        drop(places);
        Ok(words)
    }
}

/// Reads the name of a unit; None for words, which are compared one by one.
fn parse_unit(name: &str) -> PyResult<Option<TextUnit>> {
    match name {
        "words" => Ok(None),
        "line" => Ok(Some(TextUnit::Line)),
        "sentence" => Ok(Some(TextUnit::Sentence)),
        "paragraph" => Ok(Some(TextUnit::Paragraph)),
        _ => Err(PyValueError::new_err("there is no such unit")),
    }
}

#[pymethods]
impl Collection {
    /// A collection of no documents; a `unit` of at least `least_words` words is compared as a
    /// whole.
    #[new]
    #[pyo3(signature = (jobs, unit="words", least_words=1))]
    fn new(jobs: usize, unit: &str, least_words: usize) -> PyResult<Self> {
        let unit = parse_unit(unit)?.map(|unit| (unit, least_words));
        Ok(Self { jobs, unit, pieces: Vec::new(), ends: Vec::new(), handed: 0 })
    }

    /// Adds the words of some documents. Those in paragraphs and lines whose hashes are given
    /// (ascending, of `make_block_hash_sets`) are like no others.
    #[pyo3(signature = (texts, unmatchable_block_hashes=None))]
    fn add(
        &mut self,
        py: Python<'_>,
        texts: Column,
        unmatchable_block_hashes: Option<Column>,
    ) -> PyResult<()> {
        let texts = Texts::from_large_binary(texts)?;
        let common =
            unmatchable_block_hashes.map(columns::number_array::<UInt64Type>).transpose()?;
        let common = common.as_ref().map_or(&[][..], |hashes| hashes.values());
        run_unwatched(py, || {
            let documents = self.ends.len();
            let push = |rows: std::ops::Range<usize>,
                        hashes: &mut Vec<u64>,
                        ends: &mut Vec<u64>| {
                let mut shingler = Shingler::default();
                let mut paragraphs = TextBlocks::default();
                for row in rows {
                    if let Some(text) = texts.get(row) {
                        reserve::make_room(hashes, text.len() / 2 + 1)?;
                        let left_out = if common.is_empty() {
                            Vec::new()
                        } else {
                            let places = paragraphs.places_of_blocks(&text, NORMALISATION, common);
                            shingler.words_in_places(&text, NORMALISATION, &places)
                        };
                        let (own, out) = ((documents + row) as u64, &left_out[..]);
                        let fold = NORMALISATION;
                        match self.unit {
                            None => shingler.push_words_except(&text, fold, out, own, hashes),
                            Some(unit) => {
                                shingler.push_units(&text, fold, unit, out, own, hashes);
                            }
                        }
                    }
                    reserve::push(ends, hashes.len() as u64)?;
                }
                Ok(())
            };
            if self.jobs <= 1 {
                // One thread goes on with one list, so that nothing is copied.
                let before = self.handed;
                let (mut hashes, mut ends) =
                    (self.pieces.pop().unwrap_or_default(), std::mem::take(&mut self.ends));
                let pushed = push(0..texts.len(), &mut hashes, &mut ends);
                ends[documents..].iter_mut().for_each(|end| *end += before);
                self.pieces.push(hashes);
                self.ends = ends;
                return pushed;
            }
            let pieces = cut_into_pieces(&texts, self.jobs);
            let parts = parallel::map_pieces(pieces.len(), self.jobs, |number| {
                let TextPiece { rows, bytes } = pieces[number].clone();
                // At once, so that it comes in large pages. What is never written costs nothing.
                let room = bytes / 2 + rows.len();
                let (mut hashes, mut ends) = (reserve::new_list(room)?, Vec::new());
                push(rows, &mut hashes, &mut ends)?;
                hashes.shrink_to_fit();
                Ok((hashes, ends))
            });
            for part in parts {
                let (hashes, ends) = part?;
                let before = self.ends.last().copied().unwrap_or(self.handed);
                reserve::make_room(&mut self.ends, ends.len())?;
                self.ends.extend(ends.into_iter().map(|end| before + end));
                match self.pieces.last_mut() {
                    Some(last) if last.len() + hashes.len() <= SMALL => last.extend(hashes),
                    _ => self.pieces.push(hashes),
                }
            }
            Ok(())
        })
    }

    /// Bytes of what is kept so far.
    #[getter]
    fn nbytes(&self) -> usize {
        8 * (self.pieces.iter().map(Vec::len).sum::<usize>() + self.ends.len())
    }

    /// Per document the position after its last word, of all that were added.
    fn document_ends(&self) -> Column {
        from_numbers::<UInt64Type>(self.ends.clone())
    }

    /// Hands over the words that were added since the last time, and what their grams of
    /// `gram_words` words select: values, and positions among all words. They are let go here.
    fn hand_over_new_words_and_grams(
        &mut self,
        py: Python<'_>,
        gram_words: usize,
    ) -> PyResult<(Column, Column, Column)> {
        let hashes = run_unwatched(py, || self.concat_and_clear_pieces())?;
        let words_before = self.handed;
        let documents = self.ends.partition_point(|&end| end <= words_before);
        self.handed = words_before + hashes.len() as u64;
        let first = u32::try_from(self.handed).map(|_| words_before as u32).map_err(|_| {
            let limit = passages::MAX_WORDS;
            let count = self.handed;
            OptionError::new_err(KernelError::TooManyRows { count, limit }.to_string())
        })?;
        let ends: Vec<u64> = self.ends[documents..].iter().map(|&end| end - words_before).collect();
        let (values, positions) = run_watched(py, None, |watch| {
            let words = Words::new(&hashes, &ends);
            let progress = Progress::stage(watch, 0.0, 1.0);
            passages::select_grams(words, gram_words, first, self.jobs, &progress)
        })?;
        Ok((
            from_numbers::<UInt64Type>(hashes),
            from_numbers::<UInt64Type>(values),
            from_numbers::<UInt32Type>(positions),
        ))
    }

    /// Finds repeated runs of at least this many words; the words are let go. The first
    /// `base_document_count` documents are a base: what stands in one of them is not repeated;
    /// afterwards the others are numbered from 0. The first `reference_document_count` of these are
    /// a reference: of the runs, those are found that stand in it and in a later document.
    #[pyo3(signature = (
        least_words, progress=None, base_document_count=0, reference_document_count=0
    ))]
    fn find_repeated_outside_base(
        &mut self,
        py: Python<'_>,
        least_words: usize,
        progress: Option<Py<PyAny>>,
        base_document_count: usize,
        reference_document_count: usize,
    ) -> PyResult<RepeatedRuns> {
        let hashes = run_unwatched(py, || self.concat_and_clear_pieces())?;
        let ends = std::mem::take(&mut self.ends);
        let words = Words::new(&hashes, &ends)
            .with_base(base_document_count)
            .with_reference(reference_document_count);
        let blocks = run_watched(py, progress.as_ref(), |watch| {
            passages::find_blocks(words, least_words, self.jobs, watch)
        })?;
        Ok(RepeatedRuns { ends: words.ends_after_base(), blocks })
    }
}

/// The words of all documents of a collection, as it handed them over.
#[pyclass(frozen, module = "ilk._kernels")]
pub struct DocumentWords {
    hashes: PrimitiveArray<UInt64Type>,
    ends: PrimitiveArray<UInt64Type>,
}

#[pymethods]
impl DocumentWords {
    /// The `hashes` of all words, and `document_ends` among them.
    #[new]
    #[pyo3(signature = (*, hashes, document_ends))]
    fn new(hashes: Column, document_ends: Column) -> PyResult<Self> {
        let hashes = columns::number_array::<UInt64Type>(hashes)?;
        let ends = columns::number_array::<UInt64Type>(document_ends)?;
        let last = ends.values().last().copied().unwrap_or(0);
        if !ends.values().is_sorted() || last != hashes.len() as u64 {
            return Err(PyValueError::new_err("the ends do not ascend to the number of words"));
        }
        Ok(Self { hashes, ends })
    }
}

impl DocumentWords {
    fn borrow(&self) -> Words<'_> {
        Words::new(self.hashes.values(), self.ends.values())
    }
}

/// The selections of the grams of all words, as a collection handed them over.
#[pyclass(frozen, module = "ilk._kernels")]
pub struct SelectedGrams {
    values: PrimitiveArray<UInt64Type>,
    positions: PrimitiveArray<UInt32Type>,
}

#[pymethods]
impl SelectedGrams {
    /// The selected `values`, and their `positions` among all words.
    #[new]
    #[pyo3(signature = (*, values, positions))]
    fn new(values: Column, positions: Column) -> PyResult<Self> {
        let values = columns::number_array::<UInt64Type>(values)?;
        let positions = columns::number_array::<UInt32Type>(positions)?;
        if values.values().len() != positions.values().len() {
            return Err(PyValueError::new_err("the columns differ in length"));
        }
        Ok(Self { values, positions })
    }
}

/// The copies of one part of a collection as columns: place, place of the first, number of grams.
type CopyColumns = (Column, Column, Column);

/// The same as arrays.
struct CopyArrays {
    places: PrimitiveArray<UInt32Type>,
    firsts: PrimitiveArray<UInt32Type>,
    gram_counts: PrimitiveArray<UInt32Type>,
}

impl CopyArrays {
    fn new((places, firsts, gram_counts): CopyColumns) -> PyResult<Self> {
        if [firsts.0.len(), gram_counts.0.len()] != [places.0.len(); 2] {
            return Err(PyValueError::new_err("the columns differ in length"));
        }
        Ok(Self {
            places: columns::number_array(places)?,
            firsts: columns::number_array(firsts)?,
            gram_counts: columns::number_array(gram_counts)?,
        })
    }

    fn iter(&self) -> impl Iterator<Item = Copy> + Clone {
        let firsts = self.places.values().iter().zip(self.firsts.values());
        let each = firsts.zip(self.gram_counts.values());
        each.map(|((&place, &first), &gram_count)| Copy { place, first, gram_count })
    }
}

/// Repeated runs of a collection.
#[pyclass(module = "ilk._kernels", frozen)]
pub struct RepeatedRuns {
    ends: Vec<u64>,
    blocks: Blocks,
}

impl RepeatedRuns {
    /// The document of a position among all words, and the word's number in it.
    fn document_and_word(&self, position: u32) -> (i64, i64) {
        let document = self.ends.partition_point(|&end| end <= u64::from(position));
        let start = document.checked_sub(1).map_or(0, |before| self.ends[before]);
        (document as i64, i64::from(position) - start as i64)
    }

    /// The place of each document in a ranking of all.
    fn read_ranks(&self, ranking: Column) -> PyResult<Vec<u32>> {
        let ranking = crate::pairs::row_numbers(ranking, self.ends.len())?;
        let mut ranks = vec![u32::MAX; self.ends.len()];
        for (rank, &document) in (0..).zip(&ranking) {
            ranks[document as usize] = rank;
        }
        if ranking.len() != ranks.len() || ranks.contains(&u32::MAX) {
            return Err(PyValueError::new_err("a ranking has every document once"));
        }
        Ok(ranks)
    }

    fn read_groups(&self, column: Option<Column>) -> PyResult<Option<PrimitiveArray<UInt32Type>>> {
        let groups = column.map(columns::number_array::<UInt32Type>).transpose()?;
        self.check_groups(groups.as_ref().map(|groups| groups.values().len()))?;
        Ok(groups)
    }

    fn check_groups(&self, count: Option<usize>) -> PyResult<()> {
        if count.is_some_and(|count| count != self.ends.len()) {
            return Err(PyValueError::new_err("there is not one group for each document"));
        }
        Ok(())
    }
}

/// Numbers as a column.
fn to_column(numbers: impl Iterator<Item = i64>) -> Column {
    from_numbers::<Int64Type>(numbers.collect())
}

#[pymethods]
impl RepeatedRuns {
    /// The runs that the copies of all parts (`find_copies`) make; `base_document_count` and
    /// `reference_document_count` as of `Collection.find_repeated_outside_base`.
    #[staticmethod]
    #[pyo3(signature = (
        words, least_words, copies_by_part, progress=None, base_document_count=0,
        reference_document_count=0
    ))]
    fn from_copies(
        py: Python<'_>,
        words: &DocumentWords,
        least_words: usize,
        copies_by_part: Vec<CopyColumns>,
        progress: Option<Py<PyAny>>,
        base_document_count: usize,
        reference_document_count: usize,
    ) -> PyResult<Self> {
        let parts =
            copies_by_part.into_iter().map(CopyArrays::new).collect::<PyResult<Vec<_>>>()?;
        let words =
            words.borrow().with_base(base_document_count).with_reference(reference_document_count);
        let end = words.hashes.len() as u64 + 1;
        let within = |at: u32, gram_count: u32| {
            u64::from(at) + u64::from(gram_count) + least_words as u64 <= end
        };
        let fits = |one: Copy| within(one.place, one.gram_count) && one.first < one.place;
        if !parts.iter().all(|part| part.iter().all(fits) && part.places.values().is_sorted()) {
            return Err(PyValueError::new_err("the copies are not of these words"));
        }
        let blocks = run_watched(py, progress.as_ref(), |watch| {
            let parts = parts.iter().map(CopyArrays::iter).collect();
            passages::make_blocks(words, least_words, parts, watch)
        })?;
        Ok(Self { ends: words.ends_after_base(), blocks })
    }

    /// Per document its number of words.
    fn count_words(&self) -> Column {
        let starts = std::iter::once(&0).chain(&self.ends);
        to_column(starts.zip(&self.ends).map(|(&start, &end)| (end - start) as i64))
    }

    /// The longest runs: passage, document, first word, word after the last, places in all, and
    /// document and first word of another place; in the documents from `first_document` to before
    /// `end_document`. With `groups`, one per document, places of one
    /// group are not others, and a document without a group is left out.
    #[pyo3(signature = (groups=None, first_document=0, end_document=usize::MAX))]
    fn find_longest_runs_with_other_place(
        &self,
        py: Python<'_>,
        groups: Option<Column>,
        first_document: usize,
        end_document: usize,
    ) -> PyResult<Vec<Column>> {
        let groups = groups.map(columns::number_array_with_nulls::<UInt32Type>).transpose()?;
        let groups: Option<Vec<u32>> = groups
            .map(|groups| groups.iter().map(|group| group.unwrap_or(passages::LEFT_OUT)).collect());
        self.check_groups(groups.as_ref().map(Vec::len))?;
        let groups = groups.as_deref();
        let documents = first_document..end_document;
        let find = |watch: Watch<'_>| self.blocks.find_runs_in(documents, groups, watch);
        let runs = run_watched(py, None, find)?;
        let mut columns: [Vec<i64>; 7] = std::array::from_fn(|_| Vec::new());
        for column in &mut columns {
            column.reserve_exact(runs.len());
        }
        for run in runs {
            let ((document, start), other) =
                (self.document_and_word(run.start), self.document_and_word(run.other));
            let words = i64::from(run.end - run.start);
            let (passage, places) = (i64::from(run.passage), i64::from(run.occurrences));
            let row = [passage, document, start, start + words, places, other.0, other.1];
            columns.iter_mut().zip(row).for_each(|(column, value)| column.push(value));
        }
        Ok(columns.into_iter().map(from_numbers::<Int64Type>).collect())
    }

    /// All places of a run that `find_longest_runs_with_other_place` gave: documents, and first
    /// words.
    fn find_all_places_of_run(
        &self,
        py: Python<'_>,
        document: usize,
        first_word: u64,
        end_word: u64,
    ) -> PyResult<(Column, Column)> {
        if document >= self.ends.len() {
            return Err(PyValueError::new_err("there is no such document"));
        }
        let before = document.checked_sub(1).map_or(0, |before| self.ends[before]);
        let word = |at: u64| u32::try_from(before + at).unwrap_or(u32::MAX);
        let places = run_infallible(py, || {
            self.blocks.find_places_of_run(word(first_word), word(end_word))
        })?;
        let places: Vec<_> = places.into_iter().map(|word| self.document_and_word(word)).collect();
        Ok((
            to_column(places.iter().map(|place| place.0)),
            to_column(places.iter().map(|place| place.1)),
        ))
    }

    /// Words that a place before has: document, first word, word after the last, and document and
    /// first word of the place that stays. `ranking`: all documents, first ones first; by default
    /// they are in reading order.
    #[pyo3(signature = (groups=None, ranking=None))]
    fn find_words_to_cut(
        &self,
        py: Python<'_>,
        groups: Option<Column>,
        ranking: Option<Column>,
    ) -> PyResult<Vec<Column>> {
        let groups = self.read_groups(groups)?;
        let groups = groups.as_ref().map(|groups| &groups.values()[..]);
        let ranks = ranking.map(|ranking| self.read_ranks(ranking)).transpose()?;
        let cuts = run_infallible(py, || {
            self.blocks.find_words_with_earlier_place(groups, ranks.as_deref())
        })?;
        let places: Vec<_> = cuts.iter().map(|cut| self.document_and_word(cut.start)).collect();
        let earlier: Vec<_> = cuts.iter().map(|cut| self.document_and_word(cut.earlier)).collect();
        let both = || cuts.iter().zip(&places);
        Ok(vec![
            to_column(places.iter().map(|place| place.0)),
            to_column(places.iter().map(|place| place.1)),
            to_column(both().map(|(cut, place)| place.1 + i64::from(cut.end - cut.start))),
            to_column(earlier.iter().map(|place| place.0)),
            to_column(earlier.iter().map(|place| place.1)),
        ])
    }

    /// Per document how many of its words occur elsewhere, before it, and only in itself.
    #[pyo3(signature = (groups=None))]
    fn count_words_elsewhere_before_inside(
        &self,
        py: Python<'_>,
        groups: Option<Column>,
    ) -> PyResult<Vec<Column>> {
        let groups = self.read_groups(groups)?;
        let groups = groups.as_ref().map(|groups| &groups.values()[..]);
        let shares =
            run_infallible(py, || self.blocks.count_repeated_words(self.ends.len(), groups))?;
        Ok(vec![
            to_column(shares.iter().map(|share| i64::from(share.elsewhere))),
            to_column(shares.iter().map(|share| i64::from(share.before))),
            to_column(shares.iter().map(|share| i64::from(share.itself))),
        ])
    }

    /// The documents to drop: more than this share of the words of each occurs in a document that
    /// comes before it in `ranking` and is not dropped. The first `baseline_size` documents never
    /// are.
    #[pyo3(signature = (ranking, baseline_size, most_repeated_share, groups=None))]
    fn find_documents_to_drop(
        &self,
        py: Python<'_>,
        ranking: Column,
        baseline_size: usize,
        most_repeated_share: Threshold,
        groups: Option<Column>,
    ) -> PyResult<Vec<i64>> {
        let groups = self.read_groups(groups)?;
        let groups = groups.as_ref().map(|groups| &groups.values()[..]);
        let ranking = crate::pairs::row_numbers(ranking, self.ends.len())?;
        let words = Words::new(&[], &self.ends);
        let dropped = run_infallible(py, || {
            self.blocks.find_documents_to_drop_above(
                words,
                &ranking,
                baseline_size,
                most_repeated_share.0,
                groups,
            )
        })?;
        Ok(dropped.into_iter().map(i64::from).collect())
    }
}

/// Finds the copies of part `part` of `parts`, by grams of `gram_words` words.
#[pyfunction]
#[pyo3(signature = (words, selected, gram_words, part, parts, progress=None))]
pub fn find_copies(
    py: Python<'_>,
    words: &DocumentWords,
    selected: &SelectedGrams,
    gram_words: usize,
    part: usize,
    parts: usize,
    progress: Option<Py<PyAny>>,
) -> PyResult<CopyColumns> {
    if part >= parts {
        return Err(PyValueError::new_err("there is no such part"));
    }
    let selected =
        Selected { values: selected.values.values(), positions: selected.positions.values() };
    let copies = run_watched(py, progress.as_ref(), |watch| {
        let part = ValuePart { number: part, of: parts };
        passages::find_copies_of_part(words.borrow(), gram_words, selected, part, watch)
    })?;
    let each = |of: fn(&Copy) -> u32| from_numbers::<UInt32Type>(copies.iter().map(of).collect());
    Ok((each(|copy| copy.place), each(|copy| copy.first), each(|copy| copy.gram_count)))
}

/// Runs of words in texts, of Python's `(rows, starts, ends)`: per run its text, ascending, its
/// first word, and the word after the last.
pub struct WordRuns {
    rows: Vec<u32>,
    starts: PrimitiveArray<Int64Type>,
    ends: PrimitiveArray<Int64Type>,
}

impl<'py> FromPyObject<'_, 'py> for WordRuns {
    type Error = PyErr;

    fn extract(columns: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        let (rows, starts, ends) = columns.extract::<(Column, Column, Column)>()?;
        let rows = crate::pairs::row_numbers(rows, u32::MAX as usize)?;
        let starts = columns::number_array::<Int64Type>(starts)?;
        let ends = columns::number_array::<Int64Type>(ends)?;
        if starts.values().len() != rows.len() || ends.values().len() != rows.len() {
            return Err(PyValueError::new_err("the columns differ in length"));
        }
        if !rows.is_sorted() {
            return Err(PyValueError::new_err("the rows do not ascend"));
        }
        Ok(Self { rows, starts, ends })
    }
}

impl WordRuns {
    /// Refuses runs of more than `texts` texts.
    fn check_rows(&self, texts: usize) -> PyResult<()> {
        match self.rows.last() {
            Some(&row) if row as usize >= texts => {
                Err(PyValueError::new_err("a row number is out of range"))
            }
            _ => Ok(()),
        }
    }

    /// Each of some texts that has a run, with its runs.
    fn runs_by_text_that_has_any(
        &self,
        texts: Range<usize>,
    ) -> impl Iterator<Item = (usize, Range<usize>)> {
        let mut at = self.rows.partition_point(|&row| (row as usize) < texts.start);
        std::iter::from_fn(move || {
            let row = *self.rows.get(at)? as usize;
            if row >= texts.end {
                return None;
            }
            let begin = at;
            at += self.rows[at..].partition_point(|&other| other as usize == row);
            Some((row, begin..at))
        })
    }
}

/// The whole units inside runs of words: per run its first word of a unit that is whole in it, and
/// the word after the last one; equal if no unit is whole.
#[pyfunction]
pub fn find_whole_units(
    py: Python<'_>,
    texts: Column,
    runs: WordRuns,
    unit: &str,
    jobs: usize,
) -> PyResult<(Column, Column)> {
    let texts = Texts::from_large_binary(texts)?;
    let unit = parse_unit(unit)?.ok_or_else(|| PyValueError::new_err("words are always whole"))?;
    runs.check_rows(texts.len())?;
    let (starts, ends) = (runs.starts.values(), runs.ends.values());
    let places = run_infallible(py, || {
        parallel::map_ranges(texts.len(), jobs, |range| {
            let mut shingler = Shingler::default();
            let mut places = Vec::new();
            for (row, runs) in runs.runs_by_text_that_has_any(range) {
                let text = texts.get(row).unwrap_or_default();
                let (firsts, words) = shingler.first_words_of_units(&text, NORMALISATION, unit);
                let bounds: Vec<i64> =
                    firsts.into_iter().chain([words]).map(|word| word as i64).collect();
                for run in runs {
                    let first = bounds.partition_point(|&word| word < starts[run]);
                    let last = bounds.partition_point(|&word| word <= ends[run]);
                    places.push(match bounds.get(first..last) {
                        Some([first, .., last]) => (*first, *last),
                        _ => (starts[run], starts[run]),
                    });
                }
            }
            places
        })
        .concat()
    })?;
    Ok((
        to_column(places.iter().map(|place| place.0)),
        to_column(places.iter().map(|place| place.1)),
    ))
}

/// Bytes of runs of words in their texts: the first, and the one after the last; fewer than are
/// asked for if a text lacks such words. First and last words ascend in a text.
#[pyfunction]
pub fn locate_existing_runs_in_bytes(
    py: Python<'_>,
    texts: Column,
    runs: WordRuns,
    jobs: usize,
) -> PyResult<(Column, Column)> {
    let texts = Texts::from_large_binary(texts)?;
    runs.check_rows(texts.len())?;
    let bounded = |word: i64| usize::try_from(word).unwrap_or(0);
    let spans: Vec<(usize, usize)> = runs
        .starts
        .values()
        .iter()
        .zip(runs.ends.values())
        .map(|(&start, &end)| (bounded(start), bounded(end - 1)))
        .collect();
    let places = run_infallible(py, || {
        parallel::map_ranges(texts.len(), jobs, |range| {
            let mut shingler = Shingler::default();
            let mut places = Vec::new();
            for (row, runs) in runs.runs_by_text_that_has_any(range) {
                if let Some(text) = texts.get(row) {
                    places.extend(shingler.places_of_spans(&text, NORMALISATION, &spans[runs]));
                }
            }
            places
        })
        .concat()
    })?;
    Ok((
        to_column(places.iter().map(|place| place.start as i64)),
        to_column(places.iter().map(|place| place.end as i64)),
    ))
}
