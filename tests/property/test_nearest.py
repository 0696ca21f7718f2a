"""The nearest documents of a store are the first of all that share anything, sorted."""

from __future__ import annotations

import tempfile
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import ilk
from ilk.base.errors import OptionError
from tests.reference import text as reference
from tests.support import strategies
from tests.support.fixtures import examples
from tests.support.stores import LONG

TEXTS = st.one_of(
    strategies.relative(),
    strategies.relative((60, 75, 90)),
    st.sampled_from(["", " \n", "!", "to be", "TO be", "10 of 12", "-102 of 12"]),
)


def _resemblance(left: str, right: str) -> Fraction:
    """Return what two texts share, by the naive oracle; 0 if either is blank."""
    if not reference.digested(left) or not reference.digested(right):
        return Fraction(0)
    if reference.digested(left) == reference.digested(right):
        return Fraction(1)
    shared, first, second = reference.resemblance(left, right)
    return Fraction(shared, max(1, first + second - shared))


@examples(25)
@example(["to be", "to be or", "to be or not"], "to be or not", 2, True, 1)
@given(
    st.lists(TEXTS, min_size=1, max_size=12),
    TEXTS,
    st.integers(1, 8),
    st.booleans(),
    st.integers(1, 100),
)
def test_the_nearest_are_the_first_of_all_sorted(
    texts: list[str], asked: str, count: int, exact: bool, measured: int
) -> None:
    """Also of copies, with few measured at a time, and of a stored document without itself."""
    with (
        tempfile.TemporaryDirectory() as folder,
        ilk.Store(Path(folder, "a.ilk"), exact=exact, resemblance=0.7, jobs=1) as store,
    ):
        store.add_many([*texts, asked])
        store.remove(len(texts))
        index = store._open_store.index
        index.sizes = replace(index.sizes, max_pairs=measured)
        shares = {id_: _resemblance(asked, text) for id_, text in enumerate(texts)}
        sorted_shares = sorted((float(one) for one in shares.values() if one), reverse=True)
        near = store.check([asked], nearest=count, containment=None)
        assert [one.resemblance for one in near] == sorted_shares[:count]
        for one in near:
            assert one.resemblance == float(shares[one.id])
            like = shares[one.id] >= Fraction("0.7")
            assert like == (one.verdict != "different")
        every = store.check([asked], nearest=len(texts))
        assert store.check([asked], nearest=count) == every[:count]
        beside = store.similar(0, nearest=count)
        others = [one for one in store.check([texts[0]], nearest=len(texts)) if one.id != 0]
        assert beside == others[:count]


def test_what_the_index_does_not_nominate_may_be_nearer(tmp_path: Path) -> None:
    """Of parts of a text, below the resemblance of the store, it nominates one and not another."""
    words = LONG.split()
    sizes = [size for size in range(150, 180, 2) for _ in range(0, 200 - size, 5)]
    starts = [start for size in range(150, 180, 2) for start in range(0, 200 - size, 5)]
    parts = [
        " ".join(words[start : start + size]) for start, size in zip(starts, sizes, strict=True)
    ]
    # A part of n words has n - 2 of the 198 shingles.
    shares = sorted(((size - 2) / 198 for size in sizes), reverse=True)
    with ilk.Store(tmp_path / "a.ilk", exact=True, resemblance=0.9) as store:
        store.add_many(parts)
        for count in (1, 17, 30, 60):
            near = store.check(LONG, nearest=count)
            assert [one.resemblance for one in near] == shares[:count]


def test_a_threshold_beside_the_nearest_is_refused(tmp_path: Path) -> None:
    with ilk.Store(tmp_path / "a.ilk") as store:
        given: list[dict[str, Any]] = [{"resemblance": 0.9}, {"radius": 3}, {"similarity": "90%"}]
        for one in given:
            (name,) = one
            with pytest.raises(OptionError, match=f"`{name}` has no effect with `nearest`"):
                store.check(["to be or not to be"], nearest=2, **one)
        with pytest.raises(OptionError, match="nearest is 0"):
            store.check(["to be or not to be"], nearest=0)
