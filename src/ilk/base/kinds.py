"""Kinds of options: each reads a value as it is written, and refuses other values."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from dataclasses import dataclass
from datetime import datetime, timedelta
from fractions import Fraction
from typing import Any, ClassVar, NamedTuple, TypeAlias

from ilk.base.errors import OptionError

#: The finest fraction that a share may be.
_FINEST = 10**30

#: Huge exponents, which are refused: ``Fraction("1e9999999")`` blocks the interpreter.
_EXPONENT = re.compile(r"e[+-]?[\d_]{3}", re.IGNORECASE)
_AGE = re.compile(r"(?P<number>\d{1,9})\s*(?P<unit>[hdwy])", re.ASCII)
_SPAN = re.compile(r"(?P<number>\d{1,9})\s*(?P<unit>[mhdw])", re.ASCII)
_SIZE = re.compile(r"(?P<number>\d{1,15}(\.\d{1,9})?)\s*(?P<unit>[KMGT]?)B?", re.ASCII)

#: The value of an option, as somebody gave it.
UncheckedValue: TypeAlias = Any

#: The value of an option, as the library uses it: of the type that its kind has.
CheckedValue: TypeAlias = Any


class Kind(ABC):
    """A kind of option; ``metavar`` names its values in help."""

    __slots__ = ()

    metavar: ClassVar[str | None] = None
    #: The type that a word of a command line is converted to.
    word_type: ClassVar[type] = str

    @property
    @abstractmethod
    def allowed_values(self) -> str:
        """Return the allowed values, in words that follow "it must be"."""

    def convert_word_if_possible(self, word: str) -> UncheckedValue:
        """Return the value that a word of a command line or a recipe means, not yet checked.

        A word that cannot be converted is returned as it is, for ``check`` to refuse.
        """
        try:
            return self.word_type(word)
        except ValueError:
            return word

    def check(self, name: str, value: UncheckedValue) -> CheckedValue:
        """Return the value as the library uses it.

        Raises:
            OptionError: the value is not allowed.
        """
        meant = self._value_if_allowed_or_none(value)
        if meant is None:
            raise OptionError(f"{name} is {value!r}; it must be {self.allowed_values}.")
        return meant

    def format_value(self, value: CheckedValue) -> str:
        """Return a value as help and messages show it."""
        return str(value)

    @abstractmethod
    def _value_if_allowed_or_none(self, value: UncheckedValue) -> CheckedValue | None:
        """Return the value as the library uses it; None if it is not allowed."""


@dataclass(frozen=True, slots=True)
class Choice(Kind):
    """One of a few words or numbers."""

    allowed: tuple[str, ...] | tuple[int, ...]

    @property
    def allowed_values(self) -> str:
        return f"one of {', '.join(map(str, self.allowed))}"

    def convert_word_if_possible(self, word: str) -> str | int:
        try:
            return type(self.allowed[0])(word)
        except ValueError:
            return word

    def _value_if_allowed_or_none(self, value: UncheckedValue) -> CheckedValue | None:
        fits = type(value) is type(self.allowed[0]) and value in self.allowed
        return value if fits else None


@dataclass(frozen=True, slots=True)
class Whole(Kind):
    """A whole number."""

    metavar: ClassVar[str] = "N"
    word_type: ClassVar[type] = int

    low: int = 0
    high: int | None = None
    unit: str = ""

    @property
    def allowed_values(self) -> str:
        of = f" of {self.unit}" if self.unit else ""
        if self.high is None:
            return f"a whole number{of}, {self.low} or more"
        return f"a whole number{of} from {self.low} to {self.high}"

    def format_value(self, value: int) -> str:
        return f"{value:,}"

    def _value_if_allowed_or_none(self, value: UncheckedValue) -> int | None:
        if type(value) is int and self.low <= value and (self.high is None or value <= self.high):
            return value
        return None


@dataclass(frozen=True, slots=True)
class Share(Kind):
    """A share: ``0.8`` or ``80%``, exactly as it is written."""

    metavar: ClassVar[str] = "SHARE"

    above_zero: bool = True
    highest: Fraction = Fraction(1)

    @property
    def allowed_values(self) -> str:
        highest = f"{float(self.highest):g}"
        bounds = f"above 0 and at most {highest}" if self.above_zero else f"from 0 to {highest}"
        such = "0.8 or 80%" if self.highest == 1 else "0.05 or 5%"
        return f"a share {bounds}, such as {such} (to 30 decimals)"

    def _value_if_allowed_or_none(self, value: UncheckedValue) -> Fraction | None:
        # Exactly the decimal fraction that was written, so that no comparison is in doubt.
        written = str(value).strip()
        if _EXPONENT.search(written):
            return None
        try:
            exact = Fraction(written.removesuffix("%")) / (100 if written.endswith("%") else 1)
        except (ValueError, ZeroDivisionError):
            return None
        fits = (exact > 0 if self.above_zero else exact >= 0) and exact <= self.highest
        return exact if fits and exact.denominator <= _FINEST and type(value) is not bool else None


@dataclass(frozen=True, slots=True)
class Seconds(Kind):
    """A time above 0."""

    metavar: ClassVar[str] = "SECONDS"
    word_type: ClassVar[type] = float
    allowed_values: ClassVar[str] = "a number of seconds above 0"

    def format_value(self, value: float) -> str:
        return f"{value:g}"

    def _value_if_allowed_or_none(self, value: UncheckedValue) -> float | None:
        number = isinstance(value, int | float) and not isinstance(value, bool)
        return float(value) if number and 0 < value < 1e12 else None


@dataclass(frozen=True, slots=True)
class Size(Kind):
    """A number of bytes: ``2GB``, ``1.5GB``, ``10000000``.

    >>> Size().check("memory", "1.5GB"), Size().check("memory", 1000)
    (1500000000, 1000)
    """

    metavar: ClassVar[str] = "SIZE"
    allowed_values: ClassVar[str] = (
        "a size such as 2GB, 500MB or 10000000; units are kB, MB, GB and TB"
    )

    def format_value(self, value: int) -> str:
        """Return the size in the largest unit that divides it."""
        for unit, power in (("TB", 4), ("GB", 3), ("MB", 2), ("kB", 1)):
            if value and value % 1000**power == 0:
                return f"{value // 1000**power}{unit}"
        return str(value)

    def _value_if_allowed_or_none(self, value: UncheckedValue) -> int | None:
        match = _SIZE.fullmatch(str(value).strip().upper())
        if match is None or isinstance(value, bool):
            return None
        return int(Fraction(match["number"]) * 1000 ** " KMGT".index(match["unit"] or " "))


class SizeRange(NamedTuple):
    """The fewest and the most bytes that a file may have; None for no bound."""

    min_bytes: int | None
    max_bytes: int | None


@dataclass(frozen=True, slots=True)
class SizeBounds(Kind):
    """Sizes from the first to the second, both included: ``1MB..2GB``, ``1MB..``, ``..2GB``.

    >>> SizeBounds().check("size", "1kB..")
    SizeRange(min_bytes=1000, max_bytes=None)
    """

    metavar: ClassVar[str] = "MIN..MAX"
    allowed_values: ClassVar[str] = (
        "a range of sizes such as 1MB..2GB, 1MB.. (from) or ..2GB (up to); units are kB, MB, "
        "GB and TB"
    )

    def format_value(self, value: SizeRange) -> str:
        ends = ("" if end is None else Size().format_value(end) for end in value)
        return "..".join(ends)

    def _value_if_allowed_or_none(self, value: UncheckedValue) -> SizeRange | None:
        if isinstance(value, SizeRange):
            return value
        if not isinstance(value, str) or value.strip() == "..":
            return None
        first, dots, last = (word.strip() for word in value.partition(".."))
        min_bytes, max_bytes = (
            Size()._value_if_allowed_or_none(word) if word else None for word in (first, last)
        )
        if not dots or (first and min_bytes is None) or (last and max_bytes is None):
            return None
        if min_bytes is not None and max_bytes is not None and min_bytes > max_bytes:
            return None
        return SizeRange(min_bytes, max_bytes)


#: Hours in a unit of age.
_HOURS = {"h": 1, "d": 24, "w": 7 * 24, "y": 365 * 24}


@dataclass(frozen=True, slots=True)
class TimeOrAge(Kind):
    """A time: a date or a time of this machine's clock, or an age, counted back from now."""

    metavar: ClassVar[str] = "WHEN"
    allowed_values: ClassVar[str] = (
        "a date such as 2024-01-31, a time such as 2024-01-31T12:00, or an age such as 12h, 30d, "
        "8w or 2y"
    )

    def format_value(self, value: datetime) -> str:
        return value.isoformat()

    def _value_if_allowed_or_none(self, value: UncheckedValue) -> datetime | None:
        age = _AGE.fullmatch(value.strip()) if isinstance(value, str) else None
        try:
            if age is not None:
                hours = int(age["number"]) * _HOURS[age["unit"]]
                return datetime.now().astimezone() - timedelta(hours=hours)
            meant = datetime.fromisoformat(value) if isinstance(value, str) else value
            # Without a zone, it is a time of this machine's clock.
            return meant.astimezone() if isinstance(meant, datetime) else None
        except (ValueError, OverflowError, OSError):
            return None


