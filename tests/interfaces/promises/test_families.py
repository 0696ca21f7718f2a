"""Every near partner is seen, and every line that promises is true of what is printed above it."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pyarrow.parquet as pq
import pytest

import ilk
from ilk.base.sizes import spell_size
from tests.support.command_line import Run

DATA = Path(__file__).parents[4] / "shared" / "data"

WORDS = [
    f"{first}{second}" for first in ("ab", "ce", "di", "fo", "gu") for second in "klmnoprstvwxyz"
] * 2
WORDS = [f"{word}{'x' * (at // 70)}" for at, word in enumerate(WORDS)]

#: A chain: the second is like the first and the third, which are not alike.
CHAIN = {name: " ".join(WORDS[at : at + 100]) for name, at in (("1", 0), ("2", 9), ("3", 18))}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A chain of three documents, and two copies."""
    for name, text in {**CHAIN, "copy1": "one two three", "copy2": "one two three"}.items():
        (tmp_path / f"{name}.txt").write_text(text)
    return tmp_path


@pytest.fixture
def rows(tmp_path: Path) -> Path:
    path = tmp_path / "rows.jsonl"
    path.write_text("".join(json.dumps({"text": text}) + "\n" for text in CHAIN.values()))
    return path


def test_a_document_below_the_threshold_to_the_keeper_is_shown(
    folder: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)
    code, out, _ = run("scan", ".")
    assert code == 0
    near, copy = ((folder / name).stat().st_size for name in ("2.txt", "copy2.txt"))
    assert out.splitlines() == [
        "family: 3 documents in 2 clusters",
        "  near: 2 documents",
        "    keep                        ./1.txt  (it is older)",
        "    stays  83.2%  near          ./2.txt  (9 runs its keeper lacks)",
        "  alone",
        "    keep                        ./3.txt",
        "          also 83.2% like ./2.txt",
        "",
        f"identical: 2 documents, {spell_size(copy)} could go",
        "  keep                        ./copy1.txt  (it is older)",
        "  goes  100.0%  identical     ./copy2.txt",
        "",
        "5 documents read, 5 of them in 2 families.",
        "1 of these is like another member, but like no keeper.",
        f"1 file, {copy} B: the same bytes stay.",
        f"1 file, {near} B, is nearly the same (--drop near); 9 runs of 3 words stand in it,",
        "and not in its keeper.",
        "exact: every document at resemblance >= 0.8 to another is in its family",
    ]


def test_a_line_of_json_is_a_cluster_with_its_family(folder: Path, run: Run) -> None:
    _, out, _ = run("scan", folder, "--format", "jsonl")
    near, alone, _, last = (json.loads(line) for line in out.splitlines())
    for cluster in (near, alone):
        assert list(cluster) == ["family", "cluster", "kind", "keeper", "also_like", "members"]
    assert (near["family"], near["cluster"], near["kind"]) == (0, 0, "near")
    assert near["also_like"] is None
    assert [member["verdict"] for member in near["members"]] == ["identical", "near"]
    also = {"source": f"{folder}/2.txt", "resemblance": 89 / 107}
    assert (alone["family"], alone["cluster"], alone["also_like"]) == (0, 1, also)
    assert [member["source"] for member in alone["members"]] == [f"{folder}/3.txt"]
    counts = {"families": 2, "in_families": 5, "clusters": 2, "in_clusters": 4, "alone": 1}
    assert counts.items() <= last["summary"].items()


def test_rows_have_the_names_that_json_has(folder: Path, tmp_path: Path, run: Run) -> None:
    _, text, _ = run("scan", folder, "--format", "csv")
    read = list(csv.DictReader(io.StringIO(text)))
    out = tmp_path / "out.parquet"
    run("scan", folder, "--format", "parquet", "-o", out)
    table = pq.read_table(out)
    names = ["family", "cluster", "kind", "keeper", "also_like", "also_resemblance", "source"]
    names += ["id", "verdict", "distance", "resemblance", "contained_in_keeper", "contains_keeper"]
    names.append("size")
    assert list(read[0]) == table.column_names == names
    assert [row["verdict"] for row in read] == table["verdict"].to_pylist()
    sizes = [Path(row["source"]).stat().st_size for row in read]
    assert [int(row["size"]) for row in read] == table["size"].to_pylist() == sizes
    assert table["also_like"].to_pylist()[2] == f"{folder}/2.txt"
    assert ilk.find(folder).to_arrow().column_names == names


def test_a_data_set_counts_rows_that_stay_and_are_like_a_dropped_one(rows: Path, run: Run) -> None:
    code, out, _ = run("dedup", rows)
    assert code == 0
    assert "1 row stays although it is like a dropped one." in out
    assert "exact: every row at resemblance >= 0.8 to a row that stays is dropped" in out
    result = ilk.deduplicate(rows)
    assert (result.report["kept"], result.report["like_dropped"]) == (2, 1)
    assert ilk.deduplicate(rows, keep="central").report["like_dropped"] == 0


def test_clusters_of_a_data_set_have_the_same_names_in_every_form(rows: Path, run: Run) -> None:
    run("dedup", rows, "-o", rows.parent / "out.jsonl")
    _, text, _ = run("dedup", rows, "--format", "csv")
    read = list(csv.DictReader(io.StringIO(text)))
    files = rows.parent / "out.jsonl.ilk"
    names = [*read[0]]
    assert names == [*ilk.find(rows).to_arrow().column_names, "policy"]
    _, lines, _ = run("dedup", rows, "--format", "jsonl")
    cluster = json.loads(lines.splitlines()[0])
    assert set(cluster) - {"members"} | set(cluster["members"][0]) <= set(names)
    for name in ("clusters", "dropped", "pairs"):
        table = pq.read_table(files / f"{name}.parquet")
        assert table.column_names[: len(names)] == names
        numbers = ["doc", "keeper_doc", "keeper_id", "also_like_doc"]
        assert table.column_names[len(names) :] == numbers
    assert [row["verdict"] for row in read] == ["identical", "near", "identical"]
    assert [row["keeper"] for row in read] == [f"{rows}#0", f"{rows}#0", f"{rows}#2"]
    assert [row["policy"] for row in read] == ["", "first", ""]


