"""Files that are there whole or not at all, also after a kill."""

from __future__ import annotations

import os
import secrets
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from ilk.base.whole import whole_file, write_through_to_disk

_ENDLESS = """
import sys
from pathlib import Path
from ilk.base.whole import whole_file
with whole_file(Path(sys.argv[1])) as out:
    out.write(b"half")
    out.flush()
    print("begun", flush=True)
    sys.stdin.read()
"""


@pytest.mark.skipif(not hasattr(os, "O_TMPFILE"), reason="this system has no files without names")
def test_a_kill_leaves_nothing_behind(tmp_path: Path) -> None:
    path = tmp_path / "out"
    path.write_text("old")
    arguments = [sys.executable, "-c", _ENDLESS, str(path)]
    with subprocess.Popen(arguments, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as child:
        assert child.stdout is not None
        assert child.stdout.readline() == b"begun\n"
        child.kill()
    assert os.listdir(tmp_path) == ["out"]
    assert path.read_text() == "old"


@pytest.mark.parametrize("name", ["out", "o" * 255])
@pytest.mark.parametrize("named", [False, True])
def test_a_file_is_replaced_when_it_is_whole(
    name: str, named: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if named:
        monkeypatch.delattr(os, "O_TMPFILE", raising=False)
    path = tmp_path / name
    path.write_text("old")
    with whole_file(path) as out:
        out.write(b"new")
        assert path.read_text() == "old"
    assert path.read_text() == "new"
    umask = os.umask(0)
    os.umask(umask)
    assert stat.S_IMODE(path.stat().st_mode) == 0o666 & ~umask
    with pytest.raises(TypeError), whole_file(path) as out:
        out.write("no bytes")  # type: ignore[call-overload]
    assert path.read_text() == "new"
    assert os.listdir(tmp_path) == [name]


def test_a_name_that_is_taken_is_not_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    names = iter(["taken", "taken", "free"])
    monkeypatch.setattr(secrets, "token_hex", lambda _size: next(names))
    (tmp_path / ".out.taken").write_text("another's")
    with whole_file(tmp_path / "out") as out:
        out.write(b"new")
    assert (tmp_path / ".out.taken").read_text() == "another's"
    assert (tmp_path / "out").read_text() == "new"


#: More bytes than are written before the system is asked to write them to disk.
_LARGE = bytes(range(256)) * (1 << 19)


@pytest.mark.skipif(not hasattr(os, "posix_fadvise"), reason="this system takes no such advice")
def test_a_large_file_goes_to_disk_piece_by_piece(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun: list[tuple[int, int]] = []
    advise = os.posix_fadvise

    def begin(descriptor: int, start: int, length: int, advice: int) -> None:
        begun.append((start, length))
        advise(descriptor, start, length, advice)

    monkeypatch.setattr(os, "posix_fadvise", begin)
    with whole_file(tmp_path / "out") as out:
        for start in range(0, len(_LARGE), 1_000_003):
            out.write(_LARGE[start : start + 1_000_003])
        write_through_to_disk(out)
    assert (tmp_path / "out").read_bytes() == _LARGE
    assert len(begun) >= 3
    # Each piece begins where the one before ended, so no byte is asked for twice.
    ends = [start + length for start, length in begun]
    assert [start for start, _ in begun] == [0, *ends[:-1]]


@pytest.mark.parametrize("refuses", [False, True])
def test_a_large_file_is_whole_where_the_system_takes_no_advice(
    refuses: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: int) -> None:
        raise OSError

    if refuses:
        monkeypatch.setattr(os, "posix_fadvise", refuse, raising=False)
    else:
        monkeypatch.delattr(os, "posix_fadvise", raising=False)
    with whole_file(tmp_path / "out") as out:
        out.write(_LARGE)
    assert (tmp_path / "out").read_bytes() == _LARGE
