"""The page's features, fingerprints, problems and search, on example texts."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

import ilk
from ilk.plugins import count_noun
from ilk_papers.frame import Exhibit, Value, make_exhibit
from ilk_papers.hashes import HASHES
from ilk_papers.measure.edits import edit_text
from ilk_papers.planted import BITS, plant_fingerprints
from ilk_papers.roth2011 import collection
from ilk_papers.simhash import distance
from ilk_papers.simhash_page import features, permuted, problems
from ilk_papers.simhash_page.fingerprint import fingerprint
from ilk_papers.simhash_page.permuted import Design
from ilk_papers.standins import generate_prose

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: The page's example of shingles, and the first of them.
EARTH = "The earth is moving."
PUBLISHED = ("The_e", "he_ea", "e_ear", "_eart")

TEXTS = (
    "The earth is moving around the sun, and the moon is moving around the earth.",
    "The earth is moving around the sun while the moon is moving around the earth.",
    "The moon moves around the earth and the earth moves around the sun.",
    "Fresh bread is baked in the early morning, before the first customers come to the shop.",
)

#: Designs of tables: those of Manku 2007 for three bits, and cheaper and larger ones.
DESIGNS = (Design(2, 1), Design(3, 1), Design(4, 1), Design(5, 2), Design(6, 3), Design(8, 2))

#: The share of bits that the page asks for, in per cent.
ASKED_PERCENT = 95

#: The share of a document's words that its copy has replaced.
_REPLACED = 0.005

#: Distances to which the searches are asked.
RADII = (3, 6, 8)


def example_5_shingles_table() -> Exhibit:
    """Return the shingles of the page's example."""
    cut = features.character_shingles(EARTH, 5)
    rows = [
        ("first shingles", ", ".join(PUBLISHED), ", ".join(cut[: len(PUBLISHED)])),
        ("all", "", ", ".join(cut)),
    ]
    title = f"5-shingles of {EARTH!r}"
    return make_exhibit("shingles", title, ("what", "published", "computed"), rows)


def weights_table() -> Exhibit:
    """Return the words of the example texts with their weights."""
    documents = [features.words_but_stop_words(text) for text in TEXTS]
    rarity = features.idf(documents)
    rows = []
    for at, words in enumerate(documents, 1):
        both = features.tf(words), features.tf_idf(words, rarity)
        rows += [(at, word, count, both[1][word]) for word, count in both[0].items()]
    columns = ("text", "word", "tf", "tf-idf")
    note = "\n".join(f"{at}: {text}" for at, text in enumerate(TEXTS, 1))
    return make_exhibit("weights", "Words and weights", columns, rows, note=note)


def distances_of_example_texts_table() -> Exhibit:
    """Return the distances of the example texts by hash, width and weight."""
    documents = [features.words_but_stop_words(text) for text in TEXTS]
    rarity = features.idf(documents)
    kinds = {
        "words, tf": [features.tf(words) for words in documents],
        "words, tf-idf": [features.tf_idf(words, rarity) for words in documents],
        "5-shingles, tf": [features.tf(features.character_shingles(text, 5)) for text in TEXTS],
    }
    rows: list[Sequence[Value]] = []
    for kind, weighted in kinds.items():
        for name in ("MD5", "FNV-1a", "Murmur"):
            for bits in (32, 64):
                prints = [fingerprint(each, HASHES[name], bits) for each in weighted]
                apart = [distance(a, b) for a, b in combinations(prints, 2)]
                rows.append((kind, name, bits, f"{prints[0]:0{bits // 4}x}", *apart))
    pairs = [f"{a} and {b}" for a, b in combinations(range(1, len(TEXTS) + 1), 2)]
    columns = ("features", "hash", "bits", "first text", *pairs)
    return make_exhibit("distances", "Distances of the four texts, in bits", columns, rows)


def three_problems_table() -> Exhibit:
    """Return the three problems at the page's 95 %, asked of real texts and edited copies."""
    radius = int(BITS * (100 - ASKED_PERCENT) / 100)
    texts = collection.join_parts(collection.read_or_generate_parts(collection.TEXTS, 2011))
    names, prints = [], []
    for name, text in texts.items():
        foreign = generate_prose(400, 1)
        copy = edit_text(text, "replace", _REPLACED, spread="scattered", seed=name, foreign=foreign)
        for title, each in ((name, text), (f"{name}, edited", copy)):
            names.append(title)
            weights = features.tf(features.character_shingles(each, 5))
            prints.append(fingerprint(weights, HASHES["Murmur"]))
    first = problems.find_similar(prints, prints[0], radius)
    every = [pair[:2] for pair in problems.find_pairs(prints, radius)]
    copy_pairs = {(row, row + 1) for row in range(0, len(names), 2)}
    others = [
        f"{names[one]} and {names[other]}" for one, other in every if (one, other) not in copy_pairs
    ]
    bits = problems.hamming_distance(*prints[:2])
    rows = [
        ("two documents", f"{names[0]} and its edited copy", f"{count_noun(bits, 'bit')} apart"),
        (
            "one against all",
            names[0],
            ", ".join(f"{names[row]} at {apart}" for row, apart in first if row) or "none",
        ),
        (
            "all against all",
            f"{len(names)} documents",
            f"{len(copy_pairs & {*every})} of {len(texts)} edited copies",
        ),
        ("all against all", "pairs without edited copies", "; ".join(others) or "none"),
    ]
    note = (
        f"{ASKED_PERCENT} % of {BITS} bits are {radius} bits. 5-shingles, tf, Murmur. The "
        f"documents are those of 2011, each with a copy that has {_REPLACED:.1%} of its words "
        "replaced. `ilk papers simhash-page --prints 1000000` asks a million fingerprints."
    )
    title = f"The three problems at {ASKED_PERCENT} %"
    return make_exhibit("problems", title, ("problem", "of", "answer"), rows, note=note)


