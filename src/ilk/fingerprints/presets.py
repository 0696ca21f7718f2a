"""Named recipes, as strings."""

from __future__ import annotations

from dataclasses import dataclass

from ilk.fingerprints import rabin

_COMMON = "weight=tf/ties=one/fold/stop=en-883fc88a/min=1/md5/v1"


@dataclass(frozen=True, slots=True)
class Preset:
    """A recipe with a name.

    Attributes:
        recipe: its string.
        source: where it comes from, and what was chosen where that source is silent.
        weighs: if it needs a table of weights, the name of the same recipe without one.
    """

    recipe: str
    source: str
    weighs: str | None = None


#: Every preset by its name.
PRESETS = {
    "default": Preset(
        "minhash64/words=3/weight=binary/fold/min=3/ilk64/v1", "docs/explanation/choosing.md"
    ),
    "precise": Preset(
        "minhash128/words=3/weight=binary/fold/min=3/ilk64/v1",
        "docs/explanation/choosing.md: for millions",
    ),
    "similarity-index": Preset(
        "simhash64/words=1/weight=log/fold/min=3/ilk64/v1", "Roth 2013, over words; radius 6"
    ),
    "manku2007": Preset(
        "simhash64/words=1/weight=log/fold/stop=en-883fc88a/min=1/ilk64/v1",
        "Manku, Jain and Das Sarma 2007, sections 2 and 4: words, case-folded, without stop words, "
        "weighted; they do not name the hash, and their weights are of their own corpus; "
        "radius 3",
    ),
    "roth2013": Preset(
        rabin.RECIPE,
        "Roth 2013, section 2.4, which names the classes of Common Crawl, as its author's own tool "
        "calls them: the set of runs of 4 UTF-16 units as they stand, Rabin's fingerprint, ties "
        "zero; radius 6",
    ),
    "words-tf": Preset(
        f"simhash64/words=1/{_COMMON}",
        "the usual SimHash of small libraries: words, stop words dropped, MD5, ties one",
    ),
    "words-tfidf": Preset(
        f"simhash64/words=1/{_COMMON}",
        "the same, weighted by tf-idf: needs a table",
        weighs="words-tf",
    ),
    "holub": Preset(
        "simhash64/words=1/weight=tf/ties=zero/fold/min=1/lookup3/v1",
        "Holub's page on Charikar's hash: tokens, whole weights, signs; it does not tell which of "
        "Jenkins' hashes it means: lookup3 is the last",
    ),
    "holub-super": Preset(
        "simhash64/words=3/weight=tf/ties=zero/fold/min=1/lookup3/v1",
        "the same of super-tokens, which are tuples of words; how many is not said",
    ),
}
