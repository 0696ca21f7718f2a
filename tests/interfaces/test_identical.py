"""``scan --identical``: the groups of equal bytes, against a naive comparison."""

from __future__ import annotations

import gzip
import json
import os
import random
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

import ilk
from ilk.base.errors import NothingRead, OptionError
from ilk.read.files.identical import FIRST_BLOCK, read_facts_with_copy_digests
from ilk.read.files.walk import FoundFile
from tests.support.command_line import Run


@pytest.fixture(autouse=True)
def _inside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def made_contents(rng: random.Random) -> list[bytes]:
    """Contents of equal sizes that differ early, late or at the bound of the first block."""
    size = rng.choice([1, 5, FIRST_BLOCK - 1, FIRST_BLOCK, FIRST_BLOCK + 1, 3 * FIRST_BLOCK])
    base = bytearray(rng.randbytes(size))
    contents = [b"", bytes(base)]
    for at in (0, size - 1, min(size, FIRST_BLOCK) - 1, min(size - 1, FIRST_BLOCK)):
        changed = bytearray(base)
        changed[at] ^= 1
        contents.append(bytes(changed))
    contents += [
        bytes(base) + b"x",
        b"a line of text\n",
        gzip.compress(b"a line of text\n", mtime=0),
    ]
    return contents


def make_tree(rng: random.Random, top: str) -> None:
    contents, folders = made_contents(rng), [Path(top)]
    paths: list[Path] = []
    for number in range(rng.randint(1, 25)):
        folder = rng.choice(folders)
        ending = rng.choice([".txt", ".bin", ".gz", ".jsonl", ".zip", ""])
        path = folder / f"{number}{ending}"
        folder.mkdir(parents=True, exist_ok=True)
        if rng.random() < 0.2:
            folders.append(folder / f"in{number}")
        elif paths and rng.random() < 0.2:
            os.link(rng.choice(paths), path)
        else:
            path.write_bytes(rng.choice(contents))
            paths.append(path)


def naive_groups(tops: Iterable[str]) -> set[frozenset[str]]:
    """The files of equal bytes, in groups of two or more; every file is read."""
    by_bytes: dict[bytes, set[str]] = defaultdict(set)
    for top in tops:
        for path in Path(top).rglob("*"):
            if path.is_file() and path.read_bytes():
                by_bytes[path.read_bytes()].add(str(path))
    return {frozenset(names) for names in by_bytes.values() if len(names) > 1}


def groups(result: Any) -> set[frozenset[str]]:
    return {frozenset(member.source for member in family.members) for family in result}


@pytest.mark.parametrize("seed", range(25))
def test_the_groups_are_those_of_equal_bytes(seed: int) -> None:
    rng = random.Random(seed)
    make_tree(rng, "d")
    Path("d").mkdir(exist_ok=True)
    for jobs in (1, 2):
        result = ilk.find(Path("d"), identical=True, jobs=jobs)
        assert groups(result) == naive_groups(["d"])
        assert set(result.clusters["verdict"].to_pylist()) <= {"identical"}
        assert result.report["documents"] == sum(path.is_file() for path in Path("d").rglob("*"))


@pytest.mark.parametrize("seed", range(8))
def test_a_plan_loses_no_bytes_and_leaves_none_twice(seed: int, run: Run) -> None:
    make_tree(random.Random(100 + seed), "d")
    Path("d").mkdir(exist_ok=True)
    before = {path.read_bytes() for path in Path("d").rglob("*") if path.is_file()}
    run("scan", "d", "--identical", "--plan", "plan.jsonl")
    assert run("apply", "plan.jsonl", "--move-to", "aside", "--yes")[0] == 0
    files = [path for path in Path("d").rglob("*") if path.is_file()]
    assert {path.read_bytes() for path in files} == before
    left = [len({os.stat(name).st_ino for name in group}) for group in naive_groups(["d"])]
    assert set(left) <= {1}, "only names of one file are left twice"


@pytest.mark.parametrize("seed", range(8))
def test_a_reference_stays_and_is_not_compared_with_itself(seed: int) -> None:
    rng = random.Random(200 + seed)
    make_tree(rng, "new")
    make_tree(rng, "old")
    for top in ("new", "old"):
        Path(top).mkdir(exist_ok=True)
        Path(top, "some").write_bytes(b"bytes of " + top.encode())
    result = ilk.find(Path("new"), against=Path("old"), identical=True)
    own = [
        ({name for name in names if name.startswith("new/")}, len(names))
        for names in naive_groups(["new", "old"])
    ]
    found = {
        frozenset(name for name in names if name.startswith("new/")) for names in groups(result)
    }
    assert found == {frozenset(names) for names, _ in own if names}
    # Of the reference, only what stays for others is shown.
    shown = [sum(name.startswith("old/") for name in names) for names in groups(result)]
    assert set(shown) <= {0, 1}
    assert sum(shown) == sum(0 < len(names) < count for names, count in own)
    assert not any(name.startswith("old/") for name in result.files().size_by_dropped_file())


