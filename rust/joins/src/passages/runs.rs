//! The longest runs of words that occur at two places.

use super::{Blocks, LOOKED, suffixes};
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

/// Bytes for a block, or the end of a row of them, while runs are found: its suffix, what that has
/// in common with others, the run that begins there, and what is together.
const SYMBOL_BYTES: usize = 40;

/// A run as blocks.
struct BlockRun {
    /// First block, and how many there are.
    block: u32,
    count: u32,
    occurrences: u32,
    /// The first place of its words, and the first that is another than this one, as blocks.
    first: u32,
    other: u32,
}

impl Blocks {
    /// The longest runs of words that occur at two places, in reading order.
    ///
    /// `groups`: per document a number; a second place counts only in a document of another one.
    /// Without them every other place counts.
    ///
    /// # Errors
    /// [`KernelError::Interrupted`] if `watch` asks to stop.
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
        match groups {
            None => self.find_runs_with_all_blocks(documents, None, watch),
            // Beside a large collection, a small one shares few of its blocks.
            Some(of) => {
                self.shared_by_groups(of)?.find_runs_with_all_blocks(documents, groups, watch)
            }
        }
    }

    /// The same, with a look at every block.
    fn find_runs_with_all_blocks(
        &self,
        documents: Range<usize>,
        groups: Option<&[u32]>,
        watch: Watch,
    ) -> Result<Vec<Run>, KernelError> {
        let progress = Progress::stage(watch, 0.0, 1.0);
        // A number of its own ends each row of touching self, so that nothing common crosses it.
        reserve::check_room(
            SYMBOL_BYTES * (self.len() + self.joined.iter().filter(|&&it| !it).count()),
        )?;
        let (mut symbols, mut block_of) = (Vec::new(), Vec::new());
        let mut alphabet = self.grams.len() as u32;
        for (at, &class) in self.classes.iter().enumerate() {
            if at > 0 && !self.joined[at] {
                symbols.push(alphabet);
                block_of.push(u32::MAX);
                alphabet += 1;
            }
            symbols.push(class);
            block_of.push(at as u32);
        }
        let order = suffixes::sort_suffixes(&symbols, alphabet as usize);
        progress.ask()?;
        let mut places = vec![0u32; symbols.len()];
        for (place, &at) in order.iter().enumerate() {
            places[at as usize] = place as u32;
        }
        let common = suffixes::common_prefixes(&symbols, &order, &places);
        drop(symbols);
        progress.ask()?;

        // From here on all is about self; the ends of rows are last in order, after all self.
        let count = self.len();
        drop(places);
        let mut order = order;
        order.truncate(count);
        order.iter_mut().for_each(|at| *at = block_of[*at as usize]);
        drop(block_of);
        let group = |block: u32| match groups {
            None => block,
            Some(groups) => groups[self.documents[block as usize] as usize],
        };
        let reach = find_reaches(&order, &common, group);
        let before = |end: usize| self.documents.partition_point(|&one| (one as usize) < end);
        let mut found = longest_runs(self, &reach, before(documents.start)..before(documents.end));
        drop(reach);
        progress.ask()?;
        fill_in_places(&order, &common[..count], &mut found, group);
        progress.ask()?;
        Ok(number_passages(self, found))
    }
}

/// Per block how many blocks from it on occur at another place, of another group; and the block's
/// place in the order.
fn find_reaches(order: &[u32], common: &[u32], group: impl Fn(u32) -> u32) -> Vec<(u32, u32)> {
    let mut reach = vec![(0, 0); order.len()];
    // Blocks that the suffix has in common with the nearest of another group on one side.
    let mut shared = 0;
    for place in 0..order.len() {
        stop::count_bytes(LOOKED);
        let here = order[place];
        if place > 0 {
            let near = common[place];
            let other = group(order[place - 1]) != group(here);
            shared = if other { near } else { shared.min(near) };
        }
        reach[here as usize] = (shared, place as u32);
    }
    shared = 0;
    for place in (0..order.len().saturating_sub(1)).rev() {
        stop::count_bytes(LOOKED);
        let here = order[place];
        let near = common[place + 1];
        let other = group(order[place + 1]) != group(here);
        shared = if other { near } else { shared.min(near) };
        let known = &mut reach[here as usize].0;
        *known = (*known).max(shared);
    }
    reach
}

