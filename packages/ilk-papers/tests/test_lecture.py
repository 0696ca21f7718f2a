"""The lecture on de-duplication: every number it prints, and what its methods find."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ilk.base.kinds import Choice
from ilk.base.options import OPTIONS
from ilk_papers import frame
from ilk_papers.frame import Exhibit
from ilk_papers.lecture import (
    applications,
    crawling,
    digests,
    distances,
    exact,
    front_page,
    shingles,
    slides,
    sorting,
    tables,
    walk,
)
from ilk_papers.lecture import published as p
from ilk_papers.lecture.all_exhibits import STEPS, run
from ilk_papers.planted import plant_fingerprints
from ilk_papers.simhash import distance


def test_jaccard() -> None:
    """Slides on distance measures: {0,1,2,5,6} and {0,2,3,5,7,9}, 3/8; by clusters 1/2."""
    assert 1 - distances.jaccard_distance(p.SET_A, p.SET_B) == p.JACCARD == 3 / 8
    a, b = (
        distances.numbers_of_overlapping_clusters(each, p.CLUSTERS) for each in (p.SET_A, p.SET_B)
    )
    assert (sorted(a), sorted(b)) == ([0, 2], [0, 1, 2, 3])
    assert 1 - distances.jaccard_distance(a, b) == p.CLUSTERED == 0.5
    shown = tables.distance_measures_table()
    assert shown.table["computed"].to_pylist()[1] == str(p.CLUSTERED)
    assert "5/10 counts the items of shared clusters (here 5/10)" in shown.note


def test_shingles() -> None:
    """Slides on shingles: the rose, the tropical fish, and 0 mod 4."""
    rose = shingles.shingles(shingles.words_in_given_case(p.ROSE), 4)
    assert (len(rose), len({*rose})) == (p.ROSE_BAG, p.ROSE_SET) == (5, 3)
    fish = shingles.shingles(shingles.words_in_given_case(p.FISH), 3)
    assert len(fish) == len({*fish}) == len(p.FISH_HASHES) == 16
    assert (
        shingles.keep_hashes_divisible_by(p.FISH_HASHES, 4)
        == [*p.FISH_SELECTED]
        == [664, 492, 236, 908]
    )


def test_what_makes_shingles_alike() -> None:
    found = tables.shingling_effects_table().table.to_pylist()
    by_name = {row["what"]: row["resemblance"] for row in found}
    assert by_name["white space left out"] > by_name["white space kept, 5 characters"]
    assert by_name["case folded"] > by_name["case and punctuation kept, 2 words"]
    assert by_name["and punctuation left out"] == by_name["without stop words, 1 word"] == 1
    longer = [by_name[f"k = {k} words"] for k in (1, 2, 3, 4)]
    assert longer == sorted(longer, reverse=True)


def test_the_printed_simhashes_are_as_far_apart_as_printed() -> None:
    """Slides on SimHash: 32 bits, pairs of characters; 4, 16 and 12 bits."""
    first, second, third = p.SIMHASHES
    assert p.SIMHASHES == (851459198, 847263864, 984968088)
    assert p.PLAIN == (415542861, 668720516, 767429688)
    found = distance(first, second), distance(first, third), distance(second, third)
    assert found == p.PHRASE_DISTANCES == (4, 16, 12)


def test_the_lectures_hash_gives_all_eight_numbers() -> None:
    """Slides 31 and 32; the slide exchanges the plain hashes of the first two phrases."""
    rows = tables.printed_hashes_table().table.to_pylist()
    assert len(rows) == 8
    assert [row["published"] for row in rows[:5]] == [row["computed"] for row in rows[:5]]
    first, second, third = rows[5:]
    assert (first["published"], second["published"]) == (second["computed"], first["computed"])
    assert third["published"] == third["computed"] == 767429688
    assert [row["computed"] for row in rows[:2]] == [-502157718, -369049682]


def test_a_hash_is_inverted_to_its_seed() -> None:
    rows = tables.hash_inversion_table().table.to_pylist()
    assert rows[-2]["32nd bit 1"] == f"{p.SEEDS[0]:08x}" == "55ed5abd"
    assert rows[-1]["32nd bit 1"] == str(p.SHINGLE_HASHES["he"]) == "-369049682"
    assert rows[-1]["32nd bit 0"] != rows[-1]["32nd bit 1"]


def test_the_search_finds_the_seed_of_the_three_simhashes() -> None:
    told: list[int] = []
    seeds = range(p.SEEDS[1] - 70_000, p.SEEDS[1] + 70_000)
    found = tables.seed_search_table(lambda _, done, __: told.append(done), 2, seeds)
    assert found.table["seed"].to_pylist() == ["862be6e7"]
    assert [found.table[name][0].as_py() for name in found.table.column_names[1:]] == [*p.SIMHASHES]
    assert told[-1] == 140_000


def test_sort_and_rotate() -> None:
    """Slides on sorting: the numbers 1 to 8."""
    numbers = p.NUMBERS
    assert (
        sorting.neighbour_distances(numbers, range(8)) == [*p.DISTANCES] == [7, 11, 9, 9, 9, 7, 4]
    )
    places = sorting.sorted_places(numbers)
    assert [place + 1 for place in places] == [*p.SORTED] == [4, 3, 6, 1, 8, 5, 2, 7]
    assert sorting.neighbour_distances(numbers, places) == [9, 1, 5, 6, 2, 9, 9]
    for one, other, apart in p.FOUND_BY_SORTING:
        assert distance(numbers[one - 1], numbers[other - 1]) == apart
    rows = tables.numbers_rotated_by_two_table().table.to_pylist()
    assert [row["rotated"] for row in rows] == [*p.TURNED]
    assert sorted(p.TURNED)[:3] == [3736, 3739, 10592]
    places = sorting.sorted_places(numbers, 2, 16)
    assert [place + 1 for place in places] == [*p.ROTATED] == [4, 2, 3, 6, 1, 8, 5, 7]
    assert (
        sorting.neighbour_distances(numbers, places)
        == [*p.ROTATED_DISTANCES]
        == [2, 11, 1, 5, 6, 2, 6]
    )


def test_more_rotations_find_more_and_never_all() -> None:
    shares = tables.rotations_table(2_000, 1).table["per cent"].to_pylist()
    assert shares[0] == 100
    assert shares[1:] == sorted(shares[1:])
    assert 40 < shares[1] < 60 < 85 < shares[-1] < 100


def test_the_wrap_around_is_a_pair_of_its_own() -> None:
    values = plant_fingerprints(1, 1, 1).repeat(3)
    values[1] ^= 1
    values[2] = values[0] ^ 2
    ends = (
        sorting.find_neighbours(values, 1, 64),
        sorting.find_neighbours(values, 1, 64, compare_last_with_first=False),
    )
    assert [len(each) for each in ends] == [3, 2]


def test_equal_pages() -> None:
    pages = tables.generate_pages_some_equal_some_changed(200, 1)
    truth = exact.compare_all_pages(pages)
    assert truth.comparisons == 200 * 199 // 2
    for algorithm in ("md5", "sha256", "sha3_256"):
        assert exact.compare_by_digest(pages, algorithm).pairs == truth.pairs
    # All pages begin alike, so they are in one bucket, and all are compared in full.
    beginnings = exact.compare_by_beginning(pages)
    assert (beginnings.buckets, beginnings.pages) == (1, len(pages))
    assert (beginnings.pairs, beginnings.comparisons) == (truth.pairs, truth.comparisons)
    places = exact.compare_by_random_places(pages)
    assert places.pairs == truth.pairs
    assert places.comparisons < truth.comparisons / 10
    whole = exact.compare_by_page_hash(pages)
    assert (whole.pairs, whole.comparisons) == (truth.pairs, len(truth.pairs))
    assert exact.compare_sorted_neighbours([3, 1, 1, 7, 4], 1).pairs == {(1, 2), (0, 4)}
    assert (
        exact.compare_by_random_places([]).pairs
        == exact.compare_sorted_neighbours([]).pairs
        == set()
    )


def test_applications() -> None:
    versions = [text for at in (0, 10) for text in applications.generate_revisions(3, at)]
    assert applications.find_clusters_of_two_or_more(versions, 0.6) == [[0, 1, 2], [3, 4, 5]]
    pages, data = applications.generate_catalogue(10, 1)
    assert applications.extract_lines_outside_template(pages) == data
    seen = applications.measure_plagiarism(*applications.generate_plagiarism(1))
    assert seen.longest == 200
    assert seen.compared.containment_right == pytest.approx(1 / 3, abs=0.02)
    sent = applications.generate_mails(12, 12, 1)
    assert applications.find_clusters_of_two_or_more(sent, 0.6) == [list(range(12))]
    first, second, whole = applications.generate_two_documents_and_their_concatenation(1)
    for part in (first, second):
        assert applications.measure_plagiarism(whole, part).compared.containment_right == 1


def test_the_whole_lecture(tmp_path: Path) -> None:
    steps = dict[str, None]()
    report = run(1, progress=lambda step, *_: steps.setdefault(step))
    assert list(steps) == [step.name for step in STEPS], "the bar knows other steps"
    written = {path.name for path in frame.save_report_as_csv_and_png(report, tmp_path)}
    assert {"exact.csv", "hashes.csv", "rotations.png", "applications.csv"} <= written
    for each in report.exhibits:
        assert len(list(frame.format_lines(each))) > each.table.num_rows


def test_the_walk_shows_order_distances_and_pairs_new_and_again() -> None:
    """Slides 33 to 36: sorting finds two near pairs, rotating by two the third."""
    steps = list(walk.walk_rotations(p.NUMBERS))
    assert [step.order for step in (steps[0], steps[2])] == [
        [*p.SORTED],
        [*p.ROTATED],
    ]
    assert steps[2].distances == [*p.ROTATED_DISTANCES]
    assert sorted(steps[0].new) == [(3, 6), (5, 8)]
    assert (steps[1].new, sorted(steps[1].again)) == ([], [(3, 6), (5, 8)])
    assert steps[2].new == [(2, 4)]
    found = {pair for step in steps for pair in step.new}
    assert found == set(walk.near_pairs(p.NUMBERS)) == {(2, 4), (3, 6), (5, 8)}
    assert len(walk.walk_table().table) == 16


@given(numbers=st.lists(st.integers(0, (1 << 16) - 1), min_size=2, max_size=12))
def test_a_walk_finds_each_pair_once_as_new_and_no_pair_that_is_not_near(
    numbers: list[int],
) -> None:
    steps = list(walk.walk_rotations(numbers))
    new = [pair for step in steps for pair in step.new]
    assert len(new) == len(set(new))
    assert set(new) <= set(walk.near_pairs(numbers))
    for step in steps:
        turned = [sorting.rotate_bits(numbers[at - 1], step.turn, 16) for at in step.order]
        assert turned == sorted(turned)
        first, last = step.order[0] - 1, step.order[-1] - 1
        assert step.ends == (numbers[first] ^ numbers[last]).bit_count()


def test_sorted_bits_stand_below_each_other() -> None:
    rows = walk.sorted_bits_table(2).table.to_pylist()
    assert [row["value"] for row in rows] == sorted(p.TURNED)
    assert [row["number"] for row in rows] == [*p.ROTATED]
    apart = [row["bits from the one above"] for row in rows]
    assert apart == [None, *p.ROTATED_DISTANCES]


def test_few_bits_apart_goes_with_much_in_common() -> None:
    """Slide 32."""
    rows = tables.hamming_and_jaccard_table().table.to_pylist()
    assert [row["computed"] for row in rows] == [4, 16, 12]
    assert [row["Jaccard similarity"] for row in rows] == ["0.824", "0.091", "0.121"]


def test_digests_have_their_sizes_and_withstand_by_their_bits() -> None:
    assert all(
        row["computed"] in (row["published"], None)
        for row in _rows_of(digests.digest_sizes_table())
    )
    assert digests.digest_bits_if_available("no-such-digest") is None
    few, many = (
        digests.count_tries_to_invert(digests.first_bits_of_digest("x", b), b, 1) for b in (1, 12)
    )
    assert few < many
    assert digests.first_bits_of_digest(f"guess 1 {many}", 12) == digests.first_bits_of_digest(
        "x", 12
    )
    tries = digests.count_tries_to_collide(8, 3)
    seen = [digests.first_bits_of_digest(f"text 3 {at}", 8) for at in range(tries)]
    assert seen[-1] in seen[:-1]
    assert len(set(seen[:-1])) == tries - 1


def _rows_of(shown: Exhibit) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = shown.table.to_pylist()
    return rows


def test_every_slide_says_what_comes_out() -> None:
    rows = {
        row["slide"]: row["what comes out"]
        for row in slides.claims_of_slides_table().table.to_pylist()
    }
    assert rows["31"] == "4 16 12 of 32 bits"
    assert rows["33"] == "7 11 9 9 9 7 4"
    assert rows["34"] == "3-6, 5-8"
    assert rows["35"] == "9 1 5 6 2 9 9"
    assert rows["36"] == "by 2: 2-4"
    assert all(rows.values())


def test_every_extraction_is_shown() -> None:
    allowed = OPTIONS["extract"].kind
    assert isinstance(allowed, Choice)
    assert set(front_page.EXTRACTIONS) == set(allowed.allowed)


def test_a_front_page_is_one_story_under_any_advertisement() -> None:
    for row in front_page.front_pages_by_extraction_table(1).table.to_pylist():
        if row["--extract"] in ("fast", "quality"):
            assert (row["verdict"], row["resemblance, %"]) == ("exact", 100)
        else:
            assert row["verdict"] == "different"


def test_a_crawl_goes_on_with_what_is_unseen_or_changed() -> None:
    rows = crawling.crawl_table().table.to_pylist()
    assert [row["address"] for row in rows[:3]] == ["west/new", "north/news", "west/prices"]
    assert rows[-1]["address"] == "south/about"
    copies = {row["address"]: row["freshest copy"] for row in rows}
    assert {copies["north/a"], copies["south/a"], copies["west/a"]} == {"south/a"}
    assert copies["west/new"] is None


@given(
    st.lists(
        st.builds(crawling.FetchedPage, st.sampled_from("abc"), st.integers(0, 9), st.just("p"))
    )
)
def test_the_freshest_copy_is_the_last_that_was_fetched(
    captures: list[crawling.FetchedPage],
) -> None:
    days = {
        each.address: max(c.day for c in captures if c.address == each.address) for each in captures
    }
    for copy in crawling.freshest_copy_addresses(captures).values():
        assert days[copy] == max(days.values())
