"""Why a keeper stays and not another document: the kind of each reason, and how it is said.

A column of policies holds what decided between a keeper and each of its members, as short texts
that people read. A sentence about several members must not take these texts apart; so here each of
them has a value that says what was compared.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from enum import Enum
from typing import NamedTuple

from ilk.search.measures import count_noun
from ilk.search.originals import AGE, FOLDER_REASONS, MARKS, MARKS_BESIDE_MEAN, MEAN_MARKS
from ilk.search.ranking import CENTRAL, ON_DISK
from ilk.search.staying import HELD


class ReasonKind(Enum):
    """What a policy compares of two documents."""

    MARKS = "marks of a copy"
    FOLDER = "folders"
    ON_DISK = "whether it is a file on disk"
    TIME = "times"
    ORDER = "places in source order"
    LENGTH = "lengths"
    CENTRALITY = "resemblances in the family"
    PATTERN = "whether the name matches"
    COLUMN = "values of a column"
    REFERENCE = "whether it is in the reference"


class KeeperReason(NamedTuple):
    """Why a keeper stays and not another document.

    Attributes:
        kind: what was compared.
        sentence: the reason where it decides against all others.
        before, after: what stands around the number of those that it decides against, where it
            does not decide against all.
    """

    kind: ReasonKind
    sentence: str
    before: str
    after: str = ""


def _make_comparison_reason(
    kind: ReasonKind, sentence: str, words_before_count: str = " than "
) -> KeeperReason:
    """Return a reason whose sentence can go on with the others: "it is older than 2 others"."""
    return KeeperReason(kind, sentence, sentence + words_before_count)


_UNLIKE = ", unlike "
_UNIQUE, _DEPTH, _MEAN_AGE, _FOLDERS_TIE = FOLDER_REASONS

#: The reasons that no argument of a policy changes.
_REASONS = {
    MARKS: _make_comparison_reason(
        ReasonKind.MARKS, "its path has fewer marks of a copy", " than that of "
    ),
    MEAN_MARKS: _make_comparison_reason(
        ReasonKind.MARKS, "its folder has fewer marks of a copy on average", " than that of "
    ),
    MARKS_BESIDE_MEAN: KeeperReason(
        ReasonKind.MARKS,
        "its path has fewer marks of a copy than the other's folder on average",
        "its path has fewer marks of a copy than the folder of ",
        " on average",
    ),
    _UNIQUE: _make_comparison_reason(ReasonKind.FOLDER, _UNIQUE, ", compared with that of "),
    _DEPTH: _make_comparison_reason(ReasonKind.FOLDER, _DEPTH, " than that of "),
    _MEAN_AGE: _make_comparison_reason(ReasonKind.FOLDER, _MEAN_AGE, " than those of "),
    ON_DISK: _make_comparison_reason(ReasonKind.ON_DISK, "it is a file on disk", _UNLIKE),
    AGE: _make_comparison_reason(ReasonKind.TIME, "it is older"),
    "oldest": _make_comparison_reason(ReasonKind.TIME, "it is older"),
    "newest": _make_comparison_reason(ReasonKind.TIME, "it is newer"),
    _FOLDERS_TIE: _make_comparison_reason(ReasonKind.ORDER, "it comes earlier"),
    "last": _make_comparison_reason(ReasonKind.ORDER, "it comes later"),
    "longest": _make_comparison_reason(ReasonKind.LENGTH, "it is longer"),
    "shortest": _make_comparison_reason(ReasonKind.LENGTH, "it is shorter"),
    CENTRAL: _make_comparison_reason(ReasonKind.CENTRALITY, "it is more like all others"),
    HELD: _make_comparison_reason(
        ReasonKind.REFERENCE, "it is in the collection of --against", _UNLIKE
    ),
}

#: Marks are compared in three ways, and a person looks at the same thing for each of them.
_SEVERAL_MARKS = _make_comparison_reason(
    ReasonKind.MARKS, "its path or folder has fewer marks of a copy", " than that of "
)

#: How the value of a column compares with another one, by the policy that chooses it.
_COLUMN_WORDS = {"newest": "later", "oldest": "earlier", "max": "larger", "min": "smaller"}


def reason_of_deciding_policy(deciding_policy: str) -> KeeperReason:
    """Return what a policy compares, and how that is said.

    Args:
        deciding_policy: what a column of policies says of a member (``deciding_policies``).

    >>> reason_of_deciding_policy("max:likes").sentence
    'its likes is larger'
    """
    if deciding_policy in _REASONS:
        return _REASONS[deciding_policy]
    name, _, argument = deciding_policy.partition(":")
    if name == "prefer":
        return _make_comparison_reason(ReasonKind.PATTERN, f"it matches {argument}", _UNLIKE)
    word = _COLUMN_WORDS[name]
    return _make_comparison_reason(ReasonKind.COLUMN, f"its {argument} is {word}", " than that of ")


def spell_why_keeper_stays(deciding_policies: Iterable[str]) -> str:
    """Return in a sentence why a keeper stays; "" without a reason.

    Args:
        deciding_policies: for each of the other documents of its cluster, what decided against it.

    >>> spell_why_keeper_stays(["max:likes", "max:likes"])
    'its likes is larger'
    >>> spell_why_keeper_stays([MARKS, AGE, AGE])
    'its path has fewer marks of a copy than that of 1 other; it is older than 2 others'
    """
    counts = Counter(map(reason_of_deciding_policy, deciding_policies))
    marks = [reason for reason in counts if reason.kind is ReasonKind.MARKS]
    count_by_reason = Counter[KeeperReason]()
    for reason, count in counts.items():
        count_by_reason[_SEVERAL_MARKS if len(marks) > 1 and reason in marks else reason] += count
    if len(count_by_reason) < 2:
        return "".join(reason.sentence for reason in count_by_reason)
    return "; ".join(
        f"{reason.before}{count_noun(count, 'other')}{reason.after}"
        for reason, count in count_by_reason.items()
    )
