"""An index answers as a linear scan does, whatever has come and gone."""

from __future__ import annotations

import random
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

import ilk
from ilk import arrow
from ilk.base.errors import ColumnTypeError, IdError, OptionError
from tests.support import strategies

IDS = st.one_of(st.integers(0, 30), st.integers(-(2**63), 2**63 - 1))


def handed(values: list[int | None], bits: int) -> pa.Array:
    if bits == 64:
        return pa.array(values, pa.uint64())
    return pa.array([None if v is None else v.to_bytes(16) for v in values], pa.binary(16))


def one(value: int, bits: int) -> Any:
    return value if bits == 64 else value.to_bytes(16)


def scan(members: dict[int, int], query: int, radius: int) -> list[tuple[int, int]]:
    """What is near, as (id, distance), by a look at everything."""
    distances = ((id_, (value ^ query).bit_count()) for id_, value in members.items())
    return sorted((f for f in distances if f[1] <= radius), key=lambda f: (f[1], f[0]))


class Dictionary(RuleBasedStateMachine):
    """Any operations, beside the dictionary that the index should be."""

    members: dict[int, int]

    @initialize(data=st.data(), bits=st.sampled_from([64, 128]))
    def start(self, data: st.DataObject, bits: int) -> None:
        self.bits, self.members = bits, {}
        self.radius = data.draw(st.integers(0, bits), "radius")
        self.index = ilk.hamming.Index(handed([], bits), self.radius)

    def values(self, data: st.DataObject, count: int) -> list[int]:
        value = strategies.fingerprints_of(self.bits)
        if self.members:
            value = st.one_of(value, st.sampled_from(sorted(self.members.values())))
        return data.draw(st.lists(value, min_size=count, max_size=count), "fingerprints")

    @rule(data=st.data(), ids=st.lists(IDS, max_size=12))
    def add(self, data: st.DataObject, ids: list[int]) -> None:
        values = self.values(data, len(ids))
        if len({*ids, *self.members}) < len(ids) + len(self.members):
            with pytest.raises(IdError):
                self.index.add(handed([*values], self.bits), ids)
            return
        added = self.index.add(handed([*values], self.bits), ids)
        assert added.to_pylist() == ids
        self.members |= zip(ids, values, strict=True)

    @precondition(lambda self: max(self.members, default=0) < 2**62)
    @rule(data=st.data(), count=st.integers(0, 4))
    def add_numbered(self, data: st.DataObject, count: int) -> None:
        values = self.values(data, count)
        try:
            added = self.index.add(handed([*values], self.bits)).to_pylist()
        except IdError:  # A number as large as there are may have come and gone.
            return
        assert added == sorted(set(added) - {*self.members})
        self.members |= zip(added, values, strict=True)

    @rule(data=st.data(), others=st.lists(IDS, max_size=1))
    def remove(self, data: st.DataObject, others: list[int]) -> None:
        known = st.sampled_from([*sorted(self.members), 31])
        ids = data.draw(st.lists(known, max_size=9), "ids") + others
        if len({*ids} & {*self.members}) < len(ids):
            with pytest.raises(IdError):
                self.index.remove(ids)
            return
        self.index.remove(ids)
        for id_ in ids:
            del self.members[id_]

    @rule(data=st.data())
    def query(self, data: st.DataObject) -> None:
        radius = data.draw(st.integers(0, self.bits), "radius")
        queries = self.values(data, 3)
        expected = [scan(self.members, query, radius) for query in queries]
        found = [self.index.query(one(query, self.bits), radius) for query in queries]
        assert found == expected
        own = [self.index.query(one(query, self.bits)) for query in queries]
        assert own == [scan(self.members, query, self.radius) for query in queries]
        many = self.index.query_many(handed([None, *queries], self.bits), radius)
        rows = [(at, *near) for at, answers in enumerate(expected, 1) for near in answers]
        assert list(zip(*(c.to_pylist() for c in many.columns), strict=True)) == rows
        if rows:
            with pytest.raises(ilk.TooManyPairs) as refused:
                self.index.query_many(handed([*queries], self.bits), radius, max_pairs=0)
            assert refused.value.count == len(rows)

    @invariant()
    def sizes_agree(self) -> None:
        if hasattr(self, "index"):
            assert len(self.index) == len(self.members)
            assert all(id_ in self.index for id_ in self.members)


