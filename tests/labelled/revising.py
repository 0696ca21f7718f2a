"""Other versions of a text: words replaced, left out and put in, paragraphs joined anew."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Sequence
from itertools import cycle

from tests.labelled.traced import Origins, Traced, Unit, traced

#: Gives numbers from 0 up to 1: the one sequence of ``random`` that Python promises to keep.
Draw = Callable[[], float]


def draws(seed: str) -> Draw:
    """The numbers of a seed."""
    return random.Random(seed).random


def chosen(draw: Draw, among: Sequence[str]) -> str:
    """One of the texts, each of them as likely."""
    return among[int(draw() * len(among))]


def revised(
    units: Traced, share: float, draw: Draw, origins: Origins, foreign: Sequence[Traced] = ()
) -> Traced:
    """A version in which a share of the words was touched, scattered over the text.

    Of four touched words two are replaced, one is left out and one is put in; at least one is
    replaced. New words are those of the foreign texts, or else of the text itself: either way the
    version stays in its language.
    """
    vocabulary = [unit.text for text in foreign or [units] for unit in text if unit.is_word]
    places = [at for at, unit in enumerate(units) if unit.is_word]
    count = max(1, round(share * len(places)))
    touched = sorted(places, key=lambda _: draw())[:count]
    what = dict(zip(touched, cycle(["replace", "delete", "replace", "insert"]), strict=False))
    found: list[Unit] = []
    skip = False
    for at, unit in enumerate(units):
        if skip and not unit.is_word:
            skip = False
            continue
        skip = False
        kind = what.get(at, "keep")
        if kind in ("replace", "insert"):
            others = [word for word in vocabulary if word.casefold() != unit.text.casefold()]
            found.append(Unit(chosen(draw, others), next(origins)))
        if kind == "insert" and not unit.is_unspaced:
            found.append(Unit(" ", next(origins)))
        if kind in ("keep", "insert"):
            found.append(unit)
        # A word in a script with spaces goes together with the space after it.
        skip = kind == "delete" and not unit.is_unspaced
    return tuple(found)


def paragraphs(units: Traced) -> list[Traced]:
    """The paragraphs of a text, each with the blank line behind it."""
    found: list[list[Unit]] = [[]]
    for unit in units:
        found[-1].append(unit)
        if unit.text.count("\n") > 1:
            found.append([])
    return [tuple(paragraph) for paragraph in found if paragraph]


def joined(parts: Iterable[Traced], origins: Origins) -> Traced:
    """Parts one behind the other, each a paragraph of its own."""
    found: list[Unit] = []
    for part in parts:
        *body, end = part
        stop = Unit(end.text.rstrip(), end.origin)
        found += [*body, stop] if stop.text else body
        found.append(Unit("\n\n", next(origins)))
    return (*found[:-1], Unit("\n", next(origins)))


def extended(units: Traced, more: str, origins: Origins) -> Traced:
    """A version with something added at its end, before the line end."""
    end = units[-1:] if not units[-1].is_word and units[-1].text.isspace() else ()
    return (*units[: len(units) - len(end)], *traced(more, origins), *end)
