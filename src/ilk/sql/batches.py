"""How much is written at once, which the help of ``ilk fill`` shows."""

from __future__ import annotations

#: Rows that are read, and written in one transaction.
BATCH = 2000
