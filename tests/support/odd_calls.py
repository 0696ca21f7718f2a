"""Call names of ``ilk.plugins`` with odd values, in a process of its own: ``python -m`` this.

Prints the number of calls, and a line for each that ended in an error which is not documented.
``calling`` in the current folder holds the last call, should it end the process.
"""

from __future__ import annotations

import contextlib
import faulthandler
import inspect
import io
import itertools
import os
import random
import resource
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa

from ilk.base.errors import IlkError
from tests.property.test_arguments import odd_values
from tests.support import plugin_names
from tests.support.usual_arguments import samples

#: Memory beside what the process has at its start, and seconds for a call.
_MEMORY, _SECONDS = 2 << 30, 30

#: A number for which it is no surprise that memory does not suffice.
_MANY = 1 << 31

#: What would end or hold this process, as it is meant to, or sends it signals.
_LEFT_OUT = {
    "portable.disable_core_dumps_if_possible",
    "portable.kill_process_group",
    "portable.limit_own_memory_if_possible",
}

#: What only kernels can mistake: numbers at the bounds of their types, columns of their types.
_FOR_KERNELS: list[Any] = [
    *(2**20, 2**31, 2**32 - 1, 2**32, 2**47, 2**62, 2**63 - 1, 2**64 - 1),
    *((1, 0), (0, 1), (2**63, 2**64 - 1), [2**63], b"x" * 100),
    pa.array([], pa.uint64()),
    pa.array([2**64 - 1] * 5, pa.uint64()),
    pa.array([2**63 - 1, -1, 5]),
    pa.array([2**32 - 1] * 5, pa.uint32()),
    pa.array([255] * 7, pa.uint8()),
    pa.array([1, None], pa.uint8()),
    pa.array([[5, 3], [2**32 - 1]], pa.large_list(pa.uint32())),
    pa.array([None, [5, 3]], pa.large_list(pa.uint64())),
    pa.array([b"x" * 20, None, b""], pa.large_binary()),
    pa.array([b"x" * 33, b"x" * 100], pa.large_binary()).slice(1),
    pa.array([b"x" * 16, None], pa.binary(16)),
    [(b"abc", True), (b"abcd", False)],
]


def _arguments(function: Callable[..., Any]) -> list[str]:
    parameters = inspect.signature(function).parameters.values()
    return [one.name for one in parameters if one.kind not in (one.VAR_KEYWORD, one.VAR_POSITIONAL)]


def _values() -> list[Any]:
    return [*odd_values(), *_FOR_KERNELS]


def _each(name: str, function: Callable[..., Any]) -> Iterator[dict[str, Any]]:
    """Yield arguments, each in turn with each odd value and the others as usual."""
    for argument in _arguments(function):
        for at in range(len(_values())):
            yield plugin_names.usual(name, function) | {argument: _values()[at]}


def _drawn(name: str, function: Callable[..., Any], count: int) -> Iterator[dict[str, Any]]:
    """Yield arguments, some of which are odd, as the name of the function draws them."""
    draw = random.Random(name)
    for _ in range(count if _arguments(function) else 0):
        values, some = _values(), [one for one in _arguments(function) if draw.random() < 0.5]
        yield plugin_names.usual(name, function) | {one: draw.choice(values) for one in some}


def _used(made: Any) -> None:
    """Go through what a call has only begun."""
    if isinstance(made, contextlib.AbstractContextManager) and inspect.isgenerator(
        getattr(made, "gen", None)
    ):
        with made:
            return
    if inspect.isgenerator(made):
        list(itertools.islice(made, 3))
        made.close()


def _is_documented(name: str, error: BaseException, given: dict[str, Any]) -> bool:
    """Return whether the docstring of ``ilk.plugins`` says that there may be such an error."""
    if isinstance(error, MemoryError):
        return any(type(one) is int and one >= _MANY for one in given.values())
    if name.startswith("kernels."):
        return isinstance(error, IlkError | TypeError | ValueError | OverflowError)
    never = AssertionError, RecursionError, SystemError
    return isinstance(error, Exception) and not isinstance(error, never)


def main(kinds: str, count: int) -> None:
    """Call ``kernels``, or ``others``: with each odd value, or ``count`` times with several."""
    size = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    called = plugin_names.callables()
    samples()
    resource.setrlimit(resource.RLIMIT_AS, (size + _MEMORY,) * 2)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    said, sys.stdout = sys.stdout, io.StringIO()
    sys.stdin = io.TextIOWrapper(io.BytesIO())
    calling, calls = os.open("calling", os.O_RDWR | os.O_CREAT), 0
    for name, function in called.items():
        if name in _LEFT_OUT or name.startswith("kernels.") != (kinds == "kernels"):
            continue
        signature = inspect.signature(function)
        for given in _drawn(name, function, count) if count else _each(name, function):
            calls += 1
            shown = f"{name}({', '.join(f'{key}={one!r:.40}' for key, one in given.items())})"
            os.pwrite(calling, ascii(shown).ljust(2_000)[:2_000].encode(), 0)
            faulthandler.dump_traceback_later(_SECONDS, exit=True)
            try:
                bound = signature.bind(**given)
                _used(function(*bound.args, **bound.kwargs))
            except BaseException as error:
                if not _is_documented(name, error, given):
                    print(f"{shown!a:.2000}: {error!r:.200}", file=said)
    faulthandler.cancel_dump_traceback_later()
    print(calls, file=said)


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
