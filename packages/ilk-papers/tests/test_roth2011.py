"""Roth 2011: golden vectors, the arithmetic of Table 9, the collection, and the whole run."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.reference.roth2011 import remainder

from ilk.base.errors import NothingRead, OptionError, SourceNotFound
from ilk_papers import frame
from ilk_papers.frame import Report
from ilk_papers.roth2011 import collection, experiment, many, observations, published, scoring
from ilk_papers.roth2011.hashing import POLYNOMIAL, hash_code
from ilk_papers.roth2011.methods import Combination, Parameters
from ilk_papers.roth2011.run import Extent, run
from ilk_papers.roth2011.soundex import soundex
from ilk_papers.roth2011.tokens import grams
from ilk_papers.standins import filled


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
    """Rabin 1980: x^(2^64) = x, and x^(2^32) - x has no factor in common with it."""
    power = 2
    for step in range(64):
        if step == 32:
            divisor, rest = (1 << 64) + POLYNOMIAL, power ^ 2
            while rest:
                divisor, rest = rest, _modulo(divisor, rest)
            assert divisor == 1
        power = remainder(_square(power))
    assert power == 2


def _square(value: int) -> int:
    """Over GF(2), squaring puts a zero between every two bits."""
    return int("0".join(f"{value:b}"), 2)


def _modulo(value: int, divisor: int) -> int:
    while value.bit_length() >= divisor.bit_length():
        value ^= divisor << (value.bit_length() - divisor.bit_length())
    return value


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
    assert soundex(word) == code


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
    found = scoring.matrix(numbers)
    assert scoring.zones(found) == "1111 1111 1111 1111 | 1111 1111 1111 1111 | 110 110 011"
    # Of the Declaration 6 of 9 cells; falsely 100 finds 90 and 120, and they find 100.
    assert scoring.scored(found) == scoring.Score(4, 3, 16 + 16 + 6 + 4)


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
    parts = collection.generated(1)
    sizes = {name: (len(text), len(text.split())) for name, text in parts.items()}
    assert sizes == collection.SIZES
    assert parts == collection.generated(1)
    assert parts != collection.generated(2)
    assert list(collection.documents(parts)) == list(collection.DOCUMENTS)
    with pytest.raises(OptionError, match="two characters a word"):
        filled("prose", 9, 5, 1)


def test_texts_are_cut_where_the_paper_cuts_them(data: Path) -> None:
    texts = collection.documents(collection.cut(data / "roth-v1", 1))
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
        collection.cut(tmp_path, 1)
    for file, _, _ in collection.CUTS.values():
        (tmp_path / file).write_text("some other text")
    with pytest.raises(OptionError, match="lacks 'Four score'"):
        collection.cut(tmp_path, 1)


def test_many_texts_are_read_from_folders_and_tables(tmp_path: Path) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    (tmp_path / "a.txt").write_text("one")
    pq.write_table(pa.table({"text": ["two", None, "three"]}), tmp_path / "b.parquet")
    assert many.texts(tmp_path / "a.txt") == ["one"]
    assert many.texts(tmp_path / "b.parquet") == ["two", "three"]
    (tmp_path / "empty").mkdir()
    with pytest.raises(NothingRead):
        many.texts(tmp_path / "empty")


def test_every_tenth_generated_file_is_a_near_copy() -> None:
    found = many.answers(many.generated(200, 1), Combination.parse("41A 4 5"), Parameters())
    assert found.files == 200
    assert 20 <= found.true <= 40 + 10


@pytest.fixture(scope="module")
def report() -> Report:
    """The whole experiment on stand-ins of an eighth, with few files and few multipliers."""
    small = {name: (size // 8, words // 8) for name, (size, words) in collection.SIZES.items()}
    extent = Extent(small | {"sentence": (32, 4)}, files=100, multipliers=(33, 35))
    return run(None, None, Parameters(), extent)


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
    assert len(numbers) == 656
    assert all(row["Constitution, copy"] == row["Constitution"] for row in numbers)


def test_the_run_shows_what_was_published(report: Report) -> None:
    published_rows = [row for row in _table(report, "top") if row["source"] == "published"]
    for row, printed in zip(published_rows, TABLE_9, strict=True):
        counts = (row["FP"], row["FN"], row["correct"], f"{row['score']:.2f}")
        assert (row["combination"], *counts) == printed
    assert [row["expected"] for row in _table(report, "zones")] == 5 * [
        "ESSL SESN SSEN LNNE",
        "ESSE SESM SSES ESSE",
        "ELS LEL SLE",
    ]
    assert _table(report, "zones")[3]["published"] == "1110 0111 1111 0101"
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


def test_the_published_best_is_that_of_exact_values(data: Path) -> None:
    """Roth 2011, Table 9, first row: counts, score and the whole matrix."""
    texts = collection.documents(collection.cut(data / "roth-v1", 2011)).values()
    readings = experiment.readings(Parameters())
    best = Combination.parse(published.TOP[0].combination)
    exact = experiment.outcome(texts, best, readings["exact values"])
    assert exact.score == published.TOP[0].score
    assert scoring.zones(exact.similarities) == published.TOP[0].zones
    codes = experiment.outcome(texts, best, readings["hash codes"])
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
    frame.save(report, tmp_path)
    assert (tmp_path / "frequencies.png").stat().st_size > 10_000
    assert len((tmp_path / "scores.csv").read_text().splitlines()) == 1 + 656 + 320
