"""Sources of rows and documents: what a reader returns, and what it may use."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ilk.base.lazy import loader

if TYPE_CHECKING:
    from ilk import read as read
    from ilk.read import Collection, Reading, Tally, read_one
    from ilk.read.encodings.charsets import decode_page
    from ilk.read.encodings.decoding import Decoded
    from ilk.read.encodings.kinds import HEAD, is_binary
    from ilk.read.files.content import Unreadable
    from ilk.read.files.names import path_of
    from ilk.read.formats.recognising import recognised
    from ilk.read.pages.declared import Declared, declared
    from ilk.read.pages.extraction import Begun, Pages, ahead, begin, extracting
    from ilk.read.reading import Reads, reads
    from ilk.read.rows import DataSet, open_any
    from ilk.read.rows.arrow import ArrowRows
    from ilk.read.rows.chosen import Chosen, everything
    from ilk.read.rows.kinds import JSON_LINES, PARQUET
    from ilk.read.rows.plugins import Opener
    from ilk.read.rows.signature import Stamp
    from ilk.read.rows.sources import Counts, Names, Part, Rejected, Source, Tell, Writer
    from ilk.read.rows.streams import bare
    from ilk.read.rows.writers import CODECS, BytesWriter

__all__ = [
    "CODECS",
    "HEAD",
    "JSON_LINES",
    "PARQUET",
    "ArrowRows",
    "Begun",
    "BytesWriter",
    "Chosen",
    "Collection",
    "Counts",
    "DataSet",
    "Declared",
    "Decoded",
    "Names",
    "Opener",
    "Pages",
    "Part",
    "Reading",
    "Reads",
    "Rejected",
    "Source",
    "Stamp",
    "Tally",
    "Tell",
    "Unreadable",
    "Writer",
    "ahead",
    "bare",
    "begin",
    "declared",
    "decode_page",
    "everything",
    "extracting",
    "is_binary",
    "open_any",
    "path_of",
    "read",
    "read_one",
    "reads",
    "recognised",
]

if not TYPE_CHECKING:
    __getattr__ = loader(
        __name__,
        {
            "ilk.read": (
                "Collection",
                "Reading",
                "Tally",
                "read_one",
            ),
            "ilk.read.encodings.charsets": ("decode_page",),
            "ilk.read.encodings.decoding": ("Decoded",),
            "ilk.read.encodings.kinds": (
                "HEAD",
                "is_binary",
            ),
            "ilk.read.files.content": ("Unreadable",),
            "ilk.read.files.names": ("path_of",),
            "ilk.read.formats.recognising": ("recognised",),
            "ilk.read.pages.declared": (
                "Declared",
                "declared",
            ),
            "ilk.read.pages.extraction": (
                "Begun",
                "Pages",
                "ahead",
                "begin",
                "extracting",
            ),
            "ilk.read.reading": (
                "Reads",
                "reads",
            ),
            "ilk.read.rows": (
                "DataSet",
                "open_any",
            ),
            "ilk.read.rows.arrow": ("ArrowRows",),
            "ilk.read.rows.chosen": (
                "Chosen",
                "everything",
            ),
            "ilk.read.rows.kinds": (
                "JSON_LINES",
                "PARQUET",
            ),
            "ilk.read.rows.plugins": ("Opener",),
            "ilk.read.rows.signature": ("Stamp",),
            "ilk.read.rows.sources": (
                "Counts",
                "Names",
                "Part",
                "Rejected",
                "Source",
                "Tell",
                "Writer",
            ),
            "ilk.read.rows.streams": ("bare",),
            "ilk.read.rows.writers": (
                "BytesWriter",
                "CODECS",
            ),
            "ilk.read:": ("read",),
        },
    )
