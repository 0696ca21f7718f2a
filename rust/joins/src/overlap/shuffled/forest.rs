//! Edges from the records that arrive in one place: texts that may resemble each other are
//! connected, with as few edges as that takes.

use super::ranges::{self, ValueCounts};
use super::records::{Head, Record, SetSketch, each_sent_set, read_records};
use super::{Demand, SetKind};
use crate::components::Forest;
use crate::error::{KernelError, Watch};
use crate::hamming;
use crate::judge::LengthClass;
use crate::overlap::bitmap::{Bitmap, BitmapTable, POSTING, count_differing_bits};
use crate::overlap::{CROWDED, Ratio, visit_family_by_family};
use crate::progress::{JUMP, Progress};
use crate::sets::saturate_to_u32;
use std::ops::Range;

/// More sets of words than this that share a shingle are connected by their sketches, since their
/// pairs are quadratic: pages of one boilerplate all meet at one shingle.
const LARGE: usize = 512;

/// Edges between documents, with the sizes of the sets that they were found by.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DocumentEdges {
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
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Sent {
    record: Record,
    set: u32,
}

/// A set where it meets others.
#[derive(Debug, Clone, Copy)]
pub(super) struct MeetingSet {
    pub(super) head: Head,
    record: Record,
    /// The number of its document among all.
    node: u32,
}

impl MeetingSet {
    /// Returns whether two sets are compared, and did not meet at an earlier shingle.
    fn meets_first_here(&self, other: &Self) -> bool {
        !self.record.met_before(other.record) && self.head.kind.meets(other.head.kind)
    }
}

/// All that arrived.
pub(super) struct Arrived<'a> {
    /// By kind and size, in one order however they arrived, with the bytes that follow each.
    sets: Vec<(Head, &'a [u8])>,
    /// The number of each set's document among all, ascending with the documents.
    nodes: Vec<u32>,
    /// By shingle and set.
    sent: Vec<Sent>,
    /// Values that are looked up, above the sets that sent them; ascending.
    pub(super) firsts: Vec<u64>,
}

impl<'a> Arrived<'a> {
    fn read_and_sort(all: impl Iterator<Item = &'a [u8]>) -> Result<Self, KernelError> {
        let mut sets = Vec::new();
        for part in all {
            each_sent_set(part, |head, own| {
                sets.push((head, own));
                Ok(())
            })?;
        }
        if sets.len() > u32::MAX as usize {
            let (count, limit) = (sets.len() as u64, u64::from(u32::MAX));
            return Err(KernelError::TooManyRows { count, limit });
        }
        // The bytes too: a document may send two sets of one size and kind to a place, and the
        // order in which a shuffle delivers them must not matter.
        sets.sort_unstable_by_key(|(head, own)| (head.kind, head.size, head.doc, *own));
        let mut docs: Vec<i64> = sets.iter().map(|(head, _)| head.doc).collect();
        docs.sort_unstable();
        docs.dedup();
        let nodes = sets.iter().map(|(head, _)| docs.partition_point(|&doc| doc < head.doc) as u32);
        let nodes = nodes.collect();
        let (mut sent, mut firsts) = (Vec::new(), Vec::new());
        for (set, (head, own)) in (0..).zip(&sets) {
            if head.by_twos {
                let ValueCounts { looked_up, .. } = ranges::unpack_counts(head.count);
                let values = ranges::read_values(own).take(looked_up);
                firsts.extend(values.map(|value| u64::from(value) << 32 | u64::from(set)));
            } else {
                sent.extend(read_records(own).map(|record| Sent { record, set }));
            }
        }
        sent.sort_unstable_by_key(|one: &Sent| (one.record.key, one.set, one.record));
        firsts.sort_unstable();
        Ok(Self { sets, nodes, sent, firsts })
    }

    /// A set where it meets others by a record.
    pub(super) fn met(&self, set: u32, record: Record) -> MeetingSet {
        MeetingSet { head: self.sets[set as usize].0, record, node: self.nodes[set as usize] }
    }

