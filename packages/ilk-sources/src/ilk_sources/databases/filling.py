"""Filling the column of fingerprints of an existing table from its texts."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from ilk import Recipe
from ilk.companions import check_recipe, fingerprint_texts, ignore_progress
from ilk.plugins import (
    OptionError,
    Progress,
    SourceNotFound,
    Step,
    accept_true_as_progress,
    expect_steps_if_meter,
)
from ilk_sources.databases.duckdb_table import DuckDBTable
from ilk_sources.databases.fillable_tables import SCHEMES, FillNames, SQLAlchemyTable, Table
from ilk_sources.databases.options import FILLING
from ilk_sources.databases.registration import refuse_wide_recipe


@dataclass(frozen=True, slots=True)
class Filled:
    """The result of a call.

    Attributes:
        filled: rows that got a fingerprint.
        without: rows whose text is too short for one, and that stay null.
    """

    filled: int
    without: int


@accept_true_as_progress
def fill(
    url: str,
    *,
    table: str,
    text: str,
    column: str,
    add_column: bool = False,
    recipe: Recipe | str | None = None,
    batch: int = FILLING["batch"].default,
    jobs: int | None = None,
    progress: Progress | bool | None = None,
) -> Filled:
    """Write a fingerprint to every row without one, batch by batch, and to no other column.

    Every batch is one transaction: if the work is interrupted, committed batches stay, and the same
    call fills the rest. Rows are locked from when their text is read until their fingerprint is
    written. The table ``ilk_recipes``, created if missing, keeps the recipe of every filled column.

    Args:
        url: ``postgresql://``, ``mysql://``, or the path of an SQLite or DuckDB file.
        table: a table with a primary key (SQLite and DuckDB number the rows of any).
        text: its column of texts.
        column: its column of fingerprints, a ``BIGINT`` that may be null; if its type is unsigned,
            the same 64 bits are stored as an unsigned number.
        add_column: whether to add that column if the table has none of this name; by default
            that is an error.
        recipe: how to make the fingerprints; ``Recipe()`` by default.
        batch: rows per transaction.
        jobs: threads; by default one per processor. The fingerprints do not depend on them.
        progress: a function that follows how many of these rows were processed; True draws a
            line on stderr.

    Raises:
        ColumnTypeError: a column holds something else.
        DatabaseError: the database cannot be opened, or refuses.
        MissingExtra: the driver of the server is not installed.
        OptionError: the URL, the batch or the width of the recipe is not allowed.
        RecipeMismatch: the column was filled by another recipe.
        SourceNotFound: there is no such file.
    """
    recipe = check_recipe(recipe)
    refuse_wide_recipe(recipe)
    batch = FILLING["batch"].check("batch", batch)
    rows_done = filled_rows = 0
    tell = progress if callable(progress) else ignore_progress
    expect_steps_if_meter(progress, Step("fill", 1.0))
    with _open_table(url, FillNames(table, text, column), add_column=add_column) as rows:
        rows.record_or_check_recipe(str(recipe))
        rows_to_fill = rows.count_unfilled_rows_and_end_transaction()
        keys, texts = rows.read_and_lock_unfilled_rows(None, batch)
        while keys:
            fingerprints = fingerprint_texts(texts, recipe, jobs=jobs)
            rows.write_fingerprints_and_commit(keys, fingerprints)
            rows_done += len(keys)
            filled_rows += len(keys) - fingerprints.null_count
            tell("fill", rows_done, rows_to_fill)
            keys, texts = rows.read_and_lock_unfilled_rows(keys[-1], batch)
    return Filled(filled_rows, rows_done - filled_rows)


def _open_table(url: str, names: FillNames, *, add_column: bool) -> Table:
    """Return a table of the database at a URL, or in a file."""
    if not isinstance(url, str):
        raise OptionError(f"url is {url!r}; it must be a URL, or the path of a file, as text.")
    scheme, separator, _ = url.partition("://")
    if separator:
        if scheme not in SCHEMES:
            raise OptionError(
                f"{scheme}:// is not supported here; give a URL of postgresql:// or mysql://, "
                "or the path of an SQLite or DuckDB file."
            )
        return SQLAlchemyTable(url, names, add_column=add_column)
    if not os.path.isfile(url):
        raise SourceNotFound(f"there is no file {url}; give the path of one, or a URL.")
    with Path(url).open("rb") as file:
        head = file.read(16)
    if head.startswith(b"SQLite format 3\0"):
        return SQLAlchemyTable(url, names, add_column=add_column)
    if head.startswith(b"DUCK", 8):
        return DuckDBTable(url, names, add_column=add_column)
    raise OptionError(f"{url} is not an SQLite or DuckDB file; give the path of one, or a URL.")
