"""What options together mean: pairing, radius, thresholds."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

from ilk.base.errors import OptionError
from ilk.base.options import default
from ilk.fingerprints.recipe import Recipe
from ilk.search import recall_model, search_plan
from ilk.search.query import Query, radius_of_bit_agreement
from ilk.search.search_plan import SearchPlan

#: A recipe of 128 bits.
WIDE = Recipe(bits=128)

E8 = Fraction(4, 5)


def plan(recipe: Recipe | None = None, **options: Any) -> SearchPlan:
    return search_plan.make_search_plan(Query.from_options(recipe or Recipe(), **options))


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({}, ("exact", None, E8, None, 3)),
        ({"resemblance": 0.9}, ("exact", None, Fraction(9, 10), None, 3)),
        ({"containment": 0.95}, ("exact", None, E8, Fraction(19, 20), 3)),
        ({"shingle": 5}, ("exact", None, E8, None, 5)),
        ({"pairing": "exact"}, ("exact", None, E8, None, 3)),
        # A radius or similarity selects fingerprints; what they find is verified.
        ({"radius": 3}, ("fingerprint", 3, E8, None, 3)),
        ({"radius": 0}, ("fingerprint", 0, E8, None, 3)),
        ({"radius": 64}, ("fingerprint", 64, E8, None, 3)),
        ({"radius": 65, "recipe": WIDE}, ("fingerprint", 65, E8, None, 3)),
        ({"similarity": "90%"}, ("fingerprint", 6, E8, None, 3)),
        ({"similarity": "90%", "recipe": WIDE}, ("fingerprint", 12, E8, None, 3)),
        ({"similarity": 1}, ("fingerprint", 0, E8, None, 3)),
        ({"radius": 3, "pairing": "fingerprint"}, ("fingerprint", 3, E8, None, 3)),
        ({"radius": 3, "containment": 1}, ("fingerprint", 3, E8, Fraction(1), 3)),
        ({"radius": 3, "resemblance": 1}, ("fingerprint", 3, Fraction(1), None, 3)),
        ({"similarity": 0.9, "unverified": True}, ("fingerprint", 6, E8, None, 3)),
    ],
)
def test_options_mean(options: dict[str, Any], expected: tuple[Any, ...]) -> None:
    made = plan(**options)
    query = made.query
    measures = (query.resemblance, query.containment, query.shingle)
    assert (made.pairing, made.radius, *measures) == expected


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"pairing": "minhash"}, "exact, fingerprint"),
        ({"pairing": ""}, "exact, fingerprint"),
        ({"pairing": "exact", "radius": 3}, "choose `pairing="),
        ({"pairing": "exact", "radius": 0}, "choose `pairing="),
        ({"pairing": "exact", "similarity": "90%"}, "choose `pairing="),
        ({"pairing": "exact", "radius": 3, "resemblance": 0.8}, "choose `pairing="),
        ({"radius": 3, "similarity": "90%"}, "one of them"),
        ({"radius": 3, "recall": 0.9}, "one of them"),
        ({"pairing": "fingerprint", "recall": 0}, "recall is 0; .* above 0 and at most 1"),
        ({"radius": 65}, "from 0 to 64"),
        ({"radius": 129, "recipe": WIDE}, "from 0 to 128"),
        ({"radius": -1}, "from 0 to 64"),
        ({"radius": 3.5}, "from 0 to 64"),
        ({"radius": True}, "from 0 to 64"),
        ({"similarity": "101%"}, "from 0 to 1, such as 0.8 or 80%"),
        ({"similarity": 90}, "from 0 to 1, such as 0.8 or 80%"),
        ({"similarity": -0.1}, "from 0 to 1, such as 0.8 or 80%"),
        ({"similarity": "much"}, "from 0 to 1, such as 0.8 or 80%"),
        ({"similarity": ""}, "from 0 to 1, such as 0.8 or 80%"),
        ({"similarity": "%"}, "from 0 to 1, such as 0.8 or 80%"),
        ({"resemblance": 0}, "above 0 and at most 1"),
        ({"resemblance": 1.1}, "above 0 and at most 1"),
        ({"containment": 0}, "above 0 and at most 1"),
        ({"containment": True}, "above 0 and at most 1"),
        ({"shingle": 0}, "from 1 to 64"),
        ({"shingle": 65}, "from 1 to 64"),
        ({"shingle": 3.0}, "from 1 to 64"),
        ({"unverified": True}, "give `radius` or `similarity` too"),
        ({"unverified": True, "radius": 3, "same_site": 0.9}, "give one of them"),
    ],
)
def test_options_that_mean_nothing_are_refused(options: dict[str, Any], said: str) -> None:
    with pytest.raises(OptionError, match=said):
        plan(**options)


@pytest.mark.parametrize(
    ("similarity", "bits", "radius"),
    [
        # Roth 2013, section 2.2.2: 90 % of 64 bits is a radius of floor(6.4).
        ("90%", 64, 6),
        ("90 %", 64, 6),
        (" 90% ", 64, 6),
        (0.9, 64, 6),
        ("0.9", 64, 6),
        ("100%", 64, 0),
        ("0%", 64, 64),
        (1, 64, 0),
        (0, 64, 64),
        # In floating point 1 - 0.95 is more than a twentieth, and 64 x (1 - 0.75) is 16 exactly.
        (0.75, 64, 16),
        (0.95, 100, 5),
        ("99.9%", 1000, 1),
        (0.9, 128, 12),
        (0.9, 32, 3),
    ],
)
def test_a_similarity_is_a_radius(similarity: Any, bits: int, radius: int) -> None:
    assert radius_of_bit_agreement(similarity, bits) == radius


def test_the_radius_follows_from_the_recall() -> None:
    made = plan(pairing="fingerprint")
    assert made.radius is not None
    assert made.expected_recall is not None
    assert made.expected_recall[0] >= default("recall")
    assert recall_model.recall_from_resemblance(Recipe(), 0.8, 3, made.radius - 1) < default(
        "recall"
    )
    lower = plan(pairing="fingerprint", recall=0.5)
    assert lower.radius is not None
    assert lower.radius < made.radius
    assert f"pairs within {made.radius} bits" in search_plan.promise_sentence(made)
    assert (
        f"expected to find {made.expected_recall[0]:.1%} of them"
        in search_plan.promise_sentence(made)
    )
    assert "exact pairing" not in search_plan.promise_sentence(made)


def test_what_fingerprints_cannot_reach_is_said_with_what_can() -> None:
    made = plan(pairing="fingerprint", resemblance=0.3)
    assert made.radius == recall_model.WIDEST[64]
    assert made.expected_recall is not None
    assert made.expected_recall[0] < default("recall")
    assert search_plan.promise_sentence(made).endswith(
        "no wider radius is of use, the exact pairing finds all"
    )
    narrow = plan(radius=3, resemblance=0.8)
    assert search_plan.promise_sentence(narrow).endswith(
        "a wider radius finds more, the exact pairing finds all"
    )
    bits = plan(radius=3, unverified=True)
    assert (
        search_plan.promise_sentence(bits, search_plan.PAIRS)
        == "exact: every pair within 3 bits is here"
    )
    both = plan(pairing="fingerprint", containment=0.9)
    assert "containment is measured on those pairs alone" in search_plan.promise_sentence(both)
