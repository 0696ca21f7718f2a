"""What is read: which columns and files, and how text is made of them."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from ilk.errors import OptionError
from ilk.options.table import checked, default
from ilk.readers.files.converters import compile_converters
from ilk.readers.files.globs import Globs, compile_globs


@dataclass(frozen=True, slots=True)
class Reading:
    """What is read; ``READING`` in the table of options explains each.

    Attributes:
        text: the columns of texts in rows, put together with a blank line between.
        id: the column of ids in rows; None takes ``id``, where there is one.
        include, exclude: globs that files in folders must, and must not, match.
        convert: by extension (``.pdf``), the program that turns such a file into text.
        convert_timeout: seconds that each of these programs, or the text of a page, may take.
        extract: how text is made of pages in HTML.
    """

    text: tuple[str, ...] = (default("text"),)
    id: str | None = None
    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    convert: Mapping[str, Sequence[str]] = field(default_factory=dict)
    convert_timeout: float = default("convert_timeout")
    extract: str = default("extract")

    @classmethod
    def of(
        cls,
        *,
        text: str | Sequence[str] | None = None,
        id: str | None = None,
        include: Sequence[str] = (),
        exclude: Sequence[str] = (),
        convert: Mapping[str, Sequence[str]] | None = None,
        convert_timeout: float | None = None,
        extract: str | None = None,
    ) -> Reading:
        """Check keyword arguments; None stands for the default.

        Raises:
            OptionError: an option is out of bounds.
        """
        compile_globs(include, exclude)
        if text is not None and not text:
            raise OptionError("no column of texts is named; name at least one.")
        texts = default("text") if text is None else text
        return cls(
            (texts,) if isinstance(texts, str) else tuple(texts),
            id,
            tuple(include),
            tuple(exclude),
            compile_converters(convert or {}),
            checked("convert_timeout", convert_timeout),
            checked("extract", extract),
        )

    @property
    def globs(self) -> Globs:
        """The files that are wanted."""
        return compile_globs(self.include, self.exclude)

    def plain(self) -> dict[str, Any]:
        """Return it as plain values, for a report."""
        return asdict(self)


#: What is read where nothing is said.
PLAINLY = Reading()


def named_paths(source: Any) -> list[str | os.PathLike[str]] | None:
    """Return the paths that the source is; None if it holds texts itself.

    Raises:
        OptionError: paths and texts are mixed.
    """
    if isinstance(source, str | os.PathLike):
        return [source]
    if not isinstance(source, list | tuple) or not source:
        return None
    named = [isinstance(item, os.PathLike) for item in source]
    if any(named) and not all(named):
        raise OptionError("paths and texts are mixed; give a list of Path, or a list of texts.")
    return list(source) if all(named) else None
