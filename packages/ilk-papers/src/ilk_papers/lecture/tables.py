"""The lecture's numbers beside those computed, and what its methods cost."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import combinations
from typing import TYPE_CHECKING, Generic, NamedTuple, TypeVar

import numpy as np

import ilk
from ilk_papers.comparing import compare_all_pairs
from ilk_papers.frame import Exhibit, Progress, Value, make_exhibit
from ilk_papers.lecture import (
    applications,
    distances,
    exact,
    links,
    phrases,
    published,
    sampling,
    shingles,
    sorting,
    walk,
)
from ilk_papers.measure.edits import edit_text as rewritten
from ilk_papers.planted import Fingerprints, plant_fingerprints
from ilk_papers.seeded import seeded_draw
from ilk_papers.simhash import distance
from ilk_papers.standins import generate_prose
from ilk_papers.stopwords import STOP_WORDS

if TYPE_CHECKING:
    from matplotlib.axes import Axes

T = TypeVar("T")

#: Rotations that are tried, and within how many bits.
ROTATIONS, RADIUS = (1, 2, 4, 8, 16, 32, 64), 3

_COMPARED = ("what", "published", "computed")


class TimedResult(NamedTuple, Generic[T]):
    """What a piece of work gives, and the milliseconds of the processor that it took."""

    result: T
    cpu_milliseconds: float


def run_and_measure_cpu_time(work: Callable[[], T]) -> TimedResult[T]:
    """Do a piece of work, and return what it gives with the time it took."""
    start = time.process_time()
    result = work()
    return TimedResult(result, 1000 * (time.process_time() - start))


def generate_pages_some_equal_some_changed(page_count: int, seed: int) -> list[str]:
    """Return pages that begin alike; every fourth is an earlier one, every eighth with a change."""
    draw = seeded_draw(seed)
    texts: list[str] = []
    for at in range(page_count):
        page = "A page of one site. " * 8 + generate_prose(60 + at % 61, seed + at)
        if at % 4 == 3:
            page = texts[int(draw() * at)]
        texts.append(page[:-9] + "." + page[-8:] if at % 8 == 7 else page)
    return texts


def ways_to_find_exact_duplicates_table(page_count: int, seed: int) -> Exhibit:
    """Return the five ways to find equal pages: what each says, and what it costs."""
    generated_pages = generate_pages_some_equal_some_changed(page_count, seed)
    ways: dict[str, Callable[[], exact.PagePairs]] = {
        "1: character by character": partial(exact.compare_all_pages, generated_pages),
        "2: buckets of the first 100 characters": partial(
            exact.compare_by_beginning, generated_pages
        ),
        "3: buckets of a hash of the page": partial(exact.compare_by_page_hash, generated_pages),
        "4: buckets of 16 random places": partial(exact.compare_by_random_places, generated_pages),
        "5: MD5, sorted, binary search": partial(exact.compare_by_digest, generated_pages, "md5"),
        "5: SHA-2, sorted, binary search": partial(
            exact.compare_by_digest, generated_pages, "sha256"
        ),
        "5: SHA-3, sorted, binary search": partial(
            exact.compare_by_digest, generated_pages, "sha3_256"
        ),
        "<length, page> sorted, neighbours": partial(
            exact.compare_sorted_neighbours, [*map(len, generated_pages)]
        ),
    }
    truth = exact.compare_all_pages(generated_pages).pairs
    rows = []
    for name, way in ways.items():
        answer, milliseconds = run_and_measure_cpu_time(way)
        wrong, missed = len(answer.pairs - truth), len(truth - answer.pairs)
        compared_pages = (answer.buckets, answer.pages, answer.comparisons)
        rows.append((name, *compared_pages, len(answer.pairs), wrong, missed, milliseconds))
    columns = ("way", "buckets", "pages", "comparisons", "equal", "wrong", "missed", "CPU ms")
    title = f"Exact duplicates among {page_count} pages that begin alike: {len(truth)} pairs"
    note = (
        "Buckets: those of several pages. Pages: those that were compared in full. The last row is "
        "the lecture's <f(page), page> with f the length: it compares neighbours by that one "
        "value, so it is wrong of pages of one length, and misses pairs that are no neighbours."
    )
    return make_exhibit("exact", title, columns, rows, note=note)


def distance_measures_table() -> Exhibit:
    """Return the distances of the lecture's sets, and of plain examples."""
    a, b = published.SET_A, published.SET_B
    grouped = (
        distances.numbers_of_overlapping_clusters(each, published.CLUSTERS) for each in (a, b)
    )
    near = distances.jaccard_distance(*grouped)
    items = set().union(*published.CLUSTERS)
    shared = set().union(*(c for c in published.CLUSTERS if c & a and c & b))
    by_items = f"{len(shared)}/{len(items)}"
    rows = [
        (
            "Jaccard similarity of A and B",
            str(published.JACCARD),
            str(1 - distances.jaccard_distance(a, b)),
        ),
        ("Jaccard similarity, clustered", str(published.CLUSTERED), str(1 - near)),
        (
            "Euclidean distance of (0, 0) and (3, 4)",
            "",
            str(distances.euclidean_distance((0, 0), (3, 4))),
        ),
        (
            "angle between (1, 0) and (1, 1)",
            "",
            f"{distances.angle_in_degrees((1, 0), (1, 1)):.1f} degrees",
        ),
        (
            "edit distance of abcde and acfdeg",
            "",
            str(distances.insert_delete_distance("abcde", "acfdeg")),
        ),
        (
            "Hamming distance of 10101 and 11110",
            "",
            str(distances.hamming_distance("10101", "11110")),
        ),
    ]
    note = (
        f"Clustered, the lecture's 5/10 counts the items of shared clusters (here {by_items}); as "
        "sets of clusters it is 2/4."
    )
    return make_exhibit("distances", "Distance measures", _COMPARED, rows, note=note)


