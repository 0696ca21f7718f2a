"""An index of sets finds every one that shares enough, whatever has come and gone."""

from __future__ import annotations

from collections.abc import Collection
from fractions import Fraction

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from ilk._kernels import SetIndex
from ilk.base.errors import IdError
from ilk.search.measures import kernel_ratio
from ilk.store.set_indexes import Packed

#: 64-bit hashes; those that agree in the upper half fall together.
HASHES = st.one_of(st.integers(0, 40), st.integers(0, 2**64 - 1)).flatmap(
    lambda n: st.sampled_from([n << 32 & (1 << 64) - 1, n])
)
SHARED = st.sampled_from([number << 32 | low for number in range(12) for low in (0, 1)])
WHOLE = st.frozensets(st.one_of(SHARED, SHARED, SHARED, HASHES), max_size=20)
PARTS = st.one_of(
    st.sampled_from([Fraction(4, 5), Fraction(1, 2), Fraction(1), Fraction(1, 100)]),
    st.fractions(min_value="1e-9", max_value=1, max_denominator=10**30),
)


def packed(wholes: Collection[Collection[int]]) -> list[Packed]:
    """Sets of hashes, which the index compares by 32 bits."""
    numbers = (b"".join(value.to_bytes(8, "little") for value in sorted(whole)) for whole in wholes)
    return [Packed(values, wide=True) for values in numbers]


class Dictionary(RuleBasedStateMachine):
    """Any operations, beside the dictionary that the index should be."""

    @initialize(part=PARTS, sample=st.lists(WHOLE, max_size=5))
    def start(self, part: Fraction, sample: list[frozenset[int]]) -> None:
        self.part = part
        self.members: dict[int, frozenset[int]] = {}
        self.index = SetIndex(packed(sample), *kernel_ratio(part))

    @rule(given=st.dictionaries(st.integers(-3, 9), WHOLE, max_size=6))
    def add(self, given: dict[int, frozenset[int]]) -> None:
        entries = self.index.entries(packed(given.values()))
        if given.keys() & self.members.keys():
            with pytest.raises(IdError):
                self.index.add(entries, list(given))
            return
        self.index.add(entries, list(given))
        self.members |= given

    @rule(ids=st.sets(st.integers(-3, 9), max_size=3))
    def remove(self, ids: set[int]) -> None:
        if not ids <= self.members.keys():
            with pytest.raises(IdError):
                self.index.remove(list(ids))
            return
        self.index.remove(list(ids))
        for id_ in ids:
            del self.members[id_]

    @rule()
    def write_down(self) -> None:
        """An index of the same order takes over what this one keeps of every set."""
        entries = self.index.entries(packed(self.members.values()))
        self.index = SetIndex.in_order(self.index.order(), *kernel_ratio(self.part))
        self.index.add(entries, list(self.members))
        assert self.index.entries(packed(self.members.values())) == entries

    @rule(whole=WHOLE, part=PARTS, own=st.booleans(), held=st.booleans())
    def query(self, whole: frozenset[int], part: Fraction, own: bool, held: bool) -> None:
        asked = self.part if own else part
        if held and self.members:
            whole = next(iter(self.members.values()))
        found = self.index.query(packed([whole])[0], *kernel_ratio(asked))
        assert found == sorted(set(found))
        expected = {
            id_
            for id_, other in self.members.items()
            if whole & other and len(whole & other) >= asked * max(len(whole), len(other))
        }
        assert expected <= set(found)
        if own:
            upper = {value >> 32 for value in whole}
            assert all(upper & {value >> 32 for value in self.members[id_]} for id_ in found)

    @invariant()
    def sizes_agree(self) -> None:
        if hasattr(self, "index"):
            assert len(self.index) == len(self.members)
            assert all(id_ in self.index for id_ in self.members)


@pytest.mark.parametrize("order", [b"", bytes(100), bytes(513)])
def test_what_is_no_order_is_refused(order: bytes) -> None:
    with pytest.raises(ValueError, match="no order"):
        SetIndex.in_order(order, 1, 2)


@pytest.mark.parametrize("entry", [b"", bytes(35), bytes(37), bytes(40)])
def test_what_is_no_entry_is_refused(entry: bytes) -> None:
    index = SetIndex([], 1, 2)
    for entries in ([entry], []):
        with pytest.raises(ValueError, match="an entry for each id"):
            index.add(entries, [1])
    assert len(index) == 0


TestDictionary = Dictionary.TestCase
TestDictionary.settings = settings(max_examples=60, stateful_step_count=25)
