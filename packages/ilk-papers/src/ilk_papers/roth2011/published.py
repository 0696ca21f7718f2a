"""What the paper reports: its top five, their matrices, its expectations and its Figure 3."""

from __future__ import annotations

from dataclasses import dataclass

from ilk_papers.roth2011.scoring import Score


@dataclass(frozen=True, slots=True)
class Ranked:
    """A row of Table 9: a combination, what was counted, and the rows of its three zones."""

    combination: str
    score: Score
    zones: str


_PROVERBS, _DECLARATION = "1110 1110 1110 0001", "101 010 101"

#: The sentence of its examples, the beginning of the Gettysburg Address.
SENTENCE = (
    "Four score and seven years ago our fathers brought forth on this continent, a new nation, "
    "conceived in Liberty, and dedicated to the proposition that all men are created equal."
)

#: Section 2: the nine 4-grams of characters of its sentence, and four of words.
GRAMS = (
    *("four", "ours", "ursc", "rsco", "scor", "core", "orea", "rean", "eand"),
    "four score and seven",
    "score and seven years",
    "and seven years ago",
    "seven years ago our",
)

#: Table 9, best first.
TOP = (
    Ranked("43B 40 100", Score(0, 10, 35), f"{_PROVERBS} | 1111 1111 1111 1111 | {_DECLARATION}"),
    Ranked(
        "47C 40 100",
        Score(14, 5, 40),
        "1110 0111 1111 0101 | 1111 1101 1111 1111 | 111 111 111",
    ),
    Ranked("43B 4 5", Score(3, 13, 32), f"{_PROVERBS} | 1111 0100 1111 1111 | {_DECLARATION}"),
    Ranked("3B 16 25", Score(8, 10, 35), f"{_PROVERBS} | 1111 1111 1111 1111 | {_DECLARATION}"),
    Ranked("21B 40 100", Score(2, 14, 31), f"{_PROVERBS} | 1111 0100 1011 1111 | {_DECLARATION}"),
)

#: What the author expects of every cell: E exact, S similar, M medium, L low, N none.
EXPECTED = "ESSL SESN SSEN LNNE | ESSE SESM SSES ESSE | ELS LEL SLE"

#: Combinations, as the paper counts them, and those that score above 1.0.
COMBINATIONS, ABOVE_ONE = 672, 104

#: Figure 3: tracking numbers in the order of the bars; their heights are not in the text.
FIGURE_3 = (49, 27, 29, 47, 3, 43, 25, 35, 45, 41, 21, 23, 1, 4, 44, 5, 30)

#: Figure 3: the largest number on its axis, which is printed.
FIGURE_3_AXIS = 14

#: Figure 3: how often one method in its three streams is among those above 1.0.
FAMILIES = {(9, 29, 49): 23, (3, 23, 43): 21, (7, 27, 47): 21}

#: Observations: how many of the top five are of method 43, and use a window.
METHOD_43_IN_TOP_FIVE, WINDOWS_IN_TOP_FIVE = 2, 0

#: Observations: how many of the top five are of variation B, and of the top ten of k = 8.
B_IN_TOP_FIVE, K8_IN_TOP_TEN = 4, 0
