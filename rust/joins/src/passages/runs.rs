//! The longest runs of words that occur at two places.

use super::{Blocks, LEFT_OUT, LOOKED, suffixes};
use crate::error::{KernelError, Watch};
use crate::progress::Progress;
use crate::{reserve, stop};
use std::ops::Range;

/// A run of words of one document that occurs at another place too, and lies in no longer run that
/// does. Positions are those of the whole collection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Run {
    /// Equal for runs of equal words, in the order of the first places of those words.
    pub passage: u32,
    /// Position of its first word.
    pub start: u32,
    /// Position after its last word.
    pub end: u32,
    /// All places of its words, those inside longer runs too.
    pub occurrences: u32,
    /// First other place of its words (with groups: in another group).
    pub other: u32,
}

/// Bytes for a block, or the end of a row of them, while runs are found: the most is held where the
/// order, what neighbours have in common, the groups and the reaches are.
const SYMBOL_BYTES: usize = 16;

/// No symbol.
const NONE: u32 = u32::MAX;

/// Blocks as symbols in reading order, with one that ends each row of touching blocks.
struct Symbols {
    /// The class of each block, numbered anew; `end` ends a row.
    list: Vec<u32>,
    /// Greater than every class.
    end: u32,
    /// Number of those that are blocks.
    blocks: usize,
    /// Those of the documents whose runs are wanted.
    wanted: Range<usize>,
}

/// A run as symbols.
struct SymbolRun {
    /// The first, and how many there are.
    start: u32,
    count: u32,
    occurrences: u32,
    /// The first place of its words, and the first that is another than this one.
    first: u32,
    other: u32,
}

impl Blocks {
    /// The longest runs of words that occur at two places, in reading order.
    ///
    /// `groups`: per document a number; a second place counts only in a document of another one,
    /// and documents of the group [`LEFT_OUT`] have no place. Without groups every other place
    /// counts.
    ///
    /// # Errors
    /// [`KernelError::NoReserve`]; [`KernelError::Interrupted`] if `watch` asks to stop.
    pub fn find_runs(&self, groups: Option<&[u32]>, watch: Watch) -> Result<Vec<Run>, KernelError> {
        self.find_runs_in(0..usize::MAX, groups, watch)
    }

    /// Those of these runs that are in some documents, with numbers of passages of their own. The
    /// other runs take no memory.
    ///
    /// # Errors
    /// As of [`Self::find_runs`].
    pub fn find_runs_in(
        &self,
        documents: Range<usize>,
        groups: Option<&[u32]>,
        watch: Watch,
    ) -> Result<Vec<Run>, KernelError> {
        let progress = Progress::stage(watch, 0.0, 1.0);
        let classes = groups.map(|groups| self.number_shared_classes_or_max(groups)).transpose()?;
        let selected = SelectedBlocks { blocks: self, groups, classes };
        let symbols = selected.list_symbols_and_row_ends(documents)?;
        let (count, wanted) = (symbols.blocks, symbols.wanted);
        let mut order = suffixes::sort_suffixes(&symbols.list, symbols.end as usize + 1);
        progress.ask_watch()?;
        let common = suffixes::measure_common_prefixes(&symbols.list, symbols.end, &order);
        let length = symbols.list.len();
        drop(symbols.list);
        progress.ask_watch()?;

        // The ends of rows are last in order, after all blocks.
        order.truncate(count);
        let group_of_symbol = selected.list_groups(length)?;
        let group = |symbol: u32| match &group_of_symbol {
            Some(groups) => groups[symbol as usize],
            // Every place counts as one of another group.
            None => symbol,
        };
        let mut reach = find_reaches(&order, &common, length, group);
        let mut found = find_longest_runs(&reach, wanted);
        set_first_to_place_in_order(&order, &mut reach, &mut found);
        drop(reach);
        progress.ask_watch()?;
        fill_in_places(&order, &common[..count], &mut found, group);
        drop((order, common, group_of_symbol));
        progress.ask_watch()?;
        Ok(number_passages(self, &selected.list_blocks(length)?, found))
    }
}

/// The blocks that are looked at: all, or those of every run that stands in two groups. Beside a
/// large collection, a small one shares few of its blocks.
struct SelectedBlocks<'a> {
    blocks: &'a Blocks,
    groups: Option<&'a [u32]>,
    /// Per class its number among those that stand in two groups, or `NONE`.
    classes: Option<Vec<u32>>,
}

