//! From a text to its fingerprint, all the way, by a recipe.

use std::ops::Range;
use std::sync::Arc;

use hashbrown::HashTable;

use crate::shingles::{Shingler, Shingling};
use crate::stops::Stops;
use ilk_joins::minhash::{self, Permutations};
use ilk_joins::rabin::RunsOfFourUnits;
use ilk_joins::simd::sort;
use ilk_joins::simhash::{self, Ties, Weight};
use ilk_joins::sketches::{self, Choice, Sketch};
use ilk_joins::stop;
use ilk_joins::tool_hashes::ToolHash;
use ilk_joins::weights::Table;

/// Way in which the features of a text become one number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// SimHash: how features are weighted, and how ties are broken.
    SimHash(Weight, Ties),
    /// Packed 1-bit MinHash; features are in the set or not.
    MinHash,
}

/// Features that a SimHash adds up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Features {
    /// Shingles by their ids; a MinHash has no others.
    Ids,
    /// Shingles by the hash of another tool.
    Hashed(ToolHash),
    /// Rabin's fingerprints of the distinct runs of 4 UTF-16 units of the text as it stands.
    Runs,
}

/// Why a text has no fingerprint.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lack {
    /// The text is null.
    Null,
    /// The text has nothing but white space.
    Blank,
    /// The text has fewer distinct features than the recipe's minimum.
    TooFew,
}

/// The complete way from a text to its fingerprint.
#[derive(Debug, Clone)]
pub struct Recipe {
    /// Shingles that are hashed.
    pub shingling: Shingling,
    /// Words that are left out.
    pub stops: Stops,
    /// Way in which they become a number.
    pub kind: Kind,
    /// Features that this number stands for.
    pub features: Features,
    /// Factors of the features' weights; `None` leaves them as they are.
    pub table: Option<Arc<Table>>,
    /// Width of the fingerprint in bits, 1 to 128.
    pub bits: u32,
    /// Fewest distinct features that make a fingerprint; those that weigh nothing do not count.
    pub minimum: usize,
}

impl Recipe {
    /// Weight of a feature that occurs `tf` times; 1 in a set.
    #[must_use]
    pub fn weight(&self, id: u32, tf: u32) -> u32 {
        let Kind::SimHash(weight, _) = self.kind else { return 1 };
        let factor = self.table.as_ref().map_or(1, |table| table.weight_of(id));
        weight.of(tf).saturating_mul(factor)
    }

    /// The cosine of the weighted feature vectors of two texts; `None` if either has none.
    #[must_use]
    pub fn measure_cosine(&self, left: &str, right: &str) -> Option<f64> {
        let [left, right] = [left, right].map(|text| self.weighted_vector(text));
        let norm = |vector: &[(u32, f64)]| vector.iter().map(|(_, w)| w * w).sum::<f64>().sqrt();
        let mut rest = right.iter().peekable();
        let shared = left.iter().filter_map(|(id, w)| {
            while rest.next_if(|(other, _)| other < id).is_some() {}
            rest.next_if(|(other, _)| other == id).map(|(_, v)| w * v)
        });
        let dot: f64 = shared.sum();
        let norms = norm(&left) * norm(&right);
        (norms > 0.0).then(|| (dot / norms).min(1.0))
    }

    /// The distinct features of a text, ascending, with their weights.
    fn weighted_vector(&self, text: &str) -> Vec<(u32, f64)> {
        let (mut ids, mut distinct, mut counts) = Default::default();
        Shingler::default().push_ids(text, self.shingling, &self.stops, &mut ids);
        sort::sort(&mut ids);
        sort::count_runs(&ids, &mut distinct, &mut counts);
        let weigh = |(id, tf)| (id, f64::from(self.weight(id, tf)));
        distinct.into_iter().zip(counts).map(weigh).collect()
    }
}

/// The stop words that a list has for such shingles: each entry as texts are cut; one that is cut
/// into several words stops none.
pub fn make_stops_of_single_words<'a>(
    list: impl Iterator<Item = &'a str>,
    shingling: Shingling,
) -> Stops {
    let single = Shingling { width: 1, ..shingling };
    let mut shingler = Shingler::default();
    let mut ids = Vec::new();
    for entry in list {
        let before = ids.len();
        shingler.push_ids(entry, single, &Stops::default(), &mut ids);
        if ids.len() > before + 1 {
            ids.truncate(before);
        }
    }
    Stops::new(&ids)
}

