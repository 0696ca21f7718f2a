"""Folders that stand in other folders, against a naive comparison of every two folders."""

from __future__ import annotations

import os
import tempfile
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

import ilk
from ilk.write.folder_lines import CONTAINED, RENAMED, SAME
from tests.support.fixtures import examples

#: Contents of files, empty ones too, and what links lead to.
_CONTENTS = (b"", b"one", b"two", b"three", b"\0four", b"five")
_TARGETS = ("one", "../two", "nowhere")

_names = st.sampled_from(["a", "b", "c"])
_paths = st.lists(_names, min_size=0, max_size=3)
_entries = st.one_of(
    *[st.tuples(st.just("file"), st.sampled_from(_CONTENTS)) for _ in range(4)],
    st.tuples(st.just("link"), st.sampled_from(_TARGETS)),
    st.tuples(st.just("folder"), st.none()),
)
#: Some entries, and folders that are copied to other places as they are, or with other names.
trees = st.tuples(
    st.lists(st.tuples(_paths, st.sampled_from("xyz"), _entries), min_size=2, max_size=12),
    st.lists(st.tuples(_paths, _paths, st.booleans()), max_size=2),
)


def make_entry(path: Path, entry: tuple[str, Any]) -> None:
    kind, value = entry
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        if kind == "file":
            path.write_bytes(value)
        elif kind == "link":
            path.symlink_to(value)
        else:
            path.mkdir(parents=True, exist_ok=True)
    except (FileExistsError, IsADirectoryError, NotADirectoryError):
        pass  # Something else has its name.


def make_tree(top: Path, made: tuple[list[Any], list[Any]]) -> None:
    entries, copies = made
    top.mkdir()
    for parts, name, entry in entries:
        make_entry(top.joinpath(*parts, name), entry)
    for source, to, renamed in copies:
        every = [(path, path.relative_to(top.joinpath(*source))) for path in below(top, source)]
        for path, relative in every:
            name = f"{relative}.again" if renamed else str(relative)
            if path.is_symlink():
                make_entry(top.joinpath("copy", *to, name), ("link", os.readlink(path)))
            elif path.is_file():
                make_entry(top.joinpath("copy", *to, name), ("file", path.read_bytes()))
            else:
                make_entry(top.joinpath("copy", *to, name), ("folder", None))


def below(top: Path, parts: list[str]) -> list[Path]:
    """Return all that is below a folder, those of no other depth than a copy can have."""
    folder = top.joinpath(*parts)
    return sorted(folder.rglob("*")) if folder.is_dir() and not folder.is_symlink() else []


def named_contents(folder: Path) -> dict[str, Any]:
    """Return by relative name what a folder holds: bytes of files, targets of links, folders."""
    held = dict[str, Any]()
    for path in folder.rglob("*"):
        name = str(path.relative_to(folder))
        if path.is_symlink():
            held[name] = os.readlink(path)
        else:
            held[name] = path.read_bytes() if path.is_file() else None
    return held


def contents(folder: Path, without: Iterable[Path] = ()) -> Counter[Any]:
    """Return what a folder holds, whatever the names; not what is in some folders."""
    held = Counter[Any]()
    for name, content in named_contents(folder).items():
        path = folder / name
        if content is not None and not any(path.is_relative_to(one) for one in without):
            held[content] += 1
    return held


def are_apart(one: Path, other: Path) -> bool:
    return not one.is_relative_to(other) and not other.is_relative_to(one)


def kind_of(folder: Path, other: Path) -> str:
    """Return how a folder stands in another one; "" if it does not."""
    if named_contents(folder) == named_contents(other):
        return SAME
    if contents(folder) == contents(other):
        return RENAMED
    return CONTAINED if contents(folder).keys() <= contents(other).keys() else ""


def check(made: tuple[list[Any], list[Any]], identical: bool) -> None:
    with tempfile.TemporaryDirectory() as place:
        top = Path(place, "in")
        make_tree(top, made)
        if not any(path.is_file() and not path.is_symlink() for path in top.rglob("*")):
            return
        files = ilk.find(top, identical=identical, jobs=1).files()
        lines = files.twin_folders
        goes = [Path(line.folder) for line in lines]
        for line in lines:
            folder, other = Path(line.folder), Path(line.other)
            assert are_apart(folder, other)
            assert line.kind == kind_of(folder, other)
            every = [path for path in folder.rglob("*") if not path.is_symlink()]
            sizes = [path.stat().st_size for path in every if path.is_file()]
            assert (line.files, line.bytes) == (len(sizes), sum(sizes))
            links = [path for path in folder.rglob("*") if path.is_symlink()]
            assert line.links == len(links)
            empty = [path for path in every if path.is_dir() and not any(path.iterdir())]
            assert line.empty_folders == len(empty)
            dropped = [
                name for name in files.size_by_dropped_file() if Path(name).is_relative_to(folder)
            ]
            assert line.goes == len(dropped)
            # All of them can go together.
            assert contents(folder).keys() <= contents(top, without=goes).keys()
            assert not any(one in goes for one in folder.parents), "it is in a larger one"
        folders = [top, *(path for path in top.rglob("*") if path.is_dir())]
        folders = [path for path in folders if not path.is_symlink()]
        for folder in folders:
            if any(folder.is_relative_to(one) for one in goes):
                continue
            held = contents(folder).keys()
            for other in folders if held - {b"", *_TARGETS} else ():
                stands = are_apart(folder, other) and held <= contents(other, without=goes).keys()
                assert not stands, f"{folder} is in {other}"


_TWINS: tuple[list[Any], list[Any]] = (
    [
        (["a"], "x", ("file", b"one")),
        (["a", "b"], "y", ("file", b"two")),
        (["a"], "z", ("link", "one")),
        (["a", "c"], "x", ("folder", None)),
        (["b"], "x", ("file", b"three")),
    ],
    [(["a"], [], False)],
)


#: Of two equal folders, one has lost a folder in it already to the other.
_ONE_IN_THE_OTHER: tuple[list[Any], list[Any]] = (
    [
        (["a"], "x", ("file", b"one")),
        (["a", "a"], "x", ("link", "one")),
        (["a", "a"], "x", ("file", b"one")),
    ],
    [([], [], False)],
)


@example(made=_ONE_IN_THE_OTHER, identical=True)
@example(made=_TWINS, identical=True)
@example(made=(_TWINS[0], [(["a"], [], True)]), identical=False)
@given(made=trees, identical=st.booleans())
@examples(60, deadline=None, suppress_health_check=list(HealthCheck))
def test_folders_that_stand_in_others_are_those_of_a_naive_comparison(
    made: tuple[list[Any], list[Any]], identical: bool
) -> None:
    check(made, identical)


@pytest.mark.long
@given(made=trees, identical=st.booleans())
@settings(max_examples=2_000, deadline=None, suppress_health_check=list(HealthCheck))
def test_folders_that_stand_in_others_in_many_trees(
    made: tuple[list[Any], list[Any]], identical: bool
) -> None:
    check(made, identical)
