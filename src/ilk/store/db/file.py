"""The file of a store: SQLite in WAL mode, its tables, its transactions.

``docs/reference/store-format.md`` describes it. Acknowledged changes are on disk
(``synchronous=FULL``).
"""

from __future__ import annotations

import contextlib
import os
import shutil
import sqlite3
import tempfile
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path

from ilk.base.errors import (
    OptionError,
    OutputError,
    RecipeMismatch,
    SourceNotFound,
    StoreDamaged,
    StoreError,
    StoreFormatError,
    StoreLocked,
)
from ilk.base.stores import APPLICATION_ID
from ilk.search.programs import AsCode
from ilk.store.db import lookups, settings
from ilk.store.db.settings import Settings, WantedSettings

#: What distinguishes a store from other SQLite files: "ilk" and a zero.
APPLICATION = int.from_bytes(APPLICATION_ID)

#: The version of the file format.
VERSION = 6

#: Seconds that a writer waits for another one.
TIMEOUT = 60.0


#: What makes the tables of a store.
TABLES = f"""
CREATE TABLE settings (name TEXT PRIMARY KEY, value, checksum INTEGER) WITHOUT ROWID;
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
CREATE TABLE evidence (
    id INTEGER PRIMARY KEY,
    words INTEGER NOT NULL,
    wide INTEGER NOT NULL,
    word_shingles BLOB NOT NULL,
    character_shingles BLOB,
    masked_digest BLOB,
    checksum INTEGER NOT NULL,
    length INTEGER
);
CREATE TABLE texts (id INTEGER PRIMARY KEY, text BLOB NOT NULL, checksum INTEGER NOT NULL);
CREATE TABLE segments (
    number INTEGER PRIMARY KEY,
    changed INTEGER NOT NULL,
    checksum INTEGER NOT NULL,
    places BLOB NOT NULL,
    entries BLOB NOT NULL
);
CREATE TABLE runs (
    number INTEGER PRIMARY KEY,
    part TEXT NOT NULL,
    bits INTEGER NOT NULL,
    postings INTEGER NOT NULL,
    goes_into INTEGER,
    bound INTEGER NOT NULL,
    checksum INTEGER NOT NULL
);
CREATE TABLE postings (
    place INTEGER PRIMARY KEY,
    checksum INTEGER NOT NULL,
    entries BLOB NOT NULL
);
CREATE TABLE orders (
    part TEXT PRIMARY KEY,
    made INTEGER NOT NULL,
    documents INTEGER NOT NULL,
    counts BLOB NOT NULL,
    checksum INTEGER NOT NULL
) WITHOUT ROWID;
CREATE TABLE files (
    path TEXT NOT NULL,
    size INTEGER NOT NULL,
    modified INTEGER NOT NULL,
    inode INTEGER NOT NULL,
    extract TEXT NOT NULL,
    document INTEGER NOT NULL,
    checksum INTEGER NOT NULL
);
CREATE TABLE history (
    number INTEGER PRIMARY KEY,
    document INTEGER NOT NULL,
    name TEXT,
    what TEXT NOT NULL,
    moment INTEGER NOT NULL,
    digest BLOB,
    resemblance REAL,
    checksum INTEGER NOT NULL
);
{lookups.STATEMENTS};
"""


def open_or_create_file_unchecked(
    path: Path,
    *,
    create_if_missing: bool,
    timeout_seconds: float,
    settings_if_created: WantedSettings | None = None,
) -> sqlite3.Connection:
    """Return a connection to the file, which is created if allowed: as a store with the settings
    that are wanted, or else empty.

    Args:
        timeout_seconds: how long a writer waits for another one.
    """
    if not os.path.exists(path):  # Path.exists raises if a name is too long.
        if not create_if_missing:
            raise SourceNotFound(
                f"there is no store {str(path)!r} (seen from {os.getcwd()!r}); "
                "make one: ilk store add STORE PATH"
            )
        if not os.path.isdir(path.parent):
            raise OutputError(f"cannot make {path}: there is no folder {path.parent}.")
        if os.path.isfile(log := f"{path}-wal") and os.path.getsize(log):  # SQLite would empty it.
            raise OutputError(
                f"cannot make {path}: {log} is of a store that was here; move it too."
            )
        if settings_if_created is not None:
            _make_empty_store_if_possible(
                path, settings.check_and_complete_settings(settings_if_created)
            )
    if os.path.isdir(path):
        raise StoreFormatError(f"{path} is a folder; name a file: {path / 'documents.ilk'}.")
    for end in ("", "-journal", "-wal", "-shm"):
        beside = f"{path}{end}"
        # SQLite would wait for a pipe without end.
        if os.path.exists(beside) and not os.path.isfile(beside):
            raise StoreFormatError(f"{beside} is not a file, as a store needs it: move it away.")
    with translate_errors(path):
        connection = sqlite3.connect(
            path, timeout=timeout_seconds, isolation_level=None, check_same_thread=False
        )
        connection.execute("PRAGMA cell_size_check = ON")
        connection.execute("PRAGMA synchronous = FULL")
    return connection