#: The lecture's example of digests, and the share from which an edit similarity is near.
_FOX = ("The red fox jumps over the blue dog", "The red fox jumps ouer the blue dog")
_NEAR = 0.8


def avalanche_table() -> Exhibit:
    """Show how many bits of a digest change with one character, and how little SimHash does."""
    rows = []
    for name in ("md5", "sha1", "sha256", "sha3_256"):
        digests = [hashlib.new(name, text.encode(), usedforsecurity=False) for text in _FOX]
        one, other = (int.from_bytes(each.digest(), "big") for each in digests)
        bits = 8 * digests[0].digest_size
        rows.append((name, bits, distance(one, other), distance(one, other) / bits * 100))
    one, other = (phrases.fingerprint(text, published.SEEDS[1]) for text in _FOX)
    rows.append(("SimHash of pairs", 32, distance(one, other), distance(one, other) / 32 * 100))
    columns = ("digest", "bits", "bits that differ", "per cent")
    title = f"A small change: {_FOX[0]!r}, over and ouer"
    return make_exhibit("avalanche", title, columns, rows)


def edit_distance_table() -> Exhibit:
    """Return near duplicates by edit distance: the similarity of pairs, and which are near."""
    texts = (*_FOX, *published.PHRASES)
    rows = []
    for one, other in combinations(texts, 2):
        similarity = distances.insert_delete_similarity(one, other)
        near = "near" if similarity >= _NEAR else ""
        rows.append((one, other, distances.insert_delete_distance(one, other), similarity, near))
    columns = ("left", "right", "edits", "similarity", f"at {_NEAR:.0%}")
    return make_exhibit("edits", "Near duplicates by edit distance", columns, rows)


