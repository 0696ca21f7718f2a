"""The walk: every file once, whatever the links, against a naive model of the tree."""

from __future__ import annotations

import inspect
import os
import random
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from ilk.base.kinds import SizeRange
from ilk.read.files.file_filters import FileFilter, compile_globs
from ilk.read.files.walk import MOVED_HERE, WalkRules, find_files_and_tally_others
from ilk.read.report import (
    DEEPER,
    ELSEWHERE,
    HIDDEN,
    IGNORED,
    LINKS,
    MOVED,
    NEWER,
    OLDER,
    OWN_FILES,
    SIZES,
    VERSIONS,
    ReadReport,
)


def walk(
    *paths: str,
    include: Sequence[str] = (),
    exclude: Sequence[str] = (),
    links: bool = True,
    gitignore: bool = False,
    files: Mapping[str, Any] | None = None,
    **ways: Any,
) -> tuple[list[str], ReadReport]:
    tally = ReadReport()
    globs = compile_globs(include, exclude)
    rules = WalkRules(links=links, gitignore=gitignore, **ways)
    found = list(
        find_files_and_tally_others(
            paths, globs, tally, walk_rules=rules, file_filter=FileFilter(**files or {})
        )
    )
    return [file.path for file in found], tally


@pytest.fixture(autouse=True)
def _inside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def write(*names: str) -> None:
    for name in names:
        Path(name).parent.mkdir(parents=True, exist_ok=True)
        Path(name).write_text(name)


def random_tree(rng: random.Random, root: Path) -> tuple[list[Path], list[Path]]:
    """Make a tree with folders, files, hard links and symbolic links of every kind."""
    folders: list[Path] = [root]
    files: list[Path] = []
    root.mkdir(parents=True)
    for number in range(rng.randint(3, 30)):
        place = rng.choice(folders) / f"{rng.choice('abcB')}{number}"
        kind = rng.choice(["file", "file", "folder", "hard", "link", "link", "up", "dangling"])
        if kind == "folder":
            place.mkdir()
            folders.append(place)
        elif kind == "hard" and files:
            os.link(rng.choice(files), place)
            files.append(place)
        elif kind == "link":
            target = rng.choice(folders + files)
            relative = os.path.relpath(target, place.parent)
            place.symlink_to(rng.choice([str(target), relative]))
        elif kind == "up":
            place.symlink_to(rng.choice(["..", ".", "../..", place.name]))
        elif kind == "dangling":
            place.symlink_to("nothing here")
        else:
            place.write_text(str(number))
            files.append(place)
    return folders, files


def reachable(start: str) -> set[str]:
    """Return the real paths of all files below a path, links followed: the naive way."""
    seen, todo = set(), [os.path.realpath(start)]
    while todo:
        path = todo.pop()
        if path in seen:
            continue
        seen.add(path)
        if os.path.isdir(path):
            todo += [os.path.realpath(os.path.join(path, name)) for name in os.listdir(path)]
    return {path for path in seen if os.path.isfile(path)}


@pytest.mark.parametrize("seed", range(150))
def test_every_file_is_found_once_in_any_tree(tmp_path: Path, seed: int) -> None:
    rng = random.Random(seed)
    folders, files = random_tree(rng, tmp_path / "top" / "a")
    random_tree(rng, tmp_path / "top" / "b")
    (tmp_path / "top" / "a" / "across").symlink_to("../b")
    candidates = [tmp_path / "top" / "a", tmp_path / "top" / "b", *folders, *files]
    paths = [str(path) for path in rng.choices(candidates, k=rng.randint(1, 4))]
    found, tally = walk(*paths)
    expected = set().union(*map(reachable, paths))
    assert sorted(map(os.path.realpath, found)) == sorted(expected)
    assert {failure.reason for failure in tally.failures} <= {
        "is a dangling link",
        "is a link that leads to itself",
    }
    assert walk(*paths)[0] == found


