"""On the page of passages, the first documents stand side by side with their largest source."""

from __future__ import annotations

import re
from html import unescape
from pathlib import Path

import pytest

import ilk
from tests.unit.write.test_line import write_class

_PAIR = re.compile(r'<details class="pair">.*?</details>', re.DOTALL)
_PRE = re.compile(r'<pre[^>]*aria-label="([^"]*)">(.*?)</pre>', re.DOTALL)
_STRETCH = re.compile(r'id="(\w+)" href="#(\w+)"><mark>(.*?)</mark>', re.DOTALL)


def shown_text(pre: str) -> str:
    """Return the text that an element shows, without the numbers of its stretches."""
    return unescape(re.sub(r"<[^>]*>", "", re.sub(r"<sup>.*?</sup>", "", pre)))


def words(text: str) -> list[str]:
    """Return the words of a text that are compared."""
    return re.findall(r"\w+", text.casefold())


def check_pair(pair: str, least: int) -> tuple[tuple[str, str], tuple[str, str]]:
    """Check that equal stretches lead to each other; return both labels, and both texts."""
    sides = _PRE.findall(pair)
    assert len(sides) == 2
    here, there = ({own: (to, text) for own, to, text in _STRETCH.findall(pre)} for _, pre in sides)
    assert here
    for own, (other, text) in here.items():
        assert there[other][0] == own
        assert words(shown_text(text)) == words(shown_text(there[other][1]))
        assert len(words(shown_text(text))) >= least
    (left, its_text), (right, other_text) = sides
    return (left, right), (shown_text(its_text), shown_text(other_text))


def test_documents_above_the_line_stand_beside_the_source_of_most_words(tmp_path: Path) -> None:
    write_class(tmp_path / "essays")
    page = ilk.passages(tmp_path / "essays", words=5).page()
    pairs = _PAIR.findall(page)
    assert "The first 6 documents above the line can also be opened" in page
    of = {}
    for pair in pairs:
        labels, texts = check_pair(pair, 5)
        named = re.fullmatch(r"left: (\d+)\.txt, beside (\d+)\.txt", labels[0])
        assert named is not None
        left, right = named.groups()
        assert labels[1] == f"right: {right}.txt, beside {left}.txt"
        files = [(tmp_path / "essays" / f"{name}.txt").read_text() for name in (left, right)]
        assert list(texts) == files
        of[left] = right
    assert of == {"07": "03", "03": "07", "09": "05", "05": "09", "11": "06", "06": "11"}
    assert len(re.findall(r' id="\w+"', page)) == len(set(re.findall(r' id="\w+"', page)))


@pytest.mark.parametrize("documents", [1, 20, 22])
def test_a_page_has_twenty_pairs_at_most_and_says_how_many(documents: int) -> None:
    texts = [" ".join(f"w{n}x{word}" for word in range(20)) for n in range(documents)]
    page = ilk.passages(texts, words=5, against=texts).page()
    pairs = min(documents, 20)
    assert len(_PAIR.findall(page)) == pairs
    first = "document" if pairs == 1 else f"{pairs} documents"
    assert f"The first {first} can also be opened side by side" in page


def test_a_source_of_the_other_collection_is_shown_as_it_is() -> None:
    shared = " ".join(f"w{n}" for n in range(20))
    page = ilk.passages([f"Mine: {shared}."], words=5, against=["other", f"<b>{shared}</b>"]).page()
    (pair,) = _PAIR.findall(page)
    assert check_pair(pair, 5)[1] == (f"Mine: {shared}.", f"<b>{shared}</b>")


def test_long_texts_are_cut_and_the_page_says_by_how_much() -> None:
    shared = " ".join(f"w{n}" for n in range(20))
    long = f"{shared} {'x ' * 30_000}{shared}"
    page = ilk.passages([long], words=5, against=[shared]).page()
    (pair,) = _PAIR.findall(page)
    cut = len(long) - 40_000
    assert f"Longer texts are cut: {cut:,} more characters." in pair
    assert check_pair(pair, 5)[1] == (long[:40_000], shared)


def test_programs_stand_side_by_side_with_the_names_that_were_changed(tmp_path: Path) -> None:
    program = "def add(left, right):\n    # both\n    total = left + right\n    return total\n"
    (tmp_path / "a.py").write_text(program)
    (tmp_path / "b.py").write_text(program.replace("total", "result").replace("# both", ""))
    page = ilk.passages(tmp_path, words=5, as_="code").page()
    pairs = _PAIR.findall(page)
    assert len(pairs) == 2
    (own,) = [pair for pair in pairs if "left: a.py" in pair]
    assert shown_text(_PRE.findall(own)[0][1]) == program
    assert "Names of a.py that were changed in b.py" in own
    assert re.search(r"<bdi>total</bdi>.*?<bdi>result</bdi>.*?>2<", own, re.DOTALL)
    assert "A name, a number or a string is one token" in own


def test_units_and_base_texts_count_in_pairs_as_in_the_search(tmp_path: Path) -> None:
    (tmp_path / "task.txt").write_text("Say what the sea gave to all of them.")
    copied = "The harbour was closed for a year."
    texts = [
        f"Say what the sea gave to all of them. {copied} Mine.",
        f"Say what the sea gave to all of them. {copied} Yours.",
    ]
    task = tmp_path / "task.txt"
    for pair in _PAIR.findall(ilk.passages(texts, words=5, ignore_text=task).page()):
        for _, _, text in _STRETCH.findall(pair):
            assert shown_text(text).endswith(copied[:-1])
            assert "Say what" not in shown_text(text)
    pairs = _PAIR.findall(ilk.passages(texts, unit="sentence", words=5).page())
    assert len(pairs) == 2
    for pair in pairs:
        check_pair(pair, 5)