    /// The values of a set, ascending.
    pub(super) fn values(&self, set: u32) -> impl Iterator<Item = u32> {
        ranges::read_values(self.sets[set as usize].1)
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
pub fn connect_records<'a>(
    sent: impl Iterator<Item = &'a [u8]>,
    threshold: Ratio,
    radius: u32,
    watch: Watch,
) -> Result<DocumentEdges, KernelError> {
    let arrived = Arrived::read_and_sort(sent)?;
    let nodes = arrived.nodes.iter().max().map_or(0, |&node| node + 1);
    let mut grown = GrowingForest {
        demand: Demand::new(threshold),
        radius,
        forest: Forest::new(nodes),
        edges: DocumentEdges::default(),
    };
    let progress = Progress::stage(watch, 0.0, 1.0);
    let mut done = 0;
    for group in arrived.sent.chunk_by(|a, b| a.record.key == b.record.key) {
        done += group.len();
        progress.note_done(done, arrived.sent.len() + arrived.firsts.len());
        progress.spend_values(group.len() * group.len().min(LARGE))?;
        let met: Vec<MeetingSet> =
            group.iter().map(|one| arrived.met(one.set, one.record)).collect();
        let sets: Vec<&MeetingSet> = met.iter().collect();
        // Kinds of words come before those of characters ([`SetKind`]), and sets are numbered by
        // kind.
        let (words, characters) =
            sets.split_at(sets.partition_point(|one| !one.head.kind.is_of_characters));
        if words.len() <= LARGE {
            grown.connect_pairs(words);
        } else if !grown.need_no_more_edges(words) {
            grown.connect_by_sketches(words, watch)?;
        }
        grown.connect_characters(characters, &progress)?;
    }
    grown.connect_alike_sets_sharing_two(&arrived, &progress)?;
    Ok(grown.edges)
}

/// The forest so far.
pub(super) struct GrowingForest {
    demand: Demand,
    radius: u32,
    forest: Forest,
    edges: DocumentEdges,
}

impl GrowingForest {
    /// Connects sets of characters, by kind and size.
    pub(super) fn connect_characters(
        &mut self,
        sets: &[&MeetingSet],
        progress: &Progress,
    ) -> Result<(), KernelError> {
        if sets.len() <= CROWDED {
            self.connect_pairs(sets);
        } else if !self.need_no_more_edges(sets) {
            self.connect_by_bitmaps(sets, progress)?;
        }
        Ok(())
    }

    /// Connects the pairs of a few sets.
    fn connect_pairs(&mut self, sets: &[&MeetingSet]) {
        for (at, one) in sets.iter().enumerate() {
            let near = match one.head.kind {
                SetKind { is_of_characters: false, .. } => 0..u32::MAX,
                SetKind { length: LengthClass::Short, .. } => {
                    self.demand.partner_sizes(one.head.size as usize)
                }
                _ => return, // Characters of a middle text meet none of those that are left.
            };
            for other in &sets[at + 1..] {
                if near.contains(&other.head.size)
                    && one.meets_first_here(other)
                    && self.may_resemble(one, other)
                {
                    self.connect(one, other);
                }
            }
        }
    }

    /// Connects many sets of words by their sketches alone.
    fn connect_by_sketches(
        &mut self,
        sets: &[&MeetingSet],
        watch: Watch,
    ) -> Result<(), KernelError> {
        let sketch = |one: &&MeetingSet| match one.head.sketch {
            SetSketch::MinHash([low, high]) => u128::from(low) | u128::from(high) << 64,
            // None is here: only sets of words come.
            SetSketch::Bitmap(_) => 0,
        };
        let sketches: Vec<u128> = sets.iter().map(sketch).collect();
        let roots = hamming::connect_fingerprints(&sketches, self.radius, watch)?;
        for (one, &root) in sets.iter().zip(&roots) {
            self.connect(one, sets[root as usize]);
        }
        Ok(())
    }

    /// Connects many sets of characters by a look at the bitmaps of all sets of their size. Each
    /// set asks once, and those that it finds are not looked at again, so that a family costs no
    /// more than unrelated sets.
    fn connect_by_bitmaps(
        &mut self,
        sets: &[&MeetingSet],
        progress: &Progress,
    ) -> Result<(), KernelError> {
        let bitmap = |one: &&MeetingSet| match one.head.sketch {
            SetSketch::MinHash(_) => Bitmap::default(),
            SetSketch::Bitmap(words) => words,
        };
        let bitmaps: Vec<Bitmap> = sets.iter().map(bitmap).collect();
        let mut table = BitmapTable::of((0..).zip(bitmaps.iter().copied()));
        let short = sets.partition_point(|one| one.head.kind.length == LengthClass::Short);
        let windows = self.windows_of_partners(sets, short);
        // No two of the middle meet: they ask where they are found.
        visit_family_by_family(
            sets.len(),
            |set| (set as usize) < short,
            |set, _, reached, waiting| {
                let (one, begin) = (sets[set as usize], waiting.len());
                for near in &windows[set as usize] {
                    // Sizes ascend, so that this one may differ most; each set's own bound is
                    // applied to what is found.
                    let Some(largest) = sets[..near.end as usize].last() else { continue };
                    let sizes = [one.head.size as usize, largest.head.size as usize];
                    let differing = self.demand.0.most_differing_up_to_size(sizes[0], sizes[1]);
                    let mut met = 0;
                    table.each_possibly_near(&bitmaps[set as usize], near, differing, |other| {
                        if reached[other as usize] {
                            met += 1;
                        } else if self.may_resemble_by_sketch(one, sets[other as usize]) {
                            waiting.push(other);
                        }
                    });
                    progress.spend_values(near.len() / POSTING + JUMP)?;
                    table.sweep_if_due(met, |other| reached[other as usize]);
                }
                for &other in &waiting[begin..] {
                    self.connect(one, sets[other as usize]);
                }
                Ok(())
            },
        )
    }

