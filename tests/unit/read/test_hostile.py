"""What folders may hold that is no readable file: all of it is survived and told by name."""

from __future__ import annotations

import json
import os
import random
import socket
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import ilk.read
from ilk.read.files.content import read_file
from ilk.read.files.file_filters import compile_globs
from ilk.read.files.walk import find_files_and_tally_others
from ilk.read.folders import read_documents_except_unnamed_binary_rows
from ilk.read.report import Failure, ReadReport
from tests.support.readers import Read

SOURCE_TREE = str(Path(ilk.read.__file__).parents[2])


@pytest.fixture(autouse=True)
def _inside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    os.mkdir("docs")


def write(name: str, content: bytes = b"some words\n") -> None:
    Path(name).parent.mkdir(parents=True, exist_ok=True)
    Path(name).write_bytes(content)


def test_what_is_not_a_file_is_never_opened(read: Read) -> None:
    write("docs/a.txt")
    os.mkfifo("docs/fifo")
    os.symlink("fifo", "docs/link to fifo")
    os.symlink("/dev/zero", "docs/link to device")
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind("docs/socket")
        rows, tally = read("docs", links=True)
    assert [row["source"] for row in rows] == ["docs/a.txt"]
    assert tally.failures == [
        Failure("docs/fifo", "is a FIFO, not a file"),
        Failure("docs/socket", "is a socket, not a file"),
        Failure("docs/link to device", "is a character device, not a file"),
        Failure("docs/link to fifo", "is a FIFO, not a file"),
    ]


@pytest.mark.parametrize("given", ["docs/fifo", "/dev/null"])
def test_what_is_given_but_is_not_a_file_is_a_failure(read: Read, given: str) -> None:
    os.mkfifo("docs/fifo")
    rows, tally = read(given)
    assert rows == []
    assert [failure.source for failure in tally.failures] == [given]
    assert tally.failures[0].reason.endswith("not a file")


def test_dead_links_are_failures_with_their_reason(read: Read) -> None:
    os.symlink("nothing", "docs/dangling")
    os.symlink("loop", "docs/loop")
    os.symlink("b", "docs/a")
    os.symlink("a", "docs/b")
    os.symlink("docs/nothing", "given")
    rows, tally = read("docs", "given", links=True)
    assert rows == []
    assert tally.failures == [
        Failure("docs/a", "is a link that leads to itself"),
        Failure("docs/b", "is a link that leads to itself"),
        Failure("docs/dangling", "is a dangling link"),
        Failure("docs/loop", "is a link that leads to itself"),
        Failure("given", "is a dangling link"),
    ]


def test_links_to_folders_above_end(read: Read) -> None:
    write("docs/in/a.txt")
    os.symlink(".", "docs/self")
    os.symlink("..", "docs/in/up")
    os.symlink("/", "docs/in/.git")
    rows, tally = read("docs", exclude=["docs/in/.git", ".git"])
    assert [row["source"] for row in rows] == ["docs/in/a.txt"]
    assert tally.failures == []


def test_names_that_are_not_text_are_read_and_told_apart(read: Read) -> None:
    names = [b"\xff\xfe", rb"\xff\xfe", b"line\nbreak", b"tab\t", b"\xc3\xa9", b"e\xcc\x81", b"- -"]
    for name in names:
        write(os.fsdecode(b"docs/" + name), name)
    os.mkdir(b"docs/\xe9t\xe9")
    write(os.fsdecode(b"docs/\xe9t\xe9/a"))
    os.mkfifo(b"docs/\xf0")
    rows, tally = read("docs")
    assert {row["source"] for row in rows} == {
        r"docs/\xff\xfe",
        r"docs/\x5cxff\x5cxfe",
        "docs/line\nbreak",
        "docs/tab\t",
        "docs/é",
        "docs/e\u0301",
        "docs/- -",
        r"docs/\xe9t\xe9/a",
    }
    assert tally.failures == [Failure(r"docs/\xf0", "is a FIFO, not a file")]


def replace_by_nothing(path: str) -> None:
    os.remove(path)


def replace_by_fifo(path: str) -> None:
    os.remove(path)
    os.mkfifo(path)


def replace_by_link(path: str) -> None:
    os.remove(path)
    os.symlink("a", path)


def replace_by_folder(path: str) -> None:
    os.remove(path)
    os.mkdir(path)


def replace_by_device(path: str) -> None:
    os.remove(path)
    os.symlink("/dev/zero", path)


@pytest.mark.parametrize(
    ("replace", "reason"),
    [
        (replace_by_nothing, "vanished before it was read"),
        (replace_by_fifo, "is a FIFO, not a file"),
        (replace_by_link, "too many levels of symbolic links"),
        (replace_by_folder, "is a folder, not a file"),
        (replace_by_device, "too many levels of symbolic links"),
    ],
)
def test_a_file_that_changes_after_it_was_listed(
    replace: Callable[[str], None], reason: str
) -> None:
    for name in "abc":
        write(f"docs/{name}")
    tally = ReadReport()
    batches = read_documents_except_unnamed_binary_rows(["docs"], tally=tally, least_batch_bytes=1)
    replace("docs/b")
    assert next(batches)["source"].to_pylist() == ["docs/a"]
    assert next(batches)["source"].to_pylist() == ["docs/c"]
    assert list(batches) == []
    assert tally.failures == [Failure("docs/b", reason)]


