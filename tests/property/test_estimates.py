"""What fingerprints tell of the sets and vectors behind them is as near as theory says."""

from __future__ import annotations

import math
import random
import re
import sysconfig
from pathlib import Path

import numpy as np
import pytest

import ilk
from ilk.fingerprints.recipe_options import WIDTHS

#: Pairs of sets per resemblance: their root mean square error varies by 2 % then.
PAIRS = 1200


def _bits(texts: list[str], recipe: ilk.Recipe) -> np.ndarray:
    """Fingerprints as rows of bits, the lowest first."""
    values = (v if isinstance(v, bytes) else v.to_bytes(8) for v in _prints(texts, recipe))
    rows = np.frombuffer(b"".join(values), np.uint8).reshape(len(texts), -1)
    return np.unpackbits(rows, axis=1)[:, ::-1][:, : recipe.bits]


def _prints(texts: list[str], recipe: ilk.Recipe) -> list[int | bytes]:
    return list(ilk.fingerprint(texts, recipe, jobs=2).to_pylist())


def _pair(shared: int, own: int, draw: random.Random) -> tuple[str, str]:
    """Two texts of distinct words, some of them shared."""
    words = [f"{draw.getrandbits(40):x}" for _ in range(shared + 2 * own)]
    return " ".join(words[: shared + own]), " ".join(words[:shared] + words[shared + own :])


@pytest.mark.parametrize("bits", WIDTHS["minhash"])
@pytest.mark.parametrize(("shared", "own"), [(30, 35), (50, 25), (70, 15), (90, 5), (900, 50)])
def test_the_error_of_the_resemblance_is_that_of_theory(bits: int, shared: int, own: int) -> None:
    """1 - 2 d / K varies by (1 - R^2) / K (Li and Koenig 2010, section 2)."""
    exact = shared / (shared + 2 * own)
    draw = random.Random(shared)
    pairs = [_pair(shared, own, draw) for _ in range(PAIRS)]
    recipe = ilk.Recipe(bits=bits, width=1)
    left, right = (_bits([pair[side] for pair in pairs], recipe) for side in (0, 1))
    errors = 1 - 2 * (left != right).mean(axis=1) - exact
    theory = math.sqrt((1 - exact**2) / bits)
    assert math.sqrt((errors**2).mean()) < 1.1 * theory
    assert abs(errors.mean()) < 4 * theory / math.sqrt(PAIRS)


@pytest.mark.parametrize("kind", WIDTHS)
def test_the_bits_of_natural_features_are_balanced_and_independent_in_pairs(kind: str) -> None:
    """Of texts without a word in common, whose words differ in a few characters only."""
    texts = [" ".join(f"word{101 * i + j}" for j in range(101)) for i in range(10_000)]
    found = _bits(texts, ilk.Recipe(kind=kind, bits=128, width=1))
    signs = found.astype(np.float32) * 2 - 1
    deviations = (signs.T @ signs) / math.sqrt(len(texts))
    np.fill_diagonal(deviations, signs.sum(axis=0) / math.sqrt(len(texts)))
    # Of 8256 figures none is beyond 5.5 by chance once in 3000 hashes.
    assert np.abs(deviations).max() < 5.5
    distances = (found[: len(texts) // 2] != found[len(texts) // 2 :]).sum(axis=1)
    assert abs(distances.mean() - 64) < 5.5 * math.sqrt(32 / len(distances))
    assert abs(distances.std() / math.sqrt(32) - 1) < 0.06


def test_the_features_of_natural_words_are_balanced_and_independent_in_pairs() -> None:
    """Of the words of Python's own library; a text of one word has that word's feature."""
    library = Path(sysconfig.get_path("stdlib")).glob("*.py")
    sources = (path.read_text("utf-8", "replace").lower() for path in sorted(library))
    words = sorted({word for source in sources for word in re.findall("[a-z]+", source)})
    assert len(words) > 5000
    found = _bits(words, ilk.Recipe("simhash", 128, width=1, weight="binary", minimum=1))
    signs = found.astype(np.float32) * 2 - 1
    deviations = (signs.T @ signs) / math.sqrt(len(words))
    np.fill_diagonal(deviations, signs.sum(axis=0) / math.sqrt(len(words)))
    assert np.abs(deviations).max() < 5.5
    # Counted together, 128 bits deviate as chance has them do: their mean square is 1.
    assert abs((np.diag(deviations) ** 2).mean() - 1) < 5.5 * math.sqrt(2 / 128)
