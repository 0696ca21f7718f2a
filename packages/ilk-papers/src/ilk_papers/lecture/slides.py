"""The lecture slide by slide: what each claims, what ilk does, and what comes out."""

from __future__ import annotations

from itertools import combinations

from ilk_papers.frame import Exhibit, make_exhibit
from ilk_papers.lecture import (
    digests,
    distances,
    exact,
    phrases,
    published,
    shingles,
    sorting,
    walk,
)
from ilk_papers.simhash import distance


def claims_of_slides_table() -> Exhibit:
    """Show the slides with claims that can be tried, and what comes out of each."""
    jaccard = 1 - distances.jaccard_distance(published.SET_A, published.SET_B)
    rose = shingles.shingles(shingles.words_in_given_case(published.ROSE), 4)
    prints = [phrases.fingerprint(text, published.SEEDS[1]) for text in published.PHRASES]
    apart = [distance(one, other) for one, other in combinations(prints, 2)]
    steps = [*walk.walk_rotations(published.NUMBERS)]
    new = {step.turn: step.new for step in steps if step.new}
    plain = sorting.neighbour_distances(published.NUMBERS, range(8))
    rotated = [sorting.rotate_bits(number, 2, walk.BITS) for number in published.NUMBERS]
    rotated_distances = sorting.neighbour_distances(
        rotated, sorting.sorted_places(published.NUMBERS)
    )
    equal = exact.compare_by_digest(["a page", "another", "a page"], "md5").pairs
    rows = [
        (
            "2",
            "One page has many addresses: index one version, store it once",
            "ilk dedup; ilk apply --hardlink",
            "one row, one file of each",
        ),
        (
            "before 7",
            "A page is the same page under another advertisement",
            "--extract fast, --extract quality",
            "table of front pages",
        ),
        (
            "7",
            "A mirror has the same pages under all or most paths",
            "ilk mirrors",
            "the share of paths that two hosts have in common",
        ),
        (
            "10",
            "Links to mirrors add up; fetch the freshest; new and changed pages first",
            "tables of in-links and of a crawl; ilk changes",
            "order and freshest copy",
        ),
        (
            "13",
            "A digest is quick, hard to invert, hard to keep, hard to meet",
            "digests cut to a few bits",
            "tries double with each bit",
        ),
        (
            "14",
            "MD5 has 128 bits, SHA-1 160, SHA-2 224 to 512",
            "ilk_papers.lecture.digests",
            ", ".join(
                str(digests.digest_bits_if_available(name))
                for name in ("md5", "sha1", "sha224", "sha512")
            ),
        ),
        (
            "15",
            "Five ways find equal pages; a bucket says only who may be equal",
            "ilk_papers.lecture.exact",
            f"no way is wrong: {len(equal)} pair of three pages",
        ),
        (
            "19",
            "A distance is 0 of equals, symmetric, and has the triangle inequality",
            "ilk_papers.lecture.distances",
            f"Jaccard similarity {jaccard}",
        ),
        (
            "21 to 23",
            "Shingles are runs of words: a bag, a set, and those that are 0 mod 4",
            "ilk_papers.lecture.shingles",
            f"{len(rose)} shingles, {len({*rose})} different",
        ),
        (
            "30",
            "Near is within k = 3 of f = 64 bits",
            "ilk.hamming.pairs(fingerprints, 3)",
            "exact: none is missed",
        ),
        (
            "31",
            "Simhashes of alike phrases are near, plain hashes are not",
            "ilk papers explain ONE OTHER --method lecture",
            f"{walk.join_numbers_by_blanks(apart)} of 32 bits",
        ),
        (
            "32",
            "Few bits apart goes with a high Jaccard similarity",
            "ilk_papers.lecture.phrases",
            "table beside it",
        ),
        (
            "33",
            "Eight numbers, compared as they stand",
            "ilk_papers.lecture.sorting",
            walk.join_numbers_by_blanks(plain),
        ),
        (
            "34",
            "Sorted, near ones are neighbours",
            "ilk_papers.lecture.walk",
            walk.join_pairs_by_commas(new.get(0, [])),
        ),
        (
            "35",
            "Rotation keeps distances, and brings other bits to the low end",
            "ilk_papers.lecture.walk",
            walk.join_numbers_by_blanks(rotated_distances),
        ),
        (
            "36",
            "Rotated by 1, 2, 3 ... and sorted again, new pairs are found",
            "ilk_papers.lecture.walk",
            "; ".join(
                f"by {turn}: {walk.join_pairs_by_commas(pairs)}"
                for turn, pairs in new.items()
                if turn
            ),
        ),
    ]
    columns = ("slide", "it says", "what ilk does", "what comes out")
    return make_exhibit("slides", "The lecture, slide by slide", columns, rows)
