"""Documents meet only within a window of time: exactly the pairs that are near enough, no other."""

from __future__ import annotations

import json
import os
import random
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from unittest import mock

import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet
import pytest
from hypothesis import given
from hypothesis import strategies as st

import ilk
from ilk.arrow import verdicts
from ilk.base.errors import ColumnTypeError, OptionError
from tests.support import strategies
from tests.support.fixtures import examples
from tests.support.interrupting import interrupt_at
from tests.support.narrow_memory import narrow_memory

#: A text, and the hours from some day on to when it was written, or None.
Rows = list[tuple[str | None, int | None]]
FIRST = datetime(2026, 11, 1, tzinfo=UTC)
DAYS = st.one_of(st.none(), st.integers(-3, 12).map(lambda half: 12 * half))


@st.composite
def timed_rows(draw: st.DrawFn) -> Rows:
    """Texts that are like one another, each with a time; every text may come at every time."""
    texts = draw(st.one_of(strategies.relatives(), strategies.relatives(2, 3, 9)))
    texts += draw(st.lists(st.sampled_from(texts or ["abc"]), max_size=8))
    return [(text, draw(DAYS)) for text in texts]


def table_of(rows: Rows) -> pa.Table:
    times = [None if hours is None else FIRST + timedelta(hours=hours) for _, hours in rows]
    return pa.table(
        {
            "text": pa.array([text for text, _ in rows], pa.string()),
            "day": pa.array(times, pa.timestamp("us", "UTC")),
        }
    )


def near(rows: Rows, one: int, other: int, hours: int = 48) -> bool:
    first, second = rows[one][1], rows[other][1]
    if first is None or second is None:
        return first is second
    return abs(first - second) <= hours


def verdicts_of(found: ilk.SearchResult) -> dict[tuple[int, int], str]:
    """Every pair of rows with its verdict."""
    return {(row["left"], row["right"]): row["verdict"] for row in found.pairs.to_pylist()}


def pairs_within(rows: Rows, **options: Any) -> dict[tuple[int, int], str]:
    """Those of all pairs whose times are near enough."""
    every = verdicts_of(ilk.find(table_of(rows), **options))
    return {pair: verdict for pair, verdict in every.items() if near(rows, *pair)}


def families_of(count: int, pairs: Iterable[tuple[int, int]]) -> list[int]:
    """The smallest row of everything that pairs connect with each row."""
    of = list(range(count))
    for left, right in pairs:
        one, other = sorted((of[left], of[right]))
        of = [one if name == other else name for name in of]
    return of


def keepers_of(count: int, pairs: Iterable[tuple[int, int]], held: int = 0) -> list[int]:
    """The keeper of each row, where the first row stays and takes every one it is paired with."""
    paired, of = {frozenset(pair) for pair in pairs}, list(range(count))
    for keeper in range(count):
        for row in range(max(keeper + 1, held), count):
            if of[keeper] == keeper and of[row] == row and frozenset((keeper, row)) in paired:
                of[row] = keeper
    return of


def same(pairs: dict[tuple[int, int], str]) -> list[tuple[int, int]]:
    return [pair for pair, verdict in pairs.items() if verdict in verdicts.SAME]


WINDOW: dict[str, Any] = {"window": "2d", "date": "day"}
PAIRS: list[dict[str, Any]] = [
    {"resemblance": 0.6, "containment": 0.8},
    {"noise": 0.1},
    {"radius": 20},
    {"resemblance": 0.7, "shingle": 1},
]


@pytest.mark.parametrize("options", PAIRS, ids=str)
@examples(60)
@given(timed_rows())
def test_a_search_has_the_pairs_that_are_near_enough_in_time(
    options: dict[str, Any], rows: Rows
) -> None:
    found = ilk.find(table_of(rows), **WINDOW, **options)
    expected = pairs_within(rows, **options)
    assert verdicts_of(found) == expected
    contained = {left for (left, _), word in expected.items() if word == verdicts.CONTAINED}
    contained |= {right for (_, right), word in expected.items() if word == verdicts.CONTAINS}
    copies = {one for pair, word in expected.items() if word in verdicts.COPIES for one in pair}
    docs = {*found.contained_pairs["left"].to_pylist()}
    # Of equal texts of one time, one stands for all.
    assert contained - copies <= docs <= contained
    assert all(near(rows, row["left"], row["right"]) for row in found.contained_pairs.to_pylist())


