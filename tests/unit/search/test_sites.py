"""Pairs of one site: which site a document is of, and what its pairs must share."""

from __future__ import annotations

import json
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import ilk
from ilk.base.errors import OptionError
from ilk.base.options import SAME_SITE
from ilk.cli.main import main
from ilk.search.sites import site_numbers_or_null_refusing_none

#: Two texts share all of these words but some at the end: 100 - n of 100 3-shingles are equal.
_WORDS = [f"word{number}" for number in range(100)]


def _text(changed: int, name: str) -> str:
    """A text with this many words of its own at the end."""
    return " ".join(_WORDS[: 100 - changed] + [f"{name}{n}" for n in range(changed)])


def _table(pages: Sequence[tuple[str | None, str]]) -> pa.Table:
    return pa.table({"id": [url for url, _ in pages], "text": [text for _, text in pages]})


#: Resembles the text without changes by 93 / 103.
_NEAR = _text(5, "a")
#: Resembles it by 88 / 108 = 0.81.
_LESS = _text(10, "b")

_PAGES = [
    ("https://www.a.org/1", _text(0, "")),
    ("http://a.org/2", _LESS),
    ("http://b.org/3", _text(10, "c")),
    (None, _text(10, "d")),
    ("http://a.org/5", _NEAR),
]


def _found(same_site: str | float | None, resemblance: float = 0.8) -> list[tuple[int, int]]:
    table = ilk.find(_table(_PAGES), same_site=same_site, resemblance=resemblance).pairs
    return list(zip(table["left"].to_pylist(), table["right"].to_pylist(), strict=True))


def test_pairs_of_one_site_must_share_more() -> None:
    assert (0, 1) in _found(None)
    stricter = _found("stricter")
    assert (0, 1) not in stricter
    assert {(0, 2), (0, 3), (0, 4)} <= set(stricter)
    assert _found(0.8) == _found(None)
    assert (0, 4) not in _found(0.95)


def _members(result: ilk.Result) -> list[int]:
    """The cluster of the first document; the other one of its site is alone, and like a member."""
    rows = result.clusters.to_pylist()
    alone = [(row["doc"], row["also_like"]) for row in rows if row["cluster"] != 0]
    assert alone == [(1, 2)]
    return [row["doc"] for row in rows if row["cluster"] == 0]


def test_clusters_hold_to_it_and_say_so() -> None:
    result = ilk.find(_table(_PAGES), same_site="stricter")
    assert _members(result) == [0, 2, 3, 4]
    assert result.report["options"]["same_site"] == SAME_SITE
    assert result.report["promise"].endswith("; of one site those at >= 0.9 alone")
    nominated = ilk.find(_table(_PAGES), same_site="stricter", pairing="fingerprint", recall=0.999)
    assert _members(nominated) == [0, 2, 3, 4]


def test_copies_of_one_text_stay_together_on_one_site() -> None:
    pages = [("http://a.org/1", _LESS), ("http://a.org/2", f" {_LESS}")]
    assert len(ilk.find(_table(pages), same_site=1).clusters) == 2


def test_a_text_on_several_sites_is_of_none() -> None:
    pages = [*_PAGES, ("http://c.org/", _LESS)]
    assert {0, 1, 5} <= set(
        ilk.find(_table(pages), same_site="stricter").clusters["doc"].to_pylist()
    )


def test_folders_are_sites_where_ids_are_no_urls(tmp_path: Path) -> None:
    for name, text in (("a.org/1", _text(0, "")), ("a.org/2", _LESS), ("b.org/3", _NEAR)):
        file = tmp_path / f"{name}.txt"
        file.parent.mkdir(exist_ok=True)
        file.write_text(text)
    result = ilk.find(tmp_path, same_site="stricter")
    assert _members(result) == [0, 2]
    with pytest.raises(OptionError, match="none has one"):
        ilk.find(tmp_path / "a.org", same_site="stricter")


def test_pages_are_of_the_site_that_they_declare(tmp_path: Path) -> None:
    for number, (name, text) in enumerate((("a", _text(0, "")), ("a", _LESS), ("b", _NEAR))):
        head = f"<html><head><link rel=canonical href=http://{name}.org/></head><body>"
        (tmp_path / f"{number}.html").write_text(f"{head}<p>{text}</p></body></html>")
    result = ilk.find(tmp_path, same_site="stricter", extract="all")
    assert _members(result) == [0, 2]


