"""What a person has called different is never put together again."""

from __future__ import annotations

import itertools
import json
from pathlib import Path

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import ilk
from ilk.base.errors import LabelsError, OptionError, PlanError
from ilk.tasks.labels import merge_labels_and_count_changes, read_tab_separated_labels
from tests.support.command_line import Run
from tests.support.fixtures import examples

WORDS = [f"word{n}" for n in range(100)]
TEXT = " ".join(WORDS)
LIKE = {
    "a": TEXT,
    "b": TEXT,
    "c": TEXT.replace("word50", "other"),
    "d": TEXT.replace("word20", "another"),
    "e": "something else that is like no other text here",
}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("in").mkdir()
    for name, text in LIKE.items():
        Path("in", f"{name}.txt").write_text(text)
    return tmp_path


def rows(pairs: list[tuple[str, str]], value: int = 0) -> str:
    return "".join(f"{left}\t{right}\t{value}\n" for left, right in pairs)


PAIRS = list(itertools.combinations("abcd", 2))


@pytest.mark.parametrize("linkage", ["anchored", "connected"])
@pytest.mark.parametrize("pairing", ["exact", "fingerprint"])
@examples(12, deadline=None)
@given(different=st.lists(st.sampled_from(PAIRS), unique=True, min_size=1))
def test_no_cluster_holds_two_documents_that_were_called_different(
    linkage: str,
    pairing: str,
    different: list[tuple[str, str]],
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    labels = tmp_path_factory.mktemp("labels") / "labels.tsv"
    labels.write_text(rows(different))
    ids = pa_rows()
    results = (
        ilk.find(ids, labels=labels, linkage=linkage, pairing=pairing),
        ilk.deduplicate(ids, labels=labels, linkage=linkage, pairing=pairing),
    )
    for result in results:
        clusters = [
            {member.id for member in cluster.members}
            for family in result
            for cluster in family.clusters
        ]
        for left, right in different:
            assert not any({left, right} <= cluster for cluster in clusters), clusters
    names = list(LIKE)
    listed = {(names[row["left"]], names[row["right"]]) for row in results[0].pairs.to_pylist()}
    assert not listed & set(different)


def pa_rows() -> pa.Table:
    return pa.table({"id": list(LIKE), "text": list(LIKE.values())})


def test_without_labels_all_are_one_family() -> None:
    (family,) = ilk.find(pa_rows())
    assert len(family) == 4


def test_documents_that_are_only_different_are_no_family(folder: Path, run: Run) -> None:
    labels = folder / "labels.tsv"
    labels.write_text(rows([(f"in/{a}.txt", f"in/{b}.txt") for a, b in PAIRS]))
    code, out, _ = run("scan", "in", "--labels", labels)
    assert code == 1
    assert "Kept apart as labelled: 6 pairs" in out


def test_labels_of_other_documents_say_nothing(folder: Path, run: Run) -> None:
    labels = folder / "labels.tsv"
    labels.write_text("x\ty\t0\nin/a.txt\tin/c.txt\t1\n")
    _, plain, _ = run("scan", "in")
    assert run("scan", "in", "--labels", labels)[1] == plain


def test_copies_of_a_key_stay_apart_too(tmp_path: Path) -> None:
    labels = tmp_path / "labels.tsv"
    labels.write_text(rows([("a", "b")]))
    assert ilk.deduplicate(pa_rows(), exact=True).report["kept"] == 4
    assert ilk.deduplicate(pa_rows(), exact=True, labels=labels).report["kept"] == 5


def test_labels_are_refused_where_bits_decide(tmp_path: Path) -> None:
    labels = tmp_path / "labels.tsv"
    labels.write_text("a\tb\t0\n")
    with pytest.raises(OptionError, match="unverified"):
        ilk.find(pa_rows(), labels=labels, radius=3, unverified=True)


def test_what_a_plan_says_is_kept_and_heeded(folder: Path, run: Run) -> None:
    """By the plan itself, which leaves the file alone, and by every later scan."""
    run("scan", "in", "--plan", "plan.jsonl", "--drop", "near")
    head, line = map(json.loads, (folder / "plan.jsonl").read_text().splitlines())
    line["members"][2]["label"], line["members"][1]["label"] = "different", "same"
    (folder / "plan.jsonl").write_text(f"{json.dumps(head)}\n{json.dumps(line)}\n")
    code, _, err = run("apply", "plan.jsonl", "--labels", "labels.tsv")
    assert code == 0
    assert "2 labels added to labels.tsv" in err
    said = [
        (each.left, each.right, float(each.value))
        for each in read_tab_separated_labels("labels.tsv")
    ]
    assert said == [("in/a.txt", "in/b.txt", 1), ("in/a.txt", "in/c.txt", 0)]
    assert "0 labels added" in run("apply", "plan.jsonl", "--labels", "labels.tsv")[2]
    run("apply", "plan.jsonl", "--move-to", "aside", "--yes")
    assert sorted(path.name for path in (folder / "in").iterdir()) == ["a.txt", "c.txt", "e.txt"]
    assert run("scan", "in")[0] == 0
    assert run("scan", "in", "--labels", "labels.tsv")[0] == 1


def test_a_label_that_is_no_word_is_refused(folder: Path, run: Run) -> None:
    run("scan", "in", "--plan", "plan.jsonl")
    text = (folder / "plan.jsonl").read_text().replace('"size"', '"label": "maybe", "size"', 1)
    (folder / "plan.jsonl").write_text(text)
    code, _, err = run("apply", "plan.jsonl", "--labels", "labels.tsv")
    assert (code, "it must be same or different" in err) == (2, True)
    from ilk.tasks.apply import file_plan

    with pytest.raises(PlanError):
        file_plan.read_plan("plan.jsonl")


def test_a_later_label_replaces_an_earlier_one(tmp_path: Path) -> None:
    file = tmp_path / "labels.tsv"
    file.write_text("a\tb\t1\nc\td\n")
    assert (
        merge_labels_and_count_changes(
            file, [("b", "a", False), ("c", "d", False), ("e", "f", True)]
        )
        == 3
    )
    assert file.read_text() == "b\ta\t0\nc\td\t0\ne\tf\t1\n"
    with pytest.raises(LabelsError, match="cannot be written"):
        merge_labels_and_count_changes(file, [("a\tb", "c", True)])
    file.write_bytes(b"caf\xe9\tb\n")
    for unreadable in (file, tmp_path):
        with pytest.raises(LabelsError, match="cannot read labels from"):
            merge_labels_and_count_changes(unreadable, [("a", "b", True)])


def test_rows_are_named_by_the_names_that_are_printed(folder: Path, run: Run) -> None:
    rows = pa_rows().drop_columns("id").to_pylist()
    (folder / "rows.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    words = ("dedup", "rows.jsonl", "--accept-alarm", "-o")
    run(*words, "all.jsonl")
    (folder / "labels.tsv").write_text("rows.jsonl#0\trows.jsonl#2\t0\n")
    run(*words, "apart.jsonl", "--labels", "labels.tsv")
    kept = [Path(name).read_text().count("\n") for name in ("all.jsonl", "apart.jsonl")]
    assert kept == [2, 3]


@pytest.mark.usefixtures("folder")
def test_labels_that_part_no_document_of_the_folder_change_nothing(run: Run) -> None:
    """Those are labels of the same, and of documents that are elsewhere."""
    for value, pair in ((1, ("in/a.txt", "in/c.txt")), (0, ("x.txt", "y.txt"))):
        Path("labels.tsv").write_text(rows([pair], value))
        for more in ([], ["--labels", "labels.tsv"]):
            assert run("scan", "in", "--plan", f"plan{len(more)}.jsonl", "--force", *more)[0] == 0
        members = [
            [json.loads(row).get("members") for row in Path(name).read_text().splitlines()]
            for name in ("plan0.jsonl", "plan2.jsonl")
        ]
        assert members[0] == members[1]