@examples(60)
@given(timed_rows())
def test_families_are_what_such_pairs_connect_and_members_are_near_their_keeper(
    rows: Rows,
) -> None:
    expected = families_of(len(rows), same(pairs_within(rows, resemblance=0.6)))
    found = ilk.find(table_of(rows), **WINDOW, resemblance=0.6)
    first: dict[int, int] = {}
    of = list(range(len(rows)))
    for row in found.clusters.to_pylist():
        of[row["doc"]] = first.setdefault(row["family"], row["doc"])
        assert near(rows, row["doc"], row["keeper"])
        assert row["also_like"] is None or near(rows, row["doc"], row["also_like"])
    assert of == expected


DEDUPS: list[dict[str, Any]] = [{"resemblance": 0.7}, {"exact": True}, {"key": "text"}]


@pytest.mark.parametrize("options", DEDUPS, ids=str)
@examples(60)
@given(timed_rows(), st.integers(0, 4))
def test_a_row_goes_where_one_that_stays_is_like_it_and_near_enough_in_time(
    options: dict[str, Any], rows: Rows, held: int
) -> None:
    held = max(0, min(held, len(rows) - 1))
    if not any((text or "").strip() for text, _ in rows[:held]):
        held = 0
    against = table_of(rows[:held]) if held else None
    found = ilk.deduplicate(table_of(rows[held:]), against=against, **WINDOW, **options)
    if "key" in options:
        texts = [text for text, _ in rows]
        every = [(a, b) for b in range(len(rows)) for a in range(b) if texts[a] == texts[b]]
        pairs = [pair for pair in every if texts[pair[0]] and near(rows, *pair)]
    else:
        words = verdicts.COPIES if "exact" in options else verdicts.SAME
        least = options.get("resemblance", 1)
        every_pair = pairs_within(rows, resemblance=least)
        pairs = [pair for pair, verdict in every_pair.items() if verdict in words]
        if "exact" not in options:  # A search shows texts that differ in numbers at any share.
            measured = ilk.find(table_of(rows), resemblance=least).pairs.to_pylist()
            low = {(r["left"], r["right"]) for r in measured if r["resemblance"] < least}
            pairs = [pair for pair in pairs if pair not in low]
    keepers = keepers_of(len(rows), [pair for pair in pairs if pair[1] >= held], held)
    stays = [keeper == row for row, keeper in enumerate(keepers)]
    if held and "resemblance" in options:
        # Rows like one of the reference go first; they take no others.
        given = {b for a, b in pairs if a < held <= b}
        free = [pair for pair in pairs if not {*pair} & given and pair[0] >= held]
        keepers = keepers_of(len(rows), free)
        stays = [row not in given and keepers[row] == row for row in range(len(rows))]
    assert found.keep_mask.to_pylist() == stays[held:]


@examples(60)
@given(timed_rows(), st.integers(0, 4))
def test_a_long_family_is_joined_in_stretches_of_time(rows: Rows, held: int) -> None:
    held = min(held, len(rows))
    held = held if any((text or "").strip() for text, _ in rows[:held]) else 0

    def answers() -> list[Any]:
        found = ilk.find(table_of(rows), **WINDOW, resemblance=0.6)
        against = table_of(rows[:held]) if held else None
        some = ilk.deduplicate(
            table_of(rows[held:]), against=against, **WINDOW, resemblance=0.6, keep="longest"
        )
        return [found.pairs, found.clusters, some.clusters, some.keep_mask]

    whole = answers()
    with mock.patch("ilk.search.joins_in_time._LARGE", 2):
        in_stretches = answers()
        pairs = ilk.find(table_of(rows), **WINDOW, resemblance=0.6)
    assert all(one.equals(other) for one, other in zip(in_stretches, whole, strict=True))
    assert verdicts_of(pairs) == pairs_within(rows, resemblance=0.6)


