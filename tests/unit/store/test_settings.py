"""The settings of a store are checked like any input, and a flipped bit of them is noticed."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from ilk.base.errors import IlkError, StoreDamaged, StoreFormatError
from ilk.store import Store
from ilk.store.db import settings
from tests.support.stores import LONG, OTHER, raw

TEXTS = [LONG, f"{LONG} more", OTHER, "to be or not to be", "To be or not to be"]


def made(path: Path, *, exact: bool) -> None:
    with Store(path, texts=True, exact=exact, jobs=1) as store:
        store.add_many(TEXTS)
        store.add(f"{OTHER} 7", on_duplicate="link")


def told(path: Path) -> tuple[list[str], list[Any]]:
    """What validation finds in a store, and what the store says."""
    with Store(path, create=False, jobs=1) as store:
        problems = store.validate().problems
        counted = {**store.stats(), "index_bytes": 0}
        asked = [store.check(text) for text in [*TEXTS, "nothing like it"]]
        # When a document changed, and what it was linked to, is noted beside its evidence.
        records = [replace(record, updated=record.added, duplicate_of=None) for record in store]
        return problems, [records, store.clusters(), counted, asked]


def pages(path: Path, tables: list[str] | None) -> list[range]:
    """Where the pages of some tables stand in a file, or all of them."""
    with raw(path) as connection:
        (size,) = connection.execute("PRAGMA page_size").fetchone()
        (count,) = connection.execute("PRAGMA page_count").fetchone()
        roots = dict(connection.execute("SELECT name, rootpage FROM sqlite_schema"))
    numbers = range(1, count + 1) if tables is None else [roots[name] for name in tables]
    return [range((number - 1) * size, number * size) for number in numbers]


def flips(seed: int, count: int, where: list[range]) -> Iterator[tuple[int, int]]:
    draw = random.Random(seed)
    for _ in range(count):
        yield draw.choice(draw.choice(where)), 1 << draw.randrange(8)


def check_flips(path: Path, seed: int, count: int, tables: list[str] | None, exact: bool) -> int:
    """Flip bits, one at a time; how many were noticed."""
    made(path, exact=exact)
    where = pages(path, tables)
    sound = path.read_bytes()
    problems, expected = told(path)
    assert problems == []
    noticed = 0
    for at, bit in flips(seed, count, where):
        broken = bytearray(sound)
        broken[at] ^= bit
        path.write_bytes(broken)
        for left in (f"{path}-wal", f"{path}-shm"):
            Path(left).unlink(missing_ok=True)
        try:
            problems, found = told(path)
        except IlkError:
            noticed += 1
        else:
            # What nobody notices changes no answer: it stands in free space.
            noticed += bool(problems)
            assert problems or found == expected, (at, bit)
    return noticed


@pytest.mark.parametrize("exact", [False, True])
def test_a_flipped_bit_of_the_settings_is_noticed_or_changes_nothing(
    path: Path, exact: bool
) -> None:
    assert check_flips(path, 2, 50, ["settings"], exact) > 0


def test_any_flipped_bit_is_noticed_or_an_error(path: Path) -> None:
    noticed = check_flips(path, 3, 60, None, True)
    assert noticed > 0


@pytest.mark.long
@pytest.mark.parametrize("seed", range(10))
@pytest.mark.parametrize("tables", [["settings"], None])
def test_many_flipped_bits(path: Path, tables: list[str] | None, seed: int) -> None:
    check_flips(path, seed, 300, tables, seed % 2 == 0)


#: Values that no store writes, and the error each ends in.
WRONG: dict[str, list[Any]] = {
    "recipe": ["minhash9", "", 7, None, b"\xff"],
    "radius": [-1, 129, "x", None, 1.5],
    "resemblance": ["0", "-1/2", "2", "1/0", "", 0.8, None, b"1/2"],
    "shingle": [-3, 0, "x", None, 10**9],
    "texts": [2, "yes", None],
    "exact": [-1, None],
}


@pytest.mark.parametrize(("name", "value"), [(n, v) for n, vs in WRONG.items() for v in vs])
def test_a_setting_that_nobody_may_choose_is_refused(path: Path, name: str, value: Any) -> None:
    Store(path).close()
    with raw(path) as connection:
        settings.write_setting_or_counter(connection, name, value)
    with pytest.raises(StoreFormatError, match=f"the setting {name} of the store is"):
        Store(path)


@pytest.mark.parametrize("name", ["generation", "next_id", "documents"])
@pytest.mark.parametrize("value", [-1, 1 << 62, "7", None, 1.0])
def test_a_count_out_of_bounds_is_refused(path: Path, name: str, value: Any) -> None:
    Store(path).close()
    with raw(path) as connection:
        settings.write_setting_or_counter(connection, name, value)
    with pytest.raises(StoreDamaged, match=f"the setting {name}"):
        Store(path)


@pytest.mark.parametrize("name", ["recipe", "radius", "texts", "exact", "next_id", "documents"])
def test_a_setting_that_is_changed_or_missing_is_damage(path: Path, name: str) -> None:
    Store(path).close()
    with raw(path) as connection:
        connection.execute("UPDATE settings SET value = 1 WHERE name = ?", (name,))
    with pytest.raises(StoreDamaged, match=f"the setting {name} .*backup"):
        Store(path)
    with raw(path) as connection:
        connection.execute("DELETE FROM settings WHERE name = ?", (name,))
    with pytest.raises(StoreDamaged, match=f"the setting {name} .*backup"):
        Store(path)
