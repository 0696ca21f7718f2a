"""What is repeated is the same however many parts it is looked for in, and wherever words stand."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ilk import _kernels, arrow
from ilk.base import resources
from ilk.base.run_options import ALONE, Running
from ilk.search.passage_parts import CollectedWords, PassageRule
from tests.support.fixtures import examples

texts = st.lists(st.lists(st.sampled_from("abcd"), max_size=30).map(" ".join), max_size=6)


def answers(found: Any) -> list[Any]:
    tables = (
        found.list_runs(),
        found.list_repeated_words_to_cut(),
        found.count_repeated_words_elsewhere_before_itself(),
    )
    return [found.count_words_of_documents().to_pylist(), *(table.to_pylist() for table in tables)]


def looked_for(documents: list[str], least: int, running: Running, **how: Any) -> Any:
    words = CollectedWords(PassageRule(least), running, **how)
    for document in documents:
        words.add_words_of(arrow.import_texts([document]))
    return words.find_repeated_and_release_words()


@examples(60)
@given(texts, st.integers(1, 6), st.integers(1, 7), st.integers(1, 3))
def test_parts_and_threads_change_nothing(
    documents: list[str], least: int, parts: int, jobs: int
) -> None:
    expected = answers(looked_for(documents, least, ALONE))
    # Words go into files a few at a time.
    found = looked_for(documents, least, Running(jobs, 0), parts=parts, piece=40)
    assert answers(found) == expected


def test_words_that_do_not_fit_stand_in_files(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every part takes the memory that is left; what is known of the words is held."""
    shared = [f"w{n} x{n % 7}" for n in range(400)]
    documents = [" ".join([*shared[at : at + 60], f"own{at} " * 9]) for at in range(0, 340, 3)]
    expected = answers(looked_for(documents, 20, ALONE))
    parts: list[int] = []
    copies = _kernels.find_copies

    def counted(*given: Any) -> Any:
        parts.append(given[4])
        return copies(*given)

    monkeypatch.setattr(_kernels, "find_copies", counted)
    held = resources.resident_memory_or_zero()
    monkeypatch.setattr(resources, "resident_memory_or_zero", lambda: held)
    found = looked_for(documents, 20, Running(2, held + 20_000), piece=1_000)
    assert answers(found) == expected
    assert parts[0] == len(parts) > 5


def test_columns_that_are_not_of_one_collection_are_refused() -> None:
    hashes, ends = pa.array([1, 2], pa.uint64()), pa.array([2], pa.uint64())
    grams = pa.array([0], pa.uint32())
    with pytest.raises(ValueError, match="differ in length"):
        _kernels.SelectedGrams(values=hashes, positions=grams)
    words = _kernels.DocumentWords(hashes=hashes, document_ends=ends)
    with pytest.raises(ValueError, match="not of these words"):
        _kernels.RepeatedRuns.from_copies(words, 2, [(grams, grams, grams)])
    selected = _kernels.SelectedGrams(values=hashes.slice(0, 1), positions=grams)
    with pytest.raises(ValueError, match="no such part"):
        _kernels.find_copies(words, selected, 2, 1, 1)