def test_pairs_of_a_long_family_are_listed_near_one_another_alone() -> None:
    rows: Rows = [
        (" ".join(f"word{at}" for at in range(120) if at != day % 100), 24 * day)
        for day in range(1_200)
    ]
    # All pairs would be 719,400: of them, each row meets two before it.
    found = ilk.deduplicate(table_of(rows), **WINDOW, max_pairs=6_000)
    assert found.report["kept"] == 400


@pytest.mark.parametrize("options", [{"noise": 0.1}, {"linkage": "connected"}], ids=str)
@examples(30)
@given(timed_rows())
def test_no_row_goes_without_a_row_near_enough_in_time(options: dict[str, Any], rows: Rows) -> None:
    found = ilk.deduplicate(table_of(rows), **WINDOW, resemblance=0.7, **options)
    expected = families_of(
        len(rows), same(pairs_within(rows, resemblance=0.7, noise=options.get("noise")))
    )
    for row in found.clusters.to_pylist():
        assert expected[row["doc"]] == expected[row["keeper"]]
        if not near(rows, row["doc"], row["keeper"]):
            assert row["verdict"] == verdicts.CONNECTED


def many_rows() -> Rows:
    """Families of long texts over weeks, with copies at several times."""
    draw = random.Random(3)
    words = [f"w{at}" for at in range(400)]
    rows: Rows = []
    for family in range(60):
        own = [f"{word}f{family}" for word in words]
        for at in range(8):
            text = " ".join([*own[: 300 + at % 4], f"end{at % 4}"])
            rows.append((text, draw.choice([None, *range(0, 400, 12)])))
    return rows


@pytest.mark.parametrize("form", ["jsonl", "csv", "parquet"])
def test_sets_in_files_and_a_resumed_run_keep_the_same_rows(tmp_path: Path, form: str) -> None:
    rows, source, out = many_rows(), tmp_path / f"in.{form}", tmp_path / f"out.{form}"
    table = table_of(rows)
    if form == "parquet":
        pa.parquet.write_table(table, source)
    elif form == "csv":
        pa.csv.write_csv(table, source)
    else:
        lines = [row | {"day": row["day"] and row["day"].isoformat()} for row in table.to_pylist()]
        source.write_text("".join(json.dumps(row) + "\n" for row in lines))
    pairs = same(pairs_within(rows))
    keepers = keepers_of(len(rows), pairs)
    expected = [keeper == row for row, keeper in enumerate(keepers)]
    assert 60 < sum(expected) < len(rows)
    for room in (400_000, 10_000_000):
        with narrow_memory(room):
            found = ilk.deduplicate(source, **WINDOW)
            assert found.search.evidence.mapped is not None
        assert found.keep_mask.to_pylist() == expected

    with pytest.raises(KeyboardInterrupt):
        ilk.deduplicate(source, out, **WINDOW, progress=interrupt_at("write"), accept_alarm=True)
    assert os.path.exists(f"{out}.ilk/work")
    resumed = ilk.deduplicate(source, out, **WINDOW, accept_alarm=True)
    assert resumed.keep_mask.to_pylist() == expected


WORDS = "it was the best of times it was the worst of times and nobody knew it then"


@pytest.mark.parametrize(
    "days",
    [
        ["2026-11-01", "2026-11-02", "2026-12-01"],
        ["2026-11-01T23:00:00Z", "2026-11-03 00:00", "2026-12-01"],
        ["2026-11-01T23:00:00+02:00", "20261102", "2026-W49-1"],
        [1_793_491_200, 1_793_491_201, 1_796_083_200],
        [1_793_491_200.5, 1_793_491_200, 1_796_083_200],
        [datetime(2026, 11, 1), datetime(2026, 11, 2), datetime(2026, 12, 1)],
        [datetime(2026, 11, 1).date(), datetime(2026, 11, 2).date(), datetime(2026, 12, 1).date()],
    ],
    ids=str,
)
def test_a_time_is_read_however_it_is_written(days: list[Any]) -> None:
    table = pa.table({"text": [WORDS] * 3, "day": days})
    assert ilk.deduplicate(table, **WINDOW).keep_mask.to_pylist() == [True, False, True]
    assert [row["doc"] for row in ilk.find(table, **WINDOW).clusters.to_pylist()] == [0, 1]


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ("soon", "no date"),
        (20_261_129, "may be a day"),
        (1_793_491_200_000, "year 10000"),
        (float("nan"), "year 10000"),
        (True, "no date"),
    ],
)
def test_a_value_that_is_no_time_is_refused_with_its_row(
    tmp_path: Path, value: Any, said: str
) -> None:
    table = pa.table({"text": ["a b c"] * 2, "day": pa.array([None, value])})
    for search in (ilk.find, ilk.deduplicate):
        with pytest.raises(ColumnTypeError, match=f"(?s)#1 has .*{said}"):
            search(table, **WINDOW)
    if isinstance(value, str):
        path = tmp_path / "rows.jsonl"
        path.write_text(
            '{"text": "a", "day": "2026-11-01"}\n' + json.dumps({"text": "b", "day": value}) + "\n"
        )
        with pytest.raises(ColumnTypeError, match=r"rows\.jsonl#1 has 'soon'"):
            ilk.deduplicate(path, **WINDOW)