@pytest.mark.parametrize("seed", range(50))
def test_without_links_the_globs_choose_as_they_do_one_by_one(seed: int) -> None:
    rng = random.Random(seed)
    names = {"/".join(rng.choices(["a", "b.txt", "old"], k=rng.randint(1, 4))) for _ in range(12)}
    names = {n for n in names if not any(other.startswith(n + "/") for other in names)}
    write(*(f"docs/{name}" for name in names))
    include = rng.sample(["*.txt", "a", "old/*", "**/a/**"], k=rng.randint(0, 2))
    exclude = rng.sample(["old", "*/old/*", "a/b.txt", "b.txt"], k=rng.randint(0, 2))
    globs = compile_globs(include, exclude)

    def folders_above(name: str) -> list[str]:
        parts = name.split("/")
        return ["/".join(parts[:depth]) for depth in range(1, len(parts))]

    expected = [
        f"docs/{name}"
        for name in sorted(names, key=lambda name: [part.encode() for part in name.split("/")])
        if globs.takes(name) and all(map(globs.enters, folders_above(name)))
    ]
    assert walk("docs", include=include, exclude=exclude)[0] == expected


def test_a_file_keeps_its_own_name_where_a_link_sorts_before_it() -> None:
    write("docs/z/real.txt", "outside/far.txt")
    os.symlink("z/real.txt", "docs/a-link.txt")
    os.symlink("z", "docs/b-link")
    os.symlink("../outside/far.txt", "docs/c-link.txt")
    os.symlink("../outside", "docs/d-link")
    found, tally = walk("docs")
    assert found == ["docs/z/real.txt", "docs/c-link.txt"]
    assert tally == ReadReport(links=2)


def test_a_link_to_a_folder_outside_is_entered_under_the_links_name() -> None:
    write("docs/a.txt", "outside/in/b.txt")
    os.symlink("../outside", "docs/link")
    os.symlink("../../docs", "outside/in/back")
    assert walk("docs")[0] == ["docs/a.txt", "docs/link/in/b.txt"]


def test_links_are_followed_before_the_next_argument() -> None:
    write("first/a.txt", "second/b.txt")
    os.symlink("../second/b.txt", "first/link")
    assert walk("first", "second")[0] == ["first/a.txt", "first/link"]
    assert walk("second", "first")[0] == ["second/b.txt", "first/a.txt"]


def test_overlapping_arguments_find_a_file_once_under_the_first_name() -> None:
    write("docs/in/a.txt", "docs/b.txt")
    assert walk("docs", "docs/in", "docs/in/a.txt", "docs/./b.txt")[0] == [
        "docs/b.txt",
        "docs/in/a.txt",
    ]
    assert walk("docs/in/a.txt", "./docs/in", "docs")[0] == ["docs/in/a.txt", "docs/b.txt"]


def test_hard_links_are_documents_of_their_own() -> None:
    write("docs/a.txt")
    os.link("docs/a.txt", "docs/b.txt")
    os.symlink("b.txt", "docs/c.txt")
    assert walk("docs")[0] == ["docs/a.txt", "docs/b.txt"]
    assert walk("docs/a.txt", "docs")[0] == ["docs/a.txt", "docs/b.txt"]
    assert walk("docs/c.txt", "docs")[0] == ["docs/c.txt", "docs/a.txt"]


def test_a_wanted_link_to_a_file_that_is_left_out_by_its_own_name_is_found() -> None:
    write("docs/data.bin", "docs/old/more.txt")
    os.symlink("data.bin", "docs/link.txt")
    os.symlink("old", "docs/new")
    found, tally = walk("docs", include=["*.txt"], exclude=["old"])
    assert found == ["docs/link.txt", "docs/new/more.txt"]
    assert tally.excluded == 2


def test_links_obey_the_globs_by_their_own_names() -> None:
    write("a.txt", "far/b.txt")
    os.mkdir("docs")
    os.symlink("../a.txt", "docs/link.md")
    os.symlink("../far", "docs/old")
    os.symlink("nothing", "docs/dangling.md")
    found, tally = walk("docs", exclude=["*.md", "old"])
    assert (found, tally.excluded, tally.failures) == ([], 3, [])


