"""An open store: the file, its settings and the index, changed together or not at all."""

from __future__ import annotations

import contextlib
import gc
import os
import sqlite3
import threading
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path

from ilk.base.errors import IlkError, StoreError
from ilk.base.whole import identify_existing_files
from ilk.fingerprints.texts import FingerprintWay, make_fingerprint_way
from ilk.store.db import file
from ilk.store.db.settings import Settings, read_counter, write_setting_or_counter
from ilk.store.index import CandidateIndex

#: The threshold of the garbage collector while a store is written, in objects made and not freed.
_BETWEEN_LOOKS = 1_000_000

#: The thresholds before that.
_before = gc.get_threshold()


@contextlib.contextmanager
def collect_garbage_seldom() -> Iterator[None]:
    """Raise the threshold of the garbage collector.

    While documents were added, collections took a quarter of the time, and rows are not garbage.
    """
    global _before
    now = gc.get_threshold()
    _before = _before if now[0] == _BETWEEN_LOOKS else now
    gc.set_threshold(_BETWEEN_LOOKS, *now[1:])
    try:
        yield
    finally:
        gc.set_threshold(*_before)  # Other threads that still add rows only become slower.


class OpenedStore:
    """The state that the modules of a store share.

    Attributes:
        path: the file's name.
        settings: the settings of the store.
        jobs: threads that make fingerprints and shingle sets, and join them.
        connection: to the file; used inside its transactions.
        index: the index in memory.
    """

    def __init__(
        self, path: Path, connection: sqlite3.Connection, settings: Settings, jobs: int
    ) -> None:
        self.path = path
        self._place = os.path.abspath(path)
        self._file = identify_existing_files([self._place])
        self.settings = settings
        self.jobs = jobs
        self.connection = connection
        self.index = CandidateIndex(connection, settings, jobs)
        self._lock = threading.RLock()
        self._unusable: str | None = None

    @property
    def cache_folder(self) -> Path:
        """The folder beside it that caches texts of documents."""
        return self.path.with_name(self.path.name + ".texts")

    @cached_property
    def fingerprint_way(self) -> FingerprintWay:
        """The way from a text to its fingerprint.

        Raises:
            RecipeError: the recipe names a table or a key that was not given.
        """
        return make_fingerprint_way(self.settings.recipe)

    @contextlib.contextmanager
    def read_transaction(self) -> Iterator[None]:
        """Open a transaction in which the file stays as it is at the first read; the index may be
        behind it.
        """
        with self._lock, self._transaction_rolled_back_unless_committed("BEGIN"):
            yield

    @contextlib.contextmanager
    def read_transaction_with_index(self) -> Iterator[None]:
        """Open the same with the index, in step with the file."""
        with self.read_transaction():
            self.index.read_changes_of_other_processes()
            yield

    @contextlib.contextmanager
    def write_transaction(self) -> Iterator[None]:
        """Open a transaction that is on disk completely when it ends, or not at all."""
        with (
            self._lock,
            collect_garbage_seldom(),
            self._transaction_rolled_back_unless_committed("BEGIN IMMEDIATE"),
        ):
            # Reading needs few pages at a time, and 2 MB is SQLite's own choice.
            self.connection.execute("PRAGMA cache_size = -16384")
            generation = read_counter(self.connection, "generation") + 1
            self.index.read_changes_and_begin_generation(next_generation=generation)
            try:
                write_setting_or_counter(self.connection, "generation", generation)
                yield
                # Before the commit: what is written to a file that nobody will open again must not
                # be acknowledged.
                if not self._file or identify_existing_files([self._place]) != self._file:
                    raise StoreError(f"{self.path} was moved, removed or replaced; open it again.")
                self.connection.execute("COMMIT")
            except BaseException:
                self.index.undo_generation_in_memory()
                raise

    @contextlib.contextmanager
    def _transaction_rolled_back_unless_committed(self, begin: str) -> Iterator[None]:
        if self._unusable is not None:
            raise StoreError(f"{self.path}: {self._unusable}")
        with file.translate_errors(self.path):
            try:
                self.connection.execute(begin)
                yield
            except BaseException as error:
                known = IlkError | sqlite3.Error | UnicodeDecodeError
                if not isinstance(error, known | MemoryError | KeyboardInterrupt):
                    self._unusable = (
                        f"an internal error occurred ({error!r}). Everything acknowledged is in "
                        "the file. Open the store again, and please report the error."
                    )
                raise
            finally:
                # Whatever was not committed by now is undone, or was only read.
                if self.connection.in_transaction:
                    self.connection.execute("ROLLBACK")

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            self._unusable = "the store is closed. Open it again: ilk.Store(path)."
            self.index.drop_cached_indexes()
            self.connection.close()
