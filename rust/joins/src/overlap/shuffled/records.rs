//! Records that a text sends: for each of its sets a head, and one for each of its rarest shingles.
//!
//! A head has the document (8 bytes), the size and the kind of the set (4), how many records or
//! values follow (4), and a sketch: the 128-bit MinHash of a set of words (16), or the bitmap of a
//! set of characters (32; see [`crate::overlap::make_bitmap`]). Texts that are alike in nothing
//! share many shingles of characters, so that 128 bits of MinHash would let one unrelated pair in
//! ten pass; the sets are small, which is where bitmaps are sharp. A record is 12 bytes, since
//! records are most of what is sent: the first bits of the shingle (6), its place in the order of
//! the set (2), and the first bits of the shingle before it (4). A set of characters that is met by
//! two values ([`super::twos`]) sends 32 bits of each instead. All are little-endian.
//!
//! In a shuffle of 10^11 shingles, one in 3,000 has its 48 bits in common with another, which adds
//! a candidate for the sketches to sort out. Two sets that share 32 bits of different shingles
//! before the first one in common lose each other there with a probability of 2^-32.

use super::Frequencies;
use super::ranges::{self, LookUps, ValueCounts, ValuesToSend};
use super::texts::{ShuffledTexts, each_nonempty_set};
use super::{Demand, SetKind};
use crate::error::KernelError;
use crate::hash;
use crate::minhash::{self, Permutations, make_minhash};
use crate::overlap::Ratio;
use crate::overlap::bitmap::{Bitmap, make_bitmap};

/// Bits of a head for the kind of a set; its size has the others. Three tell the five kinds apart,
/// and the two of characters once more, where they are met by two values.
const KIND_BITS: u32 = 3;
const RECORD: usize = 12;

/// The number of kinds of characters: a set that is met by two values has the number of its kind,
/// plus this. So they come after all kinds.
const BY_TWOS: u8 = 2;

/// The number of a set of no kind, which [`Head::read`] refuses.
const NO_KIND: u8 = (1 << KIND_BITS) - 1;

/// Bits of a shingle that are not sent.
const UNSENT: u32 = u16::BITS;

/// Half of the bits of a shingle.
const HALF: u32 = u32::BITS;

/// The last place in the order of a set that a record names.
const LAST: usize = u16::MAX as usize;

/// Sketch that tells two sets of one kind apart without their shingles.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum SetSketch {
    /// Sketch of a set of words.
    MinHash([u64; 2]),
    /// Sketch of a set of characters.
    Bitmap(Bitmap),
}

/// The set of a text, as it was sent.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Head {
    pub(super) doc: i64,
    pub(super) sketch: SetSketch,
    pub(super) size: u32,
    pub(super) kind: SetKind,
    /// True if values follow, and not records.
    pub(super) by_twos: bool,
    /// Their number; of values, the upper half has the number of those that are looked up.
    pub(super) count: u32,
}

/// One of its rarest shingles.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Record {
    /// The bits of the shingle that are sent, at their places.
    pub(super) key: u64,
    place: u16,
    previous: u32,
}

impl Record {
    fn new(key: u64, place_in_order: usize, previous_key: u64) -> Self {
        Self {
            key: key >> UNSENT << UNSENT,
            place: place_in_order.min(LAST) as u16,
            previous: (previous_key >> (u64::BITS - u32::BITS)) as u32,
        }
    }

    /// Number of shingles of the set before it, or [`LAST`] where there are more.
    pub(super) fn shingles_before_up_to_last(self) -> usize {
        self.place.into()
    }

    /// Return whether two sets have the same shingle before this one. So they met there already.
    pub(super) fn met_before(self, other: Self) -> bool {
        self.place > 0 && other.place > 0 && self.previous == other.previous
    }

    fn write(self, to: &mut Vec<u8>) {
        // The place is where bits of the shingle are not sent.
        to.extend((self.key | u64::from(self.place)).to_le_bytes());
        to.extend(self.previous.to_le_bytes());
    }
}

impl SetSketch {
    fn of(kind: SetKind, ids: &[u32]) -> Self {
        if !kind.is_of_characters {
            let bits = make_minhash(ids, 128);
            Self::MinHash([bits as u64, (bits >> 64) as u64])
        } else {
            Self::Bitmap(make_bitmap(ids))
        }
    }
}

impl Head {
    fn of(doc: i64, kind: SetKind, ids: &[u32], count: usize) -> Self {
        let sketch = SetSketch::of(kind, ids);
        Self { doc, sketch, size: ids.len() as u32, kind, by_twos: false, count: count as u32 }
    }

