"""The benchmarks' own yardsticks and texts: what is compared with must itself be right."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from benchmarks import billion, corpus, hamming, prints
from benchmarks.rows import WrongAnswerError


@pytest.mark.parametrize(("radius", "blocks"), [(0, 1), (3, 4), (6, 8), (10, 13)])
def test_the_block_join_equals_brute_force(radius: int, blocks: int) -> None:
    bits = hamming.planted(1500, radius, np.random.default_rng(radius))
    bits[:20] = bits[20]
    distances = np.bitwise_count(bits[:, None] ^ bits[None, :])
    expected = np.argwhere(np.triu(distances <= radius, 1))
    # Twenty-one equal ones, and what was planted outside of them.
    assert len(expected) > 21 * 20 // 2
    assert np.array_equal(hamming.block_join(bits, radius, blocks), expected)


def test_what_is_planted_among_a_billion_is_as_near_as_it_is_meant(tmp_path: Path) -> None:
    planted = billion.write(tmp_path / "column", 40_000)
    column = np.fromfile(tmp_path / "column", np.uint64)
    assert len(column) == 40_000
    left, right = planted >> np.uint64(32), planted & np.uint64(0xFFFF_FFFF)
    assert len(np.union1d(left, right)) == 80
    assert np.all(left < right)
    distances = np.bitwise_count(column[left] ^ column[right])
    assert np.bincount(distances).tolist() == [10, 10, 10, 10]


def test_the_billion_is_joined_at_any_size(tmp_path: Path) -> None:
    rows = billion.run(50_000, "500kB", tmp_path)
    assert {row.figure for row in rows if row.unit == "pairs"} == {50}
    assert [row.figure for row in rows if row.unit == "slices"] == [4]


def test_rewording_changes_its_share_of_the_words_and_no_length() -> None:
    text = "Every word of this line 42 times, naïveté included. " * 400
    (reworded,) = corpus.reworded(pa.array([text], "large_string"), 0.05, 1).to_pylist()
    assert len(reworded) == len(text)
    before, after = (re.findall("[A-Za-z]+", side) for side in (text, reworded))
    changed = sum(a != b for a, b in zip(before, after, strict=True)) / len(before)
    assert 0.03 < changed < 0.07
    assert re.sub("[A-Za-z]", "", reworded) == re.sub("[A-Za-z]", "", text)


def test_short_texts_are_cut_at_line_ends() -> None:
    lines = [f"{'word ' * (n % 40)}line {n}\n" for n in range(500)] + ["é" * 600 + "\n"]
    pieces = corpus.short_texts(pa.array(["".join(lines)], "large_string")).to_pylist()
    assert len(pieces) > 50
    assert all(350 <= len(piece.encode()) <= 550 for piece in pieces)
    assert all(piece in "".join(lines) and piece.endswith("\n") for piece in pieces)


def test_fingerprints_that_tell_nothing_of_copies_are_refused() -> None:
    random = np.random.default_rng(1)
    texts, others = (random.integers(0, 2, (500, 64), np.uint8) for _ in range(2))
    prints._check("exact", texts, texts)
    for name, found in (("random", others), ("constant", np.zeros_like(texts))):
        with pytest.raises(WrongAnswerError, match=f"{name}: a text and its copy have"):
            prints._check(name, found, found if name == "constant" else texts)
