"""What stands in other documents word for word: counted as by definition, and shown on a page."""

from __future__ import annotations

import html
import re
import textwrap
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import ilk
from ilk import arrow
from ilk.base.errors import OptionError
from ilk.base.run_options import ALONE
from ilk.search import passages
from ilk.tasks.copied import find_copied_parts
from tests.reference import passages as reference

WORDS = [f"word{n}" for n in range(200)]
SOURCE = " ".join(WORDS)
HOSTILE = "<script>document.title='owned'</script>"

documents = st.lists(st.text("ab", max_size=12), min_size=1, max_size=5)


@given(documents, documents, st.integers(1, 4), st.booleans())
def test_words_are_counted_as_by_definition(
    others: list[str], own: list[str], least: int, quoted: bool
) -> None:
    """In a quotation every word of a run is a quoted one."""
    every = [list(text) for text in (*others, *own)]
    texts = [" ".join(words) for words in every]
    marked = [f'"{text}"' for text in texts] if quoted else texts
    found = {
        one.doc: one
        for one in find_copied_parts(arrow.import_texts(marked), len(others), least, ALONE)
    }
    shares = reference.shares(every, least)
    for doc in range(len(others), len(every)):
        elsewhere = found[doc].elsewhere if doc in found else 0
        assert elsewhere == shares[doc][0]
        if doc in found:
            one = found[doc]
            assert one.words == len(every[doc])
            assert one.quoted == (one.elsewhere if quoted else 0)
            assert sum(len(marked[doc][p.start : p.end].split()) for p in one.pieces) == elsewhere
            assert all(before.end <= after.start for before, after in pairwise(one.pieces))
    assert not found.keys() & set(range(len(others)))


def test_the_source_that_others_have_first_counts_and_quotations_stand_apart() -> None:
    own = f"I begin. {' '.join(WORDS[:20])} And “{' '.join(WORDS[50:60])}” is\n> {WORDS[99]} "
    own += " ".join(WORDS[100:120])
    result = ilk.find([own, own], against=[SOURCE], containment=0.9)
    for one in result.copied_parts(8):
        assert one.sources[0] == (0, 51, 31, 0)
        assert [own[p.start : p.end].split()[0] for p in one.pieces if p.kind == "quoted"] == [
            "word50",
            "word99",
        ]


def test_references_stand_apart_but_excuse_no_copied_paragraph() -> None:
    own = f"I begin. {' '.join(WORDS[:20])}\n\n## References\n\n{' '.join(WORDS[50:60])}, 1999.\n"
    own += f"{' '.join(WORDS[100:170])}\n\n# Appendix\n\n{' '.join(WORDS[180:190])}\n"
    result = ilk.find([own, "of its own"], against=[SOURCE], containment=0.9)
    (one,) = result.copied_parts(8)
    assert (one.elsewhere, one.quoted, one.cited) == (110, 0, 10)
    assert [own[p.start : p.end].split()[0] for p in one.pieces if p.kind == "cited"] == ["word50"]
    assert result.shares(8)[0]["sources"][0]["cited"] == 10
    assert "in references" in result.page()


def test_prose_after_references_is_not_excused_however_it_is_broken() -> None:
    entry = "Doe, J.\n  On it, and on\n  other things. 1999."
    prose = " ".join(WORDS[100:300])
    wrapped = textwrap.fill(prose, 72)
    text = f"Begun.\n\nReferences\n{entry}\n{entry}\n\n{wrapped}\n\nWorks cited\n[1] {entry}\n"
    found = [text[start:end].split()[-1] for start, end in passages.find_bibliography_entries(text)]
    assert found == ["1999."] * 3
    assert (
        sum(end - start for start, end in passages.find_bibliography_entries(text))
        < 3 * len(entry) + 10
    )


@pytest.mark.parametrize("line", ["\n", "0.25 0.75 1.00 3.25\n", "References\n", " " * 40 + "\n"])
def test_lines_without_end_are_looked_at_once(line: str) -> None:
    """Were they looked at for every line, this would take hours."""
    assert passages.find_bibliography_entries(line * 200_000) == []


def test_a_containment_is_proved_by_its_container() -> None:
    inside = " ".join(WORDS[20:140])
    result = ilk.find([SOURCE, inside, inside.replace("word90", "other")], containment=0.9)
    proofs = {one.doc: [(s.doc, s.words) for s in one.sources] for one in result.copied_parts()}
    assert proofs == {1: [(0, 120)]} | ({2: [(0, 119)]} if 2 in proofs else {})
    assert "Contained in another document</h2>" in result.page()


