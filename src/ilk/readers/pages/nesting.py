"""How deep the tags of a page are nested, told without a parser: parsers fail on depth."""

from __future__ import annotations

import re

_TAG = re.compile(rb"<(/?)([A-Za-z][A-Za-z0-9]*)")

#: Elements that hold nothing, or end by themselves where the next one begins.
_FLAT = frozenset(
    b"area base br col embed hr img input link meta param source track wbr "
    b"body colgroup dd dt head html li option optgroup p rp rt tbody td tfoot th thead tr".split()
)


def is_deeper(html: bytes, most: int) -> bool:
    """Whether more than so many tags of a page are open at once."""
    if html.count(b"<") - html.count(b"</") <= most:
        return False  # So many are not even opened.
    depth = 0
    for tag in _TAG.finditer(html):
        if tag[2].lower() not in _FLAT:
            depth = max(depth - 1, 0) if tag[1] else depth + 1
            if depth > most:
                return True
    return False
