"""Quotations in a text: between quotation marks, and in lines after ``>``."""

from __future__ import annotations

import re

#: Between quotation marks, within a paragraph, and lines after ``>``.
_QUOTED = re.compile(
    r"^[ \t]*>.*$|“(?:(?!\n\s*\n)[^”])*”|„(?:(?!\n\s*\n)[^“”])*[“”]|«(?:(?!\n\s*\n)[^»])*»"
    r'|"(?:(?!\n\s*\n)[^"])*"',
    re.MULTILINE,
)


def quotations(text: str) -> list[tuple[int, int]]:
    """Return where quotations begin and end, in characters, marks included; in order.

    >>> [text[a:b] for text in ['He said "so be it".'] for a, b in quotations(text)]
    ['"so be it"']
    """
    return [match.span() for match in _QUOTED.finditer(text)]
