"""What was decided when a store was made, and what it counts: numbers and words under checksums.

They are read like any input: a damaged value, or one that is not allowed, is an error that names
it.
"""

from __future__ import annotations

import json
import os
import sqlite3
import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import pyarrow as pa

from ilk.base.errors import IlkError, OptionError, StoreDamaged, StoreFormatError
from ilk.base.json_text import parse_json
from ilk.base.options import OPTIONS, check_option
from ilk.fingerprints.hamming import check_radius
from ilk.fingerprints.recipe import Recipe, check_recipe
from ilk.read import Reading
from ilk.search import noise_model, recall_model
from ilk.search.base_text import read_base_text
from ilk.search.counting import BaseText, Counting, check_ignore
from ilk.search.noise_evidence import NoiseLimits
from ilk.search.programs import AsCode, check_as_code_if_given
from ilk.search.query import refuse_noise_and_ignore_for_programs
from ilk.store import records

#: The default recipe of a store: 128 bits nominate far fewer strangers than 64 at the same recall.
RECIPE = Recipe(bits=128)

#: The share of the near-duplicates to nominate; 128 bits of MinHash reach it within 20 bits
#: (``ilk.search.recall_model``).
RECALL = 0.997

#: The bits of the widest fingerprint.
_WIDEST = 128

#: The settings that only stores have that ignore something, or compare by one kind of shingles;
#: of a base text they keep the hashes of its shingles; or that compare documents within groups.
_IGNORE, _BY, _BASE = "ignore", "by", "ignore_text"
_WITHIN, _AS = "within", "as"

#: Whether a document is long and has few different words: 0 if none came in, 1 if one did. Stores
#: of former versions do not say.
_REPETITIVE = "repetitive"

#: The counters of a store; 63 bits never overflow.
_COUNTED = ("generation", "next_id", "documents")
_MOST = (1 << 62) - 1


@dataclass(frozen=True, slots=True)
class Settings:
    """The settings chosen when a store was created.

    Attributes:
        recipe: how to make its fingerprints.
        radius: the radius for candidates, in bits.
        resemblance: the least resemblance of near-duplicates, which form clusters.
        shingle: words per shingle.
        texts: whether the texts are kept.
        exact: whether near-duplicates are found by their shingles, without missing any, instead of
            by fingerprints.
        noise: the share of wrong characters in noisy copies; None if not looked for.
        ignore: the differences that are not seen.
        by: words or characters; None decides by the number of words.
        base: the text whose shingles do not count; None counts all.
        within: the columns, by name, whose equal values make the groups of documents, which alone
            are compared; none compares all.
        as_: how texts are read before they count; None as they are.
    """

    recipe: Recipe
    radius: int
    resemblance: Fraction
    shingle: int
    texts: bool
    exact: bool
    noise: Fraction | None = None
    ignore: tuple[str, ...] = ()
    by: str | None = None
    base: BaseText | None = None
    within: tuple[str, ...] = ()
    as_: AsCode | None = None

    @property
    def counting(self) -> Counting:
        """What counts of a text."""
        return Counting(self.shingle, ignore=self.ignore, base=self.base, by=self.by, as_=self.as_)

    @property
    def fingerprint_pairing_radius_unless_exact(self) -> int | None:
        """The radius for near-duplicates, in bits; None if they are not found by bits."""
        return None if self.exact else self.radius

    @property
    def noise_limits_if_sought(self) -> NoiseLimits | None:
        """The limits for noisy copies; None if those are not looked for."""
        return None if self.noise is None else noise_model.limits_at_rate(self.noise)

    @property
    def expected_recall(self) -> float:
        """The share of the near-duplicates that are expected to be found."""
        if self.exact:
            return 1.0
        return recall_model.recall_from_resemblance(
            self.recipe, float(self.resemblance), self.shingle, self.radius
        )