TestDictionary = Dictionary.TestCase
TestDictionary.settings = settings(max_examples=60, stateful_step_count=25)


@pytest.mark.long
def test_many_more_operations() -> None:
    more = settings(max_examples=10_000, stateful_step_count=60)
    run_state_machine_as_test(Dictionary, settings=more)


@pytest.mark.parametrize(
    ("bits", "width", "radius"),
    [(64, 64, 3), (64, 64, 6), (64, 64, 10), (64, 32, 3), (128, 128, 6), (128, 128, 12)],
)
def test_planted_neighbours_among_many_are_all_found(bits: int, width: int, radius: int) -> None:
    """More than any small index takes a short cut for; what grew is what was built at once."""
    draw = random.Random(radius)
    values = [draw.getrandbits(width) for _ in range(40_000)]
    built = ilk.hamming.Index(handed([*values], bits), radius)
    grown = ilk.hamming.Index(handed([], bits), radius)
    for start in range(0, len(values), 1500):
        grown.add(handed([*values[start : start + 1500]], bits))
    gone = draw.sample(range(len(values)), 10_000)
    for index in (built, grown):
        index.remove(gone)
    members = {row: values[row] for row in sorted({*range(len(values))} - {*gone})}
    queries = []
    for row in draw.sample(range(len(values)), 150):
        flips = draw.sample(range(width), draw.randrange(radius + 1))
        queries.append(values[row] ^ sum(1 << bit for bit in flips))
    assert built.query_many(handed([*queries], bits)) == grown.query_many(handed([*queries], bits))
    for query in queries[:20]:
        assert built.query(one(query, bits)) == scan(members, query, radius)


@given(
    st.lists(st.one_of(st.none(), strategies.fingerprints), max_size=20), strategies.fingerprints
)
def test_ids_are_row_numbers_and_nulls_have_them_too(values: list[int | None], query: int) -> None:
    index = ilk.hamming.Index(values, 64)
    assert len(index) == sum(value is not None for value in values)
    expected = scan({row: v for row, v in enumerate(values) if v is not None}, query, 64)
    assert index.query(query) == expected
    assert index.query(query - (1 << 64) if query >> 63 else query) == expected
    assert index.add(query).to_pylist() == [len(values)]


def test_threads_ask_while_one_changes() -> None:
    """Every answer is from before or from after a change: a family comes and goes as a whole."""
    draw = np.random.default_rng(3)
    index = ilk.hamming.Index(draw.integers(0, 2**64, 50_000, np.uint64), 3)
    family = [1 << bit for bit in range(0, 64, 2)]
    ids = list(range(10**6, 10**6 + len(family)))
    others = dict(index.query(0))
    seen: set[int] = set()
    stop = threading.Event()
    wrong: list[object] = []

    def ask() -> None:
        while not stop.is_set():
            found = [id_ for id_, _ in index.query(0) if id_ not in others]
            many = index.query_many([0, 0])
            if found not in ([], ids) or len({*many["query"].to_pylist()}) not in (0, 2):
                wrong.append(found)
            seen.add(len(found))

    readers = [threading.Thread(target=ask) for _ in range(3)]
    for reader in readers:
        reader.start()
    for _ in range(10_000):
        index.add(family, ids)
        index.remove(ids)
        if seen == {0, len(ids)}:
            break
    stop.set()
    for reader in readers:
        reader.join()
    assert wrong == []
    assert seen == {0, len(ids)}


def test_threads_that_add_take_numbers_of_their_own() -> None:
    index = ilk.hamming.Index([], 1)
    with ThreadPoolExecutor(8) as threads:
        numbered = list(threads.map(lambda each: index.add([each])[0].as_py(), range(2_000)))
    assert sorted(numbered) == list(range(2_000))
    assert all((numbered[each], 0) in index.query(each, 0) for each in range(2_000))


