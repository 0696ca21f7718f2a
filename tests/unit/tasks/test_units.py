"""Lines, sentences and paragraphs as passages: exactly the equal ones, and cut as a whole."""

from __future__ import annotations

import json
import re
from functools import partial
from itertools import accumulate, pairwise
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

import ilk
from ilk import arrow
from ilk.base.errors import OptionError
from ilk.base.run_options import Running
from ilk.search.passage_parts import CollectedWords, PassageRule
from ilk.tasks.passages import cutting
from tests.reference import passages as oracle
from tests.support.fixtures import examples

#: How units of each kind are put together, and how each of them ends.
JOINED = {"line": ("\n", ""), "sentence": (" ", "."), "paragraph": ("\n \n", "")}

#: Documents as units, these as words; an upper case begins each, as sentences do.
documents_of_units = st.lists(
    st.lists(st.lists(st.sampled_from("abc"), min_size=1, max_size=4), max_size=8), max_size=4
)

Documents = list[list[list[str]]]


def write_texts(documents: Documents, unit: str) -> list[str]:
    between, end = JOINED[unit]
    wrapped = "\n" if unit == "paragraph" else " "
    return [
        between.join(wrapped.join(words).capitalize() + end for words in units)
        for units in documents
    ]


def number_units(documents: Documents, least: int) -> list[list[str]]:
    """Return for each word of a document what is equal in equal places of equal units alone."""
    found = []
    for doc, units in enumerate(documents):
        words = []
        for number, unit in enumerate(units):
            name = " ".join(unit) if len(unit) >= least else f"{doc} {number}"
            words += [f"{name}: {place}" for place in range(len(unit))]
        found.append(words)
    return found


@examples(60)
@given(documents_of_units, st.integers(2, 4), st.sampled_from([*JOINED]))
def test_equal_units_are_found_and_no_others(documents: Documents, least: int, unit: str) -> None:
    found = ilk.passages(write_texts(documents, unit), words=least, unit=unit)
    expected = oracle.runs(number_units(documents, least), least)
    names = [name for name in found.table.column_names if not name.endswith("byte")]
    rows = found.table.drop_columns(["start_byte", "end_byte"]).to_pylist()
    assert rows == [{name: row[name] for name in names} for row in expected]


@examples(60)
@given(documents_of_units, st.integers(2, 4), st.sampled_from([*JOINED]), st.booleans())
def test_each_unit_stays_at_its_first_place(
    documents: Documents, least: int, unit: str, backwards: bool
) -> None:
    seen: set[tuple[str, ...]] = set()
    stay: Documents = []
    for units in documents[::-1] if backwards else documents:
        stay.append([])
        for words in units:
            if len(words) < least or tuple(words) not in seen:
                stay[-1].append(words)
            seen.add(tuple(words))
    stay = stay[::-1] if backwards else stay
    found = ilk.passages(write_texts(documents, unit), words=least, unit=unit)
    cut = found.cut(keep="last" if backwards else "first")
    rest = [text for chunk in cut.texts.chunks for text in chunk.to_pylist()]
    assert rest == write_texts(stay, unit)
    assert cut.stayed == 0


@examples(100)
@given(documents_of_units, st.integers(1, 5), st.booleans())
def test_whole_sentences_of_passages_go_and_no_other_word(
    documents: Documents, least: int, backwards: bool
) -> None:
    found = ilk.passages(write_texts(documents, "sentence"), words=least)
    cut = found.cut(keep="last" if backwards else "first")
    rest = [text for chunk in cut.texts.chunks for text in chunk.to_pylist()]
    order = [-doc if backwards else doc for doc in range(len(documents))]
    left = documents
    while True:
        words = [[word for unit in units for word in unit] for units in left]
        gone = oracle.words_before(words, order, None, least)
        after: Documents = []
        for doc, units in enumerate(left):
            ends = accumulate(map(len, units))
            whole = [
                all((doc, at) in gone for at in range(end - len(unit), end))
                for unit, end in zip(units, ends, strict=True)
            ]
            after.append([unit for unit, goes in zip(units, whole, strict=True) if not goes])
        if after == left:
            break
        left = after
    assert rest == write_texts(left, "sentence")
    assert cut.stayed == len(gone)


@examples(20)
@given(documents_of_units, st.integers(1, 4), st.integers(1, 3))
def test_parts_and_threads_change_no_unit(documents: Documents, parts: int, jobs: int) -> None:
    texts = write_texts(documents, "line")
    whole = ilk.passages(texts, words=2, unit="line", jobs=jobs)
    words = CollectedWords(PassageRule(2, "line"), Running.of(jobs), parts=parts, piece=64)
    for text in texts:
        words.add_words_of(arrow.import_texts([text]))
    assert (
        words.find_repeated_and_release_words().list_runs().equals(whole._repeated_runs.list_runs())
    )


def test_a_unit_is_whole_and_long_enough() -> None:
    texts = ["One two three.\nFour five six seven", "Zero. One two three.\nfour FIVE, six seven!"]
    for unit, rows in (("line", 2), ("sentence", 2), ("paragraph", 0)):
        assert len(ilk.passages(texts, words=3, unit=unit).table) == rows
    assert len(ilk.passages(texts, words=4, unit="sentence").table) == 2
    assert len(ilk.passages(texts, unit="line").table) == 0
    with pytest.raises(OptionError, match="a line must have 2 words or more"):
        ilk.passages(texts, words=1, unit="line")
    with pytest.raises(OptionError, match="`mid_sentence` has no effect if `unit` is line"):
        ilk.passages(texts, unit="line").cut(mid_sentence=True)


