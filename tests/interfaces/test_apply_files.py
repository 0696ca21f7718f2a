"""``ilk scan --plan``, ``ilk apply`` and ``ilk undo`` for files, as a user meets them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.command_line import Run

TEXT = " ".join(f"word{n}" for n in range(100))


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, run: Run) -> Path:
    monkeypatch.chdir(tmp_path)
    place = tmp_path / "in"
    place.mkdir()
    for name in ("a.txt", "b.txt"):
        (place / name).write_text(TEXT)
    (place / "c.txt").write_text(TEXT.replace("word99", "other"))
    (place / "d.txt").write_text("alone in this folder with its words")
    assert run("scan", "in", "--plan", "plan.jsonl", "--drop", "near")[0] == 0
    return place


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_a_plan_is_shown_carried_out_and_taken_back(folder: Path, run: Run) -> None:
    everything = names(folder)
    code, out, err = run("apply", "plan.jsonl", "--move-to", "aside")
    assert code == 0
    assert "2 files would be moved, 1.4 kB." in out
    assert "nothing was touched; to do it, add --yes" in err
    assert names(folder) == everything
    code, out, err = run("apply", "plan.jsonl", "--move-to", "aside", "--yes")
    assert (code, out) == (0, "2 files moved, 1.4 kB.\n")
    assert "to undo this: ilk undo plan.jsonl.log.jsonl --yes" in err
    assert names(folder) == ["a.txt", "d.txt"]
    assert names(folder.parent / "aside" / "in") == ["b.txt", "c.txt"]
    assert "would be put back" in run("undo", "plan.jsonl.log.jsonl")[1]
    assert run("undo", "plan.jsonl.log.jsonl", "--yes")[1] == "2 files put back, 1.4 kB.\n"
    assert names(folder) == everything


def test_two_names_of_one_file_give_its_bytes_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, run: Run
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("a.txt", "copy/b.txt"):
        Path("in", name).parent.mkdir(parents=True, exist_ok=True)
        Path("in", name).write_text(TEXT)
    os.link("in/copy/b.txt", "in/copy/c.txt")
    out = run("scan", "in", "--plan", "plan.jsonl", "--report", "page.html")[1]
    assert "identical: 3 documents, 689 B could go" in out
    assert "in/copy/c.txt\n        is a hard link to in/copy/b.txt, which goes too\n" in out
    assert "2 files, 689 B: the same bytes stay." in out
    page = " ".join(Path("page.html").read_text().split())
    assert "2 files could go, 689 B" in page
    assert "<b>689 B could go</b>" in page
    assert "could go: it is a hard link to in/copy/b.txt, which goes too" in page
    summary = json.loads(run("scan", "in", "--format", "summary,jsonl")[1])["summary"]
    assert (summary["could_go"]["files"], summary["could_go"]["bytes"]) == (2, 689)
    assert summary["could_go"]["proved"] == {"files": 2, "bytes": 689}
    for way in ("--move-to=aside", "--hardlink"):
        would = "moved" if "move" in way else "replaced by a hardlink"
        assert f"2 files would be {would}, 689 B." in run("apply", "plan.jsonl", way)[1]
        assert run("apply", "plan.jsonl", way, "--yes")[1] == f"2 files {would}, 689 B.\n"
        assert "2 files would be put back, 689 B." in run("undo", "plan.jsonl.log.jsonl")[1]
        assert run("undo", "plan.jsonl.log.jsonl", "--yes")[1] == "2 files put back, 689 B.\n"
        assert os.path.samefile("in/copy/b.txt", "in/copy/c.txt")


def test_a_line_of_a_plan_is_a_cluster_with_an_action_for_every_file(folder: Path) -> None:
    head, line = (json.loads(row) for row in Path("plan.jsonl").read_text().splitlines())
    assert head["plan"]["folder"] == str(folder.parent)
    actions = {member["source"]: member["action"] for member in line["members"]}
    assert actions == {"in/a.txt": "keep", "in/b.txt": "drop", "in/c.txt": "drop"}
    assert line["keeper"] == "in/a.txt"
    assert [member["size"] for member in line["members"]] == [689, 689, 688]


@pytest.mark.usefixtures("folder")
def test_a_plan_drops_what_is_proved_to_stay_and_the_rest_by_its_word(run: Run) -> None:
    assert run("scan", "in", "--plan", "plan.jsonl", "--force")[0] == 0
    line = json.loads(Path("plan.jsonl").read_text().splitlines()[1])
    near = next(member for member in line["members"] if member["source"] == "in/c.txt")
    assert (near["action"], near["drop_if"], near["runs_only_here"]) == ("keep", ["near"], 1)
    said = "is nearly the same as its keeper, but for 1 run of 3 words; --drop near lets it go"
    assert near["why"] == said
    for words, count in (((), 1), (("--drop", "exact"), 1), (("--drop", "exact,near"), 2)):
        out = run("apply", "plan.jsonl", "--move-to", "aside", *words)[1]
        assert f"{count} file{'s' * (count > 1)} would be moved" in out
    two = run("apply", "plan.jsonl", "--move-to", "aside", "--drop", "exact", "--drop", "near")[1]
    assert "2 files would be moved" in two


@pytest.mark.parametrize("inside", [False, True])
def test_a_plan_is_a_file_or_standard_input(folder: Path, run: Run, inside: bool) -> None:
    """A device has no end, and nobody writes to this pipe."""
    os.mkfifo(folder / "plan.json")
    for name in [folder] if inside else ["/dev/zero", folder / "plan.json"]:
        code, _, err = run("apply", name, *(["-o", "out.jsonl"] if inside else ["--trash"]))
        assert code == 2
        assert "is not a file" if inside else "neither a file nor standard input" in err
    plan = Path("plan.jsonl").read_bytes()
    words = [sys.executable, "-m", "ilk", "apply", "/dev/stdin", "--move-to", "aside"]
    piped = subprocess.run(words, input=plan, capture_output=True)
    assert b"2 files would be moved" in piped.stdout, piped.stderr


@pytest.mark.usefixtures("folder")
def test_only_identical_files_are_linked(run: Run) -> None:
    code, out, _ = run("apply", "plan.jsonl", "--hardlink", "--yes")
    assert (code, out) == (0, "1 file replaced by a hardlink, 689 B.\n")
    assert Path("in/b.txt").samefile("in/a.txt")
    assert not Path("in/c.txt").samefile("in/a.txt")


def test_files_of_different_modes_are_linked_only_if_that_is_asked_for(
    folder: Path, run: Run
) -> None:
    (folder / "b.txt").chmod(0o600)
    (folder / "a.txt").chmod(0o644)
    code, out, err = run("apply", "plan.jsonl", "--hardlink", "--yes")
    assert (code, out) == (2, "0 files replaced by a hardlink, 0 B.\n1 file left alone.\n")
    said = "its mode is 600, but that of its keeper is 644; --any-owner links it all the same"
    assert f"{folder / 'b.txt'}: {said}" in err
    assert run("apply", "plan.jsonl", "--hardlink", "--any-owner", "--yes")[0] == 0
    assert (folder / "b.txt").samefile(folder / "a.txt")
    assert run("undo", "plan.jsonl.log.jsonl", "--yes")[0] == 0
    assert (folder / "b.txt").stat().st_mode & 0o777 == 0o600


def test_undo_says_what_it_could_not_give_back(folder: Path, run: Run) -> None:
    (folder.parent / "far.txt").hardlink_to(folder / "b.txt")
    assert run("apply", "plan.jsonl", "--hardlink", "--yes")[0] == 0
    code, out, err = run("undo", "plan.jsonl.log.jsonl", "--yes")
    assert code == 2
    assert out == "1 file put back, 689 B.\n1 file put back, but not as before.\n"
    assert f"{folder / 'b.txt'} was one file with 2 names, and has 1 now" in err


def test_a_script_is_printed(folder: Path, run: Run) -> None:
    code, out, _ = run("apply", "plan.jsonl", "--move-to", "aside", "--script", "sh")
    assert code == 0
    assert names(folder) == ["a.txt", "b.txt", "c.txt", "d.txt"]
    subprocess.run(["sh"], input=out, text=True, check=True)
    assert names(folder) == ["a.txt", "d.txt"]


def test_what_has_changed_is_left_alone_with_the_reason(folder: Path, run: Run) -> None:
    (folder / "b.txt").write_text("changed")
    code, out, err = run("apply", "plan.jsonl", "--move-to", "aside", "--yes")
    assert code == 2
    assert "1 file left alone." in out
    assert "in/b.txt: has changed since the plan was made" in err


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["plan.jsonl"], "choose what to do with the files to drop: --move-to"),
        (["plan.jsonl", "--hardlink", "--symlink"], "choose what to do with the files"),
        (
            ["plan.jsonl", "--hardlink", "-o", "x"],
            "is not a plan of rows, which --output",
        ),
        (["in", "--hardlink"], "in is not a plan of files, which --hardlink is for"),
        (["in"], "name the file for the kept rows: --output"),
        (["missing", "--hardlink"], "there is no plan 'missing'"),
        (
            ["plan.jsonl", "--trash", "--any-owner"],
            "--any-owner has no effect without --hardlink or",
        ),
        (["plan.jsonl", "--hardlink", "--drop", "alike"], "--drop is 'alike'; it must be some of"),
    ],
)
def test_what_says_nothing_is_refused(words: list[str], message: str, run: Run) -> None:
    code, _, err = run("apply", *words)
    assert code == 2
    assert message in err
    assert len(err.splitlines()) == 1


@pytest.mark.usefixtures("folder")
def test_a_plan_is_not_written_over_what_is_there(run: Run) -> None:
    before = Path("plan.jsonl").read_bytes()
    code, _, err = run("scan", "in", "--plan", "plan.jsonl")
    assert code == 2
    assert "it already exists" in err
    assert run("scan", "in", "--plan", "in/a.txt", "--force")[0] == 2
    assert Path("plan.jsonl").read_bytes() == before


def _edit(plan: Path, **actions: str) -> None:
    """Give files and folders of a plan other actions, by the ends of their names."""
    rows = [json.loads(line) for line in plan.read_text().splitlines()]
    for row in rows:
        for one in [row, *row.get("members", ())]:
            name = one.get("folder") or one.get("source") or ""
            for end, action in actions.items():
                if name.rstrip("/").endswith(end):
                    one["action"] = action
    plan.write_text("".join(json.dumps(row) + "\n" for row in rows))


def test_the_preview_counts_the_files_of_which_no_bytes_stay(folder: Path, run: Run) -> None:
    said = "the plan drops 1 file whose bytes do not stay (near 1)"
    assert said in run("apply", "plan.jsonl", "--trash")[2]  # Made with --drop near.
    run("scan", "in", "--plan", "other.jsonl")
    assert "whose bytes" not in run("apply", "other.jsonl", "--trash")[2]
    assert said in run("apply", "other.jsonl", "--trash", "--drop", "near")[2]
    _edit(Path("other.jsonl"), **{"c.txt": "drop"})
    code, _, err = run("apply", "other.jsonl", "--trash")
    assert (code, said in err) == (0, True), err
    assert names(folder) == ["a.txt", "b.txt", "c.txt", "d.txt"]


def test_the_preview_says_what_a_folder_turns_round(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, run: Run
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("a/x", "a/y", "old/x", "old/y", "old/own"):
        Path("in", name).parent.mkdir(parents=True, exist_ok=True)
        Path("in", name).write_text(f"what is in {name[-1]}" * 9)
    run("scan", "in", "--plan", "plan.jsonl")
    assert "outside of it" not in run("apply", "plan.jsonl", "--move-to", "aside")[2]
    lines = Path("plan.jsonl").read_text().splitlines()
    (at,) = (n for n, line in enumerate(lines, 1) if "folder" in json.loads(line))
    stays = json.loads(lines[at - 1])["folder"]
    _edit(Path("plan.jsonl"), x="drop", y="drop")
    code, _, err = run("apply", "plan.jsonl", "--move-to", "aside")
    assert (code, "it drops" in err or "drops in/" in err) == (2, True), err
    _edit(Path("plan.jsonl"), **{stays.rstrip("/"): "drop"})
    code, out, err = run("apply", "plan.jsonl", "--move-to", "aside")
    said = f"line {at} of the plan drops the files in {stays}; so 2 files outside of it stay, "
    assert (code, f"{said}though their own lines drop them" in err) == (0, True), err
    assert "2 files would be moved" in out
