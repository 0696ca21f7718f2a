"""Common blocks in a search for passages: no word of them is in one, and all else is as it was."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import ilk
from ilk import arrow
from ilk.base.errors import OptionError
from ilk.base.run_options import Running
from ilk.fingerprints.blocks import CountedBlocks
from ilk.fingerprints.digest import first_rows_with_same_digest_or_null, text_digests_null_if_blank
from ilk.search.passage_parts import CollectedWords, PassageRule
from tests.reference import passages as oracle
from tests.support.fixtures import examples
from tests.support.interrupting import interrupt_at

#: Documents as paragraphs, these as lines, and these as words.
LINES = st.lists(st.sampled_from("abc"), min_size=1, max_size=4)
DOCUMENTS = st.lists(
    st.lists(st.lists(LINES, min_size=1, max_size=3), max_size=3), min_size=1, max_size=6
)

Document = list[list[list[str]]]


def write_text(document: Document) -> str:
    return "\n\n".join("\n".join(map(" ".join, lines)) for lines in document)


def blocks_of(document: Document) -> set[str]:
    lines = {" ".join(line) for paragraph in document for line in paragraph}
    return lines | {" ".join(map(" ".join, paragraph)) for paragraph in document}


def find_common(documents: list[Document], more_than: int) -> dict[str, int]:
    """Return the blocks in more different texts, and in how many."""
    # A text is the same as another however its lines are broken.
    different = {
        " ".join(" ".join(map(" ".join, lines)) for lines in one): one for one in documents[::-1]
    }
    different.pop("", None)
    counts: dict[str, int] = {}
    for one in different.values():
        for block in blocks_of(one):
            counts[block] = counts.get(block, 0) + 1
    return {block: count for block, count in counts.items() if count > more_than}


def compared_words(documents: list[Document], common: dict[str, int], unit: str) -> list[list[str]]:
    """Return for each word of a document what is equal where it is compared and equal."""
    found = []
    for doc, paragraphs in enumerate(documents):
        words: list[str] = []
        for lines in paragraphs:
            whole = " ".join(map(" ".join, lines))
            out = [whole in common or " ".join(line) in common for line in lines]
            begin = len(words)
            for line, line_is_out in zip(lines, out, strict=True):
                first = len(words)
                for word in line:
                    is_out = all(out) if unit == "paragraph" else line_is_out
                    of_unit, start = (whole, begin) if unit == "paragraph" else (line, first)
                    own = word if unit == "words" else f"{of_unit}: {len(words) - start}"
                    words.append(f"{doc} {len(words)}" if is_out else own)
        found.append(words)
    return found


def _hashes_of(texts: list[str], more_than: int) -> list[int]:
    counted = CountedBlocks(jobs=1)
    counted.add_block_hashes_of(arrow.import_texts(texts))
    first = first_rows_with_same_digest_or_null(
        text_digests_null_if_blank(arrow.import_texts(texts))
    )
    once = pa.array([row == at for at, row in enumerate(first.to_pylist())])
    hashes: list[int] = counted.find_common_blocks(more_than, arrow.import_texts(texts), once)[
        "hash"
    ].to_pylist()
    return hashes


def rows_of(found: ilk.Passages) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = found.table.drop_columns(["start_byte", "end_byte"]).to_pylist()
    return rows


@examples(150)
@given(DOCUMENTS, st.integers(1, 4), st.integers(2, 4))
def test_runs_are_those_of_the_other_words(
    documents: list[Document], more_than: int, least: int
) -> None:
    texts = [write_text(one) for one in documents]
    common = find_common(documents, more_than)
    found = ilk.passages(texts, words=least, common_blocks=more_than)
    words = compared_words(documents, common, "words")
    assert rows_of(found) == oracle.runs(words, least)
    # In files and in parts, as where the memory is small.
    hashes = pa.array(sorted(_hashes_of(texts, more_than)), pa.uint64())
    rule = PassageRule(least, common=hashes)
    collected = CollectedWords(rule, Running.of(jobs=1), parts=3, piece=64)
    collected.add_words_of(arrow.import_texts(texts))
    assert collected.find_repeated_and_release_words().list_runs()["start"].to_pylist() == [
        row["start"] for row in rows_of(found)
    ]
    shares = found.coverage.select(["elsewhere", "before", "itself"]).to_pylist()
    counted = [
        tuple(round(share * len(own)) for share in row.values())
        for row, own in zip(shares, words, strict=True)
    ]
    assert counted == oracle.shares(words, least)
    blocks = {row["text"]: row["documents"] for row in found.report["common_blocks"]}
    told = {" ".join(text.lower().split()): count for text, count in blocks.items()}
    assert told.items() <= common.items()
    assert bool(told) == bool(common)


@examples(100)
@given(DOCUMENTS, st.integers(1, 4), st.sampled_from(["line", "paragraph"]))
def test_units_are_those_of_the_other_words(
    documents: list[Document], more_than: int, unit: str
) -> None:
    texts = [write_text(one) for one in documents]
    common = find_common(documents, more_than)
    found = ilk.passages(texts, words=2, unit=unit, common_blocks=more_than)
    words = compared_words(documents, common, unit)
    short = [
        [
            word if len(unit_of) >= 2 else f"{doc} short {at}"
            for at, (word, unit_of) in enumerate(zip(own, units, strict=True))
        ]
        for doc, (own, units) in enumerate(
            zip(words, (_unit_words(one, unit) for one in documents), strict=True)
        )
    ]
    assert rows_of(found) == oracle.runs(short, 2)


def _unit_words(document: Document, unit: str) -> list[list[str]]:
    """Return for each word the unit that it is in."""
    units = []
    for lines in document:
        if unit == "paragraph":
            whole = [word for line in lines for word in line]
            units += [whole] * len(whole)
        else:
            units += [line for line in lines for _ in line]
    return units


@examples(40)
@given(DOCUMENTS, st.integers(1, 3), st.integers(2, 4), st.data())
def test_a_reference_counts_too(
    documents: list[Document], more_than: int, least: int, data: st.DataObject
) -> None:
    """Blocks are common in both collections together; runs are those of both."""
    held = data.draw(st.integers(0, len(documents)))
    texts = [write_text(one) for one in documents]
    assume(any(texts[:held]) or not held)  # A reference without any text is refused.
    common = find_common(documents, more_than)
    words = compared_words(documents, common, "words")
    found = ilk.passages(texts[held:], against=texts[:held], words=least, common_blocks=more_than)
    expected: list[dict[str, Any]] = oracle.runs(
        words, least, lambda one, other: (one[0] < held) != (other[0] < held)
    )
    own = [(row["doc"] - held, row["start"], row["end"]) for row in expected if row["doc"] >= held]
    assert [(row["doc"], row["start"], row["end"]) for row in found.table.to_pylist()] == own


@examples(40)
@given(DOCUMENTS, st.integers(1, 3), st.integers(2, 4))
def test_a_cut_takes_no_word_of_a_common_block(
    documents: list[Document], more_than: int, least: int
) -> None:
    texts = [write_text(one) for one in documents]
    common = find_common(documents, more_than)
    found = ilk.passages(texts, words=least, common_blocks=more_than)
    rest = [
        text for chunk in found.cut(mid_sentence=True).texts.chunks for text in chunk.to_pylist()
    ]
    for document, text in zip(documents, rest, strict=True):
        stays = [
            word
            for lines in document
            for line in lines
            if " ".join(line) in common or " ".join(map(" ".join, lines)) in common
            for word in line
        ]
        left = iter(text.split())
        assert all(word in left for word in stays)  # They are still there, in order.


TEMPLATE = "Dear reader,\nthis report is for you alone.\n\nDo not pass it on to anybody at all."
OWN = [" ".join(f"own{page}x{word}" for word in range(30)) for page in range(5)]


def _write_reports(folder: Path) -> None:
    folder.mkdir()
    for number, own in enumerate([*OWN, f"{OWN[1]} and more"]):
        (folder / f"{number}.txt").write_text(f"{TEMPLATE}\n\n{own}\n")
    (folder / "6.txt").write_text((folder / "0.txt").read_text())


def test_files_give_the_same_in_any_memory_and_resumed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, work = tmp_path / "reports", tmp_path / "work"
    _write_reports(folder)
    plain = ilk.passages(folder, words=5)
    assert plain.report["common_blocks"] is None
    found = ilk.passages(folder, words=5, common_blocks=3)
    rows = found.table.to_pylist()
    assert {row["doc"] for row in rows} == {0, 1, 5, 6}
    assert all(row["end"] - row["start"] == 30 for row in rows)
    # Two equal texts are one text with each block: six different ones have the template.
    assert {row["documents"] for row in found.report["common_blocks"]} == {6}
    assert (
        "no word of a paragraph or line that more than 3 documents have" in found.report["promise"]
    )
    for more in ({"memory": "1GB"}, {"work": work}, {"jobs": 2}):
        again = ilk.passages(folder, words=5, common_blocks=3, **more)
        assert again.table.equals(found.table)

    for _ in range(2):
        with pytest.raises(KeyboardInterrupt):
            ilk.passages(folder, words=5, common_blocks=3, work=work, progress=interrupt_at("find"))
    with monkeypatch.context() as patch:
        patch.setattr(CollectedWords, "add_words_of", lambda *_: pytest.fail("added again"))
        resumed = ilk.passages(folder, words=5, common_blocks=3, work=work)
    assert resumed.table.equals(found.table)
    assert resumed.report["common_blocks"] == found.report["common_blocks"]
    assert resumed.cut().cuts.equals(found.cut().cuts)
    # Without common blocks it is another search.
    with pytest.raises(KeyboardInterrupt):
        ilk.passages(folder, words=5, common_blocks=3, work=work, progress=interrupt_at("find"))
    assert ilk.passages(folder, words=5, work=work).table.equals(plain.table)


def test_rows_give_the_same_as_texts(tmp_path: Path) -> None:
    texts = [f"{TEMPLATE}\n\n{own}" for own in [*OWN, f"{OWN[1]} and more"]]
    path = tmp_path / "in.jsonl"
    path.write_text("".join(json.dumps({"text": text}) + "\n" for text in texts))
    found = ilk.passages(path, words=5, common_blocks=3)
    assert found.table.equals(ilk.passages(texts, words=5, common_blocks=3).table)
    assert len(found.table) == 2
    base = ilk.passages(path, words=5, common_blocks=3, ignore_text=[OWN[1]])
    assert base.report["passages"] == 0


def test_what_common_blocks_have_no_part_in_is_refused() -> None:
    with pytest.raises(OptionError, match="`containment` counts the words of common blocks too"):
        ilk.passages(["a"], against=["b"], containment=0.9, common_blocks=3)
    with pytest.raises(OptionError, match="programs are compared by their words, without layout"):
        ilk.passages(["a"], as_="code:python", common_blocks=3)
    with pytest.raises(OptionError, match="common_blocks"):
        ilk.passages(["a"], common_blocks=0)
