"""How a page of a search names its boxes, and the command for what is too long to show."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest

from ilk.write.families import Member
from ilk.write.report import _box_labels, _comparison_command_or_empty, _page_values_of_difference


def original(source: str, id_: str | None = None, doc: int = 0) -> Member:
    return Member(source, "identical", 0, 1.0, 1.0, 1.0, id=id_, doc=doc, keeps=True)


@pytest.mark.parametrize(
    ("originals", "labels"),
    [
        ([original("d/a.txt"), original("e/b.txt")], ["a.txt", "b.txt"]),
        ([original("d/a.txt"), original("e/a.txt")], ["d/a.txt", "e/a.txt"]),
        (
            [original("big.jsonl#1"), original("big.jsonl#2", doc=1)],
            ["Dear Sir, we", "big.jsonl#2"],
        ),
        ([original("big.jsonl#1", "x7")], ["x7"]),
        (
            [
                original("w.warc#1", "https://a.org/deep/er/index.html?p=1"),
                original("w", "http://a.org/"),
            ],
            ["index.html?p=1", "a.org"],
        ),
        (
            [
                original("w.warc#1", "https://a.org/x/y.html"),
                original("w.warc#2", "https://b.org/x/y.html"),
            ],
            ["a.org y.html", "b.org y.html"],
        ),
        ([original("w.warc#1", "http://[")], ["http://["]),
    ],
)
def test_a_box_has_a_name_that_tells_it_from_others(
    originals: list[Member], labels: list[str]
) -> None:
    """The same beginning of every box says nothing: a scheme, or the one file of all rows."""
    assert _box_labels(originals, {0: "Dear Sir,\n we", 1: None}) == labels


def test_what_is_too_long_has_the_command_that_shows_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("a b.txt", "it's.txt", "-o"):
        Path(name).write_text("x")
    command = _comparison_command_or_empty("a b.txt", "it's.txt")
    assert shlex.split(command) == "ilk compare|a b.txt|it's.txt|--html|compared.html".replace(
        "ilk compare", "ilk|compare"
    ).split("|")
    assert shlex.split(_comparison_command_or_empty("-o", "a b.txt"))[2] == "./-o"
    assert (
        _comparison_command_or_empty("a b.txt", "rows.jsonl#3")
        == _comparison_command_or_empty("x.zip!/a", "a b.txt")
        == ""
    )
    shown = _page_values_of_difference("x" * 500_001, "y", "m", command)
    assert (shown["why"], shown["command"]) == ("Too long to compare here.", command)
