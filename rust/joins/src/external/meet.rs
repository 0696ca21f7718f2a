//! Sets that share rare values: every two are listed, by blocks of the later one.

use super::home::{Home, HomeNumber};
use super::prefixes::{BUCKET_BITS, HomePrefixes, PLACE_BITS, PLACES, Prefixed, RareValue};
use super::sorted::{NumbersByReceiver, Pieces};
use super::texts::Texts;
use crate::error::KernelError;
use crate::overlap::Resemblance;
use crate::parallel::Team;
use crate::progress::Progress;
use crate::reserve;

/// A block has two to the power of as many sets: few enough that threads seldom wait for the last
/// one, and enough that there are no more than some thousand blocks. A meeting has room for the
/// most.
const LEAST_BLOCK_BITS: u32 = 9;
const MOST_BLOCK_BITS: u32 = u64::BITS - 2 * PLACE_BITS - u32::BITS;
const BLOCKS_BITS: u32 = 12;

/// Buckets that a thread takes at once, as a power of two.
const GROUP_BITS: u32 = 4;

/// Meetings that a thread lists before it sorts them by block. Tests have few.
const LISTED: usize = if cfg!(test) { 1 << 4 } else { 1 << 17 };

/// The least and the most bits of a cell of the table of a bucket, which has one to a value.
const LEAST_CELL_BITS: u32 = 14;
const MOST_CELL_BITS: u32 = u32::BITS - BUCKET_BITS;

/// No value.
const NONE: u32 = u32::MAX;

/// Two sets that share rare values, the earlier one on the right, and what is known of it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Meeting {
    pub(super) left: usize,
    pub(super) right: usize,
    /// Rare values of their prefixes that they share.
    shared: u32,
    /// The places of the last of them, or places before those.
    places: [u32; 2],
}

/// A meeting of two sets at one rare value, as one number: the left set within its block, the right
/// set, the rounded place in the left prefix and in the right. Those of one pair sort together, by
/// place.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
struct PackedMeeting(u64);

impl PackedMeeting {
    #[inline]
    fn new(left_within_block: u64, left: RareValue, right: RareValue) -> Self {
        let pair = left_within_block << 32 | right.set() as u64;
        let places = left.rounded_place() << PLACE_BITS | right.rounded_place();
        Self(pair << (2 * PLACE_BITS) | places)
    }

    /// The left set within its block, and the right set.
    fn pair(self) -> u64 {
        self.0 >> (2 * PLACE_BITS)
    }

    fn left_within_block(self) -> usize {
        (self.pair() >> 32) as usize
    }

    fn right(self) -> usize {
        self.pair() as u32 as usize
    }

    /// The rounded places in the left prefix and in the right.
    fn rounded_places(self) -> [u64; 2] {
        [self.0 >> PLACE_BITS & PLACES, self.0 & PLACES]
    }
}

impl HomeNumber for PackedMeeting {
    const BYTES: usize = u64::BYTES;
    #[inline]
    fn append_bytes(self, to: &mut Vec<u8>) {
        self.0.append_bytes(to);
    }
    #[inline]
    fn from_bytes(bytes: &[u8]) -> Self {
        Self(u64::from_bytes(bytes))
    }
}

/// A meeting, and the block of its left set.
struct MeetingOfBlock {
    block: u32,
    meeting: PackedMeeting,
}

/// All meetings at rare values of sets of like size.
pub(super) struct Meetings<'h> {
    /// By block.
    met: Pieces<'h, PackedMeeting>,
    block_bits: u32,
}

/// Lists that a thread fills again and again.
#[derive(Default)]
struct MeetingBuffers {
    /// The values of a bucket.
    values: Vec<RareValue>,
    /// For each of them the one before it in its cell.
    before: Vec<u32>,
    /// The last value of each cell.
    heads: Vec<u32>,
    listed: Vec<MeetingOfBlock>,
}

impl<'h> Meetings<'h> {
    /// Lists them.
    ///
    /// # Errors
    /// [`KernelError`].
    pub(super) fn list(
        texts: &Texts,
        rule: Resemblance,
        prefixes: &HomePrefixes,
        home: &'h Home<'h>,
        team: &mut Team<()>,
        progress: &Progress,
    ) -> Result<Self, KernelError> {
        let sets = prefixes.sets.len().max(1);
        let block_bits = sets.ilog2().saturating_sub(BLOCKS_BITS);
        let block_bits = block_bits.clamp(LEAST_BLOCK_BITS, MOST_BLOCK_BITS);
        let mut met = Pieces::new(home);
        let lists = &met.lists;
        let sort_and_clear = |listed: &mut Vec<MeetingOfBlock>| {
            let listed_by = listed.iter().map(|one| (one.block as usize, one.meeting));
            let sorted =
                NumbersByReceiver::sort_and_store(lists, (sets >> block_bits) + 1, listed_by);
            listed.clear();
            sorted
        };
        let groups = 1 << (BUCKET_BITS - GROUP_BITS);
        let list =
            |(_, buffers): &mut (&mut (), MeetingBuffers), group: usize, progress: &Progress| {
                progress.note_done(group, groups);
                let mut made = Vec::new();
                for bucket in group << GROUP_BITS..(group + 1) << GROUP_BITS {
                    prefixes.read_rare_values(bucket, &mut buffers.values)?;
                    list_bucket(texts, rule, prefixes, block_bits, buffers, progress, |listed| {
                        reserve::push(&mut made, sort_and_clear(listed)?)
                    })?;
                }
                reserve::push(&mut made, sort_and_clear(&mut buffers.listed)?)?;
                Ok(made)
            };
        let mut team = team.pair_each_state_with(|| Ok(MeetingBuffers::default()))?;
        met.pieces = team.share_out(groups, progress, list)?.into_iter().flatten().collect();
        Ok(Self { met, block_bits })
    }

