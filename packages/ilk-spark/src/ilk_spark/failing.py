"""The errors of tasks, with the same messages as without Spark."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager

from ilk import IlkError, TooManyPairs
from ilk.companions import errors

#: How Spark passes on the exception of a task: the class and its message, in a line.
_RAISED = re.compile(r"^ilk\.base\.errors\.(\w+): (.*)$", re.MULTILINE)


@contextmanager
def raise_as_ilk() -> Iterator[None]:
    """Raise ilk's error from a task, if Spark reports that a job has failed."""
    try:
        yield
    except IlkError:
        raise
    except Exception as failed:
        python_error = _RAISED.search(str(failed))
        kind = getattr(errors, python_error[1], None) if python_error else None
        if python_error is None or kind is None:
            raise
        if kind is TooManyPairs:
            count, limit, *_ = (
                int(n.replace(",", "")) for n in re.findall(r"[\d,]*\d", python_error[2])
            )
            raise TooManyPairs(count, limit) from failed
        raise kind(python_error[2]) from failed
