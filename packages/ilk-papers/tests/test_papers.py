"""``ilk papers``: the list of rooms, a room, and the commands of a room."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from tests.support.command_line import Run

import ilk
from ilk_papers import ROOMS
from ilk_papers.explain import explain_pair, explain_text
from ilk_papers.frame import Report, make_exhibit
from ilk_papers.measure import plots
from ilk_papers.roth2011.collection import TEXTS


@pytest.fixture
def texts(tmp_path: Path) -> Path:
    folder = tmp_path / "texts"
    folder.mkdir()
    for name, word in (("a", "one"), ("b", "one"), ("c", "three")):
        (folder / f"{name}.txt").write_text(f"{word} two " * 60)
    return folder


def test_the_rooms_are_listed(run: Run) -> None:
    code, out, err = run("papers")
    assert (code, err) == (0, "")
    assert {line.split()[0] for line in out.splitlines()} == {*ROOMS, "all", "explain"}
    for name, what in ROOMS.items():
        assert what in out
        assert run("papers", name, "--help")[0] == 0
    assert run("papers", "nonsense")[0] == 2


def test_roth2011_prints_and_saves(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from ilk_papers.roth2011 import all_exhibits as room
    from ilk_papers.roth2011.methods import Parameters

    asked: list[object] = []

    def experiment(
        documents: Path | None, files: Path | None, parameters: Parameters, **more: object
    ) -> Report:
        asked.extend([documents, files, parameters, more["parts"]])
        columns = ("name", "value")
        shown = make_exhibit("shown", "Shown", columns, [("a", 1)])
        return Report(
            [shown, make_exhibit("kept", "Kept", columns, [("b", 2)], printed_at_terminal=False)]
        )

    monkeypatch.setattr(room, "run", experiment)
    monkeypatch.chdir(tmp_path)
    out = tmp_path / "out"
    code, printed, _ = run("papers", "roth2011", "--highest", 200, "--lowest", 9, "--out", out)
    assert (code, asked) == (0, [None, None, Parameters(highest=200, lowest=9), {}])
    assert "Shown" in printed
    assert "Kept" not in printed
    assert sorted(path.name for path in out.iterdir()) == ["kept.csv", "shown.csv"]
    # Nothing depends on the folder that a command runs in.
    (tmp_path / "shared" / "data" / "roth-v1").mkdir(parents=True)
    (tmp_path / "work").mkdir()
    monkeypatch.chdir(tmp_path / "work")
    words = ("--seed", 7, "--files", "x", "--part", "java=a.java", "--documents", "d")
    assert run("papers", "roth2011", *words)[0] == 0
    assert asked[4:] == [Path("d"), Path("x"), Parameters(seed=7), {"java": Path("a.java")}]
    assert run("papers", "roth2011")[0] == 0
    assert asked[8:10] == [None, None]
    code, _, notes = run("papers", "roth2011", "--part", "java")
    assert (code, "write NAME=FILE" in notes) == (2, True)


@pytest.mark.parametrize(
    ("method", "last"),
    [
        ("43B", "bounds: SI - |0.3 SI|, SI + |0.3 SI|"),
        ("1A 4 5", "bounds: SI - |0.3 SI|, SI + |0.3 SI|"),
        ("2013", "hexadecimal"),
        ("lecture", "hexadecimal"),
        ("holub", "hexadecimal"),
        ("holub-super", "hexadecimal"),
    ],
)
def test_every_step_of_a_method_is_explained(run: Run, method: str, last: str) -> None:
    text = "Four score and seven years ago our fathers"
    if method == "43B":  # Few texts of one sentence have a fingerprint that is 0 mod 25.
        text = str(TEXTS / "gettysburg.txt")
    code, printed, notes = run("papers", "explain", text, "--method", method)
    assert (code, notes) == (0, "")
    assert last in " ".join(printed.split())


def test_what_is_too_short_for_a_method_is_said(run: Run) -> None:
    code, printed, _ = run("papers", "explain", "Four score and seven", "--method", "43B")
    assert (code, "none: the text is too short" in " ".join(printed.split())) == (0, True)
    code, _, notes = run("papers", "explain", "abc", "--method", "2013")
    assert (code, "too short for 2013" in notes) == (2, True)
    code, _, notes = run("papers", "explain", "abc", "--method", "13A")
    assert (code, "write a tracking number (1-12, 14" in notes) == (2, True)


def test_a_file_is_explained_by_its_text(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "p1.txt"
    file.write_text("the cat sat on the mat")
    assert "851459198" in run("papers", "explain", file, "--method", "lecture")[1]


@pytest.mark.parametrize("method", ["2013", "holub", "holub-super"])
def test_two_texts_are_compared_as_their_recipe_has_them(method: str) -> None:
    one, other = "to be or not to be that is the question", "to be or not to be that was it"
    recipe = {"2013": "roth2013"}.get(method, method)
    left, right = ilk.fingerprint([one, other], recipe).to_pylist()
    (*_, compared) = explain_pair(one, other, method)
    shown = {row["what"]: row["value"] for row in compared.table.to_pylist()}
    assert (shown["first"], shown["second"]) == (f"{left:064b}", f"{right:064b}")
    apart = (left ^ right).bit_count()
    assert shown["Hamming distance"] == f"{apart} of 64 bits"
    assert shown["differ"].count("^") == apart
    assert explain_pair(one, one, method)[-1].table["value"][-1].as_py() == "1.000"


@pytest.mark.parametrize(
    "name",
    ["similarity-index", "manku2007", "words-tf", "holub-super", "simhash128/words=2/weight=tf"],
)
def test_the_votes_of_a_recipe_give_its_fingerprint(name: str) -> None:
    text = "To be, or not to be: that is the Question. To be sure, the question is old."
    method = f"{name}/fold/min=1/ilk64/v1" if "/" in name else name
    (value,) = ilk.fingerprint([text], method).to_pylist()
    features, number = explain_text(text, method)
    votes = [int(vote) for vote in features.table.column(3)[-1].as_py().split()]
    bits = f"{int.from_bytes(value, 'big'):0128b}" if isinstance(value, bytes) else f"{value:064b}"
    assert number.table["value"][1].as_py() == bits
    assert all(int(bit) == (vote > 0) for bit, vote in zip(bits, votes, strict=True) if vote)


def test_the_least_features_of_a_minhash_are_those_of_its_signature() -> None:
    text = "To be, or not to be: that is the Question."
    features, number = explain_text(text, "default")
    (expected,) = ilk.minhash.signatures([text], size=64).to_pylist()
    assert features.table["its number"].to_pylist() == expected
    (value,) = ilk.fingerprint([text]).to_pylist()
    assert number.table["value"][-1].as_py() == f"{value:016x}"
    (wide,) = ilk.fingerprint([text], "precise").to_pylist()
    assert explain_text(text, "precise")[-1].table["value"][-1].as_py() == wide.hex()
    assert {"to be or", "not to be"} <= {*features.table["feature"].to_pylist()}


@pytest.mark.parametrize(
    ("name", "refused"),
    [
        ("simhash64/chars=4/weight=tf/fold/min=1/ilk64/v1", "recipes of words"),
        ("words-tfidf", "weights features by a table"),
        ("simhash64/words=1/weight=tf/fold/min=1/other/v1", "names the hash 'other'"),
        ("nonsense", "or a recipe of words such as default"),
    ],
)
def test_what_cannot_be_explained_is_said(run: Run, name: str, refused: str) -> None:
    code, _, notes = run("papers", "explain", "a text of words", "--method", name)
    assert (code, refused in " ".join(notes.split())) == (2, True)


def test_two_texts_of_slide_31_are_compared(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "p1.txt"
    file.write_text("the cat sat on the mat")
    words = ("papers", "explain", file, "the cat sat on a mat", "--method", "lecture")
    code, printed, notes = run(*words)
    assert (code, notes) == (0, "")
    assert "4 of 32 bits" in printed
    assert "14 of 17" in printed
    code, printed, notes = run(*words, "--html", tmp_path / "page")
    assert (code, printed) == (0, "")
    assert f"wrote {tmp_path / 'page' / 'index.html'}" in notes
    assert "4 of 32 bits" in (tmp_path / "page" / "index.html").read_text()


def test_two_texts_have_numbers_of_2011_or_are_too_short(run: Run) -> None:
    text = "Four score and seven years ago our fathers brought forth on this continent"
    code, printed, _ = run("papers", "explain", text, f"{text}.", "--method", "1A")
    assert (code, "within 30 %" in printed, " yes" in printed) == (0, True, True)
    code, _, notes = run("papers", "explain", text, "abc", "--method", "1A")
    assert (code, "is too short for 1A 4 5: it has no number" in notes) == (2, True)


def test_v_is_shown_feature_by_feature() -> None:
    (features, _) = explain_text("the cat", "lecture")
    rows = features.table.to_pylist()
    last = [int(v) for v in rows[-1]["V after it, highest bit first"].split()]
    assert len(last) == 32
    assert all(abs(v) <= len(rows) for v in last)
    first = [int(v) for v in rows[0]["V after it, highest bit first"].split()]
    assert set(first) <= {-1, 1}


def test_explained_numbers_are_those_of_the_methods(run: Run) -> None:
    text = "the cat sat on the mat"
    (value,) = ilk.fingerprint([text], "roth2013").to_pylist()
    assert f"{value:016x}" in run("papers", "explain", text)[1]
    assert "851459198" in run("papers", "explain", text, "--method", "lecture")[1]
    code, _, notes = run("papers", "explain", text, "--method", "99Z")
    assert (code, "'99Z' is not a method; name 43B" in notes) == (2, True)


def test_missing_pictures_are_said_before_the_work(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(plots, "find_spec", lambda _: None)
    code, out, err = run("papers", "roth2011", "--out", tmp_path)
    assert (code, out) == (2, "")
    assert "pip install 'ilk[plots]'" in err


def test_the_index_is_a_column_with_its_query(run: Run, texts: Path, tmp_path: Path) -> None:
    words = ("papers", "roth2011", "index", texts, "--combination", "21A 4 5")
    code, out, err = run(*words)
    assert code == 0
    assert "b.si2011 > a.lower AND b.si2011 < a.upper" in err
    a, b, c = (int(line.split()[0]) for line in out.splitlines())
    assert a == b != c
    code, out, err = run(*words, "--format", "csv", "--quiet")
    assert (code, err) == (0, "")
    rows = list(csv.DictReader(io.StringIO(out)))
    assert [int(row["si2011"]) for row in rows] == [a, b, c]
    assert all(int(row["lower"]) < int(row["si2011"]) < int(row["upper"]) for row in rows)
    assert run(*words, "--format", "jsonl")[1].count("\n") == 3
    target = tmp_path / "index.parquet"
    assert run(*words, "--format", "parquet", "-o", target)[:2] == (0, "")
    table = pq.read_table(target)
    assert str(table.schema.field("si2011").type) == "int64"
    assert table["si2011"].to_pylist() == [a, b, c]


def test_an_index_of_nothing_and_a_wrong_combination_are_errors(run: Run, texts: Path) -> None:
    (texts / "d.bin").write_bytes(bytes(range(256)))
    code, _, err = run("papers", "roth2011", "index", texts / "d.bin")
    assert code == 2
    assert "none of the files could be read" in err
    code, _, err = run("papers", "roth2011", "index", texts, "--combination", "99Z")
    assert code == 2
    assert "'99Z' is not a combination" in err
    words = ("papers", "roth2011", "index", texts, "--combination", "21A 4 5")
    (texts / "e.pdf").write_bytes(b"%PDF-1.4 broken")
    assert [run(*words)[0], run(*words, "--strict")[0]] == [0, 2]


@pytest.mark.parametrize(("room", "table"), [("lecture", "sorted"), ("simhash-page", "problems")])
def test_rooms_print_and_save_what_their_seed_gives(
    run: Run, tmp_path: Path, room: str, table: str
) -> None:
    code, printed, notes = run("papers", room, "--seed", 2, "--out", tmp_path / "out")
    assert code == 0
    saved = (tmp_path / "out" / f"{table}.csv").read_text()
    assert len(saved.splitlines()) > 3
    assert f"wrote {tmp_path / 'out' / table}.csv" in notes
    assert "published" in printed


def test_holub_prints(run: Run) -> None:
    code, printed, notes = run("papers", "holub")
    assert (code, notes) == (0, "")
    assert "lookup3" in printed


def test_roth2013_prints_and_saves(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from ilk_papers.roth2013 import all_exhibits as room

    asked: list[object] = []

    def experiment(folder: Path | None, documents: list[Path], **options: object) -> Report:
        asked.extend(
            [folder, documents, options.pop("jobs", 0) and options.pop("progress") and options]
        )
        return Report([make_exhibit("shown", "Shown", ("name", "value"), [("a", 1)])])

    monkeypatch.setattr(room, "run", experiment)
    monkeypatch.chdir(tmp_path)
    code, printed, _ = run("papers", "roth2013", "--generate", 9, "--documents", "a")
    assert (code, "Shown" in printed) == (0, True)
    assert asked == [None, [Path("a")], {"max_files": 9, "recipe": None, "seed": 2013}]


def test_a_corpus_is_made_and_measured(run: Run, texts: Path, tmp_path: Path) -> None:
    target = tmp_path / "corpus"
    code, printed, notes = run("papers", "roth2013", "make-corpus", texts, target, "--seed", 3)
    assert (code, notes) == (0, "")
    files = [path for path in target.rglob("*") if path.is_file()]
    assert printed.startswith(f"3 files (0.0 MB) -> {len(files)} ")
    assert run("papers", "roth2013", "make-corpus", texts, target)[0] == 2
    code, printed, _ = run("papers", "roth2013", "--files", target)
    assert code == 0
    assert printed.startswith("The files: ")
    assert any(line.split()[-2:] == ["20476", str(len(files))] for line in printed.splitlines())
    code, _, notes = run("papers", "roth2013", "--recipe", "simhash128/words=1")
    assert (code, "is not a recipe" in notes) == (2, True)


def test_the_worked_example_of_any_text(run: Run) -> None:
    code, printed, notes = run("papers", "roth2013", "example", "Hello world")
    assert (code, notes) == (0, "")
    assert printed.rstrip().endswith("The fingerprint is 0000000101001111 = 335.")