def test_a_million_copies_cost_one_search_and_little_memory() -> None:
    index = ilk.hamming.Index(pa.repeat(pa.scalar(5, pa.uint64()), 1_000_000), 3)
    assert index.query(1 << 60 | 5 << 30) == []
    assert index.nbytes < 80e6
    with pytest.raises(ilk.TooManyPairs):
        index.query_many([5], max_pairs=999_999)
    index.remove(range(1, 1_000_000))
    assert index.query(4) == [(0, 1)]


def test_what_does_not_belong_is_refused_and_changes_nothing() -> None:
    recipe = "simhash64/words=1/weight=log/fold/min=3/ilk64/v0"
    schema = pa.schema([pa.field("fingerprint", pa.uint64(), metadata={arrow.RECIPE_KEY: recipe})])
    table = pa.table([pa.array([1, 2], pa.uint64())], schema=schema)
    index = ilk.hamming.Index(table, 4)
    assert index.recipe == recipe
    other = schema.field(0).with_metadata({arrow.RECIPE_KEY: "another"})
    for call in (index.add, index.query_many):
        with pytest.raises(ilk.RecipeMismatch, match="another"):
            call(table.cast(pa.schema([other])))
        with pytest.raises(ilk.RecipeMismatch, match="128 bits do not fit an index of 64"):
            call([bytes(16)])
    refused: list[tuple[type[Exception], str, Callable[[], object]]] = [
        (OptionError, "from 0 to 64", lambda: index.query(1, radius=65)),
        (OptionError, "from 0 to 64", lambda: index.query_many([1], radius=-1)),
        (OptionError, "from 0 to 64", lambda: ilk.hamming.Index([1], 65)),
        (OptionError, "2 fingerprints but 1 ids", lambda: index.add([1, 2], [5])),
        (ColumnTypeError, "an integer", lambda: index.query(bytes(16))),
        (ColumnTypeError, "an integer", lambda: index.query(True)),
        (ColumnTypeError, "64 bits", lambda: index.query(1 << 64)),
        (ColumnTypeError, "16 bytes", lambda: ilk.hamming.Index([bytes(16)], 4).query(1)),
        (ColumnTypeError, "an id is null", lambda: index.add([1, 2], [5, None])),
        (ColumnTypeError, "whole numbers", lambda: index.remove(["a"])),
        (ColumnTypeError, "whole numbers", lambda: index.remove([1.5])),
        (ColumnTypeError, "64 bits", lambda: index.remove([1 << 63])),
        (ColumnTypeError, "whole numbers", lambda: index.remove(True)),
        (IdError, "the id 7 is not in", lambda: index.remove([0, 7])),
        (IdError, "the id 0 is not in the index, or was given twice", lambda: index.remove([0, 0])),
        (IdError, "the id 1 is in the index already", lambda: index.add([1, 2], [5, 1])),
    ]
    for error, message, call_ in refused:
        with pytest.raises(error, match=message):
            call_()
    assert len(index) == 2
    assert 5 not in index
    assert "text" not in index
    assert (1 << 70) not in index
    assert index.query(1) == [(0, 0), (1, 2)]


def test_an_index_of_nothing_holds_what_its_column_says() -> None:
    assert ilk.hamming.Index([], 3).query(0) == []
    wide = ilk.hamming.Index(pa.array([], pa.binary(16)), 3)
    wide.add([None, bytes(16)])
    assert wide.query(bytes(16)) == [(1, 0)]
    assert repr(wide) == "<ilk.hamming.Index of 1 fingerprints of 128 bits, radius 3>"
    wide.add(bytes(16), ids=2**63 - 2)
    assert wide.add(bytes(16)).to_pylist() == [2**63 - 1]
    assert wide.add([]).to_pylist() == []
    with pytest.raises(IdError, match="give ids"):
        wide.add(bytes(16))
