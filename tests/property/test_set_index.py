"""An index of sets finds every one that shares enough, whatever has come and gone."""

from __future__ import annotations

from collections.abc import Collection
from fractions import Fraction

import pyarrow as pa
import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from ilk import columns
from ilk.errors import IdError, TooManyPairs
from ilk.pairing.set_index import SetIndex, Sets

#: 64-bit hashes, of which those that agree in the upper half fall together.
HASHES = st.one_of(st.integers(0, 40), st.integers(0, 2**64 - 1)).flatmap(
    lambda n: st.sampled_from([n << 32 & (1 << 64) - 1, n])
)
SHARED = st.sampled_from([number << 32 | low for number in range(12) for low in (0, 1)])
WHOLE = st.frozensets(st.one_of(SHARED, SHARED, SHARED, HASHES), max_size=20)
PARTS = st.one_of(
    st.sampled_from([Fraction(4, 5), Fraction(1, 2), Fraction(1), Fraction(1, 100)]),
    st.fractions(min_value="1e-9", max_value=1, max_denominator=10**30),
)


def sets(wholes: Collection[Collection[int]]) -> Sets:
    """Sets of hashes, cut to 32 bits."""
    cut = [sorted({value >> 32 for value in whole}) for whole in wholes]
    merged = [len(whole) - len(ids) for whole, ids in zip(wholes, cut, strict=True)]
    return Sets(pa.array(cut, columns.SETS), pa.array(merged, pa.uint32()))


class Dictionary(RuleBasedStateMachine):
    """Any operations, beside the dictionary that the index should be."""

    @initialize(part=PARTS, sample=st.lists(WHOLE, max_size=5))
    def start(self, part: Fraction, sample: list[frozenset[int]]) -> None:
        self.part = part
        self.members: dict[int, frozenset[int]] = {}
        self.index = SetIndex(part, sets(sample).values)

    @rule(given=st.dictionaries(st.integers(-3, 9), WHOLE, max_size=6))
    def add(self, given: dict[int, frozenset[int]]) -> None:
        ids = pa.array(given, pa.int64())
        if given.keys() & self.members.keys():
            with pytest.raises(IdError):
                self.index.add(sets(given.values()), ids)
            return
        self.index.add(sets(given.values()), ids)
        self.members |= given

    @rule(ids=st.sets(st.integers(-3, 9), max_size=3))
    def remove(self, ids: set[int]) -> None:
        if not ids <= self.members.keys():
            with pytest.raises(IdError):
                self.index.remove(pa.array(ids, pa.int64()))
            return
        self.index.remove(pa.array(ids, pa.int64()))
        for id_ in ids:
            del self.members[id_]

    @rule(wholes=st.lists(WHOLE, max_size=3), part=PARTS, own=st.booleans())
    def query(self, wholes: list[frozenset[int]], part: Fraction, own: bool) -> None:
        asked = self.part if own else part
        wholes += [*self.members.values()][:3]
        found = self.index.query(sets(wholes), asked)
        pairs = list(zip(*found.to_pydict().values(), strict=True))
        assert pairs == sorted(set(pairs))
        expected = {
            (row, id_)
            for row, whole in enumerate(wholes)
            for id_, other in self.members.items()
            if whole & other and len(whole & other) >= asked * max(len(whole), len(other))
        }
        assert expected <= set(pairs)
        if own:
            assert all(
                {v >> 32 for v in wholes[r]} & {v >> 32 for v in self.members[i]} for r, i in pairs
            )
        if pairs:
            with pytest.raises(TooManyPairs):
                self.index.query(sets(wholes), asked, len(pairs) - 1)

    @invariant()
    def sizes_agree(self) -> None:
        if hasattr(self, "index"):
            assert len(self.index) == len(self.members)
            assert all(id_ in self.index for id_ in self.members)


TestDictionary = Dictionary.TestCase
TestDictionary.settings = settings(max_examples=60, stateful_step_count=25)