/// Fingerprints texts; keeps its buffers from one text to the next.
#[derive(Debug, Default)]
pub struct Fingerprinter {
    shingler: Shingler,
    ids: Vec<u32>,
    distinct: Vec<u32>,
    counts: Vec<u32>,
    weights: Vec<u32>,
    runs: RunsOfFourUnits,
    vocabulary: Vocabulary,
    /// The lower and the upper halves of the hashes of features.
    hashes: [Vec<u64>; 2],
}

impl Fingerprinter {
    /// The fingerprint of a text.
    ///
    /// # Errors
    /// Why the text has no fingerprint.
    pub fn make_fingerprint(&mut self, text: Option<&str>, recipe: &Recipe) -> Result<u128, Lack> {
        let minimum = recipe.minimum.max(1);
        match (recipe.kind, recipe.features) {
            (Kind::SimHash(_, ties), Features::Runs) => {
                self.simhash_of_rabin_fingerprints(text, ties, minimum, recipe)
            }
            (Kind::SimHash(Weight::Frequency, ties), Features::Hashed(hash))
                if minimum == 1 && recipe.table.is_none() && hash.is_fast() =>
            {
                self.simhash_of_occurrences(text, ties, recipe, hash)
            }
            (Kind::SimHash(weight, ties), Features::Hashed(hash)) => {
                self.number_features_unless_blank(text, recipe, hash)?;
                self.simhash_of_features(weight, ties, minimum, recipe)
            }
            (Kind::SimHash(weight, ties), Features::Ids) => {
                self.read_ids_unless_blank(text, recipe)?;
                self.make_simhash(weight, ties, minimum, recipe)
            }
            (Kind::MinHash, _) => {
                self.read_ids_unless_blank(text, recipe)?;
                self.minhash(recipe.bits, minimum)
            }
        }
    }

    /// The sorted, distinct ids of a text's features; `None` for a null text.
    pub fn make_feature_set(&mut self, text: Option<&str>, recipe: &Recipe) -> &[u32] {
        self.ids.clear();
        let text = text.unwrap_or_default();
        self.shingler.push_ids(text, recipe.shingling, &recipe.stops, &mut self.ids);
        let distinct = sort::sort_distinct(&mut self.ids);
        &self.ids[..distinct]
    }

    /// The MinHash signature of a text: `size` minima.
    ///
    /// # Errors
    /// Why the text has no signature.
    pub fn make_signature(
        &mut self,
        text: Option<&str>,
        recipe: &Recipe,
        family: &[Permutations],
        size: usize,
    ) -> Result<Vec<u32>, Lack> {
        self.read_ids_unless_blank(text, recipe)?;
        if !self.has_enough_distinct_ids(recipe.minimum.max(1)) {
            return Err(Lack::TooFew);
        }
        Ok(minhash::make_signature(&self.ids, family, size))
    }

    /// A null text has nothing in its sketch.
    pub fn make_sketch(&mut self, text: Option<&str>, recipe: &Recipe, choice: Choice) -> Sketch {
        self.ids.clear();
        let text = text.unwrap_or_default();
        self.shingler.push_ids(text, recipe.shingling, &recipe.stops, &mut self.ids);
        sketches::choose_sketch(&self.ids, choice)
    }

    /// Reads the ids of a text's features, repetitions included.
    fn read_ids_unless_blank(&mut self, text: Option<&str>, recipe: &Recipe) -> Result<(), Lack> {
        let text = text.ok_or(Lack::Null)?;
        self.ids.clear();
        self.shingler.push_ids(text, recipe.shingling, &recipe.stops, &mut self.ids);
        if self.ids.is_empty() && text.chars().all(char::is_whitespace) {
            return Err(Lack::Blank);
        }
        Ok(())
    }

    /// Reads a text's features by the hash of another tool: `self.ids` become their numbers in the
    /// vocabulary, repetitions included.
    fn number_features_unless_blank(
        &mut self,
        text: Option<&str>,
        recipe: &Recipe,
        hash: ToolHash,
    ) -> Result<(), Lack> {
        self.vocabulary.forget_all_if_large();
        let Self { shingler, ids, vocabulary, .. } = self;
        let text = text.ok_or(Lack::Null)?;
        ids.clear();
        if recipe.table.is_some() {
            // A table weighs features by their ids, which stand in the order of their texts.
            shingler.push_ids(text, recipe.shingling, &recipe.stops, ids);
        }
        let mut read = 0;
        shingler.each_shingle_text(text, recipe.shingling, &recipe.stops, |feature, spread| {
            stop::count_work_or_unwind(feature.len());
            match ids.get_mut(read) {
                Some(id) => *id = vocabulary.number(feature, spread, *id, hash),
                None => ids.push(vocabulary.number(feature, spread, 0, hash)),
            }
            read += 1;
        });
        if ids.is_empty() && text.chars().all(char::is_whitespace) {
            return Err(Lack::Blank);
        }
        Ok(())
    }

