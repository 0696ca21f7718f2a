"""Stores of this format are opened, whichever ilk wrote them, and say what they said."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

import ilk
from ilk.store import Store
from ilk.store.db import file
from tests.support.fixtures import ROOT

VECTORS = ROOT / "tests" / "vectors"
EXPECTED: dict[str, Any] = json.loads((VECTORS / "store.json").read_text())


def text(topic: int, words: int, edits: int) -> str:
    """The generated documents: a topic has words of its own, and some are replaced."""
    made = [f"topic{topic}word{number}" for number in range(words)]
    for edit in range(edits):
        made[(edit * 17 + topic) % words] = f"edit{edit}"
    return " ".join(made)


def fill(path: Path, *, exact: bool = False) -> None:
    """What made the golden files."""
    with Store(path, texts=True, exact=exact, jobs=1) as store:
        for topic in range(6):
            texts = [text(topic, 40 + 60 * topic, edits) for edits in (0, 1, 3)]
            store.add_many([*texts, texts[0].upper()])
        store.add("!", source="s\0ource", title="títle", metadata={"key": [1, None]})
        store.add(text(1, 100, 2), on_duplicate="link")
        store.add(" ")
        store.update(5, text(2, 2500, 0))
        store.remove([0, 9])


def told(store: Store) -> dict[str, Any]:
    """What a store says of itself, but for the times."""
    records = [record.to_dict() for record in store]
    for record in records:
        del record["added"], record["updated"]
    return {
        "records": records,
        "clusters": store.clusters(),
        "lengths": [len(store.text(record["id"]) or "") for record in records],
        "like": [
            (m.id, m.verdict, m.distance, m.resemblance) for m in store.check(text(3, 220, 2))
        ],
    }


@pytest.fixture(params=["store.ilk", "store-exact.ilk"])
def golden(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    return Path(shutil.copy(VECTORS / request.param, tmp_path / request.param))


def test_a_golden_store_says_what_it_said(golden: Path) -> None:
    with Store(golden, jobs=1) as store:
        assert json.loads(json.dumps(told(store))) == EXPECTED["told"]
        assert store.validate().problems == []
        assert str(store.settings.recipe) == EXPECTED["recipe"]
        assert store.settings.exact == ("exact" in golden.name)
        assert store.stats()["format"] == file.VERSION


def test_it_can_still_be_written(golden: Path) -> None:
    with Store(golden, jobs=1) as store:
        added = store.add(text(4, 280, 2))
        assert [match.id for match in added.matches] == [16]
        assert added.id == 27
        assert store.validate().problems == []


@pytest.mark.parametrize("exact", [False, True])
def test_what_is_written_today_says_the_same(tmp_path: Path, exact: bool) -> None:
    fill(tmp_path / "made.ilk", exact=exact)
    with Store(tmp_path / "made.ilk", recipe=ilk.Recipe.parse(EXPECTED["recipe"])) as store:
        assert json.loads(json.dumps(told(store))) == EXPECTED["told"]