@pytest.mark.parametrize("against", [False, True])
def test_rows_of_one_site_must_share_more(tmp_path: Path, *, against: bool) -> None:
    def written(name: str, pages: list[tuple[str | None, str]]) -> Path:
        rows = [json.dumps({"url": url, "text": text}) for url, text in pages]
        (tmp_path / name).write_text("\n".join(rows))
        return tmp_path / name

    held = written("held.jsonl", _PAGES[:1]) if against else None
    rows = written("rows.jsonl", _PAGES[against:])
    for same_site, dropped in ((None, 4), ("stricter", 3)):
        found = ilk.deduplicate(rows, id="url", same_site=same_site, against=held)
        assert len(found.dropped_rows) == dropped
    with pytest.raises(OptionError, match="none has one"):
        ilk.deduplicate(rows, same_site="stricter")
    for other in ({"exact": True}, {"key": "url"}):
        with pytest.raises(OptionError, match="`same_site` sets a resemblance"):
            ilk.deduplicate(rows, same_site="stricter", **other)


def test_the_command_takes_a_word_or_a_share(
    tmp_path: Path, capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    rows = [json.dumps({"url": url, "text": text}) for url, text in _PAGES]
    (tmp_path / "rows.jsonl").write_text("\n".join(rows))
    for share, said in (("stricter", b">= 0.9 alone"), ("95%", b">= 0.95 alone")):
        words = ["scan", str(tmp_path / "rows.jsonl"), "--id", "url", "--same-site", share]
        assert main(words) == 0
        assert said in capsysbinary.readouterr().out


@pytest.mark.parametrize("value", [0.7, "harder", 0, 2, True])
def test_a_share_that_is_none_or_too_low_is_refused(value: object) -> None:
    with pytest.raises(OptionError, match="same_site`? is"):
        _found(value)  # type: ignore[arg-type]


def test_stricter_is_never_laxer() -> None:
    assert _found("stricter", 0.95) == _found(None, 0.95)


_ids = st.sampled_from([None, "nonsense", "http://a.org/", "https://www.a.org/x", "http://b.org/"])


@given(st.lists(st.tuples(_ids, st.integers(0, 3)), min_size=1, max_size=12))
def test_a_site_is_that_of_all_copies(rows: list[tuple[str | None, int]]) -> None:
    """By definition: the hosts of all documents of one text, if they are one."""
    hosts = {"http://a.org/": "a", "https://www.a.org/x": "a", "http://b.org/": "b"}
    texts = [text for _, text in rows]
    table = pa.table(
        {"id": pa.array([url for url, _ in rows], pa.string()), "source": [""] * len(rows)}
    )
    representatives = pa.array([texts.index(text) for text in texts])
    if not any(url in hosts for url, _ in rows):
        with pytest.raises(OptionError):
            site_numbers_or_null_refusing_none(table, representatives)
        return
    found = site_numbers_or_null_refusing_none(table, representatives).to_pylist()
    on = [{hosts.get(url or "") for url, other in rows if other == text} for text in texts]
    expected = [next(iter(one)) if len(one) == 1 else None for one in on]
    assert [site is None for site in found] == [site is None for site in expected]
    for i, one in enumerate(found):
        for j, other in enumerate(found):
            if one is not None and other is not None:
                assert (one == other) == (expected[i] == expected[j])


@given(
    st.lists(st.tuples(st.sampled_from("ab"), st.integers(1, 25)), min_size=2, max_size=12),
    st.sampled_from([0.8, 0.85, 0.9, 0.97]),
    st.sampled_from(["anchored", "connected"]),
)
def test_pairs_are_those_of_both_thresholds(
    pages: list[tuple[str, int]], least: float, linkage: str
) -> None:
    table = _table(
        [(f"http://{site}.org/", _text(n, f"{at}x")) for at, (site, n) in enumerate(pages)]
    )
    every = ilk.find(table).pairs.to_pylist()
    expected = [
        (row["left"], row["right"])
        for row in every
        if pages[row["left"]][0] != pages[row["right"]][0]
        or Fraction(row["resemblance"]) >= Fraction(str(least)) - Fraction(1, 10**9)
    ]
    result = ilk.find(table, same_site=least, linkage=linkage)
    found = result.pairs
    assert [(row["left"], row["right"]) for row in found.to_pylist()] == expected
    together = {
        tuple(sorted((row["doc"], row["keeper"])))
        for row in result.clusters.to_pylist()
        if row["doc"] != row["keeper"]
    }
    assert linkage == "connected" or together <= set(expected)
