"""Small documents of many languages in many encodings are read as they were written."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import ilk
from tests.labelled import encodings

FLOOR: dict[str, Any] = json.loads(Path(__file__).with_name("encodings.json").read_text("utf-8"))

#: By encoding, the names of its texts; and of those that were read otherwise.
Names = dict[str, list[str]]


@pytest.fixture(scope="module")
def read(tmp_path_factory: pytest.TempPathFactory) -> tuple[Names, Names]:
    """All files, and those that were read otherwise."""
    folder = tmp_path_factory.mktemp("encodings")
    files = {str(folder / f"{at:04}"): row for at, row in enumerate(encodings.files())}
    for path, (*_, content) in files.items():
        Path(path).write_bytes(content)
    found = ilk.find(folder)
    documents, texts = found.documents, found.texts(range(len(found.documents)))
    by_source = dict(zip(documents["source"].to_pylist(), texts.to_pylist(), strict=True))
    every: Names = {}
    wrong: Names = {}
    for path, (encoding, name, text, _) in files.items():
        every.setdefault(encoding, []).append(name)
        if by_source.get(path) != text:
            wrong.setdefault(encoding, []).append(name)
    return every, wrong


@pytest.mark.parametrize("encoding", FLOOR["right"])
def test_an_encoding_is_always_recognised(encoding: str, read: tuple[Names, Names]) -> None:
    every, wrong = read
    assert len(every[encoding]) == FLOOR["right"][encoding]
    assert encoding not in wrong


def test_what_is_read_otherwise_is_known(read: tuple[Names, Names]) -> None:
    """Every miss with its reason; one that is mended leaves the list."""
    every, wrong = read
    known = {encoding: row["texts"] for encoding, row in FLOOR["missed"].items()}
    assert {encoding: sorted(names) for encoding, names in wrong.items()} == known
    assert all(row["why"] for row in FLOOR["missed"].values())
    assert every.keys() == FLOOR["right"].keys() | known.keys()


def test_the_share_of_the_files_that_are_read_rightly(read: tuple[Names, Names]) -> None:
    every, wrong = (sum(map(len, names.values())) for names in read)
    assert every == FLOOR["files"]
    assert every - wrong >= FLOOR["least"]