def test_repeated_paragraphs_go_and_no_other_is_touched() -> None:
    """Forty-three paragraphs of seven that recur stand between thirty-six that do not."""
    common = [f"Notice {n}: all the rights of this page are kept." for n in range(7)]
    texts, own, at = [], [], 0
    for doc in range(12):
        paragraphs = []
        for part in range(3):
            own.append(f"({doc}.{part}) What all the rights of this page are kept for, is unclear.")
            paragraphs.append(own[-1])
            paragraphs.append(common[at % 7])
            at += 1
        texts.append("\n\n".join(paragraphs + [common[at % 7]] * (doc < 7)) + "\n")
        at += doc < 7
    assert at == 43
    cut = ilk.passages(texts, against=["\n\n".join(common)], unit="paragraph").cut()
    rest = [text for chunk in cut.texts.chunks for text in chunk.to_pylist()]
    assert "".join(rest) == "".join(
        "\n\n".join(own[3 * doc : 3 * doc + 3]) + "\n" for doc in range(12)
    )


#: Rows, and what is left of them if each sentence stays once: all repeated, none, at both ends, in
#: the middle, in quotation marks, and over several rows.
SENTENCES = [
    (
        "The lamp was lit by nine. The ship left at ten.",
        "The lamp was lit by nine. The ship left at ten.",
    ),
    ("The lamp was lit by nine. The ship left at ten.", ""),
    ("Nobody saw the ship leave. It was dark.", "Nobody saw the ship leave. It was dark."),
    (
        "The lamp was lit by nine. Snow fell on the pier. The ship left at ten.",
        "Snow fell on the pier.",
    ),
    (
        "Men sang on the deck. The ship left at ten! They sang all night.",
        "Men sang on the deck. They sang all night.",
    ),
    (
        "She wrote: “The lamp was lit by nine.” Snow fell on the pier.\n\nThe end of it.",
        "She wrote: “The lamp was lit by nine.”\n\nThe end of it.",
    ),
]


def test_sentences_stay_once() -> None:
    cut = ilk.passages([row for row, _ in SENTENCES], words=4, unit="sentence").cut()
    rest = [text for chunk in cut.texts.chunks for text in chunk.to_pylist()]
    assert rest == [after for _, after in SENTENCES]


@examples(40)
@given(
    documents_of_units,
    st.integers(2, 4),
    st.sampled_from([None, *JOINED]),
    st.sampled_from(["first", "last", "every place"]),
    st.sampled_from(["keep", "drop"]),
    st.integers(1, 3),
)
def test_what_is_written_lacks_whole_units_alone_and_a_second_cut_changes_nothing(
    documents: Documents, least: int, unit: str | None, keep: str, emptied: str, portion: int
) -> None:
    asked: dict[str, Any] = {"words": least, "unit": unit or "words"}
    how = {"every_place": True} if keep == "every place" else {"keep": keep}
    texts = [*write_texts(documents, unit or "sentence"), "apart."]
    with TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        # Portions of runs and of documents change nothing.
        in_portions = partial(cutting.portions_of_runs_to_cut, min_runs=portion)
        patch.setattr(cutting, "portions_of_runs_to_cut", in_portions)
        in_batches = partial(cutting.batches_of_cuts, documents_at_once=portion)
        patch.setattr(cutting, "batches_of_cuts", in_batches)
        names = [Path(folder, f"{number}.jsonl") for number in range(3)]
        names[0].write_text("".join(json.dumps({"text": text}) + "\n" for text in texts))
        for source, output in pairwise(names):
            found = ilk.passages(source, **asked)
            found.write(output, cut=True, emptied=emptied, **how)
        assert names[2].read_bytes() == names[1].read_bytes()
        cuts = pq.read_table(f"{names[1]}.ilk/cuts.parquet").to_pylist()
        rest = [json.loads(line)["text"] for line in names[1].read_text().splitlines()]
    left = [text.lower() for text in texts]
    for cut in reversed(cuts):
        content = left[cut["doc"]].encode()
        assert content[cut["start_byte"] : cut["end_byte"]].decode() == cut["text"].lower()
        left[cut["doc"]] = (
            content[: cut["start_byte"]] + b" " + content[cut["end_byte"] :]
        ).decode()
    # Nothing goes but what the account has, and of it, only whole units.
    stay = [re.findall(r"\w+", text) for text in left]
    if emptied == "drop":
        changed = {cut["doc"] for cut in cuts}
        stay = [words for doc, words in enumerate(stay) if words or doc not in changed]
    assert [re.findall(r"\w+", text.lower()) for text in rest] == stay
    whole = {doc: [" ".join(words) for words in units] for doc, units in enumerate(documents)}
    for cut in cuts:
        assert is_made_of(" ".join(re.findall(r"\w+", cut["text"].lower())), whole[cut["doc"]])


def is_made_of(text: str, units: list[str]) -> bool:
    """Return whether a text is some units in a row, as they are in a document."""
    rows = {" ".join(units[a:b]) for a in range(len(units)) for b in range(a, len(units) + 1)}
    return text in rows
