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
use crate::watch::{OptionError, run_heard, run_unwatched, run_watched};

/// Normalisation of texts before their words are compared.
const NORMALISATION: Normalisation = Normalisation::Fold;

/// Words of a piece, at most, that takes those of the next too: documents may come one by one.
const SMALL: usize = 1 << 16;

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
    fn take_words(&mut self) -> Result<Vec<u64>, KernelError> {
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

/// The unit of a name; None for words, which are compared one by one.
fn unit_of(name: &str) -> PyResult<Option<TextUnit>> {
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
    /// A collection of no documents; `unit` is compared as a whole, with at least `least` words.
    #[new]
    #[pyo3(signature = (jobs, unit="words", least=1))]
    fn new(jobs: usize, unit: &str, least: usize) -> PyResult<Self> {
        let unit = unit_of(unit)?.map(|unit| (unit, least));
        Ok(Self { jobs, unit, pieces: Vec::new(), ends: Vec::new(), handed: 0 })
    }

    /// Adds the words of some documents. Those in paragraphs and lines whose hashes are among
    /// `common` (ascending, of `block_hashes`) are like no others.
    #[pyo3(signature = (texts, common=None))]
    fn add(&mut self, py: Python<'_>, texts: Column, common: Option<Column>) -> PyResult<()> {
        let texts = Texts::new(texts)?;
        let common = common.map(columns::number_array::<UInt64Type>).transpose()?;
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
            let parts = parallel::map(texts.len(), self.jobs, |rows| {
                let (mut hashes, mut ends) = (Vec::new(), Vec::new());
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
    fn ends(&self) -> Column {
        from_numbers::<UInt64Type>(self.ends.clone())
    }

    /// Hands over the words that were added since the last time, and what their grams of `least`
    /// words select: values, and positions among all words. They are let go here.
    fn hand_over(&mut self, py: Python<'_>, least: usize) -> PyResult<(Column, Column, Column)> {
        let hashes = run_unwatched(py, || self.take_words())?;
        let base = self.handed;
        let documents = self.ends.partition_point(|&end| end <= base);
        self.handed = base + hashes.len() as u64;
        let first = u32::try_from(self.handed).map(|_| base as u32).map_err(|_| {
            let limit = passages::MAX_WORDS;
            let count = self.handed;
            OptionError::new_err(KernelError::TooManyRows { count, limit }.to_string())
        })?;
        let ends: Vec<u64> = self.ends[documents..].iter().map(|&end| end - base).collect();
        let (values, grams) = run_watched(py, None, |watch| {
            let words = Words::new(&hashes, &ends);
            let progress = Progress::stage(watch, 0.0, 1.0);
            passages::select_grams(words, least, first, self.jobs, &progress)
        })?;
        Ok((
            from_numbers::<UInt64Type>(hashes),
            from_numbers::<UInt64Type>(values),
            from_numbers::<UInt32Type>(grams),
        ))
    }

    /// Find repeated runs of at least this many words; the words are let go. The first `base`
    /// documents are a base: what stands in one of them is not repeated; afterwards
    /// the others are numbered from 0. The first `reference` of these are a reference: of the runs,
    /// those are found that stand in it and in a later document.
    #[pyo3(signature = (least, progress=None, base=0, reference=0))]
    fn finish(
        &mut self,
        py: Python<'_>,
        least: usize,
        progress: Option<Py<PyAny>>,
        base: usize,
        reference: usize,
    ) -> PyResult<Repeated> {
        let hashes = run_unwatched(py, || self.take_words())?;
        let ends = std::mem::take(&mut self.ends);
        let words = Words::new(&hashes, &ends).with_base(base).with_reference(reference);
        let blocks = run_watched(py, progress.as_ref(), |watch| {
            passages::find_blocks(words, least, self.jobs, watch)
        })?;
        Ok(Repeated { ends: words.ends_after_base(), blocks })
    }
}

/// The copies of a part, in columns.
struct Copies<'a> {
    places: &'a [u32],
    firsts: &'a [u32],
    grams: &'a [u32],
}

type Numbers = PrimitiveArray<UInt32Type>;

impl<'a> Copies<'a> {
    fn new((places, firsts, grams): &'a (Numbers, Numbers, Numbers)) -> Self {
        Self { places: places.values(), firsts: firsts.values(), grams: grams.values() }
    }

    fn iter(&self) -> impl Iterator<Item = Copy> + Clone {
        let each = self.places.iter().zip(self.firsts).zip(self.grams);
        each.map(|((&place, &first), &grams)| Copy { place, first, grams })
    }
}

/// Repeated runs of a collection.
#[pyclass(module = "ilk._kernels", frozen)]
pub struct Repeated {
    ends: Vec<u64>,
    blocks: Blocks,
}

impl Repeated {
    /// The document of a word, and the word's number in it.
    fn place(&self, word: u32) -> (i64, i64) {
        let document = self.ends.partition_point(|&end| end <= u64::from(word));
        let start = document.checked_sub(1).map_or(0, |before| self.ends[before]);
        (document as i64, i64::from(word) - start as i64)
    }

    /// The place of each document in a ranking of all.
    fn ranks(&self, ranking: Column) -> PyResult<Vec<u32>> {
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

    fn groups(&self, column: Option<Column>) -> PyResult<Option<PrimitiveArray<UInt32Type>>> {
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
fn number_column(numbers: impl Iterator<Item = i64>) -> Column {
    from_numbers::<Int64Type>(numbers.collect())
}

#[pymethods]
impl Repeated {
    /// Put together the copies of all parts (`passage_copies`), by the ends of documents; `base` and
    /// `reference` as of `Collection.finish`.
    #[staticmethod]
    #[pyo3(signature = (hashes, ends, least, copies, progress=None, base=0, reference=0))]
    #[allow(clippy::too_many_arguments)]
    fn of_copies(
        py: Python<'_>,
        hashes: Column,
        ends: Column,
        least: usize,
        copies: Vec<(Column, Column, Column)>,
        progress: Option<Py<PyAny>>,
        base: usize,
        reference: usize,
    ) -> PyResult<Self> {
        let hashes = columns::number_array::<UInt64Type>(hashes)?;
        let ends = columns::number_array::<UInt64Type>(ends)?.values().to_vec();
        let mut parts = Vec::new();
        for (places, firsts, grams) in copies {
            let [places, firsts, grams] =
                [places, firsts, grams].map(columns::number_array::<UInt32Type>);
            parts.push((places?, firsts?, grams?));
        }
        let words = Words::new(hashes.values(), &ends).with_base(base).with_reference(reference);
        let within = |at: u32, grams: u32| {
            u64::from(at) + u64::from(grams) + least as u64 <= hashes.values().len() as u64 + 1
        };
        let parts: Vec<_> = parts.iter().map(Copies::new).collect();
        let fits = |one: Copy| within(one.place, one.grams) && one.first < one.place;
        if !parts.iter().all(|part| part.iter().all(fits) && part.places.is_sorted()) {
            return Err(PyValueError::new_err("the copies are not of these words"));
        }
        let blocks = run_watched(py, progress.as_ref(), |watch| {
            let parts = parts.iter().map(Copies::iter).collect();
            passages::make_blocks(words, least, parts, watch)
        })?;
        Ok(Self { ends: words.ends_after_base(), blocks })
    }

    /// Per document its number of words.
    fn words(&self) -> Column {
        let starts = std::iter::once(&0).chain(&self.ends);
        number_column(starts.zip(&self.ends).map(|(&start, &end)| (end - start) as i64))
    }

    /// The longest runs: passage, document, first word, word after the last, places in all, and
    /// document and first word of another place; in the documents from `begin` to before `end`.
    /// A document without a group is left out.
    #[pyo3(signature = (groups=None, begin=0, end=usize::MAX))]
    fn runs(
        &self,
        py: Python<'_>,
        groups: Option<Column>,
        begin: usize,
        end: usize,
    ) -> PyResult<Vec<Column>> {
        let groups = groups.map(columns::number_array_with_nulls::<UInt32Type>).transpose()?;
        let groups: Option<Vec<u32>> = groups
            .map(|groups| groups.iter().map(|group| group.unwrap_or(passages::LEFT_OUT)).collect());
        self.check_groups(groups.as_ref().map(Vec::len))?;
        let groups = groups.as_deref();
        let find = |watch: Watch<'_>| self.blocks.find_runs_in(begin..end, groups, watch);
        let runs = run_watched(py, None, find)?;
        let mut columns: [Vec<i64>; 7] = std::array::from_fn(|_| Vec::new());
        for column in &mut columns {
            column.reserve_exact(runs.len());
        }
        for run in runs {
            let ((document, start), other) = (self.place(run.start), self.place(run.other));
            let words = i64::from(run.end - run.start);
            let (passage, places) = (i64::from(run.passage), i64::from(run.occurrences));
            let row = [passage, document, start, start + words, places, other.0, other.1];
            columns.iter_mut().zip(row).for_each(|(column, value)| column.push(value));
        }
        Ok(columns.into_iter().map(from_numbers::<Int64Type>).collect())
    }

    /// All places of a run that `runs` gave: documents, and first words.
    fn places(
        &self,
        py: Python<'_>,
        document: usize,
        start: u64,
        end: u64,
    ) -> PyResult<(Column, Column)> {
        if document >= self.ends.len() {
            return Err(PyValueError::new_err("there is no such document"));
        }
        let before = document.checked_sub(1).map_or(0, |before| self.ends[before]);
        let word = |at: u64| u32::try_from(before + at).unwrap_or(u32::MAX);
        let places = run_heard(py, || self.blocks.all_places(word(start), word(end)))?;
        let places: Vec<_> = places.into_iter().map(|word| self.place(word)).collect();
        Ok((
            number_column(places.iter().map(|place| place.0)),
            number_column(places.iter().map(|place| place.1)),
        ))
    }

    /// Words that a place before has: document, first word, word after the last, and document and
    /// first word of the place that stays. `ranking`: all documents, first ones first; by default
    /// they are in reading order.
    #[pyo3(signature = (groups=None, ranking=None))]
    fn cuts(
        &self,
        py: Python<'_>,
        groups: Option<Column>,
        ranking: Option<Column>,
    ) -> PyResult<Vec<Column>> {
        let groups = self.groups(groups)?;
        let groups = groups.as_ref().map(|groups| &groups.values()[..]);
        let ranks = ranking.map(|ranking| self.ranks(ranking)).transpose()?;
        let cuts = run_heard(py, || self.blocks.words_to_cut(groups, ranks.as_deref()))?;
        let places: Vec<_> = cuts.iter().map(|cut| self.place(cut.start)).collect();
        let earlier: Vec<_> = cuts.iter().map(|cut| self.place(cut.earlier)).collect();
        let both = || cuts.iter().zip(&places);
        Ok(vec![
            number_column(places.iter().map(|place| place.0)),
            number_column(places.iter().map(|place| place.1)),
            number_column(both().map(|(cut, place)| place.1 + i64::from(cut.end - cut.start))),
            number_column(earlier.iter().map(|place| place.0)),
            number_column(earlier.iter().map(|place| place.1)),
        ])
    }

    /// Per document how many of its words occur elsewhere, before it, and only in itself.
    #[pyo3(signature = (groups=None))]
    fn shares(&self, py: Python<'_>, groups: Option<Column>) -> PyResult<Vec<Column>> {
        let groups = self.groups(groups)?;
        let groups = groups.as_ref().map(|groups| &groups.values()[..]);
        let shares = run_heard(py, || self.blocks.count_shared_words(self.ends.len(), groups))?;
        Ok(vec![
            number_column(shares.iter().map(|share| i64::from(share.elsewhere))),
            number_column(shares.iter().map(|share| i64::from(share.before))),
            number_column(shares.iter().map(|share| i64::from(share.itself))),
        ])
    }

    /// Per document whether it is dropped: more than `numerator / denominator` of its words occur
    /// in a document that comes before it in `ranking` and is not dropped. The first `held`
    /// documents never are.
    #[pyo3(signature = (ranking, held, numerator, denominator, groups=None))]
    fn dropped(
        &self,
        py: Python<'_>,
        ranking: Column,
        held: usize,
        numerator: u64,
        denominator: u64,
        groups: Option<Column>,
    ) -> PyResult<Vec<i64>> {
        let groups = self.groups(groups)?;
        let groups = groups.as_ref().map(|groups| &groups.values()[..]);
        let ranking = crate::pairs::row_numbers(ranking, self.ends.len())?;
        let words = Words::new(&[], &self.ends);
        let limit = ilk_joins::overlap::Ratio { numerator, denominator };
        let dropped =
            run_heard(py, || self.blocks.documents_to_drop(words, &ranking, held, limit, groups))?;
        Ok(dropped.into_iter().map(i64::from).collect())
    }
}

/// The copies of one part of a collection, as places, places of their first, and numbers of grams.
///
/// `hashes`, `values`, `grams`: what a collection handed over; `ends` of its documents.
#[pyfunction]
#[pyo3(signature = (hashes, ends, values, grams, least, part, parts, progress=None))]
#[allow(clippy::too_many_arguments)]
pub fn passage_copies(
    py: Python<'_>,
    hashes: Column,
    ends: Column,
    values: Column,
    grams: Column,
    least: usize,
    part: usize,
    parts: usize,
    progress: Option<Py<PyAny>>,
) -> PyResult<(Column, Column, Column)> {
    let hashes = columns::number_array::<UInt64Type>(hashes)?;
    let ends = columns::number_array::<UInt64Type>(ends)?;
    let values = columns::number_array::<UInt64Type>(values)?;
    let grams = columns::number_array::<UInt32Type>(grams)?;
    if values.values().len() != grams.values().len() || parts == 0 {
        return Err(PyValueError::new_err("the columns differ in length"));
    }
    let selected = Selected { values: values.values(), grams: grams.values() };
    let copies = run_watched(py, progress.as_ref(), |watch| {
        let words = Words::new(hashes.values(), ends.values());
        let part = ValuePart { number: part, of: parts };
        passages::copies_of_part(words, least, selected, part, watch)
    })?;
    let each = |of: fn(&Copy) -> u32| from_numbers::<UInt32Type>(copies.iter().map(of).collect());
    Ok((each(|copy| copy.place), each(|copy| copy.first), each(|copy| copy.grams)))
}

/// Runs of words in texts, by the rows of the texts.
struct Runs {
    rows: Vec<u32>,
    starts: PrimitiveArray<Int64Type>,
    ends: PrimitiveArray<Int64Type>,
}

impl Runs {
    fn new(texts: usize, rows: Column, starts: Column, ends: Column) -> PyResult<Self> {
        let rows = crate::pairs::row_numbers(rows, texts)?;
        let starts = columns::number_array::<Int64Type>(starts)?;
        let ends = columns::number_array::<Int64Type>(ends)?;
        if starts.values().len() != rows.len() || ends.values().len() != rows.len() {
            return Err(PyValueError::new_err("the columns differ in length"));
        }
        Ok(Self { rows, starts, ends })
    }

    /// Each of some texts that has a run, with its runs; the rows ascend.
    fn by_text(&self, texts: Range<usize>) -> impl Iterator<Item = (usize, Range<usize>)> {
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
///
/// `rows`: per run its text, ascending; `starts` and `ends`: its first word and the word after the
/// last.
#[pyfunction]
pub fn whole_units(
    py: Python<'_>,
    texts: Column,
    rows: Column,
    starts: Column,
    ends: Column,
    unit: &str,
    jobs: usize,
) -> PyResult<(Column, Column)> {
    let texts = Texts::new(texts)?;
    let unit = unit_of(unit)?.ok_or_else(|| PyValueError::new_err("words are always whole"))?;
    let runs = Runs::new(texts.len(), rows, starts, ends)?;
    if !runs.rows.is_sorted() {
        return Err(PyValueError::new_err("the rows do not ascend"));
    }
    let (starts, ends) = (runs.starts.values(), runs.ends.values());
    let places = run_heard(py, || {
        parallel::map(texts.len(), jobs, |range| {
            let mut shingler = Shingler::default();
            let mut places = Vec::new();
            for (row, runs) in runs.by_text(range) {
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
        number_column(places.iter().map(|place| place.0)),
        number_column(places.iter().map(|place| place.1)),
    ))
}

/// Bytes of runs of words in their texts: the first, and the one after the last; fewer than are
/// asked for if a text lacks such words.
///
/// `rows`: per run its text, ascending; `starts` and `ends`: its first word and the word after the
/// last, both ascending in a text.
#[pyfunction]
pub fn word_spans(
    py: Python<'_>,
    texts: Column,
    rows: Column,
    starts: Column,
    ends: Column,
    jobs: usize,
) -> PyResult<(Column, Column)> {
    let texts = Texts::new(texts)?;
    let runs = Runs::new(texts.len(), rows, starts, ends)?;
    let bounded = |word: i64| usize::try_from(word).unwrap_or(0);
    let spans: Vec<(usize, usize)> = runs
        .starts
        .values()
        .iter()
        .zip(runs.ends.values())
        .map(|(&start, &end)| (bounded(start), bounded(end - 1)))
        .collect();
    let places = run_heard(py, || {
        parallel::map(texts.len(), jobs, |range| {
            let mut shingler = Shingler::default();
            let mut places = Vec::new();
            for (row, runs) in runs.by_text(range) {
                if let Some(text) = texts.get(row) {
                    places.extend(shingler.places_of_spans(&text, NORMALISATION, &spans[runs]));
                }
            }
            places
        })
        .concat()
    })?;
    Ok((
        number_column(places.iter().map(|place| place.start as i64)),
        number_column(places.iter().map(|place| place.end as i64)),
    ))
}
