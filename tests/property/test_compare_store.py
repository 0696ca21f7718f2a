"""A document compared with a store: the right one is the most alike of all its documents."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import ilk
from ilk.base.errors import NothingRead, OptionError
from tests.support import strategies
from tests.support.command_line import Run
from tests.support.fixtures import examples


@examples(40)
@given(strategies.relatives(), st.booleans(), st.sampled_from([{}, {"ignore": "digits"}]))
def test_the_most_alike_of_all_is_compared(
    texts: list[str | None], exact: bool, counted: dict[str, Any]
) -> None:
    asked, *stored = [*(text or "" for text in texts), "another text"]
    stored.append("a text of the past")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "past.ilk")
        with ilk.Store(path, exact=exact, texts=True, **counted) as store:
            store.add_many(stored)
            found = ilk.compare([asked], against=store, **counted)
            with_text = [text for text in stored if text.strip()]
            # Of a text that is contained, a comparison shows the resemblance of words instead.
            every, places = ilk.find([asked, *with_text], **counted), range(1, len(with_text) + 1)
            judged = every.judge(pa.repeat(0, len(places)).cast(pa.int64()), pa.array(places))
            shares = [share or 0.0 for share in judged["resemblance"].to_pylist()]
            assert shares[with_text.index(found.texts[1])] == max(shares)
            again = ilk.compare([asked], [found.texts[1]], **counted)
            assert found.to_dict() == again.to_dict()
            assert again.stored is None
            ids = [one.id for one in store if store.text(one.id) == found.texts[1]]
            assert found.stored in {f"{path}#{id_}" for id_ in ids}
        assert ilk.compare([asked], against=path, **counted).to_dict() == found.to_dict()


@pytest.mark.parametrize(
    ("made", "asked", "said"),
    [
        ({"texts": False}, {}, "keeps no texts"),
        ({}, {"shingle": 4}, "shingles of 3 words"),
        ({}, {"ignore": "digits"}, "was made to ignore nothing"),
        ({}, {"by": "characters"}, "compares texts by words"),
        ({}, {"as_": "code:python"}, "as they are"),
        ({}, {"noise": 0.05}, "a search with `noise`"),
        ({}, {"b": ["another"]}, "name one of them"),
    ],
)
def test_what_a_store_cannot_promise_is_refused(
    made: dict[str, Any], asked: dict[str, Any], said: str, tmp_path: Path
) -> None:
    place = tmp_path / "past.ilk"
    with ilk.Store(place, **{"texts": True, **made}) as store:
        store.add(["one text of some words"])
    with pytest.raises(OptionError, match=said):
        ilk.compare(["one text of words"], against=place, **asked)


def test_what_is_no_store_is_no_reference(tmp_path: Path) -> None:
    ilk.Store(tmp_path / "empty.ilk", texts=True).close()
    with pytest.raises(NothingRead, match="has no document with a text"):
        ilk.compare(["one"], against=tmp_path / "empty.ilk")
    (tmp_path / "a.txt").write_text("one")
    for reference in (tmp_path / "a.txt", tmp_path / "missing.ilk"):
        with pytest.raises(OptionError, match="is no store"):
            ilk.compare(["one"], against=reference)
    with pytest.raises(OptionError, match="nothing to compare it with"):
        ilk.compare(["one"])


def test_bytes_of_a_stored_file_are_those_that_were_read(run: Run, tmp_path: Path) -> None:
    """A text in another encoding is identical to its copy, though the store keeps it as UTF-8."""
    text = "Ein schöner Tag für alle, die gerne lange Sätze lesen.\n"
    place, copy, store = tmp_path / "a.txt", tmp_path / "b.txt", tmp_path / "past.ilk"
    for file in (place, copy):
        file.write_bytes(text.encode("latin-1"))
    assert run("store", "add", store, place, "--exact", "--texts")[0] == 0
    code, out, _ = run("compare", copy, "--against", store)
    assert code == 0
    assert out.startswith(f"The most alike of {store}: {place}\n")
    assert "The two are identical, byte for byte." in out
    assert "identical: 2 documents" in run("scan", copy, "--against", store)[1]
    code, out, _ = run("compare", copy, "--against", store, "--format", "jsonl")
    assert f'"right": "{place}"' in out
    assert run("compare", copy)[0] == 2
