"""Exit codes of commands."""

#: Something was found, or done; nothing was found; an error; an alarm; Ctrl-C.
DONE, NOTHING, ERROR, ALARM, INTERRUPTED = 0, 1, 2, 3, 130
