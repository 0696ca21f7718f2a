"""Groups, a window of time, copies that are counted and several that stay: all of it together."""

from __future__ import annotations

import json
import tempfile
from datetime import date, timedelta
from pathlib import Path
from typing import Any
from unittest import mock

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import ilk
from tests.support.fixtures import examples
from tests.support.interrupting import interrupt_at

LEAST, DAYS = 0.8, 4
FIRST = date(2026, 1, 1)
#: Texts of at least 100 words are compared by words.
WORDS = [[f"{name}{at}" for at in range(110)] for name in "abc"]


@st.composite
def texts(draw: st.DrawFn) -> str:
    words = list(draw(st.sampled_from(WORDS)))
    for at in draw(st.lists(st.integers(0, 109), max_size=5)):
        words[at] = f"other{at % 3}"
    return " ".join(words)


ROWS = st.lists(
    st.fixed_dictionaries(
        {
            "text": texts(),
            "lang": st.sampled_from(["en", "de", None, ""]),
            "day": st.one_of(
                st.none(), st.integers(0, 12).map(lambda day: str(FIRST + timedelta(days=day)))
            ),
            "score": st.integers(0, 3),
            "n": st.integers(1, 5),
        }
    ),
    min_size=1,
    max_size=12,
)

Row = dict[str, Any]


def counted_rows(rows: list[Row], most: int) -> dict[int, int]:
    """Return which rows stay, and how many each of them stands for, by plain loops."""

    def shingles(row: Row) -> set[tuple[str, ...]]:
        words = row["text"].split()
        return {tuple(words[at : at + 3]) for at in range(len(words) - 2)}

    def may_meet(one: Row, other: Row) -> bool:
        if (one["lang"] or "") != (other["lang"] or ""):
            return False
        if one["day"] is None or other["day"] is None:
            return one["day"] is other["day"]
        days = [date.fromisoformat(row["day"]) for row in (one, other)]
        return abs(days[0] - days[1]).days <= DAYS

    sets = [shingles(row) for row in rows]
    ranking = sorted(range(len(rows)), key=lambda row: (-rows[row]["score"], row))
    keeper_of: dict[int, int] = {}
    for keeper in ranking:
        if keeper in keeper_of:
            continue
        for row in ranking:
            share = len(sets[keeper] & sets[row]) / len(sets[keeper] | sets[row])
            alike = row not in keeper_of and may_meet(rows[keeper], rows[row]) and share >= LEAST
            if alike or row == keeper:
                keeper_of[row] = keeper
    counts: dict[int, int] = {}
    for keeper in {*keeper_of.values()}:
        members = [row for row in ranking if keeper_of[row] == keeper]
        counts |= {row: rows[row]["n"] for row in members[:most]}
        counts[keeper] += sum(rows[row]["n"] for row in members[most:])
    return counts


@examples(40)
@given(ROWS, st.integers(1, 3), st.booleans())
def test_all_rules_hold_at_once(rows: list[Row], most: int, in_stretches: bool) -> None:
    numbered = [{"id": at, **row} for at, row in enumerate(rows)]
    expected = counted_rows(rows, most)
    options: dict[str, Any] = {
        "within": "lang",
        "window": f"{DAYS}d",
        "date": "day",
        "count": "n",
        "keep_up_to": most,
        "keep": "max:score",
        "resemblance": LEAST,
        "alarm_loss": 1.0,
    }

    def stay(source: Any, **more: Any) -> dict[int, int]:
        kept = ilk.deduplicate(source, **options, **more).to_arrow().to_pylist()
        return {int(row["id"]): row["n"] for row in kept}

    large = 2 if in_stretches else 1_000
    with (
        tempfile.TemporaryDirectory() as folder,
        mock.patch("ilk.search.joins_in_time._LARGE", large),
    ):
        path, work = Path(folder, "rows.jsonl"), Path(folder, "work")
        path.write_text("".join(json.dumps(row) + "\n" for row in numbered))
        assert stay(path) == expected
        assert stay(path, memory="2GB", jobs=2) == expected
        table = pa.table({name: [row[name] for row in numbered] for name in numbered[0]})
        assert stay(table) == expected
        try:
            stay(path, work=work, progress=interrupt_at("join", "verify", "write"))
        except KeyboardInterrupt:
            assert stay(path, work=work) == expected


@pytest.mark.parametrize(
    ("option", "message"),
    [
        ({"within": "tongue"}, "tongue"),
        ({"window": "7d"}, "date"),
        ({"window": "7d", "date": "when"}, "when"),
        ({"count": "lang"}, "lang"),
        ({"text": "texts[]"}, "texts"),
    ],
    ids=str,
)
def test_a_column_that_is_not_there_is_named(option: dict[str, Any], message: str) -> None:
    table = pa.table({"text": ["a b c"], "lang": ["x"]})
    with pytest.raises(ilk.IlkError, match=message):
        ilk.deduplicate(table, **option)
