"""The policy ``original`` keeps what a person would keep, and one side of two equal folders."""

from __future__ import annotations

import hashlib
import itertools
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from random import Random

import pyarrow as pa
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from ilk.search.originals import COPY_WORDS, count_copy_marks, count_copy_marks_of_paths
from ilk.search.ranking import deciding_policies, order_documents_best_first

ORIGINAL = ["original"]

#: A path, what is in it, and its age in days.
File = tuple[str, str, int]


def documents(files: Sequence[File]) -> pa.Table:
    """Return documents as a scan has them; a path with ``!/`` is in an archive."""
    paths = [path for path, _, _ in files]
    digests = [hashlib.md5(content.encode()).digest() for _, content, _ in files]
    today = datetime(2026, 1, 1, tzinfo=UTC)
    return pa.table(
        {
            "doc": pa.array(range(len(files)), pa.int64()),
            "source": pa.array(paths, pa.string()),
            "file": pa.array([path.partition("!/")[0] for path in paths], pa.string()),
            "length": pa.array([1] * len(files), pa.int64()),
            "modified": pa.array(
                [today - timedelta(days=days) for _, _, days in files],
                pa.timestamp("us", tz="UTC"),
            ),
            "digest": pa.array(digests, pa.binary(16)),
            "bytes_digest": pa.array(digests, pa.binary(16)),
        }
    )


def keepers(files: Sequence[File]) -> dict[str, str]:
    """Return for each content the path that stays."""
    order = order_documents_best_first(documents(files), ORIGINAL).to_pylist()
    chosen: dict[str, str] = {}
    for row in order:
        path, content, _ = files[row]
        chosen.setdefault(content, path)
    return chosen


def twins(one: str, other: str, ages: Mapping[str, tuple[int, int]]) -> list[File]:
    """Return the same files in two folders, with an age in each."""
    found = [(f"{one}/{name}", name, ages[name][0]) for name in ages]
    return found + [(f"{other}/{name}", name, ages[name][1]) for name in ages]


@pytest.mark.parametrize(
    ("better", "worse", "why"),
    [
        ("d/Letters/2003/Brief.pdf", "d/Desktop old/Brief scan.pdf", "fewer marks"),
        ("d/final.docx", "d/final FINAL (2).docx", "fewer marks"),
        ("d/deep/er/est/a.txt", "d/Downloads/a.txt", "fewer marks"),
        ("d/z/a.txt", "d/old.zip!/a.txt", "a file on disk"),
        ("d/z/a.txt", "d/a-2024-01-31.txt", "fewer marks"),
        ("d/2024-01-31/a.txt", "d/2024-01-31/Kopie von a.txt", "fewer marks"),
        ("d/a.txt", "d/a.txt.gz", "fewer marks"),
        ("d/b/c/a copy.txt", "d/a copy.txt.xz", "fewer marks"),
        ("d/a.txt", "d/b/a.txt", "its folder has files less deep"),
        ("d/b/a.txt", "d/c/e/a.txt", "its folder has files less deep"),
    ],
)
def test_a_person_keeps_the_first_of_two(better: str, worse: str, why: str) -> None:
    # What is newer and named first does not stay for that alone.
    files = [(worse, "x", 2), (better, "x", 1)]
    assert keepers(files) == {"x": better}
    (said,) = deciding_policies(
        documents(files), ORIGINAL, better_rows=pa.array([1]), worse_rows=pa.array([0])
    ).to_pylist()
    assert said.startswith(why)


def test_the_folder_stays_of_whose_files_more_are_nowhere_else() -> None:
    """A dump of copies is shallower, older and first; people use the other one."""
    copies = [(f"d/a/{n}", f"{n}", 9) for n in range(5)]
    letters = [(f"d/desk/letters/{n}.txt", f"{n}", 1) for n in range(5)]
    own = [("d/desk/new.txt", "new", 1)]
    chosen = keepers([*copies, *letters, *own])
    assert all(path.startswith("d/desk/") for path in chosen.values())
    said = deciding_policies(
        documents([*copies, *letters, *own]),
        ORIGINAL,
        better_rows=pa.array([5]),
        worse_rows=pa.array([0]),
    )
    assert said.to_pylist() == ["a larger share of its folder is nowhere else, marked copies aside"]


def test_a_backup_of_a_folder_does_not_let_another_one_win() -> None:
    """All that is in Documents stands in a backup too; the copy on the desktop does not stay."""
    used = [(f"d/Documents/letters/{n}.txt", f"{n}", 1) for n in range(3)]
    saved = [(f"d/Backup 2019/letters/{n}.txt", f"{n}", 2) for n in range(3)]
    desktop = [("d/Desktop/0.txt", "0", 3), ("d/Desktop/new.txt", "new", 3)]
    chosen = keepers([*desktop, *saved, *used])
    assert [chosen[f"{n}"] for n in range(3)] == [path for path, _, _ in used]


def test_what_every_path_shares_does_not_count() -> None:
    """Everything in a folder of backups is a copy by its path; what differs below it decides."""
    files = [("backup/tmp/a/x", "x", 2), ("backup/tmp/old/x", "x", 3), ("backup/tmp/b/c/x", "x", 9)]
    assert keepers(files) == {"x": "backup/tmp/a/x"}


