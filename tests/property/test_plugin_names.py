"""Every name of ``ilk.plugins``, and every kernel, with every odd value for each argument.

A call works, or raises an error as the docstring of ``ilk.plugins`` says. Nothing panics, ends the
process or goes on without end.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from ilk import companions
from ilk.base.errors import OptionError

_ROOT = Path(__file__).parents[2]


def _called(folder: Path, kinds: str, count: int = 0) -> int:
    """Call names in a process of its own; return the number of calls."""
    if not Path("/proc/self/statm").exists():
        pytest.skip("limits the memory by what Linux says of a process")
    done = subprocess.run(
        [sys.executable, "-m", "tests.support.odd_calls", kinds, str(count)],
        cwd=folder,
        env=os.environ | {"PYTHONPATH": str(_ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )
    *findings, calls = done.stdout.splitlines() or [""]
    assert done.returncode == 0, f"{(folder / 'calling').read_text()}: {done.stderr[-2000:]}"
    assert not findings, "\n".join(findings[:20])
    return int(calls)


@pytest.mark.long
def test_kernels_use_or_refuse_every_odd_value(tmp_path: Path) -> None:
    assert _called(tmp_path, "kernels") > 25_000


@pytest.mark.long
def test_other_names_use_or_refuse_every_odd_value(tmp_path: Path) -> None:
    assert _called(tmp_path, "others") > 55_000


@pytest.mark.long
@pytest.mark.parametrize("kinds", ["kernels", "others"])
def test_several_odd_values_at_once_are_used_or_refused(tmp_path: Path, kinds: str) -> None:
    assert _called(tmp_path, kinds, 1_000) > 50_000


def test_the_probability_of_bits_that_differ_is_of_few_bits() -> None:
    """Binomials of 2^70 bits were summed without end."""
    assert companions.measures.binomial_upper_tail(1, 1024, 0.5) == pytest.approx(1)
    with pytest.raises(OptionError, match="1,024"):
        companions.measures.binomial_upper_tail(1, 2**70, 0.5)