    /// For each of some sets of characters, by kind and size, the short ones and those of the
    /// middle that it may resemble; `short` of them are short.
    fn windows_of_partners(&self, sets: &[&MeetingSet], short: usize) -> Vec<[Range<u32>; 2]> {
        let size = |at: usize| sets[at].head.size;
        let alone = |one: &&MeetingSet| {
            self.demand.least_shared(one.head.kind, one.head.size as usize) as u32
        };
        let least: Vec<u32> = sets.iter().map(alone).collect();
        let mut windows = vec![[0..0, 0..0]; sets.len()];
        let (shorts, middle) = (0..short, short..sets.len());
        // Both ends only move up: the askers ascend by size, and so does what they must share.
        let mut look = |asking: &Range<usize>, of: usize, others: &Range<usize>| {
            let (mut start, mut end) = (others.start, others.start);
            for at in asking.clone() {
                while start < others.end && size(start) < least[at] {
                    start += 1;
                }
                while end < others.end && least[end] <= size(at) {
                    end += 1;
                }
                windows[at][of] = saturate_to_u32(start)..saturate_to_u32(end.max(start));
            }
        };
        look(&shorts, 0, &shorts);
        look(&shorts, 1, &middle);
        look(&middle, 0, &shorts);
        windows
    }

    /// Returns whether these need no edge more: no two meet here first, or all are connected.
    pub(super) fn need_no_more_edges(&mut self, sets: &[&MeetingSet]) -> bool {
        let Some(first) = sets.first() else { return true };
        let there = |sought: SetKind| sets.iter().any(|one| one.head.kind == sought);
        let kinds: Vec<SetKind> = SetKind::ALL.into_iter().filter(|&kind| there(kind)).collect();
        let meet = |one: SetKind| kinds.iter().any(|&other| one.meets(other));
        if !kinds.iter().any(|&kind| meet(kind))
            || sets.iter().all(|one| one.record.met_before(first.record))
        {
            return true;
        }
        let root = self.forest.root_of(first.node);
        sets.iter().all(|one| self.forest.root_of(one.node) == root)
    }

    /// Returns whether the sketches, the sizes and the places of their records let two sets
    /// resemble each other, of kinds that meet.
    fn may_resemble(&self, one: &MeetingSet, other: &MeetingSet) -> bool {
        let (a, b) = (&one.head, &other.head);
        // The sketches first: they cost least, and rule out most.
        if !self.may_resemble_by_sketch(one, other) {
            return false;
        }
        let (size, other_size) = (a.size as usize, b.size as usize);
        let smaller = size.min(other_size);
        if smaller < self.demand.least_shared(a.kind, size.max(other_size)) {
            return false;
        }
        // This shingle, and what is left after it in either set.
        let left = (size.saturating_sub(one.record.shingles_before_up_to_last()))
            .min(other_size.saturating_sub(other.record.shingles_before_up_to_last()));
        left >= self.demand.least_shared_by(a.kind, size, other_size)
    }

    /// Returns whether the sketches of two sets let them resemble each other: those of words by the
    /// radius, those of characters by what sets of their sizes may differ in.
    fn may_resemble_by_sketch(&self, one: &MeetingSet, other: &MeetingSet) -> bool {
        match (one.head.sketch, other.head.sketch) {
            (SetSketch::MinHash(a), SetSketch::MinHash(b)) => {
                count_differing_bits(&a, &b) <= self.radius as usize
            }
            (SetSketch::Bitmap(a), SetSketch::Bitmap(b)) => {
                let sizes = one.head.size as usize + other.head.size as usize;
                count_differing_bits(&a, &b) <= self.demand.0.most_differing_together(sizes)
            }
            _ => false,
        }
    }

    /// Connects two documents, with an edge if they are not connected.
    fn connect(&mut self, one: &MeetingSet, other: &MeetingSet) {
        if self.forest.unite(one.node, other.node) {
            self.edges.left.push(one.head.doc);
            self.edges.right.push(other.head.doc);
            self.edges.left_size.push(one.head.size);
            self.edges.right_size.push(other.head.size);
        }
    }
}
