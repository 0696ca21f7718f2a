"""What reads a file of rows."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from importlib.util import find_spec
from typing import TypeAlias

from ilk.errors import MissingExtra, OptionError
from ilk.readers.rows.kinds import ARC, CSV, JSON_LINES, PARQUET, WARC, is_archive, is_known
from ilk.readers.rows.sources import Names, Source
from ilk.readers.rows.streams import CODECS, bare
from ilk.readers.warc.crawl import Crawl

#: Opens a file: the name that its rows have, its path, and the columns to read.
Opener: TypeAlias = Callable[[str, str, Names], Source]


def opener(path: str, crawl: Crawl[Source]) -> Opener:
    """What reads a file. Only that format's room is loaded.

    Args:
        path: the file.
        crawl: what the archives of a data set share.

    Raises:
        OptionError: no format has such names, and it is no archive.
        MissingExtra: it is an archive, and what reads them is not installed.
    """
    codec, kind = bare(path)
    if is_archive(path):
        if find_spec("fastwarc") is None:
            raise MissingExtra("fastwarc", "archives")
        from ilk.readers.rows.archive import archive

        return partial(archive, crawl=crawl)
    if not is_known(codec, kind):
        known = ", ".join((*JSON_LINES, *CSV, *PARQUET, *WARC, *ARC))
        raise OptionError(
            f"{path}: its name does not say how its rows are written. Rows are read from {known}, "
            f"all but Parquet also with {' or '.join(CODECS)} behind that; rename the file."
        )
    if kind in PARQUET:
        from ilk.readers.rows.parquet import parquet

        return parquet
    if kind in CSV:
        from ilk.readers.rows.separated import separated

        return separated
    from ilk.readers.rows.jsonl import json_lines

    return json_lines
