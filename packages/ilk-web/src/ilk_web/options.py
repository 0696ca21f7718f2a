"""The options of mirrors: what counts as one."""

from __future__ import annotations

from ilk.plugins import Option, Whole

MIRRORS = {
    "least": Option(Whole(1, unit="pages"), "the least number of different pages in a mirror", 3),
    "max_hosts": Option(
        Whole(2, unit="hosts"),
        "ignore contents and paths that are on more hosts than this; the report counts them",
        50,
        part=("limit", "hosts"),
    ),
}
