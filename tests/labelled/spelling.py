"""The same text, written otherwise: what a file goes through on its way, and means nothing."""

from __future__ import annotations

import re
import textwrap
import unicodedata
from collections.abc import Callable

Spelling = Callable[[str], str]


def as_written(text: str) -> str:
    """As it is."""
    return text


def crlf(text: str) -> str:
    """With the line ends of another system."""
    return text.replace("\n", "\r\n")


def wrapped(text: str) -> str:
    """In narrow lines; only for scripts with spaces."""
    narrow = (textwrap.fill(p, 48, break_on_hyphens=False) for p in text.strip().split("\n\n"))
    return "\n\n\n".join(narrow) + "\n"


def flowing(text: str) -> str:
    """With a paragraph in a line, indented, and two spaces behind a sentence."""
    lines = (" ".join(p.split()) for p in text.strip().split("\n\n"))
    return "\n".join("\t" + re.sub(r"([.!?:]) ", r"\1  ", line) for line in lines) + "\n\n"


def unbroken(text: str) -> str:
    """With spaces that do not break lines."""
    return text.replace(" ", "\u00a0")


def upper(text: str) -> str:
    """In capitals."""
    return text.upper()


def lower(text: str) -> str:
    """Without capitals."""
    return text.lower()


def decomposed(text: str) -> str:
    """With letters and their marks as characters of their own."""
    return unicodedata.normalize("NFD", text)


def wide(text: str) -> str:
    """With the letters and digits of ASCII as wide as those of Chinese."""
    return re.sub(r"[0-9A-Za-z]", lambda found: chr(ord(found[0]) + 0xFEE0), text)


def marked(text: str) -> str:
    """With a byte order mark."""
    return "\ufeff" + text