def test_bytes_are_compared_whatever_the_files_hold(run: Run) -> None:
    Path("d").mkdir()
    for name in ("a.jsonl", "b.zip", "c.txt", "d.gz", "e"):
        Path("d", name).write_bytes(b'{"text": "no archive and no row"}')
    Path("d", "E.TXT").write_bytes(b'{"TEXT": "no archive and no row"}')
    code, out, err = run("scan", "d", "--identical")
    assert (code, err) == (0, "")
    assert "6 files compared by their bytes, 5 of them in 1 family." in out
    assert "no text was read" in out
    code, out, _ = run("scan", "d", "--identical", "--drop", "identical", "--format", "summary")
    assert "With --drop identical, a plan drops 4 files, 132 B." in out
    record = json.loads(run("scan", "d", "--identical", "--format", "jsonl")[1].splitlines()[-1])
    assert record["summary"]["options"]["identical"] is True
    assert record["summary"]["compared_by_bytes"] == 6


def test_files_that_vanish_or_change_are_failures_and_match_nothing() -> None:
    for name in "abc":
        Path(name).write_bytes(b"the same")
    found = [FoundFile(name, follow=False) for name in ("a", "b", "gone")]
    known = read_facts_with_copy_digests(found, 1, lambda *_: None)
    first, second, third = known.to_pylist()
    assert first["bytes_digest"] == second["bytes_digest"] is not None
    assert third["failure"] == "vanished before it was read"
    Path("b").unlink()
    Path("b").symlink_to("c")
    known = read_facts_with_copy_digests(found[:2], 1, lambda *_: None)
    assert known["bytes_digest"].to_pylist() == [None, None]


def test_it_is_for_files_and_says_so(run: Run) -> None:
    for source in (["a text", "a text"], {"a": "text"}):
        with pytest.raises(OptionError, match="`identical` compares the bytes of files"):
            ilk.find(source, identical=True)
    with pytest.raises(OptionError, match="no text is read"):
        ilk.find(Path(), identical=True, keep="central")
    with pytest.raises(OptionError, match="has no effect with `identical`"):
        ilk.find(Path(), identical=True, containment=0.9)
    assert "give the paths of files" in run("scan", "-", "--identical")[2]
    Path("d").mkdir()
    Path("empty").mkdir()
    Path("d/a").write_text("a")
    with pytest.raises(NothingRead, match="there is no file in it"):
        ilk.find(Path("d"), against=Path("empty"), identical=True)
    with pytest.raises(OptionError, match="nothing was measured"):
        _ = ilk.find(Path("d"), identical=True).pairs


def test_the_page_speaks_of_bytes_and_names_the_same_scan(run: Run) -> None:
    Path("d").mkdir()
    for name in ("a.bin", "b.bin"):
        Path("d", name).write_bytes(b"\0 the same bytes")
    words = ("d", "--identical", "--size", "1..1MB", "--walk", "no-hidden", "--report", "page.html")
    assert run("scan", *words)[0] == 0
    page = Path("page.html").read_text()
    again = "ilk scan d --walk no-hidden --size 1..1MB --identical --plan plan.jsonl"
    assert again in page.replace("&#39;", "'")
    assert run(*again.split()[1:])[0] == 0
    assert "files looked at" in page
    assert "A file could go if an equal file stays; the line of a file" in page
    for untrue in ("nearly like another one", "How alike near-duplicates are", "for an archive"):
        assert untrue not in page
    Path("d/b.bin").unlink()
    assert run("scan", "d", "--identical", "--report", "none.html")[0] == 1
    page = Path("none.html").read_text()
    assert "No duplicates among 1 file</h1>" in page
    assert "--resemblance 60%" not in page


def test_nothing_in_an_archive_is_compared_and_the_summary_says_so(run: Run) -> None:
    Path("d").mkdir()
    for name in ("a.ZIP", "b.tar", "c.txt"):
        Path("d", name).write_bytes(b"the same")
    out = run("scan", "d", "--identical", "--format", "summary")[1]
    said = "2 archives or packed files were compared as they are, and nothing in them"
    assert said in out.splitlines()
    Path("d", "a.ZIP").unlink()
    out = run("scan", "d", "--identical", "--format", "summary")[1]
    said = "1 archive or packed file was compared as it is, and nothing in it"
    assert said in out.splitlines()
    Path("d", "b.tar").rename("d/zip")
    assert "packed" not in run("scan", "d", "--identical", "--format", "summary")[1]
