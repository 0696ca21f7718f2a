"""What a process may hold, and that no result depends on it."""

from __future__ import annotations

import pyarrow as pa
import pytest

import ilk
from ilk.base import resources
from ilk.base.errors import OptionError
from ilk.base.run_options import Running
from tests.support.narrow_memory import narrow_memory


def test_memory_is_as_said_or_half_of_what_is_free() -> None:
    assert Running.of(memory="150GB").memory == 150_000_000_000
    assert resources.resident_memory_or_zero() + resources.BUFFERS <= Running.of().memory < 10**15
    with pytest.raises(OptionError, match="memory is 'two'; .* a size such as"):
        Running.of(memory="two")


def test_memory_in_which_nothing_works_is_refused_with_the_least_that_would_do() -> None:
    with pytest.raises(
        OptionError,
        match=r"memory is 1MB, but the process needs at least "
        "[0-9.]+[MG]B ",
    ):
        Running.of(memory="1MB")


#: A chain of three whose ends are not alike, a copy in capitals, and copies of a short text.
_WORDS = [f"{first}{second}" for first in "abcdefghij" for second in "klmnopqrstuv"]
_FAMILY = [
    *(" ".join(_WORDS[at : at + 100]) for at in (0, 9, 18)),
    "something else",
    " ".join(_WORDS[:100]).upper(),
    *["one two three"] * 2,
]


@pytest.mark.parametrize("keep", ["first", "central", ("central", "last")])
@pytest.mark.parametrize("linkage", ["anchored", "connected"])
def test_families_are_the_same_in_portions(keep: str, linkage: str) -> None:
    exact = ilk.find(_FAMILY, keep=keep, linkage=linkage)
    with narrow_memory(3_500, piece=1_000):
        portions = ilk.find(_FAMILY, keep=keep, linkage=linkage)
    assert portions.clusters.equals(exact.clusters)
    assert len(exact) == 2
    table = pa.table({"text": _FAMILY})
    whole = ilk.deduplicate(table, keep=keep, linkage=linkage)
    with narrow_memory(3_500, piece=1_000):
        parts = ilk.deduplicate(table, keep=keep, linkage=linkage)
    assert parts.clusters.equals(whole.clusters)
    assert parts.report["like_dropped"] == whole.report["like_dropped"]
    assert (parts.report["like_dropped"] == 1) == ((keep, linkage) == ("first", "anchored"))
