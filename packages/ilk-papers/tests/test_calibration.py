"""A calibration: what its counts mean, its file, and the searches that it is refused for."""

from __future__ import annotations

import json
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import ilk
from ilk.base.errors import OptionError, OutputError
from ilk_papers.errors import CalibrationError
from ilk_papers.measure.calibration import (
    Calibration,
    LabelCounts,
    Sample,
    calibration_path_with_suffix_unless_path,
)

BITS = 8

distances = st.lists(st.one_of(st.none(), st.integers(0, BITS)), max_size=40)


def sample(*found: int | None) -> Sample:
    return Sample.from_distances(found, BITS)


MADE = Calibration(
    recipe="a recipe",
    resemblance=0.8,
    shingle=3,
    recall=0.75,
    seed=1,
    documents=10,
    drawn_from=9,
    fingerprints="00",
    copies=20,
    kinds={"delete": sample(0, 1, 2), "replace": sample(5)},
    edge=sample(5),
    natural=sample(1, 1, 1, 3),
    labelled=LabelCounts(sample(0, 0, 0, 4), (0, 4), (2, 0), 1),
    background=sample(4, 6, 7, 8),
    related=2,
)


@given(distances, distances)
def test_a_sample_counts_its_pairs(some: list[int | None], others: list[int | None]) -> None:
    found = Sample.from_distances(some, BITS) + Sample.from_distances(others, BITS)
    every = some + others
    assert found.pairs == len(every)
    assert found.without == every.count(None)
    for radius in range(BITS + 1):
        within = sum(d is not None and d <= radius for d in every)
        assert found.count_within(radius) == within
        assert found.share(radius) == (within / len(every) if every else None)
        low, high = found.interval(radius)
        assert 0 <= low <= (within / len(every) if every else 0.5) <= high <= 1


@given(distances, distances, distances, st.integers(1, 100))
def test_the_radius_is_the_least_that_finds_the_recall_of_every_sample(
    planted: list[int | None],
    natural: list[int | None],
    labelled: list[int | None],
    percent: int,
) -> None:
    made = replace(
        MADE,
        recall=percent / 100,
        kinds={"delete": sample(*planted)},
        natural=sample(*natural),
        labelled=LabelCounts(sample(*labelled), (), (), 0),
    )
    asked = [some for some in (planted, natural, labelled) if some]
    enough = [
        radius
        for radius in range(BITS + 1)
        if all(
            Fraction(sum(d is not None and d <= radius for d in some), len(some))
            >= Fraction(percent, 100)
            for some in asked
        )
    ]
    assert made.radius == (min(enough, default=None) if asked else None)


def test_what_follows_from_the_counts() -> None:
    assert MADE.bits == BITS
    assert MADE.all_copies == sample(0, 1, 2, 5)
    # Copies need 2 bits, near-duplicates 1, labelled pairs 0.
    assert MADE.radius == 2
    row = MADE.table()[4]
    assert (row["radius"], row["planted"], row["edge"], row["natural"]) == (4, 0.75, 0.0, 1.0)
    assert (row["labelled"], row["background"]) == (1.0, 0.25)
    low, high = row["background_interval"]
    # Wilson's interval of 1 of 4.
    assert (round(low, 4), round(high, 4)) == (0.0456, 0.6994)
    assert "labelled" not in replace(MADE, labelled=None).table()[0]
    told = "75.0% of 4 edited copies (95 % interval 30.1% to 95.4%)"
    assert told in MADE.promise
    assert "75.0% of 4 near-duplicates" in MADE.promise
    assert "near-duplicates" not in replace(MADE, natural=sample()).promise


@pytest.mark.parametrize("made", [MADE, replace(MADE, labelled=None, natural=sample(None))])
def test_a_file_holds_it_all(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, made: Calibration
) -> None:
    monkeypatch.chdir(tmp_path)
    assert made.save("mine") == Path("mine.ilk-calibration.json")
    assert [path.name for path in tmp_path.iterdir()] == ["mine.ilk-calibration.json"]
    assert Calibration.load("mine") == made
    assert Calibration.load(tmp_path / "mine.ilk-calibration.json") == made
    assert Calibration.load("./mine.ilk-calibration.json") == made
    read = json.loads((tmp_path / "mine.ilk-calibration.json").read_text())
    assert read == json.loads(json.dumps(made.to_dict()))
    assert (read["ilk"], read["radius"]) == (ilk.__version__, made.radius)


@pytest.mark.parametrize(
    ("written", "means"),
    [
        ("mine", "mine.ilk-calibration.json"),
        ("my.mails", "my.mails.ilk-calibration.json"),
        ("mine.json", "mine.json"),
        ("mine.ilk-calibration.json", "mine.ilk-calibration.json"),
        ("./mine", "mine"),
        ("folder/mine", "folder/mine"),
        (Path("/a/b"), "/a/b"),
    ],
)
def test_a_name_is_a_file_in_the_working_folder(written: Any, means: str) -> None:
    assert calibration_path_with_suffix_unless_path(written) == Path(means)


def test_a_calibration_needs_a_name_and_a_place() -> None:
    with pytest.raises(OptionError, match="no name"):
        MADE.save("")
    with pytest.raises(OutputError, match="there is no folder"):
        MADE.save("/nowhere/at/all.json")


def damaged(**changes: Any) -> str:
    return json.dumps(MADE.to_dict() | changes)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("", "it is not JSON"),
        ("\xff", "it is not JSON"),
        ("[1]", "has the format None"),
        ("{}", "has the format None"),
        (damaged(format="ilk-calibration/9"), "'ilk-calibration/9'; this ilk reads"),
        (damaged(kinds={"delete": {"distances": [1]}}), "damaged .KeyError: 'without'"),
        (damaged(kinds=None), "damaged"),
        (damaged(background={"distances": 7, "without": 0}), "damaged"),
        (damaged(resemblance="high"), "damaged"),
        (damaged(edge=[]), "damaged"),
        (damaged(labelled={}), "damaged"),
        (damaged(natural={"distances": [8] * 3, "without": 0}), "samples of different widths"),
        (damaged(radius=7), "its counts make the radius 2, not 7"),
    ],
)
def test_what_is_no_calibration_is_refused(tmp_path: Path, content: str, said: str) -> None:
    path = tmp_path / "found.json"
    path.write_text(content, encoding="latin-1")
    with pytest.raises(CalibrationError, match=said):
        Calibration.load(path)


@pytest.mark.parametrize("name", ["missing", "."])
def test_a_missing_calibration_says_how_to_write_one(tmp_path: Path, name: str) -> None:
    with pytest.raises(CalibrationError, match="ilk calibrate SOURCE -o NAME"):
        Calibration.load(tmp_path / name)


def test_its_options_are_those_of_a_search() -> None:
    made = replace(MADE, recipe=str(ilk.Recipe()))
    assert made.options() == {
        "recipe": ilk.Recipe(),
        "radius": made.radius,
        "resemblance": made.resemblance,
        "shingle": made.shingle,
    }


def test_a_calibration_without_a_radius_is_of_no_use() -> None:
    with pytest.raises(CalibrationError, match="no radius finds 75.0%"):
        replace(MADE, natural=sample(0, None)).options()
