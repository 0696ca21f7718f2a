"""Paths that a package queries: which they are, and the error without the package."""

from __future__ import annotations

import pytest

from ilk.base.errors import MissingExtra
from ilk.read.rows import kinds
from ilk.read.rows.opening import open_rows

QUERIED = ("s3://bucket/part.parquet", "https:/host/x.parquet", "part/year=*/*.parquet")


def test_addresses_and_globs_of_columns_are_queried() -> None:
    assert all(map(kinds.is_address_or_partitioned_glob, QUERIED))
    for path in ("part/year=2026/*.parquet", "part/*/x.parquet", "a=*", "x.parquet"):
        assert not kinds.is_address_or_partitioned_glob(path)


@pytest.mark.parametrize("path", QUERIED)
def test_without_the_package_the_error_names_it(path: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kinds, "load_registered_readers", lambda: ())
    with pytest.raises(MissingExtra, match=r"needs ilk-sources.*pip install 'ilk\[sql\]'"):
        open_rows(path)
