//! Edges from the records that arrive in one place: texts that may resemble each other are
//! connected, with as few edges as that takes.

use super::records::{Head, Record, Sketch, each_sent};
use super::{Class, Demand};
use crate::components::Forest;
use crate::error::{KernelError, Watch};
use crate::hamming;
use crate::overlap::Ratio;
use crate::overlap::bitmap::{Bitmap, BitmapTable, POSTING, differ};
use crate::progress::{JUMP, Progress};
use crate::sets::as_u32;
use std::ops::Range;

/// More sets of words than this that share a shingle are connected by their sketches, since their
/// pairs are quadratic.
const LARGE: usize = 512;

/// More sets of characters than this are looked at side by side.
const CROWDED: usize = 24;

/// Edges between documents, with the sizes of the sets that they were found by.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Edges {
    /// One document of each edge.
    pub left: Vec<i64>,
    /// The other one.
    pub right: Vec<i64>,
    /// Shingles of the left.
    pub left_size: Vec<u32>,
    /// Shingles of the right.
    pub right_size: Vec<u32>,
}

/// A record and the set that sent it.
#[derive(Debug, Clone, Copy)]
struct Sent {
    record: Record,
    set: u32,
}

/// A set where it meets others.
#[derive(Debug, Clone, Copy)]
struct Met {
    head: Head,
    record: Record,
    /// The number of its document among all.
    node: u32,
}

/// All that arrived.
struct Arrived {
    sets: Vec<Head>,
    /// The number of each set's document among all, ascending with the documents.
    nodes: Vec<u32>,
    /// By shingle.
    sent: Vec<Sent>,
}

impl Arrived {
    fn read<'a>(all: impl Iterator<Item = &'a [u8]>) -> Result<Self, KernelError> {
        let (mut sets, mut sent) = (Vec::new(), Vec::new());
        for part in all {
            each_sent(part, |head, records| {
                let set = u32::try_from(sets.len()).ok().filter(|&set| set < u32::MAX);
                let set = set.ok_or(KernelError::TooManyRows {
                    count: u64::from(u32::MAX) + 1,
                    limit: u64::from(u32::MAX),
                })?;
                sets.push(head);
                sent.extend(records.map(|record| Sent { record, set }));
                Ok(())
            })?;
        }
        sent.sort_unstable_by_key(|one: &Sent| one.record.key);
        let mut docs: Vec<i64> = sets.iter().map(|head: &Head| head.doc).collect();
        docs.sort_unstable();
        docs.dedup();
        let node = |head: &Head| docs.partition_point(|&doc| doc < head.doc) as u32;
        let nodes = sets.iter().map(node).collect();
        Ok(Self { sets, nodes, sent })
    }

    /// The sets that share a shingle, by class and size, in one order however they arrived.
    fn meet(&self, group: &[Sent]) -> Vec<Met> {
        let met = |&Sent { record, set }: &Sent| Met {
            head: self.sets[set as usize],
            record,
            node: self.nodes[set as usize],
        };
        let mut sets: Vec<Met> = group.iter().map(met).collect();
        sets.sort_unstable_by_key(|one| (one.kind(), one.node, one.record));
        sets
    }
}

impl Met {
    fn kind(&self) -> (Class, u32) {
        (self.head.class, self.head.size)
    }
}

/// Connects the documents that may resemble each other.
///
/// Every pair at the threshold that share a shingle which both have sent here is connected, but for
/// sets of words whose sketches of 128 bits differ in more than `radius`. Pairs that shared the
/// shingle before this one were seen where that one is.
///
/// # Errors
/// [`KernelError::Damaged`], [`KernelError::TooManyRows`] from 2^32 sets, and
/// [`KernelError::Interrupted`].
pub fn forest<'a>(
    sent: impl Iterator<Item = &'a [u8]>,
    threshold: Ratio,
    radius: u32,
    watch: Watch,
) -> Result<Edges, KernelError> {
    let arrived = Arrived::read(sent)?;
    let nodes = arrived.nodes.iter().max().map_or(0, |&node| node + 1);
    let mut grown = Grown {
        demand: Demand::new(threshold),
        radius,
        forest: Forest::new(nodes),
        edges: Edges::default(),
    };
    let progress = Progress::stage(watch, 0.0, 1.0);
    let mut done = 0;
    for group in arrived.sent.chunk_by(|a, b| a.record.key == b.record.key) {
        done += group.len();
        progress.at(done, arrived.sent.len());
        progress.tick(group.len() * group.len().min(LARGE))?;
        let sets = arrived.meet(group);
        let (words, characters) =
            sets.split_at(sets.partition_point(|one| one.head.class.is_of_words()));
        if words.len() <= LARGE {
            grown.pairs(words);
        } else if !grown.is_settled(words) {
            grown.family(words, watch)?;
        }
        if characters.len() <= CROWDED {
            grown.pairs(characters);
        } else if !grown.is_settled(characters) {
            grown.connect_many(characters, &progress)?;
        }
    }
    Ok(grown.edges)
}

/// The forest so far.
struct Grown {
    demand: Demand,
    radius: u32,
    forest: Forest,
    edges: Edges,
}

impl Grown {
    /// Connects the pairs of a few sets.
    fn pairs(&mut self, sets: &[Met]) {
        for (at, one) in sets.iter().enumerate() {
            for other in &sets[at + 1..] {
                if self.may_resemble(one, other) {
                    self.connect(one, other);
                }
            }
        }
    }

