"""Which files hold rows, and what reads them: their names say so."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from ilk.errors import OptionError
from ilk.readers.records.sources import Names, Source
from ilk.readers.records.streams import CODECS, bare

#: Opens a file: the name that its rows have, its path, and the columns to read.
Opener: TypeAlias = Callable[[str, str, Names], Source]

JSON_LINES = (".jsonl", ".ndjson", ".json")
CSV = (".csv", ".tsv", ".tab")
PARQUET = (".parquet", ".pq")

_NAMES = {"JSON lines": JSON_LINES, "CSV": CSV, "Parquet": PARQUET, "a table": PARQUET}


def holds_rows(path: str) -> bool:
    """Whether a file of this name is taken to hold rows without anybody saying so.

    One that is called ``.json`` and no more is most often a document.
    """
    codec, kind = bare(path)
    return _known(codec, kind) and (codec, kind) != ("", ".json")


def opener(path: str) -> Opener:
    """What reads a file of this name. Only that format's room is loaded.

    Raises:
        OptionError: no format has such names.
    """
    codec, kind = bare(path)
    if not _known(codec, kind):
        known = ", ".join((*JSON_LINES, *CSV, *PARQUET))
        raise OptionError(
            f"{path}: its name does not say how its rows are written. Rows are read from {known}, "
            f"all but Parquet also with {' or '.join(CODECS)} behind that; rename the file."
        )
    if kind in PARQUET:
        from ilk.readers.records.parquet import parquet

        return parquet
    if kind in CSV:
        from ilk.readers.records.separated import separated

        return separated
    from ilk.readers.records.jsonl import json_lines

    return json_lines


def suits(form: str, name: str) -> bool:
    """Whether a file of this name may hold rows of a form: one of another format may not."""
    codec, kind = bare(name)
    own = _NAMES[form]
    if own == PARQUET:
        return kind in PARQUET and not codec
    return kind in own or kind not in JSON_LINES + CSV + PARQUET


def _known(codec: str, kind: str) -> bool:
    return kind in JSON_LINES + CSV or (kind in PARQUET and not codec)