def test_a_report_names_sources_members_and_options(rows: Path, run: Run) -> None:
    run("dedup", rows, "-o", rows.parent / "out.jsonl", "--keep", "first")
    page = (rows.parent / "out.jsonl.ilk" / "report.html").read_text()
    assert f"duplicates in <bdi>{rows}</bdi></span>" in page
    # The folder that all names have in common stands above them, and in none of them.
    folder = f"{rows.parent}/".replace("/", "/<wbr>")
    assert page.count(f'<p class="where"><bdi>{folder}</bdi></p>') == 1
    for source in (f"{rows.name}#0", f"{rows.name}#1", f"{rows.name}#2"):
        assert f'<span class="name"><bdi>{source}</bdi></span>' in page
    assert f"{rows}#" not in page[page.index('<div id="list"') :]
    also = page[page.index("also like</span>") :]
    assert also.index(f"<bdi>{rows.name}#1</bdi>") < also.index("</li>")
    assert '</i>near</span><span class="num">83.2%</span>' in page
    resemblance = (
        "<td><bdi>--resemblance</bdi></td><td><bdi>80%</bdi></td><td><bdi>the least share of"
    )
    assert resemblance in page
    assert "<td><bdi>--keep</bdi></td><td><bdi>first</bdi></td>" in page
    assert "None" not in page


def test_what_a_baseline_takes_is_dropped_and_may_be_like_one_that_stays(tmp_path: Path) -> None:
    test, train = tmp_path / "test.jsonl", tmp_path / "train.jsonl"
    first, *rest = (json.dumps({"text": text}) + "\n" for text in CHAIN.values())
    test.write_text(first)
    train.write_text("".join(rest))
    for linkage in ("anchored", "connected"):
        result = ilk.deduplicate(train, against=test, linkage=linkage)
        assert result.dropped_rows["keeper_source"].to_pylist() == [f"{test}#0"]
        assert result.report["like_dropped"] == 1
        assert result.clusters["family"].unique().to_pylist() == [0]


@pytest.mark.parametrize("verb", ["scan", "dedup"])
def test_the_central_document_stays(folder: Path, rows: Path, run: Run, verb: str) -> None:
    source, keeper = (folder / "?.txt", "2.txt") if verb == "scan" else (rows, "#1")
    paths = sorted(folder.glob("?.txt")) if verb == "scan" else [source]
    _, out, _ = run(verb, *paths, "--keep", "central", "--format", "jsonl")
    cluster, last = (json.loads(line) for line in out.splitlines())
    assert cluster["keeper"].endswith(keeper)
    assert len(cluster["members"]) == 3
    assert last["summary"]["options"]["keep"] == ["central"]


def test_a_promise_says_what_it_is_about(folder: Path, rows: Path, run: Run) -> None:
    _, out, _ = run("scan", folder, "--limit", "blocks=100")
    assert "to another is in its family; common blocks are left out of all texts\n" in out
    _, out, _ = run("dedup", rows, "--exact")
    assert "exact: every row with the text of a row that stays is dropped" in out
    _, out, _ = run("dedup", rows, "--key", "text")
    assert "exact: every row with the key of a row that stays is dropped" in out


def test_ties_for_the_centre_go_to_the_first() -> None:
    texts = list(CHAIN.values())
    assert ilk.find(texts[:2], keep="central").clusters["keeper"].to_pylist() == [0, 0]
    both = ilk.find(texts[:2], keep=["central", "last"])
    assert both.clusters["keeper"].to_pylist() == [1, 1]
    copied = ilk.find([texts[0], texts[2], texts[1], texts[0]], keep="central")
    assert copied.clusters["keeper"].unique().to_pylist() == [2]


@pytest.mark.parametrize(
    ("options", "promise"),
    [
        ([], "exact: every document at resemblance >= 0.9 to another is in its family"),
        (["--format", "pairs"], "exact: every pair at resemblance >= 0.9 is here"),
    ],
)
def test_a_promise_is_of_what_is_printed(
    folder: Path, run: Run, options: list[str], promise: str
) -> None:
    _, out, _ = run("scan", folder, "--resemblance", "0.9", *options)
    assert promise in out.splitlines()  # What to type next may follow.


@pytest.mark.parametrize(
    ("name", "kinds"),
    [("scancode-licenses", 35), ("quic-drafts", 9), ("spdx", None)],
)
def test_near_partners_of_real_documents_are_shown(name: str, kinds: int | None) -> None:
    if not (DATA / name).is_dir():
        pytest.skip(f"needs ../shared/data/{name}")
    result = ilk.find(DATA / name)
    paired = {row for side in ("left", "right") for row in result.pairs[side].to_pylist()}
    assert paired == set(result.clusters["doc"].to_pylist())
    alone = result.clusters.filter(result.clusters["also_like"].is_valid())
    sizes = result.clusters["cluster"].to_pylist()
    single = [row for row in alone.to_pylist() if sizes.count(row["cluster"]) == 1]
    assert len(single) == result.report["alone"]
    assert all(row["also_resemblance"] >= 0.8 for row in alone.to_pylist())
    if kinds is not None:
        assert len(single) == kinds
