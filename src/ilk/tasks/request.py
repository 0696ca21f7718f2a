"""The request of ``find`` and ``deduplicate``: what decides which documents are alike, and stay."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Any

from ilk.base.errors import OptionError
from ilk.base.options import OPTIONS, check_option
from ilk.read import Reading
from ilk.search.alarms import AlarmLimits
from ilk.search.query import Query
from ilk.search.ranking import CENTRAL, columns_of_policies
from ilk.tasks import labels as labelling


@dataclass(frozen=True, slots=True)
class Request:
    """What decides which documents are alike, and which of them stay.

    Attributes:
        query: what near-duplicates are.
        reading: what is read.
        limits: what raises the alarm.
        labels: pairs that a person has labelled, or None.
        exact: whether only equal texts count.
        identical: whether only equal bytes of files count.
        key: the columns whose equal values alone count, in all of them; None compares the texts.
        within: rows meet only where their values in all of these columns are equal.
        window: how far apart in time documents may be alike; None if at any time.
        date: the column of times; None takes those of files.
        only_against: whether documents are compared with those of ``against`` alone.
        count: the column that says how many rows each kept row stands for; None writes none.
    """

    query: Query
    reading: Reading
    limits: AlarmLimits
    labels: list[labelling.Label] | None = None
    exact: bool = False
    key: tuple[str, ...] | None = None
    identical: bool = False
    within: tuple[str, ...] = ()
    window: timedelta | None = None
    date: str | None = None
    only_against: bool = False
    count: str | None = None

    @classmethod
    def from_options(
        cls,
        query: Query,
        reading: Reading,
        *,
        limits: AlarmLimits | None = None,
        labels: str | os.PathLike[str] | None = None,
        exact: bool = False,
        key: str | Sequence[str] | None = None,
        identical: bool = False,
        within: str | Sequence[str] | None = None,
        window: str | timedelta | None = None,
        date: str | None = None,
        only_against: bool = False,
        count: str | None = None,
    ) -> Request:
        """Check the attributes together; ``labels`` is a file.

        Raises:
            OptionError: an option is out of bounds, or two contradict each other.
            LabelsError: the labels cannot be read.
        """
        identical = check_option("identical", identical)
        if identical and CENTRAL in query.keep:
            raise OptionError(
                f"`keep` is {CENTRAL!r}, which is about resemblances, and with `identical` no text "
                "is read; choose another policy."
            )
        if exact and key is not None:
            raise OptionError("`exact` and `key` cannot be combined; give one of them.")
        for name in ("same_site", "noise"):
            if getattr(query, name) is not None and (exact or key is not None):
                raise OptionError(
                    f"`{name}` sets a resemblance; leave it out, or `exact` and `key`, which ask "
                    "for equal texts or keys."
                )
        if labels is not None and query.unverified:
            raise OptionError(
                "`labels` are for verified pairs; leave out `labels` or `unverified`."
            )
        columns_of_key = None if key is None else _check_different_columns("key", key)
        groups = () if within is None else _check_different_columns("within", within)
        if groups and identical:
            raise OptionError(
                "`identical` compares files by their bytes, and files have no columns for "
                "`within`; leave out one of the two."
            )
        for name, given in (("within", groups), ("window", window)):
            if given and query.unverified:
                raise OptionError(
                    f"`unverified` shows pairs found by bits alone, which know of no `{name}`; "
                    "leave out one of the two."
                )
        if date is not None and identical:
            raise OptionError(
                "`identical` compares files by their bytes, and files have no columns for `date`; "
                "leave it out, and `window` takes the times of the files."
            )
        label_list = None if labels is None else labelling.read_tab_separated_labels(labels)
        # A key is read instead of the text.
        if columns_of_key is not None:
            reading = replace(reading, text=columns_of_key, keyed=True)
        exact = check_option("exact", exact)
        alarms = limits or AlarmLimits.from_options_or_defaults()
        return cls(
            query=query,
            reading=reading,
            limits=alarms,
            labels=label_list,
            exact=exact,
            key=columns_of_key,
            identical=identical,
            within=groups,
            window=check_option("window", window),
            date=check_option("date", date),
            only_against=check_option("only_against", only_against),
            count=check_option("count", count),
        )

    def with_recipe_ignoring_same_as_counting(self) -> Request:
        """Return the same request with a recipe that ignores what the counting of shingles does,
        as far as a recipe can.
        """
        recipe = self.query.counting.make_recipe_ignore_same_accents_and_digits(self.query.recipe)
        return replace(self, query=replace(self.query, recipe=recipe))

    def reading_with_columns_needed_besides(self) -> Reading:
        """Return what is read, with the columns that are needed besides."""
        named = [*self.within, *columns_of_policies(self.query.keep)]
        named += [name for name in (self.date, self.count) if name is not None]
        return replace(self.reading, columns=tuple(dict.fromkeys(named)), within=self.within)

    @property
    def compares_only_for_equality(self) -> bool:
        """Whether only equal texts, keys or bytes count."""
        return self.exact or self.key is not None or self.identical

    def with_higher_resemblance(self, resemblance: str | float) -> Request:
        """Return the same request at a higher resemblance.

        Raises:
            OptionError: it is lower, or only equal texts count.
        """
        higher = check_option("resemblance", resemblance)
        if self.compares_only_for_equality:
            raise OptionError("only equal texts, keys or bytes were compared, at no resemblance.")
        if higher < self.query.resemblance:
            raise OptionError(
                f"`resemblance` is {resemblance}, below the {float(self.query.resemblance)} of "
                "this result; search again."
            )
        site = self.query.same_site
        site = None if site is None else max(site, higher)
        return replace(self, query=replace(self.query, resemblance=higher, same_site=site))

    def plain_values(self) -> dict[str, Any]:
        """Return the request as plain values, for a report."""
        limits = {
            "alarm_documents": self.limits.documents,
            "alarm_share": float(self.limits.share),
            "alarm_loss": float(self.limits.loss),
        }
        key = None if self.key is None else list(self.key)
        own = {"exact": self.exact, "key": key, "count": self.count}
        return (
            self.query.plain_values()
            | self.reading.plain()
            | own
            | self.plain_meeting_conditions()
            | limits
        )

    def plain_meeting_conditions(self) -> dict[str, Any]:
        """Return which documents may meet, as plain values."""
        window = None if self.window is None else OPTIONS["window"].kind.format_value(self.window)
        return {"within": list(self.within), "window": window, "date": self.date} | {
            "only_against": self.only_against
        }


def _check_different_columns(option: str, columns: str | Sequence[str]) -> tuple[str, ...]:
    """Return the columns that an option names, checked.

    Raises:
        OptionError: no column is named, or one is named twice.
    """
    names = [columns] if isinstance(columns, str) else list(columns)
    columns = tuple(OPTIONS[option].kind.check(option, name) for name in names)
    if not columns or len(set(columns)) < len(columns):
        raise OptionError(
            f"{option} is {names!r}; it must be a column, or different columns, whose values rows "
            "have in common."
        )
    return columns
