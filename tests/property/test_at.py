"""A result at a higher resemblance equals a new search at it, and reads nothing again."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import ilk
from ilk.base.errors import OptionError
from tests.support import strategies
from tests.support.fixtures import examples
from tests.support.table_texts import text_table

several = st.one_of(strategies.relatives(), strategies.relatives(2, 3, 9))
levels = st.lists(st.sampled_from([0.5, 0.7, 0.8, 0.9, 1.0]), min_size=2, max_size=2).map(sorted)


def same(one: ilk.Result, other: ilk.Result) -> None:
    """Everything that two results say is the same, but how long it took."""
    assert one.clusters.equals(other.clusters)
    assert one.contained_pairs.equals(other.contained_pairs)
    assert one.pairs.equals(other.pairs)
    assert one.dropped_rows.equals(other.dropped_rows)
    assert one.keep_mask.equals(other.keep_mask)
    assert one.labels().equals(other.labels())
    assert one.families == other.families
    assert one.report | {"seconds": {}} == other.report | {"seconds": {}}


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"containment": 0.9},
        {"linkage": "connected"},
        {"keep": ["central", "longest"]},
        {"pairing": "fingerprint"},
        {"radius": 12},
        {"noise": "5%"},
    ],
    ids=str,
)
@examples(25)
@given(several, levels)
def test_a_search(options: dict[str, Any], texts: list[str | None], both: list[float]) -> None:
    low, high = both
    found = ilk.find(text_table(texts), resemblance=low, **options)
    same(found.at(high), ilk.find(text_table(texts), resemblance=high, **options))


@pytest.mark.parametrize(
    "options", [{}, {"keep_numbers_only": True}, {"pairing": "fingerprint"}], ids=str
)
@examples(25)
@given(several, levels, st.integers(0, 3))
def test_a_deduplication_against_others(
    options: dict[str, Any], texts: list[str | None], both: list[float], held: int
) -> None:
    held = max(0, min(held, len(texts) - 1))
    if not any((text or "").strip() for text in texts[:held]):
        held = 0  # A reference without a text is refused.
    others = text_table(texts[:held]) if held else None

    def decided(least: float) -> ilk.Result:
        own = text_table(texts[held:])
        return ilk.deduplicate(own, resemblance=least, against=others, **options)

    same(decided(both[0]).at(both[1]), decided(both[1]))


def test_files_are_not_read_again(tmp_path: Any) -> None:
    words = [f"word{number}" for number in range(100)]
    for name, count in (("a", 100), ("b", 92), ("c", 84)):
        (tmp_path / name).write_text(" ".join(words[:count]))
    found = ilk.find(tmp_path)
    for name in "abc":
        (tmp_path / name).unlink()
    assert [len(found.at(least)) for least in (0.8, 0.9, "95%")] == [1, 1, 0]
    assert [len(found.at(least).clusters) for least in (0.8, 0.9, 0.95)] == [3, 3, 0]
    assert len(found.at(0.915).clusters) == 2


def test_what_cannot_be_told_without_reading_is_refused() -> None:
    with pytest.raises(OptionError, match=r"below the 0\.8 of this result; search again"):
        ilk.find(["a b c"]).at(0.7)
    with pytest.raises(OptionError, match="resemblance is 2"):
        ilk.find(["a b c"]).at(2)
    equal = ilk.deduplicate(text_table(["a b c", "a b c"]), exact=True)
    with pytest.raises(OptionError, match="only equal texts"):
        equal.at(0.9)
    with pytest.raises(OptionError, match="only equal texts"):
        _ = equal.pairs
    assert equal.keep_mask.to_pylist() == [True, False]


def test_a_search_is_not_written() -> None:
    found = ilk.find(["a b c", "a b c"])
    assert found.keep_mask.to_pylist() == [True, False]
    assert found.dropped_rows["doc"].to_pylist() == [1]
    assert not hasattr(found, "write")