def _make_empty_store_if_possible(path: Path, new_settings: Settings) -> None:
    """Make an empty store that appears complete, or not at all, whatever ends this process; nothing
    if another process is first, or a folder cannot be written, or has no links.
    """
    with (
        contextlib.suppress(OSError, sqlite3.Error),
        tempfile.TemporaryDirectory(prefix=".ilk.", dir=path.parent) as folder,
    ):
        whole = Path(folder, "new.ilk")
        with contextlib.closing(sqlite3.connect(whole, isolation_level=None)) as connection:
            make_tables_and_settings_if_missing(connection, new_settings)
        os.link(whole, path)  # Unlike a rename, it replaces nothing.


def read_or_make_settings(
    connection: sqlite3.Connection,
    path: Path,
    wanted_settings: WantedSettings,
    *,
    make_if_empty: bool,
) -> Settings:
    """Return the settings of an open file; an empty one becomes a store with those that are
    wanted, if allowed.

    Raises:
        StoreFormatError: the file is no store, or has another format; or it is empty.
        RecipeMismatch, OptionError: it was made with other settings than are wanted.
    """
    with translate_errors(path):
        _refuse_other_version_or_sqlite_file(connection, path)
        if not _is_marked_as_store(connection):
            if not make_if_empty:
                raise StoreFormatError(f"{path} is empty, and no store yet.")
            make_tables_and_settings_if_missing(
                connection, settings.check_and_complete_settings(wanted_settings)
            )
        stored_settings = settings.read_settings_and_check_counters(connection)
    names = ("exact", "noise", "ignore", "by", "base", "within", "as_")
    refused = {"recipe": RecipeMismatch, **dict.fromkeys(names, OptionError)}
    for attribute, error in refused.items():
        has, asked = getattr(stored_settings, attribute), getattr(wanted_settings, attribute)
        if asked not in (None, has):
            name = {"base": "ignore_text", "as_": "as"}.get(attribute, attribute)
            with_ = f"without {name}" if has in (None, ()) else f"with {name}={format_setting(has)}"
            raise error(
                f"{path} was made {with_}, not with {name}={format_setting(asked)}. Open it "
                "without the option, or add its documents to a store of the other kind: with "
                "their texts, by `ilk store export` and `import`."
            )
    return stored_settings


def format_setting(value: object) -> str:
    """Return the value of a setting as a message names it."""
    if isinstance(value, tuple):
        return ",".join(value) or "nothing"
    if isinstance(value, AsCode):
        return value.identity
    return f"{float(value):g}" if isinstance(value, Fraction) else str(value)


def _is_marked_as_store(connection: sqlite3.Connection) -> bool:
    (application,) = connection.execute("PRAGMA application_id").fetchone()
    return bool(application == APPLICATION)


def _refuse_other_version_or_sqlite_file(connection: sqlite3.Connection, path: Path) -> None:
    """Refuse a store of another version, and any other SQLite file that is not empty."""
    is_store = _is_marked_as_store(connection)
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    if is_store and version != VERSION:
        raise StoreFormatError(
            f"{path} is a store of format {version}; this ilk reads format {VERSION}. "
            f"Open it with {'a newer ilk' if version > VERSION else 'the ilk that made it'}."
        )
    if not is_store and connection.execute("SELECT 1 FROM sqlite_schema").fetchone():
        raise StoreFormatError(f"{path} is a SQLite file, but not a store. Name another file.")


