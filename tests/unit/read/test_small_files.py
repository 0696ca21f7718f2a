"""Small files are read before their turn, as they are; of all others nothing is said."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from ilk.base.run_options import Running
from ilk.read.encodings.kinds import HEAD
from ilk.read.files.content import Content, read_file
from ilk.read.files.walk import STDIN, FoundFile
from ilk.read.small_files import read_small_files


def _contents_of(files: list[FoundFile], jobs: int) -> list[tuple[FoundFile, Content | None]]:
    return [
        one
        for piece in read_small_files(files, Running(jobs=jobs, memory=0))
        for one in piece.each()
    ]


@pytest.mark.parametrize("jobs", [1, 2, 3, 8])
def test_contents_are_those_of_a_file_read_alone(tmp_path: Path, jobs: int) -> None:
    """Every size around the limits, in names of any bytes, many more than one call reads."""
    sizes = [1, 2, 100, HEAD - 2, HEAD - 1, *range(3, 600)]
    files = []
    for number, size in enumerate(sizes):
        path = os.path.join(os.fsencode(tmp_path), b"%d \xff\xc3\xa9" % number)
        Path(os.fsdecode(path)).write_bytes(os.urandom(size))
        files.append(FoundFile(os.fsdecode(path), follow=bool(number % 2)))
    read = _contents_of(files, jobs)
    assert [file for file, _ in read] == files
    for file, content in read:
        assert content == read_file(file.path, decide_by_head=lambda *_: "all", follow=file.follow)


def test_one_call_holds_only_so_many_bytes_and_says_nothing_of_the_others(tmp_path: Path) -> None:
    files = []
    for number in range(200):
        path = tmp_path / f"{number:03}"
        path.write_bytes(bytes([number]) * (HEAD - 1))
        files.append(FoundFile(str(path), follow=False))
    contents = [content for _, content in _contents_of(files, jobs=1)]
    read = [content for content in contents if content is not None]
    assert contents == read + [None] * (200 - len(read))
    assert 60 < len(read) < 70
    assert all(content.data == bytes([at]) * (HEAD - 1) for at, content in enumerate(read))


def test_nothing_is_said_of_what_is_no_small_file(tmp_path: Path) -> None:
    small, link = tmp_path / "small", tmp_path / "link"
    small.write_bytes(b"text")
    link.symlink_to(small)
    (tmp_path / "empty").touch()
    (tmp_path / "large").write_bytes(b"x" * HEAD)
    (tmp_path / "folder").mkdir()
    (tmp_path / "dangling").symlink_to(tmp_path / "nowhere")
    os.mkfifo(tmp_path / "fifo")
    of_no_known_size = "/proc/self/status"
    names = ["empty", "large", "folder", "dangling", "fifo", "missing", "link", of_no_known_size]
    files = [FoundFile(str(tmp_path / name), follow=False) for name in names]
    files += [FoundFile(str(link), follow=True), FoundFile(str(small), follow=False)]
    contents = [content for _, content in _contents_of(files, jobs=1)]
    assert contents[:-2] == [None] * len(names)
    modified = small.stat().st_mtime_ns // 1000
    assert contents[-2:] == [Content(b"text", modified, 4)] * 2


def test_standard_input_is_not_a_file_of_this_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path(STDIN).write_text("text")
    Path("other").write_text("text")
    files = [FoundFile(STDIN, follow=False), FoundFile("other", follow=False)]
    assert _contents_of(files, jobs=2) == [(file, None) for file in files]
