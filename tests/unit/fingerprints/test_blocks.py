"""Common blocks: told, listed and left out of the features; digests stay those of whole texts."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import ilk
from ilk import arrow
from ilk.fingerprints import blocks

HEAD = "This head stands\non every page.\n\n"
TEMPLATE = "\n".join(f"Line {chr(65 + n % 26) * 3}{n} of the template" for n in range(300))
OWN = [" ".join(f"own{page}x{word}" for word in range(60)) for page in range(6)]


def column(*texts: str | None) -> pa.ChunkedArray:
    return arrow.import_texts(pa.array(texts, pa.string()))


def find_common_blocks(texts: pa.ChunkedArray, documents: int) -> pa.Table:
    counted = blocks.CountedBlocks(jobs=2)
    counted.add_block_hashes_of(texts)
    return counted.find_common_blocks(documents, texts)


def told(texts: pa.ChunkedArray, documents: int) -> list[tuple[str, int]]:
    found = blocks.rank_blocks_without_inner_lines(find_common_blocks(texts, documents)).to_pylist()
    return [(row["text"], row["documents"]) for row in found]


def test_a_block_is_told_once_for_each_text_that_has_it() -> None:
    texts = column("a b\nc", "A  b\n\nC\nc", "a b", None, "")
    assert told(texts, 1) == [("a b", 3), ("c", 2)]
    assert told(texts, 2) == [("a b", 3)]
    assert told(texts, 3) == []


def test_the_lines_of_a_paragraph_are_not_listed_again_unless_they_stand_elsewhere_too() -> None:
    pages = [HEAD + own for own in OWN]
    assert told(column(*pages), 3) == [("This head stands\non every page.", 6)]
    once = column(*pages, "On every page.")
    assert told(once, 3) == [("on every page.", 7), ("This head stands\non every page.", 6)]


WORDS = st.sampled_from(["one", "Two", "x", "漢字", ""])
LINES = st.lists(st.lists(WORDS, max_size=3).map(" ".join), max_size=6).map("\n".join)


@given(st.lists(st.none() | LINES, max_size=8), st.integers(1, 3))
def test_blocks_equal_their_definition(texts: list[str | None], documents: int) -> None:
    """Lines and paragraphs, equal by their folded words, counted by text and left out."""

    def key(block: list[str]) -> str:
        return " ".join(" ".join(block).lower().split())

    def paragraphs(text: str) -> list[list[str]]:
        groups: list[list[str]] = [[]]
        for line in text.split("\n"):
            if line.strip():
                groups[-1].append(line)
            else:
                groups.append([])
        return [group for group in groups if group]

    counts: dict[str, int] = {}
    for text in texts:
        parts = paragraphs(text or "")
        for block in {key(p) for p in parts} | {key([line]) for p in parts for line in p}:
            counts[block] = counts.get(block, 0) + 1
    many = {block: count for block, count in counts.items() if count > documents}
    found = find_common_blocks(column(*texts), documents)
    rows = found.to_pylist()
    assert {key(row["text"].split("\n")): row["documents"] for row in rows} == many
    left = blocks.without_blocks(column(*texts), found, jobs=2).to_pylist()
    for text, rest in zip(texts, left, strict=True):
        kept = [
            key([line])
            for paragraph in paragraphs(text or "")
            if key(paragraph) not in many
            for line in paragraph
            if key([line]) not in many
        ]
        assert (rest is None) == (text is None)
        assert [key([line]) for line in (rest or "").split("\n") if line.strip()] == kept


def test_pages_of_one_template_are_apart_and_their_copies_together() -> None:
    pages = [f"{TEMPLATE}\n\n{own}" for own in OWN]
    texts: list[Any] = [*pages, pages[0], TEMPLATE, f"{TEMPLATE}\n\n{OWN[1]} more"]
    with_template = ilk.find(texts)
    assert with_template.report["common_blocks"] is None
    assert with_template.clusters.num_rows == len(texts)
    found = ilk.find(texts, common_blocks=3)
    assert found.report["common_blocks"] == [{"documents": 8, "text": TEMPLATE}]
    clusters = found.clusters.select(["doc", "keeper", "verdict"]).to_pylist()
    assert [(row["doc"], row["keeper"], row["verdict"]) for row in clusters] == [
        (0, 0, "identical"),
        (1, 1, "identical"),
        (6, 0, "identical"),
        (8, 1, "near"),
    ]
    assert found.documents["reason"].to_pylist()[7] == "nothing but common blocks"
    assert found.texts(range(len(texts))).to_pylist() == texts


def test_no_common_block_is_an_empty_list() -> None:
    assert ilk.find(["a text of its own"], common_blocks=3).report["common_blocks"] == []
    assert ilk.find([], common_blocks=3).report["common_blocks"] == []


@pytest.mark.parametrize("documents", [0, -1, 1.5, "3", True])
def test_common_blocks_take_a_number_of_documents(documents: Any) -> None:
    with pytest.raises(ilk.IlkError, match="common_blocks"):
        ilk.find(["a"], common_blocks=documents)