def make_tables_and_settings_if_missing(
    connection: sqlite3.Connection, new_settings: Settings
) -> None:
    """Make the tables of a new store with these settings, unless another process has."""
    # Outside of the transaction: SQLite changes the mode only there.
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("BEGIN IMMEDIATE")
    if connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()[0]:
        # Another process has created it while this one waited.
        connection.execute("ROLLBACK")
        return
    for statement in TABLES.split(";\n"):
        connection.execute(statement)
    settings.write_settings_and_zero_counters(connection, new_settings)
    connection.execute(f"PRAGMA application_id = {APPLICATION}")
    connection.execute(f"PRAGMA user_version = {VERSION}")
    connection.execute("COMMIT")
    # Who looks only at the beginning of the file finds that it is a store, while it is open too.
    connection.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchall()


def remove_store_if_unused(path: Path) -> None:
    """Remove a store that was never written to, unless another process has it open; a failure is
    ignored.
    """
    with (
        contextlib.suppress(sqlite3.Error, StoreError, OSError),
        contextlib.closing(sqlite3.connect(path, timeout=0, isolation_level=None)) as connection,
    ):
        # The first question fails if another process has it open, and then keeps others out.
        connection.execute("PRAGMA locking_mode = EXCLUSIVE")
        (made,) = connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()
        if made and settings.read_counter(connection, "generation"):
            return
        with contextlib.suppress(sqlite3.Error):  # The disk may be full.
            connection.execute("PRAGMA journal_mode = DELETE")
        # The file last: without it, a log that is left would belong to whatever store is made
        # there.
        for end in ("-wal", "-shm", ""):
            Path(f"{path}{end}").unlink(missing_ok=True)


def find_damage_of_schema_and_header_versions(
    connection: sqlite3.Connection, path: Path
) -> Iterator[str]:
    """Yield what is wrong with the descriptions of tables and indexes, and with the versions of
    SQLite that may write to the file; SQLite has no checksums of these.
    """
    with contextlib.closing(sqlite3.connect(":memory:")) as new_store:
        new_store.executescript(TABLES)
        query = "SELECT name, sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY name"
        schema, expected = (each.execute(query).fetchall() for each in (connection, new_store))
    if schema != expected:
        yield "the tables of the file are not as they were made: restore a backup."
    with path.open("rb") as stream:
        if stream.read(20)[18:] != b"\2\2":
            yield "the head of the file is damaged: nothing can be stored."


def copy_to_new_file(connection: sqlite3.Connection, permissions_of: Path, path: Path) -> None:
    """Copy an open file to a new one, which appears complete or not at all.

    Raises:
        OutputError: the new file exists already, or cannot be written.
    """
    if there := [name for name in (f"{path}", f"{path}-wal") if os.path.exists(name)]:
        raise OutputError(f"cannot write {path}: {there[0]} already exists. Choose another name.")
    try:
        with tempfile.TemporaryDirectory(prefix=".ilk.", dir=path.parent) as folder:
            temporary = Path(folder, "copy")
            with contextlib.closing(sqlite3.connect(temporary)) as copy:
                connection.backup(copy)
            shutil.copymode(permissions_of, temporary)
            temporary.replace(path)
    except sqlite3.Error as error:
        raise _translate_error(error, path) from error
    except OSError as error:
        raise OutputError(f"cannot write {path}: {error.strerror or error}.") from error


@contextlib.contextmanager
def translate_errors(path: Path) -> Iterator[None]:
    """Raise SQLite's errors as errors of the store, with what to do."""
    try:
        yield
    except (sqlite3.Error, UnicodeDecodeError) as error:
        raise _translate_error(error, path) from error


def _translate_error(
    error: sqlite3.Error | UnicodeDecodeError, path: Path
) -> StoreError | OutputError:
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF
    if code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
        return StoreLocked(
            f"{path}: another process is writing and did not finish in time. Try again, or wait "
            "longer (timeout)."
        )
    if code == sqlite3.SQLITE_NOTADB:
        return StoreFormatError(f"{path} is not a store, or its first page is damaged.")
    # The file, or SQLite's message about it, contains bytes that are not text.
    if code == sqlite3.SQLITE_CORRUPT or "decode" in str(error):
        return StoreDamaged(
            f"{path} is damaged: {error}. `ilk store validate` shows where; restore a backup."
        )
    if code in (sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR):
        return OutputError(
            f"cannot write {path}: {error}. This call stored nothing; what was acknowledged before "
            "is safe. Free some space and try again."
        )
    if code in (sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM):
        hint = "" if os.access(path.parent, os.W_OK) else " A store needs a folder to write in."
        return OutputError(f"cannot open or write {path}: {error}.{hint}")
    return StoreError(f"{path}: {error}.")
