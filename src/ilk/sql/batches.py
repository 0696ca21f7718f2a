"""How much to write at once, for the help of ``ilk fill``."""

from __future__ import annotations

#: Rows to read, and to write in one transaction.
BATCH = 2000
