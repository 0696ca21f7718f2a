"""The file of a store: SQLite in WAL mode, its tables, its settings, its transactions.

``docs/reference/store-format.md`` describes it. What is acknowledged is on disk
(``synchronous=FULL``). There is no B-tree on random keys in the way of an insertion: the indexes
are partial, and hold only the rows that are copies, members or without a fingerprint.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import sqlite3
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

from ilk.errors import (
    OptionError,
    OutputError,
    RecipeError,
    RecipeMismatch,
    SourceNotFound,
    StoreDamaged,
    StoreError,
    StoreFormatError,
    StoreLocked,
)
from ilk.options.table import checked
from ilk.recipes.recipe import Recipe
from ilk.search import recall_model
from ilk.search.planning import radius_for

#: What tells a store from other SQLite files: "ilk" and a zero.
APPLICATION = int.from_bytes(b"ilk\0")

#: The version of the file format.
VERSION = 1

#: How a store fingerprints, if nothing else is said: 128 bits nominate far fewer strangers than 64
#: at the same recall.
RECIPE = Recipe(bits=128)

#: The share of the near-duplicates that shall be nominated; 128 bits of MinHash reach it within 20
#: bits (``ilk.search.recall_model``).
RECALL = 0.997

#: Seconds that a writer waits for another one.
TIMEOUT = 60.0

_TABLES = """
CREATE TABLE settings (name TEXT PRIMARY KEY, value) WITHOUT ROWID;
CREATE TABLE documents (
    id INTEGER PRIMARY KEY,
    source TEXT,
    title TEXT,
    metadata TEXT,
    bytes_digest BLOB,
    digest BLOB,
    fingerprint,
    reason TEXT,
    copy_of INTEGER,
    keeper INTEGER,
    duplicate_of INTEGER,
    added INTEGER NOT NULL,
    updated INTEGER NOT NULL,
    checksum INTEGER NOT NULL
);
CREATE INDEX unprinted ON documents (digest)
    WHERE fingerprint IS NULL AND copy_of IS NULL AND digest IS NOT NULL;
