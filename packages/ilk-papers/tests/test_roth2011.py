"""Roth 2011: golden vectors, the arithmetic of Table 9, the collection, and the whole run."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.reference import hashing

from ilk.base.errors import NothingRead, OptionError, SourceNotFound
from ilk_papers import frame
from ilk_papers.frame import Report
from ilk_papers.roth2011 import (
    collection,
    experiment,
    figures,
    many,
    methods,
    observations,
    published,
    scoring,
)
from ilk_papers.roth2011.all_exhibits import STEPS, Extent, run, run_zoned
from ilk_papers.roth2011.hashing import POLYNOMIAL, hash_code
from ilk_papers.roth2011.methods import Combination, Parameters
from ilk_papers.roth2011.soundex import soundex_or_word_itself
from ilk_papers.roth2011.tokens import grams
from ilk_papers.standins import make_stand_in


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("", 0),
        ("a", 97),
        ("hello", 99162322),  # Printed in many introductions to Java.
        ("Aa", 2112),  # The collision that everybody shows: "BB" has the same.
        ("BB", 2112),
        ("polygenelubricants", -(1 << 31)),  # The least value of all; Bloch, Java Puzzlers.
    ],
)
def test_hash_codes_are_javas(text: str, code: int) -> None:
    assert hash_code(text) == code


def test_the_polynomial_is_irreducible() -> None:
    assert hashing.is_irreducible_of_degree_64((1 << 64) + POLYNOMIAL)


@pytest.mark.parametrize(
    ("word", "code"),
    [
        # The National Archives, "The Soundex Indexing System".
        ("Washington", "W252"),
        ("Lee", "L000"),
        ("Gutierrez", "G362"),
        ("Pfister", "P236"),
        ("Jackson", "J250"),
        ("Tymczak", "T522"),
        ("VanDeusen", "V532"),
        ("Ashcraft", "A261"),
        ("Müller", "M460"),
        ("Robert", "R163"),
        ("мир", "мир"),
    ],
)
def test_soundex(word: str, code: str) -> None:
    assert soundex_or_word_itself(word) == code


def test_the_papers_example_of_grams() -> None:
    """Roth 2011: "four score and seven years", k = 4."""
    text = "Four score and seven years"
    nine = ["four", "ours", "ursc", "rsco", "scor", "core", "orea", "rean", "eand"]
    assert grams(text, 4)[:9] == nine
    assert grams(text, 4, "words") == ["four score and seven", "score and seven years"]


@pytest.mark.parametrize(
    "wrong", ["43B", "15A 4 5", "13A 4 5", "43E 4 5", "43B 0 5", "60A 4 5", ""]
)
def test_a_wrong_combination_is_refused(wrong: str) -> None:
    with pytest.raises(OptionError, match="is not a combination"):
        Combination.parse(wrong)


def test_the_method_that_has_no_characters_is_refused_with_the_reason() -> None:
    with pytest.raises(OptionError, match="combination: the most frequent words have no form of"):
        Combination.parse("13A 4 5")


#: Roth 2011, Table 9: combination, FP, FN, correct, score as printed.
TABLE_9 = [
    ("43B 40 100", 0, 10, 35, "3.50"),
    ("47C 40 100", 14, 5, 40, "2.11"),
    ("43B 4 5", 3, 13, 32, "2.00"),
    ("3B 16 25", 8, 10, 35, "1.94"),
    ("21B 40 100", 2, 14, 31, "1.94"),
]


@pytest.mark.parametrize(("row", "ranked"), list(zip(TABLE_9, published.TOP, strict=True)))
def test_table_9_adds_up(row: tuple[str, int, int, int, str], ranked: published.Ranked) -> None:
    """The ones in the zones and the 4 diagonal cells outside are correct; 45 were expected."""
    score = ranked.score
    counts = (score.false_positives, score.false_negatives, score.correct)
    assert (ranked.combination, *counts, f"{score.score:.2f}") == row
    assert ranked.zones.count("1") + 4 == score.correct
    assert score.correct + score.false_negatives == 45


def test_what_counts_as_expected() -> None:
    """Three zones whole, 16 + 16 + 9 = 41 cells, and 4 of the diagonal."""
    assert int(scoring.EXPECTED.sum()) == 45
    assert int(scoring.EXPECTED.trace()) == 15
    assert [len(zone.split()) for zone in published.EXPECTED.split(" | ")] == [4, 4, 3]
    # What the author expects (E, S or M) is what his best combination says.
    said = published.EXPECTED.translate(str.maketrans("ESMLN", "11100"))
    assert said == published.TOP[0].zones


def test_a_matrix_is_scored_as_it_reads() -> None:
    numbers = [1, 10, 100, *[1000] * 4, -5, *[-1000] * 4, *[70, 90, 120]]
    found = scoring.similarity_matrix(numbers)
    assert (
        scoring.spell_zone_rows_as_bits(found)
        == "1111 1111 1111 1111 | 1111 1111 1111 1111 | 110 110 011"
    )
    # Of the Declaration 6 of 9 cells; falsely 100 finds 90 and 120, and they find 100.
    assert scoring.score_all_cells(found) == scoring.Score(4, 3, 16 + 16 + 6 + 4)


def test_a_score_without_false_ones_is_infinite() -> None:
    assert scoring.Score(0, 0, 45).score == float("inf")


def test_parts_add_up_to_the_documents() -> None:
    """Roth 2011, the table of documents; the words of the Proverbs do not add up in it."""
    for name, (parts, characters, words) in collection.DOCUMENTS.items():
        sizes = [collection.SIZES[part] for part in parts]
        assert sum(size for size, _ in sizes) == characters, name
        slip = 1000 if name == "Proverbs" else 0
        assert sum(count for _, count in sizes) == words - slip, name
    assert set(collection.CUTS) | {"java", "class", "log"} == set(collection.SIZES)


def test_stand_ins_have_the_sizes_of_the_paper() -> None:
    parts = collection.generate_parts(1)
    sizes = {name: (len(text), len(text.split())) for name, text in parts.items()}
    assert sizes == collection.SIZES
    assert parts == collection.generate_parts(1)
    assert parts != collection.generate_parts(2)
    assert list(collection.join_parts(parts)) == list(collection.DOCUMENTS)
    with pytest.raises(OptionError, match="two characters a word"):
        make_stand_in("prose", 9, 5, 1)


def test_texts_are_cut_where_the_paper_cuts_them() -> None:
    texts = collection.join_parts(collection.read_or_generate_parts(collection.TEXTS, 1))
    for name, text in texts.items():
        _, characters, words = collection.DOCUMENTS[name]
        assert 0.8 < len(text) / characters < 1.1, name
        assert 0.8 < len(text.split()) / words < 1.1, name
    assert texts["Proverbs"].startswith("1:1 The proverbs of Solomon")
    assert "\n16:33 " in texts["Proverbs 1-16"]
    assert "\n17:1 " not in texts["Proverbs 1-16"]
    assert "Previous" not in texts["Proverbs"]
    assert "Article I\n" in texts["Constitution"]
    assert texts["Constitution"].startswith("We the people")
    assert "Amendment XXV" in texts["Constitution without preamble"]
    assert "Amendment I " not in texts["Constitution without amendments"]
    assert "candid world" in texts["Declaration without grievances"]
    assert "candid world" not in texts["Declaration less one sentence"]
    assert "Etext" not in texts["Declaration"]


def test_other_texts_are_refused(tmp_path: Path) -> None:
    with pytest.raises(SourceNotFound):
        collection.read_or_generate_parts(tmp_path, 1)
    for file, _, _ in collection.CUTS.values():
        (tmp_path / file).write_text("some other text")
    with pytest.raises(OptionError, match="lacks 'Four score'"):
        collection.read_or_generate_parts(tmp_path, 1)


def test_parts_are_taken_from_files(tmp_path: Path) -> None:
    (tmp_path / "Main.java").write_text("class Main {}")
    parts = collection.read_or_generate_parts(collection.TEXTS, 1, {"java": tmp_path / "Main.java"})
    assert collection.join_parts(parts)["Java source"] == "class Main {}"
    with pytest.raises(OptionError, match="'jave' is not a part; choose one of java, class"):
        collection.read_or_generate_parts(collection.TEXTS, 1, {"jave": tmp_path / "Main.java"})


def test_documents_and_zones_of_ones_own(tmp_path: Path) -> None:
    text = "four score and seven years ago our fathers brought forth on this continent " * 9
    for name, of in (("a", text), ("b", text), ("c", text * 5), ("d", "nothing alike")):
        (tmp_path / f"{name}.txt").write_text(of)
    listed = tmp_path / "zones.tsv"
    listed.write_text("a.txt\tone\nb.txt\tone\n\nc.txt\ttwo\nd.txt\n")
    found = collection.read_zoned_documents(listed)
    assert (list(found.texts), found.zones) == (
        ["a.txt", "b.txt", "c.txt", "d.txt"],
        {"one": [0, 1], "two": [2]},
    )
    wanted = scoring.expected_matrix(found.zones, 4).astype(int).tolist()
    assert wanted == [[1, 1, 0, 0], [1, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]]
    report = run_zoned(listed, Parameters())
    scores = [row for row in _table(report, "scores") if row["reading"] == "hash codes"]
    assert len(scores) == 656
    assert all(row["correct"] + row["FN"] == 6 for row in scores)
    assert len(_table(report, "matrices")) == 4 * (656 + 320)
    for wrong, reason in (("a.txt", "has 1 documents"), ("a.txt\na.txt", "names a.txt twice")):
        listed.write_text(wrong)
        with pytest.raises(OptionError, match=reason):
            collection.read_zoned_documents(listed)


def test_many_texts_are_read_from_folders_and_tables(tmp_path: Path) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    (tmp_path / "a.txt").write_text("one")
    pq.write_table(pa.table({"text": ["two", None, "three"]}), tmp_path / "b.parquet")
    assert many.read_first_texts(tmp_path / "a.txt") == ["one"]
    assert many.read_first_texts(tmp_path / "b.parquet") == ["two", "three"]
    (tmp_path / "empty").mkdir()
    with pytest.raises(NothingRead):
        many.read_first_texts(tmp_path / "empty")


def test_every_tenth_generated_file_is_a_near_copy() -> None:
    found = many.measure_precision_and_recall(
        many.generate_documents_with_near_copies(200, 1), Combination.parse("41A 4 5"), Parameters()
    )
    assert found.files == 200
    assert 20 <= found.true_pairs <= 40 + 10


@pytest.fixture(scope="module")
def report() -> Report:
    """The whole experiment on an eighth of every text, with few files and few multipliers."""
    steps = dict[str, None]()
    report = run(
        None,
        None,
        Parameters(),
        Extent(100, (33, 35), 1 / 8),
        progress=lambda step, *_: steps.setdefault(step),
    )
    assert list(steps) == [step.name for step in STEPS], "the bar knows other steps"
    return report


def _table(report: Report, name: str) -> list[dict[str, Any]]:
    (table,) = (exhibit.table for exhibit in report.exhibits if exhibit.name == name)
    rows: list[dict[str, Any]] = table.to_pylist()
    return rows


def test_the_run_shows_every_score(report: Report) -> None:
    scores = _table(report, "scores")
    for reading, count in (("hash codes", 656), ("exact values", 320)):
        of = [row for row in scores if row["reading"] == reading]
        assert len(of) == len({row["combination"] for row in of}) == count
        ranked = [row["score"] for row in of]
        assert ranked == sorted(ranked, reverse=True)
        above = [row["method"] for row in of if row["score"] > 1]
        bars = _table(report, "frequencies")
        assert sum(row[reading] for row in bars) == len(above)
        (observed,) = (
            row
            for row in _table(report, "observations")
            if row["observation"] == "combinations that score above 1.0"
        )
        assert observed[reading] == str(len(above))
    numbers = _table(report, "numbers")
    assert len(numbers) == 656 + 320
    assert all(row["Constitution, copy"] == row["Constitution"] for row in numbers)


def test_the_run_shows_what_was_published(report: Report) -> None:
    published_rows = [row for row in _table(report, "top") if row["source"] == "hash codes"]
    for row, printed in zip(published_rows, TABLE_9, strict=True):
        counts = tuple(row[f"{name}, published"] for name in ("FP", "FN", "correct"))
        counts = (*counts, f"{row['score, published']:.2f}")
        assert (row["combination"], *counts) == printed
    zones = _table(report, "zones")
    assert len(zones) == 5 * 11
    expected = ["ESSL", "SESN", "SSEN", "LNNE", "ESSE", "SESM", "SSES", "ESSE", "ELS", "LEL", "SLE"]
    assert [row["expected"].replace(" ", "") for row in zones] == 5 * expected
    assert [row["row"] for row in zones[:4]] == [*collection.DOCUMENTS][3:7]
    assert [row["published"].replace(" ", "") for row in zones[11:15]] == (
        ["1110", "0111", "1111", "0101"]
    )
    assert [row["published"] for row in _table(report, "grams")] == [
        row["k-gram"] for row in _table(report, "grams")
    ]
    figure = [49, 27, 29, 47, 3, 43, 25, 35, 45, 41, 21, 23, 1, 4, 44, 5, 30]
    bars = _table(report, "frequencies")
    assert [int(row["method"]) for row in bars if row["bar in Figure 3"]] == figure
    observed = {row["observation"]: row["published"] for row in _table(report, "observations")}
    assert observed["combinations"] == "672"
    assert observed["combinations that score above 1.0"] == "104"
    assert observed["of them methods 9, 29 and 49"] == "23"
    assert observed["of them methods 3, 23 and 43"] == "21"
    assert observed["of them methods 7, 27 and 47"] == "21"
    assert observed["variation B in the top five"] == "4"
    assert observed["k = 8 in the top ten"] == "0"


def test_the_published_best_is_that_of_exact_values() -> None:
    """Roth 2011, Table 9, first row: counts, score and the whole matrix."""
    texts = collection.join_parts(
        collection.read_or_generate_parts(collection.TEXTS, 2011)
    ).values()
    readings = experiment.parameters_by_reading(Parameters())
    best = Combination.parse(published.TOP[0].combination)
    exact = experiment.score_combination(texts, best, readings["exact values"])
    assert exact.score == published.TOP[0].score
    assert scoring.spell_zone_rows_as_bits(exact.similarities) == published.TOP[0].zones
    codes = experiment.score_combination(texts, best, readings["hash codes"])
    assert codes.score.score < 1


@pytest.mark.parametrize(
    ("left", "right", "correlation"),
    [
        ([1, 2, 3, 4], [10, 20, 30, 1 << 99], 1.0),
        ([1, 2, 3, 4], [4, 3, 2, 1], -1.0),
        # 1 - 6 * (1 + 1 + 4 + 0) / (4 * (16 - 1)).
        ([1, 2, 3, 4], [2, 3, 1, 4], 0.4),
    ],
)
def test_rank_correlation(left: list[int], right: list[int], correlation: float) -> None:
    assert observations.rank_correlation(left, right) == pytest.approx(correlation)


def test_the_run_draws_figure_3(report: Report, tmp_path: Path) -> None:
    frame.save_report_as_csv_and_png(report, tmp_path)
    names = {"frequencies", "figure-1", "figure-2", "matrix-43B-40-100-hash-codes"}
    assert names <= {path.stem for path in tmp_path.glob("*.png")}
    assert all((tmp_path / f"{name}.png").stat().st_size > 10_000 for name in names)
    assert len((tmp_path / "scores.csv").read_text().splitlines()) == 1 + 656 + 320
    matrices = (tmp_path / "matrices.csv").read_text().splitlines()
    assert len(matrices) == 1 + 15 * (656 + 320)


def test_who_was_confused_is_named(report: Report) -> None:
    rows = _table(report, "confused")
    top = {(row["combination"], row["source"]): row for row in _table(report, "top")}
    for combination, reading in (("43B 40 100", "hash codes"), ("3B 16 25", "exact values")):
        of = [row for row in rows if row["combination"] == f"{combination}, {reading}"]
        counts = [
            sum(len(row[name].split("; ")) for row in of if row[name])
            for name in ("taken for", "not found")
        ]
        counted = top[combination, reading]
        assert counts == [counted["FP"], counted["FN"]]


def test_bars_of_figure_3_are_bounded_by_the_sums_in_the_text() -> None:
    """Brute force over the first four bars; 49 + 29 = 23, 27 + 47 = 21, 3 + 43 + 23 = 21."""
    found = figures.bounds_of_bar_heights()
    assert list(found) == list(published.FIGURE_3)
    lows, highs = zip(*found.values(), strict=True)
    assert list(lows) == sorted(lows, reverse=True)
    assert list(highs) == sorted(highs, reverse=True)
    assert found[49][0] + found[29][1] == found[49][1] + found[29][0] == 23
    assert found[27][0] + found[47][1] == found[27][1] + found[47][0] == 21
    assert all(1 <= low <= high for low, high in found.values())


def test_a_java_long_wraps_at_64_bits() -> None:
    text = "the longest words of a sentence " * 20
    long = Parameters(exact=True, long=True)
    of = Combination.parse("21A 4 5")
    exact = methods.compute_number(text, of, Parameters(exact=True))
    wrapped = methods.compute_number(text, of, long)
    assert (exact - wrapped) % (1 << 64) == 0
    assert -(1 << 63) <= wrapped < 1 << 63 <= exact
