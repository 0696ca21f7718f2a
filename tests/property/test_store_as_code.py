"""Programs in a store: its answers are those of a search over the same programs in memory."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import ilk
from ilk.base.errors import OptionError
from ilk.search import programs
from tests.property.test_as_code import PROGRAMS
from tests.support.fixtures import examples

RENAMED = "total = 1\nfor x1 in range(total):\n    print(x1, 'a')\n" * 6
ORIGINAL = RENAMED.replace("total", "summe").replace("x1", "wert").replace("'a'", "'bc'")


def _open_store(path: str | Path, **options: Any) -> ilk.Store:
    return ilk.Store(path, as_="code:python", exact=True, **options)


@examples(40)
@given(st.lists(PROGRAMS, min_size=2, max_size=6), st.sampled_from([0.5, 0.8, 1.0]), st.booleans())
def test_a_store_answers_as_a_search_does(texts: list[str], least: float, with_base: bool) -> None:
    base: Any = ["x1 = 7\nprint(x1)\n"] if with_base else None
    found = ilk.find(texts, as_="code:python", resemblance=least, ignore_text=base, keep="first")
    expected: dict[int, set[tuple[int, str, float | None]]] = {
        row: set() for row in range(len(texts))
    }
    for row in found.pairs.to_pylist():
        for one, other in ((row["left"], row["right"]), (row["right"], row["left"])):
            expected[one].add((other, row["verdict"], row["resemblance"]))
    with tempfile.TemporaryDirectory() as folder:
        with _open_store(f"{folder}/s.ilk", resemblance=least, ignore_text=base) as store:
            added = [one.id for one in store.add_many(texts)]
            assert added == list(range(len(texts)))
        # What was written says what counts.
        with ilk.Store(f"{folder}/s.ilk", create=False) as again:
            for row, text in enumerate(texts):
                matches = {
                    (match.id, match.verdict, match.resemblance)
                    for match in again.check([text], containment=None)
                    if match.id != row
                }
                # Equal texts are one in a search, which measures the first of them alone.
                assert {(one, verdict) for one, verdict, _ in matches} == {
                    (one, verdict) for one, verdict, _ in expected[row]
                }
                shares = {one: share for one, _, share in matches}
                assert all(shares[one] == share for one, _, share in expected[row])


def test_names_alone_do_not_tell_programs_apart(tmp_path: Path) -> None:
    with ilk.Store(tmp_path / "plain.ilk", exact=True) as plain:
        plain.add([ORIGINAL])
        assert plain.check([RENAMED], resemblance=0.5) == []
    with _open_store(tmp_path / "s.ilk", texts=True) as store:
        store.add([ORIGINAL])
        (match,) = store.check([RENAMED])
        assert (match.verdict, match.resemblance) == ("near", 1.0)
        assert store.text(0) == ORIGINAL
        assert store.check([f"# a comment\n{ORIGINAL}"])[0].verdict == "near"
        assert store.check([ORIGINAL])[0].verdict == "identical"
        assert store.validate().problems == []
    with ilk.Store(tmp_path / "prints.ilk", as_="code:python") as prints:
        prints.add([ORIGINAL])
        (match,) = prints.check([RENAMED])
        assert (match.verdict, match.resemblance, match.distance) == ("near", 1.0, 0)


def test_a_store_of_programs_is_a_reference(tmp_path: Path) -> None:
    with _open_store(tmp_path / "s.ilk", texts=True) as store:
        store.add([ORIGINAL])
    rows = pa.table({"text": [RENAMED, "import os\nos.getcwd()\n" * 9]})
    path = tmp_path / "s.ilk"
    result = ilk.deduplicate(rows, against=path, as_="code:python")
    assert result.keep_mask.to_pylist() == [False, True]
    for other in (None, "code:java"):
        with pytest.raises(OptionError, match=r"compares programs \(code:python pygments="):
            ilk.deduplicate(rows, against=path, as_=other)
    with ilk.Store(tmp_path / "plain.ilk", exact=True, texts=True) as store:
        store.add([ORIGINAL])
    with pytest.raises(OptionError, match="compares texts as they are, and the search programs"):
        ilk.deduplicate(rows, against=tmp_path / "plain.ilk", as_="code:python")


def test_what_is_cut_otherwise_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with _open_store(tmp_path / "s.ilk") as store:
        store.add([ORIGINAL])
        assert str(store.stats()["as"]).startswith("code:python pygments=")
    with ilk.Store(tmp_path / "plain.ilk", exact=True) as plain:
        plain.add(["another text"])
        with pytest.raises(OptionError, match="made with as_="):
            plain.merge([tmp_path / "s.ilk"], tmp_path / "both.ilk")
    for asked in ("code:java", None):
        if asked is not None:
            with pytest.raises(OptionError, match="was made with as=code:python"):
                ilk.Store(tmp_path / "s.ilk", as_=asked)
    with pytest.raises(OptionError, match="was made without as, not with as=code:python"):
        ilk.Store(tmp_path / "plain.ilk", as_="code:python")
    with pytest.raises(OptionError, match="may have other names later, or none"):
        ilk.Store(tmp_path / "new.ilk", as_="code")
    with pytest.raises(OptionError, match="`noise` aligns texts as they are"):
        ilk.Store(tmp_path / "new.ilk", as_="code:python", noise=0.05)
    assert not (tmp_path / "new.ilk").exists()
    monkeypatch.setattr(programs, "installed_pygments_version", lambda: "1.0")
    with ilk.Store(tmp_path / "s.ilk") as later:
        for ask in (later.add, later.check):
            with pytest.raises(OptionError, match="1.0 is installed, which may cut them otherwise"):
                ask([RENAMED])
        assert len(later) == 1  # What was stored can still be read.


def test_evidence_is_exchanged_between_stores_made_alike(tmp_path: Path) -> None:
    import pyarrow.parquet as pq

    with _open_store(tmp_path / "s.ilk") as store:
        store.add([ORIGINAL])
        pq.write_table(store.to_arrow(evidence=True).read_all(), tmp_path / "out.parquet")
    with _open_store(tmp_path / "t.ilk") as other:
        assert other.add_evidence(tmp_path / "out.parquet") == 1
        assert [match.resemblance for match in other.check([RENAMED])] == [1.0]
    with (
        ilk.Store(tmp_path / "plain.ilk", exact=True) as plain,
        pytest.raises(OptionError, match="made with as=nothing, and these documents with as=code"),
    ):
        plain.add_evidence(tmp_path / "out.parquet")
