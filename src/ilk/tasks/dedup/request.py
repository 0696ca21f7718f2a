"""The request for a deduplication: what decides which rows are kept."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from ilk.base.errors import OptionError
from ilk.base.options import checked
from ilk.read import Reading
from ilk.search.alarms import Limits
from ilk.search.sought import Sought


@dataclass(frozen=True, slots=True)
class Request:
    """What decides which rows are kept.

    Attributes:
        sought: what near-duplicates are.
        reading: what is read.
        limits: what raises the alarm.
        exact: whether only equal texts count.
        key: the column whose equal values alone count; None compares the texts.
    """

    sought: Sought
    reading: Reading
    limits: Limits
    exact: bool
    key: str | None

    @classmethod
    def of(
        cls,
        sought: Sought,
        reading: Reading,
        limits: Limits,
        *,
        exact: bool,
        key: str | None,
    ) -> Request:
        """Combine options into a request.

        Raises:
            OptionError: two contradict each other.
        """
        if exact and key is not None:
            raise OptionError("`exact` and `key` cannot be combined; give one of them.")
        if sought.same_site is not None and (exact or key is not None):
            raise OptionError(
                "`same_site` sets a resemblance, which `exact` and `key` do not use; leave it out, "
                "or them."
            )
        if sought.noise is not None and (exact or key is not None):
            raise OptionError(
                "`noise` finds texts that are nearly equal, but `exact` and `key` ask for equal "
                "ones; leave it out, or them."
            )
        # A key is read instead of the text.
        key = checked("key", key)
        read = reading if key is None else replace(reading, text=(key,))
        return cls(sought, read, limits, checked("exact", exact), key)

    def plain(self) -> dict[str, Any]:
        """Return the request as plain values, for a report."""
        limits = {
            "alarm_documents": self.limits.documents,
            "alarm_share": float(self.limits.share),
            "alarm_loss": float(self.limits.loss),
        }
        own = {"exact": self.exact, "key": self.key, **limits}
        return self.sought.plain() | self.reading.plain() | own