/// The runs of some blocks, of whole documents, that lie in no longer one, each with its place in
/// the order as `first`.
fn longest_runs(blocks: &Blocks, reach: &[(u32, u32)], some: Range<usize>) -> Vec<BlockRun> {
    let mut found = Vec::new();
    let mut end = 0;
    for at in some {
        let (block, (count, place)) = (at as u32, reach[at]);
        if !blocks.joined[at] {
            end = 0;
        }
        if count > 0 && block + count > end {
            end = block + count;
            found.push(BlockRun { block, count, occurrences: 0, first: place, other: 0 });
        }
    }
    found
}

/// Places in the order that have as many blocks in common as is asked for now.
struct JoinedPlaces {
    /// The place that stands for those together with each; itself for that one.
    parent: Vec<u32>,
    /// Number of places together.
    size: Vec<u32>,
    /// The least block, and the least of another group than that one's.
    least: Vec<(u32, u32)>,
}

impl JoinedPlaces {
    fn root_of(&mut self, mut place: u32) -> u32 {
        while self.parent[place as usize] != place {
            let above = self.parent[self.parent[place as usize] as usize];
            self.parent[place as usize] = above;
            place = above;
        }
        place
    }

    fn join_places(&mut self, left: u32, right: u32, group: impl Fn(u32) -> u32) {
        let (mut root, mut other) = (self.root_of(left) as usize, self.root_of(right) as usize);
        if self.size[root] < self.size[other] {
            std::mem::swap(&mut root, &mut other);
        }
        self.parent[other] = root as u32;
        self.size[root] += self.size[other];
        let (one, two) = (self.least[root], self.least[other]);
        let first = one.0.min(two.0);
        let apart = [one.0, one.1, two.0, two.1].into_iter();
        let apart = apart.filter(|&block| block != u32::MAX && group(block) != group(first));
        self.least[root] = (first, apart.min().unwrap_or(u32::MAX));
    }
}

/// Fills in how often each run occurs, where first, and where first but for its own group: the
/// longest runs first, while the places that have as much in common come together.
fn fill_in_places(
    order: &[u32],
    common: &[u32],
    found: &mut [BlockRun],
    group: impl Fn(u32) -> u32 + Copy,
) {
    let places = order.len() as u32;
    let mut together = JoinedPlaces {
        parent: (0..places).collect(),
        size: vec![1; order.len()],
        least: order.iter().map(|&block| (block, u32::MAX)).collect(),
    };
    let joined = common.iter().filter(|&&count| count > 0).count();
    let mut joins = Vec::with_capacity(joined);
    joins.extend((1..places).filter(|&place| common[place as usize] > 0));
    joins.sort_unstable_by_key(|&place| std::cmp::Reverse(common[place as usize]));
    let mut joins = joins.into_iter().peekable();
    let mut asked: Vec<u32> = (0..found.len() as u32).collect();
    asked.sort_unstable_by_key(|&at| std::cmp::Reverse(found[at as usize].count));
    for at in asked {
        let run = &mut found[at as usize];
        stop::count_bytes(LOOKED);
        while let Some(place) = joins.next_if(|&place| common[place as usize] >= run.count) {
            stop::count_bytes(4 * LOOKED);
            together.join_places(place - 1, place, group);
        }
        let root = together.root_of(run.first) as usize;
        let (first, apart) = together.least[root];
        run.occurrences = together.size[root];
        run.first = first;
        run.other = if group(first) == group(run.block) { apart } else { first };
    }
}

/// The runs with the numbers of their passages.
fn number_passages(blocks: &Blocks, found: Vec<BlockRun>) -> Vec<Run> {
    let last = |run: &BlockRun| (run.first + run.count - 1) as usize;
    let mut passages: Vec<(u32, u32)> = found
        .iter()
        .map(|run| (blocks.places[run.first as usize], blocks.end(last(run))))
        .collect();
    passages.sort_unstable();
    passages.dedup();
    let run = |run: BlockRun| {
        stop::count_bytes(4 * LOOKED);
        let words = (blocks.places[run.first as usize], blocks.end(last(&run)));
        Run {
            passage: passages.partition_point(|&other| other < words) as u32,
            start: blocks.places[run.block as usize],
            end: blocks.end((run.block + run.count - 1) as usize),
            occurrences: run.occurrences,
            other: blocks.places[run.other as usize],
        }
    };
    found.into_iter().map(run).collect()
}
