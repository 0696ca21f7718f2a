"""The same vectors and the same searches on every database; each answer is brute force's."""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from typing import Any

import pytest
from databases import ClickHouse, Database, SQLite
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.reference.pairing import across, within
from tests.support import strategies

import ilk_sources as sql
from ilk_sources.databases import functions

_MASK = 2**64 - 1


def signed(bits: int) -> int:
    return bits - 2**64 if bits >> 63 else bits


class Column:
    """A table of one column of fingerprints, with the searches written for it."""

    def __init__(self, database: Database, name: str, kind: str) -> None:
        self.database = database
        self.name = name
        self.unsigned = "U" in kind.upper().removeprefix("NULLABLE(")[:1] or "UNSIGNED" in kind
        suffix = " ENGINE = MergeTree ORDER BY id" if isinstance(database, ClickHouse) else ""
        # BIGINT is known to all of them.
        database.run(f"CREATE TABLE t_{name} (id BIGINT, fp {kind}){suffix};")
        made = sql.parts(database.dialect, table=f"t_{name}", name=name)
        for part, text in made.items():
            if isinstance(database, SQLite) and part == "near":
                database.searches[name] = text
            else:
                database.run(text)

    def fill(self, values: Sequence[int | None]) -> None:
        """Replace the rows; the id of a row is ten times its number."""
        self.database.run(f"DELETE FROM t_{self.name} WHERE id >= 0;")
        rows = ", ".join(f"({10 * row}, {self._shown(bits)})" for row, bits in enumerate(values))
        if rows:
            self.database.run(f"INSERT INTO t_{self.name} VALUES {rows};")

    def _shown(self, bits: int | None) -> str:
        if bits is None:
            return "NULL"
        return str(bits if self.unsigned else signed(bits))


@pytest.fixture(scope="module")
def columns(database: Database) -> list[Column]:
    """A column of every type that holds 64 bits."""
    database.run(sql.parts(database.dialect).get("functions", ""))
    return [Column(database, f"near{i}", kind) for i, kind in enumerate(database.types)]


def one(database: Database, expression: str) -> Any:
    ((value,),) = database.rows(f"SELECT {expression}")
    return value


@pytest.mark.parametrize(
    ("a", "b", "distance"),
    [
        (0, 0, 0),
        (-1, 0, 64),
        (2**63 - 1, -(2**63), 64),
        (-(2**63), 0, 1),
        (1, 2, 2),
        # Roth 2013, section 2.2.2.
        (signed(0xA3DBF34F76EA0510), signed(0xA39BF85F76EA1510), 6),
    ],
)
def test_distances(database: Database, a: int, b: int, distance: int) -> None:
    database.run(sql.parts(database.dialect).get("functions", ""))
    assert one(database, f"hamming_distance({a}, {b})") == distance
    assert one(database, f"bit_agreement({a}, {b})") == 1 - distance / 64
    assert one(database, f"similarity({a}, {b})") == 1 - distance / 64
    assert one(database, f"hamming_distance({a}, NULL)") is None
    assert functions.hamming_distance(a, b) == distance


def test_an_unsigned_number_is_the_same_64_bits(database: Database) -> None:
    if len(database.types) == 1:
        pytest.skip(f"{database.dialect} has no unsigned type of 64 bits")
    database.run(sql.parts(database.dialect)["functions"])
    most = _MASK
    assert one(database, f"hamming_distance({most}, -1)") == 0
    assert one(database, f"hamming_distance({most}, 0)") == 64
    assert one(database, f"fingerprint_signed({most})") == -1
    assert one(database, f"fingerprint_to_hex({most})") == "f" * 16


@pytest.mark.parametrize(
    ("a", "b", "different"),
    [
        ("00100", "11100", 2),
        ("", "", 0),
        ("1", "", 1),
        ("", "101", 3),
        ("10", "1", 1),
        ("1 ", "1", 1),
        ("a", "A", 1),
        ("é", "e", 1),
        ("e\u0301x", "x", 3),
        ("漢字😀", "漢字", 1),
        ("it''s", "its", 2),
    ],
)
def test_strings_differ_by_characters(database: Database, a: str, b: str, different: int) -> None:
    database.run(sql.parts(database.dialect).get("functions", ""))
    assert one(database, f"ham_dist('{a}', '{b}')") == different
    assert one(database, f"ham_dist('{b}', '{a}')") == different
    assert one(database, f"HamDist('{a}', '{b}')") == different
    assert one(database, f"ham_dist(NULL, '{b}')") is None
    assert one(database, f"ham_dist('{a}', NULL)") is None