def files_of(folder: Path, days: dict[str, int], content: bytes) -> None:
    for name, day in days.items():
        path = folder / name
        path.write_bytes(content)
        time = (FIRST + timedelta(days=day)).timestamp()
        os.utime(path, (time, time))


@pytest.mark.parametrize(
    ("content", "options"),
    [(WORDS.encode(), {}), (bytes(range(256)) * 9, {}), (b"any bytes", {"identical": True})],
    ids=["texts", "bytes", "identical"],
)
def test_files_have_times_of_their_own(
    tmp_path: Path, content: bytes, options: dict[str, Any]
) -> None:
    files_of(tmp_path, {"a": 0, "b": 3, "c": 40, "d": 45, "e": 90}, content)
    found = ilk.find(tmp_path, window="7d", **options)
    clusters = [(row["doc"], row["cluster"]) for row in found.clusters.to_pylist()]
    assert clusters == [(0, 0), (1, 0), (2, 1), (3, 1)]
    assert {fate.why for fate in found.files().fates.values()} == {"stays in any case"}
    assert found.files().twin_folders == []
    assert "at most 7d apart by when they were modified" in found.report["promise"]


def test_what_cannot_have_a_window_is_refused(tmp_path: Path) -> None:
    table = table_of([(WORDS, 0), (WORDS, 1)])
    with pytest.raises(OptionError, match="`date`"):
        ilk.deduplicate(table, window="7d")
    with pytest.raises(OptionError, match="none has one"):
        ilk.find(table, window="7d")
    with pytest.raises(OptionError, match="without `window`"):
        ilk.find(table, date="day")
    with pytest.raises(OptionError, match="30m, 12h, 7d or 2w"):
        ilk.find(table, window="7 fortnights", date="day")
    with pytest.raises(OptionError, match="unverified"):
        ilk.find(table, **WINDOW, radius=3, unverified=True)
    with pytest.raises(OptionError, match="window"):
        ilk.find(table, **WINDOW, containment=0.9).copied_parts(among=True)
    with pytest.raises(ColumnTypeError, match="when"):
        ilk.deduplicate(table, window="7d", date="when")
    with pytest.raises(ColumnTypeError, match="day"):
        ilk.deduplicate(table, against=table.select(["text"]), **WINDOW)
    with ilk.Store(tmp_path / "seen.ilk", exact=True, texts=True) as store:
        store.add([WORDS])
        for search in (ilk.find, ilk.deduplicate):
            with pytest.raises(OptionError, match="`window` compares"):
                search(table, against=store, **WINDOW)


def test_equal_rows_that_both_stay_are_not_said_to_differ() -> None:
    rows = table_of([(WORDS, 0), (WORDS, 24 * 30)])
    assert ilk.deduplicate(rows, **WINDOW).report["numbers_only_kept"] == 0
    found = ilk.deduplicate(rows, against=table_of([("x y z", 0)]), only_against=True)
    assert found.report["numbers_only_kept"] == 0


def test_columns_of_a_reference_may_have_another_type() -> None:
    old = pa.table({"text": [WORDS], "day": ["2026-11-01"]})
    new = table_of([(WORDS, 24), (WORDS, 24 * 20)])
    assert ilk.deduplicate(new, against=old, **WINDOW).keep_mask.to_pylist() == [False, True]
