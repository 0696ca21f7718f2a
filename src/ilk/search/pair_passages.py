"""The passages of two texts, where they are in the texts as written, and the names that differ."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from ilk import arrow
from ilk.base.run_options import Running
from ilk.search import passages
from ilk.search.passage_parts import CollectedWords, Measure
from ilk.search.passages import Passage
from ilk.search.programs import AsCode, NameChange, list_changed_names


class PairPassages(NamedTuple):
    """The passages of two texts.

    longest: the longest ones.
    number, words: how many there are, and of how many words.
    name_changes: the names that differ in the longest ones; None if not both are programs.
    """

    longest: list[Passage]
    number: int
    words: int
    name_changes: list[NameChange] | None


def find_pair_passages(
    texts: tuple[str, str],
    names: Sequence[str | None],
    as_: AsCode | None,
    measure: Measure,
    running: Running,
    *,
    most: int,
) -> PairPassages:
    """Return the passages that two texts share, with their places in these texts.

    Args:
        texts, names: both texts, and the names of their documents, which tell their languages.
        as_: how programs are compared; None for texts.
        measure: what counts as a passage.
        running: threads and memory.
        most: how many passages to return.
    """
    rendered = arrow.import_texts(
        list(texts) if as_ is None else as_.replace_programs_by_words(texts, names)
    )
    collected = CollectedWords(measure, running)
    collected.add_words_of(rendered)
    repeated = collected.find_repeated(passages.TWO, reference_size=1)
    shared = passages.longest_shared_passages(rendered, repeated, most)
    if as_ is None:
        return PairPassages(shared.longest, shared.number, shared.words, None)
    written, changes = _place_passages_in_programs(shared.longest, as_, texts, names)
    return PairPassages(written, shared.number, shared.words, changes)


def _place_passages_in_programs(
    passages: list[Passage], as_: AsCode, texts: tuple[str, str], names: Sequence[str | None]
) -> tuple[list[Passage], list[NameChange] | None]:
    """Return passages of what counts of two texts as they are in the texts themselves.

    With them come the names that differ in them; None if one of the texts is no program.
    """
    left, right = (as_.parse_if_program(*one) for one in zip(texts, names, strict=True))
    written = []
    for one in passages:
        here, there = (one.left_start, one.left_end), (one.right_start, one.right_end)
        here = here if left is None else left.span_in_program(*here)
        there = there if right is None else right.span_in_program(*there)
        written.append(Passage(one.words, *here, *there, texts[0][slice(*here)]))
    if left is None or right is None:
        return written, None
    runs = ((one.left_start, one.left_end, one.right_start, one.right_end) for one in passages)
    return written, list_changed_names(texts, (left, right), runs)
