"""What is opened as a store, and what is refused."""

from __future__ import annotations

from pathlib import Path

import pytest

import ilk
from ilk.base.errors import OptionError, OutputError, SourceNotFound, StoreError, StoreFormatError
from ilk.base.stores import is_store_file
from ilk.store import Store
from tests.support.stores import raw


def test_a_store_is_opened_as_it_was_made(path: Path) -> None:
    recipe = ilk.Recipe(bits=64)
    with Store(path, recipe=recipe, resemblance=0.5, shingle=2, texts=True) as store:
        made = store.settings
        assert (made.recipe, made.radius, str(made.resemblance)) == (recipe, 16, "1/2")
        assert 0 < made.expected_recall < 1
        assert repr(store) == f"<ilk.Store {str(path)!r} of {recipe}>"
    with Store(path) as store:
        assert store.settings == made
    with Store(path, recipe=recipe) as store:
        assert store.path == path
    with pytest.raises(ilk.RecipeMismatch, match="without the option"):
        Store(path, recipe=ilk.Recipe(bits=128))
    for options in ({"resemblance": 0}, {"shingle": 0}, {"jobs": 0}):
        with pytest.raises(OptionError):
            Store(path, **options)  # type: ignore[arg-type]


def test_what_is_no_store_is_refused(path: Path, tmp_path: Path) -> None:
    with pytest.raises(SourceNotFound, match="there is no store"):
        Store(path, create=False)
    with pytest.raises(StoreFormatError, match="is a folder"):
        Store(tmp_path)
    with pytest.raises(OutputError, match="there is no folder"):
        Store(tmp_path / "none" / "s.ilk")
    path.write_text("no database at all, but a text of some length" * 100)
    with pytest.raises(StoreFormatError, match="is not a store"):
        Store(path)
    path.unlink()
    with raw(path) as connection:
        connection.execute("CREATE TABLE t (a)")
    with pytest.raises(StoreFormatError, match="not a store"):
        Store(path)


@pytest.mark.parametrize(("version", "who"), [(99, "a newer ilk"), (1, "the ilk that made it")])
def test_another_format_is_refused_with_what_to_do(path: Path, version: int, who: str) -> None:
    Store(path).close()
    with raw(path) as connection:
        connection.execute(f"PRAGMA user_version = {version}")
    with pytest.raises(StoreFormatError, match=rf"format {version}; .*Open it with {who}"):
        Store(path)


def test_a_closed_store_says_so(store: Store) -> None:
    store.close()
    store.close()
    with pytest.raises(StoreError, match="closed"):
        len(store)
    with pytest.raises(StoreError, match="closed"):
        store.add("text")


def test_a_new_store_is_recognised_while_it_is_open(path: Path) -> None:
    with Store(path):
        assert is_store_file(path)
