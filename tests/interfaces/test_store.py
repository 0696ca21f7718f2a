"""``ilk store``: every verb, its exit code, and what it prints."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import ilk
from ilk.cli.store import VERBS
from tests.support.command_line import Run

LONG = " ".join(f"word{number}" for number in range(200))
OTHER = " ".join(f"other{number}" for number in range(200))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "docs"
    made.mkdir()
    for name, text in {"a": LONG, "b": LONG + " more", "c": OTHER}.items():
        (made / f"{name}.txt").write_text(text)
    return made


@pytest.fixture
def store(folder: Path, tmp_path: Path, run: Run) -> Path:
    path = tmp_path / "s.ilk"
    assert run("store", "sync", path, folder)[0] == 0
    return path


def lines(out: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in out.splitlines()]


def test_every_verb_helps(run: Run) -> None:
    for verb, (what, *_) in VERBS.items():
        assert what.split(";")[0][:40] in run("store", "--help")[1].replace("\n              ", " ")
        code, out, _ = run("store", verb, "--help")
        assert code == 0
        assert out.startswith(f"usage: ilk store {verb}")
    assert run("store")[0] == 2


def test_the_nearest_are_shown_like_it_or_not(store: Path, tmp_path: Path, run: Run) -> None:
    (tmp_path / "new.txt").write_text(" ".join([*LONG.split()[:90], *OTHER.split()[:20]]))
    assert run("store", "check", store, tmp_path / "new.txt")[0] == 1
    code, out, _ = run("store", "check", store, tmp_path / "new.txt", "--nearest", 5)
    first, *rest = out.splitlines()
    assert code == 0
    assert first.endswith("new.txt: the 3 nearest documents")
    assert [line.split()[0] for line in rest] == ["different"] * 3
    (tmp_path / "new.txt").write_text("zebra giraffe okapi")
    code, out, _ = run("store", "check", store, tmp_path / "new.txt", "--nearest", 5)
    assert code == 1
    assert out.endswith("new.txt: shares nothing with any document\n")
    code, _, err = run("store", "similar", store, 0, "--nearest", 1, "--resemblance", 0.5)
    assert code == 2
    assert "--resemblance has no effect with --nearest" in err


def test_a_second_sync_finds_nothing_new(store: Path, folder: Path, run: Run) -> None:
    code, out, err = run("store", "sync", store, folder, "--format", "jsonl")
    assert (code, err) == (0, "")
    assert lines(out) == [
        {"summary": {"new": 0, "changed": 0, "moved": 0, "vanished": 0, "unchanged": 3}}
    ]


def test_a_file_of_rows_is_not_taken_for_a_document(store: Path, tmp_path: Path, run: Run) -> None:
    (tmp_path / "rows.jsonl").write_text('{"text": "one"}\n{"text": "two"}\n')
    code, _, noted = run("store", "sync", store, tmp_path / "rows.jsonl")
    assert code == 2
    assert "rows.jsonl holds rows" in noted


def test_sync_tells_what_is_new_and_like_what(folder: Path, tmp_path: Path, run: Run) -> None:
    code, out, err = run("store", "sync", tmp_path / "t.ilk", folder, "--format", "jsonl")
    assert (code, err) == (0, "")
    *new, last = lines(out)
    assert [(one["file"], one["id"]) for one in new] == [("new", 0), ("new", 1), ("new", 2)]
    assert [[m["id"] for m in one["matches"]] for one in new] == [[], [0], []]
    assert last["summary"]["new"] == 3


def test_sync_tells_what_changed_moved_and_vanished(store: Path, folder: Path, run: Run) -> None:
    (folder / "a.txt").rename(folder / "z.txt")
    (folder / "b.txt").unlink()
    (folder / "c.txt").write_text(OTHER + " more")
    code, out, err = run("store", "sync", store, folder)
    assert (code, err) == (0, "")
    assert out.splitlines() == [
        f"changed: #2 {folder}/c.txt",
        f"moved: {folder}/a.txt",
        f"    -> {folder}/z.txt",
        f"vanished: {folder}/b.txt",
        "files: 0 new, 1 changed, 1 moved, 1 vanished, 0 unchanged",
    ]
    with ilk.Store(store) as opened:
        assert [(record.id, record.source) for record in opened] == [
            (0, f"{folder}/z.txt"),
            (2, f"{folder}/c.txt"),
        ]


def test_check_ends_as_grep_does(store: Path, folder: Path, tmp_path: Path, run: Run) -> None:
    code, out, err = run("store", "check", store, folder / "b.txt")
    assert (code, err) == (0, "")
    with ilk.Store(store) as opened:
        (match,) = opened.similar(1)
    assert out.splitlines() == [
        f"{folder}/b.txt: like 2 documents",
        f"  identical     100.0%    0 bits  #1 {folder}/b.txt",
        f"  near           99.5%    {match.distance} bits  #0 {folder}/a.txt",
    ]
    (tmp_path / "new.txt").write_text("nothing of the kind is here")
    code, out, err = run("store", "check", store, tmp_path / "new.txt", "--format", "jsonl")
    assert (code, err) == (1, "")
    assert lines(out) == [{"source": f"{tmp_path}/new.txt", "matches": []}]


def test_add_reports_refuses_and_links(store: Path, folder: Path, run: Run) -> None:
    path = folder / "a.txt"
    code, out, _ = run("store", "add", store, path, "--on-duplicate", "refuse")
    assert (code, out.splitlines()[0]) == (1, f"{path} was refused")
    code, out, _ = run("store", "add", store, path, "--on-duplicate", "link", "--format", "jsonl")
    assert code == 0
    (one,) = lines(out)
    assert (one["id"], one["matches"][0]["id"], one["matches"][0]["verdict"]) == (3, 0, "identical")
    with ilk.Store(store) as opened:
        assert opened[3].duplicate_of == 0


def test_documents_are_listed_changed_and_removed(store: Path, folder: Path, run: Run) -> None:
    assert run("store", "similar", store, 0)[0] == 0
    assert run("store", "similar", store, 2)[:2] == (1, "")
    assert run("store", "update", store, 2, folder / "a.txt", "--title", "T")[0] == 0
    (record,) = (
        one for one in lines(run("store", "list", store, "--format", "jsonl")[1]) if one["id"] == 2
    )
    assert (record["title"], record["copy_of"]) == ("T", 0)
    code, out, _ = run("store", "clusters", store, "--format", "jsonl")
    assert code == 0
    assert [[m["id"] for m in one["members"]] for one in lines(out)] == [[0, 1, 2]]
    assert run("store", "clusters", store)[1].splitlines()[:2] == [
        "3 documents",
        f"   keep   #0 {folder}/a.txt",
    ]
    assert run("store", "remove", store, 0, 1) == (0, "", "")
    assert run("store", "list", store)[1] == f"#2 {folder}/c.txt\n"
    code, _, err = run("store", "remove", store, 0)
    assert code == 2
    assert err.startswith("ilk store: no document has the id 0; ids are the numbers")


def test_stats_say_how_much_and_how(store: Path, run: Run) -> None:
    code, out, _ = run("store", "stats", store, "--format", "jsonl")
    (stats,) = lines(out)
    assert code == 0
    assert (stats["documents"], stats["clusters"], stats["radius"]) == (3, 1, 20)
    assert stats["expected_recall"] > 0.997
    assert "documents           3\n" in run("store", "stats", store)[1]


def test_a_store_that_is_missing_is_made_by_adding_only(tmp_path: Path, run: Run) -> None:
    code, _, err = run("store", "stats", tmp_path / "none.ilk")
    assert code == 2
    assert "there is no store" in err
    assert not (tmp_path / "none.ilk").exists()


def test_metadata_that_are_no_json_are_refused(store: Path, run: Run) -> None:
    code, _, err = run("store", "update", store, 0, "--metadata", "{")
    assert code == 2
    assert err.startswith("ilk store: --metadata is not JSON")
    assert run("store", "update", store, 0, "--metadata", '{"year": 2011}')[0] == 0
    with ilk.Store(store) as opened:
        assert opened[0].metadata == {"year": 2011}


def test_a_store_is_written_and_another_made_of_it(folder: Path, tmp_path: Path, run: Run) -> None:
    one, other, bare = (str(tmp_path / name) for name in ("one.ilk", "other.ilk", "bare.ilk"))
    file, without = str(tmp_path / "all.parquet"), str(tmp_path / "bare.parquet")
    assert run("store", "sync", one, str(folder), "--texts")[0] == 0
    _, listed, _ = run("store", "list", one)
    assert run("store", "export", one, file)[1] == f"{len(listed.splitlines())} documents written\n"
    code, out, _ = run("store", "import", other, file, "--exact")
    assert (code, out) == (0, f"{len(listed.splitlines())} documents added\n")
    assert run("store", "list", other)[1] == listed
    assert run("store", "clusters", other)[1] == run("store", "clusters", one)[1]
    assert run("store", "sync", bare, str(folder))[0] == 0
    assert run("store", "export", bare, without)[0] == 0
    again = str(tmp_path / "again.ilk")
    assert run("store", "import", again, without)[:2] == (0, out)
    assert run("store", "list", again)[1] == listed
    (tmp_path / "odd.parquet").write_bytes(b"PAR1")
    kept = str(tmp_path / "kept.ilk")
    assert run("store", "import", kept, file, "--texts", "--exact")[0] == 0
    assert "keeps texts" in run("store", "import", kept, without)[2]
    for wrong, said in (
        (str(folder), "is a folder, and no table"),
        (str(tmp_path / "odd.parquet"), "is not a Parquet file"),
        (str(tmp_path / "none.parquet"), "there is no"),
    ):
        code, _, err = run("store", "import", other, wrong)
        assert code == 2
        assert said in err
    code, _, err = run("store", "export", other, str(tmp_path / "all.csv"))
    assert (code, "must end in .parquet" in err) == (2, True)


@pytest.mark.parametrize(
    ("verb", "given"),
    [
        ("import", "no.parquet"),
        ("import", "rows.jsonl"),
        ("import", "junk.parquet"),
        ("import", "numbers.parquet"),
        ("sync", "nowhere"),
        ("sync", "rows.jsonl"),
        ("add", "nowhere"),
        ("add", "junk.parquet"),
        ("add", "numbers.parquet"),
    ],
)
def test_what_is_refused_leaves_nothing_where_nothing_was(
    verb: str, given: str, tmp_path: Path, run: Run
) -> None:
    (tmp_path / "rows.jsonl").write_text('{"text": "one"}\n')
    (tmp_path / "junk.parquet").write_bytes(b"junk")
    pq.write_table(pa.table({"text": [1, 2]}), tmp_path / "numbers.parquet")
    before = set(tmp_path.iterdir())
    code, _, said = run("store", verb, tmp_path / "s.ilk", tmp_path / given)
    assert (code, len(said.splitlines())) == (2, 1)
    assert set(tmp_path.iterdir()) == before


def test_a_refused_verb_leaves_a_store_that_others_use(tmp_path: Path) -> None:
    """It had made the file, and another process has opened it since."""
    path = tmp_path / "s.ilk"
    ilk.Store(path).close()
    program = (
        "from pathlib import Path; from ilk.store.db.file import remove_store_if_unused; "
        f"remove_store_if_unused(Path({str(path)!r}))"
    )
    with ilk.Store(path) as store:
        subprocess.run([sys.executable, "-c", program], check=True)
        assert store.add(LONG).id == 0
    subprocess.run([sys.executable, "-c", program], check=True)
    assert len(ilk.Store(path)) == 1


@pytest.mark.skipif(sys.platform == "win32", reason="RLIMIT_FSIZE is of POSIX")
@pytest.mark.parametrize("size", [0, 4096, 20_000, 60_000])
def test_a_full_disk_leaves_nothing_where_nothing_was(size: int, tmp_path: Path) -> None:
    """A limit on the size of files stands for the disk, which is full at different moments."""
    (tmp_path / "a.txt").write_text(" ".join(f"w{n * n}" for n in range(20_000)))
    program = f"""
