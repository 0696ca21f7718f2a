"""Data sets without their duplicates: what is kept is what brute force keeps, as it was read."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

import ilk
from ilk.base.errors import AlarmRaised, OptionError, OutputError
from ilk.tasks import row_plan
from ilk.tasks.result import Result
from tests.reference import dedup as reference
from tests.support.families import WORDS, family, family_rows, write_rows
from tests.support.narrow_memory import narrow_memory
from tests.support.table_texts import text_table


@pytest.fixture
def source(tmp_path: Path) -> Path:
    return write_rows(tmp_path / "in.jsonl", family_rows())


def _lines(path: Path) -> list[bytes]:
    return path.read_bytes().splitlines(keepends=True)


@pytest.mark.parametrize("pairing", ["exact", "fingerprint"])
def test_what_is_kept_is_what_brute_force_keeps_byte_for_byte(source: Path, pairing: str) -> None:
    texts = [row.get("text") for row in family_rows()]
    expected = reference.kept(texts, range(len(texts)), Fraction(4, 5))
    output = source.with_name("out.jsonl")
    result = ilk.deduplicate(source, output, pairing=pairing)
    assert result.rows.count_rows() == len(texts)
    assert [at for at, kept in enumerate(result.keep_mask.to_pylist()) if kept] == expected
    lines = _lines(source)
    assert _lines(output) == [lines[at] for at in expected]
    assert 10 < len(expected) < len(texts) - 10


short_texts = st.lists(
    st.one_of(st.none(), st.text("ab \n", max_size=12), st.sampled_from(family(3) + family(4))),
    max_size=12,
)


@given(texts=short_texts, last=st.booleans())
def test_any_texts_in_memory(texts: list[str | None], last: bool) -> None:
    ranking = range(len(texts) - 1, -1, -1) if last else range(len(texts))
    found = ilk.deduplicate(text_table(texts), keep="last" if last else "first")
    expected = reference.kept(texts, ranking, Fraction(4, 5))
    assert [at for at, kept in enumerate(found.keep_mask.to_pylist()) if kept] == expected


def test_every_row_is_accounted_for(source: Path) -> None:
    with source.open("a") as file:
        file.write('{"text": broken\n{"text": 5}\n')
    output = source.with_name("out.jsonl")
    report = ilk.deduplicate(source, output).report
    read = report["read"]
    assert read["rows"] == len(family_rows()) + 1 == report["documents"]
    assert read["rejected"] == 1
    assert read["with_text"] + read["missing"] + read["null"] + read["other"] == read["rows"]
    assert report["kept"] + sum(report["dropped"].values()) == report["documents"]
    assert report["kept"] == len(_lines(output))
    beside = source.with_name("out.jsonl.ilk")
    dropped = pq.read_table(beside / "dropped.parquet")
    assert len(dropped) == sum(report["dropped"].values())
    assert json.loads((beside / "report.json").read_text()) == json.loads(json.dumps(report))
    rejected = [json.loads(line) for line in (beside / "rejected.jsonl").read_text().splitlines()]
    assert [(row["line"], row["content"]) for row in rejected] == [
        (len(family_rows()) + 1, '{"text": broken')
    ]
    assert not (beside / "work").exists()


def test_a_dropped_row_names_its_keeper_its_measures_and_what_decided(source: Path) -> None:
    result = ilk.deduplicate(source, keep=["max:score", "longest"])
    rows = family_rows()
    for row in result.dropped_rows.to_pylist():
        own, keeper = rows[row["doc"]], rows[row["keeper"]]
        assert (row["id"], row["keeper_id"]) == (own["id"], keeper["id"])
        assert row["source"] == f"{source}#{row['doc']}"
        assert row["keeper_source"] == f"{source}#{row['keeper']}"
        better = (keeper["score"], len(keeper["text"])), (own["score"], len(own["text"]))
        assert better[0] >= better[1]
        differ = [a != b for a, b in zip(*better, strict=True)]
        decided = ["max:score", "longest"][differ.index(True)] if any(differ) else "first"
        assert row["policy"] == decided
        measured = ilk.compare([own["text"]], [keeper["text"]])
        assert row["resemblance"] == measured.resemblance
        assert row["verdict"] == measured.verdict
    assert set(result.dropped_rows["policy"].to_pylist()) == {"max:score", "longest", "first"}


def test_the_largest_clusters_have_the_form_that_find_gives_them(source: Path) -> None:
    largest = ilk.deduplicate(source).report["largest"]
    assert largest == ilk.find(source).report["largest"]
    assert all(row["keeper"].startswith(f"{source}#") for row in largest)


@pytest.mark.parametrize("pairing", ["exact", "fingerprint"])
def test_what_another_set_has_is_dropped_and_that_set_is_neither_kept_nor_judged(
    tmp_path: Path, pairing: str
) -> None:
    others = [family(1)[0], family(1)[1], family(2)[0]]
    own = [family(1)[2], family(2)[0].upper(), family(5)[0], family(5)[1], "alone"]
    other = write_rows(tmp_path / "test.jsonl", [{"text": text} for text in others])
    source = write_rows(tmp_path / "train.jsonl", [{"text": text} for text in own])
    result = ilk.deduplicate(source, against=other, pairing=pairing)
    assert result.keep_mask.to_pylist() == [False, False, True, False, True]
    rows = result.dropped_rows.to_pylist()
    assert [(row["doc"], row["verdict"], row["policy"]) for row in rows] == [
        (0, "near", "against"),
        (1, "exact", "against"),
        (3, "near", "first"),
    ]
    assert [row["keeper"] for row in rows] == [None, None, 2]
    assert [row["keeper_source"].rpartition("/")[2] for row in rows] == [
        "test.jsonl#0",
        "test.jsonl#2",
        "train.jsonl#2",
    ]
    assert result.report["against"] == 3
    assert result.report["documents"] == 5


def test_exact_only_and_exact_keys(source: Path) -> None:
    exact = ilk.deduplicate(source, exact=True)
    assert exact.report["dropped"] == {
        "exact": 1,
        "identical": exact.report["documents"] - exact.report["kept"] - 1,
    }
    texts = [row.get("text") for row in family_rows()]
    assert exact.keep_mask.to_pylist()[-6:] == [True] * 6
    assert (
        len({" ".join(t.casefold().split()) for t in texts if t and t.strip()}) + 4
        == (exact.report["kept"])
    )
    keys = ilk.deduplicate(source, key="score")
    assert keys.report["kept"] == len({row["score"] for row in family_rows()}) == 5
    assert set(keys.dropped_rows["verdict"].to_pylist()) == {"key"}
    assert keys.dropped_rows["resemblance"].null_count == len(keys.dropped_rows)


@pytest.mark.parametrize("form", ["jsonl", "csv", "parquet"])
def test_annotated_rows_are_all_there_with_what_was_found(tmp_path: Path, form: str) -> None:
    texts = [*family(1), 'alone, "quoted"\nand in two lines']
    table = pa.table({"id": [f"i{at}" for at in range(5)], "text": texts})
    source, output = tmp_path / f"in.{form}", tmp_path / f"out.{form}"
    if form == "parquet":
        pq.write_table(table, source)
    elif form == "csv":
        pa.csv = __import__("pyarrow.csv").csv
        pa.csv.write_csv(table, source)
    else:
        write_rows(source, [*table.to_pylist(), {}])
    result = ilk.deduplicate(source, output, annotate=True, alarm_loss=1)
    if form == "parquet":
        found = pq.read_table(output).to_pylist()
    elif form == "csv":
        import csv

        with output.open(newline="") as file:
            found = list(csv.DictReader(file))
    else:
        found = [json.loads(line) for line in output.read_text().splitlines()]
        assert found.pop() == {
            "ilk_cluster": None,
            "ilk_verdict": "unique",
            "ilk_keeper": None,
            "ilk_resemblance": None,
        }
    assert [row["text"] for row in found] == texts
    assert next(row["ilk_verdict"] for row in found) == "keeper"
    assert found[4]["ilk_verdict"] == "unique"
    assert {str(row["ilk_cluster"]) for row in found[:4]} == {"0"}
    measured = dict(
        zip(
            result.clusters["doc"].to_pylist(),
            result.clusters["resemblance"].to_pylist(),
            strict=True,
        )
    )
    assert [float(row["ilk_resemblance"]) for row in found[:4]] == [measured[at] for at in range(4)]


def test_a_near_cluster_or_a_loss_that_is_too_large_is_an_alarm(source: Path) -> None:
    output = source.with_name("out.jsonl")
    beside = source.with_name("out.jsonl.ilk")
    with pytest.raises(
        AlarmRaised, match=r"cluster \d+ has \d documents, .*No output was written. Look at .*ilk "
    ) as raised:
        ilk.deduplicate(source, output, alarm_documents=2, alarm_share=0.01)
    assert raised.value.folder == beside
    with pytest.raises(
        AlarmRaised, match=r"loses \d+ of 48 rows to near-duplicates, more than 20%"
    ):
        ilk.deduplicate(source, output, alarm_loss=0.2)
    assert not output.exists()
    # What to look at is there, and is a plan.
    report = json.loads((beside / "report.json").read_text())
    assert "more than 20%" in " ".join(report["alarms"])
    with pytest.raises(AlarmRaised, match="Nothing was written"):
        row_plan.apply_rows_only_plan_and_count_rows(beside, output)
    planned = output.with_name("planned.jsonl")
    count = row_plan.apply_rows_only_plan_and_count_rows(beside, planned, accept_alarm=True)
    ilk.deduplicate(source, output, alarm_loss=0.2, accept_alarm=True)
    assert output.read_bytes() == planned.read_bytes()
    assert len(output.read_bytes().splitlines()) == count
    # After that the folder tells what was written, and is no plan any more.
    assert not (beside / "plan.json").exists()
    assert not (beside / "work").exists()
    # A table cannot be planned for; its accounts are there all the same.
    table, other = pa.Table.from_pylist(family_rows()), source.with_name("other.parquet")
    with pytest.raises(AlarmRaised, match="No output was written"):
        ilk.deduplicate(table, other, alarm_loss=0.2)
    accounts = source.with_name("other.parquet.ilk")
    assert (accounts / "clusters.parquet").exists()
    assert not (accounts / "plan.json").exists()
    assert not other.exists()
    # Copies raise no alarm, however many.
    copies = pa.table({"text": ["the same text"] * 50})
    assert ilk.deduplicate(copies, alarm_documents=2, alarm_loss=0.1).alarms == []


def test_an_output_that_exists_or_is_the_input_is_refused_before_any_work(source: Path) -> None:
    output = source.with_name("out.jsonl")
    output.write_text("mine\n")
    with pytest.raises(OutputError, match="already exists"):
        ilk.deduplicate(source, output)
    with pytest.raises(OutputError, match="which are never overwritten"):
        ilk.deduplicate(source, source, force=True)
    assert output.read_text() == "mine\n"
    ilk.deduplicate(source, output, force=True)
    assert output.read_text() != "mine\n"


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"resemblance": 0}, "resemblance"),
        ({"keep": "tallest"}, "keep is 'tallest'"),
        ({"keep": "newest"}, "newest:COLUMN"),
        ({"linkage": "loose"}, "linkage"),
        ({"exact": True, "key": "id"}, "`exact` and `key`"),
        ({"memory": "much"}, "memory"),
        ({"alarm_loss": 2}, "alarm_loss"),
        ({"memory": "1"}, "needs at least"),
    ],
)
def test_wrong_options_are_refused(source: Path, wrong: dict[str, Any], message: str) -> None:
    with pytest.raises(OptionError, match=message):
        ilk.deduplicate(source, **wrong)


def test_zero_rows(tmp_path: Path) -> None:
    source, output = write_rows(tmp_path / "in.jsonl", []), tmp_path / "out.jsonl"
    result = ilk.deduplicate(source, output)
    assert (result.report["documents"], result.report["kept"], output.read_bytes()) == (0, 0, b"")
    assert len(ilk.deduplicate(text_table([])).to_arrow()) == 0


@pytest.mark.parametrize("pairing", ["exact", "fingerprint"])
@pytest.mark.parametrize("linkage", ["anchored", "connected"])
def test_nothing_that_is_found_depends_on_the_memory(
    source: Path, pairing: str, linkage: str
) -> None:
    def decided(room: int) -> Result:
        with narrow_memory(room, piece=room):
            return ilk.deduplicate(source, pairing=pairing, linkage=linkage)

    wide = ilk.deduplicate(source, pairing=pairing, linkage=linkage)
    for room in (20_000, 60_000):
        narrow = decided(room)
        assert narrow.keep_mask.equals(wide.keep_mask)
        assert narrow.clusters.equals(wide.clusters)
        assert narrow.report["promise"] == wide.report["promise"]


def test_the_kept_rows_as_a_table(source: Path) -> None:
    result = ilk.deduplicate(source)
    table = result.to_arrow()
    assert table.column_names == ["source", "id", "text"]
    assert len(table) == result.report["kept"]
    memory = pa.table({"text": family(1), "n": [1, 2, 3, 4]})
    assert ilk.deduplicate(memory).to_arrow().to_pylist() == [{"text": family(1)[0], "n": 1}]
    assert "<table>" in result._repr_html_()


def test_the_page_needs_no_network_and_escapes_what_it_shows(tmp_path: Path) -> None:
    text = "<script src='http://a.example/b.js'></script> " + " ".join(WORDS * 2)
    source = write_rows(tmp_path / "in.jsonl", [{"text": text}, {"text": text + " more"}])
    ilk.deduplicate(source, tmp_path / "out.jsonl")
    page = (tmp_path / "out.jsonl.ilk" / "report.html").read_text()
    assert "&lt;script" in page
    assert page.count("<script") == 2
    assert not [word for word in ("<link", "<img", "<iframe", "url(") if word in page]


def test_the_result_depends_on_neither_threads_nor_batches(source: Path) -> None:
    outputs = []
    for jobs in (1, 3):
        output = source.with_name(f"out{jobs}.jsonl")
        ilk.deduplicate(source, output, jobs=jobs)
        beside = output.with_name(output.name + ".ilk")
        outputs.append(
            [
                output.read_bytes(),
                *(
                    (beside / name).read_bytes()
                    for name in ("clusters.parquet", "pairs.parquet", "dropped.parquet")
                ),
            ]
        )
    assert outputs[0] == outputs[1]
