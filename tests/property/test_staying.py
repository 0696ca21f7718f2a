"""How many rows of a cluster stay, and for how many each of them stands."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import ilk
from ilk.base.errors import ColumnTypeError, OptionError
from ilk.tables import deduplicate
from tests.support.families import write_rows
from tests.support.fixtures import examples

_ENDS = ["", "!", " once", " once more", " once more and again", " of others"]
_BEGINNINGS = ["a text of some words that come again and again", "what nobody else has said yet"]
TEXTS = st.one_of(
    st.builds(str.__add__, st.sampled_from(_BEGINNINGS), st.sampled_from(_ENDS)), st.none()
)
ROWS = st.lists(
    st.fixed_dictionaries(
        {
            "text": TEXTS,
            "rank": st.integers(0, 3),
            "lang": st.sampled_from(["de", "fr"]),
            "n": st.one_of(st.none(), st.integers(1, 5)),
        }
    ),
    min_size=1,
    max_size=9,
)
SCHEMA = pa.schema({"text": pa.string(), "rank": pa.int64(), "lang": pa.string(), "n": pa.int64()})
OPTIONS = st.sampled_from(
    [{}, {"within": "lang"}, {"exact": True}, {"resemblance": 0.5}, {"keep": ["max:rank"]}]
)


def make_table(rows: list[dict[str, Any]]) -> pa.Table:
    return pa.Table.from_pylist(rows, SCHEMA)


def clusters_of(result: ilk.DeduplicationResult) -> dict[int, list[int]]:
    """Return the rows of each cluster by its keeper; a row that is like no other is alone."""
    clusters: dict[int, list[int]] = {}
    for doc, row in enumerate(result.labels().to_pylist()):
        keeper = doc if row["keeper_doc"] is None else row["keeper_doc"]
        clusters.setdefault(keeper, []).append(doc)
    return clusters


@examples(12)
@given(rows=ROWS, options=OPTIONS, most=st.integers(1, 3))
def test_of_a_cluster_the_best_stay_and_the_keeper_counts_the_others(
    rows: list[dict[str, Any]], options: dict[str, Any], most: int
) -> None:
    table = make_table(rows)
    result = ilk.deduplicate(table, **options, keep_up_to=most, count="n")
    expected: dict[int, int] = {}
    for keeper, docs in clusters_of(ilk.deduplicate(table, **options)).items():
        best_first = (lambda doc: (-rows[doc]["rank"], doc)) if "keep" in options else None
        others = sorted((doc for doc in docs if doc != keeper), key=best_first)
        weights = {doc: rows[doc]["n"] or 1 for doc in docs}
        expected |= {doc: weights[doc] for doc in (keeper, *others[: most - 1])}
        expected[keeper] += sum(weights[doc] for doc in others[most - 1 :])
    assert result.copies is not None
    stay = {doc: count for doc, count in enumerate(result.copies.to_pylist()) if count is not None}
    assert stay == expected
    kept = result.to_arrow().to_pylist()
    assert kept == [rows[doc] | {"n": expected[doc]} for doc in sorted(expected)]
    dropped = result.dropped_rows
    assert len(kept) + len(dropped) == len(rows)
    assert set(dropped["policy"].to_pylist()) <= {*options.get("keep", ()), "first"}


@examples(12)
@given(rows=ROWS, options=OPTIONS)
def test_with_none_only_rows_that_are_like_no_other_stay(
    rows: list[dict[str, Any]], options: dict[str, Any]
) -> None:
    if "keep" in options:
        return
    table = make_table(rows)
    result = ilk.deduplicate(table, **options, keep="none")
    plain = ilk.deduplicate(table, **options)
    alone = [row["verdict"] == "unique" for row in plain.labels().to_pylist()]
    assert result.keep_mask.to_pylist() == alone
    assert set(result.dropped_rows["policy"].to_pylist()) <= {"none"}
    if not options.get("exact"):
        pairs = plain.pairs.select(["left", "right"]).to_pylist()
        assert {doc for doc, is_alone in enumerate(alone) if not is_alone} == {
            doc for pair in pairs for doc in pair.values()
        }


@examples(12)
@given(rows=ROWS, split=st.integers(0, 9), options=OPTIONS)
def test_counts_add_up_over_runs(
    rows: list[dict[str, Any]], split: int, options: dict[str, Any]
) -> None:
    """Dump after dump: the kept rows of the first, and then the second, count as both at once."""
    if "keep" in options:
        return
    both = ilk.deduplicate(make_table(rows), **options, count="n").to_arrow()
    first, second = make_table(rows[:split]), make_table(rows[split:])
    if len(first):
        first = ilk.deduplicate(first, **options, count="n").to_arrow()
    again = ilk.deduplicate(pa.concat_tables([first, second]), **options, count="n").to_arrow()
    assert again.to_pylist() == both.to_pylist()


@examples(12)
@given(rows=ROWS, split=st.integers(1, 9))
def test_rows_of_a_reference_or_a_store_are_not_counted(
    rows: list[dict[str, Any]], split: int
) -> None:
    """Every row is counted by a row that stays, or goes for one of the reference."""
    old, new = make_table(rows[:split]), make_table(rows[split:])
    if not len(new) or not any(old["text"].to_pylist()):
        return
    beside = ilk.deduplicate(new, against=old, count="n", keep_up_to=2)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "past.ilk")
        with ilk.Store(path, texts=True, exact=True) as store:
            store.add_many(old["text"])
        stored = ilk.deduplicate(new, against=path, add=True, count="n")
    one = ilk.deduplicate(new, against=old, count="n")
    assert stored.copies == one.copies
    total = sum(row["n"] or 1 for row in rows[split:])
    for result in (beside, one):
        held = result.clusters.filter(pa.compute.equal(result.clusters["policy"], "against"))
        gone = sum(rows[split:][doc]["n"] or 1 for doc in held["doc"].to_pylist())
        assert result.report["stand_for"] + gone == total


@examples(12)
@given(rows=ROWS, some=st.integers(0, 9))
def test_kept_lines_and_fields_are_their_own_bytes_with_a_number(
    rows: list[dict[str, Any]], some: int
) -> None:
    """Lines without the column get it at their end; in others, the number alone changes."""
    lines = []
    for at, row in enumerate(rows):
        own = {"text": row["text"]} | ({"n": row["n"] or 1} if at < some else {})
        lines.append(json.dumps(own, separators=(",", ": "), ensure_ascii=False))
    counts = [row["n"] or 1 if at < some else 1 for at, row in enumerate(rows)]
    with tempfile.TemporaryDirectory() as folder:
        source, out = Path(folder, "in.jsonl"), Path(folder, "out.jsonl")
        source.write_text("\n".join(lines) + "\n")
        if not any(row["text"] for row in rows):
            return
        result = ilk.deduplicate(source, out, count="n", memory="2GB", work=Path(folder, "work"))
        assert result.copies is not None
        kept = [(doc, n) for doc, n in enumerate(result.copies.to_pylist()) if n is not None]
        expected = [
            lines[doc].replace(f'"n": {counts[doc]}', f'"n": {n}')
            if doc < some
            else lines[doc][:-1] + f', "n": {n}}}'
            for doc, n in kept
        ]
        assert out.read_text().splitlines() == expected
        assert [json.loads(line)["n"] for line in expected] == [n for _, n in kept]
        # A second run over the output changes nothing.
        again = ilk.deduplicate(out, count="n")
        assert again.copies is not None
        assert again.copies.to_pylist() == [n for _, n in kept]


def test_other_formats(tmp_path: Path) -> None:
    csv = tmp_path / "a.csv"
    csv.write_text('n,text,s\n2,one text,"x, y"\n,one text,z\n3,another one,\n')
    ilk.deduplicate(csv, tmp_path / "b.csv", count="n")
    assert (tmp_path / "b.csv").read_text() == 'n,text,s\n3,one text,"x, y"\n3,another one,\n'
    ilk.deduplicate(csv, tmp_path / "c.csv", count="copies")
    assert (tmp_path / "c.csv").read_text().splitlines()[:2] == [
        "n,text,s,copies",
        '2,one text,"x, y",2',
    ]
    import pyarrow.parquet as pq

    table = pa.table({"n": pa.array([2, None, 3], pa.int32()), "text": ["a b", "a b", "c"]})
    pq.write_table(table, tmp_path / "a.parquet")
    ilk.deduplicate(tmp_path / "a.parquet", tmp_path / "b.parquet", count="n")
    written = pq.read_table(tmp_path / "b.parquet")
    assert written.to_pydict() == {"n": [3, 3], "text": ["a b", "c"]}
    assert written.schema.field("n").metadata is None


@pytest.mark.parametrize("name", ["n", "copies"])
def test_tables_of_other_tools(name: str) -> None:
    duckdb, polars = pytest.importorskip("duckdb"), pytest.importorskip("polars")
    datasets = pytest.importorskip("datasets")
    table = pa.table({"n": [2, 1, 3], "text": ["a b", "a b", "c"]})
    expected = [3, 3] if name == "n" else [2, 1]
    for made in (
        table,
        table.to_pandas(),
        polars.DataFrame(table),
        polars.LazyFrame(table),
        duckdb.from_arrow(table),
        datasets.Dataset.from_dict(table.to_pydict()),
    ):
        kept = deduplicate(made, count=name)
        kept = kept.collect() if hasattr(kept, "collect") else kept
        kept = kept.fetchall() if hasattr(kept, "fetchall") else kept
        if isinstance(kept, list):
            assert [row[0 if name == "n" else 2] for row in kept] == expected
        else:
            assert list(map(int, kept[name])) == expected


def test_what_does_not_count_is_refused(tmp_path: Path) -> None:
    rows = pa.table({"text": ["a", "b"], "n": [1.5, 2.0], "s": ["1", "2"], "z": [0, 1]})
    with pytest.raises(ColumnTypeError, match="holds numbers that are not whole"):
        ilk.deduplicate(rows, count="n")
    with pytest.raises(ColumnTypeError, match="holds string; for `count` it must hold whole"):
        ilk.deduplicate(rows, count="s")
    with pytest.raises(ColumnTypeError, match="holds 0; for `count` a row stands for 1 row"):
        ilk.deduplicate(rows, count="z")
    with pytest.raises(OptionError, match="leave out one of the two"):
        ilk.deduplicate(rows, keep="none", keep_up_to=2)
    with pytest.raises(OptionError, match="no other policy has an effect"):
        ilk.deduplicate(rows, keep=["none", "first"])
    with pytest.raises(OptionError, match="must be one of original, first"):
        ilk.find(["a", "b"], keep="none")
    with ilk.Store(tmp_path / "s.ilk", texts=True, exact=True) as store:
        store.add(["a"])
    with pytest.raises(OptionError, match="`add` keeps one row of a cluster"):
        ilk.deduplicate(rows, against=tmp_path / "s.ilk", add=True, keep="none")


def test_a_plan_counts_as_the_run_itself(tmp_path: Path) -> None:
    from ilk.tasks import row_plan

    source = tmp_path / "a.jsonl"
    source.write_text('{"text": "a b c", "n": 4}\n{"text": "a b c"}\n{"text": "d"}\n')
    result = ilk.deduplicate(source, tmp_path / "b.jsonl", count="n")
    row_plan.save_plan(result, tmp_path / "plan")
    row_plan.apply_rows_only_plan_and_count_rows(tmp_path / "plan", tmp_path / "c.jsonl")
    assert (tmp_path / "c.jsonl").read_text() == (tmp_path / "b.jsonl").read_text()
    assert "5" in (tmp_path / "c.jsonl").read_text()


def test_pages_say_what_stays() -> None:
    texts = ["one text of several words here"] * 3
    two = ilk.deduplicate(pa.table({"text": texts}), keep_up_to=2)
    assert "stays: it is one of those of its cluster that stay" in two.page()
    assert "is dropped, except that up to 2 rows of each cluster stay" in two.report["promise"]
    tile = "<dt>{}</dt><dd>{}</dd>"
    assert tile.format("copy of another one", 1) in two.page()
    assert tile.format("like another one, and stays", 1) in two.page()
    assert "like another one, and stay" not in ilk.deduplicate(pa.table({"text": texts})).page()
    near = ilk.deduplicate(pa.table({"text": texts}), keep_up_to=2, pairing="fingerprint")
    assert "; up to 2 rows of each cluster stay" in near.report["promise"]
    none = ilk.deduplicate(pa.table({"text": texts}), keep="none")
    assert none.report["dropped"] == {"identical": 3}
    assert '"stays"' not in none.page()


def test_a_picture_says_which_families_it_shows(tmp_path: Path) -> None:
    """By bytes, only those that lose rows are there."""
    texts = [" ".join(f"{family}x{n}" for n in range(60)) for family in range(4)]
    rows = write_rows(
        tmp_path / "in.jsonl",
        [{"text": text} for at, text in enumerate(texts) for _ in range(3 if at else 2)],
    )
    page = ilk.deduplicate(rows, keep_up_to=2).page()
    assert "3 of 4 families, those with the most bytes that could go" in page
    assert "4 of 4 families" not in page
    assert "those with the most" not in ilk.deduplicate(rows).page()
