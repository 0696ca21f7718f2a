"""Roth 2013: its worked example, its query, the corpus maker, and the whole experiment."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import ilk
from ilk.base.errors import NothingRead, OptionError, OutputError, SourceNotFound
from ilk_papers import frame
from ilk_papers.frame import Report
from ilk_papers.roth2013 import (
    collection,
    copies,
    example,
    experiment,
    lacking,
    observations,
    prototype,
    tables,
)
from ilk_papers.roth2013 import published as p
from ilk_papers.roth2013.all_exhibits import STEPS, run
from ilk_papers.roth2013.copies import CopyName
from ilk_papers.roth2013.sheets import generate_sheets
from ilk_papers.standins import make_stand_in

SIMILARITY_INDEX = ilk.Recipe.parse("similarity-index")


def test_the_worked_example() -> None:
    """Table 1: eight grams of "Hello world", and the one that it leaves out."""
    assert {gram: example.code_sum(gram) for gram in p.TABLE_1} == p.TABLE_1
    assert example.code_sum(p.LEFT_OUT) == p.LEFT_OUT_HASH == 327
    assert example.fingerprint(list(p.TABLE_1)) == p.EIGHT == 264
    grams = example.grams("Hello world")
    assert sorted(grams) == sorted([*p.TABLE_1, p.LEFT_OUT])
    assert example.fingerprint(grams) == p.NINE == 335


def test_v_is_printed_after_each_gram() -> None:
    first, second = list(example.voting_steps(["Hel", "ell"]))
    ones = [int(bit) for bit in f"{281:016b}"]
    assert first.votes.tolist() == [2 * bit - 1 for bit in ones]
    both = [a + int(b) for a, b in zip(ones, f"{317:016b}", strict=True)]
    assert second.votes.tolist() == [2 * bit - 2 for bit in both]
    shown = list(frame.format_lines(tables.table_1()))
    assert any("0000000100001000 = 264." in line for line in shown)
    assert max(map(len, shown)) <= 80
    *steps, last = tables.table_1().table.to_pylist()
    assert [row["gram"] for row in steps] == [gram.replace(" ", "_") for gram in p.TABLE_1]
    assert [row["b"] for row in steps] == [1, 2, 3, 2, 1, 2, 1, 0]
    assert "".join(str(last[f"{column:x}"]) for column in range(16)) == "0000000100001000"


def test_the_example_of_2014_has_all_grams_and_one_wrong_sign() -> None:
    assert list(p.TABLE_2_OF_2014) == example.grams("Hello world")
    shown = tables.table_2_of_2014()
    wrong = {
        (at, column)
        for at, beside in shown.published_row_of.items()
        for column in map("{:x}".format, range(16))
        if shown.table[column][at] != shown.table[column][beside]
    }
    assert wrong == {(at, "9") for at in range(5, 18, 2)}
    assert "7 of the 144 printed values" in shown.note
    assert "271, and the nine grams give 335" in shown.note


def test_a_longer_text_has_v_in_one_column() -> None:
    shown = tables.example_table("Hello, hello world")
    assert shown.table.column_names == ["gram", "hash", "V, highest bit first"]


def test_the_numbers_of_the_paper_are_added_up() -> None:
    rows = {
        row["what"]: row["from its other numbers"]
        for row in tables.arithmetic_table().table.to_pylist()
    }
    assert rows["files: originals and copies"] == "21,296"
    assert rows["files that have a copy"] == "56 %"
    assert rows["copies that are insertions"] == "60 %"
    note = tables.arithmetic_table().note
    assert "the same 820 files" in note
    assert "are 15 standard deviations off" in note
    assert "7,676 insertions 18" in note


def test_a_text_without_grams_has_a_fingerprint_of_zero() -> None:
    assert list(frame.format_lines(tables.example_table("ab")))[-1].endswith("= 0.")


def test_two_fingerprints_are_six_bits_apart() -> None:
    """Section 2.2.2; 90 % of 64 bits are a radius of 6."""
    assert ilk.hamming.distance(*p.TWO) == p.TWO_DISTANCE == 6
    shown = tables.two_fingerprints_table()
    assert shown.title.endswith("published distance 6, here 6")
    assert shown.table["bits"][2].as_py().count("1") == 6
    assert shown.table["bits from the first"].to_pylist() == [0, 6, None, 1]
    assert int(64 * 0.1) == p.RADIUS


def test_the_printed_query() -> None:
    """What is like sttech.txt: at 0, twice at 1, and twice at 6."""
    shown = tables.query_table().table.to_pylist()
    assert [row["published"] for row in shown] == [0, 1, 1, 6, 6]
    assert all(row["published"] == row["strings"] == row["numbers"] for row in shown)
    prints = {name: value for name, value, _ in p.QUERY}
    with closing(prototype.make_database_in_memory([*prints.items(), ("far.txt", 0)])) as database:
        found = prototype.find_similar_as_number(database, prints["sttech.txt"], p.RADIUS)
        assert found == [
            ("sttech.txt", 0),
            ("warpte.txt", 1),
            ("warpte_i_6.txt", 1),
            ("treknolo", 6),
            ("treknolo_i_25", 6),
        ]
    with pytest.raises(sqlite3.ProgrammingError):
        database.execute("SELECT 1")


@pytest.mark.parametrize(
    ("name", "original", "kind", "percent"),
    [
        ("NAME_i_43.txt", "NAME.txt", "i", 43),
        ("NAME_d_17.txt", "NAME.txt", "d", 17),
        ("a/b.c/LICENSE_d_5", "a/b.c/LICENSE", "d", 5),
        ("x_i_5_d_80.tar.gz", None, "", 0),
        ("plain.txt", None, "", 0),
    ],
)
def test_names_say_what_was_done(name: str, original: str | None, kind: str, percent: int) -> None:
    found = CopyName.parse_or_none(name)
    assert found == (None if original is None else CopyName(original, kind, percent))
    assert found is None or found.name == name


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "files"
    (made / "below").mkdir(parents=True)
    for at in range(40):
        path = made / ("below" if at % 2 else "") / f"{at}.txt"
        path.write_text(make_stand_in("prose", 1200, 200, at))
    (made / "empty.txt").write_text("")
    return made


def test_the_corpus_maker_keeps_every_file(folder: Path, tmp_path: Path) -> None:
    made = copies.write_corpus_into_empty_folder(folder, tmp_path / "one", 1)
    assert made.originals == 41
    assert made.original_size == 40 * 1200
    written = _contents(tmp_path / "one")
    originals = _contents(folder)
    assert originals.items() <= written.items()
    changed = {name: CopyName.parse_or_none(name) for name in written.keys() - originals.keys()}
    kinds = [copy.kind for copy in changed.values() if copy is not None]
    assert (kinds.count("i"), kinds.count("d")) == (made.inserted, made.deleted)
    assert 10 < len(kinds) == len(changed) < 30
    assert min(made.inserted, made.deleted) >= 3
    assert made.size == sum(map(len, written.values()))
    for name, copy in changed.items():
        assert copy is not None
        # The texts are of ASCII, so nothing moves to the beginning of a character.
        length = 1200 * copy.percent // 100
        assert len(written[name]) == 1200 + (length if copy.kind == "i" else -length)
    again = copies.write_corpus_into_empty_folder(folder, tmp_path / "again", 1)
    assert (again, _contents(tmp_path / "again")) == (made, written)
    copies.write_corpus_into_empty_folder(folder, tmp_path / "other", 2)
    assert _contents(tmp_path / "other") != written


def _contents(folder: Path) -> dict[str, bytes]:
    files = (path for path in folder.rglob("*") if path.is_file())
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in files}


def test_a_copy_never_takes_the_name_of_a_file(tmp_path: Path) -> None:
    folder = tmp_path / "files"
    folder.mkdir()
    (folder / "a.txt").write_text("some text")
    seed = next(s for s in range(99) if copies.draw_modified_copy_or_none("a.txt", b"some text", s))
    found = copies.draw_modified_copy_or_none("a.txt", b"some text", seed)
    assert found is not None
    (folder / found[0].name).write_text("of its own")
    copies.write_corpus_into_empty_folder(folder, tmp_path / "out", seed)
    assert (tmp_path / "out" / found[0].name).read_text() == "of its own"


def test_what_the_corpus_maker_refuses(folder: Path, tmp_path: Path) -> None:
    with pytest.raises(SourceNotFound, match="there is no folder"):
        copies.write_corpus_into_empty_folder(tmp_path / "nowhere", tmp_path / "out", 1)
    with pytest.raises(OptionError, match="is within"):
        copies.write_corpus_into_empty_folder(folder, folder / "out", 1)
    with pytest.raises(OutputError, match="is not empty"):
        copies.write_corpus_into_empty_folder(folder, tmp_path, 1)
    (tmp_path / "file").write_text("")
    with pytest.raises(OutputError, match="cannot write into"):
        copies.write_corpus_into_empty_folder(folder, tmp_path / "file", 1)


def test_a_file_that_cannot_be_read_is_named(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = Path.read_bytes

    def read_bytes(path: Path) -> bytes:
        if path.name == "4.txt":
            raise PermissionError(13, "Permission denied")
        return whole(path)

    monkeypatch.setattr(Path, "read_bytes", read_bytes)
    made = copies.write_corpus_into_empty_folder(folder, tmp_path / "out", 1)
    assert made.unread == [("4.txt", "Permission denied")]
    assert made.originals == 40


@pytest.fixture
def documents(tmp_path: Path) -> Path:
    """A folder with a Parquet file of 50 small pages, which make 25 files, and 10 text files."""
    made = tmp_path / "data"
    (made / "bench").mkdir(parents=True)
    (made / "texts").mkdir()
    texts = [make_stand_in("prose", 6 * 2000, 2000, at) for at in range(50)]
    pq.write_table(pa.table({"text": texts}), made / "bench" / "corpus.parquet")
    for at in range(10):
        (made / "texts" / f"{at}.txt").write_text(make_stand_in("prose", 1200, 200, at))
    (made / "texts" / "again.txt").write_text((made / "texts" / "3.txt").read_text())
    (made / "texts" / "image.png").write_bytes(b"\x89PNG")
    return made


def test_no_file_is_taken_twice(documents: Path) -> None:
    found = dict(collection.read_first_files_with_copies([documents], 1000, 1))
    kept = [name for name in found if CopyName.parse_or_none(name) is None]
    assert len([name for name in kept if name.startswith("corpus/")]) == 25
    assert len([name for name in kept if name.startswith("data/texts/")]) == 11
    assert len(kept) == 36 < len(found) < 60
    assert all(len(found[name]) == 24_001 for name in kept if "corpus" in name)
    assert list(collection.read_first_files_with_copies([documents], 1000, 1)) == list(
        found.items()
    )
    assert len(list(collection.read_first_files_with_copies([documents], 7, 1))) == 7
    with pytest.raises(OptionError, match="count is 0; it must be"):
        list(collection.read_first_files_with_copies([documents], 0, 1))
    with pytest.raises(SourceNotFound, match="there is no folder"):
        list(collection.read_first_files_with_copies([documents / "nowhere"], 9, 1))
    (documents / "empty").mkdir()
    with pytest.raises(NothingRead, match="no documents"):
        list(collection.read_first_files_with_copies([documents / "empty"], 9, 1))


def test_the_machine_has_documents() -> None:
    assert collection.find_folders_of_machine()
    assert all(
        folder.is_absolute() and folder.is_dir() for folder in collection.find_folders_of_machine()
    )


def test_a_folder_is_read_by_its_names(folder: Path, tmp_path: Path) -> None:
    names = [name for name, _ in collection.read_folder(folder)]
    assert sorted(names) == sorted(_contents(folder))
    (tmp_path / "nothing").mkdir()
    with pytest.raises(NothingRead, match="has no documents"):
        list(collection.read_folder(tmp_path / "nothing"))


def test_only_fingerprints_of_64_bits_are_taken() -> None:
    with pytest.raises(OptionError, match="has 128 bits"):
        experiment.fingerprint_files([], {"wide": ilk.Recipe(bits=128)}, jobs=1)


def test_the_whole_experiment(documents: Path, tmp_path: Path) -> None:
    steps = dict[str, None]()
    report = run(
        None,
        [documents],
        seed=1,
        jobs=1,
        progress=lambda step, *_: steps.setdefault(step),
    )
    assert list(steps) == [step.name for step in STEPS], "the bar knows other steps"
    written = {path.name for path in frame.save_report_as_csv_and_png(report, tmp_path / "out")}
    assert {"result.csv", "observations.csv", "changes.png", "lacking.png"} <= written
    files = _table(report, "files")
    assert files["files before copies were made"]["here"] == "36"
    assert files["pairs of files with equal bytes"]["here"] == "1"
    assert files["the join gives the pairs of comparing all"]["here"] == "yes"
    (equal,) = _rows(report, "equal")
    assert {equal["one"], equal["another"]} == {"data/texts/3.txt", "data/texts/again.txt"}
    lines = (tmp_path / "out" / "result.csv").read_text().splitlines()
    assert lines[0].startswith('"file","fingerprint","similar file"')
    ours = _table(report, "observations")["pairs within 6 bits"]
    count = int(files["files"]["here"])
    assert ours["author"] == f"{1000 * (len(lines) - 1) / count:,.0f} ({len(lines) - 1})"
    assert ours["published"] == "1,728 (35377)"
    assert [row["recipe"] for row in _rows(report, "most")] == ["published", *experiment.RECIPES]
    still = [row for row in _rows(report, "modified") if row["bits from its original"] == 0]
    assert all(CopyName.parse_or_none(row["copy"]) for row in still)


def test_one_more_recipe_stands_beside_the_others(documents: Path) -> None:
    recipe = ilk.Recipe.parse("manku2007")
    report = run(None, [documents], max_files=20, recipe=recipe, seed=1, jobs=1)
    assert list(_rows(report, "observations")[0])[2:] == [*experiment.RECIPES, "asked"]
    words = ilk.Recipe.parse("similarity-index")
    known = run(None, [documents], max_files=20, recipe=words, seed=1, jobs=1)
    assert list(_rows(known, "observations")[0])[2:] == [*experiment.RECIPES]


def _rows(report: Report, name: str) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = next(
        e for e in report.exhibits if e.name == name
    ).table.to_pylist()
    return rows


def _table(report: Report, name: str) -> dict[str, dict[str, Any]]:
    """The rows of an exhibit by what their first column says."""
    return {next(iter(row.values())): row for row in _rows(report, name)}


def test_an_experiment_over_nothing_is_no_error() -> None:
    (of,) = experiment.fingerprint_files([], {"words": SIMILARITY_INDEX}, jobs=1).values()
    measured = observations.RecipeMeasurements.from_corpus(of)
    found = measured.pairs
    assert (len(found.table), found.comparisons, found.both_agree) == (0, 0, True)
    rows = [*observations.corpus_observations(of.files), *observations.speed_observations(measured)]
    assert dict(row[::2] for row in rows)["files"] == "0"
    compared = list(observations.pair_and_copy_observations({"words": measured}, 1))
    assert ["pairs within 6 bits", "1,728 (35377)", "0 (0)"] in compared
    assert tables.changes_table(measured.copies).table["copies"].to_pylist() == [0] * 16
    assert tables.file_with_most_matches_table({"words": measured}).table.num_rows == 1


def test_the_published_numbers_do_not_add_up() -> None:
    """Section 3: so the page says, and the table too."""
    assert p.ORIGINALS + p.INSERTIONS + p.DELETIONS == 21_296 != p.FILES == 20_476
    assert p.INSERTIONS + p.DELETIONS + p.UNCHANGED == p.FILES
    assert p.UNCHANGED == 12_800 != p.ORIGINALS
    assert round(p.FILES * (p.FILES - 1) / 2 / p.COMPARE_SECONDS / 1e6, 2) == pytest.approx(
        p.MILLIONS_PER_SECOND, abs=0.02
    )
    assert round(p.MB / p.FINGERPRINT_SECONDS, 1) == p.MB_PER_SECOND


def test_ham_dist_is_that_of_appendix_2() -> None:
    """('00100', '11100') is 2; null if either is; unequal lengths are compared."""
    rows = tables.ham_dist_table().table.to_pylist()
    assert [row["here"] for row in rows] == ["2", "NULL", "NULL", "4"]
    assert [row["published"] for row in rows] == ["2", "NULL", "NULL", "allowed"]


def test_inserted_text_of_the_files_own_is_why_deletions_look_worse() -> None:
    texts = [make_stand_in("prose", 4800, 800, at) for at in range(20)]
    mean = {
        (each.name, each.percent): float(np.mean(each.distances))
        for each in lacking.measure_edit_runs(texts, SIMILARITY_INDEX, 1)
    }
    for percent in (40, 60, 80):
        own = mean["own text inserted (the paper)", percent]
        foreign = mean["foreign text inserted", percent]
        removed = mean["text removed (the paper)", percent]
        assert 1.5 * own < foreign
        assert 1.5 * own < removed
        assert mean["a block moved", percent] < own


def test_the_texts_that_are_edited_are_long_enough() -> None:
    long = [f"{at:02}" * 3_000 for at in range(90)]
    found = lacking.sample_beginnings_preferring_long(["short", *long])
    assert len(found) == 40
    assert {len(text) for text in found} == {6_000}
    assert lacking.sample_beginnings_preferring_long(["short"]) == ["short"]


def test_sheets_group_and_the_longer_one_stays_apart() -> None:
    made = generate_sheets(2013)
    assert len(made["st72a"]) > 2 * len(made["st71p"])
    recipes = {name: ilk.Recipe.parse(of) for name, of in experiment.RECIPES.items()}
    found = tables.sheets_table(recipes, 2013).table.to_pylist()
    assert [row["sheet"] for row in found] == list(made)
    for name in ("author", "words"):
        assert all((row["published"] == "apart") == (row[name] > p.RADIUS) for row in found)


def test_texts_without_a_fingerprint_have_no_mean() -> None:
    runs = list(lacking.measure_edit_runs(["one two " * 60, "one"], SIMILARITY_INDEX, 1))
    assert {run.mean_distance_or_none for run in runs if run.name == "a block moved"} == {None}
    shown = tables.edit_runs_table("words", runs).table
    assert shown["5 %"].to_pylist()[-1] is None
    assert len(list(lacking.measure_edit_runs([], SIMILARITY_INDEX, 1))) == len(lacking.RUNS) * 6


def test_no_file_is_smaller_than_the_papers_smallest(tmp_path: Path) -> None:
    (tmp_path / "empty.txt").write_text("")
    (tmp_path / "small.txt").write_text("x" * 999)
    (tmp_path / "enough.txt").write_text("word " * 200)
    names = {name for name, _ in collection.read_first_files_with_copies([tmp_path], None, 1)}
    assert {name.split("/")[1].split("_")[0].split(".")[0] for name in names} == {"enough"}


def test_a_file_too_small_for_a_change_has_no_copy() -> None:
    for number in range(200):
        made = copies.draw_modified_copy_or_none(f"{number}.txt", b"x", 1)
        assert made is None or made[1] != b"x"