def sampling_table(seed: int) -> Exhibit:
    """Return shingles, numbers, a sample, and its resemblance beside that of the sets."""
    pairs = []
    for at in range(12):
        text = generate_prose(1200, seed + 2 * at)
        share = 0.01 + 0.02 * at
        foreign = generate_prose(1200, seed + 2 * at + 1)
        changed = rewritten(
            text, "replace", share, spread="scattered", seed=f"{at}", foreign=foreign
        )
        pairs.append(
            (
                sampling.hash_shingles_in_text_order(text),
                sampling.hash_shingles_in_text_order(changed),
            )
        )
    rows = [
        (each.method, each.size, each.error, each.largest)
        for each in sampling.measure_sampling_methods(pairs, seed)
    ]
    columns = ("sample", "numbers of a text", "mean error", "largest error")
    note = (
        "Shingles of 3 words, as numbers, a subset of these, and the resemblance of the subsets: "
        "its error against that of the sets, over 12 pairs of 1,200 words. A sample of n numbers "
        "errs by about sqrt(r (1 - r) / n)."
    )
    return make_exhibit(
        "sampled", "Resemblance of a sample beside that of the sets", columns, rows, note=note
    )


def in_links_table() -> Exhibit:
    """Return the in-links of pages that are on three hosts, as they stand and added up."""
    hosts = ("north", "south", "west")
    pages = {f"{host}/{name}": f"page {name}" for host in hosts for name in ("a", "b", "c")}
    page_links = [
        (f"{host}/{source}", f"{host}/{target}")
        for host in hosts
        for source, target in (("a", "b"), ("b", "c"))
    ]
    page_links += [(f"site{at}", f"{host}/b") for at, host in enumerate(hosts)]
    of = links.first_addresses_with_same_page(pages)
    plain, merged = (
        links.count_distinct_in_links(page_links, {}),
        links.count_distinct_in_links(page_links, of),
    )
    rows = [(page, of[page], plain[page], merged[of[page]]) for page in pages]
    columns = ("page", "canonical page", "in-links", "in-links of all mirrors")
    note = (
        "Links out of three copies count once, and links to three copies add up. ilk mirrors finds "
        "the mirrors in a crawl."
    )
    return make_exhibit("in-links", "In-links merged over mirrors", columns, rows, note=note)


def shingles_table() -> Exhibit:
    """Return the lecture's shingles, one by one, with their hashes and which are selected."""
    rose = shingles.shingles(shingles.words_in_given_case(published.ROSE), 4)
    fish = shingles.shingles(shingles.words_in_given_case(published.FISH), 3)
    chosen_hashes = shingles.keep_hashes_divisible_by(published.FISH_HASHES, 4)
    rows: list[Sequence[Value]] = [
        ("a rose is a rose", at, " ".join(shingle), None, "")
        for at, shingle in enumerate(rose, start=1)
    ]
    for at, (shingle, value) in enumerate(zip(fish, published.FISH_HASHES, strict=True), start=1):
        chosen = "0 mod 4" if value in chosen_hashes else ""
        rows.append(("tropical fish", at, " ".join(shingle), value, chosen))
    note = (
        f"Published: {published.ROSE_BAG} shingles of 4 words, {published.ROSE_SET} different "
        f"(here {len(rose)}, {len({*rose})}); {len(published.FISH_HASHES)} of 3 words, of their "
        f"hashes {walk.join_numbers_by_blanks(published.FISH_SELECTED)} are 0 mod 4 (here "
        f"{walk.join_numbers_by_blanks(chosen_hashes)})."
    )
    columns = ("text", "number", "shingle", "hash, published", "selected")
    return make_exhibit("shingles", "Shingles", columns, rows, note=note)