    pub(super) fn write(self, to: &mut Vec<u8>) {
        to.extend(self.doc.to_le_bytes());
        // A set of 2^29 shingles and more is sent as one of a shingle less than that; far larger
        // than texts are.
        let size = self.size.min(u32::MAX >> KIND_BITS);
        let later = if self.by_twos { BY_TWOS } else { 0 };
        let kind = self.kind.number().map_or(NO_KIND, |number| number + later);
        to.extend((size << KIND_BITS | u32::from(kind)).to_le_bytes());
        to.extend(self.count.to_le_bytes());
        match self.sketch {
            SetSketch::MinHash(words) => to.extend(words.into_iter().flat_map(u64::to_le_bytes)),
            SetSketch::Bitmap(words) => to.extend(words.into_iter().flat_map(u64::to_le_bytes)),
        }
    }

    /// Reads a head; what comes after it is the second.
    fn read(bytes: &[u8]) -> Option<(Self, &[u8])> {
        let (doc, rest) = bytes.split_first_chunk()?;
        let (size, rest) = rest.split_first_chunk()?;
        let (count, rest) = rest.split_first_chunk()?;
        let size = u32::from_le_bytes(*size);
        let kind = (size & ((1 << KIND_BITS) - 1)) as usize;
        let by_twos = kind >= SetKind::ALL.len();
        let kind = *SetKind::ALL.get(kind - if by_twos { BY_TWOS as usize } else { 0 })?;
        let (sketch, rest) = if !kind.is_of_characters {
            let (words, rest) = read_words(rest)?;
            (SetSketch::MinHash(words), rest)
        } else {
            let (words, rest) = read_words(rest)?;
            (SetSketch::Bitmap(words), rest)
        };
        let (doc, count) = (i64::from_le_bytes(*doc), u32::from_le_bytes(*count));
        Some((Self { doc, sketch, size: size >> KIND_BITS, kind, by_twos, count }, rest))
    }

    /// Bytes that follow.
    fn following_bytes(&self) -> usize {
        let ValueCounts { all, .. } = ranges::unpack_counts(self.count);
        if self.by_twos { ranges::VALUE * all } else { RECORD * self.count as usize }
    }
}

fn read_words<const W: usize>(bytes: &[u8]) -> Option<([u64; W], &[u8])> {
    let (own, rest) = bytes.split_at_checked(8 * W)?;
    let mut words = [0; W];
    words.iter_mut().zip(own.as_chunks().0).for_each(|(to, one)| *to = u64::from_le_bytes(*one));
    Some((words, rest))
}

/// Appends what a text sends to be joined at a threshold, which must be one.
pub fn append_records(
    texts: ShuffledTexts,
    row: usize,
    order: Frequencies<&[u8]>,
    threshold: Ratio,
    to: &mut Vec<u8>,
) {
    let demand = Demand::new(threshold);
    let Some(&doc) = texts.docs.get(row) else { return };
    let (mut keys, mut ids) = (Vec::new(), Vec::new());
    each_nonempty_set(texts, row, &mut |kind, set| {
        keys.clear();
        ids.clear();
        keys.extend(set.map(|key| {
            ids.push(hash::id_of_hash(key));
            // Of equally rare ones the lower half decides, as the upper half decides the place.
            (order.sets_with(hash::id_of_hash(key)), key.rotate_left(HALF))
        }));
        let LookUps { by_one_value, by_two_values } = demand.choose_look_ups(kind, ids.len());
        if by_two_values {
            let length = demand.prefix_length_with_two_in_a_range(ids.len());
            let prefix = select_rarest_unsorted(&mut keys, length);
            let head = Head::of(doc, kind, &ids, prefix.len());
            let mut values: Vec<u32> = prefix.iter().map(|&(_, key)| key as u32).collect();
            values.sort_unstable();
            append_values(head, &values, values.len(), to);
        }
        if by_one_value {
            let prefix = select_rarest_unsorted(&mut keys, demand.prefix_length(kind, ids.len()));
            // The order of all texts: what stands before a shingle must be the same in two sets
            // that meet there.
            prefix.sort_unstable();
            Head::of(doc, kind, &ids, prefix.len()).write(to);
            let mut previous_key = 0;
            for (place, &(_, key)) in prefix.iter().enumerate() {
                let key = key.rotate_right(HALF);
                Record::new(key, place, previous_key).write(to);
                previous_key = key;
            }
        }
    });
}

/// Appends a set with ascending values, and how many of them are looked up.
fn append_values(head: Head, values: &[u32], looked_up: usize, to: &mut Vec<u8>) {
    let count = ranges::pack_counts(ValueCounts { all: values.len(), looked_up });
    Head { by_twos: true, count, ..head }.write(to);
    to.extend(values.iter().flat_map(|value| value.to_le_bytes()));
}

