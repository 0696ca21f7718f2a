"""What packages register: loaded by name, or refused with the package that it is from."""

from __future__ import annotations

from importlib.metadata import EntryPoint

import pytest

from ilk.base import packages
from ilk.base.errors import OptionError


@pytest.mark.parametrize("value", ["no_such_module:thing", "ilk.base.packages:no_such_name"])
def test_what_cannot_be_loaded_is_refused_by_name(value: str) -> None:
    with pytest.raises(OptionError, match=f"{value} .* cannot be loaded"):
        packages.load_entry_point(EntryPoint("x", value, "ilk.readers"))


def test_what_is_there_is_loaded() -> None:
    point = EntryPoint("x", "ilk.base.packages:load_entry_point", "ilk.readers")
    assert packages.load_entry_point(point) is packages.load_entry_point
