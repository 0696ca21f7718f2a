"""Forms with names, numbers and paragraphs in them: documents that share much and are others."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import count

from tests.labelled import written
from tests.labelled.revising import Draw, chosen
from tests.labelled.traced import Origins, Traced, traced


@dataclass
class Desk:
    """Where documents are put together: what is used once more keeps its origin.

    Attributes:
        origins: where the origins of new units come from.
    """

    origins: Origins = field(default_factory=count)
    _texts: dict[str, Traced] = field(default_factory=dict)

    def text(self, text: str) -> Traced:
        """A text that others may hold, too."""
        if text not in self._texts:
            self._texts[text] = traced(text, self.origins)
        return self._texts[text]

    def prose(self, language: str, name: str) -> Traced:
        """A text that was written by hand."""
        return self.text(written.prose()[language, name])

    def filled(self, form: str, **entries: str) -> Traced:
        """A form with every gap filled."""
        pieces = re.split(r"\{(\w+)\}", written.form(form))
        # Every second piece is the name of a gap.
        texts = [entries[piece] if at % 2 else piece for at, piece in enumerate(pieces)]
        return tuple(unit for text in texts if text for unit in self.text(text))


def letters() -> Iterator[tuple[str, int, dict[str, str]]]:
    """Letters of one office and notices of another, two of every matter, to different people.

    Of each the form, the number of the matter, and what stands in the gaps.
    """
    names, places, senders = (written.entries(kind) for kind in ("names", "places", "senders"))
    for form in ("appointment", "works"):
        for at, matter in enumerate(written.contents(form)):
            for copy in range(2):
                row = 2 * at + copy
                gaps = {"name": names[row % len(names)], "place": places[at % len(places)]}
                gaps |= {"sender": senders[at % len(senders)], "number": f"{4711 + 89 * row}-{row}"}
                yield form, at, gaps | {"matter": matter}


def licences() -> Iterator[tuple[str, dict[str, str]]]:
    """Licences with none, either and both of two clauses, each with three titles and holders."""
    titles, holders = written.entries("titles"), written.entries("holders")
    first, second = written.contents("clause")
    clauses = {
        "plain": "Nothing else is asked of anybody.",
        "form": first,
        "patents": second,
        "both": f"{first}\n\n{second}",
    }
    for row, (name, clause) in enumerate(clauses.items()):
        for version in range(3):
            at = row + version
            gaps = {"title": titles[at % len(titles)], "holder": holders[at % len(holders)]}
            yield name, gaps | {"year": str(2011 + 3 * at), "clause": clause}


def statement(draw: Draw) -> dict[str, str]:
    """The gaps of a statement of account, which are numbers."""
    return {gap: _amount(draw, 9_000) for gap in "abc"}


def invoice(draw: Draw, goods: list[str]) -> dict[str, str]:
    """The gaps of an invoice over some goods."""
    rows = "".join(f"{1 + int(draw() * 9)} {name}, {_amount(draw, 90)}\n" for name in goods)
    amounts = {gap: _amount(draw, 900) for gap in ("net", "tax", "gross")}
    number = f"{int(draw() * 1e6):06}"
    return amounts | {"number": number, "date": _date(draw), "rows": rows}


def prices(draw: Draw, goods: list[str]) -> dict[str, str]:
    """The gaps of a list of prices."""
    rows = "".join(f"{name} {_amount(draw, 90)}\n" for name in goods)
    return {"rows": rows, "date": _date(draw)}


def some(draw: Draw, entries: list[str], number: int) -> list[str]:
    """Some of the entries, in an order of their own."""
    return sorted(entries, key=lambda _: draw())[:number]


def _amount(draw: Draw, limit: int) -> str:
    return f"{1 + int(draw() * limit)}.{int(draw() * 100):02}"


def _date(draw: Draw) -> str:
    months = ["January", "March", "May", "June", "August", "October", "December"]
    return f"{1 + int(draw() * 28)} {chosen(draw, months)} {2015 + int(draw() * 10)}"