/// Moves the `count` rarest keys to the front, in any order, and returns them.
fn select_rarest_unsorted(keys: &mut [(u8, u64)], count: usize) -> &mut [(u8, u64)] {
    if 0 < count && count < keys.len() {
        keys.select_nth_unstable(count - 1);
    }
    &mut keys[..count]
}

/// Appends what a text sends to be nominated: for each of its sets a record for each of `count`
/// bands of `width` least images (Leskovec, Rajaraman and Ullman 2014, section 3.4.1). Two sets of
/// resemblance r share none of them with probability (1 - r^width)^count.
///
/// `family` has the permutations of all bands ([`minhash::make_permutations`]).
pub fn append_bands(
    texts: ShuffledTexts,
    row: usize,
    family: &[Permutations],
    (count, width): (usize, usize),
    to: &mut Vec<u8>,
) {
    let Some(&doc) = texts.docs.get(row) else { return };
    each_nonempty_set(texts, row, &mut |kind, set| {
        let ids: Vec<u32> = set.map(hash::id_of_hash).collect();
        let minima = minhash::make_signature(&ids, family, count.saturating_mul(width));
        let bands = minima.chunks_exact(width.max(1));
        Head::of(doc, kind, &ids, bands.len()).write(to);
        for (at, band) in bands.enumerate() {
            // The number of the band and the kind of set are part of the key: equal images in
            // different bands, or of words and characters, are no meeting.
            let begin = 2 * at as u64 + u64::from(!kind.is_of_characters);
            let key = band.iter().fold(hash::mix(begin.wrapping_mul(hash::K[0])), |key, &least| {
                hash::mix(key.wrapping_mul(hash::K[2]).wrapping_add(u64::from(least)))
            });
            Record::new(key, 0, 0).write(to);
        }
    });
}

/// Reads what texts have sent: each head, and the bytes of what follows it.
///
/// # Errors
/// [`KernelError::Damaged`], or what `take` answers.
pub(super) fn each_sent_set<'a>(
    mut sent: &'a [u8],
    mut take: impl FnMut(Head, &'a [u8]) -> Result<(), KernelError>,
) -> Result<(), KernelError> {
    while !sent.is_empty() {
        let (head, rest) = Head::read(sent).ok_or(KernelError::Damaged)?;
        let (own, rest) =
            rest.split_at_checked(head.following_bytes()).ok_or(KernelError::Damaged)?;
        take(head, own)?;
        sent = rest;
    }
    Ok(())
}

/// The records that follow a head.
pub(super) fn read_records(bytes: &[u8]) -> impl Iterator<Item = Record> {
    bytes.chunks_exact(RECORD).filter_map(|bytes| {
        let (key, rest) = bytes.split_first_chunk()?;
        let (previous, _) = rest.split_first_chunk()?;
        let key = u64::from_le_bytes(*key);
        let place = (key & LAST as u64) as u16;
        let key = key >> UNSENT << UNSENT;
        Some(Record { key, place, previous: u32::from_le_bytes(*previous) })
    })
}

/// Concatenate by place what texts have sent, which is shared out among `places` by the first bits
/// of the shingles.
///
/// # Errors
/// [`KernelError::Damaged`].
pub fn concatenate_records_by_place<'a>(
    sent: impl Iterator<Item = &'a [u8]>,
    places: u32,
) -> Result<Vec<Vec<u8>>, KernelError> {
    let mut shares = vec![Vec::new(); places as usize];
    let mut of_set: Vec<(usize, Record)> = Vec::new();
    for sent in sent {
        each_sent_set(sent, |head, own| {
            if head.by_twos {
                let values: Vec<u32> = ranges::read_values(own).collect();
                ranges::send_values_to_places(&values, places as usize, |sent: ValuesToSend| {
                    if let Some(share) = shares.get_mut(sent.place) {
                        append_values(head, sent.values, sent.looked_up, share);
                    }
                });
                return Ok(());
            }
            let place = |key: u64| ((u128::from(key) * u128::from(places)) >> 64) as usize;
            of_set.clear();
            of_set.extend(read_records(own).map(|record| (place(record.key), record)));
            of_set.sort_by_key(|&(place, _)| place);
            for together in of_set.chunk_by(|a, b| a.0 == b.0) {
                let share = &mut shares[together[0].0];
                Head { count: together.len() as u32, ..head }.write(share);
                together.iter().for_each(|(_, record)| record.write(share));
            }
            Ok(())
        })?;
    }
    Ok(shares)
}
