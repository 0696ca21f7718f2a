"""Exit codes of commands."""

from __future__ import annotations

from typing import TypeAlias

#: One of those below.
ExitCode: TypeAlias = int

#: Something was found, or done; nothing was found; an error; an alarm; Ctrl-C; SIGTERM.
DONE, NOTHING, ERROR, ALARM, INTERRUPTED, TERMINATED = 0, 1, 2, 3, 130, 143