    /// Connects many sets of words by their sketches alone.
    fn family(&mut self, sets: &[Met], watch: Watch) -> Result<(), KernelError> {
        let sketch = |one: &Met| match one.head.sketch {
            Sketch::MinHash(bits) => bits,
            Sketch::Bitmap(_) => 0,
        };
        let sketches: Vec<u128> = sets.iter().map(sketch).collect();
        let roots = hamming::connected(&sketches, self.radius, watch)?;
        for (one, &root) in sets.iter().zip(&roots) {
            self.connect(one, &sets[root as usize]);
        }
        Ok(())
    }

    /// Connects many sets of characters by a look at the bitmaps of all sets of their size. Each
    /// set asks once, and those that it finds are not looked at again, so that a family costs no
    /// more than unrelated sets.
    fn connect_many(&mut self, sets: &[Met], progress: &Progress) -> Result<(), KernelError> {
        let bitmap = |one: &Met| match one.head.sketch {
            Sketch::MinHash(_) => Bitmap::default(),
            Sketch::Bitmap(words) => words,
        };
        let bitmaps: Vec<Bitmap> = sets.iter().map(bitmap).collect();
        let mut table = BitmapTable::of((0..).zip(bitmaps.iter().copied()));
        let mut reached = vec![false; sets.len()];
        let mut asking = Vec::new();
        for first in 0..sets.len() {
            if !std::mem::replace(&mut reached[first], true) {
                asking.push(first);
            }
            while let Some(place) = asking.pop() {
                let (one, begin) = (&sets[place], asking.len());
                for class in [Class::CharactersOfShort, Class::CharactersOfMiddle] {
                    let Some((near, differing)) = self.fitting(one, class, sets) else { continue };
                    let mut met = 0;
                    table.each_near(&bitmaps[place], &near, differing, |other| {
                        if reached[other as usize] {
                            met += 1;
                        } else if self.is_near(one, &sets[other as usize]) {
                            asking.push(other as usize);
                        }
                    });
                    progress.tick(table.count(&near) / POSTING + JUMP)?;
                    table.sweep(met, |other| reached[other as usize]);
                }
                for &other in &asking[begin..] {
                    reached[other] = true;
                    self.connect(one, &sets[other]);
                }
            }
        }
        Ok(())
    }

    /// Finds the sets of a class that may resemble one, and the number of values in which they may
    /// differ, among sets by class and size.
    fn fitting(&self, one: &Met, class: Class, sets: &[Met]) -> Option<(Range<u32>, usize)> {
        let (own, size) = one.kind();
        let smallest = self.demand.alone(class, size as usize) as u32;
        let start = sets.partition_point(|other| other.kind() < (class, smallest));
        let end = sets.partition_point(|other| {
            let (its, larger) = other.kind();
            its < class
                || its == class && self.demand.alone(class, larger as usize) <= size as usize
        });
        let largest = sets[start..end.max(start)].last()?.head.size;
        let differing = self.demand.0.differing((size + largest) as usize) + 2;
        own.meets(class).then_some((as_u32(start)..as_u32(end), differing))
    }

    /// Returns whether these need no edge: no two meet here first, or all are connected already.
    fn is_settled(&mut self, sets: &[Met]) -> bool {
        let Some(first) = sets.first() else { return true };
        let there = |sought: Class| sets.iter().any(|one| one.head.class == sought);
        let classes: Vec<Class> = Class::ALL.into_iter().filter(|&class| there(class)).collect();
        let meet = |one: Class| classes.iter().any(|&other| one.meets(other));
        if !classes.iter().any(|&class| meet(class))
            || sets.iter().all(|one| one.record.met_before(first.record))
        {
            return true;
        }
        let root = self.forest.find(first.node);
        sets.iter().all(|one| self.forest.find(one.node) == root)
    }

    fn may_resemble(&self, one: &Met, other: &Met) -> bool {
        let (a, b) = (&one.head, &other.head);
        if one.record.met_before(other.record) || !a.class.meets(b.class) {
            return false;
        }
        // The sketches first: they cost least, and rule out most.
        if !self.is_near(one, other) {
            return false;
        }
        let (size, other_size) = (a.size as usize, b.size as usize);
        let class = if a.class.is_of_words() { Class::WordsOfLong } else { a.class };
        let smaller = size.min(other_size);
        if smaller < self.demand.alone(class, size.max(other_size)) {
            return false;
        }
        // This shingle, and what is left after it in either set.
        let left = (size.saturating_sub(one.record.before()))
            .min(other_size.saturating_sub(other.record.before()));
        left >= self.demand.together(class, size, other_size)
    }

    /// Returns whether the sketches of two sets let them resemble each other.
    fn is_near(&self, one: &Met, other: &Met) -> bool {
        match (one.head.sketch, other.head.sketch) {
            (Sketch::MinHash(a), Sketch::MinHash(b)) => (a ^ b).count_ones() <= self.radius,
            (Sketch::Bitmap(a), Sketch::Bitmap(b)) => {
                let sizes = one.head.size as usize + other.head.size as usize;
                differ(&a, &b) <= self.demand.0.differing(sizes)
            }
            _ => false,
        }
    }

    fn connect(&mut self, one: &Met, other: &Met) {
        if self.forest.union(one.node, other.node) {
            self.edges.left.push(one.head.doc);
            self.edges.right.push(other.head.doc);
            self.edges.left_size.push(one.head.size);
            self.edges.right_size.push(other.head.size);
        }
    }
}
