"""A store as a whole: opening, closing, synchronising, copying, exchanging, checking."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ilk.base.closing import Closing
from ilk.base.options import default
from ilk.base.progress import followed, teller
from ilk.read import Progress, Reading, Tally
from ilk.read.formats.limits import Limits
from ilk.store import counting, exchange, sync, validation
from ilk.store.db import file
from ilk.store.db.settings import Settings
from ilk.store.opened import Opened
from ilk.store.sync import Synced
from ilk.store.validation import Validated


class Maintained(Closing):
    """Operations on a whole store; ``Store`` adds those on documents."""

    def __init__(self, opened: Opened) -> None:
        """Take over an open file."""
        self._opened = opened

    @property
    def path(self) -> Path:
        """The file."""
        return self._opened.path

    @property
    def cache(self) -> Path:
        """The folder beside the file that caches the texts of documents that are not plain text.

        It is created with the first of them, and may be removed at any time.
        """
        return self._opened.cache

    @property
    def settings(self) -> Settings:
        """The settings of the store."""
        return self._opened.settings

    def close(self) -> None:
        """Close the file; closing it again does nothing."""
        self._opened.close()

    @followed
    def sync(
        self,
        folder: str | os.PathLike[str],
        *,
        include: Sequence[str] = (),
        exclude: Sequence[str] = (),
        convert: Mapping[str, Sequence[str]] | None = None,
        convert_timeout: float = default("convert_timeout"),
        extract: str = default("extract"),
        limits: Limits | None = None,
        cache: str | os.PathLike[str] | None = None,
        ocr: str | Sequence[str] | None = None,
        replies: str = default("replies"),
        tally: Tally | None = None,
        progress: Progress | bool | None = None,
    ) -> Synced:
        """Synchronise the store with a folder: add, change, rename and remove documents.

        A file that looks the same (size, time of change, inode) is not read, unless other options
        now extract text differently; a file that is read and has the same text is unchanged.
        Documents added in other ways stay as they are. If the call is interrupted, everything done
        so far is kept.

        Args:
            folder: a folder, which is read recursively, or a file.
            include, exclude: globs that files must, and must not, match; an excluded file counts as
                vanished.
            convert: by extension, the program that turns such a file into text.
            convert_timeout: the time limit in seconds for each of these programs, per file.
            extract: how to get the text of HTML files, as for ``ilk.find``.
            limits, cache, ocr, replies: as for ``ilk.find``; by default, ``cache`` is beside the
                store.
            tally: filled with what was read, and what could not be.
            progress: a function that follows the files read; True draws a line on stderr.

        Raises:
            SourceNotFound: there is no such folder.
            OptionError: an option is out of bounds.
            MissingExtra: the requested extraction is not installed.
        """
        return sync.sync(
            self._opened,
            folder,
            Reading.of(
                include=include,
                exclude=exclude,
                convert=convert,
                convert_timeout=convert_timeout,
                extract=extract,
                limits=limits,
                cache=cache,
                ocr=ocr,
                replies=replies,
            ),
            tally or Tally(),
            teller(progress),
        )

    def export(self, path: str | os.PathLike[str]) -> int:
        """Write every document to a file, whose name determines the format; return how many.

        ``.parquet`` and ``.jsonl`` have everything stored, and can be imported; ``.csv`` has
        neither texts nor shingles.

        Raises:
            OptionError: the name does not name a format.
            OutputError: the file cannot be written.
        """
        return exchange.export(self._opened, path)

    def import_(self, path: str | os.PathLike[str]) -> int:
        """Add the documents of an exported file, all or none; return how many.

        They get ids of this store, in their order, and are compared like other new documents.

        Raises:
            StoreFormatError: the file is not what ``export`` writes.
            RecipeMismatch: it was exported from a store of another recipe.
            OptionError: the name does not name a format that can be imported.
        """
        return exchange.import_(self._opened, path)

    def backup(self, path: str | os.PathLike[str]) -> None:
        """Copy the store to a new file, while others read and write.

        Raises:
            OutputError: the file already exists, or cannot be written.
        """
        with self._opened.reading():
            file.backup(self._opened.connection, self.path, Path(path))

    def validate(self, sample: int = 1000) -> Validated:
        """Look for damage: verify all checksums and references, and compute a sample again.

        Args:
            sample: how many members of clusters to measure, and texts to fingerprint, again.
        """
        with self._opened.looking():
            return validation.validate(self._opened, sample)

    def rebuild(self) -> None:
        """Make the packed fingerprints again from the rows of the documents."""
        with self._opened.writing():
            self._opened.nominator.rebuild()

    def stats(self) -> dict[str, Any]:
        """Return how much is stored, and how it is compared."""
        with self._opened.reading():
            return counting.stats(self._opened)
