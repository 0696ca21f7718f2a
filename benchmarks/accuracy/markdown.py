"""Tables in Markdown."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> Iterator[str]:
    """A table, its numbers flushed right."""
    yield f"| {' | '.join(head)} |"
    yield f"|{'|'.join(['---', *['--:'] * (len(head) - 1)])}|"
    for row in rows:
        yield f"| {' | '.join(row)} |"
