"""The doors: parse, call, print. No algorithm, and the only rooms that print or exit."""
