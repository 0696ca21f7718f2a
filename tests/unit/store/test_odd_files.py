"""Whatever stands where a store has its files: an error that names it, and no waiting."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from ilk.base.errors import OutputError, StoreFormatError
from ilk.store import Store

ODD: dict[str, Callable[[Path], None]] = {
    "pipe": lambda path: os.mkfifo(path),
    "folder": os.mkdir,
    "device": lambda path: path.symlink_to("/dev/zero"),
}


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="pipes with names are POSIX")
@pytest.mark.parametrize("kind", ODD)
@pytest.mark.parametrize("end", ["", "-journal", "-wal", "-shm"])
def test_what_is_not_a_file_is_refused(path: Path, end: str, kind: str) -> None:
    with Store(path, jobs=1) as store:
        store.add(["a text"])
    odd = path.with_name(path.name + end)
    odd.unlink(missing_ok=True)
    ODD[kind](odd)
    with pytest.raises(StoreFormatError, match=f"{odd.name} is "):
        Store(path)


def test_a_link_to_itself_is_refused(path: Path) -> None:
    path.symlink_to(path)
    with pytest.raises(OutputError, match="cannot open"):
        Store(path)