@dataclass(frozen=True, slots=True)
class WantedSettings:
    """The settings that a caller asks for: of a new store, and perhaps of one that is opened.

    Attributes: as those of ``Settings``; None if the caller does not ask for any. The resemblance
        and the shingle, which are for new stores alone, have defaults.
    """

    recipe: Recipe | None
    resemblance: Fraction
    shingle: int
    texts: bool | None
    exact: bool | None
    noise: Fraction | None
    ignore: tuple[str, ...] | None
    by: str | None
    base: BaseText | None
    within: tuple[str, ...] | None
    as_: AsCode | None


def check_and_read_wanted_settings(
    *,
    recipe: Recipe | str | None,
    resemblance: str | float | None,
    shingle: int | None,
    texts: bool | None,
    exact: bool | None,
    noise: str | float | None,
    ignore: str | Sequence[str] | None,
    by: str | None,
    as_: str | None,
    ignore_text: str | os.PathLike[str] | Sequence[str | os.PathLike[str]] | None,
    within: str | Sequence[str] | None,
    jobs: int,
) -> WantedSettings:
    """Return the settings that the options of ``Store`` ask for, checked, with the base text read.

    Raises:
        OptionError: an option is out of bounds, or two contradict each other.
    """
    if noise is not None and texts is False:
        raise OptionError("`noise` needs the texts, to align them; leave out `texts`, or `noise`.")
    width, not_seen = check_option("shingle", shingle), check_ignore(ignore)
    programs = check_as_code_if_given(as_)
    refuse_noise_and_ignore_for_programs(programs, noise, not_seen)
    base = None
    if ignore_text is not None:
        counting = Counting(width, ignore=not_seen, by=check_option("by", by), as_=programs)
        base = read_base_text(ignore_text, Reading.of(), counting, jobs)
    return WantedSettings(
        recipe=None if recipe is None else check_recipe(recipe, RECIPE),
        resemblance=check_option("resemblance", resemblance),
        shingle=width,
        texts=texts,
        exact=exact,
        noise=check_option("noise", noise),
        ignore=None if ignore is None else not_seen,
        by=check_option("by", by),
        base=base,
        within=None if within is None else check_and_sort_group_columns(within),
        as_=programs,
    )


def check_and_complete_settings(wanted_settings: WantedSettings) -> Settings:
    """Return the settings of a new store, with defaults for those not asked for.

    Raises:
        OptionError: no store can have these settings together.
    """
    ignore, exact = wanted_settings.ignore or (), bool(wanted_settings.exact)
    recipe = wanted_settings.recipe or Counting(
        wanted_settings.shingle, ignore=ignore
    ).make_recipe_ignore_same_accents_and_digits(RECIPE)
    radius = recall_model.radius_for_recall_or_widest(
        recipe, float(wanted_settings.resemblance), wanted_settings.shingle, RECALL
    )
    if wanted_settings.as_ is not None and wanted_settings.as_.language is None:
        raise OptionError(
            "`as_` is code, and documents of a store may have other names later, or none; name "
            "their language, such as code:python."
        )
    other = "noisy copies" if wanted_settings.noise is not None else "fingerprints"
    only_shingles = exact and wanted_settings.noise is None
    if wanted_settings.base is not None and not only_shingles:
        raise OptionError(
            f"{other} are found by whole texts, with the base text in them. Leave out "
            "`ignore_text`, or make an exact store without `noise`."
        )
    if wanted_settings.within and not only_shingles:
        raise OptionError(
            f"{other} are found by whole texts, in all groups of `within`. Leave it out, or make "
            "an exact store without `noise`."
        )
    return Settings(
        recipe,
        radius,
        wanted_settings.resemblance,
        wanted_settings.shingle,
        texts=bool(wanted_settings.texts) or wanted_settings.noise is not None,
        exact=exact,
        noise=wanted_settings.noise,
        ignore=ignore,
        by=wanted_settings.by,
        base=wanted_settings.base,
        within=wanted_settings.within or (),
        as_=wanted_settings.as_,
    )


