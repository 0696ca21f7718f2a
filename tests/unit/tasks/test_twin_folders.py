"""Folders that stand in others: cases, and what a plan makes of a decision on a folder."""

from __future__ import annotations

import json
import os
import zipfile
from pathlib import Path
from typing import Any

import pytest

import ilk
from ilk import write
from ilk.base.errors import PlanError
from ilk.tasks.apply import file_plan as plans
from ilk.write.folder_lines import TwinFolder, spell_relation


@pytest.fixture(autouse=True)
def _inside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def lay(*files: str) -> None:
    """Make files: ``path=content``, ``path->target`` of a link, ``path/`` of an empty folder."""
    for each in files:
        name, _, content = each.partition("=")
        link, _, target = each.partition("->")
        path = Path(link if target else name)
        if name.endswith("/"):
            path.mkdir(parents=True)
            continue
        path.parent.mkdir(parents=True, exist_ok=True)
        if target:
            path.symlink_to(target)
        else:
            path.write_text(content)


def twin_folders(**options: Any) -> list[TwinFolder]:
    return ilk.find(Path("in"), jobs=1, **options).files().twin_folders


def sentences(folders: list[TwinFolder]) -> list[str]:
    return ["".join(spell_relation(one)) for one in folders]


@pytest.mark.parametrize("identical", [False, True])
@pytest.mark.parametrize(
    ("files", "lines"),
    [
        (
            ["in/a/x=one", "in/a/y=two", "in/b/x=one", "in/b/y=two"],
            ["in/b/ is the same as in/a/: 2 files, 6 B"],
        ),
        (
            ["in/a/x=one", "in/a/y=two", "in/b/y=one", "in/b/z=two"],
            ["in/b/ holds the same, under other names, as in/a/: 2 files, 6 B"],
        ),
        (
            ["in/a/x=one", "in/a/y=two", "in/backup/y=one"],
            ["in/backup/ is wholly in in/a/: 1 file, 3 B"],
        ),
        # The largest folders alone, and three of them.
        (
            [f"in/{top}/p/q/{name}={name}" for top in "abc" for name in "xy"],
            [
                "in/b/ is the same as in/a/: 2 files, 2 B",
                "in/c/ is the same as in/a/: 2 files, 2 B",
            ],
        ),
        # The same files directly, and others below.
        (
            ["in/a/x=one", "in/a/p/y=two", "in/b/x=one", "in/b/p/y=three"],
            [],
        ),
        (
            ["in/a/x=one", "in/a/p/y=two", "in/old/p/y=two", "in/old/z=own"],
            ["in/old/p/ is the same as in/a/p/: 1 file, 3 B"],
        ),
        # A folder in a folder of its own twin's kind.
        (
            ["in/a/x=one", "in/a/y=two", "in/a/copy/x=one", "in/a/copy/y=two"],
            [],
        ),
        (
            ["in/a/x=one", "in/b/copy/copy/x=one", "in/b/y=two"],
            ["in/b/copy/ holds the same, under other names, as in/a/: 1 file, 3 B"],
        ),
        # Empty files, empty folders and links.
        (["in/a/x=", "in/b/x="], []),
        (
            ["in/a/x=one", "in/a/e=", "in/b/x=one"],
            ["in/b/ is wholly in in/a/: 1 file, 3 B"],
        ),
        (
            ["in/a/x=one", "in/b/x=one", "in/b/e="],
            ["in/a/ is wholly in in/b/: 1 file, 3 B"],
        ),
        (
            ["in/a/x=one", "in/a/p/", "in/b/x=one", "in/b/p/"],
            ["in/b/ is the same as in/a/: 1 file, 3 B, 1 empty folder"],
        ),
        (
            ["in/a/x=one", "in/b/x=one", "in/b/p/"],
            ["in/b/ holds the same, under other names, as in/a/: ", "1 file, 3 B, 1 empty folder"],
        ),
        (
            ["in/a/x=one", "in/a/l->x", "in/b/x=one", "in/b/l->x"],
            ["in/b/ is the same as in/a/: 1 file, 3 B, 1 symbolic link"],
        ),
        (
            ["in/a/x=one", "in/a/l->x", "in/b/x=one", "in/b/l->y"],
            [],
        ),
        (
            ["in/a/x=one", "in/b/x=one", "in/b/l->y"],
            ["in/a/ is wholly in in/b/: 1 file, 3 B; it stays"],
        ),
        # What is not entered.
        (
            ["in/a/x=one", "in/a/y=two", "in/b/x=one", "in/b/y=two", "in/b/.git/config=c"],
            ["in/b/ is in in/a/, as far as it was compared: 2 files, 6 B; not compared: in/b/.git"],
        ),
    ],
)
def test_a_folder_that_stands_in_another_is_one_line(
    files: list[str], lines: list[str], identical: bool
) -> None:
    lay("in/other=text of its own", *files)
    expected = "".join(lines)
    assert "".join(sentences(twin_folders(identical=identical))) == expected