    /// The SimHash of a text's features, each hashed wherever it occurs: to look whether it has
    /// occurred before costs more.
    fn simhash_of_occurrences(
        &mut self,
        text: Option<&str>,
        ties: Ties,
        recipe: &Recipe,
        hash: ToolHash,
    ) -> Result<u128, Lack> {
        let text = text.ok_or(Lack::Null)?;
        let Self { shingler, hashes: [lower, upper], .. } = self;
        lower.clear();
        upper.clear();
        shingler.each_shingle_text(text, recipe.shingling, &recipe.stops, |feature, _| {
            stop::count_work_or_unwind(feature.len());
            let value = hash.of(feature);
            lower.push(value as u64);
            if recipe.bits > 64 {
                upper.push((value >> 64) as u64);
            }
        });
        if lower.is_empty() {
            let blank = text.chars().all(char::is_whitespace);
            return Err(if blank { Lack::Blank } else { Lack::TooFew });
        }
        Ok(simhash::make_simhash([lower, upper], None, recipe.bits, ties))
    }

    /// The SimHash of the features that `number_features_unless_blank` has read.
    fn simhash_of_features(
        &mut self,
        weight: Weight,
        ties: Ties,
        minimum: usize,
        recipe: &Recipe,
    ) -> Result<u128, Lack> {
        if weight == Weight::Frequency && recipe.table.is_none() {
            if !self.has_enough_distinct_ids(minimum) {
                return Err(Lack::TooFew);
            }
            let features = self.vocabulary.gather(&self.ids, recipe.bits, &mut self.hashes);
            return Ok(simhash::make_simhash(features, None, recipe.bits, ties));
        }
        sort::sort(&mut self.ids);
        sort::count_runs(&self.ids, &mut self.distinct, &mut self.counts);
        self.weights.clear();
        let features = self.distinct.iter().zip(&self.counts);
        self.weights
            .extend(features.map(|(&number, &tf)| recipe.weight(self.vocabulary.id(number), tf)));
        if self.weights.iter().filter(|&&weight| weight > 0).count() < minimum {
            return Err(Lack::TooFew);
        }
        let features = self.vocabulary.gather(&self.distinct, recipe.bits, &mut self.hashes);
        Ok(simhash::make_simhash(features, Some(&self.weights), recipe.bits, ties))
    }

    fn simhash_of_rabin_fingerprints(
        &mut self,
        text: Option<&str>,
        ties: Ties,
        minimum: usize,
        recipe: &Recipe,
    ) -> Result<u128, Lack> {
        let text = text.ok_or(Lack::Null)?;
        if text.chars().all(char::is_whitespace) {
            return Err(Lack::Blank);
        }
        stop::count_work_or_unwind(text.len());
        let features = self.runs.fingerprint_distinct_runs(text);
        if features.len() < minimum {
            return Err(Lack::TooFew);
        }
        Ok(simhash::make_simhash([features, &[]], None, recipe.bits.min(64), ties))
    }

    fn make_simhash(
        &mut self,
        weight: Weight,
        ties: Ties,
        minimum: usize,
        recipe: &Recipe,
    ) -> Result<u128, Lack> {
        if weight == Weight::Frequency && recipe.table.is_none() {
            if !self.has_enough_distinct_ids(minimum) {
                return Err(Lack::TooFew);
            }
            // To add up every occurrence costs less than to count those of each feature.
            return Ok(simhash::make_simhash_of_ids(&self.ids, None, recipe.bits, ties));
        }
        sort::sort(&mut self.ids);
        sort::count_runs(&self.ids, &mut self.distinct, &mut self.counts);
        let differ = self.fill_weights_unless_all_one(weight, recipe.table.as_deref());
        let weights = differ.then_some(self.weights.as_slice());
        let weightless = weights.map_or(0, |all| all.iter().filter(|&&weight| weight == 0).count());
        if self.distinct.len() - weightless < minimum {
            return Err(Lack::TooFew);
        }
        Ok(simhash::make_simhash_of_ids(&self.distinct, weights, recipe.bits, ties))
    }

