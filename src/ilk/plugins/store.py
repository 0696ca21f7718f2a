"""The store with ids of clients, and what its methods return."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ilk.base.lazy import loader

if TYPE_CHECKING:
    from ilk.store import KEY, Added, Entering, Match, Record, checked_id

__all__ = ["KEY", "Added", "Entering", "Match", "Record", "checked_id"]

if not TYPE_CHECKING:
    __getattr__ = loader(
        __name__,
        {
            "ilk.store": (
                "Added",
                "Entering",
                "KEY",
                "Match",
                "Record",
                "checked_id",
            ),
        },
    )
