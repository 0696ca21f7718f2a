"""Noisy copies of a text: what scanners, typists and transcribers do to it, by a known share.

A share of the characters of words is wrong: replaced at random or as scanners confuse them (rn and
m, l and 1, e and c), lost, or added; if a text has enough lines, whole lines are lost. Words are
joined and split, and hyphens are put at the ends of lines, as often as characters are wrong; this
does not count as wrong.
"""

from __future__ import annotations

from typing import TypeAlias

from ilk.plugins import OptionError, check_option
from ilk_papers.measure.edits import CONFUSIONS
from ilk_papers.seeded import Draw, draw_ascending_sample, draw_below, seeded_draw

#: What may be wrong with a character, and how often in twenty: confused, replaced, lost, added.
KINDS = {"confused": 10, "replaced": 4, "lost": 3, "added": 3}

#: The share of the wrong characters that is lost with whole lines, if lines are short enough.
_LINES = 0.2

#: Letters that replace others.
_LETTERS = "etaoinshrdlucmfwypvbgkqjxz"


#: How many characters are wrong.
WrongCharacters: TypeAlias = int


def make_noisy(text: str, rate: float, seed: int | str) -> str:
    """Return a copy with about this share of its characters wrong; the same for the same arguments.

    Args:
        text: the text to copy.
        rate: above 0 and at most 0.1.
        seed: the seed of random choices.

    Raises:
        OptionError: the rate is out of bounds.

    >>> make_noisy("the modern burn of a clean line", 0.1, 1) != "the modern burn of a clean line"
    True
    """
    if check_option("noise", rate) is None:
        raise OptionError("rate is None; it must be a share above 0 and at most 0.1.")
    draw = seeded_draw(seed)
    lines = text.splitlines(keepends=True)
    total = sum(map(str.isalnum, text))
    wrong = int(rate * total + draw_below(draw, 1000) / 1000)
    wrong -= _empty_lines(lines, draw, max_characters=int(_LINES * wrong))
    cells = list("".join(lines))
    letters = [at for at, c in enumerate(cells) if c.isalnum()]
    places = draw_ascending_sample(draw, len(letters), min(wrong, len(letters)))
    for at in (letters[place] for place in places):
        if wrong > 0:
            wrong -= _spoil_character(cells, at, draw)
    _join_split_and_hyphenate_words(cells, rate, draw)
    return "".join(cells)


def _empty_lines(lines: list[str], draw: Draw, *, max_characters: int) -> WrongCharacters:
    """Empty some of the lines; return how many characters these had, at most as many as given."""
    lost = 0
    for at in draw_ascending_sample(draw, len(lines), len(lines) // 2):
        size = sum(map(str.isalnum, lines[at]))
        if 0 < size <= max_characters - lost:
            lines[at] = "\n"
            lost += size
    return lost


def _spoil_character(cells: list[str], at: int, draw: Draw) -> WrongCharacters:
    """Make a character wrong, in place; return how many characters are wrong."""
    turn = draw_below(draw, sum(KINDS.values()))
    character, following = cells[at], "".join(cells[at : at + 2])
    if turn < KINDS["confused"]:
        if following in CONFUSIONS:
            cells[at : at + 2] = [CONFUSIONS[following], ""]
            return 2
        if character.lower() in CONFUSIONS:
            cells[at] = CONFUSIONS[character.lower()]
            return len(cells[at])
        turn = KINDS["confused"]
    letter = _LETTERS[draw_below(draw, len(_LETTERS))]
    turn -= KINDS["confused"]
    if turn < KINDS["replaced"]:
        cells[at] = letter if letter != character.lower() else ""
    elif turn < KINDS["replaced"] + KINDS["lost"]:
        cells[at] = ""
    else:
        cells[at] = character + letter
    return 1


def _join_split_and_hyphenate_words(cells: list[str], rate: float, draw: Draw) -> None:
    """Join words, split words, and put hyphens at the ends of lines, in place."""
    for at, cell in enumerate(cells):
        if draw_below(draw, 1_000_000) >= rate * 1_000_000:
            continue
        if cell == " ":
            cells[at] = ""
        elif cell.isalpha() and 0 < at < len(cells) - 1 and cells[at + 1].isalpha():
            cells[at] = cell + ("-\n" if draw_below(draw, 2) else " ")
