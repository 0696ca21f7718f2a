//! What is made of the records that arrive in one place: texts that may resemble each other are
//! connected, with as few edges as that takes.

use super::records::{Head, Record, each_sent};
use super::{Class, Demand};
use crate::components::Forest;
use crate::error::{KernelError, Watch};
use crate::hamming;
use crate::overlap::Ratio;
use crate::overlap::progress::Progress;

/// More sets than this that share a shingle are connected by their sketches, since their pairs are
/// quadratic.
const LARGE: usize = 512;

/// Edges between documents, with the sizes of the sets that they were found by.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Edges {
    /// One document of each edge.
    pub left: Vec<i64>,
    /// The other one.
    pub right: Vec<i64>,
    /// How many shingles the left has.
    pub left_size: Vec<u32>,
    /// How many the right has.
    pub right_size: Vec<u32>,
}

/// A record and the set that sent it.
#[derive(Debug, Clone, Copy)]
struct Sent {
    record: Record,
    set: u32,
}

/// All that arrived.
struct Arrived {
    sets: Vec<Head>,
    /// The number of each set's document among all, ascending with the documents.
    nodes: Vec<u32>,
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
        // In one order, however they arrived.
        sent.sort_unstable_by_key(|one: &Sent| {
            let head: &Head = &sets[one.set as usize];
            (one.record.key, head.doc, head.class as u8, one.set)
        });
        let mut docs: Vec<i64> = sets.iter().map(|head: &Head| head.doc).collect();
        docs.sort_unstable();
        docs.dedup();
        let node = |head: &Head| docs.partition_point(|&doc| doc < head.doc) as u32;
        let nodes = sets.iter().map(node).collect();
        Ok(Self { sets, nodes, sent })
    }

    fn head(&self, one: Sent) -> &Head {
        &self.sets[one.set as usize]
    }
}

/// Connects the documents that may resemble each other.
///
/// Every pair at the threshold that share a shingle which both have sent here is connected, but for
/// those whose sketches of 128 bits differ in more than `radius`. Pairs that shared the shingle
/// before this one were seen where that one is.
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
        arrived: &arrived,
        demand: Demand::new(threshold),
        radius,
        forest: Forest::new(nodes),
        edges: Edges::default(),
    };
    let mut progress = Progress::stage(watch, 0.0, 1.0);
    let mut done = 0;
    for group in arrived.sent.chunk_by(|a, b| a.record.key == b.record.key) {
        done += group.len();
        progress.at(done, arrived.sent.len());
        progress.tick(group.len() * group.len().min(LARGE))?;
        if group.len() <= LARGE {
            grown.pairs(group);
        } else {
            grown.family(group, watch)?;
        }
    }
    Ok(grown.edges)
}

/// The forest so far.
struct Grown<'a> {
    arrived: &'a Arrived,
    demand: Demand,
    radius: u32,
    forest: Forest,
    edges: Edges,
}

impl Grown<'_> {
    /// Connects the pairs of a few sets.
    fn pairs(&mut self, group: &[Sent]) {
        for (at, &one) in group.iter().enumerate() {
            for &other in &group[at + 1..] {
                if self.may_resemble(one, other) {
                    self.connect(one, other);
                }
            }
        }
    }

    /// Connects many sets by their sketches alone.
    fn family(&mut self, group: &[Sent], watch: Watch) -> Result<(), KernelError> {
        for of_words in [true, false] {
            let kind = |one: &&Sent| self.arrived.head(**one).class.is_of_words() == of_words;
            let sets: Vec<Sent> = group.iter().filter(kind).copied().collect();
            if self.is_settled(&sets) {
                continue;
            }
            let sketches: Vec<u128> =
                sets.iter().map(|&one| self.arrived.head(one).sketch).collect();
            let roots = hamming::connected(&sketches, self.radius, watch)?;
            for (&one, &root) in sets.iter().zip(&roots) {
                self.connect(one, sets[root as usize]);
            }
        }
        Ok(())
    }

    /// Whether these need no edge: no two of them meet here first, or all are connected already.
    fn is_settled(&mut self, sets: &[Sent]) -> bool {
        let Some(&first) = sets.first() else { return true };
        let class = |one: Sent| self.arrived.head(one).class;
        let there = |sought: Class| sets.iter().any(|&one| class(one) == sought);
        let classes: Vec<Class> = Class::ALL.into_iter().filter(|&class| there(class)).collect();
        let meet = |one: Class| classes.iter().any(|&other| one.meets(other));
        if !classes.iter().any(|&class| meet(class))
            || sets.iter().all(|one| one.record.met_before(first.record))
        {
            return true;
        }
        let root = self.forest.find(self.node(first));
        sets.iter().all(|&one| {
            let node = self.node(one);
            self.forest.find(node) == root
        })
    }

    fn node(&self, one: Sent) -> u32 {
        self.arrived.nodes[one.set as usize]
    }

    fn may_resemble(&self, one: Sent, other: Sent) -> bool {
        let (a, b) = (self.arrived.head(one), self.arrived.head(other));
        if one.record.met_before(other.record) || !a.class.meets(b.class) {
            return false;
        }
        let (size, other_size) = (a.size as usize, b.size as usize);
        let class = if a.class.is_of_words() { Class::WordsOfLong } else { a.class };
        let smaller = size.min(other_size);
        if smaller < self.demand.alone(class, size.max(other_size)) {
            return false;
        }
        // This shingle, and what is left behind it in either set.
        let left = (size.saturating_sub(one.record.before()))
            .min(other_size.saturating_sub(other.record.before()));
        left >= self.demand.together(class, size, other_size)
            && (a.sketch ^ b.sketch).count_ones() <= self.radius
    }

    fn connect(&mut self, one: Sent, other: Sent) {
        if self.forest.union(self.node(one), self.node(other)) {
            let (a, b) = (self.arrived.head(one), self.arrived.head(other));
            self.edges.left.push(a.doc);
            self.edges.right.push(b.doc);
            self.edges.left_size.push(a.size);
            self.edges.right_size.push(b.size);
        }
    }
}