#: The part of a ``timedelta`` that a unit of a span names.
_UNITS = {"m": "minutes", "h": "hours", "d": "days", "w": "weeks"}


@dataclass(frozen=True, slots=True)
class Duration(Kind):
    """A length of time: ``7d``, ``12h``, ``30m``, ``2w``, or a ``timedelta``.

    >>> Duration().check("window", "2w")
    datetime.timedelta(days=14)
    """

    metavar: ClassVar[str] = "SPAN"
    allowed_values: ClassVar[str] = "a length of time such as 30m, 12h, 7d or 2w"

    def format_value(self, value: timedelta) -> str:
        """Return the span in the largest unit that divides it."""
        for unit in "dhm":  # Seven days are 7d, as people write them.
            of_unit = timedelta(**{_UNITS[unit]: 1})
            if not value % of_unit:
                return f"{value // of_unit}{unit}"
        return str(value)

    def _value_if_allowed_or_none(self, value: UncheckedValue) -> timedelta | None:
        if isinstance(value, timedelta):
            return value if value > timedelta() else None
        match = _SPAN.fullmatch(value.strip()) if isinstance(value, str) else None
        if match is None or not int(match["number"]):
            return None
        try:
            return timedelta(**{_UNITS[match["unit"]]: int(match["number"])})
        except OverflowError:
            return None


@dataclass(frozen=True, slots=True)
class Text(Kind):
    """Any text: a name, a path, a pattern."""

    allowed_values: ClassVar[str] = "a text"

    def _value_if_allowed_or_none(self, value: UncheckedValue) -> str | None:
        return value if isinstance(value, str) else None


@dataclass(frozen=True, slots=True)
class Flag(Kind):
    """A switch, on or off."""

    allowed_values: ClassVar[str] = "True or False"

    def _value_if_allowed_or_none(self, value: UncheckedValue) -> bool | None:
        return value if isinstance(value, bool) else None
