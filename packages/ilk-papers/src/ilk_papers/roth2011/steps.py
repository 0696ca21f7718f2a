"""Every step from a text to its number of 2011, as the paper's Figure 1 has them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeAlias

from ilk_papers.roth2011.index import exclusive_int64_bounds_of_similar
from ilk_papers.roth2011.methods import (
    METHODS,
    Combination,
    Parameters,
    compute_number,
    sketch_document,
)
from ilk_papers.roth2011.tokens import grams, tokens_as_text

#: A step of a method as it is shown.
NameAndValue: TypeAlias = tuple[str, str]

#: Entries of a list that are shown; the number of all follows.
_SHOWN = 24


def steps_of(text: str, combination: Combination) -> list[NameAndValue]:
    """Return the steps of a number of 2011, each with its value; or what the text lacks for it."""
    of, p = combination, Parameters()
    every = grams(text, of.k, of.stream, of.variation)
    codes, sketch = sketch_document(text, of, p)
    steps = [
        ("text", quote_beginning(text)),
        (
            f"tokens: {of.stream}, variation {of.variation}",
            tokens_as_text(text, of.stream, of.variation),
        ),
        (f"k-grams, k = {of.k}", _spell_shortened_list(map(repr, every))),
        ("fingerprints: String.hashCode", _spell_shortened_list(codes)),
        (f"sketch: {METHODS[of.method]}", _spell_shortened_list(sketch)),
    ]
    if not every or not len(sketch):
        lacks = "k-grams" if not every else "fingerprints in its sketch"
        return [*steps, ("Similarity Index", f"none: the text is too short, and has no {lacks}")]
    value = compute_number(text, of, p)
    low, high = exclusive_int64_bounds_of_similar(value)
    return [
        *steps,
        ("Similarity Index", str(value)),
        ("bounds: SI - |0.3 SI|, SI + |0.3 SI|", f"{low}, {high}"),
    ]


def _spell_shortened_list(values: Iterable[object]) -> str:
    every = list(map(str, values))
    more = f" ... ({len(every)} in all)" if len(every) > _SHOWN else ""
    return " ".join(every[:_SHOWN]) + more if every else "none"


def quote_beginning(text: str) -> str:
    """Return a text in quotes, without its end if it is long."""
    return repr(text if len(text) <= 60 else f"{text[:57]}...")