def shingling_effects_table() -> Exhibit:
    """Show what white space, case, punctuation, k, repetition and stop words do to two phrases."""
    down, threw = published.TOUCHDOWN
    mat, other = "The cat sat, on the mat.", "the cat sat on the mat"
    first, second, _ = published.PHRASES
    again = f"{other} {other} {other}"
    rows = [
        _shingling_effect_row(
            "white space kept, 5 characters",
            down,
            threw,
            left_tokens=list(down),
            right_tokens=list(threw),
            k=5,
        ),
        _shingling_effect_row(
            "white space left out",
            down,
            threw,
            left_tokens=_characters_without_blanks(down),
            right_tokens=_characters_without_blanks(threw),
            k=5,
        ),
        _shingling_effect_row(
            "case and punctuation kept, 2 words",
            mat,
            other,
            left_tokens=mat.split(),
            right_tokens=other.split(),
            k=2,
        ),
        _shingling_effect_row(
            "case folded",
            mat,
            other,
            left_tokens=mat.lower().split(),
            right_tokens=other.split(),
            k=2,
        ),
        _shingling_effect_row(
            "and punctuation left out",
            mat,
            other,
            left_tokens=_lower_case_words(mat),
            right_tokens=_lower_case_words(other),
            k=2,
        ),
        *(
            _shingling_effect_row(
                f"k = {k} words",
                first,
                second,
                left_tokens=_lower_case_words(first),
                right_tokens=_lower_case_words(second),
                k=k,
            )
            for k in (1, 2, 3, 4)
        ),
        _shingling_effect_row(
            "a text three times, 2 words",
            other,
            again,
            left_tokens=_lower_case_words(other),
            right_tokens=_lower_case_words(again),
            k=2,
        ),
        _shingling_effect_row(
            "without stop words, 1 word",
            first,
            second,
            left_tokens=_lower_case_words_without_stop_words(first),
            right_tokens=_lower_case_words_without_stop_words(second),
            k=1,
        ),
    ]
    columns = ("what", "left", "right", "resemblance", "left in right", "MinHash of 128")
    return make_exhibit("effects", "What makes shingles alike", columns, rows)


def _shingling_effect_row(
    name: str,
    left: str,
    right: str,
    *,
    left_tokens: Sequence[str],
    right_tokens: Sequence[str],
    k: int,
) -> tuple[Value, ...]:
    a, b = ({*shingles.shingles(tokens, k)} for tokens in (left_tokens, right_tokens))
    estimate = shingles.signature_agreement(
        *(shingles.minhash_signature(each, 128) for each in (a, b))
    )
    return (
        name,
        left,
        right,
        shingles.resemblance_or_zero_if_empty(a, b),
        shingles.containment_or_zero_if_empty(a, b),
        estimate,
    )


def _characters_without_blanks(text: str) -> list[str]:
    return list(text.replace(" ", ""))


def _lower_case_words(text: str) -> list[str]:
    return shingles.words_in_given_case(text.lower())


def _lower_case_words_without_stop_words(text: str) -> list[str]:
    return [word for word in _lower_case_words(text) if word not in STOP_WORDS]


def distances_of_published_simhashes_table() -> Exhibit:
    """Return the distances of the published values, and of the hashes of whole phrases."""
    names = ("first and second", "first and third", "second and third")
    simhashes = [distance(a, b) for a, b in combinations(published.SIMHASHES, 2)]
    plain = [distance(a, b) for a, b in combinations(published.PLAIN, 2)]
    rows = [
        *zip(names, map(str, published.PHRASE_DISTANCES), map(str, simhashes), strict=True),
        *(
            (f"{name}, plain hashes", "", str(bits))
            for name, bits in zip(names, plain, strict=True)
        ),
    ]
    note = (
        "The distances are those of the published values. Plain hashes are those of the whole "
        "phrases, which say nothing of how alike the phrases are."
    )
    title = "SimHash of three phrases: distances in bits, of 32"
    return make_exhibit("phrases", title, _COMPARED, rows, note=note)


def hamming_and_jaccard_table() -> Exhibit:
    """Show slide 32's claim: a low distance of bits goes with a high Jaccard similarity."""
    names = ("first and second", "first and third", "second and third")
    rows = []
    for name, (one, other), published_bits in zip(
        names, combinations(published.PHRASES, 2), published.PHRASE_DISTANCES, strict=True
    ):
        prints = [phrases.fingerprint(text, published.SEEDS[1]) for text in (one, other)]
        a, b = ({*phrases.distinct_character_pairs(text)} for text in (one, other))
        shared = f"{len(a & b)} of {len(a | b)}"
        rows.append(
            (
                name,
                published_bits,
                distance(*prints),
                shared,
                f"{1 - distances.jaccard_distance(a, b):.3f}",
            )
        )
    note = "The pairs are of characters, white space included, each counted once."
    columns = ("phrases", "published", "computed", "pairs in both, of all", "Jaccard similarity")
    title = "Few bits apart, much in common: Hamming distance beside Jaccard similarity"
    return make_exhibit("hamming-jaccard", title, columns, rows, note=note)


