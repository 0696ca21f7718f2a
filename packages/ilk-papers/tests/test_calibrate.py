"""``ilk calibrate``: what it prints and writes, and how a scan takes it."""

from __future__ import annotations

import json
import os
import random
from pathlib import Path

import pytest
from tests.support.command_line import Run

import ilk
import ilk_papers
from ilk_papers.measure import plots
from ilk_papers.measure.calibration import Calibration

#: Few enough to be measured at once.
FEW = ("--copies", "160", "--pairs-sample", "200", "--resemblance", "0.7")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Documents of invented words, one of which has a near-duplicate; the folder worked in."""
    monkeypatch.chdir(tmp_path)
    made = tmp_path / "docs"
    made.mkdir()
    draw = random.Random(1)
    words = [f"{a}{b}{c}" for a in "bdgklm" for b in "aeiou" for c in ("n", "st", "r", "1")]
    for name in "abcdefgh":
        (made / f"{name}.txt").write_text(" ".join(draw.choices(words, k=draw.randint(60, 300))))
    (made / "again.txt").write_text((made / "a.txt").read_text() + " and more")
    return made


def test_the_table_says_what_was_measured_and_recommends_a_radius(folder: Path, run: Run) -> None:
    code, out, err = run("calibrate", folder, *FEW)
    assert (code, err) == (0, "")
    made = ilk_papers.calibrate(folder, copies=160, pairs_sample=200, resemblance=0.7)
    lines = out.splitlines()
    assert lines[0] == f"recipe {made.recipe}, 3 words per shingle"
    assert "9 documents read, 9 of them to draw from" in lines
    assert "2 documents beside a near-duplicate" in lines
    assert "36 pairs drawn at random; 1 of them at resemblance >= 0.7" in lines
    (chosen,) = (line for line in lines if line.startswith("->"))
    assert chosen.split()[1] == str(made.radius)
    assert f"{made.all_copies.share(made.radius or 0):.1%}" in chosen
    assert f"recommended: {made.radius} bits" in lines
    assert any(line.startswith("  template ") for line in lines)
    assert list(folder.parent.iterdir()) == [folder]


def test_a_line_of_json_is_the_whole_calibration(folder: Path, run: Run) -> None:
    code, out, err = run("calibrate", folder, *FEW, "--format", "jsonl", "--seed", "3")
    assert (code, err) == (0, "")
    (line,) = out.splitlines()
    made = ilk_papers.calibrate(folder, copies=160, pairs_sample=200, resemblance=0.7, seed=3)
    assert json.loads(line) == json.loads(json.dumps(made.to_dict()))


def test_a_search_takes_the_options_of_a_calibration(folder: Path, run: Run) -> None:
    code, _, err = run("calibrate", folder, *FEW, "-o", "mine")
    assert code == 0
    assert err == "ilk: written: mine.ilk-calibration.json\n"
    assert sorted(path.name for path in folder.parent.iterdir()) == [
        "docs",
        "mine.ilk-calibration.json",
    ]
    made = Calibration.load("mine")
    report = ilk.find(folder, **made.options()).report
    assert (report["pairing"], report["radius"]) == ("fingerprint", made.radius)


def test_labelled_pairs_are_told(folder: Path, run: Run) -> None:
    labels = folder.parent / "labels.tsv"
    labels.write_text("a.txt\tagain.txt\t1\na.txt\tb.txt\t0\nb.txt\tc.txt\nx.txt\ta.txt\n")
    code, out, _ = run("calibrate", folder, *FEW, "--labels", labels)
    assert code == 0
    lines = out.splitlines()
    heads = next(line for line in lines if line.startswith("found of"))
    assert "labelled pairs" in heads
    assert [line for line in lines if len(line) > 80] == []
    assert sum(line.startswith("    1 bit ") for line in lines) == 1
    rows = {line.split()[0]: line.split()[-2:] for line in lines if " or more" in line}
    assert (rows["0.8"], rows["0.0"]) == (["1", "0"], ["2", "1"])
    assert "  1 line named documents that were not read" in lines


def test_a_picture_is_drawn(folder: Path, run: Run) -> None:
    code, _, _ = run("calibrate", folder, *FEW, "--picture", folder.parent / "it.png")
    assert code == 0
    assert (folder.parent / "it.png").read_bytes().startswith(b"\x89PNG")


def test_without_matplotlib_no_picture_is_begun(
    folder: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(plots, "find_spec", lambda _: None)
    code, out, err = run("calibrate", folder, *FEW, "--picture", "it.png")
    assert (code, out) == (2, "")
    assert "ilk[plots]" in err


def test_documents_that_give_no_radius_are_told_so(tmp_path: Path, run: Run) -> None:
    (tmp_path / "one.txt").write_text("alphabetical beginning")
    code, out, _ = run("calibrate", tmp_path, "--copies", "0")
    assert code == 0
    assert out.endswith("no pair at 0.8 was found or made, so no radius is recommended\n")
    (tmp_path / "two.txt").write_text("alphabetical beginnings")
    code, out, _ = run("calibrate", tmp_path, "--copies", "0")
    assert code == 0
    assert "no radius finds 99.0%: 2 pairs with a text that has no fingerprint" in out
    assert "exact pairing" in out


def test_what_cannot_be_read_is_named_and_strict_makes_it_an_error(folder: Path, run: Run) -> None:
    (folder / "damaged.pdf").write_bytes(b"%PDF-1.7 and nothing more")
    code, _, err = run("calibrate", folder, *FEW)
    assert code == 0
    assert f"not read: {folder}/damaged.pdf" in err
    code, out, err = run("calibrate", folder, *FEW, "--strict", "--quiet")
    assert (code, err) == (2, "")
    assert out


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--resemblance", "0"], "above 0 and at most 1"),
        (["--recall", "2"], "above 0 and at most 1"),
        (["--copies", "-1"], "whole number of copies from 0"),
        (["--pairs-sample", "-1"], "whole number of pairs from 0"),
        (["--labels", "missing.tsv"], "cannot read labels from missing.tsv"),
        (["-o", ""], "no name"),
        (["-o", "missing/mine"], "there is no folder missing"),
        (["--picture", "missing/it.png"], "there is no folder missing"),
        (["--format", "csv"], "jsonl"),
        (["--jobs", "0"], "from 1 to 65536"),
        (["--shingle", "0"], "from 1 to 64"),
    ],
)
def test_wrong_options_are_refused_before_any_work(
    tmp_path: Path, run: Run, options: list[str], said: str
) -> None:
    """The path is a pipe without a writer: whoever began to read it would wait for ever."""
    os.mkfifo(tmp_path / "pipe.txt")
    code, out, err = run("calibrate", tmp_path / "pipe.txt", *options)
    assert (code, out) == (2, "")
    assert said in err
    assert "Traceback" not in err


def test_an_empty_folder_is_an_error(tmp_path: Path, run: Run) -> None:
    code, out, err = run("calibrate", tmp_path)
    assert (code, out) == (2, "")
    assert "0 documents were read" in err
