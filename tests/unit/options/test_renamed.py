"""Former names of arguments work for one version, and warn."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import pytest

import ilk
from ilk.options.renamed import renamed

CALLS: list[tuple[Callable[..., Any], tuple[Any, ...]]] = [
    (ilk.pairs, ([1, 2, 3], 1)),
    (ilk.join, ([1, 2], [3], 1)),
    (ilk.pair_groups, ([1, 2, 3], 1)),
    (ilk.plan, (3, 1)),
]


@pytest.mark.parametrize(("function", "arguments"), CALLS)
def test_memory_was_called_memory_limit(
    function: Callable[..., Any], arguments: tuple[Any, ...]
) -> None:
    with pytest.warns(DeprecationWarning, match="memory_limit is now called memory") as warned:
        assert function(*arguments, memory_limit="1GB") == function(*arguments, memory="1GB")
    assert [it.filename for it in warned] == [__file__]
    with pytest.raises(TypeError, match="give memory only"):
        function(*arguments, memory_limit="1GB", memory="1GB")
    assert "memory" in inspect.signature(function).parameters
    assert "memory_limit" not in inspect.signature(function).parameters


def test_other_names_are_left_alone(recwarn: pytest.WarningsRecorder) -> None:
    @renamed(old="new")
    def function(*, new: int = 1, other: int = 2) -> tuple[int, int]:
        return new, other

    assert (function(), function(other=3), function(new=4)) == ((1, 2), (1, 3), (4, 2))
    assert not recwarn
