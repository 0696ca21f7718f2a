"""The SQL functions for an open connection."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import pyarrow as pa

from ilk import Recipe
from ilk.companions import check_recipe, fingerprint_texts
from ilk.plugins import OptionError, arrow
from ilk_sources.databases import dialects
from ilk_sources.databases.functions import FUNCTIONS


def register(connection: Any, recipe: Recipe | str | None = None) -> None:
    """Add the functions of ``ilk sql``, for fingerprints and for texts, to a connection.

    It adds ``hamming_distance``, ``bit_agreement`` (also as ``similarity``), ``ham_dist`` (also as
    ``HamDist``) and the conversions: in SQLite and
    DuckDB as long as the connection is open, in PostgreSQL to the database, once the transaction is
    committed. SQLite and DuckDB also get ``fingerprint(text)`` and, if the recipe is of SimHash,
    ``simhash(text)``, which is the same: null if a text is too short, and signed, as it is stored.
    PostgreSQL does not run ilk's code: there, use ``ilk fill``.

    Args:
        connection: of ``sqlite3``, ``apsw``, ``duckdb`` or ``psycopg`` (version 3).
        recipe: how to make the fingerprints; ``Recipe()`` by default.

    Raises:
        OptionError: the connection is something else, or the recipe's fingerprints have more than
            64 bits.
    """
    recipe = check_recipe(recipe)
    refuse_wide_recipe(recipe)
    # The name of the class shows which connection it is, without importing its package.
    packages = {kind.__module__.partition(".")[0].lstrip("_") for kind in type(connection).__mro__}
    for package, to in _REGISTER.items():
        if package in packages:
            to(connection, recipe)
            return
    raise OptionError(
        f"the connection is a {type(connection).__module__}.{type(connection).__qualname__}; "
        "it must be one of sqlite3, apsw, duckdb or psycopg (version 3)."
    )


def refuse_wide_recipe(recipe: Recipe) -> None:
    """Refuse a recipe whose fingerprints do not fit a ``BIGINT``.

    Raises:
        OptionError: they have more than 64 bits.
    """
    if recipe.bits > 64:
        raise OptionError(
            f"a column of SQL holds 64 bits, but {str(recipe)!r} makes {recipe.bits}. "
            "Choose a recipe of 64 bits."
        )


#: The names of a recipe's function: the first one always, the other one if it is SimHash.
_TEXT_FUNCTIONS = ("fingerprint", "simhash")


class _FunctionChange(NamedTuple):
    """A function to add by a name; None removes the one that has it."""

    name: str
    function: Callable[..., Any] | None
    argument_count: int


def _recipe_has_text_function(name: str, recipe: Recipe) -> bool:
    return name != "simhash" or recipe.kind == "simhash"


def _functions_to_add_or_remove(recipe: Recipe) -> Iterator[_FunctionChange]:
    def fingerprint(text: Any) -> int | None:
        (value,) = arrow.reinterpret_as_signed(fingerprint_texts([text], recipe)).to_pylist()
        return None if value is None else int(value)

    yield from (_FunctionChange(*each) for each in FUNCTIONS)
    for name in _TEXT_FUNCTIONS:
        # A registration of another recipe may have left one that does not fit.
        has_function = _recipe_has_text_function(name, recipe)
        yield _FunctionChange(name, fingerprint if has_function else None, 1)


def _register_sqlite3(connection: Any, recipe: Recipe) -> None:
    for name, function, arguments in _functions_to_add_or_remove(recipe):
        connection.create_function(name, arguments, function, deterministic=True)


def _register_apsw(connection: Any, recipe: Recipe) -> None:
    for name, function, arguments in _functions_to_add_or_remove(recipe):
        connection.create_scalar_function(name, function, arguments, deterministic=True)


def _register_duckdb(connection: Any, recipe: Recipe) -> None:
    import duckdb

    connection.execute(dialects.parts("duckdb")["functions"])

    def fingerprint(texts: Any) -> pa.Array:
        return arrow.reinterpret_as_signed(fingerprint_texts(texts, recipe))

    for name in _TEXT_FUNCTIONS:
        # A registration of another recipe may have left one.
        with contextlib.suppress(duckdb.InvalidInputException):
            connection.remove_function(name)
        if _recipe_has_text_function(name, recipe):
            connection.create_function(
                name, fingerprint, ["VARCHAR"], "BIGINT", type="arrow", null_handling="special"
            )


def _create_functions_in_postgresql(connection: Any, recipe: Recipe) -> None:  # noqa: ARG001
    connection.execute(dialects.parts("postgresql")["functions"])


_REGISTER = {
    "sqlite3": _register_sqlite3,
    "apsw": _register_apsw,
    "duckdb": _register_duckdb,
    "psycopg": _create_functions_in_postgresql,
}