def hash_inversion_table() -> Exhibit:
    """Show how a published hash of two characters is inverted to the seed of its process."""
    text, value = next(iter(published.SHINGLE_HASHES.items()))
    other, other_hash = list(published.SHINGLE_HASHES.items())[1]
    rows = [
        (step, f"{zero:08x}", f"{one:08x}")
        for step, zero, one in phrases.invert_hash(text.encode(), value)
    ]
    seeds = [int(seed, 16) for seed in rows[-1][1:]]
    forward = [phrases.ruby_hash(other.encode(), seed) for seed in seeds]
    rows.append((f"the hash of {other!r} with that seed", str(forward[0]), str(forward[1])))
    note = (
        f"Published: {value} for {text!r} and {other_hash} for {other!r}. A hash has 31 of 32 "
        "bits, so that two seeds remain; only the second gives the other hash too. The chance of "
        "that is 1 in 2^31."
    )
    columns = ("step", "32nd bit 0", "32nd bit 1")
    title = f"Which hash was it? {text!r} inverted to the seed of its process"
    return make_exhibit("inversion", title, columns, rows, note=note)


def printed_hashes_table() -> Exhibit:
    """Return the eight numbers that the lecture prints beside those of its hash."""
    first, second = published.SEEDS
    shingles_of = [
        (f"hash of {text!r}", value, phrases.ruby_hash(text.encode(), first), first)
        for text, value in published.SHINGLE_HASHES.items()
    ]
    simhashes = [
        (f"simhash of {text!r}", value, phrases.fingerprint(text, second), second)
        for text, value in zip(published.PHRASES, published.SIMHASHES, strict=True)
    ]
    plain = [
        (f"hash of {text!r}", value, phrases.ruby_hash(text.encode(), second), second)
        for text, value in zip(published.PHRASES, published.PLAIN, strict=True)
    ]
    rows = [
        (name, value, ours, f"{seed:08x}")
        for name, value, ours, seed in (*shingles_of, *simhashes, *plain)
    ]
    note = (
        "It is the first MurmurHash, as Ruby 1.9 had it on 32 bits for String#hash, with pairs of "
        "characters as a set and ties 0. The slide exchanges the hashes of its first two phrases. "
        "Two processes made these numbers, so that there are two seeds."
    )
    columns = ("what", "published", "computed", "seed")
    return make_exhibit("hashes", "The eight numbers of slides 31 and 32", columns, rows, note=note)


def seed_search_table(progress: Progress, jobs: int, seeds: range) -> Exhibit:
    """Search the seeds that give all three simhashes."""
    hash_of_phrase = dict(zip(published.PHRASES, published.SIMHASHES, strict=True))
    seeds_found: list[int] = []
    for tried, seeds_found in phrases.search_seeds(hash_of_phrase, seeds, jobs):  # noqa: B007
        progress("seeds", tried, len(seeds))
    rows: list[Sequence[Value]] = [
        (f"{seed:08x}", *(phrases.fingerprint(each, seed) for each in hash_of_phrase))
        for seed in seeds_found
    ]
    title = f"Of {len(seeds):,} seeds, those that give the three simhashes: {len(seeds_found)}"
    columns = ("seed", *(f"{text!r}" for text in hash_of_phrase))
    return make_exhibit("search", title, columns, rows)


