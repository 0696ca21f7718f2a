"""The request for reading: which columns and files, and how to get their text."""

from __future__ import annotations

import codecs
import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from datetime import datetime
from typing import Any

from ilk.base.errors import OptionError
from ilk.base.kinds import SizeRange
from ilk.base.options import OPTIONS, check_option, default
from ilk.read.files.converters import check_converters, parse_command_if_given
from ilk.read.files.file_filters import FileFilter, Globs, compile_globs
from ilk.read.files.walk import WalkRules
from ilk.read.formats.parts import Limits


@dataclass(frozen=True, slots=True)
class Reading:
    """The request for reading; ``READING`` in the table of options explains each option.

    Attributes:
        convert: the programs by extension (``.pdf``).
        files_in: the column of file paths in rows; the text of each row is that of its file.
        cache: the folder for extracted texts; ``NO_CACHE`` for no cache, None for ``beside``.
        beside: the default folder of the cache; if it cannot be written, there is no cache, without
            an error.
        keyed: whether ``text`` names a key, whose values may be of any kind.
        columns: the columns that are needed besides: where that costs less, they are read together
            with the texts.
        within: rows meet only where their values in all of these columns, which are among
            ``columns``, are equal.
        partly: whether a CSV or Parquet file may lack some of several columns ``text``, as rows
            of JSON lines may.
    """

    text: tuple[str, ...] = (default("text"),)
    id: str | None = None
    encoding: str | None = None
    rows: bool = False
    folder_as_document: bool = False
    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    convert: Mapping[str, Sequence[str]] = field(default_factory=dict)
    convert_timeout: float = default("convert_timeout")
    extract: str = default("extract")
    limits: Limits = field(default_factory=Limits)
    files_in: str | None = None
    cache: str | None = None
    ocr: tuple[str, ...] | None = None
    replies: str = default("replies")
    links: bool = False
    gitignore: bool = False
    no_hidden: bool = False
    one_file_system: bool = False
    size: SizeRange | None = None
    newer: datetime | None = None
    older: datetime | None = None
    depth: int | None = None
    beside: str | None = None
    keyed: bool = False
    columns: tuple[str, ...] = ()
    within: tuple[str, ...] = ()
    partly: bool = False

    @classmethod
    def of(
        cls,
        *,
        # Parameters reading, by scripts/make-signatures.
        text: str | Sequence[str] | None = "text",
        id: str | None = None,
        encoding: str | None = None,
        rows: bool = False,
        folder_as_document: bool = False,
        include: Sequence[str] = (),
        exclude: Sequence[str] = (),
        cache: str | os.PathLike[str] | None = None,
        extract: str | None = "none",
        convert: Mapping[str, Sequence[str]] | None = None,
        convert_timeout: float | None = 60.0,
        ocr: str | Sequence[str] | None = None,
        replies: str | None = "keep",
        limits: Limits | None = None,
        links: bool = False,
        gitignore: bool = False,
        no_hidden: bool = False,
        one_file_system: bool = False,
        size: str | SizeRange | None = None,
        newer: str | datetime | None = None,
        older: str | datetime | None = None,
        depth: int | None = None,
        files_in: str | None = None,
        # End of what is written.
    ) -> Reading:
        """Check keyword arguments; None means the default.

        Raises:
            OptionError: an option is out of bounds, or two contradict each other.
        """
        text = default("text") if text is None else text
        include, exclude = include or (), exclude or ()
        limits = Limits() if limits is None else limits
        compile_globs(include, exclude)
        if not text:
            raise OptionError("no column of texts is named; name at least one.")
        if files_in is not None and text != default("text"):
            raise OptionError(
                "`text` and `files_in` both name the column of texts; give one of them."
            )
        if not isinstance(limits, Limits):
            raise OptionError(f"limits is {limits!r:.60}; it must be an ilk.Limits.")
        if folder_as_document and (rows or files_in is not None):
            raise OptionError(
                f"`folder_as_document` makes one document of many files, and "
                f"`{'rows' if rows else 'files_in'}` many of one; leave out one of them."
            )
        texts = files_in or text
        named = (texts,) if isinstance(texts, str) else tuple(texts)
        return cls(
            text=tuple(OPTIONS["text"].kind.check("text", name) for name in named),
            id=check_option("id", id),
            encoding=_check_encoding_if_given(encoding),
            rows=check_option("rows", rows),
            folder_as_document=check_option("folder_as_document", folder_as_document),
            include=tuple(include),
            exclude=tuple(exclude),
            convert=check_converters({} if convert is None else convert),
            convert_timeout=check_option("convert_timeout", convert_timeout),
            extract=check_option("extract", extract),
            limits=limits,
            files_in=files_in,
            cache=None if cache is None else os.fspath(cache),
            ocr=parse_command_if_given("ocr", ocr),
            replies=check_option("replies", replies),
            links=check_option("links", links),
            gitignore=check_option("gitignore", gitignore),
            no_hidden=check_option("no_hidden", no_hidden),
            one_file_system=check_option("one_file_system", one_file_system),
            size=check_option("size", size),
            newer=check_option("newer", newer),
            older=check_option("older", older),
            depth=check_option("depth", depth),
        )

    def with_default_cache(self, folder: str | os.PathLike[str]) -> Reading:
        """Return the same, with a default folder for the cache."""
        return replace(self, beside=os.fspath(folder))

    def extraction_as_json_unless_default(self) -> str:
        """Return how texts are extracted from files, as JSON; "" if by the defaults."""
        ways = {name: getattr(self, name) for name in _WAYS}
        options_given = {name: way for name, way in ways.items() if way != getattr(PLAINLY, name)}
        if self.limits != PLAINLY.limits:
            options_given["limits"] = asdict(self.limits)
        return json.dumps(options_given, sort_keys=True) if options_given else ""

    @property
    def globs(self) -> Globs:
        """The globs of wanted files."""
        return compile_globs(self.include, self.exclude)

    @property
    def file_filter(self) -> FileFilter:
        """Which files are wanted by what they are."""
        return FileFilter(self.size, self.newer, self.older)

    @property
    def walk_rules(self) -> WalkRules:
        """How folders are walked."""
        return WalkRules(**{name: getattr(self, name) for name in WalkRules._fields})

    def without_size_and_time_filters(self) -> Reading:
        """Return the same for files of any size and time: what is compared with must be whole."""
        return replace(self, size=None, newer=None, older=None)

    def refuse_file_filters_except_globs(self) -> None:
        """Raise OptionError if an option chooses among files: the source has none.

        ``include`` and ``exclude`` are not among them.
        """
        for name in _FILTERS:
            if getattr(self, name) != getattr(PLAINLY, name):
                raise OptionError(
                    f"`{name}` chooses among files and folders, and the source is not files; "
                    "leave it out."
                )

    def plain(self) -> dict[str, Any]:
        """Return the request as plain values, for a report."""
        values = {name: it for name, it in asdict(self).items() if name not in _NOT_OPTIONS}
        for name in ("size", "newer", "older"):
            if values[name] is not None:
                values[name] = OPTIONS[name].kind.format_value(values[name])
        return values


def _check_encoding_if_given(name: str | None) -> str | None:
    """Return Python's name of an encoding of texts; OptionError if it is not one."""
    if name is None:
        return None
    try:
        codec = codecs.lookup(name)
        "".encode(codec.name)  # Others, such as base64, do not encode texts.
    except (LookupError, TypeError, ValueError):
        raise OptionError(
            f"encoding is {name!r}; it must name an encoding, such as utf-8, cp1252, latin-1, "
            "utf-16 or shift_jis."
        ) from None
    return codec.name


#: What follows from other options, or from what is asked.
_NOT_OPTIONS = ("beside", "keyed", "columns", "within", "partly")

#: Options that change the texts of files, besides the limits.
_WAYS = ("convert", "convert_timeout", "extract", "ocr", "replies")

#: Options that choose among files and folders, and say how folders are walked.
_FILTERS = (
    "folder_as_document",
    "links",
    "gitignore",
    "no_hidden",
    "one_file_system",
    "size",
    "newer",
    "older",
    "depth",
)

#: The default request.
PLAINLY = Reading()