def write_settings_and_zero_counters(connection: sqlite3.Connection, settings: Settings) -> None:
    """Write the settings of a new store, with its counters at 0."""
    rows = {
        "recipe": str(settings.recipe),
        "radius": settings.radius,
        "resemblance": str(settings.resemblance),
        "shingle": settings.shingle,
        "texts": int(settings.texts),
        "exact": int(settings.exact),
        "noise": None if settings.noise is None else str(settings.noise),
        **dict.fromkeys(_COUNTED, 0),
        _REPETITIVE: 0,
    }
    if settings.ignore:  # Stores in which everything counts can be read by former versions.
        rows[_IGNORE] = ",".join(settings.ignore)
    if settings.by is not None:
        rows[_BY] = settings.by
    if settings.as_ is not None:
        rows[_AS] = settings.as_.identity
    if settings.base is not None:
        rows[_BASE] = settings.base.hashes.to_numpy().tobytes()
    if settings.within:
        rows[_WITHIN] = json.dumps(settings.within)
    for name, value in rows.items():
        write_setting_or_counter(connection, name, value)


def read_settings_and_check_counters(connection: sqlite3.Connection) -> Settings:
    """Return the settings of a store.

    Raises:
        StoreDamaged: a setting, or a counter, is missing or damaged.
        StoreFormatError: a setting has a value that is not allowed.
    """
    # The counters are needed later; better to know now.
    for name in _COUNTED:
        read_counter(connection, name)
    values: dict[str, Any] = {}
    for name, (kind, check) in _READ.items():
        if name in (_IGNORE, _BY, _BASE, _WITHIN, _AS) and not _has_value(connection, name):
            continue
        value = _read_required_value(connection, name)
        try:
            if not isinstance(value, kind):
                raise OptionError(f"{value!r} is not of type {kind}.")
            values["as_" if name == _AS else name] = check(value)
        except IlkError as error:
            raise StoreFormatError(
                f"the setting {name} of the store is {value!r}: {error} Open it with the ilk that "
                "wrote it."
            ) from error
    hashes = values.pop(_BASE, None)
    settings = Settings(**values)
    if hashes is None:
        return settings
    return replace(settings, base=BaseText.from_shingle_hashes(hashes, settings.counting))


def check_and_sort_group_columns(names: str | Sequence[str]) -> tuple[str, ...]:
    """Return the columns that make groups, checked, in the order of their names.

    Raises:
        OptionError: one is named twice, or is what a store calls something else in metadata.
    """
    several = [names] if isinstance(names, str) else list(names)
    columns = tuple(sorted(OPTIONS["within"].kind.check("within", name) for name in several))
    if not columns or len(set(columns)) < len(columns):
        raise OptionError(f"`within` is {several!r}; it must be a column, or different columns.")
    if taken := [name for name in columns if name in records.RESERVED]:
        raise OptionError(
            f"`within` names the column {taken[0]}, and that is what a store calls something else "
            "in the metadata of its documents. Give the column another name."
        )
    return columns


def _check_zero_or_one(value: int) -> bool:
    if value not in (0, 1):
        raise OptionError(f"{value!r} is neither 0 nor 1.")
    return bool(value)