def test_copies_inside_archives_do_not_make_a_folder_one_of_copies() -> None:
    files = [("d/b/1", "1", 1), ("d/b/2", "2", 1), ("d/c/1", "1", 2), ("d/backup.zip!/2", "2", 1)]
    assert keepers(files) == {"1": "d/b/1", "2": "d/b/2"}


ages = st.dictionaries(
    st.sampled_from("abcdefghij"), st.tuples(st.integers(0, 9), st.integers(0, 9)), min_size=1
)


@given(ages, st.booleans(), st.randoms(use_true_random=False))
def test_twin_folders_keep_one_side(
    files: Mapping[str, tuple[int, int]], deep: bool, by: Random
) -> None:
    """Also trees, in whatever order their files are named and however old each of them is."""
    named = {(f"{name}/{name}" if deep and name < "f" else name): at for name, at in files.items()}
    every = twins("d/one", "d/two", named)
    by.shuffle(every)
    sides = {path.split("/")[1] for path in keepers(every).values()}
    assert len(sides) == 1


folders = st.dictionaries(
    st.sampled_from(["p", "p/x", "q", "q/x", "r (1)", "r (1)/x", "old/s"]),
    st.dictionaries(
        st.integers(0, 6), st.sampled_from(["{}", "{} (1)", "copy {}", "y/{}~"]), min_size=3
    ),
    min_size=2,
)


@given(folders, st.booleans())
@example(
    {
        "q": {0: "{}", 5: "{}", 1: "{}"},
        "p": {3: "copy {}", 2: "{}", 6: "copy {}", 4: "{}"},
        "q/x": {6: "{}", 3: "y/{}~", 4: "{}"},
    },
    False,
)
def test_of_two_folders_most_of_whose_contents_are_in_both_only_one_keeps_any(
    files: dict[str, dict[int, str]], in_archives: bool
) -> None:
    top = "d/x.zip!" if in_archives else "d"
    every = [
        (f"{top}/{folder}/{name.format(content)}", f"{content}", 1)
        for folder, names in files.items()
        for content, name in names.items()
    ]
    chosen = keepers(every)
    held: dict[str, set[str]] = {}
    for path, content, _ in every:
        parts = path.split("/")
        for end in range(1, len(parts)):
            held.setdefault("/".join(parts[:end]), set()).add(content)
    for (one, mine), (other, its) in itertools.combinations(held.items(), 2):
        both = mine & its
        nested = f"{other}/".startswith(f"{one}/") or f"{one}/".startswith(f"{other}/")
        if nested or 2 * len(both) <= max(len(mine), len(its)):
            continue
        sides = {
            side
            for side in (one, other)
            for content in both
            if chosen[content].startswith(f"{side}/")
        }
        assert len(sides) < 2


def test_a_folder_that_is_mostly_elsewhere_too_is_weighed_as_a_whole() -> None:
    """No mark in a name splits two folders; outside of them, marks decide as ever."""
    a = [f"d/A/{n} (1).txt" if n < 2 else f"d/A/{n}.txt" for n in range(10)]
    b = [f"d/B/{n} copy.txt" if n == 5 else f"d/B/{n}.txt" for n in range(10)]
    c = ["d/C/0.txt", "d/C/new.txt", "d/C/newer.txt"]
    every = [(path, path[4:5] if path[4:5] in "0123456789" else path, 1) for path in [*a, *b, *c]]
    chosen = keepers(every)
    assert [chosen[f"{n}"] for n in range(10)] == ["d/C/0.txt", *b[1:]]
    why = deciding_policies(
        documents(every), ORIGINAL, better_rows=pa.array([11, 20]), worse_rows=pa.array([1, 10])
    ).to_pylist()
    assert why == [
        "fewer marks of a copy on average in its folder",
        "fewer marks of a copy in its path than on average in the other's folder",
    ]


def test_a_copy_inside_a_folder_puts_no_mark_on_it() -> None:
    """Of each content the path with the fewest marks counts."""
    used = [(f"d/Documents/{n}.txt", f"{n}", 1) for n in range(3)]
    inside = [(f"d/Documents/Backup/{n}.txt", f"{n}", 1) for n in range(3)]
    saved = [(f"d/Stick/{n}/{n}.txt", f"{n}", 1) for n in range(3)]
    assert set(keepers([*saved, *inside, *used]).values()) == {path for path, _, _ in used}


def test_a_file_in_a_folder_that_is_weighed_as_a_whole_precedes_what_is_in_an_archive_there() -> (
    None
):
    files = [(f"d/{side}/{n}", f"{n}", 1) for side in "ab" for n in range(2)]
    table = documents([("d/a/x.zip!/0", "0", 1), *files])
    why = deciding_policies(
        table, ORIGINAL, better_rows=pa.array([1]), worse_rows=pa.array([0])
    ).to_pylist()
    assert why == ["a file on disk"]


