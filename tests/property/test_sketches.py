"""Signatures and sketches equal their definitions, and say what theory says."""

from __future__ import annotations

import math
import random

import pyarrow as pa
import pyarrow.compute as pc
import pytest
from hypothesis import given
from hypothesis import strategies as st

import ilk
from ilk import arrow
from ilk.base.errors import ColumnTypeError, OptionError
from ilk.fingerprints import sketching
from ilk.fingerprints.recipe import SIMILARITY_INDEX
from tests.reference import hashing
from tests.support import strategies

WORDS = ilk.Recipe(width=1, minimum=1)
texts = st.lists(st.one_of(st.none(), strategies.texts), max_size=5)


@given(texts, st.integers(1, 200), st.integers(1, 4), st.integers(1, 3))
def test_signatures_equal_the_oracle(
    values: list[str | None], size: int, width: int, minimum: int
) -> None:
    recipe = ilk.Recipe(width=width, minimum=minimum)
    found = ilk.minhash.signatures(values, recipe, size=size, jobs=2).to_pylist()
    assert len(found) == len(values)
    for text, minima in zip(values, found, strict=True):
        ids = hashing.feature_ids(text or "", "words", width)
        enough = len(set(ids)) >= minimum
        assert minima == (hashing.signature(ids, size) if enough else None)


@given(
    texts,
    st.sampled_from(list(sketching.METHODS)),
    st.one_of(st.integers(1, 9), st.integers(1, 2**32 - 1)),
    st.sampled_from(["words", "chars"]),
)
def test_sketches_equal_the_oracle(
    values: list[str | None], method: sketching.SketchMethod, number: int, unit: str
) -> None:
    recipe = ilk.Recipe(unit=unit, width=2)
    found = ilk.minhash.sketches(values, method, number, recipe)
    assert found.schema.types == [arrow.SETS, arrow.SETS]
    for text, row in zip(values, found.to_pylist(), strict=True):
        expected = hashing.sketch(hashing.feature_ids(text or "", unit, 2), method, number)
        assert dict(zip(row["ids"], row["places"], strict=True)) == expected
        assert row["ids"] == list(expected)


def test_batches_and_threads_change_nothing() -> None:
    values = [f"some {i} words {i % 7} of {i % 11} texts" for i in range(1500)] + [None, " "]
    whole = ilk.minhash.signatures(values, size=70)
    sketched = ilk.minhash.sketches(values, "winnow", 4)
    pieces = pa.chunked_array([values[:1], values[1:900], [], values[900:]], pa.string())
    assert ilk.minhash.signatures(pieces, size=70, jobs=2).equals(whole)
    assert ilk.minhash.sketches(pieces, "winnow", 4, jobs=2).equals(sketched)
    assert whole.to_pylist()[-2:] == [None, None]
    assert ilk.minhash.signatures([], size=5).to_pylist() == []


@pytest.mark.parametrize(("shared", "own"), [(30, 35), (70, 15), (90, 5)])
def test_the_estimate_errs_as_its_standard_error_says(shared: int, own: int) -> None:
    """Of 400 pairs the root mean square error varies by 3.5 %."""
    exact, draw = shared / (shared + 2 * own), random.Random(own)
    left, right = [], []
    for _ in range(400):
        words = [f"{draw.getrandbits(40):x}" for _ in range(shared + 2 * own)]
        left.append(" ".join(words[: shared + own]))
        right.append(" ".join(words[:shared] + words[shared + own :]))
    sides = (ilk.minhash.signatures(side, WORDS, size=128) for side in (left, right))
    found = ilk.minhash.resemblance(*sides)
    errors = pc.subtract(found["resemblance"], exact).to_pylist()
    theory = math.sqrt(exact * (1 - exact) / 128)
    assert math.sqrt(sum(error**2 for error in errors) / 400) < 1.15 * theory
    assert abs(sum(errors) / 400) < 4 * theory / 20
    assert abs(pc.mean(found["standard_error"]).as_py() - theory) < 0.05 * theory


def test_resemblance_of_signatures_row_by_row() -> None:
    left = ilk.minhash.signatures(["a b c", None, "a b c", "a b c"], WORDS, size=100)
    right = ilk.minhash.signatures(["c b a", "a b c", "x y z", " "], WORDS, size=100)
    found = ilk.minhash.resemblance(left, pa.chunked_array([right[:1], right[1:]]))
    shares = [1.0, None, sum(a == b for a, b in zip(left[2], right[2], strict=True)) / 100, None]
    assert found["resemblance"].to_pylist() == shares
    assert found["standard_error"].to_pylist()[:2] == [0.0, None]
    assert ilk.minhash.resemblance(left[2:], right[2:])["resemblance"].to_pylist() == shares[2:]


def test_what_cannot_be_is_refused() -> None:
    for size in (0, 4097, 1.0, True):
        with pytest.raises(OptionError, match="size is .* from 1 to 4096"):
            ilk.minhash.signatures(["a"], size=size)  # type: ignore[arg-type]
    for number in (0, 2**32, 1.0):
        with pytest.raises(OptionError, match="number is .* from 1 to 4294967295"):
            ilk.minhash.sketches(["a"], "modulo", number)  # type: ignore[arg-type]
    with pytest.raises(OptionError, match="method is 'random'; it must be one of modulo, winnow"):
        ilk.minhash.sketches(["a"], "random", 1)  # type: ignore[arg-type]
    with pytest.raises(OptionError, match="recipe is of simhash, but signatures and sketches"):
        ilk.minhash.signatures(["a"], SIMILARITY_INDEX)
    one, other = (
        ilk.minhash.signatures(["a b c"], size=5),
        ilk.minhash.signatures(["a b c"], size=6),
    )
    with pytest.raises(ColumnTypeError, match="1 signatures of 5 minima .* 1 of 6"):
        ilk.minhash.resemblance(one, other)
    with pytest.raises(ColumnTypeError, match="expected a column of signatures, got uint64"):
        ilk.minhash.resemblance(ilk.fingerprint(["a b c"]), one)
    with pytest.raises(ColumnTypeError, match="expected a column of signatures, got .*list"):
        ilk.minhash.resemblance([1], one)