def test_a_very_deep_tree_is_walked_without_recursion() -> None:
    deep = "docs" + "/d" * 300
    write(f"{deep}/a.txt")
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(len(inspect.stack()) + 60)
    try:
        found, _ = walk("docs")
    finally:
        sys.setrecursionlimit(limit)
    assert found == [f"{deep}/a.txt"]


def test_a_tree_deeper_than_a_path_may_be_is_a_failure_and_the_rest_is_read(tmp_path: Path) -> None:
    write("docs/z.txt")
    os.chdir("docs")
    for _ in range(30):
        os.mkdir("d" * 200)
        os.chdir("d" * 200)
    os.chdir(tmp_path)
    found, tally = walk("docs")
    assert found == ["docs/z.txt"]
    assert [failure.reason for failure in tally.failures] == ["file name too long"]


def test_what_is_not_entered_unless_it_is_named_is_listed() -> None:
    write("docs/a.txt", "docs/.git/config", "docs/out.jsonl.ilk/report.json", "far/b.txt")
    write(f"docs/aside/{MOVED_HERE}", "docs/aside/c.txt", "docs/junk/d.txt", "docs/e.tmp")
    Path("docs/.ilkignore").write_text("*.tmp\n/junk/\n")
    os.symlink("../far", "docs/link")
    found, tally = walk("docs", links=False)
    assert found == ["docs/a.txt"]
    assert tally.left_out == {
        VERSIONS: ["docs/.git"],
        MOVED: ["docs/aside"],
        IGNORED: ["docs/e.tmp", "docs/junk"],
        LINKS: ["docs/link"],
        OWN_FILES: ["docs/out.jsonl.ilk"],
    }
    assert any(
        "symbolic links not entered: 1 (docs/link); --" in said
        for said in tally.describe_sources_not_compared()
    )
    for name in ("docs/.git", "docs/aside", "docs/junk", "docs/link", "docs/out.jsonl.ilk"):
        assert len(walk(name, links=False)[0]) == 1


_PARTS = ["a", "b", "*", "**", "a*", "?", "[ab]", "[!a]", "a.b", "\\*", "build"]


@pytest.mark.parametrize("seed", range(40))
def test_ignoring_is_that_of_git(seed: int) -> None:
    """The oracle is git itself, which is asked about every path."""
    if shutil.which("git") is None:
        pytest.skip("git is not installed")
    rng = random.Random(seed)
    names = {
        "/".join(rng.choices(["a", "b", "ab", "a.b", "build"], k=rng.randint(1, 4)))
        for _ in range(15)
    }
    names = {n for n in names if not any(other.startswith(n + "/") for other in names)}
    write(*(f"docs/{name}" for name in names))
    folders = sorted({str(Path(name).parent) for name in names})
    for place in rng.sample(folders, k=min(2, len(folders))):
        lines = []
        for _ in range(rng.randint(1, 4)):
            line = "/".join(rng.choices(_PARTS, k=rng.randint(1, 3)))
            lines.append(
                rng.choice(["", "", "!"]) + rng.choice(["", "/"]) + line + rng.choice(["", "/"])
            )
        Path("docs", place, ".gitignore").write_text("\n".join(lines) + "\n")
    git = ["git", "-C", "docs", "-c", "core.excludesFile=", "-c", "core.ignoreCase=false"]
    subprocess.run([*git, "init", "-q"], check=True)
    listed = [*git, "ls-files", "--others", "--exclude-per-directory=.gitignore", "-z"]
    said = subprocess.run(listed, check=True, capture_output=True, text=True).stdout
    expected = {f"docs/{name}" for name in said.split("\0") if name}
    assert set(walk("docs", gitignore=True)[0]) == expected


def test_the_folder_at_the_root_keeps_its_name() -> None:
    tally, globs = ReadReport(), compile_globs([], ["*"])
    found = find_files_and_tally_others(["//"], globs, tally, walk_rules=WalkRules(links=True))
    assert list(found) == []
    assert tally.excluded == len(set(os.listdir("/")) - {".git", ".hg", ".svn"})