def test_a_backup_of_all_leaves_the_decisions_below_it_to_the_names() -> None:
    """Inside a folder that has a twin, its folders are compared with each other alone."""
    used = {"letters/f (1).txt": "f", "tasks/f.txt": "f"}
    used |= {f"letters/{n}.txt": f"letter {n}" for n in range(9)}
    used |= {f"tasks/{n} copy.txt": f"task {n}" for n in range(9)}
    every = [
        (f"d/{top}/{path}", content, 1)
        for top in ("Documents", "Disk")
        for path, content in used.items()
    ]
    assert keepers(every)["f"] == "d/Documents/tasks/f.txt"


trees = st.lists(
    st.tuples(
        st.lists(st.sampled_from(["a", "b", "c", "old", "copy"]), min_size=1, max_size=4),
        st.sampled_from("uvwxyz"),
        st.integers(0, 5),
    ),
    min_size=2,
    max_size=12,
    unique_by=lambda file: tuple(file[0]),
)


@given(trees, st.randoms(use_true_random=False))
def test_the_order_of_reading_decides_only_what_nothing_else_does(
    files: list[tuple[list[str], str, int]], by: Random
) -> None:
    """Two files keep their order in any other order of reading, unless the reason is ``first``."""
    every = [("/".join(path) + ".txt", content, days) for path, content, days in files]
    shuffled = [*every]
    by.shuffle(shuffled)
    one, other = (
        {
            rows[row][0]: place
            for place, row in enumerate(
                order_documents_best_first(documents(rows), ORIGINAL).to_pylist()
            )
        }
        for rows in (every, shuffled)
    )
    count = len(every)
    pairs = [
        (a, b) for a in range(count) for b in range(count) if one[every[a][0]] < one[every[b][0]]
    ]
    better, worse = (pa.array(side, pa.int64()) for side in zip(*pairs, strict=True))
    why = deciding_policies(
        documents(every), ORIGINAL, better_rows=better, worse_rows=worse
    ).to_pylist()
    for (a, b), said in zip(pairs, why, strict=True):
        assert said == "first" or other[every[a][0]] < other[every[b][0]]


@given(trees)
def test_equal_sets_of_folders_have_one_winner(files: list[tuple[list[str], str, int]]) -> None:
    """Without marks in names, families whose members lie in the same folders keep the same one."""
    every = [("/".join(path) + "/" + content, content, days) for path, content, days in files]
    every = list({path: (path, content, days) for path, content, days in every}.values())
    stays = keepers(every)
    winners: dict[frozenset[str], set[str]] = {}
    for content, path in stays.items():
        folders = frozenset(at.rpartition("/")[0] for at, what, _ in every if what == content)
        winners.setdefault(folders, set()).add(path.rpartition("/")[0])
    assert all(len(chosen) == 1 for chosen in winners.values())


@pytest.mark.parametrize(
    ("path", "count"),
    [
        ("Letters/2003/Brief an Müller.pdf", 0),
        ("goldsmith/copyright/template.txt", 0),
        ("Alt/Brief.txt", 1),
        ("ALT/Sicherungskopie/x", 2),
        ("téléchargements/x", 1),
        ("te\u0301le\u0301chargements/x", 1),
        ("cópia de x.txt", 1),
        ("backup2003/x", 1),
        ("2003backup/x", 1),
        ("a/.Trash-1000/files/x", 1),
        ("$RECYCLE.BIN/x", 1),
        ("Photos (2)/x.jpg", 1),
        ("x (1).jpg", 1),
        ("Photos 2019-08-01/x.jpg", 0),
        ("x 2019-08-01.txt", 1),
        ("x.txt~", 1),
        ("x.orig", 1),
        ("x.old", 1),
        ("x.txt.gz", 1),
        ("x (1).txt.GZ", 2),
        ("x.tar.bz2", 1),
        ("gz", 0),
        ("x.gz.txt", 0),
        ("old/copy of backup.txt", 2),
    ],
)
def test_marks_are_whole_words_of_folders_and_names(path: str, count: int) -> None:
    assert count_copy_marks(path) == count


@pytest.mark.parametrize(
    "word", sorted({w for words in COPY_WORDS.values() for w in words.split()})
)
def test_every_word_is_a_mark_in_capitals_too(word: str) -> None:
    assert count_copy_marks(f"{word}/x") == count_copy_marks(f"x {word.upper()}.txt") == 1


@given(
    st.lists(
        st.lists(
            st.text("aZ (2)~.éſK-\n", max_size=6)
            | st.sampled_from(
                ["Copy of x", "x.orig", "x (1).txt", "Kopie", "old", "x 2024-01-31.txt", "a~", ""]
            ),
            min_size=1,
            max_size=3,
        ).map("/".join),
        min_size=1,
        max_size=8,
    )
)
def test_marks_of_many_paths_are_those_of_each(paths: list[str]) -> None:
    sources = pa.array(paths, pa.string())
    folders = pa.array([path.rpartition("/")[0] for path in paths]).dictionary_encode()
    counted = count_copy_marks_of_paths(sources, folders)
    assert counted.to_pylist() == [count_copy_marks(path) for path in paths]
