"""The text in XML, in one pass, without a tree; dangerous features of XML are refused.

A document type that declares entities is refused before any of them is used, and nothing outside
the file is ever read: expat fetches nothing by itself.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from xml.parsers import expat

from ilk.read.formats.parts import Unfit


class Rules:
    """The rules for the text of a kind of XML; elements have names without prefix.

    Attributes:
        texts: elements whose text counts, with that of all elements in them.
        skipped: elements to ignore, with everything in them.
        before, after: text to put before and after an element.
    """

    def __init__(
        self,
        texts: Collection[str],
        skipped: Collection[str] = (),
        before: Mapping[str, str] | None = None,
        after: Mapping[str, str] | None = None,
    ) -> None:
        """Keep them."""
        self.texts, self.skipped = frozenset(texts), frozenset(skipped)
        self.before, self.after = dict(before or {}), dict(after or {})


def parse(parser: expat.XMLParserType, data: bytes) -> None:
    """Parse a whole document with the handlers set; Unfit if it declares entities."""

    def refuse(*_: object) -> None:
        raise Unfit("declares entities in its XML, which such documents never need")

    parser.EntityDeclHandler = refuse
    parser.Parse(data, True)


def text(data: bytes, rules: Rules) -> str:
    """Return the text of an XML document; empty if it has no bytes."""
    if not data:
        return ""
    parser = expat.ParserCreate()
    parser.buffer_text = True
    pieces: list[str] = []
    keep = pieces.append
    inside = skipping = 0
    texts, skipped, before, after = rules.texts, rules.skipped, rules.before, rules.after

    def start(name: str, _: dict[str, str]) -> None:
        nonlocal inside, skipping
        local = name[name.find(":") + 1 :]
        if skipping or local in skipped:
            skipping += 1
            return
        if local in before:
            keep(before[local])
        if local in texts:
            inside += 1

    def end(name: str) -> None:
        nonlocal inside, skipping
        if skipping:
            skipping -= 1
            return
        local = name[name.find(":") + 1 :]
        if local in texts:
            inside -= 1
        if local in after:
            keep(after[local])

    def characters(data: str) -> None:
        if inside and not skipping:
            keep(data)

    parser.StartElementHandler = start
    parser.EndElementHandler = end
    parser.CharacterDataHandler = characters
    parse(parser, data)
    return "".join(pieces)


def values(data: bytes, wanted: Collection[str]) -> dict[str, str]:
    """Return the text of the first of every wanted element that has any."""
    found: dict[str, str] = {}
    if not data:
        return found
    parser = expat.ParserCreate()
    parser.buffer_text = True
    open_: list[str] = []

    def start(name: str, _: dict[str, str]) -> None:
        open_.append(name[name.find(":") + 1 :])

    def end(_: str) -> None:
        open_.pop()

    def characters(data: str) -> None:
        if open_ and open_[-1] in wanted and data.strip():
            found.setdefault(open_[-1], " ".join(data.split()))

    parser.StartElementHandler = start
    parser.EndElementHandler = end
    parser.CharacterDataHandler = characters
    parse(parser, data)
    return found


def attributes(data: bytes, element: str) -> list[dict[str, str]]:
    """Return the attributes of all elements with a name, in order."""
    found: list[dict[str, str]] = []
    if not data:
        return found
    parser = expat.ParserCreate()

    def start(name: str, said: dict[str, str]) -> None:
        if name[name.find(":") + 1 :] == element:
            found.append(said)

    parser.StartElementHandler = start
    parse(parser, data)
    return found