def test_a_folder_that_vanishes_after_it_was_listed() -> None:
    write("docs/a")
    os.mkdir("docs/b")
    write("docs/c")
    tally = ReadReport()
    files = find_files_and_tally_others(["docs"], compile_globs([], []), tally)
    assert next(files).path == "docs/a"
    os.rmdir("docs/b")
    assert [found.path for found in files] == ["docs/c"]
    assert tally.failures == [Failure("docs/b", "vanished before it was read")]


def test_files_that_do_not_tell_their_size_are_read() -> None:
    content = read_file("/proc/self/maps").data
    assert content is not None
    assert b"python" in content
    assert content.endswith(b"\n")
    assert len(content) > 4096  # More than the system hands out at once.


def test_of_a_large_binary_file_only_the_head_is_read() -> None:
    noise = random.Random(5).randbytes(1 << 17)
    write("docs/noise", noise)
    assert read_file("docs/noise").data is None
    assert read_file("docs/noise", decide_by_head=lambda *_: "all").data == noise
    write("docs/small", noise[:1000])
    assert read_file("docs/small").data == noise[:1000]


@pytest.mark.parametrize("size", [0, 1, 4095, 65535, 65536, 65537, 200_000])
def test_files_of_any_size_are_read_whole(size: int) -> None:
    content = (b"some words\n" * 20_000)[:size]
    write("docs/a", content)
    assert read_file("docs/a").data == content


def test_a_sparse_file_larger_than_memory_is_told_by_its_head(read: Read) -> None:
    with open("docs/sparse.img", "wb") as file:
        file.truncate(1 << 40)
    rows, tally = read("docs")
    assert (rows, tally.skipped) == ([], {".img": 1})


def run_child(code: str) -> Any:
    """Run code in a process whose limits and user may be changed; give what it prints as JSON."""
    program = [sys.executable, "-c", CHILD + code]
    done = subprocess.run(program, capture_output=True, check=False, timeout=100)
    assert done.returncode == 0, done.stderr.decode()
    return json.loads(done.stdout)


CHILD = f"""
import json, os, resource, sys
sys.path.insert(0, {SOURCE_TREE!r})
from ilk.read.files.content import Unreadable, read_file
from ilk.read.files.file_filters import compile_globs
from ilk.read.report import ReadReport
from ilk.read.files.walk import find_files_and_tally_others

def read_all(root):
    tally, read = ReadReport(), []
    for found in find_files_and_tally_others([root], compile_globs([], []), tally):
        try:
            read_file(found.path)
            read.append(found.path)
        except Unreadable as error:
            tally.fail(found.path, str(error))
    return [read, tally.failures]
"""


def test_a_deep_tree_needs_few_open_files() -> None:
    write("docs" + "/d" * 100 + "/a.txt")
    read, failures = run_child(
        """
resource.setrlimit(resource.RLIMIT_NOFILE, (8, 8))
print(json.dumps(read_all("docs")))
"""
    )
    assert (len(read), failures) == (1, [])


def test_without_a_free_descriptor_every_file_is_a_failure() -> None:
    write("docs/a")
    write("docs/b")
    failures = run_child(
        """
tally = ReadReport()
files = find_files_and_tally_others(["docs"], compile_globs([], []), tally)
first = next(files)
limit = os.dup(0)
os.close(limit)
resource.setrlimit(resource.RLIMIT_NOFILE, (limit, limit))
reasons = []
for found in [first, *files]:
    try:
        read_file(found.path)
    except Unreadable as error:
        reasons.append([found.path, str(error)])
print(json.dumps(reasons))
"""
    )
    assert failures == [["docs/a", "too many open files"], ["docs/b", "too many open files"]]


def test_a_file_larger_than_memory_is_a_failure() -> None:
    write("docs/large.txt", b"some words\n" * (1 << 16))
    os.truncate("docs/large.txt", 1 << 36)
    write("docs/small.txt")
    read, failures = run_child(
        """
resource.setrlimit(resource.RLIMIT_AS, (1 << 33, 1 << 33))
print(json.dumps(read_all("docs")))
"""
    )
    assert read == ["docs/small.txt"]
    assert failures == [["docs/large.txt", "does not fit in memory"]]


def test_what_may_not_be_read_is_a_failure() -> None:
    write("docs/closed.txt")
    write("docs/locked/a.txt")
    write("docs/open.txt")
    os.chmod("docs/closed.txt", 0)
    os.chmod("docs/locked", 0)
    os.chmod(".", 0o755)  # The child starts here, for another user may not come down to it.
    try:
        read, failures = run_child(
            """
if os.geteuid() == 0:
    os.setgroups([])
    os.setgid(65534)
    os.setuid(65534)
print(json.dumps(read_all("docs")))
"""
        )
    finally:
        os.chmod("docs/locked", 0o755)
    assert read == ["docs/open.txt"]
    assert failures == [
        ["docs/closed.txt", "permission denied"],
        ["docs/locked", "permission denied"],
    ]


def test_a_link_that_leads_through_a_file_is_a_failure(read: Read) -> None:
    write("docs/a.txt")
    os.symlink("a.txt/b", "docs/link")
    _, tally = read("docs", links=True)
    assert tally.failures == [Failure("docs/link", "not a directory")]