    /// Weighs the distinct features; returns whether they weigh different things at all.
    fn fill_weights_unless_all_one(&mut self, weight: Weight, table: Option<&Table>) -> bool {
        if table.is_none() && weight == Weight::Binary {
            return false;
        }
        self.weights.clear();
        self.weights.extend(self.counts.iter().map(|&tf| weight.of(tf)));
        if let Some(table) = table {
            table.multiply(&self.distinct, &mut self.weights);
        }
        true
    }

    fn minhash(&mut self, bits: u32, minimum: usize) -> Result<u128, Lack> {
        if !self.has_enough_distinct_ids(minimum) {
            return Err(Lack::TooFew);
        }
        // An id that comes again changes no minimum, and to find out costs more than to take it.
        Ok(minhash::make_minhash(&self.ids, bits))
    }

    /// Return whether at least `count` are; stops looking once that is known.
    fn has_enough_distinct_ids(&mut self, count: usize) -> bool {
        let mut looked = count;
        loop {
            self.distinct.clear();
            self.distinct.extend(self.ids.iter().take(looked));
            if sort::sort_distinct(&mut self.distinct) >= count {
                return true;
            }
            if looked >= self.ids.len() {
                return false;
            }
            looked = looked.saturating_mul(4);
        }
    }
}

/// Bytes of features that a vocabulary holds before it is emptied between two texts.
const VOCABULARY_BYTES: usize = 1 << 23;

/// The features of texts, each hashed once: a number for each, in the order of their first
/// occurrence.
#[derive(Debug, Default)]
struct Vocabulary {
    numbers: HashTable<u32>,
    /// All texts, one after the other, and where each ends.
    texts: String,
    ends: Vec<usize>,
    /// Hashes that spread the features over the table.
    spreads: Vec<u64>,
    /// Ids, as tables of weights have them, and the two halves of hashes.
    ids: Vec<u32>,
    halves: [Vec<u64>; 2],
}

impl Vocabulary {
    /// Forgets all features, if there are many; keeps the memory.
    fn forget_all_if_large(&mut self) {
        if self.bytes() > VOCABULARY_BYTES {
            self.numbers.clear();
            self.texts.clear();
            self.ends.clear();
            self.spreads.clear();
            self.ids.clear();
            self.halves.iter_mut().for_each(Vec::clear);
        }
    }

    /// Bytes that the features take, about.
    fn bytes(&self) -> usize {
        self.texts.len() + 48 * self.ids.len()
    }

    /// The number of a feature; `spread` is a hash of its text, and `id` its id.
    fn number(&mut self, feature: &str, spread: u64, id: u32, hash: ToolHash) -> u32 {
        let Self { numbers, texts, ends, spreads, .. } = self;
        let is_same = |&number: &u32| {
            let number = number as usize;
            spreads[number] == spread && &texts[place_of(ends, number)] == feature
        };
        if let Some(&number) = numbers.find(spread, is_same) {
            return number;
        }
        let (number, value) = (self.ids.len() as u32, hash.of(feature));
        texts.push_str(feature);
        ends.push(texts.len());
        spreads.push(spread);
        self.ids.push(id);
        self.halves[0].push(value as u64);
        self.halves[1].push((value >> 64) as u64);
        self.numbers.insert_unique(spread, number, |&number| self.spreads[number as usize]);
        number
    }

    fn id(&self, number: u32) -> u32 {
        self.ids[number as usize]
    }

    /// The lower and the upper halves of some features' hashes, in the buffers that are given; no
    /// upper ones where they do not count.
    fn gather<'a>(
        &self,
        numbers: &[u32],
        bits: u32,
        hashes: &'a mut [Vec<u64>; 2],
    ) -> [&'a [u64]; 2] {
        let halves = self.halves.iter().zip([true, bits > 64]);
        for (gathered, (half, counts)) in hashes.iter_mut().zip(halves) {
            gathered.clear();
            if counts {
                gathered.extend(numbers.iter().map(|&number| half[number as usize]));
            }
        }
        [&hashes[0], &hashes[1]]
    }
}

