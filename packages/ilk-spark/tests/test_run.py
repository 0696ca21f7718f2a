"""What Spark answers is what one machine answers, row by row."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest
from spark_support import QUIET, rows

import ilk
import ilk_spark
from ilk.base.errors import OptionError

pytestmark = QUIET

_SAID = (
    *("verdict", "policy", "distance"),
    *("resemblance", "contained_in_keeper", "contains_keeper"),
    *("also_resemblance", "also_verdict"),
)


class Said:
    """What is said of a data set.

    Attributes:
        rows: per row of a cluster its keeper, what it is also like, and the measures.
        families: the rows of each.
        kept: the ids of the rows that are kept.
    """

    def __init__(self, rows: list[dict[str, Any]], kept: list[Any]) -> None:
        """Take rows with an ``id``, and whether they are of a baseline."""
        names = ("keeper", "also_like", *_SAID)
        self.rows = {(row["id"], row["held"]): tuple(row[name] for name in names) for row in rows}
        assert len(self.rows) == len(rows)
        families: dict[Any, set[Any]] = {}
        for row in rows:
            families.setdefault(row["family"], set()).add((row["id"], row["held"]))
        self.families = {frozenset(family) for family in families.values()}
        self.kept = sorted(kept, key=lambda one: (one is None, one))


def one_machine(
    table: pa.Table, order: tuple[str, ...] = (), against: pa.Table | None = None, **options: Any
) -> Said:
    """What one machine says of rows in their order."""
    keys = [(name, "ascending") for name in (*order, "id")]
    if against is not None:
        options["against"] = against.sort_by(keys)
    table = table.sort_by(keys)
    ids = table["id"].to_pylist()
    found = ilk.deduplicate(table, **options)
    rows = [
        row
        | {"held": row["doc"] is None, "keeper": row["keeper_id"]}
        | {"also_like": None if row["also_like"] is None else ids[row["also_like"]]}
        for row in found.clusters.to_pylist()
    ]
    return Said(rows, found.to_arrow()["id"].to_pylist())


def on_spark(frame: Any, **options: Any) -> tuple[Said, Any]:
    """What Spark says of a frame."""
    found = ilk_spark.deduplicate(frame, **options)
    clusters = found.clusters.toArrow().to_pylist()
    own = set(frame.select("id").toArrow()["id"].to_pylist())
    rows = [row | {"held": row["id"] not in own} for row in clusters]
    return Said(rows, found.kept_rows.toArrow()["id"].to_pylist()), found


def test_two_thousand_documents(spark: Any) -> None:
    table = rows(2_000)
    expected = one_machine(table)
    frame = spark.createDataFrame(table).repartition(3)
    said, found = on_spark(frame)
    assert said.rows == expected.rows
    assert said.families == expected.families
    assert said.kept == expected.kept
    assert len(expected.rows) > 500
    verdicts = {row[2] for row in expected.rows.values()}
    assert verdicts == {"identical", "exact", "numbers_only", "near"}
    report = found.report
    assert report["documents"] == 2_000
    assert report["kept"] == len(expected.kept)
    assert sum(report["dropped"].values()) == 2_000 - len(expected.kept)
    keepers = [row[0] for row in expected.rows.values()]
    assert report["clusters"] == sum(keepers.count(keeper) > 1 for keeper in set(keepers))
    assert found.rejected.isEmpty()


@pytest.mark.parametrize("kind", ["base", "words", "code"])
def test_what_counts_is_the_same(kind: str, spark: Any, tmp_path: Path) -> None:
    table = rows(120, 4)
    options: dict[str, Any] = {"by": "words"}
    if kind == "base":
        base = tmp_path / "base.txt"
        base.write_text(" ".join(f"given{at}" for at in range(50)))
        texts = [text and f"{base.read_text()} {text}" for text in table["text"].to_pylist()]
        table = table.set_column(1, "text", pa.array(texts, table["text"].type))
        options = {"ignore_text": base}
    elif kind == "code":
        function = "def f(given, other):\n    total = given + other\n    return total * {}\n"
        texts = [function.format(at).replace("total", f"sum{at % 7}") for at in range(len(table))]
        table = table.set_column(1, "text", pa.array(texts, table["text"].type))
        options = {"as_": "code:python"}
    expected = one_machine(table, **options)
    said, _ = on_spark(spark.createDataFrame(table), **options)
    assert (said.rows, said.families) == (expected.rows, expected.families)
    assert said.kept == expected.kept
    assert expected.rows


@pytest.mark.parametrize("keep", ["first", "max:score"])
def test_rows_are_compared_with_the_baseline_alone(keep: str, spark: Any) -> None:
    """Rows go for a row of the baseline, whatever they share with each other."""
    table, others = rows(160, 1), rows(80, 2)
    names = pc.binary_join_element_wise("b", others["id"], "")
    others = others.set_column(0, "id", names)
    ids = pa.array([f"z{at}" for at in range(20)])
    others = pa.concat_tables([others, table.slice(0, 20).set_column(0, "id", ids)])
    again = pa.array([f"y{at}" for at in range(60)])  # Copies of rows with a near one, or none.
    table = pa.concat_tables([table, table.slice(10, 60).set_column(0, "id", again)])
    options: dict[str, Any] = {"keep": keep, "resemblance": 0.7, "only_against": True}
    expected = one_machine(table, (), others, **options)
    frame, reference = map(spark.createDataFrame, (table, others))
    said, found = on_spark(frame, against=reference, **options)
    assert said.rows == expected.rows
    assert said.families == expected.families
    assert said.kept == expected.kept
    assert found.report["promise"].endswith("compared with the reference alone")
    alone = ilk_spark.deduplicate(frame, against=reference, resemblance=0.7, keep=keep)
    assert alone.report["kept"] < found.report["kept"] < len(table)
    assert any(row[2] not in ("identical", "exact") for row in expected.rows.values() if row[0])
    with pytest.raises(OptionError, match="no effect without `against`"):
        ilk_spark.deduplicate(frame, only_against=True)


@pytest.mark.long
def test_keepers_by_columns_against_a_baseline(spark: Any) -> None:
    """In any number of tasks; of ids that stand twice, or not at all, nothing is said."""
    table, others = rows(240, 1), rows(150, 2)
    names = pc.binary_join_element_wise("b", others["id"], "")
    others = others.set_column(0, "id", names)
    # The baseline has texts of the frame.
    others = pa.concat_tables(
        [others, table.slice(0, 30).set_column(0, "id", pa.array([f"z{at}" for at in range(30)]))]
    )
    options = {"keep": ["max:score", "longest"], "resemblance": 0.7}
    expected = one_machine(table, ("day",), others, **options)
    doubled = table.slice(7, 2).append_column("row", pa.array([0, 1]))
    doubled = doubled.set_column(0, "id", pa.array(["twice", "twice"])).drop(["row"])
    nameless = table.slice(3, 1).set_column(0, "id", pa.array([None], pa.string()))
    whole = spark.createDataFrame(pa.concat_tables([table, doubled, nameless]))
    said, found = on_spark(
        whole, order_by="day", against=spark.createDataFrame(others), partitions=5, **options
    )
    assert said.rows == expected.rows
    assert said.families == expected.families
    assert said.kept == [*sorted([*expected.kept, "twice", "twice"]), None]
    rejected = sorted(map(tuple, found.rejected.collect()), key=str)
    assert rejected == [
        ("twice", "has the id of another row"),
        ("twice", "has the id of another row"),
        (None, "has no id"),
    ]
    assert found.report["rejected"] == 3
    assert found.report["against"] == 180


def test_the_command_on_files(
    spark: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from ilk.cli import main as cli
    from ilk_spark import files

    class Shared:
        """The session of the tests, which others need too."""

        def __getattr__(self, name: str) -> Any:
            return (lambda: None) if name == "stop" else getattr(spark, name)

    monkeypatch.setattr(files, "get_or_open_session", lambda _: Shared())
    table = rows(60, 6)
    expected = one_machine(table)
    source, out = tmp_path / "in.parquet", tmp_path / "out.jsonl"
    pq.write_table(table, source)
    words = ["dedup", "--engine", "spark", str(source), "-o", str(out)]
    assert cli.main(words) == 0
    shown = capsys.readouterr().out
    assert shown.startswith(f"60 rows read, {len(expected.kept)} kept (")
    kept = [json.loads(line) for part in out.glob("part-*") for line in part.open()]
    assert sorted(row["id"] for row in kept) == expected.kept
    dropped = pq.read_table(f"{out}.ilk/dropped.parquet")
    assert len(dropped) == 60 - len(expected.kept)
    report = "".join(part.read_text() for part in Path(f"{out}.ilk/report").glob("part-*"))
    assert json.loads(report)["kept"] == len(expected.kept)
    assert cli.main(words) == 2
    assert "--force" in capsys.readouterr().err
    for option, *value in (
        ("--key", "id"),
        ("--keep-up-to", "2"),
        ("--count", "rows"),
        ("--strict",),
        ("--revisits",),
        ("--add", "--against", str(source)),
        ("--top", "0"),
        ("--limit", "text=1GB"),
    ):
        assert cli.main([*words, option, *value]) == 2
        assert f"--engine spark does not support {option}" in capsys.readouterr().err
    assert cli.main(["dedup", "--engine", "spark", str(tmp_path / "none.csv")]) == 2
    assert "none.csv cannot be read" in capsys.readouterr().err
