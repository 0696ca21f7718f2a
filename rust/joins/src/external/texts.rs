//! The sets that measure texts: sets of words, and sets of characters where a text is short.

use crate::overlap::{FIRST, HashSets, IdSets, Ratio, Resemblance, Sets};

/// A text that is not joined.
pub const HIDDEN: u8 = 0;
/// Measured by characters, with texts of its kind and with middle ones.
pub const SHORT: u8 = 1;
/// Measured by characters with a short text, and by words with others.
pub const MIDDLE: u8 = 2;
/// Measured by words.
pub const LONG: u8 = 3;

/// Two sets a text, and which texts are compared.
#[derive(Debug, Clone, Copy)]
pub struct Texts<'a> {
    /// Sets of words.
    pub words: IdSets<'a>,
    /// Sets of characters; empty where no pair needs it.
    pub characters: IdSets<'a>,
    /// The kind of each text: [`HIDDEN`], [`SHORT`], [`MIDDLE`] or [`LONG`].
    pub kinds: &'a [u8],
    /// Whole hashes of large sets of words.
    pub hashes: HashSets<'a>,
    /// The threshold that counts where sets have whole hashes.
    pub exact: Ratio,
    /// The first texts, as many as these, are not compared with one another.
    pub baseline: usize,
}

/// A set: twice its text, and one more for that of characters.
pub(super) type Node = u32;

impl<'a> Texts<'a> {
    /// The text of a set.
    #[inline]
    pub(super) fn text(node: Node) -> u32 {
        node / 2
    }

    /// The set that measures a text with others of its kind.
    #[inline]
    pub(super) fn main_set(&self, text: u32) -> Node {
        2 * text + u32::from(self.kinds[text as usize] == SHORT)
    }

    #[inline]
    pub(super) fn set(&self, node: Node) -> &'a [u32] {
        let column = if node % 2 == 1 { self.characters } else { self.words };
        column.set_or_empty(Self::text(node) as usize)
    }

    /// The whole hashes of a set; `None` where its ids suffice, as those of characters do.
    #[inline]
    pub(super) fn whole_hashes_if_large(&self, node: Node) -> Option<&'a [u64]> {
        let hashes = self.hashes.set_or_empty(Self::text(node) as usize);
        (node.is_multiple_of(2) && !hashes.is_empty()).then_some(hashes)
    }

    /// The sets of characters of the texts of a kind among some, and none of the others.
    pub(super) fn characters_of<'c>(
        &self,
        choice: &'c mut Vec<u8>,
        wanted: impl Fn(usize, u8) -> bool,
    ) -> Sets<'c>
    where
        'a: 'c,
    {
        choice.clear();
        let kinds = self.kinds.iter().enumerate();
        choice.extend(kinds.map(|(text, &kind)| if wanted(text, kind) { FIRST } else { HIDDEN }));
        Sets::by_choice([self.characters; 2], choice)
    }

    /// Return whether the texts of two sets are compared: not if both are of the baseline.
    #[inline]
    pub(super) fn are_compared(&self, one: Node, other: Node) -> bool {
        Self::text(one).max(Self::text(other)) as usize >= self.baseline
    }

    /// Return whether a pair of texts, if it is compared, is measured by these two sets.
    #[inline]
    pub(super) fn is_measured_by(&self, one: Node, other: Node) -> bool {
        let kind = |node: Node| self.kinds[Self::text(node) as usize];
        let (one_kind, other_kind) = (kind(one), kind(other));
        // HIDDEN is below SHORT, and has no sets that get here.
        let characters = one_kind.max(other_kind) == SHORT
            || (one_kind.min(other_kind), one_kind.max(other_kind)) == (SHORT, MIDDLE);
        one % 2 == other % 2 && (one % 2 == 1) == characters
    }

    /// Return whether this set is the one that measures its text with texts of the same length
    /// class. Of two sets that are compared, at least one is: so it is enough that these ask.
    #[inline]
    pub(super) fn is_main_set(&self, node: Node) -> bool {
        self.main_set(Self::text(node)) == node
    }

    /// The sets that any other may resemble, judged by sizes and kinds alone, in the order of
    /// their texts.
    pub(super) fn nodes(&self, rule: Resemblance) -> impl Iterator<Item = Node> {
        let sizes = |kind: u8, odd: u32| {
            let own = self.kinds.iter().enumerate().filter(move |&(_, &of)| of == kind);
            let sizes = own.map(move |(text, _)| self.set(2 * text as u32 + odd).len());
            sizes.fold((usize::MAX, 0), |(low, high), size| (low.min(size), high.max(size)))
        };
        // Sets that measure a text only with texts of another kind.
        let (long, short) = (sizes(LONG, 0), sizes(SHORT, 1));
        let meets = move |size: usize, (low, high): (usize, usize)| {
            rule.smallest_partner(size) <= high && rule.smallest_partner(low) <= size
        };
        let wanted = move |node: Node| {
            let size = self.set(node).len();
            let needed = match (self.kinds[Self::text(node) as usize], node % 2) {
                (HIDDEN, _) | (LONG, 1) => false,
                (SHORT, 0) => long.1 > 0 && meets(size, long),
                (MIDDLE, 1) => short.1 > 0 && meets(size, short),
                _ => true,
            };
            needed && size > 0
        };
        (0..2 * self.kinds.len() as u32).filter(move |&node| wanted(node))
    }
}
