"""An index in memory: fingerprints with ids, searched for those near another one."""

from __future__ import annotations

import threading
from typing import Any, TypeAlias

import pyarrow as pa
import pyarrow.compute as pc

from ilk import _kernels, arrow
from ilk.arrow.numbers import FingerprintColumn, FingerprintOrColumn, OneFingerprint
from ilk.base.errors import IdError, OptionError, RecipeMismatch
from ilk.base.options import check_option, default
from ilk.fingerprints.hamming import ShareProgress, check_radius, drop_nulls

#: The id of a fingerprint, and its distance in bits from the one that is asked about.
IdAndDistance: TypeAlias = tuple[int, int]

SCHEMA = arrow.schema_without_nulls(query=pa.int64(), id=pa.int64(), distance=pa.uint8())

#: Rows of queries, with the ids and distances that they found: the columns of ``SCHEMA``.
QueryMatchTable: TypeAlias = pa.Table


class Index:
    """A changing set of fingerprints, searched within a radius; results equal those of a linear
    scan.

    Any number of threads may use it at the same time; each result is from before or from after a
    call that adds or removes, never from the middle of it. A call that fails, or that Ctrl-C ends,
    changes nothing.

    Method: each part of a fingerprint addresses a table; of two fingerprints within the radius some
    parts differ in few bits, so that a query visits few buckets (Manku, Jain and Das Sarma 2007,
    section 3; several errors a part as Norouzi, Punjani and Fleet 2012, section 3).

    Args:
        fingerprints: n fingerprints (a column, a list, or a table with the column ``fingerprint``);
            a null is like no other, and uses an id without being held. Their width is that of the
            index: 128 bits for a column of 16 bytes, even an empty one, and otherwise 64.
        radius: the largest distance in bits for fast queries, 0 to the width. An index built for a
            larger radius is a little slower for small ones; beyond the radius, a query looks at
            every fingerprint.
        ids: n distinct ids (``int64``); row numbers by default.

    Raises:
        ColumnTypeError, OptionError: an argument is of another kind, or out of bounds.
        IdError: an id is given twice.

    >>> index = Index([0b0000, 0b0001, 0b1111], radius=1)
    >>> index.query(0b0011)
    [(1, 1)]
    >>> index.add(0b0111, ids=70).to_pylist()
    [70]
    >>> index.query(0b0011), index.query(0b0011, radius=0)
    ([(1, 1), (70, 1)], [])
    """

    def __init__(self, fingerprints: FingerprintColumn, radius: int, *, ids: Any = None) -> None:
        column = arrow.import_fingerprints(fingerprints)
        self._bits = 128 if column.type == arrow.WIDE else 64
        self._radius = check_radius(radius, self._bits)
        self._recipe: str | None = None
        self._kernel = _kernels.HammingIndex(self._bits == 128, self._radius)
        self._last = -1
        self._adding = threading.Lock()
        self.add(fingerprints, ids)

    @property
    def radius(self) -> int:
        """The largest distance for fast queries, in bits."""
        return self._radius

    @property
    def recipe(self) -> str | None:
        """The recipe of the fingerprints, if an added table carried one."""
        return self._recipe

    @property
    def nbytes(self) -> int:
        """Bytes of memory that it uses."""
        return self._kernel.nbytes

    def __len__(self) -> int:
        return len(self._kernel)

    def __contains__(self, key: object) -> bool:
        return isinstance(key, int) and -(1 << 63) <= key < 1 << 63 and key in self._kernel

    def __repr__(self) -> str:
        size, of = f"{len(self):,}", f"{self._bits} bits, radius {self._radius}"
        return f"<ilk.hamming.Index of {size} fingerprints of {of}>"

    def add(self, fingerprints: FingerprintOrColumn, ids: Any = None) -> pa.Int64Array:
        """Add fingerprints, all of them or none.

        Args:
            fingerprints: one, or n as for the index, of the same width and recipe.
            ids: one, or n; by default, numbers that continue from the largest so far.

        Returns:
            n ids.

        Raises:
            IdError: an id is in the index already, or given twice.
            RecipeMismatch: they differ from the index in the recipe they carry, or in their width.
            ColumnTypeError, OptionError: an argument is of another kind.
        """
        with self._adding:  # Two threads must not take the same numbers.
            recipe = self._check_recipe(fingerprints)
            column = self._import_column(fingerprints)
            count = len(column)
            if ids is not None:
                new_ids = _import_ids(ids)
            elif self._last + count < 1 << 63:
                new_ids = pc.add(pa.arange(1, count + 1), self._last)
            else:
                raise IdError(
                    f"there are fewer than {count} numbers after the id {self._last}; give ids."
                )
            if len(new_ids) != count:
                raise OptionError(
                    f"there are {count} fingerprints but {len(new_ids)} ids; give one id for each."
                )
            self._kernel.add(column.drop_null(), new_ids.filter(column.is_valid()))
            self._recipe = recipe
            if count:
                self._last = max(self._last, pc.max(new_ids).as_py())
            return new_ids

    def remove(self, ids: Any) -> None:
        """Remove the fingerprints with these ids (n, or one), all of them or none.

        Raises:
            IdError: an id is not in the index, or given twice.
            ColumnTypeError: an argument is of another kind.
        """
        self._kernel.remove(_import_ids(ids))

    def query(self, fingerprint: OneFingerprint, radius: int | None = None) -> list[IdAndDistance]:
        """Return the fingerprints within the radius of one.

        Args:
            fingerprint: an integer of 64 bits (the signed and the unsigned form are equal), or 16
                bytes.
            radius: in bits, 0 to the width; that of the index by default.

        Returns:
            The id and the distance of each, sorted by distance and then by id.

        Raises:
            ColumnTypeError, OptionError: an argument is of another kind, or out of bounds.
        """
        if (
            radius is None
            and (found := self._kernel.query_if_u64_and_quick(fingerprint)) is not None
        ):
            return found
        within = self._radius if radius is None else check_radius(radius, self._bits)
        return self._kernel.query(arrow.check_fingerprint(fingerprint, self._bits), within)

    def query_many(
        self,
        fingerprints: FingerprintColumn,
        radius: int | None = None,
        *,
        max_pairs: int = default("max_pairs"),
        progress: ShareProgress | None = None,
    ) -> QueryMatchTable:
        """Return the fingerprints within the radius of each of n; a null is like nothing.

        Args:
            fingerprints: n as for the index, of the same width and recipe.
            radius: in bits, 0 to the width; that of the index by default.
            max_pairs: the largest number of results to return.
            progress: a function called repeatedly with the share that is done, 0 to 1.

        Returns:
            ``query`` (the row), ``id`` and ``distance``; sorted by row, distance and id.

        Raises:
            TooManyPairs: there are more than ``max_pairs`` results, with their number.
            RecipeMismatch: they differ from the index in the recipe they carry, or in their width.
            ColumnTypeError, OptionError: an argument is of another kind, or out of bounds.
        """
        self._check_recipe(fingerprints)
        column = self._import_column(fingerprints)
        values, rows = drop_nulls(column)
        within = self._radius if radius is None else check_radius(radius, self._bits)
        query, id_, bits = self._kernel.query_many(
            values, within, check_option("max_pairs", max_pairs), progress
        )
        return pa.table([query if rows is None else rows.take(query), id_, bits], schema=SCHEMA)

    def _check_recipe(self, fingerprints: FingerprintOrColumn) -> str | None:
        """Return the recipe of the index and of fingerprints; None if neither carries one.

        Raises:
            RecipeMismatch: both carry one, and they differ.
        """
        recipe = arrow.recipe_of_table_or_none(fingerprints)
        arrow.refuse_other_recipe(self._recipe, recipe)
        return self._recipe or recipe

    def _import_column(self, fingerprints: FingerprintOrColumn) -> pa.Array:
        """Return one fingerprint, or a column of them, as a column of the width of the index.

        Raises:
            RecipeMismatch: they have another width.
        """
        if arrow.is_one_fingerprint(fingerprints):
            fingerprints = [fingerprints]
        column = arrow.import_fingerprints(fingerprints)
        kind = arrow.fingerprint_type(self._bits)
        if column.type == kind:
            return column
        if column.null_count == len(column):
            return pa.nulls(len(column), kind)
        raise RecipeMismatch(
            f"fingerprints of {arrow.bits_or_128_if_all_null(column)} bits do not fit an index "
            f"of {self._bits}. Make the index from a column of their type, which may be empty."
        )


def _import_ids(ids: Any) -> pa.Int64Array:
    """Return one id, or several, as a column."""
    return arrow.import_ids_refusing_nulls([ids] if arrow.is_one_fingerprint(ids) else ids)
