"""What the table tools share: which columns to read, the decision, and columns for rows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import pyarrow as pa

from ilk.base.errors import OptionError
from ilk.tasks.dedup import deduplicate
from ilk.tasks.find import find
from ilk.tasks.result import Result

#: Arguments of ``ilk.deduplicate`` that are for files; a tool writes by itself.
_OF_FILES = frozenset({"annotate", "exclude", "force", "include", "output", "work"})

#: The columns of a pair of rows that are alike.
PAIR = ("left", "right", "resemblance", "containment_left", "containment_right", "verdict")


def read_names(
    names: Sequence[str], text: str | Sequence[str], options: Mapping[str, Any]
) -> list[str]:
    """Return which of all columns of a table to read.

    A name with a dot leads into a column. If a name does not exist, all columns are returned, so
    that the error can list them.
    """
    keep = options.get("keep") or ()
    policies = [keep] if isinstance(keep, str) else list(keep)
    named = [text] if isinstance(text, str) else list(text)
    named += [name for name in (options.get("id"), options.get("key")) if name is not None]
    named += [policy.partition(":")[2] for policy in policies if _takes_column(policy)]
    found = []
    for name in named:
        leading = [one for one in names if name == one or str(name).startswith(f"{one}.")]
        if not leading:
            return list(names)
        found.append(max(leading, key=len))
    return list(dict.fromkeys(found))


def _takes_column(policy: object) -> bool:
    kind, _, name = str(policy).partition(":")
    return bool(name) and kind != "prefer"


def decided(source: Any, text: str | Sequence[str], options: Mapping[str, Any]) -> Result:
    """Return the decision of ``ilk.deduplicate`` on a table.

    Raises:
        OptionError: an option is for files.
    """
    _refuse(options, _OF_FILES)
    return deduplicate(source, text=text, **options)


def kept(
    source: Any, text: str | Sequence[str], accept_alarm: bool, options: Mapping[str, Any]
) -> pa.BooleanArray:
    """Return for each row whether it is kept.

    Raises:
        AlarmRaised: so much would be dropped that a person should look first.
    """
    result = decided(source, text, options)
    result.refuse_alarm(accept_alarm)
    return result.kept


def clusters(source: Any, text: str | Sequence[str], options: Mapping[str, Any]) -> pa.Table:
    """Return one row per row: ``family``, ``cluster``, ``keeper``, ``verdict``, ``resemblance``.

    A keeper is a row number. For a row in no family, the verdict is ``unique``, and the others are
    null.
    """
    labels = decided(source, text, options).labels(numbered=True)
    names = ("family", "cluster", "keeper_doc", "verdict", "resemblance")
    return labels.select(names).rename_columns([name.removesuffix("_doc") for name in names])


def pairs(source: Any, text: str | Sequence[str], options: Mapping[str, Any]) -> pa.Table:
    """Return all pairs that ``ilk.find`` finds, as ``PAIR``, with row numbers."""
    _refuse(options, _OF_FILES)
    return find(source, text=text, **options).pairs.select(list(PAIR))


def _refuse(options: Iterable[str], unknown: frozenset[str]) -> None:
    refused = sorted(unknown.intersection(options))
    if refused:
        raise OptionError(
            f"`{refused[0]}` is for files, and here no file is read or written; leave it out."
        )
