"""Functions that read show the options of reading in signature and docstring, from the table."""

from __future__ import annotations

import inspect

import pytest

import ilk
from ilk.base.options import OPTIONS
from ilk.read import Reading


@pytest.mark.parametrize("function", [ilk.find, ilk.passages])
def test_every_option_of_reading_is_shown_and_described(function: object) -> None:
    signature = inspect.signature(function)  # type: ignore[arg-type]
    # Examples stand as code in a docstring, and between quotes on a command line.
    described = " ".join((inspect.getdoc(function) or "").replace("``", "'").split())
    for name in inspect.signature(Reading.of).parameters.keys() - {"files_in"}:
        assert name in signature.parameters
        assert f" {name}: " in described
        if name in OPTIONS:
            assert OPTIONS[name].help.replace("`", "'") in described
    assert " reading: " not in described
