"""The figures of the house are for information; that rooms form no circle is checked."""

from __future__ import annotations

import pytest

from tests.fixtures import script

HOUSE = script("house")


def test_a_circle_among_rooms_is_found() -> None:
    with pytest.raises(ValueError, match="a circle among"):
        HOUSE.floors({("cli", "base"), ("base", "cli")})
