"""Files that change at a given moment, for tests of what reads them."""

from __future__ import annotations

import itertools
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

#: Changes a file, or what stands in its place, given other content.
Change = Callable[[Path, bytes], object]


def put(path: Path, content: bytes) -> None:
    """Write a file that was last changed long ago, in the place of whatever stands there."""
    if path.is_dir() and not path.is_symlink():
        path.rmdir()
    path.unlink(missing_ok=True)
    path.write_bytes(content)
    os.utime(path, (1, 1))  # Any change is later, however coarse the clock.


def _written_over(path: Path, other: bytes) -> None:
    with path.open("r+b") as file:
        file.write(other[: path.stat().st_size])


def _replaced(path: Path, other: bytes) -> None:
    """Put another file in its place, of the same age."""
    status, new = path.stat(), path.with_name("new")
    new.write_bytes(other)
    os.utime(new, ns=(status.st_atime_ns, status.st_mtime_ns))
    new.replace(path)


def _instead(make: Callable[[Path], object]) -> Change:
    def change(path: Path, _: bytes) -> None:
        path.unlink()
        make(path)

    return change


CHANGES: dict[str, Change] = {
    "grows": lambda path, other: path.write_bytes(path.read_bytes() + other),
    "shrinks": lambda path, _: os.truncate(path, path.stat().st_size // 3),
    "emptied": lambda path, _: os.truncate(path, 0),
    "gone": lambda path, _: path.unlink(),
    "replaced": _replaced,
    "written over": _written_over,
    "a folder": _instead(Path.mkdir),
    "a device": _instead(lambda path: path.symlink_to("/dev/zero")),
}
if hasattr(os, "mkfifo"):
    CHANGES["a FIFO"] = _instead(os.mkfifo)


def at_call(number: int, change: Callable[[], object]) -> Callable[..., None]:
    """A function that follows progress, and makes a change when it is called so often."""
    calls = itertools.count(1)

    def progress(step: str, done: int, total: int | None = None, size: int = 0) -> None:
        del step, done, total, size
        if next(calls) == number:
            change()

    return progress


#: Functions that get every path which this process opens or lists.
_TOLD: list[Callable[[str], None]] = []


@cache
def _listen() -> None:
    def hear(event: str, arguments: tuple[Any, ...]) -> None:
        if _TOLD and event in ("open", "os.scandir") and isinstance(arguments[0], str):
            _TOLD[-1](arguments[0])

    sys.addaudithook(hear)  # It stays until the process ends.


@contextmanager
def at_opening(number: int, below: Path, change: Callable[[], object]) -> Iterator[list[str]]:
    """Make a change just before this process opens a file, or lists a folder, for the n-th time of
    those whose paths begin like ``below``; yield these paths, as they come.
    """
    seen: list[str] = []

    def told(path: str) -> None:
        if path.startswith(str(below)):
            seen.append(path)
            if len(seen) == number:
                _TOLD.remove(told)  # The change opens files too.
                change()
                _TOLD.append(told)

    _listen()
    _TOLD.append(told)
    try:
        yield seen
    finally:
        _TOLD.remove(told)


def each_opening(
    below: Path, change: Callable[[], object], run: Callable[[], object]
) -> Iterator[Exception | None]:
    """Run something with a change at its first opening, at its second, and so on; yield the error
    that each run ends with.
    """
    for number in itertools.count(1):
        with at_opening(number, below, change) as seen:
            error: Exception | None = None
            try:
                run()
            except Exception as raised:
                error = raised
        if len(seen) < number:
            assert number > 1, f"nothing is opened below {below}"
            return
        yield error