def _column_of_hashes_unchecked(value: bytes) -> pa.Array:
    return pa.Array.from_buffers(pa.uint64(), len(value) // 8, [None, pa.py_buffer(value)])


#: The type of each setting, and the check that makes its value.
_READ: dict[str, tuple[Any, Callable[[Any], Any]]] = {
    "recipe": (str, Recipe.parse),
    "radius": (int, lambda value: check_radius(value, _WIDEST)),
    "resemblance": (str, lambda value: check_option("resemblance", value)),
    "shingle": (int, lambda value: check_option("shingle", value)),
    "texts": (int, _check_zero_or_one),
    "exact": (int, _check_zero_or_one),
    "noise": (str | None, lambda value: None if value is None else check_option("noise", value)),
    _IGNORE: (str, check_ignore),
    _BY: (str, lambda value: check_option("by", value)),
    _BASE: (bytes, _column_of_hashes_unchecked),
    _WITHIN: (str, lambda value: check_and_sort_group_columns(parse_json(value))),
    _AS: (str, AsCode.parse_identity_of_any_version),
}


def read_counter(connection: sqlite3.Connection, name: str) -> int:
    """Return a counter.

    Raises:
        StoreDamaged: it is missing or damaged.
    """
    value = _read_required_value(connection, name)
    if type(value) is not int or not 0 <= value <= _MOST:
        raise _damaged_error(name)
    return value


def write_setting_or_counter(
    connection: sqlite3.Connection, name: str, value: str | int | bytes | None
) -> None:
    """Write a setting, or a counter."""
    row = name, value, _checksum(name, value)
    connection.execute("INSERT OR REPLACE INTO settings VALUES (?, ?, ?)", row)


def add_to_document_count(connection: sqlite3.Connection, change: int) -> None:
    """Count documents that were added or removed."""
    write_setting_or_counter(
        connection, "documents", read_counter(connection, "documents") + change
    )


def read_count_of_segments_or_runs_or_zero(connection: sqlite3.Connection, part: str) -> int:
    """Return how many segments, or runs, a part of the indexes has; 0 if none were written."""
    name = f"segments of {part}"
    return read_counter(connection, name) if _has_value(connection, name) else 0


def write_count_of_segments_or_runs(connection: sqlite3.Connection, part: str, count: int) -> None:
    """Write how many segments, or runs, a part of the indexes has."""
    write_setting_or_counter(connection, f"segments of {part}", count)


def find_first_id_of_batch_or_none(connection: sqlite3.Connection, batch_key: str) -> int | None:
    """Return the id of the first document of a batch; None if the batch was not added."""
    name = f"batch {batch_key}"
    return read_counter(connection, name) if _has_value(connection, name) else None


def read_first_ids_of_batches(connection: sqlite3.Connection) -> dict[str, int]:
    """Return the ids of the first documents of all batches, by their keys."""
    query = "SELECT substr(name, 7) FROM settings WHERE name LIKE 'batch %'"
    return {key: read_counter(connection, f"batch {key}") for (key,) in connection.execute(query)}


def write_first_id_of_batch(connection: sqlite3.Connection, batch_key: str, first_id: int) -> None:
    """Write the id of the first document of a batch, which says that it was added."""
    write_setting_or_counter(connection, f"batch {batch_key}", first_id)


def is_repetitive_document_recorded_or_unknown(connection: sqlite3.Connection) -> bool:
    """Return whether a long document of few different words may be in the store."""
    return not _has_value(connection, _REPETITIVE) or bool(read_counter(connection, _REPETITIVE))


def record_repetitive_document(connection: sqlite3.Connection) -> None:
    """Write that the store may have a long document of few different words."""
    if not is_repetitive_document_recorded_or_unknown(connection):
        write_setting_or_counter(connection, _REPETITIVE, 1)


def _has_value(connection: sqlite3.Connection, name: str) -> bool:
    row = connection.execute("SELECT 1 FROM settings WHERE name = ?", (name,)).fetchone()
    return row is not None


def _read_required_value(connection: sqlite3.Connection, name: str) -> Any:
    query = "SELECT value, checksum FROM settings WHERE name = ?"
    row = connection.execute(query, (name,)).fetchone()
    if row is None or row[1] != _checksum(name, row[0]):
        raise _damaged_error(name)
    return row[0]


def _checksum(name: str, value: Any) -> int:
    return zlib.crc32(f"{name}={value!r}".encode("utf-8", "backslashreplace"))


def _damaged_error(name: str) -> StoreDamaged:
    return StoreDamaged(f"the setting {name} of the store is missing or damaged. Restore a backup.")