def test_what_is_only_compared_with_is_in_no_result() -> None:
    near = SOURCE + " and more"
    others = [SOURCE, SOURCE, near]
    result = ilk.find([near + " yet", "of its own " + " ".join(WORDS[::-1])], against=others)
    assert result.baseline_size == 3
    assert result.labels()["verdict"].to_pylist() == ["near", "unique"]
    assert result.report["documents"] == 2
    assert [len(family) for family in result] == [2]
    assert set(result.pairs["right"].to_pylist()) == {3}
    assert len(ilk.find(["alone here"], against=others)) == 0


def test_pairs_against_others_are_those_of_all_together() -> None:
    texts = [" ".join(WORDS[at : at + 60]) for at in range(0, 100, 3)]
    together = ilk.find(texts, resemblance=0.5).pairs.to_pylist()
    apart = ilk.find(texts[10:], against=texts[:10], resemblance=0.5).pairs.to_pylist()
    assert apart == [pair for pair in together if pair["right"] >= 10]


def test_what_nominates_by_fingerprint_takes_no_others() -> None:
    with pytest.raises(OptionError, match="joins shingle sets"):
        ilk.find([SOURCE], against=[SOURCE], radius=3)
    with pytest.raises(TypeError, match="find.*'files_in'"):
        ilk.find([SOURCE], files_in="path")  # type: ignore[call-arg]


@pytest.fixture(scope="module")
def page() -> str:
    essay = f"{HOSTILE} {'own ' * 3}{' '.join(WORDS[:40])} of mine “{' '.join(WORDS[90:99])}”"
    plain = " ".join(f"other{n}" for n in range(100))
    essays = {"essay": essay, f"copy {HOSTILE}": SOURCE, "own": plain}
    return ilk.find(essays, against={"source": SOURCE}, containment=0.5).page(families=1)


def test_a_page_shows_the_most_copied_and_names_the_others(page: str) -> None:
    part = page.split('<h2 id="copied">')[1].split("</section>")[0]
    assert part.count('<details class="found"') == 1
    assert "2 of 3 documents have words of others" in page
    assert "<td><bdi>#0 (essay)</bdi></td>" in part
    text = re.sub(
        "<sup>.*?</sup>", "", re.split('<div class="text"[^>]*>', part)[1].split("</div>")[0]
    )
    assert html.unescape(re.sub("<.*?>", "", text)) == SOURCE
    # The legend has the colour of the source, in the strip and in the text.
    assert (
        '<span class="src0"><i class="swatch" aria-hidden="true"></i> <bdi>#0 (source)</bdi>'
        in part
    )
    assert part.count('<rect class="src0"') == part.count('<mark class="src0') == 1


@pytest.mark.parametrize("width", [390, 1200])
def test_a_bar_opens_its_text_in_a_browser(
    page: str, width: int, tmp_path: Path, browser: Any
) -> None:
    (tmp_path / "page.html").write_text(page)
    tab = browser.new_page(viewport={"width": width, "height": 800})
    said: list[str] = []
    tab.on("console", lambda message: said.append(message.text))
    tab.goto((tmp_path / "page.html").as_uri())
    found = tab.locator("details.found")
    assert found.locator("svg rect").count() == 1
    assert not found.locator("mark").first.is_visible()
    found.locator("summary").click()
    found.locator("mark").first.hover()
    assert found.locator("blockquote.here").count() == 1
    assert tab.title() == "ilk: 2 of 3 documents have words of others"
    assert tab.evaluate("document.documentElement.scrollWidth") <= width
    assert said == []
    tab.close()


def test_shares_say_how_much_is_elsewhere_and_other_documents_only_if_asked() -> None:
    own = " ".join(WORDS[:40]) + " and this is new " + " ".join(WORDS[150:170])
    other = "something " + " ".join(WORDS[150:170])
    source = " ".join(WORDS[:60])
    result = ilk.find([own, other], against=[source], containment=0.9)
    (row,) = result.shares(8)
    assert (row["source"], row["elsewhere"], row["words"]) == ("#0", 40, 64)
    assert [each["words"] for each in row["sources"]] == [40]
    assert {each["elsewhere"] for each in result.shares(8, among=True)} == {60, 20}