import resource, sys
from ilk.cli.main import main
resource.setrlimit(resource.RLIMIT_FSIZE, ({size}, {size}))
sys.exit(main(["store", "add", "s.ilk", "a.txt", "--texts"]))
"""
    child = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, cwd=tmp_path
    )
    assert (child.returncode, len(child.stderr.splitlines())) == (2, 1)
    assert os.listdir(tmp_path) == ["a.txt"]


def test_the_log_of_a_store_that_was_moved_is_not_removed(tmp_path: Path, run: Run) -> None:
    (tmp_path / "a.txt").write_text(LONG)
    (tmp_path / "s.ilk-wal").write_bytes(b"what was stored last")
    code, _, said = run("store", "add", tmp_path / "s.ilk", tmp_path / "a.txt")
    assert (code, "of a store that was here" in said) == (2, True)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.txt", "s.ilk-wal"]


def test_rows_of_a_refused_file_are_counted(tmp_path: Path, run: Run) -> None:
    (tmp_path / "rows.jsonl").write_text('{"text": "one"}\n{"text": "two"}\n')
    pq.write_table(pa.table({"text": [1, 2]}), tmp_path / "numbers.parquet")
    path = tmp_path / "s.ilk"
    code, _, said = run("store", "add", path, tmp_path / "rows.jsonl", tmp_path / "numbers.parquet")
    assert code == 2
    assert said.endswith("Added before this, and kept: 2 documents.\n")
    assert len(ilk.Store(path)) == 2


@pytest.mark.parametrize("verb", ["check", "list", "export", "validate", "rebuild", "backup"])
def test_no_store_is_made_of_an_empty_file_by_a_verb_that_adds_nothing(
    verb: str, tmp_path: Path, run: Run
) -> None:
    """Another process may be about to make it, of another kind."""
    path, given = tmp_path / "s.ilk", {"check": ["a.txt"], "export": ["e.parquet"]}
    path.touch()
    (tmp_path / "a.txt").write_text(LONG)
    more = [tmp_path / name for name in given.get(verb, ["b.ilk"] if verb == "backup" else [])]
    code, _, said = run("store", verb, path, *more)
    assert (code, "is empty, and no store yet" in said) == (2, True)
    assert path.stat().st_size == 0
    assert run("store", "add", path, tmp_path / "a.txt", "--exact")[0] == 0
