"""What goes with a passage that is cut out of a text: its marks, and one of two white spaces.

Only characters that belong to no word are decided here. Between two neighbours stays what a person
would have written between them:

1. A quotation mark or bracket before the passage goes if its partner is in the passage or after it,
   and the other way round; one whose partner stays, stays.
2. A passage that begins a sentence takes the marks after it along. One that begins within a
   sentence leaves the mark that ends the sentence, and takes a comma, colon or dash before it.
3. Of the white space before and after it, the one with more line ends stays. The text keeps the
   white space with which it begins and ends.
4. The marks of a line without a word left go, and so does all of a text without a word left.
"""

from __future__ import annotations

import re
from collections.abc import Container
from typing import NamedTuple

#: What closes each opening mark. A mark may open and close.
_PARTNERS = {
    "(": ")",
    "[": "]",
    "{": "}",
    "“": "”",
    "„": "“”",
    "‘": "’",
    "‚": "‘’",
    "«": "»",
    "»": "«",
    "‹": "›",
    "›": "‹",
    "「": "」",
    "『": "』",
    "《": "》",
    "〈": "〉",
    "（": "）",
    "【": "】",
    '"': '"',
    "'": "'",
    "`": "`",
    "*": "*",
    "_": "_",
}

_CLOSING = frozenset("".join(_PARTNERS.values()))

#: An apostrophe between two letters; else a mark of a pair.
_PAIRED = re.compile(rf"(?<=\w)['’](?=\w)|([{re.escape(''.join({*_PARTNERS, *_CLOSING}))}])")

#: What ends a sentence, what only divides it, and of both what stands close to the word before.
_ENDS = frozenset(".!?…。！？｡؟۔।॥\n")
_DASHES = frozenset("–—-")
_CLOSE = (_ENDS - {"\n"}) | frozenset(",;:、，；：،؛")
_DIVIDES = frozenset(",;:、，；：،؛") | _DASHES


class EdgeMasks(NamedTuple):
    """Whether each character before a passage goes with it, and each one after it."""

    before: list[bool]
    after: list[bool]


class Gaps(NamedTuple):
    """A passage with the characters between it and the words around it.

    before, passage, after: three texts, next to each other; the outer ones have no words.
    first, last: whether no word of the text comes before, and after.
    """

    before: str
    passage: str
    after: str
    first: bool
    last: bool


def mark_gap_characters_to_cut(gaps: Gaps) -> EdgeMasks:
    """Return which characters before and after a passage go with it, one value for each.

    >>> mark_gap_characters_to_cut(Gaps(". “", "To be", ".” ", first=False, last=False))
    EdgeMasks(before=[False, True, True], after=[True, True, False])
    """
    before, _, after, first, last = gaps
    if first and last:
        return EdgeMasks([True] * len(before), [True] * len(after))
    masks = _mark_paired_punctuation_to_cut(gaps)
    line = before.rfind("\n") + 1
    end = after.find("\n") if "\n" in after else len(after)
    if (first or "\n" in before) and (last or "\n" in after):
        for at in range(line, len(before)):
            masks.before[at] |= not before[at].isspace()
        for at in range(end):
            masks.after[at] |= not after[at].isspace()
    else:
        end_in_after = min(end, _offset_in_after_of_next_word_marks(gaps))
        _mark_punctuation_to_cut(gaps, masks, end_in_after=end_in_after)
    _mark_space_to_cut(gaps, masks)
    return masks