def numbers_rotated_by_two_table() -> Exhibit:
    """Return the lecture's eight numbers with their bits, and rotated left by two."""
    rows = []
    for at, (value, turned) in enumerate(
        zip(published.NUMBERS, published.TURNED, strict=True), start=1
    ):
        ours = sorting.rotate_bits(value, 2, 16)
        rows.append((at, value, f"{value:016b}", turned, ours, f"{ours:016b}"))
    columns = ("number", "value", "bits", "rotated, published", "rotated", "its bits")
    note = (
        "Nine bit strings of slides 33 to 35 are misprinted: those of 40957, 40955, 32750 and "
        "32758 twice each, and that of 37586 once, with 17 digits. The bits here are "
        "those of the values."
    )
    title = "Eight numbers of 16 bits, rotated left by two"
    return make_exhibit("numbers", title, columns, rows, note=note)


def sorted_numbers_table() -> Exhibit:
    """Return the orders and distances: as they stand, sorted, and rotated and sorted."""
    numbers, bits = published.NUMBERS, 16
    plain = list(range(len(numbers)))
    rows = [
        _order_row("as they stand", plain, None, published.DISTANCES),
        _order_row(
            "sorted, and rotated in that order",
            sorting.sorted_places(numbers),
            published.SORTED,
            published.SORTED_DISTANCES,
        ),
        _order_row(
            "rotated left by 2, sorted",
            sorting.sorted_places(numbers, 2, bits),
            published.ROTATED,
            published.ROTATED_DISTANCES,
        ),
        _order_row(
            "rotated right by 2, sorted", sorting.sorted_places(numbers, -2, bits), None, None
        ),
    ]
    columns = ("numbers", "order, published", "order", "distances, published", "distances", "wrap")
    found = ", ".join(
        f"({one}, {other}) {apart}" for one, other, apart in published.FOUND_BY_SORTING
    )
    note = (
        f"Wrap: the distance of the last to the first. The lecture names these near pairs: "
        f"{found}; (4, 2) become neighbours by rotation only. The distances of the sorted "
        "numbers are printed for the rotated ones in the same order: a rotation keeps distances."
    )
    return make_exhibit("sorted", "Sort and rotate", columns, rows, note=note)


def _order_row(
    name: str,
    places: list[int],
    published_order: Sequence[int] | None,
    published_distances: Sequence[int] | None,
) -> tuple[Value, ...]:
    numbers = published.NUMBERS
    neighbour_distances = sorting.neighbour_distances(numbers, places)
    wrap = distance(numbers[places[-1]], numbers[places[0]])
    shown = walk.join_numbers_by_blanks([place + 1 for place in places])
    return (
        name,
        walk.join_numbers_by_blanks(published_order or ()),
        shown,
        walk.join_numbers_by_blanks(published_distances or ()),
        walk.join_numbers_by_blanks(neighbour_distances),
        wrap,
    )


def rotations_table(fingerprint_count: int, seed: int) -> Exhibit:
    """Return what share of the near pairs each number of rotations finds, beside the exact join."""
    fingerprints = plant_fingerprints(fingerprint_count, RADIUS, seed)
    truth, milliseconds = run_and_measure_cpu_time(
        lambda: len(ilk.hamming.pairs(fingerprints, RADIUS))
    )
    rows: list[tuple[Value, ...]] = [("exact join", truth, 100.0, 100.0, None, milliseconds)]
    for turns in ROTATIONS:
        pairs, milliseconds = run_and_measure_cpu_time(
            partial(sorting.find_neighbours, fingerprints, turns, RADIUS)
        )
        open_ended = len(
            sorting.find_neighbours(fingerprints, turns, RADIUS, compare_last_with_first=False)
        )
        share = 100 * len(pairs) / truth
        expected = 100 * sorting.expected_recall(fingerprint_count, turns, RADIUS)
        row = (
            f"{turns} rotation{'s' * (turns > 1)}",
            len(pairs),
            share,
            expected,
            open_ended,
            milliseconds,
        )
        rows.append(row)
    columns = ("search", "pairs found", "per cent", "expected", "without wrap-around", "CPU ms")
    title = f"Pairs within {RADIUS} bits among {fingerprint_count} fingerprints"
    note = (
        "Expected: two numbers that agree in the first b bits after a rotation are neighbours with "
        "a probability of exp(-n / 2^(b+1)), for pairs alone; in a group of near numbers, others "
        "stand between."
    )
    return make_exhibit("rotations", title, columns, rows, note=note)