def test_a_folder_that_is_hardly_compared_is_in_no_other_one() -> None:
    lay("in/a/x=one", "in/a/z=own", "in/b/x=one", "in/b/y.log=more")
    assert sentences(twin_folders(exclude=["*.log"])) == []
    lay("in/a/y=two", "in/b/y=two")
    (line,) = twin_folders(exclude=["*.log"])
    assert (line.kind, line.not_compared) == ("compared", ("in/b/y.log",))


def test_an_archive_stands_in_a_folder_and_a_folder_in_an_archive() -> None:
    lay("in/a/p/x=one", "in/a/p/y=two", "in/a/z=own")
    with zipfile.ZipFile("in/kept.zip", "w") as archive:
        archive.writestr("q/p/x", "one")
        archive.writestr("q/p/y", "two")
    assert sentences(twin_folders()) == [
        "in/kept.zip holds the same, under other names, as in/a/p/: 2 files, 6 B"
    ]
    with zipfile.ZipFile("in/kept.zip", "a") as archive:
        archive.writestr("q/more", "only here")
    assert sentences(twin_folders()) == [
        "in/a/p/ is the same as in/kept.zip!/q/p/: 2 files, 6 B; it stays"
    ]


def test_a_folder_is_found_in_the_reference_and_not_the_other_way_round() -> None:
    lay("in/b/x=one", "in/b/y=two", "old/a/x=one", "old/a/y=two", "old/b/x=one", "old/b/y=two")
    for identical in (False, True):
        lines = twin_folders(against=Path("old"), identical=identical)
        assert sentences(lines) == [
            "in/ holds the same, under other names, as old/a/: 2 files, 6 B"
        ]


def test_two_paths_are_folders_too_and_links_are_not_entered_twice() -> None:
    lay("one/x=one", "two/x=one", "two/l->../one")
    files = ilk.find([Path("one"), Path("two/")], links=True, jobs=1).files()
    assert sentences(files.twin_folders) == ["one/ is wholly in two/: 1 file, 3 B; it stays"]


def test_texts_and_rows_have_no_folders() -> None:
    lay('in/rows.jsonl={"text": "one"}\n{"text": "one"}\n')
    assert ilk.find(["a text", "a text"]).files().twin_folders == []
    assert ilk.find(Path("in/rows.jsonl")).files().twin_folders == []


def decide_on_folder(action: str | None) -> set[str]:
    """Return what a plan drops once a person has decided on the folder in a line of it."""
    with Path("plan").open("wb") as out:
        write.write_jsonl(ilk.find(Path("in"), jobs=1).files().lines(), out)
    rows = [json.loads(line) for line in Path("plan").read_text().splitlines()]
    if action is not None:
        rows[-1]["action"] = action
    Path("plan").write_text("".join(json.dumps(row) + "\n" for row in rows))
    return {os.path.relpath(going.path) for going in plans.read_plan("plan").dropped}


def test_one_decision_on_a_folder_decides_on_all_files_in_it() -> None:
    lay("in/a/x=one", "in/a/y=two", "in/old/x=one", "in/old/y=two", "in/old/z=two")
    lay("in/c=text of its own", "in/d=text of its own")
    goes = {"in/old/x", "in/old/y", "in/old/z"}
    assert decide_on_folder(None) == goes | {"in/d"}
    assert decide_on_folder("drop") == goes | {"in/d"}
    assert decide_on_folder("keep") == {"in/d"}


def test_a_decision_on_a_folder_that_stays_turns_the_side() -> None:
    lay("in/a/x=one", "in/a/y=two", "in/old/x=one", "in/old/y=two", "in/old/z=own", "in/old/w=one")
    assert decide_on_folder(None) == {"in/old/x", "in/old/y", "in/old/w"}
    one_stays = decide_on_folder("drop") ^ {"in/old/x", "in/old/w"}
    assert one_stays in ({"in/a/x", "in/a/y", "in/old/x"}, {"in/a/x", "in/a/y", "in/old/w"})


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"action": "delete"}, "line 4 of the plan: the action of in/old/ is 'delete'"),
        ({"folder": "in/no/", "action": "keep"}, "no file of the plan is in in/no/"),
        ({"folder": 5}, "the names of the two folders are missing"),
    ],
)
def test_a_wrong_decision_on_a_folder_is_refused(changes: dict[str, Any], says: str) -> None:
    lay("in/a/x=one", "in/a/y=two", "in/old/x=one", "in/old/y=two")
    decide_on_folder(None)
    rows = [json.loads(line) for line in Path("plan").read_text().splitlines()]
    rows[-1] |= changes
    Path("plan").write_text("".join(json.dumps(row) + "\n" for row in rows))
    with pytest.raises(PlanError) as caught:
        plans.read_plan("plan")
    assert says in str(caught.value)
