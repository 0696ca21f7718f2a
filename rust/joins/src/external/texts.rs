//! The sets that measure texts: sets of words, and sets of characters where a text is short.

use crate::judge::LengthClass;
use crate::overlap::{FIRST, HIDDEN, HashSets, IdSets, Ratio, Resemblance, Sets};

/// Two sets a text, and which texts are compared.
#[derive(Debug, Clone, Copy)]
pub struct Texts<'a> {
    /// Sets of words.
    pub words: IdSets<'a>,
    /// Sets of characters; empty where no pair needs it.
    pub characters: IdSets<'a>,
    /// The number of the [`LengthClass`] of each text; [`HIDDEN`] for one that is not joined.
    pub length_classes: &'a [u8],
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

    /// The length class of a text; `None` for one that is not joined.
    #[inline]
    pub(super) fn length_class(&self, text: u32) -> Option<LengthClass> {
        LengthClass::from_number(self.length_classes[text as usize])
    }

    /// The length classes of all texts, each as above.
    pub(super) fn all_length_classes(&self) -> impl Iterator<Item = Option<LengthClass>> {
        self.length_classes.iter().map(|&number| LengthClass::from_number(number))
    }

    /// The set that measures a text with others of its length class.
    #[inline]
    pub(super) fn main_set(&self, text: u32) -> Node {
        2 * text + u32::from(self.length_class(text) == Some(LengthClass::Short))
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

    /// The sets of characters of the wanted texts, by their numbers and length classes, and none
    /// of the others.
    pub(super) fn characters_of<'c>(
        &self,
        choice: &'c mut Vec<u8>,
        wanted: impl Fn(usize, LengthClass) -> bool,
    ) -> Sets<'c>
    where
        'a: 'c,
    {
        choice.clear();
        choice.extend(self.all_length_classes().enumerate().map(|(text, class)| {
            if class.is_some_and(|class| wanted(text, class)) { FIRST } else { HIDDEN }
        }));
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
        let [one_class, other_class] = [one, other].map(|node| self.length_class(Self::text(node)));
        one % 2 == other % 2
            && one_class.zip(other_class).is_some_and(|(one_class, other_class)| {
                (one % 2 == 1) == one_class.is_measured_by_characters_with(other_class)
            })
    }

    /// Return whether this set is the one that measures its text with texts of the same length
    /// class. Of two sets that are compared, at least one is: so it is enough that these ask.
    #[inline]
    pub(super) fn is_main_set(&self, node: Node) -> bool {
        self.main_set(Self::text(node)) == node
    }

    /// The sets that any other may resemble, judged by sizes and length classes alone, in the
    /// order of their texts.
    pub(super) fn nodes(&self, rule: Resemblance) -> impl Iterator<Item = Node> {
        let sizes = |class: LengthClass, odd: u32| {
            let own =
                self.all_length_classes().enumerate().filter(move |&(_, of)| of == Some(class));
            let sizes = own.map(move |(text, _)| self.set(2 * text as u32 + odd).len());
            sizes.fold((usize::MAX, 0), |(low, high), size| (low.min(size), high.max(size)))
        };
        // Sets that measure a text only with texts of another class.
        let (long, short) = (sizes(LengthClass::Long, 0), sizes(LengthClass::Short, 1));
        let meets = move |size: usize, (low, high): (usize, usize)| {
            rule.smallest_partner(size) <= high && rule.smallest_partner(low) <= size
        };
        let wanted = move |node: Node| {
            let size = self.set(node).len();
            let needed = match (self.length_class(Self::text(node)), node % 2) {
                (None, _) | (Some(LengthClass::Long), 1) => false,
                (Some(LengthClass::Short), 0) => long.1 > 0 && meets(size, long),
                (Some(LengthClass::Middle), 1) => short.1 > 0 && meets(size, short),
                _ => true,
            };
            needed && size > 0
        };
        (0..2 * self.length_classes.len() as u32).filter(move |&node| wanted(node))
    }
}