def _mark_paired_punctuation_to_cut(gaps: Gaps) -> EdgeMasks:
    """Return which quotation marks and brackets around a passage have a partner that goes."""
    before, passage, after = gaps[:3]
    goes = ([False] * len(before), [False] * len(passage), [False] * len(after))
    opening = len(before)
    # Only marks that stand right before the passage: others belong to the words before them.
    while opening and (before[opening - 1] in _PARTNERS or before[opening - 1].isspace()):
        opening -= 1
    marks = [(before[at], 0, at) for at in range(opening, len(before)) if before[at] in _PARTNERS]
    marks += [(one[1], 1, one.start()) for one in _PAIRED.finditer(passage) if one[1]]
    for at, mark in enumerate(after):
        if mark in _PARTNERS and mark not in _CLOSING:
            break
        if mark in _CLOSING:
            marks.append((mark, 2, at))
    stack: list[tuple[str, int, int]] = []
    for mark, part, at in marks:
        depth = len(stack)
        while depth and mark not in _PARTNERS[stack[depth - 1][0]]:
            depth -= 1
        if depth:
            _, other_part, other = stack[depth - 1]
            goes[part][at] = goes[other_part][other] = True
            # Marks that were opened in between have no partner.
            del stack[depth - 1 :]
        elif mark in _PARTNERS:
            stack.append((mark, part, at))
    return EdgeMasks(goes[0], goes[2])


def _offset_in_after_of_next_word_marks(gaps: Gaps) -> int:
    """Return where in ``after`` the marks begin that belong to the next word, such as ``$``."""
    after = gaps.after
    at = len(after)
    if gaps.last:
        return at
    belongs: Container[str] = _PARTNERS
    spaced = any(c.isspace() for c in after)
    while at and not after[at - 1].isspace() and (spaced or after[at - 1] in belongs):
        at -= 1
    return at


def _mark_punctuation_to_cut(gaps: Gaps, masks: EdgeMasks, *, end_in_after: int) -> None:
    """Mark what goes of the punctuation around a passage that does not leave a line empty.

    Of the characters after it, only those before ``end_in_after`` may go.
    """
    before, after = gaps.before, gaps.after
    goes_before, goes_after = masks
    begins = gaps.first or any(mark in _ENDS for mark in before)
    ends = gaps.last or any(mark in _ENDS for mark in after)
    rest = any(not c.isspace() and not g for c, g in zip(before, goes_before, strict=True))
    if not begins and ends:
        for at in reversed(range(len(before))):
            if before[at] in _DIVIDES:
                goes_before[at] = True
            elif not (before[at].isspace() or goes_before[at]):
                break
        return
    if not begins and not rest:
        return
    for at in range(end_in_after):
        # What closes something that stays, stays; after the end of a sentence, a dash begins one.
        if after[at] in _CLOSING or after[at].isspace():
            continue
        if ends and after[at] not in _CLOSE:
            break
        goes_after[at] = True


def _mark_space_to_cut(gaps: Gaps, masks: EdgeMasks) -> None:
    """Mark what goes of the white space around a passage."""
    before, after = gaps.before, gaps.after
    goes_before, goes_after = masks
    left = len(before)
    while left and (before[left - 1].isspace() or goes_before[left - 1]):
        left -= 1
    right = 0
    while right < len(after) and (after[right].isspace() or goes_after[right]):
        right += 1
    # The space that touches what stays, on both sides; any other goes.
    end = left
    while end < len(before) and before[end].isspace():
        end += 1
    start = right
    while start and after[start - 1].isspace():
        start -= 1
    if "\n" in after[start:right]:
        while after[start] in " \t":
            start += 1
    own, next_own = before[left:end], after[start:right]
    attached = right < len(after) and after[right] in _CLOSE | _CLOSING
    if gaps.first and not left:
        keeps_own = True
    elif gaps.last and right == len(after):
        keeps_own = False
    elif attached and right < _offset_in_after_of_next_word_marks(gaps):
        keeps_own = False
        if start:
            start = right
    elif left and _is_opening_mark(before, left - 1):
        keeps_own = False
        start = right if "\n" not in next_own else start
    else:
        keeps_own = own.count("\n") > next_own.count("\n") or not next_own
    goes_before[left:] = [not keeps_own or at >= end for at in range(left, len(before))]
    goes_after[:right] = [keeps_own or at < start for at in range(right)]


def _is_opening_mark(text: str, at: int) -> bool:
    """Return whether a mark opens a quotation or a bracket."""
    if text[at] not in _PARTNERS:
        return False
    return text[at] not in _CLOSING or at == 0 or text[at - 1].isspace()
