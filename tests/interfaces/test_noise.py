"""``--noise`` as a user meets it."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pyarrow.parquet as pq
import pytest

import ilk
from ilk.base.errors import OptionError
from ilk_papers.measure.noising import make_noisy
from tests.support.command_line import Run


def _prose(seed: int) -> str:
    """A text of a page, of words that no other text has in that order."""
    draw = random.Random(seed)
    known = ["".join(draw.choices("aeiounrstlmdkpgf", k=draw.randint(2, 9))) for _ in range(300)]
    return ". ".join(" ".join(draw.choices(known, k=11)) for _ in range(14))


CLEAN, OTHER = _prose(1), _prose(2)


@pytest.fixture(autouse=True)
def texts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    Path("in").mkdir()
    Path("in/clean.txt").write_text(CLEAN)
    Path("in/scan.txt").write_text(make_noisy(CLEAN, 0.05, 1))
    Path("in/other.txt").write_text(OTHER)


def test_scans_are_found_only_where_they_are_looked_for(run: Run) -> None:
    assert run("scan", "in")[0] == 1
    code, out, err = run("scan", "in", "--noise", "5%")
    assert (code, err) == (0, "")
    assert "noisy: 2 documents" in out
    assert "noisy copies with 5 % wrong characters" in out.replace("\n", " ")
    line = next(line for line in out.splitlines() if "scan.txt" in line)
    assert line.split()[:3] == ["stays", "95.0%", "noisy"]
    assert "Noisy copies of their keeper: 1" in out


def test_records_have_the_agreement_only_where_it_was_asked_for(run: Run) -> None:
    lines = run("scan", "in", "--noise", "--format", "jsonl")[1].splitlines()
    cluster, summary = map(json.loads, lines)
    assert cluster["kind"] == "noisy"
    assert [member["verdict"] for member in cluster["members"]] == ["identical", "noisy"]
    assert cluster["members"][0]["agreement"] is None
    assert 0.9 <= cluster["members"][1]["agreement"] < 1
    assert summary["summary"]["noise"]["members"] == 1
    pairs = run("scan", "in", "--noise", "--format", "pairs,jsonl")[1].splitlines()
    assert json.loads(pairs[0])["agreement"] == cluster["members"][1]["agreement"]
    assert "agreement" not in run("scan", "in", "--format", "jsonl")[1]
    flat = run("scan", "in", "--noise", "--format", "flat")[1].splitlines()
    assert json.loads(flat[0])["agreement"] == cluster["members"][1]["agreement"]


def test_a_plan_proposes_to_keep_noisy_copies(run: Run) -> None:
    run("scan", "in", "--noise", "--plan", "plan.jsonl")
    rows = [json.loads(line) for line in Path("plan.jsonl").read_text().splitlines()]
    assert {member["action"] for row in rows[1:] for member in row["members"]} == {"keep"}


def test_rows_that_are_noisy_copies_are_dropped(run: Run) -> None:
    rows = [{"id": name, "text": Path(f"in/{name}.txt").read_text()} for name in ("clean", "scan")]
    Path("rows.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    code, out, _ = run("dedup", "rows.jsonl", "-o", "once.jsonl", "--noise", "5%")
    assert code == 0
    assert "dropped as noisy" in out
    assert [json.loads(line)["id"] for line in Path("once.jsonl").read_text().splitlines()] == [
        "clean"
    ]
    clusters = pq.read_table("once.jsonl.ilk/clusters.parquet")
    assert clusters["agreement"].to_pylist()[0] is None


def test_noisy_copies_of_a_baseline_are_dropped_and_the_baseline_stays() -> None:
    scan = make_noisy(CLEAN, 0.05, 1)
    found = ilk.deduplicate([scan, OTHER], against=[CLEAN], noise="5%", jobs=1)
    assert found.dropped_rows["verdict"].to_pylist() == ["noisy"]
    assert found.report["kept"] == 1


def test_a_comparison_marks_wrong_characters_within_words(run: Run) -> None:
    Path("a.txt").write_text("The modern keeper wrote of the light")
    Path("b.txt").write_text("The modem keeper wrotc of the light")
    code, out, _ = run("compare", "a.txt", "b.txt", "--noise", "10%", "--diff")
    assert "mode[-rn-]{+m+}" in out
    assert "wrot[-e-]{+c+}" in out
    assert code == 0
    run("compare", "a.txt", "b.txt", "--noise", "10%", "--html", "page.html")
    page = Path("page.html").read_text()
    assert "mode<del>rn</del>" in page
    assert "wrot<del>e</del>" in page
    assert 'mode<del class="was">rn</del><ins>m</ins>' in page
    assert 'wrot<del class="was">e</del><ins>c</ins>' in page
    run("compare", "a.txt", "b.txt", "--html", "words.html")
    assert "<del>modern</del> " in Path("words.html").read_text()
    code, out, _ = run("compare", "in/clean.txt", "in/scan.txt", "--noise", "5%")
    assert "verdict            noisy" in out
    assert "agreement          0.95" in out
    record = json.loads(run("compare", "a.txt", "b.txt", "--format", "jsonl")[1])
    assert "agreement" not in record


def test_a_comparison_takes_short_texts_and_other_numbers_for_no_noisy_copies() -> None:
    """A search does not either: one judge decides both."""
    for texts in (["keeper", "kceper"], ["Page 1,234 of 98,765", "Page 1,244 of 98,765"]):
        compared = ilk.compare(texts[:1], texts[1:], noise="10%")
        assert compared.verdict != "noisy"
        assert (compared.agreement or 0) > 0.8
        searched = ilk.find(texts, noise="10%", jobs=1, resemblance=1)
        assert "noisy" not in searched.pairs["verdict"].to_pylist()
    longer = ["the keeper of the great light", "the kceper of the great light"]
    assert ilk.compare(longer[:1], longer[1:], noise="10%").verdict == "noisy"


def test_copies_read_in_another_order_of_columns_are_found() -> None:
    half = CLEAN.index(" ", len(CLEAN) // 2)
    turned = make_noisy(CLEAN[half:] + " " + CLEAN[:half], 0.03, 2)
    found = ilk.find([CLEAN, turned, OTHER], noise="5%", jobs=1)
    assert found.labels()["verdict"].to_pylist() == ["keeper", "noisy", "unique"]


def test_edits_are_no_noise() -> None:
    words = CLEAN.split()
    edited = " ".join("edited" if at % 16 == 0 else word for at, word in enumerate(words))
    found = ilk.find([CLEAN, edited], resemblance=0.99, noise="10%", jobs=1)
    assert len(found) == 0


def test_texts_that_differ_in_numbers_alone_are_named_so_and_not_noisy_copies() -> None:
    texts = ["annual report of the harbour 2013", "annual report of the harbour 2014"]
    found = ilk.find(texts, resemblance=0.99, noise="10%", jobs=1)
    assert found.labels()["verdict"].to_pylist() == ["keeper", "numbers_only"]
    assert found.pairs["verdict"].to_pylist() == ["numbers_only"]


def test_a_cluster_gives_way_whole_or_not_at_all() -> None:
    near = CLEAN + " The end."
    scan = make_noisy(CLEAN, 0.04, 3)
    found = ilk.find([scan, CLEAN, near], noise="5%", jobs=1)
    assert found.labels()["verdict"].to_pylist() == ["keeper", "noisy", "noisy"]
    connected = ilk.find([scan, CLEAN, near], noise="5%", linkage="connected", jobs=1)
    assert len(set(connected.labels()["cluster"].to_pylist())) == 1


@pytest.mark.parametrize("noise", ["0", "11%", "1", "much"])
def test_rates_out_of_bounds_are_refused(run: Run, noise: str) -> None:
    code, _, err = run("scan", "in", "--noise", noise)
    assert code == 2
    assert "noise" in err
    assert "above 0 and at most 0.1" in err


@pytest.mark.parametrize(
    "options",
    [{"radius": 3}, {"pairing": "fingerprint"}, {"similarity": "90%"}],
)
def test_fingerprints_and_noise_exclude_each_other(options: dict[str, object]) -> None:
    with pytest.raises(OptionError, match="nominates by shingles of characters"):
        ilk.find([CLEAN], noise="5%", **options)  # type: ignore[arg-type]


def test_a_store_finds_scans_of_what_it_has(run: Run) -> None:
    code, out, err = run("store", "add", "s.ilk", "in/clean.txt", "in/other.txt", "--noise")
    assert (code, err) == (0, "")
    code, out, _ = run("store", "check", "s.ilk", "in/scan.txt")
    line = out.splitlines()[1].split()
    assert (code, line[0], line[-1]) == (0, "noisy", "in/clean.txt")
    assert float(line[1].rstrip("%")) >= 90
    record = json.loads(run("store", "check", "s.ilk", "in/scan.txt", "--format", "jsonl")[1])
    assert 0.9 <= record["matches"][0]["agreement"] < 1
    synced = run("store", "sync", "folder.ilk", "in", "--noise", "5%")
    assert synced[0] == 0
    assert "noisy" in synced[1]
    assert run("store", "add", "s.ilk", "in/scan.txt", "--noise", "2%")[0] == 2


def test_equal_texts_and_noise_exclude_each_other(run: Run) -> None:
    Path("rows.jsonl").write_text('{"text": "a"}\n')
    assert run("dedup", "rows.jsonl", "--noise", "5%", "--exact")[0] == 2
    code, _, err = run("dedup", "rows.jsonl", "--noise", "5%", "--engine", "spark")
    assert (code, "does not support" in err) == (2, True)
