"""What the shingle sets may take, and what happens when they need more."""

from __future__ import annotations

import pytest

import ilk
from ilk.errors import OptionError
from ilk.options.table import default
from ilk.system.running import Running

TEXTS = [f"{' '.join(f'word{i}' for i in range(60))} {end}" for end in ("one", "two", "three")]


def test_memory_is_as_said_or_half_of_what_is_free() -> None:
    assert Running.of(memory="1.5GB").memory == 1_500_000_000
    assert 0 < Running.of().memory < 10**15
    with pytest.raises(OptionError, match="memory is 'two'; .* a size such as"):
        Running.of(memory="two")


def test_sets_that_do_not_fit_are_paired_by_fingerprint_and_it_is_said() -> None:
    exact, nominated = ilk.find(TEXTS), ilk.find(TEXTS, memory=10)
    assert exact.report["pairing"] == "exact"
    assert exact.report["promise"] == "exact: every pair at resemblance >= 0.8 is here"
    assert nominated.report["pairing"] == "fingerprint"
    assert nominated.report["expected_recall"] >= default("recall")
    assert "expected to find" in nominated.report["promise"]
    assert nominated.pairs.equals(exact.pairs)


def test_the_exact_pairing_by_name_is_refused_with_what_it_needs() -> None:
    with pytest.raises(OptionError, match="needs about .* memory allows"):
        ilk.find(TEXTS, memory=10, pairing="exact")