    /// Calls `found` with every two sets that may be alike by what they share: those of a block in
    /// the order of the left ones, and blocks in any order.
    ///
    /// # Errors
    /// [`KernelError`], or what `found` answers.
    pub(super) fn each_candidate(
        &self,
        prefixes: &HomePrefixes,
        rule: Resemblance,
        team: &mut Team<()>,
        progress: &Progress,
        found: impl Fn(Meeting, &Progress) -> Result<(), KernelError> + Sync,
    ) -> Result<(), KernelError> {
        let blocks = (prefixes.sets.len() >> self.block_bits) + 1;
        let find =
            |(_, listed): &mut (&mut (), Vec<PackedMeeting>), block: usize, progress: &Progress| {
                self.met.read_all_of(block, listed)?;
                progress.note_done(block, blocks);
                progress.spend_values(8 * listed.len())?;
                // A meeting is one number: those of one pair come together, the last of them at the
                // last shared value.
                listed.sort_unstable();
                for same in listed.chunk_by(|a, b| a.pair() == b.pair()) {
                    // Places ascend in both prefixes alike, since all prefixes have one order.
                    let last = same[same.len() - 1];
                    let left = block << self.block_bits | last.left_within_block();
                    let (right, [own, its]) = (last.right(), last.rounded_places());
                    let own_place = prefixes.sets[left].place_at_or_before(own);
                    let places = [own_place, prefixes.sets[right].place_at_or_before(its)];
                    let pair = Meeting { left, right, shared: same.len() as u32, places };
                    if pair.may_be_alike(prefixes, rule) {
                        found(pair, progress)?;
                    }
                }
                Ok(())
            };
        team.pair_each_state_with(|| Ok(Vec::new()))?.share_out(blocks, progress, find).map(drop)
    }
}

/// Lists every two sets that share a value of a bucket, which the buffers have;
/// `take_and_clear_listed` is called whenever much is listed.
fn list_bucket(
    texts: &Texts,
    rule: Resemblance,
    prefixes: &HomePrefixes,
    block_bits: u32,
    buffers: &mut MeetingBuffers,
    progress: &Progress,
    mut take_and_clear_listed: impl FnMut(&mut Vec<MeetingOfBlock>) -> Result<(), KernelError>,
) -> Result<(), KernelError> {
    let MeetingBuffers { values, before, heads, listed } = buffers;
    let sets = &prefixes.sets;
    let bits = values.len().max(1).ilog2().clamp(LEAST_CELL_BITS, MOST_CELL_BITS);
    progress.spend_values((1 << bits) / 8 + 8 * values.len())?;
    heads.clear();
    reserve::make_room(heads, 1 << bits)?;
    heads.resize(1 << bits, NONE);
    before.clear();
    reserve::make_room(before, values.len())?;
    for (at, &value) in values.iter().enumerate() {
        let own = value.set();
        let (size, low) = (sets[own].size, rule.smallest_partner(sets[own].size as usize));
        let head = &mut heads[(value.low_bits() >> (MOST_CELL_BITS - bits)) as usize];
        // Cells are chains: each value points at the one before it, the head is the last. Values
        // come in the order of sets, so that every two meet once, at the later one.
        let mut earlier = *head;
        before.push(std::mem::replace(head, at as u32));
        while earlier != NONE {
            let other = values[earlier as usize];
            let its = &sets[other.set()];
            // Other values may share the cell; the bucket is one of the upper bits, and these are
            // the rest.
            if other.low_bits() == value.low_bits()
                && its.size as usize >= low
                && rule.smallest_partner(its.size as usize) <= size as usize
                && texts.are_compared(sets[own].node, its.node)
                && texts.is_measured_by(sets[own].node, its.node)
            {
                let within = own as u64 & ((1 << block_bits) - 1);
                let block = (own >> block_bits) as u32;
                let meeting = PackedMeeting::new(within, value, other);
                reserve::push(listed, MeetingOfBlock { block, meeting })?;
            }
            earlier = before[earlier as usize];
        }
        if listed.len() >= LISTED {
            take_and_clear_listed(listed)?;
        }
    }
    Ok(())
}

impl Meeting {
    /// Return whether the values after the last shared rare one can bring enough.
    fn may_be_alike(&self, prefixes: &HomePrefixes, rule: Resemblance) -> bool {
        let (own, its) = (&prefixes.sets[self.left], &prefixes.sets[self.right]);
        let need = rule.values_needed(own.size as usize + its.size as usize) as u32;
        let after = |set: &Prefixed, place: u32| set.size - (place + 1).min(set.size);
        let most = after(own, self.places[0]).min(after(its, self.places[1]));
        let common = |set: usize| prefixes.common_values_of(set).len() as u32;
        // Common values were not looked up: at best they share all that the set with fewer has.
        let hits = self.shared + common(self.left).min(common(self.right));
        self.shared + most >= need && hits >= rule.prefix_hits(need)
    }
}
