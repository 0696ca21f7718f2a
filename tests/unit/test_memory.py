"""What the shingle sets may take, and what happens when they need more."""

from __future__ import annotations

from typing import Any

import pytest

import ilk
from ilk.errors import OptionError
from ilk.search import planning
from ilk.system import resources

TEXTS = [f"{' '.join(f'word{i}' for i in range(60))} {end}" for end in ("one", "two", "three")]


@pytest.mark.parametrize(
    ("said", "count"),
    [("2GB", 2 * 10**9), ("500 mb", 5 * 10**8), ("1.5k", 1500), (7, 7), ("0", 0), ("1T", 10**12)],
)
def test_sizes(said: Any, count: int) -> None:
    assert resources.allowed(said, "memory") == count


def test_half_of_what_is_free() -> None:
    assert 0 < resources.allowed(None, "memory") < 10**15


@pytest.mark.parametrize("said", ["", "GB", "-1", "two", "1e9", 1.5j, True, "9" * 5000])
def test_what_is_no_size_is_refused(said: Any) -> None:
    with pytest.raises(OptionError, match="memory is .* a size such as"):
        resources.allowed(said, "memory")


def test_sets_that_do_not_fit_are_paired_by_fingerprint_and_it_is_said() -> None:
    exact, nominated = ilk.find(TEXTS), ilk.find(TEXTS, memory=10)
    assert exact.report["pairing"] == "exact"
    assert exact.report["promise"] == "exact: every pair at resemblance >= 0.8 is here"
    assert nominated.report["pairing"] == "fingerprint"
    assert nominated.report["expected_recall"] >= planning.RECALL
    assert "expected to find" in nominated.report["promise"]
    assert nominated.pairs.equals(exact.pairs)


def test_the_exact_pairing_by_name_is_refused_with_what_it_needs() -> None:
    with pytest.raises(OptionError, match="needs about .* allows 10 bytes"):
        ilk.find(TEXTS, memory=10, pairing="exact")