impl SelectedBlocks<'_> {
    /// Every block that is looked at, in reading order, and before it whether a row ends there; no
    /// row ends before the first block.
    fn each_with_row_ended_before(&self) -> impl Iterator<Item = (bool, usize)> {
        let mut before = None;
        (0..self.blocks.len()).filter(|&block| self.is_selected(block)).map(move |block| {
            let touches = before.is_some_and(|before| before + 1 == block);
            let ended = before.is_some() && !(touches && self.blocks.joined[block]);
            before = Some(block);
            (ended, block)
        })
    }

    fn is_selected(&self, block: usize) -> bool {
        let class = self.blocks.classes[block] as usize;
        self.classes.as_ref().is_none_or(|numbers| numbers[class] != NONE)
            && self.groups.is_none_or(|groups| self.group(block, groups) != LEFT_OUT)
    }

    fn group(&self, block: usize, groups: &[u32]) -> u32 {
        groups[self.blocks.documents[block] as usize]
    }

    /// The symbols, and which of them are those of some documents.
    fn list_symbols_and_row_ends(&self, documents: Range<usize>) -> Result<Symbols, KernelError> {
        let length =
            self.each_with_row_ended_before().map(|(ended, _)| 1 + usize::from(ended)).sum();
        reserve::check_room(SYMBOL_BYTES * length)?;
        let mut list = reserve::new_list(length)?;
        let mut end = self.blocks.gram_counts.len() as u32;
        if let Some(numbers) = &self.classes {
            end = numbers.iter().filter(|&&number| number != NONE).count() as u32;
        }
        let (mut blocks, mut wanted) = (0, 0..0);
        for (ended, block) in self.each_with_row_ended_before() {
            if ended {
                list.push(end);
            }
            let document = self.blocks.documents[block] as usize;
            let class = self.blocks.classes[block];
            let number = self.classes.as_ref().map_or(class, |numbers| numbers[class as usize]);
            if document < documents.start {
                wanted.start = list.len() + 1;
            }
            list.push(number);
            blocks += 1;
            if document < documents.end {
                wanted.end = list.len();
            }
        }
        Ok(Symbols { list, end, blocks, wanted })
    }

    /// Per symbol the group of its document.
    fn list_groups(&self, length: usize) -> Result<Option<Vec<u32>>, KernelError> {
        let list = |groups| self.list_of_symbols(length, |block| self.group(block, groups));
        self.groups.map(list).transpose()
    }

    /// Per symbol its block.
    fn list_blocks(&self, length: usize) -> Result<Vec<u32>, KernelError> {
        self.list_of_symbols(length, |block| block as u32)
    }

    /// Per symbol what is known of its block; `NONE` for the end of a row.
    fn list_of_symbols(
        &self,
        length: usize,
        of: impl Fn(usize) -> u32,
    ) -> Result<Vec<u32>, KernelError> {
        let mut list = reserve::new_list(length)?;
        for (ended, block) in self.each_with_row_ended_before() {
            if ended {
                list.push(NONE);
            }
            list.push(of(block));
        }
        Ok(list)
    }
}

/// Per symbol how many from it on occur at another place, of another group.
fn find_reaches(
    order: &[u32],
    common: &[u32],
    length: usize,
    group: impl Fn(u32) -> u32,
) -> Vec<u32> {
    let mut reach = vec![0; length];
    // Symbols that the suffix has in common with the nearest of another group on one side.
    let mut shared = 0;
    let mut before = None;
    for (&here, &near) in order.iter().zip(common) {
        stop::count_work_or_unwind(LOOKED);
        let own = group(here);
        shared = if before.is_some_and(|before| before != own) { near } else { shared.min(near) };
        before = Some(own);
        // What suffixes further away in order have in common is the least of all steps on the way.
        // A suffix of the own group in between hands on what it has from the others.
        reach[here as usize] = shared;
    }
    shared = 0;
    let mut after = None;
    for (place, &here) in order.iter().enumerate().rev() {
        stop::count_work_or_unwind(LOOKED);
        let own = group(here);
        let near = if after.is_some() { common[place + 1] } else { 0 };
        shared = if after.is_some_and(|after| after != own) { near } else { shared.min(near) };
        after = Some(own);
        let known = &mut reach[here as usize];
        *known = (*known).max(shared);
    }
    reach
}

/// The runs that begin at some symbols, of whole documents, and lie in no longer one.
fn find_longest_runs(reach: &[u32], some: Range<usize>) -> Vec<SymbolRun> {
    let mut found = Vec::new();
    let mut end = 0;
    for at in some {
        let (start, count) = (at as u32, reach[at]);
        // A run inside a longer one ends no later than it: ends only grow.
        if count > 0 && start + count > end {
            end = start + count;
            found.push(SymbolRun { start, count, occurrences: 0, first: NONE, other: NONE });
        }
    }
    found
}

/// `slots` has room for each symbol.
fn set_first_to_place_in_order(order: &[u32], slots: &mut [u32], found: &mut [SymbolRun]) {
    slots.fill(NONE);
    for (number, run) in (0..).zip(found.iter()) {
        slots[run.start as usize] = number;
    }
    for (place, &symbol) in (0..).zip(order) {
        stop::count_work_or_unwind(LOOKED);
        if let Some(run) = found.get_mut(slots[symbol as usize] as usize) {
            run.first = place;
        }
    }
}

