"""The column of fingerprints of a table that is there, filled from its texts."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from ilk.options.kinds import Whole
from ilk.recipes.recipe import Recipe, checked_recipe
from ilk.sql import tables
from ilk.sql.batches import BATCH
from ilk.sql.registration import check_width
from ilk.steps import fingerprint_texts
from ilk.system.progress import followed, silent


@dataclass(frozen=True, slots=True)
class Filled:
    """What a call did.

    Attributes:
        filled: rows that have a fingerprint now and had none.
        without: rows whose text has too little for one, and that stay null.
    """

    filled: int
    without: int


@followed
def fill(
    url: str,
    *,
    table: str,
    text: str,
    column: str,
    recipe: Recipe | None = None,
    batch: int = BATCH,
    jobs: int | None = None,
    progress: Callable[[str, int, int], None] | bool | None = None,
) -> Filled:
    """Write the fingerprint of every row that has none, batch by batch, and no other column.

    Every batch is one transaction: when the work is broken off, what was committed stays, and the
    same call fills the rest. Rows are locked from when their text is read until their
    fingerprint is written. The table ``ilk_recipes`` beside it is made if missing, and keeps the
    recipe of every column filled.

    Args:
        url: ``postgresql://``, ``mysql://``, or the path of an SQLite or DuckDB file.
        table: a table with a primary key (SQLite and DuckDB number the rows of any).
        text: its column of texts.
        column: its column of fingerprints, a ``BIGINT`` that may be null; where its type is
            unsigned, the same 64 bits are stored as an unsigned number.
        recipe: how the fingerprints are made; the default is ``Recipe()``.
        batch: rows per transaction.
        jobs: threads, by default one per processor; the fingerprints do not depend on them.
        progress: follows the rows that were looked at, of those that waited at first; True
            draws a line on stderr.

    Raises:
        ColumnTypeError: a column holds something else.
        DatabaseError: the database cannot be opened, or refuses.
        MissingExtra: the package that speaks to the database is not installed.
        OptionError: the URL, the batch or the width of the recipe is not allowed.
        RecipeMismatch: the column was filled by another recipe.
        SourceNotFound: there is no such file.
    """
    recipe = checked_recipe(recipe)
    check_width(recipe)
    Whole(1, unit="rows").check("batch", batch)
    done = filled = 0
    tell = progress if callable(progress) else silent
    with tables.opened(url, table=table, text=text, column=column) as rows:
        rows.mark_recipe(str(recipe))
        waiting = rows.waiting()
        keys, texts = rows.read(None, batch)
        while keys:
            fingerprints = fingerprint_texts(texts, recipe, jobs=jobs)
            rows.write(keys, fingerprints)
            done += len(keys)
            filled += len(keys) - fingerprints.null_count
            tell("fill", done, waiting)
            keys, texts = rows.read(keys[-1], batch)
    return Filled(filled, done - filled)