def cosines_table() -> Exhibit:
    """Return the cosine of the example texts beside the distance that measures it."""
    documents = [features.words_but_stop_words(text) for text in TEXTS]
    kinds = {
        "words, tf": [features.tf(words) for words in documents],
        "5-shingles, tf": [features.tf(features.character_shingles(text, 5)) for text in TEXTS],
    }
    rows = []
    for kind, weighted in kinds.items():
        prints = [fingerprint(each, HASHES["Murmur"]) for each in weighted]
        for a, b in combinations(range(len(TEXTS)), 2):
            apart = distance(prints[a], prints[b])
            exact = features.cosine(weighted[a], weighted[b])
            expected = BITS * math.acos(min(1, exact)) / math.pi
            estimate = math.cos(math.pi * apart / BITS)
            rows.append((kind, f"{a + 1} and {b + 1}", exact, expected, apart, estimate))
    columns = ("features", "texts", "cosine", "bits expected", "bits", "cosine estimated")
    note = "A bit differs with a probability of the angle over 180 degrees (Charikar 2002)."
    title = "The Hamming distance measures the cosine: Murmur, 64 bits"
    return make_exhibit("cosines", title, columns, rows, note=note)


def table_designs_beside_exact_join(fingerprint_count: int, seed: int) -> Exhibit:
    """Return what each design of tables keeps, compares and misses, beside the exact join."""
    fingerprints = plant_fingerprints(fingerprint_count, max(RADII), seed)
    truth = {radius: len(ilk.hamming.pairs(fingerprints, radius)) for radius in RADII}
    start = time.process_time()
    ilk.hamming.pairs(fingerprints, max(RADII))
    milliseconds = 1000 * (time.process_time() - start)
    none = [0.0] * len(RADII)
    rows: list[Sequence[Value]] = [("exact join", None, BITS, None, None, milliseconds, *none, 0.0)]
    for design in DESIGNS:
        # One search to the largest radius holds the smaller ones.
        start = time.process_time()
        search = permuted.search_permuted_tables(fingerprints, design, max(RADII))
        milliseconds = 1000 * (time.process_time() - start)
        left, right = np.divmod(search.pairs, fingerprint_count)
        apart = np.bitwise_count(fingerprints[left] ^ fingerprints[right])
        misses = [
            100 * (1 - int(np.count_nonzero(apart <= radius)) / truth[radius]) for radius in RADII
        ]
        name = f"{design.agreeing} of {design.blocks}"
        megabytes = 8 * fingerprint_count * design.table_count / 1e6
        recalls = [permuted.expected_recall(design, apart) for apart in range(1, max(RADII) + 1)]
        expected_share = 100 * (1 - sum(recalls) / len(recalls))
        figures = (
            design.table_count,
            design.exact_radius,
            megabytes,
            search.compared,
            milliseconds,
        )
        rows.append((name, *figures, *misses, expected_share))
    within = (f"% to {r}" for r in RADII)
    columns = (
        *("blocks", "tables", "exact to", "MB", "compared", "CPU ms"),
        *(*within, "expected"),
    )
    listed = ", ".join(f"{pairs} within {radius}" for radius, pairs in truth.items())
    title = f"Permuted tables of {fingerprint_count} fingerprints: {listed} bits"
    note = (
        "Blocks that agree, of those that are cut; % to 3: of the pairs within 3 bits, those "
        f"missed. Expected, to {max(RADII)}: the share of ways to place the differing bits that "
        "touch too many blocks, for distances that are equally frequent."
    )
    return make_exhibit("searches", title, columns, rows, note=note)


def draw_missed_pairs_by_design(axes: Axes, table: Exhibit) -> None:
    """Draw what the designs miss, by the number of their tables."""
    names = table.table["blocks"].to_pylist()[1:]
    for shift, radius in enumerate(RADII):
        missed = table.table[f"% to {radius}"].to_pylist()[1:]
        places = [at + 0.25 * (shift - 1) for at in range(len(names))]
        axes.bar(places, missed, width=0.25, label=f"within {radius} bits")
    axes.set_xticks(range(len(names)), [*names])
    axes.set_xlabel("blocks that agree in a table, of those that are cut")
    axes.set_ylabel("per cent of the pairs missed")
    axes.set_title("Permuted tables")
    axes.legend()
