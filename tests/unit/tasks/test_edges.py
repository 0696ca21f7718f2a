"""What goes with a passage: the text that is left is one that a person could have written."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ilk.tasks.passages.edges import Gaps, mark_gap_characters_to_cut

#: Texts with a passage in double braces, and what is left of them.
CASES = {
    "A. {{P}}. B": "A. B",
    "A.\n\n{{P}}.\n\nB": "A.\n\nB",
    "A.\n\n{{P}}. B": "A.\n\nB",
    "A. {{P}}.\n\nB": "A.\n\nB",
    "x\r\n\r\n{{P}}.\r\n\r\ny": "x\r\n\r\ny",
    # A text keeps the space with which it begins and ends; nothing is left without a word.
    "A.\n\n{{P}}.\n": "A.\n",
    "    {{P}}.\n    B": "    B",
    "{{P}}. B.": "B.",
    "  “{{P}}.” \n": "",
    # Quotation marks and brackets go in pairs.
    "He said “{{P}}”.": "He said.",
    "He said: “{{P}}.”": "He said.",
    '"A," he said, "{{P}}." B': '"A," he said. B',
    "“A. {{P}}.” B": "“A.” B",
    "“{{P}}. C.” D": "“C.” D",
    "A. ({{P}}.) B.": "A. B.",
    "(A. {{P}}.) B": "(A.) B",
    "x ({{P}} y) z": "x (y) z",
    "x (see {{P}}) z": "x (see) z",
    "A. {{P (q}}). B": "A. B",
    "A. {{P don’t}}. B": "A. B",
    "Il dit « {{P}} ». Puis": "Il dit. Puis",
    "A. **{{P}}.** B": "A. B",
    "甲。「{{P}}。」乙": "甲。乙",
    # A passage within a sentence leaves the end of it.
    "He said that {{P}}. Next": "He said that. Next",
    "mot {{P}} !": "mot !",
    "x, {{P}}, y": "x, y",
    "x {{P}}, y": "x, y",
    "A — {{P}} — b": "A — b",
    # One that begins a sentence takes what follows along.
    "A. {{P}}, and so on.": "A. and so on.",
    "A. {{P}} — b": "A. b",
    # Marks of the next word are its own.
    "A. {{P}}. $5 is": "A. $5 is",
    "A. {{P}}. (b)": "A. (b)",
    # A line without a word goes.
    "A.\n- {{P}}.\n- B": "A.\n- B",
    "A\n# {{P}}\n\nB": "A\n\nB",
    "- {{P}}. And B.\n": "- And B.\n",
    "A.\n{{P}}.  \nB": "A.\nB",
}


def gaps_of(text: str) -> tuple[str, Gaps, str]:
    """Return the text before the gaps of its passage, these, and the text after them."""
    before, passage, after = re.split(r"\{\{|\}\}", text)
    left = re.search(r"\W*$", before)
    right = re.match(r"\W*", after)
    assert left
    assert right
    gaps = Gaps(left[0], passage, right[0], first=not left.start(), last=right.end() == len(after))
    return before[: left.start()], gaps, after[right.end() :]


def rest_of(text: str) -> str:
    head, gaps, tail = gaps_of(text)
    goes_before, goes_after = mark_gap_characters_to_cut(gaps)
    pairs = [*zip(gaps.before, goes_before, strict=True), *zip(gaps.after, goes_after, strict=True)]
    return head + "".join(character for character, goes in pairs if not goes) + tail


@pytest.mark.parametrize("text", CASES)
def test_what_is_left_could_have_been_written(text: str) -> None:
    assert rest_of(text) == CASES[text]


marks = st.text(" \n.,;:!?…“”«»()'\"*-—#$", max_size=8)


@given(marks, marks, marks)
def test_space_between_neighbours_is_that_of_one_side(before: str, inside: str, after: str) -> None:
    rest = rest_of(f"a{before}{{{{P{inside}P}}}}{after}b")
    assert rest[0] + rest[-1] == "ab"
    lines = max(gap.count("\n") for gap in (before, after))
    assert rest.count("\n") <= before.count("\n") + after.count("\n")
    if not (before + after).strip():
        assert rest.count("\n") == lines
        assert rest[1:-1] in (before, after, after.lstrip(" \t"))
