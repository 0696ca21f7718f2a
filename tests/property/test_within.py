"""Rows meet only within their group: each group finds what it would find alone."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet
import pytest
from hypothesis import given
from hypothesis import strategies as st

import ilk
from ilk.base.errors import ColumnTypeError, OptionError
from tests.support import strategies
from tests.support.fixtures import examples
from tests.support.interrupting import interrupt_at
from tests.support.narrow_memory import narrow_memory

Rows = list[tuple[str | None, str | None]]
#: Values of a column; null and the empty text are one.
VALUES = st.sampled_from([None, "", "de", "en", "en "])


@st.composite
def grouped_rows(draw: st.DrawFn) -> Rows:
    """Texts that are like one another, each with a value; every text may come in every group."""
    texts = draw(st.one_of(strategies.relatives(), strategies.relatives(2, 3, 9)))
    texts += draw(st.lists(st.sampled_from(texts or ["abc"]), max_size=6))
    return [(text, draw(VALUES)) for text in texts]


def table_of(rows: Rows) -> pa.Table:
    texts, values = ([row[side] for row in rows] for side in (0, 1))
    return pa.table({"text": pa.array(texts, pa.string()), "lang": pa.array(values, pa.string())})


def groups_of(rows: Rows) -> Iterator[list[int]]:
    """The rows of each group, in order."""
    groups: dict[str, list[int]] = {}
    for at, (_, value) in enumerate(rows):
        groups.setdefault(value or "", []).append(at)
    return iter(groups.values())


def kept_alone(rows: Rows, held: int = 0, **options: Any) -> list[bool]:
    """Whether each row stays, where each group is deduplicated by itself."""
    stays = [True] * len(rows)
    for group in groups_of(rows):
        own = [at for at in group if at >= held]
        others = [at for at in group if at < held]
        if not own:
            continue
        filled = any((rows[at][0] or "").strip() for at in others)
        against = table_of([rows[at] for at in others]) if filled else None
        found = ilk.deduplicate(table_of([rows[at] for at in own]), against=against, **options)
        for at, kept in zip(own, found.keep_mask.to_pylist(), strict=True):
            stays[at] = kept
    return stays[held:]


OPTIONS: list[dict[str, Any]] = [
    {"resemblance": 0.7},
    {"resemblance": 0.7, "linkage": "connected", "keep": "longest"},
    {"resemblance": 0.7, "keep_numbers_only": True},
    {"noise": 0.1, "resemblance": 0.9},
    {"keep": "last"},
    {"exact": True},
    {"key": "text"},
]


@pytest.mark.parametrize("options", OPTIONS, ids=str)
@examples(40)
@given(grouped_rows())
def test_each_group_is_deduplicated_as_if_alone(options: dict[str, Any], rows: Rows) -> None:
    found = ilk.deduplicate(table_of(rows), within="lang", **options)
    assert found.keep_mask.to_pylist() == kept_alone(rows, **options)


@examples(40)
@given(grouped_rows(), st.integers(0, 5))
def test_with_a_reference_each_group_is_compared_with_its_own(rows: Rows, held: int) -> None:
    held = max(0, min(held, len(rows) - 1))
    if not any((text or "").strip() for text, _ in rows[:held]):
        return
    found = ilk.deduplicate(
        table_of(rows[held:]), against=table_of(rows[:held]), within="lang", resemblance=0.7
    )
    assert found.keep_mask.to_pylist() == kept_alone(rows, held, resemblance=0.7)


def pairs_of(found: ilk.Result, rows: list[int]) -> dict[tuple[int, int], tuple[Any, ...]]:
    """Every pair of documents by their rows, with its measures."""
    names = ("distance", "resemblance", "containment_left", "containment_right", "verdict")
    return {
        (rows[row["left"]], rows[row["right"]]): tuple(row[name] for name in names)
        for row in found.pairs.to_pylist()
    }


FINDS: list[dict[str, Any]] = [
    {"resemblance": 0.6, "containment": 0.8},
    {"noise": 0.1},
    {"radius": 20},
]


@pytest.mark.parametrize("options", FINDS, ids=str)
@examples(40)
@given(grouped_rows())
def test_each_group_has_the_pairs_and_contained_texts_it_has_alone(
    options: dict[str, Any], rows: Rows
) -> None:
    found = ilk.find(table_of(rows), within="lang", **options)
    expected: dict[tuple[int, int], tuple[Any, ...]] = {}
    contained: set[int] = set()
    for group in groups_of(rows):
        alone = ilk.find(table_of([rows[at] for at in group]), **options)
        expected |= pairs_of(alone, group)
        contained |= {group[row] for row in alone.contained_pairs["left"].to_pylist()}
    assert pairs_of(found, list(range(len(rows)))) == expected
    assert set(found.contained_pairs["left"].to_pylist()) == contained


@examples(20)
@given(st.lists(st.tuples(strategies.relatives(9, 60), VALUES, VALUES), max_size=4))
def test_several_columns_must_all_be_equal(
    drawn: list[tuple[list[str | None], str | None, str | None]],
) -> None:
    rows = [(text, one, two) for texts, one, two in drawn for text in texts]
    columns = {
        name: pa.array([row[at] for row in rows], pa.string())
        for at, name in enumerate(("text", "lang", "dump"))
    }
    found = ilk.deduplicate(pa.table(columns), within=["lang", "dump"])
    joined: Rows = [(text, repr((one or "", two or ""))) for text, one, two in rows]
    assert found.keep_mask.to_pylist() == kept_alone(joined)


def many_rows() -> Rows:
    """Families of long texts, each in three groups."""
    words = [f"w{at}" for at in range(400)]
    rows: Rows = []
    for family in range(60):
        own = [f"{word}f{family}" for word in words]
        for at in range(4):
            text = " ".join([*own[: 300 + at], f"end{at}"])
            rows.append((text, ("de", "en", None)[at % 3]))
            rows.append((text, "en"))
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
        source.write_text("".join(json.dumps(row) + "\n" for row in table.to_pylist()))
    expected = kept_alone(rows)
    assert 0 < sum(expected) < len(rows)
    for room in (400_000, 10_000_000):
        with narrow_memory(room):
            found = ilk.deduplicate(source, within="lang")
            assert found.search.evidence.mapped is not None
        assert found.keep_mask.to_pylist() == expected

    with pytest.raises(KeyboardInterrupt):
        ilk.deduplicate(
            source, out, within="lang", progress=interrupt_at("write"), accept_alarm=True
        )
    assert os.path.exists(f"{out}.ilk/work")
    resumed = ilk.deduplicate(source, out, within="lang", accept_alarm=True)
    assert resumed.keep_mask.to_pylist() == expected


@pytest.mark.parametrize("jobs", [1, 2])
@examples(25)
@given(grouped_rows(), st.sampled_from(["jsonl", "csv"]), st.integers(0, 4))
def test_rows_of_files_are_in_groups_as_they_are_read(
    jobs: int, rows: Rows, form: str, held: int
) -> None:
    # Long copies are not read again: those of other groups are other sets.
    rows = [*rows, *((f"{text} " * 40, value) for text, value in rows if text)]
    held = max(0, min(held, len(rows) - 1))
    rows = [(text if text is None else text.replace("\0", "."), value) for text, value in rows]
    if form == "csv":
        rows = [(text or "", value) for text, value in rows]
    with tempfile.TemporaryDirectory() as folder:
        for name, some in (("own", rows[held:]), ("other", rows[:held])):
            table = table_of(some)
            if form == "csv":
                pa.csv.write_csv(table, Path(folder, f"{name}.csv"))
                continue
            values = ({"lang": value, "text": text} for text, value in some)
            lines = (json.dumps(row, ensure_ascii=at % 2 == 0) for at, row in enumerate(values))
            Path(folder, f"{name}.jsonl").write_text("".join(f"{line}\n" for line in lines))
        filled = any((text or "").strip() for text, _ in rows[:held])
        against = Path(folder, f"other.{form}") if filled else None
        found = ilk.deduplicate(
            Path(folder, f"own.{form}"),
            against=against,
            within="lang",
            resemblance=0.7,
            jobs=jobs,
            memory="2GB",
        )
        expected = kept_alone(
            rows if filled else rows[held:], held if filled else 0, resemblance=0.7
        )
        assert found.keep_mask.to_pylist() == expected


def test_a_text_is_no_template_of_its_copies_in_other_groups() -> None:
    words = "it was the best of times it was the worst of times and nobody knew it then"
    rows: Rows = [(words, "de"), (words, "en"), (words, None), (f"{words} or now", "en")]
    found = ilk.deduplicate(table_of(rows), within="lang", common_blocks=2)
    assert found.report["common_blocks"] == []
    assert found.keep_mask.to_pylist() == [True, True, True, False]


def test_a_column_that_no_row_has_is_refused() -> None:
    table = table_of([("one two three", "de")])
    bare = table.select(["text"])
    for source, against in ((bare, None), (bare, table), (table, bare)):
        with pytest.raises(ColumnTypeError, match="lang"):
            ilk.deduplicate(source, against=against, within="lang")
        with pytest.raises(ColumnTypeError, match="lang"):
            ilk.find(source, against=against, within="lang")


def test_files_have_no_columns_and_are_refused() -> None:
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "a.txt").write_text("one two three")
        with pytest.raises(OptionError, match="not a file of rows"):
            ilk.find(folder, within="lang")


def test_what_would_ignore_the_groups_is_refused() -> None:
    table = table_of([("one two three", "de"), ("one two three", "en")])
    with pytest.raises(OptionError, match="unverified"):
        ilk.find(table, within="lang", radius=3, unverified=True)
    with pytest.raises(OptionError, match="within"):
        ilk.find(table, within="lang", containment=0.9).copied_parts(among=True)
    with pytest.raises(OptionError, match="different columns"):
        ilk.deduplicate(table, within=["lang", "lang"])


def test_the_report_says_which_rows_were_compared() -> None:
    table = table_of([("one two three", "de"), ("one two three", "en")])
    for found in (ilk.deduplicate(table, within="lang"), ilk.find(table, within="lang")):
        assert found.report["promise"].endswith("; only among rows with the same lang")
        assert found.report["options"]["within"] == ["lang"]
        assert len(found) == 0
    # What is known of the documents themselves is not changed.
    digests = ilk.find(table, within="lang").documents["digest"].to_pylist()
    assert digests[0] == digests[1] is not None


@examples(40)
@given(st.lists(st.tuples(st.sampled_from(["1 2 3", "7 8 9", "a 1", "a 2"]), VALUES), max_size=8))
def test_texts_without_words_are_told_apart_as_if_alone(rows: list[tuple[str, str | None]]) -> None:
    found = ilk.find(table_of([*rows]), within="lang", resemblance=0.99)
    expected: dict[tuple[int, int], tuple[Any, ...]] = {}
    for group in groups_of([*rows]):
        alone = ilk.find(table_of([rows[at] for at in group]), resemblance=0.99)
        expected |= pairs_of(alone, group)
    assert pairs_of(found, list(range(len(rows)))) == expected