def filtered_naively(
    size: SizeRange | None, newer: int | None, older: int | None, depth: int | None, hidden: bool
) -> tuple[set[str], Counter[str]]:
    """The files below ``docs`` that every option wants, and what is left out: each looked at alone.

    What is below a folder that is left out is neither.
    """
    wanted, left = set(), Counter[str]()
    for folder, folders, files in os.walk("docs"):
        inside = len(Path(folder).relative_to("docs").parts)
        hidden_here = [name for name in (*folders, *files) if name[0] == "." and not hidden]
        left[HIDDEN] += len(hidden_here)
        deeper = [
            name
            for name in folders
            if name not in hidden_here and depth is not None and inside + 1 >= depth
        ]
        left[DEEPER] += len(deeper)
        folders[:] = [name for name in folders if name not in {*hidden_here, *deeper}]
        for name in set(files).difference(hidden_here):
            status = Path(folder, name).stat()
            if size is not None and not (
                (size.min_bytes or 0) <= status.st_size <= (size.max_bytes or 1 << 40)
            ):
                left[SIZES] += 1
            elif newer is not None and status.st_mtime < newer:
                left[NEWER] += 1
            elif older is not None and status.st_mtime >= older:
                left[OLDER] += 1
            else:
                wanted.add(f"{folder}/{name}")
    return wanted, +left


@pytest.mark.parametrize("seed", range(40))
def test_filters_choose_what_looking_at_each_file_chooses(seed: int) -> None:
    rng = random.Random(seed)
    folders = [Path("docs")]
    for number in range(rng.randint(1, 40)):
        place = rng.choice(folders) / f"{rng.choice(['', '', '.'])}{number}"
        if rng.random() < 0.4:
            folders.append(place)
        place.parent.mkdir(parents=True, exist_ok=True)
        if place in folders:
            place.mkdir()
        else:
            place.write_bytes(b"x" * rng.randint(0, 6))
            os.utime(place, (time := rng.randint(0, 6), time))
    least, most = sorted([rng.randint(0, 6), rng.randint(0, 6)])
    size = rng.choice([None, SizeRange(least, most), SizeRange(least, None), SizeRange(None, most)])
    newer, older = rng.choice([None, rng.randint(0, 6)]), rng.choice([None, rng.randint(0, 6)])
    depth, hidden = rng.choice([None, 1, 2, 3]), rng.random() < 0.5
    expected, left = filtered_naively(size, newer, older, depth, hidden)
    moments = {
        name: None if at is None else datetime.fromtimestamp(at, UTC)
        for name, at in (("newer", newer), ("older", older))
    }
    found, tally = walk("docs", files={"size": size} | moments, depth=depth, no_hidden=not hidden)
    assert (set(found), len(found)) == (expected, len(expected))
    assert tally.filtered == left
    said = "; ".join(tally.advice())
    assert all(f"{kind} left out: {count:,}" in said for kind, count in left.items())


def test_named_files_are_filtered_by_what_they_are_and_not_by_their_place() -> None:
    write("docs/.a", "docs/in/b", ".far/.c/d")
    found, tally = walk("docs/.a", "docs/in/b", ".far", depth=2, no_hidden=True)
    assert found == ["docs/.a", "docs/in/b"]
    assert tally.filtered == {HIDDEN: 1}
    # Each holds its own name.
    found, tally = walk("docs/.a", "docs/in/b", files={"size": SizeRange(9, 9)})
    assert (found, tally.filtered) == (["docs/in/b"], {SIZES: 1})


@pytest.mark.skipif(
    not os.access("/dev/shm", os.W_OK) or os.stat("/dev/shm").st_dev == os.stat(".").st_dev,
    reason="there is no other file system to write to",
)
def test_a_walk_stays_on_the_file_system_of_its_argument() -> None:
    with tempfile.TemporaryDirectory(dir="/dev/shm") as other:
        Path(other, "far").write_text("far")
        write("docs/near")
        Path("docs", "folder").symlink_to(other)
        Path("docs", "file").symlink_to(Path(other, "far"))
        found, tally = walk("docs", other, one_file_system=True)
        assert found == ["docs/near", f"{other}/far"]
        assert tally.filtered == {ELSEWHERE: 2}
