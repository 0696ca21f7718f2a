"""A store as a whole: opened and closed, kept in step, copied, exchanged, looked after."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ilk.options.table import default
from ilk.readers import Progress, Reading, Tally
from ilk.readers.formats.limits import Limits
from ilk.store import counting, exchange, sync, validation
from ilk.store.db import file
from ilk.store.db.settings import Settings
from ilk.store.opened import Opened
from ilk.store.sync import Synced
from ilk.store.validation import Validated
from ilk.system.closing import Closing
from ilk.system.progress import followed, teller


class Maintained(Closing):
    """What is done with all of a store; ``Store`` does it with some of its documents."""

    def __init__(self, opened: Opened) -> None:
        """Take over what was opened."""
        self._opened = opened

    @property
    def path(self) -> Path:
        """The file."""
        return self._opened.path

    @property
    def cache(self) -> Path:
        """The folder beside the file that keeps the texts made of documents that are no plain text.

        It is made with the first of them, and may be removed at any time.
        """
        return self._opened.cache

    @property
    def settings(self) -> Settings:
        """What the store was made for."""
        return self._opened.settings

    def close(self) -> None:
        """Let go of the file; closed twice is closed."""
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
        """Bring the store in step with a folder: add, change, rename and remove its documents.

        A file that looks as it did (size, time of change, inode) is not read, unless other options
        make texts in another way now; what is read and has the text it had is unchanged. Documents
        that came in another way stay as they are. What was taken over stays so if the call does not
        end.

        Args:
            folder: a folder, which is read recursively, or a file.
            include, exclude: globs that files must, and must not, match; a file that is left out
                has vanished.
            convert: by extension, the program that turns such a file into text.
            convert_timeout: the time limit in seconds for each of these programs, per file.
            extract: how text is made of files in HTML, as for ``ilk.find``.
            limits, cache, ocr, replies: what reading one document may take, where texts are kept
                (beside the store, unless a folder or ``none`` is named), what reads pages that are
                images, and whether quotations in messages stay, as for ``ilk.find``.
            tally: filled with what was read, and what could not be.
            progress: follows the files read; True draws a line on stderr.

        Raises:
            SourceNotFound: there is no such folder.
            OptionError: an option is out of bounds.
            MissingExtra: an extraction is asked for that is not installed.
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
        """Write every document to a file, whose name gives the format; how many they are.

        ``.parquet`` and ``.jsonl`` have all that is stored, and can be imported; ``.csv`` has
        neither texts nor shingles.

        Raises:
            OptionError: the name names no format.
            OutputError: the file cannot be written.
        """
        return exchange.export(self._opened, path)

    def import_(self, path: str | os.PathLike[str]) -> int:
        """Add the documents of an exported file, all or none; how many they are.

        They get ids of this store, in their order, and are compared as others that come in.

        Raises:
            StoreFormatError: the file is not what ``export`` writes.
            RecipeMismatch: it was exported from a store of another recipe.
            OptionError: the name gives no format that can be imported.
        """
        return exchange.import_(self._opened, path)

    def backup(self, path: str | os.PathLike[str]) -> None:
        """Copy the store to a file that is not there yet, while others read and write.

        Raises:
            OutputError: there is a file of that name, or it cannot be written.
        """
        with self._opened.reading():
            file.backup(self._opened.connection, self.path, Path(path))

    def validate(self, sample: int = 1000) -> Validated:
        """Look for damage: checksums of everything, what must agree, and a sample made again.

        Args:
            sample: how many members of clusters are measured, and texts fingerprinted, again.
        """
        with self._opened.looking():
            return validation.validate(self._opened, sample)

    def rebuild(self) -> None:
        """Make the packed fingerprints again from the rows of the documents."""
        with self._opened.writing():
            self._opened.nominator.rebuild()

    def stats(self) -> dict[str, Any]:
        """Return how much there is, and how it is compared."""
        with self._opened.reading():
            return counting.stats(self._opened)
