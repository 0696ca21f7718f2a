"""Other packages and pages of one template: what is compared with must itself be right."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from benchmarks import peers
from benchmarks.accuracy import __main__ as command
from benchmarks.accuracy.recipes import others
from benchmarks.accuracy.recipes.templates import Pages


def test_the_differing_numbers_of_all_pairs_are_counted() -> None:
    numbers = np.random.default_rng(1).integers(0, 3, (40, 7), np.uint32)
    expected = [0] * 8
    for one, other in combinations(numbers, 2):
        expected[int((one != other).sum())] += 1
    assert others._counts(numbers).tolist() == expected


def test_pages_of_one_template_share_it_and_true_pairs_nearly_everything() -> None:
    texts = [" ".join(f"{row}x{word}" for word in range(400)) for row in range(511)]
    pages = Pages.of(texts, 0.8)
    assert (len(pages.texts), len(pages.left), pages.true.sum()) == (1000, 49_500, 500)
    words = [frozenset(text.split()) for text in pages.texts.to_pylist()]
    for left, right, true in zip(pages.left, pages.right, pages.true, strict=True):
        shared = len(words[left] & words[right])
        assert shared >= 390 if true else shared <= 330


@pytest.mark.parametrize(
    ("options", "error"),
    [
        (["--peer", "gaoya MinHash", "--all"], "--peer goes with --pairs"),
        (["--peer", "gaoya MinHash", "--curve"], "--peer goes with --pairs"),
        (["--picture", "curve.png"], "--picture goes with --curve or --recipes"),
    ],
)
def test_options_that_do_not_go_together_are_refused(
    options: list[str],
    error: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    asked = ["--documents", str(tmp_path), "--pairs", str(tmp_path / "labels.tsv")]
    if "--all" in options:
        asked = []
    monkeypatch.setattr("sys.argv", ["accuracy", *asked, *options])
    with pytest.raises(SystemExit):
        command.main()
    assert error in capsys.readouterr().err


@pytest.mark.long
@pytest.mark.parametrize("name", peers.DOCUMENTED)
def test_packages_find_copies_and_leave_the_unrelated(name: str) -> None:
    if reason := peers.missing():
        pytest.skip(reason)
    texts = [" ".join(f"{row}x{word}" for word in range(80)) for row in (1, 2, 3, 1)]
    column = pa.array(texts, pa.large_string())
    assert peers.documented_pairs(name, column, 0.8, 3).to_pylist() == [{"left": 0, "right": 3}]
    prints = peers.documented_prints(name, column)
    differing = (prints[:, None] != prints).sum(axis=2)
    assert np.argwhere(differing == 0).tolist() == [[0, 0], [0, 3], [1, 1], [2, 2], [3, 0], [3, 3]]
