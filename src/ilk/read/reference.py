"""A reference: the documents that others are compared with, and that stay (``against``).

An answer of "nothing found" is only true if the reference was read. So each of its paths must give
a text, and none of its files may be one of the documents that are compared with it.
"""

from __future__ import annotations

import glob
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from ilk.base.errors import ColumnTypeError, NothingRead, OptionError
from ilk.read.documents import find_existing_files
from ilk.read.files.content import source_name
from ilk.read.files.walk import STDIN
from ilk.read.reading import Reading
from ilk.read.report import ReadReport
from ilk.read.rows.table_sources import paths_or_none_if_texts

#: What follows the name of a path in the name of a document in it: of a folder, a file of rows or
#: messages, an archive.
_BOUNDS = ("/", "#", "!/")


class StoredTexts(NamedTuple):
    """Documents of a store that were read as a reference.

    Attributes:
        names: of the documents: the source that each was stored with, or the store with its number.
        table: the ``id`` and the ``text`` of each, and its values in the columns that make groups.
        bytes_digests: of the bytes that each was read from; null if they are those of its text.
        numbers: their numbers in the store.
        generation: of the store, which each change of it makes one greater.
    """

    names: pa.StringArray
    table: pa.Table
    bytes_digests: pa.Array
    numbers: Sequence[int]
    generation: int


class ReferenceCheck:
    """The paths of a reference that have given no text yet; empty for one in memory."""

    def __init__(
        self, reference: Any, source: Any, reading: Reading, *, text_option: str = "text"
    ) -> None:
        """Read nothing yet. ``text_option`` is the option that names the column of its texts.

        Raises:
            OptionError: a file is in both the reference and the source.
        """
        paths = None if isinstance(reference, StoredTexts) else paths_or_none_if_texts(reference)
        self._paths = [os.fsdecode(path) for path in paths or ()]
        self._silent = self._paths
        self._in_memory = paths is None
        self._text_option = text_option
        self._documents = self._texts = 0
        _refuse_shared_files(self._silent, paths_or_none_if_texts(source) or (), reading)

    def replace_text_option(self, message: str) -> str:
        """Return a message about columns with the option that names those of the reference."""
        return message.replace("`text`", f"`{self._text_option}`")

    @contextmanager
    def named_in_column_errors(self) -> Iterator[None]:
        """Say of an error about columns that they are those of the reference."""
        try:
            yield
        except ColumnTypeError as error:
            message = self.replace_text_option(str(error))
            if self._text_option == "text":
                message = (
                    f"in the reference (`against`): {message} Both sides are read by the same "
                    "names; if one has another name, rename its column."
                )
            raise type(error)(message) from error

    def record_documents(self, sources: pa.Array, texts: pa.Array) -> None:
        """Count documents, and note the paths that some of their texts are from."""
        if self._texts and not self._silent:
            return  # Nothing more to learn: texts need not be looked at.
        filled = pc.fill_null(pc.not_equal(pc.utf8_trim_whitespace(texts), ""), False)
        self.record_sources_with_text(len(texts), sources.filter(filled))

    def record_sources_with_text(
        self, document_count: int, sources_with_text: pa.Array | pa.ChunkedArray
    ) -> None:
        """Count documents, and note the paths that those with a text are from."""
        self._documents += document_count
        self._texts += len(sources_with_text)
        self._silent = [
            path for path in self._silent if not _has_documents_from(path, sources_with_text)
        ]

    def end_reference_or_refuse_silent_paths(self, tally: ReadReport) -> None:
        """Note in the tally that the documents of the reference end here; refuse to continue if a
        path gave no text.

        A reference in memory that is empty is as its owner wants it; if it has rows, one of them
        must have a text.

        Raises:
            NothingRead: a path gave no text, or no row in memory has one.
        """
        if self._in_memory and self._documents and not self._texts:
            raise NothingRead(
                f"none of the {self._documents:,} rows of the reference (`against`) has a text."
            )
        tally.failures = [
            one._replace(reason=self.replace_text_option(one.reason)) for one in tally.failures
        ]
        tally.end_reference()
        for path in self._silent:
            if self._texts and not os.path.lexists(path):
                continue  # The rows of a glob or an address have names of their own.
            if any(
                _paths_overlap(path, other) for other in self._paths if other not in self._silent
            ):
                continue  # Its files were read under the other name.
            why = "; ".join(_why_no_text(path, tally)).removesuffix(".")
            raise NothingRead(
                f"no text was read of the reference {path} (`against`), so nothing could be "
                f"compared with it: {why}."
            )


def _has_documents_from(path: str, sources: pa.Array | pa.ChunkedArray) -> bool:
    """Return whether some documents are of a path, by their names."""
    name = source_name(path).rstrip("/")
    if path == STDIN:
        return len(sources) > 0
    found = pc.equal(sources, name)
    for bound in _BOUNDS:
        found = pc.or_(found, pc.starts_with(sources, name + bound))
    return bool(pc.any(found).as_py())


def _why_no_text(path: str, tally: ReadReport) -> Iterator[str]:
    """Yield why a path gave no text."""
    name = source_name(path).rstrip("/")
    inside = tuple(name + bound for bound in _BOUNDS)
    failures = [
        failure
        for failure in tally.failures
        if failure.source == name or failure.source.startswith((*inside, f"{name}:"))
    ]
    if failures:
        source, reason = failures[0]
        yield reason if source == name or source in reason else f"{source} {reason}"
    elif source_name(path) in tally.empty:
        yield "there is no file in it"
    else:
        phrases = [
            *tally.advice(),
            *tally.describe_sources_not_compared(),
            *tally.doubt_text_column_if_mostly_numbers(),
        ]
        yield from phrases or ["it has no row or document with a text"]


def _refuse_shared_files(paths: Sequence[str], sources: Sequence[Any], reading: Reading) -> None:
    """Refuse files that are in both: each would be called a copy of itself."""
    own = [name for other in sources for name in _expand_to_existing_paths(os.fsdecode(other))]
    paths = [name for path in paths for name in _expand_to_existing_paths(path)]
    if not any(_paths_overlap(path, other) for path in paths for other in own):
        return
    here = {os.path.realpath(file) for file in find_existing_files(paths, reading) if file != STDIN}
    shared = [file for file in find_existing_files(own, reading) if os.path.realpath(file) in here]
    if shared:
        which = f"{shared[0]} is"
        if len(shared) > 1:
            which = f"{len(shared):,} files, such as {shared[0]}, are"
        raise OptionError(
            f"{which} in the reference (`against`) too; a file is not compared with itself. Name "
            "each file on one side only (`exclude` leaves files of folders out), or leave out "
            "`against`: the documents of one collection are compared with each other."
        )


def _expand_to_existing_paths(path: str) -> list[str]:
    """Return the paths on this machine that a path or a glob stands for."""
    return [path] if os.path.lexists(path) else glob.glob(path, recursive=True)


def _paths_overlap(path: str, other: str) -> bool:
    """Return whether one path is the other, or is below it."""
    one, two = os.path.realpath(path), os.path.realpath(other)
    return os.path.commonpath([one, two]) in (one, two)
