"""Results read well in Python: few lines, tables for a notebook, families, frames, pickles."""

from __future__ import annotations

import contextlib
import pickle
from collections.abc import Callable
from functools import partial
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import ilk
import ilk_papers
from ilk.base.errors import MissingExtra
from ilk_web import changes, mirrors
from tests.support.narrow_memory import narrow_memory

WORDS = [f"{first}{second}" for first in "abcdefghij" for second in "klmnopqrstuv"]
TEXTS = [
    *(" ".join(WORDS[at : at + 100]) for at in (0, 9, 18)),
    "something <else> altogether",
    " ".join(WORDS[:100]).upper(),
]
IDS = ["a", "b", "c", "d", "e"]


@pytest.fixture(scope="module")
def found() -> ilk.Result:
    return ilk.find(pa.table({"text": TEXTS, "id": IDS}))


def test_what_is_printed_of_urls_is_a_few_lines() -> None:
    addresses = [f"http://{host}.example/{path}" for host in "ab" for path in "xyz"]
    pages = pa.table({"url": [*addresses, addresses[0]], "text": [*TEXTS[:3], *TEXTS[:3], "new"]})
    changed = repr(changes.find(pages))
    assert changed.splitlines()[0] == "Changes: 7 captures, 1 fetched more than once"
    assert changed.splitlines()[1].startswith("  unchanged 0, changed a little 0, changed 1")
    mirrored = repr(mirrors.find(pages.slice(0, 6)))
    assert mirrored.splitlines()[0] == "Mirrors: 6 pages of 2 hosts"
    assert mirrored.splitlines()[1] == "  mirrors: 1; 0 with the same paths alone"


def test_what_is_printed_of_measurements_is_a_few_lines() -> None:
    for one, first in (
        (ilk.passages(TEXTS, words=20), "Passages: 3, in 4 documents"),
        (ilk_papers.calibrate(TEXTS), "Calibration: 5 documents"),
    ):
        lines = repr(one).splitlines()
        assert lines[0].startswith(first)
        assert len(lines) == 3
        assert max(map(len, lines)) <= 80


def results(found: ilk.Result) -> list[Any]:
    return [
        found,
        ilk.deduplicate(pa.table({"text": TEXTS, "id": IDS})),
        ilk.compare([TEXTS[0]], [TEXTS[1]]),
    ]


def test_what_is_printed_of_a_result_is_a_few_lines(found: ilk.Result) -> None:
    for result in results(found):
        lines = repr(result).splitlines()
        assert lines[0].startswith(f"{type(result).__name__}: ")
        assert 1 < len(lines) < 8
        assert max(map(len, lines)) <= 100
        assert TEXTS[0] not in repr(result)
    assert repr(found).startswith("SearchResult: 5 documents, 4 of them in 1 family\n")


class _Balanced(HTMLParser):
    """Notes whether every element that was begun is ended."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        del attrs
        self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def test_a_notebook_shows_tables(found: ilk.Result) -> None:
    for result in results(found):
        parser = _Balanced()
        parser.feed(result._repr_html_())
        assert parser.open == []
        assert "<table>" in result._repr_html_()
    shown = found._repr_html_()
    assert "also like" in shown
    assert "#4" in shown


def test_families_are_walked_through_with_sources_and_verdicts(found: ilk.Result) -> None:
    (family,) = found
    assert (family.family, len(family), len(found)) == (0, 4, 1)
    assert [(m.source, m.id, m.verdict) for m in family.members] == [
        ("#0", "a", "identical"),
        ("#1", "b", "near"),
        ("#4", "e", "exact"),
        ("#2", "c", "identical"),
    ]
    first, second = family.clusters
    assert (first.kind, first.keeper, first.also_like) == ("near", "#0", None)
    assert second.also_like is not None
    assert (second.keeper, second.also_like.source) == ("#2", "#1")
    assert second.also_like.resemblance == 89 / 107
    (same,) = ilk.deduplicate(pa.table({"text": TEXTS, "id": IDS}))
    assert [member.policy for member in same.members] == [None, "first", "first", None]


def test_labels_join_to_a_frame_by_position(found: ilk.Result) -> None:
    labels = found.labels().to_pydict()
    assert labels == {
        "source": [f"#{row}" for row in range(5)],
        "id": IDS,
        "family": [0, 0, 0, None, 0],
        "cluster": [0, 0, 1, None, 0],
        "keeper": ["#0", "#0", "#2", None, "#0"],
        "verdict": ["keeper", "near", "keeper", "unique", "exact"],
        "resemblance": [1.0, 89 / 107, 1.0, None, 1.0],
        "keeper_doc": [0, 0, 2, None, 0],
    }


def test_frames_hold_the_table_of_members(
    found: ilk.Result, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = found.to_arrow()
    assert pa.table(found.to_polars()).to_pylist() == table.to_pylist()
    assert list(found.to_pandas()["source"]) == table["source"].to_pylist()
    monkeypatch.setattr("importlib.util.find_spec", lambda _: None)
    for missing in (found.to_pandas, found.to_polars):
        with pytest.raises(MissingExtra):
            missing()


def test_results_are_pickled(found: ilk.Result, tmp_path: Path) -> None:
    for row, text in enumerate(TEXTS):
        (tmp_path / f"{row}.txt").write_text(text)

    def told(step: str, done: int, total: int | None = None, size: int = 0) -> None:
        """Stand for a progress that no pickle holds."""

    stream = pa.table({"text": TEXTS}).to_reader()
    sources: list[Any] = [tmp_path, TEXTS, stream]
    for source in sources:
        result = ilk.find(source, progress=told)
        pairs = result.pairs
        again = pickle.loads(pickle.dumps(result))
        assert repr(again) == repr(result)
        assert again.clusters.equals(result.clusters)
        assert again.pairs.equals(pairs)
        assert again.texts([3]).to_pylist() == [TEXTS[3]]
        assert list(again) == list(result)
    for result in results(found):
        assert repr(pickle.loads(pickle.dumps(result))) == repr(result)


@pytest.mark.parametrize("way", [contextlib.nullcontext, partial(narrow_memory, 3_500, 1_000)])
def test_a_search_in_portions_is_pickled_too(way: Callable[[], Any]) -> None:
    with way():
        result = ilk.find(TEXTS)
        again = pickle.loads(pickle.dumps(result))
        assert again.pairs.equals(result.pairs)