@pytest.mark.parametrize("bits", [0, 1, 2**63, 2**63 - 1, _MASK, 0x3F5D150F76495C83])
def test_digits_and_back(database: Database, bits: int) -> None:
    database.run(sql.parts(database.dialect).get("functions", ""))
    value = signed(bits)
    assert one(database, f"fingerprint_to_bits({value})") == f"{bits:064b}"
    assert one(database, f"fingerprint_to_hex({value})") == f"{bits:016x}"
    assert one(database, f"fingerprint_from_bits('{bits:064b}')") == value
    assert one(database, f"fingerprint_from_hex('{bits:016x}')") == value
    assert one(database, f"fingerprint_from_hex('{bits:016X}')") == value


@pytest.mark.parametrize(
    "call",
    [
        "fingerprint_from_bits('')",
        "fingerprint_from_bits('0101')",
        f"fingerprint_from_bits('{'0' * 63}2')",
        f"fingerprint_from_bits('{'0' * 65}')",
        f"fingerprint_from_bits('{'0' * 63}\n')",
        "fingerprint_from_hex('xyz')",
        f"fingerprint_from_hex('{'f' * 15}g')",
        f"fingerprint_from_hex('{'f' * 17}')",
        f"fingerprint_from_hex('{'f' * 16}\n')",
    ],
)
def test_other_strings_are_no_fingerprints(database: Database, call: str) -> None:
    database.run(sql.parts(database.dialect).get("functions", ""))
    with pytest.raises(database.errors) as raised:
        one(database, call)
    if database.dialect == "postgresql":
        # Its own words, and not those of a cast that fails.
        assert re.match("not (64 binary|16 hexadecimal) digits: ", str(raised.value))


def test_null_stays_null(database: Database) -> None:
    database.run(sql.parts(database.dialect).get("functions", ""))
    for name in ("to_bits", "from_bits", "to_hex", "from_hex"):
        assert one(database, f"fingerprint_{name}(NULL)") is None


def neighbours(seed: int, count: int) -> list[int | None]:
    """Fingerprints at every distance from 0 to 12 of a few others, nulls among them."""
    draw = random.Random(seed)
    found: list[int | None] = [None, 0, _MASK, 1 << 63, _MASK >> 1]
    while len(found) < count:
        origin = draw.getrandbits(64)
        found += [origin, origin]
        for distance in range(1, 13):
            mask = sum(1 << place for place in draw.sample(range(64), distance))
            found.append(origin ^ mask)
    return found


def test_every_radius_is_exact(database: Database, columns: list[Column]) -> None:
    values = neighbours(1, 300)
    queries = [12345, *[value for value in values if value is not None][::23]]
    for column in columns:
        column.fill(values)
        for radius in (0, 1, 2, 3, 4, 5, 6, 7, 8, 12, 64):
            expected = across(queries, values, radius)
            found = {
                (at, row // 10, distance)
                for at, query in enumerate(queries)
                for row, distance in database.near(column.name, signed(query), radius)
            }
            assert found == set(expected)
            many = database.near_many(column.name, [signed(query) for query in queries], radius)
            assert len(many) == len(set(many)) == len(expected)
            assert {(query, row // 10, bits) for query, row, bits in many} == {
                (signed(queries[at]), row, bits) for at, row, bits in expected
            }
        for radius in range(4):
            pairs = database.near_pairs(column.name, radius)
            found_pairs = [(left // 10, right // 10, bits) for left, right, bits in pairs]
            assert sorted(found_pairs) == within(values, radius)


def test_no_radius_finds_too_little(database: Database, columns: list[Column]) -> None:
    """Rows that no two of five blocks have in common: the join refuses, the search goes on."""
    apart = sum(1 << place for place in (0, 13, 26, 39, 52))
    words = "^these blocks find all" if database.dialect == "postgresql" else "3 bits"
    for column in columns:
        for values in ([0, apart], [0], [apart, apart ^ 1]):
            column.fill(values)
            if not isinstance(database, SQLite):
                for radius in (4, 5, 64):
                    with pytest.raises(database.errors, match=words):
                        database.near_pairs(column.name, radius)
            found = database.near(column.name, 0, 5)
            assert len(found) == sum(value.bit_count() <= 5 for value in values)


def test_a_query_given_twice_is_answered_once(database: Database, columns: list[Column]) -> None:
    for column in columns:
        column.fill([5, 7])
        found = database.near_many(column.name, [5, 5], 3)
        assert sorted(found) == [(5, 0, 0), (5, 10, 1)]
        assert database.near_many(column.name, [], 3) == []


@settings(
    max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None
)
@given(
    values=st.lists(st.none() | strategies.fingerprints, max_size=12),
    query=strategies.fingerprints,
    radius=st.integers(0, 10) | st.just(64),
)
def test_any_numbers(
    database: Database, columns: list[Column], values: list[int | None], query: int, radius: int
) -> None:
    for column in columns:
        column.fill(values)
        found = sorted(
            (0, row // 10, bits) for row, bits in database.near(column.name, signed(query), radius)
        )
        assert found == across([query], values, radius)
        if radius <= 3:
            pairs = database.near_pairs(column.name, radius)
            assert sorted((a // 10, b // 10, bits) for a, b, bits in pairs) == within(
                values, radius
            )