/// Places in a row of the order that have as many symbols in common as `common` says.
struct Interval {
    common: u32,
    /// Number of places.
    size: u32,
    /// The first symbol of them and its group; and the first symbol of another group, or `NONE`.
    first: u32,
    group: u32,
    apart: u32,
    /// The last run that asks for them; each names the one before it.
    asked: u32,
}

impl Interval {
    /// Without places.
    fn new(common: u32) -> Self {
        Self { common, size: 0, first: NONE, group: NONE, apart: NONE, asked: NONE }
    }

    fn add_places(&mut self, other: &Self) {
        self.size += other.size;
        let (near, far) = if self.first < other.first { (&*self, other) } else { (other, &*self) };
        let beyond = if near.group == far.group { far.apart } else { far.first };
        (self.first, self.group, self.apart) = (near.first, near.group, near.apart.min(beyond));
    }
}

/// Fills in how often each run occurs, where first, and where first but for its own group: when
/// the places are complete that have as much in common.
///
/// Source: the intervals are those of Abouelhoda, Kurtz and Ohlebusch 2004.
fn fill_in_places(
    order: &[u32],
    common: &[u32],
    found: &mut [SymbolRun],
    group: impl Fn(u32) -> u32,
) {
    let mut asking: Vec<u32> = (0..found.len() as u32).collect();
    asking.sort_unstable_by_key(|&run| found[run as usize].first);
    let mut asking = asking.into_iter().peekable();
    // Those that are not complete, each within the one before it.
    let mut open = vec![Interval::new(0)];
    for (place, &symbol) in order.iter().enumerate() {
        stop::count_work_or_unwind(2 * LOOKED);
        let next = common.get(place + 1).copied().unwrap_or(0);
        let run = asking.next_if(|&run| found[run as usize].first as usize == place);
        let count = run.map_or(0, |run| found[run as usize].count);
        if let Some(run) = run.filter(|_| count > next) {
            ask_for_places(&mut open, run, found);
        }
        let mut closed =
            Interval { size: 1, first: symbol, group: group(symbol), ..Interval::new(NONE) };
        while let Some(last) = open.last_mut() {
            if last.common < next {
                open.push(Interval { common: next, asked: NONE, ..closed });
                break;
            }
            last.add_places(&closed);
            if last.common == next {
                break;
            }
            let Some(complete) = open.pop() else { break };
            answer_runs(&complete, found, &group);
            closed = complete;
        }
        if let Some(run) = run.filter(|_| count <= next) {
            ask_for_places(&mut open, run, found);
        }
    }
}

/// Lets a run ask for the places that have as much in common as it is long.
fn ask_for_places(open: &mut Vec<Interval>, run: u32, found: &mut [SymbolRun]) {
    let asking = &mut found[run as usize];
    let at = open.partition_point(|interval| interval.common < asking.count);
    if open.get(at).is_none_or(|interval| interval.common != asking.count) {
        open.insert(at, Interval::new(asking.count));
    }
    asking.first = std::mem::replace(&mut open[at].asked, run);
}

/// Tells the runs that ask for an interval what is in it.
fn answer_runs(complete: &Interval, found: &mut [SymbolRun], group: impl Fn(u32) -> u32) {
    let mut asked = complete.asked;
    while let Some(run) = found.get_mut(asked as usize) {
        stop::count_work_or_unwind(LOOKED);
        asked = std::mem::replace(&mut run.first, complete.first);
        run.occurrences = complete.size;
        let own = group(run.start) == complete.group;
        run.other = if own { complete.apart } else { complete.first };
    }
}

/// The runs with the numbers of their passages.
///
/// `block_of`: per symbol its block.
fn number_passages(blocks: &Blocks, block_of: &[u32], found: Vec<SymbolRun>) -> Vec<Run> {
    let place = |symbol: u32| blocks.places[block_of[symbol as usize] as usize];
    let end = |start: u32, count: u32| blocks.end(block_of[(start + count - 1) as usize] as usize);
    let words = |run: &SymbolRun| (place(run.first), end(run.first, run.count));
    let mut passages: Vec<(u32, u32)> = found.iter().map(words).collect();
    passages.sort_unstable();
    passages.dedup();
    let run = |run: SymbolRun| {
        stop::count_work_or_unwind(4 * LOOKED);
        let words = words(&run);
        Run {
            passage: passages.partition_point(|&other| other < words) as u32,
            start: place(run.start),
            end: end(run.start, run.count),
            occurrences: run.occurrences,
            other: place(run.other),
        }
    };
    found.into_iter().map(run).collect()
}
