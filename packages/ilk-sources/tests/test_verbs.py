"""``ilk sql`` and ``ilk fill``."""

from __future__ import annotations

from pathlib import Path

import places
import pytest
from places import Place, column, expected, made
from tests.support.command_line import Run

from ilk.fingerprints.recipe import SIMILARITY_INDEX


def test_the_verb(place: Place, run: Run) -> None:
    texts = made(place)
    command = ("fill", place.url, "--table", "docs", "--text", "body", "--column", "fp")
    code, out, err = run(*command, "--batch", 9)
    filled = len(texts) - expected(texts).count(None)
    few = sum(text is not None for text in texts) - filled
    told = f"ilk: fp: {filled} rows filled; {few} have too little text\n"
    assert (code, out, err) == (0, "", told)
    assert column(place) == expected(texts)
    assert run(*command, "--quiet") == (0, "", "")
    code, _, err = run(*command, "--recipe", SIMILARITY_INDEX)
    assert code == 2
    assert err.startswith("ilk fill: 'fp' of 'docs' was filled by")


def test_the_verb_watches_for_rows(
    tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    with places.opened("sqlite", tmp_path) as place:
        texts = made(place, 10)
        command = ("fill", place.url, "--table", "docs", "--text", "body", "--column", "fp")
        turns = iter([("new", "a row that came later"), None, None])

        def sleep(seconds: float) -> None:
            assert seconds == 0.5
            row = next(turns, "end")
            if row == "end":
                raise KeyboardInterrupt
            if row is not None:
                place.insert("docs", [(-5, row[1], None, 0)])

        monkeypatch.setattr("time.sleep", sleep)
        code, out, err = run(*command, "--watch-new", "0.5")
        assert (code, out) == (130, "")
        first, then, last = err.splitlines()
        assert then.startswith("ilk: fp: 1 row filled")
        assert last == "ilk: interrupted"
        assert first != then
        assert column(place) == expected(["a row that came later", *texts])
        for wrong in ("0", "x", "inf"):
            assert run(*command, "--watch-new", wrong)[0] == 2
