"""With ``only_against``, documents are compared with those of the reference, never themselves."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import ilk
from ilk.arrow import verdicts
from ilk.base.errors import OptionError
from tests.support import strategies
from tests.support.fixtures import examples
from tests.support.interrupting import interrupt_at
from tests.support.narrow_memory import narrow_memory
from tests.support.table_texts import text_table

WORDS = "it was the best of times it was the worst of times and nobody knew it then"


@st.composite
def two_sets(draw: st.DrawFn) -> tuple[list[str | None], list[str | None]]:
    """Texts that are like one another, in a reference and in a set that is compared with it."""
    texts = draw(st.one_of(strategies.relatives(), strategies.relatives(2, 3, 9)))
    texts += draw(st.lists(st.sampled_from(texts or ["abc"]), max_size=6))
    split = draw(st.integers(0, len(texts)))
    return ["a text of the reference", *texts[:split]], [*texts[split:], "another one"]


def pairs_of(found: ilk.SearchResult, held: int) -> dict[tuple[int, int], tuple[Any, ...]]:
    """The pairs of a document of the reference and another one, with what is measured."""
    measures = ("resemblance", "containment_left", "containment_right")
    return {
        (row["left"], row["right"]): tuple(row[name] for name in measures)
        for row in found.pairs.to_pylist()
        if row["left"] < held
    }


FINDS: list[dict[str, Any]] = [
    {"resemblance": 0.6, "containment": 0.8},
    {"noise": 0.1},
    {"linkage": "connected"},
]


@pytest.mark.parametrize("options", FINDS, ids=str)
@examples(60)
@given(two_sets())
def test_a_search_has_the_pairs_with_the_reference_and_no_others(
    options: dict[str, Any], sets: tuple[list[str | None], list[str | None]]
) -> None:
    reference, texts = sets
    held = len(reference)
    every = ilk.find(text_table(texts), against=text_table(reference), **options)
    found = ilk.find(text_table(texts), against=text_table(reference), only_against=True, **options)
    assert all(row["left"] < held <= row["right"] for row in found.pairs.to_pylist())
    assert pairs_of(found, held) == pairs_of(every, held)
    for row in found.clusters.to_pylist():
        assert row["doc"] < held or row["keeper"] < held
    assert all(row["right"] < held for row in found.contained_pairs.to_pylist())
    alike = {
        row["right"]
        for row in every.pairs.to_pylist()
        if row["left"] < held and row["verdict"] in verdicts.SAME
    }
    assert {row["doc"] for row in found.clusters.to_pylist() if row["doc"] >= held} == alike


@pytest.mark.parametrize(
    "options", [{"resemblance": 0.7}, {"exact": True}, {"key": "text"}], ids=str
)
@examples(60)
@given(two_sets())
def test_each_row_goes_as_if_it_were_alone(
    options: dict[str, Any], sets: tuple[list[str | None], list[str | None]]
) -> None:
    reference, texts = map(text_table, sets)
    found = ilk.deduplicate(texts, against=reference, only_against=True, **options)
    alone = [
        ilk.deduplicate(texts.slice(row, 1), against=reference, **options).keep_mask.to_pylist()[0]
        for row in range(len(texts))
    ]
    assert found.keep_mask.to_pylist() == alone
    assert found.report["promise"].endswith("compared with the reference alone")


def test_of_files_those_go_that_the_reference_has(tmp_path: Path) -> None:
    for name, text in {
        "master/a": WORDS,
        "new/a1": WORDS,
        "new/a2": WORDS,
        "new/b1": "other words",
        "new/b2": "other words",
        "new/near1": f"{WORDS} or now",
        "new/near2": f"{WORDS} or now",
    }.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    for options, dropped in (
        ({}, {"a1", "a2"}),
        ({"drop": "near"}, {"a1", "a2", "near1", "near2"}),
    ):
        for identical in (False, True):
            found = ilk.find(
                tmp_path / "new",
                against=tmp_path / "master",
                only_against=True,
                identical=identical,
            )
            files = found.files(**({} if identical else options))
            gone = {Path(name).name for name in files.size_by_dropped_file()}
            assert gone == ({"a1", "a2"} if identical else dropped)
            assert files.twin_folders == []


def test_a_store_may_be_the_reference(tmp_path: Path) -> None:
    texts = text_table([WORDS, "some other words than these", "some other words than these"])
    with ilk.Store(tmp_path / "seen.ilk", exact=True, texts=True) as store:
        store.add_many([WORDS, "what nobody else has"])
        found = ilk.deduplicate(texts, against=store, only_against=True)
        assert found.keep_mask.to_pylist() == [False, True, True]
        assert not len(ilk.find(texts.slice(1), against=store, only_against=True).clusters)
        with pytest.raises(OptionError, match="only_against"):
            ilk.deduplicate(texts, against=store, only_against=True, add=True)


def test_a_text_is_no_template_of_its_own_copies() -> None:
    reference, texts = text_table([f"{WORDS} or now"]), text_table([WORDS] * 3)
    found = ilk.deduplicate(texts, against=reference, only_against=True, common_blocks=2)
    assert found.report["common_blocks"] == []
    assert found.keep_mask.to_pylist() == [False] * 3


def many_rows() -> tuple[list[str], list[str]]:
    """Families of long texts, some with a text in the reference, and each with several others."""
    reference, texts = [], []
    for family in range(60):
        words = [f"w{at}f{family}" for at in range(300)]
        every = [" ".join([*words, f"end{at}"]) for at in range(4)]
        if family % 3:
            reference.append(every.pop())
        texts += [*every, every[0]]
    return reference, texts


def test_sets_in_files_and_a_resumed_run_keep_the_same_rows(tmp_path: Path) -> None:
    reference, texts = many_rows()
    for name, some in (("reference", reference), ("texts", texts)):
        lines = (json.dumps({"text": text}) + "\n" for text in some)
        (tmp_path / f"{name}.jsonl").write_text("".join(lines))
    source, out = tmp_path / "texts.jsonl", tmp_path / "out.jsonl"
    options: dict[str, Any] = {"against": tmp_path / "reference.jsonl", "only_against": True}
    families = {text.split()[0] for text in reference}
    expected = [text.split()[0] not in families for text in texts]
    assert 0 < sum(expected) < len(texts)
    for room in (400_000, 10_000_000):
        with narrow_memory(room):
            found = ilk.deduplicate(source, **options)
            assert found.search.evidence.mapped is not None
        assert found.keep_mask.to_pylist() == expected
    for last in ("join sets", "write"):
        with pytest.raises(KeyboardInterrupt):
            ilk.deduplicate(
                source,
                out,
                progress=interrupt_at(last),
                accept_alarm=True,
                force=True,
                **options,
            )
        assert (tmp_path / "out.jsonl.ilk" / "work").exists()
        resumed = ilk.deduplicate(source, out, accept_alarm=True, force=True, **options)
        assert resumed.keep_mask.to_pylist() == expected
        kept = [text for text, stays in zip(texts, expected, strict=True) if stays]
        assert [json.loads(line)["text"] for line in out.read_text().splitlines()] == kept


@examples(5)
@given(two_sets())
def test_a_store_with_its_texts_is_a_reference_like_a_table(
    sets: tuple[list[str | None], list[str | None]],
) -> None:
    reference, texts = sets
    known = [text for text in reference if (text or "").strip()]
    with tempfile.TemporaryDirectory() as folder:
        with ilk.Store(Path(folder, "seen.ilk"), exact=True, texts=True, resemblance=0.7) as store:
            store.add_many(known)
        found = ilk.deduplicate(
            text_table(texts), against=Path(folder, "seen.ilk"), only_against=True, resemblance=0.7
        )
        alone = ilk.deduplicate(
            text_table(texts), against=text_table([*known]), only_against=True, resemblance=0.7
        )
    assert found.keep_mask.equals(alone.keep_mask)


def test_it_needs_a_reference() -> None:
    with pytest.raises(OptionError, match="without `against`"):
        ilk.find(text_table([WORDS]), only_against=True)
