"""Every reason for a keeper has a kind, and sentences count whom it decides against."""

from __future__ import annotations

import itertools

import pytest

from ilk.base.options import COLUMN_POLICIES, ORIGINAL, POLICIES
from ilk.search.keeper_reasons import ReasonKind, reason_of_deciding_policy, spell_why_keeper_stays
from ilk.search.originals import AGE, FOLDER_REASONS, MARKS, MARKS_BESIDE_MEAN, MEAN_MARKS
from ilk.search.ranking import ON_DISK
from ilk.search.staying import HELD

#: Everything that ``deciding_policies`` may say.
SAID = [
    *(policy.replace("PATTERN", "*.pdf") for policy in POLICIES if policy != ORIGINAL),
    *(policy.replace("COLUMN", "likes") for policy in COLUMN_POLICIES),
    *(MARKS, MEAN_MARKS, MARKS_BESIDE_MEAN, *FOLDER_REASONS, AGE, ON_DISK, HELD),
]


@pytest.mark.parametrize("policy", SAID)
def test_every_policy_says_what_it_compares(policy: str) -> None:
    reason = reason_of_deciding_policy(policy)
    assert isinstance(reason.kind, ReasonKind)
    assert spell_why_keeper_stays([policy] * 3) == reason.sentence


@pytest.mark.parametrize(("one", "other"), [*itertools.combinations(SAID, 2)])
def test_two_reasons_are_said_with_whom_each_decides_against(one: str, other: str) -> None:
    first, second = reason_of_deciding_policy(one), reason_of_deciding_policy(other)
    said = spell_why_keeper_stays([one, other, other])
    if first == second:
        assert said == first.sentence
    elif first.kind == second.kind == ReasonKind.MARKS:
        assert said == "its path or folder has fewer marks of a copy"
    else:
        assert said.count("1 other") == said.count("2 others") == 1
        assert said.index("1 other") < said.index("2 others")


def test_marks_count_together_beside_another_reason() -> None:
    said = spell_why_keeper_stays([MEAN_MARKS, AGE, MARKS, MARKS_BESIDE_MEAN])
    assert said == (
        "its path or folder has fewer marks of a copy than that of 3 others; it is older than "
        "1 other"
    )


def test_a_glob_with_braces_is_said_as_it_is() -> None:
    said = spell_why_keeper_stays(["prefer:a{}b", "oldest"])
    assert said == "it matches a{}b, unlike 1 other; it is older than 1 other"
