"""Which documents the set holds, and which of them are of one kind."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from tests.labelled import filling, labels, revising, spelling, written
from tests.labelled.filling import Desk
from tests.labelled.spelling import Spelling
from tests.labelled.traced import Traced, spelled

#: Shares of the words that are touched from one version to the next.
_STEPS = (0.01, 0.015, 0.06, 0.15)

#: Texts that come in five versions, each made of the one before.
_CHAINS = (
    ("en", "harbour-news"),
    ("en", "bread-recipe"),
    ("en", "bees-lecture"),
    ("en", "story-lighthouse"),
    ("en", "product-kettle"),
    ("de", "satzung"),
    ("fr", "règlement"),
    ("el", "οδηγίες"),
    ("ru", "объявление"),
    ("zh", "通知"),
    ("ja", "案内"),
)

#: Texts that stand in files of several spellings.
_SPELLED: dict[tuple[str, str], tuple[Spelling, ...]] = {
    ("en", "harbour-history"): (
        spelling.crlf,
        spelling.wrapped,
        spelling.flowing,
        spelling.unbroken,
        spelling.upper,
        spelling.wide,
    ),
    ("en", "harbour-manual"): (spelling.crlf, spelling.flowing, spelling.lower, spelling.marked),
    ("de", "garten"): (spelling.upper, spelling.decomposed),
    ("fr", "marché"): (spelling.decomposed, spelling.unbroken),
    ("cs", "kronika"): (spelling.decomposed,),
    ("vi", "quán phở"): (spelling.decomposed, spelling.upper),
    ("el", "καφενείο"): (spelling.lower, spelling.wrapped),
    ("ru", "станция"): (spelling.upper, spelling.crlf),
    ("ko", "책방"): (spelling.decomposed,),
    ("ar", "بئر"): (spelling.flowing,),
    ("he", "ספרייה"): (spelling.wrapped,),
    ("zh", "茶馆"): (spelling.crlf,),
    ("th", "ตลาดน้ำ"): (spelling.crlf,),
}

#: Texts that are in the set only with a quotation within them, and the one that they quote.
_HOSTS = {
    "minutes-council": "ferry-rules",
    "weather-report": "ferry-rules",
    "software-notes": "proverb-list",
    "letter-tenant": "proverb-list",
}

#: The share of the words of a headline that stand otherwise in another one.
_REWORDED = 0.3


@dataclass(frozen=True, slots=True)
class Document:
    """A document of the set.

    Attributes:
        name: its path below the set's folder.
        family: what is of one kind has one family.
        version: which version of it this is; spellings of one text have one version.
        units: its text and where that is from.
        spelling: how its file spells the text.
    """

    name: str
    family: str
    version: int
    units: Traced
    spelling: Spelling = spelling.as_written

    @property
    def content(self) -> bytes:
        """The bytes of its file."""
        return self.spelling(spelled(self.units)).encode()


def documents() -> list[Document]:
    """All documents, always the same."""
    desk = Desk()
    return [
        *_chains(desk),
        *_others(desk),
        *_spellings(desk),
        *_rearranged(desk),
        *_quoting(desk),
        *_letters(desk),
        *_licences(desk),
        *_figures(desk),
        *_headlines(desk),
    ]


def quoted() -> dict[str, str]:
    """By name of a document, that of the one which stands in it as a whole."""
    return {f"quoting/{host}.txt": f"quoted/{quotation}.txt" for host, quotation in _HOSTS.items()}


def _chains(desk: Desk) -> Iterator[Document]:
    for language, name in _CHAINS:
        units = desk.prose(language, name)
        for version in range(len(_STEPS) + 1):
            if version:
                draw = revising.draws(f"{language} {name} {version}")
                units = revising.revised(units, _STEPS[version - 1], draw, desk.origins)
            path = f"versions/{language}-{name}-{version + 1}.txt"
            yield Document(path, f"{language} {name}", version + 1, units)


def _others(desk: Desk) -> Iterator[Document]:
    """Every other text but English ones, then a version that is near, and of it one that is far."""
    for language, name in written.prose():
        if language == "en" or (language, name) in _CHAINS:
            continue
        units = desk.prose(language, name)
        family = f"{language} {name}"
        yield Document(f"languages/{language}-{name}.txt", family, 1, units)
        for version, share in enumerate((0.02, 0.15), 2):
            draw = revising.draws(f"{family} {version}")
            units = revising.revised(units, share, draw, desk.origins)
            yield Document(f"languages/{language}-{name}-{version}.txt", family, version, units)


def _spellings(desk: Desk) -> Iterator[Document]:
    for (language, name), spellings in _SPELLED.items():
        units, family = desk.prose(language, name), f"{language} {name}"
        for way in (spelling.as_written, *spellings) if language == "en" else spellings:
            path = f"spellings/{language}-{name}-{way.__name__}.txt"
            yield Document(path, family, 1, units, way)


def _rearranged(desk: Desk) -> Iterator[Document]:
    """A text with its paragraphs in another order, with one more, and with one less."""
    units = desk.prose("en", "bread-essay")
    first, second = revising.paragraphs(units)
    (_, more), _ = written.quotations().items()
    note = desk.text(more[: more.index(".") + 1])
    orders: dict[str, tuple[Traced, ...]] = {
        "as-written": (first, second),
        "other-order": (second, first),
    }
    orders |= {"with-note": (first, second, note), "half": (second,)}
    for name, parts in orders.items():
        whole = revising.joined(parts, desk.origins)
        # Half a text is no version of it, nor is the text one of its half.
        family = "half of bread-essay" if name == "half" else "en bread-essay"
        yield Document(f"rearranged/{name}.txt", family, 1, whole)


def _quoting(desk: Desk) -> Iterator[Document]:
    for name, text in written.quotations().items():
        yield Document(f"quoted/{name}.txt", name, 1, desk.text(text))
    for host, name in _HOSTS.items():
        first, *rest = revising.paragraphs(desk.prose("en", host))
        quotation = desk.text(written.quotations()[name])
        whole = revising.joined((first, quotation, *rest), desk.origins)
        yield Document(f"quoting/{host}.txt", host, 1, whole)


def _letters(desk: Desk) -> Iterator[Document]:
    for number, (form, matter, gaps) in enumerate(filling.letters(), 1):
        path = f"letters/{form}-{number:02}.txt"
        yield Document(path, f"{form} {matter}", 1, desk.filled(form, **gaps))


def _licences(desk: Desk) -> Iterator[Document]:
    for number, (clauses, gaps) in enumerate(filling.licences(), 1):
        path = f"licences/{clauses}-{number:02}.txt"
        yield Document(path, f"licence {clauses}", 1, desk.filled("licence", **gaps))


def _figures(desk: Desk) -> Iterator[Document]:
    """Documents of figures: those that differ in numbers alone are of one kind, by definition.

    They are no copies: each is a document of its own, and the verdict says so (``numbers_only``).
    But a family is what a reader would look at together, as the letters of one matter are, whose
    reference is another.
    """
    names, goods = written.entries("names"), written.entries("goods")
    families: dict[str, str] = {}
    for number in range(1, 7):
        draw = revising.draws(f"figures {number}")
        found = {
            "statement": filling.statement(draw),
            "invoice": filling.invoice(draw, filling.some(draw, goods, 8)) | {"name": names[0]},
            "prices": filling.prices(draw, goods) | {"name": "Fennick Tool Supplies"},
        }
        for form, gaps in found.items():
            path = f"figures/{form}-{number}.txt"
            units = desk.filled(form, **gaps)
            family = families.setdefault(labels.without_numbers(units), path)
            yield Document(path, family, 1, units)


def _headlines(desk: Desk) -> Iterator[Document]:
    """Headlines, each with a louder copy and one that shares most words and says otherwise."""
    for language, lines in written.headlines().items():
        for number, line in enumerate(lines, 1):
            units, family = desk.text(line), f"headline {language} {number}"
            foreign = [desk.text(other) for other in lines if other != line]
            path = f"headlines/{language}-{number:02}"
            draw = revising.draws(family)
            otherwise = revising.revised(units, _REWORDED, draw, desk.origins, foreign)
            loud = revising.extended(units, "!", desk.origins)
            yield Document(f"{path}.txt", family, 1, units)
            yield Document(f"{path}-loud.txt", family, 1, loud, spelling.upper)
            yield Document(f"{path}-otherwise.txt", f"{family} otherwise", 1, otherwise)
