"""The project page on SimHash, and Holub's: their examples and the whole walk."""

from __future__ import annotations

from math import log
from pathlib import Path

from ilk_papers import frame
from ilk_papers.hashes import HASHES
from ilk_papers.holub import method
from ilk_papers.holub.all_exhibits import TEXTS
from ilk_papers.holub.all_exhibits import run as run_holub
from ilk_papers.planted import plant_fingerprints
from ilk_papers.simhash_page import features, permuted, problems, tables
from ilk_papers.simhash_page.all_exhibits import STEPS, run
from ilk_papers.simhash_page.fingerprint import fingerprint
from ilk_papers.simhash_page.permuted import Design


def test_the_shingles_of_the_page() -> None:
    """The page's example, k = 5."""
    found = features.character_shingles(tables.EARTH, 5)
    assert tuple(found[:4]) == tables.PUBLISHED == ("The_e", "he_ea", "e_ear", "_eart")
    assert len(found) == 16


def test_weights() -> None:
    first = features.words_but_stop_words("The sun, the SUN and a moon!")
    assert first == ["sun", "sun", "moon"]
    assert features.tf(first) == {"sun": 2, "moon": 1}
    rarity = features.idf([first, ["moon"]])
    assert features.tf_idf(first, rarity) == {"sun": 2 * log(2), "moon": 0}


def test_a_tie_is_a_one() -> None:
    """The page: a negative sum gives 0, any other 1; without features all sums are 0."""
    assert fingerprint({}, HASHES["MD5"], 32) == 2**32 - 1
    one = HASHES["MD5"](b"sun", 32)
    assert fingerprint({"sun": 1.5}, HASHES["MD5"], 32) == one
    both = fingerprint({"sun": 1, "moon": 1}, HASHES["MD5"], 32)
    assert both == one | HASHES["MD5"](b"moon", 32)


def test_the_three_problems_are_asked_at_95_per_cent() -> None:
    shown = tables.three_problems_table()
    assert "95 % of 64 bits are 3 bits" in shown.note
    two, one, every, originals = shown.table["answer"].to_pylist()
    assert int(two.split()[0]) <= 3
    assert "edited at" in one
    assert "Declaration less one sentence and Declaration" in originals
    assert int(every.split()[0]) >= 12


def test_the_three_problems_agree() -> None:
    prints = plant_fingerprints(60, 3, 1).tolist()
    every = problems.find_pairs(prints, 3)
    assert every
    for left, right, bits in every:
        assert problems.hamming_distance(prints[left], prints[right]) == bits
        assert (right, bits) in problems.find_similar(prints, prints[left], 3)


def test_designs_of_tables() -> None:
    """Manku 2007, section 3: 4, 10 and 20 tables for three bits of 64."""
    designs = {(4, 1): 4, (5, 2): 10, (6, 3): 20}
    for (blocks, agreeing), count in designs.items():
        design = Design(blocks, agreeing)
        assert (design.table_count, design.exact_radius) == (count, 3)
        for order, top in design.permutations():
            assert sorted(order) == list(range(64))
            assert abs(top - 64 * agreeing / blocks) < agreeing


def test_what_tables_miss_is_measured() -> None:
    found = tables.table_designs_beside_exact_join(2_000, 1).table.to_pylist()
    for row, design in zip(found[1:], tables.DESIGNS, strict=True):
        for radius in tables.RADII:
            missed = row[f"% to {radius}"]
            assert missed == 0 if radius <= design.exact_radius else 0 < missed < 100


def test_no_tables_are_needed_where_nothing_is() -> None:
    found = permuted.search_permuted_tables(plant_fingerprints(1, 1, 1), Design(4, 1), 3)
    assert (found.pairs.tolist(), found.compared) == ([], 0)


def test_the_whole_page(tmp_path: Path) -> None:
    steps = dict[str, None]()
    report = run(1, progress=lambda step, *_: steps.setdefault(step))
    assert list(steps) == [step.name for step in STEPS], "the bar knows other steps"
    written = {path.name for path in frame.save_report_as_csv_and_png(report, tmp_path)}
    assert {"weights.csv", "searches.csv", "searches.png", "problems.csv"} <= written


def test_holub() -> None:
    text = "To be, or not to be"
    assert method.tokens(text) == ["to", "be", "or", "not", "to", "be"]
    assert method.super_tokens(method.tokens(text), 3)[0] == "to be or"
    weighted = method.count_weights(method.tokens(text))
    assert weighted == {"to": 2, "be": 2, "or": 1, "not": 1}
    votes = method.add_weighted_votes(weighted)
    assert len(votes) == 64
    assert {abs(int(value)) for value in votes} <= {0, 2, 4, 6}
    assert method.charikar_hash(text) == sum(1 << bit for bit in range(64) if votes[bit] > 0)
    assert method.charikar_hash("") == 0
    supers = method.PRESETS["holub-super"]
    assert method.charikar_hash(text, supers) != method.charikar_hash("be to not or be to", supers)


def test_holub_walks() -> None:
    report = run_holub()
    self_test, steps, apart, jenkins = (each.table for each in report.exhibits)
    assert jenkins["hash"].to_pylist() == ["one-at-a-time", "lookup2", "lookup3"]
    assert jenkins["of text 1"][2].as_py() == f"{method.charikar_hash(TEXTS[0]):016x}"
    assert self_test["published"].to_pylist() == self_test["computed"].to_pylist()
    text = "to be or not to be that is the question"
    assert steps["signs"].to_pylist()[-1] == f"{method.charikar_hash(text):016x}"
    assert apart["1 and 3"].to_pylist()[0] == 0  # The same words in another order.
