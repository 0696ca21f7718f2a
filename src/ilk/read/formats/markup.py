"""The text in HTML, in one pass: without tags, but with line breaks between blocks.

It is for the pages of books and messages, which are all text. For web pages, whose main text must
be found among other things, use ``read.pages``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import unescape

_TAG = re.compile(
    r"<(?:(?P<comment>!--)|/?(?P<name>[A-Za-z][A-Za-z0-9:-]*)"
    r"(?:[^<>\"']|\"[^\"<]{0,4000}\"|'[^'<]{0,4000}')*+>|[!?][^<>]*>)"
)

#: Elements whose content is not shown.
_HIDDEN = frozenset(("script", "style", "title", "template", "noscript"))

#: Elements on lines of their own.
_BLOCKS = frozenset(
    (
        *("address", "article", "aside", "blockquote", "body", "br", "caption", "dd", "div", "dl"),
        *("dt", "fieldset", "figcaption", "figure", "footer", "form", "h1", "h2", "h3", "h4", "h5"),
        *("h6", "head", "header", "hr", "html", "li", "main", "nav", "ol", "p", "pre", "section"),
        *("table", "tbody", "tfoot", "thead", "tr", "ul"),
    )
)
_SPACE = re.compile(r"\s+")


def text(html: str) -> str:
    """Return the text of a page."""
    lines = (line.strip() for line in "".join(_pieces(html)).split("\n"))
    return "\n".join(line for line in lines if line)


def _pieces(html: str) -> Iterator[str]:
    """Yield the text between tags, and what the tags mean."""
    at = 0
    while match := _TAG.search(html, at):
        yield _shown(html[at : match.start()])
        at = match.end()
        if match["comment"]:
            end = html.find("-->", at)
            at = len(html) if end < 0 else end + 3
        elif match["name"]:
            name = match["name"].lower()
            if name in _BLOCKS:
                yield "\n"
            elif name in ("td", "th"):
                yield "\t"
            elif name in _HIDDEN and match[0][1] != "/" and match[0][-2] != "/":
                end_tag = re.compile(f"</{name}", re.IGNORECASE).search(html, at)
                at = end_tag.start() if end_tag else len(html)
    yield _shown(html[at:])


def _shown(data: str) -> str:
    return unescape(_SPACE.sub(" ", data))
