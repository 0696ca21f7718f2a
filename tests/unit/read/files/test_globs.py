"""The globs of --include and --exclude, and the names that sources are made of."""

from __future__ import annotations

import os
import random
from fnmatch import fnmatchcase
from itertools import product

import pytest

from ilk.base.errors import IlkError
from ilk.read.files.content import last_dotted_extension, source_name
from ilk.read.files.file_filters import compile_globs


@pytest.mark.parametrize(
    ("pattern", "matches", "differs"),
    [
        ("*.txt", ["a.txt", "old/a.txt", "x/y/a.txt"], ["a.TXT", "a.txt.gz", "txt"]),
        ("a?.txt", ["ab.txt", "old/ab.txt"], ["a.txt", "abc.txt"]),
        ("[ab].txt", ["a.txt", "x/b.txt"], ["c.txt", "ab.txt"]),
        ("README", ["README", "x/README"], ["README.md", "README/x"]),
        ("old/*", ["old/a", "old/x/a"], ["older/a", "x/old/a", "old"]),
        ("old/", ["old/a", "old/x/a"], ["older/a", "x/old/a", "old"]),
        ("old/*.txt", ["old/a.txt", "old/x/a.txt"], ["old/a.md", "x/old/a.txt", "a.txt"]),
        ("/old/*", ["old/a", "old/x/a"], ["x/old/a", "older/a"]),
        ("/*.txt", ["a.txt", "old/a.txt"], ["a.md"]),
        ("**/old/**", ["old/a", "x/old/a", "x/y/old/z/a"], ["older/a", "x/bold/a", "old"]),
        ("*/old/*", ["old/a", "x/old/a"], ["bold/a"]),
        ("x/**/a", ["x/y/a", "x/y/z/a"], ["x/b", "y/x/y/a"]),
        ("*", ["a", "x/y"], []),
        ("*\n*", ["a\nb", "x/a\nb"], ["a", "b"]),
        ("\udcff*", ["\udcff", "x/\udcffb"], ["ÿ"]),
    ],
)
def test_a_pattern_matches_the_name_and_the_path_below(
    pattern: str, matches: list[str], differs: list[str]
) -> None:
    for path in matches:
        assert compile_globs([pattern], []).takes(path)
        assert not compile_globs([], [pattern]).takes(path)
    for path in differs:
        assert not compile_globs([pattern], []).takes(path)
        assert compile_globs([], [pattern]).takes(path)


@pytest.mark.parametrize(
    ("pattern", "left_out", "entered"),
    [
        ("old", ["old", "x/old"], ["older", "old/x"]),
        ("old/", ["old", "old/x"], ["x/old", "older"]),
        ("old/*", ["old", "old/x"], ["x/old", "older"]),
        ("**/old/**", ["old", "x/old", "x/old/y"], ["bold"]),
        ("old/*.txt", [], ["old", "old/x"]),
        ("*.txt", ["a.txt"], ["txt", "old"]),
        ("node_modules", ["node_modules", "a/b/node_modules"], ["modules"]),
    ],
)
def test_excludes_apply_to_folders(pattern: str, left_out: list[str], entered: list[str]) -> None:
    globs = compile_globs([], [pattern])
    assert not any(globs.enters(path) for path in left_out)
    assert all(globs.enters(path) for path in entered)
    assert all(compile_globs([pattern], []).enters(path) for path in left_out + entered)


def test_an_exclude_wins_over_an_include() -> None:
    globs = compile_globs(["*.txt", "*.md"], ["draft*"])
    taken = [path for path in ["a.txt", "a.md", "a.py", "draft.txt"] if globs.takes(path)]
    assert taken == ["a.txt", "a.md"]


def test_globs_equal_fnmatch_applied_pattern_by_pattern() -> None:
    rng = random.Random(3)
    alphabet = ["a", "b", "/", "*", "?", "[ab]", "[!a]", ".", "**", "\n", "é", "["]
    hits = 0
    for _ in range(3000):
        patterns = ["".join(rng.choices(alphabet, k=rng.randint(1, 4))) for _ in range(2)]
        path = "/".join("".join(rng.choices("ab.é\n[", k=rng.randint(1, 2))) for _ in range(3))
        whole = [pattern + "*" if pattern.endswith("/") else pattern for pattern in patterns]
        forms = [path.split("/")[-1], path, "/" + path]
        expected = any(fnmatchcase(form, pattern) for form in forms for pattern in whole)
        hits += expected
        assert compile_globs(patterns, []).takes(path) == expected
        assert compile_globs([], patterns).takes(path) != expected
    assert 300 < hits < 2700


def test_a_text_in_place_of_a_list_is_refused() -> None:
    with pytest.raises(IlkError, match=r"include is a string, '\*\.txt'"):
        compile_globs("*.txt", [])
    with pytest.raises(IlkError, match="exclude"):
        compile_globs([], "old")


@pytest.mark.parametrize(
    ("path", "source"),
    [
        (b"docs/a.txt", "docs/a.txt"),
        ("docs/é中.txt".encode(), "docs/é中.txt"),
        (b"a\xff.txt", r"a\xff.txt"),
        (rb"a\xff.txt", r"a\x5cxff.txt"),
        (b"a\\\xff", r"a\\xff"),
        (rb"a\n", r"a\n"),
        (b"a\nb", "a\nb"),
        (rb"a\x5c", r"a\x5cx5c"),
        (b"\xed\xa0\x80", r"\xed\xa0\x80"),
    ],
)
def test_a_source_is_text_whatever_the_name(path: bytes, source: str) -> None:
    assert source_name(os.fsdecode(path)) == source


def test_two_paths_never_share_a_source() -> None:
    rng = random.Random(4)
    pieces = [b"\\", b"x", b"\xff", b"f", b"5", b"c", b"\xc3\xa9", b"\xc3", b"\\x5c", b"\\xff"]
    paths = {b"".join(rng.choices(pieces, k=rng.randint(1, 6))) for _ in range(20_000)}
    named = {source_name(os.fsdecode(path)) for path in paths}
    assert len(named) == len(paths) > 10_000
    for name in named:
        name.encode()


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("a.txt", ".txt"),
        ("A.PDF", ".pdf"),
        ("a.tar.gz", ".gz"),
        ("old.d/a", ""),
        (".profile", ""),
        ("a.", "."),
        ("a.\udcff", r".\xff"),
    ],
)
def test_the_extension_is_the_last_in_lower_case(path: str, expected: str) -> None:
    assert last_dotted_extension(path) == expected


def test_the_extension_is_where_python_finds_it() -> None:
    every = ["".join(letters) for size in range(7) for letters in product("./a", repeat=size)]
    for path in every:
        assert last_dotted_extension(path) == os.path.splitext(path)[1], path
