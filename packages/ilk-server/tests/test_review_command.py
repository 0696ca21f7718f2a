"""``ilk review``: a plan decided in a browser, written, applied, and heeded by the next search."""

from __future__ import annotations

import json
from pathlib import Path

import httpx
import pytest
from server_support import Served
from tests.support.command_line import Run
from tests.support.families import family

from ilk_server.decisions import Decisions, decisions_path


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of two families, and the plan for it."""
    monkeypatch.chdir(tmp_path)
    Path("in").mkdir()
    for seed in (1, 2):
        for at, text in enumerate(family(seed, 3)):
            Path("in", f"{seed}-{at}.txt").write_text(text)
    return tmp_path


def test_a_plan_is_decided_applied_and_heeded(folder: Path, run: Run) -> None:
    assert run("scan", "in", "--plan", "plan.jsonl", "--drop", "near")[0] == 0
    assert "there are no decisions" in run("review", "plan.jsonl", "-o", "x.jsonl")[2]
    it = Served(folder / "plan.jsonl", verb="review")
    try:
        assert it.said[0].startswith("token: ilk_")
        head = {"Authorization": f"Bearer {it.token}"}
        with httpx.Client(base_url=it.url, headers=head, follow_redirects=True) as http:
            page = http.get("/")
            assert (page.status_code, "0 of 4 documents decided" in page.text) == (200, True)
            shown = http.get("/review/family/0").text
            assert "<ins>" in shown
            for member, said in (("in/1-1.txt", "different"), ("in/1-2.txt", "keeper")):
                names = {"cluster": "in/1-0.txt", "keeper": "in/1-0.txt", "name": member}
                body = {**{k: json.dumps(v) for k, v in names.items()}, "said": said, "seen": "9"}
                assert http.post("/review/family/0", data=body).status_code == 200
            plan = http.get("/review/plan.jsonl").content
            labels = http.get("/review/labels.tsv").content
            assert http.get("/stats").status_code == 404
            assert httpx.get(f"{it.url}/review").status_code == 401
        # What was acknowledged is on disk, whatever happens.
        assert it.end(9)[0] == -9
    finally:
        it.close()
    assert run("review", "plan.jsonl", "-o", "decided.jsonl", "--labels", "labels.tsv")[0] == 0
    written = [json.loads(line) for line in Path("decided.jsonl").read_text().splitlines()]
    assert written == [json.loads(line) for line in plan.splitlines()]
    assert Path("labels.tsv").read_bytes() == labels
    assert run("review", "plan.jsonl", "-o", "decided.jsonl")[0] == 2
    assert run("apply", "decided.jsonl", "--move-to", "aside", "--yes")[0] == 0
    left = sorted(path.name for path in Path("in").iterdir())
    # Nobody has decided of the second family: the plan stays as it was proposed.
    assert left == ["1-1.txt", "1-2.txt", "2-0.txt"]
    assert run("scan", "in")[0] == 0
    assert run("scan", "in", "--labels", "labels.tsv")[0] in (0, 1)


def test_a_plan_of_rows_is_reviewed_too(folder: Path, run: Run) -> None:
    rows = [{"text": text} for seed in (1, 2) for text in family(seed, 3)]
    rows += [{"text": family(seed, 1)[0]} for seed in range(10, 20)]
    Path("rows.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    assert run("dedup", "rows.jsonl", "--plan", "plan")[0] == 0
    it = Served(folder / "plan", verb="review")
    try:
        head = {"Authorization": f"Bearer {it.token}"}
        with httpx.Client(base_url=it.url, headers=head, follow_redirects=True) as http:
            assert "0 of 4 documents decided" in http.get("/review").text
            page = http.get("/review/next").text
            assert "<ins>" in page
            assert "rows.jsonl#1" in page
            names = {"cluster": "rows.jsonl#0", "keeper": "rows.jsonl#0", "name": "rows.jsonl#1"}
            body = {**{k: json.dumps(v) for k, v in names.items()}, "said": "different"}
            assert http.post("/review/family/0", data=body).status_code == 200
            labels = http.get("/review/labels.tsv").text
    finally:
        it.close()
    code, _, err = run("review", "plan", "-o", "decided")
    assert (code, "write the --labels" in err) == (2, True)
    assert labels == "rows.jsonl#0\trows.jsonl#1\t0\n"
    Path("labels.tsv").write_text(labels)
    run("dedup", "rows.jsonl", "-o", "out.jsonl", "--labels", "labels.tsv")
    kept = [json.loads(line) for line in Path("out.jsonl").read_text().splitlines()]
    # One of each family of three stays; and one more of the family whose two were different.
    assert len(kept) == len(rows) - 4 + 1


@pytest.mark.usefixtures("folder")
def test_no_plan_is_an_error_in_a_line(run: Run) -> None:
    for name in ("in", "missing", "in/1-0.txt"):
        code, _, err = run("review", name)
        assert code == 2
        assert len(err.splitlines()) == 1
        assert "plan" in err
    assert not decisions_path("in").exists()


@pytest.mark.usefixtures("folder")
def test_one_more_token_is_printed(run: Run) -> None:
    code, out, _ = run("review", "plan.jsonl", "--add-token", "read")
    assert code == 0
    assert out.removeprefix("token: ").strip() in Path("plan.jsonl.token").read_text()


@pytest.mark.usefixtures("folder")
def test_decisions_of_another_plan_say_nothing(run: Run) -> None:
    run("scan", "in", "--plan", "plan.jsonl")
    Decisions(decisions_path("plan.jsonl")).decide_unless_late(
        "Ann", cluster="x", keeper="x", members=["y"], judgement="different"
    )
    assert run("review", "plan.jsonl", "-o", "decided.jsonl")[0] == 0
    plan, decided = (Path(name).read_text() for name in ("plan.jsonl", "decided.jsonl"))
    assert list(map(json.loads, decided.splitlines())) == list(map(json.loads, plan.splitlines()))
