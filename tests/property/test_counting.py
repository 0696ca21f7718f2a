"""What is ignored: searching is as if it had been taken out of the texts beforehand."""

from __future__ import annotations

import tempfile
from collections.abc import Collection
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import ilk
from ilk.base.errors import OptionError
from ilk.search.counting import Counting, check_ignore
from ilk.store import Match
from tests.reference import text as reference
from tests.support.fixtures import examples

_WORDS = [
    "café",
    "cafe",
    "don't",
    "dont",
    "don’t",
    "12",
    "1,234",
    "x9",
    "été",
    "to",
    "漢字",
    "b2b",
    "e-mail",
]
_BETWEEN = [" ", " ", ", ", ". ", "—", " - ", "!"]
_ONE = st.builds(
    lambda words, between, times: between.join(words * times),
    st.lists(st.sampled_from(_WORDS), min_size=1, max_size=12),
    st.sampled_from(_BETWEEN),
    st.sampled_from([1, 1, 1, 9, 20]),
)
TEXTS = st.lists(st.one_of(_ONE, _ONE, st.none(), st.sampled_from(["!?", "", "’"])), max_size=6)
IGNORED = st.sets(st.sampled_from(["accents", "digits", "punctuation"]), min_size=1).map(sorted)


def without(text: str | None, ignore: Collection[str]) -> str | None:
    """Return a text without what is ignored."""
    masks = {{"punctuation": "punctuation_as_space"}.get(name, name) for name in ignore}
    return None if text is None else reference.masked(reference.normalised(text), masks)


def describe_pairs(rows: list[dict[str, Any]]) -> list[tuple[Any, ...]]:
    """Return pairs without their fingerprints; equal bytes are those of the texts as they were."""
    names = ("left", "right", "resemblance", "containment_left", "containment_right", "verdict")
    every = (tuple(row[name] for name in names) for row in rows)
    return [(*row[:-1], row[-1].replace("identical", "exact")) for row in every]


@examples(12)
@given(texts=TEXTS, ignore=IGNORED, least=st.sampled_from([0.3, 0.6, 0.8, 1]))
def test_a_search_is_as_if_it_had_been_taken_out(
    texts: list[str | None], ignore: list[str], least: float
) -> None:
    own = pa.array(texts, pa.string())
    bare = pa.array([without(text, ignore) for text in texts], pa.string())
    found = ilk.find(own, ignore=ignore, resemblance=least, containment=0.9)
    expected = ilk.find(bare, resemblance=least, containment=0.9)
    assert describe_pairs(found.pairs.to_pylist()) == describe_pairs(expected.pairs.to_pylist())
    for exact in (False, True):
        options = {"exact": True} if exact else {"resemblance": least}
        kept = ilk.deduplicate(own, ignore=ignore, **options)
        assert kept.keep_mask.equals(ilk.deduplicate(bare, **options).keep_mask)
        assert kept.report["options"]["ignore"] == ignore
    left, right, *_ = (*texts, None, None)
    if left and right:
        one = ilk.compare([left], [right], ignore=",".join(ignore))
        bare_left, bare_right = without(left, ignore), without(right, ignore)
        other = ilk.compare([bare_left or ""], [bare_right or ""])
        assert one.resemblance == other.resemblance
        assert one.verdict.replace("identical", "exact") == other.verdict.replace(
            "identical", "exact"
        )


def describe_match(one: Match) -> tuple[Any, ...]:
    return one.id, one.resemblance, one.verdict.replace("identical", "exact")


@examples(8)
@given(texts=TEXTS, ignore=IGNORED, exact=st.booleans())
def test_a_store_is_as_if_it_had_been_taken_out(
    texts: list[str | None], ignore: list[str], exact: bool
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        answers = []
        for name, not_seen, some in (
            ("own", ignore, texts),
            ("bare", None, [without(text, ignore) for text in texts]),
        ):
            with ilk.Store(Path(folder, name), exact=exact, ignore=not_seen) as store:
                added = [store.add([text]) for text in some if text is not None]
            answers.append([[describe_match(one) for one in each.matches] for each in added])
        assert answers[0] == answers[1]


def test_hello_world() -> None:
    for text in ("hello world", "HELLO — world", "Héllo world..."):
        found = ilk.compare(["Hello, world!"], [text], ignore=["punctuation", "accents"])
        assert (found.verdict, found.resemblance) == ("exact", 1.0)
    assert "accents or punctuation differs" in found.meaning
    both = ["Hello, world!", "hello world"]
    assert (len(ilk.find(both)), len(ilk.find(both, ignore="punctuation"))) == (0, 1)
    assert ilk.compare(["Hello’s world"], ["hellos world"], ignore="punctuation").resemblance == 1


def test_a_store_refuses_another_set_of_differences(tmp_path: Path) -> None:
    path = tmp_path / "s.ilk"
    with ilk.Store(path, ignore="accents") as store:
        assert store.stats()["ignore"] == ["accents"]
    with ilk.Store(path, ignore=["accents"]) as store:
        store.add(["café"])
        assert store.check(["cafe"])[0].verdict == "exact"
    with ilk.Store(path) as store:
        assert store.check(["cafe"])[0].verdict == "exact"
    with pytest.raises(OptionError, match="made with ignore=accents, not with ignore=digits"):
        ilk.Store(path, ignore="digits")
    with ilk.Store(tmp_path / "plain.ilk"):
        pass
    with pytest.raises(OptionError, match="made without ignore, not with ignore=digits"):
        ilk.Store(tmp_path / "plain.ilk", ignore="digits")


def test_a_run_that_ignores_something_else_does_not_resume(tmp_path: Path) -> None:
    source = tmp_path / "in.jsonl"
    source.write_text('{"text": "café au lait"}\n{"text": "cafe au lait"}\n')
    kept = [
        ilk.deduplicate(source, work=tmp_path / "work", resemblance=1, ignore=ignore).report["kept"]
        for ignore in ((), "accents", "digits", "accents")
    ]
    assert kept == [2, 1, 2, 1]


def test_unknown_differences_are_refused_with_what_there_is() -> None:
    with pytest.raises(OptionError, match="must be accents, digits, punctuation, or several"):
        ilk.find(["a", "b"], ignore="case")
    with pytest.raises(OptionError, match="`ignore` has no effect with `key`"):
        ilk.deduplicate(pa.table({"text": ["a"], "n": ["b"]}), key="n", ignore="digits")
    assert check_ignore(["digits,accents", "digits"]) == ("accents", "digits")
    assert str(Counting(3, ignore=("accents",))) == "words=3/ignore=accents"