/// The place of a text among those that end there.
fn place_of(ends: &[usize], number: usize) -> Range<usize> {
    number.checked_sub(1).map_or(0, |before| ends[before])..ends[number]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::Normalisation;
    use crate::tokens::Unit;
    use ilk_joins::hash;

    const KINDS: [Kind; 2] = [Kind::SimHash(Weight::Logarithm, Ties::Fixed), Kind::MinHash];

    fn recipe(kind: Kind, bits: u32, minimum: usize) -> Recipe {
        let shingling = Shingling::plain(Unit::Words, 1, Normalisation::Fold);
        Recipe {
            shingling,
            stops: Stops::default(),
            kind,
            features: Features::Ids,
            table: None,
            bits,
            minimum,
        }
    }

    #[test]
    fn a_text_with_too_little_says_so() {
        for kind in KINDS {
            let recipe = recipe(kind, 64, 3);
            let mut fingerprinter = Fingerprinter::default();
            let mut of = |text| fingerprinter.make_fingerprint(text, &recipe);
            assert_eq!(of(None), Err(Lack::Null));
            assert_eq!(of(Some(" \n")), Err(Lack::Blank));
            assert_eq!(of(Some("!")), Err(Lack::TooFew));
            assert_eq!(of(Some("no no no yes")), Err(Lack::TooFew));
            assert!(of(Some("one two three")).is_ok());
        }
    }

    #[test]
    fn distinct_features_are_counted_to_the_end() {
        let mut fingerprinter = Fingerprinter::default();
        let text = "a ".repeat(10_000) + "b " + &"a ".repeat(100) + "c";
        for kind in KINDS {
            for (minimum, enough) in [(0, true), (1, true), (3, true), (4, false)] {
                let found = fingerprinter.make_fingerprint(Some(&text), &recipe(kind, 64, minimum));
                assert_eq!(found.is_ok(), enough, "{kind:?} of at least {minimum}");
            }
        }
    }

    #[test]
    fn a_narrow_fingerprint_is_the_lower_part_of_a_wide_one() {
        let mut fingerprinter = Fingerprinter::default();
        let text = Some("to be or not to be that is the question");
        for kind in KINDS {
            let mut of = |bits| fingerprinter.make_fingerprint(text, &recipe(kind, bits, 1));
            let widest = of(128);
            for bits in [32, 64] {
                assert_eq!(of(bits), widest.map(|wide| wide & ((1 << bits) - 1)), "{bits} bits");
            }
        }
    }

    #[test]
    fn features_by_the_hash_of_another_tool_are_added_up_with_their_weights() {
        let text = "to be or not to be";
        let mut fingerprinter = Fingerprinter::default();
        for (weight, weights) in [
            (Weight::Binary, [1, 1, 1, 1]),
            (Weight::Frequency, [2, 2, 1, 1]),
            (Weight::Logarithm, [14, 14, 8, 8]),
        ] {
            let plain = recipe(Kind::SimHash(weight, Ties::One), 128, 4);
            let hashed = Recipe { features: Features::Hashed(ToolHash::Md5), ..plain };
            let values = ["to", "be", "or", "not"].map(|word| ToolHash::Md5.of(word));
            let halves = [0, 64].map(|shift| values.map(|value| (value >> shift) as u64));
            let halves = halves.each_ref().map(|half| &half[..]);
            let expected = simhash::make_simhash(halves, Some(&weights), 128, Ties::One);
            assert_eq!(
                fingerprinter.make_fingerprint(Some(text), &hashed),
                Ok(expected),
                "{weight:?}"
            );
            let fewer = fingerprinter.make_fingerprint(Some("to be or or"), &hashed);
            assert_eq!(fewer, Err(Lack::TooFew), "{weight:?}");
            assert_eq!(fingerprinter.make_fingerprint(Some(" "), &hashed), Err(Lack::Blank));
            assert_eq!(fingerprinter.make_fingerprint(None, &hashed), Err(Lack::Null));
        }
    }

    #[test]
    fn occurrences_add_up_to_what_features_with_their_weights_do() {
        let mut fingerprinter = Fingerprinter::default();
        for bits in [32, 64, 128] {
            let plain = recipe(Kind::SimHash(Weight::Frequency, Ties::One), bits, 1);
            let hashed = Recipe { features: Features::Hashed(ToolHash::Murmur128), ..plain };
            // A least number of features that are distinct has to count them.
            let counted = Recipe { minimum: 2, ..hashed.clone() };
            for text in ["to be or not to be", "a a a b", "漢字 漢字仮名"] {
                let found = fingerprinter.make_fingerprint(Some(text), &hashed);
                assert_eq!(found, fingerprinter.make_fingerprint(Some(text), &counted), "{text}");
            }
            assert_eq!(fingerprinter.make_fingerprint(Some(" \n"), &hashed), Err(Lack::Blank));
            assert_eq!(fingerprinter.make_fingerprint(Some("!"), &hashed), Err(Lack::TooFew));
            assert_eq!(fingerprinter.make_fingerprint(None, &hashed), Err(Lack::Null));
        }
    }

    #[test]
    fn a_vocabulary_that_was_emptied_gives_the_same_hashes() {
        let many: String = (0..200_000).map(|n| format!("w{n} ")).collect();
        let plain = recipe(Kind::SimHash(Weight::Frequency, Ties::Zero), 64, 1);
        let hashed = Recipe { features: Features::Hashed(ToolHash::Md5), ..plain };
        let mut fingerprinter = Fingerprinter::default();
        let first = fingerprinter.make_fingerprint(Some("one two"), &hashed);
        assert!(fingerprinter.make_fingerprint(Some(&many), &hashed).is_ok());
        assert!(fingerprinter.vocabulary.bytes() > VOCABULARY_BYTES);
        assert_eq!(fingerprinter.make_fingerprint(Some("one two"), &hashed), first);
        assert!(fingerprinter.vocabulary.bytes() < VOCABULARY_BYTES);
    }

    #[test]
    fn runs_are_those_of_the_text_as_it_stands() {
        let plain = recipe(Kind::SimHash(Weight::Binary, Ties::Zero), 64, 1);
        let runs = Recipe { features: Features::Runs, ..plain };
        let mut fingerprinter = Fingerprinter::default();
        let mut of = |text| fingerprinter.make_fingerprint(text, &runs);
        assert_eq!(of(None), Err(Lack::Null));
        assert_eq!(of(Some(" \n \n ")), Err(Lack::Blank));
        assert_eq!(of(Some("abc")), Err(Lack::TooFew));
        assert_ne!(of(Some("Abcd efgh")), of(Some("abcd efgh")));
        assert_eq!(of(Some("abcdabcd")), of(Some("abcdabcdabcd")));
    }

    #[test]
    fn cosines() {
        let recipe = recipe(Kind::SimHash(Weight::Frequency, Ties::Fixed), 64, 1);
        let of = |left, right| recipe.measure_cosine(left, right);
        assert!(of("a b", "B a").is_some_and(|cosine| (cosine - 1.0).abs() < 1e-12));
        assert_eq!(of("a", "b"), Some(0.0));
        assert_eq!(of("a", " "), None);
        // (2, 1) and (1, 2): 4 / 5.
        assert!(of("a a b", "a b b").is_some_and(|cosine| (cosine - 0.8).abs() < 1e-12));
    }

    #[test]
    fn a_table_and_stop_words_change_what_a_text_is() {
        let id = |word: &str| hash::id_of_hash(hash::hash_bytes(word.as_bytes()));
        let mut ids = [id("a"), id("b")];
        ids.sort_unstable();
        let weights = ids.map(|found| if found == id("a") { 0 } else { 24 });
        let plain = recipe(Kind::SimHash(Weight::Logarithm, Ties::Fixed), 64, 1);
        let table = Table::from_ascending_ids(&ids, &weights, 8).map(Arc::new).ok();
        let weighted = Recipe { table, ..plain.clone() };
        assert_eq!(["a", "b", "c"].map(|word| weighted.weight(id(word), 1)), [0, 192, 64]);
        let list = ["A", "c d", "", "a"];
        let stopped = Recipe {
            stops: make_stops_of_single_words(list.into_iter(), plain.shingling),
            ..plain.clone()
        };
        let mut fingerprinter = Fingerprinter::default();
        let mut of = |text, recipe| fingerprinter.make_fingerprint(Some(text), recipe);
        assert_eq!(of("a c d", &weighted), of("c d", &plain));
        assert_eq!(of("a c A d a", &stopped), of("c d", &plain));
        assert_eq!(of("a", &stopped), Err(Lack::TooFew));
        assert_eq!(of("a", &weighted), Err(Lack::TooFew));
        assert_eq!(fingerprinter.make_feature_set(Some("a b"), &stopped), [id("b")]);
        assert!(fingerprinter.make_feature_set(None, &stopped).is_empty());
    }
}