CREATE INDEX copies ON documents (copy_of, bytes_digest) WHERE copy_of IS NOT NULL;
CREATE INDEX members ON documents (keeper) WHERE keeper IS NOT NULL;
CREATE INDEX links ON documents (duplicate_of) WHERE duplicate_of IS NOT NULL;
CREATE TABLE evidence (
    id INTEGER PRIMARY KEY,
    words INTEGER NOT NULL,
    wide INTEGER NOT NULL,
    word_shingles BLOB NOT NULL,
    character_shingles BLOB,
    masked_digest BLOB,
    checksum INTEGER NOT NULL
);
CREATE TABLE texts (id INTEGER PRIMARY KEY, text BLOB NOT NULL);
CREATE TABLE segments (
    number INTEGER PRIMARY KEY,
    changed INTEGER NOT NULL,
    checksum INTEGER NOT NULL,
    ids BLOB NOT NULL,
    fingerprints BLOB NOT NULL
);
CREATE TABLE files (
    path TEXT PRIMARY KEY,
    document INTEGER NOT NULL,
    size INTEGER NOT NULL,
    modified INTEGER NOT NULL,
    inode INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX documents_files ON files (document);
"""


@dataclass(frozen=True, slots=True)
class Settings:
    """What was decided when a store was made.

    Attributes:
        recipe: how its fingerprints are made.
        radius: the bits within which candidates are looked for.
        resemblance: the least resemblance of near-duplicates, which form clusters.
        shingle: words per shingle.
        texts: whether the texts are kept.
        exact: whether near-duplicates are looked for by their shingles, and none is missed, instead
            of by their fingerprints.
    """

    recipe: Recipe
    radius: int
    resemblance: Fraction
    shingle: int
    texts: bool
    exact: bool

    @classmethod
    def chosen(
        cls,
        recipe: Recipe | None,
        resemblance: str | float | None,
        shingle: int | None,
        texts: bool | None,
        exact: bool | None,
    ) -> Settings:
        """The settings of a store to be made; what is None is decided here.

        Raises:
            OptionError: one is out of bounds.
        """
        recipe = recipe or RECIPE
        least, width = checked("resemblance", resemblance), checked("shingle", shingle)
        radius = radius_for(recipe, float(least), width, RECALL)
        return cls(recipe, radius, least, width, bool(texts), bool(exact))

    @property
    def within(self) -> int | None:
        """The bits within which near-duplicates are looked for; None where it is not by bits."""
        return None if self.exact else self.radius

    @property
    def recall(self) -> float:
        """The share of the near-duplicates that are expected to be found."""
        if self.exact:
            return 1.0
        return recall_model.recall(self.recipe, float(self.resemblance), self.shingle, self.radius)


def connect(path: Path, *, create: bool, timeout: float) -> sqlite3.Connection:
    """A connection to the file, which is made if it may be.

    Raises:
        SourceNotFound: there is no such file, and none may be made.
        OutputError: none can be made there.
    """
    if not path.exists():
        if not create:
            raise SourceNotFound(
                f"there is no store {str(path)!r} (seen from {os.getcwd()!r}); "
                "make one: ilk store add STORE PATH"
            )
        if not path.parent.is_dir():
            raise OutputError(f"cannot make {path}: there is no folder {path.parent}.")
    if path.is_dir():
        raise StoreFormatError(f"{path} is a folder; name a file: {path / 'documents.ilk'}.")
    with translated(path):
        connection = sqlite3.connect(
            path, timeout=timeout, isolation_level=None, check_same_thread=False
        )
        connection.execute("PRAGMA cache_size = -65536")
        connection.execute("PRAGMA synchronous = FULL")
    return connection


def settle(
    connection: sqlite3.Connection,
    path: Path,
    settings: Settings,
    *,
    recipe_given: bool,
    exact_given: bool,
) -> Settings:
    """The settings of an open file; an empty one takes those it is given.

    Args:
        connection: to the file.
        path: its name, for messages.
        settings: what a new store is to have.
        recipe_given: whether its recipe was asked for, so that another one is an error.
        exact_given: the same of how it looks for near-duplicates.

    Raises:
        StoreFormatError: it is not a store, or one of a newer format.
        RecipeMismatch: it has another recipe than was asked for.
        OptionError: it looks for near-duplicates in the other way.
    """
    with translated(path):
        if not _is_store(connection, path):
            _make(connection, settings)
        found = dict(connection.execute("SELECT name, value FROM settings"))
    try:
        recipe = Recipe.parse(found["recipe"])
    except RecipeError as error:
        raise StoreFormatError(f"{path}: {error}") from error
    if recipe_given and recipe != settings.recipe:
        raise RecipeMismatch(
            f"{path} has fingerprints of {str(recipe)!r}, not of {str(settings.recipe)!r}. Open it "
            "without a recipe, or export it and import it into a store of the other recipe."
        )
    exact = bool(found.get("exact", 0))
    if exact_given and exact != settings.exact:
        raise OptionError(
            f"{path} was made with exact={exact}, not with {settings.exact}. Open it without the "
            "option, or export it and import it into a store of the other kind."
        )
    return Settings(
        recipe,
        int(found["radius"]),
        Fraction(found["resemblance"]),
        int(found["shingle"]),
        bool(found["texts"]),
        exact,
    )


def _is_store(connection: sqlite3.Connection, path: Path) -> bool:
    """Whether the file is a store; if it is not, it is empty."""
    (application,) = connection.execute("PRAGMA application_id").fetchone()
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    if application == APPLICATION and version > VERSION:
        raise StoreFormatError(
            f"{path} is a store of format {version}; this ilk knows formats up to {VERSION}. "
            "Open it with a newer ilk."
        )
    if application == APPLICATION:
        return True
    if connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()[0]:
        raise StoreFormatError(f"{path} is a SQLite file, but not a store. Name another file.")
    return False


def _make(connection: sqlite3.Connection, settings: Settings) -> None:
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("BEGIN IMMEDIATE")
    if connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()[0]:
        # Another process has made it while this one waited.
        connection.execute("ROLLBACK")
        return
    for statement in _TABLES.split(";\n"):
        connection.execute(statement)
    rows = {
        "recipe": str(settings.recipe),
        "radius": settings.radius,
        "resemblance": str(settings.resemblance),
        "shingle": settings.shingle,
        "texts": int(settings.texts),
        "generation": 0,
        "next_id": 0,
        "documents": 0,
    }
    if settings.exact:
        rows["exact"] = 1
    connection.executemany("INSERT INTO settings VALUES (?, ?)", rows.items())
    connection.execute(f"PRAGMA application_id = {APPLICATION}")
    connection.execute(f"PRAGMA user_version = {VERSION}")
    connection.execute("COMMIT")


def backup(connection: sqlite3.Connection, own: Path, path: Path) -> None:
    """Copy an open file to one that is not there yet, and appears whole or not at all.

    Args:
        connection: to the file.
        own: its name.
        path: that of the copy.

    Raises:
        OutputError: there is a file of that name, or it cannot be written.
    """
    if path.exists():
        raise OutputError(f"cannot write {path}: there is a file already. Choose another name.")
    try:
        handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
        os.close(handle)
        try:
            with translated(path), contextlib.closing(sqlite3.connect(temporary)) as copy:
                connection.backup(copy)
            shutil.copymode(own, temporary)
            Path(temporary).replace(path)
        finally:
            Path(temporary).unlink(missing_ok=True)
    except OSError as error:
        raise OutputError(f"cannot write {path}: {error.strerror or error}.") from error


def number(connection: sqlite3.Connection, name: str) -> int:
    """A setting that counts."""
    row = connection.execute("SELECT value FROM settings WHERE name = ?", (name,)).fetchone()
    return int(row[0])


def set_number(connection: sqlite3.Connection, name: str, value: int) -> None:
    """Change a setting that counts."""
    connection.execute("UPDATE settings SET value = ? WHERE name = ?", (value, name))


def count(connection: sqlite3.Connection, more: int) -> None:
    """Count documents that came, or went."""
    set_number(connection, "documents", number(connection, "documents") + more)


@contextlib.contextmanager
def translated(path: Path) -> Iterator[None]:
    """SQLite's errors as errors of the store, with what to do."""
    try:
        yield
    except sqlite3.Error as error:
        raise _translated(error, path) from error


def _translated(error: sqlite3.Error, path: Path) -> StoreError | OutputError:
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF
    if code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
        return StoreLocked(
            f"{path}: another process is writing and did not end in time. Try again, or wait "
            "longer (timeout)."
        )
    if code == sqlite3.SQLITE_NOTADB:
        return StoreFormatError(f"{path} is not a store, or its first page is damaged.")
    if code == sqlite3.SQLITE_CORRUPT:
        return StoreDamaged(
            f"{path} is damaged: {error}. `ilk store validate` names what; go back to a backup, or "
            "export what can be read."
        )
    if code in (sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR):
        return OutputError(
            f"cannot write {path}: {error}. Nothing of this call was stored; what was acknowledged "
            "before is safe. Make room and try again."
        )
    if code in (sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM):
        return OutputError(f"cannot open or write {path}: {error}.")
    return StoreError(f"{path}: {error}.")
