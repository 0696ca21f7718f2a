"""The options of filling a column of a database."""

from __future__ import annotations

from ilk.plugins import Option, Whole

FILLING = {"batch": Option(Whole(1, unit="rows"), "rows per transaction", 2_000, "ROWS")}