def costs_table(seed: int) -> Exhibit:
    """Return all comparisons against sorting, for more and more fingerprints."""
    rows = []
    for count in (1000, 2000, 4000, 8000):
        fingerprints = plant_fingerprints(count, RADIUS, seed)
        _, all_pairs = run_and_measure_cpu_time(partial(compare_all_pairs, fingerprints, RADIUS))
        _, by_sorting = run_and_measure_cpu_time(
            partial(sorting.find_neighbours, fingerprints, 16, RADIUS)
        )
        _, join = run_and_measure_cpu_time(partial(_count_near_pairs_by_join, fingerprints))
        ordered = round(count * np.log2(count))
        rows.append((count, count * (count - 1) // 2, ordered, all_pairs, by_sorting, join))
    columns = ("n", "n(n-1)/2", "n log n", "all, CPU ms", "16 rotations, CPU ms", "join, CPU ms")
    note = (
        "n fingerprints; the logarithm is to base 2: comparisons of all pairs, and those of one "
        "sorting. The join is exact."
    )
    return make_exhibit("costs", "Comparing all, and sorting", columns, rows, note=note)


def _count_near_pairs_by_join(fingerprints: Fingerprints) -> int:
    return len(ilk.hamming.pairs(fingerprints, RADIUS))


def draw_rotations(axes: Axes, table: Exhibit) -> None:
    """Draw the share of near pairs that each number of rotations finds."""
    axes.plot(ROTATIONS, table.table["per cent"].to_pylist()[1:], marker="o")
    axes.set_xscale("log", base=2)
    axes.set_xticks(ROTATIONS, [*map(str, ROTATIONS)])
    axes.set_ylim(0, 102)
    axes.set_xlabel("rotations")
    axes.set_ylabel(f"per cent of the pairs within {RADIUS} bits")
    axes.set_title("Sort and rotate")


def applications_table(seed: int) -> Exhibit:
    """Return the applications, each on a few generated texts."""
    title = "Applications, on generated texts"
    return make_exhibit(
        "applications", title, ("application", "asked", "found"), _application_rows(seed)
    )


def _application_rows(seed: int) -> Iterator[tuple[str, str, str]]:
    versions = [
        text for at in range(3) for text in applications.generate_revisions(4, seed + 10 * at)
    ]
    groups = applications.find_clusters_of_two_or_more(versions, 0.6)
    yield "clustering", "3 documents in 4 versions each", f"groups {groups}"
    made, data = applications.generate_catalogue(20, seed)
    right = sum(
        a == b for a, b in zip(applications.extract_lines_outside_template(made), data, strict=True)
    )
    yield "extraction", "20 pages of one template", f"the data of {right} pages, and nothing else"
    seen = applications.measure_plagiarism(*applications.generate_plagiarism(seed))
    share = f"{seen.compared.containment_right:.2f} of the work"
    yield "plagiarism", "200 words taken, of 600", f"{share}, longest passage {seen.longest} words"
    sent = applications.generate_mails(30, 30, seed)
    groups = applications.find_clusters_of_two_or_more(sent, 0.6)
    yield (
        "spam",
        "30 variants of a mail, 30 others",
        f"groups of {walk.join_numbers_by_blanks([*map(len, groups)])}",
    )
    first, second, whole = applications.generate_two_documents_and_their_concatenation(seed)
    parts = [applications.measure_plagiarism(whole, part).compared for part in (first, second)]
    inside = " and ".join(f"{part.containment_right:.2f}" for part in parts)
    yield "one domain", "a document merged of two", f"{inside} of the two stand in it"
