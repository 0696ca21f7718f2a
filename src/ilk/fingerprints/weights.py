"""Tables of weights: how much features count, in addition to how often they occur; frozen and
named.

A table is made by ``ilk weights`` (package ilk-papers). Its digest is part of the recipe, and it
knows the way from text to features that made it.
"""

from __future__ import annotations

import functools
import hashlib
import os
from dataclasses import dataclass
from typing import IO

import pyarrow as pa

from ilk import _kernels, arrow
from ilk.base.errors import ColumnTypeError, SourceNotFound

_METADATA = "ilk.weights."


@dataclass(frozen=True)
class Weights:
    """The weight of every feature, in eighths.

    Attributes:
        basis: the way from text to features, as ``Recipe.basis`` names it.
        ids: n features (``uint32``), ascending and distinct.
        values: n weights (``uint16``).
        default: the weight of every other feature.
    """

    basis: str
    ids: pa.Array
    values: pa.Array
    default: int

    @functools.cached_property
    def digest(self) -> str:
        """16 hexadecimal digits that identify the table."""
        digest = hashlib.sha256(f"{self.basis}\n{self.default}\n{len(self.ids)}\n".encode())
        for column in (self.ids, self.values):
            digest.update(arrow.raw_bytes(column))
        return digest.hexdigest()[:16]

    @functools.cached_property
    def kernel(self) -> _kernels.Weights:
        """The table in the form for the kernels."""
        return _kernels.Weights(self.ids, self.values, self.default)

    def write(self, out: str | os.PathLike[str] | IO[bytes]) -> None:
        """Write the table as a Parquet file, to a path or an open file."""
        import pyarrow.parquet as pq

        metadata = {"basis": self.basis, "default": str(self.default), "digest": self.digest}
        table = pa.table({"id": self.ids, "weight": self.values})
        pq.write_table(
            table.replace_schema_metadata({_METADATA + k: v for k, v in metadata.items()}), out
        )

    @classmethod
    def read(cls, path: str | os.PathLike[str]) -> Weights:
        """Read the table of a file that ``write`` wrote.

        Raises:
            ColumnTypeError: the file is not such a table, or is damaged.
            SourceNotFound: there is no such file.
        """
        import pyarrow.parquet as pq

        file = os.fspath(path)  # A number would be an open file.
        if not os.path.isfile(file):
            raise SourceNotFound(
                f"there is no table of weights {file!r}; make one: ilk weights build PATH -o FILE"
            )

        try:
            table = pq.read_table(file, use_threads=False)
            written = {k.decode(): v.decode() for k, v in (table.schema.metadata or {}).items()}
            basis, default, digest = (
                written[_METADATA + name] for name in ("basis", "default", "digest")
            )
            ids = arrow.flat(table["id"]).cast(pa.uint32())
            weights = cls(basis, ids, arrow.flat(table["weight"]).cast(pa.uint16()), int(default))
        except (KeyError, ValueError) as error:
            raise ColumnTypeError(
                f"{file} is not a table of weights. Make one: ilk weights build."
            ) from error
        if weights.digest != digest:
            raise ColumnTypeError(
                f"{file} is damaged: its digest is {weights.digest}, but should be "
                f"{digest}. Build the table again, or use another copy of it."
            )
        return weights
